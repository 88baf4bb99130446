#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# paulimpi-propagate: how terms are chosen, and where they are.
# shellcheck source-path=SCRIPTDIR source=tap.subr
. "${top_srcdir:-.}/tests/tools/tap.subr"

propagate=$tools/paulimpi-propagate
circuit=$work/circuit.qasm
cat >"$circuit" <<'END'
OPENQASM 2.0;
include "qelib1.inc";
qreg q[40];
rx(0.5) q;
rzz(0.6) q[0], q[1];
rzz(0.6) q[2], q[3];
rx(0.7) q;
END

# with ARGUMENT...: on this circuit, with so many terms.
with () {
    run "$propagate" "$circuit" --observable 'Z0 Z2 + Z1' --json "$@"
}

# A choice of terms: ties at the cut go, or the first ones stay.
with
is 'all terms' "$(json terms) $(json choice) $(json seed)" '20 "largest" 0'
printf 'OPENQASM 2.0;\nqreg q[4];\nU(0,0,0) q[0];\n' >"$work/ties.qasm"
for choice in largest first roughly random; do
    run "$propagate" "$work/ties.qasm" --observable 'Z0 + Z1 + Z2 + Z3' \
        --max-terms 3 --choice $choice --seed 7 --json
    ends "--choice $choice" 0
    is 'is named, with its seed' "$(json choice) $(json seed)" "\"$choice\" 7"
    case $choice in
    largest | roughly) is 'ties go' "$(json terms)" 0 ;;
    *) is 'there are as many as wanted' "$(json terms)" 3 ;;
    esac
done
is 'a random choice has no bound' "$(json error_bound)" null
run "$propagate" "$work/ties.qasm" --observable 'Z0 + Z1 + Z2 + Z3' \
    --max-terms 3 --choice random
says 'and says so' out 'no bound for a random choice; run several --seed'

# Rows, planned for ranks that are not there.
for rows in planned random blocks 'exclude=X0,Z0 Z1' 'given=Z0 Z1,X5 Z7'; do
    run "$propagate" "$circuit" --plan 4 --rows "$rows" --rows-seed 3
    ends "a plan with rows $rows" 0
    says 'is one of 4 ranks' out '^4 ranks, 6 rows for 64 shards'
done
run "$propagate" "$circuit" --plan 3 --weights 1,2.5,1e3
says 'a plan with weights' out '^3 ranks, '
for rows in '' Q planned= random=1 exclude given blocks= blocks=1,x \
    blocks=-2; do
    run "$propagate" nosuch.qasm --observable Z0 --rows "$rows"
    refused "--rows '$rows'" 2 "^paulimpi-propagate: --rows $rows: expected"
done
for weights in '' '1,' 0 -1 x 1,inf; do
    run "$propagate" nosuch.qasm --observable Z0 --weights "$weights"
    refused "--weights '$weights'" 2 "--weights $weights: expected"
done
with --rows given=Q3
refused 'a row that is no string' 1 '^paulimpi-propagate: --rows: .*Q3'
run "$propagate" "$circuit" --plan 2 --rows given=Q3
refused 'nor in a plan' 1 '^paulimpi-propagate: --rows: .*Q3'
with --rows given=Z40
refused 'a row of another qubit' 1 '^paulimpi-propagate: --rows: '
with --rows given=I
refused 'a row of nothing' 1 'row 0 of rows_x and rows_z has no bits'
with --rows blocks=0,1
refused 'blocks of too few qubits' 1 'n_blocks is 2, but'
with --weights 1,2
refused 'weights of more ranks' 1 'n_weights is 2, but'
run "$propagate" "$circuit" --plan 3 --weights 1,2
refused 'or of fewer, in a plan' 1 'n_weights is 2, but'
run "$propagate" nosuch.qasm --observable Z0 --choice first
refused 'a choice of nothing' 2 '--choice or --seed without --max-terms'

# On two ranks all give the value of one.
if test -f "$top_builddir/tests/mpi-run"; then
    with
    value=$(json value)
    PAULIMPI_TEST_COPIED_TERMS=0
    export PAULIMPI_TEST_COPIED_TERMS
    for transport in auto segment mpi; do
        run sh "$top_builddir/tests/mpi-run" -n 2 "$propagate" "$circuit" \
            --observable 'Z0 Z2 + Z1' --json --transport $transport
        if grep -q '# SKIP' "$work/out"; then
            skip 'no launcher for 2 ranks'
            continue
        fi
        is "two ranks, --transport $transport" \
            "$(json value) $(json transport)" "$value \"$transport\""
        case $transport in
        segment) is 'its bytes' "$(json bytes_segment)" "$(json bytes_moved)" ;;
        mpi) is 'no bytes of segments' "$(json bytes_segment)" 0 ;;
        esac
    done
    for rows in random blocks 'exclude=X0 Z1' 'given=Z0 Z1,X5'; do
        run sh "$top_builddir/tests/mpi-run" -n 2 "$propagate" "$circuit" \
            --observable 'Z0 Z2 + Z1' --json --rows "$rows" --weights 1,2
        if grep -q '# SKIP' "$work/out"; then
            skip 'no launcher for 2 ranks'
            continue
        fi
        ends "two ranks, --rows $rows" 0
        is 'the same value' "$(json value) $(json rows)" \
            "$value \"${rows%%=*}\""
    done
else
    skip 'tests/mpi-run is missing'
fi
finish
