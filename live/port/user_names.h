/* live/port/user_names.h — what users are called and which groups they are in, kept for some
 * minutes.
 *
 * Asking the system may take long (it may ask other hosts), so that is for a thread; what is kept
 * is found at once. */
#ifndef LK_LIVE_PORT_USER_NAMES_H
#define LK_LIVE_PORT_USER_NAMES_H

#include <glib.h>

typedef struct {
  gboolean is_known; /* the system knows such a user */
  guint32 group_id;
  char *name;   /* NULL: not known */
  char *groups; /* names of all groups that he is in, with commas between; NULL: not known */
} LkUserName;

typedef struct _LkUserNames LkUserNames;

LkUserNames *lk_user_names_new (void);
void lk_user_names_free (LkUserNames *self);

/* What is kept, valid until the next lk_user_names_keep; NULL: nothing, or it is too old. */
const LkUserName *lk_user_names_find (const LkUserNames *self, guint32 user_id, gint64 now_us);
/* `name` is copied. */
void lk_user_names_keep (LkUserNames *self, guint32 user_id, const LkUserName *name, gint64 now_us);

/* Asks the system; safe in any thread. FALSE: it cannot tell now. `out_name` is cleared with
 * lk_user_name_clear. */
gboolean lk_user_name_ask (guint32 user_id, LkUserName *out_name);
void lk_user_name_clear (LkUserName *name);
/* The number and first group of the user of this name; safe in any thread. FALSE: the system knows
 * none, or cannot tell now. */
gboolean lk_user_id_ask (const char *name, guint32 *out_user_id, guint32 *out_group_id);

#endif
