/* tests/policies/limits_test.c — situations, one a row, and the reason with which the job waits or
 * is refused. The words of a row are those of limits_fixture.h. */
#include "policies/limits.h"
#include "tests/policies/limits_fixture.h"

typedef struct {
  const char *clauses; /* limits and what is in use */
  const char *job;
  const char *reason; /* NULL: nothing holds it */
} Situation;

typedef struct {
  const char *name;
  uint32_t when;
  const Situation *rows;
  guint count;
} Group;

#define START LK_CHECK_START

/* ---------------------------------------------------------------- counts of jobs */

static const Situation job_counts[] = {
  { "alice: GrpJobs=3 running=2", "alice", NULL },
  { "alice: GrpJobs=3 running=3", "alice", "AssocGrpJobsLimit" },
  { "phys: GrpJobs=3 running=2", "alice", NULL },
  { "phys: GrpJobs=3 running=3", "alice", "AssocGrpJobsLimit" },
  { "phys: GrpJobs=3 running=3", "carol", NULL },
  { "lab: GrpJobs=0", "gil", "AssocGrpJobsLimit" },
  { "root: GrpJobs=9 running=8", "gil", NULL },
  { "root: GrpJobs=9 running=9", "gil", "AssocGrpJobsLimit" },
  { "q: GrpJobs=3 running=2", "alice q=q", NULL },
  { "q: GrpJobs=3 running=3", "alice q=q", "QOSGrpJobsLimit" },
  { "p: GrpJobs=3 running=2", "alice q=q p=p", NULL },
  { "p: GrpJobs=3 running=3", "alice q=q p=p", "QOSGrpJobsLimit" },
  { "p: GrpJobs=3 running=3", "alice p=p", "QOSGrpJobsLimit" },
  { "alice: MaxJobs=1 running=0", "alice", NULL },
  { "alice: MaxJobs=1 running=1", "alice", "AssocMaxJobsLimit" },
  /* Set on an account it holds each user by itself. */
  { "phys: MaxJobs=2 running=9; alice: running=1", "alice", NULL },
  { "phys: MaxJobs=2 running=9; alice: running=2", "alice", "AssocMaxJobsLimit" },
  { "root: MaxJobs=2; gil: running=2", "gil", "AssocMaxJobsLimit" },
  { "root: MaxJobs=2; lab: MaxJobs=3; gil: running=2", "gil", NULL },
  { "q: MaxJobsPerUser=2; q/alice: running=1", "alice q=q", NULL },
  { "q: MaxJobsPerUser=2; q/alice: running=2", "alice q=q", "QOSMaxJobsPerUserLimit" },
  { "q: MaxJobsPerUser=2; q/bob: running=2", "alice q=q", NULL },
  { "p: MaxJobsPerUser=2; p/alice: running=2", "alice q=q p=p", "QOSMaxJobsPerUserLimit" },
  { "q: MaxJobsPerAccount=2; q/phys: running=1", "alice q=q", NULL },
  { "q: MaxJobsPerAccount=2; q/phys: running=2", "alice q=q", "MaxJobsPerAccount" },
  { "p: MaxJobsPerAccount=2; p/phys: running=2", "alice p=p", "MaxJobsPerAccount" },
  /* Only the job's own account, not those above. */
  { "q: MaxJobsPerAccount=2; q/phys: running=2", "gil q=q", NULL },
};

static const Situation submit_counts[] = {
  { "alice: GrpSubmitJobs=3 submitted=2", "alice", NULL },
  { "alice: GrpSubmitJobs=3 submitted=3", "alice", "AssocGrpSubmitJobsLimit" },
  { "phys: GrpSubmitJobs=3 submitted=3", "alice", "AssocGrpSubmitJobsLimit" },
  { "root: GrpSubmitJobs=3 submitted=3", "gil", "AssocGrpSubmitJobsLimit" },
  { "q: GrpSubmitJobs=3 submitted=2", "alice q=q", NULL },
  { "q: GrpSubmitJobs=3 submitted=3", "alice q=q", "QOSGrpSubmitJobsLimit" },
  { "p: GrpSubmitJobs=3 submitted=3", "alice q=q p=p", "QOSGrpSubmitJobsLimit" },
  { "alice: MaxSubmitJobs=5 submitted=4", "alice", NULL },
  { "alice: MaxSubmitJobs=5 submitted=5", "alice", "AssocMaxSubmitJobLimit" },
  { "phys: MaxSubmitJobs=5 submitted=9; alice: submitted=5", "alice", "AssocMaxSubmitJobLimit" },
  { "alice: MaxSubmitJobs=5 submitted=1", "alice tasks=4", NULL },
  { "alice: MaxSubmitJobs=5 submitted=2", "alice tasks=4", "AssocMaxSubmitJobLimit" },
  { "q: MaxSubmitJobsPerUser=5; q/alice: submitted=4", "alice q=q", NULL },
  { "q: MaxSubmitJobsPerUser=5; q/alice: submitted=5", "alice q=q", "QOSMaxSubmitJobPerUserLimit" },
  { "p: MaxSubmitJobsPerUser=1", "alice q=q p=p tasks=2", "QOSMaxSubmitJobPerUserLimit" },
  { "q: MaxSubmitJobsPerAccount=5; q/phys: submitted=4", "alice q=q", NULL },
  { "q: MaxSubmitJobsPerAccount=5; q/phys: submitted=5", "alice q=q", "MaxSubmitJobsPerAccount" },
  { "p: MaxSubmitJobsPerAccount=5; p/phys: submitted=5", "alice p=p", "MaxSubmitJobsPerAccount" },
  /* What is asked for later does not matter yet. */
  { "alice: GrpJobs=0 MaxTRESPerJob=cpu=1", "alice cpu=2", NULL },
};

/* ---------------------------------------------------------------- walls */

static const Situation walls[] = {
  { "alice: MaxWallDurationPerJob=5", "alice t=5", NULL },
  { "alice: MaxWallDurationPerJob=5", "alice t=6", "AssocMaxWallDurationPerJobLimit" },
  { "alice: MaxWallDurationPerJob=5", "alice t_s=301", "AssocMaxWallDurationPerJobLimit" },
  { "alice: MaxWallDurationPerJob=5", "alice", "AssocMaxWallDurationPerJobLimit" },
  { "phys: MaxWallDurationPerJob=5", "alice t=6", "AssocMaxWallDurationPerJobLimit" },
  { "root: MaxWallDurationPerJob=5", "gil t=6", "AssocMaxWallDurationPerJobLimit" },
  { "phys: MaxWallDurationPerJob=5; alice: MaxWallDurationPerJob=9", "alice t=6", NULL },
  { "q: MaxWallDurationPerJob=5", "alice q=q t=5", NULL },
  { "q: MaxWallDurationPerJob=5", "alice q=q t=6", "QOSMaxWallDurationPerJobLimit" },
  { "p: MaxWallDurationPerJob=5", "alice q=q p=p t=6", "QOSMaxWallDurationPerJobLimit" },
  { "alice: GrpWall=10 wall_s=599", "alice t=60", NULL },
  { "alice: GrpWall=10 wall_s=600", "alice t=60", "AssocGrpWallLimit" },
  { "phys: GrpWall=10 wall_s=600", "alice t=1", "AssocGrpWallLimit" },
  { "root: GrpWall=10 wall_s=600", "gil t=1", "AssocGrpWallLimit" },
  { "q: GrpWall=10 wall_s=599", "alice q=q t=60", NULL },
  { "q: GrpWall=10 wall_s=600", "alice q=q t=1", "QOSGrpWallLimit" },
  { "p: GrpWall=10 wall_s=600", "alice q=q p=p t=1", "QOSGrpWallLimit" },
  { "all: safe; alice: GrpWall=10 wall_s=300", "alice t=5", NULL },
  { "all: safe; alice: GrpWall=10 wall_s=300", "alice t=6", "AssocGrpWallLimit" },
  { "all: safe; q: GrpWall=10", "alice q=q t=11", "QOSGrpWallLimit" },
};

/* ---------------------------------------------------------------- amounts in use */

static const Situation group_tres[] = {
  { "alice: GrpTRES=cpu=8 cpu=4", "alice cpu=4", NULL },
  { "alice: GrpTRES=cpu=8 cpu=4", "alice cpu=5", "AssocGrpCpuLimit" },
  { "phys: GrpTRES=cpu=8 cpu=4", "alice cpu=5", "AssocGrpCpuLimit" },
  { "lab: GrpTRES=cpu=8 cpu=4", "gil cpu=5", "AssocGrpCpuLimit" },
  { "lab: GrpTRES=cpu=8 cpu=4", "alice cpu=5", NULL },
  { "root: GrpTRES=cpu=8 cpu=4", "gil cpu=5", "AssocGrpCpuLimit" },
  { "q: GrpTRES=cpu=8 cpu=4", "alice q=q cpu=4", NULL },
  { "q: GrpTRES=cpu=8 cpu=4", "alice q=q cpu=5", "QOSGrpCpuLimit" },
  { "p: GrpTRES=cpu=8 cpu=4", "alice q=q p=p cpu=5", "QOSGrpCpuLimit" },
  { "phys: GrpTRES=mem=100 mem=60", "alice mem=41", "AssocGrpMemLimit" },
  { "q: GrpTRES=mem=100 mem=60", "alice q=q mem=41", "QOSGrpMemLimit" },
  { "phys: GrpTRES=node=4 node=4", "alice node=1", "AssocGrpNodeLimit" },
  { "phys: GrpTRES=node=4 node=3", "alice node=1", NULL },
  { "q: GrpTRES=node=4 node=4", "alice q=q node=1", "QOSGrpNodeLimit" },
  { "phys: GrpTRES=gres/gpu=2 gres/gpu=2", "alice gres/gpu=1", "AssocGrpGRES" },
  { "phys: GrpTRES=gres/gpu=2 gres/gpu=2", "alice cpu=9", NULL },
  { "phys: GrpTRES=gres/gpu:a100=1 gres/gpu:a100=1", "alice gres/gpu=1", NULL },
  { "phys: GrpTRES=license/matlab=1 license/matlab=1", "alice license/matlab=1",
    "AssocGrpLicense" },
  { "phys: GrpTRES=bb/datawarp=1", "alice bb/datawarp=2", "AssocGrpBB" },
  { "phys: GrpTRES=billing=7 billing=4", "alice billing=4", "AssocGrpBilling" },
  { "q: GrpTRES=vmem=7 vmem=4", "alice q=q vmem=4", "QOSGrpUnknown" },
  /* Energy is never in use; what a job says it needs still counts. */
  { "phys: GrpTRES=energy=7 energy=7", "alice", NULL },
  { "phys: GrpTRES=energy=7 energy=7", "alice energy=7", NULL },
  { "phys: GrpTRES=energy=7", "alice energy=8", "AssocGrpEnergy" },
};

static const Situation per_user_and_account[] = {
  { "q: MaxTRESPerUser=cpu=4; q/alice: cpu=3", "alice q=q cpu=1", NULL },
  { "q: MaxTRESPerUser=cpu=4; q/alice: cpu=3", "alice q=q cpu=2", "QOSMaxCpuPerUserLimit" },
  { "q: MaxTRESPerUser=cpu=4; q/bob: cpu=3", "alice q=q cpu=2", NULL },
  { "p: MaxTRESPerUser=cpu=4; p/alice: cpu=3", "alice q=q p=p cpu=2", "QOSMaxCpuPerUserLimit" },
  { "q: MaxTRESPerUser=mem=4; q/alice: mem=3", "alice q=q mem=2", "QOSMaxMemoryPerUser" },
  { "q: MaxTRESPerUser=node=2; q/alice: node=2", "alice q=q", "QOSMaxNodePerUserLimit" },
  { "q: MaxTRESPerUser=gres/gpu=4", "alice q=q gres/gpu=5", "QOSMaxGRESPerUser" },
  { "q: MaxTRESPerAccount=cpu=4; q/phys: cpu=3", "alice q=q cpu=1", NULL },
  { "q: MaxTRESPerAccount=cpu=4; q/phys: cpu=3", "alice q=q cpu=2", "MaxCpuPerAccount" },
  { "q: MaxTRESPerAccount=cpu=4; q/phys: cpu=3", "gil q=q cpu=2", NULL },
  { "p: MaxTRESPerAccount=cpu=4; p/phys: cpu=3", "alice q=q p=p cpu=2", "MaxCpuPerAccount" },
  { "q: MaxTRESPerAccount=gres/gpu=0", "alice q=q gres/gpu=1", "MaxGRESPerAccount" },
};

static const Situation per_job[] = {
  { "alice: MaxTRESPerJob=cpu=3", "alice cpu=3", NULL },
  { "alice: MaxTRESPerJob=cpu=3", "alice cpu=4", "AssocMaxCpuPerJobLimit" },
  { "phys: MaxTRESPerJob=cpu=3", "alice cpu=4", "AssocMaxCpuPerJobLimit" },
  { "root: MaxTRESPerJob=cpu=3", "gil cpu=4", "AssocMaxCpuPerJobLimit" },
  { "phys: MaxTRESPerJob=cpu=3; lab: MaxTRESPerJob=cpu=8", "gil cpu=4", NULL },
  { "phys: MaxTRESPerJob=cpu=3; lab: MaxTRESPerJob=mem=8", "gil cpu=4", "AssocMaxCpuPerJobLimit" },
  { "alice: MaxTRESPerJob=node=1", "alice node=2", "AssocMaxNodePerJobLimit" },
  { "alice: MaxTRESPerJob=mem=1", "alice mem=2", "AssocMaxMemPerJob" },
  { "q: MaxTRESPerJob=cpu=3", "alice q=q cpu=3", NULL },
  { "q: MaxTRESPerJob=cpu=3", "alice q=q cpu=4", "QOSMaxCpuPerJobLimit" },
  { "q: MaxTRESPerJob=mem=3", "alice q=q mem=4", "QOSMaxMemoryPerJob" },
  { "p: MaxTRESPerJob=gres/gpu=1", "alice q=q p=p gres/gpu=2", "QOSMaxGRESPerJob" },
  { "alice: MaxTRESPerNode=cpu=2", "alice cpu=5 node=2", NULL },
  { "alice: MaxTRESPerNode=cpu=2", "alice cpu=6 node=2", "AssocMaxCpuPerNode" },
  { "phys: MaxTRESPerNode=cpu=2", "alice cpu=3 node=0", "AssocMaxCpuPerNode" },
  { "q: MaxTRESPerNode=cpu=2", "alice q=q cpu=5 node=2", NULL },
  { "q: MaxTRESPerNode=cpu=2", "alice q=q cpu=6 node=2", "QOSMaxCpuPerNode" },
  { "p: MaxTRESPerNode=mem=2", "alice q=q p=p mem=6 node=2", "QOSMaxMemoryPerNode" },
  { "q: MinTRESPerJob=cpu=2", "alice q=q cpu=2", NULL },
  { "q: MinTRESPerJob=cpu=2", "alice q=q cpu=1", "QOSMinCpuNotSatisfied" },
  { "p: MinTRESPerJob=node=2", "alice q=q p=p node=1", "QOSMinNode" },
  { "q: MinTRESPerJob=gres/gpu=1", "alice q=q cpu=8", "QOSMinGRES" },
};

/* ---------------------------------------------------------------- TRES-minutes */

static const Situation tres_minutes[] = {
  { "alice: MaxTRESMinsPerJob=cpu=6", "alice cpu=2 t=3", NULL },
  { "alice: MaxTRESMinsPerJob=cpu=6", "alice cpu=2 t=4", "AssocMaxCpuMinutesPerJobLimit" },
  { "phys: MaxTRESMinsPerJob=cpu=6", "alice cpu=2", "AssocMaxCpuMinutesPerJobLimit" },
  { "phys: MaxTRESMinsPerJob=gres/gpu=6", "alice cpu=2", NULL },
  { "q: MaxTRESMinsPerJob=cpu=6", "alice q=q cpu=2 t=3", NULL },
  { "q: MaxTRESMinsPerJob=cpu=6", "alice q=q cpu=2 t=4", "QOSMaxCpuMinutesPerJobLimit" },
  { "p: MaxTRESMinsPerJob=bb/datawarp=6", "alice q=q p=p bb/datawarp=2 t=4",
    "AssocMaxBBMinutesPerJob" },
  { "phys: GrpTRESMins=cpu=1000 spent_s.cpu=59940", "alice cpu=100 t=1000", NULL },
  { "phys: GrpTRESMins=cpu=1000 spent_s.cpu=60000", "alice cpu=1 t=1", "AssocGrpCPUMinutesLimit" },
  { "alice: GrpTRESMins=cpu=1 spent_s.cpu=60", "alice cpu=1 t=1", "AssocGrpCPUMinutesLimit" },
  { "root: GrpTRESMins=mem=1 spent_s.mem=60", "gil mem=1 t=1", "AssocGrpMemMinutes" },
  { "q: GrpTRESMins=cpu=1000 spent_s.cpu=59999", "alice q=q cpu=9 t=999", NULL },
  { "q: GrpTRESMins=cpu=1000 spent_s.cpu=60000", "alice q=q cpu=1 t=1", "QOSGrpCPUMinutesLimit" },
  { "p: GrpTRESMins=mem=1 spent_s.mem=60", "alice q=q p=p mem=1 t=1", "QOSGrpMemoryMinutes" },
  { "all: safe; phys: GrpTRESMins=cpu=1000 spent_s.cpu=42000", "alice cpu=10 t=30", NULL },
  { "all: safe; phys: GrpTRESMins=cpu=1000 spent_s.cpu=42000 run_s.cpu=60", "alice cpu=10 t=30",
    "AssocGrpCPUMinutesLimit" },
  { "all: safe; phys: GrpTRESMins=cpu=1000 spent_s.cpu=59940", "alice cpu=10 t=30",
    "AssocGrpCPUMinutesLimit" },
  { "all: safe; q: GrpTRESMins=cpu=1000 spent_s.cpu=59940", "alice q=q cpu=2 t=1",
    "QOSGrpCPUMinutesLimit" },
  { "frank: GrpTRESRunMins=cpu=4 run_s.cpu=120", "frank cpu=1 t=2", NULL },
  { "frank: GrpTRESRunMins=cpu=4 run_s.cpu=120", "frank cpu=1 t=3", "AssocGrpCPURunMinutesLimit" },
  { "lim: GrpTRESRunMins=cpu=4 run_s.cpu=120", "frank cpu=1 t=3", "AssocGrpCPURunMinutesLimit" },
  { "root: GrpTRESRunMins=gres/gpu=4", "gil gres/gpu=1 t=5", "AssocGrpGRESRunMinutes" },
  { "q: GrpTRESRunMins=cpu=4 run_s.cpu=120", "alice q=q cpu=1 t=2", NULL },
  { "q: GrpTRESRunMins=cpu=4 run_s.cpu=120", "alice q=q cpu=1 t=3", "QOSGrpCPURunMinutesLimit" },
  { "p: GrpTRESRunMins=mem=4", "alice q=q p=p mem=1 t=5", "QOSGrpMemoryRunMinutes" },
  { "q: MaxTRESRunMinsPerUser=cpu=4; q/alice: run_s.cpu=120", "alice q=q cpu=1 t=2", NULL },
  { "q: MaxTRESRunMinsPerUser=cpu=4; q/alice: run_s.cpu=120", "alice q=q cpu=1 t=3",
    "MaxCpuRunMinsPerUser" },
  { "p: MaxTRESRunMinsPerUser=node=4", "alice q=q p=p node=1 t=5", "MaxNodeRunMinsPerUser" },
  { "q: MaxTRESRunMinsPerAccount=cpu=4; q/phys: run_s.cpu=120", "alice q=q cpu=1 t=2", NULL },
  { "q: MaxTRESRunMinsPerAccount=cpu=4; q/phys: run_s.cpu=120", "alice q=q cpu=1 t=3",
    "MaxCpuRunMinsPerAccount" },
  { "p: MaxTRESRunMinsPerAccount=mem=4", "alice p=p mem=1 t=5", "MaxMemoryRunMinsPerAccount" },
  /* 22.05 keeps these two, but does not look at them. */
  { "all: 22.05; q: MaxTRESRunMinsPerUser=cpu=4", "alice q=q cpu=1 t=5", NULL },
  { "all: 22.05; q: MaxTRESRunMinsPerAccount=cpu=4", "alice q=q cpu=1 t=5", NULL },
};

/* ---------------------------------------------------------------- which limit wins */

static const Situation precedence[] = {
  /* The first QOS that sets a limit is the only one asked, even when others are tighter. */
  { "p: MaxJobsPerUser=20; alice: MaxJobs=4 running=19; p/alice: running=19", "alice p=p", NULL },
  { "p: MaxJobsPerUser=20; alice: MaxJobs=4 running=20; p/alice: running=20", "alice p=p",
    "QOSMaxJobsPerUserLimit" },
  { "q: MaxJobsPerAccount=20; alice: MaxJobs=4 running=9", "alice q=q", NULL },
  { "q: GrpTRES=cpu=100; phys: GrpTRES=cpu=10,gres/gpu=2", "alice q=q cpu=100 gres/gpu=2", NULL },
  { "q: GrpTRES=cpu=100; phys: GrpTRES=cpu=10,gres/gpu=2", "alice q=q cpu=101", "QOSGrpCpuLimit" },
  { "q: GrpTRES=cpu=100; phys: GrpTRES=cpu=10,gres/gpu=2", "alice q=q cpu=100 gres/gpu=3",
    "AssocGrpGRES" },
  { "p: GrpJobs=5 running=4; q: GrpJobs=1 running=4", "alice q=q p=p", NULL },
  { "p: GrpJobs=5 running=4; q: GrpJobs=1 running=4 OverPartQOS", "alice q=q p=p",
    "QOSGrpJobsLimit" },
  { "p: GrpJobs=1 running=4; q: GrpJobs=5 running=4 OverPartQOS", "alice q=q p=p", NULL },
  { "p: MaxTRESPerJob=cpu=8; q: MaxTRESPerJob=cpu=4", "alice q=q p=p cpu=6", NULL },
  { "p: MaxTRESPerJob=cpu=8; q: MaxTRESPerJob=cpu=4,mem=7", "alice q=q p=p mem=8",
    "QOSMaxMemoryPerJob" },
  { "p: MaxTRESPerJob=cpu=8; q: MaxTRESPerJob=cpu=4 OverPartQOS", "alice q=q p=p cpu=6",
    "QOSMaxCpuPerJobLimit" },
  { "q: MaxTRESPerJob=cpu=4", "alice q=q p=q cpu=6", "QOSMaxCpuPerJobLimit" },
  { "q: MaxWallDurationPerJob=9; alice: MaxWallDurationPerJob=1", "alice q=q t=5", NULL },
  /* Associations do not own: each on the way to the root counts. */
  { "alice: GrpTRES=cpu=100; phys: GrpTRES=cpu=10", "alice cpu=11", "AssocGrpCpuLimit" },
  { "alice: GrpTRES=cpu=10; phys: GrpTRES=cpu=100", "alice cpu=11", "AssocGrpCpuLimit" },
};

static const Situation submit_precedence[] = {
  { "p: MaxJobsPerUser=20; alice: MaxSubmitJobs=50 submitted=49", "alice p=p", NULL },
  { "p: MaxJobsPerUser=20; alice: MaxSubmitJobs=50 submitted=50", "alice p=p",
    "AssocMaxSubmitJobLimit" },
  { "q: MaxSubmitJobsPerUser=9; alice: MaxSubmitJobs=1 submitted=5", "alice q=q", NULL },
  { "q: MaxSubmitJobsPerAccount=9; alice: MaxSubmitJobs=1 submitted=5", "alice q=q", NULL },
};

static const Situation factors[] = {
  { "q: UsageFactor=2; alice: MaxWallDurationPerJob=5", "alice q=q t=5", NULL },
  { "q: UsageFactor=2 DenyOnLimit; alice: MaxWallDurationPerJob=5", "alice q=q t=5", NULL },
  { "q: UsageFactor=2 UsageFactorSafe; alice: MaxWallDurationPerJob=5", "alice q=q t=2", NULL },
  { "q: UsageFactor=2 UsageFactorSafe; alice: MaxWallDurationPerJob=5", "alice q=q t=3",
    "AssocMaxWallDurationPerJobLimit" },
  { "q: UsageFactor=0.5 UsageFactorSafe; alice: MaxTRESMinsPerJob=cpu=6", "alice q=q cpu=2 t=6",
    NULL },
  { "q: UsageFactor=0.5 UsageFactorSafe; alice: MaxTRESMinsPerJob=cpu=6", "alice q=q cpu=2 t=7",
    "AssocMaxCpuMinutesPerJobLimit" },
  { "q: UsageFactor=0.5; alice: MaxTRESMinsPerJob=cpu=6", "alice q=q cpu=2 t=6",
    "AssocMaxCpuMinutesPerJobLimit" },
  { "q: UsageFactor=0 UsageFactorSafe; alice: MaxTRESMinsPerJob=cpu=0", "alice q=q cpu=2 t=7",
    NULL },
  /* Of the partition's QOS only limits count. */
  { "p: UsageFactor=2 UsageFactorSafe; alice: MaxWallDurationPerJob=5", "alice p=p t=5", NULL },
  { "q: LimitFactor=2; phys: GrpTRES=cpu=8", "alice q=q cpu=16", NULL },
  { "q: LimitFactor=2; phys: GrpTRES=cpu=8", "alice q=q cpu=17", "AssocGrpCpuLimit" },
  { "q: LimitFactor=0.4; phys: MaxTRESPerJob=cpu=8", "alice q=q cpu=3", NULL },
  { "q: LimitFactor=0.4; phys: MaxTRESPerJob=cpu=8", "alice q=q cpu=4", "AssocMaxCpuPerJobLimit" },
  { "q: LimitFactor=3; p: LimitFactor=2; phys: GrpTRES=cpu=8", "alice q=q p=p cpu=17",
    "AssocGrpCpuLimit" },
  { "q: LimitFactor=1e300; phys: GrpTRES=cpu=8", "alice q=q cpu=18446744073709551615", NULL },
  { "q: LimitFactor=2 GrpTRES=mem=4", "alice q=q mem=5", "QOSGrpMemLimit" },
  { "q: LimitFactor=2; phys: MaxTRESPerNode=cpu=8", "alice q=q cpu=9", "AssocMaxCpuPerNode" },
  { "q: Relative GrpTRES=cpu=10", "alice q=q cpu=20", NULL },
  { "q: Relative GrpTRES=cpu=10", "alice q=q cpu=21", "QOSGrpCpuLimit" },
  { "p: Relative GrpTRES=cpu=10", "alice q=q p=p cpu=10", NULL },
  { "p: Relative GrpTRES=cpu=10", "alice q=q p=p cpu=11", "QOSGrpCpuLimit" },
  { "q: Relative MaxTRESPerUser=gres/gpu=33", "alice q=q gres/gpu=6", NULL },
  { "q: Relative MaxTRESPerUser=gres/gpu=33", "alice q=q gres/gpu=7", "QOSMaxGRESPerUser" },
  { "q: Relative MaxWallDurationPerJob=10 GrpJobs=10 running=9", "alice q=q t=10", NULL },
  { "all: 22.05; q: Relative GrpTRES=cpu=10", "alice q=q cpu=11", "QOSGrpCpuLimit" },
  { "q: UsageThreshold=0.5 EnforceUsageThreshold; alice: fairshare=0.5", "alice q=q", NULL },
  { "q: UsageThreshold=0.5 EnforceUsageThreshold; alice: fairshare=0.4", "alice q=q",
    "QOSUsageThreshold" },
  { "q: UsageThreshold=0.5; alice: fairshare=0.4", "alice q=q", NULL },
  { "q: EnforceUsageThreshold; alice: fairshare=0", "alice q=q", NULL },
};

static const Situation not_enforced[] = {
  { "all: unlimited; alice: GrpJobs=0 MaxWallDurationPerJob=0", "alice t=5", NULL },
  { "all: unlimited; q: GrpTRES=cpu=0", "alice q=q cpu=5", NULL },
};

/* ---------------------------------------------------------------- by itself, and running */

static const Situation alone[] = {
  { "q: GrpTRES=cpu=100 cpu=100", "alice q=q cpu=100", NULL },
  { "q: GrpTRES=cpu=100", "alice q=q cpu=101", "QOSGrpCpuLimit" },
  { "phys: GrpTRES=cpu=100", "alice cpu=101", "AssocGrpCpuLimit" },
  { "phys: GrpTRESMins=cpu=10 spent_s.cpu=6000", "alice cpu=1 t=10", NULL },
  { "phys: GrpTRESMins=cpu=10", "alice cpu=1 t=11", "AssocGrpCPUMinutesLimit" },
  { "phys: GrpTRESRunMins=cpu=10 run_s.cpu=600", "alice cpu=1 t=10", NULL },
  { "phys: GrpTRESRunMins=cpu=10", "alice cpu=1 t=11", "AssocGrpCPURunMinutesLimit" },
  { "phys: GrpWall=10 wall_s=6000", "alice t=10", NULL },
  { "phys: GrpWall=10", "alice t=11", "AssocGrpWallLimit" },
  { "alice: MaxTRESMinsPerJob=cpu=10", "alice cpu=2 t=6", "AssocMaxCpuMinutesPerJobLimit" },
  { "alice: MaxTRESPerJob=cpu=1", "alice cpu=2", "AssocMaxCpuPerJobLimit" },
  { "alice: MaxTRESPerNode=cpu=1", "alice cpu=2", "AssocMaxCpuPerNode" },
  { "alice: MaxWallDurationPerJob=1", "alice t=2", "AssocMaxWallDurationPerJobLimit" },
  { "q: MinTRESPerJob=cpu=2", "alice q=q cpu=1", "QOSMinCpuNotSatisfied" },
  { "q: MaxTRESPerUser=cpu=2; q/alice: cpu=2", "alice q=q cpu=2", NULL },
  { "q: MaxTRESPerUser=cpu=2", "alice q=q cpu=3", "QOSMaxCpuPerUserLimit" },
  { "q: MaxTRESPerAccount=cpu=2; q/phys: cpu=2", "alice q=q cpu=2", NULL },
  { "q: MaxTRESPerAccount=cpu=2", "alice q=q cpu=3", "MaxCpuPerAccount" },
  { "q: MaxTRESRunMinsPerUser=cpu=2; q/alice: run_s.cpu=120", "alice q=q cpu=1 t=2", NULL },
  { "q: MaxTRESRunMinsPerUser=cpu=2", "alice q=q cpu=1 t=3", "MaxCpuRunMinsPerUser" },
  { "q: MaxTRESRunMinsPerAccount=cpu=2", "alice q=q cpu=1 t=3", "MaxCpuRunMinsPerAccount" },
  { "alice: GrpJobs=0 MaxJobs=0", "alice", NULL },
};

static const Situation running[] = {
  { "phys: GrpTRESMins=cpu=1000 spent_s.cpu=59940", "alice cpu=1 t=30", NULL },
  { "phys: GrpTRESMins=cpu=1000 spent_s.cpu=60000", "alice cpu=1 t=30", "AssocGrpCPUMinutesLimit" },
  { "q: GrpTRESMins=cpu=1 spent_s.cpu=60", "alice q=q cpu=1 t=30", "QOSGrpCPUMinutesLimit" },
  { "all: safe; phys: GrpTRESMins=cpu=1 spent_s.cpu=60", "alice cpu=1 t=30", NULL },
  { "phys: GrpWall=10 wall_s=599", "alice t=30", NULL },
  { "phys: GrpWall=10 wall_s=600", "alice t=30", "AssocGrpWallLimit" },
  { "alice: MaxTRESMinsPerJob=cpu=12", "alice cpu=2 t=30 elapsed=5", NULL },
  { "alice: MaxTRESMinsPerJob=cpu=12", "alice cpu=2 t=30 elapsed=6",
    "AssocMaxCpuMinutesPerJobLimit" },
  { "q: MaxTRESMinsPerJob=cpu=12", "alice q=q cpu=2 t=30 elapsed=6",
    "QOSMaxCpuMinutesPerJobLimit" },
  { "alice: MaxTRESMinsPerJob=gres/gpu=0", "alice cpu=2 t=30 elapsed=6", NULL },
  /* Other limits, lowered while it runs, never end a job. */
  { "alice: GrpJobs=0 MaxWallDurationPerJob=1 MaxTRESPerJob=cpu=0", "alice cpu=1 t=30 elapsed=9",
    NULL },
};

#define GROUP(text, when, rows)                                                                    \
  {                                                                                                \
    text, when, rows, G_N_ELEMENTS (rows)                                                          \
  }

static const Group groups[] = {
  GROUP ("limits on running jobs hold at the limit", START, job_counts),
  GROUP ("limits on submitted jobs refuse one beyond", LK_CHECK_SUBMIT, submit_counts),
  GROUP ("limits on time count whole minutes", START, walls),
  GROUP ("limits of a group count what it holds", START, group_tres),
  GROUP ("limits of a QOS for users and accounts count their own", START, per_user_and_account),
  GROUP ("limits of a job count it alone", START, per_job),
  GROUP ("limits on TRES-minutes", START, tres_minutes),
  GROUP ("the first QOS that sets a limit owns it", START, precedence),
  GROUP ("the same at submission", LK_CHECK_SUBMIT, submit_precedence),
  GROUP ("flags and factors of a QOS", START, factors),
  GROUP ("nothing holds where limits are not enforced",
         START | LK_CHECK_SUBMIT | LK_CHECK_ALONE | LK_CHECK_RUN, not_enforced),
  GROUP ("by itself a job breaks only what it is too large for", LK_CHECK_ALONE, alone),
  GROUP ("a running job ends for what is used up", LK_CHECK_RUN, running),
};

static void
test_group (gconstpointer data)
{
  const Group *group = data;
  for (guint i = 0; i < group->count; i++) {
    const Situation *row = &group->rows[i];
    g_autoptr (LimitsFixture) fixture = limits_fixture_new (row->clauses);
    limits_fixture_set_job (fixture, row->job);
    g_autofree char *reason =
        limits_fixture_check (fixture, &lk_limits_slurm, group->when, 1, NULL);
    const char *expected = row->reason != NULL ? row->reason : "";
    if (g_strcmp0 (reason, expected) != 0)
      g_error ("%s | %s: '%s' instead of '%s'", row->clauses, row->job, reason, expected);
    g_autofree char *none = limits_fixture_check (fixture, &lk_limits_none, group->when, 1, NULL);
    g_assert_cmpstr (none, ==, "");
  }
}

/* ---------------------------------------------------------------- the order of checks */

static const Situation orders[] = {
  /* Before nodes are chosen: QOS by QOS, then from the user to the root. */
  { "q: UsageThreshold=0.5 EnforceUsageThreshold GrpJobs=0 GrpWall=0 MaxJobsPerUser=0 "
    "MaxJobsPerAccount=0 MaxWallDurationPerJob=0; alice: fairshare=0",
    "alice q=q t=1",
    "QOSUsageThreshold QOSGrpJobsLimit QOSGrpWallLimit MaxJobsPerAccount QOSMaxJobsPerUserLimit "
    "QOSMaxWallDurationPerJobLimit" },
  { "p: MaxWallDurationPerJob=0; q: GrpJobs=0", "alice q=q p=p t=1",
    "QOSMaxWallDurationPerJobLimit QOSGrpJobsLimit" },
  { "p: MaxWallDurationPerJob=0; q: GrpJobs=0 OverPartQOS", "alice q=q p=p t=1",
    "QOSGrpJobsLimit QOSMaxWallDurationPerJobLimit" },
  { "alice: GrpJobs=0 GrpWall=0 MaxJobs=0 MaxWallDurationPerJob=0; phys: GrpWall=0; root: "
    "GrpJobs=0",
    "alice t=1",
    "AssocGrpJobsLimit AssocGrpWallLimit AssocMaxJobsLimit AssocMaxWallDurationPerJobLimit "
    "AssocGrpWallLimit AssocGrpJobsLimit" },
  /* Behind that. */
  { "q: GrpTRESMins=cpu=0 GrpTRES=cpu=0 GrpTRESRunMins=cpu=0 MaxTRESMinsPerJob=cpu=0 "
    "MaxTRESPerJob=cpu=0 MaxTRESPerNode=cpu=0 MinTRESPerJob=cpu=9 MaxTRESPerAccount=cpu=0 "
    "MaxTRESPerUser=cpu=0 MaxTRESRunMinsPerAccount=cpu=0 MaxTRESRunMinsPerUser=cpu=0",
    "alice q=q cpu=1 t=1",
    "QOSGrpCPUMinutesLimit QOSGrpCpuLimit QOSGrpCPURunMinutesLimit QOSMaxCpuMinutesPerJobLimit "
    "QOSMaxCpuPerJobLimit QOSMaxCpuPerNode QOSMinCpuNotSatisfied MaxCpuPerAccount "
    "QOSMaxCpuPerUserLimit MaxCpuRunMinsPerAccount MaxCpuRunMinsPerUser" },
  { "alice: GrpTRESMins=cpu=0 GrpTRES=cpu=0 GrpTRESRunMins=cpu=0 MaxTRESMinsPerJob=cpu=0 "
    "MaxTRESPerJob=cpu=0 MaxTRESPerNode=cpu=0; phys: GrpTRESMins=mem=0",
    "alice cpu=1 t=1",
    "AssocGrpCPUMinutesLimit AssocGrpCpuLimit AssocGrpCPURunMinutesLimit "
    "AssocMaxCpuMinutesPerJobLimit AssocMaxCpuPerJobLimit AssocMaxCpuPerNode AssocGrpMemMinutes" },
  /* All of the first before any of the second, and within a limit by TRES. */
  { "p: GrpTRES=cpu=0; root: GrpJobs=0", "alice p=p cpu=1", "AssocGrpJobsLimit QOSGrpCpuLimit" },
  { "phys: GrpTRES=gres/gpu=0,billing=0,node=0,mem=0,cpu=0",
    "alice cpu=1 mem=1 node=1 billing=1 gres/gpu=1",
    "AssocGrpCpuLimit AssocGrpMemLimit AssocGrpNodeLimit AssocGrpBilling AssocGrpGRES" },
};

static void
test_orders (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (orders); i++) {
    g_autoptr (LimitsFixture) fixture = limits_fixture_new (orders[i].clauses);
    limits_fixture_set_job (fixture, orders[i].job);
    g_autofree char *all = limits_fixture_check (fixture, &lk_limits_slurm, START, 100, NULL);
    g_assert_cmpstr (all, ==, orders[i].reason);
    g_autofree char *first = limits_fixture_check (fixture, &lk_limits_slurm, START, 1, NULL);
    g_auto (GStrv) reasons = g_strsplit (all, " ", -1);
    g_assert_cmpstr (first, ==, reasons[0]);
  }
}

/* One question may be all of them: then they are answered one after the other. */
static void
test_all_questions (void)
{
  g_autoptr (LimitsFixture) fixture = limits_fixture_new (
      "alice: GrpSubmitJobs=0 GrpTRES=cpu=0 GrpTRESMins=cpu=0 MaxJobs=0 MaxTRESMinsPerJob=cpu=0");
  limits_fixture_set_job (fixture, "alice cpu=1 t=1 elapsed=1");
  uint32_t all = LK_CHECK_SUBMIT | LK_CHECK_ALONE | LK_CHECK_START | LK_CHECK_RUN;
  const char *expected = "AssocGrpSubmitJobsLimit AssocGrpCPUMinutesLimit AssocGrpCpuLimit "
                         "AssocMaxCpuMinutesPerJobLimit AssocMaxJobsLimit AssocGrpCPUMinutesLimit "
                         "AssocGrpCpuLimit AssocMaxCpuMinutesPerJobLimit AssocGrpCPUMinutesLimit "
                         "AssocMaxCpuMinutesPerJobLimit";
  g_auto (GStrv) reasons = g_strsplit (expected, " ", -1);
  for (guint count = 1; reasons[count - 1] != NULL; count++) {
    g_autofree char *told = limits_fixture_check (fixture, &lk_limits_slurm, all, count, NULL);
    g_auto (GStrv) parts = g_strsplit (told, " ", -1);
    g_assert_cmpuint (g_strv_length (parts), ==, count);
    g_assert_cmpstr (parts[count - 1], ==, reasons[count - 1]);
  }
  g_autofree char *told = limits_fixture_check (fixture, &lk_limits_slurm, all, 100, NULL);
  g_assert_cmpstr (told, ==, expected);
}

/* ---------------------------------------------------------------- the other questions */

typedef struct {
  const char *clauses;
  const char *job;
  int64_t answer;
} Question;

static void
test_denies (void)
{
  static const Question questions[] = {
    { "", "alice", TRUE }, /* no QOS at all: strict */
    { "", "alice q=q", FALSE },
    { "q: DenyOnLimit", "alice q=q", TRUE },
    { "", "alice p=p", FALSE },
    { "p: DenyOnLimit", "alice q=q p=p", TRUE },
    { "q: DenyOnLimit", "alice q=q p=p", TRUE },
    { "all: unlimited", "alice", FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (questions); i++) {
    g_autoptr (LimitsFixture) fixture = limits_fixture_new (questions[i].clauses);
    limits_fixture_set_job (fixture, questions[i].job);
    g_assert_cmpint (lk_limits_slurm.denies (NULL, limits_fixture_view (fixture), 0), ==,
                     questions[i].answer);
  }
}

static void
test_may_accrue (void)
{
  static const Question questions[] = {
    { "alice: GrpJobsAccrue=2 accruing=1", "alice", LK_ACCRUE_NOW },
    { "alice: GrpJobsAccrue=2 accruing=2", "alice", LK_ACCRUE_NO },
    { "root: GrpJobsAccrue=2 accruing=2", "gil", LK_ACCRUE_NO },
    { "phys: MaxJobsAccrue=2 accruing=9; alice: accruing=1", "alice", LK_ACCRUE_NOW },
    { "phys: MaxJobsAccrue=2; alice: accruing=2", "alice", LK_ACCRUE_NO },
    { "q: GrpJobsAccrue=2 accruing=2", "alice q=q", LK_ACCRUE_NO },
    { "q: MaxJobsAccruePerUser=2; q/alice: accruing=1", "alice q=q", LK_ACCRUE_NOW },
    { "q: MaxJobsAccruePerUser=2; q/alice: accruing=2", "alice q=q", LK_ACCRUE_NO },
    { "p: MaxJobsAccruePerAccount=2; p/phys: accruing=2", "alice q=q p=p", LK_ACCRUE_NO },
    { "q: MaxJobsAccruePerUser=9; alice: MaxJobsAccrue=0", "alice q=q", LK_ACCRUE_NOW },
    { "q: MaxJobsAccruePerAccount=9; alice: MaxJobsAccrue=0", "alice q=q", LK_ACCRUE_NOW },
    { "all: unlimited; alice: GrpJobsAccrue=0", "alice", LK_ACCRUE_FREE },
    { "alice: GrpJobs=0 MaxJobs=0", "alice", LK_ACCRUE_FREE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (questions); i++) {
    g_autoptr (LimitsFixture) fixture = limits_fixture_new (questions[i].clauses);
    limits_fixture_set_job (fixture, questions[i].job);
    g_assert_cmpint (lk_limits_slurm.may_accrue (NULL, limits_fixture_view (fixture), 0), ==,
                     questions[i].answer);
  }
}

#define NEVER (-1)

/* Minutes. */
static void
test_time_limits (void)
{
  static const Question questions[] = {
    { "", "alice", NEVER },
    { "q: MaxWallDurationPerJob=3", "alice q=q", 3 },
    { "alice: MaxWallDurationPerJob=3", "alice", 3 },
    { "root: GrpWall=30; alice: MaxWallDurationPerJob=50", "alice", 30 },
    { "q: MaxWallDurationPerJob=9; alice: MaxWallDurationPerJob=3", "alice q=q", 9 },
    { "q: MaxWallDurationPerJob=9; root: GrpWall=7", "alice q=q p=p", 7 },
    { "p: MaxWallDurationPerJob=4; q: MaxWallDurationPerJob=3", "alice q=q p=p", 4 },
    { "alice: MaxWallDurationPerJob=0", "alice", 1 },
    /* TRES-minutes only where limits are strict. */
    { "alice: MaxTRESMinsPerJob=cpu=10", "alice cpu=3", 3 },
    { "alice: MaxTRESMinsPerJob=cpu=10", "alice q=q cpu=3", NEVER },
    { "alice: MaxTRESMinsPerJob=cpu=10; q: DenyOnLimit", "alice q=q cpu=3", 3 },
    { "alice: MaxTRESMinsPerJob=gres/gpu=10", "alice cpu=3", NEVER },
    { "phys: GrpTRESMins=cpu=60; root: GrpTRESRunMins=mem=50", "alice cpu=1 mem=1", 50 },
    { "q: DenyOnLimit MaxTRESRunMinsPerUser=cpu=8", "alice q=q cpu=2", 4 },
    { "q: DenyOnLimit MaxTRESRunMinsPerAccount=cpu=8", "alice q=q cpu=2", 4 },
    { "all: 22.05; q: DenyOnLimit MaxTRESRunMinsPerUser=cpu=8", "alice q=q cpu=2", NEVER },
    { "alice: MaxTRESMinsPerJob=cpu=10 MaxWallDurationPerJob=2", "alice cpu=3", 2 },
    { "alice: MaxWallDurationPerJob=18446744073709551615", "alice", NEVER },
    { "all: unlimited; alice: MaxWallDurationPerJob=3", "alice", NEVER },
  };
  for (guint i = 0; i < G_N_ELEMENTS (questions); i++) {
    g_autoptr (LimitsFixture) fixture = limits_fixture_new (questions[i].clauses);
    limits_fixture_set_job (fixture, questions[i].job);
    int64_t limit_us = lk_limits_slurm.time_limit_us (NULL, limits_fixture_view (fixture), 0,
                                                      limits_fixture_tres (fixture));
    int64_t expected_us =
        questions[i].answer == NEVER ? LK_TIME_NEVER : questions[i].answer * 60000000;
    g_assert_cmpint (limit_us, ==, expected_us);
  }
}

static void
test_nodes_max (void)
{
  static const Question questions[] = {
    { "", "alice", UINT32_MAX },
    { "alice: MaxTRESPerJob=node=3,cpu=1", "alice", 3 },
    { "q: MaxTRESPerJob=node=9; alice: MaxTRESPerJob=node=3", "alice q=q", 9 },
    { "q: MaxTRESPerUser=node=2; root: GrpTRES=node=4", "alice q=q", 2 },
    { "p: MaxTRESPerAccount=node=2; root: GrpTRES=node=1", "alice q=q p=p", 1 },
    { "q: Relative GrpTRES=node=50", "alice q=q", 5 },
    { "all: unlimited; alice: MaxTRESPerJob=node=3", "alice", UINT32_MAX },
  };
  for (guint i = 0; i < G_N_ELEMENTS (questions); i++) {
    g_autoptr (LimitsFixture) fixture = limits_fixture_new (questions[i].clauses);
    limits_fixture_set_job (fixture, questions[i].job);
    g_assert_cmpint (lk_limits_slurm.nodes_max (NULL, limits_fixture_view (fixture), 0), ==,
                     questions[i].answer);
  }
}

/* ---------------------------------------------------------------- findings */

typedef struct {
  const char *clauses;
  const char *job;
  uint32_t when;
  LkLimitFinding expected;
} FindingCase;

/* kind, tres, holder, index, limit, used, asked */
#define FINDING(...)                                                                               \
  {                                                                                                \
    sizeof (LkLimitFinding), __VA_ARGS__, 0                                                        \
  }

static const FindingCase finding_cases[] = {
  { "phys: GrpTRES=mem=100 mem=60", "alice mem=41", START,
    FINDING (LK_LIMIT_GRP_TRES, LK_TRES_MEMORY, LK_HOLDER_ASSOCIATION, 1, 100, 60, 41) },
  { "p: MaxJobsPerUser=2; p/alice: running=3", "alice q=q p=p", START,
    FINDING (LK_LIMIT_MAX_JOBS_PER_USER, 0, LK_HOLDER_PARTITION_QOS, 0, 2, 3, 1) },
  { "q: MaxSubmitJobsPerUser=2", "alice q=q tasks=7", LK_CHECK_SUBMIT,
    FINDING (LK_LIMIT_MAX_SUBMIT_JOBS_PER_USER, 0, LK_HOLDER_QOS, 0, 2, 0, 7) },
  { "q: GrpTRESMins=cpu=10 spent_s.cpu=700", "alice q=q cpu=2 t=30", START,
    FINDING (LK_LIMIT_GRP_TRES_MINS, 0, LK_HOLDER_QOS, 0, 10, 11, 60) },
  { "all: safe; q: GrpTRESMins=cpu=20 spent_s.cpu=700 run_s.cpu=120", "alice q=q cpu=2 t=4", START,
    FINDING (LK_LIMIT_GRP_TRES_MINS, 0, LK_HOLDER_QOS, 0, 20, 13, 8) },
  { "q: MinTRESPerJob=cpu=4", "alice q=q cpu=2", START,
    FINDING (LK_LIMIT_MIN_TRES_PER_JOB, 0, LK_HOLDER_QOS, 0, 4, 0, 2) },
  { "alice: MaxTRESMinsPerJob=cpu=4", "alice cpu=2 t=9 elapsed=3", LK_CHECK_RUN,
    FINDING (LK_LIMIT_MAX_TRES_MINS_PER_JOB, 0, LK_HOLDER_ASSOCIATION, 2, 4, 0, 7) },
};

static void
test_findings (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (finding_cases); i++) {
    const FindingCase *test = &finding_cases[i];
    const LkLimitFinding *expected = &test->expected;
    g_autoptr (LimitsFixture) fixture = limits_fixture_new (test->clauses);
    limits_fixture_set_job (fixture, test->job);
    LkLimitFinding found;
    g_autofree char *reasons =
        limits_fixture_check (fixture, &lk_limits_slurm, test->when, 1, &found);
    g_test_message ("%s", reasons);
    g_assert_cmpuint (found.kind, ==, expected->kind);
    g_assert_cmpuint (found.tres, ==, expected->tres);
    g_assert_cmpuint (found.holder, ==, expected->holder);
    g_assert_cmpuint (found.index, ==, expected->index);
    g_assert_cmpuint (found.limit, ==, expected->limit);
    g_assert_cmpuint (found.used, ==, expected->used);
    g_assert_cmpuint (found.asked, ==, expected->asked);
    g_assert_cmpuint (found.by_usage_threshold, ==, 0);
  }
}

/* ---------------------------------------------------------------- a worked example */

/* QOS q owns CPUs and jobs of a user, so that neither the account's 50 CPUs nor alice's MaxJobs of
 * 1 matters. */
#define WORKED                                                                                     \
  "q: GrpTRES=cpu=100 MaxTRESPerUser=gres/gpu=4 MaxJobsPerUser=3 running=9 cpu=90 gres/gpu=2; "    \
  "q/alice: running=2 submitted=2 cpu=20 gres/gpu=2; phys: GrpTRES=cpu=50 cpu=90; "                \
  "alice: MaxSubmitJobs=5 MaxJobs=1 running=2 submitted=2; "

static void
test_worked_example (void)
{
  static const struct {
    const char *clauses;
    const char *job;
    uint32_t when;
    const char *reason;
    gboolean is_refused; /* for what it breaks by itself */
  } steps[] = {
    { WORKED, "alice q=q cpu=8", START, "", FALSE },
    { WORKED, "alice q=q cpu=11", START, "QOSGrpCpuLimit", FALSE },
    { WORKED, "alice q=q cpu=1 gres/gpu=3", START, "QOSMaxGRESPerUser", FALSE },
    { WORKED, "alice q=q cpu=200", START, "QOSGrpCpuLimit", FALSE },
    { WORKED, "alice q=q cpu=200", LK_CHECK_ALONE, "QOSGrpCpuLimit", FALSE },
    { WORKED "q: DenyOnLimit", "alice q=q cpu=200", LK_CHECK_ALONE, "QOSGrpCpuLimit", TRUE },
    { WORKED "q: DenyOnLimit", "alice q=q cpu=11", LK_CHECK_ALONE, "", TRUE },
    { WORKED, "alice q=q cpu=1 tasks=4", LK_CHECK_SUBMIT, "AssocMaxSubmitJobLimit", FALSE },
    { WORKED, "alice q=q cpu=1 tasks=3", LK_CHECK_SUBMIT, "", FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    g_autoptr (LimitsFixture) fixture = limits_fixture_new (steps[i].clauses);
    limits_fixture_set_job (fixture, steps[i].job);
    g_autofree char *reason =
        limits_fixture_check (fixture, &lk_limits_slurm, steps[i].when, 1, NULL);
    g_assert_cmpstr (reason, ==, steps[i].reason);
    g_assert_cmpint (lk_limits_slurm.denies (NULL, limits_fixture_view (fixture), 0), ==,
                     steps[i].is_refused);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++) {
    g_autofree char *path = g_strdup_printf ("/limits/%s", groups[i].name);
    g_test_add_data_func (path, &groups[i], test_group);
  }
  g_test_add_func ("/limits/are told in Slurm's order", test_orders);
  g_test_add_func ("/limits/answer several questions one after the other", test_all_questions);
  g_test_add_func ("/limits/refuse a job only where they are strict", test_denies);
  g_test_add_func ("/limits/stop ages from growing", test_may_accrue);
  g_test_add_func ("/limits/give a time limit to a job that has none", test_time_limits);
  g_test_add_func ("/limits/bound the nodes of a job", test_nodes_max);
  g_test_add_func ("/limits/say how much is used and asked", test_findings);
  g_test_add_func ("/limits/worked example of a QOS that owns its limits", test_worked_example);
  return g_test_run ();
}
