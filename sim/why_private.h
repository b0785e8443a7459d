/* sim/why_private.h — what the files why_*.c share. */
#ifndef LK_SIM_WHY_PRIVATE_H
#define LK_SIM_WHY_PRIVATE_H

#include <glib.h>

#include "sim/why.h"
#include "sim/why_trial.h"

/* Adds one of the kind. Returns: (transfer none), to be filled. */
LkWhyBlocker *lk_why_add_blocker (LkWhy *self, LkWhyBlockerKind kind);
/* Names a job among those of a blocker; all that are counted are added, see lk_why_sort_jobs. */
void lk_why_add_job (LkWhyBlocker *self, const LkEngine *engine, LkJobIndex job, guint64 amount);
/* The same of a user in an account. */
void lk_why_add_user (LkWhyBlocker *self, const char *user, const char *account, guint64 amount);
/* Puts the largest amount first and keeps only the first few. */
void lk_why_sort_jobs (LkWhyBlocker *self);
/* "12 (bob, physics) 32 cpu, 7 (eve, bio) 4 cpu and 3 more"; `unit` NULL: without amounts. */
void lk_why_append_jobs (const LkWhyBlocker *self, const char *unit, GString *out);

/* Names; numbers where there are no names. Returns: (transfer full). */
char *lk_why_user_name (const LkEngine *engine, LkJobIndex job);
char *lk_why_account_name (const LkEngine *engine, LkJobIndex job);

/* sim/why_reservations.c: one that it waits for, and those of others that have its nodes. */
gboolean lk_why_waits_for_reservation (const LkWhy *self);
void lk_why_find_reservations (LkWhy *self, const LkEngine *engine, const LkEvent_submit *asked);
/* sim/why_limits.c: the limits that hold it. */
void lk_why_find_limits (LkWhy *self, const LkEngine *engine);
/* sim/why_nodes.c: required nodes, licences; does it fit beside what runs? `copy` is changed. */
void lk_why_find_nodes (LkWhy *self, LkEngine *copy);
/* sim/why_changes.c */
void lk_why_find_changes (LkWhy *self, LkWhyTrial *trial, const GArray *queue_ids);

/* Texts of numbers. Returns: (transfer full). */
char *lk_why_duration_text (gint64 duration_us); /* [d-]hh:mm:ss */
char *lk_why_moment_text (gint64 at_us);         /* seconds, and the date or the days they are */
char *lk_why_memory_text (gint64 bytes);         /* 1500M, 4G */
char *lk_why_amount_text (guint64 amount, const char *unit);

/* Is it a component that waits for nothing but room for all of them? */
gboolean lk_why_is_component (const LkWhy *self);

#endif
