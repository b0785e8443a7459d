/* tests/property/machine_text.c — see the header. */
#include "tests/property/machine_text.h"

#include <string.h>

guint64
lk_machine_read_ranges (const char *text)
{
  g_auto (GStrv) ranges = g_strsplit (text, ",", -1);
  guint64 set = 0;
  for (guint i = 0; ranges[i] != NULL; i++) {
    char *end = NULL;
    guint64 from = g_ascii_strtoull (ranges[i], &end, 10);
    guint64 to = *end == '-' ? g_ascii_strtoull (end + 1, &end, 10) : from;
    g_assert_cmpint (*end, ==, '\0');
    g_assert_cmpuint (from, <=, to);
    for (guint64 member = from; member <= to; member++)
      set |= G_GUINT64_CONSTANT (1) << member;
  }
  return set;
}

void
lk_machine_read_gres (const char *text, LkMachineGres *out)
{
  g_auto (GStrv) words = g_strsplit (text, "|", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    char *end = NULL;
    if (g_str_has_prefix (words[i], "gpu:")) {
      out->devices = lk_machine_read_ranges (words[i] + strlen ("gpu:"));
    } else if (g_str_has_prefix (words[i], "shard*")) {
      out->shares = (guint32)g_ascii_strtoull (words[i] + strlen ("shard*"), &end, 10);
      g_assert_cmpint (*end, ==, '@');
      out->share_device = (guint32)g_ascii_strtoull (end + 1, &end, 10);
      g_assert_cmpint (*end, ==, '\0');
    } else {
      g_assert_true (g_str_has_prefix (words[i], "nic*"));
      out->counts = (guint32)g_ascii_strtoull (words[i] + strlen ("nic*"), &end, 10);
      g_assert_cmpint (*end, ==, '\0');
    }
  }
}
