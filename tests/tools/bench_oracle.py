#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The workloads noisy and su4 on a dictionary, with nothing of the library.

    bench_oracle.py noisy layers=5 eps=1e-6 p=0.001
    bench_oracle.py su4 n=12 depth=4 eps=1e-3 seed=1

prints final and peak terms, term-gates, active ones and the value, as the
table of bench.sh has them. Give all parameters.
"""
import math
import sys

MASK = 2**32 - 1


def philox(seed, stream, index):
    """64 bits of Philox4x32-10 by its definition."""
    key = [seed & MASK, seed >> 32]
    c = [index & MASK, index >> 32, stream & MASK, stream >> 32]
    for _ in range(10):
        left, right = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [right >> 32 ^ c[1] ^ key[0], right & MASK,
             left >> 32 ^ c[3] ^ key[1], left & MASK]
        key = [key[0] + 0x9E3779B9 & MASK, key[1] + 0xBB67AE85 & MASK]
    return c[1] << 32 | c[0]


def haar_gate(seed, stream, a, b):
    """Rotations that make a random SU(4) gate, in the order of time."""
    numbers = ((philox(seed, stream, i) >> 11) / 2.0**53
               for i in range(2**32))

    def turns():
        for q in (a, b):
            u, v, w = next(numbers), next(numbers), next(numbers)
            yield {q: "Z"}, 2 * math.pi * u
            yield {q: "Y"}, math.acos(1 - 2 * v)
            yield {q: "Z"}, 2 * math.pi * w

    gate = list(turns())
    while True:
        theta = [math.pi * next(numbers) for _ in range(3)]
        x, y, z = (math.cos(2 * t) for t in theta)
        if 2 * next(numbers) < abs((x - y) * (y - z) * (z - x)):
            break
    gate += [({a: g, b: g}, t) for g, t in zip("XYZ", theta)]
    return gate + list(turns())


def su4(n, depth, eps, seed):
    """Truncation units in the order of time: lists of rotations."""
    bonds = [(q, q + 1) for layer in range(depth)
             for q in range(layer % 2, n - 1, 2)]
    units = [haar_gate(seed, i, a, b) for i, (a, b) in enumerate(bonds)]
    return units, {((n // 2, "Z"),): 1.0}, eps


def noisy(layers, eps, p):
    """Each gate and each channel is a unit of its own; a channel is written
    as a qubit and the factor of its letters."""
    def with_noise(letters, theta):
        return [[(letters, theta)]] + [[(q, 1 - 4 * p / 3)] for q in letters]

    layer = []
    for g in "XZ":
        for q in range(36):
            layer += with_noise({q: g}, 0.1)
    for q in range(36):
        for other in [q + 6] * (q < 30) + [q + 1] * (q % 6 < 5):
            layer += with_noise({q: "Z", other: "Z"}, 0.05)
    return layer * layers, {((20, "Z"), (21, "Z")): 1.0}, eps


PRODUCT = {"XY": (1j, "Z"), "YZ": (1j, "X"), "ZX": (1j, "Y"),
           "YX": (-1j, "Z"), "ZY": (-1j, "X"), "XZ": (-1j, "Y")}


def partner(generator, term):
    """i times generator times term; None if they commute."""
    phase, letters = 1j, dict(term)
    for q, g in generator.items():
        here = letters.pop(q, None)
        if here is None:
            letters[q] = g
        elif here != g:
            step, letters[q] = PRODUCT[g + here]
            phase *= step
    if phase.imag:
        return None
    return phase.real, tuple(sorted(letters.items()))


def apply(gate, terms):
    """The terms after one rotation or channel, and how many were active."""
    what, number = gate
    if not isinstance(what, dict):
        return {t: c * number if what in dict(t) else c
                for t, c in terms.items()}, 0
    new, active = dict(terms), 0
    for t, c in terms.items():
        found = partner(what, t)
        if found:
            active += 1
            sign, other = found
            new[t] = new.get(t, 0.0) + c * (math.cos(number) - 1)
            new[other] = new.get(other, 0.0) + c * sign * math.sin(number)
    return new, active


def main():
    name, *parameters = sys.argv[1:]
    value = {key: float(text) if key in ("eps", "p") else int(text)
             for key, text in (p.split("=") for p in parameters)}
    units, terms, eps = {"su4": su4, "noisy": noisy}[name](**value)
    peak = term_gates = active_gates = 0
    for unit in reversed(units):
        for gate in reversed(unit):
            term_gates += len(terms)
            terms, active = apply(gate, terms)
            active_gates += active
        terms = {t: c for t, c in terms.items() if abs(c) >= eps and c != 0}
        peak = max(peak, len(terms))
    mean = sum(c for t, c in terms.items() if all(g == "Z" for _, g in t))
    print(len(terms), peak, term_gates, active_gates, f"{mean:.10f}")


if __name__ == "__main__":
    main()
