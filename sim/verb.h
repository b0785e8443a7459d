/* sim/verb.h — what the verbs of `lockstep` have in common. */
#ifndef LK_SIM_VERB_H
#define LK_SIM_VERB_H

#include <glib.h>

#include "policies/registry.h"

#define LK_EXIT_FAILURE 1
#define LK_EXIT_USAGE 2
#define LK_EXIT_DIFFERS 3 /* a replay made another decision than the recorded one */

/* Prints `lockstep VERB: MESSAGE` on standard error and returns the exit code that fits the error:
 * 2 for a wrong command line, option or policy name, 1 for anything else. */
int lk_verb_fail (const char *verb, const GError *error);

/* A file of a command line, as messages name it: "--markdown", "CONF". */
typedef struct {
  const char *what;
  const char *path; /* NULL or "-": none */
  /* NULL, or the files of the directory `path` that are meant; ends with NULL. */
  const char *const *names;
  gboolean is_written;
} LkVerbFile;

/* No file that is written may be another one of `files`, by whatever path: to write it would
 * destroy what is read. Devices and pipes may. An error is LK_SIM_ERROR_USAGE. */
gboolean lk_verb_check_files (const LkVerbFile *files, gsize count, GError **error);

/* A registry with the built-in policies and these plugins (NULL or NULL-terminated paths). Returns:
 * (transfer full). */
LkRegistry *lk_verb_registry (char **plugins, GError **error);

/* Parses a command line; `--help` prints and exits. Returns: (transfer full) what is no option,
 * `count_min` to `count_max` arguments, NULL-terminated; NULL on failure. */
char **lk_verb_parse (GOptionContext *context, int argc, char **argv, guint count_min,
                      guint count_max, GError **error);

/* One of the things that a verb does. */
typedef struct {
  const char *name;
  gboolean (*run) (int argc, char **argv, GError **error); /* argv[0] is its name */
  const char *help;
} LkSubverb;

/* A verb that only has such. */
typedef struct {
  const char *verb;
  const char *usage; /* behind "lockstep VERB SUBVERB": "[OPTIONS] FILE" */
  const char *summary;
  const LkSubverb *subverbs;
  gsize count;
} LkSubverbs;

/* Runs the one that argv[1] names, or prints the list for --help. Returns the exit code. */
int lk_verb_dispatch (const LkSubverbs *self, int argc, char **argv);

#endif
