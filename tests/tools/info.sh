#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# paulimpi-info.
# shellcheck source-path=SCRIPTDIR source=tap.subr
. "${top_srcdir:-.}/tests/tools/tap.subr"

info=$tools/paulimpi-info

run "$info"
ends 'it describes the library' 0
silent 'without an error' err
says 'the version' out '^libpaulimpi: [0-9]*\.[0-9]*\.[0-9]*'
says 'the MPI' out '^MPI: '
says 'OpenMP' out '^OpenMP: '
says 'the instructions' out '^SIMD: [a-z0-9]* (of .*; PAULIMPI_SIMD overrides)'
says 'the launcher' out '^launcher: [A-Za-z]'
says 'the local rank' out '^local rank: [0-9]*, by '
says 'the device of the rank' out '^rank 0: node 0 ('
says 'GPUs, or why there are none' out '^GPU: '
says 'what configure found of MPI' out '^GPU aware MPI by configure: [a-z]*, '
says 'what MPI says here' out '^GPU aware MPI here: [a-z]*, '
says 'what it takes and why' out \
    '^MPI takes .*: [a-z]*, .'
says 'the variables of UCX' out '^UCX variables: '
says 'shared memory' out \
    '^shared memory: [a-z]* (PAULIMPI_SEGMENT overrides), '
ok 'one "name: value" a line' \
    test "$(grep -c -v '^[A-Za-z][A-Za-z0-9 ]*:' "$work/out")" -eq 0

run env UCX_TLS=self,sm PAULIMPI_LOCAL_RANK=2 PAULIMPI_LOCAL_SIZE=4 "$info"
says 'variables of UCX' out '^UCX variables: .*UCX_TLS=self,sm'
says 'a local rank' out '^local rank: 2, by PAULIMPI_LOCAL_RANK$'
run env PAULIMPI_GPU_AWARE=sometimes "$info"
ends 'a variable that cannot be' 1
says 'is told' err '^paulimpi-info: .*PAULIMPI_GPU_AWARE is "sometimes"'
says 'after what is known without it' out '^hwloc: '
run env PAULIMPI_MPI=sometimes "$info"
ends 'also where it concerns MPI' 1
says 'in a sentence' err '^paulimpi-info: .*PAULIMPI_MPI is "sometimes"'
says 'and the rest' out '^hwloc: '

# On two ranks one of them speaks, and MPI is asked.
if test -f "$top_builddir/tests/mpi-run"; then
    printf '#!/bin/sh\nexec "%s"\n' "$info" >"$work/info_np2.t"
    chmod +x "$work/info_np2.t"
    run sh "$top_builddir/tests/mpi-run" "$work/info_np2.t"
    if ! grep '# SKIP' "$work/out"; then
        ends 'two ranks' 0
        is 'speak once' "$(grep -c '^libpaulimpi: ' "$work/out")" 1
        is 'of both' "$(grep -c '^rank [01]: ' "$work/out")" 2
        says 'with a launcher' out '^launcher: [A-Z].*, by [A-Z_]*$'
        ok 'and ask MPI' test \
            "$(grep -c 'here: .*not initialised' "$work/out")" -eq 0
    fi
fi

run "$info" --version
says '--version' out '^paulimpi-info [0-9]*\.[0-9]*\.[0-9]*$'
run "$info" --help
ends '--help' 0
says '--help shows the usage' out '^Usage: paulimpi-info'
run "$info" --foo
refused 'an unknown option' 2 '^paulimpi-info: --foo: unknown option'
run "$info" x
refused 'an argument' 2 '^paulimpi-info: x: '
if test -w /dev/full; then
    status=0
    "$info" >/dev/full 2>"$work/err" || status=$?
    ends 'output that cannot be written' 1
fi
finish
