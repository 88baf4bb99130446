#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The matrix of bits in full, on up to 8 ranks and on two hosts; with
# PAULIMPI_MATRIX_CIRCUITS=500 it takes about an hour, with 0 it has as few as
# in make check. Each commit may take others by PAULIMPI_MATRIX_SEED. Ranks of
# MPICH spin, so that there are not more of them than cores.
most=8
ranks='1 2 3 4 5 8'
if grep -q 'PAULIMPI_MPI_FAMILY "MPICH"' include/paulimpi/version.h; then
    most=2
    ranks='1 2'
fi
PAULIMPI_MATRIX_RANKS=${PAULIMPI_MATRIX_RANKS:-$ranks}
PAULIMPI_MATRIX_WAYS=${PAULIMPI_MATRIX_WAYS:-segment mpi hosts}
PAULIMPI_MATRIX_CIRCUITS=${PAULIMPI_MATRIX_CIRCUITS:-20}
PAULIMPI_TEST_MAX_NP=$most
PAULIMPI_TEST_TIMEOUT=${PAULIMPI_TEST_TIMEOUT:-3600}
export PAULIMPI_MATRIX_RANKS PAULIMPI_MATRIX_WAYS PAULIMPI_MATRIX_CIRCUITS \
    PAULIMPI_TEST_MAX_NP PAULIMPI_TEST_TIMEOUT
exec sh "${top_srcdir:-.}/tests/propagate/bits_matrix_ranks.sh"
