! SPDX-License-Identifier: BSD-3-Clause
!
! What was copied and sent, counted; and budgets for it.
!
!     type(paulimpi_counter) :: counter
!     character(:), allocatable :: text
!
!     call counter%create("step")
!     call counter%begin()
!     call paulimpi_phase_begin("halo")
!     ...
!     call paulimpi_phase_end()
!     call counter%end()
!     call counter%report(text)
!
! Counters and budgets cannot be copied. All procedures are local, but reduce,
! and check if it is given a context.
module paulimpi_account_m
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_int, c_loc, c_null_ptr, &
        c_ptr, c_sizeof
    use paulimpi_c_exchange, only: c_budget_allow, c_budget_check, c_budget_create, &
        c_budget_destroy, c_count_name, c_counter_begin, c_counter_create, c_counter_destroy, &
        c_counter_end, c_counter_get, c_counter_reduce, c_counter_report, c_counter_reset, &
        c_phase_begin, c_phase_end, paulimpi_count_of_ranks
    use paulimpi_context_m, only: paulimpi_context
    use paulimpi_kinds, only: paulimpi_index, paulimpi_int
    use paulimpi_status_m, only: paulimpi_err_argument, paulimpi_err_unsupported, &
        paulimpi_unlimited
    use paulimpi_support, only: c_text, copy_text, refuse, report_code => report, take_text
    implicit none
    private
    public :: paulimpi_budget, paulimpi_count_name, paulimpi_count_of_ranks, paulimpi_counter, &
        paulimpi_phase_begin, paulimpi_phase_end

    !> What is counted.
    integer(paulimpi_int), parameter, public :: paulimpi_count_any = -1
    integer(paulimpi_int), parameter, public :: paulimpi_count_to_host = 0
    integer(paulimpi_int), parameter, public :: paulimpi_count_to_device = 1
    integer(paulimpi_int), parameter, public :: paulimpi_count_on_device = 2
    integer(paulimpi_int), parameter, public :: paulimpi_count_pack = 3
    integer(paulimpi_int), parameter, public :: paulimpi_count_self = 4
    integer(paulimpi_int), parameter, public :: paulimpi_count_mpi_host = 5
    integer(paulimpi_int), parameter, public :: paulimpi_count_mpi_device = 6
    integer(paulimpi_int), parameter, public :: paulimpi_count_bounce = 7
    integer(paulimpi_int), parameter, public :: paulimpi_count_wait = 8
    integer(paulimpi_int), parameter, public :: paulimpi_count_probe = 9

    type :: paulimpi_counter
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        procedure :: create => create_counter
        procedure :: destroy => destroy_counter
        procedure :: is_valid => counter_is_valid
        procedure :: begin
        procedure :: end => end_counter
        procedure :: reset
        procedure :: get
        procedure :: reduce => reduce_counter
        procedure :: report => report_counter
        generic :: assignment(=) => copy_counter
        procedure, private :: copy_counter
        final :: release_counter
    end type paulimpi_counter

    type :: paulimpi_budget
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        procedure :: create => create_budget
        procedure :: destroy => destroy_budget
        procedure :: is_valid => budget_is_valid
        generic :: allow => allow_index, allow_int
        procedure :: check
        generic :: assignment(=) => copy_budget
        procedure, private :: allow_index
        procedure, private :: allow_int
        procedure, private :: copy_budget
        final :: release_budget
    end type paulimpi_budget

contains

    !> Name a kind in a few words.
    function paulimpi_count_name(kind) result(text)
        integer, intent(in) :: kind
        character(:), allocatable :: text

        text = copy_text(c_count_name(kind))
    end function paulimpi_count_name

    !> Begin a phase of the calling thread.
    subroutine paulimpi_phase_begin(name, ierror)
        character(*), intent(in) :: name
        integer, optional, intent(out) :: ierror

        call report_code(c_phase_begin(c_text(name)), ierror)
    end subroutine paulimpi_phase_begin

    !> End the phase that the calling thread began last.
    subroutine paulimpi_phase_end(ierror)
        integer, optional, intent(out) :: ierror

        call report_code(c_phase_end(), ierror)
    end subroutine paulimpi_phase_end

    !> Make a counter that does not run yet; what the handle held is freed.
    subroutine create_counter(self, label, ierror)
        class(paulimpi_counter), intent(inout) :: self
        character(*), intent(in) :: label
        integer, optional, intent(out) :: ierror

        call self%destroy()
        call report_code(c_counter_create(c_text(label), self%handle), ierror)
    end subroutine create_counter

    !> Free the counter; a handle without one is fine.
    subroutine destroy_counter(self)
        class(paulimpi_counter), intent(inout) :: self

        call c_counter_destroy(self%handle)
    end subroutine destroy_counter

    impure elemental subroutine release_counter(self)
        type(paulimpi_counter), intent(inout) :: self

        call c_counter_destroy(self%handle)
    end subroutine release_counter

    impure elemental subroutine copy_counter(self, other)
        class(paulimpi_counter), intent(inout) :: self
        class(paulimpi_counter), intent(in) :: other

        if (c_associated(self%handle) .or. c_associated(other%handle)) then
            call refuse(paulimpi_err_unsupported, "a paulimpi_counter cannot be copied")
        end if
    end subroutine copy_counter

    !> Tell whether the handle holds a counter.
    logical function counter_is_valid(self)
        class(paulimpi_counter), intent(in) :: self

        counter_is_valid = c_associated(self%handle)
    end function counter_is_valid

    !> Let the counter run; it goes on from what it has.
    subroutine begin(self, ierror)
        class(paulimpi_counter), intent(inout) :: self
        integer, optional, intent(out) :: ierror

        call report_code(c_counter_begin(self%handle), ierror)
    end subroutine begin

    !> Let the counter rest.
    subroutine end_counter(self, ierror)
        class(paulimpi_counter), intent(inout) :: self
        integer, optional, intent(out) :: ierror

        call report_code(c_counter_end(self%handle), ierror)
    end subroutine end_counter

    !> Set the counter to nothing.
    subroutine reset(self, ierror)
        class(paulimpi_counter), intent(inout) :: self
        integer, optional, intent(out) :: ierror

        call report_code(c_counter_reset(self%handle), ierror)
    end subroutine reset

    !> Tell the events of a kind and their bytes, of one phase or, without it,
    !> of all; "" is what was in none.
    subroutine get(self, kind, events, bytes, phase, ierror)
        class(paulimpi_counter), intent(in) :: self
        integer, intent(in) :: kind
        integer(paulimpi_index), intent(out) :: events
        integer(paulimpi_index), optional, intent(out) :: bytes
        character(*), optional, intent(in) :: phase
        integer, optional, intent(out) :: ierror
        character(kind=c_char), allocatable, target :: name(:)
        integer(paulimpi_index) :: all_bytes
        integer(c_int) :: code

        events = 0
        all_bytes = 0
        call spell(phase, name)
        code = c_counter_get(self%handle, address_of(name), kind, events, all_bytes)
        if (present(bytes)) bytes = all_bytes
        call report_code(code, ierror)
    end subroutine get

    !> Tell what the counters of all ranks have. Collective.
    subroutine reduce_counter(self, ctx, kind, ranks, phase, ierror)
        class(paulimpi_counter), intent(in) :: self
        class(paulimpi_context), intent(in) :: ctx
        integer, intent(in) :: kind
        type(paulimpi_count_of_ranks), intent(out) :: ranks
        character(*), optional, intent(in) :: phase
        integer, optional, intent(out) :: ierror
        character(kind=c_char), allocatable, target :: name(:)

        ranks%size = c_sizeof(ranks)
        call spell(phase, name)
        call report_code(c_counter_reduce(ctx%c_handle(), self%handle, address_of(name), kind, &
            ranks), ierror)
    end subroutine reduce_counter

    !> Write what the counter has, by kind and phase.
    subroutine report_counter(self, text, ierror)
        class(paulimpi_counter), intent(in) :: self
        character(:), allocatable, intent(out) :: text
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: c_copy
        integer(c_int) :: code

        code = c_counter_report(self%handle, c_copy)
        if (code == 0) call take_text(c_copy, text)
        call report_code(code, ierror)
    end subroutine report_counter

    !> Make a budget, which allows everything.
    subroutine create_budget(self, ierror)
        class(paulimpi_budget), intent(inout) :: self
        integer, optional, intent(out) :: ierror

        call self%destroy()
        call report_code(c_budget_create(self%handle), ierror)
    end subroutine create_budget

    !> Free the budget; a handle without one is fine.
    subroutine destroy_budget(self)
        class(paulimpi_budget), intent(inout) :: self

        call c_budget_destroy(self%handle)
    end subroutine destroy_budget

    impure elemental subroutine release_budget(self)
        type(paulimpi_budget), intent(inout) :: self

        call c_budget_destroy(self%handle)
    end subroutine release_budget

    impure elemental subroutine copy_budget(self, other)
        class(paulimpi_budget), intent(inout) :: self
        class(paulimpi_budget), intent(in) :: other

        if (c_associated(self%handle) .or. c_associated(other%handle)) then
            call refuse(paulimpi_err_unsupported, "a paulimpi_budget cannot be copied")
        end if
    end subroutine copy_budget

    !> Tell whether the handle holds a budget.
    logical function budget_is_valid(self)
        class(paulimpi_budget), intent(in) :: self

        budget_is_valid = c_associated(self%handle)
    end function budget_is_valid

    !> Allow so many events of a kind, and no more, in a phase or, without it,
    !> in all together. Bytes that are left out are unlimited, as events may be
    !> by paulimpi_unlimited.
    subroutine allow_index(self, kind, events, bytes_each, bytes, phase, ierror)
        class(paulimpi_budget), intent(inout) :: self
        integer, intent(in) :: kind
        integer(paulimpi_index), intent(in) :: events
        integer(paulimpi_index), optional, intent(in) :: bytes_each, bytes
        character(*), optional, intent(in) :: phase
        integer, optional, intent(out) :: ierror
        character(kind=c_char), allocatable, target :: name(:)

        call spell(phase, name)
        call report_code(c_budget_allow(self%handle, address_of(name), kind, events, &
            limit(bytes_each), limit(bytes)), ierror)
    end subroutine allow_index

    subroutine allow_int(self, kind, events, bytes_each, bytes, phase, ierror)
        class(paulimpi_budget), intent(inout) :: self
        integer, intent(in) :: kind
        integer(paulimpi_int), intent(in) :: events
        integer(paulimpi_index), optional, intent(in) :: bytes_each, bytes
        character(*), optional, intent(in) :: phase
        integer, optional, intent(out) :: ierror

        call self%allow(kind, int(events, paulimpi_index), bytes_each, bytes, phase, ierror)
    end subroutine allow_int

    pure integer(paulimpi_index) function limit(most)
        integer(paulimpi_index), optional, intent(in) :: most

        limit = paulimpi_unlimited
        if (present(most)) limit = most
    end function limit

    !> Check that a counter is within the budget; with a context on all its
    !> ranks, which then fail alike.
    subroutine check(self, counter, ctx, ierror)
        class(paulimpi_budget), intent(in) :: self
        class(paulimpi_counter), intent(in) :: counter
        class(paulimpi_context), optional, intent(in) :: ctx
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: context

        context = c_null_ptr
        if (present(ctx)) then
            context = ctx%c_handle()
            if (.not. ctx%is_valid()) then
                call refuse(paulimpi_err_argument, &
                    "paulimpi_budget_check: ctx holds no context", ierror)
                return
            end if
        end if
        call report_code(c_budget_check(self%handle, counter%handle, context), ierror)
    end subroutine check

    ! A name for C that may be absent.
    subroutine spell(phase, name)
        character(*), optional, intent(in) :: phase
        character(kind=c_char), allocatable, intent(out) :: name(:)
        character(:), allocatable :: text
        integer :: i

        if (.not. present(phase)) return
        text = c_text(phase)
        allocate (name(len(text)))
        do i = 1, len(text)
            name(i) = text(i:i)
        end do
    end subroutine spell

    type(c_ptr) function address_of(name)
        character(kind=c_char), allocatable, target, intent(in) :: name(:)

        address_of = c_null_ptr
        if (allocated(name)) address_of = c_loc(name)
    end function address_of
end module paulimpi_account_m
