! SPDX-License-Identifier: BSD-3-Clause
!
! Circuits: every procedure. What a gate does is seen on a string that it
! changes.
program circuit_test
    use, intrinsic :: iso_c_binding, only: c_associated
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use paulimpi
    use tap, only: tap_done, tap_is_int, tap_is_near, tap_ok
    implicit none
    real(real64), parameter :: tiny = 1e-15_real64, pi = acos(-1.0_real64)
    real(real64), parameter :: theta = 0.3_real64, phi = 0.5_real64, lambda = 0.7_real64
    type(paulimpi_context) :: ctx

    call ctx%create_serial()
    call check_clifford()
    call check_rotations()
    call check_general()
    call check_channels()
    call check_by_name()
    call check_structure()
    call check_qasm()
    call check_kicked_ising()
    call check_trotter()
    call check_copies()
    call check_nothing()
    call ctx%destroy()
    call tap_done()

contains

    ! The circuit takes the string before to factor times the string after, and
    ! perhaps more; then it is empty again.
    subroutine takes(circuit, before, after, factor, fact)
        type(paulimpi_circuit), intent(inout) :: circuit
        character(*), intent(in) :: before, after, fact
        real(real64), intent(in) :: factor
        type(paulimpi_sum) :: sum
        real(real64) :: value

        call sum%create(ctx, circuit%qubits())
        call sum%add(before)
        call sum%propagate(circuit)
        call sum%coefficient(after, value)
        call tap_is_near(value, factor, tiny, fact//" takes "//before//" to "//after)
        call circuit%create(circuit%qubits())
    end subroutine takes

    subroutine check_clifford()
        real(real64), parameter :: one = 1, root_half = sqrt(0.5_real64)
        type(paulimpi_circuit) :: c

        call c%create(2)
        call c%h(0)
        call takes(c, "YI", "YI", -one, "h")
        call c%s(0)
        call takes(c, "XI", "YI", -one, "s")
        call c%sdg(0)
        call takes(c, "XI", "YI", one, "sdg")
        call c%sx(1)
        call takes(c, "IZ", "IY", one, "sx")
        call c%sxdg(1)
        call takes(c, "IZ", "IY", -one, "sxdg")
        call c%x(0)
        call takes(c, "ZI", "ZI", -one, "x")
        call c%y(0)
        call takes(c, "ZX", "ZX", -one, "y")
        call c%z(0)
        call takes(c, "YZ", "YZ", -one, "z")
        call c%t(0)
        call takes(c, "XI", "YI", -root_half, "t")
        call c%tdg(0)
        call takes(c, "XI", "YI", root_half, "tdg")
        call c%cx(0, 1)
        call takes(c, "XI", "XX", one, "cx")
        call c%cx(1, 0)
        call takes(c, "ZI", "ZZ", one, "cx the other way")
        call c%cy(0, 1)
        call takes(c, "XI", "XY", one, "cy")
        call c%cz(0, 1)
        call takes(c, "XX", "YY", one, "cz")
        call c%swap(0, 1)
        call takes(c, "XZ", "ZX", one, "swap")
    end subroutine check_clifford

    subroutine check_rotations()
        type(paulimpi_circuit) :: c

        call c%create(2)
        call c%rx(0, theta)
        call takes(c, "ZI", "YI", sin(theta), "rx")
        call c%ry(0, theta)
        call takes(c, "XI", "ZI", sin(theta), "ry")
        call c%rz(0, theta)
        call takes(c, "YI", "XI", sin(theta), "rz")
        call c%rxx(0, 1, theta)
        call takes(c, "ZI", "YX", sin(theta), "rxx")
        call c%ryy(0, 1, theta)
        call takes(c, "XI", "ZY", sin(theta), "ryy")
        call c%rzz(0, 1, theta)
        call takes(c, "YI", "XZ", sin(theta), "rzz")
        call c%rotation("X0 Y1", theta)
        call takes(c, "ZI", "YY", sin(theta), "rotation")
    end subroutine check_rotations

    ! u3 = RZ(phi) RY(theta) RZ(lambda) takes Z to
    ! cos(theta) Z - sin(theta) (cos(lambda) X - sin(lambda) Y).
    subroutine check_general()
        type(paulimpi_circuit) :: c

        call c%create(1)
        call c%u3(0, theta, phi, lambda)
        call takes(c, "Z", "X", -sin(theta)*cos(lambda), "u3")
        call c%u3(0, theta, phi, lambda)
        call takes(c, "X", "Z", sin(theta)*cos(phi), "u3")
        call c%u2(0, phi, lambda)
        call takes(c, "Z", "Y", sin(lambda), "u2")
        call c%u1(0, lambda)
        call takes(c, "Y", "X", sin(lambda), "u1")
        call c%p(0, lambda)
        call takes(c, "Y", "X", sin(lambda), "p")
    end subroutine check_general

    subroutine check_channels()
        real(real64), parameter :: p = 0.1_real64, q = 0.2_real64, r = 0.05_real64
        type(paulimpi_circuit) :: c
        integer :: ierror

        call c%create(1)
        call c%depolarizing(0, p)
        call takes(c, "Y", "Y", 1 - 4*p/3, "depolarizing")
        call c%dephasing(0, p)
        call takes(c, "X", "X", 1 - 2*p, "dephasing")
        call c%pauli_noise(0, p, q, r)
        call takes(c, "X", "X", 1 - 2*(q + r), "pauli_noise")
        call c%pauli_noise(0, p, q, r)
        call takes(c, "Y", "Y", 1 - 2*(p + r), "pauli_noise")
        call c%amplitude_damping(0, p)
        call takes(c, "Z", "I", p, "amplitude_damping")
        call c%depolarizing(0, 1.5_real64, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "a probability above 1 is refused")
    end subroutine check_channels

    subroutine check_by_name()
        type(paulimpi_circuit) :: c
        integer :: ierror

        call c%create(2)
        call c%gate("cx", [0, 1])
        call takes(c, "XI", "XX", 1.0_real64, "gate cx")
        call c%gate("rx", [0_int64], [theta], ierror)
        call tap_is_int(ierror, paulimpi_success, "qubits of the other kind are fine")
        call takes(c, "ZI", "YI", sin(theta), "gate rx")
        call c%gate("rx", [0], ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "a missing parameter is refused")
        call c%gate("cx", [0], ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "a missing qubit is refused")
        call c%gate("nonsense", [0], ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "an unknown name is refused")
        call tap_ok(index(paulimpi_last_error(), "nonsense") > 0, "and told")
    end subroutine check_by_name

    subroutine check_structure()
        type(paulimpi_circuit) :: c, d
        integer :: ierror

        call c%create(2_int64)
        call tap_is_int(c%qubits(), 2, "a circuit has qubits")
        call c%group_begin()
        call c%group_begin(ierror)
        call tap_is_int(ierror, paulimpi_err_state, "groups do not nest")
        call c%h(0)
        call c%barrier()
        call d%copy(c, ierror)
        call tap_is_int(ierror, paulimpi_err_state, "a circuit in a group is not copied")
        call c%group_end()
        call c%group_end(ierror)
        call tap_is_int(ierror, paulimpi_err_state, "a group ends once")
        call c%cx(0, 1)
        call tap_is_int(c%gates(), 2, "gates count, barriers and groups do not")
        call c%append(c)
        call tap_is_int(c%gates(), 4, "a circuit is appended, also to itself")
        call d%create(3)
        call c%append(d, ierror)
        call tap_is_int(ierror, paulimpi_err_mismatch, "but not one with more qubits")
        call c%h(2, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "qubit 2 of 2 is refused")
        call c%h(-1, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "so is qubit -1")
        call c%cx(1, 1, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "and a qubit named twice")
        call c%rotation("X0 X0", theta, ierror)
        call tap_is_int(ierror, paulimpi_err_syntax, "also in a label")
        call tap_is_int(c%gates(), 4, "all of which append nothing")
        call c%create(0, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "a circuit on 0 qubits is refused")
    end subroutine check_structure

    subroutine check_qasm()
        character(*), parameter :: path = "fortran-circuit.qasm"
        character(*), parameter :: text = "OPENQASM 2.0;"//new_line("a") &
            //"include ""qelib1.inc"";"//new_line("a") &
            //"qreg q[2];"//new_line("a")//"cx q[0], q[1];"//new_line("a")
        type(paulimpi_circuit) :: c
        integer :: ierror, unit

        call c%parse(text)
        call tap_is_int(c%gates(), 1, "a text is read")
        call takes(c, "XI", "XX", 1.0_real64, "its cx")
        call c%parse(text//"nonsense q[0];", "my file", ierror)
        call tap_is_int(ierror, paulimpi_err_syntax, "a gate that is not there is refused")
        call tap_ok(index(paulimpi_last_error(), "my file") > 0, "with the name of the text")
        call tap_ok(.not. c%is_valid(), "and makes no circuit")
        open (newunit=unit, file=path, action="write")
        write (unit, "(a)") text
        close (unit)
        call c%read(path, ierror)
        call tap_is_int(ierror, paulimpi_success, "a file is read")
        call tap_is_int(c%qubits(), 2, "with its qubits")
        call c%read(path, ["theta"], [0.5_real64], ierror)
        call tap_is_int(ierror, paulimpi_err_mismatch, "a value for nothing is refused")
        call c%read(path, ["theta"], [0.5_real64, 1.0_real64], ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "so are more values than names")
        open (newunit=unit, file=path, action="write")
        write (unit, "(a)") text//" input angle theta; input float mu;"
        write (unit, "(a)") "rz(theta) q[0]; rx(mu) q[0];"
        close (unit)
        call c%read(path, ["mu   ", "theta"], [0.25_real64, 0.5_real64])
        call tap_is_int(c%gates(), 3, "a file with inputs is read")
        open (newunit=unit, file=path)
        close (unit, status="delete")
        call c%read(path, ierror)
        call tap_is_int(ierror, paulimpi_err_io, "but not one that is not there")
    end subroutine check_qasm

    ! Exact values of Z62 of Kim et al.'s circuit are in the test of
    ! propagation.
    subroutine check_kicked_ising()
        type(paulimpi_circuit) :: c
        integer :: ierror

        call c%kicked_ising(heavy_hex_127, 2, pi/4)
        call tap_is_int(c%qubits(), 127, "the heavy-hex lattice has 127 qubits")
        call tap_is_int(c%gates(), 542, "and 271 gates a step")
        call c%append_kicked_ising(heavy_hex_127, 1, pi/4)
        call tap_is_int(c%gates(), 813, "steps are appended")
        call c%kicked_ising(int(heavy_hex_127, int64), steps=1, theta_h=pi/4, theta_zz=theta)
        call tap_is_int(c%gates(), 271, "edges may be of the other kind")
        call c%kicked_ising(reshape([0, 1], [2, 1]), 1, theta_h=0.0_real64, theta_zz=theta)
        call takes(c, "YI", "XZ", sin(theta), "theta_zz")
        call c%kicked_ising(reshape([0, 1], [2, 1]), 1, theta_h=theta)
        call takes(c, "YI", "XZ", -cos(theta), "theta_zz = -pi/2, with rx(theta),")
        call c%append_kicked_ising(int(reshape([0, 1], [2, 1]), int64), 1, theta, ierror=ierror)
        call tap_is_int(ierror, paulimpi_success, "appended edges too")
        call c%append_kicked_ising(reshape([0, 1, 2], [3, 1]), 1, theta, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "an edge with three ends is refused")
        call c%append_kicked_ising(reshape([0, 2], [2, 1]), 1, theta, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "so is one to a qubit that is not there")
        call c%kicked_ising(heavy_hex_127, -1, theta, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "and a negative number of steps")
        call tap_ok(.not. c%is_valid(), "which makes no circuit")
        call c%kicked_ising(heavy_hex_127(:, :0), 1, theta, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "no edges, no qubits")
    end subroutine check_kicked_ising

    ! A step rotates by 2 c dt about each string.
    subroutine check_trotter()
        type(paulimpi_circuit) :: c
        type(paulimpi_sum) :: h
        integer :: ierror

        call h%create(ctx, 2)
        call h%add("0.5 X0 + 0.25 Z0 Z1 + 3")
        call c%create(2)
        call c%trotter(h, theta, 1, 1)
        call takes(c, "IX", "ZY", -sin(theta/2)*cos(theta), "trotter")
        call c%trotter(h, theta, 3, 2)
        call tap_ok(c%gates() >= 6, "a step of order 2 has more gates")
        call c%trotter(h, theta, 1, 3, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "there is no order 3")
        call c%create(3)
        call c%trotter(h, theta, 1, 1, ierror)
        call tap_is_int(ierror, paulimpi_err_mismatch, "the numbers of qubits must agree")
    end subroutine check_trotter

    subroutine check_copies()
        type(paulimpi_circuit) :: a, b, many(2)

        call a%create(2)
        call a%h(0)
        b = a
        call tap_ok(.not. c_associated(a%c_handle(), b%c_handle()), "a copy is another circuit")
        call b%h(1)
        call tap_is_int(a%gates(), 1, "which changes alone")
        many = b
        call b%destroy()
        call tap_is_int(many(2)%gates(), 2, "an array is filled with copies")
        a = b
        call tap_ok(.not. a%is_valid(), "a copy of nothing is nothing")
    end subroutine check_copies

    ! A handle without a circuit.
    subroutine check_nothing()
        type(paulimpi_circuit) :: c, d
        type(paulimpi_sum) :: h
        real(real64), parameter :: half = 0.5_real64
        integer :: e(36)

        call c%destroy()
        call tap_is_int(c%qubits(), paulimpi_err_argument, "nothing has no qubits")
        call tap_is_int(c%gates(), paulimpi_err_argument, "and no gates")
        call c%h(0, e(1))
        call c%s(0, e(2))
        call c%sdg(0, e(3))
        call c%sx(0, e(4))
        call c%sxdg(0, e(5))
        call c%x(0, e(6))
        call c%y(0, e(7))
        call c%z(0, e(8))
        call c%t(0, e(9))
        call c%tdg(0, e(10))
        call c%cx(0, 1, e(11))
        call c%cy(0, 1, e(12))
        call c%cz(0, 1, e(13))
        call c%swap(0, 1, e(14))
        call c%rx(0, half, e(15))
        call c%ry(0, half, e(16))
        call c%rz(0, half, e(17))
        call c%rxx(0, 1, half, e(18))
        call c%ryy(0, 1, half, e(19))
        call c%rzz(0, 1, half, e(20))
        call c%rotation("X0", half, e(21))
        call c%u3(0, half, half, half, e(22))
        call c%u2(0, half, half, e(23))
        call c%u1(0, half, e(24))
        call c%p(0, half, e(25))
        call c%depolarizing(0, half, e(26))
        call c%dephasing(0, half, e(27))
        call c%pauli_noise(0, half, half, half, e(28))
        call c%amplitude_damping(0, half, e(29))
        call c%barrier(e(30))
        call c%group_begin(e(31))
        call c%group_end(e(32))
        call c%append(d, e(33))
        call c%append_kicked_ising(heavy_hex_127, 1, half, ierror=e(34))
        call c%trotter(h, half, 1, 1, e(35))
        call c%gate("h", [0], ierror=e(36))
        call tap_ok(all(e == paulimpi_err_argument), "every procedure refuses it")
    end subroutine check_nothing
end program circuit_test
