/* live/client/json/json.c — see the header. */
#include "live/client/json/json.h"

#include <string.h>

#include "engine/assert.h"
#include "live/client/commands.h"
#include "live/client/json/put.h"
#include "live/client/json/shapes.h"
#include "live/client/json/yaml.h"

#define WRITE_BYTES 65536u
#define PREFIX "data_parser/"

/* ---------------------------------------------------------------- which form */

static guint
version_of (const char *word)
{
  if (g_str_has_prefix (word, PREFIX))
    word += strlen (PREFIX);
  for (guint version = LK_SHAPE_FIRST; version <= LK_SHAPE_LAST; version++) {
    char name[16];
    g_snprintf (name, sizeof name, "v0.0.%u", version);
    if (strcmp (name, word) == 0)
      return version;
  }
  return 0;
}

void
lk_json_choice_take (LkJsonChoice *self, const char *option, const char *value)
{
  *self = (LkJsonChoice){ .is_wanted = TRUE,
                          .is_yaml = strcmp (option, "yaml") == 0,
                          .version = LK_SHAPE_LAST };
  if (value != NULL && strcmp (value, "lockstep") == 0) {
    self->is_own = TRUE;
    self->version = LK_SHAPE_OWN;
  } else if (value != NULL && strcmp (value, "list") == 0) {
    self->is_list = TRUE;
  } else if (value != NULL) {
    self->version = version_of (value);
    self->unknown = self->version == 0 ? value : NULL;
  }
}

/* The heading goes to standard error, as Slurm's does: a script reads the names alone. */
static void
list_tell (const LkClient *client)
{
  fprintf (client->err, "Possible data_parser plugins:\n");
  for (guint version = LK_SHAPE_FIRST; version <= LK_SHAPE_LAST; version++)
    fprintf (client->out, PREFIX "v0.0.%u\n", version);
  fprintf (client->out, "lockstep\n");
}

gboolean
lk_json_choice_settle (const LkClient *client, const LkJsonChoice *self, int *out_code)
{
  if (self->unknown != NULL) {
    lk_client_error (client, "--%s=%s: expected v0.0.%u to v0.0.%u, lockstep or list",
                     self->is_yaml ? "yaml" : "json", self->unknown, LK_SHAPE_FIRST, LK_SHAPE_LAST);
    *out_code = 1;
    return FALSE;
  }
  if (!self->is_list)
    return TRUE;
  list_tell (client);
  *out_code = 0;
  return FALSE;
}

gboolean
lk_json_choice_settle_foreign (const LkClient *client, const LkJsonChoice *self, int *out_code)
{
  if (!self->is_own)
    return lk_json_choice_settle (client, self, out_code);
  lk_client_error (client,
                   "--%s=lockstep: there is no such form of this; expected v0.0.%u to v0.0.%u",
                   self->is_yaml ? "yaml" : "json", LK_SHAPE_FIRST, LK_SHAPE_LAST);
  *out_code = 1;
  return FALSE;
}

/* ---------------------------------------------------------------- what stands around */

/* It is not kept as a whole: of a long queue it would be hundreds of MiB. */
static void
write_some (LkJson *self, gsize least_bytes)
{
  if (self->choice.is_yaml || self->out->len < least_bytes)
    return;
  if (self->choice.is_own) {
    fwrite (self->out->str, 1, self->out->len, self->client->out);
  } else {
    g_autoptr (GString) text = g_string_sized_new (2 * self->out->len);
    lk_json_indent (&self->indent, self->out->str, self->out->len, text);
    fwrite (text->str, 1, text->len, self->client->out);
  }
  g_string_truncate (self->out, 0);
}

void
lk_json_begin (LkJson *self, const LkClient *client, const LkJsonChoice *choice,
               const char *cluster)
{
  *self = (LkJson){ .client = client,
                    .choice = *choice,
                    .cluster = cluster,
                    .out = g_string_sized_new (2 * WRITE_BYTES) };
  self->indent.is_compact = g_strcmp0 (lk_client_variable (client, "SLURM_JSON"), "compact") == 0;
  g_string_append_c (self->out, '{');
  if (!choice->is_own)
    return;
  g_string_append_printf (self->out, "\"schema_version\":%u,\"cluster\":", choice->version);
  lk_put_string (self->out, cluster);
  g_string_append (self->out, ",\"now_us\":");
  lk_put_count (self->out, client->now_us);
}

static void
key (LkJson *self, const char *name)
{
  if (self->out->len == 0 || self->out->str[self->out->len - 1] != '{')
    g_string_append_c (self->out, ',');
  g_string_append_printf (self->out, "\"%s\":", name);
}

void
lk_json_open (LkJson *self, const LkJsonKind *kind)
{
  key (self, kind->member);
  g_string_append_c (self->out, '[');
  self->shape = lk_shape_new (kind->text, self->choice.version, kind->members);
  self->row_count = 0;
}

void
lk_json_row (LkJson *self, gconstpointer report, gconstpointer row)
{
  g_string_append (self->out, self->row_count++ > 0 ? ",\n" : "\n");
  lk_shape_write (self->shape, report, row, self->out);
  write_some (self, WRITE_BYTES);
}

void
lk_json_close (LkJson *self)
{
  g_string_append (self->out, "\n]");
  g_clear_pointer (&self->shape, lk_shape_free);
}

void
lk_json_one (LkJson *self, const LkJsonKind *kind, gconstpointer report, gconstpointer row)
{
  g_autoptr (LkShape) shape = lk_shape_new (kind->text, self->choice.version, kind->members);
  key (self, kind->member);
  lk_shape_write (shape, report, row, self->out);
}

void
lk_json_moment (LkJson *self, const char *name, gint64 time_us)
{
  key (self, name);
  lk_put_moment (self->out, time_us);
}

/* ---------------------------------------------------------------- meta */

static void
put_parser (GString *out, gconstpointer report, gconstpointer row)
{
  const LkJson *self = row;
  (void)report;
  g_string_append_printf (out, "\"" PREFIX "v0.0.%u\"", self->choice.version);
}

static void
put_storage (GString *out, gconstpointer report, gconstpointer row)
{
  (void)report;
  (void)row;
  lk_put_string (out, "accounting_storage/slurmdbd");
}

static void
put_user (GString *out, gconstpointer report, gconstpointer row)
{
  (void)report;
  lk_put_string (out, ((const LkJson *)row)->client->user_name);
}

static void
put_group (GString *out, gconstpointer report, gconstpointer row)
{
  (void)report;
  lk_put_string (out, ((const LkJson *)row)->client->group_name);
}

static void
put_command (GString *out, gconstpointer report, gconstpointer row)
{
  const LkClient *client = ((const LkJson *)row)->client;
  (void)report;
  g_string_append_c (out, '[');
  lk_put_string (out, client->command);
  for (char **at = client->arguments; at != NULL && *at != NULL; at++) {
    g_string_append_c (out, ',');
    lk_put_string (out, *at);
  }
  g_string_append_c (out, ']');
}

/* "26.05.3" in its parts: 0 major, 1 minor, 2 micro. */
static void
put_part (GString *out, guint part)
{
  g_auto (GStrv) parts = g_strsplit (LK_CLIENT_SLURM_VERSION, ".", -1);
  lk_put_string (out, part < g_strv_length (parts) ? parts[part] : "0");
}

static void
put_major (GString *out, gconstpointer report, gconstpointer row)
{
  (void)report;
  (void)row;
  put_part (out, 0);
}

static void
put_minor (GString *out, gconstpointer report, gconstpointer row)
{
  (void)report;
  (void)row;
  put_part (out, 1);
}

static void
put_micro (GString *out, gconstpointer report, gconstpointer row)
{
  (void)report;
  (void)row;
  put_part (out, 2);
}

static void
put_release (GString *out, gconstpointer report, gconstpointer row)
{
  (void)report;
  (void)row;
  lk_put_string (out, LK_CLIENT_SLURM_VERSION);
}

static void
put_cluster (GString *out, gconstpointer report, gconstpointer row)
{
  (void)report;
  lk_put_string (out, ((const LkJson *)row)->cluster);
}

static const LkShapeMember meta_members[] = {
  { "plugin.data_parser", put_parser },
  { "plugin.accounting_storage", put_storage },
  { "client.user", put_user },
  { "client.group", put_group },
  { "command", put_command },
  { "slurm.version.major", put_major },
  { "slurm.version.minor", put_minor },
  { "slurm.version.micro", put_micro },
  { "slurm.release", put_release },
  { "slurm.cluster", put_cluster },
  { NULL, NULL },
};

void
lk_json_end (LkJson *self)
{
  static const LkJsonKind meta = { "meta", lk_shape_meta, meta_members };
  LK_ASSERT (self->shape == NULL);
  if (!self->choice.is_own) {
    lk_json_one (self, &meta, NULL, self);
    g_string_append (self->out, ",\"errors\":[],\"warnings\":[]");
  }
  g_string_append (self->out, "}\n");
  const char *style = lk_client_variable (self->client, "SLURM_YAML");
  if (self->choice.is_yaml)
    lk_json_yaml (self->out, g_strcmp0 (style, "compact") == 0, self->client->out);
  else
    write_some (self, 0);
  g_string_free (self->out, TRUE);
}

void
lk_json_drop (LkJson *self)
{
  g_string_free (self->out, TRUE);
}

/* ---------------------------------------------------------------- which machine */

static void
cluster_take (gpointer user, const LkRecord *record)
{
  LkCluster **out = user;
  const LkBytes text = record->cluster.canonical;
  LkClusterError error;
  if (*out == NULL)
    *out = lk_cluster_from_text ((const char *)text.bytes, text.length_bytes, &error);
}

LkCluster *
lk_json_machine (const LkClient *client)
{
  const LkClientQuery query = { .kind = LK_RECORD_CLUSTER };
  LkCluster *cluster = NULL;
  lk_client_query (client, &query, cluster_take, &cluster, NULL);
  return cluster;
}
