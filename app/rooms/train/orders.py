"""From what the form says to a run that can start; or a sentence on why it cannot. No torch, no widgets."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from app.rooms.train.columns import check_examples
from app.rooms.train.run_kinds import RunKind
from app.runs.order import RunOrder
from bertcore.checkpoint.config_file import read_config, read_config_values
from bertcore.errors import BertcoreError
from bertcore.locations import sample_corpus
from bertcore.resolve import resolve_model
from bertcore.tasks.readers.spec import Role, TaskSpec
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions, TuningOptions
from bertcore.training.options import DataOptions, PretrainOptions, TrainingOptions

PASSES, MINUTES = "passes", "minutes"
SAMPLE_PASSES, OWN_PASSES, DEFAULT_MINUTES = 10.0, 3.0, 2.0
SAMPLE_BATCH, OWN_BATCH = 8, 32  # a sample has some 60 examples: many small steps, or it learns nothing
_READS_WORDS = ("ForMaskedLM", "ForPreTraining", "LMHead")


@dataclass(frozen=True)
class Wish:
    """What the form says."""

    kind: RunKind
    name: str
    unit: str = MINUTES
    number: float = DEFAULT_MINUTES
    model: str | None = None  # to begin with: a folder, or None for the built-in one
    preset: str = "tiny"
    place: Path | None = None  # a person's own file or folder; None: the sample
    task: TaskSpec | None = None
    columns: dict[Role, str] = field(default_factory=dict)
    crf: bool = False


def order_of(wish: Wish) -> RunOrder:
    """The run to start. Raises BertcoreError with a sentence where it cannot be run."""
    if wish.place is not None and not wish.place.exists():
        raise BertcoreError(f"{wish.place} is not there; choose another file.")
    if wish.kind.begins_with_model:
        _check_model(wish)
    if wish.task is not None:
        return _finetune(wish, wish.task)
    if wish.kind.is_task:
        raise BertcoreError("There is nothing to learn from yet; choose a sample or a file.")
    corpus = wish.place or sample_corpus()
    if not corpus.exists():
        raise BertcoreError(f"The text file {corpus} is not there; choose another.")
    data = DataOptions(corpus=(str(corpus.resolve()),))
    if wish.kind.id == "distil":
        training = replace(DistilOptions().training, minutes=wish.number)
        teacher = str(resolve_model(wish.model).resolve())
        return RunOrder(DistilOptions(name=wish.name, teacher=teacher, data=data, training=training))
    if wish.kind.id == "continue":
        # It guesses masked words already, so it needs no warm-up by next words.
        training = TrainingOptions(minutes=wish.number, causal_share=0.0)
        start = str(resolve_model(wish.model).resolve())
        return RunOrder(PretrainOptions(name=wish.name, data=data, training=training), ("--from", start))
    training = TrainingOptions(minutes=wish.number)
    return RunOrder(PretrainOptions(name=wish.name, preset=wish.preset, data=data, training=training))


def _finetune(wish: Wish, task: TaskSpec) -> RunOrder:
    from bertcore.tasks.readers.reading import sample_folder

    place = wish.place or sample_folder(task)
    if place is None or not place.exists():
        raise BertcoreError(f"The sample of {task.name} is not there; choose a file of your own.")
    check_examples(task, place, wish.columns)
    is_sample = wish.place is None
    data = TaskDataOptions(
        task=task.name,
        train=str(place.resolve()),
        columns={str(role): column for role, column in wish.columns.items()},
        max_length=wish.kind.max_length,
    )
    training = TuningOptions(
        epochs=wish.number if wish.unit == PASSES else None,
        minutes=wish.number if wish.unit == MINUTES else None,
        batch_size=SAMPLE_BATCH if is_sample else OWN_BATCH,
    )
    crf = wish.crf and task.kind == "tag"
    return RunOrder(FinetuneOptions(name=wish.name, model=wish.model, crf=crf, data=data, training=training))


def _check_model(wish: Wish) -> None:
    """The checkpoint is there, and can guess words where that is what the run goes on with."""
    folder = resolve_model(wish.model)
    config = read_config(folder)
    architectures = read_config_values(folder).get("architectures") or ()
    may_be_beside = (folder / "bertscope_heads.safetensors").is_file()
    must_guess = not wish.kind.is_task and bool(architectures) and not may_be_beside
    if must_guess and not any(str(name).endswith(_READS_WORDS) for name in architectures):
        verb = "go on guessing words" if wish.kind.id == "continue" else "teach to guess words"
        raise BertcoreError(f"This model has no masked-word (MLM) head, so it cannot {verb}; choose another.")
    if wish.kind.id == "distil" and config.num_hidden_layers < 2:
        raise BertcoreError("This teacher has one layer only, so its student cannot be smaller; choose another.")
