/* live/client/scontrol/step_limit.c — see the header.
 *
 * The time limit is all of a step that can be changed.  Texts are those of Slurm's
 * src/scontrol/update_step.c; TimeLimit+= and -= count from the limit that the step has now. */
#include "live/client/scontrol/step_limit.h"

#include <stdlib.h>
#include <string.h>

#include "engine/checked.h"
#include "live/client/scontrol/scontrol.h"
#include "traces/job_values.h"

/* The shortest words that Slurm takes for them. */
#define STEP_KEY_MIN 4u
#define LIMIT_KEY_MIN 2u
#define SCRIPT_STEP G_MAXUINT32

/* What is to be changed. */
typedef struct {
  LkClient *client;
  guint32 job_id;
  gint64 task;      /* of an array; -1: none; so are the next ones */
  gint64 component; /* of a heterogeneous job */
  gint64 step;      /* -1: all */
  char sign;        /* of TimeLimit: '=', '+' or '-' */
  gint64 limit_us;  /* LK_TIME_NEVER: none */
  GArray *found;    /* of Found */
} Update;

/* A step as it is now. */
typedef struct {
  guint32 job_id;
  guint32 step_id;
  gint64 limit_us; /* 0: none */
} Found;

/* ---------------------------------------------------------------- words */

static gboolean
is_key (const char *word, gsize length, const char *key, gsize least)
{
  return length >= least && g_ascii_strncasecmp (word, key, length) == 0 && length <= strlen (key);
}

/* The length of the key of KEY=VALUE, KEY+=VALUE and KEY-=VALUE. */
static gsize
key_length (const char *word)
{
  gsize length = strcspn (word, "=");
  return length > 0 && strchr ("+-", word[length - 1]) != NULL ? length - 1 : length;
}

gboolean
lk_scontrol_is_step_update (char **words)
{
  for (; *words != NULL; words++)
    if (is_key (*words, key_length (*words), "StepId", STEP_KEY_MIN))
      return TRUE;
  return FALSE;
}

/* A number, and what is behind it. FALSE: none is there. */
static gboolean
take_number (const char **at, gint64 *out_number)
{
  guint64 number;
  gsize digits = strspn (*at, "0123456789");
  g_autofree char *text = g_strndup (*at, digits);
  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT32, &number, NULL))
    return FALSE;
  *at += digits;
  *out_number = (gint64)number;
  return TRUE;
}

/* JOB, JOB_TASK or JOB+COMPONENT, and .STEP behind it or not. */
static gboolean
step_read (Update *self, const char *value)
{
  gint64 job;
  self->task = self->component = self->step = -1;
  if (!take_number (&value, &job))
    return FALSE;
  self->job_id = (guint32)job;
  if ((*value == '_' && (value++, !take_number (&value, &self->task)))
      || (*value == '+' && (value++, !take_number (&value, &self->component)))
      || (*value == '.' && (value++, !take_number (&value, &self->step))))
    return FALSE;
  return *value == '\0';
}

static gboolean
limit_read (Update *self, char sign, const char *value)
{
  if (!lk_job_time_limit_parse (value, &self->limit_us))
    return FALSE;
  self->sign = sign;
  return sign == '=' || self->limit_us != LK_TIME_NEVER;
}

/* FALSE: told. */
static gboolean
words_read (Update *self, char **words)
{
  FILE *err = self->client->err;
  for (; *words != NULL; words++) {
    gsize length = key_length (*words);
    const char *value = *words + strcspn (*words, "=");
    char sign = (*words)[length] != '\0' ? (*words)[length] : '=';
    value += *value == '=' ? 1 : 0;
    gboolean is_step = is_key (*words, length, "StepId", STEP_KEY_MIN);
    if (!is_step && !is_key (*words, length, "TimeLimit", LIMIT_KEY_MIN)) {
      fprintf (err, "Update of this parameter is not supported: %s\nRequest aborted\n", *words);
      return FALSE;
    }
    if (is_step ? !step_read (self, value) : !limit_read (self, sign, value)) {
      fprintf (err, is_step ? "Invalid StepId value: %s\n" : "Invalid TimeLimit value: %s\n",
               value);
      return FALSE;
    }
  }
  if (self->limit_us == 0)
    fprintf (err, "No changes specified\n");
  return self->limit_us != 0;
}

/* ---------------------------------------------------------------- steps */

static gboolean
is_meant (const Update *self, const LkRecord_step *step)
{
  if (step->step_id == SCRIPT_STEP || (self->step >= 0 && step->step_id != self->step))
    return FALSE;
  if (self->task >= 0)
    return step->array_job_id == self->job_id && step->array_task == self->task;
  if (self->component >= 0)
    return step->het_leader == self->job_id && step->het_offset == self->component;
  return step->job_id == self->job_id;
}

static void
take_step (gpointer user, const LkRecord *record)
{
  Update *self = user;
  const LkRecord_step *step = &record->step;
  Found found = { step->job_id, step->step_id, step->limit_us };
  if (is_meant (self, step))
    g_array_append_val (self->found, found);
}

/* FALSE: told. */
static gboolean
limit_of (const Update *self, const Found *found, gint64 *out_us)
{
  *out_us = self->limit_us == LK_TIME_NEVER ? 0 : self->limit_us;
  if (self->sign == '=')
    return TRUE;
  if (found->limit_us == 0 || (self->sign == '-' && self->limit_us >= found->limit_us)) {
    fprintf (self->client->err,
             found->limit_us == 0
                 ? "TimeLimit of step %u.%u is UNLIMITED: nothing is added or taken\n"
                 : "TimeLimit decrement larger than current time limit of step %u.%u\n",
             found->job_id, found->step_id);
    return FALSE;
  }
  *out_us = self->sign == '+' ? lk_time_add_us (found->limit_us, self->limit_us)
                              : found->limit_us - self->limit_us;
  return TRUE;
}

static void
take_answer (gpointer user, const LkMessage *message)
{
  *(guint16 *)user = message->step_reply.error;
}

/* FALSE: told. */
static gboolean
change (const Update *self, const Found *found)
{
  const LkClient *client = self->client;
  LkMessage message = { .kind = LK_MESSAGE_STEP_UPDATE };
  guint16 refused = 0;
  g_autoptr (GError) error = NULL;
  message.step_update.job_id = found->job_id;
  message.step_update.step_id = found->step_id;
  if (!limit_of (self, found, &message.step_update.limit_us))
    return FALSE;
  gboolean is_answered =
      client->wire->exchange (client->wire_self, &message, take_answer, &refused, &error);
  if (!is_answered || refused != 0)
    fprintf (client->err, "slurm_update error: %s\n",
             is_answered ? lk_step_error_text (refused) : error->message);
  return is_answered && refused == 0;
}

static int
change_all (Update *self)
{
  /* Of a task or a component the number of the job is not known. */
  gboolean is_part = self->task >= 0 || self->component >= 0;
  LkClientQuery query = { .kind = LK_RECORD_STEP, .job_id = is_part ? 0 : self->job_id };
  int code = 0;
  g_autoptr (GError) error = NULL;
  gboolean is_told = lk_client_query (self->client, &query, take_step, self, &error);
  if (!is_told || self->found->len == 0) {
    fprintf (self->client->err, "slurm_update error: %s\n",
             is_told ? lk_step_error_text (LK_STEP_ERROR_INVALID_JOB_ID) : error->message);
    return LK_SCONTROL_FAILURE;
  }
  for (guint i = 0; i < self->found->len; i++)
    if (!change (self, &g_array_index (self->found, Found, i)))
      code = LK_SCONTROL_FAILURE;
  return code;
}

int
lk_scontrol_step_update (LkClient *client, char **words)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Found));
  Update self = { .client = client, .found = found };
  return words_read (&self, words) ? change_all (&self) : LK_SCONTROL_FAILURE;
}
