/* policies/vtable.c — see vtable.h.
 *
 * Reading order matters: abi and size stand first in every vtable of every version, so they are
 * looked at before any other byte is read; then nothing beyond `size` is touched. Pointers into
 * the plugin (texts, tables) cannot be checked for sanity, but every walk along one has a bound. */
#include "policies/vtable.h"

#include <math.h>
#include <string.h>

#include "policies/registry.h"
#include "policies/spec.h"

/* No vtable will ever be this large; a size beyond it is a field that was never set. */
#define SIZE_MAX_BYTES 4096u
#define VTABLE_TEXT_MAX_BYTES 1000u

static gboolean broken (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
broken (GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PLUGIN, text);
  return FALSE;
}

static gboolean
name_is_good (const char *name)
{
  gsize length = name == NULL ? 0 : strnlen (name, LK_POLICY_NAME_MAX + 1);
  if (length == 0 || length > LK_POLICY_NAME_MAX)
    return FALSE;
  for (gsize i = 0; i < length; i++) {
    if (!g_ascii_islower (name[i]) && !g_ascii_isdigit (name[i]) && name[i] != '_')
      return FALSE;
  }
  return TRUE;
}

static gboolean
text_is_good (const char *text)
{
  if (text == NULL || strnlen (text, VTABLE_TEXT_MAX_BYTES + 1) > VTABLE_TEXT_MAX_BYTES)
    return FALSE;
  return lk_text_is_printable (text);
}

/* Bytes that a vtable of this seam must have: up to its last required slot; of a select policy up
 * to `demand`, which older ones end with. 0 for an unknown seam. */
static guint32
required_bytes (guint32 seam)
{
  switch (seam) {
  case LK_SEAM_ORDER:
    return G_STRUCT_OFFSET (LkOrderPolicy, key) + sizeof (void *);
  case LK_SEAM_BACKFILL:
    return G_STRUCT_OFFSET (LkBackfillPolicy, pass) + sizeof (void *);
  case LK_SEAM_SELECT:
    return G_STRUCT_OFFSET (LkSelectPolicy, demand) + sizeof (void *);
  case LK_SEAM_LIMITS:
    return G_STRUCT_OFFSET (LkLimitsPolicy, check) + sizeof (void *);
  case LK_SEAM_PREEMPT:
    return G_STRUCT_OFFSET (LkPreemptPolicy, mode) + sizeof (void *);
  default:
    return 0;
  }
}

static guint32
host_bytes (guint32 seam)
{
  switch (seam) {
  case LK_SEAM_ORDER:
    return sizeof (LkOrderPolicy);
  case LK_SEAM_BACKFILL:
    return sizeof (LkBackfillPolicy);
  case LK_SEAM_SELECT:
    return sizeof (LkSelectPolicy);
  case LK_SEAM_LIMITS:
    return sizeof (LkLimitsPolicy);
  default:
    return sizeof (LkPreemptPolicy);
  }
}

static gboolean
check_slots (const LkVtable *vtable, GError **error)
{
  const LkPolicy *base = &vtable->base;
  if (base->create == NULL)
    return broken (error, "the required slot 'create' is NULL");
  if (base->destroy == NULL)
    return broken (error, "the required slot 'destroy' is NULL");
  if ((base->save == NULL) != (base->load == NULL))
    return broken (error, "only '%s' is there; 'save' and 'load' must both be there or both NULL",
                   base->save != NULL ? "save" : "load");
  if (base->seam == LK_SEAM_ORDER && vtable->order.key == NULL)
    return broken (error, "the required slot 'key' is NULL");
  if (base->seam == LK_SEAM_BACKFILL && vtable->backfill.pass == NULL)
    return broken (error, "the required slot 'pass' is NULL");
  if (base->seam == LK_SEAM_SELECT && vtable->select.demand == NULL
      && vtable->select.choose == NULL)
    return broken (error, "both 'demand' and 'choose' are NULL; one of the two is required");
  if (base->seam == LK_SEAM_LIMITS && vtable->limits.check == NULL)
    return broken (error, "the required slot 'check' is NULL");
  if (base->seam == LK_SEAM_PREEMPT && vtable->preempt.may_preempt != NULL
      && (vtable->preempt.settings == NULL || vtable->preempt.mode == NULL))
    return broken (error, "'may_preempt' is there; 'settings' and 'mode' must be there, too");
  return TRUE;
}

static gboolean
check_default (const LkParam *param, GError **error)
{
  if (param->default_value == NULL)
    return TRUE;
  if (!text_is_good (param->default_value))
    return broken (error, "parameter '%s': the default is not text of at most %u bytes",
                   param->name, VTABLE_TEXT_MAX_BYTES);
  LkParamValue value;
  g_autoptr (GError) reason = NULL;
  if (!lk_spec_value (param, param->default_value, &value, &reason))
    return broken (error, "%s (the default in its own table)", reason->message);
  return TRUE;
}

static gboolean
check_param (const LkPolicy *base, const LkParam *param, GError **error)
{
  if (!name_is_good (param->name))
    return broken (error, "a parameter's name breaks the rule [a-z0-9_]{1,%d}", LK_POLICY_NAME_MAX);
  for (const LkParam *other = base->params; other != param; other++) {
    if (strcmp (other->name, param->name) == 0)
      return broken (error, "parameter '%s' stands in the table twice", param->name);
    if (other->type == LK_PARAM_ORDER && param->type == LK_PARAM_ORDER)
      return broken (error, "parameters '%s' and '%s' are both orders; one is allowed", other->name,
                     param->name);
  }
  if (lk_param_type_name (param->type) == NULL)
    return broken (error, "parameter '%s': %u is no type", param->name, param->type);
  if (param->type == LK_PARAM_ORDER && base->seam != LK_SEAM_BACKFILL)
    return broken (error, "parameter '%s': only a backfill policy may have an order", param->name);
  if (!text_is_good (param->unit) || !text_is_good (param->help))
    return broken (error, "parameter '%s': unit and help must be text", param->name);
  if (isnan (param->minimum) || isnan (param->maximum) || param->minimum > param->maximum)
    return broken (error, "parameter '%s': its minimum is above its maximum", param->name);
  return check_default (param, error);
}

static gboolean
check_params (const LkPolicy *base, GError **error)
{
  if (base->params == NULL)
    return broken (error, "'params' is NULL; a policy without parameters has just the closing row");
  for (guint i = 0; base->params[i].name != NULL; i++) {
    if (i == LK_PARAM_MAX)
      return broken (error, "more than %u parameters, or a table without a closing row",
                     LK_PARAM_MAX);
    if (!check_param (base, &base->params[i], error))
      return FALSE;
  }
  return TRUE;
}

gboolean
lk_vtable_copy (const LkPolicy *policy, LkVtable *out_copy, GError **error)
{
  if (policy->abi != LK_POLICY_ABI)
    return broken (error, "it was made for policy ABI %u; this program has %u", policy->abi,
                   LK_POLICY_ABI);
  if (policy->size < sizeof (LkPolicy) || policy->size > SIZE_MAX_BYTES)
    return broken (error, "its vtable says that it has %u bytes", policy->size);
  guint32 required = required_bytes (policy->seam);
  if (required == 0)
    return broken (error, "seam %u is unknown", policy->seam);
  if (policy->size < required)
    return broken (error, "its vtable has %u bytes, but the required slots of seam '%s' need %u",
                   policy->size, lk_seam_name (policy->seam), required);
  LkVtable copy;
  memset (&copy, 0, sizeof copy);
  memcpy (&copy, policy, MIN (policy->size, host_bytes (policy->seam)));
  if (!name_is_good (copy.base.name))
    return broken (error, "its name breaks the rule [a-z0-9_]{1,%d}", LK_POLICY_NAME_MAX);
  if (!text_is_good (copy.base.summary))
    return broken (error, "its summary is not text of at most %u bytes", VTABLE_TEXT_MAX_BYTES);
  if (!check_slots (&copy, error) || !check_params (&copy.base, error))
    return FALSE;
  *out_copy = copy;
  return TRUE;
}
