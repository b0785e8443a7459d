/* live/check/words.c — see the header.
 *
 * Of which type a member is the tables of engine/cluster_fields.h and engine/accounts_fields.h say;
 * its unit is at the end of its name. */
#include "live/check/words.h"

#include <string.h>

#include "engine/accounts_fields.h"
#include "engine/cluster_fields.h"
#include "engine/hostlist.h"
#include "engine/node_table.h"
#include "traces/slurm_conf_keys.h"

#define BYTES_PER_MIB G_GINT64_CONSTANT (1048576)
#define US_PER_S G_GINT64_CONSTANT (1000000)
#define S_PER_DAY G_GINT64_CONSTANT (86400)

/* ---------------------------------------------------------------- members */

typedef struct {
  const char *kind; /* of the thing */
  const char *member;
  const char *type;
} Member;

#define F(member_type, member, help) { KIND, #member, #member_type },
static const Member members[] = {
#define KIND "cluster"
  LK_CLUSTER_FIELDS (F)
#undef KIND
#define KIND "node"
      LK_NODE_SPEC_FIELDS (F)
#undef KIND
#define KIND "partition"
          LK_PARTITION_SPEC_FIELDS (F)
#undef KIND
#define KIND "license"
              LK_LICENSE_SPEC_FIELDS (F)
#undef KIND
#define KIND "switch"
                  LK_SWITCH_SPEC_FIELDS (F)
#undef KIND
#define KIND "accounts"
                      LK_ACCOUNTS_FIELDS (F)
#undef KIND
#define KIND "qos"
                          LK_QOS_FIELDS (F)
#undef KIND
#define KIND "association"
                              LK_ASSOCIATION_FIELDS (F)
#undef KIND
};
#undef F

static const char *
member_type (const LkDifference *change)
{
  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    if (strcmp (members[i].kind, change->thing) == 0
        && g_strcmp0 (members[i].member, change->member) == 0)
      return members[i].type;
  return "text";
}

/* ---------------------------------------------------------------- keys */

/* Those that no key of slurm.conf alone sets, and those of sacctmgr. */
static const struct {
  const char *kind;
  const char *member;
  const char *key;
} keys[] = {
  { "cluster", "consume", "SelectTypeParameters" },
  { "cluster", "topology", "TopologyPlugin" },
  { "cluster", "block_sizes", "BlockSizes" },
  { "cluster", "memory", "SelectTypeParameters (memory)" },
  { "cluster", "cores_block", "SelectTypeParameters CR_CORE_DEFAULT_DIST_BLOCK" },
  { "cluster", "pack_nodes", "SelectTypeParameters CR_Pack_Nodes" },
  { "cluster", "least_loaded", "SelectTypeParameters CR_LLN" },
  { "cluster", "reservation_over_run_us", "ResvOverRun" },
  { "cluster", "switches_wait_max_us", "SchedulerParameters max_switch_wait" },
  { "cluster", "requeue_delay_us", "SchedulerParameters requeue_delay" },
  { "cluster", "hold_prolog_failure", "SchedulerParameters nohold_on_prolog_fail" },
  { "cluster", "kill_invalid_depend", "DependencyParameters kill_invalid_depend" },
  { "node", "flags", "State" },
  { "node", "sockets", "Sockets" },
  { "node", "cpus", "CPUs" },
  { "node", "features", "Feature" },
  { "partition", "oversubscribe_jobs", "OverSubscribe (jobs on a core)" },
  { "accounts", "cluster", "ClusterName" },
  { "accounts", "tres", "AccountingStorageTRES" },
  { "accounts", "enforce", "AccountingStorageEnforce" },
  { "accounts", "half_life_us", "PriorityDecayHalfLife" },
  { "accounts", "calc_period_us", "PriorityCalcPeriod" },
  { "accounts", "reset", "PriorityUsageResetPeriod" },
  { "accounts", "billing", "PriorityFlags (billing)" },
  { "accounts", "accrue_always", "PriorityFlags ACCRUE_ALWAYS" },
  { "qos", "description", "Description" },
  { "qos", "priority", "Priority" },
  { "qos", "flags", "Flags" },
  { "qos", "usage_factor", "UsageFactor" },
  { "qos", "usage_threshold", "UsageThreshold" },
  { "qos", "limit_factor", "LimitFactor" },
  { "qos", "preempt", "Preempt" },
  { "qos", "preempt_mode", "PreemptMode" },
  { "qos", "grace_us", "GraceTime" },
  { "qos", "preempt_exempt_us", "PreemptExemptTime" },
  { "association", "parent", "Parent" },
  { "association", "shares", "Fairshare" },
  { "association", "priority", "Priority" },
  { "association", "qos", "QosLevel" },
  { "association", "default_qos", "DefaultQOS" },
  { "association", "is_default", "DefaultAccount" },
  { "association", "description", "Description" },
  { "association", "organization", "Organization" },
  { "association", "admin_level", "AdminLevel" },
  { "association", "coordinates", "Coordinator" },
};

/* The key of slurm.conf that sets the member; NULL. */
static const char *
conf_key (const LkDifference *change)
{
  guint count = 0;
  const LkSlurmKey *all = lk_slurm_keys (&count);
  LkSlurmScope scope = strcmp (change->thing, "node") == 0        ? LK_SLURM_SCOPE_NODE
                       : strcmp (change->thing, "partition") == 0 ? LK_SLURM_SCOPE_PARTITION
                       : strcmp (change->thing, "switch") == 0    ? LK_SLURM_SCOPE_TOPOLOGY
                                                                  : LK_SLURM_SCOPE_CONF;
  if (scope == LK_SLURM_SCOPE_CONF && strcmp (change->thing, "cluster") != 0)
    return NULL;
  for (guint i = 0; i < count; i++)
    if (all[i].scope == scope && g_strcmp0 (all[i].member, change->member) == 0)
      return all[i].name;
  return NULL;
}

char *
lk_difference_key (const LkDifference *change)
{
  if (change->member == NULL)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (strcmp (keys[i].kind, change->thing) == 0 && strcmp (keys[i].member, change->member) == 0)
      return g_strdup (keys[i].key);
  if (g_str_has_prefix (change->member, "gres:"))
    return g_strdup_printf ("Gres %s", change->member + strlen ("gres:"));
  const char *key = conf_key (change);
  return g_strdup (key != NULL ? key : change->member);
}

/* ---------------------------------------------------------------- values */

static char *
time_text (gint64 time_us)
{
  gint64 all_s = time_us / US_PER_S;
  gint64 days = all_s / S_PER_DAY;
  gint64 left_s = all_s % S_PER_DAY;
  if (time_us == G_MAXINT64)
    return g_strdup ("UNLIMITED");
  if (time_us < 0)
    return g_strdup ("none");
  if (all_s < 60)
    return g_strdup_printf ("%" G_GINT64_FORMAT " s", all_s);
  g_autofree char *day = days > 0 ? g_strdup_printf ("%" G_GINT64_FORMAT "-", days) : g_strdup ("");
  return g_strdup_printf ("%s%02d:%02d:%02d", day, (int)(left_s / 3600), (int)(left_s / 60 % 60),
                          (int)(left_s % 60));
}

static char *
bytes_text (gint64 bytes)
{
  if (bytes == 0)
    return g_strdup ("0");
  return bytes % BYTES_PER_MIB == 0
             ? g_strdup_printf ("%" G_GINT64_FORMAT " MiB", bytes / BYTES_PER_MIB)
             : g_strdup_printf ("%" G_GINT64_FORMAT " bytes", bytes);
}

/* The states of a node, by their bits. */
static char *
states_text (guint32 flags)
{
  static const char *const names[] = { "DOWN", "DRAIN", "FAIL", "MAINT" };
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if ((flags >> i & 1) != 0)
      g_string_append_printf (out, "%s%s", out->len > 0 ? "+" : "", names[i]);
  if (out->len == 0)
    g_string_append (out, "up");
  return g_string_free (out, FALSE);
}

static gboolean
is_states (const LkDifference *change)
{
  return strcmp (change->thing, "node") == 0 && strcmp (change->member, "flags") == 0;
}

char *
lk_difference_value (const LkDifference *change, const char *value)
{
  const char *type = member_type (change);
  const char *member = change->member != NULL ? change->member : "";
  if (value == NULL)
    return g_strdup ("nothing");
  if (strcmp (type, "flag") == 0)
    return g_strdup (strcmp (value, "0") == 0 ? "no" : "yes");
  if (strcmp (type, "i64") == 0 || strcmp (type, "s64") == 0) {
    gint64 number = g_ascii_strtoll (value, NULL, 10);
    if (g_str_has_suffix (member, "_us"))
      return time_text (number);
    if (g_str_has_suffix (member, "_bytes"))
      return bytes_text (number);
  }
  if (strcmp (type, "u32") == 0) {
    guint64 number = g_ascii_strtoull (value, NULL, 10);
    if (is_states (change))
      return states_text ((guint32)number);
    return number == G_MAXUINT32 ? g_strdup ("UNLIMITED") : g_strdup (value);
  }
  return *value == '\0' ? g_strdup ("nothing") : g_strdup (value);
}

/* ---------------------------------------------------------------- sentences */

char *
lk_difference_names (const LkDifference *change)
{
  GString *out = g_string_new (NULL);
  if (strcmp (change->thing, "node") == 0)
    lk_hostlist_compress ((const char *const *)change->names->pdata, change->names->len, out);
  else
    g_string_append (out, g_ptr_array_index (change->names, 0));
  return g_string_free (out, FALSE);
}

/* "partition long" */
static char *
title (const LkDifference *change)
{
  static const char *const titles[][2] = { { "license", "licence" },     { "qos", "QOS" },
                                           { "association", "account" }, { "cluster", "" },
                                           { "accounts", "" },           { "policy", "" } };
  g_autofree char *names = lk_difference_names (change);
  const char *word = change->thing;
  if (strcmp (word, "cluster") == 0 || strcmp (word, "accounts") == 0)
    return g_strdup (word);
  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    if (strcmp (titles[i][0], word) == 0)
      word = titles[i][1];
  if (change->names->len > 1)
    return g_strdup_printf ("nodes %s", names);
  return g_strdup_printf ("%s%s%s", word, *word != '\0' ? " " : "", names);
}

char *
lk_difference_words (const LkDifference *change)
{
  g_autofree char *what = title (change);
  g_autofree char *key = lk_difference_key (change);
  gboolean is_several = change->names->len > 1;
  if (change->kind == LK_DIFFERENCE_COMES)
    return g_strdup_printf ("%s %s", what, is_several ? "come" : "comes");
  if (change->kind == LK_DIFFERENCE_GOES)
    return g_strdup_printf ("%s %s", what, is_several ? "go" : "goes");
  g_autofree char *before = lk_difference_value (change, change->before);
  g_autofree char *after = lk_difference_value (change, change->after);
  if (strcmp (change->thing, "key") == 0)
    return g_strdup_printf ("%s changes from %s to %s", what, before, after);
  return g_strdup_printf ("%s: %s changes from %s to %s", what, key, before, after);
}
