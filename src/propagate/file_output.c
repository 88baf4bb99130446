/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that appear whole or not at all: written under another name beside the
 * one they will have, brought to the disk, and renamed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "propagate/file.h"

enum { NAME_TRIES = 100 /* names that a crash may have left behind */ };

int
paulimpi__output_fail(const paulimpi__output *out)
{
    return paulimpi__error(PAULIMPI_ERR_IO, "%s: %s: %s", out->function,
                           out->path, strerror(errno));
}

static int
fail_memory(const paulimpi__output *out)
{
    return paulimpi__error(PAULIMPI_ERR_MEMORY, "%s: %s: no memory for a name",
                           out->function, out->path);
}

/* Create a file beside the path, under a name that is not taken. */
static int
open_beside(paulimpi__output *out)
{
    int i;

    for (i = 0; i < NAME_TRIES; i++) {
        paulimpi__text name = PAULIMPI__TEXT_INIT;

        paulimpi__text_append(&name, "%s.%ld-%d.tmp", out->path,
                              (long)getpid(), i);
        out->name = paulimpi__text_take(&name);
        if (out->name == NULL) {
            return fail_memory(out);
        }
        out->fd =
            open(out->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->fd >= 0) {
            return PAULIMPI_SUCCESS;
        }
        paulimpi__free(out->name);
        out->name = NULL;
        if (errno != EEXIST) {
            break;
        }
    }
    return paulimpi__output_fail(out);
}

/* A device or a pipe is written to; renaming would put a file in its place. */
int
paulimpi__output_open(paulimpi__output *out, const char *function,
                      const char *path)
{
    struct stat status;

    *out = (paulimpi__output){ function, path, NULL, -1 };
    if (stat(path, &status) != 0 || S_ISREG(status.st_mode)) {
        return open_beside(out);
    }
    out->fd = open(path, O_WRONLY | O_CLOEXEC);
    return out->fd >= 0 ? PAULIMPI_SUCCESS : paulimpi__output_fail(out);
}

int
paulimpi__output_write(const paulimpi__output *out, int64_t at,
                       const void *data, size_t bytes)
{
    const char *from = data;
    size_t done = 0;

    while (done < bytes) {
        ssize_t n = at < 0 ? write(out->fd, from + done, bytes - done)
                           : pwrite(out->fd, from + done, bytes - done,
                                    (off_t)(at + (int64_t)done));

        if (n < 0 && errno != EINTR) {
            return paulimpi__output_fail(out);
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return PAULIMPI_SUCCESS;
}

/* Bring the new name to the disk too. The old one is of no more use: what is
 * left of it names the folder. A folder that cannot be opened or brought there
 * is none whose names could be lost in a way that we know of. */
static int
sync_folder(const paulimpi__output *out)
{
    char *slash = strrchr(out->name, '/');
    int rc = PAULIMPI_SUCCESS;
    int fd;

    if (slash != NULL) {
        slash[1] = '\0';
    }
    fd = open(slash == NULL ? "." : out->name,
              O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && fsync(fd) != 0 && errno == EIO) {
        rc = paulimpi__output_fail(out);
    }
    if (fd >= 0) {
        close(fd);
    }
    return rc;
}

int
paulimpi__output_close(paulimpi__output *out, int rc)
{
    if (rc == PAULIMPI_SUCCESS && out->name != NULL && fsync(out->fd) != 0) {
        rc = paulimpi__output_fail(out);
    }
    if (out->fd >= 0 && close(out->fd) != 0 && rc == PAULIMPI_SUCCESS) {
        rc = paulimpi__output_fail(out);
    }
    if (out->name != NULL) {
        if (rc == PAULIMPI_SUCCESS && rename(out->name, out->path) != 0) {
            rc = paulimpi__output_fail(out);
        }
        if (rc != PAULIMPI_SUCCESS) {
            unlink(out->name);
        } else {
            rc = sync_folder(out);
        }
    }
    paulimpi__free(out->name);
    out->name = NULL;
    out->fd = -1;
    return rc;
}
