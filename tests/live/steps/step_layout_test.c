/* tests/live/steps/step_layout_test.c — where tasks of steps go, with the numbers of srun(1) and of
 * Slurm's dist_plane.html, and what is refused. */
#include "live/core/step_layout.h"

#include <string.h>

#define MIB (G_GINT64_CONSTANT (1) << 20)

/* As n0: 0-1; n1: 2 ... behind each the CPUs, memory in MiB and GPUs, where they are asked for. */
static char *
describe (const LkStepLayout *layout, const LkStepOffer *offers)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) tasks = lk_step_layout_tasks (layout);
  for (guint32 i = 0; i < layout->shares->len; i++) {
    const LkStepShare *share = &g_array_index (layout->shares, LkStepShare, i);
    g_string_append_printf (text, "%s%s: ", i > 0 ? "; " : "", offers[share->offer].name);
    g_string_append (text, g_ptr_array_index (tasks, i));
    g_string_append_printf (text, " c%u", share->cpus);
    if (share->memory_bytes > 0)
      g_string_append_printf (text, " m%d", (int)(share->memory_bytes / MIB));
    if (share->gpus > 0)
      g_string_append_printf (text, " g%u", share->gpus);
  }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
assert_layout (const LkStepWant *want, const LkStepOffer *offers, guint32 count,
               const char *expected)
{
  LkStepLayout layout;
  lk_step_layout_init (&layout);
  LkStepError error = lk_step_layout_make (&layout, want, offers, count);
  g_autofree char *found = error == LK_STEP_ERROR_NONE ? describe (&layout, offers)
                                                       : g_strdup (lk_step_error_text (error));
  g_assert_cmpstr (found, ==, expected);
  lk_step_layout_clear (&layout);
}

/* `count` nodes with so many CPUs each, all free. */
static LkStepOffer *
nodes (guint32 count, guint32 cpus)
{
  static const char *const names[] = { "n0", "n1", "n2", "n3", "n4", "n5" };
  static LkStepOffer offers[6];
  memset (offers, 0, sizeof offers);
  for (guint32 i = 0; i < count; i++)
    offers[i] =
        (LkStepOffer){ .name = names[i], .cpus = cpus, .cpus_free = cpus, .cpus_per_core = 1 };
  return offers;
}

static LkLongText
list (const char *text)
{
  return (LkLongText){ text, (guint32)strlen (text) };
}

/* srun(1): three nodes with two CPUs each, four tasks. */
static void
test_manual (void)
{
  LkStepWant want = { .tasks = 4, .node_min = 3, .node_max = 3 };
  assert_layout (&want, nodes (3, 2), 3, "n0: 0-1 c2; n1: 2 c2; n2: 3 c2");
  want.distribution = LK_STEP_DISTRIBUTION_BLOCK;
  assert_layout (&want, nodes (3, 2), 3, "n0: 0-1 c2; n1: 2 c2; n2: 3 c2");
  want.distribution = LK_STEP_DISTRIBUTION_CYCLIC;
  assert_layout (&want, nodes (3, 2), 3, "n0: 0,3 c2; n1: 1 c2; n2: 2 c2");
  want.distribution = LK_STEP_DISTRIBUTION_PACK;
  assert_layout (&want, nodes (3, 2), 3, "n0: 0-1 c2; n1: 2 c2; n2: 3 c2");
  want.tasks = 9;
  want.flags = LK_STEP_FLAG_OVERCOMMIT;
  assert_layout (&want, nodes (3, 2), 3, "n0: 0-6 c2; n1: 7 c2; n2: 8 c2");
}

/* dist_plane.html: 21 tasks over 4 nodes with 8 CPUs. */
static void
test_plane (void)
{
  LkStepWant want = { .tasks = 21,
                      .node_min = 4,
                      .node_max = 4,
                      .distribution = LK_STEP_DISTRIBUTION_PLANE,
                      .plane_size = 4 };
  assert_layout (&want, nodes (4, 8), 4,
                 "n0: 0-3,16-19 c8; n1: 4-7,20 c8; n2: 8-11 c8; n3: 12-15 c8");
  want.plane_size = 2;
  assert_layout (&want, nodes (4, 8), 4,
                 "n0: 0-1,8-9,16-17 c8; n1: 2-3,10-11,18-19 c8; n2: 4-5,12-13,20 c8; "
                 "n3: 6-7,14-15 c8");
  want.tasks = 4;
  want.plane_size = 4;
  assert_layout (&want, nodes (4, 8), 4, "n0: 0-3 c8");
  want.plane_size = 0;
  assert_layout (&want, nodes (4, 8), 4, "Task distribution specification invalid");
}

static void
test_arbitrary (void)
{
  LkStepWant want = { .nodelist = list ("n2,n0,n2"),
                      .distribution = LK_STEP_DISTRIBUTION_ARBITRARY };
  assert_layout (&want, nodes (3, 4), 3, "n2: 0,2 c4; n0: 1 c4");
  want.tasks = 2;
  assert_layout (&want, nodes (3, 4), 3, "n2: 0 c4; n0: 1 c4");
  want.tasks = 4;
  assert_layout (&want, nodes (3, 4), 3, "Task count specification invalid");
  want.tasks = 0;
  assert_layout (&want, nodes (3, 1), 3, "More processors requested than permitted");
  want.nodelist = list ("");
  assert_layout (&want, nodes (3, 4), 3, "Task distribution specification invalid");
}

/* Nodes that differ: a node gets no more than its CPUs allow as long as others have room. */
static void
test_unlike (void)
{
  LkStepOffer *offers = nodes (2, 4);
  LkStepWant want = { .tasks = 6, .node_min = 2, .node_max = 2 };
  offers[0].cpus = offers[0].cpus_free = 2;
  offers[1].cpus = offers[1].cpus_free = 6;
  assert_layout (&want, offers, 2, "n0: 0-1 c2; n1: 2-5 c6");
  want.distribution = LK_STEP_DISTRIBUTION_CYCLIC;
  assert_layout (&want, offers, 2, "n0: 0,2 c2; n1: 1,3-5 c6");
  want.tasks = 10;
  assert_layout (&want, offers, 2, "More processors requested than permitted");
  want.flags = LK_STEP_FLAG_OVERCOMMIT;
  want.distribution = LK_STEP_DISTRIBUTION_BLOCK;
  assert_layout (&want, offers, 2, "n0: 0-2 c2; n1: 3-9 c6");
}

static void
test_counts (void)
{
  LkStepWant want = { 0 };
  assert_layout (&want, nodes (3, 4), 3, "n0: 0 c4; n1: 1 c4; n2: 2 c4");
  want.tasks_per_node = 2;
  assert_layout (&want, nodes (3, 4), 3, "n0: 0-1 c4; n1: 2-3 c4; n2: 4-5 c4");
  want.tasks = 3;
  assert_layout (&want, nodes (3, 4), 3, "n0: 0-1 c4; n1: 2 c4");
  want = (LkStepWant){ .tasks = 1, .node_min = 2, .node_max = 2 };
  assert_layout (&want, nodes (3, 4), 3, "n0: 0 c4");
  want = (LkStepWant){ .tasks = 5 };
  assert_layout (&want, nodes (3, 4), 3, "n0: 0-2 c4; n1: 3-4 c4");
  want = (LkStepWant){ .node_min = 4, .node_max = 4 };
  assert_layout (&want, nodes (3, 4), 3, "Requested node configuration is not available");
  want = (LkStepWant){ .node_min = 2, .node_max = 1 };
  assert_layout (&want, nodes (3, 4), 3, "Node count specification invalid");
  want = (LkStepWant){ .tasks = LK_STEP_TASKS_MAX + 1 };
  assert_layout (&want, nodes (3, 4), 3, "Task count specification invalid");
}

static void
test_nodelist (void)
{
  LkStepWant want = { .nodelist = list ("n2") };
  assert_layout (&want, nodes (3, 4), 3, "n2: 0 c4");
  want.node_min = 2;
  assert_layout (&want, nodes (3, 4), 3, "n0: 0 c4; n2: 1 c4");
  want = (LkStepWant){ .tasks = 2, .exclude = list ("n[0-1]") };
  assert_layout (&want, nodes (3, 4), 3, "n2: 0-1 c4");
  want = (LkStepWant){ .relative = 2 };
  assert_layout (&want, nodes (3, 4), 3, "n1: 0 c4; n2: 1 c4");
  want.relative = 4;
  assert_layout (&want, nodes (3, 4), 3, "Requested node configuration is not available");
  want = (LkStepWant){ .nodelist = list ("n7") };
  assert_layout (&want, nodes (3, 4), 3, "Requested node configuration is not available");
  want.nodelist = list ("n[1-");
  assert_layout (&want, nodes (3, 4), 3, "Invalid node name specified");
}

/* Cores have two CPUs each here. */
static void
test_exact (void)
{
  LkStepOffer *offers = nodes (2, 8);
  LkStepWant want = { .tasks = 3, .flags = LK_STEP_FLAG_EXACT };
  offers[0].cpus_per_core = offers[1].cpus_per_core = 2;
  assert_layout (&want, offers, 2, "n0: 0-2 c4");
  want.cpus_per_task = 3;
  want.flags = 0;
  assert_layout (&want, offers, 2, "n0: 0-1 c6; n1: 2 c4");
  offers[0].cpus_free = 4;
  assert_layout (&want, offers, 2, "n0: 0 c4; n1: 1-2 c6");
  offers[1].cpus_free = 4;
  assert_layout (&want, offers, 2, "Requested nodes are busy");
  want.flags = LK_STEP_FLAG_OVERLAP;
  assert_layout (&want, offers, 2, "n0: 0-1 c6; n1: 2 c4");
  /* Without that it is all of a node or nothing. */
  want = (LkStepWant){ .tasks = 1 };
  assert_layout (&want, offers, 2, "Requested nodes are busy");
  offers[1].cpus_free = 8;
  assert_layout (&want, offers, 2, "n1: 0 c8");
}

static void
test_memory (void)
{
  LkStepOffer *offers = nodes (2, 4);
  LkStepWant want = { .tasks = 4, .flags = LK_STEP_FLAG_EXACT };
  for (guint i = 0; i < 2; i++)
    offers[i].memory_bytes = offers[i].memory_free_bytes = 1000 * MIB;
  assert_layout (&want, offers, 2, "n0: 0-3 c4");
  want.memory_per_cpu_bytes = 400 * MIB;
  assert_layout (&want, offers, 2, "n0: 0-1 c2 m800; n1: 2-3 c2 m800");
  /* Tasks that share CPUs need the memory of these, not of one for each of them. */
  offers[0].memory_bytes = offers[0].memory_free_bytes = 1600 * MIB;
  want.tasks = 9;
  want.flags |= LK_STEP_FLAG_OVERCOMMIT;
  assert_layout (&want, offers, 1, "n0: 0-8 c4 m1600");
  want.tasks = 4;
  want.flags = LK_STEP_FLAG_EXACT;
  offers[0].memory_bytes = offers[0].memory_free_bytes = 1000 * MIB;
  want.memory_per_cpu_bytes = 0;
  want.memory_per_node_bytes = 600 * MIB;
  assert_layout (&want, offers, 2, "n0: 0-3 c4 m600");
  offers[0].memory_free_bytes = 500 * MIB;
  assert_layout (&want, offers, 2, "n1: 0-3 c4 m600");
  want.memory_per_node_bytes = 2000 * MIB;
  assert_layout (&want, offers, 2, "Memory required by task is not available");
}

static void
test_gpus (void)
{
  LkStepOffer *offers = nodes (2, 4);
  LkStepWant want = { .tasks = 2, .flags = LK_STEP_FLAG_EXACT, .gpus_per_task = 1 };
  offers[0].gpus = offers[0].gpus_free = 1;
  offers[1].gpus = offers[1].gpus_free = 2;
  assert_layout (&want, offers, 2, "n0: 0 c1 g1; n1: 1 c1 g1");
  want.gpus_per_task = 2;
  assert_layout (&want, offers, 2, "Invalid generic resource (gres) specification");
  want.tasks = 1;
  assert_layout (&want, offers, 2, "n1: 0 c1 g2");
  want = (LkStepWant){ .gpus = 3 };
  assert_layout (&want, offers, 2, "n0: 0 c4 g1; n1: 1 c4 g2");
  offers[1].gpus_free = 1;
  assert_layout (&want, offers, 2, "Requested nodes are busy");
  want = (LkStepWant){ .gpus_per_node = 1 };
  assert_layout (&want, offers, 2, "n0: 0 c4 g1; n1: 1 c4 g1");
}

/* Without a word about GPUs all of the job's, and so it waits for who holds one. */
static void
test_gpus_of_job (void)
{
  LkStepOffer *offers = nodes (2, 4);
  LkStepWant want = { .flags = LK_STEP_FLAG_EXACT };
  offers[0].gpus = offers[0].gpus_free = 1;
  offers[1].gpus = offers[1].gpus_free = 2;
  assert_layout (&want, offers, 2, "n0: 0 c1 g1; n1: 1 c1 g2");
  offers[1].gpus_free = 1;
  assert_layout (&want, offers, 2, "Requested nodes are busy");
  want.node_max = 1;
  assert_layout (&want, offers, 2, "n0: 0 c1 g1");
  want = (LkStepWant){ .flags = LK_STEP_FLAG_EXACT | LK_STEP_FLAG_NO_DEVICES };
  assert_layout (&want, offers, 2, "n0: 0 c1; n1: 1 c1");
  want.flags = LK_STEP_FLAG_EXACT | LK_STEP_FLAG_OVERLAP;
  assert_layout (&want, offers, 2, "n0: 0 c1 g1; n1: 1 c1 g2");
}

/* Whatever is asked for: each task is somewhere, nothing is given twice, nobody is left idle. */
static void
check_random (GRand *random)
{
  LkStepOffer *offers = nodes (1 + (guint32)g_rand_int_range (random, 0, 6), 1);
  guint32 count = 0;
  while (count < 6 && offers[count].name != NULL)
    count++;
  for (guint i = 0; i < count; i++) {
    offers[i].cpus = (guint32)g_rand_int_range (random, 1, 9);
    offers[i].cpus_free = (guint32)g_rand_int_range (random, 0, (gint)offers[i].cpus + 1);
  }
  LkStepWant want = { .tasks = (guint32)g_rand_int_range (random, 0, 20),
                      .node_min = (guint32)g_rand_int_range (random, 0, 4),
                      .cpus_per_task = (guint32)g_rand_int_range (random, 0, 3),
                      .tasks_per_node = (guint32)g_rand_int_range (random, 0, 4),
                      .distribution = (guint8)g_rand_int_range (random, 0, 6),
                      .plane_size = 1 + (guint32)g_rand_int_range (random, 0, 3),
                      .flags = (guint32)g_rand_int_range (random, 0, 8) };
  LkStepLayout layout;
  guint32 sum = 0;
  lk_step_layout_init (&layout);
  if (lk_step_layout_make (&layout, &want, offers, count) == LK_STEP_ERROR_NONE) {
    for (guint32 i = 0; i < layout.shares->len; i++) {
      const LkStepShare *share = &g_array_index (layout.shares, LkStepShare, i);
      sum += share->task_count;
      g_assert_cmpuint (share->task_count, >, 0);
      g_assert_cmpuint (share->cpus, >, 0);
      g_assert_cmpuint (share->cpus, <=,
                        (want.flags & LK_STEP_FLAG_OVERLAP) != 0 ? offers[share->offer].cpus
                                                                 : offers[share->offer].cpus_free);
      if (want.tasks_per_node > 0)
        g_assert_cmpuint (share->task_count, <=, want.tasks_per_node);
    }
    g_assert_cmpuint (sum, ==, layout.tasks);
    g_assert_cmpuint (layout.share_of->len, ==, layout.tasks);
    if (want.tasks > 0)
      g_assert_cmpuint (sum, ==, want.tasks);
  }
  lk_step_layout_clear (&layout);
}

static void
test_random (void)
{
  GRand *random = g_rand_new_with_seed (7);
  for (guint i = 0; i < 20000; i++)
    check_random (random);
  g_rand_free (random);
}

/* Nodes that are listed are the step's, whatever it has of tasks. */
static void
test_fewer_tasks (void)
{
  for (guint8 distribution = 0; distribution < LK_STEP_DISTRIBUTION_COUNT; distribution++) {
    LkStepLayout layout;
    LkStepWant want = {
      .tasks = 1, .nodelist = list ("n0,n1,n2"), .plane_size = 2, .distribution = distribution
    };
    lk_step_layout_init (&layout);
    LkStepError error = lk_step_layout_make (&layout, &want, nodes (3, 4), 3);
    g_assert_cmpuint (error, ==, LK_STEP_ERROR_NONE);
    g_assert_cmpuint (layout.tasks, ==, 1);
    lk_step_layout_clear (&layout);
  }
}

/* Ranges at equal distances are written once, whatever the distribution. */
static void
test_task_lists (void)
{
  static const struct {
    LkStepDistribution distribution;
    guint32 tasks;
    guint32 plane_size;
    const char *expected;
  } rows[] = {
    { LK_STEP_DISTRIBUTION_CYCLIC, 8, 0, "n0: 0,2,4,6 c8; n1: 1,3,5,7 c8" },
    { LK_STEP_DISTRIBUTION_CYCLIC, 11, 0, "n0: 0+2*6 c8; n1: 1+2*5 c8" },
    { LK_STEP_DISTRIBUTION_PLANE, 24, 2, "n0: 0-1+4*6 c8; n1: 2-3+4*6 c8" },
    { LK_STEP_DISTRIBUTION_PLANE, 27, 2, "n0: 0-1+4*7 c8; n1: 2-3+4*6,26 c8" },
    { LK_STEP_DISTRIBUTION_BLOCK, 24, 0, "n0: 0-11 c8; n1: 12-23 c8" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    LkStepWant want = { .node_min = 2,
                        .tasks = rows[i].tasks,
                        .distribution = (guint8)rows[i].distribution,
                        .plane_size = rows[i].plane_size,
                        .flags = LK_STEP_FLAG_OVERCOMMIT };
    assert_layout (&want, nodes (2, 8), 2, rows[i].expected);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step_layout/distributes as the manual says", test_manual);
  g_test_add_func ("/step_layout/distributes planes", test_plane);
  g_test_add_func ("/step_layout/distributes as the list says", test_arbitrary);
  g_test_add_func ("/step_layout/distributes over nodes that differ", test_unlike);
  g_test_add_func ("/step_layout/counts nodes and tasks", test_counts);
  g_test_add_func ("/step_layout/keeps to named nodes", test_nodelist);
  g_test_add_func ("/step_layout/gives only what is asked for", test_exact);
  g_test_add_func ("/step_layout/gives memory", test_memory);
  g_test_add_func ("/step_layout/gives GPUs", test_gpus);
  g_test_add_func ("/step_layout/gives all GPUs to who asks for none", test_gpus_of_job);
  g_test_add_func ("/step_layout/gives nothing twice", test_random);
  g_test_add_func ("/step_layout/tasks at equal distances are written once", test_task_lists);
  g_test_add_func ("/step_layout/a step with fewer tasks than nodes has no others",
                   test_fewer_tasks);
  return g_test_run ();
}
