"""Something to try with a model of each task."""

from ...state.task_info import TaskInfo

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
SAMPLES = {  # A, B and the text of the view's editor, so that none begins empty
    "classify": ("The soup was hot and good, and everyone was kind to us.", "", ""),
    "multilabel": ("The dog ate its dinner in the rain.", "", ""),
    "regress": ("A man is playing a guitar.", "Someone plays music.", ""),
    "tag": ("Anna Reed flew from Paris to London for the Green Bank.", "", ""),
    "span": ("Who built the mill?", "", _PASSAGE),
    "choice": ("She took the key out of her bag. Then she", "", _ENDINGS),
    "summarise": ("", "", _STORY),
}


def sample_of(task: TaskInfo) -> tuple[str, str, str]:
    """Something to try with a model of this task: A, B and the text of the view's editor."""
    if task.kind == "classify" and task.is_pair:
        return "The boy closed the door.", "The door was closed by the boy.", ""
    return SAMPLES[task.kind]
