/* traces/job_options.h — a list of arguments as for sbatch, to what the job asks for.
 *
 * Knows every option of sbatch 22.05 and the later ones that matter to placement.  They fall in
 * three: those that are part of a request, those that would change when or where a job runs but
 * that nothing here acts on (named in `unsupported`, so that it can be reported), and those that
 * have nothing to do with either, such as --output, which are checked for having a value and passed
 * over.
 *
 * As sbatch does: long names may be cut short while they stay unambiguous, their value stands
 * behind "=" or is the next argument; short ones may be joined ("-n32", "-HN2"); the last of
 * several counts; options end at the script or at "--".  Then the options are brought in line with
 * each other, as sbatch and slurmctld do at submission: see traces/job_options.c.
 *
 * Not here: defaults of partitions, and whether a machine could ever do it: that is the engine's.
 *
 * Source: sbatch(1); src/common/slurm_opt.c, src/sbatch/opt.c and gres_job_state_validate of Slurm;
 * behaviour recorded with Debian's 22.05.8. */
#ifndef LK_TRACES_JOB_OPTIONS_H
#define LK_TRACES_JOB_OPTIONS_H

#include <glib.h>

#include "engine/codec.h"
#include "engine/request_cpus.h"
#include "traces/trace_error.h"

/* Texts live as long as the chunk that they were put into. */
typedef struct {
  LkJobRequest request;
  guint32 tasks;          /* of its steps; with --overcommit the request is of one on each node */
  guint32 tasks_per_node; /* likewise */
  guint32 nodes_cut_from; /* so many nodes were asked for, more than there are tasks; 0: not so */
  gboolean is_overcommitted;
  LkJobTerms terms;        /* begin_us and deadline_us are not in them: */
  const char *begin;       /* --begin and --deadline, as lk_job_moment_parse takes them; */
  const char *deadline;    /* NULL: not given */
  gint64 limit_us;         /* --time, whole minutes; LK_TIME_NEVER unlimited, -1 not given */
  const char *job_name;    /* NULL: not given */
  const char *user;        /* --uid, name or number; NULL: not given */
  const char *unsupported; /* long names of options not acted on: "begin,dependency"; NULL: none */
  const char *unsupported_beside_terms; /* the same, for who acts on the terms */
  guint argument_count;                 /* arguments before the script, a "--" included */
} LkJobOptions;

/* `argv` is NULL-terminated and begins with the first option. On failure `out_options` is untouched
 * and the error, of LK_TRACE_ERROR_SYNTAX, names the option, what was found and what was expected;
 * it is of LK_TRACE_ERROR_CONFLICT where each option can be read and they do not go together. */
gboolean lk_job_options_parse (const char *const *argv, GStringChunk *texts,
                               LkJobOptions *out_options, GError **error);

/* The components of a heterogeneous job, each behind a ":", or one.  One that is behind another has
 * its name, time limit, account and the like until it says otherwise, and asks for nodes of its
 * own. Appends LkJobOptions to `out_components`, on failure perhaps too few of them. */
gboolean lk_job_options_parse_components (const char *const *argv, GStringChunk *texts,
                                          GArray *out_components, GError **error);

/* Does the long name of an option begin so, up to a "="? `name` is without its dashes. */
gboolean lk_job_option_is_known (const char *name);

/* The words of a command line as a shell would take them apart, quotes and backslashes understood,
 * no expansion done. Returns: (transfer full), or NULL and an error; an empty line has no words. */
char **lk_job_options_split (const char *line, GError **error);

/* The options of arguments that could be parsed, of all components, each by its long name:
 * "--nodes=2", "--hold". Returns: (transfer full), NULL-terminated. */
char **lk_job_options_given (const char *const *argv);
/* The same of arguments that may be wrong, and of one component: it ends with a ":", the script,
 * behind a "--", or at the end; so many arguments are `out_count`.  Values are not looked at.
 * Returns: (transfer full); NULL and an error: an option is unknown, or lacks its value. */
char **lk_job_options_words (const char *const *argv, guint *out_count, GError **error);

/* An option that a site has beside those of sbatch, by its whole name. */
typedef struct {
  const char *name;
  guint value; /* 0: it has none, 1: it needs one, 2: it may have one */
} LkJobMoreOption;

/* lk_job_options_words, of which these are some more; `more` ends with a NULL name. */
char **lk_job_options_words_more (const char *const *argv, const LkJobMoreOption *more,
                                  guint *out_count, GError **error);

#endif
