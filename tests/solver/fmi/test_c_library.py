"""Static libraries: run from C as its user has it, and looked at for processors that are not here."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks import LuffError
from luff.solver.fmi.c_library_files import TARGETS
from luff.tests.conftest import about_compiling
from luff.tests.process import call
from luff.tests.shared.linked_program import linked
from luff.tests.shared.netlists import HELD_WAVE, SWINGING_ROD

pytestmark = about_compiling
# of a C library, and of what a compiler brings for arithmetic that a processor has not
KNOWN = (
    r"a?(sin|cos|tan)h?|atan2|sincos|__sincos_stret|ceil|floor|fabs|f?mod|sqrt|pow|exp|log|log10|trunc|round"
    r"|mem(cpy|set|move)|_*bzero"
)
ARITHMETIC = r"__aeabi_u?l\w+|__aeabi_d2u?lz|__aeabi_u?l2d|__(fix|float)\w+|__u?(div|mod)di3|__aeabi_mem\w+"

# an instance in exactly the memory that is promised, wherever it begins; its state comes back
USE = r"""
#include "made.h"
#include <stdio.h>
#include <string.h>
static unsigned char room[made_BYTES + 128], state[made_STATE_BYTES];
int main(void) {
    double inputs[made_INPUTS + 1] = {0}, out[made_OUTPUTS + 1], again[made_OUTPUTS + 1];
    for (int shift = 1; shift < 64; shift += 9) {
        memset(room, 0xA5, sizeof room);
        made *m = made_init(room + shift, made_BYTES);
        if (!m || made_start(m, out)) return 1;
        for (int k = 0; k < 300; k++) { inputs[0] = k < 100 ? 0.0 : 0.5; if (made_step(m, inputs, out)) return 2; }
        made_save(m, state);
        for (int k = 0; k < 200; k++) if (made_step(m, NULL, out)) return 3;
        made_load(m, state);
        for (int k = 0; k < 200; k++) if (made_step(m, inputs, again)) return 4;
        if (memcmp(out, again, sizeof(double) * made_OUTPUTS)) return 5;
        for (int k = 0; k < shift; k++) if (room[k] != 0xA5) return 6;
        for (int k = shift + made_BYTES; k < (int)sizeof room; k++) if (room[k] != 0xA5) return 7;
        if (made_set(m, 0, -1.0) == 0) return 8;
        if (shift == 1) printf("%s\n%.17g", made_text(m), made_time(m));
    }
    if (made_init(room, made_STATE_BYTES)) return 9;
    for (int k = 0; k < made_OUTPUTS; k++) printf(" %.17g", out[k]);
    return 0;
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("libraries")
    (made / "rod.yaml").write_text(SWINGING_ROD)
    words = ["--library", "--input", "pin.effort", "--parameter", "rod.mass"]
    call("export", "rod.yaml", "-o", "made", *words, cwd=made)
    return made / "made"


def test_a_controller_in_c_gives_the_numbers_of_a_run(folder: Path) -> None:
    (folder / "use.c").write_text(USE)
    library = folder / "linux-x86_64" / "libmade.a"
    done = subprocess.run([linked(folder, "use.c", library)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    told, numbers = done.stdout.splitlines()
    assert "found -1 for rod.mass, expected a number >= 0" in told
    time, *found = map(float, numbers.split())
    diagram = luff.load(folder.parent / "rod.yaml")
    diagram.add_block("push", {"type": "step", "start": 0.1, "height": 0.5, "unit": "N*m"})
    diagram.connect("push.y", "pin.effort")
    sim = luff.compile(diagram)
    result = sim.run(stop=0.5)
    header = (folder / "made.h").read_text()
    names = re.findall(r"made_out_\w+ = \d+, /\* (\S+)", header)
    assert time == pytest.approx(0.5, abs=1e-12)
    for name, value in zip(names, found, strict=True):
        if not name.startswith("fmu_input"):
            # the same code and libm, but another C library may round otherwise
            assert value == pytest.approx(float(np.ravel(result[name][-1])[0]), rel=1e-12, abs=1e-12), name


@pytest.mark.parametrize("target", TARGETS)
def test_what_a_target_has_to_bring_is_named(target: str, folder: Path) -> None:
    """Nothing but the C library's mathematics and memory, and on small processors arithmetic of 64 bits."""
    (line,) = re.findall(rf"^   {target}: (.*)$", (folder / "made.h").read_text(), re.MULTILINE)
    narrow = target in ("linux-armv7", "cortex-m7")
    for name in line.split(", "):
        assert re.fullmatch(f"{KNOWN}|{ARITHMETIC}" if narrow else KNOWN, name), name
    file = TARGETS[target].file.format("made")
    content = (folder / target / file).read_bytes()
    assert content.startswith(b"!<arch>\n")
    assert b"malloc" not in content
    # the processor's own double precision, where it has one
    assert b"__aeabi_dadd" not in content
    if (
        target == "cortex-m7"
    ):  # by the names of its own binary interface, which alone its compilers' libraries have
        assert not re.search(r"__(fix|float)\w+|__u?(div|mod)di3", line)


def test_two_models_go_into_one_program(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "wave.yaml").write_text(HELD_WAVE)
    call("export", "wave.yaml", "-o", "wave.a", "--target", "linux-x86_64", cwd=tmp_path)
    source = """#include "made.h"
#include "wave.h"
static unsigned char a[made_BYTES], b[wave_BYTES];
int main(void) {
    made *m = made_init(a, sizeof a);
    wave *w = wave_init(b, sizeof b);
    return made_start(m, 0) || wave_start(w, 0) || made_step(m, 0, 0) || wave_step(w, 0, 0);
}
"""
    (tmp_path / "two.c").write_text(source)
    words = [
        sys.executable,
        "-m",
        "ziglang",
        "cc",
        "-target",
        "x86_64-linux-gnu.2.17",
        f"-I{folder}",
        "-I.",
        "two.c",
    ]
    words += [str(folder / "linux-x86_64" / "libmade.a"), "wave.a", "-lm", "-o", "two"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    assert subprocess.run([str(tmp_path / "two")], check=False).returncode == 0


def test_export_into_a_folder_replaces_what_an_earlier_one_has_written(tmp_path: Path) -> None:
    (tmp_path / "wave.yaml").write_text(HELD_WAVE)
    made, words = tmp_path / "made", ("export", "wave.yaml", "--library", "--target", "linux-x86_64")
    call(*words, "--target", "cortex-m7", "-o", "made", cwd=tmp_path)
    (made / "main.c").write_text("int main(void) { return 0; }")
    (made / "cortex-m7" / "board.ld").write_text("")
    before = (made / "made.h").read_text()
    call(*words, "--set", "simulation.step=0.002", "-o", "made", cwd=tmp_path)
    there = {str(one.relative_to(made)) for one in made.rglob("*") if one.is_file()}
    texts = {"made.h", "example.c", "CMakeLists.txt"}
    assert there == texts | {"linux-x86_64/libmade.a", "main.c", "cortex-m7/board.ld"}
    assert (made / "made.h").read_text() != before
    # what was written by hand, under a name of luff's
    (made / "CMakeLists.txt").write_text("project(mine)")
    done = call(*words, "-o", "made", cwd=tmp_path, code=1)
    assert "made/CMakeLists.txt: found a file that luff has not written" in done.stderr
    assert (made / "CMakeLists.txt").read_text() == "project(mine)"


@pytest.mark.parametrize(
    ("there", "asked", "told"),
    [
        ("made/main.c", "made", "found a folder with other files"),
        ("made", "made", "found a file, expected a folder"),
        ("made.h", "made.a", "made.h: found a file that luff has not written"),
        ("made.a/main.c", "made.a", "found a folder, expected a file"),
    ],
)
def test_export_leaves_what_it_has_not_made(there: str, asked: str, told: str, tmp_path: Path) -> None:
    (tmp_path / there).parent.mkdir(exist_ok=True)
    (tmp_path / there).write_text("mine")
    with pytest.raises(LuffError, match=told):
        luff.export_library(luff.loads(HELD_WAVE), tmp_path / asked)
    assert [one.read_text() for one in tmp_path.rglob("*") if one.is_file()] == ["mine"]


def test_mistakes_are_told(tmp_path: Path) -> None:
    (tmp_path / "rod.yaml").write_text(SWINGING_ROD)
    done = call("export", "rod.yaml", "-o", "rod.a", "--target", "avr", cwd=tmp_path, code=2)
    assert 'found "avr", expected linux-x86_64' in done.stderr
    with pytest.raises(LuffError, match="found 2 targets for one file"):
        luff.export_library(tmp_path / "rod.yaml", tmp_path / "rod.a", targets=["cortex-m7", "linux-armv7"])


@pytest.mark.parametrize("name", ["int", "class", "time", "double", "model"])
def test_a_library_named_like_a_word_of_c_compiles(name: str, tmp_path: Path) -> None:
    """In C and in C++, beside the headers that a program may include; the name that it has is in the header."""
    (tmp_path / "rod.yaml").write_text(SWINGING_ROD)
    call("export", "rod.yaml", "-o", f"{name}.a", cwd=tmp_path)
    header = (tmp_path / f"{name}.h").read_text()
    (own,) = re.findall(r"typedef struct (\w+) \1;", header)
    assert own == f"{name}_model"
    includes = "".join(f"#include <{each}.h>\n" for each in ("stdio", "stdlib", "string", "math", "time"))
    text = f"""{includes}#include "{name}.h"
static unsigned char memory[{own}_BYTES];
int main(void) {{ {own} *m = {own}_init(memory, sizeof memory); return m ? {own}_start(m, NULL) : 1; }}
"""
    for suffix, compiler in ((".c", "cc"), (".cpp", "c++")):
        (tmp_path / f"use{suffix}").write_text(text)
        words = [
            sys.executable,
            "-m",
            "ziglang",
            compiler,
            f"use{suffix}",
            f"{name}.a",
            "-lm",
            "-o",
            f"use{suffix}.out",
        ]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert subprocess.run([str(tmp_path / f"use{suffix}.out")]).returncode == 0
    call("export", "rod.yaml", "-o", f"{name}.a", cwd=tmp_path)  # takes the place of its own
