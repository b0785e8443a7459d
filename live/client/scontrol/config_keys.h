/* live/client/scontrol/config_keys.h — lines of `scontrol show config`, in Slurm's order.
 *
 * Source: what a real Slurm 26.05 printed (tests/fixtures/text/recorded).  What is said by default
 * of what there is nothing of here is what Slurm says where it is not configured either. */
#ifndef LK_LIVE_CLIENT_SCONTROL_CONFIG_KEYS_H
#define LK_LIVE_CLIENT_SCONTROL_CONFIG_KEYS_H

/* How a value is written. */
typedef enum {
  LK_CONFIG_TEXT,     /* as the file has it */
  LK_CONFIG_UPPER,    /* in capitals */
  LK_CONFIG_USER,     /* "root(0)" */
  LK_CONFIG_DURATION, /* minutes, or what a time limit may be: "7-00:00:00" */
  LK_CONFIG_PLUGIN,   /* "task/none" is "(null)" */
  LK_CONFIG_TRES,     /* behind those that there always are */
} LkConfigForm;

/* "300" of a key with unit " sec" is printed as "300 sec". */
typedef struct {
  const char *key;
  const char *fallback; /* NULL: no line without a value */
  const char *unit;
  LkConfigForm form;
} LkConfigKey;

extern const LkConfigKey lk_config_keys[];
extern const unsigned int lk_config_key_count;

#endif
