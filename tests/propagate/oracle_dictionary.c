/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Circuits on a plain hash map from labels to coefficients.
 */
#include "propagate/oracle_dictionary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tap/tap.h"

typedef struct {
    char *label;
    uint64_t hash;
    int64_t weight;
    int64_t xy_weight;
    double coefficient;
} entry;

/* Entries in order of their arrival, and an open-addressed table of their
 * numbers, -1 where it is free. */
struct dictionary {
    int64_t n_qubits;
    int64_t n;
    int64_t capacity;
    entry *entry;
    int64_t slots;
    int64_t *slot;
};

/* Contributions that wait to be added. */
typedef struct {
    int64_t n;
    int64_t capacity;
    struct {
        char *label;
        double coefficient;
    } * item;
} heap;

static void *
grow(void *old, int64_t count, size_t size)
{
    void *memory = realloc(old, (size_t)count * size);

    if (memory == NULL) {
        tap_bail("no memory for the dictionary");
    }
    return memory;
}

static uint64_t
hash_of(const char *label)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (; *label != '\0'; label++) {
        hash = (hash ^ (unsigned char)*label) * UINT64_C(1099511628211);
    }
    return hash ^ (hash >> 29);
}

dictionary *
dictionary_create(int64_t n_qubits)
{
    dictionary *d = grow(NULL, 1, sizeof *d);

    memset(d, 0, sizeof *d);
    d->n_qubits = n_qubits;
    return d;
}

void
dictionary_destroy(dictionary *d)
{
    int64_t i;

    for (i = 0; i < d->n; i++) {
        free(d->entry[i].label);
    }
    free(d->entry);
    free(d->slot);
    free(d);
}

/* The slot of a label: its own, or the free one where it belongs. */
static int64_t
find(const dictionary *d, const char *label, uint64_t hash)
{
    int64_t i = (int64_t)(hash % (uint64_t)d->slots);

    while (d->slot[i] >= 0
           && (d->entry[d->slot[i]].hash != hash
               || strcmp(d->entry[d->slot[i]].label, label) != 0)) {
        i = (i + 1) % d->slots;
    }
    return i;
}

static void
rebuild(dictionary *d)
{
    int64_t i;

    d->slots = 2 * d->capacity + 1;
    d->slot = grow(d->slot, d->slots, sizeof *d->slot);
    for (i = 0; i < d->slots; i++) {
        d->slot[i] = -1;
    }
    for (i = 0; i < d->n; i++) {
        d->slot[find(d, d->entry[i].label, d->entry[i].hash)] = i;
    }
}

/* A new entry for a label, which it takes over. */
static void
insert(dictionary *d, char *label, uint64_t hash, double coefficient)
{
    entry *e;
    int64_t q;

    if (d->n == d->capacity) {
        d->capacity = d->capacity == 0 ? 16 : 2 * d->capacity;
        d->entry = grow(d->entry, d->capacity, sizeof *d->entry);
        rebuild(d);
    }
    e = &d->entry[d->n];
    e->label = label;
    e->hash = hash;
    e->weight = 0;
    e->xy_weight = 0;
    e->coefficient = coefficient;
    for (q = 0; q < d->n_qubits; q++) {
        e->weight += label[q] != 'I';
        e->xy_weight += label[q] == 'X' || label[q] == 'Y';
    }
    d->slot[find(d, label, hash)] = d->n;
    d->n++;
}

/* Add to a label, which is taken over; a sum of 0 stays for now. */
static void
accumulate(dictionary *d, char *label, double coefficient)
{
    uint64_t hash = hash_of(label);
    int64_t i = d->slots == 0 ? -1 : d->slot[find(d, label, hash)];

    if (i < 0) {
        insert(d, label, hash, coefficient);
    } else {
        d->entry[i].coefficient += coefficient;
        free(label);
    }
}

/* Remove what has coefficient 0. */
static void
purge(dictionary *d)
{
    int64_t kept = 0;
    int64_t i;

    for (i = 0; i < d->n; i++) {
        if (d->entry[i].coefficient == 0) {
            free(d->entry[i].label);
        } else {
            d->entry[kept] = d->entry[i];
            kept++;
        }
    }
    if (kept != d->n) {
        d->n = kept;
        rebuild(d);
    }
}

static char *
copy_of(const char *label)
{
    return strcpy(grow(NULL, (int64_t)strlen(label) + 1, 1), label);
}

void
dictionary_add(dictionary *d, const char *label, double coefficient)
{
    accumulate(d, copy_of(label), coefficient);
    purge(d);
}

int64_t
dictionary_terms(const dictionary *d)
{
    return d->n;
}

double
dictionary_get(const dictionary *d, const char *label)
{
    int64_t i = d->slots == 0 ? -1 : d->slot[find(d, label, hash_of(label))];

    return i < 0 ? 0.0 : d->entry[i].coefficient;
}

const char *
dictionary_term(const dictionary *d, int64_t i, double *coefficient)
{
    *coefficient = d->entry[i].coefficient;
    return d->entry[i].label;
}

/* Truncation. */

static void
drop(entry *e, dictionary_report *report)
{
    report->dropped_norm1 += fabs(e->coefficient);
    report->dropped_square += e->coefficient * e->coefficient;
    e->coefficient = 0;
}

static int
descending(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x < y) - (x > y);
}

/* Keep the n largest; those that tie with the largest of the others go. */
static void
keep_largest(dictionary *d, int64_t n, dictionary_report *report)
{
    double *size;
    double first_out;
    int64_t i;

    if (d->n <= n) {
        return;
    }
    size = grow(NULL, d->n, sizeof *size);
    for (i = 0; i < d->n; i++) {
        size[i] = fabs(d->entry[i].coefficient);
    }
    qsort(size, (size_t)d->n, sizeof *size, descending);
    first_out = size[n];
    free(size);
    for (i = 0; i < d->n; i++) {
        if (fabs(d->entry[i].coefficient) <= first_out) {
            drop(&d->entry[i], report);
        }
    }
    purge(d);
}

void
dictionary_truncate(dictionary *d, const dictionary_limits *limits,
                    dictionary_report *report)
{
    int64_t i;

    for (i = 0; i < d->n; i++) {
        entry *e = &d->entry[i];

        if (fabs(e->coefficient) < limits->min_abs
            || e->weight > limits->max_weight
            || e->xy_weight > limits->max_xy_weight) {
            drop(e, report);
        }
    }
    purge(d);
    keep_largest(d, limits->max_terms, report);
}

/* Gates. */

static void
contribute(heap *h, char *label, double coefficient)
{
    if (h->n == h->capacity) {
        h->capacity = h->capacity == 0 ? 64 : 2 * h->capacity;
        h->item = grow(h->item, h->capacity, sizeof *h->item);
    }
    h->item[h->n].label = label;
    h->item[h->n].coefficient = coefficient;
    h->n++;
}

static void
add_heap(dictionary *d, heap *h)
{
    int64_t i;

    for (i = 0; i < h->n; i++) {
        accumulate(d, h->item[i].label, h->item[i].coefficient);
    }
    free(h->item);
    purge(d);
}

/* The letter of a product of two, and the power of i before it. */
static char
product(char a, char b, int *phase)
{
    static const char letters[] = "IXYZ";
    int i = (int)(strchr(letters, a) - letters);
    int j = (int)(strchr(letters, b) - letters);

    if (i == 0 || j == 0) {
        return letters[i + j];
    }
    if (i == j) {
        return 'I';
    }
    *phase += (j - i + 3) % 3 == 1 ? 1 : 3;
    return letters[6 - i - j];
}

/* A generator by its letters. */
typedef struct {
    int64_t n;
    int64_t *qubit;
    char *letter;
} generator;

static int
anticommutes(const generator *g, const char *label)
{
    int odd = 0;
    int64_t i;

    for (i = 0; i < g->n; i++) {
        char letter = label[g->qubit[i]];

        odd ^= letter != 'I' && letter != g->letter[i];
    }
    return odd;
}

/* P -> cos P + sin (i G P) where P anticommutes with G. */
static void
rotate(dictionary *d, const generator *g, double cosine, double sine)
{
    heap h = { 0, 0, NULL };
    int64_t i, j;

    for (i = 0; i < d->n; i++) {
        entry *e = &d->entry[i];
        int phase = 1;
        char *moved;

        if (!anticommutes(g, e->label)) {
            continue;
        }
        moved = copy_of(e->label);
        for (j = 0; j < g->n; j++) {
            moved[g->qubit[j]] =
                product(g->letter[j], moved[g->qubit[j]], &phase);
        }
        contribute(&h, moved,
                   (phase % 4 == 0 ? sine : -sine) * e->coefficient);
        e->coefficient *= cosine;
    }
    add_heap(d, &h);
}

/* cos and sin, exact where the angle is within 4 ulp of a multiple of pi/2. */
static void
turn(double theta, double *cosine, double *sine)
{
    double quarters = nearbyint(theta / acos(0.0));

    *cosine = cos(theta);
    *sine = sin(theta);
    if (fabs(theta - quarters * acos(0.0))
        <= 4 * (nextafter(fabs(theta), INFINITY) - fabs(theta))) {
        *cosine = nearbyint(*cosine);
        *sine = nearbyint(*sine);
    }
}

static void
rotate_by(dictionary *d, int64_t n, const int64_t *qubit, const char *letter,
          double theta, int is_heisenberg)
{
    int64_t place[2] = { 0, 0 };
    char letters[2] = { 'I', 'I' };
    generator g = { n, place, letters };
    double cosine, sine;
    int64_t i;

    for (i = 0; i < n; i++) {
        place[i] = qubit[i];
        letters[i] = letter[i];
    }
    turn(theta, &cosine, &sine);
    rotate(d, &g, cosine, is_heisenberg ? sine : -sine);
}

static void
rotate_by_label(dictionary *d, const char *label, double theta,
                int is_heisenberg)
{
    generator g = { 0, grow(NULL, d->n_qubits, sizeof *g.qubit),
                    grow(NULL, d->n_qubits, 1) };
    double cosine, sine;
    int64_t q;

    for (q = 0; q < d->n_qubits; q++) {
        if (label[q] != 'I') {
            g.qubit[g.n] = q;
            g.letter[g.n] = label[q];
            g.n++;
        }
    }
    turn(theta, &cosine, &sine);
    rotate(d, &g, cosine, is_heisenberg ? sine : -sine);
    free(g.qubit);
    free(g.letter);
}

/* The Heisenberg images of II IX IY IZ XI ... ZZ, and their signs. */
typedef struct {
    const char *name;
    const char *image[16];
} pair_table;

static const pair_table pair_tables[] = {
    { "cx",
      { "+II", "+IX", "+ZY", "+ZZ", "+XX", "+XI", "+YZ", "-YY", "+YX", "+YI",
        "-XZ", "+XY", "+ZI", "+ZX", "+IY", "+IZ" } },
    { "cy",
      { "+II", "+ZX", "+IY", "+ZZ", "+XY", "-YZ", "+XI", "+YX", "+YY", "+XZ",
        "+YI", "-XX", "+ZI", "+IX", "+ZY", "+IZ" } },
    { "cz",
      { "+II", "+ZX", "+ZY", "+IZ", "+XZ", "+YY", "-YX", "+XI", "+YZ", "-XY",
        "+XX", "+YI", "+ZI", "+IX", "+IY", "+ZZ" } },
    { "swap",
      { "+II", "+XI", "+YI", "+ZI", "+IX", "+XX", "+YX", "+ZX", "+IY", "+XY",
        "+YY", "+ZY", "+IZ", "+XZ", "+YZ", "+ZZ" } },
};

static void
apply_pairs(dictionary *d, const pair_table *table, const int64_t *qubit)
{
    static const char letters[] = "IXYZ";
    heap h = { 0, 0, NULL };
    int64_t i;

    for (i = 0; i < d->n; i++) {
        entry *e = &d->entry[i];
        int a = (int)(strchr(letters, e->label[qubit[0]]) - letters);
        int b = (int)(strchr(letters, e->label[qubit[1]]) - letters);
        const char *image = table->image[4 * a + b];
        char *moved;

        if (a == 0 && b == 0) {
            continue;
        }
        moved = copy_of(e->label);
        moved[qubit[0]] = image[1];
        moved[qubit[1]] = image[2];
        contribute(&h, moved,
                   image[0] == '-' ? -e->coefficient : e->coefficient);
        e->coefficient = 0;
    }
    add_heap(d, &h);
}

/* m[out][in] of the letters I, X, Y, Z. */
static void
apply_map(dictionary *d, double m[4][4], int64_t qubit)
{
    static const char letters[] = "IXYZ";
    heap h = { 0, 0, NULL };
    int64_t i;

    for (i = 0; i < d->n; i++) {
        entry *e = &d->entry[i];
        int in = (int)(strchr(letters, e->label[qubit]) - letters);
        int out;

        for (out = 0; out < 4; out++) {
            if (out != in && m[out][in] != 0) {
                char *moved = copy_of(e->label);

                moved[qubit] = letters[out];
                contribute(&h, moved, m[out][in] * e->coefficient);
            }
        }
        e->coefficient *= m[in][in];
    }
    add_heap(d, &h);
}

/* Rows of signs: the Heisenberg images of X, Y and Z, as sign and letter. */
typedef struct {
    const char *name;
    const char *image[3];
} letter_table;

static const letter_table letter_tables[] = {
    { "h", { "+Z", "-Y", "+X" } },    { "s", { "-Y", "+X", "+Z" } },
    { "sdg", { "+Y", "-X", "+Z" } },  { "sx", { "+X", "-Z", "+Y" } },
    { "sxdg", { "+X", "+Z", "-Y" } }, { "x", { "+X", "-Y", "-Z" } },
    { "y", { "-X", "+Y", "-Z" } },    { "z", { "-X", "-Y", "+Z" } },
};

static int
clifford_map(double m[4][4], const char *name)
{
    size_t i;
    int in;

    for (i = 0; i < sizeof letter_tables / sizeof letter_tables[0]; i++) {
        if (strcmp(letter_tables[i].name, name) == 0) {
            for (in = 1; in < 4; in++) {
                const char *image = letter_tables[i].image[in - 1];
                int out = (int)(strchr("IXYZ", image[1]) - "IXYZ");

                m[out][in] = image[0] == '-' ? -1 : 1;
            }
            return 1;
        }
    }
    return 0;
}

/* X, Y -> cos, sin mixtures under RZ, then RY, then RZ, last gate first. */
static void
u3_map(double m[4][4], double theta, double phi, double lambda)
{
    double st, ct, sp, cp, sl, cl;

    turn(theta, &ct, &st);
    turn(phi, &cp, &sp);
    turn(lambda, &cl, &sl);
    m[1][1] = cp * ct * cl - sp * sl;
    m[2][1] = -(cp * ct * sl + sp * cl);
    m[3][1] = cp * st;
    m[1][2] = sp * ct * cl + cp * sl;
    m[2][2] = cp * cl - sp * ct * sl;
    m[3][2] = sp * st;
    m[1][3] = -st * cl;
    m[2][3] = st * sl;
    m[3][3] = ct;
}

static void
diagonal(double m[4][4], double x, double y, double z)
{
    m[1][1] = x;
    m[2][2] = y;
    m[3][3] = z;
}

/* The Heisenberg map of a gate on one qubit. */
static int
map_of(double m[4][4], const script_gate *g)
{
    double root = sqrt(0.5);
    double p = g->parameter[0];
    double py = g->parameter[1];
    double pz = g->parameter[2];

    memset(m, 0, 16 * sizeof m[0][0]);
    m[0][0] = 1;
    if (clifford_map(m, g->name)) {
        return 1;
    }
    if (strcmp(g->name, "t") == 0 || strcmp(g->name, "tdg") == 0) {
        diagonal(m, root, root, 1);
        m[1][2] = g->name[1] == '\0' ? root : -root;
        m[2][1] = -m[1][2];
    } else if (strcmp(g->name, "u3") == 0) {
        u3_map(m, p, py, pz);
    } else if (strcmp(g->name, "u2") == 0) {
        u3_map(m, acos(0.0), p, py);
    } else if (strcmp(g->name, "depolarizing") == 0) {
        diagonal(m, 1 - 4 * p / 3, 1 - 4 * p / 3, 1 - 4 * p / 3);
    } else if (strcmp(g->name, "dephasing") == 0) {
        diagonal(m, 1 - 2 * p, 1 - 2 * p, 1);
    } else if (strcmp(g->name, "pauli_noise") == 0) {
        diagonal(m, 1 - 2 * (py + pz), 1 - 2 * (pz + p), 1 - 2 * (p + py));
    } else if (strcmp(g->name, "amplitude_damping") == 0) {
        diagonal(m, sqrt(1 - p), sqrt(1 - p), 1 - p);
        m[0][3] = p;
    } else {
        return 0;
    }
    return 1;
}

static void
transpose(double m[4][4])
{
    int i, j;

    for (i = 0; i < 4; i++) {
        for (j = 0; j < i; j++) {
            double swapped = m[i][j];

            m[i][j] = m[j][i];
            m[j][i] = swapped;
        }
    }
}

static int
apply_rotation(dictionary *d, const script_gate *g, int is_heisenberg)
{
    static const struct {
        const char *name;
        int n;
        const char *letters;
    } rows[] = { { "rx", 1, "X" },   { "ry", 1, "Y" },  { "rz", 1, "Z" },
                 { "u1", 1, "Z" },   { "p", 1, "Z" },   { "rxx", 2, "XX" },
                 { "ryy", 2, "YY" }, { "rzz", 2, "ZZ" } };
    size_t i;

    if (g->label != NULL) {
        rotate_by_label(d, g->label, g->parameter[0], is_heisenberg);
        return 1;
    }
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(g->name, rows[i].name) == 0) {
            rotate_by(d, rows[i].n, g->qubit, rows[i].letters, g->parameter[0],
                      is_heisenberg);
            return 1;
        }
    }
    return 0;
}

static void
apply(dictionary *d, const script_gate *g, int is_heisenberg)
{
    double m[4][4];
    size_t i;

    if (apply_rotation(d, g, is_heisenberg)) {
        return;
    }
    if (map_of(m, g)) {
        if (!is_heisenberg) {
            transpose(m);
        }
        apply_map(d, m, g->qubit[0]);
        return;
    }
    /* The four gates on pairs are their own inverses. */
    for (i = 0; i < sizeof pair_tables / sizeof pair_tables[0]; i++) {
        if (strcmp(g->name, pair_tables[i].name) == 0) {
            apply_pairs(d, &pair_tables[i], g->qubit);
            return;
        }
    }
    tap_bail("the dictionary does not know %s", g->name);
}

static int
is_mark(const script_gate *g, const char *name)
{
    return strcmp(g->name, name) == 0;
}

/* Truncate, unless a group is open. */
static void
finish_gate(dictionary *d, int is_open, const dictionary_limits *limits,
            dictionary_report *report)
{
    if (!is_open) {
        dictionary_truncate(d, limits, report);
        if (d->n > report->peak_terms) {
            report->peak_terms = d->n;
        }
    }
    if (report->terms_after != NULL && report->gates > 0) {
        report->terms_after[report->gates - 1] = d->n;
    }
}

static void
run(dictionary *d, const script *circuit, int is_heisenberg,
    const dictionary_limits *limits, dictionary_report *report)
{
    int is_open = 0;
    int64_t i;

    report->gates = 0;
    report->term_gates = 0;
    report->dropped_norm1 = 0;
    report->dropped_square = 0;
    report->peak_terms = 0;
    for (i = 0; i < circuit->n_gates; i++) {
        if (script_find(circuit->gate[i].name) != NULL) {
            finish_gate(d, 0, limits, report);
            break;
        }
    }
    for (i = 0; i < circuit->n_gates; i++) {
        const script_gate *g =
            &circuit->gate[is_heisenberg ? circuit->n_gates - 1 - i : i];

        if (is_mark(g, "barrier")) {
            continue;
        }
        if (is_mark(g, "group_begin") || is_mark(g, "group_end")) {
            is_open = !is_open;
            finish_gate(d, is_open, limits, report);
            continue;
        }
        report->term_gates += d->n;
        apply(d, g, is_heisenberg);
        report->gates++;
        finish_gate(d, is_open, limits, report);
    }
}

void
dictionary_heisenberg(dictionary *d, const script *circuit,
                      const dictionary_limits *limits,
                      dictionary_report *report)
{
    run(d, circuit, 1, limits, report);
}

void
dictionary_schroedinger(dictionary *d, const script *circuit,
                        const dictionary_limits *limits,
                        dictionary_report *report)
{
    run(d, circuit, 0, limits, report);
}

double
dictionary_expectation(const dictionary *d, const char *state)
{
    static const char states[] = "01+-rl";
    double value = 0;
    int64_t i, q;

    for (i = 0; i < d->n; i++) {
        double factor = d->entry[i].coefficient;

        for (q = 0; q < d->n_qubits && factor != 0; q++) {
            int place = (int)(strchr(states, state[q]) - states);
            char letter = d->entry[i].label[q];

            if (letter != 'I') {
                factor *= letter != "ZXY"[place / 2] ? 0 : 1 - 2 * (place % 2);
            }
        }
        value += factor;
    }
    return value;
}
