/* sim/settings_check.c — see settings_check.h. */
#include "sim/settings_check.h"

#include <string.h>

#include "sim/duration.h"
#include "sim/error.h"

gboolean
lk_settings_check_together (const LkSettings *self, GError **error)
{
  if (self->failures != NULL && self->cluster_name == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "--failures needs --cluster");
    return FALSE;
  }
  if (self->reservations != NULL
      && (self->cluster_name == NULL || self->tie_rule == LK_TIE_SEQUENTIAL)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--reservations needs --cluster, and has no place beside --tie-rule sequential");
    return FALSE;
  }
  if (self->has_sample && self->cluster_name == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "--sample needs --cluster");
    return FALSE;
  }
  if (self->trace.procs != 0 && self->cluster_name != NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--procs and --cluster both say how large the machine is; give one");
    return FALSE;
  }
  if (self->limits != NULL && self->accounts == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "--limits needs --accounts");
    return FALSE;
  }
  if (self->has_compat && self->accounts == NULL && self->cluster_name == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "--compat needs --cluster or --accounts");
    return FALSE;
  }
  if (self->at != NULL && self->show == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "--at needs --show");
    return FALSE;
  }
  if (self->shake_count > 0
      && (self->out_path == NULL || self->trace_path == NULL
          || strcmp (self->trace_path, "-") == 0)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--shake needs --out, and a TRACE that can be read several times");
    return FALSE;
  }
  if (self->has_shake_by && (self->shake_count == 0 || self->shake_by_us < G_USEC_PER_SEC)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--shake-by needs --shake, and a time from 1s on");
    return FALSE;
  }
  if (self->users.is_closed && self->show != NULL && self->at == NULL) {
    g_set_error (
        error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
        "--show needs --at beside --users closed, where nobody knows which submit is last");
    return FALSE;
  }
  if (!lk_duration_check (self->json, error))
    return FALSE;
  if ((self->trace_path == NULL) == (self->commands == NULL)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 self->commands == NULL ? "expected a TRACE; see --help"
                                        : "--commands and TRACE both say what is run; give one");
    return FALSE;
  }
  return TRUE;
}
