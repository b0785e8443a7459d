/* live/step/output.h — opening a file for a job's output, with the rights of its user.
 *
 * Others may write in the folder, too.  Whoever knows the name puts a link there, and so would lead
 * the job to any file that its user can write.  So each link on the way, and at its end, is
 * followed only if it belongs to the user, to root, or to the owner of the folder, who can do there
 * as he likes.  The kernel has the same rule for sticky folders, where fs.protected_symlinks is
 * set; neither need be so. */
#ifndef LK_LIVE_STEP_OUTPUT_H
#define LK_LIVE_STEP_OUTPUT_H

#include <sys/types.h>

/* As open(2); with O_CREAT folders that are missing on the way are made. */
int lk_output_open (const char *path, int flags, mode_t mode);

#endif
