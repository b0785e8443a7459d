/* traces/reader_map.h — overrides of what a log's jobs ask for: "key=value", the same for every
 * format.  They change a record after the format has filled it.
 *
 *   procs         log (default), cpus, gpus, nodes: what the processors of a record count.  In SWF,
 *                 which has but one number, it says what that number is of: gpus and nodes make the
 *                 job ask for so many of them
 *   nodes         log, none (as many as placement takes), or a number
 *   cpus_per_gpu  a number: CPUs of jobs with GPUs, in place of the log's
 *   gpus          log, none, or a gres with its count on each node: gpu:a100:4
 *   gpu_type      log, none (any), or a type, of jobs with GPUs
 *   memory        log, none; memory_per_node, memory_per_cpu, memory_per_gpu: a size for every job
 *                 (for those with GPUs), in place of the log's
 *   limit         log, none, run (the run time), or a time: of every job
 *   submit        eligible (default: when the log says that the job became eligible later, it is
 *                 submitted then), submit
 *   exclusive     log, none, all
 *   flags         log, none
 *   partition, account, qos, group, constraint, licenses, node_list, exclude
 *                 log, none, or a text
 *
 * Formats have keys of their own beside these (reader_private.h). */
#ifndef LK_TRACES_READER_MAP_H
#define LK_TRACES_READER_MAP_H

#include "traces/reader_private.h"

typedef struct _LkReaderMap LkReaderMap;

/* Checks every override of `base`: an unknown key or a value that makes no sense is an error.
 * `own_keys` (may be NULL) are those of the format. Returns: (transfer full). */
LkReaderMap *lk_reader_map_new (LkReaderBase *base, const char *const *own_keys, GError **error);
void lk_reader_map_free (LkReaderMap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkReaderMap, lk_reader_map_free)

/* No override at all? */
gboolean lk_reader_map_is_empty (const LkReaderMap *self);
/* `is_counted`: the record's processors are all it has, as in SWF. */
void lk_reader_map_apply (const LkReaderMap *self, gboolean is_counted, LkTraceRecord *record);

/* For a format's own keys: which of `names` the value is; 0 when the key is not given. */
gboolean lk_reader_map_choice (const LkReaderBase *base, const char *key, const char *const *names,
                               guint *out_choice, GError **error);

#endif
