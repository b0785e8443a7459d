/* sim/report_reservations.c — the advance reservations, one a line, as `scontrol show reservation
 * -o` prints them.  Source: scontrol(1), slurm_sprint_reservation_info of Slurm. */
#include <string.h>

#include "engine/bits.h"
#include "engine/hostlist.h"
#include "engine/reservation.h"
#include "sim/error.h"
#include "sim/report_private.h"

typedef struct {
  const LkReportState *state;
  const LkAdvanceReservation *item;
  gint64 from_us;
  gint64 to_us;
  guint node_count;
  GString *nodes;
  GString *licenses;
} Row;

/* "=HH:MM:SS", in whole seconds. */
static void
append_time (gint64 time_us, GString *out)
{
  gint64 rest_s = time_us / G_USEC_PER_SEC;
  g_string_append_printf (out, "=%02" G_GINT64_FORMAT ":%02" G_GINT64_FORMAT ":%02" G_GINT64_FORMAT,
                          rest_s / 3600, rest_s / 60 % 60, rest_s % 60);
}

static void
append_flags (const LkAdvanceReservation *item, GString *out)
{
  static const struct {
    guint32 flag;
    const char *word;
  } words[] = {
#define X(NAME, bit, word) { LK_RESERVATION_##NAME, word },
    LK_RESERVATION_FLAGS (X)
#undef X
  };
  gsize before = out->len;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if ((item->flags & words[i].flag) != 0) {
      g_string_append_printf (out, "%s%s", out->len > before ? "," : "", words[i].word);
      if (words[i].flag == LK_RESERVATION_PURGE_COMP && item->asked.purge_us > 0)
        append_time (item->asked.purge_us, out);
    }
}

static void
fill_nodes (Row *self)
{
  const LkNodeTable *nodes = lk_engine_nodes (self->state->engine);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint32 node = 0; self->item->nodes != NULL && node < nodes->node_count; node++)
    if (lk_bits_has (self->item->nodes, node))
      g_ptr_array_add (names, nodes->names[node]);
  self->node_count = names->len;
  if (names->len > 0)
    lk_hostlist_compress ((const char *const *)names->pdata, names->len, self->nodes);
}

static void
fill_licenses (Row *self)
{
  const LkMachine *machine = lk_engine_machine (self->state->engine);
  const GArray *licenses = self->item->licenses;
  for (guint i = 0; licenses != NULL && i < licenses->len; i++) {
    const LkLicenseDemand *demand = &g_array_index (licenses, LkLicenseDemand, i);
    const LkLicenseSpec *spec = g_ptr_array_index (machine->cluster->licenses, demand->license);
    g_string_append_printf (self->licenses, "%s%s:%u", i > 0 ? "," : "", spec->name, demand->count);
  }
}

/* ---------------------------------------------------------------- text */

/* "Key=value", and "(null)" for what is not said. */
static void
append_text (GString *out, const char *key, const char *value, gsize length_bytes)
{
  g_string_append_printf (out, " %s=%.*s", key, length_bytes > 0 ? (int)length_bytes : 6,
                          length_bytes > 0 ? value : "(null)");
}

static void
append_asked (GString *out, const char *key, LkText text)
{
  append_text (out, key, text.bytes, text.length_bytes);
}

static void
append_span (const Row *self, GString *out)
{
  gint64 whole_s = (self->to_us - self->from_us) / G_USEC_PER_SEC;
  g_string_append (out, " StartTime=");
  lk_report_time (self->state, self->from_us, out);
  g_string_append (out, " EndTime=");
  lk_report_time (self->state, self->to_us, out);
  g_string_append (out, " Duration=");
  if (whole_s >= 86400)
    g_string_append_printf (out, "%d-", (int)(whole_s / 86400));
  g_string_append_printf (out, "%02d:%02d:%02d", (int)(whole_s % 86400 / 3600),
                          (int)(whole_s % 3600 / 60), (int)(whole_s % 60));
}

static gboolean
is_active (const Row *self)
{
  return self->from_us <= self->state->at_us && self->to_us > self->state->at_us;
}

static void
append_row (const Row *self, GString *out)
{
  const LkAdvanceReservation *item = self->item;
  g_autoptr (GString) flags = g_string_new (NULL);
  append_flags (item, flags);
  g_string_append_printf (out, "ReservationName=%s", item->name);
  append_span (self, out);
  append_text (out, "Nodes", self->nodes->str, self->nodes->len);
  g_string_append_printf (out, " NodeCnt=%u CoreCnt=%u", self->node_count, item->core_count);
  append_asked (out, "Features", item->asked.features);
  append_asked (out, "PartitionName", item->asked.partition);
  g_string_append_printf (out, " Flags=%s", flags->str);
  append_asked (out, "TRES", item->asked.tres);
  append_asked (out, "Users", item->asked.users);
  append_asked (out, "Groups", item->asked.groups);
  append_asked (out, "Accounts", item->asked.accounts);
  append_text (out, "Licenses", self->licenses->str, self->licenses->len);
  append_asked (out, "QOS", item->asked.qos);
  append_asked (out, "AllowedPartitions", item->asked.partitions);
  g_string_append_printf (out, " State=%s\n", is_active (self) ? "ACTIVE" : "INACTIVE");
}

/* ---------------------------------------------------------------- JSON */

static void
json_asked (LkJsonOut *json, const char *key, LkText text)
{
  g_autofree char *copy = text.length_bytes > 0 ? g_strndup (text.bytes, text.length_bytes) : NULL;
  lk_json_out_text (json, key, copy);
}

static void
json_row (const Row *self, LkJsonOut *json)
{
  const LkAdvanceReservation *item = self->item;
  g_autoptr (GString) flags = g_string_new (NULL);
  append_flags (item, flags);
  lk_json_out_object_begin (json, NULL);
  lk_json_out_text (json, "name", item->name);
  lk_json_out_seconds (json, "start_s", self->from_us);
  lk_json_out_seconds (json, "end_s", self->to_us);
  lk_json_out_text (json, "nodes", self->nodes->str);
  lk_json_out_count (json, "node_count", self->node_count);
  lk_json_out_count (json, "core_count", item->core_count);
  lk_json_out_text (json, "licenses", self->licenses->str);
  lk_json_out_text (json, "flags", flags->str);
  json_asked (json, "users", item->asked.users);
  json_asked (json, "groups", item->asked.groups);
  json_asked (json, "accounts", item->asked.accounts);
  json_asked (json, "qos", item->asked.qos);
  json_asked (json, "partitions", item->asked.partitions);
  lk_json_out_text (json, "state", is_active (self) ? "ACTIVE" : "INACTIVE");
  lk_json_out_object_end (json);
}

/* ---------------------------------------------------------------- the report */

gboolean
lk_report_reservations_check (const LkEngineConfig *config, GError **error)
{
  if (config->cluster != NULL)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_USAGE, "reservations need --cluster");
  return FALSE;
}

static void
write_row (const LkReportOut *out, const LkAdvanceReservation *item)
{
  g_autoptr (GString) nodes = g_string_new (NULL);
  g_autoptr (GString) licenses = g_string_new (NULL);
  Row row = { .state = out->state, .item = item, .nodes = nodes, .licenses = licenses };
  lk_reservation_span (item, out->state->at_us, &row.from_us, &row.to_us);
  fill_nodes (&row);
  fill_licenses (&row);
  if (out->text != NULL)
    append_row (&row, out->text);
  else
    json_row (&row, out->json);
}

void
lk_report_reservations (const LkReportOut *out)
{
  const LkReservationTable *table = lk_engine_reservations (out->state->engine);
  if (out->text == NULL)
    lk_json_out_array_begin (out->json, "reservations");
  else if (table->items->len == 0)
    g_string_append (out->text, "No reservations in the system\n");
  for (guint i = 0; i < table->items->len; i++)
    write_row (out, g_ptr_array_index (table->items, i));
  if (out->text == NULL)
    lk_json_out_array_end (out->json);
}
