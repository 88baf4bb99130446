/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random problems: sums, circuits and limits of all kinds.
 */
#include "propagate/problems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Scripts on a few qubits, which are spread over many. */

/* Spread qubit i to first + i * stride. */
static script *
spread(const script *s, int64_t n, int64_t first, int64_t stride)
{
    script *wide = script_create(n);
    dice blank = { 1 };
    int64_t i, q;

    script_append(wide, s, 0, s->n_gates);
    for (i = 0; i < wide->n_gates; i++) {
        script_gate *gate = &wide->gate[i];
        const char *narrow = s->gate[i].label;

        gate->qubit[0] = first + gate->qubit[0] * stride;
        gate->qubit[1] = first + gate->qubit[1] * stride;
        if (narrow != NULL) {
            free(gate->label);
            gate->label = dice_label(&blank, n, 0);
            for (q = 0; narrow[q] != '\0'; q++) {
                gate->label[first + q * stride] = narrow[q];
            }
        }
    }
    return wide;
}

enum {
    PIECE_COMMUTING, /* letters of one basis on each qubit */
    PIECE_FEW,       /* three strings, again and again */
    PIECE_ANY,
    PIECE_NOISE, /* rotations and channels that multiply */
    PIECE_BACK,  /* rotations, and then back again */
    PIECE_GROUP, /* a truncation group */
    PIECE_TURNS,
    PIECE_MAPS,
    PIECE_ALL,
    N_PIECES
};

/* A rotation about letters of the basis, or any, on some of the qubits; every
 * sixth one is by a quarter of a turn or two or three. */
static void
draw_rotation(script *s, dice *d, const char *basis)
{
    int64_t n = s->n_qubits;
    int64_t weight = dice_below(d, 4) == 0 ? n : 1 + dice_below(d, n);
    char *label = dice_label(d, n, weight);
    int64_t q;

    for (q = 0; basis != NULL && q < n; q++) {
        label[q] = label[q] == 'I' ? 'I' : basis[q];
    }
    script_rotation(s, label,
                    dice_below(d, 6) == 0
                        ? (double)(1 + dice_below(d, 3)) * acos(0)
                        : dice_uniform(d, -1.5, 1.5));
    free(label);
}

/* Append the same gates backwards, by the opposite angles. */
static void
append_back(script *s, int64_t first)
{
    int64_t i;

    for (i = s->n_gates - 1; i >= first; i--) {
        script_rotation(s, s->gate[i].label, -s->gate[i].parameter[0]);
    }
}

static void
append_piece(script *s, dice *d, int piece, int64_t gates)
{
    char *basis = dice_label(d, s->n_qubits, s->n_qubits);
    int64_t first = s->n_gates;
    int64_t i;

    for (i = 0; i < gates; i++) {
        switch (piece) {
        case PIECE_COMMUTING:
            draw_rotation(s, d, basis);
            break;
        case PIECE_FEW:
            if (i < 3) {
                draw_rotation(s, d, NULL);
            } else {
                script_append(s, s, first + i % 3, 1);
            }
            break;
        case PIECE_NOISE:
            script_draw(s, d, 1, i % 2 == 0 ? DRAW_ROTATIONS : DRAW_SCALES, 0,
                        s->n_qubits);
            /* Exact halves may become equal to the least coefficient. */
            script_one(s, "dephasing", dice_below(d, s->n_qubits), 0.25);
            break;
        default:
            draw_rotation(s, d, NULL);
        }
    }
    if (piece == PIECE_BACK) {
        append_back(s, first);
    }
    free(basis);
}

static void
append_other(script *s, dice *d, int piece, int64_t gates)
{
    gates = gates < 6 ? gates : 6;
    if (piece == PIECE_GROUP) {
        script_mark(s, "group_begin");
        script_draw(s, d, gates, DRAW_ROTATIONS | DRAW_SCALES, 0, s->n_qubits);
        script_mark(s, "group_end");
        return;
    }
    script_draw(s, d, gates,
                piece == PIECE_TURNS  ? DRAW_CLIFFORDS
                : piece == PIECE_MAPS ? DRAW_MAPS
                                      : DRAW_ALL,
                0, s->n_qubits);
}

static script *
draw_script(dice *d, int64_t n, int64_t pieces)
{
    script *s = script_create(n);

    for (; pieces > 0; pieces--) {
        int piece = (int)dice_below(d, N_PIECES);
        int64_t gates = 1 + dice_below(d, dice_below(d, 4) == 0 ? 90 : 14);

        if (piece >= PIECE_GROUP) {
            append_other(s, d, piece, gates);
        } else {
            append_piece(s, d, piece, gates);
        }
        if (dice_below(d, 8) == 0) {
            script_mark(s, "barrier");
        }
    }
    return s;
}

/* Sums. */

/* The exponent of the largest coefficients. */
int
exponent_of(int kind)
{
    return kind == SUM_SMALL ? -1020 : kind == SUM_LARGE ? 480 : 0;
}

static double
draw_coefficient(dice *d, int kind)
{
    double value = kind == SUM_EQUAL ? 0.125 : dice_uniform(d, -1, 1);

    return ldexp(value, kind == SUM_FEW ? -(int)dice_below(d, 12)
                                        : exponent_of(kind));
}

/* Letters on qubits first + i * stride, i < span, and a few others unless all
 * are alike there. */
static char *
draw_term(dice *d, int64_t n, int64_t span, int64_t first, int64_t stride,
          int is_alike)
{
    char *label = dice_label(d, n, is_alike ? 0 : dice_below(d, 3));
    int64_t i;

    for (i = 0; i < span; i++) {
        label[first + i * stride] = "IXYZ"[dice_below(d, 4)];
    }
    for (i = 0; is_alike && i < first; i++) {
        label[i] = "XYZ"[i % 3];
    }
    return label;
}

void
set_letter(uint64_t *x, uint64_t *z, int64_t q, char letter)
{
    x[q / 64] |= (uint64_t)(letter == 'X' || letter == 'Y') << q % 64;
    z[q / 64] |= (uint64_t)(letter == 'Z' || letter == 'Y') << q % 64;
}

/* How many terms a sum begins with. */
static int64_t
initial_terms(int kind, int64_t most_terms)
{
    return kind == SUM_ONE                            ? 1
           : kind == SUM_MANY                         ? most_terms * 10 / 3
           : kind == SUM_EQUAL || kind == SUM_CLUSTER ? most_terms * 8 / 3
                                                      : 30;
}

static paulimpi_sum *
draw_sum(paulimpi_context *ctx, dice *d, int64_t n_terms, int kind, int64_t n,
         int64_t span, int64_t first, int64_t stride)
{
    int64_t words = paulimpi_pauli_words(n);
    uint64_t *x = calloc((size_t)(n_terms * words), sizeof *x);
    uint64_t *z = calloc((size_t)(n_terms * words), sizeof *z);
    double *coefficient = calloc((size_t)n_terms, sizeof *coefficient);
    paulimpi_sum *sum;
    int64_t i, q;

    for (i = 0; i < n_terms; i++) {
        char *label =
            draw_term(d, n, span, first, stride, kind == SUM_CLUSTER);

        for (q = 0; q < n; q++) {
            set_letter(x + i * words, z + i * words, q, label[q]);
        }
        coefficient[i] = draw_coefficient(d, kind);
        free(label);
    }
    check(paulimpi_sum_create(ctx, n, &sum));
    check(paulimpi_sum_add_terms(sum, n_terms, x, z, coefficient));
    free(x);
    free(z);
    free(coefficient);
    return sum;
}

/* Limits. */

enum { LIMIT_EPS, LIMIT_WEIGHT, LIMIT_XY, LIMIT_BOTH, LIMIT_TERMS, N_LIMITS };

static void
draw_limits(paulimpi_truncation *t, dice *d, int64_t span)
{
    int limit = (int)dice_below(d, N_LIMITS);

    if (limit == LIMIT_WEIGHT || limit == LIMIT_BOTH) {
        t->max_weight = span * 3 / 4 + dice_below(d, 4) + 1;
    }
    if (limit == LIMIT_XY || limit == LIMIT_BOTH) {
        t->max_xy_weight = span / 2 + dice_below(d, 4) + 1;
    }
    if (limit == LIMIT_TERMS && dice_below(d, 2) == 0) {
        t->max_terms = 500;
        t->choice = (int)dice_below(d, PAULIMPI_KEEP_RANDOM + 1);
        t->seed = dice_below(d, 1000);
    }
}

static problem
draw_problem_of(paulimpi_context *ctx, int64_t n, int kind, uint64_t seed,
                int64_t most_terms, int64_t pieces)
{
    dice d = { seed };
    int64_t span = 8 + dice_below(&d, 7);
    int64_t stride = dice_below(&d, 2) == 0 ? 1 : (n - 1) / span;
    int64_t first = stride == 1 ? n - span : 0;
    script *narrow = draw_script(&d, span, pieces);
    script *s = spread(narrow, n, first, stride);
    problem p = { .name = "random",
                  .seed = seed,
                  .most_terms = most_terms,
                  .options = PAULIMPI_PROPAGATION_OPTIONS_INIT };

    p.circuit = make_circuit(s);
    p.sum = draw_sum(ctx, &d, initial_terms(kind, most_terms), kind, n, span,
                     first, stride);
    draw_limits(&p.options.truncation, &d, span);
    p.options.picture =
        seed % 2 == 0 ? PAULIMPI_HEISENBERG : PAULIMPI_SCHROEDINGER;
    script_destroy(narrow);
    script_destroy(s);
    return p;
}

problem
draw_problem(paulimpi_context *ctx, int64_t n, int kind, uint64_t seed)
{
    return draw_problem_of(ctx, n, kind, seed, PROBLEM_TERMS,
                           kind >= SUM_MANY ? 5 : 10);
}

problem
draw_small_problem(paulimpi_context *ctx, int64_t n, int kind, uint64_t seed)
{
    return draw_problem_of(ctx, n, kind, seed, SMALL_PROBLEM_TERMS, 3);
}

void
problem_destroy(problem *p)
{
    paulimpi_sum_destroy(&p->sum);
    paulimpi_circuit_destroy(&p->circuit);
}

static int
is_too_large(const paulimpi_propagation_progress *progress, void *data)
{
    return progress->terms > *(const int64_t *)data;
}

void
choose_min_abs(problem *p, int exponent)
{
    int64_t initial = paulimpi_sum_terms(p->sum);
    int64_t most = p->most_terms + 2 * initial;
    int rc = PAULIMPI_SUCCESS;
    int i;

    p->options.progress = is_too_large;
    p->options.progress_data = &most;
    for (i = 2; i < 24 && rc == PAULIMPI_SUCCESS; i++) {
        paulimpi_propagation_report report = PAULIMPI_PROPAGATION_REPORT_INIT;
        paulimpi_sum *sum;

        p->options.truncation.min_abs = ldexp(1, exponent - i);
        check(paulimpi_sum_copy(p->sum, &sum));
        rc = paulimpi_propagate(sum, p->circuit, &p->options, &report);
        paulimpi_sum_destroy(&sum);
        if (report.terms > p->most_terms / 20
            && report.peak_terms > p->most_terms / 4 + initial) {
            break;
        }
    }
    if (rc == PAULIMPI_ERR_CANCELLED) {
        p->options.truncation.min_abs *= 2;
    }
    p->options.progress = NULL;
}

/* Checksums. */

static uint64_t
mix(uint64_t state, uint64_t word)
{
    dice d = { state ^ word };

    return dice_word(&d);
}

void
checksum_add(const paulimpi_sum *sum, uint64_t checksum[2])
{
    int64_t words = paulimpi_pauli_words(paulimpi_sum_qubits(sum));
    uint64_t *x = calloc((size_t)words, 2 * sizeof *x);
    uint64_t *z = x + words;
    paulimpi_sum_position place = { 0, 0 };
    double coefficient;
    int64_t w;

    while (paulimpi_sum_next(sum, &place, x, z, &coefficient) == 1) {
        uint64_t term;

        memcpy(&term, &coefficient, sizeof term);
        for (w = 0; w < words; w++) {
            term = mix(mix(term, x[w]), z[w]);
        }
        checksum[0] += term;
        checksum[1] ^= mix(term, 1);
    }
    free(x);
}

int
same_report(const paulimpi_propagation_report *r,
            const paulimpi_propagation_report *s)
{
    return r->terms == s->terms && r->gates == s->gates
           && r->peak_terms == s->peak_terms && r->term_gates == s->term_gates
           && r->active_gates == s->active_gates
           && memcmp(&r->dropped_norm1, &s->dropped_norm1, sizeof(double)) == 0
           && memcmp(&r->dropped_norm2, &s->dropped_norm2, sizeof(double))
                  == 0;
}
