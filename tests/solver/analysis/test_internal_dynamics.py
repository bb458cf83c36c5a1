"""Internal dynamics of servo constraints against characteristic equations that are written down by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.analysis.internal_dynamics import internal_dynamics
from luff.tests.process import call
from luff.tests.shared.compile_text import plain

ARM = """
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  shoulder: {type: revolute, axis: z, initial: {position: 0}}
  inner: {type: rigid_link, mass: 2, com: [0.25, 0, 0], inertia: [0, 0.05, 0.05], frame_b: {at: [0.5, 0, 0]}}
  elbow: {type: revolute, axis: z, stiffness: 40, damping: 0.4, initial: {position: 0, velocity: 0}}
  outer: {type: rigid_link, mass: 1, com: [0.25, 0, 0], inertia: [0, 0.02, 0.02]}
  keep: {type: programmed_constraint, joints: [shoulder, elbow], relation: "x + RATIO*y", realised_by: WHO}
connect:
  - world.frame -- shoulder.frame_a
  - shoulder.frame_b -- inner.frame_a
  - inner.frame_b -- elbow.frame_a
  - elbow.frame_b -- outer.frame_a
simulation: {stop: 0.1 s, step: 1 ms, constraints: {dependent: [shoulder]}}
"""


def arm(ratio: float, who: str = "[shoulder]") -> str:
    return ARM.replace("RATIO", str(ratio)).replace("WHO", who)


@pytest.mark.parametrize("ratio", [0.375, 2.0])
def test_roots_of_an_arm_whose_drive_keeps_a_point(ratio: float) -> None:
    """With x = -r y the passive joint has (J22 - r J12) y'' + c y' + k y = 0; the tip is no minimum-phase output."""
    found = internal_dynamics(plain(arm(ratio)))
    assert found is not None
    inertia = 0.02 + 0.25**2 - ratio * (0.02 + 0.25**2 + 0.5 * 0.25)
    known = np.roots([inertia, 0.4, 40.0])
    values = found.eigenvalues
    off = min(abs(np.sort_complex(values) - np.sort_complex(known)).max(), 1.0)
    ((names, roots),) = found.parts
    assert names == ("elbow.position",)
    # what np.roots rounds, and what is claimed
    assert off <= roots.bounds.max() + 1e-13 * abs(known).max()
    assert found.stability == ("unstable" if inertia < 0.0 else "stable")
    assert len(found.problems()) == (inertia < 0.0)


@pytest.mark.parametrize("beta", [0.9999, 1.001])
def test_the_point_above_or_below_the_load_of_an_overhead_crane(beta: float) -> None:
    """(1 - beta) m h^2 s^2 + c s + m g h = 0 for each direction of sway."""
    found = internal_dynamics(luff.compile("library/crane_overhead_planner.yaml", beta=beta))
    assert found is not None
    known = np.roots([(1 - beta) * 0.5 * 0.8**2, 1e-3, 0.5 * 9.81 * 0.8])
    for _, roots in found.parts:
        assert np.sort_complex(roots.values) == pytest.approx(np.sort_complex(known), rel=1e-9)
    assert found.stability == ("unstable" if beta > 1 else "stable")


def test_what_is_not_known_or_not_there() -> None:
    # nothing holds the elbow: it stays, within rounding, and no sign follows
    loose = arm(0.375).replace("stiffness: 40, damping: 0.4, ", "")
    found = internal_dynamics(plain(loose))
    assert found is not None
    assert found.stability == "not known"
    assert internal_dynamics(plain(arm(2.0, "ideal"))) is None


def test_a_run_says_before_it_diverges_which_root_grows(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(arm(2.0))
    done = call("run", path, cwd=tmp_path)
    s = max(np.roots([0.02 + 0.25**2 - 2 * (0.02 + 0.25**2 + 0.5 * 0.25), 0.4, 40.0]).real)
    assert f"keep: unstable internal dynamics: elbow.position grows as exp({s:.4g} t)" in done.stderr
    path.write_text(arm(0.375))
    assert "internal dynamics" not in call("run", path, cwd=tmp_path).stderr


def test_a_run_that_has_diverged_says_what_its_drives_leave_free() -> None:
    text = arm(2.0).replace("initial: {position: 0, velocity: 0}", "initial: {position: 0.01}")
    text = text.replace(
        "shoulder: {type: revolute, axis: z, initial: {position: 0}}", "shoulder: {type: revolute, axis: z}"
    )
    with pytest.raises(luff.RunError, match=r"the drives leave elbow\.position to itself"):
        luff.compile(luff.loads(text.replace("stop: 0.1", "stop: 10"))).run()
