"""The report of an assessment: one HTML file with all that a reader needs to repeat it."""

from __future__ import annotations

import hashlib
import html
import io
import math
import platform
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...version import __version__
from ..flat.opening import Diagram
from ..result.counting import spectrum
from ..result.export import replacing
from ..result.plots import COLOURS, thinned
from ..run.simulation import Simulation
from .checks import Check, Life, reserve_of
from .findings import Findings
from .picture import drawn
from .tables import scaled_unit, shown_number, summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #1d2733; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; margin-bottom: .2rem; } h2 { margin-top: 2.2rem; border-bottom: 1px solid #d8dee6; }
table { border-collapse: collapse; margin: .8rem 0; font-variant-numeric: tabular-nums; }
th, td { border: 1px solid #d8dee6; padding: .25rem .6rem; text-align: left; vertical-align: top; }
th { background: #f2f5f9; } .fails { color: #a4161a; font-weight: 600; } .holds { color: #1b6b3a; font-weight: 600; }
pre { background: #f6f8fa; padding: .7rem; overflow-x: auto; } svg { max-width: 100%; height: auto; }
figure { margin: 1rem 0; } figcaption { color: #5a6675; }
@media print { body { margin: 0; max-width: none; } h2 { break-after: avoid; } figure, table { break-inside: avoid; } }
"""
CLAIM = (
    "This report shows what a simulation gives beside limits and factors that its author chose. It claims conformity "
    "with no standard; formulas and numbers of standards are to be compared with the edition in use."
)


def write(made: Findings, path: Path, command: str) -> Path:
    """One file, without anything from outside."""
    text = "\n".join(_page(made, command or _command(made)))
    with replacing(path, "the report") as part:
        part.write_text(text, encoding="utf-8")
    return path


def _command(made: Findings) -> str:
    return f"luff assess {made.assessment.study.path} --report report.html"


def _page(made: Findings, command: str) -> Iterator[str]:
    found = made.assessment
    settings = found.settings
    yield f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{_text(found.name)}</title>"
    yield f"<style>{STYLE}</style></head><body><h1>{_text(found.name)}</h1>"
    verdict = (
        "<span class='holds'>all checks hold</span>"
        if made.holds
        else "<span class='fails'>checks fail</span>"
    )
    yield f"<p>{verdict}: {len(made.every)} checks in {len(found.loads)} runs.</p><p>{_text(settings.doc)}</p>"
    yield f"<p><em>{_text(CLAIM)}</em></p>"
    sim = _model(made)
    yield "<h2>The crane</h2>"
    yield f"<p>{_text(sim.program.flat.doc)}</p>"
    yield _figure(
        drawn(sim), "As the model starts: seen along y, and along x. Links are dark, ropes are red."
    )
    yield from _data(made, sim)
    yield from _cases(made)
    tables = dict(summary(made))
    for heading, rows in tables.items():
        yield f"<h2>{_text(heading)}</h2>"
        yield _table(rows)
        if heading == "Checks":
            yield from _curves(made)
        if heading == "Damage over the life":
            yield from _spectra(made.lives)
    yield from _every(made)
    yield from _assumptions(made)
    yield from _quality(made, sim)
    yield from _versions(made, command)
    yield "</body></html>"


def _model(made: Findings) -> Simulation:
    study = made.assessment.study
    diagram = Diagram.load(study.model, study.allow_code, study.files)
    return Simulation(diagram, {**study.settings.set, **study.changes})


def _data(made: Findings, sim: Simulation) -> Iterator[str]:
    """Masses by block, and the parameters of the netlist as it is written."""
    masses: dict[str, float] = {}
    for block, body, _, _ in sim.program.mechanism.bodies:
        masses[block] = masses.get(block, 0.0) + body.mass
    rows = [[name, f"{mass:.6g} kg"] for name, mass in masses.items() if mass]
    yield "<h3>Masses</h3>"
    yield _table([["body", "mass"], *rows, ["in all", f"{sum(masses.values()):.6g} kg"]])
    given = {**sim.diagram.parameters, **made.assessment.settings.set, **made.assessment.study.changes}
    if given:
        yield "<h3>Parameters</h3>"
        yield _table([["parameter", "value"], *([str(name), str(value)] for name, value in given.items())])
    sections = [
        [title, check.sensor, f"{made.assessment.allowable(check) / 1e6:.4g} MPa", _line(check.fatigue)]
        for title, check in made.assessment.settings.sections.items()
    ]
    if sections:
        yield "<h3>Sections</h3>"
        yield _table([["section", "sensor", "allowable stress", "fatigue"], *sections])
    ropes = [
        [title, f"{rope.breaking / 1e3:.4g} kN", f"{rope.safety:g}"]
        for title, rope in made.assessment.settings.ropes.items()
    ]
    if ropes:
        yield "<h3>Ropes</h3>"
        yield _table([["rope", "least breaking force", "safety asked for"], *ropes])


def _line(fatigue: object) -> str:
    if fatigue is None:
        return "not counted"
    given = vars(fatigue)
    return ", ".join(
        f"{name} {_plain(given[name])}"
        for name in ("strength", "slope", "reference", "knee", "beyond", "correction")
        if given.get(name) is not None
    )


def _plain(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _cases(made: Findings) -> Iterator[str]:
    settings = made.assessment.settings
    yield "<h2>Load cases and combinations</h2>"
    rows = [["case", "", "changes", "in the life"]]
    for name, case in settings.cases.items():
        rows.append([name, case.doc, _changes(case.set), f"{case.repeats:g} times" if case.repeats else ""])
    yield _table(rows)
    if settings.combinations:
        rows = [["combination", "", "cases", "partial factors"]]
        for name, one in settings.combinations.items():
            factors = [f"{path}: {factor:g}" for path, factor in one.scale.items()]
            factors += [f"all effects: {one.effect:g}"] if one.effect != 1.0 else []
            factors += [_changes(one.set)] if one.set else []
            rows.append([name, one.doc, ", ".join(one.cases), "; ".join(factors)])
        yield _table(rows)
        yield "<p>Damage, dynamic factors and bending of ropes are those of the cases as they are.</p>"


def _changes(changes: dict[str, object]) -> str:
    return "; ".join(f"{path}: {value}" for path, value in changes.items())


def _curves(made: Findings) -> Iterator[str]:
    """The signal of each governing check in the run that governs."""
    for check in made.checks:
        figure = _curve(made, check)
        if figure is not None:
            yield _figure(figure, f"{check.title}, in {check.run}: utilisation {check.utilisation:.3f}.")


def _curve(made: Findings, check: Check) -> Figure | None:
    from matplotlib.figure import Figure

    found = made.assessment
    result, effect = made.results[check.run], found.loads[check.run].effect
    limit = check.limit
    if check.kind == "tipping":
        rows = np.ones(len(result.time), bool)
        time, values = result.time, np.minimum(reserve_of(found, result, rows).curve, 10.0)
        label = "stabilising over overturning moment"
    else:
        if check.curve not in result:
            return None
        time, values = result.time, effect * np.reshape(result[check.curve], (len(result.time), -1))
        values = np.linalg.norm(values, axis=1) if values.shape[1] > 1 else values[:, 0]
        unit = result.units.get(check.curve, "")
        scale, unit = {"Pa": (1e6, "MPa"), "N": (1e3, "kN"), "N*m": (1e3, "kN*m")}.get(unit, (1.0, unit))
        values, label = values / scale, f"{check.curve} [{unit or '1'}]"
        if check.kind == "rope":
            rope = found.settings.ropes[check.title]
            limit = rope.breaking / rope.safety / scale
        elif check.kind == "section":
            limit = check.limit / scale
        else:
            limit = math.nan if check.unit != result.units.get(check.curve, "") else check.limit / scale
    figure = Figure(figsize=(7.6, 2.7), layout="constrained")
    axes = figure.subplots()
    time, values = thinned(time, values, ordered=True)
    axes.plot(time, values, color=COLOURS[0], linewidth=1.2)
    if math.isfinite(limit):
        axes.axhline(limit, color="#A4161A", linewidth=1.0, linestyle="--")
    if math.isfinite(check.time):
        axes.axvline(check.time, color="#8A94A0", linewidth=0.8, linestyle=":")
    axes.set_xlabel("time [s]")
    axes.set_ylabel(label)
    axes.grid(color="#E3E3E3", linewidth=0.6)
    return figure


def _spectra(lives: Sequence[Life]) -> Iterator[str]:
    """How often a range is reached or exceeded in the life."""
    from matplotlib.figure import Figure

    for life in lives:
        classes = spectrum(life.spectrum)
        if not classes:
            continue
        figure = Figure(figsize=(7.6, 2.7), layout="constrained")
        axes = figure.subplots()
        counts = np.cumsum([count for _, count in classes])
        edges = [edge / 1e6 for edge, _ in classes]
        axes.step(np.maximum(counts, 1e-12), edges, where="pre", color=COLOURS[0])
        if counts[-1] > 0.0:
            axes.set_xscale("log")
        axes.set_xlabel("cycles of at least this range, in the life")
        axes.set_ylabel("stress range [MPa]")
        axes.grid(color="#E3E3E3", linewidth=0.6)
        shares = ", ".join(f"{case} {shown_number(damage)}" for case, damage in life.by_case.items())
        yield _figure(figure, f"{life.title}: load spectrum at {life.point}. Damage by case: {shares}.")


def _every(made: Findings) -> Iterator[str]:
    """All checks in all runs."""
    if len(made.every) <= len(made.checks):
        return
    rows = [["check", "run", "value", "limit", "unit", "utilisation", ""]]
    for one in made.every:
        value, limit, unit = scaled_unit(one.value, one.limit, one.unit)
        use = shown_number(one.utilisation)
        rows.append([one.title, one.run, value, limit, unit, use, "holds" if one.holds else "FAILS"])
    yield "<h2>All checks</h2>"
    yield _table(rows)


def _assumptions(made: Findings) -> Iterator[str]:
    said = [*made.assessment.settings.assumptions]
    said += [
        "Links, joints, ropes and supports are those of the model; what is not in it is not checked.",
        "Cycles are counted by rainflow (ASTM E1049), damage is summed by Miner's rule.",
    ]
    if made.assessment.settings.tipping is not None and made.assessment.settings.tipping.stabilising is None:
        said.append("For stability all that the pads carry counts as if it stood in their middle.")
    yield "<h2>Assumptions</h2><ul>" + "".join(f"<li>{_text(one)}</li>" for one in said) + "</ul>"


def _quality(made: Findings, sim: Simulation) -> Iterator[str]:
    """Warnings of the model, and how well the equations were kept in each run."""
    yield "<h2>Warnings and quality of the runs</h2>"
    if sim.remarks:
        yield "<ul>" + "".join(f"<li>{_text(str(one))}</li>" for one in sim.remarks) + "</ul>"
    rows = [["run", "step", "energy residual", "Newton-Euler residual", "largest violation"]]
    for name in made.assessment.loads:
        if name in made.failed:
            continue
        result = made.results[name]
        quality = result.quality
        energy = quality.get("energy")
        residual = energy.get("relative_residual") if isinstance(energy, dict) else None
        told = (residual, quality.get("newton_euler_residual"), quality.get("constraint_violation"))
        rows.append(
            [name, _plain(quality.get("step", "")), *(_plain(one) if one is not None else "" for one in told)]
        )
    yield _table(rows)


def _versions(made: Findings, command: str) -> Iterator[str]:
    study = made.assessment.study
    model = study.model.read_bytes()
    rows = [
        ["luff", __version__],
        ["Python", platform.python_version()],
        ["NumPy", np.__version__],
        ["machine", f"{platform.system()} {platform.machine()}"],
        [f"model {study.model.name}, SHA-256", hashlib.sha256(model).hexdigest()],
        ["assessment, SHA-256", hashlib.sha256(study.text.encode()).hexdigest()],
    ]
    yield "<h2>Versions, and how to repeat it</h2>"
    yield _table([["what", "version"], *rows])
    yield f"<p>This command makes the same report:</p><pre>{_text(command)}</pre>"
    yield f"<details><summary>The assessment file</summary><pre>{_text(study.text)}</pre></details>"
    yield f"<details><summary>The model</summary><pre>{_text(model.decode('utf-8', 'replace'))}</pre></details>"


# --- HTML ----------------------------------------------------------------------------------------------------------


def _text(text: str) -> str:
    return html.escape(text)


def _table(rows: Sequence[Sequence[str]]) -> str:
    heads = "".join(f"<th>{_text(cell)}</th>" for cell in rows[0])
    body = "".join("<tr>" + "".join(_cell(cell) for cell in row) + "</tr>" for row in rows[1:])
    return f"<table><tr>{heads}</tr>{body}</table>"


def _cell(cell: str) -> str:
    kind = {"holds": " class='holds'", "FAILS": " class='fails'"}.get(cell, "")
    return f"<td{kind}>{_text(cell)}</td>"


def _figure(made: Figure, caption: str) -> str:
    import matplotlib

    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "luff", "svg.fonttype": "none"}):
        made.savefig(text, format="svg", metadata={"Date": None})
    drawing = text.getvalue()
    return f"<figure>{drawing[drawing.index('<svg') :]}<figcaption>{_text(caption)}</figcaption></figure>"
