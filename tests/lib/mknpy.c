/* mknpy.c - makes, breaks and shows .npy files for tests/tool/test_cli.sh
 *
 *     mknpy [-F] [-v 1|2|3] FILE DESCR SHAPE [VALUE ...]
 *         writes an array: mknpy a.npy '<i4' '(2,3)' 1 2 3 4 5 6
 *         -F stores it in Fortran order (values are given row by row).
 *         Values: numbers; re:im of complex ones; text for S and U; hex digits
 *         for V and lists. A list tells its size: "[('a','<i4')]@4".
 *         Instead of values: none or :iota[,MODULUS] counts up from 0,
 *         :rand,SEED,MODULUS draws, :zero leaves a hole (a sparse file).
 *     mknpy raw [-n] [-v 1|2|3] [-m MAJOR.MINOR] [-l LEN] FILE HEADER [BYTES]
 *         writes any header text, then BYTES bytes of data (a hole). -n leaves
 *         out padding and newline, -m and -l lie about version and length.
 *     mknpy poke FILE OFFSET HEX     overwrites data bytes
 *     mknpy dump FILE                DESCR [F] SHAPE VALUE ... on one line
 *     mknpy head FILE                VERSION OFFSET HEADER, spaces trimmed
 *     mknpy rss MAXKIB COMMAND ...   runs it; 99 if its memory peaked higher
 *     mknpy when DIR ACTION COMMAND ...
 *         runs it and waits for a new name in DIR, then acts: INT, TERM, KILL
 *         (TERM+20: 20 ms later), or cut:SIZE:FILE, which truncates FILE.
 *         The status is the command's, 128 + N for signal N; 98 if it ended
 *         before there was a new name, 97 if it did not end in 20 seconds.
 */
#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64

#include <dirent.h>
#include <errno.h>
#include <float.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_RANK 128
#define MAX_ELEM 4096

static void die(const char *what, const char *name)
{
    fprintf(stderr, "mknpy: %s: %s\n", what, name);
    exit(96);
}

/* ---- elements ------------------------------------------------------------*/

typedef struct type {
    char   order;      /* '<', '>' or '|' */
    char   kind;       /* b i u f c S U V M m, or '[' of a list */
    size_t size;       /* bytes of one element; 0: a list, ask the file */
} type;

static type type_of(const char *descr)
{
    type t;
    t.order = '|';
    t.kind = *descr;
    t.size = 0;
    if (*descr == '[') return t;
    if (strchr("<>|=", *descr)) t.order = *descr++;
    t.kind = *descr;
    t.size = (size_t)strtoul(descr + 1, 0, 10);
    if (t.kind == 'U') t.size *= 4;
    return t;
}

/* Between the file's byte order and little endian, in place. */
static void swap(unsigned char *p, size_t size, char order)
{
    size_t i;
    for (i = 0; order == '>' && i < size / 2; i++) {
        unsigned char b = p[i];
        p[i] = p[size - 1 - i];
        p[size - 1 - i] = b;
    }
}

static void put_int(unsigned char *p, size_t size, char order, uint64_t v)
{
    size_t i;
    for (i = 0; i < size; i++) p[i] = (unsigned char)(i < 8 ? v >> 8 * i : 0);
    swap(p, size, order);
}

static uint64_t get_int(const unsigned char *p, size_t size, char order)
{
    uint64_t v = 0;
    size_t   i;
    for (i = 0; i < size && i < 8; i++)
        v |= (uint64_t)p[order == '>' ? size - 1 - i : i] << 8 * i;
    return v;
}

/* Half precision, of finite values that it holds exactly. */
static unsigned half_of(double v)
{
    unsigned sign = v < 0 ? 0x8000u : 0;
    int      e = 15;
    if (v < 0) v = -v;
    while (v >= 2) { v /= 2; e++; }
    while (v < 1 && e > 1) { v *= 2; e--; }
    if (v < 1) return sign | (unsigned)(v * 1024);
    return sign | (unsigned)e << 10 | (unsigned)((v - 1) * 1024);
}

static double half_value(unsigned h)
{
    int    e = (int)(h >> 10 & 31u);
    double v = (double)(h & 1023u) / 1024;
    if (e == 31) return strtod(h & 1023u ? "nan" : h >> 15 ? "-inf" : "inf", 0);
    if (e) v += 1;
    else e = 1;
    for (; e > 15; e--) v *= 2;
    for (; e < 15; e++) v /= 2;
    return h >> 15 ? -v : v;
}

/* Sizes 2, 4, 8, and 16 where the machine has it. */
static void put_float(unsigned char *p, size_t size, char order, const char *s)
{
    double      d = strtod(s, 0);
    float       f = (float)d;
    long double l = strtold(s, 0);
    uint32_t    u;
    uint64_t    w;
    memset(p, 0, size);
    if (size == 2) { put_int(p, 2, order, half_of(d)); return; }
    if (size == 4) { memcpy(&u, &f, 4); put_int(p, 4, order, u); return; }
    if (size == 8) { memcpy(&w, &d, 8); put_int(p, 8, order, w); return; }
    if (size != sizeof l) die("no such float here", s);
    memcpy(p, &l, LDBL_MANT_DIG == 64 ? 10 : size);
    swap(p, size, order);
}

static void show_float(const unsigned char *p, size_t size, char order)
{
    unsigned char b[16];
    uint64_t      w = get_int(p, size, order);
    uint32_t      u = (uint32_t)w;
    float         f;
    double        d;
    long double   l = 0;
    if (size == 2) printf("%.6g", half_value(u));
    if (size == 4) { memcpy(&f, &u, 4); printf("%.9g", (double)f); }
    if (size == 8) { memcpy(&d, &w, 8); printf("%.17g", d); }
    if (size != 16) return;
    memcpy(b, p, 16);
    swap(b, 16, order);
    memcpy(&l, b, sizeof l < 16 ? sizeof l : 16);
    printf("%.18Lg", l);
}

static int digit(char c)
{
    const char *at = strchr("0123456789abcdef", c);
    return at && c ? (int)(at - "0123456789abcdef") : -1;
}

/* One value of the command line into p. */
static void put(unsigned char *p, type t, const char *s)
{
    size_t      i, n = strlen(s);
    const char *im = strchr(s, ':');
    memset(p, 0, t.size);
    switch (t.kind) {
    case 'f':
        put_float(p, t.size, t.order, s);
        break;
    case 'c':
        put_float(p, t.size / 2, t.order, s);
        put_float(p + t.size / 2, t.size / 2, t.order, im ? im + 1 : "0");
        break;
    case 'S':
        memcpy(p, s, n < t.size ? n : t.size);
        break;
    case 'U':
        for (i = 0; i < n && i < t.size / 4; i++)
            put_int(p + 4 * i, 4, t.order, (unsigned char)s[i]);
        break;
    case 'V': case '[':
        for (i = 0; i < t.size && 2 * i + 1 < n; i++)
            p[i] = (unsigned char)(16 * digit(s[2 * i]) + digit(s[2 * i + 1]));
        break;
    default:
        put_int(p, t.size, t.order, *s == '-' ? (uint64_t)strtoll(s, 0, 10)
                                              : strtoull(s, 0, 10));
    }
}

static void show(const unsigned char *p, type t)
{
    uint64_t v = get_int(p, t.size, t.order);
    size_t   i;
    switch (t.kind) {
    case 'f':
        show_float(p, t.size, t.order);
        break;
    case 'c':
        show_float(p, t.size / 2, t.order);
        putchar(':');
        show_float(p + t.size / 2, t.size / 2, t.order);
        break;
    case 'S':
        for (i = 0; i < t.size && p[i]; i++)
            printf(p[i] > 32 && p[i] < 127 ? "%c" : "\\x%02x", p[i]);
        break;
    case 'U':
        for (i = 0; i < t.size; i += 4) {
            v = get_int(p + i, 4, t.order);
            if (v) printf(v > 32 && v < 127 ? "%c" : "\\u%04x", (int)v);
        }
        break;
    case 'V': case '[':
        for (i = 0; i < t.size; i++) printf("%02x", p[i]);
        break;
    case 'u': case 'b':
        printf("%llu", (unsigned long long)v);
        break;
    default:
        if (t.size < 8 && v >> (8 * t.size - 1)) v -= (uint64_t)1 << 8 * t.size;
        printf("%lld", (long long)(int64_t)v);
    }
}

/* ---- files ---------------------------------------------------------------*/

static void write_header(FILE *f, const char *name, int major, int minor,
                         int format, const char *text, int pad, long lie)
{
    size_t        n = strlen(text), prefix = format == 1 ? 10 : 12, all = n, i;
    unsigned char head[12] = "\x93NUMPY";
    if (pad) all = (prefix + n + 1 + 63) / 64 * 64 - prefix;
    head[6] = (unsigned char)major;
    head[7] = (unsigned char)minor;
    put_int(head + 8, prefix - 8, '<', lie >= 0 ? (uint64_t)lie : all);
    fwrite(head, 1, prefix, f);
    fwrite(text, 1, n, f);
    for (i = n; i < all; i++) putc(i + 1 == all ? '\n' : ' ', f);
    if (ferror(f) || fflush(f)) die("cannot write", name);
}

/* Makes the file longer by a hole. */
static void write_hole(FILE *f, const char *name, long long bytes)
{
    if (fflush(f) || ftruncate(fileno(f), ftello(f) + (off_t)bytes) != 0)
        die("cannot grow", name);
}

static int read_shape(const char *s, long long *dims)
{
    int   rank = 0;
    char *end;
    for (s++; *s && *s != ')'; rank++) {
        if (rank == MAX_RANK) die("rank too large", s);
        dims[rank] = strtoll(s, &end, 10);
        if (end == s) die("bad shape", s);
        for (s = end; *s == ',' || *s == ' '; s++) { }
    }
    return rank;
}

/* Where the element at row-major position `at` stands in Fortran order. */
static long long fortran(long long at, const long long *dims, int rank)
{
    long long place = 0, step = 1;
    long long coord[MAX_RANK];
    int       i;
    for (i = rank - 1; i >= 0; i--) {
        coord[i] = at % dims[i];
        at /= dims[i];
    }
    for (i = 0; i < rank; i++) {
        place += coord[i] * step;
        step *= dims[i];
    }
    return place;
}

/* The text of the value at position `at`, for :iota and :rand. */
static const char *generated(const char *how, long long at, char *text,
                             uint64_t *state)
{
    const char *comma = strchr(how, ',');
    long long   modulus = comma ? strtoll(comma + 1, 0, 10) : 0;
    if (!strncmp(how, ":rand,", 6)) {
        comma = strchr(comma + 1, ',');
        modulus = comma ? strtoll(comma + 1, 0, 10) : 0;
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        at = (long long)(*state >> 33);
    }
    sprintf(text, "%lld", modulus ? at % modulus : at);
    return text;
}

static void write_values(FILE *f, const char *name, type t,
                         const long long *dims, int rank, int fort,
                         char **values, int n)
{
    static unsigned char elem[MAX_ELEM];
    long long   count = 1, i;
    const char *how = n ? values[0] : ":iota";
    uint64_t    state = 0;
    char        text[32];
    off_t       start = ftello(f);
    int         made = *how == ':';
    for (i = 0; i < rank; i++) count *= dims[i];
    if (!strcmp(how, ":zero")) {
        write_hole(f, name, count * (long long)t.size);
        return;
    }
    if (!strncmp(how, ":rand,", 6)) state = strtoull(how + 6, 0, 10);
    if (!made && n != count) die("wrong number of values", name);
    for (i = 0; i < count; i++) {
        if (fort && fseeko(f, start + (off_t)(fortran(i, dims, rank)
                                              * (long long)t.size), SEEK_SET))
            die("cannot seek", name);
        put(elem, t, made ? generated(how, i, text, &state) : values[i]);
        if (made && (t.kind == 'V' || t.kind == '['))
            put_int(elem, t.size, '<', (uint64_t)i);
        fwrite(elem, 1, t.size, f);
    }
}

static FILE *open_file(const char *name, const char *mode)
{
    FILE *f = fopen(name, mode);
    if (!f) die(strerror(errno), name);
    return f;
}

static void close_file(FILE *f, const char *name)
{
    if (ferror(f) || fclose(f)) die("cannot write", name);
}

/* mknpy [-F] [-v N] FILE DESCR SHAPE [VALUE ...] */
static int make(int argc, char **argv)
{
    long long dims[MAX_RANK];
    char      descr[4096], text[8192];
    int       fort = 0, format = 1, i = 1, rank;
    char     *at;
    type      t;
    FILE     *f;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (argv[i][1] == 'F') fort = 1;
        else if (argv[i][1] == 'v' && i + 1 < argc) format = atoi(argv[++i]);
        else die("no such option", argv[i]);
    }
    if (argc - i < 3) die("usage", "mknpy FILE DESCR SHAPE [VALUE ...]");
    if (strlen(argv[i + 1]) >= sizeof descr) die("too long", argv[i + 1]);
    strcpy(descr, argv[i + 1]);
    t = type_of(descr);
    if (t.kind == '[' && (at = strrchr(descr, '@')) != 0) {
        t.size = (size_t)strtoul(at + 1, 0, 10);
        *at = 0;
    }
    if (t.size < 1 || t.size > MAX_ELEM) die("bad descr", descr);
    rank = read_shape(argv[i + 2], dims);
    sprintf(text, "{'descr': %s%s%s, 'fortran_order': %s, 'shape': %.2000s, }",
            t.kind == '[' ? "" : "'", descr, t.kind == '[' ? "" : "'",
            fort ? "True" : "False", argv[i + 2]);
    f = open_file(argv[i], "wb");
    write_header(f, argv[i], format, 0, format, text, 1, -1);
    write_values(f, argv[i], t, dims, rank, fort, argv + i + 3, argc - i - 3);
    close_file(f, argv[i]);
    return 0;
}

static int raw(int argc, char **argv)
{
    int   format = 1, major = -1, minor = 0, pad = 1, i = 2;
    long  lie = -1;
    FILE *f;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        char c = argv[i][1];
        if (c == 'n') { pad = 0; continue; }
        if (i + 1 == argc || !strchr("vml", c)) die("no such option", argv[i]);
        i++;
        if (c == 'v') format = atoi(argv[i]);
        if (c == 'l') lie = strtol(argv[i], 0, 10);
        if (c == 'm' && sscanf(argv[i], "%d.%d", &major, &minor) != 2)
            die("bad version", argv[i]);
    }
    if (argc - i < 2) die("usage", "mknpy raw FILE HEADER [BYTES]");
    f = open_file(argv[i], "wb");
    write_header(f, argv[i], major >= 0 ? major : format, minor, format,
                 argv[i + 1], pad, lie);
    if (i + 2 < argc) write_hole(f, argv[i], strtoll(argv[i + 2], 0, 10));
    close_file(f, argv[i]);
    return 0;
}

/* The header text and, in *offset, where the data starts. */
static char *read_header(FILE *f, const char *name, long *offset, int *version)
{
    unsigned char head[12];
    size_t        n, prefix = 10;
    char         *text;
    if (fread(head, 1, 10, f) != 10 || memcmp(head, "\x93NUMPY", 6))
        die("no .npy file", name);
    if (head[6] > 1) {
        prefix = 12;
        if (fread(head + 10, 1, 2, f) != 2) die("truncated", name);
    }
    n = (size_t)get_int(head + 8, prefix - 8, '<');
    text = (char *)malloc(n + 1);
    if (!text || !n || fread(text, 1, n, f) != n) die("truncated", name);
    if (text[n - 1] != '\n') die("header without a newline", name);
    if ((prefix + n) % 16) die("data is not aligned", name);
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\n')) n--;
    text[n] = 0;
    *version = head[6] * 10 + head[7];
    *offset = ftell(f);
    return text;
}

static int head(const char *name)
{
    FILE *f = open_file(name, "rb");
    long  offset;
    int   version;
    char *text = read_header(f, name, &offset, &version);
    printf("%d.%d %ld %s\n", version / 10, version % 10, offset, text);
    return 0;
}

static int poke(const char *name, const char *where, const char *hex)
{
    FILE *f = open_file(name, "r+b");
    long  offset;
    int   version;
    read_header(f, name, &offset, &version);
    if (fseeko(f, (off_t)offset + (off_t)strtoll(where, 0, 10), SEEK_SET))
        die("cannot seek", name);
    for (; digit(hex[0]) >= 0 && digit(hex[1]) >= 0; hex += 2)
        putc(16 * digit(hex[0]) + digit(hex[1]), f);
    close_file(f, name);
    return 0;
}

/* The text after 'key': up to the end of its string, list or tuple. */
static char *value_of(const char *text, const char *key, const char *name)
{
    const char *s = strstr(text, key), *end;
    int         deep = 0;
    char       *copy;
    if (!s) die(key, name);
    for (s += strlen(key); *s == ' ' || *s == ':'; s++) { }
    for (end = s; *end; end++) {
        if (*end == '(' || *end == '[') deep++;
        if (*end == ')' || *end == ']') deep--;
        if (!deep && (*end == ',' || *end == '}')) break;
    }
    copy = (char *)calloc((size_t)(end - s) + 1, 1);
    if (!copy) die("no memory", name);
    memcpy(copy, s, (size_t)(end - s));
    return copy;
}

static int dump(const char *name)
{
    static unsigned char elem[MAX_ELEM];
    FILE        *f = open_file(name, "rb");
    long long    dims[MAX_RANK], count = 1, i;
    long         offset;
    int          version, rank, r;
    char        *text = read_header(f, name, &offset, &version);
    char        *descr = value_of(text, "'descr'", name), *s;
    char        *shape = value_of(text, "'shape'", name);
    char        *order = value_of(text, "'fortran_order'", name);
    struct stat  st;
    type         t;
    if (*descr != '[') {
        descr[strlen(descr) - 1] = 0;
        descr++;
    }
    t = type_of(descr);
    rank = read_shape(shape, dims);
    for (r = 0; r < rank; r++) count *= dims[r];
    if (fstat(fileno(f), &st)) die("cannot stat", name);
    if (!t.size && count) t.size = (size_t)((st.st_size - offset) / count);
    if (t.size > MAX_ELEM || st.st_size - offset != count * (off_t)t.size)
        die("data of the wrong length", name);
    printf("%s%s ", descr, strcmp(order, "True") ? "" : " F");
    for (s = shape; *s; s++)
        if (*s != ' ') putchar(*s);
    for (i = 0; i < count; i++) {
        if (fread(elem, 1, t.size, f) != t.size) die("truncated", name);
        putchar(' ');
        show(elem, t);
    }
    putchar('\n');
    return 0;
}

/* ---- running commands ----------------------------------------------------*/

static pid_t start(char **command)
{
    pid_t pid = fork();
    if (pid < 0) die("cannot fork", command[0]);
    if (pid) return pid;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    execv(command[0], command);
    perror(command[0]);
    _exit(96);
}

static int status_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int rss(const char *max, char **command)
{
    struct rusage usage;
    int           status;
    long          kib;
    if (waitpid(start(command), &status, 0) < 0) die("cannot wait", max);
    getrusage(RUSAGE_CHILDREN, &usage);
    kib = usage.ru_maxrss;
#ifdef __APPLE__
    kib /= 1024;
#endif
    if (kib <= strtol(max, 0, 10)) return status_of(status);
    fprintf(stderr, "mknpy: peak of %ld KiB\n", kib);
    return 99;
}

static int entries(const char *dir)
{
    DIR *d = opendir(dir);
    int  n = 0;
    if (!d) die("cannot list", dir);
    while (readdir(d)) n++;
    closedir(d);
    return n;
}

static void wait_ms(long ms)
{
    struct timespec t;
    t.tv_sec = ms / 1000;
    t.tv_nsec = ms % 1000 * 1000000;
    nanosleep(&t, 0);
}

static void act(const char *action, pid_t pid)
{
    const char *plus = strchr(action, '+');
    char       *file;
    if (!strncmp(action, "cut:", 4)) {
        off_t size = (off_t)strtoll(action + 4, &file, 10);
        if (truncate(file + 1, size)) die("cannot truncate", file);
        return;
    }
    if (plus) wait_ms(strtol(plus, 0, 10));
    kill(pid, *action == 'I' ? SIGINT : *action == 'K' ? SIGKILL : SIGTERM);
}

static int when(const char *dir, const char *action, char **command)
{
    int   before = entries(dir), status = 0, acted = 0, ticks;
    pid_t pid = start(command);
    for (ticks = 0; ticks < 20000; ticks++) {
        if (waitpid(pid, &status, WNOHANG) == pid)
            return acted ? status_of(status) : 98;
        if (!acted && entries(dir) > before) {
            act(action, pid);
            acted = 1;
        }
        wait_ms(1);
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return 97;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (!strcmp(word, "raw")) return raw(argc, argv);
    if (!strcmp(word, "head") && argc == 3) return head(argv[2]);
    if (!strcmp(word, "dump") && argc == 3) return dump(argv[2]);
    if (!strcmp(word, "poke") && argc == 5)
        return poke(argv[2], argv[3], argv[4]);
    if (!strcmp(word, "rss") && argc > 3) return rss(argv[2], argv + 3);
    if (!strcmp(word, "when") && argc > 4)
        return when(argv[2], argv[3], argv + 4);
    return make(argc, argv);
}
