! SPDX-License-Identifier: BSD-3-Clause
!
! Contexts of two ranks. Only rank 0 speaks.
program ranks
    use mpi_f08, only: MPI_Allreduce, MPI_Barrier, MPI_Comm_size, MPI_COMM_WORLD, MPI_Finalize, &
        MPI_IN_PLACE, MPI_Init_thread, MPI_LAND, MPI_LOGICAL, MPI_THREAD_FUNNELED
    use paulimpi, only: paulimpi_context, paulimpi_context_options, paulimpi_err_argument, &
        paulimpi_err_remote, paulimpi_err_unsupported, paulimpi_placement, paulimpi_success, &
        paulimpi_sum
    use tap, only: tap_bail, tap_done, tap_ok
    implicit none
    type(paulimpi_context) :: ctx
    integer :: provided, rank, size

    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    if (size /= 2) call tap_bail("this test needs a world of 2 ranks")
    call ctx%create(MPI_COMM_WORLD)
    rank = ctx%rank()
    call on_all(ctx%size() == 2, "a context has two ranks")
    call check_placement()
    call check_refusal()
    call check_one_fails()
    call check_scopes()
    call ctx%destroy()
    call MPI_Finalize()
    if (rank == 0) call tap_done()

contains

    ! A fact that holds if it does on all ranks.
    subroutine on_all(condition, fact)
        logical, intent(in) :: condition
        character(*), intent(in) :: fact
        logical :: all_hold

        all_hold = condition
        call MPI_Allreduce(MPI_IN_PLACE, all_hold, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
        if (rank == 0) call tap_ok(all_hold, fact)
    end subroutine on_all

    subroutine check_placement()
        type(paulimpi_placement) :: where

        call ctx%placement(where)
        call on_all(where%node_ranks == 2, "both on this node")
        call on_all(where%node_rank == rank, "in their order")
    end subroutine check_placement

    subroutine check_refusal()
        type(paulimpi_sum) :: sum
        integer :: ierror

        call sum%create(ctx, 3, ierror)
        call on_all(ierror == paulimpi_err_unsupported, "a sum on two ranks is refused")
        call on_all(.not. sum%is_valid(), "and not made")
    end subroutine check_refusal

    subroutine check_one_fails()
        type(paulimpi_context) :: other
        type(paulimpi_context_options) :: options
        integer :: ierror

        options%threads = merge(1, -7, rank == 0)
        call other%create(MPI_COMM_WORLD, options, ierror)
        call on_all(ierror == merge(paulimpi_err_remote, paulimpi_err_argument, rank == 0), &
            "a context fails on all ranks if it does on one")
        call on_all(.not. other%is_valid(), "and there is none")
    end subroutine check_one_fails

    ! Scopes may end at different times: a handle that goes there gives nothing
    ! up that both ranks would have to agree on.
    subroutine check_scopes()
        type(paulimpi_context) :: copy
        integer :: ierror

        copy = ctx
        if (rank == 0) call leave_scope()
        call MPI_Barrier(MPI_COMM_WORLD)
        if (rank == 1) call leave_scope()
        call copy%destroy()
        call on_all(ctx%size() == 2, "a scope that ends does not end the context")
        call copy%create(MPI_COMM_WORLD, ierror=ierror)
        call on_all(ierror == paulimpi_success, "another can be made")
        call copy%destroy()
    end subroutine check_scopes

    subroutine leave_scope()
        type(paulimpi_context) :: handle

        handle = ctx
    end subroutine leave_scope
end program ranks
