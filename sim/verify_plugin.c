/* sim/verify_plugin.c — see verify_plugin.h.
 *
 * The child writes each check to a pipe as soon as it is decided: "P" or "F", name, NUL, detail,
 * NUL. What it has written before it dies is kept, and its death becomes one more failed check.
 * The child never returns: it leaves by _exit, so that nothing of the parent's is flushed twice. */
#include "sim/verify_plugin.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "policies/elf_symbols.h"
#include "policies/registry.h"
#include "sim/verify_run.h"

/* A run of the workload takes well under a second. */
#define CHILD_MAX_S 120u
#define REPORT_MAX_BYTES (1u << 20)
#define LISTED_MAX 8u

static void
check_free (gpointer data)
{
  LkVerifyCheck *check = data;
  g_free (check->name);
  g_free (check->detail);
  g_free (check);
}

static void
add_check (GPtrArray *checks, const char *name, gboolean passed, const char *detail)
{
  LkVerifyCheck *check = g_new0 (LkVerifyCheck, 1);
  check->name = g_strdup (name);
  check->passed = passed;
  check->detail = g_strdup (detail);
  g_ptr_array_add (checks, check);
}

/* ---------------------------------------------------------------- the file */

/* "a, b, c ..." of names for which `is_good` says no (NULL: of all). Returns: (transfer full). */
static char *
join_bad (const GPtrArray *names, gboolean (*is_good) (const char *name), guint *out_count)
{
  GString *out = g_string_new (NULL);
  guint count = 0;
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    if (is_good != NULL && is_good (name))
      continue;
    if (count < LISTED_MAX)
      g_string_append_printf (out, "%s%s", count == 0 ? "" : ", ", name);
    else if (count == LISTED_MAX)
      g_string_append (out, " ...");
    count++;
  }
  *out_count = count;
  return g_string_free (out, FALSE);
}

static gboolean
is_entry (const char *name)
{
  return strcmp (name, LK_POLICY_SYMBOL) == 0;
}

static void
check_exports (GPtrArray *checks, const LkElfSymbols *symbols)
{
  guint count;
  g_autofree char *others = join_bad (symbols->exports, is_entry, &count);
  g_autofree char *detail = NULL;
  if (!lk_elf_symbols_exports (symbols, LK_POLICY_SYMBOL))
    detail = g_strdup ("it does not export the symbol " LK_POLICY_SYMBOL);
  else if (count > 0)
    detail = g_strdup_printf ("it exports more: %s (compile with -fvisibility=hidden)", others);
  add_check (checks, "exports", detail == NULL,
             detail == NULL ? "exactly one symbol, " LK_POLICY_SYMBOL : detail);
}

static void
check_imports (GPtrArray *checks, const LkElfSymbols *symbols)
{
  guint count;
  g_autofree char *impure = join_bad (symbols->imports, lk_symbol_is_pure, &count);
  g_autofree char *detail =
      count > 0 ? g_strdup_printf ("not on the list of pure functions: %s", impure)
                : g_strdup_printf ("%u symbols, all of them pure functions", symbols->imports->len);
  add_check (checks, "imports", count == 0, detail);
}

static void
check_writable (GPtrArray *checks, const LkElfSymbols *symbols)
{
  guint count;
  g_autofree char *objects = join_bad (symbols->writable, NULL, &count);
  g_autofree char *detail =
      g_strdup_printf ("mutable data: %s; state belongs to the instance", objects);
  add_check (checks, "data", count == 0, count == 0 ? "nothing that can be written to" : detail);
}

static void
check_constructors (GPtrArray *checks, const LkElfSymbols *symbols)
{
  g_autofree char *detail =
      g_strdup_printf ("%u constructors run when it is loaded", symbols->constructor_count);
  gboolean passed = symbols->constructor_count == 0;
  add_check (checks, "loading", passed, passed ? "runs no code of its own" : detail);
}

/* TRUE when it is worth loading. */
static gboolean
check_file (GPtrArray *checks, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LkElfSymbols) symbols = lk_elf_symbols_read (path, &error);
  if (symbols == NULL) {
    add_check (checks, "file", FALSE, error->message);
    return FALSE;
  }
  g_autofree char *detail = g_strdup_printf ("a shared object, build id %s", symbols->build_id);
  add_check (checks, "file", TRUE, detail);
  check_exports (checks, symbols);
  check_imports (checks, symbols);
  check_writable (checks, symbols);
  check_constructors (checks, symbols);
  return lk_elf_symbols_exports (symbols, LK_POLICY_SYMBOL);
}

/* ---------------------------------------------------------------- the child */

static void
write_all (int fd, const char *bytes, gsize length)
{
  while (length > 0) {
    gssize written = write (fd, bytes, length);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      _exit (1);
    bytes += written;
    length -= (gsize)written;
  }
}

static void
tell (int fd, const char *name, gboolean passed, const char *detail)
{
  g_autoptr (GString) record = g_string_new (passed ? "P" : "F");
  g_string_append (record, name);
  g_string_append_c (record, '\0');
  g_string_append (record, detail);
  g_string_append_c (record, '\0');
  write_all (fd, record->str, record->len);
}

/* The policy in its seam, what is usual in the others. */
static LkSetup *
make_setup (const LkRegistry *registry, const LkPolicy *policy, const char *arguments,
            GError **error)
{
  gboolean has_arguments = arguments != NULL && arguments[0] != '\0';
  g_autofree char *spec =
      g_strconcat (policy->name, has_arguments ? ":" : "", has_arguments ? arguments : "", NULL);
  gboolean places =
      policy->seam == LK_SEAM_SELECT && ((const LkSelectPolicy *)policy)->choose != NULL;
  gboolean follows =
      policy->seam == LK_SEAM_LIMITS || policy->seam == LK_SEAM_PREEMPT
      || (policy->seam == LK_SEAM_ORDER && ((const LkOrderPolicy *)policy)->cycle_end != NULL);
  g_autoptr (LkCluster) cluster = places ? lk_verify_cluster () : NULL;
  g_autoptr (LkAccounts) accounts = follows ? lk_verify_accounts () : NULL;
  LkSetupOptions options = { .units_total = LK_VERIFY_UNITS,
                             .cluster = cluster,
                             .origin_us = LK_TIME_NEVER,
                             .order = policy->seam == LK_SEAM_ORDER ? spec : "fifo",
                             .backfill = policy->seam == LK_SEAM_BACKFILL ? spec : "easy",
                             .select = policy->seam == LK_SEAM_SELECT ? spec : "pool",
                             .accounts = accounts,
                             .limits = policy->seam == LK_SEAM_LIMITS ? spec : NULL,
                             .preempt = policy->seam == LK_SEAM_PREEMPT ? spec : NULL };
  return lk_setup_new (registry, &options, error);
}

static void
check_runs (int fd, const LkEngineConfig *config)
{
  LkVerifyRun first, second, restarted;
  g_autoptr (GError) error = NULL;
  if (!lk_verify_run (config, /* restarts= */ FALSE, &first, &error)
      || !lk_verify_run (config, /* restarts= */ FALSE, &second, &error)) {
    tell (fd, "two runs", FALSE, error->message);
    return;
  }
  char text[LK_DIGEST_TEXT_BYTES], other[LK_DIGEST_TEXT_BYTES];
  lk_digest_value_text (first.digest, text);
  lk_digest_value_text (second.digest, other);
  gboolean equal = lk_digest_value_equal (first.digest, second.digest);
  g_autofree char *detail =
      equal ? g_strdup_printf ("%" G_GUINT64_FORMAT " events, %" G_GUINT64_FORMAT
                               " jobs started, digest %s both times",
                               first.event_count, first.start_count, text)
            : g_strdup_printf ("the same workload gave digest %s, then %s", text, other);
  tell (fd, "two runs", equal, detail);
  /* With nothing to compare with, a third run would only mislead. */
  if (!equal)
    return;
  if (!lk_verify_run (config, /* restarts= */ TRUE, &restarted, &error)) {
    tell (fd, "restarts", FALSE, error->message);
    return;
  }
  lk_digest_value_text (restarted.digest, other);
  equal = lk_digest_value_equal (first.digest, restarted.digest);
  g_autofree char *restart_detail =
      equal
          ? g_strdup_printf ("saved and loaded %u times, the same digest", restarted.restart_count)
          : g_strdup_printf ("saved and loaded %u times: digest %s instead of %s; state must "
                             "pass through save and load",
                             restarted.restart_count, other, text);
  tell (fd, "restarts", equal, restart_detail);
}

static void
run_child (int fd, const char *path, const char *arguments)
{
  struct rlimit no_core = { 0, 0 };
  setrlimit (RLIMIT_CORE, &no_core);
  alarm (CHILD_MAX_S);
  g_autoptr (LkRegistry) registry = lk_registry_new ();
  g_autoptr (GError) error = NULL;
  const LkPolicy *policy = lk_registry_add_plugin (registry, path, &error);
  if (policy == NULL) {
    tell (fd, "vtable", FALSE, error->message);
    return;
  }
  g_autofree char *detail = g_strdup_printf (
      "%s policy '%s' version %u", lk_seam_name (policy->seam), policy->name, policy->version);
  tell (fd, "vtable", TRUE, detail);
  g_autoptr (LkSetup) setup = make_setup (registry, policy, arguments, &error);
  if (setup == NULL) {
    tell (fd, "parameters", FALSE, error->message);
    return;
  }
  tell (fd, "parameters", TRUE, lk_setup_spec (setup, policy->seam));
  check_runs (fd, lk_setup_config (setup));
}

/* ---------------------------------------------------------------- the parent */

static GByteArray *
read_report (int fd)
{
  GByteArray *bytes = g_byte_array_new ();
  guint8 chunk[4096];
  while (bytes->len < REPORT_MAX_BYTES) {
    gssize taken = read (fd, chunk, sizeof chunk);
    if (taken < 0 && errno == EINTR)
      continue;
    if (taken <= 0)
      break;
    g_byte_array_append (bytes, chunk, (guint)taken);
  }
  return bytes;
}

static void
take_report (GPtrArray *checks, const GByteArray *bytes)
{
  const char *at = (const char *)bytes->data;
  const char *end = at + bytes->len;
  while (at < end) {
    const char *detail = memchr (at, '\0', (gsize)(end - at));
    detail = detail == NULL ? end : detail + 1;
    const char *next = detail < end ? memchr (detail, '\0', (gsize)(end - detail)) : NULL;
    /* A record that the child did not finish says nothing. */
    if (next == NULL)
      return;
    add_check (checks, at + 1, at[0] == 'P', detail);
    at = next + 1;
  }
}

static void
check_death (GPtrArray *checks, int status)
{
  g_autofree char *detail = NULL;
  if (WIFSIGNALED (status) && WTERMSIG (status) == SIGALRM)
    detail = g_strdup_printf ("it did not come to an end within %u s", CHILD_MAX_S);
  else if (WIFSIGNALED (status))
    detail = g_strdup_printf ("the policy ended the process: signal %d (%s)", WTERMSIG (status),
                              g_strsignal (WTERMSIG (status)));
  else if (WEXITSTATUS (status) != 0)
    detail = g_strdup_printf ("the process ended with exit code %d", WEXITSTATUS (status));
  if (detail != NULL)
    add_check (checks, "process", FALSE, detail);
}

GPtrArray *
lk_verify_plugin (const char *path, const char *arguments)
{
  GPtrArray *checks = g_ptr_array_new_with_free_func (check_free);
  if (!check_file (checks, path))
    return checks;
  int ends[2];
  if (pipe (ends) != 0) {
    add_check (checks, "process", FALSE, g_strerror (errno));
    return checks;
  }
  pid_t child = fork ();
  if (child == 0) {
    close (ends[0]);
    run_child (ends[1], path, arguments);
    _exit (0);
  }
  close (ends[1]);
  if (child < 0) {
    add_check (checks, "process", FALSE, g_strerror (errno));
    close (ends[0]);
    return checks;
  }
  g_autoptr (GByteArray) report = read_report (ends[0]);
  close (ends[0]);
  take_report (checks, report);
  int status = 0;
  while (waitpid (child, &status, 0) < 0 && errno == EINTR)
    ;
  check_death (checks, status);
  return checks;
}
