/* bench/launch/stamp.c — the interpreter of the scripts that bench/launch submits: what it does
 * first is to look at the clock.
 *
 *   #!/.../launch_stamp FILE
 *
 * appends the nanoseconds of CLOCK_MONOTONIC, which all processes of a machine share, as a line. */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  struct timespec now;
  char line[32];
  clock_gettime (CLOCK_MONOTONIC, &now);
  if (argc < 2)
    return 2;
  int file = open (argv[1], O_WRONLY | O_APPEND | O_CLOEXEC);
  int length = snprintf (line, sizeof line, "%lld%09ld\n", (long long)now.tv_sec, now.tv_nsec);
  return file >= 0 && write (file, line, (size_t)length) == length ? 0 : 1;
}
