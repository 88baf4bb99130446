#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The tests of exchanges and collective operations with the ranks on two hosts,
# those on 3 and 4 ranks: fewer would all be on one. Says how many facts hold.
. "${top_srcdir=.}/tests/package/tap.sh"

two_hosts () {
    sh "$top_srcdir/tests/hosts/two_hosts.sh" "$@"
}

# Run a program; its facts are counted.
run () {
    two_hosts "$1" >"$scratch/out" 2>&1
    status=$?
    cat "$scratch/out"
    count=$((count + $(grep -c '^ok' "$scratch/out")))
    return $status
}

reason=$(sh "$top_srcdir/tests/hosts/cannot.sh")
test -z "$reason" || skip_all "$reason"

count=0
for program in tests/exchange/*_np[34].t tests/comm/silent_np4.t \
    tests/comm/together_np4.t; do
    case $program in
    */bind*) continue ;; # they know how many share a node
    esac
    run "$program" >"$scratch/log"
    status=$?
    check "$(basename "$program" .t) on two hosts" \
        test $status -eq 0
    test $status -eq 0 || sed 's/^/# /' "$scratch/log"
done
echo "# $count facts hold on two hosts"
check 'there were some' test $count -gt 200
finish
