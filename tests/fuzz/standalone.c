/* standalone.c - a main for a fuzz target where there is no libFuzzer.
 *
 *     fuzz_gather FILE ...                  replays these inputs
 *     fuzz_gather -n N -S SEED FILE ...     N more: the files, changed,
 *                                           or random ones
 *
 * The input at which it ends abruptly is left in `crash` (-o: another name).
 *
 * Under afl-clang-fast the file is what AFL gives (@@). Plain C99. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LONGEST 4096

typedef struct seed { uint8_t *bytes; size_t size; } seed;

static seed       *seeds;
static long        seed_count;
static uint8_t     now[LONGEST];          /* the input at work */
static size_t      now_size;
static const char *crash_name = "crash";
static uint64_t    state;

/* splitmix64 */
static uint64_t dice(void)
{
    uint64_t x = (state += UINT64_C(0x9E3779B97F4A7C15));
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

static size_t below(size_t n) { return n ? (size_t)(dice() % n) : 0; }

/* ---- the input that ends the program -------------------------------------*/

static void leave(void)
{
    FILE *f = fopen(crash_name, "wb");
    if (!f) return;
    fwrite(now, 1, now_size, f);
    fclose(f);
    fprintf(stderr, "the input is in %s\n", crash_name);
}

static void caught(int what)
{
    signal(what, SIG_DFL);
    leave();
    raise(what);
}

#if defined(__GNUC__) && defined(__ELF__)
void __sanitizer_set_death_callback(void (*callback)(void))
    __attribute__((weak));
#endif

static void watch(void)
{
    signal(SIGABRT, caught);
#if defined(__GNUC__) && defined(__ELF__)
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(leave);
        return;
    }
#endif
    signal(SIGSEGV, caught);
    signal(SIGFPE, caught);
    signal(SIGILL, caught);
}

/* ---- inputs --------------------------------------------------------------*/

/* The target gets bytes of their own, so that no byte behind them is read. */
static void run_now(void)
{
    uint8_t *copy = (uint8_t *)malloc(now_size + !now_size);
    if (!copy) exit(2);
    memcpy(copy, now, now_size);
    LLVMFuzzerTestOneInput(copy, now_size);
    free(copy);
}

static int load(const char *name)
{
    FILE *f = fopen(name, "rb");
    if (!f) {
        fprintf(stderr, "cannot read %s\n", name);
        return 0;
    }
    now_size = fread(now, 1, LONGEST, f);
    fclose(f);
    return 1;
}

static void keep(void)
{
    seed *s = &seeds[seed_count++];
    s->bytes = (uint8_t *)malloc(now_size + !now_size);
    if (!s->bytes) exit(2);
    s->size = now_size;
    memcpy(s->bytes, now, now_size);
}

/* ---- changes -------------------------------------------------------------*/

static void insert_or_remove(void)
{
    const size_t at = below(now_size + 1), n = 1 + below(8);
    size_t       i;
    if (dice() & 1) {
        if (now_size + n > LONGEST / 2) return;
        memmove(now + at + n, now + at, now_size - at);
        for (i = 0; i < n; i++) now[at + i] = (uint8_t)dice();
        now_size += n;
    } else if (at + n <= now_size) {
        memmove(now + at, now + at + n, now_size - at - n);
        now_size -= n;
    }
}

/* The end of another seed, or a piece of it over this one's. */
static void splice(void)
{
    const seed *s;
    size_t      from, to, n;
    if (!seed_count) return;
    s = &seeds[below((size_t)seed_count)];
    from = below(s->size + 1);
    n = s->size - from;
    if (dice() & 1) n = below(n + 1);
    to = below(now_size + 1);
    if (to + n > LONGEST) return;
    memcpy(now + to, s->bytes + from, n);
    if (now_size < to + n) now_size = to + n;
}

static void change(void)
{
    static const uint8_t telling[8] = { 0, 1, 127, 128, 255, 15, 240, 64 };
    const size_t at = below(now_size);
    const int    how = (int)below(8);
    if (how == 0) insert_or_remove();
    else if (how == 1) splice();
    else if (!now_size) return;
    else if (how == 2) now[at] ^= (uint8_t)(1u << below(8));
    else if (how == 3) now[at] = telling[below(8)];
    else if (how == 4) now[at] = (uint8_t)(now[at] + 1 - 2 * (int)below(2));
    else now[at] = (uint8_t)dice();
}

static void make(void)
{
    size_t i;
    if (seed_count && below(8)) {
        const seed *s = &seeds[below((size_t)seed_count)];
        now_size = s->size;
        memcpy(now, s->bytes, now_size);
        for (i = 1 + below(8); i > 0; i--) change();
    } else {
        now_size = below(300);
        for (i = 0; i < now_size; i++) now[i] = (uint8_t)dice();
    }
}

int main(int argc, char **argv)
{
    long     more = 0, i;
    uint64_t first = 1;
    int      k;
    watch();
    seeds = (seed *)malloc((size_t)argc * sizeof *seeds);
    if (!seeds) return 2;
    for (k = 1; k < argc; k++) {
        if (!strcmp(argv[k], "-n") && k + 1 < argc) more = atol(argv[++k]);
        else if (!strcmp(argv[k], "-S") && k + 1 < argc)
            first = (uint64_t)atol(argv[++k]);
        else if (!strcmp(argv[k], "-o") && k + 1 < argc)
            crash_name = argv[++k];
        else if (!load(argv[k])) return 2;
        else {
            run_now();
            keep();
        }
    }
    for (i = 0; i < more; i++) {
        state = (first << 32) + (uint64_t)i;
        make();
        run_now();
    }
    printf("%ld inputs\n", seed_count + more);
    return 0;
}
