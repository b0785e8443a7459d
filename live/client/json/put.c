/* live/client/json/put.c — see the header. */
#include "live/client/json/put.h"

#include <math.h>

void
lk_put_real (GString *out, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (!isfinite (value)) {
    g_string_append (out, "0.0");
    return;
  }
  /* As short as it reads back. */
  g_ascii_formatd (text, sizeof text, "%.15g", value);
  if (g_ascii_strtod (text, NULL) != value)
    g_ascii_dtostr (text, sizeof text, value);
  g_string_append (out, text);
  if (strpbrk (text, ".e") == NULL)
    g_string_append (out, ".0");
}

void
lk_put_number (GString *out, gboolean is_set, gint64 value)
{
  if (!is_set) {
    lk_put_literal (out, "{\"set\":false,\"infinite\":false,\"number\":0}");
    return;
  }
  lk_put_literal (out, "{\"set\":true,\"infinite\":false,\"number\":");
  lk_word_number (value, out);
  lk_put_literal (out, "}");
}

void
lk_put_endless (GString *out)
{
  lk_put_literal (out, "{\"set\":false,\"infinite\":true,\"number\":0}");
}

void
lk_put_real_number (GString *out, gboolean is_set, double value)
{
  gboolean is_endless = is_set && isinf (value);
  if (!is_set) {
    lk_put_literal (out, "{\"set\":false,\"infinite\":false,\"number\":0.0}");
    return;
  }
  g_string_append_printf (out,
                          "{\"set\":%s,\"infinite\":%s,\"number\":", is_endless ? "false" : "true",
                          is_endless ? "true" : "false");
  lk_put_real (out, value);
  g_string_append_c (out, '}');
}

void
lk_put_moment (GString *out, gint64 time_us)
{
  lk_put_number (out, TRUE, time_us == G_MAXINT64 ? 0 : time_us / G_USEC_PER_SEC);
}

void
lk_put_list (GString *out, const char *text, gsize length_bytes, char separator)
{
  gsize begin = 0;
  guint depth = 0;
  lk_put_literal (out, "[");
  for (gsize i = 0; i <= length_bytes; i++) {
    char c = i < length_bytes ? text[i] : separator;
    depth += c == '(' || c == '[' ? 1 : 0;
    depth -= (c == ')' || c == ']') && depth > 0 ? 1 : 0;
    if (i < length_bytes && (c != separator || depth > 0))
      continue;
    if (i > begin) {
      if (out->str[out->len - 1] != '[')
        g_string_append_c (out, ',');
      lk_put_bytes (out, text + begin, i - begin);
    }
    begin = i + 1;
  }
  g_string_append_c (out, ']');
}

void
lk_put_word (GString *out, const char *word)
{
  lk_put_list (out, word, strlen (word), '\0');
}

void
lk_put_bytes_or_null (GString *out, const void *bytes, gsize length_bytes)
{
  if (length_bytes > 0)
    lk_put_bytes (out, bytes, length_bytes);
  else
    g_string_append (out, "null");
}

void
lk_put_count_or_null (GString *out, gboolean is_there, gint64 value)
{
  if (is_there)
    lk_word_number (value, out);
  else
    g_string_append (out, "null");
}

/* ---------------------------------------------------------------- TRES */

guint
lk_put_tres_id (const char *name)
{
  static const char *const names[] = { "cpu",     "mem",     "energy", "node",
                                       "billing", "fs/disk", "vmem",   "pages" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i], name) == 0)
      return i + 1;
  return 0;
}

/* MiB of "500M", "4G", "2.5G"; a count without a unit. */
static gint64
amount_of (const char *text)
{
  static const char units[] = "MGTPE";
  char *end;
  double value = g_ascii_strtod (text, &end);
  const char *unit = *end != '\0' ? strchr (units, g_ascii_toupper (*end)) : NULL;
  if (g_ascii_toupper (*end) == 'K')
    return (gint64)(value / 1024);
  for (long i = unit != NULL ? unit - units : 0; i > 0; i--)
    value *= 1024;
  return (gint64)value;
}

void
lk_put_tres (GString *out, const char *list)
{
  g_auto (GStrv) parts = g_strsplit (list, ",", -1);
  g_string_append_c (out, '[');
  for (guint i = 0; parts[i] != NULL; i++) {
    char *equals = strchr (parts[i], '=');
    if (equals == NULL)
      continue;
    *equals = '\0';
    guint id = lk_put_tres_id (parts[i]);
    char *slash = strchr (parts[i], '/');
    if (slash != NULL)
      *slash = '\0';
    g_string_append (out, out->str[out->len - 1] != '[' ? ",{\"type\":" : "{\"type\":");
    lk_put_string (out, parts[i]);
    g_string_append (out, ",\"name\":");
    lk_put_string (out, slash != NULL ? slash + 1 : "");
    g_string_append_printf (out, ",\"id\":%u,\"count\":%" G_GINT64_FORMAT "}", id,
                            amount_of (equals + 1));
  }
  g_string_append_c (out, ']');
}
