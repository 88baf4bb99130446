/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What acts on qubits in an OpenQASM text: calls of gates, which are expanded
 * here, measurements and barriers.
 */
#include <inttypes.h>

#include "propagate/qasm.h"

/* How many gates go by between two looks at the memory that is left. */
enum { MEMORY_CHECK = 1 << 18 };

static int
push_value(paulimpi__qasm *reader, double value)
{
    if (paulimpi__qasm_grow(reader, &reader->values, &reader->values_capacity,
                            reader->n_values + 1, sizeof value)
        == PAULIMPI_SUCCESS) {
        reader->values[reader->n_values++] = value;
    }
    return reader->status;
}

static int
push_operand(paulimpi__qasm *reader, int64_t qubit)
{
    if (paulimpi__qasm_grow(reader, &reader->operands,
                            &reader->operands_capacity, reader->n_operands + 1,
                            sizeof qubit)
        == PAULIMPI_SUCCESS) {
        reader->operands[reader->n_operands++] = qubit;
    }
    return reader->status;
}

/* Arguments. */

static const paulimpi__qasm_symbol *
register_named(paulimpi__qasm *reader, const paulimpi__qasm_token *name,
               paulimpi__qasm_symbol_kind kind)
{
    const paulimpi__qasm_symbol *symbol =
        paulimpi__qasm_find(&reader->globals, name);
    char shown[PAULIMPI__QASM_SHOWN];

    if (symbol == NULL || symbol->kind != kind) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, name->place,
                            "%s is not a declared %s",
                            paulimpi__qasm_show(name, shown),
                            kind == PAULIMPI__QASM_QUBITS ? "qreg" : "creg");
        return NULL;
    }
    return symbol;
}

/* Read "[2]" behind the name of a register, if it is there. */
static void
read_index(paulimpi__qasm *reader, paulimpi__qasm_argument *argument)
{
    paulimpi__qasm_token index;

    if (!paulimpi__qasm_accept(reader, '[')) {
        return;
    }
    index = reader->token;
    paulimpi__qasm_expect(reader, PAULIMPI__QASM_INTEGER,
                          "an integer as index");
    paulimpi__qasm_expect(reader, ']', "\"]\" after the index");
    if (reader->status != PAULIMPI_SUCCESS) {
        return;
    }
    argument->index = paulimpi__qasm_integer(&index);
    if (argument->index >= argument->size) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, index.place,
                            "index %" PRId64 " is out of range: \"%s\" has "
                            "size %" PRId64,
                            argument->index, argument->name, argument->size);
    }
    argument->first += argument->index;
    argument->size = 1;
    argument->is_register = 0;
}

static paulimpi__qasm_argument
read_argument(paulimpi__qasm *reader, paulimpi__qasm_symbol_kind kind)
{
    paulimpi__qasm_token name = reader->token;
    paulimpi__qasm_argument argument = { .place = name.place };
    const paulimpi__qasm_symbol *symbol = NULL;

    paulimpi__qasm_expect(reader, PAULIMPI__QASM_NAME,
                          kind == PAULIMPI__QASM_QUBITS
                              ? "a qubit or quantum register"
                              : "a bit or classical register");
    if (reader->status == PAULIMPI_SUCCESS) {
        symbol = register_named(reader, &name, kind);
    }
    if (symbol != NULL) {
        argument.name = symbol->name;
        argument.first = symbol->first;
        argument.size = symbol->size;
        argument.is_register = 1;
        read_index(reader, &argument);
    }
    return argument;
}

/* Read the arguments of the statement up to its semicolon. */
static void
read_arguments(paulimpi__qasm *reader)
{
    reader->n_arguments = 0;
    do {
        paulimpi__qasm_argument argument =
            read_argument(reader, PAULIMPI__QASM_QUBITS);

        if (paulimpi__qasm_grow(reader, &reader->arguments,
                                &reader->arguments_capacity,
                                reader->n_arguments + 1, sizeof argument)
            != PAULIMPI_SUCCESS) {
            return;
        }
        reader->arguments[reader->n_arguments++] = argument;
    } while (paulimpi__qasm_accept(reader, ','));
    paulimpi__qasm_expect(reader, ';', "\",\" or \";\" after a qubit");
}

/* How often the statement acts: once, or for each qubit of the registers that
 * it names, which must have the same size. */
static int64_t
count_instances(paulimpi__qasm *reader)
{
    const paulimpi__qasm_argument *first = NULL;
    int64_t i;

    for (i = 0; i < reader->n_arguments; i++) {
        const paulimpi__qasm_argument *argument = &reader->arguments[i];

        if (!argument->is_register) {
            continue;
        }
        if (first == NULL) {
            first = argument;
        } else if (argument->size != first->size) {
            paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, argument->place,
                                "registers \"%s\" and \"%s\" have different "
                                "sizes: %" PRId64 " and %" PRId64,
                                first->name, argument->name, first->size,
                                argument->size);
        }
    }
    return first == NULL ? 1 : first->size;
}

/* Push the qubits of an instance, none of which may come twice or be measured
 * already. */
static void
push_instance(paulimpi__qasm *reader, int64_t instance)
{
    int64_t i;

    reader->mark++;
    for (i = 0; i < reader->n_arguments; i++) {
        const paulimpi__qasm_argument *argument = &reader->arguments[i];
        int64_t shift = argument->is_register ? instance : 0;
        paulimpi__qasm_qubit *qubit = &reader->qubits[argument->first + shift];

        if (qubit->measured.line != 0) {
            paulimpi__qasm_fail(
                reader, PAULIMPI_ERR_UNSUPPORTED, argument->place,
                "qubit %s[%" PRId64 "] was measured on line %" PRId64 " of %s",
                argument->name, argument->index + shift, qubit->measured.line,
                reader->texts[qubit->measured.text].name);
        } else if (qubit->mark == reader->mark) {
            paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, argument->place,
                                "qubit %s[%" PRId64 "] is named twice",
                                argument->name, argument->index + shift);
        }
        qubit->mark = reader->mark;
        if (push_operand(reader, argument->first + shift)
            != PAULIMPI_SUCCESS) {
            return;
        }
    }
}

/* Calls. */

/* A circuit that outgrows the memory must fail before the system notices: a
 * short text can make a long one. Growing lists are copied once. */
static void
check_memory(paulimpi__qasm *reader)
{
    const paulimpi_circuit *circuit = reader->circuit;
    int64_t bytes =
        circuit->ops_capacity * (int64_t)sizeof *circuit->ops
        + circuit->sites_capacity * (int64_t)sizeof *circuit->sites
        + circuit->matrices_capacity * (int64_t)sizeof *circuit->matrices;

    if (paulimpi__available_memory() / 2 < bytes) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_MEMORY, reader->statement,
                            "the circuit has %" PRId64 " gates here and takes "
                            "%" PRId64 " bytes; there is no memory for twice "
                            "as much",
                            circuit->n_gates, bytes);
    }
}

static void
append_row(paulimpi__qasm *reader, int row, int64_t values, int64_t operands)
{
    paulimpi__qasm_stop(
        reader, paulimpi__gate_append(reader->circuit, "paulimpi_circuit_read",
                                      row, reader->operands + operands,
                                      reader->values + values));
}

/* Append a row of the gate table, or the calls of a gate's body. Definitions
 * are nested to a limited depth. */
static void
perform(paulimpi__qasm *reader, int64_t number, int64_t values,
        int64_t operands)
{
    const paulimpi__qasm_gate *gate = &reader->gates[number];
    int64_t i, j;

    if (++reader->n_performed % MEMORY_CHECK == 0) {
        check_memory(reader);
    }
    if (gate->kind == PAULIMPI__QASM_NATIVE) {
        append_row(reader, gate->row, values, operands);
        return;
    }
    for (i = gate->first_call; i < gate->first_call + gate->n_calls; i++) {
        const paulimpi__qasm_call *call = &reader->calls[i];
        const paulimpi__qasm_gate *callee = &reader->gates[call->gate];
        int64_t n_values = reader->n_values;
        int64_t n_operands = reader->n_operands;

        for (j = 0; j < callee->n_parameters; j++) {
            push_value(reader,
                       paulimpi__qasm_evaluate(
                           reader,
                           &reader->expressions[call->first_expression + j],
                           reader->values + values, &reader->statement));
        }
        for (j = 0; j < callee->n_qubits; j++) {
            int64_t formal = reader->formals[call->first_qubit + j];

            push_operand(reader, reader->operands[operands + formal]);
        }
        if (reader->status != PAULIMPI_SUCCESS) {
            return;
        }
        perform(reader, call->gate, n_values, n_operands);
        reader->n_values = n_values;
        reader->n_operands = n_operands;
    }
}

/* A gate of the text is one gate and one truncation unit, whatever it is made
 * of. */
static void
perform_as_one(paulimpi__qasm *reader, int64_t number)
{
    if (reader->gates[number].kind == PAULIMPI__QASM_NATIVE) {
        perform(reader, number, 0, 0);
        return;
    }
    paulimpi__circuit_gate_begin(reader->circuit);
    perform(reader, number, 0, 0);
    if (reader->status != PAULIMPI_SUCCESS) {
        paulimpi__circuit_gate_cancel(reader->circuit);
    } else {
        paulimpi__qasm_stop(reader,
                            paulimpi__circuit_gate_end(reader->circuit));
    }
}

/* Refuse a call before it is expanded, if that would take too long. */
static void
check_steps(paulimpi__qasm *reader, int64_t number, int64_t n_instances)
{
    int64_t left = PAULIMPI__QASM_MOST_STEPS - reader->steps;

    if (reader->gates[number].steps > left / n_instances) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_UNSUPPORTED,
                            reader->statement,
                            "the circuit expands to more than %d operations",
                            PAULIMPI__QASM_MOST_STEPS);
    }
}

static void
perform_all(paulimpi__qasm *reader, int64_t number)
{
    int64_t n_instances = count_instances(reader);
    int64_t i;

    check_steps(reader, number, n_instances);
    for (i = 0; i < n_instances && reader->status == PAULIMPI_SUCCESS; i++) {
        reader->n_operands = 0;
        push_instance(reader, i);
        if (reader->status == PAULIMPI_SUCCESS) {
            perform_as_one(reader, number);
            reader->steps += reader->gates[number].steps;
        }
    }
}

/* Evaluate the parameters of the statement, expressions from first on. There
 * is always a value, so that the array is never NULL. */
static void
push_parameters(paulimpi__qasm *reader, int64_t first, int64_t count)
{
    int64_t i;

    reader->n_values = 0;
    push_value(reader, 0.0);
    reader->n_values = 0;
    for (i = first; i < first + count; i++) {
        push_value(reader, paulimpi__qasm_evaluate(
                               reader, &reader->expressions[i], NULL, NULL));
    }
}

void
paulimpi__qasm_apply(paulimpi__qasm *reader)
{
    int64_t n_code = reader->n_code;
    int64_t n_expressions = reader->n_expressions;
    const paulimpi__qasm_gate *gate =
        paulimpi__qasm_gate_named(reader, &reader->token);
    int64_t n_parameters;

    paulimpi__qasm_advance(reader);
    n_parameters = paulimpi__qasm_parameters(reader);
    read_arguments(reader);
    if (reader->status == PAULIMPI_SUCCESS) {
        paulimpi__qasm_check_counts(reader, gate, n_parameters,
                                    reader->n_arguments);
    }
    if (reader->status == PAULIMPI_SUCCESS) {
        push_parameters(reader, n_expressions, n_parameters);
    }
    if (reader->status == PAULIMPI_SUCCESS) {
        perform_all(reader, gate - reader->gates);
    }
    reader->n_code = n_code;
    reader->n_expressions = n_expressions;
}

void
paulimpi__qasm_barrier(paulimpi__qasm *reader)
{
    paulimpi__qasm_advance(reader);
    read_arguments(reader);
}

/* Note a measurement; it has no effect on what comes before it. */
static void
measure_qubit(paulimpi__qasm *reader, const paulimpi__qasm_argument *source,
              int64_t i)
{
    paulimpi__qasm_qubit *qubit = &reader->qubits[source->first + i];

    if (qubit->measured.line != 0) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_UNSUPPORTED, source->place,
                            "qubit %s[%" PRId64 "] was measured on line "
                            "%" PRId64 " of %s already",
                            source->name, source->index + i,
                            qubit->measured.line,
                            reader->texts[qubit->measured.text].name);
    }
    qubit->measured = reader->statement;
}

void
paulimpi__qasm_measure(paulimpi__qasm *reader)
{
    paulimpi__qasm_argument source, target;
    int64_t i;

    paulimpi__qasm_advance(reader);
    source = read_argument(reader, PAULIMPI__QASM_QUBITS);
    paulimpi__qasm_expect(reader, PAULIMPI__QASM_ARROW,
                          "\"->\" after the measured qubit");
    target = read_argument(reader, PAULIMPI__QASM_BITS);
    paulimpi__qasm_expect(reader, ';', "\";\" after the bit");
    if (reader->status == PAULIMPI_SUCCESS
        && (source.size != target.size
            || source.is_register != target.is_register)) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, target.place,
                            "cannot measure %" PRId64 " qubit%s of \"%s\" "
                            "into %" PRId64 " bit%s of \"%s\"",
                            source.size, source.size == 1 ? "" : "s",
                            source.name, target.size,
                            target.size == 1 ? "" : "s", target.name);
    }
    for (i = 0; i < source.size && reader->status == PAULIMPI_SUCCESS; i++) {
        measure_qubit(reader, &source, i);
    }
}
