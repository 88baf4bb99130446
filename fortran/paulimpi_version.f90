! SPDX-License-Identifier: BSD-3-Clause
!
! Version of the library, and what it found.
module paulimpi_version_m
    use, intrinsic :: iso_c_binding, only: c_int, c_ptr
    use paulimpi_c, only: c_info, c_version
    use paulimpi_support, only: report, take_text
    implicit none
    private
    public :: paulimpi_info, paulimpi_version

contains

    !> Tell the version of the library that runs.
    subroutine paulimpi_version(major, minor, patch)
        integer, intent(out) :: major, minor, patch

        call c_version(major, minor, patch)
    end subroutine paulimpi_version

    !> Describe the library and what it found, one "name: value" a line.
    subroutine paulimpi_info(text, ierror)
        character(:), allocatable, intent(out) :: text
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: handle
        integer(c_int) :: code

        code = c_info(handle)
        call take_text(handle, text)
        call report(code, ierror)
    end subroutine paulimpi_info
end module paulimpi_version_m
