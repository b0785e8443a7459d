/* sim/config_file.h — the settings of `lockstep sim` from a YAML file.
 *
 * The file is one mapping from option names to values. A value is a scalar, with these
 * exceptions: `plugin` may be a list of scalars, which become one pair each; `order`, `backfill`
 * and `select` may be a mapping with a `name` and the policy's parameters, which becomes one
 * specification (policies/spec.h), and a parameter's value may once more be such a mapping (the
 * order of a backfill policy). What a value means is left to who asked, who has its place for
 * the error message.
 *
 * Anchors, aliases, tags and several documents are refused: a settings file needs none of them. */
#ifndef LK_SIM_CONFIG_FILE_H
#define LK_SIM_CONFIG_FILE_H

#include <glib.h>

#define LK_CONFIG_FILE_MAX_BYTES (1u << 20)

/* One setting. Line and column are those of the value and count from 1. */
typedef struct {
  char *key;
  char *value;
  guint line;
  guint column;
} LkConfigPair;

/* The settings in the order of the file. `known_keys` ends with NULL. Errors begin with
 * "FILE:LINE:COLUMN: ". `out_pairs`: (transfer full), of LkConfigPair, frees its elements. */
gboolean lk_config_file_read (const char *path, const char *const *known_keys,
                              GPtrArray **out_pairs, GError **error);

#endif
