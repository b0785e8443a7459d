/* live/client/client.h — what every command has: who asks, what of, and the way to the controller.
 *
 * A command is a function of its arguments and of this; it prints to two streams and returns its
 * exit code, so that tests can run it without a process of its own.
 *
 * Texts and exit codes are Slurm's, which scripts look for. */
#ifndef LK_LIVE_CLIENT_CLIENT_H
#define LK_LIVE_CLIENT_CLIENT_H

#include <stdio.h>

#include <glib.h>

#include "live/core/message.h"
#include "live/core/record.h"

/* A JSON Web Token that is asked for. */
typedef struct {
  const char *user; /* "": of who asks */
  guint64 life_s;   /* 0: for ever */
} LkClientTokenWish;

/* The way to the controller (live/client/contact.h), or one to a controller in the same process. */
typedef struct {
  /* Sets session and number of the request, and waits for its reply. */
  gboolean (*request) (gpointer self, LkMessage *request, LkMessage_reply *out_reply,
                       GError **error);
  /* The same of requests about steps, whose answers differ; `take` gets it, once. */
  gboolean (*exchange) (gpointer self, LkMessage *request,
                        void (*take) (gpointer, const LkMessage *), gpointer user, GError **error);
  /* Asks for one page of records; `take` gets it, once. */
  gboolean (*page) (gpointer self, LkMessage *query, void (*take) (gpointer, const LkMessage *),
                    gpointer user, GError **error);
  /* Is there a controller? */
  gboolean (*ping) (gpointer self, GError **error);
  /* Asks for the configuration to be read anew, or changed; `take` gets what became of it, once. */
  gboolean (*reconfigure) (gpointer self, LkMessage_reconfigure *question,
                           void (*take) (gpointer, const LkMessage_reconfigured *), gpointer user,
                           GError **error);
  /* Asks for counts to begin anew; `*out_error` is a number of LkReject. */
  gboolean (*reset) (gpointer self, guint16 *out_error, GError **error);
  /* The page that will be asked for next, so that it is made meanwhile. NULL: it cannot be. */
  void (*ahead) (gpointer self, LkMessage *query);
  /* Another way to the same controller, for a child process: it shares nothing with this one.
   * `before` NULL: nor its session; else the first request on it has the session and the number of
   * the next one on `before`, so that the controller carries out only the first of both that it
   * gets, and answers either with what became of that. Returns: the `self` of it, or NULL; lives as
   * long as the process. NULL: it cannot be. */
  gpointer (*again) (gconstpointer before);
  /* The number of the controller's last event. FALSE: none is reached at once, or it has not
   * answered in so long. NULL: it cannot be asked. */
  gboolean (*seq) (gpointer self, gint64 max_us, guint64 *out_seq);
  /* Asks for a token. `*out_error` is a number of LkReject; 0: `out_token` is appended to. */
  gboolean (*token) (gpointer self, const LkClientTokenWish *wish, guint16 *out_error,
                     GString *out_token, GError **error);
  /* Sets how much the controller logs; `*out_error` is a number of LkReject. */
  gboolean (*log_level) (gpointer self, guint8 level, guint16 *out_error, GError **error);
} LkClientWire;

/* Everything is borrowed. */
typedef struct {
  const char *command; /* as it was called: "sbatch" */
  char **arguments;    /* as they were given, ends with NULL; NULL: not known */
  FILE *in;            /* standard input */
  FILE *out;
  FILE *err;
  const LkClientWire *wire;
  gpointer wire_self;
  char **environment; /* NAME=VALUE, ends with NULL */
  const char *work_dir;
  const char *user_name;
  const char *group_name;
  const char *host;
  guint32 user_id;
  guint32 group_id;
  gint64 now_us;
  const char *conf_path; /* the configuration of the cluster; NULL: none is known here */
  /* What the site's configuration says to whoever submits, where it can be read. */
  const char *propagate_limits;        /* PropagateResourceLimits; NULL, "": all */
  const char *propagate_limits_except; /* PropagateResourceLimitsExcept; likewise */
  gboolean root_jobs_disabled;         /* DisableRootJobs */
  const char *plugstack;               /* the site's plugstack.conf; NULL: none is known here */
  /* Its plugins (spank_command.h), as long as a command runs that has them. */
  struct _LkSpank *spank;
  char **spank_before;      /* the environment of this process before any of them has run */
  char **spank_environment; /* `environment` behind that */
  gboolean was_refused;     /* by one of them: told */
  const struct _LkOptionVariable *variables; /* of the command (submit/option_variables.h) */
  guint variable_count;
  gboolean is_verbose; /* -v was given */
} LkClient;

/* A line on standard error: "sbatch: error: ...". */
void lk_client_error (const LkClient *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* NULL: it is not set. */
const char *lk_client_variable (const LkClient *self, const char *name);
/* Root; others that may do more are known to the controller alone. */
gboolean lk_client_is_root (const LkClient *self);

/* Sends a request with one event, and waits until it is durable. FALSE: the controller cannot be
 * asked. What it refuses is in the reply. */
gboolean lk_client_event (const LkClient *self, const LkEvent *event, LkMessage_reply *out_reply,
                          GError **error);
/* The same of several events (of a heterogeneous job) with what is needed to run it. */
gboolean lk_client_submit (const LkClient *self, const GArray *events, LkBytes payload,
                           LkMessage_reply *out_reply, GError **error);

/* Which records are asked for: all zero asks for all of a kind. */
typedef struct {
  LkRecordKind kind;
  guint32 job_id; /* of jobs: this one, its array, its components; 0: all */
  gboolean by_user;
  guint32 user_id;
  gboolean with_ended;
  gboolean with_payload; /* what was submitted, as far as the asker may see it */
  const GArray *trial;   /* of a TRIAL: of LkEvent, the submits of all components */
  gboolean is_brief;     /* of that neither script nor environment */
} LkClientQuery;
/* Hands over each record, borrowed for the call. */
typedef void (*LkClientTake) (gpointer user, const LkRecord *record);
gboolean lk_client_query (const LkClient *self, const LkClientQuery *query, LkClientTake take,
                          gpointer user, GError **error);

#endif
