/* bench/live_agents.c — agents as a controller knows them, without nodes: each registers, reports
 * that nothing runs, and sends a heartbeat as often as it is told to. */
#include <stdio.h>
#include <unistd.h>

#include "bench/live_load.h"
#include "engine/checked.h"
#include "live/port/mac.h"

#define RETRY_US G_USEC_PER_SEC

typedef struct {
  LiveClient client;
  char *node;
  guint64 agent_id;
  guint64 term;
  guint64 epoch;
  gint64 heartbeat_us;
  gboolean is_registered;
  LkLoopTimer timer; /* the next heartbeat, or the next try */
} Agent;

typedef struct {
  LiveCrowd crowd;
  guint registered_count;
  guint64 heartbeat_count;
  gint64 begun_us;
  gint64 beat_us; /* what the controller wants */
  gboolean is_told;
  LkLoopFd input;
} Agents;

/* ---------------------------------------------------------------- one agent */

static void
send_heartbeat (Agent *agent)
{
  LkMessage message = { .kind = LK_MESSAGE_HEARTBEAT,
                        .heartbeat = { .node = lk_text (agent->node),
                                       .agent_id = agent->agent_id,
                                       .epoch = agent->epoch,
                                       .term = agent->term } };
  live_client_send (&agent->client, &message);
}

static void
send_register (Agent *agent)
{
  LkMessage message = { .kind = LK_MESSAGE_REGISTER,
                        .register_node = { .node = lk_text (agent->node),
                                           .agent_id = agent->agent_id,
                                           .term = agent->term } };
  live_client_send (&agent->client, &message);
}

static void
send_report (Agent *agent)
{
  LkMessage message = { .kind = LK_MESSAGE_REPORT,
                        .report = { .node = lk_text (agent->node),
                                    .agent_id = agent->agent_id,
                                    .epoch = agent->epoch,
                                    .boot_id = 1,
                                    .cpus = 1024,
                                    .memory_bytes = G_MAXINT64,
                                    .gres = lk_text ("") } };
  live_client_send (&agent->client, &message);
}

static void
tick (gpointer user)
{
  Agent *agent = user;
  Agents *self = (Agents *)agent->client.crowd;
  gint64 next_us = agent->is_registered ? agent->heartbeat_us : (gint64)RETRY_US;
  if (!agent->client.is_connected)
    return;
  if (agent->is_registered) {
    send_heartbeat (agent);
    self->heartbeat_count++;
  } else if (agent->epoch != 0) {
    send_report (agent);
  } else {
    send_register (agent);
  }
  lk_loop_set_timer (self->crowd.loop, &agent->timer,
                     lk_time_add_us (lk_loop_now_us (self->crowd.loop), next_us));
}

static void
connected (LiveClient *client)
{
  Agent *agent = (Agent *)client;
  if (agent->node == NULL) {
    agent->node = live_node_name (client->crowd->options, client->index);
    lk_random_fill ((guint8 *)&agent->agent_id, sizeof agent->agent_id);
    agent->timer = (LkLoopTimer){ .due = tick, .user = agent };
  }
  tick (agent);
}

/* ---------------------------------------------------------------- all of them */

static void
tell_registered (Agents *self)
{
  if (self->is_told || self->registered_count < self->crowd.options->count)
    return;
  self->is_told = TRUE;
  printf ("{\"agents\": %u, \"registered_s\": %.6f, \"heartbeat_s\": %.6f}\n",
          self->registered_count, 1e-6 * (double)(g_get_monotonic_time () - self->begun_us),
          1e-6 * (double)self->beat_us);
  fflush (stdout);
}

static void
message_came (LiveClient *client, const LkMessage *message)
{
  Agent *agent = (Agent *)client;
  Agents *self = (Agents *)client->crowd;
  if (message->kind == LK_MESSAGE_REGISTERED && message->registered.epoch > agent->epoch) {
    self->registered_count -= agent->is_registered ? 1 : 0;
    agent->is_registered = FALSE;
    agent->epoch = message->registered.epoch;
    agent->term = message->registered.term;
    self->beat_us = agent->heartbeat_us = message->registered.heartbeat_us;
    tick (agent);
  } else if (message->kind == LK_MESSAGE_REPORTED && message->reported.epoch == agent->epoch
             && !agent->is_registered) {
    agent->is_registered = TRUE;
    self->registered_count++;
    /* The first heartbeats are spread, as those of real agents are. */
    gint64 first_us = agent->heartbeat_us * (1 + agent->client.index % 1000) / 1000;
    lk_loop_set_timer (self->crowd.loop, &agent->timer,
                       lk_time_add_us (lk_loop_now_us (self->crowd.loop), first_us));
    tell_registered (self);
  }
}

static void
input_ready (gpointer user, guint events)
{
  Agents *self = user;
  char room[64];
  (void)events;
  if (read (STDIN_FILENO, room, sizeof room) <= 0)
    lk_loop_quit (self->crowd.loop);
}

gboolean
live_agents (const LiveOptions *options, GError **error)
{
  Agents self = { .crowd = { .kind = LK_PEER_AGENT,
                             .client_bytes = sizeof (Agent),
                             .connected = connected,
                             .message = message_came },
                  .begun_us = g_get_monotonic_time () };
  self.input = (LkLoopFd){ .ready = input_ready, .user = &self };
  gboolean is_good =
      live_crowd_open (&self.crowd, options, error)
      && lk_loop_add_fd (self.crowd.loop, &self.input, STDIN_FILENO, LK_LOOP_READ, error);
  if (is_good)
    lk_loop_run (self.crowd.loop);
  if (is_good && self.is_told)
    printf ("{\"agents\": %u, \"heartbeats\": %" G_GUINT64_FORMAT
            ", \"lost\": %u, \"wall_s\": %.6f,"
            " \"cpu_s\": %.6f}\n",
            self.registered_count, self.heartbeat_count, self.crowd.lost_count,
            1e-6 * (double)(g_get_monotonic_time () - self.begun_us), live_cpu_s ());
  else if (is_good)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "%u of %u agents could register",
                 self.registered_count, options->count);
  is_good = is_good && self.is_told;
  if (self.input.is_in)
    lk_loop_remove_fd (self.crowd.loop, &self.input);
  for (guint i = 0; i < self.crowd.opened_count; i++)
    g_free (((Agent *)live_crowd_client (&self.crowd, i))->node);
  live_crowd_close (&self.crowd);
  return is_good;
}
