/* sim/command_cluster.c — see the header. */
#include "sim/command_cluster.h"

#include "engine/changed_config.h"
#include "traces/command_cluster.h"
#include "traces/command_refusal.h"

static const char *
why (const LkCommand *command, LkReject reject, const GPtrArray *problems, GStringChunk *texts)
{
  const char *text = lk_command_refusal (command, reject, texts);
  if (problems->len == 0)
    return text;
  g_autofree char *all = g_strdup_printf ("%s: %s", text, (char *)g_ptr_array_index (problems, 0));
  return g_string_chunk_insert (texts, all);
}

const char *
lk_command_cluster (const LkCommand *command, const LkSimControl *control, const LkSetup *setup,
                    GStringChunk *texts)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  LkEvent event = { .kind = LK_EVENT_RECONFIGURE };
  LkChangedConfig changed;
  LkClusterChange change;
  LkJournalHeader first;
  if (setup == NULL)
    return lk_reject_text (LK_REJECT_UNSUPPORTED);
  if (!lk_command_cluster_change (command, texts, &change, &error))
    return g_string_chunk_insert (texts, error->message);
  lk_setup_header (setup, "", &first);
  LkReject reject = lk_changed_config_init (&changed, control->engine, &first, &change, problems);
  lk_reconfigure_set_header (&event.reconfigure, &changed.header);
  if (reject == 0 && changed.is_changed)
    reject = control->apply (control->driver, &event);
  lk_changed_config_clear (&changed);
  return reject != 0 ? why (command, reject, problems, texts) : NULL;
}
