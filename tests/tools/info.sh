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
ok 'one "name: value" a line' \
    test "$(grep -c -v '^[A-Za-z][A-Za-z0-9 ]*:' "$work/out")" -eq 0

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
