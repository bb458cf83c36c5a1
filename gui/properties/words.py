"""What the panel calls parameters whose names in the netlist say little to who has not read of them."""

from __future__ import annotations

WORDS = {
    "gpme_delta_q": "GPME as printed",
    "hold": "keep meanwhile",
    "resolve": "axes of components",
    "cut": "open loop here",
    "guess": "first guess",
    "rtol": "relative error",
    "atol": "absolute error",
}
LAST = ("cut", "resolve")  # of joints, hardly ever set: below what makes them


def word_of(key: str) -> str:
    return WORDS.get(key, key)
