/* tests/traces/slurm_conf_fixture.h — imports of short texts, and what they must come to. */
#ifndef LK_TESTS_TRACES_SLURM_CONF_FIXTURE_H
#define LK_TESTS_TRACES_SLURM_CONF_FIXTURE_H

#include <string.h>

#include "traces/slurm_conf.h"

/* Enough around one line that is looked at. */
#define HEAD "ClusterName=c\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
#define NODE "NodeName=n[1-4] Sockets=2 CoresPerSocket=4 RealMemory=1000\n"
#define PARTITION "PartitionName=p Nodes=ALL Default=YES\n"
#define GPU_NODE                                                                                   \
  "GresTypes=gpu\nNodeName=n[1-2] Sockets=2 CoresPerSocket=4 RealMemory=1000 Gres=gpu:4\n"

typedef struct {
  const char *conf;
  const char *gres;
  const char *topology;
  const char *assoc;
} Texts;

static inline GBytes *
text_bytes (const char *text)
{
  return text ? g_bytes_new_static (text, strlen (text)) : NULL;
}

static inline void
bytes_drop (GBytes *bytes)
{
  if (bytes)
    g_bytes_unref (bytes);
}

static inline LkSlurmImport *
texts_import (const Texts *texts, GError **error)
{
  LkSlurmImportTexts bytes = { .conf = text_bytes (texts->conf),
                               .gres = text_bytes (texts->gres),
                               .topology = text_bytes (texts->topology),
                               .assoc = text_bytes (texts->assoc) };
  LkSlurmImport *import = lk_slurm_import_new_from_texts (&bytes, error);
  bytes_drop (bytes.conf);
  bytes_drop (bytes.gres);
  bytes_drop (bytes.topology);
  bytes_drop (bytes.assoc);
  return import;
}

static inline LkSlurmImport *
texts_good (const Texts *texts)
{
  g_autoptr (GError) error = NULL;
  LkSlurmImport *import = texts_import (texts, &error);
  g_assert_no_error (error);
  g_assert_nonnull (import);
  return import;
}

static inline LkSlurmImport *
conf_good (const char *conf)
{
  return texts_good (&(Texts){ .conf = conf });
}

static inline void
texts_bad (const Texts *texts, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSlurmImport) import = texts_import (texts, &error);
  if (import)
    g_error ("imported, without \"%s\"", message);
  g_assert_cmpuint (error->domain, ==, LK_TRACE_ERROR);
  g_assert_cmpstr (error->message, ==, message);
}

static inline void
conf_bad (const char *conf, const char *message)
{
  texts_bad (&(Texts){ .conf = conf }, message);
}

/* Does the canonical text of the cluster have this piece? */
static inline void
expect_piece (const LkSlurmImport *import, const char *piece)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_cluster_text (lk_slurm_import_cluster (import), text);
  if (!strstr (text->str, piece))
    g_error ("no '%s' in\n%s", piece, text->str);
}

/* The first row of a key, in whatever record, with this value ("" for any). */
static inline const LkSlurmRow *
find_row (const LkSlurmImport *import, const char *key, const char *value)
{
  const GPtrArray *rows = lk_slurm_import_report (import);
  for (guint i = 0; i < rows->len; i++) {
    const LkSlurmRow *row = g_ptr_array_index (rows, i);
    if (strcmp (row->key, key) == 0 && (*value == '\0' || strcmp (row->value, value) == 0))
      return row;
  }
  g_error ("no row of '%s' = '%s'", key, value);
}

static inline void
expect_row (const LkSlurmImport *import, const char *key, const char *value, LkSlurmVerdict verdict,
            const char *how)
{
  const LkSlurmRow *row = find_row (import, key, value);
  g_assert_cmpstr (row->how, ==, how);
  g_assert_cmpstr (lk_slurm_verdict_name (row->verdict), ==, lk_slurm_verdict_name (verdict));
}

#endif
