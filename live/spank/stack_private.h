/* live/spank/stack_private.h — the stack as what plugins call sees it; shared by stack.c, calls.c
 * and items.c only. */
#ifndef LK_LIVE_SPANK_STACK_PRIVATE_H
#define LK_LIVE_SPANK_STACK_PRIVATE_H

#include "live/spank/stack.h"

typedef struct {
  char *path;
  char *name;
  gboolean is_required;
  char **arguments;
  guint argument_count;
  void *library;
  spank_f *hooks[LK_SPANK_HOOK_COUNT]; /* NULL: it has none */
} LkSpankPlugin;

typedef struct {
  guint plugin;
  struct spank_option option; /* its texts are ours */
  gboolean is_given;
  char *value; /* NULL: without */
} LkSpankGiven;

/* What a plugin is handed. */
struct spank_handle {
  guint32 magic;
  LkSpank *stack;
  guint plugin;
};
#define LK_SPANK_MAGIC 0x5350414eu

struct _LkSpank {
  spank_context_t context;
  LkSpankLog log;
  gpointer log_user;
  GPtrArray *plugins;   /* of LkSpankPlugin * */
  GPtrArray *options;   /* of LkSpankGiven * */
  GPtrArray *variables; /* of char *, NAME=VALUE without the prefix */
  LkSpankHook hook;     /* that is being called */
  gboolean is_within;   /* one is */
  LkSpankScene scene;
};

/* Copies it. FALSE: it is none, or there is one of that name. */
gboolean lk_spank_option_add (LkSpank *self, guint plugin, const struct spank_option *option);
/* Of the list; -1: it is not there. */
gint lk_spank_variable_find (const GPtrArray *list, const char *name);
gboolean lk_spank_is_name (const char *name);
/* Takes over `variable`; behind the last one there may be a NULL. */
void lk_spank_variable_put (GPtrArray *list, const char *name, char *variable);

/* ---- calls.c */

/* What plugins call is about this one; NULL: about none. */
void lk_spank_calls_serve (LkSpank *stack);
void lk_spank_say (const LkSpank *self, LkSpankLevel level, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* ---- items.c */

/* What stands behind the item in a call: what it is asked of, then where the answer goes. */
typedef struct {
  pid_t pid;
  guint32 number;
  void *places[2]; /* each to be something, or the caller is told of a bad argument */
  guint taken;     /* so many have their answer */
} LkSpankItemPlaces;

/* What stands there: a process or a number of a task comes first; two places follow. */
gboolean lk_spank_item_is_of_pid (spank_item_t item);
gboolean lk_spank_item_is_of_number (spank_item_t item);
gboolean lk_spank_item_has_two (spank_item_t item);
spank_err_t lk_spank_item (const LkSpank *self, spank_item_t item, LkSpankItemPlaces *out);

#endif
