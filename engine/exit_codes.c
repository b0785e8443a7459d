/* engine/exit_codes.c — see the header. */
#include "engine/exit_codes.h"

#include <string.h>

#include "engine/bits.h"

#define CODE_MAX 255u

/* A number up to 255 at the front of `*at`, which then stands behind it. */
static gboolean
take_code (const char **at, guint32 *out_code)
{
  guint32 code = 0;
  const char *begin = *at;
  for (; g_ascii_isdigit (**at) && code <= CODE_MAX; (*at)++)
    code = code * 10 + (guint32)(**at - '0');
  *out_code = code;
  return *at > begin && code <= CODE_MAX;
}

gboolean
lk_exit_codes_parse (const char *text, guint64 out_set[LK_EXIT_CODE_WORDS])
{
  memset (out_set, 0, LK_EXIT_CODE_WORDS * sizeof *out_set);
  if (text[0] == '\0')
    return TRUE;
  for (;;) {
    guint32 first;
    guint32 last;
    if (!take_code (&text, &first))
      return FALSE;
    last = first;
    if (*text == '-') {
      text++;
      if (!take_code (&text, &last))
        return FALSE;
    }
    if (last < first)
      return FALSE;
    for (guint32 code = first; code <= last; code++)
      lk_bits_add (out_set, code);
    if (*text == '\0')
      return TRUE;
    if (*text++ != ',')
      return FALSE;
  }
}
