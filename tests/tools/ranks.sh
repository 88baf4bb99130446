#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The tools on more than one rank: one result, with the same bits, or one
# sentence from all of them together, and no rank that waits for another.
# shellcheck source-path=SCRIPTDIR source=tap.subr
. "${top_srcdir:-.}/tests/tools/tap.subr"

if test ! -f "$top_builddir/tests/mpi-run"; then
    echo '1..0 # SKIP tests/mpi-run is missing'
    exit 0
fi
kicked=$top_srcdir/examples/data/kicked_ising_127.qasm
sed '$d' "$kicked" >"$work/shorter.qasm"
grep -v '^OPENQASM\|^include\|^qreg\|^//' "$kicked" |
    cat "$kicked" - >"$work/twice.qasm"

# Runs the tool, then keeps the status of its rank: a launcher that knew it
# would end the others. The first rank has other words, and the input.
cat >"$work/each" <<END
#!/bin/sh
rank=\${OMPI_COMM_WORLD_RANK-\${PMIX_RANK-\${PMI_RANK-0}}}
words=\$OTHERS
input=/dev/null
if test "\$rank" = 0; then
    words=\$FIRST
    input=$kicked
fi
"$tools/paulimpi-propagate" \$words "\$@" <\$input
echo \$? >"$work/status.\$rank"
END
chmod +x "$work/each"

# on RANKS COMMAND...
on () {
    run sh "$top_builddir/tests/mpi-run" -n "$@"
}

# each FIRST OTHERS: on two ranks with these words.
each () {
    rm -f "$work"/status.*
    FIRST=$1 OTHERS=$2
    export FIRST OTHERS
    on 2 "$work/each" --observable Z62 --eps 2^-6
}

# all_say FACT STATUS PATTERN: both ranks end so, and there is one sentence.
all_say () {
    is "$1: both statuses" "$(cat "$work"/status.*)" "$2
$2"
    refused "$1" 0 "$3"
}

numbers () {
    for key in value dropped_norm1 terms peak_terms term_gates; do
        json $key
    done
}

on 1 "$tools/paulimpi-propagate" "$work/twice.qasm" --observable Z62 \
    --eps 2^-9 --json
ends 'one rank' 0
is 'nothing moves' "$(json moves) $(json stretches)" '0 0'
alone=$(numbers)
# Sums of few terms are on all ranks.
PAULIMPI_TEST_COPIED_TERMS=50
export PAULIMPI_TEST_COPIED_TERMS
for n in 2 3; do
    on $n "$tools/paulimpi-propagate" "$work/twice.qasm" --observable Z62 \
        --eps 2^-9 --json
    if grep -q '# SKIP' "$work/out"; then
        skip "no launcher for $n ranks"
        continue
    fi
    ends "ranks: $n" 0
    is 'one result' "$(grep -c value "$work/out") $(json ranks)" "1 $n"
    is 'with the same bits' "$(numbers)" "$alone"
    ok 'and terms moved' test "$(json moves)" -gt 0
done

each "$kicked" "$kicked"
if grep -q '# SKIP' "$work/out"; then
    skip 'no launcher for 2 ranks'
    finish
fi
is 'both ranks end well' "$(cat "$work"/status.*)" '0
0'
says 'with a value' out '^<Z62> = 0.2140091471..    408 terms, '
each - -
says 'standard input of the first rank is for all' out \
    '^<Z62> = 0.2140091471..    408 terms, '

each nosuch.qasm nosuch.qasm
all_say 'no circuit' 1 '^paulimpi-propagate: nosuch.qasm: No such file'
each "$kicked" nosuch.qasm
all_say 'no circuit on one rank' 1 \
    '^paulimpi-propagate: rank 1: nosuch.qasm: No such file'
each "$kicked" "$work/shorter.qasm"
all_say 'another circuit on one rank' 1 'the circuit of rank 1 differs from'
each "$kicked --stats $work/nosuch/file" "$kicked --stats $work/file"
all_say 'a file that the first rank cannot write' 1 '--stats .*: No such file'
each "$kicked" "$kicked --threads 0"
all_say 'a wrong command line of one rank' 2 'rank 1: --threads 0: expected'

on 2 "$tools/paulimpi-propagate" - --observable Q3
ends 'a wrong command line' 2
is 'is told once' "$(grep -c '^paulimpi-propagate: --obs' "$work/err")" 1

on 2 "$tools/paulimpi-bench" propagate growth:steps=1
ends 'paulimpi-bench' 0
is 'prints one result' "$(grep -c '"final_terms": 2' "$work/out")" 1
finish
