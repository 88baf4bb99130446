/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --plan of paulimpi-propagate.
 */
#ifndef TOOLS_PROPAGATE_PLAN_H
#define TOOLS_PROPAGATE_PLAN_H

#include "propagate_settings.h"

/** Print what settings->plan_ranks ranks would do with the circuit. @return an
 * exit status */
int propagate_plan(const propagate_settings *settings);

#endif /* TOOLS_PROPAGATE_PLAN_H */
