#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# What a message cannot be made of without a copy does not compile.
. "${top_srcdir=.}/tests/package/tap.sh"

test -f fortran/paulimpi_array.lo || skip_all 'no arrays of any type'

# compiles ARRAY: a message of it.
compiles () {
    cat >"$scratch/try.f90" <<END
subroutine try(a, b, one)
    use paulimpi, only: message, paulimpi_message
    real, intent(inout) :: a(:, :)
    real, intent(in) :: b(:)
    type(paulimpi_message), intent(out) :: one

    one = message($1, to=1)
    one%tag = size(b)
end subroutine try
END
    # shellcheck disable=SC2086
    $FC -Ifortran -c -o "$scratch/try.o" "$scratch/try.f90"
}

refuses () {
    ! compiles "$1"
}

check 'a section of an array compiles' compiles 'a(2:9:2, 3)'
check 'an expression does not' refuses 'a(:, 3) + 1'
check 'nor a section by a list of indices' refuses 'a([1, 5, 2], 3)'
check 'nor what must not be written to' refuses 'b'
finish
