/* sim/users/users.c — see users.h. */
#include "sim/users/users.h"

#include <math.h>
#include <string.h>

#include "engine/event_heap.h"
#include "engine/policy.h"
#include "engine/suggest.h"
#include "sim/arguments.h"
#include "sim/error.h"

#define NONE G_MAXUINT32

typedef enum { HANGS_ON_NOTHING, HANGS_ON_END, HANGS_ON_SUBMIT } Link;

typedef struct {
  LkTraceJob job;
  Link link;
  gint64 later_us;      /* behind what it hangs on */
  guint32 first_behind; /* of those that hang on it; NONE: nobody */
  guint32 next_behind;  /* of those that hang on the same */
  guint32 job_id;       /* 0: not submitted */
  gboolean has_come;    /* submitted, or refused */
  gboolean is_over;
} Entry;

struct _LkUsers {
  LkUsersOptions options;
  double load_scale_ratio;
  GArray *entries; /* of Entry, in the order of the log */
  LkEventHeap coming;
  LkEventHeap patience;
  gboolean has_moved;
  guint64 abandoned_count;
};

/* ---------------------------------------------------------------- options */

static gboolean wrong (const char *place, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static gboolean
wrong (const char *place, GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "%s %s", place, text);
  return FALSE;
}

static gboolean
time_take (const char *place, const char *key, const char *value, gint64 *out_us, GError **error)
{
  g_autofree char *named = g_strdup_printf ("%s: %s", place, key);
  return lk_argument_duration_us (named, value, out_us, error);
}

static gboolean
key_take (LkUsersOptions *self, const char *place, char *item, GError **error)
{
  static const char *const keys[] = { "think", "abandon", NULL };
  char *value = strchr (item, '=');
  if (value != NULL)
    *value++ = '\0';
  if (!g_strv_contains (keys, item)) {
    g_autofree char *phrase = lk_suggest_phrase (item, keys);
    return wrong (place, error, "has no key '%s'%s", item, phrase);
  }
  if (value == NULL || *value == '\0')
    return wrong (place, error, "has %s without a value; expected %s=TIME", item, item);
  if (strcmp (item, "think") == 0) {
    self->think_us = -1;
    return strcmp (value, "log") == 0 || time_take (place, item, value, &self->think_us, error);
  }
  self->abandon_us = 0;
  if (strcmp (value, "none") == 0)
    return TRUE;
  if (!time_take (place, item, value, &self->abandon_us, error))
    return FALSE;
  return self->abandon_us > 0
         || wrong (place, error, "has abandon=%s; expected more than 0", value);
}

gboolean
lk_users_options_parse (LkUsersOptions *self, const char *place, const char *text, GError **error)
{
  static const char closed[] = "closed";
  LkUsersOptions options = { .think_us = -1 };
  options.is_closed = strcmp (text, "open") != 0;
  if (g_str_has_prefix (text, "closed:")) {
    g_auto (GStrv) items = g_strsplit (text + strlen (closed) + 1, ",", -1);
    if (items[0] == NULL)
      return wrong (place, error,
                    "is 'closed:' without a key; expected closed, or think= or "
                    "abandon= behind the colon");
    for (char **item = items; *item != NULL; item++)
      if (!key_take (&options, place, *item, error))
        return FALSE;
  } else if (options.is_closed && strcmp (text, closed) != 0) {
    return wrong (place, error, "is '%s'; expected open or closed[:think=TIME,abandon=TIME]", text);
  }
  *self = options;
  return TRUE;
}

static void
time_put (GString *out, gint64 time_us)
{
  g_string_append_printf (out, "%.15g", (double)time_us / G_USEC_PER_SEC);
}

char *
lk_users_options_text (const LkUsersOptions *self)
{
  GString *text = g_string_new (self->is_closed ? "closed:think=" : "open");
  if (self->is_closed) {
    if (self->think_us < 0)
      g_string_append (text, "log");
    else
      time_put (text, self->think_us);
    g_string_append (text, ",abandon=");
    if (self->abandon_us == 0)
      g_string_append (text, "none");
    else
      time_put (text, self->abandon_us);
  }
  return g_string_free (text, FALSE);
}

/* ---------------------------------------------------------------- who hangs on whom */

static Entry *
entry_at (const LkUsers *self, guint32 place)
{
  return &g_array_index (self->entries, Entry, place);
}

static void
hang (LkUsers *self, guint32 place, guint32 on, Link link, gint64 later_us)
{
  Entry *entry = entry_at (self, place);
  Entry *before = entry_at (self, on);
  entry->link = link;
  entry->later_us = MAX (later_us, 0);
  entry->next_behind = before->first_behind;
  before->first_behind = place;
}

/* From the end of `last` to the submit of `job`, in the log: its waits and runs are as long as they
 * were, also where the times between its submits were divided. */
static gint64
think_in_log_us (const LkUsers *self, const LkTraceJob *last, const LkTraceJob *job)
{
  double apart_us = (double)(job->submit_us - last->submit_us) * self->load_scale_ratio;
  return (gint64)llround (apart_us) - MAX (last->wait_us, 0) - last->run_us;
}

/* As short as the load makes it. */
static gint64
scaled_us (const LkUsers *self, gint64 think_us)
{
  return (gint64)llround ((double)think_us / self->load_scale_ratio);
}

/* `before`: the job of the same user before it; NONE: it is the first. */
static void
link_find (LkUsers *self, guint32 place, guint32 before, GHashTable *by_number)
{
  const LkTraceJob *job = &entry_at (self, place)->job;
  gint64 think_us = self->options.think_us;
  gpointer named = NULL;
  gint64 key = job->preceding_number;
  if (key > 0 && (named = g_hash_table_lookup (by_number, &key)) != NULL) {
    guint32 on = GPOINTER_TO_UINT (named) - 1;
    gint64 told_us =
        job->think_us >= 0 ? job->think_us : think_in_log_us (self, &entry_at (self, on)->job, job);
    hang (self, place, on, HANGS_ON_END, think_us >= 0 ? think_us : scaled_us (self, told_us));
    return;
  }
  if (before == NONE) {
    lk_event_heap_push (&self->coming, (LkHeapEvent){ job->submit_us, place, place });
    return;
  }
  const LkTraceJob *last = &entry_at (self, before)->job;
  gint64 between_us = think_in_log_us (self, last, job);
  if (between_us >= 0)
    hang (self, place, before, HANGS_ON_END,
          think_us >= 0 ? think_us : scaled_us (self, between_us));
  else
    hang (self, place, before, HANGS_ON_SUBMIT, job->submit_us - last->submit_us);
}

static void
links_find (LkUsers *self)
{
  g_autoptr (GHashTable) last_of = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) by_number = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (guint32 place = 0; place < self->entries->len; place++) {
    Entry *entry = entry_at (self, place);
    gpointer user = GUINT_TO_POINTER (entry->job.user_id);
    guint32 before = GPOINTER_TO_UINT (g_hash_table_lookup (last_of, user));
    link_find (self, place, before == 0 ? NONE : before - 1, by_number);
    g_hash_table_insert (last_of, user, GUINT_TO_POINTER (place + 1));
    g_hash_table_insert (by_number, &entry->job.number, GUINT_TO_POINTER (place + 1));
  }
}

LkUsers *
lk_users_new (const LkUsersOptions *options, double load_scale_ratio, LkTraceSource *source,
              GError **error)
{
  int state;
  Entry entry = { .first_behind = NONE, .next_behind = NONE };
  g_autoptr (LkUsers) self = g_new0 (LkUsers, 1);
  self->options = *options;
  self->load_scale_ratio = load_scale_ratio;
  self->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  lk_event_heap_init (&self->coming);
  lk_event_heap_init (&self->patience);
  while ((state = lk_trace_source_next (source, &entry.job, error)) > 0)
    g_array_append_val (self->entries, entry);
  if (state < 0)
    return NULL;
  links_find (self);
  return g_steal_pointer (&self);
}

void
lk_users_free (LkUsers *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->entries);
  lk_event_heap_clear (&self->coming);
  lk_event_heap_clear (&self->patience);
  g_free (self);
}

/* ---------------------------------------------------------------- as time goes by */

gboolean
lk_users_next (LkUsers *self, LkTraceJob *out_job, guint32 *out_place)
{
  const LkHeapEvent *first = lk_event_heap_first (&self->coming);
  self->has_moved = FALSE;
  if (first == NULL)
    return FALSE;
  *out_job = entry_at (self, first->slot)->job;
  out_job->submit_us = first->time_us;
  *out_place = first->slot;
  return TRUE;
}

gboolean
lk_users_have_moved (LkUsers *self)
{
  gboolean has_moved = self->has_moved;
  self->has_moved = FALSE;
  return has_moved;
}

/* Those that hang on a job by a link. */
static void
let_come (LkUsers *self, const Entry *entry, Link link, gint64 now_us)
{
  for (guint32 at = entry->first_behind; at != NONE; at = entry_at (self, at)->next_behind) {
    const Entry *behind = entry_at (self, at);
    if (behind->link != link)
      continue;
    lk_event_heap_push (&self->coming, (LkHeapEvent){ now_us + behind->later_us, at, at });
    self->has_moved = TRUE;
  }
}

void
lk_users_submitted (LkUsers *self, guint32 place, guint32 job_id, gint64 now_us)
{
  Entry *entry = entry_at (self, place);
  if (entry->has_come)
    return;
  lk_event_heap_pop (&self->coming);
  entry->has_come = TRUE;
  entry->job_id = job_id;
  let_come (self, entry, HANGS_ON_SUBMIT, now_us);
  if (job_id == 0)
    lk_users_over (self, place, now_us);
  else if (self->options.abandon_us > 0)
    lk_event_heap_push (&self->patience,
                        (LkHeapEvent){ now_us + self->options.abandon_us, place, place });
}

void
lk_users_over (LkUsers *self, guint32 place, gint64 now_us)
{
  Entry *entry = entry_at (self, place);
  if (entry->is_over)
    return;
  entry->is_over = TRUE;
  let_come (self, entry, HANGS_ON_END, now_us);
}

gint64
lk_users_patience_us (const LkUsers *self)
{
  const LkHeapEvent *first = lk_event_heap_first (&self->patience);
  return first != NULL ? first->time_us : LK_TIME_NEVER;
}

guint32
lk_users_impatient (LkUsers *self, gint64 now_us, guint32 *out_place)
{
  const LkHeapEvent *first;
  while ((first = lk_event_heap_first (&self->patience)) != NULL && first->time_us <= now_us) {
    guint32 place = first->slot;
    lk_event_heap_pop (&self->patience);
    if (entry_at (self, place)->is_over)
      continue;
    *out_place = place;
    return entry_at (self, place)->job_id;
  }
  return 0;
}

void
lk_users_abandoned (LkUsers *self, guint32 place, gint64 now_us)
{
  self->abandoned_count++;
  lk_users_over (self, place, now_us);
}

guint64
lk_users_abandoned_count (const LkUsers *self)
{
  return self->abandoned_count;
}

guint64
lk_users_absent_count (const LkUsers *self)
{
  guint64 count = 0;
  for (guint32 place = 0; place < self->entries->len; place++)
    count += !entry_at (self, place)->has_come;
  return count;
}
