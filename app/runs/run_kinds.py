"""The kinds of runs: all that differs between them, and how what a form says becomes a run. No torch, no widgets.

A new kind is an entry in RUN_KINDS; what it takes besides stands in docs/architecture.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bertcore.checkpoint.config_file import read_config, read_config_values
from bertcore.errors import BertcoreError
from bertcore.locations import built_in_checkpoint, sample_corpus
from bertcore.resolve_model import resolve_model
from bertcore.settings import read_recipe
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.readers.reading import TASKS, find_file, read_task, sample_folder, task_named
from bertcore.tasks.spec import Role, TaskSpec
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions
from bertcore.training.options import BUDGETS, RunOptions
from bertcore.training.pretrain_options import DataOptions, PretrainOptions, continued

from ..look import mark, say
from ..state.task_info import spec_of, task_word
from .process import RunCommand

READ_WHOLE_BYTES = 300_000  # a file up to this size is read before the start: it takes some milliseconds
EPOCHS, STEPS, MINUTES = BUDGETS
DEFAULT_MINUTES, TEXT_EPOCHS, DEFAULT_STEPS = 2.0, 1.0, 200.0
SAMPLE_BATCH, OWN_BATCH = 8, 32  # a sample has some 60 examples: many small steps, or it learns nothing
_PREDICT_WORDS = ("ForMaskedLM", "ForPreTraining", "LMHead")  # ends of the architectures with an MLM head
_LARGEST_RECIPE = 1_000_000  # bytes; a recipe has some thousand


@dataclass(frozen=True)
class FormValues:
    """What a person has filled in."""

    name: str
    unit: str = MINUTES  # of `number`: one of BUDGETS
    number: float = DEFAULT_MINUTES  # 0: what is usual for its data
    model: str | None = None  # the checkpoint to start from: a folder, or None for the built-in one
    place: Path | None = None  # the person's own file or folder; None: the sample
    task: TaskSpec | None = None
    columns: Mapping[Role, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)  # setting -> value, where it is not the usual one


@dataclass(frozen=True)
class RunKind:
    """One entry of "What to train"; title, sentence and word are English, translated where they are shown."""

    key: str
    title: str
    sentence: str
    usual: RunOptions  # what the form leaves as it is
    with_data: Callable[[RunOptions, FormValues], RunOptions]  # the settings, and what it learns from and starts with
    basic: tuple[str, ...] = ()  # the settings that are always in sight, beside name, length and data
    advanced: tuple[str, ...] = ()  # the settings that are folded away
    usual_name: str = "run"
    word: str = mark("fine-tune")  # what it does
    model_setting: str = ""  # the setting with the checkpoint that it starts from; "": it trains a new model
    model_title: str = ""
    own_task: str = ""  # the task that reads a person's own files; "": it learns from plain text
    has_result: bool = False  # whether it writes a result at its end; others have curves only
    has_flags: bool = True  # whether its command can be typed without a recipe
    has_score: bool = True  # whether one figure says how good it is, so that several runs can be compared by it

    @property
    def is_task(self) -> bool:
        return bool(self.own_task)

    @property
    def starts_from_model(self) -> bool:
        return bool(self.model_setting)

    def usual_options(self, own: bool) -> RunOptions:
        """What the form leaves as it is; `own`: on a person's own files."""
        return self.usual.with_changes(batch_size=OWN_BATCH if own else SAMPLE_BATCH) if self.is_task else self.usual

    @property
    def usual_lengths(self) -> dict[str, float]:
        """Unit -> number, 0 for what follows from the file; the first is what the form begins with."""
        if self.is_task:
            return {EPOCHS: 0.0, MINUTES: DEFAULT_MINUTES, STEPS: DEFAULT_STEPS}
        return {MINUTES: DEFAULT_MINUTES, EPOCHS: TEXT_EPOCHS, STEPS: DEFAULT_STEPS}

    def command(self, values: FormValues) -> RunCommand:
        """The run as it is set, its data not read yet. Raises BertcoreError where a setting cannot be."""
        usual = self.usual_options(values.place is not None).with_changes(name=values.name)
        options = self.with_data(usual, values)
        length = round(values.number) if values.unit == STEPS else values.number
        return RunCommand(options.with_changes(**{values.unit: length or None, **values.settings}))

    def check(self, values: FormValues) -> None:
        """Reads a small file whole, as the run will; a large one is left to the run, which reads it first of all.

        Raises BertcoreError, one sentence, where the data is not there or does not fit.
        """
        if values.place is not None and not values.place.exists():
            raise BertcoreError(say("{file} is not there; choose another file.", file=values.place))
        place = values.place or (sample_folder(values.task) if values.task else None)
        if values.task is not None and place is not None:
            file = find_file(values.task, place, "train")
            if file.stat().st_size <= READ_WHOLE_BYTES:
                read_task(values.task, file, "train", values.columns)

    @property
    def tasks(self) -> tuple[TaskSpec, ...]:
        """The task for a person's own files first, then those with published files; none for plain text."""
        if not self.is_task:
            return ()
        own = TASKS[self.own_task]
        group = _group(own)
        return (own, *(spec for spec in TASKS.values() if _group(spec) == group and spec is not own))

    @property
    def samples(self) -> tuple[TaskSpec, ...]:
        """Tasks whose sample files ship: the published ones, and the own one where its files are others."""
        own, *published = self.tasks or (None,)
        tasks = [spec for spec in published if spec.sample]
        if own is not None and own.sample and own.sample not in {spec.sample for spec in tasks}:
            tasks.append(own)
        return tuple(tasks)

    # --- settings of a file or a run, as the form shows them

    def fits(self, options: RunOptions) -> bool:
        """Whether these settings are of this kind. Raises BertcoreError for a task that is not there."""
        if type(options) is not type(self.usual):
            return False
        if isinstance(options, FinetuneOptions):
            return task_named(options.data.task) in self.tasks
        return self.starts_as(getattr(options, "start", None))

    def starts_as(self, checkpoint: object) -> bool:
        """Whether a run of its command that starts from a checkpoint, or None, is of this kind."""
        return bool(checkpoint) == (self.model_setting == "start")

    def model_of(self, options: RunOptions) -> str | None:
        """The checkpoint that a run starts from; None for the built-in one, or a new model."""
        reference = getattr(options, self.model_setting) if self.model_setting else None
        is_built_in = not reference or Path(reference).resolve() == built_in_checkpoint().resolve()
        return None if is_built_in else str(reference)

    def place_of(self, options: RunOptions) -> Path | None:
        """What a run learns from: a file or folder; None for the sample."""
        sample, given = sample_corpus(), ""
        if isinstance(options.data, DataOptions):
            given = next(iter(options.data.corpus), "")
        elif isinstance(options.data, TaskDataOptions):
            given, sample = options.data.train, sample_folder(task_named(options.data.task)) or sample
        return Path(given) if given and Path(given).resolve() != sample.resolve() else None


def _pretrain(options: RunOptions, values: FormValues) -> RunOptions:
    corpus = values.place or sample_corpus()
    if values.place is None and not corpus.exists():
        raise BertcoreError(say("The text file {file} is missing; choose another.", file=corpus))
    return options.with_changes(corpus=(str(corpus.resolve()),))


def _continue(options: RunOptions, values: FormValues) -> RunOptions:
    folder = _with_mlm_head(
        values, say("This model has no masked-word (MLM) head, so its pretraining cannot continue; choose another.")
    )
    options = _pretrain(options, values)
    return continued(options, folder) if isinstance(options, PretrainOptions) else options


def _distil(options: RunOptions, values: FormValues) -> RunOptions:
    folder = _with_mlm_head(
        values, say("This model has no masked-word (MLM) head, so it cannot be a teacher; choose another.")
    )
    if read_config(folder).num_hidden_layers < 2:
        raise BertcoreError(say("This teacher has only one layer, so no student can be smaller; choose another."))
    return _pretrain(options.with_changes(teacher=str(folder)), values)


def _finetune(options: RunOptions, values: FormValues) -> RunOptions:
    task = values.task
    if task is None:
        raise BertcoreError(say("Choose a sample or a file to learn from."))
    read_config(resolve_model(values.model, download=False))
    place = values.place or sample_folder(task)
    if place is None or (values.place is None and not place.exists()):
        raise BertcoreError(say("The sample of {task} is missing; choose a file of your own.", task=task.name))
    return options.with_changes(
        task=task.name, train=str(place.resolve()), columns=dict(values.columns), model=values.model
    )


def _with_mlm_head(values: FormValues, otherwise: str) -> Path:
    """The checkpoint to start from. Raises BertcoreError with `otherwise` where it cannot predict words."""
    folder = resolve_model(values.model, download=False).resolve()
    architectures = read_config_values(folder).get("architectures") or ()
    may_be_beside = (folder / "bertscope_heads.safetensors").is_file()
    has_head = any(str(name).endswith(_PREDICT_WORDS) for name in architectures)
    if architectures and not may_be_beside and not has_head:
        raise BertcoreError(otherwise)
    return folder


_FROM = mark("Start from")
_RATE = ("learning_rate", "warm_up_share")
_TEXT = ("masking", "mask_share", "mask_fate", "random_fate", "sequence_length", "batch_size")
_SHAPE = ("family", "layers", "hidden", "heads", "intermediate", "positions", "position_count", "segments", "dropout")
_PRETRAINING = (*_RATE, "fall_share", "causal_share", "pairs", *_TEXT, "optimizer", "seed")
_TUNING = ("learning_rate", "schedule", "warm_up_share", "batch_size", "max_length", "dropout", "classifier_dropout")
_CLASSIFIER = ("classifier_layers", "classifier_width", "classifier_activation", "one_logit")
_AT_LAST = ("layer_decay", "frozen_layers", "gradual_unfreezing", "max_examples", "max_held_out", "seed")


def _task(key: str, title: str, sentence: str, max_length: int = 128) -> RunKind:
    kind = TASK_KINDS[TASKS[key].kind]
    return RunKind(
        *(key, title, sentence, FinetuneOptions().with_changes(max_length=max_length), _finetune),
        basic=("crf",) if kind.takes_crf else (),
        advanced=(*_TUNING, *(_CLASSIFIER[: 3 + kind.has_labels] if kind.problem else ()), *_AT_LAST),
        model_setting="model",
        model_title=_FROM,
        own_task=key,
        has_result=True,
    )


RUN_KINDS = (
    RunKind(
        "pretrain",
        mark("Pretrain"),
        mark("A new model learns a language from plain text, by guessing masked words."),
        PretrainOptions(preset="tiny"),
        _pretrain,
        basic=("preset",),
        advanced=(*_SHAPE, "vocab_size", *_PRETRAINING),
        usual_name="stories",
        word=mark("pretrain"),
    ),
    RunKind(
        "continue",
        mark("Continue pretraining"),
        mark("A trained model goes on guessing masked words, in more text or a different kind of text."),
        PretrainOptions().with_changes(causal_share=0.0),  # it needs no warm-up: it predicts masked words already
        _continue,
        advanced=_PRETRAINING,
        usual_name="more stories",
        word=mark("continue"),
        model_setting="start",
        model_title=_FROM,
    ),
    _task(
        "classify", mark("Classify texts"), mark("It learns to sort texts into classes: good or bad, right or wrong.")
    ),
    _task("pairs", mark("Classify pairs"), mark("It learns how two texts relate: do they say the same thing?")),
    _task("similarity", mark("Similarity"), mark("It learns to score how similar two texts are.")),
    _task("tag", mark("Tag words"), mark("It learns to label each word: which is a person, which is a place.")),
    _task("answer", mark("Answer questions"), mark("It learns to find the answer to a question in a passage."), 256),
    _task("choose", mark("Multiple choice"), mark("It learns to choose the best of several endings.")),
    _task("summarise", mark("Summarise"), mark("It learns to pick the sentences that sum up a text."), 512),
    RunKind(
        "distil",
        mark("Distil"),
        mark("A student with half the layers learns to predict what its teacher predicts."),
        DistilOptions(),
        _distil,
        advanced=("layers", "temperature", *_RATE, "fall_share", *_TEXT, "seed"),
        usual_name="student",
        word=mark("distil"),
        model_setting="teacher",
        model_title=mark("Teacher"),
        has_result=True,
        has_flags=False,
        has_score=False,
    ),
)
BY_KEY = {kind.key: kind for kind in RUN_KINDS}
COMMANDS = {kind.usual.kind: kind for kind in reversed(RUN_KINDS)}  # command -> the first kind that it trains


def kind_of(options: RunOptions) -> RunKind:
    """The entry of the form that these settings are of. Raises BertcoreError for a task that is not there."""
    return next(kind for kind in RUN_KINDS if kind.fits(options))


def kind_in(config: Mapping[str, Any]) -> RunKind | None:
    """The first kind of the command that a config.json is of; None for one that is not known here."""
    return COMMANDS.get(str(config.get("kind", PretrainOptions.kind)))


def word_of(config: Mapping[str, Any]) -> str:
    """What a run does, in a word, by its config.json: "pretrain", "classify", "tag + CRF", "distil"."""
    if (spec := spec_of(config)) is not None:
        return f"{task_word(spec)} + CRF" if config.get("crf") else task_word(spec)
    first = kind_in(config)
    if first is None:
        return str(config.get("kind"))
    kinds = (kind for kind in RUN_KINDS if type(kind.usual) is type(first.usual))
    return say(next((kind for kind in kinds if kind.starts_as(config.get("start"))), first).word)


def read_settings(values: Mapping[str, Any], name: str) -> RunOptions:
    """The settings in a recipe or in a run's config.json. Raises BertcoreError, one sentence, for anything else."""
    if (kind := kind_in(values)) is None:
        raise BertcoreError(say("{file} does not contain the settings of a run; choose another file.", file=name))
    return type(kind.usual).from_dict(values)


def is_settings(place: Path) -> bool:
    """Whether a file is a recipe, or a run's config, which examples in JSON are not."""
    try:
        is_small = place.suffix == ".json" and place.is_file() and place.stat().st_size < _LARGEST_RECIPE
        return is_small and "format_version" in read_recipe(place)
    except (BertcoreError, OSError):
        return False


def budget_of(options: RunOptions) -> tuple[str, float] | None:
    """What a run counts, and how much; None where it is left open."""
    given = ((unit, getattr(options.training, unit, None)) for unit in BUDGETS)
    return next(((unit, float(value)) for unit, value in given if value is not None), None)


def sample_run_name(spec: TaskSpec) -> str:
    """The sample's name; of tasks that learn other things from the same files, all but the first have their own."""
    first = next(each for each in TASKS.values() if each.sample == spec.sample)
    return str(spec.sample) if spec is first else spec.name


def _group(spec: TaskSpec) -> tuple[str, bool]:
    """Several labels at once are one more way to classify; a second text makes another kind only of that."""
    kind = "classify" if spec.kind == "multilabel" else spec.kind
    return kind, kind == "classify" and spec.is_pair
