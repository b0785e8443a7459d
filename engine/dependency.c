/* engine/dependency.c — see the header. */
#include "engine/dependency.h"

#include "engine/assert.h"
#include "engine/request_text.h"

#define MINUTE_US (60 * G_GINT64_CONSTANT (1000000))
/* Of a saved condition. */
#define ITEM_BYTES 26u

static const char *const type_names[] = {
#define X(NAME, number, text) [number] = text,
  LK_DEPENDENCY_TYPES (X)
#undef X
};

LkDependency *
lk_dependency_new (gboolean is_any)
{
  LkDependency *self = g_new0 (LkDependency, 1);
  self->items = g_array_new (FALSE, FALSE, sizeof (LkDependencyItem));
  self->is_any = is_any;
  return self;
}

void
lk_dependency_free (LkDependency *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->items);
  g_free (self);
}

/* ---------------------------------------------------------------- reading */

/* Digits from the front of `rest`, at least one. */
static gboolean
take_number (LkSpan *rest, guint32 *out_number)
{
  guint64 number = 0;
  gsize length_bytes = 0;
  for (; length_bytes < rest->length_bytes && g_ascii_isdigit (rest->at[length_bytes]);
       length_bytes++) {
    number = number * 10 + (guint64)(rest->at[length_bytes] - '0');
    if (number >= LK_INDEX_NONE)
      return FALSE;
  }
  rest->at += length_bytes;
  rest->length_bytes -= length_bytes;
  *out_number = (guint32)number;
  return length_bytes > 0;
}

static gboolean
take_byte (LkSpan *rest, char byte)
{
  if (rest->length_bytes == 0 || *rest->at != byte)
    return FALSE;
  rest->at++;
  rest->length_bytes--;
  return TRUE;
}

/* id[_task][+minutes]; task * is all of them. */
static gboolean
parse_target (LkDependency *self, LkDependencyType type, LkSpan text)
{
  guint32 minutes = 0;
  LkDependencyItem item = { .type = (guint8)type, .task = LK_INDEX_NONE, .due_us = LK_TIME_NEVER };
  if (!take_number (&text, &item.job_id) || item.job_id == 0)
    return FALSE;
  if (take_byte (&text, '_') && !take_byte (&text, '*') && !take_number (&text, &item.task))
    return FALSE;
  if (take_byte (&text, '+')) {
    if (type != LK_DEPENDENCY_AFTER || !take_number (&text, &minutes))
      return FALSE;
    item.delay_us = minutes * MINUTE_US;
  }
  if (text.length_bytes > 0)
    return FALSE;
  g_array_append_val (self->items, item);
  return TRUE;
}

static gboolean
is_word (LkSpan span, const char *word)
{
  return span.length_bytes == strlen (word)
         && g_ascii_strncasecmp (span.at, word, span.length_bytes) == 0;
}

/* [type:]target[:target...], or singleton. */
static gboolean
parse_part (LkDependency *self, LkSpan part)
{
  LkSpan target;
  LkDependencyType type = LK_DEPENDENCY_AFTER_ANY;
  if (is_word (part, type_names[LK_DEPENDENCY_SINGLETON])) {
    LkDependencyItem item = { .type = LK_DEPENDENCY_SINGLETON,
                              .task = LK_INDEX_NONE,
                              .due_us = LK_TIME_NEVER };
    g_array_append_val (self->items, item);
    return TRUE;
  }
  if (part.length_bytes > 0 && !g_ascii_isdigit (*part.at)) {
    LkSpan word;
    lk_next_part (&part, ':', &word);
    for (type = LK_DEPENDENCY_AFTER; type < LK_DEPENDENCY_SINGLETON; type++)
      if (is_word (word, type_names[type]))
        break;
    if (type == LK_DEPENDENCY_SINGLETON)
      return FALSE;
  }
  guint count = self->items->len;
  while (lk_next_part (&part, ':', &target))
    if (!parse_target (self, type, target))
      return FALSE;
  return self->items->len > count;
}

gboolean
lk_dependency_parse (LkText text, LkDependency **out_dependency)
{
  LkSpan part;
  LkSpan rest = lk_span_of (text);
  *out_dependency = NULL;
  if (text.length_bytes == 0 || (text.length_bytes == 1 && text.bytes[0] == '0'))
    return TRUE;
  gboolean is_any = memchr (text.bytes, '?', text.length_bytes) != NULL;
  g_autoptr (LkDependency) self = lk_dependency_new (is_any);
  while (lk_next_part (&rest, is_any ? '?' : ',', &part))
    if (!parse_part (self, part))
      return FALSE;
  *out_dependency = g_steal_pointer (&self);
  return TRUE;
}

/* ---------------------------------------------------------------- how it stands */

gboolean
lk_dependency_satisfy (LkDependency *self, guint at)
{
  if (lk_dependency_item (self, at)->is_failed)
    self->failed_count--;
  g_array_remove_index (self->items, at);
  return self->is_any || self->items->len == 0;
}

void
lk_dependency_fail (LkDependency *self, guint at)
{
  LkDependencyItem *item = lk_dependency_item (self, at);
  LK_ASSERT (!item->is_failed);
  item->is_failed = TRUE;
  self->failed_count++;
}

gboolean
lk_dependency_is_failed (const LkDependency *self)
{
  return self->is_any ? self->failed_count == self->items->len : self->failed_count > 0;
}

void
lk_dependency_text (const LkDependency *self, GString *out)
{
  for (guint i = 0; i < self->items->len; i++) {
    const LkDependencyItem *item = lk_dependency_item (self, i);
    if (i > 0)
      g_string_append_c (out, self->is_any ? '?' : ',');
    g_string_append (out, type_names[item->type]);
    if (item->job_id != 0)
      g_string_append_printf (out, ":%u", item->job_id);
    if (item->task != LK_INDEX_NONE)
      g_string_append_printf (out, "_%u", item->task);
    if (item->delay_us != 0)
      g_string_append_printf (out, "+%u", (guint32)(item->delay_us / MINUTE_US));
    g_string_append (out, item->is_failed ? "(failed)" : "(unfulfilled)");
  }
}

/* ---------------------------------------------------------------- bytes */

void
lk_dependency_save (const LkDependency *self, GByteArray *out)
{
  lk_append_u8 (out, self->is_any != FALSE);
  lk_append_u32 (out, self->items->len);
  for (guint i = 0; i < self->items->len; i++) {
    const LkDependencyItem *item = lk_dependency_item (self, i);
    lk_append_u32 (out, item->job_id);
    lk_append_u32 (out, item->task);
    lk_append_i64 (out, item->delay_us);
    lk_append_i64 (out, item->due_us);
    lk_append_u8 (out, item->type);
    lk_append_u8 (out, item->is_failed != FALSE);
  }
}

static gboolean
item_is_valid (const LkDependencyItem *item, guint8 failed)
{
  gboolean is_after = item->type == LK_DEPENDENCY_AFTER;
  return item->type >= LK_DEPENDENCY_AFTER && item->type < LK_DEPENDENCY_TYPE_LIMIT && failed <= 1
         && (item->job_id == 0) == (item->type == LK_DEPENDENCY_SINGLETON)
         && (is_after || (item->delay_us == 0 && item->due_us == LK_TIME_NEVER))
         && item->delay_us >= 0 && item->delay_us % MINUTE_US == 0
         && item->delay_us / MINUTE_US < LK_INDEX_NONE;
}

LkDependency *
lk_dependency_load (LkBytesReader *reader)
{
  guint8 is_any = lk_take_u8 (reader);
  guint32 count = lk_take_u32 (reader);
  if (reader->failed || is_any > 1 || count == 0 || count > reader->left_bytes / ITEM_BYTES)
    return NULL;
  g_autoptr (LkDependency) self = lk_dependency_new (is_any);
  for (guint32 i = 0; i < count; i++) {
    LkDependencyItem item = { .job_id = lk_take_u32 (reader), .task = lk_take_u32 (reader) };
    item.delay_us = lk_take_i64 (reader);
    item.due_us = lk_take_i64 (reader);
    item.type = lk_take_u8 (reader);
    guint8 failed = lk_take_u8 (reader);
    if (!item_is_valid (&item, failed))
      return NULL;
    g_array_append_val (self->items, item);
    if (failed != 0)
      lk_dependency_fail (self, i);
  }
  return g_steal_pointer (&self);
}
