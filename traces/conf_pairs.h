/* traces/conf_pairs.h — the keys of slurm.conf that are about the cluster as a whole, for readers
 * of a few of them.
 *
 * Keys on lines of their own, the last of several; lines of nodes and partitions are passed over.
 * Source: slurm.conf(5). */
#ifndef LK_TRACES_CONF_PAIRS_H
#define LK_TRACES_CONF_PAIRS_H

#include <glib.h>

#include "traces/slurm_conf_lines.h"

typedef struct {
  LkSlurmLines *lines;
  GHashTable *pairs; /* LkSlurmPair by key in lower case; never iterated */
  LkFaults *faults;  /* borrowed; NULL: the first error of a reader ends its work */
  gboolean is_borrowed;
} LkConfPairs;

/* Takes the lines. */
void lk_conf_pairs_init (LkConfPairs *self, LkSlurmLines *lines);
/* Borrows the lines, and readers go on behind what is wrong. */
void lk_conf_pairs_init_all (LkConfPairs *self, LkSlurmLines *lines, LkFaults *faults);
/* A file, with its Include files. FALSE: there is nothing to clear. */
gboolean lk_conf_pairs_read (LkConfPairs *self, const char *path, GError **error);
void lk_conf_pairs_clear (LkConfPairs *self);
/* Behind an error in a value: does the reader go on? */
gboolean lk_conf_pairs_goes_on (const LkConfPairs *self, GError **error);
/* Warns of each key whose value does not count, as a later line says otherwise; keys that Slurm
 * takes several times are passed over. */
void lk_conf_pairs_tell_repeated (const LkConfPairs *self, LkFaults *faults);
/* NULL: it is not there. */
const LkSlurmPair *lk_conf_pairs_get (const LkConfPairs *self, const char *key);

/* "FILE:LINE: KEY is 'VALUE'; expected ..." Returns: FALSE. */
gboolean lk_conf_fail (const LkSlurmPair *pair, GError **error, const char *expected);
/* The place of a word in a list, in whatever case. */
gboolean lk_conf_word (const LkSlurmPair *pair, const char *text, const char *const *words,
                       guint *out_index, GError **error);

#endif
