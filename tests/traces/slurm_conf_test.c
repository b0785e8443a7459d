/* tests/traces/slurm_conf_test.c — slurm.conf: nodes, partitions, global keys, the report, two real
 * files, and the table in the documentation. */
#include "tests/traces/slurm_conf_fixture.h"
#include "traces/slurm_conf_keys.h"

#define FIXTURES LK_SOURCE_DIR "/tests/fixtures/slurm-conf"
#define PAGE LK_SOURCE_DIR "/docs/slurm-import.md"

/* ---------------------------------------------------------------- nodes */

static void
test_layouts (void)
{
  static const struct {
    const char *keys;
    const char *piece;
  } cases[] = {
    { "CPUs=4", "sockets=4 cores_per_socket=1 threads_per_core=1 cpus=4 " },
    { "Procs=4", "sockets=4 cores_per_socket=1 threads_per_core=1 cpus=4 " },
    { "Sockets=2", "sockets=2 cores_per_socket=1 threads_per_core=1 cpus=2 " },
    { "Boards=2", "sockets=2 cores_per_socket=1 threads_per_core=1 cpus=2 " },
    { "Boards=2 SocketsPerBoard=3 CoresPerSocket=4 ThreadsPerCore=2",
      "sockets=6 cores_per_socket=4 threads_per_core=2 cpus=48 " },
    { "CPUs=16 CoresPerSocket=4 ThreadsPerCore=2",
      "sockets=2 cores_per_socket=4 threads_per_core=2 cpus=16 " },
    { "CPUs=8 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2",
      "sockets=2 cores_per_socket=4 threads_per_core=2 cpus=8 " },
    { "CPUs=2 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2",
      "sockets=2 cores_per_socket=1 threads_per_core=1 cpus=2 " },
    { "CPUs=64", "sockets=1 cores_per_socket=64 threads_per_core=1 cpus=64 " },
    { "CPUs=8 Procs=4 Sockets=2 CoresPerSocket=4",
      "sockets=2 cores_per_socket=4 threads_per_core=1 cpus=8 " },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *conf = g_strdup_printf (HEAD "NodeName=n %s\n", cases[i].keys);
    g_autoptr (LkSlurmImport) import = conf_good (conf);
    expect_piece (import, cases[i].piece);
  }
}

static void
test_node_values (void)
{
  static const struct {
    const char *keys;
    const char *piece;
  } cases[] = {
    { "CPUs=2", "memory_bytes=1048576 memory_reserved_bytes=0 tmp_bytes=0 weight=1 flags=0 " },
    { "RealMemory=2K MemSpecLimit=100 TmpDisk=7 Weight=9",
      "memory_bytes=2147483648 memory_reserved_bytes=104857600 tmp_bytes=7340032 weight=9 " },
    { "Feature=a,b,a Features=c", "features=a,b\n" },
    { "Features=\"x,y\"", "features=x,y\n" },
    { "State=UNKNOWN Reason=none", "flags=0 reason=\"\"" },
    { "State=drain Reason=\"bad fan\"", "flags=2 reason=\"bad fan\"" },
    { "State=FAIL", "flags=4 " },
    { "State=CLOUD", "flags=0 " },
    { "CPUs=8 CoreSpecCount=2", "cores_reserved=2 " },
    { "Sockets=1 CoresPerSocket=4 ThreadsPerCore=2 CpuSpecList=0-1,6", "cores_reserved=2 " },
    { "Weight=4294967295", "weight=4294967294 " },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *conf = g_strdup_printf (HEAD "NodeName=n %s\n", cases[i].keys);
    g_autoptr (LkSlurmImport) import = conf_good (conf);
    expect_piece (import, cases[i].piece);
  }
}

static void
test_node_errors (void)
{
  static const struct {
    const char *keys;
    const char *message;
  } cases[] = {
    { "CPUs=5 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2",
      "CPUs is '5'; expected 8 (cores of 2 sockets) or 16 (threads)" },
    { "CPUs=5 CoresPerSocket=2", "CPUs is '5'; expected 2 (cores of 1 sockets) or 2 (threads)" },
    { "CPUs=0", "CPUs is '0'; expected a whole number from 1 to 65535" },
    { "CPUs=8x", "CPUs is '8x'; expected a whole number from 1 to 65535" },
    { "CPUs=010", "CPUs is '010'; expected a whole number from 1 to 65535, without a leading 0" },
    { "CPUs=70000", "CPUs is '70000'; expected a whole number from 1 to 65535" },
    { "RealMemory=1G", "RealMemory is '1G'; expected a whole number from 0 to 8796093022207" },
    { "RealMemory=100 MemSpecLimit=100",
      "MemSpecLimit is '100'; expected less than RealMemory, 100 "
      "MiB" },
    { "CPUs=4 CoreSpecCount=4", "CoreSpecCount is '4'; expected fewer than the node's 4 cores" },
    { "CPUs=4 CpuSpecList=4", "CpuSpecList is '4'; expected CPUs from 0 to 3, such as 0,2-3" },
    { "State=SLEEPY", "State is 'SLEEPY'; expected UNKNOWN, DOWN, DRAIN, FAIL, FUTURE or CLOUD" },
    { "Boards=3 Sockets=2", "Boards: more boards than the 2 sockets" },
    { "Sockets=2 CoresPerSocket=600", "NodeName: 1200 cores on a node; expected at most 1024" },
    { "Gres=gpu:x:y:2",
      "Gres is 'gpu:x:y:2'; expected name[:type][:no_consume][:count], with commas "
      "between" },
    { "Gres=gpu:2x", "Gres is 'gpu:2x'; expected name[:type][:no_consume][:count], with commas "
                     "between; '2x' is no count" },
    { "Gres=gpu:-2", "Gres is 'gpu:-2'; expected name[:type][:no_consume][:count], with commas "
                     "between; '-2' is no count" },
    { "Gres=gpu:a:1,gpu:a:2",
      "Gres is 'gpu:a:1,gpu:a:2'; expected each name and type once; 'gpu:a' is "
      "there twice" },
    /* Found by the check of the whole, and brought back to its key. */
    { "Gres=gpu:65", "Gres: is 65; expected 1 to 64" },
    { "Feature=a|b",
      "Feature: holds a letter that names may not have; expected ASCII without blanks "
      "and ,&|()[]*" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *conf = g_strdup_printf (HEAD "NodeName=n %s\n", cases[i].keys);
    g_autofree char *message = g_strdup_printf ("slurm.conf:4: NodeName=n: %s", cases[i].message);
    conf_bad (conf, message);
  }
  conf_bad (
      HEAD NODE "NodeName=n[4-5]\n",
      "slurm.conf:5: NodeName=n[4-5]: NodeName: node 'n4' is described in slurm.conf:4 already");
  conf_bad (
      HEAD "NodeName=ALL\n",
      "slurm.conf:4: NodeName=ALL: NodeName is 'ALL'; expected names of nodes; ALL is reserved");
  conf_bad (HEAD "NodeName=n[1-\n",
            "slurm.conf:4: NodeName=n[1-: NodeName: 'n[1-' is no list of names: a range has no end "
            "that is a number of at most 18 digits");
}

static void
test_gres (void)
{
  static const struct {
    const char *value;
    const char *piece;
  } cases[] = {
    { "gpu", "gres gpu type=\"\" count=1 no_consume=0 " },
    { "gpu:4", "gres gpu type=\"\" count=4 no_consume=0 " },
    { "gpu:a100:4", "gres gpu type=a100 count=4 no_consume=0 " },
    { "gpu:1g.5gb:7", "gres gpu type=1g.5gb count=7 " },
    { "gres/gpu:a100", "gres gpu type=a100 count=1 " },
    { "gpu:4(S:0,1)", "gres gpu type=\"\" count=4 " },
    { "lustre:no_consume:2K", "gres lustre type=\"\" count=2048 no_consume=1 " },
    { "bandwidth:lustre:no_consume:1G",
      "gres bandwidth type=lustre count=1073741824 no_consume=1 " },
    { "gpu:2,shard:64", "gres shard type=\"\" count=64 " },
    { "gpu:0,nic:2", "features=\"\"\ngres nic type=\"\" count=2 " },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *conf = g_strdup_printf (
        HEAD "GresTypes=gpu,shard,nic,lustre,bandwidth\nNodeName=n CPUs=2 Gres=%s\n",
        cases[i].value);
    g_autoptr (LkSlurmImport) import = conf_good (conf);
    expect_piece (import, cases[i].piece);
  }
}

/* The last DEFAULT line changes only what it gives, and only for the lines below. */
static void
test_defaults (void)
{
  g_autoptr (LkSlurmImport) import =
      conf_good (HEAD "NodeName=a\n"
                      "NodeName=DEFAULT CPUs=8 RealMemory=100 Feature=x Gres=gpu:1\nGresTypes=gpu\n"
                      "NodeName=b\n"
                      "NodeName=default RealMemory=200 Weight=5\n"
                      "NodeName=c Features=y Gres=\"\"\n"
                      "PartitionName=p Nodes=a\n"
                      "PartitionName=DEFAULT MaxTime=60 Nodes=b Default=YES\n"
                      "PartitionName=q\n"
                      "PartitionName=r Nodes=c MaxTime=30 Default=NO\n");
  expect_piece (import, "nodes a sockets=1 ");
  expect_piece (import, "cpus=8 cores_reserved=0 memory_bytes=104857600 memory_reserved_bytes=0 "
                        "tmp_bytes=0 weight=1 flags=0 reason=\"\" features=x\ngres gpu ");
  expect_piece (import, "cpus=8 cores_reserved=0 memory_bytes=209715200 memory_reserved_bytes=0 "
                        "tmp_bytes=0 weight=5 flags=0 reason=\"\" features=y\npartition ");
  expect_piece (import, "partition p nodes=a is_default=0 ");
  expect_piece (import, "partition q nodes=b is_default=1 state=up root_only=0 "
                        "time_default_us=9223372036854775807 time_max_us=3600000000 ");
  expect_piece (import, "partition r nodes=c is_default=0 state=up root_only=0 "
                        "time_default_us=9223372036854775807 time_max_us=1800000000 ");
  /* What is wrong in a DEFAULT line is told of that line, used or not. */
  conf_bad (HEAD NODE "NodeName=DEFAULT CPUs=x\n", "slurm.conf:5: NodeName=DEFAULT: CPUs is 'x'; "
                                                   "expected a whole number from 1 to 65535");
}

static void
test_order (void)
{
  g_autoptr (LkSlurmImport) import =
      conf_good (HEAD "NodeName=n[9-11] CPUs=1\nNodeName=g[01-02],b CPUs=2\nNodeName=n2 CPUs=1\n"
                      "NodeName=n100 CPUs=1\nNodeName=n[07,070] CPUs=1\n");
  g_autoptr (GString) order = g_string_new (NULL);
  const LkCluster *cluster = lk_slurm_import_cluster (import);
  for (guint i = 0; i < cluster->nodes->len; i++)
    g_string_append_printf (order, " %s",
                            ((LkNodeSpec *)g_ptr_array_index (cluster->nodes, i))->names);
  g_assert_cmpstr (order->str, ==, " b,g[01-02] n07,n070 n2 n[9-11] n100");
}

static void
test_down_and_future (void)
{
  g_autoptr (LkSlurmImport) import = conf_good (
      HEAD
      "NodeName=n[1-6] CPUs=2 State=DRAIN Reason=slow\nNodeName=f[1-2] State=FUTURE CPUs=1\n"
      "DownNodes=n[2-3]\nDownNodes=n5 State=FAIL Reason=\"no power\"\nDownNodes=n6 State=FUTURE\n"
      "PartitionName=p Nodes=n[1-6],f1\n");
  expect_piece (import, "\nnodes n1 ");
  expect_piece (import, "nodes n[2-3] sockets=2 cores_per_socket=1 threads_per_core=1 cpus=2 "
                        "cores_reserved=0 memory_bytes=1048576 memory_reserved_bytes=0 tmp_bytes=0 "
                        "weight=1 flags=3 reason=\"Set in slurm.conf\"");
  expect_piece (import, "flags=6 reason=\"no power\"");
  expect_piece (import, "partition p nodes=n[1-5] ");
  g_assert_cmpuint (lk_cluster_node_count (lk_slurm_import_cluster (import)), ==, 5);
  conf_bad (HEAD NODE "DownNodes=n9\n",
            "slurm.conf:5: DownNodes=n9: DownNodes: there is no NodeName for 'n9'");
}

/* ---------------------------------------------------------------- partitions */

static void
test_partition_nodes (void)
{
  static const struct {
    const char *nodes;
    const char *piece;
  } cases[] = {
    { "Nodes=ALL", "nodes=ALL " },          { "Nodes=n3,n[1-2],n1", "nodes=n[1-3] " },
    { "Nodes=\"n1 n3\"", "nodes=n[1,3] " }, { "Nodes=quick", "nodes=n[1,4] " },
    { "Nodes=both,n3", "nodes=n[1-4] " },   { "Nodes=feature{fast}", "nodes=n4 " },
    { "Nodes=\"\"", "nodes=\"\" " },        { "State=UP", "nodes=\"\" " },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *conf =
        g_strdup_printf (HEAD "PartitionName=p %s\n"
                              "NodeSet=quick Nodes=n1 Feature=fast\nNodeSet=both Nodes=ALL\n"
                              "NodeName=n[1-3] CPUs=1\nNodeName=n4 CPUs=1 Feature=slow,fast\n",
                         cases[i].nodes);
    g_autoptr (LkSlurmImport) import = conf_good (conf);
    expect_piece (import, cases[i].piece);
  }
}

static void
test_partition_values (void)
{
  static const struct {
    const char *keys;
    const char *piece;
  } cases[] = {
    { "State=DRAIN", "state=drain " },
    { "RootOnly=YES", "root_only=1 " },
    { "Hidden=YES", "hidden=1 " },
    { "ReqResv=YES", "reservation_required=1 " },
    { "AllocNodes=login[1-2],gate", "alloc_nodes=login[1-2],gate" },
    { "AllocNodes=ALL", "alloc_nodes=\"\"" },
    { "DefaultTime=10 MaxTime=1:01", "time_default_us=9223372036854775807 time_max_us=120000000 " },
    { "DefaultTime=10 MaxTime=1-0", "time_default_us=600000000 time_max_us=86400000000 " },
    { "MinNodes=2 MaxNodes=INFINITE", "nodes_min=2 nodes_max=4294967295 " },
    { "MaxNodes=8 MaxCPUsPerNode=3 MaxCPUsPerSocket=2",
      "nodes_max=8 cpus_per_node_max=3 cpus_per_socket_max=2 " },
    { "Priority=7", "priority_tier=7 priority_job_factor=7 " },
    { "PriorityTier=3", "priority_tier=3 priority_job_factor=1 " },
    { "PriorityJobFactor=0", "priority_tier=1 priority_job_factor=0 " },
    { "OverSubscribe=EXCLUSIVE", "oversubscribe=exclusive " },
    { "Shared=YES:3", "oversubscribe=yes oversubscribe_jobs=3 " },
    { "Shared=NO OverSubscribe=FORCE:1", "oversubscribe=force oversubscribe_jobs=1 " },
    { "OverSubscribe=FORCE", "oversubscribe=force oversubscribe_jobs=4 " },
    { "OverSubscribe=FORCE:1000", "oversubscribe=force oversubscribe_jobs=32 " },
    { "Exclusive=NODE", "oversubscribe=exclusive " },
    { "Exclusive=user", "exclusive_user=1 exclusive_topo=0 " },
    { "ExclusiveUser=yes ExclusiveTopo=NO", "exclusive_user=1 exclusive_topo=0 " },
    { "LLN=YES", "least_loaded=yes " },
    { "LLN=NO", "least_loaded=inherit " },
    { "QOS=part PreemptMode=OFF GraceTime=30", "qos=part preempt_mode=OFF grace_us=30000000 " },
    { "OverTimeLimit=5", "over_time_limit_us=300000000 " },
    { "OverTimeLimit=UNLIMITED", "over_time_limit_us=31536000000000 " },
    { "AllowAccounts=Chem,Bio AllowGroups=ALL AllowQos=High DenyQos=low",
      "allow_accounts=chem,bio deny_accounts=\"\" allow_groups=\"\" allow_qos=high "
      "deny_qos=\"\" " },
    { "DenyAccounts=X", "deny_accounts=x " },
    { "DefMemPerCPU=100 DefMemPerNode=200 DefMemPerGPU=5",
      "memory_per_cpu_default_bytes=0 memory_per_node_default_bytes=209715200 "
      "memory_per_gpu_default_bytes=0 " },
    { "MaxMemPerCPU=10 MaxMemPerNode=UNLIMITED",
      "memory_per_cpu_max_bytes=10485760 memory_per_node_max_bytes=0 " },
    { "JobDefaults=DefCpuPerGPU=4,DefMemPerGPU=100",
      "memory_per_gpu_default_bytes=104857600 memory_per_cpu_max_bytes=0 "
      "memory_per_node_max_bytes=0 cpus_per_gpu_default=4 " },
    { "DefCpuPerGPU=6", "cpus_per_gpu_default=6 " },
    { "TRESBillingWeights=\"CPU=1.0,Mem=0.25G\"", "tres_billing_weights=\"CPU=1.0,Mem=0.25G\"" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *conf =
        g_strdup_printf (HEAD NODE "PartitionName=p Nodes=ALL %s\n", cases[i].keys);
    g_autoptr (LkSlurmImport) import = conf_good (conf);
    expect_piece (import, cases[i].piece);
  }
}

static void
test_partition_errors (void)
{
  static const char times[] = "minutes, minutes:seconds, hours:minutes:seconds, "
                              "days-hours[:minutes[:seconds]] or UNLIMITED";
  static const char shares[] = "NO, EXCLUSIVE, YES, FORCE, or YES:jobs (from 2) or FORCE:jobs";
  static const struct {
    const char *key;
    const char *value;
    const char *expected;
  } cases[] = {
    { "Default", "MAYBE", "YES or NO" },
    { "MaxTime", "1x", times },
    { "MaxTime", "1:2:3:4", times },
    { "MaxTime", "1-", times },
    { "MaxTime", "-5", times },
    { "DefaultTime", ":30", times },
    { "MaxNodes", "-2", "a whole number from 0 to 4294967295" },
    { "State", "OPEN", "UP, DOWN, DRAIN or INACTIVE" },
    { "OverSubscribe", "YES:1", shares },
    { "OverSubscribe", "NO:2", shares },
    { "Shared", "SOME", shares },
    { "Exclusive", "ALWAYS", "NO, NODE, USER or TOPO" },
    { "JobDefaults", "Foo=1", "DefCpuPerGPU=count and DefMemPerGPU=MiB, with commas between" },
    { "Priority", "65536", "a whole number from 0 to 65535" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *conf = g_strdup_printf (HEAD NODE "PartitionName=p Nodes=ALL %s=%s\n",
                                             cases[i].key, cases[i].value);
    g_autofree char *message =
        g_strdup_printf ("slurm.conf:5: PartitionName=p: %s is '%s'; expected %s", cases[i].key,
                         cases[i].value, cases[i].expected);
    conf_bad (conf, message);
  }
  conf_bad (HEAD NODE "PartitionName=p Nodes=n[3-5]\n",
            "slurm.conf:5: PartitionName=p: Nodes: there is no NodeName for 'n5'");
  conf_bad (HEAD NODE PARTITION PARTITION,
            "slurm.conf:6: PartitionName=p: PartitionName: the partition is described twice");
  conf_bad (HEAD NODE "PartitionName=p Nodes=ALL MaxTime=0\n",
            "slurm.conf:5: PartitionName=p: MaxTime: is 0; expected 1 or more");
  conf_bad (
      HEAD NODE "PartitionName=a,b Nodes=ALL\n",
      "slurm.conf:5: PartitionName=a,b: PartitionName: holds a letter that names may not have; "
      "expected ASCII without blanks and ,;");
  conf_bad (HEAD NODE "NodeSet=s\nPartitionName=p Nodes=s\n",
            "slurm.conf:5: NodeSet=s: NodeSet: expected Nodes= or Feature=");
}

/* The forms of slurm.conf(5); a minute that has begun counts. */
static void
test_times (void)
{
  static const struct {
    const char *text;
    gint64 minutes; /* -1: never */
  } cases[] = {
    { "90", 90 },        { "90:00", 90 },     { "1:30:00", 90 }, { "1-2", 1560 },
    { "0:30", 1 },       { "1-0:0:1", 1441 }, { "1-0:5", 1445 }, { "24:00:00", 1440 },
    { "UNLIMITED", -1 }, { "infinite", -1 },  { "-1", -1 },      { "7-00:00:01", 10081 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *conf =
        g_strdup_printf (HEAD NODE "PartitionName=p Nodes=ALL MaxTime=%s\n", cases[i].text);
    g_autoptr (LkSlurmImport) import = conf_good (conf);
    const LkPartitionSpec *spec =
        g_ptr_array_index (lk_slurm_import_cluster (import)->partitions, 0);
    gint64 expected = cases[i].minutes < 0 ? LK_TIME_NEVER : cases[i].minutes * 60 * 1000000;
    g_assert_cmpint (spec->time_max_us, ==, expected);
  }
}

static void
test_default_partition (void)
{
  g_autoptr (LkSlurmImport) none =
      conf_good (HEAD NODE "PartitionName=a Nodes=n1\nPartitionName=b Nodes=n2\n");
  expect_piece (none, "partition a nodes=n1 is_default=1 ");
  expect_row (none, "PartitionName", "a", LK_SLURM_APPROXIMATED,
              "made the default partition: none has Default=YES");
  g_autoptr (LkSlurmImport) both = conf_good (
      HEAD NODE "PartitionName=a Nodes=n1 Default=YES\nPartitionName=b Nodes=n2 Default=YES\n");
  expect_piece (both, "partition a nodes=n1 is_default=0 ");
  expect_piece (both, "partition b nodes=n2 is_default=1 ");
  g_autoptr (LkSlurmImport) main_one = conf_good (HEAD NODE);
  expect_piece (main_one, "partition main nodes=ALL is_default=1 ");
  expect_row (main_one, "PartitionName", "", LK_SLURM_APPROXIMATED,
              "not given: one partition 'main' of all nodes is made");
}

/* ---------------------------------------------------------------- global keys */

static void
test_globals (void)
{
  static const struct {
    const char *keys;
    const char *piece;
  } cases[] = {
    { "SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU", "consume=cpu memory=0 " },
    { "SelectType=select/cons_tres\nSelectTypeParameters=cr_socket_memory,CR_LLN,CR_Pack_Nodes",
      "consume=socket memory=1 cores_block=0 pack_nodes=1 least_loaded=1 " },
    { "SelectType=select/cons_res\nSelectTypeParameters=CR_Core,CR_CORE_DEFAULT_DIST_BLOCK",
      "consume=core memory=0 cores_block=1 " },
    { "SelectType=select/linear", "consume=node memory=0 " },
    { "SelectType=select/linear\nSelectTypeParameters=CR_Memory", "consume=node memory=1 " },
    { "SelectType=select/linear\nSelectTypeParameters=CR_Core_Memory", "consume=node memory=0 " },
    { "SelectType=select/cray_aries\nSelectTypeParameters=CR_Core,OTHER_CONS_TRES",
      "consume=core memory=1 " },
    { "DefMemPerNode=10\nMaxMemPerCPU=20\nDefCpuPerGPU=3",
      "memory_per_node_default_bytes=10485760 memory_per_gpu_default_bytes=0 "
      "memory_per_cpu_max_bytes=20971520 memory_per_node_max_bytes=0 cpus_per_gpu_default=3 " },
    { "EnforcePartLimits=ANY", "enforce_limits=1 " },
    { "EnforcePartLimits=no", "enforce_limits=0 " },
    { "JobRequeue=0", "requeue=0 " },
    { "JobRequeue=0\nJobRequeue=1", "requeue=1 " },
    { "RequeueExit=1,5-10\nRequeueExitHold=255", "requeue_exit=1,5-10 requeue_exit_hold=255 " },
    { "MaxBatchRequeue=2\nKillWait=10", "kill_wait_us=10000000 " },
    { "MaxBatchRequeue=2\nKillWait=10", "max_batch_requeue=2 " },
    { "SchedulerParameters=nohold_on_prolog_fail", "hold_prolog_failure=0 " },
    { "ResvOverRun=3", "reservation_over_run_us=180000000 " },
    { "ResvOverRun=UNLIMITED", "reservation_over_run_us=31536000000000 " },
    { "MinJobAge=600\nDependencyParameters=disable_remote_singleton,kill_invalid_depend",
      "job_age_min_us=600000000 kill_invalid_depend=1 " },
    { "MaxArraySize=100001", "array_size_max=100001 compat=slurm-26.05\n" },
    { "SchedulerParameters=bf_window=10,max_switch_wait=60,requeue_delay=5",
      "switches_wait_max_us=60000000 requeue_delay_us=5000000 " },
    { "OverTimeLimit=2", "over_time_limit_us=120000000 " },
    { "Licenses=a:4,b;c=2,a:1", "license a count=5\nlicense b count=1\nlicense c count=2" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *conf = g_strdup_printf ("%s\n" NODE PARTITION, cases[i].keys);
    g_autoptr (LkSlurmImport) import = conf_good (conf);
    expect_piece (import, cases[i].piece);
  }
}

static void
test_global_errors (void)
{
  static const struct {
    const char *conf;
    const char *message;
  } cases[] = {
    { "SelectType=select/magic\n",
      "SelectType is 'select/magic'; expected select/cons_tres or select/linear" },
    { "SelectTypeParameters=CR_Cores\n",
      "SelectTypeParameters is 'CR_Cores'; expected words such as "
      "CR_Core_Memory or CR_LLN; 'CR_Cores' is none" },
    { "SelectTypeParameters=CR_Core,CR_CPU\n", "SelectTypeParameters is 'CR_Core,CR_CPU'; expected "
                                               "only one of CR_CPU, CR_Core, CR_Socket and "
                                               "CR_Memory" },
    { "EnforcePartLimits=SOME\n", "EnforcePartLimits is 'SOME'; expected ALL, ANY, YES or NO" },
    { "Licenses=a:x\n",
      "Licenses is 'a:x'; expected name:count, with commas between; 'a:x' is not" },
    { "SchedulerParameters=max_switch_wait=soon\n",
      "SchedulerParameters: max_switch_wait is 'soon'; expected seconds" },
    { "TopologyPlugin=topology/mesh\n", "TopologyPlugin is 'topology/mesh'; expected "
                                        "topology/flat, topology/tree or topology/block" },
    { "OverTimeLimit=x\n", "OverTimeLimit is 'x'; expected a whole number from 0 to 65533" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *conf = g_strconcat (cases[i].conf, NODE, PARTITION, NULL);
    g_autofree char *message = g_strconcat ("slurm.conf:1: ", cases[i].message, NULL);
    conf_bad (conf, message);
  }
}

/* ---------------------------------------------------------------- the report */

static void
test_report (void)
{
  g_autoptr (LkSlurmImport) import = conf_good (
      "SlurmctldPort=1\nPriorityWeightAge=2\nSlurmctlPort=3\nZzz=4\nMaxMemPerCPU=1\nMaxMemPerCPU="
      "2\n"
      "NodeName=n1 RealMemry=1 NodeAddr=x CPUs=1 CPUs=2\nPartitionName=p Nodes=n1 Default=YES\n"
      "NodNam=n2\n");
  expect_row (import, "SlurmctldPort", "1", LK_SLURM_IGNORED,
              "how the daemons and commands find, start and tell each other; not about scheduling");
  expect_row (import, "PriorityWeightAge", "2", LK_SLURM_UNDERSTOOD,
              "weight_age of the order policy multifactor");
  expect_row (import, "SlurmctlPort", "3", LK_SLURM_IGNORED,
              "unknown key, ignored; did you mean 'SlurmctldPort'?");
  expect_row (import, "Zzz", "4", LK_SLURM_IGNORED, "unknown key, ignored");
  expect_row (import, "NodNam", "n2", LK_SLURM_IGNORED,
              "unknown key, ignored; did you mean 'NodeName'?");
  expect_row (import, "RealMemry", "1", LK_SLURM_IGNORED,
              "unknown key, ignored; did you mean 'RealMemory'?");
  expect_row (import, "MaxMemPerCPU", "1", LK_SLURM_IGNORED,
              "given again in slurm.conf:6; the last counts");
  expect_row (import, "MaxMemPerCPU", "2", LK_SLURM_UNDERSTOOD, "most MiB for each CPU");
  expect_row (import, "CPUs", "1", LK_SLURM_IGNORED, "stands twice on the line; the last counts");
  expect_row (import, "ClusterName", "", LK_SLURM_APPROXIMATED,
              "not given: the machine is called 'cluster'");
  expect_row (import, "SelectType", "", LK_SLURM_APPROXIMATED,
              "not given: select/cons_tres, the default since 23.11; before it was select/linear "
              "(whole nodes)");
  /* Every pair has a row, and there are three for what is missing. */
  g_assert_cmpuint (lk_slurm_import_report (import)->len, ==, 7 + 5 + 3 + 3);
  g_assert_cmpuint (lk_slurm_import_count (import, LK_SLURM_UNDERSTOOD)
                        + lk_slurm_import_count (import, LK_SLURM_APPROXIMATED)
                        + lk_slurm_import_count (import, LK_SLURM_IGNORED),
                    ==, lk_slurm_import_report (import)->len);
}

static void
test_notes (void)
{
  g_autoptr (LkSlurmImport) import = conf_good (
      "SelectType=select/cons_tres\n"
      "SelectTypeParameters=CR_Core_Memory,LL_SHARED_GRES,CR_ONE_TASK_PER_CORE\n"
      "GresTypes=gpu\nNodeName=n1 CPUs=2 Gres=nic:1 State=CLOUD CpuSpecList=0 CoreSpecCount=1\n"
      "NodeName=n2 CPUs=40\nPartitionName=p Nodes=ALL DefaultTime=20 MaxTime=10\n");
  expect_row (import, "SelectTypeParameters", "", LK_SLURM_APPROXIMATED,
              "LL_SHARED_GRES is left out: shares go to the first device with room; "
              "CR_ONE_TASK_PER_CORE is left out: a task takes a CPU, which may be a thread");
  expect_row (import, "Gres", "", LK_SLURM_APPROXIMATED,
              "kept, although GresTypes does not have 'nic'");
  expect_row (import, "State", "", LK_SLURM_APPROXIMATED, "up and always on: no power saving");
  expect_row (import, "CoreSpecCount", "", LK_SLURM_IGNORED,
              "CpuSpecList is given too and goes first");
  expect_row (import, "CpuSpecList", "", LK_SLURM_APPROXIMATED,
              "as many cores are reserved, the last instead of these");
  expect_row (import, "CPUs", "40", LK_SLURM_APPROXIMATED, "40 sockets are taken as one");
  expect_row (import, "DefaultTime", "", LK_SLURM_APPROXIMATED,
              "above the MaxTime of PartitionName=p, where it is as if not given, as in Slurm");
}

/* Option by option of SchedulerParameters what acts and what does not. */
static void
test_scheduler_words (void)
{
  g_autoptr (LkSlurmImport) import = conf_good (
      "SchedulerParameters=bf_licenses,max_switch_wait=60,preempt_strict_order,bf_continue,"
      "max_rpc_cnt=9,bf_busy_nodes,bf_max_job_usr=3\n" NODE PARTITION);
  expect_row (import, "SchedulerParameters", "", LK_SLURM_APPROXIMATED,
              "bf_licenses: of --backfill slurm; max_switch_wait: longest wait for --switches; "
              "preempt_strict_order: of the preempt policy; "
              "bf_continue ignored: no cycle yields, so nothing changes in one; "
              "max_rpc_cnt ignored: there are no remote calls that could be many; "
              "bf_busy_nodes: give it to the select policy: busy=1; "
              "bf_max_job_usr ignored: unknown option");
  g_autoptr (LkSlurmImport) none =
      conf_good ("SchedulerParameters=bf_yield_sleep=1\n" NODE PARTITION);
  expect_row (none, "SchedulerParameters", "", LK_SLURM_IGNORED,
              "bf_yield_sleep ignored: no loop is cut off by the wall clock");
  g_autoptr (LkSlurmImport) all =
      conf_good ("SchedulerParameters=bf_window=10,defer\n" NODE PARTITION);
  expect_row (all, "SchedulerParameters", "", LK_SLURM_UNDERSTOOD,
              "bf_window: of --backfill slurm; defer: of --backfill slurm");
}

/* ---------------------------------------------------------------- real files */

static LkSlurmImport *
fixture_import (const char *name, const char *assoc)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (FIXTURES, name, "slurm.conf", NULL);
  LkSlurmImport *import = lk_slurm_import_new (
      &(LkSlurmImportOptions){ .conf_path = path, .assoc_path = assoc }, &error);
  g_assert_no_error (error);
  return import;
}

static void
test_ubhpc (void)
{
  g_autoptr (LkSlurmImport) import = fixture_import ("ubhpc-medium", NULL);
  const LkCluster *cluster = lk_slurm_import_cluster (import);
  g_assert_cmpstr (cluster->name, ==, "ubhpc");
  g_assert_cmpuint (lk_cluster_node_count (cluster), ==, 217);
  g_assert_cmpuint (lk_cluster_cpu_count (cluster), ==, 89 * 32 + 128 * 40);
  g_assert_cmpuint (lk_cluster_gres_count (cluster, "gpu"), ==, 20);
  expect_piece (import, "nodes b[001-024] sockets=2 cores_per_socket=20 threads_per_core=1 cpus=40 "
                        "cores_reserved=0 memory_bytes=790626304000 ");
  expect_piece (import, "features=CPU-Gold-6130,OPA,P100\n"
                        "gres gpu type=tesla_p100-pcie-16gb count=2 ");
  /* 24 hours are more than this partition allows: to Slurm as if not given. */
  expect_piece (import, "partition debug nodes=gn[001-002] is_default=0 state=up root_only=0 "
                        "time_default_us=9223372036854775807 time_max_us=3600000000 ");
  expect_piece (import, "priority_tier=700 priority_job_factor=700 ");
  expect_piece (import, "switch IBN nodes=gn[001-002],n[001-087] switches=\"\"\n"
                        "switch IBM nodes=m[001-096] switches=\"\"\n"
                        "switch IBG nodes=b[001-024],g[001-008] switches=\"\"\n"
                        "switch TOP nodes=\"\" switches=IBN,IBM,IBG");
  expect_row (import, "Nodes", "m[001-100]", LK_SLURM_APPROXIMATED,
              "without m[097-100], which slurm.conf does not have");
  g_assert_cmpuint (lk_slurm_import_count (import, LK_SLURM_APPROXIMATED), ==, 5);
}

static void
test_micro (void)
{
  g_autoptr (LkSlurmImport) import = fixture_import ("micro", FIXTURES "/micro/sacctmgr.script");
  const LkCluster *cluster = lk_slurm_import_cluster (import);
  g_assert_cmpuint (lk_cluster_node_count (cluster), ==, 10);
  g_assert_cmpuint (lk_cluster_cpu_count (cluster), ==, 120);
  g_assert_cmpuint (lk_cluster_gres_count (cluster, "gpu"), ==, 2);
  expect_row (import, "Gres", "gpu:2", LK_SLURM_APPROXIMATED,
              "gres.conf gives g1 1 of 'gpu'; the 2 of slurm.conf count");
  expect_row (import, "add user", "name=user1 DefaultAccount=account1 MaxSubmitJobs=1000",
              LK_SLURM_UNDERSTOOD, "a line of accounts: give this file to a run");
}

/* ---------------------------------------------------------------- documentation */

static gboolean
is_same_reason (const LkSlurmKey *a, const LkSlurmKey *b)
{
  return a->scope == b->scope && a->verdict == LK_SLURM_IGNORED && b->verdict == LK_SLURM_IGNORED
         && strcmp (a->how, b->how) == 0;
}

/* The table as the page has it: keys that are ignored for one reason share a row. Returns:
 * (transfer full). */
static char *
table_text (void)
{
  guint count;
  const LkSlurmKey *keys = lk_slurm_keys (&count);
  g_autofree gboolean *is_listed = g_new0 (gboolean, count);
  GString *text = g_string_new ("| Line | Key | Verdict | How, or why |\n|---|---|---|---|\n");
  for (guint i = 0; i < count; i++) {
    if (is_listed[i])
      continue;
    g_string_append_printf (text, "| %s | `%s`", lk_slurm_scope_name (keys[i].scope), keys[i].name);
    for (guint j = i + 1; j < count; j++)
      if (is_same_reason (&keys[i], &keys[j])) {
        g_string_append_printf (text, ", `%s`", keys[j].name);
        is_listed[j] = TRUE;
      }
    g_string_append_printf (text, " | %s | %s |\n", lk_slurm_verdict_name (keys[i].verdict),
                            keys[i].how);
  }
  return g_string_free (text, FALSE);
}

static void
test_page (void)
{
  g_autofree char *page = NULL;
  g_autofree char *table = table_text ();
  g_autoptr (GError) error = NULL;
  g_file_get_contents (PAGE, &page, NULL, &error);
  g_assert_no_error (error);
  if (!strstr (page, table))
    g_error ("docs/slurm-import.md should have this table:\n%s", table);
}

static void
test_keys (void)
{
  guint count;
  const LkSlurmKey *keys = lk_slurm_keys (&count);
  g_assert_cmpuint (count, >, 300);
  for (guint i = 0; i < count; i++) {
    g_assert_true (lk_slurm_key_find (keys[i].scope, keys[i].name) == &keys[i]);
    g_assert_null (strpbrk (keys[i].how, "|\n"));
    g_assert_false (g_str_has_suffix (keys[i].how, "."));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/slurm-conf/sockets, cores and CPUs follow from each other", test_layouts);
  g_test_add_func ("/slurm-conf/values of nodes have Slurm's units and defaults", test_node_values);
  g_test_add_func ("/slurm-conf/a wrong node is told with line and key", test_node_errors);
  g_test_add_func ("/slurm-conf/Gres has name, type, count and suffixes", test_gres);
  g_test_add_func ("/slurm-conf/DEFAULT lines act on the lines below them", test_defaults);
  g_test_add_func ("/slurm-conf/nodes stand in the natural order of names", test_order);
  g_test_add_func ("/slurm-conf/nodes are down, or not there", test_down_and_future);
  g_test_add_func ("/slurm-conf/nodes of a partition are lists, sets and features",
                   test_partition_nodes);
  g_test_add_func ("/slurm-conf/values of partitions", test_partition_values);
  g_test_add_func ("/slurm-conf/a wrong partition is told with line and key",
                   test_partition_errors);
  g_test_add_func ("/slurm-conf/times round up to minutes", test_times);
  g_test_add_func ("/slurm-conf/one partition is the default", test_default_partition);
  g_test_add_func ("/slurm-conf/global keys", test_globals);
  g_test_add_func ("/slurm-conf/a wrong global key is told with its line", test_global_errors);
  g_test_add_func ("/slurm-conf/every key is in the report", test_report);
  g_test_add_func ("/slurm-conf/the report says what is not as in Slurm", test_notes);
  g_test_add_func ("/slurm-conf/the report goes through SchedulerParameters", test_scheduler_words);
  g_test_add_func ("/slurm-conf/UB-HPC has 217 nodes", test_ubhpc);
  g_test_add_func ("/slurm-conf/the micro cluster has 10 nodes", test_micro);
  g_test_add_func ("/slurm-conf/the page has the table of keys", test_page);
  g_test_add_func ("/slurm-conf/each key is in the table once", test_keys);
  return g_test_run ();
}
