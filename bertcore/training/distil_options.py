"""What a distillation is asked to do. Importable without torch; saved as the run's config.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from bertcore.config import BertConfig
from bertcore.errors import BertcoreError
from bertcore.training.option_checks import check_corpus, check_settings, check_table, read_recipe, refuse_unknown
from bertcore.training.options import NO_DROPOUT, DataOptions, PretrainOptions, TrainingOptions, size_like

FORMAT_VERSION = 1
_TRAINING: dict[str, Any] = {"causal_share": 0.0, "learning_rate": 5e-4}  # where nothing else is said


@dataclass(frozen=True)
class DistilOptions:
    """A student of the teacher's width and vocabulary, with fewer layers (Sanh et al. 2019)."""

    name: str = "distil"
    teacher: str = ""  # checkpoint folder
    layers: int | None = None  # of the student, taken evenly from the teacher's; None: half of them
    temperature: float = 2.0  # softens both distributions of words
    soft_weight: float = 5.0  # of the teacher's distribution; the three weights as DistilBERT was trained
    mlm_weight: float = 2.0  # of the right words
    cosine_weight: float = 1.0  # of the directions of the last hidden states
    data: DataOptions = field(default_factory=DataOptions)
    training: TrainingOptions = field(default_factory=lambda: TrainingOptions(**_TRAINING))

    def __post_init__(self) -> None:
        check_settings(self, _RANGES)
        if self.training.causal_share:
            raise BertcoreError("A student learns masked words from its teacher; set the causal share to 0.")
        if self.training.accumulate != 1:
            raise BertcoreError("Distillation works on a batch as a whole; lower the batch size instead.")

    def student(self, teacher: BertConfig) -> int:
        """How many layers the student has. Raises BertcoreError for more than the teacher's."""
        layers = max(1, teacher.num_hidden_layers // 2) if self.layers is None else self.layers
        if not isinstance(layers, int) or not 1 <= layers <= teacher.num_hidden_layers:
            raise BertcoreError(f"A student has 1 to {teacher.num_hidden_layers} layers, as its teacher; not {layers}.")
        return layers

    def as_pretraining(self, teacher: BertConfig) -> PretrainOptions:
        """The same run as one of pretraining, with the student's architecture and the teacher's vocabulary."""
        changes = {"num_hidden_layers": self.student(teacher), **NO_DROPOUT}
        model = {name: value for name, value in teacher.to_dict().items() if name not in ("vocab_size", "labels")}
        data = replace(self.data, tokenizer=self.teacher, pairs=self.data.pairs if teacher.takes_pairs else "none")
        return PretrainOptions(self.name, size_like(teacher), None, {**model, **changes}, data, self.training)

    def to_dict(self) -> dict[str, Any]:
        return {"format_version": FORMAT_VERSION, "kind": "distil", **asdict(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> DistilOptions:
        """From a recipe or a run's config.json. Unknown keys are refused by name."""
        values = dict(values)
        if values.pop("format_version", FORMAT_VERSION) != FORMAT_VERSION or values.pop("kind", "distil") != "distil":
            raise BertcoreError("This recipe is of another kind or version; this version reads distillations, 1.")
        refuse_unknown(cls, values, "the recipe")
        if "data" in values:
            data = check_table(values["data"], "data")
            refuse_unknown(DataOptions, data, "data")
            values["data"] = DataOptions(**{**data, "corpus": check_corpus(data.get("corpus", ()))})
        if "training" in values:
            training = check_table(values["training"], "training")
            refuse_unknown(TrainingOptions, training, "training")
            values["training"] = TrainingOptions(**{**_TRAINING, **training})
        return cls(**values)

    @classmethod
    def from_file(cls, file: Path) -> DistilOptions:
        """Read a recipe (JSON)."""
        return cls.from_dict(read_recipe(file))


_RANGES: dict[str, tuple[type, float, float]] = {
    "temperature": (float, 0.1, 100.0),
    "soft_weight": (float, 0.0, 1e3),
    "mlm_weight": (float, 0.0, 1e3),
    "cosine_weight": (float, 0.0, 1e3),
}
