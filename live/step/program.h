/* live/step/program.h — runs a program and reads what it says, within bounds.
 *
 * For a process that is about to become a job, and may wait: it has no loop.  The program is in a
 * session of its own, so that all that it has started can be ended when time is up.  That a
 * process which it left behind keeps its output open holds up nobody. */
#ifndef LK_LIVE_STEP_PROGRAM_H
#define LK_LIVE_STEP_PROGRAM_H

#include <glib.h>

typedef struct {
  const char *const *arguments; /* the first is its path */
  const char *const *environment;
  gint64 time_max_us; /* LK_TIME_NEVER: without limit */
  gsize bytes_max;    /* what it says beyond is dropped */
  gboolean is_quiet;  /* what it says on standard error, too */
} LkProgram;

/* `out_status` as of wait(2). Returns: (transfer full), ends with a NUL that does not count; NULL:
 * it could not be started, or was ended for the time; see errno (ETIMEDOUT). */
GByteArray *lk_program_read (const LkProgram *program, int *out_status);

#endif
