/* live/step/pmi_word.c — see the header. */
#include "live/step/pmi_word.h"

#include <string.h>

/* Characters of the length. */
#define LENGTH_BYTES 6u

void
lk_pmi_word_clear (LkPmiWord *self)
{
  g_clear_pointer (&self->pairs, g_ptr_array_unref);
}

static void
add_pair (LkPmiWord *self, GString *name, GString *value)
{
  g_ptr_array_add (self->pairs, g_strndup (name->str, name->len));
  g_ptr_array_add (self->pairs, g_strndup (value->str, value->len));
  g_string_truncate (name, 0);
  g_string_truncate (value, 0);
}

/* Returns: the first byte behind the value. A doubled end is one byte of it. */
static gsize
read_value (const char *text, gsize at, gsize length_bytes, guint version, GString *out)
{
  char end = version == 2 ? ';' : ' ';
  for (; at < length_bytes; at++) {
    gboolean is_end = text[at] == end;
    if (is_end && (version != 2 || at + 1 >= length_bytes || text[at + 1] != end))
      return at + 1;
    at += is_end ? 1 : 0;
    g_string_append_c (out, text[at]);
  }
  return length_bytes;
}

/* FALSE: it is none. */
static gboolean
read_pairs (LkPmiWord *self, const char *text, gsize length_bytes, guint version)
{
  g_autoptr (GString) name = g_string_new (NULL);
  g_autoptr (GString) value = g_string_new (NULL);
  if (memchr (text, '\0', length_bytes) != NULL)
    return FALSE;
  for (gsize at = 0; at < length_bytes;) {
    if (text[at] == ' ') {
      at++;
      continue;
    }
    const char *equals = memchr (text + at, '=', length_bytes - at);
    gsize count = equals != NULL ? (gsize)(equals - text) - at : 0;
    if (count == 0 || count > LK_PMI_KEY_BYTES_MAX)
      return FALSE;
    g_string_append_len (name, text + at, (gssize)count);
    at = read_value (text, at + count + 1, length_bytes, version, value);
    add_pair (self, name, value);
  }
  return self->pairs->len > 0;
}

static LkPmiStatus
take (GByteArray *bytes, gsize head_bytes, gsize length_bytes, guint version, LkPmiWord *out_word)
{
  LkPmiWord word = { g_ptr_array_new_with_free_func (g_free) };
  const char *text = (const char *)bytes->data + head_bytes;
  gboolean is_good = read_pairs (&word, text, length_bytes, version);
  /* The end of a line goes with it. */
  gsize taken_bytes = head_bytes + length_bytes + (version == 2 ? 0 : 1);
  g_byte_array_remove_range (bytes, 0, (guint)taken_bytes);
  if (is_good)
    *out_word = word;
  else
    lk_pmi_word_clear (&word);
  return is_good ? LK_PMI_WHOLE : LK_PMI_BAD;
}

/* Digits with spaces before or behind them; G_MAXSIZE: it is none. */
static gsize
length_of (const guint8 *head)
{
  g_autofree char *text = g_strndup ((const char *)head, LENGTH_BYTES);
  guint64 length_bytes;
  if (!g_ascii_string_to_unsigned (g_strstrip (text), 10, 1, LK_PMI_WORD_BYTES_MAX, &length_bytes,
                                   NULL))
    return G_MAXSIZE;
  return (gsize)length_bytes;
}

LkPmiStatus
lk_pmi_word_take (GByteArray *bytes, guint version, LkPmiWord *out_word)
{
  if (version == 2) {
    gsize length_bytes = bytes->len >= LENGTH_BYTES ? length_of (bytes->data) : 0;
    if (length_bytes == G_MAXSIZE)
      return LK_PMI_BAD;
    if (length_bytes == 0 || bytes->len < LENGTH_BYTES + length_bytes)
      return LK_PMI_MORE;
    return take (bytes, LENGTH_BYTES, length_bytes, version, out_word);
  }
  const guint8 *end = bytes->len > 0 ? memchr (bytes->data, '\n', bytes->len) : NULL;
  if (end == NULL)
    return bytes->len > LK_PMI_WORD_BYTES_MAX ? LK_PMI_BAD : LK_PMI_MORE;
  return take (bytes, 0, (gsize)(end - bytes->data), version, out_word);
}

const char *
lk_pmi_word_value (const LkPmiWord *self, const char *name)
{
  for (guint i = 0; i + 1 < self->pairs->len; i += 2)
    if (strcmp (g_ptr_array_index (self->pairs, i), name) == 0)
      return g_ptr_array_index (self->pairs, i + 1);
  return "";
}

gboolean
lk_pmi_text_is_good (const char *text, guint version, gsize bytes_max)
{
  return strlen (text) <= bytes_max && (version == 2 || strpbrk (text, " \n") == NULL);
}

void
lk_pmi_word_append (GString *word, guint version, const char *name, const char *value)
{
  if (version != 2) {
    g_string_append_printf (word, "%s%s=%s", word->len > 0 ? " " : "", name, value);
    return;
  }
  g_string_append_printf (word, "%s=", name);
  for (const char *at = value; *at != '\0'; at++) {
    if (*at == ';')
      g_string_append_c (word, ';');
    g_string_append_c (word, *at);
  }
  g_string_append_c (word, ';');
}

GString *
lk_pmi_word_close (const GString *word, guint version)
{
  GString *whole = g_string_new (NULL);
  if (version == 2)
    g_string_append_printf (whole, "%-*u", (int)LENGTH_BYTES, (guint)word->len);
  g_string_append_len (whole, word->str, (gssize)word->len);
  if (version != 2)
    g_string_append_c (whole, '\n');
  return whole;
}
