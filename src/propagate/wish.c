/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the user wants of the functions that say which rank holds which term.
 */
#include "propagate/wish.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "propagate/file.h"

/* Whether rows, if there are any, have bits of qubits that are not there. */
static int
has_stray_bits(const uint64_t *bits, int64_t n_rows, int64_t n_qubits)
{
    int64_t n = paulimpi_pauli_words(n_qubits);
    int64_t last = n_qubits - (n - 1) * 64; /* bits of the last word */
    int64_t i;

    for (i = 0; bits != NULL && last < 64 && i < n_rows; i++) {
        if (bits[i * n + n - 1] >> last != 0) {
            return 1;
        }
    }
    return 0;
}

static uint64_t
word_of(const uint64_t *bits, int64_t i)
{
    return bits == NULL ? 0 : bits[i];
}

/* Whether a row of the options is 0. */
static int
is_zero_row(const paulimpi_propagation_options *options, int64_t row,
            int64_t n_words)
{
    int64_t w;

    for (w = row * n_words; w < (row + 1) * n_words; w++) {
        if ((word_of(options->rows_x, w) | word_of(options->rows_z, w)) != 0) {
            return 0;
        }
    }
    return 1;
}

/* How many coordinates all rows have together. */
static int64_t
count_coordinates(const paulimpi_propagation_options *options, int64_t n_words)
{
    int64_t n_coordinates = 0;
    int64_t w, i;

    for (w = 0; w < n_words; w++) {
        uint64_t x = 0;
        uint64_t z = 0;

        for (i = 0; i < options->n_rows; i++) {
            x |= word_of(options->rows_x, i * n_words + w);
            z |= word_of(options->rows_z, i * n_words + w);
        }
        n_coordinates += __builtin_popcountll(x) + __builtin_popcountll(z);
    }
    return n_coordinates;
}

/* The rows of PAULIMPI_ROWS_GIVEN and PAULIMPI_ROWS_EXCLUDE. */
static int
check_rows(const paulimpi_propagation_options *options, int64_t n_qubits,
           const char *function)
{
    int64_t n = paulimpi_pauli_words(n_qubits);
    int64_t i;

    if (options->n_rows < 1
        || (options->rows_x == NULL && options->rows_z == NULL)) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: n_rows is %" PRId64
                               ", but rows asks for one or more, in rows_x "
                               "and rows_z",
                               function, options->n_rows);
    }
    if (has_stray_bits(options->rows_x, options->n_rows, n_qubits)
        || has_stray_bits(options->rows_z, options->n_rows, n_qubits)) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: rows_x or rows_z has bits of qubits from "
                               "%" PRId64 " on, which are not there",
                               function, n_qubits);
    }
    if (options->rows == PAULIMPI_ROWS_EXCLUDE) {
        return count_coordinates(options, n) < 2 * n_qubits
                   ? PAULIMPI_SUCCESS
                   : paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                                     "%s: rows_x and rows_z exclude all "
                                     "coordinates, so that no row is left",
                                     function);
    }
    for (i = 0; i < options->n_rows; i++) {
        if (is_zero_row(options, i, n)) {
            return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                                   "%s: row %" PRId64
                                   " of rows_x and rows_z has no bits",
                                   function, i);
        }
    }
    return PAULIMPI_SUCCESS;
}

static int
check_blocks(const paulimpi_propagation_options *options, int64_t n_qubits,
             const char *function)
{
    const int64_t *blocks = options->blocks;
    int64_t q;

    if (options->n_blocks != (blocks == NULL ? 0 : n_qubits)) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: n_blocks is %" PRId64
                               ", but blocks must hold one for each of "
                               "%" PRId64 " qubits, or be NULL",
                               function, options->n_blocks, n_qubits);
    }
    for (q = 0; blocks != NULL && q < n_qubits; q++) {
        if (blocks[q] < -1 || blocks[q] >= n_qubits) {
            return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                                   "%s: qubit %" PRId64 " is in block %" PRId64
                                   ", but must be in one from 0 to %" PRId64
                                   ", or in none, -1",
                                   function, q, blocks[q], n_qubits - 1);
        }
    }
    return PAULIMPI_SUCCESS;
}

static int
check_weights(const paulimpi_propagation_options *options, int n_ranks,
              const char *function)
{
    int64_t i;

    if (options->weights == NULL && options->n_weights == 0) {
        return PAULIMPI_SUCCESS;
    }
    if (options->weights == NULL || options->n_weights != n_ranks) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: n_weights is %" PRId64
                               ", but weights must hold one for each of "
                               "%d ranks",
                               function, options->n_weights, n_ranks);
    }
    for (i = 0; i < n_ranks; i++) {
        if (!(options->weights[i] > 0.0 && isfinite(options->weights[i]))) {
            return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                                   "%s: the weight of rank %" PRId64
                                   " is %g, but must be positive and finite",
                                   function, i, options->weights[i]);
        }
    }
    return PAULIMPI_SUCCESS;
}

static int
has_rows(int choice)
{
    return choice == PAULIMPI_ROWS_GIVEN || choice == PAULIMPI_ROWS_EXCLUDE;
}

int
paulimpi__wish_check(const paulimpi_propagation_options *options,
                     int64_t n_qubits, int n_ranks, const char *function)
{
    int choice = options->rows;
    int rc = PAULIMPI_SUCCESS;

    if (choice < PAULIMPI_ROWS_PLANNED || choice > PAULIMPI_ROWS_GIVEN) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: rows is %d, but must be a number of the "
                               "kind PAULIMPI_ROWS_PLANNED",
                               function, choice);
    }
    if (!has_rows(choice)
        && (options->n_rows != 0 || options->rows_x != NULL
            || options->rows_z != NULL)) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: there are rows in rows_x and rows_z, but "
                               "rows is neither PAULIMPI_ROWS_GIVEN nor "
                               "PAULIMPI_ROWS_EXCLUDE",
                               function);
    }
    if (choice != PAULIMPI_ROWS_BLOCKS
        && (options->n_blocks != 0 || options->blocks != NULL)) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: there are blocks, but rows is not "
                               "PAULIMPI_ROWS_BLOCKS",
                               function);
    }
    if (has_rows(choice)) {
        rc = check_rows(options, n_qubits, function);
    } else if (choice == PAULIMPI_ROWS_BLOCKS) {
        rc = check_blocks(options, n_qubits, function);
    }
    return rc == PAULIMPI_SUCCESS ? check_weights(options, n_ranks, function)
                                  : rc;
}

static uint64_t
print_words(uint64_t print, const void *words, int64_t n)
{
    uint64_t length = words == NULL ? UINT64_MAX : (uint64_t)n;
    int64_t i;

    print = paulimpi__checksum(print, &length, 1);
    for (i = 0; words != NULL && i < n; i++) {
        uint64_t word;

        memcpy(&word, (const char *)words + i * 8, sizeof word);
        print = paulimpi__checksum(print, &word, 1);
    }
    return print;
}

uint64_t
paulimpi__wish_print(const paulimpi_propagation_options *options,
                     int64_t n_qubits)
{
    int64_t n = options->n_rows * paulimpi_pauli_words(n_qubits);
    uint64_t words[2] = { (uint64_t)options->rows,
                          (uint64_t)options->rows_seed };
    uint64_t print = paulimpi__checksum(0, words, 2);

    print = print_words(print, options->rows_x, n);
    print = print_words(print, options->rows_z, n);
    print = print_words(print, options->blocks, options->n_blocks);
    return print_words(print, options->weights, options->n_weights);
}

/* Put row i of the options into a key. */
static void
take_row(const paulimpi_propagation_options *options, int64_t i,
         int64_t n_words, uint64_t *key)
{
    int64_t w;

    for (w = 0; w < n_words; w++) {
        key[w] |= word_of(options->rows_x, i * n_words + w);
        key[n_words + w] |= word_of(options->rows_z, i * n_words + w);
    }
}

/* The block of a qubit: without a list, of one for each rank. */
static int64_t
block_of(const paulimpi_propagation_options *options, int64_t q,
         int64_t n_qubits, int n_ranks)
{
    return options->blocks != NULL ? options->blocks[q]
           : n_ranks >= n_qubits   ? q
                                   : q * n_ranks / n_qubits;
}

/* Gates inside a block seldom change the parity of its z bits, or of its x
 * bits: pairs of Z and of X do not, nor do single letters that are the
 * other one. */
static void
want_blocks(paulimpi__wish *wish, const paulimpi_propagation_options *options,
            int64_t n_qubits, int n_ranks)
{
    int64_t n = wish->n_words;
    int64_t half = wish->n_wanted / 2;
    int64_t q;

    for (q = 0; q < n_qubits; q++) {
        int64_t block = block_of(options, q, n_qubits, n_ranks);
        uint64_t bit = (uint64_t)1 << q % 64;

        if (block >= 0) {
            wish->wanted[block * 2 * n + n + q / 64] |= bit;
            wish->wanted[(half + block) * 2 * n + q / 64] |= bit;
        }
    }
}

static int64_t
count_blocks(const paulimpi_propagation_options *options, int64_t n_qubits,
             int n_ranks)
{
    int64_t most = 0;
    int64_t q;

    for (q = 0; q < n_qubits; q++) {
        int64_t block = block_of(options, q, n_qubits, n_ranks);

        most = block + 1 > most ? block + 1 : most;
    }
    return most;
}

static int
allocate(paulimpi__wish *wish, int64_t n_qubits)
{
    size_t key = (size_t)wish->n_words * 16;
    size_t n = (size_t)wish->n_wanted;
    int rc;

    if (wish->choice == PAULIMPI_ROWS_EXCLUDE) {
        wish->excluded = paulimpi__alloc_zero(1, key);
        return wish->excluded == NULL ? PAULIMPI_ERR_MEMORY : PAULIMPI_SUCCESS;
    }
    if (n == 0) {
        return PAULIMPI_SUCCESS;
    }
    wish->wanted = paulimpi__alloc_zero(n, key);
    wish->left = paulimpi__alloc(n, key);
    rc = paulimpi__span_init(&wish->known, n_qubits, PAULIMPI__SHARD_BITS);
    return rc != PAULIMPI_SUCCESS || wish->wanted == NULL || wish->left == NULL
               ? PAULIMPI_ERR_MEMORY
               : PAULIMPI_SUCCESS;
}

int
paulimpi__wish_init(paulimpi__wish *wish,
                    const paulimpi_propagation_options *options,
                    int64_t n_qubits, int n_ranks)
{
    int64_t n = paulimpi_pauli_words(n_qubits);
    int64_t i;

    *wish = (paulimpi__wish){ .choice = options->rows,
                              .n_words = n,
                              .weight = options->weights };
    if (wish->choice == PAULIMPI_ROWS_GIVEN) {
        wish->n_wanted = options->n_rows;
    } else if (wish->choice == PAULIMPI_ROWS_BLOCKS) {
        wish->n_wanted = 2 * count_blocks(options, n_qubits, n_ranks);
    }
    if (allocate(wish, n_qubits) != PAULIMPI_SUCCESS) {
        return PAULIMPI_ERR_MEMORY;
    }
    if (wish->choice == PAULIMPI_ROWS_BLOCKS) {
        want_blocks(wish, options, n_qubits, n_ranks);
    }
    for (i = 0; i < options->n_rows; i++) {
        take_row(options, i, n,
                 wish->excluded != NULL ? wish->excluded
                                        : wish->wanted + i * 2 * n);
    }
    return PAULIMPI_SUCCESS;
}

void
paulimpi__wish_free(paulimpi__wish *wish)
{
    paulimpi__span_free(&wish->known);
    paulimpi__free(wish->left);
    paulimpi__free(wish->excluded);
    paulimpi__free(wish->wanted);
    memset(wish, 0, sizeof *wish);
}

int
paulimpi__wish_exclude(const paulimpi__wish *wish, paulimpi__stretch *stretch)
{
    return wish->excluded == NULL
               ? PAULIMPI_SUCCESS
               : paulimpi__stretch_exclude(stretch, wish->excluded);
}

/* Take the last of n_left functions that are not 0 on a string out, and add it
 * to the others: they are 0 on it then. How many are left. */
static int64_t
leave_out(paulimpi__wish *wish, int64_t n_left, const uint64_t *key)
{
    int64_t n = 2 * wish->n_words;
    const uint64_t *last = NULL;
    int64_t i, w;

    for (i = n_left - 1; i >= 0; i--) {
        uint64_t *function = wish->left + i * n;

        if (paulimpi__product(function, key, n)) {
            last = last == NULL ? function : last;
            for (w = 0; w < n && function != last; w++) {
                function[w] ^= last[w];
            }
        }
    }
    if (last == NULL) {
        return n_left;
    }
    i = (last - wish->left) / n;
    memmove(wish->left + i * n, last + n,
            (size_t)((n_left - i - 1) * n) * sizeof *last);
    return n_left - 1;
}

/* Leave the sums of wanted functions that are 0 on a stretch; those that are
 * themselves stay as they are. How many there are. */
static int64_t
leave_vanishing(paulimpi__wish *wish, const paulimpi__stretch *stretch)
{
    int64_t n = 2 * wish->n_words;
    int64_t n_left = wish->n_wanted;
    int64_t i;

    memcpy(wish->left, wish->wanted,
           (size_t)(n_left * n) * sizeof *wish->left);
    for (i = 0; i < stretch->n_generators; i++) {
        n_left = leave_out(wish, n_left, stretch->generator + i * n);
    }
    return n_left;
}

/* Whether a function may stay: it is 0 on the stretch, and no sum of those
 * before it. */
static int
may_stay(const paulimpi__wish *wish, const paulimpi__stretch *stretch,
         const uint64_t *function)
{
    return paulimpi__stretch_vanishes(stretch, function)
           && paulimpi__span_is_new(&wish->known, function);
}

/* The highest bits of the shard's number, which tell most about the rank, are
 * for wanted functions. */
static int
draw_wanted(paulimpi__wish *wish, const paulimpi__stretch *stretch,
            paulimpi__shares *shares, uint64_t *draw)
{
    int64_t n = 2 * wish->n_words;
    size_t bytes = (size_t)n * sizeof *wish->left;
    int64_t n_left = leave_vanishing(wish, stretch);
    int bit = shares->log2_shards;
    int n_new = 0;
    int64_t i;

    paulimpi__span_clear(&wish->known);
    for (i = 0; i < n_left && bit > 0; i++) {
        const uint64_t *left = wish->left + i * n;

        if (paulimpi__span_is_new(&wish->known, left)) {
            uint64_t *function = shares->function + --bit * n;

            n_new += memcmp(function, left, bytes) != 0;
            memcpy(function, left, bytes);
            paulimpi__span_add(&wish->known, left);
        }
    }
    while (bit > 0) {
        uint64_t *function = shares->function + --bit * n;

        if (!may_stay(wish, stretch, function)) {
            paulimpi__span_draw(&stretch->span, (*draw)++, function);
            n_new++;
        }
        paulimpi__span_add(&wish->known, function);
    }
    return n_new;
}

int
paulimpi__wish_draw(paulimpi__wish *wish, const paulimpi__stretch *stretch,
                    paulimpi__shares *shares, uint64_t *draw)
{
    return wish->n_wanted > 0 ? draw_wanted(wish, stretch, shares, draw)
                              : paulimpi__stretch_draw(stretch, shares, draw);
}
