/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The names of an OpenQASM text: hash tables with open addressing.
 */
#include <inttypes.h>
#include <string.h>

#include "propagate/qasm.h"

enum { FIRST_SLOTS = 64 };

static uint64_t
hash(const char *name, size_t length)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    size_t i;

    for (i = 0; i < length; i++) {
        value = (value ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    }
    return value ^ value >> 32;
}

/* The slot of a name, or the free one where it would go. */
static int64_t *
slot_of(const paulimpi__qasm_scope *scope, const char *name, size_t length)
{
    uint64_t mask = (uint64_t)scope->n_slots - 1;
    uint64_t at = hash(name, length) & mask;

    while (scope->slots[at] != 0) {
        const char *other = scope->symbols[scope->slots[at] - 1].name;

        if (strncmp(other, name, length) == 0 && other[length] == '\0') {
            break;
        }
        at = (at + 1) & mask;
    }
    return &scope->slots[at];
}

paulimpi__qasm_symbol *
paulimpi__qasm_find(const paulimpi__qasm_scope *scope,
                    const paulimpi__qasm_token *name)
{
    int64_t number = 0;

    if (scope->n_slots > 0) {
        number = *slot_of(scope, name->text, name->length);
    }
    return number == 0 ? NULL : &scope->symbols[number - 1];
}

static int
no_memory(paulimpi__qasm *reader, size_t bytes)
{
    paulimpi__qasm_stop(reader,
                        paulimpi__no_memory("paulimpi_circuit_read", bytes));
    return reader->status;
}

/* Keep at least half of the slots free. */
static int
make_slots(paulimpi__qasm *reader, paulimpi__qasm_scope *scope)
{
    int64_t n_slots = scope->n_slots == 0 ? FIRST_SLOTS : 2 * scope->n_slots;
    int64_t *old = scope->slots;
    int64_t i;

    if (2 * (scope->n_symbols + 1) <= scope->n_slots) {
        return PAULIMPI_SUCCESS;
    }
    scope->slots = paulimpi__alloc_zero((size_t)n_slots, sizeof *scope->slots);
    if (scope->slots == NULL) {
        scope->slots = old;
        return no_memory(reader, (size_t)n_slots * sizeof *old);
    }
    scope->n_slots = n_slots;
    paulimpi__free(old);
    for (i = 0; i < scope->n_symbols; i++) {
        const char *name = scope->symbols[i].name;

        *slot_of(scope, name, strlen(name)) = i + 1;
    }
    return PAULIMPI_SUCCESS;
}

/* Append a symbol with nothing but its name. */
static paulimpi__qasm_symbol *
append(paulimpi__qasm *reader, paulimpi__qasm_scope *scope,
       const paulimpi__qasm_token *name)
{
    char *copy;

    if (make_slots(reader, scope) != PAULIMPI_SUCCESS
        || paulimpi__qasm_grow(reader, &scope->symbols, &scope->capacity,
                               scope->n_symbols + 1, sizeof *scope->symbols)
               != PAULIMPI_SUCCESS) {
        return NULL;
    }
    copy = paulimpi__alloc(name->length + 1, 1);
    if (copy == NULL) {
        no_memory(reader, name->length + 1);
        return NULL;
    }
    memcpy(copy, name->text, name->length);
    copy[name->length] = '\0';
    *slot_of(scope, copy, name->length) = scope->n_symbols + 1;
    scope->symbols[scope->n_symbols].name = copy;
    return &scope->symbols[scope->n_symbols++];
}

static void
refuse_again(paulimpi__qasm *reader, const paulimpi__qasm_token *name,
             const paulimpi__qasm_symbol *old)
{
    const paulimpi__qasm_text *text = &reader->texts[old->place.text];
    /* qelib1.inc is no file that a user could look into. */
    paulimpi__qasm_place place = name->place;

    if (reader->texts[place.text].is_standard) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX,
                            reader->standard_place,
                            "qelib1.inc defines \"%s\", which is declared on "
                            "line %" PRId64 " of %s already",
                            old->name, old->place.line, text->name);
    } else if (old->place.line == 0 || text->is_standard) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, place,
                            "\"%s\" is a gate of %s already", old->name,
                            text->is_standard ? "qelib1.inc" : "the language");
    } else {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, place,
                            "\"%s\" is declared on line %" PRId64
                            " of %s already",
                            old->name, old->place.line, text->name);
    }
}

paulimpi__qasm_symbol *
paulimpi__qasm_declare(paulimpi__qasm *reader, paulimpi__qasm_scope *scope,
                       const paulimpi__qasm_token *name,
                       paulimpi__qasm_symbol_kind kind)
{
    int is_replaceable = reader->texts[name->place.text].is_replaceable;
    paulimpi__qasm_symbol *symbol = paulimpi__qasm_find(scope, name);

    if (reader->status != 0) {
        return NULL;
    }
    if (symbol == NULL) {
        symbol = append(reader, scope, name);
    } else if (!symbol->is_replaceable) {
        if (!is_replaceable) {
            refuse_again(reader, name, symbol);
        }
        return NULL;
    }
    if (symbol != NULL) {
        symbol->kind = kind;
        symbol->place = name->place;
        symbol->is_replaceable = is_replaceable && scope == &reader->globals;
        symbol->first = 0;
        symbol->size = 0;
        symbol->mark = 0;
    }
    return symbol;
}

void
paulimpi__qasm_scope_clear(paulimpi__qasm_scope *scope)
{
    int64_t i;

    for (i = 0; i < scope->n_symbols; i++) {
        paulimpi__free(scope->symbols[i].name);
    }
    scope->n_symbols = 0;
    /* A large table would cost as much for each small definition that
     * follows. */
    if (scope->n_slots > FIRST_SLOTS) {
        paulimpi__free(scope->slots);
        scope->slots = NULL;
        scope->n_slots = 0;
    } else if (scope->n_slots > 0) {
        memset(scope->slots, 0, (size_t)scope->n_slots * sizeof *scope->slots);
    }
}

void
paulimpi__qasm_scope_free(paulimpi__qasm_scope *scope)
{
    paulimpi__qasm_scope_clear(scope);
    paulimpi__free(scope->symbols);
    paulimpi__free(scope->slots);
}
