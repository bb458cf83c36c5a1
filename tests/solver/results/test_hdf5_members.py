"""Result files that point elsewhere, wait for somebody, or are damaged: one error, and nothing of others is read."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import h5py
import numpy as np
import pytest

import luff
from luff.blocks.errors import LuffError, RunError
from luff.solver.results.file_columns import columns_with_units
from luff.solver.results.hdf5_members import HEAP
from luff.tests.process import PATIENCE

SECRET = 1234.5
SINE = "luff: 1\nblocks: {s: {type: sine}}\nsimulation: {stop: 0.1, step: 0.05}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    luff.compile(luff.loads(SINE)).run(output=tmp_path / "run.h5")
    (tmp_path / "model.yaml").write_text(SINE)
    (tmp_path / "study.yaml").write_text("luff: 1\nmodel: ./model.yaml\nvariants: {list: {one: {}}}\n")
    luff.study(tmp_path / "study.yaml", tmp_path / "study.h5", jobs=1)
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["data"] = other["signal"] = np.full((3, 2), SECRET)
        other["x"] = np.full(3, SECRET)
    (tmp_path / "raw.bin").write_bytes(np.full(6, SECRET).tobytes())
    return tmp_path


def external(file: h5py.Group, path: Path) -> None:
    del file["data"]
    file.create_dataset("data", (3, 2), "<f8", external=[(str(path / "raw.bin"), 0, 48)])


def virtual(file: h5py.Group, path: Path) -> None:
    del file["data"]
    layout = h5py.VirtualLayout((3, 2), "<f8")
    layout[:] = h5py.VirtualSource(str(path / "other.h5"), "data", (3, 2))
    file.create_virtual_dataset("data", layout)


def link(file: h5py.Group, path: Path) -> None:
    del file["data"]
    file["data"] = h5py.ExternalLink(str(path / "other.h5"), "/data")


def soft_link(file: h5py.Group, path: Path) -> None:
    del file["data"]
    file["away"] = h5py.ExternalLink(str(path / "other.h5"), "/")
    file["data"] = h5py.SoftLink("/away/data")


@pytest.mark.parametrize("how", [external, virtual, link, soft_link])
def test_numbers_of_another_file_are_refused(how, folder: Path) -> None:
    with h5py.File(folder / "run.h5", "r+") as file:
        how(file, folder)
    with pytest.raises(RunError, match=r"run\.h5: not a result that luff wrote"):
        luff.read(folder / "run.h5")
    with h5py.File(folder / "study.h5", "r+") as file:
        how(file["variants/one"], folder)
    with pytest.raises(LuffError, match=r"study\.h5: not a result that luff wrote"):
        _ = luff.read(folder / "study.h5")["one"]


def test_group_of_another_file_is_refused(folder: Path) -> None:
    shutil.copy(folder / "study.h5", folder / "copy.h5")
    with h5py.File(folder / "study.h5", "r+") as file:
        del file["variants"]
        file["variants"] = h5py.ExternalLink(str(folder / "copy.h5"), "/variants")
    with pytest.raises(LuffError, match=r"study\.h5: not a result that luff wrote"):
        _ = luff.read(folder / "study.h5")["one"]


def test_measured_signals_come_from_the_file_itself(folder: Path) -> None:
    path = folder / "measured.h5"
    with h5py.File(path, "w") as file:
        file["time"] = np.arange(3.0)
        file.create_dataset("external", (6,), "<f8", external=[(str(folder / "raw.bin"), 0, 48)])
        layout = h5py.VirtualLayout((3,), "<f8")
        layout[:] = h5py.VirtualSource(str(folder / "other.h5"), "x", (3,))
        file.create_virtual_dataset("virtual", layout)
        file["linked"] = h5py.ExternalLink(str(folder / "other.h5"), "/x")
    assert columns_with_units(path, "a table").keys() == {"time"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
@pytest.mark.parametrize("suffix", [".h5", ".csv", ".mat", ".npz", ".parquet", ".json"])
def test_pipe_is_refused_and_not_waited_for(suffix: str, tmp_path: Path) -> None:
    """In a process of its own, which would not end."""
    os.mkfifo(tmp_path / f"run{suffix}")
    code = f"import luff\ntry: luff.read('run{suffix}')\nexcept luff.LuffError as error: print(error)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert "is a pipe, expected a result" in done.stdout


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_pipe_behind_a_name_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with h5py.File(folder / "run.h5", "r+") as file:
        del file["data"]
        file.create_dataset("data", (3, 2), "<f8", external=[(str(folder / "pipe"), 0, 48)])
    code = "import luff\ntry: luff.read('run.h5')\nexcept luff.LuffError as error: print(error)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert "the numbers of data lie in another file" in done.stdout


def test_damaged_files_are_told_as_such(folder: Path, seed: int) -> None:
    """Whatever bytes are wrong; the rows may be, for which HDF5 keeps no checksums."""
    pick = random.Random(seed)
    for name in ("run.h5", "study.h5"):
        whole = (folder / name).read_bytes()
        for _ in range(60):
            data = bytearray(whole)
            for _ in range(pick.choice([1, 3, 20])):
                data[pick.randrange(min(len(data), 6000))] = pick.randrange(256)
            (folder / "bad.h5").write_bytes(data[: pick.choice([len(data), pick.randrange(len(data))])])
            with suppress(LuffError):
                read = luff.read(folder / "bad.h5")
                _ = [read[one] for one in read] if name == "study.h5" else read.time


def test_heap_without_end_is_told(folder: Path) -> None:
    """Free space of no size in a heap of texts, in which the HDF5 library never comes to an end: in its own process."""
    for name in ("run.h5", "study.h5"):
        data = bytearray((folder / name).read_bytes())
        at = data.index(HEAP)
        data[at + 16 : at + 32] = bytes(16)
        (folder / name).write_bytes(data)
        code = f"import luff\ntry: luff.read('{name}')\nexcept luff.LuffError as error: print(error)"
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
        )
        assert done.stdout == f"{name}: not a result that luff wrote: ValueError: its texts are damaged\n"
