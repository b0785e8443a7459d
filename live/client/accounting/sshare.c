/* live/client/accounting/sshare.c — `sshare`: shares, use and fairshare of accounts and users.
 *
 * How it is laid out stands in traces/sshare_table.c.  Source: sshare(1), what a real Slurm printed
 * (oracle/text, tests/fixtures/slurm-prio). */
#include "traces/sshare_table.h"

#include <string.h>

#include "live/client/accounting/accounts.h"
#include "live/client/commands.h"
#include "live/client/json/accounts.h"
#include "live/client/options_help.h"
#include "live/client/rounds.h"

#define FAILURE 1

static const LkClientOption options[] = {
  { "accounts", 'A', TRUE, LK_OPTION_ACTED_ON, "these accounts, and their users" },
  { "all", 'a', FALSE, LK_OPTION_ACTED_ON, "all users; else yourself" },
  { "cluster", 'M', TRUE, LK_OPTION_ACTED_ON, "as --clusters" },
  { "clusters", 'M', TRUE, LK_OPTION_ACTED_ON,
    "the cluster by name, or all: its name stands above" },
  { "format", 'o', TRUE, LK_OPTION_ACTED_ON, "columns: NAME[%[-]WIDTH],..." },
  { "helpformat", 'e', FALSE, LK_OPTION_ACTED_ON, "the names of all columns" },
  { "json", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, LK_JSON_HELP },
  { "long", 'l', FALSE, LK_OPTION_ACTED_ON, "all columns" },
  { "noheader", 'n', FALSE, LK_OPTION_ACTED_ON, "no headings" },
  { "parsable", 'p', FALSE, LK_OPTION_ACTED_ON, "fields with a bar behind each" },
  { "parsable2", 'P', FALSE, LK_OPTION_ACTED_ON, "fields with a bar between them" },
  { "partition", 'm', FALSE, LK_OPTION_ACTED_ON, "the partitions of associations, too" },
  { "user", 'u', TRUE, LK_OPTION_ACTED_ON, "these users" },
  { "Users", 'U', FALSE, LK_OPTION_ACTED_ON, "only users, no accounts" },
  { "verbose", 'v', FALSE, LK_OPTION_ACTED_ON, "display more information: whom it is about" },
  { "yaml", '\0', LK_OPTION_VALUE_MAY, LK_OPTION_ACTED_ON, LK_YAML_HELP },
};

typedef struct {
  LkClient *client;
  const char *accounts;
  const char *users;
  const char *clusters;
  LkSshareLayout layout;
  gboolean all;
  gboolean only_users;
  gboolean is_verbose;
  gboolean help;
  LkJsonChoice json;
} Sshare;

static gboolean
option_take (gpointer user, const LkClientOption *option, const char *value)
{
  Sshare *self = user;
  LkSshareLayout *layout = &self->layout;
  struct {
    char letter;
    const char **text;
    gboolean *flag;
  } known[] = { { 'A', &self->accounts, NULL },
                { 'u', &self->users, NULL },
                { 'M', &self->clusters, NULL },
                { 'o', &layout->format, NULL },
                { 'a', NULL, &self->all },
                { 'e', NULL, &self->help },
                { 'l', NULL, &layout->is_long },
                { 'n', NULL, &layout->style.no_heading },
                { 'p', NULL, &layout->style.is_parsable },
                { 'P', NULL, &layout->style.is_parsable2 },
                { 'm', NULL, &layout->by_partition },
                { 'U', NULL, &self->only_users },
                { 'v', NULL, &self->is_verbose } };
  if (strcmp (option->name, "json") == 0 || strcmp (option->name, "yaml") == 0)
    lk_json_choice_take (&self->json, option->name, value);
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (known[i].letter == option->letter) {
      if (known[i].text != NULL)
        *known[i].text = value;
      else if (known[i].flag != NULL)
        *known[i].flag = TRUE;
    }
  return TRUE;
}

/* ---------------------------------------------------------------- rows */

/* Its texts are owned. */
typedef LkJsonShare Row;

static void
row_free (gpointer user)
{
  Row *self = user;
  lk_sshare_row_clear (&self->shown);
  g_free ((char *)self->shown.limits);
  g_free ((char *)self->shown.run_minutes);
  g_free (self->run_seconds);
  g_free (self);
}

static char *
limits_of (const LkAccounts *accounts, const LkAssociationSpec *spec)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < spec->limits->len; i++) {
    const LkLimitItem *item = &g_array_index (spec->limits, LkLimitItem, i);
    if (item->kind == LK_LIMIT_GRP_TRES_MINS)
      g_string_append_printf (out, "%s%s=%" G_GUINT64_FORMAT, out->len > 0 ? "," : "",
                              (const char *)g_ptr_array_index (accounts->tres, item->tres),
                              item->value);
  }
  return g_string_free (out, FALSE);
}

/* What the controller counts, and 0 of the TRES that Slurm measures. Returns: (transfer full). */
static char *
run_seconds_of (const LkAccounts *accounts, LkLongText counted)
{
  GString *out = g_string_new_len (counted.bytes, (gssize)counted.length_bytes);
  const char *const *name = out->len > 0 ? lk_client_measured_tres (accounts) : NULL;
  for (; name != NULL && *name != NULL; name++)
    g_string_append_printf (out, ",%s=0", *name);
  return g_string_free (out, FALSE);
}

/* "cpu=180,mem=60" is "cpu=3,mem=1". */
static char *
minutes_of (const char *seconds)
{
  g_auto (GStrv) words = g_strsplit (seconds, ",", -1);
  GString *out = g_string_new (NULL);
  for (guint i = 0; words[i] != NULL; i++) {
    char *equals = strrchr (words[i], '=');
    if (equals == NULL)
      continue;
    g_string_append_printf (out, "%s%.*s=%" G_GUINT64_FORMAT, out->len > 0 ? "," : "",
                            (int)(equals - words[i]), words[i],
                            g_ascii_strtoull (equals + 1, NULL, 10) / 60);
  }
  return g_string_free (out, FALSE);
}

typedef struct {
  const LkAccounts *accounts;
  const LkSshareFilter *filter;
  GPtrArray *rows; /* of Row */
} Gather;

static void
row_take (gpointer user, const LkRecord *record)
{
  Gather *self = user;
  const LkRecord_share *told = &record->share;
  if (told->association >= self->accounts->associations->len)
    return;
  const LkAssociationSpec *spec =
      g_ptr_array_index (self->accounts->associations, told->association);
  if (!lk_sshare_wants (self->filter, spec))
    return;
  Row *row = g_new0 (Row, 1);
  LkSshareRow *shown = &row->shown;
  lk_sshare_row_init (shown, self->accounts, told->association);
  shown->usage_raw = told->usage_raw;
  shown->has_parts = told->has_parts != 0;
  shown->parts.is_fair_tree = told->is_fair_tree;
  shown->parts.shares_norm = told->shares_norm;
  shown->parts.usage_norm = told->usage_norm;
  shown->parts.usage_effective = told->usage_effective;
  shown->parts.fairshare = told->fairshare;
  shown->parts.level_fairshare = told->level_fairshare;
  shown->limits = limits_of (self->accounts, spec);
  row->run_seconds = run_seconds_of (self->accounts, told->tres_run_s);
  shown->run_minutes = minutes_of (row->run_seconds);
  g_ptr_array_add (self->rows, row);
}

/* ---------------------------------------------------------------- the command */

static char **
words_of (const char *list)
{
  return list != NULL ? g_strsplit (list, ",", -1) : NULL;
}

/* -v: a line for each name on standard error. */
static void
asked_tell (const Sshare *self, const char *title, char **names, const char *otherwise)
{
  fprintf (self->client->err, "%s requested:\n", title);
  if (names == NULL)
    fprintf (self->client->err, "\t: %s\n", otherwise);
  for (char **name = names; name != NULL && *name != NULL; name++)
    fprintf (self->client->err, "\t: %s\n", *name);
}

static int
run (const Sshare *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) out = g_string_new (NULL);
  /* Without accounts there are headings only: exporters take a failure as the cluster's end. */
  g_autoptr (LkAccounts) accounts = NULL;
  if (!lk_client_accounts_or_none (self->client, &accounts))
    return FAILURE;
  g_auto (GStrv) names = words_of (self->accounts);
  g_auto (GStrv) users = words_of (self->users);
  if (self->is_verbose) {
    asked_tell (self, "Users", users, self->all ? "all" : self->client->user_name);
    asked_tell (self, "Accounts", names, "all");
  }
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (row_free);
  LkSshareFilter filter = { .accounts = names,
                            .users = users,
                            .all_users = self->all,
                            .only_users = self->only_users,
                            .asker_name = self->client->user_name };
  Gather gather = { accounts, &filter, rows };
  if (accounts != NULL
      && !lk_client_query (self->client, &(LkClientQuery){ .kind = LK_RECORD_SHARE }, row_take,
                           &gather, &error)) {
    lk_client_error (self->client, "%s", error->message);
    return FAILURE;
  }
  g_ptr_array_sort (rows, lk_sshare_row_compare);
  /* A row begins with what is shown of it. */
  if (self->json.is_wanted)
    lk_json_shares (self->client, &self->json, accounts, rows);
  else
    lk_sshare_write (&self->layout, rows, out);
  fwrite (out->str, 1, out->len, self->client->out);
  return 0;
}

static const LkOptionHelp told = { .call = "[OPTION...]", .title = "Valid OPTIONs are:" };

int
lk_sshare (LkClient *client, int argc, char **argv)
{
  Sshare self = { .client = client };
  LkOptionSet set = { .usage = "[OPTIONS]",
                      .options = options,
                      .count = G_N_ELEMENTS (options),
                      .take = option_take,
                      .help = &told,
                      .user = &self };
  int count = lk_options_parse (client, &set, argc, argv);
  if (count < 0)
    return count == -1 ? FAILURE : 0;
  if (count > 0) {
    lk_client_error (client, "Unrecognized option: %s", argv[1]);
    return FAILURE;
  }
  if (self.help) {
    g_autofree char *names = lk_sshare_names ();
    fprintf (client->out, "%s\n", names);
    return 0;
  }
  if (!lk_json_choice_settle_foreign (client, &self.json, &count))
    return count;
  g_autofree char *wrong = self.layout.format != NULL ? lk_sshare_wrong (self.layout.format) : NULL;
  if (wrong != NULL) {
    lk_client_error (client, "Invalid field requested: \"%s\"", wrong);
    return FAILURE;
  }
  g_autofree char *cluster = NULL;
  if (!lk_client_clusters_check (client, self.clusters, &cluster))
    return FAILURE;
  if (cluster != NULL && !self.json.is_wanted)
    fprintf (client->out, "CLUSTER: %s\n", cluster);
  return run (&self);
}

void
lk_sshare_markdown (GString *out)
{
  lk_options_markdown (options, G_N_ELEMENTS (options), out);
}
