! SPDX-License-Identifier: BSD-3-Clause
!
! Sections of arrays as messages between three ranks in a ring. Only rank 0
! speaks.
program exchange
    use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_loc, c_ptr
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use mpi_f08, only: MPI_COMM_WORLD, MPI_Finalize, MPI_Init_thread, MPI_PROC_NULL, &
        MPI_THREAD_FUNNELED
    use paulimpi
    use tap, only: tap_bail, tap_done
    use tap_mpi, only: on_all => tap_on_all
    implicit none
    type(paulimpi_context) :: ctx
    integer :: provided, rank, left, right

    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
    call ctx%create(MPI_COMM_WORLD)
    rank = ctx%rank()
    if (ctx%size() /= 3) call tap_bail("this test needs a world of 3 ranks")
    left = modulo(rank - 1, 3)
    right = modulo(rank + 1, 3)
    call check_columns()
    call check_rows()
    call check_backwards()
    call check_dummies()
    call check_plan()
    call check_integer_communicator()
    call check_peers()
    call check_regions()
    call check_refused()
    call check_buffer()
    call ctx%destroy()
    call MPI_Finalize()
    if (rank == 0) call tap_done()

contains

    ! Element i, j of rank r.
    pure real(real64) function value(i, j, r)
        integer, intent(in) :: i, j, r

        value = 10000*r + 100*j + i
    end function value

    subroutine fill(a)
        real(real64), intent(out) :: a(:, :)
        integer :: i, j

        do j = 1, size(a, 2)
            do i = 1, size(a, 1)
                a(i, j) = value(i, j, rank)
            end do
        end do
    end subroutine fill

    pure logical function same(a, b)
        real(real64), intent(in) :: a(:), b(:)

        same = size(a) == size(b)
        if (same) same = all(abs(a - b) <= 0)
    end function same

    subroutine check_columns()
        real(real64), target :: a(8, 6)
        integer :: i

        call fill(a)
        call paulimpi_exchange(ctx, send=[message(a(:, 5), to=right, tag=1)], &
            recv=[message(a(:, 1), from=left, tag=1)])
        call on_all(same(a(:, 1), [(value(i, 5, left), i=1, 8)]), "a column goes to the right")
        call on_all(same(a(:, 2), [(value(i, 2, rank), i=1, 8)]), "and nowhere else")
        call paulimpi_exchange(ctx, send=[message(a(2:8:3, 4), to=left)], &
            recv=[message(a(1:7:3, 6), from=right)])
        call on_all(same(a(:, 6), [(merge(value(i + 1, 4, right), value(i, 6, rank), &
            mod(i, 3) == 1), i=1, 8)]), "a part of one to the left, into gaps")
    end subroutine check_columns

    ! What is a row here is a column there: the order of elements counts.
    subroutine check_rows()
        real(real64), target :: a(8, 6), b(6, 2), c(2, 3)
        integer :: i, j

        call fill(a)
        b = 0
        call paulimpi_exchange(ctx, send=[message(a(3, :), to=right)], &
            recv=[message(b(:, 2), from=left)])
        call on_all(same(b(:, 2), [(value(3, j, left), j=1, 6)]), "a row becomes a column")
        call paulimpi_exchange(ctx, send=[message(a(1:5:4, 2:6:2), to=right)], &
            recv=[message(c, from=left)])
        call on_all(same([c], [((value(i, j, left), i=1, 5, 4), j=2, 6, 2)]), "a comb an array")
    end subroutine check_rows

    subroutine check_backwards()
        real(real64), target :: a(8, 6), b(8)
        integer :: i

        call fill(a)
        call paulimpi_exchange(ctx, send=[message(a(8:1:-1, 2), to=right)], &
            recv=[message(b, from=left)])
        call on_all(same(b, [(value(i, 2, left), i=8, 1, -1)]), "a column from its end")
        call paulimpi_exchange(ctx, send=[message(a(1:0, :), to=right)], &
            recv=[message(b(3:2), from=left)])
        call on_all(.true., "nothing is a message, too")
        call paulimpi_exchange(ctx, send=[message(a(4, 4), to=right)], &
            recv=[message(b(1), from=left)])
        call on_all(same(b(:1), [value(4, 4, left)]), "and an element")
    end subroutine check_backwards

    ! Sections of sections: what they get is described, too.
    subroutine check_dummies()
        real(real64), target :: a(8, 6)
        real(real64), pointer :: p(:, :)
        real(real64), allocatable, target :: c(:, :, :, :, :, :)
        integer :: i

        call fill(a)
        call pass_on(a(::2, 2:5))
        call on_all(same(a(3, 2:5), [(value(7, i, left), i=2, 5)]), "a row of an argument")
        call fill(a)
        p => a(2:8:2, ::2)
        call paulimpi_exchange(ctx, send=[message(p(:, 2), to=right)], &
            recv=[message(p(:, 3), from=left)])
        call on_all(same(a(2:8:2, 5), [(value(i, 3, left), i=2, 8, 2)]), "a column of a pointer")
        allocate (c(2, 2, 2, 2, 2, 2))
        c = rank
        call paulimpi_exchange(ctx, send=[message(c(:, :, :, 1, :, :), to=right)], &
            recv=[message(c(:, :, :, 2, :, :), from=left)])
        call on_all(all(nint(c(:, :, :, 2, :, :)) == left) &
            .and. all(nint(c(:, :, :, 1, :, :)) == rank), "six dimensions that join to two")
    end subroutine check_dummies

    subroutine pass_on(x)
        real(real64), target, intent(inout) :: x(:, 0:)

        call paulimpi_exchange(ctx, send=[message(x(4, :), to=right)], &
            recv=[message(x(2, :), from=left)])
    end subroutine pass_on

    subroutine check_plan()
        type(paulimpi_plan) :: plan
        type(paulimpi_exchange_options) :: options
        type(paulimpi_arrival) :: arrivals(2)
        real(real64), target :: a(6, 0:5)
        character(:), allocatable :: text
        logical :: done, is_right
        integer :: i, step, ierror

        call plan%create(ctx, send=[message(a(:, 4), to=right, tag=1), &
            message(a(2:6:2, 1), to=left, tag=2)], recv=[message(a(:, 0), from=left, tag=1), &
            message(a(1:5:2, 5), from=right, tag=2)])
        call on_all(plan%is_valid(), "a plan is made")
        call plan%explain(text)
        call on_all(index(text, "send") > 0, "and explains itself")
        call paulimpi_exchange_explain(ctx, text, send=[message(a(2:6:2, 1), to=left, tag=2)])
        call on_all(index(text, "24 bytes in runs of 8 of the host: packed") > 0, &
            "as does an exchange")
        is_right = .true.
        do step = 1, 3
            call fill(a)
            a = a + 1e6_real64*step
            call plan%start()
            if (step == 2) then
                done = .false.
                do while (.not. done)
                    call plan%test(done)
                end do
            end if
            call plan%wait(arrivals)
            is_right = is_right .and. same(a(:, 0), [(value(i, 5, left), i=1, 6)] &
                + 1e6_real64*step) .and. same(a(1:5:2, 5), [(value(i, 2, right), i=2, 6, 2)] &
                + 1e6_real64*step)
        end do
        call on_all(is_right, "which does the same three times")
        call on_all(all(arrivals%peer == [left, right]) .and. all(arrivals%tag == [1, 2]) &
            .and. all(arrivals%bytes == [48, 24]), "and tells what came")
        options%timeout = 60
        call plan%start(options)
        call plan%start(ierror=ierror)
        call on_all(ierror == paulimpi_err_state, "it cannot start twice")
        call plan%wait()
        call plan%destroy()
        call on_all(.not. plan%is_valid(), "it ends")
        call plan%start(ierror=ierror)
        call on_all(ierror == paulimpi_err_argument, "and cannot start any more")
        call check_joined()
    end subroutine check_plan

    ! A column and a strided row to the same rank, as one message.
    subroutine check_joined()
        real(real64), target :: a(6, 0:5), came(6, 2)
        type(paulimpi_exchange_options) :: options
        type(paulimpi_arrival) :: arrivals(2)
        type(paulimpi_plan) :: plan
        integer :: i, ierror

        call fill(a)
        came = 0
        options%join = 1
        call plan%create(ctx, send=[message(a(:, 5), to=right, tag=1), &
            message(a(2:6:2, 1), to=right, tag=2)], recv=[message(came(1:3, 2), from=left, tag=2), &
            message(came(:, 1), from=left, tag=1)], options=options)
        call plan%start()
        call plan%wait(arrivals)
        call on_all(same(came(:, 1), [(value(i, 6, left), i=1, 6)]) &
            .and. same(came(1:3, 2), [(value(i, 2, left), i=2, 6, 2)]), "joined messages arrive")
        call on_all(all(arrivals%peer == left) .and. all(arrivals%tag == [2, 1]) &
            .and. all(arrivals%bytes == [24, 48]), "and are told of")
        options%join = 2
        call plan%create(ctx, options=options, ierror=ierror)
        call on_all(ierror == paulimpi_err_argument, "join is 0 or 1")
        call plan%destroy()
    end subroutine check_joined

    subroutine check_integer_communicator()
        type(paulimpi_context) :: other
        integer :: here, there

        call other%create(MPI_COMM_WORLD%mpi_val)
        here = rank
        call paulimpi_exchange(other, send=[message(here, to=right)], &
            recv=[message(there, from=left)])
        call on_all(there == left, "a context on an integer communicator")
        call other%destroy()
    end subroutine check_integer_communicator

    subroutine check_peers()
        type(paulimpi_arrival) :: arrivals(2)
        integer :: here(2), there(2)

        here = [rank, -rank]
        there = 77
        call paulimpi_exchange(ctx, send=[message(here(1), to=right), &
            message(here(2), to=paulimpi_peer_none)], &
            recv=[message(there(1), from=paulimpi_peer_any), &
            message(there(2), from=MPI_PROC_NULL)], arrivals=arrivals)
        call on_all(there(1) == left .and. arrivals(1)%peer == left, "from any rank")
        call on_all(there(2) == 77 .and. arrivals(2)%peer == paulimpi_peer_none, "from none")
    end subroutine check_peers

    ! An argument that is not written to; real parts, of which the compiler
    ! would make a copy.
    subroutine check_regions()
        complex(real64), target :: z(5)
        real(real64), target :: re(5)
        type(paulimpi_region) :: region

        z = cmplx(rank, 9, real64)
        region = paulimpi_region_of(re)
        call on_all(paulimpi_region_bytes(region) == 40 &
            .and. c_associated(region%base, c_loc(re)), "the region of an array")
        call paulimpi_region_strided(c_loc(z), 8_int64, [5_int64], [16_int64], region)
        call paulimpi_exchange(ctx, send=[paulimpi_message(region, right, 3)], &
            recv=[message(re, from=left, tag=3)])
        call on_all(all(nint(re) == left), "real parts by their strides")
        call send_only(re(::2), re(2))
        call on_all(nint(re(2)) == modulo(left - 1, 3), "an argument of intent(in)")
    end subroutine check_regions

    subroutine send_only(x, y)
        real(real64), target, intent(in) :: x(:)
        real(real64), target, intent(inout) :: y

        call paulimpi_exchange(ctx, &
            send=[paulimpi_message(paulimpi_region_of(x(2)), right, 0)], &
            recv=[message(y, from=left)])
    end subroutine send_only

    subroutine refuse_one(bad, part, fact)
        type(paulimpi_message), intent(in) :: bad
        character(*), intent(in) :: part, fact
        integer :: ierror

        call paulimpi_exchange(ctx, send=[bad], ierror=ierror)
        call on_all(ierror == paulimpi_err_argument, fact)
        call on_all(index(paulimpi_last_error(), part) > 0, "with a sentence")
    end subroutine refuse_one

    subroutine check_refused()
        real(real64), target :: a(8, 6), c(4, 4, 4, 4, 4)
        type(c_ptr) :: address
        integer :: ierror

        call fill(a)
        c = 0
        call refuse_one(message(a), "peer", "neither to nor from")
        call refuse_one(message(a, to=0, from=0), "peer", "nor both")
        call refuse_one(message(a, to=3), "peer", "rank 3 of 3")
        call refuse_one(message(c(::2, ::2, ::2, ::2, ::2), to=0), "dimensions is 5", &
            "five dimensions")
        address = c_loc(a)
        call refuse_one(message(address, to=0), "element is 0", "an address")
        call refuse_unknown(a)
        call paulimpi_exchange(ctx, send=[message(a(:, 1:2), to=right)], &
            recv=[message(a(:, 2:3), from=left)], ierror=ierror)
        call on_all(ierror == paulimpi_err_overlap, "received where something is sent from")
        call paulimpi_exchange(ctx, send=[message(a(1:3, 1), to=right)], &
            recv=[message(a(1:4, 2), from=left)], ierror=ierror)
        call on_all(ierror == paulimpi_err_mismatch, "less came than there is room for")
    end subroutine check_refused

    subroutine refuse_unknown(x)
        real(real64), target, intent(inout) :: x(8, *)

        call refuse_one(message(x, to=0), "extent[1] is -1", "an array of unknown size")
    end subroutine refuse_unknown

    subroutine check_buffer()
        type(paulimpi_buffer) :: buffer
        real(real64), target :: a(8, 6)
        real(real64), pointer :: packed(:)
        type(c_ptr) :: address
        integer :: j, ierror

        call fill(a)
        call buffer%acquire(ctx, paulimpi_region_of(a(3, :)), &
            paulimpi_buffer_send + paulimpi_buffer_receive, address)
        call c_f_pointer(address, packed, [6])
        call on_all(same(packed, [(value(3, j, rank), j=1, 6)]), "a buffer has the bytes")
        packed = -1
        call buffer%acquire(ctx, paulimpi_region_of(a), paulimpi_buffer_send, address, &
            ierror=ierror)
        call on_all(ierror == paulimpi_err_argument, "a second one needs a release")
        call buffer%release(commit=.true.)
        call on_all(all(nint(a(3, :)) == -1) .and. .not. any(nint(a(2, :)) == -1), &
            "which brings them back")
        call buffer%acquire(ctx, paulimpi_region_of(a(2, :)), paulimpi_buffer_receive, address)
        call buffer%release(commit=.false.)
        call on_all(same(a(2, :), [(value(2, j, rank), j=1, 6)]), "or not")
        call buffer%acquire(ctx, paulimpi_region_of(a), 0, address, ierror=ierror)
        call on_all(ierror == paulimpi_err_argument, "a use is needed")
    end subroutine check_buffer
end program exchange
