/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Phases of threads, and counters of what happens in them.
 */
#include "exchange/account.h"

#include <inttypes.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/base.h"
#include "comm/comm.h"
#include "device/device.h"

/* What a counter has of one phase. */
typedef struct {
    char name[PAULIMPI_PHASE_TEXT];
    paulimpi__tally kind[PAULIMPI_COUNT_KINDS];
} phase_row;

/* And of one line of the program. */
enum { PLACE_TEXT = 48 };
typedef struct {
    char file[PLACE_TEXT];
    int line;
    paulimpi__tally kind[PAULIMPI_COUNT_KINDS];
} place_row;

struct paulimpi_counter {
    char label[PAULIMPI_PHASE_TEXT];
    int depth;              /* begins without an end */
    paulimpi_counter *next; /* of those that run */
    int n_rows;             /* phases by name; the row behind the last
                               possible one is that of all further ones */
    int last;               /* row that was used last */
    phase_row row[PAULIMPI_PHASES_COUNTED + 1];
    int n_places;
    place_row place[PAULIMPI_PLACES_COUNTED + 1];
};

/* Guards all counters and the list of those that run. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static paulimpi_counter *running;
static atomic_int n_running;

/* The phases that a thread is in. */
static _Thread_local struct {
    int depth;
    char name[PAULIMPI_PHASES_NESTED][PAULIMPI_PHASE_TEXT];
} phases;

/* The line that the next call comes from, and that of what is being done. */
static _Thread_local paulimpi__place next_place;
static _Thread_local const paulimpi__place *place;

static const char *const kind_name[PAULIMPI_COUNT_KINDS] = {
    [PAULIMPI_COUNT_TO_HOST] = "to host",
    [PAULIMPI_COUNT_TO_DEVICE] = "to device",
    [PAULIMPI_COUNT_ON_DEVICE] = "on device",
    [PAULIMPI_COUNT_PACK] = "packed",
    [PAULIMPI_COUNT_SELF] = "to itself",
    [PAULIMPI_COUNT_MPI_HOST] = "MPI from host",
    [PAULIMPI_COUNT_MPI_DEVICE] = "MPI from device",
    [PAULIMPI_COUNT_BOUNCE] = "bounced",
    [PAULIMPI_COUNT_WAIT] = "waits",
    [PAULIMPI_COUNT_PROBE] = "probes",
};

const char *
paulimpi_count_name(int kind)
{
    return kind >= 0 && kind < PAULIMPI_COUNT_KINDS ? kind_name[kind] : "?";
}

int
paulimpi_phase_begin(const char *name)
{
    size_t length;

    if (name == NULL) {
        return paulimpi__null("paulimpi_phase_begin", "name");
    }
    length = strlen(name);
    if (length == 0 || length >= PAULIMPI_PHASE_TEXT) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "paulimpi_phase_begin: name has %zu bytes, but "
                               "must have from 1 to %d",
                               length, PAULIMPI_PHASE_TEXT - 1);
    }
    if (phases.depth == PAULIMPI_PHASES_NESTED) {
        return paulimpi__error(PAULIMPI_ERR_RANGE,
                               "paulimpi_phase_begin: %s would be phase %d "
                               "within another; is an end missing?",
                               name, phases.depth + 1);
    }
    memcpy(phases.name[phases.depth], name, length + 1);
    phases.depth++;
    return PAULIMPI_SUCCESS;
}

int
paulimpi_phase_end(void)
{
    if (phases.depth == 0) {
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               "paulimpi_phase_end: this thread is in no "
                               "phase");
    }
    phases.depth--;
    return PAULIMPI_SUCCESS;
}

void
paulimpi_called_from(const char *file, int line)
{
    next_place = (paulimpi__place){ file, line };
}

paulimpi__place
paulimpi__place_take(void)
{
    paulimpi__place taken = next_place;

    next_place.file = NULL;
    return taken;
}

void
paulimpi__place_enter(const paulimpi__place *where)
{
    place = where;
}

/* The row of a phase, or n_rows. */
static int
find_row(const paulimpi_counter *counter, const char *name)
{
    int i;

    if (counter->n_rows > 0
        && strcmp(counter->row[counter->last].name, name) == 0) {
        return counter->last;
    }
    for (i = 0; i < counter->n_rows; i++) {
        if (strcmp(counter->row[i].name, name) == 0) {
            break;
        }
    }
    return i;
}

/* The end of the name of a file, as it is kept. */
static const char *
short_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *name = slash == NULL ? file : slash + 1;
    size_t length = strlen(name);

    return length < PLACE_TEXT ? name : name + length - (PLACE_TEXT - 1);
}

/* The row of a place, which is made if there is none. */
static place_row *
find_place(paulimpi_counter *counter, const paulimpi__place *where)
{
    const char *name = short_name(where->file);
    int i;

    for (i = 0; i < counter->n_places; i++) {
        if (counter->place[i].line == where->line
            && strcmp(counter->place[i].file, name) == 0) {
            return &counter->place[i];
        }
    }
    if (i < PAULIMPI_PLACES_COUNTED) {
        strcpy(counter->place[i].file, name);
        counter->place[i].line = where->line;
        counter->n_places++;
    }
    return &counter->place[i];
}

static void
add_to_tally(paulimpi__tally *tally, int64_t bytes)
{
    tally->events++;
    tally->bytes += bytes;
    tally->most = bytes > tally->most ? bytes : tally->most;
}

static void
add_event(paulimpi_counter *counter, const char *phase, int kind,
          int64_t bytes)
{
    int i = find_row(counter, phase);

    if (i == counter->n_rows && i < PAULIMPI_PHASES_COUNTED) {
        strcpy(counter->row[i].name, phase);
        counter->n_rows++;
    }
    if (i < counter->n_rows) {
        counter->last = i;
    }
    add_to_tally(&counter->row[i].kind[kind], bytes);
    if (place != NULL && place->file != NULL) {
        add_to_tally(&find_place(counter, place)->kind[kind], bytes);
    }
}

int
paulimpi__is_counting(void)
{
    return atomic_load_explicit(&n_running, memory_order_relaxed) != 0;
}

void
paulimpi__count(int kind, int64_t bytes)
{
    const char *phase;
    paulimpi_counter *counter;

    if (!paulimpi__is_counting()) {
        return;
    }
    phase = phases.depth == 0 ? "" : phases.name[phases.depth - 1];
    pthread_mutex_lock(&lock);
    for (counter = running; counter != NULL; counter = counter->next) {
        add_event(counter, phase, kind, bytes);
    }
    pthread_mutex_unlock(&lock);
}

static int
is_of_host(int memory_kind)
{
    return memory_kind == PAULIMPI_MEMORY_HOST
           || memory_kind == PAULIMPI_MEMORY_PINNED;
}

void
paulimpi__count_copy(int to_kind, int from_kind, int64_t bytes)
{
    if (to_kind == PAULIMPI_MEMORY_IMPORTED
        || from_kind == PAULIMPI_MEMORY_IMPORTED) {
        paulimpi__count(PAULIMPI_COUNT_BOUNCE, bytes);
    } else if (!is_of_host(to_kind)) {
        paulimpi__count(is_of_host(from_kind) ? PAULIMPI_COUNT_TO_DEVICE
                                              : PAULIMPI_COUNT_ON_DEVICE,
                        bytes);
    } else if (!is_of_host(from_kind)) {
        paulimpi__count(PAULIMPI_COUNT_TO_HOST, bytes);
    }
}

int
paulimpi_counter_create(const char *label, paulimpi_counter **counter_p)
{
    const char *const function = "paulimpi_counter_create";
    paulimpi_counter *counter;
    int rc;

    if (counter_p == NULL) {
        return paulimpi__null(function, "counter_p");
    }
    *counter_p = NULL;
    if (label != NULL && strlen(label) >= PAULIMPI_PHASE_TEXT) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: label has %zu bytes, but must have at "
                               "most %d",
                               function, strlen(label),
                               PAULIMPI_PHASE_TEXT - 1);
    }
    counter = paulimpi__alloc_zero(1, sizeof *counter);
    if (counter == NULL) {
        return paulimpi__no_memory(function, sizeof *counter);
    }
    strcpy(counter->label, label == NULL ? "counter" : label);
    rc = paulimpi__handle_enter(counter, PAULIMPI__HANDLE_COUNTER);
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__free(counter);
        return rc;
    }
    *counter_p = counter;
    return PAULIMPI_SUCCESS;
}

/* Both with the lock held. */

static void
start(paulimpi_counter *counter)
{
    counter->next = running;
    running = counter;
    atomic_fetch_add(&n_running, 1);
}

static void
stop(paulimpi_counter *counter)
{
    paulimpi_counter **link = &running;

    while (*link != counter) {
        link = &(*link)->next;
    }
    *link = counter->next;
    atomic_fetch_sub(&n_running, 1);
}

void
paulimpi_counter_destroy(paulimpi_counter **counter_p)
{
    if (counter_p == NULL || *counter_p == NULL) {
        return;
    }
    if (paulimpi__handle_check(*counter_p, PAULIMPI__HANDLE_COUNTER,
                               "paulimpi_counter_destroy", "*counter_p")
        == PAULIMPI_SUCCESS) {
        pthread_mutex_lock(&lock);
        if ((*counter_p)->depth > 0) {
            stop(*counter_p);
        }
        pthread_mutex_unlock(&lock);
        paulimpi__handle_leave(*counter_p);
        paulimpi__free(*counter_p);
    }
    *counter_p = NULL;
}

static int
check_counter(const paulimpi_counter *counter, const char *function)
{
    return paulimpi__handle_check(counter, PAULIMPI__HANDLE_COUNTER, function,
                                  "counter");
}

int
paulimpi_counter_begin(paulimpi_counter *counter)
{
    int rc = check_counter(counter, "paulimpi_counter_begin");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    pthread_mutex_lock(&lock);
    if (counter->depth++ == 0) {
        start(counter);
    }
    pthread_mutex_unlock(&lock);
    return PAULIMPI_SUCCESS;
}

int
paulimpi_counter_end(paulimpi_counter *counter)
{
    int rc = check_counter(counter, "paulimpi_counter_end");
    int was_running;

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    pthread_mutex_lock(&lock);
    was_running = counter->depth > 0;
    if (was_running && --counter->depth == 0) {
        stop(counter);
    }
    pthread_mutex_unlock(&lock);
    if (!was_running) {
        return paulimpi__error(PAULIMPI_ERR_STATE,
                               "paulimpi_counter_end: counter does not run");
    }
    return PAULIMPI_SUCCESS;
}

int
paulimpi_counter_reset(paulimpi_counter *counter)
{
    int rc = check_counter(counter, "paulimpi_counter_reset");

    if (rc == PAULIMPI_SUCCESS) {
        pthread_mutex_lock(&lock);
        counter->n_rows = 0;
        counter->last = 0;
        memset(counter->row, 0, sizeof counter->row);
        counter->n_places = 0;
        memset(counter->place, 0, sizeof counter->place);
        pthread_mutex_unlock(&lock);
    }
    return rc;
}

static void
add_tally(paulimpi__tally *sum, const paulimpi__tally *more)
{
    sum->events += more->events;
    sum->bytes += more->bytes;
    sum->most = more->most > sum->most ? more->most : sum->most;
}

/* Add a row's tally of a kind, or of all. */
static void
add_row(paulimpi__tally *sum, const phase_row *row, int kind)
{
    int i;

    for (i = 0; i < PAULIMPI_COUNT_KINDS; i++) {
        if (kind == PAULIMPI_COUNT_ANY || kind == i) {
            add_tally(sum, &row->kind[i]);
        }
    }
}

int
paulimpi__counter_tally(const paulimpi_counter *counter, const char *function,
                        const char *phase, int kind, paulimpi__tally *tally)
{
    const phase_row *further = &counter->row[PAULIMPI_PHASES_COUNTED];
    paulimpi__tally lost = { 0, 0, 0 };
    int is_unknown;
    int i;

    *tally = (paulimpi__tally){ 0, 0, 0 };
    pthread_mutex_lock(&lock);
    for (i = 0; i <= PAULIMPI_PHASES_COUNTED; i++) {
        if (phase == NULL
            || (i < counter->n_rows
                && strcmp(counter->row[i].name, phase) == 0)) {
            add_row(tally, &counter->row[i], kind);
        }
    }
    add_row(&lost, further, PAULIMPI_COUNT_ANY);
    is_unknown = phase != NULL && lost.events > 0
                 && find_row(counter, phase) == counter->n_rows;
    pthread_mutex_unlock(&lock);
    if (is_unknown) {
        return paulimpi__error(PAULIMPI_ERR_RANGE,
                               "%s: the counter %s saw more than %d phases; "
                               "%s is none of the first",
                               function, counter->label,
                               PAULIMPI_PHASES_COUNTED, phase);
    }
    return PAULIMPI_SUCCESS;
}

static int
check_query(const paulimpi_counter *counter, const char *function, int kind)
{
    int rc = check_counter(counter, function);

    if (rc == PAULIMPI_SUCCESS
        && (kind < PAULIMPI_COUNT_ANY || kind >= PAULIMPI_COUNT_KINDS)) {
        rc = paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                             "%s: kind is %d, but must be from 0 to %d, or "
                             "PAULIMPI_COUNT_ANY",
                             function, kind, PAULIMPI_COUNT_KINDS - 1);
    }
    return rc;
}

int
paulimpi_counter_get(const paulimpi_counter *counter, const char *phase,
                     int kind, int64_t *events_p, int64_t *bytes_p)
{
    const char *const function = "paulimpi_counter_get";
    paulimpi__tally tally;
    int rc = check_query(counter, function, kind);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__counter_tally(counter, function, phase, kind, &tally);
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    if (events_p != NULL) {
        *events_p = tally.events;
    }
    if (bytes_p != NULL) {
        *bytes_p = tally.bytes;
    }
    return PAULIMPI_SUCCESS;
}

static void
report_tally(paulimpi__text *text, const paulimpi__tally *tally)
{
    paulimpi__text_append(text,
                          ": %" PRId64 " event%s, %" PRId64
                          " bytes, at most %" PRId64 " in one\n",
                          tally->events, tally->events == 1 ? "" : "s",
                          tally->bytes, tally->most);
}

static void
report_row(paulimpi__text *text, const phase_row *row, int kind,
           int is_further)
{
    if (row->kind[kind].events == 0) {
        return;
    }
    paulimpi__text_append(text, "  %s", kind_name[kind]);
    if (is_further) {
        paulimpi__text_append(text, ", further phases");
    } else if (row->name[0] != '\0') {
        paulimpi__text_append(text, ", %s", row->name);
    }
    report_tally(text, &row->kind[kind]);
}

static void
report_place(paulimpi__text *text, const place_row *row, int is_further)
{
    int kind;

    for (kind = 0; kind < PAULIMPI_COUNT_KINDS; kind++) {
        if (row->kind[kind].events == 0) {
            continue;
        }
        if (is_further) {
            paulimpi__text_append(text, "  from further lines: %s",
                                  kind_name[kind]);
        } else {
            paulimpi__text_append(text, "  from %s:%d: %s", row->file,
                                  row->line, kind_name[kind]);
        }
        report_tally(text, &row->kind[kind]);
    }
}

int
paulimpi_counter_report(const paulimpi_counter *counter, char **text_p)
{
    const char *const function = "paulimpi_counter_report";
    paulimpi__text text = PAULIMPI__TEXT_INIT;
    paulimpi__tally all = { 0, 0, 0 };
    int rc = check_counter(counter, function);
    int kind, i;

    if (rc != PAULIMPI_SUCCESS || text_p == NULL) {
        return rc != PAULIMPI_SUCCESS ? rc
                                      : paulimpi__null(function, "text_p");
    }
    pthread_mutex_lock(&lock);
    for (i = 0; i <= PAULIMPI_PHASES_COUNTED; i++) {
        add_row(&all, &counter->row[i], PAULIMPI_COUNT_ANY);
    }
    paulimpi__text_append(
        &text, "%s: %" PRId64 " event%s, %" PRId64 " bytes\n", counter->label,
        all.events, all.events == 1 ? "" : "s", all.bytes);
    for (kind = 0; kind < PAULIMPI_COUNT_KINDS; kind++) {
        for (i = 0; i <= PAULIMPI_PHASES_COUNTED; i++) {
            report_row(&text, &counter->row[i], kind,
                       i == PAULIMPI_PHASES_COUNTED);
        }
    }
    for (i = 0; i <= PAULIMPI_PLACES_COUNTED; i++) {
        report_place(&text, &counter->place[i], i == PAULIMPI_PLACES_COUNTED);
    }
    pthread_mutex_unlock(&lock);
    *text_p = paulimpi__text_take(&text);
    return *text_p != NULL ? PAULIMPI_SUCCESS
                           : paulimpi__no_memory(function, 1);
}

/* Sums of all ranks, and the greatest and least of one. */
static int
reduce(paulimpi_context *ctx, const char *function,
       const paulimpi__tally *tally, paulimpi_count_of_ranks *made)
{
    int64_t sum[2] = { tally->events, tally->bytes };
    int64_t most[4] = { tally->events, tally->bytes, -tally->events,
                        -tally->bytes };
    int rc = paulimpi__reduce_int64(ctx, function, PAULIMPI__SUM, 2, sum);

    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__reduce_int64(ctx, function, PAULIMPI__MAX, 4, most);
    }
    made->all_events = sum[0];
    made->all_bytes = sum[1];
    made->most_events = most[0];
    made->most_bytes = most[1];
    made->least_events = -most[2];
    made->least_bytes = -most[3];
    return rc;
}

int
paulimpi_counter_reduce(paulimpi_context *ctx, const paulimpi_counter *counter,
                        const char *phase, int kind,
                        paulimpi_count_of_ranks *ranks)
{
    const char *const function = "paulimpi_counter_reduce";
    paulimpi_count_of_ranks made = PAULIMPI_COUNT_OF_RANKS_INIT;
    paulimpi__tally tally = { 0, 0, 0 };
    int rc =
        paulimpi__handle_check(ctx, PAULIMPI__HANDLE_CONTEXT, function, "ctx");

    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    rc = check_query(counter, function, kind);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__counter_tally(counter, function, phase, kind, &tally);
    }
    if (rc == PAULIMPI_SUCCESS && ranks == NULL) {
        rc = paulimpi__null(function, "ranks");
    }
    if (rc == PAULIMPI_SUCCESS && ranks->size == 0) {
        rc = paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                             "%s: the size of ranks is 0: start from "
                             "PAULIMPI_COUNT_OF_RANKS_INIT",
                             function);
    }
    rc = paulimpi__agree(ctx, rc);
    if (rc == PAULIMPI_SUCCESS) {
        rc = reduce(ctx, function, &tally, &made);
    }
    if (rc == PAULIMPI_SUCCESS) {
        made.size = ranks->size;
        memcpy(ranks, &made,
               ranks->size < sizeof made ? ranks->size : sizeof made);
    }
    return rc;
}
