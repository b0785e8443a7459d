/* tests/property/storm_event.c — see the header. */
#include "tests/property/storm_event.h"

#include "engine/accounts_change.h"

#define DRAW(self, ...)                                                                            \
  draw_text (self, (const char *const[]){ __VA_ARGS__ },                                           \
             G_N_ELEMENTS (((const char *const[]){ __VA_ARGS__ })))

guint32
lk_storm_draw (LkStormSource *self, guint32 limit)
{
  return self->is_over ? 0 : self->options->draw (self->options->user, limit, &self->is_over);
}

static LkText
draw_text (LkStormSource *self, const char *const *texts, gsize count)
{
  return lk_text (texts[lk_storm_draw (self, (guint32)count)]);
}

/* Mostly 0. */
static guint32
seldom (LkStormSource *self, guint32 limit)
{
  return lk_storm_draw (self, 6) == 0 ? lk_storm_draw (self, limit) : 0;
}

static guint32
any_job (LkStormSource *self)
{
  /* Mostly a young one, and seldom one that never was. */
  guint32 back = lk_storm_draw (self, 12);
  if (back == 11)
    return lk_storm_draw (self, self->job_id_last + 3);
  return self->job_id_last > back ? self->job_id_last - back : 1;
}

static gint64
any_duration_us (LkStormSource *self)
{
  static const gint64 seconds[] = { 1, 3, 10, 30, 60, 61, 200, 1000 };
  return seconds[lk_storm_draw (self, G_N_ELEMENTS (seconds))] * G_USEC_PER_SEC;
}

/* Of eight jobs one has no time limit. */
static gint64
any_limit_us (LkStormSource *self)
{
  static const gint64 seconds[] = { 1, 3, 10, 30, 60, 61, 200 };
  guint32 chosen = lk_storm_draw (self, G_N_ELEMENTS (seconds) + 1);
  return chosen < G_N_ELEMENTS (seconds) ? seconds[chosen] * G_USEC_PER_SEC : LK_TIME_NEVER;
}

static void
fill_request (LkStormSource *self, LkJobRequest *request)
{
  guint32 bits = lk_storm_draw (self, 16);
  request->nodes_min = lk_storm_draw (self, 4);
  request->nodes_max = request->nodes_min > 0 ? request->nodes_min + seldom (self, 3) : 0;
  request->tasks = seldom (self, 5);
  request->cpus_per_task = seldom (self, 3);
  request->memory_per_cpu_bytes = bits < 3 ? G_GINT64_CONSTANT (1) << 26 : 0;
  request->present = bits < 3 ? LK_REQUEST_HAS_MEMORY_PER_CPU : 0;
  request->flags = seldom (self, 1u << 14) & ~(guint32)LK_REQUEST_HOLD;
  request->flags |= lk_storm_draw (self, 12) == 0 ? LK_REQUEST_HOLD : 0;
  request->gres = DRAW (self, "", "", "", "gpu:1", "gpu:2");
  request->constraint = DRAW (self, "", "", "", "a", "a|b", "c");
  request->node_list = DRAW (self, "", "", "", "", "n1", "n[2-3]", "m2");
  request->exclude = DRAW (self, "", "", "", "", "n1", "n[1-4]");
  request->licenses = DRAW (self, "", "", "", "lic", "lic:2");
  request->partition = DRAW (self, "", "", "low", "high", "high,low", "none");
  request->account = DRAW (self, "", "", "phys", "bio");
  request->qos = DRAW (self, "", "", "normal", "high");
  request->user = DRAW (self, "ann", "bob", "cid", "");
  request->nice = seldom (self, 100);
  request->priority = seldom (self, 3);
}

/* One copy of each text, for as long as the process lives: events borrow theirs. */
static const char *
keep (const char *text)
{
  static GHashTable *kept = NULL;
  if (kept == NULL)
    kept = g_hash_table_new (g_str_hash, g_str_equal);
  const char *copy = g_hash_table_lookup (kept, text);
  if (copy != NULL)
    return copy;
  char *added = g_strdup (text);
  g_hash_table_add (kept, added);
  return added;
}

static const char *
dependency_text (LkStormSource *self)
{
  static const char *const types[] = { "after",    "afterok",   "afternotok",
                                       "afterany", "aftercorr", "singleton" };
  const char *type = types[lk_storm_draw (self, G_N_ELEMENTS (types))];
  g_autofree char *text = g_strdup_printf ("%s:%u", type, any_job (self));
  g_autofree char *more = g_strdup_printf (
      "%s%cafterany:%u", text, lk_storm_draw (self, 2) == 0 ? ',' : '?', any_job (self));
  if (lk_storm_draw (self, 4) == 0)
    return keep (more);
  return keep (g_str_has_prefix (type, "single") ? type : text);
}

static void
fill_terms (LkStormSource *self, LkJobTerms *terms)
{
  guint32 what = lk_storm_draw (self, 14);
  terms->name = DRAW (self, "", "x", "y");
  switch (what) {
  case 0:
    terms->begin_us = self->now_us + any_duration_us (self);
    break;
  case 1:
    terms->deadline_us = self->now_us + any_duration_us (self);
    break;
  case 2:
  case 3:
    terms->dependency = lk_text (dependency_text (self));
    break;
  case 4:
  case 5:
    terms->array = DRAW (self, "0-3", "0-9%2", "1-7:2,10", "5", "0-4%1", "3,1");
    break;
  case 6:
    terms->reservation = DRAW (self, "r1", "r2", "r1,r2", "no");
    break;
  case 7:
    terms->warn_signal = 10;
    terms->warn_before_us = any_duration_us (self);
    break;
  case 8:
    terms->time_min_us = 1 + any_duration_us (self) / 8;
    break;
  default:
    break;
  }
  terms->term_flags = seldom (self, 8);
}

/* A job that asks for nothing that it might not get. */
static void
fill_crowd (LkStormSource *self, LkEvent_submit *submit)
{
  LkJobRequest request = { 0 };
  submit->job_id = self->job_id_last + 1;
  submit->user_id = 1 + lk_storm_draw (self, 3);
  submit->procs = 1 + lk_storm_draw (self, 8);
  submit->estimate_us = any_limit_us (self);
  request.nodes_min = lk_storm_draw (self, 3);
  request.partition = DRAW (self, "low", "low", "low", "high", "high", "zz");
  request.memory_per_cpu_bytes = G_GINT64_CONSTANT (1) << (20 + lk_storm_draw (self, 8));
  request.present = LK_REQUEST_HAS_MEMORY_PER_CPU;
  request.flags = seldom (self, 4) == 1 ? LK_REQUEST_EXCLUSIVE : 0;
  request.gres = DRAW (self, "", "", "", "gpu:1");
  request.qos = DRAW (self, "normal", "high");
  request.user = DRAW (self, "ann", "bob", "cid");
  lk_submit_set_request (submit, &request);
  submit->name = lk_text ("crowd");
  if (self->has_no_reservations && lk_storm_draw (self, 8) == 0)
    submit->array = DRAW (self, "0-3", "0-9%2", "1-7:2,10");
}

static void
fill_submit (LkStormSource *self, LkEvent_submit *submit)
{
  LkJobRequest request = { 0 };
  LkJobTerms terms = { 0 };
  submit->job_id = self->job_id_last + 1;
  submit->user_id = 1 + lk_storm_draw (self, 3);
  submit->procs = 1 + lk_storm_draw (self, 8);
  submit->estimate_us = any_limit_us (self);
  fill_request (self, &request);
  fill_terms (self, &terms);
  lk_submit_set_request (submit, &request);
  lk_submit_set_terms (submit, &terms);
}

/* What hardly any machine refuses. */
static void
fill_plain (LkStormSource *self, LkEvent_submit *submit)
{
  LkJobRequest request = { .nodes_min = lk_storm_draw (self, 3) };
  LkJobTerms terms = { 0 };
  request.nodes_max = request.nodes_min;
  request.user = DRAW (self, "ann", "bob", "cid");
  request.partition = DRAW (self, "", "", "", "low", "high", "high,low");
  request.flags = lk_storm_draw (self, 4) == 0 ? LK_REQUEST_EXCLUSIVE : 0;
  submit->procs = 1 + lk_storm_draw (self, 4);
  lk_submit_set_request (submit, &request);
  lk_submit_set_terms (submit, &terms);
}

/* Components that may run in any of several partitions, beside others. */
static void
fill_mixed (LkStormSource *self, LkEvent_submit *submit)
{
  LkJobRequest request = { .nodes_min = lk_storm_draw (self, 4) };
  LkJobTerms terms = { 0 };
  request.nodes_max = request.nodes_min;
  request.user = DRAW (self, "ann", "bob", "cid");
  request.partition = DRAW (self, "", "high,low", "low,high", "high,low", "low,high", "zz,low");
  request.flags = lk_storm_draw (self, 3) == 0 ? LK_REQUEST_EXCLUSIVE : 0;
  request.node_list = DRAW (self, "", "", "", "n1", "n[2-3]", "n4");
  if (lk_storm_draw (self, 2) == 0) {
    request.memory_per_cpu_bytes = G_GINT64_CONSTANT (1) << 24;
    request.present = LK_REQUEST_HAS_MEMORY_PER_CPU;
  }
  submit->procs = 1 + lk_storm_draw (self, 6);
  lk_submit_set_request (submit, &request);
  lk_submit_set_terms (submit, &terms);
}

/* Submits that follow each other at once are mostly components of one job; one may be missing. */
static void
fill_component (LkStormSource *self, LkEvent_submit *submit)
{
  if (self->het_count == 0 && lk_storm_draw (self, self->options->is_mixed ? 3 : 8) == 0) {
    self->het_count = 2 + lk_storm_draw (self, 2);
    self->het_leader = submit->job_id;
    self->het_user_id = submit->user_id;
  }
  if (self->het_count == 0)
    return;
  if (lk_storm_draw (self, 8) > 0)
    submit->user_id = self->het_user_id;
  if (self->options->is_mixed && lk_storm_draw (self, 4) > 0)
    fill_mixed (self, submit);
  else if (lk_storm_draw (self, 3) > 0)
    fill_plain (self, submit);
  submit->het_leader = self->het_leader;
  submit->het_offset = submit->job_id - self->het_leader;
  submit->het_count = self->het_count;
  submit->array = lk_text ("");
  if (submit->het_offset + 1 >= self->het_count || lk_storm_draw (self, 10) == 0)
    self->het_count = 0;
}

static void
fill_update (LkStormSource *self, LkEvent_update *update)
{
  LkEvent_submit other = { 0 };
  fill_submit (self, &other);
  update->job_id = any_job (self);
  update->changes = G_GUINT64_CONSTANT (1) << lk_storm_draw (self, LK_CHANGE_COUNT);
  if (lk_storm_draw (self, 3) == 0)
    update->changes |= G_GUINT64_CONSTANT (1) << lk_storm_draw (self, LK_CHANGE_COUNT);
  update->by_admin = (guint8)lk_storm_draw (self, 2);
  update->procs = other.procs;
  update->estimate_us = other.estimate_us;
  if ((update->changes & (G_GUINT64_CONSTANT (1) << LK_CHANGE_flags)) != 0)
    update->flags_mask = seldom (self, 1u << 14);
  if ((update->changes & (G_GUINT64_CONSTANT (1) << LK_CHANGE_term_flags)) != 0)
    update->term_flags_mask = seldom (self, 1u << 5);
  if ((update->changes & (G_GUINT64_CONSTANT (1) << LK_CHANGE_estimate_us)) != 0
      && lk_storm_draw (self, 3) == 0)
    update->end_us = self->now_us + any_duration_us (self);
#define COPY(type, name, help) update->name = other.name;
  LK_JOB_REQUEST_FIELDS (COPY)
  LK_JOB_TERMS_FIELDS (COPY)
#undef COPY
}

static LkText
any_tasks (LkStormSource *self)
{
  return DRAW (self, "", "", "", "1", "0-2", "3,5");
}

static void
fill_reservation (LkStormSource *self, LkEvent *event)
{
#define FILL(fields)                                                                               \
  fields.name = DRAW (self, "r1", "r2");                                                           \
  fields.start_us = self->now_us + (lk_storm_draw (self, 2) == 0 ? 0 : any_duration_us (self));    \
  fields.duration_us = any_duration_us (self);                                                     \
  fields.nodes = DRAW (self, "", "n1", "n[2-3]", "ALL", "m1,n4");                                  \
  fields.node_count = fields.nodes.length_bytes == 0 ? lk_storm_draw (self, 4) : 0;                \
  fields.users = DRAW (self, "ann", "bob,cid", "-ann", "");                                        \
  fields.accounts = DRAW (self, "", "", "bio");                                                    \
  fields.flags = DRAW (self, "", "", "MAINT", "IGNORE_JOBS", "FLEX,IGNORE_JOBS", "DAILY",          \
                       "MAGNETIC", "OVERLAP", "TIME_FLOAT", "PURGE_COMP", "REPLACE");
  if (event->kind == LK_EVENT_RESERVATION_CREATE) {
    FILL (event->reservation_create)
    return;
  }
  FILL (event->reservation_update)
  event->reservation_update.changes = 1u << lk_storm_draw (self, 16);
#undef FILL
}

/* What changes one job. */
static void
fill_change (LkStormSource *self, LkEvent *event)
{
  guint32 job_id = any_job (self);
  switch (event->kind) {
  case LK_EVENT_CANCEL:
    event->cancel.job_id = job_id;
    event->cancel.task_list = any_tasks (self);
    event->cancel.filter = seldom (self, 512);
    event->cancel.user_id = 1 + lk_storm_draw (self, 3);
    event->cancel.name = lk_text ("x");
    event->cancel.partition = lk_text ("low");
    event->cancel.state = (guint8)lk_storm_draw (self, 2);
    event->cancel.node_list = lk_text ("n[1-2]");
    break;
  case LK_EVENT_HOLD:
    event->hold.job_id = job_id;
    event->hold.task_list = any_tasks (self);
    event->hold.by_admin = (guint8)lk_storm_draw (self, 2);
    break;
  case LK_EVENT_RELEASE:
    event->release.job_id = job_id;
    event->release.task_list = any_tasks (self);
    event->release.by_user = (guint8)lk_storm_draw (self, 2);
    break;
  case LK_EVENT_REQUEUE:
    event->requeue.job_id = job_id;
    event->requeue.task_list = any_tasks (self);
    event->requeue.hold = (guint8)lk_storm_draw (self, 3);
    break;
  case LK_EVENT_SIGNAL:
    event->signal.job_id = job_id;
    event->signal.signal = 10;
    break;
  case LK_EVENT_SUSPEND:
    event->suspend.job_id = job_id;
    break;
  default:
    event->kind = LK_EVENT_RESUME;
    event->resume.job_id = job_id;
  }
}

static LkText
any_nodes (LkStormSource *self)
{
  return DRAW (self, "n1", "n2", "n[3-4]", "m1", "m[1-2]", "zz");
}

static void
fill_nodes (LkStormSource *self, LkEvent *event)
{
  LkText nodes = any_nodes (self);
  switch (event->kind) {
  case LK_EVENT_NODE_DOWN:
    event->node_down = (LkEvent_node_down){ .node = nodes, .reason = lk_text ("power") };
    break;
  case LK_EVENT_NODE_DRAIN:
    event->node_drain = (LkEvent_node_drain){ .node = nodes, .reason = lk_text ("disk") };
    break;
  case LK_EVENT_NODE_UP:
    event->node_up.node = nodes;
    break;
  default:
    event->kind = LK_EVENT_NODE_RESUME;
    event->node_resume.node = nodes;
  }
}

/* ---------------------------------------------------------------- accounts */

/* Only a place to write lines of, with the TRES of the sites. */
static LkAccounts *
any_accounts (void)
{
  LkAccounts *accounts = lk_accounts_new ("storm");
  lk_accounts_add_tres (accounts, "gres/gpu");
  return accounts;
}

static void
any_limits (LkStormSource *self, GArray *limits, const LkLimitItem *known, guint32 count)
{
  for (guint32 left = lk_storm_draw (self, 3); left > 0; left--) {
    const LkLimitItem *item = &known[lk_storm_draw (self, count)];
    lk_limits_set (limits, item->kind, item->tres, TRUE,
                   lk_storm_draw (self, 4) == 0 ? 100 : lk_storm_draw (self, 9));
  }
}

static void
fill_association (LkStormSource *self, LkEvent_association *event)
{
  static const LkLimitItem known[] = { { LK_LIMIT_GRP_JOBS, 0, 0 },
                                       { LK_LIMIT_MAX_JOBS, 0, 0 },
                                       { LK_LIMIT_GRP_TRES, LK_TRES_CPU, 0 },
                                       { LK_LIMIT_GRP_TRES, LK_TRES_NODE, 0 },
                                       { LK_LIMIT_GRP_TRES_MINS, LK_TRES_CPU, 0 },
                                       { LK_LIMIT_GRP_JOBS_ACCRUE, 0, 0 },
                                       { LK_LIMIT_MAX_TRES_PER_JOB, LK_TRES_CPU, 0 } };
  g_autoptr (LkAccounts) accounts = any_accounts ();
  g_autoptr (GString) line = g_string_new (NULL);
  event->operation = (guint8)lk_storm_draw (self, 3);
  event->account = DRAW (self, "phys", "bio", "chem", "root");
  event->user = DRAW (self, "", "", "ann", "bob", "cid");
  event->partition = lk_storm_draw (self, 8) == 0 ? lk_text ("low") : lk_text ("");
  gboolean is_user = event->user.length_bytes > 0;
  LkAssociationSpec *spec =
      is_user ? lk_accounts_add_user (accounts, event->user.bytes, event->account.bytes,
                                      event->partition.bytes)
              : lk_accounts_add_account (accounts, event->account.bytes,
                                         DRAW (self, "root", "phys", "bio", "chem").bytes);
  spec->shares = lk_storm_draw (self, 5) == 0 ? LK_SHARES_PARENT : lk_storm_draw (self, 4);
  spec->priority = seldom (self, 10);
  spec->is_default = is_user && lk_storm_draw (self, 2) == 0;
  any_limits (self, spec->limits, known, G_N_ELEMENTS (known));
  g_free (spec->qos);
  spec->qos = g_strdup (DRAW (self, "", "", "normal,high", "+high", "-high", "low").bytes);
  g_free (spec->default_qos);
  spec->default_qos = g_strdup (DRAW (self, "", "", "", "high", "normal").bytes);
  lk_accounts_association_text (accounts, spec, line);
  event->changes = 1u << lk_storm_draw (self, LK_ASSOCIATION_CHANGE_COUNT);
  event->changes |= lk_storm_draw (self, 2) == 0 ? 1u << LK_ASSOCIATION_CHANGE_limits : 0;
  event->unset = DRAW (self, "", "", "", "MaxJobs", "GrpJobs,GrpTRES:node", "GrpTRES:cpu");
  event->record = (LkLongText){ keep (line->str), (guint32)line->len };
}

static void
fill_qos (LkStormSource *self, LkEvent_qos *event)
{
  static const LkLimitItem known[] = { { LK_LIMIT_GRP_JOBS, 0, 0 },
                                       { LK_LIMIT_MAX_JOBS_PER_USER, 0, 0 },
                                       { LK_LIMIT_MAX_JOBS_PER_ACCOUNT, 0, 0 },
                                       { LK_LIMIT_GRP_TRES, LK_TRES_CPU, 0 },
                                       { LK_LIMIT_MAX_TRES_PER_USER, LK_TRES_NODE, 0 },
                                       { LK_LIMIT_GRP_WALL, 0, 0 } };
  g_autoptr (LkAccounts) accounts = any_accounts ();
  g_autoptr (GString) line = g_string_new (NULL);
  event->operation = (guint8)lk_storm_draw (self, 3);
  event->name = DRAW (self, "normal", "high", "low");
  LkQosSpec *spec = lk_accounts_add_qos (accounts, event->name.bytes);
  spec->priority = lk_storm_draw (self, 20);
  spec->flags = seldom (self, 3) == 1 ? (guint32)LK_QOS_DENY_ON_LIMIT : 0;
  spec->usage_factor = 1 + seldom (self, 3);
  spec->grace_us = seldom (self, 5) * (gint64)G_USEC_PER_SEC;
  any_limits (self, spec->limits, known, G_N_ELEMENTS (known));
  g_free (spec->preempt);
  spec->preempt = g_strdup (DRAW (self, "", "normal", "low", "normal,low").bytes);
  lk_accounts_qos_text (accounts, spec, line);
  event->changes = 1u << lk_storm_draw (self, LK_QOS_CHANGE_COUNT);
  event->changes |= lk_storm_draw (self, 2) == 0 ? 1u << LK_QOS_CHANGE_limits : 0;
  event->unset = DRAW (self, "", "", "", "MaxJobsPerUser", "GrpTRES:cpu", "GrpWall,GrpJobs");
  event->record = (LkLongText){ keep (line->str), (guint32)line->len };
}

static void
fill_ended (LkStormSource *self, LkEvent_job_ended *ended)
{
  guint32 place = lk_storm_draw (self, MAX (1, self->running->len));
  ended->job_id = self->running->len > 0 ? g_array_index (self->running, guint32, place) : 1;
  ended->exit_code = (guint8)seldom (self, 3);
  ended->signal = (guint8)seldom (self, 10);
  ended->trouble = (guint8)seldom (self, LK_TROUBLE_LIMIT);
}

static const LkEventKind kinds[] = {
  LK_EVENT_SUBMIT,
  LK_EVENT_SUBMIT,
  LK_EVENT_SUBMIT,
  LK_EVENT_SUBMIT,
  LK_EVENT_SUBMIT,
  LK_EVENT_SUBMIT,
  LK_EVENT_JOB_ENDED,
  LK_EVENT_JOB_ENDED,
  LK_EVENT_JOB_ENDED,
  LK_EVENT_JOB_ENDED,
  LK_EVENT_UPDATE,
  LK_EVENT_UPDATE,
  LK_EVENT_CANCEL,
  LK_EVENT_HOLD,
  LK_EVENT_RELEASE,
  LK_EVENT_RELEASE,
  LK_EVENT_REQUEUE,
  LK_EVENT_SIGNAL,
  LK_EVENT_SUSPEND,
  LK_EVENT_RESUME,
  LK_EVENT_RESUME,
  LK_EVENT_NODE_DOWN,
  LK_EVENT_NODE_UP,
  LK_EVENT_NODE_UP,
  LK_EVENT_NODE_DRAIN,
  LK_EVENT_NODE_RESUME,
  LK_EVENT_NODE_RESUME,
  LK_EVENT_PARTITION,
  LK_EVENT_PARTITION,
  LK_EVENT_RESERVATION_CREATE,
  LK_EVENT_RESERVATION_UPDATE,
  LK_EVENT_RESERVATION_DELETE,
  LK_EVENT_JOB_STARTED,
  LK_EVENT_ASSOCIATION,
  LK_EVENT_ASSOCIATION,
  LK_EVENT_QOS,
};

/* One that floats is never reached; beside nodes that drain it leaves too few for ever. */
static void
fill_floating (LkStormSource *self, LkEvent_reservation_create *create)
{
  create->name = DRAW (self, "r1", "r2");
  create->start_us = lk_storm_draw (self, 2) == 0 ? 0 : any_duration_us (self);
  create->duration_us = any_duration_us (self);
  create->node_count = 1 + lk_storm_draw (self, 2);
  create->users = DRAW (self, "ann", "bob,cid");
  create->flags = DRAW (self, "TIME_FLOAT", "TIME_FLOAT", "TIME_FLOAT,IGNORE_JOBS");
}

/* What heterogeneous jobs meet: states of their partitions, and nodes that are not for them. */
static LkEvent
mixed_event (LkStormSource *self)
{
  static const LkEventKind mixed[] = { LK_EVENT_PARTITION, LK_EVENT_PARTITION,
                                       LK_EVENT_RESERVATION_CREATE, LK_EVENT_NODE_DRAIN,
                                       LK_EVENT_NODE_RESUME };
  LkEvent event = { .kind = mixed[lk_storm_draw (self, G_N_ELEMENTS (mixed))] };
  if (event.kind == LK_EVENT_PARTITION) {
    event.partition.name = DRAW (self, "low", "high", "high", "zz");
    event.partition.state = (guint8)(lk_storm_draw (self, 2) == 0 ? 0 : lk_storm_draw (self, 4));
  } else if (event.kind == LK_EVENT_RESERVATION_CREATE) {
    fill_floating (self, &event.reservation_create);
  } else {
    fill_nodes (self, &event);
  }
  return event;
}

LkEvent
lk_storm_event (LkStormSource *self)
{
  if (self->options->is_mixed && self->het_count == 0 && lk_storm_draw (self, 6) == 0)
    return mixed_event (self);
  LkEvent event = { .kind = kinds[lk_storm_draw (self, G_N_ELEMENTS (kinds))] };
  if (self->het_count > 0
      || (self->has_no_reservations && event.kind == LK_EVENT_RESERVATION_CREATE))
    event.kind = LK_EVENT_SUBMIT;
  if (self->is_crowded && (self->het_count == 0 || !self->options->is_mixed)
      && lk_storm_draw (self, 2) == 0) {
    event.kind = LK_EVENT_SUBMIT;
    fill_crowd (self, &event.submit);
    return event;
  }
  switch (event.kind) {
  case LK_EVENT_SUBMIT:
    fill_submit (self, &event.submit);
    fill_component (self, &event.submit);
    break;
  case LK_EVENT_JOB_ENDED:
    fill_ended (self, &event.job_ended);
    break;
  case LK_EVENT_UPDATE:
    fill_update (self, &event.update);
    break;
  case LK_EVENT_NODE_DOWN:
  case LK_EVENT_NODE_UP:
  case LK_EVENT_NODE_DRAIN:
  case LK_EVENT_NODE_RESUME:
    fill_nodes (self, &event);
    break;
  case LK_EVENT_PARTITION:
    event.partition.name = DRAW (self, "low", "high", "zz");
    event.partition.state = (guint8)seldom (self, 4);
    break;
  case LK_EVENT_RESERVATION_CREATE:
  case LK_EVENT_RESERVATION_UPDATE:
    fill_reservation (self, &event);
    break;
  case LK_EVENT_RESERVATION_DELETE:
    event.reservation_delete.name = DRAW (self, "r1", "r2", "zz");
    break;
  case LK_EVENT_ASSOCIATION:
    fill_association (self, &event.association);
    break;
  case LK_EVENT_QOS:
    fill_qos (self, &event.qos);
    break;
  case LK_EVENT_JOB_STARTED:
    event.job_started.job_id = any_job (self);
    break;
  default:
    fill_change (self, &event);
  }
  return event;
}
