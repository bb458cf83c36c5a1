"""Blocks whose values come from outside of the model: another program's model, another process, a device.

A run meets such a block at its communication points alone, at t = 0 and then every `step`: first it takes the outputs,
which stand until the next point, then it hands over the inputs. So an input reaches an output one step later.

Analyses take a `ContinuousBlock` in its place where there is one: its states count among those of the model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

from .block import Block
from .params import Param


class ExternalPartner(Protocol):
    """Program or device that a run exchanges signals with; opened when the run begins.

    Errors are `LuffError`s, or any other, and end the run.
    """

    def outputs(self, t: float) -> Sequence[float]:
        """Values at t, in the order of the block's outputs."""
        ...

    def inputs(self, t: float, values: Sequence[float]) -> None:
        """Values from t on, in the order of the block's inputs."""
        ...

    def close(self) -> None:
        """End the exchange: the run is over."""
        ...


class ExternalBlock(Block, ABC, abstract=True):
    """Base of blocks that talk to other programs; all ports are signals of known widths, element after element."""

    step = Param(0.01, "s", gt=0, live=False, doc="time between communication points, rounded to steps")

    @abstractmethod
    def open(self) -> ExternalPartner:
        """Begin to talk; LuffError where that cannot be, or is not allowed."""


class ContinuousBlock(Block, ABC, abstract=True):
    """Block whose states have their rates from outside, at any time and state; `direct` outputs follow inputs at once.

    Numbers are in the order of `states` and inputs, answers in that of rates and outputs. Errors are `LuffError`s, or
    any other, and end the analysis.
    """

    states_outside: Sequence[tuple[str, str, float]] = ()  # name, unit, value at the start
    sizes: Sequence[float] = ()  # of states and inputs: what is much of each
    direct: Sequence[bool] = ()
    left_out = ""  # what an analysis does not see of it, in words
    inexact = ""  # why its slopes are differences, where they are

    @abstractmethod
    def evaluate(self, t: float, given: Sequence[float]) -> Sequence[float]: ...

    @abstractmethod
    def slopes(self, t: float, given: Sequence[float]) -> Sequence[Sequence[float]]:
        """Derivatives of the answers by each of these numbers, a number a row; not called where they are inexact."""
        ...
