/* live/client/options.h — options of a command: long names, which may be cut short, and letters,
 * before and behind what is no option, as getopt_long(3) has it.
 *
 * Which options there are, what they are for, and which of them are harmless, is in one table for
 * each command, from which --help comes too. */
#ifndef LK_LIVE_CLIENT_OPTIONS_H
#define LK_LIVE_CLIENT_OPTIONS_H

#include "live/client/client.h"

typedef enum {
  LK_OPTION_ACTED_ON,
  LK_OPTION_HARMLESS, /* taken, and changes nothing */
  LK_OPTION_REFUSED,  /* an error that says so */
} LkOptionClass;

/* FALSE: it has no value; TRUE: it needs one; or it may have one, which is then part of its word:
 * "--jobs=7", "-j7". */
#define LK_OPTION_VALUE_MAY 2

typedef struct {
  const char *name;
  char letter;   /* '\0': none */
  int has_value; /* as above */
  LkOptionClass class;
  const char *help; /* what it does; why it is harmless, or refused */
} LkClientOption;

/* Called for each option; `value` is NULL when it has none. FALSE: told, and it is over. */
typedef gboolean (*LkOptionTake) (gpointer user, const LkClientOption *option, const char *value);

/* options_help.h */
typedef struct _LkOptionHelp LkOptionHelp;

typedef struct {
  const char *usage;    /* "[OPTIONS] JOB..." */
  const char *operands; /* behind the options in --usage: "[job_id]"; NULL: nothing */
  const LkClientOption *options;
  guint count;
  LkOptionTake take;
  gpointer user;
  /* The first word that is no option ends them: what is behind it belongs to a program. */
  gboolean ends_at_operand;
  gboolean h_is_help;       /* -h is --help */
  gboolean is_of_jobs;      /* --help has sections, and names of values: job_option_help.h */
  const LkOptionHelp *help; /* NULL: as most commands tell of themselves */
  /* From this one on they are of plugins, and stand apart in --help; 0: none is. */
  guint plugin_first;
} LkOptionSet;

/* Takes the options of a command, and moves what is none behind argv[0]. Returns: how many those
 * are; -1: something is wrong, told; -2: --help or --version, told. */
int lk_options_parse (const LkClient *client, const LkOptionSet *set, int argc, char **argv);
/* The table for docs/commands.md. */
void lk_options_markdown (const LkClientOption *options, guint count, GString *out);

#endif
