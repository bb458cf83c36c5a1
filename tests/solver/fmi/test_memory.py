"""FMUs in an importer in C, under valgrind where there is one: equal numbers in both versions, nothing left over."""

import shutil
from pathlib import Path

import luff
from luff.bench.fmu_memory import VALGRIND, examined, host
from luff.tests.conftest import about_compiling
from luff.tests.shared.netlists import SWINGING_ROD

pytestmark = about_compiling


def test_importer_in_c_finds_no_fault(tmp_path: Path) -> None:
    """States through bytes, mistakes, derivatives, model exchange, two instances in both versions side by side."""
    (tmp_path / "rod.yaml").write_text(SWINGING_ROD)
    file = luff.export_fmu(
        tmp_path / "rod.yaml", tmp_path / "rod.fmu", parameters=["rod.mass"], derivatives=True
    )
    importer, watched = host(tmp_path), shutil.which("valgrind") is not None
    found = examined(importer, file, 20, under=VALGRIND if watched else ())
    assert "20 steps, 4 messages, model exchange too" in found.said
    if watched:
        assert (found.errors, found.lost) == (0, 0), found.told
        assert found.blocks > 20
        assert examined(importer, file, 2, "leak").lost > 0  # an instance that is not freed is noticed
