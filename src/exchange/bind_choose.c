/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which device a process wants, from what it knows by itself.
 */
#include "exchange/bind.h"

/* How many different domains the devices are in. */
static int
count_domains(const paulimpi__choice *choice)
{
    int n_domains = 0;
    int i, j;

    for (i = 0; i < choice->n; i++) {
        for (j = 0; j < i && choice->domain[j] != choice->domain[i]; j++) {
        }
        n_domains += j == i;
    }
    return n_domains;
}

static int
common_divisor(int a, int b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* The first of g devices in the process's domain for it. Launchers place
 * ranks in blocks (0 1 2 3 | 4 5 6 7) or in turn (0 2 4 6 | 1 3 5 7) over the
 * d domains, and a process does not know which. With this number the ranks of
 * a domain begin at different devices in both cases, if there are as many
 * ranks as devices: those of a block differ by less than g, and of those in
 * turn, which differ by multiples of d, two that are the same modulo g have
 * multiples of both between them. */
static int
begin_near(const paulimpi__choice *choice, int g)
{
    int d = count_domains(choice);
    int both = d / common_divisor(d, g) * g;

    return (choice->rank % g + choice->rank / both) % g;
}

/* Devices of a list, beginning at one of them and going around. */
static void
rotate(const int *list, int n, int begin, int *order)
{
    int i;

    for (i = 0; i < n; i++) {
        order[i] = list[(begin + i) % n];
    }
}

/* The number that a process begins at where all devices are the same to it. */
static int
begin_any(const paulimpi__choice *choice)
{
    if (choice->policy == PAULIMPI_BIND_BLOCK && choice->rank < choice->size) {
        return (int)((int64_t)choice->rank * choice->n / choice->size);
    }
    return choice->rank % choice->n;
}

/* Write the devices that are, or are not, in the process's domain. */
static int
list_devices(const paulimpi__choice *choice, int is_near, int *list)
{
    int n = 0;
    int i;

    for (i = 0; i < choice->n; i++) {
        if ((choice->domain[i] == choice->own) == is_near) {
            list[n++] = i;
        }
    }
    return n;
}

void
paulimpi__bind_order(const paulimpi__choice *choice, int *order, int *n_near_p)
{
    int list[PAULIMPI__MOST_DEVICES];
    int n_near = 0;
    int n_far, i;

    if (choice->policy == PAULIMPI_BIND_NEAREST && choice->own >= 0) {
        n_near = list_devices(choice, 1, list);
    }
    if (n_near == 0) {
        for (i = 0; i < choice->n; i++) {
            list[i] = i;
        }
        rotate(list, choice->n, begin_any(choice), order);
        *n_near_p = choice->n;
        return;
    }
    rotate(list, n_near, begin_near(choice, n_near), order);
    n_far = list_devices(choice, 0, list);
    if (n_far > 0) {
        rotate(list, n_far, choice->rank % n_far, order + n_near);
    }
    *n_near_p = n_near;
}

int
paulimpi__bind_share(const paulimpi__choice *choice)
{
    return choice->size <= choice->n
               ? 1
               : (choice->size + choice->n - 1) / choice->n;
}
