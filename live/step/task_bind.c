/* live/step/task_bind.c — see the header. */
#include "live/step/task_bind.h"

#include <string.h>

#include "live/step/bind_list.h"

/* ---------------------------------------------------------------- CPUs */

static guint
cpu_count (const LkBindRoom *room)
{
  guint count = 0;
  for (guint i = 0; i < room->cores->len; i++)
    count += ((const GArray *)g_ptr_array_index (room->cores, i))->len;
  return count;
}

/* All CPUs of the step, in the order of its cores. Returns: (transfer full). */
static GArray *
all_cpus (const LkBindRoom *room)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < room->cores->len; i++) {
    const GArray *core = g_ptr_array_index (room->cores, i);
    g_array_append_vals (all, core->data, core->len);
  }
  return all;
}

/* Each task in its turn takes whole cores until it has CPUs enough; behind the last core comes the
 * first. */
static void
take_cores (const LkBindRoom *room, GPtrArray *tasks)
{
  guint next = 0;
  for (guint i = 0; i < room->task_count; i++) {
    GArray *cpus = g_array_new (FALSE, FALSE, sizeof (guint32));
    for (guint j = 0; j < room->cores->len && cpus->len < MAX (room->cpus_per_task, 1); j++) {
      const GArray *core = g_ptr_array_index (room->cores, next++ % room->cores->len);
      g_array_append_vals (cpus, core->data, core->len);
    }
    g_ptr_array_add (tasks, cpus);
  }
}

static void
take_threads (const LkBindRoom *room, guint each, GPtrArray *tasks)
{
  g_autoptr (GArray) all = all_cpus (room);
  guint next = 0;
  for (guint i = 0; i < room->task_count; i++) {
    GArray *cpus = g_array_new (FALSE, FALSE, sizeof (guint32));
    for (guint j = 0; j < MIN (each, all->len); j++)
      g_array_append_val (cpus, g_array_index (all, guint32, next++ % all->len));
    g_ptr_array_add (tasks, cpus);
  }
}

static gboolean
has_cpu (const GArray *cpus, guint32 cpu)
{
  for (guint i = 0; i < cpus->len; i++)
    if (g_array_index (cpus, guint32, i) == cpu)
      return TRUE;
  return FALSE;
}

/* Of each domain what the step has of it, but for those that it has nothing of. Returns: (transfer
 * full). */
static GPtrArray *
parts_of (const GPtrArray *domains, const GArray *all)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  for (guint i = 0; domains != NULL && i < domains->len; i++) {
    const GArray *domain = g_ptr_array_index (domains, i);
    GArray *part = g_array_new (FALSE, FALSE, sizeof (guint32));
    for (guint j = 0; j < all->len; j++)
      if (has_cpu (domain, g_array_index (all, guint32, j)))
        g_array_append_val (part, g_array_index (all, guint32, j));
    if (part->len > 0)
      g_ptr_array_add (parts, part);
    else
      g_array_unref (part);
  }
  return parts;
}

/* Each task in its turn has a whole domain of the step's, and the next ones while it needs more
 * CPUs. FALSE: they are not known. */
static gboolean
take_domains (const GPtrArray *domains, const LkBindRoom *room, GPtrArray *tasks)
{
  g_autoptr (GArray) all = all_cpus (room);
  g_autoptr (GPtrArray) parts = parts_of (domains, all);
  for (guint i = 0; parts->len > 0 && i < room->task_count; i++) {
    GArray *cpus = g_array_new (FALSE, FALSE, sizeof (guint32));
    for (guint j = 0; j < parts->len && cpus->len < MAX (room->cpus_per_task, 1); j++) {
      const GArray *part = g_ptr_array_index (parts, (i + j) % parts->len);
      g_array_append_vals (cpus, part->data, part->len);
    }
    g_ptr_array_add (tasks, cpus);
  }
  return parts->len > 0;
}

/* The CPUs of the domains whose numbers stand at a place of the list. NULL: there is none such.
 * Returns: (transfer full). */
static GArray *
cpus_of_domains (const GPtrArray *domains, const GArray *numbers)
{
  g_autoptr (GArray) cpus = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < numbers->len; i++) {
    guint32 number = g_array_index (numbers, guint32, i);
    if (domains == NULL || number >= domains->len)
      return NULL;
    const GArray *domain = g_ptr_array_index (domains, number);
    g_array_append_vals (cpus, domain->data, domain->len);
  }
  return cpus->len > 0 ? g_steal_pointer (&cpus) : NULL;
}

/* Domains of the machine as map_ldom: and mask_ldom: number them, round and round. */
static gboolean
take_domain_list (GPtrArray *list, const LkBindRoom *room, GPtrArray *tasks)
{
  gboolean is_good = list != NULL;
  for (guint i = 0; is_good && i < room->task_count; i++) {
    GArray *cpus = cpus_of_domains (room->ldoms, g_ptr_array_index (list, i % list->len));
    is_good = cpus != NULL;
    if (is_good)
      g_ptr_array_add (tasks, cpus);
  }
  if (!is_good)
    g_ptr_array_set_size (tasks, 0);
  g_clear_pointer (&list, g_ptr_array_unref);
  return is_good;
}

/* As --cpu-bind names them, round and round. */
static gboolean
take_list (GPtrArray *list, const LkBindRoom *room, GPtrArray *tasks)
{
  if (list == NULL)
    return FALSE;
  for (guint i = 0; i < room->task_count; i++)
    g_ptr_array_add (tasks, g_array_ref (g_ptr_array_index (list, i % list->len)));
  g_ptr_array_unref (list);
  return TRUE;
}

/* Without a wish tasks are bound only where that is plain: there is just what they need. */
static gboolean
take_plain (const LkBindRoom *room, GPtrArray *tasks)
{
  guint wanted = room->task_count * MAX (room->cpus_per_task, 1);
  if (wanted == room->cores->len || wanted == cpu_count (room))
    take_cores (room, tasks);
  return tasks->len > 0;
}

/* What comes before the kind of binding is taken off. */
static const char *
take_words (const char *how, gboolean *out_is_verbose)
{
  static const struct {
    const char *name;
    gboolean is_verbose;
  } words[] = { { "quiet", FALSE }, { "q", FALSE }, { "verbose", TRUE }, { "v", TRUE } };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    gsize length = strlen (words[i].name);
    if (g_ascii_strncasecmp (how, words[i].name, length) == 0
        && (how[length] == ',' || how[length] == '\0')) {
      *out_is_verbose = words[i].is_verbose;
      return how + length + (how[length] == ',' ? 1 : 0);
    }
  }
  return how;
}

/* Behind all of them. */
static const char *
kind_of (const char *how, gboolean *out_is_verbose)
{
  const char *before;
  do {
    before = how;
    how = take_words (how, out_is_verbose);
  } while (how != before);
  return how;
}

static gboolean
is_word (const char *text, const char *word)
{
  return g_ascii_strcasecmp (text, word) == 0;
}

static gboolean
begins (const char *text, const char *word)
{
  return g_ascii_strncasecmp (text, word, strlen (word)) == 0;
}

gboolean
lk_bind_needs_sockets (const char *how)
{
  gboolean is_verbose;
  return is_word (kind_of (how, &is_verbose), "sockets");
}

gboolean
lk_bind_needs_ldoms (const char *how)
{
  gboolean is_verbose;
  const char *kind = kind_of (how, &is_verbose);
  return is_word (kind, "ldoms") || is_word (kind, "rank_ldom") || begins (kind, "map_ldom:")
         || begins (kind, "mask_ldom:");
}

/* What needs no more than the numbers that it has. FALSE: it is none of those. */
static gboolean
take_numbered (const char *how, const LkBindRoom *room, GPtrArray *tasks, gboolean *out_is_good)
{
  if (begins (how, "map_cpu:"))
    *out_is_good =
        take_list (lk_bind_list_read (how + strlen ("map_cpu:"), lk_bind_number_read), room, tasks);
  else if (begins (how, "mask_cpu:"))
    *out_is_good =
        take_list (lk_bind_list_read (how + strlen ("mask_cpu:"), lk_bind_mask_read), room, tasks);
  else if (begins (how, "map_ldom:"))
    *out_is_good = take_domain_list (
        lk_bind_list_read (how + strlen ("map_ldom:"), lk_bind_number_read), room, tasks);
  else if (begins (how, "mask_ldom:"))
    *out_is_good = take_domain_list (
        lk_bind_list_read (how + strlen ("mask_ldom:"), lk_bind_mask_read), room, tasks);
  else
    return FALSE;
  return TRUE;
}

/* By what the step has. FALSE: no such kind is known, or what it goes by. */
static gboolean
take_computed (const char *how, const LkBindRoom *room, GPtrArray *tasks)
{
  if (how[0] == '\0')
    take_plain (room, tasks);
  else if (is_word (how, "cores"))
    take_cores (room, tasks);
  else if (is_word (how, "threads"))
    take_threads (room, MAX (room->cpus_per_task, 1), tasks);
  else if (is_word (how, "rank"))
    take_threads (room, 1, tasks);
  else if (is_word (how, "sockets"))
    return take_domains (room->sockets, room, tasks);
  else if (is_word (how, "ldoms") || is_word (how, "rank_ldom"))
    return take_domains (room->ldoms, room, tasks);
  else
    return FALSE;
  return TRUE;
}

/* NULL, or what is wrong. */
static char *
take_kind (const char *how, const LkBindRoom *room, GPtrArray *tasks)
{
  gboolean is_good = TRUE;
  if (is_word (how, "none") || is_word (how, "no"))
    return NULL;
  if (!take_numbered (how, room, tasks, &is_good) && room->cores->len > 0)
    is_good = take_computed (how, room, tasks);
  return is_good ? NULL
                 : g_strdup_printf ("--cpu-bind=%s is not known on this node: tasks are not bound",
                                    how);
}

char *
lk_bind_cpus (const char *how, const LkBindRoom *room, LkBind *out_bind)
{
  g_autoptr (GPtrArray) tasks = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  g_autoptr (GString) list = g_string_new (NULL);
  *out_bind = (LkBind){ .type = "none" };
  how = kind_of (how, &out_bind->is_verbose);
  char *fault = take_kind (how, room, tasks);
  for (guint i = 0; i < tasks->len; i++)
    lk_bind_mask_append (list, g_ptr_array_index (tasks, i));
  out_bind->list = g_string_free (g_steal_pointer (&list), FALSE);
  if (tasks->len > 0) {
    out_bind->cpus = g_steal_pointer (&tasks);
    out_bind->type = "mask_cpu:";
  }
  return fault;
}

void
lk_bind_clear (LkBind *self)
{
  g_clear_pointer (&self->cpus, g_ptr_array_unref);
  g_clear_pointer (&self->list, g_free);
}
