/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OpenQASM texts cut into tokens.
 */
#include <string.h>

#include "propagate/qasm.h"

static const struct {
    const char *word;
    int kind;
} keywords[] = {
    { "OPENQASM", PAULIMPI__QASM_KEY_OPENQASM },
    { "include", PAULIMPI__QASM_KEY_INCLUDE },
    { "qreg", PAULIMPI__QASM_KEY_QREG },
    { "creg", PAULIMPI__QASM_KEY_CREG },
    { "gate", PAULIMPI__QASM_KEY_GATE },
    { "opaque", PAULIMPI__QASM_KEY_OPAQUE },
    { "barrier", PAULIMPI__QASM_KEY_BARRIER },
    { "measure", PAULIMPI__QASM_KEY_MEASURE },
    { "reset", PAULIMPI__QASM_KEY_RESET },
    { "if", PAULIMPI__QASM_KEY_IF },
    { "pi", PAULIMPI__QASM_KEY_PI },
    { "sin", PAULIMPI__QASM_KEY_SIN },
    { "cos", PAULIMPI__QASM_KEY_COS },
    { "tan", PAULIMPI__QASM_KEY_TAN },
    { "exp", PAULIMPI__QASM_KEY_EXP },
    { "ln", PAULIMPI__QASM_KEY_LN },
    { "sqrt", PAULIMPI__QASM_KEY_SQRT },
};

/* Letters and digits of the language, whatever the locale. */
static int
is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static int
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int
is_word(char c)
{
    return is_lower(c) || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

const char *
paulimpi__qasm_show(const paulimpi__qasm_token *token,
                    char shown[PAULIMPI__QASM_SHOWN])
{
    const size_t most = PAULIMPI__QASM_SHOWN - 6;
    size_t length = token->length < most ? token->length : most;

    if (token->kind == PAULIMPI__QASM_END) {
        return strcpy(shown, "the end of the text");
    }
    shown[0] = '"';
    memcpy(shown + 1, token->text, length);
    strcpy(shown + 1 + length, length < token->length ? "...\"" : "\"");
    return shown;
}

int64_t
paulimpi__qasm_integer(const paulimpi__qasm_token *token)
{
    int64_t value = 0;
    size_t i;

    for (i = 0; i < token->length; i++) {
        int digit = token->text[i] - '0';

        if (value > (INT64_MAX - digit) / 10) {
            return INT64_MAX;
        }
        value = value * 10 + digit;
    }
    return value;
}

static paulimpi__qasm_place
place_of(const paulimpi__qasm *reader, const paulimpi__qasm_text *text)
{
    return (paulimpi__qasm_place){
        .text = text - reader->texts,
        .line = text->line,
        .column = text->next - text->line_begin + 1,
    };
}

static void
begin_line(paulimpi__qasm_text *text)
{
    text->line++;
    text->line_begin = text->next;
}

/* Skip a comment of the old C kind, which the language has not but writers
 * use. */
static void
skip_block(paulimpi__qasm *reader, paulimpi__qasm_text *text)
{
    paulimpi__qasm_place place = place_of(reader, text);

    text->next += 2;
    while (text->next[0] != '*' || text->next[1] != '/') {
        if (*text->next == '\0') {
            paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, place,
                                "this comment has no end");
            return;
        }
        if (*text->next++ == '\n') {
            begin_line(text);
        }
    }
    text->next += 2;
}

/* Skip blanks and comments; the latter may hold any character. */
static void
skip_blanks(paulimpi__qasm *reader, paulimpi__qasm_text *text)
{
    while (reader->status == 0) {
        char c = *text->next;

        if (c == '\n') {
            text->next++;
            begin_line(text);
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f'
                   || c == '\v') {
            text->next++;
        } else if (c == '/' && text->next[1] == '/') {
            text->next += strcspn(text->next, "\n");
        } else if (c == '/' && text->next[1] == '*') {
            skip_block(reader, text);
        } else {
            return;
        }
    }
}

static int
keyword(const char *word, size_t length)
{
    size_t i;

    for (i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (keywords[i].word[0] == word[0]
            && strlen(keywords[i].word) == length
            && memcmp(keywords[i].word, word, length) == 0) {
            return keywords[i].kind;
        }
    }
    return PAULIMPI__QASM_NAME;
}

/* Names begin in lower case, but for U and CX; the built-in text has names
 * with an underscore first, which nobody else can write. */
static int
is_name(const paulimpi__qasm_text *text, const char *word, size_t length)
{
    return is_lower(word[0]) || (word[0] == '_' && text->is_standard)
           || (length == 1 && word[0] == 'U')
           || (length == 2 && memcmp(word, "CX", 2) == 0);
}

static void
read_word(paulimpi__qasm *reader, paulimpi__qasm_text *text)
{
    paulimpi__qasm_token *token = &reader->token;
    char shown[PAULIMPI__QASM_SHOWN];

    while (is_word(*text->next)) {
        text->next++;
    }
    token->length = (size_t)(text->next - token->text);
    token->kind = keyword(token->text, token->length);
    if (token->length > PAULIMPI__QASM_MOST_NAME) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_UNSUPPORTED, token->place,
                            "the name %s has %zu characters, more than %d",
                            paulimpi__qasm_show(token, shown), token->length,
                            PAULIMPI__QASM_MOST_NAME);
    } else if (token->kind == PAULIMPI__QASM_NAME
               && !is_name(text, token->text, token->length)) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, token->place,
                            "a name begins with a lower-case letter, but "
                            "here is %s",
                            paulimpi__qasm_show(token, shown));
    }
}

static void
read_digits(paulimpi__qasm_text *text)
{
    while (is_digit(*text->next)) {
        text->next++;
    }
}

static void
read_number(paulimpi__qasm_text *text, paulimpi__qasm_token *token)
{
    token->kind = PAULIMPI__QASM_INTEGER;
    read_digits(text);
    if (*text->next == '.') {
        token->kind = PAULIMPI__QASM_REAL;
        text->next++;
        read_digits(text);
    }
    if (*text->next == 'e' || *text->next == 'E') {
        size_t sign = text->next[1] == '+' || text->next[1] == '-';

        if (is_digit(text->next[1 + sign])) {
            token->kind = PAULIMPI__QASM_REAL;
            text->next += 1 + sign;
            read_digits(text);
        }
    }
    token->length = (size_t)(text->next - token->text);
}

static void
read_string(paulimpi__qasm *reader, paulimpi__qasm_text *text)
{
    paulimpi__qasm_token *token = &reader->token;

    token->kind = PAULIMPI__QASM_STRING;
    token->text++;
    token->length = strcspn(token->text, "\"\r\n");
    if (token->text[token->length] != '"') {
        token->length = 0;
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, token->place,
                            "this text in quotes has no end on its line");
        return;
    }
    text->next = token->text + token->length + 1;
}

static void
read_sign(paulimpi__qasm *reader, paulimpi__qasm_text *text)
{
    paulimpi__qasm_token *token = &reader->token;
    unsigned char c = (unsigned char)*text->next;

    if (strncmp(text->next, "->", 2) == 0) {
        token->kind = PAULIMPI__QASM_ARROW;
    } else if (strncmp(text->next, "==", 2) == 0) {
        token->kind = PAULIMPI__QASM_EQUAL;
    } else if (strchr(";,()[]{}+-*/^", c) != NULL) {
        token->kind = c;
    } else if (c > ' ' && c < 127) {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, token->place,
                            "unexpected character '%c'", c);
        return;
    } else {
        paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, token->place,
                            "unexpected byte 0x%02x: outside of comments, "
                            "OpenQASM is plain ASCII",
                            c);
        return;
    }
    token->length = token->kind < ' ' ? 2 : 1;
    text->next += token->length;
}

void
paulimpi__qasm_advance(paulimpi__qasm *reader)
{
    paulimpi__qasm_text *text =
        &reader->texts[reader->open[reader->n_open - 1]];
    paulimpi__qasm_token *token = &reader->token;

    if (reader->status == 0) {
        skip_blanks(reader, text);
    }
    *token = (paulimpi__qasm_token){
        .kind = PAULIMPI__QASM_END,
        .place = place_of(reader, text),
        .text = text->next,
    };
    if (reader->status != 0 || *text->next == '\0') {
        return;
    }

    if (is_digit(*text->next)
        || (*text->next == '.' && is_digit(text->next[1]))) {
        read_number(text, token);
    } else if (is_word(*text->next)) {
        read_word(reader, text);
    } else if (*text->next == '"') {
        read_string(reader, text);
    } else {
        read_sign(reader, text);
    }
}

int
paulimpi__qasm_accept(paulimpi__qasm *reader, int kind)
{
    if (reader->status != 0 || reader->token.kind != kind) {
        return 0;
    }
    paulimpi__qasm_advance(reader);
    return 1;
}

void
paulimpi__qasm_unexpected(paulimpi__qasm *reader, const char *expected)
{
    char shown[PAULIMPI__QASM_SHOWN];

    paulimpi__qasm_fail(reader, PAULIMPI_ERR_SYNTAX, reader->token.place,
                        "expected %s, but here is %s", expected,
                        paulimpi__qasm_show(&reader->token, shown));
}

void
paulimpi__qasm_expect(paulimpi__qasm *reader, int kind, const char *what)
{
    if (!paulimpi__qasm_accept(reader, kind)) {
        paulimpi__qasm_unexpected(reader, what);
    }
}
