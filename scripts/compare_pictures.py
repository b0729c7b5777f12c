"""Which pictures of two tours differ, and where: before and after a change of the window that should not be seen.

    python -m scripts.compare_pictures BEFORE AFTER [OUT]

Of each pair of that name a line: the share of pixels that differ, and the box around them. OUT gets the differing ones
side by side, with what differs at the right. The status line is left out: it says how long everything took.
"""

import sys
from pathlib import Path

import numpy as np
from PySide6.QtGui import QImage

STATUS_LINE_PX = 24  # at the bottom
LEAST_DIFFERENCE = 24  # of 255, in one colour: anti-aliasing of the same line stays below


def pixels(file: Path) -> np.ndarray:
    """(height, width, 3) of uint8, in memory of its own."""
    image = QImage(str(file)).convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def differing(before: np.ndarray, after: np.ndarray) -> np.ndarray | None:
    """(height, width) of bool; None where the sizes differ."""
    if before.shape != after.shape:
        return None
    mask = np.abs(before.astype(np.int16) - after).max(axis=2) >= LEAST_DIFFERENCE
    mask[-STATUS_LINE_PX:] = False
    return np.asarray(mask)


def side_by_side(before: np.ndarray, after: np.ndarray, mask: np.ndarray) -> QImage:
    marked = np.where(mask[..., None], np.array([213, 0, 60], np.uint8), (after // 3 + 170).astype(np.uint8))
    joined = np.ascontiguousarray(np.concatenate([before, after, marked.astype(np.uint8)], axis=1))
    height, width, _ = joined.shape
    return QImage(joined.data, width, height, 3 * width, QImage.Format.Format_RGB888).copy()


def main(before: Path, after: Path, out: Path | None = None) -> int:
    names = {folder: {str(file.relative_to(folder)) for file in folder.rglob("*.png")} for folder in (before, after)}
    for folder, other in ((before, after), (after, before)):
        for name in sorted(names[folder] - names[other]):
            print(f"only in {folder}: {name}")
    found = 0
    for name in sorted(names[before] & names[after]):
        old, new = pixels(before / name), pixels(after / name)
        mask = differing(old, new)
        if mask is None:
            print(f"{name}: {old.shape[1]} x {old.shape[0]} before, {new.shape[1]} x {new.shape[0]} after")
        elif mask.any():
            rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
            box = f"x {columns[0]}-{columns[-1]}, y {rows[0]}-{rows[-1]}"
            print(f"{name}: {mask.mean():.3%} of its pixels, {box}")
            if out is not None:
                target = out / name
                target.parent.mkdir(parents=True, exist_ok=True)
                side_by_side(old, new, mask).save(str(target))
        else:
            continue
        found += 1
    print(f"{found} of {len(names[before] & names[after])} differ")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
