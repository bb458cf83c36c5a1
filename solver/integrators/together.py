"""All that a run calls, loaded at once."""

from __future__ import annotations

from collections.abc import Iterable

from ..machine.jit import ENABLED, EntryPoint

# kernels that run where somebody reads what they find
ASKED = {"sense_motion", "sense_acceleration", "reactions", "powers", "stored_energies"}


def called_in_runs(
    mechanics: dict[str, EntryPoint], method: str, events: str = "", openings: bool = False
) -> list[EntryPoint]:
    """What every run of a mechanism calls, whoever reads its results."""
    from ..kernels import newton_euler
    from . import loop, switching
    from .locating import located_step
    from .methods import method_of
    from .parts import parted_step

    chosen = method_of(method)

    mass = [newton_euler.mass_matrix] if mechanics else []  # looked at before the first step
    evaluations = (loop.evaluate_rates, loop.evaluate_outputs, loop.evaluate_updates)
    located = [located_step] if events == "locate" else []
    always = [kernel for name, kernel in mechanics.items() if name not in ASKED]
    parted = [parted_step] if openings or chosen.solves else []
    own = [] if chosen.adaptive else [chosen.step]
    return [*always, *mass, *own, *located, *parted, loop.advance, switching.count_changes, *evaluations]


def load_together(entries: Iterable[EntryPoint]) -> None:
    """Load them at once: what has to be compiled is compiled side by side."""
    if ENABLED:
        from ..machine.objects import load

        load(entries)
