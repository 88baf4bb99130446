! SPDX-License-Identifier: BSD-3-Clause
!
! Random numbers that do not depend on who draws them.
!
! A number is a function of (seed, stream, index) and of nothing else. The
! three are 64 bits each, read as unsigned; indices begin with 0.
module paulimpi_random_m
    use, intrinsic :: iso_c_binding, only: c_size_t
    use paulimpi_c, only: c_random_normal, c_random_uniform
    use paulimpi_kinds, only: paulimpi_index, paulimpi_real
    use paulimpi_support, only: report
    implicit none
    private
    public :: paulimpi_random_normal, paulimpi_random_uniform

contains

    !> Fill value(i) with the uniform number of index first + i - 1, in [0, 1).
    subroutine paulimpi_random_uniform(seed, stream, first, value, ierror)
        integer(paulimpi_index), intent(in) :: seed, stream, first
        real(paulimpi_real), contiguous, intent(out) :: value(:)
        integer, optional, intent(out) :: ierror

        call report(c_random_uniform(seed, stream, first, size(value, kind=c_size_t), value), &
            ierror)
    end subroutine paulimpi_random_uniform

    !> Fill value(i) with the normal number (mean 0, variance 1) of index
    !> first + i - 1.
    subroutine paulimpi_random_normal(seed, stream, first, value, ierror)
        integer(paulimpi_index), intent(in) :: seed, stream, first
        real(paulimpi_real), contiguous, intent(out) :: value(:)
        integer, optional, intent(out) :: ierror

        call report(c_random_normal(seed, stream, first, size(value, kind=c_size_t), value), &
            ierror)
    end subroutine paulimpi_random_normal
end module paulimpi_random_m
