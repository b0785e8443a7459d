/* live/check/differences.c — see the header. */
#include "live/check/differences.h"

#include <string.h>

#include "live/check/things.h"

typedef struct {
  GPtrArray *changes;
  GHashTable *of_nodes; /* text of a change of nodes to its LkDifference */
} Finder;

static void
change_free (gpointer data)
{
  LkDifference *self = data;
  g_free (self->thing);
  g_ptr_array_unref (self->names);
  g_free (self->member);
  g_free (self->before);
  g_free (self->after);
  g_free (self);
}

static LkDifference *
change_new (LkDifferenceKind kind, const LkThing *thing, const char *member, const char *before,
            const char *after)
{
  LkDifference *self = g_new0 (LkDifference, 1);
  self->kind = kind;
  self->thing = g_strdup (thing->kind);
  self->names = g_ptr_array_new_with_free_func (g_free);
  self->member = g_strdup (member);
  self->before = g_strdup (before);
  self->after = g_strdup (after);
  return self;
}

/* A line feed stands in none of these texts but values, which are last and differ in what is before
 * them. */
static char *
change_text (const LkDifference *self)
{
  return g_strdup_printf ("%d\n%s\n%" G_GSIZE_FORMAT "\n%s\n%s", (int)self->kind,
                          self->member != NULL ? self->member : "",
                          self->before != NULL ? strlen (self->before) + 1 : 0,
                          self->before != NULL ? self->before : "",
                          self->after != NULL ? self->after : "\n");
}

/* Takes the change. */
static void
change_add (Finder *self, LkDifference *change, const char *name)
{
  gboolean is_node = strcmp (change->thing, "node") == 0;
  g_autofree char *text = is_node ? change_text (change) : NULL;
  LkDifference *same = is_node ? g_hash_table_lookup (self->of_nodes, text) : NULL;
  if (same != NULL) {
    change_free (change);
    g_ptr_array_add (same->names, g_strdup (name));
    return;
  }
  g_ptr_array_add (change->names, g_strdup (name));
  g_ptr_array_add (self->changes, change);
  if (is_node)
    g_hash_table_insert (self->of_nodes, g_steal_pointer (&text), change);
}

/* ---------------------------------------------------------------- one thing */

static gboolean
is_compared (const LkThing *thing, const char *member)
{
  return strcmp (thing->kind, "association") != 0 || !g_str_has_prefix (member, "usage");
}

static void
member_compare (Finder *self, const LkThing *thing, const char *member, const char *before,
                const char *after)
{
  if (is_compared (thing, member) && g_strcmp0 (before, after) != 0)
    change_add (self, change_new (LK_DIFFERENCE_MEMBER, thing, member, before, after), thing->name);
}

static void
members_compare (Finder *self, const LkThing *before, const LkThing *after)
{
  for (guint i = 0; i < before->members->len; i++) {
    const LkMemberText *member = g_ptr_array_index (before->members, i);
    member_compare (self, before, member->name, member->value,
                    lk_thing_value (after, member->name));
  }
  for (guint i = 0; i < after->members->len; i++) {
    const LkMemberText *member = g_ptr_array_index (after->members, i);
    if (lk_thing_value (before, member->name) == NULL)
      member_compare (self, before, member->name, NULL, member->value);
  }
}

/* Another policy has parameters of its own: that it is another is all. */
static void
policies_compare (Finder *self, const LkThing *before, const LkThing *after)
{
  const char *was = lk_thing_value (before, "policy");
  const char *is = lk_thing_value (after, "policy");
  if (g_strcmp0 (was, is) != 0)
    member_compare (self, before, "policy", was, is);
  else
    members_compare (self, before, after);
}

static void
things_compare (Finder *self, const LkThing *before, const LkThing *after)
{
  if (strcmp (before->kind, "policy") == 0)
    policies_compare (self, before, after);
  else
    members_compare (self, before, after);
}

/* ---------------------------------------------------------------- all things */

/* Of the one thing of its kind its name is a member like others. */
static gboolean
is_single (const LkThing *thing)
{
  return strcmp (thing->kind, "cluster") == 0 || strcmp (thing->kind, "accounts") == 0;
}

static char *
thing_key (const LkThing *thing)
{
  return g_strdup_printf ("%s\n%s", thing->kind, is_single (thing) ? "" : thing->name);
}

/* Returns: (transfer full); LkThing by its key. */
static GHashTable *
things_index (const GPtrArray *things)
{
  GHashTable *index = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < things->len; i++)
    g_hash_table_insert (index, thing_key (g_ptr_array_index (things, i)),
                         g_ptr_array_index (things, i));
  return index;
}

static gboolean
has_keys (const GPtrArray *things)
{
  for (guint i = things->len; i > 0; i--)
    if (strcmp (((const LkThing *)g_ptr_array_index (things, i - 1))->kind, "key") == 0)
      return TRUE;
  return FALSE;
}

GPtrArray *
lk_differences_find (const GPtrArray *before, const GPtrArray *after)
{
  Finder self = { .changes = g_ptr_array_new_with_free_func (change_free),
                  .of_nodes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  g_autoptr (GHashTable) old = things_index (before);
  g_autoptr (GHashTable) new = things_index (after);
  gboolean compares_keys = has_keys (before) && has_keys (after);
  for (guint i = 0; i < before->len; i++) {
    const LkThing *thing = g_ptr_array_index (before, i);
    g_autofree char *key = thing_key (thing);
    const LkThing *other = g_hash_table_lookup (new, key);
    if (!compares_keys && strcmp (thing->kind, "key") == 0)
      continue;
    if (other == NULL)
      change_add (&self, change_new (LK_DIFFERENCE_GOES, thing, NULL, NULL, NULL), thing->name);
    else if (is_single (thing))
      member_compare (&self, thing, "name", thing->name, other->name);
    if (other != NULL)
      things_compare (&self, thing, other);
  }
  for (guint i = 0; i < after->len; i++) {
    const LkThing *thing = g_ptr_array_index (after, i);
    g_autofree char *key = thing_key (thing);
    if (!compares_keys && strcmp (thing->kind, "key") == 0)
      continue;
    if (!g_hash_table_contains (old, key))
      change_add (&self, change_new (LK_DIFFERENCE_COMES, thing, NULL, NULL, NULL), thing->name);
  }
  g_hash_table_unref (self.of_nodes);
  return self.changes;
}
