"""`luff diff` and `luff merge` as processes, and what git makes of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from luff.tests.process import call

BASE = """\
luff: 1
blocks:
  bar: {type: rigid_link, mass: 2 t}  # the bar
  pin: {type: revolute, axis: y, damping: 1}
connect: [world.frame -- pin.frame_a, pin.frame_b -- bar.frame_a]
"""


def luff(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return call(*arguments, cwd=cwd, code=None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "base.yaml").write_text(BASE)
    (tmp_path / "ours.yaml").write_text(BASE.replace("2 t", "3 t").replace("# the bar", "# weighed"))
    (tmp_path / "theirs.yaml").write_text(BASE.replace("damping: 1", "damping: 2"))
    return tmp_path


def test_diff_says_it_in_words_json_and_pictures(folder: Path) -> None:
    made = luff("diff", folder / "base.yaml", "ours.yaml", "--exit-code", "-o", "page.html", cwd=folder)
    assert (made.returncode, made.stdout) == (1, "blocks\n  bar.mass: 2 t -> 3 t\n")
    page = (folder / "page.html").read_text()
    assert page.count("<svg") == 3  # one around two
    assert page.count('stroke="#956800"') == 2  # the bar, on both
    assert "bar.mass: 2 t -&gt; 3 t" in page
    assert "<h1>base.yaml and ours.yaml</h1>" in page
    record = json.loads(luff("diff", "base.yaml", "ours.yaml", "--json", cwd=folder).stdout)
    assert record["changes"] == [
        {"path": ["blocks", "bar", "mass"], "kind": "changed", "before": "2 t", "after": "3 t"}
    ]


def test_merge_takes_both_and_tells_conflicts(folder: Path) -> None:
    made = luff("merge", "base.yaml", "ours.yaml", "theirs.yaml", cwd=folder)
    both = BASE.replace("2 t", "3 t").replace("# the bar", "# weighed").replace("damping: 1", "damping: 2")
    assert (made.returncode, made.stdout, made.stderr) == (0, both, "")
    (folder / "theirs.yaml").write_text(BASE.replace("2 t", "4 t"))
    made = luff("merge", "base.yaml", "ours.yaml", "theirs.yaml", "-o", "merged.yaml", cwd=folder)
    assert made.returncode == 1
    assert made.stderr == "conflict in blocks.bar.mass: 2 t before, here 3 t, there 4 t\n"
    assert "# conflict in blocks.bar.mass" in (folder / "merged.yaml").read_text()


def test_merge_tells_a_mistake_that_neither_side_had(folder: Path) -> None:
    """One removes what the other wires: no entry is in conflict, and the whole is wrong."""
    ours = "luff: 1\nblocks:\n  pin: {type: revolute, axis: y, damping: 1}\nconnect: [world.frame -- pin.frame_a]\n"
    (folder / "ours.yaml").write_text(ours)
    (folder / "base.yaml").write_text(BASE)
    more = BASE.replace("]\n", ", bar.frame_b -- arm.frame_a]\n")
    more = more.replace("connect", "  arm: {type: rigid_link}\nconnect")
    (folder / "theirs.yaml").write_text(more)
    made = luff("merge", "base.yaml", "ours.yaml", "theirs.yaml", "-o", "merged.yaml", cwd=folder)
    assert made.returncode == 1
    assert made.stderr == 'merged.yaml:7:5: bar.frame_b: there is no block "bar" (did you mean "arm"?)\n'


def git(*arguments: str, cwd: Path) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"]
    return subprocess.run(
        ["git", *who, *arguments], cwd=cwd, capture_output=True, text=True, check=True
    ).stdout


def test_git_uses_both(tmp_path: Path) -> None:
    """The settings are those of docs/changes.md."""
    command = f"{sys.executable} -m luff"
    git("init", "-q", ".", cwd=tmp_path)
    git("config", "merge.luff.driver", f"{command} merge %O %A %B -o %A", cwd=tmp_path)
    (tmp_path / ".gitattributes").write_text("*.yaml merge=luff\n")
    (tmp_path / "crane.yaml").write_text(BASE)
    git("add", "-A", cwd=tmp_path)
    git("commit", "-qm", "crane", cwd=tmp_path)
    git("checkout", "-qb", "heavy", cwd=tmp_path)
    (tmp_path / "crane.yaml").write_text(BASE.replace("bar:", "beam:").replace("bar.frame", "beam.frame"))
    git("commit", "-qam", "another name", cwd=tmp_path)
    git("checkout", "-q", "main", cwd=tmp_path)
    (tmp_path / "crane.yaml").write_text(BASE.replace("2 t", "3 t"))
    said = git("difftool", "-y", "-x", f"{command} diff", cwd=tmp_path)
    assert "bar.mass: 2 t -> 3 t" in said
    git("commit", "-qam", "heavier", cwd=tmp_path)
    git("merge", "-q", "--no-edit", "heavy", cwd=tmp_path)
    assert "beam: {type: rigid_link, mass: 3 t}" in (tmp_path / "crane.yaml").read_text()
