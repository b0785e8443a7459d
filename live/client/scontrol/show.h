/* live/client/scontrol/show.h — what `scontrol show` shows, one file for each kind of thing. */
#ifndef LK_LIVE_CLIENT_SCONTROL_SHOW_H
#define LK_LIVE_CLIENT_SCONTROL_SHOW_H

#include "live/client/scontrol/scontrol.h"

/* `words` ends with NULL: what is to be shown, nothing for all. Return the exit code. */
int lk_show_jobs (LkClient *client, const LkScontrolOptions *options, char **words);
int lk_show_nodes (LkClient *client, const LkScontrolOptions *options, char **words);
int lk_show_partitions (LkClient *client, const LkScontrolOptions *options, char **words);
int lk_show_reservations (LkClient *client, const LkScontrolOptions *options, char **words);
int lk_show_config (LkClient *client, const LkScontrolOptions *options, char **words);
int lk_show_daemons (LkClient *client, const LkScontrolOptions *options, char **words);
int lk_show_assoc (LkClient *client, const LkScontrolOptions *options, char **words);
int lk_show_steps (LkClient *client, const LkScontrolOptions *options, char **words);
int lk_show_topology (LkClient *client, const LkScontrolOptions *options, char **words);
int lk_show_licenses (LkClient *client, const LkScontrolOptions *options, char **words);

/* A record of Key=value in lines, which with -o is one line.  A line begins with a few blanks. */
typedef struct {
  GString *text;
  gboolean one_line;
} LkShow;
void lk_show_line (LkShow *self); /* the next line begins */
void lk_show_end (LkShow *self);  /* the record ends */
/* " Key=value", without the blank at the beginning of a line. */
void lk_show_value (LkShow *self, const char *key, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* With -v: of when the records are, which is now, and how many. */
void lk_show_records (const LkClient *client, const LkScontrolOptions *options, guint count);

#endif
