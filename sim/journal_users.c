/* sim/journal_users.c — see journal_users.h. */
#include "sim/journal_users.h"

#include "sim/journal_file.h"

struct _LkJournalUsers {
  GHashTable *names; /* of user number */
};

static void
take (LkJournalUsers *self, const LkEvent_submit *submit)
{
  gpointer key = GUINT_TO_POINTER (submit->user_id);
  if (submit->user.length_bytes > 0 && !g_hash_table_contains (self->names, key))
    g_hash_table_insert (self->names, key,
                         g_strndup (submit->user.bytes, submit->user.length_bytes));
}

LkJournalUsers *
lk_journal_users_new (const char *path, GError **error)
{
  LkEvent event;
  LkJournalInput input;
  if (!lk_journal_input_open (&input, path, error))
    return NULL;
  LkJournalUsers *self = g_new (LkJournalUsers, 1);
  self->names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  while (lk_journal_reader_next (input.reader, &event) == LK_JOURNAL_EVENT)
    if (event.kind == LK_EVENT_SUBMIT)
      take (self, &event.submit);
  lk_journal_input_close (&input);
  return self;
}

void
lk_journal_users_free (LkJournalUsers *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->names);
  g_free (self);
}

const char *
lk_journal_users_name (const LkJournalUsers *self, guint32 user_id)
{
  return g_hash_table_lookup (self->names, GUINT_TO_POINTER (user_id));
}
