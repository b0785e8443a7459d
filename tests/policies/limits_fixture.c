/* tests/policies/limits_fixture.c — see limits_fixture.h. */
#include "tests/policies/limits_fixture.h"

#include <string.h>

#define PEOPLE 32
#define QOS_MAX 16

static const char *const tres_names[] = {
  "cpu",  "mem",   "energy",   "node",          "billing",        "fs/disk",
  "vmem", "pages", "gres/gpu", "gres/gpu:a100", "license/matlab", "bb/datawarp"
};
#define TRES_COUNT G_N_ELEMENTS (tres_names)

static const struct {
  const char *name;
  const char *parent;
  gboolean is_user;
} tree[] = {
  { "root", NULL, FALSE },   { "phys", "root", FALSE }, { "alice", "phys", TRUE },
  { "bob", "phys", TRUE },   { "lab", "phys", FALSE },  { "gil", "lab", TRUE },
  { "chem", "root", FALSE }, { "carol", "chem", TRUE }, { "dave", "chem", TRUE },
  { "lim", "root", FALSE },  { "erin", "lim", TRUE },   { "frank", "lim", TRUE },
};
#define TREE_COUNT G_N_ELEMENTS (tree)

/* What an LkUse points to. */
typedef struct {
  uint64_t tres[TRES_COUNT];
  uint64_t tres_run_s[TRES_COUNT];
  double tres_s[TRES_COUNT];
} Amounts;

typedef struct {
  LkUse use;
  Amounts amounts;
} Account; /* of a user or an account within a QOS */

struct _LimitsFixture {
  GArray *set[TREE_COUNT + QOS_MAX]; /* LkLimitItem: of associations, then QOS */
  Amounts amounts[TREE_COUNT + QOS_MAX];
  LkAssociationView associations[TREE_COUNT];
  LkQosView qos[QOS_MAX];
  char *qos_names[QOS_MAX];
  uint32_t qos_count;
  Account within[QOS_MAX][TREE_COUNT]; /* by the number of the user or account */
  GArray *limits;
  uint64_t tres_total[TRES_COUNT], partition_total[TRES_COUNT];
  LkAccountsView accounts;
  LkPartitionView partition;
  LkHost host;
  LkView view;
  /* The job. */
  LkJobColumns jobs;
  uint32_t association, job_qos, job_partition;
  int64_t start_us;
  uint64_t tres[TRES_COUNT];
  LkLimitCheck check;
};

static uint32_t
index_of (const char *name, const char *const *names, guint count)
{
  for (guint i = 0; i < count; i++)
    if (strcmp (name, names[i]) == 0)
      return i;
  return LK_INDEX_NONE;
}

static uint32_t
find_tres (const char *name)
{
  return index_of (name, tres_names, TRES_COUNT);
}

static uint32_t
find_association (const char *name)
{
  for (guint i = 0; i < TREE_COUNT; i++)
    if (strcmp (name, tree[i].name) == 0)
      return i;
  return LK_INDEX_NONE;
}

static void
use_bind (LkUse *use, Amounts *amounts)
{
  use->tres = amounts->tres;
  use->tres_run_s = amounts->tres_run_s;
  use->tres_s = amounts->tres_s;
}

/* The index of a QOS, which comes to be if it was not there. */
static uint32_t
qos_index (LimitsFixture *self, const char *name)
{
  uint32_t found = index_of (name, (const char *const *)self->qos_names, self->qos_count);
  if (found != LK_INDEX_NONE)
    return found;
  g_assert_cmpuint (self->qos_count, <, QOS_MAX);
  uint32_t index = self->qos_count++;
  LkQosView *qos = &self->qos[index];
  qos->usage_factor = 1.0;
  qos->usage_threshold = -1.0;
  qos->limit_factor = -1.0;
  use_bind (&qos->use, &self->amounts[TREE_COUNT + index]);
  for (guint i = 0; i < TREE_COUNT; i++)
    use_bind (&self->within[index][i].use, &self->within[index][i].amounts);
  self->qos_names[index] = g_strdup (name);
  return index;
}

/* ---------------------------------------------------------------- clauses */

static const struct {
  const char *name;
  uint32_t kind;
} kinds[] = {
#define X(NAME, number, where, value, sacctmgr) { sacctmgr, number },
  LK_LIMIT_KINDS (X)
#undef X
};
static const struct {
  const char *name;
  uint32_t flag;
} flags[] = {
#define X(NAME, bit, sacctmgr) { sacctmgr, LK_QOS_##NAME },
  LK_QOS_FLAGS (X)
#undef X
};

static gint
compare_items (gconstpointer a, gconstpointer b)
{
  const LkLimitItem *one = a, *other = b;
  if (one->kind != other->kind)
    return one->kind < other->kind ? -1 : 1;
  return (one->tres > other->tres) - (one->tres < other->tres);
}

/* "GrpTRES=cpu=8,mem=100" or "GrpJobs=3". */
static gboolean
take_limit (GArray *set, const char *name, const char *value)
{
  uint32_t kind = LK_LIMIT_KIND_COUNT;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (name, kinds[i].name) == 0)
      kind = kinds[i].kind;
  if (kind == LK_LIMIT_KIND_COUNT)
    return FALSE;
  g_auto (GStrv) parts = g_strsplit (value, ",", -1);
  for (guint i = 0; parts[i] != NULL; i++) {
    LkLimitItem item = { .kind = kind };
    char *equals = strchr (parts[i], '=');
    if (equals != NULL) {
      *equals = '\0';
      item.tres = find_tres (parts[i]);
      g_assert_cmpuint (item.tres, <, TRES_COUNT);
    }
    item.value = g_ascii_strtoull (equals != NULL ? equals + 1 : parts[i], NULL, 10);
    g_array_append_val (set, item);
  }
  g_array_sort (set, compare_items);
  return TRUE;
}

static gboolean
take_use (LkUse *use, Amounts *amounts, const char *name, const char *value)
{
  uint64_t number = g_ascii_strtoull (value, NULL, 10);
  if (strcmp (name, "running") == 0)
    use->running = (uint32_t)number;
  else if (strcmp (name, "submitted") == 0)
    use->submitted = (uint32_t)number;
  else if (strcmp (name, "accruing") == 0)
    use->accruing = (uint32_t)number;
  else if (strcmp (name, "wall_s") == 0)
    use->wall_s = g_ascii_strtod (value, NULL);
  else if (g_str_has_prefix (name, "run_s."))
    amounts->tres_run_s[find_tres (name + 6)] = number;
  else if (g_str_has_prefix (name, "spent_s."))
    amounts->tres_s[find_tres (name + 8)] = g_ascii_strtod (value, NULL);
  else if (find_tres (name) != LK_INDEX_NONE)
    amounts->tres[find_tres (name)] = number;
  else
    return FALSE;
  return TRUE;
}

static gboolean
take_qos_word (LkQosView *qos, const char *name, const char *value)
{
  for (guint i = 0; i < G_N_ELEMENTS (flags); i++) {
    if (strcmp (name, flags[i].name) == 0) {
      qos->flags |= flags[i].flag;
      return TRUE;
    }
  }
  double *member = strcmp (name, "UsageFactor") == 0      ? &qos->usage_factor
                   : strcmp (name, "LimitFactor") == 0    ? &qos->limit_factor
                   : strcmp (name, "UsageThreshold") == 0 ? &qos->usage_threshold
                                                          : NULL;
  if (member != NULL)
    *member = g_ascii_strtod (value, NULL);
  return member != NULL;
}

static void
take_all (LimitsFixture *self, const char *word)
{
  if (strcmp (word, "safe") == 0)
    self->accounts.enforce |= LK_ENFORCE_SAFE;
  else if (strcmp (word, "unlimited") == 0)
    self->accounts.enforce &= ~(uint32_t)LK_ENFORCE_LIMITS;
  else if (strcmp (word, "22.05") == 0)
    self->accounts.compat = LK_COMPAT_SLURM_22_05;
  else
    g_error ("all: %s", word);
}

static void
take_word (LimitsFixture *self, const char *holder, char *word)
{
  if (strcmp (holder, "all") == 0) {
    take_all (self, word);
    return;
  }
  char *equals = strchr (word, '=');
  const char *value = "";
  if (equals != NULL) {
    *equals = '\0';
    value = equals + 1;
  }
  uint32_t association = find_association (holder);
  g_auto (GStrv) within = g_strsplit (holder, "/", 2);
  uint32_t qos = association == LK_INDEX_NONE ? qos_index (self, within[0]) : LK_INDEX_NONE;
  gboolean taken;
  if (association != LK_INDEX_NONE && strcmp (word, "fairshare") == 0) {
    self->associations[association].fairshare = g_ascii_strtod (value, NULL);
    taken = TRUE;
  } else if (association != LK_INDEX_NONE) {
    taken = take_limit (self->set[association], word, value)
            || take_use (&self->associations[association].use, &self->amounts[association], word,
                         value);
  } else if (within[1] != NULL) {
    Account *account = &self->within[qos][find_association (within[1])];
    taken = take_use (&account->use, &account->amounts, word, value);
  } else {
    taken = take_limit (self->set[TREE_COUNT + qos], word, value)
            || take_qos_word (&self->qos[qos], word, value)
            || take_use (&self->qos[qos].use, &self->amounts[TREE_COUNT + qos], word, value);
  }
  if (!taken)
    g_error ("%s: %s=%s", holder, word, value);
}

static void
take_clauses (LimitsFixture *self, const char *text)
{
  g_auto (GStrv) clauses = g_strsplit (text, ";", -1);
  for (guint i = 0; clauses[i] != NULL; i++) {
    char *clause = g_strstrip (clauses[i]);
    if (clause[0] == '\0')
      continue;
    g_auto (GStrv) words = g_strsplit (clause, " ", -1);
    char *colon = strchr (words[0], ':');
    g_assert_nonnull (colon);
    *colon = '\0';
    for (guint j = 1; words[j] != NULL; j++)
      if (words[j][0] != '\0')
        take_word (self, words[0], words[j]);
  }
}

/* ---------------------------------------------------------------- runs of limits */

static LkLimitRun
add_run (LimitsFixture *self, const GArray *set)
{
  LkLimitRun run = { self->limits->len, set->len };
  g_array_append_vals (self->limits, set->data, set->len);
  return run;
}

static gboolean
has_item (const GArray *set, const LkLimitItem *item)
{
  for (guint i = 0; i < set->len; i++)
    if (compare_items (&g_array_index (set, LkLimitItem, i), item) == 0)
      return TRUE;
  return FALSE;
}

/* What an association has of its own, then what accounts above it have of other kinds. */
static void
add_runs (LimitsFixture *self, uint32_t index)
{
  g_autoptr (GArray) down = g_array_new (FALSE, FALSE, sizeof (LkLimitItem));
  for (uint32_t at = index; at != LK_INDEX_NONE; at = self->associations[at].parent) {
    for (guint i = 0; i < self->set[at]->len; i++) {
      LkLimitItem *item = &g_array_index (self->set[at], LkLimitItem, i);
      if (!g_str_has_prefix (kinds[item->kind].name, "Grp") && !has_item (down, item))
        g_array_append_val (down, *item);
    }
  }
  g_array_sort (down, compare_items);
  self->associations[index].limits = add_run (self, self->set[index]);
  self->associations[index].job_limits = add_run (self, down);
}

/* ---------------------------------------------------------------- the view */

static LimitsFixture *
fixture_of (const LkView *view)
{
  return (LimitsFixture *)view->engine;
}

static const LkUse *
use_within (const LkView *view, uint32_t qos, uint32_t number)
{
  LkUse *use = &fixture_of (view)->within[qos][number].use;
  gboolean is_known = use->running != 0 || use->submitted != 0 || use->accruing != 0;
  for (guint i = 0; i < TRES_COUNT; i++)
    is_known = is_known || use->tres[i] != 0 || use->tres_run_s[i] != 0;
  return is_known ? use : NULL;
}

static void
make_tree (LimitsFixture *self)
{
  for (guint i = 0; i < TREE_COUNT; i++) {
    LkAssociationView *association = &self->associations[i];
    uint32_t parent = tree[i].parent == NULL ? LK_INDEX_NONE : find_association (tree[i].parent);
    association->parent = parent;
    association->is_user = tree[i].is_user ? 1 : 0;
    association->account = tree[i].is_user ? parent : i;
    association->user = tree[i].is_user ? i : LK_INDEX_NONE;
    association->fairshare = 1.0;
    use_bind (&association->use, &self->amounts[i]);
  }
}

static void
make_view (LimitsFixture *self)
{
  const uint64_t total[] = { 200, 400000, 0, 10, 200, 0, 0, 0, 20 };
  for (guint i = 0; i < G_N_ELEMENTS (total); i++) {
    self->tres_total[i] = total[i];
    self->partition_total[i] = total[i] / 2;
  }
  self->accounts =
      (LkAccountsView){ .size = sizeof self->accounts,
                        .enforce = LK_ENFORCE_ASSOCIATIONS | LK_ENFORCE_LIMITS | LK_ENFORCE_QOS,
                        .tres_count = TRES_COUNT,
                        .association_count = TREE_COUNT,
                        .associations = self->associations,
                        .qos = self->qos,
                        .tres_total = self->tres_total };
  self->partition = (LkPartitionView){ .qos = LK_INDEX_NONE, .tres_total = self->partition_total };
  self->host = (LkHost){ .size = sizeof self->host,
                         .abi = LK_POLICY_ABI,
                         .qos_user_use = use_within,
                         .qos_account_use = use_within };
  self->jobs = (LkJobColumns){ .association = &self->association,
                               .qos = &self->job_qos,
                               .partition = &self->job_partition,
                               .start_us = &self->start_us };
  self->view = (LkView){ .size = sizeof self->view,
                         .job_index_limit = 1,
                         .now_us = INT64_C (1000000) * 60 * 100000,
                         .jobs = &self->jobs,
                         .host = &self->host,
                         .engine = self,
                         .accounts = &self->accounts,
                         .partitions = &self->partition,
                         .partition_count = 1 };
}

LimitsFixture *
limits_fixture_new (const char *clauses)
{
  LimitsFixture *self = g_new0 (LimitsFixture, 1);
  for (guint i = 0; i < G_N_ELEMENTS (self->set); i++)
    self->set[i] = g_array_new (FALSE, FALSE, sizeof (LkLimitItem));
  self->limits = g_array_new (FALSE, FALSE, sizeof (LkLimitItem));
  make_tree (self);
  make_view (self);
  take_clauses (self, clauses);
  for (uint32_t i = 0; i < TREE_COUNT; i++)
    add_runs (self, i);
  for (uint32_t i = 0; i < self->qos_count; i++)
    self->qos[i].limits = add_run (self, self->set[TREE_COUNT + i]);
  self->accounts.limits = (const LkLimitItem *)(gpointer)self->limits->data;
  return self;
}

void
limits_fixture_free (LimitsFixture *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (self->set); i++)
    g_array_unref (self->set[i]);
  for (guint i = 0; i < self->qos_count; i++)
    g_free (self->qos_names[i]);
  g_array_unref (self->limits);
  g_free (self);
}

/* ---------------------------------------------------------------- the job */

static void
take_job_word (LimitsFixture *self, const char *name, const char *value)
{
  uint64_t number = g_ascii_strtoull (value, NULL, 10);
  if (strcmp (name, "q") == 0)
    self->job_qos = qos_index (self, value);
  else if (strcmp (name, "p") == 0)
    self->partition.qos = qos_index (self, value);
  else if (strcmp (name, "t") == 0)
    self->check.time_limit_us = (int64_t)number * 60000000;
  else if (strcmp (name, "t_s") == 0)
    self->check.time_limit_us = (int64_t)number * 1000000;
  else if (strcmp (name, "tasks") == 0)
    self->check.task_count = (uint32_t)number;
  else if (strcmp (name, "elapsed") == 0)
    self->start_us = self->view.now_us - (int64_t)number * 60000000;
  else {
    g_assert_cmpuint (find_tres (name), <, TRES_COUNT);
    self->tres[find_tres (name)] = number;
  }
}

void
limits_fixture_set_job (LimitsFixture *self, const char *job)
{
  g_auto (GStrv) words = g_strsplit (job, " ", -1);
  self->association = find_association (words[0]);
  g_assert_cmpuint (self->association, <, TREE_COUNT);
  self->job_qos = LK_INDEX_NONE;
  self->partition.qos = LK_INDEX_NONE;
  self->start_us = self->view.now_us;
  memset (self->tres, 0, sizeof self->tres);
  self->tres[LK_TRES_NODE] = 1;
  self->check = (LkLimitCheck){
    .size = sizeof self->check, .task_count = 1, .tres = self->tres, .time_limit_us = LK_TIME_NEVER
  };
  for (guint i = 1; words[i] != NULL; i++) {
    char *equals = strchr (words[i], '=');
    g_assert_nonnull (equals);
    *equals = '\0';
    take_job_word (self, words[i], equals + 1);
  }
  self->accounts.qos_count = self->qos_count;
}

static void
count_job (const LimitsFixture *self, LkUse *use, Amounts *amounts)
{
  use->running++;
  use->submitted++;
  for (guint i = 0; i < TRES_COUNT; i++) {
    amounts->tres[i] += self->tres[i];
    amounts->tres_run_s[i] += self->tres[i] * (uint64_t)(self->check.time_limit_us / 1000000);
  }
}

void
limits_fixture_start_job (LimitsFixture *self)
{
  for (uint32_t at = self->association; at != LK_INDEX_NONE; at = self->associations[at].parent)
    count_job (self, &self->associations[at].use, &self->amounts[at]);
  if (self->job_qos == LK_INDEX_NONE)
    return;
  const LkAssociationView *association = &self->associations[self->association];
  Account *user = &self->within[self->job_qos][association->user];
  Account *account = &self->within[self->job_qos][association->account];
  count_job (self, &self->qos[self->job_qos].use, &self->amounts[TREE_COUNT + self->job_qos]);
  count_job (self, &user->use, &user->amounts);
  count_job (self, &account->use, &account->amounts);
}

const LkView *
limits_fixture_view (LimitsFixture *self)
{
  return &self->view;
}

const uint64_t *
limits_fixture_tres (const LimitsFixture *self)
{
  return self->tres;
}

/* ---------------------------------------------------------------- asking */

typedef struct {
  GString *reasons;
  guint left;
  LkLimitFinding last;
} Sink;

static int32_t
take_finding (void *user, const LkLimitFinding *finding)
{
  Sink *sink = user;
  g_assert_cmpuint (sink->left, >, 0);
  g_assert_cmpuint (finding->size, ==, sizeof *finding);
  LkReason reason = finding->by_usage_threshold != 0
                        ? LK_REASON_QOS_USAGE_THRESHOLD
                        : lk_limit_reason (finding->kind, finding->holder,
                                           lk_tres_class (tres_names[finding->tres]));
  if (sink->reasons->len > 0)
    g_string_append_c (sink->reasons, ' ');
  g_string_append (sink->reasons, lk_reason_name (reason));
  sink->last = *finding;
  sink->left--;
  return sink->left > 0;
}

char *
limits_fixture_check (LimitsFixture *self, const LkLimitsPolicy *policy, uint32_t when,
                      guint finding_max, LkLimitFinding *out_last)
{
  LkPolicyError error;
  Sink sink = { .reasons = g_string_new (NULL), .left = finding_max };
  void *instance = policy->base.create (NULL, &error);
  self->check.when = when;
  int32_t is_clear = policy->check (instance, &self->view, &self->check, take_finding, &sink);
  policy->base.destroy (instance);
  g_assert_cmpint (is_clear, ==, sink.reasons->len == 0);
  if (out_last != NULL)
    *out_last = sink.last;
  return g_string_free (sink.reasons, FALSE);
}
