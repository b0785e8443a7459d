/* traces/accounts_words.c — see the header. */
#include "traces/accounts_words.h"

#include <string.h>

#include "traces/accounts_edit.h"

static const char blanks[] = " \t\r\f\v";

char **
lk_accounts_words_split (const char *line)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  for (const char *at = line + strspn (line, blanks); *at; at += strspn (at, blanks)) {
    const char *end = lk_accounts_word_end (at, blanks);
    if (end == NULL)
      return NULL;
    g_ptr_array_add (words, g_strndup (at, (gsize)(end - at)));
    at = end;
  }
  g_ptr_array_add (words, NULL);
  g_ptr_array_set_free_func (words, NULL);
  return (char **)g_ptr_array_free (g_steal_pointer (&words), FALSE);
}

/* The first letter outside quotes that a shell takes for itself; $ and ` also in double quotes.
 * NULL: there is none. */
static const char *
shell_find (const char *line)
{
  char quote = '\0';
  for (const char *at = line; *at; at++) {
    gboolean is_expanded = (*at == '$' || *at == '`') && quote != '\'';
    if (is_expanded || (quote == '\0' && strchr ("<>|&;", *at)))
      return at;
    if (quote != '\0')
      quote = *at == quote ? '\0' : quote;
    else if (*at == '"' || *at == '\'')
      quote = *at;
  }
  return NULL;
}

char *
lk_accounts_shell_word (const char *line, char *out_letter)
{
  const char *found = shell_find (line);
  if (found == NULL)
    return NULL;
  const char *begin = found;
  while (begin > line && !strchr (blanks, begin[-1]))
    begin--;
  *out_letter = *found;
  return g_strndup (begin, strcspn (begin, blanks));
}
