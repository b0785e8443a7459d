/* live/step/task_memory.c — see the header.
 *
 * The two system calls are made as they are: glibc has no names for them, and libnuma would be a
 * library for two numbers.  Source: set_mempolicy(2), get_mempolicy(2). */
#include "live/step/task_memory.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* More NUMA nodes than Linux knows of (MAX_NUMNODES). */
#define NODES_MAX 1024u
#define LONG_BITS (8 * sizeof (unsigned long))

typedef struct {
  unsigned long bits[NODES_MAX / LONG_BITS];
} NodeSet;

G_NORETURN static void
fail (const char *fault)
{
  dprintf (2, "slurmstepd: error: %s\n", fault);
  _exit (1);
}

static GArray *
own_cpus (void)
{
  GArray *cpus = g_array_new (FALSE, FALSE, sizeof (guint32));
  cpu_set_t set;
  CPU_ZERO (&set);
  if (sched_getaffinity (0, sizeof set, &set) != 0)
    return cpus;
  for (guint32 i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET (i, &set))
      g_array_append_val (cpus, i);
  return cpus;
}

/* Which nodes the process may have memory of. */
static GArray *
allowed_nodes (void)
{
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  NodeSet set = { { 0 } };
  if (syscall (SYS_get_mempolicy, NULL, set.bits, NODES_MAX, NULL, MPOL_F_MEMS_ALLOWED) != 0)
    return nodes;
  for (guint32 i = 0; i < NODES_MAX; i++)
    if ((set.bits[i / LONG_BITS] & 1ul << i % LONG_BITS) != 0)
      g_array_append_val (nodes, i);
  return nodes;
}

/* FALSE: see errno. */
static gboolean
set_nodes (const GArray *nodes, gboolean prefers)
{
  NodeSet set = { { 0 } };
  for (guint i = 0; i < (prefers ? 1 : nodes->len); i++) {
    guint32 node = g_array_index (nodes, guint32, i);
    if (node < NODES_MAX)
      set.bits[node / LONG_BITS] |= 1ul << node % LONG_BITS;
  }
  /* The kernel does not look at the last bit of so many (get_nodes of its mempolicy.c). */
  return syscall (SYS_set_mempolicy, prefers ? MPOL_PREFERRED : MPOL_BIND, set.bits, NODES_MAX + 1)
         == 0;
}

/* Does any of it need the machine? */
static gboolean
is_asked (const LkMemBind *bind)
{
  return bind->kind != LK_MEM_BIND_UNSAID || bind->is_verbose || bind->prefers;
}

void
lk_task_memory_bind (const LkTasks *self, const LkTask *task)
{
  const LkMemBind *bind = &self->mem_bind;
  if (!is_asked (bind))
    return;
  g_autoptr (GArray) cpus = own_cpus ();
  const LkMemBindRoom room = { self->ldoms, cpus, task->index };
  g_autofree char *fault = NULL;
  g_autoptr (GArray) nodes = lk_mem_bind_nodes (bind, &room, &fault);
  if (nodes == NULL)
    fail (fault);
  if (nodes->len > 0 && !set_nodes (nodes, bind->prefers)) {
    g_autofree char *why = g_strdup_printf ("task %u cannot be bound to its memory: %s",
                                            task->number, g_strerror (errno));
    fail (why);
  }
  g_autoptr (GArray) told = nodes->len > 0 ? g_array_ref (nodes) : allowed_nodes ();
  const LkMemBindTask named = { self->step->node, task->number, task->index, getpid () };
  g_autofree char *line = lk_mem_bind_line (bind, &named, told);
  if (bind->is_verbose)
    dprintf (2, "%s", line);
}
