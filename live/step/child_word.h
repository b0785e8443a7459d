/* live/step/child_word.h — what a child of the keeper says before it is what it is to be: what
 * keeps it from that, and where its errors go.
 *
 * The user's files are opened with his rights, by the child; the keeper has the one for errors from
 * there, to say in it what has become of the job. */
#ifndef LK_LIVE_STEP_CHILD_WORD_H
#define LK_LIVE_STEP_CHILD_WORD_H

#include "live/port/run_folder.h"

/* All zero but for `stream` and `error_file`, which are -1: nothing is said. */
typedef struct {
  int stream; /* from the child */
  gboolean has_failed;
  LkExit how; /* if it has */
  /* -1: not said.  The keeper exits without closing it: close(2) can wait for ever for the server
   * of a network file. */
  int error_file;
} LkChildWord;

/* For one child; `error_file` is kept.  The other end, which is the child's, is gone once it runs a
 * program. FALSE: see errno. */
gboolean lk_child_word_begin (LkChildWord *self, int *out_child);
void lk_child_word_end (LkChildWord *self);
/* All that it has said by now. */
void lk_child_word_hear (LkChildWord *self);

/* In the child. FALSE: it cannot. */
gboolean lk_child_word_fail (int stream, const LkExit *how);
void lk_child_word_error_file (int stream, int file);

#endif
