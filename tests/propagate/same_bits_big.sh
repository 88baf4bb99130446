#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The comparison of all engines, threads, tiles and instructions in full.
PAULIMPI_SAME_BITS_ROUNDS=1 exec ./tests/propagate/same_bits.t
