#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The sentences that the guide says are the library's are.
. "${top_srcdir=.}/tests/package/tap.sh"
cd "$top_srcdir" || exit 99

# All texts of the library, those that stand on several lines in one.
cat src/*/*.c | tr '\n' ' ' | sed 's/" *"//g; s/ \\ */ /g; s/" *"//g' \
    >"$scratch/texts"

# sentences GUIDE: the quoted sentences of the last columns of its tables, cut
# where "..." stands for something.
sentences () {
    sed -n '/^| /{s/.*| \(.*\) |$/\1/; s/`[^`]*`//g; p;}' "$1" |
        grep -o '"[^"]*"' | tr -d '"' |
        sed 's/\.\.\./\n/g' | sed 's/^[ ,;:()]*//; s/[ ,;:()]*$//' |
        awk 'length($0) > 8'
}

unsaid () {
    while read -r part; do
        grep -qF -e "$part" "$scratch/texts" || echo "$part"
    done <"$scratch/parts"
}

guide=doc/guide/gpu-aware-mpi.md
sentences $guide >"$scratch/parts"
check 'the guide has sentences' test "$(wc -l <"$scratch/parts")" -ge 20
check 'which the library says' silent unsaid
guide=doc/guide/cluster.md
sentences $guide >"$scratch/parts"
check 'so has the one to clusters' test "$(wc -l <"$scratch/parts")" -ge 7
check 'which the library says' silent unsaid

# Its job script, with a launcher that starts one process, and a tool that
# tells what it was asked for.
sed -n '/^#!\/bin\/sh$/,/^```$/p' $guide | sed '$d' >"$scratch/job"
printf '#!/bin/sh\nfor word; do shift; case $word in -*) ;; *) break ;; esac
done\nexec "$word" "$@"\n' >"$scratch/srun"
printf '#!/bin/sh\nprintf "<%%s>" "$@"\n' >"$scratch/paulimpi-propagate"
chmod +x "$scratch/srun" "$scratch/paulimpi-propagate"

job () (
    cd "$scratch" && PATH=$scratch:$PATH SLURM_CPUS_PER_TASK=16 sh ./job
)

check 'its job script begins anew' \
    says '<1800s><--json>' job
: >"$scratch/run.chk"
check 'and goes on from a checkpoint' \
    says '<1800s><--restart><run.chk><--json>' job

# Options and variables that there are.
unknown () {
    grep -h 'paulimpi-propagate\|--checkpoint' doc/guide/*.md |
        sed 's/.*paulimpi-propagate//' | grep -o -e '--[a-z][a-z-]*' |
        sort -u | while read -r option; do
        grep -qF -e "\"${option#--}\"" tools/propagate_settings.c ||
            echo "$option"
    done
    grep -oh 'PAULIMPI_[A-Z_]*' doc/guide/*.md | sort -u |
        while read -r name; do
            grep -rqF -e "$name" src include || echo "$name"
        done
}
check 'guides name options and variables that there are' silent unknown
finish
