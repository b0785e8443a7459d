/* engine/exit_codes.h — sets of exit codes as slurm.conf writes them: "1,5-10". */
#ifndef LK_ENGINE_EXIT_CODES_H
#define LK_ENGINE_EXIT_CODES_H

#include <glib.h>

#define LK_EXIT_CODE_WORDS 4u

/* Empty text is the empty set. FALSE: it is none; `out_set` is then undefined. */
gboolean lk_exit_codes_parse (const char *text, guint64 out_set[LK_EXIT_CODE_WORDS]);

#endif
