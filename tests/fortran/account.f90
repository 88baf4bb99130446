! SPDX-License-Identifier: BSD-3-Clause
!
! Counters, phases and budgets, of messages of a rank to itself.
program account
    use, intrinsic :: iso_c_binding, only: c_loc
    use, intrinsic :: iso_fortran_env, only: int64
    use paulimpi
    use tap, only: tap_done, tap_is_int, tap_is_text, tap_ok
    implicit none
    type(paulimpi_context) :: ctx
    integer, target :: from(10) = 1, to(10) = 0

    call ctx%create_serial()
    call check_counter()
    call check_budget()
    call check_refused()
    call ctx%destroy()
    call tap_done()

contains

    ! One message of 40 bytes.
    subroutine send()
        call paulimpi_exchange(ctx, &
            send=[paulimpi_message(paulimpi_region_1d(c_loc(from), 40_int64), 0, 1)], &
            recv=[paulimpi_message(paulimpi_region_1d(c_loc(to), 40_int64), 0, 1)])
    end subroutine send

    subroutine check_counter()
        type(paulimpi_counter) :: counter
        type(paulimpi_count_of_ranks) :: ranks
        character(:), allocatable :: text
        integer(int64) :: events, bytes

        call counter%create("step")
        call tap_ok(counter%is_valid(), "a counter is made")
        call counter%begin()
        call send()
        call paulimpi_phase_begin("halo")
        call send()
        call send()
        call paulimpi_phase_end()
        call counter%end()
        call send()
        call counter%get(paulimpi_count_self, events, bytes)
        call tap_ok(events == 3 .and. bytes == 120, "it counts while it runs")
        call counter%get(paulimpi_count_self, events, bytes, phase="halo")
        call tap_ok(events == 2 .and. bytes == 80, "by phase")
        call counter%get(paulimpi_count_any, events, phase="")
        call tap_is_int(events, 1, "also outside of phases")
        call counter%get(paulimpi_count_to_host, events, bytes)
        call tap_ok(events == 0 .and. bytes == 0, "and by kind")
        call counter%reduce(ctx, paulimpi_count_self, ranks, phase="halo")
        call tap_ok(ranks%most_events == 2 .and. ranks%all_bytes == 80, "over all ranks")
        call counter%report(text)
        call tap_ok(index(text, "step: 3 events") == 1 &
            .and. index(text, "to itself, halo: 2") > 0, "and reports")
        call counter%reset()
        call counter%get(paulimpi_count_any, events)
        call tap_is_int(events, 0, "reset to nothing")
        call counter%destroy()
        call tap_ok(.not. counter%is_valid(), "and destroyed")
        call tap_is_text(paulimpi_count_name(paulimpi_count_self), "to itself", "kinds have names")
    end subroutine check_counter

    subroutine check_budget()
        type(paulimpi_counter) :: counter
        type(paulimpi_budget) :: budget
        integer :: ierror

        call budget%create()
        call tap_ok(budget%is_valid(), "a budget is made")
        call counter%create("c")
        call counter%begin()
        call paulimpi_phase_begin("halo")
        call send()
        call paulimpi_phase_end()
        call budget%allow(paulimpi_count_self, 1, bytes_each=40_int64, phase="halo")
        call budget%check(counter, ierror=ierror)
        call tap_is_int(ierror, paulimpi_success, "a counter is within it")
        call budget%allow(paulimpi_count_self, paulimpi_unlimited, bytes=39_int64)
        call budget%check(counter, ctx, ierror)
        call tap_is_int(ierror, paulimpi_err_mismatch, "or not")
        call tap_is_text(paulimpi_last_error(), &
            "paulimpi_budget_check: in all phases, to itself: 40 bytes, but at most 39 are "// &
            "allowed", "with a sentence")
        call budget%destroy()
        call tap_ok(.not. budget%is_valid(), "and destroyed")
    end subroutine check_budget

    subroutine check_refused()
        type(paulimpi_counter) :: counter
        type(paulimpi_budget) :: budget
        type(paulimpi_context) :: none
        type(paulimpi_count_of_ranks) :: ranks
        character(:), allocatable :: text
        integer(int64) :: events
        integer :: ierror

        call counter%begin(ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "no counter cannot begin")
        call counter%report(text, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "nor report")
        call counter%create("c")
        call counter%end(ierror)
        call tap_is_int(ierror, paulimpi_err_state, "one that rests cannot end")
        call counter%get(99, events, ierror=ierror)
        call tap_ok(ierror == paulimpi_err_argument .and. events == 0, "there is no kind 99")
        call counter%reduce(none, paulimpi_count_self, ranks, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "without ranks there are no sums")
        call budget%create()
        call budget%allow(paulimpi_count_self, -1, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "a limit below 0")
        call budget%check(counter, none, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "a check on no context")
        call paulimpi_phase_begin(" ", ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "a phase without a name")
        call paulimpi_phase_end(ierror)
        call tap_is_int(ierror, paulimpi_err_state, "the end of no phase")
    end subroutine check_refused
end program account
