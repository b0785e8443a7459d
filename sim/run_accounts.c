/* sim/run_accounts.c — see run_accounts.h. */
#include "sim/run_accounts.h"

#include <string.h>

#include "policies/spec.h"
#include "sim/conf_backfill.h"
#include "traces/accounts_open.h"
#include "traces/cluster_open.h"
#include "traces/preempt_conf.h"
#include "traces/request_pool.h"
#include "traces/slurm_conf_backfill.h"

LkAccounts *
lk_run_accounts_open (const char *path, const char *cluster_name, GError **error)
{
  g_autoptr (LkAccounts) accounts = lk_accounts_open (path, error);
  if (accounts == NULL)
    return NULL;
  if (cluster_name != NULL && lk_cluster_is_slurm_conf (cluster_name)
      && !lk_accounts_apply_slurm_conf (accounts, cluster_name, error))
    return NULL;
  return g_steal_pointer (&accounts);
}

/* ---------------------------------------------------------------- order */

char *
lk_run_order (const LkSettings *settings, GError **error)
{
  gboolean follows = settings->accounts != NULL || settings->commands != NULL;
  if (!follows || settings->cluster_name == NULL
      || !lk_cluster_is_slurm_conf (settings->cluster_name))
    return g_strdup (settings->order);
  g_autofree char *order = lk_slurm_conf_order (settings->cluster_name, error);
  if (order == NULL || !settings->has_order)
    return g_steal_pointer (&order);
  return lk_spec_merge (order, settings->order);
}

char *
lk_run_preempt (const LkSettings *settings, GError **error)
{
  const char *own = settings->preempt;
  if (settings->cluster_name == NULL || !lk_cluster_is_slurm_conf (settings->cluster_name))
    return g_strdup (own != NULL ? own : "none");
  g_autofree char *preempt = lk_slurm_conf_preempt (settings->cluster_name, error);
  if (preempt == NULL)
    return NULL;
  if (own == NULL)
    /* Nobody has a QOS. */
    return g_strdup (settings->accounts == NULL && g_str_has_prefix (preempt, "qos") ? "none"
                                                                                     : preempt);
  return lk_spec_merge (preempt, own);
}

char *
lk_run_backfill (const LkSettings *settings, GError **error)
{
  static const char name[] = "slurm";
  gboolean is_slurm = g_str_has_prefix (settings->backfill, name)
                      && (settings->backfill[sizeof name - 1] == '\0'
                          || settings->backfill[sizeof name - 1] == ':');
  if (settings->cluster_name == NULL || !lk_cluster_is_slurm_conf (settings->cluster_name))
    return g_strdup (settings->backfill);
  if (!is_slurm)
    return lk_slurm_conf_scheduler_check (settings->cluster_name, error)
               ? g_strdup (settings->backfill)
               : NULL;
  g_autofree char *base = lk_conf_backfill (settings->cluster_name, error);
  return base != NULL ? lk_spec_merge (base, settings->backfill) : NULL;
}

/* ---------------------------------------------------------------- names */

struct _LkRunNames {
  LkRequestPool *requests;
  GStringChunk *texts;
};

LkRunNames *
lk_run_names_new (void)
{
  LkRunNames *self = g_new (LkRunNames, 1);
  self->requests = lk_request_pool_new ();
  self->texts = g_string_chunk_new (4096);
  return self;
}

void
lk_run_names_free (LkRunNames *self)
{
  if (self == NULL)
    return;
  lk_request_pool_free (self->requests);
  g_string_chunk_free (self->texts);
  g_free (self);
}

/* Slurm's names of users, accounts and QOS are in lower case. */
static LkText
lower (LkRunNames *self, LkText text)
{
  g_autofree char *name = g_ascii_strdown (text.bytes != NULL ? text.bytes : "", text.length_bytes);
  return lk_text (g_string_chunk_insert_const (self->texts, name));
}

const LkJobRequest *
lk_run_names_request (LkRunNames *self, const LkTraceJob *job)
{
  LkJobRequest request = *job->request;
  char number[16];
  if (request.user.length_bytes == 0) {
    g_snprintf (number, sizeof number, "u%u", job->user_id);
    request.user = lk_text (number);
  }
  request.user = lower (self, request.user);
  request.account = lower (self, request.account);
  request.qos = lower (self, request.qos);
  return lk_request_pool_intern (self->requests, &request);
}
