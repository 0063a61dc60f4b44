/* shipped.h - what wide.c and lanes.c share: the header as it ships, that of
 * the folder before it (-I), and the count of cases. */
#ifndef SHIPPED_H
#define SHIPPED_H

#include <stdio.h>
#include <string.h>

#define NDGATHER_IMPLEMENTATION
#define NDG_STATIC
#define NDG_NO_STRINGS
#define NDG_SMALL 0
#include "ndgather.h"

static long long cases, wrong, all_cases;
static int       any_wrong;

static void test(int right, const char *name, long long a, long long b,
        long long c) {
    cases++;
    if (!right && !wrong++)
        printf("%s: wrong at %lld %lld %lld\n", name, a, b, c);
}

static void done(const char *name) {
    printf("exhaustive %s as shipped: %lld cases, %lld wrong\n", name, cases,
           wrong);
    all_cases += cases;
    any_wrong |= wrong || !cases;
    cases = wrong = 0;
}

#endif
