/* engine/engine_pieces.c — the part of a snapshot that only a machine of nodes has.
 *
 * Nodes: count, then for each its flags and reason; then the moments at which limits of switches
 * fall.  Of a job: the request as the canonical bytes of a submit event, whether it was tried on
 * the idle machine and why it can never run, and for a running job its pieces.  A piece: node,
 * flags, memory, devices, share device, shares, one count for each gres name, the words of its
 * cores, its CPUs, and the number of the reservation in which it runs. */
#include <string.h>

#include "engine/assert.h"
#include "engine/carry.h"
#include "engine/checked.h"
#include "engine/engine_life.h"
#include "engine/in_partition.h"

/* ---------------------------------------------------------------- nodes */

void
lk_engine_save_nodes (const LkEngine *self, GByteArray *out)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  lk_append_u32 (out, nodes->node_count);
  for (guint32 node = 0; node < nodes->node_count; node++) {
    const char *reason = nodes->reasons[node];
    lk_append_u32 (out, nodes->flags[node]);
    lk_append_u32 (out, (guint32)strlen (reason));
    g_byte_array_append (out, (const guint8 *)reason, (guint)strlen (reason));
  }
  lk_append_u32 (out, self->deadlines->len);
  for (guint i = 0; i < self->deadlines->len; i++)
    lk_append_u64 (out, (guint64)g_array_index (self->deadlines, gint64, i));
  lk_engine_save_partitions (self, out);
}

gboolean
lk_engine_load_deadlines (LkEngine *self, LkBytesReader *reader)
{
  guint32 count = lk_take_u32 (reader);
  gint64 last_us = G_MININT64;
  for (guint32 i = 0; i < count && !reader->failed; i++) {
    gint64 at_us = (gint64)lk_take_u64 (reader);
    if (at_us < last_us)
      return FALSE;
    g_array_append_val (self->deadlines, at_us);
    last_us = at_us;
  }
  return !reader->failed;
}

gboolean
lk_engine_load_nodes (LkEngine *self, LkBytesReader *reader)
{
  LkNodeTable *nodes = &self->machine->nodes;
  if (self->carry != NULL)
    return lk_carry_load_nodes (self, reader);
  if (lk_take_u32 (reader) != nodes->node_count)
    return FALSE;
  for (guint32 node = 0; node < nodes->node_count; node++) {
    guint32 flags = lk_take_u32 (reader);
    guint32 length_bytes = lk_take_u32 (reader);
    const guint8 *reason = lk_take (reader, length_bytes);
    if (reason == NULL || memchr (reason, '\0', length_bytes) != NULL
        || (flags & ~(guint32)(LK_NODE_DOWN | LK_NODE_DRAIN | LK_NODE_FAIL | LK_NODE_MAINT)) != 0)
      return FALSE;
    lk_node_table_set_flags (nodes, node, flags, (const char *)reason, length_bytes);
  }
  return lk_engine_load_deadlines (self, reader) && lk_engine_load_partitions (self, reader);
}

/* ---------------------------------------------------------------- pieces */

void
lk_engine_save_pieces (const LkEngine *self, guint32 first_piece, GByteArray *out)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  guint32 count = 0;
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job)
    count++;
  lk_append_u32 (out, count);
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job) {
    const LkPiece *piece = lk_piece (nodes, i);
    lk_append_u32 (out, piece->node);
    lk_append_u32 (out, piece->flags);
    lk_append_u64 (out, (guint64)piece->memory_bytes);
    lk_append_u64 (out, piece->devices);
    lk_append_u32 (out, piece->share_device);
    lk_append_u32 (out, piece->shares);
    for (guint32 name = 0; name < nodes->gres_count; name++)
      lk_append_u32 (out, piece->counts[name]);
    for (guint32 word = 0; word < nodes->core_words; word++)
      lk_append_u64 (out, piece->cores[word]);
    lk_append_u32 (out, piece->cpus);
    lk_append_u32 (out, piece->reservation);
  }
}

/* Where CPUs are handed out, not cores, a job may have fewer than its cores have. */
static gboolean
cpus_are_possible (const LkMachine *machine, const LkPiece *piece)
{
  const LkNodeTable *nodes = &machine->nodes;
  guint32 cpus = lk_bits_count (piece->cores, nodes->core_words)
                 * lk_node_kind (nodes, piece->node)->cpus_per_core;
  return machine->cluster->consume == LK_CONSUME_CPU ? piece->cpus <= cpus : piece->cpus == cpus;
}

static gboolean
piece_is_possible (const LkNodeTable *nodes, const LkPiece *piece)
{
  const LkNodeKind *kind = lk_node_kind (nodes, piece->node);
  if (piece->memory_bytes < 0 || piece->memory_bytes > kind->memory_bytes
      || (piece->devices & ~lk_bits_range (0, kind->device_count)) != 0
      || piece->shares > kind->shares_per_device
      || (piece->shares > 0 ? piece->share_device >= kind->device_count
                                  || lk_bits_has (&piece->devices, piece->share_device)
                            : piece->share_device != 0))
    return FALSE;
  for (guint32 name = 0; name < nodes->gres_count; name++)
    if (piece->counts[name] > kind->counts[name])
      return FALSE;
  for (guint32 word = 0; word < nodes->core_words; word++)
    if ((piece->cores[word] & ~kind->cores_usable[word]) != 0)
      return FALSE;
  return TRUE;
}

static gboolean
read_piece (const LkEngine *self, LkBytesReader *reader, LkPiece *piece)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  piece->node = lk_take_u32 (reader);
  piece->flags = lk_take_u32 (reader);
  piece->memory_bytes = (gint64)lk_take_u64 (reader);
  piece->devices = lk_take_u64 (reader);
  piece->share_device = lk_take_u32 (reader);
  piece->shares = lk_take_u32 (reader);
  for (guint32 name = 0; name < nodes->gres_count; name++)
    piece->counts[name] = lk_take_u32 (reader);
  for (guint32 word = 0; word < nodes->core_words; word++)
    piece->cores[word] = lk_take_u64 (reader);
  piece->cpus = lk_take_u32 (reader);
  piece->reservation = lk_take_u32 (reader);
  return !reader->failed;
}

static gboolean
load_piece (LkEngine *self, LkJobIndex job, LkBytesReader *reader, LkPiece *piece)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
  guint32 flags =
      lk_request_piece_flags (request) | (lk_engine_is_stopped (self, job) ? LK_PIECE_STOPPED : 0);
  if (self->carry != NULL) {
    if (!lk_carry_load_piece (self, reader, piece))
      return FALSE;
    piece->flags = flags;
  } else if (!read_piece (self, reader, piece))
    return FALSE;
  if ((piece->reservation != 0
       && lk_reservations_numbered (self->reservations, piece->reservation) == NULL)
      || piece->node >= nodes->node_count || !piece_is_possible (nodes, piece)
      || !cpus_are_possible (self->machine, piece) || piece->flags != flags)
    return FALSE;
  piece->job = job;
  piece->user_id = self->jobs.user_id[job];
  piece->partition = request->partition;
  return TRUE;
}

gboolean
lk_engine_load_pieces (LkEngine *self, LkJobIndex job, LkBytesReader *reader,
                       guint32 *out_first_piece)
{
  LkNodeTable *nodes = &self->machine->nodes;
  guint32 count = lk_take_u32 (reader);
  guint32 first = LK_PIECE_NONE;
  guint32 last = LK_PIECE_NONE;
  for (guint32 i = 0; i < count; i++) {
    guint32 added = lk_piece_new (nodes);
    guint32 node_last = last != LK_PIECE_NONE ? lk_piece (nodes, last)->node : 0;
    if (last == LK_PIECE_NONE)
      first = added;
    else
      lk_piece (nodes, last)->next_of_job = added;
    if (!load_piece (self, job, reader, lk_piece (nodes, added))
        || (last != LK_PIECE_NONE && lk_piece (nodes, added)->node <= node_last)) {
      lk_placer_discard (&self->placer, first);
      return FALSE;
    }
    last = added;
  }
  *out_first_piece = first;
  return !reader->failed;
}

/* ---------------------------------------------------------------- jobs */

void
lk_engine_save_place (const LkEngine *self, LkJobIndex job, GByteArray *out)
{
  const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
  lk_append_u32 (out, request->key->len);
  g_byte_array_append (out, request->key->data, request->key->len);
  /* Asked again, the select policy might answer otherwise by now. */
  lk_append_u32 (out, request->is_tried != FALSE);
  lk_append_u32 (out, request->never);
  lk_append_u32 (out, request->never_reject);
  if (self->jobs.phase[job] == LK_PHASE_RUNNING)
    lk_engine_save_pieces (self, self->jobs.first_piece[job], out);
  else if (self->jobs.phase[job] == LK_PHASE_SUSPENDED)
    lk_engine_save_pieces (self, lk_engine_all_pieces (self, job), out);
}

gboolean
lk_engine_load_request (LkEngine *self, LkJobIndex job, LkBytesReader *reader)
{
  LkEvent event;
  LkJobRequest asked;
  guint32 length_bytes = lk_take_u32 (reader);
  const guint8 *bytes = lk_take (reader, length_bytes);
  /* 0 is also what stands for bytes that are no event. */
  if (bytes == NULL || length_bytes == 0
      || lk_event_decode (bytes, length_bytes, &event) != length_bytes
      || event.kind != LK_EVENT_SUBMIT)
    return FALSE;
  lk_submit_request (&event.submit, &asked);
  if (self->carry != NULL)
    lk_carry_pin (self->carry, self->jobs.partition[job], &asked);
  guint32 place = event.submit.partition_id;
  gboolean is_astray =
      place != 0 && !lk_engine_has_started (self, job) && self->config.backfill->tries_partitions;
  /* It has waited where another policy would have started it. */
  if (is_astray && self->carry != NULL)
    place = 0;
  if ((is_astray && place != 0)
      || lk_machine_resolve_in (self->machine, &asked, event.submit.procs, place,
                                &self->jobs.request[job])
             != 0)
    return FALSE;
  LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
  guint32 is_tried = lk_take_u32 (reader);
  guint32 never = lk_take_u32 (reader);
  guint32 never_reject = lk_take_u32 (reader);
  if (reader->failed || is_tried > 1 || never >= LK_REASON_LIMIT || never_reject >= LK_REJECT_LIMIT)
    return FALSE;
  /* On another machine it is tried anew. */
  if (self->carry != NULL)
    return TRUE;
  /* What is plain to see without trying is seen again; and what can never run, in any of its
   * partitions, is held, or known to be stuck; or it ran before the machine became as it is. */
  if ((request->never != LK_REASON_NONE && never != request->never)
      || (never != LK_REASON_NONE && self->jobs.phase[job] != LK_PHASE_HELD
          && !(self->described != NULL && lk_engine_has_started (self, job))
          && self->jobs.stuck_reason[job] == LK_REASON_NONE
          && !lk_engine_may_run_elsewhere (self, self->jobs.request[job],
                                           self->jobs.estimate_us[job])))
    return FALSE;
  request->is_tried = is_tried != 0;
  request->never = (LkReason)never;
  request->never_reject = (LkReject)never_reject;
  return TRUE;
}

/* Can what the pieces hold be held beside what is there? */
static gboolean
pieces_are_free (LkEngine *self, LkJobIndex job, guint32 first_piece)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  const LkRequest *request = lk_machine_request (self->machine, self->jobs.request[job]);
  guint8 over = LK_OVER_NONE;
  /* Components of heterogeneous jobs run over those of lower tiers, which run on; whether the
   * others do so is seen when their turns are known. */
  if (self->gang != NULL)
    over = self->jobs.phase[job] == LK_PHASE_SUSPENDED ? LK_OVER_ALL : LK_OVER_STOPPED;
  for (guint32 i = first_piece; i != LK_PIECE_NONE; i = lk_piece (nodes, i)->next_of_job)
    if ((nodes->flags[lk_piece (nodes, i)->node] & LK_NODE_DOWN) != 0
        || !lk_piece_is_free_over (&self->placer, request, lk_piece (nodes, i), self->view.now_us,
                                   over))
      return FALSE;
  for (guint i = 0; request->licenses != NULL && i < request->licenses->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (request->licenses, LkLicenseDemand, i);
    if (demand->count > self->machine->licenses_free[demand->license])
      return FALSE;
  }
  return TRUE;
}

gboolean
lk_engine_load_place (LkEngine *self, LkJobIndex job, LkBytesReader *reader)
{
  guint32 first_piece = LK_PIECE_NONE;
  if (!lk_engine_has_started (self, job))
    return TRUE;
  if (!lk_engine_load_pieces (self, job, reader, &first_piece))
    return FALSE;
  guint32 cpus = lk_placer_cpus (&self->placer, first_piece);
  if (self->jobs.phase[job] == LK_PHASE_SUSPENDED && !lk_engine_is_stopped (self, job))
    lk_engine_own_life (self, job)->stopped_piece = lk_engine_stop_pieces (self, job, first_piece);
  if (first_piece == LK_PIECE_NONE || !pieces_are_free (self, job, first_piece)
      || self->jobs.units[job] != cpus) {
    lk_placer_discard (&self->placer, first_piece);
    return FALSE;
  }
  lk_engine_attach (self, job, first_piece);
  return TRUE;
}
