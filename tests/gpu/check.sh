#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Check the library on a machine with one or more GPUs, which may have nothing
# but the toolkit of CUDA and a C compiler: build it, run its tests of devices
# and exchanges on real device memory, and print how fast each way is.
#
#   --dry-run         the same steps without a GPU, on the mocks of the tests
#   --cuda=DIR        the toolkit (where nvcc is, else /usr/local/cuda)
#   --nccl[=DIR]      build with NCCL, too
#   --mpi=TARBALL     where there is no mpicc: build this Open MPI or MPICH, with
#                     CUDA; without it one is installed by apt, if this is root
#   --source=DIR|TAR  the library (this tree)
#   --work=DIR        where to build; it is kept (a new folder, which is removed)
#   --jobs=N          of make (the number of processors)
#
# The status is 0 if all tests passed.
set -u

cuda=
nccl=
mpi_tarball=
source=$(cd "$(dirname "$0")/../.." && pwd)
work=
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null) || jobs=1
is_dry=no

say () {
    printf '\n== %s\n' "$*"
}

fail () {
    printf 'check.sh: %s\n' "$*" >&2
    exit 1
}

for option in "$@"; do
    value=${option#*=}
    case $option in
    --dry-run) is_dry=yes ;;
    --cuda=*) cuda=$value ;;
    --nccl) nccl=yes ;;
    --nccl=*) nccl=$value ;;
    --mpi=*) mpi_tarball=$value ;;
    --source=*) source=$value ;;
    --work=*) work=$value ;;
    --jobs=*) jobs=$value ;;
    --help) sed -n '3,/^$/s/^#\{1,\} \{0,1\}//p' "$0"; exit 0 ;;
    *) fail "$option is no option: --help tells them" ;;
    esac
done
if [ -z "$work" ]; then
    work=$(mktemp -d) || fail 'no place to build in'
    trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
fi
mkdir -p "$work" || fail "no folder $work"
work=$(cd "$work" && pwd)

# logged NAME COMMAND...: run it; its words go to a file, of which the end is
# shown if it fails.
logged () {
    log=$work/$1.log
    shift
    "$@" >"$log" 2>&1 && return 0
    tail -n 30 "$log"
    fail "$* failed: see $log"
}

find_gpus () {
    say 'The machine'
    uname -srm
    if [ $is_dry = yes ]; then
        echo 'dry run: two GPUs of the mock'
    elif command -v nvidia-smi >/dev/null && nvidia-smi -L; then
        nvidia-smi --query-gpu=driver_version --format=csv,noheader |
            sed '1!d; s/^/driver /'
        nvidia-smi topo -m 2>/dev/null
    else
        fail 'nvidia-smi shows no GPU: --dry-run does without one'
    fi
}

find_cuda () {
    if [ -z "$cuda" ] && command -v nvcc >/dev/null; then
        cuda=$(readlink -f "$(command -v nvcc)")
        cuda=${cuda%/bin/nvcc}
    fi
    : "${cuda:=/usr/local/cuda}"
    [ -f "$cuda/include/cuda_runtime_api.h" ] ||
        fail "no toolkit of CUDA in $cuda: install one, or give --cuda=DIR"
    echo "toolkit of CUDA in $cuda"
}

# An MPI from a tarball, into the folder of work.
# shellcheck disable=SC2317
build_mpi () {
    mkdir -p "$work/mpi-source" && tar -xf "$mpi_tarball" \
        -C "$work/mpi-source" --strip-components=1 || return 1
    cd "$work/mpi-source" &&
        ./configure --prefix="$work/mpi" --with-cuda="$cuda" \
            --disable-mpi-fortran --disable-fortran &&
        make -j"$jobs" && make install
}

find_mpi () {
    if command -v mpicc >/dev/null; then
        :
    elif [ -n "$mpi_tarball" ]; then
        [ -f "$mpi_tarball" ] || fail "there is no $mpi_tarball"
        mpi_tarball=$(readlink -f "$mpi_tarball")
        echo "building $mpi_tarball"
        logged mpi build_mpi
        PATH=$work/mpi/bin:$PATH
        LD_LIBRARY_PATH=$work/mpi/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        export PATH LD_LIBRARY_PATH
    elif command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then
        echo 'installing Open MPI by apt'
        logged apt sh -c 'apt-get update && apt-get install -y \
            gcc make pkg-config libc6-dev libopenmpi-dev openmpi-bin'
    else
        fail 'there is no mpicc: install an MPI, or give --mpi=TARBALL'
    fi
    echo "MPI by $(command -v mpicc)"
}

# NCCL as the tests play it, for the dry run with --nccl.
# shellcheck disable=SC2317
mock_nccl () {
    nccl=$work/nccl
    mkdir -p "$nccl/include" "$nccl/lib" &&
        cp "$source/tests/mock/nccl.h" "$nccl/include" &&
        mpicc -std=gnu11 -D_GNU_SOURCE -fPIC -shared -I"$source/tests" \
            -I"$cuda/include" -Wl,-soname,libnccl.so.2 \
            -o "$nccl/lib/libnccl.so.2" "$source/tests/mock/nccl.c" \
            "$source/tests/mock/nccl_boxes.c" &&
        ln -sf libnccl.so.2 "$nccl/lib/libnccl.so"
}

build () {
    say 'The library'
    if [ -f "$source" ]; then
        mkdir -p "$work/source"
        logged unpack tar -xf "$source" -C "$work/source" --strip-components=1
        source=$work/source
    fi
    [ -f "$source/configure" ] || (cd "$source" && logged autogen ./autogen.sh)
    if [ $is_dry = yes ] && [ "$nccl" = yes ]; then
        logged nccl mock_nccl
    fi
    mkdir -p "$work/build" && cd "$work/build" || exit 1
    logged configure "$source/configure" --disable-fortran \
        --with-cuda="$cuda" ${nccl:+--with-nccl="$nccl"}
    sed -n '/^  MPI  /p; /^  GPU-aware/p; /^  CUDA/p; /^  NCCL/p' \
        "$work/configure.log"
    logged make make -j"$jobs"
    # The tests of devices and exchanges are built without being run.
    names=$(grep -ho 'tests/[a-z]*/[a-z_0-9]*\.t' \
        "$source/tests/device/Makefile.inc" \
        "$source/tests/exchange/Makefile.inc" |
        grep -v '_big_' | sort -u | tr '\n' ' ')
    logged make-check make -j"$jobs" check check_PROGRAMS="$names" TESTS=
    logged make-paths make -j"$jobs" tests/gpu/packing.t \
        tests/gpu/paths_np2.t tests/gpu/paths_mock_np2.t
}

# What needs the mock skips on a GPU.
run_tests () {
    say 'Tests'
    make check check_PROGRAMS="$names" TESTS="$names" >"$work/tests.log" 2>&1
    status=$?
    grep -E '^(FAIL|ERROR|XPASS)' "$work/tests.log"
    sed -n 's/^# \([A-Z]*: *[0-9]*\)$/\1/p' "$work/tests.log" | paste -sd, -
    if [ $is_dry = no ]; then
        echo 'not for a real GPU, which is no mock:'
        grep '^SKIP' "$work/tests.log" | sed 's/^SKIP: /    /'
    fi
    return $status
}

# How fast strided memory is packed; the values are checked as well.
run_packing () {
    say 'Rows of a device, to and from pinned memory'
    sh tests/mpi-run tests/gpu/packing.t >"$work/packing.log" 2>&1
    status=$?
    sed -n 's/^# //p' "$work/packing.log"
    if [ $status -ne 0 ]; then
        grep -v '^ok' "$work/packing.log"
    fi
    return $status
}

# How fast each way is; the values that arrive are checked as well.
run_paths () {
    say 'Each way between two ranks, both at a time'
    program=tests/gpu/paths_np2.t
    [ $is_dry = no ] || program=tests/gpu/paths_mock_np2.t
    sh tests/mpi-run $program >"$work/paths.log" 2>&1
    status=$?
    sed -n 's/^# //p' "$work/paths.log"
    if [ $status -ne 0 ]; then
        grep -v '^ok' "$work/paths.log"
    fi
    return $status
}

if [ $is_dry = no ]; then
    PAULIMPI_REQUIRE_GPU=1
    export PAULIMPI_REQUIRE_GPU
else
    unset PAULIMPI_REQUIRE_GPU
fi
find_gpus
find_cuda
find_mpi
build
result=0
run_tests || result=1
run_packing || result=1
run_paths || result=1
if [ $result -eq 0 ]; then
    say 'All passed'
else
    say 'Some failed'
fi
exit $result
