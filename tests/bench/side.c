/* side.c - one of the two sides of `make bench-versus`: the header that -I
 * names, with what bench.c asks of it. */
#define _GNU_SOURCE

/* Begins code and constants of both sides at multiples of 64 KiB: what is the
 * same in both then lies at the same low bits of an address. */
#if defined(__ELF__)
__asm__(".pushsection .text\n\t.p2align 16\n\t.popsection\n\t"
        ".pushsection .rodata\n\t.p2align 16\n\t.popsection");
#endif

#define NDGATHER_IMPLEMENTATION
#include <ndgather.h>

#include "ours.h"
