/* live/step/bind_list.c — see the header. */
#include "live/step/bind_list.h"

#include <string.h>

/* More CPUs, and more of a list, than any node has. */
#define NUMBERS_MAX 4096u
#define LIST_MAX 4096u

void
lk_bind_mask_append (GString *out, const GArray *numbers)
{
  guint8 digits[NUMBERS_MAX / 4] = { 0 };
  guint last = 0;
  for (guint i = 0; i < numbers->len; i++) {
    guint32 number = g_array_index (numbers, guint32, i);
    if (number >= NUMBERS_MAX)
      continue;
    digits[number / 4] |= (guint8)(1u << number % 4);
    last = MAX (last, number / 4);
  }
  g_string_append (out, out->len > 0 ? ",0x" : "0x");
  for (guint i = last + 1; i-- > 0;)
    g_string_append_printf (out, "%X", digits[i]);
}

GArray *
lk_bind_mask_read (const char *text)
{
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (guint32));
  if (g_str_has_prefix (text, "0x") || g_str_has_prefix (text, "0X"))
    text += 2;
  gsize length = strlen (text);
  gboolean is_good = length > 0 && length <= NUMBERS_MAX / 4;
  for (gsize i = 0; i < length && is_good; i++) {
    int digit = g_ascii_xdigit_value (text[length - 1 - i]);
    is_good = digit >= 0;
    for (guint bit = 0; bit < 4 && is_good; bit++) {
      guint32 number = (guint32)(4 * i + bit);
      if ((digit & 1 << bit) != 0)
        g_array_append_val (numbers, number);
    }
  }
  if (numbers->len == 0 || !is_good)
    g_clear_pointer (&numbers, g_array_unref);
  return numbers;
}

GArray *
lk_bind_number_read (const char *text)
{
  guint64 number;
  gboolean is_hex = g_str_has_prefix (text, "0x");
  if (!g_ascii_string_to_unsigned (is_hex ? text + 2 : text, is_hex ? 16 : 10, 0, NUMBERS_MAX - 1,
                                   &number, NULL))
    return NULL;
  guint32 kept = (guint32)number;
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_val (numbers, kept);
  return numbers;
}

GPtrArray *
lk_bind_list_read (const char *text, LkBindReader read)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func ((GDestroyNotify)g_array_unref);
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    guint64 count = 1;
    char *star = strchr (words[i], '*');
    if (star != NULL && !g_ascii_string_to_unsigned (star + 1, 10, 1, LIST_MAX, &count, NULL))
      return NULL;
    if (star != NULL)
      *star = '\0';
    g_autoptr (GArray) one = read (words[i]);
    if (one == NULL || list->len + count > LIST_MAX)
      return NULL;
    for (guint64 j = 0; j < count; j++)
      g_ptr_array_add (list, g_array_ref (one));
  }
  return list->len > 0 ? g_steal_pointer (&list) : NULL;
}
