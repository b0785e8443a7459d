/* traces/accounts_yaml_read.c — reads accounts from a page of YAML. See accounts_yaml.h.
 *
 * A function that reads a value finds the cursor on the first event of the value and leaves it on
 * the last one.  The tree of accounts is walked with a stack, whose depth is bounded.  Who is below
 * whom is settled behind the page, when all names are known.  Each value is noted with its place,
 * so that what lk_accounts_check finds wrong later can be said there. */
#include "traces/accounts_yaml.h"

#include <string.h>

#include "engine/line_text.h"
#include "engine/suggest.h"
#include "traces/accounts_edit.h"
#include "traces/accounts_yaml_keys.h"
#include "traces/quantity.h"
#include "traces/yaml_cursor.h"

/* Where a member of a spec stands; "" for the spec itself. */
typedef struct {
  const void *spec;
  const char *member;
  const char *key;
  LkYamlPlace place;
} Note;

/* Whom an association is below. */
typedef struct {
  LkAssociationSpec *child;
  const LkAssociationSpec *parent;
} Link;

typedef struct {
  LkYamlCursor *cursor;
  LkAccounts *accounts;
  GArray *notes; /* of Note */
  GArray *links; /* of Link */
  GError **error;
} Reader;

/* ---------------------------------------------------------------- small things */

static const char *
value_text (const Reader *self)
{
  return lk_yaml_cursor_text (self->cursor);
}

static LkYamlKind
kind_here (const Reader *self)
{
  return lk_yaml_cursor_kind (self->cursor);
}

static gboolean
next (const Reader *self)
{
  return lk_yaml_cursor_next (self->cursor, self->error);
}

static gboolean
expect_value (const Reader *self, const char *key)
{
  return lk_yaml_cursor_expect_value (self->cursor, key, self->error);
}

static gboolean
fail_value (const Reader *self, const char *key, const char *expected)
{
  return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is '%s'; expected %s", key,
                              value_text (self), expected);
}

static gboolean
fail_problem (const Reader *self, char *problem)
{
  lk_yaml_cursor_fail (self->cursor, self->error, "%s", problem);
  g_free (problem);
  return FALSE;
}

static gboolean
expect (const Reader *self, LkYamlKind kind, const char *what)
{
  LkYamlKind found = kind_here (self);
  if (found == kind)
    return TRUE;
  return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is %s; expected %s", what,
                              found == LK_YAML_SCALAR ? "one value"
                              : found == LK_YAML_LIST ? "a list"
                                                      : "a mapping",
                              kind == LK_YAML_LIST ? "a list" : "'key: value' pairs");
}

static void
note (Reader *self, const void *spec, const char *member, const char *key)
{
  const Note item = { spec, member, key, lk_yaml_cursor_place (self->cursor) };
  g_array_append_val (self->notes, item);
}

static gpointer
member_of (const LkAccountsKey *key, gpointer spec)
{
  return (guint8 *)spec + key->offset_bytes;
}

/* ---------------------------------------------------------------- one value */

static gboolean
read_text (Reader *self, const LkAccountsKey *key, gpointer spec)
{
  if (!expect_value (self, key->key))
    return FALSE;
  g_autofree char *lower = g_ascii_strdown (value_text (self), -1);
  lk_accounts_text_set (member_of (key, spec),
                        key->kind == LK_ACCOUNTS_KEY_NAME ? lower : value_text (self));
  return TRUE;
}

static gboolean
read_count (Reader *self, const LkAccountsKey *key, gpointer spec)
{
  if (!expect_value (self, key->key))
    return FALSE;
  if (!lk_quantity_count_parse (value_text (self), /* may_be_unlimited= */ FALSE,
                                member_of (key, spec)))
    return fail_value (self, key->key, "a whole number");
  return TRUE;
}

static gboolean
read_shares (Reader *self, const LkAccountsKey *key, gpointer spec)
{
  if (!expect_value (self, key->key))
    return FALSE;
  if (!lk_accounts_shares_parse (value_text (self), member_of (key, spec)))
    return fail_value (self, key->key, "a whole number of 0 or more, or parent");
  return TRUE;
}

/* Not below 0; finite. */
static gboolean
real_parse (const char *text, double *out_value)
{
  char *end;
  if (!g_ascii_isdigit (*text) || strlen (text) > 40 || strpbrk (text, "xXpP"))
    return FALSE;
  double value = g_ascii_strtod (text, &end);
  if (*end != '\0' || value - value != 0.0)
    return FALSE;
  *out_value = value;
  return TRUE;
}

static gboolean
read_real (Reader *self, const LkAccountsKey *key, gpointer spec)
{
  double *member = member_of (key, spec);
  gboolean may_be_none = key->kind == LK_ACCOUNTS_KEY_OPTION;
  if (!expect_value (self, key->key))
    return FALSE;
  if (may_be_none && strcmp (value_text (self), "none") == 0) {
    *member = -1;
    return TRUE;
  }
  if (!real_parse (value_text (self), member))
    return fail_value (self, key->key,
                       may_be_none ? "a number of 0 or more, or none" : "a number of 0 or more");
  return TRUE;
}

static gboolean
read_flag (Reader *self, const LkAccountsKey *key, gpointer spec)
{
  gboolean *member = member_of (key, spec);
  if (!expect_value (self, key->key))
    return FALSE;
  gboolean is_true = g_ascii_strcasecmp (value_text (self), "true") == 0
                     || g_ascii_strcasecmp (value_text (self), "yes") == 0;
  if (!is_true && g_ascii_strcasecmp (value_text (self), "false") != 0
      && g_ascii_strcasecmp (value_text (self), "no") != 0)
    return fail_value (self, key->key, "true or false");
  *member = is_true;
  return TRUE;
}

static gboolean
read_span (Reader *self, const LkAccountsKey *key, gpointer spec)
{
  gint64 *member = member_of (key, spec);
  if (!expect_value (self, key->key))
    return FALSE;
  if (key->kind == LK_ACCOUNTS_KEY_EXEMPT && strcmp (value_text (self), "none") == 0) {
    *member = -1;
    return TRUE;
  }
  if (!lk_quantity_span_parse (value_text (self), member))
    return fail_value (self, key->key, LK_QUANTITY_SPAN_EXPECTED);
  return TRUE;
}

static gboolean
read_offset (Reader *self, const LkAccountsKey *key, gpointer spec)
{
  gint64 *member = member_of (key, spec);
  if (!expect_value (self, key->key))
    return FALSE;
  const char *text = value_text (self);
  if (!g_ascii_string_to_signed (*text == '+' ? text + 1 : text, 10, -86400, 86400, member, NULL))
    return fail_value (self, key->key, "seconds from -86400 to 86400");
  return TRUE;
}

/* ---------------------------------------------------------------- words */

static gboolean
word_read (const Reader *self, const LkAccountsKey *key, guint32 *out_index)
{
  g_autofree const char **words = lk_accounts_key_words (key->kind);
  if (!expect_value (self, key->key))
    return FALSE;
  for (guint32 i = 0; words[i]; i++)
    if (g_ascii_strcasecmp (words[i], value_text (self)) == 0) {
      *out_index = i;
      return TRUE;
    }
  g_autofree char *phrase = lk_suggest_phrase (value_text (self), words);
  return lk_yaml_cursor_fail (self->cursor, self->error, "'%s' is '%s'%s", key->key,
                              value_text (self), phrase);
}

static gboolean
read_word (Reader *self, const LkAccountsKey *key, gpointer spec)
{
  guint32 index;
  if (!word_read (self, key, &index))
    return FALSE;
  /* Enumerations have the size of guint32. */
  memcpy (member_of (key, spec), &index, sizeof index);
  return TRUE;
}

static gboolean
read_set (Reader *self, const LkAccountsKey *key, gpointer spec)
{
  guint32 *member = member_of (key, spec);
  guint32 set = 0;
  guint32 index = 0;
  if (!expect (self, LK_YAML_LIST, key->key) || !next (self))
    return FALSE;
  for (; kind_here (self) != LK_YAML_LIST_END; set |= 1u << index)
    if (!word_read (self, key, &index) || !next (self))
      return FALSE;
  *member = set;
  return TRUE;
}

/* Names, in lower case: a list, or one text with commas. */
static gboolean
read_list (Reader *self, const LkAccountsKey *key, gpointer spec)
{
  if (kind_here (self) == LK_YAML_SCALAR) {
    if (!expect_value (self, key->key))
      return FALSE;
    g_autofree char *lower = g_ascii_strdown (value_text (self), -1);
    lk_accounts_text_set (member_of (key, spec), lower);
    return TRUE;
  }
  g_autoptr (GString) names = g_string_new (NULL);
  if (!expect (self, LK_YAML_LIST, key->key) || !next (self))
    return FALSE;
  for (; kind_here (self) != LK_YAML_LIST_END;) {
    if (!expect_value (self, key->key))
      return FALSE;
    g_autofree char *lower = g_ascii_strdown (value_text (self), -1);
    g_string_append_printf (names, "%s%s", names->len > 0 ? "," : "", lower);
    if (!next (self))
      return FALSE;
  }
  lk_accounts_text_set (member_of (key, spec), names->str);
  return TRUE;
}

static gboolean
read_tres (Reader *self, const LkAccountsKey *key, gpointer spec)
{
  (void)spec;
  if (!expect (self, LK_YAML_LIST, key->key) || !next (self))
    return FALSE;
  while (kind_here (self) != LK_YAML_LIST_END) {
    char *problem = NULL;
    if (!expect_value (self, key->key))
      return FALSE;
    if (lk_accounts_tres_take (self->accounts, value_text (self), &problem) == LK_INDEX_NONE)
      return fail_problem (self, problem);
    if (!next (self))
      return FALSE;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- limits */

/* Which scope a spec of this page has. */
static guint
scope_of (const Reader *self, const void *spec)
{
  const GPtrArray *qos = self->accounts->qos;
  gboolean is_qos = qos->len > 0 && g_ptr_array_index (qos, qos->len - 1) == spec;
  return is_qos ? LK_OPTION_ON_QOS : LK_OPTION_ON_ASSOCIATION;
}

/* TRES to numbers. */
static gboolean
read_tres_limits (Reader *self, guint32 kind, GArray *limits)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  if (!expect (self, LK_YAML_MAPPING, lk_limit_kind_name (kind)) || !next (self))
    return FALSE;
  while (kind_here (self) != LK_YAML_MAPPING_END) {
    char *problem = NULL;
    if (!lk_yaml_cursor_take_key (self->cursor, seen, self->error) || !next (self))
      return FALSE;
    const char *tres = g_ptr_array_index (seen, seen->len - 1);
    if (!expect_value (self, tres))
      return FALSE;
    if (!lk_accounts_limit_set (self->accounts, limits, kind, tres, value_text (self), &problem))
      return fail_problem (self, problem);
    if (!next (self))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_limit (Reader *self, const LkAccountsOption *option, GArray *limits)
{
  char *problem = NULL;
  gboolean has_tres = lk_limit_kind_value (option->kind) >= LK_LIMIT_TRES;
  if (has_tres && option->tres == NULL)
    return read_tres_limits (self, option->kind, limits);
  if (!expect_value (self, option->name))
    return FALSE;
  if (!lk_accounts_limit_set (self->accounts, limits, option->kind, option->tres, value_text (self),
                              &problem))
    return fail_problem (self, problem);
  return TRUE;
}

/* Limits by the names of sacctmgr. */
static gboolean
read_limits (Reader *self, const LkAccountsKey *key, gpointer spec)
{
  GArray *const *limits = member_of (key, spec);
  guint scope = scope_of (self, spec);
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  if (!expect (self, LK_YAML_MAPPING, key->key) || !next (self))
    return FALSE;
  while (kind_here (self) != LK_YAML_MAPPING_END) {
    if (!lk_yaml_cursor_take_key (self->cursor, seen, self->error))
      return FALSE;
    const char *name = g_ptr_array_index (seen, seen->len - 1);
    const LkAccountsOption *option = lk_accounts_option_find (scope, name, strlen (name));
    if (option == NULL)
      return fail_problem (self, lk_accounts_option_problem (scope, name, strlen (name)));
    if (option->effect != LK_OPTION_LIMIT)
      return lk_yaml_cursor_fail (self->cursor, self->error,
                                  "'%s' is no limit; expected one such as GrpTRES or MaxWall",
                                  name);
    if (!next (self) || !read_limit (self, option, *limits) || !next (self))
      return FALSE;
  }
  return TRUE;
}

static int
tres_value_compare (gconstpointer a, gconstpointer b)
{
  const LkTresValue *one = a;
  const LkTresValue *other = b;
  return one->tres < other->tres ? -1 : one->tres > other->tres ? 1 : 0;
}

static gboolean
read_tres_values (Reader *self, const LkAccountsKey *key, gpointer spec)
{
  GArray *const *values = member_of (key, spec);
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  if (!expect (self, LK_YAML_MAPPING, key->key) || !next (self))
    return FALSE;
  while (kind_here (self) != LK_YAML_MAPPING_END) {
    char *problem = NULL;
    LkTresValue value;
    if (!lk_yaml_cursor_take_key (self->cursor, seen, self->error))
      return FALSE;
    const char *name = g_ptr_array_index (seen, seen->len - 1);
    value.tres = lk_accounts_tres_take (self->accounts, name, &problem);
    if (value.tres == LK_INDEX_NONE)
      return fail_problem (self, problem);
    if (!next (self) || !expect_value (self, name))
      return FALSE;
    if (!real_parse (value_text (self), &value.value))
      return fail_value (self, name, "a number of 0 or more");
    g_array_append_val (*values, value);
    if (!next (self))
      return FALSE;
  }
  g_array_sort (*values, tres_value_compare);
  return TRUE;
}

/* ---------------------------------------------------------------- mappings */

static gboolean read_qos (Reader *self, const LkAccountsKey *key);
static gboolean read_root (Reader *self, const LkAccountsKey *key);
static gboolean read_users (Reader *self, const LkAccountsKey *key, LkAssociationSpec *account);
static gboolean read_tree (Reader *self, const LkAccountsKey *key);

static gboolean
read_value (Reader *self, const LkAccountsKey *key, gpointer spec)
{
  switch (key->kind) {
  case LK_ACCOUNTS_KEY_TEXT:
  case LK_ACCOUNTS_KEY_NAME:
    return read_text (self, key, spec);
  case LK_ACCOUNTS_KEY_LIST:
    return read_list (self, key, spec);
  case LK_ACCOUNTS_KEY_COUNT:
    return read_count (self, key, spec);
  case LK_ACCOUNTS_KEY_SHARES:
    return read_shares (self, key, spec);
  case LK_ACCOUNTS_KEY_REAL:
  case LK_ACCOUNTS_KEY_OPTION:
    return read_real (self, key, spec);
  case LK_ACCOUNTS_KEY_FLAG:
    return read_flag (self, key, spec);
  case LK_ACCOUNTS_KEY_SPAN:
  case LK_ACCOUNTS_KEY_EXEMPT:
    return read_span (self, key, spec);
  case LK_ACCOUNTS_KEY_OFFSET:
    return read_offset (self, key, spec);
  case LK_ACCOUNTS_KEY_COMPAT:
  case LK_ACCOUNTS_KEY_RESET:
  case LK_ACCOUNTS_KEY_BILLING:
    return read_word (self, key, spec);
  case LK_ACCOUNTS_KEY_ENFORCE:
  case LK_ACCOUNTS_KEY_QOS_FLAGS:
    return read_set (self, key, spec);
  case LK_ACCOUNTS_KEY_TRES:
    return read_tres (self, key, spec);
  case LK_ACCOUNTS_KEY_LIMITS:
    return read_limits (self, key, spec);
  case LK_ACCOUNTS_KEY_TRES_VALUES:
    return read_tres_values (self, key, spec);
  case LK_ACCOUNTS_KEY_QOS:
    return read_qos (self, key);
  case LK_ACCOUNTS_KEY_ROOT:
    return read_root (self, key);
  case LK_ACCOUNTS_KEY_USERS:
    return read_users (self, key, spec);
  default:
    return read_tree (self, key);
  }
}

/* The current event is a key; its row, with the cursor on its value. NULL: an error was set. */
static const LkAccountsKey *
take_key (Reader *self, const LkAccountsKey *keys, gpointer spec, GPtrArray *seen)
{
  if (!lk_yaml_cursor_take_key (self->cursor, seen, self->error))
    return NULL;
  const char *name = g_ptr_array_index (seen, seen->len - 1);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (const LkAccountsKey *key = keys; key->key; key++) {
    g_ptr_array_add (names, (gpointer)key->key);
    if (strcmp (key->key, name) != 0)
      continue;
    if (!next (self))
      return NULL;
    note (self, spec, key->member, key->key);
    return key;
  }
  g_ptr_array_add (names, NULL);
  g_autofree char *phrase = lk_suggest_phrase (name, (const char *const *)names->pdata);
  lk_yaml_cursor_fail (self->cursor, self->error, "unknown key '%s'%s", name, phrase);
  return NULL;
}

/* Was the key of the name given? */
static gboolean
need_key (const Reader *self, const GPtrArray *seen, const char *needed, const char *what,
          LkYamlPlace place)
{
  if (g_ptr_array_find_with_equal_func ((GPtrArray *)seen, needed, g_str_equal, NULL))
    return TRUE;
  return lk_yaml_cursor_fail_at (self->cursor, place, self->error,
                                 "no '%s' in this entry of '%s'; expected one", needed, what);
}

/* A mapping without mappings of its own kind in it. */
static gboolean
read_mapping (Reader *self, const LkAccountsKey *keys, gpointer spec, GPtrArray *seen)
{
  if (!next (self))
    return FALSE;
  while (kind_here (self) != LK_YAML_MAPPING_END) {
    const LkAccountsKey *key = take_key (self, keys, spec, seen);
    if (key == NULL || !read_value (self, key, spec) || !next (self))
      return FALSE;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- QOS and users */

static gboolean
read_one_qos (Reader *self, const char *what)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  LkYamlPlace place = lk_yaml_cursor_place (self->cursor);
  if (!expect (self, LK_YAML_MAPPING, what))
    return FALSE;
  LkQosSpec *spec = lk_accounts_add_qos (self->accounts, "");
  note (self, spec, "", "");
  return read_mapping (self, lk_accounts_qos_keys, spec, seen)
         && need_key (self, seen, "name", what, place);
}

static gboolean
read_qos (Reader *self, const LkAccountsKey *key)
{
  g_ptr_array_set_size (self->accounts->qos, 0);
  lk_accounts_reindex (self->accounts);
  if (!expect (self, LK_YAML_LIST, key->key) || !next (self))
    return FALSE;
  while (kind_here (self) != LK_YAML_LIST_END)
    if (!read_one_qos (self, key->key) || !next (self))
      return FALSE;
  return TRUE;
}

/* A name alone, or a mapping. */
static gboolean
read_user (Reader *self, const char *what, LkAssociationSpec *account)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  LkYamlPlace place = lk_yaml_cursor_place (self->cursor);
  LkAssociationSpec *spec = lk_accounts_add_user (self->accounts, "", "", NULL);
  const Link link = { spec, account };
  g_array_append_val (self->links, link);
  note (self, spec, "", "");
  if (kind_here (self) == LK_YAML_SCALAR)
    return read_text (self, &lk_accounts_user_keys[0], spec);
  return expect (self, LK_YAML_MAPPING, what)
         && read_mapping (self, lk_accounts_user_keys, spec, seen)
         && need_key (self, seen, "user", what, place);
}

static gboolean
read_users (Reader *self, const LkAccountsKey *key, LkAssociationSpec *account)
{
  if (!expect (self, LK_YAML_LIST, key->key) || !next (self))
    return FALSE;
  while (kind_here (self) != LK_YAML_LIST_END)
    if (!read_user (self, key->key, account) || !next (self))
      return FALSE;
  return TRUE;
}

/* With users of its own the root has no other. */
static void
root_user_forget (Reader *self)
{
  LkAssociationSpec *user = lk_accounts_find (self->accounts, "root", "root", "");
  g_ptr_array_remove (self->accounts->associations, user);
  lk_accounts_reindex (self->accounts);
}

static gboolean
read_root (Reader *self, const LkAccountsKey *key)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  LkAssociationSpec *root = g_ptr_array_index (self->accounts->associations, 0);
  if (!expect (self, LK_YAML_MAPPING, key->key))
    return FALSE;
  note (self, root, "", "");
  if (!read_mapping (self, lk_accounts_root_keys, root, seen))
    return FALSE;
  if (g_ptr_array_find_with_equal_func (seen, "users", g_str_equal, NULL))
    root_user_forget (self);
  return TRUE;
}

/* ---------------------------------------------------------------- the tree */

/* An account whose mapping is open. */
typedef struct {
  LkAssociationSpec *spec;
  GPtrArray *seen;
  LkYamlPlace place;
} Frame;

static void
frame_clear (gpointer data)
{
  g_ptr_array_unref (((Frame *)data)->seen);
}

static Frame *
frame_top (GArray *frames)
{
  return frames->len == 0 ? NULL : &g_array_index (frames, Frame, frames->len - 1);
}

/* The mapping of an account begins, in the list of the account on top. */
static gboolean
frame_open (Reader *self, GArray *frames)
{
  if (!expect (self, LK_YAML_MAPPING, "accounts"))
    return FALSE;
  if (frames->len >= LK_LIMIT_ACCOUNT_DEPTH)
    return lk_yaml_cursor_fail (self->cursor, self->error, "more than %u accounts below each other",
                                LK_LIMIT_ACCOUNT_DEPTH);
  const LkAssociationSpec *parent = frames->len == 0
                                        ? g_ptr_array_index (self->accounts->associations, 0)
                                        : frame_top (frames)->spec;
  const Frame frame = { lk_accounts_add_account (self->accounts, "", ""),
                        g_ptr_array_new_with_free_func (g_free),
                        lk_yaml_cursor_place (self->cursor) };
  const Link link = { frame.spec, parent };
  g_array_append_val (self->links, link);
  g_array_append_val (frames, frame);
  note (self, frame.spec, "", "");
  return TRUE;
}

/* The end of a mapping: back to the list that it stands in. */
static gboolean
frame_close (Reader *self, GArray *frames)
{
  const Frame *top = frame_top (frames);
  gboolean is_good = need_key (self, top->seen, "account", "accounts", top->place);
  g_array_set_size (frames, frames->len - 1);
  return is_good;
}

/* Each turn takes one event: of a list of accounts, or a key and its value of an account. */
static gboolean
read_tree (Reader *self, const LkAccountsKey *key)
{
  g_autoptr (GArray) frames = g_array_new (FALSE, FALSE, sizeof (Frame));
  g_array_set_clear_func (frames, frame_clear);
  gboolean in_list = TRUE;
  if (!expect (self, LK_YAML_LIST, key->key))
    return FALSE;
  while (next (self)) {
    if (in_list && kind_here (self) == LK_YAML_LIST_END) {
      if (frames->len == 0)
        return TRUE;
      in_list = FALSE;
    } else if (in_list) {
      if (!frame_open (self, frames))
        return FALSE;
      in_list = FALSE;
    } else if (kind_here (self) == LK_YAML_MAPPING_END) {
      if (!frame_close (self, frames))
        return FALSE;
      in_list = TRUE;
    } else {
      Frame *top = frame_top (frames);
      const LkAccountsKey *found = take_key (self, lk_accounts_account_keys, top->spec, top->seen);
      if (found == NULL)
        return FALSE;
      in_list = found->kind == LK_ACCOUNTS_KEY_ACCOUNTS;
      if (in_list ? !expect (self, LK_YAML_LIST, found->key) : !read_value (self, found, top->spec))
        return FALSE;
    }
  }
  return FALSE;
}

/* ---------------------------------------------------------------- the page */

/* Says who is below whom. */
static void
links_settle (Reader *self)
{
  for (guint i = 0; i < self->links->len; i++) {
    const Link *link = &g_array_index (self->links, Link, i);
    gboolean is_user = link->child->parent[0] == '\0' && link->child->account[0] == '\0'
                       && link->child->user[0] != '\0';
    lk_accounts_text_set (is_user ? &link->child->account : &link->child->parent,
                          link->parent->account);
  }
}

/* Of a member of a spec, else of the spec itself. */
static const Note *
note_find (const Reader *self, const void *spec, const char *member)
{
  const Note *found = NULL;
  for (guint i = 0; i < self->notes->len; i++) {
    const Note *item = &g_array_index (self->notes, Note, i);
    if (item->spec != spec)
      continue;
    if (strcmp (item->member, member) == 0)
      return item;
    if (item->member[0] == '\0')
      found = item;
  }
  return found;
}

/* Where the one stands that has the name of `spec` already, for the end of a message. Returns:
 * (transfer full), "" when there is none. */
static char *
first_phrase (const Reader *self, const void *spec, const char *member)
{
  const LkAssociationSpec *association = spec;
  const void *first = spec;
  if (spec && strcmp (member, "name") == 0)
    first = lk_accounts_find_qos (self->accounts, ((const LkQosSpec *)spec)->name);
  else if (spec && (strcmp (member, "account") == 0 || strcmp (member, "user") == 0))
    first = lk_accounts_find (self->accounts, association->account, association->user,
                              association->partition);
  if (first == spec || first == NULL)
    return g_strdup ("");
  if (first == g_ptr_array_index (self->accounts->associations, 0))
    return g_strdup (", and what it has under the key root");
  const Note *item = note_find (self, first, member);
  return item ? g_strdup_printf (" (the first is at %u:%u)", item->place.line, item->place.column)
              : g_strdup ("");
}

/* What the check found, said where it stands. */
static gboolean
fail_check (const Reader *self, const LkAccountsError *found)
{
  const void *spec = found->spec ? found->spec : self->accounts;
  const Note *item = note_find (self, spec, found->member);
  const LkYamlPlace start = { 1, 1 };
  gboolean is_member = item != NULL && item->member[0] != '\0';
  g_autofree char *first = first_phrase (self, found->spec, found->member);
  return lk_yaml_cursor_fail_at (self->cursor, item ? item->place : start, self->error, "'%s' %s%s",
                                 is_member ? item->key : found->member, found->text, first);
}

static gboolean
read_page (Reader *self)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new_with_free_func (g_free);
  LkAccountsError found;
  if (!lk_yaml_cursor_open (self->cursor, self->error))
    return FALSE;
  if (kind_here (self) != LK_YAML_MAPPING)
    return lk_yaml_cursor_fail (self->cursor, self->error,
                                "no description of accounts; expected 'accounts:' and what "
                                "follows");
  if (!read_mapping (self, lk_accounts_page_keys, self->accounts, seen)
      || !lk_yaml_cursor_close (self->cursor, self->error))
    return FALSE;
  if (seen->len == 0)
    return lk_yaml_cursor_fail_at (self->cursor, (LkYamlPlace){ 1, 1 }, self->error,
                                   "holds no accounts; expected 'accounts:' and what follows");
  links_settle (self);
  return lk_accounts_check (self->accounts, &found) || fail_check (self, &found);
}

LkAccounts *
lk_accounts_yaml_read_bytes (const char *name, const guint8 *bytes, gsize length_bytes,
                             GError **error)
{
  g_autoptr (LkAccounts) accounts = lk_accounts_new (NULL);
  g_autoptr (LkYamlCursor) cursor =
      lk_yaml_cursor_new (name, bytes, length_bytes, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX);
  g_autoptr (GArray) notes = g_array_new (FALSE, FALSE, sizeof (Note));
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (Link));
  Reader reader = {
    .cursor = cursor, .accounts = accounts, .notes = notes, .links = links, .error = error
  };
  return read_page (&reader) ? g_steal_pointer (&accounts) : NULL;
}
