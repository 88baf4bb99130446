#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The fuzz test of OpenQASM with many more mutations.
PAULIMPI_FUZZ_ROUNDS=100000 exec ./tests/propagate/fuzz_qasm.t
