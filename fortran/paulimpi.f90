! SPDX-License-Identifier: BSD-3-Clause
!
! libpaulimpi: everything, by one use statement.
!
! Objects are of the types paulimpi_context, paulimpi_segment, paulimpi_pauli,
! paulimpi_sum, paulimpi_circuit, paulimpi_plan and paulimpi_buffer, paulimpi_counter and
! paulimpi_budget. Each holds a handle of C:
!
! * A procedure that makes an object (create, and read, parse and kicked_ising
!   of a circuit) first frees what was there; one that fails leaves nothing.
! * b = a makes a second string, sum or circuit; of a context or segment it makes
!   a second handle, and the object is given up with the last of them. Plans, buffers,
!   counters and budgets are not copied: that stops the program.
! * An object ends when it goes out of scope. Variables of modules and of the
!   main program are never finalised: call destroy for those.
! * Two things copy a handle unseen, so that it would be freed twice, and must
!   be avoided: allocate(b, source=a), and the intrinsic assignment of a type
!   with an object as a component, which gfortran 12 gets wrong. Write
!   allocate(b) and b = a, and define the assignment of such types.
! * A procedure given a handle without an object answers
!   paulimpi_err_argument.
!
! Counts of terms, gates and bytes are integer(paulimpi_index), which is int64;
! coefficients and angles real(paulimpi_real), which is real64; qubits, ranks,
! options and codes are default integers. Numbers of qubits may be of either
! kind. Qubits are counted from 0, as everywhere in the library.
!
! Procedures that can fail have an optional last argument ierror. Present, it
! gets paulimpi_success or a negative code. Absent, a failure prints the
! sentence of paulimpi_last_error to standard error and ends the job.
module paulimpi
    use paulimpi_account_m, only: paulimpi_budget, paulimpi_count_any, paulimpi_count_bounce, &
        paulimpi_count_mpi_device, paulimpi_count_mpi_host, paulimpi_count_name, &
        paulimpi_count_of_ranks, paulimpi_count_on_device, paulimpi_count_pack, &
        paulimpi_count_probe, paulimpi_count_self, paulimpi_count_to_device, &
        paulimpi_count_to_host, paulimpi_count_wait, paulimpi_counter, paulimpi_phase_begin, &
        paulimpi_phase_end
    ! message and paulimpi_region_of, where the compiler has type(*).
    use paulimpi_array_m
    use paulimpi_aware_m, only: paulimpi_aware, paulimpi_aware_all, paulimpi_aware_describe, &
        paulimpi_aware_no, paulimpi_aware_probe, paulimpi_aware_require, paulimpi_aware_set, &
        paulimpi_aware_unknown, paulimpi_aware_yes, paulimpi_operation_collective, &
        paulimpi_operation_message, paulimpi_operation_nonblocking_collective, &
        paulimpi_operation_one_sided
    use paulimpi_circuit_m, only: heavy_hex_127, paulimpi_circuit
    use paulimpi_collective_m, only: paulimpi_allgather, paulimpi_allgatherv, &
        paulimpi_allreduce, paulimpi_alltoall, paulimpi_alltoallv, paulimpi_broadcast, &
        paulimpi_reduce
    use paulimpi_context_m, only: paulimpi_context, paulimpi_context_options, &
        paulimpi_placement
    use paulimpi_device_m, only: paulimpi_device_count, paulimpi_device_current, &
        paulimpi_device_describe, paulimpi_device_identify, paulimpi_device_memory, &
        paulimpi_device_select, paulimpi_device_uuid, paulimpi_device_wait, &
        paulimpi_event_create, &
        paulimpi_event_destroy, paulimpi_event_record, paulimpi_event_test, &
        paulimpi_event_wait, paulimpi_ipc_close, paulimpi_ipc_export, paulimpi_ipc_forget, &
        paulimpi_ipc_handle, paulimpi_ipc_open, paulimpi_ipc_remember, paulimpi_memory, &
        paulimpi_memory_copy, paulimpi_memory_copy_rows, paulimpi_memory_create, &
        paulimpi_memory_describe, paulimpi_memory_destroy, paulimpi_memory_device, &
        paulimpi_memory_host, paulimpi_memory_imported, paulimpi_memory_managed, &
        paulimpi_memory_pinned, paulimpi_memory_pool, paulimpi_memory_virtual, &
        paulimpi_staging_memory, paulimpi_staging_set_limit, paulimpi_staging_trim, &
        paulimpi_stream_create, paulimpi_stream_destroy, paulimpi_stream_wait, &
        paulimpi_stream_wait_event
    use paulimpi_exchange_m, only: paulimpi_arrival, paulimpi_buffer, paulimpi_buffer_receive, &
        paulimpi_buffer_send, paulimpi_exchange, paulimpi_exchange_explain, &
        paulimpi_exchange_options, paulimpi_message, paulimpi_most_tag, paulimpi_peer_any, &
        paulimpi_peer_none, paulimpi_plan
    use paulimpi_kinds, only: paulimpi_index, paulimpi_int, paulimpi_real
    use paulimpi_launch_m, only: paulimpi_bind_automatic, paulimpi_bind_block, &
        paulimpi_bind_nearest, paulimpi_bind_none, paulimpi_bind_round_robin, &
        paulimpi_device_bind, paulimpi_device_report, paulimpi_launcher, paulimpi_local_rank, &
        paulimpi_local_size
    use paulimpi_pauli_m, only: paulimpi_label_dense, paulimpi_label_sparse, paulimpi_pauli, &
        paulimpi_pauli_words
    use paulimpi_propagate_m, only: paulimpi_engine_automatic, paulimpi_engine_in_place, &
        paulimpi_engine_orbit, paulimpi_engine_tile, paulimpi_heisenberg, paulimpi_keep_first, &
        paulimpi_keep_largest, paulimpi_keep_random, paulimpi_keep_roughly, paulimpi_progress, &
        paulimpi_propagation_layer, paulimpi_propagation_options, &
        paulimpi_propagation_progress, paulimpi_propagation_report, paulimpi_rows, &
        paulimpi_rows_blocks, paulimpi_rows_exclude, paulimpi_rows_given, &
        paulimpi_rows_planned, paulimpi_rows_random, paulimpi_schroedinger, &
        paulimpi_transport_automatic, paulimpi_transport_mpi, paulimpi_transport_segment, &
        paulimpi_truncation
    use paulimpi_random_m, only: paulimpi_random_normal, paulimpi_random_uniform
    use paulimpi_region_m, only: paulimpi_region, paulimpi_region_1d, paulimpi_region_2d, &
        paulimpi_region_bytes, paulimpi_region_strided
    use paulimpi_segment_m, only: paulimpi_segment, paulimpi_segment_options, &
        paulimpi_touch_owner, paulimpi_touch_user
    use paulimpi_status_m, only: paulimpi_automatic, paulimpi_err_argument, &
        paulimpi_err_cancelled, paulimpi_err_device, paulimpi_err_internal, paulimpi_err_io, &
        paulimpi_err_memory, paulimpi_err_mismatch, paulimpi_err_mpi, paulimpi_err_overlap, &
        paulimpi_err_range, paulimpi_err_remote, paulimpi_err_state, paulimpi_err_syntax, &
        paulimpi_err_timeout, paulimpi_err_unsupported, paulimpi_err_version, &
        paulimpi_error_name, paulimpi_last_error, paulimpi_strerror, &
        paulimpi_success, paulimpi_unlimited
    use paulimpi_sum_m, only: paulimpi_sum, paulimpi_sum_position
    use paulimpi_type_m, only: paulimpi_byte, paulimpi_complex128, paulimpi_complex64, &
        paulimpi_float32, paulimpi_float64, paulimpi_int32, paulimpi_int64, &
        paulimpi_reduce_and, paulimpi_reduce_max, paulimpi_reduce_min, paulimpi_reduce_or, &
        paulimpi_reduce_product, paulimpi_reduce_sum, paulimpi_reduce_xor, &
        paulimpi_type_bytes, paulimpi_type_name, paulimpi_uint64
    use paulimpi_version_m, only: paulimpi_info, paulimpi_version
    implicit none
    public
end module paulimpi
