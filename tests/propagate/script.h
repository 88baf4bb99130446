/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Circuits as plain lists of gates, which the library and the oracles are both
 * given, and the random numbers that make them.
 */
#ifndef TESTS_PROPAGATE_SCRIPT_H
#define TESTS_PROPAGATE_SCRIPT_H

#include <stdint.h>

/* A gate, by the name that paulimpi_circuit_gate() knows, or one of
 * "rotation", "barrier", "group_begin" and "group_end". */
typedef struct {
    const char *name;
    int64_t qubit[2];
    double parameter[3];
    char *label; /* dense; of a rotation only */
} script_gate;

/* Gates in the order of time. */
typedef struct {
    int64_t n_qubits;
    int64_t n_gates;
    int64_t capacity;
    script_gate *gate;
} script;

script *script_create(int64_t n_qubits);
void script_destroy(script *s);

/* Append one gate: its name, then what it needs. */
void script_one(script *s, const char *name, int64_t q, double parameter);
void script_two(script *s, const char *name, int64_t a, int64_t b,
                double parameter);
void script_rotation(script *s, const char *dense_label, double theta);
void script_mark(script *s, const char *name);

/* Append gates first to first + n - 1 of another script. */
void script_append(script *s, const script *other, int64_t first, int64_t n);

/* A small generator, so that a failure can be repeated. */
typedef struct {
    uint64_t state;
} dice;

uint64_t dice_word(dice *d);
int64_t dice_below(dice *d, int64_t below);
double dice_uniform(dice *d, double from, double to);

/* A string of letters with the given weight; free it. */
char *dice_label(dice *d, int64_t n_qubits, int64_t weight);

/* What random circuits are made of. */
enum {
    DRAW_CLIFFORDS = 1,
    DRAW_ROTATIONS = 2, /* on 1, 2 and 3 to 7 qubits, and of full width */
    DRAW_SCALES = 4,    /* channels that are diagonal */
    DRAW_MAPS = 8,      /* other linear maps on one qubit */
    DRAW_ALL = 15
};

/* Append n random gates of these kinds on qubits first to first + span - 1,
 * of any gate that the library has. */
void script_draw(script *s, dice *d, int64_t n, int kinds, int64_t first,
                 int64_t span);

/* The gate table of the tests. */
typedef struct {
    const char *name;
    int kind;
    int n_qubits;
    int n_angles;
    int n_probabilities;
} script_gate_kind;

extern const script_gate_kind script_gate_kinds[];
extern const int script_n_gate_kinds;

/* The row of a name, or NULL. */
const script_gate_kind *script_find(const char *name);

#endif /* TESTS_PROPAGATE_SCRIPT_H */
