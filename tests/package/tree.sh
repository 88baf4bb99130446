# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# shellcheck disable=SC2154
#
# The tarball of this build, for the long tests; to be sourced after tap.sh.
# They configure it in folders of their own, as this build was.

options=$(./config.status --config)

# Unpack the tarball as $scratch/source, which nobody may write to.
unpack () {
    $MAKE --no-print-directory distdir distdir="$scratch/source" &&
        chmod -R a-w "$scratch/source"
}

# configure_in FOLDER OPTION...: with the options behind those of this build.
configure_in () (
    folder=$scratch/$1
    shift
    mkdir -p "$folder" && cd "$folder" || exit 1
    words=$options
    for option in "$@"; do
        words="$words '$option'"
    done
    eval "../source/configure --quiet $words"
)

# make_in FOLDER ARGUMENT...
make_in () {
    folder=$scratch/$1
    shift
    $MAKE -C "$folder" "$@"
}

check 'the sources can be unpacked' unpack
