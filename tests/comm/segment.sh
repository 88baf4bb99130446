#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Segments where the machine is not as it should be: a small /dev/shm, ranks
# that do not see each other in /proc, ranks that are killed.
# shellcheck disable=SC2154

# Where that is allowed all of this runs with a /dev/shm of its own, which is
# small and in which there is nothing else.
if test -z "$own_shm"; then
    if unshare -m mount -t tmpfs -o size=16m tmpfs /dev/shm 2>/dev/null; then
        own_shm=yes
        export own_shm
        exec unshare -m sh -c 'mount -t tmpfs -o size=16m tmpfs /dev/shm &&
            exec sh "$0"' "$0"
    fi
    own_shm=no
fi
. "${top_srcdir=.}/tests/package/tap.sh"

probe=tests/comm/segment_probe_np2.t
mib=1048576
unset PAULIMPI_TEST_NODE_SIZE PAULIMPI_SEGMENT

# run BYTES [FILE]: the probe on two ranks.
run () {
    sh tests/mpi-run $probe "$@"
}

# window COMMAND...: by the other way.
window () {
    env PAULIMPI_SEGMENT=window "$@"
}

# both PATTERN COMMAND...: a line of each rank matches.
both () {
    pattern=$1
    shift
    "$@" >"$scratch/both" 2>&1
    status=$?
    cat "$scratch/both"
    test $status -eq 0 && test "$(grep -c "^rank [01]: .*$pattern" \
        "$scratch/both")" -eq 2
}

# nothing_left: soon after.
nothing_left () {
    test $own_shm = yes || return 0
    tries=100
    until test -z "$(ls -A /dev/shm)"; do
        ls -lA /dev/shm
        tries=$((tries - 1))
        test $tries -gt 0 || return 1
        sleep 0.05
    done
}

# killed WAY RANK...: kill these ranks. The job must end by itself, not with
# success, and leave nothing.
killed () {
    rm -f "$scratch"/pid.*
    PAULIMPI_SEGMENT=$1 timeout 60 sh tests/mpi-run $probe 100000 \
        "$scratch/pid" >"$scratch/log" 2>&1 &
    job=$!
    shift
    wait_for "$scratch/pid.0" && wait_for "$scratch/pid.1" || return 1
    for rank in "$@"; do
        kill -9 "$(cat "$scratch/pid.$rank")" || return 1
    done
    wait $job
    status=$?
    cat "$scratch/log"
    echo "status $status"
    test $status -ne 0 && test $status -ne 124 && nothing_left
}

test -x $probe || skip_all "$probe is missing"
if run 0 2>/dev/null | grep -q '^1\.\.0 # SKIP'; then
    skip_all 'no launcher for two ranks'
fi
test $own_shm = yes || echo '# what is in /dev/shm afterwards is not looked at'

if test $own_shm = yes; then
    check 'a mapping needs no room in /dev/shm' \
        both '67108864 bytes, mapping (the default)' run $((32 * mib))
    check 'a window that is too large is refused on both ranks' both \
        'ERR_MEMORY: .* need [0-9]* bytes in /dev/shm, where [0-9]* bytes' \
        window sh tests/mpi-run $probe $((32 * mib))
    check 'one that fits is made' \
        both '2097152 bytes, window (PAULIMPI_SEGMENT)' \
        window sh tests/mpi-run $probe $mib
    check 'they leave nothing in /dev/shm' nothing_left
else
    skip_check 'no mount namespaces: small /dev/shm'
fi

# Ranks, each behind a command of its own.
printf '#!/bin/sh\nmount -t tmpfs none /proc && exec "$@"\n' \
    >"$scratch/hide_proc"
chmod +x "$scratch/hide_proc"
if unshare -m "$scratch/hide_proc" true 2>/dev/null; then
    PAULIMPI_TEST_WRAPPER="unshare -m $scratch/hide_proc"
    export PAULIMPI_TEST_WRAPPER
    if run 0 >/dev/null 2>&1; then
        check 'where /proc is hidden the way is a window' \
            both 'window (no mapping: /proc/[0-9]*/fd/[0-9]*: ' run 100000
    else
        skip_check 'this MPI does not run where /proc is hidden'
    fi
    unset PAULIMPI_TEST_WRAPPER
else
    skip_check 'no mount namespaces: hidden /proc'
fi
if unshare -p -f --mount-proc true 2>/dev/null; then
    # The faster transport of Open MPI crashes where process numbers differ.
    PAULIMPI_TEST_WRAPPER='unshare -p -f --mount-proc'
    OMPI_MCA_btl=self,tcp
    export PAULIMPI_TEST_WRAPPER OMPI_MCA_btl
    # So do windows of Open MPI, which are refused then.
    same='ERR_UNSUPPORTED: .*: ranks of node 0 have the same process number'
    check 'where each rank is process 1, too, or all are refused' \
        both "\\(window (no mapping: /proc/1/fd/[0-9]*: \\|$same\\)" \
        run 100000
    unset PAULIMPI_TEST_WRAPPER OMPI_MCA_btl
else
    skip_check 'no process namespaces'
fi

check 'a mapping, rank 0 is killed' killed mapping 0
check 'both ranks are killed' killed mapping 0 1
check 'a window, rank 1 is killed' killed window 1
check 'both ranks are killed' killed window 0 1
finish
