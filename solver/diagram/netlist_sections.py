"""Sections of a netlist as its users read them."""

from __future__ import annotations

from ...blocks.text.raw_types import RawMap
from ..netlist.section_structure import FILES, Kind, section
from .netlist_levels import Levels


class Sections(Levels):
    """Views of the sections of a level; empty where one is missing."""

    def _view(self, name: str, kind: type[Kind]) -> Kind:
        return section(self.data, name, kind)

    @property
    def name(self) -> str:
        """Name of the netlist."""
        return str(self.data.get("name") or "")

    @property
    def doc(self) -> str:
        """Description of the netlist."""
        return str(self.data.get("doc") or "")

    @property
    def icon(self) -> str:
        """Symbol on the card where the netlist is a block: the name of a block type, or a symbol text."""
        return str(self.data.get("icon") or "")

    @property
    def parameters(self) -> RawMap:
        """Raw section `parameters:`."""
        return self._view("parameters", dict)

    @property
    def blocks(self) -> dict[str, RawMap]:
        """Raw entries of the blocks; `world` only if it overrides something."""
        blocks = self._view("blocks", dict)
        return {name: raw if isinstance(raw, dict) else {} for name, raw in blocks.items() if name != FILES}

    def block_entry(self, name: str) -> RawMap:
        """Raw entry of one block; empty if there is none.

        Parameters
        ----------
        name : str
            Name of the block.

        Returns
        -------
        dict
            As it stands under `blocks:`.
        """
        raw = self._view("blocks", dict).get(name) if name != FILES else None
        return raw if isinstance(raw, dict) else {}

    @property
    def code_files(self) -> list[str]:
        """Python files that `blocks: {files: [...]}` lists."""
        files = section(self.root.data, "blocks", dict).get(FILES)
        return [file for file in files if isinstance(file, str)] if isinstance(files, list) else []

    @property
    def connections(self) -> list[str]:
        """Texts of the connections."""
        return [text for text in self._view("connect", list) if isinstance(text, str)]

    @property
    def initial(self) -> RawMap:
        """Raw section `initial:`."""
        return self._view("initial", dict)

    @property
    def simulation(self) -> RawMap:
        """Raw section `simulation:`."""
        return self._view("simulation", dict)

    @property
    def record(self) -> list[str]:
        """Globs of the recorded signals; all by default."""
        return self._view("record", list) if "record" in self.data else ["*"]

    @property
    def plots(self) -> list[RawMap]:
        """Raw section `plots:`."""
        return self._view("plots", list)

    @property
    def dashboard(self) -> list[RawMap]:
        """Raw section `dashboard:`."""
        return self._view("dashboard", list)

    @property
    def view(self) -> RawMap:
        """Raw section `view:`."""
        return self._view("view", dict)

    @property
    def layout(self) -> RawMap:
        """Raw section `layout:`."""
        return self._view("layout", dict)

    @property
    def ports(self) -> dict[str, str]:
        """Ports that the netlist has as a block: inner ports by name."""
        return self._view("ports", dict)

    @property
    def inputs(self) -> RawMap:
        """Raw section `inputs:`."""
        return self._view("inputs", dict)

    @property
    def outputs(self) -> dict[str, str]:
        """Signals of `outputs:` by name."""
        return self._view("outputs", dict)
