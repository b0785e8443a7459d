/* traces/command_job_keys.c — see command_job_keys.h.
 *
 * What scontrol sets of a job is mostly what sbatch could have asked for: such a key is written as
 * the option of sbatch that says the same, and read by the reader of those.  The others are read
 * here: switches, which change one bit of flags, and what no option of sbatch tells.
 *
 * Source: scontrol(1), update of jobs.  Signal is Lockstep's own: Slurm's scontrol does not set
 * it. */
#include "traces/command_job_keys.h"

#include <string.h>

#include "engine/policy.h"
#include "engine/suggest.h"
#include "traces/command_fail.h"
#include "traces/job_options.h"
#include "traces/job_values.h"

/* Slurm's bounds of a site's factor are those of nice. */
#define FACTOR_MAX G_GINT64_CONSTANT (2147483645)

/* ---------------------------------------------------------------- keys that are options */

typedef struct {
  const char *key;
  const char *option;
  guint64 changes;
} JobKey;

#define C(name) (G_GUINT64_CONSTANT (1) << LK_CHANGE_##name)
static const JobKey job_keys[] = {
  { "account", "account", C (account) },
  { "arraytaskthrottle", "array", C (array) },
  { "comment", "comment", C (comment) },
  { "cpuspertask", "cpus-per-task", C (cpus_per_task) | C (procs) },
  { "cpuspertres", "cpus-per-gpu", C (cpus_per_gpu) },
  { "deadline", "deadline", C (deadline_us) },
  { "dependency", "dependency", C (dependency) },
  { "eligibletime", "begin", C (begin_us) },
  { "excnodelist", "exclude", C (exclude) },
  { "features", "constraint", C (constraint) },
  { "gres", "gres", C (gres) },
  { "jobname", "job-name", C (name) },
  { "licenses", "licenses", C (licenses) },
  { "mincpusnode", "mincpus", C (cpus_per_node_min) },
  { "minmemorycpu", "mem-per-cpu", C (present) | C (memory_per_cpu_bytes) },
  { "minmemorynode", "mem", C (present) | C (memory_per_node_bytes) },
  { "mintmpdisknode", "tmp", C (tmp_per_node_bytes) },
  { "name", "job-name", C (name) },
  { "nice", "nice", C (nice) },
  { "nodelist", "nodelist", C (node_list) },
  { "numcpus", "ntasks", C (tasks) | C (procs) },
  { "numnodes", "nodes", C (nodes_min) | C (nodes_max) },
  { "numtasks", "ntasks", C (tasks) | C (procs) },
  { "partition", "partition", C (partition) },
  { "priority", "priority", C (priority) },
  { "qos", "qos", C (qos) },
  { "reqcores", "cores-per-socket", C (cores_per_socket_min) },
  { "reqnodelist", "nodelist", C (node_list) },
  { "reqnodes", "nodes", C (nodes_min) | C (nodes_max) },
  { "reqprocs", "ntasks", C (tasks) | C (procs) },
  { "reqsockets", "sockets-per-node", C (sockets_per_node_min) },
  { "reqthreads", "threads-per-core", C (threads_per_core) },
  { "reservation", "reservation", C (reservation) },
  { "reservationname", "reservation", C (reservation) },
  { "signal", "signal", C (term_flags) | C (warn_signal) | C (warn_before_us) },
  { "starttime", "begin", C (begin_us) },
  { "switches", "switches", C (switches) | C (switches_wait_us) },
  { "taskspernode", "ntasks-per-node", C (tasks_per_node) },
  { "timelimit", "time", C (estimate_us) },
  { "timemin", "time-min", C (time_min_us) },
  { "tresperjob", "gpus", C (gpus) },
  { "trespernode", "gres", C (gres) },
  { "trespersocket", "gpus-per-socket", C (gpus_per_socket) },
  { "trespertask", "gpus-per-task", C (gpus_per_task) },
};

/* Of what is said of GPUs alone, where scontrol writes gres/gpu:2 or gres:gpu:2. */
static const char *
behind_gpu (const char *value)
{
  static const char *const heads[] = { "gres/gpu:", "gres:gpu:", "gres/gpu=", "gpu:" };
  for (guint i = 0; i < G_N_ELEMENTS (heads); i++)
    if (g_ascii_strncasecmp (value, heads[i], strlen (heads[i])) == 0)
      return value + strlen (heads[i]);
  return value;
}

static const char *
value_of_option (const JobKey *key, const char *value)
{
  static const char *const of_gpus[] = { "cpuspertres", "tresperjob", "trespersocket",
                                         "trespertask", NULL };
  return g_strv_contains (of_gpus, key->key) ? behind_gpu (value) : value;
}

static void
option_add (const JobKey *key, const char *value, GPtrArray *words)
{
  const char *mark = strcmp (key->key, "arraytaskthrottle") == 0 ? "%" : "";
  g_ptr_array_add (words,
                   g_strdup_printf ("--%s=%s%s", key->option, mark, value_of_option (key, value)));
}

/* ---------------------------------------------------------------- keys of their own */

typedef gboolean (*OwnTake) (const LkCommandPair *pair, gint64 now_us, LkEvent_update *update,
                             GError **error);

static gboolean
switch_take (const LkCommandPair *pair, gboolean *is_on, GError **error)
{
  gboolean is_no = g_ascii_strcasecmp (pair->value, "no") == 0 || strcmp (pair->value, "0") == 0;
  *is_on = g_ascii_strcasecmp (pair->value, "yes") == 0 || strcmp (pair->value, "1") == 0;
  return *is_on || is_no
         || lk_command_fail (error, "%s is '%.*s'; expected YES, NO, 1 or 0", pair->key,
                             LK_COMMAND_SHOWN_MAX_BYTES, pair->value);
}

static void
flags_change (LkEvent_update *update, guint32 mask, guint32 flags)
{
  update->flags_mask |= mask;
  update->flags = (update->flags & ~mask) | flags;
}

static gboolean
contiguous_take (const LkCommandPair *pair, gint64 now_us G_GNUC_UNUSED, LkEvent_update *update,
                 GError **error)
{
  gboolean is_on;
  if (!switch_take (pair, &is_on, error))
    return FALSE;
  flags_change (update, LK_REQUEST_CONTIGUOUS, is_on ? LK_REQUEST_CONTIGUOUS : 0);
  return TRUE;
}

/* NO leaves a job that wants nodes for itself as it is. */
static gboolean
sharing_take (const LkCommandPair *pair, gint64 now_us G_GNUC_UNUSED, LkEvent_update *update,
              GError **error)
{
  gboolean is_on;
  if (!switch_take (pair, &is_on, error))
    return FALSE;
  flags_change (update,
                LK_REQUEST_OVERSUBSCRIBE
                    | (is_on ? LK_REQUEST_EXCLUSIVE | LK_REQUEST_EXCLUSIVE_USER : 0),
                is_on ? LK_REQUEST_OVERSUBSCRIBE : 0);
  return TRUE;
}

static gboolean
requeue_take (const LkCommandPair *pair, gint64 now_us G_GNUC_UNUSED, LkEvent_update *update,
              GError **error)
{
  gboolean is_on;
  if (!switch_take (pair, &is_on, error))
    return FALSE;
  flags_change (update, LK_REQUEST_NO_REQUEUE, is_on ? 0 : LK_REQUEST_NO_REQUEUE);
  return TRUE;
}

static gboolean
kill_invalid_take (const LkCommandPair *pair, gint64 now_us G_GNUC_UNUSED, LkEvent_update *update,
                   GError **error)
{
  const guint32 mask = LK_TERM_KILL_INVALID_DEP | LK_TERM_KEEP_INVALID_DEP;
  gboolean is_on;
  if (!switch_take (pair, &is_on, error))
    return FALSE;
  update->term_flags_mask |= mask;
  update->term_flags =
      (update->term_flags & ~mask) | (is_on ? LK_TERM_KILL_INVALID_DEP : LK_TERM_KEEP_INVALID_DEP);
  return TRUE;
}

static gboolean
site_factor_take (const LkCommandPair *pair, gint64 now_us G_GNUC_UNUSED, LkEvent_update *update,
                  GError **error)
{
  return g_ascii_string_to_signed (pair->value, 10, -FACTOR_MAX, FACTOR_MAX, &update->site_factor,
                                   NULL)
         || lk_command_fail (error,
                             "%s is '%.*s'; expected a number from -2147483645 to 2147483645",
                             pair->key, LK_COMMAND_SHOWN_MAX_BYTES, pair->value);
}

/* The option of sbatch wants GPUs beside it, which the job may have. */
static gboolean
gpu_memory_take (const LkCommandPair *pair, gint64 now_us G_GNUC_UNUSED, LkEvent_update *update,
                 GError **error)
{
  update->present = LK_REQUEST_HAS_MEMORY_PER_GPU;
  return lk_job_size_parse (behind_gpu (pair->value), &update->memory_per_gpu_bytes)
         || lk_command_fail (error, "%s is '%.*s'; expected gres/gpu: and " LK_JOB_SIZE_EXPECTED,
                             pair->key, LK_COMMAND_SHOWN_MAX_BYTES, pair->value);
}

static gboolean
end_take (const LkCommandPair *pair, gint64 now_us, LkEvent_update *update, GError **error)
{
  return (lk_job_moment_parse (pair->value, now_us, &update->end_us) && update->end_us > 0)
         || lk_command_fail (error, "%s is '%.*s'; expected " LK_JOB_MOMENT_EXPECTED, pair->key,
                             LK_COMMAND_SHOWN_MAX_BYTES, pair->value);
}

static const struct {
  const char *key;
  OwnTake take;
  guint64 changes;
} own_keys[] = {
  { "contiguous", contiguous_take, C (flags) },
  { "endtime", end_take, C (estimate_us) },
  { "killoninvaliddep", kill_invalid_take, C (term_flags) },
  { "killoninvaliddependent", kill_invalid_take, C (term_flags) },
  { "mempertres", gpu_memory_take, C (present) | C (memory_per_gpu_bytes) },
  { "oversubscribe", sharing_take, C (flags) },
  { "requeue", requeue_take, C (flags) },
  { "shared", sharing_take, C (flags) },
  { "sitefactor", site_factor_take, C (site_factor) },
};

/* ---------------------------------------------------------------- the command */

/* What the words of a command come to. */
typedef struct {
  gint64 now_us;
  GPtrArray *words; /* options of sbatch */
  LkEvent_update own;
  guint64 changes;
} Reading;

static gboolean
unknown_fail (const LkCommandPair *pair, GError **error)
{
  const char *known[G_N_ELEMENTS (job_keys) + G_N_ELEMENTS (own_keys) + 1] = { NULL };
  guint count = 0;
  for (guint i = 0; i < G_N_ELEMENTS (job_keys); i++)
    known[count++] = job_keys[i].key;
  for (guint i = 0; i < G_N_ELEMENTS (own_keys); i++)
    known[count++] = own_keys[i].key;
  return lk_command_key_fail (pair, known, error);
}

/* Nobody would find it by its name again. */
static gboolean
nameless_fail (const LkCommandPair *pair, GError **error)
{
  return lk_command_fail (error, "%.*s is empty; expected a name of the job",
                          (int)strcspn (pair->given, "="), pair->given);
}

static gboolean
pair_read (Reading *self, const LkCommandPair *pair, GError **error)
{
  if (pair->sign != '=' && strcmp (pair->key, "timelimit") != 0)
    return lk_command_fail (error, "'%.*s' adds to a value or takes from it; expected %s=",
                            LK_COMMAND_SHOWN_MAX_BYTES, pair->given, pair->key);
  for (guint i = 0; i < G_N_ELEMENTS (job_keys); i++)
    if (strcmp (pair->key, job_keys[i].key) == 0) {
      if (strcmp (job_keys[i].option, "job-name") == 0 && *pair->value == '\0')
        return nameless_fail (pair, error);
      option_add (&job_keys[i], pair->value, self->words);
      self->changes |= job_keys[i].changes;
      /* "4" says nothing of the most nodes (engine/update_settle.h). */
      if (strcmp (job_keys[i].option, "nodes") == 0 && strchr (pair->value, '-') == NULL)
        self->changes &= ~C (nodes_max);
      return TRUE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (own_keys); i++)
    if (strcmp (pair->key, own_keys[i].key) == 0) {
      self->changes |= own_keys[i].changes;
      return own_keys[i].take (pair, self->now_us, &self->own, error);
    }
  return unknown_fail (pair, error);
}

/* Fields of the event that have the names of fields of a request and of terms. */
static void
update_fill (LkEvent_update *update, const LkJobOptions *options)
{
#define TAKE(type, name, help) update->name = options->request.name;
  LK_JOB_REQUEST_FIELDS (TAKE)
#undef TAKE
#define TAKE(type, name, help) update->name = options->terms.name;
  LK_JOB_TERMS_FIELDS (TAKE)
#undef TAKE
  update->procs = lk_job_request_cpus (&options->request);
  update->estimate_us = MAX (0, options->limit_us);
}

/* What no option told. */
static void
own_fill (LkEvent_update *update, const LkEvent_update *own, const LkCommand *command)
{
  const guint32 warns = LK_TERM_WARN_BATCH | LK_TERM_WARN_RESERVATION;
  update->flags = own->flags;
  update->flags_mask = own->flags_mask;
  update->term_flags =
      own->term_flags
      | (lk_command_value (command, "signal") != NULL ? update->term_flags & warns : 0);
  update->term_flags_mask =
      own->term_flags_mask | (lk_command_value (command, "signal") != NULL ? warns : 0);
  update->site_factor = own->site_factor;
  update->present |= own->present;
  update->memory_per_gpu_bytes = own->memory_per_gpu_bytes;
  update->end_us = own->end_us;
}

/* The reader of options names an option, where the command has a key. */
static void
name_key (const LkCommand *command, GError *error)
{
  for (guint i = 0; i < command->pairs->len; i++) {
    const LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    for (guint j = 0; j < G_N_ELEMENTS (job_keys); j++) {
      g_autofree char *head = g_strdup_printf ("option --%s ", job_keys[j].option);
      if (strcmp (pair->key, job_keys[j].key) != 0 || !g_str_has_prefix (error->message, head))
        continue;
      char *text = g_strdup_printf ("%.*s %s", (int)strcspn (pair->given, "=+-"), pair->given,
                                    error->message + strlen (head));
      g_free (error->message);
      error->message = text;
      return;
    }
  }
}

/* `text` of an option, NULL where it is not given. */
static gboolean
moment_read (const char *option, const char *text, gint64 now_us, gint64 *out_us, GError **error)
{
  return text == NULL || lk_job_moment_parse (text, now_us, out_us)
         || lk_command_fail (error, "option --%s is '%.*s'; expected " LK_JOB_MOMENT_EXPECTED,
                             option, LK_COMMAND_SHOWN_MAX_BYTES, text);
}

gboolean
lk_command_update_event (const LkCommand *command, gint64 now_us, GStringChunk *texts,
                         LkEvent *out_event, GError **error)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  Reading reading = { .now_us = now_us, .words = words };
  LkJobOptions options;
  LkEvent event = { .kind = LK_EVENT_UPDATE };
  for (guint i = 0; i < command->pairs->len; i++) {
    const LkCommandPair *pair = &g_array_index (command->pairs, LkCommandPair, i);
    if (strcmp (pair->key, "jobid") != 0 && !pair_read (&reading, pair, error))
      return FALSE;
  }
  g_ptr_array_add (words, NULL);
  if (lk_command_value (command, "endtime") != NULL
      && lk_command_value (command, "timelimit") != NULL)
    return lk_command_fail (error, "timelimit and endtime are both set; expected one of them");
  GError *wrong = NULL;
  gboolean is_good =
      lk_job_options_parse ((const char *const *)words->pdata, texts, &options, &wrong);
  if (is_good) {
    update_fill (&event.update, &options);
    own_fill (&event.update, &reading.own, command);
    event.update.changes = reading.changes;
    is_good =
        moment_read ("begin", options.begin, now_us, &event.update.begin_us, &wrong)
        && moment_read ("deadline", options.deadline, now_us, &event.update.deadline_us, &wrong);
  }
  if (!is_good) {
    name_key (command, wrong);
    g_propagate_error (error, wrong);
    return FALSE;
  }
  *out_event = event;
  return TRUE;
}

guint64
lk_command_job_key_changes (const char *key)
{
  for (guint i = 0; i < G_N_ELEMENTS (job_keys); i++)
    if (strcmp (key, job_keys[i].key) == 0)
      return job_keys[i].changes;
  for (guint i = 0; i < G_N_ELEMENTS (own_keys); i++)
    if (strcmp (key, own_keys[i].key) == 0)
      return own_keys[i].changes;
  return 0;
}
#undef C
