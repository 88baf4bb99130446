#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Contexts and segments on two hosts.
. "${top_srcdir=.}/tests/package/tap.sh"

two_hosts () {
    sh "$top_srcdir/tests/hosts/two_hosts.sh" "$@"
}

program=tests/hosts/nodes_np4.t
reason=$(sh "$top_srcdir/tests/hosts/cannot.sh")
test -z "$reason" || skip_all "$reason"

check 'two hosts are two nodes, each with its own segment' \
    two_hosts $program
finish
