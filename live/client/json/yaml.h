/* live/client/json/yaml.h — JSON as YAML, a line for each value, or all in one. */
#ifndef LK_LIVE_CLIENT_JSON_YAML_H
#define LK_LIVE_CLIENT_JSON_YAML_H

#include <stdio.h>

#include <glib.h>

/* Every text of JSON is one of YAML, too: it is read as such and written in its other style, or, if
 * compact, stays in one line. */
void lk_json_yaml (const GString *json, gboolean is_compact, FILE *out);

#endif
