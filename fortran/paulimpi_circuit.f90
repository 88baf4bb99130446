! SPDX-License-Identifier: BSD-3-Clause
!
! Quantum circuits: gates, channels, OpenQASM, builders.
!
! A circuit is a list of gates and channels in the order of time:
!
!     type(paulimpi_circuit) :: circuit
!
!     call circuit%create(2)
!     call circuit%h(0)
!     call circuit%cx(0, 1)
!     call circuit%rotation("X0 Y1", 0.4_real64)
!
! Qubits are default integers and counted from 0; gate takes those of the other
! kind too. A procedure that fails leaves the circuit as it was, except those
! that make it anew.
module paulimpi_circuit_m
    use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_int, c_loc, c_null_ptr, &
        c_ptr, c_sizeof
    use paulimpi_c, only: c_propagation_plan, paulimpi_propagation_options
    use paulimpi_c_circuit, only: c_circuit_amplitude_damping, c_circuit_append, &
        c_circuit_barrier, c_circuit_copy, c_circuit_create, c_circuit_cx, c_circuit_cy, &
        c_circuit_cz, &
        c_circuit_dephasing, c_circuit_depolarizing, c_circuit_destroy, c_circuit_gate, &
        c_circuit_gates, c_circuit_group_begin, c_circuit_group_end, c_circuit_h, &
        c_circuit_kicked_ising, c_circuit_p, c_circuit_parse, c_circuit_pauli_noise, &
        c_circuit_qubits, c_circuit_read, c_circuit_read_with, c_circuit_rotation, &
        c_circuit_rx, c_circuit_rxx, c_circuit_ry, c_circuit_ryy, c_circuit_rz, &
        c_circuit_rzz, c_circuit_s, c_circuit_sdg, c_circuit_swap, c_circuit_sx, &
        c_circuit_sxdg, c_circuit_t, c_circuit_tdg, c_circuit_trotter, c_circuit_u1, &
        c_circuit_u2, c_circuit_u3, c_circuit_x, c_circuit_y, c_circuit_z, paulimpi_c_input
    use paulimpi_kinds, only: paulimpi_index, paulimpi_int, paulimpi_real
    use paulimpi_propagate_m, only: paulimpi_rows, point_to_rows, report_rows
    use paulimpi_status_m, only: paulimpi_err_argument, paulimpi_success
    use paulimpi_support, only: c_text, give_back, refuse, report, take_text
    implicit none
    private
    public :: paulimpi_circuit, paulimpi_hamiltonian

    real(paulimpi_real), parameter :: pi = acos(-1.0_paulimpi_real)

    !> The edges of the 127-qubit heavy-hex lattice (Kim et al., Nature 618,
    !> 500, 2023), each as (smaller, larger) qubit, in ascending order.
    integer, parameter, public :: heavy_hex_127(2, 144) = reshape([ &
        0, 1, 0, 14, 1, 2, 2, 3, 3, 4, 4, 5, 4, 15, 5, 6, &
        6, 7, 7, 8, 8, 9, 8, 16, 9, 10, 10, 11, 11, 12, 12, 13, &
        12, 17, 14, 18, 15, 22, 16, 26, 17, 30, 18, 19, 19, 20, 20, 21, &
        20, 33, 21, 22, 22, 23, 23, 24, 24, 25, 24, 34, 25, 26, 26, 27, &
        27, 28, 28, 29, 28, 35, 29, 30, 30, 31, 31, 32, 32, 36, 33, 39, &
        34, 43, 35, 47, 36, 51, 37, 38, 37, 52, 38, 39, 39, 40, 40, 41, &
        41, 42, 41, 53, 42, 43, 43, 44, 44, 45, 45, 46, 45, 54, 46, 47, &
        47, 48, 48, 49, 49, 50, 49, 55, 50, 51, 52, 56, 53, 60, 54, 64, &
        55, 68, 56, 57, 57, 58, 58, 59, 58, 71, 59, 60, 60, 61, 61, 62, &
        62, 63, 62, 72, 63, 64, 64, 65, 65, 66, 66, 67, 66, 73, 67, 68, &
        68, 69, 69, 70, 70, 74, 71, 77, 72, 81, 73, 85, 74, 89, 75, 76, &
        75, 90, 76, 77, 77, 78, 78, 79, 79, 80, 79, 91, 80, 81, 81, 82, &
        82, 83, 83, 84, 83, 92, 84, 85, 85, 86, 86, 87, 87, 88, 87, 93, &
        88, 89, 90, 94, 91, 98, 92, 102, 93, 106, 94, 95, 95, 96, 96, 97, &
        96, 109, 97, 98, 98, 99, 99, 100, 100, 101, 100, 110, 101, 102, 102, 103, &
        103, 104, 104, 105, 104, 111, 105, 106, 106, 107, 107, 108, 108, 112, 109, 114, &
        110, 118, 111, 122, 112, 126, 113, 114, 114, 115, 115, 116, 116, 117, 117, 118, &
        118, 119, 119, 120, 120, 121, 121, 122, 122, 123, 123, 124, 124, 125, 125, 126 &
        ], [2, 144])

    type :: paulimpi_circuit
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        generic :: create => create_int, create_index
        generic :: read => read_file, read_with
        procedure :: parse
        generic :: kicked_ising => kicked_ising_int, kicked_ising_index
        procedure :: copy
        procedure :: destroy
        procedure :: is_valid
        procedure :: c_handle
        procedure :: qubits
        procedure :: gates
        procedure :: propagation_plan
        procedure :: append
        generic :: append_kicked_ising => append_ising_int, append_ising_index
        procedure :: trotter
        generic :: gate => gate_int, gate_index
        procedure :: h => gate_h
        procedure :: s => gate_s
        procedure :: sdg => gate_sdg
        procedure :: sx => gate_sx
        procedure :: sxdg => gate_sxdg
        procedure :: x => gate_x
        procedure :: y => gate_y
        procedure :: z => gate_z
        procedure :: t => gate_t
        procedure :: tdg => gate_tdg
        procedure :: cx => gate_cx
        procedure :: cy => gate_cy
        procedure :: cz => gate_cz
        procedure :: swap => gate_swap
        procedure :: rx => gate_rx
        procedure :: ry => gate_ry
        procedure :: rz => gate_rz
        procedure :: rxx => gate_rxx
        procedure :: ryy => gate_ryy
        procedure :: rzz => gate_rzz
        procedure :: u3 => gate_u3
        procedure :: u2 => gate_u2
        procedure :: u1 => gate_u1
        procedure :: p => gate_p
        procedure :: rotation
        procedure :: depolarizing
        procedure :: dephasing
        procedure :: pauli_noise
        procedure :: amplitude_damping
        procedure :: barrier
        procedure :: group_begin
        procedure :: group_end
        generic :: assignment(=) => assign
        procedure, private :: create_int
        procedure, private :: create_index
        procedure, private :: read_file
        procedure, private :: read_with
        procedure, private :: kicked_ising_int
        procedure, private :: kicked_ising_index
        procedure, private :: append_ising_int
        procedure, private :: append_ising_index
        procedure, private :: gate_int
        procedure, private :: gate_index
        procedure, private :: assign
        final :: release
    end type paulimpi_circuit

    !> What trotter takes: a sum. It stands here because sums know
    !> circuits and not the other way round.
    type, abstract :: paulimpi_hamiltonian
    contains
        procedure(sum_handle), deferred :: c_handle
    end type paulimpi_hamiltonian

    abstract interface
        type(c_ptr) function sum_handle(self)
            import
            class(paulimpi_hamiltonian), intent(in) :: self
        end function sum_handle
    end interface

contains

    !> Make an empty circuit. As in all procedures that make an object, what the
    !> handle held before is freed first.
    subroutine create_index(self, n_qubits, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer(paulimpi_index), intent(in) :: n_qubits
        integer, optional, intent(out) :: ierror

        call self%destroy()
        call report(c_circuit_create(n_qubits, self%handle), ierror)
    end subroutine create_index

    subroutine create_int(self, n_qubits, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer(paulimpi_int), intent(in) :: n_qubits
        integer, optional, intent(out) :: ierror

        call self%create(wide(n_qubits), ierror)
    end subroutine create_int

    ! A qubit as C counts it.
    elemental integer(paulimpi_index) function wide(qubit)
        integer(paulimpi_int), intent(in) :: qubit

        wide = int(qubit, paulimpi_index)
    end function wide

    !> Make the circuit of an OpenQASM 2.0 file; "-" is standard input.
    subroutine read_file(self, path, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        character(*), intent(in) :: path
        integer, optional, intent(out) :: ierror

        call self%destroy()
        call report(c_circuit_read(c_text(path), self%handle), ierror)
    end subroutine read_file

    !> Read an OpenQASM 2.0 file with parameters, each of which a statement
    !> "input angle NAME;" declares: values(i) is that of names(i).
    subroutine read_with(self, path, names, values, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        character(*), intent(in) :: path, names(:)
        real(paulimpi_real), intent(in) :: values(:)
        integer, optional, intent(out) :: ierror
        character(len(names) + 1, c_char), target :: texts(size(names))
        type(paulimpi_c_input) :: inputs(size(names))
        integer :: i

        call self%destroy()
        if (size(names) /= size(values)) then
            call refuse(paulimpi_err_argument, &
                "paulimpi_circuit%read: names and values need the same size", ierror)
            return
        end if
        do i = 1, size(names)
            texts(i) = c_text(names(i))
            inputs(i) = paulimpi_c_input(c_loc(texts(i)), values(i))
        end do
        call report(c_circuit_read_with(c_text(path), size(names, kind=paulimpi_index), inputs, &
            self%handle), ierror)
    end subroutine read_with

    !> Make the circuit of an OpenQASM 2.0 text; name stands for the file name
    !> in sentences.
    subroutine parse(self, text, name, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        character(*), intent(in) :: text
        character(*), optional, intent(in) :: name
        integer, optional, intent(out) :: ierror
        integer(c_int) :: code

        call self%destroy()
        if (present(name)) then
            code = c_circuit_parse(c_text(text), c_text(name), self%handle)
        else
            code = c_circuit_parse(c_text(text), circuit=self%handle)
        end if
        call report(code, ierror)
    end subroutine parse

    !> Make a kicked Ising circuit on the qubits 0 .. maxval(edges): see
    !> append_kicked_ising.
    subroutine kicked_ising_index(self, edges, steps, theta_h, theta_zz, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer(paulimpi_index), contiguous, intent(in) :: edges(:, :)
        integer, intent(in) :: steps
        real(paulimpi_real), intent(in) :: theta_h
        real(paulimpi_real), optional, intent(in) :: theta_zz
        integer, optional, intent(out) :: ierror
        integer(c_int) :: code

        call self%create(max(maxval(edges), -1_paulimpi_index) + 1, code)
        if (code == paulimpi_success) then
            call self%append_kicked_ising(edges, steps, theta_h, theta_zz, code)
        end if
        if (code /= paulimpi_success) call self%destroy()
        call give_back(code, ierror)
    end subroutine kicked_ising_index

    subroutine kicked_ising_int(self, edges, steps, theta_h, theta_zz, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer(paulimpi_int), intent(in) :: edges(:, :)
        integer, intent(in) :: steps
        real(paulimpi_real), intent(in) :: theta_h
        real(paulimpi_real), optional, intent(in) :: theta_zz
        integer, optional, intent(out) :: ierror

        call self%kicked_ising(wide(edges), steps, theta_h, theta_zz, ierror)
    end subroutine kicked_ising_int

    !> Append steps of the kicked Ising model: RX(theta_h) on every qubit in
    !> ascending order, then RZZ(theta_zz) on every edge in the order given.
    !> Edge e joins the qubits edges(1, e) and edges(2, e); theta_zz is -pi/2
    !> if it is left out.
    subroutine append_ising_index(self, edges, steps, theta_h, theta_zz, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer(paulimpi_index), contiguous, intent(in) :: edges(:, :)
        integer, intent(in) :: steps
        real(paulimpi_real), intent(in) :: theta_h
        real(paulimpi_real), optional, intent(in) :: theta_zz
        integer, optional, intent(out) :: ierror
        real(paulimpi_real) :: theta

        theta = -pi/2
        if (present(theta_zz)) theta = theta_zz
        if (size(edges, 1) /= 2) then
            call refuse(paulimpi_err_argument, &
                "paulimpi_circuit%append_kicked_ising: edges needs 2 rows", ierror)
            return
        end if
        call report( &
            c_circuit_kicked_ising(self%handle, size(edges, 2, paulimpi_index), edges, &
                wide(steps), theta_h, theta), ierror)
    end subroutine append_ising_index

    subroutine append_ising_int(self, edges, steps, theta_h, theta_zz, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer(paulimpi_int), intent(in) :: edges(:, :)
        integer, intent(in) :: steps
        real(paulimpi_real), intent(in) :: theta_h
        real(paulimpi_real), optional, intent(in) :: theta_zz
        integer, optional, intent(out) :: ierror

        call self%append_kicked_ising(wide(edges), steps, theta_h, theta_zz, ierror)
    end subroutine append_ising_int

    !> Append Trotter steps of exp(-i H dt) for a sum H, of order 1 or 2.
    subroutine trotter(self, hamiltonian, dt, steps, order, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        class(paulimpi_hamiltonian), intent(in) :: hamiltonian
        real(paulimpi_real), intent(in) :: dt
        integer, intent(in) :: steps, order
        integer, optional, intent(out) :: ierror

        call report( &
            c_circuit_trotter(self%handle, hamiltonian%c_handle(), dt, wide(steps), order), &
            ierror)
    end subroutine trotter

    !> Become a copy of another circuit, or nothing if other is nothing.
    subroutine copy(self, other, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        class(paulimpi_circuit), intent(in) :: other
        integer, optional, intent(out) :: ierror
        type(c_ptr) :: handle
        integer(c_int) :: code

        handle = c_null_ptr
        code = paulimpi_success
        if (other%is_valid()) code = c_circuit_copy(other%handle, handle)
        if (code == paulimpi_success) then
            call self%destroy()
            self%handle = handle
        end if
        call report(code, ierror)
    end subroutine copy

    impure elemental subroutine assign(self, other)
        class(paulimpi_circuit), intent(inout) :: self
        class(paulimpi_circuit), intent(in) :: other

        call self%copy(other)
    end subroutine assign

    !> Free the circuit; a handle without one is fine.
    subroutine destroy(self)
        class(paulimpi_circuit), intent(inout) :: self

        call c_circuit_destroy(self%handle)
    end subroutine destroy

    impure elemental subroutine release(self)
        type(paulimpi_circuit), intent(inout) :: self

        call c_circuit_destroy(self%handle)
    end subroutine release

    !> Tell whether the handle holds a circuit.
    logical function is_valid(self)
        class(paulimpi_circuit), intent(in) :: self

        is_valid = c_associated(self%handle)
    end function is_valid

    !> The paulimpi_circuit * of C; it stays the handle's.
    type(c_ptr) function c_handle(self)
        class(paulimpi_circuit), intent(in) :: self

        c_handle = self%handle
    end function c_handle

    !> The number of qubits; paulimpi_err_argument for a handle without a
    !> circuit.
    integer(paulimpi_index) function qubits(self)
        class(paulimpi_circuit), intent(in) :: self

        qubits = c_circuit_qubits(self%handle)
    end function qubits

    !> The number of gates and channels; barriers and groups do not count.
    !> paulimpi_err_argument for a handle without a circuit.
    integer(paulimpi_index) function gates(self)
        class(paulimpi_circuit), intent(in) :: self

        gates = c_circuit_gates(self%handle)
    end function gates

    !> Append all gates of another circuit on as many qubits.
    subroutine append(self, other, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        class(paulimpi_circuit), intent(in) :: other
        integer, optional, intent(out) :: ierror

        call report(c_circuit_append(self%handle, other%handle), ierror)
    end subroutine append

    !> Append a gate by its name, in lower case as in OpenQASM.
    subroutine gate_index(self, name, qubits, parameters, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        character(*), intent(in) :: name
        integer(paulimpi_index), contiguous, intent(in) :: qubits(:)
        real(paulimpi_real), contiguous, optional, intent(in) :: parameters(:)
        integer, optional, intent(out) :: ierror
        real(paulimpi_real), allocatable :: values(:)

        allocate (values(0))
        if (present(parameters)) values = parameters
        call report( &
            c_circuit_gate(self%handle, c_text(name), size(qubits, kind=paulimpi_index), qubits, &
                size(values, kind=paulimpi_index), values), ierror)
    end subroutine gate_index

    subroutine gate_int(self, name, qubits, parameters, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        character(*), intent(in) :: name
        integer(paulimpi_int), intent(in) :: qubits(:)
        real(paulimpi_real), contiguous, optional, intent(in) :: parameters(:)
        integer, optional, intent(out) :: ierror

        call self%gate(name, wide(qubits), parameters, ierror)
    end subroutine gate_int

    !> A barrier: no effect on results.
    subroutine barrier(self, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, optional, intent(out) :: ierror

        call report(c_circuit_barrier(self%handle), ierror)
    end subroutine barrier

    !> Begin a truncation group: its gates are truncated once, after the last of
    !> them. Groups do not nest.
    subroutine group_begin(self, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, optional, intent(out) :: ierror

        call report(c_circuit_group_begin(self%handle), ierror)
    end subroutine group_begin

    !> End a truncation group.
    subroutine group_end(self, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, optional, intent(out) :: ierror

        call report(c_circuit_group_end(self%handle), ierror)
    end subroutine group_end

    !> The gates on one qubit, qubits counted from 0.
    subroutine gate_h(self, q, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        integer, optional, intent(out) :: ierror

        call report(c_circuit_h(self%handle, wide(q)), ierror)
    end subroutine gate_h

    subroutine gate_s(self, q, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        integer, optional, intent(out) :: ierror

        call report(c_circuit_s(self%handle, wide(q)), ierror)
    end subroutine gate_s

    subroutine gate_sdg(self, q, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        integer, optional, intent(out) :: ierror

        call report(c_circuit_sdg(self%handle, wide(q)), ierror)
    end subroutine gate_sdg

    subroutine gate_sx(self, q, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        integer, optional, intent(out) :: ierror

        call report(c_circuit_sx(self%handle, wide(q)), ierror)
    end subroutine gate_sx

    subroutine gate_sxdg(self, q, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        integer, optional, intent(out) :: ierror

        call report(c_circuit_sxdg(self%handle, wide(q)), ierror)
    end subroutine gate_sxdg

    subroutine gate_x(self, q, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        integer, optional, intent(out) :: ierror

        call report(c_circuit_x(self%handle, wide(q)), ierror)
    end subroutine gate_x

    subroutine gate_y(self, q, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        integer, optional, intent(out) :: ierror

        call report(c_circuit_y(self%handle, wide(q)), ierror)
    end subroutine gate_y

    subroutine gate_z(self, q, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        integer, optional, intent(out) :: ierror

        call report(c_circuit_z(self%handle, wide(q)), ierror)
    end subroutine gate_z

    subroutine gate_t(self, q, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        integer, optional, intent(out) :: ierror

        call report(c_circuit_t(self%handle, wide(q)), ierror)
    end subroutine gate_t

    subroutine gate_tdg(self, q, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        integer, optional, intent(out) :: ierror

        call report(c_circuit_tdg(self%handle, wide(q)), ierror)
    end subroutine gate_tdg

    !> The gates on two qubits.
    subroutine gate_cx(self, control, target, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: control, target
        integer, optional, intent(out) :: ierror

        call report(c_circuit_cx(self%handle, wide(control), wide(target)), ierror)
    end subroutine gate_cx

    subroutine gate_cy(self, control, target, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: control, target
        integer, optional, intent(out) :: ierror

        call report(c_circuit_cy(self%handle, wide(control), wide(target)), ierror)
    end subroutine gate_cy

    subroutine gate_cz(self, a, b, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: a, b
        integer, optional, intent(out) :: ierror

        call report(c_circuit_cz(self%handle, wide(a), wide(b)), ierror)
    end subroutine gate_cz

    subroutine gate_swap(self, a, b, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: a, b
        integer, optional, intent(out) :: ierror

        call report(c_circuit_swap(self%handle, wide(a), wide(b)), ierror)
    end subroutine gate_swap

    !> Rotations exp(-i theta P / 2) by theta about the named letters.
    subroutine gate_rx(self, q, theta, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        real(paulimpi_real), intent(in) :: theta
        integer, optional, intent(out) :: ierror

        call report(c_circuit_rx(self%handle, wide(q), theta), ierror)
    end subroutine gate_rx

    subroutine gate_ry(self, q, theta, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        real(paulimpi_real), intent(in) :: theta
        integer, optional, intent(out) :: ierror

        call report(c_circuit_ry(self%handle, wide(q), theta), ierror)
    end subroutine gate_ry

    subroutine gate_rz(self, q, theta, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        real(paulimpi_real), intent(in) :: theta
        integer, optional, intent(out) :: ierror

        call report(c_circuit_rz(self%handle, wide(q), theta), ierror)
    end subroutine gate_rz

    subroutine gate_rxx(self, a, b, theta, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: a, b
        real(paulimpi_real), intent(in) :: theta
        integer, optional, intent(out) :: ierror

        call report(c_circuit_rxx(self%handle, wide(a), wide(b), theta), ierror)
    end subroutine gate_rxx

    subroutine gate_ryy(self, a, b, theta, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: a, b
        real(paulimpi_real), intent(in) :: theta
        integer, optional, intent(out) :: ierror

        call report(c_circuit_ryy(self%handle, wide(a), wide(b), theta), ierror)
    end subroutine gate_ryy

    subroutine gate_rzz(self, a, b, theta, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: a, b
        real(paulimpi_real), intent(in) :: theta
        integer, optional, intent(out) :: ierror

        call report(c_circuit_rzz(self%handle, wide(a), wide(b), theta), ierror)
    end subroutine gate_rzz

    !> A rotation about any Pauli string: "X0 Y3 Z17".
    subroutine rotation(self, label, theta, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        character(*), intent(in) :: label
        real(paulimpi_real), intent(in) :: theta
        integer, optional, intent(out) :: ierror

        call report(c_circuit_rotation(self%handle, c_text(label), theta), ierror)
    end subroutine rotation

    !> u3 = RZ(phi) RY(theta) RZ(lambda), up to a phase.
    subroutine gate_u3(self, q, theta, phi, lambda, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        real(paulimpi_real), intent(in) :: theta, phi, lambda
        integer, optional, intent(out) :: ierror

        call report(c_circuit_u3(self%handle, wide(q), theta, phi, lambda), ierror)
    end subroutine gate_u3

    !> u2 = u3(pi/2, phi, lambda).
    subroutine gate_u2(self, q, phi, lambda, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        real(paulimpi_real), intent(in) :: phi, lambda
        integer, optional, intent(out) :: ierror

        call report(c_circuit_u2(self%handle, wide(q), phi, lambda), ierror)
    end subroutine gate_u2

    !> u1 = p = RZ(lambda), up to a phase.
    subroutine gate_u1(self, q, lambda, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        real(paulimpi_real), intent(in) :: lambda
        integer, optional, intent(out) :: ierror

        call report(c_circuit_u1(self%handle, wide(q), lambda), ierror)
    end subroutine gate_u1

    subroutine gate_p(self, q, lambda, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        real(paulimpi_real), intent(in) :: lambda
        integer, optional, intent(out) :: ierror

        call report(c_circuit_p(self%handle, wide(q), lambda), ierror)
    end subroutine gate_p

    !> X, Y and Z on q are multiplied by 1 - 4p/3; 3/4 mixes fully.
    subroutine depolarizing(self, q, p, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        real(paulimpi_real), intent(in) :: p
        integer, optional, intent(out) :: ierror

        call report(c_circuit_depolarizing(self%handle, wide(q), p), ierror)
    end subroutine depolarizing

    !> A Z error with probability p: X and Y on q are multiplied by 1 - 2p.
    subroutine dephasing(self, q, p, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        real(paulimpi_real), intent(in) :: p
        integer, optional, intent(out) :: ierror

        call report(c_circuit_dephasing(self%handle, wide(q), p), ierror)
    end subroutine dephasing

    !> X, Y and Z errors with these probabilities: X is multiplied by
    !> 1 - 2(py + pz), and so on in cyclic order.
    subroutine pauli_noise(self, q, px, py, pz, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        real(paulimpi_real), intent(in) :: px, py, pz
        integer, optional, intent(out) :: ierror

        call report(c_circuit_pauli_noise(self%handle, wide(q), px, py, pz), ierror)
    end subroutine pauli_noise

    !> Amplitude damping towards |0> with probability gamma.
    subroutine amplitude_damping(self, q, gamma, ierror)
        class(paulimpi_circuit), intent(inout) :: self
        integer, intent(in) :: q
        real(paulimpi_real), intent(in) :: gamma
        integer, optional, intent(out) :: ierror

        call report(c_circuit_amplitude_damping(self%handle, wide(q), gamma), ierror)
    end subroutine amplitude_damping

    !> Tell what so many ranks would do with the circuit, without running it: a
    !> line a stretch of gates that take no term to another rank. rows is as in
    !> propagate of a sum.
    subroutine propagation_plan(self, ranks, text, options, rows, ierror)
        class(paulimpi_circuit), intent(in) :: self
        integer, intent(in) :: ranks
        character(:), allocatable, intent(out) :: text
        type(paulimpi_propagation_options), optional, intent(in) :: options
        type(paulimpi_rows), optional, target, intent(in) :: rows
        integer, optional, intent(out) :: ierror
        type(paulimpi_propagation_options) :: all_options
        type(c_ptr) :: c_copy
        integer(c_int) :: code
        logical :: fits

        fits = .true.
        if (present(options)) all_options = options
        if (present(rows)) call point_to_rows(all_options, rows, self%qubits(), fits)
        all_options%size = c_sizeof(all_options)
        code = c_propagation_plan(self%handle, all_options, int(ranks, c_int), c_copy)
        if (code == 0) call take_text(c_copy, text)
        call report_rows(code, fits, "paulimpi_circuit%propagation_plan", ierror)
    end subroutine propagation_plan
end module paulimpi_circuit_m
