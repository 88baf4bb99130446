! SPDX-License-Identifier: BSD-3-Clause
!
! Structs and constants are the same in Fortran and in C.
program layout
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_int, c_int64_t, &
        c_null_char, c_size_t, c_sizeof
    use, intrinsic :: iso_fortran_env, only: int64
    use paulimpi
    use tap, only: tap_done, tap_is_int, tap_ok
    implicit none

    interface
        integer(c_size_t) function layout_context_options(options) bind(c)
            import
            type(paulimpi_context_options), intent(out) :: options
        end function layout_context_options

        integer(c_size_t) function layout_placement(placement) bind(c)
            import
            type(paulimpi_placement), intent(out) :: placement
        end function layout_placement

        integer(c_size_t) function layout_segment_options(options) bind(c)
            import
            type(paulimpi_segment_options), intent(out) :: options
        end function layout_segment_options

        integer(c_size_t) function layout_initial_segment(options) bind(c)
            import
            type(paulimpi_segment_options), intent(out) :: options
        end function layout_initial_segment

        integer(c_size_t) function layout_truncation(truncation) bind(c)
            import
            type(paulimpi_truncation), intent(out) :: truncation
        end function layout_truncation

        integer(c_size_t) function layout_position(position) bind(c)
            import
            type(paulimpi_sum_position), intent(out) :: position
        end function layout_position

        integer(c_size_t) function layout_progress(progress) bind(c)
            import
            type(paulimpi_propagation_progress), intent(out) :: progress
        end function layout_progress

        integer(c_size_t) function layout_layer(layer) bind(c)
            import
            type(paulimpi_propagation_layer), intent(out) :: layer
        end function layout_layer

        integer(c_size_t) function layout_options(options) bind(c)
            import
            type(paulimpi_propagation_options), intent(out) :: options
        end function layout_options

        integer(c_size_t) function layout_report(report) bind(c)
            import
            type(paulimpi_propagation_report), intent(out) :: report
        end function layout_report

        integer(c_size_t) function layout_initial(context, options) bind(c)
            import
            type(paulimpi_context_options), intent(out) :: context
            type(paulimpi_propagation_options), intent(out) :: options
        end function layout_initial

        integer(c_int) function layout_constant(name, value) bind(c)
            import
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), intent(out) :: value
        end function layout_constant

        integer(c_int) function layout_edge(which, a, b) bind(c)
            import
            integer(c_int64_t), value :: which
            integer(c_int64_t), intent(out) :: a, b
        end function layout_edge
    end interface

    call check_context()
    call check_segment()
    call check_sum()
    call check_progress()
    call check_options()
    call check_report()
    call check_initial()
    call check_constants()
    call check_lattice()
    call tap_done()

contains

    ! Members that C numbered from 1.
    subroutine are_numbered(members, fact)
        integer(int64), intent(in) :: members(:)
        character(*), intent(in) :: fact
        integer(int64) :: i

        call tap_ok(all(members == [(i, i=1, size(members, kind=int64))]), fact)
    end subroutine are_numbered

    subroutine check_context()
        type(paulimpi_context_options) :: o
        type(paulimpi_placement) :: p

        call tap_is_int(layout_context_options(o), c_sizeof(o), "the size of context_options")
        call are_numbered([integer(int64) :: o%size, o%threads], "and its members")
        call tap_is_int(layout_placement(p), c_sizeof(p), "the size of placement")
        call are_numbered([integer(int64) :: p%size, p%nodes, p%node, p%node_ranks, p%node_rank, &
            p%processors, p%numa_domains, p%ranks_overlap, p%node_memory], "and its members")
    end subroutine check_context

    subroutine check_segment()
        type(paulimpi_segment_options) :: o, initial

        call tap_is_int(layout_initial_segment(o), c_sizeof(o), "the size of segment_options")
        call tap_ok(o%touch == initial%touch .and. o%huge_pages == initial%huge_pages, &
            "its initial values")
        call tap_is_int(layout_segment_options(o), c_sizeof(o), "again")
        call are_numbered([integer(int64) :: o%size, o%touch, o%huge_pages], "and its members")
    end subroutine check_segment

    subroutine check_sum()
        type(paulimpi_truncation) :: t
        type(paulimpi_sum_position) :: p

        call tap_is_int(layout_truncation(t), c_sizeof(t), "the size of truncation")
        call are_numbered([integer(int64) :: t%size, nint(t%min_abs), t%max_weight, &
            t%max_xy_weight, t%max_terms, t%choice, t%seed], "and its members")
        call tap_is_int(layout_position(p), c_sizeof(p), "the size of sum_position")
        call are_numbered([p%bucket, p%term], "and its members")
    end subroutine check_sum

    subroutine check_progress()
        type(paulimpi_propagation_progress) :: p
        type(paulimpi_propagation_layer) :: l

        call tap_is_int(layout_progress(p), c_sizeof(p), "the size of progress")
        call are_numbered([integer(int64) :: p%size, p%gates_done, p%gates, p%terms, p%bytes, &
            p%term_gates, nint(p%seconds)], "and its members")
        call tap_is_int(layout_layer(l), c_sizeof(l), "the size of layer")
        call are_numbered([integer(int64) :: l%gate, l%terms_before, l%terms_after, l%active, &
            nint(l%dropped_norm1), nint(l%dropped_norm2), nint(l%seconds)], "and its members")
    end subroutine check_progress

    subroutine check_options()
        type(paulimpi_propagation_options) :: o

        call tap_is_int(layout_options(o), c_sizeof(o), "the size of options")
        call are_numbered([integer(int64) :: o%size, o%truncation%size, &
            nint(o%truncation%min_abs), o%truncation%max_weight, o%truncation%max_xy_weight, &
            o%truncation%max_terms, o%truncation%choice, o%truncation%seed, o%picture, &
            o%engine, o%memory_limit, o%n_layers, o%rows, o%rows_seed, o%n_rows, o%n_blocks, &
            o%n_weights, o%transport, o%checkpoint_gates, nint(o%checkpoint_seconds)], &
            "and its members")
        call tap_ok(c_associated(o%progress) .and. c_associated(o%progress_data) &
            .and. c_associated(o%layers) .and. c_associated(o%checkpoint_path) &
            .and. c_associated(o%restart_path), "and its pointers")
        call tap_ok(c_associated(o%rows_x) .and. c_associated(o%rows_z) &
            .and. c_associated(o%blocks) .and. c_associated(o%weights), "and those of rows")
    end subroutine check_options

    subroutine check_report()
        type(paulimpi_propagation_report) :: r

        call tap_is_int(layout_report(r), c_sizeof(r), "the size of report")
        call are_numbered([integer(int64) :: r%size, r%gates, r%terms, r%peak_terms, &
            r%peak_bytes, r%term_gates, r%active_gates, nint(r%dropped_norm1), &
            nint(r%dropped_norm2), nint(r%error_bound), nint(r%seconds), r%threads, r%ranks, &
            r%engine, r%stretches, r%moves, r%terms_moved, r%bytes_moved, &
            r%bytes_segment, nint(r%imbalance)], "and its members")
    end subroutine check_report

    ! The sizes are filled in where the structs go to C.
    subroutine check_initial()
        type(paulimpi_context_options) :: context, c_context
        type(paulimpi_propagation_options) :: options, c_options

        call tap_is_int(layout_initial(c_context, c_options), c_sizeof(options), "C's initial")
        call tap_is_int(context%threads, c_context%threads, "initial threads")
        call tap_ok(.not. abs(options%truncation%min_abs - c_options%truncation%min_abs) > 0, &
            "min_abs")
        call tap_is_int(options%truncation%max_weight, c_options%truncation%max_weight, &
            "max_weight")
        call tap_is_int(options%truncation%max_xy_weight, c_options%truncation%max_xy_weight, &
            "max_xy_weight")
        call tap_is_int(options%truncation%max_terms, c_options%truncation%max_terms, &
            "max_terms")
        call tap_is_int(options%picture, c_options%picture, "picture")
        call tap_is_int(options%engine, c_options%engine, "engine")
        call tap_is_int(options%memory_limit, c_options%memory_limit, "memory_limit")
        call tap_is_int(options%n_layers, c_options%n_layers, "n_layers")
        call tap_is_int(options%checkpoint_gates, c_options%checkpoint_gates, "checkpoint_gates")
        call tap_ok(.not. abs(options%checkpoint_seconds - c_options%checkpoint_seconds) > 0, &
            "checkpoint_seconds")
        call tap_ok(.not. (c_associated(options%progress) .or. c_associated(options%layers) &
            .or. c_associated(options%progress_data) .or. c_associated(options%checkpoint_path) &
            .or. c_associated(options%restart_path)), "no pointers")
        call tap_is_int(options%rows, c_options%rows, "rows")
        call tap_ok(.not. (c_associated(options%rows_x) .or. c_associated(options%rows_z) &
            .or. c_associated(options%blocks) .or. c_associated(options%weights)), &
            "and no pointers to some")
    end subroutine check_initial

    subroutine is_constant(value, name)
        integer(int64), intent(in) :: value
        character(*), intent(in) :: name
        integer(c_int64_t) :: c_value

        if (layout_constant(name//c_null_char, c_value) == 1) then
            call tap_is_int(value, c_value, "PAULIMPI_"//name)
        else
            call tap_ok(.false., "C has no PAULIMPI_"//name)
        end if
    end subroutine is_constant

    subroutine check_constants()
        call is_constant(int(paulimpi_success, int64), "SUCCESS")
        call is_constant(int(paulimpi_err_argument, int64), "ERR_ARGUMENT")
        call is_constant(int(paulimpi_err_state, int64), "ERR_STATE")
        call is_constant(int(paulimpi_err_memory, int64), "ERR_MEMORY")
        call is_constant(int(paulimpi_err_range, int64), "ERR_RANGE")
        call is_constant(int(paulimpi_err_mismatch, int64), "ERR_MISMATCH")
        call is_constant(int(paulimpi_err_unsupported, int64), "ERR_UNSUPPORTED")
        call is_constant(int(paulimpi_err_syntax, int64), "ERR_SYNTAX")
        call is_constant(int(paulimpi_err_io, int64), "ERR_IO")
        call is_constant(int(paulimpi_err_mpi, int64), "ERR_MPI")
        call is_constant(int(paulimpi_err_remote, int64), "ERR_REMOTE")
        call is_constant(int(paulimpi_err_cancelled, int64), "ERR_CANCELLED")
        call is_constant(int(paulimpi_err_version, int64), "ERR_VERSION")
        call is_constant(int(paulimpi_err_internal, int64), "ERR_INTERNAL")
        call is_constant(int(paulimpi_err_device, int64), "ERR_DEVICE")
        call is_constant(int(paulimpi_err_overlap, int64), "ERR_OVERLAP")
        call is_constant(int(paulimpi_err_timeout, int64), "ERR_TIMEOUT")
        call is_constant(paulimpi_unlimited, "UNLIMITED")
        call is_constant(int(paulimpi_automatic, int64), "AUTOMATIC")
        call is_constant(int(paulimpi_touch_owner, int64), "TOUCH_OWNER")
        call is_constant(int(paulimpi_touch_user, int64), "TOUCH_USER")
        call is_constant(int(paulimpi_label_dense, int64), "LABEL_DENSE")
        call is_constant(int(paulimpi_label_sparse, int64), "LABEL_SPARSE")
        call is_constant(int(paulimpi_heisenberg, int64), "HEISENBERG")
        call is_constant(int(paulimpi_schroedinger, int64), "SCHROEDINGER")
        call is_constant(int(paulimpi_engine_automatic, int64), "ENGINE_AUTOMATIC")
        call is_constant(int(paulimpi_engine_in_place, int64), "ENGINE_IN_PLACE")
        call is_constant(int(paulimpi_engine_tile, int64), "ENGINE_TILE")
        call is_constant(int(paulimpi_engine_orbit, int64), "ENGINE_ORBIT")
        call is_constant(int(paulimpi_rows_planned, int64), "ROWS_PLANNED")
        call is_constant(int(paulimpi_rows_random, int64), "ROWS_RANDOM")
        call is_constant(int(paulimpi_rows_blocks, int64), "ROWS_BLOCKS")
        call is_constant(int(paulimpi_rows_exclude, int64), "ROWS_EXCLUDE")
        call is_constant(int(paulimpi_rows_given, int64), "ROWS_GIVEN")
        call is_constant(int(paulimpi_transport_automatic, int64), "TRANSPORT_AUTOMATIC")
        call is_constant(int(paulimpi_transport_segment, int64), "TRANSPORT_SEGMENT")
        call is_constant(int(paulimpi_transport_mpi, int64), "TRANSPORT_MPI")
        call is_constant(int(maxval(heavy_hex_127) + 1, int64), "HEAVY_HEX_127_QUBITS")
        call is_constant(size(heavy_hex_127, 2, int64), "HEAVY_HEX_127_EDGES")
    end subroutine check_constants

    subroutine check_lattice()
        integer(c_int64_t) :: e, edge(2)
        logical :: same

        same = .true.
        do e = 0, size(heavy_hex_127, 2) - 1
            same = same .and. layout_edge(e, edge(1), edge(2)) == paulimpi_success
            same = same .and. all(heavy_hex_127(:, e + 1) == edge)
        end do
        call tap_ok(same, "the edges of the heavy-hex lattice")
    end subroutine check_lattice
end program layout
