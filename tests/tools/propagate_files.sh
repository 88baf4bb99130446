#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# paulimpi-propagate: sums, checkpoints and statistics as files.
# shellcheck source-path=SCRIPTDIR source=tap.subr
. "${top_srcdir:-.}/tests/tools/tap.subr"

propagate=$tools/paulimpi-propagate
kicked=$top_srcdir/examples/data/kicked_ising_127.qasm
go () {
    run "$propagate" "$kicked" --observable Z62 --eps 2^-8 --json "$@"
}
answer () {
    echo "$(json value) $(json terms) $(json peak_terms) $(json term_gates)" \
        "$(json dropped_norm1)"
}
endings=checkpoint
if "$tools/paulimpi-info" | grep -q '^HDF5: yes'; then
    endings='checkpoint h5'
fi

go
whole=$(answer)
for ending in $endings; do
    file=$work/run.$ending
    go --checkpoint "$file" --checkpoint-every 300
    is "$ending: the answer is the same" "$(answer)" "$whole"
    ok "there is a checkpoint" test -s "$file"
    go --restart "$file" --stats "$work/stats" --threads 1
    ends 'it is gone on from' 0
    is 'with the same answer' "$(answer)" "$whole"
done
go --restart "$work/missing"
refused 'a checkpoint that is missing' 1 'missing: No such file'
go --restart "$kicked"
refused 'a file that is none' 1 'does not begin as a file of libpaulimpi'
run "$propagate" "$kicked" --observable Z61 --eps 2^-8 --restart \
    "$work/run.checkpoint"
refused 'the checkpoint of another observable' 1 'began with another sum'
run "$propagate" "$kicked" --observable Z62 --eps 2^-9 --restart \
    "$work/run.checkpoint"
refused 'the checkpoint of another --eps' 1 'another truncation'
go --checkpoint "$work/missing/x"
refused 'a folder that is missing' 1 'missing/x: No such file'

# By the clock: the first one, and not one each gate.
go --checkpoint "$work/clock" --checkpoint-every 1000s
is 'a checkpoint by the clock' "$(answer)" "$whole"
go --checkpoint "$work/clock" --checkpoint-every=0.0001s
is 'or at every look at it' "$(answer)" "$whole"

# Statistics.
go --stats "$work/stats"
is 'a line a gate and one for all' "$(($(wc -l <"$work/stats")))" 1356
is 'the last gate acts first' "$(head -n 1 "$work/stats" | cut -c 1-27)" \
    '{"layer": 0, "gate": 1354, '
ok 'the total is last' sh -c "tail -n 1 '$work/stats' |
    grep -q '^{\"total\": true, \"gates\": 1355, .*\"engine\": \"tile\"}$'"
sed 's/, "seconds".*//; /total/d' "$work/stats" >"$work/stats.whole"
go --stats "$work/stats" --checkpoint "$work/run.checkpoint" \
    --checkpoint-every 300
go --stats "$work/stats" --restart "$work/run.checkpoint"
ok 'after a restart they are the same' sh -c "sed 's/, \"seconds\".*//
    /total/d' '$work/stats' | cmp - '$work/stats.whole'"
go --stats "$work/missing/x"
refused 'statistics that cannot be written' 1 \
    '--stats .*missing/x: No such file'

# The sum.
go --save "$work/sum"
ends 'the sum is saved' 0
is 'a term a line' "$(($(wc -l <"$work/sum")))" $(($(json terms) + 1))
printf 'OPENQASM 2.0;\nqreg q[127];\n' >"$work/nothing.qasm"
value=$(json value)
run "$propagate" "$work/nothing.qasm" --observable "@$work/sum" --json
is 'it has the value' "$(json value)" "$value"
if test "$endings" != checkpoint; then
    go --save "$work/sum.h5"
    run "$propagate" "$work/nothing.qasm" --observable "@$work/sum.h5" --json
    is 'so has the one in HDF5' "$(json value)" "$value"
    if python3 -c 'import h5py' 2>/dev/null; then
        python3 - "$work/sum.h5" >"$work/out" <<'END'
import sys
import h5py
f = h5py.File(sys.argv[1])
rows = [f["x"].shape, f["z"].shape, f["coefficient"].shape]
print(int(f.attrs["version"]), int(f.attrs["qubits"]), int(f.attrs["terms"]))
print(rows)
zs = [c for x, c in zip(f["x"][:], f["coefficient"][:]) if not x.any()]
print("%.12f" % sum(zs))
END
        says 'h5py reads it' out '^1 127 5038$'
        says 'terms by words' out '^\[(5038, 2), (5038, 2), (5038,)\]$'
        says 'and finds the value' out "^$(echo "$value" | cut -c 1-12)"
    fi
else
    go --save "$work/sum.h5"
    refused 'HDF5 without HDF5' 1 'was built without HDF5'
fi
go --save "$work/missing/x"
refused 'a folder that is missing' 1 '--save .*missing/x: No such file'

# Command lines.
go --checkpoint-every 5
refused 'checkpoints without a file' 2 'without --checkpoint FILE'
for wrong in 0 -3 1.5 s 0s -1s 5m ''; do
    go --checkpoint "$work/x" --checkpoint-every "$wrong"
    refused "--checkpoint-every '$wrong'" 2 'expected gates or seconds'
done
finish
