OPENQASM 2.0;
include "qelib1.inc";
qreg q[2];
/* Every operator and function of the language. */
gate wave(a, b) x, y {
  rz(a * b / 2 - sin(a) ^ 2) x;
  barrier x, y;
  rzz(-(a + cos(b)) * 1e-1) x, y;
  u3(tan(.25), exp(-a), ln(2 + b ^ 2)) y;
}
wave(pi / 4, sqrt(2)) q[0], q[1];
wave(-pi, 3.) q[1], q[0];
rx(2 ^ 3 ^ -1) q;
U(0.1, -0.2, 0.3E+1) q[0];
CX q[0], q[1];
