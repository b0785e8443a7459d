/* tests/engine/place_rules_test.c — rules of placement, one by one, each with a job that shows it.
 *
 * What is expected is what Slurm 22.05 did with the same machine and the same job, unless the row
 * says otherwise.  Whole schedules of it are compared by tests/oracle/place_test.c. */
#include <string.h>

#include "tests/oracle/place_replay.h"
#include "tests/oracle/recording.h"

#define HEAD "about  a rule\nslurm  22.05\n[slurm.conf]\nSelectType=select/cons_tres\n"
#define TAIL "PartitionName=p Nodes=ALL Default=YES State=UP\n"
#define SIZE "Sockets=2 CoresPerSocket=4 RealMemory=16000 "
#define GPUS "GresTypes=gpu,shard,nic\n"
#define NEAR                                                                                       \
  "[gres.conf]\nName=gpu File=/dev/nvidia[0-1] Cores=0-3\n"                                        \
  "Name=gpu File=/dev/nvidia[2-3] Cores=4-7\n"

/* ---------------------------------------------------------------- machines */

static const char cores[] = HEAD "SelectTypeParameters=CR_Core\nNodeName=n[1-3] " SIZE "\n" TAIL;
static const char cores_2605[] =
    "about  a rule\nslurm  26.05\n[slurm.conf]\nSelectType=select/cons_tres\n"
    "SelectTypeParameters=CR_Core\nNodeName=n[1-5] " SIZE "\n" TAIL;
static const char four_sockets[] =
    HEAD "SelectTypeParameters=CR_Core\n"
         "NodeName=n1 Sockets=4 CoresPerSocket=4 RealMemory=16000\n" TAIL;
static const char cpus[] =
    HEAD "SelectTypeParameters=CR_CPU_Memory\nDefMemPerCPU=100\nNodeName=n[1-2] " SIZE
         "ThreadsPerCore=2\n" TAIL;
static const char memory[] =
    HEAD "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=3000\nNodeName=n[1-4] " SIZE "\n" TAIL;
static const char threads[] =
    HEAD "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=100\nNodeName=n[1-2] " SIZE
         "ThreadsPerCore=2\n" TAIL;
static const char reserved[] =
    HEAD "SelectTypeParameters=CR_Core\nNodeName=n1 " SIZE "CoreSpecCount=3\n" TAIL;
static const char gpus[] =
    HEAD GPUS "SelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=100\nNodeName=g[1-4] " SIZE
              "Gres=gpu:4\n" TAIL NEAR;
static const char gpus_anywhere[] =
    HEAD GPUS "SelectTypeParameters=CR_Core\nNodeName=g[1-2] " SIZE "Gres=gpu:2,nic:100\n" TAIL
              "[gres.conf]\nName=gpu File=/dev/nvidia[0-1]\nName=nic Count=100\n";
static const char limited[] =
    HEAD "SelectTypeParameters=CR_Core\nNodeName=n[1-3] " SIZE
         "\nPartitionName=p Nodes=ALL Default=YES MaxCPUsPerNode=3 State=UP\n"
         "PartitionName=q Nodes=ALL State=UP\n";
static const char two_nodes[] =
    HEAD "SelectTypeParameters=CR_Core\nNodeName=n[1-3] " SIZE
         "\nPartitionName=p Nodes=ALL Default=YES MaxNodes=2 State=UP\n";

/* ---------------------------------------------------------------- rules */

typedef struct {
  const char *rule;
  const char *machine;
  const char *before;  /* options of jobs that run already; separated by ; */
  const char *options; /* of the job */
  const char *expected;
} Rule;

static const Rule rules[] = {
  { "tasks of several CPUs fill a socket, whole ones", cores, "", "-n3 -c2", "n1 0-5" },
  { "tasks of several CPUs do not lie across sockets", cores, "", "-n2 -c3", "n1 0-2,4-6" },
  { "a task that fits no socket has its CPUs in turn", cores, "", "-n1 -c5", "n1 0-2,4-5" },
  { "and on four sockets", four_sockets, "", "-n2 -c6", "n1 0-2,4-6,8-10,12-14" },
  { "a socket without room for a task is passed by", cores, "-w n1 -n3 -m block:block",
    "-w n1 -n1 -c2", "n1 4-5" },
  { "what fits nowhere as a whole is dealt out", cores, "-w n1 -n2", "-w n1 -n3 -c2",
    "n1 1-3,5-7" },
  { "a bound of tasks per socket spreads CPUs", cores, "", "-n3 --ntasks-per-socket=2 -c2",
    "n1 0-2,4-6" },
  { "a block lies in the tightest socket", cores, "-w n1 -n1 -m block:block",
    "-w n1 -n3 -m block:block", "n1 1-3" },
  { "or begins in the roomiest", cores, "-w n1 -n1 -m block:block", "-w n1 -n5 -m block:block",
    "n1 1,4-7" },
  { "and goes on in the next roomiest", four_sockets, "-n6 -m block:block", "-n5 -m block:block",
    "n1 8-12" },
  { "CPUs are counted by ones where they are handed out, in blocks", cpus, "", "-n5",
    "n1 0-5 500M" },
  { "even those whose threads are not used", cpus, "", "-n2 --hint=nomultithread", "n1 0-3 200M" },
  /* As _allocate_sc of select/cons_tres reads; not recorded. */
  { "a socket with fewer free cores than asked for does not count", four_sockets, "-n1",
    "-n3 --cores-per-socket=4", "n1 4,8,12" },
  { "not even for what would fit there", four_sockets, "-n3 -m block:block",
    "-n1 --cores-per-socket=2", "n1 4" },
  { "where too few sockets are left the job waits", four_sockets, "-n1",
    "-n4 --sockets-per-node=4 --cores-per-socket=4", "PENDING Resources" },
  { "who asks for less has all four", four_sockets, "-n1",
    "-n4 --sockets-per-node=4 --cores-per-socket=3", "n1 1,4,8,12" },
  { "reserved cores are the last of each socket in turn", reserved, "", "--exclusive",
    "n1 0-2,4-5" },
  { "memory is not paid for threads that may not be used", threads, "", "-n2 --hint=nomultithread",
    "n1 0-1,8-9 200M" },
  { "who has a node alone pays memory for all its CPUs", memory, "",
    "--exclusive -n1 --mem-per-cpu=2000", "n1 0-7 16000M" },
  { "and cannot have it without that memory", memory, "", "--exclusive -n1", "REFUSED" },
  { "as many nodes of a range, where tasks are not given", memory, "", "-N2-4 --mem=100",
    "n1 0 100M; n2 0 100M; n3 0 100M; n4 0 100M" },
  { "no more nodes than tasks that are given", memory, "", "-N2-4 -n3 --mem=100",
    "n1 0 100M; n2 0 100M; n3 0 100M" },
  { "jobs of a partition have so many CPUs of a node together", limited, "-n2", "-n3", "n2 0-1,4" },
  { "jobs of others do not count", limited, "-n2 -p q", "-n3", "n1 1-2,5" },
  { "more CPUs than the partition has wait", cores, "", "-n25", "PENDING PartitionConfig" },
  { "more nodes than the partition has wait", cores, "", "-N4", "PENDING PartitionNodeLimit" },
  { "any node of a list of more than it asks for", cores_2605, "-w n1 --exclusive", "-N1 -w n[1-2]",
    "n2 0" },
  { "any two of them", cores_2605, "-w n2 --exclusive", "-N2-2 -w n[1-3] -x n4", "n1 0; n3 0" },
  { "as many of them as may be, and no others", cores_2605, "-w n2 --exclusive", "-N1-4 -w n[1-3]",
    "n1 0; n3 0" },
  { "any node of them for one task", cores_2605, "-w n1 --exclusive", "-n1 -w n[1-2]", "n2 0" },
  { "excluded nodes of the list are none of them", cores_2605, "", "-N1 -w n[1-2] -x n1", "n2 0" },
  { "where none of the list is free the job waits", cores_2605,
    "-w n1 --exclusive;-w n2 --exclusive", "-N1 -w n[1-2]", "PENDING Resources" },
  { "more than the list has are refused", cores_2605, "", "-N2-2 -w n[1-3] -x n[2-3]", "REFUSED" },
  { "all nodes of the list, and others", cores_2605, "", "-N3 -w n2,n5", "n2 0; n3 0; n5 0" },
  { "all nodes of a list without -N", cores_2605, "", "-w n2,n5", "n2 0; n5 0" },
  { "in 22.05 the first nodes of the list", cores, "-w n1 --exclusive", "-N1 -w n[1-2]",
    "PENDING Resources" },
  { "and all of them where more may be", cores, "-w n1 -n1", "-N1-3 -w n[1-2]",
    "n1 1; n2 0; n3 0" },
  { "more nodes in the list than MaxNodes wait", two_nodes, "", "-w n[1-3]",
    "PENDING PartitionNodeLimit" },
  { "what no node can do is refused", cores, "", "-n1 --mem=20000", "REFUSED" },

  { "cores come from the socket of the GPUs", gpus, "", "--gres=gpu:2 -n3",
    "g1 0-2 300M gpu:2(IDX:0-1)" },
  { "of the sockets that have them together", gpus, "", "--gres=gpu:3 -n5",
    "g1 0-2,4-5 500M gpu:3(IDX:0-2)" },
  { "a second node goes before a second socket", gpus, "", "--gres=gpu:2 -n6",
    "g1 0-3 400M gpu:2(IDX:0-1); g2 0-1 200M gpu:2(IDX:0-1)" },
  { "unless there may be no second node", gpus, "", "--gres=gpu:2 -N1 -n6",
    "g1 0-5 600M gpu:2(IDX:0,2)" },
  { "CPUs that come with GPUs widen to more sockets", gpus, "", "--gres=gpu:1 --cpus-per-gpu=6",
    "g1 0-2,4-6 600M gpu:1(IDX:0)" },
  { "so do tasks that come with GPUs", gpus, "", "--ntasks-per-gpu=3 --gpus=2",
    "g1 0-2,4-6 600M gpu:2(IDX:0-1)" },
  { "GPUs of all nodes: those near first, one kept for each node", gpus, "", "--gpus=5",
    "g1 0 100M gpu:3(IDX:0-2); g2 0 100M gpu:2(IDX:0-1)" },
  { "and what is missing from the first node on", gpus, "", "--gpus=6 -n2",
    "g1 0 100M gpu:4(IDX:0-3); g2 0 100M gpu:2(IDX:0-1)" },
  { "GPUs of tasks go with the tasks", gpus, "", "--gpus-per-task=1 -n6",
    "g1 0-1,4-5 400M gpu:4(IDX:0-3); g2 0,4 200M gpu:2(IDX:0,2)" },
  { "GPUs of tasks with the CPUs that come with them", gpus, "",
    "--gpus-per-task=1 --cpus-per-gpu=2 -n3", "g1 0-2,4-6 600M gpu:3(IDX:0-2)" },
  { "one task with GPUs of all leaves no core of the first socket in play", gpus, "",
    "--gpus=3 -n1", "g1 4 100M gpu:3(IDX:0,2-3)" },
  { "GPUs of sockets are on the sockets of the cores", gpus, "",
    "--gpus-per-socket=1 --sockets-per-node=2 -n5", "g1 0-2,4-5 500M gpu:2(IDX:0,2)" },
  { "more GPUs near than the job wants are no advantage", gpus, "-w g1 --gres=gpu:1",
    "--gres=gpu:1", "g1 4 100M gpu:1(IDX:2)" },
  { "GPUs far from free cores are, of nodes alike, the last", gpus,
    "-w g1 -n4 -m block:block; -w g2 --gres=gpu:1", "--gres=gpu:3", "g2 1 100M gpu:3(IDX:1-3)" },
  { "a node that is named gives GPUs far from its cores", gpus, "-w g1 -n4 -m block:block",
    "-w g1 --gpus=3", "g1 4 100M gpu:3(IDX:0,2-3)" },
  { "bound to GPUs, it does not", gpus, "-w g1 -n4 -m block:block",
    "-w g1 --gres=gpu:3 --gres-flags=enforce-binding", "PENDING Resources" },
  { "bound to GPUs, a core of one of their sockets will do", gpus, "",
    "--gres=gpu:3 --gres-flags=enforce-binding", "g1 0 100M gpu:3(IDX:0-2)" },
  /* Slurm 22.05 takes no notice of disable-binding here; sbatch(1) of later ones says this. */
  { "not bound, cores may be anywhere on the node", gpus, "",
    "--gres=gpu:2 --gres-flags=disable-binding -n6", "g1 0-5 600M gpu:2(IDX:0-1)" },
  { "memory for each GPU", gpus, "", "--mem-per-gpu=6000 --gpus=3",
    "g1 0 12000M gpu:2(IDX:0-1); g2 0 6000M gpu:1(IDX:0)" },
  { "who has a node alone has all its devices and counts", gpus_anywhere, "",
    "--exclusive --gres=gpu:1", "g1 0-7 gpu:2(IDX:0-1),nic(CNT:100)" },
  { "GPUs near to all sockets leave cores in turn", gpus_anywhere, "", "--gpus=1 -n3",
    "g1 0-1,4 gpu:1(IDX:0)" },
};

static char *
case_text (const Rule *rule)
{
  GString *text = g_string_new (rule->machine);
  g_auto (GStrv) before = g_strsplit (rule->before, ";", -1);
  g_string_append (text, "[steps]\n");
  for (guint i = 0; before[i] != NULL; i++)
    g_string_append_printf (text, "submit before%u %s\n", i, before[i]);
  g_string_append_printf (text, "settle\nsubmit job %s\nsettle\n", rule->options);
  return g_string_free (text, FALSE);
}

/* "n1 0-3 100M gpu:1(IDX:0); n2 ..." */
static char *
told (const LkRecordedJob *job)
{
  GString *text = g_string_new (NULL);
  if (strcmp (job->state, "PENDING") == 0)
    g_string_append_printf (text, "PENDING %s", job->reason);
  else if (job->node_list == NULL)
    g_string_append (text, job->state);
  for (guint i = 0; i < job->nodes->len; i++) {
    const LkRecordedNode *node = g_ptr_array_index (job->nodes, i);
    g_string_append_printf (text, "%s%s %s", i > 0 ? "; " : "", node->node, node->cpus);
    if (node->memory_bytes > 0)
      g_string_append_printf (text, " %" G_GINT64_FORMAT "M", node->memory_bytes >> 20);
    if (node->gres[0] != '\0')
      g_string_append_printf (text, " %s", node->gres);
  }
  return g_string_free (text, FALSE);
}

static void
test_rule (gconstpointer data)
{
  const Rule *rule = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = case_text (rule);
  g_autoptr (LkCaseFile) file =
      lk_case_file_new_from_bytes (rule->rule, text, strlen (text), &error);
  g_assert_no_error (error);
  g_autofree char *replayed = lk_place_replay (file, &error);
  g_assert_no_error (error);
  g_autoptr (LkRecording) recording =
      lk_recording_new_from_bytes (rule->rule, replayed, strlen (replayed), &error);
  g_assert_no_error (error);
  const GPtrArray *jobs = g_ptr_array_index (recording->settles, 1);
  g_assert_cmpuint (jobs->len, ==, 1);
  g_autofree char *found = told (g_ptr_array_index (jobs, 0));
  g_assert_cmpstr (found, ==, rule->expected);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++) {
    g_autofree char *path = g_strconcat ("/place_rules/", rules[i].rule, NULL);
    g_test_add_data_func (path, &rules[i], test_rule);
  }
  return g_test_run ();
}
