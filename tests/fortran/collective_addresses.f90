! SPDX-License-Identifier: BSD-3-Clause
!
! Collective operations on memory that is given by address, as all compilers can.
! Two ranks; only rank 0 speaks.
program collective_addresses
    use, intrinsic :: iso_c_binding, only: c_loc, c_null_ptr, c_ptr
    use, intrinsic :: iso_fortran_env, only: int32, int64, real64
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
    call check_types()
    call check_broadcast()
    call check_gathers()
    call check_exchanges()
    call check_reductions()
    call check_refused()
    call ctx%destroy()
    call MPI_Finalize()
    if (rank == 0) call tap_done()

contains

    subroutine check_types()
        call on_all(paulimpi_type_bytes(paulimpi_complex128) == 16 &
            .and. paulimpi_type_bytes(0) == 0, "types have sizes")
        call on_all(paulimpi_type_name(paulimpi_float32) == "float32", "and names")
    end subroutine check_types

    subroutine check_broadcast()
        complex(real64), target :: a(3)
        type(c_ptr) :: at

        a = cmplx(rank, 1, real64)
        at = c_loc(a)
        call paulimpi_broadcast(ctx, at, 3_int64, paulimpi_complex128, 1)
        call on_all(.not. any(abs(a - cmplx(1, 1, real64)) > 0), "broadcast")
    end subroutine check_broadcast

    subroutine check_gathers()
        integer(int32), target :: mine(2), got(2, 2), all_got(4)
        type(c_ptr) :: at, all_at

        mine = [10*rank, 10*rank + 1]
        at = c_loc(got)
        all_at = c_loc(all_got)
        got = -1
        call paulimpi_allgather(ctx, at, 2_int64, paulimpi_int32, c_loc(mine), options)
        call on_all(all(got == reshape([0, 1, 10, 11], [2, 2])), "allgather")
        got(:, 2 - rank) = -1
        call paulimpi_allgather(ctx, at, 2_int64, paulimpi_int32)
        call on_all(all(got == reshape([0, 1, 10, 11], [2, 2])), "in place")
        all_got = -1
        call paulimpi_allgatherv(ctx, all_at, [1_int64, 2_int64], paulimpi_int32, &
            c_loc(mine), displacements=[3_int64, 0_int64])
        call on_all(all(all_got == [10, 11, -1, 0]), "allgatherv")
    end subroutine check_gathers

    subroutine check_exchanges()
        integer(int64), target :: mine(4), got(4)
        type(c_ptr) :: at, mine_at

        mine = 10*rank + [1, 2, 3, 4]
        at = c_loc(got)
        mine_at = c_loc(mine)
        call paulimpi_alltoall(ctx, at, 2_int64, paulimpi_int64, c_loc(mine))
        call on_all(all(got == merge([1, 2, 11, 12], [3, 4, 13, 14], rank == 0)), "alltoall")
        call paulimpi_alltoall(ctx, mine_at, 2_int64, paulimpi_int64)
        call on_all(all(mine == got), "in place")
        mine = 10*rank + [1, 2, 3, 4]
        got = -1
        if (rank == 0) then
            call paulimpi_alltoallv(ctx, at, [0_int64, 1_int64], paulimpi_int64, &
                c_loc(mine), [0_int64, 3_int64], receive_displacements=[0_int64, 2_int64])
        else
            call paulimpi_alltoallv(ctx, at, [3_int64, 0_int64], paulimpi_int64, &
                c_loc(mine), [1_int64, 0_int64], [3_int64, 0_int64])
        end if
        call on_all(all(got == merge([-1, -1, 14, -1], [1, 2, 3, -1], rank == 0)), "alltoallv")
    end subroutine check_exchanges

    subroutine check_reductions()
        real(real64), target :: mine(2), got(2)
        type(c_ptr) :: at, mine_at

        mine = [0.1_real64, 3.0_real64] + rank
        got = 0
        at = c_loc(got)
        mine_at = c_loc(mine)
        call paulimpi_reduce(ctx, at, 2_int64, paulimpi_float64, paulimpi_reduce_sum, &
            1, c_loc(mine))
        call on_all(.not. any(abs(got - merge([0.1_real64 + 1.1_real64, 7.0_real64], &
            [0.0_real64, 0.0_real64], rank == 1)) > 0), "reduce")
        call paulimpi_allreduce(ctx, mine_at, 2_int64, paulimpi_float64, &
            paulimpi_reduce_max)
        call on_all(.not. any(abs(mine - [1.1_real64, 4.0_real64]) > 0), "allreduce")
    end subroutine check_reductions

    subroutine check_refused()
        type(c_ptr) :: nowhere

        nowhere = c_null_ptr
        call paulimpi_allreduce(ctx, nowhere, 1_int64, paulimpi_float64, &
            paulimpi_reduce_sum, ierror=ierror)
        call on_all(ierror == paulimpi_err_argument, "no buffer is refused")
        call on_all(index(paulimpi_last_error(), "receive") > 0, "with a sentence")
    end subroutine check_refused
end program collective_addresses
