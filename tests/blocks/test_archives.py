"""Archives from outside: what unpacks to more than a machine has to give is refused before it is unpacked."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from luff.tests.process import call

MB = 1_000_000
STRUCTURE = """<?xml version="1.0"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" version="1.0"
  name="bomb"><ssd:System name="bomb"><ssd:Elements>
  <ssd:Component name="a" type="application/x-fmu-sharedlibrary" source="resources/0.fmu"/>
</ssd:Elements></ssd:System></ssd:SystemStructureDescription>
"""
MODEL = "luff: 1\nblocks: {a: {type: fmu, file: bomb.fmu}}\nsimulation: {stop: 1, step: 0.1}\n"


@pytest.fixture(scope="module")
def bomb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """650 MB of zeros in less than a megabyte and a half."""
    folder = tmp_path_factory.mktemp("bomb")
    with zipfile.ZipFile(folder / "bomb.ssp", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("SystemStructure.ssd", STRUCTURE)
        archive.writestr("modelDescription.xml", "<fmiModelDescription/>")
        for k in range(13):
            archive.writestr(f"resources/{k}.fmu", bytes(50 * MB))
    assert (folder / "bomb.ssp").stat().st_size < 4 * MB
    for name in ("bomb.fmu", "bomb.npz"):
        (folder / name).write_bytes((folder / "bomb.ssp").read_bytes())
    (folder / "model.yaml").write_text(MODEL)
    return folder


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("import", "bomb.ssp", "-o", "made.yaml"), 1),
        (("check", "model.yaml"), 1),
        (("export", "bomb.npz", "-o", "rows.csv"), 3),
    ],
)
def test_an_archive_that_unpacks_to_too_much_is_refused(
    words: tuple[str, ...], code: int, bomb: Path
) -> None:
    said = call(*words, cwd=bomb, code=code).stderr
    assert "it unpacks to 650 MB, more than the 500 MB that it may" in said
    assert not (bomb / "made.yaml").exists()
    assert not (bomb / "rows.csv").exists()
