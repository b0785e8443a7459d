/* tests/live/port_disk_os_test.c — the real disk: what holds of every disk, and what the system may
 * do to it.
 *
 * The calls that write are those below, in place of the C library's: so any of them can fail, or do
 * less than it was asked for. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/port/port_disk_os.h"
#include "tests/live/disk_contract.h"

/* ---------------------------------------------------------------- a system with faults */

static struct {
  gint write_error;  /* of writing to a file, and of making it durable */
  gint write_max;    /* bytes that one call takes; 0: all */
  gint interrupts;   /* calls that a signal cuts off before they do anything */
  gint sync_error;   /* of fdatasync */
  gint name_error;   /* of fsync, which is that of directories mostly */
  gint rename_error; /* of renameat */
} faults;

static gboolean
is_file (int fd)
{
  struct stat status;
  return fstat (fd, &status) == 0 && S_ISREG (status.st_mode);
}

static int
fails (gint error_number)
{
  errno = error_number;
  return -1;
}

ssize_t
write (int fd, const void *bytes, size_t length_bytes)
{
  if (is_file (fd)) {
    if (g_atomic_int_get (&faults.write_error) != 0)
      return fails (g_atomic_int_get (&faults.write_error));
    if (g_atomic_int_get (&faults.interrupts) > 0) {
      g_atomic_int_add (&faults.interrupts, -1);
      return fails (EINTR);
    }
    if (g_atomic_int_get (&faults.write_max) > 0)
      length_bytes = MIN (length_bytes, (size_t)g_atomic_int_get (&faults.write_max));
  }
  return syscall (SYS_write, fd, bytes, length_bytes);
}

int
fdatasync (int fd)
{
  gint error_number = g_atomic_int_get (&faults.sync_error);
  return error_number != 0 ? fails (error_number) : (int)syscall (SYS_fdatasync, fd);
}

int
fsync (int fd)
{
  gint error_number = g_atomic_int_get (&faults.name_error);
  return error_number != 0 ? fails (error_number) : (int)syscall (SYS_fsync, fd);
}

int
renameat (int from, const char *from_name, int to, const char *to_name)
{
  gint error_number = g_atomic_int_get (&faults.rename_error);
  if (error_number != 0)
    return fails (error_number);
  return (int)syscall (SYS_renameat, from, from_name, to, to_name);
}

/* ---------------------------------------------------------------- a disk */

typedef struct {
  LkLoop *loop;
  char *directory;
  LkDiskOs *disk;
  LkPortDisk port;
  GString *done;
  guint open_count;
  guint64 asked_count;
} Disk;

static void
disk_done (gpointer user, guint64 token, gboolean has_succeeded)
{
  Disk *self = user;
  g_string_append_printf (self->done, "%s%" G_GUINT64_FORMAT " ", has_succeeded ? "" : "-", token);
}

static void
disk_open (Disk *self)
{
  g_autoptr (GError) error = NULL;
  self->disk = lk_disk_os_new (self->loop, self->directory, disk_done, self, &error);
  g_assert_no_error (error);
  self->port = lk_disk_os_port (self->disk);
}

static gpointer
disk_make (GString *done)
{
  Disk *self = g_new0 (Disk, 1);
  memset (&faults, 0, sizeof faults);
  self->loop = lk_loop_new (NULL);
  self->directory = g_dir_make_tmp ("lk-disk-XXXXXX", NULL);
  self->done = done;
  g_assert_nonnull (self->loop);
  g_assert_nonnull (self->directory);
  disk_open (self);
  return self;
}

static LkPortDisk
disk_port (gpointer disk)
{
  return ((Disk *)disk)->port;
}

/* A request of nothing is answered behind all others: its token is not shown. */
static void
disk_run (gpointer disk)
{
  Disk *self = disk;
  const char *last;
  self->port.ops->cut (self->port.self, "nothing", 0, 999999);
  while ((last = strstr (self->done->str, "999999 ")) == NULL)
    lk_loop_turn (self->loop, G_USEC_PER_SEC);
  gssize at = last - self->done->str;
  at -= at > 0 && self->done->str[at - 1] == '-' ? 1 : 0;
  g_string_truncate (self->done, (gsize)at);
}

static void
disk_set_failing (gpointer disk, gboolean is_failing)
{
  (void)disk;
  g_atomic_int_set (&faults.write_error, is_failing ? EIO : 0);
}

static void
disk_restart (gpointer disk)
{
  Disk *self = disk;
  lk_disk_os_free (self->disk);
  disk_open (self);
}

static void
remove_directory (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *file = g_build_filename (path, name, NULL);
    g_assert_cmpint (remove (file), ==, 0);
  }
  g_assert_cmpint (rmdir (path), ==, 0);
}

static void
disk_free (gpointer disk)
{
  Disk *self = disk;
  lk_disk_os_free (self->disk);
  lk_loop_free (self->loop);
  remove_directory (self->directory);
  g_free (self->directory);
  g_free (self);
}

static const DiskMaker maker = {
  .make = disk_make,
  .port = disk_port,
  .run = disk_run,
  .set_failing = disk_set_failing,
  .restart = disk_restart,
  .free = disk_free,
};

static void
append (Disk *self, const char *text, guint64 token)
{
  self->port.ops->append (self->port.self, "f", (const guint8 *)text, strlen (text), token);
}

static void
replace (Disk *self, const char *text, guint64 token)
{
  self->port.ops->replace (self->port.self, "f", (const guint8 *)text, strlen (text), token);
}

static char *
path_of (const Disk *self, const char *name)
{
  return g_build_filename (self->directory, name, NULL);
}

static void
assert_content (const Disk *self, const char *name, const char *expected)
{
  g_autofree char *path = path_of (self, name);
  g_autofree char *text = NULL;
  g_assert_cmpint (g_file_get_contents (path, &text, NULL, NULL), ==, expected != NULL);
  g_assert_cmpstr (text, ==, expected);
}

/* ---------------------------------------------------------------- the tests */

static void
test_short_writes (void)
{
  g_autoptr (GString) done = g_string_new (NULL);
  Disk *disk = disk_make (done);
  g_atomic_int_set (&faults.write_max, 3);
  g_atomic_int_set (&faults.interrupts, 2);
  append (disk, "a line that is longer than that", 1);
  replace (disk, "and so is this one", 2);
  append (disk, ", and more", 3);
  disk_run (disk);
  g_assert_cmpstr (done->str, ==, "1 2 3 ");
  assert_content (disk, "f", "and so is this one, and more");
  disk_free (disk);
}

static void
test_faults (void)
{
  static const struct {
    gint *fault;
    gboolean is_replace;
    const char *text; /* of lk_disk_os_failure, without the path */
  } cases[] = {
    { &faults.write_error, FALSE, "cannot append to '" },
    { &faults.sync_error, FALSE, "cannot append to '" },
    { &faults.name_error, FALSE, "cannot append to '" },
    { &faults.write_error, TRUE, "cannot replace '" },
    { &faults.sync_error, TRUE, "cannot replace '" },
    { &faults.name_error, TRUE, "cannot replace '" },
    { &faults.rename_error, TRUE, "cannot replace '" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GString) done = g_string_new (NULL);
    Disk *disk = disk_make (done);
    g_assert_null (lk_disk_os_failure (disk->disk));
    g_atomic_int_set (cases[i].fault, ENOSPC);
    (cases[i].is_replace ? replace : append) (disk, "x", 1);
    disk_run (disk);
    g_atomic_int_set (cases[i].fault, 0);
    append (disk, "y", 2);
    disk_run (disk);
    g_assert_cmpstr (done->str, ==, "-1 -2 ");
    const char *failure = lk_disk_os_failure (disk->disk);
    g_assert_nonnull (failure);
    g_assert_true (g_str_has_prefix (failure, cases[i].text));
    g_assert_true (g_str_has_suffix (failure, "/f': No space left on device"));
    if (cases[i].is_replace && cases[i].fault != &faults.rename_error)
      assert_content (disk, "f.new", NULL);
    disk_free (disk);
  }
}

static void
test_full (void)
{
  g_autoptr (GString) done = g_string_new (NULL);
  g_autofree char *text = g_strnfill (48 * 1024, 'x');
  Disk *disk = disk_make (done);
  lk_disk_os_free (disk->disk);
  int result = mount ("tmpfs", disk->directory, "tmpfs", 0, "size=64k");
  if (result != 0)
    g_test_skip ("needs root to mount a small tmpfs");
  disk_open (disk);
  if (result == 0) {
    append (disk, text, 1);
    append (disk, text, 2);
    append (disk, "z", 3);
    disk_run (disk);
    g_assert_cmpstr (done->str, ==, "1 -2 -3 ");
    g_assert_true (g_str_has_suffix (lk_disk_os_failure (disk->disk), "No space left on device"));
    disk_restart (disk);
    disk->port.ops->cut (disk->port.self, "f", strlen (text), 4);
    append (disk, "z", 5);
    disk_run (disk);
    g_assert_true (g_str_has_suffix (done->str, "-3 4 5 "));
    g_string_append_c (disk->done, ' ');
    lk_disk_os_free (disk->disk);
    g_assert_cmpint (umount2 (disk->directory, MNT_DETACH), ==, 0);
    disk_open (disk);
  }
  disk_free (disk);
}

/* Nothing is written through a link or into what is no file, nor read from it. */
static void
test_no_files (void)
{
  const char *const kinds[] = { "link", "fifo", "directory" };
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autoptr (GString) done = g_string_new (NULL);
    Disk *disk = disk_make (done);
    g_autofree char *path = path_of (disk, "f");
    g_autofree char *target = path_of (disk, "target");
    gboolean has_failed = FALSE;
    g_assert_true (g_file_set_contents (target, "precious", -1, NULL));
    g_assert_cmpint (i == 0   ? symlink (target, path)
                     : i == 1 ? mkfifo (path, 0600)
                              : mkdir (path, 0700),
                     ==, 0);
    g_assert_null (disk->port.ops->read (disk->port.self, "f", &has_failed));
    g_assert_true (has_failed);
    g_assert_true (g_str_has_prefix (lk_disk_os_failure (disk->disk), "cannot read '"));
    append (disk, "x", 1);
    disk_run (disk);
    g_assert_cmpstr (done->str, ==, "-1 ");
    assert_content (disk, "target", "precious");
    disk_free (disk);
  }
}

/* What somebody has put where the new file goes is not followed either, nor is it left there. */
static void
test_replace_past_link (void)
{
  g_autoptr (GString) done = g_string_new (NULL);
  Disk *disk = disk_make (done);
  g_autofree char *path = path_of (disk, "f");
  g_autofree char *new_path = path_of (disk, "f.new");
  g_autofree char *target = path_of (disk, "target");
  struct stat status;
  g_assert_true (g_file_set_contents (target, "precious", -1, NULL));
  g_assert_cmpint (symlink (target, new_path), ==, 0);
  replace (disk, "x", 1);
  disk_run (disk);
  g_assert_cmpstr (done->str, ==, "1 ");
  assert_content (disk, "target", "precious");
  assert_content (disk, "f", "x");
  g_assert_cmpint (lstat (path, &status), ==, 0);
  g_assert_cmphex (status.st_mode, ==, S_IFREG | 0600);
  g_assert_cmpint (lstat (new_path, &status), !=, 0);
  disk_free (disk);
}

static void
test_free_finishes (void)
{
  g_autoptr (GString) done = g_string_new (NULL);
  Disk *disk = disk_make (done);
  for (guint i = 0; i < 50; i++)
    append (disk, "x", i);
  disk_restart (disk);
  g_assert_cmpstr (done->str, ==, "");
  g_autofree char *expected = g_strnfill (50, 'x');
  assert_content (disk, "f", expected);
  disk_free (disk);
}

static void
test_no_directory (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkLoop) loop = lk_loop_new (NULL);
  g_assert_null (lk_disk_os_new (loop, "/nowhere/at/all", disk_done, NULL, &error));
  g_assert_nonnull (error);
  g_assert_cmpstr (error->message, ==,
                   "cannot open the directory '/nowhere/at/all': No such file or directory");
}

/* ---------------------------------------------------------------- kill -9 */

static void
tell_done (gpointer user, guint64 token, gboolean has_succeeded)
{
  Disk *self = user;
  g_assert_true (has_succeeded);
  g_assert_cmpint (write (STDOUT_FILENO, &token, sizeof token), ==, sizeof token);
  self->asked_count++;
  g_autofree char *line = g_strdup_printf ("%07" G_GUINT64_FORMAT "\n", self->asked_count);
  append (self, line, self->asked_count);
}

/* Appends lines for ever, and tells of each that is durable. */
static void
append_for_ever (const char *directory)
{
  Disk self = { .loop = lk_loop_new (NULL) };
  self.disk = lk_disk_os_new (self.loop, directory, tell_done, &self, NULL);
  self.port = lk_disk_os_port (self.disk);
  append (&self, "0000000\n", 0);
  lk_loop_run (self.loop);
}

/* The last of so many, or of all that there are. */
static guint64
last_told (int fd, guint64 count_max)
{
  guint64 token = 0;
  guint64 last = 0;
  while (count_max-- > 0 && read (fd, &token, sizeof token) == (ssize_t)sizeof token)
    last = token;
  return last;
}

/* All that was told is there, in its order; behind that at most a part of one more line. */
static void
check_lines (const char *path, guint64 last)
{
  g_autofree char *text = NULL;
  gsize length_bytes;
  g_assert_true (g_file_get_contents (path, &text, &length_bytes, NULL));
  g_assert_cmpuint (length_bytes, >=, (last + 1) * 8);
  g_assert_cmpuint (length_bytes, <=, (last + 3) * 8);
  for (gsize at = 0; at + 8 <= length_bytes; at += 8)
    g_assert_cmpuint (g_ascii_strtoull (text + at, NULL, 10), ==, at / 8);
}

static void
test_kill (void)
{
  memset (&faults, 0, sizeof faults);
  for (guint i = 0; i < 5; i++) {
    g_autofree char *directory = g_dir_make_tmp ("lk-disk-XXXXXX", NULL);
    g_autofree char *path = g_build_filename (directory, "f", NULL);
    int ends[2];
    g_assert_cmpint (pipe (ends), ==, 0);
    pid_t child = fork ();
    if (child == 0) {
      dup2 (ends[1], STDOUT_FILENO);
      append_for_ever (directory);
      _exit (1);
    }
    close (ends[1]);
    g_assert_cmpuint (last_told (ends[0], 10 + 7 * i), >, 0);
    kill (child, SIGKILL);
    waitpid (child, NULL, 0);
    guint64 last = last_told (ends[0], G_MAXUINT64);
    close (ends[0]);
    check_lines (path, MAX (last, 10 + 7 * i - 1));
    remove_directory (directory);
  }
}

/* A file that is longer than any array of bytes can be is shown as a whole: it is mostly a hole, so
 * that it takes no room. */
static void
test_long_file (void)
{
  const guint64 length_bytes = 5 * (guint64)1024 * 1024 * 1024;
  g_autoptr (GString) done = g_string_new (NULL);
  Disk *disk = disk_make (done);
  g_autofree char *path = g_build_filename (disk->directory, "f", NULL);
  gboolean has_failed = TRUE;
  disk->port.ops->append (disk->port.self, "f", (const guint8 *)"begin", 5, 1);
  disk_run (disk);
  g_assert_cmpint (truncate (path, (off_t)length_bytes), ==, 0);
  disk->port.ops->append (disk->port.self, "f", (const guint8 *)"end", 3, 2);
  disk_run (disk);
  g_autoptr (GBytes) view = disk->port.ops->view (disk->port.self, "f", &has_failed);
  g_assert_false (has_failed);
  g_assert_nonnull (view);
  gsize view_bytes;
  const guint8 *bytes = g_bytes_get_data (view, &view_bytes);
  g_assert_cmpuint (view_bytes, ==, length_bytes + 3);
  g_assert_true (memcmp (bytes, "begin", 5) == 0);
  g_assert_true (memcmp (bytes + length_bytes, "end", 3) == 0);
  GByteArray *part = disk->port.ops->read_part (disk->port.self, "f", length_bytes, 9, &has_failed);
  g_assert_false (has_failed);
  g_assert_cmpuint (part->len, ==, 3);
  g_byte_array_unref (part);
  disk_free (disk);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  disk_contract_add ("os", &maker);
  g_test_add_func ("/disk/os/a call that writes a part is followed by another", test_short_writes);
  g_test_add_func ("/disk/os/whatever call fails, all behind it fails", test_faults);
  g_test_add_func ("/disk/os/a full disk takes no more, and what was durable stays", test_full);
  g_test_add_func ("/disk/os/a file of more than 4 GiB is shown as a whole", test_long_file);
  g_test_add_func ("/disk/os/what is no file is neither written nor read", test_no_files);
  g_test_add_func ("/disk/os/a link in the way of a new file is not followed",
                   test_replace_past_link);
  g_test_add_func ("/disk/os/at its end all that was asked for is done", test_free_finishes);
  g_test_add_func ("/disk/os/without its directory there is no disk", test_no_directory);
  g_test_add_func ("/disk/os/what was told to be durable is there behind a kill", test_kill);
  return g_test_run ();
}
