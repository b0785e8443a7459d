/* sim/whatif/effect_show.h — an effect for people and as JSON (docs/whatif.md). */
#ifndef LK_SIM_WHATIF_EFFECT_SHOW_H
#define LK_SIM_WHATIF_EFFECT_SHOW_H

#include "sim/json_out.h"
#include "sim/whatif/effect.h"

typedef struct {
  const LkQuestion *question;
  const GPtrArray *pairs;
  const LkEffect *effect;
  double calibration; /* starts are told with intervals that are so much wider; 1: as drawn */
  gboolean is_all;    /* all jobs, not only those that move most */
} LkEffectShow;

void lk_effect_text (const LkEffectShow *show, GString *out);
void lk_effect_json (const LkEffectShow *show, GString *out);

/* What both begin with: the state, and of what futures are made. */
void lk_question_text (const LkQuestion *question, GString *out);
void lk_question_json (const LkQuestion *question, LkJsonOut *json);
/* "12", "12_3", "12(log:7)"; as JSON members job and, where it is another number, log_id. */
void lk_key_text (const LkJournalNames *names, guint64 key, GString *out);
void lk_key_json (const LkJournalNames *names, guint64 key, LkJsonOut *json);
/* Name of a user of the state, or his number. Returns: (transfer full). */
char *lk_whatif_user (const LkWhatifState *state, guint32 user_id);
/* [-][d-]hh:mm:ss, or "-" for what is no number. Returns: (transfer full). */
char *lk_whatif_time (double seconds);
void lk_interval_json (LkJsonOut *json, const char *key, const LkInterval *interval);

#endif
