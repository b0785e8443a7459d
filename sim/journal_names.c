/* sim/journal_names.c — see the header. */
#include "sim/journal_names.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/bytes.h"
#include "sim/error.h"

#define NOTE_LOG_ID 0u
#define LOG_ID_MAX_BYTES 255u
/* A message lists so many jobs of one number. */
#define LISTED_MAX 5u

struct _LkJournalNames {
  GHashTable *users;   /* uid to name */
  GHashTable *log_ids; /* job id to the log's number */
  GHashTable *by_log;  /* the log's number to a GArray of the jobs' ids, which rise */
  GArray *submitted;   /* of guint32: ids of all submits, which rise */
};

/* ---------------------------------------------------------------- notes */

void
lk_journal_names_write (LkJournalWriter *writer, guint32 job_id, const char *log_id)
{
  g_autoptr (GByteArray) note = g_byte_array_new ();
  lk_append_u8 (note, NOTE_LOG_ID);
  lk_append_u32 (note, job_id);
  g_byte_array_append (note, (const guint8 *)log_id, (guint)strlen (log_id));
  lk_journal_writer_note (writer, note->data, note->len);
}

/* Commands print it on terminals, and in JSON as it is. */
static gboolean
is_printable (const char *text, gsize length_bytes)
{
  if (length_bytes == 0 || length_bytes > LOG_ID_MAX_BYTES)
    return FALSE;
  for (gsize i = 0; i < length_bytes; i++)
    if (!g_ascii_isgraph (text[i]) || text[i] == '"' || text[i] == '\\')
      return FALSE;
  return TRUE;
}

static void
add_log_id (LkJournalNames *self, guint32 job_id, const char *text, gsize length_bytes)
{
  gpointer key = GUINT_TO_POINTER (job_id);
  if (!is_printable (text, length_bytes) || g_hash_table_contains (self->log_ids, key))
    return;
  char *log_id = g_strndup (text, length_bytes);
  g_hash_table_insert (self->log_ids, key, log_id);
  GArray *ids = g_hash_table_lookup (self->by_log, log_id);
  if (ids == NULL) {
    ids = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_hash_table_insert (self->by_log, log_id, ids);
  }
  g_array_append_val (ids, job_id);
}

/* FALSE: the note is of a live controller. */
static gboolean
add_note (LkJournalNames *self, const guint8 *bytes, gsize length_bytes)
{
  LkBytesReader reader = { bytes, length_bytes, FALSE };
  if (lk_take_u8 (&reader) != NOTE_LOG_ID || reader.failed)
    return FALSE;
  guint32 job_id = lk_take_u32 (&reader);
  if (!reader.failed)
    add_log_id (self, job_id, (const char *)reader.at, reader.left_bytes);
  return TRUE;
}

/* ---------------------------------------------------------------- reading */

LkJournalNames *
lk_journal_names_new (void)
{
  LkJournalNames *self = g_new (LkJournalNames, 1);
  self->users = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->log_ids = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->by_log =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_array_unref);
  self->submitted = g_array_new (FALSE, FALSE, sizeof (guint32));
  return self;
}

void
lk_journal_names_free (LkJournalNames *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->users);
  g_hash_table_unref (self->by_log);
  g_hash_table_unref (self->log_ids);
  g_array_unref (self->submitted);
  g_free (self);
}

static void
add_submit (LkJournalNames *self, const LkEvent_submit *submit)
{
  gpointer key = GUINT_TO_POINTER (submit->user_id);
  if (submit->user.length_bytes > 0 && !g_hash_table_contains (self->users, key))
    g_hash_table_insert (self->users, key,
                         g_strndup (submit->user.bytes, submit->user.length_bytes));
  guint count = self->submitted->len;
  if (count == 0 || g_array_index (self->submitted, guint32, count - 1) < submit->job_id)
    g_array_append_val (self->submitted, submit->job_id);
}

gboolean
lk_journal_names_add (LkJournalNames *self, LkJournalReader *reader, const LkEvent *event)
{
  const guint8 *note;
  gsize note_bytes;
  gboolean is_live = FALSE;
  while (lk_journal_reader_note (reader, &note, &note_bytes))
    is_live |= !add_note (self, note, note_bytes);
  if (event->kind == LK_EVENT_SUBMIT)
    add_submit (self, &event->submit);
  return is_live;
}

LkJournalNames *
lk_journal_names_read (const LkJournalInput *input)
{
  LkEvent event;
  LkJournalHeader header;
  const char *fault = NULL;
  const char *bytes = g_mapped_file_get_contents (input->mapping);
  LkJournalNames *self = lk_journal_names_new ();
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new ((const guint8 *)bytes, input->length_bytes, &header, &fault);
  LK_ASSERT (reader != NULL); /* the input has been opened */
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT)
    lk_journal_names_add (self, reader, &event);
  return self;
}

LkJournalNames *
lk_journal_names_read_file (const char *path, GError **error)
{
  LkJournalInput input;
  if (!lk_journal_input_open (&input, path, error))
    return NULL;
  LkJournalNames *self = lk_journal_names_read (&input);
  lk_journal_input_close (&input);
  return self;
}

/* ---------------------------------------------------------------- names */

const char *
lk_journal_names_user (const LkJournalNames *self, guint32 user_id)
{
  return g_hash_table_lookup (self->users, GUINT_TO_POINTER (user_id));
}

const char *
lk_journal_names_log_id (const LkJournalNames *self, guint32 job_id)
{
  return self != NULL ? g_hash_table_lookup (self->log_ids, GUINT_TO_POINTER (job_id)) : NULL;
}

void
lk_journal_names_append_log_id (const LkJournalNames *self, guint32 job_id, GString *out)
{
  const char *log_id = lk_journal_names_log_id (self, job_id);
  if (log_id != NULL)
    g_string_append_printf (out, "(log:%s)", log_id);
}

void
lk_journal_names_append_job (const LkJournalNames *self, guint32 job_id, GString *out)
{
  g_string_append_printf (out, "%u", job_id);
  lk_journal_names_append_log_id (self, job_id, out);
}

void
lk_journal_names_append_dependency (const LkJournalNames *self, const char *text, GString *out)
{
  while (*text != '\0') {
    char before = *text;
    g_string_append_c (out, *text++);
    if (before != ':' || !g_ascii_isdigit (*text))
      continue;
    const char *number = text;
    guint64 job_id = g_ascii_strtoull (text, (char **)&text, 10);
    g_string_append_len (out, number, text - number);
    if (*text != '_' && job_id <= G_MAXUINT32)
      lk_journal_names_append_log_id (self, (guint32)job_id, out);
  }
}

/* ---------------------------------------------------------------- jobs by their names */

/* What a text can mean. */
typedef struct {
  const char *number;
  gboolean is_id;  /* an id */
  gboolean is_log; /* the log's number */
} Name;

static Name
name_of (const char *text)
{
  if (g_str_has_prefix (text, "id:"))
    return (Name){ text + strlen ("id:"), TRUE, FALSE };
  if (g_str_has_prefix (text, "log:"))
    return (Name){ text + strlen ("log:"), FALSE, TRUE };
  return (Name){ text, TRUE, TRUE };
}

static gboolean
parse_id (const char *text, guint32 *out_id)
{
  guint64 id;
  if (!g_ascii_string_to_unsigned (text, 10, 1, G_MAXUINT32, &id, NULL))
    return FALSE;
  *out_id = (guint32)id;
  return TRUE;
}

gboolean
lk_journal_names_is_job (const char *text)
{
  Name name = name_of (text);
  return g_ascii_isdigit (name.number[0]) && (name.is_log || name.number[0] != '0')
         && name.number[strspn (name.number, "0123456789_+")] == '\0';
}

gboolean
lk_journal_names_is_same (const LkJournalNames *self, guint32 job_id, const char *text)
{
  guint32 id;
  Name name = name_of (text);
  const char *log_id = lk_journal_names_log_id (self, job_id);
  gboolean is_number = parse_id (name.number, &id) && id == job_id;
  if (name.is_log && log_id != NULL && strcmp (log_id, name.number) == 0)
    return TRUE;
  return is_number && (name.is_id || log_id == NULL);
}

static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  guint32 id_a = *(const guint32 *)a;
  guint32 id_b = *(const guint32 *)b;
  return (id_a > id_b) - (id_a < id_b);
}

/* All jobs that the text names, by rising id. Returns: (transfer full) of guint32. */
static GArray *
jobs_of (const LkJournalNames *self, const char *text)
{
  guint32 id;
  Name name = name_of (text);
  GArray *found = g_array_new (FALSE, FALSE, sizeof (guint32));
  const GArray *by_log =
      self != NULL && name.is_log ? g_hash_table_lookup (self->by_log, name.number) : NULL;
  if (by_log != NULL)
    g_array_append_vals (found, by_log->data, by_log->len);
  if (self != NULL && parse_id (name.number, &id)
      && g_array_binary_search (self->submitted, &id, compare_ids, NULL)
      && lk_journal_names_is_same (self, id, text))
    g_array_append_val (found, id);
  g_array_sort (found, compare_ids);
  return found;
}

static gboolean
fail_several (const LkJournalNames *self, const char *text, const GArray *found, GError **error)
{
  g_autoptr (GString) jobs = g_string_new (NULL);
  for (guint i = 0; i < MIN (found->len, LISTED_MAX); i++) {
    g_string_append (jobs, i > 0 ? ", " : "");
    lk_journal_names_append_job (self, g_array_index (found, guint32, i), jobs);
  }
  if (found->len > LISTED_MAX)
    g_string_append_printf (jobs, " and %u more", found->len - LISTED_MAX);
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
               "'%s' is the number of %u jobs: %s; expected one of them by its id, such as id:%u",
               text, found->len, jobs->str, g_array_index (found, guint32, 0));
  return FALSE;
}

gboolean
lk_journal_names_find (const LkJournalNames *self, const char *text, guint32 *out_job_id,
                       GError **error)
{
  Name name = name_of (text);
  if (!lk_journal_names_is_job (text)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, LK_JOURNAL_NAMES_NO_JOB, text);
    return FALSE;
  }
  g_autoptr (GArray) found = jobs_of (self, text);
  if (found->len > 1)
    return fail_several (self, text, found, error);
  if (found->len == 1) {
    *out_job_id = g_array_index (found, guint32, 0);
    return TRUE;
  }
  if (name.is_id && parse_id (name.number, out_job_id))
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_READ, "there is no job %s in the journal", text);
  return FALSE;
}

char *
lk_journal_names_resolve (const LkJournalNames *self, const char *text, GError **error)
{
  guint32 id = 0;
  GError *own = NULL;
  const char *rest = text + strcspn (text, "_+");
  g_autofree char *number = g_strndup (text, (gsize)(rest - text));
  if (rest[0] != '\0' && lk_journal_names_is_job (text)) {
    if (lk_journal_names_find (self, text, &id, &own))
      return g_strdup_printf ("%u", id);
    if (!g_error_matches (own, LK_SIM_ERROR, LK_SIM_ERROR_READ)) {
      g_propagate_error (error, own);
      return NULL;
    }
    g_clear_error (&own); /* not one job of the log: a part of the job before the `_` or `+` */
  }
  if (!lk_journal_names_find (self, number, &id, error))
    return NULL;
  return g_strdup_printf ("%u%s", id, rest);
}
