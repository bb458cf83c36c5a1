"""`Module`: a model as a module of WebAssembly, which a browser runs beside a page.

Its mathematics are luff's own; a browser is asked for what is exact everywhere, as rounding and square roots are.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from ...blocks.errors import CompileError
from ..codegen.cross_compile import MACHINES
from ..kernels.model_data import R_WB, R_WB_COLUMNS
from . import model_description as xml
from .exported_model import ExportedModel
from .portable_code import Code
from .toolchain import link_module

SOURCE = Path(__file__).with_name("page.c")
# functions of the C library that JavaScript has, or `page.c`: those of `gui/html_page/engine.js`
_EXACT = "ceil copysign fabs floor fmax fmin fmod frexp ldexp nearbyint remainder rint round sqrt trunc"
MATHS = frozenset([*_EXACT.split(), "memcpy", "memmove", "memset"])


@dataclass
class Module:
    """Code, and where things are in its words."""

    code: bytes
    variables: list[xml.Variable]
    rows: int  # of signals
    poses: int  # of the first body; none without a mechanism
    stride: int  # words from body to body


def module(model: ExportedModel) -> Module:
    code = model.bitcode()
    _check(model, code)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, variables, _ = model.sources(folder, SOURCE, code)
        objects = model.objects(folder / "objects", code, "wasm32")
        features = [word.removeprefix("+") for word in MACHINES["wasm32"].features.split(",")]
        made = link_module(folder, source, objects, features)
    row = model.instance.data.row
    first = model.image.put(row) + R_WB if row.size else 0
    return Module(made, variables, model.image.rows, first, row.shape[1] if row.size else R_WB_COLUMNS)


def _check(model: ExportedModel, code: Code) -> None:
    for symbol, (needed, _) in code.items():
        for name in needed:
            if name not in code and name not in MATHS:
                owner = next((one for one in model.entry_points() if one.symbol == symbol), None)
                mistake = f"its code calls {name}, which a browser does not have"
                raise CompileError(mistake, path=getattr(owner, "label", ""))
