/* engine/singleton.h — the jobs of one user under one name: which of them may run alone.
 *
 * A group is all jobs in the system of one user and name.  Its next is the pending job of the least
 * id, as long as none of the group runs: the only one that waits for nobody before it.
 *
 * Source: sbatch(1) --dependency=singleton; semantics of Slurm's job_scheduler.c. */
#ifndef LK_ENGINE_SINGLETON_H
#define LK_ENGINE_SINGLETON_H

#include <glib.h>

#include "engine/codec.h"

typedef struct _LkSingletons LkSingletons;

typedef struct {
  guint32 user_id;
  LkText name;
} LkSingletonKey;

LkSingletons *lk_singletons_new (void);
void lk_singletons_free (LkSingletons *self);
/* A job comes into the group, pending or running. */
void lk_singletons_join (LkSingletons *self, LkSingletonKey key, guint32 job_id,
                         gboolean is_running);
/* A job of the group leaves it. */
void lk_singletons_leave (LkSingletons *self, LkSingletonKey key, guint32 job_id);
/* 0: there is none. */
guint32 lk_singletons_next (const LkSingletons *self, LkSingletonKey key);
/* Is the job in the group, and as it is said to be? */
gboolean lk_singletons_has (const LkSingletons *self, LkSingletonKey key, guint32 job_id,
                            gboolean is_running);
guint32 lk_singletons_count (const LkSingletons *self);

#endif
