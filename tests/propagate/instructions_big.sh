#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# How many instructions a term-gate takes, which does not depend on what else
# the machine does: what a larger run takes more than a smaller one. They are
# recorded for GCC 12, -O2, portable loops, and may become 10 % more.

skip () {
    echo "1..0 # SKIP $1"
    exit 0
}

command -v valgrind >/dev/null || skip 'no valgrind'
[ "$(uname -m)" = x86_64 ] || skip 'no x86-64'
cc=$(sed -n "s/^CC='\(.*\)'\$/\1/p" config.log)
$cc --version | head -n 1 | grep -q '^gcc.* 12\.' || skip "$cc is not GCC 12"
grep -q "^CFLAGS='.*-O2" config.log || skip 'not compiled with -O2'
! grep -q "^CFLAGS='.*-fsanitize" config.log || skip 'compiled with sanitizers'

# count WORKLOAD: term-gates, and instructions of the whole program.
count () {
    PAULIMPI_SIMD=portable ./libtool --mode=execute valgrind \
        --tool=callgrind --callgrind-out-file=/dev/null \
        tools/paulimpi-bench propagate "$1" --threads 1 2>&1 |
        sed -n 's/.*"term_gates": \([0-9]*\).*/\1/p; s/.*Collected : //p'
}

n=0
status=0

# compare WHAT RECORDED LARGER SMALLER
compare () {
    found=$({ count "$3"; count "$4"; } | awk '
        { value[NR] = $1 }
        END { if (NR == 4 && value[1] > value[3])
                  printf "%.2f\n", (value[2] - value[4]) \
                                   / (value[1] - value[3]) }')
    n=$((n + 1))
    echo "# $3: $found instructions a term-gate, $2 recorded"
    if awk -v found="$found" -v recorded="$2" \
        'BEGIN { exit !(found > 0 && found <= 1.1 * recorded) }'; then
        echo "ok $n - $1 take no more instructions than allowed"
    else
        echo "not ok $n - $1 take no more instructions than allowed"
        status=1
    fi
}

echo '1..2'
compare tiles 12.3 lattice-c:layers=10 lattice-c:layers=4
compare orbits 13.1 growth:steps=6 growth:steps=5
exit $status
