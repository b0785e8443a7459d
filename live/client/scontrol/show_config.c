/* live/client/scontrol/show_config.c — `scontrol show config`.
 *
 * What the configuration that is found here says, and the defaults of what it does not say, in
 * Slurm's order; behind them all others that it has.  Policies are those that the controller tells
 * are in force, and what nobody here knows is left out.  Source: scontrol(1), what a real Slurm
 * printed (tests/fixtures/text/recorded). */
#include <pwd.h>
#include <string.h>

#include "live/client/commands.h"
#include "live/client/scontrol/config_keys.h"
#include "live/client/node_row.h"
#include "live/client/scontrol/show.h"
#include "live/client/words.h"
#include "live/core/port_log.h"
#include "traces/job_values.h"
#include "traces/slurm_conf_lines.h"

/* A line of what is printed. */
typedef struct {
  guint place; /* of its key among `lk_config_keys` */
  char *key;
  char *value;
} Line;

static void
line_free (gpointer data)
{
  Line *line = data;
  g_free (line->key);
  g_free (line->value);
  g_free (line);
}

/* Where it stands: keys that Slurm does not know are last. */
static guint
place_of (const char *name)
{
  for (guint i = 0; i < lk_config_key_count; i++)
    if (g_ascii_strcasecmp (lk_config_keys[i].key, name) == 0)
      return i;
  return lk_config_key_count;
}

static char *
user_value (const char *value)
{
  const struct passwd *found = getpwnam (value);
  return found != NULL ? g_strdup_printf ("%s(%u)", value, (guint)found->pw_uid) : g_strdup (value);
}

static char *
duration_value (const char *value)
{
  gint64 duration_us;
  g_autoptr (GString) text = g_string_new (NULL);
  if (!lk_job_time_limit_parse (value, &duration_us))
    return g_strdup (value);
  lk_word_long_duration (duration_us, text);
  return g_strdup (text->str);
}

static char *
plugin_value (const char *value)
{
  const char *sign = strrchr (value, '/');
  const char *name = sign != NULL ? sign + 1 : value;
  return g_strdup (strcmp (name, "none") == 0 ? "(null)" : value);
}

/* A GPU has memory and is used, too. */
static char *
tres_value (const char *value)
{
  const char *more = lk_word_is_listed (value, "gres/gpu") ? ",gres/gpumem,gres/gpuutil" : "";
  return g_strconcat ("cpu,mem,energy,node,billing,fs/disk,vmem,pages", *value != '\0' ? "," : "",
                      value, more, NULL);
}

static char *
value_as (LkConfigForm form, const char *value)
{
  switch (form) {
  case LK_CONFIG_UPPER:
    return g_ascii_strup (value, -1);
  case LK_CONFIG_USER:
    return user_value (value);
  case LK_CONFIG_DURATION:
    return duration_value (value);
  case LK_CONFIG_PLUGIN:
    return plugin_value (value);
  case LK_CONFIG_TRES:
    return tres_value (value);
  case LK_CONFIG_TEXT:
  default:
    return g_strdup (value);
  }
}

static void
line_add (GPtrArray *lines, const char *name, const char *value)
{
  Line *line = g_new (Line, 1);
  gboolean is_number = value[0] != '\0' && strspn (value, "0123456789") == strlen (value);
  /* "SlurmctldHost[1]" stands with the others of its kind. */
  g_autofree char *plain = g_strndup (name, strcspn (name, "["));
  guint place = place_of (name);
  place = place < lk_config_key_count ? place : place_of (plain);
  const LkConfigKey *key = place < lk_config_key_count ? &lk_config_keys[place] : NULL;
  g_autofree char *written = value_as (key != NULL ? key->form : LK_CONFIG_TEXT, value);
  line->place = place;
  line->key = g_strdup (name);
  line->value = g_strconcat (written, is_number && key != NULL ? key->unit : "", NULL);
  g_ptr_array_add (lines, line);
}

static gint
line_compare (gconstpointer a, gconstpointer b)
{
  const Line *line_a = *(Line *const *)a;
  const Line *line_b = *(Line *const *)b;
  if (line_a->place != line_b->place)
    return line_a->place < line_b->place ? -1 : 1;
  gint order = g_ascii_strcasecmp (line_a->key, line_b->key);
  return order != 0 ? order : strcmp (line_a->key, line_b->key);
}

/* Lines of nodes and partitions are shown by themselves. */
static gboolean
is_of_machine (const char *key)
{
  return lk_word_is_listed ("NodeName,NodeSet,PartitionName,DownNodes,FrontendName,Include", key);
}

/* Is not told to everybody. */
static gboolean
is_secret (const char *key)
{
  return lk_word_is_listed ("AccountingStoragePass,JobCompPass", key);
}

static Line *
line_find (const GPtrArray *lines, const char *key)
{
  for (guint i = 0; i < lines->len; i++) {
    Line *line = g_ptr_array_index (lines, i);
    if (g_ascii_strcasecmp (line->key, key) == 0)
      return line;
  }
  return NULL;
}

/* Of several lines of a key the last, and each host by itself. */
static void
pair_add (GPtrArray *lines, const LkSlurmPair *pair, guint *hosts)
{
  gboolean is_host = g_ascii_strcasecmp (pair->key, "SlurmctldHost") == 0;
  g_autofree char *first = g_strconcat (pair->key, "[0]", NULL);
  guint place = MIN (place_of (pair->key), place_of (first)); /* Prolog is Prolog[0] */
  g_autofree char *name =
      is_host ? g_strdup_printf ("SlurmctldHost[%u]", (*hosts)++)
              : g_strdup (place < lk_config_key_count ? lk_config_keys[place].key : pair->key);
  Line *before = line_find (lines, name);
  if (is_secret (pair->key))
    return;
  if (before != NULL)
    g_ptr_array_remove (lines, before);
  line_add (lines, name, pair->value);
}

static void
file_add (const LkSlurmLines *file, GPtrArray *lines)
{
  guint hosts = 0;
  for (guint i = 0; i < file->lines->len; i++) {
    const GPtrArray *pairs = g_ptr_array_index (file->lines, i);
    const LkSlurmPair *first = g_ptr_array_index (pairs, 0);
    for (guint j = 0; !is_of_machine (first->key) && j < pairs->len; j++)
      pair_add (lines, g_ptr_array_index (pairs, j), &hosts);
  }
  for (guint i = 0; i < lk_config_key_count; i++)
    if (lk_config_keys[i].fallback != NULL && line_find (lines, lk_config_keys[i].key) == NULL)
      line_add (lines, lk_config_keys[i].key, lk_config_keys[i].fallback);
}

/* ---------------------------------------------------------------- what is in force */

/* Policies of Lockstep by Slurm's names; others have their own, behind "lockstep/". */
static const struct {
  const char *key;
  const char *policy;
  const char *name;
} policies[] = {
  { "PriorityType", "multifactor", "priority/multifactor" },
  { "PriorityType", "fifo", "priority/basic" },
  { "SchedulerType", "slurm", "sched/backfill" },
  { "SchedulerType", "none", "sched/builtin" },
  { "SelectType", "cons_tres", "select/cons_tres" },
  { "SelectType", "linear", "select/linear" },
  { "PreemptType", "none", "preempt/none" },
  { "PreemptType", "qos", "preempt/qos" },
  { "PreemptType", "partition_prio", "preempt/partition_prio" },
};

/* `spec`: "easy:depth=3"; empty: there is none. */
static void
policy_set (GPtrArray *lines, const char *key, LkText spec)
{
  g_autofree char *text = g_strndup (spec.length_bytes > 0 ? spec.bytes : "", spec.length_bytes);
  text[strcspn (text, ":")] = '\0';
  g_autofree char *own =
      *text != '\0' ? g_strconcat ("lockstep/", text, NULL) : g_strdup ("(null)");
  const char *value = own;
  for (guint i = 0; i < G_N_ELEMENTS (policies); i++)
    if (strcmp (policies[i].key, key) == 0 && strcmp (policies[i].policy, text) == 0)
      value = policies[i].name;
  Line *before = line_find (lines, key);
  if (before != NULL)
    g_ptr_array_remove (lines, before);
  line_add (lines, key, value);
}

typedef struct {
  GPtrArray *lines;
  gint64 began_us;
} InForce;

/* As scontrol setdebug may have set it. */
static void
log_level_set (GPtrArray *lines, guint level)
{
  Line *before = line_find (lines, "SlurmctldDebug");
  if (level >= LK_LOG_LEVEL_COUNT)
    return;
  if (before != NULL)
    g_ptr_array_remove (lines, before);
  line_add (lines, "SlurmctldDebug", lk_log_level_name (level));
}

/* Whatever the file says, and what was said when the controller was started, this is so. */
static void
take_controller (gpointer user, const LkRecord *record)
{
  InForce *self = user;
  self->began_us = record->controller.began_us;
  policy_set (self->lines, "PriorityType", record->controller.order);
  policy_set (self->lines, "SchedulerType", record->controller.backfill);
  policy_set (self->lines, "SelectType", record->controller.select);
  policy_set (self->lines, "PreemptType", record->controller.preempt);
  log_level_set (self->lines, record->controller.log_level);
}

/* What the controller says of itself. FALSE: it says nothing. */
static gboolean
controller_add (const LkClient *client, GPtrArray *lines, GError **error)
{
  InForce told = { lines, 0 };
  g_autoptr (GString) began = g_string_new (NULL);
  if (!lk_client_query (client, &(LkClientQuery){ .kind = LK_RECORD_CONTROLLER }, take_controller,
                        &told, error))
    return FALSE;
  lk_word_time (client, told.began_us, "Unknown", began);
  line_add (lines, "BOOT_TIME", began->str);
  line_add (lines, "SLURM_CONF", client->conf_path);
  line_add (lines, "SLURM_VERSION", LK_CLIENT_SLURM_VERSION);
  g_autoptr (LkMachineView) view = lk_machine_view_new (client, NULL);
  g_autofree char *nodes = view != NULL ? g_strdup_printf ("%u", view->nodes->len) : NULL;
  if (nodes != NULL)
    line_add (lines, "MaxNodeCount", nodes);
  return TRUE;
}

int
lk_show_config (LkClient *client, const LkScontrolOptions *options, char **words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) now = g_string_new (NULL);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (line_free);
  (void)options;
  (void)words;
  g_autoptr (LkSlurmLines) file =
      client->conf_path != NULL ? lk_slurm_lines_new (client->conf_path, &error) : NULL;
  if (file == NULL) {
    fprintf (client->err, "slurm_load_ctl_conf error: %s\n",
             error != NULL ? error->message : "there is no configuration");
    return LK_SCONTROL_FAILURE;
  }
  file_add (file, lines);
  if (!controller_add (client, lines, &error)) {
    fprintf (client->err, "slurm_load_ctl_conf error: %s\n", error->message);
    return LK_SCONTROL_FAILURE;
  }
  g_ptr_array_sort (lines, line_compare);
  lk_word_time (client, client->now_us, "", now);
  fprintf (client->out, "Configuration data as of %s\n", now->str);
  for (guint i = 0; i < lines->len; i++) {
    const Line *line = g_ptr_array_index (lines, i);
    fprintf (client->out, "%-23s = %s\n", line->key, line->value);
  }
  fprintf (client->out, "\nSlurmctld(primary) at %s is UP\n", client->host);
  return 0;
}

/* ---------------------------------------------------------------- daemons */

static gboolean
is_this_host (const LkClient *client, const char *name, gsize length_bytes)
{
  static const char local[] = "localhost";
  gsize short_bytes = strcspn (client->host, ".");
  return (length_bytes == short_bytes && memcmp (name, client->host, short_bytes) == 0)
         || (length_bytes == strlen (client->host)
             && memcmp (name, client->host, length_bytes) == 0)
         || (length_bytes == strlen (local)
             && g_ascii_strncasecmp (name, local, length_bytes) == 0);
}

typedef struct {
  const LkClient *client;
  gboolean is_found;
} OwnNode;

static void
own_node_take (gpointer user, const LkRecord *record)
{
  OwnNode *self = user;
  const LkText name = record->node.name;
  self->is_found = self->is_found || is_this_host (self->client, name.bytes, name.length_bytes);
}

/* "slurmctld " and "slurmd", as scontrol(1) names them, where the configuration has them here. */
int
lk_show_daemons (LkClient *client, const LkScontrolOptions *options, char **words)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (line_free);
  g_autoptr (LkSlurmLines) file =
      client->conf_path != NULL ? lk_slurm_lines_new (client->conf_path, NULL) : NULL;
  OwnNode node = { client, FALSE };
  gboolean is_controller = FALSE;
  g_autoptr (GError) error = NULL;
  (void)options;
  if (words[0] != NULL) {
    fprintf (client->err, "too many arguments for keyword:show\n");
    return LK_SCONTROL_FAILURE;
  }
  if (file != NULL)
    file_add (file, lines);
  for (guint i = 0; i < lines->len; i++) {
    const Line *line = g_ptr_array_index (lines, i);
    is_controller = is_controller
                    || (g_ascii_strncasecmp (line->key, "SlurmctldHost", 13) == 0
                        && is_this_host (client, line->value, strcspn (line->value, "(")));
  }
  if (!lk_client_query (client, &(LkClientQuery){ .kind = LK_RECORD_NODE }, own_node_take, &node,
                        &error)) {
    fprintf (client->err, "slurm_load_node error: %s\n", error->message);
    return LK_SCONTROL_FAILURE;
  }
  fprintf (client->out, "%s%s\n", is_controller ? "slurmctld " : "", node.is_found ? "slurmd" : "");
  return 0;
}
