/* live/step/pattern.c — see the header. */
#include "live/step/pattern.h"

#include <string.h>

#define WIDTH_MAX 10u
/* Slurm's number for a task that is none. */
#define NO_TASK 4294967294u

const char *
lk_pattern_default (const LkPatternValues *values)
{
  return values->array_job_id != 0 ? "slurm-%A_%a.out" : "slurm-%j.out";
}

static void
append_number (GString *out, guint32 number, guint width)
{
  g_string_append_printf (out, "%0*u", (int)width, number);
}

/* FALSE: it is no letter of a pattern. */
static gboolean
append_text (GString *out, char letter, const LkPatternValues *values)
{
  switch (letter) {
  case '%':
    g_string_append_c (out, '%');
    return TRUE;
  case 'x':
    g_string_append (out, values->job_name);
    return TRUE;
  case 'u':
    g_string_append (out, values->user);
    return TRUE;
  case 'N':
    g_string_append_len (out, values->node, (gssize)strcspn (values->node, "."));
    return TRUE;
  default:
    return FALSE;
  }
}

static void
append_step (GString *out, guint width, const LkPatternValues *values)
{
  if (values->is_step)
    append_number (out, values->step_id, width);
  else
    g_string_append (out, "batch");
}

static gboolean
append_padded (GString *out, char letter, guint width, const LkPatternValues *values)
{
  gboolean is_task = values->array_job_id != 0;
  switch (letter) {
  case 'j':
    append_number (out, values->job_id, width);
    return TRUE;
  case 'J': /* a batch script has no number of a step */
    append_number (out, values->job_id, width);
    if (values->is_step)
      g_string_append_printf (out, ".%u", values->step_id);
    return TRUE;
  case 's':
    append_step (out, width, values);
    return TRUE;
  case 'A':
    append_number (out, is_task ? values->array_job_id : values->job_id, width);
    return TRUE;
  case 'a':
    append_number (out, is_task ? values->array_task : NO_TASK, width);
    return TRUE;
  case 'b':
    append_number (out, (is_task ? values->array_task : NO_TASK) % 10, width);
    return TRUE;
  case 'n':
    append_number (out, values->node_index, width);
    return TRUE;
  case 't':
    append_number (out, values->task, width);
    return TRUE;
  default:
    return FALSE;
  }
}

/* What stands behind a %. Returns where to go on. */
static const char *
expand_one (const char *percent, const LkPatternValues *values, GString *out)
{
  const char *at = percent + 1;
  guint width = 0;
  for (; g_ascii_isdigit (*at) && width <= WIDTH_MAX; at++)
    width = width * 10 + (guint)(*at - '0');
  if (append_padded (out, *at, MIN (width, WIDTH_MAX), values) || append_text (out, *at, values))
    return at + 1;
  g_string_append_len (out, percent, at - percent);
  return at;
}

gboolean
lk_pattern_is_of_node (const char *pattern)
{
  for (const char *at = strchr (pattern, '%'); at != NULL && strchr (pattern, '\\') == NULL;
       at = strchr (at, '%')) {
    at++;
    at += strspn (at, "0123456789");
    if (*at == 'N' || *at == 'n' || *at == 't')
      return TRUE;
    at += *at != '\0' ? 1 : 0;
  }
  return FALSE;
}

char *
lk_pattern_expand (const char *pattern, const LkPatternValues *values)
{
  g_autoptr (GString) out = g_string_new (NULL);
  gboolean is_literal = strchr (pattern, '\\') != NULL;
  for (const char *at = pattern; *at != '\0';) {
    if (*at == '%' && !is_literal) {
      at = expand_one (at, values, out);
      continue;
    }
    if (*at != '\\')
      g_string_append_c (out, *at);
    at++;
  }
  return g_string_free (g_steal_pointer (&out), FALSE);
}
