/* tests/live/client/options_dump_test.c — what commands tell programs of their options. */
#include <string.h>

#include "live/client/submit/job_option_text.h"
#include "live/client/options_dump.h"
#include "live/client/options_help.h"
#include "live/client/submit/sbatch.h"
#include "traces/job_options_private.h"

static gboolean
take_nothing (gpointer user, const LkClientOption *option, const char *value)
{
  (void)user;
  (void)option;
  (void)value;
  g_assert_not_reached ();
}

static const LkClientOption options[] = {
  { "all", 'a', FALSE, LK_OPTION_ACTED_ON, "everything" },
  { "jobs", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_HARMLESS, "no matter" },
  { "uid", 'u', TRUE, LK_OPTION_REFUSED, "who asks is attested" },
  { "version", 'V', FALSE, LK_OPTION_ACTED_ON, "its own" },
};

static void
test_table (void)
{
  char *out_text = NULL;
  gsize out_bytes = 0;
  LkClient client = { .command = "x",
                      .out = open_memstream (&out_text, &out_bytes),
                      .err = stderr };
  LkOptionSet set = { .usage = "[OPTIONS] JOB",
                      .options = options,
                      .count = G_N_ELEMENTS (options),
                      .take = take_nothing };
  char *argv[] = { (char *)"x", (char *)LK_OPTIONS_DUMP, NULL };
  g_assert_cmpint (lk_options_parse (&client, &set, 2, argv), ==, -2);
  lk_options_dump_word (&client, "verb", "go", LK_OPTION_REFUSED, "not now");
  fclose (client.out);
  g_assert_cmpstr (out_text, ==,
                   "usage\t[OPTIONS] JOB\n"
                   "option\tall\ta\tno\tacted\teverything\n"
                   "option\tjobs\t-\tmay\tharmless\tno matter\n"
                   "option\tuid\tu\tyes\trefused\twho asks is attested\n"
                   "option\tversion\tV\tno\tacted\tits own\n"
                   "option\thelp\t-\tno\tacted\ttells the options, and ends\n"
                   "option\tusage\t-\tno\tacted\ttells in one line how it is called, and ends\n"
                   "word\tverb\tgo\trefused\tnot now\n");
  free (out_text);
}

/* What a command prints for `word`. Returns: (transfer full). */
static char *
told (const LkOptionSet *set, const char *word)
{
  char *text = NULL;
  gsize text_bytes = 0;
  LkClient client = { .command = "x", .out = open_memstream (&text, &text_bytes), .err = stderr };
  char *argv[] = { (char *)"x", (char *)word, NULL };
  g_assert_cmpint (lk_options_parse (&client, set, 2, argv), ==, -2);
  fclose (client.out);
  char *copy = g_strdup (text);
  free (text);
  return copy;
}

/* One name of those that share a letter; nothing that is refused, or that all commands have. */
static void
test_usage (void)
{
  static const LkClientOption known[] = {
    { "cluster", 'M', TRUE, LK_OPTION_ACTED_ON, "as --clusters" },
    { "clusters", 'M', TRUE, LK_OPTION_ACTED_ON, "which" },
    { "json", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, "as JSON" },
    { "nodes", 'N', TRUE, LK_OPTION_ACTED_ON, "how many" },
    { "uid", 'u', TRUE, LK_OPTION_REFUSED, "who asks is attested" },
    { "version", 'V', FALSE, LK_OPTION_ACTED_ON, "its own" },
  };
  LkOptionSet set = { .usage = "[OPTIONS] [job]",
                      .operands = "[job]",
                      .options = known,
                      .count = G_N_ELEMENTS (known),
                      .take = take_nothing,
                      .is_of_jobs = TRUE };
  g_autofree char *usage = told (&set, "--usage");
  g_autofree char *help = told (&set, "--help");
  g_assert_cmpstr (usage, ==, "Usage: x [-M VALUE] [--json] [-N N] [job]\n");
  g_assert_true (g_str_has_prefix (help, "Usage: x [OPTIONS] [job]\n\nOptions of the job"));
  g_assert_nonnull (strstr (help, "\n  -N, --nodes=N "));
  g_assert_nonnull (strstr (help, "\nConsumable resources related options:\n"));
  g_assert_nonnull (strstr (help, "\nHelp options:\n      --help "));
}

/* As those around accounting tell of themselves. */
static void
test_long_help (void)
{
  static const LkOptionHelp short_of = { .call = "[<OPTION>]",
                                         .title = "Valid <OPTION> values are:",
                                         .is_long = TRUE,
                                         .usage = "[options]" };
  static const LkOptionHelp all_of = { .call = "[OPTION...]", .title = "Valid OPTIONs are:" };
  LkOptionSet set = { .usage = "[OPTIONS]",
                      .options = options,
                      .count = 2,
                      .take = take_nothing,
                      .h_is_help = TRUE,
                      .help = &short_of };
  g_autofree char *usage = told (&set, "--usage");
  g_autofree char *help = told (&set, "-h");
  g_assert_cmpstr (usage, ==, "Usage: x [options]\n");
  g_assert_true (g_str_has_prefix (help, "x [<OPTION>]\n    Valid <OPTION> values are:\n"
                                         "     -a, --all:\n          everything\n"));
  set.help = &all_of;
  g_autofree char *all_usage = told (&set, "--usage");
  g_assert_true (g_str_has_prefix (all_usage, "Usage: x [OPTION...]\n    Valid OPTIONs are:\n"));
}

static void
test_alone (void)
{
  char *alone[] = { (char *)"x", (char *)"--dump-options", NULL };
  char *more[] = { (char *)"x", (char *)"--dump-options", (char *)"7", NULL };
  g_assert_true (lk_options_dump_is_wanted (2, alone));
  g_assert_false (lk_options_dump_is_wanted (3, more));
  g_assert_false (lk_options_dump_is_wanted (1, alone));
}

/* No option of a job is without a word. */
static void
test_texts (void)
{
  for (guint i = 0; i < lk_job_option_count; i++) {
    const char *why;
    const char *name = lk_job_options[i].name;
    lk_sbatch_option_class (name, &why);
    if (why == NULL && lk_job_option_text (name) == NULL)
      g_error ("nothing is said of --%s", name);
  }
  g_assert_null (lk_job_option_text ("nonesuch"));
}

/* Every command tells its table, without a controller. */
static void
test_commands (void)
{
  char *out_text = NULL;
  gsize out_bytes = 0;
  FILE *out = open_memstream (&out_text, &out_bytes);
  g_assert_cmpint (lk_options_dump_commands (out), ==, 0);
  fclose (out);
  g_assert_nonnull (strstr (out_text, "command\tsbatch\t"));
  g_assert_nonnull (strstr (out_text, "\noption\tpartition\tp\tyes\tacted\t"));
  g_assert_nonnull (strstr (out_text, "\nword\tcommand\thold\tacted\t"));
  g_assert_nonnull (strstr (out_text, "\nword\tkey of jobs\ttimelimit\tacted\t"));
  free (out_text);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/options dump/a table is told with what the parser takes itself", test_table);
  g_test_add_func ("/options dump/the word counts only alone", test_alone);
  g_test_add_func ("/options help/a usage names each option once", test_usage);
  g_test_add_func ("/options help/accounting tells of itself at length", test_long_help);
  g_test_add_func ("/options dump/every option of a job has a text", test_texts);
  g_test_add_func ("/options dump/every command tells its table", test_commands);
  return g_test_run ();
}
