! SPDX-License-Identifier: BSD-3-Clause
!
! Pauli strings: every procedure, and copies.
program pauli
    use, intrinsic :: iso_c_binding, only: c_associated
    use, intrinsic :: iso_fortran_env, only: int64
    use paulimpi
    use tap, only: tap_done, tap_is_int, tap_is_text, tap_ok
    implicit none

    call check_labels()
    call check_bits()
    call check_algebra()
    call check_copies()
    call check_nothing()
    call tap_done()

contains

    subroutine check_labels()
        type(paulimpi_pauli) :: p
        character(:), allocatable :: text
        integer :: ierror

        call p%create(4, "XIZY")
        call tap_is_int(p%qubits(), 4, "a string has qubits")
        call tap_is_int(p%weight(), 3, "and a weight")
        call tap_is_text(p%letter(0)//p%letter(1)//p%letter(2)//p%letter(3), "XIZY", &
            "qubit 0 is leftmost")
        call tap_is_text(p%letter(4), " ", "a qubit that is not there has no letter")
        call tap_is_text(p%letter(-1), " ", "nor has qubit -1")
        call p%label(text)
        call tap_is_text(text, "XIZY", "labels are dense by default")
        call p%label(text, paulimpi_label_sparse)
        call tap_is_text(text, "X0 Z2 Y3", "and sparse on request")
        call p%label(text, paulimpi_label_dense)
        call tap_is_text(text, "XIZY", "or dense")
        call p%label(text, 7, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "another style is refused")
        call tap_is_text(text, "", "and gives no text")
        call p%create(100_int64, "Z99 X0  ")
        call tap_is_int(p%weight(), 2, "sparse labels make strings, blanks at the end are fine")
        call p%create(4, "XIZ", ierror)
        call tap_is_int(ierror, paulimpi_err_syntax, "a label that is too short is refused")
        call tap_ok(.not. p%is_valid(), "and makes no string")
    end subroutine check_labels

    subroutine check_bits()
        type(paulimpi_pauli) :: p
        integer(int64), allocatable :: x(:), z(:)
        integer :: ierror

        call tap_is_int(paulimpi_pauli_words(64), 1, "64 qubits need a word")
        call tap_is_int(paulimpi_pauli_words(65_int64), 2, "65 need two")
        call p%create(66, "X0 Y1 Z64 Y65")
        call p%bits(x, z)
        call tap_ok(all(x == [3_int64, 2_int64]) .and. all(z == [2_int64, 3_int64]), &
            "bits come out")
        call p%create(66, x, z, ierror)
        call tap_is_int(ierror, paulimpi_success, "and go in")
        call tap_is_text(p%letter(64)//p%letter(65), "ZY", "as they were")
        call p%create(66_int64, z, x)
        call tap_is_text(p%letter(64)//p%letter(65), "XY", "x and z are not exchanged")
        call p%create(65, x, z, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "a bit too many is refused")
        call p%create(66, x(:1), z, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "a word too few is refused")
        call p%create(66, x, [z, z], ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "words too many are refused")
    end subroutine check_bits

    subroutine check_algebra()
        type(paulimpi_pauli) :: a, b, c
        character(:), allocatable :: text
        logical :: answer
        integer :: phase, ierror

        call a%create(2, "XI")
        call b%create(2, "YZ")
        call a%commute(b, answer)
        call tap_ok(.not. answer, "XI and YZ do not commute")
        call a%multiply(b, c, phase)
        call c%label(text)
        call tap_is_text(text, "ZZ", "their product is ZZ")
        call tap_is_int(phase, 1, "times i")
        call b%multiply(a, c, phase)
        call tap_is_int(phase, 3, "or -i the other way round")
        call c%commute(c, answer, ierror)
        call tap_ok(answer .and. ierror == paulimpi_success, "a string commutes with itself")
        call a%equal(b, answer)
        call tap_ok(.not. answer, "XI is not YZ")
        call b%create(2, "X0")
        call a%equal(b, answer)
        call tap_ok(answer, "XI is X0")
        call b%create(3, "XII")
        call a%commute(b, answer, ierror)
        call tap_is_int(ierror, paulimpi_err_mismatch, "more qubits do not commute")
        call a%equal(b, answer, ierror)
        call tap_is_int(ierror, paulimpi_err_mismatch, "are not compared")
        call a%multiply(b, c, phase, ierror)
        call tap_is_int(ierror, paulimpi_err_mismatch, "and not multiplied")
        call tap_ok(.not. c%is_valid(), "so that there is no product")
    end subroutine check_algebra

    subroutine check_copies()
        type(paulimpi_pauli) :: a, b, many(3)
        integer :: ierror

        call a%create(2, "XY")
        b = a
        call tap_ok(.not. c_associated(a%c_handle(), b%c_handle()), "a copy is another string")
        call a%destroy()
        call tap_is_text(b%letter(1), "Y", "with the same letters")
        b = b
        call tap_is_text(b%letter(1), "Y", "a string is a copy of itself")
        many = b
        call many(1)%destroy()
        call tap_is_text(many(3)%letter(0), "X", "an array is filled with copies")
        call a%copy(b, ierror)
        call tap_is_int(ierror, paulimpi_success, "copy tells a code")
        b = many(1)
        call tap_ok(.not. b%is_valid(), "a copy of nothing is nothing")
    end subroutine check_copies

    ! A handle without a string.
    subroutine check_nothing()
        type(paulimpi_pauli) :: p, q
        character(:), allocatable :: text
        integer(int64), allocatable :: x(:), z(:)
        logical :: answer
        integer :: ierror, phase

        call p%destroy()
        call tap_is_int(p%qubits(), paulimpi_err_argument, "nothing has no qubits")
        call tap_is_int(p%weight(), paulimpi_err_argument, "no weight")
        call tap_is_text(p%letter(0), " ", "no letters")
        call p%label(text, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "no label")
        call p%bits(x, z, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "no bits")
        call p%commute(q, answer, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "nothing to commute with")
        call p%equal(q, answer, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "to compare with")
        call p%multiply(q, q, phase, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "or to multiply with")
    end subroutine check_nothing
end program pauli
