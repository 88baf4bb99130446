/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who is silent. A rank whose time limit is over asks the lowest rank that
 * answers to call the roll: that one calls all ranks, hears who is there, and
 * tells all of them who is not, upon which those who wait give up. Ranks take
 * letters while they wait, and only then: a rank that computes for longer than
 * the limit is silent, too. Letters travel on a communicator on which nobody
 * else speaks of such things.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "comm/call.h"

enum { ASK, CALL, HERE, VERDICT };

typedef struct {
    int kind;
    int is_node;
    int64_t number; /* of the call that the sender is in */
    int64_t token;  /* of a CALL, and of the HERE that answers it */
    double seconds; /* the limit */
    char text[PAULIMPI__VERDICT_TEXT];
} letter;

/* A letter under way, to some ranks. */
struct paulimpi__letters {
    paulimpi__letters *next;
    letter text;
    int n;
    MPI_Request request[];
};

/* A roll call, on the rank that asks or calls. */
typedef struct {
    const paulimpi__call *call;
    paulimpi__is_over *ask;
    void *what;
    char *sentence;
    double seconds; /* the limit that is over */
    double wait;    /* for an answer */
    int me;         /* this rank among those of the call */
    int n;
    int *member;                     /* their ranks in the context */
    unsigned char *is_gone;          /* those that do not answer */
    char other[PAULIMPI__CALL_TEXT]; /* call that a rank is in instead */
    int other_rank;
} roll;

enum { WAITING, OVER, TOLD, SILENT, CALLED_ON };

static const double look_every = 0.001;  /* seconds */
static const double least_wait = 0.3;    /* for an answer */
static const double greatest_wait = 2.0; /* likewise */
enum { MOST_ASKED = 8 };

/* Letters. */

/* Whether there are others, and a way to them: not yet while a context is
 * being made. */
static int
has_post(const paulimpi_context *ctx)
{
    return ctx->size > 1 && ctx->apart != MPI_COMM_NULL;
}

static void
sweep(paulimpi_context *ctx)
{
    paulimpi__letters **link = &ctx->letters;
    int is_done = 0;

    while (*link != NULL) {
        paulimpi__letters *each = *link;

        MPI_Testall(each->n, each->request, &is_done, MPI_STATUSES_IGNORE);
        if (is_done) {
            *link = each->next;
            paulimpi__free(each);
        } else {
            link = &each->next;
        }
    }
}

void
paulimpi__letters_forget(paulimpi_context *ctx)
{
    sweep(ctx);

    /* MPI still reads the others. */
    ctx->letters = NULL;
}

/* Send a letter to n ranks but this one. Without memory for it the others take
 * this rank for silent. */
static void
post(paulimpi_context *ctx, int n, const int *rank, const letter *text)
{
    paulimpi__letters *sent;
    int i;

    sweep(ctx);
    sent =
        paulimpi__alloc(1, sizeof *sent + (size_t)n * sizeof *sent->request);
    if (sent == NULL) {
        return;
    }
    sent->text = *text;
    sent->n = 0;
    for (i = 0; i < n; i++) {
        if (rank[i] != ctx->rank
            && MPI_Isend(&sent->text, sizeof sent->text, MPI_BYTE, rank[i],
                         PAULIMPI__TAG_LETTER, ctx->apart,
                         &sent->request[sent->n])
                   == MPI_SUCCESS) {
            sent->n++;
        }
    }
    sent->next = ctx->letters;
    ctx->letters = sent;
}

static letter
write_letter(const paulimpi__call *call, int kind, int64_t token)
{
    letter text;

    memset(&text, 0, sizeof text);
    text.kind = kind;
    text.is_node = call->is_node;
    text.number = call->number;
    text.token = token;
    return text;
}

static void
answer(const paulimpi__call *call, int rank, int64_t token)
{
    letter text = write_letter(call, HERE, token);
    char where[PAULIMPI__CALL_TEXT];

    paulimpi__call_describe(call, where);
    snprintf(text.text, sizeof text.text, "%s", where);
    post(call->ctx, 1, &rank, &text);
}

/* Take the next letter, if there is one; calls are answered at once. */
static int
take(const paulimpi__call *call, letter *text, int *from_p)
{
    MPI_Comm comm = call->ctx->apart;
    MPI_Status status;
    int is_there = 0;

    if (MPI_Iprobe(MPI_ANY_SOURCE, PAULIMPI__TAG_LETTER, comm, &is_there,
                   &status)
            != MPI_SUCCESS
        || !is_there
        || MPI_Recv(text, sizeof *text, MPI_BYTE, status.MPI_SOURCE,
                    PAULIMPI__TAG_LETTER, comm, MPI_STATUS_IGNORE)
               != MPI_SUCCESS) {
        return 0;
    }
    *from_p = status.MPI_SOURCE;
    if (text->kind == CALL) {
        answer(call, *from_p, text->token);
    }
    return 1;
}

/* Whether a rank that asks is in the same call; it is told if not. */
static int
is_asked_well(const paulimpi__call *call, const letter *text, int from)
{
    if (text->is_node == call->is_node && text->number >= call->number) {
        return 1;
    }
    answer(call, from, 0);
    return 0;
}

/* Ranks. */

/* Who takes part in the call. */
static int
list_members(roll *r)
{
    MPI_Comm comm = paulimpi__call_comm(r->call);
    MPI_Group here, all;
    int i;

    MPI_Comm_rank(comm, &r->me);
    MPI_Comm_size(comm, &r->n);
    r->member = paulimpi__alloc((size_t)r->n, 2 * sizeof *r->member);
    r->is_gone = paulimpi__alloc_zero((size_t)r->n, 1);
    if (r->member == NULL || r->is_gone == NULL) {
        return 0;
    }
    for (i = 0; i < r->n; i++) {
        r->member[i] = i;
    }
    if (r->call->is_node) {
        memcpy(r->member + r->n, r->member, (size_t)r->n * sizeof *r->member);
        MPI_Comm_group(comm, &here);
        MPI_Comm_group(r->call->ctx->comm, &all);
        MPI_Group_translate_ranks(here, r->n, r->member + r->n, all,
                                  r->member);
        MPI_Group_free(&here);
        MPI_Group_free(&all);
    }
    return 1;
}

/* The place of a rank of the context among the members, n if it has none. */
static int
place_of(const roll *r, int rank)
{
    int i;

    for (i = r->call->is_node ? 0 : rank; i < r->n && r->member[i] != rank;
         i++) {
    }
    return i;
}

static void
nap(void)
{
    struct timespec pause = { 0, 200000 };

    nanosleep(&pause, NULL);
}

/* Calling. */

static void
hear_one(roll *r, const letter *text, int from, int *n_left)
{
    int i = place_of(r, from);

    if (i < r->n && r->is_gone[i]) {
        r->is_gone[i] = 0;
        --*n_left;
    }
    if (r->other[0] == '\0' && text->kind == HERE
        && (text->is_node != r->call->is_node
            || text->number != r->call->number)) {
        snprintf(r->other, sizeof r->other, "%.*s", PAULIMPI__CALL_TEXT - 1,
                 text->text);
        r->other_rank = from;
    }
}

/* Call everyone and hear who is there. */
static int
hear_all(roll *r)
{
    letter text = write_letter(r->call, CALL, ++r->call->ctx->n_rolls);
    int64_t token = text.token;
    double end = paulimpi__seconds() + r->wait;
    int n_left = r->n - 1;
    int from = 0;

    memset(r->is_gone, 1, (size_t)r->n);
    r->is_gone[r->me] = 0;
    post(r->call->ctx, r->n, r->member, &text);
    while (n_left > 0 && paulimpi__seconds() < end) {
        if (r->ask(r->what)) {
            return OVER;
        }
        if (!take(r->call, &text, &from)) {
            nap();
        } else if (text.kind == VERDICT) {
            snprintf(r->sentence, PAULIMPI__VERDICT_TEXT, "%s", text.text);
            return TOLD;
        } else if (text.kind == ASK
                   || (text.kind == HERE && text.token == token)) {
            hear_one(r, &text, from, &n_left);
        }
    }
    return n_left == 0 ? WAITING : SILENT;
}

static void
name_silent(const roll *r)
{
    char where[PAULIMPI__CALL_TEXT];
    char ranks[PAULIMPI__RANKS_TEXT];

    paulimpi__call_describe(r->call, where);
    paulimpi__ranks_describe(r->n, r->is_gone, r->member, ranks);
    snprintf(r->sentence, PAULIMPI__VERDICT_TEXT,
             "%s: no answer for %g seconds from %s", where, r->seconds, ranks);
}

static void
name_other(const roll *r)
{
    char where[PAULIMPI__CALL_TEXT];

    paulimpi__call_describe(r->call, where);
    if (r->other[0] == '\0') {
        snprintf(r->sentence, PAULIMPI__VERDICT_TEXT,
                 "%s: not complete within %g seconds, though all ranks "
                 "answer: is PAULIMPI_TIMEOUT too short?",
                 where, r->seconds);
    } else {
        snprintf(r->sentence, PAULIMPI__VERDICT_TEXT,
                 "%s: not complete within %g seconds, as rank %d waits in "
                 "another call: %s",
                 where, r->seconds, r->other_rank, r->other);
    }
}

/* Call the roll and tell everyone the outcome. */
static int
call_roll(roll *r)
{
    letter text = write_letter(r->call, VERDICT, 0);
    int found = hear_all(r);

    if (found == OVER || found == TOLD) {
        return found;
    }
    if (found == SILENT) {
        name_silent(r);
    } else {
        name_other(r);
    }

    /* Those that are silent now, too: they may come to themselves. */
    snprintf(text.text, sizeof text.text, "%s", r->sentence);
    post(r->call->ctx, r->n, r->member, &text);
    return TOLD;
}

/* Asking. */

/* Ask a rank to call, and wait for what it tells. */
static int
ask_one(roll *r, int i)
{
    letter text = write_letter(r->call, ASK, 0);
    double end = paulimpi__seconds() + r->wait;
    int from = 0;

    text.seconds = r->seconds;
    post(r->call->ctx, 1, &r->member[i], &text);
    while (paulimpi__seconds() < end) {
        if (r->ask(r->what)) {
            return OVER;
        }
        if (!take(r->call, &text, &from)) {
            nap();
        } else if (text.kind == VERDICT) {
            snprintf(r->sentence, PAULIMPI__VERDICT_TEXT, "%s", text.text);
            return TOLD;
        } else if (text.kind == CALL) {
            end = paulimpi__seconds() + 2.0 * r->wait;
        } else if (text.kind == HERE && from == r->member[i]) {
            return WAITING;
        } else if (text.kind == ASK && is_asked_well(r->call, &text, from)) {
            return CALLED_ON;
        }
    }
    r->is_gone[i] = 1;
    return SILENT;
}

static int
ask_around(roll *r)
{
    int found = WAITING;
    int i;

    for (i = 0; i < r->n && i < MOST_ASKED; i++) {
        if (i == r->me) {
            return call_roll(r);
        }
        found = ask_one(r, i);
        if (found == CALLED_ON) {
            return call_roll(r);
        }
        if (found == OVER || found == TOLD) {
            return found;
        }
    }

    /* The lowest are silent: that will do. */
    return call_roll(r);
}

/* Find out who is silent, on behalf of this rank or of another that asks. */
static int
find_out(const paulimpi__call *call, double seconds, int is_asked,
         paulimpi__is_over *ask, void *what,
         char sentence[PAULIMPI__VERDICT_TEXT])
{
    roll r = { .call = call,
               .ask = ask,
               .what = what,
               .sentence = sentence,
               .seconds = seconds };
    char where[PAULIMPI__CALL_TEXT];
    int found = TOLD;

    r.wait = 2.0 * seconds;
    r.wait = r.wait < least_wait      ? least_wait
             : r.wait > greatest_wait ? greatest_wait
                                      : r.wait;
    if (list_members(&r)) {
        found = is_asked ? call_roll(&r) : ask_around(&r);
    } else {
        paulimpi__call_describe(call, where);
        snprintf(sentence, PAULIMPI__VERDICT_TEXT,
                 "%s: not complete within %g seconds, and no memory to find "
                 "out which rank is silent",
                 where, seconds);
    }
    paulimpi__free(r.member);
    paulimpi__free(r.is_gone);
    return found == OVER ? 1 : PAULIMPI_ERR_TIMEOUT;
}

int
paulimpi__call_look_back(const paulimpi__call *call,
                         char sentence[PAULIMPI__VERDICT_TEXT])
{
    letter text;
    int from = 0;

    while (has_post(call->ctx) && paulimpi__timeout() > 0.0
           && take(call, &text, &from)) {
        if (text.kind == VERDICT) {
            snprintf(sentence, PAULIMPI__VERDICT_TEXT, "%s", text.text);
            return PAULIMPI_ERR_TIMEOUT;
        }
        if (text.kind == ASK) {
            answer(call, from, 0);
        }
    }
    return 0;
}

int
paulimpi__call_look(const paulimpi__call *call, paulimpi__patience *patience,
                    paulimpi__is_over *ask, void *what,
                    char sentence[PAULIMPI__VERDICT_TEXT])
{
    double now = paulimpi__seconds();
    letter text;
    int from = 0;

    if (!has_post(call->ctx)) {
        return 0;
    }
    if (patience->start == 0.0) {
        patience->start = now;
        patience->next = now + look_every;
    }
    if (now < patience->next) {
        return 0;
    }
    patience->next = now + look_every;
    while (take(call, &text, &from)) {
        if (text.kind == VERDICT) {
            snprintf(sentence, PAULIMPI__VERDICT_TEXT, "%s", text.text);
            return PAULIMPI_ERR_TIMEOUT;
        }
        if (text.kind == ASK && is_asked_well(call, &text, from)) {
            return find_out(call, text.seconds, 1, ask, what, sentence);
        }
    }
    if (patience->limit > 0.0 && now - patience->start > patience->limit) {
        return find_out(call, patience->limit, 0, ask, what, sentence);
    }
    return 0;
}
