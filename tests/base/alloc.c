/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checked allocation and the hook that makes it fail.
 */
#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "tap/tap.h"

enum { N_THREADS = 4, PER_THREAD = 1000 };

static void
test_ordinary(void)
{
    char *memory, *copy;

    paulimpi__free(NULL);
    tap_ok(1, "freeing nothing is fine");

    memory = paulimpi__alloc(0, 8);
    tap_ok(memory != NULL, "no bytes are not a failure");
    memory = paulimpi__realloc(memory, 3, 2);
    tap_ok(memory != NULL, "memory can grow");
    memcpy(memory, "hello", 6);
    copy = paulimpi__strdup(memory);
    tap_is_text(copy, "hello", "a text can be copied");
    paulimpi__free(copy);
    paulimpi__free(memory);

    memory = paulimpi__alloc_zero(4, 4);
    tap_ok(memory != NULL && memory[0] == 0
               && memcmp(memory, memory + 1, 15) == 0,
           "zeroed memory is zero");
    paulimpi__free(memory);

    memory = paulimpi__alloc_aligned(64, 5, 3);
    tap_ok(memory != NULL && (uintptr_t)memory % 64 == 0,
           "aligned memory is aligned");
    paulimpi__free(memory);
}

static void
test_pages(void)
{
    enum { N_PAGES = 3 };
    char *memory = paulimpi__pages_alloc(N_PAGES);
    char *last = memory + (size_t)N_PAGES * PAULIMPI__PAGE - 1;

    tap_ok(memory != NULL && (uintptr_t)memory % PAULIMPI__PAGE == 0,
           "pages are aligned");
    tap_ok(memory[0] == 0 && *last == 0, "and zero");
    memory[0] = 1;
    *last = 2;
    tap_ok(memory[0] == 1 && *last == 2, "they can be written to the end");
    paulimpi__pages_free(memory, N_PAGES);
    tap_ok(paulimpi__pages_alloc(SIZE_MAX / PAULIMPI__PAGE) == NULL
               && paulimpi__pages_alloc(SIZE_MAX / 2) == NULL,
           "more pages than there are addresses are refused");
    tap_ok(paulimpi__pages_alloc((size_t)1 << 40) == NULL,
           "more than the system has, too");
    paulimpi__alloc_fail_at(1);
    tap_ok(paulimpi__pages_alloc(1) == NULL, "pages can fail");
}

static void
test_overflow(void)
{
    char *memory = paulimpi__alloc(4, 1);

    tap_ok(paulimpi__alloc(SIZE_MAX / 2, 3) == NULL,
           "a product that overflows is refused");
    tap_ok(paulimpi__alloc_zero(SIZE_MAX / 2, 3) == NULL, "also zeroed");
    tap_ok(paulimpi__alloc_aligned(64, SIZE_MAX / 2, 3) == NULL,
           "also aligned");
    tap_ok(paulimpi__realloc(memory, SIZE_MAX / 2, 3) == NULL,
           "also when it grows, and the old memory stays");
    tap_ok(paulimpi__alloc(SIZE_MAX, 1) == NULL,
           "more than any object can have is refused");
    paulimpi__free(memory);
}

static int
works(void)
{
    void *memory = paulimpi__alloc(1, 1);

    paulimpi__free(memory);
    return memory != NULL;
}

static void
test_hook(void)
{
    char *memory = paulimpi__alloc(1, 1);

    paulimpi__alloc_fail_at(3);
    tap_ok(works() && works() && !works() && works(),
           "the third allocation fails and no other");
    paulimpi__alloc_fail_at(1);
    tap_ok(paulimpi__alloc_zero(1, 1) == NULL, "zeroed memory can fail");
    paulimpi__alloc_fail_at(1);
    tap_ok(paulimpi__alloc_aligned(64, 1, 1) == NULL, "aligned memory too");
    paulimpi__alloc_fail_at(1);
    tap_ok(paulimpi__realloc(memory, 2, 1) == NULL, "growth too");
    paulimpi__alloc_fail_at(1);
    tap_ok(paulimpi__strdup("a") == NULL, "a copy of a text too");
    paulimpi__alloc_fail_at(1);
    paulimpi__alloc_fail_at(0);
    tap_ok(works(), "the hook can be taken away");
    paulimpi__free(memory);
}

static void *
count_failures(void *n_failures)
{
    int i;

    for (i = 0; i < PER_THREAD; i++) {
        *(int *)n_failures += !works();
    }
    return NULL;
}

static void
test_threads(void)
{
    pthread_t thread[N_THREADS];
    int n_failures[N_THREADS] = { 0 };
    int total = 0;
    int i;

    paulimpi__alloc_fail_at(PER_THREAD);
    for (i = 0; i < N_THREADS; i++) {
        pthread_create(&thread[i], NULL, count_failures, &n_failures[i]);
    }
    for (i = 0; i < N_THREADS; i++) {
        pthread_join(thread[i], NULL);
        total += n_failures[i];
    }
    tap_is_int(total, 1, "one allocation of one thread fails");
}

int
main(void)
{
    test_ordinary();
    test_pages();
    test_overflow();
    test_hook();
    test_threads();
    return tap_done();
}
