/* sim/why_nodes.c — nodes that a job names, licences, and whether it fits beside what runs.
 *
 * Whether it fits is asked of a plan without any reservation, so that the answer is the one that
 * the backfill policy would get if no other job waited. */
#include <string.h>

#include "engine/bits.h"
#include "engine/checked.h"
#include "engine/offer.h"
#include "engine/window.h"
#include "sim/why_private.h"

#define NODES_NAMED_MAX 4u

/* ---------------------------------------------------------------- nodes that it names */

static void
find_required (LkWhy *self, const LkEngine *engine, const LkRequest *request)
{
  const LkNodeTable *nodes = lk_engine_nodes (engine);
  g_autoptr (GString) text = g_string_new ("nodes that it asks for take no jobs: ");
  g_autoptr (GString) names = g_string_new (NULL);
  guint32 count = 0;
  if (request->required == NULL)
    return;
  for (guint32 node = lk_bits_next (request->required, nodes->node_words, 0);
       node < nodes->node_count;
       node = lk_bits_next (request->required, nodes->node_words, node + 1)) {
    if (nodes->flags[node] == 0)
      continue;
    g_string_append_printf (names, "%s%s", count > 0 ? "," : "", nodes->names[node]);
    if (count++ >= NODES_NAMED_MAX)
      continue;
    gboolean has_reason = nodes->reasons[node] != NULL && nodes->reasons[node][0] != '\0';
    g_string_append_printf (text, "%s%s %s%s%s%s", count > 1 ? ", " : "", nodes->names[node],
                            lk_node_state_text (nodes, node, FALSE), has_reason ? " (" : "",
                            has_reason ? nodes->reasons[node] : "", has_reason ? ")" : "");
  }
  if (count == 0)
    return;
  if (count > NODES_NAMED_MAX)
    g_string_append_printf (text, " and %u more", count - NODES_NAMED_MAX);
  LkWhyBlocker *blocker = lk_why_add_blocker (self, LK_WHY_REQUIRED_NODES);
  blocker->reason = LK_REASON_REQ_NODE_NOT_AVAIL;
  blocker->name = g_string_free (g_steal_pointer (&names), FALSE);
  blocker->text = g_string_free (g_steal_pointer (&text), FALSE);
}

/* ---------------------------------------------------------------- licences */

static guint32
license_count (const LkRequest *request, guint32 license)
{
  for (guint i = 0; request != NULL && request->licenses != NULL && i < request->licenses->len; i++)
    if (g_array_index (request->licenses, LkLicenseDemand, i).license == license)
      return g_array_index (request->licenses, LkLicenseDemand, i).count;
  return 0;
}

static void
add_license (LkWhy *self, const LkEngine *engine, const LkLicenseDemand *demand)
{
  const LkMachine *machine = lk_engine_machine (engine);
  const LkView *view = lk_engine_view (engine);
  const LkLicenseSpec *spec = g_ptr_array_index (machine->cluster->licenses, demand->license);
  LkWhyBlocker *blocker = lk_why_add_blocker (self, LK_WHY_LICENSES);
  blocker->reason = LK_REASON_LICENSES;
  blocker->name = g_strdup (spec->name);
  blocker->unit = spec->name;
  blocker->limit = machine->licenses_total[demand->license];
  blocker->used = blocker->limit - machine->licenses_free[demand->license];
  blocker->asked = demand->count;
  for (LkJobIndex job = 0; job < view->job_index_limit; job++) {
    if (view->jobs->phase[job] != LK_PHASE_RUNNING)
      continue;
    guint32 held =
        license_count (lk_engine_job_request (engine, view->jobs->id[job]), demand->license);
    if (held > 0)
      lk_why_add_job (blocker, engine, job, held);
  }
  lk_why_sort_jobs (blocker);
  g_autoptr (GString) text = g_string_new (NULL);
  g_string_append_printf (text,
                          "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                          " licences %s are in use, it asks for %" G_GUINT64_FORMAT "; by ",
                          blocker->used, blocker->limit, spec->name, blocker->asked);
  lk_why_append_jobs (blocker, "", text);
  blocker->text = g_string_free (g_steal_pointer (&text), FALSE);
}

static void
find_licenses (LkWhy *self, const LkEngine *engine, const LkRequest *request)
{
  const LkMachine *machine = lk_engine_machine (engine);
  for (guint i = 0; request->licenses != NULL && i < request->licenses->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (request->licenses, LkLicenseDemand, i);
    if (demand->count > machine->licenses_free[demand->license])
      add_license (self, engine, demand);
  }
}

/* ---------------------------------------------------------------- what each node lacks */

static guint32
free_cpus (const LkNodeTable *nodes, const LkNodeKind *kind, const LkNodeFree *free)
{
  return lk_bits_count (free->cores, nodes->core_words) * kind->cpus_per_core;
}

static void
count_node (LkWhyNodes *self, const LkMachine *machine, const LkRequest *request,
            const LkWindow *window, guint32 node)
{
  const LkNodeKind *kind = lk_node_kind (&machine->nodes, node);
  const LkDemand *demand = &request->demand;
  LkNodeFree free;
  LkOffer offer;
  self->eligible++;
  if (!lk_bits_has (machine->nodes.usable, node)) {
    self->unusable++;
    return;
  }
  lk_window_node (window, node, &free);
  if (lk_offer_make (machine, request, node, &free, &offer)) {
    self->able++;
    self->able_cpus += offer.cpus;
  } else if (!free.open || (request->whole_nodes && !free.is_idle)) {
    self->taken++;
  } else if (free_cpus (&machine->nodes, kind, &free) < MAX (1, demand->cpus_per_node_min)) {
    self->cpus_short++;
  } else if (lk_bits_count_word (free.devices)
             < MAX (demand->gpus_per_node, demand->gpus_total > 0 ? 1 : 0)) {
    self->gpus_short++;
  } else if (request->memory != LK_MEMORY_NONE && free.memory_bytes < request->memory_bytes) {
    self->memory_short++;
  } else {
    self->other++;
  }
}

static void
count_nodes (LkWhyNodes *self, const LkEngine *engine, LkJobIndex job, const LkRequest *request)
{
  const LkMachine *machine = lk_engine_machine (engine);
  const LkView *view = lk_engine_view (engine);
  const LkNodeTable *nodes = &machine->nodes;
  LkWindow window = { .nodes = nodes,
                      .now_us = view->now_us,
                      .from_us = view->now_us,
                      .to_us = lk_time_add_us (view->now_us, view->jobs->estimate_us[job]),
                      .except = LK_JOB_NONE,
                      .user_id = view->jobs->user_id[job],
                      .sharing_jobs = request->sharing_jobs,
                      .shares = request->sharing_jobs > 1,
                      .whole_user = request->whole_user };
  self->wanted = request->demand.nodes_min;
  for (guint32 node = lk_bits_next (request->eligible, nodes->node_words, 0);
       node < nodes->node_count;
       node = lk_bits_next (request->eligible, nodes->node_words, node + 1))
    count_node (self, machine, request, &window, node);
}

static char *
nodes_text (const LkWhyNodes *self, const LkRequest *request)
{
  const struct {
    guint32 count;
    const char *what;
  } reasons[] = { { self->unusable, "down or drained" },     { self->taken, "taken by one job" },
                  { self->cpus_short, "short of CPUs" },     { self->gpus_short, "short of GPUs" },
                  { self->memory_short, "short of memory" }, { self->other, "otherwise not fit" } };
  GString *out = g_string_new (NULL);
  g_string_append_printf (out, "it needs %u node%s", self->wanted, self->wanted == 1 ? "" : "s");
  if (request->demand.cpus_min > self->wanted)
    g_string_append_printf (out, " with %u CPUs in all", request->demand.cpus_min);
  g_string_append_printf (out, "; of %u that could serve it, %u can now", self->eligible,
                          self->able);
  if (self->able > 0)
    g_string_append_printf (out, " (%u CPU%s)", self->able_cpus, self->able_cpus == 1 ? "" : "s");
  for (guint i = 0; i < G_N_ELEMENTS (reasons); i++)
    if (reasons[i].count > 0)
      g_string_append_printf (out, ", %u %s", reasons[i].count, reasons[i].what);
  return g_string_free (out, FALSE);
}

/* ---------------------------------------------------------------- does it fit? */

static void
add_resources (LkWhy *self, const LkEngine *engine, LkJobIndex job)
{
  const LkView *view = lk_engine_view (engine);
  const LkRequest *request = lk_engine_job_request (engine, self->info.id);
  LkWhyBlocker *blocker = lk_why_add_blocker (self, LK_WHY_RESOURCES);
  blocker->reason = LK_REASON_RESOURCES;
  blocker->unit = view->cluster == NULL ? "processors" : "CPUs";
  blocker->limit = view->units_total;
  blocker->used = view->units_total - view->units_free;
  blocker->asked = request != NULL ? request->demand.cpus_min : view->jobs->units[job];
  if (request == NULL) {
    blocker->text = g_strdup_printf ("%u of %u processors are free, it asks for %" G_GUINT64_FORMAT,
                                     view->units_free, view->units_total, blocker->asked);
    return;
  }
  blocker->has_nodes = TRUE;
  count_nodes (&blocker->nodes, engine, job, request);
  blocker->text = nodes_text (&blocker->nodes, request);
}

/* Is it a reservation, which has been told, and nothing that runs? */
static gboolean
is_only_reserved (const LkWhy *self, const LkEngine *engine, LkJobIndex job)
{
  const LkRequest *request = lk_engine_job_request (engine, self->info.id);
  LkWhyNodes nodes = { 0 };
  gboolean is_told = FALSE;
  for (guint i = 0; i < self->blockers->len; i++)
    is_told |=
        ((const LkWhyBlocker *)g_ptr_array_index (self->blockers, i))->kind == LK_WHY_RESERVATION;
  if (!is_told || request == NULL)
    return FALSE;
  count_nodes (&nodes, engine, job, request);
  return nodes.able >= nodes.wanted && nodes.able_cpus >= request->demand.cpus_min;
}

void
lk_why_find_nodes (LkWhy *self, LkEngine *copy)
{
  LkJobIndex job = lk_engine_job_index (copy, self->info.id);
  const LkRequest *request = lk_engine_job_request (copy, self->info.id);
  if (request != NULL) {
    find_required (self, copy, request);
    find_licenses (self, copy, request);
  }
  if (!lk_why_trial_fits (copy, self->info.id) && !is_only_reserved (self, copy, job))
    add_resources (self, copy, job);
}
