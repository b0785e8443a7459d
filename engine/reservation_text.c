/* engine/reservation_text.c — what was asked of a reservation, taken apart: flags, times, and who
 * may use it; and a reservation as bytes.
 *
 * A list of names either says who may, or, with - before each, who may not.  A user may also be
 * written as a number.  With users and accounts both must agree; an account stands for all below
 * it.  Source: scontrol(1), Users, Accounts; slurmctld, _valid_job_access_resv. */
#include <string.h>

#include "engine/assert.h"
#include "engine/carry.h"
#include "engine/checked.h"
#include "engine/request_text.h"
#include "engine/reservation.h"

/* ---------------------------------------------------------------- flags */

static const struct {
  const char *word;
  guint32 flag;
} flag_words[] = {
#define X(NAME, bit, word) { word, LK_RESERVATION_##NAME },
  LK_RESERVATION_FLAGS (X)
#undef X
  /* Other words of other versions for the same. */
  { "NO_HOLD_JOBS_AFTER_END", LK_RESERVATION_NO_HOLD_JOBS_AFTER },
  { "STATIC", LK_RESERVATION_STATIC_ALLOC },
};

gboolean
lk_reservation_flags_read (LkText text, guint32 *out_flags)
{
  LkSpan rest = lk_span_of (text);
  LkSpan part;
  *out_flags = 0;
  while (lk_next_part (&rest, ',', &part)) {
    guint i = 0;
    while (i < G_N_ELEMENTS (flag_words)
           && (strlen (flag_words[i].word) != part.length_bytes
               || g_ascii_strncasecmp (flag_words[i].word, part.at, part.length_bytes) != 0))
      i++;
    if (i == G_N_ELEMENTS (flag_words))
      return FALSE;
    *out_flags |= flag_words[i].flag;
  }
  return TRUE;
}

/* ---------------------------------------------------------------- lists of names */

static gboolean
read_names (LkText text, LkNameList *out_list)
{
  LkSpan rest = lk_span_of (text);
  LkSpan part;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  guint denied_count = 0;
  if (text.length_bytes == 0)
    return TRUE;
  while (lk_next_part (&rest, ',', &part)) {
    gboolean is_denied = part.length_bytes > 0 && part.at[0] == '-';
    gsize skip_bytes = is_denied ? 1 : 0;
    if (part.length_bytes == skip_bytes)
      return FALSE;
    denied_count += is_denied ? 1 : 0;
    g_ptr_array_add (names, g_strndup (part.at + skip_bytes, part.length_bytes - skip_bytes));
  }
  if (denied_count != 0 && denied_count != names->len)
    return FALSE;
  out_list->is_denied = denied_count != 0;
  g_ptr_array_add (names, NULL);
  out_list->names = (char **)g_ptr_array_free (g_steal_pointer (&names), FALSE);
  return TRUE;
}

static gboolean
names_have_part (const LkNameList *list, LkSpan name)
{
  for (guint i = 0; name.length_bytes > 0 && list->names[i] != NULL; i++)
    if (strlen (list->names[i]) == name.length_bytes
        && g_ascii_strncasecmp (list->names[i], name.at, name.length_bytes) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
names_have (const LkNameList *list, const char *name)
{
  return name != NULL && names_have_part (list, (LkSpan){ name, strlen (name) });
}

/* One of several groups, with commas between. */
static gboolean
names_have_group (const LkNameList *list, const char *groups)
{
  LkSpan rest = { groups != NULL && groups[0] != '\0' ? groups : NULL,
                  groups != NULL ? strlen (groups) : 0 };
  LkSpan part;
  while (lk_next_part (&rest, ',', &part))
    if (names_have_part (list, part))
      return TRUE;
  return FALSE;
}

/* A list of user ids alone decides without the user's name. */
static gboolean
are_numbers (const LkNameList *list)
{
  for (guint i = 0; list->names[i] != NULL; i++)
    if (list->names[i][strspn (list->names[i], "0123456789")] != '\0')
      return FALSE;
  return TRUE;
}

/* An unknown user or group is shut out by either kind of list: it may be one that is denied. */
static gboolean
shuts_out (const LkNameList *list, gboolean is_listed, gboolean is_known)
{
  return list->is_denied ? is_listed || !is_known : !is_listed;
}

static gboolean
names_have_user (const LkNameList *list, const LkReservationVisitor *visitor)
{
  char number[16];
  guint at = sizeof number;
  guint32 rest = visitor->user_id;
  number[--at] = '\0';
  do {
    number[--at] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  return names_have (list, number + at) || names_have (list, visitor->user);
}

static gboolean
names_have_account (const LkNameList *list, const LkReservationVisitor *visitor)
{
  if (names_have (list, visitor->account))
    return TRUE;
  for (guint i = 0; visitor->accounts_above != NULL && visitor->accounts_above[i] != NULL; i++)
    if (names_have (list, visitor->accounts_above[i]))
      return TRUE;
  return FALSE;
}

/* ---------------------------------------------------------------- who */

gboolean
lk_reservation_allows (const LkAdvanceReservation *self, const LkReservationVisitor *visitor)
{
  if ((self->flags & LK_RESERVATION_TIME_FLOAT) != 0)
    return FALSE;
  if (visitor->user_id == 0)
    return TRUE;
  const LkNameList *users = &self->users;
  const LkNameList *groups = &self->groups;
  if (users->names != NULL
      && shuts_out (users, names_have_user (users, visitor),
                    visitor->user[0] != '\0' || are_numbers (users)))
    return FALSE;
  if (groups->names != NULL
      && shuts_out (groups, names_have_group (groups, visitor->group), visitor->group[0] != '\0'))
    return FALSE;
  return self->accounts.names == NULL
         || names_have_account (&self->accounts, visitor) != (self->accounts.is_denied != FALSE);
}

gboolean
lk_reservation_admits (const LkAdvanceReservation *self, const LkReservationVisitor *visitor)
{
  if (visitor->user_id == 0)
    return TRUE;
  if (self->qos.names != NULL
      && names_have (&self->qos, visitor->qos) == (self->qos.is_denied != FALSE))
    return FALSE;
  return self->partitions.names == NULL
         || names_have (&self->partitions, visitor->partition)
                != (self->partitions.is_denied != FALSE);
}

/* ---------------------------------------------------------------- texts of one's own */

#define ROOM_u32(value) 0
#define ROOM_i64(value) 0
#define ROOM_text(value) ((gsize)(value).length_bytes + 1)
#define MOVE_u32(at, value) (value)
#define MOVE_i64(at, value) (value)
#define MOVE_text(at, value) move_text (at, value)

static LkText
move_text (char **at, LkText text)
{
  LkText moved = { *at, text.length_bytes };
  if (text.length_bytes > 0)
    memcpy (*at, text.bytes, text.length_bytes);
  (*at)[text.length_bytes] = '\0';
  *at += (gsize)text.length_bytes + 1;
  return moved;
}

static void
own_texts (LkAdvanceReservation *self, const LkReservationAsked *asked)
{
  gsize room_bytes = 0;
#define F(type, name, help) room_bytes += ROOM_##type (asked->name);
  LK_RESERVATION_FIELDS (F)
#undef F
  self->texts = g_malloc (room_bytes);
  char *at = self->texts;
#define F(type, name, help) self->asked.name = MOVE_##type (&at, asked->name);
  LK_RESERVATION_FIELDS (F)
#undef F
}

/* ---------------------------------------------------------------- reading */

static gboolean
read_lists (LkAdvanceReservation *self)
{
  return read_names (self->asked.users, &self->users)
         && read_names (self->asked.accounts, &self->accounts)
         && read_names (self->asked.groups, &self->groups)
         && read_names (self->asked.qos, &self->qos)
         && read_names (self->asked.partitions, &self->partitions)
         /* Slurm turns groups into users: there are one or the other. */
         && (self->users.names == NULL || self->groups.names == NULL)
         && (self->users.names != NULL || self->accounts.names != NULL || self->groups.names != NULL
             || self->qos.names != NULL || self->partitions.names != NULL);
}

/* One of those that recur, and no contradiction. */
static gboolean
flags_agree (guint32 flags)
{
  guint32 recurs = flags & LK_RESERVATION_RECURS;
  guint32 replace =
      flags & (LK_RESERVATION_REPLACE | LK_RESERVATION_REPLACE_DOWN | LK_RESERVATION_STATIC_ALLOC);
  gboolean changes = (replace & ~(guint32)LK_RESERVATION_STATIC_ALLOC) != 0;
  return (recurs & (recurs - 1)) == 0 && (replace & (replace - 1)) == 0
         && ((flags & LK_RESERVATION_MAINT) == 0 || !changes)
         && ((flags & LK_RESERVATION_TIME_FLOAT) == 0 || recurs == 0);
}

static LkReject
read (LkAdvanceReservation *self)
{
  LkReservationAsked *asked = &self->asked;
  if (!lk_reservation_flags_read (asked->flags, &self->flags) || !flags_agree (self->flags))
    return LK_REJECT_RESERVATION_FLAGS;
  if (!read_lists (self))
    return LK_REJECT_RESERVATION_ACCESS;
  /* Nothing acts on a start that may be late. */
  if (asked->max_start_delay_us > 0)
    return LK_REJECT_RESERVATION_BAD;
  if (asked->duration_us <= 0 || asked->max_start_delay_us < 0 || asked->purge_us < 0
      || ((self->flags & LK_RESERVATION_TIME_FLOAT) != 0 && asked->start_us < 0))
    return LK_REJECT_TIME_INVALID;
  if (asked->duration_us == LK_TIME_NEVER)
    asked->duration_us = LK_RESERVATION_YEAR_US;
  if (asked->purge_us > 0)
    self->flags |= LK_RESERVATION_PURGE_COMP;
  self->start_us = asked->start_us;
  self->end_us = lk_time_add_us (asked->start_us, asked->duration_us);
  return self->end_us < LK_TIME_NEVER ? 0 : LK_REJECT_TIME_INVALID;
}

LkReject
lk_reservation_read (const LkReservationAsked *asked, LkAdvanceReservation **out)
{
  LkAdvanceReservation *self = g_new0 (LkAdvanceReservation, 1);
  own_texts (self, asked);
  self->idle_us = LK_TIME_NEVER;
  LkReject reject = read (self);
  if (reject != 0)
    lk_reservation_free (self);
  else
    *out = self;
  return reject;
}

static void
free_names (LkNameList *list)
{
  for (guint i = 0; list->names != NULL && list->names[i] != NULL; i++)
    g_free (list->names[i]);
  g_free (list->names);
}

void
lk_reservation_free (LkAdvanceReservation *self)
{
  LkNameList *lists[] = { &self->users, &self->accounts, &self->groups, &self->qos,
                          &self->partitions };
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    free_names (lists[i]);
  if (self->licenses != NULL)
    g_array_unref (self->licenses);
  g_free (self->name);
  g_free (self->texts);
  g_free (self->nodes);
  g_free (self->cores);
  g_free (self->devices);
  g_free (self);
}

/* ---------------------------------------------------------------- bytes */

#define APPEND_u32(out, value) lk_append_u32 (out, value)
#define APPEND_i64(out, value) lk_append_i64 (out, value)
#define APPEND_text(out, value) append_text (out, value)
#define TAKE_u32(reader) lk_take_u32 (reader)
#define TAKE_i64(reader) lk_take_i64 (reader)
#define TAKE_text(reader) take_text (reader)

static void
append_text (GByteArray *out, LkText text)
{
  lk_append_u32 (out, text.length_bytes);
  if (text.length_bytes > 0)
    g_byte_array_append (out, (const guint8 *)text.bytes, text.length_bytes);
}

static LkText
take_text (LkBytesReader *reader)
{
  guint32 length_bytes = lk_take_u32 (reader);
  const guint8 *at = length_bytes <= G_MAXUINT16 ? lk_take (reader, length_bytes) : NULL;
  if (at == NULL || !g_utf8_validate_len ((const char *)at, length_bytes, NULL)) {
    reader->failed = TRUE;
    return (LkText){ NULL, 0 };
  }
  return (LkText){ (const char *)at, (guint16)length_bytes };
}

static void
append_words (GByteArray *out, const guint64 *words, gsize count)
{
  for (gsize i = 0; i < count; i++)
    lk_append_u64 (out, words[i]);
}

static guint64 *
take_words (LkBytesReader *reader, gsize count)
{
  if (reader->failed || reader->left_bytes / 8 < count) {
    reader->failed = TRUE;
    return NULL;
  }
  guint64 *words = g_new (guint64, count);
  for (gsize i = 0; i < count; i++)
    words[i] = lk_take_u64 (reader);
  return words;
}

/* What a reservation has: 1 nodes, 2 parts of them. */
#define HAS_NODES 1u
#define HAS_PARTS 2u

static void
save_one (const LkReservationTable *self, const LkAdvanceReservation *item, GByteArray *out)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  lk_append_u32 (out, item->number);
  append_text (out, lk_text (item->name));
#define F(type, name, help) APPEND_##type (out, item->asked.name);
  LK_RESERVATION_FIELDS (F)
#undef F
  lk_append_u32 (out, item->flags);
  lk_append_i64 (out, item->start_us);
  lk_append_i64 (out, item->end_us);
  lk_append_i64 (out, item->since_us);
  lk_append_i64 (out, item->idle_us);
  lk_append_u8 (out, item->is_active != FALSE);
  lk_append_u8 (
      out, (guint8)((item->nodes != NULL ? HAS_NODES : 0) | (item->cores != NULL ? HAS_PARTS : 0)));
  if (item->nodes != NULL)
    append_words (out, item->nodes, nodes->node_words);
  if (item->cores != NULL) {
    append_words (out, item->cores, (gsize)nodes->node_count * nodes->core_words);
    append_words (out, item->devices, nodes->node_count);
  }
  lk_append_u32 (out, item->licenses != NULL ? item->licenses->len : 0);
  for (guint i = 0; item->licenses != NULL && i < item->licenses->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (item->licenses, LkLicenseDemand, i);
    lk_append_u32 (out, demand->license);
    lk_append_u32 (out, demand->count);
  }
}

void
lk_reservations_save (const LkReservationTable *self, GByteArray *out)
{
  lk_append_u32 (out, self->number_last);
  lk_append_u32 (out, self->items->len);
  for (guint i = 0; i < self->items->len; i++)
    save_one (self, g_ptr_array_index (self->items, i), out);
}

/* NOLINTBEGIN(clang-analyzer-core.*): take_words() has filled all of the words that are read here,
 * as many for each node as the table has; the analyzer cannot see it. */
/* Every core and GPU is one that its node has, and on a node of the set. */
static gboolean
parts_are_possible (const LkReservationTable *self, LkAdvanceReservation *item)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  item->core_count = 0;
  for (guint32 node = 0; node < nodes->node_count; node++) {
    const LkNodeKind *kind = lk_node_kind (nodes, node);
    const guint64 *cores = item->cores + (gsize)node * nodes->core_words;
    gboolean is_member = lk_bits_has (item->nodes, node);
    guint64 devices = is_member ? lk_bits_range (0, kind->device_count) : 0;
    if ((item->devices[node] & ~devices) != 0)
      return FALSE;
    for (guint32 word = 0; word < nodes->core_words; word++) {
      guint64 usable = is_member ? kind->cores_usable[word] : 0;
      if ((cores[word] | usable) != usable)
        return FALSE;
    }
    item->core_count += lk_bits_count (cores, nodes->core_words);
    item->has_devices = item->has_devices || item->devices[node] != 0;
  }
  return TRUE;
}
/* NOLINTEND(clang-analyzer-core.*) */

static gboolean
load_nodes (const LkReservationTable *self, const LkCarry *carry, LkAdvanceReservation *item,
            LkBytesReader *reader)
{
  const LkNodeTable *nodes = &self->machine->nodes;
  guint8 has = lk_take_u8 (reader);
  if (has == 0)
    return TRUE;
  if ((has & HAS_NODES) == 0 || has > (HAS_NODES | HAS_PARTS))
    return FALSE;
  item->nodes = carry != NULL ? lk_carry_load_node_set (carry, nodes, reader)
                              : take_words (reader, nodes->node_words);
  if (item->nodes == NULL
      || lk_bits_next (item->nodes, nodes->node_words, nodes->node_count) < nodes->node_words * 64)
    return FALSE;
  lk_reservation_count_cores (self, item);
  if ((has & HAS_PARTS) == 0)
    return TRUE;
  if (carry != NULL) {
    item->cores =
        lk_carry_load_node_words (carry, nodes, carry->core_words, nodes->core_words, reader);
    item->devices = lk_carry_load_node_words (carry, nodes, 1, 1, reader);
  } else {
    item->cores = take_words (reader, (gsize)nodes->node_count * nodes->core_words);
    item->devices = take_words (reader, nodes->node_count);
  }
  return item->cores != NULL && item->devices != NULL && parts_are_possible (self, item);
}

static gboolean
load_licenses (const LkReservationTable *self, const LkCarry *carry, LkAdvanceReservation *item,
               LkBytesReader *reader)
{
  guint32 count = lk_take_u32 (reader);
  if (count > (carry != NULL ? carry->license_count : self->machine->license_count))
    return FALSE;
  if (count > 0)
    item->licenses = g_array_new (FALSE, FALSE, sizeof (LkLicenseDemand));
  for (guint32 i = 0; i < count; i++) {
    LkLicenseDemand demand = { .license = lk_take_u32 (reader) };
    demand.count = lk_take_u32 (reader);
    if (carry != NULL)
      demand.license =
          demand.license < carry->license_count ? carry->licenses[demand.license] : LK_INDEX_NONE;
    if (reader->failed || demand.license >= self->machine->license_count
        || demand.count > self->machine->licenses_total[demand.license])
      return FALSE;
    g_array_append_val (item->licenses, demand);
  }
  return !reader->failed;
}

static gboolean
load_state (const LkReservationTable *self, const LkCarry *carry, LkAdvanceReservation *item,
            LkBytesReader *reader)
{
  item->flags = lk_take_u32 (reader);
  item->start_us = lk_take_i64 (reader);
  item->end_us = lk_take_i64 (reader);
  item->since_us = lk_take_i64 (reader);
  item->idle_us = lk_take_i64 (reader);
  guint8 is_active = lk_take_u8 (reader);
  item->is_active = is_active != 0;
  return !reader->failed && is_active <= 1 && item->end_us > item->start_us
         && load_nodes (self, carry, item, reader) && load_licenses (self, carry, item, reader)
         && (item->nodes != NULL || item->licenses != NULL);
}

static gboolean
load_one (LkReservationTable *self, const LkCarry *carry, LkBytesReader *reader)
{
  LkReservationAsked asked;
  LkAdvanceReservation *item = NULL;
  guint32 number = lk_take_u32 (reader);
  LkText name = take_text (reader);
#define F(type, name, help) asked.name = TAKE_##type (reader);
  LK_RESERVATION_FIELDS (F)
#undef F
  if (reader->failed || number == 0 || number > self->number_last || name.length_bytes == 0
      || memchr (name.bytes, '\0', name.length_bytes) != NULL
      || (self->items->len > 0
          && number <= ((const LkAdvanceReservation *)g_ptr_array_index (self->items,
                                                                         self->items->len - 1))
                           ->number)
      || lk_reservations_find (self, name.bytes, name.length_bytes) != NULL
      || lk_reservation_read (&asked, &item) != 0)
    return FALSE;
  item->number = number;
  item->name = g_strndup (name.bytes, name.length_bytes);
  if (!load_state (self, carry, item, reader)) {
    lk_reservation_free (item);
    return FALSE;
  }
  lk_reservations_add (self, item);
  return TRUE;
}

gboolean
lk_reservations_load (LkReservationTable *self, const LkCarry *carry, LkBytesReader *reader)
{
  self->number_last = lk_take_u32 (reader);
  guint32 count = lk_take_u32 (reader);
  for (guint32 i = 0; i < count && !reader->failed; i++)
    if (!load_one (self, carry, reader))
      return FALSE;
  return !reader->failed && count <= LK_LIMIT_RESERVATIONS;
}
