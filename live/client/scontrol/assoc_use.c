/* live/client/scontrol/assoc_use.c — see the header. */
#include "live/client/scontrol/assoc_use.h"

#include <string.h>

static void
use_free (gpointer data)
{
  LkAssocUse *use = data;
  g_free (use->name);
  g_free (use->tres);
  g_free (use->tres_run_s);
  g_free (use->tres_s);
  g_free (use);
}

/* "cpu=6,mem=3000". Returns: (transfer full). */
static guint64 *
values_of (const LkAccounts *accounts, LkLongText text)
{
  guint64 *values = g_new0 (guint64, MAX (accounts->tres->len, 1));
  g_autofree char *list = g_strndup (text.length_bytes > 0 ? text.bytes : "", text.length_bytes);
  g_auto (GStrv) words = g_strsplit (list, ",", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    char *equals = strchr (words[i], '=');
    if (equals == NULL)
      continue;
    *equals = '\0';
    guint32 tres = lk_accounts_find_tres (accounts, words[i]);
    if (tres != LK_INDEX_NONE)
      values[tres] = g_ascii_strtoull (equals + 1, NULL, 10);
  }
  return values;
}

static LkAssocUse *
use_new (const LkAssocUses *self, const LkRecord_use *told)
{
  LkAssocUse *use = g_new0 (LkAssocUse, 1);
  *use = (LkAssocUse){ .scope = (LkUseScope)told->scope,
                       .place = told->place,
                       .name = g_strndup (told->name.bytes, told->name.length_bytes),
                       .running = told->running,
                       .submitted = told->submitted,
                       .accruing = told->accruing,
                       .usage = told->usage,
                       .wall_s = told->wall_s,
                       .tres = values_of (self->accounts, told->tres),
                       .tres_run_s = values_of (self->accounts, told->tres_run_s),
                       .tres_s = values_of (self->accounts, told->tres_s) };
  return use;
}

/* Where it is found by its place; NULL: it is one within a QOS, or of nothing that there is. */
static LkAssocUse **
slot_of (const LkAssocUses *self, LkUseScope scope, guint32 place)
{
  if (scope == LK_USE_ASSOCIATION && place < self->accounts->associations->len)
    return &self->association[place];
  if (scope == LK_USE_QOS && place < self->accounts->qos->len)
    return &self->qos[place];
  return NULL;
}

static void
take (gpointer user, const LkRecord *record)
{
  LkAssocUses *self = user;
  LkAssocUse *use = use_new (self, &record->use);
  LkAssocUse **slot = slot_of (self, use->scope, use->place);
  g_ptr_array_add (self->all, use);
  if (slot != NULL)
    *slot = use;
}

static void
fill_up (LkAssocUses *self, LkUseScope scope, guint32 count)
{
  for (guint32 i = 0; i < count; i++) {
    LkAssocUse **slot = slot_of (self, scope, i);
    if (*slot != NULL)
      continue;
    *slot = use_new (self, &(LkRecord_use){ .scope = (guint8)scope, .place = i });
    g_ptr_array_add (self->all, *slot);
  }
}

gboolean
lk_assoc_uses_read (const LkClient *client, const LkAccounts *accounts, LkAssocUses *out_uses,
                    GError **error)
{
  const LkClientQuery query = { .kind = LK_RECORD_USE };
  *out_uses = (LkAssocUses){ .accounts = accounts,
                             .all = g_ptr_array_new_with_free_func (use_free),
                             .association = g_new0 (LkAssocUse *, accounts->associations->len),
                             .qos = g_new0 (LkAssocUse *, accounts->qos->len) };
  gboolean is_told = lk_client_query (client, &query, take, out_uses, error);
  fill_up (out_uses, LK_USE_ASSOCIATION, accounts->associations->len);
  fill_up (out_uses, LK_USE_QOS, accounts->qos->len);
  return is_told;
}

void
lk_assoc_uses_clear (LkAssocUses *self)
{
  g_clear_pointer (&self->all, g_ptr_array_unref);
  g_clear_pointer (&self->association, g_free);
  g_clear_pointer (&self->qos, g_free);
}
