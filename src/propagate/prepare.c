/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations made ready for the engines: generators as words and bits.
 */
#include "propagate/engine.h"

/* Add a letter to the word it belongs to. The sites of a string are in any
 * order, so every word is looked for; generators are short. */
static void
add_site(paulimpi__ready_op *ready, paulimpi__part *parts, paulimpi__site site)
{
    uint64_t qubit = (uint64_t)paulimpi__site_qubit(site);
    int64_t word = (int64_t)(qubit / 64);
    int64_t k = ready->n_parts - 1;

    while (k >= 0 && parts[k].word != word) {
        k--;
    }
    if (k < 0) {
        k = ready->n_parts++;
        parts[k] = (paulimpi__part){ word, 0, 0 };
    }
    parts[k].x |= (uint64_t)paulimpi__site_x(site) << qubit % 64;
    parts[k].z |= (uint64_t)paulimpi__site_z(site) << qubit % 64;
    ready->n_y += paulimpi__site_x(site) & paulimpi__site_z(site);
}

static void
make_ready(const paulimpi__run *run, const paulimpi__op *op,
           paulimpi__ready_op *ready, paulimpi__part *parts)
{
    const paulimpi__site *sites = run->circuit->sites + op->first_site;
    int64_t i;

    *ready = (paulimpi__ready_op){ .op = op, .parts = parts };
    for (i = 0; i < op->n_sites; i++) {
        add_site(ready, parts, sites[i]);
    }
    ready->n_y %= 4;
    if (op->n_sites > 0) {
        uint64_t qubit = (uint64_t)paulimpi__site_qubit(sites[0]);

        ready->pivot.column =
            (int64_t)(qubit / 64)
            + (paulimpi__site_x(sites[0]) ? 0 : run->store->n_words);
        ready->pivot.shift = (int)(qubit % 64);
    }
}

int
paulimpi__run_prepare(paulimpi__run *run)
{
    const paulimpi_circuit *circuit = run->circuit;
    size_t n_sites = (size_t)circuit->n_sites;
    int64_t first_part = 0;
    int64_t i;

    run->n_ops = circuit->n_ops;
    run->end = run->n_ops;
    run->ops = paulimpi__alloc((size_t)run->n_ops + 1, sizeof *run->ops);
    run->parts = paulimpi__alloc(n_sites + 1, sizeof *run->parts);
    if (run->ops == NULL || run->parts == NULL) {
        return paulimpi__no_memory("paulimpi_propagate",
                                   (size_t)run->n_ops * sizeof *run->ops);
    }
    for (i = 0; i < run->n_ops; i++) {
        int64_t k = run->is_schroedinger ? i : run->n_ops - 1 - i;

        make_ready(run, &circuit->ops[k], &run->ops[i],
                   run->parts + first_part);
        first_part += run->ops[i].n_parts;
    }
    return paulimpi__chooser_init(&run->chooser, "paulimpi_propagate",
                                  run->truncation, run->store->n_words);
}

void
paulimpi__run_free(paulimpi__run *run)
{
    paulimpi__chooser_free(&run->chooser);
    paulimpi__free(run->parts);
    paulimpi__free(run->ops);
}
