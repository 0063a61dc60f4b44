/* main.c - text on 5 x 5 LEDs, from tables in flash, without a C library
 *
 * Two look-ups, as firmware has them:
 *
 *   letters   the glyphs of a text from a font, by code: ndg_gather_rows. What
 *             the font does not have becomes its last glyph: NDG_CLIP.
 *   wiring    the micro:bit drives its 25 LEDs as 3 rows of 9, in an order of
 *             its own. Each frame of the scrolling text goes through a table of
 *             (y, x) pairs: gather_nd, planned once, then run for each frame.
 *             Where no LED is wired the table says -1: NDG_ZERO, dark.
 *
 * Build, from the project's root, for the micro:bit (Cortex-M0, 16 KiB of RAM)
 * or the Netduino Plus 2 (Cortex-M4), and run it on a computer:
 *
 *     arm-none-eabi-gcc -std=c99 -Os -mthumb -mcpu=cortex-m0plus -I. \
 *         examples/firmware/main.c examples/firmware/startup.c -nostdlib \
 *         -Lexamples/firmware -T microbit.ld -lgcc -o build/firmware.elf
 *     qemu-system-arm -machine microbit -nographic \
 *         -kernel build/firmware.elf \
 *         -semihosting-config enable=on,target=native
 *
 *     arm-none-eabi-gcc -std=c99 -Os -mthumb -mcpu=cortex-m4 -I. \
 *         examples/firmware/main.c examples/firmware/startup.c -nostdlib \
 *         -Lexamples/firmware -T netduinoplus2.ld -lgcc -o build/firmware.elf
 *     qemu-system-arm -machine netduinoplus2 -nographic \
 *         -kernel build/firmware.elf \
 *         -semihosting-config enable=on,target=native
 *
 * -nostdlib leaves out the C library; -lgcc is the compiler's own arithmetic
 * (a Cortex-M0 cannot divide). The exit status is 0 if every frame equals the
 * one that is looked up by hand. */
#include "board.h"
/* For a target without <string.h>: the compiler's builtin, which is a few loads
 * where the size is small and constant, and otherwise a call of our memcpy.
 * Static, because this is the only file that gathers: what it never calls takes
 * no flash. */
#define NDG_MEMCPY(to, from, n) __builtin_memcpy((to), (from), (n))
#define NDG_STATIC
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

#define SIDE    5                        /* LEDs of a row, and rows */
#define LETTERS 12
#define PITCH   (SIDE + 1)               /* of the letters, in pixels */
#define WIDTH   (LETTERS * PITCH)        /* of the text */
#define FRAMES  (WIDTH - SIDE + 1)
#define GLYPHS  27
#define ROWS    3                        /* as wired */
#define COLUMNS 9
#define LIT     '#'
#define DARK    0

/* What to show. Other files may change it, so it lies in RAM, where reset puts
 * it; what is const stays in flash. */
extern char text[LETTERS + 1];
char        text[LETTERS + 1] = "FLASH TO LED";

/* A to Z, and the last for all else. Five rows of five pixels, 16 is left. */
static const uint8_t font[GLYPHS][SIDE] = {
    {14,17,31,17,17}, {30,17,30,17,30}, {15,16,16,16,15}, {30,17,17,17,30},
    {31,16,30,16,31}, {31,16,30,16,16}, {15,16,19,17,15}, {17,17,31,17,17},
    {31, 4, 4, 4,31}, { 1, 1, 1,17,14}, {17,18,28,18,17}, {16,16,16,16,31},
    {17,27,21,17,17}, {17,25,21,19,17}, {14,17,17,17,14}, {30,17,30,16,16},
    {14,17,21,18,13}, {30,17,30,18,17}, {15,16,14, 1,30}, {31, 4, 4, 4, 4},
    {17,17,17,17,14}, {17,17,17,10, 4}, {17,17,21,27,17}, {17,10, 4,10,17},
    {17,10, 4, 4, 4}, {31, 2, 4, 8,31}, { 0, 0, 0, 0, 0}
};

/* Which LED (y, x) hangs on a row and a column of the wiring. Two columns of
 * the second row have none. */
static const int8_t wiring[ROWS][COLUMNS][2] = {
    { {0,0}, {0,2}, {0,4}, {3,4}, {3,3}, {3,2}, {3,1}, { 3, 0}, { 2, 1} },
    { {2,4}, {2,0}, {2,2}, {0,1}, {0,3}, {4,3}, {4,1}, {-1,-1}, {-1,-1} },
    { {4,2}, {4,4}, {4,0}, {1,0}, {1,1}, {1,2}, {1,3}, { 1, 4}, { 2, 3} }
};

static uint8_t glyph[LETTERS][SIDE];
static char    pixel[SIDE][WIDTH];
static char    matrix[ROWS][COLUMNS];    /* what the LED driver would send */

/* No printf here. */
static void print_number(ptrdiff_t n)
{
    char  digits[12];
    char *p = digits + sizeof digits;
    *--p = 0;
    do *--p = (char)('0' + n % 10); while ((n /= 10) > 0);
    board_print(p);
}

/* n pixels as a line of # and dots. */
static void print_pixels(const char *p, int n, const char *end)
{
    char line[WIDTH + 1];
    int  i;
    for (i = 0; i < n; i++) line[i] = (char)(p[i] == LIT ? LIT : '.');
    line[n] = 0;
    board_print(line);
    board_print(end);
}

/* The glyphs of text, and from them the pixels of all of it. */
static int draw(ndg_report *report)
{
    uint8_t code[LETTERS];
    int     i, y, x;

    /* A is 0. What comes before A wraps to a large number: also not in font. */
    for (i = 0; i < LETTERS; i++) code[i] = (uint8_t)(text[i] - 'A');
    if (ndg_gather_rows(glyph, sizeof glyph, font, GLYPHS, sizeof font[0], 0,
                        code, NDG_U8, LETTERS, NDG_CLIP, report))
        return report->status;
    print_number(LETTERS);
    board_print(" letters; not in the font: ");
    print_number(report->bad.count);
    board_print(", the first at ");
    print_number(report->bad.position);
    board_print("\n\n");

    for (y = 0; y < SIDE; y++) {
        for (i = 0; i < LETTERS; i++)
            for (x = 0; x < SIDE; x++)
                pixel[y][i * PITCH + x] =
                    glyph[i][y] >> (SIDE - 1 - x) & 1 ? LIT : DARK;
        print_pixels(pixel[y], WIDTH - 1, "\n");
    }
    return NDG_OK;
}

/* The plan from a frame to the matrix. A frame is a view of SIDE by SIDE pixels
 * in the text, rows WIDTH apart: to scroll, only its address changes. */
static int plan_frames(ndg_gather_plan *plan, ndg_report *report)
{
    ndg_gather_desc d = NDG_ZERO_INIT;
    d.params     = ndg_strided2(SIDE, WIDTH, SIDE, 1);
    d.indices    = ndg_dims3(ROWS, COLUMNS, 2);
    d.index_type = NDG_I8;
    d.elem_size  = 1;
    d.policy     = NDG_ZERO;
    return ndg_plan_gather_nd(plan, &d, report);
}

/* How many LEDs are not as the font has them, column x of the text leftmost.
 * Goes from the matrix back to the LEDs; one that nothing drives is wrong. */
static int wrong_leds(int x)
{
    char led[SIDE][SIDE];
    int  r, c, y, wrong = 0;
    memset(led, '?', sizeof led);
    for (r = 0; r < ROWS; r++)
        for (c = 0; c < COLUMNS; c++)
            if (wiring[r][c][0] >= 0)
                led[wiring[r][c][0]][wiring[r][c][1]] = matrix[r][c];
            else
                wrong += matrix[r][c] != DARK;
    for (y = 0; y < SIDE; y++)
        for (c = 0; c < SIDE; c++) {
            const int k = text[(x + c) / PITCH] - 'A';
            const int row = font[k < 0 || k >= GLYPHS ? GLYPHS - 1 : k][y];
            const int lit = (row << 1) >> (SIDE - (x + c) % PITCH) & 1;
            wrong += led[y][c] != (lit ? LIT : DARK);
        }
    return wrong;
}

/* The frame from column x on, and beside it the matrix. */
static void print_frame(int x)
{
    int y;
    for (y = 0; y < SIDE; y++) {
        print_pixels(&pixel[y][x], SIDE, y < ROWS ? "    " : "\n");
        if (y < ROWS) print_pixels(matrix[y], COLUMNS, "\n");
    }
}

/* Says what was refused. */
static int refused(const ndg_report *report)
{
    char line[160];
    ndg_report_text(line, sizeof line, report, NULL);
    board_print(line);
    board_print("\n");
    return 1;
}

int main(void)
{
    ndg_gather_plan plan;
    ndg_report      report;
    int             x, wrong = 0;

    if (draw(&report) || plan_frames(&plan, &report)) return refused(&report);
    for (x = 0; x < FRAMES; x++) {
        if (ndg_gather_run(&plan, matrix, sizeof matrix, &pixel[0][x], wiring,
                           &report)) return refused(&report);
        wrong += wrong_leds(x);
        if (x == 2 * PITCH) {
            board_print("\nthe third letter, and how its LEDs are driven:\n");
            print_frame(x);
        }
    }
    board_print("\n");
    print_number(FRAMES);
    board_print(" frames, LEDs that are wrong: ");
    print_number(wrong);
    board_print("\n");
    return wrong != 0;
}
