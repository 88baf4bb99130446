! SPDX-License-Identifier: BSD-3-Clause
!
! Sums: every procedure, copies, and what goes out of scope.
program sum_test
    use, intrinsic :: ieee_arithmetic, only: ieee_positive_inf, ieee_value
    use, intrinsic :: iso_c_binding, only: c_associated
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use paulimpi
    use tap, only: tap_done, tap_is_int, tap_is_near, tap_is_text, tap_ok
    implicit none
    real(real64), parameter :: tiny = 1e-15_real64

    call check_adding()
    call check_arrays()
    call check_walk()
    call check_changes()
    call check_readouts()
    call check_files()
    call check_copies()
    call check_scope()
    call check_nothing()
    call tap_done()

contains

    ! 0.5 ZZI + IIX - 0.25 YII
    subroutine make(sum)
        type(paulimpi_sum), intent(inout) :: sum
        type(paulimpi_context) :: ctx

        call ctx%create_serial()
        call sum%create(ctx, 3)
        call sum%add("0.5 Z0 Z1 + X2 - 0.25 Y0")
    end subroutine make

    subroutine is_coefficient(sum, label, want, fact)
        type(paulimpi_sum), intent(in) :: sum
        character(*), intent(in) :: label, fact
        real(real64), intent(in) :: want
        real(real64) :: value

        call sum%coefficient(label, value)
        call tap_is_near(value, want, tiny, fact)
    end subroutine is_coefficient

    subroutine check_adding()
        type(paulimpi_context) :: ctx
        type(paulimpi_sum) :: sum, other
        type(paulimpi_pauli) :: pauli
        integer :: ierror

        call ctx%create_serial()
        call sum%create(ctx, 3_int64)
        call tap_is_int(sum%qubits(), 3, "a sum has qubits")
        call tap_is_int(sum%terms(), 0, "and at first no terms")
        call sum%add("0.5 Z0 Z1 + X2 - 0.25 Y0")
        call tap_is_int(sum%terms(), 3, "text adds terms")
        call sum%add("Z0 Z1", -1.5_real64)
        call is_coefficient(sum, "ZZI", -1.0_real64, "with a factor")
        call pauli%create(3, "IIX")
        call sum%add(pauli)
        call is_coefficient(sum, "X2", 2.0_real64, "strings are added")
        call sum%add(pauli, -2.0_real64)
        call tap_is_int(sum%terms(), 2, "what becomes 0 is removed")
        call other%create(ctx, 3)
        call other%add("4 Y0")
        call sum%add(other)
        call is_coefficient(sum, "Y0", 3.75_real64, "sums are added")
        call sum%add(other, -0.5_real64, ierror)
        call tap_is_int(ierror, paulimpi_success, "with a factor, telling a code")
        call sum%add(sum, 1.0_real64)
        call is_coefficient(sum, "Y0", 3.5_real64, "also to themselves")
        call other%create(ctx, 4)
        call sum%add(other, ierror=ierror)
        call tap_is_int(ierror, paulimpi_err_mismatch, "more qubits do not fit")
        call sum%add("Z0 + Q1", 1.0_real64, ierror)
        call tap_is_int(ierror, paulimpi_err_syntax, "a wrong text is refused")
        call sum%create(ctx, 0, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "so is a sum on 0 qubits")
    end subroutine check_adding

    ! Bits of 65 qubits are two words a term.
    subroutine check_arrays()
        type(paulimpi_context) :: ctx
        type(paulimpi_sum) :: sum
        integer(int64), allocatable :: x(:, :), z(:, :)
        real(real64), allocatable :: c(:)
        integer :: ierror

        call ctx%create_serial()
        call sum%create(ctx, 65)
        allocate (x(2, 3), z(2, 3))
        x = reshape([0_int64, 1_int64, 1_int64, 0_int64, 0_int64, 1_int64], [2, 3])
        z = reshape([0_int64, 1_int64, 0_int64, 0_int64, 0_int64, 1_int64], [2, 3])
        call sum%add(x, z, [1.0_real64, 2.0_real64, 4.0_real64], ierror)
        call tap_is_int(ierror, paulimpi_success, "arrays add terms")
        call is_coefficient(sum, "Y64", 5.0_real64, "equal strings once")
        call is_coefficient(sum, "X0", 2.0_real64, "each with its bits")
        call sum%add(x(:, :0), z(:, :0), [real(real64) ::], ierror)
        call tap_is_int(ierror, paulimpi_success, "no terms are fine")
        call sum%add(x(:1, :), z, [1.0_real64, 2.0_real64, 4.0_real64], ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "a word too few is refused")
        call sum%add(x, z(:, :2), [1.0_real64, 2.0_real64, 4.0_real64], ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "a term too few is refused")
        call sum%add(x, z, [1.0_real64, 2.0_real64], ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "a coefficient too few is refused")
        call tap_ok(index(paulimpi_last_error(), "shape") > 0, "in a sentence")
        call tap_is_int(sum%terms(), 2, "and nothing is added")
        call sum%get_terms(x, z, c)
        call tap_ok(all(shape(x) == [2, 2]) .and. all(shape(z) == [2, 2]), "terms come out")
        call tap_ok(all(x(:, 1) == [0, 1]) .and. all(z(:, 1) == [0, 1]), "I...Y comes first")
        call tap_ok(all(abs(c - [5.0_real64, 2.0_real64]) <= 0), "with their coefficients")
    end subroutine check_arrays

    subroutine check_walk()
        type(paulimpi_sum) :: sum
        type(paulimpi_sum_position) :: place
        integer(int64) :: x(1), z(1), n
        real(real64) :: c, total
        logical :: found
        integer :: ierror

        call make(sum)
        n = 0
        total = 0
        do
            call sum%next(place, found, c)
            if (.not. found) exit
            n = n + 1
            total = total + c
        end do
        call tap_is_int(n, sum%terms(), "a walk meets each term")
        call tap_is_near(total, 1.25_real64, tiny, "once")
        place = paulimpi_sum_position()
        do
            call sum%next(place, found, c, x, z, ierror)
            if (.not. found) exit
            if (c < 0) call tap_ok(x(1) == 1 .and. z(1) == 1, "with its bits: -0.25 Y0")
        end do
        call tap_is_int(ierror, paulimpi_success, "the end is not an error")
        place = paulimpi_sum_position()
        call sum%next(place, found, c, x(:0), z, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "room for no word is too small")
        call tap_ok(.not. found, "and nothing is found")
    end subroutine check_walk

    subroutine check_changes()
        type(paulimpi_sum) :: sum
        type(paulimpi_truncation) :: policy
        integer :: ierror

        call make(sum)
        call sum%scale(-2.0_real64)
        call is_coefficient(sum, "Y0", 0.5_real64, "a sum is scaled")
        call sum%truncate(policy, ierror)
        call tap_is_int(ierror, paulimpi_success, "the initial policy is valid")
        call tap_is_int(sum%terms(), 3, "and drops nothing")
        policy%min_abs = 0.75_real64
        call sum%truncate(policy)
        call tap_is_int(sum%terms(), 2, "small terms are dropped")
        policy = paulimpi_truncation(max_weight=1)
        call sum%truncate(policy)
        call tap_is_int(sum%terms(), 1, "heavy ones are dropped")
        call sum%truncate(paulimpi_truncation(max_xy_weight=0))
        call tap_is_int(sum%terms(), 0, "those with X or Y are dropped")
        call sum%truncate(paulimpi_truncation(max_terms=-1), ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "a negative limit is refused")
        call make(sum)
        call sum%truncate(paulimpi_truncation(max_terms=1))
        call is_coefficient(sum, "IIX", 1.0_real64, "the largest is kept")
        call sum%scale(ieee_value(1.0_real64, ieee_positive_inf), ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "an infinite factor is refused")
        call sum%scale(0.0_real64, ierror)
        call tap_is_int(sum%terms(), 0, "0 empties a sum")
    end subroutine check_changes

    subroutine check_readouts()
        type(paulimpi_sum) :: sum, other
        integer(int64), allocatable :: count(:)
        real(real64), allocatable :: square(:)
        real(real64) :: value
        integer :: ierror

        call make(sum)
        call sum%norm1(value)
        call tap_is_near(value, 1.75_real64, tiny, "the 1-norm")
        call sum%norm2(value)
        call tap_is_near(value, sqrt(1.3125_real64), tiny, "the 2-norm")
        call sum%identity(value)
        call tap_is_near(value, 0.0_real64, tiny, "there is no identity")
        call sum%add("-2")
        call sum%identity(value, ierror)
        call tap_is_near(value, -2.0_real64, tiny, "until it is added")
        call sum%expectation("0", value)
        call tap_is_near(value, -1.5_real64, tiny, "one letter stands for all qubits")
        call sum%expectation("l0-", value)
        call tap_is_near(value, -2.75_real64, tiny, "or there is one for each")
        call sum%expectation("00", value, ierror)
        call tap_is_int(ierror, paulimpi_err_syntax, "two for three qubits are refused")
        call sum%expectation([2_int64], value)
        call tap_is_near(value, -2.5_real64, tiny, "a basis state is given by bits")
        call sum%expectation([2_int64, 0_int64], value, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "by as many as needed")
        call sum%expectation([8_int64], value, ierror)
        call tap_is_int(ierror, paulimpi_err_argument, "none of them stray")
        call make(other)
        call sum%overlap(other, value)
        call tap_is_near(value, 1.3125_real64, tiny, "the overlap of two sums")
        call sum%weight_histogram(count, square)
        call tap_ok(lbound(count, 1) == 0 .and. all(count == [1, 2, 1, 0]), "terms by weight")
        call tap_is_near(square(1), 1.0625_real64, tiny, "and their squares")
        call sum%weight_histogram(count, ierror=ierror)
        call tap_is_int(ierror, paulimpi_success, "the squares may be left out")
        call sum%coefficient("XX", value, ierror)
        call tap_is_int(ierror, paulimpi_err_syntax, "a short label has no coefficient")
    end subroutine check_readouts

    subroutine check_files()
        character(*), parameter :: path = "fortran-sum.txt"
        type(paulimpi_sum) :: sum
        character(:), allocatable :: text, again
        integer :: ierror, unit

        call make(sum)
        call sum%text(text)
        call sum%write(path, ierror)
        call tap_is_int(ierror, paulimpi_success, "a sum is written")
        call sum%scale(0.0_real64)
        call sum%add(text)
        call sum%text(again)
        call tap_is_text(again, text, "a text is read as it was written")
        call sum%read(path)
        call is_coefficient(sum, "Z0 Z1", 1.0_real64, "a file is added")
        open (newunit=unit, file=path)
        close (unit, status="delete")
        call sum%read(path, ierror)
        call tap_is_int(ierror, paulimpi_err_io, "a file that is not there is not read")
        call sum%write("no/such/folder/sum.txt", ierror)
        call tap_is_int(ierror, paulimpi_err_io, "nor is one written to nowhere")
    end subroutine check_files

    subroutine check_copies()
        type(paulimpi_sum) :: a, b, none
        type(paulimpi_sum), allocatable :: many(:)
        integer :: ierror

        call make(a)
        b = a
        call tap_ok(.not. c_associated(a%c_handle(), b%c_handle()), "a copy is another sum")
        call b%scale(2.0_real64)
        call is_coefficient(a, "Y0", -0.25_real64, "which changes alone")
        call is_coefficient(b, "Y0", -0.5_real64, "")
        b = b
        call is_coefficient(b, "Y0", -0.5_real64, "a sum is a copy of itself")
        allocate (many(3))
        many = a
        call a%destroy()
        call is_coefficient(many(3), "X2", 1.0_real64, "an array is filled with copies")
        many(1:2) = many(2:3)
        call is_coefficient(many(1), "X2", 1.0_real64, "sections overlap")
        call a%copy(b, ierror)
        call tap_is_int(ierror, paulimpi_success, "copy tells a code")
        a = none
        call tap_ok(.not. a%is_valid(), "a copy of nothing is nothing")
    end subroutine check_copies

    ! A leak, or a sum that is freed twice, shows under valgrind.
    subroutine check_scope()
        class(paulimpi_sum), allocatable :: polymorphic
        integer :: i

        do i = 1, 2
            block
                type(paulimpi_sum) :: one, many(2, 2)

                call make(one)
                many = one
                call tap_is_int(many(2, 2)%terms(), 3, "sums live in a block")
            end block
        end do
        allocate (polymorphic)
        call make_any(polymorphic)
        call tap_ok(polymorphic%is_valid(), "and behind a class")
        deallocate (polymorphic)
        call tap_ok(.not. allocated(polymorphic), "until they are deallocated")
    end subroutine check_scope

    subroutine make_any(sum)
        class(paulimpi_sum), intent(inout) :: sum
        type(paulimpi_context) :: ctx

        call ctx%create_serial()
        call sum%create(ctx, 2)
    end subroutine make_any

    ! A handle without a sum.
    subroutine check_nothing()
        type(paulimpi_sum) :: s, t
        type(paulimpi_context) :: ctx
        type(paulimpi_pauli) :: p
        type(paulimpi_sum_position) :: place
        character(:), allocatable :: text
        integer(int64), allocatable :: x(:, :), z(:, :), count(:)
        real(real64), allocatable :: c(:)
        real(real64) :: value
        logical :: found
        integer :: e(20)

        call s%destroy()
        call tap_is_int(s%qubits(), paulimpi_err_argument, "nothing has no qubits")
        call tap_is_int(s%terms(), paulimpi_err_argument, "and no terms")
        call s%create(ctx, 3, e(1))
        call s%add("X0", ierror=e(2))
        call s%add(p, ierror=e(3))
        allocate (x(1, 1), z(1, 1), source=0_int64)
        call s%add(x, z, [1.0_real64], e(4))
        call s%add(t, ierror=e(5))
        call s%scale(2.0_real64, e(6))
        call s%truncate(paulimpi_truncation(), e(7))
        call s%coefficient("X0", value, e(8))
        call s%identity(value, e(9))
        call s%next(place, found, value, ierror=e(10))
        call s%get_terms(x, z, c, e(11))
        call s%norm1(value, e(12))
        call s%norm2(value, e(13))
        call s%expectation("0", value, e(14))
        call s%expectation([0_int64], value, e(15))
        call s%overlap(t, value, e(16))
        call s%weight_histogram(count, ierror=e(17))
        call s%text(text, e(18))
        call s%write("fortran-sum.txt", e(19))
        call s%read("fortran-sum.txt", e(20))
        call tap_ok(all(e == paulimpi_err_argument), "every procedure refuses it")
    end subroutine check_nothing
end program sum_test
