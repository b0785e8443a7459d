/* sim/settings_check.h — settings that need others, and those that exclude each other. */
#ifndef LK_SIM_SETTINGS_CHECK_H
#define LK_SIM_SETTINGS_CHECK_H

#include "sim/settings.h"

/* LK_SIM_ERROR_USAGE, naming the options. */
gboolean lk_settings_check_together (const LkSettings *self, GError **error);

#endif
