/* tests/live/sacctmgr_test.c — sacctmgr: what is told, asked, and sent.
 *
 * Behind it are accounts that take the events as a controller does.  Texts are those that a Slurm
 * 26.05 was recorded with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/accounts_change.h"
#include "live/client/commands.h"

typedef struct {
  LkAccounts *accounts;
  LkClient client;
  guint event_count;
  gboolean is_denied;
  gboolean has_job; /* number 5, of the fourth association */
  const char *input;
  char *out;
  char *err;
} Site;

static gboolean
wire_request (gpointer data, LkMessage *request, LkMessage_reply *out_reply, GError **error)
{
  Site *self = data;
  LkEvent event;
  (void)error;
  self->event_count++;
  *out_reply = (LkMessage_reply){ .error = LK_REJECT_PERMISSION };
  if (self->is_denied)
    return TRUE;
  out_reply->error = LK_REJECT_ACCOUNTS_IN_USE;
  if (self->has_job)
    return TRUE;
  g_assert_cmpuint (
      lk_event_decode (request->hold.event.bytes, request->hold.event.length_bytes, &event), >, 0);
  if (event.kind == LK_EVENT_QOS)
    out_reply->error = (guint16)lk_accounts_change_qos (self->accounts, &event.qos);
  else
    out_reply->error = (guint16)lk_accounts_change_association (self->accounts, &event.association);
  return TRUE;
}

static gboolean
wire_page (gpointer data, LkMessage *query, void (*take) (gpointer, const LkMessage *),
           gpointer user, GError **error)
{
  Site *self = data;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  LkMessage page = { .kind = LK_MESSAGE_STATE_PAGE };
  (void)error;
  LkRecord record = { .kind = (LkRecordKind)query->state_query.record };
  lk_accounts_text (self->accounts, text);
  if (record.kind == LK_RECORD_ACCOUNTS)
    record.accounts.canonical = (LkBytes){ (const guint8 *)text->str, (guint32)text->len };
  else
    record.job = (LkRecord_job){ .job_id = 5, .array_task = G_MAXUINT32, .association_id = 4 };
  g_assert_true (record.kind == LK_RECORD_ACCOUNTS || record.kind == LK_RECORD_JOB);
  if (record.kind == LK_RECORD_ACCOUNTS || self->has_job)
    lk_record_append (&record, bytes);
  page.state_page.record = query->state_query.record;
  page.state_page.records = (LkBytes){ bytes->data, bytes->len };
  take (user, &page);
  return TRUE;
}

static const LkClientWire wire = { .request = wire_request, .page = wire_page };

static void
setup (Site *self, gconstpointer unused)
{
  (void)unused;
  *self = (Site){ .accounts = lk_accounts_new ("oracle") };
  self->client = (LkClient){ .command = "sacctmgr", .wire = &wire, .wire_self = self };
}

static void
teardown (Site *self, gconstpointer unused)
{
  (void)unused;
  lk_accounts_free (self->accounts);
  free (self->out);
  free (self->err);
}

static int
run (Site *self, const char *line)
{
  gsize out_bytes;
  gsize err_bytes;
  int argc;
  g_auto (GStrv) argv = NULL;
  g_assert_true (g_shell_parse_argv (line, &argc, &argv, NULL));
  g_autofree char **moved = g_memdup2 (argv, (gsize)(argc + 1) * sizeof (char *));
  free (self->out);
  free (self->err);
  self->client.out = open_memstream (&self->out, &out_bytes);
  self->client.err = open_memstream (&self->err, &err_bytes);
  self->client.in = tmpfile ();
  if (self->input != NULL)
    fputs (self->input, self->client.in);
  rewind (self->client.in);
  int found = lk_sacctmgr (&self->client, argc, moved);
  fclose (self->client.in);
  fclose (self->client.out);
  fclose (self->client.err);
  return found;
}

static void
expect (Site *self, const char *line, int code, const char *out, const char *err)
{
  int found = run (self, line);
  g_test_message ("%s", line);
  g_assert_cmpstr (self->err, ==, err);
  g_assert_cmpstr (self->out, ==, out);
  g_assert_cmpint (found, ==, code);
}

static void
test_accounts (Site *self, gconstpointer unused)
{
  (void)unused;
  expect (self, "sacctmgr -i add account newacct descr=d org=o fairshare=3", 0,
          " Adding Account(s)\n"
          "  newacct\n"
          " Settings\n"
          "  Description     = d\n"
          "  Organization    = o\n"
          " Associations =\n"
          "  C = oracle     A = newacct             \n"
          " Settings\n"
          "  Fairshare     = 3\n",
          "");
  const LkAssociationSpec *spec = lk_accounts_find (self->accounts, "newacct", "", "");
  g_assert_nonnull (spec);
  g_assert_cmpuint (spec->shares, ==, 3);
  expect (self, "sacctmgr -i add account newacct", 1,
          " Already existing account newacct on cluster oracle\n", "");
  expect (self, "sacctmgr -i add user erin account=newacct", 0,
          " Adding User(s)\n"
          "  erin\n"
          " Settings\n"
          " Associations =\n"
          "  C = oracle     A = newacct              U = erin     \n",
          "");
  expect (self, "sacctmgr -i modify user erin set fairshare=7 MaxJobs=3", 0,
          " Modified user associations...\n"
          "  C = oracle     A = newacct              U = erin     \n",
          "");
  spec = lk_accounts_find (self->accounts, "newacct", "erin", "");
  g_assert_cmpuint (spec->shares, ==, 7);
  expect (self, "sacctmgr -i modify user nosuch set fairshare=7", 1,
          " Modified user associations...\n  Nothing modified\n", "");
  expect (self, "sacctmgr -i delete user erin", 0, " Deleting users...\n  erin\n", "");
  g_assert_null (lk_accounts_find (self->accounts, "newacct", "erin", ""));
  expect (self, "sacctmgr -i delete account newacct", 0, " Deleting accounts...\n  newacct\n", "");
  expect (self, "sacctmgr -i delete account newacct", 1, " Nothing deleted\n", "");
}

/* Root's are not begun; of others, the controller knows what they may do. */
static void
test_active (Site *self, gconstpointer unused)
{
  static const char told[] = " Error with request: Job(s) active, cancel job(s) before remove\n"
                             "  JobID = 5          C = oracle     A = b1         U = erin     \n";
  (void)unused;
  g_assert_cmpint (run (self, "sacctmgr -i add account b1"), ==, 0);
  g_assert_cmpint (run (self, "sacctmgr -i add user erin,zoe account=b1"), ==, 0);
  guint before = self->event_count;
  self->has_job = TRUE;
  expect (self, "sacctmgr -i delete account b1", 1, "", told);
  expect (self, "sacctmgr -i delete user erin", 1, "", told);
  g_assert_cmpuint (self->event_count, ==, before);
  self->client.user_id = 1000;
  expect (self, "sacctmgr -i delete account b1", 1, "", told);
  g_assert_cmpuint (self->event_count, ==, before + 1);
  self->has_job = FALSE;
  expect (self, "sacctmgr -i delete user zoe", 0, " Deleting users...\n  zoe\n", "");
}

static void
test_qos (Site *self, gconstpointer unused)
{
  (void)unused;
  expect (self, "sacctmgr -i add qos q2 priority=5", 0,
          " Adding QOS(s)\n"
          "  q2\n"
          " Settings\n"
          "  Description    = q2\n"
          "  Priority                 = 5\n",
          "");
  g_assert_cmpuint (lk_accounts_find_qos (self->accounts, "q2")->priority, ==, 5);
  expect (self, "sacctmgr -i modify qos q2 set priority=9", 0, " Modified qos...\n  q2\n", "");
  expect (self, "sacctmgr -i delete qos q2", 0, " Deleting QOS(s)...\n  q2\n", "");
  g_assert_null (lk_accounts_find_qos (self->accounts, "q2"));
}

/* Without it an empty list would stand for all QOS; the plan is shown and confirmed before that. */
static void
test_sole_qos (Site *self, gconstpointer unused)
{
  static const char plan[] = " Deleting QOS(s)...\n  q2\n";
  static const char why[] =
      " error: QOS 'q2' is deleted, which is all that account 'sole' may use: without it, that of "
      "the account above would hold; expected another list first\n";
  g_autofree char *asked = g_strconcat (
      plan, "Would you like to commit changes? (You have 30 seconds to decide)\n", "(N/y): ", NULL);
  g_autofree char *discarded = g_strconcat (asked, "\n Changes Discarded\n", NULL);
  (void)unused;
  g_assert_cmpint (run (self, "sacctmgr -i add qos q2"), ==, 0);
  g_assert_cmpint (run (self, "sacctmgr -i add qos q3"), ==, 0);
  g_assert_cmpint (run (self, "sacctmgr -i add account sole qos=q2"), ==, 0);
  expect (self, "sacctmgr -i delete qos q2", 1, plan, why);
  self->input = "n\n";
  expect (self, "sacctmgr delete qos q2", 0, discarded, "");
  self->input = "y\n";
  expect (self, "sacctmgr delete qos q2", 1, asked, why);
  g_assert_nonnull (lk_accounts_find_qos (self->accounts, "q2"));
  g_assert_cmpint (run (self, "sacctmgr -i modify account sole set qos=q3"), ==, 0);
  expect (self, "sacctmgr -i delete qos q2", 0, plan, "");
  g_assert_cmpstr (lk_accounts_find (self->accounts, "sole", "", "")->qos, ==, "q3");
}

static void
test_asking (Site *self, gconstpointer unused)
{
  static const char asked[] = " Adding QOS(s)\n"
                              "  q3\n"
                              " Settings\n"
                              "  Description    = q3\n"
                              "Would you like to commit changes? (You have 30 seconds to decide)\n"
                              "(N/y): ";
  g_autofree char *discarded = g_strconcat (asked, "\n Changes Discarded\n", NULL);
  (void)unused;
  self->input = "n\n";
  expect (self, "sacctmgr add qos q3", 0, discarded, "");
  g_assert_cmpuint (self->event_count, ==, 0);
  self->input = "y\n";
  expect (self, "sacctmgr add qos q3", 0, asked, "");
  g_assert_cmpuint (self->event_count, ==, 1);
}

/* Of several names, those that are there already or not there are left alone. */
static void
test_lists (Site *self, gconstpointer unused)
{
  (void)unused;
  expect (self, "sacctmgr -i add qos l1,l2 usagefactor=.5", 0,
          " Adding QOS(s)\n  l1\n  l2\n Settings\n  Description    = l1\n"
          "  UsageFactor              = .5\n",
          "");
  g_assert_cmpfloat (lk_accounts_find_qos (self->accounts, "l1")->usage_factor, ==, 0.5);
  expect (self, "sacctmgr -i add qos l1,l3,l2", 0,
          " Adding QOS(s)\n  l3\n Settings\n  Description    = l3\n", "");
  expect (self, "sacctmgr -i add qos l1,l3", 1, " Nothing new added.\n", "");
  expect (self, "sacctmgr -i modify qos l1,l9 set priority=4", 0, " Modified qos...\n  l1\n", "");
  g_assert_cmpuint (lk_accounts_find_qos (self->accounts, "l1")->priority, ==, 4);
  expect (self, "sacctmgr -i delete qos l1,l9,l3", 0, " Deleting QOS(s)...\n  l1\n  l3\n", "");
  g_assert_null (lk_accounts_find_qos (self->accounts, "l3"));
  g_assert_nonnull (lk_accounts_find_qos (self->accounts, "l2"));
  expect (self, "sacctmgr -i delete qos l1,l9", 1, " Nothing deleted\n", "");
  g_assert_cmpint (run (self, "sacctmgr -i add account la"), ==, 0);
  g_assert_cmpint (run (self, "sacctmgr -i add account la,lb"), ==, 0);
  g_assert_cmpint (run (self, "sacctmgr -i add user lu account=la"), ==, 0);
  g_assert_cmpint (run (self, "sacctmgr -i add user lu,lv account=la"), ==, 0);
  g_assert_nonnull (lk_accounts_find (self->accounts, "la", "lv", ""));
  expect (self, "sacctmgr -i add user lu,lv account=la", 1, " Nothing new added.\n", "");
  expect (self, "sacctmgr -i add user lw account=no1,no2", 1,
          "No account no1 on cluster oracle, skipping.\n"
          "No account no2 on cluster oracle, skipping.\n"
          "Nothing added.\nMake sure the accounts requested here have been added to the "
          "system/cluster. (sacctmgr add account...)\n",
          "");
  g_assert_cmpint (run (self, "sacctmgr -i delete user lu,nobody,lv"), ==, 0);
  g_assert_null (lk_accounts_find (self->accounts, "la", "lu", ""));
}

static void
test_errors (Site *self, gconstpointer unused)
{
  (void)unused;
  expect (self, "sacctmgr -i modify user root set bogus=1", 1, "",
          " Unknown option: bogus=1\n Use keyword 'where' to modify condition\n");
  expect (self, "sacctmgr -i add cluster oracle", 1,
          " This cluster oracle already exists.  Not adding.\n", "");
  expect (self, "sacctmgr archive dump", 1, "",
          "sacctmgr: error: archive is not implemented: the file of accounting can be copied, "
          "and be made anew from the journal\n");
  expect (self, "sacctmgr -i frobnicate", 1, "", "invalid keyword: frobnicate\n");
  expect (self, "sacctmgr -ir add account x", 1, "", "Can't run this command in readonly mode.\n");
  self->is_denied = TRUE;
  /* What is refused has not been done, and is not told. */
  expect (self, "sacctmgr -i modify user root set fairshare=3", 1, "",
          " Error with request: Access/permission denied\n");
  expect (self, "sacctmgr -i add account x", 1, "",
          " error: Only admins/operators/coordinators can add accounts\n");
  expect (self, "sacctmgr -iQ add account x", 1, "",
          " error: Only admins/operators/coordinators can add accounts\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define SITE_TEST(path, function) g_test_add (path, Site, NULL, setup, function, teardown)
  SITE_TEST ("/sacctmgr/of several names those that fit are acted on", test_lists);
  SITE_TEST ("/sacctmgr/accounts and users come, change and go", test_accounts);
  SITE_TEST ("/sacctmgr/what active jobs have stays", test_active);
  SITE_TEST ("/sacctmgr/QOS come, change and go", test_qos);
  SITE_TEST ("/sacctmgr/a QOS that is all one may use stays", test_sole_qos);
  SITE_TEST ("/sacctmgr/nothing is done before it is confirmed", test_asking);
  SITE_TEST ("/sacctmgr/errors are Slurm's", test_errors);
  return g_test_run ();
}
