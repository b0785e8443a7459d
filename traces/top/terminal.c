/* traces/top/terminal.c — see the header.
 *
 * Signals that ask to end are let through only while it waits, and only noted; so nothing is torn
 * apart.  Those that mean that the program is broken put the terminal back by what is safe in a
 * handler, write and tcsetattr, and go on to what they do. */
#define _XOPEN_SOURCE_EXTENDED 1
#include "traces/top/terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include <ncurses.h>

#include "traces/top/model.h"

#define ESCAPE_DELAY_MS 25
#define CODE_ESCAPE 27
#define CODE_DELETE 127
#define CODE_BACKSPACE 8
#define CODE_REDRAW 12 /* ^L */

G_DEFINE_QUARK (lk - top - error - quark, lk_top_error)

static const int end_signals[] = { SIGINT, SIGTERM, SIGHUP };
static const int broken_signals[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGQUIT };

static volatile sig_atomic_t ended_by;
static volatile sig_atomic_t is_begun;
static struct termios termios_before;
static char leave_text[256]; /* what the terminal is told at the end */
static SCREEN *terminal;
static sigset_t mask_before;

gboolean
lk_top_locale_is_utf8 (void)
{
  setlocale (LC_CTYPE, "");
  return strcmp (nl_langinfo (CODESET), "UTF-8") == 0;
}

/* ---------------------------------------------------------------- signals */

static void
on_end (int number)
{
  ended_by = number;
}

static void
on_broken (int number)
{
  if (is_begun) {
    ssize_t written = write (STDOUT_FILENO, leave_text, strlen (leave_text));
    (void)written;
    tcsetattr (STDIN_FILENO, TCSANOW, &termios_before);
  }
  raise (number); /* its handler was taken back when it came here */
}

static void
signals_begin (void)
{
  sigset_t ends;
  struct sigaction action = { .sa_handler = on_end };
  sigemptyset (&ends);
  for (guint i = 0; i < G_N_ELEMENTS (end_signals); i++) {
    sigaddset (&ends, end_signals[i]);
    sigaction (end_signals[i], &action, NULL);
  }
  pthread_sigmask (SIG_BLOCK, &ends, &mask_before);
  action.sa_handler = on_broken;
  action.sa_flags = (int)(SA_RESETHAND | SA_NODEFER);
  for (guint i = 0; i < G_N_ELEMENTS (broken_signals); i++)
    sigaction (broken_signals[i], &action, NULL);
}

static void
signals_end (void)
{
  struct sigaction action = { .sa_handler = SIG_DFL };
  for (guint i = 0; i < G_N_ELEMENTS (end_signals); i++)
    sigaction (end_signals[i], &action, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (broken_signals); i++)
    sigaction (broken_signals[i], &action, NULL);
  pthread_sigmask (SIG_SETMASK, &mask_before, NULL);
}

int
lk_top_terminal_ended_by (void)
{
  return ended_by;
}

/* ---------------------------------------------------------------- begin, end */

static const struct {
  int colour; /* -1: that of the terminal */
  attr_t attributes;
  attr_t without_colour;
} styles[LK_TOP_STYLE_COUNT] = {
  [LK_TOP_STYLE_PLAIN] = { -1, A_NORMAL, A_NORMAL },
  [LK_TOP_STYLE_DIM] = { -1, A_DIM, A_NORMAL },
  [LK_TOP_STYLE_BOLD] = { -1, A_BOLD, A_BOLD },
  [LK_TOP_STYLE_BAR] = { -1, A_REVERSE, A_REVERSE },
  [LK_TOP_STYLE_SELECTED] = { -1, A_REVERSE | A_BOLD, A_REVERSE },
  [LK_TOP_STYLE_GOOD] = { COLOR_GREEN, A_NORMAL, A_NORMAL },
  [LK_TOP_STYLE_WARN] = { COLOR_YELLOW, A_NORMAL, A_NORMAL },
  [LK_TOP_STYLE_BAD] = { COLOR_RED, A_BOLD, A_BOLD },
};
static attr_t style_attributes[LK_TOP_STYLE_COUNT];

/* https://no-color.org: set, and not empty. */
static void
styles_begin (void)
{
  const char *refused = g_getenv ("NO_COLOR");
  gboolean has_colour = (refused == NULL || *refused == '\0') && has_colors ();
  if (has_colour) {
    start_color ();
    use_default_colors ();
  }
  for (guint i = 0; i < LK_TOP_STYLE_COUNT; i++) {
    style_attributes[i] = has_colour ? styles[i].attributes : styles[i].without_colour;
    if (!has_colour || styles[i].colour < 0)
      continue;
    init_pair ((short)(i + 1), (short)styles[i].colour, -1);
    style_attributes[i] |= (attr_t)COLOR_PAIR (i + 1);
  }
}

static void
leave_text_add (const char *capability)
{
  const char *text = tigetstr (capability);
  if (text != NULL && text != (const char *)-1)
    g_strlcat (leave_text, text, sizeof leave_text);
}

gboolean
lk_top_terminal_begin (GError **error)
{
  if (!isatty (STDIN_FILENO) || !isatty (STDOUT_FILENO)
      || tcgetattr (STDIN_FILENO, &termios_before) != 0) {
    g_set_error_literal (error, LK_TOP_ERROR, LK_TOP_ERROR_TERMINAL,
                         "standard input and output are no terminal; --once prints one screen");
    return FALSE;
  }
  terminal = newterm (NULL, stdout, stdin);
  if (terminal == NULL) {
    const char *name = g_getenv ("TERM");
    g_set_error (error, LK_TOP_ERROR, LK_TOP_ERROR_TERMINAL,
                 "$TERM is '%s', which is no terminal that is known here; --once prints one "
                 "screen",
                 name != NULL ? name : "");
    return FALSE;
  }
  leave_text[0] = '\0';
  leave_text_add ("sgr0");
  leave_text_add ("cnorm");
  leave_text_add ("rmkx");
  leave_text_add ("rmcup");
  is_begun = 1;
  signals_begin ();
  cbreak ();
  noecho ();
  nonl ();
  keypad (stdscr, TRUE);
  nodelay (stdscr, TRUE);
  if (g_getenv ("ESCDELAY") == NULL)
    set_escdelay (ESCAPE_DELAY_MS);
  curs_set (0);
  styles_begin ();
  return TRUE;
}

void
lk_top_terminal_end (void)
{
  if (!is_begun)
    return;
  endwin ();
  is_begun = 0;
  delscreen (terminal);
  signals_end ();
}

/* ---------------------------------------------------------------- showing */

static int
columns_of (gunichar character)
{
  return wcwidth ((wchar_t)character);
}

LkTopScreen *
lk_top_terminal_screen (gboolean is_ascii)
{
  LkTopScreen *screen = lk_top_screen_new ((guint)MAX (1, COLS), (guint)MAX (1, LINES), is_ascii);
  screen->width = columns_of;
  return screen;
}

/* Cells that can go together: of one style, and each a character of one column. */
static guint
run_of (const LkTopScreen *screen, guint column, guint row, GString *out)
{
  const LkTopCell *first = lk_top_screen_cell (screen, column, row);
  guint count;
  g_string_assign (out, first->text);
  if (first->text[0] == '\0')
    return 1;
  for (count = 1; column + count < screen->columns; count++) {
    const LkTopCell *next = &first[count];
    if (next->style != first->style || (next->text[0] & 0x80) != 0 || next->text[0] == '\0'
        || (first[count - 1].text[0] & 0x80) != 0)
      break;
    g_string_append (out, next->text);
  }
  return count;
}

void
lk_top_terminal_show (const LkTopScreen *screen)
{
  g_autoptr (GString) text = g_string_new (NULL);
  erase ();
  for (guint row = 0; row < screen->rows; row++)
    for (guint column = 0; column < screen->columns;) {
      const LkTopCell *cell = lk_top_screen_cell (screen, column, row);
      guint count = run_of (screen, column, row, text);
      attrset ((int)style_attributes[cell->style]);
      if (cell->text[0] != '\0')
        mvaddstr ((int)row, (int)column, text->str);
      column += count;
    }
  attrset (A_NORMAL);
  refresh ();
}

/* ---------------------------------------------------------------- waiting, keys */

void
lk_top_terminal_wait (int descriptor, gint64 wait_max_us)
{
  struct pollfd polled[] = { { .fd = STDIN_FILENO, .events = POLLIN },
                             { .fd = descriptor, .events = POLLIN } };
  struct timespec wait = { .tv_sec = wait_max_us / G_USEC_PER_SEC,
                           .tv_nsec = (wait_max_us % G_USEC_PER_SEC) * 1000 };
  int ready = ppoll (polled, G_N_ELEMENTS (polled), wait_max_us < 0 ? NULL : &wait, &mask_before);
  /* Nobody will press a key any more. */
  if (ready > 0 && (polled[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0 && ended_by == 0)
    ended_by = SIGHUP;
}

static guint32
special_key (wint_t code)
{
  static const struct {
    wint_t code;
    guint32 key;
  } keys[] = {
    { KEY_UP, LK_TOP_KEY_UP },
    { KEY_DOWN, LK_TOP_KEY_DOWN },
    { KEY_PPAGE, LK_TOP_KEY_PAGE_UP },
    { KEY_NPAGE, LK_TOP_KEY_PAGE_DOWN },
    { KEY_HOME, LK_TOP_KEY_HOME },
    { KEY_END, LK_TOP_KEY_END },
    { KEY_ENTER, LK_TOP_KEY_ENTER },
    { KEY_BACKSPACE, LK_TOP_KEY_BACKSPACE },
    { KEY_BTAB, LK_TOP_KEY_BACK_TAB },
    { KEY_LEFT, '[' },
    { KEY_RIGHT, ']' },
    { KEY_F (1), '?' },
  };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (keys[i].code == code)
      return keys[i].key;
  return LK_TOP_KEY_NONE;
}

static guint32
character_key (wint_t code)
{
  switch (code) {
  case '\r':
  case '\n':
    return LK_TOP_KEY_ENTER;
  case '\t':
    return LK_TOP_KEY_TAB;
  case CODE_ESCAPE:
    return LK_TOP_KEY_ESCAPE;
  case CODE_DELETE:
  case CODE_BACKSPACE:
    return LK_TOP_KEY_BACKSPACE;
  case CODE_REDRAW:
    clearok (curscr, TRUE);
    return LK_TOP_KEY_NONE;
  default:
    return code < LK_TOP_KEY_NONE ? (guint32)code : LK_TOP_KEY_NONE;
  }
}

gboolean
lk_top_terminal_key (guint32 *out_key)
{
  wint_t code;
  int kind = get_wch (&code);
  if (kind == ERR)
    return FALSE;
  *out_key = kind == KEY_CODE_YES ? special_key (code) : character_key (code);
  return TRUE;
}
