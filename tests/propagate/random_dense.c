/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random circuits over all gates against dense matrices, in both pictures.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "propagate/oracle_dense.h"
#include "propagate/support.h"

static paulimpi_context *ctx;

/* A sum as a matrix. */
static dense *
dense_of(const paulimpi_sum *sum)
{
    int n = (int)paulimpi_sum_qubits(sum);
    dense *matrix = dense_create(n);
    term_list list = terms_of(sum);
    int64_t i;

    for (i = 0; i < list.n; i++) {
        dense_add(matrix, term_label(&list, n, i), list.coefficient[i]);
    }
    term_list_free(&list);
    return matrix;
}

/* The number of a label in the order of dense_coefficients(). */
static int
number_of(const char *label)
{
    int number = 0;
    int q;

    for (q = 0; label[q] != '\0'; q++) {
        number += (int)(strchr("IXYZ", label[q]) - "IXYZ") << 2 * q;
    }
    return number;
}

/* The largest difference of any of the 4^n coefficients. */
static double
difference(const paulimpi_sum *sum, const dense *matrix)
{
    int n = (int)paulimpi_sum_qubits(sum);
    double *values = dense_coefficients(matrix);
    term_list list = terms_of(sum);
    double worst = 0;
    int64_t i;

    for (i = 0; i < list.n; i++) {
        values[number_of(term_label(&list, n, i))] -= list.coefficient[i];
    }
    for (i = 0; i < (int64_t)1 << 2 * n; i++) {
        worst = fmax(worst, fabs(values[i]));
    }
    free(values);
    term_list_free(&list);
    return worst;
}

/* Every state letter in turn. */
static double
difference_of_values(const paulimpi_sum *sum, const dense *matrix)
{
    static const char letters[] = "0r+1l-";
    int n = (int)paulimpi_sum_qubits(sum);
    double worst = 0;
    char state[9] = "";
    int shift, q;

    for (shift = 0; shift < 6; shift++) {
        for (q = 0; q < n; q++) {
            state[q] = letters[(q + shift) % 6];
        }
        worst = fmax(worst, fabs(value_in(sum, state)
                                 - dense_expectation(matrix, state)));
    }
    return worst;
}

static void
test_circuit(int n, uint64_t seed, int picture)
{
    dice d = { seed };
    script *s = script_create(n);
    paulimpi_sum *sum = make_random_sum(ctx, n, 5, 0, n, n, &d, NULL);
    dense *matrix = dense_of(sum);
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;

    script_draw(s, &d, 20 + 2 * n, DRAW_ALL, 0, n);
    options.picture = picture;
    propagate_script(sum, s, &options, NULL);
    if (picture == PAULIMPI_HEISENBERG) {
        dense_heisenberg(matrix, s);
    } else {
        dense_schroedinger(matrix, s);
    }
    tap_is_near(difference(sum, matrix), 0, 1e-12,
                "%d qubits, %s picture, circuit %d: all strings", n,
                picture == PAULIMPI_HEISENBERG ? "Heisenberg" : "Schroedinger",
                (int)seed);
    tap_is_near(difference_of_values(sum, matrix), 0, 1e-12,
                "and the values in product states");
    dense_destroy(matrix);
    paulimpi_sum_destroy(&sum);
    script_destroy(s);
}

static void
test_engine(int engine)
{
    int n;
    uint64_t seed;

    use_engine(engine);
    for (n = 1; n <= 8; n++) {
        for (seed = 1; seed <= (n < 7 ? 8 : 2); seed++) {
            test_circuit(n, seed, PAULIMPI_HEISENBERG);
            test_circuit(n, seed, PAULIMPI_SCHROEDINGER);
        }
    }
}

int
main(void)
{
    ctx = make_context(1);
    test_engine(PAULIMPI_ENGINE_IN_PLACE);
    test_engine(PAULIMPI_ENGINE_TILE);
    test_engine(PAULIMPI_ENGINE_ORBIT);
    paulimpi_context_destroy(&ctx);
    return tap_done();
}
