/* no_symbol.c — a shared object that is no policy. */
__attribute__ ((visibility ("default"))) int lockstep_is_not_here (void);

int
lockstep_is_not_here (void)
{
  return 1;
}
