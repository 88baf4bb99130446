#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# How many instructions a term-gate takes, which does not depend on what else
# the machine does: lattice-c, 10 layers less 4. A bound holds for one compiler.
recorded=12.8 # GCC 12, -O2, portable loops
bound=14.1    # 10 % more

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

# count LAYERS: term-gates, and instructions of the whole program.
count () {
    PAULIMPI_SIMD=portable ./libtool --mode=execute valgrind \
        --tool=callgrind --callgrind-out-file=/dev/null \
        tools/paulimpi-bench propagate "lattice-c:layers=$1" --threads 1 2>&1 |
        sed -n 's/.*"term_gates": \([0-9]*\).*/\1/p; s/.*Collected : //p'
}

found=$({ count 10; count 4; } | awk '
    { value[NR] = $1 }
    END { if (NR == 4 && value[1] > value[3])
              printf "%.1f\n", (value[2] - value[4]) / (value[1] - value[3]) }')
echo '1..1'
echo "# $found instructions a term-gate, $recorded recorded, $bound allowed"
if awk -v found="$found" -v bound="$bound" \
    'BEGIN { exit !(found > 0 && found <= bound) }'; then
    echo 'ok 1 - no more instructions than allowed'
else
    echo 'not ok 1 - no more instructions than allowed'
    exit 1
fi
