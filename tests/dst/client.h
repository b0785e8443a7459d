/* tests/dst/client.h — a simulated user: asks the controller, again and again until it answers.
 *
 * Requests of a session go one at a time; what is asked meanwhile waits.  What was acknowledged is
 * told to whoever made the client, so that he can hold the controller to it. */
#ifndef LK_TESTS_DST_CLIENT_H
#define LK_TESTS_DST_CLIENT_H

#include "live/core/message.h"
#include "live/port/port_net_sim.h"

/* What became of a request. */
typedef struct {
  guint user;
  LkMessageKind kind;
  guint64 session;
  guint64 request;
  guint16 error; /* number of LkReject; 0: it was carried out */
  guint32 job_id;
  guint64 seq; /* of its event; 0: it became none */
  gint64 asked_us;
  gint64 answered_us;
  const LkBytes *events; /* as it was asked; valid during the call */
} DstAnswer;

/* What a query has told. */
typedef LkMessage_job_info DstJobInfo;

typedef struct {
  guint32 user_id;
  guint32 group_id;
  const char *name;
} DstIdentity;

typedef struct {
  LkWorld *world;
  LkNetSim *net;
  const LkNetSimEnd *hosts; /* of controllers: tried in turn; borrowed */
  guint host_count;
  gint64 retry_us;
  void (*answered) (gpointer watcher, const DstAnswer *answer); /* may be NULL; so may be */
  void (*informed) (gpointer watcher, guint user, const DstJobInfo *info);
  gpointer watcher;
} DstClientOptions;

typedef struct _DstClient DstClient;

/* `user` is a number that comes back in answers. Borrows what `options` points to. */
DstClient *dst_client_new (const DstClientOptions *options, guint user, const DstIdentity *who);
/* Once the world makes no calls any more. */
void dst_client_free (DstClient *self);

/* What is asked: one event, or all components of a heterogeneous job. Borrowed. */
typedef struct {
  LkMessageKind kind;
  const LkEvent *events;
  guint event_count;
  const guint8 *payload; /* of a submit */
  gsize payload_bytes;
} DstRequest;

/* Asks for it to be carried out. */
void dst_client_ask (DstClient *self, const DstRequest *request);
/* The same in a session of its own, so that it waits for no other. */
void dst_client_ask_alone (DstClient *self, const DstRequest *request);
/* How does a job stand? Asked once; the answer may never come. */
void dst_client_query (DstClient *self, guint32 job_id);
/* How does everything stand? Each page that comes asks for the next, and is looked at: its records
 * are whole and of the kind that was asked for. A page that is lost ends it. */
void dst_client_state_query (DstClient *self, const LkMessage_state_query *query);
/* Sends it once; an answer is not looked at. */
void dst_client_say (DstClient *self, const LkMessage *message);
/* It dies and comes back as another: what it has asked it no longer waits for. */
void dst_client_crash (DstClient *self);
/* Requests without an answer. */
guint dst_client_open_count (const DstClient *self);
LkNetSimEnd dst_client_end (const DstClient *self);

#endif
