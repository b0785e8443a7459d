/* live/client/submit/sbatch_batch.c — what goes with a job to its node: script, files, environment,
 * limits (live/core/batch_schema.h). */
#include <string.h>
#include <sys/resource.h>

#include "live/client/submit/option_variables.h"
#include "live/client/submit/sbatch.h"

/* ---------------------------------------------------------------- limits */

#define X(NAME, lower, unused) { #NAME, RLIMIT_##NAME, G_STRUCT_OFFSET (LkBatch, limit_##lower) },
static const struct {
  const char *name;
  int resource;
  gsize offset;
} limits[] = { LK_BATCH_LIMITS (X, ) };
#undef X

/* Is a limit propagated? `list`, ALL, NONE or names; NULL is ALL. */
static gboolean
is_propagated (const char *list, const char *name)
{
  g_auto (GStrv) words = g_strsplit (list != NULL && *list != '\0' ? list : "ALL", ",", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    const char *word = words[i];
    if (g_ascii_strncasecmp (word, "RLIMIT_", strlen ("RLIMIT_")) == 0)
      word += strlen ("RLIMIT_");
    if (g_ascii_strcasecmp (word, "ALL") == 0 || g_ascii_strcasecmp (word, name) == 0)
      return TRUE;
  }
  return FALSE;
}

static gboolean
propagate_check (const char *list)
{
  g_auto (GStrv) words = g_strsplit (list != NULL ? list : "", ",", -1);
  for (guint i = 0; words[i] != NULL && *words[i] != '\0'; i++) {
    gboolean is_known =
        g_ascii_strcasecmp (words[i], "NONE") == 0 || g_ascii_strcasecmp (words[i], "ALL") == 0;
    for (guint j = 0; j < G_N_ELEMENTS (limits) && !is_known; j++)
      is_known = is_propagated (words[i], limits[j].name);
    if (!is_known)
      return FALSE;
  }
  return TRUE;
}

/* What --propagate says, else the site. */
static gboolean
is_sent (const LkClient *client, const char *list, const char *name)
{
  const char *except = client->propagate_limits_except;
  if (list != NULL)
    return is_propagated (list, name);
  if (except != NULL && *except != '\0')
    return !is_propagated (except, name);
  return is_propagated (client->propagate_limits, name);
}

static void
limits_fill (const LkClient *client, const char *list, LkBatch *batch)
{
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++) {
    struct rlimit limit;
    if (!is_sent (client, list, limits[i].name) || getrlimit (limits[i].resource, &limit) != 0)
      continue;
    batch->limits |= 1u << i;
    G_STRUCT_MEMBER (guint64, batch, limits[i].offset) =
        limit.rlim_cur == RLIM_INFINITY ? G_MAXUINT64 : (guint64)limit.rlim_cur;
  }
}

/* ---------------------------------------------------------------- mail, files */

static gboolean
mail_types_parse (const char *list, guint32 *out_types)
{
  static const struct {
    const char *name;
    guint32 types;
  } words[] = {
#define X(NAME, bit, text) { text, LK_BATCH_MAIL_##NAME },
    LK_BATCH_MAILS (X)
#undef X
        { "NONE", 0 },
    { "ALL", LK_BATCH_MAIL_BEGIN | LK_BATCH_MAIL_END | LK_BATCH_MAIL_FAIL | LK_BATCH_MAIL_REQUEUE
                 | LK_BATCH_MAIL_INVALID_DEPEND | LK_BATCH_MAIL_STAGE_OUT },
  };
  g_auto (GStrv) given = g_strsplit (list, ",", -1);
  guint32 types = 0;
  for (guint i = 0; given[i] != NULL; i++) {
    guint at = 0;
    while (at < G_N_ELEMENTS (words) && g_ascii_strcasecmp (words[at].name, given[i]) != 0)
      at++;
    if (at == G_N_ELEMENTS (words))
      return FALSE;
    types |= words[at].types;
  }
  *out_types = types;
  return TRUE;
}

/* "[SECONDS][S|L]"; none of it matters: the node looks for the variables as long as it likes. */
static gboolean
is_login (const char *text)
{
  const char *mode = text + strspn (text, "0123456789");
  return *mode == '\0' || (strchr ("SL", g_ascii_toupper (*mode)) != NULL && mode[1] == '\0');
}

static gboolean
open_mode_parse (const char *text, guint8 *out_mode)
{
  if (g_ascii_strncasecmp (text, "a", 1) == 0)
    *out_mode = LK_BATCH_OPEN_APPEND;
  else if (g_ascii_strncasecmp (text, "t", 1) == 0)
    *out_mode = LK_BATCH_OPEN_TRUNCATE;
  else
    return FALSE;
  return TRUE;
}

static int
invalid (const LkSbatch *self, const char *option)
{
  lk_option_error (self->client, option, lk_sbatch_value (self, option),
                   "Invalid --%s specification", option);
  return LK_SBATCH_USAGE;
}

static gboolean
is_too_long (const char *text)
{
  return text != NULL && strlen (text) > G_MAXUINT16;
}

/* Options with a value of a few. 0, or the exit code. */
static int
words_fill (const LkSbatch *self, LkBatch *batch)
{
  const char *mail = lk_sbatch_value (self, "mail-type");
  const char *mode = lk_sbatch_value (self, "open-mode");
  const char *propagate = lk_sbatch_value (self, "propagate");
  const char *login = lk_sbatch_value (self, "get-user-env");
  if (mail != NULL && !mail_types_parse (mail, &batch->mail_types))
    return invalid (self, "mail-type");
  if (mode != NULL && !open_mode_parse (mode, &batch->open_mode))
    return invalid (self, "open-mode");
  if (login != NULL && !is_login (login))
    return invalid (self, "get-user-env");
  if (!propagate_check (propagate))
    return invalid (self, "propagate");
  if (is_too_long (lk_sbatch_value (self, "mail-user")))
    return invalid (self, "mail-user");
  if (is_too_long (lk_sbatch_value (self, "wckey")))
    return invalid (self, "wckey");
  limits_fill (self->client, propagate, batch);
  return 0;
}

/* ---------------------------------------------------------------- the whole */

static LkText
text_of (const char *text)
{
  const char *kept = text != NULL ? text : "";
  return (LkText){ kept, (guint16)MIN (strlen (kept), G_MAXUINT16) };
}

/* Returns: (transfer full). */
static char *
work_dir_of (const LkSbatch *self)
{
  const char *given = lk_sbatch_value (self, "chdir");
  if (given == NULL || *given == '\0')
    return g_strdup (self->client->work_dir);
  return g_path_is_absolute (given) ? g_strdup (given)
                                    : g_build_filename (self->client->work_dir, given, NULL);
}

static void
files_fill (const LkSbatch *self, LkBatch *batch)
{
  const LkClient *client = self->client;
  batch->umask = lk_sbatch_umask (client);
  batch->script = (LkBytes){ self->script->data, self->script->len };
  batch->command = lk_bytes (self->script_path);
  batch->std_in = lk_bytes (lk_sbatch_value (self, "input"));
  batch->std_out = lk_bytes (lk_sbatch_value (self, "output"));
  batch->std_err = lk_bytes (lk_sbatch_value (self, "error"));
  batch->mail_user = text_of (lk_sbatch_value (self, "mail-user"));
  batch->wckey = text_of (lk_sbatch_value (self, "wckey"));
  batch->user_name = text_of (client->user_name);
  batch->submit_host = text_of (client->host);
  batch->submit_dir = lk_bytes (client->work_dir);
  batch->submit_line = lk_bytes (self->submit_line);
}

void
lk_sbatch_limits (const LkSbatch *self, LkBatch *batch)
{
  limits_fill (self->client, lk_sbatch_value (self, "propagate"), batch);
}

int
lk_sbatch_payload (const LkSbatch *self, GByteArray *out)
{
  LkBatch batch = { 0 };
  LkBatchExport mode;
  g_autofree char *work_dir = work_dir_of (self);
  g_autoptr (GByteArray) environment = g_byte_array_new ();
  g_autoptr (GByteArray) arguments = g_byte_array_new ();
  int wrong = words_fill (self, &batch);
  if (wrong != 0)
    return wrong;
  if (!lk_sbatch_environment (self, &mode, environment))
    return LK_SBATCH_FAILURE;
  files_fill (self, &batch);
  for (char **at = self->arguments; at != NULL && *at != NULL; at++)
    lk_strings_append (arguments, *at);
  batch.export_mode = (guint8)mode;
  batch.kind = (guint8)self->kind;
  batch.work_dir = lk_bytes (work_dir);
  batch.environment = (LkStrings){ environment->data, environment->len };
  batch.arguments = (LkStrings){ arguments->data, arguments->len };
  const char *fault = lk_batch_fault (&batch);
  if (fault != NULL) {
    lk_client_error (self->client, "%s", fault);
    return LK_SBATCH_FAILURE;
  }
  lk_batch_encode (&batch, out);
  return 0;
}
