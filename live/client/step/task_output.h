/* live/client/step/task_output.h — what tasks write, on its way to a file or a terminal.
 *
 * Whole lines are labelled with the number of their task; what a task has left without the end of a
 * line stays until that comes, or until the task's output is at its end, unless it is unbuffered:
 * then each piece is a line of its own, as Slurm has it.  Without labels everything goes on as it
 * comes.
 *
 * Whoever has handed bytes over is told when they are out of the way, so that nobody sends more
 * than what is read: an output that blocks holds the tasks up, and not srun. */
#ifndef LK_LIVE_CLIENT_STEP_TASK_OUTPUT_H
#define LK_LIVE_CLIENT_STEP_TASK_OUTPUT_H

#include <glib.h>

#include "live/port/loop.h"

typedef struct _LkTaskOutput LkTaskOutput;

typedef struct {
  LkLoop *loop;
  int fd; /* stays open; -1: all is dropped */
  guint32 task_count;
  gboolean is_labelled;
  gboolean is_unbuffered;
  /* So many bytes of `source` are out of the way. NULL: nobody wants to know. */
  void (*taken) (gpointer user, guint source, guint32 count_bytes);
  gpointer user;
} LkTaskOutputOptions;

/* Returns: (transfer full). */
LkTaskOutput *lk_task_output_new (const LkTaskOutputOptions *options);
/* What has not been written yet is lost. */
void lk_task_output_free (LkTaskOutput *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTaskOutput, lk_task_output_free)

/* Bytes that a task has written; `source` is the number that `taken` gets. */
void lk_task_output_write (LkTaskOutput *self, guint source, guint32 task, const guint8 *bytes,
                           gsize length_bytes);
/* Nothing more comes of a task: a line without an end is ended. */
void lk_task_output_end (LkTaskOutput *self, guint32 task);
gboolean lk_task_output_is_empty (const LkTaskOutput *self);
/* 0, or the errno of the write that has failed: from then on all is dropped. */
int lk_task_output_failure (const LkTaskOutput *self);

#endif
