/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The two oracles, which share nothing, agree with each other.
 */
#include <math.h>
#include <stdlib.h>

#include "propagate/oracle_dense.h"
#include "propagate/oracle_dictionary.h"
#include "tap/tap.h"

enum { N = 4, STRINGS = 256 };

static void
make_label(int number, char label[N + 1])
{
    int q;

    for (q = 0; q < N; q++) {
        label[q] = "IXYZ"[number >> 2 * q & 3];
    }
    label[N] = '\0';
}

static double
difference(const dense *a, const dictionary *b)
{
    double *values = dense_coefficients(a);
    double worst = 0;
    int i;

    for (i = 0; i < STRINGS; i++) {
        char label[N + 1];

        make_label(i, label);
        worst = fmax(worst, fabs(values[i] - dictionary_get(b, label)));
    }
    free(values);
    return worst;
}

/* A sum of all strings through one circuit, in both oracles. */
static double
compare(const script *circuit, int is_heisenberg, dice *d)
{
    dictionary_limits all = DICTIONARY_KEEP_ALL;
    dictionary_report report = { 0 };
    dense *a = dense_create(N);
    dictionary *b = dictionary_create(N);
    double worst;
    int i;

    for (i = 0; i < STRINGS; i++) {
        double coefficient = dice_uniform(d, -1, 1);
        char label[N + 1];

        make_label(i, label);
        dense_add(a, label, coefficient);
        dictionary_add(b, label, coefficient);
    }
    if (is_heisenberg) {
        dense_heisenberg(a, circuit);
        dictionary_heisenberg(b, circuit, &all, &report);
    } else {
        dense_schroedinger(a, circuit);
        dictionary_schroedinger(b, circuit, &all, &report);
    }
    worst = fmax(difference(a, b), fabs(dense_expectation(a, "0-rl")
                                        - dictionary_expectation(b, "0-rl")));
    dense_destroy(a);
    dictionary_destroy(b);
    return worst;
}

/* A circuit of one random gate of a kind. */
static script *
draw_one(dice *d, const script_gate_kind *kind)
{
    for (;;) {
        script *s = script_create(N);

        script_draw(s, d, 1, kind->kind, 0, N);
        if (script_find(s->gate[0].name) == kind) {
            return s;
        }
        script_destroy(s);
    }
}

int
main(void)
{
    dice d = { 1 };
    int i, picture;

    for (i = 0; i < script_n_gate_kinds; i++) {
        for (picture = 0; picture < 2; picture++) {
            script *s = draw_one(&d, &script_gate_kinds[i]);

            tap_is_near(compare(s, picture, &d), 0, 1e-14,
                        "the oracles agree about %s in the %s picture",
                        script_gate_kinds[i].name,
                        picture ? "Heisenberg" : "Schroedinger");
            script_destroy(s);
        }
    }
    return tap_done();
}
