/* cuda_check.h - what every test of ndgather_cuda.cuh begins with: the header
 * itself, checks that say in which case they failed, and `buffer`, memory on
 * the device, of the emulator or of a card. */
#ifndef CUDA_CHECK_H
#define CUDA_CHECK_H

static long test_blocks = 16384;
#define NDG_CUDA_MAX_BLOCKS test_blocks

#define NDGATHER_IMPLEMENTATION
#define NDG_CUDA_IMPLEMENTATION
#include "../../ndgather_cuda.cuh"

#include <memory>
#include <vector>
#include "../lib/test.h"
#include "../lib/arrays.h"
#include "cuda_plans.h"

static char          context[400];      /* the case */
static random_source rnd;

#define SEE(ok) CHECKF(ok, "%s: %s", context, #ok)
#define REFUSED(call) SEE((call) == cudaErrorInvalidValue)
#define SEE_REPORTS(got, want)                                                \
    do {                                                                      \
        int seen_ = report_same(got, want, 1);                                \
        CHECKF(seen_, "%s: device %s, not %s", context,                       \
               seen_ ? "" : report_text(got), seen_ ? "" : report_text(want));\
    } while (0)

/* What the emulator found wrong, if it did. */
static inline const char *fault(void)
{
#if defined(CUDA_EMUL_H)
    return emu->why;
#else
    return "";
#endif
}

/* After an error that the device does not recover from, nothing else counts. */
static inline void must(cudaError_t e, const char *what)
{
    if (e == cudaSuccess) return;
    CHECKF(0, "%s: %s: %s %s", context, what, cudaGetErrorString(e), fault());
    exit(test_end("the device"));
}
#define MUST(call) must(call, #call)

static inline void no_faults(void)
{
    (void)cudaDeviceSynchronize();
#if defined(CUDA_EMUL_H)
    CHECKF(!emu->failed, "%s: emulator: %s", context, fault());
    emu_forgive();
#endif
}

/* n bytes, and one more, that are all FRESH. */
static inline std::vector<char> fresh_bytes(ptrdiff_t n)
{
    return std::vector<char>((size_t)n + 1, (char)FRESH);
}

template <class T> using owned = std::vector<std::unique_ptr<T>>;

/* Each buffer is an allocation of its own: always for compute-sanitizer; on the
 * emulator every 16th round, as it takes its time. */
static bool all_apart;

#if defined(CUDA_EMUL_H)
enum { MARGIN = 0 };
/* So many bytes, exact at their end. */
static inline unsigned char *lent(ptrdiff_t n)
{
    unsigned char *const p = (unsigned char *)malloc((size_t)(n + !n));
    if (!p) exit(2);
    emu_adopt(p, (size_t)n);
    return p;
}
static inline void taken_back(unsigned char *p)
{
    (void)cudaDeviceSynchronize();
    emu_forget(p);
    free(p);
}
#else
/* Cut from one allocation, between margins that must stay as they are; all are
 * given back when none is there any more. */
enum { IMAGE = 32 << 20, MARGIN = 48 };
static unsigned char *image;
static ptrdiff_t      image_used;
static int            living;

static inline unsigned char *lent(ptrdiff_t n)
{
    if (!image) MUST(cudaMalloc((void **)&image, IMAGE));
    unsigned char *const p = image + image_used;
    image_used += (n + 15) / 16 * 16;
    living++;
    if (image_used > IMAGE) { printf("%s: large image\n", context); exit(2); }
    return p;
}
static inline void taken_back(unsigned char *)
{
    if (!--living) image_used = 0;
}
#endif

/* n bytes on the device, `offset` off alignment: a copy of the host's or, from
 * nothing, whatever is there. A pointer to anything, where one is wanted. */
struct buffer {
    unsigned char *block, *p;
    ptrdiff_t      n, before;
    bool           apart;
    buffer(const void *from, ptrdiff_t bytes, size_t offset = 0)
        : block(0), p(0), n(bytes), before((ptrdiff_t)offset), apart(all_apart)
    {
        if (apart) {
            const size_t all = (size_t)(n + before);
            MUST(cudaMalloc((void **)&block, all + !all));
        } else {
            before += MARGIN;
            block = lent(before + n + MARGIN);
            if (MARGIN > 0) fill_margins();
        }
        p = block + before;
        if (from) put(from);
    }
    template <class T> explicit buffer(const T &whole)
        : buffer(&whole, sizeof whole)
    {}
    template <class T> explicit buffer(const std::vector<T> &v)
        : buffer(v.data(), (ptrdiff_t)(v.size() * sizeof(T)))
    {}
    ~buffer()
    {
        if (apart) { MUST(cudaFree(block)); return; }
        if (MARGIN > 0) see_margins();
        taken_back(block);
    }
    template <class T> operator T *() const { return (T *)(void *)p; }
    /* The same, or NULL. */
    struct maybe {
        void *p;
        template <class T> operator T *() const { return (T *)p; }
    };
    maybe when(bool there) const
    {
        const maybe m = { there ? p : 0 };
        return m;
    }
    void get(void *to) const
    {
        if (n) MUST(cudaMemcpy(to, p, (size_t)n, cudaMemcpyDeviceToHost));
    }
    void put(const void *from) const
    {
        if (n) MUST(cudaMemcpy(p, from, (size_t)n, cudaMemcpyHostToDevice));
    }
    void set(int byte) const { if (n) MUST(cudaMemset(p, byte, (size_t)n)); }
    bool holds(const void *want) const
    {
        std::vector<char> have((size_t)n + 1);
        get(have.data());
        return !n || !memcmp(have.data(), want, (size_t)n);
    }
    template <class T> bool holds(const std::vector<T> &want) const
    {
        return holds((const void *)want.data());
    }
private:
    buffer(const buffer &);
    buffer &operator=(const buffer &);
    /* Then some numbers, that nobody may take for what was written. */
    void fill_margins() const
    {
        const ptrdiff_t   all = before + n + MARGIN;
        std::vector<char> sent = fresh_bytes(all);
        random_fill(&rnd, sent.data() + before, n < 4096 ? n : 4096);
        MUST(cudaMemcpy(block, sent.data(), (size_t)all,
                        cudaMemcpyHostToDevice));
    }
    void see_margins() const
    {
        const ptrdiff_t all = before + n + MARGIN;
        ptrdiff_t       i = 0;
        std::vector<char> came((size_t)all);
        MUST(cudaMemcpy(came.data(), block, (size_t)all,
                        cudaMemcpyDeviceToHost));
        while (i < all && ((i >= before && i < before + n)
                           || came[(size_t)i] == (char)FRESH)) i++;
        SEE(i == all);
    }
};

/* Launches a kernel of the test's own. */
template <class T> struct same_type { typedef T type; };
template <class... P>
static void start(void (*kernel)(P...), int blocks, int threads,
                  typename same_type<P>::type... args)
{
    void *argv[] = { (void *)&args... };
    MUST(cudaLaunchKernel(kernel, dim3((unsigned)blocks),
                          dim3((unsigned)threads), argv, 0, 0));
}

/* Launches so far; on a device nobody counts them. */
static inline unsigned long long launched(void)
{
    (void)cudaDeviceSynchronize();
#if defined(CUDA_EMUL_H)
    return emu->launches;
#else
    return 0;
#endif
}

/* Reports that have seen nothing: buffer bad(cleared). */
static const ndg_cuda_report        cleared = { 0, 0 };
static const ndg_cuda_stitch_report cleared_stitch = { cleared, cleared,
                                                       cleared };

#endif
