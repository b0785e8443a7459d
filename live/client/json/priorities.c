/* live/client/json/priorities.c — see the header. */
#include "live/client/json/priorities.h"

#include "live/client/json/put.h"
#include "live/client/json/shapes.h"
#include "live/client/json/things.h"
#include "traces/sprio_table.h"

#define STRING(text) lk_put_string (out, text)
#define TERM(i) lk_put_real (out, row->terms[i])

/* The terms stand in the order of LkSprioRow. */
#define PRIORITY_MEMBERS(X)                                                                        \
  X (job_id, lk_put_count (out, g_ascii_strtoll (row->job, NULL, 10)))                             \
  X (user, STRING (row->user))                                                                     \
  X (account, STRING (row->account))                                                               \
  X (qos, STRING (row->qos))                                                                       \
  X (partition, STRING (row->partition))                                                           \
  X (priority, lk_put_count (out, row->priority))                                                  \
  X (is_direct, lk_put_flag (out, row->is_direct))                                                 \
  X (age_term, TERM (0))                                                                           \
  X (association_term, TERM (1))                                                                   \
  X (fairshare_term, TERM (2))                                                                     \
  X (job_size_term, TERM (3))                                                                      \
  X (partition_term, TERM (4))                                                                     \
  X (qos_term, TERM (5))                                                                           \
  X (tres_term, lk_put_real (out, row->tres_term))                                                 \
  X (tres_terms, lk_put_bytes_or_null (out, row->tres_terms, strlen (row->tres_terms)))            \
  X (nice, lk_put_count (out, row->nice))                                                          \
  X (site_factor, lk_put_count (out, row->site_factor))

#define X(name, what)                                                                              \
  static void member_##name (GString *out, gconstpointer report, gconstpointer given)              \
  {                                                                                                \
    const LkSprioRow *row = given;                                                                 \
    (void)report;                                                                                  \
    what;                                                                                          \
  }
PRIORITY_MEMBERS (X)
#undef X

void
lk_json_priorities (const LkClient *client, const LkJsonChoice *choice, const GPtrArray *rows)
{
#define X(name, what) { #name, member_##name },
  static const LkShapeMember members[] = { PRIORITY_MEMBERS (X){ NULL, NULL } };
#undef X
  static const LkJsonKind kind = { "priorities", lk_shape_own_priority, members };
  const LkJsonChoice own = {
    .is_wanted = TRUE, .is_own = TRUE, .is_yaml = choice->is_yaml, .version = LK_SHAPE_OWN
  };
  g_autofree char *cluster = lk_json_cluster (client);
  LkJson json;
  lk_json_begin (&json, client, &own, cluster);
  lk_json_open (&json, &kind);
  for (guint i = 0; i < rows->len; i++)
    lk_json_row (&json, NULL, g_ptr_array_index (rows, i));
  lk_json_close (&json);
  lk_json_end (&json);
}
