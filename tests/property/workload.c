/* tests/property/workload.c — small random workloads from a seed.
 *
 * A style is drawn first; the jobs are drawn within it.  Nothing here depends on anything but the
 * seed. */
#include "tests/property/workload.h"

/* Of the jobs of a workload whose style has cancellations. */
#define CANCEL_PERCENT 15u

typedef struct {
  guint32 gap_max_s;     /* 0: all jobs at once */
  guint32 tie_percent;   /* of jobs that come together with the one before */
  guint32 estimate_kind; /* 0 spread, 1 few values, 2 one value, 3 powers of two */
  guint32 estimate_max_s;
  guint32 early_percent;   /* of jobs that end before their estimate */
  guint32 overrun_percent; /* of jobs that would run past it */
  guint32 size_kind;       /* 0 spread, 1 narrow, 2 wide, 3 powers of two */
  guint32 user_count;
  gboolean has_cancels;
} Style;

guint64
lk_seed_next (LkSeed *self)
{
  self->state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  guint64 z = self->state;
  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

guint32
lk_seed_below (LkSeed *self, guint32 limit)
{
  return (guint32)((lk_seed_next (self) >> 32) * limit >> 32);
}

gboolean
lk_seed_chance (LkSeed *self, guint32 percent)
{
  return lk_seed_below (self, 100) < percent;
}

static Style
draw_style (LkSeed *seed)
{
  static const guint32 gaps_s[] = { 0, 1, 3, 10, 60, 400 };
  static const guint32 percents[] = { 0, 20, 50, 90 };
  static const guint32 estimates_s[] = { 2, 6, 20, 100, 1000 };
  Style style;
  style.gap_max_s = gaps_s[lk_seed_below (seed, G_N_ELEMENTS (gaps_s))];
  style.tie_percent = percents[lk_seed_below (seed, G_N_ELEMENTS (percents))];
  style.estimate_kind = lk_seed_below (seed, 4);
  style.estimate_max_s = estimates_s[lk_seed_below (seed, G_N_ELEMENTS (estimates_s))];
  style.early_percent = percents[lk_seed_below (seed, G_N_ELEMENTS (percents))];
  style.overrun_percent = lk_seed_chance (seed, 40) ? 20 : 0;
  style.size_kind = lk_seed_below (seed, 4);
  style.user_count = 1 + lk_seed_below (seed, 4);
  style.has_cancels = lk_seed_chance (seed, 20);
  return style;
}

static gint64
draw_estimate_s (LkSeed *seed, const Style *style)
{
  switch (style->estimate_kind) {
  case 0:
    return 1 + lk_seed_below (seed, style->estimate_max_s);
  case 1:
    return 1 + (1 + lk_seed_below (seed, 3)) * (gint64)style->estimate_max_s / 3;
  case 2:
    return style->estimate_max_s;
  default:
    return (gint64)1 << lk_seed_below (seed, 10);
  }
}

static guint32
draw_procs (LkSeed *seed, const Style *style, guint32 machine)
{
  guint32 procs = 1 + lk_seed_below (seed, machine);
  if (style->size_kind == 1)
    procs = 1 + lk_seed_below (seed, MIN (machine, 3));
  else if (style->size_kind == 2 && lk_seed_chance (seed, 60))
    procs = machine - lk_seed_below (seed, MIN (machine, 3));
  else if (style->size_kind == 3)
    procs = 1u << lk_seed_below (seed, 5);
  return MIN (procs, machine);
}

static gint64
draw_run_s (LkSeed *seed, const Style *style, gint64 estimate_s)
{
  if (lk_seed_chance (seed, style->overrun_percent))
    return estimate_s + 1 + lk_seed_below (seed, 5);
  if (lk_seed_chance (seed, style->early_percent))
    return 1 + lk_seed_below (seed, (guint32)estimate_s);
  return estimate_s;
}

static void
add_cancel (LkSeed *seed, LkWorkload *workload, const LkWorkloadJob *job)
{
  LkWorkloadChange *change = &workload->changes[workload->change_count++];
  *change = (LkWorkloadChange){ .kind = LK_WORKLOAD_CANCEL, .job_id = job->id };
  change->at_s = job->submit_s + lk_seed_below (seed, 2 * (guint32)job->estimate_s + 1);
}

void
lk_workload_generate (guint64 seed_value, LkWorkload *out_workload)
{
  LkSeed seed = { .state = seed_value };
  Style style = draw_style (&seed);
  LkWorkload workload = { .procs = 1 + lk_seed_below (&seed, 20) };
  /* Most are small: they are quick to run and easy to read when they fail. */
  guint32 limit = lk_seed_chance (&seed, 25) ? LK_WORKLOAD_JOBS_MAX : 12;
  workload.job_count = 1 + lk_seed_below (&seed, limit);
  gint64 now_s = lk_seed_chance (&seed, 50) ? 0 : lk_seed_below (&seed, 1000);
  guint32 id = 0;
  for (guint i = 0; i < workload.job_count; i++) {
    LkWorkloadJob *job = &workload.jobs[i];
    if (i > 0 && !lk_seed_chance (&seed, style.tie_percent))
      now_s += lk_seed_below (&seed, style.gap_max_s + 1);
    id += 1 + (lk_seed_chance (&seed, 10) ? lk_seed_below (&seed, 5) : 0);
    job->id = id;
    job->submit_s = now_s;
    job->procs = draw_procs (&seed, &style, workload.procs);
    job->estimate_s = draw_estimate_s (&seed, &style);
    job->run_s = draw_run_s (&seed, &style, job->estimate_s);
    job->user_id = 1 + lk_seed_below (&seed, style.user_count);
    job->group_id = 1 + lk_seed_below (&seed, 2);
    job->partition_id = 1 + lk_seed_below (&seed, 2);
    if (style.has_cancels && lk_seed_chance (&seed, CANCEL_PERCENT))
      add_cancel (&seed, &workload, job);
  }
  *out_workload = workload;
}

void
lk_workload_disturb (guint64 seed_value, LkWorkload *workload)
{
  LkSeed seed = { .state = ~seed_value };
  guint32 count = lk_seed_below (&seed, LK_WORKLOAD_CHANGES_MAX / 2);
  guint32 id_limit = workload->jobs[workload->job_count - 1].id + 2;
  for (guint32 i = 0; i < count && workload->change_count < LK_WORKLOAD_CHANGES_MAX; i++) {
    LkWorkloadChange *change = &workload->changes[workload->change_count++];
    guint32 near = lk_seed_below (&seed, workload->job_count);
    const LkWorkloadJob *job = &workload->jobs[near];
    *change = (LkWorkloadChange){ .kind = (LkWorkloadChangeKind)lk_seed_below (&seed, 4) };
    change->job_id = lk_seed_chance (&seed, 90) ? job->id : lk_seed_below (&seed, id_limit);
    change->at_s = job->submit_s + lk_seed_below (&seed, 3 * (guint32)job->estimate_s + 2);
    change->present = lk_seed_below (&seed, 5);
    change->procs = lk_seed_below (&seed, workload->procs + 2);
    change->estimate_s = lk_seed_below (&seed, 2 * (guint32)job->estimate_s + 1);
  }
}

void
lk_workload_drop_job (LkWorkload *workload, guint index)
{
  guint32 id = workload->jobs[index].id;
  guint kept = 0;
  for (guint i = 0; i < workload->change_count; i++)
    if (workload->changes[i].job_id != id)
      workload->changes[kept++] = workload->changes[i];
  workload->change_count = kept;
  workload->job_count--;
  for (guint i = index; i < workload->job_count; i++)
    workload->jobs[i] = workload->jobs[i + 1];
}

int
lk_workload_brute_jobs (const LkWorkload *workload, LkBruteJob *out_jobs)
{
  for (guint i = 0; i < workload->job_count; i++) {
    const LkWorkloadJob *job = &workload->jobs[i];
    out_jobs[i] = (LkBruteJob){ .id = (int)job->id,
                                .procs = (int)job->procs,
                                .user = (int)job->user_id,
                                .submit_s = job->submit_s,
                                .run_s = job->run_s,
                                .estimate_s = job->estimate_s,
                                .cancel_s = LK_BRUTE_NEVER_S };
    for (guint c = 0; c < workload->change_count; c++)
      if (workload->changes[c].job_id == job->id)
        out_jobs[i].cancel_s = workload->changes[c].at_s;
  }
  return (int)workload->job_count;
}

void
lk_workload_print (const LkWorkload *workload, GString *out)
{
  static const char *const kinds[] = { "cancel", "hold", "release", "update" };
  g_string_append_printf (out, "machine of %u processors\n", workload->procs);
  g_string_append (out, "    id procs  submit     run estimate  user\n");
  for (guint i = 0; i < workload->job_count; i++) {
    const LkWorkloadJob *job = &workload->jobs[i];
    g_string_append_printf (out, "  %4u %5u %7ld %7ld %8ld %5u\n", job->id, job->procs,
                            (long)job->submit_s, (long)job->run_s, (long)job->estimate_s,
                            job->user_id);
  }
  for (guint i = 0; i < workload->change_count; i++) {
    const LkWorkloadChange *change = &workload->changes[i];
    g_string_append_printf (out, "  at %ld: %s %u (present %u procs %u estimate %ld)\n",
                            (long)change->at_s, kinds[change->kind], change->job_id,
                            change->present, change->procs, (long)change->estimate_s);
  }
}
