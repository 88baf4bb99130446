/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations made ready for the engines: generators as words and bits.
 */
#include "propagate/engine.h"

enum {
    /* Up to this many bits it is faster to shift each into place than to mask
     * words and fold their parity. */
    MOST_TAPS = 8
};

/* Gather the sites of an operation into words. The sites of a string are in
 * any order, so every word is looked for; generators are short. */
static int64_t
gather_parts(const paulimpi_circuit *circuit, const paulimpi__op *op,
             paulimpi__part *parts)
{
    int64_t n_parts = 0;
    int64_t i, k;

    for (i = 0; i < op->n_sites; i++) {
        paulimpi__site site = circuit->sites[op->first_site + i];
        int64_t qubit = paulimpi__site_qubit(site);

        for (k = n_parts - 1; k >= 0 && parts[k].word != qubit / 64; k--) {
        }
        if (k < 0) {
            k = n_parts++;
            parts[k] = (paulimpi__part){ qubit / 64, 0, 0 };
        }
        parts[k].x |= (uint64_t)paulimpi__site_x(site) << qubit % 64;
        parts[k].z |= (uint64_t)paulimpi__site_z(site) << qubit % 64;
    }
    return n_parts;
}

/* A letter X of the generator asks for the z bit of the term, and so on. */
static int
list_taps(const paulimpi_circuit *circuit, const paulimpi__op *op,
          int64_t n_words, paulimpi__tap *taps)
{
    int n_taps = 0;
    int64_t i;

    if (op->n_sites > MOST_TAPS / 2) {
        return 0;
    }
    for (i = 0; i < op->n_sites; i++) {
        paulimpi__site site = circuit->sites[op->first_site + i];
        int64_t qubit = paulimpi__site_qubit(site);

        if (paulimpi__site_z(site)) {
            taps[n_taps++] = (paulimpi__tap){ qubit / 64, (int)(qubit % 64) };
        }
        if (paulimpi__site_x(site)) {
            taps[n_taps++] =
                (paulimpi__tap){ n_words + qubit / 64, (int)(qubit % 64) };
        }
    }
    return n_taps;
}

static void
make_ready(const paulimpi__run *run, const paulimpi__op *op,
           paulimpi__ready_op *ready, paulimpi__part *parts,
           paulimpi__tap *taps)
{
    int64_t n_words = run->store->n_words;
    int64_t k;

    *ready = (paulimpi__ready_op){ .op = op, .parts = parts, .taps = taps };
    ready->n_parts = gather_parts(run->circuit, op, parts);
    ready->n_taps = list_taps(run->circuit, op, n_words, taps);
    for (k = 0; k < ready->n_parts; k++) {
        ready->n_y += paulimpi__popcount(parts[k].x & parts[k].z);
    }
    ready->n_y %= 4;
    if (op->n_sites > 0) {
        paulimpi__site site = run->circuit->sites[op->first_site];
        int64_t qubit = paulimpi__site_qubit(site);

        ready->pivot = (paulimpi__tap){ (paulimpi__site_x(site) ? 0 : n_words)
                                            + qubit / 64,
                                        (int)(qubit % 64) };
    }
}

int
paulimpi__run_prepare(paulimpi__run *run)
{
    const paulimpi_circuit *circuit = run->circuit;
    size_t n_sites = (size_t)circuit->n_sites;
    int64_t first_part = 0;
    int64_t first_tap = 0;
    int64_t i;

    run->n_ops = circuit->n_ops;
    run->ops = paulimpi__alloc((size_t)run->n_ops + 1, sizeof *run->ops);
    run->parts = paulimpi__alloc(n_sites + 1, sizeof *run->parts);
    run->taps = paulimpi__alloc(n_sites + 1, 2 * sizeof *run->taps);
    if (run->ops == NULL || run->parts == NULL || run->taps == NULL) {
        return paulimpi__no_memory("paulimpi_propagate",
                                   (size_t)run->n_ops * sizeof *run->ops);
    }
    for (i = 0; i < run->n_ops; i++) {
        int64_t k = run->is_schroedinger ? i : run->n_ops - 1 - i;

        make_ready(run, &circuit->ops[k], &run->ops[i],
                   run->parts + first_part, run->taps + first_tap);
        first_part += run->ops[i].n_parts;
        first_tap += run->ops[i].n_taps;
    }
    return PAULIMPI_SUCCESS;
}

void
paulimpi__run_free(paulimpi__run *run)
{
    paulimpi__free(run->taps);
    paulimpi__free(run->parts);
    paulimpi__free(run->ops);
}
