/* tests/traces/job_options_test.c — sbatch's options one by one, what they make of each other,
 * every message.
 *
 * What is expected of combinations was recorded with Slurm 22.05.8: held jobs submitted with these
 * options to a slurmctld, then NumNodes, NumTasks and NumCPUs of `scontrol show job`. */
#include "traces/job_options.h"

#include <string.h>

#include "traces/job_values.h"

#define US G_GINT64_CONSTANT (1000000)

typedef struct {
  GStringChunk *texts;
  char **words; /* what was parsed */
  LkJobOptions options;
} Parsed;

static gboolean
line_parse (Parsed *out, const char *line, GError **error)
{
  out->texts = g_string_chunk_new (256);
  out->words = lk_job_options_split (line, error);
  return out->words != NULL
         && lk_job_options_parse ((const char *const *)out->words, out->texts, &out->options,
                                  error);
}

static void
parsed_clear (Parsed *parsed)
{
  g_string_chunk_free (parsed->texts);
  g_strfreev (parsed->words);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Parsed, parsed_clear)

static Parsed
expect_parsed (const char *line)
{
  g_autoptr (GError) error = NULL;
  Parsed parsed = { 0 };
  if (!line_parse (&parsed, line, &error))
    g_error ("'%s': %s", line, error->message);
  return parsed;
}

static void
expect_error (const char *line, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_auto (Parsed) parsed = { 0 };
  if (line_parse (&parsed, line, &error))
    g_error ("'%s' was taken", line);
  g_assert_true (g_error_matches (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX)
                 || g_error_matches (error, LK_TRACE_ERROR, LK_TRACE_ERROR_CONFLICT));
  g_assert_cmpstr (error->message, ==, message);
}

/* ---------------------------------------------------------------- what is in a request */

static void
show_u32 (GString *out, const char *name, guint32 value)
{
  if (value != 0)
    g_string_append_printf (out, " %s=%u", name, value);
}

static void
show_i64 (GString *out, const char *name, gint64 value)
{
  if (value != 0)
    g_string_append_printf (out, " %s=%" G_GINT64_FORMAT, name, value);
}

static void
show_text (GString *out, const char *name, LkText value)
{
  if (value.length_bytes != 0)
    g_string_append_printf (out, " %s=%.*s", name, (int)value.length_bytes, value.bytes);
}

#define SHOW(type, name, help) show_##type (shown, #name, request->name);

/* Every field that is not neutral, by its name. */
static char *
request_shown (const LkJobRequest *request)
{
  GString *shown = g_string_new (NULL);
  LK_JOB_REQUEST_FIELDS (SHOW)
  return g_string_free (shown, FALSE);
}

static const struct {
  const char *line;
  const char *request;
} options_one_by_one[] = {
  { "", "" },
  { "-N4", " nodes_min=4 nodes_max=4" },
  { "-N 2-4", " nodes_min=2 nodes_max=4" },
  { "--nodes=1k", " nodes_min=1024 nodes_max=1024" },
  { "--nodes=2-0", " nodes_min=2" },
  { "--nodes=-3", " nodes_min=1 nodes_max=3" },
  { "--nodes ' 2 - 4'", " nodes_min=2 nodes_max=4" },
  { "-n32", " tasks=32" },
  { "--ntasks 32", " tasks=32" },
  { "-c 4", " cpus_per_task=4" },
  { "--ntasks-per-socket=2", " tasks_per_socket=2" },
  { "--cpus-per-gpu=8", " cpus_per_gpu=8" },
  { "--mincpus=3", " cpus_per_node_min=3" },
  { "--sockets-per-node=2", " sockets_per_node_min=2" },
  { "--cores-per-socket=8", " cores_per_socket_min=8" },
  { "--threads-per-core=1", " threads_per_core=1" },
  { "--hint=nomultithread", " threads_per_core=1" },
  { "--hint=compute_bound", " threads_per_core=1" },
  { "--hint=memory_bound", " cores_per_socket_min=1 threads_per_core=1" },
  { "--hint=multithread", "" },
  { "--hint=nomultithread --threads-per-core=2", " threads_per_core=2" },
  { "--threads-per-core=2 --hint=nomultithread", " threads_per_core=2" },
  { "--mem=4000", " present=1 memory_per_node_bytes=4194304000" },
  { "--mem=4G", " present=1 memory_per_node_bytes=4294967296" },
  { "--mem 4gB", " present=1 memory_per_node_bytes=4294967296" },
  { "--mem=1025K", " present=1 memory_per_node_bytes=2097152" },
  { "--mem=0", " present=1" },
  { "--mem-per-cpu=1t", " present=2 memory_per_cpu_bytes=1099511627776" },
  { "--mem-per-gpu=1M --gpus=1", " present=4 memory_per_gpu_bytes=1048576 gpus=1" },
  { "--tmp=1G", " tmp_per_node_bytes=1073741824" },
  { "--switches=2", " switches=2" },
  { "--switches=1@30", " switches=1 switches_wait_us=1800000000" },
  { "--switches=1@0:30", " switches=1 switches_wait_us=30000000" },
  { "--switches=1@UNLIMITED", " switches=1" },
  { "--segment=8", " segment_nodes=8" },
  { "--gres=gpu", " gres=gpu:1" },
  { "--gres=gpu:2", " gres=gpu:2" },
  { "--gres=gpu:a100", " gres=gpu:a100:1" },
  { "--gres=gpu:1g.5gb:2,shard:1k", " gres=gpu:1g.5gb:2,shard:1024" },
  { "--gres=gres:gpu:2", " gres=gpu:2" },
  { "--gres=gres/gpu:2", " gres=gpu:2" },
  { "--gres=gpu:1,gpu:2", " gres=gpu:2" },
  { "--gres=gpu:0", "" },
  { "--gres=none", "" },
  { "--gres=gpu:2 --gres=NONE", "" },
  { "--gpus-per-node=a100:2", " gres=gpu:a100:2" },
  { "--gpus-per-node=2 --gres=gpu:1,nic", " gres=gpu:1,nic:1" },
  { "-G3", " gpus=3" },
  { "--gpus=a100:2,v100:1", " gpus=a100:2,v100:1" },
  { "--gpus=a100", " gpus=a100:1" },
  { "--gpus-per-task=2 -n3", " tasks=3 gpus_per_task=2" },
  { "--gpus-per-socket=2 --sockets-per-node=2", " sockets_per_node_min=2 gpus_per_socket=2" },
  { "-C 'a&b|[c|d]'", " constraint=a&b|[c|d]" },
  { "-w n[1-3],m1", " node_list=n[1-3],m1" },
  { "-n4 -w n[1-3],m1,n1", " tasks=4 node_list=n[1-3],m1,n1" },
  { "-n2 -w n[1-3]", " nodes_min=2 nodes_max=2 tasks=2 node_list=n[1-3]" },
  { "-x n1", " exclude=n1" },
  { "-L a:2,b", " licenses=a:2,b" },
  { "-p big,small -A phys -q high --gid=staff",
    " partition=big,small account=phys group=staff qos=high" },
  { "--partition=", "" },
  { "--exclusive", " flags=1" },
  { "--exclusive=exclusive", " flags=1" },
  { "--exclusive=user", " flags=2" },
  { "--exclusive=oversubscribe", " flags=4" },
  { "-s", " flags=4" },
  { "--contiguous", " flags=8" },
  { "--spread-job", " flags=16" },
  { "--gres-flags=enforce-binding", " flags=32" },
  { "--gres-flags=enforce-binding --gres-flags=disable-binding", " flags=64" },
  { "--no-requeue", " flags=128" },
  { "--no-requeue --requeue", "" },
  { "-k", " flags=256" },
  { "-k --no-kill=off", "" },
  { "--use-min-nodes", " flags=512" },
  { "-m block", "" },
  { "-m pack", " flags=1024" },
  { "-m block:block,Pack", " flags=3072" },
  { "-m '*:cyclic'", " flags=4096" },
  { "-m cyclic:fcyclic:block,NoPack", " flags=4096" },
  { "-m plane=4", " flags=2048" },
  { "-m plane=2 -N2 -n3", " nodes_min=2 nodes_max=2 tasks=3 flags=2048" },
  { "-m plane=4 -N2 --ntasks-per-node=3",
    " nodes_min=2 nodes_max=2 tasks=6 tasks_per_node=3 flags=2048" },
  { "--spread-job -n3", " nodes_min=1 nodes_max=3 tasks=3 flags=16" },
  { "--spread-job -n3 -N2", " nodes_min=2 nodes_max=2 tasks=3 flags=16" },
  { "-m block:block -m cyclic", "" },
  { "-H", " flags=8192" },
  { "-HN3", " nodes_min=3 nodes_max=3 flags=8192" },
};

static void
test_each_option (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (options_one_by_one); i++) {
    g_auto (Parsed) parsed = expect_parsed (options_one_by_one[i].line);
    g_autofree char *shown = request_shown (&parsed.options.request);
    /* Members come in the order of the schema, the options_one_by_one as people write them. */
    g_auto (GStrv) found = g_strsplit (shown, " ", -1);
    g_auto (GStrv) expected = g_strsplit (options_one_by_one[i].request, " ", -1);
    gboolean is_same = g_strv_length (found) == g_strv_length (expected);
    for (guint j = 0; is_same && expected[j] != NULL; j++)
      is_same = g_strv_contains ((const char *const *)found, expected[j]);
    if (!is_same)
      g_error ("'%s' gives '%s', not '%s'", options_one_by_one[i].line, shown,
               options_one_by_one[i].request);
  }
}

/* ---------------------------------------------------------------- recorded combinations */

static void
test_recorded (void)
{
  static const struct {
    const char *line;
    guint32 nodes_min; /* 0: not said */
    guint32 nodes_max;
    guint32 tasks; /* 0: not said */
    guint32 cpus;
  } cases[] = {
    { "", 0, 0, 0, 1 },
    { "-N2", 2, 2, 0, 2 },
    /* Slurm shows one CPU here, and gives one on each node. */
    { "-N2-4", 2, 4, 0, 2 },
    { "-n3", 0, 0, 3, 3 },
    { "-N4 -n2", 2, 2, 2, 2 },
    { "-N2-8 -n3", 2, 3, 3, 3 },
    { "--ntasks-per-node=3", 0, 0, 3, 3 },
    { "-N2 --ntasks-per-node=3", 2, 2, 6, 6 },
    { "-N2-4 --ntasks-per-node=3", 2, 4, 6, 6 },
    { "-n6 --ntasks-per-node=3", 0, 0, 6, 6 },
    { "-N2 -n4 --ntasks-per-node=3", 2, 2, 4, 4 },
    { "-c2", 0, 0, 0, 2 },
    { "-N2 -c2", 2, 2, 0, 4 },
    { "-n3 -c2", 0, 0, 3, 6 },
    { "-N2-4 -c3", 2, 4, 0, 3 },
    { "-N3 -c2 --ntasks-per-node=2", 3, 3, 6, 12 },
    { "-B1:2:2", 0, 0, 4, 4 },
    { "-N2 -B1:2:1", 2, 2, 4, 4 },
    { "-B2", 0, 0, 2, 2 },
    { "-B'*:2'", 0, 0, 2, 2 },
    { "-B1-2:3", 0, 0, 3, 3 },
    { "-N2-4 -B2", 2, 4, 0, 2 },
    { "-n8 -B2:2", 0, 0, 8, 8 },
    { "-c2 -B2:2", 0, 0, 4, 8 },
    { "--ntasks-per-node=2 -B2:2", 0, 0, 2, 2 },
    { "--sockets-per-node=2 --cores-per-socket=4", 0, 0, 0, 1 },
    { "--gpus=3", 0, 0, 0, 1 },
    { "-N2 --gpus=3", 2, 2, 0, 2 },
    { "-N2-5 --gpus=3", 2, 3, 0, 2 },
    { "--gpus=4 --gpus-per-node=2", 2, 2, 0, 2 },
    { "-N2-4 --gpus=4 --gpus-per-node=2", 2, 2, 0, 2 },
    { "--gpus=4 --gpus-per-task=2", 0, 0, 2, 2 },
    { "-N2-4 --gpus=4 --gpus-per-task=1", 2, 4, 4, 4 },
    { "-n3 --gpus-per-task=1", 0, 0, 3, 3 },
    { "-N2 --gpus-per-task=1", 2, 2, 2, 2 },
    { "-N2 --ntasks-per-node=2 --gpus-per-task=1 --gpus=4", 2, 2, 4, 4 },
    { "--ntasks-per-gpu=2 --gpus=3", 0, 0, 6, 6 },
    { "--ntasks-per-gpu=2 --gpus=3 -n4", 0, 0, 6, 6 },
    { "--ntasks-per-gpu=2 -n4", 0, 0, 4, 4 },
    { "-N2 --ntasks-per-gpu=2 --gres=gpu:2", 2, 2, 8, 8 },
    { "-N2 --ntasks-per-gpu=1", 2, 2, 0, 2 },
    /* Slurm adds these CPUs when it places the job. */
    { "--cpus-per-gpu=3 --gpus=2", 0, 0, 0, 6 },
    { "-N2 --cpus-per-gpu=3 --gres=gpu:2", 2, 2, 0, 12 },
    { "-n2 --cpus-per-gpu=3 --gpus-per-task=1", 0, 0, 2, 6 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Parsed) parsed = expect_parsed (cases[i].line);
    const LkJobRequest *request = &parsed.options.request;
    guint32 cpus = lk_job_request_cpus (request);
    if (request->nodes_min != cases[i].nodes_min || request->nodes_max != cases[i].nodes_max
        || request->tasks != cases[i].tasks || cpus != cases[i].cpus)
      g_error ("'%s' gives nodes %u-%u, tasks %u, CPUs %u", cases[i].line, request->nodes_min,
               request->nodes_max, request->tasks, cpus);
  }
}

/* The type and number of GPUs make up what else is missing. */
static void
test_gpus_follow (void)
{
  g_auto (Parsed) tasks = expect_parsed ("-n8 --ntasks-per-gpu=3");
  g_autofree char *shown = request_shown (&tasks.options.request);
  g_assert_cmpstr (shown, ==, " tasks=8 tasks_per_gpu=3 gpus=3");
  g_auto (Parsed) node = expect_parsed ("--gres=gpu:4 --gpus-per-task=2 -n4");
  g_assert_cmpuint (node.options.request.tasks_per_node, ==, 2);
}

/* ---------------------------------------------------------------- beside the request */

static void
test_time_limits (void)
{
  static const struct {
    const char *text;
    gint64 limit_s; /* -1: unlimited */
  } cases[] = {
    { "90", 5400 },
    { "90:00", 5400 },
    { "1:30:00", 5400 },
    { "1-2", 93600 },
    { "0:30", 60 },
    { "1-0:0:1", 86460 },
    { "1:01", 120 },
    { "1:90", 180 },
    { "1-25", 176400 },
    { "1-", 86400 },
    { "1-2:3", 93780 },
    { "00:01:00", 60 },
    { "UNLIMITED", -1 },
    { "infinite", -1 },
    { "-1", -1 },
    { "0", -1 },
    { "0:0", -1 },
    { "2147483647", -2 },
    { "3-00:00:00", 259200 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *line = g_strdup_printf ("--time=%s", cases[i].text);
    g_auto (Parsed) parsed = expect_parsed (line);
    gint64 limit_us = cases[i].limit_s == -1   ? LK_TIME_NEVER
                      : cases[i].limit_s == -2 ? G_GINT64_CONSTANT (2147483647) * 60 * US
                                               : cases[i].limit_s * US;
    g_assert_cmpint (parsed.options.limit_us, ==, limit_us);
  }
  g_auto (Parsed) none = expect_parsed ("-n1");
  g_assert_cmpint (none.options.limit_us, ==, -1);
}

static void
test_priorities (void)
{
  static const struct {
    const char *line;
    gint64 nice;
    guint32 priority;
    guint32 flags;
  } cases[] = {
    { "-n1", 0, 0, 0 },
    { "--nice", 100, 0, 0 },
    { "--nice=-200", -200, 0, 0 },
    { "--nice=2147483645", 2147483645, 0, 0 },
    { "--priority=5000", 0, 5000, 0 },
    { "--priority=top", 0, G_MAXUINT32 - 1, 0 },
    { "--priority=0", 0, 0, 0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Parsed) parsed = expect_parsed (cases[i].line);
    g_assert_cmpint (parsed.options.request.nice, ==, cases[i].nice);
    g_assert_cmpuint (parsed.options.request.priority, ==, cases[i].priority);
    g_assert_cmpuint (parsed.options.request.flags, ==, cases[i].flags);
  }
}

static void
test_strings (void)
{
  g_auto (Parsed) parsed =
      expect_parsed ("-J 'my job' --uid=alice -t 5 -- ./run.sh -n4 --no-such-option");
  g_assert_cmpstr (parsed.options.job_name, ==, "my job");
  g_assert_cmpstr (parsed.options.user, ==, "alice");
  g_assert_cmpuint (parsed.options.request.tasks, ==, 0);
  g_assert_cmpuint (parsed.options.argument_count, ==, 6);
  g_assert_cmpstr (parsed.words[parsed.options.argument_count], ==, "./run.sh");
  g_assert_null (parsed.options.unsupported);
  g_auto (Parsed) script = expect_parsed ("-n2 job.sh -n4");
  g_assert_cmpuint (script.options.request.tasks, ==, 2);
  g_assert_cmpuint (script.options.argument_count, ==, 1);
  g_auto (Parsed) latin = expect_parsed ("-J caf\xe9 -p \xff");
  g_assert_cmpstr (latin.options.job_name, ==, "caf\xef\xbf\xbd");
  g_assert_true (g_utf8_validate_len (latin.options.request.partition.bytes,
                                      latin.options.request.partition.length_bytes, NULL));
}

static gboolean
text_is (LkText text, const char *expected)
{
  return text.length_bytes == strlen (expected)
         && memcmp (text.bytes, expected, text.length_bytes) == 0;
}

static void
test_terms (void)
{
  g_auto (Parsed) parsed = expect_parsed (
      "-J x --comment=hey -b now+1hour --deadline=2030-01-01 -d afterok:1 -a 0-9%2 --time-min=1:01 "
      "--reservation=r --signal=B:USR1@300 --kill-on-invalid-dep=yes -O");
  const LkJobTerms *terms = &parsed.options.terms;
  g_assert_true (text_is (terms->name, "x"));
  g_assert_true (text_is (terms->comment, "hey"));
  g_assert_true (text_is (terms->dependency, "afterok:1"));
  g_assert_true (text_is (terms->array, "0-9%2"));
  g_assert_true (text_is (terms->reservation, "r"));
  g_assert_cmpstr (parsed.options.begin, ==, "now+1hour");
  g_assert_cmpstr (parsed.options.deadline, ==, "2030-01-01");
  g_assert_cmpint (terms->begin_us, ==, 0);
  g_assert_cmpint (terms->time_min_us, ==, 120 * US);
  g_assert_cmpuint (terms->warn_signal, ==, 10);
  g_assert_cmpint (terms->warn_before_us, ==, 300 * US);
  g_assert_cmpuint (terms->term_flags, ==, LK_TERM_WARN_BATCH | LK_TERM_KILL_INVALID_DEP);
  g_assert_null (parsed.options.unsupported_beside_terms);
  g_assert_true (parsed.options.is_overcommitted);
  g_auto (Parsed) later = expect_parsed ("--signal=B:1 --signal=RB:TERM --kill-on-invalid-dep=no");
  g_assert_cmpuint (later.options.terms.term_flags, ==,
                    LK_TERM_WARN_BATCH | LK_TERM_WARN_RESERVATION | LK_TERM_KEEP_INVALID_DEP);
  g_assert_cmpint (later.options.terms.warn_before_us, ==, 60 * US);
  expect_error ("--signal=FOO",
                "option --signal is 'FOO'; expected [B:]SIGNAL[@SECONDS] such as USR1@300");
  expect_error ("--kill-on-invalid-dep=x",
                "option --kill-on-invalid-dep is 'x'; expected yes or no");
}

static void
test_moments (void)
{
  static const struct {
    const char *text;
    gint64 moment_s; /* -1: none */
  } cases[] = {
    { "now", 100 },
    { "now+15", 115 },
    { "NOW+3minutes", 280 },
    { "now+1hour", 3700 },
    { "now-30", 70 },
    { "now+2days", 172900 },
    { "now+1week", 604900 },
    { "uts7", 7 },
    { "now+", -1 },
    { "now+x", -1 },
    { "nowish", -1 },
    { "2026-11-21", -1 },
    { "now+3fortnights", -1 },
    { "12:00", -1 },
    { "uts", -1 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 moment_us = -US;
    gboolean is_good = lk_job_moment_parse (cases[i].text, 100 * US, &moment_us);
    g_assert_cmpint (is_good, ==, cases[i].moment_s >= 0);
    g_assert_cmpint (moment_us, ==, cases[i].moment_s * US);
  }
}

static void
test_overcommit (void)
{
  static const struct {
    const char *line;
    guint32 tasks, tasks_per_node, asked_tasks, asked_cpus;
  } cases[] = {
    { "-n10 -O", 10, 0, 1, 1 },
    { "-N2 -n10 -c3 --overcommit", 10, 0, 2, 6 },
    { "-N2 --ntasks-per-node=8 -O", 16, 8, 2, 2 },
    { "-N2 --ntasks-per-node=8", 16, 8, 16, 16 },
    { "-n4 --ntasks-per-node=2 -O", 4, 2, 2, 2 },
    { "-n5 -N3-4 --ntasks-per-node=2 -O", 5, 2, 3, 3 },
    { "-O", 0, 0, 0, 1 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Parsed) parsed = expect_parsed (cases[i].line);
    const LkJobRequest *request = &parsed.options.request;
    g_assert_cmpuint (parsed.options.tasks, ==, cases[i].tasks);
    g_assert_cmpuint (parsed.options.tasks_per_node, ==, cases[i].tasks_per_node);
    g_assert_cmpuint (request->tasks, ==, cases[i].asked_tasks);
    g_assert_cmpuint (lk_job_request_cpus (request), ==, cases[i].asked_cpus);
  }
}

static void
test_unsupported (void)
{
  static const struct {
    const char *line;
    const char *unsupported;
  } cases[] = {
    { "-d afterok:1 -b now+1hour -d singleton", "dependency,begin" },
    { "-a 0-9 --reservation=r --begin=now --reboot", "array,reservation,begin,reboot" },
    { "--exclusive=mcs --exclusive=topo", "exclusive=mcs,exclusive=topo" },
    { "-m arbitrary", "distribution=arbitrary" },
    { "-o out -e err -D /tmp --mail-type=END --export ALL -W --parsable -vv --get-user-env", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Parsed) parsed = expect_parsed (cases[i].line);
    g_assert_cmpstr (parsed.options.unsupported, ==, cases[i].unsupported);
  }
}

static void
test_short_names (void)
{
  g_auto (Parsed) parsed =
      expect_parsed ("--part=p --acco a --ntasks-per-n=2 --cpus-per-t 3 --mem 1");
  g_autofree char *shown = request_shown (&parsed.options.request);
  g_assert_cmpstr (shown, ==,
                   " present=1 tasks=2 cpus_per_task=3 tasks_per_node=2 "
                   "memory_per_node_bytes=1048576 partition=p account=a");
}

/* ---------------------------------------------------------------- messages */

#define COUNT "; expected " LK_JOB_COUNT_EXPECTED
#define SIZE "; expected " LK_JOB_SIZE_EXPECTED
#define TIME "; expected " LK_JOB_TIME_EXPECTED
#define NODES "; expected " LK_JOB_NODES_EXPECTED
#define GRES_LIST "; expected a list such as gpu:2 or gpu:a100:2,shard:4"
#define GPUS "; expected a number of GPUs such as 2, or a type and a number, a100:2"
#define DISTRIBUTION                                                                               \
  "; expected block, cyclic, plane=SIZE or arbitrary, then :block, :cyclic or :fcyclic, then "     \
  ",pack or ,nopack"

#define TOO_FEW_PROCESSES "Too few processes for the requested {plane,node} distribution"

static const struct {
  const char *line;
  const char *message;
} bad_options[] = {
  { "-n0", "option --ntasks is '0'" COUNT },
  { "-n -1", "option --ntasks is '-1'" COUNT },
  { "-n 1k", "option --ntasks is '1k'" COUNT },
  { "-n 2147483648", "option --ntasks is '2147483648'" COUNT },
  { "-c ''", "option --cpus-per-task is ''" COUNT },
  { "-N 0", "option --nodes is '0'" NODES },
  { "-N 4-2", "option --nodes is '4-2'" NODES },
  { "-N 2-", "option --nodes is '2-'" NODES },
  { "-N 3x", "option --nodes is '3x'" NODES },
  { "--mem=3Q", "option --mem is '3Q'" SIZE },
  { "--mem=1.5G", "option --mem is '1.5G'" SIZE },
  { "--mem=-1", "option --mem is '-1'" SIZE },
  { "--mem=5P", "option --mem is '5P'" SIZE },
  { "--mem=4MiB", "option --mem is '4MiB'" SIZE },
  { "--mem=4B", "option --mem is '4B'" SIZE },
  { "--mem=9000000T", "option --mem is '9000000T'" SIZE },
  { "--mem=", "option --mem is ''" SIZE },
  { "-t x", "option --time is 'x'" TIME },
  { "-t 1.5", "option --time is '1.5'" TIME },
  { "-t -5", "option --time is '-5'" TIME },
  { "-t 1:2:3:4", "option --time is '1:2:3:4'" TIME },
  { "-t 1-2:3:4:5", "option --time is '1-2:3:4:5'" TIME },
  { "-t 1-1-1", "option --time is '1-1-1'" TIME },
  { "-t 5:", "option --time is '5:'" TIME },
  { "-t ''", "option --time is ''" TIME },
  { "-t 99999999999", "option --time is '99999999999'" TIME },
  { "--gres=gpu:", "option --gres is 'gpu:'" GRES_LIST },
  { "--gres=:2", "option --gres is ':2'" GRES_LIST },
  { "--gres=gpu:a:b:c", "option --gres is 'gpu:a:b:c'" GRES_LIST },
  { "--gres=gpu:a:b", "option --gres is 'gpu:a:b'" GRES_LIST },
  { "--gres=gpu=2", "option --gres is 'gpu=2'" GRES_LIST },
  { "--gres=gpu:2,", "option --gres is 'gpu:2,'" GRES_LIST },
  { "--gres=gpu:2:2", "option --gres is 'gpu:2:2'" GRES_LIST },
  { "--gres=gpu:9999999999", "option --gres is 'gpu:9999999999'" GRES_LIST },
  { "--gpus=:2", "option --gpus is ':2'" GPUS },
  { "--gpus=x:", "option --gpus is 'x:'" GPUS },
  { "--exclusive=x", "option --exclusive is 'x'; expected no value, user, mcs or topo" },
  { "-s --exclusive", "options --exclusive and --oversubscribe exclude each other; expected one of "
                      "them" },
  { "--exclusive=user --oversubscribe",
    "options --exclusive and --oversubscribe exclude each other; expected one of them" },
  { "--no-kill=x", "option --no-kill is 'x'; expected no value, or off" },
  { "-kH", "option --no-kill is 'H'; expected no value, or off" },
  { "--nice=x", "option --nice is 'x'; expected a number from -2147483645 to 2147483645" },
  { "--nice=2147483646",
    "option --nice is '2147483646'; expected a number from -2147483645 to 2147483645" },
  { "--priority=-1", "option --priority is '-1'; expected a number from 0 to 4294967294, or TOP" },
  { "--contiguous=1", "option --contiguous is '1'; expected no value" },
  { "--switches=0", "option --switches is '0'; expected a number of switches such as 1, or with "
                    "a time, 1@30:00" },
  { "--switches=1@",
    "option --switches is '1@'; expected a number of switches such as 1, or with a time, "
    "1@30:00" },
  { "--gres-flags=x", "option --gres-flags is 'x'; expected enforce-binding or disable-binding" },
  { "-m x", "option --distribution is 'x'" DISTRIBUTION },
  { "-m plane", "option --distribution is 'plane'" DISTRIBUTION },
  { "-m plane=2 -N2 -n2", TOO_FEW_PROCESSES },
  { "-m plane=2 -N2", TOO_FEW_PROCESSES },
  { "-m plane=4 -N3 --ntasks-per-node=2", TOO_FEW_PROCESSES },
  { "-n5 -N2 --ntasks-per-node=2 -O",
    "options --overcommit and --ntasks-per-node need more nodes than --nodes allows; expected more "
    "nodes, or more tasks on each" },
  { "-m block:x", "option --distribution is 'block:x'" DISTRIBUTION },
  { "-m fcyclic", "option --distribution is 'fcyclic'" DISTRIBUTION },
  { "-m block,block", "option --distribution is 'block,block'" DISTRIBUTION },
  { "-m ''", "option --distribution is ''" DISTRIBUTION },
  { "--hint=x",
    "option --hint is 'x'; expected compute_bound, memory_bound, multithread or nomultithread" },
  { "-B 1:2:3:4",
    "option --extra-node-info is '1:2:3:4'; expected sockets[:cores[:threads]], each a number or "
    "*" },
  { "-B 65536:65536",
    "option --extra-node-info is '65536:65536'; expected sockets[:cores[:threads]], each a "
    "number or *" },
  { "-w nodes/list",
    "option --nodelist is 'nodes/list'; expected names of nodes; a file of them is not read" },
  { "--time", "option --time is the last argument; expected its value behind it" },
  { "-vn", "option --ntasks is the last argument; expected its value behind it" },
  { "--ntask-per-node=3", "option '--ntask-per-node' is unknown; did you mean "
                          "'--ntasks-per-node'?" },
  { "--xyzzy", "option '--xyzzy' is unknown; expected an option of sbatch" },
  { "--=5", "option '--' is unknown; expected an option of sbatch" },
  { "-Z", "option '-Z' is unknown; expected an option of sbatch" },
  { "--gpu=2", "option '--gpu' is ambiguous; expected one of --gpu-bind, --gpu-freq, --gpus, "
               "--gpus-per-node, --gpus-per-socket, --gpus-per-task" },
  { "-n2 : -n3", "argument ':' begins a second component; expected a job of one component" },
  { "-J 'x", "a quote or a backslash has nothing behind it; expected every quote to be closed" },
};

static void
test_bad_options (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad_options); i++)
    expect_error (bad_options[i].line, bad_options[i].message);
}

static void
test_bad_combinations (void)
{
  static const struct {
    const char *line;
    const char *message;
  } cases[] = {
    { "--mem=1 --mem-per-cpu=2",
      "options --mem, --mem-per-cpu and --mem-per-gpu exclude each other; "
      "expected one of them" },
    { "--mem=0 --mem-per-gpu=0",
      "options --mem, --mem-per-cpu and --mem-per-gpu exclude each other; "
      "expected one of them" },
    { "--mem-per-gpu=10", "option --mem-per-gpu is given for a job without GPUs; expected --gpus, "
                          "--gres=gpu or --gpus-per-task too" },
    { "--cpus-per-gpu=2 -c2 --gpus=1", "options --cpus-per-gpu and --cpus-per-task exclude each "
                                       "other; expected one of them" },
    { "--gpus-per-socket=1",
      "option --gpus-per-socket is given without --sockets-per-node; expected both" },
    { "--ntasks-per-gpu=2 --ntasks-per-node=2 --gpus=1",
      "option --ntasks-per-gpu excludes --ntasks-per-node, --gpus-per-task and --gpus-per-socket; "
      "expected one of them" },
    { "--ntasks-per-gpu=2",
      "option --ntasks-per-gpu is given without GPUs, tasks or nodes; expected --gpus, --gres=gpu "
      "or --ntasks too" },
    { "--gpus-per-node=2 --gres=gpu:a100:1",
      "option --gres asks for gpu with a type and without one; expected one of the two" },
    { "--gpus=a100:1,2",
      "option --gpus asks for gpu with a type and without one; expected one of the two" },
    { "--gpus-per-task=1",
      "option --gpus-per-task is given without --ntasks or --gpus; expected one "
      "of them too" },
    { "--gpus=5 --gpus-per-task=2",
      "option --gpus is not a multiple of --gpus-per-task; expected one" },
    { "--gpus=6 --gpus-per-task=2 -n4",
      "option --gpus divided by --gpus-per-task is another number of tasks than the options give; "
      "expected the same" },
    { "--gres=gpu:3 --gpus-per-task=2 -n4",
      "the GPUs of a node are not a multiple of --gpus-per-task; expected one" },
    { "-N5 --gpus=3", "option --gpus is less than the nodes of --nodes; expected a GPU for each" },
    { "--gpus=4 --gpus-per-node=3",
      "option --gpus is not a multiple of the GPUs of a node; expected one" },
    { "-N3 --gpus=4 --gpus-per-node=2",
      "option --gpus divided by the GPUs of a node is outside of --nodes; expected a number of "
      "nodes in it" },
    { "-N2000000000 --ntasks-per-node=2",
      "the options ask for more than 2147483647 tasks; expected fewer" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    expect_error (cases[i].line, cases[i].message);
}

static void
test_long_texts (void)
{
  g_autofree char *most = g_strnfill (65535, 'x');
  g_autofree char *more = g_strnfill (65536, 'x');
  const char *good[] = { "-p", most, NULL };
  const char *bad[] = { "-p", more, NULL };
  const char *bad_name[] = { "-J", more, NULL };
  g_autoptr (GStringChunk) texts = g_string_chunk_new (256);
  LkJobOptions options = { .limit_us = 77 };
  g_assert_false (lk_job_options_parse (bad, texts, &options, NULL));
  g_assert_false (lk_job_options_parse (bad_name, texts, &options, NULL));
  g_assert_cmpint (options.limit_us, ==, 77);
  g_assert_true (lk_job_options_parse (good, texts, &options, NULL));
  g_assert_cmpuint (options.request.partition.length_bytes, ==, 65535);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/job_options/every option gives its part of a request", test_each_option);
  g_test_add_func ("/job_options/combinations give what slurmctld stored", test_recorded);
  g_test_add_func ("/job_options/GPUs follow from tasks and tasks from GPUs", test_gpus_follow);
  g_test_add_func ("/job_options/time limits are whole minutes", test_time_limits);
  g_test_add_func ("/job_options/nice and priority", test_priorities);
  g_test_add_func ("/job_options/options end at the script", test_strings);
  g_test_add_func ("/job_options/overcommit asks for nodes as if each had one task",
                   test_overcommit);
  g_test_add_func ("/job_options/what nothing acts on is named", test_unsupported);
  g_test_add_func ("/job_options/terms are kept beside the request", test_terms);
  g_test_add_func ("/job_options/moments are told from now or from the run's clock", test_moments);
  g_test_add_func ("/job_options/long names may be cut short", test_short_names);
  g_test_add_func ("/job_options/a bad option is named with what was expected", test_bad_options);
  g_test_add_func ("/job_options/options that contradict each other are refused",
                   test_bad_combinations);
  g_test_add_func ("/job_options/texts have at most 65535 bytes", test_long_texts);
  return g_test_run ();
}
