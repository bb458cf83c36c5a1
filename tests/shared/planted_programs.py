"""Files in a folder that would run if Python looked for modules there."""

from __future__ import annotations

import sys
from pathlib import Path

# of Python itself, of what luff needs, and luff
NAMES = {
    *sys.stdlib_module_names,
    *(
        "luff",
        "numpy",
        "scipy",
        "numba",
        "llvmlite",
        "yaml",
        "pint",
        "typer",
        "click",
        "rich",
        "h5py",
        "matplotlib",
    ),
    *(
        "pandas",
        "pyarrow",
        "xarray",
        "distributed",
        "dask",
        "PySide6",
        "pyqtgraph",
        "OpenGL",
        "control",
        "gymnasium",
    ),
    *("ziglang", "fmpy", "imageio_ffmpeg", "PIL", "sitecustomize", "usercustomize"),
}
CODE = "from pathlib import Path\nPath({ran!r}).open('a').write(__name__ + '\\n')\n"


def plant(folder: Path, ran: Path) -> None:
    """A file for every name, which writes into `ran` that it ran."""
    for name in NAMES:
        (folder / f"{name}.py").write_text(CODE.format(ran=str(ran)))
