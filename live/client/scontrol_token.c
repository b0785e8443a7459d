/* live/client/scontrol_token.c — `scontrol token [username=NAME] [lifespan=SECONDS]`: a JSON Web
 * Token for services that share the key.
 *
 * It is signed here, with the key that AuthAltParameters=jwt_key= of slurm.conf names (else
 * jwt_hs256.key in StateSaveLocation): whoever can read that may speak for anybody, so it must be
 * closed to all but its owner.  The controller itself takes no tokens: who asks it is attested.
 * Source: scontrol(1), Slurm's jwt.html (claims exp, iat, sun; HS256); RFC 7515, RFC 7519. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/client/scontrol_more.h"
#include "traces/slurm_conf_lines.h"

#define KEY_MIN_BYTES 16
#define KEY_MAX_BYTES 4096
#define LIFE_DEFAULT_S 1800
#define SHA256_BYTES 32

typedef struct {
  const char *user;
  guint64 life_s; /* 0: for ever */
} Wanted;

/* ---------------------------------------------------------------- the key */

/* The last line of slurm.conf that has it; NULL: none. */
static const char *
conf_value (const LkSlurmLines *file, const char *key)
{
  const char *value = NULL;
  for (guint i = 0; i < file->lines->len; i++) {
    const GPtrArray *pairs = g_ptr_array_index (file->lines, i);
    const LkSlurmPair *first = g_ptr_array_index (pairs, 0);
    if (g_ascii_strcasecmp (first->key, key) == 0)
      value = first->value;
  }
  return value;
}

/* Returns: (transfer full); NULL: told. */
static char *
key_path (const LkClient *client)
{
  static const char mark[] = "jwt_key=";
  g_autoptr (GError) error = NULL;
  if (client->conf_path == NULL) {
    lk_client_error (client, "token: no slurm.conf is known here, which would name the key");
    return NULL;
  }
  g_autoptr (LkSlurmLines) file = lk_slurm_lines_new (client->conf_path, &error);
  if (file == NULL) {
    lk_client_error (client, "token: %s", error->message);
    return NULL;
  }
  const char *parameters = conf_value (file, "AuthAltParameters");
  g_auto (GStrv) parts = g_strsplit (parameters != NULL ? parameters : "", ",", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    if (g_ascii_strncasecmp (parts[i], mark, strlen (mark)) == 0)
      return g_strdup (parts[i] + strlen (mark));
  const char *folder = conf_value (file, "StateSaveLocation");
  if (folder == NULL) {
    lk_client_error (client,
                     "token: '%s' names no key; expected AuthAltParameters=jwt_key=FILE or "
                     "StateSaveLocation",
                     client->conf_path);
    return NULL;
  }
  return g_build_filename (folder, "jwt_hs256.key", NULL);
}

/* Returns: how many bytes; -1: told. */
static gssize
key_read (const LkClient *client, const char *path, guint8 *out_key)
{
  struct stat about;
  gssize length_bytes = -1;
  int file = open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0 || fstat (file, &about) != 0)
    lk_client_error (client, "token: the key '%s' cannot be read: %s", path, g_strerror (errno));
  else if ((about.st_mode & 077) != 0)
    lk_client_error (client, "token: the key '%s' may be read by others; expected mode 0600", path);
  else if ((length_bytes = read (file, out_key, KEY_MAX_BYTES)) < KEY_MIN_BYTES) {
    lk_client_error (client, "token: the key '%s' is too short; expected %d bytes or more", path,
                     KEY_MIN_BYTES);
    length_bytes = -1;
  }
  if (file >= 0)
    close (file);
  return length_bytes;
}

/* ---------------------------------------------------------------- the token */

/* Without padding, and with - and _ : RFC 7515, appendix C. */
static void
base64url_append (const guint8 *bytes, gsize length_bytes, GString *out)
{
  g_autofree char *text = g_base64_encode (bytes, length_bytes);
  for (const char *at = text; *at != '\0' && *at != '='; at++)
    g_string_append_c (out, *at == '+' ? '-' : *at == '/' ? '_' : *at);
}

static void
token_append (const LkClient *client, const Wanted *wanted, GBytes *key, GString *out)
{
  static const char head[] = "{\"alg\":\"HS256\",\"typ\":\"JWT\"}";
  gint64 now_s = client->now_us / G_USEC_PER_SEC;
  guint64 end_s = wanted->life_s == 0 ? G_MAXINT32 : (guint64)now_s + wanted->life_s;
  g_autoptr (GString) body = g_string_new (NULL);
  g_autoptr (GHmac) mac =
      g_hmac_new (G_CHECKSUM_SHA256, g_bytes_get_data (key, NULL), g_bytes_get_size (key));
  guint8 digest[SHA256_BYTES];
  gsize digest_bytes = sizeof digest;
  g_string_append_printf (
      body, "{\"exp\":%" G_GUINT64_FORMAT ",\"iat\":%" G_GINT64_FORMAT ",\"sun\":", end_s, now_s);
  lk_word_json (wanted->user, strlen (wanted->user), body);
  g_string_append_c (body, '}');
  gsize begin = out->len;
  base64url_append ((const guint8 *)head, strlen (head), out);
  g_string_append_c (out, '.');
  base64url_append ((const guint8 *)body->str, body->len, out);
  g_hmac_update (mac, (const guchar *)out->str + begin, (gssize)(out->len - begin));
  g_hmac_get_digest (mac, digest, &digest_bytes);
  g_string_append_c (out, '.');
  base64url_append (digest, digest_bytes, out);
}

/* FALSE: told. */
static gboolean
wanted_read (const LkClient *client, char **words, Wanted *out)
{
  for (char **word = words; *word != NULL; word++) {
    const char *value = strchr (*word, '=');
    gsize key_bytes = value != NULL ? (gsize)(value - *word) : 0;
    char *end = NULL;
    if (key_bytes == strlen ("username") && g_ascii_strncasecmp (*word, "username", key_bytes) == 0)
      out->user = value + 1;
    else if (key_bytes == strlen ("lifespan")
             && g_ascii_strncasecmp (*word, "lifespan", key_bytes) == 0) {
      gboolean is_infinite = g_ascii_strcasecmp (value + 1, "infinite") == 0;
      out->life_s = is_infinite ? 0 : g_ascii_strtoull (value + 1, &end, 10);
      if (!is_infinite
          && (end == value + 1 || *end != '\0' || out->life_s == 0 || out->life_s > G_MAXINT32)) {
        lk_client_error (client, "Invalid lifespan %s: expected seconds, or infinite", value + 1);
        return FALSE;
      }
    } else {
      lk_client_error (client, "token: unexpected '%s'; expected username=NAME or lifespan=SECONDS",
                       *word);
      return FALSE;
    }
  }
  return TRUE;
}

int
lk_scontrol_token (LkClient *client, const LkScontrolOptions *unused, char **words)
{
  Wanted wanted = { client->user_name, LIFE_DEFAULT_S };
  guint8 bytes[KEY_MAX_BYTES];
  (void)unused;
  if (!wanted_read (client, words + 1, &wanted))
    return LK_SCONTROL_FAILURE;
  g_autofree char *path = key_path (client);
  gssize length_bytes = path != NULL ? key_read (client, path, bytes) : -1;
  if (length_bytes < 0)
    return LK_SCONTROL_FAILURE;
  g_autoptr (GBytes) key = g_bytes_new (bytes, (gsize)length_bytes);
  g_autoptr (GString) token = g_string_new ("SLURM_JWT=");
  token_append (client, &wanted, key, token);
  explicit_bzero (bytes, sizeof bytes);
  fprintf (client->out, "%s\n", token->str);
  return 0;
}
