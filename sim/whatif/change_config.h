/* sim/whatif/change_config.h — the configuration that is in force with some of it changed, as the
 * event that brings it into force. */
#ifndef LK_SIM_WHATIF_CHANGE_CONFIG_H
#define LK_SIM_WHATIF_CHANGE_CONFIG_H

#include <glib.h>

#include "sim/whatif/state.h"

typedef struct {
  char **sets;      /* see LkChangeOptions; NULL: none */
  const char *conf; /* a slurm.conf, of which the sets are then changes; NULL: what is in force */
} LkConfigChange;

/* Appends the event to `out_event`, nothing where all is so already, and to `lines` (of char*) what
 * changes. */
gboolean lk_config_change (const LkWhatifState *state, const LkConfigChange *wanted,
                           GByteArray *out_event, GPtrArray *lines, GError **error);

#endif
