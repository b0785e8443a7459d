/* tests/live/client/record_site.c — see the header. */
#include "tests/live/client/record_site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/client/commands.h"

static gboolean
wire_request (gpointer data, LkMessage *request, LkMessage_reply *out_reply, GError **error)
{
  RecordSite *self = data;
  LkEvent event;
  (void)error;
  self->request_count++;
  g_assert_cmpuint (
      lk_event_decode (request->hold.event.bytes, request->hold.event.length_bytes, &event), >, 0);
  g_array_append_val (self->events, event);
  *out_reply = (LkMessage_reply){ 0 };
  return TRUE;
}

static gboolean
wire_page (gpointer data, LkMessage *query, void (*take) (gpointer, const LkMessage *),
           gpointer user, GError **error)
{
  RecordSite *self = data;
  LkMessage page = { .kind = LK_MESSAGE_STATE_PAGE };
  const GByteArray *records = self->records[query->state_query.record];
  (void)error;
  page.state_page.record = query->state_query.record;
  page.state_page.records = (LkBytes){ records->data, records->len };
  take (user, &page);
  return TRUE;
}

static gboolean
wire_ping (gpointer data, GError **error)
{
  (void)data;
  (void)error;
  return TRUE;
}

static gboolean
wire_reset (gpointer data, guint16 *out_error, GError **error)
{
  const RecordSite *self = data;
  (void)error;
  *out_error = self->reset_refusal;
  return TRUE;
}

static const LkClientWire wire = {
  .request = wire_request, .page = wire_page, .ping = wire_ping, .reset = wire_reset
};

RecordSite *
record_site_new (void)
{
  RecordSite *self = g_new0 (RecordSite, 1);
  g_setenv ("TZ", "UTC", TRUE);
  self->environment = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->environment, NULL);
  self->events = g_array_new (FALSE, FALSE, sizeof (LkEvent));
  for (guint i = 0; i < G_N_ELEMENTS (self->records); i++)
    self->records[i] = g_byte_array_new ();
  self->client = (LkClient){ .wire = &wire,
                             .wire_self = self,
                             .work_dir = "/users/ada",
                             .user_name = "ada",
                             .group_name = "ada",
                             .host = "login",
                             .user_id = 1000,
                             .group_id = 1000,
                             .now_us = 1000 * G_USEC_PER_SEC };
  return self;
}

void
record_site_free (RecordSite *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->records); i++)
    g_byte_array_unref (self->records[i]);
  g_ptr_array_unref (self->environment);
  g_array_unref (self->events);
  free (self->out);
  free (self->err);
  g_free (self);
}

void
record_site_add (RecordSite *self, const LkRecord *record)
{
  lk_record_append (record, self->records[record->kind]);
}

void
record_site_set_order (RecordSite *self, const char *spec)
{
  LkRecord record = { .kind = LK_RECORD_CONTROLLER };
  record.controller.order = (LkText){ spec, (guint16)strlen (spec) };
  g_byte_array_set_size (self->records[LK_RECORD_CONTROLLER], 0);
  record_site_add (self, &record);
}

void
record_site_set_accounts (RecordSite *self, const char *canonical)
{
  LkRecord record = { .kind = LK_RECORD_ACCOUNTS };
  record.accounts.canonical = (LkBytes){ (const guint8 *)canonical, (guint32)strlen (canonical) };
  g_byte_array_set_size (self->records[LK_RECORD_ACCOUNTS], 0);
  record_site_add (self, &record);
}

void
record_site_set_variable (RecordSite *self, const char *variable)
{
  g_ptr_array_insert (self->environment, 0, g_strdup (variable));
}

int
record_site_run (RecordSite *self, const char *line)
{
  gsize out_bytes;
  gsize err_bytes;
  int argc;
  g_auto (GStrv) argv = NULL;
  g_assert_true (g_shell_parse_argv (line, &argc, &argv, NULL));
  const LkClientCommand *command = lk_client_command_find (argv[0]);
  g_assert_nonnull (command);
  g_clear_pointer (&self->out, free);
  g_clear_pointer (&self->err, free);
  self->client.command = argv[0];
  self->client.environment = (char **)self->environment->pdata;
  self->client.out = open_memstream (&self->out, &out_bytes);
  self->client.err = open_memstream (&self->err, &err_bytes);
  self->client.in = tmpfile ();
  /* A command moves its arguments about. */
  g_autofree char **moved = g_memdup2 (argv, (gsize)(argc + 1) * sizeof (char *));
  int code = command->run (&self->client, argc, moved);
  fclose (self->client.in);
  fclose (self->client.out);
  fclose (self->client.err);
  return code;
}

void
record_site_expect (RecordSite *self, const char *line, int code, const char *out, const char *err)
{
  int found = record_site_run (self, line);
  g_test_message ("%s", line);
  g_assert_cmpstr (self->err, ==, err);
  g_assert_cmpstr (self->out, ==, out);
  g_assert_cmpint (found, ==, code);
}
