"""Files of MJCF, and MuJoCo's models of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from luff.bench.robots import mujoco


def written(folder: Path, text: str, name: str = "robot.xml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def compiled(text: str) -> Any:
    return mujoco.MjModel.from_xml_string(text)
