/* sim/slurm_state/job.c — see job.h.
 *
 * Source: slurm_sprint_job_info of Slurm 22.05 and 26.05; scontrol(1). */
#include "sim/slurm_state/job.h"

#include <string.h>

#include "engine/hostlist.h"
#include "engine/policy.h"
#include "engine/request_cpus.h"
#include "sim/slurm_state/told.h"
#include "traces/job_values.h"

static const char *const no_jobs[] = { "No jobs in the system", NULL };
static const char *const of_nodes[] = { "Nodes", "CPU_IDs", "Mem", "GRES", NULL };
const LkStateKind lk_state_job_kind = { "JobId", "Command", no_jobs, of_nodes };

/* One job while it is read. */
typedef struct {
  LkStateJob *job;
  const LkStateRecord *record;
  const LkStateFolder *folder;
  GStringChunk *texts;
} Reading;

/* Text that lives as long as the job. */
static const char *
keep (const Reading *self, const char *text)
{
  return g_string_chunk_insert_const (self->texts, text);
}

/* ---------------------------------------------------------------- who, when, in which state */

/* "alice(6001)". */
static gboolean
owner_read (const Reading *self, const char *key, const char **out_name, guint32 *out_id,
            GError **error)
{
  guint64 number = 0;
  const char *value = lk_state_record_value (self->record, key);
  const char *open = value != NULL ? strrchr (value, '(') : NULL;
  g_autofree char *digits = open != NULL ? g_strndup (open + 1, strcspn (open + 1, ")")) : NULL;
  if (digits == NULL || open == value
      || !g_ascii_string_to_unsigned (digits, 10, 0, G_MAXUINT32, &number, NULL))
    return lk_state_record_fail (self->record, key, "NAME(NUMBER)", error);
  g_autofree char *name = g_strndup (value, (gsize)(open - value));
  *out_name = keep (self, name);
  *out_id = (guint32)number;
  return TRUE;
}

static gboolean
identity_read (const Reading *self, GError **error)
{
  LkStateJob *job = self->job;
  const char *user = NULL;
  const char *group = NULL;
  if (!lk_state_record_count (self->record, "JobId", &job->id, error)
      || !lk_state_record_count (self->record, "ArrayJobId", &job->array_id, error)
      || !lk_state_record_count (self->record, "HetJobId", &job->het_id, error)
      || !lk_state_record_count (self->record, "HetJobOffset", &job->terms.het_offset, error)
      || !lk_state_record_count (self->record, "Priority", &job->priority, error)
      || !owner_read (self, "UserId", &user, &job->user_id, error)
      || !owner_read (self, "GroupId", &group, &job->group_id, error))
    return FALSE;
  if (job->id == 0)
    return lk_state_record_fail (self->record, "JobId", "a number above 0", error);
  const char *account = lk_state_record_value (self->record, "Account");
  const char *qos = lk_state_record_value (self->record, "QOS");
  const char *partition = lk_state_record_value (self->record, "Partition");
  const char *name = lk_state_record_text (self->record, "JobName");
  const char *comment = lk_state_record_value (self->record, "Comment");
  g_autofree char *low_user = g_ascii_strdown (user, -1);
  g_autofree char *low_account = account != NULL ? g_ascii_strdown (account, -1) : NULL;
  g_autofree char *low_qos = qos != NULL ? g_ascii_strdown (qos, -1) : NULL;
  job->request.user = lk_text (keep (self, low_user));
  job->request.group = lk_text (group);
  job->request.account = lk_text (low_account != NULL ? keep (self, low_account) : "");
  job->request.qos = lk_text (low_qos != NULL ? keep (self, low_qos) : "");
  job->request.partition = lk_text (partition != NULL ? keep (self, partition) : "");
  job->terms.name = lk_text (name != NULL ? keep (self, name) : "");
  job->terms.comment = lk_text (comment != NULL ? keep (self, comment) : "");
  return TRUE;
}

static gboolean
times_read (const Reading *self, GError **error)
{
  LkStateJob *job = self->job;
  GTimeZone *zone = self->folder->zone;
  gint64 eligible_us = 0;
  const gint64 now_us = self->folder->collected_us;
  job->submit_us = job->start_us = job->suspend_us = -1;
  job->limit_us = 0;
  if (!lk_state_record_moment (self->record, "SubmitTime", zone, &job->submit_us, error)
      || !lk_state_record_moment (self->record, "StartTime", zone, &job->start_us, error)
      || !lk_state_record_moment (self->record, "SuspendTime", zone, &job->suspend_us, error)
      || !lk_state_record_moment (self->record, "EligibleTime", zone, &eligible_us, error)
      || !lk_state_record_moment (self->record, "Deadline", zone, &job->terms.deadline_us, error)
      || !lk_state_record_span (self->record, "TimeMin", &job->terms.time_min_us, error))
    return FALSE;
  if (job->submit_us < 0 || job->submit_us > now_us)
    return lk_state_record_fail (self->record, "SubmitTime", "a moment before the collection",
                                 error);
  /* A begin time counts as long as it is ahead; since when the job ages is the same moment. */
  if (eligible_us > job->submit_us)
    job->terms.begin_us = eligible_us;
  const char *limit = lk_state_record_value (self->record, "TimeLimit");
  if (limit != NULL && strcmp (limit, "Partition_Limit") == 0)
    return TRUE;
  return lk_state_record_span (self->record, "TimeLimit", &job->limit_us, error);
}

static gboolean
is_held_for (const char *reason)
{
  static const char *const reasons[] = { "JobHeldAdmin",       "JobHoldMaxRequeue",
                                         "RequeueHold",        "launch_failed_requeued_held",
                                         "SPECIAL_EXIT",       "JobLaunchFailure",
                                         "ReservationDeleted", NULL };
  return g_strv_contains (reasons, reason);
}

static void
held_find (const Reading *self, const char *reason)
{
  const char *priority = lk_state_record_text (self->record, "Priority");
  if (reason == NULL || g_strcmp0 (priority, "0") != 0)
    return;
  if (strcmp (reason, "JobHeldUser") == 0)
    self->job->held = LK_STATE_HELD_BY_USER;
  else if (is_held_for (reason))
    self->job->held = LK_STATE_HELD_BY_ADMIN;
}

static gboolean
state_read (const Reading *self, GError **error)
{
  static const char *const over[] = { "COMPLETED",     "CANCELLED",  "FAILED",    "TIMEOUT",
                                      "NODE_FAIL",     "PREEMPTED",  "BOOT_FAIL", "DEADLINE",
                                      "OUT_OF_MEMORY", "COMPLETING", "REVOKED",   NULL };
  static const char *const runs[] = { "RUNNING",   "CONFIGURING", "STAGE_OUT", "STOPPED",
                                      "SIGNALING", "RESIZING",    NULL };
  static const char *const waits[] = { "PENDING", "REQUEUED", "REQUEUE_FED", NULL };
  static const char *const kept[] = { "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD", NULL };
  LkStateJob *job = self->job;
  const char *state = lk_state_record_value (self->record, "JobState");
  g_autofree char *first =
      g_strndup (state != NULL ? state : "", strcspn (state ? state : "", "+,"));
  if (g_strv_contains (over, first))
    job->phase = LK_STATE_JOB_OVER;
  else if (strcmp (first, "SUSPENDED") == 0)
    job->phase = LK_STATE_JOB_SUSPENDED;
  else if (g_strv_contains (runs, first))
    job->phase = LK_STATE_JOB_RUNNING;
  else if (g_strv_contains (waits, first) || g_strv_contains (kept, first))
    job->phase = LK_STATE_JOB_PENDING;
  else
    return lk_state_record_fail (self->record, "JobState", "a state such as PENDING or RUNNING",
                                 error);
  if (g_strv_contains (kept, first))
    job->held = LK_STATE_HELD_BY_ADMIN;
  else if (job->phase == LK_STATE_JOB_PENDING)
    held_find (self, lk_state_record_value (self->record, "Reason"));
  return TRUE;
}

/* ---------------------------------------------------------------- what it asks for */

/* How many nodes a job asks for at least, by what is counted for it; 0 where that is not told. */
static guint32
nodes_counted (const Reading *self)
{
  guint64 number = 0;
  const char *value = lk_state_record_text (self->record, "ReqTRES");
  if (value == NULL)
    value = lk_state_record_text (self->record, "TRES");
  g_auto (GStrv) pairs = g_strsplit (value != NULL ? value : "", ",", -1);
  for (guint i = 0; pairs[i] != NULL; i++)
    if (g_str_has_prefix (pairs[i], "node=")
        && !g_ascii_string_to_unsigned (pairs[i] + strlen ("node="), 10, 0, G_MAXUINT32, &number,
                                        NULL))
      return 0;
  return (guint32)number;
}

static gboolean
nodes_read (const Reading *self, GError **error)
{
  LkStateJob *job = self->job;
  guint32 fewest = 0;
  guint32 most = 0;
  const char *value = lk_state_record_value (self->record, "NumNodes");
  gboolean is_range = value != NULL && strchr (value, '-') != NULL;
  if (value != NULL && !lk_job_nodes_parse (value, &fewest, &most))
    return lk_state_record_fail (self->record, "NumNodes", LK_JOB_NODES_EXPECTED, error);
  job->request.nodes_min = fewest;
  job->request.nodes_max = is_range ? most : 0;
  if (job->phase == LK_STATE_JOB_PENDING) {
    /* Of a job that waits, a single number is what Slurm thinks that its tasks will take. */
    guint32 counted = nodes_counted (self);
    if (!is_range && counted > 0 && counted < fewest)
      job->request.nodes_min = counted;
    return TRUE;
  }
  job->nodes = lk_state_record_value (self->record, "NodeList");
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (job->nodes == NULL || !lk_hostlist_expand (job->nodes, strlen (job->nodes), names, NULL)
      || names->len != fewest)
    return lk_state_record_fail (self->record, "NodeList", "as many nodes as NumNodes says", error);
  job->node_count = names->len;
  job->request.nodes_max = names->len;
  return TRUE;
}

/* "B:S:C:T", where * is no limit: the number at a place. */
static gboolean
layout_read (const Reading *self, const char *key, guint at, guint32 *out_count, GError **error)
{
  guint64 number = 0;
  const char *value = lk_state_record_text (self->record, key);
  if (value == NULL)
    return TRUE;
  g_auto (GStrv) parts = g_strsplit (value, ":", -1);
  if (g_strv_length (parts) != 4)
    return lk_state_record_fail (self->record, key, "four numbers or *, with : between", error);
  if (strcmp (parts[at], "*") == 0)
    return TRUE;
  if (!g_ascii_string_to_unsigned (parts[at], 10, 0, G_MAXUINT16, &number, NULL))
    return lk_state_record_fail (self->record, key, "four numbers or *, with : between", error);
  *out_count = (guint32)number;
  return TRUE;
}

static gboolean
tasks_read (const Reading *self, GError **error)
{
  LkJobRequest *request = &self->job->request;
  const LkStateRecord *record = self->record;
  guint32 per_board = 0;
  guint32 cpus_told = 0;
  if (!lk_state_record_count (record, "NumTasks", &request->tasks, error)
      || !lk_state_record_count (record, "CPUs/Task", &request->cpus_per_task, error)
      || !lk_state_record_count (record, "NumCPUs", &cpus_told, error)
      || !lk_state_record_count (record, "MinCPUsNode", &request->cpus_per_node_min, error)
      || !lk_state_record_count (record, "Socks/Node", &request->sockets_per_node_min, error)
      || !layout_read (self, "ReqB:S:C:T", 2, &request->cores_per_socket_min, error)
      || !layout_read (self, "ReqB:S:C:T", 3, &request->threads_per_core, error)
      || !layout_read (self, "NtasksPerN:B:S:C", 0, &request->tasks_per_node, error)
      || !layout_read (self, "NtasksPerN:B:S:C", 1, &per_board, error)
      || !layout_read (self, "NtasksPerN:B:S:C", 2, &request->tasks_per_socket, error))
    return FALSE;
  if (cpus_told == 0)
    return lk_state_record_fail (record, "NumCPUs", "a number above 0", error);
  self->job->cpu_count = cpus_told;
  /* One CPU is what a task gets that does not ask. */
  request->cpus_per_task = request->cpus_per_task == 1 ? 0 : request->cpus_per_task;
  if (per_board > 0)
    lk_told_pair (self->folder->told, record, "NtasksPerN:B:S:C", LK_SLURM_IGNORED,
                  "tasks for each board are not limited here");
  return TRUE;
}

/* "500M", "62.50G": MiB without a unit. */
static gboolean
memory_read (const Reading *self, const char *key, gint64 *out_bytes, GError **error)
{
  char *end = NULL;
  const char *value = lk_state_record_value (self->record, key);
  if (value == NULL)
    return TRUE;
  double number = g_ascii_strtod (value, &end);
  static const char units[] = "MGTP";
  const char *unit = *end != '\0' ? strchr (units, *end) : units;
  if (end == value || unit == NULL || (*end != '\0' && end[1] != '\0') || number < 0
      || number > 1e9)
    return lk_state_record_fail (self->record, key, "a size such as 500M", error);
  double mib = number;
  for (const char *at = units; at < unit; at++)
    mib *= 1024;
  /* Slurm cuts what it prints at two digits. */
  if (strchr (value, '.') != NULL)
    lk_told_pair (self->folder->told, self->record, key, LK_SLURM_APPROXIMATED,
                  "Slurm rounds what it prints: whole MiB of it are taken");
  *out_bytes = (gint64)mib * 1024 * 1024;
  return TRUE;
}

/* `present` bits of LkJobRequest. */
enum { HAS_PER_NODE = 1, HAS_PER_CPU = 2, HAS_PER_GPU = 4 };

static gboolean
sizes_read (const Reading *self, GError **error)
{
  LkJobRequest *request = &self->job->request;
  gint64 per_node = 0;
  gint64 per_cpu = 0;
  if (!memory_read (self, "MinMemoryNode", &per_node, error)
      || !memory_read (self, "MinMemoryCPU", &per_cpu, error)
      || !memory_read (self, "MinTmpDiskNode", &request->tmp_per_node_bytes, error))
    return FALSE;
  if (per_node > 0) {
    request->present |= HAS_PER_NODE;
    request->memory_per_node_bytes = per_node;
  } else if (per_cpu > 0) {
    request->present |= HAS_PER_CPU;
    request->memory_per_cpu_bytes = per_cpu;
  }
  return TRUE;
}

/* A list of generic resources, as 22.05 (gres:gpu:2) and 26.05 (gres/gpu:2) write it; with `name`
 * only of what is called so, and without the name. */
static gboolean
gres_read (const Reading *self, const char *key, const char *name, LkText *out_text, GError **error)
{
  const char *value = lk_state_record_value (self->record, key);
  if (value == NULL)
    return TRUE;
  g_autofree char *plain = g_strdelimit (g_strdup (value), "=", ':');
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (LkJobGres));
  g_autoptr (GString) text = g_string_new (NULL);
  if (!lk_job_gres_parse (plain, NULL, list))
    return lk_state_record_fail (self->record, key, "a list such as gres/gpu:2", error);
  for (guint i = list->len; name != NULL && i > 0; i--) {
    const LkJobGres *item = &g_array_index (list, LkJobGres, i - 1);
    if (strlen (name) == item->name_bytes && strncmp (item->name, name, item->name_bytes) == 0)
      continue;
    lk_told_pair (self->folder->told, self->record, key, LK_SLURM_IGNORED,
                  "only gpu is asked for by task, socket or job here");
    g_array_remove_index (list, i - 1);
  }
  lk_job_gres_format (list, /* with_names= */ name == NULL, text);
  *out_text = lk_text (keep (self, text->str));
  return TRUE;
}

/* "cpu=2,gres/gpu=1", "cpu:2,gres/gpu:1": GPUs for each task; CPUs stand elsewhere too. */
static gboolean
per_task_read (const Reading *self, GError **error)
{
  const char *value = lk_state_record_value (self->record, "TresPerTask");
  if (value == NULL || strstr (value, "gpu") == NULL)
    return TRUE;
  const char *gpu = strstr (value, "gpu");
  g_autofree char *list = g_strdelimit (g_strdup (gpu + 3), "=", ':');
  g_autoptr (GArray) parsed = g_array_new (FALSE, FALSE, sizeof (LkJobGres));
  g_autoptr (GString) text = g_string_new (NULL);
  if (strchr (list, ',') != NULL
      || !lk_job_gres_parse (list[0] == ':' ? list + 1 : "1", "gpu", parsed))
    return lk_state_record_fail (self->record, "TresPerTask", "cpu=N,gres/gpu=N", error);
  lk_job_gres_format (parsed, /* with_names= */ FALSE, text);
  self->job->request.gpus_per_task = lk_text (keep (self, text->str));
  return TRUE;
}

/* The number of "gres:gpu:4", "gpu:4" or "gres/gpu:4". */
static gboolean
per_gpu_read (const Reading *self, const char *key, guint32 *out_count, GError **error)
{
  guint64 number = 0;
  const char *value = lk_state_record_value (self->record, key);
  const char *last = value != NULL ? strrchr (value, ':') : NULL;
  if (value == NULL)
    return TRUE;
  if (strstr (value, "gpu") == NULL || last == NULL || strchr (value, ',') != NULL
      || !g_ascii_string_to_unsigned (last + 1, 10, 1, G_MAXUINT32, &number, NULL))
    return lk_state_record_fail (self->record, key, "a list such as gpu:4", error);
  *out_count = (guint32)number;
  return TRUE;
}

static gboolean
devices_read (const Reading *self, GError **error)
{
  guint32 mib = 0;
  LkJobRequest *request = &self->job->request;
  if (!gres_read (self, "TresPerNode", NULL, &request->gres, error)
      || !gres_read (self, "TresPerJob", "gpu", &request->gpus, error)
      || !gres_read (self, "TresPerSocket", "gpu", &request->gpus_per_socket, error)
      || !per_task_read (self, error)
      || !per_gpu_read (self, "CpusPerTres", &request->cpus_per_gpu, error)
      || !per_gpu_read (self, "NtasksPerTRES", &request->tasks_per_gpu, error)
      || !per_gpu_read (self, "MemPerTres", &mib, error))
    return FALSE;
  if (mib > 0) {
    request->present = (request->present & ~(guint32)(HAS_PER_NODE | HAS_PER_CPU)) | HAS_PER_GPU;
    request->memory_per_node_bytes = request->memory_per_cpu_bytes = 0;
    request->memory_per_gpu_bytes = (gint64)mib * 1024 * 1024;
  }
  return TRUE;
}

/* Before there was a key for it, OverSubscribe=NO meant that a job has its nodes alone. */
static const char *
exclusive_word (const Reading *self)
{
  const char *alone = lk_state_record_text (self->record, "Exclusive");
  const char *shares = lk_state_record_text (self->record, "OverSubscribe");
  if (alone != NULL)
    return alone;
  return g_strcmp0 (shares, "NO") == 0 ? "NODE" : shares;
}

static void
flags_read (const Reading *self)
{
  const struct {
    const char *key;
    const char *word;
    guint32 flag;
  } rows[] = { { "OverSubscribe", "YES", LK_REQUEST_OVERSUBSCRIBE },
               { "Contiguous", "1", LK_REQUEST_CONTIGUOUS },
               { "Requeue", "0", LK_REQUEST_NO_REQUEUE },
               { "GresEnforceBind", "Yes", LK_REQUEST_ENFORCE_BINDING } };
  guint32 *flags = &self->job->request.flags;
  const char *alone = exclusive_word (self);
  if (g_strcmp0 (alone, "NODE") == 0)
    *flags |= LK_REQUEST_EXCLUSIVE;
  else if (g_strcmp0 (alone, "USER") == 0)
    *flags |= LK_REQUEST_EXCLUSIVE_USER;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_strcmp0 (lk_state_record_text (self->record, rows[i].key), rows[i].word) == 0)
      *flags |= rows[i].flag;
}

/* "2@00:05:00" */
static gboolean
switches_read (const Reading *self, GError **error)
{
  LkJobRequest *request = &self->job->request;
  const char *value = lk_state_record_value (self->record, "Switches");
  if (value == NULL)
    return TRUE;
  g_auto (GStrv) parts = g_strsplit (value, "@", 2);
  if (!lk_job_count_parse (parts[0], &request->switches)
      || (parts[1] != NULL && !lk_job_time_parse (parts[1], &request->switches_wait_us)))
    return lk_state_record_fail (self->record, "Switches", "COUNT@TIME", error);
  return TRUE;
}

static gboolean
words_read (const Reading *self, GError **error)
{
  LkJobRequest *request = &self->job->request;
  const struct {
    const char *key;
    LkText *text;
  } texts[] = { { "Features", &request->constraint },
                { "ReqNodeList", &request->node_list },
                { "ExcNodeList", &request->exclude },
                { "Licenses", &request->licenses } };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    const char *value = lk_state_record_value (self->record, texts[i].key);
    if (value != NULL)
      *texts[i].text = lk_text (keep (self, value));
  }
  const char *nice = lk_state_record_value (self->record, "Nice");
  const char *site = lk_state_record_value (self->record, "SiteFactor");
  if (nice != NULL
      && !g_ascii_string_to_signed (nice, 10, -G_MAXINT32, G_MAXINT32, &request->nice, NULL))
    return lk_state_record_fail (self->record, "Nice", "a whole number", error);
  if (site != NULL
      && !g_ascii_string_to_signed (site, 10, -G_MAXINT32, G_MAXINT32, &request->site_factor, NULL))
    return lk_state_record_fail (self->record, "SiteFactor", "a whole number", error);
  return switches_read (self, error);
}

/* ---------------------------------------------------------------- terms */

/* "afterok:1(unfulfilled),singleton(unfulfilled)" without what is in parentheses; what has failed
 * can never be, and holds the job. */
static void
dependency_read (const Reading *self)
{
  const char *value = lk_state_record_value (self->record, "Dependency");
  g_autoptr (GString) text = g_string_new (NULL);
  guint depth = 0;
  if (value == NULL)
    return;
  for (const char *at = value; *at != '\0'; at++) {
    depth += *at == '(';
    if (depth == 0)
      g_string_append_c (text, *at);
    depth -= *at == ')' && depth > 0;
  }
  if (strstr (value, "(failed)") != NULL) {
    self->job->held = LK_STATE_HELD_BY_ADMIN;
    lk_told_pair (self->folder->told, self->record, "Dependency", LK_SLURM_APPROXIMATED,
                  "it can never be satisfied: the job is held instead");
    return;
  }
  self->job->dependency = keep (self, text->str);
}

static gboolean
array_read (const Reading *self, GError **error)
{
  LkStateJob *job = self->job;
  if (job->array_id == 0)
    return TRUE;
  const char *tasks = lk_state_record_value (self->record, "ArrayTaskId");
  if (tasks == NULL)
    return lk_state_record_fail (self->record, "ArrayTaskId", "a task, or a list of them", error);
  job->tasks = keep (self, tasks);
  job->has_task = strspn (tasks, "0123456789") == strlen (tasks);
  if (!job->has_task && job->phase != LK_STATE_JOB_PENDING)
    return lk_state_record_fail (self->record, "ArrayTaskId", "one task", error);
  return lk_state_record_count (self->record, "ArrayTaskThrottle", &job->throttle, error);
}

/* What would make a difference and cannot be had. */
static void
unsupported_tell (const Reading *self)
{
  static const struct {
    const char *key;
    const char *usual;
    const char *how;
  } rows[] = {
    { "CoreSpec", "*", "cores that a job sets aside for the system are not modelled" },
    { "ThreadSpec", "*", "threads that a job sets aside for the system are not modelled" },
    { "BurstBuffer", "", "burst buffers are not modelled" },
    { "Prefer", "", "features that a job would rather have are not looked at" },
    { "Network", "", "networks are not handed out" },
    { "Reboot", "0", "nodes are not booted for jobs" },
    { "DelayBoot", "00:00:00", "nodes are not booted for jobs" },
    { "ClusterFeatures", "", "there is one cluster" },
    { "Cluster_Features", "", "there is one cluster" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const char *value = lk_state_record_value (self->record, rows[i].key);
    if (value != NULL && strcmp (value, rows[i].usual) != 0)
      lk_told_pair (self->folder->told, self->record, rows[i].key, LK_SLURM_IGNORED, rows[i].how);
  }
}

/* Keys that say nothing that a job could be scheduled by, or that are read above. */
/* clang-format off */
static const char *const known_keys[] = {
  "JobId", "ArrayJobId", "ArrayTaskId", "ArrayTaskThrottle", "JobName", "UserId", "GroupId",
  "MCS_label", "Priority", "Nice", "Account", "QOS", "WCKey", "JobState", "Reason", "Dependency",
  "Requeue", "Restarts", "BatchFlag", "Reboot", "ExitCode", "DerivedExitCode", "RunTime",
  "TimeLimit", "TimeMin", "SubmitTime", "EligibleTime", "AccrueTime", "StartTime", "EndTime",
  "Deadline", "SuspendTime", "SecsPreSuspend", "LastSchedEval", "Scheduler", "Partition",
  "AllocNode:Sid", "ReqNodeList", "ExcNodeList", "NodeList", "SchedNodeList", "BatchHost",
  "NumNodes", "NumCPUs", "NumTasks", "CPUs/Task", "ReqB:S:C:T", "ReqTRES", "AllocTRES", "TRES",
  "Socks/Node", "NtasksPerN:B:S:C", "CoreSpec", "ThreadSpec", "JOB_GRES", "Nodes", "CPU_IDs",
  "Mem", "GRES", "GRES_IDX", "MinCPUsNode", "MinMemoryNode", "MinMemoryCPU", "MinTmpDiskNode",
  "Features", "DelayBoot", "OverSubscribe", "Exclusive", "Contiguous", "Licenses",
  "LicensesAlloc", "Network", "Switches", "Reservation", "SiteFactor", "HetJobId",
  "HetJobOffset", "HetJobIdSet", "PreemptTime", "PreemptEligibleTime", "StartTimeEst",
  "FedOrigin", "NodeListReq", "BurstBuffer", "BurstBufferState", "ClusterFeatures",
  "Cluster_Features", "Power", "Prefer", "TresPerNode", "TresPerJob", "TresPerTask",
  "TresPerSocket", "CpusPerTres", "MemPerTres", "NtasksPerTRES", "TresBind", "TresFreq",
  "OverrideHostList", "ResizingTo", "GresEnforceBind", "SegmentSize", NULL
};
/* clang-format on */

static void
unknown_tell (const Reading *self)
{
  for (guint i = 0; i < self->record->pairs->len; i++) {
    const LkStatePair *pair = g_ptr_array_index (self->record->pairs, i);
    if (strcmp (pair->key, lk_state_job_kind.free_from) == 0)
      return;
    if (!g_strv_contains (known_keys, pair->key))
      lk_told_pair (self->folder->told, self->record, pair->key, LK_SLURM_IGNORED,
                    "no job is known to have this key");
  }
}

gboolean
lk_state_job_read (LkStateJob *self, const LkStateRecord *record, const LkStateFolder *folder,
                   GStringChunk *texts, GError **error)
{
  const Reading reading = { .job = self, .record = record, .folder = folder, .texts = texts };
  *self = (LkStateJob){ .record = record };
  if (!state_read (&reading, error))
    return FALSE;
  if (self->phase == LK_STATE_JOB_OVER)
    return TRUE;
  if (!identity_read (&reading, error) || !times_read (&reading, error)
      || !nodes_read (&reading, error) || !tasks_read (&reading, error)
      || !sizes_read (&reading, error) || !devices_read (&reading, error)
      || !words_read (&reading, error) || !array_read (&reading, error))
    return FALSE;
  if (self->phase != LK_STATE_JOB_PENDING
      && (self->start_us < self->submit_us || self->start_us > folder->collected_us))
    return lk_state_record_fail (record, "StartTime",
                                 "a moment between SubmitTime and the collection", error);
  self->procs = lk_job_request_cpus (&self->request);
  flags_read (&reading);
  dependency_read (&reading);
  self->reservation = lk_state_record_value (record, "Reservation");
  unsupported_tell (&reading);
  unknown_tell (&reading);
  return TRUE;
}
