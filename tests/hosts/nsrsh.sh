#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# A stand-in for ssh under two_hosts.sh, which sets NSHOSTS: run a command on a
# pretended host, with a name and a /dev/shm of its own.
#
#     nsrsh.sh [-OPTION]... HOST COMMAND...
while :; do
    case $1 in
    -*) shift ;;
    *) break ;;
    esac
done
host=$1
shift
# shellcheck disable=SC2016
exec nsenter --net="$NSHOSTS/$host" unshare -m -u sh -c '
    hostname "$1" && mount -t tmpfs tmpfs /dev/shm && exec sh -c "$2"' \
    sh "$host" "$*"
