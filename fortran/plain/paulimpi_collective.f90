! SPDX-License-Identifier: BSD-3-Clause
!
! For compilers without type(*), dimension(..): operations of all ranks
! together, on memory that is given by address: c_loc(a) of a contiguous array
! with the target attribute, or the address of memory of a device.
!
!     call paulimpi_allreduce(ctx, c_loc(sums), size(sums, kind=int64), &
!         paulimpi_float64, paulimpi_reduce_sum)
!
! Without send it is in place: what this rank gives stands in receive.
module paulimpi_collective_m
    use, intrinsic :: iso_c_binding, only: c_int64_t, c_intptr_t, c_loc, c_null_ptr, c_ptr, &
        c_sizeof
    use paulimpi_c_collective, only: c_allgather, c_allgatherv, c_allreduce, c_alltoall, &
        c_alltoallv, c_broadcast, c_reduce
    use paulimpi_c_exchange, only: paulimpi_exchange_options
    use paulimpi_context_m, only: paulimpi_context
    use paulimpi_kinds, only: paulimpi_index
    use paulimpi_support, only: report
    implicit none
    private
    public :: paulimpi_allgather, paulimpi_allgatherv, paulimpi_allreduce, paulimpi_alltoall, &
        paulimpi_alltoallv, paulimpi_broadcast, paulimpi_reduce

contains

    ! Where options are that C takes, NULL without any.
    subroutine place(options, copy, address)
        type(paulimpi_exchange_options), optional, intent(in) :: options
        type(paulimpi_exchange_options), target, intent(out) :: copy
        type(c_ptr), intent(out) :: address

        address = c_null_ptr
        if (present(options)) then
            copy = options
            copy%size = c_sizeof(copy)
            address = c_loc(copy)
        end if
    end subroutine place

    ! The address of a list that may be absent.
    function list(numbers) result(address)
        integer(c_int64_t), optional, target, contiguous, intent(in) :: numbers(:)
        type(c_ptr) :: address

        address = c_null_ptr
        if (present(numbers)) address = c_loc(numbers)
    end function list

    ! What C takes for a send buffer: PAULIMPI_IN_PLACE if there is none.
    function sent(send) result(address)
        type(c_ptr), optional, intent(in) :: send
        type(c_ptr) :: address

        address = transfer(1_c_intptr_t, address)
        if (present(send)) address = send
    end function sent

    !> Give the elements of one rank to all. Collective.
    subroutine paulimpi_broadcast(ctx, data, count, type, root, options, ierror)
        class(paulimpi_context), intent(in) :: ctx
        type(c_ptr), intent(in) :: data
        integer(paulimpi_index), intent(in) :: count
        integer, intent(in) :: type, root
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        type(paulimpi_exchange_options), target :: copy
        type(c_ptr) :: address

        call place(options, copy, address)
        call report(c_broadcast(ctx%c_handle(), data, count, type, root, address), ierror)
    end subroutine paulimpi_broadcast

    !> Bring count elements of each rank to all. Collective.
    subroutine paulimpi_allgather(ctx, receive, count, type, send, options, ierror)
        class(paulimpi_context), intent(in) :: ctx
        type(c_ptr), intent(in) :: receive
        integer(paulimpi_index), intent(in) :: count
        integer, intent(in) :: type
        type(c_ptr), optional, intent(in) :: send
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        type(paulimpi_exchange_options), target :: copy
        type(c_ptr) :: address

        call place(options, copy, address)
        call report(c_allgather(ctx%c_handle(), sent(send), count, type, receive, address), &
            ierror)
    end subroutine paulimpi_allgather

    !> Bring elements of each rank to all, counts(i + 1) of rank i, to
    !> displacements(i + 1) or one after the other. Collective.
    subroutine paulimpi_allgatherv( &
        ctx, receive, counts, type, send, displacements, options, ierror)
        class(paulimpi_context), intent(in) :: ctx
        type(c_ptr), intent(in) :: receive
        integer(paulimpi_index), target, contiguous, intent(in) :: counts(:)
        integer, intent(in) :: type
        type(c_ptr), optional, intent(in) :: send
        integer(paulimpi_index), optional, target, contiguous, intent(in) :: displacements(:)
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        type(paulimpi_exchange_options), target :: copy
        type(c_ptr) :: address

        call place(options, copy, address)
        call report(c_allgatherv(ctx%c_handle(), sent(send), type, receive, list(counts), &
            list(displacements), address), ierror)
    end subroutine paulimpi_allgatherv

    !> Send count elements to each rank and receive as many. Collective.
    subroutine paulimpi_alltoall(ctx, receive, count, type, send, options, ierror)
        class(paulimpi_context), intent(in) :: ctx
        type(c_ptr), intent(in) :: receive
        integer(paulimpi_index), intent(in) :: count
        integer, intent(in) :: type
        type(c_ptr), optional, intent(in) :: send
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        type(paulimpi_exchange_options), target :: copy
        type(c_ptr) :: address

        call place(options, copy, address)
        call report(c_alltoall(ctx%c_handle(), sent(send), count, type, receive, address), &
            ierror)
    end subroutine paulimpi_alltoall

    !> Send elements to each rank, and receive from each, as many as are told;
    !> lists have an element for each rank. Collective.
    subroutine paulimpi_alltoallv( &
        ctx, receive, receive_counts, type, send, send_counts, send_displacements, &
        receive_displacements, options, ierror)
        class(paulimpi_context), intent(in) :: ctx
        type(c_ptr), intent(in) :: receive
        integer(paulimpi_index), target, contiguous, intent(in) :: receive_counts(:)
        integer, intent(in) :: type
        type(c_ptr), optional, intent(in) :: send
        integer(paulimpi_index), optional, target, contiguous, intent(in) :: send_counts(:), &
            send_displacements(:), receive_displacements(:)
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        type(paulimpi_exchange_options), target :: copy
        type(c_ptr) :: address

        call place(options, copy, address)
        call report(c_alltoallv(ctx%c_handle(), sent(send), list(send_counts), &
            list(send_displacements), type, receive, list(receive_counts), &
            list(receive_displacements), address), ierror)
    end subroutine paulimpi_alltoallv

    !> Reduce to one rank, in the order of the ranks. Collective.
    subroutine paulimpi_reduce(ctx, receive, count, type, op, root, send, options, ierror)
        class(paulimpi_context), intent(in) :: ctx
        type(c_ptr), intent(in) :: receive
        integer(paulimpi_index), intent(in) :: count
        integer, intent(in) :: type, op, root
        type(c_ptr), optional, intent(in) :: send
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        type(paulimpi_exchange_options), target :: copy
        type(c_ptr) :: address

        call place(options, copy, address)
        call report(c_reduce(ctx%c_handle(), sent(send), receive, count, type, op, root, &
            address), ierror)
    end subroutine paulimpi_reduce

    !> Reduce and give the result to all. Collective.
    subroutine paulimpi_allreduce(ctx, receive, count, type, op, send, options, ierror)
        class(paulimpi_context), intent(in) :: ctx
        type(c_ptr), intent(in) :: receive
        integer(paulimpi_index), intent(in) :: count
        integer, intent(in) :: type, op
        type(c_ptr), optional, intent(in) :: send
        type(paulimpi_exchange_options), optional, intent(in) :: options
        integer, optional, intent(out) :: ierror
        type(paulimpi_exchange_options), target :: copy
        type(c_ptr) :: address

        call place(options, copy, address)
        call report(c_allreduce(ctx%c_handle(), sent(send), receive, count, type, op, &
            address), ierror)
    end subroutine paulimpi_allreduce
end module paulimpi_collective_m
