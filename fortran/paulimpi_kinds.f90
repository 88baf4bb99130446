! SPDX-License-Identifier: BSD-3-Clause
!
! The kinds of the numbers that cross the border to C.
module paulimpi_kinds
    use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
    implicit none
    private
    public :: paulimpi_index, paulimpi_int, paulimpi_real

    !> Constants, codes, ranks, qubits: the default integer.
    integer, parameter :: paulimpi_int = c_int
    !> Counts of terms and bytes, words of bits.
    integer, parameter :: paulimpi_index = c_int64_t
    !> Coefficients, angles, probabilities, seconds.
    integer, parameter :: paulimpi_real = c_double
end module paulimpi_kinds
