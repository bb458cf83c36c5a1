"""What a fit or a search has found, in words and figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..study.figures import save
from ..study.markdown import plain
from ..study.tables import cells, shown
from .fit import Fit
from .optimum import Optimum

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def table(found: Fit | Optimum) -> list[str]:
    """Lines of Markdown."""
    if isinstance(found, Optimum):
        rows = [[name, f"{value:.8g}"] for name, value in found.values.items()]
        lines = cells(["parameter", "value"], rows)
        lines += ["", f"{found.title}: {shown(found.value)} {found.unit}".rstrip()]
        lines += [
            f"{each.title} {each.limits}: {shown(each.value)}, {'holds' if each.holds else 'FAILS'}"
            for each in found.requirements
        ]
        return lines
    rows = [
        [each.name, f"{each.value:.8g}", f"{each.error:.2g}", f"{each.lower:g} to {each.upper:g}", each.note]
        for each in (*found.parameters.values(), *found.shifts)
    ]
    lines = cells(["parameter", "value", "standard error", "bounds", ""], rows)
    for k, experiment in enumerate(found.experiments):
        lines += [
            "",
            *(f"experiment {k + 1}, rms of {name}: {shown(rms)}" for name, rms in experiment.rms().items()),
        ]
    return lines


def residual_figure(found: Fit, k: int) -> Figure:
    """Measured and computed signals of an experiment, and their difference."""
    from matplotlib.figure import Figure

    experiment = found.experiments[k]
    data = experiment.measured
    made = Figure(figsize=(8.0, 3.2 * len(data.signals)), layout="constrained")
    axes = made.subplots(
        2 * len(data.signals), 1, sharex=True, squeeze=False, height_ratios=[2, 1] * len(data.signals)
    )
    for j, name in enumerate(data.signals):
        above, below = axes[2 * j, 0], axes[2 * j + 1, 0]
        above.plot(data.time, data.values[j], ".", markersize=2, label="measured")
        above.plot(data.time, experiment.computed[j], linewidth=1, label="computed")
        above.set_ylabel(name)
        above.legend(loc="best")
        below.plot(data.time, data.values[j] - experiment.computed[j], ".", markersize=2)
        below.axhline(0.0, linewidth=0.5, color="grey")
        below.set_ylabel("difference")
    axes[-1, 0].set_xlabel("time [s]")
    return made


def report(found: Fit | Optimum, folder: str | Path) -> list[Path]:
    """A page, and for a fit the residuals of each experiment."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    lines = [f"# {plain(found.name)}", "", *map(plain, table(found)), ""]
    if isinstance(found, Fit):
        for k in range(len(found.experiments)):
            files += save(residual_figure(found, k), folder / f"residuals_{k + 1}")
            lines += [f"![experiment {k + 1}](residuals_{k + 1}.png)", ""]
        if np.size(found.correlation) > 1:
            names = [*found.parameters, *(each.name for each in found.shifts)]
            rows = [[n, *(f"{c:.3f}" for c in row)] for n, row in zip(names, found.correlation, strict=True)]
            lines += ["Correlations:", "", *map(plain, cells(["", *names], rows)), ""]
    page = folder / "report.md"
    page.write_text("\n".join(lines), encoding="utf-8")
    return [page, *files]
