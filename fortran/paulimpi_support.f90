! SPDX-License-Identifier: BSD-3-Clause
!
! What the modules share: error codes to callers, texts to and from C. Not for
! users.
module paulimpi_support
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, &
        c_null_char, c_ptr, c_size_t
    use, intrinsic :: iso_fortran_env, only: error_unit
    use paulimpi_c, only: c_f_abort, c_f_forget_refusal, c_f_last_error, c_f_refuse, &
        c_text_destroy
    implicit none
    private
    public :: c_text, copy_text, give_back, refuse, report, take_text

    interface
        integer(c_size_t) function c_strlen(text) bind(c, name="strlen")
            import
            type(c_ptr), value :: text
        end function c_strlen
    end interface

contains

    !> Hand the code of a C function to a caller who asked for it; stop the job
    !> for the others if it failed.
    subroutine report(code, ierror)
        integer(c_int), intent(in) :: code
        integer, optional, intent(out) :: ierror

        if (code /= 0) call c_f_forget_refusal()
        call give_back(code, ierror)
    end subroutine report

    !> Fail with a sentence of our own.
    subroutine refuse(code, sentence, ierror)
        integer(c_int), intent(in) :: code
        character(*), intent(in) :: sentence
        integer, optional, intent(out) :: ierror

        call c_f_refuse(c_text(sentence))
        call give_back(code, ierror)
    end subroutine refuse

    !> Hand a code over whose sentence stands already.
    subroutine give_back(code, ierror)
        integer(c_int), intent(in) :: code
        integer, optional, intent(out) :: ierror

        if (present(ierror)) then
            ierror = code
        else if (code /= 0) then
            write (error_unit, "(a)") copy_text(c_f_last_error())
            flush (error_unit)
            call c_f_abort()
            error stop 1
        end if
    end subroutine give_back

    !> A text as C wants it; blanks at its end mean nothing in Fortran.
    pure function c_text(text) result(terminated)
        character(*), intent(in) :: text
        character(len_trim(text) + 1, c_char) :: terminated

        terminated = trim(text)//c_null_char
    end function c_text

    !> Copy a text of C, which keeps it; empty for NULL.
    function copy_text(text) result(copy)
        type(c_ptr), intent(in) :: text
        character(:), allocatable :: copy
        character(kind=c_char), pointer :: letters(:)
        integer :: i, length

        length = 0
        if (c_associated(text)) length = int(c_strlen(text))
        allocate (character(length) :: copy)
        if (length == 0) return
        call c_f_pointer(text, letters, [length])
        do i = 1, length
            copy(i:i) = letters(i)
        end do
    end function copy_text

    !> Copy a text that the C library made for us, and free it.
    subroutine take_text(text, copy)
        type(c_ptr), intent(inout) :: text
        character(:), allocatable, intent(out) :: copy

        copy = copy_text(text)
        call c_text_destroy(text)
    end subroutine take_text
end module paulimpi_support
