! SPDX-License-Identifier: BSD-3-Clause
!
! What is known before MPI_Init: the launcher, this process among those of its
! node, and the device that it should work with.
!
!     call paulimpi_device_bind(device)
!     call MPI_Init()
module paulimpi_launch_m
    use, intrinsic :: iso_c_binding, only: c_int, c_ptr
    use paulimpi_c_exchange, only: c_device_bind, c_device_bind_by, c_device_report, c_launcher, &
        c_local_rank, c_local_size
    use paulimpi_context_m, only: paulimpi_context
    use paulimpi_kinds, only: paulimpi_int
    use paulimpi_support, only: copy_text, report, take_text
    implicit none
    private
    public :: paulimpi_device_bind, paulimpi_device_report, paulimpi_launcher, &
        paulimpi_local_rank, paulimpi_local_size

    !> How a device is chosen.
    integer(paulimpi_int), parameter, public :: paulimpi_bind_automatic = 0
    integer(paulimpi_int), parameter, public :: paulimpi_bind_nearest = 1
    integer(paulimpi_int), parameter, public :: paulimpi_bind_round_robin = 2
    integer(paulimpi_int), parameter, public :: paulimpi_bind_block = 3
    integer(paulimpi_int), parameter, public :: paulimpi_bind_none = 4

contains

    !> Tell which launcher started this process, and the environment variable
    !> that decided; "" if there is none.
    subroutine paulimpi_launcher(name, variable)
        character(:), allocatable, intent(out) :: name
        character(:), allocatable, optional, intent(out) :: variable
        type(c_ptr) :: c_name, c_variable

        c_name = c_launcher(c_variable)
        name = copy_text(c_name)
        if (present(variable)) variable = copy_text(c_variable)
    end subroutine paulimpi_launcher

    !> The number of this process among those of the job on its node, from 0,
    !> and the variable that told it, "" if there is none.
    subroutine paulimpi_local_rank(rank, source, ierror)
        integer, intent(out) :: rank
        character(:), allocatable, optional, intent(out) :: source
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: c_source
        integer(c_int) :: code

        rank = 0
        code = c_local_rank(rank, c_source)
        if (present(source) .and. code == 0) source = copy_text(c_source)
        call report(code, ierror)
    end subroutine paulimpi_local_rank

    !> The number of processes of the job on this node; 0 if it is not told.
    subroutine paulimpi_local_size(size, source, ierror)
        integer, intent(out) :: size
        character(:), allocatable, optional, intent(out) :: source
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: c_source
        integer(c_int) :: code

        size = 0
        code = c_local_size(size, c_source)
        if (present(source) .and. code == 0) source = copy_text(c_source)
        call report(code, ierror)
    end subroutine paulimpi_local_size

    !> Choose a device for this process and make it the current one, before
    !> MPI_Init; -1 if there is none.
    subroutine paulimpi_device_bind(device, policy, ierror)
        integer, intent(out) :: device
        integer, optional, intent(in) :: policy
        integer, optional, intent(out) :: ierror

        device = -1
        if (present(policy)) then
            call report(c_device_bind_by(policy, device), ierror)
        else
            call report(c_device_bind(device), ierror)
        end if
    end subroutine paulimpi_device_bind

    !> Tell on rank 0 which rank works with which device, and what is wrong; ""
    !> on the others. Collective.
    subroutine paulimpi_device_report(ctx, text, ierror)
        class(paulimpi_context), intent(in) :: ctx
        character(:), allocatable, intent(out) :: text
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: c_copy
        integer(c_int) :: code

        code = c_device_report(ctx%c_handle(), c_copy)
        if (code == 0) call take_text(c_copy, text)
        call report(code, ierror)
    end subroutine paulimpi_device_report
end module paulimpi_launch_m
