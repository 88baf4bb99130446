OPENQASM 2.0;
include "qelib1.inc";
include "included.inc";
qreg q[2];
kick(pi/8) q[0], q[1];
bell q[1], q[0];
