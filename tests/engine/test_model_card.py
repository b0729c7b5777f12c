"""The card of a finished run: a head that YAML readers and the hub's library understand, and the numbers of the run."""

import json
import math
import re
from dataclasses import replace

import pytest
import torch
import yaml
from huggingface_hub import ModelCard as HubCard
from transformers import BertForPreTraining

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.training.distil_options import DistilOptions
from bertcore.training.model_card import cell, head, place_of
from bertcore.training.pretrain import Pretraining
from bertcore.training.pretrain_options import continued
from bertcore.training.start import start_run
from tests.engine.runs_of_each_kind import fine_tuning
from tests.engine.training_runs import metrics, stop_at, tiny_run


def card_of(snapshot):
    """Head and body."""
    text = (snapshot / "README.md").read_text(encoding="utf-8")
    _, head, body = text.split("---\n", 2)
    return yaml.safe_load(head), body


def measured(head):
    (model,) = head["model-index"]
    (result,) = model["results"]
    return {each["type"]: each["value"] for each in result["metrics"]}


def rows(body):
    """First and second cell of each row of its tables."""
    cells = [re.split(r" (?<!\\)\| ", line.strip("| ")) for line in body.splitlines() if line.startswith("| ")]
    return {row[0]: row[1] for row in cells if len(row) > 1}


class TestPretraining:
    def test_what_it_says_of_the_run(self, text, tmp_path, run):
        snapshot = start_run(replace(tiny_run(text, seed=11), name="animals"), run, resume=False)
        head, body = card_of(snapshot)
        last = metrics(run, "held_out")[-1]
        assert last["step"] == 24
        numbers = measured(head)
        assert numbers == {name: last[name] for name in numbers}
        assert {"mlm_loss", "mlm_accuracy", "mlm_top5", "perplexity", "nsp_accuracy"} <= set(numbers)
        assert rows(body)["mlm loss"] == f"{last['mlm_loss']:.4f}"
        assert (head["library_name"], head["pipeline_tag"]) == ("transformers", "fill-mask")
        said, opened = rows(body), load_checkpoint(snapshot)
        tokens = json.loads((snapshot / "bertscope.json").read_text())["tokens_seen"]
        assert f"{opened.parameters:,} parameters" in body.split("## ")[0]
        assert said["vocabulary"].startswith(f"{opened.tokenizer.vocab_size:,} tokens, WordPiece")
        assert (said["text"], said["batch"]) == ("animals.txt", "8 sequences of 16 tokens")
        assert said["trained"].startswith(f"24 steps, {tokens:,} tokens")
        assert "Positions beyond 24 were never trained." in body and "stopped early" not in body
        assert str(tmp_path) not in body
        assert len(list(run.rglob("README.md"))) == 1  # only the end has a card

    def test_a_stop_is_said_first(self, text, run):
        snapshot = start_run(tiny_run(text, evaluations=8), run, resume=False, on_event=stop_at(run, 6))
        head, body = card_of(snapshot)
        assert "stopped early, at step 6: 25% of its budget" in body.split("## ")[0]
        last = metrics(run, "held_out")[-1]
        assert measured(head)["mlm_loss"] == last["mlm_loss"]
        assert "Positions beyond 16 were never trained." in body
        done = start_run(None, run, resume=True)
        assert "stopped early" not in card_of(done)[1]

    def test_it_opens_in_transformers_and_who_goes_on_from_it_names_it(self, text, tmp_path):
        first = start_run(tiny_run(text, steps=4), tmp_path / "first", resume=False)
        assert BertForPreTraining.from_pretrained(first).config.hidden_size == 32
        data = HubCard.load(first / "README.md").data
        assert data.library_name == "transformers" and data.eval_results
        more = continued(tiny_run(text, {"sequence_length": 16}, steps=4, causal_share=0.0), first)
        _, body = card_of(start_run(more, tmp_path / "second", resume=False))
        assert rows(body)["started from"] == "the run first, step 4"
        assert "trained further from the run first, step 4" in body


def test_losses_and_guesses_of_examples_are_the_models(text, run):
    """Against the logits of `transformers`, one sequence at a time."""
    options = tiny_run(text, held_out_sequences=40)
    snapshot = start_run(options, run, resume=False)
    evaluation = json.loads((run / "evaluation.json").read_text())
    assert len(evaluation["best"]) == len(evaluation["worst"]) == 10
    training = Pretraining(options)
    training.prepare(run, lambda sentence: None)
    theirs = BertForPreTraining.from_pretrained(snapshot).eval()
    found = []
    for batch in training.held_out.batches:
        mask = torch.ones_like(batch.input_ids) if batch.attention_mask is None else batch.attention_mask
        given = {"input_ids": batch.input_ids, "token_type_ids": batch.segment_ids, "attention_mask": mask}
        with torch.no_grad():
            logits = theirs(**given).prediction_logits.flatten(0, 1)
        of_word = torch.nn.functional.cross_entropy(logits[batch.rows], batch.labels, reduction="none")
        sequence = batch.rows // batch.input_ids.shape[1]
        found += [float(of_word[sequence == i].mean()) for i in range(len(batch.input_ids)) if (sequence == i).any()]
    found.sort()
    assert [each["loss"] for each in evaluation["best"]] == pytest.approx(found[:10], abs=1e-3)
    assert [each["loss"] for each in evaluation["worst"]] == pytest.approx(found[:-11:-1], abs=1e-3)
    assert evaluation["held_out"]["mlm_loss"] == metrics(run, "held_out")[-1]["mlm_loss"]
    for each in (*evaluation["best"], *evaluation["worst"]):
        words = each["words"]
        assert words and [word["right"] for word in words] == each["right"]
        assert [word["given"] for word in words] == each["given"]
        assert all(word["probability"] <= word["given_probability"] for word in words)
        mean = sum(-math.log(word["probability"]) for word in words) / len(words)
        assert each["loss"] == pytest.approx(mean, abs=0.01)
        masks = sum(word["seen"] == "[MASK]" for word in words)
        assert sum(part.count("[MASK]") for part in each["example"].values()) == masks


def test_fine_tuning(folder, run):
    head, body = card_of(fine_tuning(folder)(run))
    evaluation = json.loads((run / "evaluation.json").read_text())
    last, count = metrics(run, "held_out")[-1], evaluation["examples"]
    assert measured(head) == {name: last[name] for name in ("loss", *evaluation["metrics"])}
    said = rows(body)
    assert head["pipeline_tag"] == "text-classification" and said["started from"] == "model"
    assert (said["labels"], said["training examples"]) == (", ".join(evaluation["labels"]), f"{80 - count}")
    assert f"With {count} held-out examples, one more right answer is worth {100 / count:.2f}" in body
    assert said["learning rate"].startswith("0.003 at its peak") and str(folder) not in body


def test_distillation(text, tmp_path, run):
    teacher = start_run(tiny_run(text, steps=4), tmp_path / "teacher", resume=False)
    small = tiny_run(text, {"long_share": 0.0}, steps=4, causal_share=0.0)
    options = DistilOptions(name="pupil", teacher=str(teacher), layers=1, data=small.data, training=small.training)
    head, body = card_of(start_run(options, run, resume=False))
    comparison = json.loads((run / "comparison.json").read_text())
    assert "distillation" in head["tags"] and "distilled from the run teacher, step 4" in body
    teacher_loss, student_loss = (comparison[side]["mlm_loss"] for side in ("teacher", "student"))
    assert f"| mlm loss | {teacher_loss:.4f} | {student_loss:.4f} |" in body
    assert comparison["best"] and json.loads((run / "first_batch.json").read_text())["sequences"]
    assert "temperature 2" in rows(body)["objective"]
    lines = body.splitlines()
    titles = [at for at, line in enumerate(lines) if line.startswith("## ")]
    assert len(titles) == 5 and all(lines[at - 1] == lines[at + 1] == "" for at in titles)


class TestLayout:
    @pytest.mark.parametrize("name", ["plain", "a: b", "'x' \"y\"", "- # & *", "Größe 漢字 🙂", "line\nbreak", "yes"])
    def test_any_name_makes_a_head_that_can_be_read(self, name):
        about = yaml.safe_load(head(name, ("small",), None, {"loss": 1.5}, name))
        assert about["model-index"][0]["name"] == name
        assert about["model-index"][0]["results"][0]["dataset"]["name"] == name

    def test_a_name_is_one_line_of_the_text_and_cells_cannot_break_a_table(self, text, run):
        options = replace(tiny_run(text, steps=1), name="line\nbreak {config}")
        _, body = card_of(start_run(options, run, resume=False))
        assert body.splitlines()[1] == "# line break {config}"
        assert [cell(text) for text in ("a|b", "c\nd", "")] == ["a\\|b", "c d", "–"]

    @pytest.mark.parametrize(
        ("model", "name"),
        [
            ("/elsewhere/runs/first/snapshots/step-00000120", "the run first, step 120"),
            ("/cache/models--google-bert--bert-base-uncased/snapshots/86b5e09", "google-bert/bert-base-uncased"),
            ("google-bert/bert-base-uncased", "google-bert/bert-base-uncased"),
            ("/elsewhere/models/mine", "mine"),
        ],
    )
    def test_models_are_named_without_paths(self, model, name):
        assert place_of(model) == name
