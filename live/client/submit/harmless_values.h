/* live/client/submit/harmless_values.h — values of options that change nothing here.
 *
 * They are held to what the options take all the same, so that a script that passes here is not
 * refused where they count. */
#ifndef LK_LIVE_CLIENT_SUBMIT_HARMLESS_VALUES_H
#define LK_LIVE_CLIENT_SUBMIT_HARMLESS_VALUES_H

#include "live/client/client.h"

/* 0, or the exit code: told. `value` NULL: there is none. */
int lk_harmless_value_check (const LkClient *client, const char *option, const char *value);

#endif
