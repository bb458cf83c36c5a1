"""What differs from system to system stands in one function each, and says of each what it does there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from luff.solver.codegen import cache_folder, python_subprocess


@pytest.mark.parametrize(
    ("system", "named", "place"),
    [
        ("linux", {}, ".cache/luff"),
        ("linux", {"XDG_CACHE_HOME": "/elsewhere"}, "/elsewhere/luff"),
        ("darwin", {"XDG_CACHE_HOME": "/elsewhere"}, "Library/Caches/luff"),
        ("win32", {}, "AppData/Local/luff/Cache"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/luff/Cache"),
    ],
)
def test_compiled_code_lies_where_the_system_keeps_such_things(
    system: str, named: dict[str, str], place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": str(tmp_path), **named}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(cache_folder.sys, "platform", system)
    assert cache_folder.usual_folder() == tmp_path / place


def test_processes_beside_do_not_hear_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert python_subprocess.own_session_options() == {"start_new_session": True}
    monkeypatch.setattr(python_subprocess.sys, "platform", "win32")
    assert python_subprocess.own_session_options() == {
        "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0x200)
    }
