/* sim/trace_links.c — see the header. */
#include "sim/trace_links.h"

#include <string.h>

/* Of a text of the terms. */
#define TEXT_MAX_BYTES 65535u

struct _LkTraceLinks {
  GHashTable *ids; /* name in the log to GArray of ids; looked up only */
  GStringChunk *texts;
  GPtrArray *terms; /* of LkJobTerms, owned */
};

static void
ids_free (gpointer ids)
{
  g_array_unref (ids);
}

LkTraceLinks *
lk_trace_links_new (void)
{
  LkTraceLinks *self = g_new0 (LkTraceLinks, 1);
  self->ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, ids_free);
  self->texts = g_string_chunk_new (1024);
  self->terms = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
lk_trace_links_free (LkTraceLinks *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->ids);
  g_string_chunk_free (self->texts);
  g_ptr_array_unref (self->terms);
  g_free (self);
}

static void
note (LkTraceLinks *self, char *name, guint32 job_id)
{
  GArray *ids = g_hash_table_lookup (self->ids, name);
  if (ids == NULL) {
    ids = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_hash_table_insert (self->ids, g_strdup (name), ids);
  }
  g_array_append_val (ids, job_id);
  g_free (name);
}

void
lk_trace_links_note (LkTraceLinks *self, gint64 number, const char *name, guint32 job_id)
{
  gsize digits = name != NULL ? strspn (name, "0123456789") : 0;
  note (self, g_strdup_printf ("%" G_GINT64_FORMAT, number), job_id);
  if (digits == 0 || (name[digits] != '_' && name[digits] != '+'))
    return;
  /* A task, also of its whole array; of components the first stands for all. */
  g_autofree char *whole = g_strndup (name, digits);
  gboolean is_own = g_ascii_strtoll (whole, NULL, 10) == number;
  if (name[digits] == '_')
    note (self, g_strdup (name), job_id);
  if (!is_own && (name[digits] == '_' || g_hash_table_lookup (self->ids, whole) == NULL))
    note (self, g_steal_pointer (&whole), job_id);
}

/* Appends ":7:8" for a job of the log, with what stands behind its name. */
static void
append_ids (const GArray *ids, const char *rest, GString *out)
{
  for (guint i = 0; ids != NULL && i < ids->len; i++)
    g_string_append_printf (out, ":%u%s", g_array_index (ids, guint32, i), rest);
}

/* One "1002", "1002_3", "1002_*" or "1002+5": the engine's of it. */
static void
append_target (const LkTraceLinks *self, const char *target, GString *out)
{
  gsize digits = strspn (target, "0123456789");
  gsize length = digits;
  if (target[digits] == '_')
    length += 1 + strspn (target + digits + 1, "0123456789*");
  g_autofree char *number = g_strndup (target, digits);
  g_autofree char *name = g_strndup (target, length);
  const GArray *ids = g_hash_table_lookup (self->ids, name);
  if (ids != NULL) {
    append_ids (ids, target + length, out);
    return;
  }
  ids = g_hash_table_lookup (self->ids, number);
  /* Tasks that are jobs of their own are known by their names. */
  if (ids != NULL && ids->len == 1)
    append_ids (ids, target + digits, out);
  else if (g_str_has_prefix (target + digits, "_*"))
    append_ids (ids, target + digits + 2, out);
}

/* One condition without its jobs that are not known; nothing when none is left. */
static void
append_condition (const LkTraceLinks *self, const char *condition, char separator, GString *out)
{
  g_autoptr (GString) targets = g_string_new (NULL);
  g_auto (GStrv) parts = g_strsplit (condition, ":", -1);
  gboolean has_type = parts[0] != NULL && !g_ascii_isdigit (*parts[0]);
  gboolean is_alone = has_type && parts[1] == NULL; /* singleton */
  for (guint i = has_type ? 1 : 0; parts[0] != NULL && parts[i] != NULL; i++)
    append_target (self, parts[i], targets);
  if (targets->len == 0 && !is_alone)
    return;
  if (out->len > 0)
    g_string_append_c (out, separator);
  g_string_append_printf (out, "%s%s", has_type ? parts[0] : "afterany", targets->str);
}

static LkText
translate (LkTraceLinks *self, LkText text)
{
  g_autofree char *asked = g_strndup (text.bytes, text.length_bytes);
  g_autoptr (GString) out = g_string_new (NULL);
  char separator = strchr (asked, '?') != NULL ? '?' : ',';
  char separators[] = { separator, '\0' };
  g_auto (GStrv) conditions = g_strsplit (asked, separators, -1);
  for (guint i = 0; conditions[i] != NULL; i++) {
    gsize before = out->len;
    append_condition (self, conditions[i], separator, out);
    if (out->len > TEXT_MAX_BYTES)
      g_string_truncate (out, before);
  }
  return out->len > 0 ? lk_text (g_string_chunk_insert (self->texts, out->str)) : (LkText){ 0 };
}

const LkJobTerms *
lk_trace_links_terms (LkTraceLinks *self, const LkJobTerms *terms)
{
  if (terms == NULL || terms->dependency.length_bytes == 0)
    return terms;
  LkJobTerms *here = g_memdup2 (terms, sizeof *terms);
  g_ptr_array_add (self->terms, here);
  here->dependency = translate (self, terms->dependency);
  return here;
}

const char *
lk_trace_links_task_name (LkTraceLinks *self, gint64 number, guint32 task)
{
  char name[48];
  g_snprintf (name, sizeof name, "%" G_GINT64_FORMAT "_%u", number, task);
  return g_string_chunk_insert (self->texts, name);
}
