/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Circuits as plain lists of gates.
 */
#include "propagate/script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tap/tap.h"

const script_gate_kind script_gate_kinds[] = {
    { "h", DRAW_CLIFFORDS, 1, 0, 0 },
    { "s", DRAW_CLIFFORDS, 1, 0, 0 },
    { "sdg", DRAW_CLIFFORDS, 1, 0, 0 },
    { "sx", DRAW_CLIFFORDS, 1, 0, 0 },
    { "sxdg", DRAW_CLIFFORDS, 1, 0, 0 },
    { "x", DRAW_CLIFFORDS, 1, 0, 0 },
    { "y", DRAW_CLIFFORDS, 1, 0, 0 },
    { "z", DRAW_CLIFFORDS, 1, 0, 0 },
    { "cx", DRAW_CLIFFORDS, 2, 0, 0 },
    { "cy", DRAW_CLIFFORDS, 2, 0, 0 },
    { "cz", DRAW_CLIFFORDS, 2, 0, 0 },
    { "swap", DRAW_CLIFFORDS, 2, 0, 0 },
    { "rx", DRAW_ROTATIONS, 1, 1, 0 },
    { "ry", DRAW_ROTATIONS, 1, 1, 0 },
    { "rz", DRAW_ROTATIONS, 1, 1, 0 },
    { "rxx", DRAW_ROTATIONS, 2, 1, 0 },
    { "ryy", DRAW_ROTATIONS, 2, 1, 0 },
    { "rzz", DRAW_ROTATIONS, 2, 1, 0 },
    { "rotation", DRAW_ROTATIONS, 0, 1, 0 },
    { "u1", DRAW_ROTATIONS, 1, 1, 0 },
    { "p", DRAW_ROTATIONS, 1, 1, 0 },
    { "t", DRAW_MAPS, 1, 0, 0 },
    { "tdg", DRAW_MAPS, 1, 0, 0 },
    { "u3", DRAW_MAPS, 1, 3, 0 },
    { "u2", DRAW_MAPS, 1, 2, 0 },
    { "amplitude_damping", DRAW_MAPS, 1, 0, 1 },
    { "depolarizing", DRAW_SCALES, 1, 0, 1 },
    { "dephasing", DRAW_SCALES, 1, 0, 1 },
    { "pauli_noise", DRAW_SCALES, 1, 0, 3 },
};
const int script_n_gate_kinds =
    (int)(sizeof script_gate_kinds / sizeof script_gate_kinds[0]);

const script_gate_kind *
script_find(const char *name)
{
    int i;

    for (i = 0; i < script_n_gate_kinds; i++) {
        if (strcmp(name, script_gate_kinds[i].name) == 0) {
            return &script_gate_kinds[i];
        }
    }
    return NULL;
}

script *
script_create(int64_t n_qubits)
{
    script *s = calloc(1, sizeof *s);

    if (s == NULL) {
        tap_bail("no memory for a script");
    }
    s->n_qubits = n_qubits;
    return s;
}

void
script_destroy(script *s)
{
    int64_t i;

    for (i = 0; i < s->n_gates; i++) {
        free(s->gate[i].label);
    }
    free(s->gate);
    free(s);
}

static script_gate *
push(script *s, const char *name)
{
    script_gate *gate;

    if (s->n_gates == s->capacity) {
        s->capacity = s->capacity == 0 ? 64 : 2 * s->capacity;
        s->gate = realloc(s->gate, (size_t)s->capacity * sizeof *s->gate);
        if (s->gate == NULL) {
            tap_bail("no memory for a script");
        }
    }
    gate = &s->gate[s->n_gates];
    s->n_gates++;
    memset(gate, 0, sizeof *gate);
    gate->name = name;
    return gate;
}

void
script_one(script *s, const char *name, int64_t q, double parameter)
{
    script_gate *gate = push(s, name);

    gate->qubit[0] = q;
    gate->parameter[0] = parameter;
}

void
script_two(script *s, const char *name, int64_t a, int64_t b, double parameter)
{
    script_gate *gate = push(s, name);

    gate->qubit[0] = a;
    gate->qubit[1] = b;
    gate->parameter[0] = parameter;
}

static char *
duplicate(const char *text)
{
    char *copy = malloc(strlen(text) + 1);

    if (copy == NULL) {
        tap_bail("no memory for a label");
    }
    strcpy(copy, text);
    return copy;
}

void
script_rotation(script *s, const char *dense_label, double theta)
{
    script_gate *gate = push(s, "rotation");

    gate->label = duplicate(dense_label);
    gate->parameter[0] = theta;
}

void
script_mark(script *s, const char *name)
{
    push(s, name);
}

void
script_append(script *s, const script *other, int64_t first, int64_t n)
{
    int64_t i;

    for (i = first; i < first + n; i++) {
        script_gate *gate = push(s, other->gate[i].name);

        *gate = other->gate[i];
        if (gate->label != NULL) {
            gate->label = duplicate(gate->label);
        }
    }
}

/* splitmix64. */
uint64_t
dice_word(dice *d)
{
    uint64_t z;

    d->state += UINT64_C(0x9e3779b97f4a7c15);
    z = d->state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int64_t
dice_below(dice *d, int64_t below)
{
    return (int64_t)(dice_word(d) % (uint64_t)below);
}

double
dice_uniform(dice *d, double from, double to)
{
    return from + (to - from) * (double)(dice_word(d) >> 11) * 0x1p-53;
}

char *
dice_label(dice *d, int64_t n_qubits, int64_t weight)
{
    char *label = malloc((size_t)n_qubits + 1);
    int64_t left;

    if (label == NULL) {
        tap_bail("no memory for a label");
    }
    memset(label, 'I', (size_t)n_qubits);
    label[n_qubits] = '\0';
    for (left = weight < n_qubits ? weight : n_qubits; left > 0;) {
        int64_t q = dice_below(d, n_qubits);

        if (label[q] == 'I') {
            label[q] = "XYZ"[dice_below(d, 3)];
            left--;
        }
    }
    return label;
}

/* Every eighth angle is a multiple of pi/2. */
static double
draw_angle(dice *d)
{
    if (dice_below(d, 8) == 0) {
        return (double)(dice_below(d, 9) - 4) * (acos(-1.0) / 2);
    }
    return dice_uniform(d, -4.0, 4.0);
}

static void
draw_rotation(script *s, dice *d, int64_t first, int64_t span)
{
    int64_t weight = dice_below(d, 4) == 0 ? span : 3 + dice_below(d, 5);
    char *part = dice_label(d, span, weight);
    char *label = dice_label(d, s->n_qubits, 0);

    memcpy(label + first, part, (size_t)span);
    script_rotation(s, label, draw_angle(d));
    free(part);
    free(label);
}

static void
draw_gate(script *s, dice *d, const script_gate_kind *kind, int64_t first,
          int64_t span)
{
    script_gate *gate;
    int i;

    if (kind->n_qubits == 0) {
        draw_rotation(s, d, first, span);
        return;
    }
    gate = push(s, kind->name);
    gate->qubit[0] = first + dice_below(d, span);
    if (kind->n_qubits == 2) {
        gate->qubit[1] =
            first
            + (gate->qubit[0] - first + 1 + dice_below(d, span - 1)) % span;
    }
    for (i = 0; i < kind->n_angles; i++) {
        gate->parameter[i] = draw_angle(d);
    }
    for (i = 0; i < kind->n_probabilities; i++) {
        gate->parameter[i] = dice_uniform(d, 0.0, 0.5 / kind->n_probabilities);
    }
}

void
script_draw(script *s, dice *d, int64_t n, int kinds, int64_t first,
            int64_t span)
{
    while (n > 0) {
        const script_gate_kind *kind =
            &script_gate_kinds[dice_below(d, script_n_gate_kinds)];

        if ((kind->kind & kinds) != 0 && kind->n_qubits <= span) {
            draw_gate(s, d, kind, first, span);
            n--;
        }
    }
}
