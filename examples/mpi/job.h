/* job.h - one job of many ranks: it ends with one line, and whole or not at all
 *
 *     job_begin(&argc, &argv, "lookup");
 *     if (!job_agreed(problem)) ...            // "" where all is well
 *     fd = job_create(path, bytes);            // a temporary file for all
 *     ... every rank writes its part of it ...
 *     job_commit(fd)                           // all are done: rename it
 *
 * Whatever ends a job early, one line is printed and no file is left. What goes
 * wrong before the work starts is agreed on, and the lowest rank that has a
 * problem says it. After that a rank cannot wait for the others, some may not
 * live any more: whoever removes the temporary file speaks, and as only one
 * rank can remove it, one rank speaks. When a rank dies mpirun sends SIGTERM to
 * the rest. They look which of the processes on their machine is gone, and the
 * one that gets to remove the file names it. A small process beside rank 0 does
 * the same where no rank is left to: all were killed, or there was but one. */
#ifndef JOB_H
#define JOB_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include <mpi.h>

#define JOB_LINE 600
#define JOB_PATH 4096

/* A process on this machine. */
typedef struct job_process {
    long pid;
    int  rank;
} job_process;

static struct {
    int          rank, ranks;
    const char  *name;               /* of the program */
    int          watcher;            /* a pipe to the process beside; or -1 */
    volatile sig_atomic_t over;      /* all is said: a signal changes nothing */
    job_process *near;               /* the ranks on this machine */
    int          near_count;
    char         temp[JOB_PATH + 32];   /* the temporary file, or "" */
    char         target[JOB_PATH];      /* what it becomes */
    const void  *map;                /* a mapped file, and what to say if */
    size_t       map_bytes;          /* it cannot be read any more */
    char         map_line[JOB_LINE];
} job;

/* ---- saying it once -------------------------------------------------------*/
/* What follows is called by signal handlers: no stdio, no malloc. */

static void job_put(const char *text)
{
    size_t  left = strlen(text);
    ssize_t n = 0;
    for (; left && n >= 0; left -= (size_t)n, text += n)
        if ((n = write(STDERR_FILENO, text, left)) < 0 && errno == EINTR) n = 0;
}

/* Whether this rank is the one that speaks. It then has tidied up. */
static int job_speaks(void)
{
    if (job.over) return 0;
    return job.temp[0] ? unlink(job.temp) == 0 : job.rank == 0;
}

/* Ends `line` with a number, without snprintf. */
static void job_append_number(char *line, int number)
{
    char  digits[16];
    char *at = digits + sizeof digits - 1;
    *at = 0;
    do { *--at = (char)('0' + number % 10); number /= 10; } while (number > 0);
    strcat(line, at);
}

/* SIGTERM and its like: a rank is gone, or somebody wants us to stop. Who is
 * gone is looked up before this rank shows, by removing the file, that those
 * who answer the same signal may go as well. */
static void job_on_end(int number)
{
    char line[JOB_PATH + 100] = "";
    int  i, gone = -1;
    (void)number;
    for (i = 0; i < job.near_count && gone < 0; i++)
        if (kill((pid_t)job.near[i].pid, 0) != 0 && errno == ESRCH)
            gone = job.near[i].rank;
    if (job_speaks()) {
        strcat(line, job.name);
        if (gone >= 0) {
            strcat(line, ": rank ");
            job_append_number(line, gone);
            strcat(line, " was lost");
        } else strcat(line, ": stopped, or a rank elsewhere was lost");
        if (job.temp[0]) {
            strcat(line, ": ");
            strcat(line, job.target);
            strcat(line, " is not written");
        }
        strcat(line, "\n");
        job_put(line);
    }
    _exit(1);
}

/* SIGBUS: a mapped file has lost its end, or its disk. */
static void job_on_bus(int number, siginfo_t *info, void *context)
{
    const size_t at = (size_t)((const char *)info->si_addr
                               - (const char *)job.map);
    (void)number;
    (void)context;
    if (job_speaks()) {
        if (at < job.map_bytes) job_put(job.map_line);
        else job_put("a mapped file cannot be reached\n");
    }
    _exit(1);
}

/* ---- the process beside rank 0 --------------------------------------------*/
/* Reads the file's two names, each with its 0, and one byte more when they are
 * of no concern any more. If the pipe ends without it, rank 0 is gone. */
static void job_watch_over(int pipe_end)
{
    static char text[sizeof job.temp + sizeof job.target + 1];
    size_t      used = 0, i;
    ssize_t     n = 1;
    char       *target = NULL;
    int         names = 0;
    while (n > 0 && used < sizeof text) {
        n = read(pipe_end, text + used, sizeof text - used);
        if (n > 0) used += (size_t)n;
        else if (n < 0 && errno == EINTR) n = 1;
    }
    for (i = 0; i < used && names < 2; i++)
        if (!text[i] && names++ == 0) target = text + i + 1;
    if (names < 2 || i < used || unlink(text) != 0) return;
    job_put(job.name);
    job_put(": rank 0 was lost: ");
    job_put(target);
    job_put(" is not written\n");
}

/* Starts it, before MPI is there to mind. Signals that end the job, and the
 * group of processes that mpirun ends, are not for it. Where it cannot be
 * started the job does without. */
static void job_start_watcher(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    int         ends[2];
    pid_t       pid;
    job.watcher = -1;
    if ((rank && strcmp(rank, "0") != 0) || pipe(ends) != 0) return;
    pid = fork();
    if (pid == 0) {
        setsid();
        close(STDIN_FILENO);
        close(STDOUT_FILENO);
        close(ends[1]);
        job_watch_over(ends[0]);
        _exit(0);
    }
    close(ends[0]);
    if (pid > 0) {
        job.watcher = ends[1];
        fcntl(job.watcher, F_SETFD, FD_CLOEXEC);
    } else close(ends[1]);
}

/* Tells it which file this is about. If that fails, it is not there. */
static void job_tell_watcher(const char *text)
{
    const size_t  bytes = strlen(text) + 1;
    const ssize_t n = job.watcher < 0 ? 0 : write(job.watcher, text, bytes);
    (void)n;
}

/* ---- lines ----------------------------------------------------------------*/
/* A file's name, or what it holds, for people: no control bytes. */
static void job_printable(char *line)
{
    for (; *line; line++)
        if ((unsigned char)*line < 32 || *line == 127) *line = '?';
}

/* Fills a line in. Returns 0, so that callers can return it. */
static int job_say(char line[JOB_LINE], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(line, JOB_LINE, format, args);
    va_end(args);
    job_printable(line);
    return 0;
}

/* Ends the job from the middle of the work. */
static void job_fail(const char *format, ...)
{
    char    line[JOB_LINE];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    job_printable(line);
    if (job_speaks())
        fprintf(stderr, "%s: rank %d: %s\n", job.name, job.rank, line);
    _exit(1);
}

/* Whether no rank has a problem. If one has, the lowest such rank says it, and
 * all know. Every rank calls this. */
static int job_agreed(const char *problem)
{
    int mine = problem[0] ? job.rank : job.ranks, first;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == job.ranks) return 1;
    if (first == job.rank) fprintf(stderr, "%s: %s\n", job.name, problem);
    return 0;
}

/* ---- the beginning --------------------------------------------------------*/
/* Whom a handler can ask after: the ranks of this machine, by process. One that
 * cannot be seen now, as if it lived in another container, is left out. */
static void job_meet(void)
{
    MPI_Comm    here;
    job_process mine;
    int         i, all, kept = 0;
    mine.pid = (long)getpid();
    mine.rank = job.rank;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &here);
    MPI_Comm_size(here, &all);
    job.near = (job_process *)calloc((size_t)all, sizeof mine);
    if (!job.near) job_fail("no memory");
    MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE,
                  job.near, (int)sizeof mine, MPI_BYTE, here);
    for (i = 0; i < all; i++)
        if (kill((pid_t)job.near[i].pid, 0) == 0)
            job.near[kept++] = job.near[i];
    job.near_count = kept;
    MPI_Comm_free(&here);
}

static void job_begin(int *argc, char ***argv, const char *name)
{
    static const int ends[] = { SIGTERM, SIGINT, SIGHUP };
    struct sigaction act;
    size_t           i;
    job.name = name;
    job_start_watcher();
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
    job_meet();
    memset(&act, 0, sizeof act);
    sigfillset(&act.sa_mask);
    act.sa_handler = job_on_end;
    for (i = 0; i < sizeof ends / sizeof *ends; i++)
        sigaction(ends[i], &act, NULL);
    act.sa_handler = SIG_IGN;              /* a write fails instead */
    sigaction(SIGXFSZ, &act, NULL);
    sigaction(SIGPIPE, &act, NULL);
    act.sa_handler = SIG_DFL;
    act.sa_flags = SA_SIGINFO;
    act.sa_sigaction = job_on_bus;
    sigaction(SIGBUS, &act, NULL);
}

/* The file mapped there: its name is for the line if it cannot be read. */
static void job_watch(const void *map, size_t bytes, const char *path)
{
    char said[JOB_LINE];
    job_say(said, "%s: rank %d: %s cannot be read any more: was it cut short?",
            job.name, job.rank, path);
    snprintf(job.map_line, sizeof job.map_line, "%.*s\n", JOB_LINE - 2, said);
    job.map = map;
    job.map_bytes = bytes;
}

/* The end that all ranks come to. mpirun sends SIGTERM to those who are late,
 * if the status is not 0. */
static int job_end(int status)
{
    job.over = 1;
    MPI_Finalize();
    return status;
}

/* ---- the output -----------------------------------------------------------*/
/* Makes the temporary file, of `bytes` bytes that the disk has set aside: a
 * full disk is an error here and not in an hour. Returns -1 and the problem. */
static int job_make_temp(off_t bytes, char problem[JOB_LINE])
{
    char temp[sizeof job.temp];
    int  fd = -1, serial, code;
    for (serial = 0; serial < 100 && fd < 0; serial++) {
        snprintf(temp, sizeof temp, "%s.%ld-%d.tmp", job.target,
                 (long)getpid(), serial);
        fd = open(temp, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (fd < 0 && errno != EEXIST) break;
    }
    if (fd < 0) {
        job_say(problem, "%s: %s", job.target, strerror(errno));
        return -1;
    }
    strcpy(job.temp, temp);
    job_tell_watcher(job.temp);
    job_tell_watcher(job.target);
    do code = posix_fallocate(fd, 0, bytes); while (code == EINTR);
    if (!code) return fd;
    job_say(problem, "%s: %s", job.target, strerror(code));
    close(fd);
    return -1;
}

/* Makes, on rank 0, and opens, on all, the file that will become `path`. What
 * is no regular file is never replaced. Every rank calls it; -1 if it cannot be
 * had, which has then been said. */
static int job_create(const char *path, off_t bytes)
{
    char        problem[JOB_LINE] = "";
    struct stat info;
    int         fd = -1;
    if (strlen(path) >= JOB_PATH) job_say(problem, "the name is too long");
    else strcpy(job.target, path);
    if (job.rank == 0 && !problem[0]) {
        if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode))
            job_say(problem, "%s: it is there and is no regular file", path);
        else fd = job_make_temp(bytes, problem);
    }
    MPI_Bcast(job.temp, (int)sizeof job.temp, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (job.rank > 0 && job.temp[0]) {
        fd = open(job.temp, O_WRONLY);
        if (fd < 0) job_say(problem, "rank %d cannot open %s: %s", job.rank,
                            job.temp, strerror(errno));
    }
    if (job_agreed(problem)) return fd;
    if (fd >= 0) close(fd);
    if (job.rank == 0 && job.temp[0]) unlink(job.temp);
    job.temp[0] = 0;
    return -1;
}

static void job_write(int fd, const void *from, size_t bytes, off_t at)
{
    const char *p = (const char *)from;
    ssize_t     n;
    for (; bytes; bytes -= (size_t)n, p += n, at += n) {
        n = pwrite(fd, p, bytes, at);
        if (n < 0 && errno == EINTR) n = 0;
        else if (n <= 0)
            job_fail("%s: %s", job.target, strerror(n < 0 ? errno : ENOSPC));
    }
}

/* Every rank has written its part: the file gets its name. Some file systems
 * tell of a failed write only here. */
static void job_commit(int fd)
{
    if (close(fd) != 0) job_fail("%s: %s", job.target, strerror(errno));
    MPI_Barrier(MPI_COMM_WORLD);
    if (job.rank == 0 && rename(job.temp, job.target) != 0)
        job_fail("%s: %s", job.target, strerror(errno));
    if (job.rank == 0) job_tell_watcher("");
    MPI_Barrier(MPI_COMM_WORLD);
    job.temp[0] = 0;
}

/* Every rank is here, and the file is not wanted after all. */
static void job_discard(int fd)
{
    close(fd);
    MPI_Barrier(MPI_COMM_WORLD);
    if (job.rank == 0) unlink(job.temp);
    if (job.rank == 0) job_tell_watcher("");
    job.temp[0] = 0;
}

#endif
