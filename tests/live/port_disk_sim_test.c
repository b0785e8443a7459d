/* tests/live/port_disk_sim_test.c — each fault of the simulated disk does what it says. */
#include <string.h>

#include "engine/policy.h"
#include "live/port/port_disk_sim.h"
#include "tests/live/disk_contract.h"

#define SECOND_US G_GINT64_CONSTANT (1000000)
#define ALWAYS 1000000u

static void
run_world (LkWorld *world, gint64 until_us)
{
  while (lk_world_next_us (world) <= until_us)
    lk_world_step (world);
}

typedef struct {
  LkWorld *world;
  LkDiskSim *disk;
  LkPortDisk port;
  GString *done; /* tokens, with - in front of those that failed */
  guint64 stop_at;
  gboolean stop_when_done;
  gboolean stop_loses_power;
} Disk;

static void
disk_done (gpointer user, guint64 token, gboolean has_succeeded)
{
  Disk *self = user;
  g_string_append_printf (self->done, "%s%" G_GUINT64_FORMAT " ", has_succeeded ? "" : "-", token);
}

static void
disk_hook (gpointer user, const char *name, guint64 write_index, gboolean is_done)
{
  Disk *self = user;
  g_assert_nonnull (name);
  if (write_index == self->stop_at && is_done == self->stop_when_done)
    lk_disk_sim_stop (self->disk, self->stop_loses_power);
}

static void
disk_init (Disk *self, guint64 seed, const LkDiskSimFaults *faults)
{
  *self = (Disk){ .world = lk_world_new (seed, 0), .done = g_string_new (NULL) };
  self->disk = lk_disk_sim_new (self->world, "disk", disk_done, self);
  self->port = lk_disk_sim_port (self->disk);
  lk_disk_sim_set_hook (self->disk, disk_hook, self);
  if (faults != NULL)
    lk_disk_sim_set_faults (self->disk, faults);
}

static void
disk_clear (Disk *self)
{
  lk_world_free (self->world);
  lk_disk_sim_free (self->disk);
  g_string_free (self->done, TRUE);
}

static void
append_text (Disk *self, const char *text, guint64 token)
{
  self->port.ops->append (self->port.self, "f", (const guint8 *)text, strlen (text), token);
}

/* The file as text; "(none)" without one, "(failed)". (transfer full) */
static char *
text_of (Disk *self)
{
  gboolean has_failed;
  g_autoptr (GByteArray) bytes = self->port.ops->read (self->port.self, "f", &has_failed);
  if (bytes == NULL)
    return g_strdup (has_failed ? "(failed)" : "(none)");
  return g_strndup (bytes->len > 0 ? (const char *)bytes->data : "", bytes->len);
}

static void
assert_text (Disk *self, const char *expected)
{
  g_autofree char *text = text_of (self);
  g_assert_cmpstr (text, ==, expected);
}

/* ---------------------------------------------------------------- what holds of every disk */

static gpointer
contract_make (GString *done)
{
  Disk *self = g_new (Disk, 1);
  disk_init (self, 1, NULL);
  g_string_free (self->done, TRUE);
  self->done = done;
  return self;
}

static LkPortDisk
contract_port (gpointer disk)
{
  return ((Disk *)disk)->port;
}

static void
contract_run (gpointer disk)
{
  run_world (((Disk *)disk)->world, 0);
}

static void
contract_set_failing (gpointer disk, gboolean is_failing)
{
  const LkDiskSimFaults faults = { .fail_ppm = is_failing ? ALWAYS : 0 };
  lk_disk_sim_set_faults (((Disk *)disk)->disk, &faults);
}

static void
contract_restart (gpointer disk)
{
  lk_disk_sim_stop (((Disk *)disk)->disk, FALSE);
}

static void
contract_free (gpointer disk)
{
  Disk *self = disk;
  self->done = g_string_new (NULL); /* the other one is not ours */
  disk_clear (self);
  g_free (self);
}

static const DiskMaker maker = {
  .make = contract_make,
  .port = contract_port,
  .run = contract_run,
  .set_failing = contract_set_failing,
  .restart = contract_restart,
  .free = contract_free,
};

/* ---------------------------------------------------------------- what the simulated one can do */

static void
test_disk_rots (void)
{
  Disk disk;
  disk_init (&disk, 1, NULL);
  append_text (&disk, "xyz", 1);
  run_world (disk.world, 0);
  g_assert_cmpuint (lk_disk_sim_durable_bytes (disk.disk, "f"), ==, 3);
  lk_disk_sim_rot (disk.disk, "f", 0, 1);
  assert_text (&disk, "yyz");
  disk_clear (&disk);
}

static void
test_disk_takes_time (void)
{
  Disk disk;
  LkDiskSimFaults faults = { .request_min_us = 10, .request_max_us = 10 };
  disk_init (&disk, 1, &faults);
  append_text (&disk, "a", 1);
  append_text (&disk, "b", 2);
  run_world (disk.world, 9);
  assert_text (&disk, "(none)");
  run_world (disk.world, 10);
  g_assert_cmpstr (disk.done->str, ==, "1 ");
  run_world (disk.world, 20);
  g_assert_cmpstr (disk.done->str, ==, "1 2 ");
  faults = (LkDiskSimFaults){ .slow_ppm = ALWAYS, .slow_max_us = SECOND_US };
  lk_disk_sim_set_faults (disk.disk, &faults);
  append_text (&disk, "c", 3);
  run_world (disk.world, 20);
  g_assert_cmpstr (disk.done->str, ==, "1 2 ");
  run_world (disk.world, 2 * SECOND_US);
  g_assert_cmpstr (disk.done->str, ==, "1 2 3 ");
  disk_clear (&disk);
}

static void
test_disk_fails (void)
{
  Disk disk;
  LkDiskSimFaults faults = { .fail_ppm = ALWAYS };
  disk_init (&disk, 1, NULL);
  append_text (&disk, "ab", 1);
  run_world (disk.world, 0);
  lk_disk_sim_set_faults (disk.disk, &faults);
  append_text (&disk, "cd", 2);
  run_world (disk.world, 0);
  faults.fail_ppm = 0;
  lk_disk_sim_set_faults (disk.disk, &faults);
  append_text (&disk, "ef", 3); /* the file is dead for this process */
  run_world (disk.world, 0);
  g_assert_cmpstr (disk.done->str, ==, "1 -2 -3 ");
  g_assert_cmpuint (lk_disk_sim_durable_bytes (disk.disk, "f"), ==, 2);
  lk_disk_sim_stop (disk.disk, FALSE);
  disk.port.ops->cut (disk.port.self, "f", 2, 4);
  append_text (&disk, "gh", 5);
  run_world (disk.world, 0);
  assert_text (&disk, "abgh");
  faults.read_fail_ppm = ALWAYS;
  lk_disk_sim_set_faults (disk.disk, &faults);
  assert_text (&disk, "(failed)");
  disk_clear (&disk);
}

static void
test_disk_full (void)
{
  Disk disk;
  LkDiskSimFaults faults = { .capacity_bytes = 5 };
  LkDiskSimCounts counts;
  disk_init (&disk, 1, &faults);
  append_text (&disk, "abc", 1);
  append_text (&disk, "def", 2);
  run_world (disk.world, 0);
  g_assert_cmpstr (disk.done->str, ==, "1 -2 ");
  lk_disk_sim_counts (disk.disk, &counts);
  g_assert_cmpuint (counts.full_count, ==, 1);
  disk_clear (&disk);
}

/* What a crash in the middle of "ab" + "cdef" leaves, for many seeds. */
static GHashTable *
outcomes (gboolean loses_power, gboolean when_done)
{
  GHashTable *found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint64 seed = 1; seed <= 300; seed++) {
    Disk disk;
    disk_init (&disk, seed, NULL);
    append_text (&disk, "ab", 1);
    append_text (&disk, "cdef", 2);
    disk.stop_at = 2;
    disk.stop_when_done = when_done;
    disk.stop_loses_power = loses_power;
    run_world (disk.world, 0);
    g_assert_cmpstr (disk.done->str, ==, "1 ");
    g_assert_true (lk_disk_sim_peek (disk.disk, "f") != NULL);
    g_assert_true (memcmp (lk_disk_sim_peek (disk.disk, "f")->data, "ab", 2) == 0);
    g_hash_table_add (found, text_of (&disk));
    disk_clear (&disk);
  }
  return found;
}

static void
test_disk_tears (void)
{
  g_autoptr (GHashTable) killed = outcomes (FALSE, FALSE);
  g_assert_cmpuint (g_hash_table_size (killed), ==, 5); /* any front part, and nothing else */
  g_assert_true (g_hash_table_contains (killed, "ab"));
  g_assert_true (g_hash_table_contains (killed, "abc"));
  g_assert_true (g_hash_table_contains (killed, "abcdef"));
  g_autoptr (GHashTable) lost = outcomes (TRUE, FALSE);
  g_assert_cmpuint (g_hash_table_size (lost), >, 20); /* garbage too */
  g_assert_true (g_hash_table_contains (lost, "ab"));
  g_assert_true (g_hash_table_contains (lost, "abcdef"));
  g_autoptr (GHashTable) done = outcomes (TRUE, TRUE);
  g_assert_cmpuint (g_hash_table_size (done), ==, 1);
  g_assert_true (g_hash_table_contains (done, "abcdef"));
}

/* Sectors behind each other may be there or not, each for itself. */
static void
test_disk_loses_sectors (void)
{
  gboolean has_hole = FALSE;
  g_autofree char *text = g_strnfill (512 * 4, 'x');
  for (guint64 seed = 1; seed <= 100 && !has_hole; seed++) {
    Disk disk;
    disk_init (&disk, seed, NULL);
    disk.stop_at = 1;
    disk.stop_loses_power = TRUE;
    append_text (&disk, text, 1);
    run_world (disk.world, 0);
    const GByteArray *bytes = lk_disk_sim_peek (disk.disk, "f");
    has_hole = bytes != NULL && bytes->len == 2048 && bytes->data[0] != 'x'
               && bytes->data[1024] == 'x' && bytes->data[1535] == 'x' && bytes->data[2047] != 'x';
    disk_clear (&disk);
  }
  g_assert_true (has_hole);
}

/* Written and read back is not durable: only the process has died, then the power fails. */
static void
test_disk_written_is_not_durable (void)
{
  guint lost_count = 0;
  guint kept_count = 0;
  for (guint64 seed = 1; seed <= 200; seed++) {
    Disk disk;
    disk_init (&disk, seed, NULL);
    disk.stop_at = 1;
    append_text (&disk, "abcd", 1);
    run_world (disk.world, 0);
    g_autofree char *before = text_of (&disk);
    if (g_str_equal (before, "abcd")) {
      gboolean is_made_durable = seed % 2 == 0;
      g_assert_cmpuint (lk_disk_sim_durable_bytes (disk.disk, "f"), ==, 0);
      if (is_made_durable)
        append_text (&disk, "", 2);
      run_world (disk.world, 0);
      lk_disk_sim_stop (disk.disk, TRUE);
      g_autofree char *after = text_of (&disk);
      if (is_made_durable)
        g_assert_cmpstr (after, ==, "abcd");
      *(g_str_equal (after, "abcd") ? &kept_count : &lost_count) += 1;
    }
    disk_clear (&disk);
  }
  g_assert_cmpuint (lost_count, >, 0);
  g_assert_cmpuint (kept_count, >, 0);
}

static void
test_disk_replaces_whole (void)
{
  guint old_count = 0;
  guint new_count = 0;
  for (guint64 seed = 1; seed <= 100; seed++) {
    Disk disk;
    disk_init (&disk, seed, NULL);
    append_text (&disk, "old", 1);
    disk.port.ops->replace (disk.port.self, "f", (const guint8 *)"newer", 5, 2);
    disk.stop_at = 2;
    disk.stop_loses_power = seed % 2 == 0;
    run_world (disk.world, 0);
    g_autofree char *text = text_of (&disk);
    old_count += g_str_equal (text, "old") ? 1 : 0;
    new_count += g_str_equal (text, "newer") ? 1 : 0;
    disk_clear (&disk);
  }
  g_assert_cmpuint (old_count + new_count, ==, 100);
  g_assert_cmpuint (old_count, >, 10);
  g_assert_cmpuint (new_count, >, 10);
}

static void
test_disk_misdirects (void)
{
  LkDiskSimFaults faults = { .misdirect_ppm = ALWAYS };
  for (guint64 seed = 1; seed <= 100; seed++) {
    Disk disk;
    disk_init (&disk, seed, NULL);
    append_text (&disk, "aaaa", 1);
    append_text (&disk, "bbbb", 2);
    run_world (disk.world, 0);
    lk_disk_sim_set_faults (disk.disk, &faults);
    append_text (&disk, "cc", 3);
    run_world (disk.world, 0);
    g_assert_cmpstr (disk.done->str, ==, "1 2 3 "); /* the disk says that all is well */
    const GByteArray *bytes = lk_disk_sim_peek (disk.disk, "f");
    g_assert_cmpuint (bytes->len, ==, 10);
    g_assert_nonnull (memchr (bytes->data, 'c', 4));
    g_assert_true (memcmp (bytes->data + 4, "bbbb\0\0", 6) == 0);
    disk_clear (&disk);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  disk_contract_add ("sim", &maker);
  g_test_add_func ("/disk/a bit may be another one", test_disk_rots);
  g_test_add_func ("/disk/requests take time one behind the other", test_disk_takes_time);
  g_test_add_func ("/disk/a file that has failed is dead for the process", test_disk_fails);
  g_test_add_func ("/disk/a full disk takes no more", test_disk_full);
  g_test_add_func ("/disk/a crash leaves any part of the write in progress", test_disk_tears);
  g_test_add_func ("/disk/a loss of power loses single sectors", test_disk_loses_sectors);
  g_test_add_func ("/disk/what is only written may be lost", test_disk_written_is_not_durable);
  g_test_add_func ("/disk/a replaced file is old or new", test_disk_replaces_whole);
  g_test_add_func ("/disk/a misdirected append spares the last one", test_disk_misdirects);
  return g_test_run ();
}
