/* sim/verb_live.h — verbs of `lockstep` that are programs of their own: a live cluster.
 *
 * They lie in ../live beside the folder of this program, as they are built, or in
 * ../libexec/lockstep, as they are installed, or in the folder of this program itself. */
#ifndef LK_SIM_VERB_LIVE_H
#define LK_SIM_VERB_LIVE_H

#include <glib.h>

typedef struct {
  const char *name;
  const char *program;
  gboolean is_passed; /* the program is told the verb, too */
  const char *help;
} LkLiveVerb;

/* All of them. */
const LkLiveVerb *lk_live_verbs (guint *out_count);
/* NULL: there is none of that name. */
const LkLiveVerb *lk_live_verb_find (const char *name);
/* Where a program of the live cluster is. Returns: (transfer full); NULL: nowhere. */
char *lk_live_program (const char *name);
/* Becomes the program of a verb, argv[0]. Returns, with the exit code, only if that fails. */
int lk_live_verb_run (const LkLiveVerb *verb, int argc, char **argv);

#endif
