/* sim/command_accounts.c — see command_accounts.h. */
#include "sim/command_accounts.h"

#include <string.h>

#include "engine/engine.h"
#include "traces/accounts_changes.h"
#include "traces/accounts_script.h"

/* No number of use is beyond. */
#define USE_MAX 1e30

gboolean
lk_command_is_admin (const LkSimControl *control, const char *user)
{
  const LkAccounts *accounts = lk_engine_accounts (control->engine);
  if (strcmp (user, "root") == 0)
    return TRUE;
  for (guint i = 0; accounts != NULL && i < accounts->associations->len; i++) {
    const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    if (strcmp (spec->user, user) == 0 && spec->admin_level[0] != '\0')
      return TRUE;
  }
  return FALSE;
}

const char *
lk_command_account_of (const LkSimControl *control, LkJobIndex job)
{
  const LkAccounts *accounts = lk_engine_accounts (control->engine);
  guint32 association = lk_engine_view (control->engine)->jobs->association[job];
  if (accounts == NULL || association == LK_INDEX_NONE)
    return "";
  const LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, association);
  return spec->account;
}

const char *
lk_command_qos_of (const LkSimControl *control, LkJobIndex job)
{
  const LkAccounts *accounts = lk_engine_accounts (control->engine);
  guint32 qos = lk_engine_view (control->engine)->jobs->qos[job];
  if (accounts == NULL || qos == LK_INDEX_NONE)
    return "";
  const LkQosSpec *spec = g_ptr_array_index (accounts->qos, qos);
  return spec->name;
}

static LkReject
tell (gpointer user, LkEvent *event)
{
  const LkSimControl *control = user;
  return control->apply (control->driver, event);
}

/* With what users have used by now, so that RawUsage=0 is a change. */
static LkAccounts *
accounts_now (const LkEngine *engine)
{
  LkAccounts *accounts = lk_accounts_copy (lk_engine_accounts (engine));
  const LkAccountsView *view = lk_engine_view (engine)->accounts;
  for (guint i = 0; i < accounts->associations->len; i++) {
    LkAssociationSpec *spec = g_ptr_array_index (accounts->associations, i);
    if (*spec->user != '\0')
      spec->usage = MIN (view->associations[i].use.usage, USE_MAX);
  }
  return accounts;
}

const char *
lk_command_accounts (const LkCommand *command, const LkSimControl *control, GStringChunk *texts)
{
  g_autoptr (GError) error = NULL;
  if (lk_engine_accounts (control->engine) == NULL)
    return "there are no accounts in this run; expected --accounts";
  g_autoptr (LkAccounts) from = accounts_now (control->engine);
  g_autoptr (LkAccounts) to = lk_accounts_script_apply (from, command->text, &error);
  if (to == NULL)
    return g_string_chunk_insert (texts, error->message);
  LkReject reject = lk_accounts_tell_changes (from, to, tell, (gpointer)control);
  return reject != 0 ? lk_reject_text (reject) : NULL;
}
