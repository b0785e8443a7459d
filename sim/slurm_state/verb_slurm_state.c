/* sim/slurm_state/verb_slurm_state.c — the command line of `lockstep import slurm-state`. */
#include "sim/slurm_state/verb_slurm_state.h"

#include <stdio.h>
#include <string.h>

#include "sim/cluster_show.h"
#include "sim/error.h"
#include "sim/import_rows.h"
#include "sim/slurm_state/play.h"
#include "sim/slurm_state/told.h"
#include "sim/verb.h"

typedef struct {
  char *output;
  char *zone;
  gboolean is_full;
  gboolean is_json;
} Options;

static void
options_clear (Options *self)
{
  g_free (self->output);
  g_free (self->zone);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static const char description[] =
    "Reads what scripts/collect-slurm-state has collected of a running Slurm cluster: its\n"
    "configuration, nodes, partitions, reservations, jobs, accounts and use, and, from sacct, the\n"
    "jobs that have ended: what lockstep whatif draws the time to come from.  The journal ends\n"
    "at the moment of the collection, with the same jobs running and waiting, and is taken by\n"
    "whatever takes a journal.\n"
    "\n"
    "What is approximated or cannot be had is told, each with file, line and key.\n"
    "\n"
    "Exit status: 0 done; 1 a file is missing or wrong; 2 wrong command line.\n"
    "\n"
    "Example: lockstep import slurm-state state -o state.journal; lockstep squeue state.journal\n";

static char **
parse (Options *out, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out->output, "Write the journal here", "FILE" },
    { "time-zone", 0, 0, G_OPTION_ARG_STRING, &out->zone,
      "Of the moments in the files: Europe/Berlin, +01:00 (default: UTC, as the script collects)",
      "ZONE" },
    { "report", 0, 0, G_OPTION_ARG_NONE, &out->is_full,
      "Report every key, also those that are understood", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &out->is_json, "Report every key as one JSON object", NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("DIR - the state of a running Slurm cluster as a journal");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (context, description);
  g_auto (GStrv) arguments = lk_verb_parse (context, argc, argv, 1, 1, error);
  if (arguments != NULL && out->output == NULL) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "expected -o FILE, where the journal goes; see --help");
    return NULL;
  }
  return g_steal_pointer (&arguments);
}

static GTimeZone *
zone_open (const char *name, GError **error)
{
  GTimeZone *zone = name != NULL ? g_time_zone_new_identifier (name) : g_time_zone_new_utc ();
  if (zone == NULL)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--time-zone '%s': expected a time zone such as Europe/Berlin or +01:00", name);
  return zone;
}

static void
report_text (const LkStateCollected *collected, const LkStatePlayed *played, gboolean is_full,
             GString *out)
{
  const LkCluster *cluster = collected->conf.cluster;
  const GPtrArray *told = collected->folder.told;
  g_autoptr (GDateTime) moment =
      g_date_time_new_from_unix_utc (collected->folder.collected_us / G_USEC_PER_SEC);
  g_autofree char *date = g_date_time_format (moment, "%Y-%m-%d %H:%M:%S UTC");
  g_string_append_printf (out, "%s at %s: ", cluster->name, date);
  lk_cluster_counts (cluster, out);
  g_string_append_printf (out, ", %u reservation%s\n", played->reservation_count,
                          played->reservation_count == 1 ? "" : "s");
  g_string_append_printf (out, "jobs: %u run, %u wait, %u are over, %u are left out\n",
                          played->running_count, played->pending_count, collected->over_count,
                          played->left_count);
  if (played->started_count > 0)
    g_string_append_printf (out, "plan: %u of the jobs that wait can start at once\n",
                            played->started_count);
  if (collected->past.path != NULL)
    g_string_append_printf (out, "past: %u jobs have ended, %u are left out\n", played->past_count,
                            played->past_left_count);
  g_string_append_printf (out, "%u keys and lines: %u understood, %u approximated, %u ignored\n",
                          told->len, lk_told_count (told, LK_SLURM_UNDERSTOOD),
                          lk_told_count (told, LK_SLURM_APPROXIMATED),
                          lk_told_count (told, LK_SLURM_IGNORED));
  guint first = is_full ? LK_SLURM_UNDERSTOOD : LK_SLURM_APPROXIMATED;
  for (guint verdict = first; verdict <= LK_SLURM_IGNORED; verdict++)
    if (lk_told_count (told, (LkSlurmVerdict)verdict) > 0)
      lk_import_rows_text (told, (LkSlurmVerdict)verdict, is_full, out);
}

static void
report_json (const LkStateCollected *collected, const LkStatePlayed *played, GString *out)
{
  LkJsonOut json;
  const GPtrArray *told = collected->folder.told;
  lk_json_out_init (&json, out);
  lk_json_out_object_begin (&json, NULL);
  lk_json_out_text (&json, "name", collected->conf.cluster->name);
  lk_json_out_real (&json, "collected_s", (double)collected->folder.collected_us / G_USEC_PER_SEC);
  lk_json_out_count (&json, "nodes", lk_cluster_node_count (collected->conf.cluster));
  lk_json_out_count (&json, "partitions", collected->conf.cluster->partitions->len);
  lk_json_out_count (&json, "reservations", played->reservation_count);
  lk_json_out_count (&json, "running", played->running_count);
  lk_json_out_count (&json, "pending", played->pending_count);
  lk_json_out_count (&json, "started", played->started_count);
  lk_json_out_count (&json, "over", collected->over_count);
  lk_json_out_count (&json, "left_out", played->left_count);
  lk_json_out_count (&json, "past", played->past_count);
  lk_json_out_count (&json, "past_left_out", played->past_left_count);
  lk_json_out_count (&json, "events", played->event_count);
  for (guint verdict = LK_SLURM_UNDERSTOOD; verdict <= LK_SLURM_IGNORED; verdict++)
    lk_json_out_count (&json, lk_slurm_verdict_name ((LkSlurmVerdict)verdict),
                       lk_told_count (told, (LkSlurmVerdict)verdict));
  lk_import_rows_json (&json, told);
  lk_json_out_object_end (&json);
  g_string_append_c (out, '\n');
}

/* The journal must be none of the files that it is made of. */
static gboolean
check_output (const LkStateCollected *collected, const char *output, GError **error)
{
  const LkVerbFile files[] = {
    { "DIR", collected->folder.path, lk_state_file_names (), FALSE },
    { "the list of ended jobs", collected->past.path, NULL, FALSE },
    { "--output", output, NULL, TRUE },
  };
  return lk_verb_check_files (files, G_N_ELEMENTS (files), error);
}

gboolean
lk_import_slurm_state (int argc, char **argv, GError **error)
{
  g_auto (Options) options = { 0 };
  LkStateCollected collected;
  LkStatePlayed played;
  g_auto (GStrv) arguments = parse (&options, argc, argv, error);
  if (arguments == NULL)
    return FALSE;
  g_autoptr (GTimeZone) zone = zone_open (options.zone, error);
  if (zone == NULL || !lk_state_collected_open (&collected, arguments[0], zone, error))
    return FALSE;
  gboolean is_played = check_output (&collected, options.output, error)
                       && lk_state_play (&collected, options.output, &played, error);
  if (is_played) {
    g_autoptr (GString) report = g_string_new (NULL);
    if (options.is_json)
      report_json (&collected, &played, report);
    else
      report_text (&collected, &played, options.is_full, report);
    fputs (report->str, stdout);
  }
  lk_state_collected_close (&collected);
  return is_played;
}
