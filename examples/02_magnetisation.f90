! SPDX-License-Identifier: BSD-3-Clause
!
! The magnetisation of qubit 62 after five steps of the 127-qubit kicked Ising
! circuit, for 17 strengths of the kicks.
program magnetisation
    use, intrinsic :: iso_fortran_env, only: real64
    use mpi_f08, only: MPI_COMM_WORLD, MPI_Finalize, MPI_Init_thread, MPI_THREAD_FUNNELED
    use paulimpi
    implicit none
    type(paulimpi_context) :: ctx
    type(paulimpi_circuit) :: circuit
    type(paulimpi_sum) :: z
    type(paulimpi_propagation_options) :: options
    real(real64) :: value
    real(real64), parameter :: pi = acos(-1.0_real64)
    integer :: k, provided

    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
    call ctx%create(MPI_COMM_WORLD)
    do k = 0, 16
        call circuit%kicked_ising(heavy_hex_127, steps=5, theta_h=k*pi/32)
        call z%create(ctx, circuit%qubits())
        call z%add("Z62", 1.0_real64)
        options%truncation%min_abs = 1e-4_real64
        call z%propagate(circuit, options)
        call z%expectation("0", value)
        if (ctx%rank() == 0) print "(i3, f14.10)", k, value
    end do
    call z%destroy(); call circuit%destroy(); call ctx%destroy()
    call MPI_Finalize()
end program magnetisation
