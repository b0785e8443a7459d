/* tests/policies/limits_recorded_test.c — recorded situations of Slurm 26.05: who runs, and the
 * reason that squeue shows for each job that waits.
 *
 * Jobs stand in the order in which Slurm looked at them.  Each one that runs is asked about before
 * it is counted: nothing may hold it.  Those that wait are asked about when all run. */
#include "policies/limits.h"
#include "tests/policies/limits_fixture.h"

typedef struct {
  const char *job;
  const char *reason; /* NULL: it runs */
} RecordedJob;

typedef struct {
  const char *name;
  const char *clauses; /* as sacctmgr was told */
  const RecordedJob *jobs;
  guint count;
} Recording;

/* ---------------------------------------------------------------- GrpTRES of a QOS */

#define GRPTRES "small: GrpTRES=cpu=8"

static const RecordedJob grptres_a[] = {
  { "alice q=small cpu=4 t=2", NULL },
  { "bob q=small cpu=4 t=2", NULL },
  { "carol q=small cpu=4 t=2", "QOSGrpCpuLimit" },
  { "carol q=small cpu=1 t=2", "QOSGrpCpuLimit" },
  { "dave q=normal cpu=4 t=2", NULL },
  { "dave q=small cpu=12 node=3 t=2", "QOSGrpCpuLimit" },
};
static const RecordedJob grptres_b[] = {
  { "bob q=small cpu=4 t=2", NULL },
  { "carol q=small cpu=4 t=2", NULL },
  { "carol q=small cpu=1 t=2", "QOSGrpCpuLimit" },
  { "dave q=small cpu=12 node=3 t=2", "QOSGrpCpuLimit" },
};
static const RecordedJob grptres_c[] = {
  { "dave q=small cpu=12 node=3 t=2", "QOSGrpCpuLimit" },
};

/* ---------------------------------------------------------------- per user, account and job */

#define MAXTRES                                                                                    \
  "pu: MaxTRESPerUser=cpu=4; pa: MaxTRESPerAccount=cpu=4; pj: MaxTRESPerJob=cpu=2,node=1; "        \
  "mn: MinTRESPerJob=cpu=2"

static const RecordedJob maxtres_a[] = {
  { "alice q=pu cpu=3 t=2", NULL },
  { "alice q=pu cpu=2 t=2", "QOSMaxCpuPerUserLimit" },
  { "alice q=pu cpu=1 t=2", NULL },
  { "bob q=pu cpu=4 t=2", NULL },
  { "carol q=pa cpu=3 t=2", NULL },
  { "dave q=pa cpu=3 node=2 t=2", "MaxCpuPerAccount" },
  { "dave q=pj cpu=3 t=2", "QOSMaxCpuPerJobLimit" },
  { "dave q=pj cpu=2 t=2", NULL },
  { "dave q=mn cpu=1 t=2", "QOSMinCpuNotSatisfied" },
};
static const RecordedJob maxtres_b[] = {
  { "alice q=pu cpu=2 t=2", NULL },
  { "dave q=pa cpu=3 t=2", NULL },
  { "dave q=pj cpu=3 t=2", "QOSMaxCpuPerJobLimit" },
  { "dave q=mn cpu=1 t=2", "QOSMinCpuNotSatisfied" },
};
static const RecordedJob maxtres_c[] = {
  { "dave q=pj cpu=3 t=2", "QOSMaxCpuPerJobLimit" },
  { "dave q=mn cpu=1 t=2", "QOSMinCpuNotSatisfied" },
};

/* ---------------------------------------------------------------- associations up the tree */

#define ASSOCIATIONS                                                                               \
  "phys: GrpTRES=cpu=6; chem: GrpJobs=2; alice: MaxJobs=1; "                                       \
  "carol: MaxTRESPerJob=cpu=3 MaxWallDurationPerJob=5; dave: MaxTRESMinsPerJob=cpu=6; "            \
  "lim: GrpTRESMins=cpu=8; frank: GrpTRESRunMins=cpu=4 GrpSubmitJobs=2"

static const RecordedJob associations_a[] = {
  { "alice q=normal cpu=2 t=2", NULL },
  { "alice q=normal cpu=1 t=2", "AssocMaxJobsLimit" },
  { "bob q=normal cpu=4 t=2", NULL },
  { "bob q=normal cpu=2 t=2", "AssocGrpCpuLimit" },
  { "carol q=normal cpu=4 t=2", "AssocGrpJobsLimit" },
  { "carol q=normal cpu=1 t=6", "AssocMaxWallDurationPerJobLimit" },
  { "carol q=normal cpu=1 t=2", NULL },
  { "carol q=normal cpu=1 t=2", NULL },
  { "carol q=normal cpu=1 t=2", "AssocGrpJobsLimit" },
  { "dave q=normal cpu=2 t=4", "AssocGrpJobsLimit" },
  /* It cannot end inside GrpTRESMins, but only with `safe` would that hold it. */
  { "erin q=normal cpu=2 t=5", NULL },
  { "erin q=normal cpu=2 t=2", NULL },
  { "frank q=normal cpu=2 t=2", NULL },
  { "frank q=normal cpu=1 t=1", "AssocGrpCPURunMinutesLimit" },
};
static const RecordedJob associations_b[] = {
  { "alice q=normal cpu=1 t=2", NULL },
  { "bob q=normal cpu=2 t=2", NULL },
  { "carol q=normal cpu=4 t=2", "AssocMaxCpuPerJobLimit" },
  { "carol q=normal cpu=1 t=6", "AssocMaxWallDurationPerJobLimit" },
  { "carol q=normal cpu=1 t=2", NULL },
  { "dave q=normal cpu=2 t=4", "AssocMaxCpuMinutesPerJobLimit" },
  { "frank q=normal cpu=1 t=1", NULL },
};
static const RecordedJob associations_c[] = {
  { "carol q=normal cpu=4 t=2", "AssocMaxCpuPerJobLimit" },
  { "carol q=normal cpu=1 t=6", "AssocMaxWallDurationPerJobLimit" },
  { "dave q=normal cpu=2 t=4", "AssocMaxCpuMinutesPerJobLimit" },
};

/* ---------------------------------------------------------------- one limit for each QOS */

#define ONE_EACH                                                                                   \
  "ju: MaxJobsPerUser=1; ja: MaxJobsPerAccount=1; gs: GrpSubmitJobs=2; tn: MaxTRESPerNode=cpu=2; " \
  "ru: MaxTRESRunMinsPerUser=cpu=4; mw: MaxWallDurationPerJob=3; gw: GrpWall=3"

static const RecordedJob one_each_a[] = {
  { "alice q=ju cpu=1 t=2", NULL },
  { "alice q=ju cpu=1 t=2", "QOSMaxJobsPerUserLimit" },
  { "bob q=ju cpu=1 t=2", NULL },
  { "alice q=ja cpu=1 t=2", NULL },
  { "bob q=ja cpu=1 t=2", "MaxJobsPerAccount" },
  { "carol q=ja cpu=1 t=2", NULL },
  { "alice q=gs cpu=1 t=2", NULL },
  { "bob q=gs cpu=1 t=2", NULL },
  { "alice q=tn cpu=3 t=2", "QOSMaxCpuPerNode" },
  { "alice q=tn cpu=4 node=2 t=2", NULL },
  { "carol q=ru cpu=1 t=3", NULL },
  { "carol q=ru cpu=1 t=2", "MaxCpuRunMinsPerUser" },
  { "carol q=ru cpu=1 t=1", NULL },
  { "dave q=mw cpu=1 t=4", "QOSMaxWallDurationPerJobLimit" },
  { "dave q=gw cpu=1 t=4", NULL },
  { "dave q=mw cpu=1 t=3", NULL },
};
static const RecordedJob one_each_b[] = {
  { "alice q=ju cpu=1 t=2", NULL },
  { "bob q=ja cpu=1 t=2", NULL },
  { "alice q=tn cpu=3 t=2", "QOSMaxCpuPerNode" },
  { "carol q=ru cpu=1 t=2", NULL },
  { "dave q=mw cpu=1 t=4", "QOSMaxWallDurationPerJobLimit" },
};

#define RECORDING(name, clauses, jobs)                                                             \
  {                                                                                                \
    name, clauses, jobs, G_N_ELEMENTS (jobs)                                                       \
  }

static const Recording recordings[] = {
  RECORDING ("qos-grptres at 4 s", GRPTRES, grptres_a),
  RECORDING ("qos-grptres at 9 s", GRPTRES, grptres_b),
  RECORDING ("qos-grptres at 21 s", GRPTRES, grptres_c),
  RECORDING ("qos-maxtrespu at 4 s", MAXTRES, maxtres_a),
  RECORDING ("qos-maxtrespu at 9 s", MAXTRES, maxtres_b),
  RECORDING ("qos-maxtrespu at 17 s", MAXTRES, maxtres_c),
  RECORDING ("assoc-limits at 4 s", ASSOCIATIONS, associations_a),
  RECORDING ("assoc-limits at 9 s", ASSOCIATIONS, associations_b),
  RECORDING ("assoc-limits at 19 s", ASSOCIATIONS, associations_c),
  RECORDING ("qos-maxjobs-only at 4 s", ONE_EACH, one_each_a),
  RECORDING ("qos-maxjobs-only at 10 s", ONE_EACH, one_each_b),
};

static void
test_recording (gconstpointer data)
{
  const Recording *recording = data;
  g_autoptr (LimitsFixture) fixture = limits_fixture_new (recording->clauses);
  for (guint i = 0; i < recording->count; i++) {
    if (recording->jobs[i].reason != NULL)
      continue;
    limits_fixture_set_job (fixture, recording->jobs[i].job);
    g_autofree char *reason =
        limits_fixture_check (fixture, &lk_limits_slurm, LK_CHECK_START, 1, NULL);
    g_assert_cmpstr (reason, ==, "");
    limits_fixture_start_job (fixture);
  }
  for (guint i = 0; i < recording->count; i++) {
    if (recording->jobs[i].reason == NULL)
      continue;
    limits_fixture_set_job (fixture, recording->jobs[i].job);
    g_autofree char *reason =
        limits_fixture_check (fixture, &lk_limits_slurm, LK_CHECK_START, 1, NULL);
    g_assert_cmpstr (reason, ==, recording->jobs[i].reason);
  }
}

/* What sbatch was told: these two were refused, and this one was given a time limit. */
static void
test_submissions (void)
{
  static const struct {
    const char *clauses;
    const char *job;
    const char *reason;
  } refused[] = {
    { ASSOCIATIONS "; frank: submitted=2", "frank q=normal cpu=1 t=1", "AssocGrpSubmitJobsLimit" },
    { ONE_EACH "; gs: submitted=2", "carol q=gs cpu=1 t=2", "QOSGrpSubmitJobsLimit" },
    { ONE_EACH "; gs: submitted=1", "bob q=gs cpu=1 t=2", "" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
    g_autoptr (LimitsFixture) fixture = limits_fixture_new (refused[i].clauses);
    limits_fixture_set_job (fixture, refused[i].job);
    g_autofree char *reason =
        limits_fixture_check (fixture, &lk_limits_slurm, LK_CHECK_SUBMIT, 1, NULL);
    g_assert_cmpstr (reason, ==, refused[i].reason);
    g_assert_false (lk_limits_slurm.denies (NULL, limits_fixture_view (fixture), 0));
  }
  g_autoptr (LimitsFixture) fixture = limits_fixture_new (ONE_EACH);
  limits_fixture_set_job (fixture, "dave q=mw cpu=1");
  g_assert_cmpint (lk_limits_slurm.time_limit_us (NULL, limits_fixture_view (fixture), 0,
                                                  limits_fixture_tres (fixture)),
                   ==, INT64_C (180000000));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (recordings); i++) {
    g_autofree char *path = g_strdup_printf ("/limits recorded/%s", recordings[i].name);
    g_test_add_data_func (path, &recordings[i], test_recording);
  }
  g_test_add_func ("/limits recorded/what was refused at submission", test_submissions);
  return g_test_run ();
}
