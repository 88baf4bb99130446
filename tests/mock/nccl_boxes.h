/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the mock of NCCL moves bytes: a memory file with a box for each pair of
 * ranks, which holds some bytes of a message at a time.
 */
#ifndef TESTS_MOCK_NCCL_BOXES_H
#define TESTS_MOCK_NCCL_BOXES_H

#include <stddef.h>

enum { MOST_BOXED = 8 };

typedef struct boxes boxes;

/* An end of a message, and how far it is. */
typedef struct {
    char *memory;
    size_t bytes;
    size_t done;
} boxes_side;

/* Make a file and write into text how others find it; and open it, which the
 * one who made it does, too. 0 and NULL on failure. */
int boxes_create(char *text, size_t size);
boxes *boxes_open(const char *text);
void boxes_close(boxes *all);

/* Tell that a rank is there, with its device; whether all are, and whether
 * their devices differ. */
void boxes_enter(boxes *all, int rank, int device);
int boxes_are_entered(const boxes *all, int n);
int boxes_differ(const boxes *all, int n);

/* End all messages, for all ranks; also done by lengths that differ. */
void boxes_abort(boxes *all);
int boxes_is_aborted(const boxes *all);

/* Push a message on: 1 when it is complete. */
int boxes_send(boxes *all, int from, int to, boxes_side *side);
int boxes_receive(boxes *all, int from, int to, boxes_side *side);

#endif /* TESTS_MOCK_NCCL_BOXES_H */
