"""Sessions of one simulation in many threads, each with values of its own: the bits of one thread."""

from __future__ import annotations

from luff.bench.threads import agree


def test_eight_threads_give_the_bits_of_one() -> None:
    runs, wrong = agree(seconds=0.0, threads=8, rounds=3)
    assert runs == 24
    assert wrong == []
