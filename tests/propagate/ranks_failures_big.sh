#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# A job of which one rank stops, is killed, or was given another circuit.
# shellcheck disable=SC2154
. "${top_srcdir=.}/tests/package/tap.sh"

tool=tools/paulimpi-propagate
circuit=$top_srcdir/examples/data/kicked_ising_127.qasm
PAULIMPI_TEST_MAX_NP=4
PAULIMPI_TIMEOUT=10
ranks=4
export PAULIMPI_TEST_MAX_NP PAULIMPI_TIMEOUT

# Long enough to be met in the middle: 20 steps instead of 5.
grep -E '^(OPENQASM|include|qreg)' "$circuit" >"$scratch/head"
grep -vE '^(OPENQASM|include|qreg|//)' "$circuit" >"$scratch/steps"
cat "$scratch/head" "$scratch/steps" "$scratch/steps" "$scratch/steps" \
    "$scratch/steps" >"$scratch/long.qasm"
sed '$d' "$circuit" >"$scratch/other.qasm"

# The wrapper of each rank: its number names the file that holds its process.
cat >"$scratch/rank" <<EOT
#!/bin/sh
rank=\${OMPI_COMM_WORLD_RANK:-\$PMI_RANK}
echo \$\$ >"$scratch/pid.\$rank"
exec env "\$@"
EOT
chmod +x "$scratch/rank"

start () {
    ln -sf "$PWD/$tool" "$scratch/job_np$ranks.t"
    PAULIMPI_TEST_WRAPPER=$scratch/rank \
        sh tests/mpi-run "$scratch/job_np$ranks.t" "$@"
}

# signal_one SIGNAL RANK: that rank of a long job gets it, when the job is at
# work, as its first checkpoint tells; the job's end is looked at.
signal_one () {
    rm -f "$scratch"/pid.* "$scratch/checkpoint"
    start "$scratch/long.qasm" --observable Z62 --eps 2^-13 \
        --checkpoint "$scratch/checkpoint" >"$scratch/out" 2>&1 &
    job=$!
    until test -s "$scratch/checkpoint"; do
        kill -0 $job || break
        sleep 0.1
    done
    sleep 1
    kill "-$1" "$(cat "$scratch/pid.$2")"
    wait $job
}

ends () {
    ! signal_one "$@"
}

names_rank () {
    grep 'no answer' "$scratch/out" | grep -q "rank $1"
}

check 'a job of which a rank stops ends with an error' ends STOP 2
check 'that names the rank' names_rank 2
kill -9 "$(cat "$scratch/pid.2")" 2>/dev/null
check 'so does one of which the first rank stops' ends STOP 0
check 'that names it, though it would have spoken' names_rank 0
kill -9 "$(cat "$scratch/pid.0")" 2>/dev/null
check 'a job of which a rank is killed ends with an error' ends KILL 2

# Rank 2 takes its own circuit.
cat >"$scratch/rank" <<EOT
#!/bin/sh
rank=\${OMPI_COMM_WORLD_RANK:-\$PMI_RANK}
test "\$rank" = 2 || exec "\$@"
program=\$1
shift 2
exec "\$program" "$scratch/other.qasm" "\$@"
EOT
another_circuit () {
    start "$circuit" --observable Z62 --eps 2^-6
}
check 'a rank with another circuit is an error' fails another_circuit
check 'that says so' says 'circuit of rank 2 differs' another_circuit
finish
