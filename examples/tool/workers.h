/* workers.h - runs a range of rows on threads, with one report and a progress
 * line (POSIX threads; include ndgather.h and outfile.h first)
 *
 *     workers_phase(&team, "writing", rows);
 *     report = workers_run(&team, work, job, rows, workers, least);
 *
 * calls work(job, worker, first, last, &part) for ranges that cover 0 ...
 * rows-1, each worker's in order, and merges the parts: ndgather's reports are
 * the same for every split. Worker w gets the w-th of `workers` equal shares,
 * in blocks of `least` rows or more. Where a thread cannot be had the caller's
 * does its share. */
#ifndef WORKERS_H
#define WORKERS_H

#include <pthread.h>
#include <time.h>

#define WORKERS_MAX 256

typedef void (*workers_fn)(void *job, int worker, ptrdiff_t first,
                           ptrdiff_t last, ndg_report *report);

enum { WORKERS_QUIET, WORKERS_WHEN_LONG, WORKERS_ALWAYS };

/* What the progress line needs, and what the threads share. */
typedef struct workers_team {
    const char     *label;           /* the line begins so */
    int             progress;        /* WORKERS_QUIET ... */
    int             terminal;        /* stderr is one: overwrite the line */
    const char     *phase;
    ptrdiff_t       all, done;       /* rows of this phase */
    double          begun, shown;    /* seconds; shown 0: never */
    pthread_mutex_t lock;            /* done, running, report */
    pthread_cond_t  ended;
    int             running;
    workers_fn      work;
    void           *job;
    ptrdiff_t       rows, block;
    int             workers;
    ndg_report      report;
} workers_team;

typedef struct workers_hand {
    workers_team *team;
    int           number, started;
    pthread_t     thread;
} workers_hand;

/* ---- progress ------------------------------------------------------------*/

static double workers_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void workers_show(workers_team *t)
{
    int percent = t->all ? (int)((double)t->done / (double)t->all * 100) : 100;
    fprintf(stderr, "%s%s: %s %3d %%%s", t->terminal ? "\r" : "", t->label,
            t->phase, percent, t->terminal ? "" : "\n");
    fflush(stderr);
    t->shown = workers_now();
}

/* Shows the line if it is time to: after a second, then five times a second. */
static void workers_tick(workers_team *t)
{
    double now = workers_now();
    double wait = t->terminal ? 0.2 : 1.0;
    if (t->progress == WORKERS_QUIET) return;
    if (t->progress == WORKERS_WHEN_LONG && now - t->begun < 1.0) return;
    if (now - t->shown >= wait) workers_show(t);
}

/* Takes the line away, so that another can be printed. */
static void workers_clear(workers_team *t)
{
    if (t->terminal && t->shown > 0) fprintf(stderr, "\r%60s\r", "");
    t->shown = 0;
}

static void workers_init(workers_team *t, const char *label, int progress,
                         int terminal)
{
    memset(t, 0, sizeof *t);
    t->label = label;
    t->terminal = terminal;
    t->progress = progress;
    t->begun = workers_now();
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->ended, NULL);
}

static void workers_phase(workers_team *t, const char *phase, ptrdiff_t all)
{
    t->phase = phase;
    t->all = all;
    t->done = 0;
}

/* ---- threads -------------------------------------------------------------*/

/* The first row of worker w's share; the rest of the division goes to the
 * first workers. w <= workers, so nothing here is above rows. */
static ptrdiff_t workers_share(const workers_team *t, int w)
{
    ptrdiff_t rest = t->rows % t->workers;
    return t->rows / t->workers * w + (w < rest ? w : rest);
}

static void workers_do_share(workers_team *t, int worker)
{
    ptrdiff_t  at = workers_share(t, worker);
    ptrdiff_t  last = workers_share(t, worker + 1), next;
    ndg_report report;
    for (; at < last; at = next) {
        next = last - at > t->block ? at + t->block : last;
        memset(&report, 0, sizeof report);
        t->work(t->job, worker, at, next, &report);
        pthread_mutex_lock(&t->lock);
        ndg_report_merge(&t->report, &report);
        t->done += next - at;
        pthread_mutex_unlock(&t->lock);
    }
}

static void *workers_thread(void *argument)
{
    workers_hand *hand = (workers_hand *)argument;
    workers_do_share(hand->team, hand->number);
    pthread_mutex_lock(&hand->team->lock);
    hand->team->running--;
    pthread_cond_signal(&hand->team->ended);
    pthread_mutex_unlock(&hand->team->lock);
    return NULL;
}

/* Waits for the threads and shows how far they are. */
static void workers_watch(workers_team *t)
{
    struct timespec until;
    pthread_mutex_lock(&t->lock);
    while (t->running > 0) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&t->ended, &t->lock, &until);
        workers_tick(t);
    }
    pthread_mutex_unlock(&t->lock);
}

/* Starts the threads from number `first` on, as many as there can be. */
static void workers_start(workers_team *t, workers_hand *hands, int first)
{
    int w;
    outfile_hold(1);                      /* signals are the main thread's */
    for (w = 0; w < t->workers; w++) {
        hands[w].team = t;
        hands[w].number = w;
        hands[w].started = 0;
        if (w < first) continue;
        pthread_mutex_lock(&t->lock);
        t->running++;
        pthread_mutex_unlock(&t->lock);
        hands[w].started = pthread_create(&hands[w].thread, NULL,
                                          workers_thread, &hands[w]) == 0;
        if (hands[w].started) continue;
        pthread_mutex_lock(&t->lock);
        t->running--;
        pthread_mutex_unlock(&t->lock);
    }
    outfile_hold(0);
}

static ndg_report workers_run(workers_team *t, workers_fn work, void *job,
                              ptrdiff_t rows, int workers, ptrdiff_t least)
{
    workers_hand hands[WORKERS_MAX];
    int w;
    t->work = work;
    t->job = job;
    t->rows = rows;
    t->workers = workers;
    t->running = 0;
    t->block = rows / workers / 32 + 1;
    if (t->block < least) t->block = least;
    memset(&t->report, 0, sizeof t->report);
    /* This thread takes a share, unless it has a progress line to keep. */
    workers_start(t, hands, t->progress == WORKERS_QUIET ? 1 : 0);
    for (w = 0; w < workers; w++)
        if (!hands[w].started) workers_do_share(t, w);
    workers_watch(t);
    for (w = 0; w < workers; w++)
        if (hands[w].started) pthread_join(hands[w].thread, NULL);
    return t->report;
}

#endif
