/* tests/oracle/case_file_test.c — the two readers, and that cases and recordings belong
 * together. */
#include <string.h>

#include "tests/oracle/case_file.h"
#include "tests/oracle/recording.h"
#include "traces/trace_error.h"

#define HEAD "about  something\nslurm  22.05\n"
#define FOLDER LK_SOURCE_DIR "/tests/oracle/"

static const LkCaseStep *
step_at (const LkCaseFile *file, guint index)
{
  g_assert_cmpuint (index, <, file->steps->len);
  return g_ptr_array_index (file->steps, index);
}

static void
expect_words (char *const *words, const char *joined)
{
  g_autofree char *found = g_strjoinv ("|", (char **)words);
  g_assert_cmpstr (found, ==, joined);
}

static LkCaseFile *
case_of (const char *text)
{
  g_autoptr (GError) error = NULL;
  LkCaseFile *file = lk_case_file_new_from_bytes ("a.case", text, strlen (text), &error);
  g_assert_no_error (error);
  return file;
}

static void
test_sections (void)
{
  g_autoptr (LkCaseFile) file =
      case_of (HEAD "# no\n\n[slurm.conf]\nNodeName=n1 \n# neither\nPartitionName=a\n[gres.conf]\n"
                    "Name=gpu File=/dev/nvidia0\n[topology.conf]\nSwitchName=s\n[accounts]\n"
                    "add account a\n\nadd qos q\n[steps]\n");
  g_assert_cmpstr (file->about, ==, "something");
  g_assert_cmpstr (file->slurm, ==, "22.05");
  g_assert_cmpstr (file->slurm_conf->str, ==, "NodeName=n1\nPartitionName=a\n");
  g_assert_cmpstr (file->gres_conf->str, ==, "Name=gpu File=/dev/nvidia0\n");
  g_assert_cmpstr (file->topology_conf->str, ==, "SwitchName=s\n");
  g_assert_cmpstr (file->accounts->str, ==, "add account a\nadd qos q\n");
  g_assert_cmpuint (file->steps->len, ==, 0);
}

static void
test_steps (void)
{
  g_autoptr (LkCaseFile) file =
      case_of (HEAD "[steps]\nsubmit a user=bob -n1 -C '[x|y]&z' --mem=5\nsubmit b -N2\nsettle\n"
                    "at 12\nend a b\nnode n1 n2 drain\n");
  g_assert_cmpuint (file->steps->len, ==, 6);
  g_assert_cmpint (step_at (file, 0)->verb, ==, LK_CASE_SUBMIT);
  g_assert_cmpuint (step_at (file, 0)->line, ==, 4);
  g_assert_cmpstr (step_at (file, 0)->name, ==, "a");
  g_assert_cmpstr (step_at (file, 0)->user, ==, "bob");
  expect_words (step_at (file, 0)->words, "-n1|-C|[x|y]&z|--mem=5");
  g_assert_null (step_at (file, 1)->user);
  expect_words (step_at (file, 1)->words, "-N2");
  g_assert_cmpint (step_at (file, 2)->verb, ==, LK_CASE_SETTLE);
  g_assert_cmpint (step_at (file, 3)->verb, ==, LK_CASE_AT);
  g_assert_cmpint (step_at (file, 3)->at_us, ==, 12000000);
  g_assert_cmpint (step_at (file, 4)->verb, ==, LK_CASE_END);
  expect_words (step_at (file, 4)->words, "a|b");
  g_assert_cmpint (step_at (file, 5)->verb, ==, LK_CASE_NODE);
  expect_words (step_at (file, 5)->words, "n1|n2");
  g_assert_cmpstr (step_at (file, 5)->state, ==, "drain");
}

static void
test_try (void)
{
  g_autoptr (LkCaseFile) file = case_of (HEAD "[steps]\ntry a -n1\n");
  g_assert_cmpuint (file->steps->len, ==, 3);
  g_assert_cmpint (step_at (file, 0)->verb, ==, LK_CASE_SUBMIT);
  expect_words (step_at (file, 0)->words, "-n1");
  g_assert_cmpint (step_at (file, 1)->verb, ==, LK_CASE_SETTLE);
  g_assert_cmpint (step_at (file, 2)->verb, ==, LK_CASE_END);
  expect_words (step_at (file, 2)->words, "a");
}

static void
test_case_errors (void)
{
  static const struct {
    const char *text;
    const char *message;
  } CASES[] = {
    { "about x\n", "a.case:2: found 'the end', expected lines about and slurm before it" },
    { HEAD "about y\n", "a.case:3: found 'about y', expected about or slurm and its value, once" },
    { HEAD "[what]\n",
      "a.case:3: found '[what]', expected [slurm.conf], [gres.conf], [topology.conf], [accounts] "
      "or [steps]" },
    { HEAD "[steps]\nsubmit\n", "a.case:4: found 'nothing', expected the name of a job" },
    { HEAD "[steps]\nsubmit -n1\n", "a.case:4: found '-n1', expected the name of a job" },
    { HEAD "[steps]\nsettle a\n", "a.case:4: found 'a', expected nothing behind settle" },
    { HEAD "[steps]\nend\n", "a.case:4: found 'nothing', expected the names of jobs" },
    { HEAD "[steps]\nat noon\n", "a.case:4: found 'noon', expected a number of seconds" },
    { HEAD "[steps]\nnode n1 up\n",
      "a.case:4: found 'up', expected nodes, then down, drain, fail or resume" },
    { HEAD "[steps]\nrun a\n",
      "a.case:4: found 'run', expected submit, settle, end, try, node or at" },
    { HEAD "[steps]\nend 'a\n",
      "a.case:4: found 'end 'a', expected words with their quotes closed" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_autoptr (GError) error = NULL;
    const char *text = CASES[i].text;
    g_assert_null (lk_case_file_new_from_bytes ("a.case", text, strlen (text), &error));
    g_assert_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX);
    g_assert_cmpstr (error->message, ==, CASES[i].message);
  }
}

static void
test_recording (void)
{
  static const char TEXT[] = "# Slurm\nsettle 1\njob a RUNNING n[1-2] cpus=3\n"
                             "  n1 cpus=0,4 memory_mib=100 gres=gpu:a:1(IDX:0),gpu:b:1(IDX:2)\n"
                             "  n2 cpus=0 memory_mib=50\njob b PENDING Resources\nsettle 2\n"
                             "job b PENDING -\njob c REFUSED Not at all\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (LkRecording) recording =
      lk_recording_new_from_bytes ("a.txt", TEXT, strlen (TEXT), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (recording->settles->len, ==, 2);
  const GPtrArray *first = g_ptr_array_index (recording->settles, 0);
  const LkRecordedJob *a = g_ptr_array_index (first, 0);
  g_assert_cmpstr (a->job, ==, "a");
  g_assert_cmpstr (a->node_list, ==, "n[1-2]");
  g_assert_cmpuint (a->cpu_count, ==, 3);
  g_assert_cmpuint (a->nodes->len, ==, 2);
  const LkRecordedNode *n1 = g_ptr_array_index (a->nodes, 0);
  g_assert_cmpstr (n1->node, ==, "n1");
  g_assert_cmpstr (n1->cpus, ==, "0,4");
  g_assert_cmpint (n1->memory_bytes, ==, 104857600);
  g_assert_cmpstr (n1->gres, ==, "gpu:a:1(IDX:0),gpu:b:1(IDX:2)");
  g_assert_cmpstr (((const LkRecordedNode *)g_ptr_array_index (a->nodes, 1))->gres, ==, "");
  const LkRecordedJob *b = g_ptr_array_index (first, 1);
  g_assert_cmpstr (b->state, ==, "PENDING");
  g_assert_cmpstr (b->reason, ==, "Resources");
  const GPtrArray *second = g_ptr_array_index (recording->settles, 1);
  g_assert_null (((const LkRecordedJob *)g_ptr_array_index (second, 0))->reason);
  g_assert_cmpstr (((const LkRecordedJob *)g_ptr_array_index (second, 1))->reason, ==,
                   "Not at all");
}

static void
test_recording_errors (void)
{
  static const char *const TEXTS[] = {
    "settle 2\n",
    "job a PENDING -\n",
    "settle 1\njob a\n",
    "settle 1\njob a RUNNING n1\n",
    "settle 1\njob a RUNNING n1 cpus=x\n",
    "settle 1\njob a PENDING -\n  n1 cpus=0 memory_mib=1\n",
    "settle 1\njob a RUNNING n1 cpus=1\n  n1 cpus=0\n",
    "settle 1\njob a RUNNING n1 cpus=1\nsettle 2\n  n1 cpus=0 memory_mib=1\n",
    "settle 1\nwhat\n",
  };
  for (guint i = 0; i < G_N_ELEMENTS (TEXTS); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_null (lk_recording_new_from_bytes ("a.txt", TEXTS[i], strlen (TEXTS[i]), &error));
    g_assert_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX);
    g_assert_true (g_str_has_prefix (error->message, "a.txt:"));
  }
}

/* ---------------------------------------------------------------- the files */

static guint
steps_counted (const LkCaseFile *file, LkCaseVerb verb)
{
  guint count = 0;
  for (guint i = 0; i < file->steps->len; i++)
    count += step_at (file, i)->verb == verb;
  return count;
}

static gboolean
is_submitted (const LkCaseFile *file, const char *job)
{
  for (guint i = 0; i < file->steps->len; i++)
    if (step_at (file, i)->verb == LK_CASE_SUBMIT && g_str_equal (step_at (file, i)->name, job))
      return TRUE;
  return FALSE;
}

/* Returns the number of requests. */
static guint
pair_check (const char *case_path, const char *recording_path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkCaseFile) file = lk_case_file_load (case_path, &error);
  g_assert_no_error (error);
  g_autoptr (LkRecording) recording = lk_recording_load (recording_path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (recording->settles->len, ==, steps_counted (file, LK_CASE_SETTLE));
  for (guint i = 0; i < recording->settles->len; i++) {
    const GPtrArray *jobs = g_ptr_array_index (recording->settles, i);
    for (guint j = 0; j < jobs->len; j++)
      g_assert_true (is_submitted (file, ((const LkRecordedJob *)jobs->pdata[j])->job));
  }
  return steps_counted (file, LK_CASE_SUBMIT);
}

static void
test_pairs (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) folder = g_dir_open (FOLDER "cases", 0, &error);
  g_assert_no_error (error);
  guint request_count = 0;
  guint case_count = 0;
  for (const char *name; (name = g_dir_read_name (folder)); case_count++) {
    g_assert_true (g_str_has_suffix (name, ".case"));
    g_autofree char *stem = g_strndup (name, strlen (name) - strlen (".case"));
    g_autofree char *case_path = g_strconcat (FOLDER "cases/", name, NULL);
    g_autofree char *recording_path = g_strconcat (FOLDER "recorded/", stem, ".txt", NULL);
    request_count += pair_check (case_path, recording_path);
  }
  g_test_message ("%u requests in %u cases", request_count, case_count);
  g_assert_cmpuint (request_count, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/case_file/sections come out as texts without comments", test_sections);
  g_test_add_func ("/case_file/steps have their verb, words and line", test_steps);
  g_test_add_func ("/case_file/try is submit, settle and end", test_try);
  g_test_add_func ("/case_file/what is wrong is said with its line", test_case_errors);
  g_test_add_func ("/recording/jobs and nodes are read", test_recording);
  g_test_add_func ("/recording/what does not follow the form is refused", test_recording_errors);
  g_test_add_func ("/oracle/every case has a recording of its settles and jobs", test_pairs);
  return g_test_run ();
}
