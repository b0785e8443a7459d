/* policies/spec.h — the text of a policy specification, taken apart and put together.
 *
 *   spec       NAME | NAME:arguments | NAME(arguments)
 *   arguments  key=value,key=value ...  or just the value of the only parameter without a default
 *   value      up to the next comma outside parentheses, or text in double quotes with \" and \\
 *
 * The first `=` after a leading word makes arguments named ones, unless another `=` follows at
 * once: a formula may start with `a==b`. Numbers are read and written independently of the
 * locale, and written with the fewest digits that read back to the same bits.
 *
 * Not here: which policies exist (registry.h). */
#ifndef LK_POLICIES_SPEC_H
#define LK_POLICIES_SPEC_H

#include <glib.h>

#include "engine/policy.h"

#define LK_SPEC_MAX_BYTES 4096u
#define LK_PARAM_MAX 64u

/* Splits a specification into its name and what follows ("" when nothing does). Outputs:
 * (transfer full). */
gboolean lk_spec_split (const char *spec, char **out_name, char **out_arguments, GError **error);

/* The text of every parameter in the table's order, defaults filled in, quotes removed. Fails on
 * an unknown or repeated parameter and when one without a default is missing. Returns: (transfer
 * full), or NULL. */
char **lk_spec_arguments (const LkParam *params, const char *arguments, GError **error);

/* Reads one value and compares it with the table's range. `out_value->text` is `text` itself for
 * texts and orders. */
gboolean lk_spec_value (const LkParam *param, const char *text, LkParamValue *out_value,
                        GError **error);

/* Appends a value as lk_spec_arguments reads it back, quoted when it must be. */
void lk_spec_append_value (GString *out, const LkParam *param, LkParamValue value);

/* Appends text, in quotes when it would not survive as a value otherwise. */
void lk_spec_append_text (GString *out, const char *text);

guint lk_param_count (const LkParam *params);
/* "integer", "real", "text", "order"; NULL for a number that is no type. */
const char *lk_param_type_name (guint32 type);
/* "an integer from 1 to 1000": what a value of this parameter must be. Returns: (transfer full). */
char *lk_param_expectation (const LkParam *param);
/* The same of the parameter of a policy (const LkPolicy *) when `text` is none of its values; NULL
 * when it is one, or there is no such parameter.  The callback of lk_slurm_conf_backfill. */
char *lk_spec_expectation (gpointer policy, const char *parameter, const char *text);

/* A specification with the parameters of `base` that `spec` does not name, if both are of one
 * policy. Returns: (transfer full). */
char *lk_spec_merge (const char *base, const char *spec);

/* Valid UTF-8 without control characters. */
gboolean lk_text_is_printable (const char *text);

/* The fewest digits that read back to the same number. Returns: (transfer full). */
char *lk_spec_real_text (double value);

#endif
