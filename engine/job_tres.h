/* engine/job_tres.h — how much of each TRES a job asked for and has, as Slurm's commands tell it.
 *
 * What was asked for is told in words of the submission, and not as memory limits or whole nodes
 * make it; a job that asks for no memory, where there is no default, is told with that of its
 * nodes, whether memory is handed out or not.  For reports and queries; nothing is decided by it.
 * Source: recordings of Slurm 26.05, ReqTRES and AllocTRES (tests/oracle/live). */
#ifndef LK_ENGINE_JOB_TRES_H
#define LK_ENGINE_JOB_TRES_H

#include "engine/job_shown.h"

#define LK_TRES_TOLD_NAME_MAX 95u

typedef struct {
  char name[LK_TRES_TOLD_NAME_MAX + 1];
  guint64 count; /* memory in MiB; above 0 */
} LkTresCount;

typedef struct {
  guint32 nodes;
  guint32 cpus;
  gint64 memory_bytes;
  GArray *counts; /* of LkTresCount, in the order of TRES */
} LkTresTold;
void lk_tres_told_init (LkTresTold *self);
void lk_tres_told_clear (LkTresTold *self);

void lk_job_tres_asked (const LkEngine *engine, LkJobIndex job, const LkJobShown *shown,
                        LkTresTold *out);
/* Of one that has started. */
void lk_job_tres_held (const LkEngine *engine, LkJobIndex job, const LkJobShown *shown,
                       LkTresTold *out);

/* Appends "cpu=2,mem=500M,node=1"; `by_name`: in the order of their names. */
void lk_tres_told_text (const LkTresTold *self, gboolean by_name, GString *out);

#endif
