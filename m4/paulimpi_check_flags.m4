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
# Functions that are compiled for several processors, with what they call, and
# chosen by the loader: PAULIMPI__CLONES. Clang takes the two attributes only
# one at a time.
AC_DEFUN([PAULIMPI_CHECK_TARGET_CLONES],
[AC_CACHE_CHECK([whether $CC compiles a function for several processors],
  [paulimpi_cv_target_clones],
  [AC_LINK_IFELSE([AC_LANG_PROGRAM(
[[__attribute__((target_clones("default", "avx2"), flatten)) int
count(unsigned long long word)
{
    return __builtin_popcountll(word);
}]], [[return count(7);]])],
    [paulimpi_cv_target_clones=yes], [paulimpi_cv_target_clones=no])])
AS_IF([test "x$paulimpi_cv_target_clones" = xyes],
  [AC_DEFINE([HAVE_TARGET_CLONES], [1],
    [Define to 1 if the attributes target_clones and flatten work.])])
])

# PAULIMPI_CHECK_X86_TARGETS
# --------------------------
# The rest of a file that is compiled for another processor, and the question
# whether this is one: src/base/simd.c, src/propagate/tile_loops_avx512.c.
AC_DEFUN([PAULIMPI_CHECK_X86_TARGETS],
[AC_CACHE_CHECK([whether $CC compiles the rest of a file for AVX2 and AVX-512],
  [paulimpi_cv_x86_targets],
  [AC_LINK_IFELSE([AC_LANG_PROGRAM(
[[#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target( \
    "avx2,avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,popcnt"))), \
    apply_to = function)
#else
#pragma GCC target("avx2,avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,popcnt")
#endif
static inline __attribute__((always_inline)) int
match(const void *tags)
{
    return _mm_movemask_epi8(_mm_load_si128(tags));
}
static int
count(const unsigned long long *word)
{
    return match(word) + __builtin_popcountll(word[0]);
}
#if defined(__clang__)
#pragma clang attribute pop
#endif
static unsigned long long words[2] __attribute__((aligned(16)));]],
[[return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
       && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")
       && __builtin_cpu_supports("avx512f")
       && __builtin_cpu_supports("avx512bw")
       && __builtin_cpu_supports("avx512dq")
       && __builtin_cpu_supports("avx512vl")
       && count(words);]])],
    [paulimpi_cv_x86_targets=yes], [paulimpi_cv_x86_targets=no])])
AS_IF([test "x$paulimpi_cv_x86_targets" = xyes],
  [AC_DEFINE([HAVE_X86_TARGETS], [1],
    [Define to 1 if functions can be compiled for AVX2 and AVX-512.])])
])

# PAULIMPI_CHECK_SIMD
# -------------------
# Code for particular processors. Sets have_simd and why_simd.
AC_DEFUN([PAULIMPI_CHECK_SIMD],
[AC_ARG_ENABLE([simd],
  [AS_HELP_STRING([--disable-simd],
    [no code for particular processors, which is chosen at run time])],
  [], [enable_simd=check])
have_simd=no
why_simd='switched off'
AS_IF([test "x$enable_simd" != xno],
  [PAULIMPI_CHECK_TARGET_CLONES
   PAULIMPI_CHECK_X86_TARGETS
   AS_CASE([$paulimpi_cv_target_clones-$paulimpi_cv_x86_targets],
     [no-no], [why_simd="$CC cannot compile for several processors here"],
     [have_simd=yes
      why_simd='AVX2 and AVX-512, chosen at run time'])
   AS_IF([test "x$enable_simd" = xyes && test "x$have_simd" = xno],
     [AC_MSG_ERROR([--enable-simd was given, but $why_simd.
GCC and Clang on x86-64 do (Debian: gcc; Fedora: gcc).])])])
])
