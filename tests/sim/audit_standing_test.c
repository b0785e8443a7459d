/* tests/sim/audit_standing_test.c — what the checker of journals says of how jobs stand, where the
 * same words are a fault or none by what has happened before them. */
#include "tests/sim/audit_words.h"

#define COMES_1 "0 submit id=1 procs=6 limit=9\n> accept id=1\n"
#define COULD_1 "> standing id=1 key=1 reason=Resources\n"
#define RUNS_1 "> start id=1 units=6\n50 ended id=1\n> notice id=1 state=COMPLETED\n"

/* The first of the queue could start, and its pass leaves that to the next one. */
static const AuditCase order_cases[] = {
  { NULL, "easy", TRUE, COMES_1 "0 pass\n" COULD_1 "> wake at=0\n0 timer\n0 pass\n" RUNS_1 },
  { "order", "easy", TRUE, COMES_1 "0 pass\n" COULD_1 "0 timer\n0 pass\n" RUNS_1 },
  { "order", "easy", TRUE, COMES_1 "0 pass\n" COULD_1 "> wake at=1\n1 timer\n1 pass\n" RUNS_1 },
  /* The next one does not do it. */
  { "order", "easy", TRUE,
    COMES_1 "0 pass\n" COULD_1 "> wake at=0\n0 timer\n0 pass\n1 pass\n" RUNS_1 },
};

/* Job 2 goes first and may not have more than two jobs of its account running; job 3 is promised
 * the end of job 1.  There job 4 is started, which goes behind, and job 3 is put off. */
#define WAIT_2_3_4                                                                                 \
  "1 submit id=2 procs=4 limit=90 user=bob\n> accept id=2\n"                                       \
  "1 submit id=3 procs=16 limit=50\n> accept id=3\n"                                               \
  "1 pass\n> standing id=2 key=1 reason=AssocGrpJobsLimit\n"                                       \
  "> standing id=3 key=2 planned=100 reason=Resources\n"
#define ENDS_1 "100 ended id=1\n> notice id=1 state=COMPLETED\n"
#define START_4                                                                                    \
  "100 pass\n> standing id=4 key=3 planned=100\n> start id=4 units=1 on=n1 cores=n1=0\n"           \
  "> standing id=3 key=2 planned=300 reason=Resources\n101 pass\n"
#define ALL_END                                                                                    \
  "300 ended id=4\n> notice id=4 state=COMPLETED\n300 ended id=5\n> notice id=5 state=COMPLETED\n" \
  "300 cancel id=2\n> notice id=2 state=CANCELLED\n300 cancel id=3\n"                              \
  "> notice id=3 state=CANCELLED\n"

/* Job 2 has no place, job 3 is promised the end of job 1, which ends early: then job 2 is started,
 * which goes before, for so long, and job 4, which goes behind, and job 3 is put off. */
#define EARLY(limit)                                                                               \
  "0 submit id=1 procs=5 limit=100\n> accept id=1\n0 pass\n> start id=1 units=5\n"                 \
  "0 submit id=2 procs=6 limit=" limit "\n> accept id=2\n"                                         \
  "0 submit id=3 procs=7 limit=50\n> accept id=3\n0 submit id=4 procs=2 limit=999\n"               \
  "> accept id=4\n0 pass\n> standing id=2 key=1 reason=Resources\n"                                \
  "> standing id=3 key=2 planned=100 reason=Priority\n> standing id=4 key=3 reason=Priority\n"     \
  "40 ended id=1\n> notice id=1 state=COMPLETED\n"                                                 \
  "40 pass\n> standing id=2 key=1 planned=40\n> start id=2 units=6\n"                              \
  "> standing id=4 key=3 planned=40\n> start id=4 units=2\n"                                       \
  "> standing id=3 key=2 planned=1039 reason=Resources\n"                                          \
  "50 ended id=2\n> notice id=2 state=COMPLETED\n"                                                 \
  "1000 ended id=4\n> notice id=4 state=COMPLETED\n1000 pass\n"                                    \
  "> standing id=3 key=2 planned=1000\n> start id=3 units=7\n"                                     \
  "1001 ended id=3\n> notice id=3 state=COMPLETED\n"

static const AuditCase promise_cases[] = {
  { NULL, "full", TRUE, EARLY ("200") },
  /* Job 2 would have been gone. */
  { "promise", "full", TRUE, EARLY ("20") },
  /* Job 1 was of the account: job 2 came free, stood before job 3, and job 4 has its place. */
  { NULL, "full", FALSE,
    "0 submit id=1 procs=4 limit=100 user=bob\n> accept id=1\n"
    "0 submit id=5 limit=1000 user=cid\n> accept id=5\n"
    "0 pass\n> start id=1 units=4 on=n1 cores=n1=0-3\n> start id=5 units=1 on=n2 "
    "cores=n2=0\n" WAIT_2_3_4 "2 submit id=4 limit=200 user=cid\n> accept id=4\n2 pass\n"
    "> standing id=4 key=3 reason=AssocGrpJobsLimit\n" ENDS_1 START_4 ALL_END },
  /* It was not: job 2 was kept by its limit all the time, and job 4 is what job 3 waits for. */
  { "promise", "full", FALSE,
    "0 submit id=1 procs=4 limit=100\n> accept id=1\n"
    "0 submit id=5 limit=1000 user=cid\n> accept id=5\n"
    "0 submit id=6 limit=1000 user=ann\n> accept id=6\n"
    "0 pass\n> start id=1 units=4 on=n1 cores=n1=0-3\n> start id=5 units=1 on=n2 cores=n2=0\n"
    "> start id=6 units=1 on=n2 cores=n2=1\n" WAIT_2_3_4
    "2 submit id=4 limit=200\n> accept id=4\n2 pass\n"
    "> standing id=4 key=3 planned=150 reason=Priority\n" ENDS_1 START_4 ALL_END
    "300 ended id=6\n> notice id=6 state=COMPLETED\n" },
};

#define LICENSES_1_2                                                                               \
  "0 submit id=1 limit=9 licenses=matlab:2\n> accept id=1\n"                                       \
  "0 submit id=2 limit=9 licenses=matlab\n> accept id=2\n"
#define START_1 "0 pass\n> start id=1 units=1 on=n1 cores=n1=0\n"
#define START_2 "> start id=2 units=1 on=n1 cores=n1=1\n"
#define LACKS_2 "> standing id=2 key=1 reason=Licenses\n"
#define END_2 "9 ended id=2\n> notice id=2 state=COMPLETED\n"

static const AuditCase reason_cases[] = {
  /* Who has the licences leaves behind the look at who wants them. */
  { NULL, "slurm", FALSE,
    LICENSES_1_2 START_1 LACKS_2 "> requeue id=1\n> notice id=1 state=REQUEUED\n0 pass\n" START_2
                                 "> standing id=1 key=2 reason=Licenses\n" END_2
                                 "10 pass\n> start id=1 units=1 on=n1 cores=n1=0\n12 ended id=1\n"
                                 "> notice id=1 state=COMPLETED\n" },
  /* It has left before. */
  { "reason", "slurm", FALSE,
    LICENSES_1_2 START_1 LACKS_2
    "1 ended id=1\n> notice id=1 state=COMPLETED\n1 pass\n2 pass\n" START_2 END_2 },
};

/* Of a pool of which all is used two jobs go, each for another one. The second would not have to if
 * the first one's room were all for job 4. */
static const AuditCase room_cases[] = {
  { NULL, "easy", TRUE,
    "0 submit id=1 procs=2 limit=90\n> accept id=1\n0 submit id=3 procs=2 limit=90\n"
    "> accept id=3\n0 submit id=5 procs=4 limit=90\n> accept id=5\n"
    "0 pass\n> start id=1 units=2\n> start id=3 units=2\n> start id=5 units=4\n"
    "20 submit id=2 procs=1 limit=30\n> accept id=2\n20 pass\n> room id=2 units=1\n"
    "> preempt id=1 mode=1 for=2\n> kill id=1 why=5\n"
    "20 submit id=4 procs=2 limit=30\n> accept id=4\n20 pass\n> room id=4 units=2\n"
    "> preempt id=3 mode=1 for=4\n> kill id=3 why=5\n"
    "21 ended id=1\n> notice id=1 state=PREEMPTED\n21 ended id=3\n"
    "> notice id=3 state=PREEMPTED\n21 pass\n> start id=2 units=1\n> start id=4 units=2\n"
    "30 ended id=2\n> notice id=2 state=COMPLETED\n30 ended id=4\n> notice id=4 state=COMPLETED\n"
    "30 ended id=5\n> notice id=5 state=COMPLETED\n" },
};

static void
test_room (void)
{
  audit_cases_check (room_cases, G_N_ELEMENTS (room_cases));
}

static void
test_order (void)
{
  audit_cases_check (order_cases, G_N_ELEMENTS (order_cases));
}

static void
test_promises (void)
{
  audit_cases_check (promise_cases, G_N_ELEMENTS (promise_cases));
}

static void
test_reasons (void)
{
  audit_cases_check (reason_cases, G_N_ELEMENTS (reason_cases));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/audit/standing/what a pass leaves to the next one is not left", test_order);
  g_test_add_func ("/audit/standing/a promise is kept from those behind only", test_promises);
  g_test_add_func ("/audit/standing/a licence is lacked until its holder leaves", test_reasons);
  g_test_add_func ("/audit/standing/room that another one waits for is not free", test_room);
  return g_test_run ();
}
