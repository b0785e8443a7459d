/* live/client/queue/sprio.c — `sprio`: what the priorities of jobs that wait are made of.
 *
 * How it is laid out stands in traces/sprio_table.c.  Source: sprio(1), what a real Slurm printed
 * (oracle/text, tests/fixtures/slurm-prio). */
#include "traces/sprio_table.h"

#include <string.h>

#include "live/client/queue/choices.h"
#include "live/client/commands.h"
#include "live/client/queue/controller_order.h"
#include "live/client/json/priorities.h"
#include "live/client/names.h"
#include "live/client/options.h"
#include "live/client/rounds.h"
#include "live/client/queue/tables.h"
#include "live/client/words.h"

#define FAILURE 1

static const LkClientOption options[] = {
  { "cluster", 'M', TRUE, LK_OPTION_ACTED_ON, "as --clusters" },
  { "clusters", 'M', TRUE, LK_OPTION_ACTED_ON, "the cluster by name, or all: there is one" },
  { "federation", '\0', FALSE, LK_OPTION_HARMLESS, "there is one cluster" },
  { "format", 'o', TRUE, LK_OPTION_ACTED_ON, "columns: %[.][width]letter" },
  { "jobs", 'j', TRUE, LK_OPTION_ACTED_ON, "these jobs; of an array all tasks that wait" },
  { "json", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON,
    "as JSON, in our own form: Slurm's sprio has none" },
  { "local", '\0', FALSE, LK_OPTION_HARMLESS, "there is one cluster" },
  { "long", 'l', FALSE, LK_OPTION_ACTED_ON, "all columns" },
  { "noheader", 'h', FALSE, LK_OPTION_ACTED_ON, "no headings" },
  { "norm", 'n', FALSE, LK_OPTION_ACTED_ON, "the factors themselves, not times their weights" },
  { "partition", 'p', TRUE, LK_OPTION_ACTED_ON, "jobs of these partitions" },
  { "sibling", '\0', FALSE, LK_OPTION_HARMLESS, "there are no federations" },
  { "sort", 'S', TRUE, LK_OPTION_ACTED_ON, "order: letters of columns, - before one: falling" },
  { "user", 'u', TRUE, LK_OPTION_ACTED_ON, "jobs of these users" },
  { "verbose", 'v', FALSE, LK_OPTION_ACTED_ON, "which options hold, first" },
  { "weights", 'w', FALSE, LK_OPTION_ACTED_ON, "the weights instead of jobs" },
  { "yaml", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, LK_YAML_HELP },
};

typedef struct {
  LkClient *client;
  const char *format;
  const char *jobs;
  const char *users;
  const char *partitions;
  const char *sort;
  const char *clusters;
  gboolean is_long;
  gboolean no_heading;
  gboolean normalized;
  gboolean weights;
  guint verbosity;
  LkJsonChoice json;
  GPtrArray *rows; /* of LkSprioRow */
  GStringChunk *texts;
  LkNames names;
} Sprio;

static gboolean
option_take (gpointer user, const LkClientOption *option, const char *value)
{
  Sprio *self = user;
  struct {
    char letter;
    const char **text;
    gboolean *flag;
  } known[] = { { 'o', &self->format, NULL },     { 'j', &self->jobs, NULL },
                { 'u', &self->users, NULL },      { 'p', &self->partitions, NULL },
                { 'S', &self->sort, NULL },       { 'M', &self->clusters, NULL },
                { 'l', NULL, &self->is_long },    { 'h', NULL, &self->no_heading },
                { 'n', NULL, &self->normalized }, { 'w', NULL, &self->weights } };
  if (strcmp (option->name, "json") == 0 || strcmp (option->name, "yaml") == 0)
    lk_json_choice_take (&self->json, option->name, value);
  self->verbosity += option->letter == 'v' ? 1 : 0;
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (known[i].letter == option->letter) {
      if (known[i].text != NULL)
        *known[i].text = value;
      else if (known[i].flag != NULL)
        *known[i].flag = TRUE;
    }
  return TRUE;
}

/* ---------------------------------------------------------------- rows */

static const char *
keep (Sprio *self, const char *bytes, gsize length_bytes, const char *none)
{
  if (length_bytes == 0)
    return none;
  return g_string_chunk_insert_len (self->texts, bytes, (gssize)length_bytes);
}

#define KEEP(field, none) keep (self, told->field.bytes, told->field.length_bytes, none)

static gboolean
wants (const Sprio *self, const LkRecord_priority *told, const char *user, const char *partition)
{
  g_autofree char *id = g_strdup_printf ("%u", told->job_id);
  g_autofree char *array = g_strdup_printf ("%u", told->array_job_id);
  g_autofree char *number = g_strdup_printf ("%u", told->user_id);
  if (told->priority == 0) /* it is held */
    return FALSE;
  return (self->jobs == NULL || lk_word_is_listed (self->jobs, id)
          || (told->array_job_id != 0 && lk_word_is_listed (self->jobs, array)))
         && (self->users == NULL || lk_word_is_listed (self->users, user)
             || lk_word_is_listed (self->users, number))
         && (self->partitions == NULL || lk_word_is_listed (self->partitions, partition));
}

static double
real_at (LkBytes bytes, guint at)
{
  guint64 bits = 0;
  double value;
  if ((at + 1) * sizeof bits > bytes.length_bytes)
    return 0;
  for (guint i = 0; i < sizeof bits; i++)
    bits |= (guint64)bytes.bytes[at * sizeof bits + i] << (8 * i);
  memcpy (&value, &bits, sizeof value);
  return value;
}

static const char *
tres_of (Sprio *self, const LkRecord_priority *told, gboolean weighted)
{
  g_autoptr (GString) list = g_string_new (NULL);
  g_auto (GStrv) names = g_strsplit (KEEP (tres_names, ""), ",", -1);
  for (guint i = 0; names[i] != NULL; i++)
    lk_sprio_append_tres (list, names[i], real_at (told->tres_factors, i),
                          real_at (told->tres_weights, i), weighted);
  return g_string_chunk_insert (self->texts, list->str);
}

static void
row_take (gpointer user, const LkRecord *record)
{
  Sprio *self = user;
  const LkRecord_priority *told = &record->priority;
  const char *name = KEEP (user_name, NULL);
  const char *partition = KEEP (partition, "");
  if (name == NULL)
    name = lk_names_user (&self->names, told->user_id);
  if (!wants (self, told, name, partition))
    return;
  LkSprioRow *row = g_new (LkSprioRow, 1);
  g_autofree char *id = g_strdup_printf ("%u", told->job_id);
  *row = (LkSprioRow){
    .is_direct = told->is_direct != 0,
    .job = g_string_chunk_insert (self->texts, id),
    .user = name,
    .account = KEEP (account_name, "(null)"),
    .qos = KEEP (qos_name, "(null)"),
    .partition = partition,
    .priority = told->priority,
    .terms = { told->age_term, told->association_term, told->fairshare_term, told->job_size_term,
               told->partition_term, told->qos_term },
    .tres_term = told->tres_term,
    .tres_terms = tres_of (self, told, /* weighted= */ TRUE),
    .tres_factors = tres_of (self, told, /* weighted= */ FALSE),
    .nice = told->nice,
    .site_factor = told->site_factor,
  };
  g_ptr_array_add (self->rows, row);
}

/* ---------------------------------------------------------------- the command */

static void
weights_read (const LkControllerOrder *order, LkSprioWeights *out)
{
  for (guint i = 0; i < LK_SPRIO_FACTOR_COUNT; i++)
    out->weights[i] =
        g_ascii_strtod (lk_controller_order_value (order, lk_sprio_weight_name (i)), NULL);
  out->tres = lk_controller_order_value (order, "weight_tres");
}

static int
print (const Sprio *self, const LkSprioWeights *weights)
{
  const LkSprioFormat wanted = { .is_long = self->is_long,
                                 .normalized = self->normalized,
                                 .with_user = self->users != NULL };
  g_autofree char *standard = lk_sprio_format (weights, &wanted);
  const char *format = self->format != NULL ? self->format : standard;
  g_autoptr (GError) error = NULL;
  g_autoptr (LkTableLayout) layout = lk_table_layout_new (lk_sprio_columns, format, &error);
  g_autoptr (GString) out = g_string_new (NULL);
  const LkSprioRow row = { .is_weights = TRUE };
  if (layout == NULL) {
    lk_client_error (self->client, "%s", error->message);
    return FAILURE;
  }
  if (self->sort != NULL
      && !lk_rows_sort (self->client, lk_sprio_columns, self->sort, weights, self->rows))
    return FAILURE;
  if (self->json.is_wanted && !self->weights) {
    lk_json_priorities (self->client, &self->json, self->rows);
    return 0;
  }
  if (!self->no_heading)
    lk_table_layout_heading (layout, out);
  if (self->weights)
    lk_table_layout_row (layout, weights, &row, out);
  for (guint i = 0; !self->weights && i < self->rows->len; i++)
    lk_table_layout_row (layout, weights, g_ptr_array_index (self->rows, i), out);
  fwrite (out->str, 1, out->len, self->client->out);
  return 0;
}

static int
unsupported (const LkClient *client, const char *order)
{
  fprintf (client->err,
           "You are not running a supported priority plugin\n(priority/%s).\n"
           "Only 'priority/multifactor' is supported.\n",
           order);
  return FAILURE;
}

static int
run (Sprio *self)
{
  g_autoptr (GError) error = NULL;
  LkControllerOrder order;
  LkSprioWeights weights;
  LkClientQuery query = { .kind = LK_RECORD_PRIORITY };
  int code = FAILURE;
  if (!lk_controller_order_read (&order, self->client, &error)) {
    lk_client_error (self->client, "%s", error->message);
    return FAILURE;
  }
  if (!order.has_parts) {
    code = unsupported (self->client, order.name);
  } else if (self->weights || lk_client_query (self->client, &query, row_take, self, &error)) {
    weights_read (&order, &weights);
    code = print (self, &weights);
  } else {
    lk_client_error (self->client, "%s", error->message);
  }
  lk_controller_order_clear (&order);
  return code;
}

static gboolean
jobs_check (const Sprio *self)
{
  g_auto (GStrv) words = g_strsplit (self->jobs != NULL ? self->jobs : "", ",", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (!g_ascii_string_to_unsigned (words[i], 10, 1, G_MAXUINT32, NULL, NULL)) {
      lk_client_error (self->client, "Invalid job id: %s", words[i]);
      return FALSE;
    }
  return TRUE;
}

static void
tell_options (const Sprio *self)
{
  g_autofree char *verbosity = g_strdup_printf ("%u", self->verbosity);
  const LkChoice choices[] = {
    { "format    ", self->format }, { "job_flag  ", self->jobs != NULL ? "1" : "0" },
    { "jobs      ", self->jobs },   { "partition ", self->partitions },
    { "users     ", self->users },  { "verbose   ", verbosity },
  };
  lk_choices_print (self->client, choices, G_N_ELEMENTS (choices));
  fputc ('\n', self->client->out);
}

int
lk_sprio (LkClient *client, int argc, char **argv)
{
  Sprio self = { .client = client };
  LkOptionSet set = { .usage = "[OPTIONS]",
                      .options = options,
                      .count = G_N_ELEMENTS (options),
                      .take = option_take,
                      .user = &self };
  int count = lk_options_parse (client, &set, argc, argv);
  if (count < 0)
    return count == -1 ? FAILURE : 0;
  if (count > 0) {
    lk_client_error (client, "Unrecognized option: %s", argv[1]);
    return FAILURE;
  }
  if (self.format == NULL && !self.is_long)
    self.format = lk_client_variable (client, "SPRIO_FORMAT");
  g_autofree char *cluster = NULL;
  if (!lk_client_clusters_check (client, self.clusters, &cluster) || !jobs_check (&self))
    return FAILURE;
  if (!lk_json_choice_settle (client, &self.json, &count))
    return count;
  if (self.verbosity > 0 && !self.json.is_wanted)
    tell_options (&self);
  self.rows = g_ptr_array_new_with_free_func (g_free);
  self.texts = g_string_chunk_new (4096);
  lk_names_init (&self.names);
  int code = run (&self);
  lk_names_clear (&self.names);
  g_string_chunk_free (self.texts);
  g_ptr_array_unref (self.rows);
  return code;
}

void
lk_sprio_markdown (GString *out)
{
  lk_options_markdown (options, G_N_ELEMENTS (options), out);
}
