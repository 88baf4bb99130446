/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long ranks of a machine that is only described would take.
 *
 * A stretch takes its term-gates, divided among the ranks and their cores, of
 * the rank that has most terms. Before it the terms move: what leaves a node
 * goes through its network, every pair of ranks tells each other a count, and
 * the counts of all shards are summed over all ranks.
 */
#include "scaling_model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

const scaling_machine scaling_usual_machine = { .latency = 2e-6,
                                                .bandwidth = 2.5e10,
                                                .ranks_a_node = 2,
                                                .cores = 32,
                                                .term_gate = 0,
                                                .terms = 6e6 };

enum {
    SPARE_SHARDS = 16, /* of a rank, at least */
    BLOCK_TERMS = 64,
    ROUND_BYTES =
        8 << 20,         /* of buffers of a rank, each way, if ranks are few */
    MESSAGE_BYTES = 160, /* that describe one, there and back */
    MOST_RANKS = 131072
};

/* What a move costs a rank, and what a stretch. */
typedef struct {
    double compute;
    double network;
    double counts; /* of pairs, and messages */
    double shards;
} seconds;

typedef struct {
    double n_ranks;
    double terms; /* of a rank */
    double moved; /* part of them */
    double pairs; /* ranks that one sends to */
    double imbalance;
    double term_bytes;
} move;

static double
shards_of(double n_ranks)
{
    return n_ranks < 2 ? 1 : exp2(ceil(log2(n_ranks))) * SPARE_SHARDS;
}

static void
add_move(const scaling_machine *m, const move *what, seconds *s)
{
    double here =
        what->n_ranks < m->ranks_a_node ? what->n_ranks : m->ranks_a_node;
    double leaves =
        what->n_ranks > 1 ? (what->n_ranks - here) / (what->n_ranks - 1) : 0;
    double bytes = what->terms * what->moved * what->term_bytes;
    double steps = ceil(log2(what->n_ranks));

    s->network += bytes * leaves * what->imbalance * here / m->bandwidth;
    s->counts += (what->pairs + what->n_ranks - 1) * m->latency;
    /* Summed by halves and gathered again; twice, as it is not the first draw
     * that always balances the ranks. */
    s->shards += 2
                 * (2 * steps * m->latency
                    + 2 * 8 * shards_of(what->n_ranks) * here / m->bandwidth);
}

static double
total(const seconds *s)
{
    return s->compute + s->network + s->counts + s->shards;
}

static double
measured_term_gate(const virtual_run *run)
{
    double time = 0;
    double n = 0;
    int64_t i;

    for (i = 0; i < run->n_stretches; i++) {
        time += run->stretch[i].seconds;
        n += (double)run->stretch[i].term_gates;
    }
    return n > 0 ? time / n : 0;
}

/* The run itself. */
static seconds
predict_run(const virtual_run *run, const scaling_machine *m, double term_gate)
{
    seconds s = { 0, 0, 0, 0 };
    int64_t i;

    for (i = 0; i < run->n_stretches; i++) {
        const virtual_stretch *v = &run->stretch[i];
        double n = run->n_ranks;
        double terms = v->terms > 0 ? (double)v->terms : 1;
        double imbalance = v->pairs > 0 ? (double)v->most_here * n / terms : 1;
        move what = { n,
                      terms / n,
                      (double)v->moved / terms,
                      (double)v->pairs / n,
                      imbalance,
                      (double)virtual_term_bytes(run->n_words) };

        s.compute += (double)v->term_gates * term_gate / m->cores
                     * (v->is_copied ? 1 : imbalance / n);
        if (v->pairs > 0) {
            add_move(m, &what, &s);
        }
    }
    return s;
}

/* The stretches of a run that moved terms, on n_ranks ranks with as many terms
 * each as the machine is to have at its fullest. */
static seconds
predict_weak(const virtual_run *run, const scaling_machine *m,
             double term_gate, double n_ranks)
{
    double bytes = (double)virtual_term_bytes(run->n_words);
    double scale = m->terms / (double)run->peak_terms;
    seconds s = { 0, 0, 0, 0 };
    int64_t i;

    for (i = 0; i < run->n_stretches; i++) {
        const virtual_stretch *v = &run->stretch[i];
        double terms = (double)v->terms * scale;
        double share = 1 - 1 / (double)run->n_ranks;
        /* Of what could move, which is all but one part in the ranks. */
        double moved =
            v->terms > 0 ? (double)v->moved / (double)v->terms / share : 0;
        double imbalance = v->pairs > 0 ? (double)v->most_here * run->n_ranks
                                              / (double)v->terms
                                        : 1;
        move what = { n_ranks,     terms,     moved * (1 - 1 / n_ranks),
                      n_ranks - 1, imbalance, bytes };

        if (v->pairs == 0) {
            continue;
        }
        what.pairs = what.pairs < terms ? what.pairs : terms;
        s.compute +=
            (double)v->term_gates * scale * term_gate / m->cores * imbalance;
        add_move(m, &what, &s);
    }
    return s;
}

/* Bytes of a rank: its terms, the buffers, tables of shards, lists of ranks. */
static double
memory(double terms, double n_ranks, double term_bytes)
{
    double round = 2 * (n_ranks - 1) * BLOCK_TERMS * term_bytes;

    return 1.08 * terms * term_bytes
           + (round > 2.0 * ROUND_BYTES ? round : 2.0 * ROUND_BYTES)
           + shards_of(n_ranks) * (3 * 4 + 2 * 8)
           + n_ranks * (MESSAGE_BYTES + BLOCK_TERMS * term_bytes);
}

static void
print_line(double n_ranks, const seconds *s, double bytes, int as_json)
{
    printf(as_json ? "{\"ranks\": %.0f, \"seconds\": %.4g, \"compute\": %.4g, "
                     "\"network\": %.4g, \"counts\": %.4g, \"shards\": %.4g, "
                     "\"bytes_a_rank\": %.4g}\n"
                   : "%8.0f %10.4g %10.4g %10.4g %10.4g %10.4g %10.4g\n",
           n_ranks, total(s), s->compute, s->network, s->counts, s->shards,
           bytes);
}

/* Rows that stay against terms that move, on as many ranks as the run has. */
static void
print_crossing(const virtual_run *run, const crossing *stay,
               const scaling_machine *m, double term_gate, int as_json)
{
    double here =
        run->n_ranks < m->ranks_a_node ? run->n_ranks : m->ranks_a_node;
    double leaves =
        run->n_ranks > 1 ? (run->n_ranks - here) / (run->n_ranks - 1.0) : 0;
    double term = (double)virtual_term_bytes(run->n_words) * leaves * here
                  / (m->bandwidth * run->n_ranks);
    seconds s = predict_run(run, m, term_gate);
    crossing_cost all = { 0, 0, 0 };
    crossing_cost best;
    double moving, staying;
    int64_t b;

    for (b = 0; b < stay->n_borders; b++) {
        all.terms += stay->move[b].terms;
        all.messages += stay->move[b].messages;
    }
    moving = all.terms * term + all.messages * m->latency;
    staying = crossing_best(stay, term, m->latency, &best);
    printf(as_json
               ? "{\"ranks\": %d, \"terms_moved\": %.0f, \"terms_sent\": "
                 "%.0f, \"terms_crossed\": %.0f, \"messages_moved\": %.0f, "
                 "\"messages_sent\": %.0f, "
                 "\"move_seconds\": %.4g, \"stay_seconds\": %.4g, "
                 "\"compute\": %.4g, \"gain\": %.4g}\n"
               : "%d ranks: %.0f terms moved, %.0f sent where rows may stay, "
                 "%.0f of them by gates that cross; messages %.0f, %.0f; %.4g "
                 "s, %.4g s, beside %.4g s of work: "
                 "%.4g times as fast\n",
           run->n_ranks, all.terms, best.terms, best.crossed, all.messages,
           best.messages, moving, staying, s.compute,
           (s.compute + moving) / (s.compute + staying));
}

void
scaling_predict(const virtual_run *run, const crossing *stay,
                const scaling_machine *machine, int as_json)
{
    double term_gate =
        machine->term_gate > 0 ? machine->term_gate : measured_term_gate(run);
    double bytes = (double)virtual_term_bytes(run->n_words);
    seconds s = predict_run(run, machine, term_gate);
    double n;

    print_crossing(run, stay, machine, term_gate, as_json);
    if (!as_json) {
        printf("   ranks    seconds    compute    network     counts     "
               "shards bytes/rank\n");
    }
    print_line(
        run->n_ranks, &s,
        memory((double)run->peak_terms / run->n_ranks, run->n_ranks, bytes),
        as_json);
    if (!as_json) {
        printf("the same with %.3g terms a rank:\n", machine->terms);
    }
    for (n = 2; n <= MOST_RANKS && run->n_ranks > 1; n *= 2) {
        s = predict_weak(run, machine, term_gate, n);
        print_line(n, &s, memory(machine->terms, n, bytes), as_json);
    }
}
