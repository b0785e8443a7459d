/* sim/error.c — see error.h. */
#include "sim/error.h"

G_DEFINE_QUARK (lk - sim - error - quark, lk_sim_error)
