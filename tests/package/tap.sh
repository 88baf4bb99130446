# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
#
# TAP for shell tests; to be sourced. They run in the top of the build folder.

: "${top_srcdir=.}" "${top_builddir=.}" "${CC=mpicc}" "${MAKE=make}"
: "${PKG_CONFIG=pkg-config}"
export top_srcdir top_builddir CC MAKE PKG_CONFIG
# The make that runs a test must not tell one that the test runs what to do.
unset MAKEFLAGS MFLAGS MAKELEVEL
n_checks=0
n_failed=0

# A folder of our own, gone at the end.
scratch=$(mktemp -d)
# Some of what is unpacked there may be read-only.
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

# check FACT COMMAND...: the fact holds if the command succeeds; what it says
# is the diagnosis.
check () {
    fact=$1
    shift
    n_checks=$((n_checks + 1))
    if "$@" >"$scratch/diagnosis" 2>&1; then
        echo "ok $n_checks - $fact"
    else
        echo "not ok $n_checks - $fact"
        n_failed=$((n_failed + 1))
        tail -n 40 "$scratch/diagnosis" | sed 's/^/# /'
    fi
}

# fails COMMAND...: true if the command does not succeed.
fails () {
    if "$@"; then
        return 1
    fi
    return 0
}

# says TEXT COMMAND...: true if the command says TEXT, whatever its status.
says () {
    text=$1
    shift
    "$@" >"$scratch/said" 2>&1
    cat "$scratch/said"
    grep -qF -e "$text" "$scratch/said"
}

# wait_for FILE: until it is there.
wait_for () {
    tries=600
    until test -s "$1"; do
        tries=$((tries - 1))
        test $tries -gt 0 || return 1
        sleep 0.05
    done
}

# silent COMMAND...: true if the command says nothing.
silent () {
    "$@" >"$scratch/said" 2>&1
    cat "$scratch/said"
    test ! -s "$scratch/said"
}

skip_check () {
    n_checks=$((n_checks + 1))
    echo "ok $n_checks # SKIP $1"
}

skip_all () {
    echo "1..0 # SKIP $1"
    exit 0
}

finish () {
    echo "1..$n_checks"
    test "$n_failed" -eq 0
    exit
}
