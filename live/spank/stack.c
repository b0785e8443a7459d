/* live/spank/stack.c — see the header. */
#include "live/spank/stack.h"

#include <dlfcn.h>
#include <string.h>

#include "live/spank/plugstack.h"
#include "live/spank/stack_private.h"

#define OPTIONS_MAX 512u
#define VARIABLES_MAX 4096u
#define OPTION_PREFIX "_SLURM_SPANK_OPTION_"

static const char *const hook_names[] = {
#define X(NAME, name) #name,
  LK_SPANK_HOOKS (X)
#undef X
};

/* ---------------------------------------------------------------- variables */

gboolean
lk_spank_is_name (const char *name)
{
  if (name == NULL || *name == '\0')
    return FALSE;
  for (const char *at = name; *at != '\0'; at++)
    if (!g_ascii_isalnum (*at) && *at != '_')
      return FALSE;
  return TRUE;
}

gint
lk_spank_variable_find (const GPtrArray *list, const char *name)
{
  gsize length = strlen (name);
  for (guint i = 0; i < list->len; i++) {
    const char *variable = g_ptr_array_index (list, i);
    if (variable != NULL && strncmp (variable, name, length) == 0 && variable[length] == '=')
      return (gint)i;
  }
  return -1;
}

void
lk_spank_variable_put (GPtrArray *list, const char *name, char *variable)
{
  gint at = lk_spank_variable_find (list, name);
  gboolean has_end = list->len > 0 && g_ptr_array_index (list, list->len - 1) == NULL;
  if (at >= 0)
    g_ptr_array_index (list, at) = variable;
  else
    g_ptr_array_insert (list, has_end ? (gint)list->len - 1 : -1, variable);
}

void
lk_spank_job_read (LkSpank *self, const char *const *environment)
{
  gsize prefix = strlen (LK_SPANK_JOB_PREFIX);
  for (guint i = 0; environment != NULL && environment[i] != NULL; i++) {
    const char *equals = strchr (environment[i], '=');
    if (!g_str_has_prefix (environment[i], LK_SPANK_JOB_PREFIX) || equals == NULL)
      continue;
    const char *rest = environment[i] + prefix;
    g_autofree char *name = g_strndup (rest, (gsize)MAX (equals - rest, 0));
    if (lk_spank_is_name (name) && strlen (equals + 1) <= LK_SPANK_VALUE_MAX_BYTES
        && self->variables->len < VARIABLES_MAX
        && lk_spank_variable_find (self->variables, name) < 0)
      g_ptr_array_add (self->variables, g_strdup (rest));
  }
}

GPtrArray *
lk_spank_job_variables (const LkSpank *self)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < self->variables->len; i++)
    g_ptr_array_add (
        list, g_strconcat (LK_SPANK_JOB_PREFIX, g_ptr_array_index (self->variables, i), NULL));
  return list;
}

/* ---------------------------------------------------------------- options */

static void
given_free (gpointer data)
{
  LkSpankGiven *self = data;
  g_free (self->option.name);
  g_free (self->option.arginfo);
  g_free (self->option.usage);
  g_free (self->value);
  g_free (self);
}

static gboolean
is_option_name (const char *name)
{
  if (name == NULL || !g_ascii_isalnum (*name) || strlen (name) > SPANK_OPTION_MAXLEN)
    return FALSE;
  for (const char *at = name; *at != '\0'; at++)
    if (!g_ascii_isgraph (*at) || *at == '=' || *at == '\'')
      return FALSE;
  return TRUE;
}

gboolean
lk_spank_option_add (LkSpank *self, guint plugin, const struct spank_option *option)
{
  const LkSpankPlugin *owner = g_ptr_array_index (self->plugins, plugin);
  if (!is_option_name (option->name) || option->has_arg < 0 || option->has_arg > 2
      || self->options->len >= OPTIONS_MAX) {
    lk_spank_say (self, LK_SPANK_LOG_ERROR, "spank: %s: expected an option with a name",
                  owner->name);
    return FALSE;
  }
  for (guint i = 0; i < self->options->len; i++) {
    const LkSpankGiven *other = g_ptr_array_index (self->options, i);
    if (strcmp (other->option.name, option->name) != 0)
      continue;
    lk_spank_say (
        self, LK_SPANK_LOG_ERROR, "spank: option \"%s\" provided by both %s and %s", option->name,
        ((LkSpankPlugin *)g_ptr_array_index (self->plugins, other->plugin))->name, owner->name);
    return FALSE;
  }
  LkSpankGiven *given = g_new0 (LkSpankGiven, 1);
  given->plugin = plugin;
  given->option = *option;
  given->option.name = g_strdup (option->name);
  given->option.arginfo = g_strdup (option->arginfo);
  given->option.usage = g_strdup (option->usage);
  g_ptr_array_add (self->options, given);
  return TRUE;
}

/* _SLURM_SPANK_OPTION_plugin_option. Returns: (transfer full). */
static char *
option_variable (const LkSpank *self, const LkSpankGiven *given)
{
  const LkSpankPlugin *plugin = g_ptr_array_index (self->plugins, given->plugin);
  char *name = g_strconcat (OPTION_PREFIX, plugin->name, "_", given->option.name, NULL);
  for (char *at = name; *at != '\0'; at++)
    if (!g_ascii_isalnum (*at))
      *at = '_';
  return name;
}

static gboolean
option_set (LkSpank *self, LkSpankGiven *given, const char *value, gboolean is_remote)
{
  const struct spank_option *option = &given->option;
  gboolean has_value =
      value != NULL && option->has_arg != 0 && (*value != '\0' || option->has_arg == 1);
  g_free (given->value);
  given->value = has_value ? g_strdup (value) : NULL;
  given->is_given = TRUE;
  lk_spank_calls_serve (self);
  return option->cb == NULL || option->cb (option->val, given->value, is_remote ? 1 : 0) >= 0;
}

gboolean
lk_spank_option_take (LkSpank *self, guint index, const char *value)
{
  LkSpankGiven *given = g_ptr_array_index (self->options, index);
  g_autofree char *name = option_variable (self, given);
  if (!option_set (self, given, value, /* is_remote= */ FALSE))
    return FALSE;
  lk_spank_variable_put (self->variables, name,
                         g_strconcat (name, "=", given->value != NULL ? given->value : "", NULL));
  return TRUE;
}

gboolean
lk_spank_job_options (LkSpank *self)
{
  for (guint i = 0; i < self->options->len; i++) {
    LkSpankGiven *given = g_ptr_array_index (self->options, i);
    g_autofree char *name = option_variable (self, given);
    gint at = lk_spank_variable_find (self->variables, name);
    if (at < 0)
      continue;
    const char *value = (const char *)g_ptr_array_index (self->variables, at) + strlen (name) + 1;
    const LkSpankPlugin *plugin = g_ptr_array_index (self->plugins, given->plugin);
    if (option_set (self, given, value, /* is_remote= */ TRUE))
      continue;
    lk_spank_say (self, LK_SPANK_LOG_ERROR, "spank: %s: option --%s is refused with this value",
                  plugin->name, given->option.name);
    if (plugin->is_required)
      return FALSE;
  }
  return TRUE;
}

guint
lk_spank_option_count (const LkSpank *self)
{
  return self->options->len;
}

const struct spank_option *
lk_spank_option (const LkSpank *self, guint index)
{
  return &((LkSpankGiven *)g_ptr_array_index (self->options, index))->option;
}

/* ---------------------------------------------------------------- loading */

static void
plugin_free (gpointer data)
{
  LkSpankPlugin *self = data;
  if (self->library != NULL)
    dlclose (self->library);
  g_free (self->path);
  g_free (self->name);
  g_strfreev (self->arguments);
  g_free (self);
}

static gboolean
symbols_take (LkSpankPlugin *self, GError **error)
{
  const char *type = dlsym (self->library, "plugin_type");
  const char *name = dlsym (self->library, "plugin_name");
  if (type == NULL || name == NULL || strcmp (type, "spank") != 0 || !lk_spank_is_name (name)) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                 "%s: expected a SPANK plugin: plugin_type is 'spank', plugin_name letters, digits "
                 "and _",
                 self->path);
    return FALSE;
  }
  self->name = g_strdup (name);
  for (guint i = 0; i < LK_SPANK_HOOK_COUNT; i++) {
    g_autofree char *symbol = g_strconcat ("slurm_spank_", hook_names[i], NULL);
    void *found = dlsym (self->library, symbol);
    memcpy (&self->hooks[i], &found, sizeof found);
  }
  return TRUE;
}

/* Returns: (transfer full). */
static LkSpankPlugin *
plugin_load (const LkPlugstackEntry *entry, GError **error)
{
  LkSpankPlugin *self = g_new0 (LkSpankPlugin, 1);
  self->path = g_strdup (entry->path);
  self->is_required = entry->is_required;
  self->arguments = g_strdupv (entry->arguments);
  self->argument_count = g_strv_length (entry->arguments);
  if (lk_plugstack_is_trusted (entry->path, error)) {
    self->library = dlopen (entry->path, RTLD_NOW | RTLD_LOCAL);
    if (self->library == NULL)
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s", dlerror ());
    else if (symbols_take (self, error))
      return self;
  }
  plugin_free (self);
  return NULL;
}

static gboolean
entry_load (LkSpank *self, const LkPlugstackEntry *entry, GError **error)
{
  g_autoptr (GError) wrong = NULL;
  LkSpankPlugin *plugin = plugin_load (entry, &wrong);
  if (plugin != NULL) {
    g_ptr_array_add (self->plugins, plugin);
    struct spank_option *table = dlsym (plugin->library, "spank_options");
    for (guint i = 0; table != NULL && i < OPTIONS_MAX && table[i].name != NULL; i++)
      lk_spank_option_add (self, self->plugins->len - 1, &table[i]);
    return TRUE;
  }
  if (!entry->is_required) {
    lk_spank_say (self, LK_SPANK_LOG_VERBOSE,
                  "spank: %s:%u: Failed to load optional plugin %s. Ignored. (%s)", entry->file,
                  entry->line, entry->path, wrong->message);
    return TRUE;
  }
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
               "spank: %s:%u: Failed to load plugin %s. Aborting. (%s)", entry->file, entry->line,
               entry->path, wrong->message);
  return FALSE;
}

LkSpank *
lk_spank_load (const LkSpankOptions *options, GError **error)
{
  g_autoptr (LkSpank) self = g_new0 (LkSpank, 1);
  self->context = options->context;
  self->log = options->log;
  self->log_user = options->log_user;
  self->plugins = g_ptr_array_new_with_free_func (plugin_free);
  self->options = g_ptr_array_new_with_free_func (given_free);
  /* A variable that was replaced is not freed: a plugin may still hold it. */
  self->variables = g_ptr_array_new ();
  self->scene.task = -1;
  g_autoptr (GPtrArray) entries = options->plugstack != NULL
                                      ? lk_plugstack_read (options->plugstack, error)
                                      : g_ptr_array_new ();
  if (entries == NULL)
    return NULL;
  lk_spank_calls_serve (self);
  for (guint i = 0; i < entries->len; i++)
    if (!entry_load (self, g_ptr_array_index (entries, i), error))
      return NULL;
  return g_steal_pointer (&self);
}

void
lk_spank_free (LkSpank *self)
{
  if (self == NULL)
    return;
  lk_spank_calls_serve (NULL);
  g_ptr_array_unref (self->options);
  g_ptr_array_unref (self->plugins);
  g_ptr_array_unref (self->variables);
  g_free (self);
}

/* ---------------------------------------------------------------- calling */

gboolean
lk_spank_is_empty (const LkSpank *self)
{
  return self->plugins->len == 0;
}

gboolean
lk_spank_has (const LkSpank *self, LkSpankHook hook)
{
  for (guint i = 0; i < self->plugins->len; i++)
    if (((LkSpankPlugin *)g_ptr_array_index (self->plugins, i))->hooks[hook] != NULL)
      return TRUE;
  return FALSE;
}

gboolean
lk_spank_call (LkSpank *self, LkSpankHook hook)
{
  gboolean is_good = TRUE;
  lk_spank_calls_serve (self);
  for (guint i = 0; is_good && i < self->plugins->len; i++) {
    const LkSpankPlugin *plugin = g_ptr_array_index (self->plugins, i);
    struct spank_handle handle = { LK_SPANK_MAGIC, self, i };
    if (plugin->hooks[hook] == NULL)
      continue;
    self->hook = hook;
    self->is_within = TRUE;
    int code = plugin->hooks[hook](&handle, (int)plugin->argument_count, plugin->arguments);
    self->is_within = FALSE;
    if (code >= 0)
      continue;
    lk_spank_say (self, plugin->is_required ? LK_SPANK_LOG_ERROR : LK_SPANK_LOG_VERBOSE,
                  "spank: %s plugin %s: %s() failed with rc=%d",
                  plugin->is_required ? "required" : "optional", plugin->name, hook_names[hook],
                  code);
    is_good = !plugin->is_required;
  }
  return is_good;
}

LkSpankScene *
lk_spank_scene (LkSpank *self)
{
  return &self->scene;
}

void
lk_spank_set_log (LkSpank *self, LkSpankLog log, gpointer log_user)
{
  self->log = log;
  self->log_user = log_user;
}
