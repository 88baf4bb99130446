/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that share the passes of a propagation.
 */
#include "propagate/team.h"

#include <stddef.h>

/* A team of one. */
static void
work_alone(int64_t n_items,
           void (*task)(void *shared, int thread, int64_t item), void *shared)
{
    int64_t item;

    for (item = 0; item < n_items; item++) {
        task(shared, 0, item);
    }
}

#ifdef _OPENMP

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    SPINS = 2000, /* 20 to 120 microseconds, less than a pass takes */
    CLOSED = 1 << 30
};

struct paulimpi__team {
    int n_threads;

    /* What is to be done, and how many threads other than 0 are at it; with
     * CLOSED, none may begin. */
    void (*task)(void *shared, int thread, int64_t item);
    void *shared;
    int64_t n_items;
    _Atomic int64_t next_item;
    atomic_int n_working;

    /* Grows by one with each share, and at the end. */
    atomic_uint generation;
    atomic_int is_over;

    pthread_mutex_t lock;
    pthread_cond_t has_changed; /* generation */
    pthread_cond_t is_done;     /* n_working is CLOSED */
};

static void
pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void
work(paulimpi__team *team, int thread)
{
    int64_t item = atomic_fetch_add(&team->next_item, 1);

    while (item < team->n_items) {
        team->task(team->shared, thread, item);
        item = atomic_fetch_add(&team->next_item, 1);
    }
}

/* Wait for another generation than the one that has been seen. */
static unsigned
wait_for_change(paulimpi__team *team, unsigned seen)
{
    unsigned now = atomic_load(&team->generation);
    int i;

    for (i = 0; i < SPINS && now == seen; i++) {
        pause_briefly();
        now = atomic_load(&team->generation);
    }
    if (now == seen) {
        pthread_mutex_lock(&team->lock);
        while ((now = atomic_load(&team->generation)) == seen) {
            pthread_cond_wait(&team->has_changed, &team->lock);
        }
        pthread_mutex_unlock(&team->lock);
    }
    return now;
}

/* Whether a thread may begin. */
static int
enter(paulimpi__team *team)
{
    int n = atomic_load(&team->n_working);

    while (n < CLOSED) {
        if (atomic_compare_exchange_weak(&team->n_working, &n, n + 1)) {
            return 1;
        }
    }
    return 0;
}

static void
leave(paulimpi__team *team)
{
    if (atomic_fetch_sub(&team->n_working, 1) == CLOSED + 1) {
        pthread_mutex_lock(&team->lock);
        pthread_cond_signal(&team->is_done);
        pthread_mutex_unlock(&team->lock);
    }
}

static void
announce_change(paulimpi__team *team)
{
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->generation, 1);
    pthread_cond_broadcast(&team->has_changed);
    pthread_mutex_unlock(&team->lock);
}

/* The life of every thread but 0. */
static void
serve(paulimpi__team *team, int thread)
{
    unsigned seen = 0;

    for (;;) {
        seen = wait_for_change(team, seen);
        if (atomic_load(&team->is_over)) {
            return;
        }
        if (enter(team)) {
            work(team, thread);
            leave(team);
        }
    }
}

/* Wait for the threads that have begun. One that has not yet, since it is slow
 * to wake up, finds nothing to do. */
static void
wait_until_done(paulimpi__team *team)
{
    int i;

    atomic_fetch_or(&team->n_working, CLOSED);
    for (i = 0; i < SPINS && atomic_load(&team->n_working) > CLOSED; i++) {
        pause_briefly();
    }
    if (i == SPINS) {
        pthread_mutex_lock(&team->lock);
        while (atomic_load(&team->n_working) > CLOSED) {
            pthread_cond_wait(&team->is_done, &team->lock);
        }
        pthread_mutex_unlock(&team->lock);
    }
}

void
paulimpi__team_share(paulimpi__team *team, int64_t n_items,
                     void (*task)(void *shared, int thread, int64_t item),
                     void *shared)
{
    if (team == NULL) {
        work_alone(n_items, task, shared);
        return;
    }
    team->task = task;
    team->shared = shared;
    team->n_items = n_items;
    atomic_store(&team->next_item, 0);
    atomic_store(&team->n_working, 0);
    announce_change(team);
    work(team, 0);
    wait_until_done(team);
}

/* Thread 0 of a team whose other threads serve. */
static void
lead(paulimpi__team *team, void (*main)(paulimpi__team *team, void *data),
     void *data)
{
    team->n_threads = omp_get_num_threads();
    main(team->n_threads > 1 ? team : NULL, data);
    atomic_store(&team->is_over, 1);
    announce_change(team);
}

void
paulimpi__team_run(int n_threads,
                   void (*main)(paulimpi__team *team, void *data), void *data)
{
    paulimpi__team team = { .n_threads = 1, .n_working = CLOSED };

    pthread_mutex_init(&team.lock, NULL);
    pthread_cond_init(&team.has_changed, NULL);
    pthread_cond_init(&team.is_done, NULL);
#pragma omp parallel num_threads(n_threads)
    {
        if (omp_get_thread_num() == 0) {
            lead(&team, main, data);
        } else {
            serve(&team, omp_get_thread_num());
        }
    }
    pthread_cond_destroy(&team.is_done);
    pthread_cond_destroy(&team.has_changed);
    pthread_mutex_destroy(&team.lock);
}

#else /* without OpenMP */

void
paulimpi__team_share(paulimpi__team *team, int64_t n_items,
                     void (*task)(void *shared, int thread, int64_t item),
                     void *shared)
{
    (void)team;
    work_alone(n_items, task, shared);
}

void
paulimpi__team_run(int n_threads,
                   void (*main)(paulimpi__team *team, void *data), void *data)
{
    (void)n_threads;
    main(NULL, data);
}

#endif
