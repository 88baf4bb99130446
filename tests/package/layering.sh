#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Modules use only what is below them, and of that one header each.
. "${top_srcdir=.}/tests/package/tap.sh"
cd "$top_srcdir" || exit 99

# What a module may use.
may_use () {
    case $1 in
    base) ;;
    pauli | comm | device) echo base ;;
    exchange) echo base comm device ;;
    array) echo base comm device exchange ;;
    propagate) echo base pauli comm device exchange ;;
    *) echo "no module $1 in the table" >&2; return 1 ;;
    esac
}

# What MODULE includes and may not: headers of its own are free, of a module
# below there is one, and public headers are everybody's.
bad_includes () {
    allowed="config.h $1/ $(may_use "$1" | sed 's,[a-z]*,&/&.h,g') paulimpi/"
    for file in src/"$1"/*.[ch]; do
        sed -n 's/^ *# *include "\(.*\)".*/\1/p' "$file" |
            while read -r header; do
                good=no
                for begin in $allowed; do
                    case $header in "$begin"*) good=yes ;; esac
                done
                test $good = yes || echo "$file includes $header"
            done
    done
}

# tokens PATTERN FILES-THAT-MAY
tokens () {
    grep -rnE "$1" src fortran tools --include='*.[ch]' | grep -vE "$2"
}

# The same with the public headers and all other programs.
tokens_anywhere () {
    grep -rnE "$1" src include fortran tools bench examples tests \
        --include='*.[ch]' | grep -vE "$2"
}

# Each "use" of a module of ours is a dependency between .lo files.
unstated_uses () {
    sed -e :a -e '/\\$/N; s/\\\n//; ta' fortran/Makefile.inc |
        grep '\.lo:' >"$scratch/stated"
    for file in fortran/*.f90; do
        self=$(basename "$file" .f90)
        sed -n 's/^ *use \(paulimpi[a-z_]*\).*/\1/p' "$file" | sort -u |
            while read -r module; do
                source=$(grep -l "^ *module $module *\$" fortran/*.f90)
                other=$(basename "$source" .f90)
                grep "^fortran/$self.lo:" "$scratch/stated" |
                    grep -q "fortran/$other.lo" || echo "$self uses $other"
            done
    done
}

for folder in src/*/; do
    module=$(basename "$folder")
    check "$module includes only what it may" silent bad_includes "$module"
done
check 'only comm, exchange and the Fortran shim call MPI' \
    silent tokens '\<P?MPI_[A-Z][a-z][A-Za-z_]* *\(' \
    '^(src/comm/|src/exchange/|fortran/fshim)'
check 'only topo_hwloc.c names hwloc' \
    silent tokens '<hwloc|\<hwloc_[a-z_]+ *\(' '^src/comm/topo_hwloc\.c:'
check 'only *_hdf5.c names HDF5' \
    silent tokens '<hdf5|\<H5[A-Z]+[a-z][a-z_0-9]* *\(' '_hdf5\.c:'
check 'only *_cuda.c names CUDA' \
    silent tokens '<cuda|\<cu(da)?[A-Z][A-Za-z]* *\(' '_cuda\.c:'
check 'only *_nccl.c, and the mock, name NCCL' \
    silent tokens_anywhere '<nccl|\<nccl[A-Z][A-Za-z]* *\(' \
    '_nccl\.c:|^tests/mock/'
check 'what a Fortran module uses is stated in fortran/Makefile.inc' \
    silent unstated_uses
finish
