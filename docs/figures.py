"""The figures of these pages, computed anew: `python -m luff.docs.figures [NAME ...]`."""

from __future__ import annotations

import re
import sys
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import yaml
from matplotlib.figure import Figure

import luff
from luff.solver.results.matplotlib_plots import draw

from . import beam_figures, system_figures, validation_figures
from .drawing import FIGURES, figure, panels, save
from .example_figures import EXAMPLES, save_all, save_one

BLOCKS = "blocks"  # the pictures of the block reference
__all__ = ["beam_figures", "system_figures", "validation_figures"]  # they register theirs


@cache
def tutorial(name: str) -> luff.Result:
    text = (Path(__file__).parent / "tutorial.md").read_text(encoding="utf-8")
    netlists = [luff.loads(block) for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)]
    return luff.compile(next(one for one in netlists if one.name == name)).run()


@figure
def tutorial_boom() -> Figure:
    drawn, [axes] = panels(["Angle of the boom [deg]"])
    run = tutorial("boom")
    axes.plot(run.time, np.rad2deg(run["pin.position"]))
    axes.set_xlabel("time [s]")
    return drawn


@figure
def tutorial_crane() -> Figure:
    drawn, (drives, path, swing) = panels(
        ["Drives [deg]", "Load from above [m]", "Swing [deg]"], columns=3, width=8.4, height=2.6
    )
    run = tutorial("crane")
    for name in ("slew", "luffing"):
        drives.plot(run.time, np.rad2deg(run[f"{name}.position"]), label=name)
    path.plot(run["hook.position[0]"], run["hook.position[1]"])
    path.set_aspect("equal", "datalim")
    swing.plot(
        run.time, np.rad2deg(run["sling.alpha"] - run["luffing.position"]), label="in the boom's plane"
    )
    swing.plot(run.time, np.rad2deg(run["sling.beta"]), label="sideways")
    for axes in (drives, swing):
        axes.set_xlabel("time [s]")
        axes.legend()
    return drawn


@figure
def best_motion() -> Figure:
    """The plan of `best_motions.md`."""
    text = (Path(__file__).parent / "best_motions.md").read_text(encoding="utf-8")
    model, plan = re.findall(r"```yaml title=.*?\n(.*?)```", text, re.DOTALL)[:2]
    return luff.plan({**yaml.safe_load(plan), "model": luff.loads(model)}).plot()


def write_netlists(page: str, folder: str) -> None:
    """Netlists of a page that have a title, as files."""
    text = (Path(__file__).parent / page).read_text(encoding="utf-8")
    for name, netlist in re.findall(r'```yaml title="(.*?)"\n(.*?)```', text, re.DOTALL):
        Path(folder, name).write_text(netlist, encoding="utf-8")


@figure
def watched_load() -> Figure:
    """The observer of `feedback_and_estimates.md`."""
    with tempfile.TemporaryDirectory() as folder:
        write_netlists("feedback_and_estimates.md", folder)
        return draw(luff.compile(Path(folder, "watched.yaml")).run())


@figure
def lever_without_swing() -> Figure:
    """The predictive controller of `feedback_and_estimates.md`."""
    with tempfile.TemporaryDirectory() as folder:
        write_netlists("feedback_and_estimates.md", folder)
        return draw(luff.compile(Path(folder, "by_lever.yaml")).run())


@figure
def regulated_trolley() -> Figure:
    """The loop of `feedback_and_estimates.md`."""
    with tempfile.TemporaryDirectory() as folder:
        write_netlists("feedback_and_estimates.md", folder)
        plant = luff.compile(Path(folder, "trolley.yaml"))
        kept = {"trolley.position": "0.5 m", "pin.position": "3 deg"}
        luff.lqr(plant, {"force": "2 kN"}, kept, sample_time=0.1).save(Path(folder, "lqr.json"))
        seen = {"trolley.position": "5 mm", "pin.position": "0.2 deg"}
        luff.kalman(plant, seen, {"gust": "50 N"}, ["force"], 0.1).save(Path(folder, "kalman.json"))
        return draw(luff.compile(Path(folder, "loop.yaml")).run())


@figure
def best_crane_motion() -> Figure:
    return luff.plan("library/plans/slewing_crane.yaml").plot()


def main(names: list[str]) -> None:
    for name in names or (*FIGURES, BLOCKS):
        if name == BLOCKS:
            save_all()
        elif name.startswith(f"{BLOCKS}/"):
            save_one(EXAMPLES / f"{name.removeprefix(f'{BLOCKS}/')}.yaml")
        else:
            print(save(name))


if __name__ == "__main__":
    main(sys.argv[1:])
