#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# What the library needs of CUDA: nothing, or the runtime, never the driver, so
# that it loads on machines without one.
. "${top_srcdir=.}/tests/package/tap.sh"

library=src/.libs/libpaulimpi.so
test -f $library || skip_all 'no shared library'
command -v readelf >/dev/null || skip_all 'no readelf'

needs () {
    readelf -d $library | grep NEEDED | grep -F "$1"
}

# The test of devices, on the runtime that a program would have.
without_mock () (
    unset PAULIMPI_REQUIRE_GPU
    tests/device/devices.t
)

check 'the library does not need the driver' silent needs 'libcuda.so'
check 'nor a library of C++' silent needs 'libstdc++'
if grep -q 'HAVE_CUDA 1' config.h; then
    if ls tests/mock/libcudart.so.* >/dev/null 2>&1; then
        check 'it needs the runtime' needs 'libcudart.so'
        check 'tests run on the mock of it' \
            says 'the mock has two devices' \
            sh tests/mpi-run tests/device/mock.t
    fi
    check 'it works with the driver that is here, or without one' without_mock
    check 'and tells which devices there are, or why there is none' \
        sh -c 'tests/device/devices.t | grep -E "^# (no GPU: |[0-9]+ device)"'
else
    check 'it does not need the runtime' silent needs 'libcudart'
    check 'it tells that there is no GPU, and why' \
        says 'no GPU: built without CUDA' without_mock
fi
finish
