/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The device module in several threads at once.
 */
#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "device/device.h"
#include "device/imported.h"
#include "tap/tap.h"

enum { THREADS = 4, ROUNDS = 300, BYTES = 5000 };

static char field[THREADS][16];

/* Bytes of all blocks of the pool. */
static int64_t
pool_bytes(void)
{
    int64_t bytes = -1;

    paulimpi_staging_memory(&bytes, NULL);
    return bytes;
}

/* A block is this thread's alone as long as it has it. */
static int
use_staging(int self)
{
    int good = 1;
    char *block = paulimpi__staging_take(BYTES);

    if (block == NULL) {
        return 0;
    }
    memset(block, self + 1, BYTES);
    good &= block[0] == self + 1 && block[BYTES - 1] == self + 1;
    paulimpi__staging_give(block);
    if (self == 0) {
        paulimpi_staging_trim();
    }
    return good;
}

static int
use_memory(int self)
{
    char from[64], to[64] = "";
    void *memory;
    int rc;

    memset(from, self + 1, sizeof from);
    rc = paulimpi_memory_create(PAULIMPI_MEMORY_PINNED, sizeof from, &memory);
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_memory_copy(memory, from, sizeof from, NULL);
    }
    if (rc == PAULIMPI_SUCCESS) {
        rc = paulimpi_memory_copy(to, memory, sizeof to, NULL);
    }
    paulimpi_memory_destroy(&memory);
    return rc == PAULIMPI_SUCCESS && memcmp(from, to, sizeof to) == 0;
}

static int
use_imports(int self)
{
    char *mine = field[self], *next = field[(self + 1) % THREADS];
    int good = paulimpi_ipc_remember(mine, 16) == PAULIMPI_SUCCESS;

    paulimpi__import_hold(mine + 3);
    paulimpi__import_hold(next);
    (void)is_imported(next);
    good &= is_imported(mine + 15);
    paulimpi__import_release(next);
    paulimpi__import_release(mine + 3);
    good &= paulimpi_ipc_forget(mine) == PAULIMPI_SUCCESS;
    return good & !is_imported(mine);
}

typedef struct {
    int number;
    int good;
} worker;

static void *
work(void *data)
{
    worker *self = data;
    int round;

    for (round = 0; round < ROUNDS; round++) {
        self->good += use_staging(self->number);
        self->good += use_memory(self->number);
        self->good += use_imports(self->number);
    }
    return NULL;
}

int
main(void)
{
    pthread_t thread[THREADS];
    worker workers[THREADS];
    int i;

    for (i = 0; i < THREADS; i++) {
        workers[i] = (worker){ i, 0 };
        if (pthread_create(&thread[i], NULL, work, &workers[i]) != 0) {
            tap_bail("no thread");
        }
    }
    for (i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        tap_is_int(workers[i].good, 3 * ROUNDS, "thread %d was not disturbed",
                   i);
    }
    paulimpi_staging_trim();
    tap_is_int(pool_bytes(), 0, "all blocks were given back");
    return tap_done();
}
