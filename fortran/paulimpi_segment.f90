! SPDX-License-Identifier: BSD-3-Clause
!
! Memory that the ranks of a node share.
!
!     type(paulimpi_segment) :: segment
!     real(paulimpi_real), pointer, contiguous :: mine(:), theirs(:)
!
!     call segment%create(ctx, 8_paulimpi_index * n)
!     call segment%part(place%node_rank, mine)
!     call segment%part(other, theirs)
!     mine = 1
!     call segment%sync()
!     ... read theirs ...
!     nullify (mine, theirs)
!     call segment%destroy()
!
! Pointers to the parts die with the segment. Sizes are in bytes.
!
! Handles that are copied (other = segment) stand for the same segment, which is
! freed with the last of them. To free a segment of several ranks is collective,
! but ranks may leave a scope at different times: a handle that goes out of
! scope frees a segment of one rank only. Call destroy for the others.
module paulimpi_segment_m
    use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_int, c_loc, c_null_ptr, &
        c_ptr, c_sizeof
    use paulimpi_c_segment, only: c_segment_create, c_segment_destroy, c_segment_explain, &
        c_segment_part, c_segment_sync, paulimpi_segment_options
    use paulimpi_context_m, only: paulimpi_context
    use paulimpi_kinds, only: paulimpi_index, paulimpi_real
    use paulimpi_support, only: report, take_text
    implicit none
    private
    public :: paulimpi_segment, paulimpi_segment_options

    integer(c_int), parameter, public :: paulimpi_touch_owner = 0
    integer(c_int), parameter, public :: paulimpi_touch_user = 1

    type :: paulimpi_segment
        private
        type(c_ptr) :: handle = c_null_ptr
        integer, pointer :: copies => null()
        logical :: is_alone = .false.
    contains
        procedure :: create
        procedure :: destroy
        procedure :: is_valid
        procedure :: c_handle
        generic :: part => part_address, part_real, part_index
        procedure :: sync
        procedure :: explain
        generic :: assignment(=) => share
        procedure, private :: share
        procedure, private :: part_address
        procedure, private :: part_real
        procedure, private :: part_index
        final :: release
    end type paulimpi_segment

    ! What a pointer to a part of no elements points to.
    real(paulimpi_real), target :: no_real(1)
    integer(paulimpi_index), target :: no_index(1)

contains

    !> Make a segment with a part of that many bytes for this rank, all 0.
    !> Collective. What the handle held before is freed first.
    subroutine create(self, ctx, bytes, options, ierror)
        class(paulimpi_segment), intent(inout) :: self
        type(paulimpi_context), intent(in) :: ctx
        integer(paulimpi_index), intent(in) :: bytes
        type(paulimpi_segment_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        type(paulimpi_segment_options) :: sized
        integer(c_int) :: code

        call self%destroy()
        if (present(options)) sized = options
        sized%size = c_sizeof(sized)
        code = c_segment_create(ctx%c_handle(), bytes, sized, self%handle)
        if (code == 0) then
            allocate (self%copies)
            self%copies = 1
            self%is_alone = ctx%size() == 1
        end if
        call report(code, ierror)
    end subroutine create

    !> Forget the handle and free the segment if it was the last one. Collective.
    !> A handle without a segment is fine.
    subroutine destroy(self)
        class(paulimpi_segment), intent(inout) :: self

        if (.not. associated(self%copies)) return
        self%copies = self%copies - 1
        if (self%copies == 0) then
            deallocate (self%copies)
            call c_segment_destroy(self%handle)
        end if
        nullify (self%copies)
        self%handle = c_null_ptr
    end subroutine destroy

    impure elemental subroutine release(self)
        type(paulimpi_segment), intent(inout) :: self

        if (.not. associated(self%copies)) return
        if (self%copies > 1 .or. self%is_alone) call self%destroy()
    end subroutine release

    impure elemental subroutine share(self, other)
        class(paulimpi_segment), intent(inout) :: self
        class(paulimpi_segment), intent(in) :: other
        type(c_ptr) :: handle
        integer, pointer :: copies
        logical :: is_alone

        ! Both may be the same handle: count before destroying.
        handle = other%handle
        copies => other%copies
        is_alone = other%is_alone
        if (associated(copies)) copies = copies + 1
        call self%destroy()
        self%handle = handle
        self%copies => copies
        self%is_alone = is_alone
    end subroutine share

    !> Tell whether the handle stands for a segment.
    logical function is_valid(self)
        class(paulimpi_segment), intent(in) :: self

        is_valid = c_associated(self%handle)
    end function is_valid

    !> The paulimpi_segment * of C; it stays the handle's.
    type(c_ptr) function c_handle(self)
        class(paulimpi_segment), intent(in) :: self

        c_handle = self%handle
    end function c_handle

    !> Find the part of a rank of this node, counted from 0: its address, which
    !> is c_null_ptr if it has no bytes, and its bytes.
    subroutine part_address(self, node_rank, address, bytes, ierror)
        class(paulimpi_segment), intent(in) :: self
        integer, intent(in) :: node_rank
        type(c_ptr), intent(out) :: address
        integer(paulimpi_index), intent(out) :: bytes
        integer, optional, intent(out) :: ierror

        address = c_null_ptr
        bytes = 0
        call report(c_segment_part(self%handle, node_rank, address, bytes), ierror)
    end subroutine part_address

    !> The same as an array of as many whole elements as the part holds; its
    !> first index is 1. A failure leaves the pointer without a target.
    subroutine part_real(self, node_rank, values, ierror)
        class(paulimpi_segment), intent(in) :: self
        integer, intent(in) :: node_rank
        real(paulimpi_real), pointer, contiguous, intent(out) :: values(:)
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: address
        integer(paulimpi_index) :: bytes
        integer(c_int) :: code

        nullify (values)
        code = c_segment_part(self%handle, node_rank, address, bytes)
        if (code == 0) then
            if (bytes == 0) address = c_loc(no_real)
            call c_f_pointer(address, values, [bytes / c_sizeof(no_real)])
        end if
        call report(code, ierror)
    end subroutine part_real

    subroutine part_index(self, node_rank, values, ierror)
        class(paulimpi_segment), intent(in) :: self
        integer, intent(in) :: node_rank
        integer(paulimpi_index), pointer, contiguous, intent(out) :: values(:)
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: address
        integer(paulimpi_index) :: bytes
        integer(c_int) :: code

        nullify (values)
        code = c_segment_part(self%handle, node_rank, address, bytes)
        if (code == 0) then
            if (bytes == 0) address = c_loc(no_index)
            call c_f_pointer(address, values, [bytes / c_sizeof(no_index)])
        end if
        call report(code, ierror)
    end subroutine part_index

    !> Wait for the other ranks of the node, and let each see what the others
    !> wrote before. Called by all ranks of the node.
    subroutine sync(self, ierror)
        class(paulimpi_segment), intent(in) :: self
        integer, optional, intent(out) :: ierror

        call report(c_segment_sync(self%handle), ierror)
    end subroutine sync

    !> Tell how the memory is shared, and why so.
    subroutine explain(self, text, ierror)
        class(paulimpi_segment), intent(in) :: self
        character(:), allocatable, intent(out) :: text
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: c_text
        integer(c_int) :: code

        c_text = c_null_ptr
        code = c_segment_explain(self%handle, c_text)
        call take_text(c_text, text)
        call report(code, ierror)
    end subroutine explain
end module paulimpi_segment_m
