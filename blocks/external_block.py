"""Blocks whose values come from outside of the model: another program's model, another process, a device.

A run meets such a block at its communication points alone, at t = 0 and then every `step`: first it takes the outputs,
which stand until the next point, then it hands over the inputs. So an input reaches an output one step later.

Analyses take a `ContinuousBlock` in its place where there is one: its states count among those of the model.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar, Protocol

from .block import Block
from .errors import LuffError, Problem
from .params import Names, Param, Text
from .text.data_files import WAMIT_ENDINGS, named_file, within
from .text.safe_read import file_content, read_once


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


class ExternalBlock(Block, abstract=True):
    """Base of blocks with a partner; all ports are signals of known widths, element after element."""

    step = Param(0.01, "s", gt=0, live=False, doc="time between communication points, rounded to steps")


class ProgramBlock(ExternalBlock, ABC, abstract=True):
    """Base of blocks that talk to other programs or devices."""

    @abstractmethod
    def open(self) -> ExternalPartner:
        """Begin to talk; LuffError where that cannot be, or is not allowed."""


class ModelBlock(ExternalBlock, abstract=True):
    """Base of blocks that run a model of their own, another netlist: the solver compiles it and opens their partner."""

    partner: ClassVar[str] = ""  # room of the solver, and module in it, that has `open_partner`
    needed = ("model",)
    model = Text("", doc="netlist of the model; its name counts from the netlist's folder")
    inputs = Names(
        (), follows=False, doc="inputs of the model that this block is told or gives, in their order"
    )

    def model_path(self) -> Path:
        """Path of the model's netlist."""
        if not self.model:
            raise LuffError("no model is named", path=self.name, fix="model: ./plant.yaml")
        return named_file(self.folder, self.model, self.files, "a netlist")

    def reads(self) -> Iterable[str]:
        return read_once(_netlist_texts, self.model_path(), tuple(self.files)).digests if self.model else []

    def check(self) -> Iterable[Problem]:
        if self.model:  # as it comes from the palette: a run tells
            try:
                self.model_path()
            except LuffError as error:
                yield from (problem.at(path=".model") for problem in error.problems)


def _netlist_texts(path: Path, files: tuple[Path, ...]) -> None:
    """Read a netlist and all files that texts in it name, so that changes of them are seen.

    Those in its folder or one of the folders `files`: the model may read no other.
    """
    waiting, known, folders = [path], {path}, (path.parent, *files)
    while waiting:
        one = waiting.pop()
        text = (file_content(one, "a netlist") or b"").decode("utf-8", "replace")
        if one.suffix != ".yaml":
            continue
        names = ("".join(found).strip() for found in _SCALARS.findall(text))
        for named in (one.parent / (name + ending) for name in names for ending in ("", *WAMIT_ENDINGS)):
            if named not in known and os.path.isfile(named) and within(named, folders):
                known.add(named)
                waiting.append(named)


_SCALARS = re.compile(
    r"""\"([^\"\n]+)\"|'([^'\n]+)'|([^\s,:{}\[\]\"'#][^,:{}\[\]\"'#\n]*)"""
)  # quoted, and plain


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
