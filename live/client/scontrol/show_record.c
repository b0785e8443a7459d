/* live/client/scontrol/show_record.c — how scontrol lays out a record. */
#include "live/client/scontrol/show.h"
#include "live/client/words.h"

static gboolean
is_at_begin (const LkShow *self)
{
  const GString *text = self->text;
  return text->len == 0 || text->str[text->len - 1] == '\n' || text->str[text->len - 1] == ' ';
}

void
lk_show_records (const LkClient *client, const LkScontrolOptions *options, guint count)
{
  g_autoptr (GString) now = g_string_new (NULL);
  if (!options->is_verbose)
    return;
  lk_word_time (client, client->now_us, "", now);
  fprintf (client->out, "last_update_time=%s, records=%u\n", now->str, count);
}

void
lk_show_line (LkShow *self)
{
  g_string_append (self->text, self->one_line ? " " : "\n   ");
}

void
lk_show_end (LkShow *self)
{
  g_string_append (self->text, self->one_line ? "\n" : "\n\n");
}

void
lk_show_value (LkShow *self, const char *key, const char *format, ...)
{
  va_list arguments;
  gsize begin;
  if (!is_at_begin (self))
    g_string_append_c (self->text, ' ');
  g_string_append_printf (self->text, "%s=", key);
  begin = self->text->len;
  va_start (arguments, format);
  g_string_append_vprintf (self->text, format, arguments);
  va_end (arguments);
  /* A name may have anything in it, and a record is read line by line. */
  for (gsize i = begin; i < self->text->len; i++)
    if ((guchar)self->text->str[i] < 0x20)
      self->text->str[i] = '?';
}
