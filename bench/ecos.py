"""FMUs of luff in Ecos, an importer in C++: the same numbers as `luff run`, to the last bit.

Ecos is in no extra of luff: make an environment with `pip install ecospy tbb` and name its interpreter:
`python -m luff.bench.ecos ENVIRONMENT/bin/python`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import luff

ROOT = Path(luff.__file__).resolve().parent
CASES = (
    ("templates/pendulum", 2, "pin.position"),
    ("templates/pendulum", 3, "pin.position"),
    ("crane_demo", 2, "sling.alpha"),
)
STEP, STEPS = 0.01, 500
SCRIPT = """
import json, sys
from ecospy import EcosSimulation, EcosSimulationStructure
file, name, step, steps = json.loads(sys.argv[1])
with EcosSimulationStructure() as structure:
    structure.add_model("m", file)
    with EcosSimulation(structure=structure, step_size=step) as simulation:
        simulation.init()
        simulation.step(steps)
        print("found", repr(simulation.get_real("m::" + name)))
"""


def in_ecos(python: Path, file: Path, name: str) -> float:
    environment = {**os.environ, "LD_LIBRARY_PATH": str(python.parents[1] / "lib")}  # where tbb's library is
    asked = json.dumps([str(file), name, STEP, STEPS])
    done = subprocess.run(
        [python, "-c", SCRIPT, asked], env=environment, text=True, capture_output=True, check=True
    )
    return float(done.stdout.rpartition("found")[2])


def main() -> None:
    python, differ = Path(sys.argv[1]).absolute(), 0
    with tempfile.TemporaryDirectory() as folder:
        for model, fmi, name in CASES:
            netlist = ROOT / "library" / f"{model}.yaml"
            file = luff.export_fmu(netlist, Path(folder) / f"model{fmi}.fmu", fmi=fmi, parameters=["world.*"])
            own = float(luff.compile(netlist).run(stop=STEP * STEPS)[name][-1])
            there = in_ecos(python, file, name)
            differ += own != there
            print(f"{model}, FMI {fmi}: {name} = {own!r} in luff, {there!r} in Ecos")
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
