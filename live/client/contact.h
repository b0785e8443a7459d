/* live/client/contact.h — where the controller is, and the way to it over a connection.
 *
 * Looked for are, in this order: controller.sock in $LOCKSTEP_DIR; the cluster of $SLURM_CONF,
 * where that is set; controller.sock in the directory of the laptop cluster
 * (${XDG_STATE_HOME:-~/.local/state}/lockstep); in /run/lockstep; the cluster of
 * /etc/lockstep/slurm.conf.  Of a cluster that is named by its file: controller.sock beside it, as
 * `lockstep up` has it; controller.sock in /run/lockstep, where SlurmctldHost names this machine;
 * then the hosts that it names, by the AuthType of the file. */
#ifndef LK_LIVE_CLIENT_CONTACT_H
#define LK_LIVE_CLIENT_CONTACT_H

#include "live/client/client.h"

#define LK_CONTACT_SOCKET "controller.sock"
#define LK_CONTACT_RUN_DIR "/run/lockstep"
#define LK_CONTACT_CONF "/etc/lockstep/slurm.conf"

typedef struct _LkContact LkContact;

/* Connects to nobody yet. Returns: (transfer full); NULL with an error: slurm.conf is wrong. */
LkContact *lk_contact_new (GError **error);
void lk_contact_free (LkContact *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkContact, lk_contact_free)

/* For LkClient, with self as `wire_self`. */
extern const LkClientWire lk_contact_wire;

/* Where the configuration is looked for; NULL: nowhere. */
const char *lk_contact_conf_path (const LkContact *self);
/* What the site's configuration says to whoever submits; nothing, where it cannot be read. Its
 * texts are valid as long as self. */
void lk_contact_tell_site (LkContact *self, LkClient *client);
/* Who submits is whose the token in SLURM_JWT is, if there is one that the controller takes. */
void lk_contact_tell_user (LkContact *self, LkClient *client);

#endif
