#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# paulimpi-bench: every workload at a small size against the counts of an
# independent program with one plain hash table; for noisy and su4 that is
# bench_oracle.py, which prints their lines.
# shellcheck source-path=SCRIPTDIR source=tap.subr
. "${top_srcdir:-.}/tests/tools/tap.subr"

bench=$tools/paulimpi-bench

# Workload, final and peak terms, term-gates, active ones, value. The rotations
# by jz = 0 have no effect, so no term is active in them.
while read -r workload counts; do
    run "$bench" propagate "$workload" --threads 1
    is "$workload" "$(json final_terms) $(json peak_terms)\
 $(json term_gates) $(json active_gates)\
 $(json value | xargs printf '%.10f' | sed 's/^-\(0\.0*\)$/\1/')" "$counts"
done <<'END'
lattice-b:side=3,steps=3 456 456 15161 4352 0.9791036667
lattice-b:steps=6 6469 6469 1278299 116615 0.9392112109
lattice-c:layers=5 4754 4754 700918 57819 0.8064381394
noisy:layers=4 2077 2077 616106 19722 0.8103536870
noisy:layers=5,eps=1e-5,p=0.05 94 104 89199 2073 0.0127098384
noisy:layers=5,p=0 4754 4754 700918 57819 0.8064381394
chain-d:n=8 4701 4701 207435 82108 1.8889029531
chain-d:n=70,steps=4 8938 8938 1694338 54770 52.2977399799
kicked-ising:log2eps=-6 408 517 154834 7341 0.2140091471
kicked-ising:log2eps=-8 5038 6311 1011434 59361 0.2140091471
kicked-ising:log2eps=-8,frame=1 5038 6311 675914 44181 0.2140091471
kicked-ising:steps=6,log2eps=-7,frame=1 573 1766 402468 21747 0.1817840074
kicked-ising:eps=1e-4,weight=8 8742 8742 600388 11278 0.2401921352
kicked-ising:k=8,steps=20,eps=1e-3,weight=6 292 628 906715 20299 0.2667939110
kicked-ising:k=8,steps=4,eps=1e-13 2582 2582 165013 3028 0.4882812500
xxz:n=24,eps=1e-4 9918 9918 912191 153058 0.0267695476
xxz:jz=0 257 257 86009 2806 0.1293349316
brickwork:depth=4,eps=1e-3 7844 9252 941561 93815 -0.0888513548
brickwork:n=9,depth=3,eps=1e-3 2491 2652 61110 17401 0.2546212458
su4:depth=4,eps=1e-2 1257 1257 636530 116498 0.2736537460
su4:n=5,depth=3,seed=1099511627781 920 920 15446 7011 0.0847883468
growth:steps=4 1430 1430 82724 3277 -0.6030674328
growth:n=10,steps=3 132 132 1064 219 -0.3052357670
dense:terms=2000 6588 6588 9352 4588 0.0000000000
dense:terms=1000,n=70,passes=2,seed=7 3442 3442 15113 9400 0.0000000000
END

run "$bench" propagate kicked-ising:log2eps=-6 --threads 2 --repeat 3
ends 'three repeats on two threads' 0
is 'the workload is named with all parameters' "$(json workload)" \
    '"kicked-ising:k=10,steps=5,log2eps=-6,eps=0.0,weight=0,frame=0"'
says 'the parameters are an object' out \
    '"parameters": {"k": 10, "steps": 5, "log2eps": -6, "eps": 0.0, '
threads=2
grep -q '^#define HAVE_OPENMP' config.h || threads=1
is 'threads and repeats' "$(json threads) $(json repeats)" "$threads 3"
says 'seconds' out '"seconds": {"min": [0-9.e-]*, "median": [0-9.e-]*, "max"'
for key in peak_rss_bytes peak_bytes version; do
    ok "$key is there" test -n "$(json $key)"
done
is 'the engine is named' "$(json engine)" '"tile"'
for engine in in-place tile orbit; do
    run "$bench" propagate kicked-ising:log2eps=-8,frame=1 --engine $engine
    is "--engine $engine" "$(json engine) $(json final_terms)\
 $(json term_gates) $(json active_gates)" "\"$engine\" 5038 675914 44181"
done
run "$bench" propagate xxz:eps=1e-4,n=24,jz=-0.25
says 'numbers have their shortest form' out \
    'xxz:n=24,steps=6,jz=-0.25,eps=0.0001"'

# Ranks that are not there; tests/propagate/virtual_ranks.c has the counts.
PAULIMPI_TEST_COPIED_TERMS=100
export PAULIMPI_TEST_COPIED_TERMS
run "$bench" scaling kicked-ising:steps=6,log2eps=-9 --ranks 2,16 --json
ends 'scaling' 0
is 'a line for each number of ranks' "$(grep -c '"moves": ' "$work/out")" 2
says 'terms, bytes, messages' out \
    '"ranks": 2, .*"terms_moved": [1-9].*"bytes_moved": [1-9].*"messages": '
says 'and random rows' out '"random_rows": {"gates": 1626, "crossing": '
run "$bench" scaling kicked-ising:log2eps=-9 --ranks 4 --model latency=1e-6
ends 'a model' 0
says 'of many ranks' out '^  131072 '
says 'and of rows that stay' out '^4 ranks: .* times as fast$'
unset PAULIMPI_TEST_COPIED_TERMS
run "$bench" scaling growth --ranks 2,x
refused 'ranks that are no number' 2 '--ranks 2,x: expected'
run "$bench" scaling growth --ranks 2000
refused 'too many ranks' 2 '--ranks 2000: expected'
run "$bench" scaling growth --model speed=3
refused 'no property of a machine' 2 '--model speed=3: expected'
run "$bench" scaling growth --model latency=-1
refused 'a latency below 0' 2 '--model latency=-1: expected'
run "$bench" scaling
refused 'scaling of nothing' 2 'scaling needs one workload'

run "$bench" --list
ends '--list' 0
is '--list shows all' "$(grep -c '^[a-z0-9-]*:.*=' "$work/out")" 10
says '--list shows initial values' out '^lattice-b:side=6,steps=12,eps=1e-06$'
run "$bench" --help
ends '--help' 0
run "$bench" --version
says '--version' out '^paulimpi-bench [0-9]*\.[0-9]*\.[0-9]*$'

run "$bench"
refused 'no command' 2 '^paulimpi-bench: what is to be run'
run "$bench" nosuch x
refused 'another command' 2 '^paulimpi-bench: nosuch: '
run "$bench" exchange x
refused 'exchange with a workload' 2 '^paulimpi-bench: exchange takes no'
run "$bench" exchange --json
ends 'exchange of a rank with itself' 0
says 'messages are compared' out \
    '{"case": "contiguous", "messages": 1, "bytes": 8, "raw_seconds": '
says 'and strided columns' out '"case": "columns",.*"row_bytes": 8'
is 'the pool holds what it may' "$(json pool_blocks) $(json pool_exact)" \
    '128 true'
run "$bench" propagate
refused 'no workload' 2 'one workload'
run "$bench" propagate nosuch
refused 'an unknown workload' 2 'nosuch: unknown workload'
run "$bench" propagate growth:foo=1
refused 'an unknown parameter' 2 'foo=1: growth has no such parameter'
for value in '' x 1.5 -1 1e9 nan; do
    run "$bench" propagate "growth:n=8,steps=$value"
    refused "steps=$value" 2 'growth:steps: expected a whole number from 0'
done
run "$bench" propagate noisy:p=1.5
refused 'a probability above 1' 2 'noisy:p: expected a number from 0 to 1'
run "$bench" propagate growth --threads 0
refused 'no threads' 2 '--threads 0: expected'
run "$bench" propagate growth --engine steam
refused 'an unknown engine' 2 '--engine steam: expected'
run "$bench" propagate growth --transport steam
refused 'an unknown transport' 2 '--transport steam: expected'
run "$bench" propagate growth --repeat x
refused 'repeats that are no number' 2 '--repeat x: expected'
finish
