"""Peaks between rows: what is measured of coarse rows is what the trace of every step gives, to the last bit."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks.errors import LuffError
from luff.blocks.expression_scope import Scope
from luff.blocks.params import convert_all
from luff.solver.results.recorded_run import RecordedRun
from luff.solver.results.result import Result
from luff.solver.simulation.turning_points import TurningPoints, Watched
from luff.solver.studies.run_measures import measure_value, watched_by
from luff.solver.studies.study_settings import EXTREMES, Requirement
from luff.solver.studies.study_store import read_study
from luff.tests.process import call

# a mass on a spring at 10 Hz, pushed at 11.3 Hz: it turns a hundred times more often than rows of 100 ms see
BOUNCE = """
luff: 1
blocks:
  slide: {type: prismatic, axis: z, stiffness: 400 kN/m, damping: 300, initial: {position: 0.01}}
  body: {type: rigid_link, mass: 100}
  wave: {type: sine, frequency: 11.3 Hz, amplitude: 1000, unit: N}
  still: {type: constant, value: 0, unit: N}
  push: {type: applied_force}
connect:
  - world.frame -- slide.frame_a
  - slide.frame_b -- body.frame_a
  - body.frame_a -- push.frame_b
  - still.y -> push.force[0]
  - still.y -> push.force[1]
  - wave.y -> push.force[2]
simulation: {stop: 1 s, step: 1 ms, output_step: ROWS}
"""
MEASURES = """
  - {metric: maximum, of: slide.position, below: 1}
  - {metric: minimum, of: slide.position, below: 1}
  - {metric: peak, of: slide.velocity, start: 0.237 s, stop: 0.5 s, below: 100}
  - {metric: range, of: slide.acceleration, below: 1e9}
  - {metric: count, of: slide.position, level: 1 mm, below: 1e9}
  - {metric: damage, of: slide.position, fatigue: {strength: 1 mm}, below: 1e9}
  - {metric: ratio, of: slide.velocity, by: peak, over: {metric: maximum, start: 0.411 s}, below: 1e9}
"""


def test_coarse_rows_measure_what_every_step_does(tmp_path: Path) -> None:
    values = []
    for rows in ("100 ms", "1 ms"):
        (tmp_path / "bounce.yaml").write_text(BOUNCE.replace("ROWS", rows))
        text = (
            "luff: 1\nmodel: ./bounce.yaml\nvariants: {list: {a: {}, b: {body.mass: 110}}}\nrequire:"
            + MEASURES
        )
        (tmp_path / "s.yaml").write_text(text)
        done = call("study", "s.yaml", "--json", "-o", f"{rows[:3].strip()}.h5", cwd=tmp_path, code=None)
        assert done.returncode in (0, 4), done.stderr
        values.append([one["worst"] for one in json.loads(done.stdout)["requirements"]])
    assert values[0] == values[1]
    # rows are as far apart as the netlist says
    assert len(read_study(tmp_path / "100.h5")["a"].time) == 11


def test_a_snap_that_rows_miss_fails_its_requirement(tmp_path: Path) -> None:
    """The limit lies between the greatest row and the greatest step."""
    (tmp_path / "bounce.yaml").write_text(BOUNCE.replace("ROWS", "100 ms"))
    trace = luff.compile(luff.load(tmp_path / "bounce.yaml")).run(output_step=1e-3)["slide.position"]
    coarse = float(trace[::100].max())
    limit = 0.5 * (coarse + float(trace.max()))
    assert coarse < limit < float(trace.max())
    limits = f"limits: [{{metric: maximum, of: slide.position, below: {limit} m}}]"
    desk = f"luff: 1\nmodel: ./bounce.yaml\ncases: {{it: {{}}}}\n{limits}\n"
    (tmp_path / "desk.yaml").write_text(desk)
    done = call("assess", "desk.yaml", "--json", cwd=tmp_path, code=None)
    told = json.loads(done.stdout)
    assert (done.returncode, told["verdict"]) == (4, "fails")
    assert told["checks"][0]["value"] == float(trace.max())
    assert told["checks"][0]["time"] == pytest.approx(1e-3 * int(np.argmax(trace)))


def measure(metric: str, of: str, **more: object) -> Requirement:
    raw = {"metric": metric, "of": of, **more}
    return Requirement(convert_all(Requirement.params, raw, Scope(), "", "a requirement"), frozenset(raw))


def filtered(
    time: np.ndarray, table: np.ndarray, columns: list[str], watched: list[Watched], every: int, rng
) -> Result:
    """As a session hands its steps over: in chunks of any length."""
    points = TurningPoints(columns, watched, every, float(time[1] - time[0]))
    taken, k = [], 0
    while k < len(time):
        n = rng.choice([1, 1, 2, 3, 50])
        taken.append(points.take(time[k : k + n], table[k : k + n]))
        k += n
    times, rows = (np.concatenate([one[j] for one in taken]) for j in (0, 1))
    return Result(times, columns, rows, traces=points.traces({}))


def drawn(rng: random.Random) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """A scalar and a vector over some hundred steps: smooth, rough, in steps, level, or with a hole."""
    n = rng.randrange(2, 400)
    time = 0.01 * np.arange(n)
    draw = np.random.default_rng(rng.randrange(2**32))
    kinds = [
        np.sin(rng.uniform(0.1, 40) * time),
        draw.normal(size=n),
        np.round(draw.normal(size=n)),
        np.repeat(draw.normal(size=n), 7)[:n],
        np.cumsum(draw.normal(size=n)),
        np.zeros(n),
    ]
    columns = ["x", "v[0]", "v[1]", "v[2]"]
    table = np.column_stack([rng.choice(kinds) * rng.choice([1.0, 0.0, 1e-9, 1e6]) for _ in columns])
    if rng.random() < 0.1:
        table[rng.randrange(n), rng.randrange(4)] = np.nan
    return time, table, columns


def peaks_agree(rng: random.Random) -> None:
    time, table, columns = drawn(rng)
    every = rng.choice([1, 3, 10, 1000])
    level = float(np.nanmedian(table))
    measures = []
    for metric in EXTREMES:
        more: dict[str, object] = {"start": float(rng.choice(time))} if rng.random() < 0.5 else {}
        more |= {"stop": float(time[-1])} if rng.random() < 0.3 else {}
        more |= {"level": level} if metric == "count" else {}
        of = (
            "x"
            if metric in ("overshoot", "rise_time", "settling_time", "steady_error", "band")
            else rng.choice("xv")
        )
        if metric in ("time_above", "first_time", "rise_time", "settling_time"):
            continue  # by straight lines between what is kept
        measures.append(measure(metric, of, **more))
    whole = Result(time, columns, table)
    kept = filtered(time, table, columns, watched_by(measures), every, rng)
    assert len(kept.time) == -(-len(time) // every)
    for one in measures:
        try:
            wanted = measure_value(whole, one)
        except LuffError:  # of a step that is none
            continue
        got = measure_value(kept, one)
        assert got == wanted or (np.isnan(got) and np.isnan(wanted)), (one.metric, one.of, every, got, wanted)


def test_what_is_kept_gives_the_peaks_of_all_steps() -> None:
    for seed in range(40):
        peaks_agree(random.Random(seed))


def test_what_is_kept_gives_the_peaks_of_all_steps_by_chance(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(1000):
        peaks_agree(rng)


def test_only_what_turns_is_kept() -> None:
    time = np.arange(1001.0)
    table = np.sin(2.0 * np.pi * time / 500.0)[:, None]
    (trace,) = filtered(
        time, table, ["x"], [{"signals": ["x"], "ratios": [], "edges": []}], 1000, random.Random(1)
    ).traces
    assert isinstance(trace, RecordedRun)
    assert trace.time.tolist() == [0.0, 125.0, 375.0, 625.0, 875.0, 1000.0]


def test_a_share_of_two_signals_turns_where_neither_does() -> None:
    time = 0.01 * np.arange(100)
    table = np.column_stack([np.exp(time), 1.0 + time**2])
    watched: list[Watched] = [{"signals": ["a", "b"], "ratios": [([1.0, 0.0], [0.0, 1.0])], "edges": []}]
    (trace,) = filtered(time, table, ["a", "b"], watched, 1000, random.Random(1)).traces
    share = table[:, 0] / table[:, 1]
    assert float((trace["a"] / trace["b"]).max()) == share.max()


def test_runs_without_such_metrics_write_their_rows_alone(tmp_path: Path) -> None:
    (tmp_path / "bounce.yaml").write_text(BOUNCE.replace("ROWS", "100 ms"))
    session = luff.compile(luff.load(tmp_path / "bounce.yaml")).start()
    assert session.every == 100
    assert session.turning is None
    assert watched_by([measure("rms", "x"), measure("final", "x"), measure("mean", "x")]) == []
