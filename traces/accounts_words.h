/* traces/accounts_words.h — the words of a line of a sacctmgr script, as a shell would part them.
 *
 * Not here: what the words mean; comments and lines that go on (traces/slurm_conf_lines.h). */
#ifndef LK_TRACES_ACCOUNTS_WORDS_H
#define LK_TRACES_ACCOUNTS_WORDS_H

#include <glib.h>

/* Splits at white space outside quotes. Returns: (transfer full); NULL: a quote is open. */
char **lk_accounts_words_split (const char *line);
/* The first word with a letter that a shell takes for itself: < > | & ; outside quotes, $ and `
 * outside single ones. Returns: (transfer full); NULL: there is none. */
char *lk_accounts_shell_word (const char *line, char *out_letter);

#endif
