/* tests/live/net_site.h — a controller's network port on real sockets, and raw clients of it that
 * can send whatever they like.
 *
 * All in one thread: whoever waits turns the loop. */
#ifndef LK_TESTS_LIVE_NET_SITE_H
#define LK_TESTS_LIVE_NET_SITE_H

#include "live/port/frame.h"
#include "live/port/handshake.h"
#include "live/port/loop.h"
#include "live/port/port_net_os.h"

#define NET_SITE_KEY_A                                                                             \
  "lockstep-key-1 cluster 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n"
#define NET_SITE_KEY_B                                                                             \
  "lockstep-key-1 cluster ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n"
/* No user of the tests, so that nobody but root is trusted. */
#define NET_SITE_TRUSTED 4000000000u

/* What the core was given. */
typedef struct {
  LkPeer peer; /* its name is that below */
  char *name;
  GByteArray *bytes;
} NetSiteMessage;

typedef struct {
  LkLoop *loop;
  LkNetOs *net;
  LkPortNet port;
  char *folder;
  char *socket;
  guint16 tcp_port;
  GPtrArray *messages; /* of NetSiteMessage */
  GString *notes;
  gboolean answers; /* the core sends each message back */
} NetSite;

/* `options` may be NULL; who listens where, keys, and what is called are set here. */
void net_site_init (NetSite *site, const LkNetOsOptions *options);
void net_site_clear (NetSite *site);
/* The controller dies, and another one listens at the same local socket, and nowhere else. */
void net_site_restart (NetSite *site);
LkKeyring *net_site_keys (const char *text);
void net_site_turn (NetSite *site);
/* Turns until so many messages have come; not for ever. */
void net_site_await_messages (NetSite *site, guint count);
const NetSiteMessage *net_site_message (const NetSite *site, guint index);
LkNetCounts net_site_counts (const NetSite *site);

typedef struct {
  NetSite *site;
  int socket;
  LkFrameReader reader;
  LkSeal seal;
} NetClient;

void net_client_local (NetClient *client, NetSite *site);
/* As another user; only root can. */
void net_client_local_as (NetClient *client, NetSite *site, guint32 user_id);
void net_client_tcp (NetClient *client, NetSite *site);
void net_client_clear (NetClient *client);
void net_client_send_bytes (NetClient *client, gconstpointer bytes, gsize length_bytes);
void net_client_send (NetClient *client, gconstpointer bytes, gsize length_bytes);
/* FALSE: the connection has ended. */
gboolean net_client_receive (NetClient *client, LkBytes *out_message);
/* It has ended, or does now; what came before is dropped. */
void net_client_await_end (NetClient *client);
/* It is told why, and then it ends. */
void net_client_await_farewell (NetClient *client, LkFarewell why);
/* 0: done; else why it was refused. */
guint net_client_shake_hands (NetClient *client, const LkHandshakeClient *options);
/* Done. */
void net_client_become (NetClient *client, LkPeerKind kind, const char *node,
                        const LkKeyring *keyring);

#endif
