/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A linear map on one qubit, orbit by orbit, in place.
 *
 * The four strings that differ on the qubit only are an orbit, which the map
 * sends to itself. Their hashes differ by those of X and Z on the qubit, so
 * that an orbit lies in at most four buckets: these are opened together, and
 * such sets of buckets are worked on independently.
 */
#include "config.h"

#include <string.h>

#include "propagate/in_place.h"

enum { BLOCK = PAULIMPI__BLOCK_TERMS, N_LETTERS = 4 };

typedef struct {
    paulimpi__store *store;
    const paulimpi__limits *limits;
    double matrix[N_LETTERS][N_LETTERS]; /* [out][in], of this picture */
    int mixes[N_LETTERS]; /* the letter has off-diagonal entries */
    int64_t word;         /* of the qubit */
    int shift;
    uint32_t hash_of[N_LETTERS]; /* of a letter on the qubit */
    uint32_t print_of[N_LETTERS];
    paulimpi__worker *worker;
} map;

/* I, X, Y, Z as 0, 1, 2, 3 and back. */
static int
letter_of(const map *m, const paulimpi__block *block, int t)
{
    int x = (int)(block->word[m->word * BLOCK + t] >> m->shift & 1);
    int z = (int)(block->word[(m->store->n_words + m->word) * BLOCK + t]
                      >> m->shift
                  & 1);

    return z << 1 | (x ^ z);
}

static void
set_letter(const map *m, paulimpi__block *block, int t, int letter)
{
    uint64_t *x = &block->word[m->word * BLOCK + t];
    uint64_t *z = &block->word[(m->store->n_words + m->word) * BLOCK + t];
    uint64_t bit = (uint64_t)1 << m->shift;

    *x &= ~bit;
    *z &= ~bit;
    if (letter == 1 || letter == 2) {
        *x |= bit;
    }
    if (letter >= 2) {
        *z |= bit;
    }
}

/* Whether two terms are in one orbit. */
static int
are_siblings(const map *m, const paulimpi__block *a, int ta,
             const paulimpi__block *b, int tb)
{
    int64_t n_words = m->store->n_words;
    uint64_t wrong = 0;
    int64_t w;

    for (w = 0; w < n_words; w++) {
        uint64_t mask = w == m->word ? ~((uint64_t)1 << m->shift) : UINT64_MAX;

        wrong |= ((a->word[w * BLOCK + ta] ^ b->word[w * BLOCK + tb])
                  | (a->word[(n_words + w) * BLOCK + ta]
                     ^ b->word[(n_words + w) * BLOCK + tb]))
                 & mask;
    }
    return wrong == 0;
}

/* Any member of an orbit, to compare keys with. */
static const paulimpi__block *
some_member(const map *m, const paulimpi__orbit *orbit, int *t_p)
{
    int letter = 0;

    while (orbit->view[letter] < 0) {
        letter++;
    }
    *t_p = paulimpi__view_slot(orbit->term[letter]);
    return paulimpi__view_block(&m->worker->view[orbit->view[letter]],
                                orbit->term[letter]);
}

/* The orbit of a term, made if it is new. */
static paulimpi__orbit *
orbit_of(const map *m, const paulimpi__block *block, int t, int letter,
         int bits, int64_t *n_orbits)
{
    size_t mask = ((size_t)1 << bits) - 1;
    uint32_t print = paulimpi__term_print(2 * m->store->n_words, block, t)
                     ^ m->print_of[letter];
    size_t slot = (size_t)(print * 0x9e3779b1u) >> (32 - bits);
    uint64_t *table = m->worker->table;
    paulimpi__orbit *orbit;

    for (; table[slot] != 0; slot = (slot + 1) & mask) {
        if ((uint32_t)(table[slot] >> 32) == print) {
            const paulimpi__block *sibling;
            int s;

            orbit = &m->worker->orbit[(table[slot] & UINT32_MAX) - 1];
            sibling = some_member(m, orbit, &s);
            if (are_siblings(m, block, t, sibling, s)) {
                return orbit;
            }
        }
    }
    orbit = &m->worker->orbit[(*n_orbits)++];
    table[slot] = (uint64_t)print << 32 | (uint64_t)*n_orbits;
    *orbit = (paulimpi__orbit){ .print = print, .view = { -1, -1, -1, -1 } };
    return orbit;
}

/* Enter the terms of a view whose letter mixes into orbits; multiply the
 * others by their diagonal entry. */
static void
read_view(const map *m, int v, int bits, int64_t *n_orbits)
{
    paulimpi__view *view = &m->worker->view[v];
    int64_t n = view->n;
    int64_t i;

    for (i = 0; i < n; i++) {
        const paulimpi__block *block = paulimpi__view_block(view, i);
        int t = paulimpi__view_slot(i);
        int letter = letter_of(m, block, t);

        if (m->mixes[letter]) {
            paulimpi__orbit *orbit =
                orbit_of(m, block, t, letter, bits, n_orbits);

            orbit->view[letter] = (int8_t)v;
            orbit->term[letter] = (uint32_t)i;
            m->worker->active++;
        } else if (m->matrix[letter][letter] != 1.0) {
            paulimpi__view_set(view, m->worker, m->limits, i,
                               m->matrix[letter][letter]
                                   * block->coefficient[t]);
        }
    }
}

/* The view of the bucket in which the member of an orbit with a letter lies. */
static paulimpi__view *
view_of(const map *m, const paulimpi__orbit *orbit, int letter)
{
    int64_t number;
    int other = 0;
    int v = 0;

    while (orbit->view[other] < 0) {
        other++;
    }
    number = m->worker->view[orbit->view[other]].number
             ^ ((m->hash_of[other] ^ m->hash_of[letter])
                & (paulimpi__store_buckets(m->store) - 1));
    while (m->worker->view[v].number != number) {
        v++;
    }
    return &m->worker->view[v];
}

/* Make the member of an orbit that has a letter, with a coefficient, unless it
 * would be dropped at once. */
static void
bear(const map *m, const paulimpi__orbit *orbit, int letter,
     double coefficient)
{
    paulimpi__view *view = view_of(m, orbit, letter);
    const paulimpi__block *source;
    paulimpi__block *target;
    int64_t place;
    int s, t;

    if (!paulimpi__passes(m->limits, coefficient)) {
        paulimpi__drop_number(&m->worker->dropped, coefficient);
        return;
    }
    source = some_member(m, orbit, &s);
    place = paulimpi__view_append(view, m->store, m->worker);
    target = paulimpi__view_block(view, place);
    t = paulimpi__view_slot(place);
    paulimpi__term_move(2 * m->store->n_words, source, s, target, t);
    set_letter(m, target, t, letter);
    target->coefficient[t] = coefficient;
    if (m->limits != NULL && m->limits->has_weights
        && !paulimpi__weights_pass(target, t, m->store->n_words,
                                   m->limits->max_weight,
                                   m->limits->max_xy_weight)) {
        paulimpi__drop_number(&m->worker->dropped, coefficient);
        target->coefficient[t] = 0.0;
        view->dead[view->n_dead++] = (uint32_t)place;
    }
}

/* out = matrix in, summed in the order of the letters I, X, Y, Z. */
static void
map_orbit(const map *m, const paulimpi__orbit *orbit)
{
    double in[N_LETTERS] = { 0.0 };
    int i, j;

    for (j = 0; j < N_LETTERS; j++) {
        if (orbit->view[j] >= 0) {
            in[j] = *paulimpi__view_coefficient(
                &m->worker->view[orbit->view[j]], orbit->term[j]);
        }
    }
    for (i = 0; i < N_LETTERS; i++) {
        double out = 0.0;

        for (j = 0; j < N_LETTERS; j++) {
            if (m->matrix[i][j] != 0.0) {
                out += m->matrix[i][j] * in[j];
            }
        }
        if (!m->mixes[i]) {
            continue;
        }
        if (orbit->view[i] >= 0) {
            paulimpi__view_set(&m->worker->view[orbit->view[i]], m->worker,
                               m->limits, orbit->term[i], out);
        } else if (out != 0.0) {
            bear(m, orbit, i, out);
        }
    }
}

/* The buckets of the orbits of bucket b, without repetitions, b first. */
static int
list_buckets(const map *m, int64_t b, int64_t number[N_LETTERS])
{
    int64_t mask = paulimpi__store_buckets(m->store) - 1;
    int n = 0;
    int i, k;

    for (i = 0; i < N_LETTERS; i++) {
        int64_t other = b ^ (m->hash_of[i] & mask);

        for (k = 0; k < n && number[k] != other; k++) {
        }
        if (k == n) {
            number[n++] = other;
        }
    }
    return n;
}

/* Map all orbits of bucket b, if b is the lowest of their buckets. */
static void
map_bucket(const void *shared, paulimpi__worker *worker, int64_t b)
{
    map with_worker = *(const map *)shared;
    const map *m = &with_worker;
    int64_t number[N_LETTERS];
    int n_views = list_buckets(m, b, number);
    int64_t n_terms = 0;
    int64_t n_orbits = 0;
    int64_t k;
    int bits, v;

    with_worker.worker = worker;
    for (v = 0; v < n_views; v++) {
        if (number[v] < b) {
            return; /* they are another thread's */
        }
    }
    for (v = 0; v < n_views; v++) {
        n_terms += m->store->buckets[number[v]].n_terms;
    }
    bits = paulimpi__log2_ceil((uint64_t)n_terms + 1) + 1;
    memset(m->worker->table, 0, sizeof *m->worker->table << bits);
    for (v = 0; v < n_views; v++) {
        paulimpi__view_open(&m->worker->view[v], m->store, number[v]);
    }
    for (v = 0; v < n_views; v++) {
        read_view(m, v, bits, &n_orbits);
    }
    for (k = 0; k < n_orbits; k++) {
        map_orbit(m, &m->worker->orbit[k]);
    }
    for (v = 0; v < n_views; v++) {
        paulimpi__view_close(&m->worker->view[v], m->store, m->worker);
    }
}

static void
read_matrix(const paulimpi__run *run, const paulimpi__op *op, map *m)
{
    const paulimpi__matrix *given = &run->circuit->matrices[op->first_matrix];
    int i, j;

    for (i = 0; i < N_LETTERS; i++) {
        for (j = 0; j < N_LETTERS; j++) {
            m->matrix[i][j] = run->is_schroedinger ? given->heisenberg[j][i]
                                                   : given->heisenberg[i][j];
            if (i != j && m->matrix[i][j] != 0.0) {
                m->mixes[i] = 1;
                m->mixes[j] = 1;
            }
        }
    }
}

/* The fingerprint of a key with one bit. */
static uint32_t
print_of_bit(const paulimpi__run *run, int64_t word, int shift)
{
    const paulimpi__workspace *space = run->workspace;
    int64_t n_key = 2 * run->store->n_words;

    memset(space->key, 0, (size_t)n_key * sizeof *space->key);
    space->key[word] = (uint64_t)1 << shift;
    return paulimpi__key_print(n_key, space->key);
}

static map
make_map(const paulimpi__run *run, const paulimpi__ready_op *op,
         const paulimpi__limits *limits)
{
    const uint32_t *hash_of;
    map m = { .store = run->store,
              .limits = limits,
              .word = op->parts[0].word,
              .shift = op->pivot.shift };

    read_matrix(run, op->op, &m);
    hash_of = &run->store->hash_of[2 * (64 * m.word + m.shift)];
    m.hash_of[1] = hash_of[0];
    m.hash_of[2] = hash_of[0] ^ hash_of[1];
    m.hash_of[3] = hash_of[1];
    m.print_of[1] = print_of_bit(run, m.word, m.shift);
    m.print_of[3] = print_of_bit(run, run->store->n_words + m.word, m.shift);
    m.print_of[2] = m.print_of[1] ^ m.print_of[3];
    return m;
}

void
paulimpi__pass_map(paulimpi__run *run, const paulimpi__ready_op *op,
                   const paulimpi__limits *limits)
{
    map m = make_map(run, op, limits);

    paulimpi__for_buckets(run, map_bucket, &m);
}
