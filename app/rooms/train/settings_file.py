"""Settings of a run as a file, the recipe of the shell: which kind of run they are, and what the form shows of them."""

from pathlib import Path
from typing import Any

from bertcore.errors import BertcoreError
from bertcore.locations import built_in_checkpoint, sample_corpus
from bertcore.settings import read_recipe, settings_of
from bertcore.tasks.readers.reading import sample_folder, task_named
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.options import BUDGETS
from bertcore.training.pretrain_options import PretrainOptions

from ...look.say import say
from ...runs.process import Options
from .copy_form import OPTIONS
from .run_kinds import BY_KEY, RUN_KINDS, RunKind, tasks_of

_LARGEST = 1_000_000  # bytes; a recipe has some thousand


def read_settings(file: Path) -> Options:
    """From a recipe or a run's config.json. Raises BertcoreError, one sentence, for anything else."""
    values = read_recipe(file)
    kind = OPTIONS.get(str(values.get("kind", PretrainOptions.kind)))
    if kind is None:
        text = say("{file} does not contain the settings of a run; choose another file.")
        raise BertcoreError(text.format(file=file.name))
    return kind.from_dict(values)


def is_settings(place: Path) -> bool:
    """A recipe, or a run's config, which examples in JSON are not."""
    try:
        is_small = place.suffix == ".json" and place.is_file() and place.stat().st_size < _LARGEST
        return is_small and "format_version" in read_recipe(place)
    except (BertcoreError, OSError):
        return False


def kind_of(options: Options) -> RunKind:
    """The entry of the form that these settings are of. Raises BertcoreError for a task that is not there."""
    if isinstance(options, FinetuneOptions):
        spec = task_named(options.data.task)
        return next(kind for kind in RUN_KINDS if spec in tasks_of(kind))
    if isinstance(options, PretrainOptions):
        return BY_KEY["continue" if options.start else "pretrain"]
    return BY_KEY["distil"]


def place_of(options: Options) -> Path | None:
    """What it learns from: a file or folder; None for the sample."""
    if isinstance(options, FinetuneOptions):
        sample = sample_folder(task_named(options.data.task))
        place = Path(options.data.train) if options.data.train else sample
    else:
        sample, place = sample_corpus(), Path(options.data.corpus[0]) if options.data.corpus else sample_corpus()
    return None if place is None or sample is None or place.resolve() == sample.resolve() else place


def model_of(options: Options) -> str | None:
    """The checkpoint that it starts from; None for the built-in one."""
    if isinstance(options, FinetuneOptions):
        reference = options.model
    elif isinstance(options, PretrainOptions):
        reference = options.start
    else:
        reference = options.teacher
    is_built_in = not reference or Path(reference).resolve() == built_in_checkpoint().resolve()
    return None if is_built_in else reference


def budget_of(options: Options) -> tuple[str, float] | None:
    """What it counts, and how much; None where it is left open."""
    training = options.training
    given = ((unit, getattr(training, unit, None)) for unit in BUDGETS)
    return next(((unit, float(value)) for unit, value in given if value is not None), None)


def values_of(options: Options) -> dict[str, Any]:
    """Setting -> value."""
    return {
        each.name: getattr(getattr(options, each.section) if each.section else options, each.name)
        for each in settings_of(type(options))
    }


def not_in_the_form(shown: Options, wanted: Options, fields: set[str]) -> dict[str, Any]:
    """Settings of `wanted` that the form, which says `shown`, has none of its `fields` for."""
    has, wants = values_of(shown), values_of(wanted)
    left_out = {"name", *BUDGETS, *fields}
    return {
        name: value
        for name, value in wants.items()
        if name not in left_out and value is not None and value != has.get(name)
    }
