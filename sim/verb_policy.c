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
#include "policies/suggest.h"
#include "sim/json_out.h"
#include "sim/verify_plugin.h"

#define EXIT_FAILED 1
#define EXIT_USAGE 2

static const char usage[] =
    "usage: lockstep policy list [--seam SEAM] [--plugin FILE.so] [--json]\n"
    "       lockstep policy show NAME [--seam SEAM] [--plugin FILE.so] [--json]\n"
    "       lockstep policy verify FILE.so [--parameters KEY=VALUE,...] [--json]\n"
    "SEAM is order, backfill or select.\n";

typedef struct {
  char *seam;
  char *parameters;
  char **plugins;
  char **arguments;
  gboolean json;
} Options;

static void
options_clear (Options *self)
{
  g_free (self->seam);
  g_free (self->parameters);
  g_strfreev (self->plugins);
  g_strfreev (self->arguments);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static int
fail (int code, const char *message)
{
  fflush (stdout);
  fprintf (stderr, "lockstep policy: %s\n", message);
  return code;
}

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
  printf ("%-9s %-16s %-8s %s\n", "SEAM", "NAME", "VERSION", "SUMMARY");
  for (guint i = 0; i < policies->len; i++) {
    const LkPolicy *policy = g_ptr_array_index (policies, i);
    printf ("%-9s %-16s %-8u %s\n", lk_seam_name (policy->seam), policy->name, policy->version,
            policy->summary);
  }
}

static void
print_param (const LkParam *param)
{
  g_autofree char *expectation = lk_param_expectation (param);
  printf ("\n  %s\n", param->name);
  printf ("    %s\n", param->help);
  printf ("    value:   %s\n", expectation);
  if (param->default_value == NULL)
    printf ("    default: none; it must be given\n");
  else
    printf ("    default: %s\n",
            param->default_value[0] == '\0' ? "(empty)" : param->default_value);
}

static void
print_policy (const LkRegistry *registry, const LkPolicy *policy)
{
  printf ("%s policy '%s' version %u\n", lk_seam_name (policy->seam), policy->name,
          policy->version);
  printf ("%s\n\n", policy->summary);
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

static int
run_list (const Options *options, const LkRegistry *registry, guint32 seam)
{
  if (options->arguments != NULL && options->arguments[0] != NULL)
    return fail (EXIT_USAGE, "list takes no argument");
  g_autoptr (GPtrArray) policies = select_policies (registry, seam, NULL);
  if (options->json)
    print_json (registry, policies);
  else
    print_list (policies);
  return 0;
}

/* What is said about a name that no policy has, in any seam or in the one that was asked for. */
static char *
unknown_name (const LkRegistry *registry, guint32 seam, const char *name)
{
  g_autoptr (GPtrArray) policies = select_policies (registry, seam, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint i = 0; i < policies->len; i++) {
    const LkPolicy *policy = g_ptr_array_index (policies, i);
    g_ptr_array_add (names, (gpointer)policy->name);
  }
  g_ptr_array_add (names, NULL);
  g_autofree char *phrase = lk_suggest_phrase (name, (const char *const *)names->pdata);
  return g_strdup_printf ("'%s': no such policy%s", name, phrase);
}

static int
run_show (const Options *options, const LkRegistry *registry, guint32 seam)
{
  if (options->arguments == NULL || g_strv_length (options->arguments) != 1)
    return fail (EXIT_USAGE, "show takes the name of one policy");
  const char *name = options->arguments[0];
  g_autoptr (GPtrArray) policies = select_policies (registry, seam, name);
  if (policies->len == 0) {
    g_autofree char *message = unknown_name (registry, seam, name);
    return fail (EXIT_USAGE, message);
  }
  if (options->json) {
    print_json (registry, policies);
    return 0;
  }
  for (guint i = 0; i < policies->len; i++) {
    if (i > 0)
      printf ("\n");
    print_policy (registry, g_ptr_array_index (policies, i));
  }
  return 0;
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
  if (options->arguments == NULL || g_strv_length (options->arguments) != 1)
    return fail (EXIT_USAGE, "verify takes one file");
  fflush (stdout);
  g_autoptr (GPtrArray) checks = lk_verify_plugin (options->arguments[0], options->parameters);
  gboolean passed = TRUE;
  for (guint i = 0; i < checks->len; i++) {
    const LkVerifyCheck *check = g_ptr_array_index (checks, i);
    passed = passed && check->passed;
  }
  if (options->json)
    print_checks_json (checks, passed);
  else
    print_checks (checks);
  return passed ? 0 : EXIT_FAILED;
}

/* ---------------------------------------------------------------- the verb */

static gboolean
parse_options (int argc, char **argv, Options *out, GError **error)
{
  const GOptionEntry entries[] = {
    { "seam", 0, 0, G_OPTION_ARG_STRING, &out->seam, NULL, NULL },
    { "plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &out->plugins, NULL, NULL },
    { "parameters", 0, 0, G_OPTION_ARG_STRING, &out->parameters, NULL, NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &out->json, NULL, NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &out->arguments, NULL, NULL },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
  };
  GOptionContext *context = g_option_context_new (NULL);
  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_add_main_entries (context, entries, NULL);
  gboolean good = g_option_context_parse (context, &argc, &argv, error);
  g_option_context_free (context);
  return good;
}

static gboolean
add_plugins (LkRegistry *registry, char **plugins, GError **error)
{
  for (guint i = 0; plugins != NULL && plugins[i] != NULL; i++) {
    if (lk_registry_add_plugin (registry, plugins[i], error) == NULL)
      return FALSE;
  }
  return TRUE;
}

static int
run_about (const Options *options, gboolean show)
{
  guint32 seam = 0;
  if (options->seam != NULL) {
    const char *const seams[] = { "order", "backfill", "select", NULL };
    seam = lk_seam_from_name (options->seam);
    if (seam == 0) {
      g_autofree char *phrase = lk_suggest_phrase (options->seam, seams);
      g_autofree char *message = g_strdup_printf ("'%s': no such seam%s", options->seam, phrase);
      return fail (EXIT_USAGE, message);
    }
  }
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (GError) error = NULL;
  if (!add_plugins (registry, options->plugins, &error))
    return fail (EXIT_FAILED, error->message);
  return show ? run_show (options, registry, seam) : run_list (options, registry, seam);
}

int
lk_verb_policy (int argc, char **argv)
{
  static const char *const verbs[] = { "list", "show", "verify", NULL };
  const char *verb = argc > 1 ? argv[1] : "";
  if (strcmp (verb, "--help") == 0 || strcmp (verb, "-h") == 0) {
    fputs (usage, stdout);
    return 0;
  }
  if (!g_strv_contains (verbs, verb)) {
    g_autofree char *phrase = lk_suggest_phrase (verb, verbs);
    fprintf (stderr, "lockstep policy: '%s': no such command%s\n%s", verb, phrase, usage);
    return EXIT_USAGE;
  }
  g_auto (Options) options = { 0 };
  g_autoptr (GError) error = NULL;
  if (!parse_options (argc - 1, argv + 1, &options, &error))
    return fail (EXIT_USAGE, error->message);
  int code = strcmp (verb, "verify") == 0 ? run_verify (&options)
                                          : run_about (&options, strcmp (verb, "show") == 0);
  if (fflush (stdout) != 0 && code == 0)
    return fail (EXIT_FAILED, "the output cannot be written");
  return code;
}
