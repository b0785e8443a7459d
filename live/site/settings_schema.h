/* live/site/settings_schema.h — the one table of the keys of slurm.conf and cgroup.conf that the
 * daemons heed, beside those that describe the machine and how it is scheduled.
 *
 * Keys, units and defaults are Slurm's, but where it is said otherwise; sources: slurm.conf(5),
 * cgroup.conf(5).  From this table come the struct, the reader, the messages and the page
 * docs/site.md.
 *
 * A row is X (KIND, member, "Key", "default", minimum, maximum, "what it does"). The kinds:
 *   TEXT     char *, "" where nothing is said
 *   PATH     the same: an absolute path
 *   LIST     char **, ends with NULL: the values of all lines with the key, in their order
 *   WORD     guint: the place in the words that "maximum" names
 *   SWITCH   gboolean: yes, no, true, false, 1, 0
 *   COUNT    guint32
 *   SECONDS  gint64 in us; where the minimum is 0, 0 is 0
 *   ENDLESS  gint64 in us; 0, UNLIMITED and INFINITE are LK_SITE_ENDLESS_US
 * A default that is the key of another row: what is said there. */
#ifndef LK_LIVE_SITE_SETTINGS_SCHEMA_H
#define LK_LIVE_SITE_SETTINGS_SCHEMA_H

/* Words of keys: the place of the word in the list is the number of the enum. */
#define LK_SITE_AUTH_WORDS(X)                                                                      \
  X (MUNGE, "auth/munge")                                                                          \
  X (KEY, "auth/key")
#define LK_SITE_AUTH_ALT_WORDS(X)                                                                  \
  X (NONE, "")                                                                                     \
  X (JWT, "auth/jwt")
#define LK_SITE_RETURN_WORDS(X)                                                                    \
  X (NEVER, "0")                                                                                   \
  X (SILENT, "1")                                                                                  \
  X (ANY, "2")
#define LK_SITE_PROCTRACK_WORDS(X)                                                                 \
  X (AUTO, "auto")                                                                                 \
  X (CGROUP, "proctrack/cgroup")                                                                   \
  X (LINUXPROC, "proctrack/linuxproc")                                                             \
  X (PGID, "proctrack/pgid")
#define LK_SITE_CGROUP_WORDS(X)                                                                    \
  X (AUTODETECT, "autodetect")                                                                     \
  X (V1, "cgroup/v1")                                                                              \
  X (V2, "cgroup/v2")                                                                              \
  X (DISABLED, "disabled")
#define LK_SITE_HEALTH_WORDS(X)                                                                    \
  X (ANY, "ANY")                                                                                   \
  X (IDLE, "IDLE")                                                                                 \
  X (ALLOC, "ALLOC")                                                                               \
  X (MIXED, "MIXED")                                                                               \
  X (NONDRAINED_IDLE, "NONDRAINED_IDLE")                                                           \
  X (START_ONLY, "START_ONLY")
#define LK_SITE_CONTAINER_WORDS(X)                                                                 \
  X (NONE, "job_container/none")                                                                   \
  X (TMPFS, "job_container/tmpfs")
#define LK_SITE_LOG_WORDS(X)                                                                       \
  X (QUIET, "quiet")                                                                               \
  X (FATAL, "fatal")                                                                               \
  X (ERROR, "error")                                                                               \
  X (INFO, "info")                                                                                 \
  X (VERBOSE, "verbose")                                                                           \
  X (DEBUG, "debug")                                                                               \
  X (DEBUG2, "debug2")                                                                             \
  X (DEBUG3, "debug3")                                                                             \
  X (DEBUG4, "debug4")                                                                             \
  X (DEBUG5, "debug5")

#define LK_SITE_KEYS(X)                                                                            \
  /* Who and where. */                                                                             \
  X (TEXT, cluster_name, "ClusterName", "cluster", 0, 0, "name of the cluster, in lower case")     \
  X (LIST, controller_hosts, "SlurmctldHost", "", 0, 0,                                            \
     "NAME or NAME(ADDRESS) of the controller, then of its standbys")                              \
  X (COUNT, controller_port, "SlurmctldPort", "6817", 1, 65535, "TCP port of the controller")      \
  X (TEXT, slurm_user, "SlurmUser", "root", 0, 0, "as whom the controller runs")                   \
  X (PATH, state_dir, "StateSaveLocation", "/var/lib/lockstep/controller", 0, 0,                   \
     "the controller's journal and snapshots; in Slurm /var/spool")                                \
  X (PATH, spool_dir, "SlurmdSpoolDir", "/var/lib/lockstep/agent", 0, 0,                           \
     "an agent's state; %h is the host, %n the node; in Slurm /var/spool/slurmd")                  \
  X (WORD, auth, "AuthType", "auth/munge", 0, AUTH,                                                \
     "how daemons attest each other over TCP; auth/none: as auth/munge, auth/slurm: as auth/key")  \
  X (TEXT, auth_info, "AuthInfo", "", 0, 0,                                                        \
     "socket=PATH of MUNGE; key=PATH of the cluster key, without which it is lockstep.key beside " \
     "slurm.conf")                                                                                 \
  X (WORD, auth_alt, "AuthAltTypes", "", 0, AUTH_ALT,                                              \
     "auth/jwt: users are known by JSON Web Tokens, too; nothing: by none")                        \
  X (TEXT, auth_alt_parameters, "AuthAltParameters", "", 0, 0,                                     \
     "jwt_key=PATH of their key, without which it is jwt_hs256.key in StateSaveLocation; "         \
     "disable_token_creation; max_token_lifespan=SECONDS")                                         \
  /* Times of the controller. */                                                                   \
  X (ENDLESS, node_timeout_us, "SlurmdTimeout", "300", 0, 65533,                                   \
     "a node that is silent for so long is down; 0: never")                                        \
  X (SECONDS, message_timeout_us, "MessageTimeout", "10", 1, 100, "how long a message may take")   \
  X (SECONDS, kill_wait_us, "KillWait", "30", 0, 4294967295, "between SIGTERM and SIGKILL")        \
  X (WORD, return_to_service, "ReturnToService", "0", 0, RETURN,                                   \
     "which nodes that are down come back by themselves when they register: 0 none, 1 those that " \
     "were silent, 2 all")                                                                         \
  X (TEXT, controller_parameters, "SlurmctldParameters", "", 0, 0,                                 \
     "how often users may ask (rl_enable, rl_bucket_size=30, rl_refill_period=1, "                 \
     "rl_refill_rate=2, rl_table_size=8192), and, not in Slurm, how many MiB of scripts "          \
     "and environments are kept (user_payload_mib=256 of one user's jobs, payload_mib=2048 of "    \
     "all; 0: no limit); other keywords are ignored")                                              \
  /* Jobs. */                                                                                      \
  X (COUNT, job_max_count, "MaxJobCount", "10000", 1, 50000000,                                    \
     "jobs that the controller holds, those too that ended within MinJobAge; each task of an "     \
     "array is one; more are refused")                                                             \
  X (SWITCH, job_file_append, "JobFileAppend", "0", 0, 1, "output files are appended to")          \
  X (SWITCH, root_jobs_disabled, "DisableRootJobs", "no", 0, 1, "root may submit nothing")         \
  X (TEXT, private_data, "PrivateData", "", 0, 0,                                                  \
     "anything but none: lockstep plan and whatif of the live cluster are for operators and "      \
     "administrators, and lockstep why shows other users only state, reason and expected start "   \
     "of their own jobs; what other commands show stays as it is")                                 \
  X (TEXT, propagate_limits, "PropagateResourceLimits", "", 0, 0,                                  \
     "which limits of the submitter a job gets: ALL, NONE or names; nothing: ALL")                 \
  X (TEXT, propagate_limits_except, "PropagateResourceLimitsExcept", "", 0, 0, "all but these")    \
  X (PATH, mail_program, "MailProg", "", 0, 0,                                                     \
     "sends mail; nothing: none is sent; in Slurm /bin/mail")                                      \
  X (TEXT, mail_domain, "MailDomain", "", 0, 0, "behind the user where he gives no address")       \
  /* Programs around jobs. */                                                                      \
  X (LIST, prolog, "Prolog", "", 0, 0, "as root on each node before a job; patterns are allowed")  \
  X (LIST, epilog, "Epilog", "", 0, 0, "as root on each node behind a job; patterns are allowed")  \
  X (ENDLESS, programs_timeout_us, "PrologEpilogTimeout", "UNLIMITED", 0, 65534,                   \
     "how long each prolog and epilog may run")                                                    \
  X (ENDLESS, prolog_timeout_us, "PrologTimeout", "PrologEpilogTimeout", 0, 65534,                 \
     "how long a prolog may run")                                                                  \
  X (ENDLESS, epilog_timeout_us, "EpilogTimeout", "PrologEpilogTimeout", 0, 65534,                 \
     "how long an epilog may run")                                                                 \
  X (PATH, task_prolog, "TaskProlog", "", 0, 0,                                                    \
     "as the user before each task; a batch script is one")                                        \
  X (PATH, task_epilog, "TaskEpilog", "", 0, 0, "as the user behind each task, for 5 s at most")   \
  X (PATH, plugstack, "PlugStackConfig", "", 0, 0,                                                 \
     "which SPANK plugins there are; nothing: plugstack.conf beside slurm.conf, if it is there")   \
  X (SECONDS, login_timeout_us, "GetEnvTimeout", "120", 1, 65533,                                  \
     "how long a login may take that gives a job its environment")                                 \
  X (SECONDS, unkillable_us, "UnkillableStepTimeout", "60", 1, 65533,                              \
     "processes that live so long behind SIGKILL drain their node")                                \
  X (PATH, unkillable_program, "UnkillableStepProgram", "", 0, 0,                                  \
     "as root on the node, when there are such processes")                                         \
  X (PATH, health_program, "HealthCheckProgram", "", 0, 0, "as root on each node, now and then")   \
  X (SECONDS, health_interval_us, "HealthCheckInterval", "0", 0, 65533, "how often; 0: never")     \
  X (WORD, health_state, "HealthCheckNodeState", "ANY", 0, HEALTH, "on nodes in this state")       \
  /* Nodes. */                                                                                     \
  X (WORD, process_tracking, "ProctrackType", "auto", 0, PROCTRACK,                                \
     "how the processes of a job are found; auto, which Slurm has not: cgroups where that is "     \
     "possible")                                                                                   \
  X (WORD, job_container, "JobContainerType", "job_container/none", 0, CONTAINER,                  \
     "job_container/tmpfs: each job has the folders of job_container.conf to itself")              \
  X (LIST, task_plugins, "TaskPlugin", "", 0, 0,                                                   \
     "task/cgroup and task/affinity bind jobs to their cores; task/none and nothing do not")       \
  /* Logs. */                                                                                      \
  X (PATH, controller_log, "SlurmctldLogFile", "", 0, 0, "nothing: standard error")                \
  X (PATH, agent_log, "SlurmdLogFile", "", 0, 0, "%h and %n as above; nothing: standard error")    \
  X (WORD, controller_log_level, "SlurmctldDebug", "info", 0, LOG,                                 \
     "how much is logged; a number from 0 to 9 is the place of a word")                            \
  X (WORD, agent_log_level, "SlurmdDebug", "info", 0, LOG, "likewise")                             \
  X (PATH, controller_pid_file, "SlurmctldPidFile", "", 0, 0,                                      \
     "nothing: none; in Slurm /var/run/slurmctld.pid")                                             \
  X (PATH, agent_pid_file, "SlurmdPidFile", "", 0, 0, "nothing: none; %h and %n as above")

/* Of cgroup.conf. */
#define LK_SITE_CGROUP_KEYS(X)                                                                     \
  X (WORD, cgroup_plugin, "CgroupPlugin", "autodetect", 0, CGROUP, "which version")                \
  X (PATH, cgroup_mount, "CgroupMountpoint", "/sys/fs/cgroup", 0, 0,                               \
     "hierarchies that are mounted there, or below, are used")                                     \
  X (SWITCH, constrain_cores, "ConstrainCores", "no", 0, 1, "jobs see their own cores only")       \
  X (SWITCH, constrain_memory, "ConstrainRAMSpace", "no", 0, 1, "jobs get their own memory only")  \
  X (SWITCH, constrain_swap, "ConstrainSwapSpace", "no", 0, 1, "and their own swap space only")    \
  X (SWITCH, constrain_devices, "ConstrainDevices", "no", 0, 1, "jobs see their own devices only") \
  X (COUNT, allowed_memory_percent, "AllowedRAMSpace", "100", 1, 1000,                             \
     "limit of memory, in percent of what the job was given")                                      \
  X (COUNT, allowed_swap_percent, "AllowedSwapSpace", "0", 0, 1000,                                \
     "swap space, in percent of the memory that the job was given")                                \
  X (COUNT, memory_min_mib, "MinRAMSpace", "30", 1, 1048576,                                       \
     "no limit of memory is below it, MiB")                                                        \
  X (COUNT, memory_max_percent, "MaxRAMPercent", "100", 1, 100,                                    \
     "nor above it, in percent of the node's memory")                                              \
  X (COUNT, swap_max_percent, "MaxSwapPercent", "100", 0, 1000,                                    \
     "so much above that is the limit with swap space, in percent of the node's memory")           \
  X (COUNT, tasks_max_percent, "MaxTasksPercent", "100", 1, 100,                                   \
     "processes and threads of a job on a node, in percent of what its kernel lets be; 100: no "   \
     "limit")

/* Of job_container.conf. */
#define LK_SITE_CONTAINER_KEYS(X)                                                                  \
  X (PATH, container_base, "BasePath", "", 0, 0,                                                   \
     "where these folders really are; %h and %n as above")                                         \
  X (SWITCH, makes_container_base, "AutoBasePath", "no", 0, 1, "the agent makes BasePath")         \
  X (TEXT, container_dirs, "Dirs", "/tmp,/dev/shm", 0, 0, "in place of which, with commas between")

#endif
