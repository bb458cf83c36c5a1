"""Files of robots that were made to harm: they end with one error, soon, and tell nothing of other files."""

from __future__ import annotations

from pathlib import Path

import pytest

import luff
from luff.solver.exchange import read_model

MODEL = "<mujoco><worldbody>{}</worldbody></mujoco>"
BODY = '<body><joint/><geom type="sphere" size="1"/></body>'


@pytest.mark.parametrize("inside", ["", "<site/>"])
@pytest.mark.parametrize("depth", [2, 50])
def test_nested_replicates_end(inside: str, depth: int, tmp_path: Path) -> None:
    """Without a body, of which there is a largest number."""
    text = '<replicate count="1000" offset="1 0 0">' * depth + inside + "</replicate>" * depth
    path = tmp_path / "bomb.xml"
    path.write_text(MODEL.format(BODY + text))
    with pytest.raises(luff.LuffError, match=r"bomb\.xml:1:\d+: .*make more than 50000 elements"):
        read_model(path)


@pytest.mark.parametrize(
    "how", ["../secret.txt", "{folder}/secret.txt", "link.xml", "a\0b", "../model/../secret.txt"]
)
def test_include_stays_in_its_folder(how: str, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text(
        "<mujoco><worldbody><geom type='password: 1234'/></worldbody></mujoco>"
    )
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "link.xml").symlink_to(tmp_path / "secret.txt")
    path = tmp_path / "model" / "robot.xml"
    name = how.format(folder=tmp_path).replace("\0", "&#1;")
    path.write_text(f'<mujoco><include file="{name}"/><worldbody>{BODY}</worldbody></mujoco>')
    with pytest.raises(luff.LuffError) as told:
        read_model(path)
    assert "1234" not in str(told.value)
    assert "outside of the model's folder" in str(told.value) or "robot.xml:1" in str(told.value)


@pytest.mark.parametrize(
    "head",
    [
        '<?xml version="1.0" encoding="nothing-known"?>',
        '<?xml version="1.0" encoding="utf-32"?>',
        '<?xml version="1.0" encoding="rot13"?>',
        '<?xml version="1.0" encoding="hex"?>',
        '<?xml version="1.0" encoding="idna"?>',
        '<?xml version="1.0" encoding="shift_jis"?>',
        '<?xml version="1.0" encoding="undefined"?>',
        '<?xml version="9.9"?>',
    ],
)
@pytest.mark.parametrize("root", ["mujoco", 'robot name="x"'])
def test_encodings_that_are_none_are_told(head: str, root: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(f"{head}<{root}></{root.split()[0]}>")
    with pytest.raises(luff.LuffError, match=r"robot\.xml.*"):
        read_model(path)


def test_pipe_is_no_model(tmp_path: Path) -> None:
    import os

    if not hasattr(os, "mkfifo"):
        pytest.skip("pipes of POSIX")
    os.mkfifo(tmp_path / "robot.urdf")
    with pytest.raises(luff.LuffError, match="is a pipe"):
        read_model(tmp_path / "robot.urdf")
