/* hostile.h - what test_hostile_gather, _partition and _common share.
 *
 * They give input that is made to break: shapes at the edge of what there can
 * be, overlapping memory, rows at no address. What is refused for its shapes
 * and options, or as something is missing, is in test_report; what advisories
 * of other libraries were about is in test_tables, under their numbers. Include
 * it after ndgather.h. */
#ifndef NDG_TEST_HOSTILE_H
#define NDG_TEST_HOSTILE_H

#include "../lib/test.h"
#include "../lib/descs.h"
#include "../lib/oracle.h"

#include <limits.h>

#define BIG PTRDIFF_MAX

/* The call gives this status. */
#define IS(call, want)                                                        \
    do {                                                                      \
        int got_ = (call);                                                \
        CHECKF(got_ == (want), "%s gives %d, not %s", #call, got_, #want);    \
    } while (0)

/* It refuses, about this operand, and its report says so. */
#define REFUSES(call, want, who)                                              \
    do {                                                                      \
        int got_;                                                             \
        r = report_stale();                                                   \
        got_ = (call);                                                    \
        CHECKF(got_ == (want) && r.status == got_ && r.operand == (who)       \
               && r.op != 0 && !r.bad.count,                                  \
               "%s gives %d, not %s on %s: %s", #call, got_, #want, #who,     \
               report_text(&r));                                              \
    } while (0)

#define SAYS(v, b)                                                            \
    CHECKF(r.value == (int64_t)(v) && r.bound == (int64_t)(b),                \
           "value %s, bound %s: %s", #v, #b, report_text(&r))

static ndg_report r;        /* of the call that is being looked at */

HELPER int all_fresh(const void *bytes, size_t n)
{
    const unsigned char *p = (const unsigned char *)bytes;
    size_t               i;
    for (i = 0; i < n; i++) if (p[i] != FRESH) return 0;
    return 1;
}

#endif
