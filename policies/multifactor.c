/* policies/multifactor.c — Slurm's multifactor priority: a weighted sum of factors.
 *
 *   age + association + fairshare + job size + partition + QOS + TRES + site factor - nice
 *
 * each but the last two a factor times its weight, added in this order as doubles; a sum below 1 is
 * 1, what is behind the point is cut off, and 4294967295 is the most.  Jobs go by the tier of their
 * partition first.  As in Slurm, priorities are calculated when a job comes into the queue or is
 * changed, and for all jobs once in each cycle, so that ages grow in steps; a factor without weight
 * is not calculated and is 0.
 *
 * Age and fairshare change from cycle to cycle.  The others of a job that was calculated before are
 * taken over in a cycle, unless something that they depend on has changed.
 * Source: Slurm, "Multifactor Priority Plugin". */
#include "policies/multifactor_settings.h"
#include "policies/order_util.h"
#include "policies/orders.h"
#include "policies/priority_factors.h"
#include "policies/state_bytes.h"
#include "policies/tres_weights.h"

/* Of keys under calc=continuous, behind the point of a priority. */
#define FRACTION_BITS 15

/* Factors that change only when the job or the machine does. */
typedef struct {
  double association;
  double job_size;
  double partition;
  double qos;
  double tres_term;
} Lasting;

/* What was last calculated for a job. */
typedef struct {
  uint32_t id;
  uint32_t priority; /* 0: nothing was calculated */
  double age;
  double fairshare;
  Lasting lasting;
  uint8_t has_lasting;
  int64_t calculated_us;
} Standing;

typedef struct {
  LkMultifactorSettings settings;
  Standing *jobs; /* by job index */
  uint32_t limit; /* entries of it */
  LkShares shares;
  uint32_t has_begun; /* the associations have been looked at */
  LkShare *looked;    /* before that: what would be seen; NULL: nobody has asked. Of: */
  uint32_t looked_count;
  double looked_usage; /* of the root */
  uint32_t association_priority_max;
  uint32_t qos_priority_max;
  uint32_t qos_count; /* of which the maximum is known */
  uint32_t tres_count;
  uint64_t surroundings; /* digest of what lasting factors depend on beside the job */
  int64_t take_over_us;  /* the moment of a cycle with the same surroundings as the one before */
  int64_t reference_us;  /* continuous: the moment for which keys are; LK_TIME_NEVER: none yet */
  double tres_weights[LK_TRES_MAX];
  double tres_factors[LK_TRES_MAX]; /* for `explain` */
} Multifactor;

static uint32_t
has_flag (const Multifactor *self, LkPriorityFlag flag)
{
  return (self->settings.flags & (uint32_t)flag) != 0;
}

/* ---------------------------------------------------------------- columns that may be absent */

static uint32_t
index_of (const uint32_t *column, LkJobIndex job)
{
  return column != NULL ? column[job] : LK_INDEX_NONE;
}

static int64_t
number_of (const int64_t *column, LkJobIndex job)
{
  return column != NULL ? column[job] : 0;
}

static uint32_t
direct_of (const LkView *view, LkJobIndex job)
{
  return view->jobs->direct_priority != NULL ? view->jobs->direct_priority[job] : 0;
}

static int64_t
accrue_us (const LkView *view, LkJobIndex job)
{
  return view->jobs->accrue_us != NULL ? view->jobs->accrue_us[job] : view->jobs->submit_us[job];
}

/* The association of a job, or LK_INDEX_NONE. */
static uint32_t
association_of (const Multifactor *self, const LkView *view, LkJobIndex job)
{
  uint32_t association = index_of (view->jobs->association, job);
  return association < self->shares.count ? association : LK_INDEX_NONE;
}

/* ---------------------------------------------------------------- being up to date */

static void
find_maxima (Multifactor *self, const LkAccountsView *accounts)
{
  self->association_priority_max = 0;
  self->qos_priority_max = 0;
  for (uint32_t i = 0; i < accounts->association_count; i++)
    self->association_priority_max =
        MAX (self->association_priority_max, accounts->associations[i].priority);
  for (uint32_t i = 0; i < accounts->qos_count; i++)
    self->qos_priority_max = MAX (self->qos_priority_max, accounts->qos[i].priority);
  self->qos_count = accounts->qos_count;
}

static void
follow_accounts (Multifactor *self, const LkAccountsView *accounts)
{
  if (self->shares.count != accounts->association_count || self->qos_count != accounts->qos_count)
    find_maxima (self, accounts);
  if (self->shares.count != accounts->association_count) {
    lk_shares_resize (&self->shares, accounts);
    lk_shares_link (&self->shares, accounts);
  }
  if (self->tres_count != accounts->tres_count) {
    lk_tres_weights_resolve (self->settings.tres_weights, accounts, self->tres_weights);
    self->tres_count = accounts->tres_count;
  }
}

/* Makes room for all jobs and associations. */
static void
ready (Multifactor *self, const LkView *view)
{
  if (self->limit < view->job_index_limit) {
    uint32_t limit = MAX (view->job_index_limit, self->limit + self->limit / 4);
    self->jobs = g_renew (Standing, self->jobs, limit);
    for (uint32_t job = self->limit; job < limit; job++)
      self->jobs[job] = (Standing){ .priority = 0 };
    self->limit = limit;
  }
  if (view->accounts != NULL)
    follow_accounts (self, view->accounts);
}

static void
begin (Multifactor *self, const LkView *view)
{
  if (self->settings.is_fair_tree)
    lk_fair_tree_walk (&self->shares, view->accounts, self->settings.ties);
  else
    lk_classic_begin (&self->shares, view, &self->settings.classic);
  self->has_begun = 1;
}

/* What is known of a job, or a blank when it was another job's. */
static Standing *
standing_of (Multifactor *self, const LkView *view, LkJobIndex job)
{
  Standing *standing = &self->jobs[job];
  if (standing->id != view->jobs->id[job])
    *standing = (Standing){ .id = view->jobs->id[job] };
  return standing;
}

/* ---------------------------------------------------------------- factors */

/* Slurm looks at associations when it starts; here that is when the first job asks. */
static double
fairshare_of (Multifactor *self, const LkView *view, LkJobIndex job)
{
  uint32_t association = association_of (self, view, job);
  if (association == LK_INDEX_NONE || self->settings.fairshare_weight <= 0.0)
    return 0.0;
  if (!self->has_begun)
    begin (self, view);
  if (!self->settings.is_fair_tree)
    lk_classic_evaluate (&self->shares, view, &self->settings.classic, association);
  return self->shares.items[association].factor;
}

static double
age_of (const Multifactor *self, const LkView *view, LkJobIndex job)
{
  if (self->settings.age_weight <= 0.0)
    return 0.0;
  return lk_priority_age (view->now_us, accrue_us (view, job), self->settings.max_age_us);
}

static double
association_factor (const Multifactor *self, const LkView *view, LkJobIndex job)
{
  uint32_t association = association_of (self, view, job);
  if (view->accounts == NULL || association == LK_INDEX_NONE
      || self->settings.association_weight <= 0.0)
    return 0.0;
  uint32_t priority = view->accounts->associations[association].priority;
  if (has_flag (self, LK_PRIORITY_NO_NORMAL_ASSOC))
    return (double)priority;
  return lk_priority_relative (priority, self->association_priority_max);
}

static double
qos_factor (const Multifactor *self, const LkView *view, LkJobIndex job)
{
  uint32_t qos = index_of (view->jobs->qos, job);
  if (view->accounts == NULL || qos >= view->accounts->qos_count
      || self->settings.qos_weight <= 0.0)
    return 0.0;
  uint32_t priority = view->accounts->qos[qos].priority;
  if (has_flag (self, LK_PRIORITY_NO_NORMAL_QOS))
    return (double)priority;
  return lk_priority_relative (priority, self->qos_priority_max);
}

static double
partition_factor (const Multifactor *self, const LkView *view, const LkPartitionView *partition)
{
  if (self->settings.partition_weight <= 0.0)
    return 0.0;
  if (partition == NULL)
    return 1.0;
  if (has_flag (self, LK_PRIORITY_NO_NORMAL_PART))
    return (double)partition->priority_job_factor;
  uint32_t maximum = 1;
  for (uint32_t i = 0; i < view->partition_count; i++)
    maximum = MAX (maximum, view->partitions[i].priority_job_factor);
  return lk_priority_relative (partition->priority_job_factor, maximum);
}

static double
job_size_factor (const Multifactor *self, const LkView *view, LkJobIndex job,
                 const LkPartitionView *partition)
{
  if (self->settings.job_size_weight <= 0.0)
    return 0.0;
  LkJobSize size = lk_priority_job_size (view, job, partition);
  return lk_priority_size (&size, self->settings.job_size_flags);
}

/* Fills a factor for each TRES. Returns the sum of factors times weights. */
static double
tres_term (const Multifactor *self, const LkView *view, LkJobIndex job,
           const LkPartitionView *partition, double *out_factors)
{
  uint64_t counts[LK_TRES_MAX] = { 0 };
  uint32_t tres_count = MIN (self->tres_count, LK_TRES_MAX);
  double sum = 0.0;
  if (view->accounts == NULL || self->settings.tres_weights->len == 0)
    return 0.0;
  view->host->job_tres (view, job, counts);
  for (uint32_t tres = 0; tres < tres_count; tres++) {
    uint64_t total =
        partition != NULL && partition->tres_total != NULL ? partition->tres_total[tres] : 0;
    double count = (double)counts[tres];
    out_factors[tres] = total != 0 ? count / (double)total : 0.0;
    if (has_flag (self, LK_PRIORITY_NO_NORMAL_TRES))
      out_factors[tres] = count;
    if (self->tres_weights[tres] == 0.0)
      out_factors[tres] = 0.0;
    sum += self->tres_weights[tres] * out_factors[tres];
  }
  return sum;
}

static Lasting
lasting_of (Multifactor *self, const LkView *view, LkJobIndex job, uint32_t partition_index)
{
  const LkPartitionView *partition = lk_priority_partition (view, partition_index);
  return (Lasting){ .association = association_factor (self, view, job),
                    .job_size = job_size_factor (self, view, job, partition),
                    .partition = partition_factor (self, view, partition),
                    .qos = qos_factor (self, view, job),
                    .tres_term = tres_term (self, view, job, partition, self->tres_factors) };
}

/* ---------------------------------------------------------------- the sum */

/* In Slurm's order: sums of doubles depend on it. */
static double
sum_of (const Multifactor *self, const LkView *view, LkJobIndex job, const Standing *standing,
        const Lasting *lasting)
{
  const LkMultifactorSettings *settings = &self->settings;
  double sum = settings->age_weight * standing->age;
  sum += settings->association_weight * lasting->association;
  sum += settings->fairshare_weight * standing->fairshare;
  sum += settings->job_size_weight * lasting->job_size;
  sum += settings->partition_weight * lasting->partition;
  sum += settings->qos_weight * lasting->qos;
  sum += lasting->tres_term;
  sum += (double)number_of (view->jobs->site_factor, job);
  sum -= (double)number_of (view->jobs->nice, job);
  if (!(sum >= 1.0))
    return 1.0;
  return sum >= (double)UINT32_MAX ? (double)UINT32_MAX : sum;
}

static uint32_t
priority_of (const Multifactor *self, const LkView *view, LkJobIndex job, const Standing *standing,
             const Lasting *lasting)
{
  return (uint32_t)sum_of (self, view, job, standing, lasting);
}

/* In a cycle, which asks for the keys of all jobs that wait, what lasts is taken over; it is not
 * when a job comes into the queue or has been changed. */
static uint32_t
takes_over (const Multifactor *self, const LkView *view, LkJobIndex job, const Standing *standing)
{
  return standing->has_lasting && view->now_us == self->take_over_us
         && standing->calculated_us < view->now_us && view->jobs->phase[job] != LK_PHASE_HELD;
}

static void
calculate (Multifactor *self, const LkView *view, LkJobIndex job, Standing *standing)
{
  if (!takes_over (self, view, job, standing))
    standing->lasting = lasting_of (self, view, job, lk_priority_partition_of (view, job));
  standing->has_lasting = TRUE;
  standing->calculated_us = view->now_us;
  standing->age = age_of (self, view, job);
  standing->fairshare = fairshare_of (self, view, job);
  uint32_t priority = priority_of (self, view, job, standing, &standing->lasting);
  if (!has_flag (self, LK_PRIORITY_INCR_ONLY) || priority > standing->priority)
    standing->priority = priority;
}

/* With ages that count all the time, all jobs that still age gain the same on those that do not: a
 * key is what the priority was, or would have been, at the last cycle, so that it need not change
 * until the next one.  An age may be below 0 there.  Jobs that do not age are behind by what the
 * others have gained since. */
static int64_t
continuous_key (Multifactor *self, const LkView *view, LkJobIndex job, const Standing *standing)
{
  Standing then = *standing;
  if (self->reference_us == LK_TIME_NEVER)
    self->reference_us = view->now_us;
  if (standing->age > 0.0 && standing->age < 1.0)
    then.age -= (double)(view->now_us - self->reference_us) / (double)self->settings.max_age_us;
  else if (standing->age == 0.0 && accrue_us (view, job) != LK_TIME_NEVER
           && self->settings.age_weight > 0.0)
    then.age = (double)(self->reference_us - view->now_us) / (double)self->settings.max_age_us;
  double sum = sum_of (self, view, job, &then, &standing->lasting);
  return ((int64_t)lk_priority_tier_of (view, job) << (32 + FRACTION_BITS))
         + (int64_t)(sum * (double)(1 << FRACTION_BITS));
}

static int64_t
direct_key (const Multifactor *self, uint32_t tier, uint32_t direct)
{
  return self->settings.is_continuous ? lk_priority_key (tier, 0) * (1 << FRACTION_BITS)
                                            + (int64_t)direct * (1 << FRACTION_BITS)
                                      : lk_priority_key (tier, direct);
}

static int64_t
multifactor_key (void *user, const LkView *view, LkJobIndex job)
{
  Multifactor *self = user;
  ready (self, view);
  uint32_t tier = lk_priority_tier_of (view, job);
  uint32_t direct = direct_of (view, job);
  Standing *standing = standing_of (self, view, job);
  /* A job that was held begins anew. */
  if (direct != 0 || view->jobs->phase[job] == LK_PHASE_HELD)
    *standing = (Standing){ .id = standing->id };
  if (direct != 0)
    return direct_key (self, tier, direct);
  calculate (self, view, job, standing);
  return self->settings.is_continuous ? continuous_key (self, view, job, standing)
                                      : lk_priority_key (tier, standing->priority);
}

static void
multifactor_job_submitted (void *user, const LkView *view, LkJobIndex job)
{
  Multifactor *self = user;
  ready (self, view);
  self->jobs[job] = (Standing){ .id = view->jobs->id[job] };
}

/* ---------------------------------------------------------------- cycles */

static uint64_t
mix (uint64_t digest, uint64_t value)
{
  digest = (digest ^ value) * 0x9e3779b97f4a7c15u;
  return digest ^ (digest >> 32);
}

/* Digest of all that a lasting factor depends on beside the job. */
static uint64_t
look_around (const LkView *view)
{
  const LkAccountsView *accounts = view->accounts;
  uint64_t digest = mix (view->active_node_count, view->units_total);
  for (uint32_t i = 0; i < view->partition_count; i++) {
    const LkPartitionView *partition = &view->partitions[i];
    digest = mix (mix (digest, partition->priority_job_factor), (uint64_t)partition->time_max_us);
    for (uint32_t tres = 0;
         accounts != NULL && partition->tres_total != NULL && tres < accounts->tres_count; tres++)
      digest = mix (digest, partition->tres_total[tres]);
  }
  for (uint32_t i = 0; accounts != NULL && i < accounts->association_count; i++)
    digest = mix (digest, accounts->associations[i].priority);
  for (uint32_t i = 0; accounts != NULL && i < accounts->qos_count; i++)
    digest = mix (digest, accounts->qos[i].priority);
  return digest;
}

static void
multifactor_cycle_begin (void *user, const LkView *view)
{
  Multifactor *self = user;
  ready (self, view);
  if (view->accounts == NULL)
    return;
  find_maxima (self, view->accounts);
  if (!self->settings.is_fair_tree)
    begin (self, view);
}

/* Is the priority of a job calculated in each cycle? */
static uint32_t
is_followed (const Multifactor *self, const LkView *view, LkJobIndex job)
{
  uint32_t phase = view->jobs->phase[job];
  if (direct_of (view, job) != 0)
    return FALSE;
  return phase == LK_PHASE_QUEUED
         || (phase == LK_PHASE_RUNNING && has_flag (self, LK_PRIORITY_CALCULATE_RUNNING));
}

static int32_t
multifactor_wants_jobs (void *user)
{
  return !((const Multifactor *)user)->settings.is_fair_tree;
}

static void
multifactor_cycle_job (void *user, const LkView *view, LkJobIndex job)
{
  Multifactor *self = user;
  if (view->accounts == NULL)
    return;
  ready (self, view);
  Standing *standing = standing_of (self, view, job);
  if (view->jobs->phase[job] == LK_PHASE_HELD)
    *standing = (Standing){ .id = standing->id };
  if (!is_followed (self, view, job))
    return;
  if (!self->settings.is_fair_tree)
    (void)fairshare_of (self, view, job);
}

static void
multifactor_cycle_end (void *user, const LkView *view)
{
  Multifactor *self = user;
  ready (self, view);
  self->reference_us = view->now_us;
  if (view->accounts != NULL && self->settings.is_fair_tree)
    begin (self, view);
  uint64_t surroundings = look_around (view);
  self->take_over_us = surroundings == self->surroundings ? view->now_us : LK_TIME_NEVER;
  self->surroundings = surroundings;
  if (!has_flag (self, LK_PRIORITY_CALCULATE_RUNNING))
    return;
  for (LkJobIndex job = 0; job < view->job_index_limit; job++)
    if (view->jobs->phase[job] == LK_PHASE_RUNNING && is_followed (self, view, job))
      calculate (self, view, job, standing_of (self, view, job));
}

static void
forget_looked (Multifactor *self)
{
  g_free (self->looked);
  self->looked = NULL;
}

/* What was last calculated goes with its association; a new one has a factor of 0, as in Slurm,
 * until the next cycle.  Shares are those of the new tree at once; fair tree decides by them only
 * in a cycle, which finds the same. */
static void
multifactor_accounts_changed (void *user, const LkView *view, const uint32_t *association_from)
{
  Multifactor *self = user;
  LkShares before = self->shares;
  forget_looked (self);
  self->shares = (LkShares){ 0 };
  lk_shares_resize (&self->shares, view->accounts);
  for (uint32_t i = 0; i < self->shares.count; i++)
    if (association_from[i] < before.count)
      self->shares.items[i] = before.items[association_from[i]];
  lk_shares_link (&self->shares, view->accounts);
  lk_shares_clear (&before);
  if (self->settings.is_fair_tree)
    lk_fair_tree_norm (&self->shares, view->accounts);
  find_maxima (self, view->accounts);
  self->surroundings = 0; /* what lasts is looked at anew */
}

/* ---------------------------------------------------------------- explaining */

static void
explain_terms (Multifactor *self, const Standing *standing, const Lasting *lasting,
               LkPriorityParts *parts)
{
  const LkMultifactorSettings *settings = &self->settings;
  parts->age_factor = standing->age;
  parts->fairshare_factor = standing->fairshare;
  parts->association_factor = lasting->association;
  parts->job_size_factor = lasting->job_size;
  parts->partition_factor = lasting->partition;
  parts->qos_factor = lasting->qos;
  parts->age_term = settings->age_weight * standing->age;
  parts->fairshare_term = settings->fairshare_weight * standing->fairshare;
  parts->association_term = settings->association_weight * lasting->association;
  parts->job_size_term = settings->job_size_weight * lasting->job_size;
  parts->partition_term = settings->partition_weight * lasting->partition;
  parts->qos_term = settings->qos_weight * lasting->qos;
  parts->tres_term = lasting->tres_term;
}

static void
explain_weights (const Multifactor *self, LkPriorityParts *parts)
{
  const LkMultifactorSettings *settings = &self->settings;
  parts->age_weight = settings->age_weight;
  parts->fairshare_weight = settings->fairshare_weight;
  parts->association_weight = settings->association_weight;
  parts->job_size_weight = settings->job_size_weight;
  parts->partition_weight = settings->partition_weight;
  parts->qos_weight = settings->qos_weight;
  if (settings->tres_weights->len > 0) {
    parts->tres_weights = self->tres_weights;
    parts->tres_factors = self->tres_factors;
  }
}

/* What would be seen of the associations if they were looked at now; kept for who asks for one
 * after the other. */
static void
look (Multifactor *self, const LkView *view)
{
  double usage = view->accounts->associations[0].use.usage;
  if (self->looked != NULL && self->looked_count == self->shares.count
      && self->looked_usage == usage)
    return;
  Multifactor copy = *self;
  copy.shares.items = g_memdup2 (self->shares.items, self->shares.count * sizeof (LkShare));
  begin (&copy, view);
  forget_looked (self);
  self->looked = copy.shares.items;
  self->looked_count = self->shares.count;
  self->looked_usage = usage;
}

/* As last calculated, without calculating anything that decides. */
static LkShare
share_of (Multifactor *self, const LkView *view, uint32_t association)
{
  LkShares shares = self->shares;
  if (!self->has_begun) {
    look (self, view);
    shares.items = self->looked;
  }
  if (!self->settings.is_fair_tree && !shares.items[association].is_evaluated)
    return lk_classic_look (&shares, view, &self->settings.classic, association);
  return shares.items[association];
}

/* What comes into the queue later has its priority all the same.  Nothing that stays is
 * calculated. */
static void
look_at_kept (Multifactor *self, const LkView *view, LkJobIndex job, Standing *standing)
{
  uint32_t association = association_of (self, view, job);
  standing->age = age_of (self, view, job);
  if (association != LK_INDEX_NONE && self->settings.fairshare_weight > 0.0)
    standing->fairshare = share_of (self, view, association).factor;
}

/* Age and fairshare are those of the last calculation, but an age that counts all the time is that
 * of now; what lasts is as it is now. */
static int32_t
multifactor_explain (void *user, const LkView *view, LkJobIndex job, uint32_t partition,
                     LkPriorityParts *out_parts)
{
  Multifactor *self = user;
  ready (self, view);
  uint32_t own_partition = lk_priority_partition_of (view, job);
  uint32_t is_own = partition == LK_INDEX_NONE || partition == own_partition;
  LkPriorityParts parts = { .size = out_parts->size,
                            .nice = number_of (view->jobs->nice, job),
                            .site_factor = number_of (view->jobs->site_factor, job),
                            .priority = direct_of (view, job) };
  for (uint32_t tres = 0; tres < LK_TRES_MAX; tres++)
    self->tres_factors[tres] = 0.0;
  explain_weights (self, &parts);
  Standing now = *standing_of (self, view, job);
  const Standing *standing = &now;
  if (self->settings.is_continuous)
    now.age = age_of (self, view, job);
  if (standing->priority == 0)
    look_at_kept (self, view, job, &now);
  if (parts.priority == 0) {
    Lasting lasting = lasting_of (self, view, job, is_own ? own_partition : partition);
    explain_terms (self, standing, &lasting, &parts);
    parts.priority = is_own && !self->settings.is_continuous && standing->priority != 0
                         ? standing->priority
                         : priority_of (self, view, job, standing, &lasting);
  }
  *out_parts = parts;
  return 1;
}

static int32_t
multifactor_explain_share (void *user, const LkView *view, uint32_t association,
                           LkShareParts *out_parts)
{
  Multifactor *self = user;
  if (view->accounts == NULL || association >= view->accounts->association_count)
    return 0;
  ready (self, view);
  LkShare share = share_of (self, view, association);
  uint32_t is_user = view->accounts->associations[association].is_user;
  uint32_t has_level = self->settings.is_fair_tree && association != 0
                       && !lk_share_is_parents (view->accounts, association);
  *out_parts = (LkShareParts){ .size = out_parts->size,
                               .is_fair_tree = self->settings.is_fair_tree,
                               .shares_norm = share.shares_norm,
                               .usage_norm = association != 0 ? share.usage_norm : -1.0,
                               .usage_effective = share.usage_effective,
                               .fairshare = is_user ? share.factor : -1.0,
                               .level_fairshare = has_level ? share.level_fairshare : -1.0 };
  return 1;
}

/* ---------------------------------------------------------------- life */

static void *
multifactor_create (const LkParamValues *values, LkPolicyError *error)
{
  Multifactor *self = g_new0 (Multifactor, 1);
  self->take_over_us = LK_TIME_NEVER;
  self->reference_us = LK_TIME_NEVER;
  if (lk_multifactor_settings_read (&self->settings, values, error))
    return self;
  g_free (self);
  return NULL;
}

static void
multifactor_destroy (void *user)
{
  Multifactor *self = user;
  if (self == NULL)
    return;
  lk_multifactor_settings_clear (&self->settings);
  lk_shares_clear (&self->shares);
  g_free (self->looked);
  g_free (self->jobs);
  g_free (self);
}

static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  uint32_t id_a = ((const Standing *)a)->id;
  uint32_t id_b = ((const Standing *)b)->id;
  return (id_a > id_b) - (id_a < id_b);
}

static void
save_jobs (const Multifactor *self, const LkView *view, const LkStateSink *out)
{
  g_autoptr (GArray) jobs = g_array_new (FALSE, FALSE, sizeof (Standing));
  for (LkJobIndex job = 0; job < MIN (self->limit, view->job_index_limit); job++)
    if (view->jobs->phase[job] != LK_PHASE_FREE && self->jobs[job].priority != 0
        && self->jobs[job].id == view->jobs->id[job])
      g_array_append_val (jobs, self->jobs[job]);
  g_array_sort (jobs, compare_ids);
  lk_state_put_u32 (out, jobs->len);
  for (guint i = 0; i < jobs->len; i++) {
    const Standing *standing = &g_array_index (jobs, Standing, i);
    lk_state_put_u32 (out, standing->id);
    lk_state_put_u32 (out, standing->priority);
    lk_state_put_real (out, standing->age);
    lk_state_put_real (out, standing->fairshare);
  }
}

/* What was last calculated: for each job by rising id, and for each association by index. */
static void
multifactor_save (void *user, const LkView *view, LkPut put, void *sink)
{
  const Multifactor *self = user;
  LkStateSink out = { put, sink };
  uint32_t share_count = self->has_begun ? self->shares.count : 0;
  lk_state_put_i64 (&out, self->reference_us);
  save_jobs (self, view, &out);
  lk_state_put_u32 (&out, share_count);
  for (uint32_t i = 0; i < share_count; i++) {
    const LkShare *share = &self->shares.items[i];
    lk_state_put_real (&out, share->shares_norm);
    lk_state_put_real (&out, share->usage_norm);
    lk_state_put_real (&out, share->usage_effective);
    lk_state_put_real (&out, share->level_fairshare);
    lk_state_put_real (&out, share->factor);
    lk_state_put_u32 (&out, share->is_evaluated);
  }
}

static int32_t
load_jobs (Multifactor *self, const LkView *view, LkStateSource *source)
{
  uint32_t count = lk_state_take_u32 (source);
  for (uint32_t i = 0; i < count && !source->is_broken; i++) {
    Standing standing = { .id = lk_state_take_u32 (source) };
    standing.priority = lk_state_take_u32 (source);
    standing.age = lk_state_take_real (source);
    standing.fairshare = lk_state_take_real (source);
    LkJobIndex job = view->host->job_by_id (view, standing.id);
    if (source->is_broken || standing.priority == 0 || job == LK_JOB_NONE
        || self->jobs[job].priority != 0)
      return 0;
    self->jobs[job] = standing;
  }
  return !source->is_broken;
}

static int32_t
load_shares (Multifactor *self, LkStateSource *source)
{
  uint32_t count = lk_state_take_u32 (source);
  if (count != 0 && count != self->shares.count)
    return 0;
  for (uint32_t i = 0; i < count && !source->is_broken; i++) {
    LkShare *share = &self->shares.items[i];
    share->shares_norm = lk_state_take_real (source);
    share->usage_norm = lk_state_take_real (source);
    share->usage_effective = lk_state_take_real (source);
    share->level_fairshare = lk_state_take_real (source);
    share->factor = lk_state_take_real (source);
    share->is_evaluated = lk_state_take_u32 (source);
  }
  self->has_begun = count != 0;
  return !source->is_broken && source->left_bytes == 0;
}

static int32_t
multifactor_load (void *user, const LkView *view, const uint8_t *bytes, uint32_t byte_count)
{
  Multifactor *self = user;
  LkStateSource source = { bytes, byte_count, 0 };
  ready (self, view);
  forget_looked (self);
  self->reference_us = (int64_t)lk_state_take (&source, 8);
  return load_jobs (self, view, &source) && load_shares (self, &source);
}

const LkOrderPolicy lk_order_multifactor = {
  .base = { .abi = LK_POLICY_ABI,
            .size = sizeof (LkOrderPolicy),
            .seam = LK_SEAM_ORDER,
            .version = 1,
            .name = "multifactor",
            .summary = "Highest weighted sum of age, fairshare, size, partition, QOS and TRES "
                       "(Slurm's priority/multifactor)",
            .params = lk_multifactor_params,
            .create = multifactor_create,
            .destroy = multifactor_destroy,
            .save = multifactor_save,
            .load = multifactor_load },
  .key = multifactor_key,
  .cycle_begin = multifactor_cycle_begin,
  .cycle_job = multifactor_cycle_job,
  .wants_jobs = multifactor_wants_jobs,
  .cycle_end = multifactor_cycle_end,
  .explain = multifactor_explain,
  .explain_share = multifactor_explain_share,
  .job_submitted = multifactor_job_submitted,
  .accounts_changed = multifactor_accounts_changed,
};
