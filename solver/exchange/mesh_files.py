"""Mesh files of a source, and their names in a netlist of some folder."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlparse

from ...blocks.errors import LuffError
from ...blocks.geometry.mesh_readers import ENDINGS, READERS, read_mesh
from ...blocks.text.data_files import within


class MeshFiles:
    """A netlist reads its own folder and what lies below: meshes elsewhere stay where they are, and are told."""

    def __init__(self, netlist: Path):
        self.netlist = netlist.resolve()
        self._known: dict[Path, tuple[str, str]] = {}

    def named(self, path: Path) -> tuple[str, str]:
        """The name in the netlist; or empty, and why."""
        path = path.resolve()
        if path not in self._known:
            why = self._why_not(path)
            self._known[path] = ("", why) if why else (path.relative_to(self.netlist).as_posix(), "")
        return self._known[path]

    def _why_not(self, path: Path) -> str:
        if path.suffix.lower() not in READERS:
            return f"luff reads {ENDINGS}, not {path.suffix.lower() or 'files without an ending'}"
        if not path.is_file():
            return "its file is not there"
        if not within(path, [self.netlist]):
            return "its file lies neither in the netlist's folder nor below; write the netlist above it (-o)"
        try:
            read_mesh(path)
        except LuffError as error:
            return f"its file {error.problems[0].message}"
        return ""


def of_uri(uri: str, source: Path) -> Path:
    """The file that a URDF names: `package://` looks for the package's folder around the source."""
    parts = urlparse(uri)
    if parts.scheme == "package":
        inside = unquote(parts.path).lstrip("/")
        for folder in source.resolve().parents:
            for package in (folder, folder / parts.netloc):
                if package.name == parts.netloc and (package / inside).is_file():
                    return package / inside
        return source.parent / inside
    if parts.scheme == "file":
        return Path(unquote(parts.path))
    return source.parent / uri
