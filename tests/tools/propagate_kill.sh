#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# paulimpi-propagate: killed at any moment, on any number of ranks, nothing is
# lost but the work since the last checkpoint. PAULIMPI_KILL_ROUNDS says how
# often.
# shellcheck source-path=SCRIPTDIR source=tap.subr
. "${top_srcdir:-.}/tests/tools/tap.subr"

propagate=$tools/paulimpi-propagate
kicked=$top_srcdir/examples/data/kicked_ising_127.qasm
rounds=${PAULIMPI_KILL_ROUNDS:-2}
launch=$top_builddir/tests/mpi-run
test -f "$launch" || launch=

# A rank leaves its number behind, as which it is found.
make_ranks () {
    cat >"$work/run_np$1.t" <<END
#!/bin/sh
echo \$\$ >"$work/pid.\$\$"
if test -f "$2"; then
    exec "$propagate" "$kicked" --observable Z62 --eps 2^-9 --json \\
        --checkpoint "$2" --checkpoint-every 15 --restart "$2"
fi
exec "$propagate" "$kicked" --observable Z62 --eps 2^-9 --json \\
    --checkpoint "$2" --checkpoint-every 15
END
    chmod +x "$work/run_np$1.t"
}

# start RANKS FILE: as "run", in the background.
start () {
    make_ranks "$1" "$2"
    rm -f "$work"/pid.*
    if test "$1" -eq 1 || test -z "$launch"; then
        "$work/run_np$1.t" >"$work/out" 2>"$work/err" </dev/null &
    else
        sh "$launch" "$work/run_np$1.t" >"$work/out" 2>"$work/err" \
            </dev/null &
    fi
    pid=$!
}

# kill_one SECONDS: one of the ranks, so many seconds after there is one.
kill_one () {
    while test "$(echo "$work"/pid.*)" = "$work/pid.*" &&
        kill -0 "$pid" 2>/dev/null; do
        sleep 0.01
    done
    sleep "$1"
    for name in "$work"/pid.*; do
        test ! -s "$name" || kill -KILL "$(cat "$name")" 2>/dev/null
        break
    done
    wait "$pid" 2>/dev/null
    grep -q '"value"' "$work/out" || n_hit=$((n_hit + 1))
}

answer () {
    echo "$(json value) $(json terms) $(json term_gates)" \
        "$(json dropped_norm1)"
}

most=3
test -n "$launch" || most=1
test "${PAULIMPI_TEST_MAX_NP:-3}" -ge "$most" || most=$PAULIMPI_TEST_MAX_NP
endings=checkpoint
if "$tools/paulimpi-info" | grep -q '^HDF5: yes'; then
    endings=h5
    test "$rounds" -le 2 || endings='checkpoint h5'
fi
run "$propagate" "$kicked" --observable Z62 --eps 2^-9 --json
whole=$(answer)
seed=1
n_hit=0
for ending in $endings; do
    file=$work/run.$ending
    round=0
    while test $round -lt "$rounds"; do
        round=$((round + 1))
        seed=$(((seed * 1103515245 + 12345) % 2147483648))
        start $(((seed / 65536) % most + 1)) "$file"
        kill_one "0.$(printf '%03d' $(((seed / 1024) % 400)))"
    done
    start $((seed / 65536 % most + 1)) "$file"
    wait "$pid"
    ok "$ending: killed $rounds times, it goes on to the same answer" \
        test "$(answer)" = "$whole"
    echo "# $n_hit found it at work"
    says 'and without a complaint' out '"value": '
    rm -f "$file".*.tmp
done
finish
