"""Room Train."""

from app.rooms.train.room import TrainRoom

__all__ = ["TrainRoom"]
