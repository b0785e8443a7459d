/* engine/accounts_check.c — does a description of accounts hang together?
 *
 * The checks go from what stands alone (letters, ranges) to what refers to something (QOS, TRES,
 * parents), so that a later one can rely on the earlier.  Nothing is changed before all of them
 * have passed; then what goes without saying is filled in. */
#include <string.h>

#include "engine/accounts.h"
#include "engine/accounts_fields.h"

#define NAME_BYTES_MAX 255u
/* Letters of the syntax of dumps, scripts and lists. */
#define NOT_IN_NAMES "\"'\\,=:|"
#define NOT_IN_TRES_NAMES "\"'\\,=|"
#define NOT_IN_LISTS "\"'\\=:|"
/* No clock differs by more than a day. */
#define UTC_OFFSET_MAX_S 86400
/* Of use and factors: sums and products of such numbers stay finite. */
#define AMOUNT_MAX 1e30
/* FairShare=parent as sacctmgr writes it: no number of shares. */
#define SHARES_LIMIT 2147483647u
#define FLAG_BIT(NAME, bit, word) | (guint32)LK_QOS_##NAME
#define FLAGS_ALL (0u LK_QOS_FLAGS (FLAG_BIT))
/* Slurm's largest number that is not one of its marks for "none". */
#define COUNT_LIMIT 0xfffffffeu

typedef struct {
  LkAccounts *accounts;
  LkAccountsError error;
  guint32 *parents; /* of associations by index; LK_INDEX_NONE of the root */
  GPtrArray *order; /* of LkAssociationSpec*, parents first */
} Check;

static gboolean wrong (Check *self, const void *spec, const char *member, const char *format, ...)
    G_GNUC_PRINTF (4, 5);

/* Notes what is wrong. Returns FALSE. */
static gboolean
wrong (Check *self, const void *spec, const char *member, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  self->error.spec = spec;
  self->error.member = member;
  g_vsnprintf (self->error.text, sizeof self->error.text, format, arguments);
  va_end (arguments);
  return FALSE;
}

/* ---------------------------------------------------------------- texts and numbers */

typedef struct {
  Check *check;
  const void *spec;
  const char *member;
} Place;

#define PLACE(member) ((Place){ check, spec, member })

/* Any text: UTF-8 that fits on a page. */
static gboolean
text_check (Place place, const char *text)
{
  if (!g_utf8_validate (text, -1, NULL))
    return wrong (place.check, place.spec, place.member, "is not UTF-8");
  for (const char *at = text; *at != '\0'; at++)
    if (g_ascii_iscntrl (*at) && *at != '\n' && *at != '\t')
      return wrong (place.check, place.spec, place.member,
                    "holds the control character %d; expected text", *at);
  return TRUE;
}

/* Letters of a name or a list, which may be empty. */
static gboolean
letters_check (Place place, const char *text, const char *forbidden)
{
  for (const char *at = text; *at != '\0'; at++)
    if (!g_ascii_isgraph (*at) || strchr (forbidden, *at) != NULL)
      return wrong (place.check, place.spec, place.member,
                    "holds a letter that names may not have; expected ASCII without blanks and %s",
                    forbidden);
  return TRUE;
}

static gboolean
name_check (Place place, const char *name, const char *forbidden)
{
  gsize length_bytes = strlen (name);
  if (length_bytes == 0 || length_bytes > NAME_BYTES_MAX)
    return wrong (place.check, place.spec, place.member,
                  "has %" G_GSIZE_FORMAT " letters; expected 1 to %u", length_bytes,
                  NAME_BYTES_MAX);
  return letters_check (place, name, forbidden);
}

/* As name_check, and in lower case. */
static gboolean
lower_name_check (Place place, const char *name, const char *forbidden)
{
  if (!name_check (place, name, forbidden))
    return FALSE;
  for (const char *at = name; *at != '\0'; at++)
    if (g_ascii_isupper (*at))
      return wrong (place.check, place.spec, place.member,
                    "is '%.80s'; expected a name in lower case", name);
  return TRUE;
}

static gboolean
range_check (Place place, gint64 value, gint64 low, gint64 high)
{
  if (value >= low && value <= high)
    return TRUE;
  if (high == G_MAXINT64)
    return wrong (place.check, place.spec, place.member,
                  "is %" G_GINT64_FORMAT "; expected %" G_GINT64_FORMAT " or more", value, low);
  return wrong (place.check, place.spec, place.member,
                "is %" G_GINT64_FORMAT "; expected %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                value, low, high);
}

/* Finite and not below 0. */
static gboolean
amount_check (Place place, double value)
{
  if (value >= 0 && value <= AMOUNT_MAX)
    return TRUE;
  return wrong (place.check, place.spec, place.member,
                "is no number from 0 to 1e30; expected 0 or more");
}

/* The same, or -1 for none. */
static gboolean
threshold_check (Place place, double value)
{
  if (value == -1.0 || (value >= 0 && value - value == 0.0))
    return TRUE;
  return wrong (place.check, place.spec, place.member,
                "is below 0 or no finite number; expected 0 or more, or -1 for none");
}

/* ---------------------------------------------------------------- settings */

static gboolean
tres_check (Check *check)
{
  const void *spec = NULL;
  const GPtrArray *tres = check->accounts->tres;
  g_autoptr (LkAccounts) fresh = lk_accounts_new (NULL);
  if (!range_check (PLACE ("tres"), tres->len, LK_TRES_FIXED, LK_TRES_MAX))
    return FALSE;
  for (guint i = 0; i < tres->len; i++) {
    const char *name = g_ptr_array_index (tres, i);
    if (!lower_name_check (PLACE ("tres"), name, NOT_IN_TRES_NAMES))
      return FALSE;
    if (i < LK_TRES_FIXED && strcmp (name, g_ptr_array_index (fresh->tres, i)) != 0)
      return wrong (check, NULL, "tres", "number %u is '%.80s'; expected '%s'", i, name,
                    (const char *)g_ptr_array_index (fresh->tres, i));
    if (lk_accounts_find_tres (check->accounts, name) != i)
      return wrong (check, NULL, "tres", "has '%.80s' twice; expected each TRES once", name);
  }
  return TRUE;
}

/* How often use decays. */
static gboolean
period_check (Place place, gint64 period_us)
{
  if (period_us > 0)
    return TRUE;
  return wrong (place.check, place.spec, place.member,
                "is %" G_GINT64_FORMAT "; expected a time above 0", period_us);
}

static gboolean
settings_check (Check *check)
{
  const void *spec = NULL;
  const LkAccounts *accounts = check->accounts;
  return name_check (PLACE ("cluster"), accounts->cluster, NOT_IN_NAMES) && tres_check (check)
         && range_check (PLACE ("enforce"), accounts->enforce, 0, 15)
         && range_check (PLACE ("compat"), accounts->compat, 0, LK_COMPAT_SLURM_22_05)
         && range_check (PLACE ("half_life_us"), accounts->half_life_us, 0, G_MAXINT64)
         && period_check (PLACE ("calc_period_us"), accounts->calc_period_us)
         && range_check (PLACE ("reset"), accounts->reset, LK_RESET_NONE, LK_RESET_YEARLY)
         && range_check (PLACE ("utc_offset_s"), accounts->utc_offset_s, -UTC_OFFSET_MAX_S,
                         UTC_OFFSET_MAX_S)
         && range_check (PLACE ("billing"), accounts->billing, LK_BILLING_SUM, LK_BILLING_MAX_GRES)
         && range_check (PLACE ("qos"), accounts->qos->len, 1, LK_LIMIT_QOS)
         && range_check (PLACE ("associations"), accounts->associations->len, 1,
                         LK_LIMIT_ASSOCIATIONS);
}

/* ---------------------------------------------------------------- limits */

static gboolean
limit_check (Place place, const LkLimitItem *item, gboolean is_qos)
{
  Check *check = place.check;
  if (item->kind >= LK_LIMIT_KIND_COUNT)
    return wrong (check, place.spec, "limits", "has a limit of kind %u; expected 0 to %u",
                  item->kind, LK_LIMIT_KIND_COUNT - 1);
  const char *name = lk_limit_kind_name (item->kind);
  gboolean is_on =
      is_qos ? lk_limit_kind_on_qos (item->kind) : lk_limit_kind_on_association (item->kind);
  if (!is_on)
    return wrong (check, place.spec, "limits", "has %s; expected limits of %s", name,
                  is_qos ? "a QOS" : "an association");
  LkLimitValue type = lk_limit_kind_value (item->kind);
  guint32 tres_count = type >= LK_LIMIT_TRES ? check->accounts->tres->len : 1;
  if (item->tres >= tres_count)
    return wrong (check, place.spec, "limits", "has %s of TRES number %u; expected 0 to %u", name,
                  item->tres, tres_count - 1);
  guint64 value_max = type >= LK_LIMIT_TRES ? G_MAXINT64 : COUNT_LIMIT - 1;
  if (item->value > value_max)
    return wrong (check, place.spec, "limits",
                  "has %s=%" G_GUINT64_FORMAT "; expected at most %" G_GUINT64_FORMAT, name,
                  item->value, value_max);
  return TRUE;
}

static gboolean
limits_check (Check *check, const void *spec, const GArray *limits, gboolean is_qos)
{
  for (guint i = 0; i < limits->len; i++) {
    const LkLimitItem *item = &g_array_index (limits, LkLimitItem, i);
    if (!limit_check (PLACE ("limits"), item, is_qos))
      return FALSE;
    const LkLimitItem *last = i > 0 ? item - 1 : NULL;
    if (last != NULL
        && (last->kind > item->kind || (last->kind == item->kind && last->tres >= item->tres)))
      return wrong (check, spec, "limits",
                    "has %s twice or out of order; expected each once, by kind, then TRES",
                    lk_limit_kind_name (item->kind));
  }
  return TRUE;
}

/* ---------------------------------------------------------------- QOS */

/* One name of a list, which must be that of a QOS; without the sign before it. */
static gboolean
listed_qos_check (Place place, const char *name, gsize length_bytes)
{
  g_autofree char *text = g_strndup (name, length_bytes);
  if (lk_accounts_find_qos (place.check->accounts, text) != NULL)
    return TRUE;
  return wrong (place.check, place.spec, place.member, "names the QOS '%.80s', which is not there",
                text);
}

/* "", "a,b", or with `may_change` "+a,-b". */
static gboolean
qos_list_check (Place place, const char *list, gboolean may_change)
{
  if (*list == '\0')
    return TRUE;
  if (!letters_check (place, list, NOT_IN_LISTS))
    return FALSE;
  gboolean is_change = *list == '+' || *list == '-';
  for (const char *at = list;; at++) {
    gboolean has_sign = *at == '+' || *at == '-';
    if (has_sign != is_change || (has_sign && !may_change))
      return wrong (place.check, place.spec, place.member, "is '%.80s'; expected %s", list,
                    may_change ? "names of QOS, all with a + or - before them or none"
                               : "names of QOS");
    at += has_sign ? 1 : 0;
    gsize length_bytes = strcspn (at, ",");
    if (!listed_qos_check (place, at, length_bytes))
      return FALSE;
    at += length_bytes;
    if (*at == '\0')
      return TRUE;
  }
}

static gboolean
qos_check (Check *check, const LkQosSpec *spec)
{
  if (!lower_name_check (PLACE ("name"), spec->name, NOT_IN_NAMES))
    return FALSE;
  if (*spec->name == '+' || *spec->name == '-')
    return wrong (check, spec, "name", "begins with %c; expected a letter", *spec->name);
  if (lk_accounts_find_qos (check->accounts, spec->name) != spec)
    return wrong (check, spec, "name", "is '%.80s', which is there twice; expected each QOS once",
                  spec->name);
  if ((spec->flags & ~FLAGS_ALL) != 0)
    return wrong (check, spec, "flags", "has bits that are no flag");
  return text_check (PLACE ("description"), spec->description)
         && amount_check (PLACE ("usage_factor"), spec->usage_factor)
         && threshold_check (PLACE ("usage_threshold"), spec->usage_threshold)
         && threshold_check (PLACE ("limit_factor"), spec->limit_factor)
         && limits_check (check, spec, spec->limits, TRUE)
         && qos_list_check (PLACE ("preempt"), spec->preempt, FALSE)
         && letters_check (PLACE ("preempt_mode"), spec->preempt_mode, NOT_IN_LISTS)
         && range_check (PLACE ("grace_us"), spec->grace_us, 0, G_MAXINT64)
         && range_check (PLACE ("preempt_exempt_us"), spec->preempt_exempt_us, -1, G_MAXINT64);
}

/* ---------------------------------------------------------------- associations alone */

/* "" or "a,b": accounts that are there. */
static gboolean
coordinates_check (Check *check, const LkAssociationSpec *spec)
{
  if (*spec->coordinates == '\0')
    return TRUE;
  if (*spec->user == '\0')
    return wrong (check, spec, "coordinates", "is set of an account; expected it of users");
  if (!letters_check (PLACE ("coordinates"), spec->coordinates, NOT_IN_LISTS))
    return FALSE;
  for (const char *at = spec->coordinates;; at++) {
    gsize length_bytes = strcspn (at, ",");
    g_autofree char *name = g_strndup (at, length_bytes);
    if (lk_accounts_find (check->accounts, name, "", "") == NULL)
      return wrong (check, spec, "coordinates", "names the account '%.80s', which is not there",
                    name);
    at += length_bytes;
    if (*at == '\0')
      return TRUE;
  }
}

static gboolean
is_user (const LkAssociationSpec *spec)
{
  return *spec->user != '\0';
}

static gboolean
usage_check (Check *check, const LkAssociationSpec *spec)
{
  if (!amount_check (PLACE ("usage"), spec->usage)
      || !amount_check (PLACE ("usage_wall_s"), spec->usage_wall_s))
    return FALSE;
  for (guint i = 0; i < spec->usage_tres->len; i++) {
    const LkTresValue *value = &g_array_index (spec->usage_tres, LkTresValue, i);
    if (value->tres >= check->accounts->tres->len || (i > 0 && (value - 1)->tres >= value->tres))
      return wrong (check, spec, "usage_tres",
                    "has a TRES that is not there, twice or out of order");
    if (!amount_check (PLACE ("usage_tres"), value->value))
      return FALSE;
  }
  gboolean has_usage = spec->usage != 0 || spec->usage_wall_s != 0 || spec->usage_tres->len > 0;
  if (has_usage && !is_user (spec))
    return wrong (check, spec, "usage",
                  "is set of an account; expected use of users, which counts for all above them");
  return TRUE;
}

/* What only users or only accounts have. */
static gboolean
association_kind_check (Check *check, const LkAssociationSpec *spec)
{
  if (!is_user (spec) && *spec->partition != '\0')
    return wrong (check, spec, "partition", "is set of an account; expected partitions of users");
  if (!is_user (spec) && spec->is_default)
    return wrong (check, spec, "is_default", "is set of an account; expected it of users");
  if (is_user (spec) && *spec->parent != '\0')
    return wrong (check, spec, "parent", "is set of a user, whose parent is its account");
  if (is_user (spec) && (*spec->description != '\0' || *spec->organization != '\0'))
    return wrong (check, spec, "description",
                  "or organization is set of a user; expected it of accounts");
  if (!is_user (spec) && *spec->admin_level != '\0')
    return wrong (check, spec, "admin_level", "is set of an account; expected it of users");
  if (*spec->admin_level != '\0' && strcmp (spec->admin_level, "Operator") != 0
      && strcmp (spec->admin_level, "Administrator") != 0)
    return wrong (check, spec, "admin_level",
                  "is none that there is; expected Operator, Administrator or nothing");
  return TRUE;
}

static gboolean
association_check (Check *check, const LkAssociationSpec *spec)
{
  if (!lower_name_check (PLACE ("account"), spec->account, NOT_IN_NAMES)
      || (is_user (spec) && !lower_name_check (PLACE ("user"), spec->user, NOT_IN_NAMES))
      || (*spec->partition && !name_check (PLACE ("partition"), spec->partition, NOT_IN_NAMES))
      || (*spec->parent && !lower_name_check (PLACE ("parent"), spec->parent, NOT_IN_NAMES))
      || !association_kind_check (check, spec)
      || !text_check (PLACE ("description"), spec->description)
      || !text_check (PLACE ("organization"), spec->organization))
    return FALSE;
  if (spec->shares >= SHARES_LIMIT && spec->shares != LK_SHARES_PARENT)
    return wrong (check, spec, "shares", "is %u; expected 0 to %u, or parent", spec->shares,
                  SHARES_LIMIT - 1);
  if (!letters_check (PLACE ("default_qos"), spec->default_qos, NOT_IN_LISTS))
    return FALSE;
  if (*spec->default_qos != '\0'
      && !listed_qos_check (PLACE ("default_qos"), spec->default_qos, strlen (spec->default_qos)))
    return FALSE;
  gboolean is_root = spec == g_ptr_array_index (check->accounts->associations, 0);
  return qos_list_check (PLACE ("qos"), spec->qos, /* may_change= */ !is_root)
         && limits_check (check, spec, spec->limits, FALSE) && usage_check (check, spec)
         && coordinates_check (check, spec);
}

/* ---------------------------------------------------------------- the tree */

static guint32
index_of (const LkAccounts *accounts, const LkAssociationSpec *spec)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (accounts->association_index, spec)) - 1;
}

static gboolean
root_check (Check *check)
{
  const LkAssociationSpec *spec = g_ptr_array_index (check->accounts->associations, 0);
  if (strcmp (spec->account, "root") != 0 || is_user (spec))
    return wrong (check, spec, "account", "is '%.80s'; expected the account root first",
                  spec->account);
  if (*spec->parent != '\0')
    return wrong (check, spec, "parent", "is '%.80s'; expected none above the root", spec->parent);
  return TRUE;
}

static gboolean
twice_wrong (Check *check, const LkAssociationSpec *spec)
{
  if (!is_user (spec))
    return wrong (check, spec, "account",
                  "is '%.80s', which is there twice; expected each account once", spec->account);
  return wrong (check, spec, "user",
                "is '%.80s', who is there twice in account '%.80s'; expected each user once",
                spec->user, spec->account);
}

/* Finds the parent of each. */
static gboolean
parents_find (Check *check)
{
  const GPtrArray *specs = check->accounts->associations;
  check->parents[0] = LK_INDEX_NONE;
  for (guint i = 0; i < specs->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (specs, i);
    const char *name = is_user (spec) ? spec->account : spec->parent;
    const char *member = is_user (spec) ? "account" : "parent";
    if (index_of (check->accounts, spec) != i)
      return twice_wrong (check, spec);
    if (i == 0)
      continue;
    if (*name == '\0')
      return wrong (check, spec, "parent", "is empty; expected the account above");
    const LkAssociationSpec *parent = lk_accounts_find (check->accounts, name, "", "");
    if (parent == NULL)
      return wrong (check, spec, member, "is '%.80s', an account that is not there", name);
    check->parents[i] = index_of (check->accounts, parent);
  }
  return TRUE;
}

/* Those that wait for a parent, in lists by parent, in their order. */
typedef struct {
  guint32 *firsts;
  guint32 *lasts;
  guint32 *nexts;
  guint8 *depths; /* 0: not yet in order; the root has 1 */
  GArray *stack;  /* of guint32 */
} Waiting;

static void
waiting_clear (Waiting *self)
{
  g_free (self->firsts);
  g_free (self->lasts);
  g_free (self->nexts);
  g_free (self->depths);
  g_array_unref (self->stack);
}

static guint32 *
indices_new (guint count)
{
  guint32 *indices = g_new (guint32, count);
  for (guint i = 0; i < count; i++)
    indices[i] = LK_INDEX_NONE;
  return indices;
}

static void
waiting_add (Waiting *self, guint32 parent, guint32 index)
{
  if (self->lasts[parent] == LK_INDEX_NONE)
    self->firsts[parent] = index;
  else
    self->nexts[self->lasts[parent]] = index;
  self->lasts[parent] = index;
}

/* Those that wait for `parent`, the first of them on top. */
static void
waiting_push (Waiting *self, guint32 parent)
{
  guint bottom = self->stack->len;
  for (guint32 at = self->firsts[parent]; at != LK_INDEX_NONE; at = self->nexts[at])
    g_array_append_val (self->stack, at);
  for (guint low = bottom, high = self->stack->len; low + 1 < high; low++, high--) {
    guint32 *items = (guint32 *)(void *)self->stack->data;
    guint32 item = items[low];
    items[low] = items[high - 1];
    items[high - 1] = item;
  }
}

/* Puts one in order whose parent is, and all that wait for it. */
static gboolean
order_add (Check *check, Waiting *waiting, guint32 index)
{
  const GPtrArray *specs = check->accounts->associations;
  g_array_append_val (waiting->stack, index);
  while (waiting->stack->len > 0) {
    guint32 at = g_array_index (waiting->stack, guint32, waiting->stack->len - 1);
    gpointer spec = g_ptr_array_index (specs, at);
    g_array_set_size (waiting->stack, waiting->stack->len - 1);
    guint depth = at == 0 ? 1u : waiting->depths[check->parents[at]] + 1u;
    if (depth > LK_LIMIT_ACCOUNT_DEPTH)
      return wrong (check, spec, "parent", "is %u accounts deep; expected at most %u", depth - 1,
                    LK_LIMIT_ACCOUNT_DEPTH - 1);
    waiting->depths[at] = (guint8)depth;
    g_ptr_array_add (check->order, spec);
    waiting_push (waiting, at);
  }
  return TRUE;
}

static gboolean
order_find (Check *check, Waiting *waiting)
{
  const GPtrArray *specs = check->accounts->associations;
  for (guint32 i = 0; i < specs->len; i++) {
    guint32 parent = check->parents[i];
    gboolean is_ready = i == 0 || waiting->depths[parent] > 0;
    if (!is_ready)
      waiting_add (waiting, parent, i);
    else if (!order_add (check, waiting, i))
      return FALSE;
  }
  for (guint32 i = 0; i < specs->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (specs, i);
    if (waiting->depths[i] == 0 && !is_user (spec))
      return wrong (check, spec, "parent",
                    "is '%.80s', which is not below the root; expected no account above itself",
                    spec->parent);
  }
  return TRUE;
}

static gboolean
tree_check (Check *check)
{
  guint count = check->accounts->associations->len;
  check->parents = indices_new (count);
  if (!root_check (check) || !parents_find (check))
    return FALSE;
  Waiting waiting = { indices_new (count), indices_new (count), indices_new (count),
                      g_new0 (guint8, count), g_array_new (FALSE, FALSE, sizeof (guint32)) };
  gboolean is_tree = order_find (check, &waiting);
  waiting_clear (&waiting);
  return is_tree;
}

/* ---------------------------------------------------------------- default QOS */

/* Does a list name a QOS?  `out_sign` is what stands before it: +, - or 0. */
static gboolean
list_names (const char *list, const char *name, char *out_sign)
{
  gsize name_bytes = strlen (name);
  for (const char *at = list; *at != '\0';) {
    *out_sign = *at == '+' || *at == '-' ? *at : '\0';
    at += *out_sign ? 1 : 0;
    gsize length_bytes = strcspn (at, ",");
    if (length_bytes == name_bytes && strncmp (at, name, name_bytes) == 0)
      return TRUE;
    at += length_bytes;
    at += *at == ',' ? 1 : 0;
  }
  return FALSE;
}

/* May an association use a QOS?  The nearest list that speaks of it decides. */
static gboolean
may_use (const Check *check, guint32 index, const char *name)
{
  for (guint32 at = index;; at = check->parents[at]) {
    const LkAssociationSpec *spec = g_ptr_array_index (check->accounts->associations, at);
    gboolean is_change = *spec->qos == '\0' || *spec->qos == '+' || *spec->qos == '-';
    char sign;
    if (list_names (spec->qos, name, &sign))
      return sign != '-';
    if (!is_change)
      return FALSE;
    if (check->parents[at] == LK_INDEX_NONE)
      return TRUE;
  }
}

static gboolean
default_qos_check (Check *check)
{
  const GPtrArray *specs = check->accounts->associations;
  for (guint32 i = 0; i < specs->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (specs, i);
    if (*spec->default_qos != '\0' && !may_use (check, i, spec->default_qos))
      return wrong (check, spec, "default_qos",
                    "is '%.80s', which it may not use; expected one of its QOS", spec->default_qos);
  }
  return TRUE;
}

/* ---------------------------------------------------------------- default accounts */

/* The first default association of each user, by name. */
static gboolean
defaults_check (Check *check, GHashTable *defaults)
{
  const GPtrArray *specs = check->accounts->associations;
  for (guint i = 0; i < specs->len; i++) {
    LkAssociationSpec *spec = g_ptr_array_index (specs, i);
    if (!is_user (spec) || !spec->is_default)
      continue;
    const LkAssociationSpec *other = g_hash_table_lookup (defaults, spec->user);
    if (other != NULL && strcmp (other->account, spec->account) != 0)
      return wrong (check, spec, "is_default",
                    "is set, and of account '%.80s' too; expected one default account for '%.80s'",
                    other->account, spec->user);
    if (other == NULL)
      g_hash_table_insert (defaults, spec->user, spec);
  }
  return TRUE;
}

/* Whoever has no default account gets its first one; in all partitions. */
static void
defaults_add (LkAccounts *accounts, GHashTable *defaults)
{
  const GPtrArray *specs = accounts->associations;
  for (guint i = 0; i < specs->len; i++) {
    LkAssociationSpec *spec = g_ptr_array_index (specs, i);
    if (is_user (spec) && !g_hash_table_contains (defaults, spec->user))
      g_hash_table_insert (defaults, spec->user, spec);
  }
  for (guint i = 0; i < specs->len; i++) {
    LkAssociationSpec *spec = g_ptr_array_index (specs, i);
    const LkAssociationSpec *chosen =
        is_user (spec) ? g_hash_table_lookup (defaults, spec->user) : NULL;
    spec->is_default = chosen != NULL && strcmp (chosen->account, spec->account) == 0;
  }
}

/* ---------------------------------------------------------------- the whole */

static gboolean
specs_check (Check *check)
{
  const LkAccounts *accounts = check->accounts;
  for (guint i = 0; i < accounts->qos->len; i++)
    if (!qos_check (check, g_ptr_array_index (accounts->qos, i)))
      return FALSE;
  for (guint i = 0; i < accounts->associations->len; i++)
    if (!association_check (check, g_ptr_array_index (accounts->associations, i)))
      return FALSE;
  return TRUE;
}

/* What other parts of enforcement need: slurm.conf(5) AccountingStorageEnforce. */
static guint32
enforce_implied (guint32 enforce)
{
  if (enforce & LK_ENFORCE_SAFE)
    enforce |= LK_ENFORCE_LIMITS;
  if (enforce & (LK_ENFORCE_LIMITS | LK_ENFORCE_QOS))
    enforce |= LK_ENFORCE_ASSOCIATIONS;
  return enforce;
}

/* Puts the associations into the order that was found. */
static void
order_take (Check *check)
{
  GPtrArray *specs = check->accounts->associations;
  for (guint i = 0; i < specs->len; i++)
    specs->pdata[i] = g_ptr_array_index (check->order, i);
  lk_accounts_reindex (check->accounts);
}

/* A description without a text would have no place in a journal. */
static gboolean
text_size_check (Check *check)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_accounts_text (check->accounts, text);
  if (text->len <= LK_LIMIT_ACCOUNTS_TEXT_BYTES)
    return TRUE;
  return wrong (check, NULL, "associations",
                "have %" G_GSIZE_FORMAT " bytes as text; expected at most %u", text->len,
                LK_LIMIT_ACCOUNTS_TEXT_BYTES);
}

static gboolean
accounts_check (Check *check, GHashTable *defaults)
{
  lk_accounts_reindex (check->accounts);
  if (!settings_check (check) || !specs_check (check) || !tree_check (check)
      || !default_qos_check (check) || !defaults_check (check, defaults)
      || !text_size_check (check))
    return FALSE;
  order_take (check);
  defaults_add (check->accounts, defaults);
  check->accounts->enforce = enforce_implied (check->accounts->enforce);
  return TRUE;
}

gboolean
lk_accounts_check (LkAccounts *self, LkAccountsError *out_error)
{
  Check check = { .accounts = self, .order = g_ptr_array_new () };
  GHashTable *defaults = g_hash_table_new (g_str_hash, g_str_equal);
  gboolean is_right = accounts_check (&check, defaults);
  g_hash_table_unref (defaults);
  g_ptr_array_unref (check.order);
  g_free (check.parents);
  if (!is_right && out_error)
    *out_error = check.error;
  return is_right;
}
