/* live/client/names.c — see the header. */
#include "live/client/names.h"

#include <grp.h>
#include <pwd.h>

void
lk_names_init (LkNames *self)
{
  self->users = g_hash_table_new (NULL, NULL);
  self->groups = g_hash_table_new (NULL, NULL);
}

void
lk_names_clear (LkNames *self)
{
  g_clear_pointer (&self->users, g_hash_table_unref);
  g_clear_pointer (&self->groups, g_hash_table_unref);
}

static const char *
keep (GHashTable *table, guint32 id, const char *name)
{
  g_autofree char *number = g_strdup_printf ("%u", id);
  const char *known = g_intern_string (name != NULL ? name : number);
  g_hash_table_insert (table, GUINT_TO_POINTER (id), (gpointer)known);
  return known;
}

const char *
lk_names_user (LkNames *self, guint32 user_id)
{
  const char *known = g_hash_table_lookup (self->users, GUINT_TO_POINTER (user_id));
  if (known != NULL)
    return known;
  const struct passwd *entry = getpwuid (user_id);
  return keep (self->users, user_id, entry != NULL ? entry->pw_name : NULL);
}

const char *
lk_names_group (LkNames *self, guint32 group_id)
{
  const char *known = g_hash_table_lookup (self->groups, GUINT_TO_POINTER (group_id));
  if (known != NULL)
    return known;
  const struct group *entry = getgrgid (group_id);
  return keep (self->groups, group_id, entry != NULL ? entry->gr_name : NULL);
}
