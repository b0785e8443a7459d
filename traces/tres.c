/* traces/tres.c — see tres.h. */
#include "traces/tres.h"

#include <string.h>

#include "engine/assert.h"

#define MIB (G_GINT64_CONSTANT (1024) * 1024)

void
lk_tres_init (LkTres *self)
{
  self->gres_count = 0;
  self->license_count = 0;
  self->cpus = -1;
  self->nodes = -1;
  self->memory_bytes = -1;
}

static gboolean
is_same (LkSpan a, LkSpan b)
{
  return a.length_bytes == b.length_bytes
         && (a.length_bytes == 0 || memcmp (a.bytes, b.bytes, a.length_bytes) == 0);
}

/* ---------------------------------------------------------------- reading */

/* Sets the item of that name and type, or a new one; "gpu:a100" has a type. */
static void
item_set (LkTresItem *items, guint *count, LkSpan full_name, gint64 value)
{
  LkSpan type = full_name;
  LkSpan name;
  if (!lk_span_part (&type, ':', &name) || name.length_bytes == 0)
    return;
  for (guint i = 0; i < *count; i++)
    if (is_same (items[i].name, name) && is_same (items[i].type, type)) {
      items[i].count = value;
      return;
    }
  if (*count < LK_TRES_ITEMS_MAX)
    items[(*count)++] = (LkTresItem){ name, type, value };
}

void
lk_tres_add (LkTres *self, LkSpan type, LkSpan name, gint64 count)
{
  gboolean is_use = lk_span_is (name, "gpuutil") || lk_span_is (name, "gpumem");
  if (count < 0)
    return;
  if (lk_span_is (type, "cpu"))
    self->cpus = count;
  else if (lk_span_is (type, "node"))
    self->nodes = count;
  else if (lk_span_is (type, "mem"))
    self->memory_bytes = count <= G_MAXINT64 / MIB ? count * MIB : -1;
  else if (lk_span_is (type, "gres") && count > 0 && !is_use)
    item_set (self->gres, &self->gres_count, name, count);
  else if (lk_span_is (type, "license") && count > 0)
    item_set (self->licenses, &self->license_count, name, count);
}

/* "gres/gpu:a100=4" */
static gboolean
pair_parse (LkTres *self, LkSpan pair)
{
  gint64 count;
  LkSpan key;
  LkSpan type;
  if (!lk_span_part (&pair, '=', &key) || !pair.bytes)
    return FALSE;
  if (!lk_span_part (&key, '/', &type))
    return FALSE;
  /* Unused resources may be printed as -2 or with a long fraction: no demand. */
  gboolean is_memory = lk_span_is (type, "mem");
  if (!lk_sacct_size_bytes (pair, is_memory ? MIB : 1, &count))
    return !lk_span_is (type, "cpu") && !lk_span_is (type, "node") && !is_memory;
  if (is_memory)
    self->memory_bytes = count;
  else
    lk_tres_add (self, type, key, count);
  return TRUE;
}

gboolean
lk_tres_parse (LkTres *self, LkSpan text)
{
  LkSpan pair;
  text = lk_span_strip (text);
  if (text.length_bytes == 0)
    return TRUE;
  while (lk_span_part (&text, ',', &pair))
    if (!pair_parse (self, pair))
      return FALSE;
  return TRUE;
}

/* ---------------------------------------------------------------- requests */

static gboolean
is_gpu (const LkTresItem *item)
{
  return lk_span_is (item->name, "gpu");
}

static gint64
count_with_type (const LkTres *self, LkSpan name)
{
  gint64 sum = 0;
  for (guint i = 0; i < self->gres_count; i++)
    if (is_same (self->gres[i].name, name) && self->gres[i].type.length_bytes > 0)
      sum = MIN (sum + MIN (self->gres[i].count, G_MAXINT32), G_MAXINT32);
  return sum;
}

static gint64
count_without_type (const LkTres *self, LkSpan name)
{
  for (guint i = 0; i < self->gres_count; i++)
    if (is_same (self->gres[i].name, name) && self->gres[i].type.length_bytes == 0)
      return self->gres[i].count;
  return 0;
}

/* Is the item part of the request?  Where types account for all, they tell more than the sum does;
 * where some of it has a type that is not tracked, only the sum is right. */
static gboolean
is_wanted (const LkTres *self, const LkTresItem *item)
{
  gboolean types_tell_all =
      count_with_type (self, item->name) >= count_without_type (self, item->name);
  return types_tell_all == (item->type.length_bytes > 0);
}

/* Does every count of GPUs divide by the nodes? */
static gboolean
gpus_divide (const LkTres *self, gint64 nodes)
{
  for (guint i = 0; i < self->gres_count; i++)
    if (is_gpu (&self->gres[i]) && is_wanted (self, &self->gres[i])
        && self->gres[i].count % nodes != 0)
      return FALSE;
  return TRUE;
}

static void
append_word (GString *out, LkSpan word)
{
  g_string_append_len (out, word.bytes, (gssize)word.length_bytes);
  g_string_append_c (out, ':');
}

static void
append_item (GString *out, const LkTresItem *item, gboolean with_name, gint64 count)
{
  if (out->len > 0)
    g_string_append_c (out, ',');
  if (with_name)
    append_word (out, item->name);
  if (item->type.length_bytes > 0)
    append_word (out, item->type);
  g_string_append_printf (out, "%" G_GINT64_FORMAT, count);
}

void
lk_tres_gres_request (const LkTres *self, gint64 nodes, LkReaderBase *base, LkJobRequest *request)
{
  LK_ASSERT (nodes >= 1);
  g_autoptr (GString) gres = g_string_new (NULL);
  g_autoptr (GString) gpus = g_string_new (NULL);
  gboolean each_node = gpus_divide (self, nodes);
  for (guint i = 0; i < self->gres_count; i++) {
    const LkTresItem *item = &self->gres[i];
    if (!is_wanted (self, item))
      continue;
    if (is_gpu (item) && !each_node)
      append_item (gpus, item, /* with_name= */ FALSE, item->count);
    else
      append_item (gres, item, /* with_name= */ TRUE, (item->count - 1) / nodes + 1);
  }
  request->gres = lk_text (lk_reader_text (base, gres->str, gres->len));
  request->gpus = lk_text (lk_reader_text (base, gpus->str, gpus->len));
}

void
lk_tres_license_request (const LkTres *self, LkReaderBase *base, LkJobRequest *request)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < self->license_count; i++)
    append_item (text, &self->licenses[i], /* with_name= */ TRUE, self->licenses[i].count);
  request->licenses = lk_text (lk_reader_text (base, text->str, text->len));
}
