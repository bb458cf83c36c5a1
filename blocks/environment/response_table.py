"""Complex responses to waves between the rows of a table, and the modulus that straight lines may lose there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

DOUBTED = 0.05  # share of a root mean square that is told


class Responses(NamedTuple):
    """Responses H(w) on straight lines (chords) between the rows, and the moduli of the rows interpolated (arcs): (n,
    axes). Between rows whose phases differ by D the chord loses up to 1 - cos(D / 2) of the arc's modulus.
    """

    H: np.ndarray
    arc: np.ndarray

    def doubt(self, a: np.ndarray) -> float:
        """Largest share of the root mean square, of forces or of moments, that lies between chord and arc."""
        chord, arc = (np.sqrt(((a[:, None] * size) ** 2).sum(axis=0)) for size in (np.abs(self.H), self.arc))
        shares = [0.0]
        for group in (slice(0, 3), slice(3, 6)):
            total = float(np.linalg.norm(arc[group]))
            if total > 0.0:
                shares.append(float((arc[group] - chord[group]).max()) / total)
        return max(shares)


def doubt_message(share: float, what: str) -> str:
    """Words for a doubt of interpolation."""
    return (
        f"phases of neighbouring rows differ so far that the {what} between them may be {100.0 * share:.0f} % higher "
        "than interpolated (root mean square over this sea)"
    )
