/* live/client/sacctmgr/sacctmgr_dump.c — `sacctmgr dump` and `sacctmgr load`: all accounts as one
 * file.
 *
 * The file is that of traces/accounts_dump.h.  What a load finds is added, or changed where it is
 * there; with `clean` what it does not find goes.  What was used stays: a dump knows nothing of it,
 * nor of what slurm.conf says. */
#include <string.h>

#include "live/client/refusal.h"
#include "live/client/sacctmgr/sacctmgr.h"
#include "traces/accounts_changes.h"
#include "traces/accounts_dump.h"

/* The value of "file=..."; of a word without = the word itself, if that may be. */
static const char *
value_of (const char *word, const char *key)
{
  gsize key_bytes = strlen (key);
  if (g_ascii_strncasecmp (word, key, key_bytes) == 0 && word[key_bytes] == '=')
    return word + key_bytes + 1;
  return NULL;
}

/* ---------------------------------------------------------------- dump */

int
lk_sacctmgr_dump (LkClient *client, const LkSacctmgrOptions *options, char **words)
{
  const char *cluster = NULL;
  const char *file = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  for (char **word = words + 1; *word != NULL; word++) {
    const char *named = value_of (*word, "cluster");
    if (value_of (*word, "file") != NULL) {
      file = value_of (*word, "file");
    } else if (named != NULL || strchr (*word, '=') == NULL) {
      cluster = named != NULL ? named : *word;
    } else {
      lk_client_error (client, "unknown option '%s'; expected CLUSTER or file=FILE", *word);
      return LK_SACCTMGR_FAILURE;
    }
  }
  if (cluster == NULL) {
    fprintf (client->err, " We need a cluster to dump.\n");
    return LK_SACCTMGR_FAILURE;
  }
  g_autoptr (LkAccounts) accounts = lk_client_accounts (client);
  if (accounts == NULL)
    return LK_SACCTMGR_FAILURE;
  if (g_ascii_strcasecmp (cluster, accounts->cluster) != 0) {
    fprintf (client->err, " error: There is no cluster '%s'; this one is '%s'\n", cluster,
             accounts->cluster);
    return LK_SACCTMGR_FAILURE;
  }
  g_autofree char *standard = g_strdup_printf ("./%s.cfg", accounts->cluster);
  if (file == NULL && !options->is_quiet)
    fprintf (client->out, " No filename given, using %s.\n", standard);
  if (!lk_accounts_dump_write (accounts, text, &error)
      || !g_file_set_contents (file != NULL ? file : standard, text->str, (gssize)text->len,
                               &error)) {
    lk_client_error (client, "%s", error->message);
    return LK_SACCTMGR_FAILURE;
  }
  return 0;
}

/* ---------------------------------------------------------------- what the file asks for */

static guint
place_of_qos (const LkAccounts *accounts, const char *name)
{
  guint i = 0;
  while (i < accounts->qos->len
         && strcmp (((const LkQosSpec *)g_ptr_array_index (accounts->qos, i))->name, name) != 0)
    i++;
  return i;
}

static char *
key_of (const LkAssociationSpec *spec)
{
  return g_strjoin ("/", spec->account, spec->user, spec->partition, NULL);
}

/* Where each association stands, from 1. Returns: (transfer full). */
static GHashTable *
places_of (const LkAccounts *accounts)
{
  GHashTable *places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < accounts->associations->len; i++)
    g_hash_table_insert (places, key_of (g_ptr_array_index (accounts->associations, i)),
                         GUINT_TO_POINTER (i + 1));
  return places;
}

/* FALSE: it has a limit of a TRES that this cluster does not count; told. */
static gboolean
put_qos (const LkClient *client, LkAccounts *to, const LkAccounts *wanted, const LkQosSpec *spec)
{
  g_autoptr (GString) line = g_string_new (NULL);
  guint at = place_of_qos (to, spec->name);
  guint count = to->qos->len;
  lk_accounts_qos_text (wanted, spec, line);
  if (lk_accounts_qos_read (to, line->str, line->len) == NULL) {
    fprintf (client->err, " error: QOS %s: a limit of a TRES that is not counted here\n",
             spec->name);
    return FALSE;
  }
  if (at < count) /* the new one takes its place */
    g_ptr_array_remove_index_fast (to->qos, at);
  return TRUE;
}

static gboolean
put_association (const LkClient *client, LkAccounts *to, GHashTable *places,
                 const LkAccounts *wanted, const LkAssociationSpec *spec)
{
  g_autoptr (GString) line = g_string_new (NULL);
  g_autofree char *key = key_of (spec);
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, key));
  lk_accounts_association_text (wanted, spec, line);
  LkAssociationSpec *put = lk_accounts_association_read (to, line->str, line->len);
  if (put == NULL) {
    fprintf (client->err, " error: account %s%s%s: a limit of a TRES that is not counted here\n",
             spec->account, spec->user[0] != '\0' ? ", user " : "", spec->user);
    return FALSE;
  }
  if (place == 0)
    return TRUE;
  LkAssociationSpec *before = g_ptr_array_index (to->associations, place - 1);
  put->usage = before->usage;
  put->usage_wall_s = before->usage_wall_s;
  g_array_unref (put->usage_tres);
  put->usage_tres = g_array_ref (before->usage_tres);
  g_ptr_array_remove_index_fast (to->associations, place - 1); /* where the new one stands then */
  return TRUE;
}

/* Takes out what the file does not have. The root stays: it is in every file. */
static void
clean (LkAccounts *to, const LkAccounts *wanted)
{
  guint kept = 0;
  for (guint i = 0; i < to->associations->len; i++) {
    LkAssociationSpec *spec = g_ptr_array_index (to->associations, i);
    if (lk_accounts_find (wanted, spec->account, spec->user, spec->partition) == NULL)
      continue;
    to->associations->pdata[i] = to->associations->pdata[kept];
    to->associations->pdata[kept++] = spec;
  }
  g_ptr_array_set_size (to->associations, (int)kept);
  for (guint i = to->qos->len; i-- > 0;)
    if (place_of_qos (wanted, ((const LkQosSpec *)g_ptr_array_index (to->qos, i))->name)
        == wanted->qos->len)
      g_ptr_array_remove_index (to->qos, i);
}

/* Of two default accounts of a user that of the file counts. */
static void
defaults_settle (LkAccounts *to, const LkAccounts *wanted)
{
  g_autoptr (GHashTable) defaults = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < wanted->associations->len; i++) {
    LkAssociationSpec *spec = g_ptr_array_index (wanted->associations, i);
    if (spec->is_default)
      g_hash_table_insert (defaults, spec->user, spec);
  }
  for (guint i = 0; i < to->associations->len; i++) {
    LkAssociationSpec *spec = g_ptr_array_index (to->associations, i);
    const LkAssociationSpec *chosen = g_hash_table_lookup (defaults, spec->user);
    if (chosen != NULL)
      spec->is_default = strcmp (chosen->account, spec->account) == 0
                         && strcmp (chosen->partition, spec->partition) == 0;
  }
}

/* The accounts as the file wants them. Returns: (transfer full); NULL: told. */
static LkAccounts *
merge (const LkClient *client, const LkAccounts *from, const LkAccounts *wanted, gboolean is_clean)
{
  g_autoptr (LkAccounts) to = lk_accounts_copy (from);
  gboolean is_good = TRUE;
  LkAccountsError error;
  if (is_clean)
    clean (to, wanted);
  for (guint i = 0; i < wanted->qos->len; i++)
    is_good &= put_qos (client, to, wanted, g_ptr_array_index (wanted->qos, i));
  g_autoptr (GHashTable) places = places_of (to);
  for (guint i = 0; i < wanted->associations->len; i++)
    is_good &=
        put_association (client, to, places, wanted, g_ptr_array_index (wanted->associations, i));
  if (!is_good)
    return NULL;
  defaults_settle (to, wanted);
  lk_accounts_reindex (to);
  if (lk_accounts_check (to, &error))
    return g_steal_pointer (&to);
  fprintf (client->err, " error: %s: %s\n", error.member != NULL ? error.member : "accounts",
           error.text);
  return NULL;
}

/* ---------------------------------------------------------------- load */

typedef struct {
  LkClient *client;
  const LkSacctmgrOptions *options;
  guint count;
  gboolean is_lost;
} Loader;

static void
change_print (const Loader *self, const LkEvent *event)
{
  static const char *const verbs[] = { "Adding", "Modifying", "Deleting" };
  FILE *out = self->client->out;
  if (event->kind == LK_EVENT_QOS) {
    fprintf (out, " %s QOS %.*s\n", verbs[event->qos.operation], (int)event->qos.name.length_bytes,
             event->qos.name.bytes);
    return;
  }
  const LkEvent_association *told = &event->association;
  fprintf (out, " %s account %.*s", verbs[told->operation], (int)told->account.length_bytes,
           told->account.bytes);
  if (told->user.length_bytes > 0)
    fprintf (out, ", user %.*s", (int)told->user.length_bytes, told->user.bytes);
  fprintf (out, "\n");
}

/* Before it is confirmed: only shown. */
static LkReject
count_change (gpointer user, LkEvent *event)
{
  Loader *self = user;
  self->count++;
  if (!self->options->is_quiet)
    change_print (self, event);
  return 0;
}

static LkReject
send_change (gpointer user, LkEvent *event)
{
  Loader *self = user;
  LkMessage_reply reply;
  g_autoptr (GError) error = NULL;
  if (lk_client_event (self->client, event, &reply, &error))
    return reply.error;
  lk_client_error (self->client, "%s", error->message);
  self->is_lost = TRUE;
  return LK_REJECT_UNSUPPORTED;
}

static int
load (Loader *self, const LkAccounts *from, const LkAccounts *to)
{
  LkReject reject = lk_accounts_tell_changes (from, to, count_change, self);
  if (reject == 0 && self->count == 0) {
    fprintf (self->client->out, " Nothing new added.\n");
    return 0;
  }
  if (reject == 0 && !lk_sacctmgr_confirms (self->client, self->options))
    return 0;
  if (reject == 0)
    reject = lk_accounts_tell_changes (from, to, send_change, self);
  if (reject == 0)
    return 0;
  if (reject == LK_REJECT_PERMISSION)
    fprintf (self->client->err, " error: Only admins/operators can load accounts\n");
  else if (!self->is_lost)
    fprintf (self->client->err, " error: %s\n", lk_refusal_text (reject));
  return LK_SACCTMGR_FAILURE;
}

int
lk_sacctmgr_load (LkClient *client, const LkSacctmgrOptions *options, char **words)
{
  Loader self = { .client = client, .options = options };
  const char *file = NULL;
  gboolean is_clean = FALSE;
  char *content;
  gsize length_bytes;
  g_autoptr (GError) error = NULL;
  for (char **word = words + 1; *word != NULL; word++) {
    if (value_of (*word, "file") != NULL || strchr (*word, '=') == NULL) {
      is_clean = is_clean || g_ascii_strcasecmp (*word, "clean") == 0;
      if (g_ascii_strcasecmp (*word, "clean") != 0)
        file = value_of (*word, "file") != NULL ? value_of (*word, "file") : *word;
    } else {
      lk_client_error (client, "unknown option '%s'; expected file=FILE or clean", *word);
      return LK_SACCTMGR_FAILURE;
    }
  }
  if (file == NULL || !g_file_get_contents (file, &content, &length_bytes, &error)) {
    lk_client_error (client, "%s", file == NULL ? "no file given" : error->message);
    return LK_SACCTMGR_FAILURE;
  }
  g_autoptr (GBytes) bytes = g_bytes_new_take (content, length_bytes);
  g_autoptr (LkAccounts) wanted = lk_accounts_dump_read (file, bytes, NULL, &error);
  if (wanted == NULL) {
    lk_client_error (client, "%s", error->message);
    return LK_SACCTMGR_FAILURE;
  }
  g_autoptr (LkAccounts) from = lk_client_accounts (client);
  if (from == NULL)
    return LK_SACCTMGR_FAILURE;
  g_autoptr (LkAccounts) to = merge (client, from, wanted, is_clean);
  return to != NULL ? load (&self, from, to) : LK_SACCTMGR_FAILURE;
}
