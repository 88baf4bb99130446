! SPDX-License-Identifier: BSD-3-Clause
!
! Whether MPI takes memory of a device. Until something is known, memory of
! devices is copied by the host, which is right with every MPI.
module paulimpi_aware_m
    use, intrinsic :: iso_c_binding, only: c_int, c_null_ptr, c_ptr
    use paulimpi_c_exchange, only: c_aware, c_aware_describe, c_aware_probe, c_aware_require, &
        c_aware_set
    use paulimpi_context_m, only: paulimpi_context
    use paulimpi_kinds, only: paulimpi_int
    use paulimpi_status_m, only: paulimpi_err_argument
    use paulimpi_support, only: refuse, report, take_text
    implicit none
    private
    public :: paulimpi_aware, paulimpi_aware_describe, paulimpi_aware_probe, &
        paulimpi_aware_require, paulimpi_aware_set

    !> An answer.
    integer(paulimpi_int), parameter, public :: paulimpi_aware_unknown = -1
    integer(paulimpi_int), parameter, public :: paulimpi_aware_no = 0
    integer(paulimpi_int), parameter, public :: paulimpi_aware_yes = 1
    !> All kinds of memory, or all operations, for paulimpi_aware_set().
    integer(paulimpi_int), parameter, public :: paulimpi_aware_all = -1

    !> What MPI would do with the memory.
    integer(paulimpi_int), parameter, public :: paulimpi_operation_message = 0
    integer(paulimpi_int), parameter, public :: paulimpi_operation_collective = 1
    integer(paulimpi_int), parameter, public :: paulimpi_operation_nonblocking_collective = 2
    integer(paulimpi_int), parameter, public :: paulimpi_operation_one_sided = 3

contains

    !> Tell whether MPI takes memory of a kind in an operation, and whence it is
    !> known.
    subroutine paulimpi_aware(ctx, kind, operation, state, reason, ierror)
        class(paulimpi_context), intent(in) :: ctx
        integer, intent(in) :: kind, operation
        integer, intent(out) :: state
        character(:), allocatable, optional, intent(out) :: reason
        integer, optional, intent(out) :: ierror
        character(:), allocatable :: copy
        type(c_ptr) :: c_reason
        integer(c_int) :: code

        state = paulimpi_aware_unknown
        code = c_aware(ctx%c_handle(), kind, operation, state, c_reason)
        if (code == 0) call take_text(c_reason, copy)
        if (present(reason) .and. code == 0) reason = copy
        call report(code, ierror)
    end subroutine paulimpi_aware

    !> Say whether MPI takes memory of a kind in an operation. Collective.
    subroutine paulimpi_aware_set(ctx, kind, operation, state, ierror)
        class(paulimpi_context), intent(in) :: ctx
        integer, intent(in) :: kind, operation, state
        integer, optional, intent(out) :: ierror

        call report(c_aware_set(ctx%c_handle(), kind, operation, state), ierror)
    end subroutine paulimpi_aware_set

    !> Find out what MPI takes, unless it is known already. Collective.
    subroutine paulimpi_aware_probe(ctx, ierror)
        class(paulimpi_context), intent(in) :: ctx
        integer, optional, intent(out) :: ierror

        call report(c_aware_probe(ctx%c_handle()), ierror)
    end subroutine paulimpi_aware_probe

    !> Ask that MPI takes memory of devices in messages. Collective.
    subroutine paulimpi_aware_require(ctx, ierror)
        class(paulimpi_context), intent(in) :: ctx
        integer, optional, intent(out) :: ierror

        call report(c_aware_require(ctx%c_handle()), ierror)
    end subroutine paulimpi_aware_require

    !> Tell what is known of devices and MPI, and of a context if there is one.
    subroutine paulimpi_aware_describe(text, ctx, ierror)
        character(:), allocatable, intent(out) :: text
        class(paulimpi_context), optional, intent(in) :: ctx
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: context, c_copy
        integer(c_int) :: code

        context = c_null_ptr
        if (present(ctx)) then
            context = ctx%c_handle()
            if (.not. ctx%is_valid()) then
                call refuse(paulimpi_err_argument, &
                    "paulimpi_aware_describe: ctx holds no context", ierror)
                return
            end if
        end if
        code = c_aware_describe(context, c_copy)
        if (code == 0) call take_text(c_copy, text)
        call report(code, ierror)
    end subroutine paulimpi_aware_describe
end module paulimpi_aware_m
