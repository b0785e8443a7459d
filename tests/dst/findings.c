/* tests/dst/findings.c — see the header. */
#include "tests/dst/findings.h"

/* One fault brings others. */
#define LINES_MAX 10u

void
dst_findings_init (DstFindings *self)
{
  *self = (DstFindings){ .lines = g_ptr_array_new_with_free_func (g_free) };
}

void
dst_findings_clear (DstFindings *self)
{
  g_ptr_array_unref (self->lines);
}

void
dst_find (DstFindings *self, const char *format, ...)
{
  va_list arguments;
  if (self->count++ >= LINES_MAX)
    return;
  va_start (arguments, format);
  g_ptr_array_add (self->lines, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}
