/* traces/anonymize.c — see anonymize.h. */
#include "traces/anonymize.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/hostlist.h"

#define DIGEST_BYTES 32u
#define NAME_DIGEST_BYTES 8u /* sixteen digits */
#define NUMBER_BITS 31

/* Names of one kind. */
typedef struct {
  GHashTable *names;   /* name to pseudonym */
  GHashTable *lists;   /* whole text of several names to the same of pseudonyms */
  GHashTable *numbers; /* name to number */
  GHashTable *owners;  /* number of a key to its name, to find two that meet */
} Kind;

struct _LkAnonymizer {
  guint8 *key; /* NULL: none */
  gsize key_bytes;
  guint kept;
  Kind kinds[LK_ANONYMIZE_KIND_COUNT];
  GStringChunk *texts;
};

#define X(NAME, word, letter) letter,
static const char letters[] = { LK_ANONYMIZE_KINDS (X) };
#undef X

LkAnonymizer *
lk_anonymizer_new (const LkAnonymizeOptions *options)
{
  LkAnonymizer *self = g_new0 (LkAnonymizer, 1);
  self->kept = options->kept;
  self->texts = g_string_chunk_new (4096);
  if (options->key != NULL) {
    self->key = g_memdup2 (options->key, options->key_bytes);
    self->key_bytes = options->key_bytes;
  }
  for (guint i = 0; i < LK_ANONYMIZE_KIND_COUNT; i++) {
    Kind *kind = &self->kinds[i];
    kind->names = g_hash_table_new (g_str_hash, g_str_equal);
    kind->lists = g_hash_table_new (g_str_hash, g_str_equal);
    kind->numbers = g_hash_table_new (g_str_hash, g_str_equal);
    kind->owners = g_hash_table_new (NULL, NULL);
  }
  return self;
}

void
lk_anonymizer_free (LkAnonymizer *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < LK_ANONYMIZE_KIND_COUNT; i++) {
    g_hash_table_unref (self->kinds[i].names);
    g_hash_table_unref (self->kinds[i].lists);
    g_hash_table_unref (self->kinds[i].numbers);
    g_hash_table_unref (self->kinds[i].owners);
  }
  g_string_chunk_free (self->texts);
  g_free (self->key);
  g_free (self);
}

static gboolean
is_kept (const LkAnonymizer *self, LkAnonymizeKind kind)
{
  return (self->kept & (1u << kind)) != 0;
}

/* HMAC of the kind's letter and the name. */
static void
digest_make (const LkAnonymizer *self, LkAnonymizeKind kind, const char *name,
             guint8 out_digest[DIGEST_BYTES])
{
  gsize digest_bytes = DIGEST_BYTES;
  GHmac *hmac = g_hmac_new (G_CHECKSUM_SHA256, self->key, self->key_bytes);
  g_hmac_update (hmac, (const guchar *)&letters[kind], 1);
  g_hmac_update (hmac, (const guchar *)name, (gssize)strlen (name));
  g_hmac_get_digest (hmac, out_digest, &digest_bytes);
  LK_ASSERT (digest_bytes == DIGEST_BYTES);
  g_hmac_unref (hmac);
}

const char *
lk_anonymizer_name (LkAnonymizer *self, LkAnonymizeKind kind, const char *name)
{
  GHashTable *names = self->kinds[kind].names;
  if (is_kept (self, kind))
    return name;
  const char *known = g_hash_table_lookup (names, name);
  if (known != NULL)
    return known;
  g_autoptr (GString) pseudonym = g_string_new (NULL);
  g_string_append_c (pseudonym, letters[kind]);
  if (self->key != NULL) {
    guint8 digest[DIGEST_BYTES];
    digest_make (self, kind, name, digest);
    for (guint i = 0; i < NAME_DIGEST_BYTES; i++)
      g_string_append_printf (pseudonym, "%02x", digest[i]);
  } else
    g_string_append_printf (pseudonym, "%u", g_hash_table_size (names) + 1);
  char *text = g_string_chunk_insert (self->texts, pseudonym->str);
  g_hash_table_insert (names, g_string_chunk_insert (self->texts, name), text);
  return text;
}

/* ---------------------------------------------------------------- several names */

static void
list_map (LkAnonymizer *self, LkAnonymizeKind kind, const char *list, GString *out)
{
  g_auto (GStrv) names = g_strsplit (list, ",", -1);
  for (guint i = 0; names[i] != NULL; i++) {
    if (i > 0)
      g_string_append_c (out, ',');
    if (*names[i] != '\0')
      g_string_append (out, lk_anonymizer_name (self, kind, names[i]));
  }
}

/* What is no hostlist is not worth the risk: it becomes empty. */
static void
hostlist_map (LkAnonymizer *self, const char *list, GString *out)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) pseudonyms = g_ptr_array_new ();
  if (!lk_hostlist_expand (list, strlen (list), names, NULL))
    return;
  for (guint i = 0; i < names->len; i++)
    g_ptr_array_add (pseudonyms, (gpointer)lk_anonymizer_name (self, LK_ANONYMIZE_NODES,
                                                               g_ptr_array_index (names, i)));
  if (pseudonyms->len > 0)
    lk_hostlist_compress ((const char *const *)pseudonyms->pdata, pseudonyms->len, out);
}

/* Comma-separated names, or a hostlist; the same lists come again and again. */
static const char *
text_map (LkAnonymizer *self, LkAnonymizeKind kind, const char *text)
{
  GHashTable *lists = self->kinds[kind].lists;
  if (text == NULL || *text == '\0' || is_kept (self, kind))
    return text;
  const char *known = g_hash_table_lookup (lists, text);
  if (known != NULL)
    return known;
  g_autoptr (GString) mapped = g_string_new (NULL);
  if (kind == LK_ANONYMIZE_NODES)
    hostlist_map (self, text, mapped);
  else
    list_map (self, kind, text, mapped);
  char *result = g_string_chunk_insert (self->texts, mapped->str);
  g_hash_table_insert (lists, g_string_chunk_insert (self->texts, text), result);
  return result;
}

static void
field_map (LkAnonymizer *self, LkAnonymizeKind kind, LkText *field)
{
  if (field->length_bytes == 0 || is_kept (self, kind))
    return;
  g_autofree char *text = g_strndup (field->bytes, field->length_bytes);
  const char *mapped = text_map (self, kind, text);
  gsize length_bytes = strlen (mapped);
  /* A longer list than fits a text: drop it rather than cut a name. */
  *field = length_bytes <= G_MAXUINT16 ? lk_text (mapped) : (LkText){ NULL, 0 };
}

/* ---------------------------------------------------------------- numbers */

static gboolean
keyed_number (LkAnonymizer *self, LkAnonymizeKind kind, const char *name, guint32 *out_number,
              GError **error)
{
  GHashTable *owners = self->kinds[kind].owners;
  guint8 digest[DIGEST_BYTES];
  digest_make (self, kind, name, digest);
  guint32 number = 0;
  for (guint i = 0; i < sizeof number; i++)
    number = number << 8 | digest[i];
  number = MAX (number & ((1u << NUMBER_BITS) - 1), 1);
  if (g_hash_table_contains (owners, GUINT_TO_POINTER (number))) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX,
                 "two names of the log get the number %u with this key; expected another key",
                 number);
    return FALSE;
  }
  g_hash_table_add (owners, GUINT_TO_POINTER (number));
  *out_number = number;
  return TRUE;
}

/* The number that stands for a name, or for a number where the log has no name. */
static gboolean
number_map (LkAnonymizer *self, LkAnonymizeKind kind, const char *name, guint32 *number,
            GError **error)
{
  GHashTable *numbers = self->kinds[kind].numbers;
  g_autofree char *digits = g_strdup_printf ("%u", *number);
  if (is_kept (self, kind) || *number == 0)
    return TRUE;
  if (name == NULL)
    name = digits;
  gpointer known = g_hash_table_lookup (numbers, name);
  guint32 mapped = GPOINTER_TO_UINT (known);
  if (mapped == 0 && self->key == NULL)
    mapped = g_hash_table_size (numbers) + 1;
  else if (mapped == 0 && !keyed_number (self, kind, name, &mapped, error))
    return FALSE;
  if (known == NULL)
    g_hash_table_insert (numbers, g_string_chunk_insert (self->texts, name),
                         GUINT_TO_POINTER (mapped));
  *number = mapped;
  return TRUE;
}

static gboolean
swf_map (LkAnonymizer *self, LkAnonymizeKind kind, gint64 *value, GError **error)
{
  /* By its digits, since it may have more than 32 bits. */
  g_autofree char *name = g_strdup_printf ("%" G_GINT64_FORMAT, *value);
  guint32 number = 1; /* of no meaning but that there is one */
  if (*value < 0 || is_kept (self, kind))
    return TRUE;
  if (!number_map (self, kind, name, &number, error))
    return FALSE;
  *value = number;
  return TRUE;
}

/* ---------------------------------------------------------------- jobs */

static gboolean
is_plain_number (const char *name)
{
  return name[strspn (name, "0123456789_.+")] == '\0';
}

gboolean
lk_anonymizer_record (LkAnonymizer *self, LkTraceRecord *record, GError **error)
{
  LkTraceRecord changed = *record;
  LkJobRequest *request = &changed.request;
  g_autofree char *partition =
      g_strndup (request->partition.bytes, request->partition.length_bytes);
  if (!number_map (self, LK_ANONYMIZE_USERS, changed.user, &changed.user_id, error)
      || !number_map (self, LK_ANONYMIZE_GROUPS, changed.group, &changed.group_id, error)
      || !number_map (self, LK_ANONYMIZE_PARTITIONS, *partition != '\0' ? partition : NULL,
                      &changed.partition_id, error))
    return FALSE;
  if (changed.name != NULL && !is_plain_number (changed.name) && !is_kept (self, LK_ANONYMIZE_JOBS))
    changed.name = NULL;
  if (changed.user != NULL)
    changed.user = lk_anonymizer_name (self, LK_ANONYMIZE_USERS, changed.user);
  if (changed.group != NULL)
    changed.group = lk_anonymizer_name (self, LK_ANONYMIZE_GROUPS, changed.group);
  if (changed.job_name != NULL)
    changed.job_name = lk_anonymizer_name (self, LK_ANONYMIZE_JOBS, changed.job_name);
  changed.node_list = text_map (self, LK_ANONYMIZE_NODES, changed.node_list);
  field_map (self, LK_ANONYMIZE_PARTITIONS, &request->partition);
  field_map (self, LK_ANONYMIZE_ACCOUNTS, &request->account);
  field_map (self, LK_ANONYMIZE_GROUPS, &request->group);
  field_map (self, LK_ANONYMIZE_USERS, &request->user);
  field_map (self, LK_ANONYMIZE_QOS, &request->qos);
  field_map (self, LK_ANONYMIZE_NODES, &request->node_list);
  field_map (self, LK_ANONYMIZE_NODES, &request->exclude);
  *record = changed;
  return TRUE;
}

gboolean
lk_anonymizer_swf (LkAnonymizer *self, LkSwfJob *job, GError **error)
{
  LkSwfJob changed = *job;
  if (!swf_map (self, LK_ANONYMIZE_USERS, &changed.user_id, error)
      || !swf_map (self, LK_ANONYMIZE_GROUPS, &changed.group_id, error)
      || !swf_map (self, LK_ANONYMIZE_JOBS, &changed.application_id, error)
      || !swf_map (self, LK_ANONYMIZE_PARTITIONS, &changed.partition_id, error))
    return FALSE;
  /* Queues share the names of accounts, of which a line of SWF has none. */
  if (changed.queue_id != 0 && !swf_map (self, LK_ANONYMIZE_ACCOUNTS, &changed.queue_id, error))
    return FALSE;
  *job = changed;
  return TRUE;
}

char *
lk_anonymize_comment (const char *comment)
{
  static const char *const numbers[] = { "Version",       "MaxJobs",    "MaxRecords",
                                         "UnixStartTime", "TimeZone",   "MaxNodes",
                                         "MaxProcs",      "MaxRuntime", "MaxMemory" };
  static const char zone[] = "TimeZoneString";
  const char *colon = strchr (comment, ':');
  if (colon == NULL)
    return NULL;
  g_autofree char *key = g_strstrip (g_strndup (comment, (gsize)(colon - comment)));
  const char *value = colon + 1 + strspn (colon + 1, " \t");
  gsize number_bytes = strspn (value, "-.0123456789");
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (g_ascii_strcasecmp (key, numbers[i]) == 0 && number_bytes > 0)
      return g_strdup_printf ("%s: %.*s", numbers[i], (int)number_bytes, value);
  if (g_ascii_strcasecmp (key, zone) == 0 && *value != '\0')
    return g_strdup_printf ("%s: %.*s", zone, (int)strcspn (value, " \t"), value);
  return NULL;
}
