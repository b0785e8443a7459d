/* live/client/queue/controller_order.c — see the header. */
#include "live/client/queue/controller_order.h"

#include <string.h>

#include "policies/registry.h"
#include "policies/spec.h"

static void
take (gpointer user, const LkRecord *record)
{
  GString *spec = user;
  LkText order = record->controller.order;
  g_string_assign (spec, "");
  g_string_append_len (spec, order.bytes, order.length_bytes);
}

/* As this program knows the policy of that name. */
static void
take_apart (LkControllerOrder *self, const char *arguments)
{
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  const LkPolicy *policy = lk_registry_find (registry, LK_SEAM_ORDER, self->name, NULL);
  self->has_parts = TRUE;
  if (policy == NULL)
    return;
  const LkOrderPolicy *order = (const LkOrderPolicy *)policy;
  self->has_parts = order->explain != NULL && strcmp (self->name, "basic") != 0;
  self->values = lk_spec_arguments (policy->params, arguments, NULL);
  if (self->values == NULL)
    return;
  self->names = g_new0 (char *, lk_param_count (policy->params) + 1);
  for (guint i = 0; i < lk_param_count (policy->params); i++)
    self->names[i] = g_strdup (policy->params[i].name);
}

gboolean
lk_controller_order_read (LkControllerOrder *self, const LkClient *client, GError **error)
{
  g_autoptr (GString) spec = g_string_new (NULL);
  g_autofree char *arguments = NULL;
  *self = (LkControllerOrder){ 0 };
  if (!lk_client_query (client, &(LkClientQuery){ .kind = LK_RECORD_CONTROLLER }, take, spec,
                        error))
    return FALSE;
  if (!lk_spec_split (spec->str, &self->name, &arguments, NULL))
    self->name = g_strdup (spec->str);
  take_apart (self, arguments != NULL ? arguments : "");
  return TRUE;
}

void
lk_controller_order_clear (LkControllerOrder *self)
{
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->names, g_strfreev);
  g_clear_pointer (&self->values, g_strfreev);
}

const char *
lk_controller_order_value (const LkControllerOrder *self, const char *name)
{
  for (guint i = 0; self->names != NULL && self->names[i] != NULL; i++)
    if (strcmp (self->names[i], name) == 0)
      return self->values[i];
  return "";
}
