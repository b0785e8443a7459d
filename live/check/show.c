/* live/check/show.c — see the header. */
#include "live/check/show.h"

#include <string.h>

#include <json-glib/json-glib.h>

#include "engine/hostlist.h"
#include "live/check/differences.h"
#include "live/check/words.h"

/* ---------------------------------------------------------------- text */

static void
faults_show (const LkCheckFound *found, GString *out)
{
  const GPtrArray *faults = lk_faults_sorted (found->faults);
  for (guint i = 0; i < faults->len; i++) {
    const LkFault *fault = g_ptr_array_index (faults, i);
    g_string_append_printf (out, "%s%s\n", fault->kind == LK_FAULT_WARNING ? "warning: " : "",
                            fault->message);
  }
}

static guint
node_count (const LkCluster *cluster)
{
  guint count = 0;
  for (guint i = 0; i < cluster->nodes->len; i++) {
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
    const LkNodeSpec *spec = g_ptr_array_index (cluster->nodes, i);
    lk_hostlist_expand (spec->names, strlen (spec->names), names, NULL);
    count += names->len;
  }
  return count;
}

/* Root's account and user are there without a file of accounts, too. */
#define ASSOCIATIONS_OF_ROOT 2u

static gboolean
has_accounts (const LkEngineConfig *config)
{
  return config->accounts != NULL && config->accounts->associations->len > ASSOCIATIONS_OF_ROOT;
}

static void
summary_show (const LkCheckFound *found, GString *out)
{
  guint error_count = lk_faults_count (found->faults, LK_FAULT_ERROR);
  guint warning_count = lk_faults_count (found->faults, LK_FAULT_WARNING);
  if (error_count > 0) {
    g_string_append_printf (out, "%s: %u error%s, %u warning%s%s\n", found->path, error_count,
                            error_count == 1 ? "" : "s", warning_count,
                            warning_count == 1 ? "" : "s",
                            error_count == LK_FAULTS_MAX ? "; no more are told" : "");
    return;
  }
  const LkEngineConfig *config = lk_site_engine (lk_check_source_site (found->source));
  g_string_append_printf (out, "%s: good: cluster %s, nodes %u, CPUs %u, partitions %u%s%s\n",
                          found->path, config->cluster->name, node_count (config->cluster),
                          config->units_total, config->cluster->partitions->len,
                          has_accounts (config) ? ", accounts" : "",
                          warning_count > 0 ? "; see the warnings above" : "");
}

static void
changes_show (const LkCheckFound *found, GString *out)
{
  for (guint i = 0; i < found->changes->len; i++) {
    g_autofree char *words = lk_difference_words (g_ptr_array_index (found->changes, i));
    g_string_append_printf (out, "%s\n", words);
  }
  if (found->changes->len == 0)
    g_string_append_printf (out, "nothing changes%s\n",
                            found->are_keys_compared
                                ? ""
                                : "; keys of the daemons are in no journal, and not compared");
}

static void
hindrances_show (const LkCheckFound *found, GString *out)
{
  gboolean has_changes = found->changes != NULL && found->changes->len > 0;
  if (found->hindrances->len == 0 && has_changes)
    g_string_append (out, "a reload would bring this into force\n");
  if (found->hindrances->len == 0)
    return;
  g_string_append (out, "a reload would refuse this now:\n");
  for (guint i = 0; i < found->hindrances->len; i++)
    g_string_append_printf (out, "  %s\n", (const char *)g_ptr_array_index (found->hindrances, i));
}

void
lk_check_show_text (const LkCheckFound *found, GString *out)
{
  if (found->faults != NULL) {
    faults_show (found, out);
    summary_show (found, out);
  }
  if (found->changes != NULL)
    changes_show (found, out);
  if (found->hindrances != NULL)
    hindrances_show (found, out);
}

/* ---------------------------------------------------------------- JSON */

static void
text_put (JsonBuilder *json, const char *name, const char *value)
{
  json_builder_set_member_name (json, name);
  if (value != NULL)
    json_builder_add_string_value (json, value);
  else
    json_builder_add_null_value (json);
}

static void
faults_put (JsonBuilder *json, const LkCheckFound *found)
{
  const GPtrArray *faults = lk_faults_sorted (found->faults);
  json_builder_set_member_name (json, "faults");
  json_builder_begin_array (json);
  for (guint i = 0; i < faults->len; i++) {
    const LkFault *fault = g_ptr_array_index (faults, i);
    json_builder_begin_object (json);
    text_put (json, "kind", fault->kind == LK_FAULT_ERROR ? "error" : "warning");
    text_put (json, "file", *fault->file != '\0' ? fault->file : NULL);
    json_builder_set_member_name (json, "line");
    json_builder_add_int_value (json, fault->line_number);
    text_put (json, "text", fault->text);
    json_builder_end_object (json);
  }
  json_builder_end_array (json);
}

static void
change_put (JsonBuilder *json, const LkDifference *change)
{
  static const char *const kinds[] = { "comes", "goes", "changes" };
  g_autofree char *key = lk_difference_key (change);
  g_autofree char *words = lk_difference_words (change);
  json_builder_begin_object (json);
  text_put (json, "thing", change->thing);
  json_builder_set_member_name (json, "names");
  json_builder_begin_array (json);
  for (guint i = 0; i < change->names->len; i++)
    json_builder_add_string_value (json, g_ptr_array_index (change->names, i));
  json_builder_end_array (json);
  text_put (json, "change", kinds[change->kind]);
  if (change->member != NULL) {
    text_put (json, "member", change->member);
    text_put (json, "key", key);
    text_put (json, "before", change->before);
    text_put (json, "after", change->after);
  }
  text_put (json, "words", words);
  json_builder_end_object (json);
}

static void
changes_put (JsonBuilder *json, const LkCheckFound *found)
{
  json_builder_set_member_name (json, "changes");
  json_builder_begin_array (json);
  for (guint i = 0; i < found->changes->len; i++)
    change_put (json, g_ptr_array_index (found->changes, i));
  json_builder_end_array (json);
  json_builder_set_member_name (json, "keys_compared");
  json_builder_add_boolean_value (json, found->are_keys_compared);
}

static void
hindrances_put (JsonBuilder *json, const LkCheckFound *found)
{
  json_builder_set_member_name (json, "refused_because");
  json_builder_begin_array (json);
  for (guint i = 0; i < found->hindrances->len; i++)
    json_builder_add_string_value (json, g_ptr_array_index (found->hindrances, i));
  json_builder_end_array (json);
}

void
lk_check_show_json (const LkCheckFound *found, GString *out)
{
  g_autoptr (JsonBuilder) json = json_builder_new ();
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  json_builder_begin_object (json);
  text_put (json, "configuration", found->path);
  if (found->against != NULL)
    text_put (json, "against", found->against);
  if (found->faults != NULL)
    faults_put (json, found);
  if (found->changes != NULL)
    changes_put (json, found);
  if (found->hindrances != NULL)
    hindrances_put (json, found);
  json_builder_end_object (json);
  g_autoptr (JsonNode) root = json_builder_get_root (json);
  json_generator_set_root (generator, root);
  json_generator_set_pretty (generator, TRUE);
  g_autofree char *text = json_generator_to_data (generator, NULL);
  g_string_append_printf (out, "%s\n", text);
}
