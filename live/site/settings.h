/* live/site/settings.h — what the daemons take from slurm.conf and cgroup.conf; made from
 * settings_schema.h.
 *
 * All that is wrong is told, with file and line, not only the first. */
#ifndef LK_LIVE_SITE_SETTINGS_H
#define LK_LIVE_SITE_SETTINGS_H

#include <glib.h>

#include "live/site/settings_schema.h"
#include "traces/conf_pairs.h"

/* "Never" that can still be added to a moment: a hundred years. */
#define LK_SITE_ENDLESS_US (G_GINT64_CONSTANT (36525) * 24 * 3600 * 1000000)

#define X(NAME, text) LK_SITE_AUTH_##NAME,
typedef enum { LK_SITE_AUTH_WORDS (X) } LkSiteAuth;
#undef X
#define X(NAME, text) LK_SITE_AUTH_ALT_##NAME,
typedef enum { LK_SITE_AUTH_ALT_WORDS (X) } LkSiteAuthAlt;
#undef X
#define X(NAME, text) LK_SITE_RETURN_##NAME,
typedef enum { LK_SITE_RETURN_WORDS (X) } LkSiteReturn;
#undef X
#define X(NAME, text) LK_SITE_PROCTRACK_##NAME,
typedef enum { LK_SITE_PROCTRACK_WORDS (X) } LkSiteProctrack;
#undef X
#define X(NAME, text) LK_SITE_CGROUP_##NAME,
typedef enum { LK_SITE_CGROUP_WORDS (X) } LkSiteCgroup;
#undef X
#define X(NAME, text) LK_SITE_HEALTH_##NAME,
typedef enum { LK_SITE_HEALTH_WORDS (X) } LkSiteHealth;
#undef X
#define X(NAME, text) LK_SITE_CONTAINER_##NAME,
typedef enum { LK_SITE_CONTAINER_WORDS (X) } LkSiteContainer;
#undef X
#define X(NAME, text) LK_SITE_LOG_##NAME,
typedef enum { LK_SITE_LOG_WORDS (X) } LkSiteLog;
#undef X

#define LK_SITE_TYPE_TEXT char *
#define LK_SITE_TYPE_PATH char *
#define LK_SITE_TYPE_LIST char **
#define LK_SITE_TYPE_WORD guint
#define LK_SITE_TYPE_SWITCH gboolean
#define LK_SITE_TYPE_COUNT guint32
#define LK_SITE_TYPE_SECONDS gint64
#define LK_SITE_TYPE_ENDLESS gint64

/* What job_container.conf says of some nodes. */
typedef struct {
  char *nodes; /* hostlist; NULL: all */
  char *base;
  gboolean makes_base;
  char *dirs;
} LkSiteFolders;

#define X(KIND, member, key, fallback, minimum, maximum, help) LK_SITE_TYPE_##KIND member;
typedef struct {
  LK_SITE_KEYS (X)
  LK_SITE_CGROUP_KEYS (X)
  LK_SITE_CONTAINER_KEYS (X)
  GArray *folders; /* of LkSiteFolders, lines with NodeName, in their order */
} LkSiteSettings;
#undef X

/* Reads slurm.conf with its Include files, and cgroup.conf and job_container.conf beside it, if
 * they are there. Appends to `errors` (of char *, transfer full), each "FILE:LINE: what is wrong".
 * FALSE: there was one; then there is nothing to clear. */
gboolean lk_site_settings_read (LkSiteSettings *self, const char *conf_path, GPtrArray *errors);
/* The same with what was read of slurm.conf (NULL: nothing, for the defaults). */
gboolean lk_site_settings_read_all (LkSiteSettings *self, const char *conf_path,
                                    const LkConfPairs *conf, LkFaults *faults);
void lk_site_settings_clear (LkSiteSettings *self);

/* Calls `take` with each key of the tables and its value as text: lists with commas between, times
 * in seconds. Lines of job_container.conf for some nodes have the key "NodeName=NODES KEY". */
void lk_site_settings_each (const LkSiteSettings *self,
                            void (*take) (gpointer user, const char *key, const char *value),
                            gpointer user);

/* Tells settings apart. */
guint64 lk_site_settings_digest (const LkSiteSettings *self);

/* Tells which keys of cgroup.conf and job_container.conf no Slurm has, which are errors, and which
 * have no effect here. */
void lk_site_settings_keys (const char *conf_path, LkFaults *faults);

/* What of job_container.conf counts for a node: the first line with it, else that of all. Borrowed
 * from self. */
LkSiteFolders lk_site_folders_of (const LkSiteSettings *self, const char *node);

/* Where SPANK plugins are listed: as PlugStackConfig says, else beside slurm.conf. Returns:
 * (transfer full). */
char *lk_site_plugstack_path (const LkSiteSettings *self, const char *conf_path);
/* Is it a key of slurm.conf that is read here? */
gboolean lk_site_settings_heed (const char *key);
/* The name and the address of an entry of controller_hosts: both the name where no address is
 * given. FALSE: it is neither NAME nor NAME(ADDRESS). Outputs: (transfer full). */
gboolean lk_site_host_split (const char *entry, char **out_name, char **out_address);
/* What AuthAltParameters says; `key` is NULL where it names none. */
typedef struct {
  char *key;
  gboolean are_trusted; /* disable_token_creation */
  guint64 life_max_s;   /* 0: no limit */
} LkSiteTokens;
/* FALSE: it says something else. `out_tokens->key`: (transfer full). */
gboolean lk_site_tokens_read (const char *parameters, LkSiteTokens *out_tokens);
/* A path with %h and %n put in. Returns: (transfer full). */
char *lk_site_path_expand (const char *pattern, const char *host, const char *node);
/* The documentation of the keys, as Markdown. */
void lk_site_settings_markdown (GString *out);

#endif
