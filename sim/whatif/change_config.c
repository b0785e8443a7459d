/* sim/whatif/change_config.c — see the header. */
#include "sim/whatif/change_config.h"

#include <string.h>
#include <unistd.h>

#include "engine/suggest.h"
#include "policies/registry.h"
#include "policies/spec.h"
#include "sim/conf_backfill.h"
#include "sim/error.h"
#include "traces/accounts_open.h"
#include "traces/preempt_conf.h"
#include "traces/slurm_conf.h"

#define SEAM_FIRST LK_SEAM_ORDER
#define SEAM_LAST LK_SEAM_PREEMPT

/* What the configuration is to be. */
typedef struct {
  const LkWhatifState *state;
  LkJournalHeader in_force;
  char *specs[SEAM_LAST + 1];
  LkSlurmImport *import; /* of a slurm.conf; NULL: the machine stays */
  LkAccounts *accounts;  /* NULL: none */
} Wanted;

static void
wanted_clear (Wanted *self)
{
  for (guint i = 0; i <= SEAM_LAST; i++)
    g_free (self->specs[i]);
  lk_slurm_import_free (self->import);
  lk_accounts_free (self->accounts);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Wanted, wanted_clear)

static gboolean fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, text);
  return FALSE;
}

/* ---------------------------------------------------------------- what is in force */

static char *
text_dup (LkText text)
{
  return g_strndup (text.bytes != NULL ? text.bytes : "", text.length_bytes);
}

static void
begin (Wanted *self)
{
  const LkEngine *engine = self->state->engine;
  self->in_force = self->state->input.header;
  lk_engine_config_described (engine, &self->in_force);
  self->specs[LK_SEAM_ORDER] = text_dup (self->in_force.order);
  self->specs[LK_SEAM_BACKFILL] = text_dup (self->in_force.backfill);
  self->specs[LK_SEAM_SELECT] = text_dup (self->in_force.select);
  self->specs[LK_SEAM_LIMITS] = text_dup (self->in_force.limits);
  self->specs[LK_SEAM_PREEMPT] = text_dup (self->in_force.preempt);
  if (lk_engine_accounts (engine) != NULL)
    self->accounts = lk_accounts_copy (lk_engine_accounts (engine));
}

/* ---------------------------------------------------------------- --cluster */

static void
take_spec (Wanted *self, guint32 seam, char *spec)
{
  g_free (self->specs[seam]);
  self->specs[seam] = spec;
}

static gboolean
take_accounts (Wanted *self, const char *conf, GError **error)
{
  if (self->accounts == NULL)
    return TRUE;
  g_autoptr (LkAccounts) read = lk_accounts_copy (self->accounts);
  if (!lk_accounts_apply_slurm_conf (read, conf, error))
    return FALSE;
  LkAccounts *settled = lk_accounts_under (self->accounts, read);
  lk_accounts_free (self->accounts);
  self->accounts = settled;
  return TRUE;
}

/* A cluster of `lockstep up` keeps the policies of its command line, one a line in the file
 * `options` beside its lockstep.conf; they go before what slurm.conf says. */
static void
take_laptop (Wanted *self)
{
  static const guint32 seams[] = { LK_SEAM_ORDER, LK_SEAM_BACKFILL, LK_SEAM_SELECT,
                                   LK_SEAM_PREEMPT };
  g_autofree char *controller = g_path_get_dirname (self->state->path);
  g_autofree char *conf = g_build_filename (controller, "..", "lockstep.conf", NULL);
  g_autofree char *options = g_build_filename (controller, "..", "options", NULL);
  g_autofree char *text = NULL;
  if (!g_file_test (conf, G_FILE_TEST_EXISTS) || !g_file_get_contents (options, &text, NULL, NULL))
    return;
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    for (guint j = 0; j < G_N_ELEMENTS (seams); j++) {
      g_autofree char *prefix = g_strdup_printf ("--%s=", lk_seam_name (seams[j]));
      if (g_str_has_prefix (lines[i], prefix))
        take_spec (self, seams[j], g_strdup (lines[i] + strlen (prefix)));
    }
}

/* As a live controller reads it (live/site), but for associations and QOS, which stay. */
static gboolean
take_conf (Wanted *self, const char *conf, GError **error)
{
  LkSlurmImportOptions options = { .conf_path = conf };
  if (self->in_force.cluster.length_bytes == 0)
    return fail (error,
                 "--cluster: the journal is of a counted pool, which no slurm.conf describes");
  self->import = lk_slurm_import_new (&options, error);
  if (self->import == NULL || !take_accounts (self, conf, error))
    return FALSE;
  char *order = lk_slurm_conf_order (conf, error);
  char *backfill = order != NULL ? lk_conf_backfill (conf, error) : NULL;
  char *preempt = backfill != NULL ? lk_slurm_conf_preempt (conf, error) : NULL;
  if (preempt != NULL && self->accounts == NULL && g_str_has_prefix (preempt, "qos")) {
    g_free (preempt); /* nobody has a QOS */
    preempt = g_strdup ("none");
  }
  take_spec (self, LK_SEAM_ORDER, order);
  take_spec (self, LK_SEAM_BACKFILL, backfill);
  take_spec (self, LK_SEAM_PREEMPT, preempt);
  take_spec (self, LK_SEAM_SELECT,
             g_strdup (lk_setup_select_of (lk_slurm_import_cluster (self->import))));
  if (preempt != NULL)
    take_laptop (self);
  return preempt != NULL;
}

/* ---------------------------------------------------------------- --set */

static char **
seam_names (void)
{
  GPtrArray *names = g_ptr_array_new ();
  for (guint32 seam = SEAM_FIRST; seam <= SEAM_LAST; seam++)
    g_ptr_array_add (names, g_strdup (lk_seam_name (seam)));
  g_ptr_array_add (names, NULL);
  return (char **)g_ptr_array_free (names, FALSE);
}

static void
merge (Wanted *self, guint32 seam, const char *spec)
{
  take_spec (self, seam, lk_spec_merge (self->specs[seam], spec));
}

/* order.weight_age=1000: of the policy that is in force. */
static void
set_parameter (Wanted *self, guint32 seam, const char *pair)
{
  g_autofree char *name = g_strndup (self->specs[seam], strcspn (self->specs[seam], ":("));
  g_autofree char *spec = g_strdup_printf ("%s:%s", name, pair);
  merge (self, seam, spec);
}

/* Does the specification, made of one key of slurm.conf, say anything? */
static gboolean
take_key (Wanted *self, guint32 seam, const char *spec)
{
  if (strchr (spec, ':') == NULL)
    return FALSE;
  merge (self, seam, spec);
  return TRUE;
}

static gboolean
set_key_of (Wanted *self, const char *path, const char *pair, GError **error)
{
  g_autofree char *order = lk_slurm_conf_order (path, error);
  g_autofree char *backfill = order != NULL ? lk_conf_backfill (path, error) : NULL;
  if (backfill == NULL)
    return FALSE;
  gboolean acts = take_key (self, LK_SEAM_ORDER, order);
  acts = take_key (self, LK_SEAM_BACKFILL, backfill) || acts;
  if (acts)
    return TRUE;
  g_auto (GStrv) names = seam_names ();
  g_autofree char *key = g_strndup (pair, strcspn (pair, "=."));
  g_autofree char *phrase = lk_suggest_phrase (key, (const char *const *)names);
  return fail (error,
               "--set is '%s', on which nothing acts%s; expected SEAM.PARAMETER=VALUE (lockstep "
               "policy show), SEAM=POLICY, or a key of slurm.conf about priorities or "
               "SchedulerParameters; for others write them into a copy of slurm.conf and give it "
               "by --cluster",
               pair, phrase);
}

/* A key of slurm.conf is read as a file that says nothing else. */
static gboolean
set_key (Wanted *self, const char *pair, GError **error)
{
  g_autofree char *path = NULL;
  g_autofree char *text = g_strdup_printf ("%s\n", pair);
  GError *own = NULL;
  int fd = g_file_open_tmp ("lockstep-whatif-XXXXXX.conf", &path, error);
  if (fd < 0)
    return FALSE;
  gssize length = write (fd, text, strlen (text));
  close (fd);
  gboolean is_good = length == (gssize)strlen (text) ? set_key_of (self, path, pair, &own)
                                                     : fail (&own, "the disk is full");
  unlink (path);
  if (is_good)
    return TRUE;
  const char *message = own->message;
  if (g_str_has_prefix (message, path))
    message += strlen (path) + strlen (":1: ");
  fail (error, "%s%s", message != own->message ? "--set: " : "", message);
  g_error_free (own);
  return FALSE;
}

static gboolean
set_one (Wanted *self, const char *pair, GError **error)
{
  const char *equals = strchr (pair, '=');
  if (equals == NULL || equals == pair)
    return fail (error, "--set is '%s'; expected KEY=VALUE", pair);
  g_autofree char *key = g_strndup (pair, (gsize)(equals - pair));
  char *dot = strchr (key, '.');
  if (dot != NULL)
    *dot = '\0';
  guint32 seam = lk_seam_from_name (key);
  if (seam == 0 || seam > SEAM_LAST)
    return set_key (self, pair, error);
  if (seam == LK_SEAM_LIMITS && self->accounts == NULL)
    return fail (error, "--set is '%s', but there are no accounts, and so no limits", pair);
  if (dot != NULL)
    set_parameter (self, seam, pair + (dot - key) + 1);
  else
    merge (self, seam, equals + 1);
  return TRUE;
}

/* ---------------------------------------------------------------- as an event */

static LkSetup *
setup_of (const Wanted *self, GError **error)
{
  const LkEngineConfig *config = lk_engine_config (self->state->engine);
  const char *limits = self->specs[LK_SEAM_LIMITS];
  LkSetupOptions options = {
    .units_total = self->in_force.units_total,
    .origin_us = self->in_force.origin_us,
    .order = self->specs[LK_SEAM_ORDER],
    .backfill = self->specs[LK_SEAM_BACKFILL],
    .select = self->specs[LK_SEAM_SELECT],
    .cluster = self->import != NULL ? lk_slurm_import_cluster (self->import) : config->cluster,
    .accounts = self->accounts,
    .limits = *limits != '\0' ? limits : NULL,
    .preempt = self->specs[LK_SEAM_PREEMPT],
    .tells_standing = self->in_force.tells_standing != 0,
    .requeues_ended = (self->in_force.requeues & LK_REQUEUES_ENDED) != 0,
    .requeues_at_end = (self->in_force.requeues & LK_REQUEUES_AT_END) != 0
  };
  return lk_setup_new (self->state->registry, &options, error);
}

/* A policy with those of its parameters that are not what they are unless they are given. Returns:
 * (transfer full). */
static char *
spec_short (const LkRegistry *registry, guint32 seam, const char *spec)
{
  g_autofree char *name = NULL;
  g_autofree char *arguments = NULL;
  const LkPolicy *policy = lk_spec_split (spec, &name, &arguments, NULL)
                               ? lk_registry_find (registry, seam, name, NULL)
                               : NULL;
  g_auto (GStrv) texts =
      policy != NULL ? lk_spec_arguments (policy->params, arguments, NULL) : NULL;
  if (texts == NULL)
    return g_strdup (spec);
  GString *out = g_string_new (name);
  for (guint i = 0; policy->params[i].name != NULL; i++)
    if (g_strcmp0 (texts[i], policy->params[i].default_value) != 0)
      g_string_append_printf (out, "%c%s=%s", out->len == strlen (name) ? ':' : ',',
                              policy->params[i].name, texts[i]);
  return g_string_free (out, FALSE);
}

/* "order: weight_age 0 -> 1000", of parameters that differ; of another policy what is set. */
static void
tell_spec (const LkRegistry *registry, guint32 number, const char *before, const char *after,
           GPtrArray *lines)
{
  const char *seam = lk_seam_name (number);
  gsize name_bytes = strcspn (before, ":");
  if (strcmp (before, after) == 0)
    return;
  g_auto (GStrv) old = g_strsplit (before, ",", -1);
  g_auto (GStrv) new = g_strsplit (after, ",", -1);
  if (strncmp (before, after, name_bytes + 1) != 0 || g_strv_length (old) != g_strv_length (new)) {
    g_autofree char *from = spec_short (registry, number, before);
    g_autofree char *to = spec_short (registry, number, after);
    g_ptr_array_add (lines, g_strdup_printf ("%s: %s -> %s", seam, from, to));
    return;
  }
  for (guint i = 0; old[i] != NULL; i++) {
    gsize skip = i == 0 ? name_bytes + 1 : 0;
    const char *equals = strchr (new[i], '=');
    if (strcmp (old[i], new[i]) != 0 && equals != NULL)
      g_ptr_array_add (lines, g_strdup_printf ("%s: %.*s %s -> %s", seam,
                                               (int)(equals - new[i] - (gssize)skip), new[i] + skip,
                                               strchr (old[i], '=') + 1, equals + 1));
  }
}

static gboolean
long_equal (LkLongText a, LkLongText b)
{
  return a.length_bytes == b.length_bytes && memcmp (a.bytes, b.bytes, a.length_bytes) == 0;
}

static void
tell_lines (const Wanted *self, const LkJournalHeader *made, GPtrArray *lines)
{
  const LkJournalHeader *old = &self->in_force;
  const LkText texts[][2] = { { old->order, made->order },
                              { old->backfill, made->backfill },
                              { old->select, made->select },
                              { old->limits, made->limits },
                              { old->preempt, made->preempt } };
  static const guint32 seams[] = { LK_SEAM_ORDER, LK_SEAM_BACKFILL, LK_SEAM_SELECT, LK_SEAM_LIMITS,
                                   LK_SEAM_PREEMPT };
  g_autoptr (GString) accounts = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree char *before = text_dup (texts[i][0]);
    g_autofree char *after = text_dup (texts[i][1]);
    tell_spec (self->state->registry, seams[i], before, after, lines);
  }
  if (!long_equal (old->cluster, made->cluster))
    g_ptr_array_add (lines,
                     g_strdup ("the machine: nodes or partitions; lockstep diff tells which"));
  if (self->accounts != NULL)
    lk_accounts_text (lk_engine_accounts (self->state->engine), accounts);
  if (!long_equal ((LkLongText){ accounts->str, (guint32)accounts->len }, made->accounts))
    g_ptr_array_add (lines, g_strdup ("settings of all accounts: enforcement, decay or TRES"));
}

static gboolean
try_config (const Wanted *self, const LkJournalHeader *made, GError **error)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  lk_engine_try_config (self->state->engine, made, problems);
  if (problems->len == 0)
    return TRUE;
  g_ptr_array_add (problems, NULL);
  g_autofree char *text = g_strjoinv ("; ", (char **)problems->pdata);
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
               "the new configuration could not come into force: %s", text);
  return FALSE;
}

gboolean
lk_config_change (const LkWhatifState *state, const LkConfigChange *wanted, GByteArray *out_event,
                  GPtrArray *lines, GError **error)
{
  g_auto (Wanted) self = { .state = state };
  LkJournalHeader made;
  LkEvent event = { .kind = LK_EVENT_RECONFIGURE };
  begin (&self);
  if (wanted->conf != NULL && !take_conf (&self, wanted->conf, error))
    return FALSE;
  for (guint i = 0; wanted->sets != NULL && wanted->sets[i] != NULL; i++)
    if (!set_one (&self, wanted->sets[i], error))
      return FALSE;
  if (wanted->conf == NULL && wanted->sets == NULL)
    return TRUE;
  g_autoptr (LkSetup) setup = setup_of (&self, error);
  if (setup == NULL)
    return FALSE;
  g_autofree char *source = text_dup (self.in_force.source);
  lk_setup_header (setup, source, &made);
  guint before = lines->len;
  tell_lines (&self, &made, lines);
  if (lines->len == before)
    return TRUE;
  if (!try_config (&self, &made, error))
    return FALSE;
  lk_reconfigure_set_header (&event.reconfigure, &made);
  lk_event_encode (&event, out_event);
  return TRUE;
}
