/* live/core/message_limits.h — how long things from outside may be.
 *
 * What a user sends once comes back in later messages: the payload and the texts of a job are in
 * its launch, in pages of answers and in snapshots.  These limits are checked when a request
 * arrives, and leave room in a message for all that is added later.  A launch is the payload, the
 * texts of the job, and for each component of a heterogeneous job its texts and its nodes:
 *
 *     14 MiB + 16 KiB + 128 * 6 KiB < 15 MiB, and 1 MiB remains for lists of nodes and cores.
 *
 * Lists of nodes grow with the cluster, so that a launch can still be too long on a very large one:
 * then it is not sent, and the job is held (controller_send.c). */
#ifndef LK_LIVE_CORE_MESSAGE_LIMITS_H
#define LK_LIVE_CORE_MESSAGE_LIMITS_H

/* Longest message. */
#define LK_MESSAGE_MAX_BYTES (16u * 1024 * 1024)
/* Longest payload of a job or of a step. */
#define LK_MESSAGE_PAYLOAD_MAX_BYTES (14u * 1024 * 1024)
/* Text of a JOB_NOTIFY: with what precedes it a pipe takes it whole. */
#define LK_NOTIFY_MAX_BYTES 4000u

/* Longest texts of a SUBMIT and of an UPDATE: X (field, bytes).  Other texts of them have the limit
 * of their type, 65535 bytes: lists of nodes, dependencies, and what the port attests.
 * Source: Slurm's job_mgr.c, _test_job_desc_fields. */
#define LK_JOB_TEXT_MAX_BYTES 1024u
#define LK_JOB_TEXT_LIMITS(X)                                                                      \
  X (name, LK_JOB_TEXT_MAX_BYTES)                                                                  \
  X (comment, LK_JOB_TEXT_MAX_BYTES)                                                               \
  X (partition, LK_JOB_TEXT_MAX_BYTES)                                                             \
  X (account, LK_JOB_TEXT_MAX_BYTES)                                                               \
  X (qos, LK_JOB_TEXT_MAX_BYTES)                                                                   \
  X (reservation, LK_JOB_TEXT_MAX_BYTES)                                                           \
  X (constraint, LK_JOB_TEXT_MAX_BYTES)                                                            \
  X (licenses, LK_JOB_TEXT_MAX_BYTES)                                                              \
  X (gres, LK_JOB_TEXT_MAX_BYTES)                                                                  \
  X (gpus, LK_JOB_TEXT_MAX_BYTES)                                                                  \
  X (gpus_per_task, LK_JOB_TEXT_MAX_BYTES)                                                         \
  X (gpus_per_socket, LK_JOB_TEXT_MAX_BYTES)                                                       \
  X (array, 4 * LK_JOB_TEXT_MAX_BYTES)

#endif
