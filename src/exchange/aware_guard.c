/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Coming back from a function that touches memory that it must not.
 */
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "exchange/awareness.h"

/* Signals go to the thread that caused them: each has its own way back. */
static _Thread_local sigjmp_buf way_back;
static _Thread_local volatile sig_atomic_t is_inside;

static struct sigaction old_segv;
static struct sigaction old_bus;

/* A fault of another thread is none of ours: with what was there before, it
 * happens again as soon as the handler returns. */
static void catch (int number)
{
    if (is_inside) {
        is_inside = 0;
        siglongjmp(way_back, 1);
    }
    sigaction(number, number == SIGSEGV ? &old_segv : &old_bus, NULL);
}

int
paulimpi__guarded(void (*function)(void *data), void *data)
{
    struct sigaction action;
    volatile int was_caught = 1;

    memset(&action, 0, sizeof action);
    action.sa_handler = catch;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &old_segv);
    sigaction(SIGBUS, &action, &old_bus);
    if (sigsetjmp(way_back, 1) == 0) {
        is_inside = 1;
        function(data);
        was_caught = 0;
    }
    is_inside = 0;
    sigaction(SIGSEGV, &old_segv, NULL);
    sigaction(SIGBUS, &old_bus, NULL);
    return was_caught;
}
