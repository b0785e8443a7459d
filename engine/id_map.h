/* engine/id_map.h — from a job's id to its index: open addressing with linear probing.
 *
 * Never iterated, so its layout can not be seen in any decision.  Load is kept at or below one
 * half; deletion shifts back, so there are no tombstones and the cost depends on the jobs in the
 * system only. */
#ifndef LK_ENGINE_ID_MAP_H
#define LK_ENGINE_ID_MAP_H

#include <glib.h>

#include "engine/policy.h"

typedef struct {
  guint32 id; /* 0: the slot is empty */
  LkJobIndex job;
} LkIdMapSlot;

typedef struct {
  LkIdMapSlot *slots;
  guint32 bits; /* there are 1 << bits slots */
  guint32 count;
} LkIdMap;

void lk_id_map_init (LkIdMap *self);
void lk_id_map_clear (LkIdMap *self);
/* `id` is not 0 and not in the map. Amortised O(1). */
void lk_id_map_insert (LkIdMap *self, guint32 id, LkJobIndex job);
/* LK_JOB_NONE when the id is not there. */
LkJobIndex lk_id_map_find (const LkIdMap *self, guint32 id);
/* `id` is in the map. */
void lk_id_map_remove (LkIdMap *self, guint32 id);

#endif
