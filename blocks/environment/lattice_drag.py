"""Wind drag of a lattice boom or mast (ASCE 7-10)."""

from __future__ import annotations

from collections.abc import Callable

from ..params import Choice, Param, Struct


def square_section_coefficient(e: float) -> float:
    """Force coefficient of a square section, both faces together, by the area of one face's members.

    ASCE 7-10, figure 29.5-3, of trussed towers with flat members.
    """
    return 4.0 * e * e - 5.9 * e + 4.0


def triangular_section_coefficient(e: float) -> float:
    """Force coefficient of a triangular section (ASCE 7-10, figure 29.5-3)."""
    return 3.4 * e * e - 4.7 * e + 3.4


SECTIONS: dict[str, Callable[[float], float]] = {
    "square": square_section_coefficient,
    "triangle": triangular_section_coefficient,
}


def share_of_round(e: float) -> float:
    """Factor for round members over flat ones (ASCE 7-10, figure 29.5-3)."""
    return min(0.51 * e * e + 0.57, 1.0)


class Lattice(Struct):
    """The stretch of a lattice that a drag stands for."""

    depth = Param(unit="m", gt=0, doc="of the face that the wind meets, over the chords")
    length = Param(unit="m", gt=0, doc="of the stretch along the boom")
    solidity = Param(gt=0, le=1, doc="area of the members of one face over depth times length")
    members = Choice("round", ["round", "flat"], doc="round, or with flat sides")
    section = Choice("square", list(SECTIONS), doc="square, with four chords, or triangle, with three")

    @property
    def area(self) -> float:
        """Area of the members of one face [m^2]."""
        return self.solidity * self.depth * self.length

    @property
    def coefficient(self) -> float:
        """Force coefficient of all faces together, by the area of one face's members."""
        flat = SECTIONS[self.section](self.solidity)
        return flat * (share_of_round(self.solidity) if self.members == "round" else 1.0)
