"""Distillation as DistilBERT does it: a student with fewer layers learns to say what its teacher says.

Sanh et al. 2019, section 2: the student begins with every other layer of the teacher. Its loss has three parts: the
teacher's softened distribution of words, the masked words themselves, and the cosine of the last hidden states. Besides
it learns next sentence (or sentence order) from the text, where it has that head: its body changes, and with it what
the teacher's head would make of it.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from bertcore.checkpoint.checkpoint import Checkpoint, load_checkpoint, without_spare_rows
from bertcore.checkpoint.config_file import read_config
from bertcore.data.batches import Batch
from bertcore.data.pairs import NO_LABEL
from bertcore.errors import BertcoreError
from bertcore.files import write_json
from bertcore.model.bert import Bert
from bertcore.resolve_model import snapshot_errors
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.snapshots import OPTIMIZER_FILE, keep_source
from bertcore.training.distil_options import DistilOptions
from bertcore.training.distributed import ProcessGroup
from bertcore.training.model_card import beside_teacher, place_of, write_pretraining_card
from bertcore.training.objective import Losses, step_metrics
from bertcore.training.pretrain import Pretraining, refuse_text
from bertcore.training.trainable import RunEnd, StepPlan, StepResult

COMPARISON_FILE = "comparison.json"  # teacher and student side by side: size, speed, quality


class Distilling(Pretraining):
    """Pretraining with a teacher beside."""

    @staticmethod
    def refuse(options: Any) -> None:
        """Reads the first documents, and opens the teacher."""
        refuse_text(options.data)
        options.student_layers(_open_teacher(options).config)

    def __init__(self, options: DistilOptions, group: ProcessGroup | None = None) -> None:
        if group is not None and group.size > 1:
            raise BertcoreError("Distillation runs in one process; start it without torchrun.")
        self.distil = options
        super().__init__(options.as_pretraining(read_config(Path(options.teacher))), group)

    def prepare(self, run: Path, report: Callable[[str], None]) -> None:
        report("Opening the teacher.")
        keep_source(self.distil.teacher)
        teacher = _open_teacher(self.distil)
        super().prepare(run, report)
        self.teacher = without_spare_rows(teacher.model, self.model.config.vocab_size).to(self.device)
        begin_with_teacher(self.teacher, self.model)
        if self.compute.compiled:
            self.model.compile()

    def _note_sources(self, run: Path, exact: Sequence[Path] = ()) -> None:
        """The teacher's weights too: the data's key says nothing of them."""
        files = sorted(Path(self.distil.teacher).iterdir())
        weights = [file for file in files if file.suffix in (".safetensors", ".bin") and file.name != OPTIMIZER_FILE]
        super()._note_sources(run, [*exact, *weights])

    def forward_backward(self, plan: StepPlan, batch: Batch) -> StepResult:
        batch = batch.to(self.device)
        with self.precision.autocast(self.device):
            losses = distillation_losses(self.teacher, self.model, batch, self.distil)
        losses.total.backward()
        return StepResult(batch.real_tokens, losses.total.detach(), _metrics(losses, batch) if plan.is_logged else None)

    def batch_loss(self, batch: Batch) -> float:
        return float(distillation_losses(self.teacher, self.model, batch.to(self.device), self.distil).total)

    def finish(self, folder: RunFolder, end: RunEnd) -> Mapping[str, Any] | None:
        """Teacher and student side by side, the student's best and worst held-out sequences, and its model card."""
        sides = {"teacher": self.teacher, "student": self.model}
        comparison = {name: self._measured(model) for name, model in sides.items()}
        teacher, student = comparison["teacher"], comparison["student"]
        comparison["student_of_teacher"] = {
            name: student[name] / teacher[name] if teacher[name] else None
            for name in ("parameters", "forward_ms", "mlm_accuracy", "mlm_top5")
        }
        write_json(folder.path / COMPARISON_FILE, {**comparison, **self._examples()})
        origin = f"distilled from {place_of(self.distil.teacher)} by BERTscope"
        fields = {"what": origin, "objective": self._objective, "beside_teacher": beside_teacher(comparison)}
        write_pretraining_card(self, folder, end, fields)
        return end.held_out

    @property
    def _objective(self) -> str:
        distil, has_pairs = self.distil, self.options.data.pairs != "none"
        pairs = f", labels of pairs ({distil.training.next_sentence_weight:g})" if has_pairs else ""
        return (
            f"the teacher's words at temperature {distil.temperature:g} (weight {distil.soft_weight:g}), masked words "
            f"({distil.mlm_weight:g}), direction of the last hidden states ({distil.cosine_weight:g}){pairs}"
        )

    def _measured(self, model: Bert) -> dict[str, Any]:
        numbers, seconds = self.held_out.measure(model), _forward_seconds(model, self.held_out.batches[0])
        return {
            "layers": model.config.num_hidden_layers,
            "parameters": sum(parameter.numel() for parameter in model.parameters()),
            "forward_ms": 1000 * seconds,  # of one batch of held-out text
            **{name: numbers[name] for name in ("mlm_loss", "perplexity", "mlm_accuracy", "mlm_top5", "nsp_accuracy")},
        }


def _open_teacher(options: DistilOptions) -> Checkpoint:
    with snapshot_errors(Path(options.teacher)):
        teacher = load_checkpoint(Path(options.teacher))
    if teacher.model.mlm is None:
        raise BertcoreError(f"A teacher has to predict words. {teacher.missing['mlm']}")
    return teacher


def begin_with_teacher(teacher: Bert, student: Bert) -> None:
    """The teacher's embeddings and heads, and some of its layers: of twelve, six take 0, 2, 4, 6, 8 and 10."""
    taken = teacher_layers(teacher.encoder.depth, student.encoder.depth)
    weights = {}
    for name, value in student.state_dict().items():
        source = name
        if name.startswith("encoder.layers.") and len(student.encoder.layers) == student.encoder.depth:
            _, _, layer, rest = name.split(".", 3)
            source = f"encoder.layers.{taken[int(layer)]}.{rest}"
        given = teacher.state_dict().get(source)
        weights[name] = value if given is None else given
    student.load_state_dict(weights)


def teacher_layers(teacher: int, student: int) -> list[int]:
    """Which of the teacher's layers the student begins with, evenly spread, from 0."""
    return [layer * teacher // student for layer in range(student)]


def distillation_losses(teacher: Bert, student: Bert, batch: Batch, options: DistilOptions) -> Losses:
    """Soft words and masked words at the masked places, the cosine of hidden states at all real tokens, and the labels
    of pairs, where the student has a head for them."""
    with torch.no_grad():
        wanted = teacher(batch.input_ids, batch.segment_ids, batch.attention_mask)  # (B,S,H)
        soft = teacher.mlm_logits(wanted.flatten(0, 1)[batch.rows])  # (R,V)
    hidden = student(batch.input_ids, batch.segment_ids, batch.attention_mask)
    logits = student.mlm_logits(hidden.flatten(0, 1)[batch.rows])
    distances, real = 1 - F.cosine_similarity(hidden.float(), wanted.float(), dim=-1), batch.attention_mask  # (B,S)
    parts = {
        "soft": soft_cross_entropy(logits, soft, options.temperature),
        "mlm": F.cross_entropy(logits.float(), batch.labels),
        "cosine": (distances if real is None else distances[real.bool()]).mean(),
    }
    weights = {"soft": options.soft_weight, "mlm": options.mlm_weight, "cosine": options.cosine_weight}
    found = {"mlm": logits}
    pairs = student.pair_head
    if pairs is not None and options.training.next_sentence_weight > 0:
        found[pairs] = student.logits(pairs, hidden[:, 0])  # (B,2)
        total = F.cross_entropy(found[pairs].float(), batch.next_sentence, ignore_index=NO_LABEL, reduction="sum")
        parts[pairs] = total / max(batch.pairs, 1)
        weights[pairs] = options.training.next_sentence_weight
    return Losses.of(parts, found, weights)


def soft_cross_entropy(logits: Tensor, soft: Tensor, temperature: float) -> Tensor:
    """Kullback-Leibler divergence from the teacher's softened words (R,V), times T^2 so that gradients keep their size.

    Hinton et al. 2015, section 2.
    """
    ours = F.log_softmax(logits.float() / temperature, dim=-1)
    theirs = F.softmax(soft.float() / temperature, dim=-1)
    return F.kl_div(ours, theirs, reduction="batchmean") * temperature**2


def _metrics(losses: Losses, batch: Batch) -> Mapping[str, float]:
    known = {name: value for name, value in step_metrics(losses, batch).items() if value is not None}
    return {**known, **{f"{name}_loss": float(part.detach()) for name, part in losses.parts.items()}}


@torch.no_grad()
def _forward_seconds(model: Bert, batch: Batch) -> float:
    """The shortest of three. A GPU is waited for before and after: Python only queues what it is to compute."""
    device, seconds = batch.input_ids.device, []
    wait = partial(torch.cuda.synchronize, device) if device.type == "cuda" else lambda: None
    for _ in range(4):
        wait()
        started = time.perf_counter()
        model(batch.input_ids, batch.segment_ids, batch.attention_mask)
        wait()
        seconds.append(time.perf_counter() - started)
    return min(seconds[1:])  # the first one warms up
