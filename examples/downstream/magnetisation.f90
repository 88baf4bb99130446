! SPDX-License-Identifier: BSD-3-Clause
!
! One qubit turned by 60 degrees: <Z> = cos(60 degrees) = 1/2.
program magnetisation
    use, intrinsic :: iso_fortran_env, only: real64
    use mpi_f08, only: MPI_COMM_WORLD, MPI_Finalize, MPI_Init_thread, &
        MPI_THREAD_FUNNELED
    use paulimpi, only: paulimpi_circuit, paulimpi_context, paulimpi_sum
    implicit none
    type(paulimpi_context) :: ctx
    type(paulimpi_circuit) :: circuit
    type(paulimpi_sum) :: z
    real(real64) :: value
    integer :: provided

    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
    call ctx%create(MPI_COMM_WORLD)
    call circuit%create(1)
    call circuit%rx(0, acos(0.5_real64))
    call z%create(ctx, circuit%qubits())
    call z%add("Z0", 1.0_real64)
    call z%propagate(circuit)
    call z%expectation("0", value)
    print "(a, f14.12)", "<Z0> = ", value
    call z%destroy()
    call circuit%destroy()
    call ctx%destroy()
    call MPI_Finalize()
    if (abs(value - 0.5_real64) > 1e-14_real64) error stop 1
end program magnetisation
