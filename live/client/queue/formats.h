/* live/client/queue/formats.h — formats of -o and -O as squeue and sinfo take them: what they do
 * not know is told, and the rest is shown; and the tables of what can be shown.
 *
 * Source: src/squeue/opts.c, src/sinfo/opts.c of Slurm. */
#ifndef LK_LIVE_CLIENT_QUEUE_FORMATS_H
#define LK_LIVE_CLIENT_QUEUE_FORMATS_H

#include "live/client/client.h"
#include "traces/table.h"

typedef struct {
  const char *name;
  char letter;
} LkFormatName;

/* What formats that are made here may have besides; columns of these stand in the tables. */
#define LK_FORMAT_PERCENT 3
#define LK_FORMAT_NOTHING 4
void lk_format_percent_cell (gconstpointer report, gconstpointer row, GString *out);
void lk_format_nothing_cell (gconstpointer report, gconstpointer row, GString *out);

/* The columns of a command; `names` ends with one without a name. */
typedef struct {
  const LkTableColumn *columns;
  const LkFormatName *names;
  gboolean is_bare; /* letters that are unknown are told without the command's name, as of a node */
  const char *of;   /* what else they are told as a format of: "job" */
} LkFormatSet;

/* A format that lk_table_layout_new takes: letters that are unknown stand as they were given;
 * "%all" is all of them. Returns: (transfer full). */
char *lk_format_of_letters (const LkClient *client, const LkFormatSet *set, const char *format);
/* The same of names, "JobID:12,Name:.20"; of those that are unknown stays what is behind their
 * width. */
char *lk_format_of_names (const LkClient *client, const LkFormatSet *set, const char *format);

/* Prints the letters, or the names, for --helpformat and --helpFormat. */
void lk_format_help (const LkClient *client, const LkFormatSet *set, gboolean of_names);
/* The same as a table for docs/commands.md. */
void lk_format_markdown (const LkFormatSet *set, GString *out);

#endif
