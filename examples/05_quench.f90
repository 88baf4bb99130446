! SPDX-License-Identifier: BSD-3-Clause
!
! A chain of spins, all up, after a transverse field is switched on: the
! magnetisation of the middle spin as time goes on, from a Hamiltonian that is
! written as text. Runs with or without a launcher.
program quench
    use, intrinsic :: iso_fortran_env, only: error_unit, real64
    use paulimpi
    implicit none
    integer, parameter :: n = 10
    real(real64), parameter :: dt = 0.05_real64
    type(paulimpi_context) :: ctx
    type(paulimpi_sum) :: energy, z
    type(paulimpi_circuit) :: circuit
    type(paulimpi_propagation_options) :: options
    type(paulimpi_propagation_report) :: report
    real(real64) :: value
    character(32) :: term
    integer :: ierror, q, steps

    call ctx%create_launched()

    ! H = - sum of Z Z along the open chain - 0.8 sum of X.
    call energy%create(ctx, n)
    do q = 0, n - 1
        write (term, "('X', i0)") q
        call energy%add(term, -0.8_real64)
        if (q == n - 1) exit
        write (term, "('Z', i0, ' Z', i0)") q, q + 1
        call energy%add(term, -1.0_real64)
    end do

    options%truncation%min_abs = 1e-6_real64
    do steps = 0, 20, 4
        call circuit%create(n)
        call circuit%trotter(energy, dt, steps, order=2)
        call z%create(ctx, n)
        call z%add("Z5")
        ! With ierror the program decides what a failure means.
        call z%propagate(circuit, options, report, ierror=ierror)
        if (ierror /= paulimpi_success) then
            write (error_unit, "(a)") paulimpi_last_error()
            error stop 1
        end if
        call z%expectation("0", value)
        if (ctx%rank() == 0) then
            print "('t = ', f4.2, '  <Z5> = ', f8.5, i8, ' terms')", steps*dt, value, z%terms()
        end if
    end do

    call z%destroy()
    call energy%destroy()
    call circuit%destroy()
    call ctx%destroy()
end program quench
