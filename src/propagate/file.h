/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files of terms, with or without the state of a propagation.
 *
 * The first 512 bytes are a text, the head. It says where in the file the words
 * x and z and the coefficients of the terms lie, a term after the other, and
 * is checked to the last byte; so whatever wrote the rest, reading is the same,
 * and needs no library. The rest is an HDF5 file, for which the head is a "user
 * block"; or, without HDF5, nothing but the arrays.
 *
 * All of this is collective over the ranks of a context.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_FILE_H
#define PAULIMPI_SRC_PROPAGATE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "propagate/sum.h"

/* What is written. */

enum { PAULIMPI__HEAD_BYTES = 512, PAULIMPI__HEAD_VERSION = 1 };

typedef struct {
    int is_hdf5;
    int64_t n_qubits;
    int64_t n_terms;
    int64_t bytes; /* of the file */
    /* Where the arrays begin, in bytes from the beginning of the file. */
    int64_t x, z, coefficient, state;
    int64_t n_state;         /* words */
    uint64_t fingerprint;    /* of the terms */
    uint64_t state_checksum; /* of the state */
} paulimpi__head;

/* A number of the state by its name, for people who look into the file. */
typedef struct {
    const char *name;
    int is_real;
    int64_t count;
    double real;
} paulimpi__note;

typedef struct {
    const char *function; /* names the caller in sentences */
    const char *path;
    int is_hdf5;
    /* The state of a propagation, that of rank 0, and NULL and 0 without one;
     * its size and the notes are the same on all ranks. */
    const uint64_t *state;
    int64_t n_state;
    const paulimpi__note *notes;
    int n_notes;
    int is_copied; /* every rank has all terms: those of rank 0 are written */
} paulimpi__file;

/** Whether the ending of a name asks for HDF5. */
int paulimpi__file_is_hdf5(const char *path);

/** Write a sum and a state. The file appears whole or not at all. */
int paulimpi__file_write(const paulimpi__file *file, const paulimpi_sum *sum);

/* What is read. */

typedef struct {
    const char *function;
    const char *path;
    int fd;
    paulimpi__head head;
} paulimpi__file_input;

/** Whether a file begins like one of these, which an HDF5 file of others does
 * not: 1, 0 if it is another or cannot be read. Local. */
int paulimpi__file_is_ours(const char *path);

/** Open a file and check its head. To be closed in any case. */
int paulimpi__file_open(paulimpi__file_input *in, paulimpi_context *ctx);
void paulimpi__file_close(paulimpi__file_input *in);

/** Read the state, head.n_state words. */
int paulimpi__file_read_state(const paulimpi__file_input *in,
                              paulimpi_context *ctx, uint64_t *state);

/** Make a sum of the terms. */
int paulimpi__file_read_terms(const paulimpi__file_input *in,
                              paulimpi_context *ctx, paulimpi_sum **sum_p);

/** Give two sums on the same context each other's terms. */
void paulimpi__sum_swap(paulimpi_sum *a, paulimpi_sum *b);

/* The parts that these are made of. */

/** 64 bits mixed to 64 bits. */
static inline uint64_t
paulimpi__mix(uint64_t word)
{
    word += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 32) * UINT64_C(0xd6e8feb86659fd93);
    word = (word ^ word >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return word ^ word >> 32;
}

/** Words to be mixed into a checksum, which begins as 0. */
static inline uint64_t
paulimpi__checksum(uint64_t checksum, const uint64_t *word, int64_t n)
{
    int64_t i;

    for (i = 0; i < n; i++) {
        checksum = paulimpi__mix(checksum ^ word[i]);
    }
    return checksum;
}

/* Some terms as they stand in files: row by row. */
typedef struct {
    int64_t n;
    int64_t most;
    int64_t n_words;
    uint64_t *x, *z;
    double *coefficient;
} paulimpi__rows;

/** Room for as many rows as a piece of a file has, with a sentence or not. */
int paulimpi__rows_alloc(paulimpi__rows *rows, const char *function,
                         int64_t n_words);
void paulimpi__rows_free(paulimpi__rows *rows);
/** The checksums of the rows, added up: what does not depend on their order. */
uint64_t paulimpi__rows_fingerprint(const paulimpi__rows *rows);

/* A place in a store. Start with the store and zeros. */
typedef struct {
    const paulimpi__store *store;
    int64_t bucket;
    const paulimpi__block *block; /* NULL: the bucket's first one is next */
    int term;                     /* of the block */
    int64_t rest;                 /* terms of the bucket from there on */
} paulimpi__cursor;

/** The next rows, as many as there is room for if there are so many. */
void paulimpi__rows_fill(paulimpi__rows *rows, paulimpi__cursor *cursor);

/** Their fingerprint, of all terms of a store. */
int paulimpi__store_fingerprint(const paulimpi__store *store,
                                const char *function, uint64_t *print_p);

/** Write a head as text, 0 bytes behind it. */
void paulimpi__head_format(const paulimpi__head *head,
                           char text[PAULIMPI__HEAD_BYTES]);
/** Read one. The reason why it is none, or NULL. */
const char *paulimpi__head_parse(const char text[PAULIMPI__HEAD_BYTES],
                                 int64_t file_bytes, paulimpi__head *head);

/* A file that is being written beside the name that it will have. */
typedef struct {
    const char *function;
    const char *path;
    char *name; /* the file beside it, or NULL if path is written to */
    int fd;
} paulimpi__output;

/** Open it; what is no file, a device or pipe, is opened itself. */
int paulimpi__output_open(paulimpi__output *out, const char *function,
                          const char *path);
/** Write at a place, or where the last one ended for at = -1. */
int paulimpi__output_write(const paulimpi__output *out, int64_t at,
                           const void *data, size_t bytes);
/** After success bring it to the disk and give it its name, else take it away.
 * Returns rc, or its own failure. */
int paulimpi__output_close(paulimpi__output *out, int rc);
/** The sentence for errno. */
int paulimpi__output_fail(const paulimpi__output *out);

/* What a rank brings to a file. */
typedef struct {
    int64_t n_terms;
    uint64_t print; /* their fingerprint */
} paulimpi__share;

/* A file that is being written piece by piece. */
typedef struct {
    const paulimpi__file *file;
    paulimpi_context *ctx;
    const paulimpi__store *store;
    paulimpi__share *shares; /* of all ranks */
    paulimpi__rows rows;     /* room for a piece */
    int is_parallel;         /* all ranks write, not only rank 0 */
    paulimpi__output out;    /* of rank 0 */
    char *name;              /* of the file beside the one to be */
    paulimpi__head head;
    void *body; /* the format's */
} paulimpi__writing;

/* How the part behind the head is written. */
typedef struct {
    /** Make a file of the arrays that the head and the state ask for, and write
     * the state. */
    int (*create)(paulimpi__writing *w);
    /** Write the rows of the piece, from number first on, which are of no more
     * use afterwards. */
    int (*put)(paulimpi__writing *w, int64_t first);
    /** Close the file, also after a failure, and complete the head. */
    int (*finish)(paulimpi__writing *w);
    /** Whether several ranks may put rows at once. */
    int is_parallel;
} paulimpi__format;

extern const paulimpi__format paulimpi__format_plain;
/* NULL where the library has no HDF5. */
extern const paulimpi__format *const paulimpi__format_hdf5;

/** Files hold their numbers with the lowest byte first. */
static inline void
paulimpi__swap_words(void *words, size_t n)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    uint64_t *word = words;
    size_t i;

    for (i = 0; i < n; i++) {
        word[i] = __builtin_bswap64(word[i]);
    }
#else
    (void)words;
    (void)n;
#endif
}

#endif /* PAULIMPI_SRC_PROPAGATE_FILE_H */
