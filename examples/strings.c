/* strings.c - look up messages by code, in two languages, and their levels
 *
 *     cc -I. examples/strings.c -o build/strings && build/strings
 *
 * A table of strings is a table of pointers: an element is one pointer, and the
 * strings stay where they are. Codes come from outside, so some are unknown.
 * Three policies for three tables:
 *
 *     levels    NDG_CLIP   a level above the highest is the highest
 *     English   NDG_FILL   an unknown code gets a text of its own
 *     German    NDG_KEEP   what has no translation stays English
 *
 * The exit status is 0 if every line equals the one looked up by hand. */
#include <stdio.h>
#include <string.h>
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

#define EVENTS   9
#define LEVELS   4
#define MESSAGES 6
#define GERMAN   4

static const char *const levels[LEVELS] = { "debug", "info", "WARN", "ERROR" };

static const char *const english[MESSAGES] = {
    "ready", "battery is low", "door is open", "too hot", "no network",
    "switching off"
};

/* The translations there are, and where: -1 has none. */
static const char *const german[GERMAN] = {
    "bereit", "Akku schwach", "kein Netz", "schaltet ab"
};
static const int8_t german_at[MESSAGES] = { 0, 1, -1, -1, 2, 3 };

static const char unknown[] = "(unknown code)";

/* Says what a report says; returns its status. */
static int told(const char *what, const ndg_report *r)
{
    char line[200];
    ndg_report_text(line, sizeof line, r, NULL);
    printf("%-8s %s\n", what, line);
    return r->status;
}

/* out[i] = table[index[i]]; what index holds outside becomes other, one element
 * of size bytes. */
static int pick(const char *what, void *out, const void *table,
                ptrdiff_t rows, ptrdiff_t size, const uint8_t *index,
                const void *other)
{
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_report      report;
    d.params     = ndg_dims1(rows);
    d.indices    = ndg_dims1(EVENTS);
    d.index_type = NDG_U8;
    d.elem_size  = size;
    d.policy     = NDG_FILL;
    memcpy(d.fill, other, (size_t)size);
    ndg_gather(out, EVENTS * size, table, index, &d, &report);
    return told(what, &report);
}

int main(void)
{
    static const uint8_t code[EVENTS]  = { 0, 2, 1, 77, 4, 3, 255, 1, 5 };
    static const int8_t  level[EVENTS] = { 1, 1, 2, 2, 3, 9, -1, 2, 0 };
    const ptrdiff_t size = (ptrdiff_t)sizeof(char *);
    const char     *other = unknown;
    const int8_t    none = -1;
    const char     *name[EVENTS], *en[EVENTS], *de[EVENTS];
    int8_t          at[EVENTS];
    ndg_report      report;
    int             i, wrong = 0;

    ndg_gather_rows(name, sizeof name, levels, LEVELS, size, 0,
                    level, NDG_I8, EVENTS, NDG_CLIP, &report);
    if (told("levels:", &report)) return 1;
    if (pick("English:", en, english, MESSAGES, size, code, &other)) return 1;

    /* German lies over a copy of the English, where there is any. The row of
     * the German table is itself looked up by code. */
    if (pick("rows:", at, german_at, MESSAGES, 1, code, &none)) return 1;
    memcpy(de, en, sizeof de);
    ndg_gather_rows(de, sizeof de, german, GERMAN, size, 0,
                    at, NDG_I8, EVENTS, NDG_KEEP, &report);
    if (told("German:", &report)) return 1;

    printf("\nline code level        English          German\n");
    for (i = 0; i < EVENTS; i++) {
        int         c = code[i], v = level[i];
        const char *e = c < MESSAGES ? english[c] : unknown;
        const char *g = c < MESSAGES && german_at[c] >= 0 ?
                        german[german_at[c]] : e;
        const char *l = levels[v < 0 ? 0 : v >= LEVELS ? LEVELS - 1 : v];
        printf("%4d %4d %5d %-7s %-16s %s\n", i, c, v, name[i], en[i], de[i]);
        wrong += name[i] != l || en[i] != e || de[i] != g;
    }
    printf(wrong ? "%d lines are wrong\n" : "every line is right\n", wrong);
    return wrong ? 1 : 0;
}
