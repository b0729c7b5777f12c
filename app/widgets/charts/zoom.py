"""Which part of a square picture is on show: zoomed with the wheel, moved by dragging. In cells, not pixels."""

FEWEST_CELLS = 6.0  # at the highest zoom
STEP = 1.25  # one notch of the wheel


class Zoom:
    """A square window of `span` x `span` cells with its corner at (x, y), inside a picture of `size` cells a side."""

    def __init__(self, fewest: float = FEWEST_CELLS) -> None:
        """fewest: the span at the highest zoom."""
        self._fewest = fewest
        self.size = 1
        self.x = self.y = 0.0
        self.span = 1.0

    @property
    def is_whole(self) -> bool:
        return self.span >= self.size

    def set_size(self, size: int) -> None:
        """Another matrix: of the same size it stays where it is, of another it is shown whole."""
        if size != self.size:
            self.size = size
            self.show_whole()

    def show_whole(self) -> None:
        self.x = self.y = 0.0
        self.span = float(self.size)

    def zoom(self, notches: float, at_x: float, at_y: float) -> None:
        """In (above 0) or out, so that what is at a point, as shares 0..1 of the window, stays there."""
        span = max(self.span / STEP**notches, min(self._fewest, self.size))
        span = (
            float(self.size) if span > self.size - 1e-6 else span
        )  # as many notches out as in: whole, but for rounding
        self.x += (self.span - span) * at_x
        self.y += (self.span - span) * at_y
        self.span = span
        self._hold()

    def move(self, right: float, down: float) -> None:
        """By cells."""
        self.x += right
        self.y += down
        self._hold()

    def show_cell(self, row: int, column: int | None = None) -> None:
        """Moves no further than it must for a cell to be seen."""
        self.y = min(max(self.y, row + 1 - self.span), row)
        if column is not None:
            self.x = min(max(self.x, column + 1 - self.span), column)
        self._hold()

    def visible(self) -> tuple[range, range]:
        """Rows and columns that are seen, in part or whole."""
        return tuple(  # type: ignore[return-value]
            range(int(start), min(int(start + self.span - 1e-9) + 1, self.size)) for start in (self.y, self.x)
        )

    def _hold(self) -> None:
        most = self.size - self.span
        self.x, self.y = min(max(self.x, 0.0), most), min(max(self.y, 0.0), most)
