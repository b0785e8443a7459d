/* tests/traces/top/model_test.c — keys and facts in, screens and actions out. */
#include "traces/top/model.h"

#include <string.h>

#define HOSTILE                                                                                    \
  "\033]0;x\007\xe2\x80\xae"                                                                       \
  "evil"

static void
add_job (LkTopFacts *facts, guint32 id, const char *name, const char *user, gboolean is_pending)
{
  g_autofree char *label = g_strdup_printf ("%u", id);
  LkTopJob job = { .id = id,
                   .label = lk_top_facts_text (facts, label),
                   .name = lk_top_facts_text (facts, name),
                   .user = lk_top_facts_text (facts, user),
                   .account = "",
                   .qos = "",
                   .partition = id % 2 == 0 ? "even" : "odd",
                   .state = is_pending ? "PENDING" : "RUNNING",
                   .state_short = is_pending ? "PD" : "R",
                   .reason = is_pending ? "Priority" : "",
                   .where = is_pending ? "" : "n1",
                   .is_pending = is_pending,
                   .has_priority = TRUE,
                   .priority = 100 - id,
                   .node_count = 1,
                   .cpu_count = 10 * id,
                   .start_us = LK_TOP_NEVER,
                   .end_us = LK_TOP_NEVER,
                   .limit_us = 60 * G_USEC_PER_SEC,
                   .used_us = is_pending ? 0 : 5 * G_USEC_PER_SEC };
  g_array_append_val (facts->jobs, job);
}

static LkTopFacts *
facts_new (void)
{
  LkTopFacts *facts = lk_top_facts_new (LK_TOP_WANTS_JOBS | LK_TOP_WANTS_NODES | LK_TOP_WANTS_LOG);
  LkTopNode up = { "n1", "mixed", "", "main", FALSE, 8, 4, 2, 1, 1, 1024, 512 };
  LkTopNode down = { "n2", "down", "disk", "main", TRUE, 8, 0, 0, 0, 0, 1024, 0 };
  facts->title = "test";
  facts->now_us = 90061 * (gint64)G_USEC_PER_SEC;
  facts->seq = 7;
  facts->seq_last = 9;
  facts->running_count = 1;
  facts->pending_count = 2;
  add_job (facts, 1, "run", "ada", FALSE);
  add_job (facts, 2, "wait", "bob", TRUE);
  add_job (facts, 3, HOSTILE, "ada", TRUE);
  g_array_append_val (facts->nodes, up);
  g_array_append_val (facts->nodes, down);
  lk_top_facts_sum_nodes (facts);
  for (guint i = 0; i < 30; i++) {
    g_autofree char *line = g_strdup_printf ("line %u", i);
    g_ptr_array_add (facts->log, (gpointer)lk_top_facts_text (facts, line));
  }
  return facts;
}

static LkTopModel *
model_new (gboolean is_live, LkTopPane pane)
{
  LkTopModel *model = lk_top_model_new (is_live);
  lk_top_model_set_pane (model, pane);
  lk_top_model_take (model, facts_new ());
  return model;
}

static LkTopAction
press (LkTopModel *model, guint32 key)
{
  return lk_top_model_key (model, key, 24);
}

static void
type (LkTopModel *model, const char *text)
{
  for (; *text != '\0'; text = g_utf8_next_char (text))
    press (model, g_utf8_get_char (text));
}

static char *
drawn (LkTopModel *model, guint columns, guint rows)
{
  g_autoptr (LkTopScreen) screen = lk_top_screen_new (columns, rows, FALSE);
  GString *text = g_string_new (NULL);
  lk_top_model_draw (model, screen);
  lk_top_screen_text (screen, text);
  return g_string_free (text, FALSE);
}

static void
expect_shown (LkTopModel *model, const char *text, gboolean is_shown)
{
  g_autofree char *screen = drawn (model, 80, 24);
  if ((strstr (screen, text) != NULL) != is_shown)
    g_error ("'%s' is %sshown:\n%s", text, is_shown ? "not " : "", screen);
}

/* Which row of the queue is marked. */
static void
expect_marked (LkTopModel *model, const char *label)
{
  g_autofree char *screen = drawn (model, 80, 24);
  char *mark = strstr (screen, "\n>");
  g_assert_nonnull (mark);
  g_auto (GStrv) words = g_strsplit (g_strchug (mark + 2), " ", 2);
  g_assert_cmpstr (words[0], ==, label);
}

/* ---------------------------------------------------------------- panes */

static void
test_panes (void)
{
  g_autoptr (LkTopModel) model = model_new (FALSE, LK_TOP_PANE_OVERVIEW);
  expect_shown (model, "1 running, 2 pending", TRUE);
  expect_shown (model, "4/16  25%", TRUE);
  expect_shown (model, "1-01:01:01  event 7/9", TRUE);
  g_assert_cmpint (press (model, '2').kind, ==, LK_TOP_ACTION_LOOK);
  expect_shown (model, "NODELIST(REASON)", TRUE);
  g_assert_cmpuint (lk_top_model_wants (model), ==, LK_TOP_WANTS_JOBS);
  press (model, LK_TOP_KEY_TAB);
  expect_shown (model, "4/8", TRUE);
  expect_shown (model, "main (disk)", TRUE);
  g_assert_cmpuint (lk_top_model_wants (model), ==, LK_TOP_WANTS_NODES);
  press (model, 'm');
  expect_shown (model, "\n ▅x\n", TRUE);
  press (model, '5');
  expect_shown (model, "line 29", TRUE);
  expect_shown (model, "line 3\n", FALSE);
  press (model, LK_TOP_KEY_HOME);
  expect_shown (model, "line 0\n", TRUE);
  press (model, LK_TOP_KEY_BACK_TAB);
  g_assert_cmpuint (lk_top_model_detail_job (model), ==, 1);
  g_assert_cmpint (press (model, 'q').kind, ==, LK_TOP_ACTION_QUIT);
}

static void
test_help (void)
{
  for (guint is_live = 0; is_live < 2; is_live++) {
    g_autoptr (LkTopModel) model = model_new (is_live == 1, LK_TOP_PANE_QUEUE);
    press (model, '?');
    expect_shown (model, "cancel the selected job", is_live == 1);
    expect_shown (model, "one event back and forward", is_live == 0);
    /* Any key leaves it, and does nothing else. */
    g_assert_cmpint (press (model, 'q').kind, ==, LK_TOP_ACTION_NONE);
    expect_shown (model, "JOBID", TRUE);
  }
}

static void
test_hostile (void)
{
  g_autoptr (LkTopModel) model = model_new (TRUE, LK_TOP_PANE_QUEUE);
  expect_shown (model, "?]0;x??e", TRUE);
  press (model, LK_TOP_KEY_END);
  press (model, 'c');
  g_autofree char *screen = drawn (model, 80, 24);
  for (const char *at = screen; *at != '\0'; at = g_utf8_next_char (at))
    g_assert_true (*at == '\n' || g_unichar_isprint (g_utf8_get_char (at)));
}

/* Every size that a terminal may have, every pane: no write beside the screen. */
static void
test_sizes (void)
{
  for (guint pane = 0; pane < LK_TOP_PANE_COUNT; pane++)
    for (guint columns = 1; columns < 200; columns += columns < 20 ? 1 : 37)
      for (guint rows = 1; rows < 30; rows += 1) {
        g_autoptr (LkTopModel) model = model_new (TRUE, (LkTopPane)pane);
        lk_top_model_set_detail (model, 1, "Job 1\n  a            very long line that goes on");
        g_free (drawn (model, columns, rows));
        press (model, '?');
        g_free (drawn (model, columns, rows));
      }
}

/* ---------------------------------------------------------------- filters, order */

static void
test_filter (void)
{
  static const struct {
    const char *filter;
    const char *shown;
  } filters[] = {
    { "user=ada", "2 of 3 jobs" },      { "u=ADA state=pd", "1 of 3 jobs" },
    { "st=PENDING", "2 of 3 jobs" },    { "partition=odd user=bob", "0 of 3 jobs" },
    { "evil", "1 of 3 jobs" },          { "reason=priority", "2 of 3 jobs" },
    { "nothing=there", "0 of 3 jobs" }, { "", "3 of 3 jobs" },
    { "user=ad", "0 of 3 jobs" },       { "  wait  ", "1 of 3 jobs" },
  };
  g_autoptr (LkTopModel) model = model_new (TRUE, LK_TOP_PANE_QUEUE);
  for (guint i = 0; i < G_N_ELEMENTS (filters); i++) {
    press (model, LK_TOP_KEY_ESCAPE);
    press (model, '/');
    type (model, filters[i].filter);
    press (model, LK_TOP_KEY_ENTER);
    expect_shown (model, filters[i].shown, TRUE);
  }
  press (model, LK_TOP_KEY_ESCAPE);
  press (model, '/');
  type (model, "wait");
  expect_shown (model, "1 of 3 jobs", TRUE);
  press (model, LK_TOP_KEY_BACKSPACE);
  press (model, LK_TOP_KEY_ESCAPE); /* takes it back */
  expect_shown (model, "3 of 3 jobs", TRUE);
}

static void
test_filter_nodes (void)
{
  g_autoptr (LkTopModel) model = model_new (TRUE, LK_TOP_PANE_NODES);
  lk_top_model_set_filter (model, "state=down partition=main");
  expect_shown (model, "1 of 2 nodes", TRUE);
  press (model, '2');
  expect_shown (model, "3 of 3 jobs", TRUE);
}

static void
test_sort (void)
{
  g_autoptr (LkTopModel) model = model_new (TRUE, LK_TOP_PANE_QUEUE);
  g_assert_true (lk_top_model_set_sort (model, "-cpus"));
  press (model, LK_TOP_KEY_HOME);
  expect_marked (model, "3");
  press (model, 'r');
  press (model, LK_TOP_KEY_HOME);
  expect_marked (model, "1");
  g_assert_false (lk_top_model_set_sort (model, "colour"));
  /* One by one, and in the end in the order of the queue again. */
  for (guint i = 0; i < 20; i++) {
    press (model, 's');
    g_autofree char *screen = drawn (model, 200, 24);
    g_assert_nonnull (strstr (screen, "3 of 3 jobs"));
  }
}

static void
test_selection_follows (void)
{
  g_autoptr (LkTopModel) model = model_new (TRUE, LK_TOP_PANE_QUEUE);
  press (model, LK_TOP_KEY_DOWN);
  expect_marked (model, "2");
  LkTopFacts *facts = lk_top_facts_new (LK_TOP_WANTS_JOBS);
  add_job (facts, 9, "new", "ada", FALSE);
  add_job (facts, 8, "other", "ada", FALSE);
  add_job (facts, 2, "wait", "bob", FALSE);
  lk_top_model_take (model, facts);
  expect_marked (model, "2");
  /* What is marked is what is looked at, also behind a filter. */
  press (model, '/');
  type (model, "new");
  press (model, LK_TOP_KEY_ENTER);
  press (model, LK_TOP_KEY_ENTER);
  g_assert_cmpuint (lk_top_model_detail_job (model), ==, 9);
  /* Its details stay when it has gone. */
  lk_top_model_set_detail (model, 9, "Job 9: gone");
  facts = lk_top_facts_new (LK_TOP_WANTS_JOBS);
  add_job (facts, 2, "wait", "bob", FALSE);
  lk_top_model_take (model, facts);
  expect_shown (model, "Job 9: gone", TRUE);
}

/* ---------------------------------------------------------------- time, cancel */

static void
test_time (void)
{
  g_autoptr (LkTopModel) journal = model_new (FALSE, LK_TOP_PANE_QUEUE);
  LkTopAction action = press (journal, '{');
  g_assert_cmpint (action.kind, ==, LK_TOP_ACTION_STEPS);
  g_assert_cmpint (action.amount, ==, -10);
  action = press (journal, '.');
  g_assert_cmpint (action.kind, ==, LK_TOP_ACTION_EVENTS);
  g_assert_cmpint (action.amount, ==, 1);
  g_assert_cmpint (press (journal, '(').kind, ==, LK_TOP_ACTION_BEGIN);
  g_assert_cmpint (press (journal, ')').kind, ==, LK_TOP_ACTION_END);
  g_assert_true (lk_top_model_is_paused (journal));
  press (journal, ' ');
  expect_shown (journal, "[playing]", TRUE);
  press (journal, 'c');
  expect_shown (journal, "a journal is only read", TRUE);

  g_autoptr (LkTopModel) live = model_new (TRUE, LK_TOP_PANE_QUEUE);
  g_assert_cmpint (press (live, '[').kind, ==, LK_TOP_ACTION_NONE);
  expect_shown (live, "no other time than now", TRUE);
  press (live, ' ');
  expect_shown (live, "[paused]", TRUE);
}

static void
test_cancel (void)
{
  g_autoptr (LkTopModel) model = model_new (TRUE, LK_TOP_PANE_QUEUE);
  press (model, LK_TOP_KEY_DOWN);
  g_assert_cmpint (press (model, 'c').kind, ==, LK_TOP_ACTION_NONE);
  expect_shown (model, "cancel job 2 (wait) of bob? y: yes", TRUE);
  /* The queue moves under the question: it is asked of the same job. */
  LkTopFacts *facts = lk_top_facts_new (LK_TOP_WANTS_JOBS);
  add_job (facts, 3, "other", "ada", TRUE);
  lk_top_model_take (model, facts);
  LkTopAction action = press (model, 'y');
  g_assert_cmpint (action.kind, ==, LK_TOP_ACTION_CANCEL);
  g_assert_cmpuint (action.job_id, ==, 2);
  press (model, 'c');
  g_assert_cmpint (press (model, LK_TOP_KEY_ENTER).kind, ==, LK_TOP_ACTION_NONE);
  expect_shown (model, "not cancelled", TRUE);
  press (model, '3');
  press (model, 'c');
  expect_shown (model, "no job is selected", TRUE);
}

/* Nothing that is pressed breaks it. */
static void
test_random_keys (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  g_autoptr (LkTopModel) model = model_new (TRUE, LK_TOP_PANE_OVERVIEW);
  for (guint i = 0; i < 20000; i++) {
    guint32 key = g_rand_boolean (random)
                      ? (guint32)g_rand_int_range (random, ' ', 127)
                      : LK_TOP_KEY_NONE + (guint32)g_rand_int_range (random, 0, 14);
    press (model, key);
    if (i % 50 == 0)
      lk_top_model_take (model, i % 100 == 0 ? facts_new ()
                                             : lk_top_facts_new (lk_top_model_wants (model)));
    if (i % 7 == 0)
      g_free (drawn (model, 80, (guint)g_rand_int_range (random, 1, 30)));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/panes show what they are for", test_panes);
  g_test_add_func ("/model/help tells the keys of the source", test_help);
  g_test_add_func ("/model/hostile names are harmless", test_hostile);
  g_test_add_func ("/model/any size will do", test_sizes);
  g_test_add_func ("/model/filters look where they say", test_filter);
  g_test_add_func ("/model/nodes have a filter of their own", test_filter_nodes);
  g_test_add_func ("/model/rows are sorted by a column", test_sort);
  g_test_add_func ("/model/the mark follows the job", test_selection_follows);
  g_test_add_func ("/model/time is of journals", test_time);
  g_test_add_func ("/model/cancel asks first", test_cancel);
  g_test_add_func ("/model/any key will do", test_random_keys);
  return g_test_run ();
}
