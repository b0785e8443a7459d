/* tests/traces/generate_test.c — what generators draw: shares, means, cycles and loads, with fixed
 * seeds. */
#include "traces/generate.h"

#include <math.h>
#include <string.h>

#define JOB_COUNT 50000u
#define DAY_S 86400
#define WEEK_S (7 * DAY_S)

static const LkGenerateLimits many = { JOB_COUNT, G_MAXINT64 };

/* ---------------------------------------------------------------- all of them */

static LkGpuMixOptions
mix_options (const LkGpuShare *shares, guint share_count, guint64 seed)
{
  return (LkGpuMixOptions){ .shares = shares,
                            .share_count = share_count,
                            .gpus = 512,
                            .gpus_per_node = 8,
                            .cpus_per_gpu = 4,
                            .memory_per_gpu_bytes = G_GINT64_CONSTANT (32) << 30,
                            .gpu_type = "a100",
                            .run_median_s = 1800,
                            .run_sigma = 1.5,
                            .run_max_s = 30 * DAY_S,
                            .seed = seed };
}

static const LkGpuShare shares[] = { { 1, 3.5 }, { 2, 0.5 }, { 8, 0.75 }, { 16, 0.25 } };

static LkGenerator *
mix_new (guint64 seed)
{
  g_autoptr (GError) error = NULL;
  LkGpuMixOptions options = mix_options (shares, G_N_ELEMENTS (shares), seed);
  LkGenerator *mix = lk_generate_gpu_mix_new (&options, &error);
  g_assert_no_error (error);
  return mix;
}

/* `count` whole weeks of a small log: user 1 works by day on Mondays, in sessions of three jobs;
 * user 2 submits a large job every day at 20:00, user 3 one in the first week only. Time 0 is a
 * Thursday, as that of Unix is. */
static char *
log_text (guint week_count)
{
  GString *text = g_string_new ("; MaxProcs: 100\n; UnixStartTime: 0\n");
  guint number = 1;
  for (guint day = 0; day <= 7 * week_count; day++) {
    for (guint i = 0; i < 3 && day % 7 == 4; i++)
      g_string_append_printf (text, "%u %u 5 600 2 -1 -1 2 900 -1 1 1 1 7 1 1 -1 -1\n", number++,
                              day * DAY_S + 36000 + i * 1200);
    g_string_append_printf (text, "%u %u 5 3600 50 -1 -1 50 7200 -1 0 2 1 7 1 1 -1 -1\n", number++,
                            day * DAY_S + 72000);
    if (day == 2)
      g_string_append_printf (text, "%u %u 5 36000 10 -1 -1 10 -1 -1 5 3 1 7 1 1 -1 -1\n", number++,
                              day * DAY_S + 80000);
  }
  return g_string_free (text, FALSE);
}

static LkTraceReader *
log_reader (const char *text)
{
  g_autoptr (GError) error = NULL;
  LkTraceReader *reader =
      lk_trace_reader_new_from_bytes ("log", (const guint8 *)text, strlen (text), NULL, &error);
  g_assert_no_error (error);
  return reader;
}

static LkGenerator *
resample_new (LkTraceReader *reader, LkResampleBy by, double load_ratio, guint64 seed)
{
  g_autoptr (GError) error = NULL;
  const LkResampleOptions options = { .by = by,
                                      .session_gap_us = 3600 * (gint64)G_USEC_PER_SEC,
                                      .load_ratio = load_ratio,
                                      .seed = seed };
  LkGenerator *generator = lk_generate_resample_new (reader, &options, &error);
  g_assert_no_error (error);
  return generator;
}

static guint64
record_hash (const LkTraceRecord *record)
{
  guint64 hash = (guint64)record->submit_us * 31 + (guint64)record->run_us;
  return hash * 31 + (guint64)record->procs * 7 + record->user_id;
}

/* A hash of the first jobs, which have to come in order and be numbered. */
static guint64
jobs_hash (LkGenerator *generator, guint count)
{
  guint64 hash = 0;
  gint64 last_us = 0;
  lk_generator_restart (generator, 1);
  for (guint i = 1; i <= count; i++) {
    LkTraceRecord record;
    g_assert_true (lk_generator_next (generator, &record));
    g_assert_cmpint (record.number, ==, i);
    g_assert_cmpint (record.submit_us, >=, last_us);
    g_assert_cmpint (record.run_us, >, 0);
    g_assert_cmpint (record.procs, >, 0);
    g_assert_cmpint (record.limit_us, >=, -1);
    g_assert_cmpint (record.start_us, ==, -1);
    last_us = record.submit_us;
    hash = hash * 1099511628211u + record_hash (&record);
  }
  return hash;
}

static void
test_seed (void)
{
  g_autofree char *text = log_text (8);
  g_autoptr (LkTraceReader) reader_a = log_reader (text);
  g_autoptr (LkTraceReader) reader_b = log_reader (text);
  g_autoptr (LkTraceReader) reader_c = log_reader (text);
  g_autoptr (LkTraceReader) reader_d = log_reader (text);
  g_autoptr (LkTraceReader) reader_e = log_reader (text);
  g_autoptr (LkTraceReader) reader_f = log_reader (text);
  LkGenerator *trios[][3] = {
    { lk_generate_lublin_new (64, FALSE, 5), lk_generate_lublin_new (64, FALSE, 5),
      lk_generate_lublin_new (64, FALSE, 6) },
    { lk_generate_lublin_new (64, TRUE, 5), lk_generate_lublin_new (64, TRUE, 5),
      lk_generate_lublin_new (64, TRUE, 6) },
    { mix_new (5), mix_new (5), mix_new (6) },
    { resample_new (reader_a, LK_RESAMPLE_USERS, 0, 5),
      resample_new (reader_b, LK_RESAMPLE_USERS, 0, 5),
      resample_new (reader_c, LK_RESAMPLE_USERS, 0, 6) },
    { resample_new (reader_d, LK_RESAMPLE_WEEKS, 0, 5),
      resample_new (reader_e, LK_RESAMPLE_WEEKS, 0, 5),
      resample_new (reader_f, LK_RESAMPLE_WEEKS, 0, 6) },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (trios); i++) {
    guint64 first = jobs_hash (trios[i][0], 1000);
    g_assert_cmphex (first, ==, jobs_hash (trios[i][1], 1000));
    g_assert_cmphex (first, ==, jobs_hash (trios[i][0], 1000)); /* begun again */
    g_assert_cmphex (first, !=, jobs_hash (trios[i][2], 1000));
    for (guint k = 0; k < 3; k++)
      lk_generator_free (trios[i][k]);
  }
}

/* The scale that is found gives the load, and the jobs are the same. */
static void
load_check (LkGenerator *generator, const LkGenerateLimits *limits, double load_ratio)
{
  g_autoptr (GError) error = NULL;
  double scale = 0;
  LkGenerateSums plain, fitted;
  g_assert_true (lk_generator_fit (generator, load_ratio, limits, &scale, &error));
  g_assert_no_error (error);
  lk_generator_measure (generator, 1, limits, &plain);
  lk_generator_measure (generator, scale, limits, &fitted);
  g_assert_cmpfloat_with_epsilon (lk_generate_load_ratio (generator, &fitted) / load_ratio, 1,
                                  0.03);
  if (limits->submit_end_us == G_MAXINT64) {
    g_assert_cmpuint (plain.job_count, ==, fitted.job_count);
    /* Of two types others may be the last, since each has its own day. */
    g_assert_cmpfloat_with_epsilon (fitted.work_s / plain.work_s, 1, 0.001);
  }
}

static void
test_loads (void)
{
  const LkGenerateLimits days = { G_MAXUINT64, G_GINT64_CONSTANT (200) * DAY_S * G_USEC_PER_SEC };
  g_autofree char *text = log_text (20);
  g_autoptr (LkTraceReader) reader = log_reader (text);
  g_autoptr (LkTraceReader) same_reader = log_reader (text);
  LkGenerator *generators[] = {
    lk_generate_lublin_new (256, FALSE, 1),
    lk_generate_lublin_new (256, TRUE, 2),
    mix_new (3),
    resample_new (reader, LK_RESAMPLE_WEEKS, 0, 4),
    resample_new (same_reader, LK_RESAMPLE_USERS, 0.5, 4),
  };
  for (gsize i = 0; i < G_N_ELEMENTS (generators); i++) {
    load_check (generators[i], &many, 0.5);
    load_check (generators[i], &many, 1.3);
    load_check (generators[i], &days, 0.7);
    lk_generator_free (generators[i]);
  }
}

static void
test_no_load (void)
{
  const LkGenerateLimits one = { 1, G_MAXINT64 };
  double scale = 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (LkGenerator) lublin = lk_generate_lublin_new (64, FALSE, 1);
  g_assert_false (lk_generator_fit (lublin, 0.7, &one, &scale, &error));
  g_assert_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_EMPTY);
}

/* ---------------------------------------------------------------- lublin */

static gboolean
is_text (LkText text, const char *expected)
{
  return text.length_bytes == strlen (expected)
         && memcmp (text.bytes, expected, text.length_bytes) == 0;
}

static void
test_lublin (void)
{
  g_autoptr (LkGenerator) plain = lk_generate_lublin_new (128, FALSE, 7);
  g_autoptr (LkGenerator) typed = lk_generate_lublin_new (128, TRUE, 7);
  LkTraceRecord record;
  guint serial_count = 0;
  guint batch_count = 0;
  g_assert_cmpuint (lk_generator_procs (plain), ==, 128);
  for (guint i = 0; i < JOB_COUNT; i++) {
    g_assert_true (lk_generator_next (plain, &record));
    serial_count += record.procs == 1;
    g_assert_cmpuint (record.request.partition.length_bytes, ==, 0);
    g_assert_cmpint (record.state, ==, LK_RECORD_COMPLETED);
    g_assert_true (lk_generator_next (typed, &record));
    gboolean is_batch = is_text (record.request.partition, "batch");
    g_assert_true (is_batch || is_text (record.request.partition, "interactive"));
    g_assert_cmpuint (record.partition_id, ==, is_batch ? 1 : 2);
    batch_count += is_batch ? 1 : 0;
  }
  g_assert_cmpfloat_with_epsilon (serial_count / (double)JOB_COUNT, 0.244, 0.01);
  g_assert_cmpfloat (batch_count / (double)JOB_COUNT, >, 0.1);
  g_assert_cmpfloat (batch_count / (double)JOB_COUNT, <, 0.4);
}

/* ---------------------------------------------------------------- gpu-mix */

static void
test_mix_shares (void)
{
  g_autoptr (LkGenerator) mix = mix_new (11);
  guint counts[17] = { 0 };
  g_assert_cmpuint (lk_generator_procs (mix), ==, 2048);
  for (guint i = 0; i < JOB_COUNT; i++) {
    LkTraceRecord record;
    g_assert_true (lk_generator_next (mix, &record));
    guint32 gpus = record.request.tasks;
    g_assert_cmpuint (gpus, <=, 16);
    counts[gpus]++;
    g_assert_cmpint (record.procs, ==, 4 * gpus);
    g_assert_cmpuint (record.request.cpus_per_task, ==, 4);
    g_assert_cmpuint (record.request.nodes_min, ==, gpus == 16 ? 2 : 1);
    g_assert_cmpuint (record.request.nodes_max, ==, record.request.nodes_min);
    g_assert_true (is_text (record.request.gres, gpus == 1   ? "gpu:a100:1"
                                                 : gpus == 2 ? "gpu:a100:2"
                                                             : "gpu:a100:8"));
    g_assert_cmpuint (record.request.present, ==, LK_REQUEST_HAS_MEMORY_PER_GPU);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (shares); i++)
    g_assert_cmpfloat_with_epsilon (counts[shares[i].gpus] / (double)JOB_COUNT,
                                    shares[i].share_ratio / 5, 0.008);
}

/* Median 1800 s, sigma 1.5: log (1800) = 7.4955. */
static void
test_mix_run_times (void)
{
  g_autoptr (LkGenerator) mix = mix_new (12);
  double sum = 0;
  double square_sum = 0;
  for (guint i = 0; i < JOB_COUNT; i++) {
    LkTraceRecord record;
    g_assert_true (lk_generator_next (mix, &record));
    double log_run = log ((double)record.run_us / G_USEC_PER_SEC);
    sum += log_run;
    square_sum += log_run * log_run;
  }
  double mean = sum / JOB_COUNT;
  g_assert_cmpfloat_with_epsilon (mean, 7.4955, 0.03);
  g_assert_cmpfloat_with_epsilon (sqrt (square_sum / JOB_COUNT - mean * mean), 1.5, 0.03);
  LkGpuMixOptions options = mix_options (shares, G_N_ELEMENTS (shares), 12);
  options.run_max_s = 3600;
  g_autoptr (LkGenerator) cut = lk_generate_gpu_mix_new (&options, NULL);
  guint longest_count = 0;
  for (guint i = 0; i < JOB_COUNT; i++) {
    LkTraceRecord record;
    g_assert_true (lk_generator_next (cut, &record));
    g_assert_cmpint (record.run_us, <=, 3600 * (gint64)G_USEC_PER_SEC);
    longest_count += record.run_us == 3600 * (gint64)G_USEC_PER_SEC;
  }
  g_assert_cmpuint (longest_count, <, JOB_COUNT / 500); /* drawn again, not cut off */
}

/* Without the daily cycle, numbers of arrivals in equal times would have a variance equal to their
 * mean; by day there are more than by night. */
static void
test_mix_arrivals (void)
{
  enum { HOURS = 24 };
  g_autoptr (LkGenerator) mix = mix_new (13);
  guint by_hour[HOURS] = { 0 };
  guint64 day_count = 0;
  double square_sum = 0;
  guint in_day = 0;
  for (guint i = 0; i < 4 * JOB_COUNT; i++) {
    LkTraceRecord record;
    g_assert_true (lk_generator_next (mix, &record));
    gint64 second = record.submit_us / G_USEC_PER_SEC;
    by_hour[second % DAY_S / 3600]++;
    if ((guint64)(second / DAY_S) > day_count) {
      square_sum += pow (in_day - 1440.0, 2);
      day_count++;
      in_day = 0;
    }
    in_day++;
  }
  /* A mean gap of a minute: 1440 a day, with the variance of a Poisson distribution. */
  g_assert_cmpfloat_with_epsilon (4.0 * JOB_COUNT / (double)day_count, 1440, 15);
  g_assert_cmpfloat_with_epsilon (square_sum / (double)day_count / 1440, 1, 0.5);
  /* The weights of the hours from 13:00 and from 5:00: 1.83 and 0.17 of the mean. */
  double mean = 4.0 * JOB_COUNT / HOURS;
  g_assert_cmpfloat_with_epsilon (by_hour[13] / mean, 1.83, 0.1);
  g_assert_cmpfloat_with_epsilon (by_hour[5] / mean, 0.17, 0.05);
}

static void
test_mix_refused (void)
{
  const struct {
    LkGpuShare share;
    const char *message;
  } cases[] = {
    { { 1024, 1 }, "1024 GPUs; expected 1 to the cluster's 512" },
    { { 12, 1 }, "12 GPUs, which are no whole nodes of 8" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    LkGpuMixOptions options = mix_options (&cases[i].share, 1, 1);
    g_assert_null (lk_generate_gpu_mix_new (&options, &error));
    g_assert_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_MACHINE);
    g_assert_nonnull (strstr (error->message, cases[i].message));
  }
}

/* ---------------------------------------------------------------- resample */

/* Every new week is one of the log's: the same jobs at the same times of the week. */
static void
test_weeks (void)
{
  enum { WEEKS = 400 };
  g_autofree char *text = log_text (8);
  g_autoptr (LkTraceReader) reader = log_reader (text);
  g_autoptr (LkGenerator) generator = resample_new (reader, LK_RESAMPLE_WEEKS, 0, 21);
  guint counts[WEEKS] = { 0 };
  guint rare_count = 0;
  LkTraceRecord record;
  /* 10 jobs each, and 1 more in the first. */
  g_assert_cmpuint (lk_generate_resample_job_count (generator), ==, 81);
  g_assert_cmpint (lk_generator_unix_start_s (generator), ==, 0);
  g_assert_cmpuint (lk_generator_procs (generator), ==, 100);
  while (lk_generator_next (generator, &record)) {
    gint64 second = record.submit_us / G_USEC_PER_SEC;
    gint64 week = second / WEEK_S;
    if (week >= WEEKS)
      break;
    counts[week]++;
    rare_count += record.user_id == 3;
    if (record.user_id == 1)
      g_assert_cmpint (second % WEEK_S / DAY_S, ==, 4);
    g_assert_cmpint (record.limit_us, ==,
                     record.user_id == 1   ? 900 * (gint64)G_USEC_PER_SEC
                     : record.user_id == 2 ? 7200 * (gint64)G_USEC_PER_SEC
                                           : -1);
  }
  guint long_count = 0;
  for (guint i = 0; i < WEEKS; i++) {
    g_assert_cmpuint (counts[i], >=, 10);
    g_assert_cmpuint (counts[i], <=, 11);
    long_count += counts[i] == 11;
  }
  g_assert_cmpuint (rare_count, ==, long_count);
  g_assert_cmpfloat_with_epsilon (rare_count / (double)WEEKS, 1 / 8.0, 0.06);
}

/* Sessions stay whole and at their time of the week; each new user does what one old one did. */
static void
test_users (void)
{
  enum { WEEKS = 300 };
  g_autofree char *text = log_text (8);
  g_autoptr (LkTraceReader) reader = log_reader (text);
  g_autoptr (LkGenerator) generator = resample_new (reader, LK_RESAMPLE_USERS, 0.3, 22);
  g_autoptr (GHashTable) procs_of_user = g_hash_table_new (NULL, NULL);
  gint64 last_of_user_s[100] = { 0 };
  guint in_session[100] = { 0 };
  guint large_count = 0;
  LkTraceRecord record;
  while (lk_generator_next (generator, &record)
         && record.submit_us < WEEKS * (gint64)WEEK_S * G_USEC_PER_SEC) {
    gint64 second = record.submit_us / G_USEC_PER_SEC;
    gpointer user = GUINT_TO_POINTER (record.user_id);
    gpointer procs = GUINT_TO_POINTER (record.procs);
    g_assert_cmpuint (record.user_id, >=, 1);
    g_assert_cmpuint (record.user_id, <, 100);
    if (!g_hash_table_contains (procs_of_user, user))
      g_hash_table_insert (procs_of_user, user, procs);
    g_assert_true (g_hash_table_lookup (procs_of_user, user) == procs);
    large_count += record.procs == 50;
    if (record.procs == 50)
      g_assert_cmpint (second % DAY_S, ==, 72000);
    if (record.procs != 2)
      continue;
    g_assert_cmpint (second % WEEK_S / DAY_S, ==, 4);
    gint64 gap_s = second - last_of_user_s[record.user_id];
    guint place = gap_s == 1200 ? in_session[record.user_id] + 1 : 1;
    g_assert_true (place > 1 || in_session[record.user_id] % 3 == 0);
    in_session[record.user_id] = place;
    last_of_user_s[record.user_id] = second;
  }
  /* Nearly all of the load is of users like the second, each with 50 of 100 processors for an hour
   * a day. */
  g_assert_cmpfloat_with_epsilon (large_count / (7.0 * WEEKS), 0.3 * 24 * 2, 2);
}

static void
test_users_load (void)
{
  g_autofree char *text = log_text (8);
  g_autoptr (LkTraceReader) reader = log_reader (text);
  g_autoptr (LkGenerator) generator = resample_new (reader, LK_RESAMPLE_USERS, 5.0, 23);
  const LkGenerateLimits weeks = { G_MAXUINT64, G_GINT64_CONSTANT (200) * WEEK_S * G_USEC_PER_SEC };
  LkGenerateSums sums;
  lk_generator_measure (generator, 1, &weeks, &sums);
  g_assert_cmpfloat_with_epsilon (lk_generate_load_ratio (generator, &sums) / 5.0, 1, 0.1);
}

/* A session that begins before midnight of the week's end goes on in the next one. The first job,
 * of three processors, is there for the weeks to begin at 0. */
static void
test_session_over_the_edge (void)
{
  GString *text = g_string_new ("; MaxProcs: 10\n; UnixStartTime: 0\n"
                                "1 0 0 60 3 -1 -1 3 60 -1 1 2 1 -1 1 1 -1 -1\n");
  for (guint week = 1; week <= 4; week++)
    for (guint i = 0; i < 4; i++)
      g_string_append_printf (text, "%u %u 0 60 1 -1 -1 1 60 -1 1 1 1 -1 1 1 -1 -1\n", week * 4 + i,
                              week * WEEK_S - 1500 + i * 1000);
  g_autoptr (LkTraceReader) reader = log_reader (text->str);
  g_autoptr (LkGenerator) generator = resample_new (reader, LK_RESAMPLE_USERS, 0, 3);
  guint places[4] = { 0 };
  gint64 last_s = 0;
  for (guint i = 0; i < 400; i++) {
    LkTraceRecord record;
    g_assert_true (lk_generator_next (generator, &record));
    gint64 second = record.submit_us / G_USEC_PER_SEC;
    g_assert_cmpint (second, >=, last_s);
    last_s = second;
    if (record.procs == 3)
      continue;
    gint64 place_s = (second + 1500) % WEEK_S;
    g_assert_cmpint (place_s % 1000, ==, 0);
    g_assert_cmpint (place_s, <, 4000);
    places[place_s / 1000]++;
  }
  g_assert_cmpuint (places[0], >, 20);
  for (guint i = 1; i < 4; i++)
    g_assert_cmpuint (places[0] - places[i], <=, 2); /* the last session may be cut off */
  g_string_free (text, TRUE);
}

static void
test_resample_refused (void)
{
  const struct {
    const char *text;
    double load_ratio;
    LkTraceError code;
  } cases[] = {
    { "1 0 0 10 1 -1 -1 1 20 -1 1 3 1 -1 1 1 -1 -1\n"
      "2 600000 0 10 1 -1 -1 1 20 -1 1 3 1 -1 1 1 -1 -1\n",
      0, LK_TRACE_ERROR_EMPTY }, /* less than a week */
    { "1 0 0 10 1 -1 -1 1 20 -1 1 3 1 -1 1 1 -1 -1\n"
      "2 9000000000 0 10 1 -1 -1 1 20 -1 1 3 1 -1 1 1 -1 -1\n",
      0, LK_TRACE_ERROR_EMPTY }, /* three centuries */
    { "1 -1 0 10 1 -1 -1 1 20 -1 1 3 1 -1 1 1 -1 -1\n", 0, LK_TRACE_ERROR_EMPTY },
    { "1 0 0 10 1 -1 -1 1 20 -1 1 3 1 -1 1 1 -1 -1\n"
      "2 700000 0 10 1 -1 -1 1 20 -1 1 3 1 -1 1 1 -1 -1\n",
      0.5, LK_TRACE_ERROR_MACHINE }, /* of what? */
    { "; MaxProcs: 4\n1 0 0 -1 1 -1 -1 1 20 -1 1 3 1 -1 1 1 -1 -1\n"
      "2 700000 0 10 1 -1 -1 1 20 -1 1 3 1 -1 1 1 -1 -1\n",
      0.5, LK_TRACE_ERROR_EMPTY }, /* no work in its one week */
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LkTraceReader) reader = log_reader (cases[i].text);
    const LkResampleOptions options = { .by = LK_RESAMPLE_USERS,
                                        .load_ratio = cases[i].load_ratio };
    g_assert_null (lk_generate_resample_new (reader, &options, &error));
    g_assert_error (error, LK_TRACE_ERROR, (gint)cases[i].code);
    g_assert_nonnull (strstr (error->message, "trace 'log'"));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/traces/generate/is the same for one seed and when begun again", test_seed);
  g_test_add_func ("/traces/generate/gives a log the load asked for", test_loads);
  g_test_add_func ("/traces/generate/says when no stretching gives a load", test_no_load);
  g_test_add_func ("/traces/generate/lublin/names the types of jobs", test_lublin);
  g_test_add_func ("/traces/generate/gpu-mix/draws sizes in their shares", test_mix_shares);
  g_test_add_func ("/traces/generate/gpu-mix/draws lognormal run times", test_mix_run_times);
  g_test_add_func ("/traces/generate/gpu-mix/draws Poisson arrivals over the day",
                   test_mix_arrivals);
  g_test_add_func ("/traces/generate/gpu-mix/refuses sizes that fit no cluster", test_mix_refused);
  g_test_add_func ("/traces/generate/resample/draws whole weeks", test_weeks);
  g_test_add_func ("/traces/generate/resample/draws users with their sessions", test_users);
  g_test_add_func ("/traces/generate/resample/draws users until they bring the load",
                   test_users_load);
  g_test_add_func ("/traces/generate/resample/lets a session go on in the next week",
                   test_session_over_the_edge);
  g_test_add_func ("/traces/generate/resample/refuses logs that it cannot draw from",
                   test_resample_refused);
  return g_test_run ();
}
