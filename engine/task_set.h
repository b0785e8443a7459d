/* engine/task_set.h — a set of tasks of an array, and the texts in which users write one.
 *
 * Tasks are small numbers (MaxArraySize), so the set is a bit for each: a million tasks are 125 kB
 * and come in at the cost of as many bytes.  Members are counted, and the lowest is found without a
 * walk over those that have left.  Source: sbatch(1) --array; scontrol(1) on task lists. */
#ifndef LK_ENGINE_TASK_SET_H
#define LK_ENGINE_TASK_SET_H

#include <glib.h>

#include "engine/bytes.h"
#include "engine/codec.h"

#define LK_TASK_NONE G_MAXUINT32
/* Largest index of a task, plus one, whatever a cluster allows: Slurm's largest MaxArraySize. */
#define LK_LIMIT_TASKS 4000001u

/* All zero: the empty set. */
typedef struct {
  guint64 *words; /* owned */
  guint32 word_count;
  guint32 count;
  guint32 low; /* no member is below it */
} LkTaskSet;

void lk_task_set_clear (LkTaskSet *self);
void lk_task_set_copy (const LkTaskSet *self, LkTaskSet *out_copy);
void lk_task_set_add (LkTaskSet *self, guint32 task);
/* The task is a member. */
void lk_task_set_remove (LkTaskSet *self, guint32 task);
gboolean lk_task_set_has (const LkTaskSet *self, guint32 task);
/* Lowest member; LK_TASK_NONE: the set is empty. Amortised O(1). */
guint32 lk_task_set_first (LkTaskSet *self);
/* Lowest member above `after`; LK_TASK_NONE: there is none. */
guint32 lk_task_set_next (const LkTaskSet *self, guint32 after);
/* How many members both have. */
guint32 lk_task_set_count_common (const LkTaskSet *self, const LkTaskSet *other);

/* Reads "0-7,9,20-30:2", also in brackets; every index is below `limit`.  FALSE: it cannot be read,
 * or says too much; then `out_set` is untouched. */
gboolean lk_task_set_parse (LkText text, guint32 limit, LkTaskSet *out_set);
/* The same with "%N" behind it, N tasks at most at once; 0: without limit, or none was given. */
gboolean lk_task_set_parse_array (LkText text, guint32 limit, LkTaskSet *out_set,
                                  guint32 *out_throttle);
/* "%N" alone. */
gboolean lk_task_set_parse_throttle (LkText text, guint32 *out_throttle);
/* As squeue writes it, without brackets: ranges, or first-last:step where all are so far apart. */
void lk_task_set_text (const LkTaskSet *self, GString *out);

void lk_task_set_save (const LkTaskSet *self, GByteArray *out);
/* FALSE: the bytes are none that save writes; then `out_set` is empty. */
gboolean lk_task_set_load (LkBytesReader *reader, LkTaskSet *out_set);

#endif
