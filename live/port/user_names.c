/* live/port/user_names.c — see the header. */
#include "live/port/user_names.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "engine/checked.h"

#define KEPT_US (5 * 60 * G_USEC_PER_SEC)
#define KEPT_MAX 65536u
#define ROOM_MAX_BYTES (1024u * 1024)
#define GROUPS_MAX 1024
#define GROUPS_MAX_BYTES 32768u /* of their names: those that come first count */

typedef struct {
  LkUserName name;
  gint64 kept_us;
} Kept;

struct _LkUserNames {
  GHashTable *kept; /* Kept, by user id */
};

void
lk_user_name_clear (LkUserName *name)
{
  g_clear_pointer (&name->name, g_free);
  g_clear_pointer (&name->groups, g_free);
}

static void
kept_free (gpointer data)
{
  Kept *kept = data;
  lk_user_name_clear (&kept->name);
  g_free (kept);
}

LkUserNames *
lk_user_names_new (void)
{
  LkUserNames *self = g_new0 (LkUserNames, 1);
  self->kept = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, kept_free);
  return self;
}

void
lk_user_names_free (LkUserNames *self)
{
  g_hash_table_unref (self->kept);
  g_free (self);
}

const LkUserName *
lk_user_names_find (const LkUserNames *self, guint32 user_id, gint64 now_us)
{
  const Kept *kept = g_hash_table_lookup (self->kept, GUINT_TO_POINTER (user_id));
  if (kept == NULL || lk_time_since_us (now_us, kept->kept_us) > KEPT_US)
    return NULL;
  return &kept->name;
}

void
lk_user_names_keep (LkUserNames *self, guint32 user_id, const LkUserName *name, gint64 now_us)
{
  Kept *kept = g_new0 (Kept, 1);
  kept->name = *name;
  kept->name.name = g_strdup (name->name);
  kept->name.groups = g_strdup (name->groups);
  kept->kept_us = now_us;
  if (g_hash_table_size (self->kept) >= KEPT_MAX)
    g_hash_table_remove_all (self->kept);
  g_hash_table_replace (self->kept, GUINT_TO_POINTER (user_id), kept);
}

/* Appends what a group is called, if it has a name. */
static void
group_append (gid_t group_id, GString *out)
{
  struct group entry;
  struct group *found = NULL;
  gsize room_bytes = 1024;
  g_autofree char *room = g_malloc (room_bytes);
  while (getgrgid_r (group_id, &entry, room, room_bytes, &found) == ERANGE
         && room_bytes < ROOM_MAX_BYTES) {
    room_bytes *= 2;
    room = g_realloc (room, room_bytes);
  }
  if (found != NULL && out->len + strlen (found->gr_name) < GROUPS_MAX_BYTES)
    g_string_append_printf (out, "%s%s", out->len > 0 ? "," : "", found->gr_name);
}

static char *
groups_ask (const char *user, gid_t group_id)
{
  g_autofree gid_t *ids = g_new (gid_t, GROUPS_MAX);
  g_autoptr (GString) text = g_string_new (NULL);
  int count = GROUPS_MAX;
  if (getgrouplist (user, group_id, ids, &count) < 0)
    count = GROUPS_MAX;
  for (int i = 0; i < count; i++)
    group_append (ids[i], text);
  return g_strdup (text->str);
}

gboolean
lk_user_name_ask (guint32 user_id, LkUserName *out_name)
{
  struct passwd entry;
  struct passwd *found = NULL;
  gsize room_bytes = 1024;
  g_autofree char *room = g_malloc (room_bytes);
  int fault;
  while ((fault = getpwuid_r ((uid_t)user_id, &entry, room, room_bytes, &found)) == ERANGE
         && room_bytes < ROOM_MAX_BYTES) {
    room_bytes *= 2;
    room = g_realloc (room, room_bytes);
  }
  /* These are its ways of saying that there is none. */
  if (fault != 0 && fault != ENOENT && fault != ESRCH)
    return FALSE;
  *out_name = (LkUserName){ 0 };
  if (found != NULL)
    *out_name = (LkUserName){ TRUE, (guint32)found->pw_gid, g_strdup (found->pw_name),
                              groups_ask (found->pw_name, found->pw_gid) };
  return TRUE;
}

gboolean
lk_user_id_ask (const char *name, guint32 *out_user_id, guint32 *out_group_id)
{
  struct passwd entry;
  struct passwd *found = NULL;
  gsize room_bytes = 1024;
  g_autofree char *room = g_malloc (room_bytes);
  while (getpwnam_r (name, &entry, room, room_bytes, &found) == ERANGE
         && room_bytes < ROOM_MAX_BYTES) {
    room_bytes *= 2;
    room = g_realloc (room, room_bytes);
  }
  if (found == NULL)
    return FALSE;
  *out_user_id = (guint32)found->pw_uid;
  *out_group_id = (guint32)found->pw_gid;
  return TRUE;
}
