! SPDX-License-Identifier: BSD-3-Clause
!
! The structs and functions of the C headers as they are, in their order, for
! the other modules: a function paulimpi_x is c_x here. Not for users, whose
! modules show the structs again. The member size of a struct is set where the
! struct is handed to C.
module paulimpi_c
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_int64_t, &
        c_null_funptr, c_null_ptr, c_ptr, c_size_t
    implicit none
    public

    !> No limit: for every option that takes a largest number.
    integer(c_int64_t), parameter :: paulimpi_unlimited = huge(0_c_int64_t)
    !> Let the library choose: for the options that say so.
    integer(c_int), parameter :: paulimpi_automatic = -1

    !> How a context should be.
    type, bind(c) :: paulimpi_context_options
        integer(c_size_t) :: size = 0
        integer(c_int) :: threads = paulimpi_automatic
    end type paulimpi_context_options

    !> Where this rank sits.
    type, bind(c) :: paulimpi_placement
        integer(c_size_t) :: size = 0
        integer(c_int) :: nodes = 0
        integer(c_int) :: node = 0
        integer(c_int) :: node_ranks = 0
        integer(c_int) :: node_rank = 0
        integer(c_int) :: processors = 0
        integer(c_int) :: numa_domains = 0
        integer(c_int) :: ranks_overlap = 0
        integer(c_int64_t) :: node_memory = 0
    end type paulimpi_placement

    !> Which terms to keep.
    type, bind(c) :: paulimpi_truncation
        integer(c_size_t) :: size = 0
        real(c_double) :: min_abs = 0
        integer(c_int64_t) :: max_weight = paulimpi_unlimited
        integer(c_int64_t) :: max_xy_weight = paulimpi_unlimited
        integer(c_int64_t) :: max_terms = paulimpi_unlimited
        integer(c_int) :: choice = 0
        integer(c_int64_t) :: seed = 0
    end type paulimpi_truncation

    !> A place in a sum, as it is before the first term.
    type, bind(c) :: paulimpi_sum_position
        integer(c_int64_t) :: bucket = 0
        integer(c_int64_t) :: term = 0
    end type paulimpi_sum_position

    !> How far a propagation has come.
    type, bind(c) :: paulimpi_propagation_progress
        integer(c_size_t) :: size = 0
        integer(c_int64_t) :: gates_done = 0
        integer(c_int64_t) :: gates = 0
        integer(c_int64_t) :: terms = 0
        integer(c_int64_t) :: bytes = 0
        integer(c_int64_t) :: term_gates = 0
        real(c_double) :: seconds = 0
    end type paulimpi_propagation_progress

    !> What happened at one gate or channel.
    type, bind(c) :: paulimpi_propagation_layer
        integer(c_int64_t) :: gate = 0
        integer(c_int64_t) :: terms_before = 0
        integer(c_int64_t) :: terms_after = 0
        integer(c_int64_t) :: active = 0
        real(c_double) :: dropped_norm1 = 0
        real(c_double) :: dropped_norm2 = 0
        real(c_double) :: seconds = 0
    end type paulimpi_propagation_layer

    !> How to propagate. What is a pointer or a number of entries is set by the
    !> arguments of propagate.
    type, bind(c) :: paulimpi_propagation_options
        integer(c_size_t) :: size = 0
        type(paulimpi_truncation) :: truncation
        integer(c_int) :: picture = 0
        integer(c_int) :: engine = 0
        integer(c_int64_t) :: memory_limit = paulimpi_automatic
        type(c_funptr) :: progress = c_null_funptr
        type(c_ptr) :: progress_data = c_null_ptr
        type(c_ptr) :: layers = c_null_ptr
        integer(c_int64_t) :: n_layers = 0
        integer(c_int) :: rows = 0
        integer(c_int64_t) :: rows_seed = 0
        integer(c_int64_t) :: n_rows = 0
        type(c_ptr) :: rows_x = c_null_ptr
        type(c_ptr) :: rows_z = c_null_ptr
        integer(c_int64_t) :: n_blocks = 0
        type(c_ptr) :: blocks = c_null_ptr
        integer(c_int64_t) :: n_weights = 0
        type(c_ptr) :: weights = c_null_ptr
        integer(c_int) :: transport = 0
        type(c_ptr) :: checkpoint_path = c_null_ptr
        integer(c_int64_t) :: checkpoint_gates = paulimpi_unlimited
        real(c_double) :: checkpoint_seconds = 600
        type(c_ptr) :: restart_path = c_null_ptr
    end type paulimpi_propagation_options

    !> What a propagation did.
    type, bind(c) :: paulimpi_propagation_report
        integer(c_size_t) :: size = 0
        integer(c_int64_t) :: gates = 0
        integer(c_int64_t) :: terms = 0
        integer(c_int64_t) :: peak_terms = 0
        integer(c_int64_t) :: peak_bytes = 0
        integer(c_int64_t) :: term_gates = 0
        integer(c_int64_t) :: active_gates = 0
        real(c_double) :: dropped_norm1 = 0
        real(c_double) :: dropped_norm2 = 0
        real(c_double) :: error_bound = 0
        real(c_double) :: seconds = 0
        integer(c_int) :: threads = 0
        integer(c_int) :: ranks = 0
        integer(c_int) :: engine = 0
        integer(c_int64_t) :: stretches = 0
        integer(c_int64_t) :: moves = 0
        integer(c_int64_t) :: terms_moved = 0
        integer(c_int64_t) :: bytes_moved = 0
        integer(c_int64_t) :: bytes_segment = 0
        real(c_double) :: imbalance = 0
    end type paulimpi_propagation_report

    ! status.h
    interface
        type(c_ptr) function c_strerror(code) bind(c, name="paulimpi_strerror")
            import
            integer(c_int), value :: code
        end function c_strerror

        type(c_ptr) function c_error_name(code) bind(c, name="paulimpi_error_name")
            import
            integer(c_int), value :: code
        end function c_error_name

        type(c_ptr) function c_last_error() bind(c, name="paulimpi_last_error")
            import
        end function c_last_error

        subroutine c_text_destroy(text) bind(c, name="paulimpi_text_destroy")
            import
            type(c_ptr), intent(inout) :: text
        end subroutine c_text_destroy
    end interface

    ! version.h
    interface
        subroutine c_version(major, minor, patch) bind(c, name="paulimpi_version")
            import
            integer(c_int), intent(out) :: major, minor, patch
        end subroutine c_version

        integer(c_int) function c_info(text) bind(c, name="paulimpi_info")
            import
            type(c_ptr), intent(out) :: text
        end function c_info
    end interface

    ! context.h; the communicator goes through fshim.c
    interface
        integer(c_int) function c_f_context_create(comm, options, ctx) &
            bind(c, name="paulimpi_f_context_create")
            import
            integer(c_int), value :: comm
            type(paulimpi_context_options), optional, intent(in) :: options
            type(c_ptr), intent(out) :: ctx
        end function c_f_context_create

        integer(c_int) function c_context_create_serial(options, ctx) &
            bind(c, name="paulimpi_context_create_serial")
            import
            type(paulimpi_context_options), optional, intent(in) :: options
            type(c_ptr), intent(out) :: ctx
        end function c_context_create_serial

        integer(c_int) function c_context_create_launched(argc, argv, ctx) &
            bind(c, name="paulimpi_context_create_launched")
            import
            type(c_ptr), value :: argc, argv
            type(c_ptr), intent(out) :: ctx
        end function c_context_create_launched

        subroutine c_context_destroy(ctx) bind(c, name="paulimpi_context_destroy")
            import
            type(c_ptr), intent(inout) :: ctx
        end subroutine c_context_destroy

        integer(c_int) function c_context_rank(ctx) bind(c, name="paulimpi_context_rank")
            import
            type(c_ptr), value :: ctx
        end function c_context_rank

        integer(c_int) function c_context_size(ctx) bind(c, name="paulimpi_context_size")
            import
            type(c_ptr), value :: ctx
        end function c_context_size

        integer(c_int) function c_context_threads(ctx) bind(c, name="paulimpi_context_threads")
            import
            type(c_ptr), value :: ctx
        end function c_context_threads

        integer(c_int) function c_context_set_threads(ctx, threads) &
            bind(c, name="paulimpi_context_set_threads")
            import
            type(c_ptr), value :: ctx
            integer(c_int), value :: threads
        end function c_context_set_threads

        integer(c_int) function c_context_placement(ctx, placement) &
            bind(c, name="paulimpi_context_placement")
            import
            type(c_ptr), value :: ctx
            type(paulimpi_placement), intent(inout) :: placement
        end function c_context_placement
    end interface

    ! random.h
    interface
        integer(c_int) function c_random_uniform(seed, stream, first, n, value) &
            bind(c, name="paulimpi_random_uniform")
            import
            integer(c_int64_t), value :: seed, stream, first
            integer(c_size_t), value :: n
            real(c_double), intent(out) :: value(*)
        end function c_random_uniform

        integer(c_int) function c_random_normal(seed, stream, first, n, value) &
            bind(c, name="paulimpi_random_normal")
            import
            integer(c_int64_t), value :: seed, stream, first
            integer(c_size_t), value :: n
            real(c_double), intent(out) :: value(*)
        end function c_random_normal
    end interface

    ! pauli.h
    interface
        integer(c_int64_t) function c_pauli_words(n_qubits) bind(c, name="paulimpi_pauli_words")
            import
            integer(c_int64_t), value :: n_qubits
        end function c_pauli_words

        integer(c_int) function c_pauli_create(n_qubits, label, pauli) &
            bind(c, name="paulimpi_pauli_create")
            import
            integer(c_int64_t), value :: n_qubits
            character(kind=c_char), intent(in) :: label(*)
            type(c_ptr), intent(out) :: pauli
        end function c_pauli_create

        integer(c_int) function c_pauli_create_bits(n_qubits, x, z, pauli) &
            bind(c, name="paulimpi_pauli_create_bits")
            import
            integer(c_int64_t), value :: n_qubits
            integer(c_int64_t), intent(in) :: x(*), z(*)
            type(c_ptr), intent(out) :: pauli
        end function c_pauli_create_bits

        subroutine c_pauli_destroy(pauli) bind(c, name="paulimpi_pauli_destroy")
            import
            type(c_ptr), intent(inout) :: pauli
        end subroutine c_pauli_destroy

        integer(c_int64_t) function c_pauli_qubits(pauli) bind(c, name="paulimpi_pauli_qubits")
            import
            type(c_ptr), value :: pauli
        end function c_pauli_qubits

        integer(c_int64_t) function c_pauli_weight(pauli) bind(c, name="paulimpi_pauli_weight")
            import
            type(c_ptr), value :: pauli
        end function c_pauli_weight

        integer(c_int) function c_pauli_letter(pauli, qubit) bind(c, name="paulimpi_pauli_letter")
            import
            type(c_ptr), value :: pauli
            integer(c_int64_t), value :: qubit
        end function c_pauli_letter

        integer(c_int) function c_pauli_bits(pauli, x, z) bind(c, name="paulimpi_pauli_bits")
            import
            type(c_ptr), value :: pauli
            integer(c_int64_t), intent(out) :: x(*), z(*)
        end function c_pauli_bits

        integer(c_int) function c_pauli_label(pauli, style, text) &
            bind(c, name="paulimpi_pauli_label")
            import
            type(c_ptr), value :: pauli
            integer(c_int), value :: style
            type(c_ptr), intent(out) :: text
        end function c_pauli_label

        integer(c_int) function c_pauli_commute(a, b) bind(c, name="paulimpi_pauli_commute")
            import
            type(c_ptr), value :: a, b
        end function c_pauli_commute

        integer(c_int) function c_pauli_equal(a, b) bind(c, name="paulimpi_pauli_equal")
            import
            type(c_ptr), value :: a, b
        end function c_pauli_equal

        integer(c_int) function c_pauli_multiply(a, b, product, phase) &
            bind(c, name="paulimpi_pauli_multiply")
            import
            type(c_ptr), value :: a, b
            type(c_ptr), intent(out) :: product
            integer(c_int), intent(out) :: phase
        end function c_pauli_multiply
    end interface

    ! sum.h
    interface
        integer(c_int) function c_sum_create(ctx, n_qubits, sum) bind(c, name="paulimpi_sum_create")
            import
            type(c_ptr), value :: ctx
            integer(c_int64_t), value :: n_qubits
            type(c_ptr), intent(out) :: sum
        end function c_sum_create

        integer(c_int) function c_sum_copy(sum, copy) bind(c, name="paulimpi_sum_copy")
            import
            type(c_ptr), value :: sum
            type(c_ptr), intent(out) :: copy
        end function c_sum_copy

        subroutine c_sum_destroy(sum) bind(c, name="paulimpi_sum_destroy")
            import
            type(c_ptr), intent(inout) :: sum
        end subroutine c_sum_destroy

        integer(c_int64_t) function c_sum_qubits(sum) bind(c, name="paulimpi_sum_qubits")
            import
            type(c_ptr), value :: sum
        end function c_sum_qubits

        integer(c_int64_t) function c_sum_terms(sum) bind(c, name="paulimpi_sum_terms")
            import
            type(c_ptr), value :: sum
        end function c_sum_terms

        integer(c_int64_t) function c_sum_local_terms(sum) &
            bind(c, name="paulimpi_sum_local_terms")
            import
            type(c_ptr), value :: sum
        end function c_sum_local_terms

        integer(c_int) function c_sum_add_text(sum, text, factor) &
            bind(c, name="paulimpi_sum_add_text")
            import
            type(c_ptr), value :: sum
            character(kind=c_char), intent(in) :: text(*)
            real(c_double), value :: factor
        end function c_sum_add_text

        integer(c_int) function c_sum_add_pauli(sum, pauli, coefficient) &
            bind(c, name="paulimpi_sum_add_pauli")
            import
            type(c_ptr), value :: sum, pauli
            real(c_double), value :: coefficient
        end function c_sum_add_pauli

        integer(c_int) function c_sum_add_terms(sum, n, x, z, coefficient) &
            bind(c, name="paulimpi_sum_add_terms")
            import
            type(c_ptr), value :: sum
            integer(c_int64_t), value :: n
            integer(c_int64_t), intent(in) :: x(*), z(*)
            real(c_double), intent(in) :: coefficient(*)
        end function c_sum_add_terms

        integer(c_int) function c_sum_add_local_terms(sum, n, x, z, coefficient) &
            bind(c, name="paulimpi_sum_add_local_terms")
            import
            type(c_ptr), value :: sum
            integer(c_int64_t), value :: n
            integer(c_int64_t), intent(in) :: x(*), z(*)
            real(c_double), intent(in) :: coefficient(*)
        end function c_sum_add_local_terms

        integer(c_int) function c_sum_add(sum, other, factor) bind(c, name="paulimpi_sum_add")
            import
            type(c_ptr), value :: sum, other
            real(c_double), value :: factor
        end function c_sum_add

        integer(c_int) function c_sum_scale(sum, factor) bind(c, name="paulimpi_sum_scale")
            import
            type(c_ptr), value :: sum
            real(c_double), value :: factor
        end function c_sum_scale

        integer(c_int) function c_sum_truncate(sum, truncation) &
            bind(c, name="paulimpi_sum_truncate")
            import
            type(c_ptr), value :: sum
            type(paulimpi_truncation), intent(in) :: truncation
        end function c_sum_truncate

        integer(c_int) function c_sum_coefficient(sum, label, value) &
            bind(c, name="paulimpi_sum_coefficient")
            import
            type(c_ptr), value :: sum
            character(kind=c_char), intent(in) :: label(*)
            real(c_double), intent(out) :: value
        end function c_sum_coefficient

        integer(c_int) function c_sum_identity(sum, value) bind(c, name="paulimpi_sum_identity")
            import
            type(c_ptr), value :: sum
            real(c_double), intent(out) :: value
        end function c_sum_identity

        integer(c_int) function c_sum_next(sum, position, x, z, coefficient) &
            bind(c, name="paulimpi_sum_next")
            import
            type(c_ptr), value :: sum
            type(paulimpi_sum_position), intent(inout) :: position
            integer(c_int64_t), optional, intent(out) :: x(*), z(*)
            real(c_double), intent(out) :: coefficient
        end function c_sum_next

        integer(c_int) function c_sum_get_terms(sum, n, x, z, coefficient) &
            bind(c, name="paulimpi_sum_get_terms")
            import
            type(c_ptr), value :: sum
            integer(c_int64_t), value :: n
            integer(c_int64_t), intent(out) :: x(*), z(*)
            real(c_double), intent(out) :: coefficient(*)
        end function c_sum_get_terms

        integer(c_int) function c_sum_norm1(sum, value) bind(c, name="paulimpi_sum_norm1")
            import
            type(c_ptr), value :: sum
            real(c_double), intent(out) :: value
        end function c_sum_norm1

        integer(c_int) function c_sum_norm2(sum, value) bind(c, name="paulimpi_sum_norm2")
            import
            type(c_ptr), value :: sum
            real(c_double), intent(out) :: value
        end function c_sum_norm2

        integer(c_int) function c_sum_expectation_product(sum, state, value) &
            bind(c, name="paulimpi_sum_expectation_product")
            import
            type(c_ptr), value :: sum
            character(kind=c_char), intent(in) :: state(*)
            real(c_double), intent(out) :: value
        end function c_sum_expectation_product

        integer(c_int) function c_sum_expectation_basis(sum, ones, value) &
            bind(c, name="paulimpi_sum_expectation_basis")
            import
            type(c_ptr), value :: sum
            integer(c_int64_t), optional, intent(in) :: ones(*)
            real(c_double), intent(out) :: value
        end function c_sum_expectation_basis

        integer(c_int) function c_sum_overlap(a, b, value) bind(c, name="paulimpi_sum_overlap")
            import
            type(c_ptr), value :: a, b
            real(c_double), intent(out) :: value
        end function c_sum_overlap

        integer(c_int) function c_sum_weight_histogram(sum, n, count, square) &
            bind(c, name="paulimpi_sum_weight_histogram")
            import
            type(c_ptr), value :: sum
            integer(c_int64_t), value :: n
            integer(c_int64_t), intent(out) :: count(*)
            real(c_double), optional, intent(out) :: square(*)
        end function c_sum_weight_histogram

        integer(c_int) function c_sum_text(sum, text) bind(c, name="paulimpi_sum_text")
            import
            type(c_ptr), value :: sum
            type(c_ptr), intent(out) :: text
        end function c_sum_text

        integer(c_int) function c_sum_write(sum, path) bind(c, name="paulimpi_sum_write")
            import
            type(c_ptr), value :: sum
            character(kind=c_char), intent(in) :: path(*)
        end function c_sum_write

        integer(c_int) function c_sum_read(sum, path) bind(c, name="paulimpi_sum_read")
            import
            type(c_ptr), value :: sum
            character(kind=c_char), intent(in) :: path(*)
        end function c_sum_read
    end interface

    ! propagate.h
    interface
        integer(c_int) function c_propagate(sum, circuit, options, report) &
            bind(c, name="paulimpi_propagate")
            import
            type(c_ptr), value :: sum, circuit
            type(paulimpi_propagation_options), intent(in) :: options
            type(paulimpi_propagation_report), intent(inout) :: report
        end function c_propagate

        integer(c_int) function c_propagation_plan(circuit, options, n_ranks, text) &
            bind(c, name="paulimpi_propagation_plan")
            import
            type(c_ptr), value :: circuit
            type(paulimpi_propagation_options), intent(in) :: options
            integer(c_int), value :: n_ranks
            type(c_ptr), intent(out) :: text
        end function c_propagation_plan
    end interface

    ! fshim.c
    interface
        subroutine c_f_refuse(sentence) bind(c, name="paulimpi_f_refuse")
            import
            character(kind=c_char), intent(in) :: sentence(*)
        end subroutine c_f_refuse

        subroutine c_f_forget_refusal() bind(c, name="paulimpi_f_forget_refusal")
            import
        end subroutine c_f_forget_refusal

        type(c_ptr) function c_f_last_error() bind(c, name="paulimpi_f_last_error")
            import
        end function c_f_last_error

        subroutine c_f_abort() bind(c, name="paulimpi_f_abort")
            import
        end subroutine c_f_abort
    end interface
end module paulimpi_c
