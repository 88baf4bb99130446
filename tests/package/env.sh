#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests run on machines of all kinds: without a launcher, with few cores, as
# root, without ssh; and one that hangs is ended.
. "${top_srcdir=.}/tests/package/tap.sh"

# A stand-in for a test program, and one for a launcher that shows its words.
for np in 1 2 3; do
    name=$scratch/env_np$np.t
    test $np -ne 1 || name=$scratch/env.t
    printf '#!/bin/sh\necho ok 1 - ran\necho 1..1\nenv | sed "s/^/# /"\n' \
        >"$name"
    chmod +x "$name"
done
printf '#!/bin/sh\necho "# launched $*"\nshift 2\nexec "$@"\n' \
    >"$scratch/launcher"
printf '#!/bin/sh\nsleep 30\n' >"$scratch/hang.t"
printf '#!/bin/sh\necho ok 1 - began\nkill -SEGV $$\n' >"$scratch/crash.t"
chmod +x "$scratch/launcher" "$scratch/hang.t" "$scratch/crash.t"

# run WITH... NAME: the named stand-in under tests/mpi-run, in an environment.
run () {
    env "$@"
}
mpi_run="sh tests/mpi-run"

# Variables that a developer may have set would hide what the script does.
unset OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_hwloc_base_binding_policy
unset OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
unset OMPI_MCA_plm_rsh_agent PAULIMPI_TEST_WRAPPER
PAULIMPI_TEST_MAX_NP=4
export PAULIMPI_TEST_MAX_NP

# shellcheck disable=SC2086
{
check 'without a launcher a test on 2 ranks skips' \
    says '1..0 # SKIP no MPI launcher' \
    run MPIEXEC= $mpi_run "$scratch/env_np2.t"
check 'without a launcher a test on 1 rank runs' \
    says 'ok 1 - ran' run MPIEXEC= $mpi_run "$scratch/env.t"
check 'the number of ranks is in the name' \
    says 'launched -n 3 ' \
    run MPIEXEC="$scratch/launcher" $mpi_run "$scratch/env_np3.t"
check 'or in front of it' \
    says 'launched -n 2 ' \
    run MPIEXEC="$scratch/launcher" $mpi_run -n 2 "$scratch/env_np3.t"
check 'a test on more ranks than allowed skips' \
    says '1..0 # SKIP needs 3 ranks' \
    run PAULIMPI_TEST_MAX_NP=2 MPIEXEC="$scratch/launcher" \
    $mpi_run "$scratch/env_np3.t"
check 'more ranks than cores are allowed' \
    says 'OMPI_MCA_rmaps_base_oversubscribe=1' \
    run MPIEXEC="$scratch/launcher" $mpi_run "$scratch/env_np3.t"
check 'ranks are not bound to cores' \
    says 'OMPI_MCA_hwloc_base_binding_policy=none' \
    run MPIEXEC="$scratch/launcher" $mpi_run "$scratch/env_np3.t"
check 'what the user set wins' \
    says 'OMPI_MCA_hwloc_base_binding_policy=core' \
    run OMPI_MCA_hwloc_base_binding_policy=core \
    MPIEXEC="$scratch/launcher" $mpi_run "$scratch/env_np2.t"
if test "$(id -u)" -eq 0; then
    check 'root is allowed' says 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1' \
        run MPIEXEC= $mpi_run "$scratch/env.t"
else
    check 'nothing is said of root where nobody is' \
        fails says 'OMPI_ALLOW_RUN_AS_ROOT' \
        run MPIEXEC= $mpi_run "$scratch/env.t"
fi

# A PATH that has what the script needs, but no ssh.
mkdir "$scratch/bin"
for tool in sh env expr id timeout sed; do
    ln -s "$(command -v $tool)" "$scratch/bin/$tool"
done
check 'without ssh none is asked for' \
    says 'OMPI_MCA_plm_rsh_agent=/bin/false' \
    run MPIEXEC= PATH="$scratch/bin" $mpi_run "$scratch/env.t"

check 'a test that touches what it must not fails' \
    fails run $mpi_run "$scratch/crash.t"
if command -v timeout >/dev/null; then
    check 'a test that hangs is ended' \
        fails run PAULIMPI_TEST_TIMEOUT=1 MPIEXEC= $mpi_run "$scratch/hang.t"
fi
}

if test -f src/.libs/libpaulimpi.so && command -v readelf >/dev/null; then
    check 'the library needs its MPI' \
        says 'libmp' readelf -d src/.libs/libpaulimpi.so
    check 'no symbol of it is undefined' \
        fails says 'undefined' ldd -r src/.libs/libpaulimpi.so
else
    skip_check 'no shared library, or no readelf'
fi
if command -v dash >/dev/null; then
    check 'tests/mpi-run is POSIX shell' dash -n tests/mpi-run
    check 'quickstart is POSIX shell' dash -n "$top_srcdir/quickstart"
else
    skip_check 'no dash'
fi
finish
