/* tests/traces/cluster_open_test.c — which machine a word of a command line means. */
#include "traces/cluster_open.h"

#include <glib/gstdio.h>
#include <string.h>

#include "traces/trace_error.h"

static const char slurm_conf[] = "ClusterName=site\nSlurmctldHost=head\n"
                                 "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n"
                                 "NodeName=n[1-4] CPUs=8\nPartitionName=p Nodes=n[1-4]\n";

typedef struct {
  const char *name;
  const char *head; /* before the description */
  const char *text;
  guint32 nodes;
} KindCase;

static const KindCase kinds[] = {
  { "a page", "", "nodes: [{names: 'n[1-3]'}]\n", 3 },
  { "a page behind comments", "# a=b\n\n  # c\n", "nodes: [{names: 'n[1-3]'}]\n", 3 },
  { "a page with an equals sign", "", "name: a=b\nnodes: [{names: 'n[1-3]'}]\n", 3 },
  { "a page with a byte order mark", "\xef\xbb\xbf", "nodes: [{names: 'n[1-3]'}]\n", 3 },
  { "a page behind a marker", "---\n", "nodes: [{names: 'n[1-3]'}]\n", 3 },
  { "a page in braces", "", "{nodes: [{names: 'n[1-3]'}]}\n", 3 },
  { "a slurm.conf", "", slurm_conf, 4 },
  { "a slurm.conf behind comments", "# key: value\n\n#\n", slurm_conf, 4 },
  { "a slurm.conf with blanks", "\t ClusterName = x\n#", slurm_conf, 4 },
  { "a slurm.conf of two files", "include other.conf\n", slurm_conf, 5 },
};

typedef struct {
  char *folder;
  char *path;
  char *other_path;
} Files;

static void
files_init (Files *self, const char *head, const char *text)
{
  g_autofree char *all = g_strconcat (head, text, NULL);
  self->folder = g_dir_make_tmp ("lockstep-open-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "machine", NULL);
  self->other_path = g_build_filename (self->folder, "other.conf", NULL);
  g_assert_true (g_file_set_contents (self->path, all, -1, NULL));
  g_assert_true (g_file_set_contents (self->other_path, "NodeName=other CPUs=1\n", -1, NULL));
}

static void
files_clear (Files *self)
{
  g_assert_cmpint (g_remove (self->path), ==, 0);
  g_assert_cmpint (g_remove (self->other_path), ==, 0);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->folder);
  g_free (self->path);
  g_free (self->other_path);
}

static void
test_kind (gconstpointer data)
{
  const KindCase *test = data;
  Files files;
  g_autoptr (GError) error = NULL;
  files_init (&files, test->head, test->text);
  g_autoptr (LkCluster) cluster = lk_cluster_open (files.path, &error);
  files_clear (&files);
  g_assert_no_error (error);
  g_assert_cmpuint (lk_cluster_node_count (cluster), ==, test->nodes);
}

static void
test_bad_files (void)
{
  static const char *const texts[] = { "", "# only a comment", "nodes: 3\n", "a=b c=d\n", "\xff" };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    Files files;
    g_autoptr (GError) error = NULL;
    files_init (&files, "", texts[i]);
    g_assert_null (lk_cluster_open (files.path, &error));
    g_assert_nonnull (strstr (error->message, files.path));
    g_assert_true (error->domain == LK_TRACE_ERROR);
    files_clear (&files);
  }
}

static void
test_presets (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkCluster) cluster = lk_cluster_open ("philly", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lk_cluster_node_count (cluster), ==, 552);
}

/* A file of that name goes first. */
static void
test_file_before_preset (void)
{
  Files files;
  g_autofree char *before = g_get_current_dir ();
  files_init (&files, "", "nodes: [{names: mine}]");
  g_autofree char *path = g_build_filename (files.folder, "philly", NULL);
  g_assert_cmpint (g_rename (files.path, path), ==, 0);
  g_assert_cmpint (g_chdir (files.folder), ==, 0);
  g_autoptr (LkCluster) cluster = lk_cluster_open ("philly", NULL);
  g_assert_cmpint (g_chdir (before), ==, 0);
  g_assert_cmpint (g_rename (path, files.path), ==, 0);
  files_clear (&files);
  g_assert_cmpuint (lk_cluster_node_count (cluster), ==, 1);
}

static void
test_unknown (void)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (lk_cluster_open ("teta", &error));
  g_assert_error (error, LK_TRACE_ERROR, LK_TRACE_ERROR_OPEN);
  g_assert_cmpstr (error->message, ==,
                   "cluster 'teta': there is no such file, and no such preset; did you mean "
                   "'theta'?");
  g_clear_error (&error);
  g_assert_null (lk_cluster_open ("/", &error));
  g_assert_cmpstr (error->message, ==, "cluster '/': cannot be read: Is a directory");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autofree char *path = g_strdup_printf ("/cluster_open/tells %s", kinds[i].name);
    g_test_add_data_func (path, &kinds[i], test_kind);
  }
  g_test_add_func ("/cluster_open/a mistake names the file", test_bad_files);
  g_test_add_func ("/cluster_open/presets have names", test_presets);
  g_test_add_func ("/cluster_open/a file goes before a preset", test_file_before_preset);
  g_test_add_func ("/cluster_open/the nearest preset is suggested", test_unknown);
  return g_test_run ();
}
