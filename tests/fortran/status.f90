! SPDX-License-Identifier: BSD-3-Clause
!
! Codes, texts, the version; and what happens without ierror.
program status
    use paulimpi
    use tap, only: tap_done, tap_is_int, tap_is_text, tap_ok
    implicit none

    call check_texts()
    call check_version()
    call check_last_error()
    call tap_done()

contains

    subroutine check_texts()
        integer, parameter :: unknown = 12345
        integer :: code

        call tap_is_text(paulimpi_error_name(paulimpi_success), "PAULIMPI_SUCCESS", &
            "success has a name")
        call tap_is_text(paulimpi_error_name(paulimpi_err_memory), "PAULIMPI_ERR_MEMORY", &
            "a code has a name")
        call tap_is_text(paulimpi_error_name(unknown), "PAULIMPI_ERR_?", &
            "an unknown code has none")
        do code = paulimpi_err_internal, paulimpi_success
            call tap_ok(len(paulimpi_strerror(code)) > 0, &
                paulimpi_error_name(code)//" is described")
        end do
        call tap_ok(len(paulimpi_strerror(unknown)) > 0, "so is an unknown code")
    end subroutine check_texts

    subroutine check_version()
        character(:), allocatable :: text
        integer :: major, minor, patch, ierror
        character(32) :: version

        call paulimpi_version(major, minor, patch)
        write (version, "(i0, 2('.', i0))") major, minor, patch
        call paulimpi_info(text, ierror)
        call tap_is_int(ierror, paulimpi_success, "the library describes itself")
        call tap_ok(index(text, trim(version)) > 0, "with the version that it tells")
        call tap_ok(index(text, new_line("a")) > 0, "line by line")
        call paulimpi_info(text)
        call tap_ok(len(text) > 0, "ierror may be left out")
    end subroutine check_version

    ! Sentences come from the C library and from the checks of array shapes.
    subroutine check_last_error()
        type(paulimpi_pauli) :: pauli
        integer :: ierror

        call tap_is_text(paulimpi_last_error(), "", "at first nothing has failed")
        call pauli%create(0, "X", ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "0 qubits are refused")
        call tap_ok(index(paulimpi_last_error(), "n_qubits") > 0, "in a sentence of C")
        call pauli%create(65, [0_paulimpi_index], [0_paulimpi_index], ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "arrays that are too short are refused")
        call tap_ok(index(paulimpi_last_error(), "words") > 0, "in a sentence of Fortran")
        call pauli%create(3, "XQZ", ierror)
        call tap_is_int(ierror, paulimpi_err_syntax, "a letter that is none is refused")
        call tap_ok(index(paulimpi_last_error(), "Q") > 0, "in a sentence of C again")
    end subroutine check_last_error
end program status
