/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mock of NCCL: boxes that ranks of a node share. The file is opened by its
 * number in the process that made it, so that nothing is left when processes
 * end in whatever way.
 */
#include "mock/nccl_boxes.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mock/mock.h"

enum { BOX = 4096 };

typedef struct {
    atomic_int is_full;
    size_t total; /* bytes of the message */
    size_t bytes; /* in the box */
    char data[BOX];
} box;

struct boxes {
    atomic_int is_aborted;
    atomic_int device[MOST_BOXED]; /* and 1; 0: not there yet */
    box box[MOST_BOXED][MOST_BOXED];
};

int
boxes_create(char *text, size_t size)
{
    int fd = memfd_create("mock-nccl", MFD_CLOEXEC);

    memset(text, 0, size);
    snprintf(text, size, "/proc/%d/fd/%d", (int)getpid(), fd);
    return fd >= 0 && ftruncate(fd, sizeof(boxes)) == 0;
}

boxes *
boxes_open(const char *text)
{
    int fd = open(text, O_RDWR | O_CLOEXEC);
    void *all = MAP_FAILED;

    if (fd >= 0) {
        all = mmap(NULL, sizeof(boxes), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                   0);
        close(fd);
    }
    return all == MAP_FAILED ? NULL : all;
}

void
boxes_close(boxes *all)
{
    munmap(all, sizeof *all);
}

void
boxes_enter(boxes *all, int rank, int device)
{
    atomic_store(&all->device[rank], device + 1);
}

int
boxes_are_entered(const boxes *all, int n)
{
    int i;

    for (i = 0; i < n && atomic_load(&all->device[i]) != 0; i++) {
    }
    return i == n;
}

int
boxes_differ(const boxes *all, int n)
{
    int i, j;

    for (i = 0; i < n; i++) {
        for (j = 0; j < i; j++) {
            if (atomic_load(&all->device[i]) == atomic_load(&all->device[j])) {
                return 0;
            }
        }
    }
    return 1;
}

void
boxes_abort(boxes *all)
{
    atomic_store(&all->is_aborted, 1);
}

int
boxes_is_aborted(const boxes *all)
{
    return atomic_load(&all->is_aborted);
}

static size_t
next_bytes(const boxes_side *side)
{
    size_t left = side->bytes - side->done;

    return left < BOX ? left : BOX;
}

int
boxes_send(boxes *all, int from, int to, boxes_side *side)
{
    box *it = &all->box[from][to];
    size_t n = next_bytes(side);

    if (atomic_load(&it->is_full)) {
        return 0;
    }
    if (n == 0) {
        return 1;
    }
    it->total = side->bytes;
    it->bytes = n;
    memcpy(it->data, mock_find()->reach(side->memory + side->done, n), n);
    side->done += n;
    atomic_store(&it->is_full, 1);
    return 0;
}

int
boxes_receive(boxes *all, int from, int to, boxes_side *side)
{
    box *it = &all->box[from][to];

    if (!atomic_load(&it->is_full)) {
        return 0;
    }
    if (it->total != side->bytes) {
        fprintf(stderr, "mock: %zu bytes were sent, %zu are received\n",
                it->total, side->bytes);
        boxes_abort(all);
        return 0;
    }
    memcpy(mock_find()->reach(side->memory + side->done, it->bytes), it->data,
           it->bytes);
    side->done += it->bytes;
    atomic_store(&it->is_full, 0);
    return side->done == side->bytes;
}
