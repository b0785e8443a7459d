/* sim/text_wrap.h — long lines of tables cut at the width of a screen. */
#ifndef LK_SIM_TEXT_WRAP_H
#define LK_SIM_TEXT_WRAP_H

#include <glib.h>

#define LK_TEXT_COLUMNS 100u

/* Appends `text`, the first line of which begins in column `indent` already, so that no line is
 * longer than LK_TEXT_COLUMNS where spaces and commas allow that; further lines are indented. Ends
 * with a newline. */
void lk_text_wrap (GString *out, const char *text, guint indent);

#endif
