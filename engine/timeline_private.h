/* engine/timeline_private.h — the steps of nodes, shared by the sources of engine/timeline.h. */
#ifndef LK_ENGINE_TIMELINE_PRIVATE_H
#define LK_ENGINE_TIMELINE_PRIVATE_H

#include "engine/profile.h"
#include "engine/timeline.h"

/* Who is on the node in a step. */
#define STEP_WHOLE (1u << 0)   /* one that wants it alone */
#define STEP_SHARING (1u << 1) /* one that shares cores */
#define STEP_PLAIN (1u << 2)   /* one that does not */
#define STEP_USER (1u << 3)    /* one that wants no other user */
#define STEP_DOUBLE (1u << 4)  /* two hold the same: neither can be taken out of the step */

/* Followed by the words of the cores, the counts, and the shares of each device. */
typedef struct {
  gint64 from_us;  /* until the next step's */
  guint64 devices; /* that nobody has, nor a share of it */
  gint64 memory_bytes;
  guint32 flags;
  guint32 piece_count;
  guint32 core_count; /* set when the step is complete */
  guint32 device_count;
  guint32 begin_count; /* reservations that begin with the step */
  guint32 end_count;   /* pieces that end where it begins */
  guint64 cores[];
} LkTimelineStep;

/* The steps of one node.  They lie in a buffer with a gap, which moves to where a step is put in or
 * taken out: most changes come close to the one before. */
typedef struct {
  guint8 *steps;
  guint32 count;
  guint32 capacity;
  guint32 gap_at;      /* the step that follows the gap */
  gboolean is_made;    /* FALSE: something has changed on the node since */
  gboolean is_counted; /* its steps are in the sum */
  gboolean is_listed;  /* in LkTimelines.stale */
  gboolean is_hiding;  /* a reservation of LkTimelines.hidden_job is not in its steps */
  gint64 made_us;      /* true from here */
  gint64 until_us;     /* to here: then a job is overdue */
} LkTimelineLine;

/* Free cores, and since when; or cores that have come (above 0) or gone for a time. */
typedef struct {
  gint64 from_us;
  gint64 to_us;
  gint32 cores;
} LkTimelineSpan;

struct _LkTimelines {
  const LkMachine *machine;
  const guint32 *planned_first;
  LkTimelineLine *lines; /* by node */
  gsize step_bytes;
  gsize counts_at; /* in a step */
  gsize shares_at;
  GArray *times; /* of gint64, scratch */
  LkJobIndex hidden_job;
  guint64 work_count; /* see lk_timelines_work */
  /* The sum of all nodes, made when it is asked for first. */
  LkProfile *sum;
  gint64 sum_from_us;
  GArray *stale;      /* of guint32: nodes of which the sum has steps that are not true any more */
  GArray *counted;    /* of LkTimelineSpan: what the sum has of one node, scratch */
  LkTimelineSpan run; /* a change of the sum, on one node */
  LkTimelineSpan pending; /* one of the nodes before it */
};

static inline LkTimelineStep *
lk_timeline_step (const LkTimelines *self, const LkTimelineLine *line, guint32 index)
{
  guint32 place = index < line->gap_at ? index : index + (line->capacity - line->count);
  return (LkTimelineStep *)(gpointer)(line->steps + place * self->step_bytes);
}

static inline gint64
lk_timeline_step_end_us (const LkTimelines *self, const LkTimelineLine *line, guint32 index)
{
  return index + 1 < line->count ? lk_timeline_step (self, line, index + 1)->from_us
                                 : LK_TIME_NEVER;
}

/* The node's steps, true for this moment on. */
LkTimelineLine *lk_timeline_line (LkTimelines *self, guint32 node, gint64 now_us);

/* engine/timeline_sum.c: a node's steps are about to be made again; and have been. */
void lk_timeline_sum_begin_node (LkTimelines *self, const LkTimelineLine *line,
                                 const LkNodeKind *kind);
void lk_timeline_sum_count_node (LkTimelines *self, LkTimelineLine *line);
/* On one node so many cores have come or gone, in the order of time; and those were all. */
void lk_timeline_sum_add (LkTimelines *self, const LkTimelineSpan *span);
void lk_timeline_sum_end_node (LkTimelines *self);

#endif
