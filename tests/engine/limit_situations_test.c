/* tests/engine/limit_situations_test.c — every kind of limit, at every place where it can be set,
 * with a job that waits for it in a real engine.
 *
 * A row has limits as sacctmgr is told them, jobs that run, and one more.  That job waits with the
 * reason of the row, or is refused; the job behind it starts; passes in between change nothing; and
 * when the cause goes away it starts by itself.  All rows run under each backfill policy, of which
 * `none` lets nobody pass who waits in the queue. */
#include "tests/engine/limits_site.h"

#define BLOCKED 8u
#define BEHIND 9u

/* ---------------------------------------------------------------- rows */

typedef enum {
  UNTIL_END,    /* of job 1 */
  UNTIL_TIME,   /* goes by: what runs has less left */
  UNTIL_DECAY,  /* of what job 1, which ends after ten minutes, has used */
  UNTIL_UPDATE, /* to a minute of its own time limit */
  FOR_EVER,     /* whatever the others do */
} Until;

typedef struct {
  const char *rule;
  const char *limits;
  const char *running; /* jobs from 1 on, with ; between */
  const char *blocked;
  const char *reason;
  Until until;
  const char *behind; /* NULL: "carol"; "": there is none whom the limit does not hold */
} Row;

static const Row counts[] = {
  { "GrpJobs of a user", "modify user alice set GrpJobs=1", "alice", "alice", "AssocGrpJobsLimit",
    UNTIL_END, "bob" },
  { "GrpJobs of an account", "modify account phys set GrpJobs=2", "alice; bob", "alice",
    "AssocGrpJobsLimit", UNTIL_END, NULL },
  { "GrpJobs of an account above", "modify account phys set GrpJobs=1", "alice", "gil",
    "AssocGrpJobsLimit", UNTIL_END, NULL },
  { "GrpJobs of the root", "modify account root set GrpJobs=1", "carol", "alice",
    "AssocGrpJobsLimit", UNTIL_END, "" },
  { "GrpJobs of a QOS", "modify qos q set GrpJobs=1", "alice -q q", "carol -q q", "QOSGrpJobsLimit",
    UNTIL_END, NULL },
  { "GrpJobs of a partition", "modify qos few set GrpJobs=1", "alice -p small", "gil -p small",
    "QOSGrpJobsLimit", UNTIL_END, NULL },
  { "MaxJobs of a user", "modify user alice set MaxJobs=1", "alice", "alice", "AssocMaxJobsLimit",
    UNTIL_END, "bob" },
  { "MaxJobs handed down by an account", "modify account phys set MaxJobs=1", "alice; bob", "alice",
    "AssocMaxJobsLimit", UNTIL_END, "gil" },
  { "MaxJobs handed down by the root", "modify account root set MaxJobs=1", "gil", "gil",
    "AssocMaxJobsLimit", UNTIL_END, NULL },
  { "MaxJobsPerUser of a QOS", "modify qos q set MaxJobsPerUser=1", "alice -q q", "alice -q q",
    "QOSMaxJobsPerUserLimit", UNTIL_END, "bob -q q" },
  { "MaxJobsPerUser of a partition", "modify qos few set MaxJobsPerUser=1", "alice -p small",
    "alice -q q -p small", "QOSMaxJobsPerUserLimit", UNTIL_END, "bob -p small" },
  { "MaxJobsPerAccount of a QOS", "modify qos q set MaxJobsPerAccount=1", "alice -q q", "bob -q q",
    "MaxJobsPerAccount", UNTIL_END, "gil -q q" },
  { "MaxJobsPerAccount of a partition", "modify qos few set MaxJobsPerAccount=1", "alice -p small",
    "bob -p small", "MaxJobsPerAccount", UNTIL_END, "carol -p small" },
};

static const Row groups[] = {
  { "CPUs of a user", "modify user alice set GrpTRES=cpu=8", "alice -n6", "alice -n3",
    "AssocGrpCpuLimit", UNTIL_END, "alice -n2" },
  { "CPUs of an account", "modify account phys set GrpTRES=cpu=8", "alice -n4; bob -n4", "alice",
    "AssocGrpCpuLimit", UNTIL_END, NULL },
  { "CPUs of an account above", "modify account phys set GrpTRES=cpu=8", "alice -n6", "gil -n3",
    "AssocGrpCpuLimit", UNTIL_END, "gil -n2" },
  { "CPUs of the root", "modify account root set GrpTRES=cpu=8", "carol -n6", "alice -n3",
    "AssocGrpCpuLimit", UNTIL_END, "carol" },
  { "CPUs of a QOS", "modify qos q set GrpTRES=cpu=8", "alice -q q -n6", "carol -q q -n3",
    "QOSGrpCpuLimit", UNTIL_END, "carol -q q -n2" },
  { "CPUs of a partition", "modify qos few set GrpTRES=cpu=8", "alice -p small -n6",
    "carol -p small -n3", "QOSGrpCpuLimit", UNTIL_END, "bob -p small -n2" },
  { "memory of an account", "modify account phys set GrpTRES=mem=1000", "alice --mem=600",
    "bob --mem=500", "AssocGrpMemLimit", UNTIL_END, NULL },
  { "memory of a QOS", "modify qos q set GrpTRES=mem=1G", "alice -q q --mem=600",
    "bob -q q --mem=500", "QOSGrpMemLimit", UNTIL_END, NULL },
  { "nodes of an account", "modify account phys set GrpTRES=node=2", "alice -N2 -n33",
    "bob -N1 --exclusive", "AssocGrpNodeLimit", UNTIL_END, NULL },
  { "nodes of a partition", "modify qos few set GrpTRES=node=2", "alice -p small -N2 -n33",
    "carol -p small -N1 --exclusive", "QOSGrpNodeLimit", UNTIL_END, NULL },
  { "GPUs of an account", "modify account phys set GrpTRES=gres/gpu=4", "alice --gres=gpu:3",
    "bob --gres=gpu:2", "AssocGrpGRES", UNTIL_END, "bob --gres=gpu:1" },
  { "GPUs of a QOS", "modify qos q set GrpTRES=gres/gpu=4", "alice -q q --gres=gpu:3",
    "bob -q q --gpus=2", "QOSGrpGRES", UNTIL_END, "bob -q q" },
  { "licences of an account", "modify account phys set GrpTRES=license/cad=4", "alice -L cad:3",
    "bob -L cad:2", "AssocGrpLicense", UNTIL_END, "carol -L cad:2" },
  { "billing of a QOS", "modify qos q set GrpTRES=billing=8", "alice -q q -n6", "bob -q q -n3",
    "QOSGrpBilling", UNTIL_END, NULL },
};

static const Row per_user_and_account[] = {
  { "CPUs of a user in a QOS", "modify qos q set MaxTRESPerUser=cpu=8", "alice -q q -n6",
    "alice -q q -n3", "QOSMaxCpuPerUserLimit", UNTIL_END, "bob -q q -n3" },
  { "CPUs of a user in a partition", "modify qos few set MaxTRESPerUser=cpu=8",
    "alice -p small -n6", "alice -p small -n3", "QOSMaxCpuPerUserLimit", UNTIL_END, "alice -n3" },
  { "memory of a user in a QOS", "modify qos q set MaxTRESPerUser=mem=1000", "alice -q q --mem=600",
    "alice -q q --mem=500", "QOSMaxMemoryPerUser", UNTIL_END, NULL },
  { "nodes of a user in a QOS", "modify qos q set MaxTRESPerUser=node=1", "alice -q q --exclusive",
    "alice -q q --exclusive", "QOSMaxNodePerUserLimit", UNTIL_END, "bob -q q --exclusive" },
  { "GPUs of a user in a QOS", "modify qos q set MaxTRESPerUser=gres/gpu=4",
    "alice -q q --gres=gpu:3", "alice -q q --gres=gpu:2", "QOSMaxGRESPerUser", UNTIL_END,
    "bob -q q --gres=gpu:2" },
  { "CPUs of an account in a QOS", "modify qos q set MaxTRESPerAccount=cpu=8", "alice -q q -n6",
    "bob -q q -n3", "MaxCpuPerAccount", UNTIL_END, "gil -q q -n3" },
  { "CPUs of an account in a partition", "modify qos few set MaxTRESPerAccount=cpu=8",
    "alice -p small -n6", "bob -p small -n3", "MaxCpuPerAccount", UNTIL_END, "carol -p small -n3" },
  { "GPUs of an account in a QOS", "modify qos q set MaxTRESPerAccount=gres/gpu=4",
    "alice -q q --gres=gpu:3", "bob -q q --gres=gpu:2", "MaxGRESPerAccount", UNTIL_END, NULL },
};

static const Row per_job[] = {
  { "CPUs of a user's job", "modify user alice set MaxTRESPerJob=cpu=4", "alice -n4", "alice -n5",
    "AssocMaxCpuPerJobLimit", FOR_EVER, "bob -n5" },
  { "CPUs of a job of an account", "modify account phys set MaxTRESPerJob=cpu=4", "alice -n4",
    "gil -n5", "AssocMaxCpuPerJobLimit", FOR_EVER, NULL },
  { "CPUs of a job of the root", "modify account root set MaxTRESPerJob=cpu=4", "alice -n4",
    "carol -n5", "AssocMaxCpuPerJobLimit", FOR_EVER, "carol -n4" },
  { "CPUs of a job in a QOS", "modify qos q set MaxTRESPerJob=cpu=4", "alice -q q -n4",
    "alice -q q -n5", "QOSMaxCpuPerJobLimit", FOR_EVER, "alice -n5" },
  { "CPUs of a job in a partition", "modify qos few set MaxTRESPerJob=cpu=4", "alice -p small -n4",
    "alice -p small -n5", "QOSMaxCpuPerJobLimit", FOR_EVER, NULL },
  { "memory of a job", "modify user alice set MaxTRESPerJob=mem=1000", "alice --mem=1000",
    "alice --mem=1001", "AssocMaxMemPerJob", FOR_EVER, NULL },
  { "nodes of a job", "modify account phys set MaxTRESPerJob=node=2", "alice -N2", "alice -N3",
    "AssocMaxNodePerJobLimit", FOR_EVER, NULL },
  { "nodes that a job's CPUs need", "modify account phys set MaxTRESPerJob=node=1", "alice",
    "bob -n40", "AssocMaxNodePerJobLimit", FOR_EVER, NULL },
  { "nodes that a job's GPUs need", "modify qos q set MaxTRESPerJob=node=1", "alice -q q",
    "bob -q q -n2 --gpus=8", "QOSMaxNodePerJobLimit", FOR_EVER, NULL },
  { "GPUs of a job in a QOS", "modify qos q set MaxTRESPerJob=gres/gpu=4", "alice -q q --gpus=4",
    "alice -q q --gpus=5", "QOSMaxGRESPerJob", FOR_EVER, NULL },
  { "CPUs of a user's job on a node", "modify user alice set MaxTRESPerNode=cpu=4", "alice -N2 -n8",
    "alice -N1 -n5", "AssocMaxCpuPerNode", FOR_EVER, NULL },
  { "CPUs of an account's job on a node", "modify account phys set MaxTRESPerNode=cpu=4",
    "gil -N2 -n8", "gil -N1 -n5", "AssocMaxCpuPerNode", FOR_EVER, NULL },
  { "CPUs of a job on a node in a QOS", "modify qos q set MaxTRESPerNode=cpu=4",
    "alice -q q -N2 -n8", "bob -q q -N1 -n5", "QOSMaxCpuPerNode", FOR_EVER, NULL },
  { "GPUs of a job on a node in a partition", "modify qos few set MaxTRESPerNode=gres/gpu=2",
    "alice -p small --gres=gpu:2", "bob -p small -N1 --gres=gpu:3", "QOSMaxGRESPerNode", FOR_EVER,
    NULL },
  { "least CPUs of a job in a QOS", "modify qos q set MinTRESPerJob=cpu=4", "alice -q q -n4",
    "alice -q q -n3", "QOSMinCpuNotSatisfied", FOR_EVER, NULL },
  { "least nodes of a job in a partition", "modify qos few set MinTRESPerJob=node=2",
    "alice -p small -N2", "alice -p small -N1", "QOSMinNode", FOR_EVER, NULL },
  { "least GPUs of a job in a QOS", "modify qos q set MinTRESPerJob=gres/gpu=1",
    "alice -q q --gres=gpu:1", "alice -q q -n9", "QOSMinGRES", FOR_EVER, NULL },
};

static const Row walls[] = {
  { "wall of a user's job", "modify user alice set MaxWall=10", "alice -t 10", "alice -t 11",
    "AssocMaxWallDurationPerJobLimit", UNTIL_UPDATE, NULL },
  { "wall of an account's job", "modify account phys set MaxWall=10", "gil -t 10", "gil -t 11",
    "AssocMaxWallDurationPerJobLimit", UNTIL_UPDATE, NULL },
  { "wall of the root's job", "modify account root set MaxWall=10", "gil -t 10", "carol -t 11",
    "AssocMaxWallDurationPerJobLimit", UNTIL_UPDATE, "carol -t 10" },
  { "wall of a job in a QOS", "modify qos q set MaxWall=10", "alice -q q -t 10", "alice -q q -t 11",
    "QOSMaxWallDurationPerJobLimit", UNTIL_UPDATE, "alice -t 11" },
  { "wall of a job in a partition", "modify qos few set MaxWall=10", "alice -p small -t 10",
    "alice -p small -t 11", "QOSMaxWallDurationPerJobLimit", UNTIL_UPDATE, NULL },
  { "minutes of a user's job", "modify user alice set MaxTRESMins=cpu=60", "alice -n2 -t 30",
    "alice -n2 -t 31", "AssocMaxCpuMinutesPerJobLimit", UNTIL_UPDATE, NULL },
  { "minutes of an account's job", "modify account phys set MaxTRESMins=cpu=60", "alice -n2 -t 30",
    "gil -n2 -t 31", "AssocMaxCpuMinutesPerJobLimit", UNTIL_UPDATE, NULL },
  { "minutes of a job in a QOS", "modify qos q set MaxTRESMinsPerJob=cpu=60",
    "alice -q q -n2 -t 30", "alice -q q -n2 -t 31", "QOSMaxCpuMinutesPerJobLimit", UNTIL_UPDATE,
    NULL },
  { "minutes of a job in a partition", "modify qos few set MaxTRESMinsPerJob=gres/gpu=60",
    "bob -p small --gres=gpu:2 -t 30", "bob -p small --gres=gpu:2 -t 31", "QOSMaxGRESMinutesPerJob",
    UNTIL_UPDATE, NULL },
};

/* Job 1 has 120 minutes before it. */
static const Row running_minutes[] = {
  { "running minutes of a user", "modify user alice set GrpTRESRunMins=cpu=130", "alice -n2",
    "alice -t 15", "AssocGrpCPURunMinutesLimit", UNTIL_TIME, "alice -t 10" },
  { "running minutes of an account", "modify account phys set GrpTRESRunMins=cpu=130", "alice -n2",
    "bob -t 15", "AssocGrpCPURunMinutesLimit", UNTIL_END, NULL },
  { "running minutes of an account above", "modify account phys set GrpTRESRunMins=cpu=130",
    "alice -n2", "gil -t 15", "AssocGrpCPURunMinutesLimit", UNTIL_UPDATE, NULL },
  { "running minutes of the root", "modify account root set GrpTRESRunMins=cpu=130", "alice -n2",
    "carol -t 15", "AssocGrpCPURunMinutesLimit", UNTIL_TIME, "" },
  { "running minutes of a QOS", "modify qos q set GrpTRESRunMins=cpu=130", "alice -q q -n2",
    "carol -q q -t 15", "QOSGrpCPURunMinutesLimit", UNTIL_TIME, NULL },
  { "running minutes of a partition", "modify qos few set GrpTRESRunMins=node=65",
    "alice -p small -n2", "carol -p small -t 7", "QOSGrpNodeRunMinutes", UNTIL_TIME, NULL },
  { "running minutes of a user in a QOS", "modify qos q set MaxTRESRunMinsPerUser=cpu=130",
    "alice -q q -n2", "alice -q q -t 15", "MaxCpuRunMinsPerUser", UNTIL_TIME, "bob -q q -t 15" },
  { "running minutes of a user in a partition", "modify qos few set MaxTRESRunMinsPerUser=cpu=130",
    "alice -p small -n2", "alice -p small -t 15", "MaxCpuRunMinsPerUser", UNTIL_END, NULL },
  { "running minutes of an account in a QOS", "modify qos q set MaxTRESRunMinsPerAccount=cpu=130",
    "alice -q q -n2", "bob -q q -t 15", "MaxCpuRunMinsPerAccount", UNTIL_TIME, "gil -q q -t 15" },
  { "running minutes of an account in a partition",
    "modify qos few set MaxTRESRunMinsPerAccount=cpu=130", "alice -p small -n2",
    "bob -p small -t 15", "MaxCpuRunMinsPerAccount", UNTIL_END, NULL },
};

/* Job 1 uses 40 CPU-minutes and ten of wall. */
static const Row used[] = {
  { "minutes used by a user", "modify user alice set GrpTRESMins=cpu=30", "alice -n4", "alice",
    "AssocGrpCPUMinutesLimit", UNTIL_DECAY, "bob" },
  { "minutes used by an account", "modify account phys set GrpTRESMins=cpu=30", "alice -n4", "bob",
    "AssocGrpCPUMinutesLimit", UNTIL_DECAY, NULL },
  { "minutes used by an account below", "modify account phys set GrpTRESMins=cpu=30", "gil -n4",
    "bob", "AssocGrpCPUMinutesLimit", UNTIL_DECAY, NULL },
  { "minutes used by all", "modify account root set GrpTRESMins=node=8", "gil -n4", "carol",
    "AssocGrpNodeMinutes", UNTIL_DECAY, "" },
  { "minutes used in a QOS", "modify qos q set GrpTRESMins=cpu=30", "alice -q q -n4", "carol -q q",
    "QOSGrpCPUMinutesLimit", UNTIL_DECAY, NULL },
  { "minutes used in a partition", "modify qos few set GrpTRESMins=cpu=30", "alice -p small -n4",
    "carol -p small", "QOSGrpCPUMinutesLimit", UNTIL_DECAY, NULL },
  { "wall used by a user", "modify user alice set GrpWall=8", "alice -t 8", "alice -t 1",
    "AssocGrpWallLimit", UNTIL_DECAY, "bob" },
  { "wall used by an account", "modify account phys set GrpWall=8", "alice", "gil -t 1",
    "AssocGrpWallLimit", UNTIL_DECAY, NULL },
  { "wall used by all", "modify account root set GrpWall=8", "alice", "carol -t 1",
    "AssocGrpWallLimit", UNTIL_DECAY, "" },
  { "wall used in a QOS", "modify qos q set GrpWall=8", "alice -q q", "carol -q q -t 1",
    "QOSGrpWallLimit", UNTIL_DECAY, NULL },
  { "wall used in a partition", "modify qos few set GrpWall=8", "alice -p small",
    "carol -p small -t 1", "QOSGrpWallLimit", UNTIL_DECAY, NULL },
};

/* ---------------------------------------------------------------- a row */

static void
row_begin (Site *self, const Row *row, const char *backfill)
{
  site_prepare (self, row->limits);
  if (row->until == UNTIL_DECAY) {
    self->accounts->half_life_us = G_GINT64_CONSTANT (3600) * G_USEC_PER_SEC;
    self->accounts->reset = LK_RESET_NONE;
  }
  site_start (self, backfill);
  g_auto (GStrv) running = g_strsplit (row->running, "; ", -1);
  for (guint32 i = 0; running[i] != NULL; i++)
    submit (self, i + 1, running[i]);
  pass (self);
  for (guint32 i = 0; running[i] != NULL; i++)
    g_assert_true (runs (self, i + 1));
  if (row->until == UNTIL_DECAY)
    end (self, 599, 1);
}

/* It waits, has said why, and holds nobody up. */
static void
row_wait (Site *self, const Row *row)
{
  const char *behind = row->behind != NULL ? row->behind : "carol";
  submit (self, BLOCKED, row->blocked);
  if (*behind != '\0')
    submit (self, BEHIND, behind);
  pass_if_wanted (self);
  assert_told (self, "PENDING", BLOCKED, row->reason);
  assert_waits (self, BLOCKED, row->reason);
  g_assert_true (runs (self, BEHIND) == (*behind != '\0'));
  g_assert_false (lk_engine_pass_wanted (self->fixture.engine));
  go_to (self, self->now_s + 1);
  pass (self);
  assert_waits (self, BLOCKED, row->reason);
}

static void
row_go_on (Site *self, const Row *row)
{
  switch (row->until) {
  case UNTIL_END:
    end (self, 30, 1);
    break;
  case UNTIL_TIME:
    wait_for (self, BLOCKED, 300);
    break;
  case UNTIL_DECAY:
    wait_for (self, BLOCKED, 3600);
    break;
  case UNTIL_UPDATE:
    update_limit (self, 30, BLOCKED, 60);
    break;
  default:
    for (guint32 id = 1; id <= BEHIND; id++)
      if (runs (self, id))
        end (self, 30, id);
    wait_for (self, BLOCKED, 3600);
  }
}

static void
test_row (gconstpointer data)
{
  static const char *const backfills[] = { "none", "easy", "conservative", "full", "replan" };
  const Row *row = data;
  for (guint i = 0; i < G_N_ELEMENTS (backfills); i++) {
    Site site;
    row_begin (&site, row, backfills[i]);
    row_wait (&site, row);
    row_go_on (&site, row);
    assert_waits (&site, BLOCKED, row->until == FOR_EVER ? row->reason : "");
    g_assert_true (runs (&site, BLOCKED) == (row->until != FOR_EVER));
    site_clear (&site);
  }
}

/* ---------------------------------------------------------------- refused at submission */

typedef struct {
  const char *rule;
  const char *limits;
  const char *running;
  const char *refused;
  gboolean is_forever; /* not only until job 1 has ended */
  const char *accepted;
} Refusal;

static const Refusal refusals[] = {
  { "GrpSubmitJobs of a user", "modify user alice set GrpSubmitJobs=1", "alice", "alice", FALSE,
    "bob" },
  { "GrpSubmitJobs of an account", "modify account phys set GrpSubmitJobs=1", "alice", "gil", FALSE,
    "carol" },
  { "GrpSubmitJobs of a QOS", "modify qos q set GrpSubmitJobs=1", "alice -q q", "carol -q q", FALSE,
    "carol" },
  { "GrpSubmitJobs of a partition", "modify qos few set GrpSubmitJobs=1", "alice -p small",
    "carol -p small", FALSE, "carol" },
  { "MaxSubmitJobs of a user", "modify user alice set MaxSubmitJobs=1", "alice", "alice", FALSE,
    "bob" },
  { "MaxSubmitJobs handed down", "modify account phys set MaxSubmitJobs=1", "gil", "gil", FALSE,
    "bob" },
  { "MaxSubmitJobsPerUser of a QOS", "modify qos q set MaxSubmitJobsPerUser=1", "alice -q q",
    "alice -q q", FALSE, "bob -q q" },
  { "MaxSubmitJobsPerAccount of a partition", "modify qos few set MaxSubmitJobsPerAccount=1",
    "alice -p small", "bob -p small", FALSE, "carol -p small" },
  { "DenyOnLimit of a QOS", "modify qos q set Flags=DenyOnLimit MaxTRESPerJob=cpu=2", "alice -q q",
    "alice -q q -n3", TRUE, "alice -q q -n2" },
  { "DenyOnLimit of a partition",
    "modify qos few set Flags=DenyOnLimit; modify user alice set MaxWall=5", "alice -t 5",
    "alice -p small -t 6", TRUE, "bob -p small -t 6" },
};

static void
test_refusal (gconstpointer data)
{
  const Refusal *refusal = data;
  g_autofree char *reason = g_strdup_printf ("%d", LK_REJECT_POLICY_LIMIT);
  Site site;
  site_prepare (&site, refusal->limits);
  site_start (&site, "none");
  submit (&site, 1, refusal->running);
  submit (&site, 2, refusal->refused);
  assert_told (&site, "reject", 2, reason);
  submit (&site, 3, refusal->accepted);
  assert_told (&site, "accept", 3, "");
  pass (&site);
  g_assert_true (runs (&site, 1));
  g_assert_true (runs (&site, 3));
  end (&site, 10, 1);
  submit (&site, 4, refusal->refused);
  assert_told (&site, refusal->is_forever ? "reject" : "accept", 4,
               refusal->is_forever ? reason : "");
  site_clear (&site);
}

/* ---------------------------------------------------------------- all of them */

static void
add_rows (const char *folder, const Row *rows, guint count)
{
  for (guint i = 0; i < count; i++) {
    g_autofree char *path = g_strdup_printf ("/limit situations/%s/%s", folder, rows[i].rule);
    g_test_add_data_func (path, &rows[i], test_row);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_rows ("jobs", counts, G_N_ELEMENTS (counts));
  add_rows ("of a group", groups, G_N_ELEMENTS (groups));
  add_rows ("of one in a QOS", per_user_and_account, G_N_ELEMENTS (per_user_and_account));
  add_rows ("of a job", per_job, G_N_ELEMENTS (per_job));
  add_rows ("time limits", walls, G_N_ELEMENTS (walls));
  add_rows ("running minutes", running_minutes, G_N_ELEMENTS (running_minutes));
  add_rows ("used", used, G_N_ELEMENTS (used));
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++) {
    g_autofree char *path = g_strdup_printf ("/limit situations/refused/%s", refusals[i].rule);
    g_test_add_data_func (path, &refusals[i], test_refusal);
  }
  return g_test_run ();
}
