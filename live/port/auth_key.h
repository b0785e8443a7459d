/* live/port/auth_key.h — keys of a cluster, their file, and whom each may speak for.
 *
 * A key file has one key or two, one a line: `lockstep-key-1 WHOSE... HEX`, where WHOSE is
 *
 *   cluster      speaks for anybody: whoever has it is trusted as the controller is
 *   agent NODE   speaks for the agent of that node only
 *   user UID     speaks for that user only
 *   standby      speaks for a standby
 *   job RUN UID NODE   speaks for that user's processes in that run on that node only
 *
 * The keys of others are made from that of the cluster (HMAC-SHA256 over whom it is for), so that
 * the controller knows each of them without a list.  That of a job is made from the key of the
 * node's agent, which so can make it itself: no such key crosses the network, and the agent of one
 * node cannot make those of another.  The controller checks that the run exists.
 *
 * The first key that fits is used to speak, each is accepted; so a key is changed without stopping
 * anything.
 *
 * A key file is read only if it is a file, of mode 0600 or less, of root or of who reads it. */
#ifndef LK_LIVE_PORT_AUTH_KEY_H
#define LK_LIVE_PORT_AUTH_KEY_H

#include <glib.h>

#include "live/core/port_net.h"
#include "live/port/mac.h"

#define LK_KEYRING_MAX 2u
#define LK_KEY_FILE_MAX_BYTES 4096u

/* Whom a key speaks for: kind, and node (of an agent), user_id (of a user), or all (of a job). */
typedef struct {
  LkPeerKind kind;
  const char *node; /* borrowed */
  guint32 user_id;
  guint64 run_id;
} LkKeySubject;

/* Counted references. */
typedef struct _LkKeyring LkKeyring;

LkKeyring *lk_keyring_load (const char *path, GError **error);
/* The contents of a key file. */
LkKeyring *lk_keyring_parse (const char *text, gsize length_bytes, GError **error);
LkKeyring *lk_keyring_ref (LkKeyring *self);
void lk_keyring_unref (LkKeyring *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkKeyring, lk_keyring_unref)

guint lk_keyring_count (const LkKeyring *self);
/* What the key number `index` is for a subject. FALSE: it does not speak for it. */
gboolean lk_keyring_key (const LkKeyring *self, guint index, const LkKeySubject *subject,
                         LkKey *out_key);
/* A number by which a key that was changed can be told from others; says nothing of the key. */
guint64 lk_keyring_id (const LkKeyring *self, guint index);
gboolean lk_keyring_has_id (const LkKeyring *self, guint64 id);
/* Whom the first key speaks for, if that is a job; FALSE: it is none. Valid as long as self. */
gboolean lk_keyring_job (const LkKeyring *self, LkKeySubject *out_subject);

/* The line of a key file with this key. Returns: (transfer full). */
char *lk_keyring_line (const LkKeyring *self, guint index);
/* The line of a key file with a new key of a cluster. Returns: (transfer full). */
char *lk_keyring_new_line (void);
/* The contents of a key file for a subject, from those keys of the cluster that there are here, and
 * for a job from those of its node's agent, too.  Returns: (transfer full), or NULL: there is none,
 * or the subject is none that may have a key. */
char *lk_keyring_derive (const LkKeyring *self, const LkKeySubject *subject, GError **error);

/* The bytes of a private file, at most `room_bytes`: what it has beyond that is not read. */
gboolean lk_key_file_read (const char *path, char *out_text, gsize room_bytes,
                           gsize *out_length_bytes, GError **error);
/* Writes a key file, mode 0600, durably. Replaces an old one only if told to. */
gboolean lk_key_file_write (const char *path, const char *contents, gboolean may_replace,
                            GError **error);

/* 1 to 255 letters, digits, and ._- within: what a node may be called across the wire. */
gboolean lk_node_name_is_valid (const char *name, gsize length_bytes);

#endif
