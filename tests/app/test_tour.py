"""The tour waits for what it shows, however long that takes, and says where it failed."""

import itertools
import time

import pytest
from PySide6.QtGui import QImage
from tour import walk as tour
from tour.pictures import RoomPictures, TourError

SIZE = 900, 700


def test_it_waits_as_long_as_it_takes(window, tmp_path, monkeypatch):
    pictures, looks = RoomPictures(window, tmp_path, SIZE), itertools.count()
    days = itertools.count(step=86_400)
    monkeypatch.setattr(time, "monotonic", lambda: float(next(days)))
    pictures._wait("the estimate of a run", lambda: next(looks) == 5)
    assert next(looks) == 6


def test_an_error_ends_the_waiting(window, tmp_path):
    pictures = RoomPictures(window, tmp_path, SIZE)

    def look():
        window.services.reader.failed.emit("There is not enough memory.")
        return False

    with pytest.raises(TourError, match="the map did not come: There is not enough memory"):
        pictures._wait("the map", look)


def test_it_says_which_picture_was_the_last(window, tmp_path, monkeypatch, capsys):
    def walk(self, themes):
        for name in ("map", "embed"):
            self._save(QImage(4, 4, QImage.Format.Format_RGB32), f"{name}-{themes[0]}.png")
        raise TourError("the estimate of a run did not come: no memory")

    monkeypatch.setattr(tour._Tour, "walk", walk)
    assert tour.run_tour(window, tmp_path, SIZE, ["light"]) == 1
    said = "The tour failed: the estimate of a run did not come: no memory "
    assert capsys.readouterr().err == said + "(after 2 pictures, the last of which is embed-light.png)\n"
