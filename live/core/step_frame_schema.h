/* live/core/step_frame_schema.h — the one table of what a step's processes on a node and its srun
 * say to each other, on the step stream (live/port/step_stream.h).
 *
 * A frame is u8 kind, and the fields of that kind.  Field types are those of messages
 * (message_schema.h).  Numbers are for ever; a change of fields is a new LK_STEP_FRAME_VERSION. */
#ifndef LK_LIVE_CORE_STEP_FRAME_SCHEMA_H
#define LK_LIVE_CORE_STEP_FRAME_SCHEMA_H

#define LK_STEP_FRAME_VERSION 1u

/* Who says it: X (NAME, bit, who). */
#define LK_STEP_SIDES(X)                                                                           \
  X (NODE, 0, "the step's process on a node")                                                      \
  X (LAUNCHER, 1, "srun, or sattach")

/* X (NAME, number, lower_name, set of LkStepSide, meaning). */
#define LK_STEP_FRAMES(X)                                                                          \
  X (HELLO, 1, hello, LK_STEP_SIDE_NODE, "the first word on a connection; not sealed")             \
  X (CHALLENGE, 2, challenge, LK_STEP_SIDE_LAUNCHER, "the answer; not sealed. All else is")        \
  X (WELCOME, 3, welcome, LK_STEP_SIDE_LAUNCHER, "proves that the key is known: tasks may begin")  \
  X (READY, 4, ready, LK_STEP_SIDE_NODE, "proves the same; the tasks are about to be begun")       \
  X (STARTED, 5, started, LK_STEP_SIDE_NODE, "a task was begun")                                   \
  X (OUT, 6, out, LK_STEP_SIDE_NODE, "from a task's standard output, or its terminal")             \
  X (ERR, 7, err, LK_STEP_SIDE_NODE, "from a task's standard error")                               \
  X (OUT_EOF, 8, out_eof, LK_STEP_SIDE_NODE, "nothing more comes of these two of a task")          \
  X (TASK_EXIT, 9, task_exit, LK_STEP_SIDE_NODE, "a task has ended")                               \
  X (LOG, 10, log, LK_STEP_SIDE_NODE, "a line for srun's standard error")                          \
  X (NODE_END, 11, node_end, LK_STEP_SIDE_NODE, "all of the step here is over: DONE is awaited")   \
  X (PMIX_UP, 12, pmix_up, LK_STEP_SIDE_NODE, "for the PMI servers of other nodes: pass it on")    \
  X (TAKEN, 13, taken, LK_STEP_SIDE_NODE | LK_STEP_SIDE_LAUNCHER,                                  \
     "so many bytes that the other end sent are out of the way: it may send as many more")         \
  X (IN, 20, in, LK_STEP_SIDE_LAUNCHER, "for the standard input of tasks")                         \
  X (IN_EOF, 21, in_eof, LK_STEP_SIDE_LAUNCHER, "their standard input is at its end")              \
  X (SIGNAL, 22, signal, LK_STEP_SIDE_LAUNCHER, "a signal for the processes of tasks")             \
  X (WINDOW, 23, window, LK_STEP_SIDE_LAUNCHER, "the terminal has another size")                   \
  X (PMIX_DOWN, 24, pmix_down, LK_STEP_SIDE_LAUNCHER, "what a PMIX_UP of another node had")        \
  X (DONE, 25, done, LK_STEP_SIDE_LAUNCHER, "the launcher wants nothing more of this node")

#define LK_STEP_FRAME_HELLO_FIELDS(F)                                                              \
  F (u16, version, "LK_STEP_FRAME_VERSION")                                                        \
  F (u32, job_id, "of the step")                                                                   \
  F (u32, step_id, "which of the job")                                                             \
  F (u32, node_index, "which of the step's nodes, from 0")                                         \
  F (bytes, nonce, "32 bytes, drawn for this connection")
#define LK_STEP_FRAME_CHALLENGE_FIELDS(F)                                                          \
  F (u16, version, "LK_STEP_FRAME_VERSION")                                                        \
  F (bytes, nonce, "likewise")
#define LK_STEP_FRAME_WELCOME_FIELDS(F)                                                            \
  F (u16, rows, "size of the launcher's terminal; 0: it has none")                                 \
  F (u16, columns, "likewise")
#define LK_STEP_FRAME_READY_FIELDS(F)                                                              \
  F (text, node, "its name")                                                                       \
  F (u32, task_count, "of the step, here")
#define LK_STEP_FRAME_STARTED_FIELDS(F)                                                            \
  F (u32, task, "its number in the step")                                                          \
  F (u32, pid, "there")
#define LK_STEP_FRAME_OUT_FIELDS(F)                                                                \
  F (u32, task, "whose")                                                                           \
  F (bytes, bytes, "1 to LK_STEP_CHUNK_BYTES")
#define LK_STEP_FRAME_ERR_FIELDS(F) LK_STEP_FRAME_OUT_FIELDS (F)
#define LK_STEP_FRAME_OUT_EOF_FIELDS(F) F (u32, task, "whose")
#define LK_STEP_FRAME_TASK_EXIT_FIELDS(F)                                                          \
  F (u32, task, "which")                                                                           \
  F (u32, status, "as of wait(2)")                                                                 \
  F (u8, oom, "1: memory had run out on this node")
#define LK_STEP_FRAME_LOG_FIELDS(F)                                                                \
  F (u8, is_error, "1: `error:` goes before it")                                                   \
  F (text, line, "without what it begins and ends with")
#define LK_STEP_FRAME_NODE_END_FIELDS(F)                                                           \
  F (u8, trouble, "LkTrouble; not 0: tasks were not begun")                                        \
  F (i64, user_cpu_us, "of all processes of the step here")                                        \
  F (i64, system_cpu_us, "likewise")                                                               \
  F (u64, max_rss_bytes, "of the largest task")
#define LK_STEP_FRAME_PMIX_UP_FIELDS(F)                                                            \
  F (u32, node_index, "for which node; LK_STEP_ALL: for all, the sender too")                      \
  F (bytes, bytes, "what it says")
#define LK_STEP_FRAME_TAKEN_FIELDS(F) F (u32, count_bytes, "so many, at least 1")
#define LK_STEP_FRAME_IN_FIELDS(F)                                                                 \
  F (u32, task, "whose; LK_STEP_ALL: that of all tasks of the node")                               \
  F (bytes, bytes, "1 to LK_STEP_CHUNK_BYTES")
#define LK_STEP_FRAME_IN_EOF_FIELDS(F) F (u32, task, "whose; LK_STEP_ALL: that of all of the node")
#define LK_STEP_FRAME_SIGNAL_FIELDS(F)                                                             \
  F (u32, task, "whose; LK_STEP_ALL: those of all")                                                \
  F (u8, signal, "number of it")
#define LK_STEP_FRAME_WINDOW_FIELDS(F)                                                             \
  F (u16, rows, "at least 1")                                                                      \
  F (u16, columns, "likewise")
#define LK_STEP_FRAME_PMIX_DOWN_FIELDS(F)                                                          \
  F (u32, node_index, "of which node it comes")                                                    \
  F (bytes, bytes, "what it says")
#define LK_STEP_FRAME_DONE_FIELDS(F) F (u8, kills, "1: whatever still runs of the step is killed")

/* What PMIx servers of a step, or those of PMI (live/step/step_pmi.h), tell each other in PMIX_UP
 * and PMIX_DOWN: X (NAME, number, meaning). */
#define LK_STEP_PMIX_KINDS(X)                                                                      \
  X (FENCE_UP, 1, "what the tasks of a node have put, for the first node that takes part")         \
  X (FENCE_DOWN, 2, "all of it, from there")                                                       \
  X (MODEX_ASK, 3, "what has this task put? For the node that has it")                             \
  X (MODEX_ANSWER, 4, "that, or why not")                                                          \
  X (ABORT, 5, "a task has called for the end of all")                                             \
  X (NAME_ASK, 6, "of PMI: publish, unpublish or lookup, a name, a port; for the first node")      \
  X (NAME_ANSWER, 7, "what was found")

#define LK_STEP_PMIX_FIELDS(F)                                                                     \
  F (u8, kind, "number of LkStepPmixKind")                                                         \
  F (u32, number, "of a fence: how many of the same tasks were before it; else of the question")   \
  F (u32, task, "of MODEX_ASK")                                                                    \
  F (u32, status, "of MODEX_ANSWER and ABORT: pmix_status_t; of PMI: 0 is good")                   \
  F (bytes, tasks, "of a fence: who takes part, as u32 each; empty: all tasks")                    \
  F (bytes, data, "what was put; of PMI: texts, each with its zero byte")

#endif
