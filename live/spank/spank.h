/* live/spank/spank.h — what SPANK plugins and those that load them agree on, as spank(8) of Slurm
 * has it: a plugin that was compiled with the header of Slurm 22.05 or later is loaded as it is.
 *
 * For writers of plugins: include this file and nothing else of ours.  A plugin says
 * SPANK_PLUGIN (name, version), and defines those of the functions slurm_spank_* that it wants to
 * be called in.  Which are called where, and as whom, is in docs/spank.md.  Numbers and layouts are
 * Slurm's and never change. */
#ifndef LK_LIVE_SPANK_SPANK_H
#define LK_LIVE_SPANK_SPANK_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spank_handle *spank_t;

/* One of the functions of a plugin, with the words behind its path in plugstack.conf.  Below 0: it
 * has failed, which counts if it is required. */
typedef int (spank_f) (spank_t spank, int argument_count, char **arguments);

extern spank_f slurm_spank_init;
extern spank_f slurm_spank_job_prolog;
extern spank_f slurm_spank_init_post_opt;
extern spank_f slurm_spank_local_user_init;
extern spank_f slurm_spank_user_init;
extern spank_f slurm_spank_task_init_privileged;
extern spank_f slurm_spank_task_init;
extern spank_f slurm_spank_task_post_fork;
extern spank_f slurm_spank_task_exit;
extern spank_f slurm_spank_job_epilog;
extern spank_f slurm_spank_slurmd_exit;
extern spank_f slurm_spank_exit;

typedef enum spank_item {
  S_JOB_UID,                /* uid_t * */
  S_JOB_GID,                /* gid_t * */
  S_JOB_ID,                 /* uint32_t * */
  S_JOB_STEPID,             /* uint32_t *; 0xfffffffb: the batch script */
  S_JOB_NNODES,             /* uint32_t * */
  S_JOB_NODEID,             /* uint32_t * */
  S_JOB_LOCAL_TASK_COUNT,   /* uint32_t * */
  S_JOB_TOTAL_TASK_COUNT,   /* uint32_t *; 0 of a batch script */
  S_JOB_NCPUS,              /* uint16_t * */
  S_JOB_ARGV,               /* int *, char *** */
  S_JOB_ENV,                /* char *** */
  S_TASK_ID,                /* int *: on its node */
  S_TASK_GLOBAL_ID,         /* uint32_t * */
  S_TASK_EXIT_STATUS,       /* int *, as of wait(2) */
  S_TASK_PID,               /* pid_t * */
  S_JOB_PID_TO_GLOBAL_ID,   /* pid_t, uint32_t * */
  S_JOB_PID_TO_LOCAL_ID,    /* pid_t, uint32_t * */
  S_JOB_LOCAL_TO_GLOBAL_ID, /* uint32_t, uint32_t * */
  S_JOB_GLOBAL_TO_LOCAL_ID, /* uint32_t, uint32_t * */
  S_JOB_SUPPLEMENTARY_GIDS, /* gid_t **, int * */
  S_SLURM_VERSION,          /* char ** */
  S_SLURM_VERSION_MAJOR,    /* char ** */
  S_SLURM_VERSION_MINOR,    /* char ** */
  S_SLURM_VERSION_MICRO,    /* char ** */
  S_STEP_CPUS_PER_TASK,     /* uint32_t * */
  S_JOB_ALLOC_CORES,        /* char **: a list */
  S_JOB_ALLOC_MEM,          /* uint64_t *, MB */
  S_STEP_ALLOC_CORES,       /* char **: a list */
  S_STEP_ALLOC_MEM,         /* uint64_t *, MB */
  S_SLURM_RESTART_COUNT,    /* uint32_t * */
  S_JOB_ARRAY_ID,           /* uint32_t *; 0: none */
  S_JOB_ARRAY_TASK_ID       /* uint32_t * */
} spank_item_t;

typedef enum spank_err {
  ESPANK_SUCCESS = 0,
  ESPANK_ERROR = 3000,
  ESPANK_BAD_ARG,
  ESPANK_NOT_TASK,
  ESPANK_ENV_EXISTS,
  ESPANK_ENV_NOEXIST,
  ESPANK_NOSPACE,
  ESPANK_NOT_REMOTE,
  ESPANK_NOEXIST,
  ESPANK_NOT_EXECD,
  ESPANK_NOT_AVAIL,
  ESPANK_NOT_LOCAL
} spank_err_t;

typedef enum spank_context {
  S_CTX_ERROR,
  S_CTX_LOCAL,     /* srun */
  S_CTX_REMOTE,    /* what runs a step, or the batch script, on a node */
  S_CTX_ALLOCATOR, /* sbatch, salloc */
  S_CTX_SLURMD,    /* the agent of a node */
  S_CTX_JOB_SCRIPT /* before and behind a job on a node */
} spank_context_t;

#define HAVE_S_CTX_SLURMD 1
#define HAVE_S_CTX_JOB_SCRIPT 1

/* That an option was given: `remote` is 0 where the command runs, and 1 on a node. Below 0: it
 * cannot be so. */
typedef int (*spank_opt_cb_f) (int val, const char *optarg, int remote);

struct spank_option {
  char *name;    /* without its dashes */
  char *arginfo; /* a word for its value; NULL */
  char *usage;   /* for --help */
  int has_arg;   /* 0: no value, 1: one, 2: one that may be left out */
  int val;       /* told to `cb` */
  spank_opt_cb_f cb;
};

/* Options of a plugin may also stand in a table of this name. */
extern struct spank_option spank_options[];
#define SPANK_OPTIONS_TABLE_END                                                                    \
  {                                                                                                \
    0, 0, 0, 0, 0, 0                                                                               \
  }
#define SPANK_OPTION_MAXLEN 75

const char *spank_strerror (spank_err_t error);
/* 1: the name is one of the functions that are called. */
int spank_symbol_supported (const char *symbol);
/* 1: on a node; 0: not; -1: this is no handle. */
int spank_remote (spank_t spank);
spank_context_t spank_context (void);
/* In slurm_spank_init only. The option is copied. */
spank_err_t spank_option_register (spank_t spank, struct spank_option *option);
/* Behind slurm_spank_init. ESPANK_ERROR: it was not given. What is put in `optarg` is ours. */
spank_err_t spank_option_getopt (spank_t spank, struct spank_option *option, char **optarg);
/* What each item takes is said above. Texts and lists are ours. */
spank_err_t spank_get_item (spank_t spank, spank_item_t item, ...);
/* Variables of the tasks: on a node only. */
spank_err_t spank_getenv (spank_t spank, const char *name, char *buffer, int length);
spank_err_t spank_setenv (spank_t spank, const char *name, const char *value, int overwrite);
spank_err_t spank_unsetenv (spank_t spank, const char *name);
/* Variables of prolog and epilog, where they begin with SPANK_: in commands only. */
spank_err_t spank_job_control_setenv (spank_t spank, const char *name, const char *value,
                                      int overwrite);
spank_err_t spank_job_control_getenv (spank_t spank, const char *name, char *buffer, int length);
spank_err_t spank_job_control_unsetenv (spank_t spank, const char *name);

/* Lines for the user, and for the log of the node. */
void slurm_error (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
void slurm_info (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
void slurm_verbose (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
void slurm_debug (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
void slurm_debug2 (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
void slurm_debug3 (const char *format, ...) __attribute__ ((format (printf, 1, 2)));
/* As it is, with nothing before it. */
void slurm_spank_log (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

#ifdef __cplusplus
}
#endif

/* Slurm 22.05.8, the first whose numbers these are. */
#ifndef SLURM_VERSION_NUMBER
#define SLURM_VERSION_NUMBER 0x160508
#endif

#define SPANK_PLUGIN(name, version)                                                                \
  const char plugin_name[] = #name;                                                                \
  const char plugin_type[] = "spank";                                                              \
  const unsigned int plugin_version = SLURM_VERSION_NUMBER;                                        \
  const unsigned int spank_plugin_version = version;

#endif
