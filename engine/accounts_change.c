/* engine/accounts_change.c — see the header. */
#include "engine/accounts_change.h"

#include <string.h>

#include "engine/assert.h"

#define BIT(kind, member) (1u << LK_##kind##_CHANGE_##member)
#define QOS_KEY BIT (QOS, name)
#define ASSOCIATION_KEY                                                                            \
  (BIT (ASSOCIATION, account) | BIT (ASSOCIATION, user) | BIT (ASSOCIATION, partition))
#define ASSOCIATION_USE                                                                            \
  (BIT (ASSOCIATION, usage) | BIT (ASSOCIATION, usage_wall_s) | BIT (ASSOCIATION, usage_tres))

/* ---------------------------------------------------------------- texts and lists */

static gboolean
is_text (LkText text, const char *string)
{
  return text.length_bytes == strlen (string)
         && (text.length_bytes == 0 || memcmp (text.bytes, string, text.length_bytes) == 0);
}

static char *
copy_text (LkText text)
{
  return g_strndup (text.length_bytes > 0 ? text.bytes : "", text.length_bytes);
}

static void
set_text (char **member, const char *text)
{
  char *copy = g_strdup (text);
  g_free (*member);
  *member = copy;
}

/* Cuts the next name off a list. Returns: (transfer full); NULL: there is none left. */
static char *
list_next (const char **at)
{
  if (**at == '\0')
    return NULL;
  gsize length_bytes = strcspn (*at, ",");
  char *name = g_strndup (*at, length_bytes);
  *at += length_bytes;
  *at += **at == ',' ? 1 : 0;
  return name;
}

/* Takes a name out of a list, whatever its sign. */
static void
list_drop (char **list, const char *name)
{
  g_autoptr (GString) rest = g_string_new (NULL);
  const char *at = *list;
  for (char *word = list_next (&at); word != NULL; word = list_next (&at)) {
    const char *bare = word + (*word == '+' || *word == '-' ? 1 : 0);
    if (strcmp (bare, name) != 0)
      g_string_append_printf (rest, "%s%s", rest->len > 0 ? "," : "", word);
    g_free (word);
  }
  set_text (list, rest->str);
}

/* ---------------------------------------------------------------- limits */

static void
limits_merge (GArray *limits, const GArray *given)
{
  for (guint i = 0; i < given->len; i++) {
    const LkLimitItem *item = &g_array_index (given, LkLimitItem, i);
    lk_limits_set (limits, item->kind, item->tres, TRUE, item->value);
  }
}

/* FALSE: one of them is none. */
static gboolean
limits_unset (const LkAccounts *accounts, GArray *limits, LkText unset)
{
  g_autofree char *text = copy_text (unset);
  const char *at = text;
  gboolean is_good = TRUE;
  for (char *name = list_next (&at); name != NULL; name = list_next (&at)) {
    LkLimitItem item;
    is_good = is_good && lk_accounts_limit_read (accounts, name, &item);
    if (is_good)
      lk_limits_set (limits, item.kind, item.tres, FALSE, 0);
    g_free (name);
  }
  return is_good;
}

/* ---------------------------------------------------------------- members */

#define TAKE_text(member) set_text (&to->member, from->member);
#define TAKE_u32(member) to->member = from->member;
#define TAKE_i64(member) to->member = from->member;
#define TAKE_s64(member) to->member = from->member;
#define TAKE_real(member) to->member = from->member;
#define TAKE_flag(member) to->member = from->member;
#define TAKE_shares(member) to->member = from->member;
#define TAKE_qos_flags(member) to->member = from->member;
#define TAKE_limits(member) limits_merge (to->member, from->member);
#define TAKE_tres_values(member) g_array_set_size (to->member, 0); /* only 0 can be set */

static void
take_qos (LkQosSpec *to, const LkQosSpec *from, guint32 changes)
{
#define X(type, member, help)                                                                      \
  if ((changes & BIT (QOS, member)) != 0) {                                                        \
    TAKE_##type (member)                                                                           \
  }
  LK_QOS_FIELDS (X)
#undef X
}

static void
take_association (LkAssociationSpec *to, const LkAssociationSpec *from, guint32 changes)
{
#define X(type, member, help)                                                                      \
  if ((changes & BIT (ASSOCIATION, member)) != 0) {                                                \
    TAKE_##type (member)                                                                           \
  }
  LK_ASSOCIATION_FIELDS (X)
#undef X
}

static LkReject
finish (LkAccounts *self)
{
  LkAccountsError error;
  return lk_accounts_check (self, &error) ? 0 : LK_REJECT_ACCOUNTS_BAD;
}

/* ---------------------------------------------------------------- QOS */

/* Does a list say which QOS there are, and not what differs from those above it? */
static gboolean
is_absolute (const char *list)
{
  const char *at = list;
  gboolean is_found = FALSE;
  for (char *word = list_next (&at); word != NULL; word = list_next (&at)) {
    is_found = is_found || (*word != '+' && *word != '-');
    g_free (word);
  }
  return is_found;
}

const LkAssociationSpec *
lk_accounts_qos_sole_user (const LkAccounts *self, const char *name)
{
  for (guint i = 0; i < self->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (self->associations, i);
    if (!is_absolute (spec->qos))
      continue;
    char *rest = g_strdup (spec->qos);
    list_drop (&rest, name);
    gboolean is_left = is_absolute (rest);
    g_free (rest);
    if (!is_left)
      return spec;
  }
  return NULL;
}

static void
delete_qos (LkAccounts *self, LkQosSpec *spec)
{
  for (guint i = 0; i < self->qos->len; i++) {
    LkQosSpec *other = g_ptr_array_index (self->qos, i);
    list_drop (&other->preempt, spec->name);
  }
  for (guint i = 0; i < self->associations->len; i++) {
    LkAssociationSpec *association = g_ptr_array_index (self->associations, i);
    if (*association->qos != '\0')
      list_drop (&association->qos, spec->name);
    if (strcmp (association->default_qos, spec->name) == 0)
      set_text (&association->default_qos, "");
  }
  g_ptr_array_remove (self->qos, spec);
}

/* The last of the array is what was read of the event. */
static LkReject
change_qos (LkAccounts *self, LkQosSpec *spec, const LkEvent_qos *event)
{
  const LkQosSpec *given = g_ptr_array_index (self->qos, self->qos->len - 1);
  take_qos (spec, given, event->changes);
  g_ptr_array_set_size (self->qos, (gint)self->qos->len - 1);
  return limits_unset (self, spec->limits, event->unset) ? 0 : LK_REJECT_ACCOUNTS_BAD;
}

LkReject
lk_accounts_change_qos (LkAccounts *self, const LkEvent_qos *event)
{
  g_autofree char *name = copy_text (event->name);
  LkQosSpec *spec = lk_accounts_find_qos (self, name);
  LkReject reject = 0;
  if (event->operation > LK_ACCOUNTS_DELETE)
    return LK_REJECT_REQUEST_INVALID;
  if ((spec != NULL) != (event->operation != LK_ACCOUNTS_ADD))
    return spec != NULL ? LK_REJECT_ACCOUNTS_EXISTS : LK_REJECT_ACCOUNTS_UNKNOWN;
  if (event->operation == LK_ACCOUNTS_DELETE) {
    if (lk_accounts_qos_sole_user (self, name) != NULL)
      return LK_REJECT_ACCOUNTS_IN_USE;
    delete_qos (self, spec);
    return finish (self);
  }
  const LkQosSpec *given =
      lk_accounts_qos_read (self, event->record.bytes, event->record.length_bytes);
  if (given == NULL || !is_text (event->name, given->name))
    return LK_REJECT_ACCOUNTS_BAD;
  if (event->operation == LK_ACCOUNTS_CHANGE
      && ((event->changes == 0 && event->unset.length_bytes == 0)
          || event->changes >> LK_QOS_CHANGE_COUNT != 0 || (event->changes & QOS_KEY) != 0))
    return LK_REJECT_PRESENT_INVALID;
  if (event->operation == LK_ACCOUNTS_CHANGE)
    reject = change_qos (self, spec, event);
  return reject != 0 ? reject : finish (self);
}

/* ---------------------------------------------------------------- associations */

/* The account of a user, or above an account; NULL: of the root. */
static const LkAssociationSpec *
parent_of (const LkAccounts *self, const LkAssociationSpec *spec)
{
  const char *name = *spec->user != '\0' ? spec->account : spec->parent;
  return *name != '\0' ? lk_accounts_find (self, name, "", "") : NULL;
}

/* Nobody coordinates what is not there. */
static void
tidy_coordinates (LkAccounts *self)
{
  for (guint i = 0; i < self->associations->len; i++) {
    LkAssociationSpec *spec = g_ptr_array_index (self->associations, i);
    g_autofree char *names = g_strdup (spec->coordinates);
    const char *at = names;
    for (char *name = list_next (&at); name != NULL; name = list_next (&at)) {
      if (lk_accounts_find (self, name, "", "") == NULL)
        list_drop (&spec->coordinates, name);
      g_free (name);
    }
  }
}

/* Parents come before their children.  While things are looked up in the array it stays as it
 * is. */
static void
delete_association (LkAccounts *self, LkAssociationSpec *spec)
{
  GPtrArray *specs = self->associations;
  g_autoptr (GHashTable) going = g_hash_table_new (g_direct_hash, g_direct_equal);
  g_autoptr (GPtrArray) gone = g_ptr_array_new ();
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();
  for (guint i = 0; i < specs->len; i++) {
    LkAssociationSpec *at = g_ptr_array_index (specs, i);
    const LkAssociationSpec *parent = parent_of (self, at);
    gboolean is_going = at == spec || (parent != NULL && g_hash_table_contains (going, parent));
    if (is_going)
      g_hash_table_add (going, at);
    g_ptr_array_add (is_going ? gone : kept, at);
  }
  /* Those that go stand at the end, where the array frees them. */
  for (guint i = 0; i < kept->len; i++)
    specs->pdata[i] = g_ptr_array_index (kept, i);
  for (guint i = 0; i < gone->len; i++)
    specs->pdata[kept->len + i] = g_ptr_array_index (gone, i);
  g_ptr_array_set_size (specs, (gint)kept->len);
  lk_accounts_reindex (self);
  tidy_coordinates (self);
}

/* No other account is the default one. */
static void
take_default (LkAccounts *self, const LkAssociationSpec *spec)
{
  for (guint i = 0; spec->is_default && i < self->associations->len; i++) {
    LkAssociationSpec *other = g_ptr_array_index (self->associations, i);
    if (strcmp (other->user, spec->user) == 0 && strcmp (other->account, spec->account) != 0)
      other->is_default = FALSE;
  }
}

gboolean
lk_accounts_forgets_use (const LkEvent_association *event)
{
  return event->operation == LK_ACCOUNTS_CHANGE && (event->changes & ASSOCIATION_USE) != 0;
}

/* The last of the array is what was read of the event. */
static LkReject
change_association (LkAccounts *self, LkAssociationSpec *spec, const LkEvent_association *event)
{
  const LkAssociationSpec *given =
      g_ptr_array_index (self->associations, self->associations->len - 1);
  gboolean has_use = given->usage != 0 || given->usage_wall_s != 0 || given->usage_tres->len > 0;
  gboolean forgets = lk_accounts_forgets_use (event);
  if (forgets && has_use)
    return LK_REJECT_ACCOUNTS_BAD;
  take_association (spec, given, event->changes | (forgets ? ASSOCIATION_USE : 0));
  g_ptr_array_set_size (self->associations, (gint)self->associations->len - 1);
  return limits_unset (self, spec->limits, event->unset) ? 0 : LK_REJECT_ACCOUNTS_BAD;
}

static gboolean
is_change_valid (const LkEvent_association *event)
{
  return (event->changes != 0 || event->unset.length_bytes > 0)
         && event->changes >> LK_ASSOCIATION_CHANGE_COUNT == 0
         && (event->changes & ASSOCIATION_KEY) == 0;
}

/* Adds or changes; `spec` is that which is there. */
static LkReject
put_association (LkAccounts *self, LkAssociationSpec *spec, const LkEvent_association *event)
{
  LkReject reject = 0;
  LkAssociationSpec *given =
      lk_accounts_association_read (self, event->record.bytes, event->record.length_bytes);
  if (given == NULL || !is_text (event->account, given->account)
      || !is_text (event->user, given->user) || !is_text (event->partition, given->partition))
    return LK_REJECT_ACCOUNTS_BAD;
  if (spec == NULL) {
    spec = given;
  } else {
    if (!is_change_valid (event))
      return LK_REJECT_PRESENT_INVALID;
    reject = change_association (self, spec, event);
  }
  if (reject != 0)
    return reject;
  take_default (self, spec);
  return finish (self);
}

LkReject
lk_accounts_change_association (LkAccounts *self, const LkEvent_association *event)
{
  g_autofree char *account = copy_text (event->account);
  g_autofree char *user = copy_text (event->user);
  g_autofree char *partition = copy_text (event->partition);
  LkAssociationSpec *spec = lk_accounts_find (self, account, user, partition);
  if (event->operation > LK_ACCOUNTS_DELETE)
    return LK_REJECT_REQUEST_INVALID;
  if ((spec != NULL) != (event->operation != LK_ACCOUNTS_ADD))
    return spec != NULL ? LK_REJECT_ACCOUNTS_EXISTS : LK_REJECT_ACCOUNTS_UNKNOWN;
  if (event->operation != LK_ACCOUNTS_DELETE)
    return put_association (self, spec, event);
  if (spec == g_ptr_array_index (self->associations, 0))
    return LK_REJECT_ACCOUNTS_BAD;
  delete_association (self, spec);
  return finish (self);
}

gboolean
lk_accounts_makes_admin (const LkAccounts *accounts, const LkEvent_association *event)
{
  g_autoptr (LkAccounts) scratch = lk_accounts_new (NULL);
  for (guint i = 0; i < accounts->tres->len; i++)
    lk_accounts_add_tres (scratch, g_ptr_array_index (accounts->tres, i));
  const LkAssociationSpec *spec =
      lk_accounts_association_read (scratch, event->record.bytes, event->record.length_bytes);
  return spec != NULL && strcmp (spec->admin_level, "Administrator") == 0
         && (event->operation == LK_ACCOUNTS_ADD
             || (event->changes & BIT (ASSOCIATION, admin_level)) != 0);
}
