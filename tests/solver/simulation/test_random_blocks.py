"""Models by chance, with blocks of the user's own whose sizes, functions, starts and ports follow from numbers.

Whichever way values come to a model (set, a batch, lanes, a study, a scheduler of Dask), it is that of a netlist
that is compiled with them, to the last bit.
"""

from __future__ import annotations

import json
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import luff
from luff.blocks.errors import LuffError
from luff.solver.flatten.flatten import flatten
from luff.solver.program.started_program import started
from luff.solver.simulation.parameters import Forms, Parameters
from luff.solver.studies import read_study
from luff.solver.studies.study_file import load
from luff.tests.conftest import SEED, about_compiling
from luff.tests.process import call
from luff.tests.shared.changeable_numbers import numbers_of
from luff.tests.solver.batch.test_random_groups import chain, loop
from luff.tests.solver.simulation.test_parameters import differing

Raw = dict[str, Any]
MODELS, SEARCHED = 40, 300  # that are drawn, and in a search
FEATURES = (
    "memory", "count", "states", "begin", "chosen", "closure", "array", "outputs", "through", "starts", "open",
)  # fmt: skip
TEXT = '''
from luff.blocks import Block, In, Memory, Out, Param, State

CHOSEN = {chosen!r}


def extra(a, u):
    return a + u


class Odd(Block):
    """y = something of u that follows from its numbers."""

    u = In(unit=None)
    v = In(unit=None, default=0.5)
    y = Out(unit=None)
    a = Param(1.0, doc="gain")
    T = Param(0.005, "s", doc="time")
    n = Param(2.0, doc="count")
    sample_time = Param(0.0, "s", ge=0, doc="between updates")
    x = State({initial}, width="many")
    past = Memory({past}, size="count")
    derived_names = ("row",)

    def many(self):
        return max(1, round(self.n)) if "states" in CHOSEN else 2

    def count(self, step):
        by_time = max(1, round(self.T / step)) if "memory" in CHOSEN else 3
        return by_time + (abs(round(self.n)) if "count" in CHOSEN else 0)

    def derived(self):
        count = max(1, round(self.n)) if "array" in CHOSEN else 2
        return {{"row": tuple(self.a + k for k in range(count))}}

    def ports(self):
        more = range(round(self.n) - 1) if "outputs" in CHOSEN else ()
        known = super().ports()
        if "open" in CHOSEN:
            known["v"] = In(unit=None, default=self.a).named("v")
        return known | {{f"z{{k}}": Out(unit=None).named(f"z{{k}}") for k in more}}

    def state_start(self, initial):
        begins = "begin" in CHOSEN and self.a > 1.5
        return self.a - 1.0 if begins else super().state_start(initial)

    def feedthrough(self, output, element, port, port_element):
        return "through" not in CHOSEN or self.a != 0.0

    def instance_functions(self):
        gain, table = self.a, tuple(float(k) * self.a for k in range(max(1, round(self.n))))

        def one(i, u, v, x, past, row, a):
            return a * u + v + past[len(past) - 1] + x[len(x) - 1] + row[len(row) - 1]

        def other(i, u, x, past, row, a):
            return past[0] - a + x[0]

        def closed(i, u, x, past, row):
            return gain * u + table[len(table) - 1] + past[len(past) - 1] + x[0]

        def rates(i, u, x, row):
            return row[0] * u - float(i + 1) * x[i]

        made = {{"der": rates, "update": Odd.write, "out_y": one}}
        if "closure" in CHOSEN:
            made["out_y"] = closed
        if "chosen" in CHOSEN and self.a < 0.5:
            made["out_y"] = other
        return made | {{f"out_{{port}}": extra for port in self.ports() if port[0] == "z"}}

    def write(u, past):
        for i in range(len(past) - 1, 0, -1):
            past[i] = past[i - 1]
        past[0] = u
'''
# of a step of 1 ms; some leave the size of a memory as it is, some do not
VALUES = {
    "odd.a": (1.0, 1.25, 2.0, 0.0, -0.5),
    "odd.T": (0.005, 0.0052, 0.009, 0.001),
    "odd.n": (2.0, 2.25, 3.0, 1.0),
    "odd.sample_time": (0.0, 0.004),
}


def model(rng: np.random.Generator, folder: Path) -> tuple[Raw, set[str]]:
    """A netlist with such a block that drives a mechanism, and what of the block follows from numbers."""
    chosen = {name for name in FEATURES if rng.random() < 0.4}
    starts = "starts" in chosen
    text = TEXT.format(
        chosen=sorted(chosen), initial='"a"' if starts else "0.25", past='"T"' if starts else "0.0"
    )
    name = f"odd_{'_'.join(sorted(chosen))}.py"
    (folder / name).write_text(text)
    closed = bool(rng.random() < 0.2)
    raw, joint = (loop(rng), "A") if closed else (chain(rng), "j0")
    raw["parameters"] = {"k": 1.0, "more": 2.0}
    raw["blocks"] |= {
        "files": [name],
        "odd": {"type": "odd", "n": "=more"} if rng.random() < 0.5 else {"type": "odd", "a": "=k"},
        "wave": {"type": "sine", "amplitude": 0.5, "frequency": "20 Hz"},
    }
    raw["connect"] += ["wave.y -> odd.u", f"odd.y -> {joint}.effort"]
    raw["simulation"] = {"stop": 0.03, "step": 0.001, "output_step": 0.001}
    return raw, chosen


def variants(rng: np.random.Generator, diagram: luff.Diagram, count: int) -> list[dict[str, object]]:
    """Values of a few numbers: of the block, of the netlist, of the mechanism."""
    blocks = flatten(diagram).blocks
    known = {path: value for path, value in numbers_of(blocks) if not path.startswith(("odd.", "world"))}
    paths = [str(path) for path in rng.choice(sorted(known), 2, replace=False)]
    drawn = []
    for _ in range(count):
        some: dict[str, object] = {}
        for path, values in {**VALUES, "k": VALUES["odd.a"], "more": VALUES["odd.n"]}.items():
            if rng.random() < 0.4:
                some[path] = float(rng.choice(values))
        for path in paths:
            factor = float(rng.choice([0.0, -1.0, 1.5, 1.0 + rng.random()], p=[0.1, 0.1, 0.2, 0.6]))
            if rng.random() < 0.5:
                some[path] = (np.array(known[path], float) * factor).tolist()
        drawn.append(some)
    return drawn


def loaded(raw: Raw, folder: Path) -> luff.Diagram:
    path = folder / "model.yaml"
    path.write_text(json.dumps(raw))
    return luff.load(path, allow_code=True)


def test_programs_of_random_models_are_those_of_netlists_with_their_values(
    seed: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Nothing is run: two programs that are the same to the last bit run alike."""
    counts: Counter[str] = Counter()
    models = MODELS if request.config.getoption(SEED) is None else SEARCHED
    for number in range(models):
        rng = np.random.default_rng([seed, number])
        raw, chosen = model(rng, tmp_path)
        diagram = loaded(raw, tmp_path)
        try:
            numbers, forms = Parameters(started(flatten(diagram))), Forms()
        except LuffError:
            counts["no model"] += 1  # a loop that does not close
            continue
        for some in variants(rng, diagram, 4):
            made = numbers.with_values(diagram, {}, some)
            try:
                flat = flatten(diagram, some)
                whole = started(flat)
            except LuffError:
                assert made is None, f"seed {seed}, model {number}: {some}"
                counts["refused"] += 1
                continue
            again = forms.started(flat)
            assert differing(again, whole) == [], f"seed {seed}, model {number}: {some}, {chosen}"
            assert again.notes == whole.notes
            counts["numbers" if made is not None else "another form"] += 1
            if made is not None:
                assert differing(made, whole) == [], f"seed {seed}, model {number}: {some}, {chosen}"
    print(dict(counts))
    assert counts["no model"] < models / 10
    assert counts["numbers"] > models
    assert counts["another form"] > models


@about_compiling
@pytest.mark.filterwarnings("ignore::luff.ModelWarning")
def test_runs_of_a_random_block_are_those_of_single_runs_in_every_way(
    seed: int, tmp_path: Path, many: int
) -> None:
    """A batch, with and without lanes; a session that is set and reset; a study, in processes and on Dask."""
    for number in range(1 if many == 1 else 12):
        folder = tmp_path / str(number)
        folder.mkdir()
        alike_in_every_way(
            np.random.default_rng([seed, SEARCHED + number]), folder, f"seed {seed}, model {number}"
        )


def alike_in_every_way(rng: np.random.Generator, folder: Path, told: str) -> None:
    raw, chosen = model(rng, folder)
    diagram = loaded(raw, folder)
    values = {path: list(rng.choice(VALUES[path], 8)) for path in ("odd.a", "odd.T", "odd.n")}
    rows: list[np.ndarray] = []
    for k in range(8):
        changes = {path: float(each[k]) for path, each in values.items()}
        rows.append(luff.compile(diagram, **changes).run()["odd.y"])
    sim = luff.compile(diagram)
    for lanes in (False, True):
        table = luff.batch(sim, values, "odd.y", lanes=lanes)
        np.testing.assert_array_equal(table["odd.y"], rows, f"{told}, {chosen}, lanes {lanes}")
    for k in range(8):
        sim.set({path: float(each[k]) for path, each in values.items()})
        np.testing.assert_array_equal(sim.run()["odd.y"], rows[k], f"{told}, {chosen}")
    study = {
        "luff": 1,
        "model": "./model.yaml",
        "variants": {
            "list": {f"v{k}": {path: float(each[k]) for path, each in values.items()} for k in range(8)}
        },
    }
    for on in (None, "local") if find_spec("distributed") else (None,):
        for lanes in (True, False) if on is None else (None,):
            path = folder / f"study_{on}_{lanes}.yaml"
            path.write_text(json.dumps(study))
            done = luff.study(load(path, allow_code=True), path.with_suffix(".h5"), 1, on=on, lanes=lanes)
            for k in range(8):
                np.testing.assert_array_equal(done[f"v{k}"]["odd.y"], rows[k], f"{told}, {chosen}, on {on}")


DELAY = '''
from luff.blocks import Block, In, Memory, Out, Param


class Later(Block):
    """y(t) = u(t - T), in whole steps."""

    u = In(unit=None)
    y = Out(unit=None)
    T = Param(0.1, "s", gt=0, doc="delay")
    past = Memory(size="count")

    def count(self, step):
        return max(1, round(self.T / step))

    def instance_functions(self):
        last = self.count(0.01) - 1

        def out(past):
            return past[last]

        return {"update": Later.write, "out": out}

    def write(u, past):
        for i in range(len(past) - 1, 0, -1):
            past[i] = past[i - 1]
        past[0] = u
'''


def test_delays_of_other_lengths_are_each_their_own(tmp_path: Path) -> None:
    """The command; y = sin(2 pi (t - T + h)), where T is a whole number of steps h."""
    (tmp_path / "later.py").write_text(DELAY)
    raw = {
        "luff": 1,
        "blocks": {
            "files": ["later.py"],
            "s": {"type": "sine", "amplitude": 1, "frequency": "1 Hz"},
            "d": {"type": "later"},
        },
        "connect": ["s.y -> d.u"],
        "simulation": {"stop": "1 s", "step": "10 ms"},
    }
    diagram = loaded(raw, tmp_path)
    delays = [0.1, 0.1004, 0.2, 0.3]
    study = {
        "luff": 1,
        "model": "./model.yaml",
        "variants": {"list": {f"v{k}": {"d.T": T} for k, T in enumerate(delays)}},
    }
    (tmp_path / "study.yaml").write_text(json.dumps(study))
    call("study", "study.yaml", "--allow-code", "-o", "found.h5", "--jobs", "1", "-q", cwd=tmp_path)
    found = read_study(tmp_path / "found.h5")
    expected = np.sin(2.0 * np.pi * (1.0 - np.round(delays, 2) + 0.01))
    # sines of numbers that differ in the last bits of the time
    np.testing.assert_allclose([found[f"v{k}"]["d.y"][-1] for k in range(4)], expected, rtol=1e-13)
    table = luff.batch(luff.compile(diagram), {"d.T": delays}, "d.y")
    np.testing.assert_allclose(table["d.y"][:, -1], expected, rtol=1e-13)
