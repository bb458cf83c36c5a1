"""`luff.read`: whatever luff has written, as the object that wrote it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ..blocks.errors import LuffError, Problem
from .analysis.linearise import Linear
from .planning.motion_plan import FORMAT as PLAN
from .planning.motion_plan import Plan
from .results import mat_format
from .results.file_formats import streams
from .results.hdf5_stream import reading_results
from .results.result import read_result
from .studies import study_store
from .tuning.fit import Fit, FitFile
from .tuning.optimum import Optimum, OptimumFile

MATRICES = ("A", "B", "C", "D")
VECTORS = ("x", "u", "y")
NAMES = ("state_names", "input_names", "output_names")


def read(path: str | Path) -> Any:  # callers know what they have written
    """Read a file that luff has written.

    Parameters
    ----------
    path : str or Path
        A result (in any format of `Result.save`), a study (.h5), a linear model (.npz, .mat, .json), a fit, an optimum
        or a plan (.json), or the numbers of `luff static` (.json).

    Returns
    -------
    Result, StudyResult, Linear, Fit, Optimum, Plan or dict
        The object that wrote the file; a dictionary for other JSON. A CSV holds signals and units alone.

    Raises
    ------
    LuffError
        The file is not there, is not one of luff's, or was written by a newer luff.

    Examples
    --------
    >>> import luff, tempfile
    >>> from pathlib import Path
    >>> result = luff.compile("library/templates/pendulum.yaml").run(stop=0.1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.save(Path(folder) / "run.h5")
    ...     again = luff.read(Path(folder) / "run.h5")
    >>> bool((again["pin.position"] == result["pin.position"]).all())
    True
    """
    path = Path(path)
    if path.suffix.lower() == ".json":
        return _of_json(path)
    if streams(path):
        with reading_results(path):
            if study_store.is_study(path):
                return study_store.read_study(path)
    linear_of = _ARRAYS.get(path.suffix.lower())
    if linear_of is not None:
        with reading_results(path):
            linear = linear_of(path)
        if linear is not None:
            return linear
    return read_result(path)


def _of_json(path: Path) -> Linear | Fit | Optimum | Plan | dict[str, object]:
    with reading_results(path):
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict):
            raise LuffError(Problem("found no named values, expected what luff writes", str(path)))
        if set(MATRICES) <= content.keys():
            return _linear(content)
        if PLAN in content:
            return Plan.from_dict(content)
        if "task" in content:
            if "parameters" in content:
                return Fit.from_dict(cast("FitFile", content))
            return Optimum.from_dict(cast("OptimumFile", content))
        return content


def _of_npz(path: Path) -> Linear | None:
    with path.open("rb") as opened, np.load(opened) as content:
        return _linear(content) if set(MATRICES) <= set(content) else None


def _of_mat(path: Path) -> Linear | None:
    content = mat_format.load(path)
    return _linear(content) if set(MATRICES) <= content.keys() else None


_ARRAYS: dict[str, Callable[[Path], Linear | None]] = {".npz": _of_npz, ".mat": _of_mat}


def _linear(content: Mapping[str, npt.ArrayLike]) -> Linear:
    """Linear model of lists or arrays of a file, shaped by the names: MATLAB keeps no flat arrays."""
    names = {name: [str(np.ravel(each)[0]) for each in np.ravel(content[name])] for name in NAMES}
    n, m, p = (len(each) for each in names.values())
    shapes = dict(zip(MATRICES, ((n, n), (n, m), (p, n), (p, m)), strict=True))
    A, B, C, D = (np.asarray(content[name], float).reshape(shape) for name, shape in shapes.items())
    x, u, y = (np.asarray(content[name], float).reshape(-1) for name in VECTORS)
    words = np.ravel(content["equilibrium"]) if "equilibrium" in content else []
    return Linear(
        A=A,
        B=B,
        C=C,
        D=D,
        state_names=names["state_names"],
        input_names=names["input_names"],
        output_names=names["output_names"],
        x=x,
        u=u,
        y=y,
        t=float(np.ravel(content["t"])[0]),
        error=float(np.ravel(content["error"])[0]),
        notes=[str(each) for each in np.ravel(content["notes"])] if "notes" in content else [],
        equilibrium=str(words[0]) if len(words) else "",
    )
