/* tests/engine/billing_test.c — what jobs are charged.
 *
 * A job has two pieces on a machine of GPUs, shards and counts:
 *   g1: 6 CPUs, 3072 MiB, an a100 and a v100, 3 NICs
 *   g2: 2 CPUs, 1024 MiB, 3 shards of 8 on a v100
 * and holds five licences of one name and one of another.  Sums are worked by hand from
 * slurm.conf(5) TRESBillingWeights. */
#include "engine/billing.h"

#define MIB G_GINT64_CONSTANT (1048576)

/* ---------------------------------------------------------------- the job */

typedef struct {
  LkCluster *cluster;
  LkMachine *machine;
  guint32 request;
  guint32 first_piece;
} Fixture;

static LkCluster *
cluster_new (const char *weights)
{
  LkCluster *cluster = lk_cluster_new ("billed");
  LkClusterError error;
  LkNodeSpec *nodes = lk_cluster_add_nodes (cluster, "g[1-2]");
  nodes->cores_per_socket = nodes->cpus = 16;
  nodes->memory_bytes = 8192 * MIB;
  lk_node_spec_add_gres (nodes, "gpu", "a100", 2);
  lk_node_spec_add_gres (nodes, "gpu", "v100", 2);
  lk_node_spec_add_gres (nodes, "shard", NULL, 32);
  lk_node_spec_add_gres (nodes, "nic", NULL, 8);
  lk_cluster_add_partition (cluster, "free")->is_default = TRUE;
  LkPartitionSpec *billed = lk_cluster_add_partition (cluster, "billed");
  g_free (billed->tres_billing_weights);
  billed->tres_billing_weights = g_strdup (weights);
  lk_cluster_add_license (cluster, "matlab", 9);
  lk_cluster_add_license (cluster, "Ansys", 9);
  g_assert_true (lk_cluster_check (cluster, &error));
  return cluster;
}

static guint32
add_piece (Fixture *self, guint32 node, guint32 cpus, gint64 memory_mib)
{
  LkNodeTable *nodes = &self->machine->nodes;
  guint32 index = lk_piece_new (nodes);
  LkPiece *piece = lk_piece (nodes, index);
  piece->node = node;
  piece->cpus = cpus;
  piece->memory_bytes = memory_mib * MIB;
  return index;
}

static void
fixture_init (Fixture *self, const char *weights, const char *partition)
{
  self->cluster = cluster_new (weights);
  self->machine = lk_machine_new (self->cluster, /* whole_nodes= */ FALSE);
  LkJobRequest asked = { .partition = lk_text (partition), .licenses = lk_text ("matlab:5,Ansys") };
  g_assert_cmpint (lk_machine_resolve (self->machine, &asked, 8, &self->request), ==, 0);
  LkNodeTable *nodes = &self->machine->nodes;
  guint32 last = add_piece (self, 1, 2, 1024);
  lk_piece (nodes, last)->shares = 3;
  lk_piece (nodes, last)->share_device = 3;
  lk_piece (nodes, last)->counts[lk_node_table_gres (nodes, "shard", 5)] = 3;
  self->first_piece = add_piece (self, 0, 6, 3072);
  lk_piece (nodes, self->first_piece)->devices = 1u << 1 | 1u << 2;
  lk_piece (nodes, self->first_piece)->counts[lk_node_table_gres (nodes, "gpu", 3)] = 2;
  lk_piece (nodes, self->first_piece)->counts[lk_node_table_gres (nodes, "nic", 3)] = 3;
  lk_piece (nodes, self->first_piece)->next_of_job = last;
}

static void
fixture_clear (Fixture *self)
{
  lk_machine_free (self->machine);
  lk_cluster_free (self->cluster);
}

static double
billed (const Fixture *self)
{
  return lk_billing_of (self->machine, lk_machine_request (self->machine, self->request),
                        self->first_piece);
}

/* ---------------------------------------------------------------- charges */

typedef struct {
  const char *rule;
  const char *weights;
  double charge;
} Charge;

static const Charge charges[] = {
  { "without weights the CPUs", "", 8 },
  { "CPUs by their weight", "CPU=1.5", 12 },
  { "a weight of nothing", "CPU=0", 0 },
  { "names have no case", "cpu=2", 16 },
  { "nodes", "Node=4", 8 },
  { "several are added", "CPU=1,Node=4", 16 },
  { "a negative weight is a rebate", "CPU=2,Node=-3", 10 },
  { "a charge is never negative", "CPU=-1,Node=3", 0 },
  { "what stands twice counts twice", "CPU=1,CPU=2", 24 },

  { "memory by the MiB", "Mem=1", 4096 },
  { "memory by the MiB, said so", "Mem=1M", 4096 },
  { "memory by the KiB", "Mem=0.5K", 2097152 },
  { "memory by the GiB", "Mem=0.25G", 1 },
  { "memory by the TiB", "Mem=256T", 1 },
  { "units have no case", "mem=0.25g", 1 },
  { "the text of the manual", "CPU=1.0,Mem=0.25G,GRES/gpu=2.0", 8 + 1 + 2 * 2.375 },

  { "devices of any type, shares as parts of one", "GRES/gpu=2", 2 * 2.375 },
  { "devices of a type", "GRES/gpu:a100=3", 3 },
  { "shares belong to the type of their device", "GRES/gpu:v100=3", 3 * 1.375 },
  { "types have no case", "gres/GPU:V100=3", 3 * 1.375 },
  { "a name and its type are both added", "GRES/gpu=2,GRES/gpu:a100=3", 2 * 2.375 + 3 },
  { "shares by the share", "GRES/shard=0.5", 1.5 },
  { "counts", "GRES/nic=2", 6 },
  { "a type that there is not", "GRES/gpu:h100=7", 0 },
  { "a resource that there is not", "GRES/fpga=7,FS/disk=1,Energy=2,CPU=1", 8 },
  { "a name is told from a longer one", "GRES/gp=7,GRES/gpus=7", 0 },

  { "licences", "License/matlab=5", 25 },
  { "licences without case", "license/ANSYS=0.5", 0.5 },
  { "a licence that the job has not", "License/other=5", 0 },
  { "all at once", "CPU=1,Mem=1G,Node=1,GRES/gpu=8,License/matlab=1,GRES/nic=1",
    8 + 4 + 2 + 8 * 2.375 + 5 + 3 },
};

static void
test_charge (gconstpointer data)
{
  const Charge *row = data;
  Fixture self;
  fixture_init (&self, row->weights, "billed");
  g_assert_null (lk_billing_check (row->weights));
  g_assert_cmpfloat_with_epsilon (billed (&self), row->charge, 1e-9);
  fixture_clear (&self);
}

static void
test_partition (void)
{
  Fixture self;
  fixture_init (&self, "Node=100", "free");
  g_assert_cmpfloat_with_epsilon (billed (&self), 8, 1e-9);
  fixture_clear (&self);
  fixture_init (&self, "Node=100", "billed");
  g_assert_cmpfloat_with_epsilon (billed (&self), 200, 1e-9);
  fixture_clear (&self);
}

static void
test_no_pieces (void)
{
  Fixture self;
  fixture_init (&self, "CPU=1,Mem=1,License/matlab=1", "billed");
  self.first_piece = LK_PIECE_NONE;
  g_assert_cmpfloat_with_epsilon (billed (&self), 5, 1e-9);
  fixture_clear (&self);
}

/* ---------------------------------------------------------------- texts */

#define NOT_NAMED "expected NAME=WEIGHT"
#define NOT_A_NUMBER "a weight is a number, less than 1e15"
#define MORE_THAN_A_NUMBER "a weight is a number; only that of memory may end with K, M, G or T"

static const struct {
  const char *weights;
  const char *wrong; /* NULL: right */
} texts[] = {
  { "", NULL },
  { "CPU=1", NULL },
  { "CPU=1e3,Mem=.5G", NULL },
  { "CPU=0.0,anything/at:all=4", NULL },
  { ",", NOT_NAMED },
  { ",CPU=1", NOT_NAMED },
  { "CPU=1,,Mem=1", NOT_NAMED },
  { "CPU", NOT_NAMED },
  { "CPU,Mem=1", NOT_NAMED },
  { "=1", NOT_NAMED },
  { "CPU=1,=1", NOT_NAMED },
  { "CPU=", NOT_A_NUMBER },
  { "CPU=,Mem=1", NOT_A_NUMBER },
  { "CPU=one", NOT_A_NUMBER },
  { "CPU=-1,Mem=-0.5G", NULL },
  { "CPU=-1e15", NOT_A_NUMBER },
  { "CPU=-inf", NOT_A_NUMBER },
  { "CPU=nan", NOT_A_NUMBER },
  { "CPU=inf", NOT_A_NUMBER },
  { "CPU=1e15", NOT_A_NUMBER },
  { "CPU=1e999", NOT_A_NUMBER },
  { "CPU=1G", MORE_THAN_A_NUMBER },
  { "CPU=1 ", MORE_THAN_A_NUMBER },
  { "CPU=1=2", MORE_THAN_A_NUMBER },
  { "CPU=1;Mem=2", MORE_THAN_A_NUMBER },
  { "Mem=1P", MORE_THAN_A_NUMBER },
  { "Mem=1GB", MORE_THAN_A_NUMBER },
  { "Mem=1GG", MORE_THAN_A_NUMBER },
  { "GRES/gpu=2G", MORE_THAN_A_NUMBER },
};

static void
test_texts (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_test_message ("%s", texts[i].weights);
    g_assert_cmpstr (lk_billing_check (texts[i].weights), ==, texts[i].wrong);
  }
}

/* Names have room for 63 bytes. */
static void
test_long_names (void)
{
  g_autofree char *name = g_strnfill (63, 'x');
  g_autofree char *good = g_strconcat (name, "=1", NULL);
  g_autofree char *wrong = g_strconcat (name, "x=1", NULL);
  g_assert_null (lk_billing_check (good));
  g_assert_cmpstr (lk_billing_check (wrong), ==, "the name of a resource is too long");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (charges); i++) {
    g_autofree char *path = g_strdup_printf ("/billing/charges/%s", charges[i].rule);
    g_test_add_data_func (path, &charges[i], test_charge);
  }
  g_test_add_func ("/billing/the partition of the job says what is charged", test_partition);
  g_test_add_func ("/billing/a job without nodes pays its licences", test_no_pieces);
  g_test_add_func ("/billing/texts that are wrong are told why", test_texts);
  g_test_add_func ("/billing/names of resources have a bound", test_long_names);
  return g_test_run ();
}
