! SPDX-License-Identifier: BSD-3-Clause
!
! Messages between ranks, from and to memory of any kind.
!
!     type(paulimpi_plan) :: plan
!
!     call plan%create(ctx, send=[message(a(:, n), to=right, tag=1)], &
!                           recv=[message(a(:, 0), from=left, tag=1)])
!     do step = 1, steps
!         call plan%start()
!         ...                                   ! what needs no halo
!         call plan%wait()
!     end do
!     call plan%destroy()
!
! The same once: call paulimpi_exchange(ctx, send=..., recv=...). Between start
! and wait the sends must not be written to, the receives not touched. Plans
! and buffers cannot be copied.
module paulimpi_exchange_m
    use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_loc, c_null_ptr, c_ptr, &
        c_sizeof
    use paulimpi_c_exchange, only: c_buffer_acquire, c_buffer_release, c_exchange, &
        c_exchange_explain, c_plan_create, c_plan_destroy, c_plan_explain, c_plan_start, &
        c_plan_test, c_plan_wait, paulimpi_arrival, paulimpi_exchange_options, &
        paulimpi_message, paulimpi_region
    use paulimpi_context_m, only: paulimpi_context
    use paulimpi_kinds, only: paulimpi_int
    use paulimpi_status_m, only: paulimpi_err_argument, paulimpi_err_unsupported
    use paulimpi_support, only: refuse, report, take_text
    implicit none
    private
    public :: paulimpi_arrival, paulimpi_buffer, paulimpi_exchange, paulimpi_exchange_explain, &
        paulimpi_exchange_options, paulimpi_message, paulimpi_plan

    !> No message: MPI_PROC_NULL says the same.
    integer(paulimpi_int), parameter, public :: paulimpi_peer_none = -1001
    !> Receive from any rank: MPI_ANY_SOURCE says the same.
    integer(paulimpi_int), parameter, public :: paulimpi_peer_any = -1002
    !> Tags go from 0 to this with every MPI.
    integer(paulimpi_int), parameter, public :: paulimpi_most_tag = 32767

    !> What MPI does with a buffer; their sum is both.
    integer(paulimpi_int), parameter, public :: paulimpi_buffer_send = 1
    integer(paulimpi_int), parameter, public :: paulimpi_buffer_receive = 2

    type :: paulimpi_plan
        private
        type(c_ptr) :: handle = c_null_ptr
        type(paulimpi_arrival), pointer :: arrivals(:) => null()
    contains
        procedure :: create => create_plan
        procedure :: destroy => destroy_plan
        procedure :: is_valid => plan_is_valid
        procedure :: start
        procedure :: test
        procedure :: wait => wait_for
        procedure :: explain
        generic :: assignment(=) => copy_plan
        procedure, private :: copy_plan
        final :: release_plan
    end type paulimpi_plan

    type :: paulimpi_buffer
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        procedure :: acquire
        procedure :: release
        generic :: assignment(=) => copy_buffer
        procedure, private :: copy_buffer
        final :: release_unused
    end type paulimpi_buffer

contains

    ! Options with the size that C wants to see, and our place for arrivals.
    function sized(options, arrivals) result(copy)
        type(paulimpi_exchange_options), optional, intent(in) :: options
        type(paulimpi_arrival), pointer, intent(in) :: arrivals(:)
        type(paulimpi_exchange_options) :: copy

        if (present(options)) copy = options
        copy%size = c_sizeof(copy)
        copy%arrivals = c_null_ptr
        if (associated(arrivals)) then
            if (size(arrivals) > 0) copy%arrivals = c_loc(arrivals)
        end if
    end function sized

    ! Copy a list that may be absent.
    subroutine copy_list(messages, list)
        type(paulimpi_message), optional, intent(in) :: messages(:)
        type(paulimpi_message), allocatable, intent(out) :: list(:)

        if (present(messages)) then
            allocate (list, source=messages)
        else
            allocate (list(0))
        end if
    end subroutine copy_list

    !> Send and receive a group of messages and wait for all of them.
    !> Collective over the ranks that send to each other here. Arrivals are
    !> those of the receives, in their order, as far as there is room.
    subroutine paulimpi_exchange(ctx, send, recv, options, arrivals, ierror)
        class(paulimpi_context), intent(in) :: ctx
        type(paulimpi_message), optional, intent(in) :: send(:), recv(:)
        type(paulimpi_exchange_options), optional, intent(in) :: options
        type(paulimpi_arrival), optional, intent(out) :: arrivals(:)
        integer, optional, intent(out) :: ierror
        type(paulimpi_message), allocatable :: sends(:), receives(:)
        type(paulimpi_arrival), pointer :: came(:)
        integer(c_int) :: code

        call copy_list(send, sends)
        call copy_list(recv, receives)
        allocate (came(size(receives)))
        code = c_exchange(ctx%c_handle(), size(sends), sends, size(receives), receives, &
            sized(options, came))
        if (present(arrivals)) call hand_out(came, arrivals)
        deallocate (came)
        call report(code, ierror)
    end subroutine paulimpi_exchange

    !> Tell how each message of an exchange would go, and why, without sending
    !> it: a line each.
    subroutine paulimpi_exchange_explain(ctx, text, send, recv, ierror)
        class(paulimpi_context), intent(in) :: ctx
        character(:), allocatable, intent(out) :: text
        type(paulimpi_message), optional, intent(in) :: send(:), recv(:)
        integer, optional, intent(out) :: ierror
        type(paulimpi_message), allocatable :: sends(:), receives(:)
        type(c_ptr) :: c_copy
        integer(c_int) :: code

        call copy_list(send, sends)
        call copy_list(recv, receives)
        code = c_exchange_explain(ctx%c_handle(), size(sends), sends, size(receives), receives, &
            c_copy)
        if (code == 0) call take_text(c_copy, text)
        call report(code, ierror)
    end subroutine paulimpi_exchange_explain

    subroutine hand_out(came, arrivals)
        type(paulimpi_arrival), intent(in) :: came(:)
        type(paulimpi_arrival), intent(out) :: arrivals(:)
        integer :: n

        n = min(size(came), size(arrivals))
        arrivals(:n) = came(:n)
    end subroutine hand_out

    !> Make a plan; what the handle held before is destroyed first. Collective
    !> over the context, each rank with its own lists.
    subroutine create_plan(self, ctx, send, recv, options, ierror)
        class(paulimpi_plan), intent(inout) :: self
        class(paulimpi_context), intent(in) :: ctx
        type(paulimpi_message), optional, intent(in) :: send(:), recv(:)
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        type(paulimpi_message), allocatable :: sends(:), receives(:)
        integer(c_int) :: code

        call self%destroy()
        call copy_list(send, sends)
        call copy_list(recv, receives)
        allocate (self%arrivals(size(receives)))
        code = c_plan_create(ctx%c_handle(), size(sends), sends, size(receives), receives, &
            sized(options, self%arrivals), self%handle)
        if (code /= 0) call self%destroy()
        call report(code, ierror)
    end subroutine create_plan

    !> Forget the plan, after waiting for it if it is under way; a handle
    !> without one is fine.
    subroutine destroy_plan(self)
        class(paulimpi_plan), intent(inout) :: self

        call c_plan_destroy(self%handle)
        if (associated(self%arrivals)) deallocate (self%arrivals)
    end subroutine destroy_plan

    impure elemental subroutine release_plan(self)
        type(paulimpi_plan), intent(inout) :: self

        call self%destroy()
    end subroutine release_plan

    impure elemental subroutine copy_plan(self, other)
        class(paulimpi_plan), intent(inout) :: self
        class(paulimpi_plan), intent(in) :: other

        if (c_associated(self%handle) .or. c_associated(other%handle)) then
            call refuse(paulimpi_err_unsupported, "a paulimpi_plan cannot be copied")
        end if
    end subroutine copy_plan

    !> Tell whether the handle holds a plan.
    logical function plan_is_valid(self)
        class(paulimpi_plan), intent(in) :: self

        plan_is_valid = c_associated(self%handle)
    end function plan_is_valid

    !> Begin: post all receives, then the sends. Options replace those of
    !> create.
    subroutine start(self, options, ierror)
        class(paulimpi_plan), intent(inout) :: self
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        type(paulimpi_exchange_options), target :: copy
        integer(c_int) :: code

        if (present(options)) then
            copy = sized(options, self%arrivals)
            code = c_plan_start(self%handle, c_loc(copy))
        else
            code = c_plan_start(self%handle, c_null_ptr)
        end if
        call report(code, ierror)
    end subroutine start

    !> Push the exchange on and ask whether it is complete.
    subroutine test(self, done, ierror)
        class(paulimpi_plan), intent(inout) :: self
        logical, intent(out) :: done
        integer, optional, intent(out) :: ierror
        integer(c_int) :: answer, code

        answer = 0
        code = c_plan_test(self%handle, answer)
        done = answer /= 0
        call report(code, ierror)
    end subroutine test

    !> Wait until all messages are complete. Arrivals are those of the
    !> receives, as far as there is room.
    subroutine wait_for(self, arrivals, ierror)
        class(paulimpi_plan), intent(inout) :: self
        type(paulimpi_arrival), optional, intent(out) :: arrivals(:)
        integer, optional, intent(out) :: ierror
        integer(c_int) :: code

        code = c_plan_wait(self%handle)
        if (present(arrivals) .and. associated(self%arrivals)) then
            call hand_out(self%arrivals, arrivals)
        end if
        call report(code, ierror)
    end subroutine wait_for

    !> Tell how each message goes, and why: a line each.
    subroutine explain(self, text, ierror)
        class(paulimpi_plan), intent(in) :: self
        character(:), allocatable, intent(out) :: text
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: c_copy
        integer(c_int) :: code

        code = c_plan_explain(self%handle, c_copy)
        if (code == 0) call take_text(c_copy, text)
        call report(code, ierror)
    end subroutine explain

    !> Acquire an address that MPI takes, with the bytes of the region side by
    !> side behind it: where it is, or elsewhere.
    subroutine acquire(self, ctx, region, use, address, options, ierror)
        class(paulimpi_buffer), intent(inout) :: self
        class(paulimpi_context), intent(in) :: ctx
        type(paulimpi_region), intent(in) :: region
        integer, intent(in) :: use
        type(c_ptr), intent(out) :: address
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror

        address = c_null_ptr
        if (c_associated(self%handle)) then
            call refuse(paulimpi_err_argument, &
                "paulimpi_buffer_acquire: release what the buffer holds first", ierror)
            return
        end if
        call report(c_buffer_acquire(ctx%c_handle(), region, use, sized(options, null()), &
            self%handle, address), ierror)
    end subroutine acquire

    !> Release the buffer; without commit what MPI received is thrown away.
    subroutine release(self, commit, ierror)
        class(paulimpi_buffer), intent(inout) :: self
        logical, intent(in) :: commit
        integer, optional, intent(out) :: ierror

        call report(c_buffer_release(self%handle, merge(1_c_int, 0_c_int, commit)), ierror)
    end subroutine release

    impure elemental subroutine release_unused(self)
        type(paulimpi_buffer), intent(inout) :: self
        integer(c_int) :: code

        code = c_buffer_release(self%handle, 0_c_int)
    end subroutine release_unused

    impure elemental subroutine copy_buffer(self, other)
        class(paulimpi_buffer), intent(inout) :: self
        class(paulimpi_buffer), intent(in) :: other

        if (c_associated(self%handle) .or. c_associated(other%handle)) then
            call refuse(paulimpi_err_unsupported, "a paulimpi_buffer cannot be copied")
        end if
    end subroutine copy_buffer
end module paulimpi_exchange_m
