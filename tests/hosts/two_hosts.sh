#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Run a test program on several ranks, the first half of them on host h1 and
# the others on h2: two pretended hosts, joined by a network. They live in
# namespaces that go with this script; the machine itself is not changed. It
# needs root, Open MPI, and iproute2.
#
#     sh two_hosts.sh [-n RANKS] PROGRAM [ARGUMENT...]   as tests/mpi-run does
#     sh two_hosts.sh --try           whether that is possible here
here=$(cd "$(dirname "$0")" && pwd)
if test -z "$NSHOSTS"; then
    NSHOSTS=$(mktemp -d) || exit 1
    export NSHOSTS
    unshare -m -n sh "$here/two_hosts.sh" "$@"
    status=$?
    rmdir "$NSHOSTS"
    exit $status
fi

# on HOST COMMAND...
on () {
    host=$1
    shift
    nsenter --net="$NSHOSTS/$host" "$@"
}

# A switch, here, and a cable to each host.
up () {
    mount -t tmpfs tmpfs "$NSHOSTS" &&
        ip link add br0 type bridge && ip link set br0 up || return 1
    echo '127.0.0.1 localhost' >"$NSHOSTS/table"
    for i in 1 2; do
        : >"$NSHOSTS/h$i" && unshare --net="$NSHOSTS/h$i" true &&
            ip link add "p$i" type veth peer name eth0 \
                netns "$NSHOSTS/h$i" &&
            ip link set "p$i" master br0 up &&
            on "h$i" ip link set lo up &&
            on "h$i" ip addr add "10.77.0.$i/24" dev eth0 &&
            on "h$i" ip link set eth0 up || return 1
        echo "10.77.0.$i h$i" >>"$NSHOSTS/table"
    done
    mount --bind "$NSHOSTS/table" /etc/hosts
}

up || exit 1
test "$1" != --try || exit 0
# The agent is one word, and in the sources nothing may be executable.
printf '#!/bin/sh\nexec sh "%s/nsrsh.sh" "$@"\n' "$here" >"$NSHOSTS/nsrsh"
chmod +x "$NSHOSTS/nsrsh"
if test "$1" = -n; then
    np=$2
else
    np=$(expr "x$1" : '.*_np\([0-9][0-9]*\)\.t$') || np=4
fi
launcher=$(sed -n 's/^launcher=${MPIEXEC-"\(.*\)"}$/\1/p' tests/mpi-run)
MPIEXEC="${MPIEXEC-$launcher} --mca plm_rsh_agent $NSHOSTS/nsrsh \
    --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 \
    --host h1:$(((np + 1) / 2)),h2:$((np / 2))"
export MPIEXEC
words="cd '$PWD' && exec sh tests/mpi-run"
for word in "$@"; do
    words="$words '$word'"
done
sh "$here/nsrsh.sh" h1 "$words"
