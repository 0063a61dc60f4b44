/* startup.c - from reset to main on any Cortex-M, and semihosting
 *
 * Semihosting: a breakpoint asks the debugger, or QEMU, to print or to exit.
 * Without either it is a fault, and the board stops; a product prints over its
 * serial port. All that is not plain C is in this file. */
#include <stdint.h>
#include "board.h"

/* Addresses that sections.ld gives; what they hold as variables is no use. */
extern uint32_t data_start[], data_end[], data_in_flash[];
extern uint32_t bss_start[], bss_end[], stack_top[];

void reset(void);

/* ---- what a compiler may call --------------------------------------------*/
/* The compiler knows what these loops are and would call memcpy and memset for
 * them, that is themselves for ever. It leaves volatile bytes alone. */
void *memcpy(void *to, const void *from, size_t n)
{
    volatile unsigned char *d = to;
    const unsigned char    *s = from;
    while (n--) *d++ = *s++;
    return to;
}

void *memset(void *to, int value, size_t n)
{
    volatile unsigned char *d = to;
    while (n--) *d++ = (unsigned char)value;
    return to;
}

/* ---- semihosting ---------------------------------------------------------*/
enum { SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20 };
enum { APPLICATION_EXIT = 0x20026 };

static void semihost(int operation, const void *argument)
{
    register int         r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile ("bkpt 0xab" : "+r" (r0) : "r" (r1) : "memory");
}

void board_print(const char *text)
{
    semihost(SYS_WRITE0, text);
}

void board_exit(int status)
{
    /* SYS_EXIT has no room for a status on 32 bits; this one has. */
    const uint32_t why[2] = { APPLICATION_EXIT, (uint32_t)status };
    semihost(SYS_EXIT_EXTENDED, why);
    for (;;) {}
}

/* ---- reset and faults ----------------------------------------------------*/
void reset(void)
{
    const uint32_t *from = data_in_flash;
    uint32_t       *to;
    for (to = data_start; to < data_end; to++) *to = *from++;
    for (to = bss_start; to < bss_end; to++) *to = 0;
    board_exit(main());
}

static void fault(void)
{
    board_print("fault\n");
    board_exit(2);
}

/* The first stack pointer, then where to go: no interrupt is ever enabled, so
 * only reset, NMI and the fault handlers are named. On a Cortex-M0 every fault
 * is a hard fault; 4 to 6 are for those that tell them apart. */
typedef void handler(void);

__attribute__((section(".vectors"), used))
static const struct {
    uint32_t *stack;
    handler  *handlers[6];
} vectors = {
    stack_top,
    { reset, fault, fault, fault, fault, fault }
};
