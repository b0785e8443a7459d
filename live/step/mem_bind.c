/* live/step/mem_bind.c — see the header. */
#include "live/step/mem_bind.h"

#include <string.h>

#include "live/step/bind_list.h"

/* As variables and errors call them. */
static const char *const kind_names[] = {
  [LK_MEM_BIND_UNSAID] = "",     [LK_MEM_BIND_NONE] = "none",    [LK_MEM_BIND_RANK] = "rank",
  [LK_MEM_BIND_LOCAL] = "local", [LK_MEM_BIND_MAP] = "map_mem:", [LK_MEM_BIND_MASK] = "mask_mem:",
};

/* As the line of a task does. */
static const char *const kind_marks[] = {
  [LK_MEM_BIND_UNSAID] = "NULL", [LK_MEM_BIND_NONE] = "NONE", [LK_MEM_BIND_RANK] = "RANK",
  [LK_MEM_BIND_LOCAL] = "LOC",   [LK_MEM_BIND_MAP] = "MAP",   [LK_MEM_BIND_MASK] = "MASK",
};

/* ---------------------------------------------------------------- words */

static gboolean
is_any (const char *word, const char *name, const char *other)
{
  return g_ascii_strcasecmp (word, name) == 0
         || (other != NULL && g_ascii_strcasecmp (word, other) == 0);
}

static void
kind_set (LkMemBind *self, LkMemBindKind kind)
{
  self->kind = kind;
  g_clear_pointer (&self->list, g_free);
}

/* What is a word of its own. FALSE: it is none of these. */
static gboolean
word_take (LkMemBind *self, const char *word)
{
  if (is_any (word, "help", NULL))
    self->wants_help = TRUE;
  else if (is_any (word, "verbose", "v") || is_any (word, "quiet", "q"))
    self->is_verbose = g_ascii_tolower (*word) == 'v';
  else if (is_any (word, "prefer", "p"))
    self->prefers = TRUE;
  else if (is_any (word, "sort", "nosort"))
    self->sorts = g_ascii_tolower (*word) == 's';
  else if (is_any (word, "none", "no"))
    kind_set (self, LK_MEM_BIND_NONE);
  else if (is_any (word, "rank", NULL))
    kind_set (self, LK_MEM_BIND_RANK);
  else if (is_any (word, "local", NULL))
    kind_set (self, LK_MEM_BIND_LOCAL);
  else
    return FALSE;
  return TRUE;
}

/* "0*2,1" as "0,0,1"; masks without their 0x. Returns: (transfer full). */
static char *
list_spread (const char *list, LkMemBindKind kind)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_auto (GStrv) words = g_strsplit (list, ",", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    char *star = strchr (words[i], '*');
    guint64 count = star != NULL ? g_ascii_strtoull (star + 1, NULL, 10) : 1;
    const char *word = words[i];
    if (star != NULL)
      *star = '\0';
    if (kind == LK_MEM_BIND_MASK && g_ascii_strncasecmp (word, "0x", 2) == 0)
      word += 2;
    for (guint64 j = 0; j < count; j++)
      g_string_append_printf (out, "%s%s", out->len > 0 ? "," : "", word);
  }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

static GPtrArray *
list_read (LkMemBindKind kind, const char *list)
{
  return lk_bind_list_read (list,
                            kind == LK_MEM_BIND_MAP ? lk_bind_number_read : lk_bind_mask_read);
}

/* "map_mem:0,1". NULL, or what is wrong. */
static char *
list_take (LkMemBind *self, const char *word)
{
  gboolean is_map = g_ascii_strncasecmp (word, "map_mem", strlen ("map_mem")) == 0;
  const char *name = is_map ? "map_mem" : "mask_mem";
  LkMemBindKind kind = is_map ? LK_MEM_BIND_MAP : LK_MEM_BIND_MASK;
  if (g_ascii_strncasecmp (word, name, strlen (name)) != 0
      || strchr (":", word[strlen (name)]) == NULL)
    return g_strdup_printf ("unrecognized --mem-bind argument \"%s\"", word);
  const char *list = word + strlen (name);
  list += *list == ':' ? 1 : 0;
  if (*list == '\0')
    return g_strdup_printf ("missing list for \"--mem-bind=%s:<list>\"", name);
  g_autoptr (GPtrArray) parsed = list_read (kind, list);
  if (parsed == NULL)
    return g_strdup_printf ("invalid list \"%s\" for \"--mem-bind=%s:<list>\": expected %s", list,
                            name,
                            is_map ? "numbers of NUMA nodes, such as 0,1 or 0*4,1*4"
                                   : "masks of NUMA nodes, such as 0x1,0x2 or 0x3*8");
  kind_set (self, kind);
  self->list = list_spread (list, kind);
  return NULL;
}

/* The end of the word that begins there: a comma before a digit is one of a list. */
static gsize
word_bytes (const char *text)
{
  gsize length = 0;
  while (text[length] != '\0' && (text[length] != ',' || g_ascii_isdigit (text[length + 1])))
    length++;
  return length;
}

char *
lk_mem_bind_read (const char *text, LkMemBind *out)
{
  *out = (LkMemBind){ .kind = LK_MEM_BIND_UNSAID };
  for (const char *at = text;; at++) {
    gsize length = word_bytes (at);
    g_autofree char *word = g_strndup (at, length);
    char *fault = word_take (out, word) ? NULL : list_take (out, word);
    if (fault != NULL) {
      lk_mem_bind_clear (out);
      return fault;
    }
    at += length;
    if (*at == '\0')
      return NULL;
  }
}

void
lk_mem_bind_clear (LkMemBind *self)
{
  g_free (self->list);
  *self = (LkMemBind){ .kind = LK_MEM_BIND_UNSAID };
}

const char *
lk_mem_bind_help (void)
{
  return "Memory bind options:\n"
         "    --mem-bind=         where the memory of each task comes from; words by commas\n"
         "        no[ne]          from anywhere\n"
         "        local           from the NUMA nodes of the CPUs that it may run on\n"
         "        rank            from the NUMA node of its number on the node\n"
         "        map_mem:<list>  from the NUMA node that the list says: 0,1 or 0*4,1*4\n"
         "        mask_mem:<list> from those whose bits the list sets: 0x1,0x2 or 0x3*8\n"
         "        p[refer]        from the first of them, and from others where that is full\n"
         "        sort, nosort    told to the task only: no pages are sorted\n"
         "        q[uiet]         tasks tell nothing\n"
         "        v[erbose]       each task tells how it is bound\n"
         "        help            this\n";
}

/* ---------------------------------------------------------------- variables */

static void
put (GPtrArray *out, const char *name, const char *value)
{
  g_ptr_array_add (out, g_strdup_printf ("SLURM_MEM_BIND%s=%s", name, value));
}

/* Tasks are told "quiet", and what they are told to sort by another variable only. */
static char *
whole_of (const LkMemBind *self, gboolean is_task)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  g_autofree char *kind =
      g_strconcat (kind_names[self->kind], self->list != NULL ? self->list : "", NULL);
  if (self->is_verbose || is_task)
    g_ptr_array_add (words, self->is_verbose ? "verbose" : "quiet");
  if (self->prefers)
    g_ptr_array_add (words, "prefer");
  if (self->sorts && !is_task)
    g_ptr_array_add (words, "sort");
  if (kind[0] != '\0')
    g_ptr_array_add (words, kind);
  g_ptr_array_add (words, NULL);
  return g_strjoinv (",", (char **)words->pdata);
}

void
lk_mem_bind_variables (const LkMemBind *self, gboolean is_task, GPtrArray *out)
{
  if (self->kind == LK_MEM_BIND_UNSAID && !self->is_verbose && !self->prefers && !self->sorts)
    return;
  g_autofree char *whole = whole_of (self, is_task);
  put (out, "", whole);
  put (out, "_LIST", self->list != NULL ? self->list : "");
  put (out, "_TYPE", kind_names[self->kind]);
  put (out, "_VERBOSE", self->is_verbose ? "verbose" : "quiet");
  if (self->prefers)
    put (out, "_PREFER", "prefer");
  if (self->sorts)
    put (out, "_SORT", "sort");
}

/* ---------------------------------------------------------------- nodes */

static gboolean
has_any (const GArray *numbers, const GArray *others)
{
  for (guint i = 0; i < numbers->len; i++)
    for (guint j = 0; j < others->len; j++)
      if (g_array_index (numbers, guint32, i) == g_array_index (others, guint32, j))
        return TRUE;
  return FALSE;
}

/* Of the CPUs that the task may run on. */
static GArray *
local_nodes (const LkMemBindRoom *room)
{
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 i = 0; i < room->ldoms->len; i++)
    if (has_any (g_ptr_array_index (room->ldoms, i), room->cpus))
      g_array_append_val (nodes, i);
  return nodes;
}

static GArray *
wanted_nodes (const LkMemBind *self, const LkMemBindRoom *room)
{
  guint32 number = room->index;
  if (self->kind == LK_MEM_BIND_LOCAL)
    return local_nodes (room);
  if (self->list != NULL) {
    g_autoptr (GPtrArray) list = list_read (self->kind, self->list);
    return g_array_ref (g_ptr_array_index (list, room->index % list->len));
  }
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  if (self->kind == LK_MEM_BIND_RANK)
    g_array_append_val (nodes, number);
  return nodes;
}

static char *
fault_of (const LkMemBind *self, const LkMemBindRoom *room, const GArray *nodes)
{
  if (self->kind == LK_MEM_BIND_LOCAL && nodes->len == 0)
    return g_strdup_printf ("NUMA nodes of local task %u are not known (--mem-bind=local)",
                            room->index);
  for (guint i = 0; i < nodes->len; i++)
    if (g_array_index (nodes, guint32, i) >= room->ldoms->len)
      return g_strdup_printf ("NUMA node %u does not exist; cannot bind local task %u to it "
                              "(--mem-bind=%.*s)",
                              g_array_index (nodes, guint32, i), room->index,
                              (int)strcspn (kind_names[self->kind], ":"), kind_names[self->kind]);
  if (self->kind == LK_MEM_BIND_UNSAID && self->prefers)
    return g_strdup_printf ("--mem-bind=prefer does not say which NUMA node local task %u is to "
                            "prefer; expected local, rank, map_mem: or mask_mem: behind it",
                            room->index);
  return NULL;
}

GArray *
lk_mem_bind_nodes (const LkMemBind *self, const LkMemBindRoom *room, char **out_fault)
{
  g_autoptr (GArray) nodes = wanted_nodes (self, room);
  char *fault = fault_of (self, room, nodes);
  if (fault == NULL)
    return g_steal_pointer (&nodes);
  *out_fault = fault;
  return NULL;
}

/* ---------------------------------------------------------------- what is told */

char *
lk_mem_bind_line (const LkMemBind *self, const LkMemBindTask *task, const GArray *nodes)
{
  g_autoptr (GString) mask = g_string_new (NULL);
  gboolean is_bound = self->kind != LK_MEM_BIND_UNSAID && self->kind != LK_MEM_BIND_NONE;
  lk_bind_mask_append (mask, nodes);
  return g_strdup_printf ("mem-bind%s%s - %s, task %2u %2u [%" G_GINT64_FORMAT "]: mask %s%s\n",
                          self->prefers && is_bound ? " PREFER " : "=", kind_marks[self->kind],
                          task->node, task->number, task->index, task->pid, mask->str,
                          is_bound ? " set" : "");
}
