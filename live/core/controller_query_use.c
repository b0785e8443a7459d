/* live/core/controller_query_use.c — what counts in associations and QOS, as clients are told. */
#include "engine/book.h"
#include "live/core/controller_query.h"

/* The nodes of so many are counted in one walk over the jobs. */
#define HOLDERS_AT_ONCE 64u

static void
append_tres (GString *out, const char *name, guint64 value)
{
  g_string_append_printf (out, "%s%s=%" G_GUINT64_FORMAT, out->len > 0 ? "," : "", name, value);
}

/* "cpu=6,mem=3000". */
static char *
counts_text (const LkBook *book, const guint64 *counts)
{
  GString *out = g_string_new (NULL);
  for (guint32 t = 0; t < book->tres_count; t++)
    append_tres (out, book->tres_names[t], counts[t]);
  return g_string_free (out, FALSE);
}

/* The same of reals, without what is behind the point. */
static char *
reals_text (const LkBook *book, const double *reals)
{
  GString *out = g_string_new (NULL);
  for (guint32 t = 0; t < book->tres_count; t++)
    append_tres (out, book->tres_names[t], (guint64)reals[t]);
  return g_string_free (out, FALSE);
}

static LkLongText
long_text_of (const char *text)
{
  return (LkLongText){ text, (guint32)strlen (text) };
}

/* Whose use the holder's is. */
static void
scope_of (const LkBook *book, guint32 holder, LkRecord_use *out)
{
  guint32 associations = book->view.association_count;
  guint32 qos = book->view.qos_count;
  out->scope = LK_USE_ASSOCIATION;
  out->place = holder;
  if (holder < associations)
    return;
  out->scope = LK_USE_QOS;
  out->place = holder - associations;
  if (out->place < qos)
    return;
  const LkInQosKey *key = &g_array_index (book->in_qos_keys, LkInQosKey, out->place - qos);
  gboolean is_user = key->which == LK_IN_QOS_USER;
  out->scope = is_user ? LK_USE_USER_IN_QOS : LK_USE_ACCOUNT_IN_QOS;
  out->place = key->qos;
  out->name =
      lk_query_text (g_ptr_array_index (is_user ? book->user_names : book->account_names, key->id));
}

/* `node_count`: in use, each once. */
static void
tell_use (const LkBook *book, guint32 holder, guint64 node_count, GByteArray *out)
{
  const LkUse *use = lk_book_holder (book, holder)->use;
  g_autofree guint64 *counts = g_memdup2 (use->tres, book->tres_count * sizeof *counts);
  counts[LK_TRES_NODE] = node_count;
  g_autofree char *tres = counts_text (book, counts);
  g_autofree char *tres_run_s = counts_text (book, use->tres_run_s);
  g_autofree char *tres_s = reals_text (book, use->tres_s);
  LkRecord record = { .kind = LK_RECORD_USE };
  record.use = (LkRecord_use){ .running = use->running,
                               .submitted = use->submitted,
                               .accruing = use->accruing,
                               .usage = use->usage,
                               .wall_s = use->wall_s,
                               .tres = long_text_of (tres),
                               .tres_run_s = long_text_of (tres_run_s),
                               .tres_s = long_text_of (tres_s) };
  scope_of (book, holder, &record.use);
  lk_record_append (&record, out);
}

void
lk_query_use (LkController *self, guint32 *next, GByteArray *out)
{
  const LkBook *book = lk_engine_book (self->engine);
  guint64 nodes[HOLDERS_AT_ONCE];
  guint32 first = *next;
  *next = 0;
  if (book == NULL || first >= book->holders->len)
    return;
  guint32 count = MIN (HOLDERS_AT_ONCE, book->holders->len - first);
  lk_engine_book_nodes (self->engine, first, count, nodes);
  for (guint32 i = 0; i < count; i++)
    tell_use (book, first + i, nodes[i], out);
  if (first + count < book->holders->len)
    *next = first + count;
}
