#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The script for machines with GPUs, on the mocks.
. "${top_srcdir=.}/tests/package/tap.sh"

cuda=$(sed -n 's/^CUDA_CFLAGS = *-isystem \(.*\)\/include$/\1/p' Makefile)
test -n "$cuda" || cuda=/usr/local/cuda
test -f "$cuda/include/cuda_runtime_api.h" || skip_all 'no toolkit of CUDA'
script=$top_srcdir/tests/gpu/check.sh

dry_run () {
    sh "$script" --dry-run --cuda="$cuda" --nccl --work="$scratch/work" \
        --jobs=2 "$@" >"$scratch/words" 2>&1
    status=$?
    cat "$scratch/words"
    return $status
}

told () {
    grep -E "$1" "$scratch/words"
}

check 'an option that is none is refused' \
    says '--fast is no option' sh "$script" --fast
check 'a toolkit that is not there is missed' \
    says 'no toolkit of CUDA in /nonexistent' \
    sh "$script" --dry-run --cuda=/nonexistent
check 'without a GPU it says so, and how to go on' \
    says '--dry-run does without one' env PATH=/usr/bin:/bin sh -c "
        command -v nvidia-smi >/dev/null &&
            echo '--dry-run does without one' || sh '$script'"
check 'a dry run passes' dry_run
check 'it has built with CUDA and NCCL' told '^  NCCL +yes'
check 'no test failed' told '^TOTAL: .*,FAIL: +0,.*,ERROR: +0$'
check 'kernels were built if there is a compiler' \
    sh -c "test ! -x '$cuda/bin/nvcc' ||
        grep -E '^  CUDA kernels +yes' '$scratch/words'"
check 'the table has rows that copies take' \
    told '^rows of 1024 B +copies +[0-9.]+ GB/s out +[0-9.]+ GB/s in  <-$'
if grep -q '^  CUDA kernels *yes' "$scratch/words"; then
    check 'and those that the kernel takes' \
        told '^rows of    8 B +kernel +[0-9.]+ GB/s out +[0-9.]+ GB/s in  <-$'
fi
for way in 'direct' 'staged' 'bounced, ring' 'bounced, host' 'NCCL'; do
    check "the table has: $way" \
        told "^$way +1048576 B +[0-9.]+ us +[0-9.]+ GB/s"
done
finish
