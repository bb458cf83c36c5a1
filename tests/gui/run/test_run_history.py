"""What is kept of a run: bounded, in order, no peak lost."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from luff.gui.run import run_history as module
from luff.gui.run.run_history import History, Poses, least_and_greatest, thinned


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


LENGTHS = [(50, 7), (400, 400), (401, 13), (1601, 1), (5000, 999), (20000, 64), (20000, 20000)]


@pytest.mark.parametrize(("rows", "block"), LENGTHS)
def test_outline_of_the_whole_run_is_bounded_ordered_and_keeps_peaks(
    monkeypatch: pytest.MonkeyPatch, rows: int, block: int
) -> None:
    history, times, table = filled(monkeypatch, rows, block)
    (time, a), (_, b) = history.read_window(["a", "b"], 0.0, times[-1], 10**9)
    assert len(time) <= 403  # the capacity, the two of an incomplete group, and the last row
    assert np.all(np.diff(time) >= 0)
    assert a.max() == table[:, 0].max()
    assert b.min() == table[:, 1].min()
    assert (time[0], time[-1]) == (times[0], times[-1])
    assert (a[-1], b[-1]) == (history.last("a"), history.last("b")) == tuple(table[-1])
    assert history.span() == (times[0], times[-1])
    assert history.rows == rows
    assert history.complete == (rows <= 400)
    # no gap is longer than two groups, of which at least 100 cover the run
    assert np.diff(time).max() <= 2.0001 * max(times[-1] / 100, 0.01)


@pytest.mark.parametrize(("rows", "block"), LENGTHS)
def test_samples_are_rows_of_the_run_evenly_spread(
    monkeypatch: pytest.MonkeyPatch, rows: int, block: int
) -> None:
    history, times, table = filled(monkeypatch, rows, block)
    time, columns = history.read(["a", "b"])
    assert min(rows, 200) <= len(time) <= 400
    stride = round((time[1] - time[0]) / 0.01)
    np.testing.assert_array_equal(time, times[::stride])
    np.testing.assert_array_equal(np.column_stack(columns), table[::stride])


@pytest.mark.parametrize(("rows", "block"), LENGTHS)
def test_value_at_a_moment(monkeypatch: pytest.MonkeyPatch, rows: int, block: int) -> None:
    history, times, table = filled(monkeypatch, rows, block)
    stored, _ = history.read(["a"])
    for k in (round(stored[len(stored) // 2] / 0.01), rows - 1):
        assert history.at("a", times[k]) == pytest.approx(table[k, 0], abs=1e-12)
    between = (times[-1] + times[-2]) / 2
    assert history.at("a", between) == pytest.approx((table[-1, 0] + table[-2, 0]) / 2)


@pytest.mark.parametrize(("rows", "block"), LENGTHS)
def test_last_rows_are_complete(monkeypatch: pytest.MonkeyPatch, rows: int, block: int) -> None:
    history, times, table = filled(monkeypatch, rows, block)
    last = min(rows, 390)  # and one row before the window
    ((time, a),) = history.read_window(["a"], times[-last], times[-1], 10**9)
    np.testing.assert_array_equal(time[-last:], times[-last:])
    np.testing.assert_array_equal(a[-last:], table[-last:, 0])


def test_readers_never_see_half_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread writes 2 t while this one reads: it finds 2 t, to one group, whatever moves meanwhile."""
    monkeypatch.setattr(module, "MOST_ROWS", 400)
    monkeypatch.setattr(module, "LEAST_ROWS", 400)
    history, done = History(["a"]), threading.Event()

    def write() -> None:
        for k in range(3000):
            times = np.arange(20 * k, 20 * k + 20, dtype=float)
            history.append(times, times[:, None] * 2)
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    while not done.is_set():
        _, end = history.span()
        for start in (0.0, end - 300):
            ((time, a),) = history.read_window(["a"], start, end, 10**9)
            gaps = np.diff(time)
            assert gaps.min(initial=0) >= 0
            assert np.all(np.diff(a) >= 0)
            assert np.abs(a / 2 - time).max(initial=0) <= gaps.max(initial=0)
        time, (a,) = history.read(["a"])
        np.testing.assert_array_equal(a, 2 * time)
    writer.join()
    assert history.rows == 60000


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=600), st.integers(2, 80))
def test_thinning_keeps_the_outline(values: list[float], points: int) -> None:
    column = np.array(values)
    time = np.arange(len(column), dtype=float)
    t, v = thinned(time, column, points)
    assert len(t) == len(v) <= max(len(column), 2)
    assert v.max() == column.max()
    assert v.min() == column.min()
    assert np.all(np.diff(t) >= 0)
    np.testing.assert_array_equal(v, column[t.astype(int)])  # points of the run, each at its own time
    assert len(v) <= max(2.5 * points, 8) or len(v) == len(column)


def test_least_and_greatest_come_in_their_order() -> None:
    found = least_and_greatest(np.array([1.0, 5.0, 2.0, 0.0, 3.0, 3.0, 9.0, 8.0]), 4)
    np.testing.assert_array_equal(found, [1, 3, 4, 6])


def test_film_is_the_same_in_pieces_of_any_length() -> None:
    rng = np.random.default_rng(8)
    times = np.arange(3000) * 0.1
    frames = np.arange(3000.0)[:, None, None] * np.ones((1, 1, 12))
    one, other = Poses(most=40), Poses(most=40)
    for t, frame in zip(times, frames, strict=True):
        one.add(t, frame)
    done = 0
    while done < len(times):
        end = done + int(rng.integers(0, 300))
        other.extend(times[done:end], frames[done:end])
        done = end
    assert one.times == other.times
    assert one.skip == other.skip > 32
    np.testing.assert_array_equal(one.frames, other.frames)
    assert [frame[0, 0] / 10 for frame in one.frames] == pytest.approx(one.times)


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
    np.testing.assert_allclose(np.diff(poses.times), gap)  # evenly spread
    assert 0 <= 5.0 - 0.1 * found[0, 0] <= gap


def test_elements_of_a_vector_share_its_largest_element_and_its_rounding() -> None:
    """Of two blocks, each with 64 roundings; an element in another unit stands alone."""
    columns = ["hook.force[0]", "hook.force[1]", "hook.force[2]", "rope.force"]
    history = History(columns, {"hook.force[2]": "N*m"})
    history.append(np.array([0.0, 1.0]), np.array([[3.0, -8.0, 0.5, 1.0], [2.0, 0.0, 0.25, 4.0]]))
    assert [history.peak(name) for name in columns] == [8.0, 8.0, 0.5, 4.0]
    assert history.noise("hook.force[0]") == 2 * 64 * 2.0**-52 * 8.0
    assert history.noise("rope.force") == 2 * 64 * 2.0**-52 * 4.0
    history.rename(lambda name: name.replace("hook", "load"))
    history.complete_units({})
    assert history.peak("load.force[0]") == 8.0
