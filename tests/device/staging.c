/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pool of memory that copies pass through.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "device/device.h"
#include "tap/tap.h"

enum { KIB = 1024, LIMIT = 64 * KIB };

/* Bytes of all blocks of the pool. */
static int64_t
pool_bytes(void)
{
    int64_t bytes = -1;

    paulimpi_staging_memory(&bytes, NULL);
    return bytes;
}

static int64_t
pool_limit(void)
{
    int64_t limit = -1;

    paulimpi_staging_memory(NULL, &limit);
    return limit;
}

static void
check_classes(void)
{
    char *small = paulimpi__staging_take(1);
    char *big = paulimpi__staging_take(4097);
    char *again;

    tap_ok(small != NULL && big != NULL, "blocks are given");
    tap_is_int(pool_bytes(), 12 * KIB,
               "their sizes are powers of two from 4 KiB up");
    memset(small, 1, 4 * KIB);
    memset(big, 2, 8 * KIB);
    paulimpi__staging_give(small);
    again = paulimpi__staging_take(4096);
    tap_ok(again == small, "a block is used again");
    tap_is_int(big[8 * KIB - 1], 2, "and is not part of another");
    paulimpi__staging_give(again);
    paulimpi__staging_give(big);
    paulimpi__staging_give(NULL);
    tap_is_int(pool_bytes(), 12 * KIB, "blocks are kept");
    paulimpi__alloc_fail_at(1);
    again = paulimpi__staging_take(5000);
    paulimpi__alloc_fail_at(0);
    tap_ok(again == big, "nothing is allocated where a block is left");
    paulimpi_staging_trim();
    tap_is_int(pool_bytes(), 8 * KIB, "a block in use is not freed");
    paulimpi__staging_give(big);
    paulimpi_staging_trim();
    tap_is_int(pool_bytes(), 0, "all others are");
}

static void
check_limit(void)
{
    void *block[16];
    void *more;
    int i;

    tap_is_int(pool_limit(), LIMIT, "PAULIMPI_STAGING_MAX is the limit");
    more = paulimpi__staging_take(LIMIT);
    tap_ok(more != NULL, "it may be reached");
    paulimpi__staging_give(more);
    tap_ok(paulimpi__staging_take(LIMIT + 1) == NULL, "but not passed");
    tap_contains(paulimpi_last_error(), "PAULIMPI_STAGING_MAX",
                 "the sentence names the variable");
    for (i = 0; i < 16; i++) {
        block[i] = paulimpi__staging_take(4096);
    }
    tap_ok(block[15] != NULL, "what was kept makes room for other sizes");
    tap_is_int(pool_bytes(), LIMIT, "the limit is respected exactly");
    tap_ok(paulimpi__staging_take(1) == NULL, "then there is no more");
    paulimpi__staging_give(block[3]);
    more = paulimpi__staging_take(1);
    tap_ok(more == block[3], "until something is given back");
    for (i = 0; i < 16; i++) {
        paulimpi__staging_give(block[i]);
    }
    tap_ok(paulimpi__staging_take(SIZE_MAX) == NULL,
           "no size is too large to be refused");
    paulimpi_staging_trim();
}

/* A program changes the limit, and gives memory back. */
static void
check_settings(void)
{
    void *one = paulimpi__staging_take(16 * KIB);
    void *two = paulimpi__staging_take(16 * KIB);

    tap_is_status(paulimpi_staging_set_limit(-1), PAULIMPI_ERR_ARGUMENT,
                  "a limit is not negative");
    tap_is_int(pool_limit(), LIMIT, "it stays then");
    paulimpi__staging_give(two);
    tap_is_status(paulimpi_staging_set_limit(20 * KIB), PAULIMPI_SUCCESS,
                  "a lower limit");
    tap_is_int(pool_bytes(), 16 * KIB, "takes blocks that are idle");
    tap_ok(paulimpi__staging_take(8 * KIB) == NULL, "and holds");
    tap_is_status(paulimpi_staging_set_limit(0), PAULIMPI_SUCCESS, "none");
    tap_is_int(pool_bytes(), 16 * KIB, "leaves blocks in use");
    tap_is_status(paulimpi_staging_set_limit(PAULIMPI_UNLIMITED),
                  PAULIMPI_SUCCESS, "no limit");
    two = paulimpi__staging_take(2 * LIMIT);
    tap_ok(two != NULL, "gives more");
    paulimpi__staging_give(one);
    paulimpi__staging_give(two);
    tap_is_int(paulimpi_staging_trim(), 16 * KIB + 2 * LIMIT,
               "what is given back is counted");
    tap_is_int(paulimpi_staging_trim(), 0, "once");
    tap_is_status(paulimpi_staging_memory(NULL, NULL), PAULIMPI_SUCCESS,
                  "nothing need be asked");
    paulimpi_staging_set_limit(LIMIT);
}

static void
check_no_memory(void)
{
    void *block = NULL;
    int n;

    for (n = 1; block == NULL && n < 10; n++) {
        paulimpi__alloc_fail_at(n);
        block = paulimpi__staging_take(1);
        paulimpi__alloc_fail_at(0);
        tap_ok(block != NULL || pool_bytes() == 0, "allocation %d may fail",
               n);
    }
    tap_ok(n > 3 && block != NULL, "there are at least two of them");
    paulimpi__staging_give(block);
    paulimpi_staging_trim();
}

/* A limit that is none: the variable is read once, so this is a process of its
 * own. */
static void
check_bad_limit(void)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        setenv("PAULIMPI_STAGING_MAX", "much", 1);
        _exit(paulimpi__staging_take(1) == NULL
                      && paulimpi__staging_take(1) == NULL
                      && paulimpi_staging_memory(NULL, NULL)
                             == PAULIMPI_ERR_ARGUMENT
                      && strstr(paulimpi_last_error(), "\"much\"") != NULL
                      && paulimpi_staging_set_limit(LIMIT) == PAULIMPI_SUCCESS
                      && paulimpi__staging_take(1) != NULL
                  ? 0
                  : 1);
    }
    waitpid(child, &status, 0);
    tap_is_int(status, 0,
               "a limit that is no number is refused until there is another");
}

int
main(void)
{
    check_bad_limit();
    setenv("PAULIMPI_STAGING_MAX", "65536", 1);
    check_classes();
    check_limit();
    check_settings();
    check_no_memory();
    return tap_done();
}
