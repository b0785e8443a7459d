/* live/core/controller_reload.c — agents are told to read their configuration anew, until they have
 * heard.
 *
 * Each time has a number, which no other time of any controller has.  An agent tells which number
 * it has heeded last, also when it has begun anew for it; RELOAD is sent again each `retry_us` as
 * long as that is another one.  An agent that knows of none, as it was started since, is told, too:
 * what it has read may be older. */
#include "engine/checked.h"
#include "live/core/controller_private.h"

static gboolean
has_heard (const LkController *self, const LkControllerNode *node)
{
  return node->reload_heard == self->reload_number;
}

static void
tell (LkController *self, LkControllerNode *node)
{
  LkMessage message = { .kind = LK_MESSAGE_RELOAD };
  message.reload = (LkMessage_reload){ .term = self->term, .number = self->reload_number };
  node->reload_us = self->clock_us;
  lk_controller_send (self, node->peer, &message);
}

void
lk_reload_look (LkController *self)
{
  if (!self->has_unheard_reload || self->reload_seq > lk_controller_settled_seq (self))
    return;
  self->has_unheard_reload = FALSE;
  for (guint32 i = 0; i < self->node_count; i++) {
    LkControllerNode *node = &self->nodes[i];
    /* Who is not there tells when it comes. */
    if (!node->is_ready || has_heard (self, node))
      continue;
    self->has_unheard_reload = TRUE;
    if (lk_time_add_us (node->reload_us, self->config.retry_us) <= self->clock_us)
      tell (self, node);
  }
}

void
lk_reload_begin (LkController *self)
{
  self->reload_number = lk_controller_next_epoch (self);
  self->reload_seq = self->seq;
  self->has_unheard_reload = TRUE;
  for (guint32 i = 0; i < self->node_count; i++)
    self->nodes[i].reload_us = lk_time_add_us (self->clock_us, -self->config.retry_us);
  lk_reload_look (self);
}

void
lk_reload_heard (LkController *self, LkControllerNode *node, guint64 number)
{
  node->reload_heard = number;
  if (self->reload_number == 0 || has_heard (self, node))
    return;
  self->has_unheard_reload = TRUE;
  lk_reload_look (self);
}
