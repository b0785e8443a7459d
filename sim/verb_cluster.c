/* sim/verb_cluster.c — see verb_cluster.h. */
#include "sim/verb_cluster.h"

#include <stdio.h>
#include <string.h>

#include "engine/suggest.h"
#include "sim/cluster_show.h"
#include "sim/error.h"
#include "sim/json_out.h"
#include "sim/verb.h"
#include "traces/cluster_open.h"
#include "traces/presets.h"

typedef struct {
  char **arguments; /* the action, and what it is about */
  gboolean json;
} Options;

static void
options_clear (Options *self)
{
  g_strfreev (self->arguments);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

/* ---------------------------------------------------------------- show, check */

static gboolean
run_show (const Options *options, GError **error)
{
  g_autoptr (LkCluster) cluster = lk_cluster_open (options->arguments[1], error);
  if (cluster == NULL)
    return FALSE;
  g_autoptr (GString) text = g_string_new (NULL);
  if (options->json)
    lk_cluster_json (cluster, text);
  else
    lk_cluster_show (cluster, text);
  fputs (text->str, stdout);
  return TRUE;
}

static gboolean
run_check (const Options *options, GError **error)
{
  g_autoptr (LkCluster) cluster = lk_cluster_open (options->arguments[1], error);
  if (cluster == NULL)
    return FALSE;
  g_autoptr (GString) counts = g_string_new (NULL);
  lk_cluster_counts (cluster, counts);
  if (!options->json) {
    printf ("%s: good: %s\n", options->arguments[1], counts->str);
    return TRUE;
  }
  g_autoptr (GString) text = g_string_new (NULL);
  LkJsonOut out;
  lk_json_out_init (&out, text);
  lk_json_out_object_begin (&out, NULL);
  lk_json_out_text (&out, "file", options->arguments[1]);
  lk_json_out_text (&out, "name", cluster->name);
  lk_json_out_count (&out, "nodes", lk_cluster_node_count (cluster));
  lk_json_out_count (&out, "cpus", lk_cluster_cpu_count (cluster));
  lk_json_out_count (&out, "gpus", lk_cluster_gres_count (cluster, "gpu"));
  lk_json_out_count (&out, "partitions", cluster->partitions->len);
  lk_json_out_object_end (&out);
  fputs (text->str, stdout);
  return TRUE;
}

/* ---------------------------------------------------------------- presets */

static void
print_presets (void)
{
  guint count;
  const LkPreset *presets = lk_presets (&count);
  printf ("%-18s %6s %6s  %s\n", "NAME", "NODES", "GPUS", "SOURCE");
  for (guint i = 0; i < count; i++) {
    g_autoptr (LkCluster) cluster = lk_preset_cluster (&presets[i]);
    g_autofree char *source = lk_preset_source (&presets[i]);
    printf ("%-18s %6u %6" G_GUINT64_FORMAT "  %s\n", presets[i].name,
            lk_cluster_node_count (cluster), lk_cluster_gres_count (cluster, "gpu"), source);
  }
}

static void
print_presets_json (void)
{
  guint count;
  const LkPreset *presets = lk_presets (&count);
  g_autoptr (GString) text = g_string_new (NULL);
  LkJsonOut out;
  lk_json_out_init (&out, text);
  lk_json_out_array_begin (&out, NULL);
  for (guint i = 0; i < count; i++) {
    g_autoptr (LkCluster) cluster = lk_preset_cluster (&presets[i]);
    g_autofree char *summary = lk_preset_summary (&presets[i]);
    g_autofree char *source = lk_preset_source (&presets[i]);
    lk_json_out_object_begin (&out, NULL);
    lk_json_out_text (&out, "name", presets[i].name);
    lk_json_out_count (&out, "nodes", lk_cluster_node_count (cluster));
    lk_json_out_count (&out, "cpus", lk_cluster_cpu_count (cluster));
    lk_json_out_count (&out, "gpus", lk_cluster_gres_count (cluster, "gpu"));
    lk_json_out_text (&out, "summary", summary);
    lk_json_out_text (&out, "source", source);
    lk_json_out_object_end (&out);
  }
  lk_json_out_array_end (&out);
  fputs (text->str, stdout);
}

/* The page of one, or the list of all. */
static gboolean
run_presets (const Options *options, GError **error)
{
  const char *name = options->arguments[1];
  if (name == NULL) {
    if (options->json)
      print_presets_json ();
    else
      print_presets ();
    return TRUE;
  }
  const LkPreset *preset = lk_preset_find (name);
  if (preset != NULL) {
    fputs (preset->text, stdout);
    return TRUE;
  }
  g_autofree const char **names = lk_preset_names ();
  g_autofree char *phrase = lk_suggest_phrase (name, names);
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "'%s': no such preset%s", name, phrase);
  return FALSE;
}

/* ---------------------------------------------------------------- the verb */

static gboolean
parse_options (int argc, char **argv, Options *out, GError **error)
{
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &out->json, "Print JSON", NULL },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
  };
  GOptionContext *context = g_option_context_new (
      "show FILE | check FILE | presets [NAME] - descriptions of machines of nodes");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (
      context, "FILE is a page of YAML (docs/cluster.md), a slurm.conf, or the name of a preset.\n"
               "presets NAME prints the page of a preset, to start one's own from:\n"
               "  lockstep cluster presets dgx-h100-superpod > my.yaml\n");
  out->arguments = lk_verb_parse (context, argc, argv, 1, 2, error);
  g_option_context_free (context);
  return out->arguments != NULL;
}

static gboolean
run (const Options *options, GError **error)
{
  static const char *const actions[] = { "show", "check", "presets", NULL };
  const char *action = options->arguments[0];
  if (!g_strv_contains (actions, action)) {
    g_autofree char *phrase = lk_suggest_phrase (action, actions);
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "unknown action '%s'%s", action, phrase);
    return FALSE;
  }
  if (strcmp (action, "presets") == 0)
    return run_presets (options, error);
  if (options->arguments[1] == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "%s takes a file or the name of a preset; see --help", action);
    return FALSE;
  }
  return strcmp (action, "show") == 0 ? run_show (options, error) : run_check (options, error);
}

int
lk_verb_cluster (int argc, char **argv)
{
  g_auto (Options) options = { 0 };
  g_autoptr (GError) error = NULL;
  if (parse_options (argc, argv, &options, &error) && run (&options, &error))
    return 0;
  return lk_verb_fail ("cluster", error);
}
