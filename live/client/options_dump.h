/* live/client/options_dump.h — the options of a command as lines for programs: manual pages and
 * completion are made of them (scripts/manual), so that they know what the parser knows.
 *
 * Fields are parted by tabs:
 *   command  NAME  HELP
 *   usage    TEXT
 *   option   NAME  LETTER|-  no|yes|may (a value)  acted|harmless|refused  HELP
 *   word     KIND  NAME  acted|harmless|refused  HELP        of commands that have words
 *
 * Not here: which options there are (each command's own table). */
#ifndef LK_LIVE_CLIENT_OPTIONS_DUMP_H
#define LK_LIVE_CLIENT_OPTIONS_DUMP_H

#include "live/client/options.h"

/* The word that asks a command for them; not in --help. */
#define LK_OPTIONS_DUMP "--dump-options"

/* Is it the only argument? */
gboolean lk_options_dump_is_wanted (int argc, char **argv);

void lk_options_dump_usage (const LkClient *client, const char *usage);
void lk_options_dump_option (const LkClient *client, const LkClientOption *option);
void lk_options_dump_word (const LkClient *client, const char *kind, const char *name,
                           LkOptionClass class, const char *help);
/* Usage and options of a table, --help and its like included. */
void lk_options_dump (const LkClient *client, const LkOptionSet *set);

/* Every command, and what it tells of itself. Returns: the exit code. */
int lk_options_dump_commands (FILE *out);

#endif
