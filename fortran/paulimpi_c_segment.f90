! SPDX-License-Identifier: BSD-3-Clause
!
! The structs and functions of segment.h as they are: see paulimpi_c. Not for
! users.
module paulimpi_c_segment
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr, c_size_t
    implicit none
    public

    !> How a segment should be.
    type, bind(c) :: paulimpi_segment_options
        integer(c_size_t) :: size = 0
        integer(c_int) :: touch = 0
        integer(c_int) :: huge_pages = 0
    end type paulimpi_segment_options

    interface
        integer(c_int) function c_segment_create(ctx, bytes, options, segment) &
            bind(c, name="paulimpi_segment_create")
            import
            type(c_ptr), value :: ctx
            integer(c_int64_t), value :: bytes
            type(paulimpi_segment_options), intent(in) :: options
            type(c_ptr), intent(out) :: segment
        end function c_segment_create

        integer(c_int) function c_segment_part(segment, node_rank, address, bytes) &
            bind(c, name="paulimpi_segment_part")
            import
            type(c_ptr), value :: segment
            integer(c_int), value :: node_rank
            type(c_ptr), intent(inout) :: address
            integer(c_int64_t), intent(inout) :: bytes
        end function c_segment_part

        integer(c_int) function c_segment_sync(segment) bind(c, name="paulimpi_segment_sync")
            import
            type(c_ptr), value :: segment
        end function c_segment_sync

        integer(c_int) function c_segment_explain(segment, text) &
            bind(c, name="paulimpi_segment_explain")
            import
            type(c_ptr), value :: segment
            type(c_ptr), intent(inout) :: text
        end function c_segment_explain

        subroutine c_segment_destroy(segment) bind(c, name="paulimpi_segment_destroy")
            import
            type(c_ptr), intent(inout) :: segment
        end subroutine c_segment_destroy
    end interface
end module paulimpi_c_segment
