#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The programs that README.md shows are the files that it names: a fenced block
# behind a line such as <!-- examples/01_kicked_ising.c -->.
. "${top_srcdir=.}/tests/package/tap.sh"
cd "$top_srcdir" || exit 99

# The block of README.md behind the comment that names the file.
block () {
    awk -v marker="<!-- $1 -->" '
        $0 == marker { found = 1; next }
        found && /^```/ { if (inside) { exit } inside = 1; next }
        inside { print }' README.md
}

same () {
    block "$1" >"$scratch/block"
    diff -u "$1" "$scratch/block"
}

shown=$(sed -n 's/^<!-- \([^ ]*\.[a-z0-9]*\) -->$/\1/p' README.md)
check 'README.md shows a program in C' \
    sh -c 'echo "$1" | grep -q "\.c$"' sh "$shown"
check 'README.md shows a program in Fortran' \
    sh -c 'echo "$1" | grep -q "\.f90$"' sh "$shown"
for file in $shown; do
    check "README.md shows $file as it is" same "$file"
done
finish
