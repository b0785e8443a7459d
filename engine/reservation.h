/* engine/reservation.h — advance reservations: capacity that is set aside for a time and for some.
 *
 * Not to be confused with what a backfill policy reserves for a waiting job (engine/plan.h): these
 * are made by an administrator.  A reservation has whole nodes, or cores and GPUs of nodes, or only
 * licences, from a start to an end.  Over any window of time that meets it, a job that may not use
 * it sees its nodes closed, or without those cores and GPUs; a job that runs in it sees nothing but
 * it.  TIME_FLOAT reservations move ahead of the clock and are never reached.
 *
 * Only the next occurrence of one that recurs counts; at its end it moves on.  There is no time
 * zone here: a day is 86,400 s on the engine's clock, Monday to Sunday as in UTC.  Source: Slurm,
 * reservations.html, scontrol(1), slurmctld's reservation.c. */
#ifndef LK_ENGINE_RESERVATION_H
#define LK_ENGINE_RESERVATION_H

#include <glib.h>

#include "engine/bytes.h"
#include "engine/codec.h"
#include "engine/id_map.h"
#include "engine/machine.h"
#include "engine/window.h"

/* X (NAME, bit, word). */
#define LK_RESERVATION_FLAGS(X)                                                                    \
  X (MAINT, 0, "MAINT")                                                                            \
  X (IGNORE_JOBS, 1, "IGNORE_JOBS")                                                                \
  X (OVERLAP, 2, "OVERLAP")                                                                        \
  X (HOURLY, 3, "HOURLY")                                                                          \
  X (DAILY, 4, "DAILY")                                                                            \
  X (WEEKLY, 5, "WEEKLY")                                                                          \
  X (WEEKDAY, 6, "WEEKDAY")                                                                        \
  X (WEEKEND, 7, "WEEKEND")                                                                        \
  X (FLEX, 8, "FLEX")                                                                              \
  X (PURGE_COMP, 9, "PURGE_COMP")                                                                  \
  X (ANY_NODES, 10, "ANY_NODES")                                                                   \
  X (MAGNETIC, 11, "MAGNETIC")                                                                     \
  X (REPLACE, 12, "REPLACE")                                                                       \
  X (REPLACE_DOWN, 13, "REPLACE_DOWN")                                                             \
  X (STATIC_ALLOC, 14, "STATIC_ALLOC")                                                             \
  X (TIME_FLOAT, 15, "TIME_FLOAT")                                                                 \
  X (PART_NODES, 16, "PART_NODES")                                                                 \
  X (NO_HOLD_JOBS_AFTER, 17, "NO_HOLD_JOBS_AFTER")                                                 \
  X (LICENSE_ONLY, 18, "LICENSE_ONLY")                                                             \
  X (SPEC_NODES, 19, "SPEC_NODES")                                                                 \
  X (ALL_NODES, 20, "ALL_NODES")

typedef enum {
#define X(NAME, bit, word) LK_RESERVATION_##NAME = 1 << bit,
  LK_RESERVATION_FLAGS (X)
#undef X
} LkReservationFlag;

/* Words with commas between. FALSE: one is none of those. */
gboolean lk_reservation_flags_read (LkText text, guint32 *out_flags);

#define LK_RESERVATION_RECURS                                                                      \
  ((guint32)(LK_RESERVATION_HOURLY | LK_RESERVATION_DAILY | LK_RESERVATION_WEEKLY                  \
             | LK_RESERVATION_WEEKDAY | LK_RESERVATION_WEEKEND))

/* Reservations at once, and those that one job may choose from. */
#define LK_LIMIT_RESERVATIONS 10000u
#define LK_LIMIT_JOB_RESERVATIONS 16u
#define LK_RESERVATION_NAME_BYTES_MAX 255u
/* "infinite" */
#define LK_RESERVATION_YEAR_US (G_GINT64_CONSTANT (365) * 86400 * 1000000)
/* PURGE_COMP without a time. */
#define LK_RESERVATION_PURGE_US (G_GINT64_CONSTANT (300) * 1000000)

/* What was asked for, in Slurm's words; texts are borrowed, or terminated and owned. */
typedef struct {
  LK_RESERVATION_FIELDS (LK_MEMBER)
} LkReservationAsked;

/* Who may, or with `is_denied` may not. No names: nobody is named. */
typedef struct {
  char **names; /* ended by NULL; NULL: the list is not given */
  gboolean is_denied;
} LkNameList;

typedef struct _LkAdvanceReservation {
  guint32 number; /* of no other, ever; from 1 */
  char *name;
  LkReservationAsked asked;
  char *texts; /* of `asked` */
  guint32 flags;
  gint64 start_us; /* of this occurrence; of TIME_FLOAT: behind now */
  gint64 end_us;
  guint64 *nodes;   /* set; NULL: it has none */
  guint64 *cores;   /* by node, words of each; NULL: whole nodes */
  guint64 *devices; /* by node; NULL with cores */
  gboolean has_devices;
  guint32 core_count; /* of all of it */
  GArray *licenses;   /* of LkLicenseDemand; NULL: none */
  LkNameList users;
  LkNameList accounts;
  LkNameList groups;
  LkNameList qos;
  LkNameList partitions;
  gint64 since_us;    /* since when it has had these nodes and times */
  gint64 idle_us;     /* since when no job has been in it or waited for it; LK_TIME_NEVER: one is */
  gboolean is_active; /* its start was told */
} LkAdvanceReservation;

/* Who wants to use a reservation. Texts are borrowed. */
typedef struct {
  guint32 user_id;
  const char *user; /* "" unknown */
  const char *account;
  const char *group;
  const char *qos;
  const char *partition;
  const char *const *accounts_above; /* of `account`, ended by NULL; NULL: none are known */
} LkReservationVisitor;

struct _LkReservationTable {
  LkMachine *machine;
  GPtrArray *items; /* of LkAdvanceReservation*, by rising number */
  guint32 number_last;
  guint32 float_count;
  guint32 magnetic_count;
  guint64 *any;     /* nodes of which something is set aside */
  guint64 *partial; /* of those only a part */
};
typedef struct _LkReservationTable LkReservationTable;

LkReservationTable *lk_reservations_new (LkMachine *machine);
void lk_reservations_free (LkReservationTable *self);

/* Takes the texts apart. 0: `out` (transfer full) has neither number, nor name, nor nodes, nor
 * licences yet. */
LkReject lk_reservation_read (const LkReservationAsked *asked, LkAdvanceReservation **out);
void lk_reservation_free (LkAdvanceReservation *self);

/* Puts it into the table, which owns it from here; numbers rise. */
void lk_reservations_add (LkReservationTable *self, LkAdvanceReservation *added);
void lk_reservations_remove (LkReservationTable *self, LkAdvanceReservation *removed);
/* Nodes or flags of one have changed. */
void lk_reservations_changed (LkReservationTable *self);
/* Sets how many cores the whole nodes have. */
void lk_reservation_count_cores (const LkReservationTable *self, LkAdvanceReservation *item);
/* NULL: none. */
LkAdvanceReservation *lk_reservations_find (const LkReservationTable *self, const char *name,
                                            gsize name_bytes);
LkAdvanceReservation *lk_reservations_numbered (const LkReservationTable *self, guint32 number);

/* ---------------------------------------------------------------- time */

/* From when to when it counts, seen from now. */
void lk_reservation_span (const LkAdvanceReservation *self, gint64 now_us, gint64 *out_from_us,
                          gint64 *out_to_us);
/* The first occurrence behind this one that ends behind `now_us`. */
void lk_reservation_advance (LkAdvanceReservation *self, gint64 now_us);
/* Do occurrences of the coming week meet? */
gboolean lk_reservations_meet (const LkAdvanceReservation *a, const LkAdvanceReservation *b,
                               gint64 now_us);

/* ---------------------------------------------------------------- who */

gboolean lk_reservation_allows (const LkAdvanceReservation *self,
                                const LkReservationVisitor *visitor);
/* QOS and partition, which are looked at when a job is to start. */
gboolean lk_reservation_admits (const LkAdvanceReservation *self,
                                const LkReservationVisitor *visitor);

/* ---------------------------------------------------------------- what it leaves to others */

/* May a job in `inside` (NULL: in none) not use what this has, should it run from `from_us` to
 * `to_us`? */
gboolean lk_reservation_blocks (const LkAdvanceReservation *self,
                                const LkAdvanceReservation *inside, const LkWindow *window);
/* Is a job in it bound to its nodes? */
static inline gboolean
lk_reservation_binds (const LkAdvanceReservation *self)
{
  return self->nodes != NULL
         && (self->flags & (LK_RESERVATION_FLEX | LK_RESERVATION_ANY_NODES)) == 0;
}

/* Takes the nodes out of a set that the window's job may not have. */
void lk_reservations_mask (const LkWindow *window, guint64 *set);
/* Takes the nodes out of a set of which the window's job may have a part only. */
void lk_reservations_mask_partial (const LkWindow *window, guint64 *set);
/* Lowers what is free on a node to what the window's job may have of it. */
void lk_reservations_narrow (const LkWindow *window, guint32 node, LkNodeFree *free);
/* The first end of whole nodes set aside that the window meets; LK_TIME_NEVER: none. */
gint64 lk_reservations_next_us (const LkWindow *window);
/* Does it keep a job that holds this piece out, if at that time? */
gboolean lk_reservation_holds (const LkAdvanceReservation *self, const LkWindow *window,
                               const LkPiece *piece);
/* The first moment, not before that of the window, from which on whole nodes set aside do not keep
 * the window's job from this node; LK_TIME_NEVER: none. */
gint64 lk_reservations_clear_us (const LkWindow *window, guint32 node);
/* The next end, behind `after_us`, of something set aside on the node; LK_TIME_NEVER: none. */
gint64 lk_reservations_next_end_us (const LkWindow *window, guint32 node, gint64 after_us);

/* ---------------------------------------------------------------- bytes */

void lk_reservations_save (const LkReservationTable *self, GByteArray *out);
struct _LkCarry;
/* FALSE: the bytes are none that save writes. `carry`: of another machine; NULL: of this one. */
gboolean lk_reservations_load (LkReservationTable *self, const struct _LkCarry *carry,
                               LkBytesReader *reader);

/* Aborts unless every invariant holds. */
void lk_reservations_check (const LkReservationTable *self);

#endif
