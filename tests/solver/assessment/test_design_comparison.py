"""Two designs side by side, by the command: weights on a spring."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from luff.tests.process import call
from luff.tests.shared.sprung_weight import SPRUNG_WEIGHT

DESK = """\
luff: 1
model: ./model.yaml
cases: {still: {}}
limits:
  - {title: sag, of: slide.position, metric: peak, below: 0.2 m}
"""


def test_both_designs_stand_in_the_answer_and_in_the_report(tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text(SPRUNG_WEIGHT.replace("1 kg", "2 kg"))
    (tmp_path / "desk.yaml").write_text(DESK)
    (tmp_path / "other.yaml").write_text(
        DESK + "  - {title: speed, of: slide.velocity, metric: peak, below: 1}\n"
    )
    words = ["assess", "desk.yaml", "--set", "m=1 kg", "--against", "other.yaml", "--jobs", 1, "-o", "a.h5"]
    done = call(*words, "--report", "a.html", "--json", cwd=tmp_path)
    told = {one["what"]: one for one in json.loads(done.stdout)["against"]}
    sag = told["utilisation of sag"]
    # 1 kg and 2 kg of 9.81 m/s^2 on 100 N/m, over 0.2 m
    assert sag["this"].startswith(("0.490 (0.0981 m", "0.491 (0.0981 m"))
    assert sag["other"].startswith("0.981 (0.1962 m")
    assert float(sag["change"]) == pytest.approx(-0.4905, abs=1e-4)
    assert told["utilisation of speed"]["this"] == "-"
    assert told["utilisation of speed"]["change"] == "-"
    assert float(told["mass of all bodies [kg]"]["change"]) == -1.0
    page = (tmp_path / "a.html").read_text()
    assert "Compared with another design" in page
    assert "utilisation of sag" in page
    assert (tmp_path / "a-against.h5").is_file()
