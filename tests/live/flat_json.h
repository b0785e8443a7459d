/* tests/live/flat_json.h — JSON as it is laid out for people, without its layout. */
#ifndef LK_TESTS_LIVE_FLAT_JSON_H
#define LK_TESTS_LIVE_FLAT_JSON_H

#include <glib.h>

/* In place; slashes stand by themselves again. */
static inline void
flat_json (char *text)
{
  gboolean is_text = FALSE;
  char *to = text;
  for (const char *at = text; *at != '\0'; at++) {
    if (*at == '\\' && at[1] == '/')
      continue;
    if (is_text && *at == '\\')
      *to++ = *at++;
    else if (*at == '"')
      is_text = !is_text;
    if (is_text || (*at != ' ' && *at != '\n'))
      *to++ = *at;
  }
  *to = '\0';
}

#endif
