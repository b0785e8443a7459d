/* tests/dst/cluster_private.h — what the files of the cluster share. */
#ifndef LK_TESTS_DST_CLUSTER_PRIVATE_H
#define LK_TESTS_DST_CLUSTER_PRIVATE_H

#include "tests/dst/cluster.h"

/* The ports of a host and of a node call these; the last argument of new ones is a DstHost or a
 * DstNode. */
void dst_host_woken (gpointer user);
void dst_host_disk_done (gpointer user, guint64 token, gboolean has_succeeded);
void dst_host_disk_hook (gpointer user, const char *name, guint64 write_index, gboolean is_done);
void dst_host_deliver (gpointer user, const LkPeer *from, const guint8 *bytes, gsize length_bytes);
void dst_node_woken (gpointer user);
void dst_node_disk_done (gpointer user, guint64 token, gboolean has_succeeded);
void dst_node_deliver (gpointer user, const LkPeer *from, const guint8 *bytes, gsize length_bytes);

/* A core that has failed dies; called when no core is at work. */
void dst_host_look (DstHost *host);

/* It comes back by itself, if it is to. */
void dst_host_plan_restart (DstHost *host);
LkControllerPorts dst_host_ports (DstHost *host);

/* Writes what is new and durable in the journal of a host into the log. */
void dst_host_tell_journal (DstHost *host);

#endif
