/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A plain list of terms that does what a tile must do.
 */
#ifndef TESTS_PROPAGATE_TILE_MODEL_H
#define TESTS_PROPAGATE_TILE_MODEL_H

#include <stdint.h>

#include "propagate/in_place.h"

enum { MODEL_WORDS = 9, MODEL_TERMS = 1 << 14 };

typedef struct {
    uint64_t word[2 * MODEL_WORDS]; /* x, then z, of the store */
} string;

/* The terms, where they are (a table of their numbers + 1), and what happened
 * to them. */
typedef struct {
    int64_t n_words;
    int64_t n;
    string key[MODEL_TERMS];
    double coefficient[MODEL_TERMS];
    int32_t place[4 * MODEL_TERMS];
    int64_t n_active;
    int64_t n_dropped;
    double dropped[2 * MODEL_TERMS];
} model;

void model_clear(model *m, int64_t n_words);
void model_add(model *m, const string *key, double coefficient);
/* The number of a term, or -1. */
int64_t model_find(const model *m, const string *key);

/* Whether a string passes the limits of weight. */
int model_is_light(const string *p, int64_t n_words,
                   const paulimpi__limits *limits);

/* Rotate a list of terms into another one. */
void model_rotate(const model *from, model *to, const string *g,
                  double cos_theta, double sin_theta,
                  const paulimpi__limits *limits);
/* Rotate by so many quarters of a turn, without truncation. */
void model_turn(const model *from, model *to, const string *g, int quarters);
/* Make a string the one that it becomes by a quarter of a turn, or was before
 * it; up to its sign. */
void model_turn_string(string *p, const string *g, int64_t n_words);
/* Multiply by factors of X, Y and Z on a qubit. */
void model_scale(const model *from, model *to, int64_t q, const double *factor,
                 const paulimpi__limits *limits);

/* Whether the list has a term with the same bits that has not been seen. */
int model_has(const model *m, const string *key, double coefficient,
              char *seen);
/* Whether what it dropped are these n numbers, whose order is changed. */
int model_has_dropped(model *m, double *dropped, int64_t n);

#endif /* TESTS_PROPAGATE_TILE_MODEL_H */
