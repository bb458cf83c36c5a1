"""What is kept of a run: bounded, in order, no peak lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from luff.gui import history as module
from luff.gui.history import History, Poses, least_and_greatest, thinned


def filled(monkeypatch: pytest.MonkeyPatch, rows: int, block: int) -> tuple[History, np.ndarray, np.ndarray]:
    monkeypatch.setattr(module, "MOST_ROWS", 400)
    monkeypatch.setattr(module, "LEAST_ROWS", 400)
    history = History(["a", "b"], {"a": "m"})
    times = np.arange(rows) * 0.01
    table = np.column_stack((np.sin(times), np.cos(3 * times)))
    table[rows // 3, 0] = 7.0
    table[rows // 2, 1] = -9.0
    for k in range(0, rows, block):
        history.append(times[k : k + block], table[k : k + block])
    return history, times, table


@pytest.mark.parametrize(("rows", "block"), [(50, 7), (400, 400), (401, 13), (5000, 999), (20000, 64)])
def test_history_is_bounded_ordered_and_keeps_peaks(
    monkeypatch: pytest.MonkeyPatch, rows: int, block: int
) -> None:
    history, times, table = filled(monkeypatch, rows, block)
    kept, (a, b) = history.read(["a", "b"])
    assert len(kept) == history.rows <= 400
    assert np.all(np.diff(kept) > 0)
    assert a.max() == table[:, 0].max()
    assert b.min() == table[:, 1].min()
    assert history.last("a") == table[-1, 0] or rows > 400
    assert history.span()[0] == 0
    # the last sample is at most one group of the coarsest thinning away
    assert history.span()[1] >= times[-1] * 0.98


def test_history_gives_rows_back_unchanged_while_they_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    history, times, table = filled(monkeypatch, 300, 11)
    kept, (a, b) = history.read(["a", "b"])
    np.testing.assert_array_equal(kept, times)
    np.testing.assert_array_equal(np.column_stack((a, b)), table)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=600), st.integers(2, 80))
def test_thinning_keeps_the_outline(values: list[float], points: int) -> None:
    column = np.array(values)
    time = np.arange(len(column), dtype=float)
    t, v = thinned(time, column, points)
    assert len(t) == len(v) <= max(len(column), 2)
    assert v.max() == column.max()
    assert v.min() == column.min()
    assert np.all(np.diff(t) >= 0)
    assert len(v) <= max(2.5 * points, 8) or len(v) == len(column)


def test_least_and_greatest_come_in_their_order() -> None:
    found = least_and_greatest(np.array([1.0, 5.0, 2.0, 0.0, 3.0, 3.0, 9.0, 8.0]), 4)
    np.testing.assert_array_equal(found, [5.0, 0.0, 3.0, 9.0])


def test_film_drops_every_other_frame_when_full() -> None:
    poses = Poses(most=8)
    for k in range(100):
        poses.add(k * 0.1, np.full((1, 12), float(k)))
    assert len(poses.times) == len(poses.frames) <= 9
    assert poses.times == sorted(poses.times)
    found = poses.at(5.0)
    assert found is not None
    # the frame shown is the one before the moment asked for, no more than one gap of the film away
    gap = max(np.diff(poses.times))
    assert 0 <= 5.0 - 0.1 * found[0, 0] <= gap
