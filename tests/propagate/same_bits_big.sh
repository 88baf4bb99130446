#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The comparison of all engines, threads, tiles and instructions in full, some
# five minutes of it; with PAULIMPI_SAME_BITS_ROUNDS=0 the sample of make check.
PAULIMPI_SAME_BITS_ROUNDS=${PAULIMPI_SAME_BITS_ROUNDS:-1}
export PAULIMPI_SAME_BITS_ROUNDS
exec ./tests/propagate/same_bits.t
