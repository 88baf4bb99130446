! SPDX-License-Identifier: BSD-3-Clause
!
! Collective operations on arrays, whole and in sections. Two ranks; only rank 0
! speaks.
program collective
    use, intrinsic :: iso_c_binding, only: c_loc, c_null_ptr, c_ptr
    use, intrinsic :: iso_fortran_env, only: int32, int64, int8, real32, real64
    use mpi_f08, only: MPI_COMM_WORLD, MPI_Finalize, MPI_Init_thread, MPI_THREAD_FUNNELED
    use paulimpi
    use tap, only: tap_bail, tap_done
    use tap_mpi, only: on_all => tap_on_all
    implicit none
    type(paulimpi_context) :: ctx
    type(paulimpi_exchange_options) :: options
    integer :: provided, rank, ierror

    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
    call ctx%create(MPI_COMM_WORLD)
    rank = ctx%rank()
    if (ctx%size() /= 2) call tap_bail("this test needs a world of 2 ranks")
    options%timeout = 60.0_real64
    call check_broadcast()
    call check_types()
    call check_gathers()
    call check_exchanges()
    call check_reductions()
    call check_unknown_size()
    call check_small()
    call check_refused()
    call ctx%destroy()
    call MPI_Finalize()
    if (rank == 0) call tap_done()

contains

    ! A refusal, whose sentence has a part on the rank where it began.
    subroutine refused(where, code, part, fact)
        integer, intent(in) :: where, code
        character(*), intent(in) :: part, fact

        if (where < 0 .or. rank == where) then
            call on_all(ierror == code .and. index(paulimpi_last_error(), part) > 0, fact)
        else
            call on_all(ierror == paulimpi_err_remote, fact)
        end if
    end subroutine refused

    subroutine check_broadcast()
        complex(real64) :: a(3), b(2, 3)
        integer(int32) :: cube(4, 4, 4), one

        a = cmplx(rank, 1, real64)
        call paulimpi_broadcast(ctx, a, root=1)
        call on_all(.not. any(abs(a - cmplx(1, 1, real64)) > 0), "broadcast of an array")
        b = cmplx(rank, 1, real64)
        call paulimpi_broadcast(ctx, b(1, :), 3_int64, paulimpi_complex128, 1, options)
        call on_all(.not. any(abs(b - cmplx(reshape([1, rank, 1, rank, 1, rank], [2, 3]), 1, &
            real64)) > 0), "of a row, which leaves the other")
        cube = 100*rank
        call paulimpi_broadcast(ctx, cube(4:1:-2, 2, 1::3), root=1)
        call on_all(count(cube == 100) == merge(4, 64, rank == 0) &
            .and. all(cube(2:4:2, 2, 1::3) == 100), "of a section that runs backwards")
        one = rank
        call paulimpi_broadcast(ctx, one, root=1)
        call on_all(one == 1, "of a scalar")
        call paulimpi_broadcast(ctx, a(1:0), root=0)
        call on_all(.true., "of nothing")
    end subroutine check_broadcast

    ! Each type is that of the elements: rank 1 says which it should be.
    subroutine check_types()
        integer(int8) :: bytes(2)
        integer(int64) :: long(2)
        real(real32) :: single(2)
        real(real64) :: double(2)
        complex(real32) :: pair(2)
        logical :: flag(2)

        bytes = int(rank, int8)
        long = rank
        single = real(rank, real32)
        double = rank
        pair = cmplx(rank, 0, real32)
        flag = rank == 1
        call paulimpi_allreduce(ctx, bytes, op=paulimpi_reduce_or)
        call paulimpi_allreduce(ctx, long, op=paulimpi_reduce_sum)
        call paulimpi_allreduce(ctx, single, op=paulimpi_reduce_sum)
        call paulimpi_allreduce(ctx, double, op=paulimpi_reduce_sum)
        call paulimpi_allreduce(ctx, pair, op=paulimpi_reduce_sum)
        call on_all(all(bytes == 1_int8) .and. all(long == 1_int64) &
            .and. .not. any(abs(single - 1) > 0) .and. .not. any(abs(double - 1) > 0) &
            .and. .not. any(abs(pair - 1) > 0), "types are found")
        call paulimpi_broadcast(ctx, flag, root=1, ierror=ierror)
        call refused(-1, paulimpi_err_argument, "type", "one that is none of them must be told")
        call paulimpi_broadcast(ctx, flag, 8_int64, paulimpi_byte, 1)
        call on_all(all(flag), "and may be")
    end subroutine check_types

    subroutine check_gathers()
        integer(int32) :: mine(2), got(2, 2), all_got(4), wide(3, 4)

        mine = [10*rank, 10*rank + 1]
        got = -1
        call paulimpi_allgather(ctx, got, send=mine, options=options)
        call on_all(all(got == reshape([0, 1, 10, 11], [2, 2])), "allgather")
        got(:, 2 - rank) = -1
        call paulimpi_allgather(ctx, got)
        call on_all(all(got == reshape([0, 1, 10, 11], [2, 2])), "in place")
        wide = -1
        call paulimpi_allgather(ctx, wide(2, :), send=mine + 5)
        call on_all(all(wide(2, :) == [5, 6, 15, 16]) .and. all(wide(1::2, :) == -1), &
            "of an expression, into a row")
        all_got = -1
        call paulimpi_allgatherv(ctx, all_got, [1_int64, 2_int64], send=mine, &
            displacements=[3_int64, 0_int64])
        call on_all(all(all_got == [10, 11, -1, 0]), "allgatherv")
        wide = -1
        call paulimpi_allgatherv(ctx, wide(3, :), [1_int64, 2_int64], send=mine)
        call on_all(all(wide(3, :) == [0, 10, 11, -1]), "into a row, the rest of which stays")
    end subroutine check_gathers

    subroutine check_exchanges()
        integer(int64) :: mine(4), got(4), both(2, 4)

        mine = 10*rank + [1, 2, 3, 4]
        call paulimpi_alltoall(ctx, got, send=mine)
        call on_all(all(got == merge([1, 2, 11, 12], [3, 4, 13, 14], rank == 0)), "alltoall")
        call paulimpi_alltoall(ctx, mine)
        call on_all(all(mine == got), "in place")
        both(1, :) = 10*rank + [1, 2, 3, 4]
        both(2, :) = -1
        if (rank == 0) then
            call paulimpi_alltoallv(ctx, both(2, :), [0_int64, 1_int64], send=both(1, :), &
                send_counts=[0_int64, 3_int64], receive_displacements=[0_int64, 2_int64])
        else
            call paulimpi_alltoallv(ctx, both(2, :), [3_int64, 0_int64], send=both(1, :), &
                send_counts=[1_int64, 0_int64], send_displacements=[3_int64, 0_int64])
        end if
        call on_all(all(both(2, :) == merge([-1, -1, 14, -1], [1, 2, 3, -1], rank == 0)), &
            "alltoallv from row to row")
    end subroutine check_exchanges

    subroutine check_reductions()
        real(real64) :: mine(2), got(2)

        mine = [0.1_real64, 3.0_real64] + rank
        got = 0
        call paulimpi_reduce(ctx, got, op=paulimpi_reduce_sum, root=1, send=mine)
        call on_all(.not. any(abs(got - merge([0.1_real64 + 1.1_real64, 7.0_real64], &
            [0.0_real64, 0.0_real64], rank == 1)) > 0), "reduce")
        call paulimpi_reduce(ctx, mine(1:rank*2), 2_int64, op=paulimpi_reduce_max, root=1, &
            send=got, ierror=ierror)
        call on_all(ierror == paulimpi_success, "only the root needs room for what comes")
        got = [1 + rank, 3*rank]
        call paulimpi_allreduce(ctx, got(2:1:-1), op=paulimpi_reduce_max)
        call on_all(.not. any(abs(got - [2, 3]) > 0), "allreduce")
    end subroutine check_reductions

    ! An array of unknown size is taken by its address.
    subroutine sum_up(a, n)
        integer(int64), intent(in) :: n
        integer(int32), intent(inout) :: a(*)

        call paulimpi_allreduce(ctx, a, n, op=paulimpi_reduce_sum, ierror=ierror)
    end subroutine sum_up

    subroutine sum_all(a)
        integer(int32), intent(inout) :: a(*)

        call paulimpi_allreduce(ctx, a, op=paulimpi_reduce_sum, ierror=ierror)
    end subroutine sum_all

    subroutine check_unknown_size()
        integer(int32) :: a(3)

        a = rank + 1
        call sum_up(a, 2_int64)
        call on_all(ierror == paulimpi_success .and. all(a == [3, 3, rank + 1]), &
            "an array of unknown size, by its count")
        call sum_all(a)
        call refused(-1, paulimpi_err_argument, "need a count", "without one it is refused")
    end subroutine check_unknown_size

    ! On one rank an array is too small.
    subroutine check_small()
        real(real64) :: a(4), b(8), c(8)
        integer :: n

        a = rank
        b = rank
        c = rank
        n = 4 - rank
        call paulimpi_broadcast(ctx, a(:n), 4_int64, root=0, ierror=ierror)
        call refused(1, paulimpi_err_argument, "data has 3 elements of the type, but needs 1", &
            "an array that is too small is refused on all ranks")
        call paulimpi_allgather(ctx, b, 4_int64, send=a(:n), ierror=ierror)
        call refused(1, paulimpi_err_argument, "send has 3", "also where it is read")
        call paulimpi_alltoall(ctx, b(:8 - 2*rank), 4_int64, send=c, ierror=ierror)
        call refused(1, paulimpi_err_argument, "receive has 6", "and where parts do not fit")
        call paulimpi_alltoallv(ctx, b, [4_int64, 4_int64], send=a(1:n:2), &
            send_counts=[4_int64, 4_int64], ierror=ierror)
        call refused(-1, paulimpi_err_argument, "send has 2", "or a section")
        call paulimpi_allgatherv(ctx, b, [8_int64, 1_int64], send=c, &
            displacements=[0_int64, 8_int64], ierror=ierror)
        call refused(-1, paulimpi_err_argument, "receive has 8 elements of the type, but needs", &
            "or displacements go too far")
        call paulimpi_allgatherv(ctx, b, [1_int64], send=c, ierror=ierror)
        call refused(-1, paulimpi_err_argument, "counts has fewer", "a list that is too short")
        call paulimpi_alltoall(ctx, b, send=c(:7), ierror=ierror)
        call refused(-1, paulimpi_err_argument, "7 elements are not as many for each of 2", &
            "parts that differ")
        call paulimpi_allgather(ctx, b, send=c(:5), ierror=ierror)
        call refused(-1, paulimpi_err_argument, "receive has 8", "more than there is room for")
        call on_all(.not. any(abs(a - rank) > 0) .and. .not. any(abs(b - rank) > 0), &
            "nothing was written")
    end subroutine check_small

    subroutine check_refused()
        type(c_ptr) :: nowhere, list(2)
        real(real64), target :: a(2)
        real(real64) :: many(2, 2, 2, 2, 2), more(3, 3, 3, 3, 3)

        nowhere = c_null_ptr
        call paulimpi_allreduce(ctx, nowhere, 1_int64, paulimpi_float64, &
            paulimpi_reduce_sum, ierror=ierror)
        call refused(-1, paulimpi_err_argument, "receive", "no buffer is refused")
        list = c_loc(a)
        call paulimpi_broadcast(ctx, list, 1_int64, paulimpi_float64, 0, ierror=ierror)
        call refused(-1, paulimpi_err_argument, "addresses", "an array of addresses, too")
        many = rank
        call paulimpi_broadcast(ctx, many(1:2:2, :, :, :, :), root=1)
        call on_all(.not. any(abs(many(1, :, :, :, :) - 1) > 0), "sections of five dimensions")
        more = rank
        call paulimpi_broadcast(ctx, more(::2, ::2, ::2, ::2, ::2), root=1, ierror=ierror)
        call refused(-1, paulimpi_err_argument, "dimensions", "which cannot be joined are refused")
        call paulimpi_broadcast(ctx, a, root=7, ierror=ierror)
        call refused(-1, paulimpi_err_argument, "root", "what C refuses is told by C")
    end subroutine check_refused
end program collective
