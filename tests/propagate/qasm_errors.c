/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OpenQASM 2.0: each error has its code, its place and its reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "paulimpi/circuit.h"
#include "tap/tap.h"

#define VERSION "OPENQASM 2.0;\n"
#define HEAD VERSION "include \"qelib1.inc\";\nqreg q[3];\ncreg c[3];\n"

enum {
    SYNTAX = PAULIMPI_ERR_SYNTAX,
    UNSUPPORTED = PAULIMPI_ERR_UNSUPPORTED,
    IO = PAULIMPI_ERR_IO
};

typedef struct {
    const char *text;
    int code;
    const char *place; /* line and column */
    const char *words; /* in the sentence */
} bad_text;

static const bad_text of_letters[] = {
    { "", SYNTAX, "1:1", "the file is empty" },
    { " // only a comment\n", SYNTAX, "2:1", "the file is empty" },
    { VERSION "qreg q[1]; /* x\n", SYNTAX, "2:12", "this comment has no end" },
    { VERSION "include \"qelib1.inc;\n", SYNTAX, "2:9", "no end" },
    { VERSION "include \"qelib1.inc", SYNTAX, "2:9", "no end" },
    { VERSION "qreg q[1];\nbarrier \xc3\xa9;", SYNTAX, "3:9", "byte 0xc3" },
    { VERSION "qreg q[1];\x01", SYNTAX, "2:11", "byte 0x01" },
    { VERSION "qreg q[1]; barrier @;", SYNTAX, "2:20", "character '@'" },
    { VERSION "qreg q[1]; \"x\";", SYNTAX, "2:12", "expected a statement" },
    { VERSION "qreg Q[1];", SYNTAX, "2:6", "lower-case letter" },
    { VERSION "qreg _q[1];", SYNTAX, "2:6", "lower-case letter" },
    { VERSION "qreg 2q[1];", SYNTAX, "2:6", "expected a name" },
    { VERSION "qreg q = 1;", SYNTAX, "2:8", "character '='" },
    { "\x89PNG\r\n\x1a\n", SYNTAX, "1:1", "byte 0x89" },
};

static const bad_text of_heads[] = {
    { "qreg q[1];", SYNTAX, "1:1", "OPENQASM 2.0;" },
    { "OPENQASM;", SYNTAX, "1:9", "a version" },
    { "OPENQASM 2.0", SYNTAX, "1:13", "the end of the text" },
    { "OPENQASM 3.0;", UNSUPPORTED, "1:10", "version \"3.0\"" },
    { "OPENQASM 3;", UNSUPPORTED, "1:10", "version \"3\"" },
    { "OPENQASM 2.1;", UNSUPPORTED, "1:10", "only 2.0" },
    { VERSION VERSION "qreg q[1];", SYNTAX, "2:1", "at the beginning" },
    { VERSION, SYNTAX, "2:1", "no qreg" },
    { VERSION "creg c[1];\n", SYNTAX, "3:1", "no qreg" },
    { VERSION "include qelib1;", SYNTAX, "2:9", "double quotes" },
    { VERSION "include \"qelib1.inc\"\nqreg q[1];", SYNTAX, "3:1", "\";\"" },
    { VERSION "include \"\";", IO, "2:9", "cannot include" },
    { VERSION "include \"other.inc\";", IO, "2:9",
      "only a file has a folder" },
};

static const bad_text of_registers[] = {
    { VERSION "qreg q;", SYNTAX, "2:7", "\"[\" and a size" },
    { VERSION "qreg q[];", SYNTAX, "2:8", "integer" },
    { VERSION "qreg q[1.5];", SYNTAX, "2:8", "integer" },
    { VERSION "qreg q[-1];", SYNTAX, "2:8", "integer" },
    { VERSION "qreg q[0];", SYNTAX, "2:8", "at least 1" },
    { VERSION "creg c[0];", SYNTAX, "2:8", "at least 1" },
    { VERSION "qreg q[1;", SYNTAX, "2:9", "\"]\"" },
    { VERSION "qreg q[1]\nqreg r[1];", SYNTAX, "3:1", "\";\"" },
    { VERSION "qreg q[1]; qreg q[2];", SYNTAX, "2:17",
      "\"q\" is declared on line 2 of text already" },
    { VERSION "qreg q[1]; creg q[2];", SYNTAX, "2:17", "declared on line 2" },
    { VERSION "qreg q[1]; qreg U[1];", SYNTAX, "2:17", "of the language" },
    { VERSION "qreg gate[1];", SYNTAX, "2:6", "expected a name" },
    { VERSION "qreg q[2000000];", UNSUPPORTED, "2:8", "more than 1048576" },
    { VERSION "qreg q[1]; creg c[2000000];", UNSUPPORTED, "2:19",
      "more than 1048576" },
    { VERSION "qreg q[99999999999999999999];", UNSUPPORTED, "2:8",
      "more than 1048576" },
    { VERSION "qreg q[1048576]; qreg r[1];", UNSUPPORTED, "2:25",
      "more than 1048576" },
    { HEAD "qreg h[1];", SYNTAX, "5:6", "a gate of qelib1.inc already" },
    { VERSION "qreg h[1];\ninclude \"qelib1.inc\";", SYNTAX, "3:9",
      "qelib1.inc defines \"h\", which is declared on line 2" },
};

static const bad_text of_calls[] = {
    { VERSION "qreg q[1];\nh q;", SYNTAX, "3:1",
      "unknown gate \"h\"; the usual gates need include \"qelib1.inc\";" },
    { HEAD "hh q;", SYNTAX, "5:1", "unknown gate \"hh\"" },
    { HEAD "q q;", SYNTAX, "5:1", "a register, not a gate" },
    { HEAD "h q", SYNTAX, "5:4", "\";\"" },
    { HEAD "h q\nx q;", SYNTAX, "6:1", "\";\"" },
    { HEAD "h;", SYNTAX, "5:2", "a qubit or quantum register" },
    { HEAD "h r;", SYNTAX, "5:3", "\"r\" is not a declared qreg" },
    { HEAD "h c;", SYNTAX, "5:3", "\"c\" is not a declared qreg" },
    { HEAD "h x;", SYNTAX, "5:3", "\"x\" is not a declared qreg" },
    { HEAD "h q[3];", SYNTAX, "5:5", "index 3 is out of range" },
    { HEAD "h q[99999999999999999999];", SYNTAX, "5:5", "out of range" },
    { HEAD "h q[-1];", SYNTAX, "5:5", "integer" },
    { HEAD "h q[];", SYNTAX, "5:5", "integer" },
    { HEAD "h q[0;", SYNTAX, "5:6", "\"]\"" },
    { HEAD "cx q[0];", SYNTAX, "5:1", "takes 2 qubits, but 1 is given" },
    { HEAD "h q[0],q[1];", SYNTAX, "5:1", "takes 1 qubit, but 2 are given" },
    { HEAD "rx q[0];", SYNTAX, "5:1", "takes 1 parameter, but 0 are given" },
    { HEAD "u3(1,2) q;", SYNTAX, "5:1", "takes 3 parameters, but 2 are" },
    { HEAD "h(1) q;", SYNTAX, "5:1", "takes 0 parameters, but 1 is given" },
    { HEAD "U(1) q;", SYNTAX, "5:1", "gate \"U\" takes 3 parameters" },
    { HEAD "cx q[1],q[1];", SYNTAX, "5:9", "qubit q[1] is named twice" },
    { HEAD "cx q,q;", SYNTAX, "5:6", "qubit q[0] is named twice" },
    { HEAD "cx q,q[2];", SYNTAX, "5:6", "qubit q[2] is named twice" },
    { HEAD "ccx q[0],q[1],q[0];", SYNTAX, "5:15", "named twice" },
    { HEAD "qreg r[2];\ncx q,r;", SYNTAX, "6:6", "different sizes: 3 and 2" },
    { HEAD "qreg r[1];\ncx q,r;", SYNTAX, "6:6", "different sizes: 3 and 1" },
    { HEAD "barrier q,r;", SYNTAX, "5:11", "\"r\" is not a declared qreg" },
    { HEAD "barrier q", SYNTAX, "5:10", "\";\"" },
    { HEAD "barrier;", SYNTAX, "5:8", "a qubit or quantum register" },
};

static const bad_text of_expressions[] = {
    { HEAD "rx() q;", SYNTAX, "5:1", "takes 1 parameter, but 0 are" },
    { HEAD "rx(1 q;", SYNTAX, "5:6", "\")\"" },
    { HEAD "rx(1,) q;", SYNTAX, "5:6", "a number, a parameter" },
    { HEAD "rx(1+) q;", SYNTAX, "5:6", "a number, a parameter" },
    { HEAD "rx(*2) q;", SYNTAX, "5:4", "a number, a parameter" },
    { HEAD "rx(2pi) q;", SYNTAX, "5:5", "\")\"" },
    { HEAD "rx((1) q;", SYNTAX, "5:8", "\")\"" },
    { HEAD "rx(theta) q;", SYNTAX, "5:4", "\"theta\" is not a parameter" },
    { HEAD "rx(q) q;", SYNTAX, "5:4", "\"q\" is not a parameter" },
    { HEAD "rx(sin 1) q;", SYNTAX, "5:8", "after a function" },
    { HEAD "rx(asin(1)) q;", SYNTAX, "5:4", "\"asin\" is not a parameter" },
    { HEAD "rx(1/0) q;", SYNTAX, "5:4", "division by zero" },
    { HEAD "rx(1/(1-1)) q;", SYNTAX, "5:4", "division by zero" },
    { HEAD "rx(ln(0)) q;", SYNTAX, "5:4", "not a finite number" },
    { HEAD "rx(sqrt(-1)) q;", SYNTAX, "5:4", "not a finite number" },
    { HEAD "rx(exp(1000)) q;", SYNTAX, "5:4", "not a finite number" },
    { HEAD "rx((-1)^0.5) q;", SYNTAX, "5:4", "not a finite number" },
    { HEAD "rx(1e999) q;", SYNTAX, "5:4", "number is too large" },
    { HEAD "rx(nan) q;", SYNTAX, "5:4", "\"nan\" is not a parameter" },
};

static const bad_text of_definitions[] = {
    { HEAD "gate f a { f a; }", SYNTAX, "5:12", "unknown gate \"f\"" },
    { HEAD "gate f a { g a; }\ngate g a { h a; }", SYNTAX, "5:12",
      "unknown gate \"g\"" },
    { HEAD "gate h a { x a; }", SYNTAX, "5:6", "gate of qelib1.inc already" },
    { HEAD "gate CX a,b { }", SYNTAX, "5:6", "gate of the language already" },
    { HEAD "gate f a { }\ngate f a { }", SYNTAX, "6:6",
      "declared on line 5 of text already" },
    { HEAD "gate f a { }\nopaque f a;", SYNTAX, "6:8", "line 5" },
    { HEAD "gate { }", SYNTAX, "5:6", "the name of a gate" },
    { HEAD "gate f { }", SYNTAX, "5:8", "the name of a qubit" },
    { HEAD "gate f a, { }", SYNTAX, "5:11", "the name of a qubit" },
    { HEAD "gate f a,a { }", SYNTAX, "5:10", "\"a\" is declared on line 5" },
    { HEAD "gate f(a) a { }", SYNTAX, "5:11", "\"a\" is declared on line 5" },
    { HEAD "gate f(a b { }", SYNTAX, "5:10", "\")\"" },
    { HEAD "gate f(1) b { }", SYNTAX, "5:8", "the name of a parameter" },
    { HEAD "gate f(pi) b { }", SYNTAX, "5:8", "the name of a parameter" },
    { HEAD "gate f a x a;", SYNTAX, "5:10", "\"{\"" },
    { HEAD "gate f a { x a }", SYNTAX, "5:16", "\";\"" },
    { HEAD "gate f a { x a;", SYNTAX, "5:16", "the end of the text" },
    { HEAD "gate f a { x b; }", SYNTAX, "5:14", "not a qubit of this gate" },
    { HEAD "gate f a { x q; }", SYNTAX, "5:14", "not a qubit of this gate" },
    { HEAD "gate f a { x a[0]; }", SYNTAX, "5:15", "\";\"" },
    { HEAD "gate f(t) a { x t; }", SYNTAX, "5:17", "not a qubit of this" },
    { HEAD "gate f a { rx(a) a; }", SYNTAX, "5:15", "not a parameter" },
    { HEAD "gate f a { rx(t) a; }", SYNTAX, "5:15", "not a parameter" },
    { HEAD "gate f a { cx a,a; }", SYNTAX, "5:17", "named twice" },
    { HEAD "gate f a { cx a; }", SYNTAX, "5:12", "takes 2 qubits, but 1 is" },
    { HEAD "gate f a { rx a; }", SYNTAX, "5:12", "takes 1 parameter, but 0" },
    { HEAD "gate f a { barrier b; }", SYNTAX, "5:20", "not a qubit of this" },
    { HEAD "gate f a { barrier a }", SYNTAX, "5:22", "\";\"" },
    { HEAD "gate f a { measure a -> c; }", SYNTAX, "5:12", "expected a gate" },
    { HEAD "gate f a { reset a; }", SYNTAX, "5:12", "expected a gate" },
    { HEAD "gate f a { gate g b { } }", SYNTAX, "5:12", "expected a gate" },
    { HEAD "gate f(t) a { rx(1/t) a; }\nf(0) q;", SYNTAX, "6:1",
      "division by zero in a gate that this one is made of, on line 5" },
    { HEAD "gate f(t) a { rx(ln(t)) a; }\nf(-1) q;", SYNTAX, "6:1",
      "not a finite number in a gate" },
    { HEAD "opaque f a", SYNTAX, "5:11", "\";\"" },
    { HEAD "opaque f(a,b) x;\nf(1,2) q;", UNSUPPORTED, "6:1",
      "gate \"f\" is opaque (line 5 of text)" },
    { HEAD "opaque f a;\ngate g a { f a; }", UNSUPPORTED, "6:12", "opaque" },
    { HEAD "}", SYNTAX, "5:1", "expected a statement" },
    { HEAD ";", SYNTAX, "5:1", "expected a statement" },
};

static const bad_text of_measurements[] = {
    { HEAD "measure q[0] -> c[0];\nh q[0];", UNSUPPORTED, "6:3",
      "qubit q[0] was measured on line 5 of text" },
    { HEAD "measure q -> c;\n\nid q;", UNSUPPORTED, "7:4",
      "qubit q[0] was measured on line 5 of text" },
    { HEAD "measure q[2] -> c[0];\ncx q[1],q[2];", UNSUPPORTED, "6:9",
      "qubit q[2] was measured on line 5 of text" },
    { HEAD "measure q[0] -> c[0];\nmeasure q[0] -> c[1];", UNSUPPORTED, "6:9",
      "qubit q[0] was measured on line 5 of text already" },
    { HEAD "measure q -> c[0];", SYNTAX, "5:14", "3 qubits of \"q\" into 1" },
    { HEAD "measure q[0] -> c;", SYNTAX, "5:17", "1 qubit of \"q\" into 3" },
    { HEAD "creg d[2];\nmeasure q -> d;", SYNTAX, "6:14", "2 bits of \"d\"" },
    { HEAD "measure q[0] -> c[3];", SYNTAX, "5:19", "out of range" },
    { HEAD "measure q[0] -> q[1];", SYNTAX, "5:17", "not a declared creg" },
    { HEAD "measure c[0] -> q[0];", SYNTAX, "5:9", "not a declared qreg" },
    { HEAD "measure q[0];", SYNTAX, "5:13", "\"->\"" },
    { HEAD "measure q[0] -> ;", SYNTAX, "5:17", "a bit or classical" },
    { HEAD "measure q -> c", SYNTAX, "5:15", "\";\"" },
    { HEAD "reset q[0];", UNSUPPORTED, "5:1", "reset is not supported" },
    { HEAD "if (c == 1) x q[0];", UNSUPPORTED, "5:1", "if is not supported" },
};

/* The text must fail as told, and leave no circuit. */
static void
check_bad(const char *text, int code, const char *place, const char *words)
{
    paulimpi_circuit *circuit = (paulimpi_circuit *)&code;
    char begin[32];

    tap_is_status(paulimpi_circuit_parse(text, NULL, &circuit), code,
                  "a code for: %.60s", words);
    tap_ok(circuit == NULL, "and no circuit");
    snprintf(begin, sizeof begin, "text:%s: ", place);
    if (!tap_ok(strncmp(paulimpi_last_error(), begin, strlen(begin)) == 0,
                "its place is %s", place)) {
        tap_note("%s", paulimpi_last_error());
    }
    tap_contains(paulimpi_last_error(), words, "its reason");
}

static void
check_all(const bad_text *texts, size_t n_texts)
{
    size_t i;

    for (i = 0; i < n_texts; i++) {
        check_bad(texts[i].text, texts[i].code, texts[i].place,
                  texts[i].words);
    }
}
#define CHECK_ALL(texts) check_all(texts, sizeof texts / sizeof texts[0])

/* Limits. */

static void
append_repeated(paulimpi__text *text, const char *piece, int n)
{
    int i;

    for (i = 0; i < n; i++) {
        paulimpi__text_append(text, "%s", piece);
    }
}

static void
check_built(paulimpi__text *text, int code, const char *place,
            const char *words)
{
    char *taken = paulimpi__text_take(text);

    if (taken == NULL) {
        tap_bail("no memory");
    }
    check_bad(taken, code, place, words);
    paulimpi__free(taken);
}

static void
test_deep_expressions(void)
{
    static const struct {
        const char *opening;
        const char *place;
    } deep[] = {
        { "(", "5:104" },  { "-(", "5:204" },  { "sin(", "5:404" },
        { "2^", "5:204" }, { "2^-", "5:303" },
    };
    size_t i;

    for (i = 0; i < sizeof deep / sizeof deep[0]; i++) {
        paulimpi__text text = PAULIMPI__TEXT_INIT;

        paulimpi__text_append(&text, HEAD "rx(");
        append_repeated(&text, deep[i].opening, 100000);
        check_built(&text, UNSUPPORTED, deep[i].place,
                    "nested deeper than 100 levels");
    }
}

static void
test_long_names(void)
{
    paulimpi__text text = PAULIMPI__TEXT_INIT;

    paulimpi__text_append(&text, VERSION "qreg ");
    append_repeated(&text, "a", 1001);
    check_built(&text, UNSUPPORTED, "2:6", "1001 characters, more than 1000");
}

/* Each gate calls the one before ten times. */
static void
test_expansion_bomb(void)
{
    paulimpi__text text = PAULIMPI__TEXT_INIT;
    int level;

    paulimpi__text_append(&text, HEAD "gate g0 a { x a; }\n");
    for (level = 1; level <= 100; level++) {
        char call[32];

        snprintf(call, sizeof call, "g%d a;", level - 1);
        paulimpi__text_append(&text, "gate g%d a {", level);
        append_repeated(&text, call, 10);
        paulimpi__text_append(&text, "}\n");
    }
    paulimpi__text_append(&text, "g2 q;\ng100 q;");
    check_built(&text, UNSUPPORTED, "107:1",
                "expands to more than 100000000 operations");
}

static void
test_deep_definitions(void)
{
    paulimpi__text text = PAULIMPI__TEXT_INIT;
    int level;

    paulimpi__text_append(&text, HEAD "gate g0 a { x a; }\n");
    for (level = 1; level <= 1000; level++) {
        paulimpi__text_append(&text, "gate g%d a { g%d a; }\n", level,
                              level - 1);
    }
    check_built(&text, UNSUPPORTED, "505:6", "nested deeper than 500 levels");
}

/* Files. */

static const char *
write_file(const char *folder, const char *name, const char *text)
{
    static char path[2][512];
    static int turn;
    FILE *file;

    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    file = fopen(path[turn], "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        tap_bail("%s cannot be written", path[turn]);
    }
    return path[turn];
}

static void
check_file(const char *path, int code, const char *place, const char *words)
{
    paulimpi_circuit *circuit;
    char begin[600];

    tap_is_status(paulimpi_circuit_read(path, &circuit), code,
                  "a code for: %s", words);
    tap_ok(circuit == NULL, "and no circuit");
    snprintf(begin, sizeof begin, "%s%s: ", path, place);
    if (!tap_ok(strncmp(paulimpi_last_error(), begin, strlen(begin)) == 0,
                "the sentence begins with the path and %s",
                place[0] == '\0' ? "no place" : place)) {
        tap_note("%s", paulimpi_last_error());
    }
    tap_contains(paulimpi_last_error(), words, "its reason");
}

static void
test_files(void)
{
    char folder[] = "/tmp/paulimpi-qasm-XXXXXX";
    const char *path;

    check_file("nosuch.qasm", IO, "", "No such file or directory");
    if (mkdtemp(folder) == NULL) {
        tap_bail("no temporary folder");
    }
    check_file(folder, IO, "", "Is a directory");

    path = write_file(folder, "a.qasm", VERSION "include \"nosuch.inc\";");
    check_file(path, IO, ":2:9", "nosuch.inc: No such file or directory");
    path = write_file(folder, "a.qasm", VERSION "include \"\";");
    check_file(path, SYNTAX, ":2:9", "has no name");
    path = write_file(folder, "a.qasm", VERSION "include \"-\";");
    check_file(path, IO, ":2:9", "-: No such file");
    path = write_file(folder, "a.qasm", VERSION "include \"a.qasm\";");
    check_file(path, UNSUPPORTED, ":2:9", "nested deeper than 16 files");
    path = write_file(folder, "a.qasm", VERSION "include \".\";");
    check_file(path, IO, ":2:9", "Is a directory");

    unlink(path);
    rmdir(folder);
}

static void
test_included_error(void)
{
    char folder[] = "/tmp/paulimpi-qasm-XXXXXX";
    paulimpi_circuit *circuit;
    const char *path;
    const char *other;

    if (mkdtemp(folder) == NULL) {
        tap_bail("no temporary folder");
    }
    other = write_file(folder, "b.inc", "gate f a { U(0,0) a; }\n");
    path = write_file(folder, "a.qasm", VERSION "include \"b.inc\";");
    tap_is_status(paulimpi_circuit_read(path, &circuit), SYNTAX,
                  "an error in an included file");
    tap_contains(paulimpi_last_error(), "/b.inc:1:12: gate \"U\"",
                 "is told with the place in that file");
    unlink(other);
    unlink(path);
    rmdir(folder);
}

/* Many includes of a file, whose number is limited too. */
static void
test_many_includes(void)
{
    char folder[] = "/tmp/paulimpi-qasm-XXXXXX";
    paulimpi__text text = PAULIMPI__TEXT_INIT;
    const char *path;
    const char *other;
    char *taken;

    if (mkdtemp(folder) == NULL) {
        tap_bail("no temporary folder");
    }
    other = write_file(folder, "b.inc", "// Nothing.\n");
    paulimpi__text_append(&text, "%s", VERSION);
    append_repeated(&text, "include \"b.inc\";\n", 1000);
    taken = paulimpi__text_take(&text);
    if (taken == NULL) {
        tap_bail("no memory");
    }
    path = write_file(folder, "a.qasm", taken);
    check_file(path, UNSUPPORTED, ":1001:9", "more than 1000 files");
    paulimpi__free(taken);
    unlink(other);
    unlink(path);
    rmdir(folder);
}

static void
test_name(void)
{
    paulimpi_circuit *circuit;

    tap_is_status(paulimpi_circuit_parse("OPENQASM 2.0", "my text", &circuit),
                  SYNTAX, "a text may have a name");
    tap_contains(paulimpi_last_error(),
                 "my text:1:13: ", "that stands in the sentence");
    tap_is_status(paulimpi_circuit_parse(
                      HEAD "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwx"
                           "yzabcdefghijklmnopqrstuvwxyz q;",
                      NULL, &circuit),
                  SYNTAX, "a long name is an error");
    tap_contains(paulimpi_last_error(), "...\"", "and is shown in part");
}

int
main(void)
{
    CHECK_ALL(of_letters);
    CHECK_ALL(of_heads);
    CHECK_ALL(of_registers);
    CHECK_ALL(of_calls);
    CHECK_ALL(of_expressions);
    CHECK_ALL(of_definitions);
    CHECK_ALL(of_measurements);
    test_deep_expressions();
    test_long_names();
    test_expansion_bomb();
    test_deep_definitions();
    test_files();
    test_included_error();
    test_many_includes();
    test_name();
    return tap_done();
}
