#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# What configure says where it cannot go on, and what it does not look at.
. "${top_srcdir=.}/tests/package/tap.sh"
. "$top_srcdir/tests/package/tree.sh"

# refuses WORDS OPTION...: configure fails, and its sentence has the words.
refuses () {
    words=$1
    shift
    fails configure_in "refused$n_checks" "$@" >"$scratch/refusal" 2>&1
    status=$?
    cat "$scratch/refusal"
    test $status -eq 0 && grep -qF -e "$words" "$scratch/refusal"
}

has () {
    grep -q "$2" "$scratch/$1/config.h"
}

check 'a folder without hwloc is refused, with the package to install' \
    refuses libhwloc-dev --with-hwloc=/nonexistent
check 'hwloc that is asked for and missing is refused' \
    refuses libhwloc-dev --with-hwloc PKG_CONFIG_LIBDIR=/nonexistent
check 'Fortran that is asked for and missing is refused' \
    refuses gfortran --enable-fortran FC=/nonexistent/mpifort
check 'a compiler without MPI is refused, with the package to install' \
    refuses libopenmpi-dev CC=gcc MPI_CFLAGS= MPI_LIBS=
printf '#!/bin/sh\ncase "$*" in *-fopenmp*) exit 1;; esac\nexec %s "$@"\n' \
    "$CC" >"$scratch/mpicc-without"
chmod +x "$scratch/mpicc-without"
check 'OpenMP that is asked for and missing is refused' \
    refuses libomp-dev --enable-openmp CC="$scratch/mpicc-without"

# HDF5. A library of another MPI is told by what it wants of it; one that
# wants nothing of MPI is serial, which any MPI can do with.
check 'a folder without HDF5 is refused, with the package to install' \
    refuses '(Debian: libhdf5-' --with-hdf5=/nonexistent
mkdir "$scratch/none"
echo '#error "there is none"' >"$scratch/none/hdf5.h"
check 'HDF5 that is asked for and missing is refused' \
    refuses 'leave --with-hdf5 out' --with-hdf5 \
    PKG_CONFIG_LIBDIR=/nonexistent CPPFLAGS="-I$scratch/none"
mkdir -p "$scratch/hdf5/include" "$scratch/hdf5/lib"
for header in hdf5 H5pubconf; do
    cat >"$scratch/hdf5/include/$header.h" <<'END'
#define H5_VERSION_GE(a, b, c) 1
int H5get_libversion(unsigned *a, unsigned *b, unsigned *c);
END
done
case $("$CC" -show 2>/dev/null) in
*mpich*) foreign=ompi_mpi_comm_world family='built for Open MPI' ;;
*) foreign=MPI_Comm_dup family='built for an MPI that is not Open MPI' ;;
esac
cat >"$scratch/hdf5/h5.c" <<END
extern int $foreign(void);
int H5get_libversion(unsigned *a, unsigned *b, unsigned *c);
int H5get_libversion(unsigned *a, unsigned *b, unsigned *c)
{
    return a == b && b == c ? $foreign() : 0;
}
END
if gcc -shared -fPIC -o "$scratch/hdf5/lib/libhdf5.so" \
    "$scratch/hdf5/h5.c" 2>/dev/null; then
    check 'an HDF5 of another MPI is refused' \
        refuses "$family" --with-hdf5="$scratch/hdf5" \
        LDFLAGS=-Wl,--allow-shlib-undefined
fi

# The toolkit of CUDA.
check 'a folder without CUDA is refused, with the package to install' \
    refuses nvidia-cuda-toolkit --with-cuda=/nonexistent
mkdir -p "$scratch/toolkit/include"
echo '#define CUDART_VERSION 11000' \
    >"$scratch/toolkit/include/cuda_runtime_api.h"
: >"$scratch/toolkit/include/cuda.h"
check 'an old CUDA is refused' \
    refuses 'CUDA 12 or newer' --with-cuda="$scratch/toolkit" \
    --with-cudart=shared
check 'options of CUDA without CUDA are refused' \
    refuses 'but not --with-cuda' --without-cuda --with-cudart=static
check 'NCCL without CUDA is refused' \
    refuses 'but not --with-cuda' --without-cuda --with-nccl
check 'a folder without NCCL is refused, with the package to install' \
    refuses libnccl-dev --with-cuda --with-nccl=/nonexistent
check 'a runtime that is neither shared nor static is refused' \
    refuses 'shared or static' --with-cuda --with-cudart=both
check 'devices for kernels without CUDA are refused' \
    refuses 'but not --with-cuda' --without-cuda --with-cuda-arch=90
if grep -q 'HAVE_CUDA 1' config.h; then
    check 'a list of devices that is none is refused' \
        refuses 'say which devices' --with-cuda --with-cuda-arch=80,,90
    check 'devices for kernels without a compiler are refused' \
        refuses 'does not compile them' --with-cuda --with-cuda-arch=90 \
        NVCC=/nonexistent/nvcc
fi

# A module for mpi_f08 that another compiler made.
if test -f fortran/libpaulimpi_fortran.la; then
    mkdir "$scratch/modules"
    echo "GFORTRAN module version '14' created from x" | gzip \
        >"$scratch/modules/mpi_f08.mod"
    check 'a module mpi_f08 of another compiler is refused' \
        refuses 'cannot use the module mpi_f08' \
        FCFLAGS="-I$scratch/modules"
fi

# A toolkit is there, but nobody asks for it.
alone () (
    CUDA_HOME=$scratch/toolkit
    export CUDA_HOME
    configure_in alone MPIEXEC= --disable-fortran --without-hwloc \
        --disable-openmp --disable-simd --without-cuda --without-hdf5 \
        >"$scratch/words" 2>&1
)
check 'configure needs no launcher' alone
check 'it tells how to use a CUDA that is there' \
    grep -F -e "--with-cuda takes the one in $scratch/toolkit" \
    "$scratch/words"
check 'what is switched off is not used' \
    fails has alone 'define HAVE_\(HWLOC\|OPENMP\|TARGET_CLONES\|CUDA\|HDF5\)'
check 'and not looked for' \
    fails grep -E 'hwloc >=|OpenMP flag|Fortran' "$scratch/alone/config.log"
if command -v dash >/dev/null; then
    check 'configure is POSIX shell' dash -n "$scratch/source/configure"
fi
finish
