/* tests/oracle/sched_test.c — recorded scheduling situations against the engine.
 *
 * Without folders it is a test: it plays those of sched/recorded, every difference must stand in
 * sched/differences.txt under its cause, and every line there must be a difference still.
 * `--print` writes the differences as lines of that file instead.
 *
 * With folders, which may lie anywhere, it prints what differs in each. It exits with 0 when
 * nothing does, with 1 when something does, and with 2 when a folder cannot be played. */
#include <stdio.h>
#include <string.h>

#include "tests/oracle/situation.h"

#define ROOT LK_SOURCE_DIR "/tests/oracle/sched"

enum { EXIT_SAME, EXIT_DIFFERS, EXIT_UNPLAYED };

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

static GPtrArray *
situation_names (void)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) folder = g_dir_open (ROOT "/recorded", 0, NULL);
  for (const char *name = g_dir_read_name (folder); name != NULL; name = g_dir_read_name (folder))
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, by_name);
  return names;
}

/* Lines "SITUATION | DIFFERENCE" of the file; those that begin with # tell the cause of others. */
static GPtrArray *
known_differences (void)
{
  g_autofree char *text = NULL;
  GPtrArray *known = g_ptr_array_new_with_free_func (g_free);
  g_assert_true (g_file_get_contents (ROOT "/differences.txt", &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (*lines[i] != '\0' && *lines[i] != '#')
      g_ptr_array_add (known, g_strdup (lines[i]));
  return known;
}

static gboolean
take (GPtrArray *known, const char *line)
{
  guint index;
  return g_ptr_array_find_with_equal_func (known, line, g_str_equal, &index)
         && g_ptr_array_remove_index (known, index);
}

/* Returns: how many differences are not known. */
static guint
play (const char *name, GPtrArray *known, gboolean prints)
{
  g_autoptr (GError) error = NULL;
  guint unknown = 0;
  g_autofree char *folder = g_build_filename (ROOT "/recorded", name, NULL);
  g_autoptr (LkSituation) situation = lk_situation_play (ROOT "/convert", folder, &error);
  if (situation == NULL) {
    printf ("%s cannot be played: %s\n", name, error->message);
    return 1;
  }
  for (guint i = 0; i < situation->differences->len; i++) {
    g_autofree char *line = g_strdup_printf (
        "%s | %s", name, (const char *)g_ptr_array_index (situation->differences, i));
    gboolean is_known = take (known, line);
    unknown += is_known ? 0 : 1;
    if (prints || !is_known)
      printf ("%s%s\n", prints ? "" : "not known: ", line);
  }
  if (!prints)
    printf ("%-34s %4u facts, %3u differ\n", name, situation->fact_count,
            situation->differences->len);
  return unknown;
}

static int
test (gboolean prints)
{
  g_autoptr (GPtrArray) names = situation_names ();
  g_autoptr (GPtrArray) known = known_differences ();
  guint wrong = 0;
  for (guint i = 0; i < names->len; i++)
    wrong += play (g_ptr_array_index (names, i), known, prints);
  for (guint i = 0; i < known->len && !prints; i++)
    printf ("differs no longer: %s\n", (const char *)g_ptr_array_index (known, i));
  return wrong + known->len > 0 && !prints ? EXIT_DIFFERS : EXIT_SAME;
}

static int
show (const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSituation) situation = lk_situation_play (ROOT "/convert", folder, &error);
  if (situation == NULL) {
    fprintf (stderr, "sched_test: %s cannot be played: %s\n", folder, error->message);
    return EXIT_UNPLAYED;
  }
  printf ("%s: %u facts, %u differ\n", situation->name, situation->fact_count,
          situation->differences->len);
  for (guint i = 0; i < situation->differences->len; i++)
    printf ("  %s\n", (const char *)g_ptr_array_index (situation->differences, i));
  fflush (stdout);
  return situation->differences->len > 0 ? EXIT_DIFFERS : EXIT_SAME;
}

static int
show_all (char **folders)
{
  int worst = EXIT_SAME;
  for (; *folders != NULL; folders++) {
    int one = show (*folders);
    worst = MAX (worst, one);
  }
  return worst;
}

int
main (int argc, char **argv)
{
  const char *word = argc > 1 ? argv[1] : "";
  if (strcmp (word, "--help") == 0) {
    printf ("usage: sched_test             test the recorded situations\n"
            "       sched_test --print     print their differences\n"
            "       sched_test FOLDER...   play other folders and print what differs;\n"
            "                              tests/oracle/sched/README.md says what is in one\n");
    return EXIT_SAME;
  }
  if (argc == 1 || strcmp (word, "--print") == 0)
    return test (argc > 1);
  if (*word != '-')
    return show_all (argv + 1);
  fprintf (stderr, "sched_test: '%s' is no option; expected --print, --help or folders\n", word);
  return EXIT_UNPLAYED;
}
