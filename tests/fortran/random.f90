! SPDX-License-Identifier: BSD-3-Clause
!
! Random numbers: ranges, moments, pieces.
program random
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use paulimpi, only: paulimpi_err_range, paulimpi_random_normal, paulimpi_random_uniform, &
        paulimpi_success
    use tap, only: tap_done, tap_is_int, tap_is_near, tap_ok
    implicit none
    integer(int64), parameter :: seed = 42, stream = 7
    integer, parameter :: n = 10000
    real(real64) :: whole(n), pieces(n), strided(2*n), none(0)
    integer :: ierror

    call paulimpi_random_uniform(seed, stream, 0_int64, whole, ierror)
    call tap_is_int(ierror, paulimpi_success, "uniform numbers are drawn")
    call tap_ok(all(whole >= 0 .and. whole < 1), "they are in [0, 1)")
    call tap_is_near(sum(whole)/n, 0.5_real64, 0.02_real64, "their mean is 1/2")
    call paulimpi_random_uniform(seed, stream, 0_int64, pieces(:100))
    call paulimpi_random_uniform(seed, stream, 100_int64, pieces(101:))
    call tap_ok(all(abs(pieces - whole) <= 0), "pieces have the same bits")
    strided = -1
    call paulimpi_random_uniform(seed, stream, 0_int64, strided(1::2))
    call tap_ok(all(abs(strided(1::2) - whole) <= 0), "a section with a stride is filled")
    call tap_ok(all(strided(2::2) < 0), "and nothing between")
    call paulimpi_random_uniform(seed, stream + 1, 0_int64, pieces)
    call tap_ok(any(abs(pieces - whole) > 0), "another stream has other numbers")

    call paulimpi_random_normal(seed, stream, 0_int64, whole, ierror)
    call tap_is_int(ierror, paulimpi_success, "normal numbers are drawn")
    call tap_is_near(sum(whole)/n, 0.0_real64, 0.05_real64, "their mean is 0")
    call tap_is_near(sum(whole**2)/n, 1.0_real64, 0.1_real64, "their variance is 1")
    call paulimpi_random_normal(seed, stream, 100_int64, pieces(101:))
    call tap_ok(all(abs(pieces(101:) - whole(101:)) <= 0), "a piece has the same bits")

    call paulimpi_random_uniform(seed, stream, 5_int64, none, ierror)
    call tap_is_int(ierror, paulimpi_success, "no numbers are fine")
    call paulimpi_random_uniform(seed, stream, -2_int64, whole(:3), ierror)
    call tap_is_int(ierror, paulimpi_err_range, "an index past 2^64 is refused")
    call paulimpi_random_normal(seed, stream, -2_int64, whole(:3), ierror)
    call tap_is_int(ierror, paulimpi_err_range, "also for normal numbers")
    call paulimpi_random_normal(seed, stream, -2_int64, whole(:2), ierror)
    call tap_is_int(ierror, paulimpi_success, "the last index is not")
    call tap_done()
end program random
