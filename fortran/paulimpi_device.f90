! SPDX-License-Identifier: BSD-3-Clause
!
! Devices: GPUs, kinds of memory, copies, streams and events; the procedures of
! C by their names. Addresses, streams and events are of type(c_ptr); counts of
! bytes are integers of kind paulimpi_index.
!
! Everything works without a GPU: then there are 0 devices, all memory is the
! host's, and what is asked of a stream is done at once. All is local.
module paulimpi_device_m
    use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_size_t, c_sizeof
    use paulimpi_c_exchange, only: c_device_count, c_device_current, c_device_describe, &
        c_device_identify, c_device_memory, c_device_select, c_device_wait, c_event_create, &
        c_event_destroy, c_event_record, c_event_test, c_event_wait, c_ipc_close, c_ipc_export, &
        c_ipc_forget, c_ipc_open, c_ipc_remember, c_memory_copy, c_memory_copy_rows, &
        c_memory_create, c_memory_describe, c_memory_destroy, c_staging_memory, &
        c_staging_set_limit, c_staging_trim, c_stream_create, c_stream_destroy, c_stream_wait, &
        c_stream_wait_event, paulimpi_device_uuid, paulimpi_ipc_handle, paulimpi_memory
    use paulimpi_kinds, only: paulimpi_index, paulimpi_int
    use paulimpi_support, only: report, take_text
    implicit none
    private
    public :: paulimpi_device_count, paulimpi_device_current, paulimpi_device_describe, &
        paulimpi_device_identify, paulimpi_device_memory, paulimpi_device_select, &
        paulimpi_device_uuid, paulimpi_device_wait
    public :: paulimpi_staging_memory, paulimpi_staging_set_limit, paulimpi_staging_trim
    public :: paulimpi_memory, paulimpi_memory_copy, paulimpi_memory_copy_rows, &
        paulimpi_memory_create, paulimpi_memory_describe, paulimpi_memory_destroy
    public :: paulimpi_stream_create, paulimpi_stream_destroy, paulimpi_stream_wait, &
        paulimpi_stream_wait_event
    public :: paulimpi_event_create, paulimpi_event_destroy, paulimpi_event_record, &
        paulimpi_event_test, paulimpi_event_wait
    public :: paulimpi_ipc_close, paulimpi_ipc_export, paulimpi_ipc_forget, paulimpi_ipc_handle, &
        paulimpi_ipc_open, paulimpi_ipc_remember

    !> What a pointer points to.
    integer(paulimpi_int), parameter, public :: paulimpi_memory_host = 0
    integer(paulimpi_int), parameter, public :: paulimpi_memory_pinned = 1
    integer(paulimpi_int), parameter, public :: paulimpi_memory_managed = 2
    integer(paulimpi_int), parameter, public :: paulimpi_memory_device = 3
    integer(paulimpi_int), parameter, public :: paulimpi_memory_pool = 4
    integer(paulimpi_int), parameter, public :: paulimpi_memory_virtual = 5
    integer(paulimpi_int), parameter, public :: paulimpi_memory_imported = 6

contains

    !> Count the devices that this process can use.
    subroutine paulimpi_device_count(count, ierror)
        integer, intent(out) :: count
        integer, optional, intent(out) :: ierror

        count = 0
        call report(c_device_count(count), ierror)
    end subroutine paulimpi_device_count

    !> Tell in one line what there is, or why there is nothing.
    subroutine paulimpi_device_describe(text, ierror)
        character(:), allocatable, intent(out) :: text
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: c_copy
        integer(c_int) :: code

        code = c_device_describe(c_copy)
        if (code == 0) call take_text(c_copy, text)
        call report(code, ierror)
    end subroutine paulimpi_device_describe

    !> Make a device, from 0 up, the calling thread's current one.
    subroutine paulimpi_device_select(device, ierror)
        integer, intent(in) :: device
        integer, optional, intent(out) :: ierror

        call report(c_device_select(device), ierror)
    end subroutine paulimpi_device_select

    !> The calling thread's current device, -1 where there is none.
    integer function paulimpi_device_current()
        paulimpi_device_current = c_device_current()
    end function paulimpi_device_current

    !> Tell which device has a number.
    subroutine paulimpi_device_identify(device, uuid, ierror)
        integer, intent(in) :: device
        type(paulimpi_device_uuid), intent(out) :: uuid
        integer, optional, intent(out) :: ierror

        call report(c_device_identify(device, uuid), ierror)
    end subroutine paulimpi_device_identify

    !> Tell how many bytes a device has, and how many of them are free.
    subroutine paulimpi_device_memory(device, free, total, ierror)
        integer, intent(in) :: device
        integer(paulimpi_index), intent(out) :: free, total
        integer, optional, intent(out) :: ierror

        free = 0
        total = 0
        call report(c_device_memory(device, free, total), ierror)
    end subroutine paulimpi_device_memory

    !> Wait until all that was asked of a device is done; -1 is none.
    subroutine paulimpi_device_wait(device, ierror)
        integer, intent(in) :: device
        integer, optional, intent(out) :: ierror

        call report(c_device_wait(device), ierror)
    end subroutine paulimpi_device_wait

    !> Tell how many bytes the pool of memory that copies pass through has, and
    !> may have.
    subroutine paulimpi_staging_memory(bytes, limit, ierror)
        integer(paulimpi_index), intent(out) :: bytes, limit
        integer, optional, intent(out) :: ierror

        bytes = 0
        limit = 0
        call report(c_staging_memory(bytes, limit), ierror)
    end subroutine paulimpi_staging_memory

    !> Limit the bytes of that pool; paulimpi_unlimited is no limit.
    subroutine paulimpi_staging_set_limit(bytes, ierror)
        integer(paulimpi_index), intent(in) :: bytes
        integer, optional, intent(out) :: ierror

        call report(c_staging_set_limit(bytes), ierror)
    end subroutine paulimpi_staging_set_limit

    !> Free what that pool has and nobody uses; freed is set to the bytes.
    subroutine paulimpi_staging_trim(freed)
        integer(paulimpi_index), optional, intent(out) :: freed
        integer(paulimpi_index) :: bytes

        bytes = c_staging_trim()
        if (present(freed)) freed = bytes
    end subroutine paulimpi_staging_trim

    !> Tell what a pointer points to; any address is fine.
    subroutine paulimpi_memory_describe(pointer, memory, ierror)
        type(c_ptr), intent(in) :: pointer
        type(paulimpi_memory), intent(out) :: memory
        integer, optional, intent(out) :: ierror

        memory%size = c_sizeof(memory)
        call report(c_memory_describe(pointer, memory), ierror)
    end subroutine paulimpi_memory_describe

    !> Allocate memory of a kind: paulimpi_memory_host, pinned, managed, device
    !> or pool. Where there is no device all give ordinary memory.
    subroutine paulimpi_memory_create(kind, bytes, memory, ierror)
        integer, intent(in) :: kind
        integer(paulimpi_index), intent(in) :: bytes
        type(c_ptr), intent(out) :: memory
        integer, optional, intent(out) :: ierror

        call report(c_memory_create(kind, int(bytes, c_size_t), memory), ierror)
    end subroutine paulimpi_memory_create

    !> Free what paulimpi_memory_create gave; c_null_ptr is fine.
    subroutine paulimpi_memory_destroy(memory)
        type(c_ptr), intent(inout) :: memory

        call c_memory_destroy(memory)
    end subroutine paulimpi_memory_destroy

    !> Copy bytes between memory of any kinds, in turn on a stream.
    subroutine paulimpi_memory_copy(to, from, bytes, stream, ierror)
        type(c_ptr), intent(in) :: to, from, stream
        integer(paulimpi_index), intent(in) :: bytes
        integer, optional, intent(out) :: ierror

        call report(c_memory_copy(to, from, int(bytes, c_size_t), stream), ierror)
    end subroutine paulimpi_memory_copy

    !> Copy rows of width bytes, the pitches from row to row.
    subroutine paulimpi_memory_copy_rows(to, to_pitch, from, from_pitch, width, rows, stream, &
        ierror)
        type(c_ptr), intent(in) :: to, from, stream
        integer(paulimpi_index), intent(in) :: to_pitch, from_pitch, width, rows
        integer, optional, intent(out) :: ierror

        call report(c_memory_copy_rows(to, int(to_pitch, c_size_t), from, &
            int(from_pitch, c_size_t), int(width, c_size_t), int(rows, c_size_t), stream), ierror)
    end subroutine paulimpi_memory_copy_rows

    !> Make a stream on the current device.
    subroutine paulimpi_stream_create(stream, ierror)
        type(c_ptr), intent(out) :: stream
        integer, optional, intent(out) :: ierror

        call report(c_stream_create(stream), ierror)
    end subroutine paulimpi_stream_create

    !> Wait for all work in a stream and end it; c_null_ptr is fine.
    subroutine paulimpi_stream_destroy(stream)
        type(c_ptr), intent(inout) :: stream

        call c_stream_destroy(stream)
    end subroutine paulimpi_stream_destroy

    !> Wait until all that was asked of a stream is done.
    subroutine paulimpi_stream_wait(stream, ierror)
        type(c_ptr), intent(in) :: stream
        integer, optional, intent(out) :: ierror

        call report(c_stream_wait(stream), ierror)
    end subroutine paulimpi_stream_wait

    !> Let all later work in a stream wait for an event.
    subroutine paulimpi_stream_wait_event(stream, event, ierror)
        type(c_ptr), intent(in) :: stream, event
        integer, optional, intent(out) :: ierror

        call report(c_stream_wait_event(stream, event), ierror)
    end subroutine paulimpi_stream_wait_event

    !> Make an event, which is done until it is recorded.
    subroutine paulimpi_event_create(event, ierror)
        type(c_ptr), intent(out) :: event
        integer, optional, intent(out) :: ierror

        call report(c_event_create(event), ierror)
    end subroutine paulimpi_event_create

    !> Forget an event; c_null_ptr is fine.
    subroutine paulimpi_event_destroy(event)
        type(c_ptr), intent(inout) :: event

        call c_event_destroy(event)
    end subroutine paulimpi_event_destroy

    !> Mark with an event what has been asked of a stream so far.
    subroutine paulimpi_event_record(event, stream, ierror)
        type(c_ptr), intent(in) :: event, stream
        integer, optional, intent(out) :: ierror

        call report(c_event_record(event, stream), ierror)
    end subroutine paulimpi_event_record

    !> Ask whether what an event marks is done.
    subroutine paulimpi_event_test(event, done, ierror)
        type(c_ptr), intent(in) :: event
        logical, intent(out) :: done
        integer, optional, intent(out) :: ierror
        integer(c_int) :: answer, code

        answer = 0
        code = c_event_test(event, answer)
        done = answer /= 0
        call report(code, ierror)
    end subroutine paulimpi_event_test

    !> Wait until what an event marks is done.
    subroutine paulimpi_event_wait(event, ierror)
        type(c_ptr), intent(in) :: event
        integer, optional, intent(out) :: ierror

        call report(c_event_wait(event), ierror)
    end subroutine paulimpi_event_wait

    !> Export memory of a device to other processes of the node.
    subroutine paulimpi_ipc_export(pointer, handle, ierror)
        type(c_ptr), intent(in) :: pointer
        type(paulimpi_ipc_handle), intent(out) :: handle
        integer, optional, intent(out) :: ierror

        call report(c_ipc_export(pointer, handle), ierror)
    end subroutine paulimpi_ipc_export

    !> Open memory that another process exported, on the current device.
    subroutine paulimpi_ipc_open(handle, pointer, ierror)
        type(paulimpi_ipc_handle), intent(in) :: handle
        type(c_ptr), intent(out) :: pointer
        integer, optional, intent(out) :: ierror

        call report(c_ipc_open(handle, pointer), ierror)
    end subroutine paulimpi_ipc_open

    !> Close what paulimpi_ipc_open opened.
    subroutine paulimpi_ipc_close(pointer, ierror)
        type(c_ptr), intent(inout) :: pointer
        integer, optional, intent(out) :: ierror

        call report(c_ipc_close(pointer), ierror)
    end subroutine paulimpi_ipc_close

    !> Tell of memory that the program itself opened by CUDA.
    subroutine paulimpi_ipc_remember(base, bytes, ierror)
        type(c_ptr), intent(in) :: base
        integer(paulimpi_index), intent(in) :: bytes
        integer, optional, intent(out) :: ierror

        call report(c_ipc_remember(base, int(bytes, c_size_t)), ierror)
    end subroutine paulimpi_ipc_remember

    !> Take paulimpi_ipc_remember back.
    subroutine paulimpi_ipc_forget(base, ierror)
        type(c_ptr), intent(in) :: base
        integer, optional, intent(out) :: ierror

        call report(c_ipc_forget(base), ierror)
    end subroutine paulimpi_ipc_forget
end module paulimpi_device_m
