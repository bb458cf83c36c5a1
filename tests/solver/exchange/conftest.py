"""Folders in which MuJoCo runs."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo logs its warnings in the folder that it runs in."""
    monkeypatch.chdir(tmp_path)
