/* sim/run_accounts.c — see run_accounts.h. */
#include "sim/run_accounts.h"

#include <string.h>

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

/* The end of a piece of a list: a comma outside quotes and parentheses, or the end. */
static const char *
piece_end (const char *at)
{
  guint depth = 0;
  gboolean is_quoted = FALSE;
  for (; *at != '\0' && (*at != ',' || is_quoted || depth > 0); at++) {
    if (is_quoted && *at == '\\' && at[1] != '\0')
      at++;
    else if (*at == '"')
      is_quoted = !is_quoted;
    else if (!is_quoted && *at == '(')
      depth++;
    else if (!is_quoted && *at == ')' && depth > 0)
      depth--;
  }
  return at;
}

/* Does a list of key=value name the key of `piece`? */
static gboolean
names_key (const char *list, const char *piece)
{
  gsize key_bytes = strcspn (piece, "=") + 1;
  for (const char *at = list; *at != '\0';) {
    if (strncmp (at, piece, key_bytes) == 0)
      return TRUE;
    at = piece_end (at);
    at += *at == ',' ? 1 : 0;
  }
  return FALSE;
}

char *
lk_run_merge_spec (const char *base, const char *spec)
{
  gsize name_bytes = strcspn (base, ":");
  const char *own = spec + name_bytes;
  if (strncmp (base, spec, name_bytes) != 0 || (*own != '\0' && *own != ':')
      || base[name_bytes] == '\0')
    return g_strdup (spec);
  GString *merged = g_string_new_len (base, (gssize)name_bytes);
  g_string_append_c (merged, ':');
  own += *own == ':' ? 1 : 0;
  g_string_append (merged, own);
  for (const char *at = base + name_bytes + 1; *at != '\0';) {
    const char *end = piece_end (at);
    if (!names_key (own, at)) {
      if (merged->str[merged->len - 1] != ':')
        g_string_append_c (merged, ',');
      g_string_append_len (merged, at, end - at);
    }
    at = end + (*end == ',' ? 1 : 0);
  }
  return g_string_free (merged, FALSE);
}

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
  return lk_run_merge_spec (order, settings->order);
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
  return lk_run_merge_spec (preempt, own);
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
  return base != NULL ? lk_run_merge_spec (base, settings->backfill) : NULL;
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
