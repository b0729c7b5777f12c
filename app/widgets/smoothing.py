"""Curves made smooth: a moving mean over the points around each."""

import numpy as np

FEWEST, MOST = 5, 301  # points in a mean; more would take longer than a frame


def window_of(points: int, share: float) -> int:
    """How many points are in a mean: this share of all; an odd number, so that as many stand on either side.

    1, which changes nothing, where there are too few points or share is 0.
    """
    if share <= 0 or points < 2 * FEWEST:
        return 1
    return min(max(round(share * points), FEWEST), MOST) | 1


def smoothed(values: np.ndarray, share: float) -> np.ndarray:
    """The mean of the window around each value (P) -> (P); near the ends of what there is of the window."""
    window = window_of(len(values), share)
    if window == 1:
        return values
    places, half, last = np.arange(len(values)), window // 2, len(values) - 1
    counts = np.minimum(places + half, last) - np.maximum(places - half, 0) + 1
    return np.convolve(values, np.ones(window), "same") / counts
