! SPDX-License-Identifier: BSD-3-Clause
!
! Regions by address.
program region
    use, intrinsic :: iso_c_binding, only: c_associated, c_loc, c_null_ptr
    use, intrinsic :: iso_fortran_env, only: int64
    use paulimpi
    use tap, only: tap_done, tap_is_int, tap_ok
    implicit none
    integer, target :: a(10, 6)
    type(paulimpi_region) :: r
    integer :: ierror

    r = paulimpi_region_1d(c_loc(a), 240_int64)
    call tap_is_int(paulimpi_region_bytes(r), 240_int64, "bytes side by side")
    call tap_ok(c_associated(r%base, c_loc(a)), "are where they are")
    r = paulimpi_region_2d(c_loc(a(2, 1)), 8_int64, 6_int64, 40_int64)
    call tap_is_int(paulimpi_region_bytes(r), 48_int64, "rows of bytes")
    call tap_ok(c_associated(r%base, c_loc(a(2, 1))), "begin where they begin")
    call paulimpi_region_strided(c_loc(a), 4_int64, [5_int64, 3_int64], [8_int64, 80_int64], r, &
        ierror)
    call tap_is_int(ierror, paulimpi_success, "every second of both")
    call tap_is_int(paulimpi_region_bytes(r), 60_int64, "has its bytes")
    call paulimpi_region_strided(c_loc(a), 4_int64, [5_int64], [8_int64, 80_int64], r, ierror)
    call tap_is_int(ierror, paulimpi_err_argument, "lists of two lengths are refused")
    call tap_ok(index(paulimpi_last_error(), "differ") > 0, "with a sentence")
    call paulimpi_region_strided(c_loc(a), 4_int64, [-5_int64], [8_int64], r, ierror)
    call tap_is_int(ierror, paulimpi_err_argument, "so is an extent below 0")
    call tap_ok(index(paulimpi_last_error(), "extent[0] is -5") > 0, "with a sentence of C")
    call tap_is_int(paulimpi_region_bytes(r), 0_int64, "then the region is empty")
    call tap_ok(paulimpi_region_bytes(paulimpi_region_1d(c_null_ptr, 1_int64)) &
        == paulimpi_err_argument, "bytes nowhere are refused")
    call tap_done()
end program region
