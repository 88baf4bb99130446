#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The matrix of bits in full, on up to 8 ranks; PAULIMPI_MATRIX_CIRCUITS=500
# takes hours, 0 is as few as in make check. Each commit may take others by
# PAULIMPI_MATRIX_SEED.
PAULIMPI_MATRIX_RANKS=${PAULIMPI_MATRIX_RANKS:-1 2 3 4 5 8}
PAULIMPI_MATRIX_CIRCUITS=${PAULIMPI_MATRIX_CIRCUITS:-20}
PAULIMPI_TEST_MAX_NP=8
PAULIMPI_TEST_TIMEOUT=${PAULIMPI_TEST_TIMEOUT:-14400}
export PAULIMPI_MATRIX_RANKS PAULIMPI_MATRIX_CIRCUITS PAULIMPI_TEST_MAX_NP \
    PAULIMPI_TEST_TIMEOUT
exec sh "${top_srcdir:-.}/tests/propagate/bits_matrix_ranks.sh"
