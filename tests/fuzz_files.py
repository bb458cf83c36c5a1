"""Malformed files of every kind that luff reads: no traceback, no hang, no warning of a library, no silent garbage.

`python -m luff.tests.fuzz_files 5000 --seed 1` breaks sound files of each kind in turn, reads them as a user would, and
ends with a table: how many were read, how many were refused with one error, what failed. Readers run in a process of
their own, which may crash.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import multiprocessing
import os
import random
import shutil
import signal
import struct
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

import luff
from luff.blocks.errors import LuffError
from luff.solver.results.file_formats import FORMATS
from luff.tests.fuzz import mutated as mutated_text

LONGEST = 1500  # letters of an error
HANG = 60  # seconds for one file; a sound one takes a hundredth
SINE = "luff: 1\nblocks: {s: {type: sine}, k: {type: gain}}\nconnect: [s.y -> k.u]\nsimulation: {stop: 1, step: 0.1}\n"
TABLE = "luff: 1\nblocks: {t: {type: table, file: BROKEN}}\nsimulation: {stop: 0.1, step: 0.1}\n"
VESSEL = "luff: 1\nblocks: {v: {type: vessel_motion, file: BROKEN}}\n"
SEA = "".join(f"{0.1 * k:.1f}" + f", {0.01 * k:g}" * 12 + "\n" for k in range(20))
FMU = "luff: 1\nblocks: {f: {type: fmu, file: BROKEN}}\n"
BODY = """\
luff: 1
blocks:
  f: {type: free}
  b: {type: rigid_link, shape: {kind: mesh, file: BROKEN, density: 1}}
connect: [world.frame -- f.frame_a, f.frame_b -- b.frame_a]
"""
STUDY = """\
luff: 1
name: sines
model: ./model.yaml
variants: {grid: {k.k: [1, 2], s.amplitude: [1, 2]}, list: {more: {k.k: 3}}}
require: [{title: t, metric: peak, of: k.y, below: 10}]
tables: [{title: peaks, columns: [{metric: peak, of: k.y}]}]
plots: [{title: curves, y: [k.y]}]
"""
FIT = """\
luff: 1
model: ./model.yaml
fit:
  parameters: {k.k: {lower: 0, upper: 10}}
  data: [{file: run.csv, signals: {k.y: k.y}}]
"""
URDF = """<robot name="arm">
  <link name="base"/>
  <link name="rod">
    <inertial><origin xyz="0 0 1"/><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual><geometry><mesh filename="box.obj" scale="1 1 1"/></geometry></visual>
  </link>
  <joint name="pin" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/><dynamics damping="0.1" friction="0.2"/></joint>
</robot>
"""
MJCF = """<mujoco model="arm">
  <compiler angle="radian" eulerseq="xyz"/> <option gravity="0 0 -9.81" timestep="0.001"/>
  <default><joint damping="0.1"/><default class="big"><geom size="0.2 0.1"/></default></default>
  <asset><mesh name="box" file="box.obj"/></asset>
  <worldbody>
    <body name="a" pos="0 0 1" euler="0 0.1 0"><joint name="j" axis="0 1 0" range="-1 1" springdamper="0.1 1"/>
      <geom class="big" type="capsule" fromto="0 0 0 0 0 1"/><site name="s"/>
      <body name="b" pos="0 0 1"><joint type="slide"/><geom type="mesh" mesh="box"/></body>
      <replicate count="3" offset="0.1 0 0"><geom type="sphere" size="0.1"/></replicate></body>
  </worldbody>
  <equality><connect body1="b" anchor="0 0 1"/></equality>
</mujoco>
"""
DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" guid="x" numberOfEventIndicators="0"><CoSimulation modelIdentifier="m"/>
<ModelVariables><ScalarVariable name="u" valueReference="1" causality="input">
<Real start="0.5" unit="m"/></ScalarVariable>
<ScalarVariable name="y" valueReference="2" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="n" valueReference="3" causality="parameter"><Integer start="3"/></ScalarVariable></ModelVariables>
<ModelStructure><Outputs><Unknown index="2"/></Outputs></ModelStructure></fmiModelDescription>
"""


@dataclass(frozen=True)
class Kind:
    """A sound file, how a user has it read, and whether it is text."""

    name: str
    whole: bytes
    read: Callable[[Path], object]
    text: bool = False


def named_in(text: str) -> Callable[[Path], object]:
    """A netlist beside the file, which names it."""

    def read(path: Path) -> object:
        (path.parent / "naming.yaml").write_text(text.replace("BROKEN", path.name))
        return luff.compile(path.parent / "naming.yaml").program.params

    return read


def study_of(path: Path) -> object:
    results = luff.read(path)
    return [results[name] for name in results] if hasattr(results, "statuses") else results


def measured(path: Path) -> object:
    from luff.solver.results.file_columns import columns_with_units

    return columns_with_units(path, "a table")


def netlist(path: Path) -> object:
    return luff.compile(path).program.params


def task(path: Path) -> object:
    from luff.solver.tuning import tuning_file as tuning

    return tuning.load(path, "fit")


def robot(path: Path) -> object:
    from luff.solver.exchange import read_model

    return read_model(path).text


def study(path: Path) -> object:
    from luff.solver.studies import load

    return load(path)


def archive(way: int) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", way) as file:
        file.writestr("modelDescription.xml", DESCRIPTION)
        file.writestr("binaries/linux64/m.so", b"\0" * 100)
    return kept.getvalue()


def kinds(folder: Path) -> list[Kind]:
    """All of them; what they need lies in the folder."""
    from luff.tests.blocks.test_shapes import glb, gltf, numbers, obj, stl_binary, stl_text

    (folder / "model.yaml").write_text(SINE)
    (folder / "box.obj").write_bytes(obj())
    result = luff.compile(folder / "model.yaml").run()
    result.save(folder / "run.csv")
    (folder / "sound.yaml").write_text(STUDY)
    luff.study(folder / "sound.yaml", folder / "sound.h5", jobs=1)
    found = [Kind("study's .h5", (folder / "sound.h5").read_bytes(), study_of)]
    for one in FORMATS:
        result.save(folder / f"run{one.suffix}")
        whole = (folder / f"run{one.suffix}").read_bytes()
        found.append(Kind(f"result {one.suffix}", whole, luff.read, one.suffix == ".csv"))
        found.append(
            Kind(f"measured {one.suffix}", foreign(folder, one.suffix), measured, one.suffix == ".csv")
        )
    found += [
        Kind("netlist .yaml", SINE.encode(), netlist, True),
        Kind("study .yaml", STUDY.encode(), study, True),
        Kind("fit .yaml", FIT.encode(), task, True),
        Kind("table of a block .csv", b"# t, y\n0, 1\n0.5, 2\n1, 3\n", named_in(TABLE), True),
        Kind("motion of a vessel .csv", SEA.encode(), named_in(VESSEL), True),
        Kind("URDF", URDF.encode(), robot, True),
        Kind("MJCF .xml", MJCF.encode(), robot, True),
        Kind("mesh .stl", stl_binary(), named_in(BODY)),
        Kind("mesh text .stl", stl_text(), named_in(BODY), True),
        Kind("mesh .obj", obj(), named_in(BODY), True),
        Kind("mesh .glb", glb(), named_in(BODY)),
        Kind("mesh .gltf", json.dumps(gltf(numbers())).encode(), named_in(BODY), True),
        Kind("mesh .msh", msh(), named_in(BODY)),
        Kind("stored .fmu", archive(zipfile.ZIP_STORED), named_in(FMU)),
        Kind("packed .fmu", archive(zipfile.ZIP_DEFLATED), named_in(FMU)),
        Kind("xz-packed .fmu", archive(zipfile.ZIP_LZMA), named_in(FMU)),
        Kind("numbers .json", json.dumps({"phi": 1.0, "list": [1, 2]}).encode(), luff.read, True),
    ]
    return found


def foreign(folder: Path, suffix: str) -> bytes:
    """What another program has measured."""
    from scipy.io import savemat

    t = np.linspace(0.0, 1.0, 11)
    path = folder / f"foreign{suffix}"
    if suffix == ".csv":
        path.write_text("time [s];angle [deg]\n".replace(";", ",") + "".join(f"{x:g},{x * x:g}\n" for x in t))
    elif suffix == ".mat":
        savemat(path, {"time": t, "angle": t * t, "name": "x", "cell": np.array([1, "a"], object)})
    elif suffix == ".npz":
        np.savez_compressed(path, time=t, angle=t * t, whole=np.arange(11))
    elif suffix == ".parquet":
        import pyarrow
        from pyarrow import parquet

        parquet.write_table(pyarrow.table({"time": t, "angle": t * t, "word": ["a"] * 11}), path)
    else:
        import h5py

        with h5py.File(path, "w") as file:
            file.create_dataset("time", data=t, compression="gzip")
            file["run/angle"] = t * t
    return path.read_bytes()


def msh() -> bytes:
    """A tetrahedron."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4")
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], "<i4")
    return struct.pack("<4i", 4, 0, 0, 4) + corners.tobytes() + faces.tobytes()


INTERESTING = [
    b"\0",
    b"\xff",
    b"\x7f",
    b"\x80",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\0\0\0\x80",
    bytes(8),
]
INTERESTING += [struct.pack("<d", x) for x in (np.nan, np.inf, -1e308)] + [
    b"\xff" * 8,
    b"nan",
    b"9" * 30,
    b"-1",
]
NUMBERS = [
    "nan",
    "inf",
    "-1",
    "1e999",
    "9" * 30,
    "9" * 5000,
    "0",
    "-0",
    "1e-320",
    "",
    "x",
    "1,2",
    "0x10",
    "1_0",
    "\u0663",
]


def broken_bytes(data: bytes, pick: random.Random) -> bytes:
    """Bits, bytes, words and pieces of a binary file."""
    for _ in range(pick.choice([1, 1, 2, 5, 30])):
        at, way = pick.randrange(max(1, len(data))), pick.randrange(8)
        if way <= 2 and data:
            data = data[:at] + bytes([data[at] ^ (1 << pick.randrange(8))]) + data[at + 1 :]
        elif way <= 4:
            put = pick.choice(INTERESTING)
            data = data[:at] + put + data[at + len(put) :]
        elif way == 5:
            data = data[:at] if pick.random() < 0.3 else data[:at] + data[at + pick.choice([1, 4, 8, 100]) :]
        elif way == 6:
            data = data[:at] + data[at : at + pick.choice([1, 4, 64])] * pick.choice([2, 3, 50]) + data[at:]
        else:
            other = pick.randrange(max(1, len(data)))
            data = data[:at] + data[other : other + 16] + data[at + 16 :]
    return data


def broken_text(data: bytes, pick: random.Random) -> bytes:
    """As netlists are broken; numbers become others."""
    if pick.random() < 0.4:
        return broken_bytes(data, pick)
    if pick.random() < 0.5:
        words = data.decode().replace('"', ' " ').split(" ")
        for _ in range(pick.choice([1, 2])):
            words[pick.randrange(len(words))] = pick.choice(NUMBERS)
        return " ".join(words).replace(' " ', '"').encode()
    return mutated_text(data.decode(), pick)


class Hang(Exception):
    """A file that is read for ever."""


def ring(*_: object) -> None:
    raise Hang(f"longer than {HANG} s")


def outcome(kind: Kind, path: Path) -> tuple[str, str]:
    """`read`, `refused` or `failed`, and what was said."""
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, ring)
        signal.alarm(HANG)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = kind.read(path)
    except LuffError as error:
        said = str(error)
        lost = [str(one) for one in error.problems if not one.message.strip()]
        named = path.stem in said or any(one.mark for one in error.problems)
        if lost or not named:
            return "failed", f"an error without the file's name: {said}"
        long = [one for one in map(str, error.problems) if len(one) > LONGEST]
        return (
            ("failed", f"an error that nobody reads to its end: {long[0]:.500}")
            if long
            else ("refused", said)
        )
    except Exception:
        return "failed", traceback.format_exc()
    finally:
        if hasattr(signal, "SIGALRM"):
            signal.alarm(0)
    return ("read", "") if sound(found) else ("failed", f"silent garbage: {found!r:.200}")


def sound(found: object) -> bool:
    """Of what is read as a result: as many rows and names as numbers. What numbers they are nothing in a file tells."""
    if isinstance(found, list):
        return all(map(sound, found))
    if isinstance(found, luff.Result):
        return found.table.shape == (len(found.time), len(found.columns))
    if isinstance(found, Mapping):
        pairs = [value for value in found.values() if isinstance(value, tuple)]
        return all(values.ndim == 1 and values.dtype == float for values, _ in pairs)
    return True


def suffix_of(kind: Kind) -> str:
    return kind.name[kind.name.rindex(".") :] if "." in kind.name else ".xml"


def work(folder: str, jobs: list[tuple[int, int]], seed: int, told: Connection) -> None:
    """A process: (number of the file, of its kind); it says each before it reads it, so that a crash is known."""
    place = Path(folder)
    every_folder = Path(tempfile.mkdtemp(dir=folder))
    every = kinds(every_folder)
    for name in ("model.yaml", "box.obj", "run.csv"):  # which others name
        shutil.copy(every_folder / name, place)
    for kind in every:  # what refuses a sound file would pass all that follows
        path = place / f"sound{suffix_of(kind)}"
        path.write_bytes(kind.whole)
        assert outcome(kind, path)[0] == "read", f"{kind.name}: {outcome(kind, path)[1]}"
    for number, which in jobs:
        kind, pick = every[which], random.Random(f"{seed}/{number}")
        told.send((number, which, "begun", ""))
        data = (broken_text if kind.text else broken_bytes)(kind.whole, pick)
        path = (
            place
            / f"broken-{os.getpid()}{kind.name[kind.name.rindex('.') :] if '.' in kind.name else '.xml'}"
        )
        path.write_bytes(data)
        with contextlib.redirect_stdout(io.StringIO()):
            what, said = outcome(kind, path)
        if what == "failed":
            (place / f"failed-{seed}-{number}{path.suffix}").write_bytes(data)
        told.send((number, which, what, said))
    told.send(None)


def cases(count: int, seed: int, folder: Path) -> tuple[dict[str, Counter[str]], list[str]]:
    """Break so many files of all kinds in turn; how they ended by kind, and what failed."""
    names = [kind.name for kind in kinds(Path(tempfile.mkdtemp(dir=folder)))]
    table, failed = {name: Counter[str]() for name in names}, []
    todo = [(number, number % len(names)) for number in range(count)]
    context = multiprocessing.get_context("spawn")
    while todo:
        told, sender = context.Pipe(duplex=False)  # which loses nothing that was said before a crash
        process = context.Process(target=work, args=(str(folder), todo, seed, sender))
        process.start()
        sender.close()
        ended: set[int] = set()
        begun: tuple[int, int] | None = None
        while True:
            try:
                word = told.recv() if told.poll(2 * HANG) else (*begun, "crashed", "hangs") if begun else None
            except EOFError:
                process.join()
                word = (*begun, "crashed", f"exit code {process.exitcode}") if begun else None
            if word is None:
                break
            number, which, what, said = word
            if what == "begun":
                begun = number, which
                continue
            ended.add(number)
            table[names[which]][what] += 1
            if what not in ("read", "refused"):
                failed.append(f"{names[which]}, file {number} of seed {seed}: {what}: {said}")
            if what == "crashed":
                for left in folder.glob(f"broken-{process.pid}*"):
                    left.rename(folder / f"failed-{seed}-{number}-{left.name}")
                break
        process.kill()  # what hangs in a library hears no alarm
        process.join()
        todo = [job for job in todo if job[0] not in ended]
        if not ended:
            raise RuntimeError(f"the process ended with code {process.exitcode} before its first file")
    return table, failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    options = parser.parse_args()
    began = time.perf_counter()
    folder = Path(tempfile.mkdtemp(prefix="luff-fuzz-"))
    table, failed = cases(options.count, options.seed, folder)
    for line in failed:
        print(f"== {line}")
    print("| kind | files | read | refused | failed |\n|---|---:|---:|---:|---:|")
    for name, counts in table.items():
        bad = sum(counts.values()) - counts["read"] - counts["refused"]
        print(f"| {name} | {sum(counts.values())} | {counts['read']} | {counts['refused']} | {bad} |")
    print(f"{options.count} files, seed {options.seed}, kept in {folder}: {len(failed)} failed, ", end="")
    print(f"in {time.perf_counter() - began:.0f} s")
    return bool(failed)


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "Agg")
    sys.exit(main())
