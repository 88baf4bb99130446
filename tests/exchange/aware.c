/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is answered of memory of devices, and how ranks come to the same.
 */
#include <stdlib.h>
#include <string.h>

#include "exchange/awareness.h"
#include "tap/tap_mpi.h"

static int rank, size;
static paulimpi_context *ctx;
static int fault;

/* Stands before that of MPI: messages are zeros if fault says so. */
int
MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag,
          MPI_Comm comm, MPI_Request *request)
{
    static char zeros[4 << 20];

    return PMPI_Isend(fault ? zeros : buffer, count, type, to, tag, comm,
                      request);
}

static void
make_context(void)
{
    if (paulimpi_context_create(MPI_COMM_WORLD, NULL, &ctx)
        != PAULIMPI_SUCCESS) {
        tap_mpi_bail("no context: %s", paulimpi_last_error());
    }
}

/* Whether the answer is this one, for a reason with this part. */
static int
is_answer(int kind, int operation, int state, const char *part)
{
    char *reason = NULL;
    int got = 99;
    int is_right;

    if (paulimpi_aware(ctx, kind, operation, &got, &reason)
        != PAULIMPI_SUCCESS) {
        tap_note("%s", paulimpi_last_error());
        return 0;
    }
    is_right = got == state && strstr(reason, part) != NULL;
    if (!is_right) {
        tap_note("rank %d: %d, %s", rank, got, reason);
    }
    paulimpi_text_destroy(&reason);
    return is_right;
}

static void
test_arguments(void)
{
    int state = 99;

    make_context();
    tap_mpi_is_status(paulimpi_aware(NULL, 0, 0, &state, NULL),
                      PAULIMPI_ERR_ARGUMENT, "a context is needed");
    tap_mpi_is_status(paulimpi_aware(ctx, -1, 0, &state, NULL),
                      PAULIMPI_ERR_ARGUMENT, "and a kind");
    tap_mpi_is_status(
        paulimpi_aware(ctx, PAULIMPI_MEMORY_KINDS, 0, &state, NULL),
        PAULIMPI_ERR_ARGUMENT, "of those that there are");
    tap_mpi_is_status(
        paulimpi_aware(ctx, 0, PAULIMPI_OPERATIONS, &state, NULL),
        PAULIMPI_ERR_ARGUMENT, "and an operation");
    tap_mpi_is_status(paulimpi_aware(ctx, 0, 0, NULL, NULL),
                      PAULIMPI_ERR_ARGUMENT, "and a place for the answer");
    tap_mpi_ok(state == 99, "which is not written otherwise");
    paulimpi__alloc_fail_at(1);
    {
        char *reason = NULL;

        tap_mpi_is_status(paulimpi_aware(ctx, 0, 0, &state, &reason),
                          PAULIMPI_ERR_MEMORY, "a reason takes memory");
        paulimpi__alloc_fail_at(0);
    }
    tap_mpi_is_status(paulimpi_aware_probe(NULL), PAULIMPI_ERR_ARGUMENT,
                      "no context, no probe");
    tap_mpi_is_status(paulimpi_aware_require(NULL), PAULIMPI_ERR_ARGUMENT,
                      "and nothing to ask for");
    paulimpi_context_destroy(&ctx);
}

static void
test_no_device(void)
{
    make_context();
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_HOST, 0, PAULIMPI_AWARE_YES, "host"),
               "memory of the host is fine");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_PINNED, PAULIMPI_OPERATION_ONE_SIDED,
                         PAULIMPI_AWARE_YES, "host"),
               "also where it is pinned");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_IMPORTED, 0, PAULIMPI_AWARE_NO,
                         "never reaches MPI"),
               "that of another process is not");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_UNKNOWN,
                         "nobody has looked"),
               "nothing is known of devices at first");
    tap_mpi_is_status(paulimpi_aware_require(ctx), PAULIMPI_SUCCESS,
                      "without a device there is nothing to ask for");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_NO,
                         "there is no device"),
               "and then it is known why");
    tap_mpi_is_status(paulimpi_aware_probe(ctx), PAULIMPI_SUCCESS,
                      "looking again costs nothing");
    paulimpi_context_destroy(&ctx);

    make_context();
    tap_mpi_is_status(paulimpi__aware_find_if(ctx, 0), PAULIMPI_SUCCESS,
                      "a call that needs no answer");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_NO,
                         "there is no device"),
               "gets it where it costs nothing");
    paulimpi_context_destroy(&ctx);
}

static void
test_set(void)
{
    make_context();
    tap_mpi_is_status(paulimpi_aware_set(ctx, PAULIMPI_MEMORY_DEVICE,
                                         PAULIMPI_OPERATION_ONE_SIDED,
                                         PAULIMPI_AWARE_YES),
                      PAULIMPI_SUCCESS, "it can be said");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, PAULIMPI_OPERATION_ONE_SIDED,
                         PAULIMPI_AWARE_YES, "paulimpi_aware_set"),
               "and counts");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, PAULIMPI_OPERATION_MESSAGE,
                         PAULIMPI_AWARE_UNKNOWN, "nobody"),
               "for this operation");
    tap_mpi_is_status(paulimpi_aware_set(ctx, PAULIMPI_AWARE_ALL,
                                         PAULIMPI_AWARE_ALL,
                                         PAULIMPI_AWARE_NO),
                      PAULIMPI_SUCCESS, "or for all of them");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_VIRTUAL,
                         PAULIMPI_OPERATION_NONBLOCKING_COLLECTIVE,
                         PAULIMPI_AWARE_NO, "paulimpi_aware_set"),
               "and all kinds");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_HOST, 0, PAULIMPI_AWARE_YES, "host"),
               "but the host's");
    paulimpi_aware_set(ctx, PAULIMPI_AWARE_ALL, PAULIMPI_AWARE_ALL,
                       PAULIMPI_AWARE_UNKNOWN);
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, PAULIMPI_OPERATION_ONE_SIDED,
                         PAULIMPI_AWARE_UNKNOWN, "nobody"),
               "and be taken back");
}

static void
test_set_refused(void)
{
    tap_mpi_is_status(paulimpi_aware_set(NULL, PAULIMPI_MEMORY_DEVICE, 0, 1),
                      PAULIMPI_ERR_ARGUMENT, "not without a context");
    tap_mpi_is_status(paulimpi_aware_set(ctx, PAULIMPI_MEMORY_HOST, 0, 0),
                      PAULIMPI_ERR_ARGUMENT, "not of the host's memory");
    tap_mpi_is_status(paulimpi_aware_set(ctx, PAULIMPI_MEMORY_IMPORTED, 0, 1),
                      PAULIMPI_ERR_ARGUMENT, "nor of another process's");
    tap_mpi_is_status(paulimpi_aware_set(ctx, PAULIMPI_MEMORY_DEVICE, 4, 1),
                      PAULIMPI_ERR_ARGUMENT, "nor of no operation");
    tap_mpi_is_status(paulimpi_aware_set(ctx, PAULIMPI_MEMORY_DEVICE, 0, 2),
                      PAULIMPI_ERR_ARGUMENT, "nor what is no answer");
    tap_mpi_is_status(paulimpi_aware_set(ctx, PAULIMPI_MEMORY_DEVICE, 0,
                                         rank == size - 1 ? 5 : 1),
                      rank == size - 1 ? PAULIMPI_ERR_ARGUMENT
                                       : PAULIMPI_ERR_REMOTE,
                      "nor by one rank");
    tap_mpi_is_status(
        paulimpi_aware_set(ctx, PAULIMPI_MEMORY_DEVICE, 0, rank == size - 1),
        PAULIMPI_ERR_MISMATCH, "nor in another way on each");
    tap_mpi_ok(
        is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_UNKNOWN, "nobody"),
        "after which nothing has changed");
    paulimpi_context_destroy(&ctx);
}

static const paulimpi__hints willing = {
    .n_devices = 1,
    .family = PAULIMPI__MPI_OPENMPI,
    .is_active = 1,
    .query = 1,
    .query_by = "Q()",
};

static void
find(const paulimpi__hints *hints, const char *fact)
{
    make_context();
    tap_mpi_is_status(paulimpi__aware_find_by(ctx, hints), PAULIMPI_SUCCESS,
                      "%s", fact);
}

static void
test_wishes(void)
{
    paulimpi__hints hints = willing;

    hints.wish = PAULIMPI__WISH_NO;
    find(&hints, "PAULIMPI_GPU_AWARE=no");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_NO,
                         "PAULIMPI_GPU_AWARE is no"),
               "is believed");
    paulimpi_context_destroy(&ctx);

    /* What is never tried cannot go wrong. */
    hints.wish = PAULIMPI__WISH_YES;
    fault = 1;
    find(&hints, "PAULIMPI_GPU_AWARE=yes");
    fault = 0;
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_VIRTUAL,
                         PAULIMPI_OPERATION_COLLECTIVE, PAULIMPI_AWARE_YES,
                         "PAULIMPI_GPU_AWARE is yes"),
               "is believed");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE,
                         PAULIMPI_OPERATION_NONBLOCKING_COLLECTIVE,
                         PAULIMPI_AWARE_NO, "paulimpi_aware_set"),
               "but not of nonblocking collective operations");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, PAULIMPI_OPERATION_ONE_SIDED,
                         PAULIMPI_AWARE_NO, "one-sided"),
               "nor of one-sided ones");
    paulimpi_aware_set(ctx, PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_NO);
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_NO,
                         "paulimpi_aware_set"),
               "and paulimpi_aware_set() wins");
    paulimpi_context_destroy(&ctx);

    hints.wish = PAULIMPI__WISH_PROBE;
    hints.query = 0;
    find(&hints, "PAULIMPI_GPU_AWARE=probe");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_YES,
                         "is probe; it was tried"),
               "tries an MPI that says no");
    tap_mpi_is_status(paulimpi_aware_require(ctx), PAULIMPI_SUCCESS,
                      "which may then be asked for");
    paulimpi_context_destroy(&ctx);
}

static void
test_hints(void)
{
    paulimpi__hints hints = willing;

    find(&hints, "an MPI that says yes");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_POOL, PAULIMPI_OPERATION_COLLECTIVE,
                         PAULIMPI_AWARE_YES,
                         "Q() says yes; it was tried, and the bytes were"),
               "is tried");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_VIRTUAL, 0, PAULIMPI_AWARE_NO,
                         "virtual memory is not tried"),
               "but not with memory that was mapped by hand");
    paulimpi_context_destroy(&ctx);

    fault = 1;
    find(&hints, "one that is wrong about itself");
    fault = 0;
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_NO,
                         "Q() says yes; but in a message of 4194304 bytes "
                         "between ranks of a node, other bytes came than "
                         "were sent (rank "),
               "is found out");
    tap_mpi_is_status(paulimpi_aware_require(ctx), PAULIMPI_ERR_UNSUPPORTED,
                      "and cannot be asked for");
    tap_mpi_ok(strstr(paulimpi_last_error(), "other bytes came") != NULL
                   && strstr(paulimpi_last_error(), "paulimpi_exchange()")
                          != NULL,
               "as the sentence says on all ranks");
    paulimpi_context_destroy(&ctx);

    hints.query = rank == size - 1 ? 0 : 1;
    find(&hints, "one that says no on a rank");
    tap_mpi_ok(
        is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_NO, "Q() says no"),
        "says no on all");
    paulimpi_context_destroy(&ctx);

    hints.query = rank == 0 ? -1 : 1;
    find(&hints, "one that does not answer on a rank");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_UNKNOWN,
                         "did not answer"),
               "does not on all");
    paulimpi_context_destroy(&ctx);

    hints.query = rank == size - 1 ? 0 : 1;
    hints.n_devices = rank == size - 1 ? 0 : 1;
    find(&hints, "a rank without a device");
    tap_mpi_ok(is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_YES,
                         "Q() says yes"),
               "has no say");
    paulimpi_context_destroy(&ctx);
}

static void
test_bad_variables(void)
{
    make_context();
    if (rank == 0) {
        setenv("PAULIMPI_GPU_AWARE", "sure", 1);
    }
    tap_mpi_is_status(paulimpi_aware_probe(ctx),
                      rank == 0 ? PAULIMPI_ERR_ARGUMENT : PAULIMPI_ERR_REMOTE,
                      "PAULIMPI_GPU_AWARE=sure is refused");
    unsetenv("PAULIMPI_GPU_AWARE");
    if (rank == size - 1) {
        setenv("PAULIMPI_PROBE_TIMEOUT", "0", 1);
    }
    tap_mpi_is_status(paulimpi_aware_probe(ctx),
                      rank == size - 1 ? PAULIMPI_ERR_ARGUMENT
                                       : PAULIMPI_ERR_REMOTE,
                      "PAULIMPI_PROBE_TIMEOUT=0 too");
    unsetenv("PAULIMPI_PROBE_TIMEOUT");
    paulimpi_context_destroy(&ctx);
    make_context();
    if (rank == size - 1) {
        paulimpi__alloc_fail_at(1);
    }
    tap_mpi_ok(paulimpi_aware_probe(ctx) != PAULIMPI_SUCCESS,
               "and no memory on a rank");
    paulimpi__alloc_fail_at(0);
    tap_mpi_is_status(paulimpi_aware_probe(ctx), PAULIMPI_SUCCESS,
                      "after which it can still be found out");
    paulimpi_context_destroy(&ctx);
}

static void
test_serial(void)
{
    paulimpi_context_create_serial(NULL, &ctx);
    tap_mpi_is_status(paulimpi__aware_find_by(ctx, &willing), PAULIMPI_SUCCESS,
                      "a context without MPI");
    tap_mpi_ok(
        is_answer(PAULIMPI_MEMORY_DEVICE, 0, PAULIMPI_AWARE_NO, "without MPI"),
        "gives MPI nothing");
    tap_mpi_is_status(paulimpi_aware_set(ctx, PAULIMPI_MEMORY_DEVICE, 0, 1),
                      PAULIMPI_SUCCESS, "whatever is said");
    paulimpi_context_destroy(&ctx);
}

/* Wherever memory runs out. */
static int
fails_well(paulimpi_context *context)
{
    char *text = NULL;
    int64_t n = 0;
    int n_wrong = 0;
    int rc;

    do {
        paulimpi__alloc_fail_at(++n);
        rc = paulimpi_aware_describe(context, &text);
        n_wrong += rc != PAULIMPI_SUCCESS
                   && (rc != PAULIMPI_ERR_MEMORY || text != NULL);
    } while (rc != PAULIMPI_SUCCESS && n < 200);
    paulimpi__alloc_fail_at(0);
    paulimpi_text_destroy(&text);
    return n > 1 && n_wrong == 0 && rc == PAULIMPI_SUCCESS;
}

static void
test_describe(void)
{
    char *text = NULL;

    make_context();
    tap_mpi_is_status(paulimpi_aware_describe(NULL, NULL),
                      PAULIMPI_ERR_ARGUMENT, "a text needs a place");
    setenv("UCX_TLS", "self,sm", 1);
    tap_mpi_is_status(paulimpi_aware_describe(NULL, &text), PAULIMPI_SUCCESS,
                      "what is known is told without a context");
    tap_mpi_ok(strncmp(text, "GPU: ", 5) == 0
                   && strstr(text, "\nGPU aware MPI by configure: ") != NULL
                   && strstr(text, "\nGPU aware MPI here: ") != NULL
                   && strstr(text, "\nMPI memory kinds: ") != NULL
                   && strstr(text, " UCX_TLS=self,sm") != NULL,
               "in some lines");
    paulimpi_text_destroy(&text);
    unsetenv("UCX_TLS");
    tap_mpi_is_status(paulimpi_aware_describe(ctx, &text), PAULIMPI_SUCCESS,
                      "and with one");
    tap_mpi_ok(strstr(text, "\nMPI takes memory of devices: unknown, nobody")
                   != NULL,
               "in one more, where all answers are the same");
    paulimpi_text_destroy(&text);
    paulimpi_aware_set(ctx, PAULIMPI_MEMORY_DEVICE,
                       PAULIMPI_OPERATION_ONE_SIDED, PAULIMPI_AWARE_YES);
    paulimpi_aware_describe(ctx, &text);
    tap_mpi_ok(strstr(text, "\nMPI takes device memory in one sided "
                            "operations: yes, paulimpi_aware_set() said so\n")
                       != NULL
                   && strstr(text, "\nMPI takes device memory in messages: "
                                   "unknown, nobody")
                          != NULL,
               "in more");
    paulimpi_text_destroy(&text);
    tap_mpi_ok(fails_well(NULL) && fails_well(ctx),
               "wherever memory runs out: a code");
    paulimpi_context_destroy(&ctx);
}

int
main(int argc, char **argv)
{
    int provided, status;

    /* On a mock of CUDA there would be devices. */
    setenv("PAULIMPI_MOCK_NO_DRIVER", "1", 1);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    tap_mpi_begin(argv[0]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    unsetenv("PAULIMPI_GPU_AWARE");
    unsetenv("PAULIMPI_PROBE_TIMEOUT");
    test_arguments();
    test_no_device();
    test_set();
    test_set_refused();
    test_wishes();
    test_hints();
    test_bad_variables();
    test_serial();
    test_describe();
    status = tap_mpi_done();
    MPI_Finalize();
    return status;
}
