! SPDX-License-Identifier: BSD-3-Clause
!
! One Pauli string: labels, bits, products.
!
! Qubits are counted from 0. In bits, qubit q is bit mod(q, 64) of word
! q / 64 + 1 of two arrays x and z of paulimpi_pauli_words(n) words: I = (0,0),
! X = (1,0), Z = (0,1), Y = (1,1).
module paulimpi_pauli_m
    use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_null_ptr, c_ptr
    use paulimpi_c, only: c_pauli_bits, c_pauli_commute, c_pauli_create, c_pauli_create_bits, &
        c_pauli_destroy, c_pauli_equal, c_pauli_label, c_pauli_letter, c_pauli_multiply, &
        c_pauli_qubits, c_pauli_weight, c_pauli_words
    use paulimpi_kinds, only: paulimpi_index, paulimpi_int
    use paulimpi_status_m, only: paulimpi_err_argument, paulimpi_success
    use paulimpi_support, only: c_text, refuse, report, take_text
    implicit none
    private
    public :: paulimpi_pauli, paulimpi_pauli_words

    integer(paulimpi_int), parameter, public :: paulimpi_label_dense = 0
    integer(paulimpi_int), parameter, public :: paulimpi_label_sparse = 1

    type :: paulimpi_pauli
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        generic :: create => create_int, create_index, create_bits_int, create_bits_index
        procedure :: copy
        procedure :: destroy
        procedure :: is_valid
        procedure :: c_handle
        procedure :: qubits
        procedure :: weight
        procedure :: letter
        procedure :: bits
        procedure :: label => get_label
        procedure :: commute
        procedure :: equal
        procedure :: multiply
        generic :: assignment(=) => assign
        procedure, private :: create_int
        procedure, private :: create_index
        procedure, private :: create_bits_int
        procedure, private :: create_bits_index
        procedure, private :: assign
        final :: release
    end type paulimpi_pauli

    !> Count the 64-bit words that n_qubits qubits need in x, and in z.
    interface paulimpi_pauli_words
        module procedure words_int
        module procedure words_index
    end interface paulimpi_pauli_words

contains

    integer(paulimpi_index) function words_int(n_qubits)
        integer(paulimpi_int), intent(in) :: n_qubits

        words_int = c_pauli_words(int(n_qubits, paulimpi_index))
    end function words_int

    integer(paulimpi_index) function words_index(n_qubits)
        integer(paulimpi_index), intent(in) :: n_qubits

        words_index = c_pauli_words(n_qubits)
    end function words_index

    !> Make a string from a label: "XIZY" (qubit 0 first) or "X0 Z2 Y3". What
    !> the handle held before is freed first.
    subroutine create_index(self, n_qubits, label, ierror)
        class(paulimpi_pauli), intent(inout) :: self
        integer(paulimpi_index), intent(in) :: n_qubits
        character(*), intent(in) :: label
        integer, optional, intent(out) :: ierror

        call self%destroy()
        call report(c_pauli_create(n_qubits, c_text(label), self%handle), ierror)
    end subroutine create_index

    subroutine create_int(self, n_qubits, label, ierror)
        class(paulimpi_pauli), intent(inout) :: self
        integer(paulimpi_int), intent(in) :: n_qubits
        character(*), intent(in) :: label
        integer, optional, intent(out) :: ierror

        call self%create(int(n_qubits, paulimpi_index), label, ierror)
    end subroutine create_int

    !> Make a string from its bits.
    subroutine create_bits_index(self, n_qubits, x, z, ierror)
        class(paulimpi_pauli), intent(inout) :: self
        integer(paulimpi_index), intent(in) :: n_qubits
        integer(paulimpi_index), contiguous, intent(in) :: x(:), z(:)
        integer, optional, intent(out) :: ierror

        call self%destroy()
        if (any([size(x), size(z)] /= c_pauli_words(n_qubits))) then
            call refuse(paulimpi_err_argument, &
                "paulimpi_pauli%create: x and z need paulimpi_pauli_words(n_qubits) words", &
                ierror)
            return
        end if
        call report(c_pauli_create_bits(n_qubits, x, z, self%handle), ierror)
    end subroutine create_bits_index

    subroutine create_bits_int(self, n_qubits, x, z, ierror)
        class(paulimpi_pauli), intent(inout) :: self
        integer(paulimpi_int), intent(in) :: n_qubits
        integer(paulimpi_index), contiguous, intent(in) :: x(:), z(:)
        integer, optional, intent(out) :: ierror

        call self%create(int(n_qubits, paulimpi_index), x, z, ierror)
    end subroutine create_bits_int

    !> Become a copy of another string, or nothing if other is nothing.
    subroutine copy(self, other, ierror)
        class(paulimpi_pauli), intent(inout) :: self
        class(paulimpi_pauli), intent(in) :: other
        integer, optional, intent(out) :: ierror
        integer(paulimpi_index), allocatable :: x(:), z(:)
        type(c_ptr) :: handle
        integer(c_int) :: code

        handle = c_null_ptr
        code = paulimpi_success
        if (other%is_valid()) then
            call other%bits(x, z)
            code = c_pauli_create_bits(other%qubits(), x, z, handle)
        end if
        if (code == paulimpi_success) then
            call c_pauli_destroy(self%handle)
            self%handle = handle
        end if
        call report(code, ierror)
    end subroutine copy

    impure elemental subroutine assign(self, other)
        class(paulimpi_pauli), intent(inout) :: self
        class(paulimpi_pauli), intent(in) :: other

        call self%copy(other)
    end subroutine assign

    !> Free the string; a handle without one is fine.
    subroutine destroy(self)
        class(paulimpi_pauli), intent(inout) :: self

        call c_pauli_destroy(self%handle)
    end subroutine destroy

    impure elemental subroutine release(self)
        type(paulimpi_pauli), intent(inout) :: self

        call c_pauli_destroy(self%handle)
    end subroutine release

    !> Tell whether the handle holds a string.
    logical function is_valid(self)
        class(paulimpi_pauli), intent(in) :: self

        is_valid = c_associated(self%handle)
    end function is_valid

    !> The paulimpi_pauli * of C; it stays the handle's.
    type(c_ptr) function c_handle(self)
        class(paulimpi_pauli), intent(in) :: self

        c_handle = self%handle
    end function c_handle

    !> The number of qubits; paulimpi_err_argument for a handle without a string.
    integer(paulimpi_index) function qubits(self)
        class(paulimpi_pauli), intent(in) :: self

        qubits = c_pauli_qubits(self%handle)
    end function qubits

    !> The number of letters that are not I; paulimpi_err_argument for a handle
    !> without a string.
    integer(paulimpi_index) function weight(self)
        class(paulimpi_pauli), intent(in) :: self

        weight = c_pauli_weight(self%handle)
    end function weight

    !> The letter of a qubit, or a blank for a qubit that is not there.
    character function letter(self, qubit)
        class(paulimpi_pauli), intent(in) :: self
        integer, intent(in) :: qubit

        letter = achar(max(c_pauli_letter(self%handle, int(qubit, paulimpi_index)), iachar(" ")))
    end function letter

    !> Copy the bits out.
    subroutine bits(self, x, z, ierror)
        class(paulimpi_pauli), intent(in) :: self
        integer(paulimpi_index), allocatable, intent(out) :: x(:), z(:)
        integer, optional, intent(out) :: ierror

        allocate (x(c_pauli_words(self%qubits())), z(c_pauli_words(self%qubits())))
        call report(c_pauli_bits(self%handle, x, z), ierror)
    end subroutine bits

    !> Write the label: paulimpi_label_dense (the default) or
    !> paulimpi_label_sparse. Empty on failure.
    subroutine get_label(self, text, style, ierror)
        class(paulimpi_pauli), intent(in) :: self
        character(:), allocatable, intent(out) :: text
        integer, optional, intent(in) :: style
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: label
        integer(c_int) :: code, how

        how = paulimpi_label_dense
        if (present(style)) how = style
        code = c_pauli_label(self%handle, how, label)
        call take_text(label, text)
        call report(code, ierror)
    end subroutine get_label

    !> Tell whether two strings commute.
    subroutine commute(self, other, answer, ierror)
        class(paulimpi_pauli), intent(in) :: self, other
        logical, intent(out) :: answer
        integer, optional, intent(out) :: ierror
        integer(c_int) :: code

        code = c_pauli_commute(self%handle, other%handle)
        answer = code == 1
        call report(min(code, paulimpi_success), ierror)
    end subroutine commute

    !> Tell whether two strings are the same.
    subroutine equal(self, other, answer, ierror)
        class(paulimpi_pauli), intent(in) :: self, other
        logical, intent(out) :: answer
        integer, optional, intent(out) :: ierror
        integer(c_int) :: code

        code = c_pauli_equal(self%handle, other%handle)
        answer = code == 1
        call report(min(code, paulimpi_success), ierror)
    end subroutine equal

    !> Multiply: self times other is i**phase times product.
    subroutine multiply(self, other, product, phase, ierror)
        class(paulimpi_pauli), intent(in) :: self, other
        class(paulimpi_pauli), intent(inout) :: product
        integer, intent(out) :: phase
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: handle
        integer(c_int) :: code

        phase = 0
        code = c_pauli_multiply(self%handle, other%handle, handle, phase)
        call product%destroy()
        product%handle = handle
        call report(code, ierror)
    end subroutine multiply
end module paulimpi_pauli_m
