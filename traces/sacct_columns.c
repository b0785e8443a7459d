/* traces/sacct_columns.c — which columns a sacct log has; see traces/sacct_rows.h. */
#include <string.h>

#include "traces/sacct_rows.h"

/* What sacct --delimiter may have been given, the default first. */
static const char separators[] = "|\t,;^~";

/* Open XDMoD's slurm helper: `sacct --format` of its version 7 to 11. */
static const char xdmod_names[] =
    "JobID|JobIDRaw|Cluster|Partition|QOS|Account|Group|GID|User|UID|Submit|Eligible|Start|End|"
    "Elapsed|ExitCode|State|NNodes|NCPUS|ReqCPUS|ReqMem|ReqTRES|AllocTRES|Timelimit|NodeList|"
    "JobName";
/* The same before TRES were known: its version 5 and 6. */
static const char xdmod_old_names[] =
    "JobID|JobIDRaw|Cluster|Partition|Account|Group|GID|User|UID|Submit|Eligible|Start|End|"
    "ExitCode|NNodes|NCPUS|NodeList|JobName|Timelimit";

void
lk_sacct_columns_clear (LkSacctColumns *self)
{
  g_clear_pointer (&self->header, g_free);
  self->count = 0;
}

LkSpan
lk_sacct_line (LkSpan line, gboolean is_first)
{
  static const char byte_order_mark[] = "\xef\xbb\xbf";
  if (is_first && line.length_bytes >= 3 && memcmp (line.bytes, byte_order_mark, 3) == 0) {
    line.bytes += 3;
    line.length_bytes -= 3;
  }
  if (line.length_bytes > 0 && line.bytes[line.length_bytes - 1] == '\r')
    line.length_bytes--;
  return line;
}

/* "JobName%30" has a width. */
static LkSpan
name_of (LkSpan cell)
{
  LkSpan name;
  cell = lk_span_strip (cell);
  return lk_span_part (&cell, '%', &name) ? name : cell;
}

static gboolean
names_parse (LkSacctColumns *self, LkSpan line, char separator)
{
  LkSpan cell;
  guint known = 0;
  guint ids = 0;
  guint count = 0;
  while (lk_span_part (&line, separator, &cell)) {
    LkSpan name = name_of (cell);
    const LkSacctField *field = lk_sacct_field_find (name);
    if (count == LK_SACCT_COLUMNS_MAX)
      return FALSE;
    known += field ? 1 : 0;
    ids += field && field->kind == LK_SACCT_JOB_ID ? 1 : 0;
    if (!field)
      field = name.length_bytes > 0 ? &lk_sacct_field_other : &lk_sacct_field_blank;
    self->fields[count++] = field;
  }
  self->count = count;
  self->separator = separator;
  return ids > 0 && known > ids;
}

gboolean
lk_sacct_columns_parse (LkSacctColumns *self, LkSpan line, char separator)
{
  char found = separator;
  if (found == '\0')
    for (gsize i = 0; separators[i] && found == '\0'; i++)
      if (names_parse (self, line, separators[i]))
        found = separators[i];
  if (found == '\0' || !names_parse (self, line, found))
    return FALSE;
  self->header = g_strndup (line.bytes, line.length_bytes);
  return TRUE;
}

/* Does the line have these columns? The last, free one may hold separators. */
static gboolean
line_fits (const LkSacctColumns *self, LkSpan line)
{
  LkSpan cell;
  for (guint i = 0; i < self->count; i++) {
    if (!lk_span_part (&line, self->separator, &cell)
        || !lk_sacct_field_fits (self->fields[i], cell))
      return FALSE;
  }
  return !line.bytes || self->fields[self->count - 1]->kind == LK_SACCT_FREE;
}

gboolean
lk_sacct_columns_guess (LkSacctColumns *self, LkSpan line)
{
  const char *const orders[] = { xdmod_names, xdmod_old_names };
  for (gsize i = 0; i < G_N_ELEMENTS (orders); i++)
    if (names_parse (self, lk_span (orders[i]), '|') && line_fits (self, line))
      return TRUE;
  return FALSE;
}
