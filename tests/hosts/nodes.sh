#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Contexts and segments on two hosts.
. "${top_srcdir=.}/tests/package/tap.sh"

two_hosts () {
    sh "$top_srcdir/tests/hosts/two_hosts.sh" "$@"
}

program=tests/hosts/nodes_np4.t
test "$(id -u)" -eq 0 || skip_all 'only root can pretend hosts'
for tool in ip nsenter unshare hostname; do
    command -v $tool >/dev/null || skip_all "$tool is missing"
done
grep -q 'PAULIMPI_MPI_FAMILY "Open MPI"' include/paulimpi/version.h ||
    skip_all 'not Open MPI'
two_hosts --try 2>/dev/null || skip_all 'network namespaces are not allowed'

check 'two hosts are two nodes, each with its own segment' \
    two_hosts $program
finish
