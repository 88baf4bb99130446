/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Angles: expressions are compiled to code for a stack machine, once, and
 * evaluated for each call.
 */
#include <math.h>

#include "propagate/qasm.h"

/* Further operations; the others are the tokens that stand for them. */
enum { NUMBER = 1000, PARAMETER, NEGATE };

/* Each level of nesting can leave three values waiting: of a sum, a product
 * and a power. */
enum { STACK = 4 * PAULIMPI__QASM_MOST_NESTING };

static void compile_unary(paulimpi__qasm *reader, int nesting);

static void
emit(paulimpi__qasm *reader, int operation, int64_t parameter, double number)
{
    if (reader->status != 0
        || paulimpi__qasm_grow(reader, &reader->code, &reader->code_capacity,
                               reader->n_code + 1, sizeof *reader->code)
               != PAULIMPI_SUCCESS) {
        return;
    }
    reader->code[reader->n_code++] = (paulimpi__qasm_instruction){
        .operation = operation,
        .parameter = parameter,
        .number = number,
    };
}

static void
compile_number(paulimpi__qasm *reader)
{
    double number = INFINITY;

    paulimpi__parse_double(reader->token.text, &number);
    if (!isfinite(number)) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, reader->token.place,
                            "this number is too large");
    }
    emit(reader, NUMBER, 0, number);
    paulimpi__qasm_advance(reader);
}

static void
compile_name(paulimpi__qasm *reader)
{
    const paulimpi__qasm_symbol *symbol =
        paulimpi__qasm_find(&reader->locals, &reader->token);
    char shown[PAULIMPI__QASM_SHOWN];
    int is_input = symbol == NULL;

    if (is_input) {
        symbol = paulimpi__qasm_find(&reader->globals, &reader->token);
    }
    if (symbol == NULL || symbol->kind != PAULIMPI__QASM_PARAMETER) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, reader->token.place,
                            "%s is not a parameter, a number or a function",
                            paulimpi__qasm_show(&reader->token, shown));
        return;
    }
    if (is_input) {
        emit(reader, NUMBER, 0, reader->inputs[symbol->first].value);
    } else {
        emit(reader, PARAMETER, symbol->first, 0.0);
    }
    paulimpi__qasm_advance(reader);
}

static void
compile_product(paulimpi__qasm *reader, int nesting)
{
    int sign;

    compile_unary(reader, nesting);
    while (reader->token.kind == '*' || reader->token.kind == '/') {
        sign = reader->token.kind;
        paulimpi__qasm_advance(reader);
        compile_unary(reader, nesting);
        emit(reader, sign, 0, 0.0);
    }
}

static void
compile_sum(paulimpi__qasm *reader, int nesting)
{
    int sign;

    compile_product(reader, nesting);
    while (reader->token.kind == '+' || reader->token.kind == '-') {
        sign = reader->token.kind;
        paulimpi__qasm_advance(reader);
        compile_product(reader, nesting);
        emit(reader, sign, 0, 0.0);
    }
}

static void
compile_parentheses(paulimpi__qasm *reader, int nesting)
{
    paulimpi__qasm_expect(reader, '(', "\"(\" after a function");
    compile_sum(reader, nesting);
    paulimpi__qasm_expect(reader, ')', "an operator or \")\"");
}

static void
compile_primary(paulimpi__qasm *reader, int nesting)
{
    int kind = reader->token.kind;

    if (kind == PAULIMPI__QASM_INTEGER || kind == PAULIMPI__QASM_REAL) {
        compile_number(reader);
    } else if (kind == PAULIMPI__QASM_NAME) {
        compile_name(reader);
    } else if (kind == '(') {
        compile_parentheses(reader, nesting);
    } else if (kind == PAULIMPI__QASM_KEY_PI) {
        emit(reader, NUMBER, 0, M_PI);
        paulimpi__qasm_advance(reader);
    } else if (kind >= PAULIMPI__QASM_KEY_SIN
               && kind <= PAULIMPI__QASM_KEY_SQRT) {
        paulimpi__qasm_advance(reader);
        compile_parentheses(reader, nesting);
        emit(reader, kind, 0, 0.0);
    } else {
        paulimpi__qasm_unexpected(reader, "a number, a parameter, a function "
                                          "or \"(\"");
    }
}

/* Signs bind less than a power: -2^2 is -4. A power takes its exponent from
 * the right: 2^3^2 is 2^9, and 2^-1 is 1/2. */
static void
compile_unary(paulimpi__qasm *reader, int nesting)
{
    int is_negative = 0;

    if (nesting >= PAULIMPI__QASM_MOST_NESTING) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_UNSUPPORTED,
                            reader->token.place,
                            "the expression is nested deeper than %d levels",
                            PAULIMPI__QASM_MOST_NESTING);
    }
    while (reader->token.kind == '-' || reader->token.kind == '+') {
        is_negative ^= reader->token.kind == '-';
        paulimpi__qasm_advance(reader);
    }
    compile_primary(reader, nesting + 1);
    if (paulimpi__qasm_accept(reader, '^')) {
        compile_unary(reader, nesting + 1);
        emit(reader, '^', 0, 0.0);
    }
    if (is_negative) {
        emit(reader, NEGATE, 0, 0.0);
    }
}

void
paulimpi__qasm_compile(paulimpi__qasm *reader)
{
    paulimpi__qasm_expression expression = {
        .place = reader->token.place,
        .first = reader->n_code,
    };

    compile_sum(reader, 0);
    if (reader->status != 0
        || paulimpi__qasm_grow(
               reader, &reader->expressions, &reader->expressions_capacity,
               reader->n_expressions + 1, sizeof *reader->expressions)
               != PAULIMPI_SUCCESS) {
        return;
    }
    expression.count = reader->n_code - expression.first;
    reader->expressions[reader->n_expressions++] = expression;
}

/* The other tokens that are operations are characters. */
static int
is_function(int operation)
{
    return operation == NEGATE || operation <= PAULIMPI__QASM_KEY_SQRT;
}

static double
call(int function, double x)
{
    switch (function) {
    case PAULIMPI__QASM_KEY_SIN:
        return sin(x);
    case PAULIMPI__QASM_KEY_COS:
        return cos(x);
    case PAULIMPI__QASM_KEY_TAN:
        return tan(x);
    case PAULIMPI__QASM_KEY_EXP:
        return exp(x);
    case PAULIMPI__QASM_KEY_LN:
        return log(x);
    case PAULIMPI__QASM_KEY_SQRT:
        return sqrt(x);
    default:
        return -x; /* NEGATE */
    }
}

static double
combine(int sign, double left, double right)
{
    switch (sign) {
    case '+':
        return left + right;
    case '-':
        return left - right;
    case '*':
        return left * right;
    case '/':
        return left / right;
    default:
        return pow(left, right); /* '^' */
    }
}

static void
fail(paulimpi__qasm *reader, const paulimpi__qasm_expression *expression,
     const paulimpi__qasm_place *caller, const char *reason)
{
    if (caller == NULL) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, expression->place,
                            "%s", reason);
    } else {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, *caller,
                            "%s in a gate that this one is made of, on line "
                            "%lld of %s",
                            reason, (long long)expression->place.line,
                            reader->texts[expression->place.text].name);
    }
}

double
paulimpi__qasm_evaluate(paulimpi__qasm *reader,
                        const paulimpi__qasm_expression *expression,
                        const double *parameters,
                        const paulimpi__qasm_place *caller)
{
    double stack[STACK];
    int height = 0;
    int64_t i;

    for (i = expression->first; i < expression->first + expression->count;
         i++) {
        const paulimpi__qasm_instruction *step = &reader->code[i];

        if (step->operation == NUMBER) {
            stack[height++] = step->number;
        } else if (step->operation == PARAMETER) {
            stack[height++] = parameters[step->parameter];
        } else if (is_function(step->operation)) {
            stack[height - 1] = call(step->operation, stack[height - 1]);
        } else {
            height--;
            if (step->operation == '/' && stack[height] == 0.0) {
                fail(reader, expression, caller, "division by zero");
                return 0.0;
            }
            stack[height - 1] =
                combine(step->operation, stack[height - 1], stack[height]);
        }
    }
    if (!isfinite(stack[0])) {
        fail(reader, expression, caller, "the angle is not a finite number");
        return 0.0;
    }
    return stack[0];
}
