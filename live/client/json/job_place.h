/* live/client/json/job_place.h — of a job as JSON: where it runs, down to its cores, and its files.
 */
#ifndef LK_LIVE_CLIENT_JSON_JOB_PLACE_H
#define LK_LIVE_CLIENT_JSON_JOB_PLACE_H

#include "live/client/job_row.h"

/* The machine, as far as it has to be known for that. */
typedef struct _LkJobPlaces LkJobPlaces;

/* Asks the controller; one that says nothing gives a machine without a name or nodes. `version` is
 * that of data_parser. Returns: (transfer full). */
LkJobPlaces *lk_job_places_new (const LkClient *client, guint version);
void lk_job_places_free (LkJobPlaces *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LkJobPlaces, lk_job_places_free)

/* When they are told. */
gint64 lk_job_places_now_us (const LkJobPlaces *self);
/* Name of the cluster. */
const char *lk_job_places_cluster (const LkJobPlaces *self);
/* "job_resources": null before the job runs; the same members without nodes after its end. */
void lk_job_places_put (LkJobPlaces *self, const LkJobRow *row, GString *out);

typedef enum { LK_JOB_STDIN, LK_JOB_STDOUT, LK_JOB_STDERR } LkJobFile;
/* A file as it was given, or with its %j and the like filled in. */
void lk_job_file_put (GString *out, const LkJobRow *row, LkJobFile file, gboolean is_expanded);

#endif
