! SPDX-License-Identifier: BSD-3-Clause
!
! Structs and constants of the modules device and exchange are the same in
! Fortran and in C.
program layout_exchange
    use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t, c_intptr_t, c_null_char, &
        c_ptr, c_size_t, c_sizeof
    use, intrinsic :: iso_fortran_env, only: int64
    use paulimpi
    use tap, only: tap_done, tap_is_int, tap_ok
    implicit none

    interface
        integer(c_size_t) function layout_uuid(uuid) bind(c)
            import
            type(paulimpi_device_uuid), intent(out) :: uuid
        end function layout_uuid

        integer(c_size_t) function layout_ipc(handle) bind(c)
            import
            type(paulimpi_ipc_handle), intent(out) :: handle
        end function layout_ipc

        integer(c_size_t) function layout_memory(memory) bind(c)
            import
            type(paulimpi_memory), intent(out) :: memory
        end function layout_memory

        integer(c_size_t) function layout_message(message) bind(c)
            import
            type(paulimpi_message), intent(out) :: message
        end function layout_message

        integer(c_size_t) function layout_arrival(arrival) bind(c)
            import
            type(paulimpi_arrival), intent(out) :: arrival
        end function layout_arrival

        integer(c_size_t) function layout_options(options) bind(c)
            import
            type(paulimpi_exchange_options), intent(out) :: options
        end function layout_options

        integer(c_size_t) function layout_ranks(ranks) bind(c)
            import
            type(paulimpi_count_of_ranks), intent(out) :: ranks
        end function layout_ranks

        integer(c_int) function layout_constant(name, value) bind(c)
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), intent(out) :: value
        end function layout_constant
    end interface

    call check_device()
    call check_messages()
    call check_constants()
    call tap_done()

contains

    ! Members that C numbered from 1.
    subroutine are_numbered(members, fact)
        integer(int64), intent(in) :: members(:)
        character(*), intent(in) :: fact
        integer(int64) :: i

        call tap_ok(all(members == [(i, i=1, size(members, kind=int64))]), fact)
    end subroutine are_numbered

    integer(c_intptr_t) function number(pointer)
        type(c_ptr), intent(in) :: pointer

        number = transfer(pointer, number)
    end function number

    subroutine check_device()
        type(paulimpi_device_uuid) :: u
        type(paulimpi_ipc_handle) :: h
        type(paulimpi_memory) :: m

        call tap_is_int(layout_uuid(u), c_sizeof(u), "the size of device_uuid")
        call are_numbered(int(u%byte(:2), int64), "and its bytes")
        call tap_is_int(layout_ipc(h), c_sizeof(h), "the size of ipc_handle")
        call are_numbered(int(h%byte(:2), int64), "and its bytes")
        call tap_is_int(layout_memory(m), c_sizeof(m), "the size of memory")
        call are_numbered([integer(int64) :: m%size, m%kind, m%device, number(m%base), m%bytes, &
            m%number], "and its members")
    end subroutine check_device

    subroutine check_messages()
        type(paulimpi_message) :: m
        type(paulimpi_arrival) :: a
        type(paulimpi_exchange_options) :: o
        type(paulimpi_count_of_ranks) :: r

        call tap_is_int(layout_message(m), c_sizeof(m), "the size of message")
        call are_numbered([integer(int64) :: number(m%region%base), m%region%element, &
            m%region%dimensions, m%region%extent, m%region%stride, m%peer, m%tag], &
            "and its members")
        call tap_is_int(layout_arrival(a), c_sizeof(a), "the size of arrival")
        call are_numbered([integer(int64) :: a%peer, a%tag, a%bytes], "and its members")
        call tap_is_int(layout_options(o), c_sizeof(o), "the size of exchange_options")
        call are_numbered([integer(int64) :: o%size, number(o%after_stream), &
            number(o%after_event), o%after_default_stream, number(o%before_stream), &
            number(o%arrivals), nint(o%timeout), o%join], "and its members")
        call tap_is_int(layout_ranks(r), c_sizeof(r), "the size of count_of_ranks")
        call are_numbered([r%size, r%least_events, r%most_events, r%all_events, r%least_bytes, &
            r%most_bytes, r%all_bytes], "and its members")
    end subroutine check_messages

    subroutine is_constant(value, name)
        integer, intent(in) :: value
        character(*), intent(in) :: name
        integer(c_int64_t) :: c_value

        if (layout_constant(name//c_null_char, c_value) == 1) then
            call tap_is_int(value, c_value, "PAULIMPI_"//name)
        else
            call tap_ok(.false., "C has no PAULIMPI_"//name)
        end if
    end subroutine is_constant

    subroutine check_constants()
        type(paulimpi_message) :: empty

        call is_constant(paulimpi_memory_host, "MEMORY_HOST")
        call is_constant(paulimpi_memory_pinned, "MEMORY_PINNED")
        call is_constant(paulimpi_memory_managed, "MEMORY_MANAGED")
        call is_constant(paulimpi_memory_device, "MEMORY_DEVICE")
        call is_constant(paulimpi_memory_pool, "MEMORY_POOL")
        call is_constant(paulimpi_memory_virtual, "MEMORY_VIRTUAL")
        call is_constant(paulimpi_memory_imported, "MEMORY_IMPORTED")
        call is_constant(paulimpi_bind_automatic, "BIND_AUTOMATIC")
        call is_constant(paulimpi_bind_nearest, "BIND_NEAREST")
        call is_constant(paulimpi_bind_round_robin, "BIND_ROUND_ROBIN")
        call is_constant(paulimpi_bind_block, "BIND_BLOCK")
        call is_constant(paulimpi_bind_none, "BIND_NONE")
        call is_constant(paulimpi_aware_unknown, "AWARE_UNKNOWN")
        call is_constant(paulimpi_aware_no, "AWARE_NO")
        call is_constant(paulimpi_aware_yes, "AWARE_YES")
        call is_constant(paulimpi_aware_all, "AWARE_ALL")
        call is_constant(paulimpi_operation_message, "OPERATION_MESSAGE")
        call is_constant(paulimpi_operation_collective, "OPERATION_COLLECTIVE")
        call is_constant(paulimpi_operation_nonblocking_collective, &
            "OPERATION_NONBLOCKING_COLLECTIVE")
        call is_constant(paulimpi_operation_one_sided, "OPERATION_ONE_SIDED")
        call is_constant(paulimpi_peer_none, "PEER_NONE")
        call is_constant(empty%peer, "PEER_NONE")
        call is_constant(paulimpi_peer_any, "PEER_ANY")
        call is_constant(paulimpi_most_tag, "MOST_TAG")
        call is_constant(paulimpi_buffer_send, "BUFFER_SEND")
        call is_constant(paulimpi_buffer_receive, "BUFFER_RECEIVE")
        call is_constant(paulimpi_count_any, "COUNT_ANY")
        call is_constant(paulimpi_count_to_host, "COUNT_TO_HOST")
        call is_constant(paulimpi_count_to_device, "COUNT_TO_DEVICE")
        call is_constant(paulimpi_count_on_device, "COUNT_ON_DEVICE")
        call is_constant(paulimpi_count_pack, "COUNT_PACK")
        call is_constant(paulimpi_count_self, "COUNT_SELF")
        call is_constant(paulimpi_count_mpi_host, "COUNT_MPI_HOST")
        call is_constant(paulimpi_count_mpi_device, "COUNT_MPI_DEVICE")
        call is_constant(paulimpi_count_bounce, "COUNT_BOUNCE")
        call is_constant(paulimpi_count_wait, "COUNT_WAIT")
        call is_constant(paulimpi_count_probe, "COUNT_PROBE")
    end subroutine check_constants
end program layout_exchange
