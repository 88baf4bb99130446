/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The gates of qelib1.inc, as an OpenQASM text.
 *
 * Opaque gates are rows of the gate table. A name with an underscore first is
 * hidden from files. All gates are right up to a global phase. Where that is
 * possible they are made of rotations that commute, so that few strings are
 * born in between: the phase exp(i lambda) of |11>, for example, is a rotation
 * by lambda/2 about each Z and one by -lambda/2 about ZZ.
 */
#include "propagate/qasm.h"

/* The gates of arXiv:1707.03429. The phase of cu3 is the one that makes it the
 * control of a u3 whose first entry is real, as in Qiskit. */
const char *const paulimpi__qasm_standard_paper =
    "opaque u3(theta,phi,lambda) a;\n"
    "opaque u2(phi,lambda) a;\n"
    "opaque u1(lambda) a;\n"
    "opaque cx c,t;\n"
    "gate id a {}\n"
    "opaque x a;\n"
    "opaque y a;\n"
    "opaque z a;\n"
    "opaque h a;\n"
    "opaque s a;\n"
    "opaque sdg a;\n"
    "opaque t a;\n"
    "opaque tdg a;\n"
    "opaque rx(theta) a;\n"
    "opaque ry(theta) a;\n"
    "opaque rz(theta) a;\n"
    "opaque cz a,b;\n"
    "opaque cy c,t;\n"
    "opaque _rzz(theta) a,b;\n"
    "gate ch c,t { ry(-pi/4) t; cz c,t; ry(pi/4) t; }\n"
    "gate crz(theta) c,t { rz(theta/2) t; _rzz(-theta/2) c,t; }\n"
    "gate _cry(theta) c,t { sdg t; h t; crz(theta) c,t; h t; s t; }\n"
    "gate cu1(lambda) a,b { rz(lambda/2) a; rz(lambda/2) b;"
    " _rzz(-lambda/2) a,b; }\n"
    "gate cu3(theta,phi,lambda) c,t { rz((phi+lambda)/2) c;"
    " crz(lambda) c,t; _cry(theta) c,t; crz(phi) c,t; }\n"
    "gate _ccrz(theta) a,b,t { crz(theta/2) a,t; cx b,t;"
    " crz(-theta/2) a,t; cx b,t; }\n"
    "gate _ccp(lambda) a,b,c { cu1(lambda/2) a,b; _ccrz(lambda) a,b,c; }\n"
    "gate ccx a,b,t { h t; _ccp(pi) a,b,t; h t; }\n";

/* The longer list that Qiskit relies on. Its definitions use the gates above
 * and hidden ones only, for a file may have taken any other name. */
const char *const paulimpi__qasm_standard_rest =
    "opaque _rxx(theta) a,b;\n"
    "opaque _ryy(theta) a,b;\n"
    "opaque p(lambda) a;\n"
    "opaque sx a;\n"
    "opaque sxdg a;\n"
    "opaque swap a,b;\n"
    "opaque rxx(theta) a,b;\n"
    "opaque ryy(theta) a,b;\n"
    "opaque rzz(theta) a,b;\n"
    "gate u0(gamma) a {}\n"
    "gate u(theta,phi,lambda) a { u3(theta,phi,lambda) a; }\n"
    "gate r(theta,phi) a { rz(-phi) a; rx(theta) a; rz(phi) a; }\n"
    "gate cp(lambda) a,b { cu1(lambda) a,b; }\n"
    "gate cs a,b { cu1(pi/2) a,b; }\n"
    "gate csdg a,b { cu1(-pi/2) a,b; }\n"
    "gate csx c,t { h t; cu1(pi/2) c,t; h t; }\n"
    "gate crx(theta) c,t { h t; crz(theta) c,t; h t; }\n"
    "gate cry(theta) c,t { _cry(theta) c,t; }\n"
    "gate cu(theta,phi,lambda,gamma) c,t { rz(gamma) c;"
    " cu3(theta,phi,lambda) c,t; }\n"
    "gate rzx(theta) a,b { h b; _rzz(theta) a,b; h b; }\n"
    "gate dcx a,b { cx a,b; cx b,a; }\n"
    "gate ecr a,b { h b; _rzz(pi/2) a,b; h b; x a; }\n"
    "gate iswap a,b { _rxx(-pi/2) a,b; _ryy(-pi/2) a,b; }\n"
    "gate xx_minus_yy(theta,beta) a,b { rz(-beta) b; _rxx(theta/2) a,b;"
    " _ryy(-theta/2) a,b; rz(beta) b; }\n"
    "gate xx_plus_yy(theta,beta) a,b { rz(beta) a; _rxx(theta/2) a,b;"
    " _ryy(theta/2) a,b; rz(-beta) a; }\n"
    "gate ccz a,b,c { _ccp(pi) a,b,c; }\n"
    "gate cswap c,a,b { cx b,a; ccx c,a,b; cx b,a; }\n"
    "gate rccx a,b,t { h t; t t; cx b,t; tdg t; cx a,t; t t; cx b,t; tdg t;"
    " h t; }\n"
    "gate rc3x a,b,c,t { h t; t t; cx c,t; tdg t; h t; cx a,t; t t; cx b,t;"
    " tdg t; cx a,t; t t; cx b,t; tdg t; h t; t t; cx c,t; tdg t; h t; }\n"
    "gate _c3rz(theta) a,b,c,t { _ccrz(theta/2) a,b,t; cx c,t;"
    " _ccrz(-theta/2) a,b,t; cx c,t; }\n"
    "gate _c3p(lambda) a,b,c,d { _ccp(lambda/2) a,b,c;"
    " _c3rz(lambda) a,b,c,d; }\n"
    "gate _c4p(lambda) a,b,c,d,e { _c3p(lambda/2) a,b,c,d;"
    " _c3rz(lambda/2) a,b,c,e; cx d,e; _c3rz(-lambda/2) a,b,c,e; cx d,e; }\n"
    "gate c3x a,b,c,t { h t; _c3p(pi) a,b,c,t; h t; }\n"
    "gate c3sqrtx a,b,c,t { h t; _c3p(pi/2) a,b,c,t; h t; }\n"
    "gate c4x a,b,c,d,t { h t; _c4p(pi) a,b,c,d,t; h t; }\n";
