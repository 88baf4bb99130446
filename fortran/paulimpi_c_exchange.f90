! SPDX-License-Identifier: BSD-3-Clause
!
! The structs and functions of the headers of the modules device and exchange,
! and of launch.h, as paulimpi_c has those of the others. Not for users.
module paulimpi_c_exchange
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_null_ptr, c_ptr, &
        c_signed_char, c_size_t
    implicit none
    public

    !> Which device it is, in all processes of a node.
    type, bind(c) :: paulimpi_device_uuid
        integer(c_signed_char) :: byte(16) = 0
    end type paulimpi_device_uuid

    !> What is known of a pointer.
    type, bind(c) :: paulimpi_memory
        integer(c_size_t) :: size = 0
        integer(c_int) :: kind = 0
        integer(c_int) :: device = -1
        type(c_ptr) :: base = c_null_ptr
        integer(c_size_t) :: bytes = 0
        integer(c_int64_t) :: number = 0
    end type paulimpi_memory

    !> Memory of another process.
    type, bind(c) :: paulimpi_ipc_handle
        integer(c_signed_char) :: byte(128) = 0
    end type paulimpi_ipc_handle

    !> What a message is read from or written to.
    type, bind(c) :: paulimpi_region
        type(c_ptr) :: base = c_null_ptr
        integer(c_size_t) :: element = 1
        integer(c_int) :: dimensions = 1
        integer(c_int64_t) :: extent(4) = [0, 1, 1, 1]
        integer(c_int64_t) :: stride(4) = [1, 0, 0, 0]
    end type paulimpi_region

    !> A message to a rank or from one.
    type, bind(c) :: paulimpi_message
        type(paulimpi_region) :: region
        integer(c_int) :: peer = -1001
        integer(c_int) :: tag = 0
    end type paulimpi_message

    !> What became of a receive.
    type, bind(c) :: paulimpi_arrival
        integer(c_int) :: peer = -1001
        integer(c_int) :: tag = 0
        integer(c_int64_t) :: bytes = 0
    end type paulimpi_arrival

    !> How an exchange should be.
    type, bind(c) :: paulimpi_exchange_options
        integer(c_size_t) :: size = 0
        type(c_ptr) :: after_stream = c_null_ptr
        type(c_ptr) :: after_event = c_null_ptr
        integer(c_int) :: after_default_stream = 0
        type(c_ptr) :: before_stream = c_null_ptr
        type(c_ptr) :: arrivals = c_null_ptr
        real(c_double) :: timeout = 0
        integer(c_int) :: join = 0
    end type paulimpi_exchange_options

    !> What the counters of all ranks have.
    type, bind(c) :: paulimpi_count_of_ranks
        integer(c_size_t) :: size = 0
        integer(c_int64_t) :: least_events = 0
        integer(c_int64_t) :: most_events = 0
        integer(c_int64_t) :: all_events = 0
        integer(c_int64_t) :: least_bytes = 0
        integer(c_int64_t) :: most_bytes = 0
        integer(c_int64_t) :: all_bytes = 0
    end type paulimpi_count_of_ranks

    ! launch.h
    interface
        type(c_ptr) function c_launcher(variable) bind(c, name="paulimpi_launcher")
            import
            type(c_ptr), intent(out) :: variable
        end function c_launcher

        integer(c_int) function c_local_rank(rank, source) bind(c, name="paulimpi_local_rank")
            import
            integer(c_int), intent(out) :: rank
            type(c_ptr), intent(out) :: source
        end function c_local_rank

        integer(c_int) function c_local_size(size, source) bind(c, name="paulimpi_local_size")
            import
            integer(c_int), intent(out) :: size
            type(c_ptr), intent(out) :: source
        end function c_local_size

        integer(c_int) function c_device_bind(device) bind(c, name="paulimpi_device_bind")
            import
            integer(c_int), intent(out) :: device
        end function c_device_bind

        integer(c_int) function c_device_bind_by(policy, device) &
            bind(c, name="paulimpi_device_bind_by")
            import
            integer(c_int), value :: policy
            integer(c_int), intent(out) :: device
        end function c_device_bind_by

        integer(c_int) function c_device_report(ctx, text) bind(c, name="paulimpi_device_report")
            import
            type(c_ptr), value :: ctx
            type(c_ptr), intent(out) :: text
        end function c_device_report
    end interface

    ! device.h
    interface
        integer(c_int) function c_device_count(count) bind(c, name="paulimpi_device_count")
            import
            integer(c_int), intent(out) :: count
        end function c_device_count

        integer(c_int) function c_device_describe(text) bind(c, name="paulimpi_device_describe")
            import
            type(c_ptr), intent(out) :: text
        end function c_device_describe

        integer(c_int) function c_device_select(device) bind(c, name="paulimpi_device_select")
            import
            integer(c_int), value :: device
        end function c_device_select

        integer(c_int) function c_device_current() bind(c, name="paulimpi_device_current")
            import
        end function c_device_current

        integer(c_int) function c_device_identify(device, uuid) &
            bind(c, name="paulimpi_device_identify")
            import
            integer(c_int), value :: device
            type(paulimpi_device_uuid), intent(out) :: uuid
        end function c_device_identify

        integer(c_int) function c_device_memory(device, free, total) &
            bind(c, name="paulimpi_device_memory")
            import
            integer(c_int), value :: device
            integer(c_int64_t), intent(out) :: free, total
        end function c_device_memory

        integer(c_int) function c_device_wait(device) bind(c, name="paulimpi_device_wait")
            import
            integer(c_int), value :: device
        end function c_device_wait

        integer(c_int) function c_staging_memory(bytes, limit) &
            bind(c, name="paulimpi_staging_memory")
            import
            integer(c_int64_t), intent(inout) :: bytes, limit
        end function c_staging_memory

        integer(c_int) function c_staging_set_limit(bytes) &
            bind(c, name="paulimpi_staging_set_limit")
            import
            integer(c_int64_t), value :: bytes
        end function c_staging_set_limit

        integer(c_int64_t) function c_staging_trim() bind(c, name="paulimpi_staging_trim")
            import
        end function c_staging_trim

        integer(c_int) function c_memory_describe(pointer, memory) &
            bind(c, name="paulimpi_memory_describe")
            import
            type(c_ptr), value :: pointer
            type(paulimpi_memory), intent(inout) :: memory
        end function c_memory_describe

        integer(c_int) function c_memory_create(kind, bytes, memory) &
            bind(c, name="paulimpi_memory_create")
            import
            integer(c_int), value :: kind
            integer(c_size_t), value :: bytes
            type(c_ptr), intent(out) :: memory
        end function c_memory_create

        subroutine c_memory_destroy(memory) bind(c, name="paulimpi_memory_destroy")
            import
            type(c_ptr), intent(inout) :: memory
        end subroutine c_memory_destroy

        integer(c_int) function c_memory_copy(to, from, bytes, stream) &
            bind(c, name="paulimpi_memory_copy")
            import
            type(c_ptr), value :: to, from, stream
            integer(c_size_t), value :: bytes
        end function c_memory_copy

        integer(c_int) function c_memory_copy_rows( &
            to, to_pitch, from, from_pitch, width, rows, stream) &
            bind(c, name="paulimpi_memory_copy_rows")
            import
            type(c_ptr), value :: to, from, stream
            integer(c_size_t), value :: to_pitch, from_pitch, width, rows
        end function c_memory_copy_rows

        integer(c_int) function c_stream_create(stream) bind(c, name="paulimpi_stream_create")
            import
            type(c_ptr), intent(out) :: stream
        end function c_stream_create

        subroutine c_stream_destroy(stream) bind(c, name="paulimpi_stream_destroy")
            import
            type(c_ptr), intent(inout) :: stream
        end subroutine c_stream_destroy

        integer(c_int) function c_stream_wait(stream) bind(c, name="paulimpi_stream_wait")
            import
            type(c_ptr), value :: stream
        end function c_stream_wait

        integer(c_int) function c_stream_wait_event(stream, event) &
            bind(c, name="paulimpi_stream_wait_event")
            import
            type(c_ptr), value :: stream, event
        end function c_stream_wait_event

        integer(c_int) function c_event_create(event) bind(c, name="paulimpi_event_create")
            import
            type(c_ptr), intent(out) :: event
        end function c_event_create

        subroutine c_event_destroy(event) bind(c, name="paulimpi_event_destroy")
            import
            type(c_ptr), intent(inout) :: event
        end subroutine c_event_destroy

        integer(c_int) function c_event_record(event, stream) bind(c, name="paulimpi_event_record")
            import
            type(c_ptr), value :: event, stream
        end function c_event_record

        integer(c_int) function c_event_test(event, done) bind(c, name="paulimpi_event_test")
            import
            type(c_ptr), value :: event
            integer(c_int), intent(out) :: done
        end function c_event_test

        integer(c_int) function c_event_wait(event) bind(c, name="paulimpi_event_wait")
            import
            type(c_ptr), value :: event
        end function c_event_wait

        integer(c_int) function c_ipc_export(pointer, handle) bind(c, name="paulimpi_ipc_export")
            import
            type(c_ptr), value :: pointer
            type(paulimpi_ipc_handle), intent(out) :: handle
        end function c_ipc_export

        integer(c_int) function c_ipc_open(handle, pointer) bind(c, name="paulimpi_ipc_open")
            import
            type(paulimpi_ipc_handle), intent(in) :: handle
            type(c_ptr), intent(out) :: pointer
        end function c_ipc_open

        integer(c_int) function c_ipc_close(pointer) bind(c, name="paulimpi_ipc_close")
            import
            type(c_ptr), intent(inout) :: pointer
        end function c_ipc_close

        integer(c_int) function c_ipc_remember(base, bytes) bind(c, name="paulimpi_ipc_remember")
            import
            type(c_ptr), value :: base
            integer(c_size_t), value :: bytes
        end function c_ipc_remember

        integer(c_int) function c_ipc_forget(base) bind(c, name="paulimpi_ipc_forget")
            import
            type(c_ptr), value :: base
        end function c_ipc_forget
    end interface

    ! aware.h
    interface
        integer(c_int) function c_aware(ctx, kind, operation, state, reason) &
            bind(c, name="paulimpi_aware")
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: kind, operation
            integer(c_int), intent(out) :: state
            type(c_ptr), intent(out) :: reason
        end function c_aware

        integer(c_int) function c_aware_set(ctx, kind, operation, state) &
            bind(c, name="paulimpi_aware_set")
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: kind, operation, state
        end function c_aware_set

        integer(c_int) function c_aware_probe(ctx) bind(c, name="paulimpi_aware_probe")
            import
            type(c_ptr), value :: ctx
        end function c_aware_probe

        integer(c_int) function c_aware_require(ctx) bind(c, name="paulimpi_aware_require")
            import
            type(c_ptr), value :: ctx
        end function c_aware_require

        integer(c_int) function c_aware_describe(ctx, text) bind(c, name="paulimpi_aware_describe")
            import
            type(c_ptr), value :: ctx
            type(c_ptr), intent(out) :: text
        end function c_aware_describe
    end interface

    ! exchange.h: regions
    interface
        type(paulimpi_region) function c_region_1d(base, bytes) bind(c, name="paulimpi_region_1d")
            import
            type(c_ptr), value :: base
            integer(c_size_t), value :: bytes
        end function c_region_1d

        type(paulimpi_region) function c_region_2d(base, row_bytes, rows, pitch) &
            bind(c, name="paulimpi_region_2d")
            import
            type(c_ptr), value :: base
            integer(c_size_t), value :: row_bytes
            integer(c_int64_t), value :: rows, pitch
        end function c_region_2d

        integer(c_int) function c_region_strided( &
            base, element, dimensions, extent, stride, region) &
            bind(c, name="paulimpi_region_strided")
            import
            type(c_ptr), value :: base
            integer(c_size_t), value :: element
            integer(c_int), value :: dimensions
            integer(c_int64_t), intent(in) :: extent(*), stride(*)
            type(paulimpi_region), intent(inout) :: region
        end function c_region_strided

        integer(c_int64_t) function c_region_bytes(region) bind(c, name="paulimpi_region_bytes")
            import
            type(paulimpi_region), intent(in) :: region
        end function c_region_bytes
    end interface

    ! exchange.h: messages
    interface
        integer(c_int) function c_exchange(ctx, n_sends, sends, n_receives, receives, options) &
            bind(c, name="paulimpi_exchange")
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: n_sends, n_receives
            type(paulimpi_message), intent(in) :: sends(*), receives(*)
            type(paulimpi_exchange_options), intent(in) :: options
        end function c_exchange

        integer(c_int) function c_exchange_explain( &
            ctx, n_sends, sends, n_receives, receives, text) &
            bind(c, name="paulimpi_exchange_explain")
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: n_sends, n_receives
            type(paulimpi_message), intent(in) :: sends(*), receives(*)
            type(c_ptr), intent(out) :: text
        end function c_exchange_explain

        integer(c_int) function c_plan_create( &
            ctx, n_sends, sends, n_receives, receives, options, plan) &
            bind(c, name="paulimpi_plan_create")
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: n_sends, n_receives
            type(paulimpi_message), intent(in) :: sends(*), receives(*)
            type(paulimpi_exchange_options), intent(in) :: options
            type(c_ptr), intent(out) :: plan
        end function c_plan_create

        integer(c_int) function c_plan_start(plan, options) bind(c, name="paulimpi_plan_start")
            import
            type(c_ptr), value :: plan, options
        end function c_plan_start

        integer(c_int) function c_plan_test(plan, done) bind(c, name="paulimpi_plan_test")
            import
            type(c_ptr), value :: plan
            integer(c_int), intent(out) :: done
        end function c_plan_test

        integer(c_int) function c_plan_wait(plan) bind(c, name="paulimpi_plan_wait")
            import
            type(c_ptr), value :: plan
        end function c_plan_wait

        subroutine c_plan_destroy(plan) bind(c, name="paulimpi_plan_destroy")
            import
            type(c_ptr), intent(inout) :: plan
        end subroutine c_plan_destroy

        integer(c_int) function c_plan_explain(plan, text) bind(c, name="paulimpi_plan_explain")
            import
            type(c_ptr), value :: plan
            type(c_ptr), intent(out) :: text
        end function c_plan_explain

        integer(c_int) function c_buffer_acquire(ctx, region, use, options, buffer, address) &
            bind(c, name="paulimpi_buffer_acquire")
            import
            type(c_ptr), value :: ctx
            type(paulimpi_region), intent(in) :: region
            integer(c_int), value :: use
            type(paulimpi_exchange_options), intent(in) :: options
            type(c_ptr), intent(out) :: buffer, address
        end function c_buffer_acquire

        integer(c_int) function c_buffer_release(buffer, commit) &
            bind(c, name="paulimpi_buffer_release")
            import
            type(c_ptr), intent(inout) :: buffer
            integer(c_int), value :: commit
        end function c_buffer_release
    end interface

    ! account.h
    interface
        type(c_ptr) function c_count_name(kind) bind(c, name="paulimpi_count_name")
            import
            integer(c_int), value :: kind
        end function c_count_name

        integer(c_int) function c_phase_begin(name) bind(c, name="paulimpi_phase_begin")
            import
            character(kind=c_char), intent(in) :: name(*)
        end function c_phase_begin

        integer(c_int) function c_phase_end() bind(c, name="paulimpi_phase_end")
            import
        end function c_phase_end

        integer(c_int) function c_counter_create(label, counter) &
            bind(c, name="paulimpi_counter_create")
            import
            character(kind=c_char), intent(in) :: label(*)
            type(c_ptr), intent(out) :: counter
        end function c_counter_create

        subroutine c_counter_destroy(counter) bind(c, name="paulimpi_counter_destroy")
            import
            type(c_ptr), intent(inout) :: counter
        end subroutine c_counter_destroy

        integer(c_int) function c_counter_begin(counter) bind(c, name="paulimpi_counter_begin")
            import
            type(c_ptr), value :: counter
        end function c_counter_begin

        integer(c_int) function c_counter_end(counter) bind(c, name="paulimpi_counter_end")
            import
            type(c_ptr), value :: counter
        end function c_counter_end

        integer(c_int) function c_counter_reset(counter) bind(c, name="paulimpi_counter_reset")
            import
            type(c_ptr), value :: counter
        end function c_counter_reset

        integer(c_int) function c_counter_get(counter, phase, kind, events, bytes) &
            bind(c, name="paulimpi_counter_get")
            import
            type(c_ptr), value :: counter, phase
            integer(c_int), value :: kind
            integer(c_int64_t), intent(out) :: events, bytes
        end function c_counter_get

        integer(c_int) function c_counter_report(counter, text) &
            bind(c, name="paulimpi_counter_report")
            import
            type(c_ptr), value :: counter
            type(c_ptr), intent(out) :: text
        end function c_counter_report

        integer(c_int) function c_counter_reduce(ctx, counter, phase, kind, ranks) &
            bind(c, name="paulimpi_counter_reduce")
            import
            type(c_ptr), value :: ctx, counter, phase
            integer(c_int), value :: kind
            type(paulimpi_count_of_ranks), intent(inout) :: ranks
        end function c_counter_reduce

        integer(c_int) function c_budget_create(budget) bind(c, name="paulimpi_budget_create")
            import
            type(c_ptr), intent(out) :: budget
        end function c_budget_create

        subroutine c_budget_destroy(budget) bind(c, name="paulimpi_budget_destroy")
            import
            type(c_ptr), intent(inout) :: budget
        end subroutine c_budget_destroy

        integer(c_int) function c_budget_allow( &
            budget, phase, kind, most_events, most_bytes_each, most_bytes) &
            bind(c, name="paulimpi_budget_allow")
            import
            type(c_ptr), value :: budget, phase
            integer(c_int), value :: kind
            integer(c_int64_t), value :: most_events, most_bytes_each, most_bytes
        end function c_budget_allow

        integer(c_int) function c_budget_check(budget, counter, ctx) &
            bind(c, name="paulimpi_budget_check")
            import
            type(c_ptr), value :: budget, counter, ctx
        end function c_budget_check
    end interface
end module paulimpi_c_exchange
