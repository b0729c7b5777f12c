"""`bertcore`, the shell: two models or texts side by side, where their difference is, and many texts at once."""

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from bertcore.loaded_model import load
from tests.end_to_end.shell import Shell
from tests.engine.models import tiny_checkpoint

MASKED, OTHER = "The cat sat on [MASK].", "The dog sat on [MASK]."


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_checkpoint(tmp_path_factory.mktemp("classifier"), output_heads=("classify",), labels=("bad", "good"))


@pytest.fixture
def limit_of_files() -> Iterator[Callable[[int], None]]:
    """Sets the largest size in bytes that a file may have, as `ulimit -f` does."""
    resource = pytest.importorskip("resource")  # not on Windows
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class TestCompare:
    def test_texts(self, shell: Shell, model: Path, tmp_path: Path) -> None:
        out = tmp_path / "found" / "comparison.json"
        given = ("compare", model, "--a", MASKED, "--other-a", OTHER)
        found = shell(*given, "--json", "--out", out).json
        assert json.loads(out.read_text()) == found
        assert found["other_positions"] == list(range(8)) and found["other_tokens"][2] == "dog"
        assert np.shape(found["states"]) == (3, 8) and np.shape(found["cka"]) == (3, 3)
        assert len(found["heads"]) == 8 and found["words"][0]["rank"] == 1
        assert "parameters" not in found and found["notes"] == []
        shown = shell(*given).out
        assert shown.startswith(f"Other: {OTHER}\n")
        most = max(found["heads"], key=lambda head: head["divergence_bits"])
        rows = [line.split() for line in shown.split("count from 1:\n")[1].splitlines()]
        first = next(row for row in rows if row and row[0].isdigit())
        assert first == [str(most["layer"] + 1), str(most["head"] + 1), f"{most['divergence_bits']:.3f}"]

    def test_sentence_b_stays_where_none_is_given(self, shell: Shell, model: Path) -> None:
        given = ("compare", model, "--a", "The cat", "--b", "It sat", "--other-a", "The dog", "--json")
        assert shell(*given).json["other_tokens"][4:6] == ["it", "sat"]
        assert len(shell(*given, "--other-b", "").json["other_tokens"]) == 4

    def test_models(self, shell: Shell, model: Path, classifier: Path) -> None:
        found = shell("compare", classifier, "--other-model", model, "--json").json
        assert found.keys() == {"parameters", "moved_words", "notes"}
        assert found["parameters"][0].keys() == {"layer", "part", "change", "other_norm", "relative"}
        shown = shell("compare", classifier, "--other-model", model, "--a", "A cat").out
        assert "Answer: " in shown and "Answer of the other" not in shown and "Parameters that changed most" in shown

    def test_what_cannot_be_compared_is_said(self, shell: Shell, model: Path) -> None:
        assert "nothing to compare with" in shell("compare", model, "--a", "A cat").sentence
        assert "--a is empty" in shell("compare", model, "--other-a", "A cat").sentence
        assert "--other-a is empty" in shell("compare", model, "--a", "A cat", "--other-a", " ").sentence
        assert "give that too" in shell("compare", model, "--a", "A cat", "--other-b", "A dog").sentence
        assert "no training steps" in shell("compare", model, "--other-step", "100").sentence
        assert "no word in common" in shell("compare", model, "--a", "the cat", "--other-a", "it was").out


class TestPatch:
    def test_the_map(self, shell: Shell, model: Path) -> None:
        given = ("patch", model, "--a", MASKED, "--other-a", OTHER, "--wanted", "cat")
        found = shell(*given, "--json").json
        assert np.abs(found["map"] - load(model).patch(MASKED, other_a=OTHER, wanted="cat").map).max() < 1e-6
        assert np.shape(found["map"]) == (3, 8) and found["target"] == "cat"
        shown = shell(*given).out
        assert "cat / dog" in shown and "emb." in shown and "cat: " in shown
        heads = shell(*given, "--part", "head", "--json").json
        assert np.shape(heads["map"]) == (2, 4)
        assert "head 4" in shell(*given, "--part", "head").out

    def test_sentence_b_stays_where_none_is_given(self, shell: Shell, model: Path) -> None:
        found = shell("patch", model, "--a", "The cat", "--b", "It sat", "--other-a", "The dog", "--json").json
        assert found["target"] == "next sentence" and found["other_tokens"][4:6] == ["it", "sat"]

    def test_a_label(self, shell: Shell, classifier: Path) -> None:
        given = ("patch", classifier, "--a", "A cat", "--other-a", "A dog", "--json")
        assert shell(*given, "--wanted", "good", "--against", "bad").json["target"] == "good against bad"
        assert "has no label 'nice'" in shell(*given, "--wanted", "nice").sentence

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (("--a", "", "--other-a", "The dog"), "--a is empty"),
            (("--a", MASKED), "--other-a is empty"),
            (("--a", MASKED, "--other-a", "The very dog sat on [MASK]."), "The texts have 8 and 9 tokens"),
            (("--a", MASKED, "--other-a", OTHER, "--wanted", "comfortable"), "is 2 tokens"),
            (("--a", MASKED, "--other-a", MASKED), "nearly the same score"),
            (("--a", MASKED, "--other-a", OTHER, "--part", "neuron"), "choose one of state"),
            (("--a", MASKED, "--other-a", OTHER, "--position", "99"), "There is no token 99"),
            (("--a", "The cat", "--other-a", "The dog"), "There is no [MASK]"),
        ],
    )
    def test_one_sentence_for_what_cannot_be_patched(
        self, shell: Shell, model: Path, arguments: tuple[str, ...], says: str
    ) -> None:
        assert says in shell("patch", model, *arguments).sentence

    def test_as_many_tokens_as_the_model_reads(self, shell: Shell, model: Path) -> None:
        """40 of them, and the rest is cut off."""
        texts = (" ".join([word, *["sat"] * 60]) for word in ("cat", "dog"))
        a, other = texts
        found = shell("patch", model, "--a", a, "--b", "it", "--other-a", other, "--json").json
        assert np.shape(found["map"]) == (3, 40)


@pytest.mark.parametrize("command", ["compare", "patch", "score", "trace", "embed"])
def test_a_file_that_cannot_be_written_whole_is_named(
    shell: Shell, model: Path, tmp_path: Path, limit_of_files: Callable[[int], None], command: str
) -> None:
    (tmp_path / "texts.txt").write_text("A cat sat\n" * 20)
    given: tuple[object, ...] = {
        "compare": (model, "--a", MASKED, "--other-a", OTHER),
        "patch": (model, "--a", MASKED, "--other-a", OTHER, "--wanted", "cat"),
        "score": (tmp_path / "texts.txt", "--model", model),
        "trace": (model, "--a", MASKED),
        "embed": (model, "--file", tmp_path / "texts.txt"),
    }[command]
    out = tmp_path / "made" / "out.npz"
    out.parent.mkdir()
    limit_of_files(512)
    sentence = shell(command, *given, "--out", out).sentence
    assert sentence == f"The file {out} cannot be written: file too large; choose another place."
    assert list(out.parent.iterdir()) == []


class TestScore:
    def test_a_file(self, shell: Shell, model: Path, tmp_path: Path) -> None:
        file, out = tmp_path / "texts.txt", tmp_path / "tables" / "scores.csv"
        file.write_text("The [cat|dog] sat on [MASK].\n")
        given = ("score", file, "--model", model, "--word", "cat")
        found = shell(*given, "--json", "--out", out).json
        assert [text["choices"] for text in found["texts"]] == [["cat"], ["dog"]]
        assert found["means"] == [
            {name: found["texts"][i]["word_probability"] for i, name in enumerate(("cat", "dog"))}
        ]
        with out.open(newline="", encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        assert [row["a"] for row in rows] == [MASKED, OTHER]
        assert float(rows[1]["log_likelihood"]) == found["texts"][1]["log_likelihood"]
        shown = shell(*given).out
        assert "mean at place 1: cat " in shown and "similarity" not in shown

    def test_a_fine_tuned_model(self, shell: Shell, classifier: Path, tmp_path: Path) -> None:
        file = tmp_path / "texts.txt"
        file.write_text("A cat\nA dog\tIt sat\n")
        (first, second) = shell("score", file, "--model", classifier, "--json").json["texts"]
        assert {first["answer"], second["answer"]} <= {"bad", "good"} and second["b"] == "It sat"
        assert "answer" in shell("score", file, "--model", classifier).out

    def test_texts_that_are_cut_off_are_counted(self, shell: Shell, model: Path, tmp_path: Path) -> None:
        file, out = tmp_path / "texts.txt", tmp_path / "scores.csv"
        file.write_text(f"A cat\n{'the cat sat ' * 20}\n")
        found = shell("score", file, "--model", model, "--json", "--out", out)
        assert [text["dropped"] for text in found.json["texts"]] == [0, 22]
        assert found.err == (
            "1 of 2 texts is longer than the 40 tokens that the model reads; what is said is of its beginning.\n"
        )
        with out.open(newline="", encoding="utf-8") as stream:
            assert [row["dropped"] for row in csv.DictReader(stream)] == ["0", "22"]
        file.write_text(f"{'the cat sat ' * 20}[MASK]\n")
        cut = shell("score", file, "--model", model, "--word", "cat").sentence
        assert cut.startswith("texts.txt, line 1: a [MASK] was cut off")

    def test_one_sentence_for_what_cannot_be_scored(
        self, shell: Shell, model: Path, encoder_only: Path, tmp_path: Path
    ) -> None:
        file = tmp_path / "texts.txt"
        assert "There is no file" in shell("score", file, "--model", model).sentence
        file.write_text("A cat\n")
        assert "line 1: there is no [MASK]" in shell("score", file, "--model", model, "--word", "cat").sentence
        assert "cannot predict words" in shell("score", file, "--model", encoder_only).sentence
        assert "is a folder" in shell("score", file, "--model", model, "--out", tmp_path).sentence
