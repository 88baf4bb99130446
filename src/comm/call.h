/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls that ranks make together, none of which waits for ever: what the files
 * of the comm module that make them share.
 *
 *     paulimpi__call call = { ctx, 0, function, KIND, a, b, 0 };
 *
 *     rc = paulimpi__call_begin(&call);
 *     ...
 *     code = MPI_Iallreduce(..., &request);
 *     rc = paulimpi__call_wait(&call, code, "MPI_Iallreduce", &request);
 *
 * What a collective operation reads and writes must stay if it is given up: it
 * is in the scratch of the context, or on the heap and then nobody frees it.
 */
#ifndef PAULIMPI_SRC_COMM_CALL_H
#define PAULIMPI_SRC_COMM_CALL_H

#include "comm/state.h"

/* What the ranks do together; a and b of a call are the numbers in the text. */
enum {
    PAULIMPI__CALL_AGREE, /* agreement */
    PAULIMPI__CALL_SUM,   /* sum of a numbers */
    PAULIMPI__CALL_MAX,
    PAULIMPI__CALL_MIN,
    PAULIMPI__CALL_SHARE,  /* a bytes from rank b */
    PAULIMPI__CALL_GATHER, /* a bytes of each rank */
    PAULIMPI__CALL_MEET,   /* nothing but that all are there */
    PAULIMPI__CALL_MOVE    /* messages between all ranks */
};

typedef struct {
    paulimpi_context *ctx;
    int is_node;          /* the ranks of the node, else all */
    const char *function; /* that the user called */
    int kind;             /* PAULIMPI__CALL_... */
    int64_t a;
    int64_t b;
    int64_t number; /* of the call on this rank: set when it begins */
} paulimpi__call;

enum { PAULIMPI__CALL_TEXT = 128 };

static inline MPI_Comm
paulimpi__call_comm(const paulimpi__call *call)
{
    return call->is_node ? call->ctx->node : call->ctx->comm;
}

/* wait.c: "paulimpi_x: sum of 3 numbers". */
void paulimpi__call_describe(const paulimpi__call *call,
                             char text[PAULIMPI__CALL_TEXT]);

/* wait.c: begin. PAULIMPI_ERR_STATE if an earlier call broke the context; with
 * PAULIMPI_CHECK=collective PAULIMPI_ERR_MISMATCH, on all ranks, if they do not
 * all begin the same, which breaks it. */
int paulimpi__call_begin(paulimpi__call *call);

/* wait.c: wait for what an MPI function began, which returned mpi_code.
 * PAULIMPI_ERR_TIMEOUT breaks the context. */
int paulimpi__call_wait(const paulimpi__call *call, int mpi_code,
                        const char *mpi_name, MPI_Request *request);

/* wait.c: the same where there is no context yet, so that nobody can be named;
 * limit is in seconds, 0 for none. After PAULIMPI_ERR_TIMEOUT MPI still uses
 * what it was given. */
int paulimpi__wait_alone(const char *function, double limit, int mpi_code,
                         const char *mpi_name, MPI_Request *request);

/* wait.c: let later calls on the context fail with a sentence. With is_lost MPI
 * may still touch memory and communicators of it, which nobody frees then. */
int paulimpi__call_break(paulimpi_context *ctx, int code, int is_lost,
                         const char *sentence);

/* settings.c: seconds that PAULIMPI_TIMEOUT says, and whether PAULIMPI_CHECK
 * asks for collective checks; 0 too for a variable that cannot be, which is
 * the business of those who agree. */
double paulimpi__timeout(void);
int paulimpi__check_is_collective(void);

/* step.c: whether all ranks begin the same call; the context is broken if
 * not. */
int paulimpi__call_compare(const paulimpi__call *call);

/* reduce.c: whole calls, for which nothing has begun yet; of the node, too.
 * values has call->a numbers, bytes and mine call->a bytes. */
int paulimpi__call_reduce(paulimpi__call *call, int64_t *values);
int paulimpi__call_share(paulimpi__call *call, void *bytes);
int paulimpi__call_gather(paulimpi__call *call, const void *mine, void *all);
int paulimpi__call_meet(paulimpi__call *call);

/* roll_call.c: what a wait knows of the time. */
typedef struct {
    double start; /* 0: it has not been looked at yet */
    double next;  /* look for letters */
    double limit; /* 0: none */
} paulimpi__patience;

/* Ask request, or what else a wait is for: 1 if it is over. */
typedef int paulimpi__is_over(void *what);

/* Look at the clock and the letters of other ranks, which are answered. 0: go
 * on waiting, 1: what was waited for came meanwhile;
 * PAULIMPI_ERR_TIMEOUT: give up, with the sentence that says who is silent. */
enum { PAULIMPI__VERDICT_TEXT = 512 };
int paulimpi__call_look(const paulimpi__call *call,
                        paulimpi__patience *patience, paulimpi__is_over *ask,
                        void *what, char sentence[PAULIMPI__VERDICT_TEXT]);

/* What was waited for has come. 0, or PAULIMPI_ERR_TIMEOUT if other ranks have
 * given up meanwhile: this one was silent. */
int paulimpi__call_look_back(const paulimpi__call *call,
                             char sentence[PAULIMPI__VERDICT_TEXT]);

/* Forget letters that nobody has taken. */
void paulimpi__letters_forget(paulimpi_context *ctx);

/* rank_list.c: "rank 3", "ranks 3, 5, 7", "ranks 0, 1, 2, 3, 4, 5, 6, 7 and 12
 * more" of those of n that is_in says; rank_of is NULL if they have their own
 * numbers. */
enum { PAULIMPI__RANKS_TEXT = 160 };
void paulimpi__ranks_describe(int64_t n, const unsigned char *is_in,
                              const int *rank_of,
                              char text[PAULIMPI__RANKS_TEXT]);

#endif /* PAULIMPI_SRC_COMM_CALL_H */
