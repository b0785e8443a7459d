/* sim/verify_plugin.h — is this shared object a policy that can be trusted to be a pure
 * function?
 *
 * First the file is looked at without running any of it: what it exports, imports, can write to
 * and runs on loading. Then it is loaded and run in a child process, so that a policy that
 * crashes or hangs fails a check and nothing else.
 *
 * A passed verification is evidence, not proof: purity cannot be decided by looking, and the
 * runs see one workload. */
#ifndef LK_SIM_VERIFY_PLUGIN_H
#define LK_SIM_VERIFY_PLUGIN_H

#include <glib.h>

typedef struct {
  char *name;
  gboolean passed;
  char *detail;
} LkVerifyCheck;

/* All checks in their order. `arguments` are parameters as behind the colon of a specification;
 * NULL or "" for the defaults. Returns: (transfer full), of LkVerifyCheck, frees its elements. */
GPtrArray *lk_verify_plugin (const char *path, const char *arguments);

#endif
