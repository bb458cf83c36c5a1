"""MATLAB: `time`; `signals` and `units` as nested structs, `signals.slew.position`; `info`."""

from __future__ import annotations

import io
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...blocks.errors import Problem, RunError
from ..codegen.python_subprocess import python_words
from .file_columns import vectors
from .hdf5_members import signals as signals_in_hdf5
from .hdf5_stream import to_json
from .recorded_run import FORMAT, RecordedRun, description, readable, signal_of

Tree = dict[str, object]  # of trees, and at its ends of names, units or arrays


def write(result: RecordedRun, path: Path) -> None:
    from scipy.io import savemat

    signals: Tree = {}
    units: Tree = {}
    for name in result.names:
        _nest(signals, name, result[name])
        _nest(units, name, result.units[name])
    info = {
        name: value if isinstance(value, str) else to_json(value)
        for name, value in description(result).items()
    }
    # what other programs have no use for, and `read` needs: the names before MATLAB's rules
    info["luff"] = to_json(
        {"format": FORMAT, **description(result), "columns": result.columns, "units": result.units}
    )
    content = {"time": result.time, "signals": signals, "units": units, "info": info}
    try:
        savemat(path, content, appendmat=False, long_field_names=True, oned_as="column")
    except ValueError as error:
        raise RunError(
            Problem(f"MATLAB's format does not hold this: {error}", str(path), "use .h5")
        ) from error


def load(path: Path, **options: Any) -> dict[str, Any]:
    """The variables of a file. scipy reads some damaged ones beyond the end of its memory, and may end its process: so
    it reads in one beside this one, which hands on what it understood."""
    words = [str(path.resolve()), json.dumps(options)]
    done = subprocess.run(python_words(__name__, *words), capture_output=True, check=False)
    if done.returncode != 0:
        raise ValueError("it is damaged")
    content = _Variables(io.BytesIO(done.stdout)).load()
    if isinstance(content, Exception):
        raise content
    return content


ARRAYS = ("ndarray", "dtype", "_reconstruct", "scalar", "_frombuffer")  # what arrays are made of again


class _Variables(pickle.Unpickler):
    """Arrays, what scipy makes of structs, and what it says of files that it cannot read; nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        cls = super().find_class(module, name)
        errors = isinstance(cls, type) and issubclass(cls, Exception)
        arrays = module.partition(".")[0] == "numpy" and name in ARRAYS
        if errors or arrays or module.startswith("scipy.io.matlab"):
            return cls
        raise ValueError("it is damaged")


def main() -> None:
    """Process that reads a file and writes its variables, or the error, to standard output."""
    from scipy.io import loadmat

    try:
        content: object = loadmat(sys.argv[1], **json.loads(sys.argv[2]))
    except Exception as error:
        content = error
    sys.stdout.buffer.write(pickle.dumps(content))


def read(path: Path) -> RecordedRun:
    content = load(path, struct_as_record=False)
    info = getattr(content["info"][0, 0], "luff", None) if "info" in content else None
    if info is None:
        raise RunError(Problem("a file of MATLAB, but not a result of luff", str(path)))
    about = json.loads(str(info[0]))
    columns = about.pop("columns")
    readable(about.pop("format", 1), about.get("version", ""), path)
    about["remarks"] = [*map(Problem.from_record, about.get("remarks", ()))]
    places: Tree = {}
    for name in dict.fromkeys(map(signal_of, columns)):
        _nest(places, name, name)
    time = content["time"].reshape(-1)
    elements = {
        name: iter(values.reshape(len(time), -1).T) for name, values in _unnested(places, content["signals"])
    }
    table = np.empty((len(time), len(columns)))
    for k, column in enumerate(columns):
        table[:, k] = next(elements[signal_of(column)])
    return RecordedRun(time, columns, table, **about)


def _unnested(places: Tree, structs: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Names of signals and their arrays, by the places that `_nest` gave the names."""
    for field, inside in places.items():
        value = getattr(structs[0, 0], field)
        if isinstance(inside, dict):
            yield from _unnested(inside, value)
        else:
            yield str(inside), value


def _nest(tree: Tree, name: str, value: object) -> None:
    """Put `slew.position` at tree["slew"]["position"], under names that MATLAB allows.

    A signal whose name is also the beginning of others, `pd` beside `pd.out`, is `pd.value`.
    """
    *parents, leaf = (_matlab_name(part) for part in name.split("."))
    for parent in parents:
        branch = tree.setdefault(parent, {})
        if not isinstance(branch, dict):
            branch = tree[parent] = {"value": branch}
        tree = branch
    below = tree.get(leaf)
    if isinstance(below, dict):
        tree, leaf = below, "value"
    while leaf in tree:
        leaf += "_"
    tree[leaf] = value


def _matlab_name(part: str) -> str:
    name = re.sub(r"\W", "_", part, flags=re.ASCII)
    return (name if name[:1].isalpha() else f"x{name}")[:63]


def columns(path: Path) -> dict[str, tuple[np.ndarray, str]]:
    try:
        content = load(path)
    except NotImplementedError:  # version 7.3 is HDF5
        return {name: (values, "") for name, values in signals_in_hdf5(path).items()}
    return vectors({name: np.asarray(each) for name, each in content.items() if not name.startswith("__")})
