/* tests/sim/audit_test.c — the checker of journals finds every violation that is planted, and finds
 * nothing where nothing is wrong.  How jobs stand is looked at more closely in
 * audit_standing_test.c. */
#include <string.h>

#include "sim/audit.h"
#include "tests/sim/audit_words.h"

/* ---------------------------------------------------------------- cases */

#define SUBMIT_1 "0 submit id=1 limit=100\n> accept id=1\n"
#define SUBMIT_2 "0 submit id=2 limit=100\n> accept id=2\n"
#define END_1 "50 ended id=1\n> notice id=1 state=COMPLETED\n"
#define END_2 "60 ended id=2\n> notice id=2 state=COMPLETED\n"
/* Job 1 has all of node n1, and job 2 comes, which may displace it. */
#define FULL_1                                                                                     \
  "0 submit id=1 limit=100 user=bob\n> accept id=1\n0 pass\n"                                      \
  "> start id=1 units=4 on=n1 cores=n1=0-3\n"
#define HIGH_2 "20 submit id=2 procs=4 limit=30 user=cid qos=high\n> accept id=2\n"
#define ROOM_2 "> room id=2 units=4 on=n1 cores=n1=0-3\n"
#define PREEMPT_1 "> preempt id=1 mode=1 for=2\n"
#define KILL_1 "> kill id=1 why=5\n"
#define OVER_2 "20 submit id=2 procs=2 limit=30 user=cid partition=small\n> accept id=2\n"
#define ON_2 "> start id=2 units=2 on=n1 cores=n1=2-3\n"
#define GOES_ON_1                                                                                  \
  "30 ended id=2\n> resume id=1\n> notice id=2 state=COMPLETED\n"                                  \
  "50 ended id=1\n> notice id=1 state=COMPLETED\n"
#define GONE_1 "21 ended id=1\n> notice id=1 state=PREEMPTED\n"
#define FULL_2 "> start id=2 units=4 on=n1 cores=n1=0-3\n"
#define START_1 "> start id=1 units=1 on=n1 cores=n1=0\n"
#define START_2 "> start id=2 units=1 on=n1 cores=n1=1\n"

static const AuditCase cases[] = {
  { NULL, "easy", FALSE, SUBMIT_1 SUBMIT_2 "0 pass\n" START_1 START_2 END_1 END_2 },
  { "job", "easy", FALSE, SUBMIT_1 "0 pass\n" START_1 START_2 END_1 },
  { "job", "easy", FALSE, SUBMIT_1 "0 pass\n" START_1 "1 pass\n" START_1 END_1 },
  { "job", "easy", FALSE, SUBMIT_1 "0 pass\n> kill id=1\n" START_1 END_1 },
  { "pass", "easy", FALSE, SUBMIT_1 "1 timer\n" START_1 END_1 },
  { "held", "easy", FALSE, SUBMIT_1 "1 hold id=1\n> accept id=1\n2 pass\n" START_1 END_1 },
  { "held", "easy", FALSE,
    "0 submit id=1 limit=9 flags=8192\n> accept id=1\n1 pass\n" START_1 END_1 },
  { "begin", "easy", FALSE,
    "0 submit id=1 limit=9 begin=9\n> accept id=1\n8 pass\n" START_1 END_1 },
  { NULL, "easy", FALSE, "0 submit id=1 limit=9 begin=9\n> accept id=1\n9 pass\n" START_1 END_1 },
  { "node", "easy", FALSE, SUBMIT_1 "0 down node=n1\n> accept id=0\n0 pass\n" START_1 END_1 },
  { "node", "easy", FALSE, SUBMIT_1 "0 drain node=n1\n> accept id=0\n0 pass\n" START_1 END_1 },
  { "node", "easy", FALSE, SUBMIT_1 "0 close name=batch\n> accept id=0\n0 pass\n" START_1 END_1 },
  { "node", "easy", FALSE,
    "0 submit id=1 limit=9 partition=small\n> accept id=1\n"
    "0 pass\n> start id=1 units=1 on=n2 cores=n2=0\n" END_1 },
  { "node", "easy", FALSE, "0 submit id=1 limit=9 list=n2\n> accept id=1\n0 pass\n" START_1 END_1 },
  /* It asks for one node of a list of two. */
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=9 nodes=1 list=n[1-2]\n> accept id=1\n0 pass\n" START_1 END_1 },
  { "node", "easy", FALSE,
    "0 submit id=1 limit=9 nodes=1 list=n[2-3]\n> accept id=1\n0 pass\n" START_1 END_1 },
  { "node", "easy", FALSE,
    "0 submit id=1 limit=9 exclude=n[1-2]\n> accept id=1\n0 pass\n" START_1 END_1 },
  { "node", "easy", FALSE, "0 submit id=1 limit=9 nodes=2\n> accept id=1\n0 pass\n" START_1 END_1 },
  { "node", "easy", FALSE, SUBMIT_1 "0 pass\n> start id=1 units=1 on=n9 cores=n9=0\n" END_1 },
  { "core", "easy", FALSE,
    SUBMIT_1 SUBMIT_2 "0 pass\n" START_1 "> start id=2 units=1 on=n1 cores=n1=0\n" END_1 END_2 },
  { "core", "easy", FALSE, SUBMIT_1 "0 pass\n> start id=1 units=1 on=n1 cores=n1=4\n" END_1 },
  { "gpu", "easy", FALSE,
    SUBMIT_1 SUBMIT_2 "0 pass\n> start id=1 units=1 on=n1 cores=n1=0 gres=n1=gpu:0-1\n"
                      "> start id=2 units=1 on=n1 cores=n1=1 gres=n1=gpu:1\n" END_1 END_2 },
  { "gpu", "easy", FALSE,
    SUBMIT_1 "0 pass\n> start id=1 units=1 on=n1 cores=n1=0 gres=n1=gpu:2\n" END_1 },
  { "memory", "easy", FALSE,
    SUBMIT_1 SUBMIT_2 "0 pass\n> start id=1 units=1 mib=3000 on=n1 cores=n1=0\n"
                      "> start id=2 units=1 mib=1097 on=n1 cores=n1=1\n" END_1 END_2 },
  { NULL, "easy", FALSE,
    SUBMIT_1 SUBMIT_2 "0 pass\n> start id=1 units=1 mib=3000 on=n1 cores=n1=0\n"
                      "> start id=2 units=1 mib=1096 on=n1 cores=n1=1\n" END_1 END_2 },
  /* Job 1 loses a node of its two, and keeps only a part of its memory: on the other node, and in
   * the use of its QOS. */
  { NULL, "easy", FALSE,
    SUBMIT_1 SUBMIT_2 "0 pass\n> start id=1 units=4 mib=4096 on=n[1-2] cores=n[1-2]=0-1\n"
                      "1 down node=n2\n> accept id=0\n1 pass\n"
                      "> start id=2 units=1 mib=1024 on=n1 cores=n1=2\n" END_1 END_2 },
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=100 user=bob qos=tight\n> accept id=1\n"
    "0 submit id=2 limit=100 user=bob qos=tight\n> accept id=2\n"
    "0 pass\n> start id=1 units=4 mib=4096 on=n[1-2] cores=n[1-2]=0-1\n"
    "1 down node=n2\n> accept id=0\n1 pass\n"
    "> start id=2 units=1 mib=1024 on=n3 cores=n3=2\n" END_1 END_2 },
  { "units", "easy", FALSE,
    "0 submit id=1 procs=2 limit=9\n> accept id=1\n0 pass\n" START_1 END_1 },
  { "units", "easy", TRUE,
    "0 submit id=1 procs=5 limit=9\n> accept id=1\n0 submit id=2 procs=4 limit=9\n> accept id=2\n"
    "0 pass\n> start id=1 units=5\n> start id=2 units=4\n" END_1 END_2 },
  { "license", "easy", FALSE,
    "0 submit id=1 limit=9 licenses=matlab:2\n> accept id=1\n"
    "0 submit id=2 limit=9 licenses=matlab\n> accept id=2\n0 pass\n" START_1 START_2 END_1 END_2 },
  { "exclusive", "easy", FALSE,
    "0 submit id=1 limit=9 flags=1\n> accept id=1\n" SUBMIT_2
    "0 pass\n" START_1 START_2 END_1 END_2 },
  { "time-limit", "easy", FALSE,
    SUBMIT_1 "0 pass\n" START_1 "99 timer\n> kill id=1\n99 ended id=1\n"
             "> notice id=1 state=TIMEOUT\n" },
  { NULL, "easy", FALSE,
    SUBMIT_1 "0 pass\n" START_1 "100 timer\n> kill id=1\n100 ended id=1\n"
             "> notice id=1 state=TIMEOUT\n" },
  /* MaxJobs of ann, GrpJobs and GrpTRES of phys, GrpTRES and MaxJobsPerUser of the QOS. */
  { "limit", "easy", FALSE,
    "0 submit id=1 limit=9 user=ann account=phys\n> accept id=1\n"
    "0 submit id=2 limit=9 user=ann account=phys\n> accept id=2\n0 pass\n" START_1 START_2 END_1
        END_2 },
  { "limit", "easy", FALSE,
    "0 submit id=1 limit=9 user=ann\n> accept id=1\n0 submit id=2 limit=9 user=bob\n> accept id=2\n"
    "0 submit id=3 limit=9 user=cid\n> accept id=3\n0 pass\n" START_1 START_2
    "> start id=3 units=1 on=n2 cores=n2=0\n5 ended id=3\n> notice id=3 state=FAILED\n" END_1
        END_2 },
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=9 user=ann\n> accept id=1\n0 submit id=2 limit=9 user=bob\n> accept id=2\n"
    "0 submit id=3 limit=9 user=dan\n> accept id=3\n0 pass\n" START_1 START_2
    "> start id=3 units=1 on=n2 cores=n2=0\n5 ended id=3\n> notice id=3 state=FAILED\n" END_1
        END_2 },
  { "limit", "easy", FALSE,
    "0 submit id=1 limit=9 user=ann\n> accept id=1\n"
    "0 pass\n> start id=1 units=11 on=n[1-3] cores=n[1-3]=0-3\n" END_1 },
  { "limit", "easy", FALSE,
    "0 submit id=1 limit=9 user=dan\n> accept id=1\n"
    "0 pass\n> start id=1 units=3 on=n1 cores=n1=0-2\n" END_1 },
  { "limit", "easy", FALSE,
    "0 submit id=1 limit=9 user=bob partition=small\n> accept id=1\n"
    "0 submit id=2 limit=9 user=bob partition=small\n> accept id=2\n0 pass\n" START_1 START_2 END_1
        END_2 },
  /* eve's account may use capped alone, and she high, too. */
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=9 user=eve qos=high\n> accept id=1\n0 pass\n" START_1 END_1 },
  { "rights", "easy", FALSE,
    "0 submit id=1 limit=9 user=eve qos=normal\n> accept id=1\n0 pass\n" START_1 END_1 },
  { "rights", "easy", FALSE,
    "0 submit id=1 limit=9 user=eve account=phys\n> accept id=1\n0 pass\n" START_1 END_1 },
  { NULL, "easy", FALSE, "0 qos-gone name=high\n> accept id=0\n" },
  { "rights", "easy", FALSE, "0 qos-gone name=capped\n> accept id=0\n" },
  { "dependency", "easy", FALSE,
    SUBMIT_1 "0 submit id=2 limit=9 dependency=afterok:1\n> accept id=2\n0 pass\n" START_1 START_2
        END_1 END_2 },
  { "dependency", "easy", FALSE,
    SUBMIT_1 "0 submit id=2 limit=9 dependency=afterok:1\n> accept id=2\n0 pass\n" START_1
             "50 ended id=1\n> notice id=1 state=FAILED\n50 pass\n" START_2 END_2 },
  { NULL, "easy", FALSE,
    SUBMIT_1 "0 submit id=2 limit=9 dependency=afternotok:1\n> accept id=2\n0 pass\n" START_1
             "50 ended id=1\n> notice id=1 state=FAILED\n50 pass\n" START_2 END_2 },
  { NULL, "easy", FALSE,
    SUBMIT_1 "0 submit id=2 limit=9 dependency=after:1\n> accept id=2\n0 pass\n" START_1 START_2
        END_1 END_2 },
  { "dependency", "easy", FALSE,
    SUBMIT_1 "0 submit id=2 limit=9 dependency=after:1+1\n> accept id=2\n0 pass\n" START_1
             "49 pass\n" START_2 END_1 END_2 },
  { "dependency", "easy", FALSE,
    "0 submit id=1 limit=9 name=x dependency=singleton\n> accept id=1\n"
    "0 submit id=2 limit=9 name=x dependency=singleton\n> accept id=2\n0 pass\n" START_1 START_2
        END_1 END_2 },
  /* Whose turn has come under its name may be passed by a later job: it has come for good. */
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=9 name=x dependency=singleton\n> accept id=1\n"
    "0 submit id=2 limit=9 name=x\n> accept id=2\n0 pass\n" START_2
    "1 pass\n" START_1 END_1 END_2 },
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=99 name=x\n> accept id=1\n0 pass\n" START_1
    "0 submit id=2 limit=9 name=x dependency=singleton\n> accept id=2\n" END_1
    "55 submit id=3 limit=9 name=x\n> accept id=3\n55 pass\n"
    "> start id=3 units=1 on=n1 cores=n1=2\n58 pass\n" START_2 END_2
    "90 ended id=3\n> notice id=3 state=COMPLETED\n" },
  { "dependency", "easy", FALSE,
    "0 submit id=1 limit=99 name=x\n> accept id=1\n0 pass\n" START_1
    "0 submit id=2 limit=9 name=x dependency=singleton\n> accept id=2\n"
    "20 submit id=3 limit=99 name=x\n> accept id=3\n20 pass\n"
    "> start id=3 units=1 on=n1 cores=n1=2\n" END_1 "58 pass\n" START_2
    "90 ended id=3\n> notice id=3 state=COMPLETED\n" END_2 },
  /* An id that nobody had is waited for by nobody, whoever gets it: a job, or a task. */
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=9 dependency=afterany:2\n> accept id=1\n" SUBMIT_2 "0 pass\n" START_2
    "1 pass\n" START_1 END_1 END_2 },
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=100 array=0-1 dependency=afterany:2\n> accept id=1\n0 pass\n"
    "> task id=2 array=1 task=0\n" START_2 "> task id=1 array=1 task=1\n" START_1 END_1 END_2 },
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=100 array=0-1 dependency=afterany:2\n> accept id=1\n"
    "> task id=2 array=1 task=0\n0 pass\n" START_2
    "> task id=1 array=1 task=1\n" START_1 END_1 END_2 },
  { "array", "easy", FALSE,
    "0 submit id=1 limit=100 array=0-1%1\n> accept id=1\n0 pass\n> task id=2 array=1 "
    "task=0\n" START_2 "> task id=1 array=1 task=1\n" START_1 END_1 END_2 },
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=100 array=0-1%2\n> accept id=1\n0 pass\n> task id=2 array=1 "
    "task=0\n" START_2 "> task id=1 array=1 task=1\n" START_1 END_1 END_2 },
  { "array", "easy", FALSE,
    "0 submit id=1 limit=100 array=0-1\n> accept id=1\n0 pass\n> task id=2 array=1 "
    "task=1\n" START_2 "> task id=1 array=1 task=0\n" START_1 END_1 END_2 },
  { "array", "easy", FALSE,
    "0 submit id=1 limit=100 array=1-3:2\n> accept id=1\n0 pass\n> task id=2 array=1 "
    "task=1\n" START_2 "> task id=1 array=1 task=2\n" START_1 END_1 END_2 },
  { "held", "easy", FALSE,
    "0 submit id=1 limit=100 array=0-1\n> accept id=1\n0 hold id=1 tasks=1\n> accept id=1\n"
    "> task id=2 array=1 task=1\n0 pass\n" START_2
    "> task id=1 array=1 task=0\n" START_1 END_1 END_2 },
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=100 array=0-1\n> accept id=1\n0 hold id=1 tasks=0\n> accept id=1\n"
    "> task id=2 array=1 task=0\n0 pass\n> task id=1 array=1 task=1\n" START_1 END_1
    "90 ended id=2\n> notice id=2 state=CANCELLED\n" },
  { "het", "easy", FALSE,
    "0 submit id=1 limit=9 het=1\n> accept id=1\n0 submit id=2 limit=9 het=1\n> accept id=2\n"
    "0 pass\n" START_1 "1 pass\n" START_2 END_1 END_2 },
  { "reservation", "easy", FALSE,
    "0 timer\n> reserved name=r on=n[1-2] count=8 from=50 to=90\n" SUBMIT_1
    "0 pass\n" START_1 END_1 },
  { NULL, "easy", FALSE,
    "0 timer\n> reserved name=r on=n[2-3] count=8 from=50 to=90\n" SUBMIT_1
    "0 pass\n" START_1 END_1 },
  /* Of a node with no cores set aside only GPUs are. */
  { NULL, "easy", FALSE,
    "0 timer\n> reserved name=r on=n[1-2] from=50 to=90\n" SUBMIT_1 "0 pass\n" START_1 END_1 },
  { NULL, "easy", FALSE,
    "0 timer\n> reserved name=r on=n1 count=4 from=100 to=190\n" SUBMIT_1
    "0 pass\n" START_1 END_1 },
  { "preempt", "easy", FALSE, SUBMIT_1 "0 pass\n> preempt id=1\n" START_1 END_1 },
  { NULL, "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n" ROOM_2 PREEMPT_1 KILL_1 GONE_1 "21 pass\n" FULL_2 END_2 },
  /* Its QOS names nobody; the victim has not run for its time; it is to be killed, not requeued; it
   * goes on; it goes twice. */
  { "preempt", "easy", FALSE,
    FULL_1 "20 submit id=2 procs=4 limit=30 user=cid\n> accept id=2\n"
           "20 pass\n" ROOM_2 PREEMPT_1 KILL_1 GONE_1 "21 pass\n" FULL_2 END_2 },
  { "preempt", "easy", FALSE,
    "11 submit id=1 limit=100 user=bob\n> accept id=1\n11 pass\n"
    "> start id=1 units=4 on=n1 cores=n1=0-3\n" HIGH_2 "20 pass\n" ROOM_2 PREEMPT_1 KILL_1 GONE_1
    "21 pass\n" FULL_2 END_2 },
  { "preempt", "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n" ROOM_2 "> preempt id=1 mode=2 for=2\n" KILL_1 GONE_1
                  "21 pass\n" FULL_2 END_2 },
  { "preempt", "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n" ROOM_2 PREEMPT_1 GONE_1 "21 pass\n" FULL_2 END_2 },
  { "preempt", "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n" ROOM_2 PREEMPT_1 PREEMPT_1 KILL_1 GONE_1 "21 pass\n" FULL_2 END_2 },
  /* With notice: not before, and not later. */
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=100 user=bob qos=grace\n> accept id=1\n0 pass\n"
    "> start id=1 units=4 on=n1 cores=n1=0-3\n" HIGH_2 "20 pass\n" ROOM_2
    "> preempt id=1 mode=2 for=2\n24 pass\n25 timer\n> requeue id=1\n"
    "> notice id=1 state=PREEMPTED\n25 pass\n" FULL_2 END_2
    "70 pass\n> start id=1 units=4 on=n1 cores=n1=0-3\n80 ended id=1\n"
    "> notice id=1 state=COMPLETED\n" },
  { "preempt", "easy", FALSE,
    "0 submit id=1 limit=100 user=bob qos=grace\n> accept id=1\n0 pass\n"
    "> start id=1 units=4 on=n1 cores=n1=0-3\n" HIGH_2 "20 pass\n" ROOM_2
    "> preempt id=1 mode=2 for=2\n25 pass\n26 timer\n> requeue id=1\n"
    "> notice id=1 state=PREEMPTED\n26 pass\n" FULL_2 END_2
    "70 pass\n> start id=1 units=4 on=n1 cores=n1=0-3\n80 ended id=1\n"
    "> notice id=1 state=COMPLETED\n" },
  { NULL, "easy", FALSE,
    "tier\n" FULL_1 "20 submit id=2 procs=4 limit=30 user=cid partition=small\n> accept id=2\n"
    "20 pass\n" ROOM_2 PREEMPT_1 KILL_1 GONE_1 END_2 },
  { "preempt", "easy", FALSE,
    "tier\n" FULL_1 HIGH_2 "20 pass\n" ROOM_2 PREEMPT_1 KILL_1 GONE_1 END_2 },
  /* Job 2 of a higher tier suspends job 1, which is resumed when it has ended. */
  { NULL, "easy", FALSE, "turns\n" FULL_1 OVER_2 "20 pass\n> suspend id=1\n" ON_2 GOES_ON_1 },
  /* Both run; it stays suspended, is suspended for nobody, for one below; who has its cores is none
   * above. */
  { "turn", "easy", FALSE,
    "turns\n" FULL_1 OVER_2 "20 pass\n" ON_2
    "30 ended id=2\n> notice id=2 state=COMPLETED\n" END_1 },
  { "turn", "easy", FALSE,
    "turns\n" FULL_1 OVER_2 "20 pass\n> suspend id=1\n" ON_2
    "30 ended id=2\n> notice id=2 state=COMPLETED\n" END_1 },
  { "turn", "easy", FALSE, "turns\n" FULL_1 "20 pass\n> suspend id=1\n" END_1 },
  { "turn", "easy", FALSE, "turns\n" FULL_1 HIGH_2 "20 pass\n> suspend id=1\n" ON_2 GOES_ON_1 },
  { "turn", "easy", FALSE,
    "turns\n" FULL_1 OVER_2 "20 pass\n> suspend id=1\n" ON_2
    "21 submit id=3 limit=90 user=cid\n> accept id=3\n"
    "21 pass\n> start id=3 units=1 on=n1 cores=n1=3\n"
    "22 ended id=3\n> notice id=3 state=COMPLETED\n" GOES_ON_1 },
  /* No place is told; it is not free, of too few cores, not there, on a node that is down; the
   * victim has nothing of it; it is told twice. */
  { "room", "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n" PREEMPT_1 KILL_1 GONE_1 "21 pass\n" FULL_2 END_2 },
  { "room", "easy", FALSE,
    FULL_1 "0 submit id=3 limit=90 user=cid\n> accept id=3\n"
           "0 pass\n> start id=3 units=1 on=n2 cores=n2=3\n"
           "20 submit id=4 procs=8 limit=30 user=cid qos=high\n> accept id=4\n"
           "20 pass\n> room id=4 units=8 on=n[1-2] cores=n[1-2]=0-3\n"
           "> preempt id=1 mode=1 for=4\n" KILL_1 GONE_1
           "22 ended id=3\n> notice id=3 state=COMPLETED\n"
           "22 pass\n> start id=4 units=8 on=n[1-2] cores=n[1-2]=0-3\n"
           "30 ended id=4\n> notice id=4 state=COMPLETED\n" },
  { "room", "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n> room id=2 units=3 on=n1 cores=n1=0-2\n" PREEMPT_1 KILL_1 GONE_1
                  "21 pass\n" FULL_2 END_2 },
  { "room", "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n> room id=2 units=5 on=n1 cores=n1=0-4\n" PREEMPT_1 KILL_1 GONE_1
                  "21 pass\n" FULL_2 END_2 },
  { "room", "easy", FALSE,
    FULL_1 HIGH_2
    "20 drain node=n2\n> accept id=0\n"
    "20 pass\n> room id=2 units=5 on=n[1-2] cores=n[1-2]=0-1\n" PREEMPT_1 KILL_1 GONE_1
    "21 pass\n" FULL_2 END_2 },
  { "room", "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n> room id=2 units=4 on=n2 cores=n2=0-3\n" PREEMPT_1 KILL_1 GONE_1
                  "21 pass\n" FULL_2 END_2 },
  { "room", "easy", FALSE,
    FULL_1 HIGH_2 "20 submit id=3 procs=4 limit=30 user=dan qos=high\n> accept id=3\n"
                  "20 pass\n" ROOM_2
                  "> room id=3 units=4 on=n1 cores=n1=0-3\n" PREEMPT_1 KILL_1 GONE_1
                  "21 pass\n" FULL_2 END_2 "60 pass\n> start id=3 units=4 on=n1 cores=n1=0-3\n"
                  "70 ended id=3\n> notice id=3 state=COMPLETED\n" },
  /* Units of a pool: too few; more than it needs. */
  { NULL, "easy", TRUE,
    "0 submit id=1 procs=6 limit=90\n> accept id=1\n0 pass\n> start id=1 units=6\n"
    "20 submit id=2 procs=4 limit=30\n> accept id=2\n20 pass\n> room id=2 units=4\n" PREEMPT_1
        KILL_1 GONE_1 "21 pass\n> start id=2 units=4\n" END_2 },
  { "room", "easy", TRUE,
    "0 submit id=1 procs=2 limit=90\n> accept id=1\n0 submit id=3 procs=6 limit=90\n"
    "> accept id=3\n0 pass\n> start id=1 units=2\n> start id=3 units=6\n"
    "20 submit id=2 procs=4 limit=30\n> accept id=2\n20 pass\n> room id=2 units=4\n" PREEMPT_1
        KILL_1 GONE_1 "22 ended id=3\n> notice id=3 state=COMPLETED\n"
    "22 pass\n> start id=2 units=4\n" END_2 },
  { "room", "easy", TRUE,
    "0 submit id=1 procs=2 limit=90\n> accept id=1\n0 submit id=3 procs=6 limit=90\n"
    "> accept id=3\n0 pass\n> start id=1 units=2\n> start id=3 units=6\n"
    "20 submit id=2 procs=4 limit=30\n> accept id=2\n20 pass\n> room id=2 units=4\n" PREEMPT_1
        KILL_1 "> preempt id=3 mode=1 for=2\n> kill id=3 why=5\n" GONE_1
    "22 ended id=3\n> notice id=3 state=PREEMPTED\n"
    "22 pass\n> start id=2 units=4\n" END_2 },
  /* It is the first of the queue, has its room, and is left to wait; unless somebody is before it,
   * or the node has gone. */
  { "room", "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n" ROOM_2 PREEMPT_1 KILL_1
                  "> standing id=2 key=1 reason=Resources\n" GONE_1
                  "21 pass\n22 pass\n" FULL_2 END_2 },
  { NULL, "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n" ROOM_2 PREEMPT_1 KILL_1
                  "> standing id=2 key=1 reason=Resources\n" GONE_1 "21 pass\n" FULL_2 END_2 },
  { NULL, "easy", FALSE,
    FULL_1 HIGH_2
    "20 submit id=3 procs=16 nodes=4 limit=30 user=dan\n> accept id=3\n"
    "20 pass\n" ROOM_2 PREEMPT_1 KILL_1 "> standing id=2 key=2 reason=Resources\n"
    "> standing id=3 key=1 reason=Resources\n" GONE_1
    "21 pass\n22 cancel id=3\n> notice id=3 state=CANCELLED\n22 pass\n" FULL_2 END_2 },
  { NULL, "easy", FALSE,
    FULL_1 HIGH_2 "20 pass\n" ROOM_2 PREEMPT_1 KILL_1
                  "> standing id=2 key=1 reason=Resources\n" GONE_1
                  "21 drain node=n1\n> accept id=0\n21 pass\n"
                  "22 pass\n> start id=2 units=4 on=n2 cores=n2=0-3\n" END_2 },
  { "final", "easy", FALSE,
    SUBMIT_1 "0 pass\n" START_1 END_1 "51 ended id=1\n> notice id=1 state=FAILED\n" },
  { "final", "easy", FALSE, SUBMIT_1 "0 pass\n" START_1 },
  /* Job 2 was to start at 100, when job 1 ends; job 3 was started beside and holds it up. */
  { "promise", "conservative", TRUE,
    "0 submit id=1 procs=6 limit=100\n> accept id=1\n0 pass\n> start id=1 units=6\n"
    "0 submit id=2 procs=8 limit=9\n> accept id=2\n"
    "0 pass\n> standing id=2 key=1 planned=100 reason=Resources\n"
    "1 submit id=3 procs=2 limit=200\n> accept id=3\n"
    "1 pass\n> standing id=3 key=2 planned=109 reason=Priority\n"
    "2 pass\n> start id=3 units=2\n"
    "100 ended id=1\n> notice id=1 state=COMPLETED\n"
    "100 pass\n> standing id=2 key=1 planned=201 reason=Resources\n"
    "101 pass\n202 ended id=3\n> notice id=3 state=COMPLETED\n"
    "202 pass\n> start id=2 units=8\n"
    "203 ended id=2\n> notice id=2 state=COMPLETED\n" },
  /* The same, but job 3 goes before job 2. */
  { NULL, "conservative", TRUE,
    "0 submit id=1 procs=6 limit=100\n> accept id=1\n0 pass\n> start id=1 units=6\n"
    "0 submit id=2 procs=8 limit=9\n> accept id=2\n"
    "0 pass\n> standing id=2 key=1 planned=100 reason=Resources\n"
    "1 submit id=3 procs=2 limit=200\n> accept id=3\n"
    "1 pass\n> standing id=3 key=0 planned=1\n> start id=3 units=2\n"
    "100 ended id=1\n> notice id=1 state=COMPLETED\n"
    "100 pass\n> standing id=2 key=1 planned=201 reason=Resources\n"
    "101 pass\n202 ended id=3\n> notice id=3 state=COMPLETED\n"
    "202 pass\n> start id=2 units=8\n"
    "203 ended id=2\n> notice id=2 state=COMPLETED\n" },
  { "order", "easy", TRUE,
    "0 submit id=1 procs=6 limit=9\n> accept id=1\n0 submit id=2 procs=2 limit=9\n> accept id=2\n"
    "0 pass\n> standing id=2 key=2\n> start id=2 units=2\n> standing id=1 key=1 reason=Resources\n"
    "9 pass\n> start id=1 units=6\n" END_1 END_2 },
  { "order", "none", TRUE,
    "0 submit id=1 procs=8 limit=9\n> accept id=1\n0 pass\n> start id=1 units=8\n"
    "0 submit id=2 procs=8 limit=9\n> accept id=2\n0 submit id=3 procs=2 limit=9\n> accept id=3\n"
    "0 pass\n> standing id=2 key=1 reason=Resources\n> standing id=3 key=2 reason=Priority\n"
    "5 ended id=1\n> notice id=1 state=COMPLETED\n"
    "5 pass\n> standing id=3 key=2\n> start id=3 units=2\n"
    "6 ended id=3\n> notice id=3 state=COMPLETED\n6 pass\n> start id=2 units=8\n" END_2 },
  /* Where nodes are whole, no node has the memory that its CPUs get by default. */
  { "order", "easy", FALSE,
    SUBMIT_1 "0 pass\n> standing id=1 key=1 reason=Resources\n5 pass\n" START_1 END_1 },
  { NULL, "easy", FALSE,
    "0 submit id=1 limit=9 partition=rich\n> accept id=1\n"
    "0 pass\n> standing id=1 key=1 reason=Resources\n5 pass\n" START_1 END_1 },
  { "reason", "easy", TRUE,
    SUBMIT_1 "0 pass\n> standing id=1 key=1 reason=None\n5 pass\n> start id=1 units=1\n" END_1 },
  { "reason", "easy", TRUE,
    SUBMIT_1
    "0 pass\n> standing id=1 key=1 reason=JobHeldUser\n5 pass\n> start id=1 units=1\n" END_1 },
  { "reason", "easy", TRUE,
    SUBMIT_1
    "0 pass\n> standing id=1 key=1 reason=BeginTime\n5 pass\n> start id=1 units=1\n" END_1 },
  /* A pass that came late leaves it to a timer at once. */
  { NULL, "easy", TRUE,
    SUBMIT_1 "5 pass\n> standing id=1 key=1 reason=BeginTime\n> wake at=5\n5 timer\n"
             "5 pass\n> start id=1 units=1\n" END_1 },
  { "reason", "easy", TRUE,
    SUBMIT_1
    "0 pass\n> standing id=1 key=1 reason=Dependency\n5 pass\n> start id=1 units=1\n" END_1 },
  /* The pass has ended the other one of its name behind telling how it stands; but not twice. */
  { NULL, "easy", TRUE,
    "0 submit id=1 limit=9 name=x\n> accept id=1\n"
    "0 submit id=2 limit=9 name=x dependency=singleton\n> accept id=2\n"
    "0 pass\n> standing id=2 key=2 reason=Dependency\n> notice id=1 state=DEADLINE\n"
    "5 pass\n> start id=2 units=1\n" END_2 },
  { "reason", "easy", TRUE,
    "0 submit id=1 limit=9 name=x\n> accept id=1\n"
    "0 submit id=2 limit=9 name=x dependency=singleton\n> accept id=2\n"
    "0 pass\n> standing id=2 key=2 reason=Dependency\n> notice id=1 state=DEADLINE\n"
    "1 pass\n> standing id=2 key=2 reason=Dependency\n"
    "5 pass\n> start id=2 units=1\n" END_2 },
  { "reason", "easy", TRUE,
    SUBMIT_1
    "0 pass\n> standing id=1 key=1 reason=Licenses\n5 pass\n> start id=1 units=1\n" END_1 },
  { "reason", "easy", TRUE,
    "0 submit id=1 procs=8 limit=9\n> accept id=1\n0 pass\n> start id=1 units=8\n"
    "1 submit id=2 limit=9\n> accept id=2\n1 pass\n> standing id=2 key=1 reason=Priority\n"
    "9 ended id=1\n> notice id=1 state=COMPLETED\n9 pass\n> start id=2 units=1\n" END_2 },
};

static void
test_planted (void)
{
  audit_cases_check (cases, G_N_ELEMENTS (cases));
}

/* Every rule has a case. */
static void
test_each_rule_has_a_case (void)
{
  for (guint rule = 0; rule < LK_AUDIT_RULE_COUNT; rule++) {
    gboolean has = FALSE;
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
      has |= g_strcmp0 (cases[i].rule, lk_audit_rule_name (rule)) == 0;
    g_test_message ("%s", lk_audit_rule_name (rule));
    g_assert_true (has);
  }
}

/* Any cut or changed byte is an error or a finding, never a crash. */
static void
test_damaged (void)
{
  g_autoptr (GByteArray) journal = audit_case_journal (&cases[0]);
  for (guint i = 0; i < journal->len; i++) {
    LkAudit audit;
    g_autofree char *error = NULL;
    g_autofree guint8 *copy = g_memdup2 (journal->data, journal->len);
    copy[i] ^= 0x15;
    g_assert_false (lk_audit_run (&audit, copy, journal->len, 10, &error));
    g_assert_nonnull (error);
    lk_audit_clear (&audit);
  }
  for (guint length = 0; length < journal->len; length++) {
    LkAudit audit;
    g_autofree char *error = NULL;
    lk_audit_run (&audit, journal->data, length, 10, &error);
    lk_audit_clear (&audit);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/audit/planted", test_planted);
  g_test_add_func ("/audit/each-rule-has-a-case", test_each_rule_has_a_case);
  g_test_add_func ("/audit/damaged", test_damaged);
  return g_test_run ();
}
