/* live/port/folder_tree.h — removes a folder with all that users have put into it.
 *
 * Another process of the user may add to it meanwhile: so it gets another name first, and each
 * folder is taken from the user before it is emptied.  What is made faster than it goes is left,
 * with that name, after a million folders.
 *
 * By descriptors and names of one part only, and through no link, so that whatever is in there,
 * nothing outside of it goes.  Folders in folders are brought to the top before they are emptied:
 * however deep they are, there is no recursion, and few descriptors are open. */
#ifndef LK_LIVE_PORT_FOLDER_TREE_H
#define LK_LIVE_PORT_FOLDER_TREE_H

#include <glib.h>

/* A folder that is not there is gone; what an earlier call has left under NAME.removed goes, too.
 * FALSE: something is left; see errno. */
gboolean lk_folder_tree_remove (int parent, const char *name);

#endif
