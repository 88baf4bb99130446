/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Status codes, error texts and the conventions that all functions share.
 */
#ifndef PAULIMPI_STATUS_H
#define PAULIMPI_STATUS_H

#include <stdint.h>

#include "paulimpi/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Errors
 *
 * A function that can fail returns PAULIMPI_SUCCESS or a negative code. The
 * code tells what kind of failure it was; the sentence of
 * paulimpi_last_error() tells which argument, its value, the cause below, the
 * rank on which it began, and what to try:
 *
 *     if (paulimpi_sum_add_text(sum, "Z62", 1.0) != PAULIMPI_SUCCESS) {
 *         fprintf(stderr, "%s\n", paulimpi_last_error());
 *     }
 *
 * A function that fails leaves its objects as they were, unless its own
 * description says otherwise, and writes no output except a handle, which is
 * NULL. The library never prints unless PAULIMPI_LOG asks for it, and never
 * ends the process.
 *
 * Every function is marked Local (no communication) or Collective (called by
 * all ranks of the context, in the same order; it fails on all or on none).
 *
 * Numbers of codes are never reused.
 */
enum {
    PAULIMPI_SUCCESS = 0,
    PAULIMPI_ERR_ARGUMENT = -1,    /**< NULL, out of range, not a number */
    PAULIMPI_ERR_STATE = -2,       /**< not now: wrong order, dead handle */
    PAULIMPI_ERR_MEMORY = -3,      /**< no memory, or over the limit */
    PAULIMPI_ERR_RANGE = -4,       /**< a size or count would overflow */
    PAULIMPI_ERR_MISMATCH = -5,    /**< objects that do not fit together */
    PAULIMPI_ERR_UNSUPPORTED = -6, /**< valid, but not offered here */
    PAULIMPI_ERR_SYNTAX = -7,      /**< a text that cannot be understood */
    PAULIMPI_ERR_IO = -8,          /**< a file could not be read or written */
    PAULIMPI_ERR_MPI = -9,         /**< an MPI call failed */
    PAULIMPI_ERR_REMOTE = -10,     /**< another rank failed */
    PAULIMPI_ERR_CANCELLED = -11,  /**< a callback asked to stop */
    PAULIMPI_ERR_VERSION = -12,    /**< another version than compiled for */
    PAULIMPI_ERR_INTERNAL = -13,   /**< a bug in the library: report it */
    PAULIMPI_ERR_DEVICE = -14,     /**< a call of the GPU's runtime failed */
    PAULIMPI_ERR_OVERLAP = -15,    /**< memory that would be used twice */
    PAULIMPI_ERR_TIMEOUT = -16     /**< another rank did not answer in time */
};

/** No limit: for every option that takes a largest number. */
#define PAULIMPI_UNLIMITED INT64_MAX

/** Let the library choose: for the options that say so. */
#define PAULIMPI_AUTOMATIC (-1)

/**
 * Describe a code in a few words. Local.
 *
 * @return constant English text; never NULL, also for unknown codes
 */
PAULIMPI_API const char *paulimpi_strerror(int code);

/**
 * Spell a code: "PAULIMPI_ERR_MEMORY". Local.
 *
 * @return constant text; "PAULIMPI_ERR_?" for unknown codes, never NULL
 */
PAULIMPI_API const char *paulimpi_error_name(int code);

/**
 * Tell what went wrong last in this thread, in a full sentence. Local.
 *
 * @return text that lives until the next failure in this thread; "" if
 *         nothing has failed yet; never NULL
 */
PAULIMPI_API const char *paulimpi_last_error(void);

/**
 * Free a text that the library allocated and forget it. Local. NULL and a
 * pointer that is NULL are fine.
 */
PAULIMPI_API void paulimpi_text_destroy(char **text_p);

#ifdef __cplusplus
}
#endif

#endif /* PAULIMPI_STATUS_H */
