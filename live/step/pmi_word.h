/* live/step/pmi_word.h — what a program and a server of PMI say over PMI_FD: the bytes.
 *
 * The first word is a line in either version, "cmd=init pmi_version=2 pmi_subversion=0".  Behind it
 * version 1 has lines of NAME=VALUE with spaces between them; version 2 six characters for a length
 * and so many bytes of NAME=VALUE; where a semicolon of a value is doubled.  The bytes come from
 * programs of the user: what is too long, or no word, is refused.
 *
 * Source: MPICH's PMI-1.1 and PMI-2 wire protocol (wiki.mpich.org, "PMI v2 Wire Protocol"). */
#ifndef LK_LIVE_STEP_PMI_WORD_H
#define LK_LIVE_STEP_PMI_WORD_H

#include <glib.h>

/* Longest word. */
#define LK_PMI_WORD_BYTES_MAX 65536u
#define LK_PMI_KEY_BYTES_MAX 64u
#define LK_PMI_VALUE_BYTES_MAX 1024u

typedef struct {
  GPtrArray *pairs; /* of char *: name, value, name, ... */
} LkPmiWord;

typedef enum { LK_PMI_MORE, LK_PMI_WHOLE, LK_PMI_BAD } LkPmiStatus;

/* Takes the first word off the bytes. WHOLE: `out_word` is to be cleared. */
LkPmiStatus lk_pmi_word_take (GByteArray *bytes, guint version, LkPmiWord *out_word);
void lk_pmi_word_clear (LkPmiWord *self);
/* "": there is none. Borrowed. */
const char *lk_pmi_word_value (const LkPmiWord *self, const char *name);
/* Can this be said in this version? In lines there are no spaces. */
gboolean lk_pmi_text_is_good (const char *text, guint version, gsize bytes_max);

/* A word in the making: NAME=VALUE at its end. */
void lk_pmi_word_append (GString *word, guint version, const char *name, const char *value);
/* With its length, or the end of its line. Returns: (transfer full). */
GString *lk_pmi_word_close (const GString *word, guint version);

#endif
