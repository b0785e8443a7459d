/* traces/slurm_conf_lines.c — see the header.
 *
 * Files are a stack: the top one is read until it ends or includes another. */
#include "traces/slurm_conf_lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_MAX_BYTES 160u
#define MESSAGE_MAX_BYTES 1000u
#define UTF8_MARK "\xef\xbb\xbf"

/* ---------------------------------------------------------------- messages */

/* In place: what is no printable letter becomes '?', what is too long is cut. */
static void
text_clean (GString *text, gsize length_max_bytes)
{
  if (text->len > length_max_bytes) {
    g_string_truncate (text, length_max_bytes);
    g_string_append (text, "...");
  }
  gboolean is_utf8 = g_utf8_validate (text->str, (gssize)text->len, NULL);
  for (gsize i = 0; i < text->len; i++) {
    guchar byte = (guchar)text->str[i];
    if (byte < ' ' || byte == 0x7f || (byte >= 0x80 && !is_utf8))
      text->str[i] = '?';
  }
}

char *
lk_slurm_shown (const char *text)
{
  GString *shown = g_string_new (text);
  text_clean (shown, SHOWN_MAX_BYTES);
  return g_string_free (shown, FALSE);
}

gboolean
lk_slurm_fail (const LkSlurmPlace *place, GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autoptr (GString) message = g_string_new (place->file);
  if (place->line_number > 0)
    g_string_append_printf (message, ":%u", place->line_number);
  g_string_append (message, ": ");
  g_string_append_vprintf (message, format, arguments);
  va_end (arguments);
  text_clean (message, MESSAGE_MAX_BYTES);
  g_set_error_literal (error, LK_TRACE_ERROR, LK_TRACE_ERROR_SYNTAX, message->str);
  return FALSE;
}

/* ---------------------------------------------------------------- files */

GBytes *
lk_slurm_file_read (const char *path, GError **error)
{
  g_autofree char *shown = g_filename_display_name (path);
  errno = 0;
  FILE *file = fopen (path, "rbe");
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint8 block[65536];
  gsize got_bytes = 0;
  while (file && bytes->len <= LK_SLURM_FILE_MAX_BYTES
         && (got_bytes = fread (block, 1, sizeof block, file)) > 0)
    g_byte_array_append (bytes, block, (guint)got_bytes);
  gboolean is_read = file && !ferror (file);
  int error_number = errno;
  if (file)
    fclose (file);
  if (!is_read)
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_OPEN, "cannot read '%s': %s", shown,
                 g_strerror (error_number));
  else if (bytes->len > LK_SLURM_FILE_MAX_BYTES)
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_OPEN,
                 "'%s' has more than %u bytes; expected a file of Slurm's configuration", shown,
                 LK_SLURM_FILE_MAX_BYTES);
  else
    return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
  return NULL;
}

/* ---------------------------------------------------------------- logical lines */

void
lk_slurm_logical_init (LkSlurmLogical *self, const char *file, GBytes *bytes)
{
  gsize length_bytes;
  const char *start = g_bytes_get_data (bytes, &length_bytes);
  /* Editors put a mark of UTF-8 at the beginning of a file. */
  if (length_bytes >= strlen (UTF8_MARK) && memcmp (start, UTF8_MARK, strlen (UTF8_MARK)) == 0) {
    start += strlen (UTF8_MARK);
    length_bytes -= strlen (UTF8_MARK);
  }
  *self = (LkSlurmLogical){
    .file = file,
    .at = start,
    .end = start ? start + length_bytes : start,
    .line_number = 1,
    .text = g_string_new (NULL),
    .starts = g_array_new (FALSE, FALSE, sizeof (gsize)),
  };
}

void
lk_slurm_logical_clear (LkSlurmLogical *self)
{
  g_string_free (self->text, TRUE);
  g_array_free (self->starts, TRUE);
}

LkSlurmPlace
lk_slurm_logical_place (const LkSlurmLogical *self, gsize offset)
{
  guint line = self->first_number;
  for (guint i = 1; i < self->starts->len && g_array_index (self->starts, gsize, i) <= offset; i++)
    line++;
  return (LkSlurmPlace){ self->file, line };
}

/* The end of what is left of a physical line when its comment is gone. */
static const char *
comment_begin (const char *line, const char *end)
{
  gboolean is_escaped = FALSE;
  for (const char *at = line; at < end; at++) {
    if (*at == '#' && !is_escaped)
      return at;
    is_escaped = *at == '\\' && !is_escaped;
  }
  return end;
}

/* Does it go on? Then `*end` is moved before the backslash, behind which only blanks may be. */
static gboolean
continuation_cut (const char *line, const char **end)
{
  const char *at = *end;
  while (at > line && g_ascii_isspace (at[-1]))
    at--;
  gsize backslash_count = 0;
  while (at - backslash_count > line && *(at - backslash_count - 1) == '\\')
    backslash_count++;
  if (backslash_count % 2 == 0)
    return FALSE;
  *end = at - 1;
  return TRUE;
}

/* Appends a piece without its escapes. */
static void
piece_append (GString *text, const char *piece, const char *end)
{
  for (const char *at = piece; at < end; at++) {
    if (*at == '\\' && ++at == end)
      break;
    g_string_append_c (text, *at);
  }
}

int
lk_slurm_logical_next (LkSlurmLogical *self, GError **error)
{
  if (self->at == self->end)
    return 0;
  self->first_number = self->line_number;
  g_string_truncate (self->text, 0);
  g_array_set_size (self->starts, 0);
  gboolean goes_on = TRUE;
  while (goes_on && self->at < self->end) {
    gsize left_bytes = (gsize)(self->end - self->at);
    const char *newline = memchr (self->at, '\n', left_bytes);
    const char *end = newline ? newline : self->end;
    LkSlurmPlace place = { self->file, self->line_number };
    if (memchr (self->at, '\0', (gsize)(end - self->at))) {
      lk_slurm_fail (&place, error, "holds a zero byte; this is not a text file");
      return -1;
    }
    end = comment_begin (self->at, end);
    goes_on = continuation_cut (self->at, &end);
    g_array_append_val (self->starts, self->text->len);
    piece_append (self->text, self->at, end);
    self->at = newline ? newline + 1 : self->end;
    self->line_number++;
  }
  return 1;
}

/* ---------------------------------------------------------------- keys and values */

static void
pair_free (gpointer data)
{
  LkSlurmPair *pair = data;
  g_free (pair->key);
  g_free (pair->value);
  g_free (pair);
}

LkSlurmPair *
lk_slurm_pair_new (LkSlurmPlace place, const char *key, const char *value)
{
  LkSlurmPair *pair = g_new0 (LkSlurmPair, 1);
  pair->place = place;
  pair->key = g_strdup (key);
  pair->value = g_strdup (value);
  return pair;
}

GPtrArray *
lk_slurm_line_new (void)
{
  return g_ptr_array_new_with_free_func (pair_free);
}

static gboolean
is_key_letter (char letter)
{
  return g_ascii_isalnum (letter) || letter == '_' || letter == '.';
}

static const char *
blanks_skip (const char *at)
{
  while (g_ascii_isspace (*at))
    at++;
  return at;
}

static gboolean
key_fail (const LkSlurmPlace *place, const char *word, const char *line, GError **error)
{
  g_autofree char *shown = g_strndup (word, strcspn (word, " \t\r\f\v"));
  if (strstr (line, "{{") || strstr (line, "{%") || strstr (line, "<%"))
    return lk_slurm_fail (place, error,
                          "'%s' is not KEY=VALUE; this looks like a template, which has to be "
                          "rendered first",
                          shown);
  return lk_slurm_fail (place, error, "'%s' is not KEY=VALUE", shown);
}

/* Reads one KEY=VALUE. Returns what follows; NULL and an error. */
static const char *
pair_read (const LkSlurmLogical *line, const char *at, GPtrArray *pairs, GError **error)
{
  LkSlurmPlace place = lk_slurm_logical_place (line, (gsize)(at - line->text->str));
  const char *key = at;
  while (is_key_letter (*at))
    at++;
  gsize key_bytes = (gsize)(at - key);
  at = blanks_skip (at);
  if (key_bytes == 0 || *at != '=') {
    key_fail (&place, key, line->text->str, error);
    return NULL;
  }
  const char *value = blanks_skip (at + 1);
  gboolean is_quoted = *value == '"';
  value += is_quoted;
  gsize value_bytes = strcspn (value, is_quoted ? "\"" : " \t\r\f\v");
  const char *end = value + value_bytes;
  g_autofree char *key_text = g_strndup (key, key_bytes);
  if (is_quoted && (*end != '"' || (end[1] && !g_ascii_isspace (end[1])))) {
    lk_slurm_fail (&place, error, "%s has a quote that is not closed before a blank", key_text);
    return NULL;
  }
  if (!is_quoted && value_bytes == 0) {
    lk_slurm_fail (&place, error, "%s has no value", key_text);
    return NULL;
  }
  g_autofree char *value_text = g_strndup (value, value_bytes);
  g_ptr_array_add (pairs, lk_slurm_pair_new (place, key_text, value_text));
  return end + is_quoted;
}

/* ---------------------------------------------------------------- Include */

typedef struct {
  char *path; /* canonical; NULL: text in memory */
  GBytes *bytes;
  LkSlurmLogical lines;
} OpenFile;

typedef struct {
  LkSlurmLines *out;
  GArray *stack;      /* of OpenFile */
  char *cluster_name; /* for %c; NULL when not yet read */
  LkFaults *faults;   /* NULL: the first error ends it */
} Reading;

/* Behind something that cannot be read. */
static gboolean
reading_goes_on (Reading *self, GError **error)
{
  self->out->is_partial = TRUE;
  return lk_faults_goes_on (self->faults, error);
}

static void
reading_pop (Reading *self)
{
  OpenFile *top = &g_array_index (self->stack, OpenFile, self->stack->len - 1);
  lk_slurm_logical_clear (&top->lines);
  g_bytes_unref (top->bytes);
  g_free (top->path);
  g_array_set_size (self->stack, self->stack->len - 1);
}

/* Opens a file on top of the stack; takes `bytes`. */
static void
reading_push (Reading *self, const char *path, const char *shown, GBytes *bytes)
{
  OpenFile file = { .path = path ? g_canonicalize_filename (path, NULL) : NULL, .bytes = bytes };
  char *name = lk_slurm_shown (shown);
  g_ptr_array_add (self->out->files, name);
  lk_faults_note_file (self->faults, name);
  lk_slurm_logical_init (&file.lines, name, bytes);
  g_array_append_val (self->stack, file);
}

static gboolean
reading_is_open (const Reading *self, const char *path)
{
  g_autofree char *canonical = g_canonicalize_filename (path, NULL);
  for (guint i = 0; i < self->stack->len; i++)
    if (g_strcmp0 (g_array_index (self->stack, OpenFile, i).path, canonical) == 0)
      return TRUE;
  return FALSE;
}

/* The path behind `Include`, if the line is one. Returns: (transfer full), or NULL. */
static char *
include_name (const char *line)
{
  line = blanks_skip (line);
  if (g_ascii_strncasecmp (line, "include", 7) != 0 || !g_ascii_isspace (line[7]))
    return NULL;
  char *name = g_strstrip (g_strdup (line + 8));
  gsize length_bytes = strlen (name);
  if (*name == '=') {
    g_free (name);
    return NULL;
  }
  if (length_bytes >= 2 && name[0] == '"' && name[length_bytes - 1] == '"') {
    memmove (name, name + 1, length_bytes - 2);
    name[length_bytes - 2] = '\0';
  }
  return name;
}

/* With %c replaced, and relative to the file that includes. Returns: (transfer full), or NULL. */
static char *
include_path (const Reading *self, const LkSlurmPlace *place, const char *name, GError **error)
{
  const OpenFile *top = &g_array_index (self->stack, OpenFile, self->stack->len - 1);
  if (!top->path) {
    lk_slurm_fail (place, error, "Include '%s': text that is not a file can include none", name);
    return NULL;
  }
  g_auto (GStrv) pieces = g_strsplit (name, "%c", -1);
  if (pieces[0] && pieces[1] && !self->cluster_name) {
    lk_slurm_fail (place, error, "Include '%s': expected ClusterName before %%c is used", name);
    return NULL;
  }
  g_autofree char *full = g_strjoinv (self->cluster_name ? self->cluster_name : "", pieces);
  if (g_path_is_absolute (full))
    return g_steal_pointer (&full);
  g_autofree char *folder = g_path_get_dirname (top->path);
  return g_build_filename (folder, full, NULL);
}

static gboolean
include_open (Reading *self, const LkSlurmPlace *place, const char *name, GError **error)
{
  g_autofree char *path = include_path (self, place, name, error);
  if (!path)
    return FALSE;
  if (reading_is_open (self, path))
    return lk_slurm_fail (place, error, "Include '%s': the file includes itself", name);
  if (self->stack->len > LK_SLURM_INCLUDE_MAX_DEPTH)
    return lk_slurm_fail (place, error, "Include '%s': more than %u files in each other", name,
                          LK_SLURM_INCLUDE_MAX_DEPTH);
  if (self->out->files->len >= LK_SLURM_FILE_MAX_COUNT)
    return lk_slurm_fail (place, error, "Include '%s': more than %u files", name,
                          LK_SLURM_FILE_MAX_COUNT);
  GBytes *bytes = lk_slurm_file_read (path, error);
  if (!bytes) {
    g_prefix_error (error, "%s:%u: Include: ", place->file, place->line_number);
    return FALSE;
  }
  g_autofree char *shown = g_filename_display_name (path);
  reading_push (self, path, shown, bytes);
  return TRUE;
}

/* ---------------------------------------------------------------- all lines */

/* What stands behind a word that cannot be read; NULL: nothing that could be told apart. */
static const char *
word_skip (const char *at)
{
  return strchr (at, '"') ? NULL : at + strcspn (at, " \t\r\f\v");
}

/* Without the word that begins a line, nobody knows what the others are about. */
static gboolean
pairs_read (Reading *self, const LkSlurmLogical *line, GPtrArray *pairs, GError **error)
{
  const char *at = blanks_skip (line->text->str);
  while (at && *at) {
    if (pairs->len == LK_SLURM_LINE_PAIRS_MAX) {
      LkSlurmPlace place = lk_slurm_logical_place (line, 0);
      lk_slurm_fail (&place, error, "more than %u keys on a line", LK_SLURM_LINE_PAIRS_MAX);
      return reading_goes_on (self, error);
    }
    const char *next = pair_read (line, at, pairs, error);
    if (!next && !reading_goes_on (self, error))
      return FALSE;
    if (!next && pairs->len == 0)
      return TRUE;
    next = next ? next : word_skip (at);
    at = next ? blanks_skip (next) : NULL;
  }
  return TRUE;
}

static void
line_keep (Reading *self, GPtrArray *pairs)
{
  const LkSlurmPair *first = g_ptr_array_index (pairs, 0);
  if (g_ascii_strcasecmp (first->key, "ClusterName") == 0) {
    g_free (self->cluster_name);
    self->cluster_name = g_ascii_strdown (first->value, -1);
  }
  g_ptr_array_add (self->out->lines, g_ptr_array_ref (pairs));
}

static gboolean
line_take (Reading *self, const LkSlurmLogical *line, GError **error)
{
  LkSlurmPlace place = lk_slurm_logical_place (line, 0);
  g_autoptr (GPtrArray) pairs = lk_slurm_line_new ();
  g_autofree char *name = include_name (line->text->str);
  if (!name) {
    if (!pairs_read (self, line, pairs, error))
      return FALSE;
    if (pairs->len > 0)
      line_keep (self, pairs);
    return TRUE;
  }
  g_ptr_array_add (pairs, lk_slurm_pair_new (place, "Include", name));
  line_keep (self, pairs);
  return include_open (self, &place, name, error);
}

static gboolean
reading_run (Reading *self, GError **error)
{
  while (self->stack->len > 0) {
    OpenFile *top = &g_array_index (self->stack, OpenFile, self->stack->len - 1);
    int got = lk_slurm_logical_next (&top->lines, error);
    if (got > 0 && (line_take (self, &top->lines, error) || reading_goes_on (self, error)))
      continue;
    if (got > 0 || (got < 0 && !reading_goes_on (self, error)))
      return FALSE;
    reading_pop (self);
  }
  return TRUE;
}

LkSlurmLines *
lk_slurm_lines_new_empty (void)
{
  LkSlurmLines *self = g_new0 (LkSlurmLines, 1);
  self->files = g_ptr_array_new_with_free_func (g_free);
  self->lines = g_ptr_array_new_with_free_func ((GDestroyNotify)g_ptr_array_unref);
  return self;
}

/* Takes `bytes`. */
static LkSlurmLines *
lines_read (const char *path, const char *shown, GBytes *bytes, LkFaults *faults, GError **error)
{
  g_autoptr (LkSlurmLines) lines = lk_slurm_lines_new_empty ();
  Reading reading = { lines, g_array_new (FALSE, FALSE, sizeof (OpenFile)), NULL, faults };
  reading_push (&reading, path, shown, bytes);
  gboolean is_read = reading_run (&reading, error);
  while (reading.stack->len > 0)
    reading_pop (&reading);
  g_array_free (reading.stack, TRUE);
  g_free (reading.cluster_name);
  return is_read ? g_steal_pointer (&lines) : NULL;
}

LkSlurmLines *
lk_slurm_lines_read (const char *path, LkFaults *faults, GError **error)
{
  g_autofree char *shown = g_filename_display_name (path);
  GBytes *bytes = lk_slurm_file_read (path, error);
  return bytes ? lines_read (path, shown, bytes, faults, error) : NULL;
}

LkSlurmLines *
lk_slurm_lines_new (const char *path, GError **error)
{
  return lk_slurm_lines_read (path, NULL, error);
}

LkSlurmLines *
lk_slurm_lines_read_bytes (const char *name, GBytes *bytes, LkFaults *faults, GError **error)
{
  return lines_read (NULL, name, g_bytes_ref (bytes), faults, error);
}

LkSlurmLines *
lk_slurm_lines_new_from_bytes (const char *name, GBytes *bytes, GError **error)
{
  return lk_slurm_lines_read_bytes (name, bytes, NULL, error);
}

void
lk_slurm_lines_free (LkSlurmLines *self)
{
  if (!self)
    return;
  g_ptr_array_unref (self->lines);
  g_ptr_array_unref (self->files);
  g_free (self);
}
