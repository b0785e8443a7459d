/* live/client/step/task_places.c — see the header. */
#include "live/client/step/task_places.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include "live/port/run_share.h"

/* Most addresses that nodes may try, so that a machine with many does not hold them up. */
#define ADDRESS_MAX 8u

/* ---------------------------------------------------------------- tasks */

void
lk_task_places_init (LkTaskPlaces *self)
{
  self->node_names = g_ptr_array_new_with_free_func (g_free);
  self->task_nodes = g_ptr_array_new ();
  self->task_indices = g_array_new (FALSE, TRUE, sizeof (guint32));
}

void
lk_task_places_clear (LkTaskPlaces *self)
{
  g_ptr_array_unref (self->task_nodes);
  g_array_unref (self->task_indices);
  g_ptr_array_unref (self->node_names);
}

void
lk_task_places_take (LkTaskPlaces *self, guint32 task_count, LkPlaces places)
{
  LkStepPlace place;
  g_ptr_array_set_size (self->task_nodes, 0);
  g_ptr_array_set_size (self->task_nodes, (gint)task_count);
  g_array_set_size (self->task_indices, task_count);
  for (guint32 index = 0; lk_step_place_next (&places, &place); index++) {
    char *name = g_strndup (place.node.bytes, place.node.length_bytes);
    g_autofree char *ranges = g_strndup (place.tasks.bytes, place.tasks.length_bytes);
    g_autoptr (GArray) tasks = lk_number_ranges (ranges);
    g_ptr_array_add (self->node_names, name);
    for (guint i = 0; i < tasks->len; i++) {
      guint32 task = g_array_index (tasks, guint32, i);
      if (task >= task_count)
        continue;
      g_ptr_array_index (self->task_nodes, task) = name;
      g_array_index (self->task_indices, guint32, task) = index;
    }
  }
  for (guint32 i = 0; i < task_count; i++)
    if (g_ptr_array_index (self->task_nodes, i) == NULL)
      g_ptr_array_index (self->task_nodes, i) = (gpointer) "";
}

/* ---------------------------------------------------------------- addresses */

static void
address_append (GString *out, guint *count, const struct sockaddr *address, guint16 port)
{
  char text[INET6_ADDRSTRLEN];
  gboolean is_4 = address->sa_family == AF_INET;
  const void *bytes =
      is_4 ? (const void *)&((const struct sockaddr_in *)(gconstpointer)address)->sin_addr
           : (const void *)&((const struct sockaddr_in6 *)(gconstpointer)address)->sin6_addr;
  if (*count >= ADDRESS_MAX || inet_ntop (address->sa_family, bytes, text, sizeof text) == NULL)
    return;
  ++*count;
  g_string_append_printf (out, is_4 ? "%s%s:%u" : "%s[%s]:%u", out->len > 0 ? "," : "", text, port);
}

static gboolean
is_of_use (const struct ifaddrs *at, int family, gboolean is_loopback)
{
  if (at->ifa_addr == NULL || at->ifa_addr->sa_family != family
      || ((at->ifa_flags & IFF_LOOPBACK) != 0) != is_loopback || (at->ifa_flags & IFF_UP) == 0)
    return FALSE;
  return family == AF_INET
         || !IN6_IS_ADDR_LINKLOCAL (
             &((const struct sockaddr_in6 *)(gconstpointer)at->ifa_addr)->sin6_addr);
}

char *
lk_step_addresses (guint16 port)
{
  static const int families[] = { AF_INET, AF_INET6 };
  struct ifaddrs *all = NULL;
  guint count = 0;
  GString *out = g_string_new (NULL);
  if (getifaddrs (&all) != 0)
    all = NULL;
  for (int is_loopback = FALSE; is_loopback <= TRUE; is_loopback++)
    for (guint i = 0; i < G_N_ELEMENTS (families); i++)
      for (const struct ifaddrs *at = all; at != NULL; at = at->ifa_next)
        if (is_of_use (at, families[i], is_loopback))
          address_append (out, &count, at->ifa_addr, port);
  if (all != NULL)
    freeifaddrs (all);
  if (count == 0)
    g_string_append_printf (out, "127.0.0.1:%u", port);
  return g_string_free (out, FALSE);
}
