/* live/client/show_config.c — `scontrol show config`.
 *
 * What the configuration that is found here says, and the defaults that hold of what it does not say:
 * of the keys that mean something to Lockstep; and all others that it has.  Policies are those that
 * the controller tells are in force, and what nobody here knows is left out.  Source: scontrol(1), what
 * a real Slurm printed (oracle/text). */
#include <string.h>

#include "live/client/commands.h"
#include "live/client/show.h"
#include "live/client/words.h"
#include "traces/slurm_conf_lines.h"

/* "300" of a key with unit " sec" is printed as "300 sec". */
typedef struct {
  const char *key;
  const char *fallback;
  const char *unit;
} Key;

static const Key keys[] = {
  { "AccountingStorageEnforce", "none", "" },
  { "AccountingStorageTRES", "cpu,mem,energy,node,billing,fs/disk,vmem,pages", "" },
  { "AuthInfo", "(null)", "" },
  { "AuthType", NULL, "" },
  { "ClusterName", NULL, "" },
  { "CompleteWait", "0", " sec" },
  { "DefMemPerCPU", NULL, "" },
  { "DefMemPerNode", "UNLIMITED", "" },
  { "DisableRootJobs", "no", "" },
  { "EnforcePartLimits", "NO", "" },
  { "Epilog", "(null)", "" },
  { "EpilogTimeout", "65534", "" },
  { "FairShareDampeningFactor", "1", "" },
  { "FirstJobId", "1", "" },
  { "GresTypes", "(null)", "" },
  { "HealthCheckInterval", "0", " sec" },
  { "HealthCheckNodeState", "ANY", "" },
  { "HealthCheckProgram", "(null)", "" },
  { "JobFileAppend", "0", "" },
  { "JobRequeue", "1", "" },
  { "KillWait", "30", " sec" },
  { "Licenses", "(null)", "" },
  { "MailDomain", "(null)", "" },
  { "MailProg", "(null)", "" },
  { "MaxArraySize", "1001", "" },
  { "MaxJobCount", NULL, "" },
  { "MaxMemPerNode", "UNLIMITED", "" },
  { "MessageTimeout", "10", " sec" },
  { "MinJobAge", "300", " sec" },
  { "OverTimeLimit", "0", " min" },
  { "PreemptExemptTime", "00:00:00", "" },
  { "PreemptMode", NULL, "" },
  { "PreemptType", NULL, "" },
  { "PriorityCalcPeriod", "00:05:00", "" },
  { "PriorityDecayHalfLife", "7-00:00:00", "" },
  { "PriorityFavorSmall", "no", "" },
  { "PriorityFlags", "", "" },
  { "PriorityMaxAge", "7-00:00:00", "" },
  { "PriorityType", NULL, "" },
  { "PriorityUsageResetPeriod", "NONE", "" },
  { "PriorityWeightAge", "0", "" },
  { "PriorityWeightAssoc", "0", "" },
  { "PriorityWeightFairShare", "0", "" },
  { "PriorityWeightJobSize", "0", "" },
  { "PriorityWeightPartition", "0", "" },
  { "PriorityWeightQOS", "0", "" },
  { "PriorityWeightTRES", "(null)", "" },
  { "PrivateData", "none", "" },
  { "ProctrackType", "auto", "" },
  { "Prolog", "(null)", "" },
  { "PrologTimeout", "65534", "" },
  { "PropagateResourceLimits", "ALL", "" },
  { "PropagateResourceLimitsExcept", "(null)", "" },
  { "RequeueExit", "(null)", "" },
  { "RequeueExitHold", "(null)", "" },
  { "ResvOverRun", "0", " min" },
  { "ReturnToService", "0", "" },
  { "SchedulerParameters", "(null)", "" },
  { "SchedulerTimeSlice", "30", " sec" },
  { "SchedulerType", NULL, "" },
  { "SelectType", NULL, "" },
  { "SelectTypeParameters", "CR_CORE_MEMORY", "" },
  { "SlurmUser", NULL, "" },
  { "SlurmctldDebug", "info", "" },
  { "SlurmctldHost", NULL, "" },
  { "SlurmctldLogFile", "(null)", "" },
  { "SlurmctldPidFile", "(null)", "" },
  { "SlurmctldPort", NULL, "" },
  { "SlurmdDebug", "info", "" },
  { "SlurmdLogFile", "(null)", "" },
  { "SlurmdPidFile", "(null)", "" },
  { "SlurmdSpoolDir", NULL, "" },
  { "SlurmdTimeout", "300", " sec" },
  { "StateSaveLocation", NULL, "" },
  { "TaskEpilog", "(null)", "" },
  { "TaskPlugin", "(null)", "" },
  { "TaskProlog", "(null)", "" },
  { "TopologyPlugin", "topology/flat", "" },
  { "UnkillableStepTimeout", "60", " sec" },
};

/* A line of what is printed. */
typedef struct {
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

static void
line_add (GPtrArray *lines, const char *key, const char *value, const char *unit)
{
  Line *line = g_new (Line, 1);
  gboolean is_number = value[0] != '\0' && strspn (value, "0123456789") == strlen (value);
  line->key = g_strdup (key);
  line->value = g_strconcat (value, is_number ? unit : "", NULL);
  g_ptr_array_add (lines, line);
}

static gint
line_compare (gconstpointer a, gconstpointer b)
{
  const Line *line_a = *(Line *const *)a;
  const Line *line_b = *(Line *const *)b;
  gint order = g_ascii_strcasecmp (line_a->key, line_b->key);
  return order != 0 ? order : strcmp (line_a->key, line_b->key);
}

static const Key *
key_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (g_ascii_strcasecmp (keys[i].key, name) == 0)
      return &keys[i];
  return NULL;
}

/* Lines of nodes and partitions are shown by themselves. */
static gboolean
is_of_machine (const char *key)
{
  return lk_word_is_listed ("NodeName,NodeSet,PartitionName,DownNodes,FrontendName,Include", key);
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
  const Key *key = key_find (pair->key);
  g_autofree char *name = is_host ? g_strdup_printf ("SlurmctldHost[%u]", (*hosts)++)
                                  : g_strdup (key != NULL ? key->key : pair->key);
  Line *before = line_find (lines, name);
  if (before != NULL)
    g_ptr_array_remove (lines, before);
  line_add (lines, name, pair->value, key != NULL ? key->unit : "");
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
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (line_find (lines, keys[i].key) == NULL && keys[i].fallback != NULL
        && (hosts == 0 || strcmp (keys[i].key, "SlurmctldHost") != 0))
      line_add (lines, keys[i].key, keys[i].fallback, keys[i].unit);
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
  line_add (lines, key, value, "");
}

typedef struct {
  GPtrArray *lines;
  gint64 began_us;
} InForce;

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
  line_add (lines, "BOOT_TIME", began->str, "");
  line_add (lines, "SLURM_CONF", client->conf_path, "");
  line_add (lines, "SLURM_VERSION", LK_CLIENT_SLURM_VERSION, "");
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
