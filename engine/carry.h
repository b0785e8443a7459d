/* engine/carry.h — the state of one engine is taken over by another one, of another configuration.
 *
 * State goes over as in a snapshot (engine_snapshot.c).  What in those bytes is told by its place
 * in the machine before (nodes, cores, generic resources, partitions, licences, TRES) is found by
 * its name in the machine now; what follows from the configuration (requests, sizes of pending
 * jobs, ends of running ones) is asked anew; what only plans ahead is left behind.  For the
 * engine_*.c files only. */
#ifndef LK_ENGINE_CARRY_H
#define LK_ENGINE_CARRY_H

#include "engine/engine_private.h"

struct _LkCarry {
  /* By index before: what it is now; LK_INDEX_NONE: gone. */
  guint32 node_count;
  guint32 *nodes;
  guint32 partition_count;
  guint32 *partitions;
  guint8 *partition_states; /* those of the description before */
  char **partition_names;
  guint32 license_count;
  guint32 *licenses;
  guint32 gres_count;
  guint32 gres[LK_LIMIT_GRES_NAMES];

  guint32 node_words; /* as they were */
  guint32 core_words;
  guint32 tres_count;
  gboolean had_preemption;
  gboolean had_gang;
  gboolean keeps[LK_INSTANCE_COUNT]; /* the policy is the same, and takes its state over */
  LkAccounts *accounts;              /* those that are there, with the settings of now; NULL */
};

/* `from` and `to` both have a machine, or none, and both have accounts, or none. Returns: (transfer
 * full). */
LkCarry *lk_carry_new (const LkEngine *from, const LkEngine *to);
void lk_carry_free (LkCarry *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkCarry, lk_carry_free)

/* ---------------------------------------------------------------- used while state is loaded */

/* How many TRES the bytes count; as many as the book, where nothing is carried. */
guint32 lk_carry_tres_count (const LkEngine *self);
/* Are there bytes of marks of preemption, and of turns? */
gboolean lk_carry_has_preemption (const LkEngine *self);
gboolean lk_carry_has_gang (const LkEngine *self);
/* The nodes and partitions. */
gboolean lk_carry_load_nodes (LkEngine *self, LkBytesReader *reader);
/* Who named no partition stays in the one that was the default then; `partition` by index before.
 */
void lk_carry_pin (const LkCarry *self, guint32 partition, LkJobRequest *asked);
/* A job whose request was resolved, before its row is looked at. */
void lk_carry_job (LkEngine *self, LkJobIndex job);
/* What it counts for, behind what was counted before. */
void lk_carry_tres (LkEngine *self, LkJobIndex job);
/* One piece but for its job; FALSE: it does not fit on the machine. */
gboolean lk_carry_load_piece (const LkEngine *self, LkBytesReader *reader, LkPiece *piece);
/* Set bits of nodes, and words of each node. Returns: (transfer full); NULL: something is gone. */
guint64 *lk_carry_load_node_set (const LkCarry *self, const LkNodeTable *nodes,
                                 LkBytesReader *reader);
guint64 *lk_carry_load_node_words (const LkCarry *self, const LkNodeTable *nodes,
                                   guint32 words_before, guint32 words, LkBytesReader *reader);

/* ---------------------------------------------------------------- and behind it */

/* Keys, places and reasons of all jobs follow from what is in force now. */
void lk_carry_settle (LkEngine *self);
/* May all that runs run on side by side, and has everybody a turn who waits for one? */
gboolean lk_carry_is_sound (LkEngine *self);

#endif
