/* engine/life.h — what has happened to a job since it was submitted, beyond start and end.
 *
 * A job that was never requeued, suspended or changed in its course has none, and costs nothing. */
#ifndef LK_ENGINE_LIFE_H
#define LK_ENGINE_LIFE_H

#include <glib.h>

#include "engine/bytes.h"

/* F (C type, member, type of the codec).  Times of a run are zeroed when it ends. */
#define LK_LIFE_FIELDS(F)                                                                          \
  F (guint32, restarts, u32)        /* runs that ended with a requeue */                           \
  F (guint32, launch_failures, u32) /* of these, that could not be launched */                     \
  F (gint64, limit_asked_us, i64)   /* time limit that its start has lowered; 0: it has not */     \
  F (gint64, suspended_us, i64)     /* how long the run was suspended, up to the last resume */    \
  F (gint64, suspend_us, i64)       /* suspended: since when */                                    \
  F (gint64, resume_us, i64)        /* when it was last resumed */                                 \
  F (guint8, has_resumed, u8)       /* 1: resume_us is valid */                                    \
  F (guint8, is_warned, u8)         /* 1: the signal before the limit has been sent */             \
  F (guint8, is_special, u8)        /* 1: pending as SPECIAL_EXIT */                               \
  F (guint8, in_grace, u8)          /* 1: its expected end is not that of its limit */             \
  F (guint8, in_turn, u8)           /* 1: suspended by the scheduler, which resumes it */          \
  F (guint8, is_extended, u8)       /* 1: its expected end is later than it was at the start */    \
  F (guint8, admin_limit, u8)       /* 1: an administrator has set its time limit */               \
  F (guint8, is_sigstopped, u8)     /* 1: running, and SIGSTOP was the last of STOP and CONT */

typedef struct {
#define F(type, name, wire) type name;
  LK_LIFE_FIELDS (F)
#undef F
  /* Suspended on nodes: its pieces with the cores that it has given to others, on no list. */
  guint32 stopped_piece;
} LkLife;

/* Nothing has happened. */
extern const LkLife lk_no_life;

/* Returns: (transfer full). */
LkLife *lk_life_new (void);

void lk_life_save (const LkLife *self, GByteArray *out);
/* FALSE: the bytes are none that save writes. `out_life` NULL: nothing has happened. */
gboolean lk_life_load (LkBytesReader *reader, LkLife **out_life);

#endif
