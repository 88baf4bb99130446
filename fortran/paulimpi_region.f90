! SPDX-License-Identifier: BSD-3-Clause
!
! Regions: what a message is read from or written to.
!
!     region = paulimpi_region_of(a(:, n))        ! any section of any array
!     region = paulimpi_region_1d(address, bytes) ! memory of a device, say
!
! The second is of type(c_ptr); the first is made by paulimpi_array_m.
module paulimpi_region_m
    use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_size_t
    use paulimpi_c_exchange, only: c_region_1d, c_region_2d, c_region_bytes, c_region_strided, &
        paulimpi_region
    use paulimpi_kinds, only: paulimpi_index
    use paulimpi_status_m, only: paulimpi_err_argument
    use paulimpi_support, only: refuse, report
    implicit none
    private
    public :: paulimpi_region, paulimpi_region_1d, paulimpi_region_2d, paulimpi_region_bytes, &
        paulimpi_region_strided

contains

    !> Bytes that lie side by side.
    function paulimpi_region_1d(base, bytes) result(region)
        type(c_ptr), intent(in) :: base
        integer(paulimpi_index), intent(in) :: bytes
        type(paulimpi_region) :: region

        region = c_region_1d(base, int(bytes, c_size_t))
    end function paulimpi_region_1d

    !> Rows of bytes, pitch bytes from one to the next.
    function paulimpi_region_2d(base, row_bytes, rows, pitch) result(region)
        type(c_ptr), intent(in) :: base
        integer(paulimpi_index), intent(in) :: row_bytes, rows, pitch
        type(paulimpi_region) :: region

        region = c_region_2d(base, int(row_bytes, c_size_t), rows, pitch)
    end function paulimpi_region_2d

    !> Any region: extents in elements, strides in bytes, the fastest first.
    subroutine paulimpi_region_strided(base, element, extent, stride, region, ierror)
        type(c_ptr), intent(in) :: base
        integer(paulimpi_index), intent(in) :: element
        integer(paulimpi_index), contiguous, intent(in) :: extent(:), stride(:)
        type(paulimpi_region), intent(out) :: region
        integer, optional, intent(out) :: ierror

        if (size(extent) /= size(stride)) then
            call refuse(paulimpi_err_argument, &
                "paulimpi_region_strided: extent and stride differ in their size", ierror)
            return
        end if
        call report(c_region_strided(base, int(element, c_size_t), size(extent, kind=c_int), &
            extent, stride, region), ierror)
    end subroutine paulimpi_region_strided

    !> The bytes that travel, or a negative code.
    function paulimpi_region_bytes(region) result(bytes)
        type(paulimpi_region), intent(in) :: region
        integer(paulimpi_index) :: bytes

        bytes = c_region_bytes(region)
    end function paulimpi_region_bytes
end module paulimpi_region_m
