! SPDX-License-Identifier: BSD-3-Clause
!
! Segments of two ranks. Only rank 0 speaks.
program segment_test
    use, intrinsic :: iso_c_binding, only: c_associated, c_ptr
    use mpi_f08, only: MPI_Comm_size, MPI_COMM_WORLD, MPI_Finalize, MPI_Init_thread, &
        MPI_THREAD_FUNNELED
    use paulimpi, only: paulimpi_context, paulimpi_err_argument, paulimpi_err_remote, &
        paulimpi_index, paulimpi_last_error, paulimpi_real, paulimpi_segment, &
        paulimpi_segment_options, paulimpi_success, paulimpi_touch_owner, paulimpi_touch_user
    use tap, only: tap_bail, tap_done, tap_ok
    use tap_mpi, only: on_all => tap_on_all
    implicit none
    type(paulimpi_context) :: ctx
    integer :: provided, rank, size_of_world

    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
    call MPI_Comm_size(MPI_COMM_WORLD, size_of_world)
    if (size_of_world /= 2) call tap_bail("this test needs a world of 2 ranks")
    call ctx%create(MPI_COMM_WORLD)
    rank = ctx%rank()
    call check_reals()
    call check_indices()
    call check_address()
    call check_options()
    call check_refusals()
    call check_scope()
    call check_copies()
    call ctx%destroy()
    call MPI_Finalize()
    if (rank == 0) call tap_done()

contains

    ! Rank 0 has 3 elements and rank 1 has 4, and 7 bytes more.
    subroutine check_reals()
        type(paulimpi_segment) :: segment
        real(paulimpi_real), pointer, contiguous :: mine(:), theirs(:)
        character(:), allocatable :: text

        call segment%create(ctx, int(8 * (3 + rank) + 7, paulimpi_index))
        call on_all(segment%is_valid() .and. c_associated(segment%c_handle()), "a segment")
        call segment%part(rank, mine)
        call segment%part(1 - rank, theirs)
        call on_all(size(mine) == 3 + rank .and. size(theirs) == 4 - rank, &
            "its parts are arrays of reals")
        call on_all(all(abs(mine) <= 0), "which are 0")
        mine(:) = rank + 1.5_paulimpi_real
        call segment%sync()
        call on_all(all(abs(theirs - (2.5_paulimpi_real - rank)) <= 0), &
            "what the other rank wrote is there")
        call segment%explain(text)
        call on_all(index(text, "node 0: 2 ranks") == 1, "it explains itself")
        nullify (mine, theirs)
        call segment%destroy()
        call on_all(.not. segment%is_valid(), "and is freed")
    end subroutine check_reals

    subroutine check_indices()
        type(paulimpi_segment) :: segment
        integer(paulimpi_index), pointer, contiguous :: mine(:), theirs(:)
        real(paulimpi_real), pointer, contiguous :: reals(:)

        call segment%create(ctx, merge(0_paulimpi_index, 80_paulimpi_index, rank == 0))
        call segment%part(rank, mine)
        call segment%part(1 - rank, theirs)
        call segment%part(0, reals)
        call on_all(size(mine) == 10 * rank .and. size(theirs) == 10 * (1 - rank) &
            .and. associated(reals) .and. size(reals) == 0, "a part may have no elements")
        if (rank == 1) mine(10) = 2_paulimpi_index**40
        call segment%sync()
        if (rank == 0) call tap_ok(theirs(10) == 2_paulimpi_index**40, &
            "parts are arrays of integers")
        call segment%create(ctx, 8_paulimpi_index)
        call segment%part(rank, mine)
        call on_all(size(mine) == 1, "another segment takes its place")
        call segment%destroy()
    end subroutine check_indices

    subroutine check_address()
        type(paulimpi_segment) :: segment
        type(c_ptr) :: address
        integer(paulimpi_index) :: bytes

        call segment%create(ctx, merge(0_paulimpi_index, 5_paulimpi_index, rank == 0))
        call segment%part(0, address, bytes)
        call on_all(.not. c_associated(address) .and. bytes == 0, "no bytes have no address")
        call segment%part(1, address, bytes)
        call on_all(c_associated(address) .and. bytes == 5, "others have one")
        call segment%destroy()
    end subroutine check_address

    subroutine check_options()
        type(paulimpi_segment) :: segment
        type(paulimpi_segment_options) :: options
        integer(paulimpi_index), pointer, contiguous :: part(:)
        integer :: ierror

        options%touch = merge(paulimpi_touch_user, paulimpi_touch_owner, rank == 0)
        options%huge_pages = 1
        call segment%create(ctx, 8000_paulimpi_index, options, ierror)
        call on_all(ierror == paulimpi_success, "with options")
        call segment%part(rank, part)
        part(:) = rank
        call segment%sync(ierror)
        call on_all(ierror == paulimpi_success, "and codes")
        call segment%part(1 - rank, part)
        call on_all(all(part == 1 - rank), "likewise")
        call segment%sync()
        call segment%destroy()
    end subroutine check_options

    subroutine check_refusals()
        type(paulimpi_segment) :: segment
        type(c_ptr) :: address
        integer(paulimpi_index) :: bytes
        integer(paulimpi_index), pointer, contiguous :: indices(:)
        real(paulimpi_real), pointer, contiguous :: reals(:)
        character(:), allocatable :: text
        integer :: ierror

        call segment%create(ctx, merge(-1_paulimpi_index, 8_paulimpi_index, rank == 0), &
            ierror=ierror)
        call on_all(ierror == merge(paulimpi_err_argument, paulimpi_err_remote, rank == 0), &
            "a wrong size on one rank is refused on all")
        call on_all(index(paulimpi_last_error(), "bytes is -1") > 0, "with its sentence")
        call on_all(.not. segment%is_valid(), "and gives no segment")
        call segment%part(0, address, bytes, ierror)
        call on_all(ierror == paulimpi_err_argument, "which has no address")
        call segment%part(0, reals, ierror)
        call on_all(ierror == paulimpi_err_argument .and. .not. associated(reals), "no reals")
        call segment%part(0, indices, ierror)
        call on_all(ierror == paulimpi_err_argument .and. .not. associated(indices), "no integers")
        call segment%sync(ierror)
        call on_all(ierror == paulimpi_err_argument, "no sync")
        call segment%explain(text, ierror)
        call on_all(ierror == paulimpi_err_argument .and. len(text) == 0, "and no explanation")
        call segment%create(ctx, 8_paulimpi_index)
        call segment%part(2, reals, ierror)
        call on_all(ierror == paulimpi_err_argument, "there are parts 0 and 1")
        call segment%destroy()
        call segment%destroy()
        call on_all(.true., "a segment can be destroyed twice")
    end subroutine check_refusals

    ! What goes out of scope is freed where that concerns nobody else.
    subroutine check_scope()
        type(paulimpi_context) :: alone
        integer :: i

        call alone%create_serial()
        do i = 1, 3
            call leave_scope(alone)
        end do
        call on_all(alone%size() == 1, "a segment of one rank ends with its scope")
        call alone%destroy()
    end subroutine check_scope

    subroutine leave_scope(alone)
        type(paulimpi_context), intent(in) :: alone
        type(paulimpi_segment) :: segment
        real(paulimpi_real), pointer, contiguous :: part(:)

        call segment%create(alone, 800_paulimpi_index)
        call segment%part(0, part)
        part(100) = 1
    end subroutine leave_scope

    ! Copies stand for the same segment, and go with their scopes.
    subroutine check_copies()
        type(paulimpi_segment) :: segment, other
        real(paulimpi_real), pointer, contiguous :: part(:)

        call segment%create(ctx, 80_paulimpi_index)
        call copy_and_leave(segment)
        other = segment
        other = other
        call segment%destroy()
        call on_all(.not. segment%is_valid() .and. other%is_valid(), &
            "a segment lives as long as one of its handles")
        call other%part(rank, part)
        call on_all(abs(part(10) - 3) <= 0, "with what was written")
        call other%sync()
        call other%destroy()
    end subroutine check_copies

    subroutine copy_and_leave(segment)
        type(paulimpi_segment), intent(in) :: segment
        type(paulimpi_segment) :: handle
        real(paulimpi_real), pointer, contiguous :: part(:)

        handle = segment
        call handle%part(rank, part)
        part(10) = 3
    end subroutine copy_and_leave
end program segment_test
