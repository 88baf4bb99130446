! SPDX-License-Identifier: BSD-3-Clause
!
! Status codes and their texts.
module paulimpi_status_m
    use paulimpi_c, only: c_error_name, c_f_last_error, c_strerror, paulimpi_automatic, &
        paulimpi_unlimited
    use paulimpi_kinds, only: paulimpi_int
    use paulimpi_support, only: copy_text
    implicit none
    private
    public :: paulimpi_error_name, paulimpi_last_error, paulimpi_strerror
    public :: paulimpi_automatic, paulimpi_unlimited

    integer(paulimpi_int), parameter, public :: paulimpi_success = 0
    integer(paulimpi_int), parameter, public :: paulimpi_err_argument = -1
    integer(paulimpi_int), parameter, public :: paulimpi_err_state = -2
    integer(paulimpi_int), parameter, public :: paulimpi_err_memory = -3
    integer(paulimpi_int), parameter, public :: paulimpi_err_range = -4
    integer(paulimpi_int), parameter, public :: paulimpi_err_mismatch = -5
    integer(paulimpi_int), parameter, public :: paulimpi_err_unsupported = -6
    integer(paulimpi_int), parameter, public :: paulimpi_err_syntax = -7
    integer(paulimpi_int), parameter, public :: paulimpi_err_io = -8
    integer(paulimpi_int), parameter, public :: paulimpi_err_mpi = -9
    integer(paulimpi_int), parameter, public :: paulimpi_err_remote = -10
    integer(paulimpi_int), parameter, public :: paulimpi_err_cancelled = -11
    integer(paulimpi_int), parameter, public :: paulimpi_err_version = -12
    integer(paulimpi_int), parameter, public :: paulimpi_err_internal = -13
    integer(paulimpi_int), parameter, public :: paulimpi_err_device = -14
    integer(paulimpi_int), parameter, public :: paulimpi_err_overlap = -15
    integer(paulimpi_int), parameter, public :: paulimpi_err_timeout = -16

contains

    !> Describe a code in a few words.
    function paulimpi_strerror(code) result(text)
        integer, intent(in) :: code
        character(:), allocatable :: text

        text = copy_text(c_strerror(code))
    end function paulimpi_strerror

    !> Spell a code: "PAULIMPI_ERR_MEMORY".
    function paulimpi_error_name(code) result(text)
        integer, intent(in) :: code
        character(:), allocatable :: text

        text = copy_text(c_error_name(code))
    end function paulimpi_error_name

    !> Tell what went wrong last in this thread, in a full sentence.
    function paulimpi_last_error() result(text)
        character(:), allocatable :: text

        text = copy_text(c_f_last_error())
    end function paulimpi_last_error
end module paulimpi_status_m
