/* live/client/submit/sbatch_environment.c — variables that are options, and those that go with the
 * job.
 *
 * Source: sbatch(1), INPUT and OUTPUT ENVIRONMENT VARIABLES, --export. */
#include <string.h>
#include <sys/stat.h>

#include "live/client/commands.h"
#include "live/client/submit/option_variables.h"
#include "live/client/submit/sbatch.h"
#include "live/spank/stack.h"
#include "traces/job_values.h"

/* ---------------------------------------------------------------- in */

static const LkOptionVariable variables[] = {
  { "SBATCH_ACCOUNT", "account", LK_GIVES_VALUE },
  { "SBATCH_ACCTG_FREQ", "acctg-freq", LK_GIVES_VALUE },
  { "SBATCH_ARRAY_INX", "array", LK_GIVES_VALUE },
  { "SBATCH_BATCH", "batch", LK_GIVES_VALUE },
  { "SBATCH_CLUSTERS", "clusters", LK_GIVES_VALUE },
  { "SLURM_CLUSTERS", "clusters", LK_GIVES_VALUE },
  { "SBATCH_CONSTRAINT", "constraint", LK_GIVES_VALUE },
  { "SBATCH_CONTAINER", "container", LK_GIVES_VALUE },
  { "SBATCH_CORE_SPEC", "core-spec", LK_GIVES_VALUE },
  { "SBATCH_CPUS_PER_GPU", "cpus-per-gpu", LK_GIVES_VALUE },
  { "SBATCH_DEBUG", "verbose", LK_GIVES_COUNT },
  { "SBATCH_DELAY_BOOT", "delay-boot", LK_GIVES_VALUE },
  { "SBATCH_DISTRIBUTION", "distribution", LK_GIVES_VALUE },
  { "SBATCH_ERROR", "error", LK_GIVES_VALUE },
  { "SBATCH_EXCLUSIVE", "exclusive", LK_GIVES_EITHER },
  { "SBATCH_EXPORT", "export", LK_GIVES_VALUE },
  { "SBATCH_GET_USER_ENV", "get-user-env", LK_GIVES_EITHER },
  { "SBATCH_GPUS", "gpus", LK_GIVES_VALUE },
  { "SBATCH_GPUS_PER_NODE", "gpus-per-node", LK_GIVES_VALUE },
  { "SBATCH_GPUS_PER_TASK", "gpus-per-task", LK_GIVES_VALUE },
  { "SBATCH_GPU_BIND", "gpu-bind", LK_GIVES_VALUE },
  { "SBATCH_GPU_FREQ", "gpu-freq", LK_GIVES_VALUE },
  { "SBATCH_GRES", "gres", LK_GIVES_VALUE },
  { "SBATCH_GRES_FLAGS", "gres-flags", LK_GIVES_VALUE },
  { "SLURM_HINT", "hint", LK_GIVES_VALUE },
  { "SBATCH_HINT", "hint", LK_GIVES_VALUE },
  { "SBATCH_IGNORE_PBS", "ignore-pbs", LK_GIVES_FLAG },
  { "SBATCH_INPUT", "input", LK_GIVES_VALUE },
  { "SBATCH_JOB_NAME", "job-name", LK_GIVES_VALUE },
  { "SBATCH_MEM_BIND", "mem-bind", LK_GIVES_VALUE },
  { "SBATCH_MEM_PER_CPU", "mem-per-cpu", LK_GIVES_VALUE },
  { "SBATCH_MEM_PER_GPU", "mem-per-gpu", LK_GIVES_VALUE },
  { "SBATCH_MEM_PER_NODE", "mem", LK_GIVES_VALUE },
  { "SBATCH_NETWORK", "network", LK_GIVES_VALUE },
  { "SBATCH_NO_KILL", "no-kill", LK_GIVES_EITHER },
  { "SBATCH_NO_REQUEUE", "no-requeue", LK_GIVES_FLAG },
  { "SBATCH_OPEN_MODE", "open-mode", LK_GIVES_VALUE },
  { "SBATCH_OUTPUT", "output", LK_GIVES_VALUE },
  { "SBATCH_OVERCOMMIT", "overcommit", LK_GIVES_FLAG },
  { "SBATCH_PARTITION", "partition", LK_GIVES_VALUE },
  { "SBATCH_POWER", "power", LK_GIVES_VALUE },
  { "SBATCH_PROFILE", "profile", LK_GIVES_VALUE },
  { "SBATCH_QOS", "qos", LK_GIVES_VALUE },
  { "SBATCH_REQ_SWITCH", "switches", LK_GIVES_PART },
  { "SBATCH_REQUEUE", "requeue", LK_GIVES_FLAG },
  { "SBATCH_RESERVATION", "reservation", LK_GIVES_VALUE },
  { "SBATCH_SIGNAL", "signal", LK_GIVES_VALUE },
  { "SBATCH_SPREAD_JOB", "spread-job", LK_GIVES_FLAG },
  { "SBATCH_THREADS_PER_CORE", "threads-per-core", LK_GIVES_VALUE },
  { "SBATCH_THREAD_SPEC", "thread-spec", LK_GIVES_VALUE },
  { "SBATCH_TIMELIMIT", "time", LK_GIVES_VALUE },
  { "SBATCH_TRES_PER_TASK", "tres-per-task", LK_GIVES_VALUE },
  { "SBATCH_USE_MIN_NODES", "use-min-nodes", LK_GIVES_FLAG },
  { "SBATCH_WAIT", "wait", LK_GIVES_FLAG },
  { "SBATCH_WAIT4SWITCH", "switches", LK_GIVES_PART },
  { "SBATCH_WAIT_ALL_NODES", "wait-all-nodes", LK_GIVES_VALUE },
  { "SBATCH_WCKEY", "wckey", LK_GIVES_VALUE },
};

void
lk_sbatch_variables_begin (LkClient *client)
{
  client->variables = variables;
  client->variable_count = G_N_ELEMENTS (variables);
}

void
lk_sbatch_variables_markdown (GString *out)
{
  lk_option_variables_markdown (variables, G_N_ELEMENTS (variables), out);
}

void
lk_sbatch_plane_fill (const LkClient *client, GPtrArray *words)
{
  const char *size = lk_client_variable (client, "SLURM_DIST_PLANESIZE");
  for (guint i = 0; size != NULL && *size != '\0' && i < words->len; i++) {
    char **word = (char **)&g_ptr_array_index (words, i);
    if (g_ascii_strcasecmp (*word, "--distribution=plane") != 0)
      continue;
    g_free (*word);
    *word = g_strconcat ("--distribution=plane=", size, NULL);
  }
}

void
lk_sbatch_variables (const LkClient *client, GPtrArray *words)
{
  for (guint i = 0; i < client->variable_count; i++) {
    const LkOptionVariable *at = &client->variables[i];
    const char *value = lk_client_variable (client, at->variable);
    guint count = lk_option_variable_count (at, value);
    for (; count > 0; count--)
      g_ptr_array_add (words, lk_option_variable_has_value (at, value)
                                  ? g_strdup_printf ("--%s=%s", at->option, value)
                                  : g_strdup_printf ("--%s", at->option));
  }
  g_autofree char *switches = lk_option_switches (client);
  if (switches != NULL)
    g_ptr_array_add (words, g_strdup_printf ("--switches=%s", switches));
}

/* ---------------------------------------------------------------- out */

/* What a job around us was told about itself is not true of the new one. */
static gboolean
is_of_other_job (const char *variable)
{
  static const char *const beginnings[] = {
    "SLURM_JOB_",         "SLURM_JOBID=",      "SLURM_ARRAY_",
    "SLURM_STEP",         "SLURM_TASK",        "SLURM_PROCID=",
    "SLURM_LOCALID=",     "SLURM_NODEID=",     "SLURMD_",
    "SLURM_NODELIST=",    "SLURM_NNODES=",     "SLURM_NTASKS",
    "SLURM_NPROCS=",      "SLURM_CPUS_ON_",    "SLURM_CPUS_PER_",
    "SLURM_GTIDS=",       "SLURM_MEM_PER_",    "SLURM_GPUS",
    "SLURM_HET_",         "SLURM_RESTART_",    "SLURM_SUBMIT_",
    "SLURM_THREADS_PER_", "SLURM_SCRIPT_",     "SLURM_TOPOLOGY_",
    "SLURM_EXPORT_ENV=",  "SLURM_OVERCOMMIT=", "SLURM_DIST_PLANESIZE=",
  };
  for (guint i = 0; i < G_N_ELEMENTS (beginnings); i++)
    if (g_str_has_prefix (variable, beginnings[i]))
      return TRUE;
  const char *group = strstr (variable, "_HET_GROUP_");
  return g_str_has_prefix (variable, "SLURM_") && group != NULL && group < strchr (variable, '=');
}

/* A list of NAME=VALUE, in which the last of a name counts. */
typedef struct {
  GPtrArray *list;
} Variables;

static void
put (Variables *self, const char *text)
{
  gsize name_bytes = strcspn (text, "=");
  for (guint i = 0; i < self->list->len; i++) {
    char **known = (char **)&g_ptr_array_index (self->list, i);
    if (strncmp (*known, text, name_bytes + 1) != 0)
      continue;
    g_free (*known);
    *known = g_strdup (text);
    return;
  }
  g_ptr_array_add (self->list, g_strdup (text));
}

static void put_format (Variables *self, const char *name, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static void
put_format (Variables *self, const char *name, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *value = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_autofree char *text = g_strdup_printf ("%s=%s", name, value);
  put (self, text);
}

static void
put_all (Variables *self, const LkClient *client)
{
  for (char **at = client->environment; at != NULL && *at != NULL; at++)
    if (strchr (*at, '=') != NULL && **at != '=' && !is_of_other_job (*at))
      g_ptr_array_add (self->list, g_strdup (*at));
}

/* All of ours that begin like that. */
static void
put_beginning (Variables *self, const LkClient *client, const char *beginning)
{
  for (char **at = client->environment; at != NULL && *at != NULL; at++)
    if (g_str_has_prefix (*at, beginning) && !is_of_other_job (*at))
      put (self, *at);
}

/* "A,B=x": a comma in quotes does not end a value. Returns: (transfer full). */
static char **
export_split (const char *list)
{
  GPtrArray *words = g_ptr_array_new ();
  GString *word = g_string_new (NULL);
  char quote = '\0';
  for (const char *at = list;; at++) {
    if (*at == '\0' || (*at == ',' && quote == '\0')) {
      if (word->len > 0)
        g_ptr_array_add (words, g_strdup (word->str));
      g_string_truncate (word, 0);
      if (*at == '\0')
        break;
    } else if (quote != '\0' ? *at == quote : *at == '"' || *at == '\'') {
      quote = quote != '\0' ? '\0' : *at;
    } else {
      g_string_append_c (word, *at);
    }
  }
  g_string_free (word, TRUE);
  g_ptr_array_add (words, NULL);
  return (char **)g_ptr_array_free (words, FALSE);
}

static void
put_named (Variables *self, const LkClient *client, char *const *words)
{
  for (guint i = 0; words[i] != NULL; i++) {
    const char *value = lk_client_variable (client, words[i]);
    if (strchr (words[i], '=') != NULL)
      put (self, words[i]);
    else if (value != NULL)
      put_format (self, words[i], "%s", value);
  }
}

/* --export-file: NAME=VALUE, each ended by a NUL; a number is an open file. */
static gboolean
put_file (Variables *self, const LkClient *client, const char *name)
{
  gsize length_bytes;
  g_autofree char *bytes = NULL;
  gboolean is_number = *name != '\0' && strspn (name, "0123456789") == strlen (name);
  g_autofree char *path = is_number ? g_strdup_printf ("/dev/fd/%s", name) : g_strdup (name);
  if (!g_file_get_contents (path, &bytes, &length_bytes, NULL)) {
    lk_client_error (client, "Unable to open environment file %s", name);
    return FALSE;
  }
  for (gsize at = 0; at < length_bytes; at += strlen (bytes + at) + 1)
    if (strchr (bytes + at, '=') != NULL && bytes[at] != '=')
      put (self, bytes + at);
  return TRUE;
}

/* ---------------------------------------------------------------- of options */

static void
put_option (Variables *self, const LkSbatch *sbatch, const char *option, const char *variable)
{
  const char *value = lk_sbatch_value (sbatch, option);
  if (value != NULL && *value != '\0')
    put_format (self, variable, "%s", value);
}

static void
put_memory (Variables *self, const LkSbatch *sbatch, const char *option, const char *variable)
{
  const char *value = lk_sbatch_value (sbatch, option);
  gint64 bytes;
  if (value != NULL && lk_job_size_parse (value, &bytes))
    put_format (self, variable, "%" G_GINT64_FORMAT, bytes / (1024 * 1024));
}

/* With what "*" stands for; the size of a plane apart. */
static void
put_distribution (Variables *self, const LkSbatch *sbatch)
{
  const char *value = lk_sbatch_value (sbatch, "distribution");
  if (value == NULL || *value == '\0')
    return;
  g_autofree char *lower = g_ascii_strdown (value, -1);
  gsize length = strcspn (lower, ",");
  g_autofree char *layout = g_strndup (lower, length);
  g_auto (GStrv) methods = g_strsplit (layout, ":", -1);
  if (g_str_has_prefix (layout, "plane=")) {
    put_format (self, "SLURM_DISTRIBUTION", "plane");
    put_format (self, "SLURM_DIST_PLANESIZE", "%s", layout + strlen ("plane="));
    return;
  }
  for (guint i = 0; methods[i] != NULL; i++)
    if (strcmp (methods[i], "*") == 0) {
      g_free (methods[i]);
      methods[i] = g_strdup (i == 0 ? "block" : i == 1 ? "cyclic" : methods[1]);
    }
  g_autofree char *told = g_strjoinv (":", methods);
  put_format (self, "SLURM_DISTRIBUTION", "%s%s", told, lower + length);
}

static void
put_mem_bind (Variables *self, const LkSbatch *sbatch)
{
  LkMemBind bind;
  g_autoptr (GPtrArray) told = g_ptr_array_new_with_free_func (g_free);
  if (!lk_sbatch_mem_bind (sbatch, &bind))
    return;
  lk_mem_bind_variables (&bind, /* is_task= */ FALSE, told);
  for (guint i = 0; i < told->len; i++)
    put (self, g_ptr_array_index (told, i));
  lk_mem_bind_clear (&bind);
}

/* What the script is told of what was asked for. */
static void
put_options (Variables *self, const LkSbatch *sbatch)
{
  static const struct {
    const char *option;
    const char *variable;
  } told[] = {
    { "cpus-per-task", "SLURM_CPUS_PER_TASK" },
    { "cpus-per-gpu", "SLURM_CPUS_PER_GPU" },
    { "ntasks-per-node", "SLURM_NTASKS_PER_NODE" },
    { "ntasks-per-socket", "SLURM_NTASKS_PER_SOCKET" },
    { "ntasks-per-gpu", "SLURM_NTASKS_PER_GPU" },
    { "threads-per-core", "SLURM_THREADS_PER_CORE" },
    { "gpus", "SLURM_GPUS" },
    { "gpus-per-node", "SLURM_GPUS_PER_NODE" },
    { "gpus-per-socket", "SLURM_GPUS_PER_SOCKET" },
    { "gpus-per-task", "SLURM_GPUS_PER_TASK" },
    { "dependency", "SLURM_JOB_DEPENDENCY" },
    { "wckey", "SLURM_WCKEY" },
    { "profile", "SLURM_PROFILE" },
    { "gpu-bind", "SLURM_GPU_BIND" },
    { "gpu-freq", "SLURM_GPU_FREQ" },
    { "network", "SLURM_NETWORK" },
    { "hint", "SLURM_HINT" },
  };
  guint32 tasks = g_array_index (sbatch->options, LkJobOptions, 0).tasks;
  if (tasks > 0) {
    put_format (self, "SLURM_NTASKS", "%u", tasks);
    put_format (self, "SLURM_NPROCS", "%u", tasks);
  }
  for (guint i = 0; i < G_N_ELEMENTS (told); i++)
    put_option (self, sbatch, told[i].option, told[i].variable);
  put_distribution (self, sbatch);
  put_mem_bind (self, sbatch);
  if (lk_sbatch_value (sbatch, "overcommit") != NULL)
    put_format (self, "SLURM_OVERCOMMIT", "1");
  /* So that files of its steps are not cut short when it is run again. */
  const char *open_mode = lk_sbatch_value (sbatch, "open-mode");
  if (open_mode != NULL)
    put_format (self, "SLURM_OPEN_MODE", "%.1s", open_mode);
  put_memory (self, sbatch, "mem", "SLURM_MEM_PER_NODE");
  put_memory (self, sbatch, "mem-per-cpu", "SLURM_MEM_PER_CPU");
  put_memory (self, sbatch, "mem-per-gpu", "SLURM_MEM_PER_GPU");
}

guint16
lk_sbatch_umask (const LkClient *client)
{
  guint16 given;
  if (lk_option_umask_parse (client, &given) && given != LK_OPTION_UMASK_NONE)
    return given;
  mode_t mask = umask (0);
  umask (mask);
  return (guint16)mask;
}

static void
put_submission (Variables *self, const LkSbatch *sbatch)
{
  const LkClient *client = sbatch->client;
  put_format (self, "SLURM_SUBMIT_DIR", "%s", client->work_dir);
  put_format (self, "SLURM_SUBMIT_HOST", "%s", client->host);
  put_format (self, "SLURM_PRIO_PROCESS", "0");
  put_format (self, "SLURM_UMASK", "%04o", (guint)lk_sbatch_umask (client));
  put_options (self, sbatch);
}

/* ---------------------------------------------------------------- --export */

static gboolean
has_word (char *const *words, const char *word)
{
  for (guint i = 0; words[i] != NULL; i++)
    if (g_ascii_strcasecmp (words[i], word) == 0)
      return TRUE;
  return FALSE;
}

/* Drops the words ALL. */
static void
words_without_all (char **words)
{
  guint kept = 0;
  for (guint i = 0; words[i] != NULL; i++)
    if (g_ascii_strcasecmp (words[i], "ALL") == 0)
      g_free (words[i]);
    else
      words[kept++] = words[i];
  words[kept] = NULL;
}

static LkBatchExport
export_fill (Variables *self, const LkSbatch *sbatch, const char *given)
{
  const LkClient *client = sbatch->client;
  g_auto (GStrv) words = export_split (given != NULL ? given : "ALL");
  if (has_word (words, "NIL") || has_word (words, "NONE")) {
    gboolean is_nil = has_word (words, "NIL");
    if (!is_nil)
      put_beginning (self, client, "SLURM_");
    put_beginning (self, client, "SPANK_");
    return is_nil ? LK_BATCH_EXPORT_NIL : LK_BATCH_EXPORT_NONE;
  }
  if (has_word (words, "ALL"))
    put_all (self, client);
  else
    put_beginning (self, client, "SLURM_");
  words_without_all (words);
  put_named (self, client, words);
  return LK_BATCH_EXPORT_ALL;
}

/* What plugins say of the job, whatever else is sent, and nothing that was said of another one. */
static void
put_plugins (Variables *self, const LkClient *client)
{
  if (client->spank == NULL)
    return;
  for (guint i = self->list->len; i-- > 0;)
    if (g_str_has_prefix (g_ptr_array_index (self->list, i), LK_SPANK_JOB_PREFIX))
      g_ptr_array_remove_index (self->list, i);
  g_autoptr (GPtrArray) said = lk_spank_job_variables (client->spank);
  for (guint i = 0; i < said->len; i++)
    put (self, g_ptr_array_index (said, i));
}

gboolean
lk_sbatch_environment (const LkSbatch *self, LkBatchExport *out_mode, GByteArray *out_environment)
{
  const char *file = lk_sbatch_value (self, "export-file");
  const char *given = lk_sbatch_value (self, "export");
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_free);
  Variables variables_out = { list };
  /* A file alone says all that is sent. */
  *out_mode = file != NULL && given == NULL ? LK_BATCH_EXPORT_ALL
                                            : export_fill (&variables_out, self, given);
  if (*out_mode == LK_BATCH_EXPORT_ALL && lk_sbatch_value (self, "get-user-env") != NULL)
    *out_mode = LK_BATCH_EXPORT_LOGIN;
  if (file != NULL && !put_file (&variables_out, self->client, file))
    return FALSE;
  if (given != NULL && !self->hides_export)
    put_format (&variables_out, "SLURM_EXPORT_ENV", "%s", given);
  put_submission (&variables_out, self);
  put_plugins (&variables_out, self->client);
  for (guint i = 0; i < list->len; i++)
    lk_strings_append (out_environment, g_ptr_array_index (list, i));
  return TRUE;
}
