/* tests/live/client/sprio_test.c — sprio, told what a real Slurm's priorities were made of
 * (tests/fixtures/slurm-prio/01-fairtree), prints what that one printed. */
#include <string.h>

#include "tests/live/client/record_site.h"

#define FOLDER LK_SOURCE_DIR "/tests/fixtures/slurm-prio/01-fairtree/"
#define ORDER                                                                                      \
  "multifactor:weight_age=1000,weight_assoc=500,weight_fairshare=10000,weight_job_size=1000,"      \
  "weight_partition=2000,weight_qos=4000"

static char *
recorded (const char *name)
{
  char *text = NULL;
  g_autofree char *path = g_strconcat (FOLDER, name, NULL);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static LkText
text_of (const char *string)
{
  return (LkText){ string, (guint16)strlen (string) };
}

/* A line of `sprio -o '%i|%u|%r|%Y|%y|%A|%a|%F|%f|%J|%j|%P|%p|%Q|%q|%N|%B|%b|%T'`, and the same one
 * of sprio -l, which has the account and the name of the QOS. */
static void
add (RecordSite *site, char **short_words, char **long_words)
{
  LkRecord record = { .kind = LK_RECORD_PRIORITY };
  LkRecord_priority *told = &record.priority;
  told->job_id = (guint32)g_ascii_strtoull (short_words[0], NULL, 10);
  told->user_name = text_of (short_words[1]);
  told->partition = text_of (short_words[2]);
  told->priority = (guint32)g_ascii_strtoull (short_words[3], NULL, 10);
  told->age_term = g_ascii_strtod (short_words[6], NULL) * 1000;
  told->fairshare_term = g_ascii_strtod (short_words[8], NULL) * 10000;
  told->job_size_term = g_ascii_strtod (short_words[10], NULL) * 1000;
  told->partition_term = g_ascii_strtod (short_words[12], NULL) * 2000;
  told->qos_term = g_ascii_strtod (short_words[14], NULL) * 4000;
  told->nice = g_ascii_strtoll (short_words[15], NULL, 10);
  told->association_term = g_ascii_strtod (short_words[17], NULL) * 500;
  told->account_name = text_of (long_words[3]);
  told->qos_name = text_of (long_words[11]);
  record_site_add (site, &record);
}

static char **
words_of (const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();
  for (guint i = 0; words[i] != NULL; i++)
    if (words[i][0] != '\0')
      g_ptr_array_add (kept, g_strdup (words[i]));
  g_ptr_array_add (kept, NULL);
  return (char **)g_ptr_array_steal (kept, NULL);
}

static RecordSite *
site_new (void)
{
  RecordSite *site = record_site_new ();
  g_autofree char *short_text = recorded ("sprio-o.txt");
  g_autofree char *long_text = recorded ("sprio-l.txt");
  g_auto (GStrv) short_lines = g_strsplit (short_text, "\n", -1);
  g_auto (GStrv) long_lines = g_strsplit (long_text, "\n", -1);
  record_site_set_order (site, ORDER);
  for (guint i = 0; short_lines[i][0] != '\0'; i++) {
    g_auto (GStrv) short_words = g_strsplit (short_lines[i], "|", -1);
    g_auto (GStrv) long_words = words_of (long_lines[i + 1]);
    add (site, short_words, long_words);
  }
  return site;
}

static void
test_recorded (void)
{
  static const char *const lines[][2] = {
    { "sprio", "sprio.txt" },
    { "sprio -l", "sprio-l.txt" },
    { "sprio -n", "sprio-n.txt" },
    { "sprio --norm --long", "sprio-n-l.txt" },
    { "sprio -w", "sprio-w.txt" },
    { "sprio -h -o '%i|%u|%r|%Y|%y|%A|%a|%F|%f|%J|%j|%P|%p|%Q|%q|%N|%B|%b|%T'", "sprio-o.txt" },
  };
  g_autoptr (RecordSite) site = site_new ();
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_autofree char *expected = recorded (lines[i][1]);
    record_site_expect (site, lines[i][0], 0, expected, "");
  }
}

static void
test_which (void)
{
  g_autoptr (RecordSite) site = site_new ();
  record_site_expect (site, "sprio -h -j 9,12 -o %i:%u", 0, "9:bob\n12:dave\n", "");
  record_site_expect (site, "sprio -h -j 999 -o %i", 0, "", "");
  record_site_expect (site, "sprio -h -u dave -o %i,%r", 0, "12,batch\n16,batch\n16,fast\n", "");
  record_site_expect (site, "sprio -h -p fast -o %i", 0, "15\n16\n", "");
  record_site_expect (site, "sprio -h -S -Y -p fast -o %i", 0, "15\n16\n", "");
  record_site_expect (site, "sprio -h -S Y -p fast -o %i", 0, "16\n15\n", "");
  record_site_expect (site, "sprio -h -S u,-Y -j 16,9,12 -o %i,%Y", 0,
                      "9,4400\n12,9556\n16,6156\n16,4556\n", "");
  record_site_expect (site, "sprio -v -h -j 9,12 -o %i", 0,
                      "-----------------------------\n"
                      "format     = %i\n"
                      "job_flag   = 1\n"
                      "jobs       = 9,12\n"
                      "partition  = (null)\n"
                      "users      = (null)\n"
                      "verbose    = 1\n"
                      "-----------------------------\n\n\n9\n12\n",
                      "");
  record_site_set_variable (site, "SPRIO_FORMAT=%i");
  record_site_expect (site, "sprio -h -j 9", 0, "9\n", "");
}

/* What TRES add stands by itself, and in the sum. */
static void
test_tres (void)
{
  static const guint8 factors[] = { 0, 0, 0, 0, 0, 0, 0xe0, 0x3f, 0, 0, 0, 0, 0, 0, 0xd0, 0x3f };
  static const guint8 weights[] = { 0, 0, 0, 0, 0, 0, 0x59, 0x40, 0, 0, 0, 0, 0, 0, 0, 0 };
  g_autoptr (RecordSite) site = record_site_new ();
  LkRecord record = { .kind = LK_RECORD_PRIORITY };
  record.priority = (LkRecord_priority){ .job_id = 1,
                                         .priority = 60,
                                         .age_term = 10,
                                         .tres_term = 50,
                                         .tres_names = text_of ("cpu,mem"),
                                         .tres_factors = { factors, sizeof factors },
                                         .tres_weights = { weights, sizeof weights } };
  record_site_set_order (site, "multifactor:weight_age=1000,weight_tres=\"CPU=100\"");
  record_site_add (site, &record);
  record_site_expect (site, "sprio -h -o %i,%Y,%T,%t", 0, "1,60,cpu=50,cpu=0.50\n", "");
  record_site_expect (site, "sprio -w -h -o %T", 0, "CPU=100\n", "");
}

static void
test_wrong (void)
{
  g_autoptr (RecordSite) site = site_new ();
  record_site_expect (site, "sprio -j x", 1, "", "sprio: error: Invalid job id: x\n");
  record_site_expect (site, "sprio -S z", 1, "", "sprio: error: Invalid sort specification: z\n");
  record_site_expect (site, "sprio -M other", 1, "",
                      "sprio: error: 'other' can't be reached now, or it is an invalid entry for "
                      "--cluster.  Use 'sacctmgr list clusters' to see available clusters.\n"
                      "sprio: fatal: Could not get cluster information\n");
  record_site_expect (site, "sprio 9", 1, "", "sprio: error: Unrecognized option: 9\n");
  record_site_set_order (site, "basic");
  g_autofree char *basic = NULL;
  g_assert_true (g_file_get_contents (LK_SOURCE_DIR "/tests/fixtures/slurm-prio/11-basic/sprio.txt",
                                      &basic, NULL, NULL));
  record_site_expect (site, "sprio", 1, "", basic);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sprio/prints what a real one printed", test_recorded);
  g_test_add_func ("/sprio/shows the jobs that are asked for, in the order asked for", test_which);
  g_test_add_func ("/sprio/tells what TRES add", test_tres);
  g_test_add_func ("/sprio/tells what is wrong", test_wrong);
  return g_test_run ();
}
