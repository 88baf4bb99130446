# SPDX-License-Identifier: BSD-3-Clause
# serial 1
#
# Flags of our own. They go in front of the user's, which come last and win.

# PAULIMPI_CHECK_CFLAG(FLAG, VARIABLE)
# ------------------------------------
# Append FLAG to VARIABLE if CC takes it without a word.
AC_DEFUN([PAULIMPI_CHECK_CFLAG],
[AS_VAR_PUSHDEF([cache], [paulimpi_cv_cflag_$1])
AC_CACHE_CHECK([whether $CC takes $1], [cache],
  [paulimpi_save_CFLAGS=$CFLAGS
   CFLAGS="$CFLAGS -Werror $1"
   AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
     [AS_VAR_SET([cache], [yes])], [AS_VAR_SET([cache], [no])])
   CFLAGS=$paulimpi_save_CFLAGS])
AS_VAR_IF([cache], [yes], [$2="$$2 $1"])
AS_VAR_POPDEF([cache])
])

# PAULIMPI_CHECK_LDFLAG(FLAG, VARIABLE)
# -------------------------------------
# Append FLAG to VARIABLE if CC links with it.
AC_DEFUN([PAULIMPI_CHECK_LDFLAG],
[AS_VAR_PUSHDEF([cache], [paulimpi_cv_ldflag_$1])
AC_CACHE_CHECK([whether $CC links with $1], [cache],
  [paulimpi_save_LDFLAGS=$LDFLAGS
   LDFLAGS="$LDFLAGS $1"
   AC_LINK_IFELSE([AC_LANG_PROGRAM()],
     [AS_VAR_SET([cache], [yes])], [AS_VAR_SET([cache], [no])])
   LDFLAGS=$paulimpi_save_LDFLAGS])
AS_VAR_IF([cache], [yes], [$2="$$2 $1"])
AS_VAR_POPDEF([cache])
])

# PAULIMPI_CHECK_FLAGS
# --------------------
# PAULIMPI_CFLAGS: what all our C is compiled with. Contraction of a product
# and a sum would give other bits on machines that have fma. Z_DEFS: libraries
# may not have symbols that nobody defines.
AC_DEFUN([PAULIMPI_CHECK_FLAGS],
[PAULIMPI_CFLAGS=
Z_DEFS=
PAULIMPI_CHECK_CFLAG([-ffp-contract=off], [PAULIMPI_CFLAGS])
PAULIMPI_CHECK_CFLAG([-fvisibility=hidden], [PAULIMPI_CFLAGS])
PAULIMPI_CHECK_LDFLAG([-Wl,-z,defs], [Z_DEFS])
AC_SUBST([PAULIMPI_CFLAGS])
AC_SUBST([Z_DEFS])
])

# PAULIMPI_CHECK_TARGET_CLONES
# ----------------------------
# Functions that are compiled for several processors and chosen when the
# library is loaded. Sets have_simd, why_simd and defines HAVE_TARGET_CLONES.
AC_DEFUN([PAULIMPI_CHECK_TARGET_CLONES],
[AC_ARG_ENABLE([simd],
  [AS_HELP_STRING([--disable-simd],
    [no code for particular processors, which is chosen at load time])],
  [], [enable_simd=check])
have_simd=no
why_simd='switched off'
AS_IF([test "x$enable_simd" != xno],
  [AC_CACHE_CHECK([whether $CC compiles a function for several processors],
     [paulimpi_cv_target_clones],
     [AC_LINK_IFELSE([AC_LANG_PROGRAM(
[[__attribute__((target_clones("default", "popcnt", "avx2"))) int
count(unsigned long long word)
{
    return __builtin_popcountll(word);
}]], [[return count(7);]])],
       [paulimpi_cv_target_clones=yes], [paulimpi_cv_target_clones=no])])
   AS_IF([test "x$paulimpi_cv_target_clones" = xyes],
     [have_simd=yes
      why_simd='chosen at load time'
      AC_DEFINE([HAVE_TARGET_CLONES], [1],
        [Define to 1 if the attribute target_clones works.])],
     [why_simd="$CC does not know target_clones here"])
   AS_IF([test "x$enable_simd" = xyes && test "x$have_simd" = xno],
     [AC_MSG_ERROR([--enable-simd was given, but $why_simd.
GCC on x86-64 does (Debian: gcc; Fedora: gcc).])])])
])
