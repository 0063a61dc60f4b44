/* test.h - the whole test framework: CHECK counts, REPORT prints.
 *
 * A test program is a main that CHECKs and returns test_end("name"). Its last
 * line is `name: N passed, N failed`, and `skip: WHAT: WHY` names what it could
 * not do. tests/lib/run.sh adds up all programs. */
#ifndef NDG_TEST_H
#define NDG_TEST_H

#include <stdarg.h>
#include <stdio.h>
#ifdef TEST_STOPS               /* at the first failure, as mutants do */
#include <stdlib.h>
#endif

static long test_passed, test_failed;

/* One check. Prints at most 20 failures of a program in full. */
static void test_check(int ok, const char *file, int line, const char *what,
                       ...)
{
    va_list args;
    if (ok) { test_passed++; return; }
#ifdef TEST_STOPS
    _Exit(1);
#endif
    if (test_failed++ >= 20) return;
    printf("%s:%d: ", file, line);
    va_start(args, what);
    vprintf(what, args);
    va_end(args);
    printf("\n");
}

#define CHECK(ok) test_check(!!(ok), __FILE__, __LINE__, "%s", #ok)

/* CHECKF(ok, "format", ...): a check that says what it saw. */
#define CHECKF(ok, ...) test_check(!!(ok), __FILE__, __LINE__, __VA_ARGS__)

static int test_end(const char *name)
{
    printf("%s: %ld passed, %ld failed\n", name, test_passed, test_failed);
    return test_failed ? 1 : 0;
}

#endif
