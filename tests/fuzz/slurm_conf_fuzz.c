/* tests/fuzz/slurm_conf_fuzz.c — any bytes as slurm.conf, gres.conf, topology.conf or
 * topology.yaml, and a sacctmgr dump, with form feeds between the four.
 *
 * Beyond memory errors it checks that an error always has a text of one line, that every row of the
 * report has too, and that a cluster that was made reads back from its canonical text; and that who
 * wants all that is wrong is told something wherever the first error ends it, and makes no cluster
 * there. */
#include <string.h>

#include "engine/assert.h"
#include "traces/slurm_conf.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

static void
text_check (const char *text)
{
  LK_ASSERT (text != NULL);
  LK_ASSERT (g_utf8_validate (text, -1, NULL));
  LK_ASSERT (strchr (text, '\n') == NULL);
}

/* The next text of the input; NULL behind the last. */
static GBytes *
text_take (const guint8 **at, const guint8 *end)
{
  if (!*at)
    return NULL;
  const guint8 *mark = *at < end ? memchr (*at, '\f', (gsize)(end - *at)) : NULL;
  const guint8 *stop = mark ? mark : end;
  GBytes *text = g_bytes_new (*at, (gsize)(stop - *at));
  *at = mark ? mark + 1 : NULL;
  return text;
}

static void
text_drop (GBytes *text)
{
  if (text)
    g_bytes_unref (text);
}

static void
report_check (const LkSlurmImport *import)
{
  const GPtrArray *rows = lk_slurm_import_report (import);
  LK_ASSERT (rows->len > 0);
  for (guint i = 0; i < rows->len; i++) {
    const LkSlurmRow *row = g_ptr_array_index (rows, i);
    text_check (row->file);
    text_check (row->record);
    text_check (row->key);
    text_check (row->value);
    text_check (row->how);
    text_check (lk_slurm_verdict_name (row->verdict));
  }
}

static void
round_trip_check (const LkCluster *cluster)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) again = g_string_new (NULL);
  LkClusterError wrong;
  lk_cluster_text (cluster, text);
  g_autoptr (LkCluster) copy = lk_cluster_from_text (text->str, text->len, &wrong);
  LK_ASSERT (copy != NULL);
  lk_cluster_text (copy, again);
  LK_ASSERT (g_string_equal (text, again));
}

/* All that is wrong. */
static void
faults_check (const LkSlurmImportTexts *texts, gboolean is_good)
{
  g_autoptr (LkFaults) faults = lk_faults_new ();
  LkSlurmImportTexts all = *texts;
  all.faults = faults;
  g_autoptr (LkSlurmImport) import = lk_slurm_import_new_from_texts (&all, NULL);
  LK_ASSERT ((import == NULL) == (lk_faults_count (faults, LK_FAULT_ERROR) > 0));
  LK_ASSERT (is_good || import == NULL);
  const GPtrArray *sorted = lk_faults_sorted (faults);
  for (guint i = 0; i < sorted->len; i++)
    text_check (((const LkFault *)g_ptr_array_index (sorted, i))->message);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  const guint8 *at = bytes;
  const guint8 *end = bytes + length_bytes;
  g_autoptr (GError) error = NULL;
  LkSlurmImportTexts texts = { NULL };
  texts.conf = length_bytes > 0 ? text_take (&at, end) : g_bytes_new (NULL, 0);
  texts.gres = text_take (&at, end);
  texts.topology = text_take (&at, end);
  texts.assoc = text_take (&at, end);
  g_autoptr (LkSlurmImport) import = lk_slurm_import_new_from_texts (&texts, &error);
  if (import) {
    report_check (import);
    round_trip_check (lk_slurm_import_cluster (import));
  } else {
    LK_ASSERT (error != NULL);
    LK_ASSERT (error->domain == LK_TRACE_ERROR);
    text_check (error->message);
  }
  faults_check (&texts, import != NULL);
  text_drop (texts.conf);
  text_drop (texts.gres);
  text_drop (texts.topology);
  text_drop (texts.assoc);
  return 0;
}
