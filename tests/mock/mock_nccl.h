/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A mock of NCCL on top of that of CUDA, for tests on machines without either.
 * It moves bytes between the processes of a node, in the turn of the stream,
 * and takes groups as NCCL does: what is asked of a peer meets what the peer
 * asks, in order and of the same length, and a send is complete only when it
 * was received. Its communicators do not block: what they were asked for is
 * done some looks later.
 *
 * It refuses what NCCL refuses, or what would go wrong with it: memory that is
 * not the device's, two ranks on a device, calls while an earlier one is in
 * progress, the end of a communicator that is in use.
 */
#ifndef TESTS_MOCK_MOCK_NCCL_H
#define TESTS_MOCK_MOCK_NCCL_H

#include <stdint.h>

/* How often a function was called since the start. */
int64_t mock_nccl_calls(const char *name);
/* Let the which-th call from now on return a code of NCCL; 0: none. */
void mock_nccl_fail(const char *name, int which, int code);
/* Communicators that were neither destroyed nor aborted. */
int64_t mock_nccl_live(void);
/* Bytes that were sent. */
int64_t mock_nccl_bytes(void);

#endif /* TESTS_MOCK_MOCK_NCCL_H */
