/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files of terms in HDF5: the datasets x, z (terms by words) and coefficient,
 * each in one piece, attributes of the file, and the group checkpoint with the
 * state of a propagation.
 */
#include "config.h"

#include "propagate/file.h"

#ifdef HAVE_HDF5

#include <hdf5.h>
#include <stdio.h>
#include <string.h>

#include "comm/comm.h"
#include "paulimpi/version.h"

/* The handles of a file that is open; negative: none. */
typedef struct {
    hid_t file;
    hid_t x, z, coefficient, state;
    char reason[256]; /* what HDF5 said first */
} body;

/* Keep the innermost reason of HDF5's, which is the first one on this way. */
static herr_t
note_reason(unsigned n, const H5E_error2_t *error, void *data)
{
    body *b = data;

    (void)n;
    if (b->reason[0] == '\0' && error->desc != NULL) {
        snprintf(b->reason, sizeof b->reason, "%s", error->desc);
    }
    return 0;
}

static int
fail(const paulimpi__writing *w, body *b)
{
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_reason, b);
    return paulimpi__error(
        PAULIMPI_ERR_IO, "%s: %s: HDF5: %s", w->file->function, w->file->path,
        b->reason[0] != '\0' ? b->reason : "it gave no reason");
}

/* How the file is opened: by all ranks, or by this one, without a lock, which
 * some file systems do not have, on a file that no one else knows. */
static hid_t
access_list(const paulimpi__writing *w)
{
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    herr_t rc = 0;

    if (list < 0) {
        return list;
    }
#ifdef H5_HAVE_PARALLEL
    if (w->is_parallel) {
        rc = H5Pset_fapl_mpio(list, paulimpi__context_comm(w->ctx),
                              MPI_INFO_NULL);
    }
#endif
#if H5_VERSION_GE(1, 10, 7)
    if (!w->is_parallel) {
        H5Pset_file_locking(list, 0, 1);
    }
#endif
    if (rc < 0) {
        H5Pclose(list);
        return -1;
    }
    return list;
}

static hid_t
create_file(const paulimpi__writing *w)
{
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    hid_t access = access_list(w);
    hid_t file = -1;

    if (creation >= 0 && access >= 0
        && H5Pset_userblock(creation, PAULIMPI__HEAD_BYTES) >= 0) {
        file = H5Fcreate(w->name, H5F_ACC_TRUNC, creation, access);
    }
    H5Pclose(access);
    H5Pclose(creation);
    return file;
}

/* A dataset that lies in the file in one piece from the beginning. */
static hid_t
create_dataset(hid_t parent, const char *name, hid_t type, int rank,
               const hsize_t *extent)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(rank, extent, NULL);
    hid_t set = -1;

    if (list >= 0 && space >= 0
        && H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0
        && H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0) {
        set = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, list,
                         H5P_DEFAULT);
    }
    H5Sclose(space);
    H5Pclose(list);
    return set;
}

static int
create_datasets(const paulimpi__writing *w, body *b)
{
    hsize_t extent[2];

    extent[0] = (hsize_t)w->head.n_terms;
    extent[1] = (hsize_t)paulimpi_pauli_words(w->head.n_qubits);
    b->x = create_dataset(b->file, "x", H5T_STD_U64LE, 2, extent);
    b->z = create_dataset(b->file, "z", H5T_STD_U64LE, 2, extent);
    b->coefficient =
        create_dataset(b->file, "coefficient", H5T_IEEE_F64LE, 1, extent);
    return b->x >= 0 && b->z >= 0 && b->coefficient >= 0;
}

static int
add_attribute(hid_t object, const char *name, hid_t type, hid_t memory_type,
              const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute =
        H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int is_done = attribute >= 0
                  && H5Awrite(attribute, memory_type, value) >= 0
                  && H5Aclose(attribute) >= 0;

    H5Sclose(space);
    return is_done;
}

static int
add_count(hid_t object, const char *name, int64_t value)
{
    return add_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64,
                         &value);
}

static int
add_word(hid_t object, const char *name, uint64_t value)
{
    return add_attribute(object, name, H5T_STD_U64LE, H5T_NATIVE_UINT64,
                         &value);
}

static int
add_text(hid_t object, const char *name, const char *value)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    int is_done = H5Tset_size(type, strlen(value) + 1) >= 0
                  && add_attribute(object, name, type, type, value);

    H5Tclose(type);
    return is_done;
}

static int
add_attributes(const paulimpi__writing *w, const body *b)
{
    return add_count(b->file, "version", PAULIMPI__HEAD_VERSION)
           && add_text(b->file, "writer",
                       "libpaulimpi " PAULIMPI_VERSION_STRING)
           && add_count(b->file, "qubits", w->head.n_qubits)
           && add_count(b->file, "terms", w->head.n_terms)
           && add_word(b->file, "fingerprint", w->head.fingerprint);
}

static int
add_notes(const paulimpi__writing *w, hid_t group)
{
    int is_done = add_word(group, "checksum", w->head.state_checksum);
    int i;

    for (i = 0; i < w->file->n_notes && is_done; i++) {
        const paulimpi__note *note = &w->file->notes[i];

        is_done = note->is_real
                      ? add_attribute(group, note->name, H5T_IEEE_F64LE,
                                      H5T_NATIVE_DOUBLE, &note->real)
                      : add_count(group, note->name, note->count);
    }
    return is_done;
}

/* The group with the state, which rank 0 writes. */
static int
create_state(const paulimpi__writing *w, body *b)
{
    hsize_t extent = (hsize_t)w->head.n_state;
    hid_t group;
    int is_done;

    if (w->head.n_state == 0) {
        return 1;
    }
    group = H5Gcreate2(b->file, "checkpoint", H5P_DEFAULT, H5P_DEFAULT,
                       H5P_DEFAULT);
    if (group < 0) {
        return 0;
    }
    b->state = create_dataset(group, "state", H5T_STD_U64LE, 1, &extent);
    is_done = b->state >= 0 && add_notes(w, group);
    if (is_done && paulimpi_context_rank(w->ctx) == 0) {
        is_done = H5Dwrite(b->state, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL,
                           H5P_DEFAULT, w->file->state)
                  >= 0;
    }
    return H5Gclose(group) >= 0 && is_done;
}

static int
create(paulimpi__writing *w)
{
    body *b = paulimpi__alloc_zero(1, sizeof *b);
    int rc = PAULIMPI_SUCCESS;

    w->body = b;
    if (b == NULL) {
        return paulimpi__no_memory(w->file->function, sizeof *b);
    }
    b->file = b->x = b->z = b->coefficient = b->state = -1;
    H5E_BEGIN_TRY
    {
        b->file = create_file(w);
        if (b->file < 0 || !create_datasets(w, b) || !add_attributes(w, b)
            || !create_state(w, b)) {
            rc = fail(w, b);
        }
    }
    H5E_END_TRY;
    return rc;
}

/* Write the rows of one dataset, `columns` numbers each. */
static int
put_rows(hid_t set, hid_t type, int rank, int64_t first, int64_t n,
         int64_t columns, const void *data)
{
    hsize_t start[2] = { 0, 0 };
    hsize_t count[2];
    hid_t in_file = H5Dget_space(set);
    hid_t in_memory;
    int is_done;

    start[0] = (hsize_t)first;
    count[0] = (hsize_t)n;
    count[1] = (hsize_t)columns;
    in_memory = H5Screate_simple(rank, count, NULL);
    is_done =
        in_file >= 0 && in_memory >= 0
        && H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, count,
                               NULL)
               >= 0
        && H5Dwrite(set, type, in_memory, in_file, H5P_DEFAULT, data) >= 0;
    H5Sclose(in_memory);
    H5Sclose(in_file);
    return is_done;
}

static int
put(paulimpi__writing *w, int64_t first)
{
    const paulimpi__rows *rows = &w->rows;
    body *b = w->body;
    int rc = PAULIMPI_SUCCESS;

    H5E_BEGIN_TRY
    {
        if (!put_rows(b->x, H5T_NATIVE_UINT64, 2, first, rows->n,
                      rows->n_words, rows->x)
            || !put_rows(b->z, H5T_NATIVE_UINT64, 2, first, rows->n,
                         rows->n_words, rows->z)
            || !put_rows(b->coefficient, H5T_NATIVE_DOUBLE, 1, first, rows->n,
                         1, rows->coefficient)) {
            rc = fail(w, b);
        }
    }
    H5E_END_TRY;
    return rc;
}

/* Where a dataset lies; 0 if nowhere, since it is empty. */
static int64_t
place_of(hid_t set)
{
    haddr_t place = set < 0 ? HADDR_UNDEF : H5Dget_offset(set);

    return place == HADDR_UNDEF ? 0 : (int64_t)place;
}

static int
close_all(body *b)
{
    int is_done = b->x < 0 || H5Dclose(b->x) >= 0;

    is_done &= b->z < 0 || H5Dclose(b->z) >= 0;
    is_done &= b->coefficient < 0 || H5Dclose(b->coefficient) >= 0;
    is_done &= b->state < 0 || H5Dclose(b->state) >= 0;
    if (b->file >= 0) {
        /* Between nodes every rank has to bring its part to the disk. */
        is_done &= H5Fflush(b->file, H5F_SCOPE_GLOBAL) >= 0;
        is_done &= H5Fclose(b->file) >= 0;
    }
    return is_done;
}

static int
finish(paulimpi__writing *w)
{
    body *b = w->body;
    int rc = PAULIMPI_SUCCESS;

    if (b == NULL) {
        return PAULIMPI_SUCCESS;
    }
    H5E_BEGIN_TRY
    {
        w->head.x = place_of(b->x);
        w->head.z = place_of(b->z);
        w->head.coefficient = place_of(b->coefficient);
        w->head.state = place_of(b->state);
        if (!close_all(b)) {
            rc = fail(w, b);
        }
    }
    H5E_END_TRY;
    paulimpi__free(b);
    w->body = NULL;
    return rc;
}

#ifdef H5_HAVE_PARALLEL
static const paulimpi__format hdf5 = { create, put, finish, 1 };
#else
static const paulimpi__format hdf5 = { create, put, finish, 0 };
#endif
const paulimpi__format *const paulimpi__format_hdf5 = &hdf5;

#else

const paulimpi__format *const paulimpi__format_hdf5 = NULL;

#endif
