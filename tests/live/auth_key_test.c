/* tests/live/auth_key_test.c — key files: what is read, what is refused, and whom keys speak
 * for. */
#include "live/port/auth_key.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/port/error.h"
#include "live/port/term_key.h"

#define HEX_A "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define HEX_B "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static const LkKeySubject n1 = { .kind = LK_PEER_AGENT, .node = "n1" };
static const LkKeySubject n2 = { .kind = LK_PEER_AGENT, .node = "n2" };
static const LkKeySubject ann = { .kind = LK_PEER_USER, .user_id = 1001 };
static const LkKeySubject bob = { .kind = LK_PEER_USER, .user_id = 1002 };
static const LkKeySubject job = { LK_PEER_JOB, "n1", 1001, 17 };
static const LkKeySubject standby = { .kind = LK_PEER_STANDBY };
static const LkKeySubject controller = { .kind = LK_PEER_CONTROLLER };
static const LkKeySubject nobody = { .kind = LK_PEER_ANONYMOUS };

static LkKeyring *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  LkKeyring *keyring = lk_keyring_parse (text, strlen (text), &error);
  g_assert_no_error (error);
  g_assert_nonnull (keyring);
  return keyring;
}

static void
test_parse (void)
{
  static const struct {
    const char *text;
    guint count; /* 0: refused */
  } rows[] = {
    { "lockstep-key-1 cluster " HEX_A "\n", 1 },
    { "lockstep-key-1 cluster " HEX_A, 1 },
    { "# ours\n\nlockstep-key-1 cluster " HEX_A "\nlockstep-key-1 cluster " HEX_B "\n", 2 },
    { "lockstep-key-1 agent n1 " HEX_A "\n", 1 },
    { "lockstep-key-1 user 1001 " HEX_A "\n", 1 },
    { "lockstep-key-1 standby " HEX_A "\n", 1 },
    { "lockstep-key-1 job 17 1001 n1 " HEX_A "\n", 1 },
    { "lockstep-key-1 job 0 1001 n1 " HEX_A "\n", 0 },
    { "lockstep-key-1 job 17 ann n1 " HEX_A "\n", 0 },
    { "lockstep-key-1 job 17 1001 ../n1 " HEX_A "\n", 0 },
    { "lockstep-key-1 job 17 1001 " HEX_A "\n", 0 },
    { "lockstep-key-1 job 17 1001 n1 n2 " HEX_A "\n", 0 },
    { "", 0 },
    { "\n\n", 0 },
    { "# nothing\n", 0 },
    { HEX_A "\n", 0 },
    { "lockstep-key-2 cluster " HEX_A "\n", 0 },
    { "lockstep-key-1 cluster\n", 0 },
    { "lockstep-key-1 cluster 00\n", 0 },
    { "lockstep-key-1 cluster " HEX_A "0\n", 0 },
    { "lockstep-key-1 cluster g0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n",
      0 },
    { "lockstep-key-1 cluster " HEX_A " more\n", 0 },
    { "lockstep-key-1  cluster " HEX_A "\n", 0 },
    { "lockstep-key-1 controller " HEX_A "\n", 0 },
    { "lockstep-key-1 agent " HEX_A "\n", 0 },
    { "lockstep-key-1 agent ../n1 " HEX_A "\n", 0 },
    { "lockstep-key-1 user ann " HEX_A "\n", 0 },
    { "lockstep-key-1 user -1 " HEX_A "\n", 0 },
    { "lockstep-key-1 user 4294967295 " HEX_A "\n", 0 },
    { "lockstep-key-1 cluster " HEX_A "\nx\n", 0 },
    { "lockstep-key-1 cluster " HEX_A "\nlockstep-key-1 cluster " HEX_B
      "\nlockstep-key-1 cluster " HEX_A "\n",
      0 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (LkKeyring) keyring = lk_keyring_parse (rows[i].text, strlen (rows[i].text), &error);
    if (rows[i].count == 0) {
      g_assert_error (error, LK_PORT_ERROR, LK_PORT_ERROR_FORMAT);
      /* Whatever is wrong with a key, it is not told to anybody. */
      g_assert_null (strstr (error->message, "0112233445566778"));
    } else {
      g_assert_no_error (error);
      g_assert_cmpuint (lk_keyring_count (keyring), ==, rows[i].count);
    }
  }
}

static gboolean
speaks (const LkKeyring *keyring, const LkKeySubject *subject, LkKey *out_key)
{
  return lk_keyring_key (keyring, 0, subject, out_key);
}

static gboolean
same (const LkKey *a, const LkKey *b)
{
  return memcmp (a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/* The cluster's key speaks for all, with another key for each. */
static void
test_subjects (void)
{
  const LkKeySubject *subjects[] = { &n1, &n2, &ann, &bob, &standby };
  g_autoptr (LkKeyring) keyring = parse ("lockstep-key-1 cluster " HEX_A);
  LkKey keys[G_N_ELEMENTS (subjects)];
  LkKey key;
  for (guint i = 0; i < G_N_ELEMENTS (subjects); i++) {
    g_assert_true (speaks (keyring, subjects[i], &keys[i]));
    for (guint j = 0; j < i; j++)
      g_assert_false (same (&keys[i], &keys[j]));
  }
  g_assert_false (speaks (keyring, &controller, &key));
  g_assert_false (speaks (keyring, &nobody, &key));
}

/* A key that was derived is what the controller makes of its own, and speaks for nobody else. */
static void
test_derive (void)
{
  const LkKeySubject *subjects[] = { &n1, &n2, &ann, &bob, &standby };
  g_autoptr (LkKeyring) cluster =
      parse ("lockstep-key-1 cluster " HEX_A "\nlockstep-key-1 cluster " HEX_B "\n");
  for (guint i = 0; i < G_N_ELEMENTS (subjects); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *text = lk_keyring_derive (cluster, subjects[i], &error);
    g_assert_no_error (error);
    g_autoptr (LkKeyring) derived = parse (text);
    g_assert_cmpuint (lk_keyring_count (derived), ==, 2);
    for (guint j = 0; j < G_N_ELEMENTS (subjects); j++)
      for (guint number = 0; number < 2; number++) {
        LkKey ours;
        LkKey theirs;
        g_assert_cmpint (lk_keyring_key (derived, number, subjects[j], &theirs), ==, i == j);
        g_assert_true (lk_keyring_key (cluster, number, subjects[j], &ours));
        if (i == j)
          g_assert_true (same (&ours, &theirs));
      }
    /* No key is made from one that is not the cluster's. */
    g_assert_null (lk_keyring_derive (derived, subjects[i], &error));
    g_assert_error (error, LK_PORT_ERROR, LK_PORT_ERROR_USAGE);
  }
  g_assert_null (lk_keyring_derive (cluster, &controller, NULL));
}

/* The agent of its node makes it, as the controller does; nobody else, and for nobody else. */
static void
test_job (void)
{
  static const LkKeySubject others[] = { { LK_PEER_JOB, "n1", 1001, 18 },
                                         { LK_PEER_JOB, "n1", 1002, 17 },
                                         { LK_PEER_JOB, "n2", 1001, 17 },
                                         { LK_PEER_USER, NULL, 1001, 0 },
                                         { LK_PEER_AGENT, "n1", 0, 0 } };
  const LkKeySubject *strangers[] = { &n2, &ann, &standby };
  g_autoptr (LkKeyring) cluster = parse ("lockstep-key-1 cluster " HEX_A "\n");
  g_autofree char *agents_text = lk_keyring_derive (cluster, &n1, NULL);
  g_autoptr (LkKeyring) agents = parse (agents_text);
  g_autofree char *text = lk_keyring_derive (agents, &job, NULL);
  g_autoptr (LkKeyring) derived = parse (text);
  LkKeySubject told;
  LkKey ours;
  LkKey theirs;
  g_assert_true (speaks (cluster, &job, &ours));
  g_assert_true (speaks (derived, &job, &theirs));
  g_assert_true (same (&ours, &theirs));
  g_assert_true (lk_keyring_job (derived, &told));
  g_assert_cmpint (told.kind, ==, LK_PEER_JOB);
  g_assert_cmpuint (told.run_id, ==, 17);
  g_assert_cmpuint (told.user_id, ==, 1001);
  g_assert_cmpstr (told.node, ==, "n1");
  g_assert_false (lk_keyring_job (agents, &told));
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    g_assert_false (speaks (derived, &others[i], &theirs));
    g_assert_true (speaks (cluster, &others[i], &theirs));
    g_assert_false (same (&ours, &theirs));
    g_assert_null (lk_keyring_derive (derived, &others[i], NULL));
  }
  for (guint i = 0; i < G_N_ELEMENTS (strangers); i++) {
    g_autofree char *other_text = lk_keyring_derive (cluster, strangers[i], NULL);
    g_autoptr (LkKeyring) other = parse (other_text);
    g_assert_null (lk_keyring_derive (other, &job, NULL));
  }
}

static void
test_ids (void)
{
  g_autoptr (LkKeyring) both =
      parse ("lockstep-key-1 cluster " HEX_A "\nlockstep-key-1 cluster " HEX_B "\n");
  g_autoptr (LkKeyring) second = parse ("lockstep-key-1 cluster " HEX_B "\n");
  g_assert_false (lk_keyring_has_id (second, lk_keyring_id (both, 0)));
  g_assert_true (lk_keyring_has_id (second, lk_keyring_id (both, 1)));
}

static void
test_node_names (void)
{
  static const struct {
    const char *name;
    gboolean is_valid;
  } rows[] = {
    { "n1", TRUE },   { "rack-1.node_2", TRUE }, { "7", TRUE },         { "", FALSE },
    { ".", FALSE },   { "../n1", FALSE },        { "-n", FALSE },       { "n 1", FALSE },
    { "n/1", FALSE }, { "n\n", FALSE },          { "\xc3\xa4", FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_assert_cmpint (lk_node_name_is_valid (rows[i].name, strlen (rows[i].name)), ==,
                     rows[i].is_valid);
  g_assert_false (lk_node_name_is_valid ("n\0x", 3));
  g_autofree char *longest = g_strnfill (255, 'n');
  g_assert_true (lk_node_name_is_valid (longest, 255));
  g_autofree char *longer = g_strnfill (256, 'n');
  g_assert_false (lk_node_name_is_valid (longer, 256));
}

/* ---------------------------------------------------------------- files */

typedef struct {
  char *folder;
  char *path;
} Place;

static void
place_init (Place *place)
{
  place->folder = g_dir_make_tmp ("lockstep-key-XXXXXX", NULL);
  place->path = g_build_filename (place->folder, "cluster.key", NULL);
}

static void
place_clear (Place *place)
{
  g_assert_cmpint (g_rmdir (place->folder), ==, 0);
  g_free (place->folder);
  g_free (place->path);
}

static void
test_file (void)
{
  Place place;
  struct stat status;
  g_autoptr (GError) error = NULL;
  g_autofree char *line = lk_keyring_new_line ();
  g_autofree char *other = lk_keyring_new_line ();
  place_init (&place);
  g_assert_cmpstr (line, !=, other);
  g_assert_true (lk_key_file_write (place.path, line, FALSE, &error));
  g_assert_no_error (error);
  g_assert_cmpint (stat (place.path, &status), ==, 0);
  g_assert_cmpuint (status.st_mode & 07777, ==, 0600);
  g_autoptr (LkKeyring) keyring = lk_keyring_load (place.path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (lk_keyring_count (keyring), ==, 1);
  guint64 id = lk_keyring_id (keyring, 0);
  /* A key that is there is not lost by accident. */
  g_assert_false (lk_key_file_write (place.path, other, FALSE, &error));
  g_assert_error (error, LK_PORT_ERROR, LK_PORT_ERROR_SYSTEM);
  g_clear_error (&error);
  g_autoptr (LkKeyring) same_one = lk_keyring_load (place.path, &error);
  g_assert_true (lk_keyring_has_id (same_one, id));
  g_assert_true (lk_key_file_write (place.path, other, TRUE, &error));
  g_autoptr (LkKeyring) other_one = lk_keyring_load (place.path, &error);
  g_assert_false (lk_keyring_has_id (other_one, id));
  g_assert_cmpint (g_unlink (place.path), ==, 0);
  /* Nothing was left beside it. */
  place_clear (&place);
}

static void
test_file_modes (void)
{
  static const mode_t modes[] = { 0640, 0604, 0620, 0602, 0644, 0666, 0610 };
  Place place;
  g_autofree char *line = lk_keyring_new_line ();
  place_init (&place);
  g_assert_true (lk_key_file_write (place.path, line, FALSE, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_cmpint (chmod (place.path, modes[i]), ==, 0);
    g_assert_null (lk_keyring_load (place.path, &error));
    g_assert_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED);
    g_assert_nonnull (strstr (error->message, "0600"));
  }
  g_assert_cmpint (chmod (place.path, 0400), ==, 0);
  g_autoptr (LkKeyring) keyring = lk_keyring_load (place.path, NULL);
  g_assert_nonnull (keyring);
  g_assert_cmpint (g_unlink (place.path), ==, 0);
  place_clear (&place);
}

/* A link may lead to a file of another user, a pipe may be anybody's. */
static void
test_file_kinds (void)
{
  Place place;
  g_autoptr (GError) error = NULL;
  g_autofree char *line = lk_keyring_new_line ();
  place_init (&place);
  g_autofree char *link_path = g_build_filename (place.folder, "link", NULL);
  g_assert_true (lk_key_file_write (place.path, line, FALSE, NULL));
  g_assert_cmpint (symlink (place.path, link_path), ==, 0);
  g_assert_null (lk_keyring_load (link_path, &error));
  g_assert_error (error, LK_PORT_ERROR, LK_PORT_ERROR_SYSTEM);
  g_clear_error (&error);
  g_unlink (link_path);
  g_assert_cmpint (mkfifo (link_path, 0600), ==, 0);
  g_assert_null (lk_keyring_load (link_path, &error));
  g_assert_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED);
  g_clear_error (&error);
  g_unlink (link_path);
  g_assert_null (lk_keyring_load (place.folder, &error));
  g_clear_error (&error);
  g_assert_null (lk_keyring_load (link_path, &error));
  g_assert_error (error, LK_PORT_ERROR, LK_PORT_ERROR_SYSTEM);
  g_unlink (place.path);
  place_clear (&place);
}

static void
test_file_of_another (void)
{
  Place place;
  g_autoptr (GError) error = NULL;
  g_autofree char *line = lk_keyring_new_line ();
  if (geteuid () != 0) {
    g_test_skip ("only root can give a file away");
    return;
  }
  place_init (&place);
  g_assert_true (lk_key_file_write (place.path, line, FALSE, NULL));
  g_assert_cmpint (chown (place.path, 1234, (gid_t)-1), ==, 0);
  g_assert_null (lk_keyring_load (place.path, &error));
  g_assert_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED);
  g_unlink (place.path);
  place_clear (&place);
}

/* Whatever a file holds, its end is known. */
static void
test_file_long (void)
{
  Place place;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strnfill (100000, '#');
  place_init (&place);
  g_assert_true (lk_key_file_write (place.path, text, FALSE, NULL));
  g_assert_null (lk_keyring_load (place.path, &error));
  g_assert_error (error, LK_PORT_ERROR, LK_PORT_ERROR_FORMAT);
  g_unlink (place.path);
  place_clear (&place);
}

/* The key of terms is made once, and nothing of it is guessed from what it proves. */
static void
test_term_key (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("lk-term-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, LK_TERM_KEY_FILE, NULL);
  LkKey keys[3];
  LkTermProof proofs[4];
  struct stat status;
  g_assert_true (lk_term_key_load (folder, &keys[0], &error));
  g_assert_cmpint (stat (path, &status), ==, 0);
  g_assert_cmpuint (status.st_mode & 07777, ==, 0600);
  g_assert_true (lk_term_key_load (folder, &keys[1], &error));
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_true (lk_term_key_load (folder, &keys[2], &error));
  for (guint i = 0; i < G_N_ELEMENTS (proofs); i++) {
    LkPortTerm port = lk_term_key_port (&keys[MIN (i, 2u)]);
    proofs[i] = port.ops->prove (port.self, i < 3 ? 5 : 6);
  }
  g_assert_true (proofs[0].low == proofs[1].low && proofs[0].high == proofs[1].high);
  g_assert_true (proofs[0].low != proofs[2].low && proofs[2].low != proofs[3].low);
  g_assert_true (g_file_set_contents (path, "short\n", -1, NULL));
  g_assert_cmpint (g_chmod (path, 0600), ==, 0);
  g_assert_false (lk_term_key_load (folder, &keys[0], &error));
  g_assert_error (error, LK_PORT_ERROR, LK_PORT_ERROR_REFUSED);
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/keyring/reads keys and nothing else", test_parse);
  g_test_add_func ("/keyring/a cluster's key has another for each subject", test_subjects);
  g_test_add_func ("/keyring/a derived key speaks for its subject only", test_derive);
  g_test_add_func ("/keyring/the key of a job is made by its node", test_job);
  g_test_add_func ("/keyring/tells keys apart", test_ids);
  g_test_add_func ("/keyring/names of nodes", test_node_names);
  g_test_add_func ("/keyring/file is private, whole, and not replaced unasked", test_file);
  g_test_add_func ("/keyring/file that others may read or write is refused", test_file_modes);
  g_test_add_func ("/keyring/link, pipe and folder are refused", test_file_kinds);
  g_test_add_func ("/keyring/file of another user is refused", test_file_of_another);
  g_test_add_func ("/keyring/long file is refused", test_file_long);
  g_test_add_func ("/auth key/of terms", test_term_key);
  return g_test_run ();
}
