! SPDX-License-Identifier: BSD-3-Clause
!
! Types of elements.
module paulimpi_type_m
    use paulimpi_c_collective, only: c_type_bytes, c_type_name
    use paulimpi_kinds, only: paulimpi_index, paulimpi_int
    use paulimpi_support, only: copy_text
    implicit none
    private
    public :: paulimpi_type_bytes, paulimpi_type_name

    !> What the elements of a buffer are.
    integer(paulimpi_int), parameter, public :: paulimpi_byte = 1
    integer(paulimpi_int), parameter, public :: paulimpi_int32 = 2
    integer(paulimpi_int), parameter, public :: paulimpi_int64 = 3
    integer(paulimpi_int), parameter, public :: paulimpi_uint64 = 4
    integer(paulimpi_int), parameter, public :: paulimpi_float32 = 5
    integer(paulimpi_int), parameter, public :: paulimpi_float64 = 6
    integer(paulimpi_int), parameter, public :: paulimpi_complex64 = 7
    integer(paulimpi_int), parameter, public :: paulimpi_complex128 = 8

    !> What becomes of the elements of all ranks.
    integer(paulimpi_int), parameter, public :: paulimpi_reduce_sum = 1
    integer(paulimpi_int), parameter, public :: paulimpi_reduce_product = 2
    integer(paulimpi_int), parameter, public :: paulimpi_reduce_min = 3
    integer(paulimpi_int), parameter, public :: paulimpi_reduce_max = 4
    integer(paulimpi_int), parameter, public :: paulimpi_reduce_and = 5
    integer(paulimpi_int), parameter, public :: paulimpi_reduce_or = 6
    integer(paulimpi_int), parameter, public :: paulimpi_reduce_xor = 7

contains

    !> Bytes of an element, 0 for what is no type.
    integer(paulimpi_index) function paulimpi_type_bytes(type)
        integer, intent(in) :: type

        paulimpi_type_bytes = int(c_type_bytes(type), paulimpi_index)
    end function paulimpi_type_bytes

    !> Name a type: "float64".
    function paulimpi_type_name(type) result(text)
        integer, intent(in) :: type
        character(:), allocatable :: text

        text = copy_text(c_type_name(type))
    end function paulimpi_type_name
end module paulimpi_type_m
