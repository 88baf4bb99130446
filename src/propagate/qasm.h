/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The OpenQASM 2.0 reader: what its parts know of each other.
 *
 * qasm_read.c opens a text and owns the reader, qasm_lexer.c cuts texts into
 * tokens, qasm_expression.c compiles and evaluates angles, qasm_symbols.c
 * finds names, qasm_parser.c reads statements, qasm_input.c parameters of the
 * whole text, qasm_define.c gate definitions, qasm_apply.c what acts on
 * qubits, and qasm_standard.c holds the text of qelib1.inc.
 *
 * The first error is kept in reader->status. From then on every token is the
 * end of the text and nothing is accepted, so that the parser unwinds by
 * itself; only what has side effects looks at the status.
 */
#ifndef PAULIMPI_SRC_PROPAGATE_QASM_H
#define PAULIMPI_SRC_PROPAGATE_QASM_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "propagate/circuit.h"

enum {
    PAULIMPI__QASM_MOST_OPEN = 16,       /* texts that include each other */
    PAULIMPI__QASM_MOST_TEXTS = 1000,    /* texts read in all */
    PAULIMPI__QASM_MOST_BYTES = 1 << 30, /* of all texts together */
    PAULIMPI__QASM_MOST_NAME = 1000,     /* characters of a name */
    PAULIMPI__QASM_MOST_NESTING = 100,   /* of an expression */
    PAULIMPI__QASM_MOST_LEVELS = 500,    /* of gates made of gates */
    PAULIMPI__QASM_MOST_QUBITS = 1 << 20,
    PAULIMPI__QASM_MOST_STEPS = 100000000 /* of a circuit, fully expanded */
};

/* Where something stands, for sentences. */
typedef struct {
    int64_t text;   /* in reader->texts */
    int64_t line;   /* from 1 */
    int64_t column; /* from 1, in bytes */
} paulimpi__qasm_place;

typedef enum {
    PAULIMPI__QASM_END,
    PAULIMPI__QASM_NAME, /* U and CX too */
    PAULIMPI__QASM_INTEGER,
    PAULIMPI__QASM_REAL,
    PAULIMPI__QASM_STRING, /* without its quotes */
    PAULIMPI__QASM_ARROW,
    PAULIMPI__QASM_EQUAL,
    PAULIMPI__QASM_KEY_OPENQASM,
    PAULIMPI__QASM_KEY_INCLUDE,
    PAULIMPI__QASM_KEY_QREG,
    PAULIMPI__QASM_KEY_CREG,
    PAULIMPI__QASM_KEY_GATE,
    PAULIMPI__QASM_KEY_OPAQUE,
    PAULIMPI__QASM_KEY_BARRIER,
    PAULIMPI__QASM_KEY_MEASURE,
    PAULIMPI__QASM_KEY_RESET,
    PAULIMPI__QASM_KEY_IF,
    PAULIMPI__QASM_KEY_PI,
    PAULIMPI__QASM_KEY_SIN,
    PAULIMPI__QASM_KEY_COS,
    PAULIMPI__QASM_KEY_TAN,
    PAULIMPI__QASM_KEY_EXP,
    PAULIMPI__QASM_KEY_LN,
    PAULIMPI__QASM_KEY_SQRT
    /* One of ; , ( ) [ ] { } + - * / ^ is its own character. */
} paulimpi__qasm_kind;

typedef struct {
    int kind; /* paulimpi__qasm_kind or a character */
    paulimpi__qasm_place place;
    const char *text; /* not terminated */
    size_t length;
} paulimpi__qasm_token;

/* A text that was opened. Its name stays for sentences when it is closed. */
typedef struct {
    char *name;
    char *owned;      /* the text, if the reader has to free it */
    const char *next; /* the next character to read */
    const char *line_begin;
    int64_t line;
    int has_folder;     /* includes are looked for beside it */
    int is_standard;    /* the text of qelib1.inc */
    int is_replaceable; /* its gates may be defined anew */
} paulimpi__qasm_text;

typedef enum {
    PAULIMPI__QASM_QUBITS,   /* a quantum register, or a qubit of a body */
    PAULIMPI__QASM_BITS,     /* a classical register */
    PAULIMPI__QASM_CALLABLE, /* a gate, also an opaque one */
    PAULIMPI__QASM_PARAMETER /* of a gate; global: an input */
} paulimpi__qasm_symbol_kind;

typedef struct {
    char *name;
    paulimpi__qasm_symbol_kind kind;
    paulimpi__qasm_place place;
    int is_replaceable;
    int64_t first; /* qubit of a register; or number of a gate, parameter... */
    int64_t size;  /* of a register */
    int64_t mark;  /* the call that named this qubit of a body last */
} paulimpi__qasm_symbol;

/* Symbols with a hash table of their numbers. */
typedef struct {
    paulimpi__qasm_symbol *symbols;
    int64_t n_symbols, capacity;
    int64_t *slots;  /* number + 1, or 0; open addressing */
    int64_t n_slots; /* a power of 2, or 0 */
} paulimpi__qasm_scope;

/* An expression is a piece of code for a stack machine. */
typedef struct {
    int operation;
    int64_t parameter;
    double number;
} paulimpi__qasm_instruction;

typedef struct {
    paulimpi__qasm_place place;
    int64_t first; /* in reader->code */
    int64_t count;
} paulimpi__qasm_expression;

typedef enum {
    PAULIMPI__QASM_NATIVE,  /* a row of the gate table */
    PAULIMPI__QASM_DEFINED, /* a body of calls */
    PAULIMPI__QASM_OPAQUE
} paulimpi__qasm_gate_kind;

typedef struct {
    paulimpi__qasm_gate_kind kind;
    const char *name; /* the symbol's */
    int row;          /* NATIVE: of the gate table */
    paulimpi__qasm_place place;
    int64_t n_parameters;
    int64_t n_qubits;
    int64_t first_call; /* DEFINED: in reader->calls */
    int64_t n_calls;
    int64_t levels; /* of gates below this one, and itself */
    int64_t steps;  /* a measure of the work of one call */
} paulimpi__qasm_gate;

/* A call in a body. */
typedef struct {
    int64_t gate;
    int64_t first_expression; /* one a parameter, in reader->expressions */
    int64_t first_qubit;      /* one a qubit, in reader->formals */
} paulimpi__qasm_call;

/* What is known of a qubit. */
typedef struct {
    paulimpi__qasm_place measured; /* line 0: not yet */
    int64_t mark;                  /* the call that named it last */
} paulimpi__qasm_qubit;

/* An argument of a statement: a register, or one qubit or bit of it. */
typedef struct {
    paulimpi__qasm_place place;
    const char *name; /* of the register */
    int64_t index;    /* in the register */
    int64_t first;    /* in the circuit */
    int64_t size;
    int is_register;
} paulimpi__qasm_argument;

typedef struct {
    int status; /* of the first error */
    paulimpi__qasm_token token;
    const paulimpi_input *inputs; /* the caller's */
    int64_t n_inputs;

    paulimpi__qasm_text *texts;
    int64_t n_texts, texts_capacity;
    /* The last one is being read. Two more for qelib1.inc. */
    int64_t open[PAULIMPI__QASM_MOST_OPEN + 2];
    int n_open;
    size_t bytes;                        /* of all texts so far */
    int has_standard;                    /* qelib1.inc was included, */
    paulimpi__qasm_place standard_place; /* here */

    paulimpi__qasm_scope globals;
    paulimpi__qasm_scope locals; /* of the definition that is being read */

    paulimpi__qasm_gate *gates;
    int64_t n_gates, gates_capacity;
    paulimpi__qasm_call *calls;
    int64_t n_calls, calls_capacity;
    int64_t *formals;
    int64_t n_formals, formals_capacity;
    paulimpi__qasm_expression *expressions;
    int64_t n_expressions, expressions_capacity;
    paulimpi__qasm_instruction *code;
    int64_t n_code, code_capacity;

    /* The statement that is being read. */
    paulimpi__qasm_place statement;
    paulimpi__qasm_argument *arguments;
    int64_t n_arguments, arguments_capacity;

    /* Values of the parameters and qubits of the calls that are being
     * expanded, innermost last. */
    double *values;
    int64_t n_values, values_capacity;
    int64_t *operands;
    int64_t n_operands, operands_capacity;

    paulimpi__qasm_qubit *qubits;
    int64_t n_qubits, qubits_capacity;
    int64_t mark; /* of the latest call */
    int64_t steps;
    int64_t n_performed;       /* calls, also those in bodies */
    paulimpi_circuit *circuit; /* NULL before the first qreg */
} paulimpi__qasm;

/* Errors and memory. */

/** Keep the first error: "TEXT:LINE:COLUMN: reason". */
void paulimpi__qasm_fail(paulimpi__qasm *reader, int code,
                         paulimpi__qasm_place place, const char *format, ...)
    PAULIMPI__PRINTF(4, 5);
/** Keep the status of a function that wrote its own sentence, if it failed. */
void paulimpi__qasm_stop(paulimpi__qasm *reader, int status);
/** Make room for needed elements in the array whose address is given; 0, or
 * the status is set. */
int paulimpi__qasm_grow(paulimpi__qasm *reader, void *array_p,
                        int64_t *capacity_p, int64_t needed, size_t size);

/* Texts. */

/** Put a text on top of those being read; what it owns is freed in any case.
 * The next token will be its first. */
void paulimpi__qasm_open(paulimpi__qasm *reader, paulimpi__qasm_text text,
                         const char *name);
/** Take the text on top away. */
void paulimpi__qasm_close(paulimpi__qasm *reader);
/** Open the text that a string token names, at its first token. */
void paulimpi__qasm_include(paulimpi__qasm *reader,
                            const paulimpi__qasm_token *name);
/** The text of qelib1.inc: the gates of the paper, and the rest, which a file
 * may define anew. */
extern const char *const paulimpi__qasm_standard_paper;
extern const char *const paulimpi__qasm_standard_rest;

/* Lexer. */

/** Read the next token of the text on top. */
void paulimpi__qasm_advance(paulimpi__qasm *reader);
/** Whether the token is of this kind; if so, go on to the next one. */
int paulimpi__qasm_accept(paulimpi__qasm *reader, int kind);
/** Demand a token of this kind; what says where, as in "after an index". */
void paulimpi__qasm_expect(paulimpi__qasm *reader, int kind, const char *what);
/** Fail because another token was expected than the one that is there. */
void paulimpi__qasm_unexpected(paulimpi__qasm *reader, const char *expected);
/** A token as it is shown in sentences: not too long, in quotes. */
enum { PAULIMPI__QASM_SHOWN = 64 };
const char *paulimpi__qasm_show(const paulimpi__qasm_token *token,
                                char shown[PAULIMPI__QASM_SHOWN]);
/** The value of an INTEGER token; INT64_MAX for anything larger. */
int64_t paulimpi__qasm_integer(const paulimpi__qasm_token *token);

/* Symbols. */

/** Find a name, or NULL. */
paulimpi__qasm_symbol *paulimpi__qasm_find(const paulimpi__qasm_scope *scope,
                                           const paulimpi__qasm_token *name);
/** Declare a name. NULL if that failed (status set), and for a gate of the
 * longer part of qelib1.inc whose name is taken (status not set). */
paulimpi__qasm_symbol *paulimpi__qasm_declare(paulimpi__qasm *reader,
                                              paulimpi__qasm_scope *scope,
                                              const paulimpi__qasm_token *name,
                                              paulimpi__qasm_symbol_kind kind);
/** Forget all symbols. */
void paulimpi__qasm_scope_clear(paulimpi__qasm_scope *scope);
void paulimpi__qasm_scope_free(paulimpi__qasm_scope *scope);

/* Expressions. */

/** Compile the expression at the token and append it to the expressions.
 * Parameters are looked for in the local scope, then among the inputs. */
void paulimpi__qasm_compile(paulimpi__qasm *reader);
/** Its value, given those of the parameters. The caller's place is told if it
 * fails inside a body. */
double paulimpi__qasm_evaluate(paulimpi__qasm *reader,
                               const paulimpi__qasm_expression *expression,
                               const double *parameters,
                               const paulimpi__qasm_place *caller);

/* Statements. */

/** Read all statements of all texts. */
void paulimpi__qasm_program(paulimpi__qasm *reader);
/** Read "OPENQASM 2.0;". */
void paulimpi__qasm_version(paulimpi__qasm *reader);

/* Inputs: global parameters, whose symbols have the number of their value. */

/** Judge what a caller gives. */
int paulimpi__qasm_check_values(const char *function, int64_t n_inputs,
                                const paulimpi_input *inputs);
/** Whether the token begins an input: a gate may be called so, too. */
int paulimpi__qasm_is_input(const paulimpi__qasm *reader);
/** Read one. */
void paulimpi__qasm_input(paulimpi__qasm *reader);
/** Fail unless each value was asked for. */
void paulimpi__qasm_check_inputs(paulimpi__qasm *reader);

/* Gates. */

/** Enter the gates that exist without an include, U and CX. */
void paulimpi__qasm_builtins(paulimpi__qasm *reader);
/** Read a gate definition or an opaque declaration. */
void paulimpi__qasm_define(paulimpi__qasm *reader);
/** Read a list of parameters in parentheses, or none; return their number,
 * the last of reader->expressions. */
int64_t paulimpi__qasm_parameters(paulimpi__qasm *reader);
/** The gate that a token names, or NULL and the status is set. */
const paulimpi__qasm_gate *
paulimpi__qasm_gate_named(paulimpi__qasm *reader,
                          const paulimpi__qasm_token *name);
/** Fail if a gate does not take as many parameters and qubits. */
void paulimpi__qasm_check_counts(paulimpi__qasm *reader,
                                 const paulimpi__qasm_gate *gate,
                                 int64_t n_parameters, int64_t n_qubits);

/* What acts on qubits. */

/** Read the call of a gate. */
void paulimpi__qasm_apply(paulimpi__qasm *reader);
/** Read a barrier. */
void paulimpi__qasm_barrier(paulimpi__qasm *reader);
/** Read a measurement. */
void paulimpi__qasm_measure(paulimpi__qasm *reader);

#endif /* PAULIMPI_SRC_PROPAGATE_QASM_H */
