/* live/client/scontrol/scontrol.h — between the parts of scontrol, for its folder only. */
#ifndef LK_LIVE_CLIENT_SCONTROL_H
#define LK_LIVE_CLIENT_SCONTROL_H

#include "live/client/json/json.h"
#include "traces/command_script.h"

/* How scontrol and its `show` fail. */
#define LK_SCONTROL_FAILURE 1

/* Options before the command. */
typedef struct {
  guint details;        /* how often -d is given */
  gboolean one_line;    /* -o */
  gboolean all;         /* -a */
  gboolean is_quiet;    /* -Q */
  gboolean is_verbose;  /* -v */
  LkJsonChoice json;    /* --json */
  const char *clusters; /* -M */
} LkScontrolOptions;

/* `scontrol show NAME WORD...`: one of the things to show. `words` ends with NULL. */
typedef struct {
  const char *name;
  const char *other_names; /* with blanks around; "" none */
  int (*run) (LkClient *client, const LkScontrolOptions *options, char **words);
  gboolean has_json; /* it heeds --json */
  const char *help;
} LkScontrolShow;

/* show.c; ends with one without a name. */
extern const LkScontrolShow lk_scontrol_shows[];
int lk_scontrol_show (LkClient *client, const LkScontrolOptions *options, char **words);

/* scontrol_jobs.c: hold, release, requeue, suspend, resume and their like, and update of jobs. */
int lk_scontrol_jobs (LkClient *client, LkCommand *command);
/* scontrol_site.c: nodes, partitions and reservations. */
int lk_scontrol_site (LkClient *client, LkCommand *command);

/* scontrol_write.c */
int lk_scontrol_write (LkClient *client, const LkScontrolOptions *options, char **words);

/* Its commands and options as tables for docs/commands.md. */
void lk_scontrol_markdown (GString *out);

/* Sends an event, and tells on failure that the controller cannot be asked. */
gboolean lk_scontrol_send (LkClient *client, const LkEvent *event, guint *out_reject);
/* What became of a configuration, read anew or changed. */
typedef struct {
  guint error;    /* number of LkReject */
  char *problems; /* owned; "" none */
} LkReconfigured;
/* FALSE: the controller cannot be asked. */
gboolean lk_scontrol_reconfigure (LkClient *client, LkMessage_reconfigure *asked,
                                  LkReconfigured *out, GError **error);
/* Dates among the values of these keys, which end with NULL, become moments for everybody. FALSE:
 * one is none. */
gboolean lk_scontrol_dates (const LkClient *client, LkCommand *command, const char *const *keys,
                            GStringChunk *texts, GError **error);

#endif
