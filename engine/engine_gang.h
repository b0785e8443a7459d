/* engine/engine_gang.h — jobs stop and go on by turns, or to make room for others: for the
 * engine_*.c files only.
 *
 * With PreemptMode=SUSPEND,GANG a job may be given cores that others have.  Of those that have a
 * core in common one runs, the others are stopped: they keep their place, with memory, generic
 * resources and licences, and go on there.  Jobs of a higher tier stop those below for as long as
 * they run; jobs of one tier take turns, so long as a time slice each.  Source: Slurm's
 * src/slurmctld/gang.c, gang_scheduling.html. */
#ifndef LK_ENGINE_ENGINE_GANG_H
#define LK_ENGINE_ENGINE_GANG_H

#include "engine/engine_private.h"

/* How a job has come to run, or that it does not: Slurm's row states. */
enum {
  LK_ROW_NONE,   /* it is stopped, or not looked at yet */
  LK_ROW_FILLER, /* it found room beside those whose turn it is: it has its own turn still */
  LK_ROW_ACTIVE, /* it is its turn */
};

typedef struct {
  guint64 turn; /* lower ones come first */
  guint8 row;   /* LK_ROW_* */
} LkGangSeat;

struct _LkGang {
  gint64 slice_us;
  LkGangSeat *seats; /* by job index, of jobs that have started */
  guint32 limit;
  guint32 *tiers; /* by partition */
  guint32 *lists; /* by partition: the number of its list, for all of one list the same */
  guint64 turn_last;
  gint64 turn_us;  /* when turns change next; LK_TIME_NEVER: nobody waits for one */
  GArray *started; /* of LkJobIndex: since the last time, in this order */
  gboolean is_due; /* something has changed since the last time */
};

void lk_gang_free (LkGang *self);

/* Where that is asked for, and jobs can be stopped; the others do nothing where not. */
void lk_engine_make_gang (LkEngine *self);

/* May the scheduler stop the job: does it run, on nodes, and is not on its way out? */
gboolean lk_engine_can_stop (const LkEngine *self, LkJobIndex job);
/* Stops those who run on cores of these pieces, on no node's list, and are below the tier of the
 * job that gets them. */
void lk_engine_gang_make_way (LkEngine *self, LkJobIndex job, guint32 first_piece);

/* The job has begun to run, or goes on after somebody has resumed it. */
void lk_engine_gang_started (LkEngine *self, LkJobIndex job);
/* A job that had started has ended, lost a node, was suspended by somebody, or is expected to end
 * at another moment. */
void lk_engine_gang_note (LkEngine *self);
/* Behind each event: stops and resumes whom that concerns. */
void lk_engine_gang_settle (LkEngine *self);
/* The turn of others may have come. */
void lk_engine_gang_due (LkEngine *self);
gint64 lk_engine_next_turn_us (const LkEngine *self);
/* Stopped jobs by expected end, then id. Returns: (transfer full), of LkJobIndex. */
GArray *lk_engine_stopped_by_end (const LkEngine *self);

void lk_engine_save_gang (const LkEngine *self, GByteArray *out);
gboolean lk_engine_load_gang (LkEngine *self, LkBytesReader *reader);
void lk_engine_check_gang (const LkEngine *self);
gboolean lk_engine_gang_is_sound (const LkEngine *self);

#endif
