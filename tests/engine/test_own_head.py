"""A classifier of one's own: hidden layers of any depth, width and activation, and one logit for two labels."""

import json

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from bertcore.analysis.targets import Target
from bertcore.checkpoint.checkpoint import EXTRA_HEADS_FILE, load_checkpoint, save_checkpoint
from bertcore.config import BertConfig, count_parameters
from bertcore.errors import BertcoreError
from bertcore.loaded_model import load
from bertcore.model.bert import Bert
from bertcore.runs.run_folder import RunFolder
from bertcore.tasks.predict import as_example, predict
from bertcore.training.finetune_options import TuningOptions
from bertcore.training.start import start_run
from tests.engine.models import random_batch, randomise, tiny_checkpoint, tiny_config, word_tokenizer
from tests.engine.runs_of_each_kind import tuning
from tests.text_file import text_file

LABELS = ("bad", "good")
TEXTBOOK = {"labels": LABELS, "classifier_layers": 1, "classifier_width": 512, "one_logit": True}
DEEP = {"labels": LABELS, "classifier_layers": 2, "classifier_width": 24, "classifier_activation": "tanh"}
FAMILIES = (
    {},
    {"model_type": "roberta", "pad_token_id": 1, "type_vocab_size": 1},
    {"model_type": "distilbert", "type_vocab_size": 0, "classifier_dropout": 0.2},
)
pytestmark = pytest.mark.usefixtures("fast_disk")


def model_of(**changes):
    model = Bert(tiny_config(**changes), ["classify"]).eval()
    randomise(model, 1)
    return model.requires_grad_(False)


def batch():
    """Ids and mask of two texts, (2,9)."""
    ids, _, mask = random_batch(tiny_config(), (5, 9))
    return ids, mask


def examples(folder, rows=12):
    """Whatever has a dog in it is bad."""
    lines = [f"the cat sat on the mat {'.' * (i % 3)}\tgood\nit was a dog {'!' * (i % 3)}\tbad" for i in range(rows)]
    return text_file(folder / "train.tsv", "text\tlabel\n" + "\n".join(lines) + "\n")


def run_of(model, folder, **training):
    settings = {"steps": 12, "seed": 3, "evaluations": 2, "save_minutes": 1e-2, **training}
    return tuning(model, examples(folder), "classify", {"max_length": 16}, None, **settings)


class TestModel:
    @pytest.mark.parametrize("shape", [TEXTBOOK, DEEP])
    def test_it_is_the_sequential_of_the_textbooks(self, shape):
        model = model_of(**shape)
        width = shape["classifier_width"]
        activation = nn.Tanh if shape is DEEP else nn.ReLU
        parts, inputs = [], 32
        for _ in range(shape["classifier_layers"]):
            parts += [nn.Linear(inputs, width), activation(), nn.Dropout(0.1)]
            inputs = width
        own = nn.Sequential(*parts, nn.Linear(inputs, 1 if shape is TEXTBOOK else 2)).eval()
        theirs = [each for each in own if isinstance(each, nn.Linear)]
        for ours, copy in zip([*model.classify.layers, model.classify.output], theirs, strict=True):
            copy.load_state_dict(ours.state_dict())
        pooled = model.pool(model(torch.tensor([[2, 7, 9, 3]]))[:, 0])  # (1,H)
        expected = own(pooled)
        logits = model.logits("classify", model(torch.tensor([[2, 7, 9, 3]]))[:, 0])
        if shape is TEXTBOOK:
            assert logits[0, 0] == 0
            assert torch.allclose(logits.softmax(-1)[:, 1:], torch.sigmoid(expected), atol=1e-6)
            logits = logits[:, 1:]
        assert torch.allclose(logits, expected, atol=1e-5)

    def test_the_loss_and_its_gradient_are_binary_cross_entropy(self):
        model = model_of(**TEXTBOOK).requires_grad_(True)
        hidden = torch.randn(6, 32, generator=torch.Generator().manual_seed(0))
        labels = torch.tensor([0, 1, 1, 0, 1, 0])
        ours = F.cross_entropy(model.logits("classify", hidden), labels)
        theirs = F.binary_cross_entropy_with_logits(model.logits("classify", hidden)[:, 1], labels.float())
        assert torch.allclose(ours, theirs, atol=1e-6)
        weight = model.classify.layers[0].weight
        assert torch.allclose(*(torch.autograd.grad(loss, weight)[0] for loss in (ours, theirs)), atol=1e-6)

    @pytest.mark.parametrize("family", FAMILIES)
    @pytest.mark.parametrize("shape", [TEXTBOOK, DEEP, {"labels": LABELS, "one_logit": True}, {"labels": LABELS}])
    def test_parameters_are_counted_and_what_is_written_opens(self, family, shape, tmp_path):
        model = model_of(**family, **shape)
        assert sum(each.numel() for each in model.parameters()) == count_parameters(model.config, ["classify"])
        save_checkpoint(model, word_tokenizer(), tmp_path)
        again = load_checkpoint(tmp_path)
        assert again.config == model.config
        ids, mask = batch()
        ours, theirs = (each.logits("classify", each(ids, None, mask)[:, 0]) for each in (model, again.model))
        assert torch.equal(ours, theirs)
        is_usual = shape == {"labels": LABELS}
        assert (tmp_path / EXTRA_HEADS_FILE).exists() != is_usual
        if is_usual:  # a config without such a head is written as it always was
            assert not [key for key in json.loads((tmp_path / "config.json").read_text()) if key.startswith("one_")]
        if shape is TEXTBOOK:
            hidden = "" if not model.config.classifier_hidden else f" > {model.config.classifier_hidden} 32"
            assert model.config.classifier_in_words == f"32{hidden} > relu 512 > 1 logit"

    @pytest.mark.parametrize("family", FAMILIES)
    def test_transformers_opens_the_encoder(self, family, tmp_path):
        transformers = pytest.importorskip("transformers")
        model = model_of(**family, **DEEP)
        save_checkpoint(model, word_tokenizer(), tmp_path)
        theirs = transformers.AutoModel.from_pretrained(tmp_path).eval()
        ids, mask = batch()
        with torch.no_grad():
            hidden = theirs(input_ids=ids, attention_mask=mask).last_hidden_state
        assert torch.allclose(model(ids, None, mask)[mask > 0], hidden[mask > 0], atol=1e-5)

    def test_probabilities_and_targets(self, tmp_path):
        save_checkpoint(model_of(**TEXTBOOK), word_tokenizer(), tmp_path)
        checkpoint = load_checkpoint(tmp_path)
        (answer,) = predict(checkpoint, [as_example("classify", "the cat sat")])
        assert list(answer.probabilities) == list(LABELS) and sum(answer.probabilities.values()) == pytest.approx(1)
        ids = torch.tensor([checkpoint.encode("the cat sat").ids])
        with torch.no_grad():
            hidden = checkpoint.model(ids)
            for index, label in enumerate(LABELS):
                said = Target("classify", index).of(checkpoint.model, hidden)
                assert float(said.exp()) == pytest.approx(answer.probabilities[label], abs=1e-6)
        found = load(tmp_path).attribute("the cat sat")
        assert np.isfinite(found.scores).all() and np.abs(found.scores).max() > 0

    @pytest.mark.parametrize(
        ("wrong", "word"),
        [
            ({"classifier_layers": 99}, "from 0 to 12, not 99"),
            ({"classifier_width": 0}, "from 1 to 100,000, not 0"),
            ({"classifier_activation": "mish"}, "mish"),
            ({"one_logit": "yes"}, "one_logit"),
            ({"one_logit": True, "labels": ("a", "b", "c")}, "there are 3"),
            ({"one_logit": True, "labels": LABELS, "problem_type": "multi_label_classification"}, "several"),
            ({"one_logit": True, "labels": ("score",)}, "number"),
        ],
    )
    def test_what_no_classifier_can_be(self, wrong, word):
        with pytest.raises(BertcoreError, match=word):
            BertConfig(**wrong)


class TestRun:
    def test_a_run_makes_it_stops_and_goes_on_as_if_nothing_had_been(self, tmp_path):
        model = tiny_checkpoint(tmp_path / "model", hidden_dropout_prob=0.1)
        head = {"classifier_layers": 1, "classifier_width": 20, "classifier_activation": "tanh", "one_logit": True}
        whole, halted = tmp_path / "whole", tmp_path / "halted"
        start_run(run_of(model, tmp_path, **head), whole, resume=False)
        start_run(run_of(model, tmp_path, **{**head, "steps": 6}), halted, resume=False)
        start_run(run_of(model, tmp_path, **head), halted, resume=True)
        first, second = (load_checkpoint(RunFolder(each).snapshots()[-1][1]) for each in (whole, halted))
        assert first.config == second.config and first.config.classifier_in_words == "32 > tanh 20 > 1 logit"
        card = (RunFolder(whole).snapshots()[-1][1] / "README.md").read_text(encoding="utf-8")
        assert "| classifier | 32 > tanh 20 > 1 logit |" in card and EXTRA_HEADS_FILE in card
        evaluation = json.loads((whole / "evaluation.json").read_text(encoding="utf-8"))
        assert evaluation["labels"] == list(LABELS) and np.sum(evaluation["confusion"]) == evaluation["examples"]

        # who goes on from it keeps its classifier, or gives it another shape
        start_run(run_of(str(whole), tmp_path, steps=1, learning_rate=1e-8), tmp_path / "on", resume=False)
        on = load_checkpoint(RunFolder(tmp_path / "on").snapshots()[-1][1])
        assert on.config.one_logit
        kept, before = (each.model.classify.layers[0].weight for each in (on, first))
        assert torch.allclose(kept, before, atol=1e-6)
        start_run(run_of(str(whole), tmp_path, steps=1, classifier_layers=0), tmp_path / "flat", resume=False)
        assert load_checkpoint(RunFolder(tmp_path / "flat").snapshots()[-1][1]).config.classifier_layers == 0

    def test_without_settings_nothing_is_new(self, tmp_path):
        model = tiny_checkpoint(tmp_path / "model")
        start_run(run_of(model, tmp_path, steps=2), tmp_path / "run", resume=False)
        snapshot = RunFolder(tmp_path / "run").snapshots()[-1][1]
        assert json.loads((snapshot / "config.json").read_text())["architectures"] == ["BertForSequenceClassification"]
        assert not (snapshot / EXTRA_HEADS_FILE).exists()
        assert "classifier |" not in (snapshot / "README.md").read_text(encoding="utf-8")

    def test_refused(self, tmp_path):
        model = tiny_checkpoint(tmp_path / "model")
        for wrong in ({"classifier_layers": 99}, {"classifier_width": 0}, {"classifier_activation": "mish"}):
            with pytest.raises(BertcoreError, match=str(*wrong.values())):
                TuningOptions(**wrong)
        tags = text_file(tmp_path / "tags.conll", "the O\ncat B-X\n\n" * 60)
        with pytest.raises(BertcoreError, match="one logit are for classes of texts"):
            start_run(tuning(model, tags, "tag", {}, None, steps=2, one_logit=True), tmp_path / "run", resume=False)
