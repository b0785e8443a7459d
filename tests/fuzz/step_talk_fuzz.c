/* tests/fuzz/step_talk_fuzz.c — any bytes as what comes over a step stream.
 *
 * The first byte says which end is under test; then come frames, each a byte for its length and so
 * many bytes.  What is decoded is encoded to the same bytes; nobody is open who has not said what
 * proves that he knows the key; and never is more on the way than may be.  The same bytes are a
 * word between PMI servers, what a program says to one, and a file of --multi-prog. */
#include <string.h>

#include "engine/assert.h"
#include "live/port/step_talk.h"
#include "live/step/gpu_bind.h"
#include "live/step/mem_bind.h"
#include "live/step/multi_prog.h"
#include "live/step/pmi_word.h"
#include "live/step/task_bind.h"

int LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes);

static void
check_frame (const guint8 *bytes, gsize length_bytes)
{
  LkStepFrame frame;
  if (!lk_step_frame_decode (bytes, length_bytes, &frame))
    return;
  g_autoptr (GByteArray) same = g_byte_array_new ();
  lk_step_frame_encode (&frame, same);
  LK_ASSERT (same->len == length_bytes);
  LK_ASSERT (memcmp (same->data, bytes, length_bytes) == 0);
  LK_ASSERT (lk_step_frame_sides (frame.kind) != 0);
}

static void
check_word (const guint8 *bytes, gsize length_bytes)
{
  LkStepPmixWord word;
  if (!lk_step_pmix_word_decode (bytes, length_bytes, &word))
    return;
  g_autoptr (GByteArray) same = g_byte_array_new ();
  lk_step_pmix_word_encode (&word, same);
  LK_ASSERT (same->len == length_bytes);
  LK_ASSERT (memcmp (same->data, bytes, length_bytes) == 0);
}

/* Words of PMI: each takes something off, and what they say can be said again. */
static void
check_pmi (guint version, const guint8 *bytes, gsize length_bytes)
{
  g_autoptr (GByteArray) left = g_byte_array_new ();
  LkPmiWord word;
  g_byte_array_append (left, bytes, (guint)length_bytes);
  for (guint before = left->len; lk_pmi_word_take (left, version, &word) == LK_PMI_WHOLE;
       before = left->len) {
    LkPmiWord same;
    g_autoptr (GString) text = g_string_new (NULL);
    LK_ASSERT (left->len < before);
    LK_ASSERT (word.pairs->len > 0 && word.pairs->len % 2 == 0);
    for (guint i = 0; i < word.pairs->len; i += 2)
      lk_pmi_word_append (text, version, g_ptr_array_index (word.pairs, i),
                          g_ptr_array_index (word.pairs, i + 1));
    g_autoptr (GString) whole = lk_pmi_word_close (text, version);
    g_autoptr (GByteArray) again = g_byte_array_new ();
    g_byte_array_append (again, (const guint8 *)whole->str, (guint)whole->len);
    if (text->len <= LK_PMI_WORD_BYTES_MAX) {
      LK_ASSERT (lk_pmi_word_take (again, version, &same) == LK_PMI_WHOLE);
      LK_ASSERT (again->len == 0 && same.pairs->len == word.pairs->len);
      lk_pmi_word_clear (&same);
    }
    lk_pmi_word_clear (&word);
  }
}

/* What is asked for can be asked for again in the words that programs are told. */
static void
check_mem_bind (const char *text)
{
  LkMemBind bind;
  LkMemBind same;
  g_autofree char *fault = lk_mem_bind_read (text, &bind);
  g_autoptr (GPtrArray) told = g_ptr_array_new_with_free_func (g_free);
  if (fault != NULL)
    return;
  lk_mem_bind_variables (&bind, /* is_task= */ FALSE, told);
  if (told->len > 0) {
    const char *whole = strchr (g_ptr_array_index (told, 0), '=') + 1;
    LK_ASSERT (lk_mem_bind_read (whole, &same) == NULL);
    LK_ASSERT (same.kind == bind.kind && same.is_verbose == bind.is_verbose);
    LK_ASSERT (g_strcmp0 (same.list, bind.list) == 0 && same.prefers == bind.prefers);
    lk_mem_bind_clear (&same);
  }
  lk_mem_bind_clear (&bind);
}

/* Whatever is asked for, a task of a step with GPUs sees one of them. */
static void
check_gpu_bind (const char *text, const GArray *gpus)
{
  LkGpuBind bind;
  gboolean is_missed;
  g_autoptr (GArray) cpus = g_array_new (FALSE, FALSE, sizeof (guint32));
  const LkGpuBindRoom room = { .gpus = gpus, .per_task = 1, .index = 1, .cpus = cpus };
  lk_gpu_bind_read (text, &bind);
  g_autoptr (GArray) seen = lk_gpu_bind_devices (&bind, &room, &is_missed);
  LK_ASSERT (seen->len > 0 && seen->len <= gpus->len);
  g_free (lk_gpu_bind_line (&bind, &room, seen));
  lk_gpu_bind_clear (&bind);
}

static void
check_texts (const guint8 *bytes, gsize length_bytes)
{
  g_autofree char *text = g_strndup ((const char *)bytes, length_bytes);
  g_autofree char *fault = NULL;
  g_auto (GStrv) words = lk_multi_prog_arguments (text, strlen (text), 1, &fault);
  LK_ASSERT ((words == NULL) == (fault != NULL));
  LK_ASSERT (words == NULL || words[0] != NULL);
  g_autoptr (GPtrArray) cores = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  g_autoptr (GArray) gpus = g_array_new (FALSE, TRUE, sizeof (guint32));
  const LkBindRoom room = { .cores = cores, .task_count = 2, .ldoms = cores };
  LkBind bind;
  g_free (lk_bind_cpus (text, &room, &bind));
  LK_ASSERT (bind.cpus == NULL || bind.cpus->len == 2);
  lk_bind_clear (&bind);
  check_mem_bind (text);
  g_array_set_size (gpus, 2);
  check_gpu_bind (text, gpus);
}

static void
check_talk (LkStepSide side, const guint8 *bytes, gsize length_bytes)
{
  const LkStepAbout about = { .side = side, .job_id = 1, .step_id = 0, .node_count = 2 };
  LkStepTalk talk;
  g_autoptr (GByteArray) said = g_byte_array_new ();
  lk_step_talk_init (&talk, &about);
  lk_step_talk_begin (&talk, said);
  LkStepTalkStatus status = LK_STEP_TALK_MORE;
  while (length_bytes > 0 && status != LK_STEP_TALK_REFUSED) {
    gsize count = MIN ((gsize)bytes[0], length_bytes - 1);
    LkStepFrame frame;
    gboolean was_sealed = talk.is_sealed;
    status = lk_step_talk_take (&talk, (LkBytes){ bytes + 1, (guint32)count }, said, &frame);
    LK_ASSERT (status != LK_STEP_TALK_FRAME || (was_sealed && talk.is_open));
    LK_ASSERT (status != LK_STEP_TALK_SEALS || !was_sealed);
    LK_ASSERT (talk.owed_bytes + talk.taken_bytes <= LK_STEP_WINDOW_BYTES);
    LK_ASSERT (lk_step_talk_room_bytes (&talk) <= LK_STEP_WINDOW_BYTES);
    if (status == LK_STEP_TALK_FRAME) {
      LkStepFrame taken;
      lk_step_talk_note_taken (&talk, lk_step_frame_load_bytes (&frame) / 2, &taken);
    }
    bytes += 1 + count;
    length_bytes -= 1 + count;
  }
  lk_step_talk_clear (&talk);
}

int
LLVMFuzzerTestOneInput (const guint8 *bytes, gsize length_bytes)
{
  if (length_bytes == 0)
    return 0;
  check_frame (bytes, length_bytes);
  check_word (bytes, length_bytes);
  check_texts (bytes, length_bytes);
  check_pmi (1, bytes, length_bytes);
  check_pmi (2, bytes, length_bytes);
  check_talk ((bytes[0] & 1) != 0 ? LK_STEP_SIDE_NODE : LK_STEP_SIDE_LAUNCHER, bytes + 1,
              length_bytes - 1);
  return 0;
}
