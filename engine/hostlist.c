/* engine/hostlist.c — see the header.
 *
 * A name of a list is taken apart into literals and brackets first, which tells how many names it
 * gives and how long they are; only then are they made, like the readings of an odometer. */
#include "engine/hostlist.h"

#include <string.h>

#include "engine/assert.h"

/* Numbers stay inside 64 bits. */
#define DIGITS_MAX 18u
#define BRACKETS_MAX 16u

typedef struct {
  guint64 low;
  guint64 high;
  guint32 width;
} Range;

/* A literal and the bracket behind it. */
typedef struct {
  const char *literal;
  gsize literal_bytes;
  guint first; /* of its ranges */
  guint range_count;
  guint range; /* the reading: a range, and a number in it */
  guint64 number;
} Wheel;

typedef struct {
  Wheel wheels[BRACKETS_MAX];
  guint wheel_count;
  const char *tail; /* the literal behind the last bracket */
  gsize tail_bytes;
  guint64 name_count;
  guint64 list_count;  /* names of the list so far */
  gsize name_bytes;    /* of the longest */
  GArray *ranges;      /* of Range */
  gboolean is_printed; /* in the order of lk_hostlist_expand_printed */
} Pattern;

/* ---------------------------------------------------------------- reading */

static guint32
digits_of (guint64 number)
{
  guint32 count = 1;
  for (; number >= 10; number /= 10)
    count++;
  return count;
}

/* Reads digits from the front. Returns how many there were; 0 is none or too many. */
static guint32
number_read (const char *at, const char *end, guint64 *out_number)
{
  guint32 count = 0;
  guint64 number = 0;
  while (at + count < end && g_ascii_isdigit (at[count])) {
    if (count == DIGITS_MAX)
      return 0;
    number = number * 10 + (guint64)(at[count] - '0');
    count++;
  }
  *out_number = number;
  return count;
}

/* Reads "3" or "08-11". Returns its end; NULL and an error. */
static const char *
range_read (const char *at, const char *end, Range *out_range, const char **error)
{
  guint32 count = number_read (at, end, &out_range->low);
  if (count == 0) {
    *error = "a bracket holds something that is not a number of at most 18 digits";
    return NULL;
  }
  out_range->width = count;
  out_range->high = out_range->low;
  at += count;
  if (at == end || *at != '-')
    return at;
  at++;
  count = number_read (at, end, &out_range->high);
  if (count == 0)
    *error = "a range has no end that is a number of at most 18 digits";
  else if (out_range->high < out_range->low)
    *error = "a range ends below its start";
  else
    return at + count;
  return NULL;
}

/* Reads the inside of a bracket into the next wheel. Returns what follows the bracket; NULL and an
 * error. */
static const char *
bracket_read (const char *at, const char *end, Pattern *pattern, const char **error)
{
  Wheel *wheel = &pattern->wheels[pattern->wheel_count];
  guint64 number_count = 0;
  guint32 digits_max = 0;
  wheel->first = pattern->ranges->len;
  for (;;) {
    Range range;
    at = range_read (at, end, &range, error);
    if (at == NULL)
      return NULL;
    g_array_append_val (pattern->ranges, range);
    /* No overflow: a number has at most 18 digits, and the sum is tested after each range. */
    number_count += range.high - range.low + 1;
    digits_max = MAX (digits_max, MAX (range.width, digits_of (range.high)));
    if (number_count > LK_HOSTLIST_NAMES_MAX) {
      *error = "it stands for more than 1000000 names";
      return NULL;
    }
    if (at == end || (*at != ',' && *at != ']')) {
      *error = at == end ? "a bracket is not closed"
                         : "a bracket holds more than numbers, commas and hyphens";
      return NULL;
    }
    if (*at++ == ']')
      break;
  }
  wheel->range_count = pattern->ranges->len - wheel->first;
  pattern->name_count *= number_count;
  pattern->name_bytes += digits_max;
  pattern->wheel_count++;
  return at;
}

/* Reads letters up to a bracket or the end of the name. */
static const char *
literal_read (const char *at, const char *end, const char **error)
{
  while (at < end && *at != ',' && *at != '[') {
    if (*at == ']')
      *error = "a bracket is closed that was not opened";
    else if (!g_ascii_isgraph (*at))
      *error = "it holds a blank, a control character or a letter outside ASCII";
    else {
      at++;
      continue;
    }
    return NULL;
  }
  return at;
}

/* Takes one name of the list apart. Returns its end; NULL and an error. */
static const char *
pattern_read (const char *at, const char *end, Pattern *pattern, const char **error)
{
  pattern->wheel_count = 0;
  pattern->name_count = 1;
  pattern->name_bytes = 0;
  g_array_set_size (pattern->ranges, 0);
  for (;;) {
    const char *literal = at;
    at = literal_read (at, end, error);
    if (at == NULL)
      return NULL;
    gsize literal_bytes = (gsize)(at - literal);
    pattern->name_bytes += literal_bytes;
    if (at == end || *at == ',') {
      pattern->tail = literal;
      pattern->tail_bytes = literal_bytes;
      return at;
    }
    if (pattern->wheel_count == BRACKETS_MAX) {
      *error = "a name has more than 16 brackets";
      return NULL;
    }
    pattern->wheels[pattern->wheel_count].literal = literal;
    pattern->wheels[pattern->wheel_count].literal_bytes = literal_bytes;
    at = bracket_read (at + 1, end, pattern, error);
    if (at == NULL)
      return NULL;
    if (pattern->name_count > LK_HOSTLIST_NAMES_MAX) {
      *error = "it stands for more than 1000000 names";
      return NULL;
    }
  }
}

/* ---------------------------------------------------------------- making names */

static char *
number_put (char *at, guint64 number, guint32 width)
{
  guint32 count = MAX (width, digits_of (number));
  for (guint32 i = count; i-- > 0; number /= 10)
    at[i] = (char)('0' + number % 10);
  return at + count;
}

static char *
literal_put (char *at, const char *literal, gsize literal_bytes)
{
  if (literal_bytes > 0)
    memcpy (at, literal, literal_bytes);
  return at + literal_bytes;
}

static char *
name_make (const Pattern *pattern)
{
  char name[LK_HOSTLIST_NAME_BYTES_MAX];
  char *at = name;
  LK_ASSERT (pattern->name_bytes <= sizeof name);
  for (guint i = 0; i < pattern->wheel_count; i++) {
    const Wheel *wheel = &pattern->wheels[i];
    at = literal_put (at, wheel->literal, wheel->literal_bytes);
    at = number_put (at, wheel->number, g_array_index (pattern->ranges, Range, wheel->range).width);
  }
  at = literal_put (at, pattern->tail, pattern->tail_bytes);
  return g_strndup (name, (gsize)(at - name));
}

static void
wheel_reset (const Pattern *pattern, Wheel *wheel)
{
  wheel->range = wheel->first;
  wheel->number = g_array_index (pattern->ranges, Range, wheel->first).low;
}

/* One step of one wheel. Returns FALSE when it was at its last number and is at its first again. */
static gboolean
wheel_turn (const Pattern *pattern, Wheel *wheel)
{
  if (wheel->number < g_array_index (pattern->ranges, Range, wheel->range).high) {
    wheel->number++;
    return TRUE;
  }
  if (++wheel->range < wheel->first + wheel->range_count) {
    wheel->number = g_array_index (pattern->ranges, Range, wheel->range).low;
    return TRUE;
  }
  wheel_reset (pattern, wheel);
  return FALSE;
}

/* The wheel that turns as number `place`, 0 the fastest. */
static Wheel *
wheel_at (Pattern *pattern, guint place)
{
  guint last = pattern->wheel_count - 1;
  if (!pattern->is_printed)
    return &pattern->wheels[last - place];
  return &pattern->wheels[place == 0 ? last : place - 1];
}

static void
names_make (Pattern *pattern, GPtrArray *out_names)
{
  for (guint i = 0; i < pattern->wheel_count; i++)
    wheel_reset (pattern, &pattern->wheels[i]);
  for (guint64 i = 0; i < pattern->name_count; i++) {
    g_ptr_array_add (out_names, name_make (pattern));
    guint place = 0;
    while (place < pattern->wheel_count && !wheel_turn (pattern, wheel_at (pattern, place)))
      place++;
  }
}

/* `out_names` NULL: names are only counted. Returns NULL or an error. */
static const char *
list_expand (const char *text, const char *end, Pattern *pattern, GPtrArray *out_names)
{
  const char *error = NULL;
  guint64 room_count = LK_HOSTLIST_NAMES_MAX;
  for (const char *at = text;; at++) {
    at = pattern_read (at, end, pattern, &error);
    if (at == NULL)
      return error;
    if (pattern->name_bytes == 0)
      return "a name is empty";
    if (pattern->name_bytes > LK_HOSTLIST_NAME_BYTES_MAX)
      return "a name is longer than 255 letters";
    if (pattern->name_count > room_count)
      return "it stands for more than 1000000 names";
    room_count -= pattern->name_count;
    pattern->list_count += pattern->name_count;
    if (out_names != NULL)
      names_make (pattern, out_names);
    if (at == end)
      return NULL;
  }
}

static gboolean
expand (const char *text, gsize length_bytes, gboolean is_printed, GPtrArray *out_names,
        const char **out_error)
{
  Pattern pattern = { .ranges = g_array_new (FALSE, FALSE, sizeof (Range)),
                      .is_printed = is_printed };
  guint before_count = out_names->len;
  const char *error =
      length_bytes == 0 ? NULL : list_expand (text, text + length_bytes, &pattern, out_names);
  g_array_free (pattern.ranges, TRUE);
  if (error == NULL)
    return TRUE;
  g_ptr_array_set_size (out_names, (gint)before_count);
  if (out_error)
    *out_error = error;
  return FALSE;
}

gboolean
lk_hostlist_expand (const char *text, gsize length_bytes, GPtrArray *out_names,
                    const char **out_error)
{
  return expand (text, length_bytes, /* is_printed= */ FALSE, out_names, out_error);
}

gboolean
lk_hostlist_expand_printed (const char *text, gsize length_bytes, GPtrArray *out_names,
                            const char **out_error)
{
  return expand (text, length_bytes, /* is_printed= */ TRUE, out_names, out_error);
}

gboolean
lk_hostlist_count (const char *text, gsize length_bytes, guint64 *out_count)
{
  Pattern pattern = { .ranges = g_array_new (FALSE, FALSE, sizeof (Range)) };
  const char *error =
      length_bytes == 0 ? NULL : list_expand (text, text + length_bytes, &pattern, NULL);
  g_array_free (pattern.ranges, TRUE);
  if (error == NULL)
    *out_count = pattern.list_count;
  return error == NULL;
}

/* ---------------------------------------------------------------- writing */

/* A name around its last number. */
typedef struct {
  const char *name;
  gsize prefix_bytes;
  guint32 width; /* digits as written; 0: the name has no number */
  guint64 number;
  const char *suffix;
} Parts;

static Parts
parts_of (const char *name)
{
  Parts parts = { .name = name };
  gsize end = strlen (name);
  while (end > 0 && !g_ascii_isdigit (name[end - 1]))
    end--;
  gsize start = end;
  while (start > 0 && end - start < DIGITS_MAX && g_ascii_isdigit (name[start - 1]))
    start--;
  parts.prefix_bytes = start;
  parts.suffix = name + end;
  parts.width = number_read (name + start, name + end, &parts.number);
  return parts;
}

/* May they stand in one bracket: the same name but for the number, written in the same way? */
static gboolean
parts_alike (const Parts *a, const Parts *b)
{
  if (a->width == 0 || b->width == 0 || a->prefix_bytes != b->prefix_bytes)
    return FALSE;
  gboolean is_padded = a->width > digits_of (a->number) || b->width > digits_of (b->number);
  if (is_padded && a->width != b->width)
    return FALSE;
  return memcmp (a->name, b->name, a->prefix_bytes) == 0 && strcmp (a->suffix, b->suffix) == 0;
}

/* Does `next` continue a range that ends with `last`? Then it also has the width that the start of
 * the range gives it: padded numbers are alike only in equal width. */
static gboolean
range_continues (const Parts *last, const Parts *next)
{
  return parts_alike (last, next) && next->number == last->number + 1;
}

static void
number_append (GString *out, const Parts *parts)
{
  g_string_append_len (out, parts->name + parts->prefix_bytes, (gssize)parts->width);
}

/* Appends the name at `first` and those that fit into its bracket. Returns the first that does
 * not. */
static guint
bracket_append (const char *const *names, guint count, guint first, GString *out)
{
  Parts last = parts_of (names[first]);
  Parts next = last;
  guint at = first;
  g_string_append_len (out, last.name, (gssize)last.prefix_bytes);
  gsize open = out->len;
  do {
    guint low_at = at;
    if (low_at > first)
      g_string_append_c (out, ',');
    number_append (out, &next);
    do {
      last = next;
      at++;
      if (at < count)
        next = parts_of (names[at]);
    } while (at < count && range_continues (&last, &next));
    if (at - low_at > 1) {
      g_string_append_c (out, '-');
      number_append (out, &last);
    }
  } while (at < count && parts_alike (&last, &next));
  if (at - first > 1) {
    g_string_insert_c (out, (gssize)open, '[');
    g_string_append_c (out, ']');
  }
  g_string_append (out, last.suffix);
  return at;
}

void
lk_hostlist_compress (const char *const *names, guint count, GString *out)
{
  for (guint i = 0; i < count;) {
    if (i > 0)
      g_string_append_c (out, ',');
    i = bracket_append (names, count, i, out);
  }
}
