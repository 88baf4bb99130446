/* SPDX-License-Identifier: BSD-3-Clause
 *
 * OpenQASM 2.0: what each construct makes of a circuit. Circuits are compared
 * with ones that are made by the functions of paulimpi/circuit.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "propagate/circuit.h"
#include "tap/tap.h"

#define HEAD "OPENQASM 2.0;\ninclude \"qelib1.inc\";\n"

static paulimpi_circuit *
parse(const char *text)
{
    paulimpi_circuit *circuit = NULL;
    int rc = paulimpi_circuit_parse(text, NULL, &circuit);

    if (rc != PAULIMPI_SUCCESS) {
        tap_is_status(rc, 0, "a text is read");
        tap_bail("%s", paulimpi_last_error());
    }
    return circuit;
}

/* The path of a file of tests/data/qasm. */
static const char *
data_path(const char *name)
{
    static char path[1024];
    const char *source = getenv("srcdir");

    snprintf(path, sizeof path, "%s/tests/data/qasm/%s",
             source == NULL ? "." : source, name);
    return path;
}

static int
same_op(const paulimpi_circuit *a, const paulimpi_circuit *b, int64_t i)
{
    const paulimpi__op *p = &a->ops[i];
    const paulimpi__op *q = &b->ops[i];
    int64_t k;

    if (p->kind != q->kind || p->flags != q->flags
        || p->quarters != q->quarters || p->n_sites != q->n_sites) {
        return 0;
    }
    for (k = 0; k < p->n_sites; k++) {
        if (a->sites[p->first_site + k] != b->sites[q->first_site + k]) {
            return 0;
        }
    }
    if (p->kind == PAULIMPI__OP_MAP) {
        return memcmp(&a->matrices[p->first_matrix],
                      &b->matrices[q->first_matrix], sizeof *a->matrices)
               == 0;
    }
    return p->value[0] == q->value[0] && p->value[1] == q->value[1];
}

static int
same_circuit(const paulimpi_circuit *a, const paulimpi_circuit *b)
{
    int64_t i;

    if (a->n_qubits != b->n_qubits || a->n_gates != b->n_gates
        || a->n_ops != b->n_ops) {
        return 0;
    }
    for (i = 0; i < a->n_ops; i++) {
        if (!same_op(a, b, i)) {
            return 0;
        }
    }
    return 1;
}

/* Two texts that mean the same. */
static void
check_same(const char *text, const char *other, const char *fact)
{
    paulimpi_circuit *a = parse(text);
    paulimpi_circuit *b = parse(other);

    tap_ok(same_circuit(a, b), "%s", fact);
    paulimpi_circuit_destroy(&a);
    paulimpi_circuit_destroy(&b);
}

static void
test_contract(void)
{
    paulimpi_circuit *circuit = NULL;

    tap_is_status(paulimpi_circuit_parse(NULL, "x", &circuit),
                  PAULIMPI_ERR_ARGUMENT, "a text is needed");
    tap_contains(paulimpi_last_error(), "text", "and the sentence names it");
    tap_is_status(paulimpi_circuit_parse("", "x", NULL), PAULIMPI_ERR_ARGUMENT,
                  "a place for the circuit is needed");
    tap_contains(paulimpi_last_error(), "circuit_p",
                 "and the sentence names it");
    tap_is_status(paulimpi_circuit_read(NULL, &circuit), PAULIMPI_ERR_ARGUMENT,
                  "a path is needed");
    tap_contains(paulimpi_last_error(), "path", "and the sentence names it");
    tap_is_status(paulimpi_circuit_read("x", NULL), PAULIMPI_ERR_ARGUMENT,
                  "a place for the circuit is needed");

    circuit = parse("OPENQASM 2.0;qreg q[1];");
    tap_is_int(paulimpi_circuit_qubits(circuit), 1, "one qubit");
    tap_is_int(paulimpi_circuit_gates(circuit), 0, "without gates");
    paulimpi_circuit_destroy(&circuit);
}

static void
test_registers(void)
{
    paulimpi_circuit *got =
        parse(HEAD "qreg a[2]; creg k[9]; x a[1]; qreg b[3]; cx b[2],a[0];");
    paulimpi_circuit *want = NULL;

    paulimpi_circuit_create(5, &want);
    paulimpi_circuit_x(want, 1);
    paulimpi_circuit_cx(want, 4, 0);
    tap_ok(same_circuit(got, want),
           "registers are numbered in the order of their declarations");
    paulimpi_circuit_destroy(&got);
    paulimpi_circuit_destroy(&want);

    got = parse("OPENQASM 2.0; qreg q[1048576]; creg c[1048576];");
    tap_is_int(paulimpi_circuit_qubits(got), 1048576, "many qubits");
    paulimpi_circuit_destroy(&got);

    got = parse(HEAD "qreg q[7]; h q[0];");
    tap_is_int(paulimpi_circuit_qubits(got), 7, "unused qubits count");
    paulimpi_circuit_destroy(&got);
}

static void
test_broadcast(void)
{
    check_same(HEAD "qreg q[3]; h q;",
               HEAD "qreg q[3]; h q[0]; h q[1]; h q[2];",
               "a gate acts on each qubit of a register");
    check_same(HEAD "qreg p[2]; qreg r[2]; cx p,r;",
               HEAD "qreg p[2]; qreg r[2]; cx p[0],r[0]; cx p[1],r[1];",
               "registers are paired");
    check_same(HEAD "qreg p[2]; qreg r[2]; cx p[1],r;",
               HEAD "qreg p[2]; qreg r[2]; cx p[1],r[0]; cx p[1],r[1];",
               "a qubit is repeated for a register");
    check_same(HEAD "qreg p[2]; qreg q[1]; qreg r[2]; ccx p,q[0],r;",
               HEAD "qreg p[2]; qreg q[1]; qreg r[2];"
                    "ccx p[0],q[0],r[0]; ccx p[1],q[0],r[1];",
               "qubits and registers mix");
}

/* An expression as the angle of RX. */
static void
check_angle(const char *expression, double want)
{
    char text[512];
    paulimpi_circuit *got;

    snprintf(text, sizeof text, HEAD "qreg q[1]; rx(%s) q[0];", expression);
    got = parse(text);
    tap_is_near(atan2(got->ops[0].value[1], got->ops[0].value[0]), want, 1e-15,
                "%s", expression);
    paulimpi_circuit_destroy(&got);
}

static void
test_expressions(void)
{
    check_angle("1", 1.0);
    check_angle("0.25", 0.25);
    check_angle(".25", 0.25);
    check_angle("2.", 2.0);
    check_angle("25e-2", 0.25);
    check_angle("2.5E-1", 0.25);
    check_angle("0.025e+1", 0.25);
    check_angle("pi/5", M_PI / 5);
    check_angle("1-2+3", 2.0);
    check_angle("8/4/2*3", 3.0);
    check_angle("1+2*3/4", 2.5);
    check_angle("-1", -1.0);
    check_angle("--1", 1.0);
    check_angle("+1", 1.0);
    check_angle("1--1", 2.0);
    check_angle("-2^2/2", -2.0);
    check_angle("2^-1", 0.5);
    check_angle("2^2^3/256", 1.0);
    check_angle("(1+2)*(3-2.5)", 1.5);
    check_angle("sin(1)", sin(1.0));
    check_angle("cos(1)", cos(1.0));
    check_angle("tan(1)", tan(1.0));
    check_angle("exp(1)", exp(1.0));
    check_angle("ln(2)", log(2.0));
    check_angle("sqrt(2)", sqrt(2.0));
    check_angle("sin(cos(0.3)^2)-ln(exp(1))", sin(pow(cos(0.3), 2)) - 1.0);
    check_angle(" ( ( 1 ) ) /* one */ ", 1.0);
    check_angle("123456789012345678901234567890e-30", 0.12345678901234567890);
}

static void
test_definitions(void)
{
    paulimpi_circuit *circuit;

    circuit = parse(HEAD "qreg q[2];"
                         "gate f(a,b) x,y { rx(a+b) y; ry(a*b) x; }"
                         "gate g(a) y,x { f(a,-a/2) x,y; barrier y,x; z y; }"
                         "g(0.3) q[0],q[1];");
    tap_is_int(paulimpi_circuit_gates(circuit), 1,
               "a gate made of gates is one gate");
    tap_is_int(circuit->n_ops, 3, "with the operations of all of them");
    tap_is_int(circuit->ops[0].flags,
               PAULIMPI__GATE_FIRST | PAULIMPI__UNIT_FIRST,
               "one truncation unit begins with its first operation");
    tap_is_int(circuit->ops[1].flags, 0, "goes on");
    tap_is_int(circuit->ops[2].flags,
               PAULIMPI__GATE_LAST | PAULIMPI__UNIT_LAST,
               "and ends with the last one");
    tap_is_int(circuit->sites[circuit->ops[0].first_site], 0 << 2 | 1,
               "qubits are handed down");
    tap_is_near(circuit->ops[0].value[0], cos(0.3 - 0.15), 1e-15,
                "parameters are handed down");
    tap_is_near(circuit->ops[1].value[0], cos(0.3 * -0.15), 1e-15,
                "and computed with");
    paulimpi_circuit_destroy(&circuit);

    circuit = parse(HEAD "qreg q[2]; gate nothing a,b {} nothing q[0],q[1];"
                         "id q; u0(3) q[0];");
    tap_is_int(paulimpi_circuit_gates(circuit), 4,
               "gates without effect count");
    paulimpi_circuit_destroy(&circuit);

    check_same(
        HEAD "qreg q[2]; gate f(s) h,x { rx(s) h; h x; } f(1) q[0],q[1];",
        HEAD "qreg q[2]; gate f(a) b,c { rx(a) b; h c; } f(1) q[0],q[1];",
        "names inside a gate may be those of gates");
    check_same(
        "OPENQASM 2.0; qreg q[2]; gate f() a { U(0,0,pi) a; } f() q[0];",
        "OPENQASM 2.0; qreg q[2]; gate g a { U(0,0,pi) a; } g q[0];",
        "an empty list of parameters may be left out");
}

static void
test_names_of_the_longer_list(void)
{
    check_same(HEAD
               "gate ryy(t) a,b { x a; x b; } qreg q[2]; ryy(1) q[0],q[1];",
               HEAD "gate f(t) a,b { x a; x b; } qreg q[2]; f(1) q[0],q[1];",
               "a file may define gates of Qiskit's list itself");
    check_same("OPENQASM 2.0; gate rzz(t) a,b { CX a,b; }"
               "include \"qelib1.inc\"; qreg q[2]; rzz(1) q[0],q[1];"
               "crz(1) q[0],q[1];",
               HEAD "gate f(t) a,b { cx a,b; } qreg q[2]; f(1) q[0],q[1];"
                    "crz(1) q[0],q[1];",
               "also before the include, which stays right");
    check_same(HEAD "qreg p[2]; qreg r[1]; h p; x r[0];",
               HEAD "qreg k[2]; qreg l[1]; h k; x l[0];",
               "registers may have the names of such gates");
    check_same("OPENQASM 2.0; qreg p[2]; include \"qelib1.inc\";"
               "cp(1) p[0],p[1];",
               HEAD "qreg q[2]; cp(1) q[0],q[1];",
               "also when they come before the include");
    check_same(HEAD "include \"qelib1.inc\"; qreg q[1]; h q;",
               HEAD "qreg q[1]; h q;", "a second include does no harm");
}

static void
test_without_effect(void)
{
    check_same(HEAD "qreg q[2]; creg c[2]; h q; barrier q; barrier q[0],q[1];"
                    "measure q[1] -> c[0]; x q[0]; measure q[0] -> c[1];"
                    "barrier q;",
               HEAD "qreg q[2]; h q; x q[0];",
               "barriers and final measurements have no effect");
    check_same(HEAD "qreg q[2]; creg c[2]; h q; measure q -> c;",
               HEAD "qreg q[2]; h q;", "registers can be measured");
    check_same(HEAD "opaque f(a) x,y; opaque g() x; opaque k x; qreg q[1];",
               HEAD "qreg q[1];", "opaque gates can be declared");
}

static void
test_layout(void)
{
    check_same(
        "// A comment first: \xc3\xa9.\r\n\tOPENQASM\n2.0 ;\r\n"
        "include\"qelib1.inc\";qreg q [ 2 ];/* here\n too */h q[0]\n;//",
        HEAD "qreg q[2]; h q[0];", "blanks, comments, line ends");
    check_same("OPENQASM 2;qreg q[1];U(0,0,1)q[0];",
               "OPENQASM 2.00; qreg q[1]; U(0,0,1) q[0];",
               "the version may be written shorter or longer");
}

static void
test_files(void)
{
    static const struct {
        const char *name;
        int qubits, gates;
    } files[] = {
        { "adder.qasm", 10, 14 },    { "expressions.qasm", 2, 6 },
        { "broadcast.qasm", 6, 17 }, { "exported.qasm", 4, 7 },
        { "including.qasm", 2, 2 },
    };
    paulimpi_circuit *circuit;
    size_t i;

    for (i = 0; i < sizeof files / sizeof files[0]; i++) {
        tap_is_status(
            paulimpi_circuit_read(data_path(files[i].name), &circuit), 0,
            "%s is read", files[i].name);
        tap_is_int(paulimpi_circuit_qubits(circuit), files[i].qubits,
                   "its qubits");
        tap_is_int(paulimpi_circuit_gates(circuit), files[i].gates,
                   "its gates");
        paulimpi_circuit_destroy(&circuit);
    }

    if (freopen(data_path("expressions.qasm"), "r", stdin) == NULL) {
        tap_bail("%s cannot be opened", data_path("expressions.qasm"));
    }
    tap_is_status(paulimpi_circuit_read("-", &circuit), 0,
                  "standard input is read");
    tap_is_int(paulimpi_circuit_gates(circuit), 6, "its gates");
    paulimpi_circuit_destroy(&circuit);
}

/* A long circuit, in a time that grows with its length. */
static void
test_long(void)
{
    enum { GATES = 100000 };
    static const char gate[] = "rzz(-pi/2) q[3],q[12];\n";
    static const char head[] = HEAD "qreg q[20];\n";
    char *text = malloc(sizeof head + GATES * (sizeof gate - 1));
    char *end = text;
    paulimpi_circuit *circuit;
    int i;

    if (text == NULL) {
        tap_bail("no memory");
    }
    memcpy(end, head, sizeof head);
    end += sizeof head - 1;
    for (i = 0; i < GATES; i++) {
        memcpy(end, gate, sizeof gate);
        end += sizeof gate - 1;
    }
    circuit = parse(text);
    tap_is_int(paulimpi_circuit_gates(circuit), GATES, "many gates");
    paulimpi_circuit_destroy(&circuit);
    free(text);
}

/* Every allocation fails once. */
static void
test_failed_allocations(void)
{
    static const char text[] = HEAD
        "qreg q[40]; creg c[40];"
        "gate f(a,b) x,y { rx(a*b) x; cu3(a,b,a) x,y; }"
        "gate g(a) x,y { f(a,1) x,y; u2(0,a) y; }"
        "h q; g(pi/4) q[0],q[1]; c3x q[0],q[1],q[2],q[3]; measure q -> c;";
    paulimpi_circuit *circuit;
    int64_t n = 0;
    int all_hold = 1;
    int rc;

    do {
        circuit = NULL;
        paulimpi__alloc_fail_at(++n);
        rc = paulimpi_circuit_parse(text, NULL, &circuit);
        paulimpi__alloc_fail_at(0);
        if (rc != PAULIMPI_SUCCESS) {
            all_hold &= rc == PAULIMPI_ERR_MEMORY && circuit == NULL
                        && paulimpi_last_error()[0] != '\0';
        }
    } while (rc != PAULIMPI_SUCCESS && n < 10000);
    tap_ok(n > 20 && n < 10000, "parse allocates, and succeeds at last");
    tap_ok(all_hold, "without memory: a code, a sentence, no circuit");
    paulimpi_circuit_destroy(&circuit);

    n = 0;
    do {
        paulimpi__alloc_fail_at(++n);
        rc = paulimpi_circuit_read(data_path("including.qasm"), &circuit);
        paulimpi__alloc_fail_at(0);
        if (rc != PAULIMPI_SUCCESS) {
            all_hold &= rc == PAULIMPI_ERR_MEMORY && circuit == NULL;
        }
    } while (rc != PAULIMPI_SUCCESS && n < 10000);
    tap_ok(all_hold, "the same with files that include others");
    paulimpi_circuit_destroy(&circuit);
}

int
main(void)
{
    test_contract();
    test_registers();
    test_broadcast();
    test_expressions();
    test_definitions();
    test_names_of_the_longer_list();
    test_without_effect();
    test_layout();
    test_files();
    test_long();
    test_failed_allocations();
    return tap_done();
}
