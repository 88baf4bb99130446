#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Random circuits with the same bits everywhere: on many numbers of ranks, with
# 1 and 2 threads, random rows, blocks and planned rows, and in several ways:
#
#   segment  ranks of one node, whose terms move through a segment
#   mpi      and through messages
#   hosts    half of the ranks on another host, which is pretended
#
# What they are compared with is worked out first, on one rank. Tells how many
# combinations were compared, and in how many of them terms moved.
#
#   PAULIMPI_MATRIX_RANKS     numbers of ranks (2 3)
#   PAULIMPI_MATRIX_WAYS      ways (segment mpi)
#   PAULIMPI_MATRIX_CIRCUITS  circuits for each (2; 0: likewise)
#   PAULIMPI_MATRIX_SEED      the number of the first one (1)
# shellcheck disable=SC2154
. "${top_srcdir=.}/tests/package/tap.sh"

if test ! -f tests/mpi-run; then
    echo '1..0 # SKIP tests/mpi-run is missing'
    exit 0
fi
program=tests/propagate/bits_matrix.t
PAULIMPI_MATRIX_ANSWERS=$scratch/answers
# There are more threads than cores: none shall spin.
OMP_WAIT_POLICY=passive
export PAULIMPI_MATRIX_ANSWERS OMP_WAIT_POLICY

# launch WAY RANKS: the program.
launch () {
    PAULIMPI_MATRIX_TRANSPORT=segment
    test "$1" != mpi || PAULIMPI_MATRIX_TRANSPORT=mpi
    export PAULIMPI_MATRIX_TRANSPORT
    case $1 in
    segment | mpi) sh tests/mpi-run -n "$2" "$program" ;;
    hosts)
        sh "$top_srcdir/tests/hosts/two_hosts.sh" -n "$2" "$program"
        ;;
    *) echo "there is no way $1" >&2 && false ;;
    esac
}

# on WAY RANKS: every circuit comes out as on one rank.
on () {
    launch "$1" "$2" >"$scratch/out"
    status=$?
    cat "$scratch/out"
    sed -n 's/^# \([0-9]* combinations, .*\)/\1/p' "$scratch/out" \
        >>"$scratch/combinations"
    return $status
}

# cannot WAY RANKS: why not.
cannot () {
    if sh tests/mpi-run -n "$2" true | grep -q '^1\.\.0 # SKIP'; then
        echo "$2 ranks are not to be had"
    elif test "$1" != segment && test "$2" -eq 1; then
        echo 'a rank alone sends nothing'
    elif test "$1" = hosts; then
        sh "$top_srcdir/tests/hosts/cannot.sh"
    fi
}

check 'on one rank they are what they are twice' on segment 1
: >"$scratch/combinations"
for n in ${PAULIMPI_MATRIX_RANKS:-2 3}; do
    for way in ${PAULIMPI_MATRIX_WAYS:-segment mpi}; do
        reason=$(cannot "$way" "$n")
        if test -n "$reason"; then
            skip_check "$reason"
            continue
        fi
        check "ranks: $n, $way" on "$way" "$n"
        grep '^# [0-9]' "$scratch/out"
    done
done
awk '{ n += $1; m += $3 }
    END { print "# in all " n + 0 " combinations, in " m + 0 \
              " of which terms moved" }' "$scratch/combinations"
finish
