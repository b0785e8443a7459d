/* engine/dependency.h — what a pending job waits for of other jobs, as a value.
 *
 * A dependency is a list of conditions, of which all must be satisfied, or with ? between them one.
 * A condition that is satisfied leaves the list for good; one that has failed stays failed,
 * whatever becomes of the other job.  Nothing here knows the engine: who waits for whom, and what
 * has become of the others, is engine_dependency.c.
 *
 * Source: sbatch(1) --dependency; semantics of Slurm's job_scheduler.c. */
#ifndef LK_ENGINE_DEPENDENCY_H
#define LK_ENGINE_DEPENDENCY_H

#include <glib.h>

#include "engine/bytes.h"
#include "engine/codec.h"

/* X (NAME, number, as users write it). */
#define LK_DEPENDENCY_TYPES(X)                                                                     \
  X (AFTER, 1, "after")             /* it has started, and some time has passed since */           \
  X (AFTER_ANY, 2, "afterany")      /* it has ended */                                             \
  X (AFTER_OK, 3, "afterok")        /* it has ended well */                                        \
  X (AFTER_NOT_OK, 4, "afternotok") /* it has ended, but not well */                               \
  X (AFTER_CORR, 5, "aftercorr")    /* its task of the same index has ended well */                \
  X (SINGLETON, 6, "singleton")     /* no earlier job of the same user and name is there */

#define X(NAME, number, text) LK_DEPENDENCY_##NAME = number,
typedef enum { LK_DEPENDENCY_TYPES (X) LK_DEPENDENCY_TYPE_LIMIT } LkDependencyType;
#undef X

/* One condition. */
typedef struct {
  guint32 job_id;  /* 0: singleton */
  guint32 task;    /* of the array of this id; LK_INDEX_NONE: the job, or all tasks */
  gint64 delay_us; /* of AFTER */
  gint64 due_us;   /* of AFTER: when it will be satisfied; LK_TIME_NEVER: the job has not started */
  guint8 type;     /* LkDependencyType */
  gboolean is_failed;
} LkDependencyItem;

typedef struct {
  GArray *items;        /* of LkDependencyItem; those that are not satisfied */
  guint32 failed_count; /* of them */
  gboolean is_any;      /* one of them will do */
} LkDependency;

/* Reads "type:id[_task][+minutes][:id...][,type:...]", or with ? instead of the commas; a type that
 * is left out is afterany.  An empty text, and 0, is no dependency: NULL.  FALSE: it cannot be
 * read, or asks for what is not done (expand, afterburstbuffer). */
gboolean lk_dependency_parse (LkText text, LkDependency **out_dependency);
LkDependency *lk_dependency_new (gboolean is_any);
void lk_dependency_free (LkDependency *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkDependency, lk_dependency_free)

static inline LkDependencyItem *
lk_dependency_item (const LkDependency *self, guint at)
{
  return &g_array_index (self->items, LkDependencyItem, at);
}

/* The condition leaves the list. TRUE: with it nothing more is waited for. */
gboolean lk_dependency_satisfy (LkDependency *self, guint at);
/* The condition has failed for good. */
void lk_dependency_fail (LkDependency *self, guint at);
/* It can never be satisfied. */
gboolean lk_dependency_is_failed (const LkDependency *self);

/* As squeue writes what is left of it: afterok:7(unfulfilled),... */
void lk_dependency_text (const LkDependency *self, GString *out);

void lk_dependency_save (const LkDependency *self, GByteArray *out);
/* NULL: the bytes are none that save writes. */
LkDependency *lk_dependency_load (LkBytesReader *reader);

#endif
