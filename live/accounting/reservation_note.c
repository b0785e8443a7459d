/* live/accounting/reservation_note.c — see the header. */
#include "live/accounting/reservation_note.h"

#include "engine/bits.h"
#include "engine/node_table.h"
#include "engine/reservation.h"

/* States of a reservation decision (engine/schema.h). */
enum { STATE_ACTIVE = 1, STATE_GONE = 2 };

/* All of its nodes have as many CPUs in a core as the first. */
static void
count_nodes (const LkNodeTable *nodes, const LkAdvanceReservation *item,
             LkAccountingReservation *out)
{
  for (guint32 node = 0; item->nodes != NULL && node < nodes->node_count; node++) {
    if (!lk_bits_has (item->nodes, node))
      continue;
    if (out->node_count++ == 0)
      out->cpus = (gint64)item->core_count * lk_node_kind (nodes, node)->cpus_per_core;
  }
}

void
lk_accounting_take_reservation (LkAccountingStore *store, const LkEngine *engine,
                                const LkDecision_reservation *decision, gint64 at_us)
{
  const LkReservationTable *table = lk_engine_reservations (engine);
  const LkNodeTable *nodes = lk_engine_nodes (engine);
  const LkAdvanceReservation *item =
      table == NULL
          ? NULL
          : lk_reservations_find (table, decision->name.bytes, decision->name.length_bytes);
  if (item == NULL || nodes == NULL)
    return;
  if (decision->state == STATE_GONE) {
    lk_accounting_store_reservation_ended (store, item->number, at_us);
    return;
  }
  if (decision->state != STATE_ACTIVE)
    return;
  g_autofree char *list = g_strndup (decision->nodes.length_bytes > 0 ? decision->nodes.bytes : "",
                                     decision->nodes.length_bytes);
  LkAccountingReservation row = { .number = item->number,
                                  .start_us = decision->start_us,
                                  .end_us = decision->end_us,
                                  .name = item->name,
                                  .nodes = list };
  count_nodes (nodes, item, &row);
  lk_accounting_store_reservation (store, &row);
}
