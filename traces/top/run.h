/* traces/top/run.h — `lockstep top`: a source on a terminal, or one screen of it as text. */
#ifndef LK_TRACES_TOP_RUN_H
#define LK_TRACES_TOP_RUN_H

#include "traces/top/source.h"
#include "traces/top/terminal.h"

typedef struct {
  gboolean is_once;
  gboolean is_ascii;
  char *size; /* COLUMNSxROWS of --once */
  char *pane;
  char *filter;
  char *sort;
  char *job;
  char *interval;
} LkTopOptions;

/* The options that all sources have, into a context. */
void lk_top_options_add (LkTopOptions *self, GOptionContext *context);
void lk_top_options_clear (LkTopOptions *self);

/* What --help says below the options. */
extern const char lk_top_description[];

/* Runs until it is told to end. FALSE: errors are of LK_TOP_ERROR. */
gboolean lk_top_run (const LkTopSource *source, gpointer source_self, const LkTopOptions *options,
                     GError **error);

#endif
