/* traces/accounts_changes.c — see the header. */
#include "traces/accounts_changes.h"

#include <string.h>

#include "engine/accounts_change.h"

typedef struct {
  LkAccounts *now; /* as the events told so far have made it */
  const LkAccounts *to;
  LkAccountsTell tell;
  gpointer user;
  GString *record;
  GString *unset;
} Teller;

/* ---------------------------------------------------------------- members */

#define SAME_text(member) (strcmp (from->member, to->member) == 0)
#define SAME_u32(member) (from->member == to->member)
#define SAME_i64(member) (from->member == to->member)
#define SAME_s64(member) (from->member == to->member)
#define SAME_real(member) (from->member == to->member)
#define SAME_shares(member) (from->member == to->member)
#define SAME_qos_flags(member) (from->member == to->member)
/* The default moves to another association. */
#define SAME_flag(member) (from->member == to->member || !to->member)
#define SAME_limits(member) is_limited (from->member, to->member)
#define SAME_tres_values(member) (from->member->len == 0 || to->member->len > 0)

/* Are all limits of the second those of the first? */
static gboolean
is_limited (const GArray *from, const GArray *to)
{
  for (guint i = 0; i < to->len; i++) {
    const LkLimitItem *item = &g_array_index (to, LkLimitItem, i);
    guint64 value;
    if (!lk_limits_get (from, item->kind, item->tres, &value) || value != item->value)
      return FALSE;
  }
  return TRUE;
}

static guint32
changes_of_qos (const LkQosSpec *from, const LkQosSpec *to)
{
  guint32 changes = 0;
#define X(type, member, help) changes |= SAME_##type (member) ? 0 : 1u << LK_QOS_CHANGE_##member;
  LK_QOS_FIELDS (X)
#undef X
  return changes;
}

static guint32
changes_of_association (const LkAssociationSpec *from, const LkAssociationSpec *to)
{
  guint32 changes = 0;
#define X(type, member, help)                                                                      \
  changes |= SAME_##type (member) ? 0 : 1u << LK_ASSOCIATION_CHANGE_##member;
  LK_ASSOCIATION_FIELDS (X)
#undef X
  return changes;
}

/* Limits of the first that the second has not. */
static void
note_unset (Teller *self, const GArray *from, const GArray *to)
{
  g_string_truncate (self->unset, 0);
  for (guint i = 0; i < from->len; i++) {
    const LkLimitItem *item = &g_array_index (from, LkLimitItem, i);
    guint64 value;
    if (lk_limits_get (to, item->kind, item->tres, &value))
      continue;
    g_string_append_printf (self->unset, "%s%s", self->unset->len > 0 ? "," : "",
                            lk_limit_kind_name (item->kind));
    if (lk_limit_kind_value (item->kind) >= LK_LIMIT_TRES)
      g_string_append_printf (self->unset, ":%s",
                              (const char *)g_ptr_array_index (self->to->tres, item->tres));
  }
}

/* ---------------------------------------------------------------- telling */

static LkLongText
long_text (const GString *text)
{
  return (LkLongText){ text->str, (guint32)text->len };
}

static LkReject
tell_qos (Teller *self, LkAccountsOperation operation, const LkQosSpec *spec, guint32 changes)
{
  LkEvent event = { .kind = LK_EVENT_QOS };
  g_autofree char *name = g_strdup (spec->name);
  g_string_truncate (self->record, 0);
  if (operation != LK_ACCOUNTS_DELETE)
    lk_accounts_qos_text (self->to, spec, self->record);
  event.qos = (LkEvent_qos){ .operation = (guint8)operation,
                             .name = lk_text (name),
                             .changes = changes,
                             .record = long_text (self->record),
                             .unset = lk_text (self->unset->str) };
  LkReject reject = self->tell (self->user, &event);
  return reject != 0 ? reject : lk_accounts_change_qos (self->now, &event.qos);
}

static LkReject
tell_association (Teller *self, LkAccountsOperation operation, const LkAssociationSpec *spec,
                  guint32 changes)
{
  LkEvent event = { .kind = LK_EVENT_ASSOCIATION };
  g_autofree char *account = g_strdup (spec->account);
  g_autofree char *user = g_strdup (spec->user);
  g_autofree char *partition = g_strdup (spec->partition);
  g_string_truncate (self->record, 0);
  if (operation != LK_ACCOUNTS_DELETE)
    lk_accounts_association_text (self->to, spec, self->record);
  event.association = (LkEvent_association){ .operation = (guint8)operation,
                                             .account = lk_text (account),
                                             .user = lk_text (user),
                                             .partition = lk_text (partition),
                                             .changes = changes,
                                             .record = long_text (self->record),
                                             .unset = lk_text (self->unset->str) };
  LkReject reject = self->tell (self->user, &event);
  return reject != 0 ? reject : lk_accounts_change_association (self->now, &event.association);
}

/* Those that are gone, the first ones with all below them. */
static LkReject
tell_deleted (Teller *self)
{
  LkReject reject = 0;
  g_string_truncate (self->unset, 0);
  for (guint i = 0; i < self->now->associations->len && reject == 0; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (self->now->associations, i);
    if (lk_accounts_find (self->to, spec->account, spec->user, spec->partition) != NULL)
      continue;
    reject = tell_association (self, LK_ACCOUNTS_DELETE, spec, 0);
    i--; /* another one stands here now; the first, which is the root, never goes */
  }
  return reject;
}

/* When lists are what they are to be: one may have had nothing else before. */
static LkReject
tell_deleted_qos (Teller *self)
{
  LkReject reject = 0;
  g_string_truncate (self->unset, 0);
  for (guint i = self->now->qos->len; i-- > 0 && reject == 0;) {
    const LkQosSpec *spec = g_ptr_array_index (self->now->qos, i);
    if (lk_accounts_find_qos (self->to, spec->name) == NULL)
      reject = tell_qos (self, LK_ACCOUNTS_DELETE, spec, 0);
  }
  return reject;
}

static LkReject
tell_put_qos (Teller *self)
{
  LkReject reject = 0;
  for (guint i = 0; i < self->to->qos->len && reject == 0; i++) {
    const LkQosSpec *spec = g_ptr_array_index (self->to->qos, i);
    const LkQosSpec *from = lk_accounts_find_qos (self->now, spec->name);
    g_string_truncate (self->unset, 0);
    if (from == NULL) {
      reject = tell_qos (self, LK_ACCOUNTS_ADD, spec, 0);
      continue;
    }
    guint32 changes = changes_of_qos (from, spec);
    note_unset (self, from->limits, spec->limits);
    if (changes != 0 || self->unset->len > 0)
      reject = tell_qos (self, LK_ACCOUNTS_CHANGE, spec, changes);
  }
  return reject;
}

static LkReject
tell_put_associations (Teller *self)
{
  LkReject reject = 0;
  for (guint i = 0; i < self->to->associations->len && reject == 0; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (self->to->associations, i);
    const LkAssociationSpec *from =
        lk_accounts_find (self->now, spec->account, spec->user, spec->partition);
    g_string_truncate (self->unset, 0);
    if (from == NULL) {
      reject = tell_association (self, LK_ACCOUNTS_ADD, spec, 0);
      continue;
    }
    guint32 changes = changes_of_association (from, spec);
    note_unset (self, from->limits, spec->limits);
    if (changes != 0 || self->unset->len > 0)
      reject = tell_association (self, LK_ACCOUNTS_CHANGE, spec, changes);
  }
  return reject;
}

LkReject
lk_accounts_tell_changes (const LkAccounts *from, const LkAccounts *to, LkAccountsTell tell,
                          gpointer user)
{
  Teller self = { .now = lk_accounts_copy (from),
                  .to = to,
                  .tell = tell,
                  .user = user,
                  .record = g_string_new (NULL),
                  .unset = g_string_new (NULL) };
  LkReject reject = tell_deleted (&self);
  if (reject == 0)
    reject = tell_put_qos (&self);
  if (reject == 0)
    reject = tell_put_associations (&self);
  if (reject == 0)
    reject = tell_deleted_qos (&self);
  lk_accounts_free (self.now);
  g_string_free (self.record, TRUE);
  g_string_free (self.unset, TRUE);
  return reject;
}
