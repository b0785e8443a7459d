/* live/client/json/yaml.h — JSON as YAML, a line for each value. */
#ifndef LK_LIVE_CLIENT_JSON_YAML_H
#define LK_LIVE_CLIENT_JSON_YAML_H

#include <stdio.h>

#include <glib.h>

/* Every text of JSON is one of YAML, too: it is read as such and written in its other style. */
void lk_json_yaml (const GString *json, FILE *out);

#endif
