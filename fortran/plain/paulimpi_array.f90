! SPDX-License-Identifier: BSD-3-Clause
!
! For compilers without type(*), dimension(..): there is no message() and no
! paulimpi_region_of(). Use paulimpi_message(paulimpi_region_1d(c_loc(a),
! bytes), peer, tag), and its like with paulimpi_region_2d().
module paulimpi_array_m
    implicit none
    private
end module paulimpi_array_m
