! SPDX-License-Identifier: BSD-3-Clause
!
! Contexts of two ranks, and sums on them. Only rank 0 speaks.
program ranks
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use mpi_f08, only: MPI_Allreduce, MPI_Barrier, MPI_Comm_size, MPI_COMM_WORLD, MPI_Finalize, &
        MPI_IN_PLACE, MPI_Init_thread, MPI_INTEGER8, MPI_SUM, MPI_THREAD_FUNNELED
    use paulimpi, only: paulimpi_circuit, paulimpi_context, paulimpi_context_options, &
        paulimpi_err_argument, paulimpi_err_mismatch, paulimpi_err_remote, paulimpi_keep_first, &
        paulimpi_keep_random, paulimpi_placement, paulimpi_propagation_options, &
        paulimpi_propagation_report, paulimpi_rows, paulimpi_rows_blocks, paulimpi_rows_exclude, &
        paulimpi_rows_given, paulimpi_rows_planned, paulimpi_rows_random, paulimpi_success, &
        paulimpi_sum, paulimpi_transport_automatic, paulimpi_transport_mpi, &
        paulimpi_transport_segment, paulimpi_truncation
    use tap, only: tap_bail, tap_done
    use tap_mpi, only: on_all => tap_on_all
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
    call check_sum()
    call check_rows()
    call check_transports()
    call check_wrong_shapes()
    call check_one_fails()
    call check_scopes()
    call ctx%destroy()
    call MPI_Finalize()
    if (rank == 0) call tap_done()

contains

    subroutine check_placement()
        type(paulimpi_placement) :: where

        call ctx%placement(where)
        call on_all(where%node_ranks == 2, "both on this node")
        call on_all(where%node_rank == rank, "in their order")
    end subroutine check_placement

    ! Rank 0 brings 1 X0 and 2 Z64, rank 1 brings 4 X0.
    subroutine check_sum()
        type(paulimpi_sum) :: sum, copy
        integer(int64), allocatable :: x(:, :), z(:, :)
        real(real64), allocatable :: c(:)
        integer(int64) :: bits(2, 2), none(2, 2), local
        real(real64) :: value

        call sum%create(ctx, 65)
        bits = reshape([1_int64, 0_int64, 0_int64, 0_int64], [2, 2])
        none = reshape([0_int64, 0_int64, 0_int64, 1_int64], [2, 2])
        if (rank == 0) call sum%add_local(bits, none, [1.0_real64, 2.0_real64])
        if (rank == 1) call sum%add_local(bits(:, 1:1), none(:, 1:1), [4.0_real64])
        call on_all(sum%terms() == 2, "each rank brings terms of its own")
        local = sum%local_terms()
        call MPI_Allreduce(MPI_IN_PLACE, local, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
        call on_all(local == 2, "each is on one rank")
        call sum%coefficient("X0", value)
        call on_all(.not. abs(value - 5) > 0, "what both bring is added up")
        call sum%add("0.5 Z0 - 0.5 Z1")
        call sum%expectation("0", value)
        call on_all(.not. abs(value - 2) > 0, "all know an expectation value")
        call sum%get_terms(x, z, c)
        call on_all(sum%terms() == 4 .and. .not. any(abs(c - [2.0_real64, -0.5_real64, 5.0_real64, &
            0.5_real64]) > 0), "and all terms, in order")
        copy = sum
        call copy%truncate(paulimpi_truncation(max_terms=3))
        call on_all(copy%terms() == 2, "terms that tie go")
        copy = sum
        call copy%truncate(paulimpi_truncation(max_terms=3, choice=paulimpi_keep_first))
        call copy%coefficient("Z1", value)
        call on_all(copy%terms() == 3 .and. .not. abs(value + 0.5) > 0, "or the first one stays")
        copy = sum
        call copy%truncate(paulimpi_truncation(max_terms=2, choice=paulimpi_keep_random, &
            seed=7_int64))
        call on_all(copy%terms() == 2, "or those that a seed draws")
    end subroutine check_sum

    ! Wherever the terms are, the value is the same.
    subroutine check_rows()
        type(paulimpi_circuit) :: circuit
        integer(int64) :: blocks(70)
        real(real64) :: value
        integer :: ierror, q

        call circuit%create(70)
        do q = 0, 69
            call circuit%rx(q, 0.3_real64)
        end do
        do q = 0, 68
            call circuit%rzz(q, q + 1, 0.4_real64)
        end do
        do q = 0, 69
            blocks(q + 1) = q / 10
        end do
        value = propagated(circuit, paulimpi_rows_planned, paulimpi_rows())
        call on_all(is_same(value, propagated(circuit, paulimpi_rows_random, paulimpi_rows())), &
            "random rows")
        call on_all(is_same(value, propagated(circuit, paulimpi_rows_blocks, &
            paulimpi_rows(blocks=blocks))), "blocks")
        call on_all(is_same(value, propagated(circuit, paulimpi_rows_exclude, &
            paulimpi_rows(x=reshape([-1_int64, 0_int64], [2, 1])))), "no row of some bits")
        call on_all(is_same(value, propagated(circuit, paulimpi_rows_given, &
            paulimpi_rows(z=reshape([1_int64, 0_int64, 2_int64, 0_int64], [2, 2]), &
                x=reshape([0_int64, 0_int64, 0_int64, 1_int64], [2, 2])))), "given rows")
        call on_all(is_same(value, propagated(circuit, paulimpi_rows_planned, &
            paulimpi_rows(weights=[1.0_real64, 3.0_real64]))), "ranks of other weights")
        value = propagated(circuit, paulimpi_rows_planned, &
            paulimpi_rows(weights=[1.0_real64]), ierror)
        call on_all(ierror == paulimpi_err_argument, "one weight is refused")
        value = propagated(circuit, paulimpi_rows_planned, &
            paulimpi_rows(weights=[1.0_real64, 2.0_real64 + rank]), ierror)
        call on_all(ierror == paulimpi_err_mismatch, "so are other ones on each rank")
        value = propagated(circuit, paulimpi_rows_given, &
            paulimpi_rows(z=reshape([1_int64, 0_int64], [2 - rank, 1])), ierror)
        call on_all(ierror == merge(paulimpi_err_argument, paulimpi_err_remote, rank == 1), &
            "and a row of another shape on one")
    end subroutine check_rows

    ! Terms are on all ranks as long as they are few, so there are many.
    subroutine check_transports()
        type(paulimpi_circuit) :: circuit
        type(paulimpi_propagation_report) :: automatic, segment, mpi, none
        integer :: ierror, q, step

        call circuit%create(20)
        do step = 1, 7
            do q = 0, 19
                call circuit%rx(q, 0.3_real64)
            end do
            do q = 0, 19
                call circuit%ry(q, 0.4_real64)
            end do
            do q = 0, 18
                call circuit%rzz(q, q + 1, 0.8_real64)
            end do
        end do
        call carried(circuit, paulimpi_transport_automatic, automatic)
        call carried(circuit, paulimpi_transport_segment, segment)
        call carried(circuit, paulimpi_transport_mpi, mpi)
        call on_all(mpi%bytes_moved > 0 .and. segment%bytes_moved == mpi%bytes_moved &
            .and. automatic%bytes_moved == mpi%bytes_moved, "terms move, as many by each way")
        call on_all(segment%bytes_segment == segment%bytes_moved, "through a segment")
        call on_all(mpi%bytes_segment == 0, "or by MPI")
        call carried(circuit, &
            merge(paulimpi_transport_mpi, paulimpi_transport_segment, rank == 1), none, ierror)
        call on_all(ierror == paulimpi_err_mismatch, "other ways on each rank are refused")
    end subroutine check_transports

    subroutine carried(circuit, transport, report, ierror)
        type(paulimpi_circuit), intent(in) :: circuit
        integer, intent(in) :: transport
        type(paulimpi_propagation_report), intent(out) :: report
        integer, optional, intent(out) :: ierror
        type(paulimpi_propagation_options) :: options
        type(paulimpi_sum) :: sum
        integer :: code

        call sum%create(ctx, 20)
        call sum%add("Z9 Z10")
        options%truncation%min_abs = 1e-4_real64
        options%transport = transport
        call sum%propagate(circuit, options, report, ierror=code)
        if (present(ierror)) then
            ierror = code
        else if (code /= paulimpi_success) then
            call tap_bail("a propagation failed")
        end if
    end subroutine carried

    pure logical function is_same(a, b)
        real(real64), intent(in) :: a, b

        is_same = .not. abs(a - b) > 0
    end function is_same

    ! The value of an observable after a circuit, with such rows.
    real(real64) function propagated(circuit, choice, rows, ierror)
        type(paulimpi_circuit), intent(in) :: circuit
        integer, intent(in) :: choice
        type(paulimpi_rows), intent(in) :: rows
        integer, optional, intent(out) :: ierror
        type(paulimpi_propagation_options) :: options
        type(paulimpi_propagation_report) :: report
        type(paulimpi_sum) :: sum
        integer :: code

        call sum%create(ctx, 70)
        call sum%add("Z0 Z1 + X10 X20 + Y69 + 0.5 Z3 Z40 X41")
        options%rows = choice
        options%truncation%min_abs = 1e-6_real64
        call sum%propagate(circuit, options, report, rows=rows, ierror=code)
        call sum%expectation("+", propagated)
        if (present(ierror)) then
            ierror = code
        else if (code /= paulimpi_success) then
            call tap_bail("a propagation failed")
        end if
    end function propagated

    ! What is wrong on rank 1.
    subroutine check_wrong_shapes()
        type(paulimpi_sum) :: sum
        integer(int64) :: bits(2, 2)
        real(real64) :: value
        integer :: ierror, want

        bits = 0
        want = merge(paulimpi_err_argument, paulimpi_err_remote, rank == 1)
        call sum%create(ctx, 65)
        call sum%add(bits(:, 1:2 - rank), bits, [1.0_real64, 2.0_real64], ierror)
        call on_all(ierror == want, "an array of another shape fails on all ranks")
        call sum%add_local(bits(1:2 - rank, :), bits, [1.0_real64, 2.0_real64], ierror)
        call on_all(ierror == want, "with terms of each rank, too")
        call sum%expectation(bits(1:2 - rank, 1), value, ierror)
        call on_all(ierror == want, "and so does a short state")
        call sum%add("X0", 1.0_real64 + rank, ierror)
        call on_all(ierror == paulimpi_err_mismatch, "terms that are not the same do not add")
        call on_all(sum%terms() == 0, "nothing has been added")
    end subroutine check_wrong_shapes

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
