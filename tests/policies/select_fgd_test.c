/* tests/policies/select_fgd_test.c — the measure of fragmentation against its definition, and the
 * policy that follows it. */
#include <glib.h>
#include <string.h>

#include "policies/fgd_measure.h"
#include "policies/selects.h"
#include "tests/policies/select_fixture.h"

static LkFgdNode
node_of (const LkOffer *offer)
{
  return (LkFgdNode){ .cpus_free = offer->cpus_free,
                      .gpu_type = offer->gpu_type,
                      .device_count = offer->device_count,
                      .shares_per_device = offer->shares_per_device,
                      .device_shares_free = offer->device_shares_free };
}

/* The example of the paper's measure: half of the tasks want half a GPU, half of them a whole one.
 * */
static void
test_fgd_worked (void)
{
  static const LkFgdClass classes[] = { { .cpus = 1, .shares = 5, .count = 1 },
                                        { .cpus = 1, .gpus = 1, .count = 1 } };
  LkFgdWorkload workload;
  lk_fgd_workload_set (&workload, classes, G_N_ELEMENTS (classes));
  LkFgdClass task = { .cpus = 1, .shares = 5 };
  g_autoptr (SelectFixture) fixture = select_fixture_new ("8s10.10 8s5.10");
  select_fixture_set_shares (fixture, 10);
  LkFgdNode a = node_of (&fixture->offers[0]), b = node_of (&fixture->offers[1]);
  guint32 device;
  g_assert_cmpfloat (lk_fgd_fragment (&workload, &a), ==, 0.0);
  g_assert_cmpfloat (lk_fgd_fragment (&workload, &b), ==, 0.25);
  g_assert_cmpfloat (lk_fgd_change (&workload, &a, &task, &device), ==, 0.25);
  g_assert_cmpuint (device, ==, 0);
  g_assert_cmpfloat (lk_fgd_change (&workload, &b, &task, &device), ==, -0.25);
  g_assert_cmpuint (device, ==, 0);
  select_fixture_ask (fixture, "shares=5");
  g_autofree char *chosen =
      select_fixture_chosen (fixture, &lk_select_fgd, "workload=1:0:5:1;1:1:0:1");
  g_assert_cmpstr (chosen, ==, "n1:1@0");
}

typedef struct {
  LkFgdClass classes[6];
  guint class_count;
} Classes;

/* The measure as its definition has it, one class and device at a time. */
static double
naive_fragment (const Classes *workload, const LkFgdNode *node)
{
  double sum = 0.0, count = 0.0;
  for (guint m = 0; m < workload->class_count; m++) {
    const LkFgdClass *c = &workload->classes[m];
    guint32 full = 0, most = 0, total = 0, small = 0;
    for (guint g = 0; g < node->device_count; g++) {
      guint32 free = node->device_shares_free[g];
      full += free == node->shares_per_device;
      most = MAX (most, free);
      total += free;
      small += free < (c->gpus > 0 ? node->shares_per_device : c->shares) ? free : 0;
    }
    gboolean runs = c->cpus <= node->cpus_free
                    && (c->gpu_type == 0 || c->gpu_type == node->gpu_type) && full >= c->gpus
                    && most >= c->shares;
    gboolean wants_gpu = c->gpus > 0 || c->shares > 0;
    sum += (double)c->count * (runs && wants_gpu ? small : total);
    count += (double)c->count;
  }
  return sum / count / node->shares_per_device;
}

#define FGD_ROUNDS 5000u

static LkFgdClass
random_class (GRand *random)
{
  LkFgdClass class = { .cpus = (guint32)g_rand_int_range (random, 0, 9),
                       .gpu_type = (guint32)g_rand_int_range (random, 0, 3),
                       .count = (guint64)g_rand_int_range (random, 1, 5) };
  if (g_rand_boolean (random))
    class.gpus = (guint32)g_rand_int_range (random, 0, 4);
  else
    class.shares = (guint32)g_rand_int_range (random, 0, 13);
  return class;
}

/* The least growth over all devices, by measuring before and after. */
static double
naive_change (const Classes *workload, LkFgdNode *node, guint32 *free, const LkFgdClass *task,
              guint32 *out_device)
{
  double before = naive_fragment (workload, node), best = 0.0;
  node->cpus_free -= MIN (node->cpus_free, task->cpus);
  *out_device = LK_NODE_NONE;
  for (guint g = 0; g < node->device_count && task->shares > 0; g++) {
    if (free[g] < task->shares)
      continue;
    free[g] -= task->shares;
    double change = naive_fragment (workload, node) - before;
    free[g] += task->shares;
    if (*out_device == LK_NODE_NONE || change < best - 1e-9) {
      best = change;
      *out_device = g;
    }
  }
  if (*out_device != LK_NODE_NONE)
    return best;
  for (guint g = 0, left = task->gpus; g < node->device_count && left > 0; g++)
    if (free[g] == node->shares_per_device) {
      free[g] = 0;
      left--;
    }
  return naive_fragment (workload, node) - before;
}

static void
test_fgd_naive (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  LkFgdWorkload workload;
  for (guint round = 0; round < FGD_ROUNDS; round++) {
    Classes classes = { .class_count = (guint)g_rand_int_range (random, 1, 7) };
    guint32 free[4];
    for (guint m = 0; m < classes.class_count; m++)
      classes.classes[m] = random_class (random);
    lk_fgd_workload_set (&workload, classes.classes, classes.class_count);
    for (guint g = 0; g < G_N_ELEMENTS (free); g++)
      free[g] = g_rand_boolean (random) ? 10 : (guint32)g_rand_int_range (random, 0, 11);
    LkFgdNode node = { .cpus_free = (guint32)g_rand_int_range (random, 0, 9),
                       .gpu_type = (guint32)g_rand_int_range (random, 0, 3),
                       .device_count = (guint32)g_rand_int_range (random, 0, 5),
                       .shares_per_device = 10,
                       .device_shares_free = free };
    LkFgdClass task = random_class (random);
    double fragment = lk_fgd_fragment (&workload, &node);
    g_assert_cmpfloat_with_epsilon (fragment, naive_fragment (&classes, &node), 1e-9);
    guint32 device, naive_device;
    double change = lk_fgd_change (&workload, &node, &task, &device);
    double naive = naive_change (&classes, &node, free, &task, &naive_device);
    g_assert_cmpfloat_with_epsilon (change, naive, 1e-9);
    g_assert_cmpuint (device, ==, naive_device);
  }
}

/* What the host tells of a job: its index picks one of these. */
static const LkDemand fgd_demands[] = {
  { .nodes_min = 1, .cpus_min = 1, .shares_per_node = 5 },
  { .nodes_min = 1, .cpus_min = 1, .gpus_per_node = 1 },
  { .nodes_min = 2, .cpus_min = 3, .gpus_total = 3, .gpu_type = 7 },
};

static gint32
fgd_job_demand (const LkView *view, LkJobIndex job, LkDemand *out_demand)
{
  (void)view;
  if (job >= G_N_ELEMENTS (fgd_demands))
    return 0;
  *out_demand = fgd_demands[job];
  return 1;
}

static void
put_bytes (void *sink, const void *bytes, guint32 byte_count)
{
  g_byte_array_append (sink, bytes, byte_count);
}

static GByteArray *
saved (SelectFixture *fixture, void *instance)
{
  GByteArray *bytes = g_byte_array_new ();
  lk_select_fgd.base.save (instance, &fixture->view, put_bytes, bytes);
  return bytes;
}

static void
submit (SelectFixture *fixture, void *instance, const char *jobs)
{
  fixture->host.job_demand = fgd_job_demand;
  for (; *jobs != '\0'; jobs++)
    lk_select_fgd.job_submitted (instance, &fixture->view, (LkJobIndex)(*jobs - '0'));
}

/* Saved classes as "cpus:gpus:shares:type=count ...". */
static char *
classes_of (SelectFixture *fixture, void *instance)
{
  g_autoptr (GByteArray) bytes = saved (fixture, instance);
  GString *text = g_string_new (NULL);
  g_assert_cmpuint (bytes->len % 24, ==, 0);
  for (guint at = 0; at < bytes->len; at += 24) {
    guint32 numbers[6];
    memcpy (numbers, bytes->data + at, sizeof numbers);
    g_string_append_printf (text, "%s%u:%u:%u:%u=%u", at == 0 ? "" : " ",
                            GUINT32_FROM_LE (numbers[0]), GUINT32_FROM_LE (numbers[1]),
                            GUINT32_FROM_LE (numbers[2]), GUINT32_FROM_LE (numbers[3]),
                            GUINT32_FROM_LE (numbers[4]));
  }
  return g_string_free (text, FALSE);
}

static void
test_fgd_learns (void)
{
  g_autoptr (SelectFixture) fixture = select_fixture_new ("8s10.10 8s5.10");
  select_fixture_set_shares (fixture, 10);
  select_fixture_ask (fixture, "shares=5");
  void *instance = select_new (&lk_select_fgd, NULL);
  /* Nothing known: the first node. */
  g_assert_true (select_fixture_choose (fixture, &lk_select_fgd, instance));
  g_assert_cmpuint (fixture->picks[0].offer, ==, 0);
  submit (fixture, instance, "01");
  g_assert_true (select_fixture_choose (fixture, &lk_select_fgd, instance));
  g_assert_cmpuint (fixture->picks[0].offer, ==, 1);
  g_assert_cmpuint (fixture->picks[0].devices, ==, 1);
  /* Multi-node jobs count by what one node holds; jobs of a counted pool do not count. */
  submit (fixture, instance, "2029");
  g_autofree char *classes = classes_of (fixture, instance);
  g_assert_cmpstr (classes, ==, "1:0:5:0=2 1:1:0:0=1 2:2:0:7=2");
  lk_select_fgd.base.destroy (instance);
}

static void
test_fgd_forgets (void)
{
  g_autoptr (SelectFixture) fixture = select_fixture_new ("8");
  void *instance = select_new (&lk_select_fgd, "classes=2");
  submit (fixture, instance, "0012");
  g_autofree char *rare = classes_of (fixture, instance);
  g_assert_cmpstr (rare, ==, "1:0:5:0=2 2:2:0:7=1");
  submit (fixture, instance, "21");
  g_autofree char *oldest = classes_of (fixture, instance);
  g_assert_cmpstr (oldest, ==, "2:2:0:7=2 1:1:0:0=1");
  lk_select_fgd.base.destroy (instance);
}

static void
test_fgd_state (void)
{
  g_autoptr (SelectFixture) fixture = select_fixture_new ("8");
  void *instance = select_new (&lk_select_fgd, NULL);
  submit (fixture, instance, "0120");
  g_autoptr (GByteArray) bytes = saved (fixture, instance);
  void *loaded = select_new (&lk_select_fgd, NULL);
  const LkPolicy *base = &lk_select_fgd.base;
  g_assert_cmpint (base->load (loaded, &fixture->view, bytes->data, bytes->len), ==, 1);
  g_autoptr (GByteArray) again = saved (fixture, loaded);
  g_assert_cmpuint (again->len, ==, bytes->len);
  g_assert_cmpint (memcmp (again->data, bytes->data, bytes->len), ==, 0);
  base->destroy (loaded);

  /* What save does not write: cut off, too many, a class twice, of no job, of two kinds. */
  const char *parameters[] = { NULL, "classes=2", NULL, NULL, NULL, "workload=1:1:0:1" };
  for (guint i = 0; i < G_N_ELEMENTS (parameters); i++) {
    g_autofree guint8 *copy = g_memdup2 (bytes->data, bytes->len);
    if (i == 2)
      memcpy (copy + 24, copy, 24);
    if (i == 3)
      memset (copy + 16, 0, 8);
    if (i == 4)
      copy[4] = 1;
    loaded = select_new (&lk_select_fgd, parameters[i]);
    guint32 length = bytes->len - (i == 0 ? 1 : 0);
    g_assert_cmpint (base->load (loaded, &fixture->view, copy, length), ==, 0);
    base->destroy (loaded);
  }
  base->destroy (instance);
}

static void
test_fgd_fixed (void)
{
  g_autoptr (SelectFixture) fixture = select_fixture_new ("8");
  void *instance = select_new (&lk_select_fgd, "workload=4:0:250:30;8:1:0:5;16:2:0:1;");
  submit (fixture, instance, "0123");
  g_autoptr (GByteArray) bytes = saved (fixture, instance);
  g_assert_cmpuint (bytes->len, ==, 0);
  g_assert_cmpint (lk_select_fgd.base.load (instance, &fixture->view, bytes->data, 0), ==, 1);
  lk_select_fgd.base.destroy (instance);
}

static void
test_fgd_workload_text (void)
{
  static const struct {
    const char *text;
    const char *complaint;
  } texts[] = { { "1:1:0", "class 1: expected CPUS:GPUS:SHARES:COUNT" },
                { "1:1:0:1;x", "class 2: expected" },
                { "1:1:0:0", "COUNT at least 1" },
                { "1:1:5:1", "GPUS or SHARES 0" },
                { "1:1:0:99999999999999999999", "class 1: expected" },
                { "1;1:0:1", "found '1;1:0:1'" } };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    LkParamValue values[] = { { .integer = 64 }, { .text = texts[i].text } };
    LkParamValues all = { .size = sizeof all, .count = 2, .values = values };
    LkPolicyError error = { "" };
    g_assert_null (lk_select_fgd.base.create (&all, &error));
    g_assert_nonnull (strstr (error.text, texts[i].complaint));
  }
  GString *many = g_string_new (NULL);
  for (guint i = 0; i <= LK_FGD_CLASS_MAX; i++)
    g_string_append_printf (many, "%u:1:0:1;", i);
  LkParamValue values[] = { { .integer = 64 }, { .text = many->str } };
  LkParamValues all = { .size = sizeof all, .count = 2, .values = values };
  LkPolicyError error = { "" };
  g_assert_null (lk_select_fgd.base.create (&all, &error));
  g_assert_cmpstr (error.text, ==, "parameter 'workload': more than 256 classes");
  g_string_free (many, TRUE);
}

static void
test_fgd_types (void)
{
  /* Tasks of type 1 make its node one to be spared. */
  LkFgdClass classes[] = { { .cpus = 1, .gpus = 1, .gpu_type = 1, .count = 1 } };
  LkFgdWorkload workload;
  lk_fgd_workload_set (&workload, classes, 1);
  g_autoptr (SelectFixture) fixture = select_fixture_new ("8g2y1 8g2y2");
  LkFgdNode first = node_of (&fixture->offers[0]), second = node_of (&fixture->offers[1]);
  g_assert_cmpfloat (lk_fgd_fragment (&workload, &first), ==, 0.0);
  g_assert_cmpfloat (lk_fgd_fragment (&workload, &second), ==, 2.0);
  LkFgdClass task = { .cpus = 1, .gpus = 1 };
  guint32 device;
  g_assert_cmpfloat (lk_fgd_change (&workload, &first, &task, &device), ==, 0.0);
  g_assert_cmpfloat (lk_fgd_change (&workload, &second, &task, &device), ==, -1.0);
  g_assert_cmpuint (device, ==, LK_NODE_NONE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func ("/select_fgd/" name, function)
  ADD ("the example of the measure", test_fgd_worked);
  ADD ("the measure is as defined, on random nodes", test_fgd_naive);
  ADD ("types of GPUs count", test_fgd_types);
  ADD ("classes come from what is submitted", test_fgd_learns);
  ADD ("the least frequent class makes room", test_fgd_forgets);
  ADD ("classes are saved and loaded", test_fgd_state);
  ADD ("a fixed workload learns nothing", test_fgd_fixed);
  ADD ("a workload that cannot be read is refused", test_fgd_workload_text);
#undef ADD
  return g_test_run ();
}
