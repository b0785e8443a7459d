/* tests/step/pmi2_client.c — a program that speaks with a server of PMI-2 by Slurm's libpmi2, which
 * is opened: `all`, `abort`, `spawn`.  By `pmi1` it speaks version 1, as MPICH does. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VALUE_BYTES 1024

/* Of pmi2.h; C has no other way from what dlsym gives to a function. */
typedef union {
  void *pointer;
  int (*init) (int *spawned, int *size, int *rank, int *appnum);
  int (*finalize) (void);
  int (*abort) (int flag, const char *text);
  int (*job_id) (char *id, int bytes);
  int (*put) (const char *key, const char *value);
  int (*fence) (void);
  int (*get) (const char *id, int from, const char *key, char *value, int most, int *bytes);
  int (*put_node) (const char *key, const char *value);
  int (*get_node) (const char *key, char *value, int most, int *found, int waits);
  int (*get_job) (const char *key, char *value, int most, int *found);
  int (*publish) (const char *name, const void *info, const char *port);
  int (*lookup) (const char *name, const void *info, char *port, int most);
  int (*unpublish) (const char *name, const void *info);
  int (*connect) (const char *id, void *connection);
} Function;

static void *library;
static int rank;
static int size;

static Function
find (const char *name)
{
  Function function;
  function.pointer = dlsym (library, name);
  if (function.pointer == NULL) {
    fprintf (stderr, "no %s\n", name);
    exit (1);
  }
  return function;
}

static void
need (int is_so, const char *what)
{
  if (is_so)
    return;
  fprintf (stderr, "task %d: %s\n", rank, what);
  exit (1);
}

/* Three fences; a value with all that is awkward in it. */
static void
exchange (void)
{
  char id[VALUE_BYTES];
  need (find ("PMI2_Job_GetId").job_id (id, sizeof id) == 0, "GetId");
  for (int round = 0; round < 3; round++) {
    char key[64];
    char value[VALUE_BYTES];
    snprintf (key, sizeof key, "key-%d-%d", round, rank);
    snprintf (value, sizeof value, "a;b = %d;;", rank);
    need (find ("PMI2_KVS_Put").put (key, value) == 0, "Put");
    need (find ("PMI2_KVS_Fence").fence () == 0, "Fence");
    for (int other = 0; other < size; other++) {
      char expected[VALUE_BYTES];
      int bytes = 0;
      snprintf (key, sizeof key, "key-%d-%d", round, other);
      snprintf (expected, sizeof expected, "a;b = %d;;", other);
      need (find ("PMI2_KVS_Get").get (id, -1, key, value, sizeof value, &bytes) == 0, "Get");
      need (strcmp (value, expected) == 0, value);
    }
  }
}

static void
attributes (void)
{
  char value[VALUE_BYTES];
  int found = 0;
  need (find ("PMI2_Info_GetJobAttr").get_job ("PMI_process_mapping", value, sizeof value, &found)
                == 0
            && found,
        "GetJobAttr");
  printf ("task %d of %d: %s", rank, size, value);
  found = 1;
  need (find ("PMI2_Info_GetJobAttr").get_job ("nothing", value, sizeof value, &found) == 0
            && !found,
        "GetJobAttr of nothing");
  /* Each node has two: the second waits for the first. */
  if (rank % 2 == 0) {
    usleep (20000);
    need (find ("PMI2_Info_PutNodeAttr").put_node ("here", "we are") == 0, "PutNodeAttr");
  }
  need (find ("PMI2_Info_GetNodeAttr").get_node ("here", value, sizeof value, &found, 1) == 0
            && found && strcmp (value, "we are") == 0,
        "GetNodeAttr");
}

static void
names (void)
{
  char port[VALUE_BYTES] = "";
  if (rank == size - 1)
    need (find ("PMI2_Nameserv_publish").publish ("service", NULL, "port;1") == 0, "publish");
  need (find ("PMI2_KVS_Fence").fence () == 0, "Fence");
  need (find ("PMI2_Nameserv_lookup").lookup ("service", NULL, port, sizeof port) == 0
            && strcmp (port, "port;1") == 0,
        "lookup");
  need (find ("PMI2_KVS_Fence").fence () == 0, "Fence");
  if (rank == 0)
    need (find ("PMI2_Nameserv_unpublish").unpublish ("service", NULL) == 0, "unpublish");
  need (find ("PMI2_KVS_Fence").fence () == 0, "Fence");
  need (find ("PMI2_Nameserv_lookup").lookup ("service", NULL, port, sizeof port) != 0,
        "found what is gone");
  /* The first node is asked, which answers as long as it has tasks. */
  need (find ("PMI2_KVS_Fence").fence () == 0, "Fence");
}

/* ---------------------------------------------------------------- version 1 */

/* Says a line, and hears how its answer begins. */
static char *
talk (const char *line, const char *expected)
{
  static char told[VALUE_BYTES];
  int fd = (int)strtol (getenv ("PMI_FD"), NULL, 10);
  size_t count = 0;
  need (write (fd, line, strlen (line)) == (ssize_t)strlen (line), "write");
  while (count + 1 < sizeof told && read (fd, told + count, 1) == 1 && told[count] != '\n')
    count++;
  told[count] = '\0';
  need (strncmp (told, expected, strlen (expected)) == 0, told);
  return told;
}

static int
version_one (void)
{
  char line[VALUE_BYTES];
  rank = (int)strtol (getenv ("PMI_RANK"), NULL, 10);
  size = (int)strtol (getenv ("PMI_SIZE"), NULL, 10);
  talk ("cmd=init pmi_version=1 pmi_subversion=1\n",
        "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0");
  talk ("cmd=get_maxes\n", "cmd=maxes rc=0 kvsname_max=64 keylen_max=64 vallen_max=1024");
  talk ("cmd=get_appnum\n", "cmd=appnum rc=0 appnum=0");
  talk ("cmd=get_my_kvsname\n", "cmd=my_kvsname rc=0 kvsname=101.0");
  snprintf (line, sizeof line, "cmd=put kvsname=101.0 key=k%d value=v%d\n", rank, rank);
  talk (line, "cmd=put_result rc=0 msg=success");
  talk ("cmd=barrier_in\n", "cmd=barrier_out rc=0");
  snprintf (line, sizeof line, "cmd=get kvsname=101.0 key=k%d\n", size - 1);
  printf ("task %d of %d: %s\n", rank, size, talk (line, "cmd=get_result rc=0 msg=success"));
  talk ("cmd=get kvsname=101.0 key=none\n", "cmd=get_result rc=-1 msg=key_not_found");
  talk ("cmd=finalize\n", "cmd=finalize_ack rc=0");
  return 0;
}

int
main (int argc, char **argv)
{
  int spawned = 1;
  int appnum;
  const char *what = argc > 1 ? argv[1] : "";
  setvbuf (stdout, NULL, _IOLBF, 0);
  if (strcmp (what, "pmi1") == 0)
    return version_one ();
  library = dlopen ("libpmi2.so.0", RTLD_NOW);
  if (library == NULL)
    return 77;
  need (find ("PMI2_Init").init (&spawned, &size, &rank, &appnum) == 0 && !spawned, "Init");
  if (strcmp (what, "abort") == 0 && rank == size - 1)
    find ("PMI2_Abort").abort (1, "enough; really");
  if (strcmp (what, "abort") == 0)
    find ("PMI2_KVS_Fence").fence ();
  exchange ();
  attributes ();
  names ();
  need (find ("PMI2_Job_Connect").connect ("1.0", NULL) != 0, "connecting is served");
  need (find ("PMI2_Finalize").finalize () == 0, "Finalize");
  puts (", all is right");
  return 0;
}
