/* tests/live/client/sshare_test.c — sshare, told the shares of a real Slurm
 * (tests/fixtures/slurm-prio/01-fairtree), prints what that one printed. */
#include <math.h>
#include <string.h>

#include "engine/accounts.h"
#include "tests/live/client/record_site.h"
#include "tests/live/flat_json.h"
#include "traces/accounts_dump.h"

#define FOLDER LK_SOURCE_DIR "/tests/fixtures/slurm-prio/"

static char *
recorded (const char *name)
{
  char *text = NULL;
  g_autofree char *path = g_strconcat (FOLDER, name, NULL);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static double
number_of (const char *word)
{
  return word[0] != '\0' ? g_ascii_strtod (word, NULL) : -1;
}

/* Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS|
 * GrpTRESMins|TRESRunMins */
static void
add (RecordSite *site, guint32 association, char **words)
{
  LkRecord record = { .kind = LK_RECORD_SHARE };
  /* The controller counts what jobs are allocated, not what Slurm measures of GPUs. */
  const char *measured = strstr (words[10], ",gres/gpumem=");
  g_assert_nonnull (measured);
  LkRecord_share *told = &record.share;
  *told = (LkRecord_share){ .association = association,
                            .has_parts = 1,
                            .is_fair_tree = 1,
                            .shares_norm = number_of (words[3]),
                            .usage_raw = number_of (words[4]),
                            .usage_norm = number_of (words[5]),
                            .usage_effective = number_of (words[6]),
                            .fairshare = number_of (words[7]),
                            .level_fairshare = number_of (words[8]),
                            .tres_run_s = { words[10], (guint32)(measured - words[10]) } };
  record_site_add (site, &record);
}

/* The line of an association, among those of sshare. */
static char **
line_of (char **lines, const LkAssociationSpec *spec)
{
  for (guint i = 0; lines[i] != NULL; i++) {
    char **words = g_strsplit (lines[i], "|", -1);
    if (g_strv_length (words) > 10 && strcmp (g_strstrip (words[0]), spec->account) == 0
        && strcmp (words[1], spec->user) == 0)
      return words;
    g_strfreev (words);
  }
  return NULL;
}

static RecordSite *
site_new (void)
{
  RecordSite *site = record_site_new ();
  g_autofree char *dump = recorded ("sacctmgr-dump.cfg");
  g_autofree char *shares = recorded ("01-fairtree/sshare-a-P-l.txt");
  g_autoptr (GBytes) bytes = g_bytes_new (dump, strlen (dump));
  g_autoptr (LkAccounts) accounts = lk_accounts_dump_read ("dump", bytes, NULL, NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  g_auto (GStrv) lines = g_strsplit (shares, "\n", -1);
  g_assert_nonnull (accounts);
  lk_accounts_add_tres (accounts, "gres/gpu");
  lk_accounts_text (accounts, text);
  record_site_set_accounts (site, text->str);
  for (guint32 i = 0; i < accounts->associations->len; i++) {
    g_auto (GStrv) words = line_of (lines, g_ptr_array_index (accounts->associations, i));
    g_assert_nonnull (words);
    add (site, i, words);
  }
  site->client.user_name = "root";
  return site;
}

static void
test_recorded (void)
{
  static const char *const lines[][2] = {
    { "sshare", "01-fairtree/sshare.txt" },
    { "sshare -a", "01-fairtree/sshare-a.txt" },
    { "sshare -la", "01-fairtree/sshare-l-a.txt" },
    { "sshare --all --partition", "01-fairtree/sshare-m-a.txt" },
    { "sshare -a -P -l", "01-fairtree/sshare-a-P-l.txt" },
  };
  g_autoptr (RecordSite) site = site_new ();
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autofree char *expected = recorded (lines[i][1]);
    record_site_expect (site, lines[i][0], 0, expected, "");
  }
}

static void
test_which (void)
{
  g_autoptr (RecordSite) site = site_new ();
  record_site_expect (site, "sshare -n -P -o account,fairshare -A chem", 0, "chem|\n", "");
  record_site_expect (site, "sshare -nP -o account,user -A chem -u dave", 0, "chem|\n chem|dave\n",
                      "");
  site->client.user_name = "bob";
  record_site_expect (site, "sshare -U -n -P -o Account,User%20", 0, "hep|bob\n", "");
  record_site_expect (site, "sshare -U -n -p -o Account,User%20", 0, "hep|bob|\n", "");
  record_site_expect (site, "sshare -U -n -o Account,User%3", 0, "hep                  bob \n", "");
  record_site_expect (site, "sshare -o nonsense", 1, "",
                      "sshare: error: Invalid field requested: \"nonsense\"\n");
  record_site_expect (site, "sshare -e", 0,
                      "Account User Partition RawShares NormShares RawUsage NormUsage "
                      "EffectvUsage FairShare LevelFS GrpTRESMins TRESRunMins\n",
                      "");
}

static void
test_json (void)
{
  g_autoptr (RecordSite) site = site_new ();
  g_assert_cmpint (record_site_run (site, "sshare -A idle --json -u nobody"), ==, 0);
  flat_json (site->out);
  g_assert_nonnull (strstr (site->out, "\"cluster\":\"oracle\",\"name\":\"idle\","
                                       "\"parent\":\"root\",\"partition\":\"\","
                                       "\"shares_normalized\":{\"set\":true,\"infinite\":false,"
                                       "\"number\":0.19802"));
  g_assert_nonnull (strstr (site->out, "{\"name\":\"cpu\",\"value\":{\"set\":true,"
                                       "\"infinite\":false,\"number\":0}}"));
  g_assert_nonnull (strstr (site->out, "{\"name\":\"gres/gpuutil\",\"value\":{\"set\":true,"
                                       "\"infinite\":false,\"number\":0}}],\"group_minutes\""));
  g_assert_true (g_str_has_suffix (site->out, "\"cluster\":\"oracle\"}},\"errors\":[],"
                                              "\"warnings\":[]}"));
  g_assert_nonnull (strstr (site->out, "],\"total_shares\":0},\"meta\":{\"plugin\":"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sshare/prints what a real one printed", test_recorded);
  g_test_add_func ("/sshare/shows who is asked for", test_which);
  g_test_add_func ("/sshare/as JSON it is Slurm's", test_json);
  return g_test_run ();
}
