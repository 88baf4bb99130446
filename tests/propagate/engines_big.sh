#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The comparison of the engines with many more circuits.
PAULIMPI_ENGINES_ROUNDS=1000 exec ./tests/propagate/engines.t
