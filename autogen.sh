#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Make ./configure, in a clone of the repository.
set -e
cd "$(dirname "$0")"
autoreconf -fi
