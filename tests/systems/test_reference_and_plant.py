"""The library's reference that drives a plant: what is left over is what the plant has that the reference has not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff

MODEL = Path(luff.__file__).resolve().parent / "library" / "reference_and_plant.yaml"
SMOOTH = {f"{joint}.friction.model": "none" for joint in ("shoulder", "elbow")}
# how far the tip may be off from 1 s on, as the page says [m]
CASES = {
    "as it is": ({}, 2.1e-3),
    "as heavy": ({"heavier": 1.0}, 2.6e-4),
    "smooth": ({"heavier": 1.0, **SMOOTH}, 1.6e-4),
    "rigid": ({"heavier": 1.0, **SMOOTH, "fore.rigid": True}, 1.5e-6),
}


@pytest.mark.filterwarnings("ignore::luff.ModelWarning")
@pytest.mark.parametrize("case", CASES)
def test_the_tip_is_off_by_what_the_page_says(case: str) -> None:
    changes, off = CASES[case]
    result = luff.compile(MODEL, **changes).run(stop=4.0)
    gap = np.linalg.norm(result["tip.position"] - result["tip_ref.position"], axis=1)[result.time >= 1.0]
    # two digits are printed
    assert gap.max() == pytest.approx(off, rel=0.05)


def test_the_load_of_the_plant_asks_for_what_the_controller_adds() -> None:
    """At rest at the end PD's part holds the weight that the plant's forearm has beyond the reference's."""
    result = luff.compile(MODEL, **SMOOTH).run()
    added = result["pd.effort"][-1, 1] - result["program.effort"][-1, 1]
    fore = result["shoulder.position"][-1] + result["elbow.position"][-1]
    # 0.2 kg more, whose centre is 0.2 m from the elbow; about y a link along x falls as the angle grows
    assert added == pytest.approx(-0.2 * 9.81 * 0.2 * np.cos(fore), rel=2e-2)
