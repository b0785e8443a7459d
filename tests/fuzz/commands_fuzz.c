/* tests/fuzz/commands_fuzz.c — commands of any words.
 *
 * The first line is what a shell would read, the rest is standard input.
 *
 * What goes to the controller are requests that it can read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/assert.h"
#include "live/client/commands.h"
#include "live/core/batch.h"
#include "traces/job_options.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

#define LINE_MAX_BYTES 2000

static gboolean
wire_request (gpointer self, LkMessage *request, LkMessage_reply *out_reply, GError **error)
{
  LkEvent event;
  LkBatch batch;
  (void)self;
  (void)error;
  LkBytes events = request->hold.event;
  LK_ASSERT (lk_event_decode (events.bytes, events.length_bytes, &event) > 0);
  LK_ASSERT (event.kind == lk_message_event_kind (request->kind));
  if (request->kind == LK_MESSAGE_SUBMIT)
    LK_ASSERT (lk_batch_decode (request->submit.payload.bytes, request->submit.payload.length_bytes,
                                &batch));
  *out_reply = (LkMessage_reply){ .job_id = 7 };
  return TRUE;
}

static gboolean
wire_page (gpointer self, LkMessage *query, void (*take) (gpointer, const LkMessage *),
           gpointer user, GError **error)
{
  LkMessage page = { .kind = LK_MESSAGE_STATE_PAGE };
  (void)self;
  (void)error;
  page.state_page.record = query->state_query.record;
  take (user, &page);
  return TRUE;
}

static gboolean
wire_ping (gpointer self, GError **error)
{
  (void)self;
  (void)error;
  return TRUE;
}

static gboolean
wire_reconfigure (gpointer self, LkMessage_reconfigure *question,
                  void (*take) (gpointer, const LkMessage_reconfigured *), gpointer user,
                  GError **error)
{
  const LkMessage_reconfigured answer = { .problems = { "", 0 } };
  (void)self;
  (void)question;
  (void)error;
  take (user, &answer);
  return TRUE;
}

static gboolean
wire_reset (gpointer self, guint16 *out_error, GError **error)
{
  (void)self;
  (void)error;
  *out_error = 0;
  return TRUE;
}

static const LkClientWire wire = { .request = wire_request,
                                   .page = wire_page,
                                   .ping = wire_ping,
                                   .reconfigure = wire_reconfigure,
                                   .reset = wire_reset };

/* Files are those of the machine, and not of the input. */
static gboolean
names_a_file (const char *line)
{
  return strchr (line, '/') != NULL || strstr (line, "file") != NULL;
}

static void
run (char **argv, const char *input, gsize input_bytes)
{
  static char *environment[] = { (char *)"PATH=", NULL };
  const LkClientCommand *command = argv[0] != NULL ? lk_client_command_find (argv[0]) : NULL;
  if (command == NULL)
    return;
  g_autofree char **moved = g_memdup2 (argv, (g_strv_length (argv) + 1) * sizeof (char *));
  LkClient client = { .command = argv[0],
                      .in = tmpfile (),
                      .out = tmpfile (),
                      .err = tmpfile (),
                      .wire = &wire,
                      .environment = environment,
                      .work_dir = "/nowhere",
                      .user_name = "ada",
                      .group_name = "ada",
                      .host = "login",
                      .user_id = 1000,
                      .group_id = 1000,
                      .now_us = G_GINT64_CONSTANT (1795266855) * G_USEC_PER_SEC };
  fwrite (input, 1, input_bytes, client.in);
  rewind (client.in);
  command->run (&client, (int)g_strv_length (argv), moved);
  fclose (client.in);
  fclose (client.out);
  fclose (client.err);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  const char *text = (const char *)bytes;
  const char *end = length_bytes > 0 ? memchr (text, '\n', length_bytes) : NULL;
  gsize line_bytes = end != NULL ? (gsize)(end - text) : length_bytes;
  g_autofree char *line = g_strndup (text, MIN (line_bytes, LINE_MAX_BYTES));
  gsize rest = end != NULL ? line_bytes + 1 : length_bytes;
  g_auto (GStrv) argv = names_a_file (line) ? NULL : lk_job_options_split (line, NULL);
  if (argv != NULL)
    run (argv, text + rest, length_bytes - rest);
  return 0;
}
