/* sim/command_accounts.h — accounts in a script of commands, as they stand when one runs: who is
 * whose, and lines of sacctmgr as events. */
#ifndef LK_SIM_COMMAND_ACCOUNTS_H
#define LK_SIM_COMMAND_ACCOUNTS_H

#include <glib.h>

#include "sim/driver.h"
#include "traces/command_script.h"

/* NULL: it was taken; else why it was not, put into `texts`. Of a line that says several things
 * those before the one that is refused have been taken. */
const char *lk_command_accounts (const LkCommand *command, const LkSimControl *control,
                                 GStringChunk *texts);

/* May the user do everything: root, and who has an AdminLevel. */
gboolean lk_command_is_admin (const LkSimControl *control, const char *user);
/* Of a job in the system; "": none. */
const char *lk_command_account_of (const LkSimControl *control, LkJobIndex job);
const char *lk_command_qos_of (const LkSimControl *control, LkJobIndex job);

#endif
