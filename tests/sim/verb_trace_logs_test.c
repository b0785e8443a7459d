/* tests/sim/verb_trace_logs_test.c — `lockstep trace` over logs of any format: convert, anonymize
 * and generate, from the command line to the file. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "sim/trace_census.h"
#include "sim/verb.h"
#include "sim/verb_trace.h"
#include "traces/reader.h"

#define BUNDLED_LOG LK_SOURCE_DIR "/traces/data/KTH-SP2-1996-2.1-cln.swf.gz"

static const char sacct_log[] =
    "JobID|JobName|User|Group|Account|Partition|QOS|Submit|Eligible|Start|End|ElapsedRaw|"
    "TimelimitRaw|State|ReqCPUS|AllocCPUS|NNodes|ReqMem|NodeList|SubmitLine|WorkDir|Comment\n"
    "17|prep-hopper|ada|wizards|phys-dark|long|gold|2024-05-01T10:00:00|2024-05-01T10:00:00|"
    "2024-05-01T10:01:00|2024-05-01T10:03:00|120|60|COMPLETED|4|4|1|8G|quark07|"
    "sbatch -A phys-dark secret.sh|/data/ada/run|for Charles\n"
    "18|trolley|grace|wizards|chem|short|normal|2024-05-01T09:00:00|2024-05-01T09:00:00|"
    "2024-05-01T11:00:00|2024-05-01T11:10:00|600|30|FAILED|2|2|1|1G|quark08|sbatch t.sh|/x|\n"
    "19|trolley|ada|wizards|phys-dark|long|gold|2024-05-01T12:00:00|2024-05-01T12:00:00|"
    "2024-05-01T12:30:00|2024-05-01T13:30:00|3600|60|TIMEOUT|8|8|2|4G|quark[07-08]|sbatch x|/y|\n";

static const char *const secrets[] = {
  "ada",    "grace",   "wizards", "phys",  "chem",   "long",   "short",   "gold", "prep",
  "hopper", "trolley", "quark",   "data/", "sbatch", "secret", "Charles", NULL,
};

static const char swf_log[] = "; Version: 2.2\n"
                              "; Computer: Ada's own\n"
                              "; MaxProcs: 8\n"
                              "; Acknowledge: Grace\n"
                              "; Queue: 1 wizards\n"
                              "10 100.5 0 10 1 -1 -1 1 20 -1 1 30 17 5 1 1 -1 -1\n"
                              "11 120 0 30 2 7 -1 -1 20 -1 0 4 17 5 0 2 10 5\n";

typedef struct {
  char *folder;
  char *input;
  char *output;
} Files;

static void
files_make (Files *self, const void *data)
{
  self->folder = g_dir_make_tmp ("lk-logs-XXXXXX", NULL);
  self->input = g_build_filename (self->folder, "in", NULL);
  self->output = g_build_filename (self->folder, "out", NULL);
  g_assert_true (g_file_set_contents (self->input, data, -1, NULL));
}

static void
files_remove (Files *self, const void *data)
{
  (void)data;
  g_unlink (self->input);
  g_unlink (self->output);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->folder);
  g_free (self->input);
  g_free (self->output);
}

/* Words parted by spaces; IN and OUT stand for the files. */
static int
verb_run (const Files *files, const char *words)
{
  g_auto (GStrv) argv = g_strsplit (words, " ", -1);
  guint count = g_strv_length (argv);
  for (guint i = 0; i < count; i++) {
    const char *path = strcmp (argv[i], "IN") == 0    ? files->input
                       : strcmp (argv[i], "OUT") == 0 ? files->output
                                                      : NULL;
    if (path != NULL) {
      g_free (argv[i]);
      argv[i] = g_strdup (path);
    }
  }
  /* The parser moves the pointers about; the strings stay ours. */
  g_autofree char **borrowed = g_memdup2 (argv, (count + 1) * sizeof *argv);
  return lk_verb_trace ((int)count, borrowed);
}

static char *
output_of (const Files *files, const char *words)
{
  char *contents = NULL;
  g_assert_cmpint (verb_run (files, words), ==, 0);
  g_assert_true (g_file_get_contents (files->output, &contents, NULL, NULL));
  return contents;
}

/* ---------------------------------------------------------------- convert */

static void
test_convert_sacct (Files *files, const void *data)
{
  (void)data;
  g_autofree char *swf = output_of (files, "trace convert --sort --renumber --rebase -o OUT IN");
  g_auto (GStrv) lines = g_strsplit (swf, "\n", -1);
  g_assert_cmpstr (lines[0], ==, "; Version: 2.2");
  g_assert_cmpstr (lines[1], ==, "; UnixStartTime: 1714554000"); /* 9:00 */
  g_assert_true (g_str_has_prefix (lines[2], "; Note: lockstep "));
  g_assert_cmpstr (lines[3], ==,
                   "    1        0   7200    600    2     -1    -1    2   1800 524288  0   2   1"
                   "  -1 -1  2 -1 -1");
  g_assert_cmpstr (lines[4], ==,
                   "    2     3600     60    120    4     -1    -1    4   3600 2097152  1   1   1"
                   "  -1 -1  1 -1 -1");
  g_autofree char *csv = output_of (files, "trace convert --format csv -o OUT IN");
  g_assert_nonnull (strstr (csv, "\n17,,1714557600,"));
  g_assert_nonnull (strstr (csv, ",ada,1,wizards,1,prep-hopper,quark07,"));
  g_assert_nonnull (strstr (csv, ",long,phys-dark,wizards,gold,,,,\n"));
  g_autofree char *jsonl = output_of (files, "trace convert --format jsonl -o OUT IN");
  g_assert_nonnull (strstr (jsonl, "\"user\":\"grace\","));
}

/* CSV is read again and becomes itself; so does SWF that came from it. */
static void
test_convert_back (Files *files, const void *data)
{
  (void)data;
  g_autofree char *csv = output_of (files, "trace convert --format csv -o OUT IN");
  g_assert_true (g_file_set_contents (files->input, csv, -1, NULL));
  g_autofree char *again = output_of (files, "trace convert --format csv -o OUT IN");
  g_assert_cmpstr (again, ==, csv);
  g_autofree char *swf = output_of (files, "trace convert -o OUT IN");
  g_assert_true (g_file_set_contents (files->input, swf, -1, NULL));
  g_autofree char *swf_again = output_of (files, "trace convert -o OUT IN");
  g_assert_cmpstr (swf_again, ==, swf);
}

static void
test_convert_swf (Files *files, const void *data)
{
  (void)data;
  g_autofree char *swf = output_of (files, "trace convert -o OUT IN");
  g_assert_nonnull (strstr (swf, "; Computer: Ada's own\n")); /* goes line by line */
  g_assert_nonnull (strstr (swf, " 10  5\n"));
  g_autofree char *csv = output_of (files, "trace convert --format csv -o OUT IN");
  g_assert_nonnull (strstr (csv, "\n11,,120,,120,150,30,20,2,"));
  g_autofree char *mapped = output_of (files, "trace convert --map limit=run -o OUT IN");
  g_assert_nonnull (strstr (mapped, "; MaxProcs: 8\n; Note: lockstep "));
  g_assert_nonnull (strstr (mapped, "   11      120      0     30    2     -1    -1    2     30"));
}

static void
test_convert_failures (Files *files, const void *data)
{
  (void)data;
  const struct {
    const char *words;
    int code;
  } cases[] = {
    { "trace convert --format swf-csv -o OUT IN", LK_EXIT_USAGE }, /* no SWF log */
    { "trace convert --format xml -o OUT IN", LK_EXIT_USAGE },
    { "trace convert --from sacctt -o OUT IN", LK_EXIT_USAGE },
    { "trace convert --from events -o OUT IN", LK_EXIT_FAILURE },
    { "trace convert --rebase -o OUT IN", LK_EXIT_FAILURE }, /* out of order */
    { "trace convert --map nonsense=1 -o OUT IN", LK_EXIT_FAILURE },
    { "trace anonymize --keep user -o OUT IN", LK_EXIT_USAGE },
    { "trace anonymize --key  -o OUT IN", LK_EXIT_USAGE },
    { "trace anonymize --key @none/here -o OUT IN", LK_EXIT_FAILURE },
    { "trace anonymize --format swf-csv -o OUT IN", LK_EXIT_USAGE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_assert_cmpint (verb_run (files, cases[i].words), ==, cases[i].code);
    g_assert_false (g_file_test (files->output, G_FILE_TEST_EXISTS));
  }
}

/* ---------------------------------------------------------------- anonymize */

static void
nothing_survives (const char *text)
{
  for (guint i = 0; secrets[i] != NULL; i++)
    if (strstr (text, secrets[i]) != NULL)
      g_error ("'%s' survives in: %s", secrets[i], text);
}

static void
test_anonymize (Files *files, const void *data)
{
  (void)data;
  g_autofree char *csv = output_of (files, "trace anonymize -o OUT IN");
  g_autofree char *jsonl = output_of (files, "trace anonymize --format jsonl -o OUT IN");
  g_autofree char *swf = output_of (files, "trace anonymize --format swf -o OUT IN");
  g_autofree char *keyed = output_of (files, "trace anonymize --key abc -o OUT IN");
  g_assert_true (g_file_set_contents (files->output, "abc\n", -1, NULL));
  g_autofree char *key_file =
      g_strconcat ("trace anonymize --key @", files->output, " -o OUT IN", NULL);
  g_autofree char *from_file = output_of (files, key_file);
  nothing_survives (csv);
  nothing_survives (jsonl);
  nothing_survives (swf);
  nothing_survives (keyed);
  g_assert_cmpstr (from_file, ==, keyed);
  g_assert_nonnull (strstr (csv, "\n17,,1714557600,"));
  g_assert_nonnull (strstr (csv, ",1,u1,1,g1,1,j1,n1,"));
  g_assert_nonnull (strstr (csv, ",2,u2,1,g1,2,j2,n2,"));
  g_assert_nonnull (strstr (csv, ",1,u1,1,g1,1,j2,n[1-2],"));
  g_autofree char *kept = output_of (files, "trace anonymize --keep partitions,qos -o OUT IN");
  g_assert_nonnull (strstr (kept, ",long,a1,g1,gold,,,,\n"));
}

static void
test_anonymize_swf (Files *files, const void *data)
{
  (void)data;
  g_autofree char *swf = output_of (files, "trace anonymize -o OUT IN");
  g_assert_cmpstr (swf, ==,
                   "; Version: 2.2\n; MaxProcs: 8\n; Note: lockstep trace anonymize\n"
                   "   10    100.5      0     10    1     -1    -1    1     20    -1  1   1   1   1"
                   "  1  1 -1 -1\n"
                   "   11      120      0     30    2      7    -1   -1     20    -1  0   2   1   1"
                   "  0  2 10  5\n");
}

/* ---------------------------------------------------------------- generate */

static LkTraceCensus
census_of (const Files *files)
{
  LkTraceCensus census;
  g_autoptr (GError) error = NULL;
  g_autoptr (LkTraceReader) reader = lk_trace_reader_new (files->output, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (lk_trace_census_take (reader, &census, &error));
  return census;
}

static void
test_generate_lublin (Files *files, const void *data)
{
  (void)data;
  g_autofree char *first =
      output_of (files, "trace generate lublin --procs 256 --jobs 4000 --load 0.8 -o OUT");
  LkTraceCensus census = census_of (files);
  g_assert_cmpuint (census.job_count, ==, 4000);
  g_assert_cmpint (census.machine_procs, ==, 256);
  g_assert_cmpfloat_with_epsilon (census.offered_load_ratio, 0.8, 0.01);
  g_assert_cmpuint (census.unsorted_submits, ==, 0);
  g_assert_cmpuint (census.unknown[8], ==, 4000); /* no limits */
  g_assert_nonnull (strstr (first, "; Note: lockstep "));
  g_assert_nonnull (strstr (first, "trace generate lublin --procs 256 --jobs 4000 --load 0.8\n"));
  g_autofree char *same = output_of (
      files, "trace generate lublin --procs 256 --jobs 4000 --load 0.8 --output=OUT -o OUT");
  g_assert_cmpstr (first, ==, same);
  g_autofree char *limited = output_of (
      files, "trace generate lublin --typed --span 20d --estimates tsafrir --seed 2 -o OUT");
  census = census_of (files);
  g_assert_cmpuint (census.overruns, ==, 0);
  g_assert_cmpuint (census.unknown[8], ==, 0);
  g_assert_cmpuint (census.unknown[14], ==, 0); /* queues are the types */
  g_assert_cmpint (census.submit_max_us, <, G_GINT64_CONSTANT (20) * 86400 * G_USEC_PER_SEC);
  g_assert_cmpint (census.submit_max_us, >, G_GINT64_CONSTANT (19) * 86400 * G_USEC_PER_SEC);
  g_assert_cmpstr (limited, !=, first);
}

static void
test_generate_gpu_mix (Files *files, const void *data)
{
  (void)data;
  g_autofree char *csv = output_of (files, "trace generate gpu-mix --jobs 2000 --gpus 64 --mix "
                                           "1:3,8:1 --cpus-per-gpu 12 --memory-per-gpu 64GiB "
                                           "--gpu-type a100 --format csv -o OUT");
  g_autoptr (GError) error = NULL;
  g_autoptr (LkTraceReader) reader = lk_trace_reader_new (files->output, NULL, &error);
  g_assert_no_error (error);
  guint large_count = 0;
  LkTraceRecord record;
  while (lk_trace_reader_next (reader, &record, &error) == 1) {
    g_assert_cmpuint (record.request.cpus_per_task, ==, 12);
    g_assert_cmpint (record.request.memory_per_gpu_bytes, ==, G_GINT64_CONSTANT (64) << 30);
    large_count += record.procs == 96;
  }
  g_assert_no_error (error);
  g_assert_cmpfloat_with_epsilon (large_count / 2000.0, 0.25, 0.04);
  g_assert_nonnull (strstr (csv, ",gpu:a100:8,"));
  g_autofree char *swf = output_of (files, "trace generate gpu-mix --gpus 64 --mix 1:3,8:1 -o OUT");
  LkTraceCensus census = census_of (files);
  g_assert_cmpuint (census.job_count, ==, 10000);
  g_assert_cmpint (census.machine_procs, ==, 64);
  g_assert_cmpfloat_with_epsilon (census.offered_load_ratio, 0.7, 0.01);
  g_assert_nonnull (strstr (swf, "; MaxProcs: 64\n"));
}

static void
test_generate_resample (Files *files, const void *data)
{
  (void)data;
  static const char *const cases[] = {
    "trace generate resample " BUNDLED_LOG " --jobs 40000 --load 0.9 -o OUT",
    "trace generate resample " BUNDLED_LOG " --by week --jobs 40000 --load 0.9 -o OUT",
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *swf = output_of (files, cases[i]);
    LkTraceCensus census = census_of (files);
    g_assert_cmpuint (census.job_count, ==, 40000);
    g_assert_cmpint (census.machine_procs, ==, 100);
    g_assert_cmpfloat_with_epsilon (census.offered_load_ratio, 0.9, 0.01);
    g_assert_cmpuint (census.unsorted_submits, ==, 0);
    g_assert_cmpfloat_with_epsilon (census.power_of_two_ratio, 0.742, 0.1);
    g_assert_cmpuint (census.users, >, 20);
    g_assert_nonnull (strstr (swf, "resample KTH-SP2-1996-2.1-cln.swf.gz --")); /* no path */
    g_assert_null (strstr (swf, LK_SOURCE_DIR));
  }
  g_autofree char *whole = output_of (files, "trace generate resample " BUNDLED_LOG " -o OUT");
  LkTraceCensus census = census_of (files);
  g_assert_cmpuint (census.job_count, >, 27500); /* of 28476, those of whole weeks */
  g_assert_cmpuint (census.job_count, <=, 28476);
  g_assert_nonnull (whole);
}

static void
test_generate_failures (Files *files, const void *data)
{
  (void)data;
  const struct {
    const char *words;
    int code;
  } cases[] = {
    { "trace generate", LK_EXIT_USAGE },
    { "trace generate lubiln -o OUT", LK_EXIT_USAGE },
    { "trace generate lublin --procs 1 -o OUT", LK_EXIT_USAGE },
    { "trace generate lublin --jobs 0 -o OUT", LK_EXIT_USAGE },
    { "trace generate lublin --seed -1 -o OUT", LK_EXIT_USAGE },
    { "trace generate lublin --load 0 -o OUT", LK_EXIT_USAGE },
    { "trace generate lublin --load 1e9 -o OUT", LK_EXIT_USAGE },
    { "trace generate lublin --estimates often -o OUT", LK_EXIT_USAGE },
    { "trace generate lublin --format xml -o OUT", LK_EXIT_USAGE },
    { "trace generate lublin IN -o OUT", LK_EXIT_USAGE },
    { "trace generate lublin --span 0 -o OUT", LK_EXIT_FAILURE },
    { "trace generate lublin --jobs 1 --load 0.5 -o OUT", LK_EXIT_FAILURE },
    { "trace generate gpu-mix --mix 1 -o OUT", LK_EXIT_USAGE },
    { "trace generate gpu-mix --mix 1:0 -o OUT", LK_EXIT_USAGE },
    { "trace generate gpu-mix --mix 1:nan -o OUT", LK_EXIT_USAGE },
    { "trace generate gpu-mix --mix  -o OUT", LK_EXIT_USAGE },
    { "trace generate gpu-mix --mix 12:1 -o OUT", LK_EXIT_FAILURE },
    { "trace generate gpu-mix --gpu-type a:b -o OUT", LK_EXIT_USAGE },
    { "trace generate gpu-mix --memory-per-gpu 5 -o OUT", LK_EXIT_USAGE },
    { "trace generate gpu-mix --run-median 2d --run-max 1d -o OUT", LK_EXIT_USAGE },
    { "trace generate resample -o OUT", LK_EXIT_USAGE },
    { "trace generate resample --by month IN -o OUT", LK_EXIT_USAGE },
    { "trace generate resample IN -o OUT", LK_EXIT_FAILURE }, /* less than a week */
    { "trace generate resample none -o OUT", LK_EXIT_FAILURE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    if (verb_run (files, cases[i].words) != cases[i].code)
      g_error ("'%s' does not exit with %d", cases[i].words, cases[i].code);
    g_assert_false (g_file_test (files->output, G_FILE_TEST_EXISTS));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, log, test) g_test_add (name, Files, log, files_make, test, files_remove)
  ADD ("/verb_trace/convert takes sacct text to every format", sacct_log, test_convert_sacct);
  ADD ("/verb_trace/convert reads its own CSV again", sacct_log, test_convert_back);
  ADD ("/verb_trace/convert keeps SWF as it is, but for overrides", swf_log, test_convert_swf);
  ADD ("/verb_trace/convert and anonymize write nothing when they fail", sacct_log,
       test_convert_failures);
  ADD ("/verb_trace/anonymize lets no name through", sacct_log, test_anonymize);
  ADD ("/verb_trace/anonymize renumbers SWF and drops the words of its header", swf_log,
       test_anonymize_swf);
  ADD ("/verb_trace/generate lublin has size, load and limits", swf_log, test_generate_lublin);
  ADD ("/verb_trace/generate gpu-mix has what was asked for", swf_log, test_generate_gpu_mix);
  ADD ("/verb_trace/generate resample has the load asked for", swf_log, test_generate_resample);
  ADD ("/verb_trace/generate writes nothing when it fails", sacct_log, test_generate_failures);
#undef ADD
  return g_test_run ();
}
