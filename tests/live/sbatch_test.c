/* tests/live/sbatch_test.c — sbatch: where its options come from, what goes to the controller, and
 * what is told when something is wrong.  Texts and exit codes are those that a Slurm 26.05 was
 * recorded with. */
#include <glib/gstdio.h>
#include <string.h>

#include "live/client/moment.h"
#include "live/client/submit/sbatch.h"
#include "tests/live/client_site.h"

/* The last submit, and what went with it. */
static LkEvent_submit
submitted (ClientSite *site, LkBatch *out_batch)
{
  LkEvent event;
  client_site_last_event (site, &event);
  g_assert_cmpuint (event.kind, ==, LK_EVENT_SUBMIT);
  if (out_batch != NULL) {
    LkMessage note;
    const char *fault;
    const guint8 *bytes;
    gsize length_bytes;
    LkJournalHeader header;
    LkEvent other;
    const GByteArray *journal = control_file (site->control, LK_CONTROLLER_JOURNAL);
    g_autoptr (LkJournalReader) reader =
        lk_journal_reader_new (journal->data, journal->len, &header, &fault);
    while (lk_journal_reader_next (reader, &other) == LK_JOURNAL_EVENT)
      while (lk_journal_reader_note (reader, &bytes, &length_bytes))
        if (lk_message_decode_kept (bytes, length_bytes, &note)
            && note.kind == LK_MESSAGE_KEPT_REQUEST && note.kept_request.payload.length_bytes > 0)
          g_assert_true (lk_batch_decode (note.kept_request.payload.bytes,
                                          note.kept_request.payload.length_bytes, out_batch));
  }
  return event.submit;
}

static gboolean
says (LkText text, const char *expected)
{
  return text.length_bytes == strlen (expected)
         && memcmp (text.bytes, expected, text.length_bytes) == 0;
}

static gboolean
is (LkBytes bytes, const char *expected)
{
  return bytes.length_bytes == strlen (expected)
         && memcmp (bytes.bytes, expected, bytes.length_bytes) == 0;
}

/* The value of a variable that goes with the job; NULL: it has none. */
static const char *
variable (LkStrings environment, const char *name)
{
  gsize name_bytes = strlen (name);
  const char *text;
  while ((text = lk_strings_next (&environment)) != NULL)
    if (strncmp (text, name, name_bytes) == 0 && text[name_bytes] == '=')
      return text + name_bytes + 1;
  return NULL;
}

static void
test_plain (void)
{
  LkBatch batch;
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_expect (site, "sbatch -n2 -t5 -J first --wrap 'sleep 120'", 0,
                      "Submitted batch job 1\n", "");
  LkEvent_submit submit = submitted (site, &batch);
  g_assert_cmpuint (submit.user_id, ==, CONTROL_USER);
  g_assert_cmpuint (submit.procs, ==, 2);
  g_assert_cmpint (submit.estimate_us, ==, 300 * G_USEC_PER_SEC);
  g_assert_true (says (submit.name, "first"));
  g_assert_true (is (batch.script, "#!/bin/sh\n# This script was created by sbatch --wrap.\n\n"
                                   "sleep 120\n"));
  g_assert_true (is (batch.work_dir, "/users/ada"));
  g_assert_true (is (batch.submit_line, "sbatch -n2 -t5 -J first --wrap sleep 120"));
  g_assert_cmpuint (batch.limits, ==, (1u << LK_BATCH_LIMIT_COUNT) - 1);
  client_site_expect (site, "sbatch --parsable --wrap true", 0, "2\n", "");
  g_assert_true (says (submitted (site, NULL).name, "wrap"));
  client_site_expect (site, "sbatch -Q --wrap true", 0, "", "");
}

static void
test_script (void)
{
  LkBatch batch;
  g_autoptr (ClientSite) site = client_site_new ();
  site->input = "#!/bin/bash\n"
                "#SBATCH --ntasks=2   # a comment\n"
                "\n"
                "# something else\n"
                "#SBATCH -J 'two words' --mem-per-cpu=10\n"
                "##SBATCH --nonsense\n"
                "# SBATCH --nonsense\n"
                " #SBATCH --nonsense\n"
                "echo\n"
                "#SBATCH --ntasks=1\n";
  client_site_expect (site, "sbatch --mem=100 -t 7 -D sub -o x%j.out", 0, "Submitted batch job 1\n",
                      "");
  LkEvent_submit submit = submitted (site, &batch);
  g_assert_cmpuint (submit.tasks, ==, 2);
  g_assert_true (says (submit.name, "two words"));
  g_assert_cmpuint (submit.present, ==, LK_REQUEST_HAS_MEMORY_PER_NODE);
  g_assert_cmpint (submit.estimate_us, ==, 420 * G_USEC_PER_SEC);
  g_assert_true (is (batch.script, site->input));
  g_assert_true (is (batch.work_dir, "/users/ada/sub"));
  g_assert_true (is (batch.std_out, "x%j.out"));
  g_assert_cmpuint (batch.command.length_bytes, ==, 0);
}

/* What is no option is not passed over, as what was meant by it would not hold. */
static void
test_directives (void)
{
  static const struct {
    const char *line;
    const char *word;
  } cases[] = { { "#SBATCH foo", "foo" },
                { "#SBATCH -n2 foo -t 3", "foo" },
                { "#SBATCHX -J foo", "X" },
                { "#SBATCH -n1\n#SBATCH hetjob\n#SBATCH -n2\n#SBATCH job-name=x", "job-name=x" } };
  g_autoptr (ClientSite) site = client_site_new ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *script = g_strdup_printf ("#!/bin/sh\n%s\ntrue\n", cases[i].line);
    g_autofree char *err = g_strdup_printf (
        "sbatch: error: Invalid directive found in batch script: %s\n", cases[i].word);
    site->input = script;
    client_site_expect (site, "sbatch", 255, "", err);
  }
}

static void
test_file (void)
{
  LkBatch batch;
  g_autoptr (ClientSite) site = client_site_new ();
  g_autofree char *folder = g_dir_make_tmp ("lk-sbatch-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "run.sh", NULL);
  site->client.work_dir = folder;
  g_assert_true (g_file_set_contents (path, "#!/bin/sh\n#SBATCH -a 0-1%1\n", -1, NULL));
  client_site_expect (site, "sbatch run.sh one 'two three'", 0, "Submitted batch job 1\n", "");
  LkEvent_submit submit = submitted (site, &batch);
  g_assert_true (says (submit.name, "run.sh"));
  g_assert_true (says (submit.array, "0-1%1"));
  g_assert_true (is (batch.command, path));
  g_assert_cmpstr (lk_strings_next (&batch.arguments), ==, "one");
  g_assert_cmpstr (lk_strings_next (&batch.arguments), ==, "two three");
  g_assert_null (lk_strings_next (&batch.arguments));
  g_assert_true (g_file_set_contents (path, "echo\n", -1, NULL));
  client_site_expect (site, "sbatch run.sh", 1, "",
                      "sbatch: error: This does not look like a batch script.  The first\n"
                      "sbatch: error: line must start with #! followed by the path to an "
                      "interpreter.\n"
                      "sbatch: error: For instance: #!/bin/sh\n");
  g_assert_true (g_file_set_contents (path, "#!/bin/sh\r\ntrue\r\n", -1, NULL));
  client_site_expect (site, "sbatch run.sh", 1, "",
                      "sbatch: error: Batch script contains DOS line breaks (\\r\\n)\n"
                      "sbatch: error: instead of expected UNIX line breaks (\\n).\n");
  g_assert_true (g_file_set_contents (path, "#!/bin/sh\n\0true\n", 16, NULL));
  client_site_expect (site, "sbatch run.sh", 1, "",
                      "sbatch: error: The Slurm controller does not allow scripts that\n"
                      "sbatch: error: contain a NULL character '\\0'.\n");
  g_remove (path);
  g_rmdir (folder);
}

static void
test_variables (void)
{
  static char *variables[] = { (char *)"SBATCH_TIMELIMIT=9",   (char *)"SBATCH_JOB_NAME=env",
                               (char *)"SBATCH_NO_REQUEUE=",   (char *)"SBATCH_REQ_SWITCH=1",
                               (char *)"SBATCH_WAIT4SWITCH=5", NULL };
  g_autoptr (ClientSite) site = client_site_new ();
  site->client.environment = variables;
  site->input = "#!/bin/sh\n#SBATCH -t 3 -J script -n 2\n";
  client_site_expect (site, "sbatch -J line", 0, "Submitted batch job 1\n", "");
  LkEvent_submit submit = submitted (site, NULL);
  g_assert_cmpint (submit.estimate_us, ==, 540 * G_USEC_PER_SEC);
  g_assert_true (says (submit.name, "line"));
  g_assert_cmpuint (submit.tasks, ==, 2);
  g_assert_cmpuint (submit.switches, ==, 1);
  g_assert_cmpuint (submit.flags & LK_REQUEST_NO_REQUEUE, !=, 0);
}

static void
test_export (void)
{
  static char *variables[] = { (char *)"A=1", (char *)"B=2", (char *)"SLURM_JOB_ID=5",
                               (char *)"SLURM_MPI_TYPE=pmix", NULL };
  LkBatch batch;
  g_autoptr (ClientSite) site = client_site_new ();
  site->client.environment = variables;
  client_site_expect (site, "sbatch -n2 -c1 --mem=64 --wrap true", 0, "Submitted batch job 1\n",
                      "");
  submitted (site, &batch);
  g_assert_cmpstr (variable (batch.environment, "A"), ==, "1");
  g_assert_cmpstr (variable (batch.environment, "SLURM_MPI_TYPE"), ==, "pmix");
  g_assert_cmpstr (variable (batch.environment, "SLURM_JOB_ID"), ==, NULL);
  g_assert_cmpstr (variable (batch.environment, "SLURM_NTASKS"), ==, "2");
  g_assert_cmpstr (variable (batch.environment, "SLURM_CPUS_PER_TASK"), ==, "1");
  g_assert_cmpstr (variable (batch.environment, "SLURM_MEM_PER_NODE"), ==, "64");
  g_assert_cmpstr (variable (batch.environment, "SLURM_SUBMIT_DIR"), ==, "/users/ada");
  client_site_run (site, "sbatch --export=B,C=x --wrap true");
  submitted (site, &batch);
  g_assert_cmpstr (variable (batch.environment, "A"), ==, NULL);
  g_assert_cmpstr (variable (batch.environment, "B"), ==, "2");
  g_assert_cmpstr (variable (batch.environment, "C"), ==, "x");
  g_assert_cmpuint (batch.export_mode, ==, LK_BATCH_EXPORT_ALL);
  client_site_run (site, "sbatch --export=ALL,A=7 --wrap true");
  submitted (site, &batch);
  g_assert_cmpstr (variable (batch.environment, "A"), ==, "7");
  g_assert_cmpstr (variable (batch.environment, "B"), ==, "2");
  client_site_run (site, "sbatch --export=NONE --wrap true");
  submitted (site, &batch);
  g_assert_cmpuint (batch.export_mode, ==, LK_BATCH_EXPORT_NONE);
  g_assert_cmpstr (variable (batch.environment, "A"), ==, NULL);
  g_assert_cmpstr (variable (batch.environment, "SLURM_EXPORT_ENV"), ==, "NONE");
  client_site_run (site, "sbatch --export=NIL --wrap true");
  submitted (site, &batch);
  g_assert_cmpuint (batch.export_mode, ==, LK_BATCH_EXPORT_NIL);
  client_site_run (site, "sbatch --get-user-env --wrap true");
  submitted (site, &batch);
  g_assert_cmpuint (batch.export_mode, ==, LK_BATCH_EXPORT_LOGIN);
  client_site_run (site, "sbatch --get-user-env --export=NONE --wrap true");
  submitted (site, &batch);
  g_assert_cmpuint (batch.export_mode, ==, LK_BATCH_EXPORT_NONE);
  client_site_run (site, "sbatch --get-user-env=10X --wrap true");
  g_assert_nonnull (strstr (site->err, "Invalid --get-user-env"));
}

static void
test_components (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  site->input = "#!/bin/sh\n#SBATCH -n1 -J both\n#SBATCH hetjob\n#SBATCH -n2\necho\n";
  client_site_expect (site, "sbatch -t 5 : -t 6", 0, "Submitted batch job 1\n", "");
  LkEvent_submit submit = submitted (site, NULL);
  g_assert_cmpuint (submit.job_id, ==, 2);
  g_assert_cmpuint (submit.het_leader, ==, 1);
  g_assert_cmpuint (submit.het_offset, ==, 1);
  g_assert_cmpuint (submit.tasks, ==, 2);
  g_assert_cmpint (submit.estimate_us, ==, 360 * G_USEC_PER_SEC);
  client_site_expect (site, "sbatch --array=0-2 --wrap true : -n1", 1, "",
                      "sbatch: error: Batch job submission failed: Invalid job array "
                      "specification: a heterogeneous job is no array\n");
}

static void
test_mail (void)
{
  LkBatch batch;
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_run (site, "sbatch --mail-type=END,TIME_LIMIT_80 --mail-user=a@b --open-mode=append "
                         "--propagate=NOFILE --wrap true");
  submitted (site, &batch);
  g_assert_cmpuint (batch.mail_types, ==, LK_BATCH_MAIL_END | LK_BATCH_MAIL_TIME_LIMIT_80);
  g_assert_true (says (batch.mail_user, "a@b"));
  g_assert_cmpuint (batch.open_mode, ==, LK_BATCH_OPEN_APPEND);
  g_assert_cmpuint (batch.limits, ==, 1u << LK_BATCH_LIMIT_NOFILE);
  client_site_expect (site, "sbatch --mail-type=SOMETIMES --wrap true", 255, "",
                      "sbatch: error: Invalid --mail-type specification\n");
}

/* What the site's configuration says of submissions. */
static void
test_site (void)
{
  LkBatch batch;
  g_autoptr (ClientSite) site = client_site_new ();
  site->client.propagate_limits = "NONE";
  client_site_run (site, "sbatch --wrap true");
  submitted (site, &batch);
  g_assert_cmpuint (batch.limits, ==, 0);
  site->client.propagate_limits = "";
  site->client.propagate_limits_except = "NOFILE";
  client_site_run (site, "sbatch --wrap true");
  submitted (site, &batch);
  g_assert_cmpuint (batch.limits, ==,
                    ((1u << LK_BATCH_LIMIT_COUNT) - 1) & ~(1u << LK_BATCH_LIMIT_NOFILE));
  client_site_run (site, "sbatch --propagate=CORE --wrap true");
  submitted (site, &batch);
  g_assert_cmpuint (batch.limits, ==, 1u << LK_BATCH_LIMIT_CORE);
  site->client.root_jobs_disabled = TRUE;
  client_site_become (site, 0);
  client_site_expect (site, "sbatch --wrap true", 1, "",
                      "sbatch: error: Batch job submission failed: Invalid user id\n");
}

static const struct {
  const char *line;
  int code;
  const char *err;
} refusals[] = {
  { "sbatch /nonexistent.sh", 1, "sbatch: error: Unable to open file /nonexistent.sh\n" },
  { "sbatch", 1, "sbatch: error: Batch script is empty!\n" },
  { "sbatch --wrap true good.sh", 1,
    "sbatch: error: Script arguments not permitted with --wrap option\n" },
  /* Nodes have 2 CPUs and 1 GiB. */
  { "sbatch -c 3 --wrap true", 1,
    "sbatch: error: CPU count per node can not be satisfied\n"
    "sbatch: error: Batch job submission failed: Requested node configuration is not "
    "available\n" },
  { "sbatch --mem=2G --wrap true", 1,
    "sbatch: error: Memory specification can not be satisfied\n"
    "sbatch: error: Batch job submission failed: Requested node configuration is not "
    "available\n" },
  { "sbatch -c 2 -N2 --tmp=5 --wrap true", 1,
    "sbatch: error: Temporary disk specification can not be satisfied\n"
    "sbatch: error: Batch job submission failed: Requested node configuration is not "
    "available\n" },
  { "sbatch -p nosuch --wrap true", 1,
    "sbatch: error: invalid partition specified: nosuch\n"
    "sbatch: error: Batch job submission failed: Invalid partition name specified\n" },
  { "sbatch -d afterwhat:1 --wrap true", 1,
    "sbatch: error: Batch job submission failed: Job dependency problem\n" },
  { "sbatch -a 5-1 --wrap true", 1,
    "sbatch: error: Batch job submission failed: Invalid job array specification\n" },
  { "sbatch -C nosuch --wrap true", 1,
    "sbatch: error: Batch job submission failed: Invalid feature specification\n" },
  { "sbatch -L foo:1 --wrap true", 1,
    "sbatch: error: Batch job submission failed: Invalid license specification\n" },
  { "sbatch --reservation=nope --wrap true", 1,
    "sbatch: error: Batch job submission failed: Requested reservation is invalid\n" },
  { "sbatch --uid=root --wrap true", 255, "sbatch: error: --uid only permitted by root user\n" },
  { "sbatch -n x --wrap true", 1, "sbatch: error: Invalid numeric value \"x\" for --ntasks.\n" },
  { "sbatch -b yesterdayish --wrap true", 255,
    "Invalid time specification (pos=0): yesterdayish\n"
    "sbatch: error: Invalid --begin specification\n" },
  { "sbatch --nice=-5 --wrap true", 1,
    "sbatch: error: Batch job submission failed: Invalid --nice value\n" },
  { "sbatch --deadline=now+60 -t 5 --wrap true", 1,
    "sbatch: error: Batch job submission failed: Requested time limit is invalid (missing or "
    "exceeds some limit)\n" },
  { "sbatch --time-min=10 -t 5 --wrap true", 1,
    "sbatch: error: Batch job submission failed: Invalid time-min specification (exceeds job's "
    "time or other limits)\n" },
  { "sbatch --begin=now+2hour --deadline=now+1hour --wrap true", 1,
    "sbatch: error: Incompatible begin and deadline time specification\n" },
  { "sbatch -N0 --wrap true", 1,
    "sbatch: error: Batch job submission failed: Node count specification invalid\n" },
  { "sbatch -N4-2 --wrap true", 255,
    "sbatch: error: Maximum node count 2 is less than minimum node count 4\n" },
  { "sbatch --mem=10 --mem-per-cpu=10 --wrap true", 1,
    "sbatch: fatal: --mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.\n" },
  { "sbatch --gres=fpga:1 --wrap true", 1,
    "sbatch: error: Invalid generic resource (gres) specification\n" },
  { "sbatch --nosuchopt --wrap true", 255,
    "sbatch: unrecognized option '--nosuchopt'\n"
    "Try \"sbatch --help\" for more information\n" },
  { "sbatch --cpu-freq=zz --wrap true", 255,
    "sbatch: error: unrecognized --cpu-freq argument \"zz\"\n"
    "sbatch: error: Invalid --cpu-freq argument\n" },
  { "sbatch --cpu-freq=low-zz --wrap true", 255,
    "sbatch: error: unrecognized --cpu-freq argument \"zz\"\n"
    "sbatch: error: Invalid --cpu-freq argument\n" },
  { "sbatch --cpu-freq=low-high:zz --wrap true", 255,
    "sbatch: error: illegal governor: zz on --cpu-freq\n"
    "sbatch: error: Invalid --cpu-freq argument\n" },
  { "sbatch --cpu-freq=high-low --wrap true", 255,
    "sbatch: error: min cpu-frec (high) must be < max cpu-freq (low)\n"
    "sbatch: error: Invalid --cpu-freq argument\n" },
  { "sbatch --profile=zz --wrap true", 255, "sbatch: error: invalid --profile=zz option\n" },
  { "sbatch --acctg-freq=task=zz --wrap true", 255,
    "sbatch: error: Invalid --acctg-freq specification: task=zz\n" },
  { "sbatch --delay-boot=zz --wrap true", 255,
    "sbatch: error: Invalid --delay-boot specification\n" },
  { "sbatch --gpu-freq=zz --wrap true", 255,
    "sbatch: error: Invalid --gpu-freq argument: gpu:zz\n" },
  { "sbatch --wait-all-nodes=2 --wrap true", 255,
    "sbatch: error: Invalid --wait-all-nodes specification\n" },
  { "sbatch --wait-all-nodes=x --wrap true", 1,
    "sbatch: error: Invalid numeric value \"x\" for --wait-all-nodes.\n" },
  { "sbatch -w n[1 --wrap true", 1,
    "sbatch: error: Batch job submission failed: Invalid node name specified\n" },
  { "sbatch --no --wrap true", 255,
    "sbatch: option '--no' is ambiguous; possibilities: '--no-kill' '--no-requeue' '--nodefile' "
    "'--nodelist' '--nodes'\n"
    "Try \"sbatch --help\" for more information\n" },
  { "sbatch --reboot --wrap true", 1,
    "sbatch: error: --reboot is not implemented: nodes are not booted for a job\n" },
};

static void
test_harmless (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_expect (
      site,
      "sbatch --cpu-freq=2400000-high:UserSpace --profile=Task,lustre "
      "--acctg-freq=30,energy=60 --delay-boot=10 --gpu-freq=450,memory=high,verbose "
      "--wait-all-nodes=1 --wrap true",
      0, "Submitted batch job 1\n", "");
  client_site_expect (site,
                      "sbatch --cpu-freq=performance --profile=All --gpu-freq=highm1 --wrap true",
                      0, "Submitted batch job 2\n", "");
}

static void
test_nodes_cut (void)
{
  static const char warning[] =
      "sbatch: Warning: can't run 1 processes on 2 nodes, setting nnodes to 1\n";
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_expect (site, "sbatch -N2 -n1 --wrap true", 0, "Submitted batch job 1\n", warning);
  client_site_expect (site, "sbatch -Q -N2 -n1 --wrap true", 0, "", "");
  client_site_expect (site, "sbatch -N2 -n2 --wrap true", 0, "Submitted batch job 3\n", "");
  client_site_expect (site, "sbatch -N2 -n1 --wrap true : -n1", 0, "Submitted batch job 4\n",
                      warning);
  client_site_expect (site, "sbatch -n1 -w n[1-2] --wrap true", 0, "Submitted batch job 6\n",
                      warning);
}

static void
test_errors (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++)
    client_site_expect (site, refusals[i].line, refusals[i].code, "", refusals[i].err);
  g_assert_cmpint (client_site_run (site, "sbatch -t bogus --wrap true"), ==, 255);
  g_assert_true (g_str_has_prefix (site->err, "sbatch: error: Invalid --time specification\n"));
  site->is_down = TRUE;
  client_site_expect (site, "sbatch --wrap true", 1, "",
                      "sbatch: error: Batch job submission failed: Unable to contact slurm "
                      "controller (connect failure)\n");
}

static void
test_moments (void)
{
  /* 2026-11-21 13:14:15 UTC, a Saturday. */
  const gint64 now_us = G_GINT64_CONSTANT (1795266855) * G_USEC_PER_SEC;
  static const struct {
    const char *text;
    gint64 behind_s; /* now */
  } cases[] = {
    { "now", 0 },
    { "now+1hour", 3600 },
    { "14:00", 2745 },
    { "13:00", 86400 - 855 },
    { "2pm", -1 },
    { "2:00 PM", 2745 },
    { "midnight", 38745 },
    { "noon", 86400 - 4455 },
    { "tomorrow", 38745 },
    { "today", -47655 },
    { "noon-tomorrow", 38745 + 43200 },
    { "tomorrow-noon", 38745 + 43200 },
    { "noon-noon", -1 },
    { "2026-11-22", 38745 },
    { "2026-11-22T01:00", 38745 + 3600 },
    { "2026-11-22-01:00:30", 38745 + 3630 },
    { "11/22/26", 38745 },
    { "11/22", 38745 },
    { "112226", 38745 },
    { "1121", 364 * 86400 + 38745 },
    { "2026-13-01", -1 },
    { "2026-11-22T", -1 },
    { "25:00", -1 },
    { "", -1 },
    { "12:00 13:00", -1 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 moment_us = now_us - G_USEC_PER_SEC;
    gboolean is_moment = lk_client_moment_parse (cases[i].text, now_us, TRUE, &moment_us);
    g_test_message ("%s: %" G_GINT64_FORMAT, cases[i].text, (moment_us - now_us) / G_USEC_PER_SEC);
    g_assert_cmpint ((moment_us - now_us) / G_USEC_PER_SEC, ==, cases[i].behind_s);
    g_assert_true (is_moment == (cases[i].behind_s != -1));
  }
}

/* It is told when the job would start, and nothing stays behind. */
static void
test_trial (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_run (site, "sbatch -n6 -t5 --wrap true");
  client_site_run (site, "sbatch -n6 -t7 --wrap true");
  guint before = control_file (site->control, LK_CONTROLLER_JOURNAL)->len;
  client_site_expect (site, "sbatch --test-only -n6 -t1 --wrap true", 0, "",
                      "sbatch: Job 3 to start at 1970-01-01T00:28:40 a using 6 processors on nodes "
                      "n[1-3] in partition main\n");
  client_site_expect (site, "sbatch --test-only -H -n1 -t1 --wrap true", 1, "",
                      "allocation failure: it would not start by itself (JobHeldUser)\n");
  client_site_expect (site, "sbatch --test-only -p nosuch -n1 --wrap true", 1, "",
                      "allocation failure: Invalid partition name specified\n");
  client_site_expect (site, "sbatch --test-only --nice=-5 --wrap true", 1, "",
                      "allocation failure: Access/permission denied\n");
  client_site_expect (site, "sbatch --test-only -n1 : -n1 x", 1, "",
                      "sbatch: error: Unable to open file x\n");
  g_assert_cmpuint (control_file (site->control, LK_CONTROLLER_JOURNAL)->len, ==, before);
  client_site_expect (site, "squeue -h -o %i -S i", 0, "1\n2\n", "");
  client_site_expect (site, "sbatch -n6 -t1 --wrap true", 0, "Submitted batch job 3\n", "");
}

/* Components are tried together, and told as one. */
static void
test_trial_het (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  guint before = control_file (site->control, LK_CONTROLLER_JOURNAL)->len;
  site->input = "#!/bin/sh\n";
  client_site_expect (site, "sbatch --test-only -n2 -N1 -t5 : -n1", 0, "",
                      "sbatch: Job 1 to start at 1970-01-01T00:16:40 using 3 processors on "
                      "n[1-2]\n");
  client_site_expect (site, "sbatch --test-only -n2 -t5 : -n1 -p nosuch", 1, "",
                      "allocation failure: Invalid partition name specified\n");
  g_assert_cmpuint (control_file (site->control, LK_CONTROLLER_JOURNAL)->len, ==, before);
  client_site_expect (site, "sbatch -n6 -N3 -t5 --wrap true", 0, "Submitted batch job 1\n", "");
  client_site_expect (site, "sbatch --test-only -n2 -N1 -t5 : -n1", 0, "",
                      "sbatch: Job 2 to start at 1970-01-01T00:21:40 using 3 processors on "
                      "n[1-2]\n");
}

/* -c alone is one task of so many CPUs. */
static void
test_cpus (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  client_site_expect (site, "sbatch -c2 --wrap true", 0, "Submitted batch job 1\n", "");
  client_site_expect (site, "squeue -h -o '%i %t %D %C %R'", 0, "1 R 1 2 n1\n", "");
  client_site_expect (site, "sbatch -c2 -N2 --wrap true", 0, "Submitted batch job 2\n", "");
  client_site_expect (site, "squeue -h -j 2 -o '%i %t %D %C %R'", 0, "2 R 2 4 n[2-3]\n", "");
  /* As recorded: more than all nodes of the partition have is taken, and waits. */
  client_site_expect (site, "sbatch -c99 --wrap true", 0, "Submitted batch job 3\n", "");
  client_site_expect (site, "squeue -h -j 3 -o '%t %R'", 0, "PD (PartitionConfig)\n", "");
}

static void
test_help (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  g_assert_cmpint (client_site_run (site, "sbatch --help"), ==, 0);
  g_assert_nonnull (strstr (site->out, "Taken, but they change nothing:"));
  g_assert_nonnull (strstr (site->out, "--acctg-freq"));
  client_site_expect (site, "sbatch -V", 0, "slurm 26.05.3\n", "");
  g_assert_cmpuint (site->request_count, ==, 0);
}

/* ---------------------------------------------------------------- limits */

static const LkClientWire *real_wire;
static LkReject first_error;

/* The first request is refused so. */
static gboolean
refuse_first (gpointer data, LkMessage *request, LkMessage_reply *out_reply, GError **error)
{
  if (first_error == 0)
    return real_wire->request (data, request, out_reply, error);
  *out_reply = (LkMessage_reply){ .error = (guint16)first_error };
  first_error = 0;
  return TRUE;
}

/* It tries again where Slurm's does. */
static void
test_tries_again (void)
{
  g_autoptr (ClientSite) site = client_site_new ();
  real_wire = site->client.wire;
  LkClientWire wire = *real_wire;
  wire.request = refuse_first;
  site->client.wire = &wire;
  first_error = LK_REJECT_QUEUE_FULL;
  client_site_expect (site, "sbatch --wrap true", 0, "Submitted batch job 1\n",
                      "sbatch: error: Slurm temporarily unable to accept job, sleeping and "
                      "retrying\n");
  first_error = LK_REJECT_RATE_LIMITED;
  client_site_expect (site, "sbatch --wrap true", 0, "Submitted batch job 2\n", "");
  first_error = LK_REJECT_SCRIPT_TOO_LONG;
  client_site_expect (site, "sbatch --wrap true", 1, "",
                      "sbatch: error: Batch job submission failed: script too long: "
                      "max_script_size of SchedulerParameters in slurm.conf is the limit\n");
}

int
main (int argc, char **argv)
{
  g_setenv ("TZ", "UTC", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sbatch/a wrapped command is submitted", test_plain);
  g_test_add_func ("/sbatch/options stand in the script up to its first command", test_script);
  g_test_add_func ("/sbatch/lines of a script that are no options", test_directives);
  g_test_add_func ("/sbatch/a script is looked at before it is sent", test_file);
  g_test_add_func ("/sbatch/line goes before environment goes before script", test_variables);
  g_test_add_func ("/sbatch/export says which variables go with the job", test_export);
  g_test_add_func ("/sbatch/components have options of their own", test_components);
  g_test_add_func ("/sbatch/mail, files and limits go with the job", test_mail);
  g_test_add_func ("/sbatch/the site says what goes with a job", test_site);
  g_test_add_func ("/sbatch/errors are Slurm's", test_errors);
  g_test_add_func ("/sbatch/what changes nothing is looked at", test_harmless);
  g_test_add_func ("/sbatch/more nodes than tasks are told of", test_nodes_cut);
  g_test_add_func ("/sbatch/moments are read as Slurm reads them", test_moments);
  g_test_add_func ("/sbatch/test-only tells a start and leaves nothing", test_trial);
  g_test_add_func ("/sbatch/test-only tells of components together", test_trial_het);
  g_test_add_func ("/sbatch/CPUs of a task without tasks are of one", test_cpus);
  g_test_add_func ("/sbatch/help needs no controller", test_help);
  g_test_add_func ("/sbatch/tries again where Slurm's does", test_tries_again);
  return g_test_run ();
}
