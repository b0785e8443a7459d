/* traces/faults.c — see the header. */
#include "traces/faults.h"

#include <string.h>

struct _LkFaults {
  GPtrArray *files;  /* of char *, in the order of reading */
  GPtrArray *faults; /* of LkFault* */
  guint counts[LK_FAULT_WARNING + 1];
};

static void
fault_free (gpointer data)
{
  LkFault *self = data;
  g_free (self->message);
  g_free (self->file);
  g_free (self);
}

LkFaults *
lk_faults_new (void)
{
  LkFaults *self = g_new0 (LkFaults, 1);
  self->files = g_ptr_array_new_with_free_func (g_free);
  self->faults = g_ptr_array_new_with_free_func (fault_free);
  return self;
}

void
lk_faults_free (LkFaults *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->files);
  g_ptr_array_unref (self->faults);
  g_free (self);
}

/* ---------------------------------------------------------------- places */

static guint
file_rank (LkFaults *self, const char *file)
{
  for (guint i = 0; i < self->files->len; i++)
    if (strcmp (g_ptr_array_index (self->files, i), file) == 0)
      return i;
  g_ptr_array_add (self->files, g_strdup (file));
  return self->files->len - 1;
}

void
lk_faults_note_file (LkFaults *self, const char *file)
{
  if (self != NULL)
    file_rank (self, file);
}

/* "12: ..." or "..." behind the colon of a file. Returns what stands behind it. */
static const char *
line_read (const char *at, guint *out_line)
{
  gsize digits = strspn (at, "0123456789");
  *out_line = 0;
  if (digits == 0 || digits > 9 || at[digits] != ':')
    return at + strspn (at, " ");
  *out_line = (guint)g_ascii_strtoull (at, NULL, 10);
  return at + digits + 1 + strspn (at + digits + 1, " ");
}

/* Where a file's name ends in a message, at a colon: the longest of those that were read, else
 * what stands before a number of a line. NULL: of no file. */
static const char *
file_end (const LkFaults *self, const char *message)
{
  const char *end = NULL;
  guint line_number = 0;
  for (guint i = 0; i < self->files->len; i++) {
    const char *file = g_ptr_array_index (self->files, i);
    gsize bytes = strlen (file);
    if (g_str_has_prefix (message, file) && message[bytes] == ':' && message + bytes > end)
      end = message + bytes;
  }
  for (const char *at = strchr (message, ':'); end == NULL && at != NULL; at = strchr (at + 1, ':'))
    if (g_ascii_isdigit (at[1])) {
      line_read (at + 1, &line_number);
      end = line_number > 0 ? at : NULL;
    }
  return end;
}

static LkFault *
fault_new (LkFaults *self, LkFaultKind kind, const char *message)
{
  LkFault *fault = g_new0 (LkFault, 1);
  fault->kind = kind;
  fault->message = g_strdelimit (g_strdup (message), "\n", ' ');
  fault->text = fault->message;
  fault->rank = G_MAXUINT;
  fault->index = self->faults->len;
  const char *end = file_end (self, fault->message);
  fault->file =
      end != NULL ? g_strndup (fault->message, (gsize)(end - fault->message)) : g_strdup ("");
  if (end != NULL) {
    fault->text = line_read (end + 1, &fault->line_number);
    fault->rank = file_rank (self, fault->file);
  }
  return fault;
}

/* ---------------------------------------------------------------- keeping */

void
lk_faults_add (LkFaults *self, LkFaultKind kind, const char *message)
{
  for (guint i = 0; i < self->faults->len; i++) {
    const LkFault *fault = g_ptr_array_index (self->faults, i);
    if (fault->kind == kind && strcmp (fault->message, message) == 0)
      return;
  }
  if (self->counts[kind] == LK_FAULTS_MAX)
    return;
  self->counts[kind]++;
  g_ptr_array_add (self->faults, fault_new (self, kind, message));
}

gboolean
lk_faults_goes_on (LkFaults *self, GError **error)
{
  if (self == NULL || error == NULL || *error == NULL
      || self->counts[LK_FAULT_ERROR] == LK_FAULTS_MAX)
    return FALSE;
  lk_faults_add (self, LK_FAULT_ERROR, (*error)->message);
  g_clear_error (error);
  return TRUE;
}

guint
lk_faults_count (const LkFaults *self, LkFaultKind kind)
{
  return self->counts[kind];
}

/* ---------------------------------------------------------------- telling */

static gint
fault_compare (gconstpointer a, gconstpointer b)
{
  const LkFault *x = *(const LkFault *const *)a;
  const LkFault *y = *(const LkFault *const *)b;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  if (x->line_number != y->line_number)
    return x->line_number < y->line_number ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

const GPtrArray *
lk_faults_sorted (LkFaults *self)
{
  g_ptr_array_sort (self->faults, fault_compare);
  return self->faults;
}

void
lk_faults_append_messages (LkFaults *self, LkFaultKind kind, GPtrArray *out)
{
  const GPtrArray *faults = lk_faults_sorted (self);
  for (guint i = 0; i < faults->len; i++) {
    const LkFault *fault = g_ptr_array_index (faults, i);
    if (fault->kind == kind)
      g_ptr_array_add (out, g_strdup (fault->message));
  }
}
