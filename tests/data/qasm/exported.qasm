OPENQASM 2.0;
include "qelib1.inc";
gate ryy(param0) q0,q1 { sxdg q0; sxdg q1; cx q0,q1; rz(param0) q1; cx q0,q1; sx q0; sx q1; }
gate iswap q0,q1 { s q0; s q1; h q0; cx q0,q1; cx q1,q0; h q1; }
gate gate_Evolution(param0,param1) q0,q1,q2 { ryy(param0) q0,q1; ryy(param1/2) q1,q2; rzz(param0*param1) q0,q2; }
gate outer_1(param0) q0,q1,q2 { gate_Evolution(param0,-param0) q0,q1,q2; cswap q2,q0,q1; }
qreg q[4];
creg meas[4];
h q[0];
outer_1(0.37) q[0],q[1],q[2];
iswap q[2],q[3];
xx_plus_yy(0.5,-pi/2) q[0],q[3];
cu(pi/2,0,pi,0.1) q[1],q[0];
c3x q[0],q[1],q[2],q[3];
rccx q[3],q[1],q[0];
barrier q[0],q[1],q[2],q[3];
measure q[0] -> meas[0];
measure q[1] -> meas[1];
measure q[2] -> meas[2];
measure q[3] -> meas[3];
