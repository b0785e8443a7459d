/* tests/live/client_site.h — commands that talk to a controller in the same process
 * (controller_site.h).
 *
 * Each is one line as a shell would read it; what it prints and its exit code are kept. */
#ifndef LK_TESTS_LIVE_CLIENT_SITE_H
#define LK_TESTS_LIVE_CLIENT_SITE_H

#include "live/client/client.h"
#include "tests/live/controller_site.h"

typedef struct {
  ControlSite *control;
  LkClient client;
  guint64 session;
  guint64 request;
  guint64 request_count; /* so many messages have gone to the controller */
  gboolean is_down;      /* nobody answers */
  char *out;             /* of the last command */
  char *err;
  const char *input; /* standard input of the next ones; NULL: none */
} ClientSite;

/* A cluster whose agents are there; commands are those of CONTROL_USER. */
ClientSite *client_site_new (void);
void client_site_free (ClientSite *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ClientSite, client_site_free)

/* Who asks from now on. */
void client_site_become (ClientSite *self, guint32 user_id);
/* Returns: the exit code. */
int client_site_run (ClientSite *self, const char *line);
/* The command has printed exactly that, and ended so. */
void client_site_expect (ClientSite *self, const char *line, int code, const char *out,
                         const char *err);
/* The last event of the journal. */
void client_site_last_event (ClientSite *self, LkEvent *out_event);

#endif
