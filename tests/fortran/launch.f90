! SPDX-License-Identifier: BSD-3-Clause
!
! The launch, the choice of a device, and what MPI takes, as they are on every
! machine.
program launch
    use mpi_f08, only: MPI_COMM_WORLD, MPI_Finalize, MPI_Init_thread, MPI_THREAD_FUNNELED
    use paulimpi
    use tap, only: tap_done, tap_is_int, tap_ok
    implicit none
    type(paulimpi_context) :: ctx
    integer :: provided

    call check_launch()
    call check_bind()
    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
    call ctx%create(MPI_COMM_WORLD)
    call check_report()
    call check_aware()
    call check_refused()
    call ctx%destroy()
    call MPI_Finalize()
    call tap_done()

contains

    subroutine check_launch()
        character(:), allocatable :: name, variable
        integer :: rank, size, ierror

        call paulimpi_launcher(name, variable)
        call tap_ok((len(name) == 0) .eqv. (len(variable) == 0), "a launcher has a variable")
        rank = -1
        call paulimpi_local_rank(rank, variable, ierror)
        call tap_is_int(ierror, paulimpi_success, "the local rank is told")
        call tap_is_int(rank, 0, "of one process it is 0")
        call paulimpi_local_size(size, ierror=ierror)
        call tap_is_int(ierror, paulimpi_success, "and how many there are")
        call tap_ok(size == 0 .or. size == 1, "one, or it is not known")
    end subroutine check_launch

    subroutine check_bind()
        integer :: device, count, again, ierror

        call paulimpi_device_count(count)
        call paulimpi_device_bind(device, ierror=ierror)
        call tap_is_int(ierror, paulimpi_success, "a device is chosen")
        call tap_ok(device >= -1 .and. device < max(count, 1), "if there is one")
        call paulimpi_device_bind(again, paulimpi_bind_round_robin, ierror)
        call tap_ok(ierror == paulimpi_success .and. again == device, "once")
        call paulimpi_device_bind(again, 99, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "there is no way 99 to choose")
    end subroutine check_bind

    subroutine check_report()
        character(:), allocatable :: text
        integer :: ierror

        call paulimpi_device_report(ctx, text, ierror)
        call tap_is_int(ierror, paulimpi_success, "a report of devices")
        call tap_ok(index(text, "rank 0") > 0, "has a line for rank 0")
    end subroutine check_report

    subroutine check_aware()
        character(:), allocatable :: text
        integer :: state, ierror

        call paulimpi_aware(ctx, paulimpi_memory_host, paulimpi_operation_message, state, text)
        call tap_is_int(state, paulimpi_aware_yes, "MPI takes memory of the host")
        call tap_ok(len(text) > 0, "with a reason")
        call paulimpi_aware(ctx, paulimpi_memory_imported, paulimpi_operation_one_sided, state)
        call tap_is_int(state, paulimpi_aware_no, "never that of another process")
        call paulimpi_aware_set(ctx, paulimpi_memory_device, paulimpi_operation_message, &
            paulimpi_aware_no)
        call paulimpi_aware(ctx, paulimpi_memory_device, paulimpi_operation_message, state)
        call tap_is_int(state, paulimpi_aware_no, "what is said of a device's holds")
        call paulimpi_aware_set(ctx, paulimpi_aware_all, paulimpi_aware_all, &
            paulimpi_aware_unknown)
        call paulimpi_aware_probe(ctx, ierror)
        call tap_is_int(ierror, paulimpi_success, "or it is found out")
        call paulimpi_aware_describe(text, ctx, ierror)
        call tap_is_int(ierror, paulimpi_success, "and described")
        call tap_ok(index(text, ": ") > 0, "line by line")
        call paulimpi_aware_require(ctx, ierror)
        call tap_ok(ierror == paulimpi_success .or. ierror == paulimpi_err_unsupported, &
            "it may be asked for")
    end subroutine check_aware

    subroutine check_refused()
        type(paulimpi_context) :: none
        character(:), allocatable :: text
        integer :: state, ierror

        call paulimpi_aware(ctx, 99, paulimpi_operation_message, state, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "no such memory")
        call paulimpi_aware_set(ctx, 99, paulimpi_operation_message, paulimpi_aware_no, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "of which nothing can be said")
        call paulimpi_aware_describe(text, none, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "no context is not described")
        call paulimpi_device_report(none, text, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "nor has it devices")
        call paulimpi_aware_probe(none, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "nor an MPI")
    end subroutine check_refused
end program launch
