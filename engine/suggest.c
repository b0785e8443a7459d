/* engine/suggest.c — see suggest.h.
 *
 * The distance is Damerau's and Levenshtein's in its restricted form (optimal string alignment:
 * no piece is edited twice), computed with three rows of the table. Names longer than LETTERS_MAX
 * are near to nothing, which bounds the work whatever the user typed.
 *
 * Source: Damerau, CACM 7(3) 1964; Levenshtein, Soviet Physics Doklady 10(8) 1966. */
#include "engine/suggest.h"

#include <string.h>

#define LETTERS_MAX 64u
#define LISTED_MAX 40u

static guint
min3 (guint a, guint b, guint c)
{
  return MIN (MIN (a, b), c);
}

/* `a` is in lower case, `b` may be in any. */
static guint
distance (const char *a, gsize a_length, const char *b, gsize b_length)
{
  guint rows[3][LETTERS_MAX + 1] = { { 0 } };
  for (guint j = 0; j <= b_length; j++)
    rows[0][j] = j;
  for (guint i = 1; i <= a_length; i++) {
    guint *row = rows[i % 3];
    const guint *above = rows[(i + 2) % 3];
    const guint *above2 = rows[(i + 1) % 3];
    row[0] = i;
    for (guint j = 1; j <= b_length; j++) {
      char letter = g_ascii_tolower (b[j - 1]);
      guint cost = a[i - 1] == letter ? 0 : 1;
      row[j] = min3 (above[j] + 1, row[j - 1] + 1, above[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] == g_ascii_tolower (b[j - 2]) && a[i - 2] == letter)
        row[j] = MIN (row[j], above2[j - 2] + 1);
    }
  }
  return rows[a_length % 3][b_length];
}

const char *
lk_suggest (const char *name, const char *const *names)
{
  gsize length = strlen (name);
  if (length > LETTERS_MAX)
    return NULL;
  g_autofree char *lower = g_ascii_strdown (name, -1);
  const char *nearest = NULL;
  guint nearest_distance = G_MAXUINT;
  for (; *names != NULL; names++) {
    gsize other_length = strlen (*names);
    if (other_length > LETTERS_MAX)
      continue;
    guint allowed = (guint)MAX (1, MAX (length, other_length) / 3);
    guint found = distance (lower, length, *names, other_length);
    /* Two names of which every letter differs are not near, however short they are. */
    if (found <= allowed && found < MAX (length, other_length) && found < nearest_distance) {
      nearest = *names;
      nearest_distance = found;
    }
  }
  return nearest;
}

char *
lk_suggest_phrase (const char *name, const char *const *names)
{
  const char *nearest = lk_suggest (name, names);
  if (nearest != NULL)
    return g_strdup_printf ("; did you mean '%s'?", nearest);
  if (names[0] == NULL)
    return g_strdup ("");
  GString *list = g_string_new ("; there are: ");
  for (guint i = 0; names[i] != NULL; i++) {
    if (i == LISTED_MAX) {
      g_string_append (list, " ...");
      break;
    }
    g_string_append_printf (list, "%s%s", i == 0 ? "" : ", ", names[i]);
  }
  return g_string_free (list, FALSE);
}
