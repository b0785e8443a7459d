/* tests/fuzz/controller_snapshot_fuzz.c — any snapshot and any journal as what a controller finds.
 *
 * A crafted file has a right CRC, so one is made behind each change here.  The first byte: 0, the
 * rest is a snapshot, behind magic and CRC; else changes to the files of a story, each: file (bit
 * 0: the journal, else the snapshot; bits 1-2: change, drop, double a record or swap it with the
 * one behind it), record, u16 offset, value.  A controller that starts goes on without a fault. */
#include <string.h>

#include "engine/assert.h"
#include "engine/bytes.h"
#include "engine/crc32c.h"
#include "live/core/controller_private.h"
#include "tests/live/controller_site.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

#define MAGIC_BYTES 8u
#define CHANGES_MAX 50u

static const ControlOptions options = { .snapshot_events = 8, .session_count_max = 10 };

static const char snapshot_name[] = "snapshot-0";

/* ---------------------------------------------------------------- the story */

static void
submit (ControlSite *site, guint64 session, guint32 procs, const char *array)
{
  LkEvent event = { .kind = LK_EVENT_SUBMIT };
  event.submit.user_id = 1001;
  event.submit.procs = procs;
  event.submit.estimate_us = 3600 * CONTROL_SECOND_US;
  event.submit.array = lk_text (array);
  control_ask (site, 1001, session, 1, &event);
  control_settle (site);
}

static void
ask_about (ControlSite *site, LkEventKind kind, guint64 request, guint32 job_id)
{
  LkEvent event = { .kind = kind };
  event.cancel.job_id = job_id;
  if (kind == LK_EVENT_SIGNAL)
    event.signal.signal = 10;
  control_ask (site, CONTROL_ADMIN, 7, request, &event);
  control_settle (site);
}

/* Jobs that run, wait, and are being ended, with a signal on its way, an array, and a node that is
 * silent. */
static ControlSite *
story (void)
{
  ControlSite *site = control_site_new (&options);
  gboolean has_started = control_start (site, 0);
  LK_ASSERT (has_started);
  for (guint node = 0; node < CONTROL_NODES; node++)
    control_register (site, node, 1, NULL, 0);
  submit (site, 1, 1, "");
  submit (site, 2, 3, "");
  ask_about (site, LK_EVENT_SIGNAL, 1, 1);
  submit (site, 3, 1, "1-4");
  ask_about (site, LK_EVENT_REQUEUE, 2, 2);
  control_wait (site, 60 * CONTROL_SECOND_US);
  submit (site, 4, 1, "");
  ask_about (site, LK_EVENT_CANCEL, 3, 1);
  GByteArray *snapshot = g_byte_array_new ();
  lk_controller_save (site->core, snapshot);
  control_set_file (site, snapshot_name, snapshot->data, snapshot->len);
  g_byte_array_unref (snapshot);
  control_remove_file (site, "snapshot-1");
  submit (site, 5, 1, "");
  return site;
}

/* ---------------------------------------------------------------- records */

/* Of a snapshot a record has its length before it, of a journal its CRC too. */
static GPtrArray *
records_of (const GByteArray *file, gboolean is_journal)
{
  GPtrArray *records = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  gsize head_bytes = MAGIC_BYTES + (is_journal ? 0 : 4);
  LkBytesReader reader = { file->data + head_bytes, file->len - head_bytes, FALSE };
  while (reader.left_bytes > 0) {
    guint32 length_bytes = lk_take_u32 (&reader);
    if (is_journal)
      lk_take_u32 (&reader);
    GByteArray *record = g_byte_array_new ();
    g_byte_array_append (record, lk_take (&reader, length_bytes), length_bytes);
    g_ptr_array_add (records, record);
  }
  return records;
}

static guint32
crc_of (const guint8 *bytes, gsize length_bytes)
{
  LkCrc32c crc;
  lk_crc32c_init (&crc);
  return lk_crc32c (&crc, bytes, length_bytes);
}

static void
put_snapshot (ControlSite *site, const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_byte_array_append (file, (const guint8 *)"LKCSNAP2", MAGIC_BYTES);
  lk_append_u32 (file, crc_of (bytes, length_bytes));
  if (length_bytes > 0)
    g_byte_array_append (file, bytes, (guint)length_bytes);
  control_set_file (site, snapshot_name, file->data, file->len);
}

static void
put_records (ControlSite *site, const GPtrArray *records, gboolean is_journal)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  if (is_journal)
    g_byte_array_append (bytes, (const guint8 *)LK_JOURNAL_MAGIC, MAGIC_BYTES);
  for (guint i = 0; i < records->len; i++) {
    const GByteArray *record = g_ptr_array_index (records, i);
    lk_append_u32 (bytes, record->len);
    if (is_journal)
      lk_append_u32 (bytes, crc_of (record->data, record->len));
    g_byte_array_append (bytes, record->data, record->len);
  }
  if (is_journal)
    control_set_file (site, LK_CONTROLLER_JOURNAL, bytes->data, bytes->len);
  else
    put_snapshot (site, bytes->data, bytes->len);
}

static void
change (GPtrArray *records, guint8 how, LkBytesReader *reader)
{
  guint at = lk_take_u8 (reader);
  guint16 offset = lk_take_u16 (reader);
  guint8 value = lk_take_u8 (reader);
  if (records->len == 0)
    return;
  at %= records->len;
  GByteArray *record = g_ptr_array_index (records, at);
  if (how == 0 && record->len > 0) {
    record->data[offset % record->len] = value;
  } else if (how == 1) {
    g_ptr_array_remove_index (records, at);
  } else if (how == 2) {
    g_ptr_array_insert (records, (gint)at, g_byte_array_ref (record));
  } else if (how == 3 && at + 1 < records->len) {
    records->pdata[at] = records->pdata[at + 1];
    records->pdata[at + 1] = record;
  }
}

/* ---------------------------------------------------------------- all of it */

static void
change_files (ControlSite *site, LkBytesReader *reader)
{
  g_autoptr (GPtrArray) snapshot = records_of (control_file (site, snapshot_name), FALSE);
  g_autoptr (GPtrArray) journal = records_of (control_file (site, LK_CONTROLLER_JOURNAL), TRUE);
  for (guint i = 0; i < CHANGES_MAX && reader->left_bytes > 0; i++) {
    guint8 what = lk_take_u8 (reader);
    change ((what & 1) != 0 ? journal : snapshot, what >> 1 & 3, reader);
  }
  put_records (site, snapshot, FALSE);
  put_records (site, journal, TRUE);
}

static void
go_on (ControlSite *site)
{
  lk_controller_check (site->core);
  control_register (site, 0, 2, NULL, 0);
  submit (site, 6, 1, "");
  lk_controller_check (site->core);
  control_wait (site, 60 * CONTROL_SECOND_US);
  lk_controller_check (site->core);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  static ControlSite *told = NULL;
  LkBytesReader reader = { bytes, length_bytes, FALSE };
  if (told == NULL)
    told = story ();
  g_autoptr (ControlSite) site = control_site_new (&options);
  for (guint i = 0; i < told->files->len; i++) {
    const ControlFile *file = g_ptr_array_index (told->files, i);
    control_set_file (site, file->name, file->bytes->data, file->bytes->len);
  }
  if (lk_take_u8 (&reader) == 0)
    put_snapshot (site, reader.at, reader.left_bytes);
  else
    change_files (site, &reader);
  site->realtime_us = told->realtime_us;
  site->is_forged = TRUE;
  if (control_start (site, 0))
    go_on (site);
  else
    LK_ASSERT (site->failure != LK_CONTROLLER_OK);
  return 0;
}
