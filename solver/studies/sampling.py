"""Samples of `random`: points of the unit cube, and the quantiles of the distributions there.

Independent draws and Sobol sequences begin alike whatever the count; a Latin hypercube depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...blocks.errors import LuffError, Problem
from ...blocks.text.raw_types import Raw
from .distributions import NORMAL
from .study_settings import CorrelationSettings, RandomSettings

Floats = NDArray[np.float64]
WHERE = "variants.random"
MOST = 100_000


class RandomVariant(NamedTuple):
    """Random variant: its name, its values by path, and its place in a variance analysis."""

    name: str
    changes: dict[str, Raw]
    point: int  # number of the sample point
    role: str = ""  # of `saltelli`: A, B, or the path that A takes from B


def draw_variants(settings: RandomSettings) -> Iterator[RandomVariant]:
    """Yield all draws in their order."""
    paths = list(settings.draw)
    saltelli = settings.sampling == "saltelli"
    total = settings.count * (len(paths) + 2 if saltelli else 1)
    if total > MOST:
        raise LuffError(Problem(f"found {total} variants, expected at most {MOST}", f"{WHERE}.count"))
    mixed = correlation_factor(paths, settings)
    width = 2 * len(paths) if saltelli else len(paths)
    shares = correlate_scores(design_points(settings, width), mixed)
    digits = max(2, len(str(settings.count)))
    for k, row in enumerate(shares):
        name = f"#{k + 1:0{digits}}"
        if not saltelli:
            yield RandomVariant(name, _values(settings, row), k)
            continue
        a, b = row[: len(paths)], row[len(paths) :]
        yield RandomVariant(f"{name} A", _values(settings, a), k, "A")
        yield RandomVariant(f"{name} B", _values(settings, b), k, "B")
        for j, path in enumerate(paths):
            swapped = a.copy()
            swapped[j] = b[j]
            yield RandomVariant(f"{name} A, {path} of B", _values(settings, swapped), k, path)


def _values(settings: RandomSettings, shares: Sequence[float]) -> dict[str, Raw]:
    return {path: law.value(share) for (path, law), share in zip(settings.draw.items(), shares, strict=True)}


def design_points(settings: RandomSettings, width: int) -> Floats:
    """(count, width) points inside the unit cube; on its faces a normal draw would be infinite."""
    return np.clip(_points(settings, width), 1e-16, 1.0 - 1e-16)


def _points(settings: RandomSettings, width: int) -> Floats:
    count, seed = settings.count, settings.seed
    if settings.sampling == "random":
        # each variant has a generator of its own: a longer study begins with the same variants
        return np.array([np.random.default_rng([seed, k]).random(width) for k in range(count)])
    from scipy.stats import qmc

    if settings.sampling == "latin_hypercube":
        return qmc.LatinHypercube(width, rng=np.random.default_rng(seed)).random(count)
    if width > qmc.Sobol.MAXDIM:
        mistake = f"found {width} dimensions, expected at most {qmc.Sobol.MAXDIM} of a Sobol sequence"
        raise LuffError(Problem(mistake, f"{WHERE}.draw"))
    # whole powers of two are drawn, and cut; a scrambled sequence begins alike, and holds no corner of the cube
    whole = qmc.Sobol(width, rng=np.random.default_rng(seed)).random_base2(max(count - 1, 0).bit_length())
    return whole[:count]


def correlation_factor(paths: Sequence[str], settings: RandomSettings) -> Floats | None:
    """The factor L of the correlation matrix L L^T of the normal scores; None where nothing is correlated."""
    if not settings.correlate:
        return None
    where = f"{WHERE}.correlate"
    if settings.sampling == "saltelli":
        fix = "leave correlate out, or sample otherwise"
        raise LuffError(Problem("sensitivity indices are defined for independent draws", where, fix))
    matrix = np.eye(len(paths))
    for k, entry in enumerate(settings.correlate):
        i, j = _pair(paths, settings, entry, f"{where}[{k}]")
        matrix[i, j] = matrix[j, i] = entry.coefficient
    if np.linalg.eigvalsh(matrix).min() < -1e-12:
        mistake = "these correlations contradict each other: their matrix is not positive definite"
        raise LuffError(Problem(mistake, where, "take coefficients nearer to zero"))
    # the square root by eigenvalues also takes coefficients of one
    values, vectors = np.linalg.eigh(matrix)
    return vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T


def _pair(
    paths: Sequence[str], settings: RandomSettings, entry: CorrelationSettings, where: str
) -> tuple[int, int]:
    if len(entry.of) != 2:
        raise LuffError(Problem(f"found {len(entry.of)} paths, expected two", f"{where}.of"))
    for path in entry.of:
        if path not in settings.draw:
            raise LuffError(Problem(f'"{path}" is not drawn', f"{where}.of", f"known: {', '.join(paths)}"))
        law = settings.draw[path].name
        if law not in NORMAL:
            mistake = f'"{path}" is drawn from {law}, expected {" or ".join(NORMAL)}'
            raise LuffError(Problem(mistake, f"{where}.of"))
    first, second = entry.of
    return paths.index(first), paths.index(second)


def correlate_scores(shares: Floats, mixed: Floats | None) -> Floats:
    """Correlate the normal scores of the columns; each column keeps its distribution."""
    if mixed is None:
        return shares
    from scipy.special import ndtr, ndtri

    return ndtr(ndtri(shares) @ mixed.T)
