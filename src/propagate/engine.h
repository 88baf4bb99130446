/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What an engine is given, and the table of engines.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_ENGINE_H
#define PAULIMPI_SRC_PROPAGATE_ENGINE_H

#include <stdint.h>

#include "paulimpi/propagate.h"
#include "propagate/circuit.h"
#include "propagate/sum.h"
#include "propagate/team.h"

/* Functions that gain from vector instructions or from counting bits in
 * hardware are compiled for several processors, with what they call in their
 * file; the loader picks. */
#if defined(HAVE_TARGET_CLONES)
#define PAULIMPI__CLONES                                                      \
    __attribute__((target_clones("default", "avx2"), flatten))
#else
#define PAULIMPI__CLONES
#endif

enum {
    PAULIMPI__FEW_TERMS = 16384, /* of a gate: below, threads cost more than
                                    they bring */
    PAULIMPI__TEAM_TERMS = 1024  /* below, there is no pass of many gates */
};

/* The letters of a generator in one word of the key. */
typedef struct {
    int64_t word;
    uint64_t x;
    uint64_t z;
} paulimpi__part;

/* A bit of the key: bit `shift` of column `column` (x words, then z words). */
typedef struct {
    int64_t column;
    int shift;
} paulimpi__tap;

/* An operation made ready for the loops. */
typedef struct {
    const paulimpi__op *op;
    const paulimpi__part *parts; /* of the generator, n_parts of them */
    int64_t n_parts;
    paulimpi__tap pivot; /* a bit that the generator flips */
    int n_y;             /* letters Y of the generator, modulo 4 */
} paulimpi__ready_op;

/* A propagation under way. */
typedef struct {
    paulimpi__store *store;
    const paulimpi_circuit *circuit;
    const paulimpi_truncation *truncation;
    paulimpi__chooser chooser; /* of max_terms terms of all ranks */
    int is_schroedinger;
    int n_threads;
    paulimpi__team *team; /* NULL while the terms are few */
    int64_t memory_limit; /* for the time being, if node_ranks is not 0 */
    int64_t node_ranks;   /* that share what the node can give */
    int64_t extra_bytes;  /* held beside the store */
    int64_t peak_bytes;   /* of a store that the run has left */
    int engine;           /* PAULIMPI_ENGINE_..., as it was asked for */
    int is_forced;        /* not automatic: use it wherever it can be used */

    /* The operations in the order in which they act; flags that are "first"
     * stand where a gate or unit begins in this order. */
    paulimpi__ready_op *ops;
    int64_t n_ops;
    int64_t n_done;
    int64_t end; /* up to which they may be taken for now: all of them, but
                    where the terms move to other ranks afterwards */
    paulimpi__part *parts;

    /* Tallies. */
    int64_t gates;
    int64_t term_gates;
    int64_t active_gates;
    int64_t peak_terms;
    paulimpi__dropped dropped;

    /* One entry a gate, or NULL. */
    paulimpi_propagation_layer *layers;
    int64_t n_layers;

    /* On several ranks, or 0 and NULL. */
    int has_net;    /* whoever runs the engine can go back to an earlier
                           state on all ranks: where memory runs out inside a
                           group the store is lost */
    int64_t *trace; /* the terms after operations, from trace_first on: of
                           those after which the number was noted */
    int64_t trace_first;
    int64_t next_end;     /* of the operations after `end` that terms then stay
                           for, */
    uint64_t *bound;      /* which are met by terms with no other bits set */
    const uint64_t *rows; /* NULL, or n_rows functions that are 0 on all of
                             them: the lowest bits of the hash by which terms
                             are to be dealt out at `end`, */
    int n_rows;
    int has_dealt; /* which they have been */
    int64_t stretches;
    int64_t moves;
    int64_t terms_moved;
    int64_t terms_shared; /* of them, those that went through segments */
    double imbalance;

    void *workspace; /* the engine's */
} paulimpi__run;

/* An engine applies whole truncation units. Each advance takes the run from
 * n_done to the end of at least one unit, with its truncation, and returns 0;
 * or PAULIMPI_ERR_MEMORY with the sum and n_done as they were, or, with
 * has_net, the sum only to be freed. Once in a run without it, an engine may go
 * back instead, to an earlier state with its tallies. */
typedef struct {
    int id; /* PAULIMPI_ENGINE_... */
    const char *name;
    int (*begin)(paulimpi__run *run); /* a code, with its sentence if it is not
                                         PAULIMPI_ERR_MEMORY */
    int (*advance)(paulimpi__run *run);
    void (*end)(paulimpi__run *run); /* also after a failed begin */
} paulimpi__engine;

extern const paulimpi__engine paulimpi__engine_in_place;
extern const paulimpi__engine paulimpi__engine_tile;
extern const paulimpi__engine paulimpi__engine_orbit;

/** The terms that a tile of the run's engine should have; 0 without tiles. */
int64_t paulimpi__tile_terms(const paulimpi__run *run);

/** Make the operations ready. 0 or PAULIMPI_ERR_MEMORY. */
int paulimpi__run_prepare(paulimpi__run *run);
void paulimpi__run_free(paulimpi__run *run);

/** Find out what memory the node can give, if that has been put off until it is
 * needed: to ask takes longer than a short run. Whether the limit has changed.
 */
int paulimpi__find_limit(paulimpi__run *run);

/** Whether operation i (in order of action) begins or ends a gate or unit. */
static inline int
paulimpi__run_flag(const paulimpi__run *run, int64_t i, int first, int last)
{
    return run->ops[i].op->flags & (run->is_schroedinger ? first : last);
}
static inline int
paulimpi__begins_gate(const paulimpi__run *run, int64_t i)
{
    return paulimpi__run_flag(run, i, PAULIMPI__GATE_FIRST,
                              PAULIMPI__GATE_LAST);
}
static inline int
paulimpi__ends_gate(const paulimpi__run *run, int64_t i)
{
    return paulimpi__run_flag(run, i, PAULIMPI__GATE_LAST,
                              PAULIMPI__GATE_FIRST);
}
static inline int
paulimpi__ends_unit(const paulimpi__run *run, int64_t i)
{
    return paulimpi__run_flag(run, i, PAULIMPI__UNIT_LAST,
                              PAULIMPI__UNIT_FIRST);
}

/** One past the last operation of the unit that begins at i. */
static inline int64_t
paulimpi__end_of_unit(const paulimpi__run *run, int64_t i)
{
    while (!paulimpi__ends_unit(run, i)) {
        i++;
    }
    return i + 1;
}

/** Note the number of terms after operation i, which ends a unit. */
static inline void
paulimpi__note_terms(paulimpi__run *run, int64_t i, int64_t n_terms)
{
    if (n_terms > run->peak_terms) {
        run->peak_terms = n_terms;
    }
    if (run->trace != NULL) {
        run->trace[i - run->trace_first] = n_terms;
    }
}

/** The angle's sine as the picture wants it, the quarters likewise, and the
 * entry of a map. */
static inline double
paulimpi__sine(const paulimpi__run *run, const paulimpi__op *op)
{
    return run->is_schroedinger ? -op->value[1] : op->value[1];
}
static inline int
paulimpi__quarters(const paulimpi__run *run, const paulimpi__op *op)
{
    return run->is_schroedinger ? (4 - op->quarters) % 4 : op->quarters;
}

#endif /* PAULIMPI_SRC_PROPAGATE_ENGINE_H */
