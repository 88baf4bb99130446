! SPDX-License-Identifier: BSD-3-Clause
!
! Messages of any section of any array:
!
!     message(a(:, n), to=right, tag=1)
!     message(a(1:m:2, 0), from=left, tag=1)
!
! The strides are taken from what the compiler knows of the section: no copy is
! made, by it or by us. What it cannot describe, it copies, and the copy is gone
! before the exchange:
!
! * Expressions and sections by lists of indices, a([1, 5, 2], n): message()
!   refuses them when it is compiled. It also refuses arguments of intent(in);
!   paulimpi_message(paulimpi_region_of(a), peer, tag) takes those.
! * Components of arrays of derived types, z%re, and substrings, of which the
!   compiler makes copies unseen; gfortran tells with -fcheck=array-temps. Use
!   paulimpi_region_strided() with the strides of the whole.
!
! An array should have the attribute target or asynchronous if the exchange
! goes on after the call, as for every such call.
!
! What else is wrong is refused where the message is used: an array of unknown
! size (a dummy argument a(*)), one with more than four dimensions that cannot
! be joined, an address (of which paulimpi_region_1d makes a region), neither
! or both of to and from. A region becomes a message by
! paulimpi_message(region, peer, tag).
module paulimpi_array_m
    use paulimpi_c_exchange, only: paulimpi_message, paulimpi_region
    use paulimpi_kinds, only: paulimpi_int
    implicit none
    private
    public :: message, paulimpi_region_of

    ! No rank, so that it is refused.
    integer(paulimpi_int), parameter :: nobody = -huge(0_paulimpi_int)

    ! fshim_array.c
    interface
        subroutine c_f_region_of(array, region) bind(c, name="paulimpi_f_region_of")
            import
            type(*), intent(in) :: array(..)
            type(paulimpi_region), intent(inout) :: region
        end subroutine c_f_region_of
    end interface

contains

    !> The region of a section of an array, an array, or one element.
    function paulimpi_region_of(array) result(region)
        type(*), target :: array(..)
        type(paulimpi_region) :: region

        call c_f_region_of(array, region)
    end function paulimpi_region_of

    !> What is sent to a rank, or received from one; the tag is 0 if it is left
    !> out. From may be paulimpi_peer_any, both paulimpi_peer_none.
    function message(array, to, from, tag) result(made)
        type(*), target, intent(inout) :: array(..)
        integer, optional, intent(in) :: to, from, tag
        type(paulimpi_message) :: made

        call c_f_region_of(array, made%region)
        made%peer = nobody
        if (present(to) .neqv. present(from)) then
            if (present(to)) made%peer = to
            if (present(from)) made%peer = from
        end if
        if (present(tag)) made%tag = tag
    end function message
end module paulimpi_array_m
