/* live/client/queue/sdiag.c — `sdiag`: what the controller has done, and how long it took.
 *
 * Sections and names of lines are those of Slurm, in its order, as programs read them by place. A
 * pass does in one go what are two schedulers in Slurm: its times stand with the main one, and with
 * backfilling how many jobs it has started before others.  What there is nothing of here (threads,
 * queues of messages to agents) is 0.  Source: sdiag(1). */
#include <string.h>
#include <time.h>

#include "live/client/commands.h"
#include "live/client/json/things.h"
#include "live/client/options.h"
#include "live/client/refusal.h"
#include "live/client/rounds.h"
#include "live/client/queue/sdiag_rpc.h"

#define FAILURE 1
#define REFUSED 255 /* as Slurm's -1 */
#define MINUTE_US (60 * (gint64)G_USEC_PER_SEC)
#define STARS "*******************************************************\n"

static const LkClientOption options[] = {
  { "all", 'a', FALSE, LK_OPTION_HARMLESS, "the default" },
  { "cluster", 'M', TRUE, LK_OPTION_ACTED_ON, "the cluster by name, or all: there is one" },
  { "clusters", 'M', TRUE, LK_OPTION_ACTED_ON, "as --cluster" },
  { "json", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, LK_JSON_HELP },
  { "reset", 'r', FALSE, LK_OPTION_ACTED_ON, "counts begin anew; for operators" },
  { "no-trunc", '\0', FALSE, LK_OPTION_HARMLESS, "no line is cut short" },
  { "sort-by-id", 'i', FALSE, LK_OPTION_ACTED_ON, "messages by the number of their kind or user" },
  { "sort-by-time", 't', FALSE, LK_OPTION_ACTED_ON, "messages by the time that all have taken" },
  { "sort-by-time2", 'T', FALSE, LK_OPTION_ACTED_ON, "messages by the time that one takes" },
  { "yaml", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, LK_YAML_HELP },
};

typedef struct {
  const LkClient *client;
  LkJsonChoice json;
  const char *clusters;
  gboolean is_reset;
  LkSdiagOrder order; /* of messages */
  LkSdiagRpcs rpcs;
  char *cluster; /* where JSON is wanted */
} Sdiag;

static gboolean
option_take (gpointer user, const LkClientOption *option, const char *value)
{
  Sdiag *self = user;
  if (strcmp (option->name, "json") == 0 || strcmp (option->name, "yaml") == 0)
    lk_json_choice_take (&self->json, option->name, value);
  if (option->letter == 'M')
    self->clusters = value;
  else if (option->letter == 'i')
    self->order = LK_SDIAG_BY_ID;
  else if (option->letter == 't')
    self->order = LK_SDIAG_BY_TIME;
  else if (option->letter == 'T')
    self->order = LK_SDIAG_BY_MEAN;
  self->is_reset = self->is_reset || option->letter == 'r';
  return TRUE;
}

/* ---------------------------------------------------------------- text */

static void
moment (FILE *out, const char *label, gint64 time_us)
{
  char text[64] = "";
  struct tm parts;
  time_t seconds = (time_t)(time_us / G_USEC_PER_SEC);
  if (localtime_r (&seconds, &parts) != NULL)
    strftime (text, sizeof text, "%a %b %d %H:%M:%S %Y", &parts);
  fprintf (out, "%s%s (%" G_GINT64_FORMAT ")\n", label, text, (gint64)seconds);
}

static void
number (FILE *out, const char *label, guint64 value)
{
  fprintf (out, "%s%" G_GUINT64_FORMAT "\n", label, value);
}

static guint64
passes_per_minute (const LkRecord_controller *told)
{
  gint64 minutes = (told->now_us - told->counted_us) / MINUTE_US;
  return minutes > 0 ? told->pass_count / (guint64)minutes : told->pass_count;
}

static void
print_jobs (const LkRecord_controller *told, FILE *out)
{
  number (out, "Jobs submitted: ", told->submit_count);
  number (out, "Jobs started:   ", told->start_count);
  number (out, "Jobs completed: ", told->completed_count);
  number (out, "Jobs canceled:  ", told->cancelled_count);
  number (out, "Jobs failed:    ", told->failed_count);
  fprintf (out, "\n");
  moment (out, "Job states ts:  ", told->now_us);
  number (out, "Jobs pending:   ", told->pending_count);
  number (out, "Jobs running:   ", told->running_count);
}

static void
print_main (const LkRecord_controller *told, FILE *out)
{
  fprintf (out, "\nMain schedule statistics (microseconds):\n");
  number (out, "\tLast cycle:   ", (guint64)told->pass_last_us);
  number (out, "\tMax cycle:    ", (guint64)told->pass_max_us);
  number (out, "\tTotal cycles: ", told->pass_count);
  if (told->pass_count > 0)
    number (out, "\tMean cycle:   ", (guint64)told->pass_sum_us / told->pass_count);
  number (out, "\tCycles per minute: ", passes_per_minute (told));
  number (out, "\tLast queue length: ", told->queue_last);
}

static void
print_backfill (const LkRecord_controller *told, FILE *out)
{
  fprintf (out, "\nBackfilling stats\n");
  number (out, "\tTotal backfilled jobs (since last slurm start): ",
          told->backfill_before_count + told->backfill_count);
  number (out, "\tTotal backfilled jobs (since last stats cycle start): ", told->backfill_count);
  fprintf (out, "\tTotal backfilled heterogeneous job components: 0\n"
                "\tTotal cycles: 0\n"
                "\tLast cycle when: N/A\n"
                "\tLast cycle: 0\n"
                "\tMax cycle:  0\n"
                "\tLast depth cycle: 0\n"
                "\tLast depth cycle (try sched): 0\n"
                "\tLast queue length: 0\n"
                "\tLast table size: 0\n");
}

static void
print_own (const LkRecord_controller *told, FILE *out)
{
  fprintf (out, "\nLockstep\n");
  number (out, "\tTerm:               ", told->term);
  number (out, "\tEvents:             ", told->seq);
  fprintf (out, "\tDigest:             %016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x\n",
           told->digest_high, told->digest_low);
  number (out, "\tAgents that answer: ", told->agent_count);
  number (out, "\tJobs ended:         ", told->end_count);
  number (out, "\tMessages refused:   ", told->refused_count);
  number (out, "\tMessages malformed: ", told->malformed_count);
}

static void
print (const Sdiag *self, const LkRecord_controller *told, FILE *out)
{
  fprintf (out, STARS);
  moment (out, "sdiag output at ", told->now_us);
  moment (out, "Data since      ", told->counted_us);
  fprintf (out, STARS "Server thread count:  1\n"
                      "RPC queue enabled:    0\n");
  number (out, "Agent queue size:     ", told->unsent_count);
  fprintf (out, "Agent count:          0\n"
                "Agent thread count:   0\n"
                "DBD Agent queue size: 0\n\n");
  print_jobs (told, out);
  print_main (told, out);
  print_backfill (told, out);
  lk_sdiag_rpcs_print (&self->rpcs, out);
  print_own (told, out);
}

/* ---------------------------------------------------------------- the command */

static void
take (gpointer user, const LkRecord *record)
{
  const Sdiag *self = user;
  if (self->json.is_wanted)
    lk_json_statistics (self->client, &self->json, self->cluster, &record->controller, &self->rpcs);
  else
    print (self, &record->controller, self->client->out);
}

static int
reset (const LkClient *client)
{
  guint16 refused = 0;
  g_autoptr (GError) error = NULL;
  if (client->wire->reset (client->wire_self, &refused, &error) && refused == 0) {
    fprintf (client->out, "Reset scheduling statistics\n");
    return 0;
  }
  fprintf (client->err, "slurm_reset_statistics: %s\n",
           error != NULL ? error->message : lk_refusal_text ((LkReject)refused));
  return REFUSED;
}

int
lk_sdiag (LkClient *client, int argc, char **argv)
{
  Sdiag self = { .client = client };
  LkOptionSet set = { .usage = "[OPTIONS]",
                      .options = options,
                      .count = G_N_ELEMENTS (options),
                      .take = option_take,
                      .h_is_help = TRUE,
                      .user = &self };
  LkClientQuery query = { .kind = LK_RECORD_CONTROLLER };
  g_autoptr (GError) error = NULL;
  int count = lk_options_parse (client, &set, argc, argv);
  if (count < 0)
    return count == -1 ? FAILURE : 0;
  if (count > 0) {
    lk_client_error (client, "Unrecognized option: %s", argv[1]);
    return FAILURE;
  }
  g_autofree char *named = NULL;
  if (!lk_client_clusters_check (client, self.clusters, &named))
    return FAILURE;
  if (self.is_reset)
    return reset (client);
  if (!lk_json_choice_settle (client, &self.json, &count))
    return count;
  g_autofree char *cluster = self.json.is_wanted ? lk_json_cluster (client) : NULL;
  self.cluster = cluster;
  if (lk_sdiag_rpcs_read (&self.rpcs, client, self.order, &error)) {
    gboolean is_told = lk_client_query (client, &query, take, &self, &error);
    lk_sdiag_rpcs_clear (&self.rpcs);
    if (is_told)
      return 0;
  }
  fprintf (client->err, "slurm_get_statistics: %s\n", error->message);
  return FAILURE;
}

void
lk_sdiag_markdown (GString *out)
{
  lk_options_markdown (options, G_N_ELEMENTS (options), out);
}
