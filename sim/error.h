/* sim/error.h — the error domain of the simulator, its results and its verbs.
 *
 * The codes decide the exit status: USAGE is 2, everything else is 1. */
#ifndef LK_SIM_ERROR_H
#define LK_SIM_ERROR_H

#include <glib.h>

#define LK_SIM_ERROR (lk_sim_error_quark ())
GQuark lk_sim_error_quark (void);
typedef enum {
  LK_SIM_ERROR_USAGE,  /* an option or argument is wrong */
  LK_SIM_ERROR_READ,   /* a file cannot be opened or read */
  LK_SIM_ERROR_WRITE,  /* a file cannot be created or written: permissions, disk full */
  LK_SIM_ERROR_FORMAT, /* a file is not what it should be */
  LK_SIM_ERROR_RUN,    /* a simulation cannot go on */
} LkSimError;

#endif
