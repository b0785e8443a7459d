/* live/step/multi_prog.c — see the header. */
#include "live/step/multi_prog.h"

#include <string.h>

/* ---------------------------------------------------------------- lines and words */

/* Takes a line off the text, with those that it goes on in. NULL: there is none left. Returns:
 * (transfer full). */
static char *
take_line (const char **text)
{
  GString *line;
  const char *at = *text;
  if (*at == '\0')
    return NULL;
  line = g_string_new (NULL);
  for (; *at != '\0' && *at != '\n'; at++) {
    if (*at == '\\' && at[1] == '\n') {
      g_string_append_c (line, ' ');
      at++;
    } else if (*at == '\\' && at[1] != '\0') {
      g_string_append_len (line, at, 2);
      at++;
    } else {
      g_string_append_c (line, *at);
    }
  }
  *text = *at == '\n' ? at + 1 : at;
  return g_string_free (line, FALSE);
}

/* Takes a word off a line. NULL: there is none. FALSE in `out_is_whole`: a quote has no end.
 * Returns: (transfer full). */
static char *
take_word (const char **line, gboolean *out_is_whole)
{
  const char *at = *line + strspn (*line, " \t\r");
  char quote = '\0';
  if (*at == '\0' || *at == '#')
    return NULL;
  GString *word = g_string_new (NULL);
  for (; *at != '\0' && (quote != '\0' || strchr (" \t\r", *at) == NULL); at++) {
    if (*at == '\\' && at[1] != '\0' && quote != '\'')
      g_string_append_c (word, *++at);
    else if (quote == '\0' && (*at == '"' || *at == '\''))
      quote = *at;
    else if (*at == quote)
      quote = '\0';
    else
      g_string_append_c (word, *at);
  }
  *out_is_whole = *out_is_whole && quote == '\0';
  *line = at;
  return g_string_free (word, FALSE);
}

/* ---------------------------------------------------------------- tasks */

typedef enum { NOT_NAMED, NAMED, BAD_LIST } Named;

/* 0-3,7: does it name the task, and as which of them? */
static Named
find_task (const char *list, guint32 task, guint32 *out_offset)
{
  guint64 before = 0;
  for (const char *at = list;;) {
    char *end;
    guint64 first;
    if (!g_ascii_isdigit (*at))
      return BAD_LIST;
    guint64 last = first = g_ascii_strtoull (at, &end, 10);
    if (*end == '-') {
      at = end + 1;
      if (!g_ascii_isdigit (*at))
        return BAD_LIST;
      last = g_ascii_strtoull (at, &end, 10);
    }
    if (last < first || last > G_MAXUINT32)
      return BAD_LIST;
    if (task >= first && task <= last) {
      *out_offset = (guint32)(before + task - first);
      return NAMED;
    }
    before += last - first + 1;
    if (*end == '\0')
      return NOT_NAMED;
    if (*end != ',')
      return BAD_LIST;
    at = end + 1;
  }
}

static char *
fill_in (const char *word, guint32 task, guint32 offset)
{
  GString *out = g_string_new (NULL);
  for (const char *at = word; *at != '\0'; at++) {
    if (at[0] == '%' && (at[1] == 't' || at[1] == 'o'))
      g_string_append_printf (out, "%u", *++at == 't' ? task : offset);
    else
      g_string_append_c (out, *at);
  }
  return g_string_free (out, FALSE);
}

/* The rest of a line. NULL: it has no program, or cannot be read. */
static char **
arguments_of (const char *rest, guint32 task, guint32 offset)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  gboolean is_whole = TRUE;
  for (;;) {
    g_autofree char *word = take_word (&rest, &is_whole);
    if (word == NULL)
      break;
    g_ptr_array_add (words, fill_in (word, task, offset));
  }
  if (words->len == 0 || !is_whole)
    return NULL;
  g_ptr_array_add (words, NULL);
  return (char **)g_ptr_array_steal (words, NULL);
}

char **
lk_multi_prog_arguments (const char *text, gsize length_bytes, guint32 task, char **out_fault)
{
  g_autofree char *copy = g_strndup (text, length_bytes);
  const char *left = copy;
  g_autofree char *others = NULL; /* the line of * */
  char *line;
  for (guint number = 1; (line = take_line (&left)) != NULL; number++) {
    g_autofree char *whole = line;
    const char *rest = whole;
    gboolean is_whole = TRUE;
    guint32 offset = 0;
    g_autofree char *tasks = take_word (&rest, &is_whole);
    if (tasks == NULL)
      continue;
    if (strcmp (tasks, "*") == 0) {
      g_free (others);
      others = g_strdup (rest);
      continue;
    }
    Named named = find_task (tasks, task, &offset);
    char **arguments = named == NAMED ? arguments_of (rest, task, offset) : NULL;
    if (arguments != NULL)
      return arguments;
    if (named != NOT_NAMED) {
      *out_fault =
          g_strdup_printf ("line %u of the configuration file is invalid: %s", number, whole);
      return NULL;
    }
  }
  char **arguments = others != NULL ? arguments_of (others, task, task) : NULL;
  if (arguments == NULL)
    *out_fault =
        g_strdup_printf ("no program is named for task %u in the configuration file", task);
  return arguments;
}

guint32
lk_multi_prog_first_lacking (const char *text, gsize length_bytes, guint32 tasks)
{
  g_autofree char *copy = g_strndup (text, length_bytes);
  g_autofree gboolean *has_line = g_new0 (gboolean, MAX (tasks, 1));
  const char *left = copy;
  char *line;
  guint32 offset;
  while ((line = take_line (&left)) != NULL) {
    g_autofree char *whole = line;
    const char *rest = whole;
    gboolean is_whole = TRUE;
    g_autofree char *list = take_word (&rest, &is_whole);
    if (list == NULL)
      continue;
    if (strcmp (list, "*") == 0)
      return tasks;
    for (guint32 task = 0; task < tasks; task++)
      has_line[task] = has_line[task] || find_task (list, task, &offset) != NOT_NAMED;
  }
  guint32 first = 0;
  while (first < tasks && has_line[first])
    first++;
  return first;
}
