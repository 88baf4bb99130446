#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The same with more kills.
PAULIMPI_KILL_ROUNDS=25 exec "${top_srcdir:-.}/tests/tools/propagate_kill.sh"
