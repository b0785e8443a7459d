/* live/port/auth_key.c — see the header; files are auth_key_file.c's. */
#include "live/port/auth_key.h"

#include <string.h>

#include "engine/assert.h"
#include "live/port/error.h"

#define WORD "lockstep-key-1"
#define NODE_NAME_MAX_BYTES 255u

typedef struct {
  LkKey key;
  gboolean is_cluster; /* else of this subject only */
  LkPeerKind kind;
  char *node;
  guint32 user_id;
  guint64 run_id;
} Entry;

struct _LkKeyring {
  gint reference_count;
  guint count;
  Entry entries[LK_KEYRING_MAX];
};

gboolean
lk_node_name_is_valid (const char *name, gsize length_bytes)
{
  if (length_bytes == 0 || length_bytes > NODE_NAME_MAX_BYTES || !g_ascii_isalnum (name[0]))
    return FALSE;
  for (gsize i = 0; i < length_bytes; i++)
    if (!g_ascii_isalnum (name[i]) && (name[i] == '\0' || strchr ("._-", name[i]) == NULL))
      return FALSE;
  return TRUE;
}

/* ---------------------------------------------------------------- references */

LkKeyring *
lk_keyring_ref (LkKeyring *self)
{
  g_atomic_int_inc (&self->reference_count);
  return self;
}

void
lk_keyring_unref (LkKeyring *self)
{
  if (self == NULL || !g_atomic_int_dec_and_test (&self->reference_count))
    return;
  for (guint i = 0; i < self->count; i++) {
    lk_key_clear (&self->entries[i].key);
    g_free (self->entries[i].node);
  }
  g_free (self);
}

/* ---------------------------------------------------------------- reading */

static gboolean
parse_hex (const char *word, LkKey *out_key)
{
  if (strlen (word) != 2 * sizeof out_key->bytes)
    return FALSE;
  for (gsize i = 0; i < sizeof out_key->bytes; i++) {
    int high = g_ascii_xdigit_value (word[2 * i]);
    int low = g_ascii_xdigit_value (word[2 * i + 1]);
    if (high < 0 || low < 0)
      return FALSE;
    out_key->bytes[i] = (guint8)(16 * high + low);
  }
  return TRUE;
}

static gboolean
parse_user (const char *word, guint32 *out_user_id)
{
  guint64 number;
  if (!g_ascii_string_to_unsigned (word, 10, 0, G_MAXUINT32 - 1, &number, NULL))
    return FALSE;
  *out_user_id = (guint32)number;
  return TRUE;
}

static gboolean
parse_node (const char *word, Entry *entry)
{
  if (!lk_node_name_is_valid (word, strlen (word)))
    return FALSE;
  entry->node = g_strdup (word);
  return TRUE;
}

/* The words of a line, of which there are `count`. */
static gboolean
parse_words (char **words, guint count, Entry *entry)
{
  if (count < 3 || strcmp (words[0], WORD) != 0 || !parse_hex (words[count - 1], &entry->key))
    return FALSE;
  const char *whose = words[1];
  if (count == 3 && strcmp (whose, "cluster") == 0) {
    entry->is_cluster = TRUE;
    return TRUE;
  }
  if (count == 3 && strcmp (whose, "standby") == 0) {
    entry->kind = LK_PEER_STANDBY;
    return TRUE;
  }
  if (count == 4 && strcmp (whose, "user") == 0) {
    entry->kind = LK_PEER_USER;
    return parse_user (words[2], &entry->user_id);
  }
  if (count == 4 && strcmp (whose, "agent") == 0) {
    entry->kind = LK_PEER_AGENT;
    return parse_node (words[2], entry);
  }
  if (count == 6 && strcmp (whose, "job") == 0) {
    entry->kind = LK_PEER_JOB;
    return g_ascii_string_to_unsigned (words[2], 10, 1, G_MAXUINT64, &entry->run_id, NULL)
           && parse_user (words[3], &entry->user_id) && parse_node (words[4], entry);
  }
  return FALSE;
}

/* Texts that were a key are forgotten. */
static void
clear_words (char **words)
{
  for (guint i = 0; words[i] != NULL; i++)
    explicit_bzero (words[i], strlen (words[i]));
  g_strfreev (words);
}

static gboolean
parse_line (LkKeyring *self, const char *line, guint line_number, GError **error)
{
  char **words = g_strsplit (line, " ", 7);
  guint count = g_strv_length (words);
  gboolean is_good = TRUE;
  if (count == 0 || words[0][0] == '#') {
    /* Nothing, or a remark. */
  } else if (self->count == LK_KEYRING_MAX) {
    is_good = FALSE;
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_FORMAT, "line %u: there are more than %u keys",
                 line_number, LK_KEYRING_MAX);
  } else {
    /* It counts at once, so that it is cleared with the others. */
    is_good = parse_words (words, count, &self->entries[self->count++]);
    if (!is_good)
      g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_FORMAT,
                   "line %u is no key; expected '" WORD " cluster HEX', or agent NODE, user UID, "
                   "standby or job RUN UID NODE in place of cluster, and 64 hexadecimal digits",
                   line_number);
  }
  clear_words (words);
  return is_good;
}

LkKeyring *
lk_keyring_parse (const char *text, gsize length_bytes, GError **error)
{
  g_autoptr (LkKeyring) self = g_new0 (LkKeyring, 1);
  self->reference_count = 1;
  if (length_bytes > LK_KEY_FILE_MAX_BYTES || memchr (text, '\0', length_bytes) != NULL) {
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_FORMAT, "it is no key file");
    return NULL;
  }
  char *copy = g_strndup (text, length_bytes);
  char **lines = g_strsplit (copy, "\n", -1);
  explicit_bzero (copy, strlen (copy));
  g_free (copy);
  gboolean is_good = TRUE;
  for (guint i = 0; is_good && lines[i] != NULL; i++)
    is_good = parse_line (self, lines[i], i + 1, error);
  clear_words (lines);
  if (is_good && self->count == 0) {
    g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_FORMAT, "there is no key in it");
    is_good = FALSE;
  }
  return is_good ? g_steal_pointer (&self) : NULL;
}

/* ---------------------------------------------------------------- keys for subjects */

guint
lk_keyring_count (const LkKeyring *self)
{
  return self->count;
}

/* NULL: no key speaks for it. */
static char *
subject_text (const LkKeySubject *subject)
{
  switch (subject->kind) {
  case LK_PEER_AGENT:
    if (subject->node == NULL || !lk_node_name_is_valid (subject->node, strlen (subject->node)))
      return NULL;
    return g_strdup_printf ("agent %s", subject->node);
  case LK_PEER_USER:
    return g_strdup_printf ("user %u", subject->user_id);
  case LK_PEER_STANDBY:
    return g_strdup ("standby");
  case LK_PEER_JOB:
    if (subject->node == NULL || !lk_node_name_is_valid (subject->node, strlen (subject->node)))
      return NULL;
    return g_strdup_printf ("job %" G_GUINT64_FORMAT " %u %s", subject->run_id, subject->user_id,
                            subject->node);
  case LK_PEER_ANONYMOUS:
  case LK_PEER_CONTROLLER:
    break;
  }
  return NULL;
}

static gboolean
is_of_node (const Entry *entry, const LkKeySubject *subject)
{
  return subject->node != NULL && strcmp (entry->node, subject->node) == 0;
}

/* The key is the subject's own. */
static gboolean
belongs_to (const Entry *entry, const LkKeySubject *subject)
{
  if (entry->is_cluster || entry->kind != subject->kind)
    return FALSE;
  switch (entry->kind) {
  case LK_PEER_AGENT:
    return is_of_node (entry, subject);
  case LK_PEER_USER:
    return entry->user_id == subject->user_id;
  case LK_PEER_JOB:
    return entry->run_id == subject->run_id && entry->user_id == subject->user_id
           && is_of_node (entry, subject);
  default:
    return TRUE;
  }
}

static LkKey
key_for (const LkKey *from, const char *text)
{
  LkBytes piece = lk_bytes_of_text (text);
  return lk_mac_key (from, "lockstep key of", &piece, 1);
}

/* FALSE: no key of a node's agent follows from it. */
static gboolean
key_of_agent (const Entry *entry, const char *node, LkKey *out_key)
{
  const LkKeySubject agent = { .kind = LK_PEER_AGENT, .node = node };
  g_autofree char *text = subject_text (&agent);
  if (entry->is_cluster)
    *out_key = key_for (&entry->key, text);
  else if (belongs_to (entry, &agent))
    *out_key = entry->key;
  else
    return FALSE;
  return TRUE;
}

gboolean
lk_keyring_key (const LkKeyring *self, guint index, const LkKeySubject *subject, LkKey *out_key)
{
  LK_ASSERT (index < self->count);
  const Entry *entry = &self->entries[index];
  g_autofree char *text = subject_text (subject);
  LkKey agent;
  if (text == NULL)
    return FALSE;
  if (belongs_to (entry, subject)) {
    *out_key = entry->key;
  } else if (subject->kind == LK_PEER_JOB) {
    if (!key_of_agent (entry, subject->node, &agent))
      return FALSE;
    *out_key = key_for (&agent, text);
    lk_key_clear (&agent);
  } else if (entry->is_cluster) {
    *out_key = key_for (&entry->key, text);
  } else {
    return FALSE;
  }
  return TRUE;
}

guint64
lk_keyring_id (const LkKeyring *self, guint index)
{
  LK_ASSERT (index < self->count);
  guint64 id;
  LkKey key = lk_mac_key (&self->entries[index].key, "lockstep key id", NULL, 0);
  memcpy (&id, key.bytes, sizeof id);
  return id;
}

gboolean
lk_keyring_has_id (const LkKeyring *self, guint64 id)
{
  for (guint i = 0; i < self->count; i++)
    if (lk_keyring_id (self, i) == id)
      return TRUE;
  return FALSE;
}

gboolean
lk_keyring_job (const LkKeyring *self, LkKeySubject *out_subject)
{
  const Entry *entry = &self->entries[0];
  if (entry->kind != LK_PEER_JOB)
    return FALSE;
  *out_subject = (LkKeySubject){ LK_PEER_JOB, entry->node, entry->user_id, entry->run_id };
  return TRUE;
}

/* ---------------------------------------------------------------- making */

static char *
line_of (const char *whose, const LkKey *key)
{
  static const char digits[] = "0123456789abcdef";
  char hex[2 * LK_KEY_BYTES + 1];
  for (gsize i = 0; i < LK_KEY_BYTES; i++) {
    hex[2 * i] = digits[key->bytes[i] >> 4];
    hex[2 * i + 1] = digits[key->bytes[i] & 15];
  }
  hex[sizeof hex - 1] = '\0';
  char *line = g_strdup_printf (WORD " %s %s\n", whose, hex);
  explicit_bzero (hex, sizeof hex);
  return line;
}

char *
lk_keyring_line (const LkKeyring *self, guint index)
{
  LK_ASSERT (index < self->count);
  const Entry *entry = &self->entries[index];
  const LkKeySubject subject = { entry->kind, entry->node, entry->user_id, entry->run_id };
  g_autofree char *whose = entry->is_cluster ? g_strdup ("cluster") : subject_text (&subject);
  return line_of (whose, &entry->key);
}

char *
lk_keyring_new_line (void)
{
  LkKey key = { 0 };
  lk_random_fill (key.bytes, sizeof key.bytes);
  char *line = line_of ("cluster", &key);
  lk_key_clear (&key);
  return line;
}

char *
lk_keyring_derive (const LkKeyring *self, const LkKeySubject *subject, GError **error)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autofree char *text = subject_text (subject);
  for (guint i = 0; i < self->count; i++) {
    LkKey key;
    if (belongs_to (&self->entries[i], subject) || !lk_keyring_key (self, i, subject, &key))
      continue;
    g_autofree char *line = line_of (text, &key);
    g_string_append (out, line);
    explicit_bzero (line, strlen (line));
    lk_key_clear (&key);
  }
  if (out->len > 0)
    return g_string_free (g_steal_pointer (&out), FALSE);
  g_set_error (error, LK_PORT_ERROR, LK_PORT_ERROR_USAGE,
               text != NULL ? "there is no key of a cluster to make it from"
                            : "no key can be made for that");
  return NULL;
}
