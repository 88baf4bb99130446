/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether a file for the sum can be written, before there is one.
 */
#include "propagate_save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <paulimpi.h>

#include "tool.h"

static int
check_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *folder = calloc(length + 2, 1);
    int status = TOOL_SUCCESS;

    if (folder == NULL) {
        return tool_fail(TOOL_FAILURE, "--save %s: %s", path, strerror(errno));
    }
    memcpy(folder, length == 0 ? "." : path, length == 0 ? 1 : length);
    if (access(folder, W_OK) != 0) {
        status =
            tool_fail(TOOL_FAILURE, "--save %s: %s", path, strerror(errno));
    }
    free(folder);
    return status;
}

static int
check_hdf5(const char *path)
{
    const char *dot = strrchr(path, '.');
    char *text = NULL;
    int is_missing;

    if (dot == NULL
        || (strcasecmp(dot, ".h5") != 0 && strcasecmp(dot, ".hdf5") != 0)) {
        return TOOL_SUCCESS;
    }
    if (paulimpi_info(&text) != PAULIMPI_SUCCESS) {
        return tool_fail_library(TOOL_FAILURE, "--save");
    }
    is_missing = strstr(text, "\nHDF5: no\n") != NULL;
    paulimpi_text_destroy(&text);
    return is_missing ? tool_fail(TOOL_FAILURE,
                                  "--save %s: the library was built without "
                                  "HDF5: take a name that does not end in .h5 "
                                  "or .hdf5",
                                  path)
                      : TOOL_SUCCESS;
}

int
propagate_save_check(const char *path)
{
    int status = check_hdf5(path);

    /* A device is written to where it is. */
    if (status == TOOL_SUCCESS && access(path, W_OK) != 0) {
        status = check_folder(path);
    }
    return status;
}
