/* live/client/names.h — names of users and groups, each looked up once in the life of a command. */
#ifndef LK_LIVE_CLIENT_NAMES_H
#define LK_LIVE_CLIENT_NAMES_H

#include <glib.h>

typedef struct {
  GHashTable *users; /* interned names by id */
  GHashTable *groups;
} LkNames;

void lk_names_init (LkNames *self);
void lk_names_clear (LkNames *self);
/* The number itself of one who has no name. Interned. */
const char *lk_names_user (LkNames *self, guint32 user_id);
const char *lk_names_group (LkNames *self, guint32 group_id);

#endif
