"""`luff new --block NAME`: an installable package with a block, its icon, a test and a netlist."""

from __future__ import annotations

import keyword
from pathlib import Path

from .console import UsageError
from .run_outputs import check_writable

PYPROJECT = """[build-system]
requires = ["setuptools>=68"]
build-backend = "setuptools.build_meta"

[project]
name = "luff-{name}"
version = "0.1.0"
description = "A block for luff: {name}"
requires-python = ">=3.11"
dependencies = ["luff"]

[project.optional-dependencies]
test = ["pytest"]

# luff finds the block by this group; a package may name several
[project.entry-points."luff.blocks"]
{name} = "luff_{name}:{cls}"

[tool.setuptools]
packages = ["luff_{name}"]
"""
MODULE = '''"""The block `{name}`. What a block may declare and do: `pydoc luff.blocks.block`."""

from luff.blocks import Block, In, Out, Param, State


class {cls}(Block):
    """A first-order lag: T dx/dt = k u - x, y = x."""

    type_name = "{name}"
    # in a box of 48 by 32 around the origin, y downwards: M move, L line, C curve, R x y width height, O x y radius
    icon = "M -18 12 L 18 12 M -18 12 C -12 -10 -2 -10 18 -10"
    u, y = In(doc="input"), Out(doc="output")
    k = Param(1.0, doc="gain")
    T = Param(0.1, "s", gt=0, doc="time constant")
    x = State(0.0, doc="output")

    def der(x, u, k, T):
        return (k * u - x) / T

    def out(x):
        return x
'''
NETLIST = """luff: 1
name: {name}
blocks:
  step: {{type: step, start: 0}}
  lag: {{type: {name}, k: 2, T: 0.5 s}}
connect: [step.y -> lag.u]
simulation: {{stop: 3 s, step: 10 ms}}
plots: [{{y: [step.y, lag.y]}}]
"""
TEST = '''"""The block alone, against the solution by hand."""

import luff
import numpy as np


def test_answer_to_a_step():
    """y = k (1 - exp(-t / T)); RK4 at T / 50 is off by some 1e-9."""
    result = luff.alone("{name}", {{"u": 1.0}}, stop=3.0, step=0.01, k=2, T="0.5 s")
    assert np.allclose(result["it.y"], 2 * (1 - np.exp(-result.time / 0.5)), rtol=0, atol=1e-8)
'''
README = """# luff-{name}

A block for luff. In this folder:

    pip install -e '.[test]'
    pytest
    luff blocks {name}
    luff run {name}.yaml --plot {name}.png
    luff gui {name}.yaml
"""


def write_package(name: str) -> Path:
    """Write the package and return its folder."""
    plain = name.isascii() and name.isidentifier() and name == name.lower()
    if not plain or keyword.iskeyword(name):
        mistake = f'found "{name}", expected lower-case letters, digits and underscores'
        raise UsageError(mistake, path="--block", fix="for example my_filter")
    from ..blocks import registered

    if name in registered():
        raise UsageError(f'there is a block "{name}" already', path="--block", fix="choose another name")
    root = Path(f"luff-{name}")
    if root.exists():
        raise UsageError("there is such a file or folder already", path=str(root), fix="choose another name")
    check_writable(root)
    cls = "".join(word.capitalize() for word in name.split("_"))
    files = {
        "pyproject.toml": PYPROJECT, f"luff_{name}/__init__.py": MODULE, f"{name}.yaml": NETLIST,
        f"tests/test_{name}.py": TEST, "README.md": README,
    }  # fmt: skip
    for place, text in files.items():
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(name=name, cls=cls), "utf-8")
    return root
