/* policies/registry.c — see registry.h.
 *
 * Entries stay in the order in which they came, which is the order of the listing; a name is
 * unique within its seam. Every vtable is checked and copied once when it comes in, so that all
 * later code may read every slot of it. */
#include "policies/registry.h"

#include <string.h>

#include "engine/assert.h"
#include "policies/builtin.h"
#include "policies/plugin.h"
#include "engine/suggest.h"
#include "policies/vtable.h"

#define BUILTIN_ID "built-in " LK_ENGINE_VERSION

typedef struct {
  LkVtable vtable;
  char *build_id;
  char *source;
} Entry;

struct _LkRegistry {
  GPtrArray *entries;  /* Entry */
  GPtrArray *policies; /* &entry->vtable.base, in the same order */
};

GQuark
lk_registry_error_quark (void)
{
  return g_quark_from_static_string ("lk-registry-error-quark");
}

static const char *const seam_names[] = {
  NULL, "order", "backfill", "select", "limits", "preempt"
};

const char *
lk_seam_name (guint32 seam)
{
  return seam < G_N_ELEMENTS (seam_names) ? seam_names[seam] : NULL;
}

guint32
lk_seam_from_name (const char *name)
{
  for (guint32 seam = 1; seam < G_N_ELEMENTS (seam_names); seam++) {
    if (strcmp (name, seam_names[seam]) == 0)
      return seam;
  }
  return 0;
}

static void
entry_free (gpointer data)
{
  Entry *entry = data;
  g_free (entry->build_id);
  g_free (entry->source);
  g_free (entry);
}

LkRegistry *
lk_registry_new (void)
{
  LkRegistry *self = g_new0 (LkRegistry, 1);
  self->entries = g_ptr_array_new_with_free_func (entry_free);
  self->policies = g_ptr_array_new ();
  for (guint i = 0; lk_builtin_policies[i] != NULL; i++) {
    g_autoptr (GError) error = NULL;
    const LkPolicy *added =
        lk_registry_add (self, lk_builtin_policies[i], BUILTIN_ID, "built-in", &error);
    if (added == NULL)
      g_printerr ("built-in policy %u: %s\n", i, error->message);
    LK_ASSERT (added != NULL);
  }
  return self;
}

void
lk_registry_free (LkRegistry *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->policies);
  g_ptr_array_unref (self->entries);
  g_free (self);
}

static Entry *
find_entry (const LkRegistry *self, guint32 seam, const char *name)
{
  for (guint i = 0; i < self->entries->len; i++) {
    Entry *entry = g_ptr_array_index (self->entries, i);
    if (entry->vtable.base.seam == seam && strcmp (entry->vtable.base.name, name) == 0)
      return entry;
  }
  return NULL;
}

const LkPolicy *
lk_registry_add (LkRegistry *self, const LkPolicy *policy, const char *build_id, const char *source,
                 GError **error)
{
  LkVtable copy;
  if (!lk_vtable_copy (policy, &copy, error))
    return NULL;
  const Entry *other = find_entry (self, copy.base.seam, copy.base.name);
  if (other != NULL) {
    g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PLUGIN,
                 "there is already a policy '%s' for seam '%s' (%s)", copy.base.name,
                 lk_seam_name (copy.base.seam), other->source);
    return NULL;
  }
  Entry *entry = g_new0 (Entry, 1);
  entry->vtable = copy;
  entry->build_id = g_strdup (build_id);
  entry->source = g_strdup (source);
  g_ptr_array_add (self->entries, entry);
  g_ptr_array_add (self->policies, &entry->vtable.base);
  return &entry->vtable.base;
}

const LkPolicy *
lk_registry_add_plugin (LkRegistry *self, const char *path, GError **error)
{
  g_autofree char *build_id = NULL;
  const LkPolicy *policy = lk_plugin_load (path, &build_id, error);
  const LkPolicy *added = NULL;
  if (policy != NULL)
    added = lk_registry_add (self, policy, build_id, path, error);
  if (added == NULL)
    g_prefix_error (error, "plugin '%s': ", path);
  return added;
}

const LkPolicy *const *
lk_registry_policies (const LkRegistry *self, guint *out_count)
{
  *out_count = self->policies->len;
  return (const LkPolicy *const *)self->policies->pdata;
}

/* The seam that does have a policy of this name, or 0. */
static guint32
seam_of_name (const LkRegistry *self, const char *name)
{
  for (guint32 seam = 1; seam < G_N_ELEMENTS (seam_names); seam++) {
    if (find_entry (self, seam, name) != NULL)
      return seam;
  }
  return 0;
}

const LkPolicy *
lk_registry_find (const LkRegistry *self, guint32 seam, const char *name, GError **error)
{
  LK_ASSERT (lk_seam_name (seam) != NULL);
  const Entry *entry = find_entry (self, seam, name);
  if (entry != NULL)
    return &entry->vtable.base;
  guint32 other_seam = seam_of_name (self, name);
  if (other_seam != 0) {
    g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_NAME,
                 "%s '%s': no such policy; '%s' is a policy for seam '%s'", lk_seam_name (seam),
                 name, name, lk_seam_name (other_seam));
    return NULL;
  }
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < self->policies->len; i++) {
    const LkPolicy *policy = g_ptr_array_index (self->policies, i);
    if (policy->seam == seam)
      g_ptr_array_add (names, (gpointer)policy->name);
  }
  g_ptr_array_add (names, NULL);
  g_autofree char *phrase = lk_suggest_phrase (name, (const char *const *)names->pdata);
  g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_NAME, "%s '%s': no such policy%s",
               lk_seam_name (seam), name, phrase);
  return NULL;
}

static const Entry *
entry_of (const LkRegistry *self, const LkPolicy *policy)
{
  const Entry *entry = find_entry (self, policy->seam, policy->name);
  LK_ASSERT (entry != NULL);
  return entry;
}

const char *
lk_registry_build_id (const LkRegistry *self, const LkPolicy *policy)
{
  return entry_of (self, policy)->build_id;
}

const char *
lk_registry_source (const LkRegistry *self, const LkPolicy *policy)
{
  return entry_of (self, policy)->source;
}
