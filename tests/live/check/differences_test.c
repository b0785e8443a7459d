/* tests/live/check/differences_test.c — texts taken apart, compared, and told in words. */
#include "live/check/differences.h"

#include <string.h>

#include "live/check/things.h"
#include "live/check/words.h"

static GPtrArray *
things_of (const char *cluster, const char *accounts, const char *order)
{
  GPtrArray *things = lk_things_new ();
  lk_things_add_cluster (things, cluster, strlen (cluster));
  lk_things_add_accounts (things, accounts, strlen (accounts));
  lk_things_add_policy (things, "order", order);
  return things;
}

/* All differences in words, one a line. */
static void
words_are (GPtrArray *before, GPtrArray *after, const char *expected)
{
  g_autoptr (GString) all = g_string_new (NULL);
  g_autoptr (GPtrArray) found = lk_differences_find (before, after);
  for (guint i = 0; i < found->len; i++) {
    g_autofree char *words = lk_difference_words (g_ptr_array_index (found, i));
    g_string_append_printf (all, "%s\n", words);
  }
  g_assert_cmpstr (all->str, ==, expected);
  g_ptr_array_unref (before);
  g_ptr_array_unref (after);
}

static void
test_same (void)
{
  /* Grouped in another way. */
  words_are (things_of ("nodes n[1-3] cpus=4\n", "", "fifo"),
             things_of ("nodes n1 cpus=4\nnodes n[2-3] cpus=4\n", "", "fifo"), "");
}

static void
test_nodes (void)
{
  words_are (things_of ("cluster c consume=core\nnodes n[1-3] cpus=4 memory_bytes=1048576 flags=0\n"
                        "gres gpu type=\"\" count=2\nnodes m1 cpus=1\n",
                        "", ""),
             things_of ("cluster c consume=cpu\nnodes n[1-2] cpus=8 memory_bytes=2097152 flags=3\n"
                        "gres gpu type=\"\" count=4\nnodes n[3-5] cpus=4 memory_bytes=1048576 "
                        "flags=0\ngres gpu type=\"\" count=2\n",
                        "", ""),
             "cluster: SelectTypeParameters changes from core to cpu\n"
             "nodes n[1-2]: CPUs changes from 4 to 8\n"
             "nodes n[1-2]: RealMemory changes from 1 MiB to 2 MiB\n"
             "nodes n[1-2]: State changes from up to DOWN+DRAIN\n"
             "nodes n[1-2]: Gres gpu changes from 2 to 4\n"
             "node m1 goes\n"
             "nodes n[4-5] come\n");
}

static void
test_partitions (void)
{
  words_are (things_of ("partition a time_max_us=3600000000 is_default=1 nodes_max=4294967295\n"
                        "license l count=1\n",
                        "", ""),
             things_of ("partition a time_max_us=9223372036854775807 is_default=0 nodes_max=4 "
                        "qos=\"a b\"\npartition b time_max_us=1\n",
                        "", ""),
             "partition a: MaxTime changes from 01:00:00 to UNLIMITED\n"
             "partition a: Default changes from yes to no\n"
             "partition a: MaxNodes changes from UNLIMITED to 4\n"
             "partition a: QOS changes from nothing to a b\n"
             "licence l goes\n"
             "partition b comes\n");
}

static void
test_accounts (void)
{
  words_are (things_of ("",
                        "accounts c half_life_us=86400000000\n"
                        "qos normal limits=\"MaxWall=60,GrpTRES:cpu=8\" priority=1\n"
                        "association physics user=\"\" partition=\"\" shares=1 usage=5\n"
                        "association physics user=ada partition=\"\" shares=1\n",
                        ""),
             things_of ("",
                        "accounts c half_life_us=0\n"
                        "qos normal limits=\"GrpTRES:cpu=16\" priority=1\n"
                        "association physics user=\"\" partition=\"\" shares=2 usage=7\n"
                        "association physics user=bob partition=\"\" shares=1\n",
                        ""),
             "accounts: PriorityDecayHalfLife changes from 1-00:00:00 to 0 s\n"
             "QOS normal: MaxWall changes from 60 to nothing\n"
             "QOS normal: GrpTRES:cpu changes from 8 to 16\n"
             "account physics: Fairshare changes from 1 to 2\n"
             "account physics user ada goes\n"
             "account physics user bob comes\n");
}

static void
test_policies (void)
{
  words_are (things_of ("", "", "multifactor:weight_age=1,weight_tres=\"cpu=1,mem=2\",flags=a"),
             things_of ("", "", "multifactor:weight_age=2,weight_tres=\"cpu=1,mem=3\",flags=a"),
             "order: weight_age changes from 1 to 2\n"
             "order: weight_tres changes from \"cpu=1,mem=2\" to \"cpu=1,mem=3\"\n");
  words_are (things_of ("", "", "multifactor:weight_age=1"), things_of ("", "", "fifo"),
             "order: policy changes from multifactor to fifo\n");
  words_are (things_of ("", "", "easy:order=sjf(a=1,b=2),c=3"),
             things_of ("", "", "easy:order=sjf(a=1,b=4),c=3"),
             "order: order changes from sjf(a=1,b=2) to sjf(a=1,b=4)\n");
}

/* Keys are compared only where both have some. */
static void
test_keys (void)
{
  GPtrArray *before = things_of ("", "", "fifo");
  GPtrArray *after = things_of ("", "", "fifo");
  lk_thing_add_member (lk_things_add (after, "key", "Prolog"), "value", "/p");
  words_are (g_ptr_array_ref (before), g_ptr_array_ref (after), "");
  lk_thing_add_member (lk_things_add (before, "key", "Prolog"), "value", "");
  words_are (before, after, "key Prolog changes from nothing to /p\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/differences/groups of nodes are no part of a configuration", test_same);
  g_test_add_func ("/differences/nodes that change alike are one", test_nodes);
  g_test_add_func ("/differences/values have the units of slurm.conf", test_partitions);
  g_test_add_func ("/differences/limits stand alone, and use does not count", test_accounts);
  g_test_add_func ("/differences/policies differ by their parameters", test_policies);
  g_test_add_func ("/differences/keys are compared where both have them", test_keys);
  return g_test_run ();
}
