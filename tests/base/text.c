/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Growing texts and reading files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "tap/tap.h"

static char folder[] = "/tmp/paulimpi-text-XXXXXX";

static void
test_growth(void)
{
    paulimpi__text text = PAULIMPI__TEXT_INIT;
    char *taken;
    int i;

    for (i = 0; i < 1000; i++) {
        paulimpi__text_append(&text, "%d,", i % 10);
    }
    tap_is_int((int64_t)text.length, 2000, "a text grows");
    taken = paulimpi__text_take(&text);
    tap_ok(taken != NULL && strlen(taken) == 2000
               && strncmp(taken, "0,1,2,3,4,5,6,7,8,9,0,", 22) == 0,
           "and holds what was appended");
    tap_ok(text.data == NULL && text.length == 0, "taken, it is empty again");
    paulimpi_text_destroy(&taken);
    tap_ok(taken == NULL, "destroy forgets the text");
    paulimpi_text_destroy(&taken);
    paulimpi_text_destroy(NULL);
    tap_ok(1, "destroying nothing is fine");

    taken = paulimpi__text_take(&text);
    tap_is_text(taken, "", "nothing appended: an empty text");
    paulimpi_text_destroy(&taken);

    paulimpi__text_append(&text, "%063d", 0);
    tap_is_int((int64_t)text.capacity, 64, "63 characters and a NUL fit 64");
    paulimpi__text_append(&text, "%s", "");
    tap_is_int((int64_t)text.capacity, 64, "an empty one more does too");
    taken = paulimpi__text_take(&text);
    tap_is_int((int64_t)strlen(taken), 63, "none is lost");
    paulimpi_text_destroy(&taken);
}

static void
test_no_memory(void)
{
    paulimpi__text text = PAULIMPI__TEXT_INIT;

    paulimpi__text_append(&text, "a");
    paulimpi__alloc_fail_at(1);
    paulimpi__text_append(&text, "%0100d", 0);
    paulimpi__text_append(&text, "b");
    tap_ok(text.data == NULL && text.length == SIZE_MAX,
           "a text that cannot grow is gone, and stays so");
    tap_ok(paulimpi__text_take(&text) == NULL, "the end tells");
    paulimpi__alloc_fail_at(1);
    tap_ok(paulimpi__text_take(&text) == NULL,
           "an empty text needs memory too");
}

static const char *
write_file(const char *name, const char *data, size_t length)
{
    static char path[100];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    if (file == NULL || fwrite(data, 1, length, file) != length
        || fclose(file) != 0) {
        tap_bail("%s cannot be written", path);
    }
    return path;
}

static void
check_refused(const char *path, size_t most, const char *reason,
              const char *fact)
{
    char *text = folder;
    size_t length = 5;
    int rc = paulimpi__read_file("f", path, most, &text, &length);

    tap_ok(rc == PAULIMPI_ERR_IO && text == NULL && length == 5
               && strstr(paulimpi_last_error(), reason) != NULL
               && strncmp(paulimpi_last_error(), "f: ", 3) == 0,
           "%s: %s", fact, paulimpi_last_error());
}

static void
check_read(const char *path, const char *want, size_t want_length,
           const char *fact)
{
    char *text = NULL;
    size_t length = 0;

    tap_ok(paulimpi__read_file("f", path, want_length, &text, &length) == 0
               && length == want_length && strlen(text) == length
               && memcmp(text, want, length) == 0,
           "%s", fact);
    paulimpi_text_destroy(&text);
}

static void
test_files(void)
{
    enum { LONG = 100000 };
    char *many = malloc(LONG);
    const char *path;

    memset(many, 'x', LONG);
    check_read(write_file("hello", "hello\n", 6), "hello\n", 6,
               "a file is read, up to exactly the limit");
    check_read(write_file("empty", "", 0), "", 0, "an empty file is read");
    check_read(write_file("long", many, LONG), many, LONG,
               "a long file is read");

    path = write_file("long", many, LONG);
    check_refused(path, LONG - 1, "longer than 99999 bytes",
                  "one byte above the limit is refused");
    check_refused(path, 0, "longer than 0 bytes", "a limit of 0 holds");
    check_refused(write_file("binary", "a\0b", 3), 10, "NUL bytes",
                  "a NUL byte is refused");
    check_refused(folder, 10, "Is a directory", "a folder is refused");
    check_refused("/nonexistent/file", 10, "No such file",
                  "a missing file is refused");
    check_refused("", 10, "No such file", "an empty name is refused");
    free(many);
}

static void
test_standard_input(void)
{
    const char *path = write_file("stdin", "from stdin", 10);

    if (freopen(path, "r", stdin) == NULL) {
        tap_bail("standard input cannot be replaced");
    }
    check_read("-", "from stdin", 10, "\"-\" is standard input");
    if (freopen(folder, "r", stdin) == NULL) {
        tap_bail("standard input cannot be replaced");
    }
    check_refused("-", 10, "standard input", "which has a name in sentences");
}

static void
test_file_without_memory(void)
{
    const char *path = write_file("some", "some", 4);
    char *text;
    size_t length;

    paulimpi__alloc_fail_at(1);
    tap_is_status(paulimpi__read_file("f", path, 10, &text, &length),
                  PAULIMPI_ERR_MEMORY, "reading a file needs memory");
    tap_ok(text == NULL, "without it there is no text");
}

static void
clean_up(void)
{
    static const char *const name[] = { "hello",  "empty", "long",
                                        "binary", "stdin", "some" };
    char path[100];
    size_t i;

    for (i = 0; i < sizeof name / sizeof name[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        remove(path);
    }
    rmdir(folder);
}

int
main(void)
{
    if (mkdtemp(folder) == NULL) {
        tap_bail("no temporary folder");
    }
    test_growth();
    test_no_memory();
    test_files();
    test_standard_input();
    test_file_without_memory();
    clean_up();
    return tap_done();
}
