"""Wind-limit charts against moments by hand, and loads at a percentile of seeds against the capacity of each seed."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

import luff
from luff.blocks import LuffError
from luff.solver.assessment.chart_table import Chart
from luff.solver.assessment.load_capacity import Capacity
from luff.solver.assessment.load_chart import checks_from
from luff.solver.assessment.seeded_capacity import STRIDE, SeedSample, seeds_of
from luff.tests.process import call

# a float in a long-crested sea: its rise is the elevation at the origin, in proportion to Hs at a fixed Tp
SEA = """
luff: 1
parameters: {Hs: 1 m}
blocks:
  sea: {type: waves, Hs: =Hs, Tp: 6 s, components: 20, seed: 3}
  top: {type: peak, unit: m}
connect: [sea.elevation -> top.u]
simulation: {stop: 20 s, step: 0.1 s}
"""
MASS, WIDTH, HEIGHT, DRAG = 57e3, 2.5, 20.0, 0.5 * 1.225 * 1.6 * 20.0


def test_a_storm_chart_is_that_of_moments_with_the_jib_to_leeward(tmp_path: Path) -> None:
    """Only the mast catches the wind: the free jib turns to leeward, and its centre of mass to windward."""
    words = ["--load", "speed=5m/s:80m/s", "--gust", 1.5, "--over", "ballast=20t", "--set", "blows_to=90deg"]
    call(
        "chart",
        "tower_crane_in_storm",
        *words,
        "--quiet",
        "-o",
        "storm.json",
        "-o",
        "storm.csv",
        cwd=tmp_path,
    )
    made = json.loads((tmp_path / "storm.json").read_text())
    # about the leeward edge; the top's centre stands a metre to windward
    by_hand = math.sqrt(9.81 * (MASS * WIDTH + 25e3 * 1.0) / (DRAG * HEIGHT)) / 1.5
    # corners of 4e8 N/m sink by a millimetre or two: 40 m higher the weight leans by a few centimetres
    assert made["rated"] == pytest.approx([by_hand], rel=5e-3)
    assert made["gust"] == 1.5
    assert any("1.5 times its mean" in line for line in made["left_out"])
    heads, first = (tmp_path / "storm.csv").read_text().splitlines()
    assert heads == "ballast,rated speed [m/s],as a gust [m/s],limit"
    mean, gust = map(float, first.split(",")[1:3])
    assert gust == pytest.approx(1.5 * mean, rel=1e-5)


def test_a_sea_at_a_percentile_is_that_of_the_seeds(tmp_path: Path) -> None:
    """Each seed bears 1 m over its greatest rise at 1 m; of 40 seeds four may break at 90 %."""
    path = tmp_path / "sea.yaml"
    path.write_text(SEA)
    words = ["--load", "Hs=0m:6m", "--over", "sea.fade_in=0s", "--limit", "top.y<1 m", "--seeds", "40"]
    call("chart", path, *words, "--jobs", "1", "--quiet", "-o", "sea.json", "-o", "limit.yaml", cwd=tmp_path)
    made = json.loads((tmp_path / "sea.json").read_text())
    seeds = [3 + STRIDE * k for k in range(40)]
    peaks = [luff.compile(path, **{"sea.seed": seed}).run()["top.y"].max() for seed in seeds]
    own = np.sort(1.0 / np.array(peaks))
    low, high = binom.ppf([0.025, 0.975], 40, 0.1).astype(int)
    # the rise is straight in Hs, which the search finds to rounding; the rise from zero is no part of the check
    assert made["rated"] == pytest.approx([own[3]], rel=1e-6)
    assert made["low"] == pytest.approx([own[low - 1]], rel=1e-6)
    assert made["high"] == pytest.approx([own[high]], rel=1e-6)
    assert made["limits"] == ["top.y<1 m"]
    limiter = luff.load(tmp_path / "limit.yaml")
    assert limiter.blocks["capacity"]["data"][0][1] == pytest.approx(own[low - 1], rel=1e-5)  # type: ignore[index]


def test_blocks_share_no_seed_of_a_sample_unless_their_own_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "seas.yaml"
    others = [3, 3 + 2 * STRIDE, 2**31 - 1]
    seas = [f"  sea{k}: {{type: waves, Hs: 1 m, Tp: 6 s, seed: {seed}}}" for k, seed in enumerate(others)]
    path.write_text(SEA.replace("blocks:", "\n".join(["blocks:", *seas])))
    drawn = seeds_of(checks_from(path), SeedSample(40))
    assert drawn[0] == {"sea.seed": 3, **{f"sea{k}.seed": seed for k, seed in enumerate(others)}}
    assert all(each["sea.seed"] == each["sea0.seed"] for each in drawn)
    assert len({seed for each in drawn for seed in each.values()}) == 3 * 40


def rated(load: float) -> Capacity:
    return Capacity(load, f"limit {load:g}", 3)


NONE, RANGE = Capacity(0.0, "x", 1, "none"), Capacity(9.0, "", 1, "range")
UNKNOWN = Capacity(math.nan, "unknown", 1, "unknown", "x is no number")


def test_ends_of_the_interval_are_those_of_the_binomial() -> None:
    found = [rated(float(k)) for k in range(1, 41)]
    one, low, high = SeedSample(40).bounds(found)
    assert (one.load, one.limit, one.evaluations) == (4.0, "limit 4", 120)
    # P(low <= X < high) by counting: at least 95 %, and not with ends one nearer
    inside = binom.cdf(high - 1, 40, 0.1) - binom.cdf(low - 1, 40, 0.1)
    assert (low, high) == (1.0, 9.0)
    assert inside >= 0.95 > inside - binom.pmf(low, 40, 0.1)


def test_a_file_tells_no_limit_from_unknown() -> None:
    ends = {"low": np.array([math.nan]), "high": np.array([math.inf])}
    names = np.array([""]), np.array(["unknown"])
    chart = Chart(
        "m", {"d": ["1m"]}, np.array([math.nan]), *names, 1.0, True, 9, sample=SeedSample(40), **ends
    )
    made = json.loads(json.dumps(chart.as_dict(), allow_nan=False))
    assert [made["rated"], made["low"], made["high"]] == [[None], [None], ["no limit"]]


def test_few_seeds_have_no_lower_end() -> None:
    _, low, high = SeedSample(20).bounds([rated(float(k)) for k in range(1, 21)])
    assert math.isnan(low)
    assert high == 6.0
    assert SeedSample(20).enough == 36
    assert not math.isnan(SeedSample(36).bounds([rated(1.0)] * 36)[1])
    assert math.isnan(SeedSample(35).bounds([rated(1.0)] * 35)[1])


def test_seeds_that_bear_nothing_or_all_or_are_unknown() -> None:
    found = [rated(float(k)) for k in range(1, 41)]
    assert SeedSample(40).bounds([*found[4:], *[NONE] * 4])[0].kind == "none"
    assert SeedSample(40).bounds([*found[:3], *[RANGE] * 37])[0].kind == "range"
    assert SeedSample(40).bounds([*found[:3], *[RANGE] * 37])[2] == math.inf
    # one unknown seed may be the worst or the best: the fourth may be the third or the fourth
    one, low, high = SeedSample(40).bounds([*found[:39], UNKNOWN])
    assert (one.kind, one.reason) == ("unknown", "1 of 40 seeds are unknown: x is no number")
    assert math.isnan(low)
    assert high == 9.0
    # where it cannot matter, the load is known
    assert SeedSample(40).bounds([*[rated(2.0)] * 39, UNKNOWN])[0].load == 2.0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"gust": 0.5}, "expected a gust factor of 1 or more"),
        ({"gust": math.nan}, "expected a gust factor of 1 or more"),
        ({"gust": 1.4, "dynamic": True}, "found a gust factor with runs"),
        ({"seeds": 8, "confirm": True}, "found runs to confirm a percentile"),
        ({"seeds": 8, "percentile": 100.0}, "expected a share between 0 and 100 %"),
        ({"seeds": 1}, "expected 2 or more"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    words: dict[str, float], told: str, tmp_path: Path
) -> None:
    path = tmp_path / "sea.yaml"
    path.write_text(SEA)
    limits = [{"of": "top.y", "metric": "maximum", "below": 1.0}]
    with pytest.raises(LuffError, match=told):
        luff.chart(path, "Hs", {"sea.fade_in": [0]}, upper=6.0, limits=limits, **words)  # type: ignore[arg-type]


def test_a_model_without_chance_has_no_seeds(tmp_path: Path) -> None:
    path = tmp_path / "still.yaml"
    path.write_text(
        """
luff: 1
parameters: {Hs: 1 m}
blocks: {sea: {type: constant, value: =Hs, unit: m}, top: {type: peak, unit: m}}
connect: [sea.y -> top.u]
simulation: {stop: 1 s, step: 0.1 s}
"""
    )
    limits = [{"of": "top.y", "metric": "maximum", "below": 1.0}]
    with pytest.raises(LuffError, match="no block with a seed"):
        luff.chart(path, "Hs", {"simulation.stop": ["1 s"]}, upper=6.0, limits=limits, seeds=4)
