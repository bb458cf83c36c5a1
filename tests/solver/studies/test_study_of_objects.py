"""Studies, fits and optima from Python objects instead of files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.studies.study_tables import distinguishing_digits, shown

# F t^2 / 2 m
CART = """luff: 1
name: cart
parameters: {push: 4 N}
blocks:
  drive: {type: constant, value: =push}
  rail: {type: prismatic, axis: x}
  cart: {type: rigid_link, mass: 2}
connect: [drive.y -> rail.effort, world.frame -- rail.frame_a, rail.frame_b -- cart.frame_a]
outputs: {place: rail.position}
simulation: {stop: 1 s, step: 10 ms}
"""


@pytest.fixture
def cart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "cart.yaml"
    path.write_text(CART)
    return path


def test_study_of_a_mapping_is_that_of_the_file(cart: Path, tmp_path: Path) -> None:
    variants = {"grid": {"cart.mass": np.array([1.0, 2.0])}}
    results = luff.study({"name": "masses", "model": luff.load(cart), "variants": variants}, jobs=1)
    assert (tmp_path / "masses.h5").is_file()
    assert [result["place"][-1] for result in results.values()] == pytest.approx([2.0, 1.0], rel=1e-12)
    (tmp_path / "masses.yaml").write_text(
        "luff: 1\nname: masses\nmodel: ./cart.yaml\nvariants: {grid: {cart.mass: [1.0, 2.0]}}\n"
    )
    calls: list[object] = []
    again = luff.study("masses.yaml", jobs=1, progress=lambda *told: calls.append(told))
    assert [*again] == [*results]
    assert all(np.array_equal(again[name]["place"], results[name]["place"]) for name in results)


def test_netlist_that_no_file_holds_is_no_model_of_a_study(cart: Path) -> None:
    diagram = luff.load(cart)
    diagram.set_value("cart.mass", 3.0)
    for one in (diagram, luff.loads(CART)):
        with pytest.raises(luff.NetlistError, match=r"in no file yet, or was changed.*diagram.save"):
            luff.study({"model": one, "variants": {"grid": {"cart.mass": [1.0]}}})


def test_mistakes_of_a_mapping_have_a_path(cart: Path) -> None:
    with pytest.raises(luff.NetlistError, match=r"<study>:\d+:\d+: variants\.grid.*cart\.masss|cart\.masss"):
        luff.study({"model": cart, "variants": {"grid": {"cart.masss": [1.0]}}})


def test_optimum_and_fit_of_mappings(cart: Path) -> None:
    times = np.linspace(0.0, 1.0, 21)
    rows = "\n".join(f"{t!r},{3 * t * t!r}" for t in times.tolist())
    Path("log.csv").write_text(f"time,x\n{rows}\n")
    bounds = {"push": {"lower": 1.0, "upper": 20.0, "start": 2.0}}
    data = [{"file": "log.csv", "signals": {"place": {"column": "x"}}}]
    found = luff.fit({"model": cart, "fit": {"parameters": bounds, "data": data}})
    # x = 3 t^2 is that of 12 N on 2 kg; RK4 takes parabolas exactly, and the search ends within 1e-6
    assert found.parameters["push"].value == pytest.approx(12.0, rel=1e-5)
    best = luff.optimise(
        {
            "model": cart,
            "optimise": {
                "parameters": bounds, "maximise": {"metric": "final", "of": "place"},
                "require": [{"metric": "peak", "of": "place", "below": 2.5}], "method": "local",
            },
        }
    )  # fmt: skip
    assert best.values["push"] == pytest.approx(
        10.0, rel=1e-2
    )  # the limit: 2.5 = F / 4; soft within a hundredth


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"tables": [{"title": "T", "columns": [{"metric": "peak", "of": "rail.position", "unit": "kN"}]}]},
         "tables[0].columns[0].unit: found the unit kN for rail.position, which is in m"),
        ({"tables": [{"title": "T", "columns": [{"metric": "final", "of": "place", "unit": "deg"}]}]},
         "tables[0].columns[0].unit: found the unit deg for place, which is in m"),
        ({"require": [{"metric": "peak", "of": "rail.velocity", "below": "3 m"}]},
         "require[0].below: found 3 m for rail.velocity, which is in m/s"),
    ],
)  # fmt: skip
def test_units_that_cannot_hold_are_told_before_any_run(
    cart: Path, tmp_path: Path, section: dict[str, object], said: str
) -> None:
    with pytest.raises(luff.NetlistError) as found:
        luff.study({"model": cart, "variants": {"grid": {"cart.mass": [1.0, 2.0]}}, **section})
    assert said in str(found.value)
    assert not [*tmp_path.glob("*.h5*")]


def test_numbers_of_a_table_have_digits_that_tell_them_apart() -> None:
    close = [7.36001, 7.36002, 7.36]
    assert [shown(value, distinguishing_digits(close)) for value in close] == ["7.36001", "7.36002", "7.36"]
    assert distinguishing_digits([1.0, 2.0]) == 3
    assert distinguishing_digits([1.0, 1.0 + 1e-12]) == 3  # rounding is no difference
    assert distinguishing_digits([1234567.0, 1234568.0]) == 7
    assert distinguishing_digits([float("nan"), 1.0]) == 3


def test_expression_has_a_unit_that_wires_and_results_see() -> None:
    text = CART.replace("{type: constant, value: =push}", "{type: expression, expr: 4 + 0*t, unit: UNIT}")
    result = luff.compile(luff.loads(text.replace("UNIT", "N"))).run()
    assert result.units["drive.y"] == "N"
    with pytest.raises(luff.LuffError, match="m/s"):
        luff.compile(luff.loads(text.replace("UNIT", "m/s")))
