/* tests/step/pmix_client.c — a program that is started by a server of PMIx: `fence`, `modex`,
 * `abort`, `folder`. */
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int
fail (const pmix_proc_t *me, const char *what, pmix_status_t status)
{
  fprintf (stderr, "task %u: %s: %s\n", me->rank, what, PMIx_Error_string (status));
  return 1;
}

static int
check_others (const pmix_proc_t *me, unsigned count, const char *what)
{
  for (unsigned i = 0; i < count; i++) {
    pmix_proc_t other = *me;
    pmix_value_t *value = NULL;
    other.rank = i;
    pmix_status_t status = PMIx_Get (&other, "test.key", NULL, 0, &value);
    if (status != PMIX_SUCCESS)
      return fail (me, "PMIx_Get", status);
    if (value->data.uint32 != 1000 + i)
      return fail (me, "another value", PMIX_ERROR);
  }
  printf ("task %u of %u: %s is right\n", me->rank, count, what);
  return 0;
}

static int
exchange (const pmix_proc_t *me, unsigned count, const char *what)
{
  pmix_proc_t all = *me;
  pmix_value_t mine = { .type = PMIX_UINT32, .data.uint32 = 1000 + me->rank };
  bool collects = strcmp (what, "fence") == 0;
  pmix_info_t info = { .value = { .type = PMIX_BOOL, .data.flag = collects } };
  strncpy (info.key, PMIX_COLLECT_DATA, sizeof info.key - 1);
  all.rank = PMIX_RANK_WILDCARD;
  pmix_status_t status = PMIx_Put (PMIX_GLOBAL, "test.key", &mine);
  if (status == PMIX_SUCCESS)
    status = PMIx_Commit ();
  for (int i = 0; i < 3 && status == PMIX_SUCCESS; i++)
    status = PMIx_Fence (&all, 1, &info, 1);
  int code =
      status != PMIX_SUCCESS ? fail (me, "exchange", status) : check_others (me, count, what);
  /* Who is gone answers nothing: as with MPI_Finalize, all go together. */
  PMIx_Fence (&all, 1, NULL, 0);
  return code;
}

static int
act (const pmix_proc_t *me, unsigned count, const char *what)
{
  if (strcmp (what, "folder") == 0) {
    puts (getenv ("PMIX_SERVER_TMPDIR"));
    return 0;
  }
  if (strcmp (what, "abort") == 0) {
    if (me->rank == 1)
      PMIx_Abort (7, "enough", NULL, 0);
    sleep (1000);
    return 1;
  }
  return exchange (me, count, what);
}

int
main (int argc, char **argv)
{
  pmix_proc_t me;
  pmix_value_t *value = NULL;
  pmix_status_t status = PMIx_Init (&me, NULL, 0);
  if (argc != 2 || status != PMIX_SUCCESS) {
    fprintf (stderr, "PMIx_Init: %s\n", PMIx_Error_string (status));
    return 1;
  }
  pmix_proc_t all = me;
  all.rank = PMIX_RANK_WILDCARD;
  status = PMIx_Get (&all, PMIX_JOB_SIZE, NULL, 0, &value);
  int code = status != PMIX_SUCCESS ? fail (&me, "PMIX_JOB_SIZE", status)
                                    : act (&me, value->data.uint32, argv[1]);
  fflush (stdout);
  PMIx_Finalize (NULL, 0);
  return code;
}
