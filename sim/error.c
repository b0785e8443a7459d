/* sim/error.c — see error.h. */
#include "sim/error.h"

GQuark
lk_sim_error_quark (void)
{
  return g_quark_from_static_string ("lk-sim-error-quark");
}
