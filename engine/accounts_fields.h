/* engine/accounts_fields.h — the one table of the members of an LkAccounts.
 *
 * From these X-macros are made the writer and the reader of its canonical text, the page that
 * describes that text, the copies, and the check that every text member satisfies.  A field is
 * F (type, member, what it is).  The line of a thing is its kind, its first field, and all others
 * in this order as member=value.
 *
 * Types: text (char *), u32, i64 (decimal, not below 0), s64 (decimal), real (double), flag
 * (gboolean, 0 or 1), names (GPtrArray of char *, with commas between), shares (guint32, or the
 * word parent), limits and tres_values (GArray of LkLimitItem and of LkTresValue).  The rest are
 * enumerations, written as the words of LK_ACCOUNTS_ENUMS, and sets of bits, whose words are in
 * engine/policy.h. */
#ifndef LK_ENGINE_ACCOUNTS_FIELDS_H
#define LK_ENGINE_ACCOUNTS_FIELDS_H

#define LK_ACCOUNTS_FIELDS(F)                                                                      \
  F (text, cluster, "name of the cluster")                                                         \
  F (names, tres, "the TRES, by their numbers")                                                    \
  F (enforce, enforce, "what is enforced")                                                         \
  F (compat, compat, "whose rules hold where versions of Slurm differ")                            \
  F (i64, half_life_us, "in which use decays to its half; 0: it does not")                         \
  F (i64, calc_period_us, "between two calculations of use and priorities")                        \
  F (reset, reset, "when use is set to 0")                                                         \
  F (s64, utc_offset_s, "of local time, for resets")                                               \
  F (billing, billing, "how several weighed TRES make one charge")                                 \
  F (flag, accrue_always, "1: jobs age from their submission on, whatever holds them")

#define LK_QOS_FIELDS(F)                                                                           \
  F (text, name, "its name")                                                                       \
  F (text, description, "for people")                                                              \
  F (u32, priority, "of its jobs; the largest of all QOS counts as 1")                             \
  F (qos_flags, flags, "what else holds for its jobs")                                             \
  F (real, usage_factor, "use of its jobs counts so often")                                        \
  F (real, usage_threshold, "jobs of a lower fairshare do not run; -1: none")                      \
  F (real, limit_factor, "limits of associations count so often for its jobs; -1: once")           \
  F (limits, limits, "its limits")                                                                 \
  F (text, preempt, "QOS whose jobs its jobs may preempt, with commas between")                    \
  F (text, preempt_mode, "how its own jobs are preempted; empty: as the cluster")                  \
  F (i64, grace_us, "notice before preemption")                                                    \
  F (s64, preempt_exempt_us, "run time before which a job is not preempted; -1: as the cluster")

#define LK_ASSOCIATION_FIELDS(F)                                                                   \
  F (text, account, "its account")                                                                 \
  F (text, user, "its user; empty: it is the account itself")                                      \
  F (text, partition, "the partition that it is for; empty: any")                                  \
  F (text, parent, "of an account: the account above; empty of the root and of users")             \
  F (shares, shares, "its share among those with the same parent")                                 \
  F (u32, priority, "for the association factor of priorities")                                    \
  F (text, qos, "QOS it may use: empty, a,b, or changes to those of its parent as +a,-b")          \
  F (text, default_qos, "QOS of jobs that name none; empty: that of its parent")                   \
  F (flag, is_default, "1: this is the account of jobs of the user that name none")                \
  F (limits, limits, "its limits")                                                                 \
  F (text, description, "of an account, for people")                                               \
  F (text, organization, "of an account, for people")                                              \
  F (text, admin_level, "of a user: empty, Operator or Administrator")                             \
  F (text, coordinates, "of a user: accounts that he coordinates, with commas between")            \
  F (real, usage, "billing seconds used before")                                                   \
  F (real, usage_wall_s, "wall time used before")                                                  \
  F (tres_values, usage_tres, "TRES-seconds used before")

/* The lines, in the order of their kinds: X (KIND, kind, struct, what it is). */
#define LK_ACCOUNTS_LINES(X)                                                                       \
  X (ACCOUNTS, accounts, LkAccounts, "The whole: once, first")                                     \
  X (QOS, qos, LkQosSpec, "A quality of service")                                                  \
  X (ASSOCIATION, association, LkAssociationSpec,                                                  \
     "An account, or a user of an account; parents before their children")

/* Enumerations: X (type, C type, words in the order of their numbers). */
#define LK_ACCOUNTS_ENUMS(X)                                                                       \
  X (compat, guint32, "slurm-26.05", "slurm-22.05")                                                \
  X (reset, LkResetPeriod, "none", "now", "daily", "weekly", "monthly", "quarterly", "yearly")     \
  X (billing, LkBillingRule, "sum", "max", "max_gres")

#endif
