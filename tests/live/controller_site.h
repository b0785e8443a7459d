/* tests/live/controller_site.h — a controller alone: clock, net and disk do what they are told, and
 * abort when it breaks a promise.
 *
 * What they hold it to, whatever comes in:
 * - nothing is sent or written when it has failed;
 * - one append is under way at a time;
 * - a reply names no event that the journal on the disk does not hold.
 *
 * The machine has three nodes of two CPUs, n1 to n3, or is a pool of four units. */
#ifndef LK_TESTS_LIVE_CONTROLLER_SITE_H
#define LK_TESTS_LIVE_CONTROLLER_SITE_H

#include "live/core/controller.h"
#include "policies/registry.h"

#define CONTROL_NODES 3u
#define CONTROL_CPUS 2u
#define CONTROL_GRES "gpu:a:1,gpu:b:1"
#define CONTROL_MEMORY_BYTES (G_GINT64_CONSTANT (1024) << 20)
#define CONTROL_ADMIN 990u
/* Peers: of node i, of user u, of the standby. */
#define CONTROL_AGENT_PEER(node) (1u + (node))
#define CONTROL_USER_PEER(user_id) (10000u + (user_id))
#define CONTROL_STANDBY_PEER 9000u
#define CONTROL_SECOND_US ((gint64)G_USEC_PER_SEC)

typedef struct {
  gboolean is_pool;
  gboolean waits_for_standby;
  guint64 snapshot_events;
  guint32 session_count_max;
} ControlOptions;

typedef struct {
  char *name;
  GByteArray *bytes;
} ControlFile;

/* A request to the disk that is not carried out. */
typedef struct {
  guint64 token;
  const char *name;
  GByteArray *bytes; /* NULL: a cut */
  guint64 length_bytes;
  gboolean appends;
} ControlWrite;

typedef struct {
  LkPeerId peer;
  GByteArray *bytes;
} ControlSent;

typedef struct {
  LkJournalHeader header;
  LkControllerConfig config;
  LkController *core;          /* NULL: it is dead */
  LkControllerFailure failure; /* of the last start */
  gint64 monotonic_us;
  gint64 realtime_us;
  gint64 work_us; /* so much later it is each time that somebody looks at the wall clock */
  gint64 wake_us;
  gboolean disk_waits; /* requests wait for control_disk_done */
  gboolean reads_fail;
  gboolean is_forged;   /* the journal is not to be believed: replies are not held to it */
  GPtrArray *files;     /* of ControlFile */
  GPtrArray *writes;    /* of ControlWrite, in order */
  GPtrArray *sent;      /* of ControlSent, until somebody takes them away */
  LkPortSite site;      /* none, if nobody sets it */
  GString *log;         /* lines as "topic level: line", up to `log_level` */
  LkLogLevel log_level; /* quiet at the beginning */
  guint64 epochs[CONTROL_NODES];
  LkPeerId cut_peer;     /* whose connection was closed last; 0: none */
  guint64 standby_epoch; /* of the last piece of the journal that was sent */
} ControlSite;

/* Without a controller. */
ControlSite *control_site_new (const ControlOptions *options);
void control_site_free (ControlSite *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ControlSite, control_site_free)

/* Starts one, and opens it if the disk does not wait. FALSE: `failure` tells why not. */
gboolean control_start (ControlSite *self, guint64 term);
/* It dies. Of what was asked of the disk so many are carried out, and so many bytes of the next
 * one, if it appends. */
void control_crash (ControlSite *self, guint write_count, gsize torn_bytes);

/* Carries out the oldest request to the disk, or fails at it. Nothing if there is none. */
void control_disk_done (ControlSite *self, gboolean has_succeeded);
/* All that happens at this instant. */
void control_settle (ControlSite *self);
/* Time goes by; the controller is woken whenever it wants to be. Messages that come of that are
 * not kept: `sent` holds those of the last instant. */
void control_wait (ControlSite *self, gint64 duration_us);

/* A file of the disk; NULL: there is none. */
GByteArray *control_file (const ControlSite *self, const char *name);
void control_set_file (ControlSite *self, const char *name, const guint8 *bytes,
                       gsize length_bytes);
void control_remove_file (ControlSite *self, const char *name);

/* Without settling. */
void control_bytes (ControlSite *self, const LkPeer *peer, const guint8 *bytes, gsize length_bytes);
void control_message (ControlSite *self, const LkPeer *peer, const LkMessage *message);
LkPeer control_agent (guint node);
LkPeer control_user (guint32 user_id);
/* A request of one event. */
void control_ask (ControlSite *self, guint32 user_id, guint64 session, guint64 request,
                  const LkEvent *event);

/* One of user 1001 for so many CPUs, for an hour, as request 1 of a session. Settles. */
#define CONTROL_USER 1001u
void control_submit (ControlSite *self, guint64 session, guint32 procs, guint32 flags);
/* Request 1 of a session by the administrator about a job. Settles. */
void control_order (ControlSite *self, guint64 session, LkEventKind kind, guint32 job_id);
/* The same about a node; a reason where the kind has one. */
void control_order_node (ControlSite *self, guint64 session, LkEventKind kind, guint node,
                         const char *reason);
/* The events of the journal from a number on, by name, " " between. Returns: (transfer full). */
char *control_events (const ControlSite *self, guint64 seq);

/* A controller starts, and all agents register with nothing on their nodes. */
void control_start_all (ControlSite *self);
/* Time goes by, with a heartbeat of these nodes (bits) each 5 seconds. */
void control_wait_beating (ControlSite *self, gint64 duration_us, guint nodes);
/* The agent of a node registers and reports these runs; a new one by another id. Settles. */
void control_register (ControlSite *self, guint node, guint64 agent_id, const LkRunReport *runs,
                       guint run_count);
/* The epoch that it was told last; 0: none. */
guint64 control_epoch (const ControlSite *self, guint node);
/* A run is over on a node, and so. */
void control_run_ended (ControlSite *self, guint node, const LkRunReport *how, const char *drain);

/* The number-th message of a kind to a peer that is in `sent`, from 0; FALSE: there are not so
 * many. */
gboolean control_sent (const ControlSite *self, LkPeerId peer, LkMessageKind kind, guint number,
                       LkMessage *out_message);
guint control_sent_count (const ControlSite *self, LkPeerId peer, LkMessageKind kind);
void control_forget_sent (ControlSite *self);

#endif
