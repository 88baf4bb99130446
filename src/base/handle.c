/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks of handles; in debug builds against a table of those that live.
 */
#include "base/base.h"

#ifdef PAULIMPI_DEBUG

#include <pthread.h>
#include <stdint.h>

static const char *const kind_name[] = {
    [PAULIMPI__HANDLE_CONTEXT] = "context",
    [PAULIMPI__HANDLE_PAULI] = "Pauli string",
    [PAULIMPI__HANDLE_SUM] = "sum",
    [PAULIMPI__HANDLE_CIRCUIT] = "circuit",
    [PAULIMPI__HANDLE_PLAN] = "plan",
    [PAULIMPI__HANDLE_BUFFER] = "buffer",
    [PAULIMPI__HANDLE_COUNTER] = "counter",
    [PAULIMPI__HANDLE_BUDGET] = "budget",
    [PAULIMPI__HANDLE_SEGMENT] = "segment",
};

enum { N_CHAINS = 1024 };

typedef struct entry {
    const void *handle;
    paulimpi__handle_kind kind;
    struct entry *next;
} entry;

static entry *chain[N_CHAINS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static entry **
chain_of(const void *handle)
{
    /* The lowest bits are those of the alignment. */
    return &chain[((uintptr_t)handle >> 5) % N_CHAINS];
}

/* The link that leads to a handle, or to the end of its chain. */
static entry **
link_to(const void *handle)
{
    entry **link = chain_of(handle);

    while (*link != NULL && (*link)->handle != handle) {
        link = &(*link)->next;
    }
    return link;
}

int
paulimpi__handle_enter(const void *handle, paulimpi__handle_kind kind)
{
    entry *made = paulimpi__alloc(1, sizeof *made);
    entry **head = chain_of(handle);

    if (made == NULL) {
        return paulimpi__no_memory("table of live handles", sizeof *made);
    }
    pthread_mutex_lock(&lock);
    *made = (entry){ handle, kind, *head };
    *head = made;
    pthread_mutex_unlock(&lock);
    return PAULIMPI_SUCCESS;
}

void
paulimpi__handle_leave(const void *handle)
{
    entry **link, *gone;

    pthread_mutex_lock(&lock);
    link = link_to(handle);
    gone = *link;
    if (gone != NULL) {
        *link = gone->next;
    }
    pthread_mutex_unlock(&lock);
    paulimpi__free(gone);
}

static int
is_live(const void *handle, paulimpi__handle_kind kind)
{
    const entry *found;
    int answer;

    pthread_mutex_lock(&lock);
    found = *link_to(handle);
    answer = found != NULL && found->kind == kind;
    pthread_mutex_unlock(&lock);
    return answer;
}

int
paulimpi__handle_check(const void *handle, paulimpi__handle_kind kind,
                       const char *function, const char *argument)
{
    if (handle == NULL) {
        return paulimpi__null(function, argument);
    }
    if (!is_live(handle, kind)) {
        return paulimpi__error(PAULIMPI_ERR_STATE, "%s: %s is not a live %s",
                               function, argument, kind_name[kind]);
    }
    return PAULIMPI_SUCCESS;
}

#else

int
paulimpi__handle_enter(const void *handle, paulimpi__handle_kind kind)
{
    (void)handle;
    (void)kind;
    return PAULIMPI_SUCCESS;
}

void
paulimpi__handle_leave(const void *handle)
{
    (void)handle;
}

int
paulimpi__handle_check(const void *handle, paulimpi__handle_kind kind,
                       const char *function, const char *argument)
{
    (void)kind;
    return handle == NULL ? paulimpi__null(function, argument)
                          : PAULIMPI_SUCCESS;
}

#endif
