/* sim/verb_accounts.c — see verb_accounts.h. */
#include "sim/verb_accounts.h"

#include <stdio.h>
#include <string.h>

#include "engine/suggest.h"
#include "sim/error.h"
#include "sim/json_out.h"
#include "sim/run_accounts.h"
#include "sim/trace_input.h"
#include "sim/verb.h"
#include "traces/accounts_dump.h"
#include "traces/accounts_open.h"
#include "traces/accounts_yaml.h"
#include "traces/output.h"

typedef struct {
  char **arguments; /* the action and the file */
  char *conf;
  char *to;
  char *output;
  gboolean json;
  LkTraceInput input; /* from-log */
} Options;

static void
options_clear (Options *self)
{
  g_strfreev (self->arguments);
  g_free (self->conf);
  g_free (self->to);
  g_free (self->output);
  lk_trace_input_clear (&self->input);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

/* ---------------------------------------------------------------- show */

/* "GrpTRES=cpu=100,mem=5,MaxJobs=3" */
static void
put_limits (GString *out, const LkAccounts *accounts, const GArray *limits)
{
  for (guint i = 0; i < limits->len; i++) {
    const LkLimitItem *item = &g_array_index (limits, LkLimitItem, i);
    LkLimitValue value = lk_limit_kind_value (item->kind);
    g_string_append_printf (out, " %s=", lk_limit_kind_name (item->kind));
    if (value == LK_LIMIT_TRES || value == LK_LIMIT_TRES_MINUTES)
      g_string_append_printf (out,
                              "%s=", (const char *)g_ptr_array_index (accounts->tres, item->tres));
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, item->value);
  }
}

static guint
depth_of (const LkAccounts *accounts, const LkAssociationSpec *spec)
{
  guint depth = 0;
  const char *parent = spec->user[0] != '\0' ? spec->account : spec->parent;
  for (; parent[0] != '\0'; depth++)
    parent = lk_accounts_find (accounts, parent, "", "")->parent;
  return depth;
}

/* What is right below an account: users, then accounts, as indices. */
static GArray *
children_of (GHashTable *children, const char *account)
{
  GArray *list = g_hash_table_lookup (children, account);
  if (list == NULL) {
    list = g_array_new (FALSE, FALSE, sizeof (guint));
    g_hash_table_insert (children, (gpointer)account, list);
  }
  return list;
}

/* Indices of the associations as a tree: behind each account its users, then what is below it.
 * Returns: (transfer full), of guint. */
static GArray *
tree_order (const LkAccounts *accounts)
{
  g_autoptr (GHashTable) children =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_array_unref);
  for (guint is_account = 0; is_account < 2; is_account++)
    for (guint i = 1; i < accounts->associations->len; i++) {
      const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
      if ((spec->user[0] == '\0') == (is_account != 0))
        g_array_append_val (children_of (children, is_account != 0 ? spec->parent : spec->account),
                            i);
    }
  GArray *order = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) stack = g_array_new (FALSE, TRUE, sizeof (guint));
  g_array_set_size (stack, 1); /* the root, 0 */
  while (stack->len > 0) {
    guint index = g_array_index (stack, guint, stack->len - 1);
    const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, index);
    g_array_set_size (stack, stack->len - 1);
    g_array_append_val (order, index);
    GArray *below = spec->user[0] == '\0' ? children_of (children, spec->account) : NULL;
    for (guint i = below != NULL ? below->len : 0; i > 0; i--)
      g_array_append_val (stack, g_array_index (below, guint, i - 1));
  }
  return order;
}

static void
put_association (GString *out, const LkAccounts *accounts, const LkAssociationSpec *spec)
{
  g_autofree char *name =
      g_strdup_printf ("%*s%s%s%s", (int)depth_of (accounts, spec), "",
                       spec->user[0] != '\0' ? spec->user : spec->account,
                       spec->partition[0] != '\0' ? " in " : "", spec->partition);
  g_autofree char *shares =
      spec->shares == LK_SHARES_PARENT ? g_strdup ("parent") : g_strdup_printf ("%u", spec->shares);
  g_string_append_printf (out, "%-32s %-8s %8s", name,
                          spec->user[0] == '\0' ? "account"
                          : spec->is_default    ? "user*"
                                                : "user",
                          shares);
  if (spec->priority != 0)
    g_string_append_printf (out, " Priority=%u", spec->priority);
  if (spec->qos[0] != '\0')
    g_string_append_printf (out, " QOS=%s", spec->qos);
  if (spec->default_qos[0] != '\0')
    g_string_append_printf (out, " DefaultQOS=%s", spec->default_qos);
  put_limits (out, accounts, spec->limits);
  g_string_append_c (out, '\n');
}

static void
put_qos (GString *out, const LkAccounts *accounts, const LkQosSpec *spec)
{
  g_string_append_printf (out, "%-20s %10u %12g", spec->name, spec->priority, spec->usage_factor);
  for (guint bit = 0; lk_qos_flag_name (bit) != NULL; bit++)
    if ((spec->flags & (1u << bit)) != 0)
      g_string_append_printf (out, " %s", lk_qos_flag_name (bit));
  put_limits (out, accounts, spec->limits);
  g_string_append_c (out, '\n');
}

static void
put_enforced (GString *out, const LkAccounts *accounts)
{
  g_string_append (out, "enforced   ");
  if (accounts->enforce == 0)
    g_string_append (out, " nothing");
  for (guint bit = 0; lk_enforce_name (bit) != NULL; bit++)
    if ((accounts->enforce & (1u << bit)) != 0)
      g_string_append_printf (out, " %s", lk_enforce_name (bit));
  g_string_append_printf (out,
                          "\nuse         half-life %" G_GINT64_FORMAT
                          " s, calculated every %" G_GINT64_FORMAT " s, reset %s\n",
                          accounts->half_life_us / G_USEC_PER_SEC,
                          accounts->calc_period_us / G_USEC_PER_SEC,
                          lk_reset_words ()[accounts->reset]);
  g_string_append_printf (out, "rules       %s\n", lk_compat_words ()[accounts->compat]);
}

static void
show (const LkAccounts *accounts, GString *out)
{
  g_autoptr (GArray) order = tree_order (accounts);
  g_string_append_printf (out, "cluster     %s\n", accounts->cluster);
  put_enforced (out, accounts);
  g_string_append_printf (out, "\n%-20s %10s %12s %s\n", "QOS", "PRIORITY", "USAGEFACTOR",
                          "FLAGS AND LIMITS");
  for (guint i = 0; i < accounts->qos->len; i++)
    put_qos (out, accounts, g_ptr_array_index (accounts->qos, i));
  g_string_append_printf (out, "\n%-32s %-8s %8s %s\n", "ASSOCIATION", "KIND", "SHARES",
                          "QOS AND LIMITS (* default account)");
  for (guint i = 0; i < order->len; i++)
    put_association (out, accounts,
                     g_ptr_array_index (accounts->associations, g_array_index (order, guint, i)));
}

/* ---------------------------------------------------------------- the actions */

static void
count (const LkAccounts *accounts, guint *out_accounts, guint *out_users)
{
  *out_accounts = *out_users = 0;
  for (guint i = 0; i < accounts->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    if (spec->user[0] != '\0')
      ++*out_users;
    else
      ++*out_accounts;
  }
}

static void
print_check (const Options *options, const LkAccounts *accounts)
{
  guint account_count;
  guint user_count;
  count (accounts, &account_count, &user_count);
  if (!options->json) {
    printf ("%s: good: %u account%s, %u association%s of users, %u QOS\n", options->arguments[1],
            account_count, account_count == 1 ? "" : "s", user_count, user_count == 1 ? "" : "s",
            accounts->qos->len);
    return;
  }
  g_autoptr (GString) text = g_string_new (NULL);
  LkJsonOut out;
  lk_json_out_init (&out, text);
  lk_json_out_object_begin (&out, NULL);
  lk_json_out_text (&out, "file", options->arguments[1]);
  lk_json_out_text (&out, "cluster", accounts->cluster);
  lk_json_out_count (&out, "accounts", account_count);
  lk_json_out_count (&out, "users", user_count);
  lk_json_out_count (&out, "qos", accounts->qos->len);
  lk_json_out_object_end (&out);
  fputs (text->str, stdout);
}

/* Writes accounts in the form of --to; a page begins with the comment `header` (NULL: none). */
static gboolean
write_accounts (const Options *options, const LkAccounts *accounts, const char *form_default,
                const char *header, GError **error)
{
  static const char *const forms[] = { "dump", "yaml", "text", NULL };
  const char *to = options->to != NULL ? options->to : form_default;
  g_autoptr (GString) text = g_string_new (NULL);
  if (!g_strv_contains (forms, to)) {
    g_autofree char *phrase = lk_suggest_phrase (to, forms);
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--to is '%s'; expected dump, yaml or text%s", to, phrase);
    return FALSE;
  }
  if (strcmp (to, "dump") == 0 && !lk_accounts_dump_write (accounts, text, error))
    return FALSE;
  if (strcmp (to, "yaml") == 0)
    lk_accounts_yaml_write (accounts, header, text);
  if (strcmp (to, "text") == 0)
    lk_accounts_text (accounts, text);
  const LkVerbFile files[] = {
    { strcmp (options->arguments[0], "from-log") == 0 ? "LOG" : "FILE", options->arguments[1], NULL,
      FALSE },
    { "--cluster", options->conf, NULL, FALSE },
    { "--csv-map", options->input.csv_map, NULL, FALSE },
    { "--output", options->output, NULL, TRUE },
  };
  if (!lk_verb_check_files (files, G_N_ELEMENTS (files), error))
    return FALSE;
  g_autoptr (LkOutput) output =
      lk_output_new (options->output != NULL ? options->output : "-", error);
  return output != NULL && lk_output_write (output, text->str, text->len, error)
         && lk_output_close (output, error);
}

static gboolean
from_log (const Options *options, GError **error)
{
  const char *path = options->arguments[1];
  guint64 left_out_count = 0;
  g_autoptr (LkTraceReader) reader = lk_trace_input_open (&options->input, path, error);
  g_autoptr (LkAccounts) accounts =
      reader != NULL ? lk_run_accounts_from_log (reader, &left_out_count, error) : NULL;
  if (accounts == NULL
      || (options->conf != NULL && !lk_accounts_apply_slurm_conf (accounts, options->conf, error)))
    return FALSE;
  if (left_out_count > 0)
    lk_run_accounts_warn_left_out ("accounts", left_out_count);
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *header =
      g_strdup_printf ("Users and accounts of %s, with equal shares (lockstep accounts from-log).\n"
                       "Edit shares, QOS and limits, then: lockstep sim LOG --accounts THIS_FILE",
                       name);
  return write_accounts (options, accounts, "yaml", header, error);
}

/* ---------------------------------------------------------------- the verb */

static gboolean
parse_options (int argc, char **argv, Options *out, GError **error)
{
  const GOptionEntry entries[] = {
    { "cluster", 0, 0, G_OPTION_ARG_FILENAME, &out->conf,
      "Apply what this slurm.conf states of accounts: what is enforced, TRES, decay", "FILE" },
    { "to", 0, 0, G_OPTION_ARG_STRING, &out->to,
      "convert, from-log: dump (default of convert; sacctmgr load reads it), yaml (default of "
      "from-log), or text (as in journals)",
      "FORM" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out->output,
      "convert, from-log: write to FILE (default: standard output)", "FILE" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &out->json, "check: print JSON", NULL },
    { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
  };
  GOptionContext *context =
      g_option_context_new ("show FILE | check FILE | convert FILE | from-log LOG - accounts, "
                            "users, QOS and their limits");
  lk_trace_input_add_options (&out->input, context);
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_description (
      context, "FILE is a sacctmgr dump, a script of sacctmgr commands, or a page of YAML\n"
               "(docs/accounts.md); which of them is seen from what is in it.\n"
               "  lockstep accounts convert site.script --to dump -o site.cfg\n"
               "\nfrom-log writes a page of the users of a log, by account or group, with equal\n"
               "shares, to be edited; lockstep sim LOG --accounts from-log uses them as they are.\n"
               "  lockstep accounts from-log jobs.sacct -o accounts.yaml\n");
  out->arguments = lk_verb_parse (context, argc, argv, 2, 2, error);
  g_option_context_free (context);
  return out->arguments != NULL;
}

static gboolean
run (const Options *options, GError **error)
{
  static const char *const actions[] = { "show", "check", "convert", "from-log", NULL };
  const char *action = options->arguments[0];
  if (!g_strv_contains (actions, action)) {
    g_autofree char *phrase = lk_suggest_phrase (action, actions);
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "unknown action '%s'%s", action, phrase);
    return FALSE;
  }
  gboolean reads_log = strcmp (action, "from-log") == 0;
  gboolean converts = strcmp (action, "convert") == 0;
  if (!converts && !reads_log && (options->to != NULL || options->output != NULL)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "--%s is for convert and from-log",
                 options->to != NULL ? "to" : "output");
    return FALSE;
  }
  if (options->json && strcmp (action, "check") != 0) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "--json is for check");
    return FALSE;
  }
  if (!reads_log && lk_trace_input_is_given (&options->input)) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE,
                 "--from, --csv-map, --columns, --map and --lenient are for from-log");
    return FALSE;
  }
  if (reads_log)
    return from_log (options, error);
  g_autoptr (LkAccounts) accounts = lk_accounts_open (options->arguments[1], error);
  if (accounts == NULL
      || (options->conf != NULL && !lk_accounts_apply_slurm_conf (accounts, options->conf, error)))
    return FALSE;
  if (converts)
    return write_accounts (options, accounts, "dump", NULL, error);
  if (strcmp (action, "check") == 0) {
    print_check (options, accounts);
    return TRUE;
  }
  g_autoptr (GString) text = g_string_new (NULL);
  show (accounts, text);
  fputs (text->str, stdout);
  return TRUE;
}

int
lk_verb_accounts (int argc, char **argv)
{
  g_auto (Options) options = { 0 };
  g_autoptr (GError) error = NULL;
  if (parse_options (argc, argv, &options, &error) && run (&options, &error))
    return 0;
  return lk_verb_fail ("accounts", error);
}
