"""Recorded motion of a mechanism, from a result or from a run of its own. Pure numpy: no Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ...blocks.errors import LuffError, Problem
from ...solver.flatten.diagram import Diagram
from ...solver.results.recorded_run import RecordedRun
from ...solver.simulation.recorder import result_attributes
from ...solver.simulation.session import Session
from ...solver.simulation.simulation import Simulation
from ..run.run_history import History
from .mounted_camera import frame_of
from .row_poses import quaternions_of, recorded_poses, rotations_of
from .scene_model import Scene, scene_of
from .stress_colours import Stresses

KINDS = {".html": "Page for browsers", ".mp4": "MP4", ".gif": "GIF"}  # file dialog filter
FINEST = 1 / 60  # s between poses that are kept
LONGEST = 6000  # poses


@dataclass
class Film:
    name: str
    scene: Scene
    times: np.ndarray  # (n,), s
    poses: np.ndarray  # (n, rows, 12)
    trails: tuple[str, ...] = ()  # frames, `block.port`, whose ways are drawn
    ghost: Film | None = None  # another run, shown faded
    stresses: Stresses | None = None  # stress colours

    def trail_paths(self) -> list[np.ndarray]:
        """Paths of the traced frames over the film's times, (n, 3) each [m]."""
        ways = []
        for name in self.trails:
            row, point = self.scene.frames[name]
            if not 0 <= row < self.poses.shape[1]:
                ways.append(np.repeat(point[None], len(self.times), axis=0))
                continue
            R = self.poses[:, row, :9].reshape(-1, 3, 3)
            ways.append(R @ point + self.poses[:, row, 9:])
        return ways

    def at(self, moments: np.ndarray) -> np.ndarray:
        """Poses at other times by interpolation: linear for positions, constant rate for rotations."""
        k = np.clip(np.searchsorted(self.times, moments, "right") - 1, 0, max(len(self.times) - 2, 0))
        after = np.minimum(k + 1, len(self.times) - 1)
        gap = self.times[after] - self.times[k]
        share = np.clip((moments - self.times[k]) / np.where(gap > 0, gap, 1.0), 0.0, 1.0)[:, None]
        a, b = self.poses[k], self.poses[after]
        poses = a + share[..., None] * (b - a)
        flat = (-1, 3, 3)
        q, r = (quaternions_of(one[:, :, :9].reshape(flat)) for one in (a, b))
        r *= np.where((q * r).sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
        each = np.repeat(share, a.shape[1], axis=0)
        poses[:, :, :9] = rotations_of(q + each * (r - q)).reshape(*a.shape[:2], 9)
        return poses

    def points(self, most: int = 40) -> np.ndarray:
        """Points that the camera has to show over the whole film, from at most `most` poses."""
        some = np.unique(np.linspace(0, len(self.poses) - 1, most).astype(int))
        own = [self.scene.points_at(self.poses[k]) for k in some]
        return np.concatenate(own if self.ghost is None else [*own, self.ghost.points(most)])


def with_extras(film: Film, trails: Sequence[str], ghost: Film | None) -> Film:
    """Copy of a film with traced frames (`block.port`, or a block alone) and another run as a ghost."""
    return replace(film, trails=tuple(frame_of(film.scene, name) for name in trails), ghost=ghost)


def coloured(film: Film, result: RecordedRun) -> Film:
    """Copy of a film with stress colours; raises LuffError if the result holds no stresses."""
    stresses = Stresses(film.scene, History.of(result))
    if stresses.empty:
        own = [(link, gauges[0]) for link, gauges in film.scene.gauges.items()]
        names = [gauge.signals[0] if gauge.measured else f'"{link}.*"' for link, gauge in own]
        fix = f"run it again with -r {names[0]}" if names else "add a section_sensor with a section to a link"
        raise LuffError("the result holds no stress of a link or a flexible body", fix=fix)
    return replace(film, stresses=stresses)


def film_of_result(
    result: RecordedRun, base: Path, allow_code: bool = False, files: tuple[Path, ...] = ()
) -> Film:
    """Film from recorded signals; files named by the result's netlist are relative to `base`. Raises LuffError
    without netlist or rows."""
    if not result.netlist:
        raise LuffError("the result holds no netlist", fix="take the .h5 file of the run")
    if not len(result.time):
        raise LuffError("the result holds no rows")
    diagram = Diagram.from_yaml(result.netlist, "the result's netlist", base, allow_code, files)
    sim = Simulation(diagram, {})
    changed = _changed(result, sim)
    if changed:
        sim = Simulation(diagram, changed)
    rows = _rows(np.asarray(result.time))
    scene = scene_shown(sim)
    poses = recorded_poses(sim.program, result, rows)
    return Film(diagram.name or "luff", scene, np.asarray(result.time)[rows], poses)


def _changed(result: RecordedRun, sim: Simulation) -> dict[str, object]:
    """Parameters of the recorded run that differ from its netlist."""
    now = result_attributes(sim)["parameters"]
    given = {path: value for path, value in result.parameters.items() if value == value}  # the others are NaN
    return {path: value for path, value in given.items() if path in now and value != now[path]}


def _rows(times: np.ndarray) -> np.ndarray:
    """Row indices of a result at the film's frame interval."""
    step = max(FINEST, float(times[-1] - times[0]) / LONGEST)
    wanted = np.arange(times[0], times[-1] + 0.5 * step, step)
    return np.unique(np.clip(np.searchsorted(times, wanted), 0, len(times) - 1))


def scene_shown(sim: Simulation) -> Scene:
    scene = scene_of(sim)
    if scene.empty:
        raise LuffError(Problem("this model has no mechanism to show"))
    return scene


def film_of_run(sim: Simulation, advance: Callable[[Session], object]) -> Film:
    """Film of a new run; `advance(session)` runs it to its end. Raises LuffError if the run fails."""
    scene = scene_shown(sim)
    session = sim.start()
    session.film = max(1, round(max(FINEST, session.stop / LONGEST) / (session.step_size * session.every)))
    advance(session)
    times, poses = session.take_film()
    if session.status == "failed":
        raise LuffError([session.problem])
    start = scene.start[None]
    return Film(
        sim.program.flat.name or "luff",
        scene,
        np.concatenate(([0.0], times)),
        np.concatenate((start, poses)),
    )
