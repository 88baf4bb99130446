/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A small TAP library. A test is a list of facts:
 *
 *     int
 *     main(void)
 *     {
 *         tap_ok(1 + 1 == 2, "one and one make two");
 *         tap_is_int(strlen("abc"), 3, "abc has three letters");
 *         return tap_done();
 *     }
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdint.h>

#if defined(__GNUC__)
#define TAP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TAP_PRINTF(format, first)
#endif

/* Each check prints one line, with a diagnosis below if it fails, and returns
 * whether it held. */
int tap_ok(int condition, const char *fact, ...) TAP_PRINTF(2, 3);
int tap_is_int(int64_t got, int64_t want, const char *fact, ...)
    TAP_PRINTF(3, 4);
/* |got - want| <= tolerance; false for NaN. */
int tap_is_near(double got, double want, double tolerance, const char *fact,
                ...) TAP_PRINTF(4, 5);
/* The same bits; 0 and -0 differ, one NaN is another. */
int tap_is_bits(double got, double want, const char *fact, ...)
    TAP_PRINTF(3, 4);
int tap_is_text(const char *got, const char *want, const char *fact, ...)
    TAP_PRINTF(3, 4);
/* part stands somewhere in text. */
int tap_contains(const char *text, const char *part, const char *fact, ...)
    TAP_PRINTF(3, 4);
/* A status of the library; the diagnosis shows the last error. */
int tap_is_status(int got, int want, const char *fact, ...) TAP_PRINTF(3, 4);

/* A line of diagnosis. */
void tap_note(const char *format, ...) TAP_PRINTF(1, 2);
/* The whole program is of no use here, for this reason; does not return. */
void tap_skip_all(const char *reason);
/* Nothing more can be tested; does not return. */
void tap_bail(const char *format, ...) TAP_PRINTF(1, 2);
/* Print the plan; the exit status of main. */
int tap_done(void);

#endif /* TESTS_TAP_H */
