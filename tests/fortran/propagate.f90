! SPDX-License-Identifier: BSD-3-Clause
!
! Propagation: known values, options, report, layers, progress.
module watcher
    use, intrinsic :: iso_fortran_env, only: int64
    use paulimpi, only: paulimpi_propagation_progress
    implicit none
    private
    public :: look

    integer, public :: calls
    type(paulimpi_propagation_progress), public :: last
    !> The number of gates after which to cancel.
    integer(int64), public :: patience

contains

    subroutine look(progress, cancel)
        type(paulimpi_propagation_progress), intent(in) :: progress
        logical, intent(inout) :: cancel

        calls = calls + 1
        last = progress
        cancel = progress%gates_done >= patience
    end subroutine look
end module watcher

program propagate_test
    use, intrinsic :: ieee_arithmetic, only: ieee_is_nan
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use paulimpi
    use tap, only: tap_done, tap_is_int, tap_is_near, tap_ok
    use watcher, only: calls, last, look, patience
    implicit none
    real(real64), parameter :: tiny = 1e-12_real64, pi = acos(-1.0_real64)
    type(paulimpi_context) :: ctx

    call ctx%create_serial()
    call check_small_circuit()
    call check_kicked_ising()
    call check_report()
    call check_layers()
    call check_progress()
    call check_checkpoint()
    call check_plan()
    call check_refusals()
    call ctx%destroy()
    call tap_done()

contains

    subroutine is_coefficient(sum, label, want)
        type(paulimpi_sum), intent(in) :: sum
        character(*), intent(in) :: label
        real(real64), intent(in) :: want
        real(real64) :: value

        call sum%coefficient(label, value)
        call tap_is_near(value, want, tiny, "the coefficient of "//label)
    end subroutine is_coefficient

    subroutine check_small_circuit()
        type(paulimpi_circuit) :: circuit
        type(paulimpi_sum) :: sum
        type(paulimpi_propagation_options) :: options
        type(paulimpi_propagation_report) :: report
        integer :: ierror

        call circuit%create(2)
        call circuit%ry(0, 3*pi/8)
        call circuit%rx(0, 3*pi/8)
        call circuit%rzz(0, 1, pi/2)
        call sum%create(ctx, 2)
        call sum%add("ZZ")
        call sum%propagate(circuit, ierror=ierror)
        call tap_is_int(ierror, paulimpi_success, "the Heisenberg picture is the default")
        call tap_is_int(sum%terms(), 3, "it gives three terms")
        call is_coefficient(sum, "XZ", -0.3535533905932738_real64)
        call is_coefficient(sum, "YZ", 0.9238795325112867_real64)
        call is_coefficient(sum, "ZZ", 0.1464466094067263_real64)

        call sum%create(ctx, 2)
        call sum%add("ZZ")
        options%picture = paulimpi_schroedinger
        options%engine = paulimpi_engine_in_place
        call sum%propagate(circuit, options)
        call tap_is_int(sum%terms(), 3, "so does the Schroedinger picture")
        call is_coefficient(sum, "XI", 0.3535533905932738_real64)
        call is_coefficient(sum, "YI", 0.9238795325112867_real64)
        call is_coefficient(sum, "ZZ", 0.1464466094067263_real64)

        call sum%create(ctx, 2)
        call sum%add("ZZ")
        options%engine = paulimpi_engine_tile
        call sum%propagate(circuit, options, report)
        call tap_is_int(report%engine, paulimpi_engine_tile, "the other engine")
        call is_coefficient(sum, "YI", 0.9238795325112867_real64)

        call sum%create(ctx, 2)
        call sum%add("ZZ")
        options%engine = paulimpi_engine_orbit
        call sum%propagate(circuit, options, report)
        call tap_is_int(report%engine, paulimpi_engine_orbit, "and the third")
        call is_coefficient(sum, "YI", 0.9238795325112867_real64)
    end subroutine check_small_circuit

    ! Kim et al.'s circuit, exactly: Z62 at theta_h = pi/4.
    subroutine check_kicked_ising()
        integer, parameter :: terms(4) = [2, 10, 48, 2582]
        real(real64), parameter :: values(4) = [0.707106781187_real64, 0.5_real64, &
            0.530330085890_real64, 0.48828125_real64]
        type(paulimpi_circuit) :: circuit
        type(paulimpi_sum) :: z
        type(paulimpi_propagation_options) :: options
        real(real64) :: value
        integer :: steps

        options%truncation%min_abs = 1e-13_real64
        do steps = 1, 4
            call circuit%kicked_ising(heavy_hex_127, steps=steps, theta_h=pi/4)
            call z%create(ctx, circuit%qubits())
            call z%add("Z62", 1.0_real64)
            call z%propagate(circuit, options)
            call z%expectation("0", value)
            call tap_is_int(z%terms(), terms(steps), "kicked Ising: the terms")
            call tap_is_near(value, values(steps), tiny, "and the value of Z62")
        end do
    end subroutine check_kicked_ising

    ! Z -> cos Z + sin Y; then Y is dropped.
    subroutine check_report()
        type(paulimpi_circuit) :: circuit
        type(paulimpi_sum) :: sum
        type(paulimpi_propagation_options) :: options
        type(paulimpi_propagation_report) :: report

        call circuit%create(2)
        call circuit%h(1)
        call circuit%rx(0, 0.1_real64)
        call sum%create(ctx, 2)
        call sum%add("Z0")
        call sum%propagate(circuit, options, report)
        call tap_is_int(report%gates, 2, "report: gates")
        call tap_is_int(report%terms, 2, "terms")
        call tap_is_int(report%peak_terms, 2, "peak terms")
        call tap_ok(report%peak_bytes > 0, "peak bytes")
        call tap_is_int(report%term_gates, 3, "term-gates")
        call tap_is_int(report%active_gates, 1, "active ones")
        call tap_is_near(report%dropped_norm1, 0.0_real64, 0.0_real64, "nothing dropped")
        call tap_ok(report%seconds >= 0, "seconds")
        call tap_ok(report%threads >= 1, "threads")
        call tap_is_int(report%ranks, 1, "ranks")
        call tap_is_int(report%engine, paulimpi_engine_tile, "engine")

        call sum%create(ctx, 2)
        call sum%add("Z0")
        options%truncation%min_abs = 0.5_real64
        call sum%propagate(circuit, options, report)
        call tap_is_int(report%terms, 1, "Y is dropped")
        call tap_is_near(report%dropped_norm1, sin(0.1_real64), tiny, "its 1-norm")
        call tap_is_near(report%dropped_norm2, sin(0.1_real64), tiny, "its 2-norm")
        call tap_is_near(report%error_bound, sin(0.1_real64), tiny, "the error bound")
        options%picture = paulimpi_schroedinger
        call sum%propagate(circuit, options, report)
        call tap_ok(ieee_is_nan(report%error_bound), "none in the Schroedinger picture")
    end subroutine check_report

    subroutine check_layers()
        type(paulimpi_circuit) :: circuit
        type(paulimpi_sum) :: sum
        type(paulimpi_propagation_layer) :: layers(4)

        call circuit%create(2)
        call circuit%rz(0, 0.3_real64)
        call circuit%rx(1, 0.2_real64)
        call circuit%rx(0, 0.1_real64)
        call sum%create(ctx, 2)
        call sum%add("Z0")
        layers%gate = -7
        call sum%propagate(circuit, layers=layers)
        call tap_ok(all(layers%gate == [2, 1, 0, -7]), "layers: the last gate acts first")
        call tap_ok(all(layers(:3)%terms_before == [1, 2, 2]), "terms before each")
        call tap_ok(all(layers(:3)%terms_after == [2, 2, 3]), "terms after each")
        call tap_ok(all(layers(:3)%active == [1, 0, 1]), "active ones")
        call sum%propagate(circuit, layers=layers(:0))
        call tap_ok(all(layers%gate == [2, 1, 0, -7]), "room for none is left alone")
    end subroutine check_layers

    subroutine check_progress()
        type(paulimpi_circuit) :: circuit
        type(paulimpi_sum) :: sum
        type(paulimpi_propagation_options) :: options
        type(paulimpi_propagation_report) :: report
        integer :: ierror

        call circuit%kicked_ising(heavy_hex_127, steps=3, theta_h=pi/4)
        call sum%create(ctx, 127)
        call sum%add("Z62")
        calls = 0
        patience = huge(patience)
        call sum%propagate(circuit, options, report, progress=look)
        call tap_ok(calls > 0, "progress is shown")
        call tap_is_int(last%gates, circuit%gates(), "of all gates")
        call tap_ok(last%gates_done > 0 .and. last%gates_done <= last%gates, "some are done")
        call tap_ok(last%terms > 0 .and. last%bytes > 0, "with some terms")
        call tap_ok(last%term_gates > 0 .and. last%seconds >= 0, "some work, some time")
        patience = 1
        call sum%propagate(circuit, options, report, look, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_cancelled, "the callback can end it")
        call tap_ok(report%gates < circuit%gates(), "before all gates have acted")
        call tap_is_int(report%terms, sum%terms(), "and the report tells what is left")
    end subroutine check_progress

    ! Stopped in the middle, gone on from the file, and in one go.
    subroutine check_checkpoint()
        character(*), parameter :: path = "fortran-propagate.checkpoint"
        type(paulimpi_circuit) :: circuit
        type(paulimpi_sum) :: whole, part
        type(paulimpi_propagation_options) :: options
        type(paulimpi_propagation_report) :: whole_report, report
        real(real64) :: want, value
        integer :: ierror, unit

        call circuit%kicked_ising(heavy_hex_127, steps=4, theta_h=0.7_real64)
        options%truncation%min_abs = 1e-3_real64
        call whole%create(ctx, 127)
        call whole%add("Z62")
        call whole%propagate(circuit, options, whole_report)
        call whole%expectation("0", want)

        call part%create(ctx, 127)
        call part%add("Z62")
        patience = 600
        options%checkpoint_gates = 100
        call part%propagate(circuit, options, report, look, checkpoint=path//"  ", ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_cancelled, &
            "a propagation with a checkpoint is stopped")
        call part%create(ctx, 127)
        call part%propagate(circuit, options, report, restart=path, ierror=ierror)
        call tap_is_int(ierror, paulimpi_success, "it goes on from the file")
        call part%expectation("0", value)
        call tap_is_near(value, want, 0.0_real64, "the value is that of one go")
        call tap_is_int(part%terms(), whole%terms(), "so are the terms")
        call tap_is_int(report%term_gates, whole_report%term_gates, "and the report")
        options%truncation%min_abs = 2e-3_real64
        call part%propagate(circuit, options, restart=path, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_mismatch, "another truncation is refused")
        open (newunit=unit, file=path)
        close (unit, status="delete")
    end subroutine check_checkpoint

    subroutine check_plan()
        type(paulimpi_circuit) :: circuit
        character(:), allocatable :: text
        integer :: ierror

        call circuit%create(20)
        call circuit%rx(3, 0.1_real64)
        call circuit%rz(3, 0.1_real64)
        call circuit%propagation_plan(16, text)
        call tap_ok(index(text, "16 ranks") == 1, "a plan for 16 ranks")
        call tap_ok(index(text, "1 stretches.") > 0, "of one stretch")
        call circuit%propagation_plan(0, text, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "no ranks are refused")
        call circuit%propagation_plan(2, text, paulimpi_propagation_options(rows_seed=1))
        call tap_ok(index(text, "2 ranks") == 1, "a plan with options")
        call circuit%propagation_plan(2, text, rows=paulimpi_rows(weights=[1.0_real64, &
            2.0_real64]))
        call tap_ok(index(text, "2 ranks") == 1, "and with weights")
        call circuit%propagation_plan(2, text, &
            paulimpi_propagation_options(rows=paulimpi_rows_given), &
            paulimpi_rows(x=reshape([1_int64], [1, 1]), z=reshape([1_int64, 2_int64], [1, 2])), &
            ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "rows of two shapes are refused")
    end subroutine check_plan

    subroutine check_refusals()
        type(paulimpi_circuit) :: circuit, none
        type(paulimpi_sum) :: sum, nothing
        type(paulimpi_propagation_options) :: options
        integer :: ierror

        call circuit%create(3)
        call circuit%h(0)
        call sum%create(ctx, 2)
        call sum%add("Z0")
        call sum%propagate(circuit, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_mismatch, "the numbers of qubits must agree")
        call sum%propagate(none, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "no circuit is refused")
        call nothing%propagate(circuit, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "so is no sum")
        call circuit%create(2)
        call circuit%group_begin()
        call sum%propagate(circuit, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_state, "and an open group")
        call circuit%group_end()
        options%truncation%min_abs = -1
        call sum%propagate(circuit, options, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "a negative min_abs is refused")
        options = paulimpi_propagation_options(engine=99)
        call sum%propagate(circuit, options, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "so is an engine that is not there")
        options = paulimpi_propagation_options(memory_limit=1)
        call circuit%rx(0, 0.1_real64)
        call sum%propagate(circuit, options, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_memory, "a byte of memory is too little")
        call is_coefficient(sum, "Z0", 1.0_real64)
    end subroutine check_refusals
end program propagate_test
