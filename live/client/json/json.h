/* live/client/json/json.h — `--json` of all commands: which form is wanted, and what stands around
 * what is told.
 *
 * --json and --json=v0.0.42 to v0.0.45 have the members of Slurm's data_parser of that version
 * (without a version that of Slurm 26.05, v0.0.45); --json=lockstep our own; --json=list tells
 * which there are.  --yaml has the same as YAML. */
#ifndef LK_LIVE_CLIENT_JSON_JSON_H
#define LK_LIVE_CLIENT_JSON_JSON_H

#include "engine/cluster.h"
#include "live/client/client.h"
#include "live/client/json/indent.h"
#include "live/client/json/shape.h"

typedef struct {
  gboolean is_wanted;
  gboolean is_own; /* lockstep */
  gboolean is_list;
  gboolean is_yaml;
  guint version;       /* of data_parser, or of our own shapes; 0: there is none of this name */
  const char *unknown; /* then: this */
} LkJsonChoice;

/* Help of the two options. */
#define LK_JSON_HELP "as JSON: v0.0.42 to v0.0.45 (the default), lockstep; list tells these"
#define LK_YAML_HELP "the same as YAML"

/* Takes --json or --yaml; `value` NULL: none. Borrowed. */
void lk_json_choice_take (LkJsonChoice *self, const char *option, const char *value);
/* Once the options are known. FALSE: it is over, with this exit code: there is no such form, or
 * --json=list was given; told. */
gboolean lk_json_choice_settle (const LkClient *client, const LkJsonChoice *self, int *out_code);
/* The same where there is no form of our own. */
gboolean lk_json_choice_settle_foreign (const LkClient *client, const LkJsonChoice *self,
                                        int *out_code);

/* One answer. */
typedef struct {
  const LkClient *client;
  LkJsonChoice choice;
  const char *cluster; /* its name; borrowed */
  GString *out;
  LkJsonIndent indent; /* of Slurm's form */
  LkShape *shape;
  guint row_count;
} LkJson;

/* What one kind of answer has in it, in Slurm's form and in our own. */
typedef struct {
  const char *member; /* "jobs" */
  const char *text;   /* lk_shape_job */
  const LkShapeMember *members;
} LkJsonKind;

/* Begins an answer. */
void lk_json_begin (LkJson *self, const LkClient *client, const LkJsonChoice *choice,
                    const char *cluster);
/* An array of objects: its beginning, each object, its end. */
void lk_json_open (LkJson *self, const LkJsonKind *kind);
void lk_json_row (LkJson *self, gconstpointer report, gconstpointer row);
void lk_json_close (LkJson *self);
/* One object. */
void lk_json_one (LkJson *self, const LkJsonKind *kind, gconstpointer report, gconstpointer row);
/* "last_update", a moment. */
void lk_json_moment (LkJson *self, const char *name, gint64 time_us);
/* Puts what stands behind, and writes what is left to the client's output. */
void lk_json_end (LkJson *self);
/* Or puts nothing more of it. */
void lk_json_drop (LkJson *self);

/* The machine as its controller tells it. Returns: (transfer full); NULL: it tells none. */
LkCluster *lk_json_machine (const LkClient *client);

#endif
