/* traces/swf.c — the streaming reader of traces/swf.h: lines from traces/input.h, numbers from
 * traces/swf_parse.h.
 *
 * Header comments have the form "; Key: value".  The first usable value of a key counts, because
 * some logs carry the header of the log that they were cut from behind their own.
 *
 * Invariant: when `has_pending` is set, the input stands on the first job line and it has not been
 * handed out. */
#include "traces/swf.h"

#include <string.h>

#include "traces/swf_parse.h"

/* More of a comment is not kept. */
#define COMMENT_MAX_BYTES 4096u

struct _LkSwfReader {
  LkInput *input;
  gboolean owns_input;
  LkSwfFlags flags;
  LkSwfHeader header;
  char *computer;
  char *installation;
  char *acknowledge;
  char *version;
  GPtrArray *comments;
  LkSwfCounts counts;
  const char *pending_line;
  gsize pending_bytes;
  gboolean has_pending;
};

/* ---------------------------------------------------------------- header comments */

/* A whole number >= 0, or -1. */
static gint64
header_number (const char *text)
{
  gint64 value;
  g_autofree char *number = g_strndup (text, strspn (text, "0123456789"));
  if (!g_ascii_string_to_signed (number, 10, 0, G_MAXINT64, &value, NULL))
    return -1;
  return value;
}

static void
header_take_text (char **slot, const char **shown, const char *value)
{
  if (*slot || *value == '\0')
    return;
  *slot = g_utf8_make_valid (value, -1);
  *shown = *slot;
}

static void
header_take (LkSwfReader *self, const char *key, const char *value)
{
  const struct {
    const char *key;
    gint64 *number;
    gint64 minimum;
  } numbers[] = {
    { "MaxProcs", &self->header.max_procs, 1 },
    { "MaxNodes", &self->header.max_nodes, 1 },
    { "MaxJobs", &self->header.max_jobs, 0 },
    { "UnixStartTime", &self->header.unix_start_s, 0 },
  };
  const struct {
    const char *key;
    char **slot;
    const char **shown;
  } texts[] = {
    { "Computer", &self->computer, &self->header.computer },
    { "Installation", &self->installation, &self->header.installation },
    { "Acknowledge", &self->acknowledge, &self->header.acknowledge },
    { "Version", &self->version, &self->header.version },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++) {
    gint64 number = header_number (value);
    if (g_ascii_strcasecmp (key, numbers[i].key) == 0 && *numbers[i].number < 0
        && number >= numbers[i].minimum)
      *numbers[i].number = number;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    if (g_ascii_strcasecmp (key, texts[i].key) == 0)
      header_take_text (texts[i].slot, texts[i].shown, value);
}

/* `line` stands on the semicolon. */
static void
comment_take (LkSwfReader *self, const char *line, gsize length_bytes)
{
  char *comment = g_strndup (line + 1, MIN (length_bytes - 1, COMMENT_MAX_BYTES));
  g_strchomp (comment);
  const char *colon = strchr (comment, ':');
  if (colon) {
    g_autofree char *key = g_strstrip (g_strndup (comment, (gsize)(colon - comment)));
    g_autofree char *value = g_strstrip (g_strdup (colon + 1));
    header_take (self, key, value);
  }
  if (self->comments->len < LK_SWF_COMMENTS_MAX_COUNT)
    g_ptr_array_add (self->comments, comment);
  else
    g_free (comment);
}

/* ---------------------------------------------------------------- lines */

/* The next line that is a job: 1, 0 or -1 as lk_input_line. Takes in comments on its way. */
static int
job_line (LkSwfReader *self, const char **out_line, gsize *out_length_bytes, GError **error)
{
  static const char byte_order_mark[] = "\xef\xbb\xbf";
  for (;;) {
    const char *line;
    gsize length_bytes;
    int got = lk_input_line (self->input, &line, &length_bytes, error);
    if (got <= 0)
      return got;
    if (lk_input_line_number (self->input) == 1 && length_bytes >= 3
        && memcmp (line, byte_order_mark, 3) == 0) {
      line += 3;
      length_bytes -= 3;
    }
    gsize i = 0;
    while (i < length_bytes && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r'))
      i++;
    if (i < length_bytes && line[i] != ';') {
      *out_line = line;
      *out_length_bytes = length_bytes;
      return 1;
    }
    if (i < length_bytes)
      comment_take (self, line + i, length_bytes - i);
  }
}

static gboolean
reader_open (LkSwfReader *self, GError **error)
{
  int got = job_line (self, &self->pending_line, &self->pending_bytes, error);
  if (got < 0)
    return FALSE;
  if (got == 0) {
    g_set_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_EMPTY,
                 "trace '%s' has no jobs: only comments and blank lines in its %" G_GUINT64_FORMAT
                 " line%s",
                 lk_input_name (self->input), lk_input_line_number (self->input),
                 lk_input_line_number (self->input) == 1 ? "" : "s");
    return FALSE;
  }
  self->has_pending = TRUE;
  return TRUE;
}

/* NULL for `input` passes an error on. */
static LkSwfReader *
reader_new (LkInput *input, gboolean owns_input, LkSwfFlags flags, GError **error)
{
  if (!input)
    return NULL;
  LkSwfReader *self = g_new0 (LkSwfReader, 1);
  self->input = input;
  self->owns_input = owns_input;
  self->flags = flags;
  self->header =
      (LkSwfHeader){ .max_procs = -1, .max_nodes = -1, .max_jobs = -1, .unix_start_s = -1 };
  self->comments = g_ptr_array_new_with_free_func (g_free);
  if (!reader_open (self, error)) {
    lk_swf_reader_free (self);
    return NULL;
  }
  return self;
}

LkSwfReader *
lk_swf_reader_new (const char *path, LkSwfFlags flags, GError **error)
{
  return reader_new (lk_input_new (path, error), TRUE, flags, error);
}

LkSwfReader *
lk_swf_reader_new_from_bytes (const char *name, const guint8 *bytes, gsize length_bytes,
                              LkSwfFlags flags, GError **error)
{
  LkInput *input = lk_input_new_from_bytes (name, bytes, length_bytes, error);
  return reader_new (input, TRUE, flags, error);
}

LkSwfReader *
lk_swf_reader_new_from_input (LkInput *input, LkSwfFlags flags, GError **error)
{
  return reader_new (input, FALSE, flags, error);
}

void
lk_swf_reader_free (LkSwfReader *self)
{
  if (!self)
    return;
  if (self->owns_input)
    lk_input_free (self->input);
  g_ptr_array_unref (self->comments);
  g_free (self->computer);
  g_free (self->installation);
  g_free (self->acknowledge);
  g_free (self->version);
  g_free (self);
}

const LkSwfHeader *
lk_swf_reader_header (const LkSwfReader *self)
{
  return &self->header;
}

const GPtrArray *
lk_swf_reader_comments (const LkSwfReader *self)
{
  return self->comments;
}

int
lk_swf_reader_next (LkSwfReader *self, LkSwfJob *out_job, GError **error)
{
  const char *line = self->pending_line;
  gsize length_bytes = self->pending_bytes;
  if (!self->has_pending) {
    int got = job_line (self, &line, &length_bytes, error);
    if (got <= 0)
      return got;
  }
  self->has_pending = FALSE;
  LkSwfPlace place = { lk_input_name (self->input), lk_input_line_number (self->input),
                       self->flags };
  guint odd;
  if (!lk_swf_line_parse (&place, line, length_bytes, out_job, &odd, error))
    return -1;
  self->counts.job_count++;
  if (G_UNLIKELY (odd)) {
    self->counts.extra_field_count += odd & LK_SWF_ODD_EXTRA_FIELDS ? 1 : 0;
    self->counts.negative_time_count += odd & LK_SWF_ODD_NEGATIVE ? 1 : 0;
  }
  return 1;
}

void
lk_swf_reader_counts (const LkSwfReader *self, LkSwfCounts *out_counts)
{
  *out_counts = self->counts;
  out_counts->line_count = lk_input_line_number (self->input);
  out_counts->bytes_read = lk_input_bytes_read (self->input);
  out_counts->bytes_total = lk_input_bytes_total (self->input);
}

const char *
lk_swf_reader_name (const LkSwfReader *self)
{
  return lk_input_name (self->input);
}

guint64
lk_swf_reader_line_number (const LkSwfReader *self)
{
  return lk_input_line_number (self->input);
}
