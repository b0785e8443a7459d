/* live/port/port_net_sim.c — see the header. */
#include "live/port/port_net_sim.h"

#include <string.h>

#include "engine/assert.h"
#include "live/core/message.h"

typedef struct {
  LkNetSim *net;
  LkNetSimEnd number;
  LkPeer who; /* `id` is that of the present opening, 0: closed */
  char *name;
  LkNetSimDeliver deliver;
  gpointer user;
  gint64 last_to_us; /* when the latest message arrives that may not be overtaken */
  gint64 last_from_us;
} End;

typedef struct {
  guint32 number;
  gboolean *from; /* by end */
  gboolean *to;
  guint count;
} Cut;

typedef struct {
  LkPeer from; /* its name is that of the end */
  LkNetSimEnd from_end;
  LkNetSimEnd to_end;
  LkPeerId to; /* the opening that is meant */
  gsize length_bytes;
  guint8 bytes[];
} Message;

struct _LkNetSim {
  LkWorld *world;
  LkNetSimFaults faults;
  LkNetSimScript script;
  gpointer script_user;
  GPtrArray *ends;     /* of End */
  GArray *openings;    /* of LkNetSimEnd, by LkPeerId */
  GArray *controllers; /* of LkNetSimEnd: those that are open, in order of number */
  GArray *cuts;        /* of Cut */
  guint32 cut_last;
  LkNetSimCounts counts;
};

static void
end_free (gpointer data)
{
  End *end = data;
  g_free (end->name);
  g_free (end);
}

static void
cut_clear (gpointer data)
{
  Cut *cut = data;
  g_free (cut->from);
  g_free (cut->to);
}

LkNetSim *
lk_net_sim_new (LkWorld *world)
{
  LkNetSim *self = g_new0 (LkNetSim, 1);
  LkNetSimEnd nobody = 0;
  self->world = world;
  self->ends = g_ptr_array_new_with_free_func (end_free);
  self->openings = g_array_new (FALSE, FALSE, sizeof (LkNetSimEnd));
  g_array_append_val (self->openings, nobody);
  self->controllers = g_array_new (FALSE, FALSE, sizeof (LkNetSimEnd));
  self->cuts = g_array_new (FALSE, FALSE, sizeof (Cut));
  g_array_set_clear_func (self->cuts, cut_clear);
  return self;
}

void
lk_net_sim_free (LkNetSim *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->ends);
  g_array_unref (self->openings);
  g_array_unref (self->controllers);
  g_array_unref (self->cuts);
  g_free (self);
}

void
lk_net_sim_set_faults (LkNetSim *self, const LkNetSimFaults *faults)
{
  self->faults = *faults;
}

void
lk_net_sim_set_script (LkNetSim *self, LkNetSimScript script, gpointer user)
{
  self->script = script;
  self->script_user = user;
}

static End *
end_of (const LkNetSim *self, LkNetSimEnd number)
{
  LK_ASSERT (number < self->ends->len);
  return g_ptr_array_index (self->ends, number);
}

/* ---------------------------------------------------------------- the log */

static void
tell (const LkNetSim *self, const Message *message, const char *what)
{
  if (!lk_world_is_told (self->world))
    return;
  LkMessage decoded;
  g_autoptr (GString) text = g_string_new (NULL);
  if (lk_message_decode (message->bytes, message->length_bytes, &decoded))
    lk_message_json (&decoded, text);
  else
    g_string_append_printf (text, "%" G_GSIZE_FORMAT " bytes that are no message",
                            message->length_bytes);
  lk_world_tell (self->world, "%s -> %s %s %s", end_of (self, message->from_end)->name,
                 end_of (self, message->to_end)->name, what, text->str);
}

/* ---------------------------------------------------------------- on the way */

static gboolean
is_cut (const LkNetSim *self, LkNetSimEnd from, LkNetSimEnd to)
{
  for (guint i = 0; i < self->cuts->len; i++) {
    const Cut *cut = &g_array_index (self->cuts, Cut, i);
    if (from < cut->count && to < cut->count && cut->from[from] && cut->to[to])
      return TRUE;
  }
  return FALSE;
}

static void
arrive (gpointer user, gpointer data)
{
  LkNetSim *self = user;
  g_autofree Message *message = data;
  const End *to = end_of (self, message->to_end);
  if (is_cut (self, message->from_end, message->to_end)) {
    self->counts.cut_count++;
    tell (self, message, "cut off");
    return;
  }
  if (to->who.id != message->to) {
    self->counts.dead_count++;
    tell (self, message, "nobody there");
    return;
  }
  self->counts.delivered_count++;
  lk_world_mix_bytes (self->world, message->bytes, message->length_bytes);
  tell (self, message, "");
  to->deliver (to->user, &message->from, message->bytes, message->length_bytes);
}

static gint64
delay_us (LkNetSim *self)
{
  const LkNetSimFaults *faults = &self->faults;
  gint64 delay = lk_world_between_us (self->world, faults->delay_min_us, faults->delay_max_us);
  if (lk_world_chance (self->world, faults->slow_ppm))
    delay += lk_world_between_us (self->world, 0, faults->slow_max_us);
  return delay;
}

/* A link is that of the end that is no controller; order is kept on each way of it. */
static gint64
arrival_us (LkNetSim *self, End *from, End *to, gint64 delay)
{
  gint64 at_us = lk_world_now_us (self->world) + delay;
  gint64 *last_us = from->who.kind == LK_PEER_CONTROLLER ? &to->last_to_us : &from->last_from_us;
  if (lk_world_chance (self->world, self->faults.reorder_ppm))
    return at_us;
  *last_us = MAX (*last_us, at_us);
  return *last_us;
}

static Message *
message_new (const End *from, const End *to, const guint8 *bytes, gsize length_bytes)
{
  Message *message = g_malloc (sizeof (Message) + length_bytes);
  *message = (Message){ .from = from->who,
                        .from_end = from->number,
                        .to_end = to->number,
                        .to = to->who.id,
                        .length_bytes = length_bytes };
  if (from->who.kind == LK_PEER_CONTROLLER)
    message->from.id = 0;
  if (length_bytes > 0)
    memcpy (message->bytes, bytes, length_bytes);
  return message;
}

static void
carry (LkNetSim *self, End *from, End *to, const guint8 *bytes, gsize length_bytes)
{
  LkNetSimFate fate = { .copy_count = 1 };
  g_autofree Message *message = message_new (from, to, bytes, length_bytes);
  self->counts.sent_count++;
  if (to->who.id == 0) {
    self->counts.dead_count++;
    tell (self, message, "nobody there");
    return;
  }
  if (lk_world_chance (self->world, self->faults.loss_ppm))
    fate.copy_count = 0;
  else if (lk_world_chance (self->world, self->faults.duplicate_ppm))
    fate.copy_count = 2;
  if (self->script != NULL && fate.copy_count > 0)
    self->script (self->script_user, from->number, to->number, bytes, length_bytes, &fate);
  if (fate.copy_count == 0) {
    self->counts.lost_count++;
    tell (self, message, "lost");
  }
  for (guint i = 0; i < fate.copy_count; i++) {
    gint64 at_us = arrival_us (self, from, to, delay_us (self) + fate.delay_us);
    Message *copy = i + 1 < fate.copy_count ? message_new (from, to, bytes, length_bytes)
                                            : g_steal_pointer (&message);
    self->counts.duplicate_count += i > 0 ? 1 : 0;
    lk_world_at (self->world, at_us, arrive, self, copy, g_free);
  }
}

static gboolean
send_message (void *user, LkPeerId peer, const guint8 *bytes, gsize length_bytes)
{
  End *from = user;
  LkNetSim *self = from->net;
  if (length_bytes > LK_MESSAGE_MAX_BYTES)
    return FALSE;
  if (peer == 0) {
    for (guint i = 0; i < self->controllers->len; i++) {
      LkNetSimEnd to = g_array_index (self->controllers, LkNetSimEnd, i);
      if (to != from->number)
        carry (self, from, end_of (self, to), bytes, length_bytes);
    }
    return TRUE;
  }
  End *to = peer < self->openings->len
                ? end_of (self, g_array_index (self->openings, LkNetSimEnd, peer))
                : NULL;
  if (to != NULL && to->who.id == peer)
    carry (self, from, to, bytes, length_bytes);
  else
    self->counts.dead_count++;
  return TRUE;
}

static const LkPortNetOps net_ops = {
  .size = sizeof (LkPortNetOps),
  .send = send_message,
};

void
lk_net_sim_send (LkNetSim *self, LkNetSimEnd from, LkNetSimEnd to, const guint8 *bytes,
                 gsize length_bytes)
{
  carry (self, end_of (self, from), end_of (self, to), bytes, length_bytes);
}

/* ---------------------------------------------------------------- ends */

LkNetSimEnd
lk_net_sim_add (LkNetSim *self, const LkPeer *who, LkNetSimDeliver deliver, gpointer user)
{
  End *end = g_new0 (End, 1);
  end->net = self;
  end->number = self->ends->len;
  end->who = *who;
  end->who.id = 0;
  end->who.name = end->name = g_strdup (who->name);
  end->deliver = deliver;
  end->user = user;
  g_ptr_array_add (self->ends, end);
  return end->number;
}

LkPortNet
lk_net_sim_port (LkNetSim *self, LkNetSimEnd end)
{
  return (LkPortNet){ &net_ops, end_of (self, end) };
}

void
lk_net_sim_open (LkNetSim *self, LkNetSimEnd number, LkPeerKind kind)
{
  End *end = end_of (self, number);
  LK_ASSERT (end->who.id == 0);
  end->who.kind = kind;
  end->who.id = self->openings->len;
  end->last_to_us = end->last_from_us = G_MININT64;
  g_array_append_val (self->openings, number);
  if (kind == LK_PEER_CONTROLLER) {
    guint place = 0;
    while (place < self->controllers->len
           && g_array_index (self->controllers, LkNetSimEnd, place) < number)
      place++;
    g_array_insert_val (self->controllers, place, number);
  }
}

void
lk_net_sim_close (LkNetSim *self, LkNetSimEnd number)
{
  End *end = end_of (self, number);
  end->who.id = 0;
  for (guint i = 0; i < self->controllers->len; i++)
    if (g_array_index (self->controllers, LkNetSimEnd, i) == number)
      g_array_remove_index (self->controllers, i--);
}

static gboolean *
set_of (const LkNetSim *self, const LkNetSimEnd *ends, guint count)
{
  gboolean *set = g_new0 (gboolean, self->ends->len);
  for (guint i = 0; i < count; i++) {
    LK_ASSERT (ends[i] < self->ends->len);
    set[ends[i]] = TRUE;
  }
  return set;
}

guint32
lk_net_sim_cut (LkNetSim *self, const LkNetSimEnd *from, guint from_count, const LkNetSimEnd *to,
                guint to_count)
{
  Cut cut = { ++self->cut_last, set_of (self, from, from_count), set_of (self, to, to_count),
              self->ends->len };
  g_array_append_val (self->cuts, cut);
  lk_world_tell (self->world, "cut %u: from %u ends to %u", cut.number, from_count, to_count);
  return cut.number;
}

void
lk_net_sim_heal (LkNetSim *self, guint32 number)
{
  for (guint i = 0; i < self->cuts->len; i++)
    if (number == 0 || g_array_index (self->cuts, Cut, i).number == number) {
      lk_world_tell (self->world, "cut %u heals", g_array_index (self->cuts, Cut, i).number);
      g_array_remove_index (self->cuts, i--);
    }
}

void
lk_net_sim_counts (const LkNetSim *self, LkNetSimCounts *out_counts)
{
  *out_counts = self->counts;
}
