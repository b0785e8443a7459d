/* sim/verb_import.c — see verb_import.h.
 *
 * The page goes to a file, the report to standard output; when the page goes to standard output,
 * the report goes to standard error. */
#include "sim/verb_import.h"

#include <stdio.h>
#include <string.h>

#include "engine/suggest.h"
#include "sim/cluster_show.h"
#include "sim/conf_backfill.h"
#include "sim/error.h"
#include "sim/import_rows.h"
#include "sim/json_out.h"
#include "sim/slurm_state/verb_slurm_state.h"
#include "sim/verb.h"
#include "traces/cluster_yaml.h"
#include "traces/output.h"
#include "traces/slurm_conf.h"

typedef struct {
  char *conf;
  char *gres;
  char *topology;
  char *accounts;
  char *output;
  gboolean is_full;
  gboolean is_json;
} SlurmOptions;

static void
slurm_options_clear (SlurmOptions *self)
{
  g_free (self->conf);
  g_free (self->gres);
  g_free (self->topology);
  g_free (self->accounts);
  g_free (self->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlurmOptions, slurm_options_clear)

/* ---------------------------------------------------------------- the report */

static void
report_text (const LkSlurmImport *import, const char *backfill, gboolean is_full, GString *out)
{
  const LkCluster *cluster = lk_slurm_import_cluster (import);
  const GPtrArray *rows = lk_slurm_import_report (import);
  g_string_append_printf (out, "%s: ", cluster->name);
  lk_cluster_counts (cluster, out);
  g_string_append_printf (out, "\n%u keys and lines: %u understood, %u approximated, %u ignored\n",
                          rows->len, lk_slurm_import_count (import, LK_SLURM_UNDERSTOOD),
                          lk_slurm_import_count (import, LK_SLURM_APPROXIMATED),
                          lk_slurm_import_count (import, LK_SLURM_IGNORED));
  g_string_append_printf (out, "scheduled as by --backfill %s\n", backfill);
  LkSlurmVerdict first = is_full ? LK_SLURM_UNDERSTOOD : LK_SLURM_APPROXIMATED;
  for (guint verdict = first; verdict <= LK_SLURM_IGNORED; verdict++)
    if (lk_slurm_import_count (import, verdict) > 0)
      lk_import_rows_text (rows, verdict, is_full, out);
}

static void
report_json (const LkSlurmImport *import, const char *backfill, GString *out)
{
  const LkCluster *cluster = lk_slurm_import_cluster (import);
  LkJsonOut json;
  lk_json_out_init (&json, out);
  lk_json_out_object_begin (&json, NULL);
  lk_json_out_text (&json, "name", cluster->name);
  lk_json_out_count (&json, "nodes", lk_cluster_node_count (cluster));
  lk_json_out_count (&json, "cpus", lk_cluster_cpu_count (cluster));
  lk_json_out_count (&json, "gpus", lk_cluster_gres_count (cluster, "gpu"));
  lk_json_out_count (&json, "partitions", cluster->partitions->len);
  lk_json_out_text (&json, "backfill", backfill);
  for (guint verdict = LK_SLURM_UNDERSTOOD; verdict <= LK_SLURM_IGNORED; verdict++)
    lk_json_out_count (&json, lk_slurm_verdict_name (verdict),
                       lk_slurm_import_count (import, verdict));
  lk_import_rows_json (&json, lk_slurm_import_report (import));
  lk_json_out_object_end (&json);
  g_string_append_c (out, '\n');
}

/* ---------------------------------------------------------------- the page */

/* The page must be none of the files that were read, of which Include may name more. */
static gboolean
check_output (const SlurmOptions *options, const LkSlurmImport *import, GError **error)
{
  const GPtrArray *rows = lk_slurm_import_report (import);
  const char *last = NULL;
  LkVerbFile files[] = {
    { "CONF", options->conf, NULL, FALSE },
    { "--gres", options->gres, NULL, FALSE },
    { "--topology", options->topology, NULL, FALSE },
    { "--accounts", options->accounts, NULL, FALSE },
    { "an input", NULL, NULL, FALSE },
    { "--output", options->output, NULL, TRUE },
  };
  gboolean is_good = lk_verb_check_files (files, G_N_ELEMENTS (files), error);
  for (guint i = 0; is_good && i < rows->len; i++) {
    const LkSlurmRow *row = g_ptr_array_index (rows, i);
    if (g_strcmp0 (row->file, last) == 0)
      continue;
    files[4].path = last = row->file;
    is_good = lk_verb_check_files (files + 4, 2, error);
  }
  return is_good;
}

/* The comment at the top of the page. Returns: (transfer full). */
static char *
page_comment (const SlurmOptions *options, const LkSlurmImport *import)
{
  g_autofree char *name = g_path_get_basename (options->conf);
  g_autofree char *shown = g_filename_display_name (name);
  return g_strdup_printf ("From %s by lockstep import slurm: %u keys and lines understood, %u "
                          "approximated, %u ignored.",
                          shown, lk_slurm_import_count (import, LK_SLURM_UNDERSTOOD),
                          lk_slurm_import_count (import, LK_SLURM_APPROXIMATED),
                          lk_slurm_import_count (import, LK_SLURM_IGNORED));
}

static gboolean
page_write (const SlurmOptions *options, const LkSlurmImport *import, GError **error)
{
  g_autofree char *comment = page_comment (options, import);
  g_autoptr (GString) page = g_string_new (NULL);
  if (!lk_cluster_yaml_write (lk_slurm_import_cluster (import), comment, page)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_FORMAT,
                 "'%s' holds text that is not UTF-8, which YAML cannot have", options->conf);
    return FALSE;
  }
  g_autoptr (LkOutput) output = lk_output_new (options->output, error);
  return output && lk_output_write (output, page->str, page->len, error)
         && lk_output_close (output, error);
}

/* ---------------------------------------------------------------- slurm */

static gboolean
slurm_parse (int argc, char **argv, SlurmOptions *out, GError **error)
{
  const GOptionEntry entries[] = {
    { "gres", 0, 0, G_OPTION_ARG_FILENAME, &out->gres,
      "gres.conf (default: beside slurm.conf, if it is there)", "FILE" },
    { "topology", 0, 0, G_OPTION_ARG_FILENAME, &out->topology,
      "topology.yaml or topology.conf (default: likewise)", "FILE" },
    { "accounts", 0, 0, G_OPTION_ARG_FILENAME, &out->accounts,
      "Accounts and QOS (sacctmgr dump, or a script of sacctmgr commands), to be checked", "FILE" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out->output,
      "Write the machine here as YAML; - is standard output (default: just report)", "FILE" },
    { "report", 0, 0, G_OPTION_ARG_NONE, &out->is_full,
      "Report every key, also those that are understood", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &out->is_json, "Report every key as one JSON object", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("CONF - the machine that a site's Slurm files describe");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (
      context,
      "CONF is a slurm.conf, or the directory of one; its Include files are read.\n"
      "Reports of each key whether it was understood, approximated or ignored, and why.\n\n"
      "Example: lockstep import slurm /etc/slurm/slurm.conf -o cluster.yaml\n");
  g_auto (GStrv) arguments = lk_verb_parse (context, argc, argv, 1, 1, error);
  if (arguments == NULL)
    return FALSE;
  out->conf = g_file_test (arguments[0], G_FILE_TEST_IS_DIR)
                  ? g_build_filename (arguments[0], "slurm.conf", NULL)
                  : g_strdup (arguments[0]);
  return TRUE;
}

static gboolean
slurm_run (int argc, char **argv, GError **error)
{
  g_auto (SlurmOptions) options = { 0 };
  if (!slurm_parse (argc, argv, &options, error))
    return FALSE;
  const LkSlurmImportOptions from = {
    .conf_path = options.conf,
    .gres_path = options.gres,
    .topology_path = options.topology,
    .assoc_path = options.accounts,
  };
  g_autoptr (LkSlurmImport) import = lk_slurm_import_new (&from, error);
  if (!import || !check_output (&options, import, error)
      || (options.output && !page_write (&options, import, error)))
    return FALSE;
  g_autofree char *backfill = lk_conf_backfill (options.conf, error);
  if (!backfill)
    return FALSE;
  g_autoptr (GString) report = g_string_new (NULL);
  if (options.is_json)
    report_json (import, backfill, report);
  else
    report_text (import, backfill, options.is_full, report);
  fwrite (report->str, 1, report->len, g_strcmp0 (options.output, "-") == 0 ? stderr : stdout);
  return TRUE;
}

/* ---------------------------------------------------------------- the verb */

static const LkSubverb subverbs[] = {
  { "slurm", slurm_run, "slurm.conf, gres.conf, topology.conf" },
  { "slurm-state", lk_import_slurm_state, "a running cluster and its queue, as a journal" },
};

int
lk_verb_import (int argc, char **argv)
{
  static const LkSubverbs self = {
    .verb = "import",
    .usage = "[OPTIONS]",
    .summary = "Reads what a site's Slurm says of its machine, or of all that is on it.",
    .subverbs = subverbs,
    .count = G_N_ELEMENTS (subverbs)
  };
  return lk_verb_dispatch (&self, argc, argv);
}
