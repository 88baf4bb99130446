! SPDX-License-Identifier: BSD-3-Clause
!
! Devices, as they are on every machine.
program device
    use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_loc, c_null_ptr, c_ptr, &
        c_sizeof
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use paulimpi
    use tap, only: tap_done, tap_is_int, tap_ok
    implicit none

    call check_devices()
    call check_staging()
    call check_memory()
    call check_streams()
    call check_ipc()
    call tap_done()

contains

    subroutine check_devices()
        character(:), allocatable :: text
        type(paulimpi_device_uuid) :: uuid
        integer(int64) :: free, total
        integer :: count, ierror

        count = -1
        call paulimpi_device_count(count, ierror)
        call tap_is_int(ierror, paulimpi_success, "devices are counted")
        call tap_ok(count >= 0, "there are none or some")
        call paulimpi_device_describe(text, ierror)
        call tap_is_int(ierror, paulimpi_success, "and described")
        call tap_ok((index(text, "no GPU: ") == 1) .eqv. (count == 0), "with the reason for none")
        call tap_ok((paulimpi_device_current() == -1) .eqv. (count == 0), "or the current one")
        call paulimpi_device_select(count, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "one too many cannot be selected")
        call paulimpi_device_identify(count, uuid, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "nor identified")
        call tap_ok(all(uuid%byte == 0), "and no bytes are told")
        call paulimpi_device_memory(count, free, total, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "nor has it memory")
        call paulimpi_device_wait(count, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "nor is it waited for")
        call paulimpi_device_wait(paulimpi_device_current(), ierror)
        call tap_is_int(ierror, paulimpi_success, "the current one is")
    end subroutine check_devices

    subroutine check_staging()
        integer(int64) :: bytes, limit, freed
        integer :: ierror

        call paulimpi_staging_set_limit(1000000_int64, ierror)
        call tap_is_int(ierror, paulimpi_success, "staging memory has a limit")
        call paulimpi_staging_memory(bytes, limit, ierror)
        call tap_ok(ierror == paulimpi_success .and. bytes == 0 .and. limit == 1000000, &
            "which is told")
        call paulimpi_staging_set_limit(-1_int64, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "a negative one is refused")
        call paulimpi_staging_set_limit(paulimpi_unlimited)
        call paulimpi_staging_trim(freed)
        call tap_ok(freed == 0, "there was nothing to free")
        call paulimpi_staging_trim()
    end subroutine check_staging

    subroutine check_memory()
        real(real64), target :: a(6, 4)
        real(real64), pointer :: b(:, :)
        type(paulimpi_memory) :: memory
        type(c_ptr) :: pinned
        integer :: i, j, ierror

        call paulimpi_memory_describe(c_loc(a), memory, ierror)
        call tap_is_int(ierror, paulimpi_success, "any pointer is described")
        call tap_is_int(memory%kind, paulimpi_memory_host, "an array is the host's")
        call tap_is_int(memory%device, -1, "and no device's")
        call paulimpi_memory_create(paulimpi_memory_pinned, c_sizeof(a), pinned, ierror)
        call tap_is_int(ierror, paulimpi_success, "pinned memory is made")
        call c_f_pointer(pinned, b, [6, 4])
        a = reshape([(real(i, real64), i=1, 24)], [6, 4])
        b = 0
        call paulimpi_memory_copy(pinned, c_loc(a), c_sizeof(a), c_null_ptr, ierror)
        call tap_is_int(ierror, paulimpi_success, "bytes are copied")
        call tap_ok(all(abs(b - a) <= 0), "all of them")
        b = 0
        call paulimpi_memory_copy_rows(c_loc(b(1, 1)), 48_paulimpi_index, c_loc(a(2, 1)), &
            48_paulimpi_index, 16_paulimpi_index, 3_paulimpi_index, c_null_ptr, ierror)
        call tap_is_int(ierror, paulimpi_success, "rows are copied")
        call tap_ok(all(abs([((b(i, j) - a(i + 1, j), i=1, 2), j=1, 3)]) <= 0), &
            "each where it goes")
        call tap_ok(.not. (any(abs(b(3:, :)) > 0) .or. abs(b(1, 4)) > 0), "and no other")
        call paulimpi_memory_destroy(pinned)
        call tap_ok(.not. c_associated(pinned), "memory is freed")
        call paulimpi_memory_destroy(pinned)
        call paulimpi_memory_create(99, 8_paulimpi_index, pinned, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "memory of no kind is refused")
    end subroutine check_memory

    subroutine check_streams()
        type(c_ptr) :: stream, event
        logical :: done
        integer :: ierror

        call paulimpi_stream_create(stream, ierror)
        call tap_is_int(ierror, paulimpi_success, "a stream is made")
        call paulimpi_event_create(event, ierror)
        call tap_is_int(ierror, paulimpi_success, "and an event")
        call paulimpi_event_record(event, stream, ierror)
        call tap_is_int(ierror, paulimpi_success, "which is recorded")
        call paulimpi_stream_wait_event(stream, event, ierror)
        call tap_is_int(ierror, paulimpi_success, "a stream waits for it")
        call paulimpi_event_wait(event, ierror)
        call tap_is_int(ierror, paulimpi_success, "and so do we")
        call paulimpi_event_test(event, done, ierror)
        call tap_ok(ierror == paulimpi_success .and. done, "then it is done")
        call paulimpi_stream_wait(stream, ierror)
        call tap_is_int(ierror, paulimpi_success, "a stream is waited for")
        call paulimpi_event_destroy(event)
        call paulimpi_stream_destroy(stream)
        call tap_ok(.not. (c_associated(event) .or. c_associated(stream)), "both end")
    end subroutine check_streams

    subroutine check_ipc()
        integer, target :: here
        type(paulimpi_ipc_handle) :: handle
        type(c_ptr) :: pointer
        integer :: ierror

        call paulimpi_ipc_export(c_loc(here), handle, ierror)
        call tap_ok(ierror == paulimpi_err_argument .or. ierror == paulimpi_err_unsupported, &
            "memory of the host is not exported")
        call paulimpi_ipc_open(handle, pointer, ierror)
        call tap_ok(ierror == paulimpi_err_argument .or. ierror == paulimpi_err_unsupported, &
            "no handle is not opened")
        call tap_ok(.not. c_associated(pointer), "and gives no address")
        pointer = c_loc(here)
        call paulimpi_ipc_close(pointer, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "what was not opened is not closed")
        call paulimpi_ipc_remember(c_loc(here), c_sizeof(here), ierror)
        call tap_is_int(ierror, paulimpi_success, "memory of others is remembered")
        call paulimpi_ipc_forget(c_loc(here), ierror)
        call tap_is_int(ierror, paulimpi_success, "and forgotten")
        call paulimpi_ipc_forget(c_loc(here), ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "once")
    end subroutine check_ipc
end program device
