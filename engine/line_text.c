/* engine/line_text.c — texts of one line per thing, both ways. See the header. */
#include "engine/line_text.h"

#include <string.h>

#include "engine/assert.h"

/* A real has a sign, 17 digits, a point and an exponent at most. */
#define REAL_TEXT_BYTES_MAX 25u

/* ---------------------------------------------------------------- writing values */

static gboolean
is_plain (char letter)
{
  return (guchar)letter > ' ' && letter != '"' && letter != '\\' && letter != '=' && letter != 0x7f;
}

static gboolean
needs_quotes (const char *text)
{
  const char *at = text;
  while (is_plain (*at))
    at++;
  return at == text || *at != '\0';
}

void
lk_line_append_text (GString *out, const char *text)
{
  if (!needs_quotes (text)) {
    g_string_append (out, text);
    return;
  }
  g_string_append_c (out, '"');
  for (const char *at = text; *at != '\0'; at++) {
    if (*at == '"' || *at == '\\' || *at == '\n')
      g_string_append_c (out, '\\');
    g_string_append_c (out, *at == '\n' ? 'n' : *at);
  }
  g_string_append_c (out, '"');
}

void
lk_line_append_real (GString *out, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  /* A negative zero equals zero, so that both must have one text. */
  if (value == 0.0) {
    g_string_append_c (out, '0');
    return;
  }
  for (int digits = 15; digits <= 17; digits++) {
    char format[] = { '%', '.', '1', (char)('0' + digits - 10), 'g', '\0' };
    g_ascii_formatd (text, sizeof text, format, value);
    if (g_ascii_strtod (text, NULL) == value)
      break;
  }
  g_string_append (out, text);
}

static const void *
member_of (const LkLineMember *member, const void *spec)
{
  return (const char *)spec + member->offset_bytes;
}

static guint32
number_of (const LkLineMember *member, const void *spec)
{
  guint32 number;
  memcpy (&number, member_of (member, spec), sizeof number);
  return number;
}

static void
text_append (GString *out, const LkLineMember *member, const void *spec, const void *context)
{
  (void)context;
  lk_line_append_text (out, *(char *const *)member_of (member, spec));
}

static void
u32_append (GString *out, const LkLineMember *member, const void *spec, const void *context)
{
  (void)context;
  g_string_append_printf (out, "%u", number_of (member, spec));
}

static void
i64_append (GString *out, const LkLineMember *member, const void *spec, const void *context)
{
  (void)context;
  g_string_append_printf (out, "%" G_GINT64_FORMAT, *(const gint64 *)member_of (member, spec));
}

static void
flag_append (GString *out, const LkLineMember *member, const void *spec, const void *context)
{
  (void)context;
  g_string_append_c (out, *(const gboolean *)member_of (member, spec) ? '1' : '0');
}

static void
real_append (GString *out, const LkLineMember *member, const void *spec, const void *context)
{
  (void)context;
  lk_line_append_real (out, *(const double *)member_of (member, spec));
}

static void
names_append (GString *out, const LkLineMember *member, const void *spec, const void *context)
{
  (void)context;
  const GPtrArray *names = *(GPtrArray *const *)member_of (member, spec);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < names->len; i++) {
    if (i > 0)
      g_string_append_c (text, ',');
    g_string_append (text, g_ptr_array_index (names, i));
  }
  lk_line_append_text (out, text->str);
}

static void
sizes_append (GString *out, const LkLineMember *member, const void *spec, const void *context)
{
  (void)context;
  const GArray *sizes = *(GArray *const *)member_of (member, spec);
  if (sizes->len == 0)
    lk_line_append_text (out, "");
  for (guint i = 0; i < sizes->len; i++)
    g_string_append_printf (out, i == 0 ? "%u" : ",%u", g_array_index (sizes, guint32, i));
}

void
lk_line_word_append (GString *out, const LkLineMember *member, const void *spec,
                     const void *context)
{
  (void)context;
  guint32 number = number_of (member, spec);
  const char *const *words = member->type->words;
  while (number > 0 && *words != NULL) {
    words++;
    number--;
  }
  LK_ASSERT (*words != NULL);
  g_string_append (out, *words);
}

void
lk_line_set_append (GString *out, const LkLineMember *member, const void *spec, const void *context)
{
  (void)context;
  guint32 set = number_of (member, spec);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint bit = 0; member->type->words[bit] != NULL; bit++) {
    if ((set >> bit & 1) == 0)
      continue;
    if (text->len > 0)
      g_string_append_c (text, ',');
    g_string_append (text, member->type->words[bit]);
  }
  lk_line_append_text (out, text->str);
}

/* ---------------------------------------------------------------- reading parts of values */

gboolean
lk_line_wrong (LkLineReader *reader, const char *member, const char *expected)
{
  reader->member = member;
  g_snprintf (reader->text, sizeof reader->text, "line %u: expected %s", reader->line_number,
              expected);
  return FALSE;
}

gboolean
lk_line_skip (LkLineReader *reader, const char *text)
{
  gsize length_bytes = strlen (text);
  if ((gsize)(reader->end - reader->at) < length_bytes
      || memcmp (reader->at, text, length_bytes) != 0)
    return FALSE;
  reader->at += length_bytes;
  return TRUE;
}

/* The inside of quotes, up to and with the closing one. */
static gboolean
quoted_read (LkLineReader *reader, GString *out)
{
  while (reader->at < reader->end && *reader->at != '\n' && *reader->at != '\0') {
    char letter = *reader->at++;
    if (letter == '"')
      return TRUE;
    if (letter == '\\') {
      if (reader->at == reader->end || strchr ("\"\\n", *reader->at) == NULL || *reader->at == '\0')
        return FALSE;
      letter = *reader->at++;
      letter = letter == 'n' ? '\n' : letter;
    }
    g_string_append_c (out, letter);
  }
  return FALSE;
}

char *
lk_line_value_read (LkLineReader *reader)
{
  g_autoptr (GString) value = g_string_new (NULL);
  gboolean is_quoted = lk_line_skip (reader, "\"");
  if (is_quoted && !quoted_read (reader, value))
    return NULL;
  const char *start = reader->at;
  while (!is_quoted && reader->at < reader->end && is_plain (*reader->at))
    reader->at++;
  g_string_append_len (value, start, reader->at - start);
  if (needs_quotes (value->str) != is_quoted)
    return NULL;
  return g_string_free (g_steal_pointer (&value), FALSE);
}

gboolean
lk_line_number_read (LkLineReader *reader, guint64 limit, guint64 *out_number)
{
  const char *start = reader->at;
  guint64 number = 0;
  while (reader->at < reader->end && g_ascii_isdigit (*reader->at)) {
    guint64 digit = (guint64)(*reader->at++ - '0');
    if (__builtin_mul_overflow (number, 10, &number)
        || __builtin_add_overflow (number, digit, &number) || number > limit)
      return FALSE;
  }
  *out_number = number;
  return reader->at > start && (*start != '0' || reader->at == start + 1);
}

gboolean
lk_line_real_parse (const char *text, double *out_value)
{
  /* The writer's letters only: no blanks, hexadecimals, infinities or NaN. */
  gsize length_bytes = strspn (text, "+-.0123456789e");
  if (length_bytes == 0 || length_bytes > REAL_TEXT_BYTES_MAX || text[length_bytes] != '\0')
    return FALSE;
  char *end;
  double value = g_ascii_strtod (text, &end);
  if (*end != '\0' || value - value != 0.0)
    return FALSE;
  g_autoptr (GString) again = g_string_new (NULL);
  lk_line_append_real (again, value);
  if (strcmp (again->str, text) != 0)
    return FALSE;
  *out_value = value;
  return TRUE;
}

/* ---------------------------------------------------------------- reading values */

static void *
place_of (const LkLineMember *member, void *spec)
{
  return (char *)spec + member->offset_bytes;
}

static gboolean
text_read (LkLineReader *reader, const LkLineMember *member, void *spec)
{
  char **text = place_of (member, spec);
  char *value = lk_line_value_read (reader);
  if (value == NULL)
    return FALSE;
  g_free (*text);
  *text = value;
  return TRUE;
}

static gboolean
u32_read (LkLineReader *reader, const LkLineMember *member, void *spec)
{
  guint64 value;
  if (!lk_line_number_read (reader, G_MAXUINT32, &value))
    return FALSE;
  *(guint32 *)place_of (member, spec) = (guint32)value;
  return TRUE;
}

static gboolean
i64_read (LkLineReader *reader, const LkLineMember *member, void *spec)
{
  guint64 value;
  if (!lk_line_number_read (reader, G_MAXINT64, &value))
    return FALSE;
  *(gint64 *)place_of (member, spec) = (gint64)value;
  return TRUE;
}

static gboolean
s64_read (LkLineReader *reader, const LkLineMember *member, void *spec)
{
  gint64 *number = place_of (member, spec);
  gboolean is_negative = lk_line_skip (reader, "-");
  if (!i64_read (reader, member, spec) || (is_negative && *number == 0))
    return FALSE;
  *number = is_negative ? -*number : *number;
  return TRUE;
}

static gboolean
flag_read (LkLineReader *reader, const LkLineMember *member, void *spec)
{
  guint64 value;
  if (!lk_line_number_read (reader, 1, &value))
    return FALSE;
  *(gboolean *)place_of (member, spec) = value == 1;
  return TRUE;
}

static gboolean
real_read (LkLineReader *reader, const LkLineMember *member, void *spec)
{
  g_autofree char *value = lk_line_value_read (reader);
  return value != NULL && lk_line_real_parse (value, place_of (member, spec));
}

/* Empty names are for the check to refuse. */
static gboolean
names_read (LkLineReader *reader, const LkLineMember *member, void *spec)
{
  GPtrArray *names = *(GPtrArray **)place_of (member, spec);
  g_autofree char *value = lk_line_value_read (reader);
  if (value == NULL)
    return FALSE;
  for (const char *at = value; *value != '\0';) {
    gsize length_bytes = strcspn (at, ",");
    g_ptr_array_add (names, g_strndup (at, length_bytes));
    if (at[length_bytes] == '\0')
      break;
    at += length_bytes + 1;
  }
  return TRUE;
}

static gboolean
sizes_read (LkLineReader *reader, const LkLineMember *member, void *spec)
{
  GArray *sizes = *(GArray **)place_of (member, spec);
  if (lk_line_skip (reader, "\"\""))
    return TRUE;
  do {
    guint64 value;
    if (!lk_line_number_read (reader, G_MAXUINT32, &value))
      return FALSE;
    guint32 size = (guint32)value;
    g_array_append_val (sizes, size);
  } while (lk_line_skip (reader, ","));
  return TRUE;
}

/* The index of a word of this length; G_MAXUINT32: it is none of them. */
static guint32
word_index (const char *const *words, const char *word, gsize length_bytes)
{
  for (guint32 i = 0; words[i] != NULL; i++)
    if (strncmp (words[i], word, length_bytes) == 0 && words[i][length_bytes] == '\0')
      return i;
  return G_MAXUINT32;
}

gboolean
lk_line_word_read (LkLineReader *reader, const LkLineMember *member, void *spec)
{
  g_autofree char *value = lk_line_value_read (reader);
  guint32 index =
      value == NULL ? G_MAXUINT32 : word_index (member->type->words, value, strlen (value));
  if (index == G_MAXUINT32)
    return FALSE;
  memcpy (place_of (member, spec), &index, sizeof index);
  return TRUE;
}

gboolean
lk_line_set_read (LkLineReader *reader, const LkLineMember *member, void *spec)
{
  g_autofree char *value = lk_line_value_read (reader);
  if (value == NULL)
    return FALSE;
  guint32 set = 0;
  for (const char *at = value; *value != '\0';) {
    gsize length_bytes = strcspn (at, ",");
    guint32 bit = word_index (member->type->words, at, length_bytes);
    /* Each word once, in their order. */
    if (bit == G_MAXUINT32 || set >> bit != 0)
      return FALSE;
    set |= 1u << bit;
    if (at[length_bytes] == '\0')
      break;
    at += length_bytes + 1;
  }
  memcpy (place_of (member, spec), &set, sizeof set);
  return TRUE;
}

const LkLineType lk_line_text = { text_append, text_read, "text", NULL };
const LkLineType lk_line_u32 = { u32_append, u32_read, "a number below 2^32", NULL };
const LkLineType lk_line_i64 = { i64_append, i64_read, "a number below 2^63", NULL };
const LkLineType lk_line_s64 = { i64_append, s64_read, "a number from -2^63 to 2^63", NULL };
const LkLineType lk_line_flag = { flag_append, flag_read, "0 or 1", NULL };
const LkLineType lk_line_real = { real_append, real_read, "a number in its shortest form", NULL };
const LkLineType lk_line_names = { names_append, names_read, "names with commas between", NULL };
const LkLineType lk_line_sizes = { sizes_append, sizes_read, "numbers with commas between", NULL };

/* ---------------------------------------------------------------- lines */

void
lk_line_append (GString *out, const LkLine *line, const void *spec, const void *context)
{
  g_string_append (out, line->kind);
  for (guint i = 0; i < line->count; i++) {
    const LkLineMember *member = &line->members[i];
    g_string_append_c (out, ' ');
    if (i > 0) {
      g_string_append (out, member->name);
      g_string_append_c (out, '=');
    }
    member->type->append (out, member, spec, context);
  }
  g_string_append_c (out, '\n');
}

guint
lk_line_kind_read (LkLineReader *reader, const LkLine *lines, guint count)
{
  gsize left_bytes = (gsize)(reader->end - reader->at);
  for (guint kind = 0; kind < count; kind++) {
    gsize length_bytes = strlen (lines[kind].kind);
    if (left_bytes > length_bytes && reader->at[length_bytes] == ' '
        && lk_line_skip (reader, lines[kind].kind))
      return kind;
  }
  return count;
}

gboolean
lk_line_read (LkLineReader *reader, const LkLine *line, void *spec)
{
  for (guint i = 0; i < line->count; i++) {
    const LkLineMember *member = &line->members[i];
    if (!lk_line_skip (reader, " ")
        || (i > 0 && (!lk_line_skip (reader, member->name) || !lk_line_skip (reader, "=")))) {
      g_autofree char *expected = g_strdup_printf ("%s, with one blank before", member->name);
      return lk_line_wrong (reader, member->name, expected);
    }
    if (!member->type->read (reader, member, spec))
      return lk_line_wrong (reader, member->name, member->type->phrase);
  }
  if (!lk_line_skip (reader, "\n"))
    return lk_line_wrong (reader, line->kind, "the end of the line");
  return TRUE;
}

/* ---------------------------------------------------------------- documentation */

static void
type_append (GString *out, const LkLineType *type)
{
  gboolean is_enumeration = type->words != NULL && type->append == lk_line_word_append;
  for (guint i = 0; is_enumeration && type->words[i] != NULL; i++)
    g_string_append_printf (out, "%s`%s`", i > 0 ? ", " : "", type->words[i]);
  if (!is_enumeration)
    g_string_append (out, type->phrase);
  for (guint i = 0; !is_enumeration && type->words != NULL && type->words[i] != NULL; i++)
    g_string_append_printf (out, "%s`%s`", i > 0 ? ", " : ": ", type->words[i]);
}

void
lk_lines_markdown (GString *out, const LkLine *lines, guint count)
{
  for (guint i = 0; i < count; i++) {
    const LkLine *line = &lines[i];
    g_string_append_printf (out,
                            "%s## %s\n\n%s.\n\n| member | value | what it is |\n|---|---|---|\n",
                            i > 0 ? "\n" : "", line->kind, line->help);
    for (guint j = 0; j < line->count; j++) {
      g_string_append_printf (out, "| %s | ", line->members[j].name);
      type_append (out, line->members[j].type);
      g_string_append_printf (out, " | %s |\n", line->members[j].help);
    }
  }
}
