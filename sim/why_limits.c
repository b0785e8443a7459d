/* sim/why_limits.c — the limits that hold a job, and who uses what they allow.
 *
 * Which limits hold is the limits policy's to say.  Who counts in one is told here from the running
 * jobs: those at or below an association, those in a QOS, those of a user or an account in it. */
#include <string.h>

#include "sim/why_private.h"

/* What the finding is about. */
typedef enum {
  ALONE,   /* the job by itself */
  COUNT,   /* running jobs */
  TRES,    /* what they hold */
  MINUTES, /* what they may still use */
  PAST,    /* what was used, which no running job tells */
} Matter;

static Matter
matter_of (const LkLimitFinding *finding)
{
  if (finding->by_usage_threshold != 0)
    return PAST;
  switch (finding->kind) {
  case LK_LIMIT_GRP_JOBS:
  case LK_LIMIT_MAX_JOBS:
  case LK_LIMIT_MAX_JOBS_PER_USER:
  case LK_LIMIT_MAX_JOBS_PER_ACCOUNT:
    return COUNT;
  case LK_LIMIT_GRP_TRES:
  case LK_LIMIT_MAX_TRES_PER_USER:
  case LK_LIMIT_MAX_TRES_PER_ACCOUNT:
    return TRES;
  case LK_LIMIT_GRP_TRES_RUN_MINS:
  case LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER:
  case LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT:
    return MINUTES;
  case LK_LIMIT_GRP_TRES_MINS:
  case LK_LIMIT_GRP_WALL:
    return PAST;
  default:
    return ALONE;
  }
}

static gboolean
is_per_user (const LkLimitFinding *finding)
{
  return finding->kind == LK_LIMIT_MAX_JOBS_PER_USER || finding->kind == LK_LIMIT_MAX_TRES_PER_USER
         || finding->kind == LK_LIMIT_MAX_TRES_RUN_MINS_PER_USER;
}

static gboolean
is_per_account (const LkLimitFinding *finding)
{
  return finding->kind == LK_LIMIT_MAX_JOBS_PER_ACCOUNT
         || finding->kind == LK_LIMIT_MAX_TRES_PER_ACCOUNT
         || finding->kind == LK_LIMIT_MAX_TRES_RUN_MINS_PER_ACCOUNT;
}

/* ---------------------------------------------------------------- who counts in it */

static gboolean
is_below (const LkAccountsView *accounts, guint32 association, guint32 above)
{
  while (association != LK_INDEX_NONE && association != above)
    association = accounts->associations[association].parent;
  return association == above;
}

/* Does a running job count in what the finding is about, for the job that it holds? */
static gboolean
counts (const LkView *view, const LkLimitFinding *finding, LkJobIndex held, LkJobIndex running)
{
  const LkJobColumns *jobs = view->jobs;
  const LkAccountsView *accounts = view->accounts;
  guint32 association = jobs->association[running];
  if (jobs->phase[running] != LK_PHASE_RUNNING || association == LK_INDEX_NONE)
    return FALSE;
  if (finding->holder == LK_HOLDER_ASSOCIATION)
    return is_below (accounts, association, finding->index);
  if (jobs->qos[running] != finding->index
      && view->partitions[jobs->partition[running]].qos != finding->index)
    return FALSE;
  const LkAssociationView *one = &accounts->associations[jobs->association[held]];
  const LkAssociationView *other = &accounts->associations[association];
  if (is_per_user (finding))
    return one->user == other->user;
  return !is_per_account (finding) || one->account == other->account;
}

static guint64
amount_of (const LkEngine *engine, const LkLimitFinding *finding, Matter matter, LkJobIndex job)
{
  const LkBook *book = lk_engine_book (engine);
  guint64 tres = lk_book_job_tres (book, job)[finding->tres];
  if (matter == COUNT)
    return 1;
  return matter == TRES ? tres : tres * book->job_counts[job].booked_run_s / 60;
}

/* Of use that is counted, those users below the association who had most; a QOS does not keep who
 * had what. */
static void
find_past_users (LkWhyBlocker *self, const LkEngine *engine)
{
  const LkView *view = lk_engine_view (engine);
  const LkBook *book = lk_engine_book (engine);
  const LkLimitFinding *finding = &self->finding;
  if (finding->by_usage_threshold != 0 || finding->holder != LK_HOLDER_ASSOCIATION)
    return;
  for (guint32 i = 0; i < view->accounts->association_count; i++) {
    const LkAssociationView *association = &view->accounts->associations[i];
    const LkAssociationSpec *spec = g_ptr_array_index (book->spec->associations, i);
    gboolean is_wall = finding->kind == LK_LIMIT_GRP_WALL;
    double used_s = is_wall ? association->use.wall_s : association->use.tres_s[finding->tres];
    if (association->is_user && used_s >= 60.0 && is_below (view->accounts, i, finding->index))
      lk_why_add_user (self, spec->user, spec->account, (guint64)(used_s / 60.0));
  }
  lk_why_sort_jobs (self);
}

static void
find_users (LkWhyBlocker *self, const LkEngine *engine, LkJobIndex held)
{
  const LkView *view = lk_engine_view (engine);
  Matter matter = matter_of (&self->finding);
  if (matter == PAST)
    find_past_users (self, engine);
  if (matter == ALONE || matter == PAST)
    return;
  for (LkJobIndex job = 0; job < view->job_index_limit; job++) {
    if (!counts (view, &self->finding, held, job))
      continue;
    guint64 amount = amount_of (engine, &self->finding, matter, job);
    if (amount > 0)
      lk_why_add_job (self, engine, job, amount);
  }
  lk_why_sort_jobs (self);
}

/* ---------------------------------------------------------------- words */

/* The TRES of a finding whose kind has one. */
static const char *
tres_of (const LkView *view, const LkLimitFinding *finding)
{
  LkLimitValue value = lk_limit_kind_value (finding->kind);
  if (finding->by_usage_threshold != 0 || value == LK_LIMIT_COUNT || value == LK_LIMIT_MINUTES)
    return NULL;
  return view->accounts->tres_names[finding->tres];
}

static const char *
unit_of (const LkLimitFinding *finding, const char *tres)
{
  switch (lk_limit_kind_value (finding->kind)) {
  case LK_LIMIT_COUNT:
    return "jobs";
  case LK_LIMIT_MINUTES:
    return "minutes";
  case LK_LIMIT_TRES:
    return strcmp (tres, "mem") == 0 ? "MiB" : tres;
  default:
    return "TRES-minutes";
  }
}

static char *
holder_text (const LkEngine *engine, const LkLimitFinding *finding, LkJobIndex job)
{
  const LkBook *book = lk_engine_book (engine);
  GString *out = g_string_new (NULL);
  if (finding->holder == LK_HOLDER_ASSOCIATION) {
    const LkAssociationSpec *spec = g_ptr_array_index (book->spec->associations, finding->index);
    g_string_append_printf (out, "account %s", spec->account);
    if (spec->user[0] != '\0')
      g_string_append_printf (out, ", user %s", spec->user);
    if (spec->partition[0] != '\0')
      g_string_append_printf (out, ", partition %s", spec->partition);
    return g_string_free (out, FALSE);
  }
  const LkQosSpec *qos = g_ptr_array_index (book->spec->qos, finding->index);
  g_autofree char *user = lk_why_user_name (engine, job);
  g_autofree char *account = lk_why_account_name (engine, job);
  if (is_per_user (finding))
    g_string_append_printf (out, "user %s in ", user);
  else if (is_per_account (finding))
    g_string_append_printf (out, "account %s in ", account);
  g_string_append_printf (out, "QOS %s%s", qos->name,
                          finding->holder == LK_HOLDER_PARTITION_QOS ? " of the partition" : "");
  return g_string_free (out, FALSE);
}

static char *
threshold_text (const LkWhyBlocker *self, const LkEngine *engine, LkJobIndex job)
{
  const LkView *view = lk_engine_view (engine);
  char threshold[LK_REAL_TEXT_BYTES];
  char fairshare[LK_REAL_TEXT_BYTES];
  lk_real_text (view->accounts->qos[self->finding.index].usage_threshold, threshold);
  lk_real_text (view->accounts->associations[view->jobs->association[job]].fairshare, fairshare);
  return g_strdup_printf ("UsageThreshold is %s for %s: the fairshare factor is %s", threshold,
                          self->holder, fairshare);
}

static char *
finding_text (const LkWhyBlocker *self)
{
  const LkLimitFinding *finding = &self->finding;
  GString *out = g_string_new (NULL);
  g_autofree char *limit = lk_why_amount_text (finding->limit, self->unit);
  g_autofree char *used = lk_why_amount_text (finding->used, self->unit);
  g_autofree char *asked = lk_why_amount_text (finding->asked, self->unit);
  g_string_append (out, self->name);
  if (self->tres != NULL && strcmp (self->unit, "TRES-minutes") == 0)
    g_string_append_printf (out, " of %s", self->tres);
  g_string_append_printf (out, " is %s for %s: ", limit, self->holder);
  switch (matter_of (finding)) {
  case ALONE:
    g_string_append_printf (out, "it asks for %s", asked);
    break;
  case COUNT:
    g_string_append_printf (out, "%" G_GUINT64_FORMAT " run", finding->used);
    break;
  case PAST:
    g_string_append_printf (out, "%s are used up", used);
    break;
  default:
    g_string_append_printf (out, "%s in use, it asks for %s", used, asked);
  }
  if (self->jobs->len > 0) {
    g_string_append (out, "; by ");
    lk_why_append_jobs (self, matter_of (finding) == COUNT ? NULL : self->unit, out);
  }
  return g_string_free (out, FALSE);
}

/* ---------------------------------------------------------------- all of them */

typedef struct {
  LkWhy *why;
  const LkEngine *engine;
  LkJobIndex job;
} Search;

static int32_t
take (void *sink, const LkLimitFinding *finding)
{
  const Search *search = sink;
  LkWhyBlocker *blocker = lk_why_add_blocker (search->why, LK_WHY_LIMIT);
  gboolean is_threshold = finding->by_usage_threshold != 0;
  blocker->finding = *finding;
  blocker->reason = lk_engine_finding_reason (search->engine, finding);
  blocker->name = g_strdup (is_threshold ? "UsageThreshold" : lk_limit_kind_name (finding->kind));
  blocker->tres = tres_of (lk_engine_view (search->engine), finding);
  blocker->holder = holder_text (search->engine, finding, search->job);
  if (!is_threshold) {
    blocker->unit = unit_of (finding, blocker->tres);
    blocker->limit = finding->limit;
    blocker->used = finding->used;
    blocker->asked = finding->asked;
  }
  find_users (blocker, search->engine, search->job);
  blocker->text =
      is_threshold ? threshold_text (blocker, search->engine, search->job) : finding_text (blocker);
  return 1;
}

void
lk_why_find_limits (LkWhy *self, const LkEngine *engine)
{
  Search search = { self, engine, lk_engine_job_index (engine, self->info.id) };
  lk_engine_find_limits (engine, search.job, LK_CHECK_START, take, &search);
}
