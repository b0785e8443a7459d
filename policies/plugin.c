/* policies/plugin.c — see plugin.h.
 *
 * The file is looked at before it is loaded, because loading runs its code. It is never
 * unloaded: vtables, parameter tables and names point into it, and engines may still hold them. */
#include "policies/plugin.h"

#include <dlfcn.h>
#include <string.h>

#include "policies/elf_symbols.h"
#include "policies/registry.h"

typedef const LkPolicy *(*PolicyFunction) (void);

static PolicyFunction
load_function (const char *path, GError **error)
{
  /* A name without a slash would be searched for in the library path. */
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  void *handle = dlopen (absolute, RTLD_NOW | RTLD_LOCAL);
  void *symbol = handle == NULL ? NULL : dlsym (handle, LK_POLICY_SYMBOL);
  if (symbol == NULL) {
    const char *reason = dlerror ();
    g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PLUGIN, "it cannot be loaded: %s",
                 reason == NULL ? "unknown reason" : reason);
    return NULL;
  }
  /* ISO C has no conversion from an object pointer to a function pointer; POSIX promises that
   * the bytes are the same. */
  PolicyFunction function;
  memcpy (&function, &symbol, sizeof function);
  return function;
}

const LkPolicy *
lk_plugin_load (const char *path, char **out_build_id, GError **error)
{
  g_autoptr (LkElfSymbols) symbols = lk_elf_symbols_read (path, error);
  if (symbols == NULL)
    return NULL;
  if (!lk_elf_symbols_exports (symbols, LK_POLICY_SYMBOL)) {
    g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PLUGIN,
                 "it does not export the symbol " LK_POLICY_SYMBOL);
    return NULL;
  }
  PolicyFunction function = load_function (path, error);
  if (function == NULL)
    return NULL;
  const LkPolicy *policy = function ();
  if (policy == NULL) {
    g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_PLUGIN,
                 LK_POLICY_SYMBOL " () returned NULL");
    return NULL;
  }
  *out_build_id = g_strdup (symbols->build_id);
  return policy;
}
