/* tests/oracle/place_test.c — the engine places as real Slurm does: every case against its
 * recording.
 *
 * Compared are, at each settle, who runs, waits and was refused; the nodes and the number of CPUs
 * of each job; on each node the CPU ids, memory and devices; and why a job waits.  Differences
 * that are meant to be stand in a table here and in docs/fidelity.md; one that is no more fails
 * the test as well, so that the table stays true.
 *
 * With folders, each with `cases` and `recorded`, it prints what differs in them and how many
 * requests agree, and exits with 1 when something differs. */
#include <stdio.h>
#include <string.h>

#include "engine/codec.h"
#include "tests/oracle/place_replay.h"
#include "tests/oracle/recording.h"

#define FOLDER LK_SOURCE_DIR "/tests/oracle"

/* ---------------------------------------------------------------- what is meant to differ */

typedef struct {
  const char *file; /* case */
  const char *job;
  const char *why;
} Known;

static const Known known_differences[] = {
  { "cpu", "e", "Slurm keeps a core for each other node, also where it hands out CPUs" },
  { "filled", "cpus-per-task", "Slurm gives 11 CPUs for three tasks of 4" },
  { "gpu-sockets", "per-task-cpus", "Slurm gives the second task a GPU far from its CPUs" },
  { "gpu-types", "gpus-both", "--gpus with two types" },
  { "gres-counts", "f", "DefCpuPerGPU: Slurm gives 6 and 2 CPUs for 2 and 2 GPUs" },
  { "shard", "five", "Slurm lets it wait for ever" },
  { "slurm2605-drain", "victim", "the recording's clock is behind by up to a second" },
  { "slurm2605-drain", "wide4", "the reason is Resources" },
  { "slurm2605-memory", "all", "m1000 was backfilled" },
  { "slurm2605-memory", "m1000", "Slurm's backfill comes only every 30 s" },
  { "slurm2605-memory", "over", "toobig and m1000 are out of its way" },
  { "slurm2605-memory", "toobig", "refused at once, as Slurm 22.05 does" },
  { "slurm2605-sharing", "u2", "u3 was backfilled" },
  { "slurm2605-sharing", "u3", "all submits come at one instant here, so that u3 delays nobody" },
  { "slurm2605-tiers", "high2", "multi was backfilled" },
  { "slurm2605-tiers", "multi", "Slurm's backfill comes only every 30 s" },
  { "threads", "per-core", "--ntasks-per-core is not part of a request" },
  { "tree", "fourteen-cores", "Slurm 22.05 does not count CPUs when it looks for a leaf" },
  { "tree-weights", "six", "the same" },
  { NULL, NULL, NULL },
};

/* Why it is meant to differ, or NULL. */
static const char *
known_why (const char *file, const char *job)
{
  for (guint i = 0; known_differences[i].file != NULL; i++)
    if (g_str_equal (known_differences[i].file, file)
        && g_str_equal (known_differences[i].job, job))
      return known_differences[i].why;
  return NULL;
}

/* ---------------------------------------------------------------- the comparison */

typedef struct {
  const char *name; /* of the case */
  GHashTable *jobs; /* name -> GUINT_TO_POINTER (bits of Difference) */
  GString *text;    /* what differs without being known to */
} Comparison;

typedef enum { DIFFERENT_PLACE = 1, DIFFERENT_DETAIL = 2 } Difference;

static void G_GNUC_PRINTF (5, 6) differs (Comparison *self, guint settle, const char *job,
                                          Difference what, const char *format, ...)
{
  va_list arguments;
  guint bits = GPOINTER_TO_UINT (g_hash_table_lookup (self->jobs, job)) | what;
  g_hash_table_insert (self->jobs, (gpointer)job, GUINT_TO_POINTER (bits));
  if (known_why (self->name, job) != NULL)
    return;
  g_string_append_printf (self->text, "%s settle %u job %s: ", self->name, settle, job);
  va_start (arguments, format);
  g_string_append_vprintf (self->text, format, arguments);
  va_end (arguments);
  g_string_append_c (self->text, '\n');
}

static LkRecordedJob *
find_job (const GPtrArray *jobs, const char *name)
{
  for (guint i = 0; i < jobs->len; i++) {
    LkRecordedJob *job = g_ptr_array_index (jobs, i);
    if (g_str_equal (job->job, name))
      return job;
  }
  return NULL;
}

/* Slurm says more than we do: which nodes are not available, and that it is nodes that are. */
static gboolean
same_reason (const char *slurm, const char *ours)
{
  gsize length = strcspn (slurm, ",");
  if (g_str_has_prefix (slurm, "Nodes_required_for_job_are_DOWN"))
    return g_str_equal (ours, "Resources");
  return strlen (ours) == length && strncmp (slurm, ours, length) == 0;
}

/* Messages are in words of their own, but whether limits refuse the job is to be the same. */
static gboolean
same_refusal (const char *slurm, const char *ours)
{
  const char *by_limits = lk_reject_text (LK_REJECT_POLICY_LIMIT);
  return (g_ascii_strcasecmp (slurm, by_limits) == 0)
         == (g_ascii_strcasecmp (ours, by_limits) == 0);
}

static gint
compare_strings (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* Entries in one order, without those of nothing: "gpu:v100:0(IDX:)", "tool(CNT:0)". */
static char *
gres_sorted (const char *gres)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (g_free);
  while (*gres != '\0') {
    gsize length = strcspn (gres, ")");
    length += gres[length] == ')';
    char *entry = g_strndup (gres, length);
    if (strstr (entry, "(IDX:)") == NULL && strstr (entry, "(CNT:0)") == NULL)
      g_ptr_array_add (entries, entry);
    else
      g_free (entry);
    gres += length;
    gres += *gres == ',';
  }
  g_ptr_array_sort (entries, compare_strings);
  g_ptr_array_add (entries, NULL);
  return g_strjoinv (",", (char **)entries->pdata);
}

static void
compare_nodes (Comparison *self, guint settle, const LkRecordedJob *slurm,
               const LkRecordedJob *ours)
{
  for (guint i = 0; i < slurm->nodes->len && i < ours->nodes->len; i++) {
    const LkRecordedNode *a = g_ptr_array_index (slurm->nodes, i);
    const LkRecordedNode *b = g_ptr_array_index (ours->nodes, i);
    g_autofree char *gres_a = gres_sorted (a->gres);
    g_autofree char *gres_b = gres_sorted (b->gres);
    if (!g_str_equal (a->cpus, b->cpus))
      differs (self, settle, slurm->job, DIFFERENT_DETAIL, "%s cpus=%s, ours %s", a->node, a->cpus,
               b->cpus);
    if (a->memory_bytes != b->memory_bytes)
      differs (self, settle, slurm->job, DIFFERENT_DETAIL,
               "%s memory_mib=%" G_GINT64_FORMAT ", ours %" G_GINT64_FORMAT, a->node,
               a->memory_bytes >> 20, b->memory_bytes >> 20);
    if (!g_str_equal (gres_a, gres_b))
      differs (self, settle, slurm->job, DIFFERENT_DETAIL, "%s gres=%s, ours %s", a->node, gres_a,
               gres_b);
  }
}

static void
compare_job (Comparison *self, guint settle, const LkRecordedJob *slurm, const LkRecordedJob *ours)
{
  if (!g_str_equal (slurm->state, ours->state)) {
    differs (self, settle, slurm->job, DIFFERENT_PLACE, "%s %s, ours %s %s", slurm->state,
             slurm->node_list != NULL ? slurm->node_list : slurm->reason, ours->state,
             ours->node_list != NULL ? ours->node_list : ours->reason);
    return;
  }
  if (g_str_equal (slurm->state, "PENDING") && slurm->reason != NULL
      && !same_reason (slurm->reason, ours->reason))
    differs (self, settle, slurm->job, DIFFERENT_DETAIL, "PENDING %s, ours %s", slurm->reason,
             ours->reason);
  if (g_str_equal (slurm->state, "REFUSED") && !same_refusal (slurm->reason, ours->reason))
    differs (self, settle, slurm->job, DIFFERENT_DETAIL, "REFUSED %s, ours %s", slurm->reason,
             ours->reason);
  if (slurm->node_list == NULL)
    return;
  if (!g_str_equal (slurm->node_list, ours->node_list) || slurm->cpu_count != ours->cpu_count)
    differs (self, settle, slurm->job, DIFFERENT_PLACE, "%s cpus=%u, ours %s cpus=%u",
             slurm->node_list, slurm->cpu_count, ours->node_list, ours->cpu_count);
  if (g_str_equal (slurm->node_list, ours->node_list))
    compare_nodes (self, settle, slurm, ours);
}

static void
compare_settle (Comparison *self, guint settle, const GPtrArray *slurm, const GPtrArray *ours)
{
  for (guint i = 0; i < slurm->len; i++) {
    const LkRecordedJob *job = g_ptr_array_index (slurm, i);
    const LkRecordedJob *other = find_job (ours, job->job);
    if (other != NULL)
      compare_job (self, settle, job, other);
    else
      differs (self, settle, job->job, DIFFERENT_PLACE, "%s, ours has nothing new", job->state);
  }
  for (guint i = 0; i < ours->len; i++) {
    const LkRecordedJob *job = g_ptr_array_index (ours, i);
    if (find_job (slurm, job->job) == NULL)
      differs (self, settle, job->job, DIFFERENT_PLACE, "nothing new, ours %s %s", job->state,
               job->node_list != NULL ? job->node_list : "");
  }
}

/* ---------------------------------------------------------------- cases */

typedef struct {
  guint request_count;
  guint same_place_count;
  guint same_count;
  guint case_count;
  guint same_case_count;
} Counts;

/* Counts the requests; appends what is not as the table of known differences says. */
static void
judge (const Comparison *self, const LkCaseFile *file, Counts *counts, GString *out)
{
  g_string_append (out, self->text->str);
  for (guint i = 0; i < file->steps->len; i++) {
    const LkCaseStep *step = g_ptr_array_index (file->steps, i);
    if (step->verb != LK_CASE_SUBMIT)
      continue;
    guint bits = GPOINTER_TO_UINT (g_hash_table_lookup (self->jobs, step->name));
    const char *why = known_why (self->name, step->name);
    counts->request_count++;
    counts->same_place_count += (bits & DIFFERENT_PLACE) == 0;
    counts->same_count += bits == 0;
    if (bits != 0 && why != NULL)
      g_test_message ("%s job %s differs: %s", self->name, step->name, why);
    if (bits == 0 && why != NULL)
      g_string_append_printf (out, "%s job %s: the same, expected a difference: %s\n", self->name,
                              step->name, why);
  }
}

static void
compare_case (const char *folder, const char *name, Counts *counts, GString *out)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *case_path = g_strconcat (folder, "/cases/", name, ".case", NULL);
  g_autofree char *recording_path = g_strconcat (folder, "/recorded/", name, ".txt", NULL);
  g_autoptr (LkCaseFile) file = lk_case_file_load (case_path, &error);
  g_assert_no_error (error);
  g_autoptr (LkRecording) slurm = lk_recording_load (recording_path, &error);
  g_assert_no_error (error);
  g_autofree char *replayed = lk_place_replay (file, &error);
  g_assert_no_error (error);
  g_autoptr (LkRecording) ours =
      lk_recording_new_from_bytes (name, replayed, strlen (replayed), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ours->settles->len, ==, slurm->settles->len);
  Comparison self = { name, g_hash_table_new (g_str_hash, g_str_equal), g_string_new (NULL) };
  for (guint i = 0; i < slurm->settles->len; i++)
    compare_settle (&self, i + 1, g_ptr_array_index (slurm->settles, i),
                    g_ptr_array_index (ours->settles, i));
  judge (&self, file, counts, out);
  counts->case_count++;
  counts->same_case_count += g_hash_table_size (self.jobs) == 0;
  g_hash_table_unref (self.jobs);
  g_string_free (self.text, TRUE);
}

/* All cases of a folder. Returns: what differs and is not known to. */
static GString *
compare_folder (const char *folder, Counts *out_counts)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *cases = g_build_filename (folder, "cases", NULL);
  g_autoptr (GDir) entries = g_dir_open (cases, 0, &error);
  g_assert_no_error (error);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  GString *wrong = g_string_new (NULL);
  *out_counts = (Counts){ 0 };
  for (const char *name; (name = g_dir_read_name (entries));)
    g_ptr_array_add (names, g_strndup (name, strlen (name) - strlen (".case")));
  g_ptr_array_sort (names, compare_strings);
  for (guint i = 0; i < names->len; i++)
    compare_case (folder, g_ptr_array_index (names, i), out_counts, wrong);
  return wrong;
}

static int
show (const char *folder)
{
  Counts counts;
  g_autoptr (GString) wrong = compare_folder (folder, &counts);
  printf ("%s%s: %u requests: %u with the same nodes and CPU counts, %u the same in everything; "
          "%u of %u cases without a difference\n",
          wrong->str, folder, counts.request_count, counts.same_place_count, counts.same_count,
          counts.same_case_count, counts.case_count);
  return wrong->len > 0;
}

static void
test_all (void)
{
  Counts counts;
  g_autoptr (GString) wrong = compare_folder (FOLDER, &counts);
  g_test_message ("%u requests: %u with the same nodes and CPU counts, %u the same in everything",
                  counts.request_count, counts.same_place_count, counts.same_count);
  if (wrong->len > 0)
    fputs (wrong->str, stderr);
  g_assert_cmpuint (wrong->len, ==, 0);
}

int
main (int argc, char **argv)
{
  int differs_any = 0;
  for (int i = 1; i < argc && argv[1][0] != '-'; i++)
    differs_any |= show (argv[i]);
  if (argc > 1 && argv[1][0] != '-')
    return differs_any;
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/place/jobs are placed as a real Slurm placed them", test_all);
  return g_test_run ();
}
