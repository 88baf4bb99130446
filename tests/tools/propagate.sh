#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# paulimpi-propagate: values, counts and the forms of its output.
# shellcheck source-path=SCRIPTDIR source=tap.subr
. "${top_srcdir:-.}/tests/tools/tap.subr"

propagate=$tools/paulimpi-propagate
kicked=$top_srcdir/examples/data/kicked_ising_127.qasm
cat >"$work/turn.qasm" <<'END'
OPENQASM 2.0;
include "qelib1.inc";
qreg q[2];
rx(pi/3) q[0];
END

# The 127-qubit circuit.
run "$propagate" "$kicked" --observable Z62 --eps 2^-10 --json --threads 1
ends 'the kicked Ising circuit is propagated' 0
is 'its value' "$(json value | cut -c 1-14)" 0.239287701517
is 'its terms' "$(json terms)" 72352
is 'its largest number of terms' "$(json peak_terms)" 79029
is 'its term-gates' "$(json term_gates)" 5579358
is 'its qubits' "$(json qubits)" 127
is 'its gates' "$(json gates)" 1355
is 'threads as asked for' "$(json threads)" 1
silent 'without a terminal there is no progress' err
value=$(json value)
dropped=$(json dropped_norm1)
run "$propagate" "$kicked" --observable Z62 --eps 2^-10 --json --threads 2
is 'two threads: the same bits' "$(json value) $(json dropped_norm1)" \
    "$value $dropped"
is 'two threads: the same terms' "$(json terms) $(json peak_terms)" \
    '72352 79029'
for engine in automatic in-place tile orbit; do
    run "$propagate" "$kicked" --observable Z62 --eps 2^-10 --json \
        --engine $engine
    is "--engine $engine: the same bits" \
        "$(json value) $(json dropped_norm1)" "$value $dropped"
    is "--engine $engine: the same counts" \
        "$(json terms) $(json peak_terms) $(json term_gates)" \
        '72352 79029 5579358'
done

run "$propagate" "$kicked" --observable Z62 --eps 2^-6
says 'the text has the value' out '^<Z62> = 0.2140091471..    408 terms, '
says 'and says that the bound is of no use' out 'no useful bound; run several'
run "$propagate" "$kicked" --observable Z62 --eps 2^-8
says 'thousands are separated' out '    5,038 terms, '

# A plan, which needs neither ranks nor an observable.
run "$propagate" "$kicked" --plan 16
ends '--plan' 0
says 'a plan for 16 ranks' out '^16 ranks, 8 rows for 256 shards, 127 qubits'
is 'a stretch a step' "$(grep -c '^ *[1-9] .* 0.9375 * 15$' "$work/out")" 4
says 'and what random rows would do' out 'stay, 12[0-9][0-9] of 1355 gates'
run "$propagate" "$work/turn.qasm" --plan 0
refused 'no ranks to plan for' 2 '^paulimpi-propagate: --plan 0: expected'

# JSON.
run "$propagate" "$work/turn.qasm" --observable Z0 --json
keys=$(tr ',' '\n' <"$work/out" |
    sed -n 's/^[ {]*"\([a-z_0-9]*\)": .*/\1/p' | tr '\n' ' ')
is 'the keys of the JSON object' "$keys" \
    "version input qubits gates observable eps max_weight max_terms choice\
 seed picture value error_bound dropped_norm1 terms peak_terms term_gates\
 seconds peak_bytes ranks threads rows transport stretches moves terms_moved\
 bytes_moved bytes_segment imbalance "
is 'no limit is null' "$(json max_weight) $(json max_terms)" 'null null'
is 'the input is named' "$(json input)" "\"$work/turn.qasm\""
is 'the observable is shown' "$(json observable)" '"Z0"'
is 'the picture is named' "$(json picture)" '"heisenberg"'
is 'nothing dropped: the bound is 0' "$(json error_bound)" 0
is 'one line' "$(($(wc -l <"$work/out")))" 1
run "$propagate" "$work/turn.qasm" --observable Z0 --json --max-weight 1 \
    --max-terms 7 --max-xy-weight 5 --picture schroedinger --eps 0.25
is 'limits are shown' \
    "$(json max_weight) $(json max_terms) $(json eps)" '1 7 0.25'
is 'there is no bound in the Schroedinger picture' "$(json error_bound)" null
is 'the Schroedinger picture is named' "$(json picture)" '"schroedinger"'

# Text: cos(pi/3) = 1/2.
run "$propagate" "$work/turn.qasm" --observable Z0
says 'a value that is exact' out '^<Z0> = 0.500000000000    2 terms, '
says 'is called exact' out 'truncation dropped nothing: exact'
is 'two lines' "$(($(wc -l <"$work/out")))" 2
run "$propagate" "$work/turn.qasm" --observable 'Z0 + Z1' --eps 0.6
says 'a useful bound is shown' out 'a 1-norm of 0.5: error at most 0.5$'
run "$propagate" "$work/turn.qasm" --observable Z0 --eps 0.6 \
    --picture schroedinger
says 'no bound: said so' out 'no bound in the Schroedinger picture'
run "$propagate" "$work/turn.qasm" --observable Z0 --eps 0.9
says 'nothing left: the value is 0' out '^<Z0> = 0.000000000000    0 terms, '
says 'and said so' out 'every term was dropped'
run "$propagate" "$work/turn.qasm" --observable 'Z0 - Z0'
says 'an empty observable is no truncation' out 'the observable has no terms'
run "$propagate" "$work/turn.qasm" --observable Z0 --max-terms 1
says 'the largest term is kept' out '    1 term, '
run "$propagate" "$work/turn.qasm" --observable Y0 --state rl
says 'the state is used' out '^<Y0> = 0.500000000000 '
run "$propagate" "$work/turn.qasm" --observable ZI --state 1 --threads 1 \
    --engine in-place --memory-limit 64M --eps 0
says 'all options together' out '^<ZI> = -0.500000000000 '

# Where the input comes from.
"$propagate" - --observable Z0 <"$work/turn.qasm" >"$work/out" 2>"$work/err"
says 'a circuit from standard input' out '^<Z0> = 0.500000000000 '
printf '# two lines\n2 Z0\n+ 0.5 Z1\n' >"$work/sum"
run "$propagate" "$work/turn.qasm" --observable "@$work/sum"
says 'an observable from a file' out '= 1.500000000000    3 terms, '
printf 'Z0' | "$propagate" "$work/turn.qasm" --observable @- >"$work/out"
says 'an observable from standard input' out '^<@-> = 0.500000000000 '

# Progress.
run "$propagate" "$kicked" --observable Z62 --eps 2^-6 --progress always
says 'progress has a heading' err \
    ': 127 qubits, 1355 gates; 1 rank x [0-9]* thread'
says 'progress has lines' err \
    '^  layer 1355/1355   408 terms   .* elapsed, 0:00 left$'
says 'and leaves the result alone' out '^<Z62> = '
run "$propagate" "$kicked" --observable Z62 --eps 2^-6 --progress=never
silent 'no progress if none is wanted' err
finish
