/* tests/live/keygen_test.c — `lockstep keygen`: what it writes, and what it refuses. */
#include "live/client/keygen.h"

#include <glib/gstdio.h>
#include <string.h>

#include "live/port/auth_key.h"

static int
keygen (const char *a, const char *b, const char *c, const char *d)
{
  char *argv[] = { (char *)"keygen", (char *)a, (char *)b, (char *)c, (char *)d, NULL };
  int argc = 1;
  while (argv[argc] != NULL)
    argc++;
  return lk_keygen_main (argc, argv);
}

static guint64
id_of (const char *path, guint index, guint count)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkKeyring) keyring = lk_keyring_load (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lk_keyring_count (keyring), ==, count);
  return lk_keyring_id (keyring, index);
}

/* Make, add, drop: a key is changed. */
static void
test_change (void)
{
  g_autofree char *folder = g_dir_make_tmp ("lockstep-keygen-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "cluster.key", NULL);
  g_assert_cmpint (keygen (path, NULL, NULL, NULL), ==, 0);
  guint64 first = id_of (path, 0, 1);
  g_assert_cmpint (keygen (path, NULL, NULL, NULL), ==, 1);
  g_assert_cmpint (keygen ("--drop", path, NULL, NULL), ==, 1);
  g_assert_cmpuint (id_of (path, 0, 1), ==, first);
  g_assert_cmpint (keygen ("--add", path, NULL, NULL), ==, 0);
  guint64 second = id_of (path, 0, 2);
  g_assert_cmpuint (second, !=, first);
  g_assert_cmpuint (id_of (path, 1, 2), ==, first);
  g_assert_cmpint (keygen ("--add", path, NULL, NULL), ==, 1);
  g_assert_cmpint (keygen (path, "--drop", NULL, NULL), ==, 0);
  g_assert_cmpuint (id_of (path, 0, 1), ==, second);
  g_unlink (path);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_derive (void)
{
  static const struct {
    const char *option;
    const char *value;
    LkKeySubject subject;
  } rows[] = {
    { "--agent", "n1", { .kind = LK_PEER_AGENT, .node = "n1" } },
    { "--user", "1001", { .kind = LK_PEER_USER, .user_id = 1001 } },
    { "--user", "root", { .kind = LK_PEER_USER, .user_id = 0 } },
    { "--standby", NULL, { .kind = LK_PEER_STANDBY } },
  };
  g_autofree char *folder = g_dir_make_tmp ("lockstep-keygen-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "cluster.key", NULL);
  g_autofree char *new_path = g_build_filename (folder, "new.key", NULL);
  g_assert_cmpint (keygen (path, NULL, NULL, NULL), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (rows[i].value != NULL)
      g_assert_cmpint (keygen (rows[i].option, rows[i].value, path, new_path), ==, 0);
    else
      g_assert_cmpint (keygen (rows[i].option, path, new_path, NULL), ==, 0);
    g_autoptr (LkKeyring) cluster = lk_keyring_load (path, NULL);
    g_autoptr (LkKeyring) derived = lk_keyring_load (new_path, NULL);
    LkKey ours;
    LkKey theirs;
    g_assert_true (lk_keyring_key (cluster, 0, &rows[i].subject, &ours));
    g_assert_true (lk_keyring_key (derived, 0, &rows[i].subject, &theirs));
    g_assert_cmpint (memcmp (&ours, &theirs, sizeof ours), ==, 0);
    /* It is not written over, and none is made from it. */
    g_assert_cmpint (keygen ("--standby", path, new_path, NULL), ==, 1);
    g_assert_cmpint (keygen ("--standby", new_path, path, NULL), ==, 1);
    g_unlink (new_path);
  }
  g_assert_cmpint (keygen ("--agent", "n/1", path, new_path), ==, 1);
  g_assert_cmpint (keygen ("--user", "no such user", path, new_path), ==, 1);
  g_assert_false (g_file_test (new_path, G_FILE_TEST_EXISTS));
  g_unlink (path);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_usage (void)
{
  g_assert_cmpint (keygen (NULL, NULL, NULL, NULL), ==, 2);
  g_assert_cmpint (keygen ("a", "b", NULL, NULL), ==, 2);
  g_assert_cmpint (keygen ("--bits", "a", NULL, NULL), ==, 2);
  g_assert_cmpint (keygen ("--add", "--drop", "a", NULL), ==, 2);
  g_assert_cmpint (keygen ("--standby", "--agent=n1", "a", "b"), ==, 2);
  g_assert_cmpint (keygen ("--agent", "n1", "a", NULL), ==, 2);
  g_assert_cmpint (keygen ("/nonexistent/key", NULL, NULL, NULL), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/keygen/changes a key", test_change);
  g_test_add_func ("/keygen/makes keys that speak for one only", test_derive);
  g_test_add_func ("/keygen/refuses what makes no sense", test_usage);
  return g_test_run ();
}
