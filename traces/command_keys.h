/* traces/command_keys.h — keys of scontrol, which may be cut short.
 *
 * So short each may be is Slurm's: "User=" is Users=, "Part=" PartitionName=.  Source:
 * update_job.c, create_res.c, update_node.c and update_part.c of Slurm's scontrol. */
#ifndef LK_TRACES_COMMAND_KEYS_H
#define LK_TRACES_COMMAND_KEYS_H

#include <glib.h>

typedef enum {
  LK_KEYS_JOB,
  LK_KEYS_NODE,
  LK_KEYS_PARTITION,
  LK_KEYS_RESERVATION,
} LkCommandKeys;

/* The whole key, in lower case, that one in lower case means; the key itself, where it is whole or
 * means none. */
const char *lk_command_key_whole (LkCommandKeys of, const char *key);
/* The key with this place in the list; NULL behind the last. */
const char *lk_command_key_at (LkCommandKeys of, guint index);

#endif
