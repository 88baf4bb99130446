#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Ranks, measured: run in the top of a build folder, after "make bench/ranks".
#
#     sh ../bench/ranks.sh hosts [WORKLOAD...]
#     sh ../bench/ranks.sh memory [WORKLOAD...]
#
# hosts: two ranks on two hosts, which are pretended, with a thread each. Their
# time over the longer one of two: of one rank with two threads, and of MPI
# alone for as many bytes between these hosts. As root, with Open MPI.
# memory: by how much a rank grows, over its part of the terms, on 1, 2, 4 and 8
# ranks (PAULIMPI_BENCH_RANKS); at most 1.2 times as much, and 64 MiB.
#
# PAULIMPI_BENCH_ROUNDS (5): of the times, the median is taken.
here=$(cd "$(dirname "$0")" && pwd)
rounds=${PAULIMPI_BENCH_ROUNDS:-5}
lines=$(mktemp) || exit 1
trap 'rm -f "$lines"' EXIT
trap 'exit 1' HUP INT TERM
PAULIMPI_TEST_MAX_NP=64
PAULIMPI_TEST_TIMEOUT=${PAULIMPI_TEST_TIMEOUT:-1200}
export PAULIMPI_TEST_MAX_NP PAULIMPI_TEST_TIMEOUT

# number KEY: of the line of JSON on standard input.
number () {
    sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p"
}

median () {
    sort -g | awk '{ x[NR] = $1 }
        END { print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'
}

# middle WAY KEY: the median over the rounds.
middle () {
    sed -n "s/^$1 //p" "$lines" | number "$2" | median
}

note () {
    way=$1
    shift
    line=$("$@" 2>&1 </dev/null | grep '^{') || {
        echo "ranks.sh: $* failed" >&2
        exit 1
    }
    echo "$way $line" >>"$lines"
}

on_hosts () {
    reason=$(sh "$here/../tests/hosts/cannot.sh")
    test -z "$reason" || { echo "ranks.sh: $reason" >&2 && exit 1; }
    echo '| workload | 1 x 2: s | 2 x 1: s | two hosts: s | bytes |' \
        'MPI alone: s | ratio |'
    echo '|---|---|---|---|---|---|---|'
    for workload in "$@"; do
        : >"$lines"
        round=0
        while test $round -lt "$rounds"; do
            round=$((round + 1))
            note threads sh tests/mpi-run -n 1 bench/ranks "$workload" 2 2
            note ranks sh tests/mpi-run -n 2 bench/ranks "$workload" 1 2
            note hosts sh "$here/../tests/hosts/two_hosts.sh" -n 2 \
                bench/ranks "$workload" 1 2
        done
        for key in 'threads seconds' 'ranks seconds' 'hosts seconds' \
            'hosts bytes_moved' 'hosts raw_seconds'; do
            # shellcheck disable=SC2086
            middle $key
        done | tr '\n' ' ' | awk -v w="$workload" '{
            limit = $1 > $5 ? $1 : $5
            printf "| %s | %.3f | %.3f | %.3f | %.3g | %.3f | %.2f |\n",
                w, $1, $2, $3, $4, $5, $3 / limit }'
    done
}

of_memory () {
    echo '| workload | ranks | peak terms | part: MB | growth: MB |' \
        'allowed: MB | growth over part |'
    echo '|---|---|---|---|---|---|---|'
    for workload in "$@"; do
        for n in ${PAULIMPI_BENCH_RANKS:-1 2 4 8}; do
            : >"$lines"
            note ranks sh tests/mpi-run -n "$n" bench/ranks "$workload" 1 1
            for key in peak_terms payload_bytes growth_bytes; do
                middle ranks $key
            done | tr '\n' ' ' | awk -v w="$workload" -v n="$n" '{
                allowed = 1.2 * $2 + 64 * 1048576
                printf "| %s | %d | %d | %.0f | %.0f | %.0f%s | %.2f |\n", w,
                    n, $1, $2 / 1e6, $3 / 1e6, allowed / 1e6,
                    ($3 > allowed ? ": missed" : ""), $3 / $2 }'
        done
    done
}

case $1 in
hosts)
    shift
    test $# -gt 0 || set -- lattice-c kicked-ising:steps=8,log2eps=-12
    on_hosts "$@"
    ;;
memory)
    shift
    test $# -gt 0 || set -- lattice-c:eps=1.5e-7
    of_memory "$@"
    ;;
*)
    sed -n 's/^#     //p' "$0" >&2
    exit 2
    ;;
esac
