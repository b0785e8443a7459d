/* live/core/controller_step_order.c — signals for steps, and orders to end them.
 *
 * What was answered is not lost: a note of the journal tells of each order before it is answered or
 * sent, and behind a crash it is sent again until the agents have acknowledged it, who carry out
 * each number once.  When all of them have, a note tells that too, so that agents that have begun
 * anew since, and know no numbers, do not hear it again. */
#include "engine/assert.h"
#include "live/core/controller_private.h"

/* ---------------------------------------------------------------- what all have heard */

/* Those up to this number are over. */
static void
forget (LkJobStep *step, guint64 number)
{
  guint count = 0;
  while (count < step->orders->len
         && g_array_index (step->orders, LkJobStepOrder, count).number <= number)
    count++;
  g_array_remove_range (step->orders, 0, count);
  for (guint32 i = 0; i < step->place_count; i++)
    step->places[i].heard -= MIN (step->places[i].heard, count);
}

/* What all nodes have heard, as far as the journal tells it by now. */
static void
forget_heard (const LkController *self, LkJobStep *step)
{
  if (step->heard_seq <= self->seq)
    forget (step, step->heard_number);
}

/* ---------------------------------------------------------------- what is asked */

/* The first order to end it counts; one to do so at once counts above it. */
static void
take (LkJobStep *step, const LkJobStepOrder *order)
{
  gboolean is_kill = order->signal == LK_SIGNAL_UNKNOWN;
  if (order->number > step->order_last.number)
    step->order_last = *order;
  if (order->signal != 0 && !is_kill) {
    g_array_append_val (step->orders, *order);
    return;
  }
  if (step->end_order.number == 0 || (is_kill && !step->is_killed))
    step->end_order = *order;
  step->is_ending = TRUE;
  step->is_killed = step->is_killed || is_kill;
}

/* An order that comes again, as its answer was lost, is not carried out twice. */
static gboolean
is_repeated (const LkJobStep *step, const LkJobStepOrder *asked)
{
  const LkJobStepOrder *last = &step->order_last;
  return last->number != 0 && last->user_id == asked->user_id && last->session == asked->session
         && last->request == asked->request;
}

static LkMessage
kept_of (const LkJobStep *step, const LkJobStepOrder *order)
{
  LkMessage message = { .kind = LK_MESSAGE_KEPT_STEP_ORDER };
  message.kept_step_order = (LkMessage_kept_step_order){ .run_id = step->kept.run_id,
                                                         .step_id = step->step_id,
                                                         .user_id = order->user_id,
                                                         .session = order->session,
                                                         .request = order->request,
                                                         .number = order->number,
                                                         .signal = order->signal };
  return message;
}

/* Numbers of epochs rise across starts of controllers, so that an agent takes no order for one that
 * it had. */
guint64
lk_step_order (LkController *self, LkJobStep *step, LkJobStepOrder asked)
{
  LK_ASSERT (step->end_seq == 0); /* order_all passes over those that have ended */
  if (is_repeated (step, &asked))
    return step->order_last.seq;
  forget_heard (self, step);
  asked.number = lk_controller_next_epoch (self);
  asked.seq = self->seq + 1;
  take (step, &asked);
  LkMessage message = kept_of (step, &asked);
  lk_controller_note_of_step (self, &message);
  return asked.seq;
}

/* ---------------------------------------------------------------- what is sent */

const LkJobStepOrder *
lk_step_order_next (const LkController *self, const LkJobStep *step, const LkJobStepOn *on)
{
  if (on->heard >= step->orders->len)
    return NULL;
  const LkJobStepOrder *order = &g_array_index (step->orders, LkJobStepOrder, on->heard);
  return order->seq <= lk_controller_settled_seq (self) ? order : NULL;
}

gboolean
lk_step_may_end (const LkController *self, const LkJobStep *step)
{
  return step->end_order.seq <= lk_controller_settled_seq (self);
}

static gboolean
have_all_heard (const LkJobStep *step)
{
  for (guint32 i = 0; i < step->place_count; i++)
    if (step->places[i].stage != LK_ON_NODE_GONE && step->places[i].heard < step->orders->len)
      return FALSE;
  return TRUE;
}

void
lk_step_order_heard (LkController *self, LkJobStep *step, LkJobStepOn *on, guint64 number)
{
  const LkJobStepOrder *order = lk_step_order_next (self, step, on);
  if (order == NULL || order->number != number || step->end_seq != 0)
    return;
  on->heard++;
  on->asked = (LkMessageKind)0;
  if (!have_all_heard (step))
    return;
  LkMessage message = { .kind = LK_MESSAGE_KEPT_STEP_HEARD };
  message.kept_step_heard = (LkMessage_kept_step_heard){ .run_id = step->kept.run_id,
                                                         .step_id = step->step_id,
                                                         .number = number };
  lk_controller_note_of_step (self, &message);
  forget_heard (self, step);
  step->heard_number = number;
  step->heard_seq = self->seq + 1;
}

/* ---------------------------------------------------------------- reading it again */

static LkJobStepOrder
order_of (const LkMessage_kept_step_order *kept, guint64 seq)
{
  return (LkJobStepOrder){ .number = kept->number,
                           .seq = seq,
                           .user_id = kept->user_id,
                           .session = kept->session,
                           .request = kept->request,
                           .signal = kept->signal };
}

static LkJobStep *
find (const LkController *self, guint64 run_id, guint32 step_id)
{
  const LkRun *run = lk_run_find (self, run_id);
  LkJobStep *step = run != NULL ? lk_run_step (run, step_id) : NULL;
  return step != NULL && step->end_seq == 0 ? step : NULL;
}

void
lk_step_take_order (LkController *self, const LkMessage_kept_step_order *kept)
{
  LkJobStep *step = find (self, kept->run_id, kept->step_id);
  LkJobStepOrder order = order_of (kept, self->seq + 1);
  if (step != NULL && order.number > step->order_last.number)
    take (step, &order);
}

void
lk_step_take_heard (LkController *self, const LkMessage_kept_step_heard *kept)
{
  LkJobStep *step = find (self, kept->run_id, kept->step_id);
  if (step != NULL)
    forget (step, kept->number);
}

/* ---------------------------------------------------------------- snapshots */

/* What is not durable with the snapshot is in the journal behind it. */
static gboolean
is_kept (const LkController *self, const LkJobStep *step, const LkJobStepOrder *order)
{
  gboolean is_heard = order != &step->end_order && order->number <= step->heard_number
                      && step->heard_seq <= self->seq;
  return order->number != 0 && order->seq <= self->seq && !is_heard;
}

guint32
lk_step_kept_order_count (const LkController *self, const LkJobStep *step)
{
  guint32 count = is_kept (self, step, &step->end_order) ? 1 : 0;
  for (guint i = 0; i < step->orders->len; i++)
    count += is_kept (self, step, &g_array_index (step->orders, LkJobStepOrder, i)) ? 1 : 0;
  return count;
}

static void
save (const LkController *self, const LkJobStep *step, const LkJobStepOrder *order, GByteArray *out,
      void (*append) (GByteArray *out, const LkMessage *record))
{
  LkMessage record = kept_of (step, order);
  if (is_kept (self, step, order))
    append (out, &record);
}

/* By rising number, but for that which ends it. */
void
lk_step_save_orders (const LkController *self, const LkJobStep *step, GByteArray *out,
                     void (*append) (GByteArray *out, const LkMessage *record))
{
  save (self, step, &step->end_order, out, append);
  for (guint i = 0; i < step->orders->len; i++)
    save (self, step, &g_array_index (step->orders, LkJobStepOrder, i), out, append);
}

gboolean
lk_step_load_order (LkController *self, LkJobStep *step, const LkMessage_kept_step_order *kept)
{
  guint count = step->orders->len;
  LkJobStepOrder order = order_of (kept, self->seq);
  if (kept->run_id != step->kept.run_id || kept->step_id != step->step_id || kept->number == 0
      || (count > 0
          && g_array_index (step->orders, LkJobStepOrder, count - 1).number >= kept->number))
    return FALSE;
  take (step, &order);
  return TRUE;
}
