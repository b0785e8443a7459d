/* live/client/options_help.h — what --help and --usage tell of a command, from its options.
 *
 * Most commands have a line for each option below --help, and all their options within brackets
 * below --usage.  Those around accounting, and scontrol, have "Valid <OPTION> values are:" and a
 * name with its text below it.  Scripts look for such words, which are Slurm's; the texts are ours.
 *
 * Not here: the options themselves (each command's own table), and their values (options.h). */
#ifndef LK_LIVE_CLIENT_OPTIONS_HELP_H
#define LK_LIVE_CLIENT_OPTIONS_HELP_H

#include "live/client/options.h"

/* How a command tells of itself, where that is not as with most. */
struct _LkOptionHelp {
  /* First line of --help, behind the name: "[<OPTION>] [<COMMAND>]"; NULL: only `usage` counts. */
  const char *call;
  const char *title;        /* above the options */
  gboolean is_long;         /* "-j, --jobs:", and its text on a line below */
  const char *usage;        /* what --usage tells; NULL: all that --help does */
  void (*more) (FILE *out); /* behind the options; NULL: nothing */
};

/* --help. */
void lk_options_help (const LkClient *client, const LkOptionSet *set);
/* --usage. */
void lk_options_usage (const LkClient *client, const LkOptionSet *set);

#endif
