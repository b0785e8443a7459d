/* traces/accounts_yaml_write.c — writes accounts as a page of YAML. See accounts_yaml.h.
 *
 * Values are put into words by the kind of their key.  A member whose words are those of the
 * default is left out; what an entry is called by is always there. */
#include <string.h>

#include "engine/line_text.h"
#include "traces/accounts_yaml.h"
#include "traces/accounts_yaml_keys.h"
#include "traces/quantity.h"
#include "traces/yaml_text.h"

typedef struct {
  const LkAccounts *accounts;
  GString *out;
  /* Of each association: its first child and the next with the same parent; users first. */
  guint32 *firsts;
  guint32 *nexts;
} Writer;

/* ---------------------------------------------------------------- values */

static gconstpointer
member_of (const LkAccountsKey *key, gconstpointer spec)
{
  return (const guint8 *)spec + key->offset_bytes;
}

/* Names with commas between: a list, unless there is only one or none. */
static void
append_list (const char *text, GString *out)
{
  g_auto (GStrv) names = g_strsplit (text, ",", -1);
  if (g_strv_length (names) < 2) {
    lk_yaml_append_text (text, FALSE, out);
    return;
  }
  for (guint i = 0; names[i]; i++) {
    g_string_append (out, i == 0 ? "[" : ", ");
    lk_yaml_append_text (names[i], TRUE, out);
  }
  g_string_append_c (out, ']');
}

static void
append_set (LkAccountsKeyKind kind, guint32 set, GString *out)
{
  g_autofree const char **words = lk_accounts_key_words (kind);
  const char *between = "";
  g_string_append_c (out, '[');
  for (guint i = 0; words[i]; i++)
    if (set >> i & 1) {
      g_string_append_printf (out, "%s%s", between, words[i]);
      between = ", ";
    }
  g_string_append_c (out, ']');
}

/* Those that are not always there. */
static void
append_tres (const GPtrArray *tres, GString *out)
{
  g_string_append_c (out, '[');
  for (guint i = LK_TRES_FIXED; i < tres->len; i++) {
    g_string_append (out, i == LK_TRES_FIXED ? "" : ", ");
    lk_yaml_append_text (g_ptr_array_index (tres, i), TRUE, out);
  }
  g_string_append_c (out, ']');
}

static void
append_tres_name (const Writer *self, guint32 tres, GString *out)
{
  lk_yaml_append_text (g_ptr_array_index (self->accounts->tres, tres), TRUE, out);
  g_string_append (out, ": ");
}

static void
append_limits (const Writer *self, const GArray *limits, GString *out)
{
  const LkLimitItem *last = NULL;
  g_string_append_c (out, '{');
  for (guint i = 0; i < limits->len; i++) {
    const LkLimitItem *item = &g_array_index (limits, LkLimitItem, i);
    gboolean has_tres = lk_limit_kind_value (item->kind) >= LK_LIMIT_TRES;
    gboolean is_first = last == NULL || last->kind != item->kind;
    gboolean is_open = last != NULL && lk_limit_kind_value (last->kind) >= LK_LIMIT_TRES;
    if (is_first)
      g_string_append_printf (out, "%s%s%s: %s", is_open ? "}" : "", last ? ", " : "",
                              lk_limit_kind_name (item->kind), has_tres ? "{" : "");
    else
      g_string_append (out, ", ");
    if (has_tres)
      append_tres_name (self, item->tres, out);
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, item->value);
    last = item;
  }
  g_string_append (out, last && lk_limit_kind_value (last->kind) >= LK_LIMIT_TRES ? "}}" : "}");
}

static void
append_tres_values (const Writer *self, const GArray *values, GString *out)
{
  g_string_append_c (out, '{');
  for (guint i = 0; i < values->len; i++) {
    const LkTresValue *value = &g_array_index (values, LkTresValue, i);
    g_string_append (out, i == 0 ? "" : ", ");
    append_tres_name (self, value->tres, out);
    lk_line_append_real (out, value->value);
  }
  g_string_append_c (out, '}');
}

static void
append_word (LkAccountsKeyKind kind, guint32 index, GString *out)
{
  g_autofree const char **words = lk_accounts_key_words (kind);
  g_string_append (out, words[index]);
}

/* Values that are one number or text. */
static void
append_scalar (const LkAccountsKey *key, gconstpointer member, GString *out)
{
  guint32 number = 0;
  gint64 amount = 0;
  switch (key->kind) {
  case LK_ACCOUNTS_KEY_FLAG:
    g_string_append (out, *(const gboolean *)member ? "true" : "false");
    return;
  case LK_ACCOUNTS_KEY_REAL:
  case LK_ACCOUNTS_KEY_OPTION:
    if (*(const double *)member < 0)
      g_string_append (out, "none");
    else
      lk_line_append_real (out, *(const double *)member);
    return;
  case LK_ACCOUNTS_KEY_SPAN:
  case LK_ACCOUNTS_KEY_EXEMPT:
  case LK_ACCOUNTS_KEY_OFFSET:
    memcpy (&amount, member, sizeof amount);
    if (key->kind == LK_ACCOUNTS_KEY_OFFSET)
      g_string_append_printf (out, "%" G_GINT64_FORMAT, amount);
    else if (amount < 0)
      g_string_append (out, "none");
    else
      lk_quantity_time_format (amount, out);
    return;
  default:
    memcpy (&number, member, sizeof number);
    if (key->kind == LK_ACCOUNTS_KEY_SHARES && number == LK_SHARES_PARENT)
      g_string_append (out, "parent");
    else
      g_string_append_printf (out, "%u", number);
  }
}

static void
append_value (const Writer *self, const LkAccountsKey *key, gconstpointer spec, GString *out)
{
  gconstpointer member = member_of (key, spec);
  switch (key->kind) {
  case LK_ACCOUNTS_KEY_TEXT:
  case LK_ACCOUNTS_KEY_NAME:
    lk_yaml_append_text (*(const char *const *)member, FALSE, out);
    return;
  case LK_ACCOUNTS_KEY_LIST:
    append_list (*(const char *const *)member, out);
    return;
  case LK_ACCOUNTS_KEY_COMPAT:
  case LK_ACCOUNTS_KEY_RESET:
  case LK_ACCOUNTS_KEY_BILLING:
    append_word (key->kind, *(const guint32 *)member, out);
    return;
  case LK_ACCOUNTS_KEY_ENFORCE:
  case LK_ACCOUNTS_KEY_QOS_FLAGS:
    append_set (key->kind, *(const guint32 *)member, out);
    return;
  case LK_ACCOUNTS_KEY_TRES:
    append_tres (*(GPtrArray *const *)member, out);
    return;
  case LK_ACCOUNTS_KEY_LIMITS:
    append_limits (self, *(GArray *const *)member, out);
    return;
  case LK_ACCOUNTS_KEY_TRES_VALUES:
    append_tres_values (self, *(GArray *const *)member, out);
    return;
  default:
    append_scalar (key, member, out);
  }
}

/* ---------------------------------------------------------------- entries */

static gboolean
is_thing (const LkAccountsKey *key)
{
  return key->kind >= LK_ACCOUNTS_KEY_ROOT;
}

/* Appends "INDENT KEY: VALUE" of each member that differs from the default. */
static void
append_members (const Writer *self, const LkAccountsKey *keys, gconstpointer spec,
                gconstpointer defaults, guint indent)
{
  for (const LkAccountsKey *key = keys; key->key; key++) {
    g_autoptr (GString) value = g_string_new (NULL);
    g_autoptr (GString) value_default = g_string_new (NULL);
    if (is_thing (key))
      continue;
    append_value (self, key, spec, value);
    append_value (self, key, defaults, value_default);
    if (!g_string_equal (value, value_default))
      g_string_append_printf (self->out, "%*s%s: %s\n", (int)indent, "", key->key, value->str);
  }
}

/* An item of a list: "- " and what it is called by, then the other keys under it. */
static void
append_item (const Writer *self, const LkAccountsKey *keys, gconstpointer spec,
             gconstpointer defaults, guint indent)
{
  g_string_append_printf (self->out, "%*s- %s: ", (int)indent, "", keys[0].key);
  append_value (self, &keys[0], spec, self->out);
  g_string_append_c (self->out, '\n');
  append_members (self, keys + 1, spec, defaults, indent + 2);
}

static const LkAssociationSpec *
spec_at (const Writer *self, guint32 index)
{
  return g_ptr_array_index (self->accounts->associations, index);
}

static gboolean
is_user (const Writer *self, guint32 index)
{
  return spec_at (self, index)->user[0] != '\0';
}

static void
append_users (const Writer *self, guint32 account, const LkAssociationSpec *defaults, guint indent)
{
  guint32 at = self->firsts[account];
  if (at == LK_INDEX_NONE || !is_user (self, at))
    return;
  g_string_append_printf (self->out, "%*susers:\n", (int)indent, "");
  for (; at != LK_INDEX_NONE && is_user (self, at); at = self->nexts[at])
    append_item (self, lk_accounts_user_keys, spec_at (self, at), defaults, indent + 2);
}

/* The first account below an account; LK_INDEX_NONE: there is none. */
static guint32
first_account (const Writer *self, guint32 account)
{
  guint32 at = self->firsts[account];
  while (at != LK_INDEX_NONE && is_user (self, at))
    at = self->nexts[at];
  return at;
}

/* ---------------------------------------------------------------- the tree */

/* Puts an association behind the last child of its parent that is of its kind. */
static void
children_find (Writer *self)
{
  guint count = self->accounts->associations->len;
  self->firsts = g_new (guint32, count);
  self->nexts = g_new (guint32, count);
  g_autofree guint32 *parents = g_new (guint32, count);
  GHashTable *indices = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < count; i++) {
    const LkAssociationSpec *spec = spec_at (self, i);
    self->firsts[i] = self->nexts[i] = parents[i] = LK_INDEX_NONE;
    if (i > 0)
      parents[i] = GPOINTER_TO_UINT (
          g_hash_table_lookup (indices, is_user (self, i) ? spec->account : spec->parent));
    if (!is_user (self, i))
      g_hash_table_insert (indices, spec->account, GUINT_TO_POINTER (i));
  }
  g_hash_table_unref (indices);
  /* From the end, accounts before users, each to the front. */
  for (guint round = 0; round < 2; round++)
    for (guint i = count; i-- > 1;)
      if (is_user (self, i) == (round == 1)) {
        self->nexts[i] = self->firsts[parents[i]];
        self->firsts[parents[i]] = i;
      }
}

/* An account that is to be written, and how deep it stands. */
typedef struct {
  guint32 index;
  guint indent;
} Pending;

/* The first of them on top. */
static void
pending_push (const Writer *self, GArray *stack, guint32 account, guint indent)
{
  guint low = stack->len;
  for (guint32 at = first_account (self, account); at != LK_INDEX_NONE; at = self->nexts[at]) {
    const Pending pending = { at, indent };
    g_array_append_val (stack, pending);
  }
  for (guint high = stack->len; low + 1 < high; low++, high--) {
    Pending *items = (Pending *)(void *)stack->data;
    const Pending item = items[low];
    items[low] = items[high - 1];
    items[high - 1] = item;
  }
}

static void
append_tree (const Writer *self, const LkAssociationSpec *account_default,
             const LkAssociationSpec *user_default)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Pending));
  if (first_account (self, 0) != LK_INDEX_NONE)
    g_string_append (self->out, "\naccounts:\n");
  pending_push (self, stack, 0, 2);
  while (stack->len > 0) {
    const Pending top = g_array_index (stack, Pending, stack->len - 1);
    guint deeper = top.indent + 2;
    g_array_set_size (stack, stack->len - 1);
    append_item (self, lk_accounts_account_keys, spec_at (self, top.index), account_default,
                 top.indent);
    append_users (self, top.index, user_default, deeper);
    if (first_account (self, top.index) != LK_INDEX_NONE)
      g_string_append_printf (self->out, "%*saccounts:\n", (int)deeper, "");
    pending_push (self, stack, top.index, deeper + 2);
  }
}

/* ---------------------------------------------------------------- the page */

static void
append_qos (const Writer *self, const LkQosSpec *defaults)
{
  g_string_append (self->out, "\nqos:\n");
  for (guint i = 0; i < self->accounts->qos->len; i++)
    append_item (self, lk_accounts_qos_keys, g_ptr_array_index (self->accounts->qos, i), defaults,
                 2);
}

/* Nothing, when it is what every description begins with. */
static void
append_root (Writer *self, const LkAssociationSpec *account_default,
             const LkAssociationSpec *user_default)
{
  static const char usual[] = "  users:\n    - user: root\n      default: true\n"
                              "      admin_level: Administrator\n";
  g_autoptr (GString) lines = g_string_new (NULL);
  GString *out = self->out;
  self->out = lines;
  append_members (self, lk_accounts_root_keys, spec_at (self, 0), account_default, 2);
  append_users (self, 0, user_default, 2);
  self->out = out;
  guint32 first = self->firsts[0];
  gboolean has_users = first != LK_INDEX_NONE && is_user (self, first);
  if (!has_users)
    g_string_append (lines, "  users: []\n");
  if (strcmp (lines->str, usual) != 0)
    g_string_append_printf (out, "\nroot:\n%s", lines->str);
}

void
lk_accounts_yaml_write (const LkAccounts *accounts, const char *header_comment, GString *out)
{
  g_autoptr (LkAccounts) defaults = lk_accounts_new (NULL);
  Writer writer = { .accounts = accounts, .out = out };
  const LkAssociationSpec *account = lk_accounts_add_account (defaults, "", "");
  const LkAssociationSpec *user = lk_accounts_add_user (defaults, "", "", NULL);
  children_find (&writer);
  if (header_comment != NULL)
    lk_yaml_append_comment (header_comment, out);
  g_string_append (out, "cluster: ");
  lk_yaml_append_text (accounts->cluster, FALSE, out);
  g_string_append_c (out, '\n');
  append_members (&writer, lk_accounts_page_keys + 1, accounts, defaults, 0);
  append_qos (&writer, lk_accounts_add_qos (defaults, ""));
  append_root (&writer, account, user);
  append_tree (&writer, account, user);
  g_free (writer.firsts);
  g_free (writer.nexts);
}
