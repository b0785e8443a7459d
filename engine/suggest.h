/* engine/suggest.h — the nearest name to one that was mistyped. */
#ifndef LK_ENGINE_SUGGEST_H
#define LK_ENGINE_SUGGEST_H

#include <glib.h>

/* The name that differs from `name` by the fewest insertions, deletions, replacements and swaps
 * of neighbours, the first of several; NULL when none is near (more than a third of the letters
 * differ). `names` ends with NULL. Returns: (transfer none) one of `names`. */
const char *lk_suggest (const char *name, const char *const *names);

/* The end of an error message: "; did you mean 'x'?" when a name is near, else "; there are: a,
 * b, c", or "" when there is no name at all. Returns: (transfer full). */
char *lk_suggest_phrase (const char *name, const char *const *names);

#endif
