! SPDX-License-Identifier: BSD-3-Clause
!
! A program that asks for no codes and fails, for stops.sh: without MPI, or
! with the argument "mpi" on the last rank, for which the others wait.
program stops
    use mpi_f08, only: MPI_Barrier, MPI_COMM_WORLD, MPI_Init
    use paulimpi, only: paulimpi_context, paulimpi_sum
    implicit none
    type(paulimpi_context) :: ctx, own
    type(paulimpi_sum) :: sum
    character(3) :: argument

    call get_command_argument(1, argument)
    if (argument == "mpi") then
        call MPI_Init()
        call ctx%create(MPI_COMM_WORLD)
    else
        call ctx%create_serial()
    end if
    call own%create_serial()
    call sum%create(own, 3)
    if (ctx%rank() == ctx%size() - 1) call sum%add("Z0 + Q1")
    if (argument == "mpi") call MPI_Barrier(MPI_COMM_WORLD)
    print "(a)", "still here"
end program stops
