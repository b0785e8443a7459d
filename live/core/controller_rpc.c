/* live/core/controller_rpc.c — how many messages of each kind, and of each user, the controller has
 * taken, and how long it took.
 *
 * What a request asks for is carried out later, many of them together: the time is that of the
 * message alone.  All is counted that can be read as a message, also what is refused then: nothing
 * is decided by these numbers, and no journal or snapshot has them. */
#include "engine/assert.h"
#include "engine/checked.h"
#include "live/core/controller_private.h"
#include "live/core/controller_query.h"

struct _LkRpcBook {
  GArray *kinds; /* of LkRecord_rpc, as they came first */
  GArray *users; /* likewise */
};

LkRpcBook *
lk_rpc_book_new (void)
{
  LkRpcBook *self = g_new0 (LkRpcBook, 1);
  self->kinds = g_array_new (FALSE, FALSE, sizeof (LkRecord_rpc));
  self->users = g_array_new (FALSE, FALSE, sizeof (LkRecord_rpc));
  return self;
}

void
lk_rpc_book_free (LkRpcBook *self)
{
  g_array_unref (self->kinds);
  g_array_unref (self->users);
  g_free (self);
}

void
lk_rpc_book_clear (LkRpcBook *self)
{
  g_array_set_size (self->kinds, 0);
  g_array_set_size (self->users, 0);
}

/* Who is new when there are too many of them is not counted. */
static void
add (GArray *rows, const LkRecord_rpc *one)
{
  LkRecord_rpc *row = NULL;
  for (guint i = 0; i < rows->len && row == NULL; i++) {
    LkRecord_rpc *at = &g_array_index (rows, LkRecord_rpc, i);
    if (at->message == one->message && at->record == one->record && at->user_id == one->user_id)
      row = at;
  }
  if (row == NULL && rows->len < LK_RPC_ROWS_MAX) {
    const LkRecord_rpc fresh = {
      .of_user = one->of_user,
      .message = one->message,
      .record = one->record,
      .user_id = one->user_id,
    };
    g_array_append_val (rows, fresh);
    row = &g_array_index (rows, LkRecord_rpc, rows->len - 1);
  }
  if (row == NULL)
    return;
  row->count++;
  row->last_us = one->last_us;
  row->max_us = MAX (row->max_us, one->last_us);
  row->sum_us = lk_time_add_us (row->sum_us, one->last_us);
}

void
lk_rpc_book_note (LkRpcBook *self, const LkPeer *peer, const LkMessage *message, gint64 took_us)
{
  LK_ASSERT (took_us >= 0);
  guint8 record = message->kind == LK_MESSAGE_STATE_QUERY ? message->state_query.record : 0;
  const LkRecord_rpc kind = { .message = (guint8)message->kind,
                              .record = record <= LK_RECORD_USE ? record : 0,
                              .last_us = took_us };
  const LkRecord_rpc user = { .of_user = 1, .user_id = peer->user_id, .last_us = took_us };
  add (self->kinds, &kind);
  if (peer->kind == LK_PEER_USER || peer->kind == LK_PEER_JOB)
    add (self->users, &user);
}

void
lk_query_rpc (LkController *self, guint32 *next, GByteArray *out)
{
  const GArray *kinds = self->rpcs->kinds;
  const GArray *users = self->rpcs->users;
  guint32 at = *next;
  *next = 0;
  if (at >= kinds->len + users->len)
    return;
  LkRecord record = { .kind = LK_RECORD_RPC };
  record.rpc = at < kinds->len ? g_array_index (kinds, LkRecord_rpc, at)
                               : g_array_index (users, LkRecord_rpc, at - kinds->len);
  lk_record_append (&record, out);
  if (at + 1 < kinds->len + users->len)
    *next = at + 1;
}
