"""Names of the last compiled model, for completion in input fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...solver.flatten.analysis_points import causal_ports, has_outputs_alone

if TYPE_CHECKING:
    from .shell import Shell


class ModelNames:
    def __init__(self, window: Shell):
        self.window = window

    def signals(self) -> list[str]:
        """Recorded signals."""
        return list(self.window.signal_tree.names)

    def ports(self) -> list[str]:
        """Signals at which an input can be injected."""
        model = self.window.view3d.model
        return [] if model is None else [name for name in causal_ports(model.program.flat) if name[0] != "@"]

    def inputs(self) -> list[str]:
        """Signals that act on a part of the model: what blocks read, and what sources and the diagram's inputs give."""
        model = self.window.view3d.model
        if model is None:
            return []
        flat = model.program.flat
        of_block = {name: block.ports() for name, block in flat.blocks.items()}
        return [
            name
            for name, (block, port, _) in causal_ports(flat).items()
            if of_block[block][port].direction == "in" or has_outputs_alone(of_block[block].values())
        ]

    def open_inputs(self) -> list[str]:
        """Block inputs without a wire."""
        diagram = self.window.top.diagram
        wired = {text.rpartition("->")[2].strip().partition("[")[0] for text in diagram.connections}
        names = [
            f"{block}.{port}"
            for block in diagram.blocks
            for port, declared in diagram.block_ports(block).items()
            if declared.direction == "in" and not declared.acausal
        ]
        return [name for name in names if name not in wired]

    def coordinates(self) -> list[str]:
        """Joint coordinates: joints, and each coordinate of joints with several."""
        model = self.window.view3d.model
        if model is None:
            return []
        names = [name for name in model.program.mechanism.coordinate_names() if name]
        return list(dict.fromkeys([name.partition(".")[0] for name in names] + names))

    def derivable(self) -> list[str]:
        """Numbers for sensitivities: parameters of the diagram and of blocks, initial states."""
        model, own = self.window.view3d.model, self.window.top.diagram.data.get("parameters")
        names = list(own) if isinstance(own, dict) else []
        if model is not None:
            for block, flat in model.program.flat.blocks.items():
                names += [f"{block}.{key}" for key, value in flat.values.items() if isinstance(value, float)]
            names += model.state_names
        return names

    def parameters(self) -> Iterator[str]:
        from .study_actions import numbers

        yield from numbers(self.window.top)


def example_of(text: str, names: Sequence[str]) -> str:
    """Comma-separated example with names of the model: its own, else those that end alike, else the first one."""
    found = []
    for word in (part.strip() for part in text.split(",")):
        last = word[word.rfind(".") :] if "." in word else word
        found.append(word if word in names else next((one for one in names if one.endswith(last)), names[0]))
    return ", ".join(dict.fromkeys(found))
