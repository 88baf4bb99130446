#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# bench/compare, alone and next to packages that are made up here.
# shellcheck source-path=SCRIPTDIR source=tap.subr
. "${top_srcdir:-.}/tests/tools/tap.subr"

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))'; then
    echo '1..0 # SKIP no Python 3.9'
    exit 0
fi
unset PAULIMPI_PEERS PAULIMPI_PEERS_PYTHON

compare () {
    run python3 "$top_srcdir/bench/compare" --bench "$tools/paulimpi-bench" \
        "$@"
}

# row WORKLOAD: its cells in the first table, with a T for each time.
row () {
    grep -F "| $1 |" "$work/out" | sed -n '1p' | sed 's/[0-9]*\.[0-9]*/T/g'
}

compare --rounds 1 growth:n=10,steps=3 su4:n=4,depth=2,eps=0
ends 'alone' 0
says 'it says that it is alone' out '^No other packages: '
is 'terms, term-gates, a time for each number of threads' \
    "$(row growth:n=10,steps=3)" \
    '| growth:n=10,steps=3 | 132 | 1,064 | T / T | - / - |'
is 'several workloads' "$(row su4:n=4,depth=2,eps=0)" \
    '| su4:n=4,depth=2,eps=0 | 255 | 2,785 | T / T | - / - |'
says 'peak terms' out '^| growth:n=10,steps=3 | 132 | [0-9]* |$'
is 'the version' "$(grep '^Packages: ' "$work/out")" \
    "Packages: libpaulimpi $("$tools/paulimpi-bench" --version |
        sed 's/.* //')"

compare --rounds 1 --threads 1 nosuch growth:n=10,steps=3
ends 'an unknown workload' 1
says 'says why' err '^compare: nosuch: paulimpi-bench: nosuch: unknown'
is 'the others are still measured' "$(row growth:n=10,steps=3)" \
    '| growth:n=10,steps=3 | 132 | 1,064 | T | - |'

# A folder whose compare.py has two packages: one takes 2 ns a term-gate and
# 500 bytes a term, the other cannot do anything. What it says of some
# workloads is not true.
mkdir "$work/peers"
echo 'DEFAULTS = {"growth": {}}' >"$work/peers/workloads.py"
cat >"$work/peers/compare.py" <<'END'
import argparse
import json
import subprocess

PEERS = ["reference", "good", "lame"]
LIES = {"growth:n=3,steps=2": "rule", "growth:n=4,steps=2": "terms",
        "growth:n=5,steps=2": "bits", "growth:n=6,steps=2": "gates",
        "growth:n=7,steps=2": "error", "growth:n=8,steps=2": "silence",
        "growth:n=9,steps=2": "status"}


def lines(ours, lie, r):
    good = {"seconds": {"min": 2e-9 * ours["term_gates"]}, "version": "1.2",
            "term_gates": ours["term_gates"] + (lie == "gates"),
            "peak_rss_bytes": 500 * ours["peak_terms"],
            "agrees": lie != "rule"}
    ours |= {"agrees": True, "terms_difference": 0, "value_difference": 0}
    if lie == "terms":
        ours |= {"agrees": False, "terms_difference": -2}
    if lie == "bits" and r == 1:
        ours["value"] += 1e-15
    if lie == "error":
        ours = {"error": "out of luck"}
    told = {"ours": ours, "good": good, "lame": {"error": "cannot"}}
    return {p: told[p] for p in told if (p, lie) != ("ours", "silence")}


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    for name in "--workloads --peers --threads".split():
        ap.add_argument(name, nargs="*")
    for name in "--rounds --timeout --ours --log".split():
        ap.add_argument(name)
    arg = ap.parse_args()
    (workload,) = arg.workloads
    lie = LIES.get(workload)
    log = open(arg.log, "a")
    for r, t in ((r, t) for r in range(int(arg.rounds)) for t in arg.threads):
        command = arg.ours.replace("{workload}", workload)
        ours = json.loads(subprocess.check_output(
            command.replace("{threads}", t), shell=True, text=True))
        for peer, line in lines(ours, lie, r).items():
            if peer == "ours" or peer in arg.peers:
                print(json.dumps(line | {"peer": peer, "threads": int(t)}),
                      file=log)
    log.close()
    raise SystemExit(3 if lie == "status" else 0)
END

compare --peers-dir "$work/peers" --rounds 1 growth:n=10,steps=3 \
    growth:n=3,steps=2
ends 'next to packages' 0
is 'a cell for each package' "$(row growth:n=10,steps=3)" \
    '| growth:n=10,steps=3 | 132 | 1,064 | T / T | - / - | T / T | T / T |'
says 'times are a term-gate' out '| 1,064 | 2\.00 / 2\.00 | - / - |'
says 'bytes are a term' out '^| growth:n=10,steps=3 | 132 | 500 | - | [0-9]'
says 'versions are named' out '^Packages: good 1\.2, lame -, libpaulimpi [0-9]'
says 'other terms are marked' out \
    '^| growth:n=3,steps=2 .*| 2\.00 / 2\.00 ~ | - / - | [0-9./ ]* | [0-9./ ]* |$'
# Three rounded numbers.
is 'the ratio is ours to the fastest' "$(sed -n 's/^|.*| 1,064 |//p' \
    "$work/out" | tr '|/' '  ' | awk '{ off = $8 - $6 / $2 }
    END { print (off < 0.008 && off > -0.008) }')" 1

PAULIMPI_PEERS=$work/peers
export PAULIMPI_PEERS
compare --rounds 1 --threads 1 growth:n=10,steps=3 --peers lame noisy:layers=1
ends 'the folder may be named by PAULIMPI_PEERS' 0
is 'some packages only' "$(row growth:n=10,steps=3)" \
    '| growth:n=10,steps=3 | 132 | 1,064 | - | T | - |'
is 'a workload that the folder does not know is run alone' \
    "$(row noisy:layers=1)" '| noisy:layers=1 | 4 | 446 | - | T | - |'

compare --rounds 2 --threads 1 growth:n=4,steps=2 growth:n=5,steps=2 \
    growth:n=6,steps=2 growth:n=7,steps=2 growth:n=8,steps=2 growth:n=9,steps=2
ends 'what is wrong is an error' 1
said () {
    says "$1" err "^compare: growth:n=$2,steps=2: $3"
}
said 'other terms' 4 '1 threads: -2 terms, value +0 off'
said 'other bits' 5 '1 threads: value 0\.[0-9]*, then 0\.'
said 'other counts' 6 'good counts [0-9]* term-gates'
said 'a run that failed' 7 '1 threads: out of luck'
said 'no run' 8 'no result'
said 'a comparison that failed' 9 'compare\.py ended with status 3'
silent 'nothing of that is in a table' out
unset PAULIMPI_PEERS

compare --threads 0 growth
ends 'no threads' 2
compare --peers-dir "$work" growth
ends 'a folder without compare.py' 2
finish
