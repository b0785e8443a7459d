/* tests/step/mem_bind_test.c — what --mem-bind asks for, and what each task gets of it. */
#include <glib.h>
#include <string.h>

#include "live/step/mem_bind.h"

static char *
joined (GPtrArray *texts)
{
  g_ptr_array_add (texts, NULL);
  return g_strjoinv (" ", (char **)texts->pdata);
}

/* Variables as they were recorded with Slurm 22.05, but for those of a script, of which Slurm tells
 * fewer than its manual pages promise. */
static void
test_words (void)
{
#define TASK(whole, list, type, loud)                                                              \
  "SLURM_MEM_BIND=" whole " SLURM_MEM_BIND_LIST=" list " SLURM_MEM_BIND_TYPE=" type                \
  " SLURM_MEM_BIND_VERBOSE=" loud
  static const struct {
    const char *words;
    const char *task;
    const char *script; /* the first of its variables */
  } cases[] = {
    { "quiet", "", "" },
    { "nosort,q", "", "" },
    { "none", TASK ("quiet,none", "", "none", "quiet"), "none" },
    { "no", TASK ("quiet,none", "", "none", "quiet"), "none" },
    { "LOCAL", TASK ("quiet,local", "", "local", "quiet"), "local" },
    { "verbose", TASK ("verbose", "", "", "verbose"), "verbose" },
    { "rank,v", TASK ("verbose,rank", "", "rank", "verbose"), "verbose,rank" },
    { "v,local,rank", TASK ("verbose,rank", "", "rank", "verbose"), "verbose,rank" },
    { "v,q,local", TASK ("quiet,local", "", "local", "quiet"), "local" },
    { "map_mem:0,0x1,v", TASK ("verbose,map_mem:0,0x1", "0,0x1", "map_mem:", "verbose"),
      "verbose,map_mem:0,0x1" },
    { "map_mem:0*2,1", TASK ("quiet,map_mem:0,0,1", "0,0,1", "map_mem:", "quiet"),
      "map_mem:0,0,1" },
    { "mask_mem:0x1,3*2", TASK ("quiet,mask_mem:1,3,3", "1,3,3", "mask_mem:", "quiet"),
      "mask_mem:1,3,3" },
    { "map_mem:1,local", TASK ("quiet,local", "", "local", "quiet"), "local" },
    { "p,map_mem:0",
      TASK ("quiet,prefer,map_mem:0", "0", "map_mem:", "quiet") " SLURM_MEM_BIND_PREFER=prefer",
      "prefer,map_mem:0" },
    { "sort,local", TASK ("quiet,local", "", "local", "quiet") " SLURM_MEM_BIND_SORT=sort",
      "sort,local" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkMemBind bind;
    g_autoptr (GPtrArray) told = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GPtrArray) script = g_ptr_array_new_with_free_func (g_free);
    g_test_message ("%s", cases[i].words);
    g_assert_null (lk_mem_bind_read (cases[i].words, &bind));
    lk_mem_bind_variables (&bind, /* is_task= */ TRUE, told);
    g_autofree char *text = joined (told);
    g_assert_cmpstr (text, ==, cases[i].task);
    lk_mem_bind_variables (&bind, /* is_task= */ FALSE, script);
    g_autofree char *first = g_strconcat ("SLURM_MEM_BIND=", cases[i].script, NULL);
    g_assert_cmpint (script->len > 0, ==, cases[i].script[0] != '\0');
    if (script->len > 0)
      g_assert_cmpstr (g_ptr_array_index (script, 0), ==, first);
    lk_mem_bind_clear (&bind);
  }
}

static void
test_wrong (void)
{
  static const struct {
    const char *words;
    const char *fault; /* a part of it */
  } cases[] = {
    { "", "unrecognized --mem-bind argument \"\"" },
    { "local,", "unrecognized --mem-bind argument \"\"" },
    { "v,foo", "unrecognized --mem-bind argument \"foo\"" },
    { "map_memory:0", "unrecognized --mem-bind argument \"map_memory:0\"" },
    { "map_mem", "missing list for \"--mem-bind=map_mem:<list>\"" },
    { "mask_mem:,v", "missing list for \"--mem-bind=mask_mem:<list>\"" },
    { "map_mem:x", "invalid list \"x\" for \"--mem-bind=map_mem:<list>\": expected numbers" },
    { "map_mem:0*0", "invalid list \"0*0\"" },
    { "map_mem:0*x", "invalid list \"0*x\"" },
    { "mask_mem:g", "invalid list \"g\" for \"--mem-bind=mask_mem:<list>\": expected masks" },
    { "mask_mem:0x0", "invalid list \"0x0\"" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkMemBind bind;
    g_test_message ("%s", cases[i].words);
    g_autofree char *fault = lk_mem_bind_read (cases[i].words, &bind);
    g_assert_nonnull (fault);
    g_assert_nonnull (strstr (fault, cases[i].fault));
    g_assert_cmpint (bind.kind, ==, LK_MEM_BIND_UNSAID);
    g_assert_null (bind.list);
  }
  LkMemBind bind;
  g_assert_null (lk_mem_bind_read ("v,help", &bind));
  g_assert_true (bind.wants_help);
  g_assert_true (g_str_has_prefix (lk_mem_bind_help (), "Memory bind options:\n"));
}

/* Two NUMA nodes of two CPUs, and one of memory only. */
static GPtrArray *
machine (void)
{
  GPtrArray *ldoms = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  for (guint32 i = 0; i < 3; i++) {
    GArray *cpus = g_array_new (FALSE, FALSE, sizeof (guint32));
    for (guint32 cpu = 2 * i; i < 2 && cpu < 2 * i + 2; cpu++)
      g_array_append_val (cpus, cpu);
    g_ptr_array_add (ldoms, cpus);
  }
  return ldoms;
}

static GArray *
cpus_of (guint32 first, guint32 count)
{
  GArray *cpus = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 cpu = first; cpu < first + count; cpu++)
    g_array_append_val (cpus, cpu);
  return cpus;
}

static void
test_nodes (void)
{
  static const struct {
    const char *words;
    guint first_cpu;
    guint cpus;
    guint index;
    const char *line; /* what follows the process; NULL: a fault */
    const char *mark; /* what begins the line, or is in the fault */
  } cases[] = {
    { "local", 1, 1, 0, "mask 0x1 set", "mem-bind=LOC - n1, task  7  0 [" },
    { "local", 1, 2, 0, "mask 0x3 set", "mem-bind=LOC - n1" },
    { "p,local", 2, 2, 0, "mask 0x2 set", "mem-bind PREFER LOC - n1" },
    { "rank", 0, 4, 1, "mask 0x2 set", "mem-bind=RANK - n1, task  7  1 [" },
    { "map_mem:1,0", 0, 4, 3, "mask 0x1 set", "mem-bind=MAP - n1" },
    { "map_mem:2", 0, 4, 0, "mask 0x4 set", "mem-bind=MAP - n1" },
    { "mask_mem:6*2,1", 0, 4, 1, "mask 0x6 set", "mem-bind=MASK - n1" },
    { "mask_mem:6*2,1", 0, 4, 2, "mask 0x1 set", "mem-bind=MASK - n1" },
    { "none", 0, 4, 0, "mask 0x7", "mem-bind=NONE - n1" },
    { "v", 0, 4, 0, "mask 0x7", "mem-bind=NULL - n1" },
    { "rank", 0, 4, 3, NULL, "NUMA node 3 does not exist; cannot bind local task 3 to it" },
    { "map_mem:0,9", 0, 4, 1, NULL, "NUMA node 9 does not exist" },
    { "mask_mem:0x9", 0, 4, 0, NULL, "local task 0 to it (--mem-bind=mask_mem)" },
    { "local", 9, 1, 0, NULL, "NUMA nodes of local task 0 are not known" },
    { "prefer", 0, 4, 2, NULL, "does not say which NUMA node local task 2 is to prefer" },
  };
  g_autoptr (GPtrArray) ldoms = machine ();
  g_autoptr (GArray) all = cpus_of (0, 3);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkMemBind bind;
    g_autoptr (GArray) cpus = cpus_of (cases[i].first_cpu, cases[i].cpus);
    const LkMemBindRoom room = { ldoms, cpus, cases[i].index };
    const LkMemBindTask task = { "n1", 7, cases[i].index, 4711 };
    g_autofree char *fault = NULL;
    g_test_message ("%s of %u", cases[i].words, cases[i].index);
    g_assert_null (lk_mem_bind_read (cases[i].words, &bind));
    g_autoptr (GArray) nodes = lk_mem_bind_nodes (&bind, &room, &fault);
    g_assert_cmpint (nodes == NULL, ==, cases[i].line == NULL);
    g_assert_cmpint (fault != NULL, ==, cases[i].line == NULL);
    if (nodes == NULL) {
      g_assert_nonnull (strstr (fault, cases[i].mark));
    } else {
      g_autofree char *line = lk_mem_bind_line (&bind, &task, nodes->len > 0 ? nodes : all);
      g_autofree char *end = g_strdup_printf (" [4711]: %s\n", cases[i].line);
      g_assert_true (g_str_has_prefix (line, cases[i].mark));
      g_assert_true (g_str_has_suffix (line, end));
    }
    lk_mem_bind_clear (&bind);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mem_bind/words are told as Slurm tells them", test_words);
  g_test_add_func ("/mem_bind/what it is not is told", test_wrong);
  g_test_add_func ("/mem_bind/each task has the NUMA nodes that were asked for", test_nodes);
  return g_test_run ();
}
