/* tool.h - what every operation of ndgather.c needs: messages, input arrays,
 * indices of any byte order (include ndgather.h, npy.h, outfile.h and workers.h
 * first) */
#ifndef TOOL_H
#define TOOL_H

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__GNUC__)
#define PRINTS(text, args) __attribute__((format(printf, text, args)))
#define NO_RETURN __attribute__((noreturn))
#else
#define PRINTS(text, args)
#define NO_RETURN
#endif

/* ---- messages ------------------------------------------------------------*/

/* The operation that messages name, and the progress line they replace. */
static const char  *tool_op;
static workers_team tool_team;

typedef struct line {
    char   text[16000];
    size_t used;
} line;

static void line_args(line *l, const char *format, va_list args)
{
    int n = vsnprintf(l->text + l->used, sizeof l->text - l->used, format,
                      args);
    size_t left = sizeof l->text - 1 - l->used;
    if (n > 0) l->used += (size_t)n < left ? (size_t)n : left;
}

static void PRINTS(2, 3) line_add(line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    line_args(l, format, args);
    va_end(args);
}

/* [2,3] */
static void line_shape(line *l, const ptrdiff_t *dims, int rank)
{
    int axis;
    line_add(l, "[");
    for (axis = 0; axis < rank; axis++)
        line_add(l, axis ? ",%td" : "%td", dims[axis]);
    line_add(l, "]");
}

/* The same for a position over the first `axes` axes of an array; nothing if
 * there are none. */
static void line_position(line *l, ptrdiff_t position, const npy_array *a,
                          int axes)
{
    ptrdiff_t coords[NPY_MAX_RANK];
    ndg_shape shape = ndg_dims(a->rank, a->dims, NULL);
    if (ndg_unravel(position, &shape, axes, coords, NPY_MAX_RANK) > 0)
        line_shape(l, coords, axes);
}

static void line_value(line *l, int64_t value, int is_u64)
{
    if (is_u64) line_add(l, "%" PRIu64, (uint64_t)value);
    else line_add(l, "%" PRId64, value);
}

/* Copies text so that it is one line and safe on a terminal: control bytes, of
 * UTF-8 too, and bytes that are no UTF-8 become \x1b and the like. */
static void escape(char *to, size_t room, const char *from)
{
    const unsigned char *at = (const unsigned char *)from;
    const unsigned char *end = at + strlen(from);
    size_t used = 0;
    while (at < end && used + 16 < room) {
        const unsigned char *start = at;
        long c = npy_utf8(&at, end);
        if (c < 0) at = start + 1;
        if (c >= 32 && !(c >= 127 && c < 160)) {
            memcpy(to + used, start, (size_t)(at - start));
            used += (size_t)(at - start);
        } else for (; start < at; start++) {
            snprintf(to + used, 5, "\\x%02x", *start);
            used += 4;
        }
    }
    to[used] = 0;
}

/* One line on stderr, in one write. */
static void say(const char *text)
{
    static char safe[4 * sizeof(line)];
    workers_clear(&tool_team);
    escape(safe, sizeof safe, text);
    fprintf(stderr, "ndgather: %s%s%s\n", tool_op ? tool_op : "",
            tool_op ? ": " : "", safe);
}

/* Ends the program: one line, nothing left behind. Main thread only. */
static void NO_RETURN die_line(const line *l)
{
    outfile_discard();
    say(l->text);
    exit(1);
}

static void NO_RETURN PRINTS(1, 2) die(const char *format, ...)
{
    line    l = { "", 0 };
    va_list args;
    va_start(args, format);
    line_args(&l, format, args);
    va_end(args);
    die_line(&l);
}

static void *get_memory(size_t count, size_t each)
{
    void *memory = calloc(count ? count : 1, each);
    if (!memory) die("no memory for %zu times %zu bytes", count, each);
    return memory;
}

/* ---- input arrays --------------------------------------------------------*/

/* Opens a regular file for reading, at once: no pipe is waited for. */
static int open_input(const char *name, size_t *size)
{
    struct stat info;
    int fd;
    if (stat(name, &info) != 0) die("%s: %s", name, strerror(errno));
    if (!S_ISREG(info.st_mode)) die("%s: it is not a regular file", name);
    fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0) die("%s: %s", name, strerror(errno));
    if (!S_ISREG(info.st_mode)) die("%s: it is not a regular file", name);
    if (info.st_size == 0) die("%s: it is empty", name);
    if ((uintmax_t)info.st_size > PTRDIFF_MAX)
        die("%s: it is too large for this machine", name);
    *size = (size_t)info.st_size;
    return fd;
}

/* The line for the day that the file gets shorter while we read it. */
static char *shrunk_line(const char *name)
{
    size_t room = 4 * strlen(name) + 32;
    char  *safe = (char *)get_memory(room, 1);
    char  *text = (char *)get_memory(room + 128, 1);
    escape(safe, room, name);
    snprintf(text, room + 128, "ndgather: %s: %s: it shrank while it "
             "was read\n", tool_op, safe);
    free(safe);
    return text;
}

/* The files that are mapped. */
static struct input {
    const char *name;
    dev_t       device;
    ino_t       inode;
    off_t       size;
} *inputs;
static size_t input_count, input_room;

static void note_input(const char *name, int fd, size_t size)
{
    struct stat info;
    void *table = inputs;
    int   ok = outfile_grow(&table, input_count, &input_room, sizeof *inputs);
    inputs = (struct input *)table;
    if (!ok || fstat(fd, &info) != 0) die("%s: %s", name, strerror(errno));
    inputs[input_count].name = name;
    inputs[input_count].device = info.st_dev;
    inputs[input_count].inode = info.st_ino;
    inputs[input_count].size = (off_t)size;
    input_count++;
}

/* A mapping does not always show that its file got shorter: the rest of the
 * last page reads as zeros. */
static void check_inputs(void)
{
    struct stat info;
    size_t i;
    for (i = 0; i < input_count; i++)
        if (stat(inputs[i].name, &info) == 0 &&
            info.st_dev == inputs[i].device &&
            info.st_ino == inputs[i].inode && info.st_size < inputs[i].size)
            die("%s: it shrank while it was read", inputs[i].name);
}

/* Maps a file and reads its header. It stays mapped to the end. */
static void load(npy_array *a, const char *name)
{
    char   why[NPY_ERROR_SIZE];
    size_t size;
    int    fd = open_input(name, &size);
    void  *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED) die("%s: %s", name, strerror(errno));
    note_input(name, fd, size);
    close(fd);
    if (!outfile_watch(map, size, shrunk_line(name)))
        die("no memory for the names of files");
    if (!npy_parse(a, map, size, why)) die("%s: %s", name, why);
}

/* What the library calls the type of an index array. */
static int index_type(const npy_array *a, const char *name)
{
    static const int signed_types[] = { NDG_I8, NDG_I16, NDG_I32, NDG_I64 };
    static const int unsigned_types[] = { NDG_U8, NDG_U16, NDG_U32, NDG_U64 };
    int log = a->elem_size == 1 ? 0 : a->elem_size == 2 ? 1
            : a->elem_size == 4 ? 2 : 3;
    if (a->kind == 'i') return signed_types[log];
    if (a->kind == 'u') return unsigned_types[log];
    die("%s: %.*s cannot be indices: they are i1 u1 i2 u2 i4 u4 i8 or u8",
        name, a->descr_size > 200 ? 200 : (int)a->descr_size, a->descr);
}

/* Whether its elements do not lie in C order. */
static int is_strided(const npy_array *a)
{
    return a->fortran_order && a->rank > 1;
}

/* The shape of axes `from` and up, strides included. */
static ndg_shape shape_from(const npy_array *a, int from)
{
    return ndg_dims(a->rank - from, a->dims + from,
                    is_strided(a) ? a->strides + from : NULL);
}

static ptrdiff_t product(const ptrdiff_t *dims, int rank)
{
    ptrdiff_t all = 1;
    int axis;
    for (axis = 0; axis < rank; axis++) all *= dims[axis];
    return all;
}

/* Bytes to the row-major `position` over the first `axes` axes. */
static ptrdiff_t offset_of(const npy_array *a, int axes, ptrdiff_t position)
{
    ptrdiff_t offset = 0;
    int axis;
    for (axis = axes - 1; axis >= 0 && position; axis--) {
        offset += position % a->dims[axis] * a->strides[axis];
        position /= a->dims[axis];
    }
    return offset;
}

/* ---- indices in another byte order ---------------------------------------*/

/* Indices are packed and swapped in chunks of this many, on the stack. */
#define CHUNK 2048

static void swap_bytes(unsigned char *at, ptrdiff_t count, ptrdiff_t width)
{
    ptrdiff_t i, byte;
    for (i = 0; i < count; i++, at += width)
        for (byte = 0; byte < width / 2; byte++) {
            unsigned char keep = at[byte];
            at[byte] = at[width - 1 - byte];
            at[width - 1 - byte] = keep;
        }
}

/* Copies `count` elements from the row-major position `first` on, packed and
 * in this machine's byte order. */
static void pack(void *to, const npy_array *a, ptrdiff_t first,
                 ptrdiff_t count)
{
    unsigned char *out = (unsigned char *)to;
    ptrdiff_t width = a->elem_size, done, i, n;
    for (done = 0; done < count; done += n, first += n) {
        int                  last = a->rank - 1;
        ptrdiff_t            step = width;
        const unsigned char *from;
        n = count - done;
        if (is_strided(a)) {
            ptrdiff_t left = a->dims[last] - first % a->dims[last];
            if (n > left) n = left;
            step = a->strides[last];
            from = a->data + offset_of(a, a->rank, first);
        } else {
            from = a->data + first * width;
        }
        if (step == width)
            memcpy(out + done * width, from, (size_t)(n * width));
        else for (i = 0; i < n; i++)
            memcpy(out + (done + i) * width, from + i * step, (size_t)width);
    }
    if (a->swapped) swap_bytes(out, count, width);
}

/* One packed index as a number; above INT64_MAX it keeps its bits. */
static int64_t index_value(const void *packed, ptrdiff_t at, int type)
{
    const unsigned char *p = (const unsigned char *)packed;
    int8_t i8; int16_t i16; int32_t i32; int64_t i64; uint16_t u16;
    uint32_t u32;
    switch (type) {
    case NDG_I8:  memcpy(&i8, p + at, 1);      return i8;
    case NDG_U8:                               return p[at];
    case NDG_I16: memcpy(&i16, p + 2 * at, 2); return i16;
    case NDG_U16: memcpy(&u16, p + 2 * at, 2); return u16;
    case NDG_I32: memcpy(&i32, p + 4 * at, 4); return i32;
    case NDG_U32: memcpy(&u32, p + 4 * at, 4); return u32;
    default:      memcpy(&i64, p + 8 * at, 8); return i64;
    }
}

#endif
