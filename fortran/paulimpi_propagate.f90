! SPDX-License-Identifier: BSD-3-Clause
!
! Propagation of a sum through a circuit: options, report and progress. The
! work itself is started by propagate of a paulimpi_sum.
module paulimpi_propagate_m
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_loc, c_ptr
    use paulimpi_c, only: paulimpi_propagation_layer, paulimpi_propagation_options, &
        paulimpi_propagation_progress, paulimpi_propagation_report, paulimpi_truncation
    use paulimpi_kinds, only: paulimpi_index, paulimpi_int, paulimpi_real
    use paulimpi_pauli_m, only: paulimpi_pauli_words
    use paulimpi_status_m, only: paulimpi_err_argument
    use paulimpi_support, only: refuse, report
    implicit none
    private
    public :: paulimpi_propagation_layer, paulimpi_propagation_options
    public :: paulimpi_propagation_progress, paulimpi_propagation_report, paulimpi_truncation
    public :: paulimpi_progress, paulimpi_rows, point_to_rows, progress_call, progress_caller
    public :: report_rows

    !> How max_terms of a truncation chooses terms: the largest, all that tie
    !> at the cut dropped;
    integer(paulimpi_int), parameter, public :: paulimpi_keep_largest = 0
    !> of those that tie the first ones by label;
    integer(paulimpi_int), parameter, public :: paulimpi_keep_first = 1
    !> the largest, to a sixteenth of an octave;
    integer(paulimpi_int), parameter, public :: paulimpi_keep_roughly = 2
    !> at random, unbiased, by the seed of the truncation.
    integer(paulimpi_int), parameter, public :: paulimpi_keep_random = 3

    !> O -> U^dagger O U, last gate first.
    integer(paulimpi_int), parameter, public :: paulimpi_heisenberg = 0
    !> rho -> U rho U^dagger, first gate first.
    integer(paulimpi_int), parameter, public :: paulimpi_schroedinger = 1
    integer(paulimpi_int), parameter, public :: paulimpi_engine_automatic = 0
    !> Gate by gate, over the whole sum.
    integer(paulimpi_int), parameter, public :: paulimpi_engine_in_place = 1
    !> Groups of gates, over parts of the sum that stay in the caches.
    integer(paulimpi_int), parameter, public :: paulimpi_engine_tile = 2
    !> The same, but rotations that commute are taken orbit by orbit.
    integer(paulimpi_int), parameter, public :: paulimpi_engine_orbit = 3

    !> What says on which rank a term is, where there are several: rows drawn so
    !> that they stay for long and all ranks have as many terms;
    integer(paulimpi_int), parameter, public :: paulimpi_rows_planned = 0
    !> drawn by rows_seed alone;
    integer(paulimpi_int), parameter, public :: paulimpi_rows_random = 1
    !> parities of the z bits, and of the x bits, of blocks of qubits;
    integer(paulimpi_int), parameter, public :: paulimpi_rows_blocks = 2
    !> as planned, but without some coordinates;
    integer(paulimpi_int), parameter, public :: paulimpi_rows_exclude = 3
    !> those that are given.
    integer(paulimpi_int), parameter, public :: paulimpi_rows_given = 4

    !> How terms move to another rank of the same node: through a segment when
    !> there are enough of them and there is room, else by MPI;
    integer(paulimpi_int), parameter, public :: paulimpi_transport_automatic = 0
    !> through a segment, or it is an error;
    integer(paulimpi_int), parameter, public :: paulimpi_transport_segment = 1
    !> by MPI.
    integer(paulimpi_int), parameter, public :: paulimpi_transport_mpi = 2

    !> What belongs to the choice of rows: x(:, i) and z(:, i) are the
    !> coordinates of row i that is given, or coordinates to be excluded, in
    !> paulimpi_pauli_words(qubits) words, of which one array may be left out;
    !> the block of each qubit, from 0, or -1; and a weight for each rank, which
    !> gets terms by it.
    type :: paulimpi_rows
        integer(paulimpi_index), allocatable :: x(:, :), z(:, :)
        integer(paulimpi_index), allocatable :: blocks(:)
        real(paulimpi_real), allocatable :: weights(:)
    end type paulimpi_rows

    abstract interface
        !> Look at how far a propagation has come, between gates; cancel is
        !> .false. and, set to .true., ends it with paulimpi_err_cancelled. An
        !> internal procedure sees the variables around it, but gfortran needs
        !> an executable stack for it; a procedure of a module does not.
        subroutine paulimpi_progress(progress, cancel)
            import
            type(paulimpi_propagation_progress), intent(in) :: progress
            logical, intent(inout) :: cancel
        end subroutine paulimpi_progress
    end interface

    !> What propagate hands through C to progress_caller.
    type :: progress_call
        procedure(paulimpi_progress), pointer, nopass :: progress => null()
    end type progress_call

contains

    !> Let options point to rows for so many qubits; fits is .false., and C will
    !> refuse the options, if their arrays have other shapes.
    subroutine point_to_rows(options, rows, qubits, fits)
        type(paulimpi_propagation_options), intent(inout) :: options
        type(paulimpi_rows), target, intent(in) :: rows
        integer(paulimpi_index), intent(in) :: qubits
        logical, intent(out) :: fits

        fits = .true.
        if (allocated(rows%x)) then
            options%rows_x = c_loc(rows%x)
            options%n_rows = size(rows%x, 2, paulimpi_index)
            fits = size(rows%x, 1, paulimpi_index) == paulimpi_pauli_words(qubits)
        end if
        if (allocated(rows%z)) then
            options%rows_z = c_loc(rows%z)
            options%n_rows = size(rows%z, 2, paulimpi_index)
            fits = fits .and. size(rows%z, 1, paulimpi_index) == paulimpi_pauli_words(qubits)
            if (allocated(rows%x)) fits = fits .and. size(rows%x, 2) == size(rows%z, 2)
        end if
        if (.not. fits) options%n_rows = -1
        if (allocated(rows%blocks)) then
            options%blocks = c_loc(rows%blocks)
            options%n_blocks = size(rows%blocks, kind=paulimpi_index)
        end if
        if (allocated(rows%weights)) then
            options%weights = c_loc(rows%weights)
            options%n_weights = size(rows%weights, kind=paulimpi_index)
        end if
    end subroutine point_to_rows

    !> Say what C made of options, or why it could not.
    subroutine report_rows(code, fits, name, ierror)
        integer(c_int), intent(in) :: code
        logical, intent(in) :: fits
        character(*), intent(in) :: name
        integer, optional, intent(out) :: ierror

        if (fits) then
            call report(code, ierror)
        else
            call refuse(paulimpi_err_argument, name//": x and z of the rows need the shape " &
                //"[paulimpi_pauli_words(qubits), rows]", ierror)
        end if
    end subroutine report_rows

    !> The callback that C calls, with a progress_call as its data.
    function progress_caller(progress, data) result(stop) bind(c, name="")
        type(paulimpi_propagation_progress), intent(in) :: progress
        type(c_ptr), value :: data
        integer(c_int) :: stop
        type(progress_call), pointer :: callback
        logical :: cancel

        call c_f_pointer(data, callback)
        cancel = .false.
        call callback%progress(progress, cancel)
        stop = merge(1_c_int, 0_c_int, cancel)
    end function progress_caller
end module paulimpi_propagate_m
