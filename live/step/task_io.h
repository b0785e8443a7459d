/* live/step/task_io.h — what the tasks of a step write, and what they read: pipes and terminals
 * between them and whoever listens.
 *
 * Nothing is read from a task unless whoever listens has room for all of it; what is to be read by
 * tasks is bounded by whoever sends it, who is told when all that were to have it have read it, or
 * are gone. */
#ifndef LK_LIVE_STEP_TASK_IO_H
#define LK_LIVE_STEP_TASK_IO_H

#include "live/core/bytes.h"
#include "live/core/step_frame.h"
#include "live/port/loop.h"

typedef struct _LkTaskIo LkTaskIo;

/* Called from the loop. Tasks by their index here. */
typedef struct {
  /* Is there room for LK_STEP_CHUNK_BYTES? */
  gboolean (*has_room) (gpointer user);
  void (*wrote) (gpointer user, guint index, gboolean is_error, LkBytes bytes);
  /* Nothing more of both. */
  void (*fell_silent) (gpointer user, guint index);
  /* So much of what `source` has sent is read, or nobody wants it. */
  void (*was_read) (gpointer user, gpointer source, guint32 count_bytes);
  gpointer user;
} LkTaskIoOps;

/* `by_line`: what is no whole line yet is held back, as long as there is room. */
LkTaskIo *lk_task_io_new (LkLoop *loop, guint task_count, gboolean by_line, const LkTaskIoOps *ops);
/* Closes what is open. */
void lk_task_io_free (LkTaskIo *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkTaskIo, lk_task_io_free)

/* The ends of a task that are ours, from here on; -1: it has none. `output` and `input` may be the
 * same file: a terminal. `label` goes before each line of what is written to these files, and
 * nobody is told of it: NULL without. FALSE: see errno. */
typedef struct {
  int output;
  int error;
  int input;
  int output_file; /* what was written goes there; -1: to whoever listens */
  int error_file;
  char label[16]; /* before each line in files; "": nothing */
} LkTaskEnds;
gboolean lk_task_io_add (LkTaskIo *self, guint index, const LkTaskEnds *ends);

/* There is room again. */
void lk_task_io_go_on (LkTaskIo *self);
/* For a task, or all that have an input: LK_STEP_ALL. `source` is told by was_read. */
void lk_task_io_put (LkTaskIo *self, guint index, LkBytes bytes, gpointer source);
/* Nothing more will come. */
void lk_task_io_end_input (LkTaskIo *self, guint index);
/* It has ended: it reads nothing more. What it has written may still come. */
void lk_task_io_task_ended (LkTaskIo *self, guint index);
/* It will not be told of any more. */
void lk_task_io_forget_source (LkTaskIo *self, gpointer source);
/* Has it fallen silent? */
gboolean lk_task_io_is_silent (const LkTaskIo *self, guint index);

#endif
