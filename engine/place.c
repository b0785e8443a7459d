/* engine/place.c — see the header. */
#include "engine/place.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/checked.h"
#include "engine/offer.h"
#include "engine/offer_near.h"
#include "engine/timeline.h"

void
lk_placer_init (LkPlacer *self, LkMachine *machine, const LkView *view,
                const LkSelectPolicy *select, void *select_self)
{
  *self = (LkPlacer){
    .machine = machine,
    .view = view,
    .select = select,
    .cache = lk_offer_cache_new (machine),
    .select_self = select_self,
    .offers = g_array_new (FALSE, FALSE, sizeof (LkOffer)),
    .picks = g_array_new (FALSE, FALSE, sizeof (LkPick)),
    .share_starts = g_array_new (FALSE, FALSE, sizeof (guint32)),
    /* Its memory is pointed into even while it is empty. */
    .shares = g_array_sized_new (FALSE, FALSE, sizeof (guint32), 16),
    .pieces = g_array_new (FALSE, FALSE, sizeof (guint32)),
    .candidates = g_new0 (guint64, machine->nodes.node_words),
    .required = g_new0 (guint64, machine->nodes.node_words),
    .chosen = g_new0 (guint64, machine->nodes.node_words),
  };
}

void
lk_placer_clear (LkPlacer *self)
{
  g_array_unref (self->offers);
  g_array_unref (self->picks);
  g_array_unref (self->share_starts);
  lk_offer_cache_free (self->cache);
  g_array_unref (self->shares);
  g_array_unref (self->pieces);
  g_free (self->candidates);
  g_free (self->required);
  g_free (self->chosen);
}

/* ---------------------------------------------------------------- offers */

static gboolean
make_offer (LkPlacer *self, const LkRequest *request, guint32 node, const LkNodeFree *free,
            LkOffer *offer)
{
  gboolean is_narrow;
  if (!self->is_bound)
    return lk_offer_make (self->machine, request, node, free, offer);
  gboolean is_made = lk_offer_make_bound (self->machine, request, node, free, offer, &is_narrow);
  self->is_narrow = self->is_narrow || is_narrow;
  return is_made;
}

/* CPUs that jobs of the partition hold on a node at any time of the window, all together. */
static guint32
partition_cpus (const LkWindow *window, guint32 node, guint32 partition)
{
  const LkNodeTable *nodes = window->nodes;
  guint32 cpus = 0;
  if (window->idle)
    return 0;
  for (guint32 i = nodes->piece_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node) {
    const LkPiece *piece = lk_piece (nodes, i);
    if (piece->partition == partition && lk_window_gone (window, piece->job) == LK_GONE_NOT
        && lk_held_until_us (window->now_us, piece->to_us) > window->from_us)
      cpus += piece->cpus;
  }
  if (window->planned_first == NULL)
    return cpus;
  for (guint32 i = window->planned_first[node]; i != LK_PIECE_NONE;
       i = lk_piece (nodes, i)->next_on_node) {
    const LkPiece *piece = lk_piece (nodes, i);
    if (piece->partition == partition && piece->job != window->except
        && piece->from_us < window->to_us && piece->to_us > window->from_us)
      cpus += piece->cpus;
  }
  return cpus;
}

/* Lowers an offer to what the jobs of the partition may have of a node together (MaxCPUsPerNode).
 * FALSE: nothing is left of it. */
static gboolean
limit_by_partition (const LkPlacer *self, const LkRequest *request, const LkWindow *window,
                    LkOffer *offer)
{
  const LkDemand *demand = &request->demand;
  guint32 most = self->machine->partitions[request->partition].spec->cpus_per_node_max;
  if (most == LK_COUNT_UNLIMITED || request->whole_nodes)
    return TRUE;
  const LkNodeKind *kind = lk_node_kind (window->nodes, offer->node);
  guint32 held = partition_cpus (window, offer->node, request->partition);
  guint32 cores = (most - MIN (most, held)) / kind->cpus_per_core;
  guint32 cpus = MIN (offer->cpus, cores * lk_cpus_used_per_core (request, kind));
  offer->cpus = cpus - cpus % demand->cpus_per_task;
  offer->tasks = MIN (offer->tasks, offer->cpus / demand->cpus_per_task);
  return offer->tasks > 0 && offer->cpus >= MAX (1, demand->cpus_per_node_min);
}

static void
take_offer (LkPlacer *self, const LkRequest *request, const LkWindow *window, LkOffer offer,
            const guint32 *shares)
{
  guint32 start = self->shares->len;
  if (!limit_by_partition (self, request, window, &offer))
    return;
  offer.is_required = lk_bits_has (self->required, offer.node) ? 1 : 0;
  g_array_append_val (self->share_starts, start);
  g_array_append_vals (self->shares, shares, offer.device_count);
  g_array_append_val (self->offers, offer);
}

static void
add_offer (LkPlacer *self, const LkRequest *request, guint32 node, const LkWindow *window)
{
  LkNodeFree free;
  LkOffer offer;
  lk_window_node (window, node, &free);
  if (make_offer (self, request, node, &free, &offer))
    take_offer (self, request, window, offer, free.shares);
}

/* The same, from what is known, or is to be known from now on. */
static void
add_known_offer (LkPlacer *self, const LkRequest *request, guint32 node, const LkWindow *window,
                 LkKnownOffer *known)
{
  gboolean is_fresh;
  guint32 *shares = lk_offer_cache_shares (self->cache, node, &is_fresh);
  if (!is_fresh || known->stamp != self->machine->nodes.stamp[node]) {
    LkNodeFree free;
    gboolean narrow_before = self->is_narrow;
    self->is_narrow = FALSE;
    lk_window_node (window, node, &free);
    known->is_made = make_offer (self, request, node, &free, &known->offer);
    known->is_narrow = self->is_narrow;
    known->stamp = self->machine->nodes.stamp[node];
    self->is_narrow = narrow_before;
    memcpy (shares, free.shares,
            lk_node_kind (&self->machine->nodes, node)->device_count * sizeof (guint32));
  }
  self->is_narrow = self->is_narrow || known->is_narrow;
  if (known->is_made)
    take_offer (self, request, window, known->offer, shares);
}

/* What a node of one kind offers while it is idle. */
typedef struct {
  guint32 kind; /* LK_NODE_NONE: none yet */
  gboolean is_made;
  guint32 share_start;
  LkOffer offer;
  LkNodeFree free;
} IdleOffer;

static void
make_idle_offer (LkPlacer *self, const LkRequest *request, guint32 node, const LkWindow *window,
                 IdleOffer *idle)
{
  idle->kind = self->machine->nodes.kind_of[node];
  lk_window_node (window, node, &idle->free);
  idle->is_made = make_offer (self, request, node, &idle->free, &idle->offer)
                  && limit_by_partition (self, request, window, &idle->offer);
  idle->share_start = self->shares->len;
  if (idle->is_made)
    g_array_append_vals (self->shares, idle->free.shares, idle->offer.device_count);
}

/* Nodes of one kind offer the same, and mostly follow one another. */
static void
collect_idle_offers (LkPlacer *self, const LkRequest *request, const guint64 *set,
                     const LkWindow *window)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  guint count = 0;
  IdleOffer idle = { .kind = LK_NODE_NONE };
  g_array_set_size (self->offers, nodes->node_count);
  g_array_set_size (self->share_starts, nodes->node_count);
  LkOffer *offers = (LkOffer *)(gpointer)self->offers->data;
  guint32 *share_starts = (guint32 *)(gpointer)self->share_starts->data;
  for (guint32 word = 0; word < nodes->node_words; word++) {
    guint64 rest = self->candidates[word] & (set != NULL ? set[word] : ~G_GUINT64_CONSTANT (0));
    for (; rest != 0; rest &= rest - 1) {
      guint32 node = word * 64 + (guint32)__builtin_ctzll (rest);
      if (idle.kind != nodes->kind_of[node])
        make_idle_offer (self, request, node, window, &idle);
      if (!idle.is_made)
        continue;
      offers[count] = idle.offer;
      offers[count].node = node;
      offers[count].is_required = lk_bits_has (self->required, node) ? 1 : 0;
      share_starts[count++] = idle.share_start;
    }
  }
  g_array_set_size (self->offers, count);
  g_array_set_size (self->share_starts, count);
}

/* The same of a node that is idle for all of the window, as others of its kind may be. */
static void
add_idle_offer (LkPlacer *self, const LkRequest *request, guint32 node, const LkWindow *window,
                IdleOffer *idle)
{
  if (idle->kind != self->machine->nodes.kind_of[node])
    make_idle_offer (self, request, node, window, idle);
  if (!idle->is_made)
    return;
  LkOffer offer = idle->offer;
  offer.node = node;
  offer.is_required = lk_bits_has (self->required, node) ? 1 : 0;
  g_array_append_val (self->share_starts, idle->share_start);
  g_array_append_val (self->offers, offer);
}

static void
collect_held_offers (LkPlacer *self, const LkRequest *request, const guint64 *set,
                     const LkWindow *window)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  LkKnownOffer *known = lk_offer_cache_kind (self->cache, request, window, self->is_bound);
  gboolean may_be_idle = known == NULL && window->timelines != NULL && window->reservations == NULL;
  IdleOffer idle = { .kind = LK_NODE_NONE };
  g_array_set_size (self->offers, 0);
  g_array_set_size (self->share_starts, 0);
  for (guint32 word = 0; word < nodes->node_words; word++) {
    guint64 rest = self->candidates[word] & (set != NULL ? set[word] : ~G_GUINT64_CONSTANT (0));
    for (; rest != 0; rest &= rest - 1) {
      guint32 node = word * 64 + (guint32)__builtin_ctzll (rest);
      if (known != NULL && lk_offer_cache_fits (window, node))
        add_known_offer (self, request, node, window, &known[node]);
      else if (may_be_idle && lk_timelines_is_idle (window->timelines, window, node))
        add_idle_offer (self, request, node, window, &idle);
      else
        add_offer (self, request, node, window);
    }
  }
}

/* The offers of the candidates that are also in `set` (NULL: of all of them). */
static void
collect_offers (LkPlacer *self, const LkRequest *request, const guint64 *set,
                const LkWindow *window)
{
  g_array_set_size (self->shares, 0);
  if (window->idle)
    collect_idle_offers (self, request, set, window);
  else
    collect_held_offers (self, request, set, window);
  for (guint i = 0; i < self->offers->len; i++)
    g_array_index (self->offers, LkOffer, i).device_shares_free =
        &g_array_index (self->shares, guint32, g_array_index (self->share_starts, guint32, i));
}

static gboolean
offers_all_required (const LkPlacer *self)
{
  guint32 found = 0;
  for (guint i = 0; i < self->offers->len; i++)
    found += g_array_index (self->offers, LkOffer, i).is_required;
  return found == lk_bits_count (self->required, self->machine->nodes.node_words);
}

static gboolean
choose (LkPlacer *self, const LkDemand *demand)
{
  guint32 count = 0;
  if (self->offers->len < demand->nodes_min || !offers_all_required (self))
    return FALSE;
  g_array_set_size (self->picks, self->offers->len);
  LkOffers offers = { (const LkOffer *)(gpointer)self->offers->data, self->offers->len };
  if (!self->select->choose (self->select_self, self->view, demand, &offers,
                             (LkPick *)(gpointer)self->picks->data, &count))
    return FALSE;
  LK_ASSERT (count >= 1);
  LK_ASSERT (count <= self->offers->len);
  g_array_set_size (self->picks, count);
  return TRUE;
}

/* Makes nodes required for each counted feature, by a choice among the nodes that have it. */
static gboolean
require_counts (LkPlacer *self, const LkRequest *request, const LkDemand *demand,
                const LkWindow *window)
{
  const GArray *counts = request->constraint.counts;
  for (guint i = 0; counts != NULL && i < counts->len; i++) {
    const LkFeatureCount *count = &g_array_index (counts, LkFeatureCount, i);
    LkDemand part = *demand;
    g_autofree guint64 *before =
        g_memdup2 (self->required, self->machine->nodes.node_words * sizeof (guint64));
    part.nodes_min = part.nodes_max = part.nodes_wanted = count->count;
    part.cpus_min = MAX (part.cpus_per_node_min, 1) * count->count;
    part.gpus_total = MIN (part.gpus_total, count->count);
    /* Nodes that an earlier feature has taken are not offered a second time. */
    memset (self->required, 0, self->machine->nodes.node_words * sizeof (guint64));
    g_autofree guint64 *set = g_new0 (guint64, self->machine->nodes.node_words);
    for (guint32 word = 0; word < self->machine->nodes.node_words; word++)
      set[word] = count->nodes[word] & ~before[word];
    collect_offers (self, request, set, window);
    gboolean chosen = choose (self, &part);
    memcpy (self->required, before, self->machine->nodes.node_words * sizeof (guint64));
    if (!chosen)
      return FALSE;
    for (guint p = 0; p < self->picks->len; p++) {
      guint32 offer = g_array_index (self->picks, LkPick, p).offer;
      lk_bits_add (self->required, g_array_index (self->offers, LkOffer, offer).node);
    }
  }
  return TRUE;
}

/* ---------------------------------------------------------------- pieces */

void
lk_placer_discard (LkPlacer *self, guint32 first_piece)
{
  lk_piece_free_chain (&self->machine->nodes, first_piece);
}

guint32
lk_placer_cpus (const LkPlacer *self, guint32 first_piece)
{
  guint32 cpus = 0;
  for (guint32 i = first_piece; i != LK_PIECE_NONE;
       i = lk_piece (&self->machine->nodes, i)->next_of_job)
    cpus += lk_piece (&self->machine->nodes, i)->cpus;
  return cpus;
}

gboolean
lk_piece_is_free_over (const LkPlacer *self, const LkRequest *request, const LkPiece *piece,
                       gint64 now_us, guint8 over)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  LkNodeFree free;
  LkWindow window = { .nodes = nodes,
                      .now_us = now_us,
                      .from_us = now_us,
                      .to_us = lk_time_add_us (now_us, 1),
                      .except = LK_JOB_NONE,
                      .user_id = piece->user_id,
                      .sharing_jobs = request->sharing_jobs,
                      .tier = request->tier,
                      .partition = request->partition,
                      .own_rows = request->own_rows,
                      .shares = request->shares,
                      .whole_user = request->whole_user,
                      .over = over };
  lk_window_node (&window, piece->node, &free);
  if ((!free.open && over == LK_OVER_NONE)
      || ((piece->flags & LK_PIECE_WHOLE) != 0 && !free.is_idle)
      || piece->memory_bytes > free.memory_bytes || (piece->devices & ~free.devices) != 0
      || (piece->shares > 0 && piece->shares > free.shares[piece->share_device]))
    return FALSE;
  for (guint32 word = 0; word < nodes->core_words; word++)
    if ((piece->cores[word] & ~free.cores[word]) != 0)
      return FALSE;
  for (guint32 name = 0; name < nodes->gres_count; name++)
    if (piece->counts[name] > free.counts[name])
      return FALSE;
  return TRUE;
}

gboolean
lk_piece_is_free (const LkPlacer *self, const LkRequest *request, const LkPiece *piece,
                  gint64 now_us)
{
  return lk_piece_is_free_over (self, request, piece, now_us, LK_OVER_NONE);
}

/* Puts a piece into a job's list, in node order; picks mostly come in that order. */
static void
link_piece (LkNodeTable *nodes, guint32 *first, guint32 last, guint32 added)
{
  LkPiece *piece = lk_piece (nodes, added);
  guint32 *link = first;
  if (last != LK_PIECE_NONE && lk_piece (nodes, last)->node < piece->node)
    link = &lk_piece (nodes, last)->next_of_job;
  while (*link != LK_PIECE_NONE && lk_piece (nodes, *link)->node < piece->node)
    link = &lk_piece (nodes, *link)->next_of_job;
  piece->next_of_job = *link;
  *link = added;
}

/* A piece on an idle node that is as another one of its kind, but for the node. */
static gboolean
is_alike (const LkNodeTable *nodes, const LkPiece *piece, const LkPick *its, guint32 node,
          const LkPick *pick)
{
  return nodes->kind_of[piece->node] == nodes->kind_of[node] && its->cpus == pick->cpus
         && its->gpus == pick->gpus && its->devices == pick->devices;
}

static gboolean
take_pick (LkPlacer *self, const LkRequest *request, const LkWindow *window, guint at,
           guint32 added)
{
  LkNodeTable *nodes = &self->machine->nodes;
  LkPiece *piece = lk_piece (nodes, added);
  const LkPick *pick = &g_array_index (self->picks, LkPick, at);
  guint32 node = g_array_index (self->offers, LkOffer, pick->offer).node;
  if (window->idle && at > 0) {
    const LkPiece *before = lk_piece (nodes, g_array_index (self->pieces, guint32, at - 1));
    if (is_alike (nodes, before, pick - 1, node, pick)) {
      lk_piece_copy (nodes, before, piece);
      piece->node = node;
      return TRUE;
    }
  }
  LkNodeFree free;
  lk_window_node (window, node, &free);
  return lk_offer_take (self->machine, request, node, &free, pick, piece);
}

/* One piece for each pick. */
static guint32
take_picks (LkPlacer *self, const LkRequest *request, LkJobIndex job, const LkWindow *window)
{
  LkNodeTable *nodes = &self->machine->nodes;
  guint32 first = LK_PIECE_NONE;
  guint32 last = LK_PIECE_NONE;
  g_array_set_size (self->pieces, self->picks->len);
  for (guint i = 0; i < self->picks->len; i++) {
    LK_ASSERT (g_array_index (self->picks, LkPick, i).offer < self->offers->len);
    guint32 added = lk_piece_new (nodes);
    LkPiece *piece = lk_piece (nodes, added);
    gboolean taken = take_pick (self, request, window, i, added);
    piece->job = job;
    piece->from_us = window->from_us;
    piece->to_us = window->to_us;
    piece->user_id = window->user_id;
    piece->reservation = window->inside != NULL ? window->inside->number : 0;
    link_piece (nodes, &first, last, added);
    g_array_index (self->pieces, guint32, i) = added;
    last = added;
    if (!taken) {
      lk_placer_discard (self, first);
      return LK_PIECE_NONE;
    }
  }
  return first;
}

/* ---------------------------------------------------------------- GPUs of all nodes together */

static const LkOffer *
offer_of (const LkPlacer *self, guint pick)
{
  guint32 offer = g_array_index (self->picks, LkPick, pick).offer;
  return &g_array_index (self->offers, LkOffer, offer);
}

/* GPUs that the pick may have at most beyond those it has. */
static guint32
gpus_room (const LkPlacer *self, guint pick)
{
  const LkPiece *piece =
      lk_piece (&self->machine->nodes, g_array_index (self->pieces, guint32, pick));
  guint32 has = (guint32)__builtin_popcountll (piece->devices);
  guint32 most = offer_of (self, pick)->gpus;
  return most - MIN (most, has);
}

static guint32
add_gpus (LkPlacer *self, const LkRequest *request, const LkWindow *window, guint pick,
          guint32 most, gboolean near)
{
  LkNodeFree free;
  most = MIN (most, gpus_room (self, pick));
  if (most == 0)
    return 0;
  lk_window_node (window, offer_of (self, pick)->node, &free);
  LkPiece *piece = lk_piece (&self->machine->nodes, g_array_index (self->pieces, guint32, pick));
  return lk_offer_take_gpus (self->machine, request, &free, most, near, piece);
}

/* What the first round gives a node: the GPUs of its tasks, or as many as may be. */
static guint32
gpus_wanted (const LkPlacer *self, const LkRequest *request, guint pick)
{
  guint32 per_task = request->gpus_per_task.count;
  guint32 cpus = g_array_index (self->picks, LkPick, pick).cpus;
  if (per_task == 0)
    return G_MAXUINT32;
  return per_task * MIN (offer_of (self, pick)->tasks, cpus / request->demand.cpus_per_task);
}

/* FALSE: they cannot be had so. */
static gboolean
deal_gpus (LkPlacer *self, const LkRequest *request, const LkWindow *window)
{
  guint32 per_task = request->gpus_per_task.count;
  guint32 left = request->demand.gpus_total;
  for (guint i = 0; i < self->picks->len; i++) {
    guint32 kept = (self->picks->len - 1 - i) * MAX (1, per_task);
    guint32 most = MIN (gpus_wanted (self, request, i), left - MIN (left, kept));
    left -= add_gpus (self, request, window, i, most, /* near= */ per_task == 0);
  }
  /* Who has none near gets one before others get more. */
  for (guint i = 0; i < self->picks->len && left > 0; i++)
    if (gpus_room (self, i) == offer_of (self, i)->gpus)
      left -= add_gpus (self, request, window, i, 1, /* near= */ FALSE);
  for (guint i = 0; i < self->picks->len && left > 0; i++)
    left -= add_gpus (self, request, window, i, left, /* near= */ FALSE);
  return left == 0;
}

/* Has the policy named the GPUs of any pick?  Of the others it has given the number. */
static gboolean
names_gpus (const LkPlacer *self, const LkRequest *request)
{
  for (guint i = 0; i < self->picks->len && request->demand.shares_per_node == 0; i++)
    if (g_array_index (self->picks, LkPick, i).devices != 0)
      return TRUE;
  return FALSE;
}

static gboolean
add_numbers (LkPlacer *self, const LkRequest *request, const LkWindow *window)
{
  for (guint i = 0; i < self->picks->len; i++) {
    const LkPick *pick = &g_array_index (self->picks, LkPick, i);
    if (pick->devices == 0
        && add_gpus (self, request, window, i, pick->gpus, /* near= */ FALSE) < pick->gpus)
      return FALSE;
  }
  return TRUE;
}

/* FALSE: the job cannot have its GPUs where its cores are. */
static gboolean
complete_gpus (LkPlacer *self, const LkRequest *request, const LkWindow *window)
{
  if (request->demand.gpus_total == 0 || lk_request_has_all_gres (request, self->machine))
    return TRUE;
  return names_gpus (self, request) ? add_numbers (self, request, window)
                                    : deal_gpus (self, request, window);
}

/* ---------------------------------------------------------------- placing */

static guint32
place_once (LkPlacer *self, const LkRequest *request, LkJobIndex job, const LkWindow *window,
            gboolean switches)
{
  LkDemand demand = request->demand;
  guint32 word_count = self->machine->nodes.node_words;
  if (!switches)
    demand.switches_max = 0;
  /* Idle without a set of nodes is no start, but a look at the idle machine. */
  if (window->from_us == window->now_us && (!window->idle || self->among != NULL))
    demand.flags |= LK_DEMAND_NOW;
  if (request->required != NULL)
    memcpy (self->required, request->required, word_count * sizeof (guint64));
  else
    memset (self->required, 0, word_count * sizeof (guint64));
  if (request->constraint.counts != NULL && !require_counts (self, request, &demand, window))
    return LK_PIECE_NONE;
  collect_offers (self, request, NULL, window);
  if (!choose (self, &demand))
    return LK_PIECE_NONE;
  guint32 first = take_picks (self, request, job, window);
  if (first != LK_PIECE_NONE && !complete_gpus (self, request, window)) {
    lk_placer_discard (self, first);
    return LK_PIECE_NONE;
  }
  return first;
}

/* Cores near to GPUs are tried first. */
static guint32
place_in (LkPlacer *self, const LkRequest *request, LkJobIndex job, const LkWindow *window,
          gboolean switches)
{
  self->is_bound = lk_wants_near (request) && !request->disable_binding;
  self->is_narrow = FALSE;
  guint32 first = place_once (self, request, job, window, switches);
  if (first != LK_PIECE_NONE || !self->is_narrow || request->enforce_binding)
    return first;
  self->is_bound = FALSE;
  return place_once (self, request, job, window, switches);
}

static void
set_candidates (LkPlacer *self, const LkRequest *request, const guint64 *set,
                const LkWindow *window)
{
  const guint64 *among = self->among;
  const LkNodeTable *nodes = &self->machine->nodes;
  for (guint32 word = 0; word < nodes->node_words; word++) {
    self->candidates[word] = request->eligible[word];
    if (!window->idle)
      self->candidates[word] &= nodes->usable[word];
    if (set != NULL)
      self->candidates[word] &= set[word];
    if (among != NULL)
      self->candidates[word] &= among[word];
  }
  if (window->reservations != NULL && !window->idle)
    lk_reservations_mask (window, self->candidates);
}

/* Tries the feature alternatives, or all nodes where there are none. */
static guint32
place_alternatives (LkPlacer *self, const LkRequest *request, LkJobIndex job,
                    const LkWindow *window, gboolean switches)
{
  const GPtrArray *alternatives = request->constraint.alternatives;
  guint count = alternatives != NULL ? alternatives->len : 1;
  for (guint i = 0; i < count; i++) {
    set_candidates (self, request,
                    alternatives != NULL ? g_ptr_array_index (alternatives, i) : NULL, window);
    guint32 first = place_in (self, request, job, window, switches);
    if (first != LK_PIECE_NONE)
      return first;
  }
  return LK_PIECE_NONE;
}

guint32
lk_placer_place (LkPlacer *self, const LkRequest *request, LkJobIndex job, LkWindow *window,
                 gboolean switches)
{
  guint32 levels = request->own_rows ? 2 * request->sharing_jobs : request->sharing_jobs;
  window->tier = request->tier;
  window->partition = request->partition;
  window->shares = request->shares;
  window->whole_user = request->whole_user;
  for (guint32 level = 0; level < levels; level++) {
    window->own_rows = level >= request->sharing_jobs;
    window->sharing_jobs = level % request->sharing_jobs + 1;
    if (self->may_bundle && level == 0) {
      set_candidates (self, request, NULL, window);
      guint32 bundle = lk_placer_place_alike (self, request, job, window);
      if (bundle != LK_PIECE_NONE)
        return bundle;
    }
    guint32 first = place_alternatives (self, request, job, window, switches);
    if (first != LK_PIECE_NONE)
      return first;
  }
  return LK_PIECE_NONE;
}
