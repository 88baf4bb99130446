#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The sentences that the guide says are the library's are.
. "${top_srcdir=.}/tests/package/tap.sh"
cd "$top_srcdir" || exit 99

# All texts of the library, those that stand on several lines in one.
cat src/*/*.c | tr '\n' ' ' | sed 's/" *"//g; s/ \\ */ /g; s/" *"//g' \
    >"$scratch/texts"

# The quoted sentences of the last columns of a table, cut where "..." stands
# for something.
sed -n '/^| /{s/.*| \(.*\) |$/\1/; s/`[^`]*`//g; p;}' \
    doc/guide/gpu-aware-mpi.md | grep -o '"[^"]*"' | tr -d '"' |
    sed 's/\.\.\./\n/g' | sed 's/^[ ,;:()]*//; s/[ ,;:()]*$//' |
    awk 'length($0) > 8' >"$scratch/parts"

unsaid () {
    while read -r part; do
        grep -qF -e "$part" "$scratch/texts" || echo "$part"
    done <"$scratch/parts"
}

check 'the guide has sentences' test "$(wc -l <"$scratch/parts")" -ge 20
check 'which the library says' silent unsaid
finish
