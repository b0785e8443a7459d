/* live/core/controller_requests.c — who may ask for what, and requests as events.
 *
 * What a peer is to a request follows from who he is, as attested, and from whose the job is, as
 * the engine knows it.  Fields that only staff may set are cleared for others. */
#include <string.h>

#include "engine/accounts_change.h"
#include "engine/assert.h"
#include "engine/hostlist.h"
#include "engine/limits.h"
#include "engine/refused_number.h"
#include "engine/update_settle.h"
#include "live/core/controller_private.h"

/* ---------------------------------------------------------------- who is he? */

static gboolean
text_is (LkText text, const char *string)
{
  return string != NULL && text.length_bytes == strlen (string)
         && memcmp (text.bytes, string, text.length_bytes) == 0;
}

/* Of any of his associations; "": none. */
static const char *
admin_level (const LkAccounts *accounts, const char *user)
{
  for (guint i = 0; i < accounts->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    if (spec->admin_level[0] != '\0' && strcmp (spec->user, user) == 0)
      return spec->admin_level;
  }
  return "";
}

static guint32
staff_role (const LkController *self, const LkPeer *peer)
{
  const LkAccounts *accounts = lk_engine_accounts (self->engine);
  if (peer->user_id == 0 || peer->user_id == self->config.administrator_user_id)
    return LK_ROLE_ADMINISTRATOR;
  const char *level =
      accounts != NULL && peer->name != NULL ? admin_level (accounts, peer->name) : "";
  if (strcmp (level, "Administrator") == 0)
    return LK_ROLE_ADMINISTRATOR;
  return strcmp (level, "Operator") == 0 ? LK_ROLE_OPERATOR : 0;
}

static gboolean
coordinates_job (const LkController *self, const LkPeer *peer, LkJobIndex job)
{
  const LkAccounts *accounts = lk_engine_accounts (self->engine);
  guint32 association = lk_engine_view (self->engine)->jobs->association[job];
  if (accounts == NULL || peer->name == NULL || association == LK_INDEX_NONE)
    return FALSE;
  const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, association);
  return lk_accounts_coordinates (accounts, peer->name, spec->account);
}

/* A job that shows whose this one is: of an array any task that is there. */
static LkJobIndex
job_or_task (const LkController *self, guint32 job_id)
{
  LkJobIndex job = lk_engine_job_index (self->engine, job_id);
  const LkArray *array = lk_engine_array (self->engine, job_id);
  if (job != LK_JOB_NONE || array == NULL || array->members->len == 0)
    return job;
  return g_array_index (array->members, LkJobIndex, 0);
}

static guint32
job_roles (const LkController *self, const LkPeer *peer, guint32 job_id)
{
  const LkView *view = lk_engine_view (self->engine);
  LkJobIndex job = job_or_task (self, job_id);
  guint32 user_id;
  if (job == LK_JOB_NONE)
    return lk_engine_ended_user (self->engine, job_id, &user_id) && user_id == peer->user_id
               ? LK_ROLE_OWNER
               : 0;
  guint32 roles = view->jobs->user_id[job] == peer->user_id ? LK_ROLE_OWNER : 0;
  return roles | (coordinates_job (self, peer, job) ? LK_ROLE_COORDINATOR : 0);
}

/* All jobs that it can mean are his. */
static guint32
cancel_roles (const LkController *self, const LkPeer *peer, const LkEvent_cancel *cancel)
{
  if ((cancel->filter & LK_FILTER_USER_ID) != 0 && cancel->user_id == peer->user_id)
    return LK_ROLE_OWNER;
  if (cancel->filter == 0 || (cancel->filter & LK_FILTER_JOB_ID) != 0)
    return job_roles (self, peer, cancel->job_id);
  return 0;
}

static gboolean
first_event (const LkMessage *message, LkEvent *out_event)
{
  const LkRequestHead *head = lk_message_request (message);
  gsize used = lk_event_decode (head->event.bytes, head->event.length_bytes, out_event);
  return used != 0 && out_event->kind == lk_message_event_kind (message->kind);
}

gboolean
lk_controller_is_step_request (const LkMessage *message)
{
  return message->kind == LK_MESSAGE_STEP_CREATE || message->kind == LK_MESSAGE_STEP_SIGNAL
         || message->kind == LK_MESSAGE_STEP_UPDATE || message->kind == LK_MESSAGE_STEP_ATTACH
         || message->kind == LK_MESSAGE_JOB_COMPLETE || message->kind == LK_MESSAGE_ADMIN_COMMENT
         || message->kind == LK_MESSAGE_JOB_NOTIFY;
}

guint32
lk_controller_step_job (const LkMessage *message)
{
  /* They begin with the same fields. */
  LK_ASSERT (lk_controller_is_step_request (message));
  return message->step_create.job_id;
}

static guint32
user_roles (const LkController *self, const LkPeer *peer, const LkMessage *message)
{
  LkEvent event;
  guint32 roles = LK_ROLE_USER | staff_role (self, peer);
  if (lk_controller_is_step_request (message))
    return roles | job_roles (self, peer, lk_controller_step_job (message));
  if (lk_message_request (message) == NULL || !first_event (message, &event))
    return roles;
  if (event.kind == LK_EVENT_SUBMIT)
    return roles | (event.submit.user_id == peer->user_id ? LK_ROLE_OWNER : 0);
  const LkAccounts *accounts = lk_engine_accounts (self->engine);
  if (event.kind == LK_EVENT_ASSOCIATION && accounts != NULL
      && lk_accounts_makes_admin (accounts, &event.association))
    return roles & ~(guint32)LK_ROLE_OPERATOR;
  if (event.kind == LK_EVENT_CANCEL)
    return roles | cancel_roles (self, peer, &event.cancel);
  return roles | job_roles (self, peer, lk_event_job_id (&event));
}

/* ---------------------------------------------------------------- inside a job */

/* The run in which the process is; NULL: that has ended, or does not have the node. */
static const LkRun *
run_of_peer (const LkController *self, const LkPeer *peer)
{
  const LkRun *run = lk_run_find (self, peer->run_id);
  guint32 node =
      peer->node != NULL ? lk_controller_node_index (self, lk_text (peer->node)) : LK_INDEX_NONE;
  if (run == NULL || run->end_seq != 0 || run->user_id != peer->user_id || node == LK_INDEX_NONE)
    return NULL;
  const LkRunNode *on = lk_run_node (run, node);
  return on != NULL && !on->is_dropped ? run : NULL;
}

/* The job, or of a heterogeneous one its leader. */
static guint32
allocation_of (const LkController *self, guint32 job_id)
{
  LkJobInfo info;
  gboolean is_component = lk_engine_job (self->engine, job_id, &info) && info.het_leader != 0;
  return is_component ? info.het_leader : job_id;
}

gboolean
lk_controller_is_own_job (const LkController *self, const LkPeer *peer, guint32 job_id)
{
  const LkRun *run = run_of_peer (self, peer);
  return run != NULL && (job_roles (self, peer, job_id) & LK_ROLE_OWNER) != 0
         && allocation_of (self, job_id) == allocation_of (self, run->job_id);
}

/* A key of a job never makes staff or a coordinator of its user. */
static guint32
inside_roles (const LkController *self, const LkPeer *peer, const LkMessage *message)
{
  gboolean is_good = run_of_peer (self, peer) != NULL;
  if (lk_controller_is_step_request (message))
    is_good = lk_controller_is_own_job (self, peer, lk_controller_step_job (message));
  else if (message->kind == LK_MESSAGE_JOB_QUERY)
    is_good = is_good && (job_roles (self, peer, message->job_query.job_id) & LK_ROLE_OWNER) != 0;
  else if (message->kind != LK_MESSAGE_STATE_QUERY)
    is_good = FALSE;
  return is_good ? LK_ROLE_JOB : LK_ROLE_OTHER_JOB;
}

/* The node that a message of an agent names; NULL: it names none. */
static const LkText *
named_node (const LkMessage *message)
{
  switch (message->kind) {
  case LK_MESSAGE_REGISTER:
    return &message->register_node.node;
  case LK_MESSAGE_REPORT:
    return &message->report.node;
  case LK_MESSAGE_HEARTBEAT:
    return &message->heartbeat.node;
  case LK_MESSAGE_RUN_STARTED:
    return &message->run_started.node;
  case LK_MESSAGE_RUN_ENDED:
    return &message->run_ended.node;
  case LK_MESSAGE_SCRIPT_ENDED:
    return &message->script_ended.node;
  case LK_MESSAGE_RUN_HEARD:
    return &message->run_heard.node;
  case LK_MESSAGE_STEP_STARTED:
    return &message->step_started.node;
  case LK_MESSAGE_STEP_ENDED:
    return &message->step_ended.node;
  case LK_MESSAGE_STEP_HEARD:
    return &message->step_heard.node;
  case LK_MESSAGE_STEP_USAGE:
    return &message->step_usage.node;
  default:
    return NULL;
  }
}

guint32
lk_controller_roles (const LkController *self, const LkPeer *peer, const LkMessage *message)
{
  const LkText *node;
  switch (peer->kind) {
  case LK_PEER_USER:
    return user_roles (self, peer, message);
  case LK_PEER_AGENT:
    node = named_node (message);
    return node != NULL && text_is (*node, peer->name) ? LK_ROLE_AGENT : LK_ROLE_OTHER_AGENT;
  case LK_PEER_CONTROLLER:
    return LK_ROLE_CONTROLLER;
  case LK_PEER_STANDBY:
    return LK_ROLE_STANDBY;
  case LK_PEER_JOB:
    return inside_roles (self, peer, message);
  case LK_PEER_ANONYMOUS:
    break;
  }
  return LK_ROLE_ANONYMOUS;
}

/* ---------------------------------------------------------------- replies */

void
lk_controller_reply (LkController *self, LkPeerId peer, const LkMessage_reply *reply)
{
  LkMessage message = { .kind = LK_MESSAGE_REPLY, .reply = *reply };
  lk_controller_send_after (self, peer, reply->seq, &message);
}

static void
reply_error (LkController *self, const LkPeer *peer, const LkRequestHead *head, LkReject error)
{
  LkMessage_reply reply = { .session = head->session,
                            .request = head->request,
                            .error = (guint16)error };
  lk_controller_reply (self, peer->id, &reply);
}

gboolean
lk_controller_is_repeated (LkController *self, LkPeerId peer, guint32 user_id,
                           const LkRequestHead *head)
{
  const LkSession *session = lk_session_find (self, user_id, head->session);
  if (session == NULL || head->request > session->request)
    return FALSE;
  self->counts.repeated_count++;
  if (head->request == session->request) {
    LkMessage_reply reply = { .session = head->session,
                              .request = head->request,
                              .error = session->error,
                              .job_id = session->job_id,
                              .seq = session->seq,
                              .limit = session->limit };
    lk_controller_reply (self, peer, &reply);
  }
  return TRUE;
}

/* ---------------------------------------------------------------- taking requests */

/* The group of a user whose groups the machine does not know: no group may be called so, and an
 * empty one would mean, as in a workload, that nobody knows whether AllowGroups lets the job in. */
#define NO_GROUP "-"

static const char *
groups_of (const LkPeer *peer)
{
  return peer->groups != NULL && peer->groups[0] != '\0' ? peer->groups : NO_GROUP;
}

gboolean
lk_controller_is_nameless (const LkPeer *peer, guint32 roles)
{
  return peer->kind == LK_PEER_USER && (peer->name == NULL || peer->name[0] == '\0')
         && (roles & LK_ROLE_ADMINISTRATOR) == 0;
}

static void
trim_submit (const LkPeer *peer, guint32 roles, LkEvent_submit *submit)
{
  gboolean is_staff = (roles & LK_FROM_STAFF) != 0;
  if (!is_staff) {
    submit->priority = 0;
    submit->site_factor = 0;
  }
  /* Whose job it is follows from who asks, and in whose group; which partitions he may use, from
   * all his groups. */
  if ((roles & LK_ROLE_ADMINISTRATOR) == 0) {
    submit->group_id = peer->group_id;
    submit->group = lk_text (groups_of (peer));
  }
  if (submit->user_id == peer->user_id && peer->name != NULL)
    submit->user = lk_text (peer->name);
}

void
lk_controller_trim (const LkPeer *peer, guint32 roles, LkEvent *event)
{
  gboolean is_staff = (roles & LK_FROM_STAFF) != 0;
  switch (event->kind) {
  case LK_EVENT_SUBMIT:
    trim_submit (peer, roles, &event->submit);
    break;
  case LK_EVENT_UPDATE:
    if (!lk_controller_is_top (event))
      event->update.by_admin = is_staff ? 1 : 0;
    break;
  case LK_EVENT_HOLD:
    event->hold.by_admin = is_staff ? event->hold.by_admin : 0;
    break;
  case LK_EVENT_RELEASE:
    event->release.by_user = is_staff ? 0 : 1;
    break;
  default:
    break;
  }
}

#define TEXT_FITS(field, max_bytes) &&event->submit.field.length_bytes <= (max_bytes)
#define NEW_TEXT_FITS(field, max_bytes) &&event->update.field.length_bytes <= (max_bytes)

/* Later messages about a job repeat them, and have to fit, too. */
static gboolean
has_short_texts (const LkEvent *event)
{
  if (event->kind == LK_EVENT_SUBMIT)
    return TRUE LK_JOB_TEXT_LIMITS (TEXT_FITS);
  return event->kind != LK_EVENT_UPDATE || (TRUE LK_JOB_TEXT_LIMITS (NEW_TEXT_FITS));
}

gboolean
lk_controller_names_fit (const LkController *self, LkLongText list, guint32 per_node)
{
  guint64 count;
  guint64 count_max = (guint64)self->node_count * per_node + list.length_bytes / 2;
  return !lk_hostlist_count (list.bytes, list.length_bytes, &count) || count <= count_max;
}

/* Lists of nodes of an event stand for no more names than there are nodes. */
static gboolean
has_known_nodes (const LkController *self, const LkEvent *event)
{
  LkText lists[2] = { lk_text (""), lk_text ("") };
  if (event->kind == LK_EVENT_SUBMIT) {
    lists[0] = event->submit.node_list;
    lists[1] = event->submit.exclude;
  } else if (event->kind == LK_EVENT_UPDATE) {
    lists[0] = event->update.node_list;
    lists[1] = event->update.exclude;
  } else if (event->kind == LK_EVENT_CANCEL) {
    lists[0] = event->cancel.node_list;
  }
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    if (!lk_controller_names_fit (self, (LkLongText){ lists[i].bytes, lists[i].length_bytes }, 1))
      return FALSE;
  return TRUE;
}

LkReject
lk_controller_refusal_of_event (const LkController *self, const LkEvent *event)
{
  if (!has_short_texts (event))
    return LK_REJECT_TOO_LONG;
  return has_known_nodes (self, event) ? (LkReject)0 : LK_REJECT_NODE_UNKNOWN;
}

/* FALSE: a name of its user or of a group of his, which the system gives, is not UTF-8. */
static gboolean
append_event (const LkEvent *event, GByteArray *bytes)
{
  LkEvent same;
  guint begin = bytes->len;
  lk_event_encode (event, bytes);
  return lk_event_decode (bytes->data + begin, bytes->len - begin, &same) != 0;
}

/* Copies the events of a request, trimmed, into the entry. Returns: 0, or why they are refused. */
static LkReject
copy_events (const LkController *self, const LkPeer *peer, const LkMessage *message, guint32 roles,
             LkInboxEntry *entry)
{
  const LkRequestHead *head = lk_message_request (message);
  guint kind = lk_message_event_kind (message->kind);
  guint32 at = 0;
  while (at < head->event.length_bytes) {
    LkEvent event;
    gsize used = lk_event_decode (head->event.bytes + at, head->event.length_bytes - at, &event);
    if (used == 0 || event.kind != kind)
      return LK_REJECT_REQUEST_INVALID;
    gboolean is_component = kind == LK_EVENT_SUBMIT && event.submit.het_count > 0
                            && event.submit.het_offset == entry->event_count;
    if (entry->event_count > 0 && (!is_component || entry->event_count >= LK_LIMIT_HET_COMPONENTS))
      return LK_REJECT_REQUEST_INVALID;
    if (kind == LK_EVENT_SUBMIT && (roles & LK_ROLE_ADMINISTRATOR) == 0
        && event.submit.user_id != peer->user_id)
      return LK_REJECT_REQUEST_INVALID;
    LkReject error = lk_controller_refusal_of_event (self, &event);
    if (error != 0)
      return error;
    lk_controller_trim (peer, roles, &event);
    if (!append_event (&event, entry->bytes))
      return LK_REJECT_REQUEST_INVALID;
    entry->event_count++;
    at += (guint32)used;
  }
  return entry->event_count > 0 ? (LkReject)0 : LK_REJECT_REQUEST_INVALID;
}

/* Does one who is no staff push a job forward?  slurmctld refuses that, and does not pass it
 * over. */
static gboolean
lowers_nice (const LkMessage *message, guint32 roles)
{
  const LkRequestHead *head = lk_message_request (message);
  LkEvent event;
  gsize used;
  if (message->kind != LK_MESSAGE_SUBMIT || (roles & LK_FROM_STAFF) != 0)
    return FALSE;
  for (guint32 at = 0; at < head->event.length_bytes; at += (guint32)used) {
    used = lk_event_decode (head->event.bytes + at, head->event.length_bytes - at, &event);
    if (used == 0 || event.kind != LK_EVENT_SUBMIT)
      return FALSE;
    if (event.submit.nice < 0)
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_listed_host (const char *list, LkText host)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (*list == '\0' || g_ascii_strcasecmp (list, "ALL") == 0
      || !lk_hostlist_expand (list, strlen (list), names, NULL))
    return TRUE;
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    if (strlen (name) == host.length_bytes && memcmp (name, host.bytes, host.length_bytes) == 0)
      return TRUE;
  }
  return FALSE;
}

/* Is the partition among those asked for, with commas between? None asked for: the default one. */
static gboolean
is_asked_for (const LkPartitionSpec *spec, LkText asked)
{
  gsize length = strlen (spec->name);
  const char *end = asked.bytes + asked.length_bytes;
  for (const char *at = asked.bytes; at < end;) {
    const char *comma = memchr (at, ',', (gsize)(end - at));
    const char *behind = comma != NULL ? comma : end;
    if ((gsize)(behind - at) == length && memcmp (at, spec->name, length) == 0)
      return TRUE;
    at = behind + 1;
  }
  return asked.length_bytes == 0 && spec->is_default;
}

/* AllocNodes: does a job come from where none of a partition may come from?  As with Slurm, what a
 * client says of its host is believed. */
static gboolean
comes_from_elsewhere (const LkController *self, const LkMessage *message)
{
  const LkMachine *machine = lk_engine_machine (self->engine);
  const LkRequestHead *head = lk_message_request (message);
  LkEvent event;
  gsize used;
  if (message->kind != LK_MESSAGE_SUBMIT || machine == NULL
      || message->submit.host.length_bytes == 0)
    return FALSE;
  for (guint32 at = 0; at < head->event.length_bytes; at += (guint32)used) {
    used = lk_event_decode (head->event.bytes + at, head->event.length_bytes - at, &event);
    if (used == 0)
      return FALSE;
    for (guint32 i = 0; i < machine->partition_count; i++) {
      const LkPartitionSpec *spec = machine->partitions[i].spec;
      if (!is_listed_host (spec->alloc_nodes, message->submit.host)
          && is_asked_for (spec, event.submit.partition))
        return TRUE;
    }
  }
  return FALSE;
}

/* Does one order his jobs who may not? */
static gboolean
tops_jobs (const LkController *self, const LkMessage *message, guint32 roles)
{
  LkEvent event;
  return message->kind == LK_MESSAGE_UPDATE && (roles & LK_FROM_STAFF) == 0
         && !self->config.users_may_top && first_event (message, &event)
         && lk_controller_is_top (&event);
}

/* Fills in the events of the entry. Returns: 0, or why the request is refused. */
static LkReject
refusal_of_bytes (const LkController *self, const LkPeer *peer, const LkMessage *message,
                  guint32 roles, LkInboxEntry *entry)
{
  const LkRequestHead *head = lk_message_request (message);
  if (head->session == 0 || head->request == 0)
    return LK_REJECT_REQUEST_INVALID;
  if (message->kind == LK_MESSAGE_SUBMIT
      && message->submit.payload.length_bytes > LK_MESSAGE_PAYLOAD_MAX_BYTES)
    return LK_REJECT_TOO_LONG;
  return copy_events (self, peer, message, roles, entry);
}

/* Why a request that can be read never becomes an event; 0: it may. */
static LkReject
refusal_of (const LkController *self, const LkPeer *peer, const LkMessage *message, guint32 roles)
{
  if (message->kind == LK_MESSAGE_SUBMIT && lk_controller_is_nameless (peer, roles))
    return LK_REJECT_USER_UNKNOWN;
  if (lowers_nice (message, roles) || tops_jobs (self, message, roles)
      || comes_from_elsewhere (self, message))
    return LK_REJECT_PERMISSION;
  return message->kind == LK_MESSAGE_SUBMIT ? lk_bounds_check_script (self, message->submit.payload)
                                            : 0;
}

void
lk_controller_take_request (LkController *self, const LkPeer *peer, const LkMessage *message,
                            guint32 roles)
{
  const LkRequestHead *head = lk_message_request (message);
  LkInboxEntry entry = { .rank = lk_event_rank (lk_message_event_kind (message->kind)),
                         .arrival = self->inbox->len,
                         .is_request = TRUE,
                         .peer = peer->id,
                         .user_id = peer->user_id,
                         .session = head->session,
                         .request = head->request,
                         .is_submit = message->kind == LK_MESSAGE_SUBMIT,
                         .bytes = g_byte_array_new () };
  LkReject error = refusal_of_bytes (self, peer, message, roles, &entry);
  if (error != 0) {
    self->counts.malformed_count++;
    lk_log_refused (self, peer, message);
    g_byte_array_unref (entry.bytes);
    reply_error (self, peer, head, error);
    return;
  }
  LkReject reject = refusal_of (self, peer, message, roles);
  if (reject != 0) {
    self->counts.refused_count++;
    lk_log_refused (self, peer, message);
    g_byte_array_unref (entry.bytes);
    reply_error (self, peer, head, reject);
    return;
  }
  if (message->kind == LK_MESSAGE_SUBMIT) {
    entry.payload_bytes = message->submit.payload.length_bytes;
    if (entry.payload_bytes > 0)
      g_byte_array_append (entry.bytes, message->submit.payload.bytes, entry.payload_bytes);
  }
  g_array_append_val (self->inbox, entry);
}

/* ---------------------------------------------------------------- applying them */

static void
number_submit (LkController *self, LkEvent_submit *submit)
{
  guint32 engine_next = lk_engine_job_id_next (self->engine);
  self->job_id_last = MAX (self->job_id_last + 1, engine_next);
  submit->job_id = self->job_id_last;
  if (submit->het_count > 0)
    submit->het_leader = submit->job_id - submit->het_offset;
}

void
lk_controller_forget_submit (LkController *self, const LkEvent_submit *submit, guint32 last_before,
                             guint32 user_id, guint reject)
{
  gboolean by_admin = user_id == 0 || user_id == self->config.administrator_user_id;
  g_hash_table_remove (self->payloads, GUINT_TO_POINTER (submit->job_id));
  if (!lk_reject_keeps_number ((LkReject)reject, by_admin))
    self->job_id_last = last_before;
}

static void
apply_one (LkController *self, LkEvent *event, LkPayload *payload, const LkInboxEntry *entry,
           LkMessage_reply *reply)
{
  guint32 last_before = self->job_id_last;
  event->time_us = self->engine_us;
  if (event->kind == LK_EVENT_SUBMIT) {
    number_submit (self, &event->submit);
    g_hash_table_replace (self->payloads, GUINT_TO_POINTER (event->submit.job_id),
                          lk_payload_ref (payload));
  }
  if (event->kind == LK_EVENT_UPDATE)
    lk_update_settle (self->engine, &event->update);
  LkMessage_reply own = { 0 };
  self->answering = &own;
  self->asker_user_id = entry->user_id;
  lk_controller_apply (self, event);
  lk_log_request (self, event, entry->user_id, &own);
  self->asker_user_id = self->config.administrator_user_id;
  self->answering = NULL;
  if (event->kind == LK_EVENT_SUBMIT && own.error != 0)
    lk_controller_forget_submit (self, &event->submit, last_before, entry->user_id, own.error);
  /* Of several components the first is the job, and one that is refused all. */
  reply->limit = reply->error != 0 ? reply->limit : own.limit;
  reply->error = reply->error != 0 ? reply->error : own.error;
  reply->job_id = reply->job_id != 0 ? reply->job_id : own.job_id;
}

void
lk_controller_apply_request (LkController *self, const LkInboxEntry *entry)
{
  /* Twice at one instant. */
  LkRequestHead head = { .session = entry->session, .request = entry->request };
  if (lk_controller_is_repeated (self, entry->peer, entry->user_id, &head))
    return;
  LkMessage_reply reply = { .session = entry->session, .request = entry->request };
  guint event_bytes = entry->bytes->len - entry->payload_bytes;
  LkPayload *payload =
      lk_payload_new (self->payload_parts, entry->bytes->data + event_bytes, entry->payload_bytes);
  gsize at = 0;
  LkInboxEntry done = *entry;
  /* It is no event: those that are applied before it have made the state that counts. */
  LkReject reject = entry->is_submit ? lk_bounds_check_submit (self, entry, payload) : 0;
  if (reject != 0) {
    lk_payload_unref (payload);
    reply.error = (guint16)reject;
    reply.seq = self->seq;
    lk_controller_reply (self, entry->peer, &reply);
    return;
  }
  for (guint32 i = 0; i < entry->event_count; i++) {
    LkEvent event;
    gsize used = lk_event_decode (entry->bytes->data + at, event_bytes - at, &event);
    LK_ASSERT (used != 0); /* append_event has read it */
    at += used;
    if (lk_controller_is_top (&event))
      done.event_count = lk_controller_apply_top (self, event.update.job_id, &reply);
    else
      apply_one (self, &event, payload, entry, &reply);
  }
  lk_payload_unref (payload);
  if (done.event_count > 0)
    lk_controller_note_request (self, &done, &reply);
  reply.seq = self->seq;
  LkSession session = { .key = { entry->user_id, entry->session },
                        .request = entry->request,
                        .seq = reply.seq,
                        .job_id = reply.job_id,
                        .error = reply.error,
                        .limit = reply.limit };
  lk_session_note (self, &session);
  lk_controller_reply (self, entry->peer, &reply);
}

/* ---------------------------------------------------------------- queries */

void
lk_controller_query (LkController *self, const LkPeer *peer, const LkMessage *message)
{
  const LkMessage_job_query *query = &message->job_query;
  LkMessage answer = { .kind = LK_MESSAGE_JOB_INFO };
  LkMessage_job_info *out = &answer.job_info;
  LkJobInfo info;
  *out = (LkMessage_job_info){ .request = query->request,
                               .job_id = query->job_id,
                               .start_us = LK_TIME_NEVER };
  if (lk_engine_job (self->engine, query->job_id, &info)) {
    out->known = 1;
    out->state = (guint8)info.state;
    out->reason = (guint8)info.reason_shown;
    out->start_us = info.start_us;
  }
  lk_controller_send_after (self, peer->id, self->seq, &answer);
}
