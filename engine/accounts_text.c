/* engine/accounts_text.c — the canonical text of accounts, both ways.
 *
 * The tables of engine/accounts_fields.h become arrays of members at compile time; what a line
 * looks like is said in engine/line_text.h.  Limits are KIND=value or KIND:tres=value with commas
 * between, by kind, then TRES; use before is tres=value likewise. */
#include <string.h>

#include "engine/accounts.h"
#include "engine/accounts_fields.h"
#include "engine/assert.h"
#include "engine/line_text.h"

#define SHARES_PARENT_WORD "parent"

/* ---------------------------------------------------------------- words */

#define X(NAME, bit, word) [bit] = word,
static const char *const words_enforce[] = { LK_ENFORCES (X) NULL };
static const char *const words_qos_flags[] = { LK_QOS_FLAGS (X) NULL };
#undef X

const char *
lk_enforce_name (guint bit)
{
  return bit < G_N_ELEMENTS (words_enforce) ? words_enforce[bit] : NULL;
}

const char *
lk_qos_flag_name (guint bit)
{
  return bit < G_N_ELEMENTS (words_qos_flags) ? words_qos_flags[bit] : NULL;
}

#define X(type, c_type, ...)                                                                       \
  static const char *const words_##type[] = { __VA_ARGS__, NULL };                                 \
  const char *const *lk_##type##_words (void)                                                      \
  {                                                                                                \
    return words_##type;                                                                           \
  }
LK_ACCOUNTS_ENUMS (X)
#undef X

/* ---------------------------------------------------------------- values of our own types */

static void
shares_append (GString *out, const LkLineMember *member, const void *spec, const void *context)
{
  const LkAssociationSpec *association = spec;
  if (association->shares == LK_SHARES_PARENT)
    g_string_append (out, SHARES_PARENT_WORD);
  else
    lk_line_u32.append (out, member, spec, context);
}

static gboolean
shares_read (LkLineReader *reader, const LkLineMember *member, void *spec)
{
  LkAssociationSpec *association = spec;
  association->shares = LK_SHARES_PARENT;
  if (lk_line_skip (reader, SHARES_PARENT_WORD))
    return TRUE;
  return lk_line_u32.read (reader, member, spec) && association->shares != LK_SHARES_PARENT;
}

static GArray *
array_of (const LkLineMember *member, const void *spec)
{
  GArray *array;
  memcpy (&array, (const char *)spec + member->offset_bytes, sizeof array);
  return array;
}

static void
limits_append (GString *out, const LkLineMember *member, const void *spec, const void *context)
{
  const LkAccounts *accounts = context;
  const GArray *limits = array_of (member, spec);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < limits->len; i++) {
    const LkLimitItem *item = &g_array_index (limits, LkLimitItem, i);
    g_string_append_printf (text, "%s%s", i > 0 ? "," : "", lk_limit_kind_name (item->kind));
    if (lk_limit_kind_value (item->kind) >= LK_LIMIT_TRES) {
      LK_ASSERT (item->tres < accounts->tres->len);
      g_string_append_printf (text, ":%s",
                              (const char *)g_ptr_array_index (accounts->tres, item->tres));
    }
    g_string_append_printf (text, "=%" G_GUINT64_FORMAT, item->value);
  }
  lk_line_append_text (out, text->str);
}

static void
tres_values_append (GString *out, const LkLineMember *member, const void *spec, const void *context)
{
  const LkAccounts *accounts = context;
  const GArray *values = array_of (member, spec);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < values->len; i++) {
    const LkTresValue *value = &g_array_index (values, LkTresValue, i);
    LK_ASSERT (value->tres < accounts->tres->len);
    g_string_append_printf (text, "%s%s=", i > 0 ? "," : "",
                            (const char *)g_ptr_array_index (accounts->tres, value->tres));
    lk_line_append_real (text, value->value);
  }
  lk_line_append_text (out, text->str);
}

/* Cuts NAME=VALUE, up to a comma or the end, off a text. FALSE: it is none. */
static gboolean
pair_cut (char **at, char **out_name, char **out_value)
{
  char *pair = *at;
  char *end = strchr (pair, ',');
  *at = end == NULL ? pair + strlen (pair) : end + 1;
  /* A comma with nothing behind it is not what the writer writes. */
  if (end != NULL && end[1] == '\0')
    return FALSE;
  if (end != NULL)
    *end = '\0';
  char *mark = strchr (pair, '=');
  if (mark == NULL)
    return FALSE;
  *mark = '\0';
  *out_name = pair;
  *out_value = mark + 1;
  return TRUE;
}

static gboolean
limit_number_read (const char *text, guint64 *out_value)
{
  LkLineReader reader = { .at = text, .end = text + strlen (text) };
  return lk_line_number_read (&reader, G_MAXINT64, out_value) && reader.at == reader.end;
}

/* KIND or KIND:tres. */
static gboolean
limit_name_read (const LkAccounts *accounts, char *name, LkLimitItem *item)
{
  char *colon = strchr (name, ':');
  if (colon != NULL)
    *colon = '\0';
  item->kind = 0;
  while (item->kind < LK_LIMIT_KIND_COUNT && strcmp (name, lk_limit_kind_name (item->kind)) != 0)
    item->kind++;
  if (item->kind == LK_LIMIT_KIND_COUNT)
    return FALSE;
  gboolean has_tres = lk_limit_kind_value (item->kind) >= LK_LIMIT_TRES;
  item->tres = has_tres && colon != NULL ? lk_accounts_find_tres (accounts, colon + 1) : 0;
  return has_tres == (colon != NULL) && item->tres != LK_INDEX_NONE;
}

static gboolean
limits_read (LkLineReader *reader, const LkLineMember *member, void *spec)
{
  GArray *limits = array_of (member, spec);
  g_autofree char *text = lk_line_value_read (reader);
  char *at = text;
  char *name;
  char *value;
  while (at != NULL && *at != '\0') {
    LkLimitItem item;
    if (!pair_cut (&at, &name, &value) || !limit_name_read (reader->context, name, &item)
        || !limit_number_read (value, &item.value))
      return FALSE;
    g_array_append_val (limits, item);
  }
  return text != NULL;
}

static gboolean
tres_values_read (LkLineReader *reader, const LkLineMember *member, void *spec)
{
  GArray *values = array_of (member, spec);
  g_autofree char *text = lk_line_value_read (reader);
  char *at = text;
  char *name;
  char *number;
  while (at != NULL && *at != '\0') {
    LkTresValue value;
    if (!pair_cut (&at, &name, &number) || !lk_line_real_parse (number, &value.value))
      return FALSE;
    value.tres = lk_accounts_find_tres (reader->context, name);
    if (value.tres == LK_INDEX_NONE)
      return FALSE;
    g_array_append_val (values, value);
  }
  return text != NULL;
}

/* ---------------------------------------------------------------- tables */

static const LkLineType type_shares = { shares_append, shares_read,
                                        "a number below 2^32 or `parent`", NULL };
static const LkLineType type_limits = { limits_append, limits_read,
                                        "KIND=number or KIND:TRES=number with commas between",
                                        NULL };
static const LkLineType type_tres_values = { tres_values_append, tres_values_read,
                                             "TRES=number with commas between", NULL };
static const LkLineType type_enforce = { lk_line_set_append, lk_line_set_read,
                                         "words with commas between", words_enforce };
static const LkLineType type_qos_flags = { lk_line_set_append, lk_line_set_read,
                                           "words with commas between", words_qos_flags };

#define X(type, c_type, ...)                                                                       \
  static const LkLineType type_##type = { lk_line_word_append, lk_line_word_read,                  \
                                          "one of its words", words_##type };
LK_ACCOUNTS_ENUMS (X)
#undef X

/* The C type of a member of each type, and how it is written and read. */
#define C_text char *
#define C_u32 guint32
#define C_i64 gint64
#define C_s64 gint64
#define C_real double
#define C_flag gboolean
#define C_names GPtrArray *
#define C_shares guint32
#define C_limits GArray *
#define C_tres_values GArray *
#define C_enforce guint32
#define C_qos_flags guint32
#define C_compat guint32
#define C_reset LkResetPeriod
#define C_billing LkBillingRule

#define TYPE_text &lk_line_text
#define TYPE_u32 &lk_line_u32
#define TYPE_i64 &lk_line_i64
#define TYPE_s64 &lk_line_s64
#define TYPE_real &lk_line_real
#define TYPE_flag &lk_line_flag
#define TYPE_names &lk_line_names
#define TYPE_shares &type_shares
#define TYPE_limits &type_limits
#define TYPE_tres_values &type_tres_values
#define TYPE_enforce &type_enforce
#define TYPE_qos_flags &type_qos_flags
#define TYPE_compat &type_compat
#define TYPE_reset &type_reset
#define TYPE_billing &type_billing

#define ENTRY(type, member, help) { TYPE_##type, offsetof (STRUCT, member), #member, help },
#define SAME(type, member, help)                                                                   \
  G_STATIC_ASSERT (__builtin_types_compatible_p (__typeof__ (((STRUCT *)0)->member), C_##type));
#define STRUCT LkAccounts
LK_ACCOUNTS_FIELDS (SAME)
static const LkLineMember members_ACCOUNTS[] = { LK_ACCOUNTS_FIELDS (ENTRY) };
#undef STRUCT
#define STRUCT LkQosSpec
LK_QOS_FIELDS (SAME)
static const LkLineMember members_QOS[] = { LK_QOS_FIELDS (ENTRY) };
#undef STRUCT
#define STRUCT LkAssociationSpec
LK_ASSOCIATION_FIELDS (SAME)
static const LkLineMember members_ASSOCIATION[] = { LK_ASSOCIATION_FIELDS (ENTRY) };
#undef STRUCT

typedef enum {
#define X(KIND, kind, type, help) LINE_##KIND,
  LK_ACCOUNTS_LINES (X) LINE_COUNT
#undef X
} LineKind;

#define X(KIND, kind, type, help) { #kind, members_##KIND, G_N_ELEMENTS (members_##KIND), help },
static const LkLine lines[] = { LK_ACCOUNTS_LINES (X) };
#undef X

/* ---------------------------------------------------------------- writing */

void
lk_accounts_text (const LkAccounts *self, GString *out)
{
  lk_line_append (out, &lines[LINE_ACCOUNTS], self, self);
  for (guint i = 0; i < self->qos->len; i++)
    lk_line_append (out, &lines[LINE_QOS], g_ptr_array_index (self->qos, i), self);
  for (guint i = 0; i < self->associations->len; i++)
    lk_line_append (out, &lines[LINE_ASSOCIATION], g_ptr_array_index (self->associations, i), self);
}

void
lk_accounts_qos_text (const LkAccounts *self, const LkQosSpec *spec, GString *out)
{
  lk_line_append (out, &lines[LINE_QOS], spec, self);
}

void
lk_accounts_association_text (const LkAccounts *self, const LkAssociationSpec *spec, GString *out)
{
  lk_line_append (out, &lines[LINE_ASSOCIATION], spec, self);
}

/* ---------------------------------------------------------------- reading */

/* A new spec of this kind. NULL: there are too many. */
static void *
spec_add (LkAccounts *accounts, LineKind kind)
{
  if (kind == LINE_QOS)
    return accounts->qos->len < LK_LIMIT_QOS ? lk_accounts_add_qos (accounts, "") : NULL;
  return accounts->associations->len < LK_LIMIT_ASSOCIATIONS
             ? lk_accounts_add_account (accounts, "", "")
             : NULL;
}

static gboolean
lines_read (LkLineReader *reader, LkAccounts *accounts)
{
  LineKind last = LINE_ACCOUNTS;
  if (lk_line_kind_read (reader, lines, LINE_COUNT) != LINE_ACCOUNTS)
    return lk_line_wrong (reader, "cluster", "the line of the accounts");
  if (!lk_line_read (reader, &lines[LINE_ACCOUNTS], accounts))
    return FALSE;
  while (reader->at < reader->end) {
    reader->line_number++;
    LineKind kind = lk_line_kind_read (reader, lines, LINE_COUNT);
    gboolean may_follow = kind != LINE_COUNT && kind != LINE_ACCOUNTS && kind >= last;
    void *spec = may_follow ? spec_add (accounts, kind) : NULL;
    if (spec == NULL)
      return lk_line_wrong (reader, "associations",
                            "qos or association, in this order and not too many");
    if (!lk_line_read (reader, &lines[kind], spec))
      return FALSE;
    last = kind;
  }
  return TRUE;
}

/* A spec of one line and nothing else. NULL: it is none. */
static void *
line_read (LkAccounts *accounts, LineKind kind, const char *text, gsize length_bytes)
{
  LkLineReader reader = {
    .at = text, .end = text + length_bytes, .line_number = 1, .context = accounts
  };
  if (lk_line_kind_read (&reader, lines, LINE_COUNT) != kind)
    return NULL;
  void *spec = spec_add (accounts, kind);
  return spec != NULL && lk_line_read (&reader, &lines[kind], spec) && reader.at == reader.end
             ? spec
             : NULL;
}

LkQosSpec *
lk_accounts_qos_read (LkAccounts *self, const char *text, gsize length_bytes)
{
  return line_read (self, LINE_QOS, text, length_bytes);
}

LkAssociationSpec *
lk_accounts_association_read (LkAccounts *self, const char *text, gsize length_bytes)
{
  return line_read (self, LINE_ASSOCIATION, text, length_bytes);
}

gboolean
lk_accounts_limit_read (const LkAccounts *self, char *name, LkLimitItem *out_item)
{
  return limit_name_read (self, name, out_item);
}

/* The line of a spec; 1 when it is none. */
static guint
line_of (const LkAccounts *accounts, const void *spec)
{
  for (guint i = 0; i < accounts->qos->len; i++)
    if (g_ptr_array_index (accounts->qos, i) == spec)
      return 2 + i;
  for (guint i = 0; i < accounts->associations->len; i++)
    if (g_ptr_array_index (accounts->associations, i) == spec)
      return 2 + accounts->qos->len + i;
  return 1;
}

/* Puts the line in place of the spec, which will not live on. */
static void
error_place (const LkAccounts *accounts, LkAccountsError *error)
{
  char text[sizeof error->text];
  memcpy (text, error->text, sizeof text);
  g_snprintf (error->text, sizeof error->text, "line %u: %s", line_of (accounts, error->spec),
              text);
  error->spec = NULL;
}

/* A text is one of checked accounts: reading it adds and moves nothing. */
static gboolean
same_text (const LkAccounts *accounts, const char *text, gsize length_bytes)
{
  g_autoptr (GString) again = g_string_sized_new (length_bytes);
  lk_accounts_text (accounts, again);
  return again->len == length_bytes && memcmp (again->str, text, length_bytes) == 0;
}

/* Returns: (transfer full): with nothing in it but defaults that the text replaces. */
static LkAccounts *
accounts_new_bare (void)
{
  LkAccounts *accounts = lk_accounts_new ("");
  g_ptr_array_set_size (accounts->tres, 0);
  g_ptr_array_set_size (accounts->qos, 0);
  g_ptr_array_set_size (accounts->associations, 0);
  lk_accounts_reindex (accounts);
  return accounts;
}

/* What the reader found wrong. Returns NULL. */
static LkAccounts *
refuse (const LkLineReader *reader, LkAccountsError *error)
{
  error->spec = NULL;
  error->member = reader->member;
  memcpy (error->text, reader->text, sizeof error->text);
  return NULL;
}

static LkAccounts *
accounts_read (const char *text, gsize length_bytes, LkAccountsError *error)
{
  g_autoptr (LkAccounts) accounts = accounts_new_bare ();
  LkLineReader reader = {
    .at = text, .end = text + length_bytes, .line_number = 1, .context = accounts
  };
  if (!lines_read (&reader, accounts))
    return refuse (&reader, error);
  if (!lk_accounts_check (accounts, error)) {
    error_place (accounts, error);
    return NULL;
  }
  if (!same_text (accounts, text, length_bytes)) {
    lk_line_wrong (&reader, "associations",
                   "parents before their children, a default account of each user, and all that "
                   "is enforced before it");
    return refuse (&reader, error);
  }
  return g_steal_pointer (&accounts);
}

LkAccounts *
lk_accounts_from_text (const char *text, gsize length_bytes, LkAccountsError *out_error)
{
  LkAccountsError error = { NULL, "associations", "" };
  LkAccounts *accounts = NULL;
  if (length_bytes > 0 && length_bytes <= LK_LIMIT_ACCOUNTS_TEXT_BYTES)
    accounts = accounts_read (text, length_bytes, &error);
  else
    g_snprintf (error.text, sizeof error.text,
                "has %" G_GSIZE_FORMAT " bytes; expected a description of 1 to %u", length_bytes,
                LK_LIMIT_ACCOUNTS_TEXT_BYTES);
  if (accounts == NULL && out_error)
    *out_error = error;
  return accounts;
}

void
lk_accounts_markdown (GString *out)
{
  lk_lines_markdown (out, lines, G_N_ELEMENTS (lines));
}
