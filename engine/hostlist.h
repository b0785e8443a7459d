/* engine/hostlist.h — lists of names with numbers: "n[1-3,5],gpu[001-064],login".
 *
 * Names are separated by commas outside brackets.  A bracket holds ranges and single numbers; the
 * width of the low bound is kept ("n[08-11]" is n08 to n11); several brackets multiply, the last
 * varies fastest.  Source: slurm hostlist, semantics of `scontrol show hostnames`. */
#ifndef LK_ENGINE_HOSTLIST_H
#define LK_ENGINE_HOSTLIST_H

#include <glib.h>

/* Most names that one list may expand to. */
#define LK_HOSTLIST_NAMES_MAX 1000000u
#define LK_HOSTLIST_NAME_BYTES_MAX 255u

/* Appends the names in order, duplicates kept, each (transfer full) into `out_names`, whose free
 * function should be g_free. On failure `out_names` is as it was and `out_error` (may be NULL)
 * points to a static sentence that says what is wrong. */
gboolean lk_hostlist_expand (const char *text, gsize length_bytes, GPtrArray *out_names,
                             const char **out_error);

/* How many names a list stands for, duplicates counted, without making one: O(length). FALSE: it
 * cannot be expanded. */
gboolean lk_hostlist_count (const char *text, gsize length_bytes, guint64 *out_count);

/* The same in the order in which Slurm prints lists: of three and more brackets of a name the last
 * varies fastest, then the first, the second and so on.  Only printing uses this order: Slurm, too,
 * sorts the nodes of a cluster by name. */
gboolean lk_hostlist_expand_printed (const char *text, gsize length_bytes, GPtrArray *out_names,
                                     const char **out_error);

/* Appends the shortest list that gives the names in this order. Numbers at the end of a name (and
 * only those) are folded; neighbours of equal prefix and suffix and width, rising by one, become a
 * range. */
void lk_hostlist_compress (const char *const *names, guint count, GString *out);

#endif
