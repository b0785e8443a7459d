/* engine/book.c — the books: what they are made of, and whose job is whose. */
#include "engine/book.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/real.h"

/* ---------------------------------------------------------------- holders */

static void
holder_free (gpointer user)
{
  LkHolder *self = user;
  g_free (self->tres);
  g_free (self->run_s);
  g_free (self->tres_s);
  g_free (self->node_jobs);
  if (self->parked != NULL)
    g_array_unref (self->parked);
  g_free (self);
}

static void
add_holder (LkBook *self, LkUse *use, gboolean no_decay)
{
  LkHolder *holder = g_new0 (LkHolder, 1);
  holder->use = use;
  holder->tres = g_new0 (guint64, self->tres_count);
  holder->run_s = g_new0 (guint64, self->tres_count);
  holder->tres_s = g_new0 (double, self->tres_count);
  if (self->any_node_limit && self->node_count > 0)
    holder->node_jobs = g_new0 (guint32, self->node_count);
  holder->no_decay = no_decay;
  use->tres = holder->tres;
  use->tres_run_s = holder->run_s;
  use->tres_s = holder->tres_s;
  g_ptr_array_add (self->holders, holder);
}

guint32
lk_book_find_in_qos (const LkBook *self, guint32 which, guint32 qos, guint32 id)
{
  return lk_id_map_find (&self->in_qos[which][qos], id + 1);
}

guint32
lk_book_in_qos_holder (LkBook *self, guint32 which, guint32 qos, guint32 id)
{
  guint32 holder = lk_book_find_in_qos (self, which, qos, id);
  if (holder != LK_INDEX_NONE)
    return holder;
  LkUse *use = g_new0 (LkUse, 1);
  g_ptr_array_add (self->in_qos_uses, use);
  g_array_append_val (self->in_qos_keys, ((LkInQosKey){ which, qos, id }));
  holder = self->holders->len;
  add_holder (self, use, (self->qos[qos].flags & LK_QOS_NO_DECAY) != 0);
  lk_id_map_insert (&self->in_qos[which][qos], id + 1, holder);
  return holder;
}

/* A QOS, and the job's user and account in it. */
static guint
add_qos_holders (LkBook *self, guint32 association, guint32 qos, guint32 *out_holders)
{
  const LkAssociationView *view = &self->associations[association];
  guint count = 0;
  out_holders[count++] = lk_book_qos_holder (self, qos);
  if (view->user != LK_INDEX_NONE)
    out_holders[count++] = lk_book_in_qos_holder (self, LK_IN_QOS_USER, qos, view->user);
  out_holders[count++] = lk_book_in_qos_holder (self, LK_IN_QOS_ACCOUNT, qos, view->account);
  return count;
}

guint
lk_book_holders_of (LkBook *self, guint32 association, guint32 qos, guint32 partition_qos,
                    guint32 out_holders[LK_HOLDER_MAX])
{
  guint count = 0;
  if (association == LK_INDEX_NONE)
    return 0;
  if (qos != LK_INDEX_NONE)
    count += add_qos_holders (self, association, qos, out_holders + count);
  if (partition_qos != LK_INDEX_NONE && partition_qos != qos)
    count += add_qos_holders (self, association, partition_qos, out_holders + count);
  for (guint32 at = association; at != LK_INDEX_NONE; at = self->associations[at].parent)
    out_holders[count++] = lk_book_association_holder (at);
  LK_ASSERT (count <= LK_HOLDER_MAX);
  return count;
}

/* ---------------------------------------------------------------- making */

static void
note_kind (LkBook *self, const LkLimitItem *item)
{
  switch (item->kind) {
  case LK_LIMIT_GRP_SUBMIT_JOBS:
  case LK_LIMIT_MAX_SUBMIT_JOBS:
  case LK_LIMIT_MAX_SUBMIT_JOBS_PER_USER:
  case LK_LIMIT_MAX_SUBMIT_JOBS_PER_ACCOUNT:
    return;
  case LK_LIMIT_GRP_JOBS_ACCRUE:
  case LK_LIMIT_MAX_JOBS_ACCRUE:
  case LK_LIMIT_MAX_JOBS_ACCRUE_PER_USER:
  case LK_LIMIT_MAX_JOBS_ACCRUE_PER_ACCOUNT:
    self->any_accrue_limit = TRUE;
    return;
  case LK_LIMIT_GRP_TRES_MINS:
  case LK_LIMIT_GRP_WALL:
  case LK_LIMIT_MAX_TRES_MINS_PER_JOB:
    self->any_run_limit = TRUE;
    break;
  case LK_LIMIT_GRP_TRES:
  case LK_LIMIT_MAX_TRES_PER_USER:
  case LK_LIMIT_MAX_TRES_PER_ACCOUNT:
    self->any_node_limit |= item->tres == LK_TRES_NODE;
    break;
  default:
    break;
  }
  self->any_start_limit = TRUE;
}

static LkLimitRun
add_limits (LkBook *self, const GArray *limits)
{
  LkLimitRun run = { self->limits->len, limits->len };
  for (guint i = 0; i < limits->len; i++) {
    const LkLimitItem *item = &g_array_index (limits, LkLimitItem, i);
    note_kind (self, item);
    g_array_append_val (self->limits, *item);
  }
  return run;
}

/* Kinds that a user's association takes from the nearest account above that has one. */
static gboolean
is_inherited (guint32 kind)
{
  switch (kind) {
  case LK_LIMIT_MAX_JOBS:
  case LK_LIMIT_MAX_JOBS_ACCRUE:
  case LK_LIMIT_MAX_SUBMIT_JOBS:
  case LK_LIMIT_MAX_TRES_PER_JOB:
  case LK_LIMIT_MAX_TRES_PER_NODE:
  case LK_LIMIT_MAX_TRES_MINS_PER_JOB:
  case LK_LIMIT_MAX_WALL_PER_JOB:
  case LK_LIMIT_MIN_PRIO_THRESHOLD:
    return TRUE;
  default:
    return FALSE;
  }
}

static LkLimitRun
add_job_limits (LkBook *self, guint32 association)
{
  g_autoptr (GArray) merged = g_array_new (FALSE, FALSE, sizeof (LkLimitItem));
  for (guint32 at = association; at != LK_INDEX_NONE; at = self->associations[at].parent) {
    LkLimitRun run = self->associations[at].limits;
    for (guint32 i = 0; i < run.count; i++) {
      const LkLimitItem *item = &g_array_index (self->limits, LkLimitItem, run.first + i);
      guint64 value;
      if (is_inherited (item->kind) && !lk_limits_get (merged, item->kind, item->tres, &value))
        lk_limits_set (merged, item->kind, item->tres, TRUE, item->value);
    }
  }
  return add_limits (self, merged);
}

static char *
association_key (const char *account, const char *user, const char *partition)
{
  return g_strdup_printf ("%s\n%s\n%s", account, user, partition);
}

static guint32
find_key (const LkBook *self, const char *account, const char *user, const char *partition)
{
  g_autofree char *key = association_key (account, user, partition);
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->association_by_key, key)) - 1;
}

/* Number of a name, given out in the order of first appearance. */
static guint32
intern (GHashTable *table, GPtrArray *names, const char *name)
{
  guint32 index = GPOINTER_TO_UINT (g_hash_table_lookup (table, name));
  if (index != 0)
    return index - 1;
  g_ptr_array_add (names, (gpointer)name);
  g_hash_table_insert (table, (gpointer)name, GUINT_TO_POINTER (names->len));
  return names->len - 1;
}

static void
link_child (LkBook *self, guint32 index, guint32 *last_child)
{
  guint32 parent = self->associations[index].parent;
  if (parent == LK_INDEX_NONE)
    return;
  if (last_child[parent] == LK_INDEX_NONE)
    self->associations[parent].first_child = index;
  else
    self->associations[last_child[parent]].next_sibling = index;
  last_child[parent] = index;
}

static void
add_association (LkBook *self, guint32 index, GHashTable *accounts)
{
  const LkAssociationSpec *spec = g_ptr_array_index (self->spec->associations, index);
  LkAssociationView *view = &self->associations[index];
  gboolean is_user = spec->user[0] != '\0';
  *view = (LkAssociationView){ .parent = LK_INDEX_NONE,
                               .first_child = LK_INDEX_NONE,
                               .next_sibling = LK_INDEX_NONE,
                               .is_user = is_user ? 1 : 0,
                               .user = LK_INDEX_NONE,
                               .shares = spec->shares,
                               .priority = spec->priority,
                               .fairshare = 1.0 };
  view->account = intern (accounts, self->account_names, spec->account);
  if (is_user) {
    view->user = intern (self->user_by_name, self->user_names, spec->user);
    view->parent = find_key (self, spec->account, "", "");
  } else if (index > 0) {
    view->parent = find_key (self, spec->parent, "", "");
  }
  LK_ASSERT (view->parent != LK_INDEX_NONE || index == 0);
  g_hash_table_insert (self->association_by_key,
                       association_key (spec->account, spec->user, spec->partition),
                       GUINT_TO_POINTER (index + 1));
  while (self->user_default->len < self->user_names->len) {
    guint32 none = LK_INDEX_NONE;
    g_array_append_val (self->user_default, none);
  }
  if (is_user && spec->is_default)
    g_array_index (self->user_default, guint32, view->user) = index;
  view->limits = add_limits (self, spec->limits);
}

static void
add_associations (LkBook *self)
{
  guint32 count = self->spec->associations->len;
  g_autoptr (GHashTable) accounts = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree guint32 *last_child = g_new (guint32, count);
  self->associations = g_new0 (LkAssociationView, count);
  for (guint32 i = 0; i < count; i++) {
    last_child[i] = LK_INDEX_NONE;
    const LkAssociationSpec *spec = g_ptr_array_index (self->spec->associations, i);
    gboolean is_roots = strcmp (spec->account, "root") == 0
                        && (spec->user[0] == '\0' || strcmp (spec->user, "root") == 0);
    self->any_added |= !is_roots;
    add_association (self, i, accounts);
    link_child (self, i, last_child);
  }
  for (guint32 i = 0; i < count; i++)
    self->associations[i].job_limits = add_job_limits (self, i);
}

static void
add_qos (LkBook *self)
{
  guint32 count = self->spec->qos->len;
  self->qos = g_new0 (LkQosView, count);
  for (guint which = 0; which < 2; which++)
    self->in_qos[which] = g_new0 (LkIdMap, count);
  for (guint32 i = 0; i < count; i++) {
    const LkQosSpec *spec = g_ptr_array_index (self->spec->qos, i);
    self->any_start_limit |= spec->usage_threshold >= 0;
    self->qos[i] = (LkQosView){ .priority = spec->priority,
                                .flags = spec->flags,
                                .usage_factor = spec->usage_factor,
                                .usage_threshold = spec->usage_threshold,
                                .limit_factor = spec->limit_factor,
                                .limits = add_limits (self, spec->limits) };
    lk_id_map_init (&self->in_qos[0][i]);
    lk_id_map_init (&self->in_qos[1][i]);
  }
}

/* ---------------------------------------------------------------- who may use which QOS */

static guint32
find_qos (const LkBook *self, const char *name, gsize length_bytes)
{
  for (guint32 i = 0; i < self->spec->qos->len; i++) {
    const LkQosSpec *spec = g_ptr_array_index (self->spec->qos, i);
    if (strlen (spec->name) == length_bytes
        && g_ascii_strncasecmp (spec->name, name, length_bytes) == 0)
      return i;
  }
  return LK_INDEX_NONE;
}

static guint64 *
allowed_set (const LkBook *self, guint32 association)
{
  return self->qos_allowed + (gsize)association * self->qos_words;
}

/* "a,b" or "+a,-b" on top of what the parent may use. */
static void
read_allowed (LkBook *self, guint32 association, const char *text)
{
  guint64 *set = allowed_set (self, association);
  guint32 parent = self->associations[association].parent;
  gboolean is_change = text[0] == '\0' || text[0] == '+' || text[0] == '-';
  if (is_change && parent != LK_INDEX_NONE)
    memcpy (set, allowed_set (self, parent), self->qos_words * sizeof *set);
  else if (is_change)
    for (guint32 i = 0; i < self->spec->qos->len; i++)
      lk_bits_add (set, i);
  while (*text != '\0') {
    gsize length = strcspn (text, ",");
    gboolean is_minus = text[0] == '-';
    gsize skip = text[0] == '+' || text[0] == '-';
    guint32 qos = find_qos (self, text + skip, length - skip);
    LK_ASSERT (qos != LK_INDEX_NONE);
    if (is_minus)
      lk_bits_remove (set, qos);
    else
      lk_bits_add (set, qos);
    text += length + (text[length] == ',');
  }
}

/* Its own; else its parent's; else the only one it may use; else "normal". */
static guint32
default_qos (const LkBook *self, guint32 association)
{
  const LkAssociationSpec *spec = g_ptr_array_index (self->spec->associations, association);
  const guint64 *set = allowed_set (self, association);
  if (spec->default_qos[0] != '\0')
    return find_qos (self, spec->default_qos, strlen (spec->default_qos));
  for (guint32 at = self->associations[association].parent; at != LK_INDEX_NONE;
       at = self->associations[at].parent) {
    const LkAssociationSpec *above = g_ptr_array_index (self->spec->associations, at);
    if (above->default_qos[0] != '\0')
      return find_qos (self, above->default_qos, strlen (above->default_qos));
  }
  guint32 only = LK_INDEX_NONE;
  guint count = 0;
  for (guint32 i = 0; i < self->spec->qos->len; i++)
    if (lk_bits_has (set, i)) {
      only = i;
      count++;
    }
  return count == 1 ? only : find_qos (self, "normal", strlen ("normal"));
}

static void
settle_qos (LkBook *self)
{
  guint32 count = self->view.association_count;
  self->qos_words = (self->spec->qos->len + 63) / 64;
  self->qos_allowed = g_new0 (guint64, (gsize)count * self->qos_words);
  self->qos_default = g_new (guint32, count);
  for (guint32 i = 0; i < count; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (self->spec->associations, i);
    read_allowed (self, i, spec->qos);
    self->qos_default[i] = default_qos (self, i);
  }
}

/* ---------------------------------------------------------------- life */

/* Use with which the run begins: of an association and all above it. */
static void
add_first_use (LkBook *self, guint32 association)
{
  const LkAssociationSpec *spec = g_ptr_array_index (self->spec->associations, association);
  for (guint32 at = association; at != LK_INDEX_NONE; at = self->associations[at].parent) {
    LkHolder *holder = lk_book_holder (self, lk_book_association_holder (at));
    holder->use->usage += spec->usage;
    holder->use->wall_s += spec->usage_wall_s;
    for (guint i = 0; i < spec->usage_tres->len; i++) {
      const LkTresValue *value = &g_array_index (spec->usage_tres, LkTresValue, i);
      holder->tres_s[value->tres] += value->value;
    }
  }
}

static void
count_machine (LkBook *self, const LkMachine *machine, guint32 units_total)
{
  self->tres_total = g_new0 (guint64, self->tres_count);
  self->tres_total[LK_TRES_CPU] = units_total;
  self->tres_total[LK_TRES_NODE] = units_total;
  self->tres_total[LK_TRES_BILLING] = units_total;
  if (machine == NULL)
    return;
  self->node_count = machine->nodes.node_count;
  memset (self->tres_total, 0, self->tres_count * sizeof (guint64));
  for (guint32 node = 0; node < machine->nodes.node_count; node++)
    lk_book_add_node (self, machine, node, self->tres_total);
  for (guint32 i = 0; i < machine->license_count; i++) {
    const LkLicenseSpec *spec = g_ptr_array_index (machine->cluster->licenses, i);
    lk_book_add_license (self, spec->name, spec->count, self->tres_total);
  }
}

LkBook *
lk_book_new (const LkAccounts *spec, const LkMachine *machine, guint32 units_total)
{
  LkBook *self = g_new0 (LkBook, 1);
  self->spec = spec;
  self->tres_count = spec->tres->len;
  self->tres_names = (char **)spec->tres->pdata;
  self->limits = g_array_new (FALSE, FALSE, sizeof (LkLimitItem));
  self->association_by_key = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->user_by_name = g_hash_table_new (g_str_hash, g_str_equal);
  self->user_default = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->user_names = g_ptr_array_new ();
  self->account_names = g_ptr_array_new ();
  self->holders = g_ptr_array_new_with_free_func (holder_free);
  self->in_qos_uses = g_ptr_array_new_with_free_func (g_free);
  self->in_qos_keys = g_array_new (FALSE, FALSE, sizeof (LkInQosKey));
  add_associations (self);
  add_qos (self);
  self->view = (LkAccountsView){ .size = sizeof (LkAccountsView),
                                 .enforce = spec->enforce,
                                 .compat = spec->compat,
                                 .tres_count = self->tres_count,
                                 .association_count = spec->associations->len,
                                 .qos_count = spec->qos->len,
                                 .associations = self->associations,
                                 .qos = self->qos,
                                 .limits = (const LkLimitItem *)(gpointer)self->limits->data,
                                 .tres_names = (const char *const *)self->tres_names };
  settle_qos (self);
  count_machine (self, machine, units_total);
  self->view.tres_total = self->tres_total;
  for (guint32 i = 0; i < self->view.association_count; i++)
    add_holder (self, &self->associations[i].use, FALSE);
  for (guint32 i = 0; i < self->view.qos_count; i++)
    add_holder (self, &self->qos[i].use, (self->qos[i].flags & LK_QOS_NO_DECAY) != 0);
  for (guint32 i = 0; i < self->view.association_count; i++)
    add_first_use (self, i);
  /* Slurm's constant is 0.693, not the logarithm of 2; its shortest half-life is a second. */
  double half_life_s = (double)MAX (spec->half_life_us, 1000000) / 1e6;
  self->decay_factor = spec->half_life_us > 0 ? 1.0 - 0.693 / half_life_s : 1.0;
  self->decay_log2 = lk_real_log2 (self->decay_factor);
  return self;
}

void
lk_book_free (LkBook *self)
{
  if (self == NULL)
    return;
  for (guint which = 0; which < 2; which++) {
    for (guint32 i = 0; i < self->view.qos_count; i++)
      lk_id_map_clear (&self->in_qos[which][i]);
    g_free (self->in_qos[which]);
  }
  g_free (self->associations);
  g_free (self->qos);
  g_array_unref (self->limits);
  g_free (self->tres_total);
  g_hash_table_unref (self->association_by_key);
  g_hash_table_unref (self->user_by_name);
  g_array_unref (self->user_default);
  g_ptr_array_unref (self->user_names);
  g_ptr_array_unref (self->account_names);
  g_free (self->qos_allowed);
  g_free (self->qos_default);
  g_ptr_array_unref (self->holders);
  g_ptr_array_unref (self->in_qos_uses);
  g_array_unref (self->in_qos_keys);
  g_free (self->job_tres);
  g_free (self->job_counts);
  g_free (self);
}

double
lk_book_decay (const LkBook *self, gint64 duration_us)
{
  double factor = 1.0;
  double power = self->decay_factor;
  if (self->decay_factor == 1.0 || duration_us <= 0)
    return 1.0;
  /* Whole seconds are what Slurm counts in: by squaring, exact to a few units in the last place. */
  if (duration_us % 1000000 != 0)
    factor = lk_real_exp2 ((double)(duration_us % 1000000) / 1e6 * self->decay_log2);
  for (guint64 left_s = (guint64)duration_us / 1000000; left_s != 0; left_s >>= 1) {
    if ((left_s & 1) != 0)
      factor *= power;
    power *= power;
  }
  return factor > 0.0 ? MAX (factor, 2.2250738585072014e-308) : 2.2250738585072014e-308;
}

/* ---------------------------------------------------------------- whose job is it? */

/* Slurm's names of users and accounts are in lower case. */
static char *
lower (LkText text)
{
  return text.length_bytes > 0 ? g_ascii_strdown (text.bytes, (gssize)text.length_bytes)
                               : g_strdup ("");
}

guint32
lk_book_find_association (const LkBook *self, LkText account_text, LkText user_text,
                          const char *partition)
{
  g_autofree char *user = lower (user_text);
  g_autofree char *account = lower (account_text);
  guint32 user_index = GPOINTER_TO_UINT (g_hash_table_lookup (self->user_by_name, user));
  const char *name = account;
  if (user_index == 0)
    return LK_INDEX_NONE;
  if (account[0] == '\0') {
    guint32 index = g_array_index (self->user_default, guint32, user_index - 1);
    if (index == LK_INDEX_NONE)
      return LK_INDEX_NONE;
    const LkAssociationSpec *spec = g_ptr_array_index (self->spec->associations, index);
    name = spec->account;
  }
  guint32 found = LK_INDEX_NONE;
  if (partition[0] != '\0')
    found = find_key (self, name, user, partition);
  return found != LK_INDEX_NONE ? found : find_key (self, name, user, "");
}

guint32
lk_book_find_spec (const LkBook *self, const LkAssociationSpec *spec)
{
  return find_key (self, spec->account, spec->user, spec->partition);
}

guint32
lk_book_find_qos (const LkBook *self, LkText name)
{
  return find_qos (self, name.bytes, name.length_bytes);
}

gboolean
lk_book_allows_qos (const LkBook *self, guint32 association, guint32 qos)
{
  return lk_bits_has (allowed_set (self, association), qos);
}
