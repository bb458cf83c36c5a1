"""Fifty fits of hidden parameters, each with other noise: `python -m luff.bench.fitting` writes results/fitting.md.

Errors are told in standard errors of the fit: of 100 of them 0.3 should lie beyond three, and their root mean square
should be one.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import luff
from luff.bench.report import keep
from luff.tests.solver.tuning.cases import HIDDEN, write

SEEDS = 50


def main() -> None:
    pulls = np.zeros((SEEDS, len(HIDDEN)))
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(SEEDS):
            fitted = luff.fit(write(Path(folder), seed))
            for j, (name, hidden) in enumerate(HIDDEN.items()):
                pulls[seed, j] = (fitted.values[name] - hidden) / fitted.parameters[name].error
    lines = ["# Hidden parameters of an oscillator, found again in noise", ""]
    lines += [f"`python -m luff.bench.fitting`: seeds 0 to {SEEDS - 1}, 200 rows each.", ""]
    lines += ["| parameter | largest error | root mean square | beyond three |", "|---|---|---|---|"]
    for j, name in enumerate(HIDDEN):
        own = pulls[:, j]
        beyond = int(np.sum(abs(own) > 3))
        lines.append(
            f"| {name} | {abs(own).max():.2f} | {np.sqrt(np.mean(own**2)):.2f} | {beyond} of {SEEDS} |"
        )
    keep("fitting.md", lines)


if __name__ == "__main__":
    main()
