/* tests/engine/scenario_test.c — runs every scenarios/NAME.txt and compares the decisions that it
 * expects.
 *
 * A scenario is read line by line:
 *   units 10 / order SPEC / backfill SPEC      the engine, before the first event
 *   TIME submit JOB PROCS ESTIMATE [USER]      an event; times in seconds
 *   TIME ended|cancel|hold|release JOB         likewise
 *   TIME timer|pass
 *   > DECISION                                 what the event above brings
 *   # and empty lines                          for people
 * The whole file is written anew with the decisions that were made, so that a difference is seen in
 * its place.  With --actual FILE the program prints that text instead of testing. */
#include <stdio.h>
#include <string.h>

#include "tests/engine/engine_fixture.h"

#define FOLDER LK_SOURCE_DIR "/tests/engine/scenarios"
#define WORDS_MAX 6u

typedef struct {
  const char *path;
  LkFixture fixture;
  gboolean started;
  guint32 units;
  char *order;
  char *backfill;
  GString *actual;
} Scenario;

static void
start (Scenario *self)
{
  if (!self->started)
    fixture_init (&self->fixture, self->units, self->order, self->backfill);
  self->started = TRUE;
}

static guint64
number (const Scenario *self, const char *text)
{
  guint64 value = 0;
  if (text == NULL || !g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT32, &value, NULL))
    g_error ("%s: '%s' is not a number", self->path, text != NULL ? text : "");
  return value;
}

static LkEventKind
kind_of (const Scenario *self, const char *name)
{
  for (guint kind = 1; name != NULL && kind < LK_EVENT_KIND_LIMIT; kind++)
    if (strcmp (lk_event_kind_name (kind), name) == 0)
      return (LkEventKind)kind;
  if (name != NULL && strcmp (name, "ended") == 0)
    return LK_EVENT_JOB_ENDED;
  g_error ("%s: '%s' is not an event", self->path, name != NULL ? name : "");
}

static void
event_line (Scenario *self, char **words)
{
  gint64 time_s = (gint64)number (self, words[0]);
  LkEventKind kind = kind_of (self, words[1]);
  guint32 id = words[2] != NULL ? (guint32)number (self, words[2]) : 0;
  start (self);
  if (kind == LK_EVENT_SUBMIT) {
    LkEvent event = { .kind = kind };
    event.submit.job_id = id;
    event.submit.procs = (guint32)number (self, words[3]);
    event.submit.estimate_us = (gint64)number (self, words[4]) * G_USEC_PER_SEC;
    event.submit.user_id = words[5] != NULL ? (guint32)number (self, words[5]) : 0;
    g_assert_cmpint (fixture_apply (&self->fixture, time_s, &event), ==, LK_STATUS_OK);
  } else if (kind == LK_EVENT_JOB_ENDED) {
    fixture_ended (&self->fixture, time_s, id);
  } else {
    fixture_event (&self->fixture, time_s, kind, id);
  }
}

/* Decisions are logged with "; " between them. */
static void
append_decisions (Scenario *self)
{
  GString *log = self->fixture.log;
  g_auto (GStrv) decisions = g_strsplit (log->str, "; ", -1);
  for (guint i = 0; decisions[i] != NULL; i++)
    g_string_append_printf (self->actual, "> %s\n", decisions[i]);
  g_string_truncate (log, 0);
}

static void
take_line (Scenario *self, const char *line)
{
  if (line[0] == '>')
    return;
  g_string_append_printf (self->actual, "%s\n", line);
  if (line[0] == '#' || line[0] == '\0')
    return;
  g_auto (GStrv) words = g_strsplit (line, " ", WORDS_MAX);
  if (strcmp (words[0], "units") == 0) {
    self->units = (guint32)number (self, words[1]);
  } else if (strcmp (words[0], "order") == 0) {
    g_free (self->order);
    self->order = g_strdup (line + strlen ("order "));
  } else if (strcmp (words[0], "backfill") == 0) {
    g_free (self->backfill);
    self->backfill = g_strdup (line + strlen ("backfill "));
  } else {
    event_line (self, words);
    append_decisions (self);
  }
}

/* The text that the scenario should have. Returns: (transfer full). */
static char *
actual_text (const char *path, const char *text)
{
  Scenario self = { .path = path, .units = 1, .actual = g_string_new (NULL) };
  self.order = g_strdup ("fifo");
  self.backfill = g_strdup ("none");
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint line_count = g_strv_length (lines);
  g_assert_cmpuint (line_count, >, 0);
  g_assert_cmpstr (lines[line_count - 1], ==, ""); /* the last line is ended, too */
  for (guint i = 0; i + 1 < line_count; i++)
    take_line (&self, lines[i]);
  g_assert_true (self.started);
  fixture_clear (&self.fixture);
  g_free (self.order);
  g_free (self.backfill);
  return g_string_free (self.actual, FALSE);
}

static char *
contents_of (const char *path)
{
  g_autoptr (GError) error = NULL;
  char *contents = NULL;
  g_file_get_contents (path, &contents, NULL, &error);
  g_assert_no_error (error);
  return contents;
}

static void
run_scenario (gconstpointer path)
{
  g_autofree char *contents = contents_of (path);
  g_autofree char *actual = actual_text (path, contents);
  g_assert_cmpstr (actual, ==, contents);
}

static void
add_scenarios (GPtrArray *paths)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) folder = g_dir_open (FOLDER, 0, &error);
  g_assert_no_error (error);
  for (const char *name = g_dir_read_name (folder); name != NULL; name = g_dir_read_name (folder)) {
    g_autofree char *test = g_strdup_printf ("/scenario/%.*s", (int)strcspn (name, "."), name);
    char *path = g_build_filename (FOLDER, name, NULL);
    g_ptr_array_add (paths, path);
    g_test_add_data_func (test, path, run_scenario);
  }
  g_assert_cmpuint (paths->len, >, 0);
}

int
main (int argc, char **argv)
{
  if (argc == 3 && strcmp (argv[1], "--actual") == 0) {
    g_autofree char *contents = contents_of (argv[2]);
    g_autofree char *actual = actual_text (argv[2], contents);
    return fputs (actual, stdout) < 0;
  }
  g_test_init (&argc, &argv, NULL);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  add_scenarios (paths);
  return g_test_run ();
}
