/* live/core/controller_query_rest.c — nodes, partitions, reservations, licences, accounts and
 * priorities as clients are told of them. */
#include "engine/bytes.h"
#include "engine/checked.h"
#include "engine/hostlist.h"
#include "engine/job_shown.h"
#include "engine/reservation.h"
#include "live/core/controller_query.h"

/* Of a long text so much at once: its client puts the pieces together. */
#define PIECE_BYTES (1024u * 1024u)

static void
move (guint32 *next, guint32 count)
{
  *next = *next + 1 < count ? *next + 1 : 0;
}

static LkText
text_in (const GString *text)
{
  return lk_query_text (text->str);
}

static LkLongText
long_text_in (const GString *text)
{
  return (LkLongText){ text->str, (guint32)text->len };
}

static void
append_item (GString *out, const char *item)
{
  if (out->len > 0)
    g_string_append_c (out, ',');
  g_string_append (out, item);
}

/* ---------------------------------------------------------------- nodes */

typedef struct {
  guint32 cpus;
  gint64 memory_bytes;
} Used;

/* A core that two pieces share is held once. */
static void
used_on (const LkNodeTable *table, guint32 node, Used *out)
{
  const LkNodeKind *kind = lk_node_kind (table, node);
  guint64 cores[LK_NODE_CORE_WORDS_MAX] = { 0 };
  *out = (Used){ 0 };
  for (guint32 i = table->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (table, i)->next_on_node) {
    const LkPiece *piece = lk_piece (table, i);
    out->memory_bytes += piece->memory_bytes;
    for (guint32 word = 0; word < table->core_words; word++)
      cores[word] |= piece->cores[word];
  }
  out->cpus = lk_bits_count (cores, table->core_words) * kind->cpus_per_core;
}

static void
partitions_of (const LkMachine *machine, guint32 node, GString *out)
{
  for (guint32 i = 0; i < machine->partition_count; i++)
    if (lk_bits_has (machine->partitions[i].nodes, node))
      append_item (out, machine->partitions[i].spec->name);
}

enum { MARK_PLANNED, MARK_RESERVED, MARK_MAINT, MARK_COUNT };

/* A set of nodes of each mark: for all pages. */
static const guint64 *
marks_of (LkController *self, guint32 from)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  const LkReservationTable *reservations = lk_engine_reservations (self->engine);
  const LkView *view = lk_engine_view (self->engine);
  guint32 words = lk_bits_words (table->node_count);
  if (self->query_marks != NULL && from != 0)
    return self->query_marks;
  g_free (self->query_marks);
  self->query_marks = g_new0 (guint64, (gsize)MARK_COUNT * words);
  for (LkJobIndex job = 0; job < view->job_index_limit; job++)
    if (view->jobs->phase[job] != LK_PHASE_FREE)
      lk_engine_planned_nodes (self->engine, job, self->query_marks);
  for (guint i = 0; reservations != NULL && i < reservations->items->len; i++) {
    const LkAdvanceReservation *item = g_ptr_array_index (reservations->items, i);
    guint which = (item->flags & LK_RESERVATION_MAINT) != 0 ? MARK_MAINT : MARK_RESERVED;
    for (guint32 word = 0; item->is_active && word < words; word++)
      self->query_marks[which * words + word] |= item->nodes[word];
  }
  return self->query_marks;
}

static guint8
is_marked (const LkNodeTable *table, const guint64 *marks, guint which, guint32 node)
{
  return lk_bits_has (marks + which * lk_bits_words (table->node_count), node) ? 1 : 0;
}

static void
fill_node (const LkController *self, guint32 node, const guint64 *marks, LkRecord_node *out)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  const LkNodeKind *kind = lk_node_kind (table, node);
  const LkControllerNode *agent = &self->nodes[node];
  const char *reason = table->reasons[node];
  Used used;
  used_on (table, node, &used);
  *out = (LkRecord_node){
    .name = lk_query_text (table->names[node]),
    .state = lk_query_text (
        lk_node_state_text (table, node, is_marked (table, marks, MARK_PLANNED, node))),
    .flags = table->flags[node],
    .is_responding = agent->is_ready ? 1 : 0,
    .is_completing = agent->over_count > 0 ? 1 : 0,
    .is_planned = is_marked (table, marks, MARK_PLANNED, node),
    .is_reserved = is_marked (table, marks, MARK_RESERVED, node),
    .is_in_maintenance = is_marked (table, marks, MARK_MAINT, node),
    .reason = lk_query_text (reason != NULL ? reason : ""),
    .reason_user_id = agent->reason_user_id,
    .reason_us = agent->reason_us,
    .sockets = kind->sockets,
    .cores_per_socket = kind->cores_per_socket,
    .cpus = kind->cpus,
    .cpus_usable = kind->cpus_usable,
    .cpus_allocated = used.cpus,
    .memory_bytes = kind->memory_bytes,
    .memory_allocated_bytes = used.memory_bytes,
    .tmp_bytes = kind->tmp_bytes,
    .weight = kind->weight,
    .job_count = table->piece_count[node],
    .load_hundredths = agent->load_hundredths,
    .free_memory_bytes = agent->free_memory_bytes,
    .architecture = lk_query_text (agent->architecture),
    .host = lk_query_text (agent->host),
    .system = lk_query_text (agent->system),
    .version = lk_query_text (agent->version),
    .boot_us = agent->boot_us,
    .agent_start_us = agent->agent_start_us,
  };
}

void
lk_query_node (LkController *self, guint32 *next, GByteArray *out)
{
  const LkMachine *machine = lk_engine_machine (self->engine);
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  guint32 node = *next;
  if (table == NULL || node >= table->node_count) {
    *next = 0;
    return;
  }
  const LkNodeSpec *spec = g_ptr_array_index (machine->cluster->nodes, table->kind_of[node]);
  g_autoptr (GString) gres = g_string_new (NULL);
  g_autoptr (GString) gres_used = g_string_new (NULL);
  g_autoptr (GString) features = g_string_new (NULL);
  g_autoptr (GString) partitions = g_string_new (NULL);
  LkRecord record = { .kind = LK_RECORD_NODE };
  fill_node (self, node, marks_of (self, node), &record.node);
  lk_query_gres_of_node (table, node, spec, gres);
  lk_query_gres_used (table, node, gres_used);
  for (guint i = 0; i < spec->features->len; i++)
    append_item (features, g_ptr_array_index (spec->features, i));
  partitions_of (machine, node, partitions);
  record.node.gres = text_in (gres);
  record.node.gres_used = text_in (gres_used);
  record.node.features = long_text_in (features);
  record.node.partitions = long_text_in (partitions);
  lk_record_append (&record, out);
  move (next, table->node_count);
}

/* ---------------------------------------------------------------- partitions */

static void
hosts_of (const LkNodeTable *table, const guint64 *set, GString *out, guint32 *out_count)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint32 node = 0; set != NULL && node < table->node_count; node++)
    if (lk_bits_has (set, node))
      g_ptr_array_add (names, table->names[node]);
  *out_count = names->len;
  if (names->len > 0)
    lk_hostlist_compress ((const char *const *)names->pdata, names->len, out);
}

void
lk_query_partition (LkController *self, guint32 *next, GByteArray *out)
{
  const LkMachine *machine = lk_engine_machine (self->engine);
  if (machine == NULL || *next >= machine->partition_count) {
    *next = 0;
    return;
  }
  const LkPartition *partition = &machine->partitions[*next];
  g_autoptr (GString) hosts = g_string_new (NULL);
  LkRecord record = { .kind = LK_RECORD_PARTITION };
  LkRecord_partition *told = &record.partition;
  *told = (LkRecord_partition){ .name = lk_query_text (partition->spec->name),
                                .state = (guint8)lk_engine_partition_state (self->engine, *next) };
  hosts_of (&machine->nodes, partition->nodes, hosts, &told->node_count);
  for (guint32 node = 0; node < machine->nodes.node_count; node++)
    if (lk_bits_has (partition->nodes, node))
      told->cpu_count += machine->nodes.node_cpus[node];
  told->node_names = long_text_in (hosts);
  lk_record_append (&record, out);
  move (next, machine->partition_count);
}

/* ---------------------------------------------------------------- reservations, licences */

static void
licenses_of (const LkMachine *machine, const GArray *licenses, GString *out)
{
  for (guint i = 0; licenses != NULL && i < licenses->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (licenses, LkLicenseDemand, i);
    const LkLicenseSpec *spec = g_ptr_array_index (machine->cluster->licenses, demand->license);
    append_item (out, spec->name);
    g_string_append_printf (out, ":%u", demand->count);
  }
}

/* Reservations come by rising number, so that one that goes between two pages makes none missing.
 */
static guint
reservation_from (const LkReservationTable *table, guint32 number)
{
  guint at = 0;
  while (at < table->items->len
         && ((const LkAdvanceReservation *)g_ptr_array_index (table->items, at))->number < number)
    at++;
  return at;
}

/* All of its nodes have as many CPUs in a core as the first. */
static guint32
cpus_reserved (const LkController *self, const LkAdvanceReservation *item)
{
  const LkNodeTable *table = lk_engine_nodes (self->engine);
  for (guint32 node = 0; table != NULL && node < table->node_count; node++)
    if (lk_bits_has (item->nodes, node))
      return item->core_count * lk_node_kind (table, node)->cpus_per_core;
  return 0;
}

void
lk_query_reservation (LkController *self, guint32 *next, GByteArray *out)
{
  const LkReservationTable *table = lk_engine_reservations (self->engine);
  guint at = table != NULL ? reservation_from (table, *next) : 0;
  if (table == NULL || at >= table->items->len) {
    *next = 0;
    return;
  }
  const LkAdvanceReservation *item = g_ptr_array_index (table->items, at);
  g_autoptr (GString) hosts = g_string_new (NULL);
  g_autoptr (GString) licenses = g_string_new (NULL);
  LkRecord record = { .kind = LK_RECORD_RESERVATION };
  LkRecord_reservation *told = &record.reservation;
#define COPY(type, name, help) .name = item->asked.name,
  *told = (LkRecord_reservation){ LK_RESERVATION_FIELDS (COPY).reservation_name =
                                      lk_query_text (item->name),
                                  .from_us = item->start_us,
                                  .to_us = item->end_us,
                                  .cores_reserved = item->core_count,
                                  .cpus_reserved = cpus_reserved (self, item),
                                  .flag_bits = item->flags,
                                  .is_active = item->is_active ? 1 : 0 };
#undef COPY
  hosts_of (lk_engine_nodes (self->engine), item->nodes, hosts, &told->nodes_reserved);
  licenses_of (lk_engine_machine (self->engine), item->licenses, licenses);
  told->node_names = long_text_in (hosts);
  told->license_names = text_in (licenses);
  lk_record_append (&record, out);
  *next = item->number + 1;
}

void
lk_query_license (LkController *self, guint32 *next, GByteArray *out)
{
  const LkMachine *machine = lk_engine_machine (self->engine);
  if (machine == NULL || *next >= machine->license_count) {
    *next = 0;
    return;
  }
  const LkLicenseSpec *spec = g_ptr_array_index (machine->cluster->licenses, *next);
  LkRecord record = { .kind = LK_RECORD_LICENSE };
  guint32 total = machine->licenses_total[*next];
  record.license = (LkRecord_license){ .name = lk_query_text (spec->name),
                                       .total = total,
                                       .used = total - machine->licenses_free[*next] };
  lk_record_append (&record, out);
  move (next, machine->license_count);
}

/* ---------------------------------------------------------------- descriptions */

/* Tells texts apart (FNV-1a). */
static guint64
hash_of (const GString *text)
{
  guint64 hash = G_GUINT64_CONSTANT (14695981039346656037);
  for (gsize i = 0; i < text->len; i++)
    hash = (hash ^ (guint8)text->str[i]) * G_GUINT64_CONSTANT (1099511628211);
  return hash;
}

/* The piece of a text that begins at `*next`. */
static void
tell_piece (const GString *text, LkRecordKind kind, guint32 *next, GByteArray *out)
{
  guint32 begin = MIN (*next, (guint32)text->len);
  guint32 length_bytes = MIN (PIECE_BYTES, (guint32)text->len - begin);
  LkRecord record = { .kind = kind };
  LkBytes piece = { (const guint8 *)text->str + begin, length_bytes };
  if (kind == LK_RECORD_CLUSTER) {
    record.cluster.canonical = piece;
  } else {
    record.accounts.canonical = piece;
    record.accounts.hash = hash_of (text);
  }
  lk_record_append (&record, out);
  *next = begin + length_bytes < text->len ? begin + length_bytes : 0;
}

void
lk_query_cluster (LkController *self, guint32 *next, GByteArray *out)
{
  g_autoptr (GString) text = g_string_new (NULL);
  if (lk_engine_config (self->engine)->cluster != NULL)
    lk_cluster_text (lk_engine_config (self->engine)->cluster, text);
  tell_piece (text, LK_RECORD_CLUSTER, next, out);
}

void
lk_query_accounts (LkController *self, guint32 *next, GByteArray *out)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const LkAccounts *accounts = lk_engine_accounts (self->engine);
  if (accounts != NULL)
    lk_accounts_text (accounts, text);
  tell_piece (text, LK_RECORD_ACCOUNTS, next, out);
}

/* ---------------------------------------------------------------- priorities, shares */

static void
tres_run_of (const LkController *self, guint32 association, GString *out)
{
  const LkBook *book = lk_engine_book (self->engine);
  for (guint32 t = 0; t < book->tres_count; t++) {
    append_item (out, book->tres_names[t]);
    g_string_append_printf (out, "=%" G_GUINT64_FORMAT,
                            book->associations[association].use.tres_run_s[t]);
  }
}

void
lk_query_share (LkController *self, guint32 *next, GByteArray *out)
{
  const LkAccountsView *accounts = lk_engine_view (self->engine)->accounts;
  LkShareParts parts = { .size = sizeof parts, .fairshare = -1, .level_fairshare = -1 };
  if (accounts == NULL || *next >= accounts->association_count) {
    *next = 0;
    return;
  }
  gboolean has_parts = lk_engine_share_parts (self->engine, *next, &parts);
  g_autoptr (GString) tres = g_string_new (NULL);
  tres_run_of (self, *next, tres);
  LkRecord record = { .kind = LK_RECORD_SHARE };
  record.share = (LkRecord_share){ .association = *next,
                                   .has_parts = has_parts ? 1 : 0,
                                   .is_fair_tree = parts.is_fair_tree != 0,
                                   .shares_norm = parts.shares_norm,
                                   .usage_raw = accounts->associations[*next].use.usage,
                                   .usage_norm = parts.usage_norm,
                                   .usage_effective = parts.usage_effective,
                                   .fairshare = parts.fairshare,
                                   .level_fairshare = parts.level_fairshare,
                                   .tres_run_s = long_text_in (tres) };
  lk_record_append (&record, out);
  move (next, accounts->association_count);
}

static void
append_real (double value, GByteArray *out)
{
  guint64 bits;
  memcpy (&bits, &value, sizeof bits);
  lk_append_u64 (out, bits);
}

static void
tres_parts_of (const LkController *self, const LkPriorityParts *parts, GString *names,
               GByteArray *factors, GByteArray *weights)
{
  const LkBook *book = lk_engine_book (self->engine);
  gboolean has_parts = parts->tres_factors != NULL && parts->tres_weights != NULL;
  for (guint32 t = 0; book != NULL && has_parts && t < book->tres_count; t++) {
    append_item (names, book->tres_names[t]);
    append_real (parts->tres_factors[t], factors);
    append_real (parts->tres_weights[t], weights);
  }
}

static void
tell_priority (const LkController *self, LkJobIndex job, guint32 partition, GByteArray *out)
{
  const LkJobColumns *jobs = lk_engine_view (self->engine)->jobs;
  LkPriorityParts parts = { .size = sizeof parts };
  if (!lk_engine_priority_parts (self->engine, job, partition, &parts))
    return;
  g_autoptr (GString) names = g_string_new (NULL);
  g_autoptr (GByteArray) factors = g_byte_array_new ();
  g_autoptr (GByteArray) weights = g_byte_array_new ();
  tres_parts_of (self, &parts, names, factors, weights);
  LkRecord record = { .kind = LK_RECORD_PRIORITY };
  record.priority = (LkRecord_priority){
    .job_id = jobs->id[job],
    .array_job_id = jobs->array_job_id[job],
    .user_id = jobs->user_id[job],
    .user_name = lk_query_text (lk_job_user (self->engine, job)),
    .account_name = lk_query_text (lk_job_account (self->engine, job)),
    .qos_name = lk_query_text (lk_job_qos (self->engine, job)),
    .partition = lk_query_text (lk_partition_name (self->engine, partition)),
    .priority = parts.priority,
    .age_factor = parts.age_factor,
    .association_factor = parts.association_factor,
    .fairshare_factor = parts.fairshare_factor,
    .job_size_factor = parts.job_size_factor,
    .partition_factor = parts.partition_factor,
    .qos_factor = parts.qos_factor,
    .age_term = parts.age_term,
    .association_term = parts.association_term,
    .fairshare_term = parts.fairshare_term,
    .job_size_term = parts.job_size_term,
    .partition_term = parts.partition_term,
    .qos_term = parts.qos_term,
    .tres_term = parts.tres_term,
    .tres_names = text_in (names),
    .tres_factors = { factors->data, factors->len },
    .tres_weights = { weights->data, weights->len },
    .is_direct = jobs->direct_priority[job] != 0 ? 1 : 0,
    .nice = parts.nice,
    .site_factor = parts.site_factor,
  };
  lk_record_append (&record, out);
}

/* Held jobs have none, but for those that their partition keeps. */
static gboolean
has_priority (const LkController *self, LkJobIndex job)
{
  const LkJobColumns *jobs = lk_engine_view (self->engine)->jobs;
  LkJobInfo info;
  if (jobs->phase[job] != LK_PHASE_HELD)
    return jobs->phase[job] != LK_PHASE_RUNNING && jobs->phase[job] != LK_PHASE_SUSPENDED;
  return lk_engine_job (self->engine, jobs->id[job], &info)
         && info.reason >= LK_REASON_PARTITION_NODE_LIMIT
         && info.reason <= LK_REASON_PARTITION_INACTIVE;
}

static gint
compare_tiers (gconstpointer a, gconstpointer b, gpointer user)
{
  const LkMachine *machine = user;
  guint32 x = machine->partitions[*(const guint32 *)a].spec->priority_tier;
  guint32 y = machine->partitions[*(const guint32 *)b].spec->priority_tier;
  return (x < y) - (x > y);
}

/* Of a job in several partitions one for each, as sprio prints it, the highest tier first. */
void
lk_query_priority (const LkController *self, LkJobIndex job, GByteArray *out)
{
  const LkJobColumns *jobs = lk_engine_view (self->engine)->jobs;
  const LkRequest *request = lk_engine_job_request (self->engine, jobs->id[job]);
  if (!has_priority (self, job))
    return;
  if (request == NULL || request->partitions == NULL || request->partitions->len == 0) {
    tell_priority (self, job, jobs->partition[job], out);
    return;
  }
  g_autoptr (GArray) partitions = g_array_copy (request->partitions);
  g_array_sort_with_data (partitions, compare_tiers, (gpointer)lk_engine_machine (self->engine));
  for (guint i = 0; i < partitions->len; i++)
    tell_priority (self, job, g_array_index (partitions, guint32, i), out);
}

/* ---------------------------------------------------------------- the controller */

void
lk_query_controller (LkController *self, guint32 *next, GByteArray *out)
{
  const LkControllerWork *work = &self->work;
  LkJournalHeader header = *self->config.header;
  LkDigestValue digest = lk_engine_digest (self->engine);
  LkEngineCounts counts;
  LkRecord record = { .kind = LK_RECORD_CONTROLLER };
  lk_engine_counts (self->engine, &counts);
  lk_engine_config_described (self->engine, &header); /* where it was read anew */
  record.controller = (LkRecord_controller){
    .term = self->term,
    .seq = self->seq,
    .now_us = self->engine_us,
    .digest_low = digest.low,
    .digest_high = digest.high,
    .pending_count = counts.pending_count,
    .running_count = counts.running_count,
    .agent_count = self->ready_count,
    .submit_count = work->submit_count,
    .start_count = work->start_count,
    .backfill_count = work->backfill_count,
    .end_count = work->end_count,
    .pass_count = work->pass_count,
    .refused_count = self->counts.refused_count,
    .malformed_count = self->counts.malformed_count,
    .order = header.order,
    .began_us = lk_time_add_us (self->engine_us, self->started_us - self->clock_us),
    .completed_count = work->completed_count,
    .cancelled_count = work->cancelled_count,
    .failed_count = work->failed_count,
    .pass_last_us = work->pass_last_us,
    .pass_max_us = work->pass_max_us,
    .pass_sum_us = work->pass_sum_us,
    .queue_last = work->queue_last,
    .unsent_count = self->outbox->len - self->outbox_begin,
    .backfill = header.backfill,
    .select = header.select,
    .preempt = header.preempt,
    .backfill_before_count = work->backfill_before_count,
    .counted_us = lk_time_add_us (self->engine_us, self->counted_from_us - self->clock_us),
    .log_level = (guint8)lk_controller_log_level (self),
  };
  lk_record_append (&record, out);
  *next = 0;
}

void
lk_controller_statistics_answer (LkController *self, const LkPeer *peer, guint64 request,
                                 LkReject error)
{
  LkMessage answer = { .kind = LK_MESSAGE_STATISTICS_WERE_RESET };
  answer.statistics_were_reset =
      (LkMessage_statistics_were_reset){ .request = request, .error = (guint16)error };
  lk_controller_send (self, peer->id, &answer);
}

/* Of the one count that is told for all the time the controller runs, what was before is kept. */
void
lk_controller_statistics_reset (LkController *self, const LkPeer *peer, guint64 request)
{
  guint64 before_count = self->work.backfill_before_count + self->work.backfill_count;
  self->work = (LkControllerWork){ .backfill_before_count = before_count };
  lk_rpc_book_clear (self->rpcs);
  self->counted_from_us = self->clock_us;
  lk_controller_statistics_answer (self, peer, request, 0);
}
