/* engine/accounts.c — descriptions of accounts: making, copying, freeing, finding.
 *
 * What to do with each member comes from the table of members. See the header. */
#include "engine/accounts.h"

#include <string.h>

#include "engine/accounts_fields.h"
#include "engine/assert.h"

#define SECOND_US G_GINT64_CONSTANT (1000000)
#define HALF_LIFE_DEFAULT_US (7 * 86400 * SECOND_US)
#define CALC_PERIOD_DEFAULT_US (300 * SECOND_US)

static const char *const fixed_tres[LK_TRES_FIXED] = {
  "cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages",
};

/* ---------------------------------------------------------------- freeing */

/* What to do with a member of each type when its struct goes. */
#define FREE_text(member) g_free (self->member);
#define FREE_u32(member)
#define FREE_i64(member)
#define FREE_s64(member)
#define FREE_real(member)
#define FREE_flag(member)
#define FREE_shares(member)
#define FREE_enforce(member)
#define FREE_qos_flags(member)
#define FREE_compat(member)
#define FREE_reset(member)
#define FREE_billing(member)
#define FREE_names(member) g_ptr_array_unref (self->member);
#define FREE_limits(member) g_array_unref (self->member);
#define FREE_tres_values(member) g_array_unref (self->member);
#define FREE_MEMBER(type, member, help) FREE_##type (member)

static void
qos_spec_free (LkQosSpec *self)
{
  LK_QOS_FIELDS (FREE_MEMBER)
  g_free (self);
}

static void
association_spec_free (LkAssociationSpec *self)
{
  LK_ASSOCIATION_FIELDS (FREE_MEMBER)
  g_free (self);
}

void
lk_accounts_free (LkAccounts *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->association_index);
  g_hash_table_unref (self->qos_index);
  g_hash_table_unref (self->coordinator_index);
  g_ptr_array_unref (self->qos);
  g_ptr_array_unref (self->associations);
  LK_ACCOUNTS_FIELDS (FREE_MEMBER)
  g_free (self);
}

/* ---------------------------------------------------------------- finding */

/* Both indices map a spec, by its names, to its place in the array plus one. */
static guint
association_hash (gconstpointer key)
{
  const LkAssociationSpec *spec = key;
  guint hash = g_str_hash (spec->account);
  hash = hash * 33 + g_str_hash (spec->user);
  return hash * 33 + g_str_hash (spec->partition);
}

static gboolean
association_equal (gconstpointer a, gconstpointer b)
{
  const LkAssociationSpec *one = a;
  const LkAssociationSpec *other = b;
  return strcmp (one->account, other->account) == 0 && strcmp (one->user, other->user) == 0
         && strcmp (one->partition, other->partition) == 0;
}

static guint
qos_hash (gconstpointer key)
{
  return g_str_hash (((const LkQosSpec *)key)->name);
}

static gboolean
qos_equal (gconstpointer a, gconstpointer b)
{
  return strcmp (((const LkQosSpec *)a)->name, ((const LkQosSpec *)b)->name) == 0;
}

/* The first of several equal ones is found. */
static void
index_add (GHashTable *index, const GPtrArray *specs, guint at)
{
  gpointer spec = g_ptr_array_index (specs, at);
  if (!g_hash_table_contains (index, spec))
    g_hash_table_insert (index, spec, GUINT_TO_POINTER (at + 1));
}

static void
indices_new (LkAccounts *self)
{
  self->association_index = g_hash_table_new (association_hash, association_equal);
  self->qos_index = g_hash_table_new (qos_hash, qos_equal);
  self->coordinator_index = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

/* What the index of coordinators holds: USER, and USER ACCOUNT of each account. */
static void
coordinators_index (LkAccounts *self, const LkAssociationSpec *spec)
{
  if (*spec->coordinates == '\0')
    return;
  g_hash_table_add (self->coordinator_index, g_strdup (spec->user));
  for (const char *at = spec->coordinates; *at != '\0';) {
    gsize length_bytes = strcspn (at, ",");
    g_hash_table_add (self->coordinator_index,
                      g_strdup_printf ("%s %.*s", spec->user, (int)length_bytes, at));
    at += length_bytes;
    at += *at == ',' ? 1 : 0;
  }
}

void
lk_accounts_reindex (LkAccounts *self)
{
  g_hash_table_unref (self->association_index);
  g_hash_table_unref (self->qos_index);
  g_hash_table_unref (self->coordinator_index);
  indices_new (self);
  for (guint i = 0; i < self->associations->len; i++) {
    index_add (self->association_index, self->associations, i);
    coordinators_index (self, g_ptr_array_index (self->associations, i));
  }
  for (guint i = 0; i < self->qos->len; i++)
    index_add (self->qos_index, self->qos, i);
}

LkAssociationSpec *
lk_accounts_find (const LkAccounts *self, const char *account, const char *user,
                  const char *partition)
{
  const LkAssociationSpec key = {
    .account = (char *)account,
    .user = (char *)(user ? user : ""),
    .partition = (char *)(partition ? partition : ""),
  };
  guint at = GPOINTER_TO_UINT (g_hash_table_lookup (self->association_index, &key));
  return at == 0 ? NULL : g_ptr_array_index (self->associations, at - 1);
}

gboolean
lk_accounts_coordinates (const LkAccounts *self, const char *user, const char *account)
{
  if (!g_hash_table_contains (self->coordinator_index, user))
    return FALSE;
  const LkAssociationSpec *at = lk_accounts_find (self, account, "", "");
  for (guint depth = 0; at != NULL && depth <= LK_LIMIT_ACCOUNT_DEPTH; depth++) {
    g_autofree char *key = g_strdup_printf ("%s %s", user, at->account);
    if (g_hash_table_contains (self->coordinator_index, key))
      return TRUE;
    at = lk_accounts_find (self, at->parent, "", "");
  }
  return FALSE;
}

LkQosSpec *
lk_accounts_find_qos (const LkAccounts *self, const char *name)
{
  const LkQosSpec key = { .name = (char *)name };
  guint at = GPOINTER_TO_UINT (g_hash_table_lookup (self->qos_index, &key));
  return at == 0 ? NULL : g_ptr_array_index (self->qos, at - 1);
}

guint32
lk_accounts_find_tres (const LkAccounts *self, const char *name)
{
  for (guint32 i = 0; i < self->tres->len; i++)
    if (strcmp (g_ptr_array_index (self->tres, i), name) == 0)
      return i;
  return LK_INDEX_NONE;
}

/* ---------------------------------------------------------------- making */

LkQosSpec *
lk_accounts_add_qos (LkAccounts *self, const char *name)
{
  LkQosSpec *spec = g_new0 (LkQosSpec, 1);
  spec->name = g_strdup (name);
  spec->description = g_strdup ("");
  spec->usage_factor = 1;
  spec->usage_threshold = -1;
  spec->limit_factor = -1;
  spec->limits = g_array_new (FALSE, FALSE, sizeof (LkLimitItem));
  spec->preempt = g_strdup ("");
  spec->preempt_mode = g_strdup ("");
  spec->preempt_exempt_us = -1;
  g_ptr_array_add (self->qos, spec);
  if (*name != '\0')
    index_add (self->qos_index, self->qos, self->qos->len - 1);
  return spec;
}

static LkAssociationSpec *
association_add (LkAccounts *self, const char *account, const char *user, const char *partition,
                 const char *parent)
{
  LkAssociationSpec *spec = g_new0 (LkAssociationSpec, 1);
  spec->account = g_strdup (account);
  spec->user = g_strdup (user);
  spec->partition = g_strdup (partition);
  spec->parent = g_strdup (parent);
  spec->shares = 1;
  spec->qos = g_strdup ("");
  spec->default_qos = g_strdup ("");
  spec->limits = g_array_new (FALSE, FALSE, sizeof (LkLimitItem));
  spec->description = g_strdup ("");
  spec->organization = g_strdup ("");
  spec->admin_level = g_strdup ("");
  spec->coordinates = g_strdup ("");
  spec->usage_tres = g_array_new (FALSE, FALSE, sizeof (LkTresValue));
  g_ptr_array_add (self->associations, spec);
  /* Without a name yet: whoever gives it one puts the index in order. */
  if (*account != '\0')
    index_add (self->association_index, self->associations, self->associations->len - 1);
  return spec;
}

LkAssociationSpec *
lk_accounts_add_account (LkAccounts *self, const char *account, const char *parent)
{
  return association_add (self, account, "", "", parent ? parent : "root");
}

LkAssociationSpec *
lk_accounts_add_user (LkAccounts *self, const char *user, const char *account,
                      const char *partition)
{
  return association_add (self, account, user, partition ? partition : "", "");
}

guint32
lk_accounts_add_tres (LkAccounts *self, const char *name)
{
  guint32 index = lk_accounts_find_tres (self, name);
  if (index != LK_INDEX_NONE)
    return index;
  if (self->tres->len >= LK_TRES_MAX)
    return LK_INDEX_NONE;
  g_ptr_array_add (self->tres, g_strdup (name));
  return self->tres->len - 1;
}

static LkAccounts *
accounts_new_empty (void)
{
  LkAccounts *self = g_new0 (LkAccounts, 1);
  self->qos = g_ptr_array_new_with_free_func ((GDestroyNotify)qos_spec_free);
  self->associations = g_ptr_array_new_with_free_func ((GDestroyNotify)association_spec_free);
  indices_new (self);
  return self;
}

/* What a new database of Slurm has: slurm.conf(5), sacctmgr(1). */
LkAccounts *
lk_accounts_new (const char *cluster)
{
  LkAccounts *self = accounts_new_empty ();
  self->cluster = g_strdup (cluster ? cluster : "cluster");
  self->tres = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < LK_TRES_FIXED; i++)
    g_ptr_array_add (self->tres, g_strdup (fixed_tres[i]));
  self->compat = LK_COMPAT_SLURM_26_05;
  self->half_life_us = HALF_LIFE_DEFAULT_US;
  self->calc_period_us = CALC_PERIOD_DEFAULT_US;
  LkQosSpec *normal = lk_accounts_add_qos (self, "normal");
  g_free (normal->description);
  normal->description = g_strdup ("Normal QOS default");
  lk_accounts_add_account (self, "root", "");
  LkAssociationSpec *root = lk_accounts_add_user (self, "root", "root", "");
  root->is_default = TRUE;
  g_free (root->admin_level);
  root->admin_level = g_strdup ("Administrator");
  return self;
}

/* ---------------------------------------------------------------- copying */

static GPtrArray *
names_copy (const GPtrArray *source)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < source->len; i++)
    g_ptr_array_add (copy, g_strdup (g_ptr_array_index (source, i)));
  return copy;
}

static GArray *
items_copy (const GArray *source, gsize item_bytes)
{
  GArray *copy = g_array_sized_new (FALSE, FALSE, (guint)item_bytes, source->len);
  if (source->len > 0)
    g_array_append_vals (copy, source->data, source->len);
  return copy;
}

/* Of a member, when its struct has been copied as bytes. */
#define COPY_text(member) copy->member = g_strdup (self->member);
#define COPY_u32(member)
#define COPY_i64(member)
#define COPY_s64(member)
#define COPY_real(member)
#define COPY_flag(member)
#define COPY_shares(member)
#define COPY_qos_flags(member)
#define COPY_names(member) copy->member = names_copy (self->member);
#define COPY_limits(member) copy->member = items_copy (self->member, sizeof (LkLimitItem));
#define COPY_tres_values(member) copy->member = items_copy (self->member, sizeof (LkTresValue));
#define COPY_MEMBER(type, member, help) COPY_##type (member)

static LkQosSpec *
qos_spec_copy (const LkQosSpec *self)
{
  LkQosSpec *copy = g_new (LkQosSpec, 1);
  *copy = *self;
  LK_QOS_FIELDS (COPY_MEMBER)
  return copy;
}

static LkAssociationSpec *
association_spec_copy (const LkAssociationSpec *self)
{
  LkAssociationSpec *copy = g_new (LkAssociationSpec, 1);
  *copy = *self;
  LK_ASSOCIATION_FIELDS (COPY_MEMBER)
  return copy;
}

/* Of a member that is no pointer. */
#define TAKE_text(member) copy->member = g_strdup (self->member);
#define TAKE_names(member) copy->member = names_copy (self->member);
#define TAKE_enforce(member) copy->member = self->member;
#define TAKE_compat(member) copy->member = self->member;
#define TAKE_i64(member) copy->member = self->member;
#define TAKE_s64(member) copy->member = self->member;
#define TAKE_reset(member) copy->member = self->member;
#define TAKE_billing(member) copy->member = self->member;
#define TAKE_flag(member) copy->member = self->member;
#define TAKE_MEMBER(type, member, help) TAKE_##type (member)

/* `self` is where the settings come from. */
LkAccounts *
lk_accounts_copy_with (const LkAccounts *trees, const LkAccounts *self)
{
  LkAccounts *copy = accounts_new_empty ();
  LK_ACCOUNTS_FIELDS (TAKE_MEMBER)
  for (guint i = 0; i < trees->qos->len; i++)
    g_ptr_array_add (copy->qos, qos_spec_copy (g_ptr_array_index (trees->qos, i)));
  for (guint i = 0; i < trees->associations->len; i++)
    g_ptr_array_add (copy->associations,
                     association_spec_copy (g_ptr_array_index (trees->associations, i)));
  lk_accounts_reindex (copy);
  return copy;
}

LkAccounts *
lk_accounts_copy (const LkAccounts *self)
{
  return lk_accounts_copy_with (self, self);
}

/* ---------------------------------------------------------------- limits */

/* The place of the first item that is not before this limit. */
static guint
limit_place (const GArray *limits, guint32 kind, guint32 tres)
{
  guint at = 0;
  while (at < limits->len) {
    const LkLimitItem *item = &g_array_index (limits, LkLimitItem, at);
    if (item->kind > kind || (item->kind == kind && item->tres >= tres))
      break;
    at++;
  }
  return at;
}

static gboolean
is_limit (const GArray *limits, guint at, guint32 kind, guint32 tres)
{
  if (at == limits->len)
    return FALSE;
  const LkLimitItem *item = &g_array_index (limits, LkLimitItem, at);
  return item->kind == kind && item->tres == tres;
}

void
lk_limits_set (GArray *limits, guint32 kind, guint32 tres, gboolean is_set, guint64 value)
{
  LK_ASSERT (kind < LK_LIMIT_KIND_COUNT);
  guint at = limit_place (limits, kind, tres);
  gboolean is_there = is_limit (limits, at, kind, tres);
  const LkLimitItem item = { kind, tres, value };
  if (is_there && is_set)
    g_array_index (limits, LkLimitItem, at) = item;
  else if (is_there)
    g_array_remove_index (limits, at);
  else if (is_set)
    g_array_insert_val (limits, at, item);
}

gboolean
lk_limits_get (const GArray *limits, guint32 kind, guint32 tres, guint64 *out_value)
{
  guint at = limit_place (limits, kind, tres);
  if (!is_limit (limits, at, kind, tres))
    return FALSE;
  *out_value = g_array_index (limits, LkLimitItem, at).value;
  return TRUE;
}

/* ---------------------------------------------------------------- tables */

#define ON_A 1u
#define ON_Q 2u
#define ON_AQ (ON_A | ON_Q)

typedef struct {
  const char *name;
  LkLimitValue value;
  guint on;
} KindRow;

static const KindRow kinds[LK_LIMIT_KIND_COUNT] = {
#define X(NAME, number, where, value, sacctmgr)                                                    \
  [number] = { sacctmgr, LK_LIMIT_##value, ON_##where },
  LK_LIMIT_KINDS (X)
#undef X
};

const char *
lk_limit_kind_name (guint32 kind)
{
  LK_ASSERT (kind < LK_LIMIT_KIND_COUNT);
  return kinds[kind].name;
}

LkLimitValue
lk_limit_kind_value (guint32 kind)
{
  LK_ASSERT (kind < LK_LIMIT_KIND_COUNT);
  return kinds[kind].value;
}

gboolean
lk_limit_kind_on_association (guint32 kind)
{
  LK_ASSERT (kind < LK_LIMIT_KIND_COUNT);
  return (kinds[kind].on & ON_A) != 0;
}

gboolean
lk_limit_kind_on_qos (guint32 kind)
{
  LK_ASSERT (kind < LK_LIMIT_KIND_COUNT);
  return (kinds[kind].on & ON_Q) != 0;
}
