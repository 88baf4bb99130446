// A ripple-carry adder: b becomes a + b.
OPENQASM 2.0;
include "qelib1.inc";

gate carry_in c,b,a
{
  cx a,b;
  cx a,c;
  ccx c,b,a;
}
gate carry_out c,b,a
{
  ccx c,b,a;
  cx a,c;
  cx c,b;
}

qreg cin[1];
qreg a[4];
qreg b[4];
qreg cout[1];
creg sum[5];

x a[0];
x b;
barrier cin, a, b, cout;
carry_in cin[0],b[0],a[0];
carry_in a[0],b[1],a[1];
carry_in a[1],b[2],a[2];
carry_in a[2],b[3],a[3];
cx a[3],cout[0];
carry_out a[2],b[3],a[3];
carry_out a[1],b[2],a[2];
carry_out a[0],b[1],a[1];
carry_out cin[0],b[0],a[0];
measure b[0] -> sum[0];
measure b[1] -> sum[1];
measure b[2] -> sum[2];
measure b[3] -> sum[3];
measure cout[0] -> sum[4];
