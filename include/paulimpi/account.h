/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What was copied and sent, counted; and budgets for it.
 */
#ifndef PAULIMPI_ACCOUNT_H
#define PAULIMPI_ACCOUNT_H

#include <stddef.h>
#include <stdint.h>

#include "paulimpi/context.h"
#include "paulimpi/export.h"
#include "paulimpi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Counters
 *
 * Which way a message goes is the library's choice. Whether it was the one
 * that you had in mind, a counter tells: it counts the events of this process
 * from paulimpi_counter_begin() to paulimpi_counter_end(), in all threads, by
 * kind and phase.
 *
 *     paulimpi_counter_create("step", &counter);
 *     paulimpi_counter_begin(counter);
 *     paulimpi_phase_begin("halo");
 *     paulimpi_exchange(...);
 *     paulimpi_phase_end();
 *     paulimpi_counter_end(counter);
 *     paulimpi_counter_report(counter, &text);
 *
 * Several counters may run at a time; each sees every event. What fails is not
 * counted. While no counter runs, counting costs next to nothing.
 */
typedef struct paulimpi_counter paulimpi_counter;

/** What is counted: events, and their bytes. Numbers are never reused. */
enum {
    PAULIMPI_COUNT_ANY = -1,       /**< all kinds, or each, as it is said */
    PAULIMPI_COUNT_TO_HOST = 0,    /**< copies from a device to the host */
    PAULIMPI_COUNT_TO_DEVICE = 1,  /**< copies from the host to a device */
    PAULIMPI_COUNT_ON_DEVICE = 2,  /**< copies between devices or on one */
    PAULIMPI_COUNT_PACK = 3,       /**< strided host memory made contiguous,
                                       or the reverse */
    PAULIMPI_COUNT_SELF = 4,       /**< messages of a rank to itself */
    PAULIMPI_COUNT_MPI_HOST = 5,   /**< messages sent that MPI read from the
                                       host's memory */
    PAULIMPI_COUNT_MPI_DEVICE = 6, /**< and from a device's, or NCCL did */
    PAULIMPI_COUNT_BOUNCE = 7,     /**< copies from or to memory of another
                                   process, besides their own kind */
    PAULIMPI_COUNT_WAIT = 8,       /**< waits for a stream, event or device */
    PAULIMPI_COUNT_PROBE = 9       /**< messages of the search for GPU-aware
                                       MPI */
};

/** How many kinds there are. */
enum { PAULIMPI_COUNT_KINDS = 10 };

/** Limits of phases. */
enum {
    PAULIMPI_PHASE_TEXT = 64, /**< bytes of a name, with its NUL */
    PAULIMPI_PHASES_NESTED = 16,
    PAULIMPI_PLACES_COUNTED = 64, /**< lines of a program, by a counter; later
                                      ones it counts together */
    PAULIMPI_PHASES_COUNTED = 64  /**< by a counter; later ones it counts
                                      together */
};

/**
 * Name a kind in a few words: "to host". Local.
 *
 * @return constant text; "?" for what is no kind; never NULL
 */
PAULIMPI_API const char *paulimpi_count_name(int kind);

/**
 * Begin a phase of the calling thread: what this thread does until the end of
 * the phase counts for it, unless a phase within it has begun. Local.
 *
 * @param name  is copied; 1 to PAULIMPI_PHASE_TEXT - 1 bytes
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT; PAULIMPI_ERR_RANGE within
 *         PAULIMPI_PHASES_NESTED phases
 */
PAULIMPI_API int paulimpi_phase_begin(const char *name);

/**
 * End the phase that the calling thread began last. Local.
 *
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_STATE if it is in none
 */
PAULIMPI_API int paulimpi_phase_end(void);

/**
 * Make a counter that does not run yet. Local.
 *
 * @param label      is copied and stands above reports; NULL for none
 * @param counter_p  set to the counter, or to NULL on failure
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT, also for a label of
 *         PAULIMPI_PHASE_TEXT bytes or more; PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_counter_create(const char *label,
                                         paulimpi_counter **counter_p);

/** Forget a counter, which may be running. NULL and a NULL counter are fine.
 * Local. */
PAULIMPI_API void paulimpi_counter_destroy(paulimpi_counter **counter_p);

/**
 * Let a counter run; it goes on from what it has. One that runs may be begun
 * again, and runs until the last of as many ends; it counts an event once.
 * Local.
 *
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT
 */
PAULIMPI_API int paulimpi_counter_begin(paulimpi_counter *counter);

/**
 * Let a counter rest. Local.
 *
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_STATE if it
 *         does not run
 */
PAULIMPI_API int paulimpi_counter_end(paulimpi_counter *counter);

/**
 * Set a counter to nothing; it runs or rests as before. Local.
 *
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT
 */
PAULIMPI_API int paulimpi_counter_reset(paulimpi_counter *counter);

/**
 * Tell what a counter has, whether it runs or not. Local.
 *
 * @param phase     NULL for all of them together, "" for what was in none
 * @param kind      PAULIMPI_COUNT_...; ANY for all of them together
 * @param events_p  NULL, or set to the number of events
 * @param bytes_p   NULL, or set to their bytes
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_ARGUMENT; PAULIMPI_ERR_RANGE for a
 *         phase that is not among the first PAULIMPI_PHASES_COUNTED, if there
 *         were more
 */
PAULIMPI_API int paulimpi_counter_get(const paulimpi_counter *counter,
                                      const char *phase, int kind,
                                      int64_t *events_p, int64_t *bytes_p);

/**
 * Say which line of the program makes the next call of the calling thread that
 * is one of paulimpi_exchange(), paulimpi_plan_create() and
 * paulimpi_buffer_acquire(). What is counted for it, or for the runs of the
 * plan, has its line in reports. In C these three are macros, too, that say so
 * themselves; a program that defines PAULIMPI_NO_PLACES before it includes a
 * header goes without. Other languages name phases. Local.
 *
 * @param file  stays valid; what is behind its last / is kept; NULL for none
 * @param line  in it
 */
PAULIMPI_API void paulimpi_called_from(const char *file, int line);

/**
 * Write what a counter has: a line with its label and totals, then one for
 * each kind and phase with events, their bytes, and those of the largest; then
 * one for each kind and line of the program, as far as it is known.
 * Local.
 *
 * @param text_p  set to the text, for paulimpi_text_destroy()
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_counter_report(const paulimpi_counter *counter,
                                         char **text_p);

/** What the counters of all ranks have, filled by paulimpi_counter_reduce(). */
typedef struct {
    size_t size;          /**< of this struct, set by the caller */
    int64_t least_events; /**< of a rank */
    int64_t most_events;
    int64_t all_events; /**< of all together */
    int64_t least_bytes;
    int64_t most_bytes;
    int64_t all_bytes;
} paulimpi_count_of_ranks;

#define PAULIMPI_COUNT_OF_RANKS_INIT                                          \
    {                                                                         \
        sizeof(paulimpi_count_of_ranks), 0, 0, 0, 0, 0, 0                     \
    }

/**
 * Tell what the counters of all ranks have. Collective over the context.
 *
 * @param counter     of this rank
 * @param phase,kind  as for paulimpi_counter_get(); the same on all ranks
 * @param ranks       is filled
 * @return the codes of paulimpi_counter_get(); PAULIMPI_ERR_MPI;
 *         PAULIMPI_ERR_REMOTE
 */
PAULIMPI_API int paulimpi_counter_reduce(paulimpi_context *ctx,
                                         const paulimpi_counter *counter,
                                         const char *phase, int kind,
                                         paulimpi_count_of_ranks *ranks);

/**
 * Budgets
 *
 * What a program may copy and send at most: a test that would notice a message
 * gone astray only by the clock notices it by its count.
 *
 *     paulimpi_budget_create(&budget);
 *     paulimpi_budget_allow(budget, "halo", PAULIMPI_COUNT_MPI_DEVICE,
 *                           4 * steps, 8 * nx, PAULIMPI_UNLIMITED);
 *     paulimpi_budget_allow(budget, "halo", PAULIMPI_COUNT_ANY, 0, 0, 0);
 *     ...
 *     assert(paulimpi_budget_check(budget, counter, NULL) == 0);
 */
typedef struct paulimpi_budget paulimpi_budget;

/**
 * Make a budget, which allows everything. Local.
 *
 * @param budget_p  set to the budget, or to NULL on failure
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_budget_create(paulimpi_budget **budget_p);

/** Forget a budget. NULL and a NULL budget are fine. Local. */
PAULIMPI_API void paulimpi_budget_destroy(paulimpi_budget **budget_p);

/**
 * Allow so much and no more of a kind in a phase. The last word on a kind in a
 * phase holds. Local.
 *
 * @param phase            NULL for all phases together, "" for what is in none
 * @param kind             PAULIMPI_COUNT_...; ANY for each kind of which
 *                         nothing is said for this phase
 * @param most_events      from 0 up; PAULIMPI_UNLIMITED
 * @param most_bytes_each  bytes of one event, likewise
 * @param most_bytes       bytes of all events, likewise
 * @return PAULIMPI_SUCCESS, PAULIMPI_ERR_ARGUMENT, PAULIMPI_ERR_MEMORY
 */
PAULIMPI_API int paulimpi_budget_allow(paulimpi_budget *budget,
                                       const char *phase, int kind,
                                       int64_t most_events,
                                       int64_t most_bytes_each,
                                       int64_t most_bytes);

/**
 * Check that a counter is within a budget. With a context, collective over it:
 * the counter of every rank must be, else it fails on all. Without, local.
 *
 * @param ctx  may be NULL
 * @return PAULIMPI_SUCCESS; PAULIMPI_ERR_MISMATCH if it is not, with phase,
 *         kind, count and limit of all that is too much;
 *         PAULIMPI_ERR_ARGUMENT; PAULIMPI_ERR_MPI; PAULIMPI_ERR_REMOTE
 */
PAULIMPI_API int paulimpi_budget_check(const paulimpi_budget *budget,
                                       const paulimpi_counter *counter,
                                       paulimpi_context *ctx);

#ifdef __cplusplus
}
#endif

#endif /* PAULIMPI_ACCOUNT_H */
