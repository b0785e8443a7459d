/* tests/property/accounts_workload.c — see the header. Nothing here depends on anything but the
 * seed. */
#include "tests/property/accounts_workload.h"

#include <string.h>

#include "tests/property/workload.h"

#define DEPTH_MAX 4u
#define ACCOUNTS_MAX 8u
#define USERS 5u
#define QOS_MAX 4u
#define MINUTE_US (60 * G_USEC_PER_SEC)

typedef struct {
  LkSeed seed;
  LkAccountsWorkload *workload;
  gboolean is_free; /* of all limits */
  guint32 account_count;
  guint32 qos_count;
  guint32 limit_percent; /* of kinds that are limited somewhere */
} Draw;

static guint32
below (Draw *self, guint32 limit)
{
  return lk_seed_below (&self->seed, limit);
}

static gboolean
chance (Draw *self, guint32 percent)
{
  return lk_seed_chance (&self->seed, percent);
}

static const char *
keep (LkAccountsWorkload *self, const char *text)
{
  return g_string_chunk_insert_const (self->machine->texts, text);
}

static void
set_text (char **member, const char *text)
{
  g_free (*member);
  *member = g_strdup (text);
}

/* ---------------------------------------------------------------- limits */

static const guint32 limited_tres[] = { LK_TRES_CPU,     LK_TRES_MEMORY, LK_TRES_NODE,
                                        LK_TRES_BILLING, LK_TRES_FIXED,  LK_TRES_FIXED + 1 };

static gboolean
is_submit (guint32 kind)
{
  return strstr (lk_limit_kind_name (kind), "Submit") != NULL;
}

static guint64
draw_value (Draw *self, guint32 kind, guint32 tres)
{
  guint64 scale = tres == LK_TRES_MEMORY ? 1024 : 1;
  switch (lk_limit_kind_value (kind)) {
  case LK_LIMIT_COUNT:
    return kind == LK_LIMIT_MIN_PRIO_THRESHOLD ? below (self, 1000)
           : chance (self, 5)                  ? 0
                                               : 1 + below (self, is_submit (kind) ? 12 : 3);
  case LK_LIMIT_MINUTES:
    return below (self, 4) == 0 ? below (self, 5) : below (self, 120);
  case LK_LIMIT_TRES:
    return kind == LK_LIMIT_MIN_TRES_PER_JOB ? below (self, 3) : scale * (below (self, 12) + 1);
  default:
    return scale * (chance (self, 20) ? below (self, 10) : below (self, 600));
  }
}

static void
draw_limits (Draw *self, GArray *limits, gboolean is_qos)
{
  for (guint32 kind = 0; !self->is_free && kind < LK_LIMIT_KIND_COUNT; kind++) {
    LkLimitValue value = lk_limit_kind_value (kind);
    gboolean has_tres = value == LK_LIMIT_TRES || value == LK_LIMIT_TRES_MINUTES;
    if (!(is_qos ? lk_limit_kind_on_qos (kind) : lk_limit_kind_on_association (kind)))
      continue;
    for (guint i = 0; i < (has_tres ? G_N_ELEMENTS (limited_tres) : 1); i++) {
      guint32 tres = has_tres ? limited_tres[i] : 0;
      guint32 percent = has_tres ? (self->limit_percent + 2) / 3 : self->limit_percent;
      if (chance (self, percent))
        lk_limits_set (limits, kind, tres, TRUE, draw_value (self, kind, tres));
    }
  }
}

/* ---------------------------------------------------------------- QOS */

static void
draw_qos (Draw *self)
{
  static const double factors[] = { 0.0, 0.5, 2.0, 1.25 };
  LkAccounts *accounts = self->workload->accounts;
  self->qos_count = below (self, QOS_MAX + 1);
  for (guint32 i = 0; i < self->qos_count; i++) {
    g_autofree char *name = g_strdup_printf ("q%u", i);
    LkQosSpec *qos = lk_accounts_add_qos (accounts, name);
    qos->priority = below (self, 4);
    if (self->is_free)
      continue;
    for (guint bit = 0; lk_qos_flag_name (bit) != NULL; bit++)
      if (chance (self, 15))
        qos->flags |= 1u << bit;
    if (chance (self, 30))
      qos->usage_factor = factors[below (self, G_N_ELEMENTS (factors))];
    if (chance (self, 25))
      qos->limit_factor = factors[below (self, G_N_ELEMENTS (factors))];
    if (chance (self, 15))
      qos->usage_threshold = below (self, 10) / 10.0;
    draw_limits (self, qos->limits, TRUE);
  }
}

/* ---------------------------------------------------------------- the tree */

static guint32
draw_shares (Draw *self)
{
  return chance (self, 20) ? LK_SHARES_PARENT : chance (self, 10) ? 0 : 1 + below (self, 5);
}

static void
draw_qos_of (Draw *self, LkAssociationSpec *spec)
{
  g_autofree char *name = g_strdup_printf ("q%u", below (self, MAX (self->qos_count, 1)));
  g_autofree char *list = NULL;
  if (self->qos_count == 0 || !chance (self, 40))
    return;
  guint32 kind = below (self, 3);
  list = kind == 0   ? g_strdup_printf ("+%s", name)
         : kind == 1 ? g_strdup_printf ("-%s", name)
                     : g_strdup_printf ("normal,%s", name);
  set_text (&spec->qos, list);
  if (kind != 1 && chance (self, 50))
    set_text (&spec->default_qos, name);
}

static void
draw_first_use (Draw *self, LkAssociationSpec *spec)
{
  if (!chance (self, 20))
    return;
  spec->usage = below (self, 20000);
  spec->usage_wall_s = below (self, 4000);
  LkTresValue value = { LK_TRES_CPU, below (self, 20000) };
  g_array_append_val (spec->usage_tres, value);
}

static void
draw_accounts (Draw *self)
{
  LkAccounts *accounts = self->workload->accounts;
  guint32 depth[ACCOUNTS_MAX];
  self->account_count = 1 + below (self, chance (self, 60) ? 3 : ACCOUNTS_MAX);
  for (guint32 i = 0; i < self->account_count; i++) {
    guint32 above = below (self, i + 1);
    g_autofree char *name = g_strdup_printf ("a%u", i);
    g_autofree char *parent = g_strdup_printf ("a%u", above);
    gboolean is_top = above == i || depth[above] >= DEPTH_MAX;
    depth[i] = is_top ? 1 : depth[above] + 1;
    LkAssociationSpec *spec = lk_accounts_add_account (accounts, name, is_top ? NULL : parent);
    spec->shares = draw_shares (self);
    spec->priority = below (self, 3);
    draw_qos_of (self, spec);
    draw_limits (self, spec->limits, FALSE);
  }
  LkAssociationSpec *root = g_ptr_array_index (accounts->associations, 0);
  if (chance (self, 30))
    draw_limits (self, root->limits, FALSE);
}

static void
draw_users (Draw *self)
{
  LkAccounts *accounts = self->workload->accounts;
  for (guint32 i = 0; i < (self->account_count + 1) * 2; i++) {
    g_autofree char *user = g_strdup_printf ("u%u", below (self, USERS));
    g_autofree char *account = g_strdup_printf ("a%u", below (self, self->account_count));
    const char *partition = chance (self, 25) ? (chance (self, 50) ? "p0" : "p1") : "";
    if (lk_accounts_find (accounts, account, user, partition) != NULL)
      continue;
    LkAssociationSpec *spec = lk_accounts_add_user (accounts, user, account, partition);
    spec->shares = draw_shares (self);
    spec->priority = below (self, 3);
    draw_qos_of (self, spec);
    draw_limits (self, spec->limits, FALSE);
    draw_first_use (self, spec);
  }
}

/* ---------------------------------------------------------------- settings */

static void
draw_settings (Draw *self)
{
  static const gint64 half_lives_s[] = { 0, 60, 3600, 86400, 7 * 86400 };
  static const guint32 enforces[] = { LK_ENFORCE_LIMITS,
                                      LK_ENFORCE_LIMITS,
                                      LK_ENFORCE_LIMITS | LK_ENFORCE_QOS,
                                      LK_ENFORCE_SAFE,
                                      LK_ENFORCE_SAFE | LK_ENFORCE_QOS,
                                      LK_ENFORCE_ASSOCIATIONS,
                                      LK_ENFORCE_QOS,
                                      0 };
  LkAccounts *accounts = self->workload->accounts;
  accounts->half_life_us = half_lives_s[below (self, G_N_ELEMENTS (half_lives_s))] * G_USEC_PER_SEC;
  accounts->calc_period_us = (1 + below (self, 5)) * MINUTE_US;
  accounts->reset = chance (self, 60) ? LK_RESET_NONE : (LkResetPeriod)below (self, 7);
  accounts->utc_offset_s = ((gint64)below (self, 5) - 2) * 3600;
  accounts->accrue_always = chance (self, 10);
  accounts->compat = chance (self, 25) ? LK_COMPAT_SLURM_22_05 : LK_COMPAT_SLURM_26_05;
  accounts->enforce = self->is_free ? 0 : enforces[below (self, G_N_ELEMENTS (enforces))];
  self->limit_percent = chance (self, 30) ? 6 : chance (self, 50) ? 15 : 30;
}

static void
check_accounts (LkAccounts *accounts)
{
  LkAccountsError error;
  if (!lk_accounts_check (accounts, &error))
    g_error ("random accounts are wrong: %s %s", error.member, error.text);
}

static void
draw_description (Draw *self)
{
  self->workload->accounts = lk_accounts_new ("random");
  lk_accounts_add_tres (self->workload->accounts, "gres/gpu");
  lk_accounts_add_tres (self->workload->accounts, "license/l0");
  draw_settings (self);
  draw_qos (self);
  draw_accounts (self);
  draw_users (self);
  check_accounts (self->workload->accounts);
}

/* ---------------------------------------------------------------- machine and jobs */

static void
draw_partition_qos (Draw *self)
{
  LkCluster *cluster = self->workload->machine->cluster;
  LkClusterError error;
  for (guint i = 0; self->qos_count > 0 && i < cluster->partitions->len; i++) {
    LkPartitionSpec *partition = g_ptr_array_index (cluster->partitions, i);
    g_autofree char *name = g_strdup_printf ("q%u", below (self, self->qos_count));
    if (chance (self, 40))
      set_text (&partition->qos, name);
  }
  g_assert_true (lk_cluster_check (cluster, &error));
}

/* Mostly one that he has. */
static void
draw_owner (Draw *self, LkMachineJob *job)
{
  LkAccountsWorkload *workload = self->workload;
  const GPtrArray *all = workload->accounts->associations;
  const LkAssociationSpec *spec = g_ptr_array_index (all, below (self, all->len));
  for (guint left = 8; left > 0 && spec->user[0] != 'u'; left--)
    spec = g_ptr_array_index (all, below (self, all->len));
  g_autofree char *user = g_strdup_printf ("u%u", below (self, USERS + 1));
  g_autofree char *account = g_strdup_printf ("a%u", below (self, self->account_count + 1));
  guint32 qos_limit = !self->is_free && chance (self, 5) ? QOS_MAX : self->qos_count;
  g_autofree char *qos = g_strdup_printf ("q%u", below (self, MAX (qos_limit, 1)));
  job->request.user = lk_text (keep (workload, spec->user[0] != '\0' ? spec->user : user));
  if (spec->user[0] != '\0' && chance (self, 60))
    job->request.account = lk_text (keep (workload, spec->account));
  else if (chance (self, 10))
    job->request.account = lk_text (keep (workload, account));
  if (qos_limit > 0 && chance (self, 60))
    job->request.qos = lk_text (keep (workload, qos));
  if (chance (self, 25))
    job->request.flags |= LK_REQUEST_NO_KILL;
  if (chance (self, 10))
    job->request.nice = (gint64)below (self, 200) - 100;
  if (chance (self, 5))
    job->request.priority = 1 + below (self, 1000);
}

static void
draw_owners (Draw *self)
{
  LkMachineWorkload *machine = self->workload->machine;
  for (guint i = 0; i < machine->job_count; i++) {
    draw_owner (self, &machine->jobs[i]);
    if (self->is_free)
      machine->jobs[i].request.nice = machine->jobs[i].request.priority = 0;
  }
}

static char *
draw_order (Draw *self)
{
  static const char *const plain[] = { "fifo", "sjf", "wfp3", "basic" };
  static const char *const flags[] = { "",
                                       "flags=NO_FAIR_TREE,",
                                       "flags=NO_FAIR_TREE+DEPTH_OBLIVIOUS,",
                                       "calc=continuous,",
                                       "flags=SMALL_RELATIVE_TO_TIME,",
                                       "flags=INCR_ONLY+CALCULATE_RUNNING,",
                                       "flags=NO_NORMAL_ALL,calc=continuous," };
  if (chance (self, 35))
    return g_strdup (plain[below (self, G_N_ELEMENTS (plain))]);
  return g_strdup_printf (
      "multifactor:%sweight_age=%u,weight_fairshare=%u,weight_job_size=%u,weight_qos=%u,"
      "weight_assoc=%u,max_age_s=%u",
      flags[below (self, G_N_ELEMENTS (flags))], below (self, 3) * 1000, below (self, 3) * 1000,
      below (self, 2) * 100, below (self, 2) * 500, below (self, 2) * 300,
      60 + below (self, 100000));
}

LkAccountsWorkload *
lk_accounts_workload_new (guint64 seed, guint without)
{
  static const gint64 units_s[] = { 1, 10, 30, 60 };
  /* Before a Sunday, an April, a year, and a year before 1970. */
  static const gint64 nights_s[] = { 1743292800, 1743465600, 1735689600, -31536000 };
  LkAccountsWorkload *workload = g_new0 (LkAccountsWorkload, 1);
  Draw self = { .seed = { .state = seed ^ 0xacc0 }, .workload = workload };
  self.is_free = (without & LK_ACCOUNTS_NO_LIMITS) != 0;
  gboolean is_pool = chance (&self, 40);
  workload->machine = lk_machine_workload_new (seed, is_pool ? LK_MACHINE_CPUS_ONLY : 0);
  const LkNodeSpec *node = g_ptr_array_index (workload->machine->cluster->nodes, 0);
  workload->units_total = is_pool ? node->cpus : 0;
  workload->unit_us = units_s[below (&self, G_N_ELEMENTS (units_s))] * G_USEC_PER_SEC;
  gint64 night_s = nights_s[below (&self, G_N_ELEMENTS (nights_s))];
  workload->origin_us =
      (chance (&self, 60) ? night_s - 3 * 3600 + below (&self, 6 * 3600) : 0) * G_USEC_PER_SEC;
  workload->end_us = workload->origin_us + 18 * 3600 * (gint64)G_USEC_PER_SEC;
  draw_description (&self);
  if (!is_pool)
    draw_partition_qos (&self);
  draw_owners (&self);
  workload->order = draw_order (&self);
  return workload;
}

void
lk_accounts_workload_free (LkAccountsWorkload *self)
{
  lk_accounts_free (self->accounts);
  lk_machine_workload_free (self->machine);
  g_free (self->order);
  g_free (self);
}

/* ---------------------------------------------------------------- other names */

/* The same order of names the other way round, and other lengths. */
static char *
renamed (const char *name)
{
  if (strlen (name) != 2 || strchr ("auq", name[0]) == NULL || !g_ascii_isdigit (name[1]))
    return g_strdup (name);
  return g_strdup_printf ("%c%c_%c", 'z' - (name[1] - '0'), name[0], name[1]);
}

/* Every name of a list. */
static void
rename_list (char **list)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_auto (GStrv) names = g_strsplit (*list, ",", -1);
  for (guint i = 0; names[i] != NULL; i++) {
    const char *name = names[i];
    if (i > 0)
      g_string_append_c (out, ',');
    if (name[0] == '+' || name[0] == '-')
      g_string_append_c (out, *name++);
    g_autofree char *other = renamed (name);
    g_string_append (out, other);
  }
  set_text (list, out->str);
}

static void
rename_text (LkAccountsWorkload *self, LkText *text)
{
  g_autofree char *name = g_strndup (text->bytes != NULL ? text->bytes : "", text->length_bytes);
  g_autofree char *other = renamed (name);
  *text = lk_text (keep (self, other));
}

void
lk_accounts_workload_rename (LkAccountsWorkload *self)
{
  LkClusterError error;
  for (guint i = 0; i < self->accounts->qos->len; i++)
    rename_list (&((LkQosSpec *)g_ptr_array_index (self->accounts->qos, i))->name);
  for (guint i = 0; i < self->accounts->associations->len; i++) {
    LkAssociationSpec *spec = g_ptr_array_index (self->accounts->associations, i);
    rename_list (&spec->account);
    rename_list (&spec->parent);
    rename_list (&spec->user);
    rename_list (&spec->qos);
    rename_list (&spec->default_qos);
  }
  lk_accounts_reindex (self->accounts);
  check_accounts (self->accounts);
  for (guint i = 0; i < self->machine->cluster->partitions->len; i++)
    rename_list (
        &((LkPartitionSpec *)g_ptr_array_index (self->machine->cluster->partitions, i))->qos);
  g_assert_true (lk_cluster_check (self->machine->cluster, &error));
  for (guint i = 0; i < self->machine->job_count; i++) {
    rename_text (self, &self->machine->jobs[i].request.user);
    rename_text (self, &self->machine->jobs[i].request.account);
    rename_text (self, &self->machine->jobs[i].request.qos);
  }
}

LkMachineOptions
lk_accounts_workload_options (const LkAccountsWorkload *self)
{
  return (LkMachineOptions){ .order = self->order,
                             .select = self->units_total > 0 ? "pool" : "cons_tres",
                             .accounts = self->accounts,
                             .units_total = self->units_total,
                             .unit_us = self->unit_us,
                             .origin_us = self->origin_us,
                             .end_us = self->end_us };
}

void
lk_accounts_workload_print (const LkAccountsWorkload *self, GString *out)
{
  lk_accounts_text (self->accounts, out);
  lk_machine_workload_print (self->machine, out);
  for (guint i = 0; i < self->machine->job_count; i++) {
    const LkMachineJob *job = &self->machine->jobs[i];
    g_string_append_printf (out, "  %u: %s %s %s\n", job->id, job->request.user.bytes,
                            job->request.account.length_bytes > 0 ? job->request.account.bytes
                                                                  : "-",
                            job->request.qos.length_bytes > 0 ? job->request.qos.bytes : "-");
  }
  g_string_append_printf (out, "order %s, units %u, a second is %ld us, from %ld us on\n",
                          self->order, self->units_total, (long)self->unit_us,
                          (long)self->origin_us);
}
