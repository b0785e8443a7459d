/* live/port/run_share.c — see the header. */
#include "live/port/run_share.h"

#include <string.h>

#include "engine/hostlist.h"

/* More than any node has. */
#define NUMBERS_MAX 65536u

/* ---------------------------------------------------------------- lists */

char *
lk_number_list (const GArray *numbers)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < numbers->len; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? "," : "", g_array_index (numbers, guint32, i));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* NULL: there is none. */
static const char *
read_wide (const char *at, guint64 *out_number)
{
  char *end;
  if (!g_ascii_isdigit (*at))
    return NULL;
  *out_number = g_ascii_strtoull (at, &end, 10);
  return end;
}

static const char *
read_number (const char *at, guint *out_number)
{
  guint64 number;
  const char *end = read_wide (at, &number);
  if (end != NULL)
    *out_number = (guint)MIN (number, G_MAXUINT32);
  return end;
}

/* A range, and how often it comes again, each time so much later. */
typedef struct {
  guint first;
  guint last;
  guint stride;
  guint count;
} Ranges;

/* NULL: it is neither a number nor a range. */
static const char *
read_ranges (const char *at, Ranges *out)
{
  *out = (Ranges){ .count = 1 };
  at = read_number (at, &out->first);
  out->last = out->first;
  if (at != NULL && *at == '-')
    at = read_number (at + 1, &out->last);
  if (at == NULL || *at != '+')
    return at;
  at = read_number (at + 1, &out->stride);
  return at != NULL && *at == '*' ? read_number (at + 1, &out->count) : NULL;
}

static void
append_ranges (GArray *numbers, const Ranges *ranges)
{
  if (ranges->first > ranges->last)
    return;
  for (guint64 i = 0; i < ranges->count; i++)
    for (guint64 number = ranges->first; number <= ranges->last; number++) {
      guint64 later = number + i * ranges->stride;
      guint32 one = (guint32)later;
      if (numbers->len >= NUMBERS_MAX || later > G_MAXUINT32)
        return;
      g_array_append_val (numbers, one);
    }
}

GArray *
lk_number_ranges (const char *text)
{
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (guint32));
  Ranges ranges;
  const char *at = text;
  while ((at = read_ranges (at, &ranges)) != NULL) {
    append_ranges (numbers, &ranges);
    if (*at != ',')
      break;
    at++;
  }
  return numbers;
}

/* ---------------------------------------------------------------- nodes */

static GPtrArray *
names_of (const char *list, gsize length_bytes)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  lk_hostlist_expand (list, length_bytes, names, NULL);
  return names;
}

/* G_MAXUINT: it is none of them. */
static guint
index_of (const GPtrArray *names, const char *node)
{
  for (guint i = 0; i < names->len; i++)
    if (strcmp (g_ptr_array_index (names, i), node) == 0)
      return i;
  return G_MAXUINT;
}

/* Of NODES=WHAT;NODES=WHAT what is said of a node; "": nothing. Returns: (transfer full). */
static char *
said_of (LkLongText text, const char *node)
{
  g_autofree char *whole =
      text.length_bytes > 0 ? g_strndup (text.bytes, text.length_bytes) : g_strdup ("");
  g_auto (GStrv) parts = g_strsplit (whole, ";", -1);
  for (guint i = 0; parts[i] != NULL; i++) {
    const char *equals = strchr (parts[i], '=');
    if (equals == NULL)
      continue;
    g_autoptr (GPtrArray) names = names_of (parts[i], (gsize)(equals - parts[i]));
    if (index_of (names, node) != G_MAXUINT)
      return g_strdup (equals + 1);
  }
  return g_strdup ("");
}

/* ---------------------------------------------------------------- devices */

/* One of gpu:0-1, shard*460@3, nic*2. */
static void
take_device (LkRunShare *self, const char *text)
{
  const char *star = strchr (text, '*');
  if (g_str_has_prefix (text, "gpu:")) {
    g_array_unref (self->gpus);
    self->gpus = lk_number_ranges (text + strlen ("gpu:"));
    return;
  }
  const char *at = star != NULL ? strchr (star, '@') : NULL;
  guint shares;
  guint gpu;
  if (at == NULL || read_number (star + 1, &shares) != at || read_number (at + 1, &gpu) == NULL)
    return;
  g_free (self->share_name);
  self->share_name = g_strndup (text, (gsize)(star - text));
  self->shares = shares;
  self->share_gpu = gpu;
}

static void
take_devices (LkRunShare *self, const LkMessage_launch *launch, const char *node)
{
  g_autofree char *said = said_of (launch->gres, node);
  g_auto (GStrv) parts = g_strsplit (said, "|", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    take_device (self, parts[i]);
}

/* ---------------------------------------------------------------- CPUs */

/* 8(x2),4. Returns: (transfer full), of LkNodeRun. */
static GArray *
read_runs (LkLongText text)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (LkNodeRun));
  g_autofree char *whole =
      text.length_bytes > 0 ? g_strndup (text.bytes, text.length_bytes) : g_strdup ("");
  LkNodeRun run;
  for (const char *at = whole; (at = read_wide (at, &run.value)) != NULL; at++) {
    run.count = 1;
    if (g_str_has_prefix (at, "(x")) {
      at = read_wide (at + 2, &run.count);
      if (at == NULL || *at != ')')
        break;
      at++;
    }
    g_array_append_val (runs, run);
    if (*at != ',')
      break;
  }
  return runs;
}

static guint64
value_at (const GArray *runs, guint64 index, guint64 otherwise)
{
  for (guint i = 0; i < runs->len; i++) {
    const LkNodeRun *run = &g_array_index (runs, LkNodeRun, i);
    if (index < run->count)
      return run->value;
    index -= run->count;
  }
  return otherwise;
}

/* ---------------------------------------------------------------- all of it */

void
lk_run_share_init (LkRunShare *self, const LkMessage_launch *launch, const char *node)
{
  g_autoptr (GPtrArray) names = names_of (launch->nodes.bytes, launch->nodes.length_bytes);
  g_autofree char *cores = said_of (launch->cores, node);
  guint index = index_of (names, node);
  *self = (LkRunShare){ .node_index = index != G_MAXUINT ? index : 0,
                        .node_count = MAX (names->len, 1),
                        .cores = lk_number_ranges (cores),
                        .gpus = g_array_new (FALSE, FALSE, sizeof (guint32)),
                        .cpu_runs = read_runs (launch->cpus) };
  g_autoptr (GArray) memory = read_runs (launch->memory);
  take_devices (self, launch, node);
  self->cpus =
      (guint)MIN (value_at (self->cpu_runs, self->node_index, self->cores->len), G_MAXUINT32);
  self->memory_bytes = value_at (memory, self->node_index, 0);
}

void
lk_run_share_clear (LkRunShare *self)
{
  g_array_unref (self->cores);
  g_array_unref (self->gpus);
  g_array_unref (self->cpu_runs);
  g_free (self->share_name);
}

/* ---------------------------------------------------------------- tasks */

static guint
room_for (guint cpus, guint cpus_per_task, guint tasks_per_node)
{
  guint room = MAX (cpus / MAX (cpus_per_task, 1), 1);
  return tasks_per_node > 0 ? MIN (room, tasks_per_node) : room;
}

static void
append_run (GString *out, guint tasks, guint count)
{
  if (count == 0)
    return;
  g_string_append_printf (out, count > 1 ? "%s%u(x%u)" : "%s%u", out->len > 0 ? "," : "", tasks,
                          count);
}

/* First one task on each node, then the nodes are filled in their order; what is left over goes to
 * the last.  So Slurm lays out a job by blocks. */
static guint
tasks_of_node (guint room, guint nodes_left, guint *left)
{
  guint here = MIN (room, *left - MIN (*left, nodes_left - 1));
  if (nodes_left == 1)
    here = *left;
  *left -= MIN (here, *left);
  return here;
}

guint
lk_run_component_nodes (const LkRunComponent *component)
{
  g_autoptr (GPtrArray) names = names_of (component->nodes.bytes, component->nodes.length_bytes);
  return MAX (names->len, 1);
}

char *
lk_run_component_tasks (const LkRunComponent *component)
{
  g_autoptr (GArray) cpu_runs = read_runs (component->cpus);
  LkRunShare share = { .node_count = lk_run_component_nodes (component), .cpu_runs = cpu_runs };
  return lk_run_share_tasks (&share, component->tasks, component->cpus_per_task,
                             component->tasks_per_node);
}

char *
lk_run_share_tasks (const LkRunShare *self, guint tasks, guint cpus_per_task, guint tasks_per_node)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint left = tasks;
  guint nodes_left = self->node_count;
  guint last = 0;
  guint count = 0;
  for (guint i = 0; i < self->cpu_runs->len; i++) {
    const LkNodeRun *run = &g_array_index (self->cpu_runs, LkNodeRun, i);
    guint room = room_for ((guint)MIN (run->value, G_MAXUINT32), cpus_per_task, tasks_per_node);
    for (guint64 j = 0; j < run->count && nodes_left > 0; j++, nodes_left--) {
      guint here = tasks > 0 ? tasks_of_node (room, nodes_left, &left) : room;
      if (here != last)
        append_run (text, last, count);
      count = here != last ? 1 : count + 1;
      last = here;
    }
  }
  append_run (text, last, count);
  return g_string_free (g_steal_pointer (&text), FALSE);
}
