"""The depth buffer of pictures against rays that are cast through each sample."""

from __future__ import annotations

import numpy as np
import pytest

from luff.solver.kernels import depth_buffer as d

WIDE, HIGH = 48, 36
NEAR, FAR, FOCAL = 0.1, 20.0, 40.0
RED, BLUE = 0xFFFF0000, 0xFF0000FF


class Picture:
    """Buffer with the work arrays of its kernels."""

    def __init__(self, parallel: bool = False):
        self.lens = np.array([10.0 if parallel else FOCAL, WIDE / 2, HIGH / 2, NEAR, FAR, float(parallel)])
        self.words = np.zeros((HIGH, WIDE), np.int64)
        self.touched = np.tile([WIDE, -1], (HIGH, 1)).astype(np.int64)
        self.clip, self.flat, self.side = np.zeros((1, 3)), np.zeros((8, 8)), np.zeros(4, np.int64)

    def faces(self, corners: np.ndarray, colours: list[int]) -> np.ndarray:
        corners = np.ascontiguousarray(corners, float)
        table = np.array([[colour] for colour in colours], np.int64)
        light, looks = np.zeros((len(corners), 1)), np.arange(len(colours))
        d.paint_faces(
            self.words, self.touched, self.lens, corners, light, looks, table, self.clip, self.flat, self.side
        )
        return self.colours()

    def lines(self, corners: np.ndarray, half: float, argb: int, ahead: float = 1.0) -> np.ndarray:
        pens = np.tile([half, ahead], (len(corners) // 2, 1))
        words = np.full(len(corners) // 2, argb, np.int64)
        d.paint_lines(
            self.words, self.touched, self.lens, np.array(corners, float), pens, words, self.clip, self.flat
        )
        return self.colours()

    def colours(self) -> np.ndarray:
        return self.words & 0xFFFFFFFF


def cast(triangles: np.ndarray, parallel: bool) -> tuple[np.ndarray, np.ndarray]:
    """Number of the nearest triangle at each sample, -1 for none, and the least distance from any side [samples]."""
    y, x = np.mgrid[0:HIGH, 0:WIDE] + 0.5
    across, up = x - WIDE / 2, HIGH / 2 - y
    ways = np.stack((across / FOCAL, up / FOCAL, np.ones_like(x)), axis=-1)
    begin = np.zeros_like(ways)
    if parallel:
        begin = np.stack((across / 10.0, up / 10.0, np.zeros_like(x)), axis=-1)
        ways = np.broadcast_to([0.0, 0.0, 1.0], ways.shape)
    nearest, number = np.full(x.shape, np.inf), np.full(x.shape, -1)
    unsure = np.zeros(x.shape, bool)
    for k, (a, b, c) in enumerate(triangles):
        normal = np.cross(b - a, c - a)
        depth = ((a - begin) @ normal) / (ways @ normal)
        points = begin + depth[..., None] * ways
        inside = np.ones(x.shape, bool)
        for p, q in ((a, b), (b, c), (c, a)):
            side = (np.cross(q - p, points - p) @ normal) / np.linalg.norm(normal) / np.linalg.norm(q - p)
            inside &= side > 0
            unsure |= np.abs(side) < 1e-9
        seen = inside & (depth > NEAR) & (depth < nearest)
        unsure |= np.abs(depth - NEAR) < 1e-9
        number[seen], nearest[seen] = k, depth[seen]
    return number, unsure


def facing(rng: np.random.Generator, count: int, low: float, high: float) -> np.ndarray:
    """Triangles at random whose outside, counter-clockwise to the right and up, faces the eye."""
    made = []
    while len(made) < count:
        corners = rng.uniform([-3, -3, low], [3, 3, high], (3, 3))
        turned = np.linalg.det(corners)
        made.append(corners if turned > 0 else corners[::-1])
    return np.array(made)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("low", [1.0, -2.0], ids=["before", "through the eye"])
def test_nearest_face_is_seen_at_every_sample(seed: int, low: float) -> None:
    triangles = facing(np.random.default_rng(seed), 12, low, 8.0)
    quads = triangles[:, [0, 1, 2, 2]].reshape(-1, 3)  # a triangle repeats a corner
    seen = Picture().faces(quads, [k + 1 for k in range(12)]) - 1
    number, unsure = cast(triangles, parallel=False)
    assert (number >= 0).mean() > 0.3
    np.testing.assert_array_equal(seen[~unsure], number[~unsure])


def test_nearest_face_is_seen_without_perspective() -> None:
    rng = np.random.default_rng(7)
    triangles = np.array([t if np.cross(t[1] - t[0], t[2] - t[0])[2] > 0 else t[::-1]
                          for t in rng.uniform([-3, -3, 1], [3, 3, 8], (12, 3, 3))])  # fmt: skip
    seen = (
        Picture(parallel=True).faces(triangles[:, [0, 1, 2, 2]].reshape(-1, 3), [k + 1 for k in range(12)])
        - 1
    )
    number, unsure = cast(triangles, parallel=True)
    np.testing.assert_array_equal(seen[~unsure], number[~unsure])


def test_faces_that_share_a_side_share_no_sample_and_leave_none() -> None:
    """A square of 8 x 6 samples from its corner, cut through the centres of samples."""

    def at(x: float, y: float) -> list[float]:
        return [(x - WIDE / 2) / FOCAL, (HIGH / 2 - y) / FOCAL, 1.0]

    a, b, c, e, m = at(10, 8), at(10, 14), at(18, 14), at(18, 8), at(14.5, 10.5)
    parts = [[a, b, m, m], [b, c, m, m], [c, e, m, m], [e, a, m, m]]
    alone = [Picture().faces(np.array(part), [1]) for part in parts]
    np.testing.assert_array_equal(sum(alone)[8:14, 10:18], 1)
    assert sum(alone).sum() == 48


def test_face_from_behind_is_not_seen() -> None:
    square = np.array([[-1, -1, 4.0], [1, -1, 4.0], [1, 1, 4.0], [-1, 1, 4.0]])
    assert Picture().faces(square, [1]).any()
    assert not Picture().faces(square[::-1], [1]).any()


def test_line_is_as_wide_as_its_pen_and_hidden_behind_a_face() -> None:
    line = np.array([[-0.4, 0.05, 4.0], [0.4, 0.25, 4.0]])
    picture = Picture()
    opacity = (picture.lines(line, 1.5, RED) >> 24) / 255.0
    length = FOCAL / 4.0 * np.hypot(0.8, 0.2)
    # a rectangle and two half discs; smooth rims give its area to some percent
    assert opacity.sum() == pytest.approx(3.0 * length + np.pi * 1.5**2, rel=0.03)
    square = np.array([[-1, -1, 3.0], [1, -1, 3.0], [1, 1, 3.0], [-1, 1, 3.0]])
    for shift, hidden in ((0.0, True), (2.0, False)):
        picture = Picture()
        picture.faces(square + np.array([0, 0, shift]), [BLUE])
        assert (picture.lines(line, 1.5, RED) == RED).any() != hidden
    # on the face itself it shows ahead of it alone
    picture = Picture()
    picture.faces(square + np.array([0, 0, 1.0]), [BLUE])
    assert not (picture.lines(line, 1.5, RED, 0.999) == RED).any()
    assert (picture.lines(line, 1.5, RED, 1.001) == RED).any()


def test_line_that_pierces_a_face_ends_there() -> None:
    square = np.array([[-2, -2, 4.0], [2, -2, 4.0], [2, 2, 4.0], [-2, 2, 4.0]])
    picture = Picture()
    picture.faces(square, [BLUE])
    shown = picture.lines(np.array([[-0.5, 0.05, 2.0], [1.5, 0.15, 6.0]]), 1.5, RED)
    # it meets the face at (0.5, 0.1, 4), five samples to the right of the middle
    columns = np.flatnonzero((shown == RED).any(axis=0))
    assert columns.max() == pytest.approx(WIDE / 2 + 5.0 - 0.5, abs=1.0)
    assert columns.min() < WIDE / 2 - 8


def test_veil_lets_through_what_is_beyond_and_hides_nothing_before() -> None:
    back = np.array([[-1, -1, 5.0], [0, -1, 5.0], [0, 1, 5.0], [-1, 1, 5.0]])
    front = np.array([[0, -1, 3.0], [1, -1, 3.0], [1, 1, 3.0], [0, 1, 3.0]])
    veil = np.array([[-2, -2, 4.0], [2, -2, 4.0], [2, 2, 4.0], [-2, 2, 4.0]])
    p = Picture()
    p.faces(np.concatenate((back, front)), [RED, RED])
    colours, table = np.tile([0.0, 0.0, 255.0, 0.75], (4, 1)), np.zeros((1, 1), np.int64)
    d.paint_veils(p.words, p.touched, p.lens, veil, colours, table, p.clip, p.flat, p.side)
    middle = p.colours()[HIGH // 2]
    assert middle[WIDE // 2 - 4] == 0xFF4000BF  # a quarter of red, three of blue
    assert middle[WIDE // 2 + 4] == RED
    assert middle[6] >> 24 == 191  # 0.75 over nothing


def test_clear_empties_all_that_was_written() -> None:
    p = Picture()
    p.faces(np.array([[-1, -1, 4.0], [1, -1, 4.0], [1, 1, 4.0], [-1, 1, 4.0]]), [RED])
    p.lines(np.array([[-4.0, 0.3, 2.0], [4.0, 0.2, 2.0]]), 1.5, BLUE)
    assert p.words.any()
    d.clear(p.words, p.touched)
    assert not p.words.any()
    assert (p.touched == [WIDE, -1]).all()


@pytest.mark.parametrize("samples", [1, 2, 3])
def test_pixel_is_the_mean_of_its_samples(samples: int) -> None:
    p = Picture()
    p.words[:] = np.random.default_rng(5).integers(0, 1 << 32, (HIGH, WIDE))
    p.touched[:] = 0, WIDE - 1
    picture = np.zeros((HIGH // samples, WIDE // samples // 2), np.int64)
    d.resolve(p.words, p.touched, samples, picture)
    found = picture.view(np.uint32)
    for shift in (0, 8, 16, 24):
        part = ((p.words >> shift) & 255).reshape(HIGH // samples, samples, -1, samples).sum(axis=(1, 3))
        n = samples**2
        np.testing.assert_array_equal((found >> shift) & 255, (part + n // 2) // n)
