! SPDX-License-Identifier: BSD-3-Clause
!
! Sums of Pauli strings with real coefficients.
!
!     type(paulimpi_sum) :: sum
!     real(real64) :: value
!
!     call sum%create(ctx, 3)
!     call sum%add("0.5 Z0 Z1 + X2 - 1e-3 Y0")
!     call sum%expectation("0", value)                                ! 0.5
!
! All procedures but the counts, next and c_handle are collective: all ranks call
! them with the same arguments, but for add_local.
module paulimpi_sum_m
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_funloc, c_int, c_loc, &
        c_null_ptr, c_ptr, c_sizeof
    use paulimpi_c, only: c_propagate, c_sum_add, c_sum_add_local_terms, c_sum_add_pauli, &
        c_sum_add_terms, c_sum_add_text, c_sum_coefficient, c_sum_copy, c_sum_create, &
        c_sum_destroy, c_sum_expectation_basis, c_sum_expectation_product, c_sum_get_terms, &
        c_sum_identity, c_sum_local_terms, c_sum_next, c_sum_norm1, c_sum_norm2, c_sum_overlap, &
        c_sum_qubits, c_sum_read, c_sum_scale, c_sum_terms, c_sum_text, c_sum_truncate, &
        c_sum_weight_histogram, c_sum_write, paulimpi_sum_position
    use paulimpi_circuit_m, only: paulimpi_circuit, paulimpi_hamiltonian
    use paulimpi_context_m, only: paulimpi_context
    use paulimpi_kinds, only: paulimpi_index, paulimpi_int, paulimpi_real
    use paulimpi_pauli_m, only: paulimpi_pauli, paulimpi_pauli_words
    use paulimpi_propagate_m, only: paulimpi_progress, paulimpi_propagation_layer, &
        paulimpi_propagation_options, paulimpi_propagation_report, paulimpi_truncation, &
        paulimpi_rows, point_to_rows, progress_call, progress_caller, report_rows
    use paulimpi_status_m, only: paulimpi_err_argument, paulimpi_success
    use paulimpi_support, only: c_text, refuse, report, take_text
    implicit none
    private
    public :: paulimpi_sum, paulimpi_sum_position

    type, extends(paulimpi_hamiltonian) :: paulimpi_sum
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        generic :: create => create_int, create_index
        procedure :: copy
        procedure :: destroy
        procedure :: is_valid
        procedure :: c_handle
        procedure :: qubits
        procedure :: terms
        procedure :: local_terms
        generic :: add => add_text, add_pauli, add_terms, add_sum
        procedure :: add_local => add_local_terms
        procedure :: scale => multiply_by
        procedure :: truncate
        procedure :: propagate
        procedure :: coefficient
        procedure :: identity
        procedure :: next
        procedure :: get_terms
        procedure :: norm1
        procedure :: norm2 => norm_2
        generic :: expectation => expectation_product, expectation_basis
        procedure :: overlap
        procedure :: weight_histogram
        procedure :: text => get_text
        procedure :: write => write_file
        procedure :: read => read_file
        generic :: assignment(=) => assign
        procedure, private :: create_int
        procedure, private :: create_index
        procedure, private :: add_text
        procedure, private :: add_pauli
        procedure, private :: add_terms
        procedure, private :: add_sum
        procedure, private :: expectation_product
        procedure, private :: expectation_basis
        procedure, private :: assign
        final :: release
    end type paulimpi_sum

contains

    !> Make an empty sum; what the handle held before is freed first.
    subroutine create_index(self, ctx, n_qubits, ierror)
        class(paulimpi_sum), intent(inout) :: self
        class(paulimpi_context), intent(in) :: ctx
        integer(paulimpi_index), intent(in) :: n_qubits
        integer, optional, intent(out) :: ierror

        call self%destroy()
        call report(c_sum_create(ctx%c_handle(), n_qubits, self%handle), ierror)
    end subroutine create_index

    subroutine create_int(self, ctx, n_qubits, ierror)
        class(paulimpi_sum), intent(inout) :: self
        class(paulimpi_context), intent(in) :: ctx
        integer(paulimpi_int), intent(in) :: n_qubits
        integer, optional, intent(out) :: ierror

        call self%create(ctx, int(n_qubits, paulimpi_index), ierror)
    end subroutine create_int

    !> Become a copy of another sum, or nothing if other is nothing.
    subroutine copy(self, other, ierror)
        class(paulimpi_sum), intent(inout) :: self
        class(paulimpi_sum), intent(in) :: other
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: handle
        integer(c_int) :: code

        handle = c_null_ptr
        code = paulimpi_success
        if (other%is_valid()) code = c_sum_copy(other%handle, handle)
        if (code == paulimpi_success) then
            call self%destroy()
            self%handle = handle
        end if
        call report(code, ierror)
    end subroutine copy

    impure elemental subroutine assign(self, other)
        class(paulimpi_sum), intent(inout) :: self
        class(paulimpi_sum), intent(in) :: other

        call self%copy(other)
    end subroutine assign

    !> Free the sum; a handle without one is fine.
    subroutine destroy(self)
        class(paulimpi_sum), intent(inout) :: self

        call c_sum_destroy(self%handle)
    end subroutine destroy

    ! Freeing a sum waits for nobody.
    impure elemental subroutine release(self)
        type(paulimpi_sum), intent(inout) :: self

        call c_sum_destroy(self%handle)
    end subroutine release

    !> Tell whether the handle holds a sum.
    logical function is_valid(self)
        class(paulimpi_sum), intent(in) :: self

        is_valid = c_associated(self%handle)
    end function is_valid

    !> The paulimpi_sum * of C; it stays the handle's.
    type(c_ptr) function c_handle(self)
        class(paulimpi_sum), intent(in) :: self

        c_handle = self%handle
    end function c_handle

    !> The number of qubits; paulimpi_err_argument for a handle without a sum.
    integer(paulimpi_index) function qubits(self)
        class(paulimpi_sum), intent(in) :: self

        qubits = c_sum_qubits(self%handle)
    end function qubits

    !> The number of terms on all ranks; paulimpi_err_argument for a handle
    !> without a sum.
    integer(paulimpi_index) function terms(self)
        class(paulimpi_sum), intent(in) :: self

        terms = c_sum_terms(self%handle)
    end function terms

    !> The number of terms on this rank; likewise.
    integer(paulimpi_index) function local_terms(self)
        class(paulimpi_sum), intent(in) :: self

        local_terms = c_sum_local_terms(self%handle)
    end function local_terms

    ! A factor that may be left out.
    pure real(paulimpi_real) function or_one(factor)
        real(paulimpi_real), optional, intent(in) :: factor

        or_one = 1
        if (present(factor)) or_one = factor
    end function or_one

    !> Add factor (1 if it is left out) times a sum that is written as text:
    !> "0.5 Z0 Z1 + X3 - 1e-3 Y2 + 2*XIIZ - 4".
    subroutine add_text(self, text, factor, ierror)
        class(paulimpi_sum), intent(inout) :: self
        character(*), intent(in) :: text
        real(paulimpi_real), optional, intent(in) :: factor
        integer, optional, intent(out) :: ierror

        call report(c_sum_add_text(self%handle, c_text(text), or_one(factor)), ierror)
    end subroutine add_text

    !> Add coefficient (1 if it is left out) times a string.
    subroutine add_pauli(self, pauli, coefficient, ierror)
        class(paulimpi_sum), intent(inout) :: self
        class(paulimpi_pauli), intent(in) :: pauli
        real(paulimpi_real), optional, intent(in) :: coefficient
        integer, optional, intent(out) :: ierror

        call report(c_sum_add_pauli(self%handle, pauli%c_handle(), or_one(coefficient)), ierror)
    end subroutine add_pauli

    ! The terms that arrays hold; -1 if their shapes do not fit.
    integer(paulimpi_index) function term_count(self, x, z, coefficient)
        class(paulimpi_sum), intent(in) :: self
        integer(paulimpi_index), intent(in) :: x(:, :), z(:, :)
        real(paulimpi_real), intent(in) :: coefficient(:)
        integer(paulimpi_index) :: words

        term_count = size(coefficient, kind=paulimpi_index)
        words = paulimpi_pauli_words(self%qubits())
        if (self%is_valid() .and. any([shape(x, paulimpi_index), shape(z, paulimpi_index)] &
                                      /= [words, term_count, words, term_count])) term_count = -1
    end function term_count

    ! Say what C made of terms, or why there were none.
    subroutine report_terms(code, n, name, ierror)
        integer(c_int), intent(in) :: code
        integer(paulimpi_index), intent(in) :: n
        character(*), intent(in) :: name
        integer, optional, intent(out) :: ierror

        if (n >= 0) then
            call report(code, ierror)
        else
            call refuse(paulimpi_err_argument, "paulimpi_sum%" // name // ": x and z need the " &
                // "shape [paulimpi_pauli_words(qubits), size(coefficient)]", ierror)
        end if
    end subroutine report_terms

    !> Add terms from arrays: x(:, i) and z(:, i) are the bits of term i.
    subroutine add_terms(self, x, z, coefficient, ierror)
        class(paulimpi_sum), intent(inout) :: self
        integer(paulimpi_index), contiguous, intent(in) :: x(:, :), z(:, :)
        real(paulimpi_real), contiguous, intent(in) :: coefficient(:)
        integer, optional, intent(out) :: ierror
        integer(paulimpi_index) :: n

        n = term_count(self, x, z, coefficient)
        call report_terms(c_sum_add_terms(self%handle, n, x, z, coefficient), n, "add", ierror)
    end subroutine add_terms

    !> Add terms of which each rank brings some, in the same arrays.
    subroutine add_local_terms(self, x, z, coefficient, ierror)
        class(paulimpi_sum), intent(inout) :: self
        integer(paulimpi_index), contiguous, intent(in) :: x(:, :), z(:, :)
        real(paulimpi_real), contiguous, intent(in) :: coefficient(:)
        integer, optional, intent(out) :: ierror
        integer(paulimpi_index) :: n

        n = term_count(self, x, z, coefficient)
        call report_terms(c_sum_add_local_terms(self%handle, n, x, z, coefficient), n, &
            "add_local", ierror)
    end subroutine add_local_terms

    !> Add factor (1 if it is left out) times another sum on the same context.
    subroutine add_sum(self, other, factor, ierror)
        class(paulimpi_sum), intent(inout) :: self
        class(paulimpi_sum), intent(in) :: other
        real(paulimpi_real), optional, intent(in) :: factor
        integer, optional, intent(out) :: ierror

        call report(c_sum_add(self%handle, other%handle, or_one(factor)), ierror)
    end subroutine add_sum

    !> Multiply all coefficients by a factor; 0 empties the sum.
    subroutine multiply_by(self, factor, ierror)
        class(paulimpi_sum), intent(inout) :: self
        real(paulimpi_real), intent(in) :: factor
        integer, optional, intent(out) :: ierror

        call report(c_sum_scale(self%handle, factor), ierror)
    end subroutine multiply_by

    !> Drop terms by a policy.
    subroutine truncate(self, truncation, ierror)
        class(paulimpi_sum), intent(inout) :: self
        type(paulimpi_truncation), intent(in) :: truncation
        integer, optional, intent(out) :: ierror

        call report(c_sum_truncate(self%handle, sized(truncation)), ierror)
    end subroutine truncate

    ! A policy with the size that C wants to see.
    type(paulimpi_truncation) function sized(truncation)
        type(paulimpi_truncation), intent(in) :: truncation

        sized = truncation
        sized%size = c_sizeof(sized)
    end function sized

    ! A text as C wants it, as something that a pointer can point to.
    pure function letters(text)
        character(*), intent(in) :: text
        character(kind=c_char) :: letters(len_trim(text) + 1)

        letters = transfer(c_text(text), letters)
    end function letters

    !> Propagate the sum through a circuit, in place.
    !>
    !> progress is called between gates. layers gets one entry a gate, in the
    !> order in which they act on the sum, as long as there is room; the rest
    !> is left alone. After an error that stopped the work between two gates
    !> the sum is as it was before the next gate; the report tells how far the
    !> work came.
    !>
    !> checkpoint names a file to go on from, written as often as the options
    !> checkpoint_gates and checkpoint_seconds say. restart names one to go on
    !> from now: the sum is replaced by the one in the file.
    !>
    !> rows holds what belongs to the choice of rows in the options, and weights
    !> of the ranks.
    subroutine propagate(self, circuit, options, report, progress, layers, checkpoint, restart, &
            rows, ierror)
        class(paulimpi_sum), intent(inout) :: self
        class(paulimpi_circuit), intent(in) :: circuit
        type(paulimpi_propagation_options), optional, intent(in) :: options
        type(paulimpi_propagation_report), optional, intent(out) :: report
        procedure(paulimpi_progress), optional :: progress
        type(paulimpi_propagation_layer), contiguous, optional, target, intent(inout) :: layers(:)
        character(*), optional, intent(in) :: checkpoint, restart
        type(paulimpi_rows), optional, target, intent(in) :: rows
        integer, optional, intent(out) :: ierror
        type(paulimpi_propagation_options) :: all_options
        type(paulimpi_propagation_report) :: whole_report
        type(progress_call), target :: callback
        character(kind=c_char), allocatable, target :: written(:), read(:)
        integer(c_int) :: code
        logical :: fits

        fits = .true.
        if (present(options)) all_options = options
        if (present(rows)) call point_to_rows(all_options, rows, circuit%qubits(), fits)
        all_options%size = c_sizeof(all_options)
        all_options%truncation = sized(all_options%truncation)
        if (present(progress)) then
            callback%progress => progress
            all_options%progress = c_funloc(progress_caller)
            all_options%progress_data = c_loc(callback)
        end if
        if (present(layers)) then
            all_options%n_layers = size(layers, kind=paulimpi_index)
            if (all_options%n_layers > 0) all_options%layers = c_loc(layers)
        end if
        if (present(checkpoint)) then
            written = letters(checkpoint)
            all_options%checkpoint_path = c_loc(written)
        end if
        if (present(restart)) then
            read = letters(restart)
            all_options%restart_path = c_loc(read)
        end if
        whole_report%size = c_sizeof(whole_report)
        code = c_propagate(self%handle, circuit%c_handle(), all_options, whole_report)
        if (present(report)) report = whole_report
        call report_rows(code, fits, "paulimpi_sum%propagate", ierror)
    end subroutine propagate

    !> Look the coefficient of a string up by its label; 0 if it is not there.
    subroutine coefficient(self, label, value, ierror)
        class(paulimpi_sum), intent(in) :: self
        character(*), intent(in) :: label
        real(paulimpi_real), intent(out) :: value
        integer, optional, intent(out) :: ierror

        value = 0
        call report(c_sum_coefficient(self%handle, c_text(label), value), ierror)
    end subroutine coefficient

    !> The coefficient of the identity, which is the trace over 2^n.
    subroutine identity(self, value, ierror)
        class(paulimpi_sum), intent(in) :: self
        real(paulimpi_real), intent(out) :: value
        integer, optional, intent(out) :: ierror

        value = 0
        call report(c_sum_identity(self%handle, value), ierror)
    end subroutine identity

    !> Walk over the local terms in no particular order, from a fresh position
    !> until found is .false.; the sum must not change meanwhile.
    subroutine next(self, position, found, coefficient, x, z, ierror)
        class(paulimpi_sum), intent(in) :: self
        type(paulimpi_sum_position), intent(inout) :: position
        logical, intent(out) :: found
        real(paulimpi_real), intent(out) :: coefficient
        integer(paulimpi_index), contiguous, optional, intent(inout) :: x(:), z(:)
        integer, optional, intent(out) :: ierror
        integer(paulimpi_index) :: words
        integer(c_int) :: code

        found = .false.
        coefficient = 0
        words = paulimpi_pauli_words(self%qubits())
        if (.not. (is_long_enough(x, words) .and. is_long_enough(z, words))) then
            call refuse(paulimpi_err_argument, &
                "paulimpi_sum%next: x and z need paulimpi_pauli_words(qubits) words", ierror)
            return
        end if
        code = c_sum_next(self%handle, position, x, z, coefficient)
        found = code == 1
        call report(min(code, paulimpi_success), ierror)
    end subroutine next

    pure logical function is_long_enough(array, words)
        integer(paulimpi_index), optional, intent(in) :: array(:)
        integer(paulimpi_index), intent(in) :: words

        is_long_enough = .true.
        if (present(array)) is_long_enough = size(array, kind=paulimpi_index) >= words
    end function is_long_enough

    !> Copy all terms out, in order of their dense labels: x(:, i), z(:, i) and
    !> coefficient(i) are term i.
    subroutine get_terms(self, x, z, coefficient, ierror)
        class(paulimpi_sum), intent(in) :: self
        integer(paulimpi_index), allocatable, intent(out) :: x(:, :), z(:, :)
        real(paulimpi_real), allocatable, intent(out) :: coefficient(:)
        integer, optional, intent(out) :: ierror
        integer(paulimpi_index) :: n, words

        n = max(self%terms(), 0_paulimpi_index)
        words = paulimpi_pauli_words(self%qubits())
        allocate (x(words, n), z(words, n), coefficient(n))
        call report(c_sum_get_terms(self%handle, n, x, z, coefficient), ierror)
    end subroutine get_terms

    !> The 1-norm, sum of |c|.
    subroutine norm1(self, value, ierror)
        class(paulimpi_sum), intent(in) :: self
        real(paulimpi_real), intent(out) :: value
        integer, optional, intent(out) :: ierror

        value = 0
        call report(c_sum_norm1(self%handle, value), ierror)
    end subroutine norm1

    !> The 2-norm, square root of the sum of c^2.
    subroutine norm_2(self, value, ierror)
        class(paulimpi_sum), intent(in) :: self
        real(paulimpi_real), intent(out) :: value
        integer, optional, intent(out) :: ierror

        value = 0
        call report(c_sum_norm2(self%handle, value), ierror)
    end subroutine norm_2

    !> The expectation value in a product state: one of 0 1 + - r l for every
    !> qubit, leftmost qubit 0, or a single one for all.
    subroutine expectation_product(self, state, value, ierror)
        class(paulimpi_sum), intent(in) :: self
        character(*), intent(in) :: state
        real(paulimpi_real), intent(out) :: value
        integer, optional, intent(out) :: ierror

        value = 0
        call report(c_sum_expectation_product(self%handle, c_text(state), value), ierror)
    end subroutine expectation_product

    !> The expectation value in a computational basis state: bit q of ones is
    !> the state of qubit q.
    subroutine expectation_basis(self, ones, value, ierror)
        class(paulimpi_sum), intent(in) :: self
        integer(paulimpi_index), contiguous, intent(in) :: ones(:)
        real(paulimpi_real), intent(out) :: value
        integer, optional, intent(out) :: ierror

        integer(c_int) :: code

        value = 0
        if (self%is_valid() .and. size(ones) /= paulimpi_pauli_words(self%qubits())) then
            ! Other ranks wait for this one.
            code = c_sum_expectation_basis(self%handle, value=value)
            call refuse(paulimpi_err_argument, &
                "paulimpi_sum%expectation: ones needs paulimpi_pauli_words(qubits) words", ierror)
            return
        end if
        call report(c_sum_expectation_basis(self%handle, ones, value), ierror)
    end subroutine expectation_basis

    !> The overlap of two sums: sum over strings of the products of their
    !> coefficients, which is trace(A B) / 2^n.
    subroutine overlap(self, other, value, ierror)
        class(paulimpi_sum), intent(in) :: self, other
        real(paulimpi_real), intent(out) :: value
        integer, optional, intent(out) :: ierror

        value = 0
        call report(c_sum_overlap(self%handle, other%handle, value), ierror)
    end subroutine overlap

    !> Count terms by weight: count(w) of weight w, with c^2 that add up to
    !> square(w); both from 0 to the number of qubits.
    subroutine weight_histogram(self, count, square, ierror)
        class(paulimpi_sum), intent(in) :: self
        integer(paulimpi_index), allocatable, intent(out) :: count(:)
        real(paulimpi_real), allocatable, optional, intent(out) :: square(:)
        integer, optional, intent(out) :: ierror
        real(paulimpi_real), allocatable :: squares(:)
        integer(paulimpi_index) :: n

        n = max(self%qubits(), 0_paulimpi_index)
        allocate (count(0:n), squares(0:n))
        call report(c_sum_weight_histogram(self%handle, n + 1, count, squares), ierror)
        if (present(square)) call move_alloc(squares, square)
    end subroutine weight_histogram

    !> Write the sum as text that add reads. Empty on failure.
    subroutine get_text(self, text, ierror)
        class(paulimpi_sum), intent(in) :: self
        character(:), allocatable, intent(out) :: text
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: written
        integer(c_int) :: code

        code = c_sum_text(self%handle, written)
        call take_text(written, text)
        call report(code, ierror)
    end subroutine get_text

    !> Write a file, one term a line. It appears whole or not at all.
    subroutine write_file(self, path, ierror)
        class(paulimpi_sum), intent(in) :: self
        character(*), intent(in) :: path
        integer, optional, intent(out) :: ierror

        call report(c_sum_write(self%handle, c_text(path)), ierror)
    end subroutine write_file

    !> Add the terms of a file; "-" is standard input.
    subroutine read_file(self, path, ierror)
        class(paulimpi_sum), intent(inout) :: self
        character(*), intent(in) :: path
        integer, optional, intent(out) :: ierror

        call report(c_sum_read(self%handle, c_text(path)), ierror)
    end subroutine read_file
end module paulimpi_sum_m
