/* traces/record_columns.h — the parts of a record as named columns, for writers of tables and JSON.
 *
 * First the members of LkTraceRecord, then those of its request, from the schema, so that a field
 * that is added there is written too.  In tables the columns of the request begin with "req_".
 *
 * What is not known or was not asked for is empty: -1, 0 or NULL as record.h and schema.h say.
 * Times are in seconds with as many decimals as they need; an unlimited one is "UNLIMITED"; states
 * and flags are words, flags joined by "+". */
#ifndef LK_TRACES_RECORD_COLUMNS_H
#define LK_TRACES_RECORD_COLUMNS_H

#include <glib.h>

#include "traces/record.h"

typedef struct _LkRecordColumn LkRecordColumn;

guint lk_record_column_count (void);
/* `index` < the count. Returns: (transfer none). */
const LkRecordColumn *lk_record_column (guint index);
/* "submit_s"; of the request without prefix: "nodes_min". */
const char *lk_record_column_name (const LkRecordColumn *column);
gboolean lk_record_column_is_request (const LkRecordColumn *column);

typedef enum { LK_CELL_EMPTY, LK_CELL_NUMBER, LK_CELL_TEXT } LkCellKind;

/* Appends the value as bare text; nothing when it is empty. */
LkCellKind lk_record_cell (const LkTraceRecord *record, const LkRecordColumn *column, GString *out);

/* "COMPLETED"; "" for LK_RECORD_UNKNOWN. */
const char *lk_record_state_name (LkRecordState state);

#endif
