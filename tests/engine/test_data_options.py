"""What a run reads, as options: old files mean what they meant, and every choice trains and resumes."""

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.checkpoint.config_file import config_values
from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.training.distil_options import DistilOptions
from bertcore.training.evaluate import evaluate_text
from bertcore.training.pretrain_options import DataOptions, PretrainOptions, continued
from bertcore.training.start import start_run
from tests.engine.models import tiny_config, tiny_model, word_tokenizer
from tests.engine.training_runs import at_step, losses, metrics, tiny_run, write_text

pytestmark = pytest.mark.usefixtures("fast_disk")


class TestFiles:
    @pytest.mark.parametrize("version", [1, 4, 6])
    def test_versions_that_are_not_read(self, version: int) -> None:
        with pytest.raises(BertcoreError, match="reads pretrain recipes of version 5"):
            PretrainOptions.from_dict({"format_version": version})

    def test_files_from_before_long_sentences_were_always_cut_may_say_so(self) -> None:
        assert PretrainOptions.from_dict({"data": {"cut_long_sentences": True}}) == PretrainOptions.from_dict({})
        with pytest.raises(BertcoreError, match="no setting named cut_long_sentences"):
            PretrainOptions.from_dict({"data": {"cut_long_sentences": False}})

    def test_new_ones_are_packed_and_say_so(self) -> None:
        assert PretrainOptions.from_dict({}).data.pack is True
        stored = PretrainOptions(data=DataOptions(pack=False, pairs="sop", masking="spans")).to_dict()
        assert stored["format_version"] == 5
        assert PretrainOptions.from_dict(stored).to_dict() == stored

    @pytest.mark.parametrize(
        ("data", "says"),
        [
            ({"masking": "letters"}, "no masking 'letters'; choose one of tokens, words, spans"),
            ({"pairs": None}, "no pairs None; choose one of nsp, sop, none"),
            ({"vocabulary": "unigram"}, "no vocabulary 'unigram'; choose one of wordpiece, bpe, words"),
            ({"vocabulary": "bpe", "vocab_size": 200}, "at least 261 for a byte-level"),
            ({"pack": "yes"}, "pack must be true or false"),
            ({"document_per_file": 1}, "document per file must be true or false"),
            ({"text_field": 3}, "text field must be"),
            ({"repeat_positions": "yes"}, "positions must be true, false or null"),
            ({"packed": True}, "no setting named packed in data"),
        ],
    )
    def test_what_cannot_be_is_refused_with_a_sentence(self, data: dict[str, Any], says: str) -> None:
        with pytest.raises(BertcoreError, match=says):
            PretrainOptions.from_dict({"data": data})


CHOICES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "as BERT": ({"masking": "words"}, ("mlm", "nsp")),
    "as ALBERT": ({"pairs": "sop", "masking": "spans"}, ("mlm", "sop")),
    "as RoBERTa": ({"pairs": "none", "vocabulary": "bpe", "vocab_size": 300}, ("mlm",)),
    "whole words": ({"pairs": "sop", "vocabulary": "words"}, ("mlm", "sop")),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_every_choice_trains_and_goes_on_as_if_never_stopped(choice: str, tmp_path: Path) -> None:
    data, tasks = CHOICES[choice]
    corpus = write_text(tmp_path)
    options = tiny_run(corpus, data, steps=8, causal_share=0.25)
    whole = start_run(options, tmp_path / "whole", resume=False)
    checkpoint = load_checkpoint(whole)
    assert checkpoint.model.output_heads == tasks
    assert checkpoint.config.pad_token_id == checkpoint.tokenizer.pad_id
    held_out = metrics(tmp_path / "whole", "held_out")
    head = tasks[1] if len(tasks) > 1 else None
    if head:
        assert held_out[-1]["pairs"] > 0 and 0 <= held_out[-1][f"{head}_accuracy"] <= 1
        assert any(line.get(f"{head}_loss") is not None for line in metrics(tmp_path / "whole"))
    else:
        assert held_out[-1]["pairs"] == 0 and held_out[-1]["nsp_loss"] is None

    folder = RunFolder(tmp_path / "broken")
    start_run(options, folder.path, resume=False, on_event=at_step(5, lambda: folder.send("stop")))
    assert folder.status().step < 8
    start_run(None, folder.path, resume=True)
    assert losses(folder.path) == losses(tmp_path / "whole")


def test_another_text_field_is_found_before_a_folder_is_made(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"body": "The cat sat. The dog sat."}\n' * 9)
    with pytest.raises(BertcoreError, match="expected text in the field 'text', but there are 'body'"):
        start_run(tiny_run(file, steps=1), tmp_path / "run", resume=False)
    assert not (tmp_path / "run").exists()


class TestModelsWithoutPairs:
    """Next sentence and sentence order take a pooler, and a segment each for A and B."""

    LACKING: ClassVar[dict[str, dict[str, Any]]] = {
        "RoBERTa": {"model_type": "roberta", "type_vocab_size": 1},
        "DistilBERT": {"model_type": "distilbert", "type_vocab_size": 0},
        "ELECTRA": {"model_type": "electra"},
        "BERT": {"type_vocab_size": 1},
    }

    @pytest.mark.parametrize("title", LACKING)
    @pytest.mark.parametrize("pairs", ["nsp", "sop"])
    def test_refused_before_a_folder_is_made(self, title: str, pairs: str) -> None:
        with pytest.raises(
            BertcoreError, match=rf"\({pairs}\) need a pooler .* this {title} does not have .* pairs to none"
        ):
            PretrainOptions(model=self.LACKING[title], data=DataOptions(pairs=pairs))
        assert PretrainOptions(model=self.LACKING[title], data=DataOptions(pairs="none")).model_config(99)

    def test_a_family_that_has_them_keeps_them(self) -> None:
        for model in ({}, {"model_type": "albert"}, {"model_type": "roberta", "type_vocab_size": 2}):
            assert PretrainOptions(model=model).data.pairs == "nsp"

    @pytest.mark.parametrize("title", LACKING)
    def test_who_goes_on_from_one_or_teaches_with_one_reads_running_text(self, title: str, tmp_path: Path) -> None:
        fields = self.LACKING[title]
        dropout = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
        config = tiny_config(**fields, **dropout, max_position_embeddings=80)
        values = config_values(config, f"{config.family.class_prefix}ForMaskedLM")
        (tmp_path / "config.json").write_text(json.dumps(values))
        assert continued(PretrainOptions(), tmp_path).data.pairs == "none"
        assert DistilOptions(teacher=str(tmp_path)).as_pretraining(config).data.pairs == "none"
        assert DistilOptions().as_pretraining(tiny_config(max_position_embeddings=80)).data.pairs == "nsp"


@pytest.mark.parametrize(
    ("heads", "changes"),
    [(("mlm",), {"type_vocab_size": 1}), (("mlm", "sop"), {"model_type": "albert"}), (("mlm", "nsp"), {})],
)
def test_held_out_text_is_laid_out_as_the_model_reads_it(
    heads: tuple[str, ...], changes: dict[str, Any], tmp_path: Path
) -> None:
    """One segment has no place for a B, and sentence order is asked of nobody but who learned it."""
    save_checkpoint(tiny_model(heads, pooler=heads[-1] != "mlm", **changes), word_tokenizer(), tmp_path / "model")
    found = evaluate_text(load_checkpoint(tmp_path / "model"), [write_text(tmp_path)], 40, 8)
    assert found["words"] and bool(found["pairs"]) == (len(heads) > 1)
    assert (found.get("sop_accuracy") is not None) == ("sop" in heads)
    assert (found["nsp_accuracy"] is not None) == ("nsp" in heads)
