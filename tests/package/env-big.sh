#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The build on machines of all kinds, the long part: many jobs, an old module
# in the way, one core, no launcher, no ssh, link-time optimisation.
. "${top_srcdir=.}/tests/package/tap.sh"
. "$top_srcdir/tests/package/tree.sh"

# Some tests, on one rank and on several.
some=$(find tests/base tests/comm tests/fortran -name '*.t' | sort | head -n 6)
several=$(find tests -name '*_np*.t' | sort | head -n 2)
# shellcheck disable=SC2086
some=$(echo $some $several)

# Modules have an order that make -j must keep.
clean_build () {
    for round in 1 2 3 4 5; do
        make_in jobs clean && make_in jobs -j16 || {
            echo "round $round"
            return 1
        }
    done
}

# hidden FILE... -- COMMAND: run it where the files cannot be executed.
hidden () {
    hide=
    while test "$1" != --; do
        hide="$hide $1"
        shift
    done
    shift
    : >"$scratch/empty"
    HIDE=$hide EMPTY=$scratch/empty unshare -m sh -c '
        for file in $HIDE; do
            mount --bind "$EMPTY" "$file" || exit 1
        done
        exec "$@"' sh "$@"
}

skips () {
    "$@" >"$scratch/log" 2>&1
    status=$?
    cat "$scratch/log"
    test $status -eq 0 && grep -q '^SKIP: .*_np' "$scratch/log"
}

check 'configure' configure_in jobs CFLAGS=-O0
check 'make -j16, five times from clean' clean_build

if test -f fortran/libpaulimpi_fortran.la; then
    mkdir "$scratch/old"
    echo "GFORTRAN module version '15' created from x" | gzip \
        >"$scratch/old/paulimpi_kinds.mod"
    check 'configure with an old module of ours in a folder of CPPFLAGS' \
        configure_in old-module CPPFLAGS="-I$scratch/old" \
        FCFLAGS="-g -I$scratch/old"
    check 'it is not read' make_in old-module -j2
fi

check 'tests without a launcher' \
    skips make_in jobs check MPIEXEC= TESTS="$some"
check 'tests on one core' taskset -c 0 \
    $MAKE -C "$scratch/jobs" check TESTS="$some"
check 'tests on two ranks at most' env PAULIMPI_TEST_MAX_NP=2 \
    $MAKE -C "$scratch/jobs" check TESTS="$some"

if unshare -m true 2>/dev/null; then
    launchers=$(for name in mpiexec mpirun mpiexec.openmpi mpirun.openmpi \
        mpiexec.mpich mpiexec.hydra; do
        readlink -f "$(command -v $name)"
    done | sort -u)
    # shellcheck disable=SC2086
    check 'configure where there is no launcher' \
        hidden $launchers -- sh -c 'mkdir "$1/none" && cd "$1/none" &&
            ../source/configure --quiet CC="$2" --disable-fortran' \
        sh "$scratch" "$CC"
    if command -v ssh >/dev/null; then
        check 'tests where there is no ssh' \
            hidden "$(readlink -f "$(command -v ssh)")" -- \
            $MAKE -C "$scratch/jobs" check TESTS="$some"
    fi
else
    skip_check 'unshare is not allowed'
fi

check 'configure with link-time optimisation' configure_in lto \
    CFLAGS='-O1 -flto' LDFLAGS='-Wl,--as-needed' --disable-fortran
check 'tests of that' make_in lto -j2 check \
    TESTS="$(echo "$some" | tr ' ' '\n' | grep -v fortran | tr '\n' ' ')"

# The ranks of a test that hangs are gone soon after it.
gone () {
    printf '#!/bin/sh\nexec sleep 54321\n' >"$scratch/hang_np2.t"
    chmod +x "$scratch/hang_np2.t"
    PAULIMPI_TEST_TIMEOUT=2 sh tests/mpi-run "$scratch/hang_np2.t"
    sleep 1
    ! grep -ls '5432[1]' /proc/[0-9]*/cmdline
}
check 'a test that hangs leaves nothing behind' gone
finish
