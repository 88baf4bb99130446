/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The statements of an OpenQASM text.
 */
#include <inttypes.h>

#include "propagate/qasm.h"

void
paulimpi__qasm_version(paulimpi__qasm *reader)
{
    paulimpi__qasm_token version;
    char shown[PAULIMPI__QASM_SHOWN];
    double number = 0.0;

    paulimpi__qasm_expect(reader, PAULIMPI__QASM_KEY_OPENQASM,
                          "\"OPENQASM 2.0;\" as the first statement");
    version = reader->token;
    if (!paulimpi__qasm_accept(reader, PAULIMPI__QASM_REAL)) {
        paulimpi__qasm_expect(reader, PAULIMPI__QASM_INTEGER,
                              "a version after \"OPENQASM\"");
    }
    if (reader->status == PAULIMPI_SUCCESS) {
        paulimpi__parse_double(version.text, &number);
    }
    if (number != 2.0) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_UNSUPPORTED, version.place,
                            "OpenQASM version %s is not supported, only 2.0",
                            paulimpi__qasm_show(&version, shown));
    }
    paulimpi__qasm_expect(reader, ';', "\";\" after the version");
}

/* The file is opened after the semicolon, but before the token behind it, that
 * comes after the file. */
static void
include(paulimpi__qasm *reader)
{
    paulimpi__qasm_token name;

    paulimpi__qasm_advance(reader);
    name = reader->token;
    paulimpi__qasm_expect(reader, PAULIMPI__QASM_STRING,
                          "a file name in double quotes after \"include\"");
    if (reader->status == PAULIMPI_SUCCESS && reader->token.kind != ';') {
        paulimpi__qasm_unexpected(reader, "\";\" after the file name");
    }
    if (reader->status == PAULIMPI_SUCCESS) {
        paulimpi__qasm_include(reader, &name);
    }
}

/* A circuit grows with its registers, for they may be declared late. */
static void
add_qubits(paulimpi__qasm *reader, int64_t size)
{
    int64_t total = reader->n_qubits + size;

    if (paulimpi__qasm_grow(reader, &reader->qubits, &reader->qubits_capacity,
                            total, sizeof *reader->qubits)
        != PAULIMPI_SUCCESS) {
        return;
    }
    for (; reader->n_qubits < total; reader->n_qubits++) {
        reader->qubits[reader->n_qubits] = (paulimpi__qasm_qubit){ .mark = 0 };
    }
    if (reader->circuit == NULL) {
        paulimpi__qasm_stop(reader,
                            paulimpi_circuit_create(total, &reader->circuit));
    } else {
        reader->circuit->n_qubits = total;
    }
}

/* Read the size of a register, at most this much. */
static int64_t
register_size(paulimpi__qasm *reader, int64_t most)
{
    paulimpi__qasm_token size;

    paulimpi__qasm_expect(reader, '[', "\"[\" and a size after the name");
    size = reader->token;
    paulimpi__qasm_expect(reader, PAULIMPI__QASM_INTEGER,
                          "an integer as size of the register");
    if (reader->status != PAULIMPI_SUCCESS) {
        return 0;
    }
    if (paulimpi__qasm_integer(&size) < 1) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, size.place,
                            "the size of a register must be at least 1");
    }
    if (paulimpi__qasm_integer(&size) > most) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_UNSUPPORTED, size.place,
                            "more than %d qubits or bits are not supported",
                            PAULIMPI__QASM_MOST_QUBITS);
    }
    paulimpi__qasm_expect(reader, ']', "\"]\" after the size");
    paulimpi__qasm_expect(reader, ';', "\";\" after the register");
    return paulimpi__qasm_integer(&size);
}

static void
declare_register(paulimpi__qasm *reader, paulimpi__qasm_symbol_kind kind)
{
    paulimpi__qasm_token name;
    paulimpi__qasm_symbol *symbol;
    int64_t most = PAULIMPI__QASM_MOST_QUBITS;
    int64_t size;

    if (kind == PAULIMPI__QASM_QUBITS) {
        most -= reader->n_qubits;
    }
    paulimpi__qasm_advance(reader);
    name = reader->token;
    paulimpi__qasm_expect(reader, PAULIMPI__QASM_NAME,
                          "a name for the register");
    size = register_size(reader, most);
    symbol = paulimpi__qasm_declare(reader, &reader->globals, &name, kind);
    if (symbol != NULL) {
        symbol->first = reader->n_qubits;
        symbol->size = size;
        if (kind == PAULIMPI__QASM_QUBITS) {
            add_qubits(reader, size);
        }
    }
}

static void
refuse(paulimpi__qasm *reader, const char *reason)
{
    paulimpi__qasm_fail(reader, PAULIMPI_ERR_UNSUPPORTED, reader->token.place,
                        "%s", reason);
}

static void
statement(paulimpi__qasm *reader)
{
    reader->statement = reader->token.place;
    switch (reader->token.kind) {
    case PAULIMPI__QASM_KEY_INCLUDE:
        include(reader);
        break;
    case PAULIMPI__QASM_KEY_QREG:
        declare_register(reader, PAULIMPI__QASM_QUBITS);
        break;
    case PAULIMPI__QASM_KEY_CREG:
        declare_register(reader, PAULIMPI__QASM_BITS);
        break;
    case PAULIMPI__QASM_KEY_GATE:
    case PAULIMPI__QASM_KEY_OPAQUE:
        paulimpi__qasm_define(reader);
        break;
    case PAULIMPI__QASM_KEY_BARRIER:
        paulimpi__qasm_barrier(reader);
        break;
    case PAULIMPI__QASM_KEY_MEASURE:
        paulimpi__qasm_measure(reader);
        break;
    case PAULIMPI__QASM_KEY_RESET:
        refuse(reader, "reset is not supported");
        break;
    case PAULIMPI__QASM_KEY_IF:
        refuse(reader, "if is not supported: a circuit must not depend on "
                       "results of measurements");
        break;
    case PAULIMPI__QASM_KEY_OPENQASM:
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, reader->statement,
                            "the version stands at the beginning, once");
        break;
    case PAULIMPI__QASM_NAME:
        if (paulimpi__qasm_is_input(reader)) {
            paulimpi__qasm_input(reader);
        } else {
            paulimpi__qasm_apply(reader);
        }
        break;
    default:
        paulimpi__qasm_unexpected(reader, "a statement");
    }
}

void
paulimpi__qasm_program(paulimpi__qasm *reader)
{
    paulimpi__qasm_place end = reader->token.place;

    if (reader->token.kind == PAULIMPI__QASM_END) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, reader->token.place,
                            "the file is empty: it must begin with "
                            "\"OPENQASM 2.0;\"");
    }
    paulimpi__qasm_version(reader);
    while (reader->status == PAULIMPI_SUCCESS && reader->n_open > 0) {
        end = reader->token.place;
        if (reader->token.kind == PAULIMPI__QASM_END) {
            paulimpi__qasm_close(reader);
        } else {
            statement(reader);
        }
    }
    if (reader->circuit == NULL) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, end,
                            "there is no qreg: the circuit has no qubits");
    }
    paulimpi__qasm_check_inputs(reader);
}
