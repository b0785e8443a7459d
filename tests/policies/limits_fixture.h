/* tests/policies/limits_fixture.h — accounts, uses and a job from a line of text, and what limits
 * say of the job.
 *
 * The tree is always root; phys with alice, bob and the account lab with gil; chem with carol and
 * dave; lim with erin and frank.  All else is said by clauses "HOLDER: word word", separated by
 * semicolons:
 *
 *   association or QOS   GrpTRES=cpu=8,mem=100 and every other limit by sacctmgr's name
 *   QOS                  DenyOnLimit and the other flags; UsageFactor= LimitFactor= UsageThreshold=
 *   association          fairshare=
 *   either, QOS/user, QOS/account   in use: running= submitted= accruing= wall_s= cpu= (any TRES),
 *                        run_s.cpu= spent_s.cpu=
 *   all                  safe, unlimited (limits are not enforced), 22.05
 *
 * A QOS comes to be by its first mention.  The cluster has 10 nodes, 200 CPUs, 400000 MiB and 20
 * GPUs; the partition half of that. */
#ifndef LK_TESTS_LIMITS_FIXTURE_H
#define LK_TESTS_LIMITS_FIXTURE_H

#include <glib.h>

#include "engine/limit_reason.h"
#include "engine/policy.h"

typedef struct _LimitsFixture LimitsFixture;

LimitsFixture *limits_fixture_new (const char *clauses);
void limits_fixture_free (LimitsFixture *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LimitsFixture, limits_fixture_free)

/* The job of the questions below: "alice q=QOS p=QOS cpu=4 node=1 t=MINUTES", where q is its QOS
 * and p that of its partition (none: not said), t its time limit (none: not said), `tasks` the jobs
 * it stands for and `elapsed` its minutes so far. */
void limits_fixture_set_job (LimitsFixture *self, const char *job);
/* Counts the job among those that run, with its whole time limit ahead. */
void limits_fixture_start_job (LimitsFixture *self);

const LkView *limits_fixture_view (LimitsFixture *self);
/* What the job asks for. */
const uint64_t *limits_fixture_tres (const LimitsFixture *self);

/* All reasons that `policy` finds, up to `finding_max`, separated by blanks; "" for none.
 * `out_last` (NULL: not wanted) is the last finding.  Returns: (transfer full). */
char *limits_fixture_check (LimitsFixture *self, const LkLimitsPolicy *policy, uint32_t when,
                            guint finding_max, LkLimitFinding *out_last);

#endif
