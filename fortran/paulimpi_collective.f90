! SPDX-License-Identifier: BSD-3-Clause
!
! Operations of all ranks together, on arrays of any kind:
!
!     call paulimpi_broadcast(ctx, field, root=0)
!     call paulimpi_allreduce(ctx, sums, op=paulimpi_reduce_sum)
!     call paulimpi_allgather(ctx, all, send=mine(1:n:2))
!
! Without send it is in place: what this rank gives stands in receive. The type
! is that of the array's elements if it is left out: integer(int8), which are
! bytes, int32 and int64, real and complex of 32 and 64 bits. The count, if it is
! left out, is as many as send has for a rank; in place, as receive has. An array
! that is too small is refused, on all ranks.
!
! An array whose elements do not lie side by side is copied, and back; not one
! of unknown size, a(*), which counts as contiguous. Memory of a device is also
! given by its address, a variable of type(c_ptr), with count and type; to send
! from c_null_ptr means that there is no send.
module paulimpi_collective_m
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_intptr_t, c_loc, c_null_ptr, &
        c_ptr, c_sizeof
    use paulimpi_c_collective, only: c_allgather, c_allgatherv, c_allreduce, c_alltoall, &
        c_alltoallv, c_broadcast, c_reduce, c_type_bytes
    use paulimpi_c_exchange, only: paulimpi_exchange_options
    use paulimpi_context_m, only: paulimpi_context
    use paulimpi_kinds, only: paulimpi_index
    use paulimpi_status_m, only: paulimpi_err_mpi, paulimpi_err_timeout
    use paulimpi_support, only: c_text, give_back, report
    implicit none
    private
    public :: paulimpi_allgather, paulimpi_allgatherv, paulimpi_allreduce, paulimpi_alltoall, &
        paulimpi_alltoallv, paulimpi_broadcast, paulimpi_reduce

    integer(c_int), parameter :: reads = 1
    integer(c_int), parameter :: reads_and_writes = 3

    ! fshim_collective.c
    type, bind(c) :: loan
        type(c_ptr) :: copy = c_null_ptr
        type(c_ptr) :: address = c_null_ptr
        integer(c_int64_t) :: elements = -1
        integer(c_int64_t) :: bytes = -1
        integer(c_int) :: type = 0
        integer(c_int) :: code = 0
        integer(c_int) :: use = reads
        integer(c_int) :: describes_target = 0
    end type loan

    interface
        integer(c_int) function c_f_describes_target(nowhere) &
            bind(c, name="paulimpi_f_describes_target")
            import
            type(*), intent(in) :: nowhere(..)
        end function c_f_describes_target

        subroutine c_f_lend(array, ctx, options, lent) bind(c, name="paulimpi_f_lend")
            import
            type(*), intent(in) :: array(..)
            type(c_ptr), value :: ctx, options
            type(loan), intent(inout) :: lent
        end subroutine c_f_lend

        subroutine c_f_spoil(lent, sentence) bind(c, name="paulimpi_f_spoil")
            use, intrinsic :: iso_c_binding, only: c_char
            import
            type(loan), intent(inout) :: lent
            character(kind=c_char), intent(in) :: sentence(*)
        end subroutine c_f_spoil

        integer(c_int) function c_f_give_back(lent, commit) &
            bind(c, name="paulimpi_f_give_back")
            import
            type(loan), intent(inout) :: lent
            integer(c_int), value :: commit
        end function c_f_give_back
    end interface

    ! A call of C, and what it is given.
    type :: operation
        type(c_ptr) :: ctx = c_null_ptr
        integer :: ranks = 1
        type(loan) :: send
        type(loan) :: receive
        integer(c_int) :: type = 0
        type(paulimpi_exchange_options) :: options
        type(c_ptr) :: options_at = c_null_ptr
    end type operation

contains

    ! How the compiler describes addresses that come through here.
    integer(c_int) function description(nowhere)
        type(*), target, intent(inout) :: nowhere(..)

        description = c_f_describes_target(nowhere)
    end function description

    ! Lend the arrays. What is wrong with them is told at the end: the call of C
    ! fails on all ranks.
    subroutine begin(job, ctx, options, type, receive, send)
        type(operation), target, intent(out) :: job
        class(paulimpi_context), intent(in) :: ctx
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(in) :: type
        type(*), target, intent(inout) :: receive(..)
        type(*), optional, target, intent(in) :: send(..)
        type(c_ptr) :: nowhere

        nowhere = c_null_ptr
        job%receive%describes_target = description(nowhere)
        job%receive%use = reads_and_writes
        job%send%describes_target = job%receive%describes_target
        job%ctx = ctx%c_handle()
        job%ranks = max(ctx%size(), 1)
        if (present(options)) then
            job%options = options
            job%options%size = c_sizeof(job%options)
            job%options_at = c_loc(job%options)
        end if
        call c_f_lend(receive, job%ctx, job%options_at, job%receive)
        job%type = job%receive%type
        if (present(send)) then
            call c_f_lend(send, job%ctx, job%options_at, job%send)
            if (job%type == 0) job%type = job%send%type
        else
            ! PAULIMPI_IN_PLACE
            job%send%address = transfer(1_c_intptr_t, job%send%address)
        end if
        if (present(type)) job%type = type
    end subroutine begin

    ! The count that is told, else the elements of an array in so many parts.
    integer(c_int64_t) function count_of(count, lent, parts) result(n)
        integer(paulimpi_index), optional, intent(in) :: count
        type(loan), intent(inout) :: lent
        integer, intent(in) :: parts
        character(80) :: sentence

        n = -1
        if (present(count)) then
            n = count
        else if (lent%elements < 0 .and. lent%code == 0) then
            call c_f_spoil(lent, c_text("an address, and an array of unknown size, need a count"))
        else if (lent%elements >= 0) then
            n = lent%elements/parts
            if (n*parts == lent%elements .or. lent%code /= 0) return
            write (sentence, "(i0, a, i0, a)") lent%elements, &
                " elements are not as many for each of ", parts, " ranks"
            call c_f_spoil(lent, c_text(sentence))
        end if
    end function count_of

    ! Refuse an array that has not parts times n elements of the type.
    subroutine fit(job, lent, name, n, parts)
        type(operation), intent(in) :: job
        type(loan), intent(inout) :: lent
        character(*), intent(in) :: name
        integer(c_int64_t), intent(in) :: n
        integer, intent(in) :: parts
        character(160) :: sentence
        integer(c_int64_t) :: fits

        if (lent%bytes < 0 .or. lent%code /= 0 .or. c_type_bytes(job%type) == 0) return
        fits = lent%bytes/int(c_type_bytes(job%type), c_int64_t)
        if (n <= fits/parts) return
        write (sentence, "(a, a, i0, a, i0, a, i0)") name, " has ", fits, &
            " elements of the type, but needs ", parts, " times ", n
        call c_f_spoil(lent, c_text(sentence))
    end subroutine fit

    ! The address of a list that has a number for each rank, or is absent.
    function list(job, numbers, name) result(address)
        type(operation), intent(inout) :: job
        integer(c_int64_t), optional, target, contiguous, intent(in) :: numbers(:)
        character(*), intent(in) :: name
        type(c_ptr) :: address

        address = c_null_ptr
        if (.not. present(numbers)) return
        if (size(numbers) >= job%ranks) then
            address = c_loc(numbers)
        else if (job%receive%code == 0) then
            call c_f_spoil(job%receive, c_text(name//" has fewer elements than there are ranks"))
        end if
    end function list

    ! Where the last element of parts ends: those without displacements lie one
    ! behind the other.
    pure integer(c_int64_t) function end_of(counts, displacements) result(n)
        integer(c_int64_t), intent(in) :: counts(:)
        integer(c_int64_t), optional, intent(in) :: displacements(:)

        if (present(displacements)) then
            n = min(size(counts), size(displacements))
            n = maxval([0_c_int64_t, counts(:n) + displacements(:n)], [.true., counts(:n) > 0])
        else
            n = sum(counts)
        end if
    end function end_of

    ! Take the arrays back. Copies that MPI may still use are left to it.
    subroutine finish(job, code, ierror)
        type(operation), intent(inout) :: job
        integer(c_int), intent(in) :: code
        integer, optional, intent(out) :: ierror
        integer(c_int) :: back, unused

        back = code
        if (code /= paulimpi_err_timeout .and. code /= paulimpi_err_mpi) then
            unused = c_f_give_back(job%send, 0_c_int)
            unused = c_f_give_back(job%receive, merge(1_c_int, 0_c_int, code == 0))
            if (code == 0) back = unused
        end if
        if (job%receive%code /= 0) then
            call give_back(job%receive%code, ierror)
        else if (job%send%code /= 0) then
            call give_back(job%send%code, ierror)
        else
            call report(back, ierror)
        end if
    end subroutine finish

    !> Give the elements of one rank to all. Collective.
    subroutine paulimpi_broadcast(ctx, data, count, type, root, options, ierror)
        class(paulimpi_context), intent(in) :: ctx
        type(*), target, intent(inout) :: data(..)
        integer(paulimpi_index), optional, intent(in) :: count
        integer, optional, intent(in) :: type
        integer, intent(in) :: root
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        type(operation), target :: job
        integer(c_int64_t) :: n

        call begin(job, ctx, options, type, data)
        n = count_of(count, job%receive, 1)
        call fit(job, job%receive, "data", n, 1)
        call finish(job, c_broadcast(job%ctx, job%receive%address, n, job%type, root, &
            job%options_at), ierror)
    end subroutine paulimpi_broadcast

    !> Bring count elements of each rank to all. Collective.
    subroutine paulimpi_allgather(ctx, receive, count, type, send, options, ierror)
        class(paulimpi_context), intent(in) :: ctx
        type(*), target, intent(inout) :: receive(..)
        integer(paulimpi_index), optional, intent(in) :: count
        integer, optional, intent(in) :: type
        type(*), optional, target, intent(in) :: send(..)
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        type(operation), target :: job
        integer(c_int64_t) :: n

        call begin(job, ctx, options, type, receive, send)
        if (present(send)) then
            n = count_of(count, job%send, 1)
        else
            n = count_of(count, job%receive, job%ranks)
        end if
        call fit(job, job%receive, "receive", n, job%ranks)
        call fit(job, job%send, "send", n, 1)
        call finish(job, c_allgather(job%ctx, job%send%address, n, job%type, &
            job%receive%address, job%options_at), ierror)
    end subroutine paulimpi_allgather

    !> Bring elements of each rank to all, counts(i + 1) of rank i, to
    !> displacements(i + 1) or one after the other. Collective.
    subroutine paulimpi_allgatherv( &
        ctx, receive, counts, type, send, displacements, options, ierror)
        class(paulimpi_context), intent(in) :: ctx
        type(*), target, intent(inout) :: receive(..)
        integer(paulimpi_index), target, contiguous, intent(in) :: counts(:)
        integer, optional, intent(in) :: type
        type(*), optional, target, intent(in) :: send(..)
        integer(paulimpi_index), optional, target, contiguous, intent(in) :: displacements(:)
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        type(operation), target :: job
        type(c_ptr) :: counts_at, displacements_at

        call begin(job, ctx, options, type, receive, send)
        counts_at = list(job, counts, "counts")
        displacements_at = list(job, displacements, "displacements")
        call fit(job, job%receive, "receive", end_of(counts, displacements), 1)
        if (size(counts) >= job%ranks) then
            call fit(job, job%send, "send", counts(ctx%rank() + 1), 1)
        end if
        call finish(job, c_allgatherv(job%ctx, job%send%address, job%type, &
            job%receive%address, counts_at, displacements_at, job%options_at), ierror)
    end subroutine paulimpi_allgatherv

    !> Send count elements to each rank and receive as many. Collective.
    subroutine paulimpi_alltoall(ctx, receive, count, type, send, options, ierror)
        class(paulimpi_context), intent(in) :: ctx
        type(*), target, intent(inout) :: receive(..)
        integer(paulimpi_index), optional, intent(in) :: count
        integer, optional, intent(in) :: type
        type(*), optional, target, intent(in) :: send(..)
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        type(operation), target :: job
        integer(c_int64_t) :: n

        call begin(job, ctx, options, type, receive, send)
        if (present(send)) then
            n = count_of(count, job%send, job%ranks)
        else
            n = count_of(count, job%receive, job%ranks)
        end if
        call fit(job, job%receive, "receive", n, job%ranks)
        call fit(job, job%send, "send", n, job%ranks)
        call finish(job, c_alltoall(job%ctx, job%send%address, n, job%type, &
            job%receive%address, job%options_at), ierror)
    end subroutine paulimpi_alltoall

    !> Send elements to each rank, and receive from each, as many as are told;
    !> lists have an element for each rank. Collective.
    subroutine paulimpi_alltoallv( &
        ctx, receive, receive_counts, type, send, send_counts, send_displacements, &
        receive_displacements, options, ierror)
        class(paulimpi_context), intent(in) :: ctx
        type(*), target, intent(inout) :: receive(..)
        integer(paulimpi_index), target, contiguous, intent(in) :: receive_counts(:)
        integer, optional, intent(in) :: type
        type(*), optional, target, intent(in) :: send(..)
        integer(paulimpi_index), optional, target, contiguous, intent(in) :: send_counts(:), &
            send_displacements(:), receive_displacements(:)
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        type(operation), target :: job
        type(c_ptr) :: counts, displacements, send_counts_at, send_displacements_at

        call begin(job, ctx, options, type, receive, send)
        counts = list(job, receive_counts, "receive_counts")
        displacements = list(job, receive_displacements, "receive_displacements")
        send_counts_at = list(job, send_counts, "send_counts")
        send_displacements_at = list(job, send_displacements, "send_displacements")
        call fit(job, job%receive, "receive", &
            end_of(receive_counts, receive_displacements), 1)
        if (present(send_counts)) then
            call fit(job, job%send, "send", end_of(send_counts, send_displacements), 1)
        end if
        call finish(job, c_alltoallv(job%ctx, job%send%address, send_counts_at, &
            send_displacements_at, job%type, job%receive%address, counts, displacements, &
            job%options_at), ierror)
    end subroutine paulimpi_alltoallv

    !> Reduce to one rank, in the order of the ranks; receive is written on the
    !> root only. Collective.
    subroutine paulimpi_reduce(ctx, receive, count, type, op, root, send, options, ierror)
        class(paulimpi_context), intent(in) :: ctx
        type(*), target, intent(inout) :: receive(..)
        integer(paulimpi_index), optional, intent(in) :: count
        integer, optional, intent(in) :: type
        integer, intent(in) :: op, root
        type(*), optional, target, intent(in) :: send(..)
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        type(operation), target :: job
        integer(c_int64_t) :: n

        call begin(job, ctx, options, type, receive, send)
        if (present(send)) then
            n = count_of(count, job%send, 1)
        else
            n = count_of(count, job%receive, 1)
        end if
        if (ctx%rank() == root) call fit(job, job%receive, "receive", n, 1)
        call fit(job, job%send, "send", n, 1)
        call finish(job, c_reduce(job%ctx, job%send%address, job%receive%address, n, &
            job%type, op, root, job%options_at), ierror)
    end subroutine paulimpi_reduce

    !> Reduce and give the result to all. Collective.
    subroutine paulimpi_allreduce(ctx, receive, count, type, op, send, options, ierror)
        class(paulimpi_context), intent(in) :: ctx
        type(*), target, intent(inout) :: receive(..)
        integer(paulimpi_index), optional, intent(in) :: count
        integer, optional, intent(in) :: type
        integer, intent(in) :: op
        type(*), optional, target, intent(in) :: send(..)
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        type(operation), target :: job
        integer(c_int64_t) :: n

        call begin(job, ctx, options, type, receive, send)
        if (present(send)) then
            n = count_of(count, job%send, 1)
        else
            n = count_of(count, job%receive, 1)
        end if
        call fit(job, job%receive, "receive", n, 1)
        call fit(job, job%send, "send", n, 1)
        call finish(job, c_allreduce(job%ctx, job%send%address, job%receive%address, n, &
            job%type, op, job%options_at), ierror)
    end subroutine paulimpi_allreduce
end module paulimpi_collective_m
