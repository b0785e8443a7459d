/* live/client/queue/sinfo.h — what the parts of sinfo share. */
#ifndef LK_LIVE_CLIENT_QUEUE_SINFO_H
#define LK_LIVE_CLIENT_QUEUE_SINFO_H

#include "live/client/queue/formats.h"
#include "live/client/names.h"
#include "live/client/node_row.h"

/* A line: nodes that look alike, of a partition, or of partitions that do. */
typedef struct {
  const LkPartitionRow *partition; /* the first; NULL: whatever partition, of reasons */
  const LkNodeRow *first;          /* NULL: the partition has no node */
  GPtrArray *nodes;                /* of LkNodeRow */
  GHashTable *known;               /* the same nodes; NULL: no others can join */
  guint order;                     /* of the partition */
} LkSinfoLine;

/* The `report` of the cells; their rows are LkSinfoLine. */
typedef struct {
  const LkClient *client;
  const LkMachineView *view;
  LkNames *names;
  const char *cluster; /* its name, where a column tells it */
  gboolean no_convert; /* 1024 stays 1024 */
} LkSinfoReport;

/* Ends with letter 0. */
extern const LkTableColumn lk_sinfo_columns[];
/* The same with their names. */
extern const LkFormatSet lk_sinfo_formats;

/* ---------------------------------------------------------------- sinfo_order.c */

/* What -S takes: letters of columns, with "-" before those that fall, and "#P" for partitions in
 * the order of the configuration. FALSE: told. */
gboolean lk_sinfo_is_order (const LkClient *client, const char *keys);
void lk_sinfo_sort (const LkSinfoReport *report, const char *keys, GPtrArray *lines);

/* ---------------------------------------------------------------- sinfo_states.c */

/* Words of -t. */
typedef struct {
  /* The words that they mean, whole, with a ! before those that a node must not be in; borrowed.
   * NULL: all states. */
  GPtrArray *words;
  gboolean is_all; /* a node has to agree with all of them, "idle&planned" */
} LkSinfoStates;

/* FALSE: told. */
gboolean lk_sinfo_states_parse (const LkClient *client, const char *list, LkSinfoStates *out);
void lk_sinfo_states_clear (LkSinfoStates *self);
gboolean lk_sinfo_states_have (const LkSinfoStates *self, const LkNodeRow *row);
/* Prints the words, a line each. */
void lk_sinfo_states_help (const LkClient *client);

/* ---------------------------------------------------------------- sinfo_reservations.c */

/* The advance reservations as a table. Returns: the exit code. */
int lk_sinfo_reservations (const LkClient *client, gboolean no_heading);

#endif
