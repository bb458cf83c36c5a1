"""Metrics of studies that count: ratios, rises, times, damage; as tables and as requirements."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

import luff
from luff.solver.studies.study_file import load
from luff.tests.process import call
from luff.tests.shared.netlists import OSCILLATOR

STUDY = """
luff: 1
name: swings
model: ./model.yaml
set: {simulation.stop: 30 s}
variants: {list: {as it is: {}}}
require:
  - {title: swings back, metric: count, of: slide.position, level: 50 mm, above: 1}
  - {title: a long life, metric: damage, of: slide.position, fatigue: {strength: 1 m}, repeats: 1e9, below: 1}
tables:
  - title: Numbers
    columns:
      - {title: ratio, metric: ratio, of: slide.position, by: peak}
      - {title: smaller, metric: ratio, of: slide.position, by: maximum, over: {metric: peak, of: slide.position}}
      - {title: rises, metric: count, of: slide.position, level: 5 cm}
      - {title: returns, metric: count, of: slide.position, level: 5 cm, after_fall: true}
      - {title: above, metric: time_above, of: slide.position, level: 0}
      - {title: first, metric: first_time, of: slide.velocity, level: 0 m/s}
      - {title: never, metric: first_time, of: slide.position, level: 5 m}
      - {title: way, metric: path, of: slide.position}
      - {title: change, metric: change, of: slide.position, unit: mm}
      - {title: equal, metric: rainflow_equivalent, of: slide.position, fatigue: {slope: 3}, unit: mm}
"""


def test_metrics_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text(OSCILLATOR)
    (tmp_path / "study.yaml").write_text(STUDY)
    done = call("study", "study.yaml", "--json", cwd=tmp_path, code=None)
    assert done.returncode in (0, 4), done.stderr
    assert json.loads(done.stdout)["status"] in ("finished", "requirements failed")
    found = luff.read(tmp_path / "study.h5")
    result = found["as it is"]
    x, v = result["slide.position"], result["slide.velocity"]
    study = load(tmp_path / "study.yaml")
    columns = study.settings.tables[0].columns
    values = {column.title: found.measured("as it is", column) for column in columns}
    assert values["ratio"] == pytest.approx(abs(x).max() / x[0])
    assert values["smaller"] == pytest.approx(x.max() / abs(x).max())
    rises = int(((x[1:] > 0.05) & (x[:-1] <= 0.05)).sum())
    assert values["rises"] == values["returns"] == rises
    assert rises > 1  # it starts above, falls, and comes back
    assert values["never"] == float("inf")
    assert values["first"] == pytest.approx(float(result.time[(v > 0).argmax()]), abs=0.02)
    assert values["change"] == pytest.approx(1e3 * (x[-1] - x[0]), rel=1e-12)
    # swings that no row cuts off count all of their way, to and fro
    assert values["way"] == pytest.approx(float(sum(abs(b - a) for a, b in pairwise(x))), rel=1e-9)
    assert 0.4 < values["above"] / result.time[-1] < 0.6
    assert values["equal"] > 1e3 * 1.5 * abs(x).max()
    # kept beside the curves: read again, the numbers are the same
    assert found.measured("as it is", study.settings.require[1]) > 0.0


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{metric: peak, of: slide.position, level: 1 m}", "peak takes no `level`"),
        ("{metric: peak, of: slide.position, over: {metric: rms}}", "peak takes no `over`"),
        ("{metric: peak, of: slide.position, fatigue: {slope: 3}}", "peak takes no `fatigue`"),
        ("{metric: damage, of: slide.position, fatigue: {correction: gerber}}", "gerber needs the ultimate"),
    ],
)
def test_what_a_metric_does_not_take(tmp_path: Path, entry: str, message: str) -> None:
    (tmp_path / "model.yaml").write_text(OSCILLATOR)
    text = f"luff: 1\nmodel: ./model.yaml\ntables: [{{title: t, columns: [{entry}]}}]\n"
    (tmp_path / "study.yaml").write_text(text)
    with pytest.raises(luff.LuffError, match=message):
        load(tmp_path / "study.yaml")
