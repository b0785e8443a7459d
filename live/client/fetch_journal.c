/* live/client/fetch_journal.c — see the header. */
#include "live/client/fetch_journal.h"

#include <string.h>

#include "live/client/refusal.h"

static void
take (gpointer user, const LkRecord *record)
{
  const LkClient *client = user;
  const LkBytes *content = &record->journal.content;
  fwrite (content->bytes, 1, content->length_bytes, client->out);
}

int
lk_fetch_journal (LkClient *client, int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  const LkClientQuery query = { .kind = LK_RECORD_JOURNAL };
  (void)argv;
  if (argc > 1) {
    lk_client_error (client, "unexpected argument");
    return 1;
  }
  if (lk_client_query (client, &query, take, client, &error))
    return 0;
  if (strcmp (error->message, lk_refusal_text (LK_REJECT_PERMISSION)) == 0)
    return LK_FETCH_JOURNAL_REFUSED;
  lk_client_error (client, "%s", error->message);
  return 1;
}
