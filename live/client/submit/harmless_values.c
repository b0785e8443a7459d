/* live/client/submit/harmless_values.c — see the header.
 *
 * Source: sbatch(1).  Texts and exit codes were recorded with Debian's Slurm 22.05. */
#include "live/client/submit/harmless_values.h"

#include <string.h>

#include "live/client/submit/option_variables.h"
#include "live/client/submit/sbatch.h"

/* ---------------------------------------------------------------- words */

/* Slurm lets words be cut short, and two letters tell them apart. Returns: its place, from 0; below
 * 0: it is none. */
static int
word_find (const char *const *words, const char *text)
{
  gsize length = strlen (text);
  for (int i = 0; words[i] != NULL; i++)
    if (length >= 2 && g_ascii_strncasecmp (words[i], text, length) == 0)
      return i;
  return -1;
}

static gboolean
is_number (const char *text)
{
  return *text != '\0' && text[strspn (text, "0123456789")] == '\0';
}

/* ---------------------------------------------------------------- --cpu-freq */

static const char *const speeds[] = { "low", "medium", "highm1", "high", NULL };
static const char *const governors[] = { "conservative", "ondemand",  "performance", "powersave",
                                         "schedutil",    "userspace", NULL };

/* How high it is, among words or among numbers; below 0: it is none. */
static gint64
speed_of (const char *text)
{
  return is_number (text) ? (gint64)g_ascii_strtoull (text, NULL, 10) & G_MAXINT64
                          : word_find (speeds, text);
}

/* "P1[-P2[:P3]]". FALSE: told. */
static gboolean
cpu_freq_is_good (const LkClient *client, const char *value)
{
  g_auto (GStrv) parts = g_strsplit (value, "-", 2);
  const char *least = parts[0] != NULL ? parts[0] : "";
  if (parts[0] == NULL || parts[1] == NULL) {
    if (speed_of (least) >= 0 || word_find (governors, least) >= 0)
      return TRUE;
    lk_option_error (client, "cpu-freq", value, "unrecognized --cpu-freq argument \"%s\"", least);
    return FALSE;
  }
  g_auto (GStrv) most = g_strsplit (parts[1], ":", 2);
  const char *high = most[0] != NULL ? most[0] : "";
  const char *wrong = speed_of (least) < 0 ? least : speed_of (high) < 0 ? high : NULL;
  if (wrong != NULL)
    lk_option_error (client, "cpu-freq", value, "unrecognized --cpu-freq argument \"%s\"", wrong);
  else if (is_number (least) == is_number (high) && speed_of (least) >= speed_of (high))
    lk_option_error (client, "cpu-freq", value, "min cpu-frec (%s) must be < max cpu-freq (%s)",
                     least, high);
  else if (most[0] != NULL && most[1] != NULL && word_find (governors, most[1]) < 0)
    lk_option_error (client, "cpu-freq", value, "illegal governor: %s on --cpu-freq", most[1]);
  else
    return TRUE;
  return FALSE;
}

static int
cpu_freq_check (const LkClient *client, const char *value)
{
  if (cpu_freq_is_good (client, value))
    return 0;
  lk_client_error (client, "Invalid --cpu-freq argument");
  return LK_SBATCH_USAGE;
}

/* ---------------------------------------------------------------- the others */

static int
profile_check (const LkClient *client, const char *value)
{
  static const char *const types[] = { "all", "none", "energy", "task", "lustre", "network", NULL };
  g_autofree char *lower = g_ascii_strdown (value, -1);
  g_auto (GStrv) words = g_strsplit (lower, ",", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (g_strv_contains (types, words[i]))
      return 0;
  lk_option_error (client, "profile", value, "invalid --profile=%s option", value);
  return LK_SBATCH_USAGE;
}

static int
acctg_freq_check (const LkClient *client, const char *value)
{
  static const char *const types[] = { "task", "energy", "network", "filesystem", NULL };
  g_auto (GStrv) pairs = g_strsplit (value, ",", -1);
  for (guint i = 0; pairs[i] != NULL; i++) {
    const char *equals = strchr (pairs[i], '=');
    g_autofree char *type = g_ascii_strdown (pairs[i], equals != NULL ? equals - pairs[i] : 0);
    if (equals != NULL ? g_strv_contains (types, type) && is_number (equals + 1)
                       : is_number (pairs[i]))
      continue;
    lk_option_error (client, "acctg-freq", value, "Invalid --acctg-freq specification: %s",
                     pairs[i]);
    return LK_SBATCH_USAGE;
  }
  return 0;
}

static int
gpu_freq_check (const LkClient *client, const char *value)
{
  g_auto (GStrv) words = g_strsplit (value, ",", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    gboolean is_memory = g_ascii_strncasecmp (words[i], "memory=", strlen ("memory=")) == 0;
    const char *speed = is_memory ? words[i] + strlen ("memory=") : words[i];
    if (speed_of (speed) >= 0 || (!is_memory && g_ascii_strcasecmp (speed, "verbose") == 0))
      continue;
    lk_option_error (client, "gpu-freq", value, "Invalid --gpu-freq argument: %s:%s",
                     is_memory ? "memory" : "gpu", speed);
    return LK_SBATCH_USAGE;
  }
  return 0;
}

/* Minutes, or any form of a time. */
static int
delay_boot_check (const LkClient *client, const char *value)
{
  if (g_ascii_isdigit (*value) && value[strspn (value, "0123456789:-")] == '\0')
    return 0;
  lk_option_error (client, "delay-boot", value, "Invalid --delay-boot specification");
  return LK_SBATCH_USAGE;
}

static int
wait_all_nodes_check (const LkClient *client, const char *value)
{
  if (strcmp (value, "0") == 0 || strcmp (value, "1") == 0)
    return 0;
  if (is_number (value)) {
    lk_option_error (client, "wait-all-nodes", value, "Invalid --wait-all-nodes specification");
    return LK_SBATCH_USAGE;
  }
  lk_option_error (client, "wait-all-nodes", value,
                   "Invalid numeric value \"%s\" for --wait-all-nodes.", value);
  return LK_SBATCH_FAILURE;
}

int
lk_harmless_value_check (const LkClient *client, const char *option, const char *value)
{
  static const struct {
    const char *option;
    int (*check) (const LkClient *client, const char *value);
  } checks[] = { { "acctg-freq", acctg_freq_check }, { "cpu-freq", cpu_freq_check },
                 { "delay-boot", delay_boot_check }, { "gpu-freq", gpu_freq_check },
                 { "profile", profile_check },       { "wait-all-nodes", wait_all_nodes_check } };
  for (guint i = 0; i < G_N_ELEMENTS (checks) && value != NULL; i++)
    if (strcmp (checks[i].option, option) == 0)
      return checks[i].check (client, value);
  return 0;
}
