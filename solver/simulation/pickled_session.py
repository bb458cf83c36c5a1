"""Pickled form of a session: its simulation, its settings, a snapshot, and the rows that nobody has taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...blocks import RunError

if TYPE_CHECKING:
    from .run_start import RunStart
    from .stepping import Snapshot

# attributes of a session beside its snapshot; those that a run may lack come last
BESIDE = ("_rows", "_shots", "turning", "film", "brief", "energy_start", "_chunk", "_weightless", "problem")


def pickled(session: RunStart) -> tuple[Callable[..., RunStart], tuple[object, ...]]:
    """Function and arguments that make the session again; RunError where its state cannot be saved."""
    mark, sim = session.snapshot(), session.sim
    if not sim.program.like(mark.program):
        raise RunError(
            "the form of the model was changed since this session began, and its program is not kept",
            path="pickle",
            fix="pickle it before, or start another session",
        )
    every = session.rows_every * session.step_size
    settings = (session.stop, session.step_size, session.method, every, session.events)
    held = {name: vars(session)[name] for name in BESIDE if name in vars(session)}
    follows = mark.program is sim.program
    return revived, (type(session), sim, settings, session.watched, session.x0, mark, held, follows)


def revived(
    cls: type[RunStart],
    sim: object,
    settings: tuple[object, ...],
    watched: object,
    x0: object,
    mark: Snapshot,
    held: dict[str, object],
    follows: bool,
) -> RunStart:
    """Session as it was; `follows` if later changes of parameters reach it."""
    made = cls(sim, *settings, watched, x0)  # type: ignore[arg-type]
    made.restore(mark)
    vars(made).update(held)
    if follows:
        made.instance.program = made.sim.program
    return made
