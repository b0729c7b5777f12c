"""Every head of a model as one image, from which each is drawn small."""

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from .charts.raster import Raster


class HeadSheet:
    """One image of (L*T) x (N*T) values: drawing from it is several times faster than from an image for each head."""

    def __init__(self, thumbnails: np.ndarray, *, same_scale: bool = False, limit: float = 0.0) -> None:
        """thumbnails (L,N,T,T). Every head is scaled to its own highest value; with `same_scale` all of them, and those
        of other sheets, have one scale from 0 to 1; with `limit` the values are signed, from -limit to limit."""
        self.thumbnails = thumbnails
        self.layers, self.heads, self.side, _ = thumbnails.shape
        highest = thumbnails.max(axis=(2, 3), keepdims=True)
        scaled = thumbnails if same_scale or limit else thumbnails / np.where(highest > 0, highest, 1)
        sheet = scaled.transpose(0, 2, 1, 3).reshape(self.layers * self.side, self.heads * self.side)  # (L*T, N*T)
        self._raster = Raster(sheet, -limit, limit, signed=True) if limit else Raster(sheet, 0, 1)

    def paint(self, painter: QPainter, cell: QRectF, layer: int, head: int) -> None:
        """Draws one head into `cell`."""
        self._raster.paint(painter, cell, QRectF(head * self.side, layer * self.side, self.side, self.side))
