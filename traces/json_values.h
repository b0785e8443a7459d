/* traces/json_values.h — members of a JSON object by path, as Slurm's versions write them.
 *
 * A number is a number, a string of digits, or {set, infinite, number}; null, a missing member and
 * set = false are no number.  A path is names with dots: "time.limit".
 *
 * Source: openapi/dbv0.0.37 and 38, data_parser/v0.0.39 to 43. */
#ifndef LK_TRACES_JSON_VALUES_H
#define LK_TRACES_JSON_VALUES_H

#include <json-glib/json-glib.h>

#include "traces/sacct_values.h"

typedef enum {
  LK_JSON_MISSING,
  LK_JSON_NUMBER,
  LK_JSON_INFINITE,
  LK_JSON_WRONG, /* something else */
} LkJsonFound;

/* The node at the path; NULL when a part of it is missing, null or no object. */
JsonNode *lk_json_node (JsonObject *object, const char *path);

/* Numbers past 63 bits, which Slurm uses as marks, come out negative as in two's complement. */
LkJsonFound lk_json_number (JsonObject *object, const char *path, gint64 *out_number);

/* The string at the path; the first one of a list of strings. Empty when there is none. FALSE:
 * there is something else. The text lives as long as the object. */
gboolean lk_json_text (JsonObject *object, const char *path, LkSpan *out_text);

/* Is `word` the string at the path, or in the list of strings there? */
gboolean lk_json_has_text (JsonObject *object, const char *path, const char *word);

/* The list at the path; NULL: there is none. */
JsonArray *lk_json_list (JsonObject *object, const char *path);

#endif
