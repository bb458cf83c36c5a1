"""Results in files other programs read: the format follows the name's extension.

- `.h5`: everything, for any size (see `stream.py`).
- `.csv`: `time [s]`, then a column per element, `slew.position [rad]`; numbers keep every bit.
- `.mat`: MATLAB. `time`; `signals` and `units` as nested structs, `signals.slew.position`; `info`.
- `.npz`: numpy. `time`, each signal under its own name, and `luff`: the rest as JSON.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TextIO

import numpy as np

from ...blocks.errors import LuffError, Problem, RunError, did_you_mean
from .recorded import Recorded, signal_of
from .stream import StreamWriter, read_hdf5, reading_results, reason, to_json

Tree = dict[str, object]  # of trees, and at its ends of names, units or arrays

_ROWS = 65536  # written at a time, so that memory stays flat
_HEADER = re.compile(r"(?P<name>.*?)(?: \[(?P<unit>[^\[\]]*)\])?")
_DESCRIPTION = ("quality", "parameters", "netlist", "version", "status", "message", "plots", "remarks")


def check_extension(path: str | Path, known: Collection[str] | None = None) -> str:
    """The extension of a file that a result can be saved to; an error where there is no such format."""
    path, known = Path(path), known or _WRITERS
    if path.suffix not in known:
        found = (
            f'found "{path.suffix}", expected {", ".join(known)}'
            if path.suffix
            else f"add {', '.join(known)}"
        )
        fix = did_you_mean(path.suffix, known) if path.suffix else ""
        raise LuffError(Problem(f"a result file's format is its extension: {found}", str(path), fix))
    return path.suffix


def save(result: Recorded, path: str | Path) -> None:
    """Write a result in the format that the extension names."""
    path = Path(path)
    write = _WRITERS[check_extension(path)]
    with replacing(path, "the result") as part:
        write(result, part)


def read(path: str | Path) -> Recorded:
    """Read `.h5`, `.npz`, `.mat` or `.csv`, as far as each carries."""
    path = Path(path)
    load = _READERS[check_extension(path, _READERS)]
    with reading_results(path):
        return load(path)


@contextmanager
def replacing(path: Path, what: str) -> Iterator[Path]:
    """A name to write to, which becomes `path` once all is well: a failed save loses no earlier file."""
    part = path.with_name(f"{path.stem}.part{path.suffix}")
    try:
        yield part
        os.replace(part, path)
    except OSError as error:
        raise RunError(Problem(f"cannot save {what}: {reason(error)}", str(path))) from error
    finally:
        with contextlib.suppress(OSError):  # a name that is too long, for one
            part.unlink(missing_ok=True)


def _description(result: Recorded) -> dict[str, object]:
    found: dict[str, object] = {name: getattr(result, name) for name in _DESCRIPTION}
    return found | {"remarks": [remark.record() for remark in result.remarks]}


def _blocks(result: Recorded) -> Iterator[slice]:
    return (slice(k, k + _ROWS) for k in range(0, len(result), _ROWS))


def _write_hdf5(result: Recorded, path: Path) -> None:
    about = _description(result)
    for name in ("quality", "status", "message", "remarks"):  # told at the end
        del about[name]
    with StreamWriter(path, result.columns, result.units, about) as writer:
        for rows in _blocks(result):
            writer.append(result.time[rows], result.table[rows])
        writer.close(result.status, result.message, result.quality, result.remarks)


def _write_csv(result: Recorded, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        write_csv(result, file)


def write_csv(result: Recorded, file: TextIO) -> None:
    """Lines of a CSV into a file that is open, or a pipe."""

    def header(name: str) -> str:
        unit = result.units.get(name, "")
        return f"{name} [{unit}]" if unit else name

    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([header("time"), *map(header, result.columns)])
    for rows in _blocks(result):
        # Python floats are written by repr: the shortest text that reads back as the same number
        writer.writerows(np.column_stack((result.time[rows], result.table[rows])).tolist())


def _read_csv(path: Path) -> Recorded:
    with path.open(newline="", encoding="utf-8") as file:
        heads = [_HEADER.fullmatch(text) for text in next(csv.reader(file), [])]
        first = next(file, "")
        rows = (
            np.loadtxt(chain([first], file), delimiter=",", ndmin=2) if first else np.empty((0, len(heads)))
        )
    names = [head["name"] if head else "" for head in heads]
    if not names or names[0] != "time":
        raise RunError(
            Problem("a result's first column is time", str(path), "is this a CSV that luff wrote?")
        )
    units = {head["name"]: head["unit"] or "" for head in heads if head}
    return Recorded(rows[:, 0], names[1:], rows[:, 1:], units)


def _write_npz(result: Recorded, path: Path) -> None:
    about = {**_description(result), "columns": result.columns, "units": result.units}
    arrays = {"time": result.time, "luff": np.array(to_json(about))}
    arrays.update((name, result[name]) for name in result.names)
    np.savez(path, **arrays)  # pyright: ignore[reportArgumentType] -- keywords are array names


def _read_npz(path: Path) -> Recorded:
    with np.load(path) as file:
        if "luff" not in file:
            raise RunError(Problem("an archive of arrays, but not a result of luff", str(path)))
        about = json.loads(file["luff"].item())
        time, columns = file["time"], about.pop("columns")
        arrays = {name: file[name] for name in file.files if name not in ("time", "luff")}
    # columns of a signal are in the order of its array
    elements = {name: iter(array.reshape(len(time), -1).T) for name, array in arrays.items()}
    table = np.empty((len(time), len(columns)))
    for k, column in enumerate(columns):
        table[:, k] = next(elements[signal_of(column)])
    about["remarks"] = [*map(Problem.from_record, about.get("remarks", ()))]
    return Recorded(time, columns, table, **about)


def _write_mat(result: Recorded, path: Path) -> None:
    from scipy.io import savemat

    signals: Tree = {}
    units: Tree = {}
    for name in result.names:
        _nest(signals, name, result[name])
        _nest(units, name, result.units[name])
    info = {
        name: value if isinstance(value, str) else to_json(value)
        for name, value in _description(result).items()
    }
    # what other programs have no use for, and `read` needs: the names before MATLAB's rules
    info["luff"] = to_json({**_description(result), "columns": result.columns, "units": result.units})
    content = {"time": result.time, "signals": signals, "units": units, "info": info}
    try:
        savemat(path, content, appendmat=False, long_field_names=True, oned_as="column")
    except ValueError as error:
        raise RunError(
            Problem(f"MATLAB's format does not hold this: {error}", str(path), "use .h5")
        ) from error


def _read_mat(path: Path) -> Recorded:
    from scipy.io import loadmat

    content = loadmat(path, struct_as_record=False)
    info = getattr(content["info"][0, 0], "luff", None) if "info" in content else None
    if info is None:
        raise RunError(Problem("a file of MATLAB, but not a result of luff", str(path)))
    about = json.loads(str(info[0]))
    columns = about.pop("columns")
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
    about["remarks"] = [*map(Problem.from_record, about.get("remarks", ()))]
    return Recorded(time, columns, table, **about)


def _unnested(places: Tree, structs: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Names of signals and their arrays, by the places that `_nest` gave the names."""
    for field, inside in places.items():
        found = getattr(structs[0, 0], field)
        if isinstance(inside, dict):
            yield from _unnested(inside, found)
        else:
            yield str(inside), found


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


_WRITERS: dict[str, Callable[[Recorded, Path], None]] = {
    ".h5": _write_hdf5,
    ".csv": _write_csv,
    ".mat": _write_mat,
    ".npz": _write_npz,
}
_READERS: dict[str, Callable[[Path], Recorded]] = {
    ".h5": read_hdf5,
    ".npz": _read_npz,
    ".mat": _read_mat,
    ".csv": _read_csv,
}
