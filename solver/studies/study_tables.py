"""Tables of a study in Markdown: a row for each variant, or the statistics of all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...blocks.errors import LuffError
from ..results.table_files import TextTable
from .run_measures import heading
from .statistics import Indices, Interval, deviation, mean, percentile, sobol_indices
from .study_file import Study
from .study_settings import Measure, SensitivitySettings, StatisticsSettings, TableSettings
from .study_store import SelectedVariants
from .study_variants import Variant

MOST = 8  # digits of a number in a table
FEWEST = 2  # points of which anything can be said


def shown(value: float, digits: int = 3) -> str:
    return "-" if math.isnan(value) else f"{value:.{digits}g}"


def distinguishing_digits(values: Sequence[float]) -> int:
    """Digits that tell these values apart: three, or as many as it takes up to eight."""
    whole = {f"{value:.{MOST}g}" for value in values}
    return next(
        (n for n in range(3, MOST) if len({f"{value:.{n}g}" for value in values}) == len(whole)), MOST
    )


def interval_text(interval: Interval) -> str:
    """An estimate with its interval, to the digits that the interval leaves."""
    if math.isnan(interval.low) and math.isnan(interval.high):
        return shown(interval.value)
    width = np.nanmax([interval.high - interval.value, interval.value - interval.low])
    size = max(abs(interval.value), abs(width))
    digits = 3 if not width or not size else min(8, max(3, math.ceil(math.log10(size / width)) + 2))
    low, high = ("?" if math.isnan(end) else f"{end:.{digits}g}" for end in (interval.low, interval.high))
    return f"{interval.value:.{digits}g} ({low} to {high})"


def table_heading(chosen: SelectedVariants, measure: Measure) -> str:
    unit = chosen.shown_unit(measure)
    return f"{heading(measure)} [{unit}]" if unit else heading(measure)


def table(entry: TableSettings, chosen: SelectedVariants) -> TextTable:
    """The numbers of each variant."""
    heads = ["variant", *(table_heading(chosen, column) for column in entry.columns)]
    columns = [[chosen.measured(name, column) for name in chosen] for column in entry.columns]
    texts = [
        [shown(value, digits) for value in values]
        for values in columns
        for digits in [distinguishing_digits(values)]
    ]
    return TextTable([heads, *(list(row) for row in zip(chosen, *texts, strict=True))])


def sample(chosen: SelectedVariants, measure: Measure) -> NDArray[np.float64]:
    """The numbers of all variants; those that are not finite have no place in statistics, and are told."""
    values = np.array([chosen.measured(name, measure) for name in chosen])
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise LuffError(f'found {values[bad[0]]} for "{heading(measure)}" in {list(chosen)[bad[0]]}')
    return values


def statistics_table(entry: StatisticsSettings, chosen: SelectedVariants) -> TextTable:
    """Table with a row for each measure."""
    confidence = entry.confidence / 100.0
    heads = [f"of {len(chosen)} variants", "mean", "deviation", *map(ordinal, entry.percentiles)]
    rows = []
    for column in entry.columns:
        values = sample(chosen, column)
        spans = [percentile(values, share / 100.0, confidence) for share in entry.percentiles]
        rows.append(
            [
                table_heading(chosen, column),
                interval_text(mean(values, confidence)),
                shown(deviation(values)),
                *map(interval_text, spans),
            ]
        )
    return TextTable([heads, *rows], [f"In brackets: intervals at {entry.confidence:g} % confidence."])


def ordinal(percent: float) -> str:
    return "median" if percent == 50.0 else f"{percent:g} %"


def drawn_indices(
    entry: SensitivitySettings, study: Study, chosen: SelectedVariants, measure: Measure
) -> tuple[list[str], Indices]:
    """The paths that are drawn, and the Sobol indices of a measure; points that lack a variant are left out."""
    paths = list(study.settings.variants.random.draw)
    drawn = [variant for variant in study.variants if variant.drawn and variant.name in chosen]
    numbers = {variant.name: chosen.measured(variant.name, measure) for variant in drawn}
    return paths, shares_of(paths, drawn, numbers, heading(measure), entry.confidence / 100.0)


def shares_of(
    paths: Sequence[str],
    variants: Iterable[Variant],
    numbers: Mapping[str, float],
    words: str,
    confidence: float,
) -> Indices:
    """The Sobol indices of a number of the variants; points that lack one are left out."""
    roles = ["A", "B", *paths]
    values: dict[int, dict[str, float]] = {}
    for variant in variants:
        if variant.name in numbers:
            values.setdefault(variant.point, {})[variant.role] = numbers[variant.name]
    whole = [[point[role] for role in roles] for point in values.values() if len(point) == len(roles)]
    if len(whole) < FEWEST:
        raise LuffError(
            f"found {len(whole)} points of which every variant has finished, expected {FEWEST} or more"
        )
    f_a, f_b, *f_ab = np.array(whole).T
    if np.ptp([f_a, f_b]) == 0.0:
        raise LuffError(
            f'"{words}" is the same in all variants: it has no variance to attribute to parameters'
        )
    return sobol_indices(f_a, f_b, np.array(f_ab), confidence)


def sensitivity_table(entry: SensitivitySettings, study: Study, chosen: SelectedVariants) -> TextTable:
    """Two columns for each measure."""
    computed = [(c, drawn_indices(entry, study, chosen, c)) for c in entry.columns]
    heads = [f"{heading(c)}, {kind}" for c, _ in computed for kind in ("first order", "total")]
    rows = []
    for k, path in enumerate(computed[0][1][0]):
        rows.append([path, *(interval_text(span[k]) for _, (_, both) in computed for span in both)])
    return TextTable(
        [["input", *heads], *rows], [f"In brackets: intervals at {entry.confidence:g} % confidence."]
    )
