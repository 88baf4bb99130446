/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The face of the base module: errors, memory, logging, environment,
 * processor, bits, random numbers, exact sums, live handles.
 */
#ifndef PAULIMPI_SRC_BASE_H
#define PAULIMPI_SRC_BASE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "paulimpi/status.h"

/* Errors.
 *
 * The function that finds out what kind of error it is says so, once:
 *
 *     return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
 *                            "paulimpi_pauli_create: n_qubits is %" PRId64
 *                            ", but must be at least 1", n_qubits);
 *
 * Callers only hand the code on. */
#if defined(__GNUC__)
#define PAULIMPI__PRINTF(text, first)                                         \
    __attribute__((format(printf, text, first)))
#else
#define PAULIMPI__PRINTF(format, first)
#endif

/** Room for a sentence and its NUL; what does not fit is cut. */
enum { PAULIMPI__ERROR_TEXT = 2048 };

/** Keep the sentence as this thread's last error, log it at level info, and
 * return code. */
int paulimpi__error(int code, const char *format, ...) PAULIMPI__PRINTF(2, 3);

/** The sentence for a NULL argument: "FUNCTION: ARGUMENT is NULL". */
int paulimpi__null(const char *function, const char *argument);

/** The sentence for an allocation of bytes that failed, or SIZE_MAX bytes for
 * a size that overflowed. */
int paulimpi__no_memory(const char *function, size_t bytes);

/** Replace the last error's text by one that came from another rank. */
void paulimpi__error_set_text(const char *text);

/* Memory.
 *
 * Each returns NULL on failure and sets no error. Sizes are multiplied with a
 * check. paulimpi__alloc_fail_at(n) makes the n-th allocation from now on fail
 * (1: the next), in whichever thread it happens, and all others succeed; 0
 * turns that off. */
void *paulimpi__alloc(size_t count, size_t size);
void *paulimpi__alloc_zero(size_t count, size_t size);
void *paulimpi__alloc_aligned(size_t alignment, size_t count, size_t size);
void *paulimpi__realloc(void *old, size_t count, size_t size);
char *paulimpi__strdup(const char *text);
void paulimpi__free(void *memory); /* whatever the functions above returned */

/** Whole pages, all 0, which cost address space until they are used; large ones
 * where there are such. n pages of PAULIMPI__PAGE bytes, freed by their number.
 */
enum { PAULIMPI__PAGE = 1 << 21 };
void *paulimpi__pages_alloc(size_t n);
void paulimpi__pages_free(void *memory, size_t n);

void paulimpi__alloc_fail_at(int64_t n);

/* A text that grows. Start from PAULIMPI__TEXT_INIT; on failure the text is
 * freed and length is SIZE_MAX, and later calls do nothing, so that only the
 * end needs a check. */
typedef struct {
    char *data; /* NULL or NUL-terminated */
    size_t length;
    size_t capacity;
} paulimpi__text;
#define PAULIMPI__TEXT_INIT                                                   \
    {                                                                         \
        NULL, 0, 0                                                            \
    }

void paulimpi__text_append(paulimpi__text *text, const char *format, ...)
    PAULIMPI__PRINTF(2, 3);
/** Give the text away ("" if nothing was appended), or NULL if it failed. */
char *paulimpi__text_take(paulimpi__text *text);

/** Read a whole file, or standard input for "-", into a NUL-terminated text.
 * A text with a NUL byte, a folder, or more than most bytes: PAULIMPI_ERR_IO
 * and a sentence. function names the caller in it. */
int paulimpi__read_file(const char *function, const char *path, size_t most,
                        char **text_p, size_t *length_p);

/* Logging to standard error, only if PAULIMPI_LOG says so: none (the default),
 * error, warn, info or debug. */
enum {
    PAULIMPI__LOG_NONE,
    PAULIMPI__LOG_ERROR,
    PAULIMPI__LOG_WARN,
    PAULIMPI__LOG_INFO,
    PAULIMPI__LOG_DEBUG
};
void paulimpi__log(int level, const char *format, ...) PAULIMPI__PRINTF(2, 3);
int paulimpi__log_level(void);

/* Environment. */

/** Read an integer from lowest to highest. *value_p stays where the variable
 * is not set or empty; PAULIMPI_ERR_ARGUMENT for anything else. */
int paulimpi__env_int64(const char *name, int64_t lowest, int64_t highest,
                        int64_t *value_p);

/* What the processor can do, from what every processor can that the compiler
 * was told of; a level includes those below it. Functions are there for a level
 * only if configure found that the compiler has it. */
enum {
    PAULIMPI__SIMD_PORTABLE, /* called neon where it is that */
    PAULIMPI__SIMD_AVX2,     /* and BMI, BMI2, POPCNT */
    PAULIMPI__SIMD_AVX512,   /* F, BW, DQ, VL */
    PAULIMPI__SIMD_LEVELS
};
enum { PAULIMPI__SIMD_TEXT = 64 };

const char *paulimpi__simd_name(int level);
/** The best level of this processor. */
int paulimpi__simd_best(void);
/** The names of all levels of this processor, the best one first. */
void paulimpi__simd_list(char text[PAULIMPI__SIMD_TEXT]);
/** The level that PAULIMPI_SIMD names, or the best one if it names none; -1 if
 * this processor cannot do what it names. */
int paulimpi__simd_wanted(void);
/** The same; PAULIMPI_ERR_ARGUMENT and a sentence instead of -1. */
int paulimpi__simd_choose(int *level_p);

/* Numbers in texts, independent of the locale. */

/** Parse a decimal floating-point number with an optional exponent and no
 * sign at the start of text. Return the characters taken, 0 if there is no
 * number; overflow gives infinity. */
size_t paulimpi__parse_double(const char *text, double *value_p);

/** Write a double with 17 significant digits, with a point and no thousands
 * separator whatever the locale. */
enum { PAULIMPI__DOUBLE_TEXT = 32 };
void paulimpi__format_double(double value, char text[PAULIMPI__DOUBLE_TEXT]);

/* Bits. */
static inline int
paulimpi__popcount(uint64_t word)
{
    return __builtin_popcountll(word);
}

static inline int
paulimpi__parity(uint64_t word)
{
    return __builtin_parityll(word);
}

/** ceil(log2(n)) for n from 1 up. */
static inline int
paulimpi__log2_ceil(uint64_t n)
{
    return n <= 1 ? 0 : 64 - __builtin_clzll(n - 1);
}

/* Random numbers: four words of Philox4x32-10. */
void paulimpi__philox(const uint32_t counter[4], const uint32_t key[2],
                      uint32_t out[4]);

/** The number that a normal variable exceeds with probability tail, from
 * 2^-65 to 1/2: the inverse that paulimpi_random_normal() uses. */
double paulimpi__normal_quantile(double tail);

/* An exact sum of doubles: a fixed-point number wide enough for all of them,
 * so that the order of the additions does not matter and the result is rounded
 * once, to nearest-even. Infinities and NaN are kept apart and win. At most
 * 2^62 numbers may be added. Start from paulimpi__exact_clear(). */
enum { PAULIMPI__EXACT_LIMBS = 68 };
typedef struct {
    int64_t limb[PAULIMPI__EXACT_LIMBS]; /* of 32 bits, plus carries */
    int64_t pending;                     /* additions since the last carry */
    double special;                      /* 0, or an infinity, or NaN */
} paulimpi__exact;

void paulimpi__exact_clear(paulimpi__exact *sum);
void paulimpi__exact_add(paulimpi__exact *sum, double value);
/** Add another sum; exact. */
void paulimpi__exact_merge(paulimpi__exact *sum, const paulimpi__exact *other);
double paulimpi__exact_value(const paulimpi__exact *sum);

/* Exact sums of the magnitudes and of the squares of many small values, each
 * square rounded first: the same two sums as with paulimpi__exact_add() for
 * every value, but several times faster for values below a limit. What is
 * waiting here is not in the sums before paulimpi__bins_flush(). */
enum {
    PAULIMPI__BINS_BLOCK = 64, /* values that are taken at a time */
    PAULIMPI__BINS_LEVELS = 5  /* two for a magnitude, three for a square */
};
typedef struct {
    double bound;                          /* magnitudes below it fit */
    double shifter[PAULIMPI__BINS_LEVELS]; /* cuts a number at a level */
    double unit[PAULIMPI__BINS_LEVELS];    /* of the level's sum */
    int n_blocks;                          /* in the levels' sums */
    int n_waiting;                         /* values not in them yet */
    int64_t sum[PAULIMPI__BINS_LEVELS];    /* in units */
    double waiting[PAULIMPI__BINS_BLOCK];
} paulimpi__bins;

/** Start with nothing. Magnitudes from limit * 2^-47 up to the limit are fast,
 * all others are right, too. With the limit 0 those below 1 are fast. */
void paulimpi__bins_start(paulimpi__bins *bins, double limit);
/** Add n values; some may go to the sums at once. */
void paulimpi__bins_add(paulimpi__bins *bins, const double *value, int64_t n,
                        paulimpi__exact *norm1, paulimpi__exact *square);
/** Bring everything into the sums and start again with the same limit. */
void paulimpi__bins_flush(paulimpi__bins *bins, paulimpi__exact *norm1,
                          paulimpi__exact *square);

/* Live handles: in --enable-debug builds a table of every object that was made
 * and not destroyed, so that a foreign or dead handle is found out instead of
 * read. In other builds these cost nothing and check for NULL only. */
typedef enum {
    PAULIMPI__HANDLE_CONTEXT,
    PAULIMPI__HANDLE_PAULI,
    PAULIMPI__HANDLE_SUM,
    PAULIMPI__HANDLE_CIRCUIT,
    PAULIMPI__HANDLE_PLAN,
    PAULIMPI__HANDLE_BUFFER,
    PAULIMPI__HANDLE_COUNTER,
    PAULIMPI__HANDLE_BUDGET,
    PAULIMPI__HANDLE_SEGMENT
} paulimpi__handle_kind;

/** Enter a handle; PAULIMPI_ERR_MEMORY only in debug builds. */
int paulimpi__handle_enter(const void *handle, paulimpi__handle_kind kind);
void paulimpi__handle_leave(const void *handle);
/** 0, or PAULIMPI_ERR_ARGUMENT with "FUNCTION: ARGUMENT is NULL", or, in debug
 * builds, PAULIMPI_ERR_STATE with "... is not a live KIND". */
int paulimpi__handle_check(const void *handle, paulimpi__handle_kind kind,
                           const char *function, const char *argument);

/** Wall-clock seconds from an arbitrary start. */
double paulimpi__seconds(void);

/** Bytes of memory that this node can still give: MemAvailable, or what the
 * control group leaves if that is less; INT64_MAX where it cannot be told. */
int64_t paulimpi__available_memory(void);

/** The same as told by the files under another root than "", for tests. */
int64_t paulimpi__available_memory_under(const char *root);

#endif /* PAULIMPI_SRC_BASE_H */
