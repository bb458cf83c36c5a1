"""Revisions of a file in git. No program named by the repository's settings is run: no pager, filter or signer."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from ...blocks.errors import NetlistError

MOST = 50  # commits that are listed
PATIENCE = 10.0  # s
FORMAT = (
    "%h%x00%as%x00%an%x00%s"  # short name, day, author, subject; git ends it by NUL, and so the file's name
)


class Revision(NamedTuple):
    name: str
    day: str
    author: str
    subject: str
    path: str  # path of the file at that commit, relative to the repository


def revisions(path: Path) -> list[Revision]:
    """Last commits that changed a file, through renames; empty outside of a repository."""
    log = ["log", "--follow", f"-n{MOST}", "--no-ext-diff", "--no-textconv", "--name-only", "-z"]
    try:
        said = _git(path.parent, *log, f"--format={FORMAT}", "--", path.name)
    except NetlistError:
        return []
    # no text of a commit holds a NUL; a file's name stands in a line of its own, and behind merges there is none
    found, fields = [], said.split("\0")
    while len(fields) > 4:
        name, day, author, subject, file, *rest = fields
        if file.startswith("\n"):
            found.append(Revision(name, day, author, subject, file[1:]))
        fields = rest if file.startswith("\n") else fields[4:]
    return found


def text_of(revision: Revision, path: Path) -> str:
    """Content of the file at a revision."""
    return _git(path.parent, "cat-file", "blob", f"{revision.name}:{revision.path}")


def _git(folder: Path, *arguments: str) -> str:
    program = shutil.which("git")
    if program is None:
        raise NetlistError("git is not installed")
    known = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        made = subprocess.run(
            [program, "--no-pager", "-c", "log.showSignature=false", "-C", str(folder), *arguments],
            env={**known, "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"},
            stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NetlistError(f"git does not answer: {error}", path=str(folder)) from None
    if made.returncode:
        raise NetlistError(made.stderr.decode(errors="replace").strip() or "git has failed", path=str(folder))
    try:
        return made.stdout.decode("utf-8")
    except UnicodeDecodeError:
        raise NetlistError("found bytes that are not UTF-8 text", path=str(folder)) from None
