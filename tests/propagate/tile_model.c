/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A plain list of terms that does what a tile must do.
 */
#include "propagate/tile_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "propagate/script.h"
#include "tap/tap.h"

static size_t
place_of(const model *m, const string *key)
{
    size_t place = 0;
    int64_t w;

    for (w = 0; w < 2 * m->n_words; w++) {
        dice d = { place ^ key->word[w] };

        place = (size_t)dice_word(&d);
    }
    return place % (4 * MODEL_TERMS);
}

int64_t
model_find(const model *m, const string *key)
{
    size_t place = place_of(m, key);

    for (; m->place[place] != 0; place = (place + 1) % (4 * MODEL_TERMS)) {
        int64_t i = m->place[place] - 1;

        if (memcmp(&m->key[i], key, (size_t)m->n_words * 16) == 0) {
            return i;
        }
    }
    return -1;
}

void
model_add(model *m, const string *key, double coefficient)
{
    size_t place = place_of(m, key);

    if (m->n == MODEL_TERMS) {
        tap_bail("a test has too many terms");
    }
    while (m->place[place] != 0) {
        place = (place + 1) % (4 * MODEL_TERMS);
    }
    m->key[m->n] = *key;
    m->coefficient[m->n] = coefficient;
    m->place[place] = (int32_t)++m->n;
}

void
model_clear(model *m, int64_t n_words)
{
    m->n_words = n_words;
    m->n = 0;
    memset(m->place, 0, sizeof m->place);
}

/* i^k times a letter is the product of two; letters are x + 2 z. */
static int
phase(int a, int b)
{
    static const int k[4][4] = {
        { 0, 0, 0, 0 }, { 0, 0, 3, 1 }, { 0, 1, 0, 3 }, { 0, 3, 1, 0 }
    };

    return k[a][b];
}

/* The sign of i G P as a string, or 0 if G and P commute. */
static int
sign_of(const string *g, const string *p, int64_t n_words)
{
    int k = 1;
    int64_t w;

    for (w = 0; w < n_words; w++) {
        uint64_t gx = g->word[w], gz = g->word[n_words + w];
        uint64_t px = p->word[w], pz = p->word[n_words + w];
        uint64_t rest = (gx | gz) & (px | pz);

        for (; rest != 0; rest &= rest - 1) {
            int q = __builtin_ctzll(rest);

            k += phase((int)(gx >> q & 1) + 2 * (int)(gz >> q & 1),
                       (int)(px >> q & 1) + 2 * (int)(pz >> q & 1));
        }
    }
    return k % 4 == 0 ? 1 : k % 4 == 2 ? -1 : 0;
}

int
model_is_light(const string *p, int64_t n_words,
               const paulimpi__limits *limits)
{
    int64_t weight = 0;
    int64_t xy_weight = 0;
    int64_t w;

    for (w = 0; w < n_words; w++) {
        weight += paulimpi__popcount(p->word[w] | p->word[n_words + w]);
        xy_weight += paulimpi__popcount(p->word[w]);
    }
    return !limits->has_weights
           || (weight <= limits->max_weight
               && xy_weight <= limits->max_xy_weight);
}

/* Add a term, or drop it. */
static void
keep_or_drop(model *m, const string *key, double value,
             const paulimpi__limits *limits)
{
    if (value == 0) {
        return;
    }
    if (fabs(value) >= limits->min_abs
        && model_is_light(key, m->n_words, limits)) {
        model_add(m, key, value);
    } else {
        m->dropped[m->n_dropped++] = value;
    }
}

void
model_rotate(const model *from, model *to, const string *g, double cos_theta,
             double sin_theta, const paulimpi__limits *limits)
{
    int64_t i, w;

    model_clear(to, from->n_words);
    to->n_active = from->n_active;
    for (i = 0; i < from->n; i++) {
        const string *key = &from->key[i];
        double c = from->coefficient[i];
        int sign = sign_of(g, key, from->n_words);
        string other = *key;
        int64_t k;

        if (sign == 0) {
            model_add(to, key, c);
            continue;
        }
        for (w = 0; w < 2 * from->n_words; w++) {
            other.word[w] ^= g->word[w];
        }
        k = model_find(from, &other);
        to->n_active++;
        /* What comes back from the other one has the other sign. */
        keep_or_drop(to, key,
                     k < 0 ? cos_theta * c
                           : cos_theta * c
                                 - sign * sin_theta * from->coefficient[k],
                     limits);
        if (k < 0) {
            keep_or_drop(to, &other, sign * sin_theta * c, limits);
        }
    }
}

void
model_turn_string(string *p, const string *g, int64_t n_words)
{
    int anticommutes = sign_of(g, p, n_words) != 0;
    int64_t w;

    for (w = 0; w < 2 * n_words && anticommutes; w++) {
        p->word[w] ^= g->word[w];
    }
}

void
model_turn(const model *from, model *to, const string *g, int quarters)
{
    int64_t i;

    model_clear(to, from->n_words);
    to->n_active = from->n_active;
    for (i = 0; i < from->n; i++) {
        string key = from->key[i];
        int sign = sign_of(g, &key, from->n_words);
        double c = from->coefficient[i];

        if (sign != 0) {
            to->n_active++;
            c = quarters == 2 || sign != (quarters == 1 ? 1 : -1) ? -c : c;
        }
        if (quarters != 2) {
            model_turn_string(&key, g, from->n_words);
        }
        model_add(to, &key, c);
    }
}

void
model_scale(const model *from, model *to, int64_t q, const double *factor,
            const paulimpi__limits *limits)
{
    int64_t i;

    model_clear(to, from->n_words);
    to->n_active = from->n_active;
    for (i = 0; i < from->n; i++) {
        const string *key = &from->key[i];
        int x = (int)(key->word[q / 64] >> q % 64 & 1);
        int z = (int)(key->word[from->n_words + q / 64] >> q % 64 & 1);
        double f = x + z == 0 ? 1 : x && z ? factor[1] : factor[x ? 0 : 2];

        if (f == 1) {
            model_add(to, key, from->coefficient[i]);
        } else {
            keep_or_drop(to, key, f * from->coefficient[i], limits);
        }
    }
}

int
model_has(const model *m, const string *key, double coefficient, char *seen)
{
    int64_t k = model_find(m, key);

    if (k < 0 || seen[k]
        || memcmp(&coefficient, &m->coefficient[k], sizeof coefficient) != 0) {
        return 0;
    }
    seen[k] = 1;
    return 1;
}

static int
compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

int
model_has_dropped(model *m, double *dropped, int64_t n)
{
    qsort(m->dropped, (size_t)m->n_dropped, sizeof *dropped, compare_numbers);
    qsort(dropped, (size_t)n, sizeof *dropped, compare_numbers);
    return n == m->n_dropped
           && memcmp(m->dropped, dropped, (size_t)n * sizeof *dropped) == 0;
}
