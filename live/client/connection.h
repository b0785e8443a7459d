/* live/client/connection.h — a command's connection to the controller: it asks, and waits.
 *
 * The connection is made when it is needed, and made again when it is lost; then whatever was asked
 * is asked again.  Requests carry a session that was drawn and a number that rises, so that one
 * that is asked twice is carried out once.
 *
 * Errors have Slurm's codes and texts, which scripts look for. */
#ifndef LK_LIVE_CLIENT_CONNECTION_H
#define LK_LIVE_CLIENT_CONNECTION_H

#include <glib.h>

#include "live/core/message.h"
#include "live/port/handshake.h"

/* X (NAME, Slurm's number, text). */
#define LK_CONNECTION_FAILURES(X)                                                                  \
  X (CONNECT, 1800, "Unable to contact slurm controller (connect failure)")                        \
  X (SEND, 1801, "Unable to contact slurm controller (send failure)")                              \
  X (RECEIVE, 1802, "Unable to contact slurm controller (receive failure)")                        \
  X (SHUTDOWN, 1803, "Unable to contact slurm controller (shutdown failure)")                      \
  X (VERSION, 1005, "Incompatible versions of client and server code")                             \
  X (AUTHENTICATION, 1007, "Protocol authentication error")                                        \
  X (TIMEOUT, 5004, "Socket timed out on send/recv operation")                                     \
  X (USAGE, 1, "the connection to the controller is not configured as it should be")

#define LK_CONNECTION_ERROR (lk_connection_error_quark ())
GQuark lk_connection_error_quark (void);
#define X(NAME, number, text) LK_CONNECTION_ERROR_##NAME = number,
typedef enum { LK_CONNECTION_FAILURES (X) } LkConnectionError;
#undef X
/* Slurm's text for it, which is also what a GError of this domain says. */
const char *lk_connection_error_text (int code);

/* Copied. */
typedef struct {
  const char *const *controllers; /* /PATH, HOST:PORT or [HOST]:PORT, in the order of trying; the
                                   * last one NULL */
  LkAuthMethod method;            /* by TCP: key or MUNGE */
  const char *token;              /* goes before that, on a local socket, too; NULL: none */
  const char *key_file;           /* by key; read when it is needed */
  const char *job_key_file;       /* the key of the job that we are in, for users without one of
                                   * their own; NULL: none */
  const char *munge_socket;       /* NULL: the usual one */
  guint32 controller_user_id;     /* who runs the controller; LK_MUNGE_ANYONE: not known */
  gint64 connect_max_us;          /* 0: 5 s, in which it is tried to reach a controller at all */
  gint64 message_max_us; /* 0: 10 s, MessageTimeout: without an answer, it is asked again */
  gint64 answer_max_us;  /* 0: 60 s, after which it is given up */
} LkConnectionOptions;

typedef struct _LkConnection LkConnection;

/* Connects to nobody yet. Returns: (transfer full). */
LkConnection *lk_connection_new (const LkConnectionOptions *options);
void lk_connection_free (LkConnection *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkConnection, lk_connection_free)

/* FALSE: no controller can be reached, or it refuses us. Done by all that follow when needed. */
gboolean lk_connection_open (LkConnection *self, GError **error);

/* As whom the controller knows us by the token, by connecting to it. FALSE: there is no token, or
 * no controller that takes it. */
gboolean lk_connection_user (LkConnection *self, guint32 *out_user_id, guint32 *out_group_id);

/* What was really the matter at the last failure, for whom wants to know; NULL: nothing. Valid
 * until the next call. */
const char *lk_connection_cause (const LkConnection *self);

/* Asks for what a request asks for, and waits for its reply, which is durable then. `request` gets
 * its session and number here. What the controller refuses is in the reply (its `error`), and no
 * error here. */
gboolean lk_connection_request (LkConnection *self, LkMessage *request, LkMessage_reply *out_reply,
                                GError **error);

/* The same of requests about steps, which have answers of several kinds; `take` gets it, once. */
gboolean lk_connection_exchange (LkConnection *self, LkMessage *request,
                                 void (*take) (gpointer user, const LkMessage *message),
                                 gpointer user, GError **error);

/* Goes on in the session of another one, with the number that would be next there. */
void lk_connection_follow (LkConnection *self, const LkConnection *before);

typedef enum {
  LK_ANSWER_OTHER, /* it belongs to something else: wait on */
  LK_ANSWER_MORE,  /* it is part of the answer, and there is more */
  LK_ANSWER_LAST,
} LkAnswer;
/* A message of the controller, borrowed for the call; NULL: the question is asked now, perhaps
 * again: forget what came before. */
typedef LkAnswer (*LkConnectionAnswer) (gpointer user, const LkMessage *message);
/* Sends the question that will be asked next, so that the controller answers it while we do
 * something else. If it cannot be sent nothing is lost: it is when it is asked. */
void lk_connection_send_ahead (LkConnection *self, const LkMessage *question);
/* Asks a question and hands over all that comes until the last part of the answer. Time runs from
 * part to part. */
gboolean lk_connection_ask (LkConnection *self, const LkMessage *question,
                            LkConnectionAnswer answer, gpointer user, GError **error);
/* The same of what is not worth waiting for: FALSE if no controller is there at the first trial, or
 * if it has not answered in so long. */
gboolean lk_connection_ask_soon (LkConnection *self, const LkMessage *question, gint64 max_us,
                                 LkConnectionAnswer answer, gpointer user);

#endif
