"""Settings of a distillation. Imports no torch."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from bertcore.config import BertConfig
from bertcore.errors import BertcoreError
from bertcore.settings import setting
from bertcore.training.options import RunOptions
from bertcore.training.pretrain_options import (
    NO_DROPOUT,
    DataOptions,
    PretrainOptions,
    TrainingOptions,
    refuse_mask_share,
    size_like,
)

_TRAINING: dict[str, Any] = {"causal_share": 0.0, "learning_rate": 5e-4}  # a distillation's own defaults


@dataclass(frozen=True)
class DistilOptions(RunOptions):
    """A student of the teacher's width and vocabulary, with fewer layers (Sanh et al. 2019)."""

    kind = "distil"
    format_version = 2

    name: str = setting("distil", "Name of the run")
    teacher: str = setting("", "Checkpoint, run or hub id of the teacher; if not given, the built-in model")
    layers: int | None = setting(
        None, "Layers of the student, taken evenly from the teacher's; if not given, half of them", within=(1, 1000)
    )
    temperature: float = setting(2.0, "Temperature that softens both distributions of words", within=(0.1, 100.0))
    # the three weights as DistilBERT was trained
    soft_weight: float = setting(5.0, "Weight of the teacher's distribution of words", within=(0.0, 1e3))
    mlm_weight: float = setting(2.0, "Weight of the masked words themselves", within=(0.0, 1e3))
    cosine_weight: float = setting(1.0, "Weight of the directions of the last hidden states", within=(0.0, 1e3))
    data: DataOptions = field(default_factory=DataOptions)
    training: TrainingOptions = field(default_factory=lambda: TrainingOptions(**_TRAINING))

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_mask_share(self.data, self.training)
        if self.training.causal_share:
            raise BertcoreError("A student learns masked words from its teacher; set the causal share to 0.")
        if self.training.accumulate != 1:
            raise BertcoreError("Distillation computes each batch as a whole; lower the batch size instead.")

    def student_layers(self, teacher: BertConfig) -> int:
        """How many layers the student has. Raises BertcoreError for more than the teacher's."""
        layers = max(1, teacher.num_hidden_layers // 2) if self.layers is None else self.layers
        if layers > teacher.num_hidden_layers:
            raise BertcoreError(
                f"A student has 1 to {teacher.num_hidden_layers} layers, no more than its teacher; not {layers}."
            )
        return layers

    def as_pretraining(self, teacher: BertConfig) -> PretrainOptions:
        """The same run as one of pretraining, with the student's architecture and the teacher's vocabulary."""
        changes = {"num_hidden_layers": self.student_layers(teacher), **NO_DROPOUT}
        model = {name: value for name, value in teacher.to_dict().items() if name not in ("vocab_size", "labels")}
        data = replace(self.data, tokenizer=self.teacher, pairs=self.data.pairs if teacher.takes_pairs else "none")
        return PretrainOptions(self.name, size_like(teacher), None, {**model, **changes}, data, self.training)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        given = values.get("training", {})
        return super().from_dict(
            {**values, "training": {**_TRAINING, **given} if isinstance(given, Mapping) else given}
        )
