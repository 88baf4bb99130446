! SPDX-License-Identifier: BSD-3-Clause
!
! Heat spreads over a plate that closes to a ring. Each rank has some of its
! columns and one more at each end. Every second element of those is received
! before every step, as on a board of two colours: what is not contiguous goes
! as it is, without a copy in the program.
program columns
    use, intrinsic :: iso_fortran_env, only: real64
    use paulimpi
    implicit none
    integer, parameter :: m = 24, all_columns = 24, steps = 25
    real(real64), allocatable, target :: a(:, :)
    type(paulimpi_context) :: ctx
    type(paulimpi_plan) :: plan(0:1)
    integer :: rank, size, first, n, left, right, step, colour

    call ctx%create_launched()
    rank = ctx%rank()
    size = ctx%size()
    first = all_columns*rank/size
    n = all_columns*(rank + 1)/size - first
    left = modulo(rank - 1, size)
    right = modulo(rank + 1, size)
    allocate (a(m, 0:n + 1), source=0.0_real64)
    if (first < 10 .and. 10 <= first + n) a(11, 10 - first) = 1000

    ! The elements of a colour begin with row 2 or 3, in turns by columns.
    do colour = 0, 1
        call plan(colour)%create(ctx, &
            send=[message(a(row(colour, n):m - 1:2, n), to=right, tag=1), &
                  message(a(row(colour, 1):m - 1:2, 1), to=left, tag=2)], &
            recv=[message(a(row(colour, 0):m - 1:2, 0), from=left, tag=1), &
                  message(a(row(colour, n + 1):m - 1:2, n + 1), from=right, tag=2)])
    end do
    do step = 1, steps
        do colour = 0, 1
            call plan(1 - colour)%start()
            call spread_heat(2, n - 1)          ! what needs no halo
            call plan(1 - colour)%wait()
            call spread_heat(1, 1)
            call spread_heat(n, n)
        end do
    end do
    if (first < 12 .and. 12 <= first + n) print "(a, f14.10)", "in the middle: ", a(12, 12 - first)

    call plan(0)%destroy(); call plan(1)%destroy(); call ctx%destroy()

contains

    !> The first row of a colour in a column.
    pure integer function row(colour, j)
        integer, intent(in) :: colour, j

        row = 2 + modulo(colour + first + j, 2)
    end function row

    !> Elements of the present colour from those of the other beside them.
    subroutine spread_heat(from, to)
        integer, intent(in) :: from, to
        integer :: i, j

        do j = from, to
            do i = row(colour, j), m - 1, 2
                a(i, j) = 0.25_real64*(a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
            end do
        end do
    end subroutine spread_heat
end program columns
