#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The tools on more than one rank: one sentence from all of them together, and
# no rank that waits for another.
# shellcheck source-path=SCRIPTDIR source=tap.subr
. "${top_srcdir:-.}/tests/tools/tap.subr"

if test ! -f "$top_builddir/tests/mpi-run"; then
    echo '1..0 # SKIP tests/mpi-run is missing'
    exit 0
fi

# on_two TOOL ARGUMENT...: run on two ranks, which the name says to mpi-run.
on_two () {
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$tools/$1" >"$work/tool_np2.t"
    chmod +x "$work/tool_np2.t"
    shift
    run sh "$top_builddir/tests/mpi-run" "$work/tool_np2.t" "$@"
}

# Standard input is empty, which would be an error of its own.
on_two paulimpi-propagate - --observable Z62
if grep '# SKIP' "$work/out"; then
    exit 0
fi
ends 'two ranks fail before they read' 1
is 'one of them says so' \
    "$(grep -c '^paulimpi-propagate: 2 ranks, but' "$work/err")" 1
silent 'there is no result' out

on_two paulimpi-propagate - --observable Q3
ends 'a wrong command line on two ranks' 2
is 'is told once' "$(grep -c '^paulimpi-propagate: --obs' "$work/err")" 1

on_two paulimpi-bench propagate growth:steps=1
ends 'paulimpi-bench on two ranks fails' 1
is 'and says so once' \
    "$(grep -c '^paulimpi-bench: 2 ranks, but' "$work/err")" 1
finish
