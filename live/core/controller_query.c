/* live/core/controller_query.c — jobs as clients are told of them, page by page.
 *
 * A page is told when the events that it knows of are durable.  The next one begins where the last
 * has ended, by job id, and is made of the state at that moment: between two pages a job may come
 * or go, but none is told twice. */
#include "live/core/controller_query.h"

#include <string.h>

#include "engine/job_tres.h"

/* One that is longer goes without what was submitted: a message has no room for it. */
#define RECORD_BYTES_MAX (LK_MESSAGE_MAX_BYTES - 4096u)

enum {
  NODE_LIST,
  PARTITIONS,
  TASKS,
  DEPENDENCY,
  PLANNED,
  ASKED_TRES,
  HELD_TRES,
  HELD_GRES,
  GRES_DETAILS
};

void
lk_record_texts_init (LkRecordTexts *self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (self->texts); i++)
    self->texts[i] = g_string_new (NULL);
}

void
lk_record_texts_clear (LkRecordTexts *self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (self->texts); i++)
    g_string_free (self->texts[i], TRUE);
}

static GString *
text_cleared (LkRecordTexts *self, guint which)
{
  return g_string_truncate (self->texts[which], 0);
}

/* ---------------------------------------------------------------- a job */

static void
fill_array (const LkController *self, const LkJobInfo *info, LkRecordTexts *texts,
            LkRecord_job *out)
{
  GString *tasks = text_cleared (texts, TASKS);
  const LkArray *array = info->array_job_id != 0 && info->array_task == LK_TASK_NONE
                             ? lk_engine_array (self->engine, info->array_job_id)
                             : NULL;
  if (array != NULL) {
    lk_task_set_text (&array->waiting, tasks);
    if (array->throttle > 0)
      g_string_append_printf (tasks, "%%%u", array->throttle);
  }
  out->array_job_id = info->array_job_id;
  out->array_task = info->array_task;
  out->array_tasks = (LkLongText){ tasks->str, (guint32)tasks->len };
}

/* Where it runs, or ran. */
static void
fill_run (const LkRun *run, LkRecord_job *out)
{
  out->node_names = lk_query_long_text (run->node_list);
  out->cores = lk_query_long_text (run->cores);
  out->devices = lk_query_long_text (run->gres);
  out->run_id = run->run_id;
  out->derived_exit_code = run->derived_exit_code;
  out->derived_signal = run->derived_signal;
}

/* Its owner has completed it before anything else wanted its end: what is left of it is on its
 * way. */
static gboolean
is_complete (const LkRun *run)
{
  return run->end_seq == 0 && run->leader_seq != 0
         && (run->kill_seq == 0 || run->kill_seq >= run->leader_seq);
}

static void
fill_complete (const LkController *self, const LkRun *run, LkRecord_job *out)
{
  out->state = run->how.exit_code != 0 || run->how.signal != 0 ? LK_JOB_FAILED : LK_JOB_COMPLETED;
  out->exit_code = run->how.exit_code;
  out->signal = run->how.signal;
  out->end_us = self->engine_us;
}

static void
fill_asked (const LkJobRequest *asked, LkRecord_job *out)
{
#define COPY(type, name, help) out->name = asked->name;
  LK_JOB_REQUEST_FIELDS (COPY)
#undef COPY
}

static void
fill_times (const LkController *self, LkJobIndex job, const LkJobShown *shown, LkRecord_job *out)
{
  const LkJobInfo *info = &shown->info;
  out->submit_us = info->submit_us;
  /* What its array keeps back grows older, and is not eligible. */
  out->eligible_us = info->reason == LK_REASON_ARRAY_TASK_LIMIT
                         ? LK_TIME_NEVER
                         : lk_engine_view (self->engine)->jobs->accrue_us[job];
  out->start_us = info->start_us;
  out->end_us = lk_job_end_us (info);
  out->limit_us = info->estimate_us;
  out->deadline_us = info->deadline_us;
  out->suspended_us = info->suspended_us;
  out->suspend_us = info->suspend_us;
  out->is_suspended = info->is_suspended ? 1 : 0;
  out->is_sigstopped = info->is_sigstopped ? 1 : 0;
}

/* Everything but its partitions, reservations and what it waits for. */
static void
fill_job (const LkController *self, LkJobIndex job, LkRecordTexts *texts, LkRecord_job *out)
{
  const LkJobColumns *jobs = lk_engine_view (self->engine)->jobs;
  LkJobShown shown;
  lk_job_shown (self->engine, job, self->engine_us, &shown, text_cleared (texts, NODE_LIST));
  const LkJobInfo *info = &shown.info;
  *out = (LkRecord_job){
    .job_id = info->id,
    .het_leader = info->het_leader,
    .het_offset = info->het_offset,
    .user_id = info->user_id,
    .group_id = info->group_id,
    .user_name = lk_query_text (lk_job_user (self->engine, job)),
    .account_name = lk_query_text (lk_job_account (self->engine, job)),
    .qos_name = lk_query_text (lk_job_qos (self->engine, job)),
    .name = lk_query_text (info->name),
    .comment = lk_query_text (info->comment),
    .state = (guint8)info->state,
    .reason = (guint8)info->reason_shown,
    .has_priority = shown.has_priority ? 1 : 0,
    .priority_now = shown.priority,
    .nodes = shown.nodes,
    .cpus = shown.cpus,
    .restarts = info->restarts,
    .requested_cpus = info->procs,
    .partitions = lk_query_long_text (lk_partition_name (self->engine, jobs->partition[job])),
    .association_id = jobs->association[job] == LK_INDEX_NONE ? 0 : jobs->association[job] + 1,
  };
  fill_array (self, info, texts, out);
  fill_times (self, job, &shown, out);
  fill_asked (&shown.asked, out);
  /* The engine keeps it with the job, for the order, and strips requests of it. */
  out->nice = info->nice;
}

static void
fill_dependency (const LkController *self, LkRecordTexts *texts, LkRecord_job *out)
{
  GString *dependency = text_cleared (texts, DEPENDENCY);
  lk_engine_dependency_text (self->engine, out->job_id, dependency);
  out->dependency_left = (LkLongText){ dependency->str, (guint32)dependency->len };
}

static void
fill_waiting (const LkController *self, LkJobIndex job, LkRecordTexts *texts, LkRecord_job *out)
{
  GString *partitions = text_cleared (texts, PARTITIONS);
  GString *planned = text_cleared (texts, PLANNED);
  lk_job_partitions (self->engine, job, partitions);
  fill_dependency (self, texts, out);
  if (out->start_us != LK_TIME_NEVER)
    lk_job_planned_list (self->engine, job, planned);
  out->partitions = (LkLongText){ partitions->str, (guint32)partitions->len };
  out->planned_nodes = (LkLongText){ planned->str, (guint32)planned->len };
}

/* Is there one, and is it hidden? */
static gboolean
is_hidden_partition (const LkMachine *machine, const char *name, gsize length)
{
  for (guint32 i = 0; i < machine->partition_count; i++) {
    const LkPartitionSpec *spec = machine->partitions[i].spec;
    if (strlen (spec->name) == length && memcmp (spec->name, name, length) == 0)
      return spec->hidden;
  }
  return FALSE;
}

static gboolean
all_hidden (const LkController *self, LkLongText partitions)
{
  const LkMachine *machine = lk_engine_machine (self->engine);
  guint32 at = 0;
  while (machine != NULL && at < partitions.length_bytes) {
    const char *name = partitions.bytes + at;
    const char *comma = memchr (name, ',', partitions.length_bytes - at);
    gsize length = comma != NULL ? (gsize)(comma - name) : partitions.length_bytes - at;
    if (!is_hidden_partition (machine, name, length))
      return FALSE;
    at += (guint32)length + 1;
  }
  return at > 0;
}

void
lk_query_job (const LkController *self, LkJobIndex job, LkRecordTexts *texts, LkRecord_job *out_job)
{
  fill_job (self, job, texts, out_job);
  const LkRun *run = lk_run_of_job (self, out_job->job_id);
  if (run != NULL && run->end_seq == 0)
    fill_run (run, out_job);
  else
    fill_waiting (self, job, texts, out_job);
  if (run != NULL && is_complete (run))
    fill_complete (self, run, out_job);
  out_job->is_hidden = all_hidden (self, out_job->partitions) ? 1 : 0;
}

/* One that waits might share if its partition lets jobs do so. */
static void
fill_sharing (const LkController *self, const LkRequest *request, gboolean has_started,
              LkRecord_job *out)
{
  const LkMachine *machine = lk_engine_machine (self->engine);
  LkOversubscribe rule = machine->partitions[request->partition].spec->oversubscribe;
  gboolean might = rule == LK_OVERSUBSCRIBE_YES || rule == LK_OVERSUBSCRIBE_FORCE;
  out->is_whole_nodes = request->whole_nodes ? 1 : 0;
  out->is_whole_user = request->whole_user ? 1 : 0;
  out->may_share = (has_started ? request->shares : might) ? 1 : 0;
}

static void
fill_gres (const LkController *self, LkRecordTexts *texts, LkRecord_job *out)
{
  const LkRun *run = lk_run_of_job (self, out->job_id);
  GString *held = text_cleared (texts, HELD_GRES);
  GString *details = text_cleared (texts, GRES_DETAILS);
  if (run != NULL && run->end_seq == 0)
    lk_query_gres_held (lk_engine_nodes (self->engine), run->gres, details, held);
  out->held_gres = lk_query_text (held->str);
  out->gres_details = (LkLongText){ details->str, (guint32)details->len };
}

/* What scontrol alone shows. */
static void
fill_amounts (const LkController *self, LkJobIndex job, LkRecordTexts *texts, LkRecord_job *out)
{
  const LkRequest *request = lk_engine_job_request (self->engine, out->job_id);
  LkJobShown shown;
  LkTresTold asked;
  LkTresTold held;
  lk_tres_told_init (&asked);
  lk_tres_told_init (&held);
  lk_job_shown (self->engine, job, self->engine_us, &shown, text_cleared (texts, HELD_TRES));
  lk_job_tres_asked (self->engine, job, &shown, &asked);
  if (shown.has_started)
    lk_job_tres_held (self->engine, job, &shown, &held);
  lk_tres_told_text (&asked, /* by_name= */ FALSE, text_cleared (texts, ASKED_TRES));
  lk_tres_told_text (&held, /* by_name= */ FALSE, text_cleared (texts, HELD_TRES));
  out->asked_tres = lk_query_text (texts->texts[ASKED_TRES]->str);
  out->held_tres = lk_query_text (texts->texts[HELD_TRES]->str);
  out->held_memory_bytes = held.memory_bytes;
  fill_gres (self, texts, out);
  lk_tres_told_clear (&asked);
  lk_tres_told_clear (&held);
  if (request == NULL)
    return;
  out->cpus_per_task_now =
      MAX (MAX (1, out->cpus_per_task), request->demand.cpus_min / MAX (1, request->demand.tasks));
  out->cpus_per_node_now = MAX (MAX (1, out->cpus_per_task), out->cpus_per_node_min);
  if (request->memory == LK_MEMORY_PER_NODE || request->memory == LK_MEMORY_ALL)
    out->cpus_per_node_now = MAX (out->cpus_per_node_now, request->demand.cpus_per_node_min);
  out->memory_now_bytes = request->memory == LK_MEMORY_ALL ? 0 : request->memory_bytes;
  out->is_memory_per_cpu = request->memory == LK_MEMORY_PER_CPU ? 1 : 0;
  fill_sharing (self, request, shown.has_started, out);
}

void
lk_query_job_ended (LkController *self, const LkEvent *cause, const LkDecision_notice *notice)
{
  LkJobIndex job = lk_engine_job_index (self->engine, notice->job_id);
  LkRecordTexts texts;
  LkRecord_job out;
  if (job == LK_JOB_NONE)
    return;
  lk_record_texts_init (&texts);
  fill_job (self, job, &texts, &out);
  const LkRun *run = lk_run_of_job (self, notice->job_id);
  fill_amounts (self, job, &texts, &out);
  fill_dependency (self, &texts, &out); /* what a cancelled job still waited for */
  out.state = notice->state;
  out.reason = notice->reason;
  out.end_us = cause->time_us;
  if (run != NULL && run->end_seq == 0) {
    fill_run (run, &out);
    out.nodes = run->node_count;
    out.cpus = lk_engine_view (self->engine)->jobs->units[job];
  } else {
    out.start_us = cause->time_us;
  }
  if (cause->kind == LK_EVENT_JOB_ENDED && cause->job_ended.job_id == notice->job_id) {
    out.exit_code = cause->job_ended.exit_code;
    out.signal = cause->job_ended.signal;
  }
  lk_done_note (self, &out, cause->time_us);
  lk_record_texts_clear (&texts);
}

/* ---------------------------------------------------------------- which jobs */

static gint
compare_u32 (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *)a;
  guint32 y = *(const guint32 *)b;
  return (x > y) - (x < y);
}

static void
add_id (GArray *ids, guint32 id)
{
  g_array_append_val (ids, id);
}

/* A job, the tasks of an array, or the components of a heterogeneous job. */
static GArray *
ids_of_job (const LkController *self, guint32 job_id)
{
  const LkJobColumns *jobs = lk_engine_view (self->engine)->jobs;
  const LkArray *array = lk_engine_array (self->engine, job_id);
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  LkJobInfo info;
  for (guint i = 0; array != NULL && i < array->members->len; i++)
    add_id (ids, jobs->id[g_array_index (array->members, LkJobIndex, i)]);
  for (guint32 id = job_id; lk_engine_job (self->engine, id, &info); id++) {
    if (id != job_id && info.het_leader != job_id)
      break;
    add_id (ids, id);
  }
  lk_done_ids (self, job_id, ids);
  g_array_sort (ids, compare_u32);
  return ids;
}

/* By rising id. Made at the first page, for all that follow. */
static GArray *
ids_of_all (LkController *self, guint32 from)
{
  if (self->query_ids != NULL && from != 0)
    return g_array_ref (self->query_ids);
  g_clear_pointer (&self->query_ids, g_array_unref);
  self->query_ids = g_array_new (FALSE, FALSE, sizeof (guint32));
  const LkView *view = lk_engine_view (self->engine);
  for (LkJobIndex job = 0; job < view->job_index_limit; job++)
    if (view->jobs->phase[job] != LK_PHASE_FREE)
      add_id (self->query_ids, view->jobs->id[job]);
  lk_done_ids (self, 0, self->query_ids);
  g_array_sort (self->query_ids, compare_u32);
  return g_array_ref (self->query_ids);
}

/* The first that is not below `from`. */
static guint
first_from (const GArray *ids, guint32 from)
{
  guint low = 0;
  guint high = ids->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (ids, guint32, middle) < from)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* ---------------------------------------------------------------- pages of jobs */

typedef struct {
  LkController *self;
  const LkPeer *peer;
  const LkMessage_state_query *query;
  guint32 roles;
  gboolean is_staff;
  LkRecordTexts texts;
  guint32 step;    /* of steps: the first of the job at hand; then where the next page begins */
  gboolean is_cut; /* steps of that job are left for it */
  GByteArray *one; /* records of the job at hand */
  GByteArray *out;
} Page;

/* Script and environment are for the owner and staff, the rest for everybody; of what is no batch
 * job nobody knows what is in it. */
static void
add_payload (const Page *page, LkRecord_job *job)
{
  gboolean is_own = page->peer->kind == LK_PEER_JOB
                        ? lk_controller_is_own_job (page->self, page->peer, job->job_id)
                        : job->user_id == page->peer->user_id;
  gboolean may_see_all = page->is_staff || is_own;
  const LkPayload *payload =
      g_hash_table_lookup (page->self->payloads, GUINT_TO_POINTER (job->job_id));
  if (page->query->with_payload == 0 || payload == NULL)
    return;
  if (may_see_all || lk_payload_is_batch (payload))
    job->payload = lk_payload_without (payload, may_see_all && page->query->with_payload == 1
                                                    ? 0
                                                    : LK_PAYLOAD_SCRIPT | LK_PAYLOAD_ENVIRONMENT);
}

/* A job of that user: was it asked for, and may the asker hear of it? */
static gboolean
is_told (const Page *page, guint32 user_id)
{
  return (page->query->by_user == 0 || user_id == page->query->user_id)
         && (page->peer->kind != LK_PEER_JOB || user_id == page->peer->user_id);
}

static void
add_job_record (Page *page, LkRecord *record)
{
  LkRecord_job *job = &record->job;
  const LkRun *run = lk_run_of_job (page->self, job->job_id);
  if (!is_told (page, job->user_id))
    return;
  job->is_completing = run != NULL && (run->end_seq != 0 || is_complete (run)) ? 1 : 0;
  const char *comment =
      g_hash_table_lookup (page->self->admin_comments, GUINT_TO_POINTER (job->job_id));
  job->admin_comment = lk_query_text (comment != NULL ? comment : "");
  add_payload (page, job);
  lk_record_append (record, page->one);
  if (page->one->len <= RECORD_BYTES_MAX)
    return;
  g_byte_array_set_size (page->one, 0);
  job->payload = (LkBytes){ 0 };
  lk_record_append (record, page->one);
}

static void
add_job (Page *page, guint32 id)
{
  LkRecord record = { .kind = LK_RECORD_JOB };
  LkJobIndex job = lk_engine_job_index (page->self->engine, id);
  if (job != LK_JOB_NONE) {
    const LkJobColumns *jobs = lk_engine_view (page->self->engine)->jobs;
    if (!is_told (page, jobs->user_id[job]))
      return;
    if (page->query->record == LK_RECORD_STEP) {
      page->is_cut =
          !lk_query_steps (page->self, id, page->query->with_ended != 0, &page->step, page->one);
      return;
    }
    if (page->query->record == LK_RECORD_PRIORITY) {
      lk_query_priority (page->self, job, page->one);
      return;
    }
    lk_query_job (page->self, job, &page->texts, &record.job);
    if (page->query->with_payload != 0)
      fill_amounts (page->self, job, &page->texts, &record.job);
    add_job_record (page, &record);
  } else if (page->query->record == LK_RECORD_JOB && page->query->with_ended != 0
             && lk_done_find (page->self, id, &record)) {
    add_job_record (page, &record);
  }
}

static guint32
jobs_page (Page *page)
{
  const LkMessage_state_query *query = page->query;
  g_autoptr (GArray) ids = query->job_id != 0 ? ids_of_job (page->self, query->job_id)
                                              : ids_of_all (page->self, query->from);
  guint32 last = 0;
  for (guint i = first_from (ids, query->from); i < ids->len; i++) {
    guint32 id = g_array_index (ids, guint32, i);
    guint32 first_step = id == query->from ? query->from_step : 0;
    g_byte_array_set_size (page->one, 0);
    page->step = first_step;
    if (id != last)
      add_job (page, id);
    if (page->out->len > 0 && page->out->len + page->one->len > LK_QUERY_PAGE_BYTES) {
      page->step = first_step;
      return id;
    }
    g_byte_array_append (page->out, page->one->data, page->one->len);
    if (page->is_cut)
      return id;
    last = id;
  }
  return 0;
}

/* ---------------------------------------------------------------- pages */

typedef void (*Teller) (LkController *self, guint32 *next, GByteArray *out);

static Teller
teller_of (guint8 record)
{
  switch (record) {
  case LK_RECORD_NODE:
    return lk_query_node;
  case LK_RECORD_PARTITION:
    return lk_query_partition;
  case LK_RECORD_RESERVATION:
    return lk_query_reservation;
  case LK_RECORD_LICENSE:
    return lk_query_license;
  case LK_RECORD_CLUSTER:
    return lk_query_cluster;
  case LK_RECORD_ACCOUNTS:
    return lk_query_accounts;
  case LK_RECORD_SHARE:
    return lk_query_share;
  case LK_RECORD_USE:
    return lk_query_use;
  case LK_RECORD_CONTROLLER:
    return lk_query_controller;
  case LK_RECORD_RPC:
    return lk_query_rpc;
  default:
    return NULL;
  }
}

/* FALSE: there are no such records. */
static gboolean
fill_page (Page *page, guint32 *out_next)
{
  guint8 record = page->query->record;
  if (record == LK_RECORD_JOB || record == LK_RECORD_PRIORITY || record == LK_RECORD_STEP) {
    *out_next = jobs_page (page);
    return TRUE;
  }
  if (record == LK_RECORD_TRIAL)
    return lk_query_trial (page->self, page->peer, page->query->event, page->roles, page->out);
  Teller tell = teller_of (record);
  *out_next = page->query->from;
  if (record == LK_RECORD_JOURNAL)
    return lk_query_journal (page->self, out_next, page->out);
  if (tell == NULL)
    return FALSE;
  do
    tell (page->self, out_next, page->out);
  while (*out_next != 0 && page->out->len < LK_QUERY_PAGE_BYTES);
  return TRUE;
}

/* What a process in a job hears of: of jobs those of its user, and what squeue, scontrol and sstat
 * want to know of the machine when they show them. */
static gboolean
is_for_jobs (guint8 record)
{
  switch (record) {
  case LK_RECORD_JOB:
  case LK_RECORD_STEP:
  case LK_RECORD_PRIORITY:
  case LK_RECORD_NODE:
  case LK_RECORD_PARTITION:
  case LK_RECORD_CLUSTER:
  case LK_RECORD_CONTROLLER:
    return TRUE;
  default:
    return FALSE;
  }
}

static gboolean
may_ask (const LkController *self, const LkPeer *peer, guint8 record, guint32 roles)
{
  if (peer->kind == LK_PEER_JOB)
    return is_for_jobs (record);
  return record != LK_RECORD_JOURNAL || !self->config.hides_journal || (roles & LK_FROM_STAFF) != 0;
}

void
lk_controller_refuse_state (LkController *self, const LkPeer *peer,
                            const LkMessage_state_query *query, LkReject error)
{
  LkMessage answer = { .kind = LK_MESSAGE_STATE_PAGE };
  answer.state_page = (LkMessage_state_page){ .request = query->request,
                                              .record = query->record,
                                              .now_us = self->engine_us,
                                              .seq = self->seq,
                                              .error = (guint16)error };
  lk_controller_send_after (self, peer->id, self->seq, &answer);
}

void
lk_controller_state_query (LkController *self, const LkPeer *peer, const LkMessage *message,
                           guint32 roles)
{
  const LkMessage_state_query *query = &message->state_query;
  if (!may_ask (self, peer, query->record, roles)) {
    self->counts.refused_count++;
    lk_controller_refuse_state (self, peer, query, LK_REJECT_PERMISSION);
    return;
  }
  g_autoptr (GByteArray) records = g_byte_array_new ();
  g_autoptr (GByteArray) one = g_byte_array_new ();
  Page page = { .self = self,
                .peer = peer,
                .query = query,
                .roles = roles,
                .is_staff = (roles & LK_FROM_STAFF) != 0,
                .one = one,
                .out = records };
  LkMessage answer = { .kind = LK_MESSAGE_STATE_PAGE };
  LkMessage_state_page *out = &answer.state_page;
  *out = (LkMessage_state_page){
    .request = query->request, .record = query->record, .now_us = self->engine_us, .seq = self->seq
  };
  lk_record_texts_init (&page.texts);
  if (!fill_page (&page, &out->next))
    out->error = LK_REJECT_REQUEST_INVALID;
  lk_record_texts_clear (&page.texts);
  out->next_step = out->next != 0 && query->record == LK_RECORD_STEP ? page.step : 0;
  out->records = (LkBytes){ records->data, records->len };
  if (!lk_controller_send_after (self, peer->id, self->seq, &answer))
    lk_controller_refuse_state (self, peer, query, LK_REJECT_TOO_LONG);
}
