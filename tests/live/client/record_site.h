/* tests/live/client/record_site.h — commands that are told fixed records, instead of those of a
 * controller. */
#ifndef LK_TESTS_LIVE_CLIENT_RECORD_SITE_H
#define LK_TESTS_LIVE_CLIENT_RECORD_SITE_H

#include "live/client/client.h"

typedef struct {
  LkClient client;
  GByteArray *records[LK_RECORD_USE + 1]; /* by kind, encoded */
  GPtrArray *environment;                 /* of char*; ends with NULL */
  guint32 request_count;
  guint16 reset_refusal; /* number of LkReject: what becomes of a request to count anew */
  GArray *events;        /* of LkEvent: what was asked for; only numbers in it hold */
  char *out;             /* of the last command */
  char *err;
} RecordSite;

/* Whoever asks is user 1000, ada; it is 1970-01-01T00:16:40 in UTC. */
RecordSite *record_site_new (void);
void record_site_free (RecordSite *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RecordSite, record_site_free)

void record_site_add (RecordSite *self, const LkRecord *record);
/* The order as the controller tells it. */
void record_site_set_order (RecordSite *self, const char *spec);
void record_site_set_accounts (RecordSite *self, const char *canonical);
/* NAME=VALUE. */
void record_site_set_variable (RecordSite *self, const char *variable);
/* Returns: the exit code. */
int record_site_run (RecordSite *self, const char *line);
/* The command has printed exactly that, and ended so. */
void record_site_expect (RecordSite *self, const char *line, int code, const char *out,
                         const char *err);

#endif
