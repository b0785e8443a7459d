/* traces/yaml_text.h — texts and comments as a page of YAML has them. */
#ifndef LK_TRACES_YAML_TEXT_H
#define LK_TRACES_YAML_TEXT_H

#include <glib.h>

/* Appends UTF-8 text, in quotes where it needs them. `in_flow`: inside brackets or braces, where
 * less may stand without. */
void lk_yaml_append_text (const char *text, gboolean in_flow, GString *out);
/* Each line as a comment; what would end the line in YAML becomes a space. */
void lk_yaml_append_comment (const char *comment, GString *out);

#endif
