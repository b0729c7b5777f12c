"""The kinds of runs that can be started, in plain words, and the tasks behind them. No torch, no widgets."""

from __future__ import annotations

from dataclasses import dataclass

from bertcore.tasks.readers.registry import TASKS
from bertcore.tasks.readers.spec import TaskSpec


@dataclass(frozen=True)
class RunKind:
    """One entry of "What to train"."""

    id: str
    title: str
    sentence: str
    own_task: str = ""  # the task that reads a person's own files; "" for what learns from plain text
    max_length: int = 128  # tokens of an example at most

    @property
    def is_task(self) -> bool:
        return bool(self.own_task)

    @property
    def begins_with_model(self) -> bool:
        return self.id != "pretrain"


RUN_KINDS = (
    RunKind("pretrain", "Pretrain", "A new model learns the language from plain text, by guessing words."),
    RunKind("continue", "Continue", "A trained model goes on guessing words, in more text or text of another sort."),
    RunKind("classify", "Classify", "It learns to put a text into classes: good or bad, right or wrong.", "classify"),
    RunKind("pairs", "Pairs", "It learns what holds between two texts: do they say the same?", "pairs"),
    RunKind("similarity", "Similarity", "It learns to say with a number how alike two texts are.", "similarity"),
    RunKind("tag", "Tag", "It learns to tag each word: who is a person, what is a place.", "tag"),
    RunKind("answer", "Answer", "It learns to find the answer to a question in a passage.", "answer", 256),
    RunKind("choose", "Choose", "It learns to choose the best of several endings.", "choose"),
    RunKind("summarise", "Summarise", "It learns to pick the sentences that sum up a text.", "summarise", 512),
    RunKind("distil", "Distil", "A student with half the layers learns to say what its teacher says."),
)
BY_ID = {kind.id: kind for kind in RUN_KINDS}


def tasks_of(kind: RunKind) -> tuple[TaskSpec, ...]:
    """The tasks of a kind: the one for a person's own files first, then those with published files."""
    if not kind.is_task:
        return ()
    own = TASKS[kind.own_task]
    group = _group(own)
    return (own, *(spec for spec in TASKS.values() if _group(spec) == group and spec is not own))


def samples_of(kind: RunKind) -> tuple[TaskSpec, ...]:
    """Tasks whose sample files ship with BERTscope: the published ones, and the own one where its files are others."""
    own, *published = tasks_of(kind) or (None,)
    tasks = [spec for spec in published if spec.sample]
    if own is not None and own.sample and own.sample not in {spec.sample for spec in tasks}:
        tasks.append(own)
    return tuple(tasks)


def sample_run_name(spec: TaskSpec) -> str:
    """The sample's name; of tasks that learn other things from the same files, all but the first have their own."""
    first = next(each for each in TASKS.values() if each.sample == spec.sample)
    return str(spec.sample) if spec is first else spec.name


def _group(spec: TaskSpec) -> tuple[str, bool]:
    """Several labels at once are one more way to classify; a second text makes another kind only of that."""
    kind = "classify" if spec.kind == "multilabel" else spec.kind
    return kind, kind == "classify" and spec.is_pair
