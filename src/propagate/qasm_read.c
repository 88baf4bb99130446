/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The entry points of the OpenQASM reader, its texts, errors and memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "propagate/qasm.h"

void
paulimpi__qasm_stop(paulimpi__qasm *reader, int status)
{
    if (reader->status == PAULIMPI_SUCCESS) {
        reader->status = status;
    }
    if (reader->status != PAULIMPI_SUCCESS) {
        reader->token.kind = PAULIMPI__QASM_END;
    }
}

void
paulimpi__qasm_fail(paulimpi__qasm *reader, int code,
                    paulimpi__qasm_place place, const char *format, ...)
{
    char reason[512];
    va_list arguments;

    if (reader->status == PAULIMPI_SUCCESS) {
        va_start(arguments, format);
        vsnprintf(reason, sizeof reason, format, arguments);
        va_end(arguments);
        paulimpi__qasm_stop(
            reader, paulimpi__error(code, "%s:%" PRId64 ":%" PRId64 ": %s",
                                    reader->texts[place.text].name, place.line,
                                    place.column, reason));
    }
}

int
paulimpi__qasm_grow(paulimpi__qasm *reader, void *array_p, int64_t *capacity_p,
                    int64_t needed, size_t size)
{
    int64_t wanted = needed + needed / 2 + 16;
    void *array;

    if (needed <= *capacity_p) {
        return PAULIMPI_SUCCESS;
    }
    /* The array is one of any type, so its address is copied. */
    memcpy(&array, array_p, sizeof array);
    array = paulimpi__realloc(array, (size_t)wanted, size);
    if (array == NULL) {
        paulimpi__qasm_stop(reader,
                            paulimpi__no_memory("paulimpi_circuit_read",
                                                (size_t)wanted * size));
        return reader->status;
    }
    memcpy(array_p, &array, sizeof array);
    *capacity_p = wanted;
    return PAULIMPI_SUCCESS;
}

void
paulimpi__qasm_open(paulimpi__qasm *reader, paulimpi__qasm_text text,
                    const char *name)
{
    int64_t number = reader->n_texts;

    if (reader->status != PAULIMPI_SUCCESS
        || paulimpi__qasm_grow(reader, &reader->texts, &reader->texts_capacity,
                               number + 1, sizeof *reader->texts)
               != PAULIMPI_SUCCESS) {
        paulimpi__free(text.owned);
        return;
    }
    text.name = paulimpi__strdup(name);
    text.line = 1;
    text.line_begin = text.next;
    reader->texts[number] = text;
    reader->n_texts++;
    reader->open[reader->n_open++] = number;
    if (text.name == NULL) {
        paulimpi__qasm_stop(
            reader,
            paulimpi__no_memory("paulimpi_circuit_read", strlen(name) + 1));
    }
}

static void
close_text(paulimpi__qasm_text *text)
{
    paulimpi__free(text->owned);
    text->owned = NULL;
    text->next = NULL;
}

void
paulimpi__qasm_close(paulimpi__qasm *reader)
{
    close_text(&reader->texts[reader->open[--reader->n_open]]);
    if (reader->n_open > 0) {
        paulimpi__qasm_advance(reader);
    }
}

/* The text on top is read first. A second include has no effect. */
static void
include_standard(paulimpi__qasm *reader, paulimpi__qasm_place place)
{
    if (reader->has_standard) {
        return;
    }
    reader->has_standard = 1;
    reader->standard_place = place;
    paulimpi__qasm_open(reader,
                        (paulimpi__qasm_text){
                            .next = paulimpi__qasm_standard_rest,
                            .is_standard = 1,
                            .is_replaceable = 1,
                        },
                        "qelib1.inc");
    paulimpi__qasm_open(reader,
                        (paulimpi__qasm_text){
                            .next = paulimpi__qasm_standard_paper,
                            .is_standard = 1,
                        },
                        "qelib1.inc");
}

/* The path of an include, relative to the folder of the text that names it; to
 * be freed, or NULL. */
static char *
path_beside(const char *including, const paulimpi__qasm_token *name)
{
    paulimpi__text path = PAULIMPI__TEXT_INIT;
    const char *slash = strrchr(including, '/');

    if (slash != NULL && name->text[0] != '/') {
        paulimpi__text_append(&path, "%.*s", (int)(slash - including) + 1,
                              including);
    } else if (name->text[0] == '-') {
        /* A file named "-" is not standard input here. */
        paulimpi__text_append(&path, "./");
    }
    paulimpi__text_append(&path, "%.*s", (int)name->length, name->text);
    return paulimpi__text_take(&path);
}

/* What the last error says after "paulimpi_circuit_read: ": sentences about
 * files begin with the name of the file. */
static const char *
file_reason(void)
{
    static const char prefix[] = "paulimpi_circuit_read: ";
    const char *sentence = paulimpi_last_error();
    size_t length = sizeof prefix - 1;

    return strncmp(sentence, prefix, length) == 0 ? sentence + length
                                                  : sentence;
}

static void
include_file(paulimpi__qasm *reader, const paulimpi__qasm_token *name,
             const char *path)
{
    paulimpi__qasm_text text = { .has_folder = 1 };
    char reason[256];
    size_t length;
    int rc = paulimpi__read_file("paulimpi_circuit_read", path,
                                 PAULIMPI__QASM_MOST_BYTES - reader->bytes,
                                 &text.owned, &length);

    if (rc == PAULIMPI_ERR_IO) {
        snprintf(reason, sizeof reason, "%s", file_reason());
        paulimpi__qasm_fail(reader, rc, name->place, "cannot include %s",
                            reason);
    } else if (rc != PAULIMPI_SUCCESS) {
        paulimpi__qasm_stop(reader, rc);
    } else {
        reader->bytes += length;
        text.next = text.owned;
        paulimpi__qasm_open(reader, text, path);
    }
}

/* Whether one text more may be read. */
static int
may_include(paulimpi__qasm *reader, const paulimpi__qasm_token *name)
{
    const paulimpi__qasm_text *from = &reader->texts[name->place.text];
    char shown[PAULIMPI__QASM_SHOWN];

    if (!from->has_folder) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_IO, name->place,
                            "cannot include %s: only a file has a folder in "
                            "which to look for it",
                            paulimpi__qasm_show(name, shown));
    } else if (name->length == 0) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, name->place,
                            "the file to include has no name");
    } else if (reader->n_open == PAULIMPI__QASM_MOST_OPEN) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_UNSUPPORTED, name->place,
                            "includes are nested deeper than %d files",
                            PAULIMPI__QASM_MOST_OPEN);
    } else if (reader->n_texts >= PAULIMPI__QASM_MOST_TEXTS) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_UNSUPPORTED, name->place,
                            "more than %d files are included",
                            PAULIMPI__QASM_MOST_TEXTS);
    }
    return reader->status == PAULIMPI_SUCCESS;
}

static void
include_other(paulimpi__qasm *reader, const paulimpi__qasm_token *name)
{
    char *path;

    if (!may_include(reader, name)) {
        return;
    }
    path = path_beside(reader->texts[name->place.text].name, name);
    if (path == NULL) {
        paulimpi__qasm_stop(
            reader,
            paulimpi__no_memory("paulimpi_circuit_read", name->length));
        return;
    }
    include_file(reader, name, path);
    paulimpi__free(path);
}

void
paulimpi__qasm_include(paulimpi__qasm *reader,
                       const paulimpi__qasm_token *name)
{
    if (name->length == strlen("qelib1.inc")
        && memcmp(name->text, "qelib1.inc", name->length) == 0) {
        include_standard(reader, name->place);
    } else {
        include_other(reader, name);
    }
    paulimpi__qasm_advance(reader);
    if (reader->token.kind == PAULIMPI__QASM_KEY_OPENQASM) {
        paulimpi__qasm_version(reader);
    }
}

static void
release(paulimpi__qasm *reader)
{
    int64_t i;

    for (i = 0; i < reader->n_texts; i++) {
        close_text(&reader->texts[i]);
        paulimpi__free(reader->texts[i].name);
    }
    paulimpi__free(reader->texts);
    paulimpi__qasm_scope_free(&reader->globals);
    paulimpi__qasm_scope_free(&reader->locals);
    paulimpi__free(reader->gates);
    paulimpi__free(reader->calls);
    paulimpi__free(reader->formals);
    paulimpi__free(reader->expressions);
    paulimpi__free(reader->code);
    paulimpi__free(reader->arguments);
    paulimpi__free(reader->values);
    paulimpi__free(reader->operands);
    paulimpi__free(reader->qubits);
}

static int
read_text(paulimpi__qasm *reader, paulimpi__qasm_text text, const char *name,
          paulimpi_circuit **circuit_p)
{
    paulimpi__qasm_open(reader, text, name);
    if (reader->status == PAULIMPI_SUCCESS) {
        paulimpi__qasm_builtins(reader);
        paulimpi__qasm_advance(reader);
        paulimpi__qasm_program(reader);
    }
    release(reader);
    if (reader->status != PAULIMPI_SUCCESS) {
        paulimpi_circuit_destroy(&reader->circuit);
        return reader->status;
    }
    *circuit_p = reader->circuit;
    return PAULIMPI_SUCCESS;
}

static int
read_path(paulimpi__qasm *reader, const char *function, const char *path,
          paulimpi_circuit **circuit_p)
{
    paulimpi__qasm_text text = { .has_folder = 1 };
    int rc;

    if (path == NULL) {
        return paulimpi__null(function, "path");
    }
    rc = paulimpi__read_file(function, path, PAULIMPI__QASM_MOST_BYTES,
                             &text.owned, &reader->bytes);
    if (rc == PAULIMPI_ERR_IO) {
        paulimpi__error_set_text(file_reason());
    }
    if (rc != PAULIMPI_SUCCESS) {
        return rc;
    }
    text.next = text.owned;
    if (strcmp(path, "-") == 0) {
        text.has_folder = 0;
        path = "standard input";
    }
    return read_text(reader, text, path, circuit_p);
}

int
paulimpi_circuit_read(const char *path, paulimpi_circuit **circuit_p)
{
    static const char function[] = "paulimpi_circuit_read";
    paulimpi__qasm reader = { .status = PAULIMPI_SUCCESS };

    if (circuit_p == NULL) {
        return paulimpi__null(function, "circuit_p");
    }
    *circuit_p = NULL;
    return read_path(&reader, function, path, circuit_p);
}

int
paulimpi_circuit_read_with(const char *path, int64_t n_inputs,
                           const paulimpi_input *inputs,
                           paulimpi_circuit **circuit_p)
{
    static const char function[] = "paulimpi_circuit_read_with";
    paulimpi__qasm reader = { .inputs = inputs, .n_inputs = n_inputs };
    int rc;

    if (circuit_p == NULL) {
        return paulimpi__null(function, "circuit_p");
    }
    *circuit_p = NULL;
    rc = paulimpi__qasm_check_values(function, n_inputs, inputs);
    return rc == PAULIMPI_SUCCESS
               ? read_path(&reader, function, path, circuit_p)
               : rc;
}

int
paulimpi_circuit_parse(const char *text, const char *name,
                       paulimpi_circuit **circuit_p)
{
    static const char function[] = "paulimpi_circuit_parse";
    paulimpi__qasm reader = { .status = PAULIMPI_SUCCESS };

    if (circuit_p == NULL) {
        return paulimpi__null(function, "circuit_p");
    }
    *circuit_p = NULL;
    if (text == NULL) {
        return paulimpi__null(function, "text");
    }
    return read_text(&reader, (paulimpi__qasm_text){ .next = text },
                     name == NULL ? "text" : name, circuit_p);
}
