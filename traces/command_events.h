/* traces/command_events.h — from the pairs of a scontrol command to the event that says the same.
 *
 * Which keys there are, and what they set, is in tables; a key that is not there is an error that
 * says so.  Texts of an event are borrowed from the command. */
#ifndef LK_TRACES_COMMAND_EVENTS_H
#define LK_TRACES_COMMAND_EVENTS_H

#include <glib.h>

#include "engine/codec.h"
#include "traces/command_script.h"

/* Fill `out_event`; FALSE with an LK_TRACE_ERROR_SYNTAX that does not name the line. */
gboolean lk_command_node_event (const LkCommand *command, LkEvent *out_event, GError **error);
/* Are all keys those of nodes, and none adds or takes away?  FALSE as above. */
gboolean lk_command_node_check (const LkCommand *command, GError **error);
gboolean lk_command_partition_event (const LkCommand *command, LkEvent *out_event, GError **error);

#endif
