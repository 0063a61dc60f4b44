/* narrow.hpp - integers of BITS bits that behave as C's do, but for the integer
 * promotions.
 *
 * The header's text computes in ptrdiff_t, int64_t, size_t and uint64_t, which
 * are wider than int: nothing is promoted. A plain int8_t would be, and would
 * neither overflow nor wrap at 8 bits. So these are classes:
 *
 *   - an operation on two of them has the wider one's type, of two that are
 *     as wide the unsigned one's; one on it and an int has its own;
 *   - what does not fit a signed result, a division by 0, of the least by -1
 *     and a shift by too many bits is noted in `undefined`, as is an int that
 *     does not fit where it meets a signed one;
 *   - an unsigned result wraps, and so does a conversion that is written out;
 *   - sizeof gives BITS / 8, of 8 and 16.
 */
#ifndef NARROW_HPP
#define NARROW_HPP

static long undefined = 0;       /* what would be undefined behaviour */

template <int BITS, bool SIGN> struct held {
    typedef short type;
    static_assert(BITS <= 16, "a product is computed in long long");
};
template <> struct held<16, false> { typedef unsigned short type; };
template <> struct held<8, true> { typedef signed char type; };
template <> struct held<8, false> { typedef unsigned char type; };

template <int BITS, bool SIGN> struct narrow {
    typedef typename held<BITS, SIGN>::type held_t;
    held_t v;            /* and nothing else: sizeof is that of so many bits */

    static constexpr long long least = SIGN ? -(1LL << (BITS - 1)) : 0;
    static constexpr long long most =
        SIGN ? (1LL << (BITS - 1)) - 1 : (1LL << BITS) - 1;

    static int wrapped(long long x) {
        const long long m = x & ((1LL << BITS) - 1);
        return int(SIGN && (m >> (BITS - 1)) ? m - (1LL << BITS) : m);
    }
    /* The result of an operation. */
    static narrow made(long long x) {
        narrow r;
        if (SIGN && (x < least || x > most)) undefined++;
        r.v = held_t(wrapped(x));
        return r;
    }
    narrow() : v(0) {}
    narrow(int x) : v(held_t(wrapped(x))) {
        if (SIGN && (x < least || x > most)) undefined++;
    }
    template <int B, bool S> explicit narrow(narrow<B, S> x)
        : v(held_t(wrapped(x.v))) {}
    explicit narrow(const void *p) : v(held_t(wrapped((long long)(size_t)p))) {}
    explicit operator bool() const { return v != 0; }
    explicit operator int() const { return v; }
    narrow operator-() const { return made(-(long long)v); }
    narrow operator~() const { return made(SIGN ? ~(long long)v : most - v); }
    bool operator!() const { return v == 0; }
    template <class T> narrow &operator+=(T x) {
        return *this = narrow(*this + x);
    }
    template <class T> narrow &operator-=(T x) {
        return *this = narrow(*this - x);
    }
    template <class T> narrow &operator*=(T x) {
        return *this = narrow(*this * x);
    }
    narrow &operator++() { return *this += 1; }
    narrow &operator--() { return *this -= 1; }
    template <class T> narrow shl(T by) const {
        if ((int)by < 0 || (int)by >= BITS || (SIGN && v < 0)) undefined++;
        return made((long long)v << (int)by);
    }
    template <class T> narrow shr(T by) const {     /* as every compiler does */
        if ((int)by < 0 || (int)by >= BITS) undefined++;
        return made((long long)v >> (int)by);
    }
};

/* What an operation on two types is computed in. */
template <int A, bool S, int B, bool T> struct common {
    typedef narrow<(A > B ? A : B), (A > B ? S : B > A ? T : S && T)> type;
};

static inline long long divided(long long a, long long b, bool rest) {
    if (b == 0) { undefined++; return 0; }
    return rest ? a % b : a / b;
}

#define NARROW_OP(op, expression)                                             \
    template <int A, bool S, int B, bool T>                                   \
    typename common<A, S, B, T>::type operator op(narrow<A, S> a,             \
                                                  narrow<B, T> b) {           \
        typedef typename common<A, S, B, T>::type R;                          \
        const long long x = R(a).v, y = R(b).v;                               \
        return R::made(expression);                                           \
    }                                                                         \
    template <int A, bool S>                                                  \
    narrow<A, S> operator op(narrow<A, S> a, int b) {                         \
        return a op narrow<A, S>(b);                                          \
    }                                                                         \
    template <int A, bool S>                                                  \
    narrow<A, S> operator op(int a, narrow<A, S> b) {                         \
        return narrow<A, S>(a) op b;                                          \
    }
NARROW_OP(+, x + y)
NARROW_OP(-, x - y)
NARROW_OP(*, x * y)
NARROW_OP(/, divided(x, y, false))
NARROW_OP(%, divided(x, y, true))
NARROW_OP(&, x & y)
NARROW_OP(|, x | y)
NARROW_OP(^, x ^ y)

#define NARROW_COMPARE(op)                                                    \
    template <int A, bool S, int B, bool T>                                   \
    bool operator op(narrow<A, S> a, narrow<B, T> b) {                        \
        typedef typename common<A, S, B, T>::type R;                          \
        return R(a).v op R(b).v;                                              \
    }                                                                         \
    template <int A, bool S> bool operator op(narrow<A, S> a, int b) {        \
        return a op narrow<A, S>(b);                                          \
    }                                                                         \
    template <int A, bool S> bool operator op(int a, narrow<A, S> b) {        \
        return narrow<A, S>(a) op b;                                          \
    }
NARROW_COMPARE(<)
NARROW_COMPARE(>)
NARROW_COMPARE(<=)
NARROW_COMPARE(>=)
NARROW_COMPARE(==)
NARROW_COMPARE(!=)

template <int A, bool S, class T>
narrow<A, S> operator<<(narrow<A, S> a, T by) { return a.shl(by); }
template <int A, bool S, class T>
narrow<A, S> operator>>(narrow<A, S> a, T by) { return a.shr(by); }

#endif
