"""`evaluate --all`: every figure of a pretrained model by one command."""

import json
from pathlib import Path

import pytest

from tests.end_to_end.shell import Shell
from tests.engine.models import tiny_checkpoint
from tests.engine.training_runs import write_text


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tiny_checkpoint(tmp_path_factory.mktemp("model"), max_position_embeddings=160))


def test_all_figures_are_printed_and_kept(shell: Shell, model: str, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    out, texts = (
        tmp_path / "new" / "report.json",
        [str(write_text(tmp_path)), str(write_text(tmp_path / "other", documents=70))],
    )
    command = ("evaluate", model, "--all", "--corpus", *texts, "--sequence-length", "32")
    answer = shell(*command, "--out", str(out))
    assert answer.code == 0, answer.err
    kept = json.loads(out.read_text(encoding="utf-8"))
    assert kept["config"] == {"model": model, "corpus": texts, "whole": False, "sequence_length": 32}
    text = kept["text"]
    assert len(text) == 3 and list(text)[-1] == "all"
    assert text["all"]["documents"] == sum(text[name]["documents"] for name in list(text)[:-1])
    assert len(kept["cloze"]["sentences"]) == 200 and len(kept["second_cloze"]["sentences"]) == 100
    for figure in ("perplexity", "nsp_accuracy", "second cloze set", "top5", "minimal pairs"):
        assert figure in answer.out
    for name, numbers in text.items():
        assert name in answer.out and name in answer.err and f"{numbers['mlm_loss']:.4f}" in answer.out
    corpus = shell("evaluate", model, "--corpus", *texts, "--sequence-length", 32, "--sequences", 2048, "--json").json
    assert {name: corpus[name] for name in text["all"]} == text["all"]
    whole = shell(*command, "--whole", "--json").json["text"]["all"]
    assert whole["documents"] == whole["documents_in_text"] == corpus["documents_in_text"] > corpus["documents"]


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--corpus", "absent.txt"), "absent.txt"),
        (("--data", "some.tsv"), "leave out --data"),
        (("--pairs", "some.jsonl"), "leave out --data and --pairs"),
    ],
)
def test_what_cannot_be_is_said_at_once(shell: Shell, model: str, flags: tuple[str, str], says: str) -> None:
    assert says in shell("evaluate", model, "--all", *flags).sentence


def test_minimal_pairs_of_others_in_several_files(shell: Shell, model: str, tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    first.write_text(
        '{"sentence_good": "the cats sat.", "sentence_bad": "the cats it.", "UID": "one", "field": "syntax"}\n' * 3
    )
    second.write_text('{"good": "a dog sang.", "bad": "a dog very.", "phenomenon": "two"}\n')
    for command in ((model, "--pairs", first, second), (model, "--pairs", first, "--pairs", second)):
        found = shell("evaluate", *command, "--json").json
        assert list(found) == ["minimal_pairs"]
        pairs = found["minimal_pairs"]
        assert {name: of["pairs"] for name, of in pairs["phenomena"].items()} == {"one": 3, "two": 1}
        assert (
            pairs["pairs"] == 4
            and pairs["right"] == sum(of["right"] * of["pairs"] for of in pairs["phenomena"].values()) / 4
        )
    assert "two" in shell("evaluate", model, "--pairs", second).out
    assert "is after neither" in shell("evaluate", model, first).sentence


def test_text_files_of_others_as_a_whole(shell: Shell, model: str, tmp_path: Path) -> None:
    """What is held out of a foreign file is a fifth, or less, of it: the command says so."""
    (tmp_path / "folder").mkdir()
    first, second = write_text(tmp_path), write_text(tmp_path / "folder")
    part, whole = (
        shell("evaluate", model, "--corpus", first, second, "--sequence-length", 32, "--json", *flags).json
        for flags in ((), ("--whole",))
    )
    assert whole["documents"] == whole["documents_in_text"] == part["documents_in_text"] >= 5 * part["documents"]
    assert whole["words"] > 4 * part["words"]
    said = shell("evaluate", model, "--corpus", first, "--sequence-length", 32).out
    assert "Only the held-out part" in said and "--whole" in said
    built_in = shell("evaluate", "--corpus", first, second, "--sequences", 4, "--json").json
    assert built_in["config"]["model"] is None and len(built_in["config"]["corpus"]) == 2
    assert "--corpus" in shell("evaluate", model, "--whole").sentence
