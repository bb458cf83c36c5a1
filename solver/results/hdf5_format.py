"""HDF5: everything, for any size; `hdf5_stream.py` has the layout."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .hdf5_members import signals
from .hdf5_stream import StreamWriter, read_hdf5
from .recorded_run import RecordedRun, blocks, description


def write(result: RecordedRun, path: Path) -> None:
    about = description(result)
    for name in ("quality", "status", "message", "remarks"):  # told at the end
        del about[name]
    with StreamWriter(path, result.columns, result.units, about) as writer:
        for rows in blocks(result):
            writer.append(result.time[rows], result.table[rows])
        writer.close(result.status, result.message, result.quality, result.remarks)


read = read_hdf5


def columns(path: Path) -> dict[str, tuple[np.ndarray, str]]:
    """Data sets of one dimension, by their paths: `run/angle`."""
    return {name: (values, "") for name, values in signals(path).items()}
