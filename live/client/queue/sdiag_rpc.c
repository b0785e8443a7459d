/* live/client/queue/sdiag_rpc.c — see the header.
 *
 * A message of ours is called what Slurm calls the one with which its command asks for the same, as
 * programs know these names; several of ours may be one of Slurm's.  What Slurm has no word for has
 * its own name, with LOCKSTEP_ before it, and its own number.  Names and numbers are those of
 * Slurm's protocol; lines as in sdiag(1). */
#include "live/client/queue/sdiag_rpc.h"

#include "live/client/names.h"
#include "live/core/message.h"

static const struct {
  LkMessageKind message;
  LkRecordKind record; /* of a STATE_QUERY */
  guint32 id;
  const char *name;
} words[] = {
  { LK_MESSAGE_SUBMIT, 0, 4003, "REQUEST_SUBMIT_BATCH_JOB" },
  { LK_MESSAGE_UPDATE, 0, 3001, "REQUEST_UPDATE_JOB" },
  { LK_MESSAGE_HOLD, 0, 3001, "REQUEST_UPDATE_JOB" },
  { LK_MESSAGE_RELEASE, 0, 3001, "REQUEST_UPDATE_JOB" },
  { LK_MESSAGE_ADMIN_COMMENT, 0, 3001, "REQUEST_UPDATE_JOB" },
  { LK_MESSAGE_CANCEL, 0, 5032, "REQUEST_KILL_JOB" },
  { LK_MESSAGE_SIGNAL, 0, 5032, "REQUEST_KILL_JOB" },
  { LK_MESSAGE_REQUEUE, 0, 5023, "REQUEST_JOB_REQUEUE" },
  { LK_MESSAGE_SUSPEND, 0, 5014, "REQUEST_SUSPEND" },
  { LK_MESSAGE_RESUME, 0, 5014, "REQUEST_SUSPEND" },
  { LK_MESSAGE_NODE_UP, 0, 3002, "REQUEST_UPDATE_NODE" },
  { LK_MESSAGE_NODE_DOWN, 0, 3002, "REQUEST_UPDATE_NODE" },
  { LK_MESSAGE_NODE_DRAIN, 0, 3002, "REQUEST_UPDATE_NODE" },
  { LK_MESSAGE_NODE_RESUME, 0, 3002, "REQUEST_UPDATE_NODE" },
  { LK_MESSAGE_PARTITION, 0, 3005, "REQUEST_UPDATE_PARTITION" },
  { LK_MESSAGE_RESERVATION_CREATE, 0, 3006, "REQUEST_CREATE_RESERVATION" },
  { LK_MESSAGE_RESERVATION_DELETE, 0, 3008, "REQUEST_DELETE_RESERVATION" },
  { LK_MESSAGE_RESERVATION_UPDATE, 0, 3009, "REQUEST_UPDATE_RESERVATION" },
  { LK_MESSAGE_ASSOCIATION, 0, 10001, "ACCOUNTING_UPDATE_MSG" },
  { LK_MESSAGE_QOS, 0, 10001, "ACCOUNTING_UPDATE_MSG" },
  { LK_MESSAGE_JOB_QUERY, 0, 2021, "REQUEST_JOB_INFO_SINGLE" },
  { LK_MESSAGE_STATE_QUERY, LK_RECORD_JOB, 2003, "REQUEST_JOB_INFO" },
  { LK_MESSAGE_STATE_QUERY, LK_RECORD_STEP, 2005, "REQUEST_JOB_STEP_INFO" },
  { LK_MESSAGE_STATE_QUERY, LK_RECORD_NODE, 2007, "REQUEST_NODE_INFO" },
  { LK_MESSAGE_STATE_QUERY, LK_RECORD_PARTITION, 2009, "REQUEST_PARTITION_INFO" },
  { LK_MESSAGE_STATE_QUERY, LK_RECORD_RESERVATION, 2024, "REQUEST_RESERVATION_INFO" },
  { LK_MESSAGE_STATE_QUERY, LK_RECORD_LICENSE, 1021, "REQUEST_LICENSE_INFO" },
  { LK_MESSAGE_STATE_QUERY, LK_RECORD_CLUSTER, 2001, "REQUEST_BUILD_INFO" },
  { LK_MESSAGE_STATE_QUERY, LK_RECORD_ACCOUNTS, 2043, "REQUEST_ASSOC_MGR_INFO" },
  { LK_MESSAGE_STATE_QUERY, LK_RECORD_USE, 2043, "REQUEST_ASSOC_MGR_INFO" },
  { LK_MESSAGE_STATE_QUERY, LK_RECORD_PRIORITY, 2026, "REQUEST_PRIORITY_FACTORS" },
  { LK_MESSAGE_STATE_QUERY, LK_RECORD_SHARE, 2022, "REQUEST_SHARE_INFO" },
  { LK_MESSAGE_STATE_QUERY, LK_RECORD_CONTROLLER, 2035, "REQUEST_STATS_INFO" },
  { LK_MESSAGE_STATE_QUERY, LK_RECORD_RPC, 2035, "REQUEST_STATS_INFO" },
  { LK_MESSAGE_STATE_QUERY, LK_RECORD_TRIAL, 4012, "REQUEST_JOB_WILL_RUN" },
  { LK_MESSAGE_STATISTICS_RESET, 0, 2035, "REQUEST_STATS_INFO" },
  { LK_MESSAGE_LOG_LEVEL, 0, 1013, "REQUEST_SET_DEBUG_LEVEL" },
  { LK_MESSAGE_RECONFIGURE, 0, 1003, "REQUEST_RECONFIGURE" },
  { LK_MESSAGE_STEP_CREATE, 0, 5001, "REQUEST_JOB_STEP_CREATE" },
  { LK_MESSAGE_STEP_SIGNAL, 0, 5005, "REQUEST_CANCEL_JOB_STEP" },
  { LK_MESSAGE_STEP_UPDATE, 0, 5007, "REQUEST_UPDATE_JOB_STEP" },
  { LK_MESSAGE_JOB_NOTIFY, 0, 4022, "REQUEST_JOB_NOTIFY" },
  { LK_MESSAGE_STEP_ATTACH, 0, 5021, "REQUEST_STEP_LAYOUT" },
  { LK_MESSAGE_JOB_COMPLETE, 0, 5017, "REQUEST_COMPLETE_JOB_ALLOCATION" },
  { LK_MESSAGE_REGISTER, 0, 1002, "MESSAGE_NODE_REGISTRATION_STATUS" },
  { LK_MESSAGE_REPORT, 0, 1002, "MESSAGE_NODE_REGISTRATION_STATUS" },
  { LK_MESSAGE_RUN_STARTED, 0, 6018, "REQUEST_COMPLETE_PROLOG" },
  { LK_MESSAGE_SCRIPT_ENDED, 0, 5018, "REQUEST_COMPLETE_BATCH_SCRIPT" },
  { LK_MESSAGE_RUN_ENDED, 0, 6012, "MESSAGE_EPILOG_COMPLETE" },
  { LK_MESSAGE_STEP_ENDED, 0, 5016, "REQUEST_STEP_COMPLETE" },
};

typedef struct {
  LkSdiagRpcs *rpcs;
  LkNames users;
} Gather;

/* ---------------------------------------------------------------- rows */

static void
name_kind (const LkSdiagRpcs *self, const LkRecord_rpc *told, LkSdiagRpc *out)
{
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if ((guint)words[i].message == told->message && (guint)words[i].record == told->record) {
      out->id = words[i].id;
      out->name = words[i].name;
      return;
    }
  const char *kind = lk_message_kind_name (told->message);
  g_autofree char *upper = g_ascii_strup (kind != NULL ? kind : "UNKNOWN", -1);
  g_autofree char *name = g_strconcat ("LOCKSTEP_", upper, NULL);
  out->id = told->message;
  out->name = g_string_chunk_insert_const (self->names, name);
}

/* To the one of its number, if there is one. */
static void
add (GArray *rows, const LkSdiagRpc *one)
{
  for (guint i = 0; i < rows->len; i++) {
    LkSdiagRpc *row = &g_array_index (rows, LkSdiagRpc, i);
    if (row->id != one->id)
      continue;
    row->count += one->count;
    row->last_us = one->last_us;
    row->max_us = MAX (row->max_us, one->max_us);
    row->sum_us += one->sum_us;
    return;
  }
  g_array_append_vals (rows, one, 1);
}

static void
rpc_take (gpointer user, const LkRecord *record)
{
  Gather *self = user;
  const LkRecord_rpc *told = &record->rpc;
  LkSdiagRpc one = { .count = (gint64)MIN (told->count, G_MAXINT64),
                     .last_us = told->last_us,
                     .max_us = told->max_us,
                     .sum_us = told->sum_us };
  if (told->of_user == 0) {
    name_kind (self->rpcs, told, &one);
    add (self->rpcs->kinds, &one);
    return;
  }
  one.id = told->user_id;
  one.name =
      g_string_chunk_insert_const (self->rpcs->names, lk_names_user (&self->users, told->user_id));
  add (self->rpcs->users, &one);
}

static gint64
key_of (const LkSdiagRpc *row, LkSdiagOrder order)
{
  switch (order) {
  case LK_SDIAG_BY_ID:
    return -(gint64)row->id;
  case LK_SDIAG_BY_TIME:
    return row->sum_us;
  case LK_SDIAG_BY_MEAN:
    return lk_sdiag_rpc_mean_us (row);
  case LK_SDIAG_BY_COUNT:
    break;
  }
  return row->count;
}

static gint
compare_rows (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkSdiagRpc *row_a = a;
  const LkSdiagRpc *row_b = b;
  gint64 key_a = key_of (row_a, *(const LkSdiagOrder *)user);
  gint64 key_b = key_of (row_b, *(const LkSdiagOrder *)user);
  return key_a != key_b ? (key_a < key_b) - (key_a > key_b)
                        : (row_a->id > row_b->id) - (row_a->id < row_b->id);
}

/* ---------------------------------------------------------------- public */

gboolean
lk_sdiag_rpcs_read (LkSdiagRpcs *out, const LkClient *client, LkSdiagOrder order, GError **error)
{
  const LkClientQuery query = { .kind = LK_RECORD_RPC };
  LkSdiagRpcs self = { .kinds = g_array_new (FALSE, FALSE, sizeof (LkSdiagRpc)),
                       .users = g_array_new (FALSE, FALSE, sizeof (LkSdiagRpc)),
                       .names = g_string_chunk_new (1024) };
  Gather gather = { .rpcs = &self };
  lk_names_init (&gather.users);
  gboolean is_told = lk_client_query (client, &query, rpc_take, &gather, error);
  lk_names_clear (&gather.users);
  if (!is_told) {
    lk_sdiag_rpcs_clear (&self);
    return FALSE;
  }
  g_array_sort_with_data (self.kinds, compare_rows, &order);
  g_array_sort_with_data (self.users, compare_rows, &order);
  *out = self;
  return TRUE;
}

void
lk_sdiag_rpcs_clear (LkSdiagRpcs *self)
{
  g_array_unref (self->kinds);
  g_array_unref (self->users);
  g_string_chunk_free (self->names);
}

static void
print_row (const LkSdiagRpc *row, int name_width, int id_width, FILE *out)
{
  fprintf (out,
           "\t%-*s(%*u) count:%-6" G_GINT64_FORMAT " ave_time:%-6" G_GINT64_FORMAT
           " total_time:%" G_GINT64_FORMAT "\n",
           name_width, row->name, id_width, row->id, row->count, lk_sdiag_rpc_mean_us (row),
           row->sum_us);
}

void
lk_sdiag_rpcs_print (const LkSdiagRpcs *self, FILE *out)
{
  fprintf (out, "\nRemote Procedure Call statistics by message type\n");
  for (guint i = 0; i < self->kinds->len; i++)
    print_row (&g_array_index (self->kinds, LkSdiagRpc, i), 40, 5, out);
  fprintf (out, "\nRemote Procedure Call statistics by user\n");
  for (guint i = 0; i < self->users->len; i++)
    print_row (&g_array_index (self->users, LkSdiagRpc, i), 16, 8, out);
  fprintf (out, "\nPending RPC statistics\n\tNo pending RPCs\n");
}
