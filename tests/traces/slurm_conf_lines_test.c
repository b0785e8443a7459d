/* tests/traces/slurm_conf_lines_test.c — the syntax of Slurm's files, and Include. */
#include <glib/gstdio.h>

#include "tests/traces/slurm_conf_fixture.h"

/* ---------------------------------------------------------------- syntax */

static void
test_syntax (void)
{
  static const char conf[] = "# a comment\n"
                             "  clustername = \"Big One\" # behind\n"
                             "selecttype=select/linear\r\n"
                             "SlurmUser=two\\\\\n"
                             "\n"
                             "NODENAME=n[1-2] \\\n"
                             "  cpus=4 \\ \n"
                             "  Reason=\"out \\# of \\\\ order\" sTaTe=down\n"
                             "PartitionName=p NODES=n1,\\\n"
                             "n2\n";
  g_autoptr (LkSlurmImport) import = conf_good (conf);
  expect_piece (import, "cluster \"big one\" ");
  expect_piece (import, "consume=node memory=0 ");
  expect_piece (import, "flags=1 reason=\"out # of \\\\ order\"");
  expect_piece (import, "partition p nodes=n[1-2] ");
  /* A pair is where it stands, not where its line begins. */
  g_assert_cmpuint (find_row (import, "CPUs", "")->line_number, ==, 7);
  g_assert_cmpuint (find_row (import, "State", "")->line_number, ==, 8);
  g_assert_cmpstr (find_row (import, "SlurmUser", "")->value, ==, "two\\");
  g_assert_cmpstr (find_row (import, "State", "")->record, ==, "NodeName=n[1-2]");
}

static void
test_byte_order_mark (void)
{
  g_autoptr (LkSlurmImport) import =
      conf_good ("\xef\xbb\xbf" HEAD NODE "PartitionName=p Nodes=ALL\n");
  g_assert_cmpuint (find_row (import, "ClusterName", "")->line_number, ==, 1);
}

static void
test_syntax_errors (void)
{
  static const struct {
    const char *conf;
    const char *message;
  } cases[] = {
    { "", "slurm.conf: holds no key; expected a slurm.conf" },
    { "# nothing\n\n", "slurm.conf: holds no key; expected a slurm.conf" },
    { "ClusterName=c\nhello world\n", "slurm.conf:2: 'hello' is not KEY=VALUE" },
    { "ClusterName=c\n \\\nSlurm-User=x\n", "slurm.conf:3: 'Slurm-User=x' is not KEY=VALUE" },
    { "ClusterName=\n", "slurm.conf:1: ClusterName has no value" },
    { "ClusterName=\"c\n",
      "slurm.conf:1: ClusterName has a quote that is not closed before a blank" },
    { "A=\"c\"d\n", "slurm.conf:1: A has a quote that is not closed before a blank" },
    { "ClusterName={{ name }}\n",
      "slurm.conf:1: 'name' is not KEY=VALUE; this looks like a template, "
      "which has to be rendered first" },
    { "ClusterName=c\n{% if x %}\n",
      "slurm.conf:2: '{%' is not KEY=VALUE; this looks like a template, "
      "which has to be rendered first" },
    { "Include other.conf\n",
      "slurm.conf:1: Include 'other.conf': text that is not a file can include none" },
    { "ClusterName=c\n", "slurm.conf: describes no node; expected NodeName lines" },
    { HEAD NODE "NodeName=m CPUs=1 PartitionName=p\n",
      "slurm.conf:5: NodeName=m: PartitionName: expected on a line of its own" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    conf_bad (cases[i].conf, cases[i].message);
}

/* ---------------------------------------------------------------- Include */

static void
file_write (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
folder_remove (const char *folder, const char *const *names)
{
  for (; *names; names++) {
    g_autofree char *path = g_build_filename (folder, *names, NULL);
    g_assert_cmpint (g_remove (path), ==, 0);
  }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static LkSlurmImport *
folder_import (const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "slurm.conf", NULL);
  return lk_slurm_import_new (&(LkSlurmImportOptions){ .conf_path = path }, error);
}

static void
test_include (void)
{
  static const char *const names[] = { "more/nodes_big.conf", "more/last.conf", "more",
                                       "slurm.conf",          "gres.conf",      NULL };
  g_autofree char *folder = g_dir_make_tmp ("lk-slurm-XXXXXX", NULL);
  file_write (folder, "slurm.conf",
              "ClusterName=BIG\nInclude more/nodes_%c.conf\nPartitionName=p Nodes=n2\n");
  file_write (folder, "more/nodes_big.conf", "NodeName=n1 CPUs=2\ninclude last.conf\n");
  file_write (folder, "more/last.conf", "GresTypes=gpu\nNodeName=n2 CPUs=3 Gres=gpu:1\n");
  file_write (folder, "gres.conf", "Name=gpu File=/dev/nvidia0\n");
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSlurmImport) import = folder_import (folder, &error);
  g_assert_no_error (error);
  expect_piece (import, "\nnodes n1 ");
  expect_piece (import, "\nnodes n2 ");
  const LkSlurmRow *row = find_row (import, "CPUs", "3");
  g_assert_true (g_str_has_suffix (row->file, "more/last.conf"));
  g_assert_cmpuint (row->line_number, ==, 2);
  expect_row (import, "Include", "last.conf", LK_SLURM_UNDERSTOOD, "its lines stand here");
  /* What is beside slurm.conf is found. */
  g_assert_true (g_str_has_suffix (find_row (import, "File", "")->file, "gres.conf"));
  folder_remove (folder, names);
}

/* Runs one slurm.conf that includes, and gives the message without the folder. Returns: (transfer
 * full). */
static char *
include_message (const char *conf, const char *other)
{
  static const char *const names[] = { "slurm.conf", "other.conf", NULL };
  g_autofree char *folder = g_dir_make_tmp ("lk-slurm-XXXXXX", NULL);
  file_write (folder, "slurm.conf", conf);
  file_write (folder, "other.conf", other);
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSlurmImport) import = folder_import (folder, &error);
  g_assert_null (import);
  folder_remove (folder, names);
  g_auto (GStrv) pieces = g_strsplit (error->message, folder, -1);
  return g_strjoinv ("", pieces);
}

static void
test_include_errors (void)
{
  static const struct {
    const char *conf;
    const char *other;
    const char *message;
  } cases[] = {
    { "Include other.conf\n", "\nInclude slurm.conf\n",
      "/other.conf:2: Include 'slurm.conf': the file includes itself" },
    { "ClusterName=c\nInclude none.conf\n", "",
      "/slurm.conf:2: Include: cannot read '/none.conf': No such file or directory" },
    { "Include x%c.conf\n", "",
      "/slurm.conf:1: Include 'x%c.conf': expected ClusterName before %c is used" },
    { "Include other.conf\n", "A=1 b\n", "/other.conf:1: 'b' is not KEY=VALUE" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *message = include_message (cases[i].conf, cases[i].other);
    g_assert_cmpstr (message, ==, cases[i].message);
  }
}

static void
test_include_depth (void)
{
  g_autofree char *folder = g_dir_make_tmp ("lk-slurm-XXXXXX", NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < 20; i++) {
    char *name = i > 0 ? g_strdup_printf ("%u.conf", i) : g_strdup ("slurm.conf");
    g_autofree char *text = g_strdup_printf ("Include %u.conf\n", i + 1);
    file_write (folder, name, text);
    g_ptr_array_add (names, name);
  }
  g_ptr_array_add (names, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (LkSlurmImport) import = folder_import (folder, &error);
  g_assert_null (import);
  g_assert_true (g_str_has_suffix (error->message, "Include '17.conf': more than 16 files in each "
                                                   "other"));
  folder_remove (folder, (const char *const *)names->pdata);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/slurm-conf-lines/syntax is case, blanks, quotes, comments, continuations",
                   test_syntax);
  g_test_add_func ("/slurm-conf-lines/a byte order mark is passed over", test_byte_order_mark);
  g_test_add_func ("/slurm-conf-lines/a line that is none is told with its place",
                   test_syntax_errors);
  g_test_add_func ("/slurm-conf-lines/include puts the lines of another file in place",
                   test_include);
  g_test_add_func ("/slurm-conf-lines/include that cannot be is told with its place",
                   test_include_errors);
  g_test_add_func ("/slurm-conf-lines/include has a bounded depth", test_include_depth);
  return g_test_run ();
}
