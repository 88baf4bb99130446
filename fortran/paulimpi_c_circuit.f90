! SPDX-License-Identifier: BSD-3-Clause
!
! The functions of circuit.h as they are: see paulimpi_c. Not for users.
module paulimpi_c_circuit
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_ptr
    implicit none
    public

    !> A value for an input of a text.
    type, bind(c) :: paulimpi_c_input
        type(c_ptr) :: name
        real(c_double) :: value
    end type paulimpi_c_input

    interface
        integer(c_int) function c_circuit_create(n_qubits, circuit) &
            bind(c, name="paulimpi_circuit_create")
            import
            integer(c_int64_t), value :: n_qubits
            type(c_ptr), intent(out) :: circuit
        end function c_circuit_create

        subroutine c_circuit_destroy(circuit) bind(c, name="paulimpi_circuit_destroy")
            import
            type(c_ptr), intent(inout) :: circuit
        end subroutine c_circuit_destroy

        integer(c_int) function c_circuit_copy(circuit, copy) bind(c, name="paulimpi_circuit_copy")
            import
            type(c_ptr), value :: circuit
            type(c_ptr), intent(out) :: copy
        end function c_circuit_copy

        integer(c_int64_t) function c_circuit_qubits(circuit) &
            bind(c, name="paulimpi_circuit_qubits")
            import
            type(c_ptr), value :: circuit
        end function c_circuit_qubits

        integer(c_int64_t) function c_circuit_gates(circuit) bind(c, name="paulimpi_circuit_gates")
            import
            type(c_ptr), value :: circuit
        end function c_circuit_gates

        integer(c_int) function c_circuit_append(circuit, other) &
            bind(c, name="paulimpi_circuit_append")
            import
            type(c_ptr), value :: circuit, other
        end function c_circuit_append

        integer(c_int) function c_circuit_read(path, circuit) bind(c, name="paulimpi_circuit_read")
            import
            character(kind=c_char), intent(in) :: path(*)
            type(c_ptr), intent(out) :: circuit
        end function c_circuit_read

        integer(c_int) function c_circuit_read_with(path, n_inputs, inputs, circuit) &
            bind(c, name="paulimpi_circuit_read_with")
            import
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int64_t), value :: n_inputs
            type(paulimpi_c_input), intent(in) :: inputs(*)
            type(c_ptr), intent(out) :: circuit
        end function c_circuit_read_with

        integer(c_int) function c_circuit_parse(text, name, circuit) &
            bind(c, name="paulimpi_circuit_parse")
            import
            character(kind=c_char), intent(in) :: text(*)
            character(kind=c_char), optional, intent(in) :: name(*)
            type(c_ptr), intent(out) :: circuit
        end function c_circuit_parse

        integer(c_int) function c_circuit_gate( &
            circuit, name, n_qubits, qubits, n_parameters, parameters) &
            bind(c, name="paulimpi_circuit_gate")
            import
            type(c_ptr), value :: circuit
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), value :: n_qubits, n_parameters
            integer(c_int64_t), intent(in) :: qubits(*)
            real(c_double), intent(in) :: parameters(*)
        end function c_circuit_gate

        integer(c_int) function c_circuit_h(circuit, q) bind(c, name="paulimpi_circuit_h")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
        end function c_circuit_h

        integer(c_int) function c_circuit_s(circuit, q) bind(c, name="paulimpi_circuit_s")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
        end function c_circuit_s

        integer(c_int) function c_circuit_sdg(circuit, q) bind(c, name="paulimpi_circuit_sdg")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
        end function c_circuit_sdg

        integer(c_int) function c_circuit_sx(circuit, q) bind(c, name="paulimpi_circuit_sx")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
        end function c_circuit_sx

        integer(c_int) function c_circuit_sxdg(circuit, q) bind(c, name="paulimpi_circuit_sxdg")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
        end function c_circuit_sxdg

        integer(c_int) function c_circuit_x(circuit, q) bind(c, name="paulimpi_circuit_x")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
        end function c_circuit_x

        integer(c_int) function c_circuit_y(circuit, q) bind(c, name="paulimpi_circuit_y")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
        end function c_circuit_y

        integer(c_int) function c_circuit_z(circuit, q) bind(c, name="paulimpi_circuit_z")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
        end function c_circuit_z

        integer(c_int) function c_circuit_t(circuit, q) bind(c, name="paulimpi_circuit_t")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
        end function c_circuit_t

        integer(c_int) function c_circuit_tdg(circuit, q) bind(c, name="paulimpi_circuit_tdg")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
        end function c_circuit_tdg

        integer(c_int) function c_circuit_cx(circuit, control, target) &
            bind(c, name="paulimpi_circuit_cx")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: control, target
        end function c_circuit_cx

        integer(c_int) function c_circuit_cy(circuit, control, target) &
            bind(c, name="paulimpi_circuit_cy")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: control, target
        end function c_circuit_cy

        integer(c_int) function c_circuit_cz(circuit, a, b) bind(c, name="paulimpi_circuit_cz")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: a, b
        end function c_circuit_cz

        integer(c_int) function c_circuit_swap(circuit, a, b) bind(c, name="paulimpi_circuit_swap")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: a, b
        end function c_circuit_swap

        integer(c_int) function c_circuit_rx(circuit, q, theta) bind(c, name="paulimpi_circuit_rx")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
            real(c_double), value :: theta
        end function c_circuit_rx

        integer(c_int) function c_circuit_ry(circuit, q, theta) bind(c, name="paulimpi_circuit_ry")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
            real(c_double), value :: theta
        end function c_circuit_ry

        integer(c_int) function c_circuit_rz(circuit, q, theta) bind(c, name="paulimpi_circuit_rz")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
            real(c_double), value :: theta
        end function c_circuit_rz

        integer(c_int) function c_circuit_rxx(circuit, a, b, theta) &
            bind(c, name="paulimpi_circuit_rxx")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: a, b
            real(c_double), value :: theta
        end function c_circuit_rxx

        integer(c_int) function c_circuit_ryy(circuit, a, b, theta) &
            bind(c, name="paulimpi_circuit_ryy")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: a, b
            real(c_double), value :: theta
        end function c_circuit_ryy

        integer(c_int) function c_circuit_rzz(circuit, a, b, theta) &
            bind(c, name="paulimpi_circuit_rzz")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: a, b
            real(c_double), value :: theta
        end function c_circuit_rzz

        integer(c_int) function c_circuit_rotation(circuit, label, theta) &
            bind(c, name="paulimpi_circuit_rotation")
            import
            type(c_ptr), value :: circuit
            character(kind=c_char), intent(in) :: label(*)
            real(c_double), value :: theta
        end function c_circuit_rotation

        integer(c_int) function c_circuit_u3(circuit, q, theta, phi, lambda) &
            bind(c, name="paulimpi_circuit_u3")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
            real(c_double), value :: theta, phi, lambda
        end function c_circuit_u3

        integer(c_int) function c_circuit_u2(circuit, q, phi, lambda) &
            bind(c, name="paulimpi_circuit_u2")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
            real(c_double), value :: phi, lambda
        end function c_circuit_u2

        integer(c_int) function c_circuit_u1(circuit, q, lambda) bind(c, name="paulimpi_circuit_u1")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
            real(c_double), value :: lambda
        end function c_circuit_u1

        integer(c_int) function c_circuit_p(circuit, q, lambda) bind(c, name="paulimpi_circuit_p")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
            real(c_double), value :: lambda
        end function c_circuit_p

        integer(c_int) function c_circuit_depolarizing(circuit, q, p) &
            bind(c, name="paulimpi_circuit_depolarizing")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
            real(c_double), value :: p
        end function c_circuit_depolarizing

        integer(c_int) function c_circuit_dephasing(circuit, q, p) &
            bind(c, name="paulimpi_circuit_dephasing")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
            real(c_double), value :: p
        end function c_circuit_dephasing

        integer(c_int) function c_circuit_pauli_noise(circuit, q, px, py, pz) &
            bind(c, name="paulimpi_circuit_pauli_noise")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
            real(c_double), value :: px, py, pz
        end function c_circuit_pauli_noise

        integer(c_int) function c_circuit_amplitude_damping(circuit, q, gamma) &
            bind(c, name="paulimpi_circuit_amplitude_damping")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: q
            real(c_double), value :: gamma
        end function c_circuit_amplitude_damping

        integer(c_int) function c_circuit_barrier(circuit) bind(c, name="paulimpi_circuit_barrier")
            import
            type(c_ptr), value :: circuit
        end function c_circuit_barrier

        integer(c_int) function c_circuit_group_begin(circuit) &
            bind(c, name="paulimpi_circuit_group_begin")
            import
            type(c_ptr), value :: circuit
        end function c_circuit_group_begin

        integer(c_int) function c_circuit_group_end(circuit) &
            bind(c, name="paulimpi_circuit_group_end")
            import
            type(c_ptr), value :: circuit
        end function c_circuit_group_end

        integer(c_int) function c_heavy_hex_127(edges) bind(c, name="paulimpi_heavy_hex_127")
            import
            integer(c_int64_t), intent(out) :: edges(*)
        end function c_heavy_hex_127

        integer(c_int) function c_circuit_kicked_ising( &
            circuit, n_edges, edges, steps, theta_h, theta_zz) &
            bind(c, name="paulimpi_circuit_kicked_ising")
            import
            type(c_ptr), value :: circuit
            integer(c_int64_t), value :: n_edges, steps
            integer(c_int64_t), intent(in) :: edges(*)
            real(c_double), value :: theta_h, theta_zz
        end function c_circuit_kicked_ising

        integer(c_int) function c_circuit_trotter(circuit, hamiltonian, dt, steps, order) &
            bind(c, name="paulimpi_circuit_trotter")
            import
            type(c_ptr), value :: circuit, hamiltonian
            real(c_double), value :: dt
            integer(c_int64_t), value :: steps
            integer(c_int), value :: order
        end function c_circuit_trotter
    end interface
end module paulimpi_c_circuit
