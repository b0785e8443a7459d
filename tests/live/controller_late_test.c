/* tests/live/controller_late_test.c — a controller that is woken late. */
#include "tests/live/controller_site.h"

/* The time of the last event of a kind; 0: there is none. */
static gint64
last_time_us (const ControlSite *site, LkEventKind kind)
{
  LkJournalHeader header;
  LkEvent event;
  const char *fault;
  gint64 time_us = 0;
  const GByteArray *journal = control_file (site, LK_CONTROLLER_JOURNAL);
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (journal->data, journal->len, &header, &fault);
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT)
    if (event.kind == kind)
      time_us = event.time_us;
  return time_us;
}

/* No clock wakes at the very moment: what was to be done then is done as of then, and before what
 * has come since. */
static void
test_woken_late (void)
{
  static const gint64 lates_us[] = { 1, 1500, 59 * CONTROL_SECOND_US, 61 * CONTROL_SECOND_US };
  for (guint i = 0; i < G_N_ELEMENTS (lates_us); i++) {
    static const ControlOptions options = { .snapshot_events = 1000, .session_count_max = 10 };
    g_autoptr (ControlSite) site = control_site_new (&options);
    control_start_all (site);
    LkEvent event = { .kind = LK_EVENT_SUBMIT };
    gint64 begin_us = site->realtime_us + 10 * CONTROL_SECOND_US;
    event.submit.user_id = CONTROL_USER;
    event.submit.procs = 1;
    event.submit.estimate_us = 3600 * CONTROL_SECOND_US;
    event.submit.begin_us = begin_us;
    control_ask (site, CONTROL_USER, 1, 1, &event);
    control_settle (site);
    site->monotonic_us += 10 * CONTROL_SECOND_US + lates_us[i];
    site->realtime_us += 10 * CONTROL_SECOND_US + lates_us[i];
    event = (LkEvent){ .kind = LK_EVENT_HOLD, .hold = { .job_id = 77 } };
    control_ask (site, 0, 2, 1, &event);
    lk_controller_woken (site->core);
    control_settle (site);
    gboolean is_made_good = lates_us[i] < 60 * CONTROL_SECOND_US;
    gint64 now_us = site->realtime_us;
    g_assert_cmpint (last_time_us (site, LK_EVENT_TIMER), ==, is_made_good ? begin_us : now_us);
    g_assert_cmpint (last_time_us (site, LK_EVENT_PASS), ==, is_made_good ? begin_us : now_us);
    g_assert_cmpint (last_time_us (site, LK_EVENT_HOLD), ==, now_us);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/controller/what a moment was asked for is done as of that moment",
                   test_woken_late);
  return g_test_run ();
}
