! SPDX-License-Identifier: BSD-3-Clause
!
! A small TAP library for Fortran, with the checks of tap.h:
!
!     call tap_is_int(circuit%qubits(), 127, "the circuit has 127 qubits")
!     call tap_done()
module tap
    use, intrinsic :: iso_fortran_env, only: int32, int64, output_unit, real64
    implicit none
    private

    public :: tap_bail, tap_done, tap_is_int, tap_is_near, tap_is_text
    public :: tap_note, tap_ok

    integer :: n_checks = 0
    integer :: n_failed = 0

    interface tap_is_int
        module procedure is_int32
        module procedure is_int64
        module procedure is_int32_int64
        module procedure is_int64_int32
    end interface tap_is_int

contains

    ! One line for each check.
    subroutine tap_ok(condition, fact)
        logical, intent(in) :: condition
        character(*), intent(in) :: fact

        n_checks = n_checks + 1
        if (condition) then
            write (output_unit, "(a, i0, 2a)") "ok ", n_checks, " - ", fact
        else
            n_failed = n_failed + 1
            write (output_unit, "(a, i0, 2a)") "not ok ", n_checks, " - ", fact
        end if
        flush (output_unit)
    end subroutine tap_ok

    subroutine is_int64(got, want, fact)
        integer(int64), intent(in) :: got, want
        character(*), intent(in) :: fact
        character(64) :: text

        call tap_ok(got == want, fact)
        if (got /= want) then
            write (text, "(a, i0, a, i0)") "got ", got, ", want ", want
            call tap_note(trim(text))
        end if
    end subroutine is_int64

    subroutine is_int32(got, want, fact)
        integer(int32), intent(in) :: got, want
        character(*), intent(in) :: fact

        call is_int64(int(got, int64), int(want, int64), fact)
    end subroutine is_int32

    subroutine is_int32_int64(got, want, fact)
        integer(int32), intent(in) :: got
        integer(int64), intent(in) :: want
        character(*), intent(in) :: fact

        call is_int64(int(got, int64), want, fact)
    end subroutine is_int32_int64

    subroutine is_int64_int32(got, want, fact)
        integer(int64), intent(in) :: got
        integer(int32), intent(in) :: want
        character(*), intent(in) :: fact

        call is_int64(got, int(want, int64), fact)
    end subroutine is_int64_int32

    ! |got - want| <= tolerance; false for NaN.
    subroutine tap_is_near(got, want, tolerance, fact)
        real(real64), intent(in) :: got, want, tolerance
        character(*), intent(in) :: fact
        character(128) :: text
        logical :: near

        near = abs(got - want) <= tolerance
        call tap_ok(near, fact)
        if (.not. near) then
            write (text, "(2(a, es24.16), a, es9.2)") &
                "got", got, ", want", want, " within", tolerance
            call tap_note(trim(text))
        end if
    end subroutine tap_is_near

    subroutine tap_is_text(got, want, fact)
        character(*), intent(in) :: got, want
        character(*), intent(in) :: fact
        logical :: same

        same = len(got) == len(want) .and. got == want
        call tap_ok(same, fact)
        if (.not. same) then
            call tap_note("got """ // got // """, want """ // want // """")
        end if
    end subroutine tap_is_text

    ! A line of diagnosis.
    subroutine tap_note(text)
        character(*), intent(in) :: text

        write (output_unit, "(2a)") "# ", text
        flush (output_unit)
    end subroutine tap_note

    ! Nothing more can be tested.
    subroutine tap_bail(reason)
        character(*), intent(in) :: reason

        write (output_unit, "(2a)") "Bail out! ", reason
        flush (output_unit)
        stop 99
    end subroutine tap_bail

    ! Print the plan; ends the program with an error if a check failed.
    subroutine tap_done()
        write (output_unit, "(a, i0)") "1..", n_checks
        flush (output_unit)
        if (n_failed > 0) then
            stop 1
        end if
    end subroutine tap_done

end module tap

! TAP for Fortran programs of several ranks, of which only rank 0 speaks.
module tap_mpi
    use mpi_f08, only: MPI_Allreduce, MPI_Comm_rank, MPI_COMM_WORLD, MPI_IN_PLACE, MPI_LAND, &
        MPI_LOGICAL
    use tap, only: tap_ok
    implicit none
    private

    public :: tap_on_all

contains

    ! A fact that holds if it does on all ranks.
    subroutine tap_on_all(condition, fact)
        logical, intent(in) :: condition
        character(*), intent(in) :: fact
        logical :: all_hold
        integer :: rank

        all_hold = condition
        call MPI_Allreduce(MPI_IN_PLACE, all_hold, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
        call MPI_Comm_rank(MPI_COMM_WORLD, rank)
        if (rank == 0) call tap_ok(all_hold, fact)
    end subroutine tap_on_all
end module tap_mpi
