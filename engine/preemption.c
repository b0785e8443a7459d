/* engine/preemption.c — see the header. */
#include "engine/preemption.h"

#include <string.h>

#include "engine/assert.h"
#include "engine/bits.h"
#include "engine/limits.h"

/* No list of QOS that name each other is longer; those in a circle all stand on this level. */
#define LEVEL_MAX 64u

/* ---------------------------------------------------------------- words */

/* Is the word one of a list with commas between? */
static gboolean
has_word (const char *list, const char *word)
{
  gsize length = strlen (word);
  for (const char *at = list; *at != '\0';) {
    gsize bytes = strcspn (at, ",");
    if (bytes == length && g_ascii_strncasecmp (at, word, bytes) == 0)
      return TRUE;
    at += bytes;
    at += *at == ',' ? 1 : 0;
  }
  return FALSE;
}

/* GANG, WITHIN and PRIORITY say nothing of what becomes of a victim. */
static guint32
mode_of (const char *words)
{
  if (has_word (words, "off"))
    return LK_PREEMPT_OFF;
  if (has_word (words, "suspend"))
    return LK_PREEMPT_SUSPEND;
  if (has_word (words, "requeue"))
    return LK_PREEMPT_REQUEUE;
  return has_word (words, "cancel") ? LK_PREEMPT_CANCEL : LK_PREEMPT_UNSET;
}

/* ---------------------------------------------------------------- QOS */

static guint32
find_qos (const LkAccounts *accounts, const char *name, gsize length_bytes)
{
  for (guint i = 0; i < accounts->qos->len; i++) {
    const LkQosSpec *spec = g_ptr_array_index (accounts->qos, i);
    if (strlen (spec->name) == length_bytes
        && g_ascii_strncasecmp (spec->name, name, length_bytes) == 0)
      return i;
  }
  return LK_INDEX_NONE;
}

static void
read_list (LkPreemption *self, const LkAccounts *accounts, guint32 qos, const char *list)
{
  while (*list != '\0') {
    gsize bytes = strcspn (list, ",");
    guint32 other = find_qos (accounts, list, bytes);
    if (other != LK_INDEX_NONE)
      lk_bits_add (self->preempts + (gsize)qos * self->qos_words, other);
    list += bytes;
    list += *list == ',' ? 1 : 0;
  }
}

/* Above all that it names, as far as they do not name it back. TRUE: it has risen. */
static gboolean
raise_level (LkPreemption *self, guint32 qos)
{
  const guint64 *set = self->preempts + (gsize)qos * self->qos_words;
  guint32 level = self->qos[qos].level;
  for (guint32 other = lk_bits_next (set, self->qos_words, 0); other < self->qos_count;
       other = lk_bits_next (set, self->qos_words, other + 1))
    level = MAX (level, MIN (self->qos[other].level + 1, LEVEL_MAX));
  gboolean has_risen = level > self->qos[qos].level;
  self->qos[qos].level = level;
  return has_risen;
}

void
lk_preemption_read_qos (LkPreemption *self, const LkAccounts *accounts)
{
  g_free (self->qos);
  g_free (self->preempts);
  self->qos_count = accounts->qos->len;
  self->qos_words = lk_bits_words (self->qos_count);
  self->qos = g_new0 (LkPreemptTerms, self->qos_count);
  self->preempts = g_new0 (guint64, (gsize)self->qos_count * self->qos_words);
  for (guint32 i = 0; i < self->qos_count; i++) {
    const LkQosSpec *spec = g_ptr_array_index (accounts->qos, i);
    self->qos[i] = (LkPreemptTerms){ .size = sizeof (LkPreemptTerms),
                                     .mode = mode_of (spec->preempt_mode),
                                     .within = has_word (spec->preempt_mode, "within") ? 1 : 0,
                                     .grace_us = spec->grace_us,
                                     .exempt_us = spec->preempt_exempt_us };
    read_list (self, accounts, i, spec->preempt);
  }
  for (gboolean has_risen = TRUE; has_risen;) {
    has_risen = FALSE;
    for (guint32 i = 0; i < self->qos_count; i++)
      has_risen = raise_level (self, i) || has_risen;
  }
}

/* ---------------------------------------------------------------- partitions */

static gboolean
have_common_node (const LkMachine *machine, guint32 a, guint32 b)
{
  for (guint32 word = 0; word < machine->nodes.node_words; word++)
    if ((machine->partitions[a].nodes[word] & machine->partitions[b].nodes[word]) != 0)
      return TRUE;
  return FALSE;
}

/* A counted pool is one partition of which nothing is said. */
static void
read_partitions (LkPreemption *self, const LkMachine *machine)
{
  self->partition_count = machine != NULL ? machine->partition_count : 1;
  self->partition_words = lk_bits_words (self->partition_count);
  self->partitions = g_new0 (LkPreemptTerms, self->partition_count);
  self->meets = g_new0 (guint64, (gsize)self->partition_count * self->partition_words);
  for (guint32 i = 0; i < self->partition_count; i++) {
    self->partitions[i] = (LkPreemptTerms){
      .size = sizeof (LkPreemptTerms), .mode = LK_PREEMPT_UNSET, .level = 1, .exempt_us = -1
    };
    lk_bits_add (self->meets + (gsize)i * self->partition_words, i);
    if (machine == NULL)
      continue;
    const LkPartitionSpec *spec = machine->partitions[i].spec;
    self->partitions[i].mode = mode_of (spec->preempt_mode);
    self->partitions[i].level = spec->priority_tier;
    self->partitions[i].grace_us = spec->grace_us;
    for (guint32 other = 0; other < self->partition_count; other++)
      if (have_common_node (machine, i, other))
        lk_bits_add (self->meets + (gsize)i * self->partition_words, other);
  }
}

/* ---------------------------------------------------------------- life */

LkPreemption *
lk_preemption_new (const LkPreemptPolicy *policy, void *policy_self, const LkAccounts *accounts,
                   const LkMachine *machine)
{
  if (policy == NULL || policy->may_preempt == NULL)
    return NULL;
  LkPreemption *self = g_new0 (LkPreemption, 1);
  self->settings.size = sizeof self->settings;
  policy->settings (policy_self, &self->settings);
  if (accounts != NULL)
    lk_preemption_read_qos (self, accounts);
  read_partitions (self, machine);
  self->wake_us = LK_TIME_NEVER;
  self->victims = g_array_new (FALSE, FALSE, sizeof (LkJobIndex));
  self->rooms = g_array_new (FALSE, FALSE, sizeof (LkPreemptFor));
  self->claims = g_array_new (FALSE, FALSE, sizeof (LkPreemptClaim));
  if (machine != NULL) {
    self->claimed_first = g_new (guint32, machine->nodes.node_count);
    for (guint32 node = 0; node < machine->nodes.node_count; node++)
      self->claimed_first[node] = LK_PIECE_NONE;
  }
  return self;
}

void
lk_preemption_free (LkPreemption *self)
{
  if (self == NULL)
    return;
  g_free (self->qos);
  g_free (self->preempts);
  g_free (self->partitions);
  g_free (self->meets);
  g_free (self->marks);
  g_free (self->levels);
  g_array_unref (self->victims);
  g_array_unref (self->rooms);
  g_array_unref (self->claims);
  g_free (self->claimed_first);
  g_free (self);
}

void
lk_preemption_reserve (LkPreemption *self, guint32 limit)
{
  if (self->limit >= limit)
    return;
  limit = MAX (limit, 2 * self->limit);
  self->marks = g_renew (LkPreemptMark, self->marks, limit);
  self->levels = g_renew (guint32, self->levels, limit);
  for (guint32 job = self->limit; job < limit; job++) {
    self->marks[job] = (LkPreemptMark){ .claim_us = LK_TIME_NEVER };
    self->levels[job] = 0;
  }
  self->limit = limit;
}

/* ---------------------------------------------------------------- bytes */

void
lk_preempt_mark_save (const LkPreemptMark *self, GByteArray *out)
{
  lk_append_u8 (out, self->mode);
  lk_append_i64 (out, self->preempt_us);
  lk_append_i64 (out, self->claim_us);
}

gboolean
lk_preempt_mark_load (LkPreemptMark *self, LkBytesReader *reader)
{
  self->mode = lk_take_u8 (reader);
  self->preempt_us = lk_take_i64 (reader);
  self->claim_us = lk_take_i64 (reader);
  return !reader->failed && self->mode <= LK_PREEMPT_REQUEUE;
}
