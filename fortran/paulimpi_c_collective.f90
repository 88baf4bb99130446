! SPDX-License-Identifier: BSD-3-Clause
!
! The functions of collective.h and type.h as they are: see paulimpi_c. Not for
! users.
module paulimpi_c_collective
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr, c_size_t
    implicit none
    public

    interface
        integer(c_size_t) function c_type_bytes(type) bind(c, name="paulimpi_type_bytes")
            import
            integer(c_int), value :: type
        end function c_type_bytes

        type(c_ptr) function c_type_name(type) bind(c, name="paulimpi_type_name")
            import
            integer(c_int), value :: type
        end function c_type_name

        integer(c_int) function c_broadcast(ctx, data, count, type, root, options) &
            bind(c, name="paulimpi_broadcast")
            import
            type(c_ptr), value :: ctx, data, options
            integer(c_int64_t), value :: count
            integer(c_int), value :: type, root
        end function c_broadcast

        integer(c_int) function c_allgather(ctx, send, count, type, receive, options) &
            bind(c, name="paulimpi_allgather")
            import
            type(c_ptr), value :: ctx, send, receive, options
            integer(c_int64_t), value :: count
            integer(c_int), value :: type
        end function c_allgather

        integer(c_int) function c_allgatherv( &
            ctx, send, type, receive, counts, displacements, options) &
            bind(c, name="paulimpi_allgatherv")
            import
            type(c_ptr), value :: ctx, send, receive, counts, displacements, options
            integer(c_int), value :: type
        end function c_allgatherv

        integer(c_int) function c_alltoall(ctx, send, count, type, receive, options) &
            bind(c, name="paulimpi_alltoall")
            import
            type(c_ptr), value :: ctx, send, receive, options
            integer(c_int64_t), value :: count
            integer(c_int), value :: type
        end function c_alltoall

        integer(c_int) function c_alltoallv( &
            ctx, send, send_counts, send_displacements, type, receive, receive_counts, &
            receive_displacements, options) bind(c, name="paulimpi_alltoallv")
            import
            type(c_ptr), value :: ctx, send, send_counts, send_displacements, receive, &
                receive_counts, receive_displacements, options
            integer(c_int), value :: type
        end function c_alltoallv

        integer(c_int) function c_reduce(ctx, send, receive, count, type, op, root, options) &
            bind(c, name="paulimpi_reduce")
            import
            type(c_ptr), value :: ctx, send, receive, options
            integer(c_int64_t), value :: count
            integer(c_int), value :: type, op, root
        end function c_reduce

        integer(c_int) function c_allreduce(ctx, send, receive, count, type, op, options) &
            bind(c, name="paulimpi_allreduce")
            import
            type(c_ptr), value :: ctx, send, receive, options
            integer(c_int64_t), value :: count
            integer(c_int), value :: type, op
        end function c_allreduce
    end interface
end module paulimpi_c_collective
