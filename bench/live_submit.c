/* bench/live_submit.c — jobs by the socket, from many clients at once: each sends the next one when
 * the last was acknowledged, which is when it is durable. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/live_load.h"
#include "live/core/batch.h"
#include "live/port/mac.h"
#include "traces/job_options.h"

typedef struct {
  LiveClient client;
  guint64 session;
  guint64 request;
  gint64 asked_us;
} Submitter;

typedef struct {
  LiveCrowd crowd;
  LkEvent_submit submit;
  guint8 *environment;
  guint asked_count;
  guint taken_count;
  guint refused_count;
  gint64 begun_us; /* 0: not all clients are there */
  double begun_cpu_s;
  GArray *waits_us; /* of gint64 */
} Submission;

/* ---------------------------------------------------------------- a job */

static void
fill_environment (Submission *self)
{
  guint bytes = self->crowd.options->environment_bytes;
  self->environment = g_malloc0 (bytes + 1);
  memset (self->environment, 'x', bytes);
  /* Variables of 50 bytes, the name, "=" and the NUL included. */
  for (guint at = 0; at + 50 <= bytes; at += 50) {
    g_autofree char *name = g_strdup_printf ("VARIABLE_%06u=", at / 50);
    memcpy (self->environment + at, name, strlen (name));
    self->environment[at + 49] = '\0';
  }
  if (bytes > 0)
    self->environment[bytes - 1] = '\0';
}

static void
fill_payload (const Submission *self, GByteArray *out)
{
  const LiveOptions *options = self->crowd.options;
  g_autofree char *script = options->has_own_script
                                ? g_strdup_printf ("#!/bin/sh\n# %u\ntrue\n", self->asked_count)
                                : g_strdup ("#!/bin/sh\ntrue\n");
  guint environment_bytes = options->environment_bytes >= 50 ? options->environment_bytes : 0;
  LkBatch batch = { .script = lk_bytes (script),
                    .work_dir = lk_bytes ("/"),
                    .std_out = lk_bytes ("/dev/null"),
                    .umask = 022,
                    .environment = { self->environment, environment_bytes },
                    .user_name = lk_text ("bench"),
                    .submit_dir = lk_bytes ("/") };
  lk_batch_encode (&batch, out);
}

static void
ask (Submission *self, Submitter *submitter)
{
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  g_autoptr (GByteArray) event_bytes = g_byte_array_new ();
  LkEvent event = { .kind = LK_EVENT_SUBMIT, .submit = self->submit };
  lk_event_encode (&event, event_bytes);
  fill_payload (self, payload);
  self->asked_count++;
  LkMessage message = { .kind = LK_MESSAGE_SUBMIT,
                        .submit = { .session = submitter->session,
                                    .request = ++submitter->request,
                                    .event = { event_bytes->data, event_bytes->len },
                                    .payload = { payload->data, payload->len } } };
  submitter->asked_us = g_get_monotonic_time ();
  live_client_send (&submitter->client, &message);
}

static gboolean
read_job (Submission *self, GStringChunk *texts, GError **error)
{
  LkJobOptions options;
  if (!lk_job_options_parse ((const char *const *)self->crowd.options->job_options, texts, &options,
                             error))
    return FALSE;
  if (options.terms.name.length_bytes == 0)
    options.terms.name = lk_text ("bench");
  self->submit.user_id = (guint32)geteuid ();
  self->submit.group_id = (guint32)getegid ();
  self->submit.procs = lk_job_request_cpus (&options.request);
  self->submit.estimate_us = MAX (0, options.limit_us);
  lk_submit_set_request (&self->submit, &options.request);
  lk_submit_set_terms (&self->submit, &options.terms);
  return TRUE;
}

/* ---------------------------------------------------------------- the clients */

static void
connected (LiveClient *client)
{
  Submission *self = (Submission *)client->crowd;
  if (self->begun_us != 0 || client->crowd->connected_count < client->crowd->options->count)
    return;
  self->begun_us = g_get_monotonic_time ();
  self->begun_cpu_s = live_cpu_s ();
  for (guint i = 0; i < client->crowd->options->count; i++) {
    Submitter *submitter = (Submitter *)live_crowd_client (client->crowd, i);
    while (submitter->session == 0)
      lk_random_fill ((guint8 *)&submitter->session, sizeof submitter->session);
    if (self->asked_count < client->crowd->options->job_count)
      ask (self, submitter);
  }
}

static void
message_came (LiveClient *client, const LkMessage *message)
{
  Submission *self = (Submission *)client->crowd;
  Submitter *submitter = (Submitter *)client;
  if (message->kind != LK_MESSAGE_REPLY || message->reply.session != submitter->session
      || message->reply.request != submitter->request)
    return;
  gint64 wait_us = g_get_monotonic_time () - submitter->asked_us;
  g_array_append_val (self->waits_us, wait_us);
  self->taken_count++;
  self->refused_count += message->reply.error != 0 ? 1 : 0;
  if (self->taken_count == client->crowd->options->job_count)
    lk_loop_quit (client->crowd->loop);
  else if (self->asked_count < client->crowd->options->job_count)
    ask (self, submitter);
}

/* ---------------------------------------------------------------- the result */

static gint
compare_waits (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *)a;
  gint64 y = *(const gint64 *)b;
  return (x > y) - (x < y);
}

static void
report (const Submission *self)
{
  const LiveOptions *options = self->crowd.options;
  double wall_s = 1e-6 * (double)(g_get_monotonic_time () - self->begun_us);
  g_array_sort (self->waits_us, compare_waits);
  printf ("{\"jobs\": %u, \"clients\": %u, \"refused\": %u, \"wall_s\": %.6f, \"cpu_s\": %.6f, "
          "\"wait_median_us\": %" G_GINT64_FORMAT ", \"wait_p99_us\": %" G_GINT64_FORMAT "}\n",
          self->taken_count, options->count, self->refused_count, wall_s,
          live_cpu_s () - self->begun_cpu_s,
          g_array_index (self->waits_us, gint64, self->waits_us->len / 2),
          g_array_index (self->waits_us, gint64, self->waits_us->len * 99 / 100));
}

gboolean
live_submit (const LiveOptions *options, GError **error)
{
  Submission self = { .crowd = { .kind = LK_PEER_USER,
                                 .client_bytes = sizeof (Submitter),
                                 .connected = connected,
                                 .message = message_came },
                      .waits_us = g_array_new (FALSE, FALSE, sizeof (gint64)) };
  g_autoptr (GStringChunk) texts = g_string_chunk_new (256);
  gboolean is_good = live_crowd_open (&self.crowd, options, error);
  fill_environment (&self);
  is_good = is_good && read_job (&self, texts, error);
  if (is_good)
    lk_loop_run (self.crowd.loop);
  if (is_good && self.taken_count == options->job_count)
    report (&self);
  else if (is_good)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
                 "%u of %u jobs were taken in time, by %u clients", self.taken_count,
                 options->job_count, self.crowd.connected_count);
  is_good = is_good && self.taken_count == options->job_count;
  live_crowd_close (&self.crowd);
  g_array_unref (self.waits_us);
  g_free (self.environment);
  return is_good;
}
