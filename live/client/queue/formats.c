/* live/client/queue/formats.c — see the header. */
#include "live/client/queue/formats.h"

#include <string.h>

#define LONG_WIDTH 20

void
lk_format_percent_cell (gconstpointer report, gconstpointer row, GString *out)
{
  (void)report;
  (void)row;
  g_string_append_c (out, '%');
}

void
lk_format_nothing_cell (gconstpointer report, gconstpointer row, GString *out)
{
  (void)report;
  (void)row;
  (void)out;
}

/* ---------------------------------------------------------------- letters */

/* A letter that no column has; of a field that ends before one all of it. */
static void
letter_tell (const LkClient *client, const LkFormatSet *set, const char *field, const char *letter)
{
  const char *at = *letter != '\0' ? letter : field;
  int bytes = *letter != '\0' ? (int)lk_table_character_bytes (at) : (int)(letter - field);
  if (set->is_bare)
    fprintf (client->err, "Invalid node format specification: %.*s\n", bytes, at);
  else
    lk_client_error (client, "Invalid %s format specification: %.*s", set->of, bytes, at);
}

static gboolean
has_letter (char letter)
{
  return (guchar)letter > ' ' && (guchar)letter < 0x7f;
}

/* Each letter, with a bar between. */
static char *
all_letters (const LkFormatSet *set)
{
  GString *out = g_string_new (NULL);
  for (const LkTableColumn *at = set->columns; at->letter != '\0'; at++)
    if (has_letter (at->letter))
      g_string_append_printf (out, "%s%%%c", out->len > 0 ? "|" : "", at->letter);
  return g_string_free (out, FALSE);
}

char *
lk_format_of_letters (const LkClient *client, const LkFormatSet *set, const char *format)
{
  g_autoptr (GString) out = g_string_new (NULL);
  if (g_ascii_strcasecmp (format, "%all") == 0)
    return all_letters (set);
  for (const char *at = format; *at != '\0';) {
    gsize text = strcspn (at, "%");
    g_string_append_len (out, at, (gssize)text);
    at += text;
    /* A % before another, or at the end, begins nothing. */
    at += strspn (at, "%");
    if (*at == '\0' || at == format)
      continue;
    const char *letter = at + strspn (at, ".#0123456789");
    gsize field = strcspn (at, "%");
    gboolean is_known = *letter != '\0' && lk_table_column (set->columns, *letter) != NULL;
    if (at[-1] == '%' && !is_known) {
      letter_tell (client, set, at, letter);
      g_string_append_printf (out, "%%%c", LK_FORMAT_PERCENT);
    } else if (at[-1] == '%') {
      g_string_append_c (out, '%');
    }
    g_string_append_len (out, at, (gssize)field);
    at += field;
  }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

/* ---------------------------------------------------------------- names */

static char
letter_of (const LkFormatSet *set, const char *name, gsize name_bytes)
{
  for (const LkFormatName *at = set->names; at->name != NULL; at++)
    if (strlen (at->name) == name_bytes && g_ascii_strncasecmp (at->name, name, name_bytes) == 0)
      return at->letter;
  return 0;
}

/* What follows a column stands as it is given, a % too. */
static void
suffix_append (const char *suffix, GString *out)
{
  for (const char *at = suffix; *at != '\0'; at++)
    if (*at == '%')
      g_string_append_printf (out, "%%%c", LK_FORMAT_PERCENT);
    else
      g_string_append_c (out, *at);
}

/* "Name", "Name:12", "Name:.12", each also with what is to follow it; "Name:" is as wide as its
 * text. */
static void
name_append (const LkClient *client, const LkFormatSet *set, const char *field, GString *out)
{
  gsize name_bytes = strcspn (field, ":");
  char letter = letter_of (set, field, name_bytes);
  const char *at = field + name_bytes + (field[name_bytes] == ':' ? 1 : 0);
  gboolean is_right = *at == '.';
  at += is_right ? 1 : 0;
  gsize digits = strspn (at, "0123456789");
  if (letter == 0) {
    lk_client_error (client, "Invalid %s format specification: %.*s", set->of, (int)name_bytes,
                     field);
    g_string_append_printf (out, "%%%c", LK_FORMAT_NOTHING);
    suffix_append (at + digits, out);
    return;
  }
  g_string_append (out, is_right ? "%." : "%");
  if (digits > 0)
    g_string_append_len (out, at, (gssize)digits);
  else if (field[name_bytes] == '\0')
    g_string_append_printf (out, "%d", LONG_WIDTH);
  g_string_append_c (out, letter);
  suffix_append (at + digits, out);
}

char *
lk_format_of_names (const LkClient *client, const LkFormatSet *set, const char *format)
{
  g_autoptr (GString) letters = g_string_new (NULL);
  g_auto (GStrv) fields = g_strsplit (format, ",", -1);
  for (guint i = 0; fields[i] != NULL; i++)
    if (*fields[i] != '\0')
      name_append (client, set, fields[i], letters);
  return g_strdup (letters->str);
}

/* ---------------------------------------------------------------- what there is */

void
lk_format_help (const LkClient *client, const LkFormatSet *set, gboolean of_names)
{
  for (const LkFormatName *at = set->names; of_names && at->name != NULL; at++)
    fprintf (client->out, "%s\n", at->name);
  for (const LkTableColumn *at = set->columns; !of_names && at->letter != '\0'; at++)
    if (has_letter (at->letter))
      fprintf (client->out, "%%%c  %s\n", at->letter, at->heading);
}

void
lk_format_markdown (const LkFormatSet *set, GString *out)
{
  g_string_append (out, "| Letter | Heading | Names |\n|---|---|---|\n");
  for (const LkTableColumn *at = set->columns; at->letter != '\0'; at++) {
    g_autoptr (GString) names = g_string_new (NULL);
    for (const LkFormatName *name = set->names; name->name != NULL; name++)
      if (name->letter == at->letter)
        g_string_append_printf (names, "%s`%s`", names->len > 0 ? ", " : "", name->name);
    if (has_letter (at->letter))
      g_string_append_printf (out, "| `%%%c` | %s | %s |\n", at->letter, at->heading, names->str);
    else if (names->len > 0)
      g_string_append_printf (out, "| | %s | %s |\n", at->heading, names->str);
  }
}
