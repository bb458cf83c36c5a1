"""Library models as static libraries for other processors, run by QEMU beside luff's own run.

`python -m luff.bench.libraries [NAME ...]` writes bench/results/libraries.md; Debian's qemu-user, qemu-system-arm,
libnewlib-arm-none-eabi and libc6-{arm64,armhf,riscv64}-cross have what it needs. Each program is linked with
nothing undefined, and gives its library memory of the size that the header promises, between bytes that have to stay.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import luff
from luff.solver.codegen.cache_folder import cache_dir
from luff.solver.diagram.composite_types import LIBRARY
from luff.solver.fmi.c_library_files import TARGETS

from .report import keep

STEPS = 1000  # of the example
GUARD = 64  # bytes on either side
NAMES = (
    "bridge_crane_hoist", "crane_demo", "crane_gpme", "crane_knuckle_boom", "crane_offshore", "luffing_circuit",
    "tower_crane",
)  # fmt: skip
# target -> what runs it, and where its C library is
RUN = {
    "linux-x86_64": [],
    "linux-aarch64": ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
    "linux-armv7": ["qemu-arm", "-L", "/usr/arm-linux-gnueabihf"],
    "linux-riscv64": ["qemu-riscv64", "-L", "/usr/riscv64-linux-gnu"],
    "cortex-m7": ["qemu-system-arm", "-M", "mps2-an500", "-semihosting", "-nographic", "-kernel"],
}
BARE = "cortex-m7"  # a board without a system, with newlib as its C library
NEWLIB = Path("/usr/lib/arm-none-eabi/newlib/thumb/v7e-m+dp/hard")


def around(target: str) -> list[str]:
    """What a program is linked with beside its own."""
    if target != BARE:
        return ["-lm"]
    here = Path(__file__).parent
    own = [str(here / "cortex_m7.c"), "-T", str(here / "cortex_m7.ld"), "-nostartfiles"]
    own += ["-isystem", "/usr/include/newlib", "-isystem", "/usr/lib/arm-none-eabi/include"]
    return [*own, *(str(NEWLIB / f"lib{name}.a") for name in ("m", "rdimon", "c"))]


def guarded(example: str, name: str) -> str:
    """The example, with its library's memory between bytes that nobody may change."""
    size = f"{name}_BYTES"
    checked = f"""for (int k = 0; k < {GUARD}; k++)
        if (memory[k] != 0xA5 || memory[{GUARD} + {size} + k] != 0xA5) return fprintf(stderr, "written beside\\n"), 2;
    printf("%.17g", """
    for before, after in (
        (f"memory[{size}]", f"memory[{size} + {2 * GUARD}]"),
        ("(memory, sizeof memory)", f"((char *)memset(memory, 0xA5, sizeof memory) + {GUARD}, {size})"),
        ("#include <stdio.h>", "#include <stdio.h>\n#include <string.h>"),
        ('printf("%.17g", ', checked),
    ):
        assert before in example, before
        example = example.replace(before, after, 1)
    return example


def outputs(folder: Path, name: str, target: str) -> np.ndarray:
    """Time and outputs behind the last step of the example."""
    library, about = folder / target / TARGETS[target].file.format(name), TARGETS[target]
    words = [sys.executable, "-m", "ziglang", "cc", "-target", about.zig]
    words += [flag for flag in about.flags if flag.startswith("-mcpu")]
    (folder / "guarded.c").write_text(guarded((folder / "example.c").read_text(), name))
    words += ["-I.", "guarded.c", str(library), *around(target), "-o", f"{target}.exe"]
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache_dir() / "zig")}
    subprocess.run(words, cwd=folder, check=True, capture_output=True, env=environment)
    done = subprocess.run(
        [*RUN[target], f"./{target}.exe"], cwd=folder, check=True, capture_output=True, text=True
    )
    return np.array(done.stdout.split(), float)


def measured(name: str, folder: Path, targets: list[str]) -> str:
    path = LIBRARY / f"{name}.yaml"
    luff.export_library(path, folder / name, targets=targets, parameters=["world.*"])
    sim = luff.compile(path)
    result = sim.run(stop=STEPS * sim.settings.step)
    columns = sim.program.columns
    table = np.column_stack([np.asarray(result[column.name]) for column in columns])
    units = np.array([column.unit for column in columns])
    largest = np.abs(table).max(axis=0)
    scale = np.array([max(largest[units == unit].max(), 1e-300) for unit in units])
    cells = []
    for target in targets:
        values = outputs(folder / name, name, target)
        cells.append(f"{np.max(np.abs(values[1:] - table[-1]) / scale):.0e}")
    text = (folder / name / f"{name}.h").read_text()
    (size,) = [line.split()[2] for line in text.splitlines() if line.startswith(f"#define {name}_BYTES")]
    kb = (folder / name / targets[0] / TARGETS[targets[0]].file.format(name)).stat().st_size / 1000
    return f"| {name} | {kb:.0f} | {int(size) / 1000:.0f} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    names = parser.parse_args().names
    targets = [name for name, words in RUN.items() if not words or shutil.which(words[0])]
    if not NEWLIB.exists():
        targets = [name for name in targets if name != BARE]
    lines = [
        f"Static libraries after {STEPS} steps: the worst difference of all outputs from luff's own run, in parts",
        "of the largest number of the same unit in that run; Linux on other processors by QEMU, Cortex-M7 as a board",
        "of its own. None wrote beside the memory that it was given.",
        "",
        f"| model | library kB | memory kB | {' | '.join(targets)} |",
        "|---" * (3 + len(targets)) + "|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            lines.append(measured(name, Path(folder), targets))
            print(lines[-1], flush=True)
    keep("libraries.md", lines)


if __name__ == "__main__":
    main()
