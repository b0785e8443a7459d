/* engine/limit_reason.h — the reason that Slurm prints for a limit.
 *
 * Not here: which limit holds a job (a limits policy says), and the spelling (limit_reasons.h). */
#ifndef LK_ENGINE_LIMIT_REASON_H
#define LK_ENGINE_LIMIT_REASON_H

#include <glib.h>

#include "engine/codec.h"
#include "engine/policy.h"

/* Of a limit of `kind` set in `holder` (LK_HOLDER_*; a partition's QOS is a QOS); `class` matters
 * only to limits of a TRES.  LK_REASON_NONE: no job waits for a limit of this kind there. */
LkReason lk_limit_reason (guint32 kind, guint32 holder, LkTresClass class);

/* Of a TRES by its name: "cpu", "gres/gpu:a100", "license/x". */
LkTresClass lk_tres_class (const char *tres_name);

#endif
