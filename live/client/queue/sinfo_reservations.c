/* live/client/queue/sinfo_reservations.c — `sinfo -T`: the advance reservations, as recorded with
 * Slurm 26.05 (oracle sinfo-T). */
#include <string.h>

#include "live/client/queue/sinfo.h"
#include "live/client/words.h"

#define NAME_WIDTH_LEAST 9

typedef struct {
  const LkClient *client;
  GPtrArray *names; /* of char* */
  GPtrArray *rests; /* what stands behind each */
} Rows;

static void
take_reservation (gpointer user, const LkRecord *record)
{
  Rows *self = user;
  const LkRecord_reservation *told = &record->reservation;
  g_autoptr (GString) from = g_string_new (NULL);
  g_autoptr (GString) to = g_string_new (NULL);
  g_autoptr (GString) duration = g_string_new (NULL);
  lk_word_time (self->client, told->from_us, "N/A", from);
  lk_word_time (self->client, told->to_us, "N/A", to);
  lk_word_long_duration (told->to_us == G_MAXINT64 ? G_MAXINT64 : told->to_us - told->from_us,
                         duration);
  g_ptr_array_add (self->names,
                   g_strndup (told->reservation_name.bytes, told->reservation_name.length_bytes));
  g_ptr_array_add (
      self->rests,
      g_strdup_printf ("%8s  %19s  %19s  %11s  %.*s", told->is_active != 0 ? "ACTIVE" : "INACTIVE",
                       from->str, to->str, duration->str, (int)told->node_names.length_bytes,
                       told->node_names.length_bytes > 0 ? told->node_names.bytes : ""));
}

int
lk_sinfo_reservations (const LkClient *client, gboolean no_heading)
{
  Rows rows = { .client = client,
                .names = g_ptr_array_new_with_free_func (g_free),
                .rests = g_ptr_array_new_with_free_func (g_free) };
  LkClientQuery query = { .kind = LK_RECORD_RESERVATION };
  g_autoptr (GError) error = NULL;
  gboolean is_told = lk_client_query (client, &query, take_reservation, &rows, &error);
  int width = NAME_WIDTH_LEAST;
  for (guint i = 0; i < rows.names->len; i++)
    width = MAX (width, (int)strlen (g_ptr_array_index (rows.names, i)));
  if (!is_told)
    lk_client_error (client, "%s", error->message);
  else if (rows.names->len == 0)
    fprintf (client->out, "No reservations in the system\n");
  else if (!no_heading)
    fprintf (client->out, "%-*s  %8s  %19s  %19s  %11s  %s\n", width, "RESV_NAME", "STATE",
             "START_TIME", "END_TIME", "DURATION", "NODELIST");
  for (guint i = 0; is_told && i < rows.names->len; i++)
    fprintf (client->out, "%-*s  %s\n", width, (char *)g_ptr_array_index (rows.names, i),
             (char *)g_ptr_array_index (rows.rests, i));
  g_ptr_array_unref (rows.names);
  g_ptr_array_unref (rows.rests);
  return is_told ? 0 : 1;
}
