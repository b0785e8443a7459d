/* tests/live/commands_test.c — the table of commands, and the page about them. */
#include "live/client/commands.h"

#include <string.h>

#include "live/client/accounting/sacct.h"
#include "live/client/sacctmgr/sacctmgr.h"
#include "live/client/submit/sbatch.h"
#include "live/client/queue/scancel.h"
#include "live/client/scontrol/scontrol.h"
#include "tests/live/client_site.h"
#include "traces/job_options_private.h"

static void
test_table (void)
{
  for (const LkClientCommand *at = lk_client_commands; at->name != NULL; at++)
    g_assert_true (lk_client_command_find (at->name) == at);
  g_assert_null (lk_client_command_find ("frobnicate"));
}

/* What the engine does not act on is refused, not taken. */
static void
test_classes (void)
{
  g_autoptr (GStringChunk) texts = g_string_chunk_new (256);
  for (guint i = 0; i < lk_job_option_count; i++) {
    const LkJobOption *option = &lk_job_options[i];
    const char *why;
    LkJobOptions options;
    LkSbatchClass class = lk_sbatch_option_class (option->name, &why);
    g_autofree char *word = option->value == LK_JOB_VALUE_NEEDED
                                ? g_strdup_printf ("--%s=1", option->name)
                                : g_strdup_printf ("--%s", option->name);
    const char *argv[] = { word, NULL };
    g_assert_true ((class == LK_SBATCH_HARMLESS || class == LK_SBATCH_REFUSED) == (why != NULL));
    /* The commands put in their place what they say: a file names nodes. */
    gboolean is_settled =
        strcmp (option->name, "nodefile") == 0 || strcmp (option->name, "tres-per-task") == 0;
    if (!is_settled && lk_job_options_parse (argv, texts, &options, NULL)
        && options.unsupported_beside_terms != NULL)
      g_assert_cmpint (class, ==, LK_SBATCH_REFUSED);
  }
}

static void
test_page (void)
{
  static void (*const tables[]) (GString *) = {
    lk_sbatch_markdown, lk_scancel_markdown, lk_scontrol_markdown, lk_sacctmgr_markdown,
    lk_sacct_markdown,  lk_sprio_markdown,   lk_sshare_markdown,   lk_sreport_markdown,
    lk_sdiag_markdown,  lk_seff_markdown,    lk_squeue_markdown,   lk_sinfo_markdown,
    lk_sstat_markdown,  lk_sbcast_markdown
  };
  g_autofree char *path = g_build_filename (LK_SOURCE_DIR, "docs", "commands.md", NULL);
  g_autofree char *page = NULL;
  g_assert_true (g_file_get_contents (path, &page, NULL, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++) {
    g_autoptr (GString) table = g_string_new (NULL);
    tables[i](table);
    if (strstr (page, table->str) == NULL)
      g_test_message ("%s", table->str);
    g_assert_nonnull (strstr (page, table->str));
  }
  for (const LkClientCommand *at = lk_client_commands; at->name != NULL; at++) {
    g_autofree char *row = g_strdup_printf ("| `%s` | %s |", at->name, at->help);
    g_assert_nonnull (strstr (page, row));
  }
}

/* docs/variables.md tells which variables are options. */
static void
test_variables (void)
{
  static void (*const tables[]) (GString *) = { lk_sbatch_variables_markdown,
                                                lk_salloc_variables_markdown,
                                                lk_srun_variables_markdown };
  g_autofree char *path = g_build_filename (LK_SOURCE_DIR, "docs", "variables.md", NULL);
  g_autofree char *page = NULL;
  g_assert_true (g_file_get_contents (path, &page, NULL, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++) {
    g_autoptr (GString) table = g_string_new (NULL);
    tables[i](table);
    if (strstr (page, table->str) == NULL)
      g_test_message ("%s", table->str);
    g_assert_nonnull (strstr (page, table->str));
  }
}

/* The list of squeue's -j may stand in a word of its own. */
static void
test_jobs (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_run (site, "sbatch -n6 -t5 --wrap true");
  client_site_run (site, "sbatch -n6 -t5 --wrap true");
  client_site_expect (site, "squeue -h -j 1 -o %i,%t", 0, "1,R\n", "");
  client_site_expect (site, "squeue -h -j2 -o %i,%t", 0, "2,PD\n", "");
  client_site_expect (site, "squeue -h --jobs 1,2 -o %i -S i", 0, "1\n2\n", "");
}

/* Each message is counted by its kind and by its user, and from zero behind a reset. */
static void
test_counted (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  for (guint i = 0; i < 3; i++)
    client_site_run (site, "sbatch -n6 -t5 --wrap true");
  client_site_run (site, "scontrol hold 2");
  client_site_run (site, "scancel 3");
  g_assert_cmpint (client_site_run (site, "sdiag"), ==, 0);
  static const char *const parts[] = {
    "\tREQUEST_SUBMIT_BATCH_JOB                ( 4003) count:3      ave_time:",
    "\tREQUEST_UPDATE_JOB                      ( 3001) count:1      ave_time:",
    "\tREQUEST_KILL_JOB                        ( 5032) count:1      ave_time:",
    "\nRemote Procedure Call statistics by user\n\t1001            (    1001) count:",
  };
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    g_assert_nonnull (strstr (site->out, parts[i]));
  client_site_become (site, 0);
  g_assert_cmpint (client_site_run (site, "sdiag --reset"), ==, 0);
  g_assert_cmpint (client_site_run (site, "sdiag"), ==, 0);
  g_assert_null (strstr (site->out, "REQUEST_SUBMIT_BATCH_JOB"));
  g_assert_null (strstr (site->out, "(    1001)"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/commands/each is found by its name", test_table);
  g_test_add_func ("/commands/variables stand on their page", test_variables);
  g_test_add_func ("/commands/an option that nothing acts on is refused", test_classes);
  g_test_add_func ("/commands/squeue takes a list of jobs as Slurm's does", test_jobs);
  g_test_add_func ("/commands/sdiag has counted all messages", test_counted);
  g_test_add_func ("/commands/the page has the tables", test_page);
  return g_test_run ();
}
