/* tests/step/step_pmi_test.c — steps with a PMI server: programs that are started by srun
 * --mpi=pmi2 over two nodes find each other, by version 2 (libpmi2) and 1. */
#include "live/step/step_pmi.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>

#include "live/port/run_share.h"
#include "live/step/pmi_word.h"
#include "tests/step/mpi_case.h"

static gboolean
has_library (void)
{
  void *library = dlopen ("libpmi2.so.0", RTLD_NOW);
  if (library == NULL)
    g_test_skip ("no libpmi2 here");
  else
    dlclose (library);
  return library != NULL;
}

/* Keys, attributes and names, on one node and on two. */
static void
test_all (void)
{
  static const char *const expected[] = { "(vector,(0,1,4)), all is right",
                                          "(vector,(0,2,2)), all is right" };
  for (int has_two = 0; has_two < 2 && has_library (); has_two++) {
    MpiCase one;
    mpi_case_begin (&one, LK_STEP_MPI_PMI2, has_two != 0);
    mpi_case_play (&one, 4, PMI2_CLIENT, "all");
    mpi_case_check (&one, 4, expected[has_two]);
    mpi_case_end (&one);
  }
}

/* As MPICH speaks. */
static void
test_version_one (void)
{
  for (int has_two = 0; has_two < 2; has_two++) {
    MpiCase one;
    mpi_case_begin (&one, LK_STEP_MPI_PMI2, has_two != 0);
    mpi_case_play (&one, 4, PMI2_CLIENT, "pmi1");
    mpi_case_check (&one, 4, "cmd=get_result rc=0 msg=success value=v3");
    mpi_case_end (&one);
  }
}

/* One that aborts ends all, on all nodes. */
static void
test_abort (void)
{
  MpiCase one;
  if (!has_library ())
    return;
  mpi_case_begin (&one, LK_STEP_MPI_PMI2, TRUE);
  mpi_case_play (&one, 4, PMI2_CLIENT, "abort");
  g_assert_nonnull (strstr (one.site.log->str, "PMI abort of step 101.0 with status 1: task 3: "
                                               "enough; really"));
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (one.site.status[i], !=, 0);
  mpi_case_end (&one);
}

/* ---------------------------------------------------------------- bytes */

static LkPmiStatus
take (const char *text, guint version, LkPmiWord *out_word)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_byte_array_append (bytes, (const guint8 *)text, (guint)strlen (text));
  return lk_pmi_word_take (bytes, version, out_word);
}

static void
test_words (void)
{
  static const struct {
    guint version;
    const char *text;
    LkPmiStatus status;
  } cases[] = {
    { 1, "cmd=init", LK_PMI_MORE },
    { 1, "cmd=init\n", LK_PMI_WHOLE },
    { 1, "\n", LK_PMI_BAD },
    { 1, "cmd\n", LK_PMI_BAD },
    { 1, "=x\n", LK_PMI_BAD },
    { 2, "6    ", LK_PMI_MORE },
    { 2, "6     cmd=x", LK_PMI_MORE },
    { 2, "6     cmd=x;", LK_PMI_WHOLE },
    { 2, "     6cmd=x;", LK_PMI_WHOLE },
    { 2, "0     ", LK_PMI_BAD },
    { 2, "-1    cmd=x;", LK_PMI_BAD },
    { 2, "sixsixcmd=x;", LK_PMI_BAD },
    { 2, "999999", LK_PMI_BAD },
    { 2, "3     cmd=x;", LK_PMI_BAD },
  };
  LkPmiWord word;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_test_message ("%s", cases[i].text);
    g_assert_cmpint (take (cases[i].text, cases[i].version, &word), ==, cases[i].status);
    if (cases[i].status == LK_PMI_WHOLE)
      lk_pmi_word_clear (&word);
  }
  g_assert_cmpint (take ("24    cmd=a;key=x;;y;value=;;;", 2, &word), ==, LK_PMI_WHOLE);
  g_assert_cmpstr (lk_pmi_word_value (&word, "key"), ==, "x;y");
  g_assert_cmpstr (lk_pmi_word_value (&word, "value"), ==, ";");
  g_assert_cmpstr (lk_pmi_word_value (&word, "none"), ==, "");
  lk_pmi_word_clear (&word);
}

static void
test_mapping (void)
{
  static const struct {
    const char *nodes[3];
    guint32 task_count;
    const char *expected;
  } cases[] = { { { "0-3", "4-7", NULL }, 8, "(vector,(0,2,4))" },
                { { "0-3", "4-5", NULL }, 6, "(vector,(0,1,4),(1,1,2))" },
                { { "0,2", "1,3", NULL }, 4, "(vector,(0,2,1),(0,2,1))" },
                { { "0", "1", "2" }, 3, "(vector,(0,3,1))" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GPtrArray) nodes = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
    for (guint j = 0; j < 3 && cases[i].nodes[j] != NULL; j++)
      g_ptr_array_add (nodes, lk_number_ranges (cases[i].nodes[j]));
    g_autofree char *mapping = lk_step_pmi_mapping (nodes, cases[i].task_count);
    g_assert_cmpstr (mapping, ==, cases[i].expected);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step_pmi/tasks exchange what they put, on one node and on two", test_all);
  g_test_add_func ("/step_pmi/version 1 is spoken, too", test_version_one);
  g_test_add_func ("/step_pmi/an abort ends the step", test_abort);
  g_test_add_func ("/step_pmi/words are checked", test_words);
  g_test_add_func ("/step_pmi/where tasks are is told in blocks", test_mapping);
  return g_test_run ();
}
