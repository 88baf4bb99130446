#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# What quickstart installs, with stand-ins for the package managers: a machine
# that has only the simplest tools, on which installing makes others appear.
. "${top_srcdir=.}/tests/package/tap.sh"

bin=$scratch/bin

# bare USER-ID OS-RELEASE: make that machine.
bare () {
    rm -rf "$bin"
    mkdir "$bin"
    for tool in awk cat chmod dirname env find sed sh tr; do
        ln -s "$(command -v $tool)" "$bin/$tool"
    done
    printf '#!/bin/sh\necho %s\n' "$1" >"$bin/id"
    cat >"$bin/dnf" <<'END'
#!/bin/sh
echo "${0##*/} $*" >>"$LOG"
case " $* " in
*" install "*)
    for tool in gcc make autoreconf automake libtoolize pkg-config diff mpicc \
        mpifort gfortran mpiexec mpicc.mpich mpifort.mpich mpiexec.mpich; do
        printf '#!/bin/sh\nexit 0\n' >"$BIN/$tool"
        chmod +x "$BIN/$tool"
    done
    ;;
esac
END
    cp "$bin/dnf" "$bin/apt-get"
    chmod +x "$bin/id" "$bin/dnf" "$bin/apt-get"
    printf '%s\n' "$2" >"$scratch/os-release"
}

# setup OPTION...: on that machine; then say what was asked to install.
setup () {
    : >"$scratch/log"
    PATH=$bin BIN=$bin LOG=$scratch/log OS_RELEASE=$scratch/os-release \
        sh "$top_srcdir/quickstart" setup "$@"
    status=$?
    cat "$scratch/log"
    return $status
}

check 'help is given' says 'Usage: ./quickstart demo|check' \
    sh "$top_srcdir/quickstart" --help
check 'an unknown word is refused' fails sh "$top_srcdir/quickstart" all

bare 0 'ID=fedora'
check 'Fedora: dnf installs the compilers, Open MPI and hwloc' \
    says 'dnf -q -y install gcc make autoconf automake libtool' setup
check 'a second run installs nothing' silent setup
bare 0 'ID=fedora'
check 'it says what it installs' says 'installing: gcc make' setup
bare 0 'ID=fedora'
check 'Fortran and Open MPI are among it' \
    says 'openmpi-devel openmpi gcc-gfortran' setup
bare 0 'ID=fedora'
check 'MPICH where the options ask for it' \
    says 'mpich-devel mpich' setup CC=mpicc.mpich FC=mpifort.mpich
bare 0 'ID=fedora'
check 'no Fortran where the options say so' \
    fails says 'gfortran' setup --disable-fortran
bare 0 'ID="rocky"
ID_LIKE="rhel centos fedora"'
check 'a relative of Fedora is known' says 'dnf -q -y install' setup
bare 0 'ID=debian'
check 'Debian: apt-get installs' \
    says 'install -y --no-install-recommends gcc make' setup
bare 0 'ID=mint
ID_LIKE="ubuntu debian"'
check 'a relative of Debian is known' says 'libopenmpi-dev' setup
bare 0 'ID=debian'
check 'it gets the HDF5 of the MPI' says 'libhdf5-mpich-dev' \
    setup CC=mpicc.mpich FC=mpifort.mpich
bare 0 'ID=debian'
check 'none where the options say so' \
    fails says 'libhdf5' setup --without-hdf5

bare 1000 'ID=fedora'
check 'without root or sudo it says what to install' \
    says 'ask somebody to install: gcc make' setup
check 'and stops' fails setup
printf '#!/bin/sh\necho "sudo $*"\nexec "$@"\n' >"$bin/sudo"
chmod +x "$bin/sudo"
check 'sudo is used where there is one' says 'sudo dnf -q -y install' setup
bare 0 'ID=other'
check 'on other systems it says what to install' \
    says 'install the counterparts of these Debian packages' setup
check 'and stops' fails setup

# The demo, in a tree that is built, with a stand-in for the tool.
tree=$scratch/tree
mkdir -p "$tree/build/tools" "$tree/build/tests"
cp "$top_srcdir/quickstart" "$tree"
cp tests/mpi-run "$tree/build/tests"
touch "$tree/configure" "$tree/build/config.status" "$tree/build/Makefile"
printf '#!/bin/sh\nprintf "# %%s\\n" "launched $*"\nshift 2\nexec "$@"\n' \
    >"$scratch/launcher"
chmod +x "$scratch/launcher"

# tool WORDS: what the tool prints.
tool () {
    printf '#!/bin/sh\necho "%s"\n' "$1" \
        >"$tree/build/tools/paulimpi-propagate"
    chmod +x "$tree/build/tools/paulimpi-propagate"
}

# demo LAUNCHER
demo () {
    PATH=$bin:$PATH OS_RELEASE=$scratch/os-release MPIEXEC=$1 \
        PAULIMPI_TEST_MAX_NP=4 sh "$tree/quickstart" demo
}

bare 0 'ID=debian'
printf '#!/bin/sh\n' >"$bin/make"
chmod +x "$bin/make"
tool '<Z62> = 0.235570091821    637,219 terms, 30 MB, 0.06 s'
check 'the demo runs on two ranks' \
    says 'launched -n 2 ' demo "$scratch/launcher"
check 'and knows the value' \
    says 'this is the known value' demo "$scratch/launcher"
check 'without a launcher it runs on one process, and says so' \
    says 'on one process, not on two: no MPI launcher' demo ''
check 'and knows the value' says 'this is the known value' demo ''
tool '<Z62> = 0.235570091822    637,219 terms, 30 MB, 0.06 s'
check 'another value is an error' \
    says 'this is not the known value' demo "$scratch/launcher"
check 'and so is the status' fails demo "$scratch/launcher"
printf '#!/bin/sh\nexit 1\n' >"$tree/build/tools/paulimpi-propagate"
check 'a tool that fails is an error' \
    says 'the propagation failed on two ranks' demo "$scratch/launcher"
finish
