/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gate definitions of OpenQASM texts, and what all calls of gates share.
 */
#include <inttypes.h>

#include "propagate/qasm.h"

static paulimpi__qasm_gate *
append_gate(paulimpi__qasm *reader, paulimpi__qasm_gate gate)
{
    if (paulimpi__qasm_grow(reader, &reader->gates, &reader->gates_capacity,
                            reader->n_gates + 1, sizeof *reader->gates)
        != PAULIMPI_SUCCESS) {
        return NULL;
    }
    reader->gates[reader->n_gates] = gate;
    return &reader->gates[reader->n_gates++];
}

/* Give a gate its name. If that is taken by a gate of the text that counts,
 * the gate stays unused. */
static void
enter_gate(paulimpi__qasm *reader, const paulimpi__qasm_token *name,
           paulimpi__qasm_gate gate)
{
    paulimpi__qasm_symbol *symbol = paulimpi__qasm_declare(
        reader, &reader->globals, name, PAULIMPI__QASM_CALLABLE);

    if (symbol != NULL) {
        gate.name = symbol->name;
        gate.place = name->place;
        symbol->first = reader->n_gates;
        append_gate(reader, gate);
    }
}

void
paulimpi__qasm_builtins(paulimpi__qasm *reader)
{
    static const struct {
        const char *name;
        const char *row;
    } builtins[] = { { "U", "u3" }, { "CX", "cx" } };
    size_t i;

    for (i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
        paulimpi__gate_shape shape = { 0, 0 };
        int row = paulimpi__gate_find(builtins[i].row, &shape);
        paulimpi__qasm_token name = {
            .kind = PAULIMPI__QASM_NAME,
            .text = builtins[i].name,
            .length = i + 1,
        };

        enter_gate(reader, &name,
                   (paulimpi__qasm_gate){
                       .kind = PAULIMPI__QASM_NATIVE,
                       .row = row,
                       .n_parameters = shape.n_parameters,
                       .n_qubits = shape.n_qubits,
                       .steps = 1,
                   });
    }
}

int64_t
paulimpi__qasm_parameters(paulimpi__qasm *reader)
{
    int64_t count = 0;

    if (!paulimpi__qasm_accept(reader, '(')
        || paulimpi__qasm_accept(reader, ')')) {
        return 0;
    }
    do {
        paulimpi__qasm_compile(reader);
        count++;
    } while (paulimpi__qasm_accept(reader, ','));
    paulimpi__qasm_expect(reader, ')', "\",\" or \")\" after a parameter");
    return count;
}

const paulimpi__qasm_gate *
paulimpi__qasm_gate_named(paulimpi__qasm *reader,
                          const paulimpi__qasm_token *name)
{
    const paulimpi__qasm_symbol *symbol =
        paulimpi__qasm_find(&reader->globals, name);
    const paulimpi__qasm_gate *gate = NULL;
    char shown[PAULIMPI__QASM_SHOWN];

    paulimpi__qasm_show(name, shown);
    if (symbol == NULL) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, name->place,
                            "unknown gate %s%s", shown,
                            reader->has_standard ? ""
                                                 : "; the usual gates need "
                                                   "include \"qelib1.inc\";");
    } else if (symbol->kind != PAULIMPI__QASM_CALLABLE) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, name->place,
                            "%s is a register, not a gate", shown);
    } else {
        gate = &reader->gates[symbol->first];
        if (gate->kind == PAULIMPI__QASM_OPAQUE) {
            paulimpi__qasm_fail(reader, PAULIMPI_ERR_UNSUPPORTED, name->place,
                                "gate %s is opaque (line %" PRId64
                                " of %s): what it does is not known",
                                shown, gate->place.line,
                                reader->texts[gate->place.text].name);
        }
    }
    return reader->status == PAULIMPI_SUCCESS ? gate : NULL;
}

static void
check_count(paulimpi__qasm *reader, const paulimpi__qasm_gate *gate,
            const char *what, int64_t wanted, int64_t given)
{
    if (wanted != given) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, reader->statement,
                            "gate \"%s\" takes %" PRId64 " %s%s, but %" PRId64
                            " %s given",
                            gate->name, wanted, what, wanted == 1 ? "" : "s",
                            given, given == 1 ? "is" : "are");
    }
}

void
paulimpi__qasm_check_counts(paulimpi__qasm *reader,
                            const paulimpi__qasm_gate *gate,
                            int64_t n_parameters, int64_t n_qubits)
{
    check_count(reader, gate, "parameter", gate->n_parameters, n_parameters);
    check_count(reader, gate, "qubit", gate->n_qubits, n_qubits);
}

/* Read the names of a gate's parameters or qubits; return how many. */
static int64_t
read_formals(paulimpi__qasm *reader, paulimpi__qasm_symbol_kind kind)
{
    int64_t count = 0;

    do {
        paulimpi__qasm_token name = reader->token;
        paulimpi__qasm_symbol *symbol;

        paulimpi__qasm_expect(reader, PAULIMPI__QASM_NAME,
                              kind == PAULIMPI__QASM_PARAMETER
                                  ? "the name of a parameter"
                                  : "the name of a qubit");
        symbol = paulimpi__qasm_declare(reader, &reader->locals, &name, kind);
        if (symbol != NULL) {
            symbol->first = count++;
        }
    } while (paulimpi__qasm_accept(reader, ','));
    return count;
}

/* The qubit of the definition that the token names, or NULL. */
static paulimpi__qasm_symbol *
local_qubit(paulimpi__qasm *reader)
{
    paulimpi__qasm_token name = reader->token;
    paulimpi__qasm_symbol *symbol;
    char shown[PAULIMPI__QASM_SHOWN];

    paulimpi__qasm_expect(reader, PAULIMPI__QASM_NAME, "the name of a qubit");
    if (reader->status != PAULIMPI_SUCCESS) {
        return NULL;
    }
    symbol = paulimpi__qasm_find(&reader->locals, &name);
    if (symbol == NULL || symbol->kind != PAULIMPI__QASM_QUBITS) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, name.place,
                            "%s is not a qubit of this gate",
                            paulimpi__qasm_show(&name, shown));
        return NULL;
    }
    if (symbol->mark == reader->mark) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, name.place,
                            "qubit %s is named twice",
                            paulimpi__qasm_show(&name, shown));
        return NULL;
    }
    symbol->mark = reader->mark;
    return symbol;
}

/* Read the qubits of a call in a body, and append their numbers to the
 * formals; return how many. */
static int64_t
read_local_qubits(paulimpi__qasm *reader)
{
    int64_t count = 0;

    reader->mark++;
    do {
        const paulimpi__qasm_symbol *symbol = local_qubit(reader);

        if (symbol == NULL
            || paulimpi__qasm_grow(
                   reader, &reader->formals, &reader->formals_capacity,
                   reader->n_formals + 1, sizeof *reader->formals)
                   != PAULIMPI_SUCCESS) {
            return count;
        }
        reader->formals[reader->n_formals++] = symbol->first;
        count++;
    } while (paulimpi__qasm_accept(reader, ','));
    return count;
}

/* The barrier's qubits are checked and forgotten. */
static void
read_local_barrier(paulimpi__qasm *reader)
{
    int64_t n_formals = reader->n_formals;

    paulimpi__qasm_advance(reader);
    read_local_qubits(reader);
    reader->n_formals = n_formals;
    paulimpi__qasm_expect(reader, ';', "\",\" or \";\" after a qubit");
}

/* Count what a call costs; the sums are far from overflow, for they stop to
 * grow at a limit that no circuit may reach. */
static void
add_steps(paulimpi__qasm_gate *gate, const paulimpi__qasm_gate *callee,
          int64_t n_code)
{
    const int64_t most = 2 * (int64_t)PAULIMPI__QASM_MOST_STEPS;

    gate->steps += callee->steps + n_code / 8;
    if (gate->steps > most) {
        gate->steps = most;
    }
    if (gate->levels <= callee->levels) {
        gate->levels = callee->levels + 1;
    }
}

static void
read_local_call(paulimpi__qasm *reader, paulimpi__qasm_gate *gate)
{
    const paulimpi__qasm_gate *callee;
    paulimpi__qasm_call call;
    int64_t n_code = reader->n_code;
    int64_t n_parameters, n_qubits;

    reader->statement = reader->token.place;
    callee = paulimpi__qasm_gate_named(reader, &reader->token);
    paulimpi__qasm_advance(reader);
    call.first_expression = reader->n_expressions;
    call.first_qubit = reader->n_formals;
    n_parameters = paulimpi__qasm_parameters(reader);
    n_qubits = read_local_qubits(reader);
    paulimpi__qasm_expect(reader, ';', "\",\" or \";\" after a qubit");
    if (reader->status != PAULIMPI_SUCCESS) {
        return;
    }
    paulimpi__qasm_check_counts(reader, callee, n_parameters, n_qubits);
    if (paulimpi__qasm_grow(reader, &reader->calls, &reader->calls_capacity,
                            reader->n_calls + 1, sizeof *reader->calls)
        != PAULIMPI_SUCCESS) {
        return;
    }
    call.gate = callee - reader->gates;
    reader->calls[reader->n_calls++] = call;
    add_steps(gate, callee, reader->n_code - n_code);
}

static void
read_body(paulimpi__qasm *reader, paulimpi__qasm_gate *gate)
{
    gate->kind = PAULIMPI__QASM_DEFINED;
    gate->first_call = reader->n_calls;
    gate->levels = 1;
    gate->steps = 1 + gate->n_qubits / 8;
    while (reader->status == PAULIMPI_SUCCESS && reader->token.kind != '}') {
        if (reader->token.kind == PAULIMPI__QASM_KEY_BARRIER) {
            read_local_barrier(reader);
        } else if (reader->token.kind == PAULIMPI__QASM_NAME) {
            read_local_call(reader, gate);
        } else {
            paulimpi__qasm_unexpected(reader, "a gate, a barrier or \"}\"");
        }
    }
    gate->n_calls = reader->n_calls - gate->first_call;
}

/* Only the built-in text has opaque gates that are known: rows of the gate
 * table, also under a name that is out of the way of others. */
static void
find_row(const paulimpi__qasm *reader, const paulimpi__qasm_token *name,
         paulimpi__qasm_gate *gate)
{
    char row[16] = "";
    size_t skip = name->text[0] == '_';
    size_t i;

    gate->kind = PAULIMPI__QASM_OPAQUE;
    if (!reader->texts[name->place.text].is_standard
        || name->length >= sizeof row) {
        return;
    }
    for (i = skip; i < name->length; i++) {
        row[i - skip] = name->text[i];
    }
    gate->row = paulimpi__gate_find(row, NULL);
    gate->steps = 1;
    if (gate->row >= 0) {
        gate->kind = PAULIMPI__QASM_NATIVE;
    }
}

/* The gate gets its name at the end, so that it cannot call itself. */
void
paulimpi__qasm_define(paulimpi__qasm *reader)
{
    int is_opaque = reader->token.kind == PAULIMPI__QASM_KEY_OPAQUE;
    paulimpi__qasm_gate gate = { .n_parameters = 0 };
    paulimpi__qasm_token name;

    paulimpi__qasm_advance(reader);
    name = reader->token;
    paulimpi__qasm_expect(reader, PAULIMPI__QASM_NAME, "the name of a gate");
    if (paulimpi__qasm_accept(reader, '(')
        && !paulimpi__qasm_accept(reader, ')')) {
        gate.n_parameters = read_formals(reader, PAULIMPI__QASM_PARAMETER);
        paulimpi__qasm_expect(reader, ')', "\",\" or \")\" after a parameter");
    }
    gate.n_qubits = read_formals(reader, PAULIMPI__QASM_QUBITS);
    if (is_opaque) {
        paulimpi__qasm_expect(reader, ';', "\",\" or \";\" after a qubit");
    } else {
        paulimpi__qasm_expect(reader, '{', "\",\" or \"{\" after a qubit");
        read_body(reader, &gate);
        paulimpi__qasm_expect(reader, '}', "\"}\" after the body");
    }
    paulimpi__qasm_scope_clear(&reader->locals);
    if (reader->status != PAULIMPI_SUCCESS) {
        return;
    }
    if (is_opaque) {
        find_row(reader, &name, &gate);
    }
    if (gate.levels > PAULIMPI__QASM_MOST_LEVELS) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_UNSUPPORTED, name.place,
                            "gates are nested deeper than %d levels",
                            PAULIMPI__QASM_MOST_LEVELS);
    }
    enter_gate(reader, &name, gate);
}
