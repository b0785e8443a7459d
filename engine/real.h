/* engine/real.h — logarithms and powers of two with the same bits on every machine.
 *
 * libm differs between systems; these use + - * / on IEEE doubles only, compiled without
 * contraction.  Error against the true value: below 1 ulp (tests/engine/real_test.c compares with
 * libm). */
#ifndef LK_ENGINE_REAL_H
#define LK_ENGINE_REAL_H

/* x <= 0 gives -infinity; NaN gives NaN; +infinity gives +infinity. Exact for powers of two. */
double lk_real_log2 (double x);
/* Likewise. Exact for powers of ten up to 1e22. */
double lk_real_log10 (double x);
/* Overflows to +infinity and underflows through the subnormals to 0. Exact for integers. */
double lk_real_exp2 (double x);

#endif
