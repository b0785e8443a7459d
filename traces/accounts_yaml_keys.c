/* traces/accounts_yaml_keys.c — see accounts_yaml_keys.h. */
#include "traces/accounts_yaml_keys.h"

#include <stddef.h>

#define MEMBER(key, kind, type, member)                                                            \
  {                                                                                                \
    key, #member, LK_ACCOUNTS_KEY_##kind, offsetof (type, member)                                  \
  }
#define THING(key, kind, member)                                                                   \
  {                                                                                                \
    key, member, LK_ACCOUNTS_KEY_##kind, 0                                                         \
  }
#define END                                                                                        \
  {                                                                                                \
    NULL, NULL, LK_ACCOUNTS_KEY_TEXT, 0                                                            \
  }

const LkAccountsKey lk_accounts_page_keys[] = {
  MEMBER ("cluster", NAME, LkAccounts, cluster),
  MEMBER ("enforce", ENFORCE, LkAccounts, enforce),
  MEMBER ("compat", COMPAT, LkAccounts, compat),
  MEMBER ("half_life", SPAN, LkAccounts, half_life_us),
  MEMBER ("calc_period", SPAN, LkAccounts, calc_period_us),
  MEMBER ("usage_reset", RESET, LkAccounts, reset),
  MEMBER ("utc_offset_s", OFFSET, LkAccounts, utc_offset_s),
  MEMBER ("billing", BILLING, LkAccounts, billing),
  MEMBER ("accrue_always", FLAG, LkAccounts, accrue_always),
  MEMBER ("tres", TRES, LkAccounts, tres),
  MEMBER ("qos", QOS, LkAccounts, qos),
  THING ("root", ROOT, ""),
  MEMBER ("accounts", ACCOUNTS, LkAccounts, associations),
  END,
};

const LkAccountsKey lk_accounts_qos_keys[] = {
  MEMBER ("name", NAME, LkQosSpec, name),
  MEMBER ("description", TEXT, LkQosSpec, description),
  MEMBER ("priority", COUNT, LkQosSpec, priority),
  MEMBER ("flags", QOS_FLAGS, LkQosSpec, flags),
  MEMBER ("usage_factor", REAL, LkQosSpec, usage_factor),
  MEMBER ("usage_threshold", OPTION, LkQosSpec, usage_threshold),
  MEMBER ("limit_factor", OPTION, LkQosSpec, limit_factor),
  MEMBER ("limits", LIMITS, LkQosSpec, limits),
  MEMBER ("preempt", LIST, LkQosSpec, preempt),
  MEMBER ("preempt_mode", TEXT, LkQosSpec, preempt_mode),
  MEMBER ("grace", SPAN, LkQosSpec, grace_us),
  MEMBER ("preempt_exempt", EXEMPT, LkQosSpec, preempt_exempt_us),
  END,
};

#define COMMON_KEYS                                                                                \
  MEMBER ("shares", SHARES, LkAssociationSpec, shares),                                            \
      MEMBER ("priority", COUNT, LkAssociationSpec, priority),                                     \
      MEMBER ("qos", LIST, LkAssociationSpec, qos),                                                \
      MEMBER ("default_qos", NAME, LkAssociationSpec, default_qos),                                \
      MEMBER ("limits", LIMITS, LkAssociationSpec, limits)
#define ACCOUNT_KEYS                                                                               \
  COMMON_KEYS, MEMBER ("description", TEXT, LkAssociationSpec, description),                       \
      MEMBER ("organization", TEXT, LkAssociationSpec, organization), THING ("users", USERS, "")

const LkAccountsKey lk_accounts_root_keys[] = { ACCOUNT_KEYS, END };

const LkAccountsKey lk_accounts_account_keys[] = {
  MEMBER ("account", NAME, LkAssociationSpec, account),
  ACCOUNT_KEYS,
  THING ("accounts", ACCOUNTS, ""),
  END,
};

const LkAccountsKey lk_accounts_user_keys[] = {
  MEMBER ("user", NAME, LkAssociationSpec, user),
  MEMBER ("partition", TEXT, LkAssociationSpec, partition),
  COMMON_KEYS,
  MEMBER ("default", FLAG, LkAssociationSpec, is_default),
  MEMBER ("admin_level", TEXT, LkAssociationSpec, admin_level),
  MEMBER ("coordinates", LIST, LkAssociationSpec, coordinates),
  MEMBER ("usage", REAL, LkAssociationSpec, usage),
  MEMBER ("usage_wall_s", REAL, LkAssociationSpec, usage_wall_s),
  MEMBER ("usage_tres", TRES_VALUES, LkAssociationSpec, usage_tres),
  END,
};

static const char *
word_at (LkAccountsKeyKind kind, guint index)
{
  switch (kind) {
  case LK_ACCOUNTS_KEY_COMPAT:
    return lk_compat_words ()[index];
  case LK_ACCOUNTS_KEY_RESET:
    return lk_reset_words ()[index];
  case LK_ACCOUNTS_KEY_BILLING:
    return lk_billing_words ()[index];
  case LK_ACCOUNTS_KEY_ENFORCE:
    return lk_enforce_name (index);
  case LK_ACCOUNTS_KEY_QOS_FLAGS:
    return lk_qos_flag_name (index);
  default:
    return NULL;
  }
}

const char **
lk_accounts_key_words (LkAccountsKeyKind kind)
{
  GPtrArray *words = g_ptr_array_new ();
  const char *word;
  for (guint i = 0; (word = word_at (kind, i)) != NULL; i++)
    g_ptr_array_add (words, (gpointer)word);
  g_ptr_array_add (words, NULL);
  return (const char **)g_ptr_array_free (words, FALSE);
}
