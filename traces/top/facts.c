/* traces/top/facts.c — see the header. */
#include "traces/top/facts.h"

#include "traces/table.h"

#define CHUNK_BYTES 4096

LkTopFacts *
lk_top_facts_new (guint wants)
{
  LkTopFacts *self = g_new0 (LkTopFacts, 1);
  self->texts = g_string_chunk_new (CHUNK_BYTES);
  self->wants = wants;
  self->title = "";
  self->jobs = g_array_new (FALSE, TRUE, sizeof (LkTopJob));
  self->nodes = g_array_new (FALSE, TRUE, sizeof (LkTopNode));
  self->log = g_ptr_array_new ();
  self->use_ratios = g_array_new (FALSE, FALSE, sizeof (double));
  return self;
}

void
lk_top_facts_free (LkTopFacts *self)
{
  if (self == NULL)
    return;
  g_string_chunk_free (self->texts);
  g_array_unref (self->jobs);
  g_array_unref (self->nodes);
  g_ptr_array_unref (self->log);
  g_array_unref (self->use_ratios);
  g_free (self);
}

const char *
lk_top_facts_text (LkTopFacts *self, const char *text)
{
  return text != NULL && *text != '\0' ? g_string_chunk_insert_const (self->texts, text) : "";
}

void
lk_top_facts_sum_nodes (LkTopFacts *self)
{
  self->cpu_count = 0;
  self->cpus_used_count = 0;
  for (guint i = 0; i < self->nodes->len; i++) {
    const LkTopNode *node = &g_array_index (self->nodes, LkTopNode, i);
    self->cpu_count += node->cpu_count;
    self->cpus_used_count += node->cpus_used_count;
  }
}

void
lk_top_duration (gint64 duration_us, GString *out)
{
  if (duration_us == LK_TOP_NEVER)
    g_string_append_c (out, '-');
  else
    lk_table_duration (MAX (0, duration_us), out);
}

void
lk_top_facts_moment (const LkTopFacts *self, gint64 time_us, GString *out)
{
  if (!self->has_dates || time_us == LK_TOP_NEVER) {
    lk_top_duration (time_us, out);
    return;
  }
  gint64 time_s = time_us / G_USEC_PER_SEC;
  g_autoptr (GDateTime) moment = self->is_local ? g_date_time_new_from_unix_local (time_s)
                                                : g_date_time_new_from_unix_utc (time_s);
  g_autofree char *text = moment != NULL ? g_date_time_format (moment, "%Y-%m-%d %H:%M:%S") : NULL;
  g_string_append (out, text != NULL ? text : "-");
}
