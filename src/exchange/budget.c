/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Budgets: what counters may have at most.
 */
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "comm/comm.h"
#include "exchange/account.h"

typedef struct {
    int is_all; /* phases together */
    char phase[PAULIMPI_PHASE_TEXT];
    int kind;
    int64_t most_events;
    int64_t most_bytes_each;
    int64_t most_bytes;
} allowance;

struct paulimpi_budget {
    int n;
    allowance *allowance;
};

int
paulimpi_budget_create(paulimpi_budget **budget_p)
{
    const char *const function = "paulimpi_budget_create";
    paulimpi_budget *budget;
    int rc;

    if (budget_p == NULL) {
        return paulimpi__null(function, "budget_p");
    }
    *budget_p = NULL;
    budget = paulimpi__alloc_zero(1, sizeof *budget);
    if (budget == NULL) {
        return paulimpi__no_memory(function, sizeof *budget);
    }
    rc = paulimpi__handle_enter(budget, PAULIMPI__HANDLE_BUDGET);
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__free(budget);
        return rc;
    }
    *budget_p = budget;
    return PAULIMPI_SUCCESS;
}

void
paulimpi_budget_destroy(paulimpi_budget **budget_p)
{
    if (budget_p == NULL || *budget_p == NULL) {
        return;
    }
    if (paulimpi__handle_check(*budget_p, PAULIMPI__HANDLE_BUDGET,
                               "paulimpi_budget_destroy", "*budget_p")
        == PAULIMPI_SUCCESS) {
        paulimpi__handle_leave(*budget_p);
        paulimpi__free((*budget_p)->allowance);
        paulimpi__free(*budget_p);
    }
    *budget_p = NULL;
}

static int
check_kind_of(const char *phase, int kind)
{
    const char *const function = "paulimpi_budget_allow";

    if (phase != NULL && strlen(phase) >= PAULIMPI_PHASE_TEXT) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: phase has %zu bytes, but must have at "
                               "most %d",
                               function, strlen(phase),
                               PAULIMPI_PHASE_TEXT - 1);
    }
    if (kind < PAULIMPI_COUNT_ANY || kind >= PAULIMPI_COUNT_KINDS) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: kind is %d, but must be from 0 to %d, or "
                               "PAULIMPI_COUNT_ANY",
                               function, kind, PAULIMPI_COUNT_KINDS - 1);
    }
    return PAULIMPI_SUCCESS;
}

static int
check_limits(const allowance *one)
{
    const char *argument = one->most_events < 0       ? "most_events"
                           : one->most_bytes_each < 0 ? "most_bytes_each"
                           : one->most_bytes < 0      ? "most_bytes"
                                                      : NULL;

    if (argument == NULL) {
        return PAULIMPI_SUCCESS;
    }
    return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                           "paulimpi_budget_allow: %s is below 0", argument);
}

/* What is said of a kind in a phase, NULL if nothing is. */
static allowance *
find(const paulimpi_budget *budget, const char *phase, int kind)
{
    int i;

    for (i = 0; i < budget->n; i++) {
        allowance *one = &budget->allowance[i];

        if (one->kind == kind && one->is_all == (phase == NULL)
            && (phase == NULL || strcmp(one->phase, phase) == 0)) {
            return one;
        }
    }
    return NULL;
}

/* Make room for one more. NULL on failure. */
static allowance *
append(paulimpi_budget *budget)
{
    allowance *grown = paulimpi__realloc(budget->allowance,
                                         (size_t)budget->n + 1, sizeof *grown);

    if (grown == NULL) {
        paulimpi__no_memory("paulimpi_budget_allow",
                            ((size_t)budget->n + 1) * sizeof *grown);
        return NULL;
    }
    budget->allowance = grown;
    return &grown[budget->n++];
}

int
paulimpi_budget_allow(paulimpi_budget *budget, const char *phase, int kind,
                      int64_t most_events, int64_t most_bytes_each,
                      int64_t most_bytes)
{
    allowance made = { .is_all = phase == NULL,
                       .kind = kind,
                       .most_events = most_events,
                       .most_bytes_each = most_bytes_each,
                       .most_bytes = most_bytes };
    allowance *one;
    int rc = paulimpi__handle_check(budget, PAULIMPI__HANDLE_BUDGET,
                                    "paulimpi_budget_allow", "budget");

    if (rc == PAULIMPI_SUCCESS) {
        rc = check_kind_of(phase, kind);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = check_limits(&made);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (phase != NULL) {
        strcpy(made.phase, phase);
    }
    one = find(budget, phase, kind);
    if (one == NULL) {
        one = append(budget);
    }
    if (one == NULL) {
        return PAULIMPI_ERR_MEMORY;
    }
    *one = made;
    return PAULIMPI_SUCCESS;
}

/* Say that something is too much, if it is. */
static void
compare(paulimpi__text *text, const allowance *one, int kind, int64_t count,
        int64_t limit, const char *what)
{
    if (count <= limit) {
        return;
    }
    paulimpi__text_append(text, "; ");
    if (one->is_all) {
        paulimpi__text_append(text, "in all phases, ");
    } else if (one->phase[0] == '\0') {
        paulimpi__text_append(text, "outside of phases, ");
    } else {
        paulimpi__text_append(text, "in phase %s, ", one->phase);
    }
    paulimpi__text_append(
        text, "%s: %" PRId64 " %s, but at most %" PRId64 " are allowed",
        paulimpi_count_name(kind), count, what, limit);
}

/* Write all that is too much of one kind. */
static int
check_kind(const allowance *one, int kind, const paulimpi_counter *counter,
           paulimpi__text *text)
{
    paulimpi__tally tally;
    int rc =
        paulimpi__counter_tally(counter, "paulimpi_budget_check",
                                one->is_all ? NULL : one->phase, kind, &tally);

    if (rc == PAULIMPI_SUCCESS) {
        compare(text, one, kind, tally.events, one->most_events, "events");
        compare(text, one, kind, tally.most, one->most_bytes_each,
                "bytes in one event");
        compare(text, one, kind, tally.bytes, one->most_bytes, "bytes");
    }
    return rc;
}

static int
check_allowed(const paulimpi_budget *budget, const allowance *one,
              const paulimpi_counter *counter, paulimpi__text *text)
{
    const char *phase = one->is_all ? NULL : one->phase;
    int rc = PAULIMPI_SUCCESS;
    int kind;

    if (one->kind != PAULIMPI_COUNT_ANY) {
        return check_kind(one, one->kind, counter, text);
    }
    for (kind = 0; kind < PAULIMPI_COUNT_KINDS && rc == PAULIMPI_SUCCESS;
         kind++) {
        if (find(budget, phase, kind) == NULL) {
            rc = check_kind(one, kind, counter, text);
        }
    }
    return rc;
}

static int
check_here(const paulimpi_budget *budget, const paulimpi_counter *counter)
{
    const char *const function = "paulimpi_budget_check";
    paulimpi__text text = PAULIMPI__TEXT_INIT;
    char *sentence;
    int rc = paulimpi__handle_check(budget, PAULIMPI__HANDLE_BUDGET, function,
                                    "budget");
    int i;

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__handle_check(counter, PAULIMPI__HANDLE_COUNTER,
                                    function, "counter");
    }
    for (i = 0; rc == PAULIMPI_SUCCESS && i < budget->n; i++) {
        rc = check_allowed(budget, &budget->allowance[i], counter, &text);
        if (rc == PAULIMPI_ERR_RANGE) {
            /* A phase of which nothing is known is not within a budget. */
            rc = paulimpi__error(PAULIMPI_ERR_MISMATCH, "%s",
                                 paulimpi_last_error());
        }
    }
    sentence = paulimpi__text_take(&text);
    if (rc == PAULIMPI_SUCCESS && sentence == NULL) {
        rc = paulimpi__no_memory(function, 1);
    } else if (rc == PAULIMPI_SUCCESS && sentence[0] != '\0') {
        rc = paulimpi__error(PAULIMPI_ERR_MISMATCH, "%s: %s", function,
                             sentence + strlen("; "));
    }
    paulimpi__free(sentence);
    return rc;
}

int
paulimpi_budget_check(const paulimpi_budget *budget,
                      const paulimpi_counter *counter, paulimpi_context *ctx)
{
    int rc;

    if (ctx != NULL) {
        rc = paulimpi__handle_check(ctx, PAULIMPI__HANDLE_CONTEXT,
                                    "paulimpi_budget_check", "ctx");
        if (rc != PAULIMPI_SUCCESS) {
            return rc;
        }
    }
    rc = check_here(budget, counter);
    return ctx == NULL ? rc : paulimpi__agree(ctx, rc);
}
