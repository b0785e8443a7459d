/* live/check/things.h — the canonical texts of a configuration, taken apart into named things.
 *
 * A line of such a text (engine/line_text.h) is a kind, a name, and members with their values; it
 * becomes a thing.  Groups of nodes become one thing for each node, with its Gres, so that two
 * configurations can be compared that group them in other ways. */
#ifndef LK_LIVE_CHECK_THINGS_H
#define LK_LIVE_CHECK_THINGS_H

#include <glib.h>

typedef struct {
  char *name;  /* of the member, "time_max_us" */
  char *value; /* without quotes and escapes */
} LkMemberText;

typedef struct {
  char *kind;         /* "partition" */
  char *name;         /* what tells it from others of its kind */
  GPtrArray *members; /* of LkMemberText*, in the order of the text */
} LkThing;

/* Of LkThing*, with their free function. Returns: (transfer full). */
GPtrArray *lk_things_new (void);
/* Appends the things of a text of a cluster. */
void lk_things_add_cluster (GPtrArray *things, const char *text, gsize length_bytes);
/* Appends those of a text of accounts. */
void lk_things_add_accounts (GPtrArray *things, const char *text, gsize length_bytes);
/* Appends a policy, NAME or NAME:KEY=VALUE,...; none where `spec` is "". */
void lk_things_add_policy (GPtrArray *things, const char *seam, const char *spec);
/* Appends one without members. Returns: (transfer none). */
LkThing *lk_things_add (GPtrArray *things, const char *kind, const char *name);
void lk_thing_add_member (LkThing *self, const char *name, const char *value);
/* NULL: it has no such member. */
const char *lk_thing_value (const LkThing *self, const char *member);

#endif
