/* tests/live/lock_file_test.c — one process a directory, and nobody else is taken for it. */
#include "live/daemon/lock_file.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
  char *directory;
  char *path;
} Place;

static void
place_init (Place *self)
{
  self->directory = g_dir_make_tmp ("lk-lock-XXXXXX", NULL);
  g_assert_nonnull (self->directory);
  self->path = g_build_filename (self->directory, LK_LOCK_FILE_NAME, NULL);
}

static void
place_clear (Place *self)
{
  unlink (self->path);
  g_assert_cmpint (rmdir (self->directory), ==, 0);
  g_free (self->directory);
  g_free (self->path);
}

/* A process that holds the lock until it is killed. */
static pid_t
hold (const Place *place)
{
  int ends[2];
  char word = 0;
  g_assert_cmpint (pipe (ends), ==, 0);
  pid_t child = fork ();
  if (child == 0) {
    word = lk_lock_file_take (place->directory, NULL, NULL) ? 'y' : 'n';
    if (write (ends[1], &word, 1) == 1)
      pause ();
    _exit (1);
  }
  g_assert_cmpint (read (ends[0], &word, 1), ==, 1);
  g_assert_cmpint (word, ==, 'y');
  close (ends[0]);
  close (ends[1]);
  return child;
}

static void
end (pid_t child)
{
  kill (child, SIGKILL);
  g_assert_cmpint (waitpid (child, NULL, 0), ==, child);
}

static void
test_held (void)
{
  Place place;
  g_autoptr (GError) error = NULL;
  place_init (&place);
  g_assert_cmpint (lk_lock_file_holder (place.directory), ==, 0);
  pid_t child = hold (&place);
  g_autofree char *expected =
      g_strdup_printf ("the directory '%s' is in use by process %d", place.directory, (int)child);
  g_assert_cmpint (lk_lock_file_holder (place.directory), ==, child);
  g_assert_false (lk_lock_file_take (place.directory, NULL, &error));
  g_assert_nonnull (error);
  g_assert_cmpstr (error->message, ==, expected);
  end (child);
  /* Nothing is left of it, though the file is. */
  g_assert_true (g_file_test (place.path, G_FILE_TEST_EXISTS));
  g_assert_cmpint (lk_lock_file_holder (place.directory), ==, 0);
  g_assert_cmpint (lk_lock_file_open_holder (place.directory), ==, -1);
  child = hold (&place);
  end (child);
  place_clear (&place);
}

/* The number of a process that lives, and has nothing to do with it. */
static void
test_foreign (void)
{
  Place place;
  place_init (&place);
  g_autofree char *text = g_strdup_printf ("%d\n", (int)getppid ());
  g_assert_true (g_file_set_contents (place.path, text, -1, NULL));
  g_assert_cmpint (lk_lock_file_holder (place.directory), ==, 0);
  g_assert_cmpint (lk_lock_file_open_holder (place.directory), ==, -1);
  place_clear (&place);
}

static void
test_pidfd (void)
{
  Place place;
  place_init (&place);
  pid_t child = hold (&place);
  int pidfd = lk_lock_file_open_holder (place.directory);
  g_assert_cmpint (pidfd, >=, 0);
  g_assert_cmpint (syscall (SYS_pidfd_send_signal, pidfd, SIGTERM, NULL, 0), ==, 0);
  struct pollfd ended = { .fd = pidfd, .events = POLLIN };
  g_assert_cmpint (poll (&ended, 1, 10000), ==, 1);
  close (pidfd);
  g_assert_cmpint (waitpid (child, NULL, 0), ==, child);
  place_clear (&place);
}

static void
test_link (void)
{
  Place place;
  g_autoptr (GError) error = NULL;
  place_init (&place);
  g_assert_cmpint (symlink ("/dev/null", place.path), ==, 0);
  g_assert_false (lk_lock_file_take (place.directory, NULL, &error));
  g_assert_nonnull (error);
  g_assert_cmpint (lk_lock_file_holder (place.directory), ==, 0);
  place_clear (&place);
}

/* Whoever holds the lock of a directory that is gone holds nothing that others could see. */
static void
test_removed (void)
{
  Place place;
  LkLockFile file;
  place_init (&place);
  if (fork () == 0) {
    gboolean is_good = lk_lock_file_take (place.directory, &file, NULL)
                       && lk_lock_file_is_there (&file, place.directory) && unlink (place.path) == 0
                       && !lk_lock_file_is_there (&file, place.directory)
                       && g_file_set_contents (place.path, "", -1, NULL)
                       && !lk_lock_file_is_there (&file, place.directory);
    _exit (is_good ? 0 : 1);
  }
  int status;
  g_assert_cmpint (wait (&status), >, 0);
  g_assert_cmpint (status, ==, 0);
  place_clear (&place);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lock file/a directory has one holder, as long as he lives", test_held);
  g_test_add_func ("/lock file/a number that stands in the file means nobody", test_foreign);
  g_test_add_func ("/lock file/its holder can be ended without doubt", test_pidfd);
  g_test_add_func ("/lock file/a link is no lock", test_link);
  g_test_add_func ("/lock file/one that was removed is noticed", test_removed);
  return g_test_run ();
}
