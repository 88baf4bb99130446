/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Texts that grow, and files read whole.
 */
#include "base/base.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_CAPACITY = 64, FIRST_READ = 4096 };

static void
fail(paulimpi__text *text)
{
    paulimpi__free(text->data);
    *text = (paulimpi__text){ NULL, SIZE_MAX, 0 };
}

static int
has_failed(const paulimpi__text *text)
{
    return text->length == SIZE_MAX;
}

/* Make room for length more characters and the NUL; 0 if there is none. */
static int
reserve(paulimpi__text *text, size_t length)
{
    size_t capacity = text->capacity == 0 ? FIRST_CAPACITY : text->capacity;
    char *data;

    while (capacity - text->length <= length && capacity <= SIZE_MAX / 2) {
        capacity *= 2;
    }
    if (capacity == text->capacity) {
        return 1;
    }
    data = paulimpi__realloc(text->data, capacity, 1);
    if (data == NULL) {
        fail(text);
        return 0;
    }
    text->data = data;
    text->capacity = capacity;
    return 1;
}

void
paulimpi__text_append(paulimpi__text *text, const char *format, ...)
{
    va_list arguments, again;
    int length;

    if (has_failed(text)) {
        return;
    }
    va_start(arguments, format);
    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, arguments);
    if (length < 0) {
        fail(text);
    } else if (reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format,
                  again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

char *
paulimpi__text_take(paulimpi__text *text)
{
    char *data = has_failed(text) ? NULL : text->data;

    if (data == NULL && !has_failed(text)) {
        data = paulimpi__strdup("");
    }
    *text = (paulimpi__text)PAULIMPI__TEXT_INIT;
    return data;
}

void
paulimpi_text_destroy(char **text_p)
{
    if (text_p == NULL) {
        return;
    }
    paulimpi__free(*text_p);
    *text_p = NULL;
}

/* What read_file is about, for its sentences. */
typedef struct {
    const char *function;
    const char *name;
    size_t most;
} reading;

static int
io_error(const reading *what, const char *reason)
{
    return paulimpi__error(PAULIMPI_ERR_IO, "%s: %s: %s", what->function,
                           what->name, reason);
}

/* Read until the end of the file. The text always has room for one more byte
 * than may come, so that too long a file is found out. */
static int
read_stream(const reading *what, FILE *file, paulimpi__text *text)
{
    size_t n, more;

    do {
        more = text->length < FIRST_READ ? FIRST_READ : text->length;
        if (!reserve(text, more)) {
            return paulimpi__no_memory(what->function, more);
        }
        n = fread(text->data + text->length, 1,
                  text->capacity - text->length - 1, file);
        if (ferror(file)) {
            return io_error(what, strerror(errno));
        }
        text->length += n;
        if (text->length > what->most) {
            return paulimpi__error(PAULIMPI_ERR_IO,
                                   "%s: %s: longer than %zu bytes",
                                   what->function, what->name, what->most);
        }
    } while (n != 0);
    text->data[text->length] = '\0';
    return PAULIMPI_SUCCESS;
}

int
paulimpi__read_file(const char *function, const char *path, size_t most,
                    char **text_p, size_t *length_p)
{
    paulimpi__text text = PAULIMPI__TEXT_INIT;
    int is_stdin = strcmp(path, "-") == 0;
    reading what = { function, is_stdin ? "standard input" : path, most };
    FILE *file = is_stdin ? stdin : fopen(path, "r");
    int rc;

    *text_p = NULL;
    if (file == NULL) {
        return io_error(&what, strerror(errno));
    }

    /* A folder can be opened; reading it gives the right reason. */
    rc = read_stream(&what, file, &text);
    if (!is_stdin) {
        fclose(file);
    }
    if (rc == PAULIMPI_SUCCESS
        && memchr(text.data, '\0', text.length) != NULL) {
        rc = io_error(&what, "not a text: it holds NUL bytes");
    }
    if (rc != PAULIMPI_SUCCESS) {
        paulimpi__free(text.data);
        return rc;
    }
    *length_p = text.length;
    *text_p = text.data;
    return PAULIMPI_SUCCESS;
}
