/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of the propagation module share.
 */
#include "propagate/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int preferred_engine = PAULIMPI_ENGINE_AUTOMATIC;

void
check(int rc)
{
    if (rc != PAULIMPI_SUCCESS) {
        tap_bail("%s: %s", paulimpi_error_name(rc), paulimpi_last_error());
    }
}

static void *
allocate(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);

    if (memory == NULL) {
        tap_bail("no memory for a test");
    }
    return memory;
}

paulimpi_context *
make_context(int threads)
{
    paulimpi_context_options options = PAULIMPI_CONTEXT_OPTIONS_INIT;
    paulimpi_context *ctx;

    options.threads = threads;
    check(paulimpi_context_create_serial(&options, &ctx));
    return ctx;
}

paulimpi_sum *
make_sum(paulimpi_context *ctx, int64_t n, const char *text)
{
    paulimpi_sum *sum;

    check(paulimpi_sum_create(ctx, n, &sum));
    check(paulimpi_sum_add_text(sum, text, 1.0));
    return sum;
}

static void
set_letter(uint64_t *x, uint64_t *z, int64_t q, char letter)
{
    uint64_t bit = UINT64_C(1) << (q % 64);

    x[q / 64] |= letter == 'X' || letter == 'Y' ? bit : 0;
    z[q / 64] |= letter == 'Z' || letter == 'Y' ? bit : 0;
}

paulimpi_sum *
make_random_sum(paulimpi_context *ctx, int64_t n, int64_t n_terms,
                int64_t first, int64_t span, int64_t weight, dice *d,
                dictionary *same)
{
    int64_t words = paulimpi_pauli_words(n);
    uint64_t *x = allocate(n_terms * words, sizeof *x);
    uint64_t *z = allocate(n_terms * words, sizeof *z);
    double *coefficient = allocate(n_terms, sizeof *coefficient);
    char *label = allocate(n, 1);
    paulimpi_sum *sum;
    int64_t i, q;

    for (i = 0; i < n_terms; i++) {
        char *part = dice_label(d, span, dice_below(d, weight + 1));

        memset(label, 'I', (size_t)n);
        memcpy(label + first, part, (size_t)span);
        free(part);
        coefficient[i] = dice_uniform(d, -1, 1);
        for (q = 0; q < n; q++) {
            set_letter(x + i * words, z + i * words, q, label[q]);
        }
        if (same != NULL) {
            dictionary_add(same, label, coefficient[i]);
        }
    }
    check(paulimpi_sum_create(ctx, n, &sum));
    check(paulimpi_sum_add_terms(sum, n_terms, x, z, coefficient));
    free(x);
    free(z);
    free(coefficient);
    free(label);
    return sum;
}

paulimpi_sum *
make_letters(paulimpi_context *ctx, int64_t n, char letter)
{
    int64_t words = paulimpi_pauli_words(n);
    uint64_t *x = allocate(n * words, sizeof *x);
    uint64_t *z = allocate(n * words, sizeof *z);
    double *coefficient = allocate(n, sizeof *coefficient);
    paulimpi_sum *sum;
    int64_t q;

    for (q = 0; q < n; q++) {
        set_letter(x + q * words, z + q * words, q, letter);
        coefficient[q] = 1;
    }
    check(paulimpi_sum_create(ctx, n, &sum));
    check(paulimpi_sum_add_terms(sum, n, x, z, coefficient));
    free(x);
    free(z);
    free(coefficient);
    return sum;
}

static int
append_mark(paulimpi_circuit *circuit, const char *name)
{
    if (strcmp(name, "barrier") == 0) {
        return paulimpi_circuit_barrier(circuit);
    }
    if (strcmp(name, "group_begin") == 0) {
        return paulimpi_circuit_group_begin(circuit);
    }
    return paulimpi_circuit_group_end(circuit);
}

paulimpi_circuit *
make_circuit(const script *s)
{
    paulimpi_circuit *circuit;
    int64_t i;

    check(paulimpi_circuit_create(s->n_qubits, &circuit));
    for (i = 0; i < s->n_gates; i++) {
        const script_gate *g = &s->gate[i];
        const script_gate_kind *kind = script_find(g->name);

        if (kind == NULL) {
            check(append_mark(circuit, g->name));
        } else if (kind->n_qubits == 0) {
            check(
                paulimpi_circuit_rotation(circuit, g->label, g->parameter[0]));
        } else {
            check(paulimpi_circuit_gate(
                circuit, g->name, kind->n_qubits, g->qubit,
                kind->n_angles + kind->n_probabilities, g->parameter));
        }
    }
    return circuit;
}

paulimpi_propagation_options
options_eps(double min_abs)
{
    paulimpi_propagation_options options = PAULIMPI_PROPAGATION_OPTIONS_INIT;

    options.truncation.min_abs = min_abs;
    return options;
}

void
use_engine(int engine)
{
    preferred_engine = engine;
}

void
propagate(paulimpi_sum *sum, const paulimpi_circuit *circuit,
          const paulimpi_propagation_options *options,
          paulimpi_propagation_report *report)
{
    paulimpi_propagation_options own = PAULIMPI_PROPAGATION_OPTIONS_INIT;

    if (options != NULL) {
        own = *options;
    }
    if (own.engine == PAULIMPI_ENGINE_AUTOMATIC) {
        own.engine = preferred_engine;
    }
    check(paulimpi_propagate(sum, circuit, &own, report));
}

void
propagate_script(paulimpi_sum *sum, const script *s,
                 const paulimpi_propagation_options *options,
                 paulimpi_propagation_report *report)
{
    paulimpi_circuit *circuit = make_circuit(s);

    propagate(sum, circuit, options, report);
    paulimpi_circuit_destroy(&circuit);
}

term_list
terms_of(const paulimpi_sum *sum)
{
    term_list list;

    list.n = paulimpi_sum_terms(sum);
    list.words = paulimpi_pauli_words(paulimpi_sum_qubits(sum));
    list.x = allocate(list.n * list.words, sizeof *list.x);
    list.z = allocate(list.n * list.words, sizeof *list.z);
    list.coefficient = allocate(list.n, sizeof *list.coefficient);
    check(
        paulimpi_sum_get_terms(sum, list.n, list.x, list.z, list.coefficient));
    return list;
}

void
term_list_free(term_list *list)
{
    free(list->x);
    free(list->z);
    free(list->coefficient);
}

const char *
term_label(const term_list *list, int64_t n_qubits, int64_t i)
{
    static char label[1024];
    int64_t q;

    for (q = 0; q < n_qubits && q < (int64_t)sizeof label - 1; q++) {
        int x = (int)(list->x[i * list->words + q / 64] >> (q % 64) & 1);
        int z = (int)(list->z[i * list->words + q / 64] >> (q % 64) & 1);

        label[q] = "IXZY"[x + 2 * z];
    }
    label[q] = '\0';
    return label;
}

static int
same_strings(const term_list *a, const term_list *b)
{
    size_t bytes = (size_t)(a->n * a->words) * sizeof *a->x;

    return a->n == b->n && a->words == b->words
           && memcmp(a->x, b->x, bytes) == 0 && memcmp(a->z, b->z, bytes) == 0;
}

int
same_bits(const paulimpi_sum *a, const paulimpi_sum *b)
{
    term_list s = terms_of(a);
    term_list t = terms_of(b);
    int same = same_strings(&s, &t)
               && memcmp(s.coefficient, t.coefficient,
                         (size_t)s.n * sizeof *s.coefficient)
                      == 0;

    term_list_free(&s);
    term_list_free(&t);
    return same;
}

/* The sum of a text, on the same qubits. */
static paulimpi_sum *
sum_like(const paulimpi_sum *sum, const char *text)
{
    paulimpi_sum *made;

    check(paulimpi_sum_copy(sum, &made));
    check(paulimpi_sum_scale(made, 0));
    check(paulimpi_sum_add_text(made, text, 1));
    return made;
}

static void
note_sum(const char *name, const paulimpi_sum *sum)
{
    char *text;

    check(paulimpi_sum_text(sum, &text));
    tap_note("%s: %.300s", name, text);
    paulimpi_text_destroy(&text);
}

int
is_sum(paulimpi_sum *sum, const char *text)
{
    paulimpi_sum *want = sum_like(sum, text);
    int same = same_bits(sum, want);

    if (!same) {
        note_sum("got", sum);
        note_sum("want", want);
    }
    paulimpi_sum_destroy(&want);
    return same;
}

int
is_near_sum(paulimpi_sum *sum, const char *text, double tolerance)
{
    paulimpi_sum *want = sum_like(sum, text);
    term_list s = terms_of(sum);
    term_list t = terms_of(want);
    int near = same_strings(&s, &t);
    int64_t i;

    for (i = 0; near && i < s.n; i++) {
        near = fabs(s.coefficient[i] - t.coefficient[i]) <= tolerance;
    }
    if (!near) {
        note_sum("got", sum);
        note_sum("want", want);
    }
    term_list_free(&s);
    term_list_free(&t);
    paulimpi_sum_destroy(&want);
    return near;
}

int
has_strings(const paulimpi_sum *sum, const dictionary *d, double *difference_p)
{
    int64_t n = paulimpi_sum_qubits(sum);
    term_list list = terms_of(sum);
    int same = list.n == dictionary_terms(d);
    int64_t i;

    *difference_p = 0;
    for (i = 0; i < list.n; i++) {
        double want = dictionary_get(d, term_label(&list, n, i));

        same &= want != 0;
        *difference_p = fmax(*difference_p, fabs(list.coefficient[i] - want)
                                                / fmax(1, fabs(want)));
    }
    term_list_free(&list);
    return same;
}

double
value_in(const paulimpi_sum *sum, const char *state)
{
    double value;

    check(paulimpi_sum_expectation_product(sum, state, &value));
    return value;
}

double
coefficient_of(const paulimpi_sum *sum, const char *label)
{
    double value;

    check(paulimpi_sum_coefficient(sum, label, &value));
    return value;
}

paulimpi_truncation
truncation_of(const dictionary_limits *limits)
{
    paulimpi_truncation truncation = PAULIMPI_TRUNCATION_INIT;

    truncation.min_abs = limits->min_abs;
    truncation.max_weight = limits->max_weight;
    truncation.max_xy_weight = limits->max_xy_weight;
    truncation.max_terms = limits->max_terms;
    return truncation;
}
