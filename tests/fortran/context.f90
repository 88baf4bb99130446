! SPDX-License-Identifier: BSD-3-Clause
!
! Contexts: the ways to make one, what it tells, copies of the handle.
program context
    use, intrinsic :: iso_c_binding, only: c_associated
    use, intrinsic :: iso_fortran_env, only: int64
    use mpi_f08, only: MPI_COMM_NULL, MPI_COMM_SELF, MPI_COMM_WORLD, MPI_Comm_rank, &
        MPI_Comm_size, MPI_Finalize, MPI_Init_thread, MPI_THREAD_FUNNELED
    use paulimpi, only: paulimpi_automatic, paulimpi_context, paulimpi_context_options, &
        paulimpi_err_argument, paulimpi_err_state, paulimpi_last_error, paulimpi_placement, &
        paulimpi_success, paulimpi_sum
    use tap, only: tap_done, tap_is_int, tap_ok
    implicit none
    integer :: provided

    call check_before_mpi()
    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
    call check_communicators()
    call check_options()
    call check_placement()
    call check_copies()
    call check_life()
    call MPI_Finalize()
    call check_after_mpi()
    call tap_done()

contains

    subroutine check_before_mpi()
        type(paulimpi_context) :: ctx
        integer :: ierror

        call tap_ok(.not. ctx%is_valid(), "a new handle has no context")
        call tap_is_int(ctx%rank(), paulimpi_err_argument, "it has no rank")
        call tap_is_int(ctx%size(), paulimpi_err_argument, "no size")
        call tap_is_int(ctx%threads(), paulimpi_err_argument, "no threads")
        call tap_ok(.not. c_associated(ctx%c_handle()), "and no handle of C")
        call ctx%destroy()
        call ctx%create(MPI_COMM_WORLD, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_state, "a communicator needs MPI")
        call tap_ok(.not. ctx%is_valid(), "without which there is no context")
        call ctx%create_serial()
        call tap_is_int(ctx%size(), 1, "a serial context does without MPI")
        call tap_is_int(ctx%rank(), 0, "its only rank is 0")
    end subroutine check_before_mpi

    subroutine check_communicators()
        type(paulimpi_context) :: ctx
        integer :: ierror, rank, size

        call MPI_Comm_rank(MPI_COMM_WORLD, rank)
        call MPI_Comm_size(MPI_COMM_WORLD, size)
        call ctx%create(MPI_COMM_WORLD)
        call tap_is_int(ctx%rank(), rank, "a communicator of mpi_f08: the rank")
        call tap_is_int(ctx%size(), size, "and the size")
        call ctx%create(MPI_COMM_WORLD%mpi_val, ierror=ierror)
        call tap_is_int(ierror, paulimpi_success, "an integer communicator")
        call tap_is_int(ctx%rank(), rank, "has the same rank")
        call ctx%create(MPI_COMM_SELF)
        call tap_is_int(ctx%size(), 1, "MPI_COMM_SELF has one")
        call ctx%create(MPI_COMM_NULL, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "MPI_COMM_NULL is refused")
        call tap_ok(len(paulimpi_last_error()) > 0, "in a sentence")
        call ctx%create_launched(ierror)
        call tap_is_int(ierror, paulimpi_success, "a launched context uses the MPI that runs")
        call tap_is_int(ctx%size(), size, "with all its ranks")
        call ctx%destroy()
        call tap_ok(.not. ctx%is_valid(), "destroy forgets the context")
    end subroutine check_communicators

    subroutine check_options()
        type(paulimpi_context_options) :: options
        type(paulimpi_context) :: ctx
        integer :: ierror

        call tap_is_int(options%threads, paulimpi_automatic, "threads are chosen by default")
        options%threads = 2
        call ctx%create_serial(options, ierror)
        call tap_is_int(ierror, paulimpi_success, "a serial context takes options")
        call ctx%set_threads(1)
        call tap_is_int(ctx%threads(), 1, "the number of threads can be set")
        call ctx%set_threads(0, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "but not to 0")
        call tap_is_int(ctx%threads(), 1, "which changes nothing")
        call ctx%set_threads(paulimpi_automatic, ierror)
        call tap_is_int(ierror, paulimpi_success, "it can be chosen again")
        options%threads = 1
        call ctx%create(MPI_COMM_SELF, options)
        call tap_is_int(ctx%threads(), 1, "a context on MPI takes options")
        options%threads = -7
        call ctx%create(MPI_COMM_SELF, options, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "a bad option is refused")
        call ctx%create_serial(options, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "by a serial context too")
    end subroutine check_options

    subroutine check_placement()
        type(paulimpi_placement) :: where
        type(paulimpi_context) :: ctx
        integer :: ierror

        call ctx%create_serial()
        call ctx%placement(where, ierror)
        call tap_is_int(ierror, paulimpi_success, "a context knows its place")
        call tap_is_int(where%nodes, 1, "on one node")
        call tap_is_int(where%node, 0, "which is the first")
        call tap_is_int(where%node_ranks, 1, "with one rank")
        call tap_is_int(where%node_rank, 0, "which is this")
        call tap_ok(where%processors >= 1, "on some processors")
        call tap_ok(where%numa_domains >= 0, "in some NUMA domains")
        call tap_ok(where%node_memory > 0_int64, "with some memory")
        call ctx%destroy()
        call ctx%placement(where, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "without a context there is no place")
    end subroutine check_placement

    ! Handles that are copied share the context.
    subroutine check_copies()
        type(paulimpi_context) :: a, b, many(2)

        call a%create(MPI_COMM_SELF)
        b = a
        call tap_ok(c_associated(a%c_handle(), b%c_handle()), "a copy is the same context")
        call a%destroy()
        call tap_is_int(b%size(), 1, "which lives as long as one of them")
        many = b
        b = b
        call b%destroy()
        call tap_is_int(many(2)%size(), 1, "also in an array")
        many(1) = b
        call tap_ok(.not. many(1)%is_valid(), "a copy of nothing is nothing")
    end subroutine check_copies

    ! Objects keep their context alive.
    subroutine check_life()
        type(paulimpi_context) :: ctx
        type(paulimpi_sum) :: sum

        call ctx%create(MPI_COMM_SELF)
        call sum%create(ctx, 3)
        call ctx%destroy()
        call sum%add("X0 Y1")
        call tap_is_int(sum%terms(), 1, "a sum outlives the handle of its context")
    end subroutine check_life

    subroutine check_after_mpi()
        type(paulimpi_context) :: ctx
        integer :: ierror

        call ctx%create(MPI_COMM_WORLD, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_state, "after MPI there is no context on it")
        call ctx%create_launched(ierror)
        call tap_ok(ierror == paulimpi_err_state .or. ctx%size() == 1, &
            "nor a launched one on it")
        call ctx%create_serial()
        call tap_is_int(ctx%size(), 1, "but a serial one")
    end subroutine check_after_mpi
end program context
