"""Something to try for each kind of task, so that no editor begins empty."""

from __future__ import annotations

from dataclasses import dataclass

from app.state.task_info import TaskInfo


@dataclass(frozen=True)
class Sample:
    """Sentences A and B, and what stands in the room's own editor."""

    a: str
    b: str = ""
    text: str = ""


_PASSAGE = (
    "The old mill stands by the river, not far from the bridge. It was built by Martin Reed, who baked bread for the "
    "whole village. In the spring of the great flood the water carried the wheel away, and nobody has found it since. "
    "Today a family of owls lives under the roof, and on Sundays children come to see them."
)
_STORY = (
    "The town has opened its new library on the market square. More than two hundred people came on the first "
    "morning. The mayor cut a red ribbon and read from her favourite book. It rained a little, but nobody minded. "
    "The library has twelve thousand books and a room for children. A man sold hot soup at the door. It is open "
    "every day but Monday."
)
_ENDINGS = "drank the moon.\nopened the door and went in.\nwas eaten by the key.\nflew under the table."
SAMPLES = {
    "classify": Sample("The soup was hot and good, and everyone was kind to us."),
    "multilabel": Sample("The dog ate its dinner in the rain."),
    "regress": Sample("A man is playing a guitar.", "Someone plays music."),
    "tag": Sample("Anna Reed flew from Paris to London for the Green Bank."),
    "span": Sample("Who built the mill?", text=_PASSAGE),
    "choice": Sample("She took the key out of her bag. Then she", text=_ENDINGS),
    "summarise": Sample("", text=_STORY),
}
_PAIR = Sample("The boy closed the door.", "The door was closed by the boy.")


def sample_for(task: TaskInfo) -> Sample:
    return _PAIR if task.kind == "classify" and task.is_pair else SAMPLES[task.kind]
