/* live/client/accounting/accounts.c — see the header. */
#include "live/client/accounting/accounts.h"

/* How often they are asked for anew when they change while they are told. */
#define TRIES_MAX 10u

typedef struct {
  GString *text;
  guint64 hash; /* of the text that the first piece was of */
  gboolean is_torn;
} Pieces;

static void
piece_take (gpointer user, const LkRecord *record)
{
  Pieces *self = user;
  LkBytes bytes = record->accounts.canonical;
  self->is_torn = self->is_torn || (self->text->len > 0 && self->hash != record->accounts.hash);
  self->hash = record->accounts.hash;
  if (bytes.length_bytes > 0)
    g_string_append_len (self->text, (const char *)bytes.bytes, bytes.length_bytes);
}

/* The canonical text; NULL: nobody tells; told. */
static GString *
accounts_text (const LkClient *client)
{
  LkClientQuery query = { .kind = LK_RECORD_ACCOUNTS };
  g_autoptr (GError) error = NULL;
  GString *text = g_string_new (NULL);
  Pieces pieces = { .text = text, .is_torn = TRUE };
  for (guint i = 0; pieces.is_torn && i < TRIES_MAX; i++) {
    g_string_truncate (text, 0);
    pieces.is_torn = FALSE;
    if (!lk_client_query (client, &query, piece_take, &pieces, &error)) {
      lk_client_error (client, "%s", error->message);
      g_string_free (text, TRUE);
      return NULL;
    }
  }
  return text;
}

LkAccounts *
lk_client_accounts (const LkClient *client)
{
  g_autoptr (GString) text = accounts_text (client);
  if (text == NULL)
    return NULL;
  LkAccounts *accounts = lk_accounts_from_text (text->str, text->len, NULL);
  if (accounts == NULL)
    lk_client_error (client,
                     "this cluster has no accounts: it begins with them when a file accounts is "
                     "beside its slurm.conf");
  return accounts;
}

gboolean
lk_client_accounts_or_none (const LkClient *client, LkAccounts **out_accounts)
{
  g_autoptr (GString) text = accounts_text (client);
  *out_accounts = NULL;
  if (text == NULL)
    return FALSE;
  if (text->len > 0)
    *out_accounts = lk_accounts_from_text (text->str, text->len, NULL);
  if (text->len == 0 || *out_accounts != NULL)
    return TRUE;
  lk_client_error (client, "the accounts cannot be read: are both of one version?");
  return FALSE;
}

const char *const *
lk_client_measured_tres (const LkAccounts *accounts)
{
  static const char *const of_gpus[] = { "gres/gpumem", "gres/gpuutil", NULL };
  static const char *const none[] = { NULL };
  gboolean are_measured = lk_accounts_find_tres (accounts, "gres/gpu") != LK_INDEX_NONE
                          && lk_accounts_find_tres (accounts, of_gpus[0]) == LK_INDEX_NONE;
  return are_measured ? of_gpus : none;
}
