/* live/client/scontrol/scontrol_setdebug.c — `scontrol setdebug LEVEL`: how much the controller
 * logs, until the configuration is read again.
 *
 * Source: scontrol(1); texts of scontrol 22.05. */
#include <string.h>

#include "live/client/refusal.h"
#include "live/client/scontrol/scontrol_more.h"
#include "live/core/port_log.h"

int
lk_scontrol_setdebug (LkClient *client, const LkScontrolOptions *unused, char **words)
{
  LkLogLevel level;
  guint16 refused = 0;
  g_autoptr (GError) error = NULL;
  (void)unused;
  if (words[1] == NULL || (words[2] != NULL && words[3] != NULL)) {
    fprintf (client->err, "too %s arguments for keyword:setdebug\n",
             words[1] == NULL ? "few" : "many");
    return LK_SCONTROL_FAILURE;
  }
  if (words[2] != NULL) {
    lk_client_error (client,
                     "setdebug: '%s' is not implemented: the level of agents is SlurmdDebug, which "
                     "they read with scontrol reconfigure",
                     words[2]);
    return LK_SCONTROL_FAILURE;
  }
  if (!lk_log_level_parse (words[1], &level)) {
    fprintf (client->err, "invalid debug level: %s\n", words[1]);
    return LK_SCONTROL_FAILURE;
  }
  if (!client->wire->log_level (client->wire_self, (guint8)level, &refused, &error)) {
    lk_client_error (client, "slurm_set_debug_level error: %s", error->message);
    return LK_SCONTROL_FAILURE;
  }
  if (refused != 0) {
    fprintf (client->err, "slurm_set_debug_level error: %s\n", lk_refusal_text (refused));
    return LK_SCONTROL_FAILURE;
  }
  return 0;
}
