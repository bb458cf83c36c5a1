"""Studies: variants, what is measured of them, what is run again and what is not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import luff
from luff.solver.flatten.diagram import Diagram
from luff.solver.flatten.flatten import flatten
from luff.solver.results.result import Result
from luff.solver.studies import load, read_study, report
from luff.solver.studies.run_measures import measure_value
from luff.solver.studies.study_run import run
from luff.solver.studies.study_settings import Measure
from luff.solver.studies.variant_fingerprint import fingerprint
from luff.solver.studies.variant_outcome import VariantOutcome
from luff.tests.process import call
from luff.tests.shared.netlists import OSCILLATOR
from luff.tests.shared.studies import ENDLESS, SPRINGS, VARIANTS, written

# a mass on a spring: x'' = -stiffness x from x = 1, so that the period is 2 pi / sqrt(stiffness)


def names(path: Path) -> list[str]:
    return [variant.name for variant in load(path).variants]


def statuses(outcomes: list[VariantOutcome]) -> dict[str, str]:
    return {outcome.variant.name: outcome.status for outcome in outcomes}


# what a study says


def test_grid_is_every_combination(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """\
variants:
  grid:
    stiffness: [1 N/m, 4 N/m]
    damping: {none: {}, some: {slide.damping: 0.1}}
""",
    )
    assert names(path) == [
        "stiffness = 1 N/m, none",
        "stiffness = 1 N/m, some",
        "stiffness = 4 N/m, none",
        "stiffness = 4 N/m, some",
    ]
    study = load(path, {"mass": "2 kg"})
    assert study.overrides(study.variants[3]) == {"stiffness": "4 N/m", "slide.damping": 0.1, "mass": "2 kg"}


def test_study_without_variants_has_one(tmp_path: Path) -> None:
    assert names(written(tmp_path, "")) == ["as it is"]


def test_random_draws_follow_seed_and_not_count(tmp_path: Path) -> None:
    def drawn(count: int, seed: int) -> list[dict[str, Any]]:
        text = f"variants: {{random: {{count: {count}, seed: {seed}, draw: {{stiffness: {{uniform: [1 N/m, 4 N/m]}},"
        path = written(
            tmp_path, text + " mass: {normal: [2 kg, 100 g]}, slide.damping: {choice: [0, 1]}}}}\n"
        )
        return [dict(variant.changes) for variant in load(path).variants]

    few, many, others = drawn(3, 7), drawn(40, 7), drawn(40, 8)
    assert many[:3] == few
    assert many != others
    # in the unit of the law's first number
    assert {changes["stiffness"].split()[1] for changes in many} == {"N/m"}
    stiffness, mass = (
        np.array([float(changes[name].split()[0]) for changes in many]) for name in ("stiffness", "mass")
    )
    assert stiffness.min() >= 1.0
    assert stiffness.max() <= 4.0
    # the mean of 40 draws strays by 2 kg +- 100 g / sqrt(40); five times that is no accident
    assert mass.mean() == pytest.approx(2.0, abs=5 * 0.1 / 40**0.5)
    assert {changes["slide.damping"] for changes in many} == {0, 1}


NOTHING_NAMED = 'there is nothing named "stifness" to set (did you mean "stiffness"?)'
MISTAKES = {
    "section": ("variant: {}\n", 'study.yaml:4:1: variant: a study has no parameter "variant" (did you mean'),
    "path": ("variants: {grid: {stifness: [1, 2]}}\n", NOTHING_NAMED),
    "value": (
        "variants:\n  list:\n    heavy:\n      mass: 2 m\n",
        "study.yaml:7:13: the model refuses the variant heavy: ",
    ),
    "set": (
        "set: {body.mass: -1}\n",
        "study.yaml:4:18: blocks.body.mass: found -1, expected a number >= 0 kg",
    ),
    "twice": ("variants: {list: {a: {}}, grid: {x: {a: {}}}}\n", 'two variants are called "a"'),
    "law": ("variants: {random: {count: 2, draw: {mass: {even: [1, 2]}}}}\n", "expected one of uniform"),
    "units": (
        "variants: {random: {count: 2, draw: {mass: {uniform: [1 kg, 2 m]}}}}\n",
        "expected numbers of one unit",
    ),
    "metric": (
        "tables: [{title: t, columns: [{metric: average, of: slide.position}]}]\n",
        "study.yaml:4:40: ",
    ),
    "target": (
        "tables: [{title: t, columns: [{metric: tracking_rms, of: slide.position}]}]\n",
        "needs a target",
    ),
    "variant": (
        "variants: {list: {light: {}}}\nplots: [{title: t, y: [slide.position], variants: [ligth]}]\n",
        'did you mean "light"?',
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_is_told_with_its_place(mistake: str, tmp_path: Path) -> None:
    text, message = MISTAKES[mistake]
    with pytest.raises(luff.NetlistError) as caught:
        load(written(tmp_path, text))
    told = str(caught.value)
    assert message in told
    assert "study.yaml:" in told


def test_model_that_is_not_there_is_told(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text("luff: 1\nmodel: crane_gmpe\n")
    with pytest.raises(luff.NetlistError, match=r'study.yaml:2:8: model: .*did you mean "crane_gpme"'):
        load(path)


def test_netlist_is_no_study(tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    path.write_text(OSCILLATOR)
    with pytest.raises(luff.NetlistError, match="this is a netlist, expected a study"):
        load(path)


# what makes two variants the same


def test_fingerprint_sees_physics_and_not_words() -> None:
    def of(text: str, changes: dict[str, Any] | None = None, record: tuple[str, ...] = ("*",)) -> str:
        return fingerprint(flatten(Diagram.from_yaml(text), changes), record)

    plain = of(OSCILLATOR)
    assert of("# a comment\n" + OSCILLATOR + "layout: {slide: [0, 0]}\n") == plain
    assert of(OSCILLATOR.replace("stiffness: 1 N/m", "stiffness: 1000 N/km")) == plain
    assert of(OSCILLATOR, {"mass": "1000 g"}) == plain
    different = [
        of(OSCILLATOR, {"mass": 1.0 + 1e-15}),
        of(OSCILLATOR, {"simulation.step": "5 ms"}),
        of(OSCILLATOR.replace("rigid_link, mass", "rigid_link, com: [1, 0, 0], mass")),
        of(OSCILLATOR, record=("slide.position",)),
    ]
    assert len({plain, *different}) == 5


# what is measured

TIME = np.linspace(0.0, 2.0, 2001)
SIGNALS = Result(
    TIME,
    ["wave", "point[0]", "point[1]", "goal[0]", "goal[1]", "fade"],
    np.column_stack(
        (
            np.sin(np.pi * TIME),
            3 * np.ones(2001),
            4 * np.ones(2001),
            3 * TIME,
            4 * TIME,
            5 * np.exp(-1.5 * TIME),
        )
    ),
    {"wave": "m", "point": "m", "goal": "m"},
    quality={"energy": {"residual": 0.25}},
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"metric": "rms", "of": "wave"}, 0.5**0.5),
        ({"metric": "peak", "of": "wave", "start": 1.25, "unit": "mm"}, 1000.0),
        ({"metric": "range", "of": "wave"}, 2.0),
        ({"metric": "mean", "of": "wave", "stop": 1.0}, 2.0 / np.pi),
        ({"metric": "final", "of": "point"}, 5.0),  # the magnitude of (3, 4)
        ({"metric": "final", "of": "point[1]"}, 4.0),
        ({"metric": "minimum", "of": "point[0]", "unit": "cm"}, 300.0),
        ({"metric": "decay_rate", "of": "fade", "start": 0.5}, 1.5),
        # (3, 4) (t - 1) is at most (3, 4) off, by 3 and 4 / sqrt(3) in the mean square, and always on the goal's line
        ({"metric": "tracking_peak", "of": "point", "target": "goal"}, 5.0),
        ({"metric": "tracking_rms", "of": "point", "target": "goal", "component": 1}, 4.0 / 3**0.5),
        ({"metric": "contour_peak", "of": "point", "target": "goal"}, 0.0),
        ({"metric": "quality", "of": "energy.residual"}, 0.25),
    ],
)
def test_measure_is_what_it_says(given: dict[str, Any], expected: float) -> None:
    values = {name: param.default for name, param in Measure.params.items()} | given
    # sums over 2001 rows: the trapezoidal rule is off by 1e-6, the mean square of rows by 1 / 2000
    assert measure_value(SIGNALS, Measure(values)) == pytest.approx(expected, rel=1e-3, abs=1e-9)


DEFAULTS = {name: param.default for name, param in Measure.params.items()}


def fast(values: np.ndarray, **more: Any) -> float:
    """Vibration above 5 Hz of a signal with a row each millisecond, from 0.5 to 3.5 s."""
    result = Result(np.arange(4001) * 1e-3, ["x"], values[:, None], {"x": "m"})
    given = {"metric": "vibration_rms", "of": "x", "faster_than": 5.0, "start": 0.5, "stop": 3.5, **more}
    return measure_value(result, Measure(DEFAULTS | given))


@pytest.mark.parametrize("ratio", [0.25, 0.5, 1.0, 2.0, 8.0])
def test_vibration_is_what_is_faster(ratio: float) -> None:
    t = np.arange(4001) * 1e-3
    # of an analogue filter forward and back; bilinear, its frequencies are tan(pi f / rate): off by 1e-3 at 40 Hz
    gain = 1.0 / (1.0 + (np.tan(5e-3 * np.pi) / np.tan(5e-3 * np.pi * ratio)) ** 8)
    sine = np.sin(2 * np.pi * 5.0 * ratio * t)
    # windows of a whole number of half periods: 3 s; what the ends ring has died by 0.5 s to 1e-4
    assert fast(sine) == pytest.approx(gain / 2**0.5, rel=1e-3, abs=1e-4)
    # neither a drift nor an offset counts, and nothing is shifted in time
    assert fast(100.0 + 7.0 * t + sine) == pytest.approx(fast(sine), abs=1e-3)
    assert fast(sine, metric="vibration_peak", unit="mm") == pytest.approx(1e3 * gain, rel=5e-3, abs=0.2)


def test_vibration_needs_rows_that_show_it() -> None:
    with pytest.raises(luff.LuffError, match="500 Hz and rows 1000 times a second"):
        fast(np.zeros(4001), faster_than=500.0)
    uneven = Result(np.array([0.0, 1.0, 3.0]), ["x"], np.zeros((3, 1)), {"x": ""})
    with pytest.raises(luff.LuffError, match="equal steps of time"):
        measure_value(uneven, Measure(DEFAULTS | {"metric": "vibration_rms", "of": "x", "faster_than": 0.1}))


# what is run


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[VariantOutcome]]:
    """A study of three variants in two processes; RK4 cannot bear the last spring at this step."""
    folder = tmp_path_factory.mktemp("study")
    path = written(folder, VARIANTS)
    return path, run(load(path), folder / "study.h5", jobs=2)


def test_results_are_those_of_runs_alone(done: tuple[Path, list[VariantOutcome]]) -> None:
    path, _ = done
    results = read_study(path.with_name("study.h5"))
    alone = luff.compile(path.with_name("model.yaml"), stiffness="4 N/m").run()
    np.testing.assert_array_equal(results["stiff"].table, alone.table)
    assert results["stiff"].units == alone.units
    assert results["stiff"].parameters == alone.parameters
    # RK4: h^5 / 120 a step, 100 steps of 0.01 at a frequency of 1
    assert results["soft"]["slide.position"][-1] == pytest.approx(np.cos(1.0), abs=1e-9)


def test_failed_variant_is_reported_and_the_rest_goes_on(done: tuple[Path, list[VariantOutcome]]) -> None:
    path, outcomes = done
    assert statuses(outcomes) == {"soft": "finished", "stiff": "finished", "torn": "failed"}
    results = read_study(path.with_name("study.h5"))
    assert "slide" in results.messages["torn"]
    assert 1 <= len(results["torn"].time) < 101  # the rows that it got to
    assert not path.with_name("study.h5.parts").exists()


def test_file_is_plain_hdf5(done: tuple[Path, list[VariantOutcome]]) -> None:
    with h5py.File(done[0].with_name("study.h5")) as file:
        group: Any = file["variants/stiff"]
        assert next(iter(group["columns"].asstr())) == "time"
        assert group["data"].shape[0] == 101
        assert json.loads(group.attrs["changes"]) == {"stiffness": "4 N/m"}


def test_report_has_every_table_and_figure(done: tuple[Path, list[VariantOutcome]], tmp_path: Path) -> None:
    path, _ = done
    files = report(load(path), read_study(path.with_name("study.h5")), tmp_path / "new" / "folder")
    assert [file.name for file in files] == [
        "study.md",
        "study-motion.csv",
        "study-motion.tex",
        *(
            f"study-{title}.{extension}"
            for title in ("position", "speeds-both")
            for extension in ("png", "svg")
        ),
    ]
    text = files[0].read_text()
    assert "| soft | 540 |" in text  # cos(1) m
    assert "![Position](study-position.png)" in text
    assert "- torn: " in text
    assert files[1].read_text().splitlines()[0] == "variant,final of slide.position [mm]"
    assert "\nsoft & 540 \\\\\n" in files[2].read_text()
    assert all(file.stat().st_size > 1000 for file in files[3:])


def test_figures_of_a_report_in_a_size_are_pdf_too(
    done: tuple[Path, list[VariantOutcome]], tmp_path: Path
) -> None:
    path, _ = done
    call("study", path, "-r", tmp_path, "--size", "100mm,50mm", "--quiet", cwd=path.parent, code=3)
    assert b"/MediaBox [ 0 0 283.46" in (tmp_path / "study-position.pdf").read_bytes()


def test_report_tells_a_signal_that_is_not_there(
    done: tuple[Path, list[VariantOutcome]], tmp_path: Path
) -> None:
    path, _ = done
    results = read_study(path.with_name("study.h5"))
    wrong = tmp_path / "study.yaml"
    (tmp_path / "model.yaml").write_text(OSCILLATOR)
    wrong.write_text(SPRINGS + VARIANTS.replace("y: [slide.position]", "y: [slide.positon]"))
    with pytest.raises(
        luff.NetlistError, match=r'study.yaml:12:\d+: plots\[0\]: .*slide.positon.*"slide.position"'
    ):
        report(load(wrong), results, tmp_path)
    assert "| soft | 540 |" in (tmp_path / "study.md").read_text()


def test_second_run_keeps_what_is_the_same(done: tuple[Path, list[VariantOutcome]]) -> None:
    path, _ = done
    output = path.with_name("study.h5")
    before = read_study(output)["stiff"].table.copy()
    path.write_text(
        path.read_text()
        .replace("soft: {}", "soft: {mass: 2 kg}")
        .replace("    torn: {stiffness: 1e9 N/m}\n", "")
    )
    outcomes = run(load(path), output, jobs=1)
    assert statuses(outcomes) == {"soft": "finished", "stiff": "kept"}
    results = read_study(output)
    np.testing.assert_array_equal(results["stiff"].table, before)
    assert results["soft"]["slide.position"][-1] == pytest.approx(np.cos(0.5**0.5), abs=1e-9)
    assert statuses(run(load(path), output)) == {"soft": "kept", "stiff": "kept"}


def test_study_that_is_ended_keeps_what_is_done(tmp_path: Path) -> None:
    path, output = written(tmp_path, ENDLESS), tmp_path / "study.h5"
    outcomes = run(load(path), output, jobs=1, progress=lambda all_, ended: not ended)
    assert statuses(outcomes) == {"short": "finished", "endless": "interrupted"}
    assert list(read_study(output)) == ["short"]
    again = run(load(path), output, jobs=1, progress=lambda all_, ended: False)
    assert statuses(again) == {"short": "kept", "endless": "interrupted"}


def test_study_that_is_killed_keeps_what_is_done(tmp_path: Path) -> None:
    path, output = written(tmp_path, ENDLESS), tmp_path / "study.h5"
    command = [sys.executable, "-m", "luff", "study", str(path), "-o", str(output), "-j", "1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        assert any(line.startswith("1/2 short: finished") for line in process.stderr)
        process.kill()
    assert not output.exists()
    again = run(load(path), output, jobs=1, progress=lambda all_, ended: False)
    assert statuses(again) == {"short": "kept", "endless": "interrupted"}
    assert list(read_study(output)) == ["short"]


def test_process_that_dies_fails_its_variant_alone(tmp_path: Path) -> None:
    (tmp_path / "fatal.py").write_text(
        "import os, sys\n"
        "from luff.blocks import Block, Out, Param\n"
        "class Fatal(Block):\n"
        '    """Ends the process."""\n'
        "    y = Out()\n"
        '    deadly = Param(0.0, doc="whether")\n'
        "    def check(self):\n"
        '        if self.deadly and "luff.solver.studies.study_worker" in sys.orig_argv:\n'
        "            os._exit(7)\n"
        "        return ()\n"
        "    def out(t, deadly): return deadly\n"
    )
    (tmp_path / "model.yaml").write_text(
        "luff: 1\nblocks: {files: [fatal.py], f: {type: fatal}}\nsimulation: {stop: 0.1 s}\n"
    )
    path = tmp_path / "study.yaml"
    path.write_text(SPRINGS + "variants: {list: {first: {}, fatal: {f.deadly: 1}, last: {f.deadly: 0.0}}}\n")
    outcomes = run(load(path, allow_code=True), tmp_path / "study.h5", jobs=1)
    assert statuses(outcomes)["first"] == "finished"
    assert statuses(outcomes)["fatal"] == "failed"
    assert "died with code 7" in read_study(tmp_path / "study.h5").messages["fatal"]


def test_variants_that_say_the_same_run_once(tmp_path: Path) -> None:
    path = written(tmp_path, "variants: {list: {one: {mass: 1 kg}, other: {mass: 1000 g}}}\n")
    outcomes = run(load(path), tmp_path / "study.h5", jobs=1)
    assert statuses(outcomes) == {"one": "finished", "other": "finished"}
    assert [outcome.seconds is None for outcome in outcomes] == [False, True]
    results = read_study(tmp_path / "study.h5")
    np.testing.assert_array_equal(results["one"].table, results["other"].table)


def test_study_from_python(tmp_path: Path) -> None:
    path = written(tmp_path, "variants: {grid: {stiffness: [1, 4]}}\nrecord: [slide.position]\n")
    results = luff.study(path, tmp_path / "out.h5", jobs=1, mass="4 kg")
    assert results.statuses == {"stiffness = 1": "finished", "stiffness = 4": "finished"}
    assert results["stiffness = 4"].columns == ["slide.position"]
    assert results["stiffness = 4"]["slide.position"][-1] == pytest.approx(np.cos(1.0), abs=1e-9)
