/* engine/task_set.c — see the header. */
#include "engine/task_set.h"

#include "engine/assert.h"
#include "engine/bits.h"
#include "engine/request_text.h"

/* Tasks that a text may name, counted as often as it names them: what reading it can cost. */
#define NAMED_MAX (4u * LK_LIMIT_TASKS)

typedef struct {
  guint32 first;
  guint32 last;
  guint32 step;
} Range;

/* ---------------------------------------------------------------- members */

void
lk_task_set_clear (LkTaskSet *self)
{
  g_free (self->words);
  *self = (LkTaskSet){ 0 };
}

static void
grow (LkTaskSet *self, guint32 word_count)
{
  if (word_count <= self->word_count)
    return;
  self->words = g_renew (guint64, self->words, word_count);
  memset (self->words + self->word_count, 0, (word_count - self->word_count) * sizeof *self->words);
  self->word_count = word_count;
}

gboolean
lk_task_set_has (const LkTaskSet *self, guint32 task)
{
  return task / 64 < self->word_count && lk_bits_has (self->words, task);
}

void
lk_task_set_copy (const LkTaskSet *self, LkTaskSet *out_copy)
{
  *out_copy = *self;
  out_copy->words = g_memdup2 (self->words, self->word_count * sizeof *self->words);
}

void
lk_task_set_add (LkTaskSet *self, guint32 task)
{
  LK_ASSERT (task < LK_LIMIT_TASKS);
  if (lk_task_set_has (self, task))
    return;
  if (task / 64 >= self->word_count)
    grow (self, MAX (task / 64 + 1, MIN (2 * self->word_count, lk_bits_words (LK_LIMIT_TASKS))));
  lk_bits_add (self->words, task);
  self->low = self->count == 0 ? task : MIN (self->low, task);
  self->count++;
}

void
lk_task_set_remove (LkTaskSet *self, guint32 task)
{
  LK_ASSERT (lk_task_set_has (self, task));
  lk_bits_remove (self->words, task);
  self->count--;
  if (task == self->low)
    self->low++;
}

guint32
lk_task_set_first (LkTaskSet *self)
{
  if (self->count == 0)
    return LK_TASK_NONE;
  self->low = lk_bits_next (self->words, self->word_count, self->low);
  return self->low;
}

guint32
lk_task_set_next (const LkTaskSet *self, guint32 after)
{
  guint32 task = lk_bits_next (self->words, self->word_count, after + 1);
  return task < self->word_count * 64 ? task : LK_TASK_NONE;
}

guint32
lk_task_set_count_common (const LkTaskSet *self, const LkTaskSet *other)
{
  guint32 count = 0;
  for (guint32 i = 0; i < MIN (self->word_count, other->word_count); i++)
    count += lk_bits_count_word (self->words[i] & other->words[i]);
  return count;
}

/* ---------------------------------------------------------------- reading */

/* Digits and nothing else; at least one. */
static gboolean
parse_number (LkSpan text, guint32 *out_number)
{
  guint32 number = 0;
  if (text.length_bytes == 0)
    return FALSE;
  for (gsize i = 0; i < text.length_bytes; i++) {
    if (!g_ascii_isdigit (text.at[i]) || number > G_MAXINT32 / 10 - 1)
      return FALSE;
    number = number * 10 + (guint32)(text.at[i] - '0');
  }
  *out_number = number;
  return TRUE;
}

/* first[-last[:step]] */
static gboolean
parse_range (LkSpan part, guint32 limit, Range *out)
{
  LkSpan first;
  LkSpan last;
  LkSpan step = part;
  lk_next_part (&step, ':', &last);
  lk_next_part (&last, '-', &first);
  gboolean has_last = last.at != NULL;
  *out = (Range){ .step = 1 };
  if (!parse_number (first, &out->first))
    return FALSE;
  out->last = out->first;
  if (has_last && !parse_number (last, &out->last))
    return FALSE;
  if (step.at != NULL && (!has_last || !parse_number (step, &out->step) || out->step == 0))
    return FALSE;
  return out->first <= out->last && out->last < limit;
}

/* What is inside of one pair of brackets, or of none. */
static LkSpan
without_brackets (LkText text)
{
  LkSpan span = lk_span_of (text);
  if (span.at != NULL && span.length_bytes >= 2 && span.at[0] == '['
      && span.at[span.length_bytes - 1] == ']') {
    span.at++;
    span.length_bytes -= 2;
  }
  return span;
}

static void
add_range (LkTaskSet *self, const Range *range)
{
  if (range->step == 1) {
    for (guint32 word = range->first / 64; word <= range->last / 64; word++) {
      guint32 base = word * 64;
      self->words[word] |=
          lk_bits_range (range->first > base ? range->first - base : 0, range->last + 1 - base);
    }
    return;
  }
  for (guint32 task = range->first; task <= range->last; task += range->step)
    lk_bits_add (self->words, task);
}

static gboolean
parse_list (LkSpan rest, guint32 limit, LkTaskSet *out_set)
{
  LkSpan part;
  guint64 named_count = 0;
  guint32 last = 0;
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (Range));
  while (lk_next_part (&rest, ',', &part)) {
    Range range;
    if (!parse_range (part, MIN (limit, LK_LIMIT_TASKS), &range))
      return FALSE;
    named_count += (range.last - range.first) / range.step + 1;
    last = MAX (last, range.last);
    g_array_append_val (ranges, range);
    if (named_count > NAMED_MAX)
      return FALSE;
  }
  if (ranges->len == 0)
    return FALSE;
  *out_set = (LkTaskSet){ 0 };
  grow (out_set, last / 64 + 1);
  for (guint i = 0; i < ranges->len; i++)
    add_range (out_set, &g_array_index (ranges, Range, i));
  out_set->count = lk_bits_count (out_set->words, out_set->word_count);
  return TRUE;
}

gboolean
lk_task_set_parse (LkText text, guint32 limit, LkTaskSet *out_set)
{
  return parse_list (without_brackets (text), limit, out_set);
}

gboolean
lk_task_set_parse_throttle (LkText text, guint32 *out_throttle)
{
  if (text.length_bytes < 2 || text.bytes[0] != '%')
    return FALSE;
  return parse_number ((LkSpan){ text.bytes + 1, text.length_bytes - 1u }, out_throttle);
}

gboolean
lk_task_set_parse_array (LkText text, guint32 limit, LkTaskSet *out_set, guint32 *out_throttle)
{
  const char *percent = text.length_bytes > 0 ? memchr (text.bytes, '%', text.length_bytes) : NULL;
  guint32 throttle = 0;
  if (percent != NULL) {
    guint16 before_bytes = (guint16)(percent - text.bytes);
    LkText tail = { percent, (guint16)(text.length_bytes - before_bytes) };
    if (!lk_task_set_parse_throttle (tail, &throttle))
      return FALSE;
    text.length_bytes = before_bytes;
  }
  if (!lk_task_set_parse (text, limit, out_set))
    return FALSE;
  *out_throttle = throttle;
  return TRUE;
}

/* ---------------------------------------------------------------- writing */

/* How far apart all members are; 0: not equally, or they are fewer than three. */
static guint32
common_step (const LkTaskSet *self, guint32 first)
{
  guint32 before = lk_task_set_next (self, first);
  guint32 step = before - first;
  if (self->count < 3)
    return 0;
  for (guint32 task = lk_task_set_next (self, before); task != LK_TASK_NONE;
       task = lk_task_set_next (self, task)) {
    if (task - before != step)
      return 0;
    before = task;
  }
  return step;
}

void
lk_task_set_text (const LkTaskSet *self, GString *out)
{
  guint32 first = lk_bits_next (self->words, self->word_count, self->low);
  gsize begin = out->len;
  if (self->count == 0)
    return;
  guint32 step = common_step (self, first);
  if (step > 1) {
    g_string_append_printf (out, "%u-%u:%u", first, first + (self->count - 1) * step, step);
    return;
  }
  while (first != LK_TASK_NONE) {
    guint32 last = first;
    guint32 next = lk_task_set_next (self, last);
    for (; next == last + 1; next = lk_task_set_next (self, last))
      last = next;
    g_string_append_printf (out, out->len > begin ? ",%u" : "%u", first);
    if (last > first)
      g_string_append_printf (out, "-%u", last);
    first = next;
  }
}

/* ---------------------------------------------------------------- bytes */

void
lk_task_set_save (const LkTaskSet *self, GByteArray *out)
{
  guint32 word_count = self->word_count;
  while (word_count > 0 && self->words[word_count - 1] == 0)
    word_count--;
  lk_append_u32 (out, word_count);
  for (guint32 i = 0; i < word_count; i++)
    lk_append_u64 (out, self->words[i]);
}

gboolean
lk_task_set_load (LkBytesReader *reader, LkTaskSet *out_set)
{
  guint32 word_count = lk_take_u32 (reader);
  *out_set = (LkTaskSet){ 0 };
  if (reader->failed || word_count > lk_bits_words (LK_LIMIT_TASKS)
      || word_count > reader->left_bytes / sizeof (guint64))
    return FALSE;
  grow (out_set, word_count);
  for (guint32 i = 0; i < word_count; i++)
    out_set->words[i] = lk_take_u64 (reader);
  out_set->count = lk_bits_count (out_set->words, word_count);
  gboolean is_canonical = word_count == 0 || out_set->words[word_count - 1] != 0;
  if (!is_canonical || lk_task_set_next (out_set, LK_LIMIT_TASKS - 1) != LK_TASK_NONE) {
    lk_task_set_clear (out_set);
    return FALSE;
  }
  return TRUE;
}
