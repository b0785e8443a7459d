/* sim/machine_guess.h — how large the machine of a log must have been, when nothing says so.
 *
 * It had at least as many processors as were in use at once.  Of a log that does not say when its
 * jobs started only the largest job is known. */
#ifndef LK_SIM_MACHINE_GUESS_H
#define LK_SIM_MACHINE_GUESS_H

#include <glib.h>

#include "traces/reader.h"

typedef struct {
  gint64 procs;    /* 0: no job that ran has a size */
  gboolean is_use; /* the most processors in use at once; else those of the largest job */
} LkMachineGuess;

/* Reads all of the log. Memory: 32 bytes a job. */
gboolean lk_machine_guess (LkTraceReader *reader, LkMachineGuess *out_guess, GError **error);

#endif
