! SPDX-License-Identifier: BSD-3-Clause
!
! libpaulimpi: everything, by one use statement.
!
! Objects are of the types paulimpi_context, paulimpi_pauli, paulimpi_sum and
! paulimpi_circuit. Each holds a handle of C:
!
! * A procedure that makes an object (create, and read, parse and kicked_ising
!   of a circuit) first frees what was there; one that fails leaves nothing.
! * b = a makes a second string, sum or circuit; of a context it makes a second
!   handle, and the context is given up with the last of them.
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
    use paulimpi_circuit_m, only: heavy_hex_127, paulimpi_circuit
    use paulimpi_context_m, only: paulimpi_context, paulimpi_context_options, &
        paulimpi_placement
    use paulimpi_kinds, only: paulimpi_index, paulimpi_int, paulimpi_real
    use paulimpi_pauli_m, only: paulimpi_label_dense, paulimpi_label_sparse, paulimpi_pauli, &
        paulimpi_pauli_words
    use paulimpi_propagate_m, only: paulimpi_engine_automatic, paulimpi_engine_in_place, &
        paulimpi_engine_orbit, paulimpi_engine_tile, paulimpi_heisenberg, paulimpi_progress, &
        paulimpi_propagation_layer, paulimpi_propagation_options, &
        paulimpi_propagation_progress, paulimpi_propagation_report, paulimpi_schroedinger, &
        paulimpi_truncation
    use paulimpi_random_m, only: paulimpi_random_normal, paulimpi_random_uniform
    use paulimpi_status_m, only: paulimpi_automatic, paulimpi_err_argument, &
        paulimpi_err_cancelled, paulimpi_err_internal, paulimpi_err_io, paulimpi_err_memory, &
        paulimpi_err_mismatch, paulimpi_err_mpi, paulimpi_err_range, paulimpi_err_remote, &
        paulimpi_err_state, paulimpi_err_syntax, paulimpi_err_unsupported, &
        paulimpi_err_version, paulimpi_error_name, paulimpi_last_error, paulimpi_strerror, &
        paulimpi_success, paulimpi_unlimited
    use paulimpi_sum_m, only: paulimpi_sum, paulimpi_sum_position
    use paulimpi_version_m, only: paulimpi_info, paulimpi_version
    implicit none
    public
end module paulimpi
