/* live/client/json/shapes.h — the shapes of all that the commands tell as JSON.
 *
 * Those without `own` have the names and types of Slurm's data_parser, versions v0.0.42 to v0.0.45
 * (which Slurm publishes as OpenAPI documents; of sinfo, steps and sprio, which are in none, its
 * sources and what a real Slurm 26.05 printed).  Those of `own` are ours: flat, null where there is
 * nothing, units in names.  Their version rises when a member goes or changes its meaning. */
#ifndef LK_LIVE_CLIENT_JSON_SHAPES_H
#define LK_LIVE_CLIENT_JSON_SHAPES_H

#define LK_SHAPE_FIRST 42u
#define LK_SHAPE_LAST 45u
#define LK_SHAPE_OWN 1u

/* X (NAME, member that holds it, is it an array?, moments that stand behind it): what data_parser
 * has. */
#define LK_SHAPES(X)                                                                               \
  X (job, "jobs", 1, "last_backfill last_update")                                                  \
  X (sinfo, "sinfo", 1, "")                                                                        \
  X (node, "nodes", 1, "last_update")                                                              \
  X (partition, "partitions", 1, "last_update")                                                    \
  X (reservation, "reservations", 1, "last_update")                                                \
  X (license, "licenses", 1, "last_update")                                                        \
  X (step, "steps", 1, "")                                                                         \
  X (shares, "shares", 0, "")                                                                      \
  X (statistics, "statistics", 0, "")                                                              \
  X (ping, "pings", 1, "")                                                                         \
  X (accounting_job, "jobs", 1, "")                                                                \
  X (accounting_association, "associations", 1, "")                                                \
  X (accounting_account, "accounts", 1, "")                                                        \
  X (accounting_user, "users", 1, "")                                                              \
  X (accounting_qos, "qos", 1, "")                                                                 \
  X (accounting_tres, "TRES", 1, "")                                                               \
  X (accounting_cluster, "clusters", 1, "")                                                        \
  X (accounting_wckey, "wckeys", 1, "")

/* The same of --json=lockstep. */
#define LK_SHAPES_OWN(X)                                                                           \
  X (own_job, "jobs", 1)                                                                           \
  X (own_node, "nodes", 1)                                                                         \
  X (own_partition, "partitions", 1)                                                               \
  X (own_reservation, "reservations", 1)                                                           \
  X (own_license, "licenses", 1)                                                                   \
  X (own_accounting_job, "jobs", 1)                                                                \
  X (own_step, "steps", 1)                                                                         \
  X (own_priority, "priorities", 1)                                                                \
  X (own_controller, "controller", 0)

#define X(name, member, is_array, moments) extern const char lk_shape_##name[];
LK_SHAPES (X)
#undef X
#define X(name, member, is_array) extern const char lk_shape_##name[];
LK_SHAPES_OWN (X)
#undef X

/* A step in accounting_job. */
extern const char lk_shape_accounting_step[];
/* One of the shares. */
extern const char lk_shape_share[];
/* What stands beside it in every answer: meta, errors, warnings. */
extern const char lk_shape_meta[];
extern const char lk_shape_errors[];
extern const char lk_shape_warnings[];

typedef struct {
  const char *name;
  const char *text;
} LkShapeName;
/* Shapes that others refer to; ends with one without a name. */
extern const LkShapeName lk_shape_names[];
/* NULL: there is none. */
const char *lk_shape_named (const char *name);

#endif
