/* array.h - a .npy file of which a rank reads its share only (POSIX)
 *
 *     array_file a;
 *     if (!array_open(&a, path, problem)) ...    // the header, checked
 *     share s = share_of(rows, ranks, rank);     // whose rows these are
 *     rows = array_map(&a, row_bytes, s, problem)
 *
 * Needs job.h for its lines and npy.h, of the command-line tool. */
#ifndef ARRAY_H
#define ARRAY_H

#include <sys/mman.h>
#include "../tool/npy.h"

typedef struct array_file {
    npy_array   npy;          /* shape, type; of its data only the address */
    const char *path;
    int         fd;
    off_t       data;         /* offset of the data in the file */
} array_file;

/* A run of rows: rank k of n has rows k * each up to (k + 1) * each, or fewer
 * at the end. So the owner of row i is i / each, with nothing to look up. */
typedef struct share {
    int64_t first, count, each;
} share;

static share share_of(int64_t total, int ranks, int rank)
{
    share s;
    s.each = total / ranks + (total % ranks != 0);
    s.first = s.each && rank <= total / s.each ? s.each * rank : total;
    s.count = total - s.first < s.each ? total - s.first : s.each;
    return s;
}

/* Reads the header. No more than that is mapped: npy_parse looks at nothing
 * beyond it, and the file may be larger than all that a rank can map. */
static int array_open(array_file *a, const char *path, char problem[JOB_LINE])
{
    const size_t most = NPY_MAX_HEADER + 64;
    struct stat  info;
    size_t       size;
    void        *map;
    char         why[NPY_ERROR_SIZE];
    a->path = path;
    a->fd = open(path, O_RDONLY);
    if (a->fd < 0 || fstat(a->fd, &info) != 0)
        return job_say(problem, "%s: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return job_say(problem, "%s: it is no regular file", path);
    if (info.st_size == 0) return job_say(problem, "%s: it is empty", path);
    size = (uintmax_t)info.st_size < SIZE_MAX ? (size_t)info.st_size : SIZE_MAX;
    map = mmap(NULL, size < most ? size : most, PROT_READ, MAP_PRIVATE,
               a->fd, 0);
    if (map == MAP_FAILED)
        return job_say(problem, "%s: %s", path, strerror(errno));
    if (!npy_parse(&a->npy, map, size, why))
        return job_say(problem, "%s: %s", path, why);
    if (a->npy.fortran_order && a->npy.rank > 1)
        return job_say(problem, "%s: it is in Fortran order, whose rows do not "
                       "lie together", path);
    a->data = (off_t)(a->npy.data - (const unsigned char *)map);
    return 1;
}

/* Maps the rows of a share. Returns where they begin; NULL if there is no byte
 * to map, or with a problem. A mapping begins at a multiple of a page. */
static const unsigned char *array_map(const array_file *a, ptrdiff_t row_bytes,
                                      share s, char problem[JOB_LINE])
{
    const off_t  page = (off_t)sysconf(_SC_PAGESIZE);
    const off_t  at = a->data + (off_t)(s.first * row_bytes);
    const size_t skip = (size_t)(at % page);
    const size_t bytes = (size_t)(s.count * row_bytes);
    void        *map;
    if (!bytes) return NULL;
    map = mmap(NULL, skip + bytes, PROT_READ, MAP_SHARED, a->fd,
               at - (off_t)skip);
    if (map == MAP_FAILED) {
        job_say(problem, "rank %d cannot map its %zu bytes of %s: %s", job.rank,
                bytes, a->path, strerror(errno));
        return NULL;
    }
    job_watch(map, skip + bytes, a->path);
    return (const unsigned char *)map + skip;
}

/* Reads bytes of the data into memory. 0 if they are not there any more. */
static int array_read(const array_file *a, void *to, size_t bytes, off_t at)
{
    char   *p = (char *)to;
    ssize_t n;
    for (at += a->data; bytes; bytes -= (size_t)n, p += n, at += n) {
        n = pread(a->fd, p, bytes, at);
        if (n < 0 && errno == EINTR) n = 0;
        else if (n <= 0) return 0;
    }
    return 1;
}

#endif
