/* tests/engine/task_set_test.c — sets of tasks and the texts in which users write them. */
#include "engine/task_set.h"

#define LIMIT 1001u

static char *
text_of (const LkTaskSet *set)
{
  GString *text = g_string_new (NULL);
  lk_task_set_text (set, text);
  return g_string_free (text, FALSE);
}

static void
test_reads (void)
{
  static const struct {
    const char *text;
    guint32 count;
    guint32 throttle;
    const char *written;
  } cases[] = {
    { "0-99%10", 100, 10, "0-99" },
    { "1-7:2,10", 5, 0, "1,3,5,7,10" },
    { "1-7:2", 4, 0, "1-7:2" },
    { "[1,3-5]", 4, 0, "1,3-5" },
    { "5", 1, 0, "5" },
    { "3,1,2", 3, 0, "1-3" },
    { "1,1,1-2", 2, 0, "1-2" },
    { "0-9:3%0", 4, 0, "0-9:3" },
    { "63-65", 3, 0, "63-65" },
    { "0,1000", 2, 0, "0,1000" },
    { "007-009", 3, 0, "7-9" },
    { "2-8:100", 1, 0, "2" },
    { "[0-3]%2", 4, 2, "0-3" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    LkTaskSet set;
    guint32 throttle;
    g_test_message ("%s", cases[i].text);
    g_assert_true (lk_task_set_parse_array (lk_text (cases[i].text), LIMIT, &set, &throttle));
    g_autofree char *written = text_of (&set);
    g_assert_cmpuint (set.count, ==, cases[i].count);
    g_assert_cmpuint (throttle, ==, cases[i].throttle);
    g_assert_cmpstr (written, ==, cases[i].written);
    lk_task_set_clear (&set);
  }
}

static void
test_refuses (void)
{
  static const char *const texts[] = {
    "",   ",",   "1,", ",1",          "1-",    "-1",      "3-2",        "1-5:0", "1-5:", "1:2",
    "a",  "1-b", "1 ", " 1",          "1%",    "1%a",     "1%2%3",      "%3",    "1001", "0-1001",
    "[1", "1]",  "[]", "99999999999", "1-2-3", "1-5:2:3", "4294967296", "1%-2",
  };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    LkTaskSet set = { .low = 77 };
    guint32 throttle = 77;
    g_test_message ("'%s'", texts[i]);
    g_assert_false (lk_task_set_parse_array (lk_text (texts[i]), LIMIT, &set, &throttle));
    g_assert_cmpuint (set.low, ==, 77);
    g_assert_cmpuint (throttle, ==, 77);
  }
}

/* Nobody's text can cost more than a few large arrays. */
static void
test_bounded (void)
{
  g_autoptr (GString) text = g_string_new ("0-4000000:2");
  LkTaskSet set;
  guint32 throttle;
  while (text->len < 60000)
    g_string_append (text, ",0-4000000:2");
  g_assert_false (lk_task_set_parse_array (lk_text (text->str), G_MAXUINT32, &set, &throttle));
}

static void
test_throttle (void)
{
  guint32 throttle = 7;
  g_assert_true (lk_task_set_parse_throttle (lk_text ("%5"), &throttle));
  g_assert_cmpuint (throttle, ==, 5);
  g_assert_true (lk_task_set_parse_throttle (lk_text ("%0"), &throttle));
  g_assert_cmpuint (throttle, ==, 0);
  g_assert_false (lk_task_set_parse_throttle (lk_text ("5"), &throttle));
  g_assert_false (lk_task_set_parse_throttle (lk_text ("%"), &throttle));
  g_assert_false (lk_task_set_parse_throttle (lk_text (""), &throttle));
}

/* Members against a plain list of flags. */
static void
test_members (void)
{
  enum { COUNT = 300 };
  gboolean has[COUNT] = { FALSE };
  LkTaskSet set = { 0 };
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  for (guint step = 0; step < 5000; step++) {
    guint32 task = (guint32)g_rand_int_range (random, 0, COUNT);
    if (has[task] && g_rand_boolean (random)) {
      lk_task_set_remove (&set, task);
      has[task] = FALSE;
    } else {
      lk_task_set_add (&set, task);
      has[task] = TRUE;
    }
    guint32 count = 0;
    guint32 first = LK_TASK_NONE;
    for (guint32 i = COUNT; i-- > 0;)
      if (has[i]) {
        count++;
        first = i;
      }
    g_assert_cmpuint (set.count, ==, count);
    g_assert_cmpuint (lk_task_set_first (&set), ==, first);
    guint32 next = lk_task_set_next (&set, task);
    g_assert_true (next == LK_TASK_NONE || (next > task && has[next]));
    for (guint32 i = task + 1; i < MIN (next, COUNT); i++)
      g_assert_false (has[i]);
  }
  lk_task_set_clear (&set);
}

static gboolean
load (const GByteArray *bytes, gsize length_bytes, LkTaskSet *out)
{
  LkBytesReader reader = { bytes->data, length_bytes, FALSE };
  return lk_task_set_load (&reader, out) && reader.left_bytes == 0;
}

static void
test_bytes (void)
{
  static const char *const texts[] = { "0", "1-7:2,10", "500-700", "1000" };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    LkTaskSet set;
    LkTaskSet loaded;
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_assert_true (lk_task_set_parse (lk_text (texts[i]), LIMIT, &set));
    lk_task_set_save (&set, bytes);
    g_assert_true (load (bytes, bytes->len, &loaded));
    g_autofree char *before = text_of (&set);
    g_autofree char *after = text_of (&loaded);
    g_assert_cmpstr (before, ==, after);
    lk_task_set_clear (&loaded);
    g_assert_false (load (bytes, bytes->len - 1, &loaded));
    /* Zeros at the end are not what save writes. */
    lk_append_u64 (bytes, 0);
    bytes->data[0]++;
    g_assert_false (load (bytes, bytes->len, &loaded));
    lk_task_set_clear (&set);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/task-set/reads lists, ranges, steps and limits", test_reads);
  g_test_add_func ("/task-set/refuses what is no such text", test_refuses);
  g_test_add_func ("/task-set/the cost of reading is bounded", test_bounded);
  g_test_add_func ("/task-set/reads a limit alone", test_throttle);
  g_test_add_func ("/task-set/members come and go", test_members);
  g_test_add_func ("/task-set/bytes and back", test_bytes);
  return g_test_run ();
}
