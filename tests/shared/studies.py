"""Studies that tests of more than one room use."""

from __future__ import annotations

from pathlib import Path

from luff.tests.shared.netlists import OSCILLATOR

SPRINGS = """\
luff: 1
name: springs
model: ./model.yaml
"""


VARIANTS = """\
variants:
  list:
    soft: {}
    stiff: {stiffness: 4 N/m}
    torn: {stiffness: 1e9 N/m}
tables:
  - title: Motion
    columns: [{metric: final, of: slide.position, unit: mm}]
plots: [{title: Position, y: [slide.position]}]
bars: [{title: "Speeds, both", columns: [{title: speed, metric: peak, of: slide.velocity}]}]
"""


ENDLESS = "variants: {list: {short: {}, endless: {simulation.stop: 1e9 s, simulation.output_step: 1e6 s}}}\n"


def written(folder: Path, text: str) -> Path:
    (folder / "model.yaml").write_text(OSCILLATOR)
    path = folder / "study.yaml"
    path.write_text(SPRINGS + text)
    return path
