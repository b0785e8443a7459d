/* tests/oracle/case_file.h — a cluster, and what is asked of it: the files cases/NAME.case.
 *
 * The same files drive a real Slurm (slurm_place), whose answers recording.h reads.  Their form is
 * described in README.md.  Texts of configuration files come out as they stand, without the case
 * file's comments; `try` comes out as the three steps that it is short for. */
#ifndef LK_TESTS_ORACLE_CASE_FILE_H
#define LK_TESTS_ORACLE_CASE_FILE_H

#include <glib.h>

typedef enum {
  LK_CASE_SUBMIT, /* `name`, `user`, `words`: options, as lk_job_options_parse takes them */
  LK_CASE_SETTLE,
  LK_CASE_END,  /* `words`: jobs */
  LK_CASE_NODE, /* `words`: nodes; `state` */
  LK_CASE_AT,   /* `at_us` */
} LkCaseVerb;

typedef struct {
  LkCaseVerb verb;
  guint line;   /* in the file, from 1 */
  char *name;   /* NULL where there is none, as the other texts */
  char *user;   /* NULL: the same for all that name none */
  char **words; /* NULL-terminated */
  char *state;  /* down, drain, fail, resume */
  gint64 at_us;
} LkCaseStep;

typedef struct {
  char *name; /* of the file, for messages */
  char *about;
  char *slurm; /* which Slurm it was recorded with: "22.05" */
  GString *slurm_conf;
  GString *gres_conf;
  GString *topology_conf;
  GString *accounts; /* commands of sacctmgr; empty: without accounts */
  GPtrArray *steps;  /* of LkCaseStep* */
} LkCaseFile;

/* Returns: (transfer full), or NULL and an error of LK_TRACE_ERROR that names the line. */
LkCaseFile *lk_case_file_new_from_bytes (const char *name, const char *bytes, gsize length_bytes,
                                         GError **error);
LkCaseFile *lk_case_file_load (const char *path, GError **error);
void lk_case_file_free (LkCaseFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkCaseFile, lk_case_file_free)

#endif
