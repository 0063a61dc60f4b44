/* outfile.h - output files that appear whole or not at all (POSIX)
 *
 *     outfile_guard();                                // once, first of all
 *     fd = outfile_create(path, bytes, &why);         // a temporary file, full
 *     ... fill it through fd, close fd ...            // of zeros, beside path
 *     outfile_commit(&path, &why);                    // rename: here it is
 *
 * Any number of files is made and then committed together; outfile_discard
 * removes those that were not. A signal that ends the program removes them too.
 * An existing file keeps its mode; through a symbolic link the target is
 * replaced; what is not a regular file is refused.
 *
 * Space is reserved when the file is made, so that a full disk is an error
 * there and not a signal later, when a mapping of the file is written to.
 * Inputs have no such cure: a mapped file that shrinks raises SIGBUS wherever
 * it is read. outfile_watch gives the line to print then; the program ends
 * with status 1.
 *
 * Only the main thread creates, commits and discards, and no other thread runs
 * meanwhile; others are started between outfile_hold(1) and outfile_hold(0), so
 * that signals come to the main thread. Thus handlers see whole tables.
 *
 * Needs _POSIX_C_SOURCE 200809L, and _FILE_OFFSET_BITS 64 on 32 bits. */
#ifndef OUTFILE_H
#define OUTFILE_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <unistd.h>

typedef struct outfile {
    char *temp;        /* NULL once it is renamed or removed */
    char *target;      /* what it replaces */
} outfile;

typedef struct outfile_map {
    const void *start;
    size_t      bytes;
    char       *line;
} outfile_map;

/* All that the handlers look at. */
static struct {
    outfile     *files;
    size_t       count, room;
    outfile_map *maps;
    size_t       map_count, map_room;
    unsigned     serial;           /* of the next temporary name */
    sigset_t     mask;             /* what was blocked before outfile_hold */
    int          turn[2];          /* a pipe that holds one byte: whose turn */
} outfile_all;

/* ---- signals -------------------------------------------------------------*/

static const int outfile_signals[] = { SIGINT, SIGTERM, SIGHUP };

/* Holds back (1) or lets through (0) the signals that end the program. */
static void outfile_hold(int on)
{
    sigset_t set;
    size_t   i;
    if (!on) {
        pthread_sigmask(SIG_SETMASK, &outfile_all.mask, NULL);
        return;
    }
    sigemptyset(&set);
    for (i = 0; i < sizeof outfile_signals / sizeof *outfile_signals; i++)
        sigaddset(&set, outfile_signals[i]);
    pthread_sigmask(SIG_BLOCK, &set, &outfile_all.mask);
}

/* Calls nothing but unlink: a handler may call it. */
static void outfile_remove_all(void)
{
    size_t i;
    for (i = 0; i < outfile_all.count; i++)
        if (outfile_all.files[i].temp) unlink(outfile_all.files[i].temp);
}

/* SIGINT and its like: clean up, then die of it. */
static void outfile_on_end(int number)
{
    outfile_remove_all();
    signal(number, SIG_DFL);
    raise(number);            /* delivered when this handler returns */
}

/* SIGBUS: a mapped file has lost its end. Several threads may get here at
 * once; the first takes the byte out of the pipe, the others wait for it to
 * end the program. */
static void outfile_on_bus(int number, siginfo_t *info, void *context)
{
    const char *line = "ndgather: a mapped file cannot be reached\n";
    uintptr_t   at = (uintptr_t)info->si_addr;
    ssize_t     got;
    size_t      i;
    char        turn;
    (void)number;
    (void)context;
    do got = read(outfile_all.turn[0], &turn, 1);
    while (got < 0 && errno == EINTR);
    for (i = 0; i < outfile_all.map_count; i++) {
        const outfile_map *map = &outfile_all.maps[i];
        if (at - (uintptr_t)map->start < map->bytes) line = map->line;
    }
    got = write(STDERR_FILENO, line, strlen(line));
    outfile_remove_all();
    _exit(1);
}

/* Installs the handlers. A signal that was ignored stays ignored. */
static void outfile_guard(void)
{
    struct sigaction act, old;
    size_t  i;
    ssize_t put;
    memset(&act, 0, sizeof act);
    sigemptyset(&act.sa_mask);
    act.sa_handler = outfile_on_end;
    for (i = 0; i < sizeof outfile_signals / sizeof *outfile_signals; i++)
        if (sigaction(outfile_signals[i], NULL, &old) == 0 &&
            old.sa_handler != SIG_IGN)
            sigaction(outfile_signals[i], &act, NULL);
    act.sa_handler = SIG_IGN;             /* writes fail instead */
    sigaction(SIGPIPE, &act, NULL);
    sigaction(SIGXFSZ, &act, NULL);
    memset(&act, 0, sizeof act);
    sigfillset(&act.sa_mask);
    act.sa_flags = SA_SIGINFO;
    act.sa_sigaction = outfile_on_bus;
    sigaction(SIGBUS, &act, NULL);
    outfile_all.turn[0] = -1;
    if (pipe(outfile_all.turn) == 0) put = write(outfile_all.turn[1], "", 1);
    else put = 0;
    (void)put;
}

/* Grows a table so that one more fits. */
static int outfile_grow(void **table, size_t count, size_t *room, size_t each)
{
    void *more;
    if (count < *room) return 1;
    more = realloc(*table, (*room * 2 + 16) * each);
    if (!more) return 0;
    *table = more;
    *room = *room * 2 + 16;
    return 1;
}

/* `line`, with its line end, is what to say if the mapping cannot be read. It
 * must stay. Returns 0 without memory. */
static int outfile_watch(const void *start, size_t bytes, char *line)
{
    void *table = outfile_all.maps;
    int   ok = outfile_grow(&table, outfile_all.map_count,
                            &outfile_all.map_room, sizeof(outfile_map));
    outfile_map *map;
    outfile_all.maps = (outfile_map *)table;
    if (!ok) return 0;
    map = &outfile_all.maps[outfile_all.map_count];
    map->start = start;
    map->bytes = bytes;
    map->line = line;
    outfile_all.map_count++;
    return 1;
}

/* ---- names ---------------------------------------------------------------*/

/* The length of the folder part of a path, its slash included. */
static size_t outfile_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* `name` as seen from the folder of `path`: memory to free, or NULL. */
static char *outfile_beside(const char *path, const char *name)
{
    size_t folder = name[0] == '/' ? 0 : outfile_folder(path);
    char  *all = (char *)malloc(folder + strlen(name) + 1);
    if (!all) return NULL;
    memcpy(all, path, folder);
    strcpy(all + folder, name);
    return all;
}

/* Where the symbolic links of `path` lead, be there a file or not: memory to
 * free, or NULL and errno. */
static char *outfile_resolve(const char *path)
{
    char        link[4096], *at = outfile_beside("", path), *next;
    struct stat info;
    int         hops;
    for (hops = 0; at && hops < 40; hops++) {
        ssize_t n;
        if (lstat(at, &info) != 0 || !S_ISLNK(info.st_mode)) return at;
        n = readlink(at, link, sizeof link - 1);
        if (n < 0) break;
        link[n] = 0;
        next = outfile_beside(at, link);
        free(at);
        at = next;
    }
    if (hops == 40) errno = ELOOP;
    free(at);
    return NULL;
}

/* ---- files ---------------------------------------------------------------*/

static int outfile_write(int fd, const void *from, size_t bytes, off_t at)
{
    const char *p = (const char *)from;
    while (bytes) {
        ssize_t n = pwrite(fd, p, bytes, at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : ENOSPC;
        p += n;
        at += n;
        bytes -= (size_t)n;
    }
    return 0;
}

/* Zeros, really written, for file systems that cannot reserve. */
static int outfile_write_zeros(int fd, off_t bytes)
{
    static char zeros[65536];
    off_t at;
    int   code = 0;
    for (at = 0; at < bytes && !code; at += (off_t)sizeof zeros) {
        off_t left = bytes - at;
        size_t n = left < (off_t)sizeof zeros ? (size_t)left : sizeof zeros;
        code = outfile_write(fd, zeros, n, at);
    }
    return code;
}

/* Makes the file `bytes` long, on the disk. Returns 0 or an errno. */
static int outfile_reserve(int fd, off_t bytes)
{
    struct statvfs disk;
    int code = EINVAL;
    /* Ask first: filling a disk to find out that it is too small hurts all. */
    if (fstatvfs(fd, &disk) == 0 && disk.f_blocks && disk.f_frsize &&
        (uintmax_t)bytes / disk.f_frsize > disk.f_bavail)
        return ENOSPC;
#if defined(_POSIX_ADVISORY_INFO) && _POSIX_ADVISORY_INFO > 0
    do code = posix_fallocate(fd, 0, bytes); while (code == EINTR);
#endif
    if (code == ENOSPC || code == EFBIG || code == EDQUOT || code == EIO ||
        code == 0)
        return code;
    return outfile_write_zeros(fd, bytes);
}

/* Opens a new file with a name of its own in the folder of `target`, and puts
 * both in the table. Takes over target. Returns -1 and errno. */
static int outfile_open_temp(char *target)
{
    void    *table = outfile_all.files;
    char     name[64], *temp = NULL;
    int      fd = -1, tries, code;
    outfile *file;
    outfile_hold(1);
    if (outfile_grow(&table, outfile_all.count, &outfile_all.room,
                     sizeof(outfile))) {
        outfile_all.files = (outfile *)table;
        for (tries = 0; tries < 100 && fd < 0; tries++) {
            snprintf(name, sizeof name, ".ndgather-%ld-%u.tmp",
                     (long)getpid(), outfile_all.serial++);
            free(temp);
            temp = outfile_beside(target, name);
            if (!temp) break;
            fd = open(temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (fd < 0 && errno != EEXIST) break;
        }
    }
    code = errno;
    if (fd >= 0) {
        file = &outfile_all.files[outfile_all.count];
        file->temp = temp;
        file->target = target;
        outfile_all.count++;
    } else {
        free(temp);
        free(target);
    }
    outfile_hold(0);
    errno = code;
    return fd;
}

/* Makes the temporary file that will become `path`: `bytes` zeros on the disk.
 * Returns its descriptor, or -1 and *why, and errno if it is about the disk.
 * Its number in the table is outfile_all.count - 1. */
static int outfile_create(const char *path, off_t bytes, const char **why)
{
    struct stat info;
    char *target;
    int   fd, code, old = stat(path, &info) == 0;
    if (old && !S_ISREG(info.st_mode)) {
        *why = "it exists and is not a regular file";
        return -1;
    }
    target = outfile_resolve(path);
    if (target && !target[outfile_folder(target)]) {
        free(target);
        *why = "it names a folder";
        return -1;
    }
    fd = target ? outfile_open_temp(target) : -1;
    if (fd < 0) {
        *why = strerror(errno);
        return -1;
    }
    /* Best effort: some file systems have no modes. */
    code = old ? fchmod(fd, info.st_mode & 0777) : 0;
    code = outfile_reserve(fd, bytes);
    if (!code) return fd;
    close(fd);
    errno = code;
    *why = strerror(code);
    return -1;
}

/* Opens file `number` of the table again. */
static inline int outfile_reopen(size_t number)
{
    return open(outfile_all.files[number].temp, O_RDWR | O_CLOEXEC);
}

/* Renames them all. Returns 0, or -1 with the name and why. */
static int outfile_commit(const char **name, const char **why)
{
    size_t i;
    int    code = 0;
    outfile_hold(1);
    for (i = 0; i < outfile_all.count && !code; i++) {
        outfile *file = &outfile_all.files[i];
        code = rename(file->temp, file->target);
        if (code) {
            *name = file->target;
            *why = strerror(errno);
        } else {
            free(file->temp);
            file->temp = NULL;
        }
    }
    outfile_hold(0);
    return code;
}

/* Removes what was not committed, and forgets all files. */
static void outfile_discard(void)
{
    size_t i;
    outfile_hold(1);
    outfile_remove_all();
    for (i = 0; i < outfile_all.count; i++) {
        free(outfile_all.files[i].temp);
        free(outfile_all.files[i].target);
    }
    outfile_all.count = 0;
    outfile_hold(0);
}

#endif
