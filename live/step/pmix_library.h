/* live/step/pmix_library.h — libpmix as it is opened, and what a server tells it of a step; for
 * step_pmix.c. */
#ifndef LK_LIVE_STEP_PMIX_LIBRARY_H
#define LK_LIVE_STEP_PMIX_LIBRARY_H

#include <glib.h>
#include <pmix.h>
#include <pmix_server.h>

#include "live/step/step_pmix.h"

/* Functions that are used: X (name in libpmix, member). */
#define LK_PMIX_FUNCTIONS(X)                                                                       \
  X (PMIx_server_init, server_init)                                                                \
  X (PMIx_server_finalize, server_finalize)                                                        \
  X (PMIx_server_register_nspace, register_nspace)                                                 \
  X (PMIx_server_register_client, register_client)                                                 \
  X (PMIx_server_setup_fork, setup_fork)                                                           \
  X (PMIx_server_dmodex_request, dmodex_request)                                                   \
  X (PMIx_generate_regex, generate_regex)                                                          \
  X (PMIx_generate_ppn, generate_ppn)                                                              \
  X (PMIx_Error_string, error_string)

typedef struct {
  void *handle;
#define X(function, member) __typeof__ (&(function)) member;
  LK_PMIX_FUNCTIONS (X)
#undef X
} LkPmixLibrary;

/* FALSE: there is none here, or another one; `out_fault` is a text. */
gboolean lk_pmix_library_open (LkPmixLibrary *self, char **out_fault);

/* Begins the server and tells it of the step, whose name is `space`. NULL, or why not. Returns:
 * (transfer full). */
char *lk_pmix_library_begin (const LkPmixLibrary *self, pmix_server_module_t *module,
                             const LkStepPmixConfig *config, const char *space);
/* What a task finds in its environment. Returns: (transfer full), of char *. */
GPtrArray *lk_pmix_library_environment (const LkPmixLibrary *self, const char *space, guint32 task);

#endif
