/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parameters of a whole text: OpenQASM 3's statement "input angle NAME;". Each
 * gets its value from the caller before the text is read.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "propagate/qasm.h"

static int
is_word(const paulimpi__qasm_token *token, const char *word)
{
    return token->kind == PAULIMPI__QASM_NAME && token->length == strlen(word)
           && memcmp(token->text, word, token->length) == 0;
}

int
paulimpi__qasm_is_input(const paulimpi__qasm *reader)
{
    return is_word(&reader->token, "input")
           && paulimpi__qasm_find(&reader->globals, &reader->token) == NULL;
}

/* Read "angle", "float" or "float[64]"; whatever it is, it is a double here. */
static void
read_type(paulimpi__qasm *reader)
{
    if (!is_word(&reader->token, "angle")
        && !is_word(&reader->token, "float")) {
        paulimpi__qasm_unexpected(reader, "\"angle\" or \"float\" after "
                                          "\"input\"");
        return;
    }
    paulimpi__qasm_advance(reader);
    if (paulimpi__qasm_accept(reader, '[')) {
        paulimpi__qasm_expect(reader, PAULIMPI__QASM_INTEGER,
                              "a number of bits");
        paulimpi__qasm_expect(reader, ']', "\"]\" after the number of bits");
    }
}

/* The number of the value that was given for a name, or -1. */
static int64_t
find_value(const paulimpi__qasm *reader, const paulimpi__qasm_token *name)
{
    int64_t i;

    for (i = 0; i < reader->n_inputs; i++) {
        if (is_word(name, reader->inputs[i].name)) {
            return i;
        }
    }
    return -1;
}

void
paulimpi__qasm_input(paulimpi__qasm *reader)
{
    paulimpi__qasm_symbol *symbol;
    paulimpi__qasm_token name;
    char shown[PAULIMPI__QASM_SHOWN];

    paulimpi__qasm_advance(reader);
    read_type(reader);
    name = reader->token;
    paulimpi__qasm_expect(reader, PAULIMPI__QASM_NAME, "a name for the input");
    paulimpi__qasm_expect(reader, ';', "\";\" after the input");
    symbol = paulimpi__qasm_declare(reader, &reader->globals, &name,
                                    PAULIMPI__QASM_PARAMETER);
    if (symbol == NULL) {
        return;
    }
    symbol->first = find_value(reader, &name);
    if (symbol->first < 0) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, name.place,
                            "%s is an input, to which no value is given",
                            paulimpi__qasm_show(&name, shown));
    }
}

/* Whether the text has declared an input of this number. */
static int
is_declared(const paulimpi__qasm *reader, int64_t number)
{
    int64_t i;

    for (i = 0; i < reader->globals.n_symbols; i++) {
        const paulimpi__qasm_symbol *symbol = &reader->globals.symbols[i];

        if (symbol->kind == PAULIMPI__QASM_PARAMETER
            && symbol->first == number) {
            return 1;
        }
    }
    return 0;
}

void
paulimpi__qasm_check_inputs(paulimpi__qasm *reader)
{
    int64_t i;

    for (i = 0; i < reader->n_inputs && reader->status == PAULIMPI_SUCCESS;
         i++) {
        if (!is_declared(reader, i)) {
            paulimpi__qasm_stop(
                reader,
                paulimpi__error(PAULIMPI_ERR_MISMATCH,
                                "%s: there is a value for \"%s\", but "
                                "no \"input angle %s;\", or a value "
                                "for it already",
                                reader->texts[0].name, reader->inputs[i].name,
                                reader->inputs[i].name));
        }
    }
}

int
paulimpi__qasm_check_values(const char *function, int64_t n_inputs,
                            const paulimpi_input *inputs)
{
    int64_t i;

    if (n_inputs < 0 || (n_inputs > 0 && inputs == NULL)) {
        return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                               "%s: n_inputs is %" PRId64
                               ", but inputs does not hold as many",
                               function, n_inputs);
    }
    for (i = 0; i < n_inputs; i++) {
        if (inputs[i].name == NULL) {
            return paulimpi__null(function, "the name of an input");
        }
        if (!isfinite(inputs[i].value)) {
            return paulimpi__error(PAULIMPI_ERR_ARGUMENT,
                                   "%s: the value of input \"%s\" is %g, but "
                                   "must be finite",
                                   function, inputs[i].name, inputs[i].value);
        }
    }
    return PAULIMPI_SUCCESS;
}
