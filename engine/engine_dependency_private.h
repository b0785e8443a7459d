/* engine/engine_dependency_private.h — jobs that wait for others, shared by the files
 * engine_dependency*.c only. */
#ifndef LK_ENGINE_ENGINE_DEPENDENCY_PRIVATE_H
#define LK_ENGINE_ENGINE_DEPENDENCY_PRIVATE_H

#include "engine/dependency.h"
#include "engine/dependents.h"
#include "engine/ended.h"
#include "engine/engine_array.h"
#include "engine/engine_private.h"
#include "engine/singleton.h"

struct _LkDependencies {
  LkDependency **of_job; /* by LkJobIndex; owned; NULL: none is left */
  guint32 job_limit;
  guint32 count;
  LkDependents *dependents;
  LkEnded *ended;
  LkSingletons *singletons; /* of all jobs in the system; NULL until a job asks for it */
  /* Of the event being applied. */
  GArray *changed;   /* of guint64, lk_awaited: what has started, ended or gone back */
  GArray *unsettled; /* of guint32, ids of jobs whose dependency may stand otherwise now */
  GArray *to_part;   /* of guint32, ids of arrays (engine_dependency_part.c); kept between events */
  gboolean is_deaf;
};

static inline LkDependency *
lk_dependencies_of (const LkEngine *self, LkJobIndex job)
{
  const LkDependencies *all = self->dependencies;
  return job < all->job_limit ? all->of_job[job] : NULL;
}

static inline LkJobIndex
lk_dependencies_find (const LkEngine *self, guint32 job_id)
{
  return lk_id_map_find (&self->jobs.index_by_id, job_id);
}

static inline gboolean
lk_dependencies_is_pending (const LkEngine *self, LkJobIndex job)
{
  return lk_engine_is_in_line (self, job) || self->jobs.phase[job] == LK_PHASE_HELD;
}

static inline LkSingletonKey
lk_dependencies_key (const LkEngine *self, LkJobIndex job)
{
  return (LkSingletonKey){ self->jobs.user_id[job], lk_terms_asked (self->jobs.terms[job])->name };
}

/* ---------------------------------------------------------------- the index */

/* Takes the dependency of a job that has none. */
void lk_dependencies_attach (LkEngine *self, LkJobIndex job, LkDependency *dependency);
/* Returns: (transfer full), NULL: it had none. */
LkDependency *lk_dependencies_detach (LkEngine *self, LkJobIndex job);
/* The moment of a condition, if it has one. */
void lk_dependencies_add_due (LkEngine *self, LkJobIndex waiter, const LkDependencyItem *item);
void lk_dependencies_remove_due (LkEngine *self, LkJobIndex waiter, const LkDependencyItem *item);
/* A condition is no longer in the index, if it still is. */
void lk_dependencies_remove_item (LkEngine *self, LkJobIndex waiter, const LkDependencyItem *item);

/* ---------------------------------------------------------------- verdicts */

typedef enum { LK_VERDICT_WAITS, LK_VERDICT_SATISFIED, LK_VERDICT_FAILED } LkVerdict;

/* What a condition says as things are; sets when it is due. */
LkVerdict lk_dependencies_judge (const LkEngine *self, LkJobIndex waiter, LkDependencyItem *item);

/* ---------------------------------------------------------------- tasks */

/* Can anything still happen to what is waited for? It is in the index exactly then. */
gboolean lk_dependencies_is_there (const LkEngine *self, const LkDependencyItem *item);
/* Is there, or was there lately, what is waited for? */
gboolean lk_dependencies_is_known (const LkEngine *self, const LkDependencyItem *item);
/* Has it an aftercorr that means another task for each task of the job's array? */
gboolean lk_dependencies_ask_tasks (const LkEngine *self, LkJobIndex job,
                                    const LkDependency *dependency);

/* Each aftercorr of a job that is one task means the task of the same index. */
void lk_dependencies_name_tasks (LkEngine *self, LkJobIndex job);
/* What the pending job, if it is there, is to be now. */
void lk_dependencies_settle (LkEngine *self, guint32 job_id);

/* ---------------------------------------------------------------- engine_dependency_part.c */

/* A job asks for tasks of its own: at once, or with the next look. */
void lk_dependencies_part (LkEngine *self, LkJobIndex job);
/* A job does not wait any more: more tasks of its array, if it has one, may be split off. */
void lk_dependencies_note_part (LkEngine *self, LkJobIndex job);
/* When all has been loaded. */
void lk_dependencies_find_parts (LkEngine *self);
void lk_dependencies_check_parts (const LkEngine *self);

/* ---------------------------------------------------------------- groups of names */

/* From here on the groups are kept, of all jobs in the system. */
void lk_dependencies_make_singletons (LkEngine *self);
gboolean lk_dependencies_ask_alone (const LkDependency *dependency);

#endif
