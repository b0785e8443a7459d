/* sim/page/page_export.c — see the header. */
#include "sim/page/page_export.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "sim/error.h"
#include "traces/output.h"

#define CONVERTER "rsvg-convert"
#define PNG_ZOOM "--zoom=2"

static gboolean
make_directory (const char *directory, GError **error)
{
  if (g_mkdir (directory, 0777) == 0 || errno == EEXIST)
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "cannot create the directory '%s': %s",
               directory, g_strerror (errno));
  return FALSE;
}

static gboolean
write_svg (const LkPage *page, const LkPageFigure *figure, const char *path, LkPlotStyle style,
           GError **error)
{
  g_autoptr (GString) text = g_string_new ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  g_autoptr (LkOutput) output = lk_output_new (path, error);
  if (output == NULL)
    return FALSE;
  lk_page_figure_draw (page, figure, LK_PLOT_WIDE, style, text);
  g_string_append_c (text, '\n');
  return lk_output_write (output, text->str, text->len, error) && lk_output_close (output, error);
}

gboolean
lk_page_export_svg (const LkPage *page, const GPtrArray *figures, const char *directory,
                    LkPlotStyle style, GError **error)
{
  if (!make_directory (directory, error))
    return FALSE;
  for (guint i = 0; i < figures->len; i++) {
    const LkPageFigure *figure = g_ptr_array_index (figures, i);
    g_autofree char *name = g_strconcat (figure->name, ".svg", NULL);
    g_autofree char *path = g_build_filename (directory, name, NULL);
    if (!write_svg (page, figure, path, style, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
lk_page_export_can_png (GError **error)
{
  g_autofree char *program = g_find_program_in_path (CONVERTER);
  if (program == NULL)
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_RUN,
                 "--png needs the program " CONVERTER ", which is not there; install librsvg2-bin, "
                 "or take --svg");
  return program != NULL;
}

static gboolean
convert (const char *svg, const char *png, GError **error)
{
  g_autofree char *complaint = NULL;
  int status = 0;
  const char *const argv[] = { CONVERTER,  "--unlimited", PNG_ZOOM, "--format=png",
                               "--output", png,           svg,      NULL };
  if (!g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &complaint,
                     &status, error))
    return FALSE;
  if (g_spawn_check_wait_status (status, NULL))
    return TRUE;
  g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, CONVERTER " cannot draw '%s': %s", png,
               g_strstrip (complaint));
  return FALSE;
}

/* The drawing and the picture are temporary until the picture is whole. */
static gboolean
write_png (const LkPage *page, const LkPageFigure *figure, const char *directory, LkPlotStyle style,
           GError **error)
{
  g_autofree char *name = g_strconcat (figure->name, ".png", NULL);
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_autofree char *drawing = g_strconcat (path, ".svg.partial", NULL);
  g_autofree char *partial = g_strconcat (path, ".partial", NULL);
  gboolean fine =
      write_svg (page, figure, drawing, style, error) && convert (drawing, partial, error);
  if (fine && g_rename (partial, path) != 0) {
    g_set_error (error, LK_SIM_ERROR, LK_SIM_ERROR_WRITE, "cannot rename '%s' to '%s': %s", partial,
                 path, g_strerror (errno));
    fine = FALSE;
  }
  g_unlink (drawing);
  if (!fine)
    g_unlink (partial);
  return fine;
}

gboolean
lk_page_export_png (const LkPage *page, const GPtrArray *figures, const char *directory,
                    LkPlotStyle style, GError **error)
{
  if (!make_directory (directory, error))
    return FALSE;
  for (guint i = 0; i < figures->len; i++)
    if (!write_png (page, g_ptr_array_index (figures, i), directory, style, error))
      return FALSE;
  return TRUE;
}
