"""Cross sections of beams: area, second moments and torsion constant from a shape's sizes, or as numbers.

Width runs along y and height along z; I_y is the integral of z^2 (bending about y), I_z that of y^2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from ..errors import Problem
from ..params import Choice, Param, Struct, Use


class Constants(NamedTuple):
    """Area [m^2], second moments about y and z, torsion constant [m^4]."""

    A: float
    I_y: float
    I_z: float
    J: float


def rectangle(width: float, height: float) -> Constants:
    """J by Saint-Venant's series (Timoshenko and Goodier, Theory of Elasticity, 1970, art. 109)."""
    short, long = sorted((width, height))
    # the terms fall like n^-5, and n = 39 is below 1e-8 of the first
    series = sum(math.tanh(n * math.pi * long / (2.0 * short)) / n**5 for n in range(1, 41, 2))
    J = long * short**3 * (1.0 - 192.0 / math.pi**5 * short / long * series) / 3.0
    return Constants(width * height, width * height**3 / 12.0, height * width**3 / 12.0, J)


def box(width: float, height: float, thickness: float) -> Constants:
    """J by Bredt's formula 4 a^2 t / s, with area a and length s of the wall's middle line: for thin walls."""
    b, h = width - 2.0 * thickness, height - 2.0 * thickness
    middle_width, middle_height = width - thickness, height - thickness
    return Constants(
        width * height - b * h,
        (width * height**3 - b * h**3) / 12.0,
        (height * width**3 - h * b**3) / 12.0,
        2.0 * thickness * (middle_width * middle_height) ** 2 / (middle_width + middle_height),
    )


def circle(diameter: float) -> Constants:
    return tube(diameter, 0.5 * diameter)


def tube(diameter: float, thickness: float) -> Constants:
    """J is the polar second moment, exact for round sections; `diameter` is the outer one."""
    inner = diameter - 2.0 * thickness
    polar = math.pi / 32.0 * (diameter**4 - inner**4)
    return Constants(math.pi / 4.0 * (diameter**2 - inner**2), 0.5 * polar, 0.5 * polar, polar)


def i_beam(width: float, height: float, thickness: float, flange: float) -> Constants:
    """Two flanges across the ends of a web along z; J is the sum of b t^3 / 3 over the three plates: for thin ones."""
    web = height - 2.0 * flange
    return Constants(
        2.0 * width * flange + web * thickness,
        (width * height**3 - (width - thickness) * web**3) / 12.0,
        (2.0 * flange * width**3 + web * thickness**3) / 12.0,
        (2.0 * width * flange**3 + web * thickness**3) / 3.0,
    )


class Lattice(NamedTuple):
    """Four chords at the corners, and on each face one diagonal in each panel; tubes, by diameter and wall.

    Chords alone carry N and moments. Torsion runs through the diagonals: a face shears as a wall of the thickness
    E/G A_d p b / d^3 (what a diagonal of length d gives when a panel of p and b is sheared), by Bredt's formula.
    """

    width: float  # between the axes of the chords
    height: float
    diameter: float
    thickness: float
    bracing: float
    wall: float
    panel: float

    def constants(self) -> Constants:
        chord, brace = tube(self.diameter, self.thickness), tube(self.bracing, self.wall).A
        faces = [(b, self.diagonal(b)) for b in (self.width, self.height)]
        lengths = sum(b / (STEEL * brace * self.panel * b / d**3) for b, d in faces)
        return Constants(
            4.0 * chord.A,
            chord.A * self.height**2 + 4.0 * chord.I_y,
            chord.A * self.width**2 + 4.0 * chord.I_z,
            2.0 * (self.width * self.height) ** 2 / lengths + 4.0 * chord.J,
        )

    def diagonal(self, across: float) -> float:
        """Length of a diagonal on a face [m]."""
        return math.hypot(self.panel, across)

    def mass_area(self) -> float:
        """Area of the chords and, as long as they are, of the diagonals."""
        diagonals = 2.0 * (self.diagonal(self.width) + self.diagonal(self.height)) / self.panel
        return 4.0 * tube(self.diameter, self.thickness).A + tube(self.bracing, self.wall).A * diagonals

    def shear_coefficients(self) -> tuple[float, float]:
        """Shear coefficients kappa along y and z: the diagonals of two faces, kappa A = 2 E/G A_d p b^2 / d^3 each."""
        area, brace = self.constants().A, tube(self.bracing, self.wall).A
        faces = ((b, self.diagonal(b)) for b in (self.width, self.height))
        along_y, along_z = (2.0 * STEEL * brace * self.panel * b * b / d**3 / area for b, d in faces)
        return along_y, along_z


STEEL = 2.1e11 / 8.1e10  # E/G, by which diagonals of steel resist shear
LATTICE = Lattice._fields


def lattice(*sizes: float) -> Constants:
    return Lattice(*sizes).constants()


# each shape: its formula, the sizes that it needs, and which wall has to fit how many times into which size
SHAPES: dict[str, tuple[Callable[..., Constants], tuple[str, ...], tuple[tuple[str, float, str], ...]]] = {
    "rectangle": (rectangle, ("width", "height"), ()),
    "box": (box, ("width", "height", "thickness"), (("thickness", 2.0, "width"), ("thickness", 2.0, "height"))),
    "circle": (circle, ("diameter",), ()),
    "tube": (tube, ("diameter", "thickness"), (("thickness", 2.0, "diameter"),)),
    "i": (
        i_beam,
        ("width", "height", "thickness", "flange"),
        (("thickness", 1.0, "width"), ("flange", 2.0, "height")),
    ),
    "lattice": (
        lattice,
        LATTICE,
        (
            ("thickness", 2.0, "diameter"),
            ("wall", 2.0, "bracing"),
            ("diameter", 1.0, "width"),
            ("diameter", 1.0, "height"),
        ),
    ),
}  # fmt: skip
NUMBERS = ("A", "I_y", "I_z", "J")
COEFFICIENTS = ("shear_y", "shear_z")  # which a section given by numbers may have


# --- shear coefficients: G. R. Cowper, The Shear Coefficient in Timoshenko's Beam Theory, J. Appl. Mech. 33 (1966) ---


def flat_shear(nu: float) -> float:
    """Coefficient of a rectangle, along both sides."""
    return 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu)


def rectangle_shear(nu: float, width: float, height: float) -> tuple[float, float]:
    return flat_shear(nu), flat_shear(nu)


def tube_shear(nu: float, diameter: float, thickness: float) -> tuple[float, float]:
    """Hollow circle with the ratio m of its inner to its outer diameter; 0.89 where it is solid, 0.53 where thin."""
    m = (1.0 - 2.0 * thickness / diameter) ** 2
    kappa = 6.0 * (1.0 + nu) * (1.0 + m) ** 2 / ((7.0 + 6.0 * nu) * (1.0 + m) ** 2 + (20.0 + 12.0 * nu) * m)
    return kappa, kappa


def circle_shear(nu: float, diameter: float) -> tuple[float, float]:
    return tube_shear(nu, diameter, 0.5 * diameter)


def walled_shear(nu: float, m: float, flanges: float) -> float:
    """Coefficient along the webs of a thin-walled section; m: area of its flanges over that of its webs."""
    webs = 12.0 + 72.0 * m + 150.0 * m**2 + 90.0 * m**3 + nu * (11.0 + 66.0 * m + 135.0 * m**2 + 90.0 * m**3)
    return 10.0 * (1.0 + nu) * (1.0 + 3.0 * m) ** 2 / (webs + flanges)


def box_shear(nu: float, width: float, height: float, thickness: float) -> tuple[float, float]:
    """Coefficients of a box from the middle lines of its walls: for thin ones."""

    def along(h: float, b: float) -> float:
        n = m = (b - thickness) / (h - thickness)
        return walled_shear(nu, m, 10.0 * n**2 * ((3.0 + nu) * m + 3.0 * m**2))

    return along(width, height), along(height, width)


def i_shear(nu: float, width: float, height: float, thickness: float, flange: float) -> tuple[float, float]:
    """Coefficients of an I of thin plates; along y its flanges carry as rectangles."""
    h, area = height - flange, i_beam(width, height, thickness, flange).A
    m, n = 2.0 * width * flange / (h * thickness), width / h
    flanges = 30.0 * n**2 * (m + m**2) + 5.0 * nu * n**2 * (8.0 * m + 9.0 * m**2)
    return flat_shear(nu) * 2.0 * width * flange / area, walled_shear(nu, m, flanges)


def lattice_shear(nu: float, *sizes: float) -> tuple[float, float]:
    return Lattice(*sizes).shear_coefficients()


SHEAR: dict[str, Callable[..., tuple[float, float]]] = {
    "rectangle": rectangle_shear, "box": box_shear, "circle": circle_shear, "tube": tube_shear, "i": i_shear,
    "lattice": lattice_shear,
}  # fmt: skip


def too_thick(shape: str, sizes: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Walls of a shape that leave no room in it, each with a message."""
    for wall, count, size in SHAPES[shape][2]:
        if wall in sizes and size in sizes and count * sizes[wall] > sizes[size]:
            t, b = sizes[wall], sizes[size]
            yield wall, f"found {wall} {t:g} m, expected at most {b / count:g} m: {size} is {b:g} m"


def sizes_used(shape: str | None, _: Mapping[str, object]) -> Use:
    """Sizes that a shape needs, or numbers without one; it takes no others."""
    needed = SHAPES[shape][1] if shape else NUMBERS
    taken = needed if shape else (*NUMBERS, *COEFFICIENTS)
    return Use(frozenset(needed), frozenset(Section.params).difference(taken, ["shape"]))


class Section(Struct):
    """A shape and its sizes, or the four numbers A, I_y, I_z, J."""

    shape = Choice(
        None,
        list(SHAPES),
        uses=sizes_used,
        doc="rectangle, box, circle, tube, i or lattice; not with A, I_y, I_z, J",
    )
    width = Param(None, "m", gt=0, doc="along y; of a lattice between its chords")
    height = Param(None, "m", gt=0, doc="along z; of a lattice between its chords")
    diameter = Param(None, "m", gt=0, doc="outer diameter, of a lattice that of its chords")
    thickness = Param(None, "m", gt=0, doc="of the wall, of the chords' walls, or of the web of an i")
    flange = Param(None, "m", gt=0, doc="thickness of the flanges of an i")
    bracing = Param(None, "m", gt=0, doc="outer diameter of a lattice's diagonals")
    wall = Param(None, "m", gt=0, doc="thickness of their walls; half of the diameter for bars")
    panel = Param(None, "m", gt=0, doc="length of a lattice's panel: one diagonal on each of the four faces")
    A = Param(None, "m^2", gt=0, doc="area")
    I_y = Param(None, "m^4", gt=0, doc="second moment for bending about y")
    I_z = Param(None, "m^4", gt=0, doc="second moment for bending about z")
    J = Param(None, "m^4", gt=0, doc="torsion constant")
    shear_y = Param(None, gt=0, doc="shear coefficient kappa along y, beside A: 5/6 of a rectangle")
    shear_z = Param(None, gt=0, doc="shear coefficient kappa along z, beside A")

    def problems(self, at: str = ".section") -> Iterable[Problem]:
        """Yield what is missing, superfluous or inconsistent."""
        needed = SHAPES[self.shape][1] if self.shape else NUMBERS
        unused = sizes_used(self.shape, {}).unused
        what = f"shape {self.shape}" if self.shape else "a section without a shape"
        for name in needed:
            if getattr(self, name) is None:
                yield Problem(f"{what} needs {', '.join(needed)}: {name} is missing", at)
        for name in sorted(self.given & unused):
            fix = f"it takes {', '.join(one for one in self.params if one not in {*unused, 'shape'})}"
            yield Problem(f"{what} does not take {name}", f"{at}.{name}", fix, key=True)
        known = {name: getattr(self, name) for name in needed if getattr(self, name) is not None}
        for wall, message in too_thick(self.shape, known) if self.shape else ():
            yield Problem(message, f"{at}.{wall}")

    def constants(self) -> Constants:
        if self.shape is None:
            return Constants(self.A, self.I_y, self.I_z, self.J)
        return SHAPES[self.shape][0](*self.sizes().values())

    def shear_coefficients(self, nu: float) -> tuple[float, float]:
        """Shear coefficients kappa along y and z (Cowper 1966) at Poisson's ratio nu; NaN where they are not known."""
        if self.shape is None:
            along_y, along_z = self.shear_y, self.shear_z
            return math.nan if along_y is None else along_y, math.nan if along_z is None else along_z
        return SHEAR[self.shape](nu, *self.sizes().values())

    def sizes(self) -> dict[str, float]:
        """Sizes of its shape; without a shape A, I_y, I_z, J and the shear coefficients that are given."""
        if self.shape:
            return {name: getattr(self, name) for name in SHAPES[self.shape][1]}
        given = [name for name in COEFFICIENTS if getattr(self, name) is not None]
        return {name: getattr(self, name) for name in (*NUMBERS, *given)}

    def mass_area(self) -> float:
        """The area that weighs [m^2]."""
        if self.shape == "lattice":
            return Lattice(*self.sizes().values()).mass_area()
        return self.constants().A

    def interpolated(self, other: Section, share: float) -> Section:
        """Section between this and another one of the same kind, every size interpolated linearly."""
        theirs = other.sizes()
        own = [(name, size) for name, size in self.sizes().items() if name in theirs]
        sizes = {name: (1.0 - share) * size + share * theirs[name] for name, size in own}
        return Section({**vars(self), **sizes}, self.given)
