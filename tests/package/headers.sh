#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Public headers compile alone, in C and C++, and define nothing of others.
. "${top_srcdir=.}/tests/package/tap.sh"

# The folders of mpi.h count as the system's: its warnings are not ours.
system=$($CC -show 2>/dev/null | tr ' ' '\n' | sed -n 's/^-I/-isystem /p' |
    tr '\n' ' ')
flags="$system -Iinclude -I$top_srcdir/include -Wall -Wextra -Wundef -Werror"
headers=$(cd "$top_srcdir/include" && find . -name '*.h' |
    sed 's,^\./,,; /^paulimpi\/cuda\.h$/d')
headers="$headers paulimpi/version.h"

# One is for programs that use CUDA.
if grep -q 'HAVE_CUDA 1' config.h; then
    headers="$headers paulimpi/cuda.h"
    flags="$flags $(sed -n 's/^CUDA_CFLAGS = //p' Makefile)"
fi

# compile LANGUAGE STANDARD HEADER
compile () {
    printf '#include <%s>\n#include <%s>\nextern int more;\n' "$3" "$3" \
        >"$scratch/one.$1"
    # shellcheck disable=SC2086
    $CC -std="$2" -pedantic $flags -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX \
        -fsyntax-only "$scratch/one.$1"
}

# The macros that our files define, without those of our own names.
foreign_macros () {
    echo '#include <paulimpi.h>' >"$scratch/all.c"
    # shellcheck disable=SC2086
    $CC $flags -dD -E "$scratch/all.c" | awk '
        /^# [0-9]+ "/ { ours = $3 ~ /paulimpi(\/[a-z]+)?\.h"$/ }
        ours && /^#define/ && $2 !~ /^_*(PAULIMPI|paulimpi)_/ { print $2 }'
}

for header in $headers; do
    check "$header compiles alone as C99" compile c c99 "$header"
done
echo 'int main() { return 0; }' >"$scratch/try.cc"
if $CC -fsyntax-only "$scratch/try.cc" 2>/dev/null; then
    for header in $headers; do
        check "$header compiles alone as C++11" compile cc c++11 "$header"
    done
else
    skip_check 'no C++ compiler'
fi
check 'only macros of our names are defined' silent foreign_macros
finish
