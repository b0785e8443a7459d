/* live/spank/calls.c — what plugins call (spank.h).
 *
 * The stack that they belong to is known to the process, as several of these have no handle. */
#include <stdarg.h>
#include <string.h>

#include "live/spank/stack_private.h"

static LkSpank *served;

void
lk_spank_calls_serve (LkSpank *stack)
{
  served = stack;
}

static gboolean
is_handle (const struct spank_handle *handle)
{
  return handle != NULL && handle->magic == LK_SPANK_MAGIC && handle->stack != NULL;
}

/* ---------------------------------------------------------------- lines */

static void say_v (const LkSpank *self, LkSpankLevel level, const char *format, va_list arguments)
    G_GNUC_PRINTF (3, 0);

static void
say_v (const LkSpank *self, LkSpankLevel level, const char *format, va_list arguments)
{
  g_autofree char *line = g_strdup_vprintf (format, arguments);
  if (self != NULL && self->log != NULL)
    self->log (self->log_user, level, line);
}

void
lk_spank_say (const LkSpank *self, LkSpankLevel level, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  say_v (self, level, format, arguments);
  va_end (arguments);
}

#define SAYS(name, LEVEL)                                                                          \
  void name (const char *format, ...)                                                              \
  {                                                                                                \
    va_list arguments;                                                                             \
    va_start (arguments, format);                                                                  \
    say_v (served, LK_SPANK_LOG_##LEVEL, format, arguments);                                       \
    va_end (arguments);                                                                            \
  }
SAYS (slurm_error, ERROR)
SAYS (slurm_info, INFO)
SAYS (slurm_verbose, VERBOSE)
SAYS (slurm_debug, DEBUG)
SAYS (slurm_debug2, DEBUG)
SAYS (slurm_debug3, DEBUG)
SAYS (slurm_spank_log, PLAIN)
#undef SAYS

/* ---------------------------------------------------------------- about themselves */

const char *
spank_strerror (spank_err_t error)
{
  static const struct {
    spank_err_t error;
    const char *text;
  } texts[] = {
    { ESPANK_SUCCESS, "Success" },
    { ESPANK_ERROR, "Generic error" },
    { ESPANK_BAD_ARG, "Bad argument" },
    { ESPANK_NOT_TASK, "Not in task context" },
    { ESPANK_ENV_EXISTS, "Environment variable exists" },
    { ESPANK_ENV_NOEXIST, "No such environment variable" },
    { ESPANK_NOSPACE, "Buffer too small" },
    { ESPANK_NOT_REMOTE, "Valid only in remote context" },
    { ESPANK_NOEXIST, "Id/PID does not exist on this node" },
    { ESPANK_NOT_EXECD, "Lookup by PID requested, but no tasks running" },
    { ESPANK_NOT_AVAIL, "Item not available from this callback" },
    { ESPANK_NOT_LOCAL, "Valid only in local or allocator context" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (texts[i].error == error)
      return texts[i].text;
  return "Unknown";
}

int
spank_symbol_supported (const char *symbol)
{
  static const char *const names[] = {
#define X(NAME, name) "slurm_spank_" #name,
    LK_SPANK_HOOKS (X)
#undef X
  };
  if (symbol == NULL)
    return -1;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i], symbol) == 0)
      return 1;
  return 0;
}

int
spank_remote (spank_t spank)
{
  if (!is_handle (spank))
    return -1;
  return spank->stack->context == S_CTX_REMOTE ? 1 : 0;
}

spank_context_t
spank_context (void)
{
  return served != NULL ? served->context : S_CTX_ERROR;
}

/* ---------------------------------------------------------------- options */

spank_err_t
spank_option_register (spank_t spank, struct spank_option *option)
{
  if (!is_handle (spank) || option == NULL || !spank->stack->is_within
      || spank->stack->hook != LK_SPANK_INIT)
    return ESPANK_BAD_ARG;
  return lk_spank_option_add (spank->stack, spank->plugin, option) ? ESPANK_SUCCESS
                                                                   : ESPANK_BAD_ARG;
}

spank_err_t
spank_option_getopt (spank_t spank, struct spank_option *option, char **optarg)
{
  if (!is_handle (spank))
    return ESPANK_BAD_ARG;
  const LkSpank *self = spank->stack;
  if (self->context == S_CTX_SLURMD || self->hook == LK_SPANK_INIT)
    return ESPANK_NOT_AVAIL;
  if (option == NULL || option->name == NULL || (option->has_arg != 0 && optarg == NULL))
    return ESPANK_BAD_ARG;
  if (optarg != NULL)
    *optarg = NULL;
  for (guint i = 0; i < self->options->len; i++) {
    const LkSpankGiven *given = g_ptr_array_index (self->options, i);
    if (given->plugin != spank->plugin || strcmp (given->option.name, option->name) != 0)
      continue;
    if (!given->is_given)
      return ESPANK_ERROR;
    if (optarg != NULL)
      *optarg = given->value;
    return ESPANK_SUCCESS;
  }
  return ESPANK_ERROR;
}

/* ---------------------------------------------------------------- items */

spank_err_t
spank_get_item (spank_t spank, spank_item_t item, ...)
{
  if (!is_handle (spank))
    return ESPANK_BAD_ARG;
  LkSpankItemPlaces out = { .pid = 0 };
  va_list arguments;
  va_start (arguments, item);
  /* NOLINTBEGIN(clang-analyzer-valist.*): the analyzer does not follow va_start behind an enum. */
  if (lk_spank_item_is_of_pid (item))
    out.pid = va_arg (arguments, pid_t);
  if (lk_spank_item_is_of_number (item))
    out.number = va_arg (arguments, guint32);
  out.places[0] = va_arg (arguments, void *);
  if (lk_spank_item_has_two (item))
    out.places[1] = va_arg (arguments, void *);
  /* NOLINTEND(clang-analyzer-valist.*) */
  va_end (arguments);
  return lk_spank_item (spank->stack, item, &out);
}

/* ---------------------------------------------------------------- variables */

static spank_err_t
variable_get (const GPtrArray *list, const char *name, char *buffer, int length)
{
  gint at = lk_spank_variable_find (list, name);
  if (at < 0)
    return ESPANK_ENV_NOEXIST;
  const char *value = (const char *)g_ptr_array_index (list, at) + strlen (name) + 1;
  return g_strlcpy (buffer, value, (gsize)length) < (gsize)length ? ESPANK_SUCCESS : ESPANK_NOSPACE;
}

static spank_err_t
variable_set (GPtrArray *list, const char *name, const char *value, int overwrite)
{
  if (overwrite == 0 && lk_spank_variable_find (list, name) >= 0)
    return ESPANK_ENV_EXISTS;
  lk_spank_variable_put (list, name, g_strconcat (name, "=", value, NULL));
  return ESPANK_SUCCESS;
}

static spank_err_t
variable_unset (GPtrArray *list, const char *name)
{
  gint at = lk_spank_variable_find (list, name);
  if (at >= 0)
    g_ptr_array_remove_index (list, (guint)at);
  return at >= 0 ? ESPANK_SUCCESS : ESPANK_ENV_NOEXIST;
}

static gboolean
is_variable (const char *name)
{
  return name != NULL && *name != '\0' && strchr (name, '=') == NULL;
}

spank_err_t
spank_getenv (spank_t spank, const char *name, char *buffer, int length)
{
  if (!is_handle (spank) || !is_variable (name) || buffer == NULL || length <= 0)
    return ESPANK_BAD_ARG;
  if (spank->stack->scene.environment == NULL)
    return ESPANK_NOT_REMOTE;
  return variable_get (spank->stack->scene.environment, name, buffer, length);
}

spank_err_t
spank_setenv (spank_t spank, const char *name, const char *value, int overwrite)
{
  if (!is_handle (spank) || !is_variable (name) || value == NULL)
    return ESPANK_BAD_ARG;
  if (spank->stack->scene.environment == NULL)
    return ESPANK_NOT_REMOTE;
  return variable_set (spank->stack->scene.environment, name, value, overwrite);
}

spank_err_t
spank_unsetenv (spank_t spank, const char *name)
{
  if (!is_handle (spank) || !is_variable (name))
    return ESPANK_BAD_ARG;
  if (spank->stack->scene.environment == NULL)
    return ESPANK_NOT_REMOTE;
  variable_unset (spank->stack->scene.environment, name);
  return ESPANK_SUCCESS;
}

static gboolean
is_in_command (const LkSpank *self)
{
  return self->context == S_CTX_LOCAL || self->context == S_CTX_ALLOCATOR;
}

spank_err_t
spank_job_control_setenv (spank_t spank, const char *name, const char *value, int overwrite)
{
  if (!is_handle (spank) || !lk_spank_is_name (name) || value == NULL
      || strlen (value) > LK_SPANK_VALUE_MAX_BYTES)
    return ESPANK_BAD_ARG;
  if (!is_in_command (spank->stack))
    return ESPANK_NOT_LOCAL;
  return variable_set (spank->stack->variables, name, value, overwrite);
}

spank_err_t
spank_job_control_getenv (spank_t spank, const char *name, char *buffer, int length)
{
  if (!is_handle (spank) || !lk_spank_is_name (name) || buffer == NULL || length <= 0)
    return ESPANK_BAD_ARG;
  if (!is_in_command (spank->stack))
    return ESPANK_NOT_LOCAL;
  return variable_get (spank->stack->variables, name, buffer, length);
}

spank_err_t
spank_job_control_unsetenv (spank_t spank, const char *name)
{
  if (!is_handle (spank) || !lk_spank_is_name (name))
    return ESPANK_BAD_ARG;
  if (!is_in_command (spank->stack))
    return ESPANK_NOT_LOCAL;
  return variable_unset (spank->stack->variables, name);
}
