/* tests/live/launch/salloc_test.c — salloc: what it asks for, what it tells, what its program is
 * told, and how it ends.  The controller is in the same process; programs are real. */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "live/core/batch.h"
#include "tests/live/client_site.h"

/* The last submit, and what went with it. */
static LkEvent_submit
submitted (ClientSite *site, LkBatch *out_batch)
{
  LkEvent event;
  LkMessage note;
  const char *fault;
  const guint8 *bytes;
  gsize length_bytes;
  LkJournalHeader header;
  LkEvent_submit submit = { 0 };
  const GByteArray *journal = control_file (site->control, LK_CONTROLLER_JOURNAL);
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (journal->data, journal->len, &header, &fault);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT) {
    if (event.kind == LK_EVENT_SUBMIT)
      submit = event.submit;
    while (lk_journal_reader_note (reader, &bytes, &length_bytes))
      if (lk_message_decode_kept (bytes, length_bytes, &note)
          && note.kind == LK_MESSAGE_KEPT_REQUEST && note.kept_request.payload.length_bytes > 0)
        g_assert_true (lk_batch_decode (note.kept_request.payload.bytes,
                                        note.kept_request.payload.length_bytes, out_batch));
  }
  return submit;
}

static gboolean
says (LkText text, const char *expected)
{
  return text.length_bytes == strlen (expected)
         && memcmp (text.bytes, expected, text.length_bytes) == 0;
}

static void
test_allocation (void)
{
  LkBatch batch;
  g_autoptr (ClientSite) site = client_site_new ();
  g_assert_cmpint (client_site_run (site, "salloc -N2 -t5 --no-shell"), ==, 0);
  g_assert_cmpstr (site->err, ==,
                   "salloc: Granted job allocation 1\nsalloc: Nodes n[1-2] are ready for job\n");
  LkEvent_submit submit = submitted (site, &batch);
  g_assert_cmpuint (submit.nodes_min, ==, 2);
  g_assert_cmpint (submit.estimate_us, ==, 300 * G_USEC_PER_SEC);
  g_assert_true (says (submit.name, "interactive"));
  g_assert_cmpuint (batch.kind, ==, LK_BATCH_KIND_ALLOCATION);
  g_assert_cmpuint (batch.script.length_bytes, ==, 0);
}

static void
test_variables (void)
{
  static char *variables[] = { (char *)"SALLOC_TIMELIMIT=9",  (char *)"SALLOC_JOB_NAME=env",
                               (char *)"SALLOC_REQ_SWITCH=1", (char *)"SALLOC_WAIT4SWITCH=5",
                               (char *)"SALLOC_NO_BELL=no",   NULL };
  LkBatch batch;
  g_autoptr (ClientSite) site = client_site_new ();
  site->client.environment = variables;
  g_assert_cmpint (client_site_run (site, "salloc -J line -Q --no-shell"), ==, 0);
  g_assert_cmpstr (site->err, ==, "");
  LkEvent_submit submit = submitted (site, &batch);
  g_assert_cmpint (submit.estimate_us, ==, 540 * G_USEC_PER_SEC);
  g_assert_true (says (submit.name, "line"));
  g_assert_cmpuint (submit.switches, ==, 1);
}

/* Runs salloc with a script as its program. Returns: the exit code. */
static int
run_script (ClientSite *site, const char *options, const char *script, const char *arguments)
{
  g_autofree char *folder = g_dir_make_tmp ("lk-salloc-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "script", NULL);
  g_autofree char *line = g_strdup_printf ("salloc %s sh %s %s", options, path, arguments);
  g_assert_true (g_file_set_contents (path, script, -1, NULL));
  int code = client_site_run (site, line);
  g_remove (path);
  g_rmdir (folder);
  return code;
}

/* Words behind the program are the program's. */
static void
test_program (void)
{
  static const char script[] =
      "echo $SLURM_JOB_ID $SLURM_NTASKS $SLURM_JOB_NUM_NODES $SLURM_JOB_NODELIST "
      "$SLURM_TASKS_PER_NODE $SLURM_JOB_CPUS_PER_NODE $SLURM_CPUS_PER_TASK $2 >$1; exit 3";
  g_autoptr (ClientSite) site = client_site_new ();
  g_autofree char *folder = g_dir_make_tmp ("lk-salloc-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "out", NULL);
  g_autofree char *arguments = g_strdup_printf ("%s -n7", path);
  g_autofree char *told = NULL;
  g_assert_cmpint (run_script (site, "-n3 -c1", script, arguments), ==, 3);
  g_assert_true (g_str_has_prefix (site->err, "salloc: Granted job allocation 1\n"
                                              "salloc: Nodes n[1-2] are ready for job\n"
                                              "salloc: Relinquishing job allocation 1\n"));
  g_assert_true (g_file_get_contents (path, &told, NULL, NULL));
  g_assert_cmpstr (told, ==, "1 3 2 n[1-2] 2,1 2,1 1 -n7\n");
  g_remove (path);
  g_rmdir (folder);
}

static void
test_codes (void)
{
  LkBatch batch;
  g_autoptr (ClientSite) site = client_site_new ();
  g_assert_cmpint (client_site_run (site, "salloc -n1 nosuchprogram"), ==, 1);
  g_assert_nonnull (strstr (site->err, "salloc: error: _fork_command: Unable to find command "
                                       "\"nosuchprogram\"\n"));
  g_assert_true (says (submitted (site, &batch).name, "interactive"));
  /* What a person does to end a program is no failure; anything else is. */
  g_assert_cmpint (run_script (site, "-n1", "kill -KILL $$", ""), ==, 0);
  g_assert_cmpint (run_script (site, "-n1", "kill -ALRM $$", ""), ==, 1);
}

static void
test_refused (void)
{
  static char *variables[] = { (char *)"SLURM_EXIT_ERROR=77", (char *)"SLURM_EXIT_IMMEDIATE=78",
                               NULL };
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_expect (site, "salloc -p nosuch true", 1, "",
                      "salloc: error: invalid partition specified: nosuch\n"
                      "salloc: error: Job submit/allocate failed: Invalid partition name "
                      "specified\n");
  client_site_expect (site, "salloc -t bogus true", 255, "",
                      "salloc: error: Invalid --time specification\n");
  client_site_expect (site, "salloc -n x", 1, "",
                      "salloc: error: Invalid numeric value \"x\" for --ntasks.\n");
  client_site_expect (site, "salloc --nosuch", 255, "",
                      "salloc: unrecognized option '--nosuch'\n"
                      "Try \"salloc --help\" for more information\n");
  client_site_expect (site, "salloc -n1 : --nosuch true", 255, "",
                      "salloc: unrecognized option '--nosuch'\n"
                      "Try \"salloc --help\" for more information\n");
  client_site_expect (site, "salloc --x11 true", 255, "",
                      "salloc: error: --x11 is not implemented: no display is forwarded\n");
  site->client.environment = variables;
  client_site_expect (site, "salloc -p nosuch true", 77, "",
                      "salloc: error: invalid partition specified: nosuch\n"
                      "salloc: error: Job submit/allocate failed: Invalid partition name "
                      "specified\n");
  client_site_run (site, "sbatch -n6 --wrap true");
  client_site_expect (site, "salloc --immediate=0 -n6 true", 78, "",
                      "salloc: error: Unable to allocate resources: Immediate execution "
                      "impossible, insufficient priority\n");
  client_site_expect (site, "salloc --immediate=2 -n6 true", 78, "",
                      "salloc: Pending job allocation 3\n"
                      "salloc: job 3 queued and waiting for resources\n"
                      "salloc: error: Unable to allocate resources: Immediate execution "
                      "impossible, insufficient priority\n");
  /* Times are told in full. */
  client_site_expect (site, "salloc -v -t2 --immediate=0 -n6 true", 78, "",
                      "salloc: defined options\n"
                      "salloc: -------------------- --------------------\n"
                      "salloc: immediate           : 0\n"
                      "salloc: ntasks              : 6\n"
                      "salloc: time                : 00:02:00\n"
                      "salloc: verbose             : 1\n"
                      "salloc: -------------------- --------------------\n"
                      "salloc: end of defined options\n"
                      "salloc: error: Unable to allocate resources: Immediate execution "
                      "impossible, insufficient priority\n");
  site->is_down = TRUE;
  client_site_expect (site, "salloc true", 77, "",
                      "salloc: error: Job submit/allocate failed: Unable to contact slurm "
                      "controller (connect failure)\n");
}

/* A ^C while it waits: the job is gone. */
static void
test_interrupted (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  sigset_t set;
  sigset_t before;
  client_site_run (site, "sbatch -n6 -t5 --wrap true");
  /* It has come before it is waited for. */
  sigemptyset (&set);
  sigaddset (&set, SIGINT);
  sigprocmask (SIG_BLOCK, &set, &before);
  kill (getpid (), SIGINT);
  client_site_expect (site, "salloc -n6 -t5 true", 1, "",
                      "salloc: Pending job allocation 2\n"
                      "salloc: job 2 queued and waiting for resources\n"
                      "salloc: Job allocation 2 has been revoked.\n"
                      "salloc: Job aborted due to signal\n");
  sigprocmask (SIG_SETMASK, &before, NULL);
  client_site_expect (site, "squeue -h -o %i", 0, "1\n", "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/salloc/an allocation is a job without a script", test_allocation);
  g_test_add_func ("/salloc/variables are options", test_variables);
  g_test_add_func ("/salloc/its program is told of the allocation", test_program);
  g_test_add_func ("/salloc/exit codes are Slurm's", test_codes);
  g_test_add_func ("/salloc/what is refused is told as Slurm does", test_refused);
  g_test_add_func ("/salloc/an interrupt gives up waiting", test_interrupted);
  return g_test_run ();
}
