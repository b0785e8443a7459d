/* engine/request_cpus.h — how many CPUs a request comes to, before anybody looks at the machine. */
#ifndef LK_ENGINE_REQUEST_CPUS_H
#define LK_ENGINE_REQUEST_CPUS_H

#include "engine/codec.h"

/* CPUs that a request asks for as slurmctld counts them before it looks at the machine: tasks times
 * CPUs of a task, at least one for each node, and what its GPUs bring with --cpus-per-gpu. */
guint32 lk_job_request_cpus (const LkJobRequest *request);

#endif
