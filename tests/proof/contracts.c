/* contracts.c - what Frama-C's WP proves of ndgather.h's functions, for all
 * numbers of 64 bits, as mathematical integers.
 *
 * The header is read as it stands, under HEADER; the contracts follow as
 * declarations, so nothing of them is in the file that ships. With -wp-rte each
 * operation that C leaves undefined is a goal of its own. */
#include <stddef.h>
#include <stdint.h>
#define NDG_MEMCPY(d, s, n) ((void)0)
#define NDG_NO_STRINGS
#define NDG_SMALL 0
#define NDGI_SIMD 0            /* lanes as plain integers */
#undef __SSE2__
#define NDGATHER_IMPLEMENTATION
#include HEADER

/*@ logic integer size(integer x) = x < 0 ? -x : x;
    logic integer meant(integer v, integer u) =
        v < 0 && u != 0 ? v + 0x10000000000000000 : v;
    predicate whole(ndgi_span *s) =
        s->low <= 0 <= s->high && s->high - s->low <= PTRDIFF_MAX;

    lemma or_least: \forall integer a, b;
        0 <= a && 0 <= b ==> (a | b) >= a && (a | b) >= b;
    lemma half: \forall integer a, b;
        0 <= a < 0x80000000 && 0 <= b < 0x80000000
        ==> 0 <= a * b < 0x4000000000000000;
    lemma grows: \forall integer a, b, c;
        0 <= a <= b && 0 <= c ==> a * c <= b * c;
*/

/*@ terminates \true; exits \false; assigns \nothing;
    ensures half: \result != 0 <==> 0 <= a < 0x80000000;
*/
static int ndgi_is_half(ptrdiff_t a);

/*@ requires a >= 0 && b >= 0 && \valid(out);
    terminates \true; exits \false; assigns *out;
    ensures one: \result == 0 || \result == 1;
    ensures fits: a * b <= PTRDIFF_MAX ==> \result == 1 && *out == a * b;
    ensures over: a * b > PTRDIFF_MAX ==> \result == 0 && *out == \old(*out);
*/
static int ndgi_mul(ptrdiff_t a, ptrdiff_t b, ptrdiff_t *out);

/*@ requires a >= 0 && b >= 0;
    terminates \true; exits \false; assigns \nothing;
    ensures sum: \result == \min(a + b, PTRDIFF_MAX);
*/
static ptrdiff_t ndgi_add_saturate(ptrdiff_t a, ptrdiff_t b);

/*@ terminates \true; exits \false; assigns \nothing;
    ensures least: \result == \min(a, b);
*/
static ptrdiff_t ndgi_min(ptrdiff_t a, ptrdiff_t b);

/*@ terminates \true; exits \false; assigns \nothing;
    ensures most: \result == \max(a, b);
*/
static ptrdiff_t ndgi_max(ptrdiff_t a, ptrdiff_t b);

/*@ requires \valid(s) && whole(s) && extent >= 1;
    terminates \true; exits \false; assigns *s;
    ensures fits: \result != 0 ==> whole(s)
        && s->high - s->low
           == \old(s->high - s->low) + (extent - 1) * size(stride)
        && (stride < 0 ? s->high == \old(s->high) : s->low == \old(s->low));
    ensures over: \result == 0 ==>
        \old(s->high - s->low) + (extent - 1) * size(stride) > PTRDIFF_MAX;
*/
static int ndgi_span_widen(ndgi_span *s, ptrdiff_t extent, ptrdiff_t stride);

/*@ requires n < 2 || (n - 1) * size(stride) <= PTRDIFF_MAX;
    terminates \true; exits \false; assigns \nothing;
    ensures reach: \result == (n < 2 ? 0 : (n - 1) * size(stride));
*/
static ptrdiff_t ndgi_reach(ptrdiff_t n, ptrdiff_t stride);

/*@ requires extent >= 0;
    terminates \true; exits \false; assigns \nothing;
    ensures end: \result == (v < 0 && is_u64 == 0 ? v + extent : v);
*/
NDG_HD static inline int64_t ndg_index_from_end(int64_t v, int is_u64,
                                                ptrdiff_t extent);

/*@ requires extent >= 1;
    terminates \true; exits \false; assigns \nothing;
    ensures good: 0 <= meant(v, is_u64) < extent ==> \result == v;
    ensures low: meant(v, is_u64) < 0 ==> \result == 0;
    ensures high: meant(v, is_u64) >= extent ==> \result == extent - 1;
*/
NDG_HD static inline ptrdiff_t ndg_index_clip(int64_t v, int is_u64,
                                              ptrdiff_t extent);

/*@ requires extent >= 1;
    terminates \true; exits \false; assigns \nothing;
    ensures range: 0 <= \result < extent;
*/
NDG_HD static inline ptrdiff_t ndg_index_wrap(int64_t v, int is_u64,
                                              ptrdiff_t extent);

/*@ requires extent >= 0;
    terminates \true; exits \false; assigns \nothing;
    ensures range: \result == -1 || 0 <= \result < extent;
    ensures nowhere: policy != NDG_CLIP && policy != NDG_WRAP
        ==> \result == -1;
    ensures placed: extent >= 1 && (policy == NDG_CLIP || policy == NDG_WRAP)
        ==> 0 <= \result < extent;
*/
NDG_HD static inline ptrdiff_t ndg_index_place(int64_t v, int is_u64,
                                               ptrdiff_t extent, int policy);

/*@ requires 0 <= type <= 7;
    terminates \true; exits \false; assigns \nothing;
    ensures bytes: \result == (type == 1 || type == 4 ? 1
        : type == 2 || type == 5 ? 2 : type == 0 || type == 6 ? 4 : 8);
*/
static ptrdiff_t ndgi_type_bytes(int type);
