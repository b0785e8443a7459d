/* live/client/json/yaml.c — see the header. */
#include "live/client/json/yaml.h"

#include <yaml.h>

/* What was in brackets goes into lines of its own; what was in quotes stays in quotes, so that
 * "12" does not become a number. */
static void
event_restyle (yaml_event_t *event)
{
  if (event->type == YAML_MAPPING_START_EVENT)
    event->data.mapping_start.style = YAML_BLOCK_MAPPING_STYLE;
  else if (event->type == YAML_SEQUENCE_START_EVENT)
    event->data.sequence_start.style = YAML_BLOCK_SEQUENCE_STYLE;
  else if (event->type == YAML_DOCUMENT_START_EVENT)
    event->data.document_start.implicit = 0;
}

void
lk_json_yaml (const GString *json, gboolean is_compact, FILE *out)
{
  yaml_parser_t parser;
  yaml_emitter_t emitter;
  yaml_event_t event;
  gboolean is_over = FALSE;
  if (!yaml_parser_initialize (&parser) || !yaml_emitter_initialize (&emitter))
    g_error ("out of memory");
  yaml_parser_set_input_string (&parser, (const guchar *)json->str, json->len);
  yaml_emitter_set_output_file (&emitter, out);
  yaml_emitter_set_unicode (&emitter, 1);
  yaml_emitter_set_width (&emitter, -1);
  while (!is_over && yaml_parser_parse (&parser, &event)) {
    is_over = event.type == YAML_STREAM_END_EVENT;
    if (!is_compact)
      event_restyle (&event);
    /* The emitter takes the event, whatever becomes of it. */
    if (!yaml_emitter_emit (&emitter, &event))
      break;
  }
  yaml_emitter_delete (&emitter);
  yaml_parser_delete (&parser);
}
