"""What measures a model gives it back in the mode that it had, also where it fails."""

import ast
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from bertcore.data.batches import Batch
from bertcore.data.cloze import ClozeSentence
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.base import TaskBatch
from bertcore.tasks.predict import run_task
from bertcore.training.drawn_examples import example_answers
from bertcore.training.evaluate import HeldOutText, batch_losses, best_and_worst
from bertcore.training.head_activity import head_activity
from bertcore.training.questions import Questions
from bertcore.training.step_observers import SlowMotion
from tests.engine.models import random_batch, tiny_config, tiny_model, word_tokenizer

IDS, SEGMENTS, MASK = random_batch(tiny_config(), [6, 6])
BATCH = Batch(IDS, SEGMENTS, None, torch.tensor([1, 8]), torch.tensor([3, 4]), torch.tensor([0, 1]), False, 12)
TASK = TaskBatch(TASK_KINDS["classify"], "classify", IDS, SEGMENTS, MASK, torch.tensor([0, 1]))
ASKED = [ClozeSentence("the [MASK] sat", ("cat",), "")]
# Only so much of what is drawn as is read before the model is asked.
FEATURES = SimpleNamespace(kind=TASK.kind)
DRAWN_EXAMPLES = SimpleNamespace(batch=TASK, features=FEATURES)
BATCHES = SimpleNamespace(order=lambda: [np.array([0, 1])], batch=lambda units: TASK, features=FEATURES)
STEP = SimpleNamespace(batch=IDS)


def _slow_motion(model):
    trainable = SimpleNamespace(model=model, batch_loss=lambda ids: float(model(ids).sum()))
    clock = SimpleNamespace(clock=SimpleNamespace(elapsed_s=0.0))
    paused = SimpleNamespace(is_paused=True)
    return SlowMotion(trainable, clock, paused).before_update(STEP)


MEASURING = {
    "measured": lambda model: HeldOutText({"text": [BATCH]}).measure(model),
    "best_and_worst": lambda model: best_and_worst(model, [BATCH], word_tokenizer()),
    "questions": lambda model: Questions.of(ASKED, word_tokenizer(), 12).answer(model),
    "head_activity": lambda model: head_activity(model, IDS, None, None),
    "slow_motion": _slow_motion,
    "batch_losses": lambda model: batch_losses(model, BATCH),
    "example_answers": lambda model: example_answers(model, DRAWN_EXAMPLES, str),
    "run_task": lambda model: run_task(model, BATCHES),
}


@pytest.mark.parametrize("is_training", [True, False])
@pytest.mark.parametrize("name", MEASURING)
def test_an_error_leaves_the_mode_as_it_was(name, is_training):
    model = tiny_model(("mlm", "nsp", "classify")).train(is_training)
    seen = []

    def fail(*_):
        seen.append(model.encoder.training)
        raise KeyboardInterrupt  # as a person's Ctrl+C, which no `except Exception` sees

    model.encoder.register_forward_pre_hook(fail)
    with pytest.raises(KeyboardInterrupt):
        MEASURING[name](model)
    assert seen == [False]
    assert {module.training for module in model.modules()} == {is_training}


def test_nothing_else_switches_the_mode():
    """A model that was just opened or made is put into evaluation mode for good, by these."""
    package = Path(__file__).resolve().parents[2] / "bertcore"
    switching = {
        file.relative_to(package).as_posix()
        for file in package.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (node.func.attr == "eval" or (node.func.attr == "train" and not node.args))
    }
    opening = {"checkpoint/checkpoint.py", "analysis/family_table.py", "cli/check_command.py"}
    starting = {"training/pretrain.py", "training/finetune.py"}  # a run's own model, in training mode from then on
    assert switching == {"model/torch_parts.py", *opening, *starting}


class _OnGpu(torch.Tensor):
    """Stands for a tensor on a GPU, and so does what is computed from it: NumPy cannot read it."""

    def numpy(self, *, force=False):
        raise TypeError("can't convert cuda:0 device type tensor to numpy")

    def cpu(self, *args, **kwargs):
        return self.as_subclass(torch.Tensor)


def test_examples_are_ranked_where_the_model_is_on_a_gpu(monkeypatch):
    model = tiny_model(("mlm", "nsp"))
    expected = best_and_worst(model, [BATCH], word_tokenizer())
    for name in ("mlm_logits", "logits"):
        on_cpu = getattr(model, name)
        monkeypatch.setattr(model, name, lambda *given, run=on_cpu: run(*given).as_subclass(_OnGpu))
    assert best_and_worst(model, [BATCH], word_tokenizer()) == expected
