#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The examples in Fortran print what they should.
. "${top_srcdir=.}/tests/package/tap.sh"

magnetisation=examples/02_magnetisation
quench=examples/05_quench
test -x $quench || skip_all 'no Fortran'

run () {
    sh tests/mpi-run "$1" >"$scratch/out"
}

# on RANKS FACT COMMAND...: a fact about so many ranks, if the launcher has them.
on () {
    if sh tests/mpi-run -n "$1" true | grep -q '# SKIP'; then
        skip_check "$2: needs $1 ranks"
    else
        shift
        check "$@"
    fi
}

# alike RANKS EXAMPLE: it prints what it printed before on one rank.
alike () {
    sh tests/mpi-run -n "$1" "$2" >"$scratch/again" 2>"$scratch/err"
    status=$?
    cat "$scratch/err"
    diff "$scratch/out" "$scratch/again" && test "$status" -eq 0
}

lines () {
    cat "$scratch/out"
    test "$(wc -l <"$scratch/out")" -eq "$1"
}

# near LINE FIELD VALUE TOLERANCE
near () {
    cat "$scratch/out"
    awk -v line="$1" -v field="$2" -v value="$3" -v tolerance="$4" '
        NR == line { d = $field - value; near = d * d <= tolerance * tolerance }
        END { exit !near }' "$scratch/out"
}

check '02_magnetisation runs' run $magnetisation
check 'for 17 angles' lines 17
check 'without kicks nothing changes' near 1 2 1 0
check 'at 5 pi / 16 the cut at 2^-12 is near' near 11 2 0.235570091821 3e-3
check 'at pi / 2 nothing is left' near 17 2 0 0
on 2 'the same on two ranks' alike 2 $magnetisation
on 3 'the same on three' alike 3 $magnetisation

# The exact value: the state vector, integrated step by step.
check '05_quench runs' run $quench
check 'for 6 times' lines 6
check 'its last value is right up to the Trotter error' near 6 6 0.59974 2e-3
on 2 'the same on two ranks' alike 2 $quench
on 3 'the same on three' alike 3 $quench

# No copies of sections, of which the compiler's checks would tell.
columns () {
    sh tests/mpi-run -n "$1" examples/07_columns >"$scratch/out" 2>&1
    cat "$scratch/out"
    test "$(cat "$scratch/out")" = 'in the middle:  11.6352823706'
}

if test -x examples/07_columns; then
    on 1 '07_columns on one rank' columns 1
    on 2 '07_columns on two' columns 2
    on 3 '07_columns on three' columns 3
else
    skip_check 'no arrays of any type'
fi
finish
