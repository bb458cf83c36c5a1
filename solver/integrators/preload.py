"""Preloading: all entry points that a run calls, compiled or loaded in one batch."""

from __future__ import annotations

from collections.abc import Iterable

from ..codegen.jit import ENABLED, EntryPoint

# kernels that run only where their outputs are read
ASKED = {"sense_motion", "sense_acceleration", "reactions", "powers", "stored_energies"}


def entry_points_of_run(
    mechanics: Iterable[dict[str, EntryPoint]], method: str, events: str = "", openings: bool = False
) -> list[EntryPoint]:
    """Entry points that every run of these mechanisms calls, whatever signals it records."""
    from ..kernels import newton_euler
    from . import run_loop, zero_crossings
    from .event_location import event_step
    from .method_table import method_of
    from .substeps import substepped_step

    chosen = method_of(method)

    kernels = [(name, kernel) for each in mechanics for name, kernel in each.items()]
    mass = [newton_euler.mass_matrix] if kernels else []  # looked at before the first step
    evaluations = (run_loop.evaluate_rates, run_loop.evaluate_outputs, run_loop.evaluate_updates)
    located = [event_step] if events == "locate" else []
    always = dict.fromkeys(kernel for name, kernel in kernels if name not in ASKED)
    parted = [substepped_step] if openings or chosen.solves else []
    own = [] if chosen.adaptive else [chosen.step]
    return [
        *always,
        *mass,
        *own,
        *located,
        *parted,
        run_loop.advance,
        zero_crossings.count_sign_changes,
        *evaluations,
    ]


def load_entry_points(entries: Iterable[EntryPoint]) -> None:
    """Load entry points in one batch, so that missing ones are compiled in parallel."""
    if ENABLED:
        from ..codegen.object_loader import load

        load(entries)
