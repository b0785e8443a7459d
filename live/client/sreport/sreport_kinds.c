/* live/client/sreport/sreport_kinds.c — the reports, and how each is laid out.
 *
 * Source: sreport(1); titles and columns as recorded with Slurm 26.05 (oracle/text). */
#include <pwd.h>
#include <string.h>
#include <time.h>

#include "engine/accounts.h"
#include "live/client/sreport/sreport.h"
#include "traces/table.h"

#define LINE "--------------------------------------------------------------------------------\n"
#define SECOND_US ((gint64)G_USEC_PER_SEC)

/* The report of the cells. */
typedef struct {
  const LkSreport *asked;
  const LkSreportBook *book;
  enum { BY_ACCOUNT, BY_WCKEY, BY_BOTH } by; /* what lines are of, beside users */
} Report;

/* ---------------------------------------------------------------- values */

static const struct {
  const char *words; /* in titles, behind what is told of */
  double unit_us;    /* 0: in percent alone */
  gboolean with_percent;
} units[] = {
  [LK_SREPORT_SECONDS] = { "Seconds", SECOND_US, FALSE },
  [LK_SREPORT_MINUTES] = { "Minutes", 60 * SECOND_US, FALSE },
  [LK_SREPORT_HOURS] = { "Hours", 3600 * SECOND_US, FALSE },
  [LK_SREPORT_PERCENT] = { "Percentage of Total", 0, FALSE },
  [LK_SREPORT_SECONDS_PERCENT] = { "Seconds/Percentage of Total", SECOND_US, TRUE },
  [LK_SREPORT_MINUTES_PERCENT] = { "Minutes/Percentage of Total", 60 * SECOND_US, TRUE },
  [LK_SREPORT_HOURS_PERCENT] = { "Hours/Percentage of Total", 3600 * SECOND_US, TRUE },
};

static void
append_percent (double part_us, double whole_us, GString *out)
{
  lk_table_real (out, whole_us > 0 ? 100.0 * part_us / whole_us : 0.0, 2);
  g_string_append_c (out, '%');
}

void
lk_sreport_time (LkSreportUnit unit, double time_us, double whole_us, GString *out)
{
  if (units[unit].unit_us > 0)
    g_string_append_printf (out, "%" G_GINT64_FORMAT, (gint64)(time_us / units[unit].unit_us));
  if (units[unit].with_percent)
    g_string_append_c (out, '(');
  if (units[unit].with_percent || unit == LK_SREPORT_PERCENT)
    append_percent (time_us, whole_us, out);
  if (units[unit].with_percent)
    g_string_append_c (out, ')');
}

static void
append_time (const Report *report, double used_us, guint tres, GString *out)
{
  lk_sreport_time (report->asked->unit, used_us, report->book->cluster_us[tres], out);
}

/* ---------------------------------------------------------------- cells */

#define TEXT_CELL(NAME, TEXT)                                                                      \
  static void NAME##_cell (gconstpointer report, gconstpointer user, GString *out)                 \
  {                                                                                                \
    const LkSreportRow *row = user;                                                                \
    (void)report;                                                                                  \
    g_string_append (out, TEXT);                                                                   \
  }
#define TIME_CELL(NAME, PLACE)                                                                     \
  static void NAME##_cell (gconstpointer report, gconstpointer user, GString *out)                 \
  {                                                                                                \
    const LkSreportRow *row = user;                                                                \
    append_time (report, row->used_us[PLACE], row->tres, out);                                     \
  }

enum { USED = 0, ALLOCATED = 0, DOWN, PLANNED_DOWN, IDLE, PLANNED, REPORTED };

TEXT_CELL (cluster, row->cluster)
TEXT_CELL (login, row->login)
TEXT_CELL (proper, row->proper_name)
TEXT_CELL (energy, row->cluster[0] != '\0' ? "0" : "")
TEXT_CELL (tres, g_ptr_array_index (((const Report *)report)->book->tres, row->tres))
TIME_CELL (used, USED)
TIME_CELL (down, DOWN)
TIME_CELL (planned_down, PLANNED_DOWN)
TIME_CELL (idle, IDLE)
TIME_CELL (planned, PLANNED)
TIME_CELL (reported, REPORTED)

static void
account_cell (gconstpointer report, gconstpointer user, GString *out)
{
  const LkSreportRow *row = user;
  gboolean is_tree = ((const Report *)report)->asked->is_tree;
  g_string_append_printf (out, "%*s%s", is_tree ? (int)row->depth : 0, "", row->account);
}

static const LkField use_fields[] = {
  { "Cluster", NULL, 9, cluster_cell },
  { "Account", NULL, 15, account_cell },
  { "WCKey", NULL, 9, account_cell },
  { "Login", NULL, 9, login_cell },
  { "ProperName", "Proper Name", 15, proper_cell },
  { "Proper Name", NULL, 15, proper_cell },
  { "Used", NULL, 8, used_cell },
  { "Energy", NULL, 8, energy_cell },
  { "TresName", "TRES Name", 14, tres_cell },
  { "TRES Name", NULL, 14, tres_cell },
  { NULL, NULL, 0, NULL },
};

static const LkField cluster_fields[] = {
  { "Cluster", NULL, 9, cluster_cell },
  { "Allocated", NULL, 8, used_cell },
  { "Down", NULL, 8, down_cell },
  { "PLND Down", NULL, 8, planned_down_cell },
  { "PlannedDown", "PLND Down", 8, planned_down_cell },
  { "Idle", NULL, 8, idle_cell },
  { "Planned", NULL, 8, planned_cell },
  { "Reported", NULL, 8, reported_cell },
  { "TresName", "TRES Name", 14, tres_cell },
  { "TRES Name", NULL, 14, tres_cell },
  { NULL, NULL, 0, NULL },
};

/* ---------------------------------------------------------------- printing */

static void
append_moment (gint64 time_us, GString *out)
{
  char text[64] = "";
  struct tm parts;
  time_t seconds = (time_t)(time_us / SECOND_US);
  if (localtime_r (&seconds, &parts) != NULL)
    strftime (text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  g_string_append (out, text);
}

/* `what`: the line below the title. */
static void
append_title (const LkSreport *asked, const char *title, const char *what, gboolean with_length,
              GString *out)
{
  if (asked->style.no_heading)
    return;
  g_string_append_printf (out, LINE "%s ", title);
  append_moment (asked->from_us, out);
  g_string_append (out, " - ");
  append_moment (asked->to_us - SECOND_US, out);
  if (with_length)
    g_string_append_printf (out, " (%" G_GINT64_FORMAT " secs)",
                            (asked->to_us - asked->from_us) / SECOND_US);
  g_string_append_printf (out, "\n%s\n" LINE, what);
}

void
lk_sreport_title (const LkSreport *asked, const char *title, const char *told, gboolean with_length,
                  GString *out)
{
  const char *tres = units[asked->unit].unit_us <= 0.0 ? ""
                     : asked->tres_list != NULL        ? "TRES "
                                                       : "CPU ";
  g_autofree char *what = g_strconcat (told, tres, units[asked->unit].words, NULL);
  append_title (asked, title, what, with_length, out);
}

/* Wide enough for a number and its part of the whole. */
static void
widen (const LkSreport *asked, GArray *chosen)
{
  for (guint i = 0; i < chosen->len && units[asked->unit].with_percent; i++) {
    LkField *field = &g_array_index (chosen, LkField, i);
    if (field->width == 8)
      field->width = 20;
  }
}

/* `rows` are of LkSreportRow. */
static int
print (const Report *report, const LkField *fields, const char *standard, const GArray *rows,
       GString *out)
{
  const LkSreport *asked = report->asked;
  g_autoptr (GArray) chosen = g_array_new (FALSE, FALSE, sizeof (LkField));
  g_autofree char *wrong = NULL;
  if (!lk_fields_parse (fields, asked->format != NULL ? asked->format : standard, chosen, &wrong)) {
    fprintf (asked->client->err, " Unknown field '%s'\n", wrong);
    return 1;
  }
  widen (asked, chosen);
  lk_fields_heading (&asked->style, chosen, out);
  for (guint i = 0; i < rows->len; i++)
    lk_fields_row (&asked->style, chosen, report, &g_array_index (rows, LkSreportRow, i), out);
  fwrite (out->str, 1, out->len, asked->client->out);
  return 0;
}

/* ---------------------------------------------------------------- who has used what */

static gboolean
is_listed (char **words, const char *word)
{
  for (guint i = 0; words != NULL && words[i] != NULL; i++)
    if (g_ascii_strcasecmp (words[i], word) == 0)
      return TRUE;
  return words == NULL;
}

/* What is in a user's entry before its first comma. Interned. */
static const char *
proper_name_of (const char *user)
{
  const struct passwd *entry = getpwnam (user);
  if (entry == NULL || entry->pw_gecos == NULL)
    return "";
  g_autofree char *name = g_strndup (entry->pw_gecos, strcspn (entry->pw_gecos, ","));
  return g_intern_string (name);
}

static const char *
parent_of (const LkSreportBook *book, const char *account)
{
  const char *parent = g_hash_table_lookup (book->parents, account);
  return parent != NULL ? parent : "";
}

static guint
depth_of (const LkSreportBook *book, const char *account)
{
  guint depth = 0;
  for (; account[0] != '\0' && depth < LK_LIMIT_ACCOUNT_DEPTH; depth++)
    account = parent_of (book, account);
  return depth > 0 ? depth - 1 : 0;
}

static gboolean
is_below (const LkSreportBook *book, const char *account, const char *above)
{
  guint steps = 0;
  while (strcmp (account, above) != 0) {
    account = parent_of (book, account);
    if (account[0] == '\0' || steps++ > LK_LIMIT_ACCOUNT_DEPTH)
      return FALSE;
  }
  return TRUE;
}

static void
add_use (const Report *report, const LkSacctJob *job, LkSreportRow *row)
{
  const GPtrArray *tres = report->book->tres;
  row->used_us[USED] += lk_sreport_used_us (report->asked, job, "cpu");
  for (guint i = 0; i < tres->len; i++)
    row->tres_us[i] += lk_sreport_used_us (report->asked, job, g_ptr_array_index (tres, i));
}

/* A line for each TRES that was used at all, instead of one for all. Returns: (transfer full). */
static GArray *
lines_of (const Report *report, const GArray *rows)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (LkSreportRow));
  for (guint i = 0; i < rows->len; i++)
    for (guint tres = 0; tres < report->book->tres->len; tres++) {
      LkSreportRow line = g_array_index (rows, LkSreportRow, i);
      line.tres = tres;
      line.used_us[USED] = line.tres_us[tres];
      if (line.tres_us[tres] > 0)
        g_array_append_val (lines, line);
    }
  return lines;
}

/* What a line is of. Borrowed. */
static const char *
key_of (const Report *report, const LkSacctJob *job)
{
  return report->by == BY_WCKEY ? job->job.wckey : job->job.account;
}

/* Jobs without a key are in no report about keys. */
static gboolean
is_asked (const Report *report, const LkSacctJob *job)
{
  const LkSreport *asked = report->asked;
  return lk_sreport_used_us (asked, job, "cpu") > 0 && is_listed (asked->users, job->user)
         && is_listed (asked->accounts, job->job.account)
         && is_listed (asked->wckeys, job->job.wckey)
         && (report->by == BY_ACCOUNT || job->job.wckey[0] != '\0');
}

/* Of each account, or key, and user: those that have used something. Returns: (transfer full), of
 * LkSreportRow. */
static GArray *
users_of (const Report *report)
{
  GArray *rows = g_array_new (FALSE, TRUE, sizeof (LkSreportRow));
  const GPtrArray *jobs = report->book->jobs.jobs;
  for (guint i = 0; i < jobs->len; i++) {
    const LkSacctJob *job = g_ptr_array_index (jobs, i);
    const char *key = key_of (report, job);
    guint at = 0;
    if (!is_asked (report, job))
      continue;
    for (; at < rows->len; at++) {
      const LkSreportRow *row = &g_array_index (rows, LkSreportRow, at);
      if (strcmp (row->account, key) == 0 && strcmp (row->login, job->user) == 0)
        break;
    }
    if (at == rows->len) {
      LkSreportRow row = { .cluster = report->book->jobs.cluster,
                           .account = key,
                           .login = job->user,
                           .proper_name = proper_name_of (job->user),
                           .depth = depth_of (report->book, job->job.account) + 1 };
      g_array_append_val (rows, row);
    }
    add_use (report, job, &g_array_index (rows, LkSreportRow, at));
  }
  return rows;
}

static gint
compare_logins (gconstpointer a, gconstpointer b)
{
  const LkSreportRow *row_a = a;
  const LkSreportRow *row_b = b;
  gint order = strcmp (row_a->login, row_b->login);
  return order != 0 ? order : strcmp (row_a->account, row_b->account);
}

static gint
compare_use (gconstpointer a, gconstpointer b)
{
  const LkSreportRow *row_a = a;
  const LkSreportRow *row_b = b;
  if (row_a->used_us[USED] > row_b->used_us[USED])
    return -1;
  if (row_a->used_us[USED] < row_b->used_us[USED])
    return 1;
  return compare_logins (a, b);
}

/* An account with all that is below it, and behind it its users. */
static void
add_account (const Report *report, const char *account, const GArray *users, GArray *rows)
{
  LkSreportRow total = { .cluster = report->book->jobs.cluster,
                         .account = account,
                         .login = "",
                         .proper_name = "",
                         .depth = depth_of (report->book, account) };
  for (guint i = 0; i < users->len; i++) {
    const LkSreportRow *row = &g_array_index (users, LkSreportRow, i);
    if (!is_below (report->book, row->account, account))
      continue;
    total.used_us[USED] += row->used_us[USED];
    for (guint tres = 0; tres < report->book->tres->len; tres++)
      total.tres_us[tres] += row->tres_us[tres];
  }
  if (total.used_us[USED] <= 0)
    return;
  g_array_append_val (rows, total);
  for (guint i = 0; i < users->len; i++) {
    const LkSreportRow *row = &g_array_index (users, LkSreportRow, i);
    if (strcmp (row->account, account) == 0)
      g_array_append_val (rows, *row);
  }
}

/* `who` are the columns before what was used. */
static int
print_use (const Report *report, const char *who, const GArray *rows, GString *out)
{
  const char *what = report->asked->tres_list != NULL ? "TresName,Used"
                     : report->by == BY_WCKEY         ? "Used"
                                                      : "Used,Energy";
  g_autofree char *columns = g_strdup_printf ("%s,%s", who, what);
  g_autoptr (GArray) lines = lines_of (report, rows);
  return print (report, use_fields, columns, lines, out);
}

static int
run_accounts (const LkSreport *asked, const LkSreportBook *book)
{
  const Report report = { asked, book, BY_ACCOUNT };
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GArray) users = users_of (&report);
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (LkSreportRow));
  g_array_sort (users, compare_logins);
  for (guint i = 0; i < book->accounts->len; i++)
    add_account (&report, g_ptr_array_index (book->accounts, i), users, rows);
  lk_sreport_title (asked, "Cluster/Account/User Utilization", "Usage reported in ", TRUE, out);
  return print_use (&report, "Cluster,Account,Login,ProperName", rows, out);
}

static int
run_users (const LkSreport *asked, const LkSreportBook *book)
{
  const Report report = { asked, book, BY_ACCOUNT };
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GArray) rows = users_of (&report);
  g_array_sort (rows, compare_logins);
  lk_sreport_title (asked, "Cluster/User/Account Utilization", "Usage reported in ", TRUE, out);
  return print_use (&report, "Cluster,Login,ProperName,Account", rows, out);
}

static int
run_top (const LkSreport *asked, const LkSreportBook *book)
{
  const Report report = { asked, book, BY_ACCOUNT };
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GArray) rows = users_of (&report);
  g_autofree char *title = g_strdup_printf ("Top %u Users", asked->top_count);
  g_array_sort (rows, compare_use);
  g_array_set_size (rows, MIN (rows->len, asked->top_count));
  lk_sreport_title (asked, title, "Usage reported in ", TRUE, out);
  return print_use (&report, "Cluster,Login,ProperName,Account", rows, out);
}

static int
run_user_wckeys (const LkSreport *asked, const LkSreportBook *book)
{
  const Report report = { asked, book, BY_WCKEY };
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GArray) rows = users_of (&report);
  g_array_sort (rows, compare_logins);
  lk_sreport_title (asked, "Cluster/User/WCKey Utilization", "Usage reported in ", TRUE, out);
  return print_use (&report, "Cluster,Login,ProperName,WCKey", rows, out);
}

static gint
compare_keys (gconstpointer a, gconstpointer b)
{
  gint order = strcmp (((const LkSreportRow *)a)->account, ((const LkSreportRow *)b)->account);
  return order != 0 ? order : compare_logins (a, b);
}

/* Of each key all of it, and behind it its users. */
static int
run_wckeys (const LkSreport *asked, const LkSreportBook *book)
{
  const Report report = { asked, book, BY_WCKEY };
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GArray) users = users_of (&report);
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (LkSreportRow));
  guint total = 0;
  g_array_sort (users, compare_keys);
  for (guint i = 0; i < users->len; i++) {
    const LkSreportRow *row = &g_array_index (users, LkSreportRow, i);
    if (i == 0 || strcmp (row->account, row[-1].account) != 0) {
      LkSreportRow first = {
        .cluster = row->cluster, .account = row->account, .login = "", .proper_name = ""
      };
      total = rows->len;
      g_array_append_val (rows, first);
    }
    g_array_append_val (rows, *row);
    LkSreportRow *sum = &g_array_index (rows, LkSreportRow, total);
    sum->used_us[USED] += row->used_us[USED];
    for (guint tres = 0; tres < book->tres->len; tres++)
      sum->tres_us[tres] += row->tres_us[tres];
  }
  lk_sreport_title (asked, "Cluster/WCKey/User Utilization", "Usage reported in ", TRUE, out);
  return print_use (&report, "Cluster,WCKey,Login,ProperName", rows, out);
}

/* ---------------------------------------------------------------- the cluster */

static LkSreportRow
cluster_row (const LkSreport *asked, const LkSreportBook *book, guint tres)
{
  const char *name = g_ptr_array_index (book->tres, tres);
  LkSreportRow row = {
    .cluster = book->jobs.cluster, .account = "", .login = "", .proper_name = "", .tres = tres
  };
  double waited_us = 0;
  for (guint i = 0; i < book->jobs.jobs->len; i++) {
    const LkSacctJob *job = g_ptr_array_index (book->jobs.jobs, i);
    row.used_us[ALLOCATED] += lk_sreport_used_us (asked, job, name);
    waited_us += lk_sreport_waited_us (asked, job, name);
  }
  double down_us = book->down_us[tres];
  double left_us = MAX (book->cluster_us[tres] - down_us - row.used_us[ALLOCATED], 0);
  row.used_us[DOWN] = down_us;
  /* What nobody had while somebody waited was kept for him. */
  row.used_us[PLANNED] = MIN (waited_us, left_us);
  row.used_us[IDLE] = left_us - row.used_us[PLANNED];
  row.used_us[REPORTED] = book->cluster_us[tres];
  return row;
}

static int
run_cluster (const LkSreport *asked, const LkSreportBook *book)
{
  const Report report = { asked, book, BY_ACCOUNT };
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GArray) rows = g_array_new (FALSE, TRUE, sizeof (LkSreportRow));
  for (guint tres = 0; tres < book->tres->len; tres++) {
    LkSreportRow row = cluster_row (asked, book, tres);
    if (is_listed (asked->clusters, row.cluster))
      g_array_append_val (rows, row);
  }
  lk_sreport_title (asked, "Cluster Utilization", "Usage reported in ", FALSE, out);
  return print (&report, cluster_fields,
                asked->tres_list != NULL
                    ? "Cluster,TRES Name,Allocated,Down,PLND Down,Idle,Planned,Reported"
                    : "Cluster,Allocated,Down,PLND Down,Idle,Planned,Reported",
                rows, out);
}

/* ---------------------------------------------------------------- sizes of jobs */

static guint
class_of (const LkSreport *asked, gint64 cpus)
{
  guint at = 0;
  while (at < asked->size_count && (guint64)cpus >= asked->sizes[at])
    at++;
  return at;
}

/* The account below the root that an account belongs to. */
static const char *
top_of (const LkSreportBook *book, const char *account)
{
  for (guint i = 0; i <= LK_LIMIT_ACCOUNT_DEPTH; i++) {
    const char *parent = parent_of (book, account);
    if (parent[0] == '\0' || parent_of (book, parent)[0] == '\0')
      return account;
    account = parent;
  }
  return account;
}

/* The second column: its name, and how wide it is; to the left where less than 0. */
static const struct {
  const char *name;
  int width;
} sizes_keys[] = {
  [BY_ACCOUNT] = { "Account", 9 }, [BY_WCKEY] = { "Wckey", 9 }, [BY_BOTH] = { "Account", -20 }
};

/* Unlike the other reports it names the TRES on a line of its own, and not with the unit. */
static void
append_sizes_title (const Report *report, GString *out)
{
  const LkSreport *asked = report->asked;
  g_autofree char *tres = asked->tres_list != NULL
                              ? g_strdup_printf ("TRES type is %s\n", asked->tres_list)
                              : g_strdup ("");
  g_autofree char *what = g_strconcat (
      tres, asked->counts_jobs ? "Units are in number of jobs ran" : "Time reported in ",
      asked->counts_jobs ? "" : units[asked->unit].words, NULL);
  append_title (asked, report->by == BY_WCKEY ? "Job Sizes by Wckey" : "Job Sizes", what,
                /* with_length= */ TRUE, out);
}

static void
append_sizes_heading (const Report *report, GString *out)
{
  static const char line[] = "--------------------";
  const LkSreport *asked = report->asked;
  const char *key = sizes_keys[report->by].name;
  int width = sizes_keys[report->by].width;
  g_autoptr (GString) below = g_string_new (NULL);
  gboolean is_table = !asked->style.is_parsable && !asked->style.is_parsable2;
  if (asked->style.no_heading)
    return;
  g_string_append_printf (below, "%.9s %.*s ", line, ABS (width), line);
  if (is_table)
    g_string_append_printf (out, "  Cluster %*s ", width, key);
  else
    g_string_append_printf (out, "Cluster|%s|", key);
  for (guint i = 0; i <= asked->size_count; i++) {
    guint64 from = i > 0 ? asked->sizes[i - 1] : 0;
    g_autofree char *name =
        i == asked->size_count
            ? g_strdup_printf (">= %" G_GUINT64_FORMAT " CPUs", from)
            : g_strdup_printf ("%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT " CPUs", from,
                               asked->sizes[i] - 1);
    g_string_append_printf (out, is_table ? "%13.13s " : "%s|", name);
    g_string_append_printf (below, "%.13s ", line);
  }
  if (is_table)
    g_string_append_printf (out, "Total Count %% of cluster \n%s----------- ------------ \n",
                            below->str);
  else
    g_string_append_printf (out, "Total Count|%% of cluster%s\n",
                            asked->style.is_parsable ? "|" : "");
}

static void
append_sizes_row (const Report *report, const LkSreportRow *row, GString *out)
{
  const LkSreport *asked = report->asked;
  gboolean is_table = !asked->style.is_parsable && !asked->style.is_parsable2;
  double sum_us = 0;
  guint64 job_count = 0;
  g_autoptr (GString) cell = g_string_new (NULL);
  int width = sizes_keys[report->by].width;
  if (is_table)
    g_string_append_printf (out, "%9.9s %*.*s ", row->cluster, width, ABS (width), row->account);
  else
    g_string_append_printf (out, "%s|%s|", row->cluster, row->account);
  for (guint i = 0; i <= asked->size_count; i++) {
    g_string_truncate (cell, 0);
    sum_us += row->used_us[i];
    job_count += row->job_count[i];
    if (asked->counts_jobs)
      g_string_append_printf (cell, "%" G_GUINT64_FORMAT, row->job_count[i]);
    else
      append_time (report, row->used_us[i], 0, cell);
    g_string_append_printf (out, is_table ? "%13s " : "%s|", cell->str);
  }
  g_string_truncate (cell, 0);
  if (asked->counts_jobs)
    g_string_append_printf (cell, "%" G_GUINT64_FORMAT, job_count);
  else
    lk_sreport_time (asked->unit, sum_us, /* whole_us= */ 0, cell); /* as Slurm: of nothing */
  g_string_append_printf (out, is_table ? "%11.11s " : "%s|", cell->str);
  g_string_truncate (cell, 0);
  append_percent (sum_us, report->book->cluster_us[0], cell);
  g_string_append_printf (out,
                          is_table                   ? "%12s \n"
                          : asked->style.is_parsable ? "%s|\n"
                                                     : "%s\n",
                          cell->str);
}

/* What the line of a job is of. Interned. */
static const char *
label_of (const Report *report, const LkSacctJob *job)
{
  const char *account =
      report->asked->is_flat ? job->job.account : top_of (report->book, job->job.account);
  if (report->by != BY_BOTH)
    return g_intern_string (report->by == BY_WCKEY ? job->job.wckey : account);
  g_autofree char *both = g_strconcat (account, ":", job->job.wckey, NULL);
  return g_intern_string (both);
}

static gint
compare_words (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* Accounts in the order of their tree, keys by name. Returns: (transfer container). */
static GPtrArray *
labels_of (const Report *report)
{
  GPtrArray *labels = g_ptr_array_new ();
  const GPtrArray *accounts = report->book->accounts;
  const GPtrArray *jobs = report->book->jobs.jobs;
  for (guint i = 0; report->by == BY_ACCOUNT && i < accounts->len; i++)
    g_ptr_array_add (labels, (gpointer)g_intern_string (g_ptr_array_index (accounts, i)));
  for (guint i = 0; report->by != BY_ACCOUNT && i < jobs->len; i++) {
    const LkSacctJob *job = g_ptr_array_index (jobs, i);
    const char *label = label_of (report, job);
    if (job->job.wckey[0] != '\0' && !g_ptr_array_find (labels, label, NULL))
      g_ptr_array_add (labels, (gpointer)label);
  }
  if (report->by != BY_ACCOUNT)
    g_ptr_array_sort (labels, compare_words);
  return labels;
}

/* FALSE: no job of it is asked for. */
static gboolean
sizes_row_fill (const Report *report, const char *label, LkSreportRow *row)
{
  const LkSreportBook *book = report->book;
  gboolean has_any = FALSE;
  *row = (LkSreportRow){ .cluster = book->jobs.cluster, .account = label };
  for (guint i = 0; i < book->jobs.jobs->len; i++) {
    const LkSacctJob *job = g_ptr_array_index (book->jobs.jobs, i);
    const char *account =
        report->asked->is_flat ? job->job.account : top_of (book, job->job.account);
    double used_us = lk_sreport_used_us (report->asked, job, g_ptr_array_index (book->tres, 0));
    if (used_us <= 0 || label_of (report, job) != label
        || !is_listed (report->asked->accounts, account)
        || !is_listed (report->asked->users, job->user)
        || !is_listed (report->asked->wckeys, job->job.wckey))
      continue;
    has_any = TRUE;
    row->used_us[class_of (report->asked, job->job.cpus)] += used_us;
    row->job_count[class_of (report->asked, job->job.cpus)]++;
  }
  return has_any;
}

static int
print_sizes (const Report *report)
{
  const LkSreport *asked = report->asked;
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GPtrArray) labels = labels_of (report);
  if (report->book->tres->len > 1) {
    fprintf (asked->client->err, " Job report only supports a single --tres type.\n"
                                 " Generate a separate report for each TRES type.\n");
    return 1;
  }
  append_sizes_title (report, out);
  append_sizes_heading (report, out);
  for (guint i = 0; i < labels->len; i++) {
    LkSreportRow row;
    if (sizes_row_fill (report, g_ptr_array_index (labels, i), &row))
      append_sizes_row (report, &row, out);
  }
  fwrite (out->str, 1, out->len, asked->client->out);
  return 0;
}

static int
run_sizes (const LkSreport *asked, const LkSreportBook *book)
{
  return print_sizes (&(Report){ asked, book, BY_ACCOUNT });
}

static int
run_wckey_sizes (const LkSreport *asked, const LkSreportBook *book)
{
  return print_sizes (&(Report){ asked, book, BY_WCKEY });
}

static int
run_both_sizes (const LkSreport *asked, const LkSreportBook *book)
{
  return print_sizes (&(Report){ asked, book, BY_BOTH });
}

const LkSreportKind lk_sreport_kinds[] = {
  { "cluster", "utilization", TRUE, run_cluster, "what became of all CPU time" },
  { "cluster", "accountutilizationbyuser", FALSE, run_accounts,
    "what accounts have used, and their users" },
  { "cluster", "userutilizationbyaccount", FALSE, run_users, "what users have used, by account" },
  { "cluster", "userutilizationbywckey", FALSE, run_user_wckeys, "what users have used, by wckey" },
  { "cluster", "wckeyutilizationbyuser", FALSE, run_wckeys,
    "what wckeys have used, and their users; of jobs that have one" },
  { "user", "topusage", FALSE, run_top, "who has used most: TopCount=" },
  { "job", "sizesbyaccount", TRUE, run_sizes,
    "how large jobs were: Grouping=, FlatView, PrintJobCount" },
  { "job", "sizesbywckey", TRUE, run_wckey_sizes, "the same, by wckey" },
  { "job", "sizesbyaccountandwckey", TRUE, run_both_sizes, "the same, by account and wckey" },
  { "reservation", "utilization", FALSE, lk_sreport_reservations,
    "what jobs have held of reservations that have begun: Names=" },
  { NULL, NULL, FALSE, NULL, NULL },
};
