! SPDX-License-Identifier: BSD-3-Clause
!
! Propagation of a sum through a circuit: options, report and progress. The
! work itself is started by propagate of a paulimpi_sum.
module paulimpi_propagate_m
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_ptr
    use paulimpi_c, only: paulimpi_propagation_layer, paulimpi_propagation_options, &
        paulimpi_propagation_progress, paulimpi_propagation_report, paulimpi_truncation
    use paulimpi_kinds, only: paulimpi_int
    implicit none
    private
    public :: paulimpi_propagation_layer, paulimpi_propagation_options
    public :: paulimpi_propagation_progress, paulimpi_propagation_report, paulimpi_truncation
    public :: paulimpi_progress, progress_call, progress_caller

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
