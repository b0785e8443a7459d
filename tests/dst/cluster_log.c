/* tests/dst/cluster_log.c — events and decisions in the log, read from the journal once they are
 * durable: the core itself tells nothing. */
#include "engine/journal.h"
#include "tests/dst/cluster_private.h"

static void
tell_event (const DstHost *host, const LkEvent *event)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_event_json (event, text);
  lk_world_tell (host->cluster->world, "controller%u event %" G_GUINT64_FORMAT " %s",
                 host->number + 1, event->seq, text->str);
}

static void
tell_decision (const DstHost *host, const LkDecision *decision)
{
  g_autoptr (GString) text = g_string_new (NULL);
  lk_decision_json (decision, text);
  lk_world_tell (host->cluster->world, "controller%u   decides %s", host->number + 1, text->str);
}

void
dst_host_tell_journal (DstHost *host)
{
  const GByteArray *bytes = lk_disk_sim_peek (host->disk, LK_CONTROLLER_JOURNAL);
  LkJournalHeader header;
  const char *fault;
  LkEvent event;
  LkDecision decision;
  LkJournalCheckpoint checkpoint;
  if (!lk_world_is_told (host->cluster->world) || bytes == NULL)
    return;
  if (bytes->len < host->journal_told_bytes)
    host->journal_told_bytes = 0;
  g_autoptr (LkJournalReader) reader =
      lk_journal_reader_new (bytes->data, bytes->len, &header, &fault);
  if (reader == NULL)
    return;
  if (host->journal_told_bytes > 0
      && !lk_journal_reader_go_on (reader, host->journal_told_bytes, &host->journal_told))
    return;
  while (lk_journal_reader_next (reader, &event) == LK_JOURNAL_EVENT) {
    tell_event (host, &event);
    while (lk_journal_reader_decision (reader, &decision))
      tell_decision (host, &decision);
    if (lk_journal_reader_checkpoint (reader, &checkpoint)) {
      host->journal_told = checkpoint;
      host->journal_told_bytes = lk_journal_reader_good_bytes (reader);
    }
  }
}
