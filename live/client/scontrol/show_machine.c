/* live/client/scontrol/show_machine.c — `scontrol show node`, `partition` and `licenses`.
 *
 * Source: scontrol(1), what a real Slurm printed (oracle/text). */
#include <string.h>

#include "engine/hostlist.h"
#include "engine/reservation.h"
#include "live/client/json/machine.h"
#include "live/client/names.h"
#include "live/client/node_row.h"
#include "live/client/scontrol/show.h"
#include "live/client/words.h"

#define MIB_BYTES (1024 * 1024)

static LkMachineView *
view_of (LkClient *client, const char *what)
{
  g_autoptr (GError) error = NULL;
  LkMachineView *view = lk_machine_view_new (client, &error);
  if (view == NULL)
    fprintf (client->err, "slurm_load_%s error: %s\n", what, error->message);
  return view;
}

static int
print (LkClient *client, const GString *text)
{
  fwrite (text->str, 1, text->len, client->out);
  return 0;
}

/* ---------------------------------------------------------------- nodes */

static void
text_value (LkShow *show, const char *key, const char *bytes, gsize length_bytes)
{
  lk_show_value (show, key, "%.*s", length_bytes > 0 ? (int)length_bytes : 6,
                 length_bytes > 0 ? bytes : "(null)");
}

/* A node is reached by its name, as slurm.conf has it without NodeAddr. */
static void
add_node_host (LkShow *show, const LkRecord_node *node)
{
  LkText host = node->host.length_bytes > 0 ? node->host : node->name;
  lk_show_line (show);
  text_value (show, "NodeAddr", node->name.bytes, node->name.length_bytes);
  text_value (show, "NodeHostName", host.bytes, host.length_bytes);
  if (node->version.length_bytes > 0)
    text_value (show, "Version", node->version.bytes, node->version.length_bytes);
  if (node->system.length_bytes == 0)
    return;
  lk_show_line (show);
  lk_show_value (show, "OS", "%.*s ", (int)node->system.length_bytes, node->system.bytes);
}

static void
add_node_starts (LkShow *show, const LkClient *client, const LkRecord_node *node)
{
  lk_show_line (show);
  lk_show_value (show, "BootTime", "%s", "");
  lk_word_time (client, node->boot_us, "None", show->text);
  lk_show_value (show, "SlurmdStartTime", "%s", "");
  lk_word_time (client, node->agent_start_us, "None", show->text);
}

/* GPUs cannot be drained one by one. */
static void
add_node_gres (LkShow *show, const LkRecord_node *node)
{
  lk_show_line (show);
  lk_show_value (show, "GresDrain", "N/A");
  if (node->gres_used.length_bytes == 0)
    return;
  lk_show_line (show);
  text_value (show, "GresUsed", node->gres_used.bytes, node->gres_used.length_bytes);
}

static void
add_node_shape (LkShow *show, const LkNodeRow *row, gboolean with_details)
{
  const LkRecord_node *node = &row->node;
  guint32 cores = MAX (1, node->sockets * node->cores_per_socket);
  lk_show_value (show, "NodeName", "%.*s", (int)node->name.length_bytes, node->name.bytes);
  if (node->architecture.length_bytes > 0)
    text_value (show, "Arch", node->architecture.bytes, node->architecture.length_bytes);
  lk_show_value (show, "CoresPerSocket", "%u ", node->cores_per_socket);
  lk_show_line (show);
  lk_show_value (show, "CPUAlloc", "%u", node->cpus_allocated);
  lk_show_value (show, "CPUEfctv", "%u", node->cpus_usable);
  lk_show_value (show, "CPUTot", "%u", node->cpus);
  lk_show_value (show, "CPULoad", "%s", "");
  lk_node_row_load (row, show->text);
  lk_show_line (show);
  text_value (show, "AvailableFeatures", node->features.bytes, node->features.length_bytes);
  lk_show_line (show);
  text_value (show, "ActiveFeatures", node->features.bytes, node->features.length_bytes);
  lk_show_line (show);
  text_value (show, "Gres", node->gres.bytes, node->gres.length_bytes);
  if (with_details)
    add_node_gres (show, node);
  add_node_host (show, node);
  lk_show_line (show);
  lk_show_value (show, "RealMemory", "%" G_GINT64_FORMAT, node->memory_bytes / MIB_BYTES);
  lk_show_value (show, "AllocMem", "%" G_GINT64_FORMAT, node->memory_allocated_bytes / MIB_BYTES);
  lk_show_value (show, "FreeMem", "%s", "");
  lk_node_row_free_memory (row, show->text);
  lk_show_value (show, "Sockets", "%u", node->sockets);
  lk_show_value (show, "Boards", "1");
  lk_show_line (show);
  lk_show_value (show, "State", "%s", "");
  lk_show_value (show, "ThreadsPerCore", "%u", MAX (1, node->cpus / cores));
}

typedef struct {
  guint64 cpus;
  gint64 memory_bytes;
  guint32 nodes;   /* 0: is not told */
  guint64 billing; /* likewise */
} Amounts;

/* "cpu=4,mem=8000M,gres/gpu=2", without what there is nothing of. */
static void
amounts_value (LkShow *show, const char *key, const Amounts *amounts, const GPtrArray *names,
               const GArray *counts)
{
  g_autoptr (GString) text = g_string_new (NULL);
  if (amounts->cpus > 0)
    g_string_append_printf (text, ",cpu=%" G_GUINT64_FORMAT, amounts->cpus);
  if (amounts->memory_bytes > 0) {
    g_string_append (text, ",mem=");
    lk_word_memory (amounts->memory_bytes, text);
  }
  if (amounts->nodes > 0)
    g_string_append_printf (text, ",node=%u", amounts->nodes);
  if (amounts->billing > 0)
    g_string_append_printf (text, ",billing=%" G_GUINT64_FORMAT, amounts->billing);
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf (text, ",gres/%s=%" G_GUINT64_FORMAT,
                            (const char *)g_ptr_array_index (names, i),
                            g_array_index (counts, guint64, i));
  lk_show_line (show);
  lk_show_value (show, key, "%s", text->len > 0 ? text->str + 1 : "");
}

static void
tres_value (LkShow *show, const char *key, const LkNodeRow *row, gboolean is_used)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_node_row_tres (row, is_used, text);
  lk_show_line (show);
  lk_show_value (show, key, "%s", text->str);
}

/* " [root@2026-11-21T02:36:38]": who has set the reason, and when. */
static void
add_setter (LkShow *show, const LkClient *client, const LkRecord_node *node)
{
  LkNames names;
  if (node->reason_us == 0)
    return;
  lk_names_init (&names);
  g_string_append_printf (show->text, " [%s@", lk_names_user (&names, node->reason_user_id));
  lk_word_time (client, node->reason_us, "Unknown", show->text);
  g_string_append_c (show->text, ']');
  lk_names_clear (&names);
}

static void
add_node (LkShow *show, const LkClient *client, const LkNodeRow *row, gboolean with_details)
{
  const LkRecord_node *node = &row->node;
  g_autoptr (GString) state = g_string_new (NULL);
  add_node_shape (show, row, with_details);
  lk_node_row_state_flags (row, state);
  /* Behind its key, which stands before ThreadsPerCore. */
  char *at = g_strrstr (show->text->str, "State= ");
  g_string_insert (show->text, at - show->text->str + (gssize)strlen ("State="), state->str);
  lk_show_value (show, "TmpDisk", "%" G_GINT64_FORMAT, node->tmp_bytes / MIB_BYTES);
  lk_show_value (show, "Weight", "%u", node->weight);
  lk_show_value (show, "Owner", "N/A");
  lk_show_value (show, "MCS_label", "N/A");
  if (node->partitions.length_bytes > 0) {
    lk_show_line (show);
    lk_show_value (show, "Partitions", "%.*s ", (int)node->partitions.length_bytes,
                   node->partitions.bytes);
  }
  add_node_starts (show, client, node);
  tres_value (show, "CfgTRES", row, FALSE);
  tres_value (show, "AllocTRES", row, TRUE);
  lk_show_line (show);
  lk_show_value (show, "CurrentWatts", "0");
  lk_show_value (show, "AveWatts", "0");
  if (node->reason.length_bytes > 0) {
    lk_show_line (show);
    text_value (show, "Reason", node->reason.bytes, node->reason.length_bytes);
    add_setter (show, client, node);
  }
  lk_show_end (show);
}

/* Those that are named are asked for; none: all. */
int
lk_show_nodes (LkClient *client, const LkScontrolOptions *options, char **words)
{
  g_autoptr (LkMachineView) view = view_of (client, "node");
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  LkShow show = { text, options->one_line };
  int code = 0;
  if (view == NULL)
    return LK_SCONTROL_FAILURE;
  if (words[0] != NULL)
    lk_hostlist_expand (words[0], strlen (words[0]), names, NULL);
  for (guint i = 0; i < names->len; i++)
    g_ptr_array_add (rows, (gpointer)lk_machine_view_node (view, g_ptr_array_index (names, i)));
  for (guint i = 0; words[0] == NULL && i < view->nodes->len; i++)
    g_ptr_array_add (rows, g_ptr_array_index (view->nodes, i));
  for (guint i = 0; i < rows->len; i++) {
    const LkNodeRow *row = g_ptr_array_index (rows, i);
    if (row == NULL) {
      const char *name = g_ptr_array_index (names, i);
      if (options->json.is_wanted)
        lk_client_error (client, "Node %s not found", name);
      else
        g_string_append_printf (text, "Node %s not found\n", name);
      code = LK_SCONTROL_FAILURE;
    } else if (options->json.is_wanted)
      g_ptr_array_add (found, (gpointer)row);
    else
      add_node (&show, client, row, options->details > 0);
  }
  if (options->json.is_wanted)
    lk_json_nodes (client, &options->json, view, found);
  else {
    lk_show_records (client, options, rows->len);
    print (client, text);
  }
  return code;
}

/* ---------------------------------------------------------------- partitions */

static void
count_value (LkShow *show, const char *key, guint32 value)
{
  if (value == LK_COUNT_UNLIMITED)
    lk_show_value (show, key, "UNLIMITED");
  else
    lk_show_value (show, key, "%u", value);
}

static void
limit_value (LkShow *show, const char *key, gint64 limit_us, const char *none)
{
  lk_show_value (show, key, "%s", limit_us == G_MAXINT64 ? none : "");
  if (limit_us != G_MAXINT64)
    lk_word_long_duration (limit_us, show->text);
}

static const char *
or_all (const char *list)
{
  return list[0] != '\0' ? list : "ALL";
}

/* What all its nodes have together. */
static void
add_partition_tres (LkShow *show, const LkMachineView *view, const LkPartitionSpec *spec)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (guint64));
  Amounts sum = { 0 };
  for (guint i = 0; i < view->nodes->len; i++) {
    const LkNodeRow *row = g_ptr_array_index (view->nodes, i);
    if (!lk_node_row_is_in (row, spec->name))
      continue;
    sum.cpus += row->node.cpus_usable;
    sum.memory_bytes += row->node.memory_bytes;
    sum.nodes++;
    lk_node_row_add_gres (row->node.gres, names, counts);
  }
  sum.billing = spec->tres_billing_weights[0] == '\0' ? sum.cpus : 0;
  amounts_value (show, "TRES", &sum, names, counts);
}

/* Memory of a job: for a CPU, or a node. */
static void
memory_value (LkShow *show, const char *what, gint64 per_cpu_bytes, gint64 per_node_bytes)
{
  g_autofree char *key = g_strconcat (what, per_cpu_bytes > 0 ? "CPU" : "Node", NULL);
  gint64 bytes = per_cpu_bytes > 0 ? per_cpu_bytes : per_node_bytes;
  if (bytes > 0)
    lk_show_value (show, key, "%" G_GINT64_FORMAT, bytes / MIB_BYTES);
  else
    lk_show_value (show, key, "UNLIMITED");
}

static void
add_partition_limits (LkShow *show, const LkPartitionSpec *spec)
{
  lk_show_line (show);
  lk_show_value (show, "AllowGroups", "%s", or_all (spec->allow_groups));
  if (spec->deny_accounts[0] != '\0')
    lk_show_value (show, "DenyAccounts", "%s", spec->deny_accounts);
  else
    lk_show_value (show, "AllowAccounts", "%s", or_all (spec->allow_accounts));
  if (spec->deny_qos[0] != '\0')
    lk_show_value (show, "DenyQos", "%s", spec->deny_qos);
  else
    lk_show_value (show, "AllowQos", "%s", or_all (spec->allow_qos));
  lk_show_line (show);
  lk_show_value (show, "AllocNodes", "%s", or_all (spec->alloc_nodes));
  lk_show_value (show, "Default", "%s", spec->is_default ? "YES" : "NO");
  lk_show_value (show, "QoS", "%s", spec->qos[0] != '\0' ? spec->qos : "N/A");
  lk_show_line (show);
  limit_value (show, "DefaultTime", spec->time_default_us, "NONE");
  lk_show_value (show, "DisableRootJobs", "NO");
  lk_show_value (show, "Exclusive", "%s",
                 spec->exclusive_user   ? "USER"
                 : spec->exclusive_topo ? "TOPO"
                                        : "NO");
  lk_show_value (show, "GraceTime", "%" G_GINT64_FORMAT, spec->grace_us / G_USEC_PER_SEC);
  lk_show_value (show, "Hidden", "%s", spec->hidden ? "YES" : "NO");
  lk_show_line (show);
  count_value (show, "MaxNodes", spec->nodes_max);
  limit_value (show, "MaxTime", spec->time_max_us, "UNLIMITED");
  lk_show_value (show, "MinNodes", "%u", spec->nodes_min);
  lk_show_value (show, "LLN", "%s", spec->least_loaded == LK_SWITCH_YES ? "YES" : "NO");
  count_value (show, "MaxCPUsPerNode", spec->cpus_per_node_max);
  count_value (show, "MaxCPUsPerSocket", spec->cpus_per_socket_max);
}

static void
add_partition (LkShow *show, const LkMachineView *view, const LkPartitionRow *row)
{
  static const char *const states[] = { "UP", "DOWN", "DRAIN", "INACTIVE" };
  static const char *const shares[] = { "NO", "EXCLUSIVE", "YES", "FORCE" };
  const LkPartitionSpec *spec = row->spec;
  const LkRecord_partition *told = &row->partition;
  lk_show_value (show, "PartitionName", "%s", spec->name);
  add_partition_limits (show, spec);
  lk_show_line (show);
  if (lk_word_is_listed (spec->nodes, "ALL")) {
    lk_show_value (show, "NodeSets", "ALL");
    lk_show_line (show);
  }
  lk_show_value (show, "Nodes", "%.*s", (int)told->node_names.length_bytes, told->node_names.bytes);
  lk_show_line (show);
  lk_show_value (show, "PriorityJobFactor", "%u", spec->priority_job_factor);
  lk_show_value (show, "PriorityTier", "%u", spec->priority_tier);
  lk_show_value (show, "RootOnly", "%s", spec->root_only ? "YES" : "NO");
  lk_show_value (show, "ReqResv", "%s", spec->reservation_required ? "YES" : "NO");
  lk_show_value (show, "OverSubscribe", "%s", shares[spec->oversubscribe]);
  if (spec->oversubscribe == LK_OVERSUBSCRIBE_YES || spec->oversubscribe == LK_OVERSUBSCRIBE_FORCE)
    g_string_append_printf (show->text, ":%u", spec->oversubscribe_jobs);
  lk_show_line (show);
  lk_show_value (show, "OverTimeLimit", "%s",
                 spec->over_time_limit_us == LK_TIME_NEVER ? "UNLIMITED" : "NONE");
  if (spec->over_time_limit_us > 0 && spec->over_time_limit_us != LK_TIME_NEVER) {
    g_string_truncate (show->text, show->text->len - strlen ("NONE"));
    g_string_append_printf (show->text, "%" G_GINT64_FORMAT,
                            spec->over_time_limit_us / (60 * G_USEC_PER_SEC));
  }
  lk_show_value (show, "PreemptMode", "%s",
                 spec->preempt_mode[0] != '\0' ? spec->preempt_mode : "OFF");
  lk_show_line (show);
  lk_show_value (show, "State", "%s", states[MIN (told->state, G_N_ELEMENTS (states) - 1)]);
  lk_show_value (show, "TotalCPUs", "%" G_GUINT64_FORMAT, told->cpu_count);
  lk_show_value (show, "TotalNodes", "%u", told->node_count);
  lk_show_value (show, "SelectTypeParameters", "NONE");
  lk_show_line (show);
  if (spec->cpus_per_gpu_default > 0)
    lk_show_value (show, "JobDefaults", "DefCpuPerGPU=%u", spec->cpus_per_gpu_default);
  else if (spec->memory_per_gpu_default_bytes > 0)
    lk_show_value (show, "JobDefaults", "DefMemPerGPU=%" G_GINT64_FORMAT,
                   spec->memory_per_gpu_default_bytes / MIB_BYTES);
  else
    lk_show_value (show, "JobDefaults", "(null)");
  lk_show_line (show);
  memory_value (show, "DefMemPer", spec->memory_per_cpu_default_bytes,
                spec->memory_per_node_default_bytes);
  memory_value (show, "MaxMemPer", spec->memory_per_cpu_max_bytes, spec->memory_per_node_max_bytes);
  add_partition_tres (show, view, spec);
  lk_show_end (show);
}

int
lk_show_partitions (LkClient *client, const LkScontrolOptions *options, char **words)
{
  g_autoptr (LkMachineView) view = view_of (client, "partitions");
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();
  LkShow show = { text, options->one_line };
  if (view == NULL)
    return LK_SCONTROL_FAILURE;
  const LkPartitionRow *row = words[0] != NULL ? lk_machine_view_partition (view, words[0]) : NULL;
  if (words[0] != NULL && row == NULL) {
    fprintf (options->json.is_wanted ? client->err : client->out, "Partition %s not found\n",
             words[0]);
    return LK_SCONTROL_FAILURE;
  }
  if (row != NULL)
    g_ptr_array_add (rows, (gpointer)row);
  for (guint i = 0; row == NULL && i < view->partitions->len; i++) {
    LkPartitionRow *each = g_ptr_array_index (view->partitions, i);
    if (lk_partition_is_shown (client, each->spec, options->all))
      g_ptr_array_add (rows, each);
  }
  for (guint i = 0; i < rows->len; i++)
    add_partition (&show, view, g_ptr_array_index (rows, i));
  if (!options->json.is_wanted) {
    lk_show_records (client, options, rows->len);
    return print (client, text);
  }
  lk_json_partitions (client, &options->json, view, rows);
  return 0;
}

/* ---------------------------------------------------------------- licences, reservations */

typedef struct {
  const LkClient *client;
  LkShow show;
  const char *name; /* NULL: all */
  guint count;
} Listing;

static void
take_license (gpointer user, const LkRecord *record)
{
  Listing *self = user;
  const LkRecord_license *license = &record->license;
  if (self->name != NULL
      && (license->name.length_bytes != strlen (self->name)
          || memcmp (license->name.bytes, self->name, license->name.length_bytes) != 0))
    return;
  self->count++;
  lk_show_value (&self->show, "LicenseName", "%.*s", (int)license->name.length_bytes,
                 license->name.bytes);
  self->show.text = g_string_append (self->show.text, self->show.one_line ? " " : "\n    ");
  lk_show_value (&self->show, "Total", "%u", license->total);
  lk_show_value (&self->show, "Used", "%u", license->used);
  lk_show_value (&self->show, "Free", "%u", license->total - license->used);
  lk_show_value (&self->show, "Reserved", "0");
  lk_show_value (&self->show, "Remote", "no");
  g_string_append_c (self->show.text, '\n');
}

static void
flags_value (LkShow *show, guint32 flags)
{
  static const struct {
    guint32 flag;
    const char *word;
  } words[] = {
#define X(NAME, bit, word) { LK_RESERVATION_##NAME, word },
    LK_RESERVATION_FLAGS (X)
#undef X
  };
  gsize before;
  lk_show_value (show, "Flags", "%s", "");
  before = show->text->len;
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if ((flags & words[i].flag) != 0)
      g_string_append_printf (show->text, "%s%s", show->text->len > before ? "," : "",
                              words[i].word);
}

static void
take_reservation (gpointer user, const LkRecord *record)
{
  Listing *self = user;
  const LkRecord_reservation *told = &record->reservation;
  LkShow *show = &self->show;
  if (self->name != NULL
      && (told->reservation_name.length_bytes != strlen (self->name)
          || memcmp (told->reservation_name.bytes, self->name, told->reservation_name.length_bytes)
                 != 0))
    return;
  self->count++;
  text_value (show, "ReservationName", told->reservation_name.bytes,
              told->reservation_name.length_bytes);
  lk_show_value (show, "StartTime", "%s", "");
  lk_word_time (self->client, told->from_us, "Unknown", show->text);
  lk_show_value (show, "EndTime", "%s", "");
  lk_word_time (self->client, told->to_us, "Unknown", show->text);
  lk_show_value (show, "Duration", "%s", "");
  lk_word_long_duration (told->to_us - told->from_us, show->text);
  lk_show_line (show);
  text_value (show, "Nodes", told->node_names.bytes, told->node_names.length_bytes);
  lk_show_value (show, "NodeCnt", "%u", told->nodes_reserved);
  lk_show_value (show, "CoreCnt", "%u", told->cores_reserved);
  text_value (show, "Features", told->features.bytes, told->features.length_bytes);
  text_value (show, "PartitionName", told->partition.bytes, told->partition.length_bytes);
  flags_value (show, told->flag_bits);
  lk_show_line (show);
  if (told->tres.length_bytes == 0 && told->cpus_reserved > 0)
    lk_show_value (show, "TRES", "cpu=%u", told->cpus_reserved);
  else
    text_value (show, "TRES", told->tres.bytes, told->tres.length_bytes);
  lk_show_line (show);
  text_value (show, "AllowedPartitions", told->partitions.bytes, told->partitions.length_bytes);
  text_value (show, "QOS", told->qos.bytes, told->qos.length_bytes);
  lk_show_line (show);
  text_value (show, "Users", told->users.bytes, told->users.length_bytes);
  text_value (show, "Groups", told->groups.bytes, told->groups.length_bytes);
  text_value (show, "Accounts", told->accounts.bytes, told->accounts.length_bytes);
  text_value (show, "Licenses", told->license_names.bytes, told->license_names.length_bytes);
  lk_show_value (show, "State", "%s", told->is_active != 0 ? "ACTIVE" : "INACTIVE");
  lk_show_value (show, "BurstBuffer", "(null)");
  lk_show_line (show);
  lk_show_value (show, "MaxStartDelay", "(null)");
  lk_show_end (show);
}

static int
list (LkClient *client, const LkScontrolOptions *options, char **words, LkRecordKind kind,
      LkClientTake take, const char *none)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  Listing listing = { .client = client,
                      .show = { text, options->one_line },
                      .name = words[0] != NULL ? words[0] : NULL };
  if (!lk_client_query (client, &(LkClientQuery){ .kind = kind }, take, &listing, &error)) {
    fprintf (client->err, "scontrol: error: %s\n", error->message);
    return LK_SCONTROL_FAILURE;
  }
  if (listing.count == 0 && listing.name != NULL) {
    fprintf (client->out, "%s %s not found\n",
             kind == LK_RECORD_LICENSE ? "License" : "Reservation", listing.name);
    return LK_SCONTROL_FAILURE;
  }
  if (listing.count == 0)
    fprintf (client->out, "%s\n", none);
  return print (client, text);
}

int
lk_show_licenses (LkClient *client, const LkScontrolOptions *options, char **words)
{
  if (options->json.is_wanted)
    return lk_json_licenses (client, &options->json, words[0]) ? 0 : LK_SCONTROL_FAILURE;
  return list (client, options, words, LK_RECORD_LICENSE, take_license,
               "No licenses configured in Slurm.");
}

int
lk_show_reservations (LkClient *client, const LkScontrolOptions *options, char **words)
{
  if (options->json.is_wanted)
    return lk_json_reservations (client, &options->json, words[0]) ? 0 : LK_SCONTROL_FAILURE;
  return list (client, options, words, LK_RECORD_RESERVATION, take_reservation,
               "No reservations in the system");
}
