/* sim/verb_policy.c — see verb_policy.h.
 *
 * list and show print what the registry knows, as text for people or as JSON; verify prints one
 * line for each check of sim/verify_plugin.h. All facts about a policy come from its own vtable,
 * so that nothing here can go out of date. */
#include "sim/verb_policy.h"

#include <stdio.h>
#include <string.h>

#include "policies/registry.h"
#include "policies/spec.h"
#include "engine/suggest.h"
#include "sim/error.h"
#include "sim/json_out.h"
#include "sim/text_wrap.h"
#include "sim/verb.h"
#include "sim/verify_plugin.h"

#define SUMMARY_COLUMN 36u

#define PLUGIN_SUFFIX ".so"

typedef struct {
  char *seam;
  char **plugins;
  char **arguments; /* the action, and what it is about */
  gboolean json;
} Options;

static void
options_clear (Options *self)
{
  g_free (self->seam);
  g_strfreev (self->plugins);
  g_strfreev (self->arguments);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

/* ---------------------------------------------------------------- JSON */

static gboolean
is_number (const LkParam *param)
{
  return param->type == LK_PARAM_INTEGER || param->type == LK_PARAM_REAL;
}

static void
add_json_param (LkJsonOut *out, const LkParam *param)
{
  lk_json_out_object_begin (out, NULL);
  lk_json_out_text (out, "name", param->name);
  lk_json_out_text (out, "type", lk_param_type_name (param->type));
  lk_json_out_text (out, "unit", param->unit);
  lk_json_out_text (out, "default", param->default_value);
  if (is_number (param)) {
    lk_json_out_real (out, "minimum", param->minimum);
    lk_json_out_real (out, "maximum", param->maximum);
  }
  lk_json_out_text (out, "help", param->help);
  lk_json_out_object_end (out);
}

static void
add_json_policy (LkJsonOut *out, const LkRegistry *registry, const LkPolicy *policy)
{
  lk_json_out_object_begin (out, NULL);
  lk_json_out_text (out, "seam", lk_seam_name (policy->seam));
  lk_json_out_text (out, "name", policy->name);
  lk_json_out_count (out, "version", policy->version);
  lk_json_out_text (out, "summary", policy->summary);
  lk_json_out_text (out, "source", lk_registry_source (registry, policy));
  lk_json_out_text (out, "build_id", lk_registry_build_id (registry, policy));
  lk_json_out_array_begin (out, "parameters");
  for (const LkParam *param = policy->params; param->name != NULL; param++)
    add_json_param (out, param);
  lk_json_out_array_end (out);
  lk_json_out_object_end (out);
}

/* ---------------------------------------------------------------- list, show */

/* The policies of one seam (0: of all) and one name (NULL: all). Returns: (transfer container). */
static GPtrArray *
select_policies (const LkRegistry *registry, guint32 seam, const char *name)
{
  GPtrArray *out = g_ptr_array_new ();
  guint count;
  const LkPolicy *const *policies = lk_registry_policies (registry, &count);
  for (guint i = 0; i < count; i++) {
    if ((seam == 0 || policies[i]->seam == seam)
        && (name == NULL || strcmp (policies[i]->name, name) == 0))
      g_ptr_array_add (out, (gpointer)policies[i]);
  }
  return out;
}

static void
print_json (const LkRegistry *registry, const GPtrArray *policies)
{
  g_autoptr (GString) text = g_string_new (NULL);
  LkJsonOut out;
  lk_json_out_init (&out, text);
  lk_json_out_array_begin (&out, NULL);
  for (guint i = 0; i < policies->len; i++)
    add_json_policy (&out, registry, g_ptr_array_index (policies, i));
  lk_json_out_array_end (&out);
  fputs (text->str, stdout);
}

static void
print_list (const GPtrArray *policies)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_string_append_printf (out, "%-9s %-16s %-8s %s\n", "SEAM", "NAME", "VERSION", "SUMMARY");
  for (guint i = 0; i < policies->len; i++) {
    const LkPolicy *policy = g_ptr_array_index (policies, i);
    g_string_append_printf (out, "%-9s %-16s %-8u ", lk_seam_name (policy->seam), policy->name,
                            policy->version);
    lk_text_wrap (out, policy->summary, SUMMARY_COLUMN);
  }
  fputs (out->str, stdout);
}

/* Of `policy show`. */
static void
print_wrapped (const char *label, const char *text)
{
  g_autoptr (GString) out = g_string_new (label);
  lk_text_wrap (out, text, (guint)strlen (label));
  fputs (out->str, stdout);
}

static void
print_param (const LkParam *param)
{
  g_autofree char *expectation = lk_param_expectation (param);
  printf ("\n  %s\n", param->name);
  print_wrapped ("    ", param->help);
  print_wrapped ("    value:   ", expectation);
  if (param->default_value == NULL)
    printf ("    default: none; it must be given\n");
  else
    print_wrapped ("    default: ",
                   param->default_value[0] == '\0' ? "(empty)" : param->default_value);
}

static void
print_policy (const LkRegistry *registry, const LkPolicy *policy)
{
  printf ("%s policy '%s' version %u\n", lk_seam_name (policy->seam), policy->name,
          policy->version);
  print_wrapped ("", policy->summary);
  printf ("\n");
  printf ("  source:   %s\n", lk_registry_source (registry, policy));
  printf ("  build id: %s\n", lk_registry_build_id (registry, policy));
  if (policy->params->name == NULL) {
    printf ("\nNo parameters.\n");
    return;
  }
  printf ("\nParameters:\n");
  for (const LkParam *param = policy->params; param->name != NULL; param++)
    print_param (param);
}

static void
run_list (const Options *options, const LkRegistry *registry, guint32 seam)
{
  g_autoptr (GPtrArray) policies = select_policies (registry, seam, NULL);
  if (options->json)
    print_json (registry, policies);
  else
    print_list (policies);
}

/* No policy has this name, in any seam or in the one that was asked for. */
static void
set_unknown_name (const LkRegistry *registry, guint32 seam, const char *name, GError **error)
{
  g_autoptr (GPtrArray) policies = select_policies (registry, seam, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < policies->len; i++) {
    const LkPolicy *policy = g_ptr_array_index (policies, i);
    g_ptr_array_add (names, (gpointer)policy->name);
  }
  g_ptr_array_add (names, NULL);
  g_autofree char *phrase = lk_suggest_phrase (name, (const char *const *)names->pdata);
  g_set_error (error, LK_REGISTRY_ERROR, LK_REGISTRY_ERROR_NAME, "'%s': no such policy%s", name,
               phrase);
}

static gboolean
run_show (const Options *options, const LkRegistry *registry, guint32 seam, GError **error)
{
  const char *name = options->arguments[1];
  g_autoptr (GPtrArray) policies = select_policies (registry, seam, name);
  if (policies->len == 0) {
    set_unknown_name (registry, seam, name, error);
    return FALSE;
  }
  if (options->json) {
    print_json (registry, policies);
    return TRUE;
  }
  for (guint i = 0; i < policies->len; i++) {
    if (i > 0)
      printf ("\n");
    print_policy (registry, g_ptr_array_index (policies, i));
  }
  return TRUE;
}

/* ---------------------------------------------------------------- verify */

static void
print_checks (const GPtrArray *checks)
{
  for (guint i = 0; i < checks->len; i++) {
    const LkVerifyCheck *check = g_ptr_array_index (checks, i);
    printf ("%s  %-10s  %s\n", check->passed ? "PASS" : "FAIL", check->name, check->detail);
  }
}

static void
print_checks_json (const GPtrArray *checks, gboolean passed)
{
  g_autoptr (GString) text = g_string_new (NULL);
  LkJsonOut out;
  lk_json_out_init (&out, text);
  lk_json_out_object_begin (&out, NULL);
  lk_json_out_text (&out, "result", passed ? "pass" : "fail");
  lk_json_out_array_begin (&out, "checks");
  for (guint i = 0; i < checks->len; i++) {
    const LkVerifyCheck *check = g_ptr_array_index (checks, i);
    lk_json_out_object_begin (&out, NULL);
    lk_json_out_text (&out, "name", check->name);
    lk_json_out_text (&out, "result", check->passed ? "pass" : "fail");
    lk_json_out_text (&out, "detail", check->detail);
    lk_json_out_object_end (&out);
  }
  lk_json_out_array_end (&out);
  lk_json_out_object_end (&out);
  fputs (text->str, stdout);
}

static int
run_verify (const Options *options)
{
  /* The checks run in a child, which must not inherit output that was not written yet. */
  fflush (stdout);
  const char *spec = options->arguments[1];
  const char *end = strstr (spec, PLUGIN_SUFFIX ":");
  gsize path_length_bytes =
      end != NULL ? (gsize)(end - spec) + strlen (PLUGIN_SUFFIX) : strlen (spec);
  g_autofree char *path = g_strndup (spec, path_length_bytes);
  g_autoptr (GPtrArray) checks =
      lk_verify_plugin (path, end != NULL ? spec + path_length_bytes + 1 : NULL);
  gboolean passed = TRUE;
  for (guint i = 0; i < checks->len; i++) {
    const LkVerifyCheck *check = g_ptr_array_index (checks, i);
    passed = passed && check->passed;
  }
  if (options->json)
    print_checks_json (checks, passed);
  else
    print_checks (checks);
  return passed ? 0 : LK_EXIT_FAILURE;
}

/* ---------------------------------------------------------------- the verb */

static gboolean
parse_options (int argc, char **argv, Options *out, GError **error)
{
  const GOptionEntry entries[] = {
    { "seam", 's', 0, G_OPTION_ARG_STRING, &out->seam,
      "Only policies of this seam: order, backfill, select, limits or preempt", "SEAM" },
    { "plugin", 'p', 0, G_OPTION_ARG_FILENAME_ARRAY, &out->plugins,
      "Policies of this shared object too; may be repeated", "FILE.so" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &out->json, "Print JSON", NULL },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
  };
  GOptionContext *context = g_option_context_new (
      "list | show NAME | verify FILE.so[:key=value,...] - the scheduling policies");
  g_option_context_add_main_entries (context, entries, NULL);
  out->arguments = lk_verb_parse (context, argc, argv, 1, 2, error);
  g_option_context_free (context);
  return out->arguments != NULL;
}

/* The action must be one of ours and have what it is about. */
static gboolean
check_action (const Options *options, GError **error)
{
  static const char *const actions[] = { "list", "show", "verify", NULL };
  const char *action = options->arguments[0];
  if (!g_strv_contains (actions, action)) {
    g_autofree char *phrase = lk_suggest_phrase (action, actions);
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "unknown action '%s'%s", action, phrase);
    return FALSE;
  }
  gboolean takes_argument = strcmp (action, "list") != 0;
  if (takes_argument != (options->arguments[1] != NULL)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s takes %s; see --help", action,
                 !takes_argument                ? "no argument"
                 : strcmp (action, "show") == 0 ? "the name of a policy"
                                                : "a shared object");
    return FALSE;
  }
  return TRUE;
}

/* 0 when no seam was asked for. */
static gboolean
parse_seam (const Options *options, guint32 *out_seam, GError **error)
{
  static const char *const seams[] = { "order", "backfill", "select", "limits", "preempt", NULL };
  *out_seam = options->seam == NULL ? 0 : lk_seam_from_name (options->seam);
  if (options->seam == NULL || *out_seam != 0)
    return TRUE;
  g_autofree char *phrase = lk_suggest_phrase (options->seam, seams);
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "unknown seam '%s'%s", options->seam,
               phrase);
  return FALSE;
}

/* The exit code, or -1 with an error. */
static int
run (const Options *options, GError **error)
{
  guint32 seam;
  if (!check_action (options, error) || !parse_seam (options, &seam, error))
    return -1;
  if (strcmp (options->arguments[0], "verify") == 0)
    return run_verify (options);
  g_autoptr (LkRegistry) registry = lk_verb_registry (options->plugins, error);
  if (registry == NULL)
    return -1;
  if (strcmp (options->arguments[0], "list") == 0)
    run_list (options, registry, seam);
  else if (!run_show (options, registry, seam, error))
    return -1;
  return 0;
}

int
lk_verb_policy (int argc, char **argv)
{
  g_auto (Options) options = { 0 };
  g_autoptr (GError) error = NULL;
  int code = -1;
  if (parse_options (argc, argv, &options, &error))
    code = run (&options, &error);
  return code < 0 ? lk_verb_fail ("policy", error) : code;
}
