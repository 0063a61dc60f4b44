/* hostile.h - what test_hostile_gather, _stitch, _partition and _common share.
 *
 * They give input that is made to break: the advisories of this family by
 * number, shapes that overflow, options that do not exist, missing and
 * overlapping memory, and indices that change while they are used. Include it
 * after ndgather.h. */
#ifndef NDG_TEST_HOSTILE_H
#define NDG_TEST_HOSTILE_H

#include "../lib/test.h"
#include "../lib/oracle.h"

#include <limits.h>

#define BIG PTRDIFF_MAX

static int reached[NDG_STATUS_COUNT];

HELPER int note(int status)
{
    if (status >= 0 && status < NDG_STATUS_COUNT) reached[status]++;
    return status;
}

/* The call gives this status. */
#define IS(call, want)                                                        \
    do {                                                                      \
        int got_ = note(call);                                                \
        CHECKF(got_ == (want), "%s gives %d, not %s", #call, got_, #want);    \
    } while (0)

/* It refuses, about this operand, and its report says so. */
#define REFUSES(call, want, who)                                              \
    do {                                                                      \
        int got_;                                                             \
        r = report_stale();                                                   \
        got_ = note(call);                                                    \
        CHECKF(got_ == (want) && r.status == got_ && r.operand == (who)       \
               && r.op != 0 && !r.bad.count,                                  \
               "%s gives %d, not %s on %s: %s", #call, got_, #want, #who,     \
               report_text(&r));                                              \
    } while (0)

#define SAYS(v, b)                                                            \
    CHECKF(r.value == (int64_t)(v) && r.bound == (int64_t)(b),                \
           "value %s, bound %s: %s", #v, #b, report_text(&r))

static ndg_report r;        /* of the call that is being looked at */

/* A desc of one-byte elements. */
HELPER ndg_gather_desc gather_of(ndg_shape params, ndg_shape indices)
{
    ndg_gather_desc d = NDG_ZERO_INIT;
    d.params = params;
    d.indices = indices;
    d.elem_size = 1;
    return d;
}

HELPER int all_fresh(const void *bytes, size_t n)
{
    const unsigned char *p = (const unsigned char *)bytes;
    size_t               i;
    for (i = 0; i < n; i++) if (p[i] != FRESH) return 0;
    return 1;
}

/* The option with a bad value is refused, by this status about this operand. */
#define OPTION(plan, p, field, bad, status, who)                              \
    do {                                                                      \
        int kept_ = (int)field;                                               \
        field = bad;                                                          \
        REFUSES(plan, status, who);                                           \
        CHECKF(r.value == (int64_t)(bad), "%s = %s: %s", #field, #bad,        \
               report_text(&r));                                              \
        field = kept_;                                                        \
    } while (0)

/* What stitch and partition do not take. */
HELPER const int bad_policy[8] = {
    NDG_ZERO, NDG_FILL, NDG_CLIP, NDG_WRAP, -1, 8, INT_MIN, INT_MAX
};

/* The program that has to reach a status: of gather, stitch, partition, or
 * common to all. */
HELPER char asked_of(int status)
{
    switch (status) {
    case NDG_E_GAP: case NDG_E_SCRATCH: return 's';
    case NDG_E_COUNT: return 'p';
    case NDG_E_RANGE: case NDG_E_STRIDE: return 'c';
    default: return 'g';
    }
}

/* The last check of each program. */
HELPER void statuses_were_reached(char program)
{
    static const char *const name[NDG_STATUS_COUNT] = {
#define NAME(status, number, text) #status,
        NDG_STATUS_LIST(NAME)
#undef NAME
    };
    int i;
    for (i = 0; i < NDG_STATUS_COUNT; i++)
        if (asked_of(i) == program)
            CHECKF(reached[i] > 0, "no call gave %s", name[i]);
}

#endif
