/* engine/limits.h — bounds on what comes from outside. Reaching one is an error value, never a
 * crash. */
#ifndef LK_ENGINE_LIMITS_H
#define LK_ENGINE_LIMITS_H

/* Jobs in the system at once. */
#define LK_LIMIT_JOBS 50000000u
/* Capacity of a machine, in units: sums of capacity stay inside an int32 profile step. */
#define LK_LIMIT_UNITS 2147483647u
/* Body of one journal record. */
#define LK_LIMIT_RECORD_BYTES (64u * 1024 * 1024)
/* State of one policy in a snapshot. */
#define LK_LIMIT_POLICY_STATE_BYTES (1024u * 1024 * 1024)

/* Components of one heterogeneous job: Slurm's MAX_HET_JOB_COMPS. */
#define LK_LIMIT_HET_COMPONENTS 128u

/* Calculation periods that are gone through one by one when time has jumped: three days and a half
 * of Slurm's five minutes.  Before them one long one stands for all others. */
#define LK_LIMIT_CYCLES_BEHIND 1000u

/* Highest number of a signal. */
#define LK_LIMIT_SIGNAL 64u
/* Linux's numbers, which signals have in events and decisions. */
#define LK_SIGNAL_CONT 18u
#define LK_SIGNAL_STOP 19u
/* Processes of a job that get a signal. */
enum { LK_SIGNAL_TO_STEPS, LK_SIGNAL_TO_BATCH, LK_SIGNAL_TO_ALL };

#endif
