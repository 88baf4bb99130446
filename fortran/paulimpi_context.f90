! SPDX-License-Identifier: BSD-3-Clause
!
! The context: the ranks that work together, and the threads of each.
!
!     type(paulimpi_context) :: ctx
!
!     call ctx%create(MPI_COMM_WORLD)
!     ...
!     call ctx%destroy()
!
! Handles that are copied (other = ctx) stand for the same context, which is
! given up with the last of them. Giving up a context of several ranks is
! collective, but ranks may leave a scope at different times: a handle that
! goes out of scope gives up a context of one rank only. Call destroy for the
! others.
module paulimpi_context_m
    use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_null_ptr, c_ptr, c_sizeof
    use mpi_f08, only: MPI_Comm
    use paulimpi_c, only: c_context_create_launched, c_context_create_serial, &
        c_context_destroy, c_context_placement, c_context_rank, c_context_set_threads, &
        c_context_size, c_context_threads, c_f_context_create, paulimpi_context_options, &
        paulimpi_placement
    use paulimpi_support, only: report
    implicit none
    private
    public :: paulimpi_context, paulimpi_context_options, paulimpi_placement

    type :: paulimpi_context
        private
        type(c_ptr) :: handle = c_null_ptr
        integer, pointer :: copies => null()
    contains
        generic :: create => create_f08, create_integer
        procedure :: create_serial
        procedure :: create_launched
        procedure :: destroy
        procedure :: is_valid
        procedure :: c_handle
        procedure :: rank => context_rank
        procedure :: size => context_size
        procedure :: threads
        procedure :: set_threads
        procedure :: placement
        generic :: assignment(=) => share
        procedure, private :: create_f08
        procedure, private :: create_integer
        procedure, private :: share
        final :: release
    end type paulimpi_context

contains

    !> Make a context on the ranks of a communicator of mpi_f08. Collective.
    subroutine create_f08(self, comm, options, ierror)
        class(paulimpi_context), intent(inout) :: self
        type(MPI_Comm), intent(in) :: comm
        type(paulimpi_context_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror

        call self%create(comm%mpi_val, options, ierror)
    end subroutine create_f08

    !> The same for a communicator of the modules and headers before mpi_f08.
    subroutine create_integer(self, comm, options, ierror)
        class(paulimpi_context), intent(inout) :: self
        integer, intent(in) :: comm
        type(paulimpi_context_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        integer(c_int) :: code

        call self%destroy()
        code = c_f_context_create(comm, sized(options), self%handle)
        call own(self, code, ierror)
    end subroutine create_integer

    !> Make a context of one rank that never calls MPI.
    subroutine create_serial(self, options, ierror)
        class(paulimpi_context), intent(inout) :: self
        type(paulimpi_context_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        integer(c_int) :: code

        call self%destroy()
        code = c_context_create_serial(sized(options), self%handle)
        call own(self, code, ierror)
    end subroutine create_serial

    !> Make a context on all ranks if a launcher started this process or MPI is
    !> initialised, and a serial one otherwise. Collective. MPI is initialised
    !> if nobody did so yet; then the end of the last object on the context
    !> finalises it.
    subroutine create_launched(self, ierror)
        class(paulimpi_context), intent(inout) :: self
        integer, optional, intent(out) :: ierror
        integer(c_int) :: code

        call self%destroy()
        code = c_context_create_launched(c_null_ptr, c_null_ptr, self%handle)
        call own(self, code, ierror)
    end subroutine create_launched

    ! Count the first handle of a new context.
    subroutine own(self, code, ierror)
        class(paulimpi_context), intent(inout) :: self
        integer(c_int), intent(in) :: code
        integer, optional, intent(out) :: ierror

        if (code == 0) then
            allocate (self%copies)
            self%copies = 1
        end if
        call report(code, ierror)
    end subroutine own

    ! Options with the size that C wants to see.
    function sized(options) result(copy)
        type(paulimpi_context_options), optional, intent(in) :: options
        type(paulimpi_context_options) :: copy

        if (present(options)) copy = options
        copy%size = c_sizeof(copy)
    end function sized

    !> Forget the handle and give the context up if it was the last one; the
    !> context goes with the last object on it. Collective if MPI is in use. A
    !> handle without a context is fine.
    subroutine destroy(self)
        class(paulimpi_context), intent(inout) :: self

        if (.not. associated(self%copies)) return
        self%copies = self%copies - 1
        if (self%copies == 0) then
            deallocate (self%copies)
            call c_context_destroy(self%handle)
        end if
        nullify (self%copies)
        self%handle = c_null_ptr
    end subroutine destroy

    impure elemental subroutine release(self)
        type(paulimpi_context), intent(inout) :: self

        if (.not. associated(self%copies)) return
        if (self%copies > 1 .or. self%size() == 1) call self%destroy()
    end subroutine release

    impure elemental subroutine share(self, other)
        class(paulimpi_context), intent(inout) :: self
        class(paulimpi_context), intent(in) :: other
        type(c_ptr) :: handle
        integer, pointer :: copies

        ! Both may be the same handle: count before destroying.
        handle = other%handle
        copies => other%copies
        if (associated(copies)) copies = copies + 1
        call self%destroy()
        self%handle = handle
        self%copies => copies
    end subroutine share

    !> Tell whether the handle stands for a context.
    logical function is_valid(self)
        class(paulimpi_context), intent(in) :: self

        is_valid = c_associated(self%handle)
    end function is_valid

    !> The paulimpi_context * of C; it stays the handle's.
    type(c_ptr) function c_handle(self)
        class(paulimpi_context), intent(in) :: self

        c_handle = self%handle
    end function c_handle

    !> This rank, from 0; paulimpi_err_argument for a handle without a context.
    integer function context_rank(self)
        class(paulimpi_context), intent(in) :: self

        context_rank = c_context_rank(self%handle)
    end function context_rank

    !> The number of ranks; paulimpi_err_argument for a handle without a context.
    integer function context_size(self)
        class(paulimpi_context), intent(in) :: self

        context_size = c_context_size(self%handle)
    end function context_size

    !> The number of threads that this rank works with; paulimpi_err_argument
    !> for a handle without a context.
    integer function threads(self)
        class(paulimpi_context), intent(in) :: self

        threads = c_context_threads(self%handle)
    end function threads

    !> Set the number of threads that this rank works with from now on: from 1
    !> to 4096, or paulimpi_automatic.
    subroutine set_threads(self, threads, ierror)
        class(paulimpi_context), intent(inout) :: self
        integer, intent(in) :: threads
        integer, optional, intent(out) :: ierror

        call report(c_context_set_threads(self%handle, threads), ierror)
    end subroutine set_threads

    !> Tell where this rank sits.
    subroutine placement(self, where, ierror)
        class(paulimpi_context), intent(in) :: self
        type(paulimpi_placement), intent(out) :: where
        integer, optional, intent(out) :: ierror

        where%size = c_sizeof(where)
        call report(c_context_placement(self%handle, where), ierror)
    end subroutine placement
end module paulimpi_context_m
