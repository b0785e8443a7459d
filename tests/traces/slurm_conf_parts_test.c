/* tests/traces/slurm_conf_parts_test.c — gres.conf, topology.conf, topology.yaml, and sacctmgr
 * dumps and scripts. */
#include "tests/traces/slurm_conf_fixture.h"

/* ---------------------------------------------------------------- gres.conf */

static void
test_gres_conf (void)
{
  static const struct {
    const char *gres;
    const char *piece;
  } cases[] = {
    /* Sockets of two devices each. */
    { "Name=gpu File=/dev/nvidia[0-1] Cores=0-3\nName=gpu File=/dev/nvidia[2-3] Cores=4-7\n",
      "gres gpu type=\"\" count=4 no_consume=0 memory_bytes=0 device_sockets=1,1,2,2 links=\"\"" },
    { "Name=gpu File=/dev/nvidia[0-1] Cores=[0-3]\nName=gpu File=/dev/nvidia[2-3] Cores=[4-7]\n",
      "gres gpu type=\"\" count=4 no_consume=0 memory_bytes=0 device_sockets=1,1,2,2 links=\"\"" },
    /* Near to all is the same as not said. */
    { "Name=gpu Count=4 Cores=0-7\n", "count=4 no_consume=0 memory_bytes=0 device_sockets=\"\" " },
    { "NodeName=n1 Name=gpu Count=2 Cores=0\nNodeName=n1 Name=gpu Count=2\n",
      "nodes n1 sockets=2 " },
    { "NodeName=n1 Name=gpu Count=2 Cores=0\nNodeName=n1 Name=gpu Count=2\n",
      "device_sockets=1,1,0,0 links=\"\"\nnodes n2 " },
    { "Name=gpu File=/dev/a,/dev/b,/dev/c,/dev/d CPUs=5\n", "device_sockets=2,2,2,2 " },
    /* Types come from gres.conf when slurm.conf has none. */
    { "Name=gpu Type=a100 File=/dev/nvidia[0-1]\nName=gpu Type=t4 Count=2 Cores=0-3\n",
      "gres gpu type=a100 count=2 no_consume=0 memory_bytes=0 device_sockets=\"\" links=\"\"\n"
      "gres gpu type=t4 count=2 no_consume=0 memory_bytes=0 device_sockets=1,1 " },
    { "Name=gpu File=/dev/0 Links=7,4,0,0\nName=gpu File=/dev/1 Links=4,-1,0,0\n"
      "Name=gpu File=/dev/2 Links=0,0,-1,2\nName=gpu File=/dev/3 Links=0,0,2,-1\n",
      "links=0,4,0,0,4,0,0,0,0,0,0,2,0,0,2,0" },
    { "Name=gpu Count=6 Cores=0\n", "device_sockets=1,1,1,1 " },
    { "Name=gpu MultipleFiles=/dev/nvidia[0-3] Cores=0\n", "device_sockets=1,0,0,0 " },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (LkSlurmImport) import =
        texts_good (&(Texts){ .conf = HEAD GPU_NODE PARTITION, .gres = cases[i].gres });
    expect_piece (import, cases[i].piece);
  }
}

/* Lists of links are by the device of the node, also where it has several types. */
static void
test_gres_conf_types (void)
{
  g_autoptr (LkSlurmImport) import = texts_good (&(Texts){
      .conf = HEAD "GresTypes=gpu\nNodeName=n CPUs=4 Gres=gpu:t4:1,gpu:a100:2\n" PARTITION,
      .gres = "Name=gpu Type=a100 File=/dev/0 Links=-1,1,9\n"
              "Name=gpu Type=t4 File=/dev/1 Links=1,-1,1\n"
              "Name=gpu Type=A100 File=/dev/2 Links=9,1,-1\n" });
  expect_piece (import,
                "gres gpu type=t4 count=1 no_consume=0 memory_bytes=0 device_sockets=\"\" "
                "links=0\n"
                "gres gpu type=a100 count=2 no_consume=0 memory_bytes=0 device_sockets=\"\" "
                "links=0,9,9,0");
}

static void
test_gres_conf_notes (void)
{
  static const struct {
    const char *gres;
    const char *key;
    LkSlurmVerdict verdict;
    const char *how;
  } cases[] = {
    { "Name=gpu Count=3\n", "Gres", LK_SLURM_APPROXIMATED,
      "gres.conf gives n1 3 of 'gpu'; the 4 of slurm.conf count" },
    { "Name=gpu Count=4\nAutoDetect=nvml\n", "AutoDetect", LK_SLURM_APPROXIMATED,
      "off is as not given; else sockets and links are not known here" },
    { "Name=gpu Count=4\nAutoDetect=off\n", "AutoDetect", LK_SLURM_UNDERSTOOD,
      "nothing is detected: these lines say it all" },
    { "Name=gpu Count=4 Flags=nvidia_gpu_env\n", "Flags", LK_SLURM_UNDERSTOOD,
      "for tasks: changes nothing here" },
    { "Name=gpu Count=4 Flags=one_sharing\n", "Flags", LK_SLURM_APPROXIMATED,
      "one_sharing, all_sharing and explicit would change what is handed out; the rest is for "
      "tasks" },
    { "Name=gpu Count=4 Cores=0-1\n", "Cores", LK_SLURM_APPROXIMATED,
      "a device is near whole sockets, also where a part is given" },
    { "Name=gpu Count=4 Cores=0-9\n", "Cores", LK_SLURM_APPROXIMATED,
      "n1 has 8 cores: higher numbers are left out" },
    { "NodeName=n[1-3] Name=gpu Count=4\n", "NodeName", LK_SLURM_UNDERSTOOD,
      "hostlist; DEFAULT: what later lines have in common" },
    { "NodeName=n2 Name=nic Count=4\n", "Name", LK_SLURM_IGNORED,
      "no node of the line has this in Gres= of slurm.conf" },
    { "Name=gpu Type=x Count=4\n", "Gres", LK_SLURM_UNDERSTOOD, "types are those of gres.conf" },
    { "Name=gpu Count=4 Colour=red\n", "Colour", LK_SLURM_IGNORED, "unknown key, ignored" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (LkSlurmImport) import =
        texts_good (&(Texts){ .conf = HEAD GPU_NODE PARTITION, .gres = cases[i].gres });
    expect_row (import, cases[i].key, "", cases[i].verdict, cases[i].how);
  }
  g_autoptr (LkSlurmImport) unknown = texts_good (
      &(Texts){ .conf = HEAD GPU_NODE PARTITION, .gres = "NodeName=n[2-4] Name=gpu Count=4\n" });
  expect_row (unknown, "NodeName", "n[2-4]", LK_SLURM_APPROXIMATED,
              "2 of 3 names are no node of slurm.conf and are left out");
  g_autoptr (LkSlurmImport) none = conf_good (HEAD GPU_NODE PARTITION);
  expect_row (none, "gres.conf", "", LK_SLURM_APPROXIMATED,
              "there is none: GPUs are near to all sockets, and their links are all the same");
}

static void
test_gres_conf_errors (void)
{
  static const struct {
    const char *gres;
    const char *message;
  } cases[] = {
    { "Count=3\n", "1: a line without Name; expected Name=gpu or another" },
    { "Name=gpu Count=3x\n",
      "1: Name=gpu: Count is '3x'; expected a whole number, perhaps with K, M or G" },
    { "Name=gpu Count=3 File=/dev/nvidia[0-1]\n",
      "1: Name=gpu: Count is '3'; expected 2, the number of files" },
    { "\nName=gpu Cores=4-2\n",
      "2: Name=gpu: Cores is '4-2'; expected core numbers, such as 0-7,16-23" },
    { "Name=gpu File=/dev/0 Links=a\n",
      "1: Name=gpu: Links is 'a'; expected counts of links from 0, -1 for the device itself" },
    { "Name=gpu Count=2 Links=0,1\n",
      "1: Name=gpu: Links: the line is about 2 devices; expected one, whose links these are" },
    { "Name=gpu File=/dev/nvidia[3\n",
      "1: Name=gpu: File: '/dev/nvidia[3' is no list of names: a bracket is not closed" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *message = g_strconcat ("gres.conf:", cases[i].message, NULL);
    texts_bad (&(Texts){ .conf = HEAD GPU_NODE PARTITION, .gres = cases[i].gres }, message);
  }
}

/* Shares and counts have no devices. */
static void
test_gres_conf_shares (void)
{
  g_autoptr (LkSlurmImport) import = texts_good (
      &(Texts){ .conf = HEAD "GresTypes=gpu,shard,nic\nNodeName=n CPUs=4 "
                             "Gres=gpu:2,shard:8,nic:2\n" PARTITION,
                .gres = "Name=gpu File=/dev/nvidia[0-1]\nName=shard Count=6 File=/dev/nvidia0\n"
                        "Name=nic Count=2 Cores=0\n" });
  expect_piece (import, "gres shard type=\"\" count=8 no_consume=0 memory_bytes=0 "
                        "device_sockets=\"\" ");
  expect_row (import, "Gres", "", LK_SLURM_APPROXIMATED,
              "gres.conf gives n 6 of 'shard'; the 8 of slurm.conf count");
  expect_row (import, "Cores", "", LK_SLURM_IGNORED, "sockets are kept of GPUs only");
}

/* ---------------------------------------------------------------- topology.conf */

#define TREE_HEAD HEAD "TopologyPlugin=topology/tree\n" NODE PARTITION
#define BLOCK_HEAD HEAD "TopologyPlugin=topology/block\nNodeName=n[01-16] CPUs=1\n" PARTITION

static void
test_tree (void)
{
  static const struct {
    const char *topology;
    const char *piece;
  } cases[] = {
    { "SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n4,n3 LinkSpeed=4\nSwitchName=r "
      "Switches=s[1-2]\n",
      "switch s1 nodes=n[1-2] switches=\"\"\nswitch s2 nodes=n[3-4] switches=\"\"\n"
      "switch r nodes=\"\" switches=s[1-2]" },
    /* Nodes that are not there are dropped, and then the switches that have none. */
    { "SwitchName=s1 Nodes=n[1-9]\nSwitchName=s2 Nodes=x[1-2]\nSwitchName=m Switches=s2\n"
      "SwitchName=r Switches=s1,m\n",
      "switch s1 nodes=n[1-4] switches=\"\"\nswitch r nodes=\"\" switches=s1\n" },
    /* What hangs on several stays on the first. */
    { "SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n[2-4]\nSwitchName=a Switches=s[1-2]\n"
      "SwitchName=b Switches=s[1-2]\n",
      "switch s1 nodes=n[1-2] switches=\"\"\nswitch s2 nodes=n[3-4] switches=\"\"\n"
      "switch a nodes=\"\" switches=s[1-2]\n" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (LkSlurmImport) import =
        texts_good (&(Texts){ .conf = TREE_HEAD, .topology = cases[i].topology });
    expect_piece (import, "cluster c topology=tree ");
    expect_piece (import, cases[i].piece);
  }
  g_autoptr (LkSlurmImport) dropped =
      texts_good (&(Texts){ .conf = TREE_HEAD, .topology = cases[1].topology });
  expect_row (dropped, "Nodes", "n[1-9]", LK_SLURM_APPROXIMATED,
              "without n[5-9], which slurm.conf does not have");
  expect_row (dropped, "SwitchName", "m", LK_SLURM_APPROXIMATED,
              "left out: nothing is left below it");
  g_autoptr (LkSlurmImport) shared =
      texts_good (&(Texts){ .conf = TREE_HEAD, .topology = cases[2].topology });
  expect_row (shared, "Nodes", "n[2-4]", LK_SLURM_APPROXIMATED,
              "1 of 3 nodes are listed above already and stay there");
}

static void
test_block (void)
{
  static const char blocks[] = "BlockName=b1 Nodes=n[01-04]\nBlockName=b2 Nodes=n[05-08]\n"
                               "BlockName=b3 Nodes=n[09-12]\n";
  g_autofree char *sized = g_strconcat (blocks, "BlockSizes=4,16\n", NULL);
  g_autoptr (LkSlurmImport) given = texts_good (&(Texts){ .conf = BLOCK_HEAD, .topology = sized });
  expect_piece (given, "topology=block block_sizes=4,16 ");
  expect_piece (given, "switch b3 nodes=n[09-12] switches=\"\"\n");
  g_autoptr (LkSlurmImport) assumed =
      texts_good (&(Texts){ .conf = BLOCK_HEAD, .topology = blocks });
  expect_piece (assumed, "topology=block block_sizes=4,8,16 ");
  expect_row (assumed, "BlockSizes", "", LK_SLURM_APPROXIMATED,
              "not given: the size of the first block and its doubles, as in Slurm");
  expect_row (assumed, "BlockName", "", LK_SLURM_UNDERSTOOD, "a block");
  g_autoptr (LkSlurmImport) two = texts_good (
      &(Texts){ .conf = BLOCK_HEAD,
                .topology = "BlockName=b1 Nodes=n[01-04]\nBlockName=b2 Nodes=n[05-08]\n" });
  expect_piece (two, "topology=block block_sizes=4,8 ");
  const LkSlurmRow *last = g_ptr_array_index (lk_slurm_import_report (assumed),
                                              lk_slurm_import_report (assumed)->len - 1);
  g_assert_cmpstr (last->how, ==, "there is none for 4 nodes: n[13-16]");
}

static void
test_topology_errors (void)
{
  static const struct {
    const char *topology;
    const char *message;
  } cases[] = {
    { "SwitchName=a Switches=b\n", "1: SwitchName=a: Switches: there is no SwitchName for 'b'" },
    { "SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n",
      "2: SwitchName=a: SwitchName: is described twice" },
    { "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2 Switches=a\n",
      "2: SwitchName=b: Switches: stands beside Nodes; expected one of them" },
    { "SwitchName=a Nodes=n1\nBlockName=b Nodes=n2\n",
      "2: BlockName=b: BlockName: switches and blocks in one file; expected one kind" },
    { "SwitchName=a Switches=b\nSwitchName=b Switches=a\n",
      "1: SwitchName=a: Switches: leads back to the switch itself; expected a tree" },
    { "SwitchName=a Nodes=n[\n",
      "1: SwitchName=a: Nodes: 'n[' is no list of names: a bracket holds something that is not a "
      "number of at most 18 digits" },
    { "BlockName=a Nodes=n1\nBlockSizes=4,12\n",
      "2: BlockSizes is '4,12'; expected sizes that rise, each 4 times a power of two" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *message = g_strconcat ("topology.conf:", cases[i].message, NULL);
    texts_bad (&(Texts){ .conf = TREE_HEAD, .topology = cases[i].topology }, message);
  }
}

static void
test_topology_plugin (void)
{
  static const char tree[] = "SwitchName=s1 Nodes=n[1-4]\n";
  static const struct {
    const char *plugin;
    const char *topology;
    const char *key;
    LkSlurmVerdict verdict;
    const char *how;
    const char *piece;
  } cases[] = {
    { "", tree, "topology.conf", LK_SLURM_IGNORED,
      "there is one, but TopologyPlugin does not ask for it", "topology=flat " },
    { "TopologyPlugin=topology/tree\n", NULL, "TopologyPlugin", LK_SLURM_APPROXIMATED,
      "there is no topology.conf: taken as flat", "topology=flat " },
    { "TopologyPlugin=topology/block\n", tree, "TopologyPlugin", LK_SLURM_APPROXIMATED,
      "the topology that is described is a tree", "topology=tree " },
    { "TopologyPlugin=topology/3d_torus\n", NULL, "TopologyPlugin", LK_SLURM_APPROXIMATED,
      "taken as flat", "topology=flat " },
    { "TopologyPlugin=topology/tree\nTopologyParam=Dragonfly,RoutePart\n", tree, "TopologyParam",
      LK_SLURM_APPROXIMATED, "Dragonfly: taken as a plain tree", "topology=tree " },
    { "TopologyPlugin=topology/tree\nTopologyParam=RouteTree\n", tree, "TopologyParam",
      LK_SLURM_IGNORED, "how messages travel; not about scheduling", "topology=tree " },
    { "TopologyPlugin=topology/tree\n", "SwitchName=s1 Nodes=x[1-4]\n", "TopologyPlugin",
      LK_SLURM_APPROXIMATED, "the topology that is described is flat", "topology=flat " },
    { "TopologyPlugin=topology/none\n", NULL, "TopologyPlugin", LK_SLURM_UNDERSTOOD,
      "flat, tree or block", "topology=flat " },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *conf = g_strconcat (HEAD, cases[i].plugin, NODE PARTITION, NULL);
    g_autoptr (LkSlurmImport) import =
        texts_good (&(Texts){ .conf = conf, .topology = cases[i].topology });
    expect_row (import, cases[i].key, "", cases[i].verdict, cases[i].how);
    expect_piece (import, cases[i].piece);
  }
}

/* ---------------------------------------------------------------- topology.yaml */

static const char yaml_page[] = "# three of them\n"
                                "---\n"
                                "- topology: one\n"
                                "  flat: {alpha_step_rank: true}\n"
                                "- topology: two\n"
                                "  cluster_default: true\n"
                                "  block:\n"
                                "    block_sizes: [2, 4]\n"
                                "    blocks:\n"
                                "      - {block: b1, nodes: \"n[01-02]\"}\n"
                                "      - {nodes: \"n[03-99]\", block: b2}\n"
                                "- topology: three\n"
                                "  tree:\n"
                                "    switches:\n"
                                "      - {switch: s1, nodes: \"n[01-02]\"}\n"
                                "      - {switch: r, children: s1}\n";

static void
test_yaml (void)
{
  g_autoptr (LkSlurmImport) import =
      texts_good (&(Texts){ .conf = BLOCK_HEAD, .topology = yaml_page });
  expect_piece (import, "topology=block block_sizes=2,4 ");
  expect_piece (import, "switch b1 nodes=n[01-02] switches=\"\"\nswitch b2 nodes=n[03-16] ");
  expect_row (import, "topology", "one", LK_SLURM_IGNORED, "not the default topology");
  expect_row (import, "topology", "two", LK_SLURM_UNDERSTOOD,
              "of topology.yaml: the default one counts");
  expect_row (import, "Nodes", "n[03-99]", LK_SLURM_APPROXIMATED,
              "without n[17-99], which slurm.conf does not have");
  g_assert_cmpuint (find_row (import, "Nodes", "n[03-99]")->line_number, ==, 11);
}

/* The first is the default when none says so; TopologyPlugin has no say. */
static void
test_yaml_first (void)
{
  g_autoptr (LkSlurmImport) tree = texts_good (&(Texts){
      .conf = HEAD NODE PARTITION,
      .topology = "- topology: t\n  tree:\n    switches:\n    - switch: s\n      nodes: n1\n"
                  "    - {switch: r, children: s}\n" });
  expect_piece (tree, "topology=tree ");
  expect_piece (tree, "switch s nodes=n1 switches=\"\"\nswitch r nodes=\"\" switches=s");
  g_autoptr (LkSlurmImport) ring = texts_good (
      &(Texts){ .conf = HEAD NODE PARTITION,
                .topology = "- topology: t\n  ring:\n    rings: [{ring: a, nodes: n1}]\n" });
  expect_piece (ring, "topology=flat ");
  expect_row (ring, "ring", "", LK_SLURM_APPROXIMATED, "rings are not modelled: taken as flat");
}

static void
test_yaml_errors (void)
{
  static const struct {
    const char *yaml;
    const char *message;
  } cases[] = {
    { "---\ntopology: x\n", "2:1: expected a list of topologies" },
    { "- topology: x\n  wood: 1\n",
      "2:3: unknown key 'wood'; expected topology, cluster_default, tree, block, flat, ring or "
      "torus3d" },
    { "- flat: true\n", "1:3: a topology without a name; expected the key 'topology'" },
    { "- topology: x\n  tree: 5\n", "2:9: expected a mapping" },
    { "- topology: x\n  tree: {switches: [{nodes: n1}]}\n", "2:21: no 'switch' in this entry" },
    { "- topology: x\n  tree: {switches: [{switch: a, node: n1}]}\n",
      "2:33: unknown key 'node'; expected 'switch' or 'nodes'" },
    { "- topology: x\n  block: {sizes: [1]}\n",
      "2:11: unknown key 'sizes'; expected 'blocks' or 'block_sizes'" },
    { "- topology: x\n  cluster_default: perhaps\n",
      "2: cluster_default is 'perhaps'; expected YES or NO" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *message = g_strconcat ("topology.conf:", cases[i].message, NULL);
    texts_bad (&(Texts){ .conf = HEAD NODE PARTITION, .topology = cases[i].yaml }, message);
  }
}

/* ---------------------------------------------------------------- sacctmgr */

static void
test_dump (void)
{
  static const char dump[] =
      "# comment\n"
      "QOS - 'normal':Description='Normal QOS default'\n"
      "QOS - "
      "'high':Priority=100:Preempt='normal':MaxTRESPerUser=gres/gpu:a100=4,cpu=8:Flags=NoDecay\n"
      "Cluster - 'c1':Fairshare=1:QOS='normal'\n"
      "Parent - 'root'\n"
      "User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1\n"
      "Account - 'phys':Description=\"a: b\":Organization='org':QOS+='high'\n"
      "Parent - phys\n"
      "User - 'u1':DefaultAccount='phys':MaxWallDurationPerJob=5\n";
  g_autoptr (LkSlurmImport) import =
      texts_good (&(Texts){ .conf = HEAD NODE PARTITION, .assoc = dump });
  expect_row (import, "QOS", "'normal':Description='Normal QOS default'", LK_SLURM_UNDERSTOOD,
              "a line of accounts: give this file to a run");
  const LkSlurmRow *row = find_row (import, "User", "");
  g_assert_cmpstr (row->file, ==, "assoc");
  g_assert_cmpuint (row->line_number, ==, 6);
}

static void
test_script (void)
{
  static const char script[] = "# add\n"
                               "add QOS Name=high Priority=0 MaxSubmitJobsPerUser=10\n"
                               "modify QOS set normal Priority=0\n"
                               "remove QOS where Name=normal\n"
                               "add QOS debug\n"
                               "add account name=a Description=\"two words\" fair=3\n"
                               "add user u account=a\n"
                               "modify user name=u set qos+=debug\n"
                               "list associations format=Account,User tree withd";
  g_autoptr (LkSlurmImport) import =
      texts_good (&(Texts){ .conf = HEAD NODE PARTITION, .assoc = script });
  expect_row (import, "add QOS", "debug", LK_SLURM_UNDERSTOOD,
              "a line of accounts: give this file to a run");
  expect_row (import, "list associations", "format=Account,User tree withd", LK_SLURM_IGNORED,
              "changes nothing in accounts, users and QOS");
}

static void
test_assoc_errors (void)
{
  static const struct {
    const char *text;
    const char *message;
  } cases[] = {
    { "User - 'x\n", "1: a quote is not closed" },
    { "User - ''\n", "1: User without a name" },
    { "Account - 'a'\nAccount - 'b':Fairshre=1\n",
      "2: unknown key 'fairshre'; did you mean 'fairshare'?" },
    { "Account - 'a':Fairshare\n", "1: 'Fairshare' is not KEY=VALUE" },
    { "Account - 'a':MaxTRES+cpu\n", "1: 'MaxTRES+cpu' is not KEY=VALUE" },
    { "Parent - 'phys'\n", "1: Parent 'phys' has no Account line above; expected parents before "
                           "their children" },
    { "Cluster - 'c'\nQOS - 'q'\n", "2: QOS 'q' below the Cluster line; expected above" },
    { "\nhello - 'x'\n", "2: 'hello' begins neither a line of a dump (Account - 'name':...) nor a "
                         "sacctmgr command" },
    { "modfy user x\n", "1: 'modfy' begins neither a line of a dump (Account - 'name':...) nor a "
                        "sacctmgr command; did you mean 'modify'?" },
    { "add\n", "1: 'add '; expected account, user, qos or cluster" },
    { "add people x\n", "1: 'add people'; expected account, user, qos or cluster" },
    { "add user name=x colour=1\n", "1: unknown key 'colour'; expected one of sacctmgr's" },
    { "add user name=\"x\n", "1: a quote is not closed" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *message = g_strconcat ("assoc:", cases[i].message, NULL);
    texts_bad (&(Texts){ .conf = HEAD NODE PARTITION, .assoc = cases[i].text }, message);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/slurm-conf-parts/gres.conf tells sockets, types and links", test_gres_conf);
  g_test_add_func ("/slurm-conf-parts/links are by device, whatever its type",
                   test_gres_conf_types);
  g_test_add_func ("/slurm-conf-parts/gres.conf is held against slurm.conf", test_gres_conf_notes);
  g_test_add_func ("/slurm-conf-parts/a wrong gres.conf is told with its line",
                   test_gres_conf_errors);
  g_test_add_func ("/slurm-conf-parts/shares have no devices", test_gres_conf_shares);
  g_test_add_func ("/slurm-conf-parts/topology.conf has a tree", test_tree);
  g_test_add_func ("/slurm-conf-parts/topology.conf has blocks", test_block);
  g_test_add_func ("/slurm-conf-parts/a wrong topology.conf is told with its line",
                   test_topology_errors);
  g_test_add_func ("/slurm-conf-parts/TopologyPlugin asks for a topology", test_topology_plugin);
  g_test_add_func ("/slurm-conf-parts/topology.yaml has a default topology", test_yaml);
  g_test_add_func ("/slurm-conf-parts/topology.yaml's first topology is the default",
                   test_yaml_first);
  g_test_add_func ("/slurm-conf-parts/a wrong topology.yaml is told with its place",
                   test_yaml_errors);
  g_test_add_func ("/slurm-conf-parts/a sacctmgr dump is read", test_dump);
  g_test_add_func ("/slurm-conf-parts/a sacctmgr script is read", test_script);
  g_test_add_func ("/slurm-conf-parts/a wrong dump or script is told with its line",
                   test_assoc_errors);
  return g_test_run ();
}
