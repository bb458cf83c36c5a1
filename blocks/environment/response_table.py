"""Complex responses to waves between the rows of a table, and how much of their size straight lines may lose."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

TOLD = 0.05  # share of a root mean square from which a warning says it; nothing follows from it


class Responses(NamedTuple):
    """Responses H(w) on straight lines of the complex plane between the rows, and their moduli on arcs: (n, axes).

    A straight line between two rows whose phases differ by D loses up to 1 - cos(D/2) of their modulus, an arc nothing.
    """

    H: np.ndarray
    arc: np.ndarray

    def lost(self, a: np.ndarray) -> float:
        """Largest share of the root mean square in these waves, of forces or of moments, that an arc has more."""
        line, arc = (np.sqrt(((a[:, None] * size) ** 2).sum(axis=0)) for size in (np.abs(self.H), self.arc))
        shares = [0.0]
        for group in (slice(0, 3), slice(3, 6)):
            total = float(np.linalg.norm(arc[group]))
            if total > 0.0:
                shares.append(float((arc[group] - line[group]).max()) / total)
        return max(shares)


def loss_message(share: float, what: str) -> str:
    """Words for what straight lines may lose."""
    return (
        f"phases of neighbouring rows differ so far that the {what} between them may be {100.0 * share:.0f} % larger "
        "than interpolated (root mean square over this sea)"
    )
