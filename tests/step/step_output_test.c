/* tests/step/step_output_test.c — through which links a job's output goes. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "live/step/output.h"

#define VICTIM 65534u
#define ATTACKER 1u
#define FLAGS (O_WRONLY | O_CREAT | O_TRUNC)
/* Longer than any machine takes, however busy it is, until both of two processes have run. */
#define PATIENCE_US (180 * (gint64)G_USEC_PER_SEC)

/* A folder of all, that is emptied behind the test. */
static char *
make_folder (void)
{
  char *folder = g_dir_make_tmp ("lk-output-XXXXXX", NULL);
  g_assert_cmpint (chmod (folder, 0777), ==, 0);
  g_assert_cmpint (chdir (folder), ==, 0);
  return folder;
}

static void
remove_folder (char *folder)
{
  const char *name;
  GDir *dir = g_dir_open (folder, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_unlink (name) != 0)
      g_rmdir (name);
  g_dir_close (dir);
  g_assert_cmpint (chdir ("/"), ==, 0);
  g_rmdir (folder);
  g_free (folder);
}

/* 0, or why the file cannot be opened. */
static int
try_open (const char *path)
{
  int file = lk_output_open (path, FLAGS, 0644);
  if (file < 0)
    return errno;
  g_assert_cmpint (write (file, "x", 1), ==, 1);
  close (file);
  return 0;
}

/* The same as another user. */
static int
try_open_as (const char *path, uid_t user)
{
  pid_t child = fork ();
  if (child == 0)
    _exit (setresuid (user, user, user) == 0 ? try_open (path) : 255);
  int status;
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  return WEXITSTATUS (status);
}

static void
link_of (uid_t user, const char *target, const char *name)
{
  g_assert_cmpint (symlink (target, name), ==, 0);
  if (geteuid () == 0)
    g_assert_cmpint (lchown (name, user, user), ==, 0);
}

static void
test_plain (void)
{
  char *folder = make_folder ();
  g_autofree char *whole = g_build_filename (folder, "whole", NULL);
  g_assert_cmpint (g_mkdir ("sub", 0755), ==, 0);
  g_assert_cmpint (try_open ("new"), ==, 0);
  g_assert_cmpint (try_open ("new"), ==, 0);
  g_assert_cmpint (try_open (whole), ==, 0);
  g_assert_cmpint (try_open ("sub/..//./sub"), ==, EISDIR);
  g_assert_cmpint (try_open ("sub/../new"), ==, 0);
  g_assert_cmpint (try_open ("/dev/null"), ==, 0);
  g_assert_cmpint (try_open ("new/under"), ==, ENOTDIR);
  g_assert_cmpint (try_open ("/proc/no/under"), ==, ENOENT);
  g_assert_cmpint (try_open ("sub/"), ==, EISDIR);
  g_assert_cmpint (try_open (""), ==, EISDIR);
  remove_folder (folder);
}

static void
test_own_links (void)
{
  char *folder = make_folder ();
  struct stat status;
  g_assert_cmpint (g_mkdir ("sub", 0755), ==, 0);
  link_of (geteuid (), "sub", "folder");
  link_of (geteuid (), "folder/file", "link");
  link_of (geteuid (), "/dev/null", "nothing");
  link_of (geteuid (), "round", "round");
  g_assert_cmpint (try_open ("link"), ==, 0);
  g_assert_cmpint (try_open ("./link"), ==, 0);
  g_assert_cmpint (stat ("sub/file", &status), ==, 0);
  g_assert_cmpint (try_open ("nothing"), ==, 0);
  g_assert_cmpint (try_open ("round"), ==, ELOOP);
  g_assert_cmpint (g_unlink ("sub/file"), ==, 0);
  remove_folder (folder);
}

static void
test_links_of_others (void)
{
  if (geteuid () != 0) {
    g_test_skip ("needs root, to be several users");
    return;
  }
  char *folder = make_folder ();
  struct stat status;
  g_assert_cmpint (try_open ("precious"), ==, 0);
  g_assert_cmpint (chown ("precious", VICTIM, VICTIM), ==, 0);
  g_assert_cmpint (g_mkdir ("private", 0700), ==, 0);
  g_assert_cmpint (chown ("private", VICTIM, VICTIM), ==, 0);
  link_of (ATTACKER, "precious", "trap");
  link_of (ATTACKER, "private", "folder");
  link_of (VICTIM, "trap", "own");
  link_of (0, "precious", "root");
  g_assert_cmpint (try_open_as ("trap", VICTIM), ==, EACCES);
  g_assert_cmpint (try_open_as ("folder/file", VICTIM), ==, EACCES);
  g_assert_cmpint (try_open_as ("own", VICTIM), ==, EACCES);
  g_assert_cmpint (try_open_as ("root", VICTIM), ==, 0);
  /* Nor is root led anywhere. */
  g_assert_cmpint (try_open ("trap"), ==, EACCES);
  g_assert_cmpint (stat ("private/file", &status), ==, -1);
  /* Whose folder it is may have links there. */
  g_assert_cmpint (chown (".", ATTACKER, ATTACKER), ==, 0);
  g_assert_cmpint (try_open_as ("trap", VICTIM), ==, 0);
  remove_folder (folder);
}

/* Puts a link to what is not his, a link to its folder, and a file in the way, again and again. */
G_NORETURN static void
swap_for_ever (void)
{
  if (setresgid (ATTACKER, ATTACKER, ATTACKER) != 0
      || setresuid (ATTACKER, ATTACKER, ATTACKER) != 0)
    _exit (1);
  for (guint round = 0;; round++) {
    gboolean is_made = round % 3 == 0   ? symlink ("precious", "next") == 0
                       : round % 3 == 1 ? symlink ("private/file", "next") == 0
                                        : g_file_set_contents ("next", "own", 3, NULL);
    if (!is_made || rename ("next", "out") != 0)
      unlink ("next");
  }
}

/* However the moment is chosen, between any two looks at the name. */
static void
test_swapped (void)
{
  if (geteuid () != 0) {
    g_test_skip ("needs root, to be several users");
    return;
  }
  char *folder = make_folder ();
  guint opened = 0;
  g_assert_true (g_file_set_contents ("precious", "precious", -1, NULL));
  g_assert_cmpint (g_mkdir ("private", 0700), ==, 0);
  g_assert_true (g_file_set_contents ("private/file", "precious", -1, NULL));
  pid_t attacker = fork ();
  if (attacker == 0)
    swap_for_ever ();
  /* As root, who may write anywhere: nothing but the way that is gone protects the files. */
  gint64 until_us = g_get_monotonic_time () + PATIENCE_US;
  for (guint i = 0; i < 5000 || (opened == 0 && g_get_monotonic_time () < until_us); i++) {
    int file = lk_output_open ("out", FLAGS, 0666);
    if (file < 0)
      continue;
    g_assert_cmpint (write (file, "over", 4), ==, 4);
    close (file);
    opened++;
  }
  kill (attacker, SIGKILL);
  g_assert_cmpint (waitpid (attacker, NULL, 0), ==, attacker);
  g_assert_cmpuint (opened, >, 0);
  for (guint i = 0; i < 2; i++) {
    g_autofree char *text = NULL;
    g_assert_true (g_file_get_contents (i == 0 ? "precious" : "private/file", &text, NULL, NULL));
    g_assert_cmpstr (text, ==, "precious");
  }
  g_unlink ("private/file");
  remove_folder (folder);
}

/* Those that are there stay as they are; what is no folder leads nowhere. */
static void
test_missing_folders (void)
{
  char *folder = make_folder ();
  g_assert_cmpint (try_open ("a/b/../c//file"), ==, 0);
  g_assert_true (g_file_test ("a/b", G_FILE_TEST_IS_DIR));
  g_assert_true (g_file_test ("a/c/file", G_FILE_TEST_IS_REGULAR));
  g_assert_cmpint (try_open ("a/c/file/x/y"), ==, ENOTDIR);
  g_assert_cmpint (lk_output_open ("d/file", O_RDONLY, 0), ==, -1);
  g_assert_cmpint (errno, ==, ENOENT);
  g_assert_false (g_file_test ("d", G_FILE_TEST_EXISTS));
  g_unlink ("a/c/file");
  g_rmdir ("a/c");
  g_rmdir ("a/b");
  remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/output/goes where its name says", test_plain);
  g_test_add_func ("/output/makes the folders on its way", test_missing_folders);
  g_test_add_func ("/output/follows its user's links", test_own_links);
  g_test_add_func ("/output/follows no links of others", test_links_of_others);
  g_test_add_func ("/output/is not led away while it is opened", test_swapped);
  return g_test_run ();
}
