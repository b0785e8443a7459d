/* traces/swf_parse.c — see traces/swf_parse.h.
 *
 * LkSwfJob is treated as an array of 18 int64 in field order; the table `fields` says how each is
 * read. Source of the format: Chapin et al., "Benchmarks and standards for the evaluation of
 * parallel job schedulers", JSSPP 1999, and the archive's page on the Standard Workload Format
 * 2.2. */
#include "traces/swf_parse.h"

#include <string.h>

#include "traces/input.h"

#define US_PER_S G_GINT64_CONSTANT (1000000)
#define FRACTION_DIGITS 6u
/* Lines up to this long take the fast way. */
#define FAST_MAX_BYTES 192u
#define FAST_WORDS (FAST_MAX_BYTES / 64u + 1u)
#define SHOWN_MAX_BYTES 40u

G_STATIC_ASSERT (sizeof (LkSwfJob) == LK_SWF_FIELD_COUNT * sizeof (gint64));

typedef enum {
  KIND_WHOLE,     /* an integer; a fraction is an error */
  KIND_TRUNCATED, /* an integer; some converters write averages, whose fraction is dropped */
  KIND_TIME,      /* seconds, kept as microseconds */
} Kind;

typedef struct {
  const char *name;
  const char *expected;
  Kind kind;
  gint64 minimum; /* in the unit of the log; G_MININT64: any */
  gboolean is_minimum_lenient;
} Field;

static const Field fields[LK_SWF_FIELD_COUNT] = {
  { "job number", "an integer >= 0", KIND_WHOLE, 0, FALSE },
  { "submit time", "seconds >= 0, or -1 for unknown", KIND_TIME, -1, TRUE },
  { "wait time", "seconds >= 0, or -1 for unknown", KIND_TIME, -1, TRUE },
  { "run time", "seconds >= 0, or -1 for unknown", KIND_TIME, -1, TRUE },
  { "allocated processors", "an integer >= 1, or -1 for unknown", KIND_WHOLE, -1, TRUE },
  { "average CPU time", "seconds >= 0, or -1 for unknown", KIND_TIME, G_MININT64, FALSE },
  { "used memory", "KiB >= 0, or -1 for unknown", KIND_TRUNCATED, G_MININT64, FALSE },
  { "requested processors", "an integer >= 1, or -1 for unknown", KIND_WHOLE, -1, TRUE },
  { "requested time", "seconds >= 0, or -1 for unknown", KIND_TIME, -1, TRUE },
  { "requested memory", "KiB >= 0, or -1 for unknown", KIND_TRUNCATED, G_MININT64, FALSE },
  { "status", "0 to 5, or -1 for unknown", KIND_WHOLE, G_MININT64, FALSE },
  { "user", "an integer, or -1 for unknown", KIND_WHOLE, G_MININT64, FALSE },
  { "group", "an integer, or -1 for unknown", KIND_WHOLE, G_MININT64, FALSE },
  { "application", "an integer, or -1 for unknown", KIND_WHOLE, G_MININT64, FALSE },
  { "queue", "an integer, or -1 for unknown", KIND_WHOLE, G_MININT64, FALSE },
  { "partition", "an integer, or -1 for unknown", KIND_WHOLE, G_MININT64, FALSE },
  { "preceding job", "a job number, or -1 for none", KIND_WHOLE, G_MININT64, FALSE },
  { "think time", "seconds >= 0, or -1 for unknown", KIND_TIME, G_MININT64, FALSE },
};

/* ---------------------------------------------------------------- messages */

/* A field as it can be put into a message: cut, and with every byte that is not printable ASCII
 * replaced. */
static char *
text_shown (const char *text, gsize length_bytes)
{
  GString *shown = g_string_new (NULL);
  for (gsize i = 0; i < MIN (length_bytes, SHOWN_MAX_BYTES); i++)
    g_string_append_c (shown, g_ascii_isprint (text[i]) ? text[i] : '?');
  if (length_bytes > SHOWN_MAX_BYTES)
    g_string_append (shown, "...");
  return g_string_free (shown, FALSE);
}

static gboolean
is_binary (const char *text, gsize length_bytes)
{
  for (gsize i = 0; i < length_bytes; i++) {
    guchar byte = (guchar)text[i];
    if (byte < ' ' && byte != '\t' && byte != '\r')
      return TRUE;
  }
  return FALSE;
}

static gboolean
field_fail (const LkSwfPlace *place, guint field_index, const char *text, gsize length_bytes,
            const char *why, GError **error)
{
  const Field *field = &fields[field_index];
  g_autofree char *shown = text_shown (text, length_bytes);
  g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
               "trace '%s' line %" G_GUINT64_FORMAT ": field %u (%s) is '%s'%s; expected %s",
               place->trace, place->line_number, field_index + 1, field->name, shown, why,
               field->expected);
  return FALSE;
}

static gboolean
line_fail_count (const LkSwfPlace *place, guint field_count, GError **error)
{
  gboolean is_more = field_count > LK_SWF_FIELD_COUNT;
  gboolean is_lenient = (place->flags & LK_SWF_LENIENT) != 0;
  if (is_more && is_lenient)
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                 "trace '%s' line %" G_GUINT64_FORMAT ": more than %u fields; expected %u to %u",
                 place->trace, place->line_number, LK_SWF_FIELD_LENIENT_MAX_COUNT,
                 LK_SWF_FIELD_COUNT, LK_SWF_FIELD_LENIENT_MAX_COUNT);
  else
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                 "trace '%s' line %" G_GUINT64_FORMAT ": %u field%s; expected %u%s%s%s",
                 place->trace, place->line_number, field_count, field_count == 1 ? "" : "s",
                 LK_SWF_FIELD_COUNT, is_more ? "" : ", field ",
                 is_more ? "" : fields[field_count].name,
                 is_more ? " (--lenient ignores the fields behind them)" : " is missing");
  return FALSE;
}

/* ---------------------------------------------------------------- the exact way */

/* A decimal number as digits of an integer and of a fraction. */
typedef struct {
  gint64 whole;    /* with its sign */
  gint64 fraction; /* the first six digits behind the point, with the sign of the number */
  gboolean is_fraction_zero;
} Decimal;

/* NULL when the text is a number, else what is wrong with it. */
static const char *
decimal_parse (const char *text, gsize length_bytes, Decimal *out)
{
  gboolean is_negative = length_bytes > 0 && text[0] == '-';
  gsize i = is_negative ? 1 : 0;
  gint64 whole = 0;
  gsize digits = 0;
  for (; i < length_bytes && g_ascii_isdigit (text[i]); i++, digits++) {
    gint64 digit = text[i] - '0';
    if (__builtin_mul_overflow (whole, 10, &whole)
        || __builtin_add_overflow (whole, is_negative ? -digit : digit, &whole))
      return ", which does not fit 64 bits";
  }
  gint64 fraction = 0;
  gint64 scale = US_PER_S / 10;
  gboolean is_fraction_zero = TRUE;
  if (i < length_bytes && text[i] == '.')
    for (i++; i < length_bytes && g_ascii_isdigit (text[i]); i++, digits++, scale /= 10) {
      fraction += (text[i] - '0') * scale;
      is_fraction_zero = is_fraction_zero && text[i] == '0';
    }
  if (i < length_bytes || digits == 0)
    return "";
  *out = (Decimal){ whole, is_negative ? -fraction : fraction, is_fraction_zero };
  return NULL;
}

static gboolean
field_parse (const LkSwfPlace *place, guint field_index, const char *text, gsize length_bytes,
             gint64 *out_value, GError **error)
{
  const Field *field = &fields[field_index];
  Decimal decimal;
  const char *wrong = decimal_parse (text, length_bytes, &decimal);
  if (!wrong && field->kind == KIND_WHOLE && !decimal.is_fraction_zero)
    wrong = "";
  gint64 value = wrong ? 0 : decimal.whole;
  if (!wrong && field->kind == KIND_TIME
      && (__builtin_mul_overflow (value, US_PER_S, &value)
          || __builtin_add_overflow (value, decimal.fraction, &value)))
    wrong = ", whose microseconds do not fit 64 bits";
  if (wrong)
    return field_fail (place, field_index, text, length_bytes, wrong, error);
  *out_value = value;
  return TRUE;
}

static gboolean
is_space (char byte)
{
  return byte == ' ' || byte == '\t' || byte == '\r';
}

/* Fills the values of the first 18 fields and counts all. */
static gboolean
line_parse_exact (const LkSwfPlace *place, const char *line, gsize length_bytes, gint64 *values,
                  guint *out_field_count, GError **error)
{
  guint field_max_count =
      place->flags & LK_SWF_LENIENT ? LK_SWF_FIELD_LENIENT_MAX_COUNT : LK_SWF_FIELD_COUNT;
  guint field_count = 0;
  if (is_binary (line, length_bytes)) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                 "trace '%s' line %" G_GUINT64_FORMAT ": holds bytes that are not text; this does "
                 "not look like a Standard Workload Format log",
                 place->trace, place->line_number);
    return FALSE;
  }
  for (gsize i = 0; i < length_bytes;) {
    if (is_space (line[i])) {
      i++;
      continue;
    }
    gsize start = i;
    while (i < length_bytes && !is_space (line[i]))
      i++;
    if (field_count < LK_SWF_FIELD_COUNT
        && !field_parse (place, field_count, line + start, i - start, &values[field_count], error))
      return FALSE;
    field_count++;
  }
  if (field_count < LK_SWF_FIELD_COUNT || field_count > field_max_count)
    return line_fail_count (place, field_count, error);
  *out_field_count = field_count;
  return TRUE;
}

/* ---------------------------------------------------------------- the fast way */

#define EACH_BYTE(byte) (G_GUINT64_CONSTANT (0x0101010101010101) * (byte))

static inline guint64
word_load (const char *from)
{
  guint64 word;
  memcpy (&word, from, sizeof word);
  return GUINT64_FROM_LE (word);
}

/* Eight bits, one for each byte of the word that is neither a space nor a tab. */
static inline guint64
word_text_bits (guint64 word)
{
  guint64 spaces = word ^ EACH_BYTE (' ');
  guint64 tabs = word ^ EACH_BYTE ('\t');
  /* The top bit of a byte is set when the byte is not zero; no carry leaves a byte. */
  guint64 text = (((spaces & EACH_BYTE (0x7f)) + EACH_BYTE (0x7f)) | spaces)
                 & (((tabs & EACH_BYTE (0x7f)) + EACH_BYTE (0x7f)) | tabs) & EACH_BYTE (0x80);
  return ((text >> 7) * G_GUINT64_CONSTANT (0x0102040810204080)) >> 56;
}

/* Value of eight decimal digits, the first in the lowest byte, each as 0 to 9. */
static inline guint64
eight_digits_value (guint64 digits)
{
  digits = (digits * (10 * 256 + 1)) >> 8;
  digits = ((digits & G_GUINT64_CONSTANT (0x00ff00ff00ff00ff)) * (100 * 65536 + 1)) >> 16;
  return ((digits & G_GUINT64_CONSTANT (0x0000ffff0000ffff))
          * (G_GUINT64_CONSTANT (10000) * (G_GUINT64_CONSTANT (1) << 32) + 1))
         >> 32;
}

/* Not zero when a byte is above 9. */
static inline guint64
digits_wrong (guint64 digits)
{
  return ((digits + EACH_BYTE (0x76)) | digits) & EACH_BYTE (0x80);
}

/* An integer of 1 to 16 digits; FALSE when it is not one. */
static inline gboolean
integer_parse_fast (const char *text, guint length_bytes, gint64 *out_value)
{
  guint is_negative = text[0] == '-';
  text += is_negative;
  length_bytes -= is_negative;
  guint64 value;
  guint64 digits = word_load (text) ^ EACH_BYTE ('0');
  if (G_LIKELY (length_bytes - 1u < 8u)) {
    /* The bytes behind the number fall out on the left; zeros come in as leading digits. */
    digits <<= 64u - 8u * length_bytes;
    if (digits_wrong (digits))
      return FALSE;
    value = eight_digits_value (digits);
  } else if (length_bytes - 9u < 8u) {
    guint64 rest = word_load (text + length_bytes - 8) ^ EACH_BYTE ('0');
    digits <<= 64u - 8u * (length_bytes - 8u);
    if (digits_wrong (digits) | digits_wrong (rest))
      return FALSE;
    value = eight_digits_value (digits) * 100000000u + eight_digits_value (rest);
  } else {
    return FALSE;
  }
  *out_value = ((gint64)value ^ -(gint64)is_negative) + (gint64)is_negative;
  return TRUE;
}

/* The places where the line changes between space and text, up to one more than 18 fields have. */
static inline guint
line_changes (const char *line, guint length_bytes, guint16 changes[2 * LK_SWF_FIELD_COUNT + 1])
{
  guint change_count = 0;
  guint64 before = 0; /* whether the byte before this block is text */
  for (guint block = 0; block <= length_bytes; block += 64) {
    guint64 text = 0;
    for (guint i = 0; i < 64 && block + i < length_bytes; i += 8)
      text |= word_text_bits (word_load (line + block + i)) << i;
    guint left_bytes = length_bytes - block;
    if (left_bytes < 64)
      text &= (G_GUINT64_CONSTANT (1) << left_bytes) - 1;
    guint64 flips = text ^ (text << 1 | before);
    before = text >> 63;
    while (flips) {
      if (change_count > 2 * LK_SWF_FIELD_COUNT)
        return change_count;
      changes[change_count++] = (guint16)(block + (guint)__builtin_ctzll (flips));
      flips &= flips - 1;
    }
  }
  return change_count;
}

/* FALSE: not taken, nothing is known about the line. */
static gboolean
line_parse_fast (const char *line, gsize length_bytes, gint64 *values)
{
  guint16 changes[2 * LK_SWF_FIELD_COUNT + 1];
  if (length_bytes > FAST_MAX_BYTES)
    return FALSE;
  if (line_changes (line, (guint)length_bytes, changes) != 2 * LK_SWF_FIELD_COUNT)
    return FALSE;
  for (guint i = 0; i < LK_SWF_FIELD_COUNT; i++) {
    guint start = changes[2 * i];
    guint end = changes[2 * i + 1];
    if (G_UNLIKELY (!integer_parse_fast (line + start, end - start, &values[i])))
      return FALSE;
  }
  /* The times are fields 2, 3, 4, 6, 9 and 18. */
  gboolean is_overflow = __builtin_mul_overflow (values[1], US_PER_S, &values[1]);
  is_overflow |= __builtin_mul_overflow (values[2], US_PER_S, &values[2]);
  is_overflow |= __builtin_mul_overflow (values[3], US_PER_S, &values[3]);
  is_overflow |= __builtin_mul_overflow (values[5], US_PER_S, &values[5]);
  is_overflow |= __builtin_mul_overflow (values[8], US_PER_S, &values[8]);
  is_overflow |= __builtin_mul_overflow (values[17], US_PER_S, &values[17]);
  return !is_overflow;
}

/* ---------------------------------------------------------------- both */

/* Finds the text of a field again, for the message about its value. */
static gboolean
minimum_fail (const LkSwfPlace *place, const char *line, guint field_index, GError **error)
{
  const char *text = line;
  gsize length_bytes = 0;
  for (guint i = 0; i <= field_index; i++) {
    text += length_bytes;
    while (is_space (*text))
      text++;
    for (length_bytes = 0; text[length_bytes] != '\n' && !is_space (text[length_bytes]);)
      length_bytes++;
  }
  return field_fail (place, field_index, text, length_bytes,
                     fields[field_index].is_minimum_lenient ? " (--lenient lets it pass)" : "",
                     error);
}

/* Checks the least values; sets a bit in `odd` for what a lenient reader lets pass. */
static gboolean
minimum_check (const LkSwfPlace *place, const char *line, const gint64 *values, guint *odd,
               GError **error)
{
  for (guint i = 0; i < LK_SWF_FIELD_COUNT; i++) {
    const Field *field = &fields[i];
    if (field->minimum == G_MININT64)
      continue;
    gint64 minimum = field->kind == KIND_TIME ? field->minimum * US_PER_S : field->minimum;
    if (values[i] >= minimum)
      continue;
    if (!field->is_minimum_lenient || !(place->flags & LK_SWF_LENIENT))
      return minimum_fail (place, line, i, error);
    *odd |= LK_SWF_ODD_NEGATIVE;
  }
  return TRUE;
}

gboolean
lk_swf_line_parse (const LkSwfPlace *place, const char *line, gsize length_bytes, LkSwfJob *out_job,
                   guint *out_odd, GError **error)
{
  gint64 values[LK_SWF_FIELD_COUNT];
  guint field_count = LK_SWF_FIELD_COUNT;
  *out_odd = 0;
  if (length_bytes > 0 && line[length_bytes - 1] == '\r')
    length_bytes--;
  if (G_UNLIKELY (!line_parse_fast (line, length_bytes, values))
      && !line_parse_exact (place, line, length_bytes, values, &field_count, error))
    return FALSE;
  gboolean is_low = (values[0] < 0) | (values[1] < -US_PER_S) | (values[2] < -US_PER_S)
                    | (values[3] < -US_PER_S) | (values[4] < -1) | (values[7] < -1)
                    | (values[8] < -US_PER_S);
  if (G_UNLIKELY (is_low) && !minimum_check (place, line, values, out_odd, error))
    return FALSE;
  if (G_UNLIKELY (field_count > LK_SWF_FIELD_COUNT))
    *out_odd |= LK_SWF_ODD_EXTRA_FIELDS;
  memcpy (out_job, values, sizeof *out_job);
  return TRUE;
}

const char *
lk_swf_field_name (guint field_number)
{
  return fields[field_number - 1].name;
}
