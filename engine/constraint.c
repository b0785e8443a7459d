/* engine/constraint.c — see the header.
 *
 * Sets of nodes are computed while the text is read; nothing of the text is kept.  The reader goes
 * down at most DEPTH_MAX parentheses. */
#include "engine/constraint.h"

#include <string.h>

#include "engine/assert.h"

#define DEPTH_MAX 8u
#define COUNT_MAX 1000000u

typedef struct {
  const LkNodeTable *nodes;
  const char *at;
  const char *end;
  LkConstraintStatus status;
} Reader;

static gboolean
fail (Reader *self, LkConstraintStatus status)
{
  if (self->status == LK_CONSTRAINT_GOOD)
    self->status = status;
  return FALSE;
}

static char
peek (const Reader *self)
{
  return self->at < self->end ? *self->at : '\0';
}

static gboolean
take (Reader *self, char c)
{
  if (peek (self) != c)
    return FALSE;
  self->at++;
  return TRUE;
}

static guint64 *
set_new (const Reader *self)
{
  return g_new0 (guint64, self->nodes->node_words);
}

static void
set_join (const Reader *self, guint64 *set, const guint64 *other, char operation)
{
  for (guint32 i = 0; i < self->nodes->node_words; i++)
    set[i] = operation == '&' ? set[i] & other[i] : set[i] | other[i];
}

static gboolean
is_name_char (char c)
{
  return g_ascii_isalnum (c) || strchr ("_-.+:/=%", c) != NULL;
}

/* A feature's name; adds the nodes that have it. */
static gboolean
read_feature (Reader *self, guint64 *out_set)
{
  const char *begin = self->at;
  while (self->at < self->end && *self->at != '\0' && is_name_char (*self->at))
    self->at++;
  if (self->at == begin)
    return fail (self, LK_CONSTRAINT_SYNTAX);
  guint32 feature = lk_node_table_feature (self->nodes, begin, (gsize)(self->at - begin));
  if (feature == G_MAXUINT32)
    return fail (self, LK_CONSTRAINT_FEATURE);
  for (guint32 node = 0; node < self->nodes->node_count; node++)
    if (lk_bits_has (lk_node_kind (self->nodes, node)->features, feature))
      lk_bits_add (out_set, node);
  return TRUE;
}

static gboolean read_expression (Reader *self, guint depth, guint64 *out_set, guint32 *out_count);

/* A feature or a group, and the count behind it (0: none). */
static gboolean
read_term (Reader *self, guint depth, guint64 *out_set, guint32 *out_count)
{
  guint64 count = 0;
  *out_count = 0;
  if (take (self, '(')) {
    guint32 inner_count = 0;
    if (depth == DEPTH_MAX)
      return fail (self, LK_CONSTRAINT_SYNTAX);
    if (!read_expression (self, depth + 1, out_set, &inner_count))
      return FALSE;
    if (inner_count > 0 || !take (self, ')'))
      return fail (self, LK_CONSTRAINT_SYNTAX);
  } else if (!read_feature (self, out_set)) {
    return FALSE;
  }
  if (!take (self, '*'))
    return TRUE;
  if (!g_ascii_isdigit (peek (self)))
    return fail (self, LK_CONSTRAINT_SYNTAX);
  while (g_ascii_isdigit (peek (self)) && count <= COUNT_MAX)
    count = count * 10 + (guint64)(*self->at++ - '0');
  if (count == 0 || count > COUNT_MAX)
    return fail (self, LK_CONSTRAINT_SYNTAX);
  *out_count = (guint32)count;
  return TRUE;
}

/* Terms joined from left to right; only a single term may have a count. */
static gboolean
read_expression (Reader *self, guint depth, guint64 *out_set, guint32 *out_count)
{
  guint32 count = 0;
  if (!read_term (self, depth, out_set, out_count))
    return FALSE;
  while (peek (self) == '&' || peek (self) == '|') {
    char operation = *self->at;
    if (self->at + 1 < self->end && self->at[1] == '[')
      return TRUE;
    self->at++;
    g_autofree guint64 *other = set_new (self);
    if (!read_term (self, depth, other, &count))
      return FALSE;
    if (*out_count > 0 || count > 0)
      return fail (self, LK_CONSTRAINT_SYNTAX);
    set_join (self, out_set, other, operation);
  }
  return TRUE;
}

static void
add_count (LkConstraint *self, guint64 *nodes, guint32 count)
{
  LkFeatureCount entry = { .nodes = nodes, .count = count };
  if (self->counts == NULL)
    self->counts = g_array_new (FALSE, FALSE, sizeof (LkFeatureCount));
  g_array_append_val (self->counts, entry);
}

/* What stands in the bracket: alternatives, or counts joined by &. */
static gboolean
read_bracket (Reader *self, LkConstraint *out)
{
  char operation = '\0';
  do {
    guint64 *set = set_new (self);
    guint32 count = 0;
    if (!read_term (self, 0, set, &count)) {
      g_free (set);
      return FALSE;
    }
    if (count > 0) {
      add_count (out, set, count);
    } else {
      if (out->alternatives == NULL)
        out->alternatives = g_ptr_array_new_with_free_func (g_free);
      g_ptr_array_add (out->alternatives, set);
    }
    char next = peek (self);
    if (next == ']')
      break;
    if ((next != '|' && next != '&') || (operation != '\0' && next != operation))
      return fail (self, LK_CONSTRAINT_SYNTAX);
    operation = next;
    self->at++;
  } while (self->at < self->end);
  gboolean mixed = out->counts != NULL && out->alternatives != NULL;
  gboolean wrong = operation != '\0' && (operation == '&') != (out->counts != NULL);
  if (!take (self, ']') || mixed || wrong)
    return fail (self, LK_CONSTRAINT_SYNTAX);
  return TRUE;
}

static gboolean
read_all (Reader *self, LkConstraint *out)
{
  guint32 count = 0;
  if (take (self, '[')) {
    if (!read_bracket (self, out))
      return FALSE;
    if (self->at == self->end)
      return TRUE;
    if (!take (self, '&'))
      return fail (self, LK_CONSTRAINT_SYNTAX);
  }
  guint64 *set = set_new (self);
  out->nodes = set;
  if (!read_expression (self, 0, set, &count))
    return FALSE;
  if (count > 0) {
    add_count (out, g_steal_pointer (&out->nodes), count);
    return self->at == self->end || fail (self, LK_CONSTRAINT_SYNTAX);
  }
  if (self->at == self->end)
    return TRUE;
  if (out->alternatives != NULL || out->counts != NULL || !take (self, '&') || !take (self, '['))
    return fail (self, LK_CONSTRAINT_SYNTAX);
  return read_bracket (self, out) && (self->at == self->end || fail (self, LK_CONSTRAINT_SYNTAX));
}

LkConstraintStatus
lk_constraint_init (LkConstraint *self, const LkNodeTable *nodes, const char *text,
                    gsize length_bytes)
{
  *self = (LkConstraint){ 0 };
  if (length_bytes == 0)
    return LK_CONSTRAINT_GOOD;
  Reader reader = { .nodes = nodes, .at = text, .end = text + length_bytes };
  if (read_all (&reader, self))
    return LK_CONSTRAINT_GOOD;
  lk_constraint_clear (self);
  LK_ASSERT (reader.status != LK_CONSTRAINT_GOOD);
  return reader.status;
}

void
lk_constraint_clear (LkConstraint *self)
{
  g_free (self->nodes);
  if (self->alternatives != NULL)
    g_ptr_array_unref (self->alternatives);
  if (self->counts != NULL) {
    for (guint i = 0; i < self->counts->len; i++)
      g_free (g_array_index (self->counts, LkFeatureCount, i).nodes);
    g_array_unref (self->counts);
  }
  *self = (LkConstraint){ 0 };
}
