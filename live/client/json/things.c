/* live/client/json/things.c — what the controller is and has done, reservations and licences. */
#include "live/client/json/things.h"

#include "engine/reservation.h"
#include "live/client/json/machine.h"
#include "live/client/json/put.h"
#include "live/client/json/shapes.h"

#define MINUTE_US (60 * (gint64)G_USEC_PER_SEC)
#define TEXT(text) lk_put_bytes (out, (text).bytes, (text).length_bytes)
#define TEXT_OR_NULL(text) lk_put_bytes_or_null (out, (text).bytes, (text).length_bytes)
#define LIST(text) lk_put_list (out, (text).bytes, (text).length_bytes, ',')
#define COUNT(value) lk_put_count (out, value)
#define NUMBER(is_set, value) lk_put_number (out, is_set, value)
#define MOMENT(time_us) lk_put_moment (out, time_us)

char *
lk_json_cluster (const LkClient *client)
{
  g_autoptr (LkCluster) cluster = lk_json_machine (client);
  return g_strdup (cluster != NULL ? cluster->name : "");
}

/* ---------------------------------------------------------------- the controller */

static gint64
passes_per_minute (const LkRecord_controller *told)
{
  gint64 minutes = (told->now_us - told->counted_us) / MINUTE_US;
  return (gint64)told->pass_count / MAX (1, minutes);
}

static gint64
pass_mean_us (const LkRecord_controller *told)
{
  return told->pass_count > 0 ? told->pass_sum_us / (gint64)told->pass_count : 0;
}

static gint64
backfilled_all (const LkRecord_controller *told)
{
  return (gint64)(told->backfill_before_count + told->backfill_count);
}

#define TOTAL(member) COUNT ((gint64)told->member)
#define STATISTICS_MEMBERS(X)                                                                      \
  X (packed, "parts_packed", COUNT (1))                                                            \
  X (now, "req_time", MOMENT (told->now_us))                                                       \
  X (began, "req_time_start", MOMENT (told->counted_us))                                           \
  X (threads, "server_thread_count", COUNT (1))                                                    \
  X (unsent, "agent_queue_size", TOTAL (unsent_count))                                             \
  X (pass_most, "schedule_cycle_max", TOTAL (pass_max_us))                                         \
  X (pass_last, "schedule_cycle_last", TOTAL (pass_last_us))                                       \
  X (pass_sum, "schedule_cycle_sum", TOTAL (pass_sum_us))                                          \
  X (passes, "schedule_cycle_total", TOTAL (pass_count))                                           \
  X (pass_mean, "schedule_cycle_mean", COUNT (pass_mean_us (told)))                                \
  X (pass_rate, "schedule_cycle_per_minute", COUNT (passes_per_minute (told)))                     \
  X (queue, "schedule_queue_length", TOTAL (queue_last))                                           \
  X (submitted, "jobs_submitted", TOTAL (submit_count))                                            \
  X (started, "jobs_started", TOTAL (start_count))                                                 \
  X (completed, "jobs_completed", TOTAL (completed_count))                                         \
  X (cancelled, "jobs_canceled", TOTAL (cancelled_count))                                          \
  X (failed, "jobs_failed", TOTAL (failed_count))                                                  \
  X (pending, "jobs_pending", TOTAL (pending_count))                                               \
  X (running, "jobs_running", TOTAL (running_count))                                               \
  X (states, "job_states_ts", MOMENT (told->now_us))                                               \
  X (backfilled, "bf_backfilled_jobs", COUNT (backfilled_all (told)))                              \
  X (backfilled_last, "bf_last_backfilled_jobs", TOTAL (backfill_count))                           \
  X (backfill_when, "bf_when_last_cycle", NUMBER (TRUE, 0))                                        \
  X (rpc_kinds, "rpcs_by_message_type", put_rpc_kinds (out, report))                               \
  X (rpc_users, "rpcs_by_user", put_rpc_users (out, report))

static void
put_rpc_kinds (GString *out, const LkSdiagRpcs *rpcs)
{
  g_string_append_c (out, '[');
  for (guint i = 0; i < rpcs->kinds->len; i++) {
    const LkSdiagRpc *row = &g_array_index (rpcs->kinds, LkSdiagRpc, i);
    g_string_append_printf (out, "%s{\"type_id\":%u,\"message_type\":", i > 0 ? "," : "", row->id);
    lk_put_string (out, row->name);
    g_string_append_printf (out,
                            ",\"count\":%" G_GINT64_FORMAT
                            ",\"queued\":0,\"dropped\":0,\"cycle_last\":0,"
                            "\"cycle_max\":0,\"total_time\":%" G_GINT64_FORMAT ",\"average_time\":",
                            row->count, row->sum_us);
    lk_put_number (out, TRUE, lk_sdiag_rpc_mean_us (row));
    g_string_append_c (out, '}');
  }
  g_string_append_c (out, ']');
}

static void
put_rpc_users (GString *out, const LkSdiagRpcs *rpcs)
{
  g_string_append_c (out, '[');
  for (guint i = 0; i < rpcs->users->len; i++) {
    const LkSdiagRpc *row = &g_array_index (rpcs->users, LkSdiagRpc, i);
    g_string_append_printf (out, "%s{\"user_id\":%u,\"user\":", i > 0 ? "," : "", row->id);
    lk_put_string (out, row->name);
    g_string_append_printf (out,
                            ",\"count\":%" G_GINT64_FORMAT ",\"total_time\":%" G_GINT64_FORMAT
                            ",\"average_time\":",
                            row->count, row->sum_us);
    lk_put_number (out, TRUE, lk_sdiag_rpc_mean_us (row));
    g_string_append_c (out, '}');
  }
  g_string_append_c (out, ']');
}

static void
put_digest (GString *out, const LkRecord_controller *told)
{
  g_string_append_printf (out, "\"%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x\"",
                          told->digest_high, told->digest_low);
}

#define OWN_MEMBERS(X)                                                                             \
  X (own_now, "now_us", TOTAL (now_us))                                                            \
  X (own_began, "began_us", TOTAL (began_us))                                                      \
  X (own_counted, "counted_us", TOTAL (counted_us))                                                \
  X (own_term, "term", TOTAL (term))                                                               \
  X (own_events, "event_count", TOTAL (seq))                                                       \
  X (own_digest, "digest", put_digest (out, told))                                                 \
  X (own_agents, "agent_count", TOTAL (agent_count))                                               \
  X (own_pending, "pending_count", TOTAL (pending_count))                                          \
  X (own_running, "running_count", TOTAL (running_count))                                          \
  X (own_submits, "submit_count", TOTAL (submit_count))                                            \
  X (own_starts, "start_count", TOTAL (start_count))                                               \
  X (own_backfilled, "backfill_count", TOTAL (backfill_count))                                     \
  X (own_ends, "end_count", TOTAL (end_count))                                                     \
  X (own_completed, "completed_count", TOTAL (completed_count))                                    \
  X (own_cancelled, "cancelled_count", TOTAL (cancelled_count))                                    \
  X (own_failed, "failed_count", TOTAL (failed_count))                                             \
  X (own_passes, "pass_count", TOTAL (pass_count))                                                 \
  X (own_last, "pass_last_us", TOTAL (pass_last_us))                                               \
  X (own_most, "pass_max_us", TOTAL (pass_max_us))                                                 \
  X (own_mean, "pass_mean_us", COUNT (pass_mean_us (told)))                                        \
  X (own_sum, "pass_sum_us", TOTAL (pass_sum_us))                                                  \
  X (own_queue, "queue_last_count", TOTAL (queue_last))                                            \
  X (own_unsent, "unsent_count", TOTAL (unsent_count))                                             \
  X (own_refused, "refused_count", TOTAL (refused_count))                                          \
  X (own_malformed, "malformed_count", TOTAL (malformed_count))                                    \
  X (own_order, "order", TEXT (told->order))                                                       \
  X (own_backfill, "backfill", TEXT (told->backfill))                                              \
  X (own_select, "select", TEXT (told->select))                                                    \
  X (own_preempt, "preempt", TEXT_OR_NULL (told->preempt))

#define X(name, path, what)                                                                        \
  static void controller_##name (GString *out, gconstpointer report, gconstpointer row)            \
  {                                                                                                \
    const LkRecord_controller *told = row;                                                         \
    (void)report;                                                                                  \
    (void)told;                                                                                    \
    what;                                                                                          \
  }
STATISTICS_MEMBERS (X)
OWN_MEMBERS (X)
#undef X

void
lk_json_statistics (const LkClient *client, const LkJsonChoice *choice, const char *cluster,
                    const LkRecord_controller *told, const LkSdiagRpcs *rpcs)
{
#define X(name, path, what) { path, controller_##name },
  static const LkShapeMember members[] = { STATISTICS_MEMBERS (X){ NULL, NULL } };
  static const LkShapeMember own[] = { OWN_MEMBERS (X){ NULL, NULL } };
#undef X
  static const LkJsonKind kind = { "statistics", lk_shape_statistics, members };
  static const LkJsonKind own_kind = { "controller", lk_shape_own_controller, own };
  LkJson json;
  lk_json_begin (&json, client, choice, cluster);
  lk_json_one (&json, choice->is_own ? &own_kind : &kind, rpcs, told);
  lk_json_end (&json);
}

/* ---------------------------------------------------------------- ping */

#define PING_MEMBERS(X)                                                                            \
  X (host, "hostname", lk_put_string (out, client->host))                                          \
  X (pinged, "pinged", lk_put_string (out, ping->is_up ? "UP" : "DOWN"))                           \
  X (responding, "responding", lk_put_flag (out, ping->is_up))                                     \
  X (latency, "latency", COUNT (ping->latency_us))                                                 \
  X (mode, "mode", lk_put_string (out, "primary"))                                                 \
  X (primary, "primary", lk_put_flag (out, TRUE))                                                  \
  X (status, "status", lk_put_string (out, ping->is_up ? "No error" : "Unspecified error"))

#define X(name, path, what)                                                                        \
  static void ping_##name (GString *out, gconstpointer report, gconstpointer row)                  \
  {                                                                                                \
    const LkClient *client = report;                                                               \
    const LkJsonPing *ping = row;                                                                  \
    (void)client;                                                                                  \
    (void)ping;                                                                                    \
    what;                                                                                          \
  }
PING_MEMBERS (X)
#undef X

void
lk_json_ping (const LkClient *client, const LkJsonChoice *choice, const LkJsonPing *ping)
{
#define X(name, path, what) { path, ping_##name },
  static const LkShapeMember members[] = { PING_MEMBERS (X){ NULL, NULL } };
#undef X
  static const LkJsonKind kind = { "pings", lk_shape_ping, members };
  g_autofree char *cluster = ping->is_up ? lk_json_cluster (client) : g_strdup ("");
  LkJson json;
  lk_json_begin (&json, client, choice, cluster);
  lk_json_open (&json, &kind);
  lk_json_row (&json, client, ping);
  lk_json_close (&json);
  lk_json_end (&json);
}

/* ---------------------------------------------------------------- reservations */

/* Of the words of the engine those that data_parser has, in its own spelling; of our own all. */
static void
put_flags (GString *out, guint32 flags, gboolean is_own)
{
  static const struct {
    guint32 flag;
    const char *word;
  } words[] = {
#define X(NAME, bit, word) { LK_RESERVATION_##NAME, word },
    LK_RESERVATION_FLAGS (X)
#undef X
  };
  g_autoptr (GString) list = g_string_new (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++) {
    const char *word = words[i].word;
    if ((flags & words[i].flag) == 0)
      continue;
    if (!is_own && words[i].flag == LK_RESERVATION_STATIC_ALLOC)
      word = "STATIC";
    else if (!is_own && words[i].flag == LK_RESERVATION_NO_HOLD_JOBS_AFTER)
      word = "NO_HOLD_JOBS_AFTER_END";
    else if (!is_own && words[i].flag == LK_RESERVATION_LICENSE_ONLY)
      continue;
    g_string_append_printf (list, "%s,", word);
  }
  lk_put_list (out, list->str, list->len, ',');
}

static void
put_tres (GString *out, const LkRecord_reservation *told)
{
  if (told->tres.length_bytes == 0 && told->cpus_reserved > 0)
    g_string_append_printf (out, "\"cpu=%u\"", told->cpus_reserved);
  else
    TEXT (told->tres);
}

#define RESERVATION_MEMBERS(X)                                                                     \
  X (accounts, "accounts", TEXT (told->accounts))                                                  \
  X (cores, "core_count", COUNT (told->cores_reserved))                                            \
  X (end, "end_time", MOMENT (told->to_us))                                                        \
  X (features, "features", TEXT (told->features))                                                  \
  X (flags, "flags", put_flags (out, told->flag_bits, FALSE))                                      \
  X (groups, "groups", TEXT (told->groups))                                                        \
  X (licenses, "licenses", TEXT (told->license_names))                                             \
  X (delay, "max_start_delay", COUNT (told->max_start_delay_us / G_USEC_PER_SEC))                  \
  X (name, "name", TEXT (told->reservation_name))                                                  \
  X (nodes, "node_count", COUNT (told->nodes_reserved))                                            \
  X (list, "node_list", TEXT (told->node_names))                                                   \
  X (partition, "partition", TEXT (told->partition))                                               \
  X (purge, "purge_completed.time", NUMBER (told->purge_us != 0, told->purge_us / G_USEC_PER_SEC)) \
  X (start, "start_time", MOMENT (told->from_us))                                                  \
  X (tres, "tres", put_tres (out, told))                                                           \
  X (users, "users", TEXT (told->users))

#define OWN_RESERVATION_MEMBERS(X)                                                                 \
  X (own_name, "name", TEXT (told->reservation_name))                                              \
  X (own_start, "start_us", COUNT (told->from_us))                                                 \
  X (own_end, "end_us", COUNT (told->to_us))                                                       \
  X (own_active, "is_active", lk_put_flag (out, told->is_active != 0))                             \
  X (own_flags, "flags", put_flags (out, told->flag_bits, TRUE))                                   \
  X (own_list, "node_list", TEXT (told->node_names))                                               \
  X (own_nodes, "node_count", COUNT (told->nodes_reserved))                                        \
  X (own_cores, "core_count", COUNT (told->cores_reserved))                                        \
  X (own_cpus, "cpu_count", COUNT (told->cpus_reserved))                                           \
  X (own_partition, "partition", TEXT_OR_NULL (told->partition))                                   \
  X (own_features, "features", TEXT_OR_NULL (told->features))                                      \
  X (own_licenses, "licenses", TEXT_OR_NULL (told->license_names))                                 \
  X (own_users, "users", LIST (told->users))                                                       \
  X (own_accounts, "accounts", LIST (told->accounts))                                              \
  X (own_groups, "groups", LIST (told->groups))                                                    \
  X (own_qos, "qos", LIST (told->qos))

#define X(name, path, what)                                                                        \
  static void reservation_##name (GString *out, gconstpointer report, gconstpointer row)           \
  {                                                                                                \
    const LkRecord_reservation *told = row;                                                        \
    (void)report;                                                                                  \
    what;                                                                                          \
  }
RESERVATION_MEMBERS (X)
OWN_RESERVATION_MEMBERS (X)
#undef X

/* ---------------------------------------------------------------- licences */

#define LICENSE_MEMBERS(X)                                                                         \
  X (name, "LicenseName", TEXT (told->name))                                                       \
  X (total, "Total", COUNT (told->total))                                                          \
  X (used, "Used", COUNT (told->used))                                                             \
  X (free, "Free", COUNT ((gint64)told->total - told->used))
#define OWN_LICENSE_MEMBERS(X)                                                                     \
  X (own_name, "name", TEXT (told->name))                                                          \
  X (own_total, "total_count", COUNT (told->total))                                                \
  X (own_used, "used_count", COUNT (told->used))                                                   \
  X (own_free, "free_count", COUNT ((gint64)told->total - told->used))

#define X(name, path, what)                                                                        \
  static void license_##name (GString *out, gconstpointer report, gconstpointer row)               \
  {                                                                                                \
    const LkRecord_license *told = row;                                                            \
    (void)report;                                                                                  \
    what;                                                                                          \
  }
LICENSE_MEMBERS (X)
OWN_LICENSE_MEMBERS (X)
#undef X

/* ---------------------------------------------------------------- lists of records */

typedef struct {
  LkJson json;
  const char *name; /* NULL: all */
  guint count;
} Listing;

static void
row_take (gpointer user, const LkRecord *record)
{
  Listing *self = user;
  gboolean is_license = record->kind == LK_RECORD_LICENSE;
  LkText name = is_license ? record->license.name : record->reservation.reservation_name;
  if (self->name != NULL
      && (name.length_bytes != strlen (self->name)
          || memcmp (name.bytes, self->name, name.length_bytes) != 0))
    return;
  self->count++;
  if (is_license)
    lk_json_row (&self->json, NULL, &record->license);
  else
    lk_json_row (&self->json, NULL, &record->reservation);
}

/* What is told is kept back until it is known that there is something. */
static gboolean
list (const LkClient *client, const LkJsonChoice *choice, const char *name, LkRecordKind record,
      const LkJsonKind *kind)
{
  g_autofree char *cluster = lk_json_cluster (client);
  g_autoptr (GError) error = NULL;
  Listing self = { .name = name };
  lk_json_begin (&self.json, client, choice, cluster);
  lk_json_open (&self.json, kind);
  gboolean is_told =
      lk_client_query (client, &(LkClientQuery){ .kind = record }, row_take, &self, &error);
  if (!is_told)
    lk_client_error (client, "%s", error->message);
  else if (name != NULL && self.count == 0)
    fprintf (client->err, "%s %s not found\n",
             record == LK_RECORD_LICENSE ? "License" : "Reservation", name);
  lk_json_close (&self.json);
  if (!is_told || (name != NULL && self.count == 0)) {
    lk_json_drop (&self.json);
    return FALSE;
  }
  if (!choice->is_own)
    lk_json_moment (&self.json, "last_update", client->now_us);
  lk_json_end (&self.json);
  return TRUE;
}

gboolean
lk_json_reservations (const LkClient *client, const LkJsonChoice *choice, const char *name)
{
#define X(name, path, what) { path, reservation_##name },
  static const LkShapeMember members[] = { RESERVATION_MEMBERS (X){ NULL, NULL } };
  static const LkShapeMember own[] = { OWN_RESERVATION_MEMBERS (X){ NULL, NULL } };
#undef X
  static const LkJsonKind kind = { "reservations", lk_shape_reservation, members };
  static const LkJsonKind own_kind = { "reservations", lk_shape_own_reservation, own };
  return list (client, choice, name, LK_RECORD_RESERVATION, choice->is_own ? &own_kind : &kind);
}

gboolean
lk_json_licenses (const LkClient *client, const LkJsonChoice *choice, const char *name)
{
#define X(name, path, what) { path, license_##name },
  static const LkShapeMember members[] = { LICENSE_MEMBERS (X){ NULL, NULL } };
  static const LkShapeMember own[] = { OWN_LICENSE_MEMBERS (X){ NULL, NULL } };
#undef X
  static const LkJsonKind kind = { "licenses", lk_shape_license, members };
  static const LkJsonKind own_kind = { "licenses", lk_shape_own_license, own };
  return list (client, choice, name, LK_RECORD_LICENSE, choice->is_own ? &own_kind : &kind);
}
