/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters, phases and budgets.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "exchange/account.h"
#include "paulimpi/device.h"
#include "paulimpi/exchange.h"
#include "tap/tap.h"

static paulimpi_counter *
make_counter(const char *label)
{
    paulimpi_counter *counter;

    if (paulimpi_counter_create(label, &counter) != PAULIMPI_SUCCESS) {
        tap_bail("no counter: %s", paulimpi_last_error());
    }
    return counter;
}

static paulimpi_budget *
make_budget(void)
{
    paulimpi_budget *budget;

    if (paulimpi_budget_create(&budget) != PAULIMPI_SUCCESS) {
        tap_bail("no budget: %s", paulimpi_last_error());
    }
    return budget;
}

/* Whether a counter has that many events and bytes. */
static int
has(const paulimpi_counter *counter, const char *phase, int kind,
    int64_t events, int64_t bytes)
{
    int64_t got_events = -1, got_bytes = -1;

    return paulimpi_counter_get(counter, phase, kind, &got_events, &got_bytes)
               == PAULIMPI_SUCCESS
           && got_events == events && got_bytes == bytes;
}

static void
test_counting(void)
{
    paulimpi_counter *counter = make_counter("c");
    int64_t events = -1;

    paulimpi__count(PAULIMPI_COUNT_PACK, 10);
    tap_ok(has(counter, NULL, PAULIMPI_COUNT_ANY, 0, 0),
           "a counter that was not begun counts nothing");
    tap_is_status(paulimpi_counter_begin(counter), PAULIMPI_SUCCESS, "begin");
    paulimpi__count(PAULIMPI_COUNT_PACK, 10);
    paulimpi__count(PAULIMPI_COUNT_PACK, 20);
    paulimpi__count(PAULIMPI_COUNT_SELF, 0);
    tap_ok(has(counter, NULL, PAULIMPI_COUNT_PACK, 2, 30),
           "two events of a kind");
    tap_ok(has(counter, NULL, PAULIMPI_COUNT_SELF, 1, 0),
           "an event without bytes");
    tap_ok(has(counter, NULL, PAULIMPI_COUNT_ANY, 3, 30), "all kinds");
    tap_ok(has(counter, NULL, PAULIMPI_COUNT_TO_HOST, 0, 0), "nothing else");
    tap_is_status(paulimpi_counter_end(counter), PAULIMPI_SUCCESS, "end");
    paulimpi__count(PAULIMPI_COUNT_PACK, 10);
    tap_ok(has(counter, NULL, PAULIMPI_COUNT_PACK, 2, 30), "is the end");
    paulimpi_counter_begin(counter);
    paulimpi__count(PAULIMPI_COUNT_PACK, 5);
    tap_ok(has(counter, NULL, PAULIMPI_COUNT_PACK, 3, 35),
           "begun again, it goes on");
    tap_is_status(paulimpi_counter_reset(counter), PAULIMPI_SUCCESS, "reset");
    tap_ok(has(counter, NULL, PAULIMPI_COUNT_ANY, 0, 0), "to nothing");
    paulimpi__count(PAULIMPI_COUNT_WAIT, 0);
    tap_is_status(paulimpi_counter_get(counter, NULL, PAULIMPI_COUNT_WAIT,
                                       &events, NULL),
                  PAULIMPI_SUCCESS, "nobody has to ask for bytes");
    tap_is_int(events, 1, "and it still runs");
    tap_is_status(
        paulimpi_counter_get(counter, NULL, PAULIMPI_COUNT_WAIT, NULL, NULL),
        PAULIMPI_SUCCESS, "or for anything");
    paulimpi_counter_destroy(&counter);
    tap_ok(counter == NULL, "destroyed while it runs");
    paulimpi__count(PAULIMPI_COUNT_WAIT, 0);
}

static void
test_nested(void)
{
    paulimpi_counter *outer = make_counter("outer");
    paulimpi_counter *inner = make_counter("inner");
    paulimpi_counter *third = make_counter("third");

    paulimpi_counter_begin(outer);
    paulimpi_counter_begin(third);
    paulimpi__count(PAULIMPI_COUNT_SELF, 1);
    paulimpi_counter_begin(inner);
    paulimpi_counter_begin(inner);
    paulimpi__count(PAULIMPI_COUNT_SELF, 2);
    tap_ok(has(inner, NULL, PAULIMPI_COUNT_SELF, 1, 2),
           "begun twice, a counter counts once");
    paulimpi_counter_end(inner);
    paulimpi__count(PAULIMPI_COUNT_SELF, 4);
    paulimpi_counter_end(third);
    paulimpi_counter_end(inner);
    paulimpi__count(PAULIMPI_COUNT_SELF, 8);
    paulimpi_counter_end(outer);
    paulimpi__count(PAULIMPI_COUNT_SELF, 16);
    tap_ok(has(inner, NULL, PAULIMPI_COUNT_SELF, 2, 6),
           "and until its last end");
    tap_ok(has(outer, NULL, PAULIMPI_COUNT_SELF, 4, 15),
           "the outer one sees every event");
    tap_ok(has(third, NULL, PAULIMPI_COUNT_SELF, 3, 7),
           "they may end in any order");
    tap_is_status(paulimpi_counter_end(inner), PAULIMPI_ERR_STATE,
                  "an end too many");
    tap_contains(paulimpi_last_error(), "does not run", "with a sentence");
    paulimpi_counter_destroy(&outer);
    paulimpi_counter_destroy(&inner);
    paulimpi_counter_destroy(&third);
}

static void
test_phases(void)
{
    paulimpi_counter *counter = make_counter(NULL);
    char *text = NULL;

    paulimpi_counter_begin(counter);
    paulimpi__count(PAULIMPI_COUNT_MPI_HOST, 1);
    paulimpi_phase_begin("halo");
    paulimpi__count(PAULIMPI_COUNT_MPI_HOST, 10);
    paulimpi__count(PAULIMPI_COUNT_PACK, 7);
    paulimpi_phase_begin("corner");
    paulimpi__count(PAULIMPI_COUNT_MPI_HOST, 100);
    paulimpi_phase_end();
    paulimpi__count(PAULIMPI_COUNT_MPI_HOST, 20);
    paulimpi_phase_end();
    paulimpi__count(PAULIMPI_COUNT_MPI_HOST, 2);
    paulimpi_counter_end(counter);
    tap_ok(has(counter, "halo", PAULIMPI_COUNT_MPI_HOST, 2, 30),
           "a phase has its events");
    tap_ok(has(counter, "corner", PAULIMPI_COUNT_MPI_HOST, 1, 100),
           "one within it its own");
    tap_ok(has(counter, "", PAULIMPI_COUNT_MPI_HOST, 2, 3),
           "what is outside of phases is apart");
    tap_ok(has(counter, "halo", PAULIMPI_COUNT_ANY, 3, 37),
           "all kinds of a phase");
    tap_ok(has(counter, NULL, PAULIMPI_COUNT_MPI_HOST, 5, 133),
           "a kind of all phases");
    tap_ok(has(counter, "never", PAULIMPI_COUNT_ANY, 0, 0),
           "a phase that never was");
    tap_is_status(paulimpi_counter_report(counter, &text), PAULIMPI_SUCCESS,
                  "a report");
    tap_is_text(text,
                "counter: 6 events, 140 bytes\n"
                "  packed, halo: 1 event, 7 bytes, at most 7 in one\n"
                "  MPI from host: 2 events, 3 bytes, at most 2 in one\n"
                "  MPI from host, halo: 2 events, 30 bytes, at most 20 in "
                "one\n"
                "  MPI from host, corner: 1 event, 100 bytes, at most 100 in "
                "one\n",
                "by kind and phase");
    paulimpi_text_destroy(&text);
    paulimpi_counter_destroy(&counter);
}

static void
test_phase_errors(void)
{
    char name[PAULIMPI_PHASE_TEXT + 1];
    int i;

    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    tap_is_status(paulimpi_phase_end(), PAULIMPI_ERR_STATE, "no phase to end");
    tap_is_status(paulimpi_phase_begin(NULL), PAULIMPI_ERR_ARGUMENT,
                  "no name");
    tap_is_status(paulimpi_phase_begin(""), PAULIMPI_ERR_ARGUMENT,
                  "an empty one");
    tap_is_status(paulimpi_phase_begin(name), PAULIMPI_ERR_ARGUMENT,
                  "one of 64 bytes");
    tap_contains(paulimpi_last_error(), "64 bytes", "with a sentence");
    name[PAULIMPI_PHASE_TEXT - 1] = '\0';
    for (i = 0; i < PAULIMPI_PHASES_NESTED; i++) {
        if (paulimpi_phase_begin(name) != PAULIMPI_SUCCESS) {
            break;
        }
    }
    tap_is_int(i, 16, "16 phases within each other, of 63 bytes");
    tap_is_status(paulimpi_phase_begin("y"), PAULIMPI_ERR_RANGE,
                  "the next is one too many");
    tap_contains(paulimpi_last_error(), "y would be phase 17",
                 "with a sentence");
    while (paulimpi_phase_end() == PAULIMPI_SUCCESS) {
        i--;
    }
    tap_is_int(i, 0, "and as many ends");
}

/* Lines of the program, which the macros tell. */
static void
test_places(void)
{
    paulimpi_counter *counter = make_counter("lines");
    char from[8] = "message", to[8];
    paulimpi_message send = { paulimpi_region_1d(from, 8), 0, 1 };
    paulimpi_message receive = { paulimpi_region_1d(to, 8), 0, 1 };
    paulimpi_context *ctx;
    paulimpi_plan *plan;
    char want[400];
    char *text;
    int line[2];

    paulimpi_context_create_serial(NULL, &ctx);
    paulimpi_counter_begin(counter);
    line[0] = __LINE__ + 1;
    paulimpi_exchange(ctx, 1, &send, 1, &receive, NULL);
    line[1] = __LINE__ + 1;
    paulimpi_plan_create(ctx, 1, &send, 1, &receive, NULL, &plan);
    paulimpi_plan_start(plan, NULL);
    paulimpi_plan_wait(plan);
    paulimpi_plan_start(plan, NULL);
    paulimpi_plan_wait(plan);
    (paulimpi_exchange)(ctx, 1, &send, 1, &receive, NULL);
    paulimpi_called_from("a/b/by-hand.f90", 7);
    (paulimpi_exchange)(ctx, 1, &send, 1, &receive, NULL);
    paulimpi__count(PAULIMPI_COUNT_PACK, 5);
    paulimpi_counter_end(counter);
    paulimpi_counter_report(counter, &text);
    snprintf(
        want, sizeof want,
        "lines: 6 events, 45 bytes\n"
        "  packed: 1 event, 5 bytes, at most 5 in one\n"
        "  to itself: 5 events, 40 bytes, at most 8 in one\n"
        "  from account.c:%d: to itself: 1 event, 8 bytes, at most 8 in "
        "one\n"
        "  from account.c:%d: to itself: 2 events, 16 bytes, at most 8 in "
        "one\n"
        "  from by-hand.f90:7: to itself: 1 event, 8 bytes, at most 8 in "
        "one\n",
        line[0], line[1]);
    tap_is_text(text, want, "a report names the lines that exchanges are at");
    paulimpi_text_destroy(&text);
    paulimpi_counter_reset(counter);
    paulimpi_counter_report(counter, &text);
    tap_is_text(text, "lines: 0 events, 0 bytes\n", "until a reset");
    paulimpi_text_destroy(&text);
    paulimpi_plan_destroy(&plan);
    paulimpi_counter_destroy(&counter);
    paulimpi_context_destroy(&ctx);
}

/* More lines than a counter keeps apart, and a long name. */
static void
test_many_places(void)
{
    static const char file[] = "a-name-of-a-file-that-is-longer-than-what-"
                               "is-kept-of-it-by-a-counter.c";
    paulimpi_counter *counter = make_counter("c");
    char from, to;
    paulimpi_message send = { paulimpi_region_1d(&from, 1), 0, 1 };
    paulimpi_message receive = { paulimpi_region_1d(&to, 1), 0, 1 };
    paulimpi_context *ctx;
    char *text;
    int i;

    paulimpi_context_create_serial(NULL, &ctx);
    paulimpi_counter_begin(counter);
    for (i = 1; i <= PAULIMPI_PLACES_COUNTED + 2; i++) {
        from = (char)i;
        paulimpi_called_from(file, i);
        (paulimpi_exchange)(ctx, 1, &send, 1, &receive, NULL);
    }
    paulimpi_counter_report(counter, &text);
    tap_contains(
        text, "  from s-longer-than-what-is-kept-of-it-by-a-counter.c:1: to",
        "the end of a long name is kept");
    tap_contains(text, ".c:64: to itself: 1 event", "the 64th line is known");
    tap_contains(text, "  from further lines: to itself: 2 events, 2 bytes",
                 "later ones are counted together");
    paulimpi_text_destroy(&text);
    paulimpi_counter_destroy(&counter);
    paulimpi_context_destroy(&ctx);
}

/* More phases than a counter keeps apart. */
static void
test_many_phases(void)
{
    paulimpi_counter *counter = make_counter("c");
    paulimpi_budget *budget = make_budget();
    char *text;
    int i;

    paulimpi_counter_begin(counter);
    for (i = 0; i < 70; i++) {
        char name[] = "p00";

        name[1] = (char)('0' + i / 10);
        name[2] = (char)('0' + i % 10);
        paulimpi_phase_begin(name);
        paulimpi__count(PAULIMPI_COUNT_SELF, i);
        paulimpi_phase_end();
    }
    tap_ok(has(counter, "p63", PAULIMPI_COUNT_SELF, 1, 63),
           "the 64th phase is known");
    tap_ok(has(counter, NULL, PAULIMPI_COUNT_SELF, 70, 69 * 35),
           "nothing is lost");
    tap_is_status(
        paulimpi_counter_get(counter, "p64", PAULIMPI_COUNT_SELF, NULL, NULL),
        PAULIMPI_ERR_RANGE, "of the 65th it is not known");
    tap_contains(paulimpi_last_error(),
                 "c saw more than 64 phases; p64 is none of the first",
                 "which a sentence says");
    paulimpi_counter_report(counter, &text);
    tap_contains(text, "to itself, further phases: 6 events, 399 bytes",
                 "a report has it at the end");
    paulimpi_text_destroy(&text);

    paulimpi_budget_allow(budget, "p63", PAULIMPI_COUNT_SELF, 1, 63, 63);
    tap_is_status(paulimpi_budget_check(budget, counter, NULL),
                  PAULIMPI_SUCCESS, "a budget of a known phase");
    paulimpi_budget_allow(budget, "p64", PAULIMPI_COUNT_SELF, 9, 99, 99);
    tap_is_status(paulimpi_budget_check(budget, counter, NULL),
                  PAULIMPI_ERR_MISMATCH, "one of an unknown phase fails");
    tap_contains(paulimpi_last_error(), "p64", "and says why");
    paulimpi_budget_destroy(&budget);
    paulimpi_counter_destroy(&counter);
}

static void
test_copies(void)
{
    paulimpi_counter *counter = make_counter("c");

    paulimpi_counter_begin(counter);
    paulimpi__count_copy(PAULIMPI_MEMORY_HOST, PAULIMPI_MEMORY_PINNED, 1);
    tap_ok(has(counter, NULL, PAULIMPI_COUNT_ANY, 0, 0),
           "copies of the host are not counted");
    paulimpi__count_copy(PAULIMPI_MEMORY_PINNED, PAULIMPI_MEMORY_POOL, 2);
    paulimpi__count_copy(PAULIMPI_MEMORY_MANAGED, PAULIMPI_MEMORY_HOST, 4);
    paulimpi__count_copy(PAULIMPI_MEMORY_DEVICE, PAULIMPI_MEMORY_VIRTUAL, 8);
    paulimpi__count_copy(PAULIMPI_MEMORY_IMPORTED, PAULIMPI_MEMORY_DEVICE, 16);
    paulimpi__count_copy(PAULIMPI_MEMORY_HOST, PAULIMPI_MEMORY_IMPORTED, 32);
    tap_ok(has(counter, NULL, PAULIMPI_COUNT_TO_HOST, 1, 2), "to the host");
    tap_ok(has(counter, NULL, PAULIMPI_COUNT_TO_DEVICE, 1, 4), "to a device");
    tap_ok(has(counter, NULL, PAULIMPI_COUNT_ON_DEVICE, 1, 8), "on one");
    tap_ok(has(counter, NULL, PAULIMPI_COUNT_BOUNCE, 2, 48),
           "past memory of another process, either way");
    paulimpi_counter_destroy(&counter);
}

static void
check_budget(const paulimpi_budget *budget, const paulimpi_counter *counter,
             const char *sentence, const char *fact)
{
    tap_is_status(paulimpi_budget_check(budget, counter, NULL),
                  sentence == NULL ? PAULIMPI_SUCCESS : PAULIMPI_ERR_MISMATCH,
                  "%s", fact);
    if (sentence != NULL) {
        tap_is_text(paulimpi_last_error(), sentence, "with that sentence");
    }
}

static void
test_budget(void)
{
    paulimpi_counter *counter = make_counter("c");
    paulimpi_budget *budget = make_budget();
    const int host = PAULIMPI_COUNT_MPI_HOST;

    paulimpi_counter_begin(counter);
    paulimpi__count(PAULIMPI_COUNT_TO_HOST, 5);
    paulimpi_phase_begin("halo");
    paulimpi__count(host, 10);
    paulimpi__count(host, 20);
    paulimpi__count(PAULIMPI_COUNT_PACK, 7);
    paulimpi_phase_end();

    check_budget(budget, counter, NULL, "an empty budget allows everything");
    paulimpi_budget_allow(budget, "halo", host, 2, 20, 30);
    check_budget(budget, counter, NULL, "just as much as there is");
    paulimpi_budget_allow(budget, "halo", host, 1, 20, 30);
    check_budget(budget, counter,
                 "paulimpi_budget_check: in phase halo, MPI from host: 2 "
                 "events, but at most 1 are allowed",
                 "an event too many");
    paulimpi_budget_allow(budget, "halo", host, 2, 19, 30);
    check_budget(budget, counter,
                 "paulimpi_budget_check: in phase halo, MPI from host: 20 "
                 "bytes in one event, but at most 19 are allowed",
                 "a byte too many in one");
    paulimpi_budget_allow(budget, "halo", host, PAULIMPI_UNLIMITED,
                          PAULIMPI_UNLIMITED, 29);
    check_budget(budget, counter,
                 "paulimpi_budget_check: in phase halo, MPI from host: 30 "
                 "bytes, but at most 29 are allowed",
                 "a byte too many in all");
    paulimpi_budget_allow(budget, "halo", host, 2, 20, 30);
    paulimpi_budget_allow(budget, "halo", PAULIMPI_COUNT_ANY, 0, 0, 0);
    check_budget(budget, counter,
                 "paulimpi_budget_check: in phase halo, packed: 1 events, but "
                 "at most 0 are allowed; in phase halo, packed: 7 bytes in "
                 "one event, but at most 0 are allowed; in phase halo, "
                 "packed: 7 bytes, but at most 0 are allowed",
                 "what is not named may be forbidden");
    paulimpi_budget_allow(budget, "halo", PAULIMPI_COUNT_PACK, 1, 7, 7);
    check_budget(budget, counter, NULL, "until it is named");
    paulimpi_budget_allow(budget, "", PAULIMPI_COUNT_TO_HOST, 0, 5, 5);
    check_budget(budget, counter,
                 "paulimpi_budget_check: outside of phases, to host: 1 "
                 "events, but at most 0 are allowed",
                 "outside of phases");
    paulimpi_budget_allow(budget, "", PAULIMPI_COUNT_TO_HOST, 1, 5, 5);
    paulimpi_budget_allow(budget, NULL, host, 1, 20, 30);
    check_budget(budget, counter,
                 "paulimpi_budget_check: in all phases, MPI from host: 2 "
                 "events, but at most 1 are allowed",
                 "in all phases together");
    paulimpi_counter_reset(counter);
    check_budget(budget, counter, NULL, "nothing is within any budget");
    paulimpi_budget_destroy(&budget);
    tap_ok(budget == NULL, "a budget is destroyed");
    paulimpi_counter_destroy(&counter);
}

static void
test_bad_input(void)
{
    paulimpi_counter *counter = make_counter("c"), *other;
    paulimpi_budget *budget = make_budget();
    paulimpi_count_of_ranks ranks = PAULIMPI_COUNT_OF_RANKS_INIT;
    char label[PAULIMPI_PHASE_TEXT + 1];
    char *text = (char *)&ranks;

    memset(label, 'x', sizeof label - 1);
    label[sizeof label - 1] = '\0';
#define REFUSED(call, part)                                                   \
    tap_is_status(call, PAULIMPI_ERR_ARGUMENT, "refused: %s", part);          \
    tap_contains(paulimpi_last_error(), part, "with that sentence")
    REFUSED(paulimpi_counter_create("c", NULL), "counter_p is NULL");
    REFUSED(paulimpi_counter_create(label, &other), "label has 64 bytes");
    tap_ok(other == NULL, "and no counter");
    REFUSED(paulimpi_counter_begin(NULL), "counter is NULL");
    REFUSED(paulimpi_counter_end(NULL), "counter is NULL");
    REFUSED(paulimpi_counter_reset(NULL), "counter is NULL");
    REFUSED(paulimpi_counter_get(NULL, NULL, 0, NULL, NULL),
            "counter is NULL");
    REFUSED(paulimpi_counter_get(counter, NULL, -2, NULL, NULL), "kind is -2");
    REFUSED(paulimpi_counter_get(counter, NULL, 10, NULL, NULL), "kind is 10");
    REFUSED(paulimpi_counter_report(NULL, &text), "counter is NULL");
    REFUSED(paulimpi_counter_report(counter, NULL), "text_p is NULL");
    REFUSED(paulimpi_counter_reduce(NULL, counter, NULL, 0, &ranks),
            "ctx is NULL");
    REFUSED(paulimpi_budget_create(NULL), "budget_p is NULL");
    REFUSED(paulimpi_budget_allow(NULL, NULL, 0, 0, 0, 0), "budget is NULL");
    REFUSED(paulimpi_budget_allow(budget, label, 0, 0, 0, 0),
            "phase has 64 bytes");
    REFUSED(paulimpi_budget_allow(budget, NULL, -2, 0, 0, 0), "kind is -2");
    REFUSED(paulimpi_budget_allow(budget, NULL, 10, 0, 0, 0), "kind is 10");
    REFUSED(paulimpi_budget_allow(budget, NULL, 0, -1, 0, 0),
            "most_events is below 0");
    REFUSED(paulimpi_budget_allow(budget, NULL, 0, 0, -1, 0),
            "most_bytes_each is below 0");
    REFUSED(paulimpi_budget_allow(budget, NULL, 0, 0, 0, -1),
            "most_bytes is below 0");
    REFUSED(paulimpi_budget_check(NULL, counter, NULL), "budget is NULL");
    REFUSED(paulimpi_budget_check(budget, NULL, NULL), "counter is NULL");
#undef REFUSED
    paulimpi_counter_destroy(NULL);
    paulimpi_budget_destroy(NULL);
    paulimpi_counter_destroy(&counter);
    paulimpi_counter_destroy(&counter);
    paulimpi_budget_destroy(&budget);
    paulimpi_budget_destroy(&budget);
    tap_is_text(paulimpi_count_name(PAULIMPI_COUNT_PROBE), "probes",
                "kinds have names");
    tap_is_text(paulimpi_count_name(10), "?", "others do not");
    tap_is_text(paulimpi_count_name(PAULIMPI_COUNT_ANY), "?",
                "nor all of them");
}

/* Whatever allocation fails: a code, and nothing is left. */
static void
test_no_memory(void)
{
    paulimpi_counter *counter = (paulimpi_counter *)&counter;
    paulimpi_budget *budget = (paulimpi_budget *)&budget;
    char *text = NULL;

    paulimpi__alloc_fail_at(1);
    tap_is_status(paulimpi_counter_create("c", &counter), PAULIMPI_ERR_MEMORY,
                  "no memory for a counter");
    paulimpi__alloc_fail_at(1);
    tap_is_status(paulimpi_budget_create(&budget), PAULIMPI_ERR_MEMORY,
                  "or a budget");
    tap_ok(counter == NULL && budget == NULL, "and none is made");
    counter = make_counter("c");
    budget = make_budget();
    paulimpi_counter_begin(counter);
    paulimpi__count(PAULIMPI_COUNT_SELF, 1);
    paulimpi__alloc_fail_at(1);
    tap_is_status(paulimpi_counter_report(counter, &text), PAULIMPI_ERR_MEMORY,
                  "or a report");
    paulimpi__alloc_fail_at(1);
    tap_is_status(paulimpi_budget_allow(budget, NULL, 0, 0, 0, 0),
                  PAULIMPI_ERR_MEMORY, "or an allowance");
    paulimpi__alloc_fail_at(0);
    tap_is_status(paulimpi_budget_check(budget, counter, NULL),
                  PAULIMPI_SUCCESS, "which is not there then");
    paulimpi_budget_allow(budget, NULL, PAULIMPI_COUNT_SELF, 0, 0, 0);
    paulimpi__alloc_fail_at(1);
    tap_is_status(paulimpi_budget_check(budget, counter, NULL),
                  PAULIMPI_ERR_MEMORY, "or the sentence of a check");
    paulimpi__alloc_fail_at(1);
    paulimpi__count(PAULIMPI_COUNT_SELF, 1);
    paulimpi__alloc_fail_at(0);
    tap_ok(has(counter, NULL, PAULIMPI_COUNT_SELF, 2, 2),
           "counting needs none");
    paulimpi_budget_destroy(&budget);
    paulimpi_counter_destroy(&counter);
}

enum { N_THREADS = 4, N_ROUNDS = 2000 };

/* Each thread has its own phases. */
static void *
count_much(void *number)
{
    static const char *const name[N_THREADS] = { "a", "b", "c", "d" };
    int i;

    for (i = 0; i < N_ROUNDS; i++) {
        paulimpi_phase_begin(name[*(int *)number]);
        paulimpi__count(PAULIMPI_COUNT_SELF, 3);
        paulimpi_phase_end();
    }
    return NULL;
}

/* Others begin and end counters meanwhile. */
static void *
begin_often(void *unused)
{
    int i;

    (void)unused;
    for (i = 0; i < N_ROUNDS / 4; i++) {
        paulimpi_counter *counter = make_counter("brief");

        paulimpi_counter_begin(counter);
        paulimpi_counter_end(counter);
        paulimpi_counter_destroy(&counter);
    }
    return NULL;
}

static void
test_threads(void)
{
    paulimpi_counter *counter = make_counter("c");
    pthread_t thread[N_THREADS + 1];
    int number[N_THREADS];
    int i;

    paulimpi_phase_begin("main");
    paulimpi_counter_begin(counter);
    for (i = 0; i < N_THREADS; i++) {
        number[i] = i;
        pthread_create(&thread[i], NULL, count_much, &number[i]);
    }
    pthread_create(&thread[N_THREADS], NULL, begin_often, NULL);
    for (i = 0; i <= N_THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    tap_ok(has(counter, NULL, PAULIMPI_COUNT_SELF, 8000, 24000),
           "four threads lose no event");
    tap_ok(has(counter, "c", PAULIMPI_COUNT_SELF, 2000, 6000),
           "and each has its phase");
    tap_ok(has(counter, "main", PAULIMPI_COUNT_ANY, 0, 0),
           "which is no other thread's");
    paulimpi_phase_end();
    paulimpi_counter_destroy(&counter);
}

int
main(void)
{
    test_counting();
    test_nested();
    test_phases();
    test_phase_errors();
    test_many_phases();
    test_places();
    test_many_places();
    test_copies();
    test_budget();
    test_bad_input();
    test_no_memory();
    test_threads();
    return tap_done();
}
