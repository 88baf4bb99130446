/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plans of ranks that need not exist.
 */
#include <string.h>

#include "base/base.h"
#include "propagate/plan_ranks.h"
#include "propagate/support.h"
#include "tap/tap.h"

enum { N_QUBITS = 20 };

static paulimpi_circuit *
two_layers(void)
{
    paulimpi_circuit *circuit;
    int q;

    check(paulimpi_circuit_create(N_QUBITS, &circuit));
    for (q = 0; q < N_QUBITS; q++) {
        check(paulimpi_circuit_rx(circuit, q, 0.3));
    }
    for (q = 0; q + 1 < N_QUBITS; q++) {
        check(paulimpi_circuit_cz(circuit, q, q + 1));
    }
    for (q = 0; q < N_QUBITS; q++) {
        check(paulimpi_circuit_rx(circuit, q, 0.3));
    }
    check(paulimpi_circuit_amplitude_damping(circuit, 0, 0.1));
    return circuit;
}

/* X rotations have rank 20 and leave 20 functions. The second layer is others,
 * by the gates between them, so that 16 ranks draw all anew. */
static void
test_plan(const paulimpi_circuit *circuit)
{
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    char *text;

    check(paulimpi_propagation_plan(circuit, NULL, 16, &text));
    tap_contains(text, "16 ranks, 8 rows for 256 shards, 20 qubits, 60 gates",
                 "16 ranks have 8 rows");
    tap_contains(text, "the last acts first", "Heisenberg is initial");
    tap_contains(text, "   0.9375       15\n", "15 of 16 terms move");
    paulimpi_text_destroy(&text);
    options.picture = PAULIMPI_SCHROEDINGER;
    check(paulimpi_propagation_plan(circuit, &options, 1, &text));
    tap_contains(text, "the first acts first", "the other picture");
    tap_contains(text, "Terms move 0 times", "one rank moves nothing");
    tap_contains(text, " 0 of 60 gates", "and nothing crosses");
    paulimpi_text_destroy(&text);
    check(paulimpi_propagation_plan(circuit, NULL, 131072, &text));
    tap_contains(text, "131072 ranks, 21 rows", "ranks may be many");
    paulimpi_text_destroy(&text);
    check(paulimpi_propagation_plan(circuit, NULL, 12, &text));
    tap_contains(text, "12 ranks, 8 rows", "or no power of 2");
    paulimpi_text_destroy(&text);
}

/* Three of four bits of the rank are new: 7 of 8 terms move. */
static void
test_part(int n_ranks, double want, double tolerance, int want_partners)
{
    paulimpi__shares a, b;
    double part = -1;
    int partners = -1;
    int top;
    int i;

    check(paulimpi__shares_init_for(&a, n_ranks, 0, N_QUBITS));
    check(paulimpi__shares_copy(&b, &a));
    check(paulimpi__plan_move(&a, &b, 0, &part, &partners));
    tap_ok(part == 0 && partners == 0, "%d ranks keep terms without reason",
           n_ranks);
    top = b.log2_shards - 1;
    for (i = 0; i < 3; i++) {
        paulimpi__shares_draw(&b, top - i, (uint64_t)(1000 + i));
    }
    check(paulimpi__plan_move(&a, &b, (uint32_t)7 << (top - 2), &part,
                              &partners));
    tap_is_near(part, want, tolerance, "%d ranks: the part that moves",
                n_ranks);
    tap_is_int(partners, want_partners, "to so many others");
    paulimpi__shares_free(&a);
    paulimpi__shares_free(&b);
}

static void
test_crossing(void)
{
    paulimpi__shares shares;
    uint64_t key[2] = { 1, 0 };

    check(paulimpi__shares_init_for(&shares, 2, 0, N_QUBITS));
    memset(shares.function, 0, (size_t)shares.log2_shards * 16);
    tap_ok(!paulimpi__shares_cross(&shares, key), "nothing is no crossing");
    shares.function[(shares.log2_shards - 2) * 2] = 1;
    tap_ok(!paulimpi__shares_cross(&shares, key),
           "nor is another shard of the rank");
    shares.function[(shares.log2_shards - 1) * 2] = 1;
    tap_ok(paulimpi__shares_cross(&shares, key), "but the other rank's");
    paulimpi__shares_free(&shares);
}

static void
test_refusals(paulimpi_circuit *circuit)
{
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;
    char *text = (char *)circuit;
    int64_t n = 0;
    int rc;

    tap_is_status(paulimpi_propagation_plan(NULL, NULL, 2, &text),
                  PAULIMPI_ERR_ARGUMENT, "no circuit");
    tap_ok(text == NULL, "gives no text");
    tap_is_status(paulimpi_propagation_plan(circuit, NULL, 2, NULL),
                  PAULIMPI_ERR_ARGUMENT, "nowhere to put the text");
    tap_is_status(paulimpi_propagation_plan(circuit, NULL, 0, &text),
                  PAULIMPI_ERR_ARGUMENT, "no ranks");
    tap_is_status(paulimpi_propagation_plan(circuit, NULL, 1 << 21, &text),
                  PAULIMPI_ERR_ARGUMENT, "too many ranks");
    options.size = 1;
    tap_is_status(paulimpi_propagation_plan(circuit, &options, 2, &text),
                  PAULIMPI_ERR_ARGUMENT, "options of another size");
    options.size = sizeof options;
    options.picture = 7;
    tap_is_status(paulimpi_propagation_plan(circuit, &options, 2, &text),
                  PAULIMPI_ERR_ARGUMENT, "no such picture");
    do {
        paulimpi__alloc_fail_at(++n);
        rc = paulimpi_propagation_plan(circuit, NULL, 4, &text);
        paulimpi__alloc_fail_at(0);
    } while (rc == PAULIMPI_ERR_MEMORY && text == NULL);
    tap_ok(rc == PAULIMPI_SUCCESS && n > 5, "without memory there is no plan");
    paulimpi_text_destroy(&text);
    check(paulimpi_circuit_group_begin(circuit));
    tap_is_status(paulimpi_propagation_plan(circuit, NULL, 2, &text),
                  PAULIMPI_ERR_STATE, "an open group");
}

int
main(void)
{
    paulimpi_circuit *circuit = two_layers();

    test_plan(circuit);
    test_part(16, 0.875, 0, 7);
    test_part(12, 0.875, 0.06, 11);
    test_crossing();
    test_refusals(circuit);
    paulimpi_circuit_destroy(&circuit);
    return tap_done();
}
