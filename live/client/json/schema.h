/* live/client/json/schema.h — JSON Schemas (draft 2020-12) of all answers, made of their shapes. */
#ifndef LK_LIVE_CLIENT_JSON_SCHEMA_H
#define LK_LIVE_CLIENT_JSON_SCHEMA_H

#include <glib.h>

/* One whole answer, in one version. */
typedef struct {
  const char *name; /* of its file, without its end: "job", "slurm/v0.0.45/job" */
  GString *text;
} LkJsonSchema;

/* Returns: (transfer full) of LkJsonSchema*. */
GPtrArray *lk_json_schemas (void);

#endif
